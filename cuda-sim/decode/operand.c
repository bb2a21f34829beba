// Operands of PTX instructions: the rows where they are, their addresses, and the micro-ops that convert them.
#include "cuda-sim/decode/decoder.h"

#include <stdarg.h>
#include <stdio.h>

void decode_complain(struct decoder *x, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	diag_at(x->d, DIAG_ERROR, &x->f->module->text, x->i ? x->i->src : x->f->src, x->i ? strlen(x->i->text) : 1,
	        "in function '%s': %s", x->f->name, text);
	x->ok = false;
}

// --- rows without an instruction

int32_t decode_init_row(struct decoder *x, enum row_group group, struct row_init want)
{
	for (size_t k = 0; k < x->init[group].n; k++) {
		const struct row_init *r = &x->init[group].at[k];
		if (r->kind == want.kind && r->wide == want.wide && r->bits == want.bits && r->bytes == want.bytes &&
		    r->sign == want.sign && r->sreg == want.sreg && r->comp == want.comp)
			return r->off;
	}
	want.off = (int32_t)x->top;
	x->top += want.wide ? 8 * WARP : 4 * WARP;
	VEC_PUSH(&x->init[group], want);
	return want.off;
}

int32_t decode_const_row(struct decoder *x, uint64_t bits, bool wide)
{
	return decode_init_row(x, ROWS_LAUNCH, (struct row_init){.kind = ROW_CONST, .wide = wide,
	                                                  .bits = wide ? bits : (uint32_t)bits});
}

static int32_t zero_row(struct decoder *x) { return decode_const_row(x, 0, true); }

int32_t decode_local_row(struct decoder *x, int64_t offset)
{
	return decode_init_row(x, ROWS_LAUNCH, (struct row_init){.kind = ROW_SP, .wide = true, .bits = (uint64_t)offset});
}

static enum row_group sreg_group(enum ptx_sreg r)
{
	switch (r) {
	case PTX_SR_CTAID:
	case PTX_SR_CLUSTERID:
	case PTX_SR_CLUSTER_CTAID:
	case PTX_SR_CLUSTER_CTARANK:
	case PTX_SR_SMID:
		return ROWS_CTA;
	default:
		return ROWS_WARP;
	}
}

static int32_t sreg_row(struct decoder *x, const struct ptx_opnd *o, bool wide)
{
	struct row_init r = {.kind = ROW_SREG, .wide = wide, .sreg = (uint8_t)o->index, .comp = o->comp};
	return decode_init_row(x, sreg_group((enum ptx_sreg)o->index), r);
}

// --- variables

// Offset of a shared variable in this kernel's shared memory; dynamic arrays begin after all others.
static uint32_t shared_offset(struct decoder *x, struct ptx_var *v)
{
	struct kernel_code *k = x->c->kernel;
	struct ptx_var *def = v->def ? v->def : v;
	for (size_t n = 0; n < k->shared.n; n++)
		if (k->shared.at[n] == def)
			return k->shared_at.at[n];
	decode_complain(x, "shared variable '%s' has no place", v->name);
	return 0;
}

// A row with the address of `v` plus `offset` in v's own state space (generic and global addresses are the same).
static int32_t address_row(struct decoder *x, struct ptx_var *v, int64_t offset, bool wide)
{
	switch (v->space) {
	case PTX_S_SHARED:
		return decode_const_row(x, shared_offset(x, v) + (uint64_t)offset, wide);
	case PTX_S_LOCAL:
		return decode_local_row(x, (int64_t)v->addr + offset);
	case PTX_S_PARAM:
		if (!ptx_is_entry_param(x->f, v))
			return decode_local_row(x, (int64_t)v->addr + offset);
		x->c->kernel->param_memory = true;
		return decode_init_row(x, ROWS_LAUNCH,
		                (struct row_init){.kind = ROW_PARAM_ADDR, .wide = true, .bits = v->addr + (uint64_t)offset});
	default:
		if (!v->def) {
			decode_complain(x, "variable '%s' is not defined in any module of the program", v->name);
			return SCRATCH_ROW;
		}
		return decode_const_row(x, v->def->addr + (uint64_t)offset, wide);
	}
}

// --- micro-ops

// True for stores and atomics that other warps can see.
static bool shares(const struct isa_inst *i)
{
	return (i->cls == ISA_STORE || i->cls == ISA_ATOMIC) &&
	       (i->space == SPACE_SHARED || i->space == SPACE_GLOBAL || i->space == SPACE_GENERIC);
}

