#include "cuda-sim/exec/cluster.h"

#include "cuda-sim/exec/check.h"
#include "cuda-sim/exec/checker.h"
#include "cuda-sim/exec/front.h"
#include "cuda-sim/exec/shared.h"
#include "cuda-sim/exec/tries.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

// --- CTAs come and go

void exec_cluster_join(struct exec_slots *slots, struct exec_cta *const cta[], uint32_t n)
{
	struct exec_cluster *l = slots->free_cluster;
	if (l) {
		slots->free_cluster = l->next;
	} else {
		l = MEM_NEW(struct exec_cluster);
		VEC_PUSH(&slots->cluster, l);
	}
	*l = (struct exec_cluster){.n = n, .left = n};
	for (uint32_t k = 0; k < n; k++) {
		l->cta[k] = cta[k];
		cta[k]->cluster = l;
		cta[k]->rank = k;
	}
}

void exec_cluster_leave(struct exec_slots *slots, struct exec_cta *c)
{
	struct exec_cluster *l = c->cluster;
	c->cluster = NULL;
	l->cta[c->rank] = NULL;
	if (--l->left)
		return;
	l->next = slots->free_cluster;
	slots->free_cluster = l;
}

// --- the barrier

static struct exec_cluster *barrier_of(struct exec_cta *c) { return c->cluster ? c->cluster : &c->alone; }

void exec_cluster_opened(const struct exec_cta *by, struct exec_cta *to)
{
	to->opened = true;
	if (by == to)
		return;
	to->idle = 0;
	to->cluster->opened = true;
}

static void open(struct exec_cta *by, struct exec_cluster *l)
{
	uint32_t threads = 0;
	for (uint32_t k = 0; k < l->n; k++)
		threads += l->cta[k] ? l->cta[k]->live_threads : 0;
	if (!l->arrived || l->arrived < threads)
		return;
	l->arrived = 0;
	for (uint32_t k = 0; k < l->n; k++) {
		struct exec_cta *c = l->cta[k];
		if (!c)
			continue;
		if (c->check)
			c->check->by->open(c, EXEC_AT_CLUSTER);
		for (unsigned i = 0; i < c->n_warp; i++) {
			c->warp[i]->cluster_open = 0;
			c->engine->release(c->warp[i], EXEC_AT_CLUSTER, NULL);
		}
		exec_cluster_opened(by, c);
	}
}

void exec_cluster_exits(struct exec_cta *c)
{
	struct exec_cluster *l = barrier_of(c);
	if (!l->arrived)
		return;
	for (unsigned k = 0; k < c->n_warp; k++) {
		struct warp *w = c->warp[k];
		l->arrived -= (uint32_t)__builtin_popcount(w->cluster_open & ~w->live);
		w->cluster_open &= w->live;
	}
	open(c, l);
}

static bool arrive(struct warp *w, const struct uop *u, uint32_t mask)
{
	struct exec_cluster *l = barrier_of(w->cta);
	const uint32_t again = mask & w->cluster_came;
	if (again) {
		exec_fault(w, u, FAULT_ILLEGAL_INSTRUCTION, (unsigned)__builtin_ctz(again), 0,
		           "it arrives at the barrier of the cluster and has not waited there since it arrived last");
		return false;
	}
	w->cluster_came |= mask;
	w->cluster_open |= mask;
	l->arrived += (uint32_t)__builtin_popcount(mask);
	if (w->cta->check)
		w->cta->check->by->arrive(w, mask, EXEC_AT_CLUSTER, true, false);
	open(w->cta, l);
	return true;
}

static bool wait(struct warp *w, const struct uop *u, uint32_t mask)
{
	const uint32_t never = mask & ~w->cluster_came;
	if (never) {
		exec_fault(w, u, FAULT_ILLEGAL_INSTRUCTION, (unsigned)__builtin_ctz(never), 0,
		           "it waits at the barrier of the cluster and has not arrived there since it waited last");
		return false;
	}
	w->cluster_came &= ~mask;
	return !(w->cluster_open & mask);
}

bool exec_cluster_step(struct warp *w, const struct uop *u, uint32_t mask)
{
	exec_try_anew(w);
	return u->x[0] == EXEC_CLUSTER_ARRIVE ? arrive(w, u, mask) : wait(w, u, mask);
}

bool exec_cluster_idle(const struct exec_cta *c)
{
	enum { PATIENCE = 64 }; // turns of all warps
	const struct exec_cluster *l = c->cluster;
	if (c->idle + 1 < c->n_warp)
		return false;
	if (c->idle >= PATIENCE * c->n_warp)
		return true;
	for (uint32_t k = 0; l && k < l->n; k++)
		if (l->cta[k] && l->cta[k] != c && l->cta[k]->live_threads && l->cta[k]->idle < l->cta[k]->n_warp)
			return false;
	return true;
}

bool exec_cluster_waits(const struct exec_cta *c)
{
	const struct exec_cluster *l = c->cluster;
	for (uint32_t k = 0; l && k < l->n; k++) {
		const struct exec_cta *o = l->cta[k];
		for (unsigned i = 0; o && o != c && i < o->n_warp; i++)
			if (o->warp[i]->live && o->engine->can_run(o->warp[i]))
				return false;
	}
	return true;
}

// The first warps that have not come: "; missing: block (1,0,0) warp 1, 2".
static void missing(const struct exec_cluster *l, char *buf, size_t len)
{
	enum { MOST = 6 };
	size_t n = 0;
	unsigned count = 0;
	buf[0] = 0;
	for (uint32_t k = 0; k < l->n; k++) {
		const struct exec_cta *c = l->cta[k];
		bool named = false;
		for (unsigned i = 0; c && i < c->n_warp && n + 64 < len; i++) {
			if (!(c->warp[i]->live & ~c->warp[i]->cluster_open))
				continue;
			if (count++ == MOST) {
				snprintf(buf + n, len - n, " and more");
				return;
			}
			if (named)
				n += (size_t)snprintf(buf + n, len - n, ", %u", i);
			else
				n += (size_t)snprintf(buf + n, len - n, "%s block (%u,%u,%u) warp %u", count == 1 ? "; missing:" : ",", c->id[0], c->id[1],
				                      c->id[2], i);
			named = true;
		}
	}
}

void exec_cluster_describe(const struct exec_cta *c, char *buf, size_t len)
{
	const struct exec_cluster *l = c->cluster ? c->cluster : &c->alone;
	uint32_t threads = 0;
	char others[300];
	for (uint32_t k = 0; k < l->n; k++)
		threads += l->cta[k] ? l->cta[k]->live_threads : 0;
	missing(l, others, sizeof others);
	snprintf(buf, len, "waits at the barrier of the cluster (%u of %u threads have come%s)", l->arrived, threads, others);
}

// --- memory

bool exec_cluster_access(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, uint32_t bytes, bool write, uint64_t adr[WARP])
{
	const uint64_t wrap = u->flags & UOP_ADDR64 ? UINT64_MAX : UINT32_MAX;
	for (uint32_t m = mask; m; m &= m - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(m);
		struct exec_place p;
		if (!exec_shared_place(w, u, lane, exec_lane_addr(fp, u, lane) & wrap, bytes, bytes, write, EXEC_CLUSTER, &p))
			return false;
		adr[lane] = (uint64_t)p.at;
	}
	for (unsigned lane = 0; lane < WARP; lane++)
		if (!(mask >> lane & 1))
			adr[lane] = adr[__builtin_ctz(mask)];
	return true;
}
