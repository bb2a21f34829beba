// Type check: every operand against what the table says about it.
#include "cuda-sim/ptx/ptx.h"
#include "cuda-sim/ptx/tensor_ops.h"
#include "cuda-sim/ptx/wgmma_ops.h"
#include "cuda-sim/ptx/video_ops.h"
#include "isa/inst.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct check {
	const struct ptx_func *f;
	const struct ptx_inst *i;
	struct diag *d;
	bool ok;
};

__attribute__((format(printf, 3, 4))) static void bad(struct check *c, uint32_t at, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	const struct src_text *src = &c->f->module->text;
	size_t len = 0;
	while (at + len < src->len && !strchr(" \t\n,;]})(|+", src->text[at + len]))
		len++;
	diag_at(c->d, DIAG_ERROR, src, at, len ? len : 1, "%s: %s", c->i->text, text);
	c->ok = false;
}

// Whether a register of type `r` may stand for a value of type `t`: integers mix, .b mixes with everything of its size.
static bool kinds_agree(enum ptx_type r, enum ptx_type t)
{
	char a = ptx_type_kind[r], b = ptx_type_kind[t];
	if ((a == 'p') != (b == 'p'))
		return false;
	if (a == 'b' || b == 'b')
		return true;
	if (a == 'f' || b == 'f')
		return a == b || r == PTX_T_U16X2 || t == PTX_T_U16X2 || r == PTX_T_S16X2 || t == PTX_T_S16X2;
	return true;
}

static void check_reg(struct check *c, const struct ptx_opnd *o, enum ptx_type t, unsigned bits)
{
	if (o->kind == PTX_O_SINK || !t)
		return;
	const struct ptx_reg *r = &c->f->reg[o->index];
	unsigned have = ptx_type_bits[r->type];
	bool relaxed = c->i->op->flags & PTX_OP_RELAXED && ptx_type_kind[t] != 'p', agree = kinds_agree(r->type, t);
	if (agree && (have == bits || (have > bits && relaxed)))
		return;
	char name[256];
	ptx_reg_print(c->f, o->index, name, sizeof name);
	if (!agree)
		bad(c, o->src, "register %s is .%s, .%s is wanted", name, ptx_type_text[r->type], ptx_type_text[t]);
	else
		bad(c, o->src, "register %s has %u bits, %s%u are wanted", name, have, relaxed ? "at least " : "", bits);
}

static void check_imm(struct check *c, const struct ptx_opnd *o, enum ptx_type t)
{
	char kind = ptx_type_kind[t];
	if (t == PTX_T_NONE)
		return;
	// mov.pred and the logic on predicates take 0 and -1; a predicate that only steers an instruction is a register.
	if (kind == 'p' && (o->is_float || c->i->mods.type[0] != PTX_T_PRED))
		bad(c, o->src, "a predicate is wanted, not a constant");
	else if (o->is_float && (kind == 'u' || kind == 's'))
		bad(c, o->src, "an integer is wanted, not a floating-point constant");
	else if (o->is_float && (t == PTX_T_F16 || t == PTX_T_BF16 || t == PTX_T_F16X2 || t == PTX_T_BF16X2))
		bad(c, o->src, "write a .%s constant as an integer with its bits", ptx_type_text[t]);
}

static void check_address(struct check *c, const struct ptx_opnd *o)
{
	const struct ptx_opnd *base = o->elem;
	if (!o->n) {
		bad(c, o->src, "an empty address");
		return;
	}
	if (base->kind == PTX_O_REG) {
		unsigned bits = ptx_type_bits[c->f->reg[base->index].type];
		if ((bits != 32 && bits != 64) || ptx_type_kind[c->f->reg[base->index].type] == 'f')
			bad(c, base->src, "an address register has 32 or 64 bits and is no floating-point number");
	} else if (base->kind != PTX_O_VAR && base->kind != PTX_O_IMM && base->kind != PTX_O_FUNC) {
		bad(c, base->src, "not an address");
	}
	if (base->neg || base->sel || base->second)
		bad(c, base->src, "not an address");
}

