// Products of warp groups become micro-ops: the rows of their registers, and what is done with them.
#include "cuda-sim/decode/decoder.h"
#include "cuda-sim/ptx/wgmma_ops.h"

static const char *key_of(const struct wgmma_form *f)
{
	switch ((enum tensor_type)f->a) {
	case TENSOR_B1: return "wgmma.bits";
	case TENSOR_S8: case TENSOR_U8: return "wgmma.int";
	default: return "wgmma.float";
	}
}

static bool is_one(const struct ptx_opnd *o) { return o->bits == 1; }

// The constants behind the predicate.
static void constants(const struct ptx_inst *i, const struct wgmma_form *f, struct tensor_wgmma *t)
{
	const struct ptx_opnd *o = &i->opnd[wgmma_scale_operand(f) + 1];
	if (f->signs) {
		t->negative = is_one(&o[0]) != is_one(&o[1]);
		o += 2;
	}
	if (f->majors && t->a_shared)
		t->mn_a = is_one(o++);
	if (f->majors)
		t->mn_b = is_one(o);
}

bool decode_wgmma(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	struct wgmma_form f;
	struct ptx_opnd_spec spec[WGMMA_MAX_OPNDS];
	if (!(i->op->flags & PTX_OP_GROUP))
		return false;
	if (wgmma_read(i->text, &f) || wgmma_opnd_spec(i, WGMMA_MAX_OPNDS, spec) != i->n_opnd)
		return false;
	struct tensor_wgmma *t = ARENA_NEW(x->keep, struct tensor_wgmma);
	*t = (struct tensor_wgmma){.n = f.n, .k = f.k, .a = f.a, .b = f.b, .d = f.d, .satfinite = f.satfinite, .sparse = f.sparse};
	t->rule = tensor_rule(x->f->module->program->tensor, (enum tensor_type)f.a);
	t->a_shared = i->opnd[WGMMA_A].kind != PTX_O_VEC;
	constants(i, &f, t);
	if (t->a_shared)
		t->desc_a[0] = decode_source_row(x, &i->opnd[WGMMA_A], PTX_T_B64);
	for (unsigned k = 0; !t->a_shared && k < WGMMA_A_REGS; k++)
		t->row_a[k] = decode_source_row(x, &i->opnd[WGMMA_A].elem[k], PTX_T_B32);
	t->desc_b[0] = decode_source_row(x, &i->opnd[WGMMA_B], PTX_T_B64);
	if (f.sparse) {
		t->row_meta = decode_source_row(x, &i->opnd[WGMMA_B + 1], PTX_T_B32);
		t->selector = (uint8_t)i->opnd[WGMMA_B + 2].bits;
	}
	const struct ptx_opnd *scale = &i->opnd[wgmma_scale_operand(&f)];
	t->scale = decode_source_row(x, scale, PTX_T_PRED);
	t->scale_neg = scale->neg;
	for (unsigned k = 0; k < wgmma_registers(f.n, (enum tensor_type)f.d); k++)
		t->row_c[k] = t->row_d[k] = decode_dest_row(x, &i->opnd[WGMMA_D].elem[k], (enum ptx_type)spec[WGMMA_D].type).row;
	struct uop *u = decode_emit_key(x, key_of(&f));
	u->imm = (int64_t)(uintptr_t)t;
	u->flags |= UOP_GATHER; // all lanes of the warp
	return true;
}
