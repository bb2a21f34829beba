#include "isa/gpu_desc.h"

#include "base/option_forms.h"

#include <stdio.h>
#include <string.h>

enum { KB = 1024, WARP = 32 };

// Sources: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability"; for 3.x and below the
// guide of CUDA 8.0, appendix G. Allocation units, sub-partitions and reserved bytes: the occupancy calculator of the
// CUDA toolkit. Memory per chip is an estimate from the boards sold.
static const struct gpu_capability capabilities[] = {
	// cc  CTAs warps  registers: SM, CTA, thread  shared: SM, CTA  reserved, units: shared, registers, parts, MB
	{2, 0, 8, 48, 32 * KB, 32 * KB, 63, 48 * KB, 48 * KB, 0, 128, 64, 2, 128},
	{2, 1, 8, 48, 32 * KB, 32 * KB, 63, 48 * KB, 48 * KB, 0, 128, 64, 2, 128},
	{3, 0, 16, 64, 64 * KB, 64 * KB, 63, 48 * KB, 48 * KB, 0, 256, 256, 4, 256},
	{3, 2, 16, 64, 64 * KB, 64 * KB, 255, 48 * KB, 48 * KB, 0, 256, 256, 4, 256},
	{3, 5, 16, 64, 64 * KB, 64 * KB, 255, 48 * KB, 48 * KB, 0, 256, 256, 4, 512},
	{3, 7, 16, 64, 128 * KB, 64 * KB, 255, 112 * KB, 48 * KB, 0, 256, 256, 4, 512},
	{5, 0, 32, 64, 64 * KB, 64 * KB, 255, 64 * KB, 48 * KB, 0, 256, 256, 4, 512},
	{5, 2, 32, 64, 64 * KB, 64 * KB, 255, 96 * KB, 48 * KB, 0, 256, 256, 4, 512},
	{5, 3, 32, 64, 64 * KB, 32 * KB, 255, 64 * KB, 48 * KB, 0, 256, 256, 4, 512},
	{6, 0, 32, 64, 64 * KB, 64 * KB, 255, 64 * KB, 48 * KB, 0, 256, 256, 2, 512},
	{6, 1, 32, 64, 64 * KB, 64 * KB, 255, 96 * KB, 48 * KB, 0, 256, 256, 4, 1024},
	{6, 2, 32, 64, 64 * KB, 32 * KB, 255, 64 * KB, 48 * KB, 0, 256, 256, 4, 1024},
	{7, 0, 32, 64, 64 * KB, 64 * KB, 255, 96 * KB, 96 * KB, 0, 256, 256, 4, 1024},
	{7, 2, 32, 64, 64 * KB, 64 * KB, 255, 96 * KB, 96 * KB, 0, 256, 256, 4, 1024},
	{7, 5, 16, 32, 64 * KB, 64 * KB, 255, 64 * KB, 64 * KB, 0, 256, 256, 4, 512},
	{8, 0, 32, 64, 64 * KB, 64 * KB, 255, 164 * KB, 163 * KB, 1024, 128, 256, 4, 1024},
	{8, 6, 16, 48, 64 * KB, 64 * KB, 255, 100 * KB, 99 * KB, 1024, 128, 256, 4, 512},
	{8, 7, 16, 48, 64 * KB, 64 * KB, 255, 164 * KB, 163 * KB, 1024, 128, 256, 4, 1024},
	{8, 9, 24, 48, 64 * KB, 64 * KB, 255, 100 * KB, 99 * KB, 1024, 128, 256, 4, 1024},
	{9, 0, 32, 64, 64 * KB, 64 * KB, 255, 228 * KB, 227 * KB, 1024, 128, 256, 4, 1024},
	{10, 0, 32, 64, 64 * KB, 64 * KB, 255, 228 * KB, 227 * KB, 1024, 128, 256, 4, 1024},
	{10, 3, 32, 64, 64 * KB, 64 * KB, 255, 228 * KB, 227 * KB, 1024, 128, 256, 4, 1024},
	{11, 0, 24, 48, 64 * KB, 64 * KB, 255, 228 * KB, 227 * KB, 1024, 128, 256, 4, 1024},
	{12, 0, 24, 48, 64 * KB, 64 * KB, 255, 100 * KB, 99 * KB, 1024, 128, 256, 4, 1024},
	{12, 1, 24, 48, 64 * KB, 64 * KB, 255, 100 * KB, 99 * KB, 1024, 128, 256, 4, 1024},
};
enum { CAPABILITIES = sizeof capabilities / sizeof *capabilities };

