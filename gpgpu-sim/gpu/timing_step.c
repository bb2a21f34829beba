// A step of the clocks, and jumps over cycles in which nothing moves.
#include "gpgpu-sim/gpu/timing_internal.h"

#include "base/divisor.h"
#include "base/team.h"

enum {
	TEAM_PAYS = 8,   // so many units are worth a call of the team, which costs as much as some of them take
	// Cycles that an SM goes ahead while other threads have nothing to do. With 4 its state leaves the caches too often, with
	// 48 the others wait too long (matmul 256 by two threads).
	AHEAD_AT_LEAST = 16,
	LOAD_MEAN = 64,  // steps whose mean says how much there is to do; with 8 the way changed some hundred times in a run
	// Cycles of SMs in a step for which the team is faster, no more than LOAD_AHEAD of each SM: those of a few that go far
	// ahead are not to be shared out. From 34 on two threads took 0.5 to 0.8 of the time that one took
	// (matmul 256, mandelbrot, histogram, stencil, transpose, reduction, triad); with 20 and 23, SMs that wait
	// for memory and nbody on 63 SMs, as much or 1.2 times as much.
	HIGH_LOAD = 32, LOAD_AHEAD = 4,
	STAY = 512,      // steps in which much to do is taken to go on: each change of the way moves state between caches
	HOME_EVERY = 16, // core cycles in which freed requests wait for their pools, at most
};

// --- stepping the SMs, by one thread or several: they see nothing of each other before the cycle ends

// Whatever the SM sends in a cycle more will find room: nothing but what it sends takes any.
static bool may_send(const struct timing *t, const struct sm *m, const struct cluster *c)
{
	enum { A_CYCLE = 32 }; // requests that leave an SM in a cycle, at most
	if (c->later.n + A_CYCLE > TIMING_SENT_AHEAD)
		return false;
	return t->core.perfect_mem || icnt_room(t->icnt, ICNT_REQUEST, m->cluster, MEM_CONTROL + MEM_MAX_LINE) >= A_CYCLE;
}

// More cycles of an SM while it is alone: what it touches in a cycle is in the host's caches in the next one. If
// something happens ahead that others are to learn of, or if it falls asleep there, it is called again in that cycle.
static void go_ahead(const struct timing *t, struct step_share *own, struct sm *m)
{
	const struct cluster *c = &t->cluster[m->cluster];
	// What comes out of the network in the next cycle reaches the SM in the one after that.
	const uint64_t answers = t->cycle + 1 + (port_empty(&c->responses) && !t->core.perfect_mem);
	uint64_t n = 0;
	while (m->next < t->ahead && !sm_has_news(m) && sm_alone(m, m->next, t->cycle, answers) && may_send(t, m, c)) {
		if (t->team && n && n % AHEAD_AT_LEAST == 0 && team_waits(t->team))
			break; // in the next step the others can help
		m->effects.ahead = m->next - t->cycle;
		m->next = sm_tick(m, m->next);
		n++;
	}
	own->ticks += n;
	m->effects.ahead = 0;
	if (m->now > t->cycle && (sm_has_news(m) || m->next == UINT64_MAX))
		m->next = m->now;
}

// The cycle of an SM, or with `early` later ones only, from the one in which it is due. Returns the next cycle in which it is to
// be called. One that has news of m->now or sleeps there has m->next == m->now, and waits for the GPU.
static uint64_t step_sm(struct timing *t, struct step_share *own, struct sm *m, bool early)
{
	struct cluster *c = &t->cluster[m->cluster];
	if (early) {
		if (m->next > m->now)
			go_ahead(t, own, m);
	} else if (m->now < t->cycle) {
		m->next = sm_tick(m, t->cycle);
		own->ticks++;
		if (m->next < t->ahead)
			go_ahead(t, own, m);
	} else if (m->now == t->cycle && m->next == m->now) { // it was here before, and has news of that or sleeps
		m->next = sm_has_news(m) ? t->cycle + 1 : UINT64_MAX;
	}
	for (; c->later.n && *RING_FRONT(&c->later) == t->cycle; own->any_sent = true) {
		RING_DROP(&c->later);
		timing_bit_set(own->sent, m->id);
	}
	return timing_call_at(t, m);
}

