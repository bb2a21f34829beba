// The report of a deadlock: kernel by kernel what its warps wait for and where, requests that are under way, every queue
// that holds something. Warps that wait for the same thing at the same place make one entry.
#include "gpgpu-sim/look/deadlock.h"

#include "base/lines.h"
#include "base/mem.h"
#include "base/vec.h"
#include "gpgpu-sim/sm/inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

enum {
	SHOWN = 16,      // warps, requests and blocks named one by one; the rest is counted
	MANY_LINES = 64, // of queues
};

// --- warps

struct group {
	char *why;
	unsigned n;
	struct {
		uint16_t sm, slot;
	} who[SHOWN];
};

typedef VEC(struct group) groups;

static void add_to_group(groups *g, const char *why, unsigned sm, unsigned slot)
{
	struct group *to = NULL;
	for (size_t i = 0; i < g->n && !to; i++)
		if (strcmp(g->at[i].why, why) == 0)
			to = &g->at[i];
	if (!to) {
		struct group fresh = {.why = mem_alloc(strlen(why) + 1)};
		strcpy(fresh.why, why);
		VEC_PUSH(g, fresh);
		to = &g->at[g->n - 1];
	}
	if (to->n < SHOWN) {
		to->who[to->n].sm = (uint16_t)sm;
		to->who[to->n].slot = (uint16_t)slot;
	}
	to->n++;
}

static void why_of(const struct sm *m, unsigned slot, char *buf, size_t len)
{
	const struct sm_warp *w = &m->warp[slot];
	enum sm_wait why = sm_wait_of(m, slot);
	char inst[400];
	sm_print_wait(m, slot, buf, len);
	size_t n = strlen(buf);
	// A barrier's description says where.
	if (why != SM_WAIT_BARRIER && w->next && n < len) {
		sm_print_inst(w, w->next, inst, sizeof inst);
		snprintf(buf + n, len - n, "\n    at %s", inst);
	}
}

static void say_warp(struct lines *to, const struct sm *m, unsigned slot)
{
	const struct sm_warp *w = &m->warp[slot];
	uint32_t cta[3];
	w->k->launch->fe->cta_position(w->fe, cta);
	lines_say(to, "    gpu.sm[%u] warp %u: block (%u,%u,%u), its warp %u%s", m->id, slot, cta[0], cta[1], cta[2], w->fe_warp,
	          w->stores | w->atomics | w->pending ? ";" : "\n");
	if (w->stores | w->atomics | w->pending)
		lines_say(to, " outstanding: %u stores, %u atomic lanes, %u registers\n", w->stores, w->atomics, w->pending);
}

static void say_kernel(struct lines *to, const struct timing *t, const struct kernel_run *k)
{
	const struct kernel_launch *l = k->launch;
	groups g = {0};
	unsigned warps = 0;
	char why[1200];
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		const struct sm *m = &t->sm[i];
		for (uint64_t s = m->resident; s; s &= s - 1) {
			unsigned slot = (unsigned)__builtin_ctzll(s);
			if (m->warp[slot].k != k)
				continue;
			why_of(m, slot, why, sizeof why);
			add_to_group(&g, why, i, slot);
			warps++;
		}
	}
	lines_say(to, "kernel '%s' (launch %u, stream %llu, grid (%u,%u,%u), block (%u,%u,%u)): of %llu blocks %llu have finished, %u run with %u "
	             "warps, %llu have not begun, %zu wait for kernels that they launched\n",
	          l->info->name, l->uid, (ull)l->stream, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
	          (ull)k->n_cta, (ull)(k->next_cta - k->running - k->parked.n), k->running, warps, (ull)(k->n_cta - k->next_cta),
	          k->parked.n);
	for (size_t i = 0; i < g.n; i++) {
		const struct group *x = &g.at[i];
		lines_say(to, "  %u %s: %s\n", x->n, x->n == 1 ? "warp" : "warps", x->why);
		for (unsigned n = 0; n < x->n && n < SHOWN; n++)
			say_warp(to, &t->sm[x->who[n].sm], x->who[n].slot);
		if (x->n > SHOWN)
			lines_say(to, "    and %u more\n", x->n - SHOWN);
		mem_free(x->why);
	}
	VEC_FREE(&g);
}

// --- requests under way

struct requests {
	struct lines *to;
	unsigned n;
};

