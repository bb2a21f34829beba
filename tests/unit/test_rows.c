// How many rows a warp of a PTX kernel has: as many as it needs, since a GPU has thousands of warps.
#include "tests/unit/ptx_harness.h"

#include "cuda-sim/decode/decoded.h"
#include "cuda-sim/decode/decoder.h"

#include <stdio.h>

enum { ROW = 4 * WARP, CHAIN = 40 };

// Of a kernel whose registers are %r<64>, %d<64>, %p<64>.
static uint32_t frame_of(const char *body)
{
	char text[8192];
	snprintf(text, sizeof text, ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
	         ".reg .u32 %%r<64>; .reg .u64 %%d<64>; .reg .pred %%p<64>;\nld.param.u64 %%d1, [a];\n%sret;\n}\n", body);
	struct ptx_bench *b = bench_new(text);
	struct kernel_code *k = ptx_kernel_code(ptx_program_func(&b->program, "k"), &b->diag);
	ck_assert_msg(k != NULL, "%s", b->diag.text ? b->diag.text : "?");
	uint32_t bytes = k->entry->frame_bytes;
	bench_free(b);
	return bytes;
}

START_TEST(a_register_has_a_row)
{
	// %d1 has two, and so has the parameter that it is read from; %r1 has one.
	uint32_t least = frame_of("");
	ck_assert_uint_eq(least, FIRST_ROW + 4 * ROW);
	ck_assert_uint_eq(frame_of("ld.global.u32 %r1, [%d1];\nst.global.u32 [%d1], %r1;\n"), least + ROW);
	ck_assert_uint_eq(frame_of("ld.global.u64 %d2, [%d1];\nst.global.u64 [%d1], %d2;\n"), least + 2 * ROW);
}
END_TEST

START_TEST(registers_of_different_times_share_one)
{
	char body[8192] = "ld.global.u32 %r0, [%d1];\n";
	for (unsigned k = 1; k < CHAIN; k++)
		snprintf(body + strlen(body), sizeof body - strlen(body), "add.u32 %%r%u, %%r%u, %%r%u;\n", k, k - 1, k - 1);
	snprintf(body + strlen(body), sizeof body - strlen(body), "st.global.u32 [%%d1], %%r%u;\n", CHAIN - 1);
	ck_assert_uint_le(frame_of(body), frame_of("ld.global.u32 %r1, [%d1];\nst.global.u32 [%d1], %r1;\n") + ROW);
}
END_TEST

START_TEST(a_value_that_stands_in_the_code_has_one_however_often_it_is_used)
{
	uint32_t once = frame_of("ld.global.u32 %r1, [%d1];\nadd.u32 %r1, %r1, 77;\nst.global.u32 [%d1], %r1;\n");
	ck_assert_uint_eq(frame_of("ld.global.u32 %r1, [%d1];\nadd.u32 %r1, %r1, 77;\nxor.b32 %r1, %r1, 77;\nst.global.u32 [%d1], %r1;\n"), once);
}
END_TEST

START_TEST(conversions_have_rows_only_where_there_are_any)
{
	uint32_t without = frame_of("ld.global.u64 %d2, [%d1];\nst.global.u64 [%d1], %d2;\n");
	ck_assert_uint_eq(frame_of("ld.global.u64 %d2, [%d1];\nst.global.u32 [%d1], %d2;\n"), without + TEMP_BYTES);
	// Of one instruction after another they are the same rows.
	ck_assert_uint_eq(frame_of("ld.global.u64 %d2, [%d1];\nst.global.u32 [%d1], %d2;\nst.global.u32 [%d1+8], %d2;\n"), without + TEMP_BYTES);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rows");
	TCase *t = tcase_create("rows");
	tcase_add_test(t, a_register_has_a_row);
	tcase_add_test(t, registers_of_different_times_share_one);
	tcase_add_test(t, a_value_that_stands_in_the_code_has_one_however_often_it_is_used);
	tcase_add_test(t, conversions_have_rows_only_where_there_are_any);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
