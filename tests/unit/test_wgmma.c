// Products of warp groups against sums in whole numbers, bit by bit, with matrices laid out in shared memory as the PTX ISA says.
#include "cuda-sim/exec/tables/find.h"
#include "cuda-sim/exec/warp.h"
#include "cuda-sim/tensor/smem.h"
#include "cuda-sim/tensor/wgmma.h"
#include "tests/unit/tensor_sums.h"

#include <string.h>

enum { M = 64, MAX_N = 256, MAX_K = 256, SHARED = 200 << 10, ROW_BYTES = 256, ROWS_OF_A = 4, ROWS_OF_C = 16, N_ROWS = ROWS_OF_C + 128 };

static _Alignas(64) uint8_t shared[SHARED], frame[WGMMA_WARPS][N_ROWS * ROW_BYTES];
static uint32_t a[M][MAX_K], b[MAX_K][MAX_N], c[M][MAX_N], d[M][MAX_N];
static uint8_t place[M][MAX_K]; // along k, of stored elements of A

// --- layouts, written down once more: CuTe's canonical ones, in bytes

struct layout {
	bool mn_major;
	unsigned width;    // units of the swizzle
	unsigned bits;     // of an element
	uint32_t start, leading, stride;
	unsigned shifted;  // rows of 128 bytes that the swizzle's pattern begins behind a multiple of its size
};

// The bit address of element (i, k), i along m or n.
static uint64_t bit_of(const struct layout *l, unsigned i, unsigned k)
{
	const unsigned wide = 16 * l->width * 8 / l->bits; // elements of a pattern's row
	uint64_t at;
	if (!l->mn_major)
		at = (uint64_t)(i % 8) * 16 * l->width + (uint64_t)(i / 8) * l->stride + (uint64_t)(k / wide) * l->leading + k % wide * l->bits / 8;
	else if (l->width == 1)
		at = i % 8 * 2 + (uint64_t)(i / 8) * l->stride + k % 8 * 16 + (uint64_t)(k / 8) * l->leading;
	else
		at = i % wide * 2 + (uint64_t)(i / wide) * l->leading + (uint64_t)(k % 8) * 16 * l->width + (uint64_t)(k / 8) * l->stride;
	at += l->start;
	// A unit changes place with that whose number is its own, xored with the number of its row in the pattern.
	const uint64_t row = (at / 128 + 8 - l->shifted) % 8 % l->width, unit = at / 16 % 8;
	at = at / 128 * 128 + (unit ^ row) * 16 + at % 16;
	return at * 8 + (l->bits < 8 ? k % 8 : 0);
}

static void put(const struct layout *l, unsigned i, unsigned k, uint32_t v)
{
	const uint64_t at = bit_of(l, i, k);
	ck_assert_uint_lt(at / 8 + 4, SHARED);
	if (l->bits < 8)
		shared[at / 8] = (uint8_t)((shared[at / 8] & ~(1u << at % 8)) | v << at % 8);
	else
		memcpy(shared + at / 8, &v, l->bits / 8);
}

// A layout of `mn` by `k` elements behind `start` in which nothing overlaps.
static struct layout layout_of(bool mn_major, unsigned width, unsigned bits, unsigned mn, unsigned k, uint32_t start, unsigned shifted)
{
	struct layout l = {.mn_major = mn_major, .width = width, .bits = bits, .start = start + 128 * shifted, .shifted = shifted};
	const uint32_t pattern = 128 * width;
	if (!mn_major && width == 1)
		l.stride = pattern, l.leading = pattern * (mn / 8);
	else if (!mn_major)
		l.stride = pattern, l.leading = pattern * (mn / 8);
	else if (width == 1)
		l.leading = pattern, l.stride = pattern * (k / 8);
	else
		l.stride = pattern, l.leading = pattern * (k / 8);
	return l;
}

static uint64_t descriptor_of(const struct layout *l)
{
	static const uint8_t mode[] = {[1] = 0, [8] = 1, [4] = 2, [2] = 3};
	return l->start / 16 | (uint64_t)(l->leading / 16) << 16 | (uint64_t)(l->stride / 16) << 32 | (uint64_t)l->shifted << 49 |
	       (uint64_t)mode[l->width] << 62;
}

// --- the body

