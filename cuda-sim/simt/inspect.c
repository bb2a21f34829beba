// What people see who look inside a running kernel: places in their files, names and values of registers, groups of
// lanes, control-flow graphs.
#include "cuda-sim/simt/inspect.h"

#include "cuda-sim/decode/cfg.h"

#include <string.h>

// The function an instruction of the kernel belongs to, and its number there.
static const struct code *code_of(const struct kernel_code *k, const struct isa_inst *inst, uint32_t *number)
{
	uint32_t n = (uint32_t)(inst - k->isa);
	for (size_t f = 0; f < k->funcs.n; f++) {
		const struct code *c = k->funcs.at[f];
		if (n < c->first_inst || n - c->first_inst >= c->func->n_inst)
			continue;
		*number = n - c->first_inst;
		return c;
	}
	return NULL;
}

static const char *file_of(const struct ptx_func *f, unsigned number)
{
	char text[16];
	int len = snprintf(text, sizeof text, "%u", number);
	return map_get(&f->module->files, text, (size_t)len);
}

static void place_of(const struct ptx_func *f, uint32_t n, struct fe_place *out)
{
	const struct ptx_inst *i = &f->inst[n];
	*out = (struct fe_place){.function = f->name, .file = f->module->text.name, .line = i->line, .source_line = i->loc};
	ptx_inst_print(f, i, out->text, sizeof out->text);
	size_t end = strlen(out->text);
	if (end && out->text[end - 1] == ';')
		out->text[end - 1] = 0;
	if (i->loc)
		out->source = file_of(f, i->loc_file);
	if (i->loc && i->call)
		out->call_source = file_of(f, i->call_file);
	out->call_line = out->call_source ? i->call : 0;
}

void inspect_place(const void *code, const struct isa_inst *inst, struct fe_place *out)
{
	uint32_t n;
	const struct code *c = code_of(code, inst, &n);
	*out = (struct fe_place){.function = "?", .file = "?"};
	if (c) {
		place_of(c->func, n, out);
		out->function_pc = (uint64_t)c->first_inst * INST_BYTES;
	}
}

void inspect_register_name(const void *code, const struct isa_inst *inst, unsigned reg, char *buf, size_t len)
{
	uint32_t n;
	const struct code *c = code_of(code, inst, &n);
	if (c && reg && reg - 1 < c->func->n_reg)
		ptx_reg_print(c->func, reg - 1, buf, len);
	else
		snprintf(buf, len, "register %u", reg);
}

// --- registers and groups of lanes

struct lines {
	void (*put)(void *ctx, const char *text);
	void *ctx;
};

void inspect_value(enum ptx_type t, const uint8_t *row, unsigned lane, char *buf, size_t len)
{
	unsigned bits = ptx_type_bits[t];
	uint32_t v32;
	uint64_t v64;
	if (t == PTX_T_PRED) {
		snprintf(buf, len, "%u", *(const uint32_t *)row >> lane & 1);
	} else if (bits <= 32) {
		memcpy(&v32, row + 4 * lane, 4);
		if (bits < 32)
			v32 &= (1u << bits) - 1;
		float f;
		memcpy(&f, &v32, 4);
		if (t == PTX_T_F32)
			snprintf(buf, len, "%.9g", (double)f);
		else
			snprintf(buf, len, "0x%x", v32);
	} else {
		memcpy(&v64, row + 8 * lane, 8);
		double f;
		memcpy(&f, &v64, 8);
		if (t == PTX_T_F64)
			snprintf(buf, len, "%.17g", f);
		else
			snprintf(buf, len, "0x%llx", (unsigned long long)v64);
	}
}

