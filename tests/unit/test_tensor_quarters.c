// The 8 x 8 x 4 products of quarters of a warp against sums in whole numbers, bit by bit: each layout, type of sums, step and CPU level.
#include "cuda-sim/exec/tables/find.h"
#include "cuda-sim/exec/warp.h"
#include "cuda-sim/tensor/mma.h"
#include "cuda-sim/tensor/product.h"
#include "tests/unit/tensor_sums.h"

#include <string.h>

enum { SIDE = 8, DEPTH = 4, QUARTERS = 4, ROWS_OF_A = 0, ROWS_OF_B = 2, ROWS_OF_C = 4, ROWS_OF_D = 12, N_ROWS = 20 };

#define UNTOUCHED 0xabababab

static _Alignas(64) uint32_t frame[N_ROWS][WARP];

// Of one quarter. Numbers are halves, sums of their type.
struct matrices {
	uint32_t a[SIDE][DEPTH], b[DEPTH][SIDE], c[SIDE][SIDE];
};

// The lane of quarter q that mma.h calls r.
static unsigned lane_of(unsigned q, unsigned r) { return 4 * q + r % 4 + (r < 4 ? 0 : 16); }

static void put(unsigned row, unsigned lane, bool half, unsigned n, uint32_t bits)
{
	if (half)
		frame[row + n / 2][lane] |= bits << n % 2 * 16;
	else
		frame[row + n][lane] = bits;
}

// Number n of lane r has this place in C and D.
static void sum_at(bool half, unsigned r, unsigned n, unsigned *i, unsigned *j)
{
	*i = half ? r : (r & 1) + (n & 2) + r / 4 * 4;
	*j = half ? n : (n & 4) + (r & 2) + (n & 1);
}

static void place(const struct tensor_mma *t, unsigned q, const struct matrices *m)
{
	for (unsigned r = 0; r < SIDE; r++) {
		for (unsigned n = 0; n < DEPTH; n++) {
			put(ROWS_OF_A, lane_of(q, r), true, n, t->a_column ? m->a[n + r / 4 * 4][r % 4] : m->a[r][n]);
			put(ROWS_OF_B, lane_of(q, r), true, n, t->b_row ? m->b[r % 4][n + r / 4 * 4] : m->b[n][r]);
		}
		for (unsigned n = 0; n < SIDE; n++) {
			unsigned i, j;
			sum_at(t->c == TENSOR_F16, r, n, &i, &j);
			put(ROWS_OF_C, lane_of(q, r), t->c == TENSOR_F16, n, m->c[i][j]);
		}
	}
}

static uint32_t expected(const struct tensor_mma *t, const struct matrices *m, unsigned i, unsigned j)
{
	uint32_t column[DEPTH], sum = m->c[i][j];
	for (unsigned k = 0; k < DEPTH; k++)
		column[k] = m->b[k][j];
	const bool half = t->c == TENSOR_F16 && t->d == TENSOR_F16;
	if (t->c == TENSOR_F16 && !half)
		sum = softfp_bits_f32(softfp_f16_to_f32((uint16_t)sum));
	const uint32_t bits = block_of(&t->rule, &formats[0], &formats[0], half ? &formats[0] : &f32, DEPTH, m->a[i], column, 1, sum);
	const uint32_t infinity = half ? 0x7c00 : 0x7f800000, sign = half ? 0x8000 : 0x80000000, magnitude = bits & ~sign;
	if (!t->satfinite || magnitude < infinity)
		return bits;
	return magnitude > infinity ? 0 : (bits & sign) | (infinity - 1);
}

