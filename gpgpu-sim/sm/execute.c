// What happens to an instruction at issue whatever the core: it is made, executed by the front end and counted, and its warp
// goes on or waits.
#include "gpgpu-sim/sm/sm.h"

#include "gpgpu-sim/sm/bulk.h"
#include "gpgpu-sim/sm/observer.h"

static void count_line(struct sm_line *l, const struct winst *i, const struct fe_result *r)
{
	l->n[SM_LINE_COUNT] += fe_lanes(r->active);
	l->n[SM_LINE_WARPS]++;
	if (i->space == SPACE_SHARED) {
		l->n[SM_LINE_SMEM_CONFLICTS] += i->cycles;
		l->n[SM_LINE_SMEM_WARPS]++;
	} else if (i->space == SPACE_GLOBAL) {
		l->n[SM_LINE_GMEM_ACCESSES] += i->n_access;
		l->n[SM_LINE_GMEM_WARPS]++;
	}
}

static void count(struct sm *m, const struct winst *i, const struct fe_result *r)
{
	unsigned lanes = fe_lanes(r->active);
	struct sm_line *l = m->world->lines ? &m->world->lines[i->line] : NULL;
	m->stats.issued_by_slot[i->warp]++;
	m->stats.distro[SM_DISTRO_STALL + lanes]++;
	if (l)
		count_line(l, i, r);
	if (m->flow)
		m->flow[i->line] += lanes;
	if (m->by_age)
		m->by_age[m->age[i->warp] / 32 < SM_AGE_BUCKETS ? m->age[i->warp] / 32 : SM_AGE_BUCKETS - 1]++;
	if (i->st->cls == ISA_BRANCH && r->mask && r->mask != r->active) { // some lanes take it and others do not
		m->stats.diverged++;
		if (l)
			l->n[SM_LINE_DIVERGENCE]++;
	}
}

// Its part in the groups of its warp.
static void join_groups(struct sm *m, struct winst *i)
{
	struct sm_groups *g = m->warp[i->warp].groups;
	switch ((enum isa_async)i->st->async) {
	case ISA_ASYNC_COPY: i->group = sm_group_join(m, i->warp, SM_COPIES); break;
	case ISA_ASYNC_COMMIT: g[SM_COPIES].open++; break;
	case ISA_ASYNC_WAIT:
		sm_group_wait(m, i->warp, SM_COPIES, i->st->async_keep);
		if (i->st->sass) // DEPBAR.LE SB0, which waits for the groups of bulk copies too
			sm_group_wait(m, i->warp, SM_BULK_READS, i->st->async_keep);
		break;
	case ISA_ASYNC_BULK_COMMIT: g[SM_BULK].open++, g[SM_BULK_READS].open++; break;
	case ISA_ASYNC_BULK_WAIT: sm_group_wait(m, i->warp, SM_BULK, i->st->async_keep); break;
	case ISA_ASYNC_BULK_WAIT_READ: sm_group_wait(m, i->warp, SM_BULK_READS, i->st->async_keep); break;
	case ISA_ASYNC_MMA: products_start(m, i); break;
	case ISA_ASYNC_MMA_LAST:
		products_start(m, i);
		g[SM_PRODUCTS].open++;
		break;
	case ISA_ASYNC_MMA_COMMIT: g[SM_PRODUCTS].open++; break;
	case ISA_ASYNC_MMA_WAIT: sm_group_wait(m, i->warp, SM_PRODUCTS, i->st->async_keep); break;
	case ISA_ASYNC_BULK_COPY: // joins when the front end has said what it starts
	case ISA_ASYNC_NONE: break;
	}
}

