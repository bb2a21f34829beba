// Matrix products of registers. What is multiplied is a struct tensor_mma, where the micro-op's imm points. All lanes of the warp take
// part: PTX leaves undefined what becomes of others, here their registers count as they are.
#include "cuda-sim/exec/bodies/fp_env.h"
#include "cuda-sim/exec/bodies/tensor_rows.h"
#include "cuda-sim/tensor/group.h"

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

// Row by row, whatever the numbers are.
static __attribute__((noinline)) void carefully(uint8_t *fp, const struct tensor_mma *t, uint32_t mask)
{
	const unsigned k = t->k;
	const bool half = t->d == TENSOR_F16 && t->c == TENSOR_F16; // a f16 result of f32 sums is rounded once more
	_Alignas(64) uint32_t a[MAX_A], b[MAX_B];
	_Alignas(64) float as[MAX_A], bs[MAX_B], d[MAX_D];
	_Alignas(64) int32_t ae[MAX_A], be[MAX_B];
	read_a(fp, t, k, tensor_type_bits[t->a], a);
	read_b(fp, t, k, tensor_type_bits[t->b], b);
	read_f32(fp, t, t->c == TENSOR_F16, d);
	bool special = tensor_split_all(t->a, a, t->m * k, as, ae);
	special |= tensor_split_all(t->b, b, k * MMA_MAX_N, bs, be);
	if (half)
		by_rule(t, k, true, as, ae, bs, be, special, d);
	else
		by_rule(t, k, false, as, ae, bs, be, special, d);
	write_f32(fp, t, t->d == TENSOR_F16, d, mask);
}

// 8-bit floats as halves, A's columns and B's rows in the order of the two products.
static __attribute__((noinline)) void by_halves(uint8_t *fp, const struct tensor_mma *t, uint32_t mask)
{
	const unsigned k = t->k, block = t->rule.block < k / 2 ? t->rule.block : k / 2;
	const bool half = t->d == TENSOR_F16;
	_Alignas(64) uint32_t a[MAX_A], b[MAX_B], in_order[MAX_A];
	_Alignas(64) float as[MAX_A], bs[MAX_B], c[MAX_D], d[MAX_D] = {0};
	_Alignas(64) int32_t ae[MAX_A], be[MAX_B];
	read_a(fp, t, k, 8, a);
	read_b(fp, t, k, 8, b);
	read_f32(fp, t, half, c);
	for (unsigned i = 0; i < t->m * k; i++)
		in_order[i / k * k + half_at_place(i % k, k)] = half_from((enum tensor_type)t->a, a[i]);
	bool special = tensor_split_all(TENSOR_F16, in_order, t->m * k, as, ae);
	for (unsigned i = 0; i < k * MMA_MAX_N; i++)
		in_order[half_at_place(i / MMA_MAX_N, k) * MMA_MAX_N + i % MMA_MAX_N] = half_from((enum tensor_type)t->b, b[i]);
	special |= tensor_split_all(TENSOR_F16, in_order, k * MMA_MAX_N, bs, be);
	for (unsigned i = 0; i < t->m; i++)
		for (unsigned from = 0; from < k; from += block)
			tensor_block(&t->rule, half, block, as + i * k + from, ae + i * k + from, bs + from * MMA_MAX_N, be + from * MMA_MAX_N,
			             MMA_MAX_N, special, d + i * MMA_MAX_N);
	add_last(c, half, d);
	write_f32(fp, t, half, d, mask);
}

// --- the same, quickly, as group.h does it: factors of 16 rows and 8 columns

// Exponents of what was read.
struct range {
	tensor_ints least, most;
};

static const struct range no_range = {{4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096},
                                      {GROUP_ZERO, GROUP_ZERO, GROUP_ZERO, GROUP_ZERO, GROUP_ZERO, GROUP_ZERO, GROUP_ZERO, GROUP_ZERO}};

// Numbers of 8-bit and 16-bit floats multiply exactly within the range of f32, so that only infinities and NaNs must be known.
static inline bool is_narrow(enum tensor_type type) { return type != TENSOR_BF16 && type != TENSOR_TF32; }

GROUP_INLINE tensor_ints note(enum tensor_type type, tensor_ints value, struct range *r)
{
	const tensor_ints e = group_exponent(value, group_least(type));
	r->most = tensor_pick(r->most < e, e, r->most);
	if (!is_narrow(type)) {
		const tensor_ints least = tensor_pick(e == GROUP_ZERO, r->least, e);
		r->least = tensor_pick(least < r->least, least, r->least);
	}
	return e;
}