// By the first major version they hold for. Source: the same table, and what deviceQuery prints on such GPUs.
static const struct {
	int major;
	struct gpu_texture_limits limits;
} textures[] = {
	{2,
	 {.tex1d = 65536, .tex1d_mipmap = 16384, .tex1d_linear = 1 << 27, .tex2d = {65536, 65535},
	  .tex2d_mipmap = {16384, 16384}, .tex2d_linear = {65000, 65000, 1048544}, .tex2d_gather = {16384, 16384},
	  .tex3d = {2048, 2048, 2048}, .cubemap = 16384, .layered1d = {16384, 2048},
	  .layered2d = {16384, 16384, 2048}, .cubemap_layered = {16384, 2046}, .surf1d = 65536,
	  .surf2d = {65536, 32768}, .surf3d = {65536, 32768, 2048}, .surf1d_layered = {65536, 2048},
	  .surf2d_layered = {65536, 32768, 2048}, .surf_cubemap = 32768, .surf_cubemap_layered = {32768, 2046}}},
	{3,
	 {.tex1d = 65536, .tex1d_mipmap = 16384, .tex1d_linear = 1 << 27, .tex2d = {65536, 65536},
	  .tex2d_mipmap = {16384, 16384}, .tex2d_linear = {65000, 65000, 1048544}, .tex2d_gather = {16384, 16384},
	  .tex3d = {4096, 4096, 4096}, .tex3d_alt = {2048, 2048, 16384}, .cubemap = 16384,
	  .layered1d = {16384, 2048}, .layered2d = {16384, 16384, 2048}, .cubemap_layered = {16384, 2046},
	  .surf1d = 65536, .surf2d = {65536, 32768}, .surf3d = {65536, 32768, 2048},
	  .surf1d_layered = {65536, 2048}, .surf2d_layered = {65536, 32768, 2048}, .surf_cubemap = 32768,
	  .surf_cubemap_layered = {32768, 2046}}},
	{5,
	 {.tex1d = 65536, .tex1d_mipmap = 16384, .tex1d_linear = 1 << 27, .tex2d = {65536, 65536},
	  .tex2d_mipmap = {16384, 16384}, .tex2d_linear = {65000, 65000, 1048544}, .tex2d_gather = {16384, 16384},
	  .tex3d = {4096, 4096, 4096}, .tex3d_alt = {2048, 2048, 16384}, .cubemap = 16384,
	  .layered1d = {16384, 2048}, .layered2d = {16384, 16384, 2048}, .cubemap_layered = {16384, 2046},
	  .surf1d = 16384, .surf2d = {65536, 65536}, .surf3d = {4096, 4096, 4096},
	  .surf1d_layered = {16384, 2048}, .surf2d_layered = {16384, 16384, 2048}, .surf_cubemap = 16384,
	  .surf_cubemap_layered = {16384, 2046}}},
	{6,
	 {.tex1d = 131072, .tex1d_mipmap = 32768, .tex1d_linear = 1 << 28, .tex2d = {131072, 65536},
	  .tex2d_mipmap = {32768, 32768}, .tex2d_linear = {131072, 65000, 2097120},
	  .tex2d_gather = {32768, 32768}, .tex3d = {16384, 16384, 16384}, .tex3d_alt = {8192, 8192, 32768},
	  .cubemap = 32768, .layered1d = {32768, 2048}, .layered2d = {32768, 32768, 2048},
	  .cubemap_layered = {32768, 2046}, .surf1d = 32768, .surf2d = {131072, 65536},
	  .surf3d = {16384, 16384, 16384}, .surf1d_layered = {32768, 2048},
	  .surf2d_layered = {32768, 32768, 2048}, .surf_cubemap = 32768, .surf_cubemap_layered = {32768, 2046}}},
};

