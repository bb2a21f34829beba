// Matrix products of registers. What is multiplied is a struct tensor_mma, where the micro-op's imm points. All lanes of the warp take
// part: PTX leaves undefined what becomes of others, here their registers count as they are.
#include "cuda-sim/exec/bodies/fp_env.h"
#include "cuda-sim/tensor/mma.h"
#include "cuda-sim/tensor/product.h"

// Places of the largest operands, those of four bits.
enum { MAX_K = 64, MAX_A = MMA_MAX_M * MAX_K, MAX_B = MAX_K * MMA_MAX_N, MAX_D = MMA_MAX_M * MMA_MAX_N };

static inline const struct tensor_mma *mma_of(const struct uop *u) { return (const struct tensor_mma *)(uintptr_t)u->imm; }

// --- elements in registers

static inline uint32_t field_of(unsigned bits) { return bits == 32 ? ~0u : (1u << bits) - 1; }

// The elements of A, of m rows and k columns of `bits` bits, row by row.
static inline void read_a(uint8_t *fp, const struct tensor_mma *t, unsigned k, unsigned bits, uint32_t *restrict out)
{
	const unsigned in = 32 / bits, halves = t->m / 8, regs = t->m * k / 32 / in;
	for (unsigned r = 0; r < regs; r++) {
		const uint32_t *row = ROW(const uint32_t, t->row_a[r]);
		uint32_t *to = out + 8 * (r % halves) * k + 4 * in * (r / halves);
		for (unsigned e = 0; e < in; e++)
			for (unsigned i = 0; i < WARP; i++)
				to[i / 4 * k + i % 4 * in + e] = row[i] >> (e * bits) & field_of(bits);
	}
}

// The elements of B, of k rows and 8 columns, row by row.
static inline void read_b(uint8_t *fp, const struct tensor_mma *t, unsigned k, unsigned bits, uint32_t *restrict out)
{
	const unsigned in = 32 / bits, regs = k * MMA_MAX_N / 32 / in;
	for (unsigned r = 0; r < regs; r++) {
		const uint32_t *row = ROW(const uint32_t, t->row_b[r]);
		for (unsigned e = 0; e < in; e++)
			for (unsigned i = 0; i < WARP; i++)
				out[(4 * in * r + i % 4 * in + e) * MMA_MAX_N + i / 4] = row[i] >> (e * bits) & field_of(bits);
	}
}

// The places of C and D in lane i's registers of 32 or 64 bits, and in those of two halves.
static inline unsigned place(unsigned r, unsigned i) { return (i / 4 + 8 * (r / 2)) * MMA_MAX_N + i % 4 * 2 + r % 2; }
static inline unsigned half_place(unsigned r, unsigned i) { return (i / 4 + 8 * r) * MMA_MAX_N + i % 4 * 2; }

static inline void read_f32(uint8_t *fp, const struct tensor_mma *t, bool half, float *restrict out)
{
	for (unsigned r = 0; r < t->m / (half ? 8u : 4u); r++) {
		const uint32_t *row = ROW(const uint32_t, t->row_c[r]);
		for (unsigned i = 0; i < WARP; i++) {
			if (half) {
				out[half_place(r, i)] = softfp_f16_to_f32((uint16_t)row[i]);
				out[half_place(r, i) + 1] = softfp_f16_to_f32((uint16_t)(row[i] >> 16));
			} else {
				out[place(r, i)] = softfp_f32(row[i]);
			}
		}
	}
}

static inline void write_f32(uint8_t *fp, const struct tensor_mma *t, bool half, const float *restrict in, uint32_t mask)
{
	for (unsigned r = 0; r < t->m / (half ? 8u : 4u); r++) {
		uint32_t *row = ROW(uint32_t, t->row_d[r]);
		if (half)
			LANES(uint32_t, row, softfp_f32_to_f16(in[half_place(r, i)]) |
			      (uint32_t)softfp_f32_to_f16(in[half_place(r, i) + 1]) << 16);
		else
			LANES(uint32_t, row, softfp_bits_f32(in[place(r, i)]));
	}
}

// --- floating point

// Inlined with constants for `block` and `half`.
__attribute__((always_inline)) static inline void in_blocks(const struct tensor_mma *t, unsigned k, unsigned block, bool half, const float *as,
                                                            const int32_t *ae, const float *bs, const int32_t *be, bool special, float *d)
{
	for (unsigned i = 0; i < t->m; i++)
		for (unsigned from = 0; from < k; from += block) {
			const size_t a = i * k + from, b = from * MMA_MAX_N;
			tensor_block(&t->rule, half, block, as + a, ae + a, bs + b, be + b, MMA_MAX_N, special, d + i * MMA_MAX_N);
		}
}

