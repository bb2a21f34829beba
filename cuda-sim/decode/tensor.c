// Tensor instructions become micro-ops: the rows of their registers, and what is done with them.
#include "cuda-sim/decode/decoder.h"
#include "cuda-sim/ptx/tensor_ops.h"

static const char *key_of(const struct tensor_form *f)
{
	switch ((enum tensor_type)f->a) {
	case TENSOR_F64: return "tensor.f64";
	case TENSOR_B1: return "tensor.bits";
	case TENSOR_S8: case TENSOR_U8: case TENSOR_S4: case TENSOR_U4: return "tensor.int";
	default: return "tensor.float";
	}
}

static void source_rows(struct decoder *x, const struct ptx_opnd *o, const struct ptx_opnd_spec *s, int32_t *rows)
{
	for (unsigned k = 0; k < s->n_elem; k++)
		rows[k] = decode_source_row(x, o->kind == PTX_O_VEC ? &o->elem[k] : o, (enum ptx_type)s->type);
}

bool decode_tensor(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	struct tensor_form f;
	struct ptx_opnd_spec spec[TENSOR_OPNDS];
	if (!(i->op->flags & PTX_OP_TENSOR))
		return false;
	if (tensor_read(i->text, &f) || tensor_opnd_spec(i->text, TENSOR_OPNDS, spec) != i->n_opnd)
		return false;
	struct tensor_mma *t = ARENA_NEW(x->keep, struct tensor_mma);
	*t = (struct tensor_mma){.m = (uint8_t)f.m, .n = (uint8_t)f.n, .k = (uint8_t)f.k, .a = f.a, .b = f.b, .c = f.c, .d = f.d,
	                         .bits = f.bits, .rnd = f.rnd, .satfinite = f.satfinite, .rule = tensor_rule(x->f->module->program->tensor, (enum tensor_type)f.a)};
	source_rows(x, &i->opnd[1], &spec[1], t->row_a);
	source_rows(x, &i->opnd[2], &spec[2], t->row_b);
	source_rows(x, &i->opnd[3], &spec[3], t->row_c);
	struct dest dest[MMA_MAX_REGS];
	for (unsigned k = 0; k < spec[0].n_elem; k++) {
		dest[k] = decode_dest_row(x, i->opnd[0].kind == PTX_O_VEC ? &i->opnd[0].elem[k] : &i->opnd[0], (enum ptx_type)spec[0].type);
		t->row_d[k] = dest[k].row;
	}
	struct uop *u = decode_emit_key(x, key_of(&f));
	u->imm = (int64_t)(uintptr_t)t;
	for (unsigned k = 0; k < spec[0].n_elem; k++)
		decode_finish_dest(x, &dest[k]);
	return true;
}
