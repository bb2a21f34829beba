#include "base/mem.h"
#include "gpgpu-sim/memory/partition.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HBM "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS"
#define VOLTA_L2 "S:32:128:24,L:B:m:L:P,A:192:4,32:0,32"
#define FERMI_L2 "S:64:128:8,L:B:m:L:L,A:256:4,4:0,32"

static struct options o;
static struct diag d;
static struct mem_pool *pool;
static struct memory *m;
static uint64_t now, seed = 1;

static uint64_t draw(void)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed;
}

static void setup(void)
{
	options_defaults(&o);
	o.gpgpu_n_mem = 4;
	o.gpgpu_n_sub_partition_per_mchannel = 2;
	o.gpgpu_mem_addr_mapping = HBM;
	o.gpgpu_cache_dl2 = "none";
	o.gpgpu_cache_dl2_texture_only = false;
	o.gpgpu_dram_partition_queues = "64:64:64:64";
	o.gpgpu_l2_rop_latency = 160;
	o.dram_latency = 100;
	o.gpgpu_frfcfs_dram_sched_queue_size = 64;
	o.gpgpu_dram_return_queue_size = 192;
	o.gpgpu_dram_buswidth = 16;
	o.gpgpu_dram_burst_length = 2;
	o.gpgpu_dram_timing_opt = "nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3";
	o.dram_dual_bus_interface = 1;
	o.dram_bnkgrp_indexing_policy = 1;
	o.gpgpu_memlatency_stat = 14;
	now = 0;
	pool = mem_pool_new(64);
}

static void make(void)
{
	m = memory_new(&o, pool, &d);
	ck_assert_msg(m, "%s", d.text);
}

static void drop(void)
{
	memory_free(m);
	m = NULL;
	now = 0;
}

static void teardown(void)
{
	memory_free(m);
	m = NULL;
	mem_pool_free(pool);
	options_free(&o);
	diag_free(&d);
}

static struct mem_req *request_of(struct mem_pool *from, uint64_t addr, uint32_t bytes, enum mem_access_type type)
{
	struct mem_req *r = mem_req_new(from);
	r->addr = addr;
	r->bytes = bytes;
	r->type = type;
	r->write = type == GLOBAL_ACC_W || type == LOCAL_ACC_W || type == L1_WRBK_ACC;
	for (unsigned b = addr % 128; b < addr % 128 + bytes && b < 128; b++) {
		r->sectors |= 1u << b / 32;
		if (r->write)
			r->mask.w[b / 64] |= 1ull << b % 64;
	}
	r->created = now;
	addr_map_place(memory_map(m), addr, &r->place);
	return r;
}

static struct mem_req *request(uint64_t addr, uint32_t bytes, enum mem_access_type type)
{
	return request_of(pool, addr, bytes, type);
}

// All clocks alike. DRAM, then L2, as GPGPU-Sim orders them.
static bool step(void)
{
	bool moved = memory_tick_dram(m, 1, now);
	moved |= memory_tick_l2(m, now);
	now++;
	return moved;
}

static struct mem_req *answer_of(unsigned sub)
{
	struct mem_req *r = memory_front(m, sub);
	ck_assert((r != NULL) == (memory_answers(m)[sub / 64] >> sub % 64 & 1));
	if (!r)
		return NULL;
	mem_req_moved(r, MEM_ON_WAY_BACK, now);
	ck_assert(r->reply && memory_pop(m, sub) == r);
	return r;
}

// Core cycles from the push to the first cycle in which the answer can be taken.
static uint64_t latency(uint64_t addr, enum mem_access_type type)
{
	struct mem_req *r = request(addr, 32, type);
	unsigned sub = r->place.sub;
	uint64_t start = now;
	memory_tick_dram(m, 1, now);
	ck_assert(memory_has_room(m, sub));
	memory_push(m, sub, r, now);
	memory_tick_l2(m, now);
	now++;
	struct mem_req *a;
	while (!(a = answer_of(sub))) {
		step();
		ck_assert(now - start < 5000);
	}
	ck_assert_ptr_eq(a, r);
	mem_req_free(pool, a);
	return now - start;
}

// Cycles without an L2, all clocks alike: ROP until it may leave, one in icnt-to-L2, the DRAM's latency queue, the
// scheduler, ACT, RCD, CL, the return queue, dram-to-L2, and the answer's queue.
enum { ROP = 160, DRAM_DELAY = 100, RCD = 12, CL = 12 };