static inline void ends(const struct range *r, int *least, int *most)
{
	*least = r->least[0], *most = r->most[0];
	for (unsigned i = 1; i < TENSOR_WIDE; i++) {
		*least = r->least[i] < *least ? r->least[i] : *least;
		*most = r->most[i] > *most ? r->most[i] : *most;
	}
}

typedef int16_t eight_shorts __attribute__((vector_size(16)));
enum { OF_TWO_ROWS = 8 }; // lanes: four of each row

// One of four lanes of two rows, at the four places of each row.
#define SPREAD(v, t) __builtin_shufflevector(v, v, t, t, t, t, 4 + t, 4 + t, 4 + t, 4 + t)
#define SPREAD_TO(t)                                                                                      \
	GROUP_PUT(&tile->a[k + in * t][at], SPREAD((tensor_floats)v, t));                                  \
	if (r)                                                                                             \
		GROUP_PUT(&tile->ae[k + in * t][at], SPREAD(e, t))

// A tile's A: every number at the four places of its row. r NULL: nobody asks for exponents.
GROUP_INLINE void tile_a(uint8_t *fp, const struct tensor_mma *t, enum tensor_type type, unsigned bits, struct group_tile *tile,
                         struct range *r)
{
	const unsigned in = 32 / bits, regs = t->m * t->k / 32 / in;
	for (unsigned q = 0; q < regs; q++)
		for (unsigned i = 0; i < WARP; i += OF_TWO_ROWS)
			for (unsigned n = 0; n < in; n++) {
				const unsigned k = 4 * in * (q / 2) + n, at = q % 2 * WARP + i;
				const tensor_words w = GROUP_LOAD(tensor_words, ROW(const uint32_t, t->row_a[q]) + i) >> (n * bits) & field_of(bits);
				const tensor_ints v = group_value(type, w);
				const eight_shorts e = r ? __builtin_convertvector(note(type, v, r), eight_shorts) : (eight_shorts){0};
				SPREAD_TO(0);
				SPREAD_TO(1);
				SPREAD_TO(2);
				SPREAD_TO(3);
			}
}

// B: four even columns, then four odd ones.
GROUP_INLINE void tile_b(uint8_t *fp, const struct tensor_mma *t, enum tensor_type type, unsigned bits, struct group_tile *tile,
                         struct range *r)
{
	const unsigned in = 32 / bits, regs = t->k * MMA_MAX_N / 32 / in;
	for (unsigned q = 0; q < regs; q++) {
		_Alignas(32) uint32_t words[4][TENSOR_WIDE];
		const uint32_t *row = ROW(const uint32_t, t->row_b[q]);
		for (unsigned j = 0; j < TENSOR_WIDE; j++)
			for (unsigned c = 0; c < 4; c++)
				words[c][j] = row[4 * (j < 4 ? 2 * j : 2 * j - 7) + c];
		for (unsigned c = 0; c < 4; c++)
			for (unsigned n = 0; n < in; n++) {
				const unsigned k = 4 * in * q + in * c + n;
				const tensor_ints v = group_value(type, GROUP_LOAD(tensor_words, words[c]) >> (n * bits) & field_of(bits));
				GROUP_PUT(&tile->b[k][0], v);
				if (r)
					GROUP_PUT(&tile->be[k][0], __builtin_convertvector(note(type, v, r), eight_shorts));
			}
	}
}

// Sums: of the even columns, and of the odd ones.
struct columns {
	_Alignas(64) float of[2][GROUP_PLACES];
};

GROUP_INLINE void read_columns(uint8_t *fp, const struct tensor_mma *t, struct columns *c)
{
	for (unsigned h = 0; h < 2; h++)
		for (unsigned i = 0; i < WARP; i += TENSOR_WIDE)
			if (t->c == TENSOR_F16) {
				const tensor_words w = GROUP_LOAD(tensor_words, ROW(const uint32_t, t->row_c[h]) + i);
				GROUP_PUT(&c->of[0][h * WARP + i], group_value(TENSOR_F16, w & 0xffff));
				GROUP_PUT(&c->of[1][h * WARP + i], group_value(TENSOR_F16, w >> 16));
			} else {
				memcpy(&c->of[0][h * WARP + i], ROW(const uint32_t, t->row_c[2 * h]) + i, TENSOR_WIDE * sizeof(float));
				memcpy(&c->of[1][h * WARP + i], ROW(const uint32_t, t->row_c[2 * h + 1]) + i, TENSOR_WIDE * sizeof(float));
			}
}

