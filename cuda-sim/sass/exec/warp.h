// A warp that executes machine code: groups of lanes, each with a pc of its own, and what they wait for.
//
// Lanes part at branches and meet where the code says so: BSSY notes in a B register which lanes are to meet, BSYNC holds each
// group until all of them that have not exited have come, WARPSYNC does the same for lanes that a register names. A B register
// is a row: each lane has the set of lanes that it is to meet, so that groups which have parted can use the same register.
//
// Invariants: the masks of groups are disjoint and together are warp.live. The last group that can run, runs.
#ifndef CUDA_SIM_SASS_EXEC_WARP_H
#define CUDA_SIM_SASS_EXEC_WARP_H

#include "cuda-sim/exec/engine.h"
#include "cuda-sim/exec/inst_log.h"
#include "cuda-sim/exec/turn.h"
#include "cuda-sim/sass/exec/code.h"

#include <stdio.h>

enum sx_state { SX_RUNS, SX_AT_BSYNC, SX_AT_WARPSYNC, SX_AT_BARRIER, SX_AT_MBARRIER };

enum { SX_FRESH = HEDDLE_LIMIT(4, 64) }; // instructions of a warp after a barrier in which it stays close to the others

struct sx_group {
	uint32_t pc;     // micro-op
	uint32_t mask;
	uint8_t state;   // enum sx_state
	uint8_t barrier; // SX_AT_BARRIER: which, or EXEC_CHILDREN
};

struct sx_warp {
	_Alignas(64) struct warp w;   // first: bodies see only this
	struct sx_cta *cta;
	uint32_t n_group;
	bool held;                    // its last turn ended before an instruction that other warps can see
	uint32_t fresh;               // instructions until a barrier that has let lanes go on is long past
	struct sx_group group[WARP];  // the last one runs
	struct exec_turn turn;        // of the running group
};

struct sx_cta {
	struct exec_cta x; // first
	const struct sass_kernel *kernel;
	const uint16_t *op; // with a log: numbers of the opcodes
};

// group.c: all lanes that exist go to the kernel's first instruction; the rest is as exec_engine says.
void sx_reset(struct sx_warp *w);
void sx_settle(struct warp *w);
enum exec_list sx_next(struct warp *w, uint32_t *active, uint32_t *mask);
enum fe_status sx_step(struct warp *w);
enum fe_status sx_run(struct warp *w, uint64_t budget, uint64_t *used);
bool sx_let_go(struct exec_cta *c);

// flow.c: the blocks of the kernel and where each goes on, as text or as a DOT file.
void sx_write_flow(const struct sass_kernel *k, bool dot, FILE *f);

// place.c: frontend_ops.place.
void sx_place(const void *code, const struct isa_inst *inst, struct fe_place *out);

// log.c
extern const struct inst_log_ops sx_log_ops;
uint16_t *sx_log_ops_of(const struct sass_kernel *k); // by instruction: what sx_log_ops calls the opcode
// The lanes `active` are about to execute the instruction whose first micro-op is `pc`; its guard holds for `mask`.
void sx_log_step(const struct sx_warp *w, uint32_t pc, uint32_t active, uint32_t mask);

// check.c. The same for who checks (exec/checker.h). May end the kernel.
void sx_check(struct sx_warp *w, uint32_t pc, uint32_t mask);

// barrier.c
// Lanes arrive; their group is SX_AT_BARRIER if they must wait.
void sx_arrive(struct sx_warp *w, struct sx_group *g, const struct uop *u, uint32_t mask);
void sx_release(struct warp *w, uint32_t barrier, const struct exec_barrier *b); // see exec_engine

// tries.c
// Lanes `mask` of the running group, which stands behind `u` already, try. True if others should have a turn.
bool sx_try(struct sx_warp *w, const struct uop *u, uint32_t mask);
void sx_retry(struct warp *w);  // see exec_engine
void sx_expire(struct warp *w); // see exec_engine
bool sx_can_run(const struct warp *w);
bool sx_try_let_go(struct sx_warp *w); // the first group that waits for a phase; false if none does

// rows.c
// The bank that a launch makes: what the hardware tells, then parameters, then handles of texture references. `to` has room for
// the image's bank 0; `params`: device address of the parameters, 0 unless the code wants it.
void sx_fill_bank0(uint8_t *to, const struct kernel_launch *l, const struct sass_image *m, uint32_t local_size, uint64_t params);
// True if code reads the generic address of the parameters.
bool sx_wants_params(const struct sass_kernel *k);
// Where the lanes of a memory instruction go, as its registers are now.
void sx_addresses(const struct sx_warp *w, const struct sx_access *from, uint64_t *restrict addr);
void sx_fill_rows(struct sx_warp *w);           // those of a launch
void sx_fill_block_rows(const struct sx_cta *c); // those of a block, which all of its warps have alike

#endif
