// The front end of the modern core, driven by a small core of the test's: warps that run down straight code with jumps and
// constant operands, sub-cores that issue the first ready one, and a network that answers after a while. L1 I/C is real.
#include "gpgpu-sim/modern/l0_cache.h"
#include "gpgpu-sim/modern/modern.h"

#include "base/lines.h"
#include "base/mem.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 128, PER_LINE = LINE / 16, MAX_LOG = 4000, MAX_NET = 4096, FOREVER = 1000000 };

// What a warp runs: the n-th instruction of it is followed by the next one or jumps, and may have a constant operand. All
// of it follows from the seed.
struct program {
	uint64_t first, n;  // instructions
	uint64_t seed;      // 0: straight, without constants
	unsigned jump, constant; // one in so many, 0 none
	uint64_t size;      // pcs it jumps to lie below
};

struct issued {
	uint64_t cycle, pc;
	unsigned warp;
};

struct bench {
	struct core_config core;
	struct modern_config cfg;
	struct sm *m;
	struct sm_world world;
	struct frontend_ops fe;
	struct kernel_launch launch;
	struct kernel_run run;
	struct program program[CORE_MAX_WARPS];
	uint64_t done[CORE_MAX_WARPS], pc[CORE_MAX_WARPS];
	uint64_t busy;            // warps that have not ended
	unsigned greedy[MODERN_SUBCORES];
	uint64_t now, ticks;
	// Network
	struct { struct mem_req *r; uint64_t at; } net[MAX_NET];
	unsigned head, n_net, sent;
	uint64_t delay;
	unsigned full;            // refuses packets in this many of 8 cycles
	struct issued log[MAX_LOG];
	unsigned n_log;
	uint64_t ended;
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15;
	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9;
	return x ^ x >> 32;
}

static bool icnt_full(void *ctx, unsigned cluster, unsigned bytes)
{
	const struct bench *b = ctx;
	return mix(b->now) % 8 < b->full;
}

static void icnt_push(void *ctx, struct mem_req *r)
{
	struct bench *b = ctx;
	ck_assert_int_eq(r->type, INST_ACC_R);
	ck_assert_uint_lt(b->n_net, MAX_NET);
	unsigned i = (b->head + b->n_net++) % MAX_NET;
	b->net[i].r = r;
	b->net[i].at = b->now + b->delay;
	b->sent++;
}

static uint32_t follows_path(const struct fe_cta *c, unsigned warp, uint64_t *pc) { return 1; }

// Code of 20 instructions, for front ends that know where it ends.
static const struct isa_inst *short_code(const void *code, uint64_t pc)
{
	static const struct isa_inst some;
	return pc / 16 < 20 ? &some : NULL;
}

static struct cache_form form(const char *text)
{
	struct cache_form f;
	struct form_error e;
	ck_assert_msg(form_cache(text, &f, &e), "%s: %s", text, e.why);
	return f;
}

// RTX A6000, with the stream buffer of the paper's baseline.
static struct modern_config a6000(void)
{
	return (struct modern_config){
		.l0i = form("N:8:128:32,L:R:f:N:L,S:32:16,8"),
		.l0fl = form("N:4:64:2,L:R:f:N:L,S:32:32,32"),
		.to_l1 = 39, .from_l1 = 39, .l1_requests = 1, .l1_replies = 1,
		.prefetch = true, .stream_lines = 8, .ibuffer = 3,
	};
}

static struct bench *bench_with(struct modern_config cfg, const char *il1)
{
	struct bench *b = MEM_NEW(struct bench);
	b->cfg = cfg;
	b->core = (struct core_config){.n_clusters = 1, .cores_per_cluster = 1, .n_sm = 1, .warp_size = 32, .max_warps = 64, .l1_banks = 1,
	                               .shared_latency = 1, .response_buffer = 2, .l1i = form(il1)};
	b->fe = (struct frontend_ops){.name = "test", .inst_bytes = 16, .path = follows_path};
	b->launch.fe = &b->fe;
	b->run.launch = &b->launch;
	b->world = (struct sm_world){.ctx = b, .icnt_full = icnt_full, .icnt_push = icnt_push};
	b->delay = 200;
	b->m = MEM_NEW(struct sm);
	b->m->cfg = &b->core;
	b->m->world = &b->world;
	b->m->pool = mem_pool_new(16);
	ldst_init(&b->m->ldst, b->m);
	b->m->modern = MEM_NEW(struct modern);
	b->m->modern->cfg = &b->cfg;
	b->m->modern->front = front_new(b->m, &b->cfg);
	for (unsigned s = 0; s < MODERN_SUBCORES; s++)
		b->greedy[s] = CORE_MAX_WARPS;
	b->now = 1;
	return b;
}

static struct bench *bench_new(struct modern_config cfg) { return bench_with(cfg, "N:64:128:16,L:R:f:N:L,S:32:32,32"); }

