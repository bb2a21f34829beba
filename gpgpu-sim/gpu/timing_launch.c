// Kernels on the GPU and the launch of their CTAs: which kernels run, which SM gets a block, how a kernel ends.
#include "gpgpu-sim/gpu/timing_internal.h"

#include "base/mem.h"
#include "gpgpu-sim/modern/hazard.h"

#include <stdio.h>
#include <string.h>

enum { BEFORE_PARAMETERS = 1024 }; // bytes of constant bank 0, at most

// --- kernels

// Kernels of which no block can be on an SM, since all wait for kernels that they launched, leave room for those.
static unsigned resting(const struct timing *t)
{
	unsigned n = 0;
	for (unsigned i = 0; i < t->n_places; i++)
		n += t->kernel[i] && t->kernel[i]->parked.n && !t->kernel[i]->running && !kernel_run_more(t->kernel[i]);
	return n;
}

unsigned timing_room(const struct timing *t)
{
	unsigned n = t->n_kernel - resting(t);
	return n < t->max_kernels && t->n_kernel < TIMING_PLACES ? t->max_kernels - n : 0;
}

bool timing_launches_due(const struct timing *t)
{
	return t->grids && *t->grid_news && !t->limit_text && !t->broken && (grids_wakes(t->grids) || timing_room(t));
}

// The GPU wakes: clocks start together, as GPGPU-Sim's init does.
static void begin_running(struct timing *t)
{
	if (t->running)
		return;
	t->running = true;
	clock_restart(&t->clock);
	icnt_begin(t->icnt);
	t->last_progress = t->last_change = t->cycle;
	t->given_up = false;
}

static void empty_caches(struct timing *t)
{
	for (unsigned i = 0; i < t->core.n_sm; i++)
		sm_invalidate_l1(&t->sm[i]);
	memory_flush_l2(t->memory);
}

static bool too_large(struct timing *t, struct kernel_launch *l, unsigned limits)
{
	l->fault.kind = FAULT_LAUNCH;
	snprintf(l->fault.text, sizeof l->fault.text,
	         "kernel '%s' needs more than an SM of the configured GPU has:%s%s%s (%u threads, %u registers a thread, %u bytes of "
	         "shared memory)",
	         l->info->name, limits & CORE_LIMIT_THREADS ? " threads" : "", limits & CORE_LIMIT_SHARED ? " shared memory" : "",
	         limits & CORE_LIMIT_REGISTERS ? " registers" : "", l->block[0] * l->block[1] * l->block[2], l->info->regs,
	         l->info->static_shared + l->dynamic_shared);
	(void)t;
	return false;
}

// --- L1D and shared memory as kernels prefer them: a preference, no demand. The adaptive split goes by what kernels need
// instead.

static unsigned split_for(const struct timing *t, const struct kernel_launch *l)
{
	return l->info->static_shared + l->dynamic_shared > t->core.preferred[l->prefers].shared ? 0 : l->prefers;
}

static bool may_split(const struct timing *t)
{
	for (unsigned i = 0; i < t->core.n_sm; i++)
		if (t->sm[i].n_cta || !cache_quiet(t->sm[i].ldst.l1d.cache))
			return false;
	return !t->core.adaptive && t->core.l1d.present;
}

static void split(struct timing *t, unsigned p)
{
	struct core_config *c = &t->core;
	t->preference = p;
	c->l1d = c->preferred[p].l1d;
	c->shared_bytes = c->preferred[p].shared;
	for (unsigned i = 0; i < c->n_sm; i++)
		sm_reshape_l1d(&t->sm[i]);
}

// The kernel fits, but not with the split of those that run: it waits until the SMs are empty.
static bool must_wait(const struct timing *t, const struct kernel_run *k)
{
	const struct core_config *c = &t->core;
	return !c->adaptive && c->l1d.present && k->shared > c->shared_bytes && k->shared <= c->preferred[split_for(t, k->launch)].shared;
}

