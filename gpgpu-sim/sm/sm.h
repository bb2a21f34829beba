// A streaming multiprocessor without its core: CTAs, warps and what they wait for, the instructions in flight, L1 caches,
// statistics. What happens in a cycle is the core's, see core_ops.h.
//
// Sets of warps are bits of a uint64_t, kept up to date by events (write-back, barrier, answer) instead of being looked for
// in every cycle. An SM in which nothing can move sleeps: its owner does not call sm_tick until something arrives or,
// with at_network, the network may have room. sm_tick makes up for the cycles slept, all of which were like the last one.
#ifndef GPGPU_SIM_SM_SM_H
#define GPGPU_SIM_SM_SM_H

#include "base/vec.h"
#include "gpgpu-sim/memory/memory_stats.h"
#include "gpgpu-sim/sm/away.h"
#include "gpgpu-sim/sm/coalesce.h"
#include "gpgpu-sim/sm/core_ops.h"
#include "gpgpu-sim/sm/ldst.h"
#include "gpgpu-sim/sm/products.h"
#include "isa/frontend.h"

// A CTA whose warps all wait for kernels that it launched. It leaves its SM meanwhile, as on hardware.
struct parked_cta {
	struct fe_cta *fe;
	uint32_t fe_slot, threads_left;
	uint32_t cluster; // see sm_cta
	uint64_t warps; // of the CTA, those that are not done
	bool ready;     // may go on
};

// A kernel on the GPU. The GPU owns it; SMs take CTAs from it.
struct kernel_run {
	struct kernel_launch *launch;
	void *slots;             // front end's storage of CTAs
	uint32_t *free_slot;     // stack of slot numbers
	uint32_t n_free_slot;
	uint64_t next_cta, n_cta; // started, of the grid
	uint32_t running;        // CTAs on SMs
	uint32_t owing;          // warps of CTAs that have left while stores of theirs are not acknowledged
	VEC(struct parked_cta) parked;
	uint32_t n_ready;        // of them
	uint64_t latency;        // cycles until its first CTA may start
	uint64_t start_cycle, end_cycle;
	uint32_t threads, padded_threads, warps, regs, shared; // of a CTA; regs per thread
	uint32_t max_ctas;       // on an SM
	uint32_t occupancy_ctas; // what an SM could hold, and what keeps it from more: CORE_LIMIT_*
	unsigned occupancy_limits;
	struct kernel_counts *counts; // by SM; launch->counts is their sum when it has ended
	uint32_t carve_l1;       // bytes of L1D chosen for it, 0 none
	uint64_t code_base;      // timing address of its code
	uint32_t line_base;      // entry of its first instruction in sm_world.lines; 0: all count in entry 0, which is nobody's
	uint8_t line_shift;      // pc to entries behind line_base
	uint16_t stream;         // dense number
	bool selected;           // a CTA has been started
	uint64_t failed;         // from this cycle on it is known to have failed; 0: it has not, or all SMs have stopped it
	bool behind;             // the kernel in front has blocks that must make way first
	bool held;               // its CTAs fit when L1D and shared memory are split otherwise
	bool cache_set;          // the carve-out was chosen
	bool launches;           // it may launch kernels
	struct kernel_waves *waves; // estimate/waves.h; NULL: nobody asks
	struct modern_code *modern; // its instructions in the modern core; NULL: classic
};

// Nothing of the CTAs that it has started is under way, and there are no more.
static inline bool kernel_run_over(const struct kernel_run *k) { return !k->running && !k->owing && k->next_cta == k->n_cta && !k->parked.n; }

// It has a CTA that could go to an SM now.
static inline bool kernel_run_more(const struct kernel_run *k)
{
	return k && !k->failed && (k->n_ready || (k->next_cta < k->n_cta && k->n_free_slot));
}

// The entry of sm_world.lines that counts an instruction.
static inline uint32_t kernel_run_line(const struct kernel_run *k, const struct isa_inst *i) { return k->line_base + (uint32_t)(i->pc >> k->line_shift); }

struct sm_cta {
	struct fe_cta *fe;
	struct kernel_run *k;
	uint64_t warps;        // slots
	uint32_t threads_left; // 0: the slot is free
	uint32_t first_thread, fe_slot;
	uint32_t cluster;      // number of its cluster in the grid, and one; 0: it was launched without
	bool leaving;          // its CTA has gone, and no other may start here yet (sm.places)
};

