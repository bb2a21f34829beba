// Products of 8 x 8 x 4 halves, one for each quarter of a warp: mma.m8n8k4 of f16, HMMA.884.
#include "cuda-sim/exec/bodies/fp_env.h"
#include "cuda-sim/exec/bodies/tensor_rows.h"
#include "cuda-sim/tensor/group.h"

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

// --- element by element, whatever the numbers are

static __attribute__((noinline)) void carefully(uint8_t *fp, const struct tensor_mma *t, uint32_t mask)
{
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

// --- by lanes, if sums have the type of C and all numbers are finite

enum { VECTORS = WARP / TENSOR_WIDE, PAIR = 2 };

// The four numbers of each lane, and their exponents.
struct factors {
	tensor_ints value[DEPTH][VECTORS], exponent[DEPTH][VECTORS];
};

// False: there is an infinity or a NaN.
GROUP_INLINE bool read_factors(const uint8_t *fp, const int32_t *rows, struct factors *f)
{
	enum { SPECIAL = 128 }; // their exponent
	tensor_ints most = {0};
	for (unsigned k = 0; k < DEPTH; k++)
		for (unsigned v = 0; v < VECTORS; v++) {
			const tensor_words w = GROUP_LOAD(tensor_words, ROW(const uint32_t, rows[k / 2]) + v * TENSOR_WIDE);
			f->value[k][v] = group_value(TENSOR_F16, w >> k % 2 * 16 & 0xffff);
			f->exponent[k][v] = group_exponent(f->value[k][v], group_least(TENSOR_F16));
			most = tensor_pick(most < f->exponent[k][v], f->exponent[k][v], most);
		}
	return !tensor_any(most == SPECIAL);
}

// Which number of which of eight lanes comes to each: of number `first` those from 0 on, of `second` those from 8 on.
struct source {
	unsigned first, second, vector;
	tensor_ints lane;
};

// Each lane's sums, of D's number n, are of a row of A and a column of B: see mma.h.
GROUP_INLINE struct source row_of_a(const struct tensor_mma *t, bool half, unsigned n, unsigned k, unsigned v)
{
	if (half)
		return (struct source){k, k, v, {0, 1, 2, 3, 4, 5, 6, 7}};
	if (t->a_column)
		return (struct source){n & 2, (n & 2) + 1, v, (tensor_ints){0, 8, 0, 8, 4, 12, 4, 12} + (int32_t)k};
	return (struct source){k, k, v, (tensor_ints){0, 1, 0, 1, 4, 5, 4, 5} + (int32_t)(n & 2)};
}

GROUP_INLINE struct source column_of_b(const struct tensor_mma *t, bool half, unsigned n, unsigned k, unsigned v)
{
	const unsigned from = v % 2 + (n & 4) / 2; // lanes of the same quarter, the lower or the upper four
	const tensor_ints one = {0, 0, 0, 0, 4, 4, 4, 4};
	if (half)
		return t->b_row ? (struct source){n % 4, n % 4, from, one + (int32_t)k} : (struct source){k, k, from, one + (int32_t)(n % 4)};
	if (t->b_row)
		return (struct source){n & 1, (n & 1) + 2, from, (tensor_ints){0, 0, 8, 8, 4, 4, 12, 12} + (int32_t)k};
	return (struct source){k, k, from, (tensor_ints){0, 0, 2, 2, 4, 4, 6, 6} + (int32_t)(n & 1)};
}

GROUP_INLINE tensor_ints from(const tensor_ints of[][VECTORS], struct source s)
{
	const tensor_ints a = of[s.first][s.vector], b = of[s.second][s.vector];
#ifdef __clang__ // knows only shuffles by constants
	tensor_ints v;
	for (unsigned i = 0; i < TENSOR_WIDE; i++)
		v[i] = s.lane[i] < TENSOR_WIDE ? a[s.lane[i]] : b[s.lane[i] - TENSOR_WIDE];
	return v;
#else
	return __builtin_shuffle(a, b, s.lane);
#endif
}

GROUP_INLINE void place_factor(const struct factors *f, struct source s, float *value, int16_t *exponent)
{
	typedef int16_t shorts __attribute__((vector_size(2 * TENSOR_WIDE)));
	GROUP_PUT(value, from(f->value, s));
	GROUP_PUT(exponent, __builtin_convertvector(from(f->exponent, s), shorts));
}

// D's numbers n and n + 1, a place for each lane and then for each lane again. False: not done.
GROUP_INLINE bool add_pair(const uint8_t *fp, const struct tensor_mma *t, bool half, const struct factors *a, const struct factors *b,
                           unsigned n, float *d)
{
	_Static_assert(PAIR * WARP == GROUP_PLACES && GROUP_PLACES == GROUP_COLUMNS, "places");
	_Alignas(64) float as[DEPTH][GROUP_PLACES], bs[DEPTH][GROUP_COLUMNS], c[GROUP_PLACES];
	_Alignas(64) int16_t ae[DEPTH][GROUP_PLACES], be[DEPTH][GROUP_COLUMNS];
	for (unsigned r = 0; r < PAIR; r++)
		for (unsigned v = 0; v < VECTORS; v++) {
			const unsigned at = r * WARP + v * TENSOR_WIDE;
			for (unsigned k = 0; k < DEPTH; k++) {
				place_factor(a, row_of_a(t, half, n + r, k, v), &as[k][at], &ae[k][at]);
				place_factor(b, column_of_b(t, half, n + r, k, v), &bs[k][at], &be[k][at]);
			}
			const tensor_words w = GROUP_LOAD(tensor_words, ROW(const uint32_t, t->row_c[half ? n / 2 : n + r]) + v * TENSOR_WIDE);
			GROUP_PUT(&c[at], half ? group_value(TENSOR_F16, w >> r * 16 & 0xffff) : (tensor_ints)w);
		}
	for (unsigned p = 0; p < GROUP_PLACES; p += GROUP_BLOCK) {
		struct group_sums s;
		memcpy(s.c, c + p, sizeof s.c);
		if (!group_add(&t->rule, half, true, DEPTH, DEPTH, (const float (*)[GROUP_PLACES])&as[0][p],
		               (const int16_t (*)[GROUP_PLACES])&ae[0][p], (const float (*)[GROUP_COLUMNS])&bs[0][p],
		               (const int16_t (*)[GROUP_COLUMNS])&be[0][p], &s))
			return false;
		memcpy(d + p, s.d, sizeof s.d);
	}
	return true;
}

// D's numbers n and n + 1: two halves of a register, or two registers.
static inline void write_pair(uint8_t *fp, const struct tensor_mma *t, bool half, unsigned n, const float *d, uint32_t mask)
{
	if (half) {
		_Alignas(64) uint32_t bits[PAIR * WARP];
		for (unsigned i = 0; i < PAIR * WARP; i += TENSOR_WIDE)
			GROUP_PUT(bits + i, group_half_bits(tensor_load(d + i)));
		uint32_t *row = ROW(uint32_t, t->row_d[n / 2]);
		if (t->satfinite)
			LANES(uint32_t, row, finite_f16(bits[i]) | finite_f16(bits[WARP + i]) << 16);
		else
			LANES(uint32_t, row, bits[i] | bits[WARP + i] << 16);
		return;
	}
	for (unsigned r = 0; r < PAIR; r++) {
		uint32_t *row = ROW(uint32_t, t->row_d[n + r]);
		if (t->satfinite)
			LANES(uint32_t, row, finite_f32(d[r * WARP + i]));
		else
			LANES(uint32_t, row, softfp_bits_f32(d[r * WARP + i]));
	}
}

// False: not done.
GROUP_INLINE bool quickly(uint8_t *fp, const struct tensor_mma *t, bool half, uint32_t mask)
{
	const unsigned numbers = half ? 4 : 2, first = t->step * numbers, n = t->steps * numbers; // of a step, which is two registers
	_Alignas(64) float d[SIDE][WARP];
	struct factors a, b;
	if (!read_factors(fp, t->row_a, &a) || !read_factors(fp, t->row_b, &b))
		return false;
	for (unsigned i = 0; i < n; i += PAIR)
		if (!add_pair(fp, t, half, &a, &b, first + i, d[i]))
			return false;
	for (unsigned i = 0; i < n; i += PAIR)
		write_pair(fp, t, half, first + i, d[i], mask);
	return true;
}

BODY(mma_quarters)
{
	const struct tensor_mma *t = mma_of(u);
	const bool half = t->d == TENSOR_F16;
	// The four numbers that A by columns has in a lane are of as many lanes' rows, if these have halves.
	const bool by_lanes = t->c == t->d && !t->rule.plain && !t->by_fma && !(half && t->a_column);
	if (!by_lanes || !(half ? quickly(fp, t, true, mask) : quickly(fp, t, false, mask)))
		carefully(fp, t, mask);
}

extern const struct exec_body EXEC_TABLE(tensor_quarters)[];
const struct exec_body EXEC_TABLE(tensor_quarters)[] = {
	{"tensor.quarters", mma_quarters},
	{0},
};