// Sums rounded to f16.
GROUP_INLINE tensor_words half_of(tensor_floats v)
{
	const tensor_ints nan = ((tensor_ints)v & INT32_MAX) > (int32_t)0x7f800000;
	const tensor_words bits = group_half_bits(group_nearest_f16((tensor_floats)((tensor_ints)v & ~nan)));
	return (tensor_words)tensor_pick(nan, (tensor_ints){0} + SOFTFP_NAN16, (tensor_ints)bits);
}

static inline void write_columns(uint8_t *fp, const struct tensor_mma *t, const struct columns *d, uint32_t mask)
{
	for (unsigned h = 0; h < 2; h++) {
		if (t->d != TENSOR_F16) {
			for (unsigned odd = 0; odd < 2; odd++) {
				uint32_t *row = ROW(uint32_t, t->row_d[2 * h + odd]);
				if (t->satfinite)
					LANES(uint32_t, row, finite_f32(d->of[odd][h * WARP + i]));
				else
					LANES(uint32_t, row, softfp_bits_f32(d->of[odd][h * WARP + i]));
			}
			continue;
		}
		uint32_t *row = ROW(uint32_t, t->row_d[h]);
		_Alignas(64) uint32_t words[WARP];
		for (unsigned i = 0; i < WARP; i += TENSOR_WIDE) {
			const tensor_words odd = half_of(tensor_load(&d->of[1][h * WARP + i])) << 16;
			GROUP_PUT(words + i, half_of(tensor_load(&d->of[0][h * WARP + i])) | odd);
		}
		if (t->satfinite)
			LANES(uint32_t, row, finite_f16(words[i] & 0xffff) | finite_f16(words[i] >> 16) << 16);
		else
			LANES(uint32_t, row, words[i]);
	}
}

// False: not done.
GROUP_INLINE bool sums_by_rule(const struct tensor_mma *t, bool half, unsigned len, const struct group_tile *tile, const struct columns *c,
                               struct columns *d)
{
	const unsigned at_once = t->rule.fraction > 20 ? 16 : GROUP_MAX_K;
	struct group_sums s;
	for (unsigned odd = 0; odd < 2; odd++)
		for (unsigned p = 0; p < GROUP_PLACES; p += GROUP_BLOCK) {
			const unsigned j = odd * GROUP_HALF;
			memcpy(s.c, &c->of[odd][p], sizeof s.c);
			for (unsigned from = 0; from < t->k; from += len) {
				if (!group_add(&t->rule, half, false, len, at_once, (const float (*)[GROUP_PLACES])&tile->a[from][p],
				               (const int16_t (*)[GROUP_PLACES])&tile->ae[from][p], (const float (*)[GROUP_COLUMNS])&tile->b[from][j],
				               (const int16_t (*)[GROUP_COLUMNS])&tile->be[from][j], &s))
					return false;
				memcpy(s.c, s.d, sizeof s.c);
			}
			memcpy(&d->of[odd][p], s.c, sizeof s.c);
		}
	return true;
}

GROUP_INLINE void sums_by_fma(unsigned k, const struct group_tile *tile, const struct columns *c, struct columns *d)
{
	for (unsigned p = 0; p < GROUP_PLACES; p += GROUP_BLOCK) {
		struct group_sums s[2];
		memcpy(s[0].c, &c->of[0][p], sizeof s[0].c);
		memcpy(s[1].c, &c->of[1][p], sizeof s[1].c);
		group_plain(false, k, (const float (*)[GROUP_PLACES])&tile->a[0][p], tile->b, s);
		memcpy(&d->of[0][p], s[0].d, sizeof s[0].d);
		memcpy(&d->of[1][p], s[1].d, sizeof s[1].d);
	}
	for (unsigned p = 0; p < 2 * GROUP_PLACES; p += TENSOR_WIDE) { // the one NaN that there is
		const tensor_ints bits = GROUP_LOAD(tensor_ints, d->of[0] + p), nan = (bits & INT32_MAX) > (int32_t)0x7f800000;
		GROUP_PUT(d->of[0] + p, tensor_pick(nan, (tensor_ints){0} + (int32_t)SOFTFP_NAN32, bits));
	}
}

