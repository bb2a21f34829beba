// A step of the clocks, and jumps over cycles in which nothing moves.
#include "gpgpu-sim/gpu/timing_internal.h"

#include "base/divisor.h"

// An answer goes from the cluster into its SM. False: there is none, or no room for it.
static bool sm_take(struct timing *t, struct cluster *c)
{
	struct mem_req *r = port_first(&c->responses);
	struct sm *m = r ? &t->sm[r->sm] : NULL;
	if (!r || (r->type != INST_ACC_R && sm_response_full(m)))
		return false;
	port_pop(&c->responses);
	if (r->type == INST_ACC_R) {
		sm_catch_up(m, t->cycle);
		sm_accept_fetch(m, r, t->cycle);
	} else {
		memory_count_answer(t->memory, r, t->cycle);
		sm_accept_data(m, r);
	}
	timing_wake(t, m->id);
	return true;
}

// As many answers from the network into the cluster as it takes in a cycle, as many from the cluster into its SMs.
static void cluster_take(struct timing *t, unsigned index)
{
	struct cluster *c = &t->cluster[index];
	struct mem_req *r;
	for (uint32_t n = t->core.answers; n && sm_take(t, c); n--)
		;
	for (uint32_t n = t->core.perfect_mem ? 0 : t->core.answers; n && !port_full(&c->responses); n--) {
		if (!(r = icnt_pop(t->icnt, ICNT_REPLY, index)))
			break;
		timing_see_packet(t, r, "arrives at cluster", index);
		timing_count_packet(t, 1, r);
		port_push(&c->responses, r);
	}
	if (port_empty(&c->responses))
		timing_bit_clear(t->with_responses, index);
	else
		timing_bit_set(t->with_responses, index);
}

static void clusters_take(struct timing *t)
{
	const uint64_t *arrived = icnt_arrived(t->icnt, ICNT_REPLY);
	for (unsigned w = 0; w < (t->core.n_clusters + 63) / 64; w++)
		for (uint64_t s = t->with_responses[w] | arrived[w]; s; s &= s - 1)
			cluster_take(t, w * 64 + (unsigned)__builtin_ctzll(s));
}

static void answers_into_network(struct timing *t)
{
	const uint64_t *set = memory_answers(t->memory);
	unsigned sent = 0;
	for (unsigned w = 0; w < (memory_n_sub(t->memory) + 63) / 64; w++) {
		for (uint64_t s = set[w]; s; s &= s - 1) {
			unsigned sub = w * 64 + (unsigned)__builtin_ctzll(s);
			struct mem_req *r = memory_front(t->memory, sub);
			if (!r)
				continue;
			if (!icnt_can_push(t->icnt, ICNT_REPLY, sub, mem_packet_bytes(r))) {
				t->stats.stall_icnt2sh++;
				continue;
			}
			memory_pop(t->memory, sub);
			mem_req_moved(r, MEM_ON_WAY_BACK, t->cycle);
			timing_see_packet(t, r, "enters as an answer of sub-partition", sub);
			(r->write ? icnt_push_write : icnt_push)(t->icnt, ICNT_REPLY, sub, r->sm / t->core.cores_per_cluster, r,
			                                         mem_packet_bytes(r));
			sent++;
		}
	}
	t->stats.parallel_replies += sent;
}

static void requests_into_memory(struct timing *t)
{
	const uint64_t *arrived = icnt_arrived(t->icnt, ICNT_REQUEST);
	unsigned taken = 0, full = memory_n_full(t->memory);
	t->stats.stall_dramfull += full;
	for (unsigned w = 0; w < (memory_n_sub(t->memory) + 63) / 64; w++) {
		for (uint64_t s = arrived[w]; s; s &= s - 1) {
			unsigned sub = w * 64 + (unsigned)__builtin_ctzll(s);
			if (full && !memory_has_room(t->memory, sub))
				continue;
			struct mem_req *r = icnt_pop(t->icnt, ICNT_REQUEST, sub);
			if (!r)
				continue;
			timing_see_packet(t, r, "arrives at sub-partition", sub);
			memory_push(t->memory, sub, r, t->cycle);
			taken++;
		}
	}
	t->stats.parallel_requests += taken;
	if (taken) {
		t->stats.parallel_util_requests += taken;
		t->stats.parallel_util_cycles++;
	}
}

