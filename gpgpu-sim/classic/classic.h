// The classic core, GPGPU-Sim's: fetch into instruction buffers, schedulers and a scoreboard, an operand collector, execution
// units, a load/store unit. Model of shader_core_ctx.
//
// Who can issue is kept up to date by events (decode, write-back, barrier) instead of being looked for in every cycle.
#ifndef GPGPU_SIM_CLASSIC_CLASSIC_H
#define GPGPU_SIM_CLASSIC_CLASSIC_H

#include "gpgpu-sim/classic/exec_unit.h"
#include "gpgpu-sim/classic/ldst_unit.h"
#include "gpgpu-sim/classic/opcoll.h"
#include "gpgpu-sim/classic/sched.h"
#include "gpgpu-sim/sm/sm.h"

enum { CLASSIC_IBUFFER = 2 }; // instructions

struct classic_warp {
	uint64_t fetch_pc;     // where fetch goes on
	uint64_t ib_pc;        // pc of the first instruction in the buffer
	uint8_t ib_n;          // instructions in the buffer
	uint8_t wants;         // pipe in whose classic.wants it stands, while it is ready
	uint8_t sched;         // its scheduler
	uint8_t inst_bytes;    // of its kernel
	bool follows_path;     // fetch is told the way of the warp: what its buffer holds comes next
	uint16_t blocker;      // register that will be written and keeps its next instruction from being ready; 0: none does
	uint8_t blocked_at;    // its number among those of that instruction
	uint64_t *longop;      // registers that long operations will write, as sm_warp.reg; NULL: not tracked
};

// What every cycle looks at comes first.
struct classic {
	// Sets of warp slots
	_Alignas(64) uint64_t ib_empty;
	uint64_t imiss;        // waits for the instruction cache
	uint64_t ready;        // next instruction's registers are free
	uint64_t mismatch;     // the buffer does not hold what comes next
	uint64_t outside;      // the first instruction in the buffer reaches out of the SM (sm_reaches_out), or may

	// Sets of schedulers
	uint32_t schedulers;   // all
	uint32_t look;         // that may find something else than in their last turn, see classic_look
	uint32_t look_always;  // in every cycle
	uint32_t pipe_full;    // that found in their last turn that pipes have no room
	uint32_t issue_turn;   // scheduler that goes first

	uint32_t issued, collected, written; // stages of id_oc, oc_ex and ex_wb that hold something, a bit per pipe
	struct exec_units units;
	bool moved;            // in this cycle something was issued, or went through the operand collector in its last step

	// Fetch
	bool fetched;          // the fetch buffer holds an instruction address
	uint8_t fetched_warp, last_fetched;
	uint64_t fetched_pc;

	struct ldst_unit ldst;
	uint64_t wants[PIPE_N]; // the warps of `ready` whose next instruction goes to this pipe
	// What cycles count as in which a scheduler has no turn, and the cycle of the SM (sm_stats.cycles) up to which that is counted.
	uint8_t last_slot[CORE_MAX_SCHEDULERS], last_distro[CORE_MAX_SCHEDULERS];
	uint64_t counted[CORE_MAX_SCHEDULERS];
	struct opcoll opcoll;
	struct register_set ex_wb, id_oc[PIPE_N], oc_ex[PIPE_N];
	struct sched sched[CORE_MAX_SCHEDULERS];
	struct classic_warp warp[CORE_MAX_WARPS];

	uint64_t *longop_store; // of all warps
	uint32_t longop_words; // of each
};

extern const struct core_ops core_classic;

// Something that issue depends on has changed for a warp's scheduler: an instruction came to the warp's buffer or left it, a register
// was written, the warp came, left, waits or may go on. Until then, and until a pipe that was full has room, a scheduler that
// issued nothing finds what it found.
static inline void classic_look(struct classic *c, unsigned warp) { c->look |= 1u << c->warp[warp].sched; }
static inline void classic_look_all(struct classic *c) { c->look = c->schedulers; }

// scoreboard.c
void classic_refresh(struct sm *m, unsigned warp);   // after its buffer, registers or next instruction changed
void classic_reserve(struct sm *m, struct winst *w, bool longop); // its destination registers will be written, by a long operation
void classic_release(struct sm *m, struct winst *w); // they are
// fetch.c
void classic_fetch(struct sm *m, uint64_t now);      // decode and fetch, -gpgpu_inst_fetch_throughput times
void classic_drain_fetch(struct sm *m);              // takes what comes though no warp wants it
// issue.c
void classic_issue(struct sm *m);                    // all schedulers, one cycle
void classic_count_idle(struct sm *m);               // the cycles in which they had no turn, up to the last one
// Asks the host for what warps that may issue in this cycle will touch, before the cycle's other work is done.
void classic_expect_issue(const struct sm *m);
// Before it falls asleep: what its cycles count as from now on. False: a warp could issue.
bool classic_note_idle(struct sm *m);
// inspect.c, for core_ops
enum sm_wait classic_wait_of(const struct sm *m, unsigned warp);
void classic_print_wait(const struct sm *m, unsigned warp, char *buf, size_t len);
void classic_print_queues(const struct sm *m, struct lines *to);
void classic_print_pipeline(const struct sm *m, struct lines *to);

// Bank conflicts of the operand collector; 0 if the SM has another core.
static inline uint64_t classic_register_conflicts(const struct sm *m) { return m->classic ? m->classic->opcoll.conflicts : 0; }

#endif
