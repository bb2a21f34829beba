// Divergence, reconvergence, calls, barriers, progress: small PTX kernels against the obvious host computation.
#include "tests/unit/thread_kernel.h"

START_TEST(every_lane_loops_its_own_number_of_times)
{
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ENTRY("k") "mov.u32 %r4, 0; mov.u32 %r5, 0;\n"
	                                    "L: add.u32 %r4, %r4, %r5; add.u32 %r5, %r5, 1; setp.le.u32 %p1, %r5, %r1; "
	                                    "@%p1 bra L;\n"
	                                    "st.global.u32 [%rd9], %r4; ret; }",
	                    2, 70);
	for (uint32_t i = 0; i < 140; i++)
		ck_assert_uint_eq(out[i], (i % 70) * (i % 70 + 1) / 2);
	bench_free(b);
}
END_TEST

START_TEST(branches_reconverge_before_the_next_instruction)
{
	// After a divergent if/else the warp is whole again: activemask says so.
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ENTRY("k") "and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra A;\n"
	                                    "activemask.b32 %r5; bra B;\nA: activemask.b32 %r5;\n"
	                                    "B: activemask.b32 %r6; xor.b32 %r7, %r5, %r6;\n"
	                                    "st.global.u32 [%rd9], %r7; ret; }",
	                    1, 32);
	for (uint32_t i = 0; i < 32; i++)
		ck_assert_uint_eq(out[i], i % 2 ? 0x55555555u : 0xaaaaaaaau);
	bench_free(b);
}
END_TEST

START_TEST(lanes_that_jump_run_before_those_that_do_not)
{
	// Each lane draws a number: even lanes, which jump, draw theirs first, wherever their code stands.
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ".global .u32 next;\n"
	                    ENTRY("k") "and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra A;\n"
	                               "atom.global.add.u32 %r5, [next], 1; bra B;\n"
	                               "A: atom.global.add.u32 %r5, [next], 1;\n"
	                               "B: st.global.u32 [%rd9], %r5; ret; }",
	                    1, 32);
	for (uint32_t i = 0; i < 32; i++)
		ck_assert_uint_eq(out[i], i / 2 + (i % 2 ? 16 : 0));
	bench_free(b);
}
END_TEST

START_TEST(lanes_that_exit_do_not_hold_up_the_others)
{
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ENTRY("k") "setp.lt.u32 %p1, %r1, 40; @%p1 bra GO; st.global.u32 [%rd9], 7; exit;\n"
	                                    "GO: bar.sync 0; setp.eq.u32 %p2, %r1, 3; @%p2 exit; bar.sync 0;\n"
	                                    "st.global.u32 [%rd9], %r1; ret; }",
	                    1, 64);
	for (uint32_t i = 0; i < 64; i++)
		ck_assert_uint_eq(out[i], i >= 40 ? 7 : i == 3 ? 0 : i);
	bench_free(b);
}
END_TEST

START_TEST(recursion_returns_each_lane_its_own_result)
{
	static const char fib[] =
		HEAD ".func (.param .b32 res) fib(.param .b32 n)\n{ .reg .pred %p<2>; .reg .b32 %r<10>;\n"
		     "ld.param.u32 %r1, [n]; setp.lt.u32 %p1, %r1, 2; @%p1 bra BASE;\n"
		     "sub.u32 %r2, %r1, 1;\n"
		     "{ .param .b32 a; st.param.b32 [a], %r2; .param .b32 v; call.uni (v), fib, (a); ld.param.b32 %r3, [v]; }\n"
		     "sub.u32 %r4, %r1, 2;\n"
		     "{ .param .b32 a; st.param.b32 [a], %r4; .param .b32 v; call.uni (v), fib, (a); ld.param.b32 %r5, [v]; }\n"
		     "add.u32 %r6, %r3, %r5; st.param.b32 [res], %r6; ret;\n"
		     "BASE: st.param.b32 [res], %r1; ret; }\n" ENTRY("k")
		     "and.b32 %r4, %r1, 15;\n"
		     "{ .param .b32 a; st.param.b32 [a], %r4; .param .b32 v; call.uni (v), fib, (a); ld.param.b32 %r5, [v]; }\n"
		     "st.global.u32 [%rd9], %r5; ret; }";
	static const uint32_t want[16] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610};
	struct ptx_bench *b;
	uint32_t *out = run(&b, fib, 1, 48);
	for (uint32_t i = 0; i < 48; i++)
		ck_assert_uint_eq(out[i], want[i % 16]);
	bench_free(b);
}
END_TEST

