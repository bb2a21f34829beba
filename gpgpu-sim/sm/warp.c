// What a warp waits for, and the instructions of it that are in flight.
#include "gpgpu-sim/sm/sm.h"

#include "base/mem.h"

#include <string.h>

enum { INST_CHUNK = 64 };

// --- instructions in flight. The pool grows when all are out, which buffers bound to a few times in a run.

static void grow(struct sm *m)
{
	char *chunk = mem_alloc_dense((size_t)INST_CHUNK * m->core->inst_bytes);
	uint32_t n = m->n_inst + INST_CHUNK;
	m->inst = mem_realloc(m->inst, n * sizeof *m->inst);
	m->free_inst = mem_realloc(m->free_inst, n * sizeof *m->free_inst);
	for (uint32_t i = INST_CHUNK; i-- > 0;) {
		struct winst *w = (void *)(chunk + (size_t)i * m->core->inst_bytes);
		w->index = m->n_inst + i;
		m->inst[w->index] = w;
		m->free_inst[m->n_free_inst++] = w;
	}
	m->n_inst = n;
}

struct winst *sm_inst_new(struct sm *m)
{
	if (!m->n_free_inst)
		grow(m);
	struct winst *w = m->free_inst[--m->n_free_inst];
	uint32_t index = w->index;
	*w = (struct winst){.index = index, .uid = ++m->next_uid};
	return w;
}

void sm_inst_free(struct sm *m, struct winst *w)
{
	HEDDLE_ASSERT(!w->access && !w->in_pipe);
	m->free_inst[m->n_free_inst++] = w;
}

void sm_insts_free(struct sm *m)
{
	for (uint32_t i = 0; i < m->n_inst; i += INST_CHUNK)
		mem_free_dense(m->inst[i], (size_t)INST_CHUNK * m->core->inst_bytes);
	mem_free(m->inst);
	mem_free(m->free_inst);
}

// --- what a warp waits for

void sm_invalidate_l1(struct sm *m)
{
	if (m->ldst.l1d.cache)
		cache_invalidate(m->ldst.l1d.cache);
}

// A fence holds a warp until what it wrote before is seen and what it read before is there. Stores are counted when they
// leave the pipe, so the pipe must be empty too, the fence itself included.
void sm_end_fence(struct sm *m, unsigned warp)
{
	uint64_t bit = (uint64_t)1 << warp;
	const struct sm_warp *w = &m->warp[warp];
	if (w->pending)
		return;
	if (m->cfg->fence_waits_for_stores && (w->stores || w->in_pipe))
		return;
	m->at_fence &= ~bit;
	if (m->core->may_go)
		m->core->may_go(m, warp);
	if (m->cfg->flush_l1)
		sm_invalidate_l1(m);
}

void sm_complete(struct sm *m, struct winst *w)
{
	m->last_done = m->now;
	m->stats.warp_insts++;
	m->stats.thread_insts += fe_lanes(w->mask);
	if (m->world->lines)
		m->world->lines[w->line].n[SM_LINE_LATENCY] += (m->now - w->issued) * fe_lanes(w->mask);
}

void sm_left_pipe(struct sm *m, struct winst *w)
{
	HEDDLE_ASSERT(w->in_pipe && m->warp[w->warp].in_pipe > 0);
	w->in_pipe = false;
	m->warp[w->warp].in_pipe--;
	sm_check_fence(m, w->warp);
	sm_check_leaving(m, w->warp);
}

void sm_store_begins(struct sm *m, unsigned warp, uint32_t acks)
{
	m->warp[warp].stores += acks;
	m->stores += acks;
}

// It was one of a CTA that has left.
static void store_owed(struct sm *m, unsigned warp)
{
	struct sm_owing *first = m->owing[warp].at;
	m->owed[warp]--;
	if (--first->acks)
		return;
	sm_tell(m, (struct sm_message){.kind = SM_STORED, .k = first->k});
	memmove(first, first + 1, --m->owing[warp].n * sizeof *first);
}

void sm_store_done(struct sm *m, unsigned warp)
{
	HEDDLE_ASSERT(m->warp[warp].stores > 0 && m->stores > 0);
	m->warp[warp].stores--;
	m->stores--;
	if (m->owed[warp])
		store_owed(m, warp);
	sm_check_fence(m, warp);
	sm_check_leaving(m, warp);
}

void sm_store_ack(struct sm *m, struct mem_req *r) { sm_store_done(m, r->warp); }

void sm_atomic_done(struct sm *m, unsigned warp, unsigned lanes)
{
	struct sm_warp *w = &m->warp[warp];
	HEDDLE_ASSERT(w->atomics >= lanes);
	w->atomics -= lanes;
	if (w->atomics)
		return;
	m->at_atomic &= ~((uint64_t)1 << warp);
	if (m->core->may_go)
		m->core->may_go(m, warp);
}
