#include "gpgpu-sim/gpu/timing_internal.h"

#include "base/mem.h"
#include "gpgpu-sim/gpu/core_models.h"
#include "gpgpu-sim/modern/hazard.h"

#include <stdio.h>
#include <string.h>

enum {
	QUIET_LIMIT = 1000000, // core cycles without a completed instruction before the run is called a livelock, or more: timing.patience
	STILL_LIMIT = 1 << 16, // and if nothing is under way but in SMs: above what units and stalls of an SM take
	GRACE = 10,            // a part of that, and then stopped kernels are cut off
	LOOK = 1 << 12,        // core cycles between looks at progress: some thousandths of a second for a large GPU
	AGES = 1 << 18,        // core cycles between looks at how old requests are
	MEMORY_POOL = 1024,    // requests that the memory side and a cluster begin with: most programs need no more
	CLUSTER_POOL = 64,
};

static bool any(const uint64_t *s, unsigned n)
{
	for (unsigned w = 0; w < (n + 63) / 64; w++)
		if (s[w])
			return true;
	return false;
}

// --- what SMs ask

static bool world_icnt_full(void *ctx, unsigned cluster, unsigned bytes)
{
	const struct timing *t = ctx;
	return !t->core.perfect_mem && !icnt_has_room_behind(t->icnt, ICNT_REQUEST, cluster, bytes, t->cluster[cluster].held);
}

static void count_packet(struct timing *t, unsigned direction, const struct mem_req *r)
{
	unsigned size = (mem_packet_bytes(r) + TRAFFIC_UNIT - 1) / TRAFFIC_UNIT;
	HEDDLE_ASSERT(size < TRAFFIC_SIZES);
	t->stats.traffic[direction][r->atomic && !r->write ? TRAFFIC_ATOMIC : r->type][size]++;
}

static void world_icnt_push(void *ctx, struct mem_req *r)
{
	struct timing *t = ctx;
	struct cluster *c = &t->cluster[r->sm / t->core.cores_per_cluster];
	icnt_hold(t->icnt, mem_packet_bytes(r), &c->held);
	VEC_PUSH(&c->out, r);
}

// A request leaves its cluster.
static void send(struct timing *t, unsigned cluster, struct mem_req *r)
{
	if (t->core.perfect_mem) {
		// Answered at once; nobody waits for a write-back.
		r->reply = true;
		if (r->type == L1_WRBK_ACC)
			mem_req_free(t->pool, r);
		else
			port_push(&t->cluster[cluster].responses, r), timing_bit_set(t->with_responses, cluster);
		return;
	}
	count_packet(t, 0, r);
	addr_map_place(memory_map(t->memory), r->addr, &r->place);
	timing_see_packet(t, r, "enters for sub-partition", r->place.sub);
	(r->write ? icnt_push_write : icnt_push)(t->icnt, ICNT_REQUEST, cluster, r->place.sub, r, mem_packet_bytes(r));
}

static unsigned world_banks_of(void *ctx, const struct mem_req *list)
{
	const struct timing *t = ctx;
	return memory_banks_of(t->memory, list);
}

// --- what SMs have done in a cycle, when all have been stepped

void timing_note(struct timing *t, const char *line)
{
	if (t->observer.note)
		t->observer.note(t->observer.ctx, line);
	else if (t->say)
		t->say(t->say_ctx, line);
}

static void take_message(struct timing *t, const struct sm_message *e)
{
	struct kernel_run *k = e->k;
	switch ((enum sm_message_kind)e->kind) {
	case SM_CTA_DONE:
		k->launch->fe->cta_end(e->cta.fe);
		k->free_slot[k->n_free_slot++] = e->cta.fe_slot;
		k->running--;
		t->stats.ctas_done++;
		t->launch_pass = true;
		if (!k->running && !kernel_run_left(k))
			timing_finish(t, k);
		break;
	case SM_PARKED:
		VEC_PUSH(&k->parked, e->cta);
		k->running--;
		t->launch_pass = true;
		break;
	case SM_FAULT: // the other SMs learn of it at the end of the cycle
		k->failed = t->failures = true;
		break;
	case SM_NOTE:
		if (hazard_first_told(k->modern, e->about[0], e->about[1]))
			timing_note(t, e->text);
		mem_free(e->text);
		break;
	}
}

