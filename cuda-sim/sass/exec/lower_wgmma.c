// Products of warp groups: HGMMA, QGMMA, IGMMA, BGMMA, and WARPGROUP, by which warps wait for them; USETMAXREG.
//
// Operands: D; A as four registers, or in memory; descriptors in four uniform registers, A's and then B's (A in registers: B's in the
// last two); C; the predicate by which C counts; of sparse products metadata, and a selector.
#include "cuda-sim/exec/group.h"
#include "cuda-sim/sass/exec/lower.h"
#include "cuda-sim/tensor/wgmma.h"

static bool is_bit(const struct lower *x, unsigned bit) { return sass_bit(x->i.word, bit); }

static int32_t row_behind(struct lower *x, unsigned ur, unsigned plus) { return ur == SX_URZ ? SX_AT_ZERO : lower_ur(x, ur + plus); }

static void descriptors(struct lower *x, struct tensor_wgmma *t)
{
	const struct sass_token *matrix = lower_token(x, SASS_AT_MATRIX);
	const unsigned ur = lower_ur_at(x, matrix->bits.lsb[0]);
	t->words = true;
	for (unsigned h = 0; h < 2; h++) {
		t->desc_a[h] = row_behind(x, ur, h);
		t->desc_b[h] = row_behind(x, ur, 2 + h);
	}
}

// `count` registers from source k on; RZ: zeroes. False, after a message, if the kernel has not as many.
static bool has_registers(struct lower *x, unsigned reg, unsigned count)
{
	if (reg == SX_RZ || reg + count <= x->k->n_r)
		return true;
	lower_fail(x, "R%u is more than the %u registers of the kernel", reg + count - 1, x->k->image->registers);
	return false;
}

static void product(struct lower *x, struct tensor_wgmma t, const char *key)
{
	enum { SELECTOR = 48 };
	const struct isa_sass *s = x->k->isa[x->at].sass;
	struct tensor_wgmma *kept = ARENA_NEW(&x->k->arena, struct tensor_wgmma);
	const unsigned regs = wgmma_registers(s->matrix_n, (enum tensor_type)t.d);
	t.n = s->matrix_n, t.k = s->matrix_k;
	t.sparse = s->matrix_sparse;
	t.a_shared = !lower_token(x, SASS_AT_A);
	unsigned at = 0;
	if (x->n_src < 1u + !t.a_shared + t.sparse || x->n_pin < 1 || !x->has_dst || !lower_token(x, SASS_AT_MATRIX)) {
		lower_fail(x, "this form is not executed by this version");
		return;
	}
	t.closes = x->k->isa[x->at].async == ISA_ASYNC_MMA_LAST;
	// What ptxas makes of a product that nobody looks at: the matrices may be anywhere.
	t.nothing = x->dst == SX_RZ && lower_ur_at(x, lower_token(x, SASS_AT_MATRIX)->bits.lsb[0]) == SX_URZ;
	t.rule = tensor_rule(x->k->image->tensor, (enum tensor_type)t.a);
	descriptors(x, &t);
	if (!t.a_shared) {
		t.negative ^= x->src[at].neg;
		for (unsigned r = 0; r < WGMMA_A_REGS && has_registers(x, x->src[at].reg, WGMMA_A_REGS); r++)
			t.row_a[r] = lower_raw(x, &x->src[at], r);
		at++;
	}
	const struct sx_source *c = &x->src[at++];
	for (unsigned r = 0; r < regs && has_registers(x, c->reg, regs) && has_registers(x, x->dst, regs); r++) {
		t.row_c[r] = lower_raw(x, c, r);
		t.row_d[r] = x->dst == SX_RZ ? lower_extra(x, SX_SINK) : lower_dst_at(x, r);
	}
	if (!x->pin[0].always) {
		t.scale = x->pin[0].at;
		t.scale_neg = x->pin[0].neg;
	}
	if (t.sparse) {
		t.row_meta = lower_raw(x, &x->src[at], 0);
		t.selector = tensor_type_bits[t.a] > 8 && is_bit(x, SELECTOR);
	}
	*kept = t;
	lower_emit(x, key)->imm = (int64_t)(uintptr_t)kept;
}

