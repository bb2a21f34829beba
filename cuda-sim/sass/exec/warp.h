// A warp that executes machine code: groups of lanes, each with a pc of its own, and what they wait for.
//
// Lanes part at branches and meet where the code says so: BSSY notes in a B register which lanes are to meet, BSYNC holds each
// group until all of them that have not exited have come, WARPSYNC does the same for lanes that a register names. A B register
// is a row: each lane has the set of lanes that it is to meet, so that groups which have parted can use the same register.
//
// Invariants: the masks of groups are disjoint and together are warp.live. The last group that can run, runs.
#ifndef CUDA_SIM_SASS_EXEC_WARP_H
#define CUDA_SIM_SASS_EXEC_WARP_H

#include "base/assert.h"
#include "cuda-sim/exec/inst_log.h"
#include "cuda-sim/exec/spin.h"
#include "cuda-sim/exec/warp.h"
#include "cuda-sim/sass/exec/code.h"

#include <stdio.h>

enum sx_state { SX_RUNS, SX_AT_BSYNC, SX_AT_WARPSYNC, SX_AT_BARRIER, SX_AT_CHILDREN };

enum { SX_FRESH = HEDDLE_LIMIT(4, 64) }; // instructions of a warp after a barrier in which it stays close to the others

struct sx_group {
	uint32_t pc;     // micro-op
	uint32_t mask;
	uint8_t state;   // enum sx_state
	uint8_t barrier; // SX_AT_BARRIER: which
};

struct sx_warp {
	_Alignas(64) struct warp w;   // first: bodies see only this
	const struct isa_inst *next;  // if settled: what the next step executes; NULL if it is done or waits
	const struct uop *ahead;      // its first micro-op
	struct sx_cta *cta;
	uint32_t n_group;
	bool settled;
	bool held;                    // its last turn ended before an instruction that other warps can see
	uint32_t fresh;               // instructions until a barrier that has let lanes go on is long past
	uint32_t thread_mask;         // lanes that exist
	uint32_t polls;               // polling instructions since the last yield
	uint32_t lonely;              // polls since some lanes last met
	uint64_t since;               // instructions since the running group was chosen
	struct sx_group group[WARP];  // the last one runs
	struct exec_spin spin;
};

struct sx_cta {
	struct exec_cta x; // first
	const struct sass_kernel *kernel;
	struct sx_slots *slots;
	struct kernel_counts *counts;
	struct inst_log_sm *log; // of its SM; NULL: nobody asks
	const uint16_t *op;      // with a log: numbers of the opcodes
	struct sx_warp *warp;
	uint32_t idle;     // calls of sx_run in a row, over all warps, in which nothing was executed
	bool opened;       // a barrier has opened since this was cleared
	bool at_children;  // lanes wait for the grids that the block launched
};

// group.c
void sx_reset(struct sx_warp *w);
enum fe_status sx_run(struct sx_warp *w, uint64_t budget, struct kernel_counts *counts, uint64_t *used);
// Does what happens between two instructions, so that the next one is certain: w->next.
void sx_settle(struct sx_warp *w);
// The lanes that are to execute w->next, and those of them for which its guard holds.
void sx_next(const struct sx_warp *w, uint32_t *active, uint32_t *mask);
enum fe_status sx_step(struct sx_warp *w, struct kernel_counts *counts);
// No warp of the CTA can move: lanes that wait for others of their warp are let go. False if none do.
bool sx_unstick(struct sx_cta *c);
void sx_describe(const struct sx_warp *w, char *buf, size_t len);

// flow.c: the blocks of the kernel and where each goes on, as text or as a DOT file.
void sx_write_flow(const struct sass_kernel *k, bool dot, FILE *f);

// place.c: frontend_ops.place.
void sx_place(const void *code, const struct isa_inst *inst, struct fe_place *out);

// log.c
extern const struct inst_log_ops sx_log_ops;
uint16_t *sx_log_ops_of(const struct sass_kernel *k); // by instruction: what sx_log_ops calls the opcode
// The lanes `active` are about to execute the instruction whose first micro-op is `pc`; its guard holds for `mask`.
void sx_log_step(const struct sx_warp *w, uint32_t pc, uint32_t active, uint32_t mask);

// barrier.c
// Lanes arrive; true if they must wait.
bool sx_barrier_arrive(struct sx_warp *w, struct sx_group *g, const struct uop *u, uint32_t mask);
void sx_barrier_recheck(struct sx_cta *c); // lanes have exited
bool sx_barrier_children(struct sx_cta *c);

// rows.c
// The bank that a launch makes: what the hardware tells, then parameters, then handles of texture references. `to` has room for
// the image's bank 0.
void sx_fill_bank0(uint8_t *to, const struct kernel_launch *l, const struct sass_image *m, uint32_t local_size);
// Where the lanes of a memory instruction go, as its registers are now.
void sx_addresses(const struct sx_warp *w, const struct sx_access *from, uint64_t *restrict addr);
void sx_fill_rows(struct sx_warp *w, enum sx_init_group group);

#endif