static void commit_sm(struct timing *t, struct sm *m)
{
	if (m->at_end)
		timing_wake(t, m->id);
	sm_commit(m);
	if (m->alarm < t->next_alarm)
		t->next_alarm = m->alarm;
	m->alarm = UINT64_MAX;
	for (size_t i = 0; i < m->message.n; i++)
		take_message(t, &m->message.at[i]);
	m->message.n = 0;
}

// All requests of the cluster leave with the first of its SMs that has news.
static void commit_cluster(struct timing *t, unsigned cluster)
{
	struct cluster *c = &t->cluster[cluster];
	for (size_t k = 0; k < c->out.n; k++)
		send(t, cluster, c->out.at[k]);
	c->out.n = 0;
	c->held = (struct icnt_held){0};
}

// SM by SM: the order in which they were stepped makes no difference.
static void commit(struct timing *t)
{
	for (unsigned w = 0; w < (t->core.n_sm + 63) / 64; w++) {
		for (uint64_t s = t->news[w]; s; s &= s - 1) {
			unsigned i = w * 64 + (unsigned)__builtin_ctzll(s);
			commit_cluster(t, t->sm[i].cluster);
			commit_sm(t, &t->sm[i]);
		}
		t->news[w] = 0;
	}
	t->any_news = false;
}

// --- construction

// What keeps a cache from working with the levels around it, or NULL.
static const char *misfit(const struct core_config *c, const struct cache_form *f, bool l1d)
{
	bool small = c->coalesce_arch >= 40 || (c->coalesce_arch >= 20 && c->coalesce_arch < 39 && c->skip_l1d);
	if (l1d && f->kind == 'S' && !small)
		return "a sectored L1 takes requests of a sector: -gpgpu_coalesce_arch must be 40 or more, or 20 to 38 with "
		       "-gpgpu_gmem_skip_L1D 1";
	if (c->sector_acks && f->kind == 'N' && f->line > MEM_SECTOR && f->mshr != 'S' && f->mshr != 'T')
		return "the L2 is sectored (S) and answers sector by sector, so the kind of these MSHRs must be S (T for textures)";
	return NULL;
}

static bool make_caches_right(const struct core_config *c, struct diag *d)
{
	bool read_only = !c->perfect_inst_const;
	const struct { const struct cache_form *form; enum cache_role role; const char *option; bool used; } all[] = {
		{&c->l1d, CACHE_L1D, "-gpgpu_cache:dl1", true}, {&c->preferred[1].l1d, CACHE_L1D, "-gpgpu_cache:dl1PrefShared", true},
		{&c->preferred[2].l1d, CACHE_L1D, "-gpgpu_cache:dl1PrefL1", true}, {&c->l1i, CACHE_INST_CONST, "-gpgpu_cache:il1", read_only},
		{&c->l1c, CACHE_INST_CONST, "-gpgpu_const_cache:l1", read_only}, {&c->l1t, CACHE_TEXTURE, "-gpgpu_tex_cache:l1", true}};
	bool ok = true;
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		if (!all[i].form->present)
			continue;
		struct cache_config cc = {.form = *all[i].form, .role = all[i].role, .name = all[i].option, .write_ratio = c->l1_write_ratio};
		const char *why = cache_config_wrong(&cc);
		if (!why && all[i].used && !c->perfect_mem)
			why = misfit(c, all[i].form, i == 0);
		if (why) {
			diag_add(d, DIAG_ERROR, "option '%s': %s", all[i].option, why);
			ok = false;
		}
	}
	return ok;
}

