// Matrix products of the tensor cores against sums in whole numbers, bit by bit, for every generation, type and CPU level.
#include "cuda-sim/exec/tables/find.h"
#include "cuda-sim/exec/warp.h"
#include "cuda-sim/numbers/softfp.h"
#include "cuda-sim/tensor/mma.h"
#include "tests/unit/random.h"

#include <string.h>

enum { ROWS_OF_A = 0, ROWS_OF_B = 8, ROWS_OF_C = 16, ROWS_OF_D = 24, N_ROWS = 32, ROW_BYTES = 256 };

struct matrices {
	uint32_t a[16][64], b[64][8], c[16][8], d[16][8];
};

static const struct format {
	enum tensor_type type;
	unsigned exponent, mantissa, unused; // `unused` low bits are not looked at
} formats[] = {
	{TENSOR_F16, 5, 10, 0}, {TENSOR_BF16, 8, 7, 0}, {TENSOR_TF32, 8, 10, 13}, {TENSOR_E4M3, 4, 3, 0}, {TENSOR_E5M2, 5, 2, 0},
};
static const struct format f32 = {TENSOR_F32, 8, 23, 0};

// --- the reference

enum kind { NUMBER, INFINITE, NAN_OF };

struct number {
	enum kind kind;
	bool negative;
	int64_t sig; // with `mantissa` bits behind the point
	int exp;
};

static struct number number_of(const struct format *f, uint32_t bits)
{
	bits >>= f->unused;
	unsigned max = (1u << f->exponent) - 1, e = bits >> f->mantissa & max, m = bits & ((1u << f->mantissa) - 1);
	struct number n = {NUMBER, bits >> (f->exponent + f->mantissa) & 1, m, (int)(e ? e : 1) - (int)(max / 2)};
	bool finite = f->type == TENSOR_E4M3;
	if (e == max && (!finite || m == (1u << f->mantissa) - 1))
		n.kind = finite || m ? NAN_OF : INFINITE;
	if (e)
		n.sig |= 1 << f->mantissa;
	return n;
}

struct term {
	__int128 sig;
	int exp, bits; // sig * 2^(exp - bits)
};

// `sum` * 2^exp cut to an f32 of `kept` fraction bits.
static uint32_t cut_f32(__int128 sum, int exp, int kept)
{
	bool negative = sum < 0;
	unsigned __int128 mag = negative ? -(unsigned __int128)sum : (unsigned __int128)sum;
	int top = -1;
	for (int i = 0; i < 127; i++)
		if (mag >> i & 1)
			top = i;
	if (top < 0)
		return 0;
	int e = top + exp < -126 ? -126 : top + exp, drop = e - kept - exp;
	uint32_t m = (uint32_t)(drop > 126 ? 0 : drop >= 0 ? mag >> drop : mag << -drop) << (23 - kept);
	if (e > 127)
		return negative ? 0xff800000 : 0x7f800000;
	m = m >> 23 ? m - (1u << 23) + ((uint32_t)(e + 127) << 23) : m;
	return m || !negative ? m | (uint32_t)negative << 31 : 0x80000000;
}

static uint32_t nearest_f16(__int128 sum, int exp)
{
	bool negative = sum < 0;
	unsigned __int128 mag = negative ? -(unsigned __int128)sum : (unsigned __int128)sum;
	int top = -1;
	for (int i = 0; i < 127; i++)
		if (mag >> i & 1)
			top = i;
	if (top < 0)
		return 0;
	int e = top + exp < -14 ? -14 : top + exp, drop = e - 10 - exp;
	unsigned __int128 m = drop > 126 ? 0 : drop > 0 ? mag >> drop : mag << -drop;
	if (drop > 0 && drop <= 126) {
		unsigned __int128 rest = mag & (((unsigned __int128)1 << drop) - 1), half = (unsigned __int128)1 << (drop - 1);
		m += rest > half || (rest == half && m & 1);
	}
	uint32_t bits = m >> 10 ? (uint32_t)m - (1u << 10) + ((uint32_t)(e + 15) << 10) : (uint32_t)m;
	return (bits > 0x7c00 ? 0x7c00 : bits) | (uint32_t)negative << 15;
}

