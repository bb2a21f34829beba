// Products of matrices in registers, and what moves them between lanes: HMMA, IMMA, BMMA, DMMA, QMMA, MOVM.
#include "cuda-sim/sass/exec/lower.h"
#include "cuda-sim/tensor/mma.h"

enum { A, B, C, METADATA };

// Here every register has 32 bits.
static unsigned registers(enum tensor_type type, unsigned elements)
{
	return tensor_registers(type, elements) * (type == TENSOR_F64 ? 2 : 1);
}

static void source_rows(struct lower *x, unsigned source, enum tensor_type type, unsigned elements, int32_t *rows)
{
	for (unsigned r = 0; r < registers(type, elements); r++)
		rows[r] = lower_raw(x, &x->src[source], r);
}

// Emits the product of `t`, whose operands are registers one behind the other.
static void product(struct lower *x, struct tensor_mma t, const char *key)
{
	struct tensor_mma *kept = ARENA_NEW(&x->k->arena, struct tensor_mma);
	t.rule = tensor_rule(x->k->image->tensor, (enum tensor_type)t.a);
	source_rows(x, A, (enum tensor_type)t.a, t.m * t.k / (t.sparse ? 2 : 1), t.row_a);
	source_rows(x, B, (enum tensor_type)t.b, t.k * t.n, t.row_b);
	source_rows(x, C, (enum tensor_type)t.c, t.m * t.n, t.row_c);
	for (unsigned r = 0; r < registers((enum tensor_type)t.d, t.m * t.n); r++)
		t.row_d[r] = lower_dst_at(x, r);
	if (t.sparse) {
		enum { SELECTOR = 48 }; // two bits
		t.row_e = lower_raw(x, &x->src[METADATA], 0);
		t.selector = (uint8_t)(sass_bit(x->i.word, SELECTOR) | sass_bit(x->i.word, SELECTOR + 1) << 1);
		if (t.selector >= tensor_selectors((enum tensor_type)t.a, t.k))
			lower_fail(x, "no lanes of this number have its metadata");
	}
	*kept = t;
	lower_emit(x, key)->imm = (int64_t)(uintptr_t)kept;
}

// What the name tells of the shape: 16816 is 16 x 8 x 16.
static const struct isa_sass *shape(const struct lower *x) { return x->k->isa[x->at].sass; }

static struct tensor_mma same_types(const struct lower *x, enum tensor_type factor, enum tensor_type sum)
{
	return (struct tensor_mma){.m = shape(x)->matrix_m, .n = shape(x)->matrix_n, .k = shape(x)->matrix_k,
	                           .a = (uint8_t)factor, .b = (uint8_t)factor, .c = (uint8_t)sum, .d = (uint8_t)sum,
	                           .sparse = shape(x)->matrix_sparse};
}

static const char *float_key(const struct tensor_mma *t) { return t->sparse ? "tensor.sparse.float" : "tensor.float"; }

// A step of a product of quarters of the warp: a pair of registers of D. Of f32 there are four steps, two for each half of the
// columns, and C of f16 has a pair for each half; of f16 two.
static void quarters(struct lower *x)
{
	enum { A_COLUMN = 73, B_COLUMN = 74, C_F32 = 78, D_F32 = 76, SAT = 77, STEP = 79 }; // bits
	struct tensor_mma *t = ARENA_NEW(&x->k->arena, struct tensor_mma);
	const bool f32 = sass_bit(x->i.word, D_F32), c_f32 = sass_bit(x->i.word, C_F32);
	const unsigned step = sass_bit(x->i.word, STEP) | (unsigned)sass_bit(x->i.word, STEP + 1) << 1, c_pair = f32 && !c_f32 ? step / 2 : step;
	if (!f32 && (c_f32 || step > 1))
		lower_fail(x, "a sum of halves in two steps is all that is known of it");
	*t = (struct tensor_mma){.m = 8, .n = 8, .k = 4, .a = TENSOR_F16, .b = TENSOR_F16, .step = (uint8_t)step, .steps = 1,
	                         .c = c_f32 ? TENSOR_F32 : TENSOR_F16, .d = f32 ? TENSOR_F32 : TENSOR_F16,
	                         .satfinite = sass_bit(x->i.word, SAT), .a_column = sass_bit(x->i.word, A_COLUMN),
	                         .b_row = !sass_bit(x->i.word, B_COLUMN)};
	t->rule = tensor_rule(x->k->image->tensor, TENSOR_F16);
	for (unsigned r = 0; r < 2; r++) {
		t->row_a[r] = lower_raw(x, &x->src[A], r);
		t->row_b[r] = lower_raw(x, &x->src[B], r);
		t->row_c[2 * c_pair + r] = lower_raw(x, &x->src[C], r);
		t->row_d[2 * step + r] = lower_dst_at(x, r);
	}
	lower_emit(x, "tensor.quarters")->imm = (int64_t)(uintptr_t)t;
}

