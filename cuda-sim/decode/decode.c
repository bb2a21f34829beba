// PTX instructions become micro-ops: operands are resolved to rows, addresses to constants, bodies are found by key.
#include "cuda-sim/decode/decoder.h"
#include "cuda-sim/ptx/video_ops.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned type_bytes(enum ptx_type t) { return (ptx_type_bits[t] + 7u) / 8; }

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

static int32_t init_row(struct decoder *x, enum row_group group, struct row_init want)
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
	return init_row(x, ROWS_LAUNCH, (struct row_init){.kind = ROW_CONST, .wide = wide,
	                                                  .bits = wide ? bits : (uint32_t)bits});
}

static int32_t zero_row(struct decoder *x) { return decode_const_row(x, 0, true); }

static int32_t sp_row(struct decoder *x, int64_t offset)
{
	return init_row(x, ROWS_LAUNCH, (struct row_init){.kind = ROW_SP, .wide = true, .bits = (uint64_t)offset});
}

static enum row_group sreg_group(enum ptx_sreg r)
{
	switch (r) {
	case PTX_SR_CTAID:
	case PTX_SR_CLUSTERID:
	case PTX_SR_SMID:
		return ROWS_CTA;
	default:
		return ROWS_WARP;
	}
}

static int32_t sreg_row(struct decoder *x, const struct ptx_opnd *o, bool wide)
{
	struct row_init r = {.kind = ROW_SREG, .wide = wide, .sreg = (uint8_t)o->index, .comp = o->comp};
	return init_row(x, sreg_group((enum ptx_sreg)o->index), r);
}

// --- variables