static uint32_t block_of(const struct tensor_rule *r, const struct format *fa, const struct format *fb, const struct format *fc, unsigned len,
                         const uint32_t *a, const uint32_t (*b)[8], unsigned j, uint32_t c)
{
	struct term term[40];
	struct number nc = number_of(fc, c);
	bool nan = nc.kind == NAN_OF, plus = nc.kind == INFINITE && !nc.negative, minus = nc.kind == INFINITE && nc.negative;
	int largest = nc.sig ? nc.exp : -126;
	term[len] = (struct term){nc.negative ? -nc.sig : nc.sig, largest, (int)fc->mantissa};
	for (unsigned k = 0; k < len; k++) {
		struct number x = number_of(fa, a[k]), y = number_of(fb, b[k][j]);
		bool negative = x.negative != y.negative, whole = x.kind == INFINITE || y.kind == INFINITE;
		nan |= x.kind == NAN_OF || y.kind == NAN_OF || (whole && (!x.sig || !y.sig));
		plus |= whole && !negative;
		minus |= whole && negative;
		term[k] = (struct term){(__int128)x.sig * y.sig * (negative ? -1 : 1), x.exp + y.exp, (int)(fa->mantissa + fb->mantissa)};
		if (term[k].sig && term[k].exp > largest)
			largest = term[k].exp;
	}
	if (nan || (plus && minus))
		return fc->type == TENSOR_F32 ? SOFTFP_NAN32 : SOFTFP_NAN16;
	if (plus || minus)
		return fc->type == TENSOR_F32 ? (plus ? 0x7f800000 : 0xff800000) : plus ? 0x7c00 : 0xfc00;
	__int128 sum = 0;
	for (unsigned k = 0; k <= len; k++) {
		int drop = term[k].bits + largest - term[k].exp - r->fraction;
		__int128 mag = term[k].sig < 0 ? -term[k].sig : term[k].sig;
		mag = drop > 126 ? 0 : drop >= 0 ? mag >> drop : mag << -drop;
		sum += term[k].sig < 0 ? -mag : mag;
	}
	return fc->type == TENSOR_F32 ? cut_f32(sum, largest - r->fraction, r->kept) : nearest_f16(sum, largest - r->fraction);
}

// --- the body

static _Alignas(64) uint8_t frame[N_ROWS * ROW_BYTES];

static uint32_t *word(unsigned row, unsigned lane) { return (uint32_t *)(frame + row * ROW_BYTES) + lane; }

// D of the body for `key` on the places that mma.h describes.
static void run(exec_fn *fn, struct tensor_mma *t, struct matrices *m)
{
	unsigned in = 32u / tensor_type_bits[t->a], halves = t->m / 8u, of_half = t->d == TENSOR_F16 ? 2 : 1;
	memset(frame, 0, sizeof frame);
	for (unsigned r = 0; r < MMA_MAX_REGS; r++) {
		t->row_a[r] = (int32_t)(ROWS_OF_A + r) * ROW_BYTES, t->row_b[r] = (int32_t)(ROWS_OF_B + r) * ROW_BYTES;
		t->row_c[r] = (int32_t)(ROWS_OF_C + r) * ROW_BYTES, t->row_d[r] = (int32_t)(ROWS_OF_D + r) * ROW_BYTES;
	}
	for (unsigned i = 0; i < t->m; i++)
		for (unsigned k = 0; k < t->k; k++)
			*word(ROWS_OF_A + k / (4 * in) * halves + i / 8, i % 8 * 4 + k / in % 4) |= m->a[i][k] << (k % in * tensor_type_bits[t->a]);
	for (unsigned k = 0; k < t->k; k++)
		for (unsigned j = 0; j < 8; j++)
			*word(ROWS_OF_B + k / (4 * in), j * 4 + k / in % 4) |= m->b[k][j] << (k % in * tensor_type_bits[t->b]);
	for (unsigned i = 0; i < t->m; i++)
		for (unsigned j = 0; j < 8; j++)
			*word(ROWS_OF_C + (of_half == 2 ? i / 8 : i / 8 * 2 + j % 2), i % 8 * 4 + j / 2) |= m->c[i][j] << (of_half == 2 ? j % 2 * 16 : 0);
	struct uop u = {.imm = (int64_t)(uintptr_t)t};
	fn(frame, &u, FULL_MASK, NULL);
	for (unsigned i = 0; i < t->m; i++)
		for (unsigned j = 0; j < 8; j++) {
			uint32_t w = *word(ROWS_OF_D + (of_half == 2 ? i / 8 : i / 8 * 2 + j % 2), i % 8 * 4 + j / 2);
			m->d[i][j] = of_half == 2 ? w >> (j % 2 * 16) & 0xffff : w;
		}
}

