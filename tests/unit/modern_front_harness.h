// The front end of the modern core, driven by a small core of the test's: warps that run down straight code with jumps and
// constant operands, sub-cores that issue the first ready one, and a network that answers after a while. L1 I/C is real.
//
//	struct bench *b = bench_new(a6000());
//	start(b, 0, straight(0, 40)); // warp 0 runs 40 instructions from pc 0 on
//	run(b, false);
//	issue_cycle(b, 0, 0, 39);     // when it issued the last one
//	bench_free(b);
#ifndef TESTS_MODERN_FRONT_HARNESS_H
#define TESTS_MODERN_FRONT_HARNESS_H

#include "gpgpu-sim/modern/modern.h"

#include "base/mem.h"

#include <check.h>

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

static inline uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15;
	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9;
	return x ^ x >> 32;
}

static inline bool icnt_full(void *ctx, unsigned cluster, unsigned bytes)
{
	const struct bench *b = ctx;
	return mix(b->now) % 8 < b->full;
}

static inline void icnt_push(void *ctx, struct mem_req *r)
{
	struct bench *b = ctx;
	ck_assert_int_eq(r->type, INST_ACC_R);
	ck_assert_uint_lt(b->n_net, MAX_NET);
	unsigned i = (b->head + b->n_net++) % MAX_NET;
	b->net[i].r = r;
	b->net[i].at = b->now + b->delay;
	b->sent++;
}

static inline uint32_t follows_path(const struct fe_cta *c, unsigned warp, uint64_t *pc) { return 1; }

static inline struct cache_form form(const char *text)
{
	struct cache_form f;
	struct form_error e;
	ck_assert_msg(form_cache(text, &f, &e), "%s: %s", text, e.why);
	return f;
}

// RTX A6000, with the stream buffer of the paper's baseline.
static inline struct modern_config a6000(void)
{
	return (struct modern_config){
		.l0i = form("N:8:128:32,L:R:f:N:L,S:32:16,8"),
		.l0fl = form("N:4:64:2,L:R:f:N:L,S:32:32,32"),
		.to_l1 = 39, .from_l1 = 39, .l1_requests = 1, .l1_replies = 1,
		.prefetch = true, .stream_lines = 8, .ibuffer = 3,
	};
}

static inline struct bench *bench_with(struct modern_config cfg, const char *il1)
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

static inline struct bench *bench_new(struct modern_config cfg) { return bench_with(cfg, "N:64:128:16,L:R:f:N:L,S:32:32,32"); }

static inline void bench_free(struct bench *b)
{
	front_free(b->m->modern->front);
	mem_free(b->m->modern);
	ldst_free(&b->m->ldst);
	cache_free(b->m->l1i.cache);
	mem_pool_free(b->m->pool);
	mem_free(b->m);
	mem_free(b);
}

static inline const struct front_stats *stats(const struct bench *b) { return front_counts(b->m->modern->front); }

// Now, before the cycle's tick: the warp runs from pc first * 16 on.
static inline void start(struct bench *b, unsigned warp, struct program p)
{
	b->program[warp] = p;
	b->done[warp] = 0;
	b->pc[warp] = p.first * 16;
	b->busy |= (uint64_t)1 << warp;
	b->m->warp[warp].k = &b->run;
	b->m->age[warp] = b->m->next_age++;
	front_redirect(b->m, warp, b->pc[warp]);
}

static inline uint64_t choice(const struct bench *b, unsigned warp, unsigned salt)
{
	return mix(b->program[warp].seed * 1000003 + b->done[warp] * 8 + salt);
}

// False: its constant is missing.
static inline bool issue(struct bench *b, unsigned s, unsigned warp)
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

static inline uint64_t ready_warps(const struct sm *m) { return front_sets(m->modern->front)->ready; }

// True if it issued or could in the next cycle.
static inline bool issue_one(struct bench *b, unsigned s)
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

static inline bool tick(struct bench *b)
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

static inline void step(struct bench *b)
{
	tick(b);
	b->now++;
}

// Until all warps have ended and nothing is under way; `jump`: by front_next.
static inline void run(struct bench *b, bool jump)
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

static inline struct program straight(uint64_t first, uint64_t n) { return (struct program){.first = first, .n = n}; }

// The cycle in which a warp issued its n-th instruction from log entry `from` on.
static inline uint64_t issue_cycle(const struct bench *b, unsigned from, unsigned warp, unsigned n)
{
	for (unsigned i = from; i < b->n_log; i++)
		if (b->log[i].warp == warp && n-- == 0)
			return b->log[i].cycle;
	ck_abort_msg("warp %u has not issued", warp);
	return 0;
}

#endif
