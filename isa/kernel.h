// Kernel form: what is needed to launch a kernel, whatever front end made its code.
#ifndef ISA_KERNEL_H
#define ISA_KERNEL_H

#include "isa/devmem.h"
#include "isa/inst.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct exec_checker;
struct frontend_ops;
struct grid;
struct grids;
struct strays;
struct texture;
struct variable_layout;

struct kernel_param {
	uint32_t offset, size, align;
};

enum {
	KERNEL_BANKS = 8,
	BANK_PARAMS = 0, // what the launch fills in, parameters last
	BANK_CONST = 3,  // the module's .const variables
};

// A kernel as machine code. Where the program has a cubin the figures are the compiler's own; else they are what PTX tells
// of them, and mean what each comment says.
struct kernel_machine {
	bool compiled;               // there is a cubin
	uint32_t arch;               // 90 for sm_90; PTX: its .target
	uint32_t bank[KERNEL_BANKS]; // bytes of each constant bank, 0 where there is none. Besides the named ones: 2 numbers that
	                             // the compiler made up, 4 addresses of variables and functions. PTX: the named ones only
	uint32_t param_base;         // where parameters begin in bank 0. PTX: in machine code for its .target
	uint32_t shared;             // static, without what the system takes of each block
	uint32_t frame, stack;       // bytes per thread: the kernel's own, and with functions it calls as far as the compiler
	                             // knows. PTX: memory of variables, without spilled registers; each function counts once
	uint32_t barriers;           // a block needs those from 0 to this less 1
};

// Static facts about a kernel: cudaFuncGetAttributes, occupancy, launch checks.
struct kernel_info {
	const char *name;
	uint32_t regs;          // per thread; from the cubin if there is one, else a liveness estimate
	uint32_t static_shared; // bytes
	uint32_t local;         // bytes per thread of the code that runs, frames of called functions included as far as known
	uint32_t param_bytes;
	uint32_t n_params;
	const struct kernel_param *param;
	uint32_t max_threads;   // from .maxntid/.reqntid, else 1024
	uint32_t reqntid[3];    // all 0 if absent
	uint32_t cluster[3];    // blocks of a cluster, from .reqnctapercluster; all 0 if absent
	uint32_t max_cluster;   // blocks of a cluster at most, from .maxclusterrank; 0 if absent
	bool explicit_cluster;  // .explicitcluster: launched with clusters only
	bool blocks_are_clusters; // .blocksareclusters: a launch says how many clusters there are, and nothing of the block; both have sizes
	uint32_t ptx_version, target; // 90 for ISA 9.0; 75 for sm_75
	struct kernel_machine machine;
	const struct variable_layout *variables; // where the module's variables lie, see variables.h; NULL: it has no module
	uint64_t code_base;     // where the code stands among that of the program's kernels; isa_inst.pc is relative to it
};

enum fault_kind {
	FAULT_NONE,
	FAULT_ILLEGAL_ADDRESS,
	FAULT_MISALIGNED,
	FAULT_INVALID_SPACE,       // e.g. an atomic on const
	FAULT_ILLEGAL_INSTRUCTION, // parsed, but not executed by this version
	FAULT_INVALID_PC,          // indirect call to something that is no function
	FAULT_TRAP,                // trap
	FAULT_ASSERT,              // __assertfail
	FAULT_STACK,               // call stack or local memory exhausted
	FAULT_TIMEOUT,             // barrier or loop that can never complete
	FAULT_LAUNCH,              // anything else that ends a kernel
	FAULT_INTERRUPTED,         // kernel_services.interrupt was set
};

// The first fault of a kernel; it ends the kernel and, in CUDA's terms, poisons the context.
struct fault {
	enum fault_kind kind;
	uint32_t cta[3], thread[3];
	uint64_t addr;
	char text[4096]; // whole message: kernel, CTA, thread, PTX file and line, address, what to do
};

// Counts of one kernel. Definitions: a warp instruction is an instruction issued for a warp with at least one lane in
// its mask; a thread instruction is a lane for which the guard predicate holds.
// Functional and timing modes count alike.
struct kernel_counts {
	uint64_t thread_insts;
	uint64_t warp_insts;
	uint64_t cls[ISA_N_CLASSES];        // warp instructions by class
	uint64_t cls_thread[ISA_N_CLASSES]; // thread instructions by class
	uint64_t ctas;
};

static inline void kernel_counts_add(struct kernel_counts *to, const struct kernel_counts *c)
{
	to->thread_insts += c->thread_insts;
	to->warp_insts += c->warp_insts;
	to->ctas += c->ctas;
	for (unsigned k = 0; k < ISA_N_CLASSES; k++) {
		to->cls[k] += c->cls[k];
		to->cls_thread[k] += c->cls_thread[k];
	}
}

// What a cooperative launch gives its blocks to wait for each other: CUDA's grid.sync() counts in the second word.
enum { GRID_WORKSPACE = 64 };