void timing_split_for_held(struct timing *t)
{
	for (unsigned i = 0; i < t->n_places && may_split(t); i++) {
		struct kernel_run *k = t->kernel[i];
		if (!k || !k->held)
			continue;
		split(t, split_for(t, k->launch));
		k->held = false;
		t->n_held--;
		t->launch_pass = true;
		return;
	}
}

// --- kernels that begin before the one in front of them has ended

// All blocks of the kernel in front have allowed it, or have ended.
static bool may_begin(const struct kernel_launch *l)
{
	const struct kernel_launch *b = l->behind;
	return !b || b->allowed >= (uint64_t)b->grid[0] * b->grid[1] * b->grid[2];
}

static void begin_behind(struct timing *t, struct kernel_run *k)
{
	k->behind = false;
	t->n_behind--;
	t->launch_pass = true;
}

void timing_look_behind(struct timing *t)
{
	for (unsigned i = 0; t->n_behind && i < t->n_places; i++)
		if (t->kernel[i] && t->kernel[i]->behind && may_begin(t->kernel[i]->launch))
			begin_behind(t, t->kernel[i]);
}

void timing_go_on(struct timing *t, struct kernel_launch *l)
{
	l->behind = NULL;
	timing_look_behind(t);
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		struct sm *m = &t->sm[i];
		for (unsigned c = 0; m->n_cta && c < CORE_MAX_CTAS; c++) {
			if (!m->cta[c].threads_left || m->cta[c].k->launch != l)
				continue;
			sm_catch_up(m, t->cycle);
			sm_cta_warps_moved(m, c);
			timing_wake(t, i);
		}
	}
}

// --- kernels begin

// Blocks that wait for each other stay together.
static void begin_waves(struct timing *t, struct kernel_run *k)
{
	k->waves = MEM_NEW(struct kernel_waves);
	k->waves->size = k->launch->grid_workspace ? UINT64_MAX : (uint64_t)k->max_ctas * t->core.n_sm;
	for (unsigned i = 0; t->n_kernel > 1 && i < t->n_places; i++)
		if (t->kernel[i] && t->kernel[i]->waves)
			t->kernel[i]->waves->beside = true;
}

// CTAs have ended.
static void look_at_waves(struct timing *t)
{
	for (unsigned i = 0; i < t->n_places; i++) {
		struct kernel_run *k = t->kernel[i];
		const uint64_t resident = k ? k->running + k->parked.n : 0;
		if (k)
			k->waves->beside |= t->beside; // the rest of another kernel that was cut may be under way
		if (!k || k->waves->cut || k->failed ||
		    !waves_take(k->waves, k->next_cta - resident, k->n_cta - k->next_cta, t->cycle, (double)t->opt->sample / 100))
			continue;
		k->waves->cut = k->n_cta = k->next_cta;
		if (!resident)
			timing_finish(t, k);
	}
}

