// The modern NVIDIA core: four sub-cores that issue as the compiler's control bits tell them. After Huerta et al., "Analyzing
// Modern NVIDIA GPU cores" (arXiv 2503.20481, MICRO 2025); docs/modern-sources.md says what comes from where.
//
// Stages of a sub-core: fetch and decode (front.h), Issue, Control, Allocate for fixed latencies, three cycles of operand
// read, the unit, the result queue. In a cycle they run from back to front, so an instruction moves one stage a cycle. Changes
// of dependence counters are seen from the next cycle on.
#ifndef GPGPU_SIM_MODERN_MODERN_H
#define GPGPU_SIM_MODERN_MODERN_H

#include "gpgpu-sim/modern/front.h"
#include "gpgpu-sim/modern/hazard.h"
#include "gpgpu-sim/modern/inst_table.h"
#include "gpgpu-sim/modern/mem_pipe.h"
#include "gpgpu-sim/modern/view.h"
#include "gpgpu-sim/sm/sm.h"

enum { MODERN_RING = 64, MODERN_MAX_CHANGES = 256, MODERN_DP_PLACES = 80 };

// The register-file cache: what each operand slot holds, per bank.
struct modern_rfc {
	uint16_t reg;
	uint8_t warp;
	bool valid;
};

enum { MODERN_SB_READING = ISA_N_SB };

struct modern_warp {
	uint64_t may_issue;          // first cycle after stall and yield
	uint64_t expect;             // pc of the first instruction in its buffer
	uint16_t sb[ISA_N_SB + 1];   // dependence counters; the last, MODERN_SB_READING, counts memory instructions that have not read their sources
	uint8_t busy;                // bit per one that is not 0
	bool behind_barrier;         // what issued last was one that lets it go on when MODERN_SB_READING is 0
	uint8_t hold_sb, hold_max, hold_zero; // an issued DEPBAR.LE: what it waits for; hold_sb ISA_NO_SB: none
	bool scoreboard;             // its kernel has no control bits
	const struct modern_inst *head; // of sm.warp[].next; NULL: none
	uint16_t *readers;           // scoreboard: readers of each register that have not read it yet
};

// What happens to an instruction next, at modern_winst.when.
enum modern_event { MODERN_RELEASE, MODERN_READ_DONE, MODERN_RESULT, MODERN_WRITE };

// A change of a dependence counter or scoreboard that is seen from the next cycle on.
struct modern_change {
	const struct isa_inst *released; // scoreboards: its destinations are free; sources that were read if by < 0
	uint8_t warp, sb;
	int8_t by;
};

// Linked, not rings: an instruction stands in one of them at a time, and results of variable latencies have no bound.
struct modern_queue {
	struct modern_winst *first, *last;
	uint32_t n;
};

struct modern_sub {
	// What each cycle looks at stands in the first two cache lines of the host.
	_Alignas(64) uint64_t look;  // before this cycle Issue finds what it found last; modern_look takes that back
	uint64_t ring_at;            // cycle up to which events have happened
	uint64_t ring_any;           // bit per place of ring that holds events
	struct modern_winst *far_first; // later events in their order: a shared pipe can have thousands waiting
	struct winst *control, *allocate;
	uint32_t n_results;          // in results and late
	uint32_t greedy;             // slot that issued last
	uint64_t port_free;          // first cycle in which the issue port is free

	uint64_t warps;              // slots of the SM that are its own
	uint64_t no_const;           // warps whose constant is on its way: not looked up again until a line comes
	uint64_t const_since;        // cycle of the greedy warp's constant miss; UINT64_MAX: none
	uint64_t hold_until;         // others than the greedy warp were not looked at in the last cycle, nor will be before this one
	uint32_t places[2];          // taken in the result queues from issue on: regular, uniform and predicate registers
	uint8_t last_slot;           // enum sm_slot_reason of the last cycle
	uint8_t writes[MODERN_BANKS]; // ports taken in cycle writes_at
	uint64_t writes_at;
	uint64_t reads_at;           // up to which cycle reads is cleared

	uint64_t unit_free[ISA_N_UNITS]; // first cycle in which Issue (Control for variable latencies) finds the unit free
	struct modern_queue results[2];
	struct modern_queue late;    // results of SFU and the like that wait for a write port
	struct modern_winst *far_last;
	uint8_t reads[MODERN_BANKS][MODERN_MAX_WINDOW]; // read ports taken, by cycle
	struct modern_rfc rfc[MODERN_BANKS][MODERN_MAX_SLOTS];
	struct modern_winst *ring[MODERN_RING]; // events of the next cycles: the last to be scheduled, its `next` is the first
	uint64_t dp_free;            // first cycle in which its double precision pipe takes one, unless the sub-cores share it
	uint64_t dp_last;            // first cycle in which the last stage before it is free
	uint64_t dp_entered[MODERN_DP_PLACES]; // by place in front of that stage: when the instruction that had it last entered the stage
	uint32_t dp_turn;            // place that is taken next
};