START_TEST(an_unloaded_read_takes_the_sum_of_its_stages)
{
	make();
	// ROP leaves in cycle 160; to DRAM's queue 161; arbitrated 162; into DRAM 262; served and ACT 263; RD 275; data 287
	// into the return queue; out of it 288, to the answers in the same cycle's L2 tick; seen in 289.
	ck_assert_uint_eq(latency(0x1000, GLOBAL_ACC_R), ROP + 1 + 1 + DRAM_DELAY + 1 + RCD + CL + 1 + 1);
	uint64_t open_row = latency(0x1020, GLOBAL_ACC_R);
	ck_assert_uint_eq(open_row, ROP + 1 + 1 + DRAM_DELAY + 1 + CL + 1 + 1);
	ck_assert_uint_eq(mem_pool_live(pool), 0);
	ck_assert(memory_drained(m));
}
END_TEST

START_TEST(a_read_that_hits_l2_takes_the_rop_latency_and_two_cycles)
{
	o.gpgpu_cache_dl2 = VOLTA_L2;
	make();
	uint64_t miss = latency(0x1000, GLOBAL_ACC_R);
	ck_assert_uint_gt(miss, ROP + DRAM_DELAY + RCD + CL);
	ck_assert_uint_eq(latency(0x1000, GLOBAL_ACC_R), ROP + 1 + 1);
	ck_assert_uint_eq(latency(0x1000, GLOBAL_ACC_W), ROP + 1 + 1);
	struct cache_sums sums = {0}, one;
	for (unsigned s = 0; s < memory_n_sub(m); s++) {
		memory_l2_sums(m, s, &one);
		sums.accesses += one.accesses;
		sums.misses += one.misses;
	}
	ck_assert_uint_eq(sums.accesses, 3);
	ck_assert_uint_eq(sums.misses, 1);
}
END_TEST

START_TEST(the_simple_model_takes_its_latency)
{
	o.gpgpu_simple_dram_model = true;
	make();
	ck_assert_uint_eq(latency(0x1000, GLOBAL_ACC_R), ROP + 1 + 1 + DRAM_DELAY + 1);
	ck_assert_uint_eq(latency(0x1000, GLOBAL_ACC_W), ROP + 1 + 1 + DRAM_DELAY + 1);
}
END_TEST

START_TEST(a_sectored_l2_answers_each_sector_of_a_line)
{
	o.gpgpu_cache_dl2 = VOLTA_L2;
	make();
	struct mem_req *r = request(0x2000, 128, GLOBAL_ACC_R);
	unsigned sub = r->place.sub, seen = 0;
	ck_assert_uint_eq(memory_parts(m, r), 4);
	memory_push(m, sub, r, now);
	for (int i = 0; i < 2000 && seen != 15; i++) {
		struct mem_req *a = answer_of(sub);
		if (a) {
			ck_assert_ptr_eq(a->origin, r);
			ck_assert_uint_eq(a->bytes, 32);
			ck_assert_uint_eq(a->addr % 128 / 32, __builtin_ctz(a->sectors));
			seen |= a->sectors;
			mem_req_free(pool, a);
		}
		step();
	}
	ck_assert_uint_eq(seen, 15);
	mem_req_free(pool, r);
	ck_assert_uint_eq(mem_pool_live(pool), 0);
	// The constant cache names no sectors: the half in which its address lies.
	r = request(0x2040, 64, CONST_ACC_R);
	r->sectors = 0;
	ck_assert_uint_eq(memory_parts(m, r), 2);
	mem_req_free(pool, r);
	// A write is gone once it is split.
	r = request(0x2000, 64, GLOBAL_ACC_W);
	memory_push(m, r->place.sub, r, now);
	ck_assert_uint_eq(mem_pool_live(pool), 2);
	for (int i = 0; i < 2000; i++, step())
		if ((r = answer_of(sub))) {
			ck_assert_ptr_null(r->origin);
			ck_assert_uint_eq(r->mask.w[0], r->sectors == 1 ? 0xffffffffu : 0xffffffffull << 32);
			mem_req_free(pool, r);
		}
	ck_assert_uint_eq(mem_pool_live(pool), 0);
}
END_TEST

