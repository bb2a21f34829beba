// What the files of the timing model share:
//   timing.c           making it, running kernels, handing them out
//   timing_step.c      a step of the clocks, jumps over quiet cycles
//   timing_cross.c     what crosses between the network and its neighbours in a step
//   timing_share.c     the threads that step SMs together
//   timing_between.c   what SMs ask and have done in a cycle
//   timing_progress.c  deadlocks and lost requests
//   timing_launch.c    kernels and their CTAs begin and end
//   timing_cluster.c   clusters of CTAs
//   timing_place.c     a CTA is put on an SM
//   timing_code.c      what the modern core makes of code
//   timing_counts.c    counters of units, and streams for which caches count
#ifndef GPGPU_SIM_GPU_TIMING_INTERNAL_H
#define GPGPU_SIM_GPU_TIMING_INTERNAL_H

#include "gpgpu-sim/gpu/timing.h"

static inline void timing_bit_set(uint64_t *s, unsigned i) { s[i / 64] |= (uint64_t)1 << i % 64; }

enum { TIMING_SENT_AHEAD = 128 }; // requests of later cycles that an SM has sent, at most

// The cycle in which an SM is to be called: to go on, or because something that it has sent ahead enters the network.
static inline uint64_t timing_call_at(const struct timing *t, const struct sm *m)
{
	const struct cluster *c = &t->cluster[m->cluster];
	return c->later.n && *RING_FRONT(&c->later) < m->next ? *RING_FRONT(&c->later) : m->next;
}

// The cycle in which an SM that has been woken is to be called. One that has gone ahead goes on where it is, and tells
// what happened there in that very cycle.
static inline uint64_t timing_wake_at(const struct timing *t, unsigned sm)
{
	struct sm *m = &t->sm[sm];
	if (m->now < t->cycle)
		return 0;
	m->next = m->now + !sm_has_news(m);
	return timing_call_at(t, m);
}

// Something has come to the SM or changed in it: it must be called.
static inline void timing_wake(struct timing *t, unsigned sm)
{
	timing_bit_set(t->awake, sm);
	t->wake_at[sm] = timing_wake_at(t, sm);
	t->soonest = 0;
}

static inline void timing_bit_clear(uint64_t *s, unsigned i) { s[i / 64] &= ~((uint64_t)1 << i % 64); }

static inline void timing_see_packet(const struct timing *t, const struct mem_req *r, const char *what, unsigned at)
{
	if (t->observer.wants & TIMING_SEES_PACKETS)
		t->observer.packet(t->observer.ctx, r, what, at);
}

static inline void timing_see_kernel(const struct timing *t, const struct kernel_run *k, const char *what)
{
	if (t->observer.wants & TIMING_SEES_KERNELS)
		t->observer.kernel(t->observer.ctx, k, what);
}

static inline bool timing_any(const uint64_t *set, unsigned n)
{
	for (unsigned w = 0; w < (n + 63) / 64; w++)
		if (set[w])
			return true;
	return false;
}