static uint32_t *word(unsigned warp, unsigned row, unsigned lane) { return (uint32_t *)(frame[warp] + row * ROW_BYTES) + lane; }

// The lane and register of row i, column j of a warp, and the bits' position there.
static uint32_t *sum_of(const struct tensor_wgmma *t, unsigned i, unsigned j, unsigned *shift)
{
	const unsigned lane = i % 8 * 4 + j % 8 / 2, half = i / 8 % 2;
	*shift = t->d == TENSOR_F16 ? j % 2 * 16 : 0;
	return word(i / 16, ROWS_OF_C + (t->d == TENSOR_F16 ? j / 8 * 2 + half : j / 8 * 4 + half * 2 + j % 2), lane);
}

static void a_to_registers(const struct tensor_wgmma *t)
{
	const unsigned bits = tensor_type_bits[t->a], in = 32 / bits;
	for (unsigned i = 0; i < M; i++)
		for (unsigned k = 0; k < wgmma_stored(t); k++)
			*word(i / 16, ROWS_OF_A + k / in / 4 * 2 + i / 8 % 2, i % 8 * 4 + k / in % 4) |= a[i][k] << (k % in * bits);
}

// Metadata of the places of all stored elements; PTX ISA, figures of wgmma.mma_async.sp.
static void metadata(const struct tensor_wgmma *t, unsigned row)
{
	const unsigned bits = tensor_type_bits[t->a];
	for (unsigned i = 0; i < M; i++)
		for (unsigned e = 0; e < wgmma_stored(t); e++) {
			const unsigned g = i % 8, h = i / 8 % 2, p = place[i][e];
			if (bits == 8)
				*word(i / 16, row, 4 * g + h + 2 * (p / 32)) |= (p % 4) << (p % 32 / 4 * 4 + e % 2 * 2);
			else if (bits == 16)
				*word(i / 16, row, 4 * g + 2u * t->selector + p / 16) |= (p % 4) << (16 * h + p % 16 / 4 * 4 + e % 2 * 2);
			else
				*word(i / 16, row, 4 * g + 2u * t->selector + p / 8) |= (p % 2 ? 14u : 4u) << (16 * h + p % 8 / 2 * 4);
		}
}

static void run(enum exec_level level, const char *key, struct tensor_wgmma *t, const struct layout *la, const struct layout *lb, bool add)
{
	struct warp warp[WGMMA_WARPS] = {0}, *warps[WGMMA_WARPS];
	struct exec_cta cta = {.shared = shared, .shared_size = SHARED, .warp = warps, .n_warp = WGMMA_WARPS, .block = {128, 1, 1}};
	enum { DESC_A, DESC_B, META, SCALE };
	exec_fn *fn = exec_find_at(level, key);
	ck_assert_ptr_nonnull(fn);
	memset(frame, 0, sizeof frame);
	t->desc_a[0] = DESC_A * ROW_BYTES, t->desc_b[0] = DESC_B * ROW_BYTES, t->row_meta = META * ROW_BYTES, t->scale = SCALE * ROW_BYTES;
	for (unsigned r = 0; r < WGMMA_A_REGS; r++)
		t->row_a[r] = (int32_t)(ROWS_OF_A + r) * ROW_BYTES;
	for (unsigned r = 0; r < WGMMA_MAX_REGS; r++)
		t->row_c[r] = t->row_d[r] = (int32_t)(ROWS_OF_C + r) * ROW_BYTES;
	for (unsigned i = 0; i < M; i++)
		for (unsigned j = 0; j < t->n; j++) {
			unsigned shift;
			uint32_t *at = sum_of(t, i, j, &shift);
			*at |= c[i][j] << shift;
		}
	if (t->a_shared) {
		for (unsigned i = 0; i < M; i++)
			for (unsigned k = 0; k < wgmma_stored(t); k++)
				put(la, i, k, a[i][k]);
	} else {
		a_to_registers(t);
	}
	if (t->sparse)
		metadata(t, META);
	for (unsigned j = 0; j < t->n; j++)
		for (unsigned k = 0; k < t->k; k++)
			put(lb, j, k, b[k][j]);
	for (unsigned w = 0; w < WGMMA_WARPS; w++) {
		warps[w] = &warp[w];
		warp[w] = (struct warp){.cta = &cta, .id = w, .exist = FULL_MASK, .live = FULL_MASK};
	}
	for (unsigned w = 0; w < WGMMA_WARPS; w++) {
		struct uop u = {.imm = (int64_t)(uintptr_t)t};
		const uint64_t da = la ? descriptor_of(la) : 0, db = descriptor_of(lb);
		memcpy(frame[w] + DESC_A * ROW_BYTES, &da, 8);
		memcpy(frame[w] + DESC_B * ROW_BYTES, &db, 8);
		*word(w, SCALE, 0) = add ? FULL_MASK : 0;
		fn(frame[w], &u, FULL_MASK, &warp[w]);
	}
	for (unsigned i = 0; i < M; i++)
		for (unsigned j = 0; j < t->n; j++) {
			unsigned shift;
			const uint32_t *at = sum_of(t, i, j, &shift);
			d[i][j] = *at >> shift & (t->d == TENSOR_F16 ? 0xffff : ~0u);
		}
}