const struct gpu_capability *gpu_capability_find(int major, int minor)
{
	const struct gpu_capability *best = &capabilities[0];
	for (int i = 0; i < CAPABILITIES; i++)
		if (capabilities[i].major * 100 + capabilities[i].minor <= major * 100 + minor)
			best = &capabilities[i];
	return best;
}

static uint64_t cache_size(const char *text)
{
	struct cache_form f;
	struct form_error err;
	return form_cache(text, &f, &err) ? (uint64_t)f.sets * f.line * f.ways : 0;
}

static uint32_t at_most(uint64_t v, uint32_t max) { return v < max ? v : max; }

static void set_name(struct gpu_desc *g, const struct options *o)
{
	if (*o->gpu_name)
		snprintf(g->name, sizeof g->name, "%s", o->gpu_name);
	else
		snprintf(g->name, sizeof g->name, "Heddle sm_%d%d, %u SMs", g->major, g->minor, g->sm_count);
}

static void set_shared(struct gpu_desc *g, const struct options *o, const struct gpu_capability *cc)
{
	// Configurations of GPUs with a carve-out set both alike; in others sizeDefault is what a kernel gets.
	uint32_t sm = o->gpgpu_shmem_size;
	if (o->gpgpu_shmem_sizeDefault > sm)
		sm = o->gpgpu_shmem_sizeDefault;
	g->shared_per_sm = sm;
	g->shared_reserved = cc->shared_reserved < sm ? cc->shared_reserved : 0;
	g->shared_allocation_unit = cc->shared_allocation_unit;
	// Without opting in every capability gives 48 KB (Programming Guide, "Shared Memory" of 7.x and later).
	uint32_t room = sm - g->shared_reserved, optin = at_most(cc->shared_per_block_optin, room);
	g->shared_per_block = at_most(at_most(o->gpgpu_shmem_per_block, 48 * KB), room);
	g->shared_per_block_optin = optin > g->shared_per_block ? optin : g->shared_per_block;
}

// How much of L2 can be set aside for persisting accesses, from capability 8.0 on (CUDA Programming Guide, "L2 Cache Control").
// cudaGetDeviceProperties says, of an A100: 31457280 of 41943040 bytes, of an Orin (8.7): 3145728 of 4194304, and of both that a
// window has 134213632 bytes (NVIDIA's developer forum, threads 275542 and 289936); of an RTX 4090 Laptop (8.9): 44 of 64 MB
// (github.com/bjorg/aboutcuda). For the capabilities in between and after them no listing is known; they take the smallest part.
static uint32_t persisting_sixteenths(int major, int minor)
{
	if (major < 8)
		return 0;
	return major == 8 && (minor == 0 || minor == 7) ? 12 : 11;
}

static void set_memory(struct gpu_desc *g, const struct options *o, const struct gpu_capability *cc)
{
	uint64_t chips = (uint64_t)o->gpgpu_n_mem * o->gpgpu_n_mem_per_ctrlr;
	uint64_t mb = o->gpu_memory_mb ? o->gpu_memory_mb : chips * cc->mb_per_dram_chip;
	g->memory_size = (uint64_t)at_most(mb, 1 << 20) << 20;
	g->memory_bus_bits = at_most(chips * o->gpgpu_dram_buswidth * 8, INT32_MAX);
	g->memory_clock_khz = at_most(g->clock_hz[CLOCK_DRAM] / 1000 * o->dram_data_command_freq_ratio / 2, INT32_MAX);
	g->l2_size = at_most(cache_size(o->gpgpu_cache_dl2) * o->gpgpu_n_mem * o->gpgpu_n_sub_partition_per_mchannel,
	                     INT32_MAX);
	g->l2_persisting = persisting_sixteenths(g->major, g->minor) * (g->l2_size / 16);
	g->access_window = g->l2_persisting ? (128 * KB - 4) * KB : 0;
	g->l1_size = o->gpgpu_unified_l1d_size ? o->gpgpu_unified_l1d_size * KB :
	                                         at_most(cache_size(o->gpgpu_cache_dl1), INT32_MAX);
}

