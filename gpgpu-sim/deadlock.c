// What every warp waits for and every queue that holds something: the report of a deadlock.
#include "gpgpu-sim/timing.h"

#include <stdio.h>

struct out {
	void (*put)(void *ctx, const char *line);
	void *ctx;
};

static void describe_warp(const struct sm *m, unsigned slot, const struct out *o)
{
	const struct sm_warp *w = &m->warp[slot];
	const uint32_t *id = w->k->launch->grid;
	uint64_t bit = (uint64_t)1 << slot;
	char line[700], where[400] = "";
	(void)id;
	w->k->launch->fe->describe(w->fe, w->fe_warp, where, sizeof where);
	const char *why = m->at_barrier & bit   ? "waits at a barrier"
	                  : m->at_fence & bit   ? "waits at a fence for its stores and loads"
	                  : m->at_atomic & bit  ? "waits for atomics"
	                  : m->done & bit       ? "is done and waits for acknowledgements"
	                  : m->imiss & bit      ? "waits for the instruction cache"
	                  : m->ib_empty & bit   ? "waits for fetch"
	                  : m->mismatch & bit   ? "refills its buffer after a branch"
	                  : !(m->ready & bit)   ? "waits for a register"
	                                        : "is ready: its pipe is full";
	snprintf(line, sizeof line, "  gpu.sm[%u] warp %u (warp %u of its block): %s; %u stores, %u atomics, %u registers outstanding%s%s\n",
	         m->id, slot, w->fe_warp, why, w->stores, w->atomics, w->pending, where[0] ? "; " : "", where);
	o->put(o->ctx, line);
}

int sm_describe(const struct sm *m, void (*put)(void *ctx, const char *line), void *ctx)
{
	const struct out o = {put, ctx};
	int n = 0;
	for (uint64_t s = m->resident; s; s &= s - 1, n++)
		describe_warp(m, (unsigned)__builtin_ctzll(s), &o);
	return n;
}

void timing_describe(struct timing *t, void (*put)(void *ctx, const char *line), void *ctx)
{
	for (unsigned i = 0; i < t->core.n_sm; i++)
		sm_describe(&t->sm[i], put, ctx);
	icnt_describe(t->icnt, put, ctx);
	memory_describe(t->memory, put, ctx);
}