// Lanes of a row whose integers rise or fall evenly, as those of %tid.x do: "0x60 to 0x7f by 0x1".
static bool put_series(char *buf, size_t len, enum ptx_type t, const uint8_t *row, uint32_t mask)
{
	unsigned bits = ptx_type_bits[t], first = (unsigned)__builtin_ctz(mask), n = (unsigned)__builtin_popcount(mask);
	int64_t v[WARP];
	if (t == PTX_T_PRED || t == PTX_T_F32 || t == PTX_T_F64 || (bits != 32 && bits != 64) || n < 3)
		return false;
	if (mask >> first != (n == 32 ? FULL_MASK : (1u << n) - 1))
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (bits == 32)
			v[i] = ((const int32_t *)row)[first + i];
		else
			v[i] = ((const int64_t *)row)[first + i];
		if (i > 1 && (uint64_t)v[i] - (uint64_t)v[i - 1] != (uint64_t)v[1] - (uint64_t)v[0])
			return false;
	}
	uint64_t by = (uint64_t)v[1] - (uint64_t)v[0], cut = bits == 32 ? UINT32_MAX : UINT64_MAX;
	if (!by)
		return false;
	snprintf(buf, len, " %u-%u:0x%llx to 0x%llx by %lld", first, first + n - 1,
	         (unsigned long long)((uint64_t)v[0] & cut), (unsigned long long)((uint64_t)v[n - 1] & cut), (long long)by);
	return true;
}

// One line for a register: lanes of the group that hold the same value stand together.
static void dump_register(const struct lines *o, const struct ptx_func *f, uint32_t reg, const uint8_t *row,
                          uint32_t mask)
{
	enum ptx_type t = (enum ptx_type)f->reg[reg].type;
	char line[2048], name[64], value[48], next[48];
	ptx_reg_print(f, reg, name, sizeof name);
	size_t n = (size_t)snprintf(line, sizeof line, "    %-8s", name);
	bool series = put_series(line + n, sizeof line - n, t, row, mask);
	n += series ? strlen(line + n) : 0;
	for (uint32_t m = series ? 0 : mask; m && n < sizeof line - 100;) {
		unsigned lane = (unsigned)__builtin_ctz(m), last = lane;
		inspect_value(t, row, lane, value, sizeof value);
		m &= m - 1;
		for (; m; m &= m - 1) {
			unsigned l = (unsigned)__builtin_ctz(m);
			inspect_value(t, row, l, next, sizeof next);
			if (strcmp(value, next))
				break;
			last = l;
		}
		if (m || mask >> lane != mask)
			n += (size_t)(last == lane ? snprintf(line + n, sizeof line - n, " %u:%s", lane, value)
			                           : snprintf(line + n, sizeof line - n, " %u-%u:%s", lane, last, value));
		else if (lane == (unsigned)__builtin_ctz(mask))
			n += (size_t)snprintf(line + n, sizeof line - n, " %s in all lanes", value);
		else
			n += (size_t)(last == lane ? snprintf(line + n, sizeof line - n, " %u:%s", lane, value)
			                           : snprintf(line + n, sizeof line - n, " %u-%u:%s", lane, last, value));
	}
	snprintf(line + n, sizeof line - n, "\n");
	o->put(o->ctx, line);
}

static void dump_registers(const struct lines *o, const struct simt_warp *w, const struct split *s)
{
	const struct frame *fr = &w->frame.at[s->frame];
	const struct code *c = fr->code;
	struct arena a = {0};
	uint32_t inst = c->inst_of[s->pc];
	const uint64_t *alive = registers_alive(c->func, code_flow(c->func, &a), inst, &a);
	for (uint32_t r = 0; r < c->func->n_reg; r++)
		if (alive[r / 64] >> r % 64 & 1)
			dump_register(o, c->func, r, w->rows + fr->fp + c->row_of_reg[r], s->mask);
	arena_free(&a);
}

