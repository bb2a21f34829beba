#include "cuda-sim/trace/write/writer.h"

#include "base/mem.h"
#include "cuda-sim/exec/warp.h"
#include "cuda-sim/sass/exec/kernel.h"
#include "cuda-sim/simt/frontend.h"
#include "cuda-sim/trace/write/store.h"

#include <string.h>

// What stands between a core and a front end.
struct rec_frontend {
	struct frontend_ops ops;           // first: a launch leads here by its front end
	const struct frontend_ops *inner;
	const struct trace_form *form;
	struct trace_writer *writer;
};

struct trace_writer {
	struct rec_frontend ptx, sass;
	struct trace_store *store;
};

struct rec_cta;

struct rec_slots {
	struct trace_writer *w;
	const struct rec_frontend *fe;
	void *inner, *form;
	struct kernel_launch *launch;
	struct store_kernel *to;
	struct fe_result late;     // finish comes from one thread at a time
	struct rec_cta **cta;
	uint32_t n;
};

// A bulk copy that was put off: what it asks for is known when it is carried out.
struct late {
	const struct isa_inst *inst;
	uint32_t active, mask;
};

struct rec_cta {
	struct fe_cta *inner;
	struct rec_slots *slots;
	uint32_t id[3];
	unsigned n_warp;
	bool *waits;               // by warp
	struct late *late;         // by warp
	struct store_warp warp[];
};

static struct rec_cta *rec(const struct fe_cta *c) { return (struct rec_cta *)(uintptr_t)c; }
static const struct frontend_ops *inner_of(const struct rec_cta *c) { return c->slots->fe->inner; }

// --- barriers: a warp that waits has arrived at one, and so has the warp that lets others go on

static bool let_go(struct rec_cta *c)
{
	bool any = false;
	for (unsigned k = 0; k < c->n_warp; k++) {
		if (!c->waits[k] || !inner_of(c)->ready(c->inner, k))
			continue;
		c->waits[k] = false;
		any = true;
	}
	return any;
}

static void put_inst(struct rec_cta *c, struct store_warp *w, const struct fe_result *r, const struct trace_look *look, enum trace_meets meets,
                     const struct isa_inst *next)
{
	c->slots->fe->form->inst(c->slots->form, r, look, meets, next, &w->records);
	w->insts++;
}

static void execute(struct fe_cta *cta, unsigned warp, struct fe_result *out)
{
	struct rec_cta *c = rec(cta);
	const struct frontend_ops *fe = inner_of(c);
	struct store_warp *w = &c->warp[warp];
	const struct trace_form *form = c->slots->fe->form;
	const struct isa_inst *first = form->look ? fe->peek(c->inner, warp) : NULL;
	struct trace_look look;
	if (first)
		form->look(c->slots->form, c->inner, warp, first, &look);
	fe->execute(c->inner, warp, out);
	if (!out->inst || out->status == FE_FAULT)
		return;
	const struct isa_inst *i = out->inst;
	if (out->status == FE_PENDING && i->async == ISA_ASYNC_BULK_COPY && !out->n_access) {
		c->late[warp] = (struct late){i, out->active, out->mask};
		return;
	}
	if (out->status == FE_PENDING) {
		put_inst(c, w, out, &look, MEETS_NOT, NULL);
		return;
	}
	bool ends = out->status == FE_DONE, barrier = i->cls == ISA_BARRIER;
	bool opened = (ends || barrier || i->cls == ISA_EXIT || i->cls == ISA_RET) && let_go(c);
	const struct isa_inst *next = ends ? NULL : fe->peek(c->inner, warp);
	c->waits[warp] = !ends && !next;
	// A wait for an mbarrier, or at the barrier of a cluster, is no meeting of the block: replays go by it as by any other instruction.
	bool tries = i->cls == ISA_ATOMIC || i->cls == ISA_ALU;
	bool meets = (c->waits[warp] && !tries) || (opened && barrier), jumps = i->cls == ISA_CALL || i->cls == ISA_RET;
	uint32_t lanes = next && fe->active && (barrier || jumps) ? fe->active(c->inner, warp) : 0;
	bool apart = barrier && !meets && !ends && fe->active && !(lanes & out->active);
	put_inst(c, w, out, &look, meets ? MEETS : apart ? MEETS_APART : MEETS_NOT, jumps && lanes == out->active ? next : NULL);
}

