// Constants in the front end of the modern core, its time, which may be jumped over, and what it says of itself.
#include "tests/unit/modern_front_harness.h"

#include "base/lines.h"

#include <stdio.h>
#include <string.h>

// --- constants

// Cycles from the first look-up until one hits.
static uint64_t constant_after(struct bench *b, unsigned subcore, uint64_t addr)
{
	uint64_t t = b->now;
	for (; b->now < t + 1000; b->now++) {
		b->m->now = b->now;
		while (b->n_net && b->net[b->head].at <= b->now) {
			front_accept(b->m, b->net[b->head++].r, b->now);
			b->n_net--;
		}
		front_tick_l1(b->m, b->now);
		if (front_constant(b->m, subcore, addr, 0) == FRONT_HIT)
			return b->now - t;
		front_tick_l0(b->m, b->now);
	}
	ck_abort_msg("never comes");
	return 0;
}

START_TEST(a_constant_that_l1_has_delays_issue_by_79_cycles)
{
	struct bench *b = bench_new(a6000());
	constant_after(b, 1, 0x160);
	ck_assert_uint_eq(constant_after(b, 0, 0x160), 79);
	ck_assert_uint_eq(constant_after(b, 0, 0x160), 0);
	ck_assert_uint_eq(constant_after(b, 0, 0x17f), 0);  // of the same line
	ck_assert_uint_eq(constant_after(b, 0, 0x120), 79); // the other half of the line of L1
	ck_assert_uint_eq(stats(b)->const_misses, 3);
	ck_assert_uint_eq(stats(b)->const_hits, 5);
	bench_free(b);
	struct modern_config cfg = a6000();
	cfg.perfect_const = true;
	b = bench_new(cfg);
	ck_assert_uint_eq(constant_after(b, 0, 0x160), 0);
	bench_free(b);
}
END_TEST

START_TEST(constants_of_loads_go_the_same_ways)
{
	struct bench *b = bench_new(a6000());
	constant_after(b, 0, 0x40);
	uint64_t t = b->now, addr = 0;
	ck_assert(!front_constant_back(b->m, &addr));
	ck_assert(front_request_constant(b->m, 0x44, 0));
	ck_assert(front_request_constant(b->m, 0x10, 0));
	ck_assert(front_holds_requests(b->m));
	for (unsigned got = 0; got < 2; b->now++) {
		front_tick_l1(b->m, b->now);
		if (front_constant_back(b->m, &addr)) {
			ck_assert_uint_eq(addr, got ? 0x10 : 0x44);
			ck_assert_uint_eq(b->now, t + 79 + got++);
		}
		front_tick_l0(b->m, b->now);
	}
	unsigned n = 0;
	while (front_request_constant(b->m, n * 64, 0))
		ck_assert_uint_lt(n++, 1000);
	ck_assert_uint_gt(n, 4);
	bench_free(b);
}
END_TEST

// --- time

static uint64_t seed;
static unsigned below(unsigned n)
{
	seed += 0x9e3779b97f4a7c15;
	return (unsigned)(mix(seed) % n);
}

static struct modern_config random_config(bool tiny)
{
	struct modern_config cfg = a6000();
	char text[100];
	unsigned big = tiny ? 1 : 4;
	snprintf(text, sizeof text, "N:%u:128:%u,%c:R:f:N:L,S:%u:%u,%u", 1u << below(big), 1 + below(big), below(4) ? 'L' : 'F', 1 + below(big),
	         1 + below(big), 1 + below(big));
	cfg.l0i = form(text);
	snprintf(text, sizeof text, "N:%u:64:%u,L:R:f:N:L,S:%u:%u,%u", 1u << below(big), 1 + below(big), 1 + below(big), 1 + below(big), 1 + below(big));
	cfg.l0fl = form(text);
	cfg.to_l1 = tiny ? below(2) : below(40);
	cfg.from_l1 = tiny ? below(2) : below(40);
	cfg.l1_requests = 1 + below(big);
	cfg.l1_replies = 1 + below(big);
	cfg.prefetch = below(4) > 0;
	cfg.stream_associative = below(2);
	cfg.stream_lines = tiny ? 1 : 1 + below(9);
	cfg.ibuffer = tiny ? 1 : 1 + below(5);
	cfg.preload_lines = below(3) ? 0 : below(100);
	return cfg;
}

static struct bench *random_bench(uint64_t s, bool tiny)
{
	seed = s * 77773;
	struct modern_config cfg = random_config(tiny);
	char il1[100];
	unsigned big = tiny ? 1 : 4;
	snprintf(il1, sizeof il1, "N:%u:128:%u,L:R:%c:N:L,A:%u:%u,%u", 1u << below(big), 1 + below(big), below(2) ? 'f' : 'm', 1 + below(big),
	         1 + below(big), 1 + below(big));
	struct bench *b = bench_with(cfg, il1);
	b->delay = 1 + below(300);
	b->full = below(2) ? below(7) : 0;
	for (unsigned n = 1 + below(20); n; n--) {
		unsigned w = below(CORE_MAX_WARPS);
		if (b->busy >> w & 1)
			continue;
		start(b, w, (struct program){.first = below(200), .n = 1 + below(150), .seed = 1 + below(1000000), .jump = below(2) ? 2 + below(30) : 0,
		                             .constant = below(2) ? 1 + below(20) : 0, .size = 1 + below(400)});
	}
	return b;
}