START_TEST(the_parts_of_a_clusters_request_are_the_memory_sides_own)
{
	o.gpgpu_cache_dl2 = VOLTA_L2;
	make();
	struct mem_pool *cluster = mem_pool_beside(pool, 1);
	struct mem_req *r = request_of(cluster, 0x2000, 128, GLOBAL_ACC_R);
	unsigned sub = r->place.sub, seen = 0;
	uint16_t own = r->pool;
	memory_push(m, sub, r, now);
	for (int i = 0; i < 2000 && seen != 15; i++, step()) {
		struct mem_req *a = answer_of(sub);
		if (!a)
			continue;
		ck_assert_uint_ne(a->pool, own);
		seen |= a->sectors;
		mem_req_free(cluster, a);
	}
	ck_assert_uint_eq(seen, 15);
	mem_req_free(cluster, r);
	ck_assert_uint_eq(mem_pool_live(pool), 0);
}
END_TEST

// While threads use them at the same time, a request of another pool is not touched until all stand still.
START_TEST(pools_apart_give_back_when_they_are_brought_home)
{
	enum { N = 100 };
	struct mem_pool *eldest = mem_pool_new(1), *a = mem_pool_beside(eldest, 1), *b = mem_pool_beside(eldest, 1);
	struct mem_req *r[N];
	mem_pool_apart(eldest, true);
	for (int i = 0; i < N; i++)
		r[i] = mem_req_new(i % 2 ? a : b);
	for (int i = 0; i < N; i++)
		mem_req_free(i % 3 ? a : b, r[i]); // some at home, some not
	ck_assert_uint_eq(mem_pool_live(eldest), 0);
	ck_assert_uint_eq(mem_pool_made(eldest), N);
	// What was freed elsewhere is not there yet ..
	struct mem_req *more[N];
	for (int i = 0; i < N; i++)
		more[i] = mem_req_new(b);
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			ck_assert(more[i] != r[k] || (k % 2 == 0 && k % 3 == 0));
	mem_pool_home(eldest);
	// .. and is behind this.
	struct mem_req *again[N / 2];
	for (int i = 0; i < N / 2; i++) {
		int k = 1;
		again[i] = mem_req_new(a);
		while (k < N && again[i] != r[k])
			k += 2;
		ck_assert_int_lt(k, N);
	}
	for (int i = 0; i < N; i++)
		mem_req_free(a, more[i]);
	for (int i = 0; i < N / 2; i++)
		mem_req_free(b, again[i]);
	mem_pool_apart(eldest, false); // brings home too
	ck_assert_uint_eq(mem_pool_live(eldest), 0);
	mem_pool_free(eldest);
}
END_TEST

START_TEST(write_backs_of_l1_are_not_answered)
{
	make();
	struct mem_req *r = request(0x3000, 32, L1_WRBK_ACC);
	memory_push(m, r->place.sub, r, now);
	ck_assert(memory_busy(m));
	for (int i = 0; i < 1000; i++)
		step();
	ck_assert(!memory_busy(m) && memory_drained(m));
	ck_assert_uint_eq(mem_pool_live(pool), 0);
}
END_TEST

// --- Random streams ---

struct traffic {
	uint64_t pushed, answered, cycles, sum; // sum: of cycle times address of each answer
};

// Clocks of L2 and DRAM as parts of the core clock: L2 ticks in l2 of `of` cycles, and so on.
struct clocks {
	unsigned of, l2, dram;
	bool skip, eager;
	unsigned more; // ticks of the DRAM in the same core cycle, behind each
	bool at_once;  // one call for all of these
};

static bool tick_dram(const struct clocks *c)
{
	if (c->at_once)
		return memory_tick_dram(m, 1 + c->more, now);
	bool moved = false;
	for (unsigned i = 0; i <= c->more; i++)
		moved |= memory_tick_dram(m, 1, now);
	return moved;
}

static bool ticks(unsigned n, unsigned of, uint64_t cycle) { return (cycle + 1) * n / of != cycle * n / of; }

// Core cycles from `now` until the DRAM has ticked n times.
static uint64_t cycles_of_ticks(const struct clocks *c, uint64_t n)
{
	uint64_t t = now;
	if (n > 100000)
		return UINT64_MAX;
	for (; n; t++)
		n -= ticks(c->dram, c->of, t);
	return t - 1 - now;
}

static void skip_quiet(const struct clocks *c, uint64_t until)
{
	uint64_t core, l2 = memory_next_l2(m), n = memory_next_dram(m, &core);
	uint64_t to = until;
	uint64_t dram_at = n == UINT64_MAX ? UINT64_MAX : now + cycles_of_ticks(c, n);
	to = l2 < to ? l2 : to;
	to = core < to ? core : to;
	to = dram_at < to ? dram_at : to;
	for (; now < to; now++) {
		memory_skip_dram(m, ticks(c->dram, c->of, now));
		memory_skip_l2(m, ticks(c->l2, c->of, now));
	}
}

