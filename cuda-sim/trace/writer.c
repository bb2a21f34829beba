#include "cuda-sim/trace/writer.h"

#include "base/mem.h"
#include "base/output.h"
#include "base/vec.h"
#include "cuda-sim/trace/written.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

struct text {
	VEC(char) t;
};

struct trace_writer {
	struct frontend_ops ops;           // first: a launch leads to its writer by its front end
	const struct frontend_ops *inner;
	char *folder;
	FILE *list;
	bool gzip;
	unsigned running;                  // kernels
	bool ran;                          // a kernel since the last line "#wait" of the list
	bool begun;                        // a kernel is written; the list waits for that in its buffer
	char error[300];                   // the first; nothing is written from then on
};

// How an instruction's lines look, made before the kernel starts: operands and opcode up to the suffixes, sources.
struct line_text {
	char *head, *tail;
	bool arrives;
};

struct done_cta {
	uint64_t number;
	struct text text;
};

struct rec_cta;

struct rec_slots {
	struct trace_writer *w;
	void *inner;
	struct kernel_launch *launch;
	FILE *plain;
	gzFile packed;
	struct line_text *line; // by pc
	uint64_t n_line;
	struct rec_cta **cta;
	uint32_t n;
	uint64_t next;             // CTA to be written; those that ended before their turn are kept
	VEC(struct done_cta) done;
};