static void call_sm(struct timing *t, struct step_share *own, unsigned i)
{
	uint64_t next = t->wake_at[i];
	const bool due = t->tick_all || next <= t->cycle;
	if (due || (next < t->ahead && t->early[i] == next)) {
		struct sm *m = &t->sm[i];
		own->calls++;
		m->world = &own->world;
		own->world.stepping = true;
		next = step_sm(t, own, m, !due);
		own->world.stepping = false;
		if (m->now == t->cycle && sm_has_news(m)) {
			timing_bit_set(own->news, i);
			own->any_news = true;
		}
		t->wake_at[i] = next;
		if (m->at_network)
			timing_bit_set(own->at_network, i);
		if (next == UINT64_MAX)
			timing_bit_set(own->asleep, i);
	}
	if (next < own->soonest)
		own->soonest = next;
}

void timing_set_order(struct timing *t, uint64_t order) { t->order = order; }

// The SMs of a cluster share its way into the network: one after the other, in turn the first.
static void call_cluster(struct timing *t, struct step_share *own, unsigned cluster)
{
	unsigned per = t->core.cores_per_cluster;
	unsigned from = per > 1 && t->core.rotate_cores ? (unsigned)((t->rotation - 1) % per) : 0;
	for (unsigned k = 0; k < per; k++)
		call_sm(t, own, cluster * per + (from + k) % per);
}

// See timing_set_order. Every cluster comes once, since `step` and their number have no common divisor.
static void tick_in_order(struct timing *t)
{
	unsigned n = t->core.n_clusters, first = n - 1, step = n - 1; // backwards
	if (t->order > 1) {
		t->order ^= t->order << 13, t->order ^= t->order >> 7, t->order ^= t->order << 17; // xorshift64
		first = (unsigned)(t->order % n);
		step = 1 + (unsigned)(t->order >> 32) % n;
		while (common_divisor(step, n) != 1)
			step = step % n + 1;
	}
	for (unsigned i = 0, c = first; i < n; i++, c = (c + step) % n)
		call_cluster(t, &t->share[0], c);
}

// By their numbers, but for the order in a cluster.
static void tick_awake(struct timing *t)
{
	unsigned per = t->core.cores_per_cluster;
	bool rotate = per > 1 && t->core.rotate_cores;
	for (unsigned w = 0; w < (t->core.n_sm + 63) / 64; w++) {
		for (uint64_t s = t->tick_all ? ~(uint64_t)0 : t->awake[w]; s;) {
			unsigned i = w * 64 + (unsigned)__builtin_ctzll(s);
			if (i >= t->core.n_sm)
				break;
			if (!rotate) {
				s &= s - 1;
				call_sm(t, &t->share[0], i);
				continue;
			}
			call_cluster(t, &t->share[0], i / per);
			unsigned next = (i / per + 1) * per;
			s = next / 64 == w ? s >> next % 64 << next % 64 : 0;
		}
	}
}

// Clusters of SMs that must be called now are added to t->called; how many SMs those are. SMs that need not be are to be
// looked at when they must.
static unsigned call_due(struct timing *t)
{
	const unsigned per = t->core.cores_per_cluster;
	unsigned n = 0;
	t->soonest = UINT64_MAX;
	for (unsigned w = 0; w < (t->core.n_sm + 63) / 64; w++) {
		for (uint64_t s = t->awake[w]; s; s &= s - 1) {
			const unsigned i = w * 64 + (unsigned)__builtin_ctzll(s);
			if (t->wake_at[i] <= t->cycle)
				timing_bit_set(t->called, per == 1 ? i : i / per), n++;
			else if (t->wake_at[i] < t->soonest)
				t->soonest = t->wake_at[i];
		}
	}
	return n;
}

// SMs that are due later, but before t->ahead, are called too: while one or two go far ahead, the rest of the team has
// nothing else to do. Once for each cycle in which an SM is due.
static void call_early(struct timing *t)
{
	t->soonest = UINT64_MAX;
	for (unsigned w = 0; w < (t->core.n_sm + 63) / 64; w++) {
		for (uint64_t s = t->awake[w]; s; s &= s - 1) {
			const unsigned i = w * 64 + (unsigned)__builtin_ctzll(s);
			const uint64_t at = t->wake_at[i];
			if (at > t->cycle && at < t->ahead && t->early[i] != at) {
				t->early[i] = at;
				timing_bit_set(t->called, i);
			} else if (at > t->cycle && at < t->soonest) {
				t->soonest = at;
			}
		}
	}
}