// --- what has to come out

static const struct format *format_of(unsigned type)
{
	for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
		if ((unsigned)formats[f].type == type)
			return &formats[f];
	return &f32;
}

static uint32_t float_sum(const struct tensor_wgmma *t, unsigned i, unsigned j, uint32_t c0)
{
	const struct format *fa = format_of(t->a), *fb = format_of(t->b), *fd = format_of(t->d);
	uint32_t row[MAX_K], column[MAX_K], sign = t->negative ? 1u << (tensor_type_bits[t->a] - 1) : 0;
	const unsigned stored = wgmma_stored(t), block = t->rule.block < stored ? t->rule.block : stored;
	for (unsigned k = 0; k < stored; k++)
		row[k] = a[i][k] ^ sign, column[k] = b[place[i][k]][j];
	for (unsigned from = 0; from < stored; from += block)
		c0 = block_of(&t->rule, fa, fb, fd, block, row + from, column + from, 1, c0);
	return c0;
}

static float f32_of(unsigned type, uint32_t v)
{
	switch (type) {
	case TENSOR_F16: return softfp_f16_to_f32((uint16_t)v);
	case TENSOR_BF16: return softfp_bf16_to_f32((uint16_t)v);
	case TENSOR_TF32: return softfp_f32(v >> 13 << 13);
	case TENSOR_E5M2: return softfp_f16_to_f32((uint16_t)(v << 8));
	case TENSOR_F32: return softfp_f32(v);
	default: break;
	}
	const uint32_t m = v & 0x7f;
	const float x = m == 0x7f ? softfp_f32(SOFTFP_NAN32) : softfp_f32(m << 20) * 0x1p120f;
	return v & 0x80 ? -x : x;
}

static uint32_t plain_sum(const struct tensor_wgmma *t, unsigned i, unsigned j, uint32_t c0)
{
	float s = f32_of(t->d, c0);
	for (unsigned k = 0; k < wgmma_stored(t); k++)
		s = (float)softfp_add_odd((double)f32_of(t->a, a[i][k]) * (t->negative ? -1 : 1) * f32_of(t->b, b[place[i][k]][j]), s);
	return t->d == TENSOR_F16 ? softfp_f32_to_f16(softfp_canon_f32(s)) : softfp_bits_f32(softfp_canon_f32(s));
}

static int64_t number(unsigned type, uint32_t v) { return type == TENSOR_S8 ? (int8_t)v : (uint8_t)v; }

static uint32_t int_sum(const struct tensor_wgmma *t, unsigned i, unsigned j, uint32_t c0)
{
	int64_t s = (int32_t)c0;
	for (unsigned k = 0; k < wgmma_stored(t); k++)
		s += number(t->a, a[i][k]) * number(t->b, b[place[i][k]][j]);
	return t->satfinite ? (uint32_t)(s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s) : (uint32_t)s;
}

// --- random products

