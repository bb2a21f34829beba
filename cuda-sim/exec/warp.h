// A warp that executes micro-ops, and its CTA: what bodies may use of them, how they report that something went wrong, and what
// every engine keeps of a warp besides (engine.h).
#ifndef CUDA_SIM_EXEC_WARP_H
#define CUDA_SIM_EXEC_WARP_H

#include "cuda-sim/exec/barrier.h"
#include "cuda-sim/exec/uop.h"
#include "isa/frontend.h"
#include "isa/strays.h"

struct diag;
struct exec_checked;
struct exec_copies;
struct exec_engine;
struct exec_slots;
struct grid_block;
struct inst_log_sm;

// A constant bank of machine code.
struct exec_bank {
	const uint8_t *at;
	uint32_t size; // bytes
};

enum { EXEC_CLUSTER_MAX = ISA_CLUSTER_MAX }; // CTAs of a cluster

// CTAs of a cluster and the barrier of all their threads: cluster.h.
struct exec_cluster {
	uint32_t n, left;                       // CTAs, and those that have not ended
	struct exec_cta *cta[EXEC_CLUSTER_MAX]; // by rank; NULL: it has ended
	uint32_t arrived;                       // threads that have come to the open phase of the barrier and have not exited
	bool opened;                            // a CTA has let warps of another one go on since this was cleared
	struct exec_cluster *next;              // while it is free
};

// What every instruction looks at comes first, in one cache line of the host.
struct exec_cta {
	struct kernel_launch *launch;
	struct effects *effects;  // of its SM; NULL: stores take effect at once
	uint8_t *shared;          // the CTA's shared memory
	uint32_t shared_size;     // static + dynamic, in whole units of allocation
	uint32_t local_size;      // bytes of local memory a thread has
	struct exec_cluster *cluster;      // NULL: it was launched without clusters
	// Not for bodies
	const struct exec_engine *engine;
	struct kernel_counts *counts;      // of its SM
	uint32_t came;            // barriers to which some threads have come, a bit each; the others are all zero
	bool looked_at;           // there is a log, or somebody checks
	bool opened;              // a barrier has opened since this was cleared
	bool at_children;         // lanes wait for grids: those that the block launched, or the one in front (dependents.h)
	bool lists_copies;        // in results, also those that nobody times

	// The rest, for bodies too
	uint32_t shared_asked;    // static + dynamic
	uint32_t clean_local;     // of local_size, the first bytes, those that hold variables: see fe_sm.clean
	uint64_t param_addr;      // device address of the kernel's parameters, 0 unless it asks for that
	uint32_t id[3];
	uint32_t sm;              // it runs on
	uint32_t block[3];        // threads of the CTA
	uint32_t rank;                // in its cluster
	struct exec_cluster alone;    // its cluster for barriers if it has none
	struct exec_slots *slots;     // that hold it
	// Writes where in the program `u` stands, in words: "at file:line in function: instruction". NULL: nobody can tell.
	void (*place)(const struct warp *w, const struct uop *u, char *buf, size_t len);
	const struct exec_bank *bank; // KERNEL_BANKS, of machine code; else NULL
	struct devmem_hit hit[EXEC_HITS]; // last allocation touched, by instruction: see exec_hit
	struct warp **warp;
	uint32_t n_warp;
	uint32_t live_threads;
	bool faulted;                 // an instruction of it was at fault
	struct exec_barrier barrier[EXEC_BARRIERS];
	uint32_t registers;          // a thread's, when the CTA starts, for setmaxnreg; 0: unknown, it has no effect
	uint32_t pool_free;          // see group.h
	struct grid_block *launches; // NULL until it launches
	uint16_t *last_error;        // cudaGetLastError of each thread, NULL until there is an error
	// The kernel whose address a thread has. False if there is none; why one can't be executed goes to d.
	bool (*kernel_at)(const struct exec_cta *c, uint64_t address, struct kernel_found *k, struct diag *d);

	// Not for bodies
	struct inst_log_sm *log;      // of its SM; NULL: nobody asks
	struct exec_copies *copies;   // that a core times; NULL until there are any
	uint32_t copying;             // of them, those that are not complete
	struct exec_checked *check;   // what is noted of it by who checks; NULL: nobody does
	bool clean;                   // see fe_sm
	uint32_t idle;                // calls of engine->run in a row, over all warps, in which nothing was executed
	bool allowed;                 // those behind its own may begin
	uint32_t meetings, met;       // of all blocks of the grid: to how many this one has come, and its threads in the next (grid_sync.c)
};
_Static_assert(offsetof(struct exec_cta, shared_asked) == 64, "see above");

