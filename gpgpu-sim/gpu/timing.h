// The GPU cycle by cycle: SMs, interconnect and memory partitions in their clock domains, and the CTA scheduler. gpu.c
// drives it; statistics and reports read its state.
//
// Order within a step, as in GPGPU-Sim's gpgpu_sim::cycle: answers from the network into the SMs (core clock), answers from
// the partitions into the network (interconnect), DRAM, L2 with requests from the network, the network itself, the SMs and what
// follows from what they did, CTA launch (docs/cycle.md). SMs that sleep, partitions without work and a quiet network are not
// looked at; SMs that the network has refused sleep until something leaves their cluster's input, which happens in ticks of the
// network only. When nothing at all can move, the
// clocks jump to the next event. -tick_every_cycle does none of this, with the same results.
#ifndef GPGPU_SIM_GPU_TIMING_H
#define GPGPU_SIM_GPU_TIMING_H

#include "base/ring.h"
#include "base/trial.h"
#include "base/vec.h"
#include "gpgpu-sim/gpu/clock.h"
#include "gpgpu-sim/modern/inst_table.h"
#include "gpgpu-sim/memory/partition.h"
#include "gpgpu-sim/sm/sm.h"
#include "intersim/icnt.h"
#include "isa/gpu_desc.h"
#include "gpgpu-sim/estimate/waves.h"
#include "isa/grids.h"

#include <stdatomic.h>

struct cluster {
	struct port responses;   // answers for its SMs
	VEC(struct mem_req *) out; // sent by its SMs in this cycle, if somebody looks at packets or the memory is perfect
	RING(uint64_t) later;    // of what its SM, ahead of the GPU, has put into the network: cycles in which it enters
	uint32_t next_core;      // SM that got a CTA last
};

// Packets by type and size: the last type is atomics, which count as reads elsewhere. Sizes are in units of 8 bytes.
enum { TRAFFIC_ATOMIC = MEM_N_ACCESS_TYPES, TRAFFIC_TYPES, TRAFFIC_UNIT = 8, TRAFFIC_SIZES = (MEM_MAX_LINE + MEM_CONTROL) / TRAFFIC_UNIT + 1 };

enum { TIMING_KERNELS = 128, TIMING_PLACES = 512 };

// Every cache has counters for so many streams, or as many as have kernels at once if those are more: a program may make a stream
// for each of a million kernels.
enum { TIMING_STREAMS = 8 };
struct stream_past {
	uint64_t id;
	struct cache_counts core, l2;
};

// Who looks at the GPU from above. Nothing they do may change it. `wants` has the bits of what somebody wants to see of the
// many things that happen; where a bit is set, its function is there. The others may be NULL.
enum { TIMING_SEES_PACKETS = 1, TIMING_SEES_KERNELS = 2 };
struct timing_observer {
	void *ctx;
	uint32_t wants;
	void (*packet)(void *ctx, const struct mem_req *r, const char *what, unsigned at);
	void (*kernel)(void *ctx, const struct kernel_run *k, const char *what);
	void (*note)(void *ctx, const char *line);     // for people; without it what must be said goes where statistics go
	void (*deadlock)(void *ctx, const char *what); // nothing moves: time for a report of what all wait for
	void (*progress)(void *ctx);                   // from time to time
	void (*stop)(void *ctx);                       // cycle next_stop has come; may set another
};

// Packets to memory and to the SMs.
typedef uint64_t timing_traffic[2][TRAFFIC_TYPES][TRAFFIC_SIZES];

struct timing_stats {
	uint64_t cycles, insts;         // of the interval since the last kernel's statistics; thread instructions completed
	uint64_t tot_cycles, tot_insts; // before that interval
	uint64_t tot_ctas;              // issued, before the interval
	uint64_t ctas_issued, ctas_done;
	uint64_t stall_dramfull, stall_icnt2sh;
	uint64_t parallel_requests, parallel_replies, parallel_util_requests, parallel_util_cycles;
	uint64_t tot_parallel_requests, tot_parallel_replies, tot_parallel_util_requests, tot_parallel_util_cycles;
	uint64_t occupancy[2], tot_occupancy[2]; // warp slots resident, warp slots of active SMs
	timing_traffic traffic; // as of timing_settle
};

// What a thread finds out while it steps SMs and channels; put together when all have been stepped. Sets have a bit per
// SM if nothing else is said.
struct step_share {
	_Alignas(64) struct sm_world world; // its ctx is the share
	struct timing *timing;
	unsigned number;         // of the thread
	uint64_t soonest;        // the next cycle in which one of those that it called must be called
	uint64_t *news, *sent, *at_network, *woken, *asleep;
	bool any_news, any_sent;
	uint64_t *filled, *emptied; // bit per cluster: it has answers for its SMs, it has none any longer
	uint64_t ticks;          // cycles of SMs that it has stepped, those ahead among them
	unsigned calls;          // SMs that it has called for that
	uint64_t answers, refused_answers; // of sub-partitions into the network, and those that found no room
	timing_traffic traffic;  // since timing_settle
};

