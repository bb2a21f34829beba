// The GPU as programs see it: sizes and limits for device properties, launch checks and occupancy.
#ifndef ISA_GPU_DESC_H
#define ISA_GPU_DESC_H

#include "base/diag.h"
#include "base/options.h"

#include <stdbool.h>
#include <stdint.h>

// What the compute capability alone decides. One row per capability in gpu_desc.c; bytes unless said otherwise.
struct gpu_capability {
	uint8_t major, minor;
	uint16_t max_ctas_per_sm, max_warps_per_sm;
	uint32_t registers_per_sm, registers_per_block;
	uint16_t max_registers_per_thread;
	uint32_t shared_per_sm;            // largest carve-out
	uint32_t shared_per_block_optin;   // with cudaFuncAttributeMaxDynamicSharedMemorySize
	uint16_t shared_reserved;          // taken by the system in each CTA
	uint16_t shared_allocation_unit;
	uint16_t register_allocation_unit; // registers, per warp
	uint8_t sub_partitions;            // warps of a CTA are dealt to so many register files
	uint16_t mb_per_dram_chip;         // usual on boards of that time; for -gpu_memory_mb 0
};

// Texture and surface limits, in texels (linear pitch in bytes). Fields as in cudaDeviceProp.
struct gpu_texture_limits {
	int tex1d, tex1d_mipmap, tex1d_linear;
	int tex2d[2], tex2d_mipmap[2], tex2d_linear[3], tex2d_gather[2];
	int tex3d[3], tex3d_alt[3];
	int cubemap, layered1d[2], layered2d[3], cubemap_layered[2];
	int surf1d, surf2d[2], surf3d[3], surf1d_layered[2], surf2d_layered[3], surf_cubemap, surf_cubemap_layered[2];
};

struct gpu_desc {
	char name[256];
	int major, minor; // compute capability
	uint32_t sm_count, warp_size;
	uint32_t sms_per_gpc; // SMs from 0 on stand together so many at a time, the last ones perhaps fewer; a cluster is on those of one

	uint32_t max_threads_per_block, max_threads_per_sm, max_warps_per_sm, max_ctas_per_sm;
	uint32_t max_block_dim[3], max_grid_dim[3];
	uint32_t registers_per_sm, registers_per_block, max_registers_per_thread;
	uint32_t register_allocation_unit, sub_partitions, schedulers_per_sm;
	uint32_t max_named_barriers; // per CTA

	// Bytes. A CTA gets per_block without asking, optin after asking; reserved comes on top of what it asks for.
	uint32_t shared_per_sm, shared_per_block, shared_per_block_optin, shared_reserved, shared_allocation_unit;
	uint32_t const_size, l1_size, l2_size;
	uint32_t l2_persisting; // most of L2 that can be set aside for persisting accesses
	uint32_t access_window; // largest cudaAccessPolicyWindow
	uint64_t memory_size;
	uint64_t local_per_thread; // most local memory a thread can have

	uint64_t clock_hz[4]; // core, interconnect, L2, DRAM command bus: CLOCK_* of base/option_forms.h
	uint32_t clock_khz, memory_clock_khz; // as cudaDeviceProp gives them: a double data rate clock for the memory
	uint32_t memory_bus_bits;

	uint64_t stack_limit, heap_limit, printf_fifo_limit; // defaults of cudaDeviceGetLimit, bytes
	uint32_t sync_depth_limit, pending_launch_limit, max_concurrent_kernels;

	uint32_t texture_alignment, texture_pitch_alignment, surface_alignment; // bytes
	uint64_t max_pitch; // bytes
	struct gpu_texture_limits texture;
	bool texture_tiles; // arrays: texture_seen_at
};

// Fills `g` from the options. False, with errors that name the options, if they make no GPU.
bool gpu_desc_from_options(struct gpu_desc *g, const struct options *o, struct diag *d);

// The row for a capability; for one that is not in the table the nearest below, or the first.
const struct gpu_capability *gpu_capability_find(int major, int minor);

// What keeps more CTAs from an SM; the first that applies.
enum gpu_limit { GPU_LIMIT_WARPS, GPU_LIMIT_REGISTERS, GPU_LIMIT_SHARED, GPU_LIMIT_CTAS };

// CTAs of a kernel that fit on one SM by NVIDIA's rules (those of cudaOccupancyMaxActiveBlocksPerMultiprocessor), 0 if
// it cannot be launched. threads per CTA; registers per thread; static and dynamic shared memory of a CTA in bytes.
// Shared memory is checked against the opt-in limit; the caller knows what the function opted in to.
// *limit may be NULL.
uint32_t gpu_desc_occupancy(const struct gpu_desc *g, uint32_t threads, uint32_t registers, uint64_t shared_static,
                            uint64_t shared_dynamic, enum gpu_limit *limit);

// Clusters of so many CTAs that fit on the GPU at once, if so many CTAs of the kernel fit on an SM (gpu_desc_occupancy).
uint32_t gpu_desc_clusters(const struct gpu_desc *g, uint32_t ctas_per_sm, uint32_t cluster);

#endif