struct timing *timing_new(const struct options *o, const struct gpu_desc *desc, struct diag *d)
{
	struct timing *t = MEM_NEW(struct timing);
	t->opt = o;
	t->desc = *desc;
	bool ok = core_config_from_options(&t->core, o, d) && make_caches_right(&t->core, d);
	if (ok && core_is_modern(o)) {
		ok = modern_config_from_options(&t->modern, &t->core, o, d);
		t->core.modern = &t->modern;
	} else if (o->check_control_bits) {
		diag_add(d, DIAG_WARNING, "option '-check_control_bits' has no effect: only -core modern goes by control bits");
	}
	if (ok) {
		t->pool = mem_pool_new(MEMORY_POOL);
		t->memory = memory_new(o, t->pool, d);
		ok = t->memory != NULL;
	}
	if (ok) {
		t->icnt = icnt_new(o, NULL, t->core.n_clusters, memory_n_sub(t->memory), d);
		ok = t->icnt != NULL;
	}
	t->world = (struct sm_world){.ctx = t, .icnt_full = world_icnt_full, .icnt_push = world_icnt_push, .notes = true};
	if (t->opt->gpgpu_memlatency_stat & 2)
		t->world.banks_of = world_banks_of;
	if (ok) {
		t->sm = mem_alloc(t->core.n_sm * sizeof *t->sm);
		t->cluster = mem_alloc(t->core.n_clusters * sizeof *t->cluster);
		t->awake = mem_alloc((t->core.n_sm + 63) / 64 * 8);
		t->wake_at = mem_alloc(t->core.n_sm * sizeof *t->wake_at);
		t->with_responses = mem_alloc((t->core.n_clusters + 63) / 64 * 8);
		t->news = mem_alloc((t->core.n_sm + 63) / 64 * 8);
		t->at_network = mem_alloc((t->core.n_sm + 63) / 64 * 8);
		for (unsigned i = 0; i < t->core.n_sm; i++)
			t->wake_at[i] = UINT64_MAX;
		struct mem_pool *pool = NULL; // of the cluster
		for (unsigned i = 0; i < t->core.n_sm && ok; i++) {
			if (i % t->core.cores_per_cluster == 0)
				pool = mem_pool_beside(t->pool, CLUSTER_POOL);
			ok = sm_init(&t->sm[i], core_model_of(&t->core), &t->core, i, &t->world, pool, d);
		}
		// With perfect memory the queue holds whatever is asked for in a cycle.
		uint32_t size = t->core.perfect_mem ? t->core.cores_per_cluster * 4096 : t->core.ejection_buffer;
		for (unsigned i = 0; i < t->core.n_clusters; i++) {
			port_init(&t->cluster[i].responses, "responses of the cluster", size);
			t->cluster[i].next_core = t->core.cores_per_cluster - 1;
		}
	}
	if (!ok) {
		timing_free(t);
		return NULL;
	}
	clock_init(&t->clock, desc->clock_hz);
	uint64_t slow = 1; // the slowest clock's cycle, in core cycles
	for (unsigned i = 0; i < CLOCKS_N; i++)
		if (t->clock.period[i] / t->clock.period[CLOCK_CORE] > slow)
			slow = t->clock.period[i] / t->clock.period[CLOCK_CORE];
	t->patience = slow * (QUIET_LIMIT + (uint64_t)o->gpgpu_l2_rop_latency + (uint64_t)o->dram_latency);
	t->max_kernels = (uint32_t)o->gpgpu_max_concurrent_kernel;
	if (t->max_kernels > TIMING_KERNELS)
		t->max_kernels = TIMING_KERNELS;
	t->n_places = t->max_kernels;
	t->next_alarm = t->soonest = UINT64_MAX;
	t->last_cluster = t->core.n_clusters - 1;
	t->next_stop = UINT64_MAX;
	t->tick_all = o->tick_every_cycle;
	memory_tick_all(t->memory, t->tick_all);
	return t;
}

void timing_free(struct timing *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < t->n_places; i++)
		if (t->kernel[i])
			timing_free_run(t->kernel[i]);
	for (unsigned i = 0; i < t->n_finished; i++)
		timing_free_run(t->finished[i]);
	for (unsigned i = 0; t->sm && i < t->core.n_sm; i++)
		sm_free(&t->sm[i]);
	for (unsigned i = 0; t->cluster && i < t->core.n_clusters; i++) {
		port_free(&t->cluster[i].responses);
		VEC_FREE(&t->cluster[i].out);
	}
	icnt_free(t->icnt);
	if (t->memory)
		memory_free(t->memory);
	mem_pool_free(t->pool);
	mem_free(t->sm);
	mem_free(t->cluster);
	mem_free(t->awake);
	mem_free(t->wake_at);
	mem_free(t->with_responses);
	mem_free(t->news);
	mem_free(t->at_network);
	mem_free(t);
}

// --- kernels