static inline unsigned bits_of(enum tensor_type a) { return a == TENSOR_TF32 ? 32 : a == TENSOR_F16 || a == TENSOR_BF16 ? 16 : 8; }

// Inlined with constants for the types. False: not done.
GROUP_INLINE bool quickly(uint8_t *fp, const struct tensor_mma *t, uint32_t mask, enum tensor_type a, enum tensor_type b)
{
	enum { SPECIAL = 128, LEAST = -126, MOST = 125 }; // exponents: of infinities, and of products that f32 has exactly
	const bool half = t->d == TENSOR_F16 && t->c == TENSOR_F16;
	struct group_tile tile;
	struct columns c, d;
	struct range of_a = no_range, of_b = no_range;
	int least_a, least_b, most_a, most_b;
	bool done;
	tile_a(fp, t, a, bits_of(a), &tile, &of_a);
	tile_b(fp, t, b, bits_of(b), &tile, &of_b);
	ends(&of_a, &least_a, &most_a);
	ends(&of_b, &least_b, &most_b);
	if (most_a == SPECIAL || most_b == SPECIAL)
		return false;
	if (!is_narrow(a) && (least_a + least_b < LEAST || most_a + most_b > MOST))
		return false;
	read_columns(fp, t, &c);
	const unsigned len = t->rule.block < t->k ? t->rule.block : t->k;
	// As long as blocks of the type get (rule.c); only what may be is compiled.
#define SUMS(len) \
	(a != TENSOR_BF16 && a != TENSOR_TF32 && half ? sums_by_rule(t, true, len, &tile, &c, &d) : sums_by_rule(t, false, len, &tile, &c, &d))
	if (bits_of(a) == 8)
		done = len == 16 ? SUMS(16) : SUMS(32);
	else if (bits_of(a) == 32)
		done = len == 4 ? SUMS(4) : SUMS(8);
	else
		done = len == 4 ? SUMS(4) : len == 8 ? SUMS(8) : SUMS(16);
#undef SUMS
	if (done)
		write_columns(fp, t, &d, mask);
	return done;
}

#ifdef __AVX512F__
// 16 numbers of 16 bits: the low or the upper halves of the words.
GROUP_INLINE group_floats sixteen(enum tensor_type type, group_words w, unsigned upper)
{
	if (type == TENSOR_BF16)
		return (group_floats)(upper ? w & 0xffff0000u : w << 16);
	return (group_floats)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)(upper ? w >> 16 : w)));
}

// B of 16 bits by k: four even columns, then four odd ones.
GROUP_INLINE void rows_of_b(uint8_t *fp, const struct tensor_mma *t, enum tensor_type type, float (*b)[2 * GROUP_HALF])
{
	const group_words even = {0, 8, 16, 24, 4, 12, 20, 28, 1, 9, 17, 25, 5, 13, 21, 29}; // lanes of columns 0 2 4 6 1 3 5 7, of k 0 and of the next pair
	for (unsigned q = 0; q < t->k / 8u; q++) {
		const uint32_t *row = ROW(const uint32_t, t->row_b[q]);
		const __m512i low = (__m512i)GROUP_LOAD(group_words, row), high = (__m512i)GROUP_LOAD(group_words, row + GROUP_LANES);
		for (unsigned pair = 0; pair < 2; pair++) {
			const group_words w = (group_words)_mm512_permutex2var_epi32(low, (__m512i)(even + 2 * pair), high);
			for (unsigned n = 0; n < 2; n++) {
				const __m512 v = (__m512)sixteen(type, w, n);
				_mm256_store_ps(b[8 * q + 4 * pair + n], _mm512_castps512_ps256(v));
				_mm256_store_ps(b[8 * q + 4 * pair + 2 + n], _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(v), 1)));
			}
		}
	}
}

// One of each four lanes, at all four.
#define ALL_FOUR(v, t) ((group_floats)_mm512_permute_ps((__m512)(v), (t) * 0x55))