START_TEST(indirect_calls_go_where_each_lane_points)
{
	static const char text[] =
		HEAD ".func (.param .b32 r) f0(.param .b32 x) { .reg .b32 %r<3>; ld.param.u32 %r1, [x]; "
		     "add.u32 %r2, %r1, 100; st.param.b32 [r], %r2; ret; }\n"
		     ".func (.param .b32 r) f1(.param .b32 x) { .reg .b32 %r<3>; ld.param.u32 %r1, [x]; "
		     "mul.lo.u32 %r2, %r1, 3; st.param.b32 [r], %r2; ret; }\n"
		     ".func (.param .b32 r) f2(.param .b32 x) { .reg .b32 %r<3>; ld.param.u32 %r1, [x]; "
		     "sub.u32 %r2, 1000, %r1; st.param.b32 [r], %r2; ret; }\n"
		     ".global .align 8 .u64 table[3] = {f0, f1, f2};\n" ENTRY("k")
		     "rem.u32 %r4, %r1, 3; mov.u64 %rd3, table; mul.wide.u32 %rd4, %r4, 8; add.s64 %rd5, %rd3, %rd4;\n"
		     "ld.global.u64 %rd6, [%rd5];\n"
		     "{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 v;\n"
		     "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
		     "call (v), %rd6, (a), proto; ld.param.b32 %r5, [v]; }\n"
		     "activemask.b32 %r6; setp.ne.u32 %p1, %r6, -1; @%p1 mov.u32 %r5, 0;\n"
		     "st.global.u32 [%rd9], %r5; ret; }";
	struct ptx_bench *b;
	uint32_t *out = run(&b, text, 1, 64);
	for (uint32_t i = 0; i < 64; i++)
		ck_assert_uint_eq(out[i], i % 3 == 0 ? i + 100 : i % 3 == 1 ? i * 3 : 1000 - i);
	bench_free(b);
}
END_TEST

START_TEST(branch_tables_take_each_lane_to_its_target)
{
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ENTRY("k") "and.b32 %r4, %r1, 3;\nts: .branchtargets A, B, C, B;\nbrx.idx %r4, ts;\n"
	                                    "A: mov.u32 %r5, 10; bra E;\nB: mov.u32 %r5, 20; bra E;\nC: mov.u32 %r5, 30;\n"
	                                    "E: st.global.u32 [%rd9], %r5; ret; }",
	                    1, 33);
	static const uint32_t want[4] = {10, 20, 30, 20};
	for (uint32_t i = 0; i < 33; i++)
		ck_assert_uint_eq(out[i], want[i % 4]);
	bench_free(b);
}
END_TEST

START_TEST(a_lock_inside_a_warp_is_passed_on)
{
	// Every lane spins for the lock; the holder needs its turn although the others wait for no reconvergence.
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ".global .u32 lock; .global .u32 sum;\n" ENTRY("k")
	                         "T: atom.global.cas.b32 %r4, [lock], 0, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra T;\n"
	                         "ld.volatile.global.u32 %r5, [sum]; add.u32 %r6, %r5, 1; "
	                         "st.volatile.global.u32 [sum], %r6;\n"
	                         "membar.gl; atom.global.exch.b32 %r7, [lock], 0;\n"
	                         "st.global.u32 [%rd9], %r6; ret; }",
	                    2, 64);
	uint32_t seen[129] = {0};
	for (uint32_t i = 0; i < 128; i++) {
		ck_assert_uint_le(out[i], 128);
		ck_assert_msg(!seen[out[i]]++, "two lanes held the lock at once");
	}
	bench_free(b);
}
END_TEST

START_TEST(blocks_that_wait_for_later_blocks_make_progress)
{
	// Block 0 waits until block 5 has set the flag.
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ".global .u32 flag;\n" ENTRY("k")
	                         "setp.ne.u32 %p1, %r2, 0; @%p1 bra SKIP;\n"
	                         "W: ld.volatile.global.u32 %r4, [flag]; setp.eq.u32 %p2, %r4, 0; @%p2 bra W;\n"
	                         "SKIP: setp.ne.u32 %p3, %r2, 5; @%p3 bra END; st.volatile.global.u32 [flag], 1;\n"
	                         "END: st.global.u32 [%rd9], 1; ret; }",
	                    6, 32);
	for (uint32_t i = 0; i < 192; i++)
		ck_assert_uint_eq(out[i], 1);
	bench_free(b);
}
END_TEST