bool timing_busy(const struct timing *t)
{
	return t->n_kernel || t->n_finished || (t->running && !t->limit_text) || timing_launches_due(t);
}

// --- a step of the clocks

// One answer from the network into the cluster, one from the cluster into its SM.
static void cluster_take(struct timing *t, unsigned index)
{
	struct cluster *c = &t->cluster[index];
	struct mem_req *r = port_first(&c->responses);
	if (r) {
		struct sm *m = &t->sm[r->sm];
		if (r->type == INST_ACC_R) {
			port_pop(&c->responses);
			sm_catch_up(m, t->cycle);
			sm_accept_fetch(m, r, t->cycle);
			timing_wake(t, m->id);
		} else if (!sm_response_full(m)) {
			port_pop(&c->responses);
			memory_count_answer(t->memory, r, t->cycle);
			sm_accept_data(m, r);
			timing_wake(t, m->id);
		}
	}
	if (!t->core.perfect_mem && !port_full(&c->responses)) {
		r = icnt_pop(t->icnt, ICNT_REPLY, index);
		if (r)
			timing_see_packet(t, r, "arrives at cluster", index);
		if (r) {
			count_packet(t, 1, r);
			port_push(&c->responses, r);
		}
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

static unsigned common_divisor(unsigned a, unsigned b)
{
	while (b) {
		unsigned rest = a % b;
		a = b;
		b = rest;
	}
	return a;
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
		commit(t);
	t->cycle++;
	t->stats.cycles++;
	if (t->failures)
		stop_failed(t);
	if (timing_launches_due(t))
		timing_serve_launches(t);
	if (t->n_held)
		timing_split_for_held(t);
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

static void step(struct timing *t)
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
static uint64_t quiet(struct timing *t)
{
	uint64_t n = UINT64_MAX;
	if (t->soonest <= t->cycle || t->launch_pass || timing_launches_due(t) ||
	    any(t->with_responses, t->core.n_clusters) || icnt_busy(t->icnt) || icnt_moving(t->icnt) ||
	    any(memory_answers(t->memory), memory_n_sub(t->memory)))
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

static void skip(struct timing *t, uint64_t n)
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

// --- running

static uint64_t completed_insts(const struct timing *t)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < t->core.n_sm; i++)
		n += t->sm[i].stats.thread_insts;
	return n;
}

static uint64_t completed_warp_insts(const struct timing *t)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < t->core.n_sm; i++)
		n += t->sm[i].stats.warp_insts;
	return n;
}

// Lanes of the block that wait for lanes of their own warp go on alone; false if there are none.
static bool unstick_cta(struct timing *t, unsigned sm, unsigned cta)
{
	struct sm *m = &t->sm[sm];
	if (!m->cta[cta].k->launch->fe->unstick(m->cta[cta].fe))
		return false;
	sm_catch_up(m, t->cycle);
	sm_cta_warps_moved(m, cta);
	timing_wake(t, sm);
	return true;
}

// Before a run is given up.
static bool unstick(struct timing *t)
{
	bool any_moved = false;
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		for (unsigned c = 0; c < CORE_MAX_CTAS; c++)
			any_moved |= t->sm[i].cta[c].threads_left && unstick_cta(t, i, c);
	}
	return any_moved;
}

// Blocks all of whose warps wait for each other at barriers: none of them will ever open one, whatever the rest of the GPU
// does. The number of those that cannot be let go.
static unsigned stuck_blocks(struct timing *t)
{
	unsigned n = 0;
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		struct sm *m = &t->sm[i];
		for (unsigned c = 0; c < CORE_MAX_CTAS && m->at_barrier; c++) {
			const struct sm_cta *cta = &m->cta[c];
			uint64_t live = cta->warps & m->resident & ~m->done;
			if (!cta->threads_left || !live || live & ~m->at_barrier || m->to_park >> c & 1 || grids_waits(cta->k->launch))
				continue;
			n += !unstick_cta(t, i, c);
		}
	}
	return n;
}