static bool set_threads(struct gpu_desc *g, const struct options *o, struct diag *d)
{
	int64_t pipeline[2];
	size_t n;
	struct form_error err;
	if (!form_numbers(o->gpgpu_shader_core_pipeline, ':', pipeline, 2, &n, &err) || n != 2 || pipeline[1] != WARP ||
	    pipeline[0] < WARP || pipeline[0] > 64 * KB || pipeline[0] % WARP) {
		diag_add(d, DIAG_ERROR,
		         "-gpgpu_shader_core_pipeline %.60s: it is THREADS:32, THREADS a multiple of 32 up to 65536",
		         o->gpgpu_shader_core_pipeline);
		return false;
	}
	g->warp_size = WARP;
	g->max_threads_per_sm = pipeline[0];
	g->max_warps_per_sm = pipeline[0] / WARP;
	g->max_threads_per_block = at_most(pipeline[0], 1024);
	return true;
}

static void set_registers(struct gpu_desc *g, const struct options *o, const struct gpu_capability *cc)
{
	g->registers_per_sm = o->gpgpu_shader_registers;
	// GPGPU-Sim's default of 8192 is older than its configurations, which often do not set it.
	g->registers_per_block = o->origin[OPT_gpgpu_registers_per_block].source == FROM_DEFAULT ?
	                                 at_most(cc->registers_per_block, g->registers_per_sm) :
	                                 o->gpgpu_registers_per_block;
	g->max_registers_per_thread = cc->max_registers_per_thread;
	g->register_allocation_unit = cc->register_allocation_unit;
	g->sub_partitions = cc->sub_partitions;
}

static void set_limits(struct gpu_desc *g, const struct options *o)
{
	// x, y and z of a block and of a grid: Programming Guide, the same table.
	const uint32_t block[3] = {g->max_threads_per_block, g->max_threads_per_block, 64};
	const uint32_t grid[3] = {g->major < 3 ? 65535 : INT32_MAX, 65535, 65535};
	memcpy(g->max_block_dim, block, sizeof block);
	memcpy(g->max_grid_dim, grid, sizeof grid);
	g->const_size = 64 * KB;
	g->local_per_thread = 512 * KB;
	g->stack_limit = o->gpgpu_stack_size_limit;
	g->heap_limit = o->gpgpu_heap_size_limit;
	g->printf_fifo_limit = 1 << 20; // Runtime API, cudaLimitPrintfFifoSize: 1 MB by default
	g->sync_depth_limit = o->gpgpu_runtime_sync_depth_limit;
	g->pending_launch_limit = o->gpgpu_runtime_pending_launch_count_limit;
	g->max_concurrent_kernels = o->gpgpu_max_concurrent_kernel;
	g->max_ctas_per_sm = o->gpgpu_shader_cta;
	g->schedulers_per_sm = o->gpgpu_num_sched_per_core;
	g->max_named_barriers = o->gpgpu_num_cta_barriers;
}