static void compare(const struct bench *a, const struct bench *b, uint64_t s)
{
	ck_assert_msg(a->n_log == b->n_log, "seed %llu: %u and %u issued", (unsigned long long)s, a->n_log, b->n_log);
	for (unsigned i = 0; i < a->n_log; i++)
		ck_assert_msg(a->log[i].cycle == b->log[i].cycle && a->log[i].pc == b->log[i].pc && a->log[i].warp == b->log[i].warp,
		              "seed %llu: instruction %u issues at %llu and %llu", (unsigned long long)s, i, (unsigned long long)a->log[i].cycle,
		              (unsigned long long)b->log[i].cycle);
	ck_assert_mem_eq(stats(a), stats(b), sizeof *stats(a));
	ck_assert_mem_eq(cache_counts(a->m->l1i.cache, 0), cache_counts(b->m->l1i.cache, 0), sizeof(struct cache_counts));
	ck_assert_uint_eq(a->sent, b->sent);
}

START_TEST(jumping_from_event_to_event_equals_stepping)
{
	uint64_t stepped = 0, jumped = 0;
	for (uint64_t s = 0; s < 120; s++) {
		struct bench *a = random_bench(s, false), *b = random_bench(s, false);
		run(a, false);
		run(b, true);
		compare(a, b, s);
		stepped += a->ticks;
		jumped += b->ticks;
		bench_free(a);
		bench_free(b);
	}
	ck_assert_uint_lt(jumped * 2, stepped); // there is something to jump over
}
END_TEST

START_TEST(with_one_of_everything_all_warps_come_to_their_end)
{
	for (uint64_t s = 0; s < 60; s++) {
		struct bench *a = random_bench(s, true), *b = random_bench(s, true);
		run(a, false);
		run(b, true);
		compare(a, b, s);
		bench_free(a);
		bench_free(b);
	}
}
END_TEST

START_TEST(a_front_end_without_work_has_nothing_to_do)
{
	struct bench *b = bench_new(a6000());
	ck_assert_uint_eq(front_next(b->m, 5), UINT64_MAX);
	ck_assert(!front_holds_requests(b->m));
	start(b, 0, straight(0, 100));
	ck_assert_uint_eq(front_next(b->m, 0), 1);
	run(b, true);
	ck_assert_uint_eq(front_next(b->m, b->now), UINT64_MAX);
	ck_assert(!front_holds_requests(b->m));
	bench_free(b);
}
END_TEST

START_TEST(what_a_stopped_warp_had_asked_for_keeps_nobody_awake)
{
	struct modern_config cfg = a6000();
	cfg.perfect_inst = true;
	struct bench *b = bench_new(cfg);
	b->m->warp[0].k = &b->run;
	front_redirect(b->m, 0, 0);
	front_fetch(b->m, 0, b->now, 0);
	ck_assert_uint_eq(front_next(b->m, b->now), b->now + 1);
	front_stop(b->m, 0);
	ck_assert_uint_eq(front_next(b->m, b->now), UINT64_MAX);
	bench_free(b);
}
END_TEST

static void keep(void *ctx, const char *line)
{
	ck_assert_uint_eq(strcspn(line, "\n") + 1, strlen(line));
	strncat(ctx, line, 400);
}

START_TEST(what_is_waited_for_can_be_described)
{
	struct bench *b = bench_new(a6000());
	char text[1000] = "";
	struct lines to = {.put = keep, .ctx = text};
	front_describe(b->m, &to);
	ck_assert_str_eq(text, "");
	start(b, 2, straight(0, 1));
	for (unsigned i = 0; i < 4; i++)
		step(b);
	front_describe(b->m, &to);
	ck_assert_ptr_nonnull(strstr(text, "gpu.sm[0].sub[2]: L0 instruction misses 1/32"));
	ck_assert_ptr_nonnull(strstr(text, "gpu.sm[0].front: to L1 4/39"));
	bench_free(b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("modern front end time");
	TCase *c = tcase_create("front");
	tcase_set_timeout(c, 300);
	tcase_add_test(c, a_constant_that_l1_has_delays_issue_by_79_cycles);
	tcase_add_test(c, constants_of_loads_go_the_same_ways);
	tcase_add_test(c, jumping_from_event_to_event_equals_stepping);
	tcase_add_test(c, with_one_of_everything_all_warps_come_to_their_end);
	tcase_add_test(c, a_front_end_without_work_has_nothing_to_do);
	tcase_add_test(c, what_a_stopped_warp_had_asked_for_keeps_nobody_awake);
	tcase_add_test(c, what_is_waited_for_can_be_described);
	suite_add_tcase(s, c);
	return check_main(s);
}