// Numbers of 16 bits and sums of 32, by all lanes: from registers to registers. 16 places are four rows of A by four columns.
GROUP_INLINE void plain_halves(uint8_t *fp, const struct tensor_mma *t, enum tensor_type type)
{
	enum { PARTS = GROUP_PLACES / GROUP_LANES };
	_Alignas(64) float b[16][2 * GROUP_HALF];
	group_floats s[2][PARTS];
	rows_of_b(fp, t, type, b);
	for (unsigned v = 0; v < PARTS; v++)
		for (unsigned odd = 0; odd < 2; odd++)
			s[odd][v] = GROUP_LOAD(group_floats, ROW(const float, t->row_c[v / 2 * 2 + odd]) + v % 2 * GROUP_LANES);
	for (unsigned q = 0; q < t->k / 8u; q++) {
		group_floats a[2][PARTS];
		for (unsigned v = 0; v < PARTS; v++) {
			const group_words w = GROUP_LOAD(group_words, ROW(const uint32_t, t->row_a[2 * q + v / 2]) + v % 2 * GROUP_LANES);
			a[0][v] = sixteen(type, w, 0);
			a[1][v] = sixteen(type, w, 1);
		}
#define STEP(pair, n)                                                                                   \
	do {                                                                                            \
		const float *columns = b[8 * q + 2 * (pair) + (n)];                                     \
		const group_floats x_ = group_columns(columns), y_ = group_columns(columns + GROUP_HALF); \
		for (unsigned v = 0; v < PARTS; v++) {                                                  \
			const group_floats row = ALL_FOUR(a[n][v], pair);                               \
			s[0][v] = group_fma(row, x_, s[0][v]);                                          \
			s[1][v] = group_fma(row, y_, s[1][v]);                                          \
		}                                                                                       \
	} while (0)
		STEP(0, 0);
		STEP(0, 1);
		STEP(1, 0);
		STEP(1, 1);
		STEP(2, 0);
		STEP(2, 1);
		STEP(3, 0);
		STEP(3, 1);
#undef STEP
	}
	for (unsigned v = 0; v < PARTS; v++)
		for (unsigned odd = 0; odd < 2; odd++) {
			const group_ints nan = s[odd][v] != s[odd][v];
			GROUP_PUT(ROW(float, t->row_d[v / 2 * 2 + odd]) + v % 2 * GROUP_LANES,
			          ((group_ints)s[odd][v] & ~nan) | (nan & (int32_t)SOFTFP_NAN32));
		}
}
#endif

GROUP_INLINE void plainly(uint8_t *fp, const struct tensor_mma *t, uint32_t mask, enum tensor_type a, enum tensor_type b)
{
#ifdef __AVX512F__
	if (bits_of(a) == 16 && t->m == 16 && t->c == TENSOR_F32 && t->d == TENSOR_F32 && !t->satfinite && mask == FULL_MASK) {
		plain_halves(fp, t, a);
		return;
	}
#endif
	struct group_tile tile;
	struct columns c, d;
	tile_a(fp, t, a, bits_of(a), &tile, NULL);
	tile_b(fp, t, b, bits_of(b), &tile, NULL);
	read_columns(fp, t, &c);
	sums_by_fma(t->k, &tile, &c, &d);
	write_columns(fp, t, &d, mask);
}

