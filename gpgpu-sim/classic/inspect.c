// For people who look inside the classic core.
#include "gpgpu-sim/classic/classic.h"

#include "gpgpu-sim/sm/inspect.h"

#include <stdio.h>

typedef unsigned long long ull;

static const char *pipe_name(unsigned pipe)
{
	static const char *const name[] = {"SP",     "DP",     "INT",    "SFU",    "MEM",    "TENSOR", "SPEC_1",
	                                   "SPEC_2", "SPEC_3", "SPEC_4", "SPEC_5", "SPEC_6", "SPEC_7", "SPEC_8"};
	return pipe < PIPE_N ? name[pipe] : "none";
}

// --- what a warp waits for

enum sm_wait classic_wait_of(const struct sm *m, unsigned slot)
{
	const struct classic *c = m->classic;
	uint64_t bit = (uint64_t)1 << slot;
	if (c->imiss & bit)
		return SM_WAIT_IMISS;
	if (c->ib_empty & bit)
		return SM_WAIT_FETCH;
	if (c->mismatch & bit)
		return SM_WAIT_FLUSH;
	if (!(c->ready & bit))
		return SM_WAIT_REGISTER;
	unsigned pipe = core_cost(m->cfg, m->warp[slot].next)->pipe;
	return regs_has_free(&c->id_oc[pipe], m->cfg->sub_core, sm_scheduler_of(m, slot)) ? SM_WAIT_TURN : SM_WAIT_PIPE;
}

// The register that keeps the warp's next instruction from issuing, 0 if none.
static unsigned blocking_register(const struct sm *m, unsigned slot)
{
	const struct sm_warp *w = &m->warp[slot];
	const struct isa_inst *i = w->next;
	for (unsigned k = 0; i && k < i->n_src; k++)
		if (w->reg[i->src[k] / 64] >> i->src[k] % 64 & 1)
			return i->src[k];
	for (unsigned k = 0; i && k < i->n_dst; k++)
		if (w->reg[i->dst[k] / 64] >> i->dst[k] % 64 & 1)
			return i->dst[k];
	return 0;
}

// Has not left the SM: the pool keeps others too.
static bool live(const struct sm *m, const struct winst *w) { return w->in_pipe || w->refs || w == m->classic->ldst.next_wb; }

// The instruction in flight that will write it; NULL if none is known.
static const struct winst *producer(const struct sm *m, unsigned slot, unsigned reg)
{
	const struct winst *best = NULL;
	for (uint32_t i = 0; i < m->n_inst; i++) {
		const struct winst *w = m->inst[i];
		if (!w->st || w->warp != slot || !live(m, w) || (best && best->uid > w->uid))
			continue;
		for (unsigned k = 0; k < w->st->n_dst; k++)
			if (w->st->dst[k] == reg)
				best = w;
	}
	return best;
}

void classic_print_wait(const struct sm *m, unsigned slot, char *buf, size_t len)
{
	const struct sm_warp *w = &m->warp[slot];
	char name[64], inst[400];
	enum sm_wait why = sm_wait_of(m, slot);
	switch (why) {
	case SM_WAIT_BARRIER:
		w->k->launch->fe->describe(w->fe, w->fe_warp, buf, len);
		if (buf[0])
			return;
		break;
	case SM_WAIT_REGISTER: {
		unsigned reg = blocking_register(m, slot);
		const struct winst *by = producer(m, slot, reg);
		w->k->launch->fe->register_name(w->k->launch->code, w->next, reg, name, sizeof name);
		if (!by) {
			snprintf(buf, len, "waits for %s, which nothing in flight writes", name);
			return;
		}
		sm_print_inst(w, by->st, inst, sizeof inst);
		int n = snprintf(buf, len, "waits for %s of %s", name, inst);
		if (n > 0 && (size_t)n < len && by->refs)
			snprintf(buf + n, len - (size_t)n, ", %u answers to come", by->refs);
		return;
	}
	case SM_WAIT_PIPE:
		snprintf(buf, len, "waits for a free place in the %s pipe", pipe_name(core_cost(m->cfg, w->next)->pipe));
		return;
	default:
		break;
	}
	snprintf(buf, len, "%s", sm_wait_text(why));
}

// --- the pipeline

static void say_inst(struct lines *to, const struct sm *m, const char *where, const struct winst *w)
{
	char inst[400];
	sm_print_inst(&m->warp[w->warp], w->st, inst, sizeof inst);
	lines_say(to, "  %-12s warp %2u, lanes %08x, issued in cycle %llu: %s%s\n", where, w->warp, w->mask, (ull)w->issued, inst,
	          w->n_access ? ", requests still to send" : "");
}

static void say_stage(struct lines *to, const struct sm *m, const char *kind, unsigned pipe, const struct register_set *s)
{
	char where[32];
	snprintf(where, sizeof where, "%s %s", pipe < PIPE_N ? pipe_name(pipe) : "", kind);
	for (uint32_t f = s->full; f; f &= f - 1)
		say_inst(to, m, pipe < PIPE_N ? where : kind, s->slot[__builtin_ctz(f)]);
}