// What a CTA that has gone still holds, with -cta_turnaround.
struct sm_place {
	uint32_t launch; // kernel_launch.uid of its kernel, which may be gone too
	uint64_t at;     // cycle in which another may start here
	uint64_t warps;  // slots
	uint32_t threads, shared, regs;
	uint32_t cta;    // of sm.cta
};

// A warp whose CTA has left before its stores were acknowledged, with -exit_waits_for_stores 0.
struct sm_owing {
	struct kernel_run *k;
	uint32_t acks; // to come
};

// What goes on beside a warp, in groups that it closes and waits for (enum isa_async).
enum sm_group_kind {
	SM_COPIES,     // cp.async, LDGSTS
	SM_BULK,       // bulk copies without an mbarrier
	SM_BULK_READS, // the same until their sources have been read
	SM_PRODUCTS,   // of warp groups
	SM_N_GROUP_KINDS
};

// Groups that are told apart; one that far back counts as the newer one.
enum { SM_ASYNC_GROUPS = 16 };

struct sm_groups {
	uint32_t open;                // number of the open group
	uint32_t until;               // groups before this one must be complete; while the warp waits for them
	uint32_t n;                   // under way
	uint16_t in[SM_ASYNC_GROUPS]; // of them, by group modulo
};

// Its first cache line of the host is all that most instructions touch.
struct sm_warp {
	_Alignas(64) struct fe_cta *fe;
	struct kernel_run *k;
	const struct isa_inst *next; // what the front end would execute; NULL: done or waiting
	uint64_t *reg;         // scoreboard: bit per register that will be written
	uint32_t fe_warp;
	uint32_t in_pipe;      // issued instructions that have not left their pipe
	uint32_t stores;       // without acknowledgement, with those of CTAs that had the slot before
	uint32_t atomics;      // lanes whose atomic has not come back
	uint32_t pending;      // registers that will be written
	uint32_t async;        // what goes on beside it: the warp stays until all is complete
	uint8_t cta;
	uint8_t waits_for;     // bit per sm_group_kind; while at_async
	bool served;           // the service of its next instruction is over
	uint32_t threads;
	uint64_t service_until; // cycle; while at_service
	uint64_t held_until;    // cycle; while held
	struct sm_groups groups[SM_N_GROUP_KINDS];
};

enum { SM_AGE_BUCKETS = 4096 };
// Columns of the Warp Occupancy Distribution: GPGPU-Sim's shader_cycle_distro, of which warps of n lanes follow the third.
enum { SM_DISTRO_IDLE, SM_DISTRO_SCOREBOARD, SM_DISTRO_STALL, SM_DISTRO = 3 + 32 };

// Why a scheduler issued nothing in a cycle; with the cycles in which it issued, these add up to all of its cycles.
// X(name, text)
#define SM_SLOT_REASONS(X)                                                                                       \
	X(ISSUED, "issued") X(NO_WARP, "no warp resident") X(EMPTY_BUFFER, "instruction buffers empty")          \
	X(BARRIER, "barrier, or phase of an mbarrier") X(FENCE, "fence") X(ATOMIC, "atomic") X(CONTROL, "branch flush")                   \
	X(SCOREBOARD, "scoreboard") X(PIPE_FULL, "pipe full") X(NOT_ELIGIBLE, "not considered by the policy")       \
	X(COUNTER, "dependence counters (modern core)") X(STALL, "stall count or yield (modern core)")              \
	X(CONSTANT, "constant on its way (modern core)") X(MEMORY_QUEUE, "memory queue full (modern core)")         \
	X(PORTS, "instruction held before operand read (modern core)")                                              \
	X(ASYNC, "groups of asynchronous copies or products; there if a program has any")
enum sm_slot_reason {
#define X(name, text) SM_SLOT_##name,
	SM_SLOT_REASONS(X)
#undef X
	SM_N_SLOT_REASONS
};

