// The seam between "what instructions mean" and "what they cost". A front end owns pc, masks and reconvergence; a core
// (or the functional driver) decides which warp goes next and calls execute.
#ifndef ISA_FRONTEND_H
#define ISA_FRONTEND_H

#include "isa/kernel.h"
#include "isa/effects.h"

#include <stdio.h>

struct fe_cta; // a resident CTA, owned by the front end

enum fe_status {
	FE_OK,      // may go on
	FE_YIELD,   // may go on, but is polling or used up its budget: let others run first
	FE_CLOCK,   // the same, but what it polls is a clock: nothing but time will change what it does
	FE_BARRIER, // waits for other warps of its CTA
	FE_PENDING, // put off until the end of the cycle (isa/effects.h): finish carries it out and says what comes of it
	FE_DONE,    // all lanes have exited
	FE_FAULT,   // launch->fault says why
};

// One access of one warp instruction: lanes touch `bytes` bytes each. space is resolved: never SPACE_GENERIC (lanes of
// a generic access that go to different spaces make several accesses). addr is a device address for SPACE_GLOBAL and
// SPACE_TEX (host pages that the program registered: their deterministic stand-in), a byte offset into the CTA's shared
// memory, with the rank of the CTA in the cluster from bit 24 on for SPACE_CLUSTER, into the thread's local memory (lane by lane the
// same offset for the same variable), into the kernel's
// parameters (SPACE_PARAM); SPACE_CONST: a device address. A texture fetch makes one access for each texel of a lane, and
// a matrix that a warp loads or stores together several by all of its lanes.
struct fe_access {
	uint8_t space;   // enum isa_space
	uint8_t bytes;
	bool write, atomic;
	uint32_t mask;
	uint64_t addr[32];
};

enum { FE_MAX_ACCESS = 8, FE_MAX_COPY = 32 };

// A copy that goes on beside the warp that started it. The front end has moved the bytes already; a core says when the copy is
// complete.
enum fe_copy_kind {
	FE_COPY_LOAD,     // global to shared memory, of one CTA or several of the cluster
	FE_COPY_STORE,    // shared to global memory
	FE_COPY_REDUCE,   // the same, with an atomic operation on each element
	FE_COPY_REMOTE,   // shared memory to that of another CTA of the cluster
	FE_COPY_PREFETCH, // global memory into L2
};

// Bytes side by side in global memory, in the order in which a copy asks for them.
struct fe_piece {
	uint64_t address;
	uint32_t bytes;
};

struct fe_copy {
	uint8_t kind;                // enum fe_copy_kind
	bool grouped;                // it belongs to the open bulk group of its warp
	bool elsewhere;              // its completion is seen by other CTAs than the own one
	uint8_t ctas;                // that get the bytes
	uint32_t bytes;              // in the shared memory of each of them
	uint64_t map;                // timing address of its tensor map, 0 none
	const struct fe_piece *piece; // until it is complete; timing addresses
	uint32_t n_piece;
	uint32_t token;              // what copy_done is told
	uint16_t ranks;              // of the CTAs that get the bytes, a bit each; 0: the own one
	uint32_t mbarrier;           // that learns of it, offset in each of them; UINT32_MAX: none
};

// Where an instruction stands in the user's files. The names live as long as the code.
struct fe_place {
	const char *function, *file; // file: of the code itself (PTX)
	const char *source;          // NULL: unknown
	uint32_t line, source_line;  // 0: unknown
	const char *call_source;     // the line of an inlined function: where that is called; NULL: it is of none
	uint32_t call_line;
	uint64_t function_pc;        // isa_inst.pc of the function's first instruction
	char text[192];              // the instruction
};

struct fe_result {
	enum fe_status status;
	const struct isa_inst *inst; // what was executed
	uint32_t active;             // lanes of the group that ran
	uint32_t mask;               // of them, lanes for which the guard held
	bool wakes;                  // other warps of the CTA may go on that could not
	bool wakes_cluster;          // warps of other CTAs of its cluster may go on
	bool ordered;                // like isa_inst.ordered, of this execution: it reaches other CTAs of the cluster
	uint32_t n_access;           // 0 if the instruction faulted
	uint32_t n_copy;             // copies that it started, a lane each at most
	struct fe_access access[FE_MAX_ACCESS];
	struct fe_copy copy[FE_MAX_COPY];
};