bool timing_start(struct timing *t, struct kernel_launch *l, uint32_t line_base)
{
	if (t->broken) {
		l->fault.kind = FAULT_LAUNCH;
		snprintf(l->fault.text, sizeof l->fault.text, "kernel '%s' cannot run: requests of an earlier one are stuck in the GPU",
		         l->info->name);
		return false;
	}
	unsigned p = split_for(t, l);
	if (p != t->preference && !t->n_kernel && may_split(t))
		split(t, p);
	struct kernel_run *k = MEM_NEW(struct kernel_run);
	unsigned limits;
	k->launch = l;
	k->n_cta = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	k->threads = l->block[0] * l->block[1] * l->block[2];
	k->warps = (k->threads + 31) / 32;
	k->padded_threads = k->warps * 32;
	k->regs = l->info->regs;
	k->shared = l->info->static_shared + l->dynamic_shared;
	k->code_base = l->info->code_base;
	k->launches = l->fe->launches && l->fe->launches(l->code);
	k->line_base = line_base;
	HEDDLE_ASSERT(!(l->fe->inst_bytes & (l->fe->inst_bytes - 1)));
	k->line_shift = line_base ? (uint8_t)__builtin_ctz(l->fe->inst_bytes) : 63;
	k->counts = mem_alloc(t->core.n_sm * sizeof *k->counts);
	uint32_t shared_bytes = t->core.shared_bytes;
	k->held = must_wait(t, k);
	if (k->held)
		t->core.shared_bytes = t->core.preferred[p].shared;
	k->max_ctas = core_max_ctas(&t->core, k->threads, k->regs, k->shared, &limits);
	t->core.shared_bytes = shared_bytes;
	if (!k->max_ctas && t->opt->gpgpu_ignore_resources_limitation && k->warps <= t->core.max_warps)
		k->max_ctas = 1;
	const uint32_t with_clusters = timing_cluster_ctas(t, l, k->max_ctas);
	if (!with_clusters)
		k->max_ctas = 0;
	if (!k->max_ctas) {
		too_large(t, l, limits);
		if (!grids_depth(l)) {
			mem_free(k->counts);
			mem_free(k);
			return false;
		}
		k->max_ctas = 1; // it has been launched: it ends as it begins
		k->n_cta = 0;
	}
	t->n_held += k->held;
	k->occupancy_ctas = k->max_ctas;
	k->occupancy_limits = limits;
	// A grid that does not fill the GPU is spread over it.
	if (l->cluster[0])
		k->max_ctas = with_clusters ? with_clusters : k->max_ctas;
	else if (k->n_cta < (uint64_t)k->max_ctas * t->core.n_sm)
		k->max_ctas = (uint32_t)((k->n_cta + t->core.n_sm - 1) / t->core.n_sm);
	uint64_t n_slot = (uint64_t)(t->core.concurrent_kernels ? t->core.max_ctas : k->max_ctas) * t->core.n_sm;
	if (n_slot > k->n_cta && k->n_cta)
		n_slot = k->n_cta;
	k->slots = l->fe->slots_new(l, (uint32_t)n_slot);
	if (t->core.modern)
		k->modern = timing_code(t, l);
	if (t->core.modern && t->core.modern->check_hazards)
		k->modern->told = hazard_told_of(&t->told, l->info->name);
	k->free_slot = mem_alloc(n_slot * sizeof *k->free_slot);
	while (k->n_free_slot < n_slot) {
		k->free_slot[k->n_free_slot] = (uint32_t)(n_slot - 1 - k->n_free_slot);
		k->n_free_slot++;
	}
	k->latency = (uint64_t)t->opt->gpgpu_kernel_launch_latency + k->n_cta * (uint64_t)t->opt->gpgpu_TB_launch_latency;
	k->stream = timing_stream_number(t, l->stream);
	if (t->opt->flush_caches_at_launch && !t->n_kernel && !t->n_finished)
		empty_caches(t);
	if (t->core.modern && t->core.modern->preload_lines) // parameters have just been written
		memory_host_copy(t->memory, isa_const_address(0, 0), BEFORE_PARAMETERS + l->info->param_bytes, false, t->cycle);
	uint32_t regs = l->fe->register_count(l->code);
	for (unsigned i = 0; i < t->core.n_sm; i++)
		sm_reserve_registers(&t->sm[i], regs);
	begin_running(t);
	unsigned i = 0;
	while (t->kernel[i])
		i++;
	HEDDLE_ASSERT(i < TIMING_PLACES);
	if (i >= t->n_places)
		t->n_places = i + 1;
	t->kernel[i] = k;
	t->n_kernel++;
	if (t->opt->sample)
		begin_waves(t, k);
	t->n_latent += k->latency != 0;
	k->behind = !may_begin(l);
	t->n_behind += k->behind;
	t->launch_pass = true;
	if (!k->n_cta)
		timing_finish(t, k);
	return true;
}

// The kernel whose CTAs go next: the one that got the last turn while it has any, then round robin.
static struct kernel_run *select_kernel(struct timing *t)
{
	for (unsigned n = 0; n <= t->n_places; n++) {
		unsigned i = (t->last_kernel + n) % t->n_places;
		struct kernel_run *k = t->kernel[i];
		if (!kernel_run_more(k) || k->latency || k->held || k->behind)
			continue;
		t->last_kernel = i;
		if (!k->selected) {
			k->selected = true;
			timing_see_kernel(t, k, "begins");
			k->start_cycle = t->cycle;
		}
		return k;
	}
	return NULL;
}