// Pushes `n` random requests with random pauses, takes answers when it feels like it, and sees that each comes once.
static struct traffic run_random(uint64_t n, unsigned span_bits, bool line_requests, const struct clocks *c)
{
	struct traffic t = {0};
	uint64_t next_push = 0, next_pop = 0, quiet = 0;
	uint8_t *waiting = calloc(n * 4 + 1, 1);
	uint64_t owed = 0;
	struct mem_req *r = NULL;
	bool moved = false;
	memory_tick_all(m, c->eager);
	while (t.pushed < n || owed || memory_busy(m)) {
		moved = false;
		if (now >= next_pop) {
			bool took = false;
			for (unsigned s = 0; s < memory_n_sub(m); s++) {
				struct mem_req *a = answer_of(s);
				if (!a)
					continue;
				moved = took = true;
				struct mem_req *whole = a->origin ? a->origin : a;
				ck_assert(waiting[whole->inst] > 0);
				waiting[whole->inst]--;
				owed--;
				t.answered++;
				t.sum += now * 31 + a->addr;
				if (!a->write)
					memory_count_answer(m, 0, a, now);
				if (a->origin && !waiting[whole->inst])
					mem_req_free(pool, whole);
				mem_req_free(pool, a);
			}
			if (took)
				next_pop = now + (draw() % 16 ? 1 : draw() % 200);
		}
		if (ticks(c->dram, c->of, now))
			moved |= tick_dram(c);
		if (!r && t.pushed < n && now >= next_push) {
			uint64_t kind = draw() % 8;
			enum mem_access_type type = kind < 4 ? GLOBAL_ACC_R : kind < 7 ? GLOBAL_ACC_W : kind == 7 ? L1_WRBK_ACC : TEXTURE_ACC_R;
			uint32_t bytes = line_requests ? 32u << draw() % 3 : 32;
			r = request((draw() & ((1ull << span_bits) - 1)) / bytes * bytes, bytes, type);
			if (line_requests && draw() % 4 == 0 && type == GLOBAL_ACC_W && bytes == 32)
				r->mask.w[0] &= 0x00ff00ff00ff00ffu, r->mask.w[1] &= 0x00ff00ff00ff00ffu;
		}
		if (ticks(c->l2, c->of, now)) {
			if (r && memory_has_room(m, r->place.sub)) {
				r->inst = t.pushed++;
				r->created = now;
				unsigned parts = memory_parts(m, r);
				if (r->type != L1_WRBK_ACC) {
					waiting[r->inst] = parts;
					owed += parts;
				}
				memory_push(m, r->place.sub, r, now);
				r = NULL;
				moved = true;
				next_push = now + (draw() % 64 ? draw() % 3 : draw() % 1000);
			}
			moved |= memory_tick_l2(m, now);
		}
		now++;
		quiet = moved ? 0 : quiet + 1;
		if (quiet > 20000)
			ck_abort_msg("stuck with %d answers to come", (int)owed);
		if (!moved && c->skip && !r) {
			uint64_t until = t.pushed < n ? next_push : UINT64_MAX;
			bool any = false;
			for (unsigned s = 0; s < memory_n_sub(m); s++)
				any |= memory_front(m, s) != NULL;
			if (any && next_pop < until)
				until = next_pop;
			if (until > now && until < now + 100000)
				skip_quiet(c, until);
			else if (until == UINT64_MAX)
				skip_quiet(c, now + 1000);
		}
	}
	for (int i = 0; i < 3000; i++, now++) { // write-backs still on their way
		if (ticks(c->dram, c->of, now))
			tick_dram(c);
		if (ticks(c->l2, c->of, now))
			memory_tick_l2(m, now);
	}
	t.cycles = now;
	free(waiting);
	return t;
}

static const struct clocks alike = {.of = 1, .l2 = 1, .dram = 1};