// Ends all kernels. The report of a deadlock is too long for the message of a fault: it goes to whoever watches.
static void give_up(struct timing *t, const char *what)
{
	bool told = t->observer.deadlock;
	if (told)
		t->observer.deadlock(t->observer.ctx, what);
	for (unsigned i = 0; i < t->n_places; i++) {
		struct kernel_run *k = t->kernel[i];
		if (!k)
			continue;
		struct fault *f = &k->launch->fault;
		if (f->kind == FAULT_NONE) {
			f->kind = FAULT_TIMEOUT;
			snprintf(f->text, sizeof f->text, "kernel '%s' was stopped at cycle %llu: %s%s", k->launch->info->name,
			         (unsigned long long)t->cycle, what, told ? "; the report stands above" : "");
		}
		timing_stop_kernel(t, k);
	}
}

static bool limits_reached(struct timing *t)
{
	const struct options *o = t->opt;
	const struct timing_stats *s = &t->stats;
	if (o->gpgpu_max_cycle && t->cycle >= (uint64_t)o->gpgpu_max_cycle)
		t->limit_text = "-gpgpu_max_cycle";
	else if (o->gpgpu_max_insn && completed_insts(t) >= (uint64_t)o->gpgpu_max_insn)
		t->limit_text = "-gpgpu_max_insn";
	else if (o->gpgpu_max_cta && s->tot_ctas + s->ctas_issued >= (uint64_t)o->gpgpu_max_cta)
		t->limit_text = "-gpgpu_max_cta";
	else if (o->gpgpu_max_completed_cta && s->ctas_done >= (uint64_t)o->gpgpu_max_completed_cta)
		t->limit_text = "-gpgpu_max_completed_cta";
	else
		return false;
	return true;
}

struct lost {
	uint64_t n;
	const struct mem_req *first;
};

static void count_awaited(void *ctx, const struct mem_req *r)
{
	struct lost *l = ctx;
	if (r->type == L2_WRBK_ACC || r->type == L2_WR_ALLOC_R)
		return;
	if (!l->n++ || r->created < l->first->created)
		l->first = r;
}

// An idle GPU holds no requests but those that L2 made for itself. Others were lost on their way, whoever they were for:
// a bug of the model, not of the program, whose results are right.
static void report_lost(struct timing *t)
{
	struct lost lost = {0};
	if (mem_pool_live(t->pool) == t->known_lost)
		return;
	mem_pool_each(t->pool, count_awaited, &lost);
	if (lost.n > t->known_lost) {
		char line[300];
		snprintf(line, sizeof line, "heddle: cycle %llu: %llu memory requests never came back, the first a %s of SM %u for "
		         "0x%llx. This is a fault of Heddle; do not trust the statistics.\n", (unsigned long long)t->cycle,
		         (unsigned long long)(lost.n - t->known_lost), mem_access_name[lost.first->type], lost.first->sm,
		         (unsigned long long)lost.first->addr);
		timing_note(t, line);
	}
	t->known_lost = lost.n;
}

// Kernels that were stopped leave when their requests come back. If they don't, requests are stuck and nothing will ever
// run again: the kernels are cut off as they are. Without a kernel it is requests of one that has ended that are stuck.
static void give_up_once_more(struct timing *t, const char *what)
{
	if (!t->given_up && !t->n_kernel)
		report_lost(t);
	if (t->given_up || !t->n_kernel)
		t->broken = true;
	else
		give_up(t, what);
	t->given_up = true;
	t->last_progress = t->last_change = t->cycle;
}

struct oldest {
	uint64_t created;
	bool writes; // count
};

static void find_oldest(void *ctx, const struct mem_req *r)
{
	struct oldest *o = ctx;
	if (r->type == L2_WRBK_ACC || r->type == L2_WR_ALLOC_R || r->type == L1_WRBK_ACC || (r->write && !o->writes))
		return;
	if (r->created < o->created)
		o->created = r->created;
}

// Others may run on while the answer that a warp waits for is lost, or while a queue is never served. Writes may wait in DRAM
// for others if they have a queue of their own.
static bool request_lost(struct timing *t)
{
	struct oldest o = {t->cycle, !t->opt->dram_seperate_write_queue_enable};
	mem_pool_each(t->pool, find_oldest, &o);
	return t->cycle - o.created > t->patience;
}

// Nothing is under way but in SMs, and has not been for long: what their warps wait for will not come.
static bool still(const struct timing *t)
{
	return t->cycle - t->last_change > STILL_LIMIT && !memory_busy(t->memory) && !icnt_busy(t->icnt) && t->next_alarm == UINT64_MAX &&
	       !any(t->with_responses, t->core.n_clusters) && !timing_launches_due(t);
}