// What the instruction makes its warp, or the warps of its CTA, wait for.
static void executed(struct sm *m, const struct winst *i, const struct fe_result *r)
{
	const enum fe_status status = r->status;
	struct sm_warp *w = &m->warp[i->warp];
	uint64_t bit = (uint64_t)1 << i->warp;
	enum isa_class cls = (enum isa_class)i->st->cls;
	w->next = w->k->launch->fe->peek(w->fe, w->fe_warp);
	if (status == FE_DONE) {
		m->done |= bit;
		w->next = NULL;
	} else if (!w->next) {
		m->at_barrier |= bit;
		if (i->st->service == ISA_SERVICE_WAIT)
			m->to_park |= (uint64_t)1 << w->cta;
	}
	if (i->st->barrier && m->cfg->barrier_latency + m->cfg->barrier_arrival && status != FE_DONE && status != FE_FAULT)
		sm_barrier_reached(m, i->warp, (enum isa_barrier)i->st->barrier);
	else if (cls == ISA_BARRIER || cls == ISA_EXIT || cls == ISA_RET || status == FE_DONE || status == FE_BARRIER || r->wakes)
		sm_cta_warps_moved(m, w->cta);
	if (r->wakes_cluster)
		sm_wake_cluster(m, w->cta);
	if (status == FE_FAULT)
		sm_failed(m, w->k);
}

// The warp waits until the cycle ends, when the instruction has its effect.
static void put_off(struct sm *m, const struct winst *i)
{
	uint64_t bit = (uint64_t)1 << i->warp;
	m->warp[i->warp].next = NULL;
	m->at_end |= bit;
	m->at_atomic |= bit;
	effects_put_off(&m->effects, i->index);
}

static void carry_out(void *ctx, uint32_t index)
{
	struct sm *m = ctx;
	const struct winst *i = m->inst[index];
	const struct sm_warp *w = &m->warp[i->warp];
	uint64_t bit = (uint64_t)1 << i->warp;
	m->at_end &= ~bit;
	if (!w->atomics || !m->core->waits_for_atomics)
		m->at_atomic &= ~bit;
	m->result.inst = i->st;
	m->result.n_copy = 0;
	m->result.wakes_cluster = false;
	if (w->k->failed && m->now >= w->k->failed)
		m->result.status = FE_FAULT; // what others see of it ended with the cycle in which it failed
	else
		w->k->launch->fe->finish(w->fe, w->fe_warp, &m->result);
	if (m->result.n_copy)
		bulk_start(m, i, &m->result);
	if (m->done & bit) // its kernel was stopped meanwhile
		return;
	executed(m, i, &m->result);
	m->core->refresh(m, i->warp);
	sm_check_fence(m, i->warp);
	sm_check_leaving(m, i->warp);
}

void sm_commit(struct sm *m) { effects_commit(&m->effects, carry_out, m); }

bool sm_reaches_out(const struct isa_inst *st)
{
	const uint32_t own = 1u << SPACE_SHARED | 1u << SPACE_LOCAL | 1u << SPACE_CONST | 1u << SPACE_PARAM;
	if (st->ordered || st->surface || st->service || st->async == ISA_ASYNC_COPY || st->async == ISA_ASYNC_BULK_COPY)
		return true;
	if (st->cls == ISA_TEXTURE || st->cls == ISA_FENCE)
		return true;
	if (own >> st->space & 1)
		return false;
	return st->cls == ISA_LOAD || st->cls == ISA_STORE || st->cls == ISA_ATOMIC || st->has_access;
}

struct winst *sm_execute(struct sm *m, unsigned scheduler, unsigned slot)
{
	struct sm_warp *w = &m->warp[slot];
	const struct isa_inst *st = w->next;
	struct winst *i = sm_inst_new(m);
	struct fe_result *r = &m->result;
	sm_see_before(m, slot);
	i->st = st;
	i->issued = m->now;
	i->warp = (uint8_t)slot;
	i->sched = (uint8_t)scheduler;
	i->store = st->cls == ISA_STORE;
	i->atomic = st->cls == ISA_ATOMIC;
	i->load = st->cls == ISA_LOAD || st->cls == ISA_TEXTURE || i->atomic;
	i->in_pipe = true;
	i->cycles = 1;
	i->line = kernel_run_line(w->k, st);
	w->in_pipe++;
	r->wakes = r->wakes_cluster = r->ordered = false;
	w->k->launch->fe->execute(w->fe, w->fe_warp, r);
	HEDDLE_ASSERT(r->inst == st || r->status == FE_FAULT);
	i->mask = r->mask;
	sm_see_issued(m, i);
	if (st->has_access && r->mask)
		coalesce(m, i, r);
	if (st->async)
		join_groups(m, i);
	count(m, i, r);
	if (r->n_copy)
		bulk_start(m, i, r);
	if (r->status == FE_PENDING)
		put_off(m, i);
	else
		executed(m, i, r);
	return i;
}
