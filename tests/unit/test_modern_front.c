// Instructions in the front end of the modern core: what hits and what misses, the stream buffer, instruction buffers.
#include "gpgpu-sim/modern/l0_cache.h"
#include "tests/unit/modern_front_harness.h"

// --- hits and misses

START_TEST(an_instruction_that_hits_issues_three_cycles_after_its_fetch_and_the_next_ones_follow)
{
	struct modern_config cfg = a6000();
	cfg.perfect_inst = _i;
	struct bench *b = bench_new(cfg);
	start(b, 0, straight(0, 40));
	run(b, false);
	unsigned from = b->n_log;
	uint64_t t = b->now;
	start(b, 0, straight(0, 40));
	run(b, false);
	for (unsigned i = 0; i < 40; i++)
		ck_assert_uint_eq(issue_cycle(b, from, 0, i), t + 3 + i);
	bench_free(b);
}
END_TEST

// Another sub-core has brought the lines into L1.
static uint64_t miss_in_l0(struct modern_config cfg)
{
	struct bench *b = bench_new(cfg);
	start(b, 1, straight(0, 3));
	run(b, false);
	uint64_t l1_misses = stats(b)->l1_misses;
	unsigned from = b->n_log;
	uint64_t t = b->now;
	start(b, 0, straight(0, 3));
	run(b, false);
	if (!cfg.prefetch)
		ck_assert_uint_eq(stats(b)->l1_misses, l1_misses);
	uint64_t c = issue_cycle(b, from, 0, 0) - t;
	bench_free(b);
	return c;
}

START_TEST(a_miss_in_l0_that_hits_in_l1_takes_79_cycles_more_than_a_hit)
{
	struct modern_config cfg = a6000();
	ck_assert_uint_eq(miss_in_l0(cfg), 3 + 79);
	cfg.prefetch = false;
	ck_assert_uint_eq(miss_in_l0(cfg), 3 + 79);
	cfg.to_l1 = 10;
	cfg.from_l1 = 5;
	ck_assert_uint_eq(miss_in_l0(cfg), 3 + 16);
}
END_TEST

START_TEST(a_miss_in_l1_goes_to_the_network_and_adds_its_time)
{
	struct modern_config cfg = a6000();
	cfg.prefetch = false;
	struct bench *b = bench_new(cfg);
	start(b, 0, straight(0, 1));
	run(b, false);
	// In L1 in 1 + 39, sent in that cycle, back 200 later, where it goes on in the same cycle.
	ck_assert_uint_eq(issue_cycle(b, 0, 0, 0), 1 + 39 + 200 + 39 + 3);
	ck_assert_uint_eq(b->sent, 1);
	ck_assert_uint_eq(stats(b)->l1_misses, 1);
	ck_assert_uint_eq(b->m->stats.mem_inst, 1);
	bench_free(b);
}
END_TEST

START_TEST(sub_cores_that_miss_at_once_come_one_a_cycle)
{
	struct modern_config cfg = a6000();
	cfg.prefetch = false;
	cfg.l1_requests = _i;
	struct bench *b = bench_new(cfg);
	start(b, 0, straight(0, 8));
	run(b, false);
	front_invalidate(b->m);
	start(b, 0, straight(0, 8)); // L1 has the line again, and L0 of sub-core 0
	run(b, false);
	unsigned from = b->n_log;
	uint64_t t = b->now;
	for (unsigned w = 1; w < 4; w++)
		start(b, w, straight(0, 8));
	run(b, false);
	for (unsigned w = 1; w < 4; w++)
		ck_assert_uint_eq(issue_cycle(b, from, w, 0), t + 82 + (w - 1));
	bench_free(b);
}
END_TEST

