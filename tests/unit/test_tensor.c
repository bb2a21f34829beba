// Matrix products of the tensor cores against sums in whole numbers, bit by bit, for every generation, type and CPU level.
#include "cuda-sim/exec/tables/find.h"
#include "cuda-sim/exec/warp.h"
#include "cuda-sim/tensor/mma.h"
#include "cuda-sim/tensor/product.h"
#include "tests/unit/tensor_sums.h"

#include <string.h>

enum { ROWS_OF_A = 0, ROWS_OF_B = 8, ROWS_OF_C = 16, ROWS_OF_D = 24, ROW_OF_E = 31, N_ROWS = 32, ROW_BYTES = 256 };

struct matrices {
	uint32_t a[16][64], b[64][8], c[16][8], d[16][8];
};

// --- the body

static _Alignas(64) uint8_t frame[N_ROWS * ROW_BYTES];

static uint32_t *word(unsigned row, unsigned lane) { return (uint32_t *)(frame + row * ROW_BYTES) + lane; }

static unsigned stored(const struct tensor_mma *t) { return t->sparse ? t->k / 2u : t->k; }

// D of the body on the places that mma.h describes, for the lanes of `mask`. A sparse A's metadata are in e, 4 bits for each group.
static void run_lanes(exec_fn *fn, struct tensor_mma *t, struct matrices *m, uint32_t e[16][16], uint32_t mask)
{
	unsigned in = 32u / tensor_type_bits[t->a], halves = t->m / 8u, of_c = t->c == TENSOR_F16 ? 2 : 1, of_d = t->d == TENSOR_F16 ? 2 : 1;
	memset(frame, 0, sizeof frame);
	for (unsigned r = 0; r < MMA_MAX_REGS; r++) {
		t->row_a[r] = (int32_t)(ROWS_OF_A + r) * ROW_BYTES, t->row_b[r] = (int32_t)(ROWS_OF_B + r) * ROW_BYTES;
		t->row_c[r] = (int32_t)(ROWS_OF_C + r) * ROW_BYTES, t->row_d[r] = (int32_t)(ROWS_OF_D + r) * ROW_BYTES;
	}
	t->row_e = ROW_OF_E * ROW_BYTES;
	for (unsigned i = 0; i < t->m; i++)
		for (unsigned k = 0; k < stored(t); k++)
			*word(ROWS_OF_A + k / (4 * in) * halves + i / 8, i % 8 * 4 + k / in % 4) |= m->a[i][k] << (k % in * tensor_type_bits[t->a]);
	for (unsigned k = 0; k < t->k; k++)
		for (unsigned j = 0; j < 8; j++)
			*word(ROWS_OF_B + k / (4 * in), j * 4 + k / in % 4) |= m->b[k][j] << (k % in * tensor_type_bits[t->b]);
	for (unsigned i = 0; i < t->m; i++)
		for (unsigned j = 0; j < 8; j++)
			*word(ROWS_OF_C + (of_c == 2 ? i / 8 : i / 8 * 2 + j % 2), i % 8 * 4 + j / 2) |= m->c[i][j] << (of_c == 2 ? j % 2 * 16 : 0);
	for (unsigned i = 0; e && i < t->m; i++)
		for (unsigned g = 0; g < t->k * tensor_type_bits[t->a] / (tensor_type_bits[t->a] > 8 ? 64u : 32u); g++) {
			unsigned shift, lane = tensor_metadata((enum tensor_type)t->a, t->k, t->selector, i, g, &shift);
			*word(ROW_OF_E, lane) |= e[i][g] << shift;
		}
	for (unsigned r = 0; r < 4; r++)
		for (unsigned i = 0; i < WARP; i++)
			if (!(mask >> i & 1))
				*word(ROWS_OF_D + r, i) = 0xabababab;
	struct uop u = {.imm = (int64_t)(uintptr_t)t};
	fn(frame, &u, mask, NULL);
	for (unsigned i = 0; i < t->m; i++)
		for (unsigned j = 0; j < 8; j++) {
			uint32_t w = *word(ROWS_OF_D + (of_d == 2 ? i / 8 : i / 8 * 2 + j % 2), i % 8 * 4 + j / 2);
			m->d[i][j] = of_d == 2 ? w >> (j % 2 * 16) & 0xffff : w;
		}
}