// Lists in t->due the clusters of SMs that have something to do in a core cycle; how many. Answers may wake any of
// their SMs.
static unsigned list_clusters(struct timing *t)
{
	const uint64_t *arrived = icnt_arrived(t->icnt, ICNT_REPLY);
	const unsigned words = (t->core.n_clusters + 63) / 64;
	unsigned n = 0;
	bool answers = false;
	t->rotation++;
	for (unsigned w = 0; w < words; w++) {
		t->called[w] = t->tick_all ? ~(uint64_t)0 : t->with_responses[w] | arrived[w];
		answers |= t->called[w] != 0;
	}
	if (!answers && t->cycle < t->soonest)
		return 0;
	if (call_due(t) < TEAM_PAYS && t->soonest < t->ahead)
		call_early(t);
	for (unsigned w = 0; w < words; w++) {
		for (uint64_t s = t->called[w]; s; s &= s - 1) {
			const unsigned i = w * 64 + (unsigned)__builtin_ctzll(s);
			if (i < t->core.n_clusters)
				t->due[n++] = i;
		}
	}
	return n;
}

static void step_cluster(void *ctx, unsigned thread, unsigned task)
{
	struct timing *t = ctx;
	struct step_share *own = &t->share[thread];
	const unsigned i = t->due[task];
	const uint64_t answers = t->with_responses[i / 64] | icnt_arrived(t->icnt, ICNT_REPLY)[i / 64];
	if (t->crossing && answers >> i % 64 & 1)
		timing_cluster_take(t, own, i);
	call_cluster(t, own, i);
}

static void step_channel(void *ctx, unsigned thread, unsigned task)
{
	struct timing *t = ctx;
	const unsigned subs = memory_n_sub(t->memory) / memory_n_channels(t->memory);
	for (uint32_t i = t->due_channel[task]; i != UINT32_MAX; i = memory_beside(t->memory, i)) {
		for (unsigned k = 0; t->edges.answers && k < subs; k++)
			timing_answer(t, &t->share[thread], i * subs + k);
		memory_tick_channel(t->memory, &t->edges, i);
	}
}

static void tick_sms(struct timing *t)
{
	t->rotation++;
	if (t->cycle < t->soonest && !t->tick_all)
		return;
	t->soonest = UINT64_MAX;
	if (t->order)
		tick_in_order(t);
	else
		tick_awake(t);
	timing_take_share(t, &t->share[0]);
}

static void ring_alarms(struct timing *t)
{
	t->next_alarm = UINT64_MAX;
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		for (uint64_t s = t->sm[i].at_service; s; s &= s - 1) {
			uint64_t until = t->sm[i].warp[__builtin_ctzll(s)].service_until;
			if (until <= t->cycle)
				timing_wake(t, i);
			else if (until < t->next_alarm)
				t->next_alarm = until;
		}
	}
}

static void stop_failed(struct timing *t)
{
	t->failures = false;
	for (unsigned i = 0; i < t->n_places; i++) {
		struct kernel_run *k = t->kernel[i];
		if (!k || !k->failed)
			continue;
		k->failed = 0;
		timing_stop_kernel(t, k);
	}
}

// What follows from what SMs have done.
static void end_core_cycle(struct timing *t)
{
	if (t->any_news || t->any_sent)
		timing_commit(t);
	t->cycle++;
	t->stats.cycles++;
	if (t->failures && t->cycle % TIMING_TOGETHER == 0)
		stop_failed(t);
	if (timing_launches_due(t))
		timing_serve_launches(t);
	if (t->n_held)
		timing_split_for_held(t);
	if (t->n_behind)
		timing_look_behind(t);
	if (t->launch_pass)
		timing_launch_ctas(t);
	timing_count_latencies(t, 1);
	if (t->stats.cycles == t->next_sample) {
		timing_answers_moved(t);
		t->next_sample += t->sample_every;
		t->sample(t->sample_ctx);
	}
}

// SMs that wait for room try again when something has left their cluster's input. The first of them may take it all.
static void wake_drained(struct timing *t)
{
	uint64_t *drained = icnt_drained(t->icnt, ICNT_REQUEST);
	unsigned per = t->core.cores_per_cluster;
	for (unsigned w = 0; w < (t->core.n_clusters + 63) / 64; w++) {
		for (uint64_t s = drained[w]; s; s &= s - 1) {
			unsigned first = (w * 64 + (unsigned)__builtin_ctzll(s)) * per;
			for (unsigned i = first; i < first + per; i++) {
				if (!(t->at_network[i / 64] >> i % 64 & 1))
					continue;
				timing_bit_clear(t->at_network, i);
				timing_wake(t, i);
			}
		}
		drained[w] = 0;
	}
}