struct types {
	enum tensor_type of_a, of_b, of_d;
	unsigned k;
};
static const struct types float_types[] = {
	{TENSOR_F16, TENSOR_F16, TENSOR_F32, 16},  {TENSOR_F16, TENSOR_F16, TENSOR_F16, 16},  {TENSOR_BF16, TENSOR_BF16, TENSOR_F32, 16},
	{TENSOR_TF32, TENSOR_TF32, TENSOR_F32, 8}, {TENSOR_E4M3, TENSOR_E4M3, TENSOR_F32, 32}, {TENSOR_E4M3, TENSOR_E5M2, TENSOR_F16, 32},
	{TENSOR_E5M2, TENSOR_E4M3, TENSOR_F32, 32}, {TENSOR_E5M2, TENSOR_E5M2, TENSOR_F16, 32},
};
static const struct types int_types[] = {
	{TENSOR_S8, TENSOR_S8, TENSOR_S32, 32}, {TENSOR_S8, TENSOR_U8, TENSOR_S32, 32},
	{TENSOR_U8, TENSOR_S8, TENSOR_S32, 32}, {TENSOR_U8, TENSOR_U8, TENSOR_S32, 32},
};

static void random_places(const struct tensor_wgmma *t)
{
	for (unsigned i = 0; i < M; i++)
		for (unsigned e = 0; e < wgmma_stored(t); e++) {
			if (!t->sparse)
				place[i][e] = (uint8_t)e;
			else if (t->a == TENSOR_TF32)
				place[i][e] = (uint8_t)(2 * e + pick(2));
			else if (e % 2 == 0)
				place[i][e] = (uint8_t)(2 * e + pick(3));
			else
				place[i][e] = (uint8_t)(2 * (e - 1) + (place[i][e - 1] % 4 + 1 + pick(3 - place[i][e - 1] % 4)));
		}
}

static uint32_t random_element(enum tensor_type type, unsigned kind)
{
	if (type == TENSOR_B1)
		return pick(2);
	if (tensor_type_bits[type] == 8 && (type == TENSOR_S8 || type == TENSOR_U8))
		return kind % 3 == 2 ? (pick(2) ? 0xff : 0x80) : pick(256);
	return type == TENSOR_S32 ? pick(1u << 31) * 2 + pick(2) : random_bits(format_of(type), kind);
}

static void random_product(const struct tensor_wgmma *t, unsigned kind)
{
	// Infinities and NaNs only in some places: else nearly all sums are NaN.
	const bool rare = kind % 3 == 2;
	for (unsigned i = 0; i < M; i++)
		for (unsigned k = 0; k < wgmma_stored(t); k++)
			a[i][k] = random_element((enum tensor_type)t->a, rare && i % 8 ? 1 : kind);
	for (unsigned k = 0; k < t->k; k++)
		for (unsigned j = 0; j < t->n; j++)
			b[k][j] = random_element((enum tensor_type)t->b, rare && j % 8 ? 1 : kind);
	for (unsigned i = 0; i < M; i++)
		for (unsigned j = 0; j < t->n; j++)
			c[i][j] = random_element((enum tensor_type)t->d, kind);
	random_places(t);
}

static unsigned any_n(enum tensor_type sum)
{
	static const uint16_t of_s32[] = {8, 16, 24, 32, 48, 64, 80, 112, 128, 176, 240, 256};
	return sum == TENSOR_S32 ? of_s32[pick(sizeof of_s32 / sizeof *of_s32)] : 8 * (1 + pick(pick(3) ? 10 : 32));
}

typedef uint32_t sum_fn(const struct tensor_wgmma *t, unsigned i, unsigned j, uint32_t c0);