// A line for users.
void timing_say(struct timing *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

bool timing_launches_due(const struct timing *t);    // something waits for timing_serve_launches
void timing_look_behind(struct timing *t);            // kernels for whose blocks those of the one in front have made way
void timing_split_for_held(struct timing *t);         // if the SMs are empty
void timing_launch_ctas(struct timing *t);           // a pass over the clusters of SMs, one CTA each, or one cluster of CTAs
struct sm_cta *timing_start_cta(struct timing *t, unsigned sm, struct kernel_run *k); // which has room for it
// The same later, by the team, if that can be: false if not. Then all are started.
bool timing_draw_cta(struct timing *t, unsigned sm, struct kernel_run *k);
void timing_start_all_drawn(struct timing *t);
// The SM takes CTAs of k from now on; of several kernels at the same time without that.
void timing_bind(struct timing *t, unsigned sm, struct kernel_run *k);

// Clusters of CTAs. Those of a kernel: CTAs of it that an SM is to have for as many to run at the same time as can, at most `most`; 0 if
// a cluster has no room anywhere.
uint32_t timing_cluster_ctas(const struct timing *t, const struct kernel_launch *l, uint32_t most);
// The next cluster of k on the SMs of the GPC of that SM. False if it has no room there.
bool timing_launch_cluster(struct timing *t, unsigned sm, struct kernel_run *k);
// A CTA of that cluster has let warps of others go on (sm_cta.cluster), while SMs are committed.
void timing_wake_cluster(struct timing *t, const struct kernel_run *k, uint32_t cluster);
void timing_count_latencies(struct timing *t, uint64_t cycles); // of kernel launches: so many are over

// All blocks have ended: it waits in t->finished to be handed out.
void timing_finish(struct timing *t, struct kernel_run *k);
// It has failed: no block starts any more, and those that run leave as their requests come back.
void timing_stop_kernel(struct timing *t, struct kernel_run *k);
void timing_free_run(struct kernel_run *k);

// What each of the threads that step SMs needs (-threads), t->share; and the threads themselves, t->team, which are made when something
// is to run.
void timing_share_out(struct timing *t, const struct sm_world *world);
void timing_team_up(struct timing *t);
void timing_share_free(struct timing *t);
unsigned timing_shares(const struct timing *t);
// What a thread has found out goes to what the others have.
void timing_take_share(struct timing *t, struct step_share *s);
void timing_take_counts(struct timing *t, struct step_share *s); // which wait until they are asked for
// timing_cross.c. As many answers from the network into the cluster as it takes in a cycle, as many from the cluster
// into its SMs; true if one was woken. And an answer from a sub-partition into the network.
bool timing_cluster_take(struct timing *t, struct step_share *own, unsigned cluster);
void timing_answer(struct timing *t, struct step_share *own, unsigned sub);
// All clusters, all sub-partitions, by the caller alone.
void timing_clusters_take(struct timing *t);
void timing_answers_into_network(struct timing *t);
// Or by the team: when all have been ticked that had something to send, and to take, the network is told (taken: clusters took
// answers), and answers move (move: sub-partitions sent some, too). With `team` another thread may do that while the caller
// goes on: until timing_answers_moved nothing else may look at the network of answers, or use the team.
void timing_move_answers(struct timing *t, bool move, bool taken, bool team);
void timing_answers_moved(struct timing *t);
// Each sub-partition with room takes a request, or with `hand` is handed it.
void timing_requests_into_memory(struct timing *t, bool hand);
// What SMs may ask; ctx, which is left open, is the share of who steps them.
void timing_make_world(const struct timing *t, struct sm_world *out);
// In the statistics of traffic; direction: 0 to memory, 1 from there.
static inline void timing_count_packet(struct step_share *s, unsigned direction, const struct mem_req *r)
{
	const unsigned size = (mem_packet_bytes(r) + TRAFFIC_UNIT - 1) / TRAFFIC_UNIT;
	HEDDLE_ASSERT(size < TRAFFIC_SIZES);
	s->traffic[direction][r->atomic && !r->write ? TRAFFIC_ATOMIC : r->type][size]++;
}
// SMs have been stepped: what they did reaches the others, SM by SM, so the order in which they were stepped makes no difference.
void timing_commit(struct timing *t);

// Core cycles in which all SMs have come equally far: none goes ahead beyond the next one. Kernels that have failed are
// stopped in them.
enum { TIMING_TOGETHER = 1 << 10 };
static inline uint64_t timing_together(uint64_t cycle) { return cycle - cycle % TIMING_TOGETHER + TIMING_TOGETHER; }

void timing_step(struct timing *t);
// Core cycles from now in which nothing can move; UINT64_MAX if nothing ever will. timing_skip passes over that many or fewer.
uint64_t timing_quiet(struct timing *t);
void timing_skip(struct timing *t, uint64_t n);

// What is looked at only now and then, when t->cycle reaches t->next_look: progress, and who looks on.
void timing_look_around(struct timing *t);
// No warp can move. Lanes that wait for lanes of their own warp go on alone; false if there are none.
bool timing_unstick(struct timing *t);
// Kernels that run are stopped, for the reason `what`; the second time they are cut off as they are.
void timing_give_up(struct timing *t, const char *what);
// Once nothing runs: requests that are still somewhere were lost, which is told.
void timing_report_lost(struct timing *t);

// timing_counts.c: the number under which caches count for a stream, for a kernel that is launched in it. Where there are TIMING_STREAMS, that
// of another without a kernel: what that one still has under way, a line to be written back say, is then counted for this.
uint16_t timing_stream_number(struct timing *t, uint64_t id);

// timing_code.c: the code of a launch, to be given back with timing_code_done (NULL: nothing). With timing.keep_code it is kept
// for the next launch until timing_forget_code, or timing_trim_code finds that there is too much.
struct modern_code *timing_code(struct timing *t, const struct kernel_launch *l);
void timing_code_done(struct modern_code *c);
void timing_trim_code(struct timing *t);

#endif