static void tick_network(struct timing *t)
{
	if (t->tick_all || icnt_moving(t->icnt)) {
		icnt_tick(t->icnt);
		wake_drained(t);
	} else {
		icnt_skip(t->icnt, 1);
	}
}

static void all_of(struct timing *t, team_task *task, unsigned n, bool team)
{
	if (team) {
		team_begin(t->team, task, n);
		team_join(t->team);
	}
	for (unsigned i = 0; !team && i < n; i++)
		task(t, 0, i);
}

// What crosses between the units of this step; then they are ticked: channels of the memory side with their L2, and SMs,
// which in one step see nothing of each other. DRAM sees nothing of requests that come to L2 in the same step. If
// requests and answers have networks of their own, clusters and sub-partitions take and send answers in their own time,
// and the answers move when all have: nothing else looks at their network. Nor does anything of a channel look at that
// of requests, which moves meanwhile.
static void step_together(struct timing *t, unsigned set, uint32_t dram)
{
	const bool core = set & CLOCK_SET_CORE;
	t->crossing = icnt_apart(t->icnt);
	if (!t->crossing && core)
		timing_clusters_take(t);
	if (!t->crossing && set & CLOCK_SET_ICNT)
		timing_answers_into_network(t);
	if (set & CLOCK_SET_L2)
		timing_requests_into_memory(t, true);
	t->edges = (struct memory_edges){.dram = dram, .l2 = set & CLOCK_SET_L2, .now = t->cycle,
	                                 .answers = t->crossing && set & CLOCK_SET_ICNT};
	const unsigned channels = memory_due(t->memory, &t->edges, t->due_channel);
	timing_answers_moved(t);
	const bool early = channels >= TEAM_PAYS;
	if (early)
		team_begin(t->team, step_channel, channels);
	if (set & CLOCK_SET_ICNT && t->crossing) {
		icnt_step(t->icnt, ICNT_REQUEST, t->tick_all);
		wake_drained(t);
	} else if (set & CLOCK_SET_ICNT) {
		tick_network(t);
	}
	if (core && t->cycle >= t->next_alarm)
		ring_alarms(t);
	const unsigned clusters = core ? list_clusters(t) : 0;
	const bool team = channels + clusters >= (t->few_pay ? 2 : TEAM_PAYS);
	if (early)
		team_join(t->team);
	else
		all_of(t, step_channel, channels, team);
	all_of(t, step_cluster, clusters, team);
	if (team)
		team_wait(t->team);
	if (t->crossing)
		timing_move_answers(t, t->edges.answers, core, team);
	memory_ticked(t->memory, &t->edges, t->due_channel, channels);
	for (unsigned i = 0; channels + clusters && i < (team ? team_threads(t->team) : 1); i++)
		timing_take_share(t, &t->share[i]);
	if (clusters)
		t->few_pay = t->ticks > clusters * AHEAD_AT_LEAST;
}

static void step_alone(struct timing *t, unsigned set, uint32_t dram)
{
	timing_answers_moved(t);
	if (set & CLOCK_SET_CORE)
		timing_clusters_take(t);
	if (set & CLOCK_SET_ICNT)
		timing_answers_into_network(t);
	if (dram)
		memory_tick_dram(t->memory, dram, t->cycle);
	if (set & CLOCK_SET_L2) {
		timing_requests_into_memory(t, false);
		memory_tick_l2(t->memory, t->cycle);
	}
	if (set & CLOCK_SET_ICNT)
		tick_network(t);
	if (set & CLOCK_SET_CORE) {
		if (t->cycle >= t->next_alarm)
			ring_alarms(t);
		tick_sms(t);
	}
}

static void step_some_way(struct timing *t, unsigned set, uint32_t dram, bool team)
{
	if (team)
		step_together(t, set, dram);
	else
		step_alone(t, set, dram);
}