static uint32_t round_up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

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
		return sp_row(x, (int64_t)v->addr + offset);
	case PTX_S_PARAM:
		if (!ptx_is_entry_param(x->f, v))
			return sp_row(x, (int64_t)v->addr + offset);
		x->c->kernel->param_memory = true;
		return init_row(x, ROWS_LAUNCH,
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

static struct uop *emit(struct decoder *x, exec_fn *fn)
{
	struct uop u = {.fn = fn};
	if (x->i)
		u.mode = decode_mode(&x->i->mods);
	u.cls = x->i ? x->c->isa[x->i - x->f->inst].cls : ISA_EXIT;
	if (x->counted)
		u.flags |= UOP_EXTRA;
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

struct uop *decode_emit_key(struct decoder *x, const char *key)
{
	exec_fn *fn = exec_find(key);
	if (!fn) {
		decode_complain(x, "instruction '%s' is known but this version does not execute it", x->i->text);
		return emit(x, NULL);
	}
	return emit(x, fn);
}

int32_t decode_temp_row(struct decoder *x)
{
	if (x->temps == N_TEMPS) {
		decode_complain(x, "'%s' has too many operands wider than its type", x->i->text);
		return TEMP_ROW;
	}
	return TEMP_ROW + 512 * (int32_t)x->temps++;
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

static void finish_dest(struct decoder *x, const struct dest *d)
{
	if (d->resize)
		decode_emit_resize(x, d->reg_row, ptx_type_kind[d->type] == 's' ? PTX_T_S64 : PTX_T_U64, d->row, d->type);
}

// --- memory operands

static struct address decode_address(struct decoder *x, const struct ptx_opnd *o)
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
			a.row = sp_row(x, 0);
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

// Tells how to list what the instruction touches, which it does at `a` in the space of its suffix.
void decode_list_access(struct decoder *x, enum list_how how, struct address a)
{
	size_t n = (size_t)(x->i - x->f->inst);
	x->c->access[n] = (struct code_access){.row = a.row, .how = (uint8_t)how, .wide = a.wide, .imm = a.imm};
	x->c->isa[n].has_access = true;
}

static void list_address(struct decoder *x, struct address a)
{
	const struct isa_inst *s = &x->c->isa[x->i - x->f->inst];
	switch ((enum isa_space)s->space) {
	case SPACE_GENERIC:
		decode_list_access(x, LIST_GENERIC, a);
		break;
	case SPACE_GLOBAL:
	case SPACE_CONST:
		decode_list_access(x, LIST_DEVICE, a);
		break;
	case SPACE_SHARED:
	case SPACE_LOCAL:
		decode_list_access(x, LIST_OFFSET, a);
		break;
	case SPACE_PARAM:
		decode_list_access(x, LIST_PARAM, a);
		break;
	default: // a prefetch, or call arguments: nothing to time
		break;
	}
}

// ld.param of an entry at a constant offset: the value is a row already.
static bool load_entry_param(struct decoder *x, const struct ptx_opnd *dst, const struct ptx_opnd *src, enum ptx_type t)
{
	const struct ptx_opnd *base = src->kind == PTX_O_MEM ? &src->elem[0] : src;
	if (base->kind != PTX_O_VAR || !ptx_is_entry_param(x->f, base->var))
		return false;
	unsigned n = dst->kind == PTX_O_VEC ? dst->n : 1, bytes = type_bytes(t);
	if (bytes > 8)
		return false;
	uint64_t at = base->var->addr + (uint64_t)(src->offset + (base == src ? 0 : base->offset));
	decode_list_access(x, LIST_FIXED, (struct address){.imm = (int64_t)at});
	for (unsigned k = 0; k < n; k++) {
		const struct ptx_opnd *o = dst->kind == PTX_O_VEC ? &dst->elem[k] : dst;
		bool wide = o->kind == PTX_O_REG && decode_row_class(x->f->reg[o->index].type) == 2;
		struct row_init r = {.kind = ROW_PARAM, .wide = wide, .bytes = (uint8_t)bytes,
		                     .sign = ptx_type_kind[t] == 's', .bits = at + k * bytes};
		struct uop *u = decode_emit_key(x, wide ? "mov.b64" : "mov.b32");
		u->a = init_row(x, ROWS_LAUNCH, r);
		u->d = o->kind == PTX_O_REG ? (int32_t)x->c->row_of_reg[o->index] : SCRATCH_ROW;
	}
	return true;
}

// The key with ".param" replaced: parameters are read where they really are.
static const char *respace(struct decoder *x, const char *key, const char *space)
{
	const char *p = strstr(key, ".param");
	return p ? arena_printf(x->keep, "%.*s.%s%s", (int)(p - key), key, space, p + 6) : key;
}

// --- control

// Gives `v` the next place in the frame's local memory. Words are the unit, so small variables are aligned to them.
static void place_variable(struct decoder *x, struct ptx_var *v, uint32_t *at)
{
	*at = round_up(*at, v->align < 4 ? 4 : v->align);
	if (*at > MAX_LOCAL || v->size > MAX_LOCAL - *at) {
		decode_complain(x, "variable '%s' does not fit the %u bytes of local memory a thread can have", v->name,
		                MAX_LOCAL);
		return;
	}
	v->addr = *at;
	*at += round_up((uint32_t)v->size, 4);
}

static struct code_value *place_values(struct decoder *x, struct ptx_var **v, unsigned n, uint32_t *at)
{
	struct code_value *out = ARENA_ARRAY(x->keep, struct code_value, n + 1);
	for (unsigned k = 0; k < n; k++) {
		out[k].bytes = (uint32_t)v[k]->size;
		if (v[k]->space == PTX_S_REG) {
			out[k].is_row = true;
			for (uint32_t r = 0; r < x->f->n_reg; r++)
				if (strcmp(x->f->reg[r].name, v[k]->name) == 0) {
					out[k].at = (int32_t)x->c->row_of_reg[r];
					break; // formals come first; inner scopes may use the name again
				}
			continue;
		}
		place_variable(x, v[k], at);
		out[k].at = (int32_t)v[k]->addr;
	}
	return out;
}

static struct call_value call_value(struct decoder *x, const struct ptx_opnd *o, bool dest)
{
	struct call_value v = {0};
	switch (o->kind) {
	case PTX_O_VAR:
		v.bytes = (uint32_t)o->var->size;
		v.caller = (int32_t)o->var->addr;
		if (ptx_is_entry_param(x->f, o->var))
			decode_complain(x, "kernel parameter '%s' can't be passed on by name", o->var->name);
		break;
	case PTX_O_REG:
		v.caller_is_row = true;
		v.bytes = type_bytes(x->f->reg[o->index].type);
		v.caller = (int32_t)x->c->row_of_reg[o->index];
		break;
	default:
		v.caller_is_row = true;
		v.bytes = 8;
		v.caller = dest ? SCRATCH_ROW : decode_source_row(x, o, PTX_T_B64);
		break;
	}
	return v;
}

static void decode_call(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	struct call_site *s = ARENA_NEW(x->keep, struct call_site);
	const struct ptx_opnd *target = NULL;
	for (unsigned k = 0; k < i->n_opnd; k++) {
		const struct ptx_opnd *o = &i->opnd[k];
		if (o->kind == PTX_O_TABLE)
			continue;
		if (o->kind != PTX_O_LIST) {
			target = o;
			continue;
		}
		struct call_value *v = ARENA_ARRAY(x->keep, struct call_value, o->n + 1);
		for (unsigned e = 0; e < o->n; e++)
			v[e] = call_value(x, &o->elem[e], !target);
		if (target)
			s->arg = v, s->n_arg = o->n;
		else
			s->ret = v, s->n_ret = o->n;
	}
	if (!target) {
		decode_complain(x, "call without a target");
		return;
	}
	struct uop *u = emit(x, NULL);
	size_t at = x->out.n - 1;
	u->ctl = CTL_CALL;
	u->imm = (int64_t)(uintptr_t)s;
	if (target->kind == PTX_O_FUNC) {
		struct ptx_func *f = target->func->def;
		if (!f || !f->body) {
			s->builtin = x->c->kernel->program->builtin(target->func->name);
			if (!s->builtin)
				decode_complain(x, "function '%s' is called but not defined, and is none that Heddle provides",
				         target->func->name);
			return;
		}
		s->target = f;
		s->code = kernel_code_find(x->c->kernel, f);
		return;
	}
	x->out.at[at].a = decode_source_row(x, target, PTX_T_B64);
}

static uint32_t flow_rpc(const struct decoder *x, const struct ptx_inst *i)
{
	int64_t r = cfg_reconvergence(x->g, (uint32_t)(i - x->f->inst));
	return r < 0 ? UOP_NOWHERE : (uint32_t)r;
}

static void decode_bar(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	int mode = strstr(i->key, ".arrive")   ? UOP_BAR_ARRIVE
	           : strstr(i->key, ".popc")   ? UOP_BAR_POPC
	           : strstr(i->key, ".red.and") ? UOP_BAR_AND
	           : strstr(i->key, ".red.or") ? UOP_BAR_OR
	                                       : UOP_BAR_SYNC;
	const struct ptx_opnd *src[3] = {0};
	unsigned n = 0, first = mode >= UOP_BAR_POPC;
	for (unsigned k = first; k < i->n_opnd && n < 3; k++)
		src[n++] = &i->opnd[k];
	bool neg = false;
	int32_t pred = 0, id = n ? decode_source_row(x, src[0], PTX_T_U32) : decode_const_row(x, 0, false), count = 0;
	if (mode >= UOP_BAR_POPC && n) {
		pred = decode_source_row(x, src[n - 1], PTX_T_PRED);
		neg = src[n - 1]->neg;
		n--;
	}
	if (n > 1)
		count = decode_source_row(x, src[1], PTX_T_U32);
	struct uop *u = emit(x, NULL);
	u->ctl = CTL_BAR;
	u->x[0] = mode;
	u->a = id;
	u->b = count;
	u->c = pred;
	if (neg)
		u->flags |= UOP_NEG_C;
	if (first && i->opnd[0].kind == PTX_O_REG)
		u->d = (int32_t)x->c->row_of_reg[i->opnd[0].index];
}

// True if the instruction was one of control.
static bool decode_control(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	struct uop *u;
	if (is(i, "bra")) {
		u = emit(x, NULL);
		u->ctl = CTL_BRA;
		u->imm = i->opnd[0].index; // an instruction number until fix_targets
		u->x[0] = (int32_t)flow_rpc(x, i);
	} else if (is(i, "brx")) {
		int32_t index = decode_source_row(x, &i->opnd[0], PTX_T_U32);
		u = emit(x, NULL);
		u->ctl = CTL_BRX;
		u->a = index;
		u->x[0] = (int32_t)flow_rpc(x, i);
		u->x[1] = i->n_opnd > 1 ? (int32_t)i->opnd[1].index : 0;
	} else if (is(i, "ret") && !x->f->entry) {
		// All lanes return together: a branch to the one place that returns.
		u = emit(x, NULL);
		u->ctl = CTL_BRA;
		u->imm = x->f->n_inst;
		u->x[0] = (int32_t)flow_rpc(x, i);
	} else if (is(i, "ret") || is(i, "exit")) {
		u = emit(x, NULL);
		u->ctl = CTL_EXIT;
	} else if (is(i, "call")) {
		decode_call(x);
	} else if (strncmp(i->key, "bar.warp", 8) == 0) {
		int32_t members = i->n_opnd ? decode_source_row(x, &i->opnd[0], PTX_T_U32) : 0;
		u = emit(x, NULL);
		u->ctl = CTL_WARPSYNC;
		u->flags |= UOP_GATHER;
		u->x[3] = members;
	} else if (is(i, "bar") || is(i, "barrier")) {
		decode_bar(x);
	} else if (is(i, "trap") || is(i, "brkpt")) {
		u = emit(x, NULL);
		u->ctl = CTL_TRAP;
	} else {
		return false;
	}
	return true;
}

// --- everything else

static bool is_clock(const struct ptx_opnd *o)
{
	if (o->kind != PTX_O_SREG)
		return false;
	switch ((enum ptx_sreg)o->index) {
	case PTX_SR_CLOCK:
	case PTX_SR_CLOCK_HI:
	case PTX_SR_CLOCK64:
	case PTX_SR_GLOBALTIMER:
	case PTX_SR_GLOBALTIMER_LO:
	case PTX_SR_GLOBALTIMER_HI:
		return true;
	default:
		return false;
	}
}

static bool decode_mov(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	if (!is(i, "mov") || i->n_opnd != 2)
		return false;
	const struct ptx_opnd *d = &i->opnd[0], *s = &i->opnd[1];
	enum ptx_type t = (enum ptx_type)i->mods.type[0];
	if (is_clock(s)) {
		struct dest to = decode_dest_row(x, d, ptx_type_bits[t] == 64 ? PTX_T_U64 : PTX_T_U32);
		struct uop *u = emit(x, NULL);
		u->ctl = CTL_CLOCK;
		u->d = to.row;
		u->x[1] = ptx_type_bits[t] == 64;
		u->x[2] = s->index == PTX_SR_CLOCK_HI || s->index == PTX_SR_GLOBALTIMER_HI;
		finish_dest(x, &to);
		return true;
	}
	bool pack = s->kind == PTX_O_VEC, unpack = d->kind == PTX_O_VEC;
	if (!pack && !unpack)
		return false;
	const struct ptx_opnd *vec = pack ? s : d, *one = pack ? d : s;
	unsigned bits = ptx_type_bits[t];
	if (vec->n < 2 || vec->n > 4 || (bits == 128 && vec->n > 4)) {
		decode_complain(x, "'%s' can't have %u elements", i->text, vec->n);
		return true;
	}
	unsigned each = bits / vec->n;
	enum ptx_type et = each == 64 ? PTX_T_B64 : each == 32 ? PTX_T_B32 : each == 16 ? PTX_T_B16 : PTX_T_B8;
	int32_t row[4] = {0}, whole;
	for (unsigned k = 0; k < vec->n; k++)
		row[k] = pack ? decode_source_row(x, &vec->elem[k], et)
		         : vec->elem[k].kind == PTX_O_REG ? (int32_t)x->c->row_of_reg[vec->elem[k].index]
		                                         : SCRATCH_ROW;
	whole = pack ? decode_dest_row(x, one, t).row : decode_source_row(x, one, t);
	struct uop *u = decode_emit_key(x, arena_printf(x->keep, "mov.%s%u.b%u", pack ? "pack" : "unpack", vec->n, bits));
	if (pack)
		u->d = whole;
	else
		u->a = whole;
	memcpy(u->x, row, sizeof row);
	return true;
}

static bool decode_param_access(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	if (i->mods.space != PTX_S_PARAM || !is(i, "ld") || i->n_opnd != 2)
		return false;
	return load_entry_param(x, &i->opnd[0], &i->opnd[1], (enum ptx_type)i->mods.type[0]);
}

static const char *real_key(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	if (i->mods.space != PTX_S_PARAM)
		return i->key;
	if (is(i, "ld") || is(i, "st")) {
		const struct ptx_opnd *m = is(i, "ld") ? &i->opnd[1] : &i->opnd[0];
		bool entry = is(i, "ld") && ptx_in_entry_params(x->f, m);
		if (entry)
			x->c->kernel->param_memory = true;
		return respace(x, i->key, entry ? "global" : "local");
	}
	// cvta.param: the address of a kernel parameter is generic already, that of another one is local.
	return respace(x, i->key, x->f->entry ? "global" : "local");
}

static bool has_part(const char *key, const char *part)
{
	size_t n = strlen(part);
	for (const char *s = strchr(key, '.'); s; s = strchr(s + 1, '.'))
		if (strncmp(s + 1, part, n) == 0 && (s[n + 1] == '.' || !s[n + 1]))
			return true;
	return false;
}

// atom and red on vectors: each element is an atomic of its own (PTX ISA), in whatever order the suffixes stand.
static bool decode_vector_atomic(struct decoder *x)
{
	static const char *const ops[] = {"add", "min", "max"};
	const struct ptx_inst *i = x->i;
	bool atom = is(i, "atom");
	if ((!atom && !is(i, "red")) || i->mods.vec < 2)
		return false;
	enum ptx_type t = (enum ptx_type)i->mods.type[0];
	const char *op = "";
	for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
		if (has_part(i->key, ops[k]))
			op = ops[k];
	const char *space = i->mods.space == PTX_S_GLOBAL ? ".global" : i->mods.space == PTX_S_SHARED ? ".shared" : "";
	const char *key = arena_printf(x->keep, "%s%s.%s%s.%s", i->op->name, space, op,
	                               has_part(i->key, "noftz") ? ".noftz" : "", ptx_type_text[t]);
	const struct ptx_opnd *dst = &i->opnd[0], *src = &i->opnd[1 + atom];
	struct address a = decode_address(x, &i->opnd[atom]);
	list_address(x, a);
	int32_t old[8] = {0};
	for (unsigned k = 0; k < src->n && k < 8; k++) {
		int32_t b = decode_source_row(x, &src->elem[k], t);
		// A result may be the operand of a later element: results wait in rows of their own.
		old[k] = (int32_t)x->top;
		x->top += 8 * WARP;
		struct uop *u = decode_emit_key(x, key);
		u->d = old[k];
		u->a = a.row;
		u->imm = a.imm + (int64_t)k * type_bytes(t);
		u->b = b;
		if (a.wide)
			u->flags |= UOP_ADDR64;
	}
	for (unsigned k = 0; atom && dst->kind == PTX_O_VEC && k < dst->n && k < 8; k++) {
		struct dest d = decode_dest_row(x, &dst->elem[k], t);
		struct uop *u = decode_emit_key(x, type_bytes(t) == 8 ? "mov.b64" : "mov.b32");
		u->a = old[k];
		u->d = d.row;
		finish_dest(x, &d);
	}
	return true;
}

static bool polls(const struct ptx_inst *i)
{
	if (is(i, "nanosleep"))
		return true;
	if (is(i, "atom"))
		return i->opnd[0].kind == PTX_O_REG;
	return is(i, "ld") && i->mods.sem != PTX_SEM_NONE && i->mods.sem != PTX_WEAK;
}

static bool is_sync(const struct ptx_inst *i)
{
	static const char *const name[] = {"shfl", "vote", "match", "redux", "elect"};
	for (size_t k = 0; k < sizeof name / sizeof *name; k++)
		if (is(i, name[k]))
			return strstr(i->key, ".sync") != NULL;
	return false;
}

static bool narrow_register(const struct decoder *x, const struct ptx_opnd *o)
{
	return o->kind == PTX_O_REG && decode_row_class((enum ptx_type)x->f->reg[o->index].type) < 2;
}

static void decode_plain(struct decoder *x, const char *key, unsigned first_elem, unsigned n_elem)
{
	const struct ptx_inst *i = x->i;
	struct ptx_opnd_spec spec[PTX_MAX_OPNDS] = {0};
	ptx_opnd_spec(i, PTX_MAX_OPNDS, spec);

	struct uop t = {0};
	int32_t *const src[] = {&t.a, &t.b, &t.c, &t.x[0], &t.x[1], &t.x[2]};
	static const uint16_t neg[] = {UOP_NEG_A, UOP_NEG_B, UOP_NEG_C, 0, 0, 0};
	struct dest dest[5];
	unsigned n_dest = 0, n_src = 0;
	bool second = false;
	int32_t last = 0;
	for (unsigned k = 0; k < i->n_opnd; k++)
		second |= spec[k].has_second;

	// Sources first, since they may need conversions before the instruction.
	for (unsigned k = 0; k < i->n_opnd; k++) {
		const struct ptx_opnd *o = &i->opnd[k];
		enum ptx_type ty = (enum ptx_type)spec[k].type;
		if (spec[k].is_dest)
			continue;
		if (o->kind == PTX_O_VEC) {
			for (unsigned e = 0; e < n_elem && first_elem + e < o->n; e++)
				t.x[e] = decode_source_row(x, &o->elem[first_elem + e], ty);
			continue;
		}
		if (n_src == 3 && second)
			n_src++; // x[0] is the second destination's
		if (n_src >= sizeof src / sizeof *src) {
			decode_complain(x, "'%s' has too many operands", i->text);
			return;
		}
		if (spec[k].is_addr) {
			struct address a = decode_address(x, o);
			list_address(x, a);
			*src[n_src] = a.row;
			t.imm = a.imm;
			if (a.wide)
				t.flags |= UOP_ADDR64;
		} else {
			*src[n_src] = decode_source_row(x, o, spec[k].form == PTX_F_ADDRESS ? PTX_T_B64 : ty);
			if (spec[k].form == PTX_F_ADDRESS && !narrow_register(x, o))
				t.flags |= UOP_ADDR64;
			if (o->neg && spec[k].is_pred)
				t.flags |= neg[n_src];
		}
		last = *src[n_src++];
	}
	for (unsigned k = 0; k < i->n_opnd; k++) {
		const struct ptx_opnd *o = &i->opnd[k];
		enum ptx_type ty = spec[k].is_pred ? PTX_T_PRED : (enum ptx_type)spec[k].type;
		if (!spec[k].is_dest)
			continue;
		if (o->kind == PTX_O_VEC) {
			for (unsigned e = 0; e < n_elem && first_elem + e < o->n; e++) {
				dest[n_dest] = decode_dest_row(x, &o->elem[first_elem + e], ty);
				t.x[e] = dest[n_dest++].row;
			}
			t.d = t.x[0];
			continue;
		}
		dest[n_dest] = decode_dest_row(x, o, ty);
		t.d = dest[n_dest++].row;
		if (o->second)
			t.x[0] = decode_dest_row(x, o->second, PTX_T_PRED).row;
	}

	struct uop *u = decode_emit_key(x, key);
	u->d = t.d, u->a = t.a, u->b = t.b, u->c = t.c;
	memcpy(u->x, t.x, sizeof t.x);
	u->imm = t.imm + (int64_t)first_elem * type_bytes((enum ptx_type)i->mods.type[0]);
	u->flags |= t.flags;
	if (video_is(i->op)) {
		struct video *v = ARENA_NEW(x->keep, struct video);
		unsigned at;
		video_read(i, x->f->module->text.text, v, &at);
		u->imm = (int64_t)(uintptr_t)v;
	}
	if (polls(i))
		u->flags |= UOP_POLL;
	if (is_sync(i)) {
		u->flags |= UOP_GATHER;
		u->x[3] = last;
	}
	for (unsigned k = 0; k < n_dest; k++)
		finish_dest(x, &dest[k]);
}

static void decode_inst(struct decoder *x)
{
	x->temps = 0;
	x->counted = false;
	if (decode_control(x) || decode_mov(x) || decode_param_access(x) || decode_tex(x) || decode_vector_atomic(x))
		return;
	const char *key = real_key(x), *v8 = strstr(key, ".v8.");
	if (!v8) {
		decode_plain(x, key, 0, 4);
		return;
	}
	// Eight registers: two accesses of four.
	key = arena_printf(x->keep, "%.*s.v4.%s", (int)(v8 - key), key, v8 + 4);
	decode_plain(x, key, 0, 4);
	decode_plain(x, key, 4, 4);
}

// --- the function

const struct cfg *code_flow(const struct ptx_func *f, struct arena *a)
{
	// One more instruction than the PTX has: the end, which returns.
	struct cfg_flow *flow = ARENA_ARRAY(a, struct cfg_flow, f->n_inst + 1);
	for (uint32_t n = 0; n < f->n_inst; n++) {
		const struct ptx_inst *i = &f->inst[n];
		struct cfg_flow *w = &flow[n];
		bool guarded = i->guard >= 0;
		// Also of a trap: it ends the kernel, and so the branches around it keep their meeting point.
		w->falls = true;
		if (is(i, "bra")) {
			w->target = &i->opnd[0].index;
			w->n_target = 1;
			w->falls = guarded;
		} else if (is(i, "brx") && i->n_opnd > 1 && i->opnd[1].index < f->n_table) {
			w->target = f->table[i->opnd[1].index].label;
			w->n_target = f->table[i->opnd[1].index].n;
			w->falls = guarded;
		} else if (is(i, "ret") && !f->entry) {
			uint32_t *end = ARENA_NEW(a, uint32_t);
			*end = f->n_inst;
			w->target = end;
			w->n_target = 1;
			w->falls = guarded;
		} else if (is(i, "ret") || is(i, "exit")) {
			w->falls = guarded;
		}
	}
	return cfg_build(a, f->n_inst + 1, flow);
}

static uint32_t place_local(struct decoder *x)
{
	struct ptx_func *f = x->f;
	struct code *c = x->c;
	uint32_t at = 0;
	if (f->entry) {
		uint32_t param = 0;
		for (unsigned k = 0; k < f->n_param; k++) {
			param = round_up(param, f->param[k]->align ? f->param[k]->align : 1);
			f->param[k]->addr = param;
			param += (uint32_t)f->param[k]->size;
		}
	} else {
		c->n_param = f->n_param, c->n_ret = f->n_ret;
		c->param = place_values(x, f->param, f->n_param, &at);
		c->ret = place_values(x, f->ret, f->n_ret, &at);
	}
	for (uint32_t k = 0; k < f->n_local; k++) {
		struct ptx_var *v = f->local[k];
		if (v->space == PTX_S_LOCAL || v->space == PTX_S_PARAM)
			place_variable(x, v, &at);
	}
	return round_up(at, 16);
}

static void fix_targets(struct decoder *x)
{
	struct code *c = x->c;
	for (size_t k = 0; k < x->out.n; k++) {
		struct uop *u = &x->out.at[k];
		if (u->ctl == CTL_BRA)
			u->imm = x->uop_of[u->imm];
		if ((u->ctl == CTL_BRA || u->ctl == CTL_BRX) && u->x[0] != (int32_t)UOP_NOWHERE)
			u->x[0] = (int32_t)x->uop_of[u->x[0]];
	}
	c->table = ARENA_ARRAY(x->keep, uint32_t *, x->f->n_table + 1);
	c->table_n = ARENA_ARRAY(x->keep, uint32_t, x->f->n_table + 1);
	for (uint32_t t = 0; t < x->f->n_table; t++) {
		const struct ptx_table *p = &x->f->table[t];
		if (p->kind != PTX_BRANCHTARGETS)
			continue;
		c->table_n[t] = p->n;
		c->table[t] = ARENA_ARRAY(x->keep, uint32_t, p->n + 1);
		for (unsigned k = 0; k < p->n; k++)
			c->table[t][k] = x->uop_of[p->label[k]];
	}
}

bool decode_func(struct code *c, struct diag *d)
{
	struct ptx_func *f = c->func;
	struct arena tmp = {0};
	struct decoder x = {.c = c, .f = f, .d = d, .keep = &c->kernel->arena, .ok = true};
	c->access = ARENA_ARRAY(x.keep, struct code_access, f->n_inst + 1);
	describe_func(c);
	x.g = code_flow(f, &tmp);
	x.top = rows_assign(c, x.g, x.keep, FIRST_ROW);
	x.top = round_up(x.top, 64);
	c->local_bytes = place_local(&x);
	x.uop_of = ARENA_ARRAY(&tmp, uint32_t, f->n_inst + 1);
	for (uint32_t n = 0; n < f->n_inst; n++) {
		x.i = &f->inst[n];
		x.uop_of[n] = (uint32_t)x.out.n;
		decode_inst(&x);
	}
	x.uop_of[f->n_inst] = (uint32_t)x.out.n;
	x.i = NULL;
	x.counted = true;
	emit(&x, NULL)->ctl = f->entry ? CTL_EXIT : CTL_RET;
	fix_targets(&x);

	c->n_uop = (uint32_t)x.out.n;
	char *at = arena_alloc(x.keep, x.out.n * sizeof(struct uop) + EXEC_UOP_ALIGN);
	c->uop = (struct uop *)(((uintptr_t)at + EXEC_UOP_ALIGN - 1) & ~(uintptr_t)(EXEC_UOP_ALIGN - 1));
	memcpy(c->uop, x.out.at, x.out.n * sizeof(struct uop));
	c->inst_of = ARENA_ARRAY(x.keep, uint32_t, x.out.n);
	memcpy(c->inst_of, x.inst_of.at, x.out.n * sizeof *c->inst_of);
	VEC_FREE(&x.inst_of);
	for (enum row_group g = 0; g < ROWS_N_GROUPS; g++) {
		c->n_init[g] = (uint32_t)x.init[g].n;
		c->init[g] = ARENA_ARRAY(x.keep, struct row_init, x.init[g].n + 1);
		if (x.init[g].n)
			memcpy(c->init[g], x.init[g].at, x.init[g].n * sizeof(struct row_init));
		VEC_FREE(&x.init[g]);
	}
	c->frame_bytes = round_up(x.top, 64);
	VEC_FREE(&x.out);
	arena_free(&tmp);
	return x.ok;
}
