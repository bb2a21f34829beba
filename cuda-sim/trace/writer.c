#include "cuda-sim/trace/writer.h"

#include "base/mem.h"
#include "base/output.h"
#include "cuda-sim/sass/exec/kernel.h"
#include "cuda-sim/simt/frontend.h"
#include "cuda-sim/trace/form.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

// What stands between a core and a front end.
struct rec_frontend {
	struct frontend_ops ops;           // first: a launch leads here by its front end
	const struct frontend_ops *inner;
	const struct trace_form *form;
	struct trace_writer *writer;
};

struct trace_writer {
	struct rec_frontend ptx, sass;
	char *folder;
	FILE *list;
	bool gzip;
	unsigned running;                  // kernels
	bool ran;                          // a kernel since the last line "#wait" of the list
	bool begun;                        // a kernel is written; the list waits for that in its buffer
	bool machine;                      // the last kernel was of machine code
	struct put lines;                  // of the list, behind kernels of machine code: Accel-Sim takes no copy that no kernel follows
	char error[300];                   // the first; nothing is written from then on
};

struct done_cta {
	uint64_t number;
	struct put text;
};

struct rec_cta;

struct rec_slots {
	struct trace_writer *w;
	const struct rec_frontend *fe;
	void *inner, *form;
	struct kernel_launch *launch;
	FILE *plain;
	gzFile packed;
	struct rec_cta **cta;
	uint32_t n;
	uint64_t next;             // CTA to be written; those that ended before their turn are kept
	VEC(struct done_cta) done;
};

struct rec_warp {
	struct put text;
	uint64_t insts;
	bool waits;
};

struct rec_cta {
	struct fe_cta *inner;
	struct rec_slots *slots;
	uint32_t id[3];
	unsigned n_warp;
	struct rec_warp warp[];
};

typedef unsigned long long ull;

static struct rec_cta *rec(const struct fe_cta *c) { return (struct rec_cta *)(uintptr_t)c; }
static const struct frontend_ops *inner_of(const struct rec_cta *c) { return c->slots->fe->inner; }

// --- files

static void fail(struct trace_writer *w, const char *file)
{
	if (!w->error[0])
		snprintf(w->error, sizeof w->error, "--write-trace: %s/%s: %s", w->folder, file, output_why(errno ? errno : EIO));
}

static void write_out(struct rec_slots *s, struct put *t)
{
	bool ok = true;
	for (size_t at = 0; ok && at < t->t.n && !s->w->error[0];) {
		size_t n = t->t.n - at < (size_t)1 << 30 ? t->t.n - at : (size_t)1 << 30;
		ok = s->packed ? gzwrite(s->packed, t->t.at + at, (unsigned)n) == (int)n
		               : fwrite(t->t.at + at, 1, n, s->plain) == n;
		at += n;
	}
	if (!ok)
		fail(s->w, "kernel");
	t->t.n = 0;
}

