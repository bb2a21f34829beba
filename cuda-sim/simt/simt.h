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
#include "cuda-sim/exec/spin.h"
#include "cuda-sim/exec/warp.h"

enum {
	SIMT_NONE = -1,
	SIMT_CHILDREN = EXEC_BARRIERS, // barrier number of lanes that wait for child grids
};

enum split_state { SPLIT_RUN, SPLIT_BARRIER, SPLIT_GATHER, SPLIT_WAIT };

struct split {
	uint32_t pc;      // next micro-op; of an inner node: where it waits
	uint32_t mask;    // lanes here; of an inner node: lanes that have arrived
	uint32_t pending; // inner node: lanes still on their way
	int32_t parent, frame;
	uint8_t state;    // enum split_state; SPLIT_WAIT for inner nodes
	uint8_t barrier;  // SPLIT_BARRIER: which
	bool alone;       // executes its .sync instruction without the missing members
	const struct uop *at; // SPLIT_BARRIER: the instruction it waits in
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
	const struct isa_inst *next; // if settled: what simt_step would execute; NULL if it is done or waits
	const struct uop *ahead;   // its first micro-op, with w.fp; as long as next is not NULL
	struct simt_cta *cta;
	uint8_t *rows;             // frames, aligned to 64
	VEC(int32_t) leaf;         // the last one runs
	VEC(struct split) split;
	VEC(struct frame) frame;
	bool fresh;                // a barrier has let lanes go on since the last turn of simt_run
	bool settled;              // simt_settle has nothing to do
	bool frame_gaps;           // rows may be free between live frames
	uint32_t thread_mask;      // lanes that exist
	uint32_t polls;            // polling instructions since the last yield
	uint32_t lonely;           // polls since some lane last joined others
	uint64_t since;            // instructions since the running leaf was chosen
	size_t rows_size;
	VEC(int32_t) free_split, free_frame, frame_order; // frame_order: live ones by fp
	struct exec_spin spin;     // with the timing model
};

struct simt_cta {
	struct exec_cta x; // first
	const struct kernel_code *kernel;
	struct simt_slots *slots;
	struct kernel_counts *counts; // of its SM
	struct inst_log_sm *log;      // of its SM; NULL: nobody asks
	struct simt_warp *warp;
	uint32_t slot;
	uint32_t idle;             // calls of simt_run in a row, over all warps, in which nothing was executed
	bool opened;               // a barrier has opened since this was cleared
	bool at_children;          // lanes wait for the grids that the block launched
};

// Puts the warp at the kernel's first instruction with the lanes of thread_mask.
void simt_reset(struct simt_warp *w);

// Runs up to `budget` instructions. Counts go to `counts`; *used is what was executed.
//
// The first turn after a barrier is short and ends before the first store or atomic that other warps can see. So warps
// that a barrier lets go all read before one of them writes. Programs that lack a second barrier there run on a GPU,
// where warps stay close together.
enum fe_status simt_run(struct simt_warp *w, uint64_t budget, struct kernel_counts *counts, uint64_t *used);

// Does everything that happens between two instructions, so that the next one is certain: joins, choice of a leaf, what
// is left of the last instruction, and waiting for members. Sets w->next. Other warps of the CTA may have to be settled
// again, see simt_cta.opened.
void simt_settle(struct simt_warp *w);

// What executes w->next of a settled warp: the lanes of its group, those of them for which the guard holds, and how to
// list what it touches. Points w->w.fp at its rows. w->next must not be NULL.
const struct code_access *simt_next(struct simt_warp *w, uint32_t *active, uint32_t *mask);

// Asks the host for what simt_next and simt_step will touch of a warp.
void simt_expect(const struct simt_warp *w);

// Executes the PTX instruction w->next of a settled warp, and settles it. FE_BARRIER if w->next is NULL and the warp is
// not done.
enum fe_status simt_step(struct simt_warp *w, struct kernel_counts *counts);

// Lanes of some warp that wait at a join are let go; false if there are none.
bool simt_force_join(struct simt_cta *c);

// describe.c. What each group of lanes of the warp waits for, and where, as one line.
void simt_describe(const struct simt_warp *w, char *buf, size_t len);
// See exec_cta.place.
void simt_place(const struct warp *w, const struct uop *u, char *buf, size_t len);
void simt_free(struct simt_warp *w);

// barrier.c. Lanes of the running leaf arrive; true if they must wait (the leaf is SPLIT_BARRIER then).
bool barrier_arrive(struct simt_warp *w, int32_t leaf, const struct uop *u, uint32_t mask);
// Lanes have exited: barriers of the CTA may be complete now.
void barrier_recheck(struct simt_cta *c);

// spin.c. Executes a polling micro-op (UOP_POLL) for the lanes of mask; true if they spin: others should have a turn.
bool spin_poll(struct simt_warp *w, const struct code *code, const struct uop *u, uint32_t mask);
// The grids that lanes of the CTA wait for may be complete: then these go on. False if nobody goes on.
bool barrier_children(struct simt_cta *c);

// sreg.c. Fills a frame's initial rows of one group.
void rows_fill(struct simt_warp *w, const struct code *code, enum row_group group, uint8_t *fp, uint32_t sp);

#endif