static void check_value(struct check *c, const struct ptx_opnd *o, const struct ptx_opnd_spec *s, enum ptx_type t,
                        unsigned bits)
{
	if (o->neg && !s->is_pred && !s->is_part) {
		bad(c, o->src, "only predicates can be negated here");
		return;
	}
	if (o->neg && s->is_dest) {
		bad(c, o->src, "a destination cannot be negated");
		return;
	}
	if (s->is_dest && o->kind != PTX_O_REG && o->kind != PTX_O_SINK) {
		bad(c, o->src, "a destination must be a register");
		return;
	}
	switch (o->kind) {
	case PTX_O_REG:
	case PTX_O_SINK:
		if (o->sel && !s->is_part)
			bad(c, o->src, "no part of a register can be named here");
		else if (o->kind == PTX_O_SINK && !s->is_dest)
			bad(c, o->src, "'_' has no value");
		else
			check_reg(c, o, t, bits);
		break;
	case PTX_O_IMM:
		if (t != PTX_T_PRED || (s->form != PTX_F_MOVABLE && !s->or_const) || o->is_float) // mov.pred takes 0 for false, else true
			check_imm(c, o, t);
		break;
	case PTX_O_SREG:
	case PTX_O_VAR:
	case PTX_O_FUNC:
		if (o->kind == PTX_O_SREG ? s->form != PTX_F_MOVABLE && c->i->op->cls != ISA_CVT : s->form != PTX_F_MOVABLE)
			bad(c, o->src, "%s cannot be used directly here; mov it to a register first",
			    o->kind == PTX_O_SREG ? "a special register" : "an address");
		break;
	default:
		bad(c, o->src, "a register or constant is wanted here");
	}
}

static void check_vector(struct check *c, const struct ptx_opnd *o, const struct ptx_opnd_spec *s)
{
	unsigned bits = ptx_type_bits[s->type], n = o->n;
	if (s->is_pack && c->i->mods.vec == 1) {
		if (!n || bits % n || bits / n < 8) {
			bad(c, o->src, "{..} of %u parts does not make %u bits", n, bits);
			return;
		}
		for (unsigned k = 0; k < n; k++)
			check_value(c, &o->elem[k], s, bits == 128 ? PTX_T_B64 : PTX_T_B32, bits / n);
		return;
	}
	unsigned want = s->n_elem ? s->n_elem : c->i->mods.vec;
	if (n != want) {
		bad(c, o->src, "%u registers are wanted in {..}, not %u", want, n);
		return;
	}
	for (unsigned k = 0; k < n; k++)
		check_value(c, &o->elem[k], s, s->type, bits);
}

static void check_operand(struct check *c, const struct ptx_opnd *o, const struct ptx_opnd_spec *s)
{
	if (o->second) {
		struct ptx_opnd_spec two = {.form = PTX_F_PRED, .type = s->second_type, .is_dest = true, .is_pred = true};
		if (!s->has_second)
			bad(c, o->src, "no second destination here");
		else
			check_value(c, o->second, &two, two.type, ptx_type_bits[two.type]);
	}
	if (s->or_pred && o->kind == PTX_O_REG && c->f->reg[o->index].type == PTX_T_PRED) {
		struct ptx_opnd_spec pred = {.form = PTX_F_PRED, .type = PTX_T_PRED, .is_src = true, .is_pred = true};
		check_value(c, o, &pred, PTX_T_PRED, ptx_type_bits[PTX_T_PRED]);
		return;
	}
	switch ((enum ptx_opnd_form)s->form) {
	case PTX_F_MEM:
		if (o->kind != PTX_O_MEM)
			bad(c, o->src, "an address in [ ] is wanted here");
		else
			check_address(c, o);
		break;
	case PTX_F_LABEL:
		if (o->kind != PTX_O_LABEL)
			bad(c, o->src, "a label is wanted here");
		break;
	case PTX_F_TABLE:
		if (o->kind != PTX_O_TABLE || c->f->table[o->index].kind != PTX_BRANCHTARGETS)
			bad(c, o->src, "the name of a .branchtargets list is wanted here");
		break;
	case PTX_F_IMM:
		if (o->kind != PTX_O_IMM || o->is_float)
			bad(c, o->src, "an integer constant is wanted here");
		break;
	case PTX_F_ADDRESS:
		if (o->kind != PTX_O_VAR && o->kind != PTX_O_REG && o->kind != PTX_O_IMM)
			bad(c, o->src, "an address is wanted here");
		break;
	case PTX_F_ANY:
		break;
	default:
		if (o->kind == PTX_O_VEC && (s->is_vec || s->is_pack))
			check_vector(c, o, s);
		else if (s->is_vec && s->n_elem != 1)
			bad(c, o->src, "%u registers in {..} are wanted here", s->n_elem ? s->n_elem : c->i->mods.vec);
		else
			check_value(c, o, s, s->type, ptx_type_bits[s->type]);
	}
}