START_TEST(warps_that_miss_the_same_line_share_one_request)
{
	struct modern_config cfg = a6000();
	cfg.prefetch = false;
	struct bench *b = bench_new(cfg);
	for (unsigned w = 0; w < 16; w += 4)
		start(b, w, straight(0, PER_LINE - 3));
	run(b, false);
	ck_assert_uint_eq(stats(b)->l0_requests, 1);
	ck_assert_uint_eq(b->sent, 1);
	ck_assert_uint_eq(b->n_log, 4 * (PER_LINE - 3));
	bench_free(b);
}
END_TEST

START_TEST(an_invalidated_cache_misses_again)
{
	struct modern_config cfg = a6000();
	cfg.prefetch = false;
	struct bench *b = bench_new(cfg);
	for (unsigned i = 0; i < 2; i++) {
		unsigned from = b->n_log;
		uint64_t t = b->now;
		start(b, 0, straight(0, 4));
		run(b, false);
		ck_assert_uint_eq(issue_cycle(b, from, 0, 0) - t, 39 + 200 + 39 + 3);
		front_invalidate(b->m);
	}
	bench_free(b);
}
END_TEST

START_TEST(the_least_recently_used_line_leaves_l0)
{
	struct modern_config cfg = a6000();
	cfg.l0i = form("N:1:128:2,L:R:f:N:L,S:32:16,8");
	cfg.prefetch = false;
	struct bench *b = bench_new(cfg);
	static const unsigned line[] = {0, 1, 0, 2, 0, 1}, requests[] = {1, 2, 2, 3, 3, 4};
	for (unsigned i = 0; i < 6; i++) {
		start(b, 0, straight(line[i] * PER_LINE, 1));
		run(b, false);
		ck_assert_uint_eq(stats(b)->l0_requests, requests[i]);
	}
	bench_free(b);
}
END_TEST

// As when a stream buffer's line is taken while one that was asked for before is on its way.
START_TEST(a_line_that_comes_twice_takes_one_place)
{
	struct cache_form f = form("N:1:128:3,L:R:f:N:L,S:32:16,8");
	struct l0_cache c;
	l0_init(&c, &f, true);
	static const uint64_t line[] = {7, 8, 9};
	for (unsigned i = 0; i < 3; i++)
		l0_fill(&c, line[i]);
	l0_invalidate(&c);
	for (unsigned i = 0; i < 3; i++)
		l0_fill(&c, line[i]);
	l0_use(&c, l0_find_slow(&c, 7));
	l0_fill(&c, 7);
	l0_fill(&c, 9);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_ge(l0_find_slow(&c, line[i]), 0);
	l0_fill(&c, 10); // in the place of the one that was not used for longest
	ck_assert_int_lt(l0_find_slow(&c, 8), 0);
	l0_free(&c);
}
END_TEST

// --- stream buffer

// Cycles in which a warp that runs through 64 lines, which L1 has, cannot issue.
static uint64_t stalls(unsigned lines, bool perfect)
{
	struct modern_config cfg = a6000();
	cfg.prefetch = lines > 0;
	cfg.stream_lines = lines;
	cfg.perfect_inst = perfect;
	struct bench *b = bench_new(cfg);
	start(b, 1, straight(0, 64 * PER_LINE));
	run(b, false);
	unsigned from = b->n_log;
	uint64_t misses = stats(b)->l1_misses;
	start(b, 0, straight(0, 64 * PER_LINE));
	run(b, false);
	uint64_t c = b->ended - issue_cycle(b, from, 0, 0) + 1 - 64 * PER_LINE;
	ck_assert_uint_le(stats(b)->l1_misses - misses, 2 * 32); // only those of the prefetches behind the end
	bench_free(b);
	return c;
}