struct rec_warp {
	struct text text;
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
static const struct frontend_ops *inner_of(const struct rec_cta *c) { return c->slots->w->inner; }

// --- text

static void put(struct text *t, const char *s, size_t n)
{
	VEC_RESERVE(&t->t, t->t.n + n);
	memcpy(t->t.at + t->t.n, s, n);
	t->t.n += n;
}

static void put_string(struct text *t, const char *s) { put(t, s, strlen(s)); }

static void put_format(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put_format(struct text *t, const char *fmt, ...)
{
	char line[4096 + 64]; // a kernel's name is the longest part
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	put(t, line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
}

static void put_hex(struct text *t, uint64_t v, unsigned digits)
{
	char s[16];
	unsigned n = 0;
	do {
		s[15 - n++] = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v || n < digits);
	put(t, s + 16 - n, n);
}

static void put_decimal(struct text *t, int64_t v)
{
	char s[20];
	unsigned n = 0;
	uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;
	do
		s[19 - n++] = (char)('0' + u % 10);
	while (u /= 10);
	if (v < 0)
		put(t, "-", 1);
	put(t, s + 20 - n, n);
}

// --- files

static void fail(struct trace_writer *w, const char *file)
{
	if (!w->error[0])
		snprintf(w->error, sizeof w->error, "--write-trace: %s/%s: %s", w->folder, file, output_why(errno ? errno : EIO));
}

static void write_out(struct rec_slots *s, struct text *t)
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
	va_list ap;
	if (!w->running && w->ran)
		fputs("#wait\n", w->list);
	w->ran &= w->running != 0;
	va_start(ap, fmt);
	vfprintf(w->list, fmt, ap);
	va_end(ap);
	if (w->begun && fflush(w->list))
		fail(w, "kernelslist.g");
}

void trace_writer_copy(struct trace_writer *w, uint64_t addr, uint64_t bytes)
{
	list_line(w, "MemcpyHtoD,0x%016llx,%llu\n", (ull)addr, (ull)bytes);
}

// --- the header

static void put_code(struct text *t, const struct frontend_ops *fe, const struct kernel_launch *l)
{
	const struct isa_inst *i;
	for (uint64_t pc = 0; (i = fe->inst_at(l->code, pc)); pc += fe->inst_bytes) {
		struct fe_place p;
		unsigned flags = (i->is_volatile ? 1u : 0u) | (i->is_uniform_branch ? 2u : 0u) | (i->has_access ? 4u : 0u);
		put_format(t, "#inst %u %u %u %u %u %u %u %u  %u", i->cls, i->unit, i->space, i->bytes, i->cache_op, flags,
		           i->line, i->n_read, i->n_src);
		for (unsigned k = 0; k < i->n_src; k++)
			put_format(t, i->src_bank[k] == ISA_NO_BANK ? " %u" : " %u:%u", i->src[k], i->src_bank[k]);
		put_format(t, "  %u", i->n_dst);
		for (unsigned k = 0; k < i->n_dst; k++)
			put_format(t, i->dst_bank[k] == ISA_NO_BANK ? " %u" : " %u:%u", i->dst[k], i->dst_bank[k]);
		if (i->async)
			put_format(t, "  ! %u %u", i->async, i->async_keep);
		fe->place(l->code, i, &p);
		for (char *c = p.text; *c; c++)
			if ((unsigned char)*c < ' ')
				*c = ' ';
		put_format(t, " ; %s\n", p.text);
	}
}

static void write_header(struct rec_slots *s)
{
	const struct kernel_launch *l = s->launch;
	const struct frontend_ops *fe = s->w->inner;
	const struct kernel_info *i = l->info;
	struct text t = {0};
	put_format(&t, "-kernel name = %.4000s\n-kernel id = %u\n", i->name, l->uid);
	put_format(&t, "-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n", l->grid[0], l->grid[1], l->grid[2], l->block[0],
	           l->block[1], l->block[2]);
	put_format(&t, "-shmem = %u\n-nregs = %u\n", i->static_shared + l->dynamic_shared, i->regs);
	put_format(&t, "-binary version = 80\n-cuda stream id = %llu\n", (ull)l->stream);
	put_format(&t, "-shmem base_addr = 0x0\n-local mem base_addr = 0x0\n-nvbit version = none\n-accelsim tracer "
	               "version = 4\n-enable lineinfo = 0\n");
	put_format(&t, "-heddle = %d %u %llu %u %u %llu\n", TRACE_WRITTEN_VERSION, fe->register_count(l->code),
	           (ull)i->code_base, i->local, l->prefers, (ull)s->n_line);
	put_string(&t, "#class unit space bytes cache flags line read  sources register:bank ...  destinations "
	               "register:bank ... ; text\n");
	put_code(&t, fe, l);
	put_string(&t, "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
	               "[adrrescompress?] [mem_addresses]\n\n");
	write_out(s, &t);
	VEC_FREE(&t.t);
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
	list_line(w, "%s\n", name);
	write_header(s);
}

// --- one instruction of a warp

// Opcodes that other readers of traces know, by class. Where there is no such opcode, one of the same unit.
static const char *opcode(const struct isa_inst *i, unsigned space)
{
	static const char *const by_class[ISA_N_CLASSES] = {
		[ISA_NOP] = "NOP",      [ISA_ALU] = "LOP3",     [ISA_INT] = "IADD3",    [ISA_INT_MAX] = "IMNMX",
		[ISA_INT_MUL] = "IMUL", [ISA_INT_MAD] = "IMAD", [ISA_INT_DIV] = "IMAD", [ISA_SP_ADD] = "FADD",
		[ISA_SP_MAX] = "FMNMX", [ISA_SP_MUL] = "FMUL",  [ISA_SP_MAD] = "FFMA",  [ISA_SP_DIV] = "MUFU",
		[ISA_HP] = "HFMA2",     [ISA_DP_ADD] = "DADD",  [ISA_DP_MAX] = "DSETP", [ISA_DP_MUL] = "DMUL",
		[ISA_DP_MAD] = "DFMA",  [ISA_DP_DIV] = "DFMA",  [ISA_SFU] = "MUFU",     [ISA_CVT] = "F2F",
		[ISA_MOV] = "MOV",      [ISA_SHFL] = "SHFL",    [ISA_VOTE] = "VOTE",    [ISA_TENSOR] = "HMMA",
		[ISA_TEXTURE] = "TEX",  [ISA_BRANCH] = "BRA",   [ISA_CALL] = "CALL",    [ISA_RET] = "RET",
		[ISA_EXIT] = "EXIT",    [ISA_BARRIER] = "BAR",  [ISA_FENCE] = "MEMBAR",
	};
	bool shared = space == SPACE_SHARED, local = space == SPACE_LOCAL, global = space == SPACE_GLOBAL;
	bool constant = space == SPACE_CONST || space == SPACE_PARAM;
	switch (i->cls) {
	case ISA_LOAD: return shared ? "LDS" : local ? "LDL" : constant ? "LDC" : global ? "LDG.E" : "LD.E";
	case ISA_STORE: return shared ? "STS" : local ? "STL" : global ? "STG.E" : "ST.E";
	case ISA_ATOMIC: return shared ? "ATOMS" : "ATOMG.E";
	default: return by_class[i->cls] ? by_class[i->cls] : "NOP";
	}
}

static void put_registers(struct text *t, unsigned n, const uint16_t *reg)
{
	put_format(t, " %u", n);
	for (unsigned k = 0; k < n; k++)
		put_format(t, " R%u", (reg[k] - 1u) % 255); // for other readers; #inst has them all
}

static const struct line_text *line_of(const struct rec_slots *s, const struct isa_inst *i)
{
	return &s->line[i->pc / s->w->inner->inst_bytes];
}

static void make_line(struct line_text *l, const struct frontend_ops *fe, const void *code, const struct isa_inst *i)
{
	struct text t = {0};
	struct fe_place p;
	put_hex(&t, i->pc, 4);
	put_string(&t, " ");
	put(&t, "", 1);
	l->head = t.t.at;
	t = (struct text){0};
	put_registers(&t, i->n_src, i->src);
	put_string(&t, " ");
	put(&t, "", 1);
	l->tail = t.t.at;
	fe->place(code, i, &p);
	l->arrives = i->cls == ISA_BARRIER && strstr(p.text, "arrive") && !strstr(p.text, "cluster");
}

// For all CTAs, which may run at the same time.
static void make_lines(struct rec_slots *s)
{
	const struct frontend_ops *fe = s->w->inner;
	const void *code = s->launch->code;
	while (fe->inst_at(code, s->n_line * fe->inst_bytes))
		s->n_line++;
	s->line = mem_alloc(s->n_line * sizeof *s->line + 1);
	for (uint64_t k = 0; k < s->n_line; k++)
		make_line(&s->line[k], fe, code, fe->inst_at(code, k * fe->inst_bytes));
}

static void put_list(struct text *t, const struct fe_access *a)
{
	put_string(t, " 0");
	for (uint32_t m = a->mask; m; m &= m - 1) {
		put_string(t, " 0x");
		put_hex(t, a->addr[__builtin_ctz(m)], 1);
	}
}

static void put_addresses(struct text *t, const struct fe_access *a)
{
	unsigned first = (unsigned)__builtin_ctz(a->mask);
	uint32_t m = a->mask >> first;
	uint64_t base = a->addr[first], stride = m & 2 ? a->addr[first + 1] - base : 0, before = base;
	bool even = !(m & (m + 1)); // lanes without a gap
	for (uint32_t k = a->mask; even && k; k &= k - 1) {
		unsigned i = (unsigned)__builtin_ctz(k);
		even = a->addr[i] == base + stride * (i - first);
	}
	put_string(t, even ? " 1 0x" : " 2 0x");
	put_hex(t, base, 1);
	if (even) {
		put_string(t, " ");
		put_decimal(t, (int64_t)stride);
		return;
	}
	for (uint32_t k = a->mask & (a->mask - 1); k; k &= k - 1) {
		uint64_t at = a->addr[__builtin_ctz(k)];
		put_string(t, " ");
		put_decimal(t, (int64_t)(at - before));
		before = at;
	}
}

// An access that the reader can tell from the opcode and the mask.
static bool is_plain(const struct fe_result *r)
{
	const struct fe_access *a = &r->access[0];
	return r->n_access == 1 && a->mask == r->mask && a->bytes;
}

static void put_inst(const struct rec_slots *s, struct text *t, const struct fe_result *r, const char *sync)
{
	const struct isa_inst *i = r->inst;
	const struct line_text *l = line_of(s, i);
	bool plain = is_plain(r);
	unsigned space = plain ? r->access[0].space : i->space;
	put_string(t, l->head);
	put_hex(t, r->mask, 8);
	put_registers(t, i->n_dst, i->dst);
	put_string(t, " ");
	put_string(t, opcode(i, space));
	if (plain) {
		put_string(t, ".");
		put_decimal(t, r->access[0].bytes * 8);
		put_string(t, ".");
		put_string(t, trace_written_space(space));
	}
	put_string(t, sync);
	if (r->active != r->mask)
		put_string(t, ".ACT");
	if (r->n_access && !plain) {
		put_string(t, ".X");
		put_decimal(t, r->n_access);
	}
	put_string(t, l->tail);
	put_decimal(t, r->n_access ? r->access[0].bytes : 0);
	if (r->active != r->mask) {
		put_string(t, " ");
		put_hex(t, r->active, 8);
	}
	for (unsigned k = 0; k < r->n_access && !plain; k++) {
		const struct fe_access *a = &r->access[k];
		put_string(t, " ");
		put_decimal(t, a->space);
		put_string(t, " ");
		put_decimal(t, a->bytes);
		put_string(t, " ");
		put_hex(t, a->mask, 8);
		put_list(t, a);
	}
	if (plain)
		put_addresses(t, &r->access[0]);
	put_string(t, "\n");
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
		put_inst(c->slots, &w->text, out, "");
		w->insts++;
		return;
	}
	bool ends = out->status == FE_DONE;
	bool opened = (ends || i->cls == ISA_BARRIER || i->cls == ISA_EXIT || i->cls == ISA_RET) && let_go(c);
	w->waits = !ends && !fe->peek(c->inner, warp);
	bool waited = w->waits || (opened && i->cls == ISA_BARRIER);
	const char *sync = waited ? ".SYNC" : line_of(c->slots, i)->arrives ? ".ARV" : "";
	put_inst(c->slots, &w->text, out, sync);
	w->insts++;
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
	s->w = (struct trace_writer *)(uintptr_t)launch->fe;
	s->launch = launch;
	s->n = n;
	s->cta = mem_alloc(n * sizeof *s->cta);
	s->inner = s->w->inner->slots_new(launch, n);
	make_lines(s);
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
	s->w->inner->slots_free(s->inner);
	for (uint32_t i = 0; i < s->n; i++) {
		for (unsigned k = 0; s->cta[i] && k < s->cta[i]->n_warp; k++)
			VEC_FREE(&s->cta[i]->warp[k].text.t);
		mem_free(s->cta[i]);
	}
	for (size_t i = 0; i < s->done.n; i++)
		VEC_FREE(&s->done.at[i].text.t);
	for (uint64_t i = 0; i < s->n_line; i++) {
		mem_free(s->line[i].head);
		mem_free(s->line[i].tail);
	}
	VEC_FREE(&s->done);
	mem_free(s->line);
	mem_free(s->cta);
	mem_free(s);
}

static struct fe_cta *cta_start(void *slots, uint32_t slot, const uint32_t cta[3], const struct fe_sm *sm)
{
	struct rec_slots *s = slots;
	struct fe_cta *inner = s->w->inner->cta_start(s->inner, slot, cta, sm);
	unsigned n = s->w->inner->cta_warps(inner);
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

static void put_cta(struct text *t, struct rec_cta *c)
{
	put_format(t, "#BEGIN_TB\n\nthread block = %u,%u,%u\n\n", c->id[0], c->id[1], c->id[2]);
	for (unsigned k = 0; k < c->n_warp; k++) {
		put_format(t, "warp = %u\ninsts = %llu\n", k, (ull)c->warp[k].insts);
		if (c->warp[k].text.t.n)
			put(t, c->warp[k].text.t.at, c->warp[k].text.t.n);
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

struct trace_writer *trace_writer_new(const char *folder, bool gzip, const struct frontend_ops *program, struct diag *d)
{
	char path[4200];
	struct trace_writer *w = MEM_NEW(struct trace_writer);
	w->inner = program;
	w->gzip = gzip;
	w->folder = mem_strdup(folder);
	w->ops = *program;
	w->ops.slots_new = slots_new;
	w->ops.slots_free = slots_free;
	w->ops.cta_start = cta_start;
	w->ops.cta_move = cta_move;
	w->ops.cta_end = cta_end;
	w->ops.cta_warps = cta_warps;
	w->ops.peek = peek;
	w->ops.active = active;
	w->ops.expect = program->expect ? expect : NULL;
	w->ops.execute = execute;
	w->ops.finish = finish;
	w->ops.unstick = unstick;
	w->ops.run = run;
	w->ops.ready = ready;
	w->ops.describe = describe;
	w->ops.dump = dump;
	w->ops.cta_position = cta_position;
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
	bool ok = !w->error[0];
	if (!ok)
		diag_add(d, DIAG_ERROR, "%s", w->error);
	mem_free(w->folder);
	mem_free(w);
	return ok;
}

const struct frontend_ops *trace_writer_frontend(const struct trace_writer *w) { return &w->ops; }