// A CTA that has been given to an SM and not started.
struct timing_drawn {
	struct kernel_run *kernel;
	struct sm_ticket ticket;
	unsigned sm;
};

// What the network of answers is to learn of a step by the team.
struct timing_answers {
	bool move, taken; // see timing_move_answers
	bool open;        // another thread may be about it
	uint64_t *sent;   // bit per sub-partition that may have sent answers
};

struct timing {
	const struct options *opt;
	struct gpu_desc desc;
	struct core_config core;
	struct modern_config modern;
	struct step_share *share; // a thread's part of stepping the SMs; of the caller's thread first
	struct team *team;       // who steps SMs together; NULL: the caller alone
	uint64_t next_home;      // cycle in which freed requests are brought home to their pools, if there is a team
	unsigned dawdle;         // see timing_dawdle
	uint32_t n_lines;        // counters of lines
	uint32_t *due_channel, *due; // what the team has to do in this step: channels, clusters of SMs
	struct timing_drawn *drawn; // CTAs that the team is to start
	unsigned n_drawn;
	uint64_t ticks;          // cycles of SMs in this step, those ahead among them
	unsigned calls;          // SMs that were called for that
	bool few_pay;            // SMs went far ahead in the last step: two of them are worth a call of the team
	struct trial trial;      // whether the team steps faster than one thread, where that is not plain
	unsigned stay;           // steps in which it is
	double load;             // cycles of SMs in a step that can be shared out, the mean of the last ones
	bool crossing;           // clusters take answers, and sub-partitions send them, when the team steps them
	uint64_t *called;        // bit per cluster, to be listed in `due`
	struct memory_edges edges; // of this step
	struct timing_answers answers;
	bool alone;              // somebody looks on who is not ready for threads: no team
	struct clock clock;
	struct mem_pool *pool;
	struct icnt *icnt;
	struct memory *memory;
	struct sm *sm;
	struct cluster *cluster;
	uint64_t *awake;         // bit per SM
	uint64_t *early;         // of each: it has been called early for the cycle `wake_at` that it was due in then
	uint64_t *wake_at;       // of each: it need not be called before that cycle; UINT64_MAX if it is not awake
	uint64_t soonest;        // none needs to be called before; UINT64_MAX: none is awake
	uint64_t *with_responses; // bit per cluster
	uint64_t *at_network;    // bit per SM: it waits for room in its cluster's way into the network
	uint64_t *news;          // bit per SM: in this cycle it has done something that others are to learn of
	uint64_t *sent;          // bit per SM: in this cycle it has sent requests
	bool any_news, any_sent;

	struct grids *grids;     // of the launches, NULL: kernels launch none (timing_serves)
	const bool *grid_news;   // NULL like grids
	bool beside;             // kernels without time run beside: what cannot move may wait for them
	struct kernel_run *kernel[TIMING_PLACES]; // resident, NULL where free
	uint32_t n_places;       // of kernel that may be in use
	uint32_t max_kernels, n_kernel, last_kernel; // max_kernels: at once, but for those that wait for what they launched
	VEC(struct modern_code *) codes; // what is kept of kernels' code, see timing_keep_code
	uint64_t code_launches;
	bool keep_code;
	uint32_t n_latent;       // kernels whose launch latency is not over
	struct hazard_told *told; // what was said of kernels' control bits
	uint32_t n_behind;       // kernels whose blocks wait for those of the kernel in front, see kernel_launch.behind
	uint32_t n_held;         // kernels that wait for another split of L1D and shared memory; no others should start meanwhile
	unsigned preference;           // of core.preferred, what L1D and shared memory are now
	uint32_t last_cluster;   // that got a CTA
	bool launch_pass;        // some SM may get a CTA
	uint64_t next_launch;    // first cycle in which one may, by -cta_launch_interval
	uint64_t launch_left;    // part of a core cycle by which it may be so much later: over the Hz of the clock of launches
	bool failures;           // a kernel has failed, and not all SMs have stopped it
	struct kernel_run *finished[TIMING_PLACES];
	uint32_t n_finished;
	uint16_t n_streams;      // that the caches count apart, see timing_stream_number
	struct {
		uint64_t id;
		uint64_t used;   // n_stream_uses at the last launch in it
	} stream[TIMING_PLACES];
	uint64_t n_stream_uses;
	VEC(struct stream_past) past; // of streams whose numbers went to others