static void run(exec_fn *fn, struct tensor_mma *t, struct matrices *m) { run_lanes(fn, t, m, NULL, FULL_MASK); }

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
				struct tensor_mma t = {.m = 16, .n = 8, .k = (uint16_t)k, .a = (uint8_t)f->type, .b = (uint8_t)f->type,
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
							want = block_of(&t.rule, f, f, c, block, m.a[i] + from, &m.b[from][j], 8, want);
						ck_assert_msg(m.d[i][j] == want, "level %d sm_%u %s -> %s (%u, %u): %#x, not %#x", level, capability[s],
						              tensor_type_text[f->type], tensor_type_text[c->type], i, j, m.d[i][j], want);
					}
			}
	}
}
END_TEST

// --- other forms: short and sparse ones, two types of factors, sums of one type that become another, fma after fma, some of the lanes

static const struct form {
	uint8_t a, b, c, d; // enum tensor_type
	uint8_t k;
	bool sparse;
} forms[] = {
#define OF(name) (TENSOR_##name)
	{OF(F16), OF(F16), OF(F32), OF(F32), 8, false},   {OF(F16), OF(F16), OF(F16), OF(F16), 8, false},   {OF(F16), OF(F16), OF(F32), OF(F16), 16, false},
	{OF(F16), OF(F16), OF(F16), OF(F32), 16, false},  {OF(F16), OF(F16), OF(F32), OF(F32), 16, false},  {OF(F16), OF(F16), OF(F16), OF(F16), 16, false},
	{OF(BF16), OF(BF16), OF(F32), OF(F32), 8, false}, {OF(BF16), OF(BF16), OF(F32), OF(F32), 16, false}, {OF(TF32), OF(TF32), OF(F32), OF(F32), 4, false},
	{OF(TF32), OF(TF32), OF(F32), OF(F32), 8, false}, {OF(E4M3), OF(E5M2), OF(F32), OF(F32), 32, false}, {OF(E5M2), OF(E4M3), OF(F16), OF(F16), 16, false},
	{OF(E5M2), OF(E5M2), OF(F32), OF(F32), 32, false},
	{OF(F16), OF(F16), OF(F32), OF(F32), 16, true},   {OF(F16), OF(F16), OF(F16), OF(F16), 32, true},   {OF(BF16), OF(BF16), OF(F32), OF(F32), 32, true},
	{OF(TF32), OF(TF32), OF(F32), OF(F32), 16, true}, {OF(E5M2), OF(E4M3), OF(F32), OF(F32), 64, true},
};

static const struct format *format_of(unsigned type)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (formats[i].type == type)
			return &formats[i];
	return &f32;
}

static float value_of(const struct format *f, uint32_t bits)
{
	float v;
	tensor_values(f->type, &bits, 1, &v);
	return f->type == TENSOR_F32 ? softfp_f32(bits) : v;
}