__attribute__((always_inline)) static inline void by_rule(const struct tensor_mma *t, unsigned k, bool half, const float *as, const int32_t *ae,
                                                          const float *bs, const int32_t *be, bool special, float *d)
{
	switch (t->rule.block < k ? t->rule.block : k) {
	case 4: in_blocks(t, k, 4, half, as, ae, bs, be, special, d); break;
	case 8: in_blocks(t, k, 8, half, as, ae, bs, be, special, d); break;
	case 16: in_blocks(t, k, 16, half, as, ae, bs, be, special, d); break;
	default: in_blocks(t, k, 32, half, as, ae, bs, be, special, d); break;
	}
}

static inline void plainly(const struct tensor_mma *t, unsigned k, const float *a, const float *b, float *d)
{
	for (unsigned i = 0; i < t->m; i++)
		for (unsigned from = 0; from < k; from++)
			for (unsigned j = 0; j < MMA_MAX_N; j++)
				d[i * MMA_MAX_N + j] = tensor_fma(a[i * k + from], b[from * MMA_MAX_N + j], d[i * MMA_MAX_N + j]);
	for (unsigned i = 0; i < t->m * MMA_MAX_N; i++)
		d[i] = softfp_canon_f32(d[i]);
}

BODY(mma_float)
{
	const struct tensor_mma *t = mma_of(u);
	const unsigned k = t->k;
	const bool half = t->d == TENSOR_F16;
	_Alignas(64) uint32_t a[MAX_A], b[MAX_B];
	_Alignas(64) float as[MAX_A], bs[MAX_B], d[MAX_D];
	_Alignas(64) int32_t ae[MAX_A], be[MAX_B];
	read_a(fp, t, k, tensor_type_bits[t->a], a);
	read_b(fp, t, k, tensor_type_bits[t->b], b);
	read_f32(fp, t, t->c == TENSOR_F16, d);
	if (t->rule.plain) {
		tensor_values(t->a, a, t->m * k, as);
		tensor_values(t->b, b, k * MMA_MAX_N, bs);
		plainly(t, k, as, bs, d);
	} else {
		bool special = tensor_split_all(t->a, a, t->m * k, as, ae);
		special |= tensor_split_all(t->b, b, k * MMA_MAX_N, bs, be);
		if (half)
			by_rule(t, k, true, as, ae, bs, be, special, d);
		else
			by_rule(t, k, false, as, ae, bs, be, special, d);
	}
	write_f32(fp, t, half, d, mask);
}

// The numbers of register r in rows of 8 bytes a lane, or in two of 4.
static inline double get_f64(const uint8_t *fp, const struct tensor_mma *t, const int32_t *rows, unsigned r, unsigned i)
{
	if (!t->words)
		return ROW(const double, rows[r])[i];
	return softfp_f64(ROW(const uint32_t, rows[2 * r])[i] | (uint64_t)ROW(const uint32_t, rows[2 * r + 1])[i] << 32);
}

static inline void put_f64(uint8_t *fp, const struct tensor_mma *t, unsigned r, unsigned i, double v)
{
	const uint64_t bits = softfp_bits_f64(v);
	if (!t->words) {
		ROW(double, t->row_d[r])[i] = v;
		return;
	}
	ROW(uint32_t, t->row_d[2 * r])[i] = (uint32_t)bits;
	ROW(uint32_t, t->row_d[2 * r + 1])[i] = (uint32_t)(bits >> 32);
}

// DMMA: fma after fma in the order of k.
BODY(mma_f64)
{
	const struct tensor_mma *t = mma_of(u);
	const unsigned k = t->k, halves = t->m / 8;
	double a[MMA_MAX_M * 16], b[16 * MMA_MAX_N], d[MAX_D];
	for (unsigned r = 0; r < t->m * k / WARP; r++)
		for (unsigned i = 0; i < WARP; i++)
			a[(8 * (r % halves) + i / 4) * k + 4 * (r / halves) + i % 4] = get_f64(fp, t, t->row_a, r, i);
	for (unsigned r = 0; r < k / 4; r++)
		for (unsigned i = 0; i < WARP; i++)
			b[(4 * r + i % 4) * MMA_MAX_N + i / 4] = get_f64(fp, t, t->row_b, r, i);
	for (unsigned r = 0; r < t->m / 4; r++)
		for (unsigned i = 0; i < WARP; i++)
			d[place(r, i)] = get_f64(fp, t, t->row_c, r, i);
	for (unsigned i = 0; i < t->m; i++)
		for (unsigned j = 0; j < MMA_MAX_N; j++)
			for (unsigned from = 0; from < k; from++)
				d[i * MMA_MAX_N + j] = softfp_canon_f64(softfp_fma_f64(a[i * k + from], b[from * MMA_MAX_N + j],
				                                                       d[i * MMA_MAX_N + j], (enum rounding)t->rnd));
	for (unsigned r = 0; r < t->m / 4u; r++)
		EACH(i)
			put_f64(fp, t, r, i, d[place(r, i)]);
}