START_TEST(a_longer_stream_buffer_stalls_less_on_straight_code)
{
	static const unsigned lines[] = {1, 2, 4, 8, 16, 32};
	uint64_t off = stalls(0, false), before = off;
	ck_assert_uint_eq(off, 63 * 79); // the buffer hides the three cycles of a hit
	for (unsigned i = 0; i < 6; i++) {
		uint64_t s = stalls(lines[i], false);
		ck_assert_msg(s < before || (s == before && lines[i] > 16), "%u lines: %llu, fewer lines: %llu", lines[i], (unsigned long long)s,
		              (unsigned long long)before);
		before = s;
		// Line 0 comes alone and with it the first of the stream; from then on as many as the buffer holds every 79 cycles.
		unsigned n = lines[i], waits = (63 + n - 1) / n - 1;
		ck_assert_uint_eq(s, n * PER_LINE < 79 ? waits * (79 - n * PER_LINE) : 0);
	}
	ck_assert_uint_eq(stalls(8, true), 0);
}
END_TEST

START_TEST(a_stream_ends_at_a_line_that_l0_has)
{
	struct bench *b = bench_new(a6000());
	start(b, 0, straight(2 * PER_LINE, 1));
	run(b, false);
	ck_assert_uint_eq(stats(b)->prefetches, 8); // 3 .. 10
	start(b, 0, straight(0, 1));
	run(b, false);
	ck_assert_uint_eq(stats(b)->prefetches, 8 + 1); // 1, and 2 is there
	ck_assert_uint_eq(stats(b)->prefetch_hits, 0);
	bench_free(b);
}
END_TEST

START_TEST(only_the_head_of_a_stream_buffer_hits_and_another_line_starts_a_new_stream)
{
	struct bench *b = bench_new(a6000());
	start(b, 0, straight(0, 1));
	run(b, false);
	start(b, 0, straight(1 * PER_LINE, 1)); // head: one line more is asked for
	run(b, false);
	ck_assert_uint_eq(stats(b)->prefetch_hits, 1);
	ck_assert_uint_eq(stats(b)->l0_requests, 1);
	ck_assert_uint_eq(stats(b)->prefetches, 9);
	start(b, 0, straight(4 * PER_LINE, 1)); // in the buffer, but not at its head
	run(b, false);
	ck_assert_uint_eq(stats(b)->prefetch_hits, 1);
	ck_assert_uint_eq(stats(b)->l0_requests, 2);
	ck_assert_uint_eq(stats(b)->prefetches, 9 + 8);
	bench_free(b);
}
END_TEST

START_TEST(an_associative_stream_buffer_outlives_a_jump_over_lines_and_back)
{
	static const struct { unsigned line, hits, requests, prefetches; } to[] = {
		{0, 0, 1, 8},
		{3, 1, 1, 9},  // out of turn: its place goes to line 9
		{1, 2, 1, 10},
		{2, 3, 1, 11}, // line 11 is eight ahead of line 3, the furthest one used: no more are asked for
		{3, 3, 1, 11}, // L0 has it
		{20, 3, 2, 11 + 8},
		{18, 3, 3, 19 + 7}, // 19, and 21 to 26: L0 has 20
		{21, 4, 3, 26 + 2}, // 27 and 28: 19 keeps its place
	};
	struct modern_config cfg = a6000();
	cfg.stream_associative = true;
	struct bench *b = bench_new(cfg);
	for (unsigned i = 0; i < sizeof to / sizeof *to; i++) {
		start(b, 0, straight(to[i].line * PER_LINE, 1));
		run(b, false);
		ck_assert_uint_eq(stats(b)->prefetch_hits, to[i].hits);
		ck_assert_uint_eq(stats(b)->l0_requests, to[i].requests);
		ck_assert_uint_eq(stats(b)->prefetches, to[i].prefetches);
	}
	bench_free(b);
}
END_TEST

START_TEST(a_line_before_the_head_leaves_the_stream_alone)
{
	struct bench *b = bench_new(a6000());
	start(b, 0, straight(4 * PER_LINE, 1));
	for (unsigned i = 0; i < 6; i++)
		step(b);
	start(b, 4, straight(4 * PER_LINE, 1)); // its line is on its way, and the next one is the head
	run(b, false);
	ck_assert_uint_eq(b->n_log, 2);
	ck_assert_uint_eq(stats(b)->l0_requests, 1);
	ck_assert_uint_eq(stats(b)->prefetches, 8);
	bench_free(b);
}
END_TEST