START_TEST(counted_barriers_and_arrivals)
{
	// Warp 0 produces and arrives, warp 1 waits; both at barrier 2 with 64 threads.
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ".shared .u32 box;\n" ENTRY("k")
	                         "mov.u32 %r6, 0; setp.lt.u32 %p1, %r1, 32; @%p1 bra P; bar.sync 2, 64; "
	                         "ld.shared.u32 %r6, [box]; bra E;\n"
	                         "P: st.shared.u32 [box], 55; bar.arrive 2, 64;\n"
	                         "E: st.global.u32 [%rd9], %r6; ret; }",
	                    3, 64);
	for (uint32_t i = 0; i < 192; i++)
		ck_assert_uint_eq(out[i], i % 64 < 32 ? 0 : 55);
	bench_free(b);
}
END_TEST

START_TEST(barrier_reductions)
{
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ENTRY("k") "setp.lt.u32 %p1, %r1, 37; bar.red.popc.u32 %r4, 0, %p1;\n"
	                                    "bar.red.and.pred %p2, 0, %p1; bar.red.or.pred %p3, 0, !%p1;\n"
	                                    "selp.u32 %r5, 1000, 0, %p2; selp.u32 %r6, 100, 0, %p3;\n"
	                                    "add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r6; st.global.u32 [%rd9], %r4; "
	                                    "ret; }",
	                    1, 96);
	for (uint32_t i = 0; i < 96; i++)
		ck_assert_uint_eq(out[i], 137);
	bench_free(b);
}
END_TEST

START_TEST(lanes_meet_at_a_shuffle_from_both_sides_of_a_branch)
{
	// The odd lanes take a longer way; the shuffle names all 32.
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ENTRY("k") "mov.u32 %r4, %r1; and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 1; @%p1 bra O;\n"
	                                    "mov.u32 %r4, %r1; bra S;\nO: add.u32 %r4, %r1, 100;\n"
	                                    "S: shfl.sync.bfly.b32 %r6|%p2, %r4, 1, 31, -1; st.global.u32 [%rd9], %r6; "
	                                    "ret; }",
	                    1, 32);
	for (uint32_t i = 0; i < 32; i++)
		ck_assert_uint_eq(out[i], (i ^ 1) + (i % 2 ? 0 : 100));
	bench_free(b);
}
END_TEST

START_TEST(lanes_at_a_join_go_on_when_a_barrier_waits_for_them)
{
	// The lanes below 16 go straight to the join; the barrier opens when they have exited.
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ENTRY("k") "setp.lt.u32 %p1, %r1, 16; @%p1 bra E; bar.sync 0;\n"
	                                    "E: st.global.u32 [%rd9], 5; exit; }",
	                    1, 48);
	for (uint32_t i = 0; i < 48; i++)
		ck_assert_uint_eq(out[i], 5);
	bench_free(b);
}
END_TEST

START_TEST(tiles_of_a_warp_meet_at_a_shuffle_each_on_its_own)
{
	// Three groups of lanes that never reconverge (a way to exit leaves the branches no meeting point) shuffle in tiles
	// of 16 with the tile's own mask.
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ENTRY("k") "setp.lt.u32 %p1, %r1, 16; selp.b32 %r7, 0xffff, 0xffff0000, %p1; "
	                                    "mov.u32 %r4, 77;\n"
	                                    "setp.lt.u32 %p2, %r1, 8; @%p2 bra A; setp.lt.u32 %p3, %r1, 24; @%p3 bra B;\n"
	                                    "add.u32 %r4, %r1, 1000; setp.gt.u32 %p4, %r1, 999; @%p4 bra DIE; bra S;\n"
	                                    "A: add.u32 %r4, %r1, 1000; setp.gt.u32 %p4, %r1, 999; @%p4 bra DIE; bra S;\n"
	                                    "B: add.u32 %r4, %r1, 1000; setp.gt.u32 %p4, %r1, 999; @%p4 bra DIE; bra S;\n"
	                                    "DIE: exit;\n"
	                                    "S: shfl.sync.bfly.b32 %r6|%p5, %r4, 8, 0x101f, %r7; "
	                                    "st.global.u32 [%rd9], %r6; ret; }",
	                    1, 32);
	for (uint32_t i = 0; i < 32; i++)
		ck_assert_uint_eq(out[i], 1000 + (i ^ 8));
	bench_free(b);
}
END_TEST