// --- CTAs

// One CTA, or cluster of CTAs, for one SM of the cluster of SMs; the SM, or -1.
static int cluster_launch(struct timing *t, unsigned index)
{
	struct cluster *c = &t->cluster[index];
	unsigned n = t->core.cores_per_cluster;
	for (unsigned i = 0; i < n; i++) {
		unsigned core = (i + c->next_core + 1) % n, id = index * n + core;
		struct sm *m = &t->sm[id];
		struct kernel_run *k;
		if (m->now >= t->cycle) // it has gone ahead: it has no room now, whatever it may have where it is
			continue;
		if (t->core.concurrent_kernels) {
			k = select_kernel(t);
		} else {
			k = m->kernel;
			if (!kernel_run_more(k) && !m->threads) {
				k = select_kernel(t);
				if (k)
					timing_bind(t, id, k);
			}
		}
		if (!kernel_run_more(k) || !sm_has_room(m, k))
			continue;
		if (timing_draw_cta(t, id, k))
			; // all of the pass start together
		else if (!k->launch->cluster[0] || k->n_ready)
			timing_start_cta(t, id, k);
		else if (timing_start_all_drawn(t), !timing_launch_cluster(t, id, k)) // it looks at what other SMs have
			continue;
		c->next_core = core;
		return (int)id;
	}
	return -1;
}

// Without such a kernel no SM gets anything, and none need be asked.
static bool any_to_launch(const struct timing *t)
{
	for (unsigned i = 0, n = t->n_kernel; n && i < t->n_places; i++) {
		const struct kernel_run *k = t->kernel[i];
		if (k && kernel_run_more(k) && !k->latency && !k->held && !k->behind)
			return true;
		n -= k != NULL;
	}
	return false;
}

// Core cycles until `interval` cycles of the clock by which CTAs are launched have passed; what is left of a core cycle counts for
// the next CTA, so that the rate is exact.
static uint64_t launch_interval(struct timing *t, uint32_t interval)
{
	enum { OF_CORE, OF_NETWORK }; // values of the option; others are MHz
	const uint64_t mhz = t->opt->cta_launch_clock, core = t->desc.clock_hz[CLOCK_CORE];
	const uint64_t own = mhz == OF_CORE ? core : mhz == OF_NETWORK ? t->desc.clock_hz[CLOCK_ICNT] : mhz * 1000000;
	const uint64_t wait = interval * core + (t->cycle == t->next_launch ? t->launch_left : 0);
	t->launch_left = wait % own;
	return wait / own;
}

void timing_launch_ctas(struct timing *t)
{
	if (t->opt->sample)
		look_at_waves(t);
	unsigned last = t->last_cluster;
	const uint32_t interval = t->opt->cta_launch_interval;
	bool any = false, more = any_to_launch(t);
	if (t->cycle < t->next_launch)
		return; // launch_pass stays
	for (unsigned i = 0; more && i < t->core.n_clusters; i++) {
		unsigned index = (i + last + 1) % t->core.n_clusters;
		int id = cluster_launch(t, index);
		if (id < 0)
			continue;
		t->last_cluster = index;
		any = true;
		if (interval) {
			t->next_launch = t->cycle + launch_interval(t, interval);
			break;
		}
		const struct kernel_run *k = t->core.concurrent_kernels ? t->kernel[t->last_kernel] : t->sm[id].kernel;
		more = kernel_run_more(k) || any_to_launch(t);
	}
	timing_start_all_drawn(t);
	// Whether another CTA fits changes only when one ends or a kernel's latency is over.
	t->launch_pass = any;
}

void timing_count_latencies(struct timing *t, uint64_t cycles)
{
	for (unsigned i = 0; t->n_latent && i < t->n_places; i++) {
		struct kernel_run *k = t->kernel[i];
		if (!k || !k->latency)
			continue;
		k->latency -= cycles < k->latency ? cycles : k->latency;
		t->last_progress = t->cycle; // however long the latency: it is no deadlock
		if (!k->latency) {
			t->n_latent--;
			t->launch_pass = true;
		}
	}
}