struct uop *decode_emit(struct decoder *x, exec_fn *fn)
{
	struct uop u = {.fn = fn};
	const struct isa_inst *isa = x->i ? &x->c->isa[x->i - x->f->inst] : NULL;
	if (x->i)
		u.mode = decode_mode(&x->i->mods);
	u.cls = isa ? isa->cls : ISA_EXIT;
	if (x->counted)
		u.flags |= UOP_EXTRA;
	else if (isa && shares(isa))
		u.flags |= UOP_SHARES;
	if (x->i && x->i->mods.scope == PTX_SCOPE_SYS)
		u.flags |= UOP_SYSTEM;
	x->counted = true;
	if (x->i && x->i->guard >= 0) {
		u.guard = (int32_t)x->c->row_of_reg[x->i->guard];
		if (x->i->guard_neg)
			u.flags |= UOP_NEG_GUARD;
	}
	VEC_PUSH(&x->out, u);
	uint32_t n = x->i ? (uint32_t)(x->i - x->f->inst) : x->f->n_inst;
	VEC_PUSH(&x->inst_of, n);
	return &x->out.at[x->out.n - 1];
}

// What of an instruction is missing: all of mbarrier, the asynchronous form of red, of others the form at hand.
static const char *missing_part(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	const struct ptx_op *before = i->op > ptx_op_table ? i->op - 1 : i->op;
	bool others_are = before != i->op && !strcmp(before->name, i->op->name); // rows of one name stand together
	if (!(i->op->flags & PTX_OP_LENIENT) || is(i, "ldmatrix") || is(i, "stmatrix"))
		return i->text;
	if (!others_are && !is(i, "cp"))
		return i->op->name;
	if (strstr(i->text, ".tensor."))
		return i->text;
	if (!strncmp(i->text, "cp.async.bulk", 13))
		return "cp.async.bulk";
	size_t n = strlen(i->op->name);
	n += i->text[n] == '.' ? 1 + strcspn(i->text + n + 1, ".") : 0;
	return arena_printf(x->keep, "%.*s", (int)n, i->text);
}

bool decode_executes(struct decoder *x, const char *key)
{
	if (exec_find(key))
		return true;
	const char *part = missing_part(x);
	x->ok = false;
	for (size_t k = 0; k < x->missing.n; k++)
		if (!strcmp(x->missing.at[k], part))
			return false;
	VEC_PUSH(&x->missing, part);
	decode_complain(x, "%s: not supported by this version (%s)", part, x->i->op->semantics);
	return false;
}

struct uop *decode_emit_key(struct decoder *x, const char *key)
{
	exec_fn *fn = exec_find(key);
	if (!fn)
		decode_executes(x, key);
	return decode_emit(x, fn);
}

int32_t decode_temp_row(struct decoder *x)
{
	if (x->temps == N_TEMPS) {
		decode_complain(x, "'%s' has too many operands wider than its type", x->i->text);
		return SCRATCH_ROW;
	}
	int32_t *row = &x->temp[x->temps++];
	if (!*row) {
		*row = (int32_t)x->top;
		x->top += TEMP_BYTES;
	}
	return *row;
}

unsigned decode_row_class(enum ptx_type t)
{
	unsigned bits = ptx_type_bits[t];
	return t == PTX_T_PRED ? 0 : bits <= 32 ? 1 : bits <= 64 ? 2 : 3;
}

// "cvt" from the low part of a wide register, or into one: what the register file's width asks for.
void decode_emit_resize(struct decoder *x, int32_t to, enum ptx_type to_type, int32_t from, enum ptx_type from_type)
{
	char key[32];
	unsigned tb = ptx_type_bits[to_type], fb = ptx_type_bits[from_type];
	char sign = ptx_type_kind[from_type] == 's' ? 's' : 'u';
	snprintf(key, sizeof key, "cvt.%c%u.%c%u", sign, tb, sign, fb);
	struct uop *u = decode_emit_key(x, key);
	u->d = to;
	u->a = from;
}

