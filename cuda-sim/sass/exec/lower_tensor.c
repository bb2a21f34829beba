// Products of matrices in registers, and what moves them between lanes: HMMA, IMMA, BMMA, DMMA, MOVM.
#include "cuda-sim/sass/exec/lower.h"
#include "cuda-sim/tensor/mma.h"

#include <stdio.h>

enum { A, B, C };

// Here every register has 32 bits.
static unsigned registers(enum tensor_type type, unsigned elements) { return tensor_registers(type, elements) * (type == TENSOR_F64 ? 2 : 1); }

static void source_rows(struct lower *x, unsigned source, enum tensor_type type, unsigned elements, int32_t *rows)
{
	for (unsigned r = 0; r < registers(type, elements); r++)
		rows[r] = lower_raw(x, &x->src[source], r);
}

// Emits the product of `t`, whose operands are registers one behind the other.
static void product(struct lower *x, struct tensor_mma t, unsigned k, const char *key)
{
	struct tensor_mma *kept = ARENA_NEW(&x->k->arena, struct tensor_mma);
	t.k = (uint8_t)k;
	t.rule = tensor_rule(x->k->image->tensor, (enum tensor_type)t.a);
	source_rows(x, A, (enum tensor_type)t.a, t.m * k, t.row_a);
	source_rows(x, B, (enum tensor_type)t.b, k * t.n, t.row_b);
	source_rows(x, C, (enum tensor_type)t.c, t.m * t.n, t.row_c);
	for (unsigned r = 0; r < registers((enum tensor_type)t.d, t.m * t.n); r++)
		t.row_d[r] = lower_dst_at(x, r);
	*kept = t;
	lower_emit(x, key)->imm = (int64_t)(uintptr_t)kept;
}

static void hmma(struct lower *x)
{
	unsigned k = lower_has(x, "16816") ? 16 : lower_has(x, "1688") ? 8 : 4;
	enum tensor_type type = lower_has(x, "TF32") ? TENSOR_TF32 : lower_has(x, "BF16") ? TENSOR_BF16 : TENSOR_F16;
	enum tensor_type sum = lower_has(x, "F32") ? TENSOR_F32 : TENSOR_F16;
	product(x, (struct tensor_mma){.m = 16, .n = 8, .a = type, .b = type, .c = sum, .d = sum}, k, "tensor.float");
}

static void imma(struct lower *x)
{
	static const struct { const char *name; uint8_t m, k; } shapes[] = {
		{"8816", 8, 16}, {"8832", 8, 32}, {"16816", 16, 16}, {"16832", 16, 32}, {"16864", 16, 64}};
	bool four = lower_has(x, "U4") || lower_has(x, "S4"), a_signed = sass_bit(x->i.word, 76), b_signed = sass_bit(x->i.word, 78);
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
		if (lower_has(x, shapes[s].name))
			product(x, (struct tensor_mma){.m = shapes[s].m, .n = 8, .a = four ? (a_signed ? TENSOR_S4 : TENSOR_U4) : a_signed ? TENSOR_S8 : TENSOR_U8,
			                               .b = four ? (b_signed ? TENSOR_S4 : TENSOR_U4) : b_signed ? TENSOR_S8 : TENSOR_U8,
			                               .c = TENSOR_S32, .d = TENSOR_S32, .satfinite = lower_has(x, "SAT")}, shapes[s].k, "tensor.int");
}

static void bmma(struct lower *x)
{
	unsigned m = lower_has(x, "88128") ? 8 : 16, k = lower_has(x, "168256") ? 256 : 128;
	product(x, (struct tensor_mma){.m = (uint8_t)m, .n = 8, .a = TENSOR_B1, .b = TENSOR_B1, .c = TENSOR_S32, .d = TENSOR_S32,
	                               .bits = lower_has(x, "XOR") ? TENSOR_XOR : TENSOR_AND}, k, "tensor.bits");
}

static void dmma(struct lower *x)
{
	static const struct { const char *name; uint8_t m, k; } shapes[] = {{"884", 8, 4}, {"8x8x4", 8, 4}, {"16x8x4", 16, 4}, {"16x8x8", 16, 8}, {"16x8x16", 16, 16}};
	enum rounding rnd = lower_has(x, "RM") ? ROUND_RM : lower_has(x, "RP") ? ROUND_RP : lower_has(x, "RZ") ? ROUND_RZ : ROUND_RN;
	for (unsigned k = 0; k < x->n_src; k++)
		if (x->src[k].neg || x->src[k].abs)
			lower_fail(x, "signs of its operands are not executed by this version");
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
		if (lower_has(x, shapes[s].name))
			product(x, (struct tensor_mma){.m = shapes[s].m, .n = 8, .a = TENSOR_F64, .b = TENSOR_F64, .c = TENSOR_F64, .d = TENSOR_F64,
			                               .rnd = (uint8_t)rnd, .words = true}, shapes[s].k, "tensor.f64");
}

static void movm(struct lower *x) { lower_emit3(x, "movmatrix.sync.aligned.m8n8.trans.b16", lower_dst(x), lower_raw(x, &x->src[0], 0), 0, 0); }

const struct lower_op lower_tensor_ops[] = {
	{"HMMA", hmma, "16816 1688 1684 F16 F32 BF16 TF32"},
	{"IMMA", imma, "8816 8832 16816 16832 16864 U8 S8 U4 S4 SAT"},
	{"BMMA", bmma, "88128 168128 168256 XOR AND POPC"},
	{"DMMA", dmma, "884 8x8x4 16x8x4 16x8x8 16x8x16 " ROUNDS},
	{"MOVM", movm, "16 MT88"},
	{0},
};