// A number of the format: of any exponent, near 1, or a special one.
static uint32_t random_bits(const struct format *f, unsigned kind)
{
	unsigned max = (1u << f->exponent) - 1, e = pick(max + 1), m = pick(1u << f->mantissa);
	if (kind % 3 == 0)
		e = max / 2 - 3 + pick(6);
	else if (kind % 3 == 1 && e == max)
		e--;
	if (pick(16) == 0)
		e = 0, m = pick(2) ? m : 0;
	uint32_t bits = (uint32_t)pick(2) << (f->exponent + f->mantissa) | e << f->mantissa | m;
	return f->unused ? bits << f->unused | pick(1u << f->unused) : bits;
}

START_TEST(products_add_up_as_the_generation_does)
{
	static const uint16_t capability[] = {70, 75, 80, 86, 89, 90, 100, 120};
	seed = 5;
	for (enum exec_level level = EXEC_PLAIN; level <= exec_best_level(); level++) {
		exec_fn *fn = exec_find_at(level, "tensor.float");
		ck_assert_ptr_nonnull(fn);
		for (size_t s = 0; s < sizeof capability / sizeof *capability; s++)
			for (size_t q = 0; q < 5 * 2 * 12; q++) {
				const struct format *f = &formats[q % 5], *c = q / 5 % 2 ? &formats[0] : &f32;
				if (c->type == TENSOR_F16 && (f->type == TENSOR_BF16 || f->type == TENSOR_TF32))
					continue;
				unsigned k = f->type == TENSOR_TF32 ? 8 : tensor_type_bits[f->type] == 8 ? 32 : 16;
				struct tensor_mma t = {.m = 16, .n = 8, .k = (uint8_t)k, .a = (uint8_t)f->type, .b = (uint8_t)f->type,
				                       .c = (uint8_t)c->type, .d = (uint8_t)c->type,
				                       .rule = tensor_rule((struct tensor_numerics){.sm = capability[s]}, f->type)};
				struct matrices m;
				for (unsigned i = 0; i < 16; i++)
					for (unsigned x = 0; x < k; x++)
						m.a[i][x] = random_bits(f, (unsigned)q / 10);
				for (unsigned x = 0; x < k; x++)
					for (unsigned j = 0; j < 8; j++)
						m.b[x][j] = random_bits(f, (unsigned)q / 10);
				for (unsigned i = 0; i < 16; i++)
					for (unsigned j = 0; j < 8; j++)
						m.c[i][j] = random_bits(c, (unsigned)q / 10);
				run(fn, &t, &m);
				unsigned block = t.rule.block < k ? t.rule.block : k;
				for (unsigned i = 0; i < 16; i++)
					for (unsigned j = 0; j < 8; j++) {
						uint32_t want = m.c[i][j];
						for (unsigned from = 0; from < k; from += block)
							want = block_of(&t.rule, f, f, c, block, m.a[i] + from, m.b + from, j, want);
						ck_assert_msg(m.d[i][j] == want, "level %d sm_%u %s -> %s (%u, %u): %#x, not %#x", level, capability[s],
						              tensor_type_text[f->type], tensor_type_text[c->type], i, j, m.d[i][j], want);
					}
			}
	}
}
END_TEST

// What the studies show on each generation: how much of small terms beside a large one stays.
START_TEST(small_terms_stay_as_the_studies_show)
{
	// 1 + four products of 2^-24: below the last place of 1, half of it together with one bit more.
	static const struct { uint16_t sm; uint32_t want; } rows[] = {{70, 0x3f800000}, {75, 0x3f800002}, {80, 0x3f800002}, {90, 0x3f800002}};
	for (size_t s = 0; s < sizeof rows / sizeof *rows; s++) {
		struct tensor_mma t = {.m = 16, .n = 8, .k = 8, .a = TENSOR_F16, .b = TENSOR_F16, .c = TENSOR_F32, .d = TENSOR_F32,
		                       .rule = tensor_rule((struct tensor_numerics){.sm = rows[s].sm}, TENSOR_F16)};
		struct matrices m = {0};
		for (unsigned k = 0; k < 4; k++)
			m.a[3][k] = 0x0c00 /* 2^-12 */, m.b[k][2] = 0x0c00;
		m.c[3][2] = 0x3f800000;
		run(exec_find("tensor.float"), &t, &m);
		ck_assert_msg(m.d[3][2] == rows[s].want, "sm_%u: %#x", rows[s].sm, m.d[3][2]);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("tensor");
	TCase *t = tcase_create("tensor");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, products_add_up_as_the_generation_does);
	tcase_add_test(t, small_terms_stay_as_the_studies_show);
	suite_add_tcase(s, t);
	return check_main(s);
}