// By the team or by one thread, whichever is faster: what threads tell each other, and what they fetch out of each
// other's caches, costs more than short steps take. By the team where there is much to do: a trial would tell less, since
// the SMs go ahead together and for tens of milliseconds. If threads are late on purpose it is for tests: by chance, mostly
// by the team.
static void step_either_way(struct timing *t, unsigned set, uint32_t dram)
{
	t->stay = t->load >= HIGH_LOAD ? STAY : t->stay - (t->stay > 0);
	if (t->dawdle) {
		step_some_way(t, set, dram, (uint32_t)(t->cycle ^ t->dawdle) * 2654435761u >> 28);
	} else if (t->stay) {
		step_some_way(t, set, dram, true);
	} else {
		const uint64_t since = trial_begin(&t->trial);
		step_some_way(t, set, dram, t->trial.way);
		trial_end(&t->trial, t->ticks + 1, since);
	}
	const uint64_t most = t->calls * LOAD_AHEAD;
	if (set & CLOCK_SET_CORE)
		t->load += ((double)(t->ticks < most ? t->ticks : most) - t->load) / LOAD_MEAN;
}

void timing_step(struct timing *t)
{
	unsigned set = clock_step(&t->clock);
	uint32_t dram = 0;
	// Edges of the DRAM alone before a step with SMs: nothing looks at the DRAM until then, and a channel goes through
	// them at once.
	for (; set == CLOCK_SET_DRAM && t->soonest <= t->cycle && !t->tick_all && !t->alone; dram++)
		set = clock_step(&t->clock);
	dram += (set & CLOCK_SET_DRAM) != 0;
	t->ticks = t->calls = 0;
	if (t->team && !t->alone && !t->order)
		step_either_way(t, set, dram);
	else
		step_some_way(t, set, dram, false);
	if (t->team && t->cycle >= t->next_home) {
		mem_pool_home(t->pool);
		t->next_home = t->cycle + HOME_EVERY;
	}
	if (set & CLOCK_SET_CORE)
		end_core_cycle(t);
}

// --- jumping over cycles in which nothing moves

// The smaller of n and the distance to `at`, which may be never.
static uint64_t sooner(uint64_t n, uint64_t at, uint64_t from)
{
	uint64_t d = at > from ? at - from : 0;
	return at != UINT64_MAX && d < n ? d : n;
}

// Core cycles from now in which nothing can move, at most `most`; UINT64_MAX if nothing ever will.
uint64_t timing_quiet(struct timing *t)
{
	uint64_t n = UINT64_MAX;
	if (t->soonest <= t->cycle || t->launch_pass || timing_launches_due(t) || timing_any(t->with_responses, t->core.n_clusters))
		return 0;
	timing_answers_moved(t);
	if (icnt_busy(t->icnt) || icnt_moving(t->icnt) ||
	    timing_any(memory_answers(t->memory), memory_n_sub(t->memory)))
		return 0;
	for (unsigned i = 0; t->n_latent && i < t->n_places; i++)
		if (t->kernel[i] && t->kernel[i]->latency && t->kernel[i]->latency - 1 < n)
			n = t->kernel[i]->latency - 1;
	uint64_t core, l2 = memory_next_l2(t->memory), dram = memory_next_dram(t->memory, &core);
	n = sooner(n, t->soonest, t->cycle);
	n = sooner(n, t->next_alarm, t->cycle);
	if (t->failures)
		n = sooner(n, timing_together(t->cycle) - 1, t->cycle); // the step that comes to that cycle
	n = sooner(n, l2, t->cycle);
	n = sooner(n, core, t->cycle);
	if (dram != UINT64_MAX) {
		// Core edges before that DRAM edge.
		uint64_t at = t->clock.next[CLOCK_DRAM] + (dram - 1) * t->clock.period[CLOCK_DRAM], next = t->clock.next[CLOCK_CORE];
		uint64_t edges = at > next ? (at - next) / t->clock.period[CLOCK_CORE] : 0;
		n = edges < n ? edges : n;
	}
	// A cycle that ends with a sample is stepped.
	if (t->sample_every && n != UINT64_MAX && t->next_sample - t->stats.cycles - 1 < n)
		n = t->next_sample - t->stats.cycles - 1;
	return n;
}

void timing_skip(struct timing *t, uint64_t n)
{
	uint64_t ticks[CLOCKS_N];
	clock_skip(&t->clock, n, ticks);
	icnt_skip(t->icnt, ticks[CLOCK_ICNT]);
	memory_skip_l2(t->memory, ticks[CLOCK_L2]);
	t->stats.stall_dramfull += ticks[CLOCK_L2] * memory_n_full(t->memory);
	memory_skip_dram(t->memory, ticks[CLOCK_DRAM]);
	t->cycle += n;
	t->stats.cycles += n;
	t->rotation += n;
	timing_count_latencies(t, n);
}
