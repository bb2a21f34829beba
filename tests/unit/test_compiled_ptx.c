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
	ck_assert_uint_eq(b->strays.place.n, 1);
	ck_assert_uint_eq(b->strays.place.at[0].count, 2); // warps
	bench_free(b);
}
END_TEST

// Lane 31 of the second warp writes behind the allocation and the padding keeps it; the first lane reads it back.
START_TEST(writes_to_the_padding_of_an_allocation_land_there)
{
	struct ptx_bench *b = bench_new(HEAD ENTRY("k") "setp.eq.u32 %p1, %r1, 63; @%p1 st.global.u32 [%rd1+1020], 77;\n"
	                                                "@%p1 atom.global.add.u32 %r5, [%rd1+1020], 1; bar.sync 0;\n"
	                                                "ld.global.u32 %r4, [%rd1+1020]; st.global.u32 [%rd9], %r4; ret; }");
	uint64_t out = bench_alloc(b, 520), next = bench_alloc(b, 64);
	memset((void *)next, 0x55, 64);
	for (unsigned n = 1; n <= 3; n++) {
		ck_assert_ptr_null(bench_run(b, "k", 1, 64, 0, &out));
		for (unsigned i = 0; i < 64; i++)
			ck_assert_uint_eq(((uint32_t *)out)[i], 78);
		ck_assert_uint_eq(b->strays.place.n, 3); // store, atomic, load
		for (unsigned k = 0; k < 3; k++) {
			ck_assert_uint_eq(b->strays.place.at[k].count, k < 2 ? n : 2 * n);
			ck_assert(b->strays.place.at[k].kind == (k < 2 ? STRAY_WRITE : STRAY_READ));
		}
	}
	ck_assert_uint_eq(*(uint64_t *)next, 0x5555555555555555);
	struct diag d = {0};
	strays_end(&b->strays, &d);
	ck_assert_uint_eq(d.warnings, 3);
	ck_assert_ptr_nonnull(strstr(d.text, "2 more warp instructions that write beside an allocation"));
	ck_assert_ptr_nonnull(strstr(d.text, "5 more warp instructions that read beside an allocation"));
	diag_free(&d);
	bench_free(b);
}
END_TEST

// Of two blocks of a cluster one ends, and both warps of the other arrive at its mbarrier with all their lanes.
START_TEST(arrivals_at_a_block_that_has_ended_are_counted_by_warp)
{
	struct ptx_bench *b = bench_new(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p; .reg .b32 %r<4>;\n"
	                                ".shared .b64 bar;\n"
	                                "mov.u32 %r0, %tid.x; setp.eq.u32 %p, %r0, 0; @%p mbarrier.init.shared::cta.b64 [bar], 1;\n"
	                                "barrier.cluster.arrive; barrier.cluster.wait;\n"
	                                "mov.u32 %r0, %cluster_ctarank; setp.eq.u32 %p, %r0, 1; @%p ret;\n"
	                                "mov.u32 %r1, 0; again: nanosleep.u32 100; add.u32 %r1, %r1, 1;\n"
	                                "setp.lt.u32 %p, %r1, 2000; @%p bra again;\n"
	                                "mov.u32 %r2, bar; mapa.shared::cluster.u32 %r3, %r2, 1;\n"
	                                "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3]; ret;\n}\n");
	struct kernel_launch l = bench_launch(b, "k", 2, 64);
	struct diag d = {0};
	uint64_t used;

	l.cluster[0] = 2;
	l.cluster[1] = l.cluster[2] = 1;
	struct functional_run *r = functional_new(&l, 8, NULL);
	while (!functional_step(r, 1 << 20, &used))
		;
	functional_free(r);
	ck_assert_int_eq(l.fault.kind, 0);
	ck_assert_uint_eq(b->strays.place.n, 1);
	ck_assert_uint_eq(b->strays.place.at[0].count, 2);
	strays_end(&b->strays, &d);
	ck_assert_ptr_nonnull(strstr(d.text, ": 1 more warp instructions that arrive at an mbarrier of a block that has ended"));
	diag_free(&d);
	bench_free(b);
}
END_TEST

// A block has shared memory in whole units, and no more.
START_TEST(shared_memory_comes_in_units)
{
	static const struct {
		unsigned unit, at;
		bool good;
	} c[] = {{0, 0x10, false}, {0, 0, true}, {128, 0x10, true}, {128, 112, true}, {128, 128, false}, {256, 240, true}, {256, 256, false}};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		char text[2000];
		snprintf(text, sizeof text,
		         "%s .shared .align 16 .b8 s[28]; mov.u32 %%r4, s; ld.shared.v4.u32 {%%r5, %%r6, %%r7, %%r8}, [%%r4+%u]; ret; }",
		         HEAD ENTRY("k"), c[i].at);
		struct ptx_bench *b = bench_new(text);
		b->services.shared_unit = c[i].unit;
		uint64_t out = bench_alloc(b, 128);
		const struct fault *f = bench_run(b, "k", 1, 32, 0, &out);
		ck_assert_int_eq(f ? f->kind : FAULT_NONE, c[i].good ? FAULT_NONE : FAULT_ILLEGAL_ADDRESS);
		bench_free(b);
	}
}
END_TEST

START_TEST(writes_beside_an_allocation_and_far_reads_fault)
{
	static const char *const body[] = {"st.global.u32 [%rd9+-640], 5; ret; }",
	                                   "ld.global.u32 %r4, [%rd9+400000]; st.global.u32 [%rd9], %r4; ret; }",
	                                   "atom.global.add.u32 %r4, [%rd9+-640], 5; ret; }",
	                                   "st.global.u32 [%rd1+512], 5; ret; }", "st.global.v2.u32 [%rd1+1024], {%r1, %r1}; ret; }"};
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
	tcase_add_test(t, writes_to_the_padding_of_an_allocation_land_there);
	tcase_add_test(t, arrivals_at_a_block_that_has_ended_are_counted_by_warp);
	tcase_add_test(t, shared_memory_comes_in_units);
	tcase_add_test(t, writes_beside_an_allocation_and_far_reads_fault);
	suite_add_tcase(s, t);
	return check_main(s);
}
