// Who checks kernels while they run (cuda-sim/check/) is told here what warps are about to do. Front ends call exec_check_...
// while exec_cta.check is not NULL; nobody else pays for it.
#ifndef CUDA_SIM_EXEC_CHECKER_H
#define CUDA_SIM_EXEC_CHECKER_H

#include "cuda-sim/exec/group.h"
#include "cuda-sim/exec/warp.h"

// An access by lanes of a warp, to memory of one space.
struct exec_touch {
	const struct isa_inst *inst;
	uint8_t space;            // SPACE_GLOBAL, SPACE_SHARED, SPACE_CLUSTER or SPACE_LOCAL
	uint8_t bytes;            // of each lane
	bool write, atomic;       // an atomic reads too
	bool swaps;               // it is a compare-and-swap
	bool strong;              // volatile, or ordered by its semantics: meant to meet others
	uint32_t mask;
	// Device addresses, or offsets into shared or local memory, of SPACE_CLUSTER into that of another CTA. Lanes outside the mask have that of the first one inside.
	_Alignas(64) uint64_t addr[WARP];
	// What a store stores: rows of `row_bytes` bytes a lane, one after the other; n_row 0: not known.
	const uint8_t *row[4];
	uint8_t n_row, row_bytes;
};

// The last instructions of a warp: what it executes now, and what it executed last that neither jumps nor ends.
struct exec_trail {
	const struct isa_inst *now, *last;
	uint32_t last_lanes;
	uint32_t live; // lanes that had not exited before `now`
};

// How an instruction uses a register that a product of a warp group adds up in or takes a part of A from. A value that a move hands
// on was written where it was computed: compilers put moves wherever they like.
enum exec_register_use {
	EXEC_REGISTER_READ, EXEC_REGISTER_WRITTEN,
	EXEC_REGISTER_COPIED,                      // written by a move from another register of these
	EXEC_REGISTER_SET,                         // written by a move of a constant, or of something else that is no such register
	EXEC_REGISTER_FACTOR, EXEC_REGISTER_SUM,   // by a product
};

struct exec_register {
	uint8_t use;           // enum exec_register_use
	uint32_t number, from; // EXEC_REGISTER_COPIED: where it was
	const char *name;      // "%f3"
};

// What an instruction does with them. Registers that its warp has under the same number are the same ones.
struct exec_registers {
	const struct exec_register *at;
	unsigned n;
};

struct exec_checker {
	// The storage of a CTA: sets c->check, and gives it back.
	void (*cta_new)(struct exec_checker *k, struct exec_cta *c);
	void (*cta_free)(struct exec_cta *c);
	void (*cta_start)(struct exec_cta *c);
	void (*cta_end)(struct exec_cta *c);

	// May end the kernel by exec_fault; u is the instruction's first micro-op.
	void (*touch)(struct warp *w, const struct uop *u, const struct exec_touch *t);
	// Lanes of the warp have exited since its last instruction, or with it: all of t->live that are not live any more.
	void (*exited)(struct warp *w, const struct exec_trail *t);
	// Lanes come to a __syncwarp. members: the lanes that each of them names; NULL: those that are here.
	void (*warpsync)(struct warp *w, uint32_t mask, const uint32_t *members);
	// Lanes come to a barrier of their CTA, or at EXEC_AT_CLUSTER to that of the cluster, which has taken them in already. aligned: see
	// UOP_ALIGNED.
	void (*arrive)(struct warp *w, uint32_t mask, uint32_t id, bool waits, bool aligned);
	void (*open)(struct exec_cta *c, uint32_t id); // before those that wait go on
	// proxy: one that orders what goes by the asynchronous proxy behind what the lanes did before
	void (*fence)(struct warp *w, uint32_t mask, bool proxy);
	// A lane starts an asynchronous copy that reads or writes shared memory of its CTA.
	void (*proxied)(struct warp *w, unsigned lane, uint32_t at, uint32_t bytes, bool write);
	// Lanes have arrived at mbarriers, or have seen their phases complete: each at its offset in shared memory.
	void (*signalled)(struct warp *w, uint32_t mask, const uint32_t *at);
	void (*awaited)(struct warp *w, uint32_t mask, const uint32_t *at);
	// Lanes come to such an instruction. keep: groups of products that may stay under way, or registers
	void (*group)(struct warp *w, enum exec_group_op op, uint32_t keep);
	// Lanes execute an instruction that uses registers of products.
	void (*registers)(struct warp *w, uint32_t mask, const struct exec_registers *r);
	// A call that the simulator answers reads or writes for a lane, at a generic address.
	void (*moved)(struct warp *w, unsigned lane, uint64_t addr, size_t n, bool write);
	// The kernel is about to end for it. text: in words.
	void (*fault)(struct warp *w, enum fault_kind kind, unsigned lane, uint64_t addr, const char *text);
};

// The head of what a checker keeps of a CTA.
struct exec_checked {
	struct exec_checker *by;
	struct exec_trail trail[WARP]; // by warp
};

static inline void exec_check_trail(struct warp *w, const struct isa_inst *inst, uint32_t mask)
{
	struct exec_trail *t = &w->cta->check->trail[w->id];
	if (t->live != w->live) {
		w->cta->check->by->exited(w, t);
		t->live = w->live;
	}
	t->now = inst;
	if (inst->cls != ISA_BRANCH && inst->cls != ISA_RET && inst->cls != ISA_EXIT && inst->cls != ISA_NOP) {
		t->last = inst;
		t->last_lanes = mask;
	}
}

// True if somebody who checks wants to know more of such an instruction.
static inline bool exec_check_wants(const struct isa_inst *inst)
{
	const uint64_t wanted = (uint64_t)1 << ISA_LOAD | (uint64_t)1 << ISA_STORE | (uint64_t)1 << ISA_ATOMIC | (uint64_t)1 << ISA_BARRIER |
	                        (uint64_t)1 << ISA_FENCE | (uint64_t)1 << ISA_NOP;
	return wanted >> inst->cls & 1;
}

// Begins the note of an access by an instruction: all that the instruction itself says. False if the lanes of such a list of addresses
// touch no memory that is checked. `strong`, `swaps`, the addresses and what a store stores are left to the front end.
static inline bool exec_check_begin(struct exec_touch *t, const struct isa_inst *inst, uint32_t mask, enum exec_list how)
{
	if (how != EXEC_LIST_DEVICE && how != EXEC_LIST_GENERIC && how != EXEC_LIST_OFFSET)
		return false;
	t->inst = inst;
	t->space = inst->space;
	t->bytes = inst->bytes;
	t->write = inst->cls != ISA_LOAD;
	t->atomic = inst->cls == ISA_ATOMIC;
	t->mask = isa_address_lanes(inst, mask);
	t->n_row = 0;
	return true;
}

// Tells of an access whose addresses are listed as `how` says, in t->addr; t->space is the instruction's. Lanes of a generic
// access go where their address lies.
void exec_check_touch(struct warp *w, const struct uop *u, struct exec_touch *t, enum exec_list how);

#endif
