// SIMT execution of one warp: splits, reconvergence, calls, barriers.
//
// The lanes of a warp form a tree of splits. A leaf is a group of lanes that share a pc and an activation; an inner
// node waits at a reconvergence point for the lanes below it. A divergent branch turns a leaf into an inner node that
// waits at the branch's immediate post-dominator, with a leaf for each side. Run depth first this is the classic SIMT
// stack; but any leaf may run, and a node may let the lanes that have arrived go on alone, so lanes that wait for other
// lanes of their own warp make progress.
//
// Invariants: the masks of leaves and the arrived masks of inner nodes are disjoint and together are warp.live.
// node.pending is the union of the lanes below it. A child of node P with P's activation joins P on reaching P's pc.
#ifndef CUDA_SIM_SIMT_SIMT_H
#define CUDA_SIM_SIMT_SIMT_H

#include "cuda-sim/decode/decoded.h"
#include "cuda-sim/exec/engine.h"
#include "cuda-sim/exec/turn.h"

enum { SIMT_NONE = -1 };

enum split_state { SPLIT_RUN, SPLIT_BARRIER, SPLIT_MBARRIER, SPLIT_GATHER, SPLIT_WAIT };

struct split {
	uint32_t pc;      // next micro-op; of an inner node: where it waits
	uint32_t mask;    // lanes here; of an inner node: lanes that have arrived
	uint32_t pending; // inner node: lanes still on their way
	int32_t parent, frame;
	uint8_t state;    // enum split_state; SPLIT_WAIT for inner nodes
	uint8_t barrier;  // SPLIT_BARRIER: which, or EXEC_CHILDREN
	bool alone;       // executes its .sync instruction without the missing members
	const struct uop *at; // SPLIT_BARRIER, SPLIT_MBARRIER: the instruction it waits in
};

// One activation of a function.
struct frame {
	const struct code *code;
	uint32_t fp, sp;  // offsets into the warp's rows and local memory
	uint32_t ret_pc;
	int32_t up;
	uint32_t refs;    // splits and activations that refer to it
	const struct call_site *site;
};

// What every instruction looks at comes first, so that it takes few cache lines of the host.
struct simt_warp {
	_Alignas(64) struct warp w; // first: bodies see only this
	struct simt_cta *cta;
	uint8_t *rows;             // frames, aligned to 64
	VEC(int32_t) leaf;         // the last one runs
	VEC(struct split) split;
	VEC(struct frame) frame;
	bool fresh;                // a barrier has let lanes go on since the last turn of simt_run
	bool frame_gaps;           // rows may be free between live frames
	size_t rows_size;
	VEC(int32_t) free_split, free_frame, frame_order; // frame_order: live ones by fp
	struct exec_turn turn;     // of the running leaf
};

struct simt_cta {
	struct exec_cta x; // first
	const struct kernel_code *kernel;
};

// Puts all lanes that exist at the kernel's first instruction. The stacks of alloca are as they were at first, if the
// kernel has any.
void simt_reset(struct simt_warp *w);
void simt_reset_stack(struct simt_warp *w);

// The rest of simt.c, and simt_describe: see exec_engine.

// The first turn after a barrier is short and ends before the first store or atomic that other warps can see. So warps
// that a barrier lets go all read before one of them writes. Programs that lack a second barrier there run on a GPU,
// where warps stay close together.
enum fe_status simt_run(struct warp *w, uint64_t budget, uint64_t *used);
// Joins, chooses a leaf, executes what is left of the last instruction, and waits for members.
void simt_settle(struct warp *w);
enum exec_list simt_next(struct warp *w, uint32_t *active, uint32_t *mask);
void simt_addresses(const struct warp *w, uint64_t *restrict addr);
const struct texture_operands *simt_surface(const struct warp *w);
const struct exec_matrix *simt_matrix(const struct warp *w);
enum fe_status simt_step(struct warp *w);
bool simt_let_go(struct exec_cta *c);

// describe.c
void simt_describe(const struct warp *w, char *buf, size_t len);
// See exec_cta.place.
void simt_place(const struct warp *w, const struct uop *u, char *buf, size_t len);
void simt_free(struct simt_warp *w);

// check.c. The same for who checks (exec/checker.h). May end the kernel.
void simt_check(struct simt_warp *w, int32_t frame, uint32_t pc, uint32_t mask);

// addresses.c. Of an instruction that runs in the activation whose rows are at fp.
void simt_list_addresses(const struct warp *w, const uint8_t *fp, const struct code_access *from, uint64_t *restrict addr);

// barrier.c. Lanes of the running leaf arrive; the leaf is SPLIT_BARRIER if they must wait.
void simt_arrive(struct simt_warp *w, int32_t leaf, const struct uop *u, uint32_t mask);
void simt_release(struct warp *w, uint32_t barrier, const struct exec_barrier *b); // see exec_engine

// tries.c. What the lanes `mask` of a leaf do at a CTL_TRY, behind which the leaf is already: TRY_GOES_ON, or they wait, or their turn ends.
enum simt_try { TRY_GOES_ON, TRY_WAIT, TRY_YIELD };
enum simt_try simt_try(struct simt_warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask);
void simt_try_wait(struct simt_warp *w, int32_t leaf, const struct uop *u);
void simt_retry(struct warp *w);  // see exec_engine
void simt_expire(struct warp *w); // see exec_engine
bool simt_can_run(const struct warp *w);
// Lets the first leaf that waits for a phase go. False if none does.
bool simt_try_let_go(struct simt_warp *w);

// spin.c. Executes a polling micro-op (UOP_POLL) for the lanes of mask; true if they spin: others should have a turn.
bool spin_poll(struct simt_warp *w, const struct code *code, const struct uop *u, uint32_t mask);

// sreg.c. Fills a frame's initial rows of one group.
void rows_fill(struct simt_warp *w, const struct code *code, enum row_group group, uint8_t *fp, uint32_t sp);
// The rows of ROWS_CTA in the kernel's own frame, which is `code`, for all warps of a block: they have them alike.
void rows_fill_block(const struct exec_cta *c, const struct code *code);

#endif
