// Lanes of one warp that wait for each other by polling, with the timing model: they make progress at a plausible
// price, and what only looks like polling costs what it always did.
#include "tests/unit/kernel_text.h"
#include "tests/unit/timing_harness.h"

static uint64_t cycles_of(const char *body, uint32_t block, uint32_t *out, unsigned n)
{
	struct text s = {0};
	text_add(&s, KERNEL_HEAD ".global .u32 lock; .global .u32 sum; .global .u32 flag[32];\n" KERNEL_ENTRY("k"));
	text_add(&s, body);
	text_add(&s, "ret; }\n");
	struct timed *t = timed_new(s.at, "");
	uint64_t p[4] = {timed_alloc(t, 1 << 16), 0, 0, 0};
	uint64_t c = timed_run(t, "k", 1, block, 0, p, 4);
	memcpy(out, (void *)(uintptr_t)p[0], n * sizeof *out);
	timed_free(t);
	text_free(&s);
	return c;
}

// Every thread puts %r10 into its place of the output.
#define STORE "mad.wide.u32 %rd10, %r4, 4, %rd1; st.global.u32 [%rd10], %r10;\n"

START_TEST(a_lock_is_passed_on_from_lane_to_lane_within_a_few_round_trips)
{
	enum { THREADS = 64 };
	uint32_t out[THREADS], seen[THREADS + 1] = {0};
	uint64_t c = cycles_of("T: atom.global.cas.b32 %r8, [lock], 0, 1; setp.ne.u32 %p1, %r8, 0; @%p1 bra T;\n"
	                       "ld.volatile.global.u32 %r9, [sum]; add.u32 %r10, %r9, 1; "
	                       "st.volatile.global.u32 [sum], %r10;\n"
	                       "membar.gl; atom.global.exch.b32 %r11, [lock], 0;\n" STORE,
	                       THREADS, out, THREADS);
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_msg(out[i] >= 1 && out[i] <= THREADS && !seen[out[i]]++, "two lanes held the lock at once");
	ck_assert_uint_lt(c, THREADS * 2500);
}
END_TEST

START_TEST(a_chain_of_flags_goes_from_lane_to_lane)
{
	// Lane 31 never was in the loop that the others wait in, so it is let go late, the others soon.
	uint32_t out[32];
	uint64_t c = cycles_of("mov.u64 %rd20, flag; mad.wide.u32 %rd20, %r1, 4, %rd20; mov.u32 %r10, 1;\n"
	                       "setp.eq.u32 %p1, %r1, 31; @%p1 bra SET;\n"
	                       "W: ld.volatile.global.u32 %r8, [%rd20 + 4]; setp.eq.u32 %p1, %r8, 0; @%p1 bra W;\n"
	                       "add.u32 %r10, %r8, 1;\n"
	                       "SET: st.volatile.global.u32 [%rd20], %r10;\n" STORE,
	                       32, out, 32);
	for (unsigned i = 0; i < 32; i++)
		ck_assert_uint_eq(out[i], 32 - i);
	ck_assert_uint_lt(c, 1000000);
}
END_TEST

START_TEST(lanes_that_walk_an_array_stay_together)
{
	// They read zeros all the time, but not from one place, and atomics find their mark set,
	// each at another: no spinning.
	uint32_t out[64];
	cycles_of("and.b32 %r8, %r1, 7; add.u32 %r8, %r8, 1; mov.u64 %rd20, %rd1; add.u64 %rd20, %rd20, 4096;\n"
	          "L: ld.volatile.global.u32 %r9, [%rd20]; atom.global.cas.b32 %r11, [%rd20], 1, 1; "
	          "add.u64 %rd20, %rd20, 4;\n"
	          "sub.u32 %r8, %r8, 1; setp.ne.u32 %p1, %r8, 0; @%p1 bra L;\n"
	          "activemask.b32 %r10;\n" STORE,
	          64, out, 64);
	for (unsigned i = 0; i < 64; i++)
		ck_assert_uint_eq(out[i], 0xffffffffu);
}
END_TEST

START_TEST(lanes_stay_behind_the_one_that_waits_for_another_warp)
{
	// The usual `if (lane == 0) wait;` without __syncwarp: on hardware the others are held at the end of the if.
	uint32_t out[64];
	cycles_of("mov.u32 %r10, 0; setp.ge.u32 %p1, %r1, 32; @%p1 bra LATE; setp.ne.u32 %p2, %r1, 0; @%p2 bra MEET;\n"
	          "W: ld.volatile.global.u32 %r8, [lock]; setp.eq.u32 %p3, %r8, 0; @%p3 bra W;\n"
	          "MEET: ld.volatile.global.u32 %r10, [lock]; bra OUT;\n"
	          "LATE: mov.u32 %r8, 300;\n"
	          "M: div.u32 %r9, %r8, %r3; sub.u32 %r8, %r8, 1; setp.ne.u32 %p4, %r8, %r9;\n"
	          "setp.ne.and.u32 %p4, %r8, 0, %p4; @%p4 bra M;\n"
	          "mov.u32 %r10, 7; st.volatile.global.u32 [lock], %r10;\n"
	          "OUT:\n" STORE,
	          64, out, 64);
	for (unsigned i = 0; i < 64; i++)
		ck_assert_uint_eq(out[i], 7);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("spin");
	TCase *t = tcase_create("spin");
	tcase_set_timeout(t, 30);
	tcase_add_test(t, a_lock_is_passed_on_from_lane_to_lane_within_a_few_round_trips);
	tcase_add_test(t, a_chain_of_flags_goes_from_lane_to_lane);
	// The hostile build lets lanes part after a poll or two.
	if (HEDDLE_LIMIT(0, 1)) {
		tcase_add_test(t, lanes_that_walk_an_array_stay_together);
		tcase_add_test(t, lanes_stay_behind_the_one_that_waits_for_another_warp);
	}
	suite_add_tcase(suite, t);
	return check_main(suite);
}