static void configure(unsigned which)
{
	static const char *const queues[] = {"64:64:64:64", "8:8:8:8", "4:1:1:1", "1:1:1:1"};
	static const char *const l2[] = {"none", VOLTA_L2, FERMI_L2, "S:2:128:2,L:B:m:L:L,A:4:2,2:0,32", "S:4:128:2,L:B:m:F:L,A:8:2,4:0,32",
	                                 "S:4:128:2,L:T:m:N:L,A:8:2,4:0,32", "N:8:128:2,L:B:m:W:L,A:8:2,4:0,32",
	                                 "N:8:128:2,L:B:m:L:L,A:8:2,4:0,0"};
	o.gpgpu_cache_dl2 = l2[which % 8];
	o.gpgpu_dram_partition_queues = queues[which / 8 % 4];
	o.gpgpu_dram_scheduler = which % 5 != 0;
	o.dram_dual_bus_interface = which % 3 != 0;
	o.dram_seperate_write_queue_enable = which % 4 == 1;
	o.gpgpu_frfcfs_dram_sched_queue_size = which % 7 == 0 ? 0 : which % 7 == 1 ? 4 : 64;
	o.gpgpu_dram_return_queue_size = which % 7 == 1 ? 4 : 192;
	o.dram_bnk_indexing_policy = which % 3;
	o.gpgpu_n_mem = which % 6 == 4 ? 3 : 4;
	o.gpgpu_simple_dram_model = which % 11 == 10;
	o.gpgpu_dram_buswidth = which % 9 == 8 ? 8 : 16;
	if (which % 13 == 12)
		o.gpgpu_dram_timing_opt = "nbk=16:CCD=2:RRD=6:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=4:CDLR=5:WR=12:nbkgrp=4:CCDL=3:RTPL=2";
	if (which % 13 == 7)
		o.gpgpu_dram_timing_opt = "nbk=16:CCD=2:RRD=6:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=4:CDLR=5:WR=12:nbkgrp=4:CCDL=3:RTPL=2:nrank=2:FAW=30:RTRS=2:REFI=700:RFC=60";
}

START_TEST(each_request_of_a_random_stream_is_answered_once)
{
	configure(_i);
	make();
	struct traffic t = run_random(3000, _i % 2 ? 14 : 22, !strncmp(o.gpgpu_cache_dl2, "S", 1), &alike);
	ck_assert_uint_eq(t.pushed, 3000);
	ck_assert_uint_gt(t.answered, 0);
	if (memory_drained(m))
		ck_assert_uint_eq(mem_pool_live(pool), 0);
}
END_TEST

static void same_bytes(const char *what, const void *a, const void *b, size_t n)
{
	const uint64_t *x = a, *y = b;
	for (size_t i = 0; i < n / 8; i++)
		if (x[i] != y[i])
			ck_abort_msg("%s differs at number %d: %llu, %llu", what, (int)i, (unsigned long long)x[i],
			             (unsigned long long)y[i]);
}

static void same_statistics(struct memory *a, struct memory *b)
{
	for (unsigned c = 0; c < memory_n_channels(a); c++) {
		struct dram_stats x = *memory_dram_stats(a, c), y = *memory_dram_stats(b, c);
		same_bytes("a bank", x.bank, y.bank, x.n_banks * sizeof *x.bank);
		x.bank = y.bank = NULL;
		same_bytes("a channel", &x.n_cmd, &y.n_cmd, sizeof x - offsetof(struct dram_stats, n_cmd));
	}
	for (unsigned s = 0; s < memory_n_sub(a) && memory_has_l2(a); s++) {
		struct cache_sums x, y;
		memory_l2_sums(a, s, &x);
		memory_l2_sums(b, s, &y);
		same_bytes("L2 sums", &x, &y, sizeof x);
		same_bytes("L2 counts", memory_l2_counts(a, s, 0), memory_l2_counts(b, s, 0), sizeof(struct cache_counts));
	}
	same_bytes("latency", memory_latency(a), memory_latency(b), sizeof(struct memory_latency));
}

// The same traffic with each of n clocks ends alike.
static void same_traffic(unsigned which, const struct clocks *const *how, int n)
{
	struct memory *first = NULL;
	struct traffic want = {0};
	configure(which);
	for (int k = 0; k < n; k++) {
		seed = 77 + which;
		now = 0;
		make();
		struct traffic t = run_random(1500, which % 2 ? 13 : 22, !strncmp(o.gpgpu_cache_dl2, "S", 1), how[k]);
		if (!first) {
			first = m;
			want = t;
			continue;
		}
		ck_assert_uint_eq(t.cycles, want.cycles);
		ck_assert_uint_eq(t.sum, want.sum);
		same_statistics(first, m);
		drop();
	}
	memory_free(first);
}

