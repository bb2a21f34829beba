#include "gpgpu-sim/sm/inspect.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

struct out {
	void (*put)(void *ctx, const char *line);
	void *ctx;
};

static void say(const struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct out *o, const char *fmt, ...)
{
	char line[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	o->put(o->ctx, line);
}

const char *sm_wait_text(enum sm_wait w)
{
	static const char *const text[] = {
#define X(name, words) words,
		SM_WAITS(X)
#undef X
	};
	return text[w];
}

const char *sm_pipe_name(unsigned pipe)
{
	static const char *const name[] = {"SP",     "DP",     "INT",    "SFU",    "MEM",    "TENSOR", "SPEC_1",
	                                   "SPEC_2", "SPEC_3", "SPEC_4", "SPEC_5", "SPEC_6", "SPEC_7", "SPEC_8"};
	return pipe < PIPE_N ? name[pipe] : "none";
}

static unsigned scheduler_of(const struct sm *m, unsigned slot)
{
	unsigned s = 0;
	while (s + 1 < m->cfg->n_schedulers && !(m->sched[s].own >> slot & 1))
		s++;
	return s;
}

enum sm_wait sm_wait_of(const struct sm *m, unsigned slot)
{
	uint64_t bit = (uint64_t)1 << slot;
	const struct sm_warp *w = &m->warp[slot];
	if (!(m->resident & bit))
		return SM_WAIT_EMPTY;
	if (m->done & bit)
		return SM_WAIT_DRAIN;
	if (m->at_service & bit)
		return SM_WAIT_SERVICE;
	if (m->at_async & bit)
		return SM_WAIT_COPY;
	if (m->at_atomic & bit)
		return SM_WAIT_ATOMIC;
	if (m->at_fence & bit)
		return SM_WAIT_FENCE;
	if (m->at_barrier & bit)
		return SM_WAIT_BARRIER;
	if (m->imiss & bit)
		return SM_WAIT_IMISS;
	if (m->ib_empty & bit)
		return SM_WAIT_FETCH;
	if (m->mismatch & bit)
		return SM_WAIT_FLUSH;
	if (!(m->ready & bit))
		return SM_WAIT_REGISTER;
	unsigned pipe = m->cfg->cost[w->next->cls].pipe;
	return stage_has_free(&m->id_oc[pipe], m->cfg->sub_core, scheduler_of(m, slot)) ? SM_WAIT_TURN : SM_WAIT_PIPE;
}

unsigned sm_blocking_register(const struct sm *m, unsigned slot)
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

bool sm_inst_live(const struct sm *m, const struct winst *w) { return w->in_pipe || w->refs || w == m->ldst.next_wb; }

const struct winst *sm_producer(const struct sm *m, unsigned slot, unsigned reg)
{
	const struct winst *best = NULL;
	for (uint32_t i = 0; i < m->n_inst; i++) {
		const struct winst *w = m->inst[i];
		if (!w->st || w->warp != slot || !sm_inst_live(m, w) || (best && best->uid > w->uid))
			continue;
		for (unsigned k = 0; k < w->st->n_dst; k++)
			if (w->st->dst[k] == reg)
				best = w;
	}
	return best;
}

void sm_print_inst(const struct sm_warp *w, const struct isa_inst *i, char *buf, size_t len)
{
	struct fe_place p;
	snprintf(buf, len, "?");
	if (!i)
		return;
	w->k->launch->fe->place(w->k->launch->code, i, &p);
	int n = snprintf(buf, len, "%s:%u in %s: %s", p.file, p.line, p.function, p.text);
	if (n > 0 && (size_t)n < len && p.source)
		snprintf(buf + n, len - (size_t)n, " (%s:%u)", p.source, p.source_line);
}

void sm_print_wait(const struct sm *m, unsigned slot, char *buf, size_t len)
{
	const struct sm_warp *w = &m->warp[slot];
	char name[64], inst[400];
	if (m->core->print_wait && m->resident >> slot & 1) {
		m->core->print_wait(m, slot, buf, len);
		return;
	}
	enum sm_wait why = sm_wait_of(m, slot);
	switch (why) {
	case SM_WAIT_BARRIER:
		w->k->launch->fe->describe(w->fe, w->fe_warp, buf, len);
		if (buf[0])
			return;
		break;
	case SM_WAIT_REGISTER: {
		unsigned reg = sm_blocking_register(m, slot);
		const struct winst *by = sm_producer(m, slot, reg);
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
		snprintf(buf, len, "waits for a free place in the %s pipe", sm_pipe_name(m->cfg->cost[w->next->cls].pipe));
		return;
	default:
		break;
	}
	snprintf(buf, len, "%s", sm_wait_text(why));
}

// --- the pipeline

static void say_inst(const struct out *o, const struct sm *m, const char *where, const struct winst *w)
{
	char inst[400];
	sm_print_inst(&m->warp[w->warp], w->st, inst, sizeof inst);
	say(o, "  %-12s warp %2u, lanes %08x, issued in cycle %llu: %s%s\n", where, w->warp, w->mask, (ull)w->issued, inst,
	    w->n_access ? ", requests still to send" : "");
}

static void say_stage(const struct out *o, const struct sm *m, const char *kind, unsigned pipe, const struct stage *s)
{
	char where[32];
	snprintf(where, sizeof where, "%s %s", pipe < PIPE_N ? sm_pipe_name(pipe) : "", kind);
	for (uint32_t f = s->full; f; f &= f - 1)
		say_inst(o, m, pipe < PIPE_N ? where : kind, s->slot[__builtin_ctz(f)]);
}

static int say_cache(const struct out *o, const struct lazy_cache *lazy)
{
	const struct cache *c = lazy->cache;
	char text[300];
	if (!c || (cache_idle(c) && !cache_access_ready(c)))
		return 0;
	cache_describe(c, text, sizeof text);
	say(o, "%s%s\n", text, cache_access_ready(c) ? ", an answer waits to be taken" : "");
	return 1;
}

static int say_full_stage(const struct out *o, const struct sm *m, const char *kind, unsigned pipe, const struct stage *s)
{
	unsigned n = (unsigned)__builtin_popcount(s->full);
	if (!n)
		return 0;
	say(o, "gpu.sm[%u] %s%s%s: %u of %u instructions%s\n", m->id, pipe < PIPE_N ? sm_pipe_name(pipe) : "", pipe < PIPE_N ? " " : "",
	    kind, n, s->width,
	    n == s->width ? " (full)" : "");
	return 1;
}

int sm_print_queues(const struct sm *m, void (*put)(void *ctx, const char *line), void *ctx)
{
	const struct out o = {put, ctx};
	const struct ldst *l = &m->ldst;
	char inst[400];
	int n = 0;
	if (m->core->print_queues)
		return m->core->print_queues(m, put, ctx);
	for (unsigned p = 0; p < PIPE_N; p++) {
		n += say_full_stage(&o, m, "issue registers", p, &m->id_oc[p]);
		n += say_full_stage(&o, m, "operands ready", p, &m->oc_ex[p]);
	}
	n += say_full_stage(&o, m, "write-back registers", PIPE_N, &m->ex_wb);
	unsigned busy = (unsigned)__builtin_popcountll(m->opcoll.busy);
	if (busy) {
		say(&o, "gpu.sm[%u] operand collectors: %u of %u%s\n", m->id, busy, m->opcoll.n_unit, busy == m->opcoll.n_unit ? " (full)" : "");
		n++;
	}
	if (l->dispatch) {
		static const char *const why[] = {
#define X(name) #name,
			LDST_STALLS(X)
#undef X
		};
		sm_print_inst(&m->warp[l->dispatch->warp], l->dispatch->st, inst, sizeof inst);
		say(&o, "gpu.sm[%u] load/store unit: warp %u stands in it (%s), %u requests to send: %s\n", m->id, l->dispatch->warp,
		    why[l->stall], l->dispatch->n_access, inst);
		n++;
	}
	if (l->n_shared) {
		say(&o, "gpu.sm[%u] shared memory pipeline: %u of %u\n", m->id, l->n_shared, l->shared_depth);
		n++;
	}
	if (!port_empty(&l->responses)) {
		const struct mem_req *r = port_first(&l->responses);
		say(&o, "gpu.sm[%u] answers to the load/store unit: %u of %u%s, the first: request %u, %s 0x%llx\n", m->id, l->responses.n,
		    l->responses.size, port_full(&l->responses) ? " (full)" : "", r->serial, mem_access_name[r->type], (ull)r->addr);
		n++;
	}
	for (unsigned b = 0; l->l1_n && b < m->cfg->l1_banks; b++)
		if (l->bank[b].n) {
			say(&o, "gpu.sm[%u] l1d bank %u queue: %u of %u%s\n", m->id, b, l->bank[b].n, m->cfg->l1_latency,
			    l->bank[b].n == m->cfg->l1_latency ? " (full)" : "");
			n++;
		}
	return n + say_cache(&o, &m->l1i) + say_cache(&o, &l->l1d) + say_cache(&o, &l->l1c) + say_cache(&o, &l->l1t);
}

void sm_print_pipeline(const struct sm *m, void (*put)(void *ctx, const char *line), void *ctx)
{
	const struct out o = {put, ctx};
	char inst[400], wait[600];
	say(&o, "gpu.sm[%u]: %u blocks, %u threads%s\n", m->id, m->n_cta, m->threads, m->asleep ? ", asleep: nothing in it can move" : "");
	for (uint64_t s = m->resident; s; s &= s - 1) {
		unsigned i = (unsigned)__builtin_ctzll(s);
		const struct sm_warp *w = &m->warp[i];
		sm_print_inst(w, w->next, inst, sizeof inst);
		sm_print_wait(m, i, wait, sizeof wait);
		say(&o, "  warp %2u: %s%s%s; %u in the buffer, %u in the pipe, %u stores and %u atomic lanes outstanding\n", i, wait,
		    w->next ? "; next: " : "", w->next ? inst : "", w->ib_n, w->in_pipe, w->stores, w->atomics);
	}
	if (m->core->print_pipeline) {
		m->core->print_pipeline(m, put, ctx);
		return;
	}
	if (m->fetched)
		say(&o, "  fetched: warp %u, pc 0x%llx\n", m->fetched_warp, (ull)m->fetched_pc);
	for (unsigned p = 0; p < PIPE_N; p++)
		say_stage(&o, m, "issued", p, &m->id_oc[p]);
	for (uint64_t b = m->opcoll.busy; b; b &= b - 1) {
		const struct collector *c = &m->opcoll.unit[__builtin_ctzll(b)];
		char where[48];
		snprintf(where, sizeof where, "collector %d%s", __builtin_ctzll(b), c->waiting ? " (reads)" : "");
		say_inst(&o, m, where, c->w);
	}
	for (unsigned p = 0; p < PIPE_N; p++)
		say_stage(&o, m, "operands", p, &m->oc_ex[p]);
	for (uint64_t b = m->units_busy; b; b &= b - 1) {
		const struct exec_unit *u = &m->unit[__builtin_ctzll(b)];
		char where[48];
		snprintf(where, sizeof where, "%s unit %u", sm_pipe_name(u->pipe), u->id);
		if (u->dispatch)
			say_inst(&o, m, where, u->dispatch);
		for (uint32_t i = 1; i <= u->ring_mask + 1; i++) {
			const struct winst *w = u->ring[(m->now + i) & u->ring_mask];
			if (!w)
				continue;
			snprintf(where, sizeof where, "%s unit %u +%u", sm_pipe_name(u->pipe), u->id, i);
			say_inst(&o, m, where, w);
		}
	}
	if (m->ldst.dispatch)
		say_inst(&o, m, "MEM unit", m->ldst.dispatch);
	for (uint32_t i = 0; i < m->ldst.shared_depth; i++)
		if (m->ldst.shared[i])
			say_inst(&o, m, "MEM shared", m->ldst.shared[i]);
	if (m->ldst.next_wb)
		say_inst(&o, m, "MEM result", m->ldst.next_wb);
	say_stage(&o, m, "write-back", PIPE_N, &m->ex_wb);
	sm_print_queues(m, put, ctx);
}