static void hmma(struct lower *x)
{
	enum tensor_type type = lower_has(x, "TF32") ? TENSOR_TF32 : lower_has(x, "BF16") ? TENSOR_BF16 : TENSOR_F16;
	const struct tensor_mma t = same_types(x, type, lower_has(x, "F32") ? TENSOR_F32 : TENSOR_F16);
	if (lower_has(x, "884"))
		quarters(x);
	else
		product(x, t, float_key(&t));
}

static void qmma(struct lower *x)
{
	enum { A_E5M2 = 78, B_E5M2 = 79 }; // bits; the words of the name are the same for both
	const enum tensor_type sum = lower_has(x, "F32") ? TENSOR_F32 : TENSOR_F16;
	struct tensor_mma t = same_types(x, sass_bit(x->i.word, A_E5M2) ? TENSOR_E5M2 : TENSOR_E4M3, sum);
	t.b = sass_bit(x->i.word, B_E5M2) ? TENSOR_E5M2 : TENSOR_E4M3;
	product(x, t, float_key(&t));
}

static enum tensor_type integer(const struct lower *x, unsigned sign_bit)
{
	bool four = lower_has(x, "U4") || lower_has(x, "S4"), is_signed = sass_bit(x->i.word, sign_bit);
	return four ? is_signed ? TENSOR_S4 : TENSOR_U4 : is_signed ? TENSOR_S8 : TENSOR_U8;
}

static void imma(struct lower *x)
{
	enum { A_SIGNED = 76, B_SIGNED = 78 }; // bits; the words of the name are the same for both
	struct tensor_mma t = same_types(x, integer(x, A_SIGNED), TENSOR_S32);
	t.b = (uint8_t)integer(x, B_SIGNED);
	t.satfinite = lower_has(x, "SAT");
	product(x, t, t.sparse ? "tensor.sparse.int" : "tensor.int");
}

static void bmma(struct lower *x)
{
	struct tensor_mma t = same_types(x, TENSOR_B1, TENSOR_S32);
	t.bits = lower_has(x, "XOR") ? TENSOR_XOR : TENSOR_AND;
	product(x, t, "tensor.bits");
}

static void dmma(struct lower *x)
{
	static const struct {
		const char *name;
		uint8_t m, k;
	} shapes[] = {{"884", 8, 4}, {"8x8x4", 8, 4}, {"16x8x4", 16, 4}, {"16x8x8", 16, 8}, {"16x8x16", 16, 16}};
	struct tensor_mma t = {.n = 8, .a = TENSOR_F64, .b = TENSOR_F64, .c = TENSOR_F64, .d = TENSOR_F64, .words = true};
	t.rnd = lower_mode(x).rnd;
	for (unsigned k = 0; k < x->n_src; k++) {
		if (x->src[k].abs || (x->src[k].neg && k > C))
			lower_fail(x, "this sign of an operand is not executed by this version");
		t.negated |= (uint8_t)(x->src[k].neg << k);
	}
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
		if (lower_has(x, shapes[s].name))
			t.m = shapes[s].m, t.k = shapes[s].k;
	product(x, t, "tensor.f64");
}

static void movm(struct lower *x)
{
	lower_emit3(x, "movmatrix.sync.aligned.m8n8.trans.b16", lower_dst(x), lower_raw(x, &x->src[0], 0), 0, 0);
}

const struct lower_op lower_tensor_ops[] = {
	{"HMMA", hmma, "884 STEP0 STEP1 STEP2 STEP3 SAT SP 16832 16816 1688 1684 F16 F32 BF16 TF32"},
	{"IMMA", imma, "8816 8832 16816 16832 16864 168128 SP U8 S8 U4 S4 SAT"},
	{"QMMA", qmma, "16816 16832 16864 SP F16 F32 E4M3 E5M2"},
	{"BMMA", bmma, "88128 168128 168256 XOR AND POPC"},
	{"DMMA", dmma, "884 8x8x4 16x8x4 16x8x8 16x8x16 " ROUNDS},
	{"MOVM", movm, "16 MT88"},
	{0},
};