// call (ret, ..), f, (param, ..);  call (ret, ..), register, (param, ..), table;
static void check_call(struct check *c)
{
	const struct ptx_inst *i = c->i;
	unsigned at = 0, n_ret = 0, n_param = 0;
	const struct ptx_opnd *ret = NULL, *param = NULL, *target;
	if (at < i->n_opnd && i->opnd[at].kind == PTX_O_LIST)
		ret = &i->opnd[at++], n_ret = ret->n;
	if (at == i->n_opnd) {
		bad(c, i->src, "a call needs a function");
		return;
	}
	target = &i->opnd[at++];
	if (at < i->n_opnd && i->opnd[at].kind == PTX_O_LIST)
		param = &i->opnd[at++], n_param = param->n;
	const struct ptx_func *proto = NULL;
	if (target->kind == PTX_O_FUNC) {
		proto = target->func;
		if (proto->entry)
			bad(c, target->src, "'%s' is a kernel; kernels cannot be called", proto->name);
	} else if (target->kind == PTX_O_REG) {
		if (at < i->n_opnd && i->opnd[at].kind == PTX_O_TABLE) {
			const struct ptx_table *t = &c->f->table[i->opnd[at++].index];
			proto = t->kind == PTX_CALLPROTOTYPE ? t->proto : t->kind == PTX_CALLTARGETS && t->n ? t->func[0] : NULL;
		}
		if (!proto)
			bad(c, target->src, "an indirect call names a .callprototype or .calltargets list at its end");
	} else {
		bad(c, target->src, "a function or a register is wanted here");
	}
	if (at < i->n_opnd)
		bad(c, i->opnd[at].src, "unexpected operand");
	if (!proto)
		return;
	if (n_ret != proto->n_ret)
		bad(c, ret ? ret->src : i->src, "%u return values are wanted, not %u", proto->n_ret, n_ret);
	if (n_param < proto->n_param ||
	    (n_param > proto->n_param && !(proto->n_param && proto->param[proto->n_param - 1]->unsized)))
		bad(c, param ? param->src : i->src, "%u parameters are wanted, not %u", proto->n_param, n_param);
}

bool ptx_inst_check(const struct ptx_func *f, const struct ptx_inst *i, struct diag *d)
{
	struct check c = {f, i, d, true};
	if (i->op->cls == ISA_CALL) {
		check_call(&c);
		return c.ok;
	}
	bool tensor = i->op->flags & (PTX_OP_TENSOR | PTX_OP_GROUP), group = i->op->flags & PTX_OP_GROUP;
	struct tensor_form form;
	struct wgmma_form group_form;
	const char *wrong = group ? wgmma_read(i->text, &group_form) : tensor ? tensor_read(i->text, &form) : NULL;
	if (wrong) {
		bad(&c, i->src, "%s", wrong);
		return false;
	}
	if (i->op->flags & PTX_OP_LENIENT || (strcmp(i->op->operands, "*") == 0 && !tensor))
		return true;
	enum { MAX = 64 };
	struct ptx_opnd_spec spec[MAX];
	unsigned n = ptx_opnd_spec(i, MAX, spec);
	if (n != i->n_opnd) {
		bad(&c, i->src, "%u operands are not what it takes (%s)", i->n_opnd,
		    *i->op->operands ? i->op->operands : "none");
		return false;
	}
	for (unsigned k = 0; k < n; k++)
		check_operand(&c, &i->opnd[k], &spec[k]);
	if (c.ok && group) {
		unsigned at;
		wrong = wgmma_wrong(f, i, &at);
		if (wrong)
			bad(&c, at ? i->opnd[at].src : i->src, "%s", wrong);
	}
	if (c.ok && !strcmp(i->op->name, "setmaxnreg") && (wrong = setmaxnreg_wrong(f, i)))
		bad(&c, i->opnd[0].src, "%s", wrong);
	if (c.ok && video_is(i->op)) {
		struct video v;
		unsigned at;
		const char *why = video_read(i, f->module->text.text, &v, &at);
		if (why)
			bad(&c, i->opnd[at].src, "%s", why);
	}
	if (c.ok && tensor) {
		unsigned at;
		const char *why = tensor_check(i, &at);
		if (why)
			bad(&c, i->opnd[at].src, "%s", why);
	}
	return c.ok;
}