static void say_full_stage(struct lines *to, const struct sm *m, const char *kind, unsigned pipe, const struct register_set *s)
{
	unsigned n = (unsigned)__builtin_popcount(s->full);
	if (!n)
		return;
	lines_say(to, "gpu.sm[%u] %s%s%s: %u of %u instructions%s\n", m->id, pipe < PIPE_N ? pipe_name(pipe) : "", pipe < PIPE_N ? " " : "",
	          kind, n, s->width,
	          n == s->width ? " (full)" : "");
}

static void say_cache(struct lines *to, const struct lazy_cache *lazy)
{
	const struct cache *c = lazy->cache;
	char text[300];
	if (!c || (cache_idle(c) && !cache_access_ready(c)))
		return;
	cache_describe(c, text, sizeof text);
	lines_say(to, "%s%s\n", text, cache_access_ready(c) ? ", an answer waits to be taken" : "");
}

void classic_print_queues(const struct sm *m, struct lines *to)
{
	const struct classic *c = m->classic;
	const struct ldst *l = &m->ldst;
	const struct ldst_unit *u = &c->ldst;
	char inst[400];
	for (unsigned p = 0; p < PIPE_N; p++) {
		say_full_stage(to, m, "issue registers", p, &c->id_oc[p]);
		say_full_stage(to, m, "operands ready", p, &c->oc_ex[p]);
	}
	say_full_stage(to, m, "write-back registers", PIPE_N, &c->ex_wb);
	unsigned busy = (unsigned)__builtin_popcountll(c->opcoll.busy);
	if (busy)
		lines_say(to, "gpu.sm[%u] operand collectors: %u of %u%s\n", m->id, busy, c->opcoll.n_unit, busy == c->opcoll.n_unit ? " (full)" : "");
	if (u->dispatch) {
		static const char *const why[] = {
#define X(name) #name,
			LDST_STALLS(X)
#undef X
		};
		sm_print_inst(&m->warp[u->dispatch->warp], u->dispatch->st, inst, sizeof inst);
		lines_say(to, "gpu.sm[%u] load/store unit: warp %u stands in it (%s), %u requests to send: %s\n", m->id, u->dispatch->warp,
		          why[u->stall], u->dispatch->n_access, inst);
	}
	if (u->shared.n)
		lines_say(to, "gpu.sm[%u] shared memory pipeline: %u of %u\n", m->id, u->shared.n, u->shared.size);
	if (!port_empty(&l->responses)) {
		const struct mem_req *r = port_first(&l->responses);
		lines_say(to, "gpu.sm[%u] answers to the load/store unit: %u of %u%s, the first: request %u, %s 0x%llx\n", m->id, l->responses.n,
		          l->responses.size, port_full(&l->responses) ? " (full)" : "", r->serial, mem_access_name[r->type], (ull)r->addr);
	}
	for (unsigned b = 0; u->filled && b < m->cfg->l1_banks; b++)
		if (u->bank[b].n) {
			lines_say(to, "gpu.sm[%u] l1d bank %u queue: %u of %u%s\n", m->id, b, u->bank[b].n, u->bank[b].size,
			          RING_FULL(&u->bank[b]) ? " (full)" : "");
			}
	say_cache(to, &m->l1i);
	say_cache(to, &l->l1d);
	say_cache(to, &l->l1c);
	say_cache(to, &l->l1t);
}

void classic_print_pipeline(const struct sm *m, struct lines *to)
{
	const struct classic *c = m->classic;
	if (c->fetched)
		lines_say(to, "  fetched: warp %u, pc 0x%llx\n", c->fetched_warp, (ull)c->fetched_pc);
	for (unsigned p = 0; p < PIPE_N; p++)
		say_stage(to, m, "issued", p, &c->id_oc[p]);
	for (uint64_t b = c->opcoll.busy; b; b &= b - 1) {
		const struct collector *k = &c->opcoll.unit[__builtin_ctzll(b)];
		char where[48];
		snprintf(where, sizeof where, "collector %d%s", __builtin_ctzll(b), k->waiting ? " (reads)" : "");
		say_inst(to, m, where, k->w);
	}
	for (unsigned p = 0; p < PIPE_N; p++)
		say_stage(to, m, "operands", p, &c->oc_ex[p]);
	for (unsigned n = 0; n < c->units.n; n++) {
		const struct exec_unit *u = &c->units.unit[n];
		const struct winst *dispatch = exec_unit_dispatches(u, m->now) ? u->dispatch : NULL;
		char where[48];
		snprintf(where, sizeof where, "%s unit %u", pipe_name(u->pipe), u->id);
		if (dispatch)
			say_inst(to, m, where, dispatch);
		for (uint32_t i = 1; i <= u->ring_mask + 1; i++) {
			const struct winst *w = u->ring[(m->now + i) & u->ring_mask];
			if (!w || w == dispatch)
				continue;
			snprintf(where, sizeof where, "%s unit %u +%u", pipe_name(u->pipe), u->id, i);
			say_inst(to, m, where, w);
		}
	}
	if (c->ldst.dispatch)
		say_inst(to, m, "MEM unit", c->ldst.dispatch);
	for (uint32_t i = 0; i < c->ldst.shared.n; i++)
		say_inst(to, m, "MEM shared", RING_AT(&c->ldst.shared, i)->item);
	if (c->ldst.next_wb)
		say_inst(to, m, "MEM result", c->ldst.next_wb);
	say_stage(to, m, "write-back", PIPE_N, &c->ex_wb);
	classic_print_queues(m, to);
}