static void check_progress(struct timing *t)
{
	uint64_t n = completed_warp_insts(t);
	uint64_t requests = mem_pool_made(t->pool);
	char what[120];
	if (n != t->progress_insts || t->n_latent || requests != t->requests)
		t->last_change = t->cycle;
	if (n != t->progress_insts || t->n_latent)
		t->last_progress = t->cycle;
	t->progress_insts = n;
	t->requests = requests;
	bool stuck = stuck_blocks(t);
	if (!t->opt->gpgpu_deadlock_detect)
		return;
	if (t->cycle - t->last_progress > (t->given_up ? t->patience / GRACE : t->patience)) {
		snprintf(what, sizeof what, "deadlock: no instruction was completed for %llu cycles", (unsigned long long)t->patience);
		give_up_once_more(t, what);
	} else if (still(t)) {
		give_up_once_more(t, "deadlock: no warp can ever move again");
	} else if (stuck && !t->given_up) {
		give_up_once_more(t, "deadlock: the warps of a block all wait for each other");
	} else if (t->cycle % AGES == 0 && !t->given_up && t->n_kernel && request_lost(t)) {
		snprintf(what, sizeof what, "deadlock: a request of memory was not answered for %llu cycles", (unsigned long long)t->patience);
		give_up_once_more(t, what);
	}
}

// What is looked at only now and then. Whoever looks on may want to look more often: progress is looked at in certain cycles.
static void look_around(struct timing *t)
{
	if (t->cycle % LOOK == 0)
		check_progress(t);
	if (t->observer.progress)
		t->observer.progress(t->observer.ctx);
	while (t->cycle >= t->next_stop) {
		t->next_stop = UINT64_MAX;
		t->observer.stop(t->observer.ctx);
	}
	uint64_t next = t->cycle - t->cycle % LOOK + LOOK;
	t->next_look = t->next_stop < next ? t->next_stop : next;
}

void timing_settle(struct timing *t)
{
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		struct sm *m = &t->sm[i];
		sm_settle(m, t->cycle);
		icnt_count_refused(t->icnt, ICNT_REQUEST, m->cluster, m->refused);
		m->refused = 0;
	}
}

// What SMs without blocks still have to send or to take counts too, or it would stay there.
static bool draining(const struct timing *t)
{
	if (memory_busy(t->memory) || icnt_busy(t->icnt) || any(t->with_responses, t->core.n_clusters))
		return true;
	for (unsigned w = 0; w < (t->core.n_sm + 63) / 64; w++)
		for (uint64_t s = t->awake[w]; s; s &= s - 1)
			if (sm_holds_requests(&t->sm[w * 64 + (unsigned)__builtin_ctzll(s)]))
				return true;
	return false;
}

static void count_occupancy(struct timing *t)
{
	uint64_t n[2] = {0, 0};
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		n[0] += t->sm[i].stats.warps;
		n[1] += t->sm[i].stats.cycles * t->core.max_warps;
	}
	for (int i = 0; i < 2; i++)
		t->stats.occupancy[i] = n[i] - t->stats.tot_occupancy[i];
}

static void sum_counts(const struct timing *t, const struct kernel_run *k)
{
	struct kernel_counts *to = &k->launch->counts;
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		const struct kernel_counts *c = &k->counts[i];
		if (!c->warp_insts)
			continue;
		to->thread_insts += c->thread_insts;
		to->warp_insts += c->warp_insts;
		for (unsigned n = 0; n < ISA_N_CLASSES; n++) {
			to->cls[n] += c->cls[n];
			to->cls_thread[n] += c->cls_thread[n];
		}
	}
}

static struct kernel_launch *hand_out(struct timing *t)
{
	struct kernel_run *k = t->finished[0];
	struct kernel_launch *l = k->launch;
	memmove(t->finished, t->finished + 1, --t->n_finished * sizeof *t->finished);
	if (!t->n_kernel && !t->n_finished) {
		t->running = false;
		if (!t->broken && !t->limit_text)
			report_lost(t);
		for (unsigned i = 0; i < t->core.n_sm && !t->broken; i++)
			sm_end_kernel(&t->sm[i]);
		if (t->core.flush_l1 && !t->broken)
			for (unsigned i = 0; i < t->core.n_sm; i++)
				sm_invalidate_l1(&t->sm[i]);
		if (t->opt->gpgpu_flush_l2_cache && !t->broken)
			memory_flush_l2(t->memory);
	}
	timing_settle(t);
	sum_counts(t, k);
	t->stats.insts = completed_insts(t) - t->stats.tot_insts;
	count_occupancy(t);
	timing_free_run(k);
	return l;
}