START_TEST(votes_count_the_lanes_of_the_same_member_mask)
{
	// Odd and even lanes vote at once, each with its own mask.
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ENTRY("k") "and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; "
	                                    "selp.b32 %r5, 0x55555555, 0xaaaaaaaa, %p1;\n"
	                                    "setp.lt.u32 %p2, %r1, 16; vote.sync.ballot.b32 %r6, %p2, %r5; "
	                                    "st.global.u32 [%rd9], %r6; ret; }",
	                    1, 32);
	for (uint32_t i = 0; i < 32; i++)
		ck_assert_uint_eq(out[i], i % 2 ? 0xaaaa : 0x5555);
	bench_free(b);
}
END_TEST

START_TEST(rows_of_finished_calls_are_used_again)
{
	// Two groups of lanes take turns inside a function that polls, very often.
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ".global .u32 n;\n"
	                         ".func f() { .reg .b32 %r<3>; atom.global.add.u32 %r1, [n], 1; ret; }\n" ENTRY("k")
	                         "mov.u32 %r5, 0; and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra E;\n"
	                         "O: call.uni f, (); add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 200000; @%p2 bra O; "
	                         "bra S;\n"
	                         "E: call.uni f, (); add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 200000; @%p2 bra E;\n"
	                         "S: st.global.u32 [%rd9], %r5; ret; }",
	                    1, 2);
	for (uint32_t i = 0; i < 2; i++)
		ck_assert_uint_eq(out[i], 200000);
	bench_free(b);
}
END_TEST

START_TEST(results_in_registers_reach_the_caller)
{
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ".global .u32 sink;\n"
	                         ".func (.reg .b32 r) f (.reg .b32 a) { .reg .b32 t, u; add.s32 r, a, 100; "
	                         "{ .reg .b32 a; mov.u32 a, 9; st.global.u32 [sink], a; }\n"
	                         "mov.u32 t, 7; add.s32 u, t, 1; st.global.u32 [sink], u; ret; }\n" ENTRY("k")
	                         "call.uni (%r5), f, (%r1); st.global.u32 [%rd9], %r5; ret; }",
	                    1, 32);
	for (uint32_t i = 0; i < 32; i++)
		ck_assert_uint_eq(out[i], i + 100);
	bench_free(b);
}
END_TEST

static const struct fault *fails(struct ptx_bench **b, const char *ptx, uint32_t block)
{
	*b = bench_new(ptx);
	uint64_t out = bench_alloc(*b, 4096);
	const struct fault *f = bench_run(*b, "k", 1, block, 0, &out);
	ck_assert_ptr_nonnull(f);
	return f;
}

START_TEST(immediates_are_passed_to_narrow_parameters)
{
	struct ptx_bench *b;
	uint32_t *out = run(&b,
	                    HEAD ".func (.param .b32 r) f(.param .b32 x) { .reg .b32 %r<3>; ld.param.u32 %r1, [x]; "
	                         "add.u32 %r2, %r1, 1; st.param.b32 [r], %r2; ret; }\n" ENTRY("k")
	                         "{ .param .b32 v; call.uni (v), f, (70000); ld.param.b32 %r5, [v]; "
	                         "} st.global.u32 [%rd9], %r5; ret; }",
	                    1, 32);
	for (uint32_t i = 0; i < 32; i++)
		ck_assert_uint_eq(out[i], 70001);
	bench_free(b);
}
END_TEST

static void refused(const char *ptx, const char *why)
{
	struct ptx_bench *b = bench_new(ptx);
	ck_assert_ptr_null(ptx_kernel_code(ptx_program_func(&b->program, "k"), &b->diag));
	ck_assert_msg(strstr(b->diag.text, why) != NULL, "%s", b->diag.text);
	bench_free(b);
}

START_TEST(variables_too_large_for_any_gpu_are_refused)
{
	refused(HEAD ".visible .entry k() { .local .b8 a[4294967300]; .reg .b64 %rd<2>; mov.u64 %rd1, a; ret; }", "local memory");
	refused(HEAD ".visible .entry k() { .shared .b8 a[4294967300]; .reg .b64 %rd<2>; mov.u64 %rd1, a; ret; }", "shared memory");
}
END_TEST

