// The elements of warp-wide products in a warp's registers (tensor/mma.h), and what is done with sums before they get there.
#ifndef CUDA_SIM_EXEC_BODIES_TENSOR_ROWS_H
#define CUDA_SIM_EXEC_BODIES_TENSOR_ROWS_H

#include "cuda-sim/exec/lanes.h"
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

// The places of C and D in lane i's registers of 32 or 64 bits, and in those of two halves. Row i / 4 and column i % 4 * 2 are
// place 2 i of eight rows of eight.
static inline unsigned place(unsigned r, unsigned i) { return r / 2 * 8 * MMA_MAX_N + 2 * i + r % 2; }
static inline unsigned half_place(unsigned r, unsigned i) { return r * 8 * MMA_MAX_N + 2 * i; }

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

// satfinite: infinities become the largest numbers, NaNs 0 (CUDA C++ Programming Guide, "Warp Matrix Functions").
static inline uint32_t finite_f32(float v)
{
	const uint32_t bits = softfp_bits_f32(v), magnitude = bits & INT32_MAX;
	return magnitude > 0x7f800000 ? 0 : magnitude == 0x7f800000 ? (bits & ~(uint32_t)INT32_MAX) | 0x7f7fffff : bits;
}

static inline uint32_t finite_f16(uint32_t h)
{
	const uint32_t magnitude = h & 0x7fff;
	return magnitude > 0x7c00 ? 0 : magnitude == 0x7c00 ? (h & 0x8000) | 0x7bff : h;
}

// --- 8-bit floats as halves (tensor_by_halves)

// Where element k of `n` stands: behind the lower two of every four come the upper two.
static inline unsigned half_at_place(unsigned k, unsigned n) { return k % 4 / 2 * (n / 2) + k / 4 * 2 + k % 2; }

static inline uint32_t half_from(enum tensor_type type, uint32_t bits)
{
	return type == TENSOR_E5M2 ? bits << 8 : softfp_f32_to_f16(tensor_e4m3(bits));
}

// C is added to the sums.
static inline void add_last(const float *restrict c, bool half, float *restrict d)
{
	for (unsigned i = 0; i < MAX_D; i++)
		d[i] = half ? softfp_f16_to_f32(softfp_add_f16(softfp_f32_to_f16(d[i]), softfp_f32_to_f16(c[i]))) : softfp_canon_f32(c[i] + d[i]);
}

static inline void write_f32(uint8_t *fp, const struct tensor_mma *t, bool half, const float *restrict in, uint32_t mask)
{
	for (unsigned r = 0; r < t->m / (half ? 8u : 4u); r++) {
		uint32_t *row = ROW(uint32_t, t->row_d[r]);
		if (half && t->satfinite)
			LANES(uint32_t, row, finite_f16(softfp_f32_to_f16(in[half_place(r, i)])) |
			      finite_f16(softfp_f32_to_f16(in[half_place(r, i) + 1])) << 16);
		else if (half)
			LANES(uint32_t, row, softfp_f32_to_f16(in[half_place(r, i)]) |
			      (uint32_t)softfp_f32_to_f16(in[half_place(r, i) + 1]) << 16);
		else if (t->satfinite)
			LANES(uint32_t, row, finite_f32(in[place(r, i)]));
		else
			LANES(uint32_t, row, softfp_bits_f32(in[place(r, i)]));
	}
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

#endif