START_TEST(invalidating_ends_streams_but_for_a_line_that_is_waited_for)
{
	struct bench *b = bench_new(a6000());
	start(b, 0, straight(4 * PER_LINE, 1));
	for (unsigned i = 0; i < 12; i++)
		step(b);
	start(b, 4, straight(5 * PER_LINE, 1)); // waits for the head
	step(b);
	front_invalidate(b->m);
	run(b, false);
	ck_assert_uint_eq(b->n_log, 2);
	ck_assert_uint_eq(stats(b)->prefetch_late, 1);
	ck_assert_uint_eq(stats(b)->prefetches, 8);
	start(b, 0, straight(6 * PER_LINE, 1)); // would have been the head
	run(b, false);
	ck_assert_uint_eq(stats(b)->prefetch_hits, 1);
	ck_assert_uint_eq(stats(b)->prefetches, 8 + 8);
	bench_free(b);
}
END_TEST

START_TEST(a_line_at_the_head_of_the_stream_buffer_is_as_good_as_one_in_l0)
{
	struct bench *b = bench_new(a6000());
	start(b, 0, straight(0, 1));
	run(b, false);
	unsigned from = b->n_log;
	uint64_t t = b->now;
	start(b, 0, straight(PER_LINE, 1));
	run(b, false);
	ck_assert_uint_eq(issue_cycle(b, from, 0, 0), t + 3);
	bench_free(b);
}
END_TEST

// --- instruction buffers

START_TEST(fetch_runs_ahead_until_the_buffer_is_full)
{
	for (unsigned n = 1; n <= 5; n++) {
		struct modern_config cfg = a6000();
		cfg.ibuffer = n;
		cfg.perfect_inst = true;
		struct bench *b = bench_new(cfg);
		b->m->warp[0].k = &b->run;
		front_redirect(b->m, 0, 0);
		for (; b->now < 30; b->now++)
			for (unsigned s = 0; s < MODERN_SUBCORES; s++)
				front_fetch(b->m, s, b->now, 0);
		ck_assert_uint_eq(stats(b)->fetches, n);
		ck_assert_uint_eq(ready_warps(b->m), 1);
		ck_assert_uint_eq(front_next(b->m, b->now), UINT64_MAX);
		bench_free(b);
	}
}
END_TEST

START_TEST(fetch_serves_the_greedy_warp_then_the_youngest_and_those_at_a_barrier_last)
{
	struct modern_config cfg = a6000();
	cfg.perfect_inst = true;
	cfg.ibuffer = 1;
	struct bench *b = bench_new(cfg);
	for (unsigned i = 0; i < 5; i++) {
		static const unsigned slot[] = {12, 4, 0, 8, 16}; // in the order of age
		start(b, slot[i], straight(0, 1));
	}
	b->m->at_barrier = 1ull << 8;
	static const unsigned order[] = {4, 16, 0, 12, 8};
	uint64_t seen = 0;
	for (unsigned i = 0; i < 7; i++, b->now++) {
		front_fetch(b->m, 0, b->now, 4);
		if (i < 2)
			continue;
		seen |= 1ull << order[i - 2];
		ck_assert_uint_eq(ready_warps(b->m), seen);
	}
	bench_free(b);
}
END_TEST

