// Products of 8 x 8 x 4 halves, one for each quarter of a warp: mma.m8n8k4 of f16, HMMA.884.
#include "cuda-sim/exec/bodies/fp_env.h"
#include "cuda-sim/exec/bodies/tensor_rows.h"

enum { SIDE = 8, DEPTH = 4, QUARTERS = 4 };

// The lane of quarter q that has number n of 0 to 7: four below, four above.
static inline unsigned lane_of(unsigned q, unsigned n) { return 4 * q + n % 4 + n / 4 * 16; }

static inline uint32_t half_at(const uint8_t *fp, const int32_t *rows, unsigned lane, unsigned n)
{
	return ROW(const uint32_t, rows[n / 2])[lane] >> n % 2 * 16 & 0xffff;
}

// Element `k` of line n, a row of A or a column of B: in the lane of its line, or, crosswise, in that of its place along the line.
static inline uint32_t factor(const uint8_t *fp, const int32_t *rows, unsigned q, unsigned n, unsigned k, bool crosswise)
{
	return crosswise ? half_at(fp, rows, lane_of(q, n / 4 * 4 + k), n % 4) : half_at(fp, rows, lane_of(q, n), k);
}

// Where (i, j) of C or D stands: its lane, and its register or half.
static inline unsigned place_of(bool half, unsigned q, unsigned i, unsigned j, unsigned *n)
{
	*n = half ? j : (j & 4) | (i & 2) | (j & 1);
	return half ? lane_of(q, i) : lane_of(q, (i & 5) | (j & 2));
}

// A row of A by a column of B, added to c as the functions do that ptxas calls where there is no HMMA.884: sums of f32 fma after fma from
// 0, then c; sums of halves as f32 numbers, c and the first two products, then the other two.
static inline float by_fma(const float *a, const float *b, float c, bool half)
{
	if (half)
		return softfp_canon_f32((c + tensor_fma(a[1], b[SIDE], a[0] * b[0])) + tensor_fma(a[3], b[3 * SIDE], a[2] * b[2 * SIDE]));
	float sum = 0;
	for (unsigned k = 0; k < DEPTH; k++)
		sum = tensor_fma(a[k], b[k * SIDE], sum);
	return softfp_canon_f32(c + sum);
}

BODY(mma_quarters)
{
	const struct tensor_mma *t = (const struct tensor_mma *)(uintptr_t)u->imm;
	const bool half_c = t->c == TENSOR_F16, half_d = t->d == TENSOR_F16, half = half_c && half_d;
	for (unsigned q = 0; q < QUARTERS; q++) {
		uint32_t a[SIDE * DEPTH], b[DEPTH * SIDE];
		_Alignas(64) float as[SIDE * DEPTH], bs[DEPTH * SIDE], d[SIDE * SIDE] = {0};
		_Alignas(64) int32_t ae[SIDE * DEPTH], be[DEPTH * SIDE];
		bool mine[SIDE * SIDE];
		for (unsigned i = 0; i < SIDE; i++)
			for (unsigned k = 0; k < DEPTH; k++) {
				a[i * DEPTH + k] = factor(fp, t->row_a, q, i, k, t->a_column);
				b[k * SIDE + i] = factor(fp, t->row_b, q, i, k, t->b_row);
			}
		for (unsigned i = 0; i < SIDE; i++)
			for (unsigned j = 0; j < SIDE; j++) {
				unsigned n;
				place_of(half_d, q, i, j, &n);
				const unsigned pair = (half_d ? n / 2 : n) / 2;
				mine[i * SIDE + j] = pair >= t->step && pair < t->step + t->steps;
				if (!mine[i * SIDE + j])
					continue;
				const unsigned lane = place_of(half_c, q, i, j, &n);
				d[i * SIDE + j] = half_c ? softfp_f16_to_f32((uint16_t)half_at(fp, t->row_c, lane, n))
				                         : ROW(const float, t->row_c[n])[lane];
			}
		if (t->rule.plain || t->by_fma) {
			tensor_values(TENSOR_F16, a, SIDE * DEPTH, as);
			tensor_values(TENSOR_F16, b, DEPTH * SIDE, bs);
			for (unsigned i = 0; i < SIDE * SIDE && t->by_fma; i++)
				d[i] = by_fma(as + i / SIDE * DEPTH, bs + i % SIDE, d[i], half_d);
			for (unsigned i = 0; i < SIDE * SIDE && !t->by_fma; i++) {
				for (unsigned k = 0; k < DEPTH; k++)
					d[i] = tensor_fma(as[i / SIDE * DEPTH + k], bs[k * SIDE + i % SIDE], d[i]);
				d[i] = softfp_canon_f32(d[i]);
			}
		} else {
			bool special = tensor_split_all(TENSOR_F16, a, SIDE * DEPTH, as, ae);
			special |= tensor_split_all(TENSOR_F16, b, DEPTH * SIDE, bs, be);
			for (unsigned i = 0; i < SIDE; i++)
				tensor_block(&t->rule, half, DEPTH, as + i * DEPTH, ae + i * DEPTH, bs, be, SIDE, special, d + i * SIDE);
		}
		for (unsigned i = 0; i < SIDE * SIDE; i++) {
			unsigned n;
			const unsigned lane = place_of(half_d, q, i / SIDE, i % SIDE, &n);
			if (!mine[i] || !(mask >> lane & 1))
				continue;
			if (half_d) {
				uint32_t h = softfp_f32_to_f16(d[i]), *to = &ROW(uint32_t, t->row_d[n / 2])[lane];
				h = t->satfinite ? finite_f16(h) : h;
				*to = n % 2 ? (*to & 0xffff) | h << 16 : (*to & 0xffff0000u) | h;
			} else {
				ROW(uint32_t, t->row_d[n])[lane] = t->satfinite ? finite_f32(d[i]) : softfp_bits_f32(d[i]);
			}
		}
	}
}

extern const struct exec_body EXEC_TABLE(tensor_quarters)[];
const struct exec_body EXEC_TABLE(tensor_quarters)[] = {
	{"tensor.quarters", mma_quarters},
	{0},
};
