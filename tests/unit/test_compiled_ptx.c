// Forms of PTX that compilers write and hand-written tests easily miss.
#include "tests/unit/thread_kernel.h"

START_TEST(predicates_are_set_from_constants)
{
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ENTRY("k") "setp.lt.u32 %p1, %r1, 5; mov.pred %p2, 0; mov.pred %p3, -1;\n"
	                                    "@%p1 bra J; mov.pred %p2, -1; mov.pred %p3, 0;\n"
	                                    "J: selp.u32 %r4, 1, 0, %p2; selp.u32 %r5, 2, 0, %p3; add.u32 %r6, %r4, %r5;\n"
	                                    "st.global.u32 [%rd9], %r6; ret; }",
	                    1, 40);
	for (uint32_t i = 0; i < 40; i++)
		ck_assert_uint_eq(out[i], i < 5 ? 2 : 1);
	bench_free(b);
}
END_TEST

START_TEST(reads_just_beside_an_allocation_find_zero)
{
	// Stencils read the row before the first and do not use it; lane 20 reads inside.
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ENTRY("k") "setp.eq.u32 %p1, %r1, 20; st.global.u32 [%rd9], 5; bar.sync 0;\n"
	                                    "add.s64 %rd4, %rd9, -640; @%p1 mov.u64 %rd4, %rd1;\n"
	                                    "ld.global.u32 %r4, [%rd4]; add.u32 %r4, %r4, 1; bar.sync 0;\n"
	                                    "st.global.u32 [%rd9], %r4; ret; }",
	                    1, 64);
	for (uint32_t i = 0; i < 64; i++)
		ck_assert_uint_eq(out[i], i == 20 ? 6 : 1);
	ck_assert(b->launch.strayed);
	bench_free(b);
}
END_TEST

START_TEST(writes_beside_an_allocation_and_far_reads_fault)
{
	static const char *const body[] = {"st.global.u32 [%rd9+-640], 5; ret; }",
	                                   "ld.global.u32 %r4, [%rd9+400000]; st.global.u32 [%rd9], %r4; ret; }",
	                                   "atom.global.add.u32 %r4, [%rd9+-640], 5; ret; }"};
	for (size_t i = 0; i < sizeof body / sizeof *body; i++) {
		char text[2000];
		snprintf(text, sizeof text, "%s%s", HEAD ENTRY("k"), body[i]);
		struct ptx_bench *b = bench_new(text);
		uint64_t out = bench_alloc(b, 128);
		const struct fault *f = bench_run(b, "k", 1, 32, 0, &out);
		ck_assert_ptr_nonnull(f);
		ck_assert_int_eq(f->kind, FAULT_ILLEGAL_ADDRESS);
		bench_free(b);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("compiled PTX");
	TCase *t = tcase_create("forms");
	tcase_add_test(t, predicates_are_set_from_constants);
	tcase_add_test(t, reads_just_beside_an_allocation_find_zero);
	tcase_add_test(t, writes_beside_an_allocation_and_far_reads_fault);
	suite_add_tcase(s, t);
	return check_main(s);
}