START_TEST(a_redirect_drops_what_was_fetched_and_what_is_on_its_way)
{
	struct modern_config cfg = a6000();
	cfg.prefetch = false;
	struct bench *b = bench_new(cfg);
	start(b, 0, straight(PER_LINE, 3));
	run(b, false);
	start(b, 0, straight(0, 2));
	step(b);
	step(b); // two misses on their way
	unsigned from = b->n_log;
	uint64_t t = b->now;
	start(b, 0, straight(PER_LINE, 2));
	for (unsigned i = 0; i < 500; i++)
		step(b);
	ck_assert_uint_eq(issue_cycle(b, from, 0, 0), t + 3);
	ck_assert_uint_eq(b->log[from].pc, PER_LINE * 16);
	ck_assert_uint_eq(b->n_log, from + 2);
	ck_assert_uint_eq(ready_warps(b->m), 0);
	// What was decoded, too.
	front_redirect(b->m, 0, 0);
	for (unsigned i = 0; i < 4; i++, b->now++)
		front_fetch(b->m, 0, b->now, 0);
	ck_assert_uint_eq(ready_warps(b->m), 1);
	front_redirect(b->m, 0, PER_LINE * 16);
	ck_assert_uint_eq(ready_warps(b->m), 0);
	front_fetch(b->m, 0, b->now, 0);
	front_fetch(b->m, 0, b->now + 1, 0);
	ck_assert_uint_eq(ready_warps(b->m), 0);
	front_fetch(b->m, 0, b->now + 2, 0);
	ck_assert_uint_eq(ready_warps(b->m), 1);
	front_stop(b->m, 0);
	ck_assert_uint_eq(ready_warps(b->m), 0);
	bench_free(b);
}
END_TEST

START_TEST(instructions_of_a_line_that_comes_late_are_waited_for_in_order)
{
	// L0 has line 1; a jump to the end of line 0 fetches across the border.
	struct modern_config cfg = a6000();
	cfg.prefetch = false;
	struct bench *b = bench_new(cfg);
	start(b, 0, straight(PER_LINE, PER_LINE));
	run(b, false);
	unsigned from = b->n_log;
	start(b, 0, straight(PER_LINE - 2, 4));
	run(b, false);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_uint_eq(b->log[from + i].pc, (PER_LINE - 2 + i) * 16);
		ck_assert_uint_eq(b->log[from + i].cycle, b->log[from].cycle + i);
	}
	bench_free(b);
}
END_TEST

// Code of 20 instructions, for front ends that know where it ends.
static const struct isa_inst *short_code(const void *code, uint64_t pc)
{
	static const struct isa_inst some;
	return pc / 16 < 20 ? &some : NULL;
}

START_TEST(nothing_is_fetched_beyond_the_end_of_code_that_is_known)
{
	struct modern_config cfg = a6000();
	struct bench *b = bench_new(cfg);
	b->fe.path = NULL;
	b->fe.inst_at = short_code;
	start(b, 0, straight(18, 2));
	run(b, false);
	ck_assert_uint_eq(stats(b)->fetches, 2);
	bench_free(b);
}
END_TEST

// Cycles of 64 lines of straight code that nobody has run.
static uint64_t cold(uint32_t preload, unsigned *sent)
{
	struct modern_config cfg = a6000();
	cfg.preload_lines = preload;
	struct bench *b = bench_new(cfg);
	start(b, 0, straight(0, 64 * PER_LINE));
	const uint64_t from = b->now;
	run(b, false);
	const uint64_t c = b->ended - from;
	*sent = b->sent;
	bench_free(b);
	return c;
}

START_TEST(code_that_comes_by_itself_is_waited_for_once)
{
	unsigned asked, preloaded;
	const uint64_t ask = cold(0, &asked), preload = cold(64, &preloaded);
	ck_assert_uint_ge(ask, 64 / 8 * (200 + 79)); // eight lines of the stream buffer a round trip
	// A round trip of all, and those to L1 that the stream buffer does not cover.
	ck_assert_uint_ge(preload, 64 * PER_LINE + 200 + 79);
	ck_assert_uint_le(preload, 64 * PER_LINE + 200 + 79 + 64 / 8 * (79 - 8 * PER_LINE) + 20);
	ck_assert_uint_eq(preloaded, asked); // 64 and the prefetches behind the end
}
END_TEST