static void finish(struct fe_cta *cta, unsigned warp, struct fe_result *out)
{
	struct rec_cta *c = rec(cta);
	const struct frontend_ops *fe = inner_of(c);
	fe->finish(c->inner, warp, out);
	struct late *late = &c->late[warp];
	if (late->inst && out->status != FE_FAULT) {
		struct fe_result *r = &c->slots->late;
		r->inst = late->inst;
		r->active = late->active;
		r->mask = late->mask;
		r->n_copy = out->n_copy;
		memcpy(r->copy, out->copy, out->n_copy * sizeof *r->copy);
		put_inst(c, &c->warp[warp], r, NULL, MEETS_NOT, NULL);
	}
	late->inst = NULL;
	c->waits[warp] = out->status != FE_FAULT && out->status != FE_DONE && !fe->peek(c->inner, warp);
}

static enum fe_status run(struct fe_cta *cta, unsigned warp, uint64_t budget, uint64_t *used)
{
	struct rec_cta *c = rec(cta);
	struct fe_result r = {.status = FE_OK};
	for (*used = 0; *used < budget;) {
		if (!inner_of(c)->peek(c->inner, warp))
			return r.status == FE_DONE ? FE_DONE : FE_BARRIER;
		execute(cta, warp, &r);
		++*used;
		if (r.status != FE_OK)
			return r.status;
	}
	return r.status;
}

static enum fe_status copy_done(struct fe_cta *cta, uint32_t token)
{
	struct rec_cta *c = rec(cta);
	enum fe_status status = inner_of(c)->copy_done(c->inner, token);
	let_go(c);
	return status;
}

static bool unstick(struct fe_cta *cta)
{
	struct rec_cta *c = rec(cta);
	bool moves = inner_of(c)->unstick(c->inner);
	let_go(c);
	return moves;
}

static bool hopeless(const struct fe_cta *c) { return inner_of(rec(c))->hopeless(rec(c)->inner); }

static void expire(struct fe_cta *cta)
{
	struct rec_cta *c = rec(cta);
	inner_of(c)->expire(c->inner);
	let_go(c);
}

// --- CTAs

static void *slots_new(struct kernel_launch *launch, uint32_t n)
{
	struct rec_slots *s = MEM_NEW(struct rec_slots);
	s->fe = (const struct rec_frontend *)launch->fe;
	s->w = s->fe->writer;
	s->launch = launch;
	s->n = n;
	s->cta = mem_alloc(n * sizeof *s->cta);
	s->inner = s->fe->inner->slots_new(launch, n);
	s->form = s->fe->form->begin(launch, s->fe->inner);
	struct trace_store *t = s->w->store;
	s->to = t->ops->begin(t, launch, s->fe->form, s->form);
	t->running++;
	t->ran = true;
	return s;
}

static void slots_free(void *slots)
{
	struct rec_slots *s = slots;
	s->w->store->ops->end(s->to);
	s->w->store->running--;
	s->fe->inner->slots_free(s->inner);
	s->fe->form->end(s->form);
	for (uint32_t i = 0; i < s->n; i++) {
		for (unsigned k = 0; s->cta[i] && k < s->cta[i]->n_warp; k++)
			VEC_FREE(&s->cta[i]->warp[k].records.t);
		if (s->cta[i]) {
			mem_free(s->cta[i]->waits);
			mem_free(s->cta[i]->late);
		}
		mem_free(s->cta[i]);
	}
	mem_free(s->cta);
	mem_free(s);
}

static struct fe_cta *cta_start(void *slots, uint32_t slot, const uint32_t cta[3], const struct fe_sm *sm)
{
	struct rec_slots *s = slots;
	struct fe_cta *inner = s->fe->inner->cta_start(s->inner, slot, cta, sm);
	unsigned n = s->fe->inner->cta_warps(inner);
	if (!s->cta[slot]) {
		s->cta[slot] = mem_alloc(sizeof **s->cta + n * sizeof(struct store_warp));
		s->cta[slot]->waits = mem_alloc(n * sizeof(bool));
		s->cta[slot]->late = mem_alloc(n * sizeof(struct late));
	}
	struct rec_cta *c = s->cta[slot];
	c->inner = inner;
	((struct exec_cta *)inner)->lists_copies = true;
	c->slots = s;
	c->n_warp = n;
	memcpy(c->id, cta, sizeof c->id);
	for (unsigned k = 0; k < n; k++) {
		c->warp[k].records.t.n = 0;
		c->warp[k].insts = 0;
		c->waits[k] = false;
		c->late[k].inst = NULL;
	}
	return (struct fe_cta *)c;
}

static void cta_move(struct fe_cta *cta, const struct fe_sm *sm)
{
	struct rec_cta *c = rec(cta);
	inner_of(c)->cta_move(c->inner, sm);
}

