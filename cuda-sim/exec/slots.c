// Storage of resident CTAs. See front.h.
#include "cuda-sim/exec/front.h"

#include "cuda-sim/exec/async.h"
#include "cuda-sim/exec/checker.h"
#include "cuda-sim/exec/cluster.h"
#include "cuda-sim/exec/dependents.h"
#include "cuda-sim/exec/group.h"

#include "base/assert.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void *exec_rows_alloc(size_t size)
{
	size = (size + 63) & ~(size_t)63;
	void *p = aligned_alloc(64, size ? size : 64);
	if (!p)
		mem_fail(size);
	memset(p, 0, size);
	return p;
}

void exec_slots_init(struct exec_slots *s, const struct exec_engine *engine, struct kernel_launch *launch, uint32_t n)
{
	uint32_t unit = launch->services->shared_unit, threads = launch->block[0] * launch->block[1] * launch->block[2];
	struct exec_cta *c = &s->like;
	c->engine = engine;
	c->launch = launch;
	c->n_warp = (threads + WARP - 1) / WARP;
	memcpy(c->block, launch->block, sizeof c->block);
	c->shared_asked = c->shared_size;
	// An access that runs over the end of what the kernel asked for, but not of what the CTA gets, passes on a GPU.
	if (unit)
		c->shared_size = (c->shared_size + unit - 1) / unit * unit;
	inst_log_begin(launch->services->log, launch, engine->log);
	s->cta = mem_alloc(n * sizeof *s->cta);
	s->n = n;
}

static struct warp *warp_at(uint8_t *warps, const struct exec_engine *e, unsigned k)
{
	return (struct warp *)(warps + k * e->warp_bytes);
}

static struct exec_cta *cta_new(struct exec_slots *s)
{
	const struct exec_cta *like = &s->like;
	const struct exec_engine *e = like->engine;
	struct exec_cta *c = mem_alloc(e->cta_bytes);
	uint32_t left = like->block[0] * like->block[1] * like->block[2];
	*c = *like;
	c->slots = s;
	c->shared = exec_rows_alloc((size_t)c->shared_size + 64); // so that vector copies may read past the end
	c->warp = mem_alloc(c->n_warp * sizeof *c->warp);
	uint8_t *warps = mem_alloc_lines(c->n_warp * e->warp_bytes);
	for (unsigned k = 0; k < c->n_warp; k++, left -= WARP) {
		struct warp *w = c->warp[k] = warp_at(warps, e, k);
		w->cta = c;
		w->id = k;
		w->exist = left >= WARP ? FULL_MASK : (1u << left) - 1;
		// calloc: pages of local memory that are never touched cost nothing.
		w->local = c->local_size ? calloc((size_t)c->local_size + 16, WARP) : NULL;
		if (c->local_size && !w->local)
			mem_fail((size_t)c->local_size * WARP);
	}
	e->cta_new(c, s);
	if (c->launch->services->checker)
		c->launch->services->checker->cta_new(c->launch->services->checker, c);
	return c;
}

static void cta_free(struct exec_cta *c)
{
	if (c->check)
		c->check->by->cta_free(c);
	c->engine->cta_free(c);
	for (unsigned k = 0; k < c->n_warp; k++)
		free(c->warp[k]->local);
	free(c->shared);
	exec_copies_free(c);
	mem_free(c->last_error);
	mem_free(c->warp[0]); // all of them
	mem_free(c->warp);
	mem_free(c);
}

void exec_slots_free(struct exec_slots *s)
{
	for (uint32_t n = 0; n < s->n; n++)
		if (s->cta[n])
			cta_free(s->cta[n]);
	mem_free(s->cta);
	for (size_t k = 0; k < s->cluster.n; k++)
		mem_free(s->cluster.at[k]);
	VEC_FREE(&s->cluster);
}

// Of a block of the grid, the rank of its CTA in its cluster.
static uint32_t rank_of(const struct kernel_launch *l, const uint32_t id[3])
{
	const uint32_t *n = l->cluster;
	return n[0] ? id[0] % n[0] + n[0] * (id[1] % n[1] + n[1] * (id[2] % n[2])) : 0;
}

struct fe_cta *exec_front_cta_start(void *slots, uint32_t slot, const uint32_t cta[3], const struct fe_sm *sm)
{
	struct exec_slots *s = slots;
	if (!s->cta[slot])
		s->cta[slot] = cta_new(s);
	struct exec_cta *c = s->cta[slot];
	memcpy(c->id, cta, sizeof c->id);
	c->sm = sm->id;
	c->effects = sm->effects;
	c->counts = sm->counts;
	c->log = inst_log_of_sm(c->launch->services->log, c->launch, sm->id);
	if (c->came)
		memset(c->barrier, 0, sizeof c->barrier);
	c->came = 0;
	c->idle = 0;
	c->at_children = c->opened = c->allowed = c->faulted = false;
	c->meetings = c->met = 0;
	c->launches = NULL;
	mem_free(c->last_error);
	c->last_error = NULL;
	c->live_threads = c->block[0] * c->block[1] * c->block[2];
	c->cluster = NULL;
	c->rank = rank_of(c->launch, c->id);
	c->alone.n = c->alone.left = 1;
	c->alone.cta[0] = c;
	c->alone.arrived = 0;
	c->alone.opened = false;
	for (unsigned k = 0; k < c->n_warp; k++) {
		c->warp[k]->live = c->warp[k]->exist;
		c->warp[k]->fault = 0;
		c->warp[k]->settled = false;
		c->warp[k]->met = 0;
		c->warp[k]->cluster_open = c->warp[k]->cluster_came = 0;
	}
	exec_group_start(c);
	exec_copies_reset(c);
	c->clean = sm->clean;
	if (c->clean)
		memset(c->shared, 0, c->shared_size);
	for (unsigned k = 0; c->clean && c->clean_local && k < c->n_warp; k++)
		memset(c->warp[k]->local, 0, (size_t)c->clean_local * WARP);
	c->engine->cta_start(c);
	c->looked_at = c->log || c->check;
	if (c->check)
		c->check->by->cta_start(c);
	return (struct fe_cta *)c;
}

void exec_front_cta_move(struct fe_cta *cta, const struct fe_sm *sm)
{
	struct exec_cta *c = (struct exec_cta *)cta;
	c->effects = sm->effects;
	c->counts = sm->counts;
}

void exec_front_cta_end(struct fe_cta *cta)
{
	struct exec_cta *c = (struct exec_cta *)cta;
	exec_dependents_allow(c);
	if (c->check)
		c->check->by->cta_end(c);
	if (c->cluster)
		exec_cluster_leave(c->slots, c);
}

void exec_front_cluster_join(void *slots, struct fe_cta *const cta[], unsigned n)
{
	struct exec_cta *all[EXEC_CLUSTER_MAX];
	HEDDLE_ASSERT(n <= EXEC_CLUSTER_MAX);
	for (unsigned k = 0; k < n; k++)
		all[k] = (struct exec_cta *)cta[k];
	exec_cluster_join(slots, all, n);
}