// How a warp waits for phases of mbarriers: see tries.h.
struct exec_tries {
	uint32_t at[WARP];  // where a lane tried last: offset in shared memory
	uint32_t lanes;     // those of which the last try was in vain
	uint32_t vain;      // tries in vain since the warp did something else that others see
	uint32_t turns;     // that the warp has had since lanes began to wait
	bool by_clock;      // it has read a clock since
	uint32_t clock_turns; // in a row that only read clocks, without timing, since then too
	uint64_t until;     // cycle in which waiting lanes give up
};

enum { EXEC_GROUPS = 8 }; // of products that can be told apart by who waits

// A warp as one of a warp group: group.h.
struct exec_grouped {
	bool waits;
	uint32_t registers, wants_registers; // a thread's
	uint32_t fences, wants_fences;       // to which it has come, and all have to come
	uint32_t products, wants_products;   // that it has issued, and all have to issue
	uint32_t groups;                     // of products that it has closed
	uint32_t end_of[EXEC_GROUPS];        // products issued when a group was closed, by its number
};

// Its first cache line is what every instruction looks at.
struct warp {
	uint8_t *fp;              // rows of the running function
	struct exec_cta *cta;
	uint8_t *local;           // local memory of the warp: word i of lane l is ((uint32_t *)local)[i * WARP + l]; NULL: it has none
	uint32_t id;              // warp number in the CTA
	uint32_t fault;           // enum fault_kind once something went wrong; ends the run
	uint32_t live;            // lanes that have not exited
	uint32_t active;          // lanes of the running split
	uint32_t cc;              // carry flags of add.cc and friends, one bit a lane
	// Not for bodies
	bool settled;                // engine->settle has nothing to do
	const struct isa_inst *next; // if settled: what the next step executes; NULL if it is done or waits
	const struct uop *ahead;     // its first micro-op, with fp; as long as next is not NULL

	// The rest, for bodies too
	struct fe_result *touched; // where bodies list what they touch (EXEC_LIST_BODY); NULL: nobody asks
	struct exec_grouped group;
	struct fe_result *copies;  // where copies that are started are listed; NULL: they are complete at once
	uint32_t stack[WARP];     // PTX: where the local memory begins that alloca gave a lane; it grows down from local_size

	// Not for bodies
	struct exec_tries tries;
	uint32_t exist;              // lanes that the block has threads for
	uint32_t cluster_open;       // lanes that have arrived in the phase of the cluster's barrier that is not complete
	uint32_t cluster_came;       // lanes that have arrived there and not waited since
	uint32_t met, met_odd;       // lanes that have come to a meeting of the grid, and whether it is the second, fourth, ... one
};
_Static_assert(offsetof(struct warp, touched) == 64, "see above");

// The range cache of one instruction: kernels go from array to array, but an instruction mostly stays with one.
// Instructions that touch memory go by them in turn (exec_straight_mark).
static inline struct devmem_hit *exec_hit(struct warp *w, const struct uop *u)
{
	return &w->cta->hit[u->hit];
}

// Where stores to memory that other SMs see have to go; NULL: to their place.
static inline struct effects *exec_effects(const struct warp *w)
{
	struct effects *s = w->cta->effects;
	return s && !s->committing ? s : NULL;
}

// Cycles by which the warp's SM is ahead of the clock that kernel_services tells.
static inline uint64_t exec_ahead(const struct warp *w) { return w->cta->effects ? w->cta->effects->ahead : 0; }

// For what has no place in a batch of CTAs (isa/claims.h), as it is not undone: true if the warp's CTA is in one.
// The batch fails then, and the run of the warp ends.
static inline bool exec_refuses(struct warp *w)
{
	const struct effects *s = exec_effects(w);
	if (__builtin_expect(!s || !s->claims, 1))
		return false;
	claims_give_up(s->claims);
	w->fault = FAULT_INTERRUPTED;
	return true;
}

// Records the first fault of the launch, with kernel, thread and place, and ends the run of the warp.
void exec_fault(struct warp *w, const struct uop *u, enum fault_kind kind, unsigned lane, uint64_t addr,
                const char *fmt, ...) __attribute__((format(printf, 6, 7)));

// An access that a GPU lets pass although it misses what it means: a warning with kernel, thread and place, once for each place.
void exec_stray(struct warp *w, const struct uop *u, unsigned lane, enum stray kind, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

#endif
