// Does the run get on? Deadlocks, requests that were lost, kernels that are given up.
#include "gpgpu-sim/gpu/timing_internal.h"

#include <stdio.h>

enum {
	STILL_LIMIT = 1 << 16, // core cycles in which nothing is under way but in SMs: above what units and stalls of an SM take
	GRACE = 10,            // a part of timing.patience, and then stopped kernels are cut off
	LOOK = 1 << 12,        // core cycles between looks at progress: some thousandths of a second for a large GPU
	AGES = 1 << 18,        // core cycles between looks at how old requests are
	SERVED = 128,          // core cycles for which one request keeps a slice of L2 or a bank of DRAM at most: an atomic's 32 lanes, a row
};

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

// Lanes of the block that have waited for as long as they want to go on.
static void expire(struct timing *t, unsigned sm, unsigned cta)
{
	struct sm *m = &t->sm[sm];
	const struct frontend_ops *fe = m->cta[cta].k->launch->fe;
	if (!fe->expire || !(m->cta[cta].warps & m->at_barrier))
		return;
	fe->expire(m->cta[cta].fe);
	for (uint64_t s = m->cta[cta].warps & m->at_barrier; s; s &= s - 1) {
		if (!fe->ready(m->cta[cta].fe, m->warp[__builtin_ctzll(s)].fe_warp))
			continue;
		sm_catch_up(m, t->cycle);
		sm_cta_warps_moved(m, cta);
		timing_wake(t, sm);
		return;
	}
}

// Before a run is given up.
bool timing_unstick(struct timing *t)
{
	bool any_moved = false;
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		for (unsigned c = 0; c < CORE_MAX_CTAS; c++)
			any_moved |= t->sm[i].cta[c].threads_left && unstick_cta(t, i, c);
	}
	return any_moved;
}

// Blocks all of whose warps wait for each other at barriers, or ask again and again in vain: none of them will ever open one, whatever
// the rest of the GPU does. The number of those that cannot be let go.
static unsigned stuck_blocks(struct timing *t)
{
	unsigned n = 0;
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		struct sm *m = &t->sm[i];
		for (unsigned c = 0; c < CORE_MAX_CTAS && m->n_cta; c++) {
			const struct sm_cta *cta = &m->cta[c];
			uint64_t live = cta->warps & m->resident & ~m->done;
			if (!cta->threads_left || !live || m->to_park >> c & 1 || grids_waits(cta->k->launch) || cta->k->launch->behind)
				continue;
			expire(t, i, c);
			const struct frontend_ops *fe = cta->k->launch->fe;
			const bool all_wait = !(live & ~m->at_barrier), hopeless = fe->hopeless ? fe->hopeless(cta->fe) : all_wait;
			if (all_wait || hopeless)
				n += !unstick_cta(t, i, c) && hopeless;
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
void timing_report_lost(struct timing *t)
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
void timing_give_up(struct timing *t, const char *what)
{
	if (!t->given_up && !t->n_kernel)
		timing_report_lost(t);
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
// for others if they have a queue of their own. Where all want the same address, all that are under way may stand before it.
static bool request_lost(struct timing *t)
{
	struct oldest o = {t->cycle, !t->opt->dram_seperate_write_queue_enable};
	mem_pool_each(t->pool, find_oldest, &o);
	return t->cycle - o.created > t->patience + SERVED * mem_pool_live(t->pool);
}

// Nothing is under way but in SMs, and has not been for long: what their warps wait for will not come.
static bool still(const struct timing *t)
{
	return t->cycle - t->last_change > STILL_LIMIT && !memory_busy(t->memory) && !icnt_busy(t->icnt) && t->next_alarm == UINT64_MAX &&
	       !timing_any(t->with_responses, t->core.n_clusters) && !timing_launches_due(t);
}

static void check_progress(struct timing *t)
{
	uint64_t n = completed_warp_insts(t);
	uint64_t requests = mem_pool_made(t->pool);
	char what[120];
	if (n != t->progress_insts || t->n_latent || t->beside || requests != t->requests)
		t->last_change = t->cycle;
	if (n != t->progress_insts || t->n_latent || t->beside)
		t->last_progress = t->cycle;
	t->progress_insts = n;
	t->requests = requests;
	bool stuck = stuck_blocks(t);
	if (!t->opt->gpgpu_deadlock_detect || t->beside)
		return;
	if (t->cycle - t->last_progress > (t->given_up ? t->patience / GRACE : t->patience)) {
		snprintf(what, sizeof what, "deadlock: no instruction was completed for %llu cycles", (unsigned long long)t->patience);
		timing_give_up(t, what);
	} else if (still(t)) {
		timing_give_up(t, "deadlock: no warp can ever move again");
	} else if (stuck && !t->given_up) {
		timing_give_up(t, "deadlock: the warps of a block all wait for each other");
	} else if (t->cycle % AGES == 0 && !t->given_up && t->n_kernel && request_lost(t)) {
		snprintf(what, sizeof what, "deadlock: a request of memory was not answered for %llu cycles", (unsigned long long)t->patience);
		timing_give_up(t, what);
	}
}

// What is looked at only now and then. Whoever looks on may want to look more often: progress is looked at in certain cycles.
void timing_look_around(struct timing *t)
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