static void one(enum exec_level level, const char *key, const struct types *x, bool plain, unsigned kind, sum_fn *want)
{
	const unsigned bits = tensor_type_bits[x->of_a];
	const bool is_int = x->of_d == TENSOR_S32;
	struct tensor_wgmma t = {.a = (uint8_t)x->of_a, .b = (uint8_t)x->of_b, .d = (uint8_t)x->of_d, .n = (uint16_t)any_n(x->of_d)};
	t.sparse = x->of_a != TENSOR_B1 && pick(3) == 0;
	t.k = (uint16_t)(x->k << t.sparse);
	t.selector = t.sparse && bits > 8 ? (uint8_t)pick(2) : 0;
	t.a_shared = pick(2);
	t.mn_a = t.a_shared && bits == 16 && pick(2);
	t.mn_b = bits == 16 && pick(2);
	t.negative = !is_int && pick(3) == 0;
	t.satfinite = is_int && x->of_a != TENSOR_B1 && pick(2);
	t.scale_neg = pick(2);
	t.rule = tensor_rule((struct tensor_numerics){.sm = 90, .plain = plain}, x->of_a);
	const bool predicate = pick(2), add = predicate != t.scale_neg;
	const unsigned wa = 1u << pick(4), wb = 1u << pick(4);
	struct layout la = layout_of(t.mn_a, wa, bits, M, wgmma_stored(&t), 0, wa > 1 ? pick(wa) : 0);
	struct layout lb = layout_of(t.mn_b, wb, bits, t.n, t.k, 32 << 10, wb > 1 ? pick(wb) : 0);
	random_product(&t, kind);
	run(level, key, &t, t.a_shared ? &la : NULL, &lb, predicate);
	for (unsigned i = 0; i < M; i++)
		for (unsigned j = 0; j < t.n; j++) {
			const uint32_t w = want(&t, i, j, add ? c[i][j] : 0);
			if (plain && t.sparse && !(w << 1) && !(d[i][j] << 1))
				continue; // the sign of zero: a sparse sum may have added zeroes
			ck_assert_msg(d[i][j] == w, "level %d %s%s k%u n%u %s x %s -> %s A %s%u B %s%u (%u, %u): %#x, not %#x", level, plain ? "plain " : "",
			              t.sparse ? "sparse" : "", t.k, t.n, tensor_type_text[t.a], tensor_type_text[t.b], tensor_type_text[t.d],
			              t.a_shared ? t.mn_a ? "mn " : "k " : "registers ", wa, t.mn_b ? "mn " : "k ", wb, i, j, d[i][j], w);
		}
}

START_TEST(products_add_up_as_the_generation_does)
{
	for (enum exec_level level = EXEC_PLAIN; level <= exec_best_level(); level++) {
		seed = 7;
		for (unsigned q = 0; q < 120; q++)
			one(level, "wgmma.float", &float_types[q % 8], false, q / 8, float_sum);
	}
}
END_TEST

START_TEST(plain_products_are_fma_after_fma)
{
	for (enum exec_level level = EXEC_PLAIN; level <= exec_best_level(); level++) {
		seed = 9;
		for (unsigned q = 0; q < 80; q++)
			one(level, "wgmma.float", &float_types[q % 8], true, q / 8, plain_sum);
	}
}
END_TEST

START_TEST(integers_wrap_or_are_clamped)
{
	for (enum exec_level level = EXEC_PLAIN; level <= exec_best_level(); level++) {
		seed = 11;
		for (unsigned q = 0; q < 60; q++)
			one(level, "wgmma.int", &int_types[q % 4], false, q / 4, int_sum);
	}
}
END_TEST

START_TEST(single_bits_are_counted)
{
	static const struct types bits = {TENSOR_B1, TENSOR_B1, TENSOR_S32, 256};
	for (enum exec_level level = EXEC_PLAIN; level <= exec_best_level(); level++) {
		seed = 13;
		for (unsigned q = 0; q < 12; q++)
			one(level, "wgmma.bits", &bits, false, q, int_sum);
	}
}
END_TEST

START_TEST(descriptors_tell_where_units_lie)
{
	seed = 15;
	for (unsigned q = 0; q < 400; q++) {
		const unsigned width = 1u << pick(4), mn = 8 * (1 + pick(32));
		const bool mn_major = pick(2);
		const unsigned k = mn_major ? 8 * (1 + pick(4)) : 16;
		const struct layout l = layout_of(mn_major, width, 16, mn, k, 1024 * pick(8), pick(width));
		const struct smem_matrix m = smem_matrix_of(descriptor_of(&l));
		for (unsigned i = 0; i < mn; i++)
			for (unsigned x = 0; x < k; x++) {
				const uint64_t at = bit_of(&l, i, x) / 8;
				const uint32_t have = mn_major ? smem_mn_major(&m, i / 8, x) + i % 8 * 2 : smem_k_major(&m, i, x / 8) + x % 8 * 2;
				ck_assert_uint_eq(at, have);
			}
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("wgmma");
	TCase *t = tcase_create("wgmma");
	tcase_set_timeout(t, 120);
	tcase_add_test(t, products_add_up_as_the_generation_does);
	tcase_add_test(t, plain_products_are_fma_after_fma);
	tcase_add_test(t, integers_wrap_or_are_clamped);
	tcase_add_test(t, single_bits_are_counted);
	tcase_add_test(t, descriptors_tell_where_units_lie);
	suite_add_tcase(s, t);
	return check_main(s);
}
