// A warp that executes micro-ops, and its CTA: what bodies may use of them, how they report that something went wrong, and what
// every engine keeps of a warp besides (engine.h).
#ifndef CUDA_SIM_EXEC_WARP_H
#define CUDA_SIM_EXEC_WARP_H

#include "cuda-sim/exec/barrier.h"
#include "cuda-sim/exec/uop.h"
#include "isa/frontend.h"

struct diag;
struct exec_checked;
struct exec_engine;
struct grid_block;
struct inst_log_sm;

// A constant bank of machine code.
struct exec_bank {
	const uint8_t *at;
	uint32_t size; // bytes
};

struct exec_cta {
	struct kernel_launch *launch;
	struct effects *effects;  // of its SM; NULL: stores take effect at once
	uint8_t *shared;          // the CTA's shared memory
	uint32_t shared_size;     // static + dynamic, in whole units of allocation
	uint32_t shared_asked;    // static + dynamic
	uint32_t local_size;      // bytes of local memory a thread has
	uint64_t param_addr;      // device address of the kernel's parameters, 0 unless it asks for that
	uint32_t id[3];
	uint32_t sm;              // it runs on
	uint32_t block[3];        // threads of the CTA
	// Writes where in the program `u` stands, in words: "at file:line in function: instruction". NULL: nobody can tell.
	void (*place)(const struct warp *w, const struct uop *u, char *buf, size_t len);
	const struct exec_bank *bank; // KERNEL_BANKS, of machine code; else NULL
	struct devmem_hit hit[EXEC_HITS]; // last allocation touched, by instruction: see exec_hit
	struct warp **warp;
	uint32_t n_warp;
	uint32_t live_threads;
	struct exec_barrier barrier[EXEC_BARRIERS];
	struct grid_block *launches; // NULL until it launches
	uint16_t *last_error;        // cudaGetLastError of each thread, NULL until there is an error
	// The kernel whose address a thread has. False if there is none; why one can't be executed goes to d.
	bool (*kernel_at)(const struct exec_cta *c, uint64_t address, struct kernel_found *k, struct diag *d);

	// Not for bodies
	const struct exec_engine *engine;
	struct kernel_counts *counts; // of its SM
	struct inst_log_sm *log;      // of its SM; NULL: nobody asks
	struct exec_checked *check;   // what is noted of it by who checks; NULL: nobody does
	bool looked_at;               // there is a log, or somebody checks
	uint32_t idle;                // calls of engine->run in a row, over all warps, in which nothing was executed
	bool opened;                  // a barrier has opened since this was cleared
	bool at_children;             // lanes wait for the grids that the block launched
	uint32_t meetings, met;       // of all blocks of the grid: to how many this one has come, and its threads in the next (grid_sync.c)
};

struct warp {
	uint8_t *fp;              // rows of the running function
	struct exec_cta *cta;
	uint8_t *local;           // local memory of the warp: word i of lane l is ((uint32_t *)local)[i * WARP + l]
	uint32_t id;              // warp number in the CTA
	uint32_t fault;           // enum fault_kind once something went wrong; ends the run
	uint32_t live;            // lanes that have not exited
	uint32_t active;          // lanes of the running split
	uint32_t cc;              // carry flags of add.cc and friends, one bit a lane
	struct fe_result *texels; // where a texture fetch lists the texels it reads; NULL: nobody asks
	uint32_t stack[WARP];     // PTX: where the local memory begins that alloca gave a lane; it grows down from local_size

	// Not for bodies
	const struct isa_inst *next; // if settled: what the next step executes; NULL if it is done or waits
	const struct uop *ahead;     // its first micro-op, with fp; as long as next is not NULL
	uint32_t exist;              // lanes that the block has threads for
	bool settled;                // engine->settle has nothing to do
	uint32_t met, met_odd;       // lanes that have come to a meeting of the grid, and whether it is the second, fourth, ... one
};

// The range cache of one instruction: kernels go from array to array, but an instruction mostly stays with one.
// Chosen by the number of the micro-op in its function (EXEC_UOP_ALIGN), so no host address matters.
static inline struct devmem_hit *exec_hit(struct warp *w, const struct uop *u)
{
	return &w->cta->hit[(uintptr_t)u / sizeof *u % EXEC_HITS];
}

// Where stores to memory that other SMs see have to go; NULL: to their place.
static inline struct effects *exec_effects(const struct warp *w)
{
	struct effects *s = w->cta->effects;
	return s && !s->committing ? s : NULL;
}

// Records the first fault of the launch, with kernel, thread and place, and ends the run of the warp.
void exec_fault(struct warp *w, const struct uop *u, enum fault_kind kind, unsigned lane, uint64_t addr,
                const char *fmt, ...) __attribute__((format(printf, 6, 7)));

// An access beside an allocation that passes: a warning with kernel, thread and place, once for each place.
void exec_stray(struct warp *w, const struct uop *u, unsigned lane, bool write, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

#endif