static void bench_free(struct bench *b)
{
	front_free(b->m->modern->front);
	mem_free(b->m->modern);
	ldst_free(&b->m->ldst);
	cache_free(b->m->l1i.cache);
	mem_pool_free(b->m->pool);
	mem_free(b->m);
	mem_free(b);
}

static const struct front_stats *stats(const struct bench *b) { return front_counts(b->m->modern->front); }

// Now, before the cycle's tick: the warp runs from pc first * 16 on.
static void start(struct bench *b, unsigned warp, struct program p)
{
	b->program[warp] = p;
	b->done[warp] = 0;
	b->pc[warp] = p.first * 16;
	b->busy |= (uint64_t)1 << warp;
	b->m->warp[warp].k = &b->run;
	b->m->age[warp] = b->m->next_age++;
	front_redirect(b->m, warp, b->pc[warp]);
}

static uint64_t choice(const struct bench *b, unsigned warp, unsigned salt)
{
	return mix(b->program[warp].seed * 1000003 + b->done[warp] * 8 + salt);
}

// False: its constant is missing.
static bool issue(struct bench *b, unsigned s, unsigned warp)
{
	const struct program *p = &b->program[warp];
	if (p->constant && choice(b, warp, 0) % p->constant == 0 &&
	    front_constant(b->m, s, choice(b, warp, 1) % 64 * 16, 0) != FRONT_HIT)
		return false;
	ck_assert_uint_lt(b->n_log, MAX_LOG);
	b->log[b->n_log++] = (struct issued){b->now, b->pc[warp], warp};
	front_consume(b->m, warp);
	b->greedy[s] = warp;
	b->pc[warp] += 16;
	bool jumps = p->jump && choice(b, warp, 2) % p->jump == 0;
	if (jumps)
		b->pc[warp] = choice(b, warp, 3) % p->size * 16;
	if (++b->done[warp] == p->n) {
		b->busy &= ~((uint64_t)1 << warp);
		b->ended = b->now;
		front_stop(b->m, warp);
	} else if (jumps) {
		front_redirect(b->m, warp, b->pc[warp]);
	}
	return true;
}

static uint64_t ready_warps(const struct sm *m) { return front_sets(m->modern->front)->ready; }

// True if it issued or could in the next cycle.
static bool issue_one(struct bench *b, unsigned s)
{
	uint64_t ready = ready_warps(b->m) & 0x1111111111111111ull << s;
	unsigned g = b->greedy[s];
	if (g < CORE_MAX_WARPS && ready >> g & 1) {
		if (issue(b, s, g))
			return true;
		ready &= ~((uint64_t)1 << g);
	}
	for (; ready; ready &= ready - 1)
		if (issue(b, s, (unsigned)__builtin_ctzll(ready)))
			return true;
	return false;
}

static bool tick(struct bench *b)
{
	bool again = false;
	b->m->now = b->now;
	b->ticks++;
	while (b->n_net && b->net[b->head].at <= b->now) {
		front_accept(b->m, b->net[b->head].r, b->now);
		b->head = (b->head + 1) % MAX_NET;
		b->n_net--;
	}
	front_tick_l1(b->m, b->now);
	for (unsigned s = 0; s < MODERN_SUBCORES; s++) {
		again |= issue_one(b, s);
		front_fetch(b->m, s, b->now, b->greedy[s]);
	}
	front_tick_l0(b->m, b->now);
	return again;
}

static void step(struct bench *b)
{
	tick(b);
	b->now++;
}

// Until all warps have ended and nothing is under way; `jump`: by front_next.
static void run(struct bench *b, bool jump)
{
	uint64_t from = b->now;
	while (b->busy || b->n_net || front_holds_requests(b->m)) {
		ck_assert_msg(b->now < from + FOREVER, "hangs at %llu", (unsigned long long)b->now);
		uint64_t next = b->now + 1;
		if (!tick(b) && jump) {
			next = front_next(b->m, b->now);
			if (b->n_net && b->net[b->head].at < next)
				next = b->net[b->head].at;
			ck_assert_uint_gt(next, b->now);
			ck_assert_msg(next < UINT64_MAX || !b->busy, "nothing moves at %llu", (unsigned long long)b->now);
			if (next == UINT64_MAX)
				next = b->now + 1;
			front_skip(b->m, next - b->now - 1);
		}
		b->now = next;
	}
	ck_assert_uint_eq(mem_pool_live(b->m->pool), 0);
}

static struct program straight(uint64_t first, uint64_t n) { return (struct program){.first = first, .n = n}; }

// The cycle in which a warp issued its n-th instruction from log entry `from` on.
static uint64_t issue_cycle(const struct bench *b, unsigned from, unsigned warp, unsigned n)
{
	for (unsigned i = from; i < b->n_log; i++)
		if (b->log[i].warp == warp && n-- == 0)
			return b->log[i].cycle;
	ck_abort_msg("warp %u has not issued", warp);
	return 0;
}

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