static void dump_split(const struct lines *o, const struct simt_warp *w, int32_t at, bool runs)
{
	const struct split *s = &w->split.at[at];
	const struct frame *fr = &w->frame.at[s->frame];
	uint32_t inst = s->pc == UOP_NOWHERE ? fr->code->func->n_inst : fr->code->inst_of[s->pc];
	char line[512];
	struct fe_place p = {
		.function = fr->code->func->name, .file = fr->code->func->module->text.name, .text = "the end"};
	if (inst < fr->code->func->n_inst)
		place_of(fr->code->func, inst, &p);
	const char *what = s->state == SPLIT_BARRIER && s->barrier == EXEC_CHILDREN ? "waits for other kernels, goes on"
	                   : s->state == SPLIT_BARRIER && s->barrier == EXEC_GROUP ? "waits for its warp group, goes on"
	                   : s->state == SPLIT_BARRIER ? "at a barrier, goes on"
	                   : s->state == SPLIT_MBARRIER ? "at an mbarrier, goes on"
	                   : s->state == SPLIT_GATHER ? "waits for members"
	                   : s->state == SPLIT_WAIT   ? "join"
	                   : runs                     ? "runs"
	                                              : "can run";
	if (s->state == SPLIT_WAIT)
		snprintf(line, sizeof line, "  [%d] join: %08x have come, %08x are on their way, at %s:%u in %s: %s\n", at,
		         s->mask, s->pending, p.file, p.line, p.function, p.text);
	else
		snprintf(line, sizeof line, "  [%d] lanes %08x (under %d) %s at %s:%u in %s: %s\n", at, s->mask, s->parent,
		         what, p.file, p.line, p.function, p.text);
	o->put(o->ctx, line);
	for (int32_t up = fr->up; up >= 0; up = w->frame.at[up].up) {
		const struct frame *caller = &w->frame.at[up];
		snprintf(line, sizeof line, "      called from %s\n", caller->code->func->name);
		o->put(o->ctx, line);
	}
}

void inspect_warp(const struct simt_warp *w, void (*put)(void *ctx, const char *text), void *ctx)
{
	const struct lines o = {put, ctx};
	const uint32_t *id = w->cta->x.id;
	char line[160];
	snprintf(line, sizeof line, "  block (%u,%u,%u), warp %u, live lanes %08x\n", id[0], id[1], id[2], w->w.id,
	         w->w.live);
	put(ctx, line);
	for (size_t i = 0; i < w->split.n; i++) {
		const struct split *s = &w->split.at[i];
		bool spare = false;
		for (size_t k = 0; k < w->free_split.n; k++)
			spare |= w->free_split.at[k] == (int32_t)i;
		if (!spare && s->state == SPLIT_WAIT)
			dump_split(&o, w, (int32_t)i, false);
	}
	for (size_t k = w->leaf.n; k-- > 0;) {
		const struct split *s = &w->split.at[w->leaf.at[k]];
		dump_split(&o, w, w->leaf.at[k], k + 1 == w->leaf.n);
		dump_registers(&o, w, s);
	}
}

// --- control-flow graphs

struct flow_label {
	const struct ptx_func *f;
	bool dot;
};

static void label(void *ctx, uint32_t inst, FILE *out)
{
	const struct flow_label *l = ctx;
	if (inst >= l->f->n_inst) {
		fputs(l->dot ? "end\\l" : "    end\n", out);
		return;
	}
	struct fe_place p;
	place_of(l->f, inst, &p);
	if (!l->dot) {
		fprintf(out, "    %u: %s\n", p.line, p.text);
		return;
	}
	fprintf(out, "%u: ", p.line);
	for (const char *s = p.text; *s; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', out);
		fputc(*s, out);
	}
	fputs("\\l", out);
}

void inspect_flow(const void *code, bool dot, FILE *to)
{
	const struct kernel_code *k = code;
	if (dot)
		fprintf(to, "digraph \"%s\" {\n\tnode [shape=box, fontname=monospace];\n", k->info.name);
	for (size_t n = 0; n < k->funcs.n; n++) {
		struct arena a = {0};
		struct flow_label l = {k->funcs.at[n]->func, dot};
		const struct cfg *g = code_flow(l.f, &a);
		if (dot) {
			cfg_print_dot(g, l.f->name, (unsigned)n, to, label, &l);
		} else {
			fprintf(to, "control flow of %s (%s)\n", l.f->name, l.f->module->text.name);
			cfg_print(g, to, label, &l);
		}
		arena_free(&a);
	}
	if (dot)
		fputs("}\n", to);
}
