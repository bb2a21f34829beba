#include "cuda-sim/exec/group.h"

#include "cuda-sim/exec/engine.h"
#include "cuda-sim/exec/tries.h"

#include <stdio.h>
#include <string.h>

void exec_group_start(struct exec_cta *c)
{
	c->pool_free = 0;
	for (unsigned k = 0; k < c->n_warp; k++)
		c->warp[k]->group = (struct exec_grouped){.registers = c->registers};
}

bool exec_group_whole(const struct warp *w)
{
	const unsigned last = w->id / EXEC_GROUP_WARPS * EXEC_GROUP_WARPS + EXEC_GROUP_WARPS - 1;
	return last < w->cta->n_warp && w->cta->warp[last]->exist == FULL_MASK;
}

// --- what a warp waits for

// Has warp k of w's group come as far as w wants?
static bool has_come(const struct warp *w, const struct warp *k)
{
	return k->group.fences >= w->group.wants_fences && k->group.products >= w->group.wants_products;
}

static bool take(struct warp *w)
{
	struct exec_grouped *g = &w->group;
	if (g->wants_registers <= g->registers)
		return true;
	if (g->wants_registers - g->registers > w->cta->pool_free)
		return false;
	w->cta->pool_free -= g->wants_registers - g->registers;
	g->registers = g->wants_registers;
	return true;
}

static bool may_go(struct warp *w)
{
	const struct exec_cta *c = w->cta;
	const unsigned first = w->id / EXEC_GROUP_WARPS * EXEC_GROUP_WARPS;
	for (unsigned k = first; k < first + EXEC_GROUP_WARPS && k < c->n_warp; k++)
		if (!has_come(w, c->warp[k]))
			return false;
	return take(w);
}

static void open_all(struct exec_cta *c)
{
	for (unsigned k = 0; k < c->n_warp; k++) {
		struct warp *w = c->warp[k];
		if (!w->group.waits || !may_go(w))
			continue;
		w->group.waits = false;
		c->opened = true;
		c->engine->release(w, EXEC_GROUP, NULL);
	}
}

void exec_group_describe(const struct warp *w, char *buf, size_t len)
{
	const struct exec_cta *c = w->cta;
	const struct exec_grouped *g = &w->group;
	const unsigned first = w->id / EXEC_GROUP_WARPS * EXEC_GROUP_WARPS;
	if (g->wants_registers > g->registers) {
		snprintf(buf, len, "waits for %u registers a thread; it has %u, and of the block's pool %u are free", g->wants_registers, g->registers,
		         c->pool_free);
		return;
	}
	size_t n = (size_t)snprintf(buf, len, "waits for its warp group; missing: warp");
	for (unsigned k = first, more = 0; k < first + EXEC_GROUP_WARPS && k < c->n_warp && n < len; k++)
		if (!has_come(w, c->warp[k]))
			n += (size_t)snprintf(buf + n, len - n, "%s %u%s", more++ ? "," : "", k, c->warp[k]->live ? "" : " (exited)");
}

// --- the instructions

static bool may_change(struct warp *w, const struct uop *u, uint32_t mask, bool more)
{
	const unsigned lane = (unsigned)__builtin_ctz(mask), now = w->group.registers;
	if (mask != FULL_MASK || !exec_group_whole(w))
		exec_fault(w, u, FAULT_ILLEGAL_INSTRUCTION, lane, 0, "registers are given back and taken by whole warp groups: four warps of 32 threads");
	else if (more ? u->imm < now : u->imm > now)
		exec_fault(w, u, FAULT_ILLEGAL_INSTRUCTION, lane, 0, "the warp has %u registers a thread and asks for %s: %u", now,
		           more ? "more" : "fewer", (unsigned)u->imm);
	else
		return true;
	return false;
}

static void commit(struct exec_grouped *g) { g->end_of[g->groups++ % EXEC_GROUPS] = g->products; }

bool exec_group_step(struct warp *w, const struct uop *u, uint32_t mask)
{
	struct exec_grouped *g = &w->group;
	const uint32_t imm = (uint32_t)u->imm;
	exec_try_anew(w);
	switch ((enum exec_group_op)u->x[0]) {
	case EXEC_GROUP_LESS:
		if (!w->cta->registers)
			return true;
		if (!may_change(w, u, mask, false))
			return false;
		w->cta->pool_free += g->registers - imm;
		g->registers = g->wants_registers = imm;
		break;
	case EXEC_GROUP_MORE:
		if (!w->cta->registers)
			return true;
		if (!may_change(w, u, mask, true))
			return false;
		g->wants_registers = imm;
		break;
	case EXEC_GROUP_FENCE:
		g->wants_fences = ++g->fences;
		break;
	case EXEC_GROUP_COMMIT:
		commit(g);
		return true;
	case EXEC_GROUP_WAIT:
		if (imm >= g->groups || imm >= EXEC_GROUPS)
			return true;
		g->wants_products = g->end_of[(g->groups - 1 - imm) % EXEC_GROUPS];
		break;
	}
	g->waits = !may_go(w);
	open_all(w->cta);
	return !g->waits;
}

void exec_group_product(struct warp *w, bool closes)
{
	exec_try_anew(w);
	w->group.products++;
	if (closes)
		commit(&w->group);
	open_all(w->cta);
}