START_TEST(what_comes_by_itself_ends_with_the_code_and_comes_again_after_invalidation)
{
	struct modern_config cfg = a6000();
	cfg.prefetch = false;
	cfg.preload_lines = 512;
	struct bench *b = bench_new(cfg);
	b->fe.path = NULL;
	b->fe.inst_at = short_code;
	for (unsigned i = 0; i < 3; i++) {
		start(b, i, straight(0, 2));
		run(b, true);
		ck_assert_uint_eq(b->sent, 3 * (1 + i / 2)); // 20 instructions
		if (i == 1)
			front_invalidate(b->m);
	}
	bench_free(b);
}
END_TEST

START_TEST(instructions_of_a_front_end_take_16_bytes_each_whatever_its_pc_says)
{
	struct modern_config cfg = a6000();
	cfg.prefetch = false;
	struct bench *b = bench_new(cfg);
	b->fe.inst_bytes = 8;
	for (unsigned i = 0; i < 2; i++) { // the end of a kernel of one line, and the kernel behind it
		b->run.code_base = i * 8 * PER_LINE;
		b->m->warp[0].k = &b->run;
		front_redirect(b->m, 0, i ? 0 : 8 * PER_LINE - 24);
		for (unsigned k = 0; k < 400; k++, b->now++) {
			front_tick_l1(b->m, b->now);
			front_fetch(b->m, 0, b->now, 0);
			front_tick_l0(b->m, b->now);
			while (b->n_net) {
				front_accept(b->m, b->net[b->head++].r, b->now);
				b->n_net--;
			}
		}
		front_stop(b->m, 0);
	}
	ck_assert_uint_eq(stats(b)->l0_requests, 2);
	bench_free(b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("modern front end");
	TCase *c = tcase_create("front");
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, an_instruction_that_hits_issues_three_cycles_after_its_fetch_and_the_next_ones_follow, 0, 2);
	tcase_add_test(c, a_miss_in_l0_that_hits_in_l1_takes_79_cycles_more_than_a_hit);
	tcase_add_test(c, a_line_that_comes_twice_takes_one_place);
	tcase_add_test(c, a_miss_in_l1_goes_to_the_network_and_adds_its_time);
	tcase_add_loop_test(c, sub_cores_that_miss_at_once_come_one_a_cycle, 1, 3);
	tcase_add_test(c, warps_that_miss_the_same_line_share_one_request);
	tcase_add_test(c, an_invalidated_cache_misses_again);
	tcase_add_test(c, the_least_recently_used_line_leaves_l0);
	tcase_add_test(c, a_longer_stream_buffer_stalls_less_on_straight_code);
	tcase_add_test(c, a_stream_ends_at_a_line_that_l0_has);
	tcase_add_test(c, only_the_head_of_a_stream_buffer_hits_and_another_line_starts_a_new_stream);
	tcase_add_test(c, an_associative_stream_buffer_outlives_a_jump_over_lines_and_back);
	tcase_add_test(c, a_line_before_the_head_leaves_the_stream_alone);
	tcase_add_test(c, invalidating_ends_streams_but_for_a_line_that_is_waited_for);
	tcase_add_test(c, a_line_at_the_head_of_the_stream_buffer_is_as_good_as_one_in_l0);
	tcase_add_test(c, fetch_runs_ahead_until_the_buffer_is_full);
	tcase_add_test(c, fetch_serves_the_greedy_warp_then_the_youngest_and_those_at_a_barrier_last);
	tcase_add_test(c, a_redirect_drops_what_was_fetched_and_what_is_on_its_way);
	tcase_add_test(c, instructions_of_a_line_that_comes_late_are_waited_for_in_order);
	tcase_add_test(c, nothing_is_fetched_beyond_the_end_of_code_that_is_known);
	tcase_add_test(c, code_that_comes_by_itself_is_waited_for_once);
	tcase_add_test(c, what_comes_by_itself_ends_with_the_code_and_comes_again_after_invalidation);
	tcase_add_test(c, instructions_of_a_front_end_take_16_bytes_each_whatever_its_pc_says);
	suite_add_tcase(s, c);
	return check_main(s);
}