struct modern {
	const struct modern_config *cfg;
	struct modern_front *front;
	const struct front_sets *buffers; // the front end's
	struct modern_memory_unit *mem;
	struct modern_sub sub[MODERN_SUBCORES];
	struct modern_warp warp[CORE_MAX_WARPS];
	// By warp slot: whether its head's dependences were looked at since they last changed, whether they hold it back,
	// whether it goes to the memory unit, and outside the SM (modern_inst.outside).
	uint64_t dependences_known, held_back, memory_head, outside_head;
	struct modern_change change[MODERN_MAX_CHANGES];
	uint32_t n_change;
	uint64_t fence_until;        // issue ports blocked by a fence
	uint64_t dp_free;            // the shared double precision pipe
	uint64_t next;               // first cycle in which anything can happen
	uint16_t *readers;           // of all warps, n_registers each
	uint32_t n_registers;
	struct hazards *hazards;     // NULL: control bits are not checked
	struct modern_lines *lines;  // of the pipeline view; NULL: never on
	struct modern_stats stats;
};

extern const struct core_ops core_modern;

void modern_refresh(struct sm *m, unsigned warp); // core_ops.refresh
// Something that Issue depends on has changed for a sub-core, but for its own issuing: an instruction came to a buffer, left Control,
// was written, a dependence went, a warp came, left or may go on, a place in the memory unit is free.
static inline void modern_look(struct modern *u, unsigned subcore) { u->sub[subcore].look = 0; }
static inline void modern_look_all(struct modern *u)
{
	for (unsigned i = 0; i < MODERN_SUBCORES; i++)
		u->sub[i].look = 0;
}
// For the front end: a line has come to its L0 for constants.
static inline void modern_constant_comes(struct modern *u, unsigned subcore)
{
	u->sub[subcore].no_const = 0;
	modern_look(u, subcore);
}

// For the memory pipeline and other variable latencies, in this order for each instruction:
void modern_sources_read(struct sm *m, struct winst *w); // sources may be overwritten from the next cycle on
// The result goes to the sub-core's register file over its write ports: one register of each bank a cycle for units shared by
// the sub-cores. False: a port is taken in this cycle, try again. True: written, seen from the next cycle on.
bool modern_write(struct sm *m, struct winst *w);
void modern_done(struct sm *m, struct winst *w);         // it has left: counted and freed

// Between the parts of the core, from below: depend.c, regfile.c
bool depend_ready(const struct sm *m, unsigned warp, const struct modern_inst *i);
void depend_issue(struct sm *m, struct winst *w);        // at issue: scoreboards
void depend_control(struct sm *m, struct winst *w);      // in Control: dependence counters go up
void depend_released(struct sm *m, struct winst *w);     // the result can be used: scoreboards
void depend_written(struct sm *m, struct winst *w);      // the result is written: the write counter goes down
void depend_apply(struct sm *m);                         // at the end of a cycle
bool regfile_allocate(struct sm *m, struct modern_sub *s, struct winst *w); // reserves read ports
bool regfile_take_write(struct sm *m, struct modern_sub *s, struct winst *w, uint64_t now);
// back.c: what happens behind Issue, before the sub-core issues in the cycle
void back_tick(struct sm *m, struct modern_sub *s);
// It has something to do in this cycle.
static inline bool back_works(const struct modern_sub *s, uint64_t now)
{
	return s->control || s->allocate || s->n_results || s->ring_any >> now % MODERN_RING & 1 ||
	       (s->far_first && s->far_first->when == now);
}
uint64_t back_next(const struct modern_sub *s, uint64_t now); // first cycle after `now` in which it can do something; Control aside
uint64_t back_control_until(const struct sm *m, const struct modern_sub *s); // first cycle in which Control hands on an instruction of variable latency
// issue.c
void modern_issue(struct sm *m, unsigned subcore);       // one cycle
unsigned modern_distro(enum sm_slot_reason why);         // column of the Warp Occupancy Distribution: W0_Idle, W0_Scoreboard, Stall
void modern_note_idle(struct sm *m);                     // what cycles count as until modern.next
// If Issue finds nothing in cycle `from` (this one, or the next) and nothing happens to the sub-core: the first cycle, from it on, in which it
// would find something, or another reason why it does not. UINT64_MAX: never.
uint64_t modern_issue_next(struct sm *m, unsigned subcore, uint64_t from);
// inspect.c, for core_ops
enum sm_wait modern_wait_of(const struct sm *m, unsigned warp);
void modern_print_wait(const struct sm *m, unsigned warp, char *buf, size_t len);
void modern_print_queues(const struct sm *m, struct lines *to);
void modern_print_pipeline(const struct sm *m, struct lines *to);

#endif
