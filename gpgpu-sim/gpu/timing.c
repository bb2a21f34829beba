// The timing model as a whole: it is made from the options, runs kernels and hands them out.
#include "gpgpu-sim/gpu/timing_internal.h"

#include "base/mem.h"
#include "gpgpu-sim/gpu/core_models.h"
#include "gpgpu-sim/modern/hazard.h"

#include <stdio.h>
#include <string.h>

enum {
	QUIET_LIMIT = 1000000, // core cycles without a completed instruction before the run is called a livelock, or more: timing.patience
	MEMORY_POOL = 1024,    // requests that the memory side and a cluster begin with: most programs need no more
	CLUSTER_POOL = 64,
};

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

// The configuration, the memory side and the network: all that options can be wrong in but for what an SM finds.
static bool make_surroundings(struct timing *t, struct diag *d)
{
	const struct options *o = t->opt;
	bool ok = core_config_from_options(&t->core, o, d) && make_caches_right(&t->core, d);
	if (ok && options_modern_core(o)) {
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
	return ok;
}

// The first n SMs.
static bool make_sms(struct timing *t, unsigned n, struct diag *d)
{
	struct sm_world world;
	bool ok = true;
	timing_make_world(t, &world);
	timing_share_out(t, &world);
	t->sm = mem_alloc_dense(t->core.n_sm * sizeof *t->sm);
	struct mem_pool *pool = NULL; // of the cluster
	for (unsigned i = 0; i < n && ok; i++) {
		if (i % t->core.cores_per_cluster == 0)
			pool = mem_pool_beside(t->pool, CLUSTER_POOL);
		ok = sm_init(&t->sm[i], core_model_of(&t->core), &t->core, i, &t->share[0].world, pool, d);
	}
	return ok;
}

bool timing_possible(const struct options *o, const struct gpu_desc *desc, struct diag *d)
{
	struct timing *t = MEM_NEW(struct timing);
	t->opt = o;
	t->desc = *desc;
	bool ok = make_surroundings(t, d) && make_sms(t, 1, d);
	timing_free(t);
	return ok;
}

struct timing *timing_new(const struct options *o, const struct gpu_desc *desc, struct diag *d)
{
	struct timing *t = MEM_NEW(struct timing);
	t->opt = o;
	t->desc = *desc;
	bool ok = make_surroundings(t, d) && make_sms(t, t->core.n_sm, d);
	if (ok) {
		t->cluster = mem_alloc_dense(t->core.n_clusters * sizeof *t->cluster);
		t->awake = mem_alloc((t->core.n_sm + 63) / 64 * 8);
		t->early = mem_alloc(t->core.n_sm * sizeof *t->early);
		t->wake_at = mem_alloc(t->core.n_sm * sizeof *t->wake_at);
		t->with_responses = mem_alloc((t->core.n_clusters + 63) / 64 * 8);
		t->news = mem_alloc((t->core.n_sm + 63) / 64 * 8);
		t->sent = mem_alloc((t->core.n_sm + 63) / 64 * 8);
		t->called = mem_alloc((t->core.n_clusters + 63) / 64 * 8);
		t->at_network = mem_alloc((t->core.n_sm + 63) / 64 * 8);
		for (unsigned i = 0; i < t->core.n_sm; i++)
			t->wake_at[i] = UINT64_MAX;
		// With perfect memory the queue holds whatever is asked for in a cycle.
		uint32_t size = t->core.perfect_mem ? t->core.cores_per_cluster * 4096 : t->core.ejection_buffer;
		for (unsigned i = 0; i < t->core.n_clusters; i++) {
			port_init(&t->cluster[i].responses, size);
			RING_INIT(&t->cluster[i].later, TIMING_SENT_AHEAD);
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
	t->patience = slow * (QUIET_LIMIT + (uint64_t)o->gpgpu_l2_rop_latency + (uint64_t)o->l2_far_latency + (uint64_t)o->dram_latency);
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
		RING_FREE(&t->cluster[i].later);
	}
	timing_forget_code(t);
	VEC_FREE(&t->codes);
	timing_share_free(t);
	icnt_free(t->icnt);
	if (t->memory)
		memory_free(t->memory);
	mem_pool_free(t->pool);
	hazard_told_free(t->told);
	VEC_FREE(&t->past);
	mem_free_dense(t->sm, t->core.n_sm * sizeof *t->sm);
	mem_free_dense(t->cluster, t->core.n_clusters * sizeof *t->cluster);
	mem_free(t->awake);
	mem_free(t->wake_at);
	mem_free(t->early);
	mem_free(t->with_responses);
	mem_free(t->news);
	mem_free(t->sent);
	mem_free(t->called);
	mem_free(t->at_network);
	mem_free(t);
}

// --- kernels

bool timing_busy(const struct timing *t)
{
	return t->n_kernel || t->n_finished || (t->running && !t->limit_text) || timing_launches_due(t);
}

// --- running

static uint64_t completed_insts(const struct timing *t)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < t->core.n_sm; i++)
		n += t->sm[i].stats.thread_insts;
	return n;
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

// What SMs without blocks still have to send or to take counts too, or it would stay there.
static bool draining(const struct timing *t)
{
	if (memory_busy(t->memory) || icnt_busy(t->icnt) || timing_any(t->with_responses, t->core.n_clusters))
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
	t->waves = k->waves ? *k->waves : (struct kernel_waves){0};
	memmove(t->finished, t->finished + 1, --t->n_finished * sizeof *t->finished);
	if (!t->n_kernel && !t->n_finished) {
		t->running = false;
		if (!t->broken && !t->limit_text)
			timing_report_lost(t);
		for (unsigned i = 0; i < t->core.n_sm && !t->broken; i++)
			sm_end_kernels(&t->sm[i], t->core.flush_l1);
		if (t->opt->gpgpu_flush_l2_cache && !t->broken)
			memory_flush_l2(t->memory);
	}
	timing_settle(t);
	sum_counts(t, k);
	t->stats.insts = completed_insts(t) - t->stats.tot_insts;
	count_occupancy(t);
	timing_free_run(k);
	if (t->keep_code)
		timing_trim_code(t);
	return l;
}

// Hands out a finished kernel. The last of those that run together is given back once the memory side is quiet, so that its
// cycles include what it left there.
static struct kernel_launch *take_finished(struct timing *t)
{
	if (!t->n_finished)
		return NULL;
	timing_answers_moved(t);
	if (!t->n_kernel && t->n_finished == 1 && draining(t))
		return NULL;
	return hand_out(t);
}

// After a limit was reached nothing moves any more: what has ended is handed out, then what was cut off, oldest first.
static struct kernel_launch *take_cut_off(struct timing *t)
{
	timing_answers_moved(t);
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

// How far SMs may go ahead: up to a cycle in which somebody looks at them, and only while no block can start on one, be
// it of a kernel that the one that runs launches in this cycle. What an SM sends ahead is sure of room only if no other shares
// its way.
static uint64_t ahead_until(const struct timing *t, uint64_t stop)
{
	const struct options *o = t->opt;
	const struct kernel_run *k = NULL;
	if (t->tick_all || t->core.cores_per_cluster > 1 || t->observer.wants)
		return 0;
	if (o->gpgpu_max_insn || o->gpgpu_max_cta || o->gpgpu_max_completed_cta)
		return 0;
	if (t->n_kernel != 1 || t->n_finished || t->n_latent || t->n_held || t->n_behind || t->launch_pass ||
	    timing_launches_due(t))
		return 0;
	for (unsigned i = 0; !k; i++)
		k = t->kernel[i];
	if (k->launch->behind || isa_cluster_ctas(k->launch) > 1)
		return 0;
	const uint64_t look = at_most(timing_together(t->cycle), t->next_look);
	const uint64_t launched = k->launches ? t->cycle + (uint64_t)o->gpgpu_kernel_launch_latency : UINT64_MAX;
	const uint64_t sample = t->sample_every ? t->cycle + t->next_sample - t->stats.cycles : UINT64_MAX;
	return at_most(at_most(stop, look), at_most(launched, sample));
}

static struct kernel_launch *run(struct timing *t, uint64_t budget)
{
	uint64_t end = t->cycle + budget;
	if (t->limit_text || t->broken)
		return take_cut_off(t);
	timing_team_up(t);
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
			timing_answers_moved(t);
			timing_look_around(t);
			if (t->interrupt && atomic_load(t->interrupt))
				return NULL;
		}
		uint64_t n = timing_quiet(t), stop = before_limit(t, end);
		if (n == UINT64_MAX && t->beside)
			return NULL;
		if (n == UINT64_MAX) {
			if (!timing_unstick(t))
				timing_give_up(t, "deadlock: no warp can ever move again");
			continue;
		}
		if (!t->tick_all) {
			if (n && n != UINT64_MAX)
				timing_skip(t, at_most(n, at_most(stop, t->next_look) - t->cycle));
			if (t->cycle >= stop || t->cycle >= t->next_look)
				continue;
		}
		t->ahead = ahead_until(t, stop);
		timing_step(t);
	}
	return t->broken ? take_cut_off(t) : take_finished(t);
}

struct kernel_launch *timing_run(struct timing *t, uint64_t budget)
{
	struct kernel_launch *l = run(t, budget);
	timing_answers_moved(t);
	return l;
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

void timing_host_copy(struct timing *t, uint64_t addr, uint64_t bytes, bool written)
{
	memory_host_copy(t->memory, addr, bytes, written, t->cycle);
}

void timing_touch(struct timing *t, const struct fe_access *a)
{
	uint64_t last = UINT64_MAX;
	if (a->space != SPACE_GLOBAL && a->space != SPACE_TEX)
		return;
	for (uint32_t left = a->mask; left; left &= left - 1) {
		const uint64_t addr = a->addr[__builtin_ctz(left)];
		for (uint64_t s = addr / MEM_SECTOR; s <= (addr + a->bytes - 1) / MEM_SECTOR; s++) {
			if (s != last)
				memory_touch(t->memory, s * MEM_SECTOR, a->write, t->cycle);
			last = s;
		}
	}
}