// True if what the instruction does depends on what other SMs do in the same cycle (isa_inst.ordered, fe_result.ordered): some lane
// executes it, and it is no atomic on the CTA's own shared memory alone.
static inline bool fe_is_ordered(const struct fe_result *r)
{
	if (!r->inst || !(r->inst->ordered | r->ordered) || !r->mask)
		return false;
	for (uint32_t k = 0; k < r->n_access; k++)
		if (r->access[k].space != SPACE_SHARED)
			return true;
	return !r->n_access;
}

enum { FE_BLOCK = 1, FE_AGAIN = 2 };

// Lanes in a mask. Most masks are full, and plain x86-64 has no instruction that counts bits (a call cost 15 % of a run of
// fma).
static inline unsigned fe_lanes(uint32_t m)
{
	if (m == UINT32_MAX)
		return 32;
	m -= m >> 1 & 0x55555555;
	m = (m & 0x33333333) + (m >> 2 & 0x33333333);
	return ((m + (m >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

// What a CTA is told of the SM that it runs on.
struct fe_sm {
	uint32_t id;
	struct effects *effects;      // NULL: everything takes effect at once
	struct kernel_counts *counts; // what its instructions are added to
	bool clean;                   // what a program may read without having written it is zero; else as it was left in the slot
};

// Every member must be there but those that are called optional, which say what their absence means.
struct frontend_ops {
	const char *name;
	uint32_t inst_bytes; // of every instruction, a power of two: pc goes up by it

	// Optional: this front end knows the way ahead, that is what a warp will execute. Returns how many instructions that
	// still is, whatever the warp waits for, and the pc of the first; 0 at the end. A core then fetches along that path.
	// Nothing that such a front end executes depends on memory, or changes it.
	// NULL: a core fetches in order of pc and starts again where peek disagrees, so there must be an inst_at.
	uint32_t (*path)(const struct fe_cta *c, unsigned warp, uint64_t *pc);

	// Makes CTA `cta` of the launch resident on SM `sm`. `slot` < the number given to slots_new names reusable storage.
	struct fe_cta *(*cta_start)(void *slots, uint32_t slot, const uint32_t cta[3], const struct fe_sm *sm);
	bool starts_apart; // several threads may call it for different slots at once, unless instructions are logged
	// A CTA that was parked goes on, on this SM; what it is asked of its place (%smid) stays.
	void (*cta_move)(struct fe_cta *c, const struct fe_sm *sm);
	void (*cta_end)(struct fe_cta *c);
	// Optional: CTAs that have been started and not executed are a cluster; cta[i] has rank i. Before each of them is asked anything
	// else. NULL: its CTAs do not know of each other.
	void (*cluster_join)(void *slots, struct fe_cta *const cta[], unsigned n);
	unsigned (*cta_warps)(const struct fe_cta *c);

	// Storage for up to `n` resident CTAs of one launch, made as slots are first used.
	void *(*slots_new)(struct kernel_launch *launch, uint32_t n);
	void (*slots_free)(void *slots);

	// The instruction that execute would execute next; NULL when the warp is done or waits for other warps.
	const struct isa_inst *(*peek)(struct fe_cta *c, unsigned warp);

	// Optional: the lanes that would execute what peek said, guard aside. NULL: no instruction has a service
	// (isa_inst.service).
	uint32_t (*active)(struct fe_cta *c, unsigned warp);

	// Optional: a hint that peek's instruction may be executed soon. Asks the host for memory that execute will touch; it
	// changes nothing, and need not be right.
	void (*expect)(const struct fe_cta *c, unsigned warp);

	// Executes one instruction of a warp. Only execute of some warp of the CTA changes what peek and ready say of
	// another: a barrier opened, or lanes of the CTA exited (fe_result.wakes).
	void (*execute)(struct fe_cta *c, unsigned warp, struct fe_result *out);

	// After FE_PENDING, when the cycle has ended and before anything else is asked of the warp: carries the instruction
	// out. Sets out->status only. NULL if execute never answers FE_PENDING.
	void (*finish)(struct fe_cta *c, unsigned warp, struct fe_result *out);

	// A copy of the CTA is complete: mbarriers are told, here or, if it said `elsewhere`, in other CTAs; warps that wait for them
	// may go on. Called while SMs are stepped only if the copy did not say `elsewhere`. FE_FAULT: launch->fault says why. NULL if
	// execute never starts any.
	enum fe_status (*copy_done)(struct fe_cta *c, uint32_t token);

	// No warp of the CTA can move. Lanes that wait at joins of their warp are let go, as a last resort before the run
	// is called a deadlock; true if some warp can move now.
	bool (*unstick)(struct fe_cta *c);

	// Optional: no warp of the CTA, nor of the cluster that it is in, will ever do anything but wait, or ask again and again for what
	// will not come, as the front end knows. NULL: it never knows.
	bool (*hopeless)(const struct fe_cta *c);

	// Optional: time has passed. Warps that wait for a limited time and have done so go on: `ready` tells which.
	void (*expire)(struct fe_cta *c);

	// Executes up to `budget` instructions of a warp, counting into fe_sm.counts; *used tells how many. With FE_OK it
	// may be fewer, even none, when the other warps should have a turn first; they are called once before this one again.
	enum fe_status (*run)(struct fe_cta *c, unsigned warp, uint64_t budget, uint64_t *used);

	// Static facts of the launch, for a core that sizes its tables: one more than the largest register number of any
	// instruction the kernel may execute. code: launch->code.
	uint32_t (*register_count)(const void *code);

	// Optional: this front end knows its code before it runs. The instruction at byte address pc of the kernel's code, a
	// multiple of inst_bytes, the same that peek gives; NULL past the end of its function. Without it instructions are met
	// as warps come to them.
	const struct isa_inst *(*inst_at)(const void *code, uint64_t pc);

	// Optional: the i-th of the instructions that peek may give and inst_at does not, in the order in which the front end met
	// them; NULL: there are no more so far. Those that a CTA may execute have been met when its cta_start returns.
	const struct isa_inst *(*met)(const void *code, uint32_t i);

	// Optional, beside inst_at: where basic blocks begin, *n bytes, one per instruction in order of pc, to be freed with
	// mem_free. FE_BLOCK if one begins there, and FE_AGAIN if a warp may run it more than once. NULL: a core that goes by
	// control bits takes those that instructions carry, and waits as with a scoreboard where they carry none.
	uint8_t *(*block_starts)(const void *code, uint32_t *n);

	// Optional: CTAs of the launch may run in a batch (isa/claims.h): `run` lets them do nothing that others see but load and
	// store global memory, which asks the claims, and what makes these fail. And with fe_sm.clean nothing that they do depends
	// on what their slots were used for before. NULL: of no launch.
	bool (*apart)(const struct kernel_launch *launch);

	// Optional: the kernel may launch kernels, as its code says. NULL: none of this front end can. code: launch->code.
	bool (*launches)(const void *code);

	// True if the warp could run now (a barrier it waited for may have opened).
	bool (*ready)(const struct fe_cta *c, unsigned warp);

	// What each group of lanes of a warp that is not done waits for and where, "; " between them. For deadlock reports.
	void (*describe)(const struct fe_cta *c, unsigned warp, char *buf, size_t len);

	// For people who look inside. `inst` is one of the code's.
	void (*place)(const void *code, const struct isa_inst *inst, struct fe_place *out);
	void (*register_name)(const void *code, const struct isa_inst *inst, unsigned reg, char *buf, size_t len);
	// Block of the grid, groups of lanes with what they wait for, and the registers that are in use, line by line.
	void (*dump)(const struct fe_cta *c, unsigned warp, void (*put)(void *ctx, const char *text), void *ctx);
	void (*cta_position)(const struct fe_cta *c, uint32_t out[3]);
	// The control-flow graph of every function of the kernel, as text or as a DOT file.
	void (*write_flow)(const void *code, bool dot, FILE *to);
};

#endif