static void cta_end(struct fe_cta *cta)
{
	struct rec_cta *c = rec(cta);
	inner_of(c)->cta_end(c->inner);
	if (!c->slots->w->store->error[0])
		c->slots->w->store->ops->block(c->slots->to, c->id, c->warp, c->n_warp);
}

static void cluster_join(void *slots, struct fe_cta *const cta[], unsigned n)
{
	const struct rec_slots *s = slots;
	struct fe_cta *inner[ISA_CLUSTER_MAX];
	for (unsigned k = 0; k < n; k++)
		inner[k] = rec(cta[k])->inner;
	s->fe->inner->cluster_join(s->inner, inner, n);
}

// --- what goes through

static unsigned cta_warps(const struct fe_cta *c) { return rec(c)->n_warp; }
static const struct isa_inst *peek(struct fe_cta *c, unsigned warp)
{
	return inner_of(rec(c))->peek(rec(c)->inner, warp);
}
static void expect(const struct fe_cta *c, unsigned warp) { inner_of(rec(c))->expect(rec(c)->inner, warp); }
static uint32_t active(struct fe_cta *c, unsigned warp) { return inner_of(rec(c))->active(rec(c)->inner, warp); }
static bool ready(const struct fe_cta *c, unsigned warp) { return inner_of(rec(c))->ready(rec(c)->inner, warp); }
static void describe(const struct fe_cta *c, unsigned warp, char *buf, size_t len)
{
	inner_of(rec(c))->describe(rec(c)->inner, warp, buf, len);
}
static void dump(const struct fe_cta *c, unsigned warp, void (*to)(void *ctx, const char *text), void *ctx)
{
	inner_of(rec(c))->dump(rec(c)->inner, warp, to, ctx);
}
static void cta_position(const struct fe_cta *c, uint32_t out[3]) { memcpy(out, rec(c)->id, sizeof rec(c)->id); }

// --- the writer

static void wrap(struct rec_frontend *f, struct trace_writer *w, const struct frontend_ops *program, const struct trace_form *form)
{
	f->inner = program;
	f->form = form;
	f->writer = w;
	f->ops = *program;
	f->ops.slots_new = slots_new;
	f->ops.slots_free = slots_free;
	f->ops.cta_start = cta_start;
	f->ops.cta_move = cta_move;
	f->ops.cta_end = cta_end;
	f->ops.cluster_join = program->cluster_join ? cluster_join : NULL;
	f->ops.cta_warps = cta_warps;
	f->ops.peek = peek;
	f->ops.active = program->active ? active : NULL;
	f->ops.expect = program->expect ? expect : NULL;
	f->ops.execute = execute;
	f->ops.finish = finish;
	f->ops.copy_done = program->copy_done ? copy_done : NULL;
	f->ops.unstick = unstick;
	f->ops.hopeless = program->hopeless ? hopeless : NULL;
	f->ops.expire = program->expire ? expire : NULL;
	f->ops.run = run;
	f->ops.ready = ready;
	f->ops.describe = describe;
	f->ops.dump = dump;
	f->ops.cta_position = cta_position;
}

struct trace_writer *trace_writer_new(const char *folder, const struct trace_writing *how, struct diag *d)
{
	if (how->tracez && (how->gzip || how->extended)) {
		diag_add(d, DIAG_ERROR, "--write-trace: --tracez goes neither with --gzip nor with --extended");
		return NULL;
	}
	const struct trace_store_ops *ops = how->extended ? &trace_store_set : &trace_store_list;
	struct trace_store *store = ops->open(folder, how, d);
	if (!store)
		return NULL;
	struct trace_writer *w = MEM_NEW(struct trace_writer);
	wrap(&w->ptx, w, &ptx_frontend, ops->ptx);
	wrap(&w->sass, w, &sass_frontend, ops->sass);
	w->store = store;
	return w;
}

bool trace_writer_close(struct trace_writer *w, struct diag *d)
{
	if (!w)
		return true;
	w->store->ops->close(w->store);
	bool ok = !w->store->error[0];
	if (!ok)
		diag_add(d, DIAG_ERROR, "%s", w->store->error);
	mem_free(w->store->folder);
	mem_free(w->store);
	mem_free(w);
	return ok;
}

void trace_writer_copy(struct trace_writer *w, uint64_t addr, uint64_t bytes) { w->store->ops->copy(w->store, addr, bytes); }

const struct frontend_ops *trace_writer_frontend(const struct trace_writer *w, const struct frontend_ops *fe)
{
	return fe == &ptx_frontend ? &w->ptx.ops : fe == &sass_frontend ? &w->sass.ops : fe;
}