bool gpu_desc_from_options(struct gpu_desc *g, const struct options *o, struct diag *d)
{
	*g = (struct gpu_desc){.major = o->gpgpu_compute_capability_major, .minor = o->gpgpu_compute_capability_minor};
	const struct gpu_capability *cc = gpu_capability_find(g->major, g->minor);
	struct form_error err;
	if (!set_threads(g, o, d))
		return false;
	if (!form_clocks(o->gpgpu_clock_domains, g->clock_hz, &err)) {
		diag_add(d, DIAG_ERROR, "-gpgpu_clock_domains %.60s: %s", o->gpgpu_clock_domains, err.why);
		return false;
	}
	g->sm_count = o->gpgpu_n_clusters * o->gpgpu_n_cores_per_cluster;
	g->sms_per_gpc = o->gpgpu_sms_per_gpc;
	g->clock_khz = g->clock_hz[CLOCK_CORE] / 1000;
	set_name(g, o);
	set_registers(g, o, cc);
	set_shared(g, o, cc);
	set_memory(g, o, cc);
	set_limits(g, o);
	g->texture_alignment = o->gpgpusim_addresses ? 256 : 512; // allocations lie 256 bytes apart then
	g->texture_pitch_alignment = 32;
	g->texture_tiles = o->texture_tiles;
	g->surface_alignment = 512;
	g->max_pitch = INT32_MAX;
	for (size_t i = 0; i < sizeof textures / sizeof *textures; i++)
		if (!i || textures[i].major <= g->major)
			g->texture = textures[i].limits;
	return true;
}

static uint64_t round_up(uint64_t v, uint64_t unit) { return (v + unit - 1) / unit * unit; }

// Registers are given to whole warps in units, from the sub-partition the warp runs on. A launch is refused by the sum
// over all sub-partitions, as if each got the same number of warps.
static uint64_t ctas_by_registers(const struct gpu_desc *g, uint32_t warps, uint32_t registers)
{
	if (registers > g->max_registers_per_thread)
		return 0;
	uint64_t per_warp = round_up((uint64_t)registers * WARP, g->register_allocation_unit);
	if (per_warp * round_up(warps, g->sub_partitions) > g->registers_per_block)
		return 0;
	if (!per_warp)
		return UINT32_MAX;
	return g->registers_per_sm / g->sub_partitions / per_warp * g->sub_partitions / warps;
}

static uint64_t ctas_by_shared(const struct gpu_desc *g, uint64_t fixed, uint64_t dynamic)
{
	if (fixed > UINT32_MAX || dynamic > UINT32_MAX)
		return 0;
	uint64_t per_cta = round_up(fixed + dynamic + g->shared_reserved, g->shared_allocation_unit);
	if (per_cta > (uint64_t)g->shared_per_block_optin + g->shared_reserved)
		return 0;
	return per_cta ? g->shared_per_sm / per_cta : UINT32_MAX;
}

uint32_t gpu_desc_occupancy(const struct gpu_desc *g, uint32_t threads, uint32_t registers, uint64_t shared_static,
                            uint64_t shared_dynamic, enum gpu_limit *limit)
{
	bool fits = threads && threads <= g->max_threads_per_block;
	uint32_t warps = fits ? (threads + WARP - 1) / WARP : 1;
	const uint64_t by[] = {
		[GPU_LIMIT_WARPS] = fits ? g->max_warps_per_sm / warps : 0,
		[GPU_LIMIT_REGISTERS] = ctas_by_registers(g, warps, registers),
		[GPU_LIMIT_SHARED] = ctas_by_shared(g, shared_static, shared_dynamic),
		[GPU_LIMIT_CTAS] = g->max_ctas_per_sm,
	};
	int least = 0;
	for (int i = 1; i < 4; i++)
		if (by[i] < by[least])
			least = i;
	if (limit)
		*limit = least;
	return by[least];
}

uint32_t gpu_desc_clusters(const struct gpu_desc *g, uint32_t ctas_per_sm, uint32_t cluster)
{
	const uint32_t whole = g->sm_count / g->sms_per_gpc, rest = g->sm_count % g->sms_per_gpc;
	if (!cluster)
		return 0;
	if (cluster == 1)
		return g->sm_count * ctas_per_sm;
	return whole * (g->sms_per_gpc * ctas_per_sm / cluster) + rest * ctas_per_sm / cluster;
}
