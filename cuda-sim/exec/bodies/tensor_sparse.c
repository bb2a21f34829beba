// Products of registers whose A has half of its columns: mma.sp. Every stored element is multiplied with the row of B that the
// metadata name; a block of the sum is one of stored elements.
#include "cuda-sim/exec/bodies/fp_env.h"
#include "cuda-sim/exec/bodies/tensor_rows.h"

enum { MAX_STORED = 64, MAX_ROWS = 128 }; // of m16n8k128

// The row of B that goes with stored element e of row i.
static inline unsigned row_of(const struct tensor_mma *t, const uint32_t *metadata, unsigned i, unsigned e)
{
	const enum tensor_type type = (enum tensor_type)t->a;
	const unsigned bits = tensor_type_bits[type], group = bits == 32 ? e : bits == 4 ? e / 4 : e / 2;
	unsigned shift;
	const unsigned lane = tensor_metadata(type, t->k, t->selector, i, group, &shift), indices = metadata[lane] >> shift;
	switch (bits) {
	case 32: return 2 * e + (indices >> 1 & 1); // 0b0100 is the first of two, 0b1110 the second
	case 4: return 8 * group + 2 * (indices >> e % 4 / 2 * 2 & 3) + e % 2;
	default: return 4 * group + (indices >> e % 2 * 2 & 3);
	}
}

BODY(mma_sparse_float)
{
	const struct tensor_mma *t = (const struct tensor_mma *)(uintptr_t)u->imm;
	const unsigned k = t->k, stored = k / 2, at_once = t->by_halves ? stored / 2 : stored;
	const unsigned block = t->rule.block < at_once ? t->rule.block : at_once;
	const enum tensor_type type_a = t->by_halves ? TENSOR_F16 : (enum tensor_type)t->a, type_b = t->by_halves ? TENSOR_F16 : (enum tensor_type)t->b;
	const bool half = t->d == TENSOR_F16;
	_Alignas(64) uint32_t a[MMA_MAX_M * MAX_STORED / 2], b[MAX_STORED * MMA_MAX_N];
	_Alignas(64) float as[MMA_MAX_M * MAX_STORED / 2], bs[MAX_STORED * MMA_MAX_N], d[MAX_D], c[MAX_D];
	_Alignas(64) int32_t ae[MMA_MAX_M * MAX_STORED / 2], be[MAX_STORED * MMA_MAX_N];
	bool special = false;
	read_a(fp, t, stored, tensor_type_bits[t->a], a);
	read_b(fp, t, k, tensor_type_bits[t->b], b);
	read_f32(fp, t, half, d);
	if (t->by_halves) {
		for (unsigned i = 0; i < t->m * stored; i++)
			a[i] = half_from((enum tensor_type)t->a, a[i]);
		for (unsigned i = 0; i < k * MMA_MAX_N; i++)
			b[i] = half_from((enum tensor_type)t->b, b[i]);
		memcpy(c, d, sizeof c);
		memset(d, 0, sizeof d);
	}
	if (t->rule.plain) {
		tensor_values((enum tensor_type)t->a, a, t->m * stored, as);
		tensor_values((enum tensor_type)t->b, b, k * MMA_MAX_N, bs);
	} else {
		special = tensor_split_all(type_a, a, t->m * stored, as, ae);
		special |= tensor_split_all(type_b, b, k * MMA_MAX_N, bs, be);
	}
	for (unsigned i = 0; i < t->m; i++) {
		_Alignas(64) float of_a[MAX_STORED / 2];
		_Alignas(64) int32_t exponent_a[MAX_STORED / 2];
		_Alignas(64) float of[MAX_STORED / 2 * MMA_MAX_N];
		_Alignas(64) int32_t exponent[MAX_STORED / 2 * MMA_MAX_N];
		float *out = d + i * MMA_MAX_N;
		for (unsigned e = 0; e < stored; e++) {
			const unsigned row = row_of(t, ROW(const uint32_t, t->row_e), i, e), to = t->by_halves ? half_at_place(e, stored) : e;
			of_a[to] = as[i * stored + e];
			memcpy(of + to * MMA_MAX_N, bs + row * MMA_MAX_N, MMA_MAX_N * sizeof *of);
			if (t->rule.plain)
				continue;
			exponent_a[to] = ae[i * stored + e];
			memcpy(exponent + to * MMA_MAX_N, be + row * MMA_MAX_N, MMA_MAX_N * sizeof *exponent);
		}
		for (unsigned e = 0; t->rule.plain && e < stored; e++)
			for (unsigned j = 0; j < MMA_MAX_N; j++)
				out[j] = tensor_fma(of_a[e], of[e * MMA_MAX_N + j], out[j]);
		for (unsigned j = 0; t->rule.plain && j < MMA_MAX_N; j++)
			out[j] = softfp_canon_f32(out[j]);
		for (unsigned e = 0; !t->rule.plain && e < stored; e += block)
			tensor_block(&t->rule, half, block, of_a + e, exponent_a + e, of + e * MMA_MAX_N, exponent + e * MMA_MAX_N,
			             MMA_MAX_N, special, out);
	}
	if (t->by_halves)
		add_last(c, half, d);
	write_f32(fp, t, half, d, mask);
}

BODY(mma_sparse_int)
{
	const struct tensor_mma *t = (const struct tensor_mma *)(uintptr_t)u->imm;
	const unsigned k = t->k, stored = k / 2, bits = tensor_type_bits[t->a];
	_Alignas(64) int32_t a[MMA_MAX_M * MAX_STORED], b[MAX_ROWS * MMA_MAX_N], d[MAX_D];
	read_a(fp, t, stored, bits, (uint32_t *)a);
	read_b(fp, t, k, bits, (uint32_t *)b);
	read_s32(fp, t, d);
	if (is_signed(t->a))
		extend(a, t->m * stored, bits);
	if (is_signed(t->b))
		extend(b, k * MMA_MAX_N, bits);
	for (unsigned i = 0; i < t->m; i++) {
		int32_t sum[MMA_MAX_N] = {0};
		for (unsigned e = 0; e < stored; e++) {
			const unsigned row = row_of(t, ROW(const uint32_t, t->row_e), i, e);
			for (unsigned j = 0; j < MMA_MAX_N; j++)
				sum[j] += a[i * stored + e] * b[row * MMA_MAX_N + j];
		}
		for (unsigned j = 0; j < MMA_MAX_N; j++)
			d[i * MMA_MAX_N + j] = add_to(d[i * MMA_MAX_N + j], sum[j], t->satfinite);
	}
	write_s32(fp, t, d, mask);
}

extern const struct exec_body EXEC_TABLE(tensor_sparse)[];
const struct exec_body EXEC_TABLE(tensor_sparse)[] = {
	{"tensor.sparse.float", mma_sparse_float},
	{"tensor.sparse.int", mma_sparse_int},
	{0},
};