struct sm_stats {
	uint64_t cycles;                        // in which the SM was active
	uint64_t warps;                         // occupancy: resident warps, summed over those cycles
	uint64_t distro[SM_DISTRO];             // Warp Occupancy Distribution: W0_Idle, W0_Scoreboard, Stall, W1 ..
	uint64_t single_issue[CORE_MAX_SCHEDULERS], dual_issue[CORE_MAX_SCHEDULERS];
	uint64_t slot[CORE_MAX_SCHEDULERS][SM_N_SLOT_REASONS];
	uint64_t thread_insts, warp_insts;      // completed
	uint64_t ctas;
	uint64_t n_load, n_store, n_shared, n_tex, n_const, n_param; // thread instructions
	uint64_t mem_read[2], mem_write[2];     // requests into the network: global, local
	uint64_t mem_tex, mem_const, mem_inst;
	uint64_t stall_mem, stall[LDST_N_KINDS][LDST_N_STALLS];
	uint64_t shared_conflicts, l1_conflicts, const_conflicts;
	uint64_t unit_issued[PIPE_N];
	uint64_t issued_by_slot[CORE_MAX_WARPS]; // instructions
	uint64_t out_type[MEM_N_ACCESS_TYPES], in_type[MEM_N_ACCESS_TYPES]; // packets
	uint64_t fetches, fetch_misses;
	uint64_t banks_accessed[STAT_POSITIONS]; // instructions by the DRAM banks that their requests lie in (-gpgpu_memlatency_stat, bit 2)
	uint64_t diverged;                      // branches that some lanes took and others did not
	uint64_t bulk_copies, bulk_bytes, bulk_requests, bulk_maps; // of the unit of bulk copies; maps: tensor maps that it fetched
	uint64_t bulk_busy;                     // cycles in which it had copies whose requests were not all out
	uint64_t products, product_cycles;      // of warp groups, warp by warp: those that began, and what the tensor cores take for them
};

// Counters of source lines, see -enable_ptx_file_line_stats, which prints the first of them, and -stats_record.
enum sm_line_counter { SM_LINE_COUNT, SM_LINE_LATENCY, SM_LINE_DRAM, SM_LINE_SMEM_CONFLICTS, SM_LINE_SMEM_WARPS, SM_LINE_GMEM_ACCESSES,
                       SM_LINE_GMEM_WARPS, SM_LINE_EXPOSED, SM_LINE_DIVERGENCE, SM_N_LINE_PRINTED,
                       SM_LINE_WARPS = SM_N_LINE_PRINTED, SM_N_LINE_COUNTERS };
struct sm_line {
	uint64_t n[SM_N_LINE_COUNTERS];
};

// What an SM asks of its cluster while it is stepped.
struct sm_world {
	void *ctx;
	bool (*icnt_full)(void *ctx, unsigned cluster, unsigned bytes); // bytes of the packet
	void (*icnt_push)(void *ctx, struct mem_req *r);
	// Of how many DRAM banks an instruction asks, by its requests, which learn their place. NULL: they are not counted.
	unsigned (*banks_of)(void *ctx, struct mem_req *list);
	bool notes;            // somebody wants SM_NOTE
	bool stepping;         // SMs are being stepped: what they have to say waits for the end of the cycle
	struct sm_line *lines; // counters of instructions, by winst.line, of whoever steps the SMs; NULL: not counted
};

// What the GPU is told when the cycle has ended: while SMs are stepped none of them changes what others see.
enum sm_message_kind {
	SM_CTA_DONE, // left the SM for good
	SM_STORED,   // of a warp whose CTA has left stores are acknowledged
	SM_ROOM,     // the place of one that has left may be taken; without a kernel
	SM_PARKED,   // left it for a while
	SM_COPY_DONE, // a bulk copy that other CTAs see
	SM_FAULT,    // the kernel has failed; its warps of this SM are stopped
	SM_CLUSTER,  // warps of other CTAs of the cluster may go on
	SM_NOTE,     // a line for people who look on
};
struct sm_message {
	uint8_t kind; // enum sm_message_kind
	struct kernel_run *k;
	struct parked_cta cta;  // SM_CTA_DONE (fe and fe_slot only), SM_PARKED; SM_CLUSTER: cluster; SM_COPY_DONE: fe, cluster
	char *text;             // SM_NOTE: to be freed
	uint64_t about[2];      // SM_NOTE: pcs, said once for each kernel and pair
	uint32_t token;         // SM_COPY_DONE, of cta.fe
	uint32_t owes;          // SM_CTA_DONE: so many SM_STORED are to come
};

struct bulk_unit;
struct classic;
struct modern;

// What every cycle looks at stands in few cache lines of the host: those to the beginning of `stats`, and from products.live to
// the end of ldst.l1t.
struct sm {
	_Alignas(64) const struct core_config *cfg;
	const struct core_ops *core;
	struct classic *classic; // state of the core model that it has; the other is NULL
	struct modern *modern;
	uint64_t now;          // cycle of the last tick
	uint64_t next;         // of the next one, unless something comes; now: ahead of the GPU, it has news or sleeps there
	uint64_t activity;     // while it stays what it is, so do all counters of the SM and its caches, and what these hold
	uint32_t n_cta, n_resident; // resident CTAs and warps
	uint32_t observed;     // what of it `observer` wants to see: enum sm_event
	bool asleep;
	bool at_network;       // it is to be called again when its cluster's way into the network has drained, too