#define FLOAT_BODY(name, a, b)                                                 \
	BODY(mma_##name)                                                       \
	{                                                                      \
		const struct tensor_mma *t = mma_of(u);                        \
		if (t->rule.plain)                                             \
			plainly(fp, t, mask, TENSOR_##a, TENSOR_##b);          \
		else if (!quickly(fp, t, mask, TENSOR_##a, TENSOR_##b))        \
			carefully(fp, t, mask);                                \
	}
FLOAT_BODY(f16, F16, F16)
FLOAT_BODY(bf16, BF16, BF16)
FLOAT_BODY(tf32, TF32, TF32)
FLOAT_BODY(e4m3, E4M3, E4M3)
FLOAT_BODY(e4m3_e5m2, E4M3, E5M2)
FLOAT_BODY(e5m2_e4m3, E5M2, E4M3)
FLOAT_BODY(e5m2, E5M2, E5M2)

BODY(mma_float)
{
	if (mma_of(u)->by_halves) {
		by_halves(fp, mma_of(u), mask);
		return;
	}
	switch (mma_of(u)->a) {
	case TENSOR_F16: mma_f16(fp, u, mask, w); break;
	case TENSOR_BF16: mma_bf16(fp, u, mask, w); break;
	case TENSOR_TF32: mma_tf32(fp, u, mask, w); break;
	case TENSOR_E4M3: (mma_of(u)->b == TENSOR_E4M3 ? mma_e4m3 : mma_e4m3_e5m2)(fp, u, mask, w); break;
	default: (mma_of(u)->b == TENSOR_E4M3 ? mma_e5m2_e4m3 : mma_e5m2)(fp, u, mask, w); break;
	}
}

// The numbers of register r of operand `of` (0 a, 1 b, 2 c) in rows of 8 bytes a lane, or in two of 4.
static inline double get_f64(const uint8_t *fp, const struct tensor_mma *t, unsigned of, const int32_t *rows, unsigned r, unsigned i)
{
	const uint64_t sign = (uint64_t)(t->negated >> of & 1) << 63;
	if (!t->words)
		return softfp_f64(ROW(const uint64_t, rows[r])[i] ^ sign);
	return softfp_f64((ROW(const uint32_t, rows[2 * r])[i] | (uint64_t)ROW(const uint32_t, rows[2 * r + 1])[i] << 32) ^ sign);
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

// D's rows: fma after fma in the order of k.
static inline void fma_rows(const struct tensor_mma *t, unsigned k, const double *restrict a, const double *restrict b, double *restrict d)
{
#ifdef __FMA__
	if (t->rnd == ROUND_RN) {
		for (unsigned i = 0; i < t->m; i++)
			for (unsigned from = 0; from < k; from++)
				for (unsigned j = 0; j < MMA_MAX_N; j++)
					d[i * MMA_MAX_N + j] = __builtin_fma(a[i * k + from], b[from * MMA_MAX_N + j], d[i * MMA_MAX_N + j]);
		for (unsigned i = 0; i < t->m * MMA_MAX_N; i++)
			d[i] = softfp_canon_f64(d[i]);
		return;
	}
#endif
	for (unsigned i = 0; i < t->m; i++)
		for (unsigned j = 0; j < MMA_MAX_N; j++)
			for (unsigned from = 0; from < k; from++)
				d[i * MMA_MAX_N + j] = softfp_canon_f64(softfp_fma_f64(a[i * k + from], b[from * MMA_MAX_N + j],
				                                                       d[i * MMA_MAX_N + j], (enum rounding)t->rnd));
}

// DMMA
BODY(mma_f64)
{
	const struct tensor_mma *t = mma_of(u);
	const unsigned k = t->k, halves = t->m / 8;
	_Alignas(64) double a[MMA_MAX_M * 16], b[16 * MMA_MAX_N], d[MAX_D];
	for (unsigned r = 0; r < t->m * k / WARP; r++)
		for (unsigned i = 0; i < WARP; i++)
			a[(8 * (r % halves) + i / 4) * k + 4 * (r / halves) + i % 4] = get_f64(fp, t, 0, t->row_a, r, i);
	for (unsigned r = 0; r < k / 4; r++)
		for (unsigned i = 0; i < WARP; i++)
			b[(4 * r + i % 4) * MMA_MAX_N + i / 4] = get_f64(fp, t, 1, t->row_b, r, i);
	for (unsigned r = 0; r < t->m / 4; r++)
		for (unsigned i = 0; i < WARP; i++)
			d[place(r, i)] = get_f64(fp, t, 2, t->row_c, r, i);
	fma_rows(t, k, a, b, d);
	for (unsigned r = 0; r < t->m / 4u; r++)
		EACH(i)
			put_f64(fp, t, r, i, d[place(r, i)]);
}

// --- integers, two of 16 bits at a time

enum { MAX_PAIRS = MAX_K / 2 };

// The sums of the two products of each word's halves.
GROUP_INLINE tensor_ints pairs_by_pairs(tensor_ints a, tensor_ints b)
{
#ifdef __AVX2__
	return (tensor_ints)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#else
	__m128i x[2], y[2];
	memcpy(x, &a, sizeof x);
	memcpy(y, &b, sizeof y);
	const __m128i z[2] = {_mm_madd_epi16(x[0], y[0]), _mm_madd_epi16(x[1], y[1])};
	return GROUP_LOAD(tensor_ints, z);
#endif
}

// Elements 2 n and 2 n + 1 of each register as numbers of 16 bits.
GROUP_INLINE tensor_ints pair_in(tensor_words word, unsigned n, unsigned bits, bool sign)
{
	const unsigned to_top = 32 - bits, low = to_top - 2 * n * bits, high = low - bits;
	if (sign)
		return ((tensor_ints)(word << low) >> to_top & 0xffff) | (tensor_ints)((tensor_words)((tensor_ints)(word << high) >> to_top) << 16);
	return (tensor_ints)(word << low >> to_top | word << high >> to_top << 16);
}

// The lower four lanes of both, in turn, and the upper four.
#define LOWER(x, y) __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11)
#define UPPER(x, y) __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15)
// Pairs of lanes of both, in turn.
#define LOWER_TWO(x, y) __builtin_shufflevector(x, y, 0, 1, 8, 9, 2, 3, 10, 11)
#define UPPER_TWO(x, y) __builtin_shufflevector(x, y, 4, 5, 12, 13, 6, 7, 14, 15)

// The pairs of `rows` rows of A, or columns of B. Eight lanes have two of them.
GROUP_INLINE void read_pairs(uint8_t *fp, const int32_t *reg, unsigned rows, unsigned k, unsigned bits, bool sign, int32_t (*to)[MAX_PAIRS])
{
	const unsigned in = 32 / bits, halves = rows / 8, regs = rows * k / 32 / in;
	for (unsigned r = 0; r < regs; r++)
		for (unsigned i = 0; i < WARP; i += TENSOR_WIDE) {
			const tensor_words w = GROUP_LOAD(tensor_words, ROW(const uint32_t, reg[r]) + i);
			int32_t (*row)[MAX_PAIRS] = &to[8 * (r % halves) + i / 4];
			const unsigned at = 2 * in * (r / halves);
			const tensor_ints p0 = pair_in(w, 0, bits, sign), p1 = pair_in(w, 1, bits, sign);
			const tensor_ints lower = LOWER(p0, p1), upper = UPPER(p0, p1);
			if (bits == 8) {
				GROUP_PUT(&row[0][at], lower);
				GROUP_PUT(&row[1][at], upper);
				continue;
			}
			const tensor_ints p2 = pair_in(w, 2, bits, sign), p3 = pair_in(w, 3, bits, sign);
			const tensor_ints lower_too = LOWER(p2, p3), upper_too = UPPER(p2, p3);
			GROUP_PUT(&row[0][at], LOWER_TWO(lower, lower_too));
			GROUP_PUT(&row[0][at + TENSOR_WIDE], UPPER_TWO(lower, lower_too));
			GROUP_PUT(&row[1][at], LOWER_TWO(upper, upper_too));
			GROUP_PUT(&row[1][at + TENSOR_WIDE], UPPER_TWO(upper, upper_too));
		}
}

GROUP_INLINE void int_rows(uint8_t *fp, const struct tensor_mma *t, unsigned bits, uint32_t mask)
{
	const unsigned k = t->k;
	_Alignas(64) int32_t a[MMA_MAX_M][MAX_PAIRS], columns[MMA_MAX_N][MAX_PAIRS], b[MAX_PAIRS][MMA_MAX_N], c[MAX_D], d[MAX_D];
	if (is_signed(t->a))
		read_pairs(fp, t->row_a, t->m, k, bits, true, a);
	else
		read_pairs(fp, t->row_a, t->m, k, bits, false, a);
	if (is_signed(t->b))
		read_pairs(fp, t->row_b, MMA_MAX_N, k, bits, true, columns);
	else
		read_pairs(fp, t->row_b, MMA_MAX_N, k, bits, false, columns);
	read_s32(fp, t, c);
	for (unsigned n = 0; n < k / 2; n++)
		for (unsigned j = 0; j < MMA_MAX_N; j++)
			b[n][j] = columns[j][n];
	for (unsigned i = 0; i < t->m; i++) {
		tensor_ints sum = {0};
		for (unsigned n = 0; n < k / 2; n++)
			sum += pairs_by_pairs((tensor_ints){0} + a[i][n], GROUP_LOAD(tensor_ints, b[n]));
		GROUP_PUT(&d[i * MMA_MAX_N], sum);
	}
	for (unsigned i = 0; i < t->m * MMA_MAX_N; i++)
		d[i] = t->satfinite ? add_to(c[i], d[i], true) : add_to(c[i], d[i], false);
	write_s32(fp, t, d, mask);
}

BODY(mma_int)
{
	if (tensor_type_bits[mma_of(u)->a] == 8)
		int_rows(fp, mma_of(u), 8, mask);
	else
		int_rows(fp, mma_of(u), 4, mask);
}

// Single bits: 32 of a row of A and of a column of B at a time, counted where a xor b, or a and b, is 1.
BODY(mma_bits)
{
	const struct tensor_mma *t = mma_of(u);
	const unsigned words = t->k / 32u;
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