START_TEST(skipping_equals_ticking)
{
	const struct clocks ratio[] = {{.of = 1, .l2 = 1, .dram = 1}, {.of = 7, .l2 = 6, .dram = 5}, {.of = 4, .l2 = 4, .dram = 3}};
	struct clocks every = ratio[_i % 3], sleepy = every, skipping = every;
	every.eager = true;
	skipping.skip = true;
	same_traffic((unsigned)_i, (const struct clocks *[]){&every, &sleepy, &skipping}, 3);
}
END_TEST

START_TEST(several_ticks_of_the_dram_at_once_are_those_one_by_one)
{
	const struct clocks ratio[] = {
		{.of = 1, .l2 = 1, .dram = 1, .more = 1}, {.of = 3, .l2 = 3, .dram = 1, .more = 2}, {.of = 4, .l2 = 3, .dram = 2, .more = 1},
	};
	struct clocks apart = ratio[_i % 3], at_once = apart, eager = apart;
	at_once.at_once = true;
	eager.eager = true;
	same_traffic((unsigned)_i, (const struct clocks *[]){&eager, &apart, &at_once}, 3);
}
END_TEST

START_TEST(ticks_without_work_do_not_look_at_channels)
{
	make();
	for (int i = 0; i < 10; i++)
		step();
	uint64_t core;
	ck_assert_uint_eq(memory_next_l2(m), UINT64_MAX);
	ck_assert_uint_eq(memory_next_dram(m, &core), UINT64_MAX);
	ck_assert_uint_eq(core, UINT64_MAX);
	memory_skip_dram(m, 1000000);
	const struct dram_stats *s = memory_dram_stats(m, 3);
	ck_assert_uint_eq(s->n_cmd, 1000010);
	ck_assert_uint_eq(s->n_nop, 1000010);
	ck_assert_uint_eq(s->idle_bw, 1000010);
	ck_assert_uint_eq(s->bank[5].n_idle, 1000010);
	ck_assert_uint_eq(s->n_activity, 0);
}
END_TEST

START_TEST(a_host_copy_fills_l2)
{
	o.gpgpu_cache_dl2 = VOLTA_L2;
	make();
	memory_host_copy(m, 0x10000, 4096, true, now);
	ck_assert_uint_eq(latency(0x10000 + 4064, GLOBAL_ACC_R), ROP + 1 + 1);
	ck_assert_uint_gt(latency(0x10000 + 4096, GLOBAL_ACC_R), ROP + DRAM_DELAY);
	memory_invalidate_l2(m);
	ck_assert_uint_gt(latency(0x10000 + 4064, GLOBAL_ACC_R), ROP + DRAM_DELAY);
}
END_TEST

static void put_line(void *ctx, const char *line) { strcat(strcat(ctx, line), "\n"); }

START_TEST(a_report_names_what_is_inside)
{
	char text[8192] = "";
	make();
	ck_assert_int_eq(memory_describe(m, put_line, text), 0);
	struct mem_req *r = request(0x1000, 32, GLOBAL_ACC_R);
	memory_push(m, r->place.sub, r, now);
	ck_assert_int_gt(memory_describe(m, put_line, text), 0);
	ck_assert_ptr_nonnull(strstr(text, "ROP delay holds 1; first: #1 GLOBAL_ACC_R 0x1000"));
	while (now < 270)
		step();
	*text = 0;
	memory_describe(m, put_line, text);
	ck_assert_ptr_nonnull(strstr(text, "bank "));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("partition");
	TCase *t = tcase_create("partition");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, an_unloaded_read_takes_the_sum_of_its_stages);
	tcase_add_test(t, a_read_that_hits_l2_takes_the_rop_latency_and_two_cycles);
	tcase_add_test(t, the_simple_model_takes_its_latency);
	tcase_add_test(t, a_sectored_l2_answers_each_sector_of_a_line);
	tcase_add_test(t, the_parts_of_a_clusters_request_are_the_memory_sides_own);
	tcase_add_test(t, pools_apart_give_back_when_they_are_brought_home);
	tcase_add_test(t, write_backs_of_l1_are_not_answered);
	tcase_add_loop_test(t, each_request_of_a_random_stream_is_answered_once, 0, 64);
	tcase_add_loop_test(t, skipping_equals_ticking, 0, 64);
	tcase_add_loop_test(t, several_ticks_of_the_dram_at_once_are_those_one_by_one, 0, 64);
	tcase_add_test(t, ticks_without_work_do_not_look_at_channels);
	tcase_add_test(t, a_host_copy_fills_l2);
	tcase_add_test(t, a_report_names_what_is_inside);
	suite_add_tcase(s, t);
	return check_main(s);
}