	// Sets of warp slots
	uint64_t resident;     // hold a warp that has not left the SM
	uint64_t done;         // all lanes exited
	uint64_t at_barrier, at_fence, at_atomic, at_async, at_service;
	uint64_t leaving;      // may leave: see sm_check_leaving
	uint64_t held;         // part of at_barrier: the barrier has opened, but that takes time (barrier.c)
	uint64_t held_next;    // while any is held: the first cycle in which one goes on
	uint64_t to_park;      // bit per CTA: warps of it wait for kernels that it launched
	uint64_t at_end;       // part of at_atomic: their instruction is carried out when the cycle ends
	uint64_t last_done;    // cycle in which an instruction was last completed
	struct bulk_unit *bulk; // NULL until a bulk copy is started
	uint64_t alarm;        // cycle in which a warp that waits now is to go on, UINT64_MAX: none was set in this cycle

	struct sm_away away[2]; // of warps and caches, of bulk copies
	struct lazy_cache l1i;
	VEC(struct sm_message) message; // of this cycle
	const struct sm_world *world;
	struct mem_pool *pool; // its cluster's

	struct effects effects; // what its instructions have done in this cycle
	unsigned id, cluster;
	uint32_t threads;      // that have not left
	uint32_t stores;       // of all warps, without acknowledgement
	struct winst **free_inst; // a stack
	struct winst **inst;   // by index
	uint32_t n_free_inst, n_inst;
	uint64_t next_uid;
	VEC(struct sm_place) places; // of CTAs that have gone, in the order of their times
	struct sm_stats stats;

	uint64_t barrier_free; // cycle from which the barriers' unit takes the next arrival
	uint64_t ended;        // activity when kernels had last ended
	uint64_t refused;      // times that the network was full, of which it has not been told yet
	const struct sm_observer *observer; // see observer.h
	uint64_t used_warps;
	uint64_t next_age;
	struct kernel_run *kernel;         // without concurrent kernels: whose CTAs it takes
	struct products products;
	struct ldst ldst;

	uint64_t age[CORE_MAX_WARPS];
	struct sm_warp warp[CORE_MAX_WARPS];
	struct sm_cta cta[CORE_MAX_CTAS];
	uint32_t owed[CORE_MAX_WARPS];     // by slot: of `stores`, those of CTAs that have left
	VEC(struct sm_owing) owing[CORE_MAX_WARPS]; // whose these are, in the order in which they left
	uint32_t used_threads, used_shared, used_regs; // concurrent kernels: what resident CTAs and these places hold
	uint32_t local_max_ctas, local_padded; // local memory mapping of that kernel

	uint64_t *reg_store;               // scoreboards: reg_words words a warp
	uint32_t reg_words;

	struct fe_result result;           // of the last execute: large, so kept here

	// Time-lapse and control-flow logs; NULL: not kept.
	uint32_t *flow;                    // thread instructions by winst.line since the last snapshot
	uint32_t *by_age;                  // instructions by the warp's number over 32; later warps in the last place

	uint32_t carve_ways;               // of a split that is still to be made, else 0
	bool carve_on_miss;
};
_Static_assert(offsetof(struct sm, away) % 64 == 0 && offsetof(struct sm, l1i) % 64 == 0 && offsetof(struct sm, stats) % 64 == 0 &&
               offsetof(struct sm, products.live) % 64 == 0, "what is looked at together");

// For the GPU, when the cycle has ended.
static inline void sm_tell(struct sm *m, struct sm_message e)
{
	VEC_PUSH(&m->message, e);
	m->effects.any = true;
}

bool sm_init(struct sm *m, const struct core_ops *core, const struct core_config *cfg, unsigned id, const struct sm_world *world,
             struct mem_pool *pool, struct diag *d);
void sm_free(struct sm *m);
void sm_reserve_streams(struct sm *m, unsigned n);
void sm_retire_stream(struct sm *m, unsigned stream, struct cache_counts *to); // of its caches, see cache_retire_stream
// Before a launch: scoreboards for kernels with so many registers. Only grows.
void sm_reserve_registers(struct sm *m, uint32_t n);

