// The modern core's configuration as numbers, read once from the options. Option names are those of UPC's
// modern-gpu-simulator, so that its configuration files load; docs/modern.md has what each does.
#ifndef GPGPU_SIM_MODERN_CONFIG_H
#define GPGPU_SIM_MODERN_CONFIG_H

#include "gpgpu-sim/sm/core_config.h"

enum { MODERN_SUBCORES = 4, MODERN_BANKS = 2, MODERN_MAX_WINDOW = 32, MODERN_MAX_SLOTS = 8 };

struct modern_unit_cost {
	uint16_t latency, interval; // cycles in the pipe; cycles in the dispatch register before it
};

struct modern_distances;

struct modern_config {
	// Front end
	struct cache_form l0i, l0fl;      // per sub-core: instructions, constants of fixed-latency instructions
	struct cache_form l0vl;           // per SM: constants of loads (LDC)
	uint32_t to_l1, from_l1;          // cycles between an L0 and L1 I/C, each way
	uint32_t l1_requests, l1_replies; // requests and replies that the ways to L1 I/C take per cycle and SM
	bool prefetch, stream_associative;
	uint32_t stream_lines;            // entries of the stream buffer
	uint32_t preload_lines;           // of a kernel's code that L1 I/C asks for by itself
	uint32_t ibuffer;                 // instructions per warp
	bool perfect_inst, perfect_const;
	bool invalidate_at_end;           // instruction caches, when a kernel ends
	uint32_t const_hold;              // cycles for which a greedy warp with a constant miss keeps its sub-core

	// Issue
	bool scoreboards;                 // for all kernels; else only for those without control bits
	bool war;                         // the scoreboards track readers too
	uint32_t war_uses;                // readers that are counted per register
	bool assign_control;              // PTX gets control bits as a compiler would set them
	uint32_t yield_stall;             // cycles of stall 0 with yield
	uint32_t imad_hold;               // cycles for which the issue port is busy after an IMAD
	uint32_t fence_hold[4];           // by isa_sass.fence: cycles for which all issue ports of the SM are blocked
	bool tick_all;                    // -tick_every_cycle
	bool check_hazards;               // report reads of registers that are not written yet

	// Units
	struct modern_unit_cost unit[ISA_N_UNITS];
	uint32_t predicate_total;         // issue to use of a predicate by a guard
	const struct modern_distances *distances; // of the GPU's generation
	unsigned capability;              // of the distances: 86 for 8.6
	bool fp32_in_int;
	uint32_t mma_rate, mma_latency; // see the options; rate 0: by tensor_rate
	uint32_t mbarrier_latency;
	uint32_t tensor_rate, tensor_extra; // bits a cycle; cycles added to HMMA.16816.F32 and HMMA.1688.F32
	uint32_t misc_queue;
	uint32_t dp_queue, dp_stages;
	bool dp_shared;                   // one double precision pipe for the SM
	bool dp_in_subcore;               // no way to a unit of the SM before it

	// Register file
	uint32_t read_ports, write_ports; // per bank
	bool rf_cache;
	uint32_t rf_slots;                // operand slots of the register-file cache, up to MODERN_MAX_SLOTS
	uint32_t result_queue, result_pops; // entries; results written from it per cycle
	uint32_t sm_write_cycles;         // per register that comes from a unit shared by the sub-cores

	// Memory
	uint32_t queue;                   // entries of a sub-core's queue; a latch stands before it
	uint32_t address_units;           // lanes per cycle of address calculation
	int32_t first_stage_offset;
	uint32_t link_bytes;
	bool load_half, store_half;       // of the link's width
	uint32_t mem_spacing;             // cycles between two instructions from sub-cores to the SM
	uint32_t prt;                     // pending request table
	uint32_t coalescers;
	uint32_t shared_latency, ldsm_extra, ldgsts_extra;
	uint32_t l1d_latency, l1d_lookups; // cycles before the tags; look-ups a cycle and bank
	uint32_t l1d_pass, shared_pass;    // cycles for each word of a bank
	uint32_t texture_lanes;            // a cycle; 0: a line a cycle
	uint32_t bypass_latency;           // cycles that what passes L1D by takes more
	uint32_t const_latency;
	uint32_t ldgsts_hop;
};

// False with errors that name the options.
bool modern_config_from_options(struct modern_config *c, const struct core_config *core, const struct options *o, struct diag *d);

#endif