// One error for each thing that the kernel needs, whatever its operands are, however often it needs it.
START_TEST(what_is_not_executed_is_told_once)
{
	static const struct {
		const char *code, *want;
	} cases[] = {
		{"multimem.ld_reduce.global.add.u32 %r1, [%rd1];", "multimem: not supported"},
		{"tex.2dms.v4.f32.s32 {%f1,%f1,%f1,%f1}, [%rd1, {%r1,%r1,%r1,%r1}];", "tex.2dms.v4.f32.s32: not supported"},
		{"tex.2d.v4.f32.f32 {%f1,%f1,%f1,%f1}, [%rd1, {%f1,%f1}], %f1;", "comparing depths is not executed"},
	};
	char ptx[1024];
	snprintf(ptx, sizeof ptx, ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k() { .reg .b64 %%rd<4>; "
	         ".reg .b32 %%r<5>; .reg .f32 %%f<2>; .reg .pred %%p<2>; .shared .align 16 .b8 s[64];\n%s ret; }", cases[_i].code);
	struct ptx_bench *b = bench_new(ptx);
	ck_assert_ptr_null(ptx_kernel_code(ptx_program_func(&b->program, "k"), &b->diag));
	ck_assert_msg(b->diag.errors == 1 && strstr(b->diag.text, cases[_i].want), "%s", b->diag.text);
	bench_free(b);
}
END_TEST

START_TEST(a_barrier_that_cannot_complete_is_reported)
{
	struct ptx_bench *b;
	const struct fault *f = fails(&b, HEAD ENTRY("k") "setp.ge.u32 %p1, %r1, 32; @%p1 exit; bar.sync 1, 96; ret; }",
	                              64);
	ck_assert_int_eq(f->kind, FAULT_TIMEOUT);
	ck_assert_msg(strstr(f->text, "barrier 1") && strstr(f->text, "warp 0"), "%s", f->text);
	bench_free(b);
}
END_TEST

#define MB HEAD ENTRY("k") ".shared .align 8 .b64 bar[4]; .reg .pred %q; .reg .b64 %s<4>; .reg .b64 %pad<30>;\n"

// What mbarriers are not for ends the kernel, with the line, the barrier and what is wrong.
START_TEST(misuse_of_mbarriers_is_reported)
{
	static const struct {
		const char *code;
		enum fault_kind kind;
		const char *want, *also;
	} cases[] = {
		{"mbarrier.init.shared.b64 [bar], 0;", FAULT_LAUNCH, "a count of arrivals is from 1 to 1048575", "test.ptx:11"},
		{"mbarrier.init.shared.b64 [bar], 1048576;", FAULT_LAUNCH, "a count of arrivals", "offset 0x0"},
		{"mbarrier.arrive.shared.b64 %s1, [bar+8];", FAULT_LAUNCH, "there is no mbarrier", "offset 0x8"},
		{"mbarrier.test_wait.parity.shared.b64 %q, [bar], 0;", FAULT_LAUNCH, "there is no mbarrier", "it waits"},
		{"mbarrier.try_wait.parity.shared.b64 %q, [bar], 0;", FAULT_LAUNCH, "there is no mbarrier", "it waits"},
		{"mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 %s1, [bar], 3;", FAULT_LAUNCH, "more arrivals than", "2 of 2"},
		{"mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.noComplete.shared.b64 %s1, [bar], 2;", FAULT_LAUNCH, ".noComplete", "2 of 2"},
		{"mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 %s1, [bar], 0;", FAULT_LAUNCH, "a count of arrivals", "2 of 2"},
		{"mbarrier.init.shared.b64 [bar], 2; mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 1048576;", FAULT_LAUNCH, "bytes", "expect_tx"},
		{"mbarrier.init.shared.b64 [bar], 2; mbarrier.complete_tx.relaxed.cta.shared.b64 [bar], 1048576;", FAULT_LAUNCH, "bytes", "complete_tx"},
		{"mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.expect_tx.shared.b64 %s1, [bar], 4294967295;", FAULT_LAUNCH, "bytes", "expect_tx"},
		{"mbarrier.init.shared.b64 [bar+4], 1;", FAULT_MISALIGNED, "not a multiple of 8", "0x4"},
		{"mbarrier.init.shared.b64 [bar+1000000], 1;", FAULT_ILLEGAL_ADDRESS, "shared memory of the CTA", "mbarrier.init"},
		{"mbarrier.init.b64 [%rd9], 1;", FAULT_ILLEGAL_ADDRESS, "no address of shared memory", "mbarrier.init"},
		{"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [bar+83886080];", FAULT_ILLEGAL_ADDRESS, "the cluster has no such CTA", "arrive"},
		{"cp.async.ca.shared.global [bar], [%rd9+1], 4;", FAULT_MISALIGNED, "not a multiple of 4", "cp.async"},
		{"cp.async.ca.shared.global [bar+2], [%rd9], 4;", FAULT_MISALIGNED, "not a multiple of 4", "cp.async"},
		{"cp.async.cg.shared.global [bar+8], [%rd9], 16;", FAULT_MISALIGNED, "not a multiple of 16", "cp.async"},
		{"cp.async.ca.shared.global [bar+1000000], [%rd9], 4;", FAULT_ILLEGAL_ADDRESS, "shared memory of the CTA", "cp.async"},
#define LOAD "mbarrier.init.shared.b64 [bar+16], 1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
		{LOAD "[bar], [%rd9], 20, [bar+16];", FAULT_MISALIGNED, "the size of an asynchronous copy, 0x14, is not a multiple of 16", "cp.async.bulk"},
		{LOAD "[bar+8], [%rd9], 16, [bar+16];", FAULT_MISALIGNED, "not a multiple of 16", "cp.async.bulk"},
		{LOAD "[bar], [%rd9+8], 16, [bar+16];", FAULT_MISALIGNED, "the global address of an asynchronous copy", "cp.async.bulk"},
		{LOAD "[bar], [%rd9], 160000, [bar+16];", FAULT_ILLEGAL_ADDRESS, "shared memory of the CTA", "cp.async.bulk"},
		{LOAD "[bar], [%rd9+100000000], 16, [bar+16];", FAULT_ILLEGAL_ADDRESS, "16-byte read of global memory", "cp.async.bulk"},
		{LOAD "[bar], [%rd9], 16, [bar+24];", FAULT_LAUNCH, "a copy of 16 bytes tells the mbarrier at shared memory offset 0x18: there is no", "bulk"},
		{LOAD "[bar], [%rd9], 16, [bar+20];", FAULT_MISALIGNED, "not a multiple of 8", "cp.async.bulk"},
		{LOAD "[bar+50331648], [%rd9], 16, [bar+16];", FAULT_ILLEGAL_ADDRESS, "the cluster has no such CTA", "cp.async.bulk"},
		{"mbarrier.init.shared.b64 [bar+16], 1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [bar], [%rd9], "
		 "16, [bar+16], 2;", FAULT_LAUNCH, "goes to the CTAs 0x2 of its cluster", "multicast"},
		{"cp.async.bulk.global.shared::cta.bulk_group [%rd9], [bar], 24;", FAULT_MISALIGNED, "the size of", "bulk_group"},
		{"cp.async.bulk.global.shared::cta.bulk_group [%rd9+100000000], [bar], 16;", FAULT_ILLEGAL_ADDRESS, "16-byte write of global memory", "bulk"},
		{"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [bar], %r1, [bar+8];", FAULT_LAUNCH, "there is no mbarrier", "st.async"},
		{"st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [bar+4], %rd9, [bar+8];", FAULT_MISALIGNED, "not a multiple of 8", "st.async"},
		{"cp.async.ca.shared.global [bar], [%rd9+100000000], 16;", FAULT_ILLEGAL_ADDRESS, "global memory", "cp.async"},
	};
	char ptx[2048];
	struct ptx_bench *b;
	snprintf(ptx, sizeof ptx, "%s%s ret; }", MB, cases[_i].code);
	const struct fault *f = fails(&b, ptx, 1);
	ck_assert_msg(f->kind == cases[_i].kind && strstr(f->text, cases[_i].want) && strstr(f->text, cases[_i].also), "%s: %s", cases[_i].code, f->text);
	bench_free(b);
}
END_TEST

// Loops that ask for what never comes: nobody can move but them.
START_TEST(waiting_in_vain_is_reported)
{
	static const struct {
		const char *code, *want;
	} cases[] = {
		{"L: mbarrier.try_wait.parity.shared.b64 %q, [bar], 0; @!%q bra L;",
		 "waits at the mbarrier at shared offset 0x0: phase parity 0 waits for 1 of 2 arrivals and 4096 bytes"},
		{"L: mbarrier.test_wait.parity.shared.b64 %q, [bar], 0; @!%q bra L;",
		 "waits at the mbarrier at shared offset 0x0: phase parity 0 waits for 1 of 2 arrivals and 4096 bytes"},
		{"L: mbarrier.try_wait.parity.shared.b64 %q, [bar], 0, 100; @%q bra M; nanosleep.u32 20; add.u32 %r2, %r2, 1; st.local.u32 [loc], %r2; bra L; M:",
		 "waits for 1 of 2 arrivals and 4096 bytes"},
		{"L: mov.u64 %s2, %globaltimer; mbarrier.try_wait.parity.shared.b64 %q, [bar], 0; @!%q bra L;", "waits for 1 of 2 arrivals"},
		// Some at the one, some at the other, and some at a barrier of the block.
		{"setp.lt.u32 %p1, %r1, 7; @%p1 bra N; setp.lt.u32 %p1, %r1, 12; @%p1 bra L; bar.sync 0; bra M;\n"
		 "L: mbarrier.try_wait.parity.shared.b64 %q, [bar], 0; @!%q bra L; bra M;\n"
		 "N: mbarrier.test_wait.parity.shared.b64 %q, [bar+8], 0; @!%q bra N; M:", "waits at the mbarrier at shared offset 0x8"},
	};
	char ptx[2048];
	struct ptx_bench *b;
	snprintf(ptx, sizeof ptx, "%s%s%s ret; }", MB, ".local .align 4 .b32 loc; setp.ne.u32 %p1, %r1, 0; @%p1 bra W;\n"
	         "mbarrier.init.shared.b64 [bar], 2; mbarrier.init.shared.b64 [bar+8], 1; mbarrier.arrive.expect_tx.shared.b64 %s1, [bar], 4096;\n"
	         "W: bar.sync 0; ", cases[_i].code);
	const struct fault *f = fails(&b, ptx, 64);
	ck_assert_msg(f->kind == FAULT_TIMEOUT && strstr(f->text, cases[_i].want), "%s: %s", cases[_i].code, f->text);
	bench_free(b);
}
END_TEST

START_TEST(a_cta_has_as_many_barriers_as_configured)
{
	static const char *const kernel = HEAD ENTRY("k") "bar.sync 3; bar.sync 4; ret; }";
	struct ptx_bench *b = bench_new(kernel);
	uint64_t out = bench_alloc(b, 4096);
	b->services.named_barriers = 5;
	ck_assert_ptr_null(bench_run(b, "k", 1, 64, 0, &out));
	b->services.named_barriers = 4;
	const struct fault *f = bench_run(b, "k", 1, 64, 0, &out);
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(f->kind, FAULT_ILLEGAL_INSTRUCTION);
	ck_assert_msg(strstr(f->text, "barrier 4 does not exist (0 to 3 do); -gpgpu_num_cta_barriers") != NULL, "%s", f->text);
	bench_free(b);
}
END_TEST

START_TEST(recursion_without_end_is_reported)
{
	struct ptx_bench *b;
	const struct fault *f = fails(&b,
	                              HEAD ".func r(.param .b32 x) { .reg .b32 %r<2>; ld.param.u32 %r1, [x]; "
	                                   "{ .param .b32 a; st.param.b32 [a], %r1; call.uni r, (a); } ret; }\n" ENTRY("k")
	                                   "{ .param .b32 a; st.param.b32 [a], %r1; call.uni r, (a); } ret; }",
	                              32);
	ck_assert_int_eq(f->kind, FAULT_STACK);
	bench_free(b);
}
END_TEST

START_TEST(faults_name_kernel_thread_and_line)
{
	struct ptx_bench *b;
	const struct fault *f = fails(
		&b, HEAD ENTRY("k") "setp.ne.u32 %p1, %r1, 37; @%p1 exit;\nst.global.u32 [%rd9+1000000], %r1; ret; }", 64);
	ck_assert_int_eq(f->kind, FAULT_ILLEGAL_ADDRESS);
	ck_assert_uint_eq(f->thread[0], 37);
	ck_assert_msg(strstr(f->text, "'k'") && strstr(f->text, "test.ptx:11") && strstr(f->text, "st.global.u32"), "%s",
	              f->text);
	bench_free(b);
}
END_TEST

START_TEST(a_texture_that_is_not_bound_is_named)
{
	// clang moves the texture's handle to a register first.
	struct ptx_bench *b = bench_new(HEAD ".global .texref colours;\n" ENTRY("k")
	                                ".reg .f32 %f<5>; mov.u64 %rd3, colours;\n"
	                                "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd3, {%r1}]; ret; }");
	struct texture none = {.kind = TEX_NONE, .name = "colours"};
	uint64_t out = 0;
	ptx_program_var(&b->program, "colours")->tex = &none;
	const struct fault *f = bench_run(b, "k", 1, 32, 0, &out);
	ck_assert(f && f->kind == FAULT_LAUNCH);
	ck_assert_msg(strstr(f->text, "texture reference 'colours' is not bound"), "%s", f->text);
	ck_assert_msg(strstr(f->text, "test.ptx:12") != NULL, "%s", f->text);
	bench_free(b);
}
END_TEST

START_TEST(counts_are_of_lanes_whose_guard_holds)
{
	struct ptx_bench *b;
	run(&b, HEAD ".visible .entry k(.param .u64 out) { .reg .pred %p; .reg .b32 %r<3>; mov.u32 %r1, %tid.x; "
	             "setp.lt.u32 %p, %r1, 8;\n"
	             "@%p add.u32 %r2, %r1, 1; @!%p add.u32 %r2, %r1, 2; ret; }", 2, 40);
	// Per block two warps of 32 and 8 lanes: five instructions each.
	ck_assert_uint_eq(b->launch.counts.warp_insts, 2 * 2 * 5);
	ck_assert_uint_eq(b->launch.counts.thread_insts, 2 * (40 * 3 + 40));
	bench_free(b);
}
END_TEST

START_TEST(device_printf_formats_like_the_host)
{
	struct ptx_bench *b = bench_new(
		HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
		     ".global .align 1 .b8 fmt[26] = {37, 53, 100, 124, 37, 45, 54, 46, 50, 102, 124, 37, 108, 108, 120, "
		     "124, 37, 99, 124, 37, 37, 10, 0, 0, 0, 0};\n"
		     ".visible .entry k(.param .u64 out)\n{ .local .align 8 .b8 depot[32]; .reg .b64 %rd<8>; .reg .b32 %r<4>;\n"
		     "mov.u64 %rd1, depot; cvta.local.u64 %rd2, %rd1; st.local.u32 [depot], -42;\n"
		     "st.local.f64 [depot+8], 0d400C000000000000; st.local.u64 [depot+16], 0x123456789abc; "
		     "st.local.u32 [depot+24], 65;\n"
		     "mov.u64 %rd3, fmt; cvta.global.u64 %rd4, %rd3;\n"
		     "{ .param .b64 a; st.param.b64 [a], %rd4; .param .b64 c; st.param.b64 [c], %rd2; .param .b32 v; "
		     "call.uni (v), vprintf, (a, c); ld.param.b32 %r1, [v]; } ret; }");
	uint64_t out = bench_alloc(b, 64);
	const struct fault *f = bench_run(b, "k", 1, 1, 0, &out);
	ck_assert_msg(!f, "%s", f ? f->text : "");
	ck_assert_str_eq(b->printed, "  -42|3.50  |123456789abc|A|%\n");
	bench_free(b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("simt");
	TCase *t = tcase_create("simt");
	tcase_set_timeout(t, 20);
	tcase_add_test(t, every_lane_loops_its_own_number_of_times);
	tcase_add_test(t, branches_reconverge_before_the_next_instruction);
	tcase_add_test(t, lanes_that_jump_run_before_those_that_do_not);
	tcase_add_test(t, lanes_that_exit_do_not_hold_up_the_others);
	tcase_add_test(t, recursion_returns_each_lane_its_own_result);
	tcase_add_test(t, indirect_calls_go_where_each_lane_points);
	tcase_add_test(t, branch_tables_take_each_lane_to_its_target);
	tcase_add_test(t, a_lock_inside_a_warp_is_passed_on);
	tcase_add_test(t, blocks_that_wait_for_later_blocks_make_progress);
	tcase_add_test(t, counted_barriers_and_arrivals);
	tcase_add_test(t, barrier_reductions);
	tcase_add_test(t, lanes_meet_at_a_shuffle_from_both_sides_of_a_branch);
	tcase_add_test(t, lanes_at_a_join_go_on_when_a_barrier_waits_for_them);
	tcase_add_test(t, immediates_are_passed_to_narrow_parameters);
	tcase_add_test(t, variables_too_large_for_any_gpu_are_refused);
	tcase_add_test(t, tiles_of_a_warp_meet_at_a_shuffle_each_on_its_own);
	tcase_add_test(t, votes_count_the_lanes_of_the_same_member_mask);
	tcase_add_test(t, rows_of_finished_calls_are_used_again);
	tcase_add_test(t, results_in_registers_reach_the_caller);
	tcase_add_test(t, a_barrier_that_cannot_complete_is_reported);
	tcase_add_test(t, a_cta_has_as_many_barriers_as_configured);
	tcase_add_test(t, recursion_without_end_is_reported);
	tcase_add_loop_test(t, what_is_not_executed_is_told_once, 0, 3);
	tcase_add_loop_test(t, misuse_of_mbarriers_is_reported, 0, 33);
	tcase_add_loop_test(t, waiting_in_vain_is_reported, 0, 5);
	tcase_add_test(t, faults_name_kernel_thread_and_line);
	tcase_add_test(t, a_texture_that_is_not_bound_is_named);
	tcase_add_test(t, counts_are_of_lanes_whose_guard_holds);
	tcase_add_test(t, device_printf_formats_like_the_host);
	suite_add_tcase(s, t);
	return check_main(s);
}