static void call_sm(struct timing *t, unsigned i)
{
	uint64_t next = t->wake_at[i];
	if (t->tick_all || (t->awake[i / 64] >> i % 64 & 1 && next <= t->cycle)) {
		next = sm_tick(&t->sm[i], t->cycle);
		if (sm_has_news(&t->sm[i])) {
			timing_bit_set(t->news, i);
			t->any_news = true;
		}
		t->wake_at[i] = next;
		if (t->sm[i].at_network)
			timing_bit_set(t->at_network, i);
		if (next == UINT64_MAX)
			timing_bit_clear(t->awake, i);
	}
	if (next < t->soonest)
		t->soonest = next;
}

void timing_set_order(struct timing *t, uint64_t order) { t->order = order; }

// The SMs of a cluster share its way into the network: one after the other, in turn the first.
static void call_cluster(struct timing *t, unsigned cluster)
{
	unsigned per = t->core.cores_per_cluster;
	unsigned from = per > 1 && t->core.rotate_cores ? (unsigned)((t->rotation - 1) % per) : 0;
	for (unsigned k = 0; k < per; k++)
		call_sm(t, cluster * per + (from + k) % per);
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
		call_cluster(t, c);
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
				call_sm(t, i);
				continue;
			}
			call_cluster(t, i / per);
			unsigned next = (i / per + 1) * per;
			s = next / 64 == w ? s >> next % 64 << next % 64 : 0;
		}
	}
}

static void tick_sms(struct timing *t)
{
	t->rotation++;
	if (t->cycle < t->soonest && !t->tick_all)
		return;
	t->soonest = UINT64_MAX;
	t->world.stepping = true;
	if (t->order)
		tick_in_order(t);
	else
		tick_awake(t);
	t->world.stepping = false;
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
		k->failed = false;
		timing_stop_kernel(t, k);
	}
}

static void core_cycle(struct timing *t)
{
	if (t->cycle >= t->next_alarm)
		ring_alarms(t);
	tick_sms(t);
	if (t->any_news)
		timing_commit(t);
	t->cycle++;
	t->stats.cycles++;
	if (t->failures)
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

void timing_step(struct timing *t)
{
	unsigned set = clock_step(&t->clock);
	if (set & CLOCK_SET_CORE)
		clusters_take(t);
	if (set & CLOCK_SET_ICNT)
		answers_into_network(t);
	if (set & CLOCK_SET_DRAM)
		memory_tick_dram(t->memory, t->cycle);
	if (set & CLOCK_SET_L2) {
		requests_into_memory(t);
		memory_tick_l2(t->memory, t->cycle);
	}
	if (set & CLOCK_SET_ICNT) {
		if (t->tick_all || icnt_moving(t->icnt)) {
			icnt_tick(t->icnt);
			wake_drained(t);
		} else {
			icnt_skip(t->icnt, 1);
		}
	}
	if (set & CLOCK_SET_CORE)
		core_cycle(t);
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
	if (t->soonest <= t->cycle || t->launch_pass || timing_launches_due(t) ||
	    timing_any(t->with_responses, t->core.n_clusters) || icnt_busy(t->icnt) || icnt_moving(t->icnt) ||
	    timing_any(memory_answers(t->memory), memory_n_sub(t->memory)))
		return 0;
	for (unsigned i = 0; t->n_latent && i < t->n_places; i++)
		if (t->kernel[i] && t->kernel[i]->latency && t->kernel[i]->latency - 1 < n)
			n = t->kernel[i]->latency - 1;
	uint64_t core, l2 = memory_next_l2(t->memory), dram = memory_next_dram(t->memory, &core);
	n = sooner(n, t->soonest, t->cycle);
	n = sooner(n, t->next_alarm, t->cycle);
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