	uint64_t cycle;          // core cycles since the GPU was made
	uint64_t last_progress;  // cycle in which an instruction was last completed
	uint64_t progress_insts;
	uint64_t patience;       // core cycles without progress before the run is given up
	uint64_t requests;       // made until the last look
	uint64_t last_change;    // cycle of the last look before which an instruction was completed or a request made
	uint64_t next_alarm;     // cycle in which a warp of some SM has waited long enough
	uint64_t next_look;      // cycle in which look_around is due
	uint64_t next_stop;      // cycle in which the observer wants to stop
	struct timing_observer observer;
	uint64_t ahead;          // SMs that are alone may go ahead of the others up to this cycle, itself not included
	uint64_t rotation;       // core cycles, for the order of SMs in a cluster
	bool running;            // between a first kernel and the moment all is quiet again
	bool tick_all;
	uint64_t order;          // 0: clusters are stepped by their numbers; else see timing_set_order
	bool given_up;           // a deadlock was reported since the GPU last woke
	bool broken;             // requests are stuck for good: nothing runs any more
	uint64_t known_lost;     // requests that were reported as lost
	const char *limit_text;  // the limit that ended the run, NULL none
	const atomic_int *interrupt; // not 0: timing_run returns soon; NULL: none
	struct timing_stats stats;
	struct kernel_waves waves; // of the kernel that timing_run handed out last
	// Lines for users, printed as things happen; NULL: nowhere.
	void (*say)(void *ctx, const char *text);
	void *say_ctx;
	// Starts a kernel that a kernel launched.
	void (*child)(void *ctx, struct kernel_launch *l);
	void *child_ctx;
	bool brief;             // without the lines that SMs are bound to kernels
	uint64_t said;          // hash of the name of the kernel whose occupancy was said last; 0: none
	// Called whenever stats.cycles reaches a multiple of sample_every (0: never), at the end of the core cycle.
	void (*sample)(void *ctx);
	void *sample_ctx;
	uint64_t sample_every, next_sample;
};

struct timing *timing_new(const struct options *o, const struct gpu_desc *desc, struct diag *d);
// Whether timing_new would make one, with the same errors and warnings; it makes one SM instead of all, which are alike.
bool timing_possible(const struct options *o, const struct gpu_desc *desc, struct diag *d);
void timing_free(struct timing *t);
// Nothing is kept of any code any longer but what runs.
void timing_forget_code(struct timing *t);
unsigned timing_room(const struct timing *t);
// False if the kernel cannot run on this GPU: launch->fault says why.
// line_base: see kernel_run.
bool timing_start(struct timing *t, struct kernel_launch *l, uint32_t line_base);
// What kernels launch goes through `grids`; `child` starts those of them that may begin.
void timing_serves(struct timing *t, struct grids *grids, void (*child)(void *ctx, struct kernel_launch *l), void *ctx);
void timing_serve_launches(struct timing *t); // what kernels launched, and who waited for it
void timing_go_on(struct timing *t, struct kernel_launch *l); // the launch in front of it is complete
// Up to `budget` core cycles; a kernel that has ended (its statistics can be printed now), or NULL.
struct kernel_launch *timing_run(struct timing *t, uint64_t budget);
// All kernels end: their warps execute nothing more, and leave as their requests come back.
void timing_stop(struct timing *t);
// After a kernel's statistics were printed: the interval begins anew.
void timing_end_interval(struct timing *t);
// A line for people who look on.
void timing_note(struct timing *t, const char *line);
// For tests: in which order the clusters of a cycle are stepped. 0 by their numbers, 1 backwards, others at random with that
// seed. It changes nothing that can be seen.
void timing_set_order(struct timing *t, uint64_t order);
// For tests: the threads that step SMs together dawdle, by chance with this seed (base/team.h).
void timing_dawdle(struct timing *t, unsigned seed);
// n counters of lines, of which there may have been fewer before; world.lines are their parts.
void timing_count_lines(struct timing *t, uint32_t n);
struct sm_line timing_line(const struct timing *t, uint32_t entry);
// The number of a stream under which caches count for it now; n_streams if it has none.
unsigned timing_stream(const struct timing *t, uint64_t id);
// What caches counted for a stream before its number went to another, besides what they count for it now; NULL: nothing.
const struct stream_past *timing_stream_past(const struct timing *t, uint64_t id);
bool timing_busy(const struct timing *t);
void timing_host_copy(struct timing *t, uint64_t addr, uint64_t bytes, bool written);
// A warp that is executed without time has done this: L2 holds what it would hold behind it.
void timing_touch(struct timing *t, const struct fe_access *a);
// All sleeping units have counted up to now.
void timing_settle(struct timing *t);

#endif