static void list_line(struct trace_writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void list_line(struct trace_writer *w, const char *fmt, ...)
{
	char line[128];
	va_list ap;
	if (!w->running && w->ran)
		put_string(&w->lines, "#wait\n");
	w->ran &= w->running != 0;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	put_string(&w->lines, line);
}

static void write_list(struct trace_writer *w)
{
	if (w->lines.t.n && fwrite(w->lines.t.at, 1, w->lines.t.n, w->list) != w->lines.t.n)
		fail(w, "kernelslist.g");
	w->lines.t.n = 0;
	if (w->begun && fflush(w->list))
		fail(w, "kernelslist.g");
}

void trace_writer_copy(struct trace_writer *w, uint64_t addr, uint64_t bytes)
{
	list_line(w, "MemcpyHtoD,0x%016llx,%llu\n", (ull)addr, (ull)bytes);
	if (!w->machine)
		write_list(w);
}

static void open_file(struct rec_slots *s)
{
	struct trace_writer *w = s->w;
	char name[64];
	if (w->error[0])
		return;
	snprintf(name, sizeof name, "kernel-%u.traceg%s", s->launch->uid, w->gzip ? ".gz" : "");
	char path[4200];
	snprintf(path, sizeof path, "%s/%s", w->folder, name);
	errno = 0;
	int fd = output_open_fd(path, false);
	if (fd >= 0 && w->gzip)
		s->packed = gzdopen(fd, "wb1");
	else if (fd >= 0)
		s->plain = fdopen(fd, "wb");
	if (!s->plain && !s->packed) {
		fail(w, name);
		return;
	}
	w->begun = true;
	w->machine = s->fe == &w->sass;
	list_line(w, "%s\n", name);
	write_list(w);
	struct put t = {0};
	s->fe->form->header(s->form, s->launch, &t);
	write_out(s, &t);
	VEC_FREE(&t.t);
}

// --- barriers: a warp that waits has arrived at one, and so has the warp that lets others go on

static bool let_go(struct rec_cta *c)
{
	bool any = false;
	for (unsigned k = 0; k < c->n_warp; k++) {
		if (!c->warp[k].waits || !inner_of(c)->ready(c->inner, k))
			continue;
		c->warp[k].waits = false;
		any = true;
	}
	return any;
}

static void put_inst(struct rec_cta *c, struct rec_warp *w, const struct fe_result *r, bool waits)
{
	c->slots->fe->form->inst(c->slots->form, r, waits, &w->text);
	w->insts++;
}

static void execute(struct fe_cta *cta, unsigned warp, struct fe_result *out)
{
	struct rec_cta *c = rec(cta);
	const struct frontend_ops *fe = inner_of(c);
	struct rec_warp *w = &c->warp[warp];
	fe->execute(c->inner, warp, out);
	if (!out->inst || out->status == FE_FAULT)
		return;
	const struct isa_inst *i = out->inst;
	if (out->status == FE_PENDING) {
		put_inst(c, w, out, false);
		return;
	}
	bool ends = out->status == FE_DONE;
	bool opened = (ends || i->cls == ISA_BARRIER || i->cls == ISA_EXIT || i->cls == ISA_RET) && let_go(c);
	w->waits = !ends && !fe->peek(c->inner, warp);
	put_inst(c, w, out, w->waits || (opened && i->cls == ISA_BARRIER));
}

static void finish(struct fe_cta *cta, unsigned warp, struct fe_result *out)
{
	struct rec_cta *c = rec(cta);
	const struct frontend_ops *fe = inner_of(c);
	fe->finish(c->inner, warp, out);
	c->warp[warp].waits = out->status != FE_FAULT && out->status != FE_DONE && !fe->peek(c->inner, warp);
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

static bool unstick(struct fe_cta *cta)
{
	struct rec_cta *c = rec(cta);
	bool moves = inner_of(c)->unstick(c->inner);
	let_go(c);
	return moves;
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
	open_file(s);
	s->w->running++;
	s->w->ran = true;
	return s;
}

static void slots_free(void *slots)
{
	struct rec_slots *s = slots;
	bool ok = !s->packed || gzclose(s->packed) == Z_OK;
	if (s->plain && fclose(s->plain))
		ok = false;
	if (!ok)
		fail(s->w, "kernel");
	s->w->running--;
	s->fe->inner->slots_free(s->inner);
	s->fe->form->end(s->form);
	for (uint32_t i = 0; i < s->n; i++) {
		for (unsigned k = 0; s->cta[i] && k < s->cta[i]->n_warp; k++)
			VEC_FREE(&s->cta[i]->warp[k].text.t);
		mem_free(s->cta[i]);
	}
	for (size_t i = 0; i < s->done.n; i++)
		VEC_FREE(&s->done.at[i].text.t);
	VEC_FREE(&s->done);
	mem_free(s->cta);
	mem_free(s);
}

static struct fe_cta *cta_start(void *slots, uint32_t slot, const uint32_t cta[3], const struct fe_sm *sm)
{
	struct rec_slots *s = slots;
	struct fe_cta *inner = s->fe->inner->cta_start(s->inner, slot, cta, sm);
	unsigned n = s->fe->inner->cta_warps(inner);
	if (!s->cta[slot])
		s->cta[slot] = mem_alloc(sizeof **s->cta + n * sizeof(struct rec_warp));
	struct rec_cta *c = s->cta[slot];
	c->inner = inner;
	c->slots = s;
	c->n_warp = n;
	memcpy(c->id, cta, sizeof c->id);
	for (unsigned k = 0; k < n; k++) {
		c->warp[k].text.t.n = 0;
		c->warp[k].insts = 0;
		c->warp[k].waits = false;
	}
	return (struct fe_cta *)c;
}

static void put_cta(struct put *t, struct rec_cta *c)
{
	put_format(t, "#BEGIN_TB\n\nthread block = %u,%u,%u\n\n", c->id[0], c->id[1], c->id[2]);
	for (unsigned k = 0; k < c->n_warp; k++) {
		put_format(t, "warp = %u\ninsts = %llu\n", k, (ull)c->warp[k].insts);
		if (c->warp[k].text.t.n)
			put_bytes(t, c->warp[k].text.t.at, c->warp[k].text.t.n);
		put_string(t, "\n");
	}
	put_string(t, "#END_TB\n\n");
}

static void cta_move(struct fe_cta *cta, const struct fe_sm *sm)
{
	struct rec_cta *c = rec(cta);
	inner_of(c)->cta_move(c->inner, sm);
}

static void cta_end(struct fe_cta *cta)
{
	struct rec_cta *c = rec(cta);
	struct rec_slots *s = c->slots;
	const uint32_t *grid = s->launch->grid;
	struct done_cta d = {.number = ((uint64_t)c->id[2] * grid[1] + c->id[1]) * grid[0] + c->id[0]};
	inner_of(c)->cta_end(c->inner);
	if (s->w->error[0])
		return;
	put_cta(&d.text, c);
	VEC_PUSH(&s->done, d);
	for (size_t i = 0; i < s->done.n;) {
		if (s->done.at[i].number != s->next) {
			i++;
			continue;
		}
		write_out(s, &s->done.at[i].text);
		VEC_FREE(&s->done.at[i].text.t);
		s->done.at[i] = s->done.at[--s->done.n];
		s->next++;
		i = 0;
	}
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
	f->ops.cta_warps = cta_warps;
	f->ops.peek = peek;
	f->ops.active = program->active ? active : NULL;
	f->ops.expect = program->expect ? expect : NULL;
	f->ops.execute = execute;
	f->ops.finish = finish;
	f->ops.unstick = unstick;
	f->ops.run = run;
	f->ops.ready = ready;
	f->ops.describe = describe;
	f->ops.dump = dump;
	f->ops.cta_position = cta_position;
}

struct trace_writer *trace_writer_new(const char *folder, bool gzip, struct diag *d)
{
	char path[4200];
	struct trace_writer *w = MEM_NEW(struct trace_writer);
	wrap(&w->ptx, w, &ptx_frontend, &trace_form_ptx);
	wrap(&w->sass, w, &sass_frontend, &trace_form_sass);
	w->gzip = gzip;
	w->folder = mem_strdup(folder);
	snprintf(path, sizeof path, "%s/kernelslist.g", folder);
	int error = mkdir(folder, 0777) && errno != EEXIST ? errno : output_check(path);
	if (!error && (w->list = output_open_later(path))) {
		setvbuf(w->list, NULL, _IOFBF, 1 << 16);
		output_empty(path);
		return w;
	}
	diag_add(d, DIAG_ERROR, "--write-trace: %s cannot be written: %s", path, output_why(error ? error : ENOMEM));
	mem_free(w->folder);
	mem_free(w);
	return NULL;
}

bool trace_writer_close(struct trace_writer *w, struct diag *d)
{
	if (!w)
		return true;
	if (fclose(w->list))
		fail(w, "kernelslist.g");
	VEC_FREE(&w->lines.t);
	bool ok = !w->error[0];
	if (!ok)
		diag_add(d, DIAG_ERROR, "%s", w->error);
	mem_free(w->folder);
	mem_free(w);
	return ok;
}

const struct frontend_ops *trace_writer_frontend(const struct trace_writer *w, const struct frontend_ops *fe)
{
	return fe == &ptx_frontend ? &w->ptx.ops : fe == &sass_frontend ? &w->sass.ops : fe;
}