// --- integers

static inline bool is_signed(unsigned type) { return type == TENSOR_S8 || type == TENSOR_S4; }

static inline void extend(int32_t *v, unsigned n, unsigned bits)
{
	for (unsigned i = 0; i < n; i++)
		v[i] = (int32_t)((uint32_t)v[i] << (32 - bits)) >> (32 - bits);
}

static inline void read_s32(uint8_t *fp, const struct tensor_mma *t, int32_t *restrict out)
{
	for (unsigned r = 0; r < t->m / 4u; r++)
		for (unsigned i = 0; i < WARP; i++)
			out[place(r, i)] = ROW(const int32_t, t->row_c[r])[i];
}

static inline void write_s32(uint8_t *fp, const struct tensor_mma *t, const int32_t *restrict in, uint32_t mask)
{
	for (unsigned r = 0; r < t->m / 4u; r++) {
		int32_t *row = ROW(int32_t, t->row_d[r]);
		LANES(int32_t, row, in[place(r, i)]);
	}
}

// The sum of k products of 8 bits fits 32 bits; with C it may wrap around, or is clamped.
static inline int32_t add_to(int32_t c, int32_t sum, bool clamp)
{
	const int64_t all = (int64_t)c + sum;
	if (clamp)
		return all > INT32_MAX ? INT32_MAX : all < INT32_MIN ? INT32_MIN : (int32_t)all;
	return (int32_t)((uint32_t)c + (uint32_t)sum);
}

BODY(mma_int)
{
	const struct tensor_mma *t = mma_of(u);
	const unsigned k = t->k, bits = tensor_type_bits[t->a];
	_Alignas(64) int32_t a[MAX_A], b[MAX_B], d[MAX_D];
	read_a(fp, t, k, bits, (uint32_t *)a);
	read_b(fp, t, k, bits, (uint32_t *)b);
	read_s32(fp, t, d);
	if (is_signed(t->a))
		extend(a, t->m * k, bits);
	if (is_signed(t->b))
		extend(b, k * MMA_MAX_N, bits);
	for (unsigned i = 0; i < t->m; i++) {
		_Alignas(32) int32_t sum[MMA_MAX_N] = {0};
		for (unsigned from = 0; from < k; from++)
			for (unsigned j = 0; j < MMA_MAX_N; j++)
				sum[j] += a[i * k + from] * b[from * MMA_MAX_N + j];
		for (unsigned j = 0; j < MMA_MAX_N; j++)
			d[i * MMA_MAX_N + j] = add_to(d[i * MMA_MAX_N + j], sum[j], t->satfinite);
	}
	write_s32(fp, t, d, mask);
}

// Single bits: 32 of a row of A and of a column of B at a time, counted where a xor b, or a and b, is 1.
BODY(mma_bits)
{
	const struct tensor_mma *t = mma_of(u);
	const unsigned words = tensor_mma_k(t) / 32;
	uint32_t a[MMA_MAX_M * 8], b[8 * MMA_MAX_N];
	int32_t d[MAX_D];
	read_a(fp, t, words, 32, a);
	read_b(fp, t, words, 32, b);
	read_s32(fp, t, d);
	for (unsigned i = 0; i < t->m; i++)
		for (unsigned j = 0; j < MMA_MAX_N; j++) {
			uint32_t n = 0;
			for (unsigned k = 0; k < words; k++) {
				const uint32_t x = a[i * words + k], y = b[k * MMA_MAX_N + j];
				n += (uint32_t)__builtin_popcount(t->bits == TENSOR_XOR ? x ^ y : x & y);
			}
			d[i * MMA_MAX_N + j] = (int32_t)((uint32_t)d[i * MMA_MAX_N + j] + n);
		}
	write_s32(fp, t, d, mask);
}

extern const struct exec_body EXEC_TABLE(tensor)[];
const struct exec_body EXEC_TABLE(tensor)[] = {
	{"tensor.float", mma_float},
	{"tensor.f64", mma_f64},
	{"tensor.int", mma_int},
	{"tensor.bits", mma_bits},
	{0},
};