// --- kernels that kernels launch

// The block's warps that waited for kernels it launched go on: where they are, or when it is back on an SM.
static void wake_cta(struct timing *t, const struct grids_woken *w)
{
	uint32_t id[3];
	for (unsigned i = 0; i < t->n_places; i++) {
		struct kernel_run *k = t->kernel[i];
		if (!k || k->launch != w->launch)
			continue;
		for (size_t n = 0; n < k->parked.n; n++) {
			struct parked_cta *p = &k->parked.at[n];
			w->launch->fe->cta_position(p->fe, id);
			if (memcmp(id, w->id, sizeof id))
				continue;
			p->ready = true;
			k->n_ready++;
			t->launch_pass = true;
			return;
		}
	}
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		struct sm *m = &t->sm[i];
		for (unsigned c = 0; m->n_cta && c < CORE_MAX_CTAS; c++) {
			if (!m->cta[c].threads_left || m->cta[c].k->launch != w->launch)
				continue;
			w->launch->fe->cta_position(m->cta[c].fe, id);
			if (memcmp(id, w->id, sizeof id))
				continue;
			sm_catch_up(m, t->cycle);
			m->to_park &= ~((uint64_t)1 << c);
			sm_cta_warps_moved(m, c);
			timing_wake(t, i);
			return;
		}
	}
}

void timing_serves(struct timing *t, struct grids *grids, void (*child)(void *ctx, struct kernel_launch *l), void *ctx)
{
	t->grids = grids;
	t->grid_news = grids_news(grids);
	t->child = child;
	t->child_ctx = ctx;
}

void timing_serve_launches(struct timing *t)
{
	struct grids_woken w;
	while (grids_woken(t->grids, &w))
		wake_cta(t, &w);
	while (grids_ready(t->grids) && timing_room(t))
		t->child(t->child_ctx, grids_next(t->grids));
}

// --- the end of a kernel

void timing_finish(struct timing *t, struct kernel_run *k)
{
	for (unsigned i = 0; i < t->n_places; i++)
		if (t->kernel[i] == k)
			t->kernel[i] = NULL;
	for (unsigned i = 0; i < t->core.n_sm; i++) // also those that were to take a cluster and got none of its blocks
		if (t->sm[i].kernel == k)
			t->sm[i].kernel = NULL;
	t->n_kernel--;
	t->n_latent -= k->latency != 0;
	t->n_held -= k->held;
	t->n_behind -= k->behind;
	k->end_cycle = t->cycle;
	timing_see_kernel(t, k, "has finished");
	t->finished[t->n_finished++] = k;
	if (!k->waves || !k->waves->cut) // it goes on without time
		grids_end(k->launch);
}

void timing_stop_kernel(struct timing *t, struct kernel_run *k)
{
	k->next_cta = k->n_cta;
	for (size_t i = 0; i < k->parked.n; i++) {
		k->launch->fe->cta_end(k->parked.at[i].fe);
		k->free_slot[k->n_free_slot++] = k->parked.at[i].fe_slot;
	}
	k->parked.n = k->n_ready = 0;
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		if (!t->sm[i].n_cta)
			continue;
		sm_catch_up(&t->sm[i], t->cycle);
		sm_stop_kernel(&t->sm[i], k);
		timing_wake(t, i);
	}
	if (kernel_run_over(k))
		timing_finish(t, k);
}

void timing_stop(struct timing *t)
{
	for (unsigned i = 0; i < t->n_places; i++)
		if (t->kernel[i])
			timing_stop_kernel(t, t->kernel[i]);
}

void timing_free_run(struct kernel_run *k)
{
	k->launch->fe->slots_free(k->slots);
	timing_code_done(k->modern);
	mem_free(k->free_slot);
	mem_free(k->counts);
	mem_free(k->waves);
	VEC_FREE(&k->parked);
	mem_free(k);
}