// Fills the matrices with numbers, and the metadata with places; row[i][s]: the row of B that stored element s of row i goes with.
static void fill(const struct tensor_mma *t, struct matrices *m, uint32_t e[16][16], unsigned row[16][64], unsigned kind)
{
	static const uint8_t pairs[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
	for (unsigned i = 0; i < 16; i++)
		for (unsigned x = 0; x < stored(t); x++) {
			m->a[i][x] = random_bits(format_of(t->a), kind);
			const unsigned group = t->a == TENSOR_TF32 ? x : x / 2;
			if (t->a == TENSOR_TF32 || x % 2 == 0) {
				const unsigned p = pick(t->a == TENSOR_TF32 ? 2 : 6);
				e[i][group] = t->a == TENSOR_TF32 ? (p ? 0xe : 0x4) : pairs[p][0] | (uint32_t)pairs[p][1] << 2;
			}
			row[i][x] = !t->sparse ? x : t->a == TENSOR_TF32 ? 2 * x + (e[i][group] == 0xe) : 4 * group + (e[i][group] >> x % 2 * 2 & 3);
		}
	for (unsigned x = 0; x < t->k; x++)
		for (unsigned j = 0; j < 8; j++)
			m->b[x][j] = random_bits(format_of(t->b), kind);
	for (unsigned i = 0; i < 16; i++)
		for (unsigned j = 0; j < 8; j++)
			m->c[i][j] = random_bits(format_of(t->c), kind);
}

static uint32_t expected(const struct tensor_mma *t, const struct matrices *m, const unsigned row[16][64], unsigned i, unsigned j)
{
	const struct format *a = format_of(t->a), *b = format_of(t->b), *c = format_of(t->c);
	const unsigned n = stored(t), block = !t->rule.plain && t->rule.block < n ? t->rule.block : n;
	uint32_t column[64], sum = m->c[i][j];
	for (unsigned x = 0; x < n; x++)
		column[x] = m->b[row[i][x]][j];
	if (t->c == TENSOR_F16 && (t->d != TENSOR_F16 || t->rule.plain))
		sum = softfp_bits_f32(softfp_f16_to_f32((uint16_t)sum)), c = &f32;
	for (unsigned x = 0; x < n && t->rule.plain; x++)
		sum = softfp_bits_f32(softfp_canon_f32(tensor_fma(value_of(a, m->a[i][x]), value_of(b, column[x]), softfp_f32(sum))));
	for (unsigned from = 0; from < n && !t->rule.plain; from += block)
		sum = block_of(&t->rule, a, b, c, block, m->a[i] + from, column + from, 1, sum);
	return t->d == TENSOR_F16 && c == &f32 ? softfp_f32_to_f16(softfp_f32(sum)) : sum;
}

START_TEST(other_forms_add_up_likewise)
{
	static const uint16_t capability[] = {75, 80, 90};
	seed = 6;
	for (enum exec_level level = EXEC_PLAIN; level <= exec_best_level(); level++)
		for (size_t n = 0; n < sizeof forms / sizeof *forms; n++)
			for (unsigned q = 0; q < 4 * 12; q++) {
				const struct form *f = &forms[n];
				struct tensor_mma t = {.m = 16, .n = 8, .k = f->k, .a = f->a, .b = f->b, .c = f->c, .d = f->d, .sparse = f->sparse};
				t.rule = tensor_rule((struct tensor_numerics){.sm = capability[q % 4 % 3], .plain = q % 4 == 3}, (enum tensor_type)f->a);
				t.selector = (uint8_t)(q % tensor_selectors((enum tensor_type)f->a, f->k));
				struct matrices m;
				uint32_t e[16][16];
				unsigned row[16][64];
				const uint32_t mask = q % 3 ? FULL_MASK : 0x9ff3a65c;
				fill(&t, &m, e, row, q / 4);
				run_lanes(exec_find_at(level, f->sparse ? "tensor.sparse.float" : "tensor.float"), &t, &m, f->sparse ? e : NULL, mask);
				for (unsigned i = 0; i < 16; i++)
					for (unsigned j = 0; j < 8; j++) {
						const bool here = mask >> (i % 8 * 4 + j / 2) & 1;
						const uint32_t want = here ? expected(&t, &m, row, i, j) : t.d == TENSOR_F16 ? 0xabab : 0xabababab;
						ck_assert_msg(m.d[i][j] == want, "level %d form %zu times %u (%u, %u): %#x, not %#x", level, n, q, i, j, m.d[i][j], want);
					}
			}
}
END_TEST

// 8-bit floats where there is no QMMA: as halves, the lower two of every four first, from 0; C last.
START_TEST(eight_bits_are_halves_without_their_own_instruction)
{
	static const struct form of[] = {
		{OF(E4M3), OF(E5M2), OF(F32), OF(F32), 32, false}, {OF(E5M2), OF(E4M3), OF(F16), OF(F16), 32, false},
		{OF(E5M2), OF(E5M2), OF(F32), OF(F32), 16, false}, {OF(E4M3), OF(E4M3), OF(F16), OF(F16), 16, false},
		{OF(E4M3), OF(E5M2), OF(F32), OF(F32), 64, true},  {OF(E5M2), OF(E4M3), OF(F32), OF(F32), 64, true},
	};
	seed = 7;
	for (enum exec_level level = EXEC_PLAIN; level <= exec_best_level(); level++)
		for (size_t n = 0; n < sizeof of / sizeof *of; n++)
			for (unsigned q = 0; q < 24; q++) {
				const struct tensor_numerics whose = {.sm = 90};
				ck_assert(tensor_by_halves(whose, (enum tensor_type)of[n].a));
				struct tensor_mma t = {.m = 16, .n = 8, .k = of[n].k, .a = of[n].a, .b = of[n].b, .c = of[n].c, .d = of[n].d,
				                       .sparse = of[n].sparse, .by_halves = true, .rule = tensor_rule(whose, TENSOR_F16)};
				const unsigned part = stored(&t) / 2;
				struct matrices m;
				uint32_t e[16][16];
				unsigned row[16][64];
				fill(&t, &m, e, row, q);
				run_lanes(exec_find_at(level, t.sparse ? "tensor.sparse.float" : "tensor.float"), &t, &m, t.sparse ? e : NULL, FULL_MASK);
				for (unsigned i = 0; i < 16; i++)
					for (unsigned j = 0; j < 8; j++) {
						uint32_t sum = 0;
						for (unsigned upper = 0; upper < 2; upper++) {
							uint32_t a[16], b[16];
							for (unsigned x = 0; x < part; x++) {
								const unsigned at = x / 2 * 4 + 2 * upper + x % 2;
								a[x] = softfp_f32_to_f16(value_of(format_of(t.a), m.a[i][at]));
								b[x] = softfp_f32_to_f16(value_of(format_of(t.b), m.b[row[i][at]][j]));
							}
							sum = block_of(&t.rule, format_of(TENSOR_F16), format_of(TENSOR_F16), format_of(t.d), part, a, b, 1, sum);
						}
						const uint32_t c = m.c[i][j];
						const uint32_t want = t.d == TENSOR_F16 ? softfp_add_f16((uint16_t)c, (uint16_t)sum)
						                                        : softfp_bits_f32(softfp_canon_f32(softfp_f32(c) + softfp_f32(sum)));
						ck_assert_msg(m.d[i][j] == want, "level %d form %zu times %u (%u, %u): %#x, not %#x", level, n, q, i, j, m.d[i][j], want);
					}
			}
	for (unsigned sm = 70; sm <= 120; sm += 5)
		ck_assert_int_eq(tensor_by_halves((struct tensor_numerics){.sm = (uint16_t)sm}, TENSOR_E5M2), sm >= 90 && sm < 120);
	ck_assert(!tensor_by_halves((struct tensor_numerics){.sm = 90}, TENSOR_BF16));
	ck_assert(!tensor_by_halves((struct tensor_numerics){.sm = 90, .plain = true}, TENSOR_E4M3));
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

// --- whole numbers, and doubles

static int64_t whole(unsigned type, uint32_t bits)
{
	const unsigned up = 64 - tensor_type_bits[type];
	return type == TENSOR_S8 || type == TENSOR_S4 ? (int64_t)((uint64_t)bits << up) >> up : bits;
}

START_TEST(whole_numbers_add_up)
{
	static const uint8_t types[] = {TENSOR_S8, TENSOR_U8, TENSOR_S4, TENSOR_U4};
	seed = 8;
	for (enum exec_level level = EXEC_PLAIN; level <= exec_best_level(); level++)
		for (unsigned q = 0; q < 8 * 2 * 2 * 2 * 6; q++) {
			const unsigned wide = q % 2, a = types[2 * wide + q / 2 % 2], b = types[2 * wide + q / 4 % 2], bits = tensor_type_bits[a];
			struct tensor_mma t = {.m = q / 8 % 2 ? 8 : 16, .n = 8, .k = (uint16_t)((q / 8 % 4 == 2 ? 256 : 128) / bits),
			                       .a = (uint8_t)a, .b = (uint8_t)b, .c = TENSOR_S32, .d = TENSOR_S32, .satfinite = q / 32 % 2};
			const uint32_t mask = q % 3 ? FULL_MASK : 0x9ff3a65c;
			struct matrices m;
			for (unsigned i = 0; i < 16; i++)
				for (unsigned x = 0; x < t.k; x++)
					m.a[i][x] = q / 64 % 2 ? pick(1u << bits) : (1u << bits) - 1 - pick(2);
			for (unsigned x = 0; x < t.k; x++)
				for (unsigned j = 0; j < 8; j++)
					m.b[x][j] = q / 64 % 2 ? pick(1u << bits) : 1u << (bits - 1);
			for (unsigned i = 0; i < 16; i++)
				for (unsigned j = 0; j < 8; j++)
					m.c[i][j] = q / 128 ? 0x7fffff00u + pick(512) : pick(1u << 31);
			run_lanes(exec_find_at(level, "tensor.int"), &t, &m, NULL, mask);
			for (unsigned i = 0; i < t.m; i++)
				for (unsigned j = 0; j < 8; j++) {
					int64_t sum = (int32_t)m.c[i][j];
					for (unsigned x = 0; x < t.k; x++)
						sum += whole(a, m.a[i][x]) * whole(b, m.b[x][j]);
					if (t.satfinite)
						sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
					const uint32_t want = mask >> (i % 8 * 4 + j / 2) & 1 ? (uint32_t)sum : 0xabababab;
					ck_assert_msg(m.d[i][j] == want, "level %d times %u %s %s k %u (%u, %u): %#x, not %#x", level, q, tensor_type_text[a],
					              tensor_type_text[b], t.k, i, j, m.d[i][j], want);
				}
		}
}
END_TEST

// Mostly of like size, so that sums are rounded; now and then of any.
static double random_double(void)
{
	const uint64_t bits = (uint64_t)pick(1u << 31) << 33 | (uint64_t)pick(1u << 31) << 2 | pick(4);
	return softfp_f64(pick(24) ? (bits & 0x800fffffffffffff) | (uint64_t)(1015 + pick(16)) << 52 : bits);
}

START_TEST(doubles_add_up_fma_after_fma)
{
	static const uint8_t modes[] = {ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP};
	seed = 9;
	for (enum exec_level level = EXEC_PLAIN; level <= exec_best_level(); level++)
		for (unsigned q = 0; q < 4 * 4 * 16; q++) {
			const unsigned k = q / 4 % 4 == 3 ? 16 : q / 4 % 4 == 2 ? 8 : 4, m = q / 4 % 4 ? 16 : 8, halves = m / 8;
			struct tensor_mma t = {.m = (uint16_t)m, .n = 8, .k = (uint16_t)k, .a = TENSOR_F64, .b = TENSOR_F64, .c = TENSOR_F64, .d = TENSOR_F64,
			                       .rnd = modes[q % 4]};
			double a[16][16], b[16][8], c[16][8];
			double (*row)[WARP] = (double (*)[WARP])frame;
			memset(frame, 0, sizeof frame);
			for (unsigned r = 0; r < 8; r++) {
				t.row_a[r] = (int32_t)((ROWS_OF_A + r) * ROW_BYTES), t.row_b[r] = (int32_t)((ROWS_OF_B + r) * ROW_BYTES);
				t.row_c[r] = (int32_t)((ROWS_OF_C + r) * ROW_BYTES), t.row_d[r] = (int32_t)((ROWS_OF_D + r) * ROW_BYTES);
			}
			for (unsigned i = 0; i < m; i++)
				for (unsigned x = 0; x < k; x++)
					row[ROWS_OF_A + i / 8 + x / 4 * halves][i % 8 * 4 + x % 4] = a[i][x] = random_double();
			for (unsigned x = 0; x < k; x++)
				for (unsigned j = 0; j < 8; j++)
					row[ROWS_OF_B + x / 4][j * 4 + x % 4] = b[x][j] = random_double();
			for (unsigned i = 0; i < m; i++)
				for (unsigned j = 0; j < 8; j++)
					row[ROWS_OF_C + i / 8 * 2 + j % 2][i % 8 * 4 + j / 2] = c[i][j] = random_double();
			struct uop u = {.imm = (int64_t)(uintptr_t)&t};
			exec_find_at(level, "tensor.f64")(frame, &u, FULL_MASK, NULL);
			for (unsigned i = 0; i < m; i++)
				for (unsigned j = 0; j < 8; j++) {
					double want = c[i][j];
					for (unsigned x = 0; x < k; x++)
						want = softfp_canon_f64(softfp_fma_f64(a[i][x], b[x][j], want, (enum rounding)t.rnd));
					const uint64_t bits = softfp_bits_f64(row[ROWS_OF_D + i / 8 * 2 + j % 2][i % 8 * 4 + j / 2]);
					ck_assert_msg(bits == softfp_bits_f64(want), "level %d m %u k %u mode %u (%u, %u): %a, not %a", level, m, k, t.rnd, i, j,
					              softfp_f64(bits), want);
				}
		}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("tensor");
	TCase *t = tcase_create("tensor");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, products_add_up_as_the_generation_does);
	tcase_add_test(t, other_forms_add_up_likewise);
	tcase_add_test(t, eight_bits_are_halves_without_their_own_instruction);
	tcase_add_test(t, small_terms_stay_as_the_studies_show);
	tcase_add_test(t, whole_numbers_add_up);
	tcase_add_test(t, doubles_add_up_fma_after_fma);
	suite_add_tcase(s, t);
	return check_main(s);
}