struct kernel_launch {
	uint32_t uid;               // 1, 2, ... in launch order
	const struct kernel_info *info;
	const struct frontend_ops *fe;
	void *code;                 // front end's decoded kernel
	uint32_t grid[3], block[3];
	uint32_t cluster[3];        // blocks of a cluster, of which grid is a multiple; all 0: launched without clusters
	uint32_t dynamic_shared;
	const uint8_t *params;      // info->param_bytes bytes
	uint64_t stream;            // stream id as statistics print it
	uint8_t prefers;            // cudaFuncSetCacheConfig: 0 nothing, 1 more shared memory, 2 more L1
	uint64_t grid_workspace;    // device address of GRID_WORKSPACE zeroed bytes, for cooperative launches; else 0
	bool untimed;               // on a GPU with time: it is executed without
	struct devmem *mem;
	struct kernel_services *services;
	struct grids *grids;        // what kernels launch, see grids.h; NULL: they cannot
	struct grid *place;         // its place there, NULL while it has none
	// Programmatic dependent launch. The launch in front of it, which has not ended: its blocks begin when all of that one have allowed it
	// (griddepcontrol.launch_dependents), and its threads can wait for the end (griddepcontrol.wait). NULL: there is none.
	const struct kernel_launch *behind;
	uint64_t allowed;           // blocks that have allowed those behind it, or have ended
	struct kernel_counts counts; // complete when the launch has ended
	struct fault fault;
};

// --- the order of blocks: by their numbers; those of a cluster, which has the next number, stand together by their ranks

enum { ISA_CLUSTER_MAX = 16 }; // blocks of a cluster

// Blocks of a cluster; 1 without clusters.
static inline uint32_t isa_cluster_ctas(const struct kernel_launch *l)
{
	return l->cluster[0] ? l->cluster[0] * l->cluster[1] * l->cluster[2] : 1;
}

// The n-th block of the grid.
static inline void isa_cta_id(const struct kernel_launch *l, uint64_t n, uint32_t id[3])
{
	const uint32_t *c = l->cluster, one[3] = {1, 1, 1}, *size = c[0] ? c : one;
	const uint32_t ctas = size[0] * size[1] * size[2], rank = (uint32_t)(n % ctas);
	const uint32_t nx = l->grid[0] / size[0], ny = l->grid[1] / size[1];
	const uint64_t k = n / ctas;
	id[0] = (uint32_t)(k % nx) * size[0] + rank % size[0];
	id[1] = (uint32_t)(k / nx % ny) * size[1] + rank / size[0] % size[1];
	id[2] = (uint32_t)(k / nx / ny) * size[2] + rank / size[0] / size[1];
}

// A kernel that kernels may launch.
struct kernel_found {
	const char *name;
	void *function;                 // what kernel_services.child is told
	void *code;                     // see kernel_launch; NULL: it can't be executed
	const struct kernel_info *info; // if it can
};

// What a running kernel asks of the world around it. Filled by libcuda; all may be called from the simulation thread.
struct kernel_services {
	void *ctx;
	void (*print)(void *ctx, const char *text, size_t len);      // device printf output, in order
	void (*assert_failed)(void *ctx, const char *text);          // CUDA's line about a thread's assertion; NULL: nobody asks
	uint64_t (*heap_alloc)(void *ctx, uint64_t size);            // device malloc; 0 if the heap is full
	bool (*heap_free)(void *ctx, uint64_t addr);                 // false: not from heap_alloc
	uint64_t (*clock)(void *ctx);                                // current cycle, see kernel_clock
	uint64_t clock_hz;                                           // its cycles in a second; 0: 10^9
	const struct texture *(*texture)(void *ctx, uint64_t handle); // of a texture object; NULL if there is none
	// The kernel in the program of `by` whose address a thread has. False if there is none; why one can't be executed goes to d.
	// NULL: the front end looks among its own.
	bool (*kernel_at)(void *ctx, const struct kernel_launch *by, uint64_t address, struct kernel_found *k, struct diag *d);
	// A kernel launches l, a kernel of the same program with that kernel_found.function: CUDA's error, 0 if it can run. May
	// replace l->info, l->code and l->fe and sets l->uid. NULL: all can.
	int (*child)(void *ctx, void *function, struct kernel_launch *l);
	int (*attribute)(void *ctx, int attribute, int *value);      // cudaDeviceGetAttribute; NULL: there are none
	uint64_t (*error_text)(void *ctx, int error, bool name);     // device address of the message or name of an error
	uint32_t stack_limit;                                        // cudaLimitStackSize
	uint32_t sync_depth_limit, pending_launch_limit;             // cudaLimitDevRuntime...; 0: none
	uint32_t n_sm, warps_per_sm;                                 // for %nsmid, %nwarpid
	uint32_t shared_unit;                                        // a CTA has whole ones, bytes; 0: what it asks for
	uint32_t named_barriers;                                     // that a CTA has; 0: 16, the most there are
	struct strays *strays;                                       // accesses that a GPU lets pass; NULL: nobody asks
	// Not 0: the simulation is to stop. Kernels look when they call something that may take long, malloc for instance. NULL: none.
	const atomic_int *interrupt;
	struct inst_log *log;                                        // of front ends that execute; NULL: nobody asks
	struct exec_checker *checker;                                // is told what warps do, without timing; NULL: nobody asks
};

// What a kernel reads of the clock `ahead` cycles from now: %clock is in cycles, %globaltimer in nanoseconds.
static inline uint64_t kernel_clock(const struct kernel_services *s, uint64_t ahead, bool nanoseconds)
{
	const uint64_t now = s->clock(s->ctx) + ahead, second = 1000000000, hz = s->clock_hz ? s->clock_hz : second;
	return nanoseconds ? now / hz * second + now % hz * second / hz : now;
}

#endif