static void check(enum exec_level level, struct tensor_mma *t, unsigned kind, uint32_t mask)
{
	struct matrices m[QUARTERS];
	const bool half = t->d == TENSOR_F16;
	memset(frame, 0, sizeof frame);
	for (unsigned r = 0; r < SIDE; r++) {
		t->row_a[r % 2] = (int32_t)((ROWS_OF_A + r % 2) * sizeof *frame), t->row_b[r % 2] = (int32_t)((ROWS_OF_B + r % 2) * sizeof *frame);
		t->row_c[r] = (int32_t)((ROWS_OF_C + r) * sizeof *frame), t->row_d[r] = (int32_t)((ROWS_OF_D + r) * sizeof *frame);
		for (unsigned i = 0; i < WARP; i++)
			frame[ROWS_OF_D + r][i] = UNTOUCHED;
	}
	for (unsigned q = 0; q < QUARTERS; q++) {
		for (unsigned i = 0; i < SIDE * DEPTH; i++) {
			m[q].a[i / DEPTH][i % DEPTH] = random_bits(&formats[0], kind);
			m[q].b[i % DEPTH][i / DEPTH] = random_bits(&formats[0], kind);
		}
		for (unsigned i = 0; i < SIDE * SIDE; i++)
			m[q].c[i / SIDE][i % SIDE] = random_bits(t->c == TENSOR_F16 ? &formats[0] : &f32, kind);
		place(t, q, &m[q]);
	}
	struct uop u = {.imm = (int64_t)(uintptr_t)t};
	exec_find_at(level, "tensor.quarters")((uint8_t *)frame, &u, mask, NULL);
	for (unsigned q = 0; q < QUARTERS; q++)
		for (unsigned r = 0; r < SIDE; r++)
			for (unsigned n = 0; n < SIDE; n++) {
				unsigned i, j;
				sum_at(half, r, n, &i, &j);
				const unsigned pair = (half ? n / 2 : n) / 2, lane = lane_of(q, r);
				const bool here = pair >= t->step && pair < t->step + t->steps && mask >> lane & 1;
				const uint32_t bits = half ? frame[ROWS_OF_D + n / 2][lane] >> n % 2 * 16 & 0xffff : frame[ROWS_OF_D + n][lane];
				const uint32_t want = here ? expected(t, &m[q], i, j) : half ? UNTOUCHED & 0xffff : UNTOUCHED;
				ck_assert_msg(bits == want, "level %d %s -> %s%s%s step %u, quarter %u (%u, %u): %#x, not %#x", level, tensor_type_text[t->c],
				              tensor_type_text[t->d], t->a_column ? " a by columns" : "", t->b_row ? " b by rows" : "", t->step, q, i, j, bits, want);
			}
}

START_TEST(quarters_add_up_as_the_generation_does)
{
	static const uint8_t sums[][2] = {{TENSOR_F32, TENSOR_F32}, {TENSOR_F16, TENSOR_F16}, {TENSOR_F16, TENSOR_F32}};
	seed = 7;
	for (enum exec_level level = EXEC_PLAIN; level <= exec_best_level(); level++)
		for (unsigned s = 0; s < sizeof sums / sizeof *sums; s++)
			for (unsigned layout = 0; layout < 4; layout++)
				for (unsigned q = 0; q < 12 * 15; q++) {
					const unsigned pairs = sums[s][1] == TENSOR_F16 ? 2 : 4, all = q % 5 == 4;
					struct tensor_mma t = {.m = 8, .n = 8, .k = 4, .a = TENSOR_F16, .b = TENSOR_F16, .c = sums[s][0], .d = sums[s][1],
					                       .a_column = layout & 1, .b_row = layout & 2, .step = (uint8_t)(all ? 0 : q % pairs),
					                       .steps = (uint8_t)(all ? pairs : 1)};
					t.satfinite = q % 7 == 6;
					t.rule = tensor_rule((struct tensor_numerics){.sm = q % 2 ? 70 : 75}, TENSOR_F16);
					check(level, &t, q / 15, q % 3 ? FULL_MASK : 0x9ff3a65c);
				}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("tensor_quarters");
	TCase *t = tcase_create("sums");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, quarters_add_up_as_the_generation_does);
	suite_add_tcase(s, t);
	return check_main(s);
}
