// Disassembly: text that parses back to the same instruction.
#include "cuda-sim/ptx/ptx.h"
#include "isa/inst.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct out {
	char *buf;
	size_t len, at;
	const struct ptx_func *f;
};

__attribute__((format(printf, 2, 3))) static void put(struct out *o, const char *fmt, ...)
{
	if (o->at >= o->len)
		return;
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(o->buf + o->at, o->len - o->at, fmt, ap);
	va_end(ap);
	o->at = n < 0 || (size_t)n >= o->len - o->at ? o->len : o->at + (size_t)n;
}

void ptx_reg_print(const struct ptx_func *f, uint32_t reg, char *buf, size_t len)
{
	const struct ptx_reg *r = &f->reg[reg];
	char comp[3] = "";
	if (r->comp)
		comp[0] = '.', comp[1] = "xyzw"[(r->comp - 1) & 3];
	if (r->num < 0)
		snprintf(buf, len, "%s%s", r->name, comp);
	else
		snprintf(buf, len, "%s%d%s", r->name, r->num, comp);
}

static void put_reg(struct out *o, uint32_t reg)
{
	const struct ptx_reg *r = &o->f->reg[reg];
	put(o, "%s", r->name);
	if (r->num >= 0)
		put(o, "%d", r->num);
	if (r->comp)
		put(o, ".%c", "xyzw"[(r->comp - 1) & 3]);
}

static void put_offset(struct out *o, int64_t offset)
{
	if (offset)
		put(o, "+%lld", (long long)offset);
}

static void put_list(struct out *o, const char *open, const struct ptx_opnd *e, unsigned n, int64_t offset,
                     const char *close);

static void put_opnd(struct out *o, const struct ptx_opnd *a, bool pred)
{
	if (a->neg)
		put(o, pred ? "!" : "-");
	switch ((enum ptx_opnd_kind)a->kind) {
	case PTX_O_REG:
		put_reg(o, a->index);
		if (a->sel)
			put(o, ".%.*s", a->sel, o->f->module->text.text + a->bits);
		break;
	case PTX_O_IMM:
		if (!a->is_float)
			put(o, "%lld", (long long)a->bits);
		else if (a->is_f32)
			put(o, "0f%08X", (unsigned)a->bits);
		else
			put(o, "0d%016llX", (unsigned long long)a->bits);
		break;
	case PTX_O_SREG: {
		const struct ptx_sreg_info *s = &ptx_sreg_table[a->index];
		put(o, "%%%s", s->name);
		if (s->comps > 4)
			put(o, "%u", a->comp);
		else if (s->comps > 1)
			put(o, ".%c", "xyzw"[a->comp & 3]);
		break;
	}
	case PTX_O_VAR:
		put(o, "%s", a->var->name);
		put_offset(o, a->offset);
		break;
	case PTX_O_FUNC: put(o, "%s", a->func->name); break;
	case PTX_O_LABEL: put(o, "$L%u", a->index); break;
	case PTX_O_TABLE: put(o, "%s", o->f->table[a->index].name); break;
	case PTX_O_MEM: put_list(o, "[", a->elem, a->n, a->offset, "]"); break;
	case PTX_O_VEC: put_list(o, "{", a->elem, a->n, 0, "}"); break;
	case PTX_O_LIST: put_list(o, "(", a->elem, a->n, 0, ")"); break;
	case PTX_O_SINK: put(o, "_"); break;
	}
	if (a->second) {
		put(o, "|");
		put_opnd(o, a->second, true);
	}
}

static void put_list(struct out *o, const char *open, const struct ptx_opnd *e, unsigned n, int64_t offset,
                     const char *close)
{
	put(o, "%s", open);
	for (unsigned i = 0; i < n; i++) {
		put(o, "%s", i ? ", " : "");
		put_opnd(o, &e[i], false);
		if (!i)
			put_offset(o, offset);
	}
	put(o, "%s", close);
}

void ptx_inst_print(const struct ptx_func *f, const struct ptx_inst *i, char *buf, size_t len)
{
	if (!len)
		return;
	struct out o = {buf, len, 0, f};
	buf[0] = 0;
	if (i->guard >= 0) {
		put(&o, "@%s", i->guard_neg ? "!" : "");
		put_reg(&o, (uint32_t)i->guard);
		put(&o, " ");
	}
	put(&o, "%s", i->text);
	for (unsigned k = 0; k < i->n_opnd; k++) {
		put(&o, k ? ", " : " ");
		const struct ptx_opnd *a = &i->opnd[k];
		put_opnd(&o, a, a->kind == PTX_O_REG && f->reg[a->index].type == PTX_T_PRED);
	}
	put(&o, ";");
}
