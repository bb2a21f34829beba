// The configuration of an SM as numbers, read once from the options.
#ifndef GPGPU_SIM_SM_CORE_CONFIG_H
#define GPGPU_SIM_SM_CORE_CONFIG_H

#include "base/diag.h"
#include "base/option_forms.h"
#include "base/options.h"
#include "isa/inst.h"

// The pipes between issue and execution: each has a register set in front of the operand collector (ID_OC) and one
// behind it (OC_EX). PIPE_SPEC + n is specialized unit n + 1.
enum pipe { PIPE_SP, PIPE_DP, PIPE_INT, PIPE_SFU, PIPE_MEM, PIPE_TENSOR, PIPE_SPEC, PIPE_N = PIPE_SPEC + 8, PIPE_NONE = PIPE_N };

// Sets of collector units. The generic one serves every pipe.
enum cu_set { CU_GEN, CU_SP, CU_DP, CU_TENSOR, CU_SFU, CU_MEM, CU_INT, CU_N_SETS };

enum {
	CORE_MAX_WARPS = 64,      // of an SM: warps are bits of a uint64_t
	CORE_MAX_WIDTH = 16,      // registers of a pipeline register set
	CORE_MAX_LATENCY = 512,   // cycles of an execution unit, as in GPGPU-Sim
	CORE_MAX_SCHEDULERS = 8,
	CORE_MAX_BANKS = 64,
	CORE_MAX_COLLECTORS = 64,
	CORE_MAX_CTAS = 64,
};

// What an instruction class costs: the pipe it goes to, cycles until its result, cycles between two of them.
struct op_cost {
	uint8_t pipe; // enum pipe
	uint16_t latency, interval;
};

struct modern_config;

struct core_config {
	const struct modern_config *modern; // -core modern; NULL: classic
	uint32_t n_clusters, cores_per_cluster, n_sm;
	uint32_t warp_size, max_warps, max_threads, max_ctas;
	uint32_t n_schedulers;
	struct scheduler_form scheduler;
	uint32_t max_issue;             // instructions of one warp a cycle
	bool dual_issue_diff_units;
	bool sub_core;
	uint32_t registers, shared_bytes;
	bool concurrent_kernels;        // CTAs of several kernels on one SM
	bool rotate_cores;              // SMs of a cluster take turns in going first

	uint32_t id_oc_width[PIPE_N], oc_ex_width[PIPE_N], ex_wb_width;
	uint32_t n_units[PIPE_N];       // PIPE_MEM: 1
	struct unit_form spec[8];
	uint32_t n_banks, reg_port_throughput;
	uint32_t cu_units[CU_N_SETS], cu_in_ports[CU_N_SETS], cu_out_ports[CU_N_SETS];
	bool specialized_collectors;

	struct op_cost cost[2][ISA_N_CLASSES]; // of PTX and of machine code
	struct op_cost unit_cost[2][8];        // of instructions that go to a specialized unit
	uint32_t service[ISA_N_SERVICES][2]; // cycles that a service takes: of a warp, and of each lane that asks
	uint32_t barrier_latency, barrier_arrival; // cycles from a CTA's last arrival on; between two arrivals
	uint32_t fetch_throughput;
	bool perfect_inst_const;

	// Memory
	int coalesce_arch;
	uint32_t shared_banks, shared_warp_parts, shared_latency;
	bool shared_limited_broadcast, shared_wide_phases;
	uint32_t cluster_latency, cluster_bytes; // shared memory of other SMs: see remote.h
	uint32_t mem_ports;
	// L1D and shared memory by what a kernel prefers: nothing, shared memory, L1 (cudaFuncSetCacheConfig). Those that are not
	// configured equal the first.
	struct { struct cache_form l1d; uint32_t shared; } preferred[3];
	struct cache_form l1d, l1i, l1c, l1t;
	bool l1_conflicts; // modern core: words of L1D lie in the banks of shared memory
	uint32_t l1_banks, l1_bank_bytes, l1_bank_hash, l1_latency, l1_write_ratio;
	struct prefetch_form l1d_prefetch;
	bool skip_l1d, flush_l1;
	bool adaptive;                  // the carve-out between L1 and shared memory follows the kernel
	uint32_t unified_bytes;
	uint32_t carve[16], n_carve;    // legal shared sizes, bytes, ascending
	uint32_t response_buffer, ejection_buffer;
	uint32_t answers; // that a cluster takes from the network in a cycle, and its SMs from it
	bool local_map;
	bool perfect_mem;
	bool longop_tracking;
	bool tick_all;                  // -tick_every_cycle
	// Bulk copies (sm/bulk.h): cycles from issue to the first request, between two copies, from the last answer to the mbarrier; bytes of
	// requests a cycle; answers that may be under way; tensor maps that the unit keeps.
	uint32_t tma_latency, tma_interval, tma_map_latency, tma_first_latency, tma_write_latency, tma_requests, tma_maps;
	uint32_t tma_bytes, tma_plain_load_bytes, tma_plain_store_bytes;
	uint32_t least_answer; // cycles from a request, textures aside, to its answer: no answer is sooner
	uint32_t wgmma_rate, wgmma_fetch, wgmma_latency; // products of warp groups (sm/products.h): bits and bytes a cycle; cycles
	bool fence_waits_for_stores, exit_waits_for_stores;
	uint32_t cta_turnaround;
	bool sector_acks;               // L2 has sectors: it splits a store and acknowledges each
};

static inline const struct op_cost *core_cost(const struct core_config *c, const struct isa_inst *st)
{
	const unsigned machine = st->sass != NULL;
	return st->unit ? &c->unit_cost[machine][st->unit - 1] : &c->cost[machine][st->cls];
}


// False with errors that name the options if they make no core.
bool core_config_from_options(struct core_config *c, const struct options *o, struct diag *d);

// The cache that an option's value describes. False with an error that names the option.
bool core_config_cache(const char *text, struct cache_form *out, const char *option, struct diag *d);

// How many CTAs of a kernel an SM holds, and why not more (a set of CORE_LIMIT_*). GPGPU-Sim's rule: registers are counted
// in units of four a thread, shared memory by the byte.
enum { CORE_LIMIT_THREADS = 1, CORE_LIMIT_SHARED = 2, CORE_LIMIT_REGISTERS = 4, CORE_LIMIT_CTAS = 8 };
uint32_t core_max_ctas(const struct core_config *c, uint32_t threads, uint32_t regs, uint32_t shared, unsigned *limits);

#endif