// A CTA of k could start now.
bool sm_has_room(const struct sm *m, const struct kernel_run *k);
// So many CTAs of k could start now one after the other, if nothing else does.
uint32_t sm_room(const struct sm *m, const struct kernel_run *k);
struct sm_cta *sm_start_cta(struct sm *m, struct kernel_run *k); // or one that was parked and is ready
// The same in two steps, for a CTA that has not run yet. The first is the kernel's alone; the second may be taken for
// several SMs at the same time, if the kernel's front end allows that and the kernel has had a CTA before.
struct sm_ticket {
	uint64_t id;   // of the grid's CTAs
	uint32_t slot; // of the front end's
};
struct sm_ticket sm_draw_cta(struct kernel_run *k);
struct sm_cta *sm_start_drawn(struct sm *m, struct kernel_run *k, struct sm_ticket t);
// L1D takes what shared memory leaves of the unified memory: now, or with the first CTA that comes while L1D fetches nothing.
void sm_carve(struct sm *m, uint32_t ways, bool on_miss);
// L1D takes the form that the configuration has by now. Only while the SM is empty.
void sm_reshape_l1d(struct sm *m);

// One core cycle. The next one in which it must be called, unless something arrives before or, with at_network, leaves the
// input of its cluster; UINT64_MAX: none.
uint64_t sm_tick(struct sm *m, uint64_t now);
// sm_tick of cycle `now`, the next one, depends on nothing but the SM, and others need not see before that cycle what it
// does: it may be called ahead of the GPU, which is in cycle `gpu`, has given the SM all that came in it, and gives it
// nothing more before cycle `answers`. Nothing comes that makes a difference before `now`. It may send requests, which are
// to enter the network in that cycle, and have news of it.
bool sm_alone(struct sm *m, uint64_t now, uint64_t gpu, uint64_t answers);
// It has done something in this cycle that others are to learn of: sm_commit is due.
static inline bool sm_has_news(const struct sm *m) { return m->effects.any; }
// After every SM has been stepped: what its instructions did reaches memory, and those that were put off are carried out.
// Whoever calls then takes m->message and m->alarm and empties them. Commit SMs in the order of their numbers.
void sm_commit(struct sm *m);
// Accounts for the cycles before `now` that it slept through. Call before sm_start_cta, and sm_settle before looking at statistics,
// with the number of the next cycle.
void sm_catch_up(struct sm *m, uint64_t now);
void sm_settle(struct sm *m, uint64_t now); // and its caches, and all counters

// A request of the SM enters the network in cycle m->now, to which so many answers will come. And one of them has come.
static inline void sm_sent(struct sm *m, const struct mem_req *r, uint32_t answers)
{
	away_sent(&m->away[r->bulk], m->now, answers, r->type == TEXTURE_ACC_R);
}
static inline void sm_answered(struct sm *m, const struct mem_req *r) { away_answered(&m->away[r->bulk]); }

// Answers from the network.
bool sm_response_full(const struct sm *m);
void sm_accept_fetch(struct sm *m, struct mem_req *r, uint64_t now);
// What L1D may have sent: mem_req.entry[0] is of whichever L1 has.
static inline bool sm_may_be_l1d(const struct sm *m, const struct mem_req *r)
{
	const uint32_t others = 1u << INST_ACC_R | 1u << CONST_ACC_R | 1u << TEXTURE_ACC_R;
	return m->ldst.l1d.cache && !r->write && !(others >> r->type & 1);
}
static inline void sm_expect_data(const struct sm *m, const struct mem_req *r) // asks the host for what that will touch
{
	if (sm_may_be_l1d(m, r))
		cache_foresee_answer(m->ldst.l1d.cache, r);
}
void sm_accept_data(struct sm *m, struct mem_req *r, uint64_t now);
void sm_invalidate_l1(struct sm *m);
// The last kernel on the GPU has ended; with flush L1 is invalidated too. An SM that has done nothing since the last time has
// nothing to do.
void sm_end_kernels(struct sm *m, bool flush);

// For the parts of an SM