static void hgmma(struct lower *x)
{
	enum { NEG_A = 72, NEG_B = 63, MN_A = 61, MN_B = 62 };
	const enum tensor_type type = lower_has(x, "TF32") ? TENSOR_TF32 : lower_has(x, "BF16") ? TENSOR_BF16 : TENSOR_F16;
	struct tensor_wgmma t = {.a = (uint8_t)type, .b = (uint8_t)type, .d = lower_has(x, "F32") ? TENSOR_F32 : TENSOR_F16};
	const bool shared = !lower_token(x, SASS_AT_A);
	t.mn_a = shared && is_bit(x, MN_A);
	t.mn_b = is_bit(x, MN_B);
	t.negative = (shared && is_bit(x, NEG_A)) != is_bit(x, NEG_B);
	product(x, t, "wgmma.float");
}

static void qgmma(struct lower *x)
{
	enum { NEG_A = 72, NEG_B = 63, A_E5M2 = 76, B_E5M2 = 77 };
	struct tensor_wgmma t = {.a = is_bit(x, A_E5M2) ? TENSOR_E5M2 : TENSOR_E4M3, .b = is_bit(x, B_E5M2) ? TENSOR_E5M2 : TENSOR_E4M3,
	                         .d = lower_has(x, "F32") ? TENSOR_F32 : TENSOR_F16};
	t.negative = (!lower_token(x, SASS_AT_A) && is_bit(x, NEG_A)) != is_bit(x, NEG_B);
	product(x, t, "wgmma.float");
}

static void igmma(struct lower *x)
{
	enum { A_SIGNED = 76, B_SIGNED = 82 };
	product(x, (struct tensor_wgmma){.a = is_bit(x, A_SIGNED) ? TENSOR_S8 : TENSOR_U8, .b = is_bit(x, B_SIGNED) ? TENSOR_S8 : TENSOR_U8,
	                                 .d = TENSOR_S32, .satfinite = lower_has(x, "SAT")}, "wgmma.int");
}

static void bgmma(struct lower *x)
{
	product(x, (struct tensor_wgmma){.a = TENSOR_B1, .b = TENSOR_B1, .d = TENSOR_S32}, "wgmma.bits");
}

static void warpgroup(struct lower *x)
{
	struct uop *u = lower_ctl(x, SX_GROUP);
	u->x[0] = lower_has(x, "DEPBAR") ? EXEC_GROUP_WAIT : EXEC_GROUP_FENCE;
	u->imm = x->k->isa[x->at].async_keep;
}

static void usetmaxreg(struct lower *x)
{
	struct uop *u = lower_ctl(x, SX_GROUP);
	u->imm = (int64_t)sass_run(x->i.word, SX_MAXREG_AT, SX_MAXREG_BITS);
	u->x[0] = lower_has(x, "TRY_ALLOC") ? EXEC_GROUP_MORE : EXEC_GROUP_LESS;
	u->d = x->n_pout && x->pout_used[0] ? x->pout[0] : 0;
}

const struct lower_op lower_wgmma_ops[] = {
	{"HGMMA", hgmma, "SP 64x* F16 F32 BF16 TF32"},
	{"QGMMA", qgmma, "SP 64x* F16 F32 E4M3 E5M2"},
	{"IGMMA", igmma, "SP 64x* U8 S8 SAT"},
	{"BGMMA", bgmma, "64x* AND POPC"},
	{"WARPGROUP", warpgroup, "ARRIVE DEPBAR LE"},
	{"USETMAXREG", usetmaxreg, "DEALLOC TRY_ALLOC CTAPOOL"},
	{0},
};