static void say_request(void *ctx, const struct mem_req *r)
{
	struct requests *x = ctx;
	char place[96];
	if (x->n++ >= SHOWN)
		return;
	if (x->n == 1)
		lines_say(x->to, "requests of memory that are not answered:\n");
	switch ((enum mem_stage)r->stage) {
	case MEM_IN_SM:
		snprintf(place, sizeof place, "in its SM since cycle %llu", (ull)r->created);
		break;
	case MEM_IN_NETWORK:
		snprintf(place, sizeof place, "in the network to sub-partition %u since cycle %llu", r->place.sub, (ull)r->since);
		break;
	case MEM_IN_PARTITION:
		snprintf(place, sizeof place, "in sub-partition %u since cycle %llu", r->place.sub, (ull)r->since);
		break;
	case MEM_AT_DRAM:
		snprintf(place, sizeof place, "at DRAM channel %u bank %u since cycle %llu", r->place.channel, r->place.bank, (ull)r->since);
		break;
	case MEM_ON_WAY_BACK:
		snprintf(place, sizeof place, "on its way back since cycle %llu", (ull)r->since);
		break;
	}
	lines_say(x->to, "  request %u, %s 0x%llx of gpu.sm[%u]", r->serial, mem_access_name[r->type], (ull)r->addr, r->sm);
	if (r->warp != MEM_NO_WARP)
		lines_say(x->to, " warp %u", r->warp);
	lines_say(x->to, ": %s\n", place);
}

// --- queues

struct queues {
	struct lines *to;
	unsigned n;
};

static void say_queue(void *ctx, const char *line)
{
	struct queues *q = ctx;
	size_t n = strlen(line);
	if (q->n++ >= MANY_LINES)
		return;
	if (q->n == 1)
		lines_say(q->to, "queues that hold something:\n");
	lines_say(q->to, "  %s%s", line, n && line[n - 1] == '\n' ? "" : "\n");
}

void deadlock_queues(struct timing *t, void (*put)(void *ctx, const char *line), void *ctx)
{
	struct lines to = {.put = put, .ctx = ctx};
	char what[96];
	for (unsigned i = 0; i < t->core.n_sm; i++)
		if (t->sm[i].n_cta || sm_holds_requests(&t->sm[i]))
			sm_print_queues(&t->sm[i], &to);
	for (unsigned i = 0; i < t->core.n_clusters; i++) {
		const struct port *p = &t->cluster[i].responses;
		if (port_empty(p))
			continue;
		port_describe(p, "responses of the cluster", what, sizeof what);
		lines_say(&to, "gpu.cluster[%u] %s%s\n", i, what, port_full(p) ? " (full)" : "");
	}
	icnt_describe(t->icnt, put, ctx);
	memory_describe(t->memory, put, ctx);
}

void deadlock_kernels(struct timing *t, void (*put)(void *ctx, const char *line), void *ctx)
{
	struct lines to = {.put = put, .ctx = ctx};
	for (unsigned i = 0; i < t->n_places; i++)
		if (t->kernel[i])
			say_kernel(&to, t, t->kernel[i]);
}

void deadlock_report(struct timing *t, void (*put)(void *ctx, const char *line), void *ctx)
{
	struct lines to = {.put = put, .ctx = ctx};
	deadlock_kernels(t, put, ctx);
	struct requests r = {&to, 0};
	mem_pool_each(t->pool, say_request, &r);
	if (r.n > SHOWN)
		lines_say(&to, "  and %u more\n", r.n - SHOWN);
	struct queues q = {&to, 0};
	deadlock_queues(t, say_queue, &q);
	if (q.n > MANY_LINES)
		lines_say(&to, "  and %u more lines\n", q.n - MANY_LINES);
	if (!q.n)
		lines_say(&to, "all queues are empty\n");
}

// The lines that scripts look for, in GPGPU-Sim's words: the SM that completed an instruction last, and when.
void deadlock_for_scripts(struct timing *t, void (*put)(void *ctx, const char *line), void *ctx)
{
	struct lines to = {.put = put, .ctx = ctx};
	unsigned last = 0, n = 0;
	for (unsigned i = 0; i < t->core.n_sm; i++)
		if (t->sm[i].last_done > t->sm[last].last_done)
			last = i;
	uint64_t at = t->sm[last].last_done, base = t->cycle - t->stats.cycles;
	lines_say(&to, "\n\nGPGPU-Sim uArch: ERROR ** deadlock detected: last writeback core %u @ gpu_sim_cycle %llu (+ gpu_tot_sim_cycle %llu) (%llu "
	              "cycles ago)\n",
	          last, (ull)(at > base ? at - base : 0), (ull)t->stats.tot_cycles, (ull)(t->cycle - at));
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		if (!t->sm[i].threads)
			continue;
		if (!n)
			lines_say(&to, "GPGPU-Sim uArch: DEADLOCK  shader cores no longer committing instructions [core(# threads)]:\n"
			              "GPGPU-Sim uArch: DEADLOCK  ");
		if (n++ < 8)
			lines_say(&to, "%u(%u) ", i, t->sm[i].threads);
	}
	lines_say(&to, "%s\n", n > 8 ? " + others ... " : "");
	if (icnt_busy(t->icnt))
		lines_say(&to, "GPGPU-Sim uArch DEADLOCK:  iterconnect contains traffic\n");
}