// Hands out a finished kernel. The last of those that run together is given back once the memory side is quiet, so that its
// cycles include what it left there.
static struct kernel_launch *take_finished(struct timing *t)
{
	if (!t->n_finished || (!t->n_kernel && t->n_finished == 1 && draining(t)))
		return NULL;
	return hand_out(t);
}

// After a limit was reached nothing moves any more: what has ended is handed out, then what was cut off, oldest first.
static struct kernel_launch *take_cut_off(struct timing *t)
{
	if (t->grids)
		grids_drop(t->grids);
	struct kernel_run **best = NULL;
	for (unsigned i = 0; !t->n_finished && i < t->n_places; i++)
		if (t->kernel[i] && (!best || t->kernel[i]->launch->uid < (*best)->launch->uid))
			best = &t->kernel[i];
	if (best) {
		(*best)->end_cycle = t->cycle;
		t->finished[t->n_finished++] = *best;
		t->n_latent -= (*best)->latency != 0;
		*best = NULL;
		t->n_kernel--;
	}
	return t->n_finished ? hand_out(t) : NULL;
}

// A cycle up to which time may pass at once.
static uint64_t before_limit(const struct timing *t, uint64_t end)
{
	uint64_t most = (uint64_t)t->opt->gpgpu_max_cycle;
	return most && most < end ? most : end;
}

static uint64_t at_most(uint64_t n, uint64_t limit) { return n < limit ? n : limit; }

struct kernel_launch *timing_run(struct timing *t, uint64_t budget)
{
	uint64_t end = t->cycle + budget;
	if (t->limit_text || t->broken)
		return take_cut_off(t);
	while (t->cycle < end && !t->broken) {
		struct kernel_launch *l = take_finished(t);
		if (l)
			return l;
		if (!timing_busy(t))
			return NULL;
		if (t->opt->gpgpu_max_cycle || t->opt->gpgpu_max_insn || t->opt->gpgpu_max_cta || t->opt->gpgpu_max_completed_cta)
			if (limits_reached(t))
				return take_cut_off(t);
		if (t->cycle >= t->next_look) {
			look_around(t);
			if (t->interrupt && atomic_load(t->interrupt))
				return NULL;
		}
		uint64_t n = quiet(t), stop = before_limit(t, end);
		if (n == UINT64_MAX) {
			if (!unstick(t))
				give_up_once_more(t, "deadlock: no warp can ever move again");
			continue;
		}
		if (!t->tick_all) {
			if (n && n != UINT64_MAX)
				skip(t, at_most(n, at_most(stop, t->next_look) - t->cycle));
			if (t->cycle >= stop || t->cycle >= t->next_look)
				continue;
		}
		step(t);
	}
	return t->broken ? take_cut_off(t) : take_finished(t);
}

void timing_end_interval(struct timing *t)
{
	struct timing_stats *s = &t->stats;
	s->tot_cycles += s->cycles;
	s->tot_insts += s->insts;
	s->tot_ctas += s->ctas_issued;
	s->tot_parallel_requests += s->parallel_requests;
	s->tot_parallel_replies += s->parallel_replies;
	s->tot_parallel_util_requests += s->parallel_util_requests;
	s->tot_parallel_util_cycles += s->parallel_util_cycles;
	for (int i = 0; i < 2; i++)
		s->tot_occupancy[i] += s->occupancy[i];
	memory_sample_latency(t->memory);
	t->next_sample = t->sample_every;
	s->cycles = s->insts = s->ctas_issued = 0;
	s->parallel_requests = s->parallel_replies = s->parallel_util_requests = s->parallel_util_cycles = 0;
}

void timing_host_copy(struct timing *t, uint64_t addr, uint64_t bytes) { memory_host_copy(t->memory, addr, bytes, t->cycle); }