int32_t decode_source_row(struct decoder *x, const struct ptx_opnd *o, enum ptx_type t)
{
	bool wide = decode_row_class(t) == 2;
	switch (o->kind) {
	case PTX_O_REG: {
		enum ptx_type rt = (enum ptx_type)x->f->reg[o->index].type;
		int32_t row = (int32_t)x->c->row_of_reg[o->index];
		if (decode_row_class(rt) <= decode_row_class(t) || t == PTX_T_PRED || rt == PTX_T_PRED)
			return row;
		int32_t tmp = decode_temp_row(x);
		decode_emit_resize(x, tmp, PTX_T_U32, row, PTX_T_U64);
		return tmp;
	}
	case PTX_O_IMM:
		if (t == PTX_T_PRED)
			return decode_const_row(x, o->bits ? FULL_MASK : 0, false);
		return decode_const_row(x, ptx_imm_bits(o, t), wide);
	case PTX_O_SREG:
		return sreg_row(x, o, wide);
	case PTX_O_VAR:
		return address_row(x, o->var, o->offset, wide);
	case PTX_O_FUNC: {
		const struct ptx_func *f = o->func->def ? o->func->def : o->func;
		return decode_const_row(x, f->addr, wide);
	}
	case PTX_O_SINK:
		return SCRATCH_ROW;
	default:
		decode_complain(x, "'%s' has an operand of a kind it can't have", x->i->text);
		return SCRATCH_ROW;
	}
}

struct dest decode_dest_row(struct decoder *x, const struct ptx_opnd *o, enum ptx_type t)
{
	if (o->kind != PTX_O_REG)
		return (struct dest){.row = SCRATCH_ROW};
	enum ptx_type rt = (enum ptx_type)x->f->reg[o->index].type;
	struct dest d = {(int32_t)x->c->row_of_reg[o->index], (int32_t)x->c->row_of_reg[o->index], t, rt, false};
	if (decode_row_class(rt) > decode_row_class(t) && t != PTX_T_PRED) {
		d.row = decode_temp_row(x);
		d.resize = true;
	}
	return d;
}

void decode_finish_dest(struct decoder *x, const struct dest *d)
{
	if (d->resize)
		decode_emit_resize(x, d->reg_row, ptx_type_kind[d->type] == 's' ? PTX_T_S64 : PTX_T_U64, d->row, d->type);
}

// --- memory operands

struct address decode_address(struct decoder *x, const struct ptx_opnd *o)
{
	struct address a = {.imm = o->offset, .wide = true};
	const struct ptx_opnd *base = o->kind == PTX_O_MEM ? &o->elem[0] : o;
	switch (base->kind) {
	case PTX_O_REG:
		a.row = (int32_t)x->c->row_of_reg[base->index];
		a.wide = decode_row_class(x->f->reg[base->index].type) == 2;
		return a;
	case PTX_O_IMM:
		a.row = zero_row(x);
		a.imm += (int64_t)base->bits;
		return a;
	case PTX_O_VAR: {
		struct ptx_var *v = base->var;
		if (base != o)
			a.imm += base->offset;
		if (v->space == PTX_S_SHARED) {
			a.row = zero_row(x);
			a.imm += shared_offset(x, v);
		} else if (v->space == PTX_S_LOCAL || (v->space == PTX_S_PARAM && !ptx_is_entry_param(x->f, v))) {
			a.row = decode_local_row(x, 0);
			a.imm += (int64_t)v->addr;
		} else {
			a.row = address_row(x, v, 0, true);
		}
		return a;
	}
	case PTX_O_SREG:
		a.row = sreg_row(x, base, true);
		return a;
	default:
		decode_complain(x, "'%s' has an address of a kind it can't have", x->i->text);
		return a;
	}
}

void decode_list_access(struct decoder *x, enum exec_list how, struct address a)
{
	size_t n = (size_t)(x->i - x->f->inst);
	x->c->access[n] = (struct code_access){.row = a.row, .how = (uint8_t)how, .wide = a.wide, .imm = a.imm};
	x->c->isa[n].has_access = true;
}

void decode_list_address(struct decoder *x, struct address a)
{
	const struct isa_inst *s = &x->c->isa[x->i - x->f->inst];
	switch ((enum isa_space)s->space) {
	case SPACE_GENERIC:
		decode_list_access(x, EXEC_LIST_GENERIC, a);
		break;
	case SPACE_GLOBAL:
	case SPACE_CONST:
		decode_list_access(x, EXEC_LIST_DEVICE, a);
		break;
	case SPACE_SHARED:
	case SPACE_LOCAL:
		decode_list_access(x, EXEC_LIST_OFFSET, a);
		break;
	case SPACE_PARAM:
		decode_list_access(x, EXEC_LIST_PARAM, a);
		break;
	default: // a prefetch, or call arguments: nothing to time
		break;
	}
}