// Issues the warp's next instruction: it is made, executed by the front end (the outcome is in m->result), its accesses are
// coalesced, it is counted, and sm.done, sm.at_barrier and sm_warp.next are as they should be behind it. core_ops.refresh is
// called for warps, this one among them, that may go on now or that a fault has stopped. What the instruction takes of the
// core, fences and atomics included, is the core's to begin.
struct winst *sm_execute(struct sm *m, unsigned scheduler, unsigned slot);
// To execute the instruction may be to read or change what lies outside the SM; where its requests go does not count.
bool sm_reaches_out(const struct isa_inst *st);
struct winst *sm_inst_new(struct sm *m);
void sm_inst_free(struct sm *m, struct winst *w);
void sm_insts_free(struct sm *m);                   // all of them, with the SM
void sm_complete(struct sm *m, struct winst *w);    // counts it
void sm_left_pipe(struct sm *m, struct winst *w);
void sm_store_begins(struct sm *m, unsigned warp, uint32_t acks); // so many acknowledgements are to come
void sm_store_done(struct sm *m, unsigned warp);     // a store of the warp has arrived
void sm_store_ack(struct sm *m, struct mem_req *r);
void sm_atomic_done(struct sm *m, unsigned warp, unsigned lanes);
// The scheduler, or sub-core, of a warp slot: they are dealt in turn.
static inline unsigned sm_scheduler_of(const struct sm *m, unsigned slot) { return slot % m->cfg->n_schedulers; }
// Requests that can still move, or that have come and nobody has taken.
bool sm_holds_requests(const struct sm *m);
// The mask of what a scheduler may look at: waiting includes done.
static inline uint64_t sm_waiting(const struct sm *m) { return m->done | m->at_barrier | m->at_fence | m->at_atomic | m->at_async | m->at_service; }
void sm_cta_warps_moved(struct sm *m, unsigned cta); // a barrier may have opened
// The warp's instruction, at a barrier of its CTA, has been executed (barrier.c).
void sm_barrier_reached(struct sm *m, unsigned slot, enum isa_barrier how);
// Warps whose time has come go on; called while any is held, from sm.held_next on.
void sm_barrier_tick(struct sm *m);
// True if the warp has to wait before the instruction that it is about to issue: for what the runtime does meanwhile.
bool sm_begin_service(struct sm *m, unsigned slot);
void sm_copy_elsewhere(struct sm *m, unsigned cta, uint32_t token); // SM_COPY_DONE
void sm_wake_cluster(struct sm *m, unsigned cta);     // it has let warps of other CTAs of its cluster go on
void sm_failed(struct sm *m, struct kernel_run *k);   // an instruction of the kernel was at fault
void sm_note(struct sm *m, struct kernel_run *k, const char *text, uint64_t about, uint64_t about_too);
// A line for whoever looks on: put(ctx, line), when the cycle ends if SMs are being stepped, else at once. So lines come SM by
// SM, and those of one SM in the order in which things happened.
void sm_say(struct sm *m, void (*put)(void *ctx, const char *line), void *ctx, const char *line);
void sm_park_ctas(struct sm *m);                    // CTAs of to_park with nothing under way leave, to make room for what they launched
void sm_end_fence(struct sm *m, unsigned warp);      // of a warp at a fence, if it need not wait any longer
static inline void sm_check_fence(struct sm *m, unsigned warp)
{
	if (m->at_fence >> warp & 1)
		sm_end_fence(m, warp);
}
// A warp leaves once it is done, nothing of it is in flight and, unless the configuration says otherwise, its stores are
// acknowledged.
static inline void sm_check_leaving(struct sm *m, unsigned warp)
{
	const struct sm_warp *w = &m->warp[warp];
	uint64_t bit = (uint64_t)1 << warp;
	if (m->done & m->resident & bit && !(w->stores && m->cfg->exit_waits_for_stores) && !w->in_pipe && !w->pending && !w->async)
		m->leaving |= bit;
}
void sm_async_ended(struct sm *m, unsigned warp);      // one less goes on beside the warp
// One more joins the open group of a kind; its number modulo SM_ASYNC_GROUPS. And one has ended: true if the warp goes on.
uint8_t sm_group_join(struct sm *m, unsigned warp, enum sm_group_kind kind);
bool sm_group_leave(struct sm *m, unsigned warp, enum sm_group_kind kind, uint8_t group);
void sm_group_wait(struct sm *m, unsigned warp, enum sm_group_kind kind, uint32_t keep); // until no more than `keep` closed ones are under way
static inline void sm_copy_done(struct sm *m, const struct winst *w) { sm_group_leave(m, w->warp, SM_COPIES, w->group); }
void sm_warp_leaves(struct sm *m, unsigned warp);
void sm_give_places(struct sm *m);                  // those whose time has come; called from the first of them on
// The kernel has failed: its warps execute nothing more and leave as their requests come back.
void sm_stop_kernel(struct sm *m, struct kernel_run *k);

#endif
