#include "gpgpu-sim/cache/cache.h"
#include "gpgpu-sim/cache/set_index.h"
#include "tests/unit/random.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

// A cache with a level below that keeps what it is sent until the test answers.
static struct mem_pool *pool;
static struct cache *c;
static enum cache_role role;
static struct mem_req *down[256];
static unsigned n_down, room = 256;
static bool split;
static unsigned line_bytes;
static uint64_t now;
static unsigned events;

static bool below_full(void *ctx, const struct mem_req *r) { return n_down >= room; }
static void below_push(void *ctx, struct mem_req *r) { down[n_down++] = r; }

static struct cache_config config(const char *text, enum cache_role as)
{
	struct cache_config k = {.role = as, .name = "test"};
	struct form_error e;
	ck_assert_msg(form_cache(text, &k.form, &e), "%s: %s", text, e.why);
	return k;
}

static void make_from(struct cache_config k)
{
	ck_assert_msg(!cache_config_wrong(&k), "%s", cache_config_wrong(&k));
	role = k.role;
	split = k.form.mshr == 'S' || k.form.mshr == 'T';
	line_bytes = k.form.line;
	n_down = 0;
	room = 256;
	now = 1;
	pool = mem_pool_new(16);
	c = cache_new(&k, pool, (struct cache_below){.full = below_full, .push = below_push});
}

static void make(const char *text, enum cache_role as) { make_from(config(text, as)); }

// Every request of the test must be gone.
static void done(void)
{
	ck_assert_uint_eq(mem_pool_live(pool), 0);
	cache_free(c);
	mem_pool_free(pool);
}

static struct mem_req *request(enum mem_access_type type, uint64_t addr, uint32_t bytes)
{
	struct mem_req *r = mem_req_new(pool);
	r->type = type;
	r->write = type == GLOBAL_ACC_W || type == LOCAL_ACC_W || type == L1_WRBK_ACC;
	r->addr = r->place.offset = addr;
	r->bytes = bytes;
	r->sectors = 1u << (addr / MEM_SECTOR & 3);
	for (unsigned i = addr & 127; i < (addr & 127) + bytes && i < 128; i++)
		r->mask.w[i / 64] |= UINT64_C(1) << i % 64;
	return r;
}

// One access a cycle; a request that the cache does not take is freed.
static enum cache_status use(struct mem_req *r)
{
	bool write = r->write;
	enum cache_status s = cache_access(c, r, ++now, &events);
	if (!cache_took(s, write, events))
		mem_req_free(pool, r);
	return s;
}

static enum cache_status get(uint64_t addr) { return use(request(GLOBAL_ACC_R, addr, 32)); }
static enum cache_status put(uint64_t addr, uint32_t bytes) { return use(request(GLOBAL_ACC_W, addr, bytes)); }

static void tick(unsigned n)
{
	while (n--)
		cache_tick(c);
}

// Answers what was sent first; writes just end.
static void answer(void)
{
	tick(8);
	ck_assert_uint_gt(n_down, 0);
	struct mem_req *r = down[0];
	memmove(down, down + 1, --n_down * sizeof *down);
	if (r->write) {
		mem_req_free(pool, r);
		return;
	}
	ck_assert(cache_waits_for(c, r));
	if (!split) {
		cache_fill(c, r, ++now);
		return;
	}
	for (unsigned i = 0; i < line_bytes / MEM_SECTOR; i++) {
		struct mem_req *s = mem_req_new(pool);
		s->addr = r->addr + i * MEM_SECTOR;
		s->origin = r;
		ck_assert(cache_waits_for(c, s));
		cache_fill(c, s, ++now);
	}
}

// Takes all answers; returns how many.
static unsigned collect(void)
{
	unsigned n = 0;
	for (; cache_access_ready(c); n++) {
		struct mem_req *r = cache_next_access(c);
		if ((r->type == L1_WR_ALLOC_R || r->type == L2_WR_ALLOC_R) && r->origin)
			mem_req_free(pool, r->origin);
		mem_req_free(pool, r);
	}
	return n;
}

static unsigned settle(void)
{
	unsigned n = 0;
	do {
		tick(64);
		while (n_down)
			answer();
		n += collect();
	} while (!cache_idle(c) || n_down);
	return n;
}

static void load(uint64_t addr)
{
	ck_assert_int_eq(get(addr), CACHE_MISS);
	settle();
}

static uint64_t counted(enum mem_access_type t, enum cache_status s) { return cache_counts(c, 0)->n[t][s]; }
static uint64_t failed(enum mem_access_type t, enum cache_fail f) { return cache_counts(c, 0)->fail[t][f]; }

START_TEST(a_read_that_missed_hits_once_its_answer_came)
{
	make("N:4:128:2,L:L:m:N:L,A:4:4,4", CACHE_L1D);
	struct mem_req *r = request(GLOBAL_ACC_R, 0x1020, 32);
	ck_assert_int_eq(cache_access(c, r, now, &events), CACHE_MISS);
	ck_assert_uint_eq(events, CACHE_SENT_READ);
	ck_assert(!cache_idle(c) && cache_tick(c));
	ck_assert_ptr_eq(down[0], r);
	ck_assert_uint_eq(r->addr, 0x1000); // the whole line is fetched
	ck_assert_uint_eq(r->bytes, 128);
	ck_assert(!cache_access_ready(c));
	answer();
	ck_assert_uint_eq(r->addr, 0x1020); // and the request is what it was
	ck_assert_uint_eq(r->bytes, 32);
	ck_assert_ptr_eq(cache_next_access(c), r);
	ck_assert(!cache_access_ready(c));
	mem_req_free(pool, r);
	ck_assert_int_eq(get(0x1060), CACHE_HIT);
	ck_assert_uint_eq(events, 0);
	ck_assert_uint_eq(counted(GLOBAL_ACC_R, CACHE_MISS), 1);
	ck_assert_uint_eq(counted(GLOBAL_ACC_R, CACHE_HIT), 1);
	done();
}
END_TEST

START_TEST(the_line_used_longest_ago_makes_room)
{
	make("N:1:128:2,L:L:m:N:L,A:4:4,4", CACHE_L1D);
	load(0x000);
	load(0x100);
	ck_assert_int_eq(get(0x000), CACHE_HIT);
	load(0x200);
	ck_assert_int_eq(get(0x000), CACHE_HIT);
	ck_assert_int_eq(get(0x100), CACHE_MISS);
	settle();
	done();
}
END_TEST

START_TEST(with_fifo_the_line_that_came_first_makes_room)
{
	make("N:1:128:2,F:L:m:N:L,A:4:4,4", CACHE_L1D);
	load(0x000);
	load(0x100);
	ck_assert_int_eq(get(0x000), CACHE_HIT);
	load(0x200);
	ck_assert_int_eq(get(0x100), CACHE_HIT);
	ck_assert_int_eq(get(0x000), CACHE_MISS);
	settle();
	done();
}
END_TEST

START_TEST(among_lines_used_in_one_cycle_the_lowest_way_makes_room)
{
	make("N:1:128:3,L:L:m:N:L,A:4:4,8", CACHE_L1D);
	for (unsigned i = 0; i < 3; i++) // empty lines are taken from the last way down
		load(i * 128);
	for (unsigned i = 0; i < 3; i++) {
		struct mem_req *r = request(GLOBAL_ACC_R, i * 128, 32);
		ck_assert_int_eq(cache_access(c, r, 1000, &events), CACHE_HIT);
		mem_req_free(pool, r);
	}
	now = 1000;
	load(0x1000);
	ck_assert_int_eq(get(0x000), CACHE_HIT);
	ck_assert_int_eq(get(0x080), CACHE_HIT);
	ck_assert_int_eq(get(0x100), CACHE_MISS);
	settle();
	done();
}
END_TEST

START_TEST(sectors_of_a_line_miss_one_by_one)
{
	make("S:4:128:2,L:L:m:N:L,A:8:4,8:0,32", CACHE_L1D);
	load(0x1000);
	ck_assert_int_eq(get(0x1010), CACHE_HIT);
	ck_assert_int_eq(get(0x1020), CACHE_MISS);
	ck_assert_uint_eq(counted(GLOBAL_ACC_R, CACHE_SECTOR_MISS), 1);
	ck_assert_int_eq(get(0x1020), CACHE_MISS); // on its way
	ck_assert_uint_eq(counted(GLOBAL_ACC_R, CACHE_HIT_RESERVED), 1);
	ck_assert_uint_eq(counted(GLOBAL_ACC_R, CACHE_MSHR_HIT), 1);
	ck_assert_int_eq(get(0x1000), CACHE_HIT);
	tick(4);
	ck_assert_uint_eq(n_down, 1);
	ck_assert_uint_eq(down[0]->bytes, 32);
	ck_assert_uint_eq(settle(), 2);
	struct cache_sums s;
	cache_sums(c, &s);
	ck_assert_uint_eq(s.accesses, 5);
	ck_assert_uint_eq(s.misses, 2);
	ck_assert_uint_eq(s.pending_hits, 1);
	done();
}
END_TEST

// What a write does on a line that is not there, then reads of it, then a write on a line that is.
static const struct write_case {
	const char *text;
	enum mem_access_type type;
	uint32_t bytes;
	unsigned miss_events;
	enum cache_status read_after; // the written sector, when all is settled
	enum cache_status hit;        // a write on a line that was read
	unsigned hit_events;
	enum cache_status read_after_hit;
} write_cases[] = {
	// no allocation: the write goes down; on a hit back, through, evict
	{"S:4:128:2,L:B:m:N:L,A:8:4,8:0,32", GLOBAL_ACC_W, 8, CACHE_SENT_WRITE, CACHE_MISS, CACHE_HIT, 0, CACHE_HIT},
	{"S:4:128:2,L:T:m:N:L,A:8:4,8:0,32", GLOBAL_ACC_W, 8, CACHE_SENT_WRITE, CACHE_MISS, CACHE_HIT, CACHE_SENT_WRITE, CACHE_HIT},
	{"S:4:128:2,L:E:m:N:L,A:8:4,8:0,32", GLOBAL_ACC_W, 8, CACHE_SENT_WRITE, CACHE_MISS, CACHE_HIT, CACHE_SENT_WRITE, CACHE_MISS},
	{"N:4:128:2,L:E:m:N:L,A:8:4,8", GLOBAL_ACC_W, 8, CACHE_SENT_WRITE, CACHE_MISS, CACHE_HIT, CACHE_SENT_WRITE, CACHE_MISS},
	{"S:4:128:2,L:L:m:N:L,A:8:4,8:0,32", GLOBAL_ACC_W, 8, CACHE_SENT_WRITE, CACHE_MISS, CACHE_HIT, CACHE_SENT_WRITE, CACHE_MISS},
	{"S:4:128:2,L:L:m:N:L,A:8:4,8:0,32", LOCAL_ACC_W, 8, CACHE_SENT_WRITE, CACHE_MISS, CACHE_HIT, 0, CACHE_HIT},
	// write-allocate: the write and a read go down
	{"S:4:128:2,L:B:m:W:L,A:8:4,8:0,32", GLOBAL_ACC_W, 8, CACHE_SENT_WRITE | CACHE_SENT_ALLOCATE, CACHE_HIT, CACHE_HIT, 0, CACHE_HIT},
	{"N:4:128:2,L:T:m:W:L,A:8:4,8", GLOBAL_ACC_W, 8, CACHE_SENT_WRITE | CACHE_SENT_ALLOCATE, CACHE_HIT, CACHE_HIT, CACHE_SENT_WRITE, CACHE_HIT},
	// fetch on write: the rest of the sector is fetched, unless there is none
	{"S:4:128:2,L:B:m:F:L,A:8:4,8:0,32", GLOBAL_ACC_W, 8, CACHE_SENT_ALLOCATE, CACHE_HIT, CACHE_HIT, 0, CACHE_HIT},
	{"S:4:128:2,L:B:m:F:L,A:8:4,8:0,32", GLOBAL_ACC_W, 32, 0, CACHE_HIT, CACHE_HIT, 0, CACHE_HIT},
	// lazy fetch on read: nothing is fetched until a read finds bytes missing
	{"S:4:128:2,L:B:m:L:L,A:8:4,8:0,32", GLOBAL_ACC_W, 8, 0, CACHE_MISS, CACHE_HIT, 0, CACHE_HIT},
	{"S:4:128:2,L:B:m:L:L,A:8:4,8:0,32", GLOBAL_ACC_W, 32, 0, CACHE_HIT, CACHE_HIT, 0, CACHE_HIT},
	{"S:4:128:2,L:T:m:L:L,A:8:4,8:0,32", GLOBAL_ACC_W, 8, CACHE_SENT_WRITE, CACHE_MISS, CACHE_HIT, CACHE_SENT_WRITE, CACHE_HIT},
	{"S:4:128:2,L:T:m:L:L,A:8:4,8:0,32", GLOBAL_ACC_W, 32, CACHE_SENT_WRITE, CACHE_HIT, CACHE_HIT, CACHE_SENT_WRITE, CACHE_HIT},
};

START_TEST(each_write_policy_does_what_it_says)
{
	const struct write_case *w = &write_cases[_i];
	make(w->text, CACHE_L1D);
	ck_assert_int_eq(use(request(w->type, 0x1000, w->bytes)), CACHE_MISS);
	ck_assert_msg(events == w->miss_events, "%s: a miss sends %u", w->text, events);
	settle();
	enum cache_status s = get(0x1000);
	ck_assert_msg(s == w->read_after, "%s: the read after it gives %d", w->text, s);
	settle();
	load(0x2000);
	s = use(request(w->type, 0x2000, w->bytes));
	ck_assert_msg(s == w->hit && events == w->hit_events, "%s: a hit gives %d and sends %u", w->text, s, events);
	settle();
	s = get(0x2000);
	ck_assert_msg(s == w->read_after_hit, "%s: the read after the hit gives %d", w->text, s);
	settle();
	done();
}
END_TEST

START_TEST(a_dirty_line_that_makes_room_is_written_back_with_its_bytes)
{
	make("S:1:128:1,L:B:m:L:L,A:8:4,8:0,32", CACHE_L2);
	put(0x1000, 8);
	put(0x1020, 32);
	ck_assert_int_eq(get(0x2000), CACHE_MISS);
	ck_assert_uint_eq(events, CACHE_SENT_READ | CACHE_SENT_WRITEBACK);
	tick(4);
	ck_assert_uint_eq(n_down, 2);
	const struct mem_req *wb = down[1];
	ck_assert_int_eq(wb->type, L2_WRBK_ACC);
	ck_assert(wb->write);
	ck_assert_uint_eq(wb->addr, 0x1000);
	ck_assert_uint_eq(wb->bytes, 64);
	ck_assert_uint_eq(wb->sectors, 3);
	ck_assert_uint_eq(wb->mask.w[0], UINT64_C(0xffffffff000000ff));
	settle();
	done();
}
END_TEST

START_TEST(write_through_has_nothing_to_write_back)
{
	make("S:1:128:1,L:T:m:L:L,A:8:4,8:0,32", CACHE_L1D);
	put(0x1000, 32);
	settle();
	ck_assert_int_eq(get(0x2000), CACHE_MISS);
	ck_assert_uint_eq(events, CACHE_SENT_READ);
	settle();
	done();
}
END_TEST

START_TEST(a_sector_becomes_readable_when_writes_have_filled_it)
{
	make("S:4:128:2,L:B:m:L:L,A:8:4,8:0,32", CACHE_L2);
	put(0x1000, 16);
	put(0x1010, 16);
	ck_assert_int_eq(get(0x1000), CACHE_HIT);
	put(0x1020, 16);
	put(0x1028, 16);
	ck_assert_int_eq(get(0x1020), CACHE_MISS); // 8 bytes are missing
	ck_assert_uint_eq(counted(GLOBAL_ACC_R, CACHE_SECTOR_MISS), 1);
	settle();
	ck_assert_int_eq(get(0x1020), CACHE_HIT);
	done();
}
END_TEST

START_TEST(an_atomic_leaves_its_line_dirty)
{
	make("S:1:128:1,L:B:m:L:L,A:8:4,8:0,32", CACHE_L2);
	struct mem_req *r = request(GLOBAL_ACC_R, 0x1000, 4);
	r->atomic = true;
	ck_assert_int_eq(use(r), CACHE_MISS);
	settle();
	ck_assert_int_eq(get(0x2000), CACHE_MISS);
	ck_assert(events & CACHE_SENT_WRITEBACK);
	settle();
	r = request(GLOBAL_ACC_R, 0x2000, 4);
	r->atomic = true;
	ck_assert_int_eq(use(r), CACHE_HIT);
	ck_assert_int_eq(get(0x3000), CACHE_MISS);
	ck_assert(events & CACHE_SENT_WRITEBACK);
	settle();
	done();
}
END_TEST

START_TEST(requests_for_one_line_are_fetched_once_and_come_back_in_order)
{
	make("N:4:128:2,L:L:m:N:L,A:4:3,4", CACHE_L1D);
	struct mem_req *r[3];
	for (unsigned i = 0; i < 3; i++) {
		r[i] = request(GLOBAL_ACC_R, 0x1000 + 32 * i, 32);
		ck_assert_int_eq(cache_access(c, r[i], ++now, &events), CACHE_MISS);
		ck_assert_uint_eq(events, i ? 0 : CACHE_SENT_READ);
	}
	ck_assert_int_eq(get(0x1060), CACHE_RESERVATION_FAIL);
	ck_assert_uint_eq(failed(GLOBAL_ACC_R, CACHE_MSHR_MERGE_ENRTY_FAIL), 1);
	ck_assert_int_eq(cache_last_fail(c), CACHE_MSHR_MERGE_ENRTY_FAIL);
	tick(4);
	ck_assert_uint_eq(n_down, 1);
	answer();
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_ptr_eq(cache_next_access(c), r[i]);
		mem_req_free(pool, r[i]);
	}
	ck_assert(!cache_access_ready(c));
	ck_assert_int_eq(get(0x1060), CACHE_HIT);
	done();
}
END_TEST

START_TEST(answers_are_given_back_in_the_order_in_which_data_came)
{
	make("N:4:128:2,L:L:m:N:L,A:4:3,8", CACHE_L1D);
	struct mem_req *a = request(GLOBAL_ACC_R, 0x1000, 32), *b = request(GLOBAL_ACC_R, 0x2080, 32);
	cache_access(c, a, ++now, &events);
	cache_access(c, b, ++now, &events);
	tick(4);
	cache_fill(c, b, ++now);
	cache_fill(c, a, ++now);
	ck_assert_ptr_eq(cache_next_access(c), b);
	ck_assert_ptr_eq(cache_next_access(c), a);
	mem_req_free(pool, a);
	mem_req_free(pool, b);
	done();
}
END_TEST

START_TEST(one_mshr_and_one_place_in_the_queue_are_enough_to_go_on)
{
	make("N:4:128:2,L:R:f:N:L,A:1:1,1", CACHE_INST_CONST);
	ck_assert_int_eq(use(request(INST_ACC_R, 0x0000, 16)), CACHE_MISS);
	ck_assert_int_eq(use(request(INST_ACC_R, 0x1000, 16)), CACHE_RESERVATION_FAIL);
	ck_assert_uint_eq(failed(INST_ACC_R, CACHE_MISS_QUEUE_FULL), 1);
	tick(1);
	ck_assert_int_eq(use(request(INST_ACC_R, 0x1000, 16)), CACHE_RESERVATION_FAIL);
	ck_assert_uint_eq(failed(INST_ACC_R, CACHE_MSHR_ENRTY_FAIL), 1);
	ck_assert_int_eq(use(request(INST_ACC_R, 0x0000, 16)), CACHE_RESERVATION_FAIL);
	ck_assert_uint_eq(failed(INST_ACC_R, CACHE_MSHR_MERGE_ENRTY_FAIL), 1);
	settle();
	ck_assert_int_eq(use(request(INST_ACC_R, 0x1000, 16)), CACHE_MISS);
	settle();
	done();
	// A data cache wants two places for a read; with one, GPGPU-Sim would wait forever.
	make("S:4:128:2,L:B:m:W:L,A:1:1,1:0,32", CACHE_L2);
	load(0x1000);
	ck_assert_int_eq(put(0x2000, 8), CACHE_MISS);
	settle();
	done();
}
END_TEST

START_TEST(a_full_level_below_keeps_misses_in_the_queue)
{
	make("N:4:128:2,L:L:m:N:L,A:4:4,4", CACHE_L1D);
	room = 0;
	get(0x1000);
	ck_assert(!cache_tick(c));
	ck_assert(!cache_idle(c));
	get(0x2080);
	get(0x3100);
	ck_assert_int_eq(get(0x4180), CACHE_RESERVATION_FAIL); // reads leave a place for a write-back
	ck_assert_uint_eq(failed(GLOBAL_ACC_R, CACHE_MISS_QUEUE_FULL), 1);
	room = 256;
	settle();
	done();
}
END_TEST

START_TEST(a_set_whose_lines_all_wait_refuses_more)
{
	make("N:2:128:2,L:L:m:N:L,A:8:4,8", CACHE_L1D);
	get(0x0000);
	get(0x0100);
	ck_assert_int_eq(get(0x0200), CACHE_RESERVATION_FAIL);
	ck_assert_uint_eq(failed(GLOBAL_ACC_R, CACHE_LINE_ALLOC_FAIL), 1);
	ck_assert_int_eq(get(0x0080), CACHE_MISS);          // another set
	ck_assert_int_eq(put(0x0200, 32), CACHE_MISS);      // needs no line
	settle();
	ck_assert_int_eq(get(0x0200), CACHE_MISS);
	settle();
	done();
}
END_TEST

START_TEST(allocating_on_fill_needs_no_line_while_waiting)
{
	const char *text[] = {"N:1:128:1,L:L:f:N:L,A:8:4,8", "S:1:128:1,L:L:s:N:L,A:8:4,8:0,32"};
	for (unsigned i = 0; i < 2; i++) {
		make(text[i], CACHE_L1D);
		load(0x0000);
		ck_assert_int_eq(get(0x1000), CACHE_MISS);
		ck_assert_int_eq(get(0x2000), CACHE_MISS);
		ck_assert_int_eq(get(0x0000), CACHE_HIT); // still there
		settle();
		ck_assert_int_eq(get(0x2000), CACHE_HIT); // filled last
		done();
	}
	make(text[1], CACHE_L1D);
	cache_set_allocate_on_miss(c, true); // streaming, with the whole memory as L1
	get(0x1000);
	ck_assert_int_eq(get(0x2000), CACHE_RESERVATION_FAIL);
	settle();
	done();
}
END_TEST

START_TEST(dirty_lines_stay_until_there_are_enough_of_them)
{
	struct cache_config k = config("S:1:128:4,L:T:m:L:L,A:8:4,8:0,32", CACHE_L1D);
	k.write_ratio = 50;
	make_from(k);
	put(0x0000, 32); // dirty, and the oldest
	settle();
	load(0x1000);
	load(0x2000);
	load(0x3000);
	load(0x4000); // 1 of 4 is dirty: 0x1000 goes
	ck_assert_int_eq(get(0x0000), CACHE_HIT);
	ck_assert_int_eq(put(0x2000, 32), CACHE_HIT); // 2 of 4
	settle();
	get(0x3000);
	get(0x4000);
	load(0x5000); // now the oldest goes, which is 0x0000
	ck_assert_int_eq(get(0x2000), CACHE_HIT);
	ck_assert_int_eq(get(0x0000), CACHE_MISS);
	settle();
	done();
}
END_TEST

START_TEST(a_line_written_while_fetched_and_lost_before_the_answer_is_fetched_for_its_new_place)
{
	make("S:1:128:1,L:B:m:L:L,A:8:4,8:0,32", CACHE_L2);
	ck_assert_int_eq(get(0x1000), CACHE_MISS);
	ck_assert_int_eq(put(0x1000, 32), CACHE_MISS); // the sector waits no longer
	ck_assert_int_eq(put(0x2000, 32), CACHE_MISS); // so its line may go
	ck_assert(events & CACHE_SENT_WRITEBACK);
	ck_assert_int_eq(get(0x1000), CACHE_MISS);     // waits for the first fetch
	ck_assert_int_eq(get(0x3000), CACHE_RESERVATION_FAIL);
	settle();
	ck_assert_int_eq(get(0x1000), CACHE_HIT);
	ck_assert_int_eq(get(0x3000), CACHE_MISS);
	settle();
	done();
}
END_TEST

START_TEST(a_request_split_into_sectors_comes_back_when_the_last_has_come)
{
	make("N:4:128:2,L:R:f:N:L,S:2:4,4", CACHE_INST_CONST);
	struct mem_req *r = request(INST_ACC_R, 0x1010, 16);
	cache_access(c, r, ++now, &events);
	tick(1);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert(!cache_access_ready(c));
		struct mem_req *s = mem_req_new(pool);
		s->addr = 0x1000 + 32 * (3 - i);
		s->origin = r;
		ck_assert(cache_waits_for(c, s));
		cache_fill(c, s, ++now);
	}
	ck_assert_ptr_eq(cache_next_access(c), r);
	mem_req_free(pool, r);
	ck_assert_int_eq(use(request(INST_ACC_R, 0x1000, 16)), CACHE_HIT);
	done();
}
END_TEST

// The remainder of the low `bits` bits of a, a polynomial over GF(2), by long division.
static uint64_t remainder_of(uint64_t a, unsigned bits, uint64_t poly, unsigned degree)
{
	for (unsigned i = bits; i-- > degree;)
		if (a >> i & 1)
			a ^= poly << (i - degree);
	return a;
}

START_TEST(set_hashes_agree_with_their_definitions)
{
	struct set_index lin, xor16, ipoly[4], f32, f64, none;
	set_index_init(&lin, 'L', 64, 128, NULL);
	set_index_init(&xor16, 'X', 16, 128, NULL);
	set_index_init(&f32, 'H', 32, 128, NULL);
	set_index_init(&f64, 'H', 64, 128, NULL);
	set_index_init(&none, 'C', 64, 128, NULL);
	static const uint64_t poly[] = {0x13, 0x25, 0x43, 0x83};
	for (unsigned i = 0; i < 4; i++)
		set_index_init(&ipoly[i], 'P', 16 << i, 128, NULL);
	uint64_t x = 88172645463325252u;
	for (unsigned n = 0; n < 100000; n++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		uint64_t a = x & 0xffffffffffff;
		ck_assert_uint_eq(set_index_of(&lin, a), a / 128 % 64);
		ck_assert_uint_eq(set_index_of(&xor16, a), (a / 128 ^ a / 2048) % 16);
		ck_assert_uint_eq(set_index_of(&none, a), 0);
		static const unsigned seen[] = {4 + 13, 5 + 15, 6 + 19, 7 + 22}; // bits of the line number that count
		for (unsigned i = 0; i < 4; i++)
			ck_assert_uint_eq(set_index_of(&ipoly[i], a),
			                  remainder_of(a / 128 & ((UINT64_C(1) << seen[i]) - 1), seen[i], poly[i], 4 + i));
		unsigned bit[20];
		for (unsigned i = 0; i < 20; i++)
			bit[i] = a >> i & 1;
		unsigned fermi = (bit[7] ^ bit[13]) | (bit[8] ^ bit[14]) << 1 | (bit[9] ^ bit[15]) << 2 |
		                 (bit[10] ^ bit[17]) << 3 | (bit[11] ^ bit[19]) << 4;
		ck_assert_uint_eq(set_index_of(&f32, a), fermi);
		ck_assert_uint_eq(set_index_of(&f64, a), fermi | bit[12] << 5);
	}
	// Values of GPGPU-Sim's tables, bit by bit.
	ck_assert_uint_eq(set_index_of(&ipoly[0], UINT64_C(1) << (7 + 4 + 3)), 1 | 2 | 8);
	ck_assert_uint_eq(set_index_of(&ipoly[1], UINT64_C(1) << (7 + 5 + 14)), 2 | 4);
	ck_assert_uint_eq(set_index_of(&ipoly[2], UINT64_C(1) << (7 + 6 + 18)), 1 | 16);
	ck_assert_uint_eq(set_index_of(&ipoly[2], UINT64_C(1) << (7 + 6 + 5)), 1 | 2 | 32);
}
END_TEST

START_TEST(ipoly_spreads_every_stride_of_a_power_of_two)
{
	struct set_index p;
	set_index_init(&p, 'P', 64, 128, NULL);
	for (unsigned shift = 7; shift < 7 + 6 + 14; shift++) {
		uint64_t seen = 0;
		for (uint64_t i = 0; i < 64; i++)
			seen |= UINT64_C(1) << set_index_of(&p, i << shift);
		if (shift + 6 <= 7 + 6 + 19)
			ck_assert_msg(seen == ~UINT64_C(0), "stride 2^%u leaves sets out: %lx", shift, (unsigned long)seen);
	}
}
END_TEST

static uint64_t by_custom(uint64_t addr) { return addr >> 12; }

START_TEST(l2_hashes_the_offset_in_the_channel_and_a_custom_hash_is_called)
{
	make("S:64:128:1,L:B:m:L:L,A:8:4,8:0,32", CACHE_L2);
	for (unsigned i = 0; i < 2; i++) { // far apart, but neighbours in their channel
		struct mem_req *r = request(GLOBAL_ACC_R, UINT64_C(0x100000) * i, 32);
		r->place.offset = i * 128;
		ck_assert_int_eq(use(r), CACHE_MISS);
		settle();
	}
	ck_assert_int_eq(get(0), CACHE_HIT);
	done();
	struct cache_config k = config("S:64:128:1,L:L:m:N:C,A:8:4,8:0,32", CACHE_L1D);
	k.index_of = by_custom;
	make_from(k);
	ck_assert_uint_eq(cache_hash_index(c, 0x5fff), 5);
	done();
}
END_TEST

START_TEST(hits_take_the_data_port_and_fills_the_fill_port)
{
	make("N:4:128:2,L:B:m:L:L,A:8:4,8:0,32", CACHE_L2);
	ck_assert_int_eq(get(0x1000), CACHE_MISS);
	ck_assert(cache_data_port_free(c));
	tick(1);
	struct mem_req *r = down[--n_down];
	cache_fill(c, r, ++now);
	ck_assert(!cache_fill_port_free(c)); // 128 bytes by 32
	tick(3);
	ck_assert(!cache_fill_port_free(c));
	tick(1);
	ck_assert(cache_fill_port_free(c));
	ck_assert_uint_eq(collect(), 1);
	ck_assert_int_eq(use(request(GLOBAL_ACC_R, 0x1000, 48)), CACHE_HIT);
	tick(1);
	ck_assert(!cache_data_port_free(c)); // 48 bytes take two cycles
	tick(1);
	ck_assert(cache_data_port_free(c));
	struct cache_sums s;
	cache_sums(c, &s);
	ck_assert_uint_eq(s.port_available, 7);
	ck_assert_uint_eq(s.data_port_busy, 2);
	ck_assert_uint_eq(s.fill_port_busy, 4);
	done();
}
END_TEST

START_TEST(skipping_equals_ticking)
{
	struct cache_sums s[2];
	for (unsigned skip = 0; skip < 2; skip++) {
		make("N:4:128:2,L:B:m:L:L,A:8:4,8:0,16", CACHE_L2);
		load(0x1000);
		for (unsigned i = 0; i < 20; i++) {
			get(0x1000);
			if (skip)
				cache_skip(c, 5 * i);
			else
				tick(5 * i);
		}
		cache_sums(c, &s[skip]);
		ck_assert_int_eq(cache_idle(c), cache_data_port_free(c));
		done();
	}
	ck_assert_int_eq(memcmp(&s[0], &s[1], sizeof s[0]), 0);
}
END_TEST

START_TEST(a_texture_cache_keeps_the_order_of_its_requests)
{
	make("N:4:128:2,L:R:m:N:L,F:8:2,4:1", CACHE_TEXTURE);
	struct mem_req *r[4];
	static const uint64_t addr[] = {0x1000, 0x1000, 0x2000, 0x1000};
	static const enum cache_status want[] = {CACHE_MISS, CACHE_HIT_RESERVED, CACHE_MISS, CACHE_HIT_RESERVED};
	for (unsigned i = 0; i < 4; i++) {
		r[i] = request(TEXTURE_ACC_R, addr[i], 128);
		ck_assert_int_eq(cache_access(c, r[i], ++now, &events), want[i]);
		tick(1);
	}
	tick(4);
	ck_assert_uint_eq(n_down, 2);
	cache_fill(c, r[2], ++now); // the second miss first
	tick(4);
	ck_assert(!cache_access_ready(c));
	ck_assert(cache_idle(c));
	cache_fill(c, r[0], ++now);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert(!cache_access_ready(c));
		ck_assert(cache_tick(c)); // one a cycle, and one place for results
		ck_assert(!cache_tick(c));
		ck_assert_ptr_eq(cache_next_access(c), r[i]);
		mem_req_free(pool, r[i]);
	}
	ck_assert_uint_eq(counted(TEXTURE_ACC_R, CACHE_MISS), 2);
	ck_assert_uint_eq(counted(TEXTURE_ACC_R, CACHE_HIT_RESERVED), 2);
	done();
}
END_TEST

START_TEST(a_full_texture_cache_refuses_without_counting)
{
	make("N:4:128:2,L:R:m:N:L,T:2:4,4:1", CACHE_TEXTURE);
	use(request(TEXTURE_ACC_R, 0x1000, 128));
	use(request(TEXTURE_ACC_R, 0x1000, 128));
	struct mem_req *r = request(TEXTURE_ACC_R, 0x1000, 128);
	ck_assert_int_eq(cache_access(c, r, ++now, &events), CACHE_RESERVATION_FAIL);
	ck_assert_int_eq(cache_last_fail(c), CACHE_N_FAILS);
	cache_count_fails(c, r, cache_last_fail(c), 5);
	mem_req_free(pool, r);
	ck_assert_uint_eq(counted(TEXTURE_ACC_R, CACHE_RESERVATION_FAIL), 0);
	ck_assert_uint_eq(settle(), 2);
	done();
}
END_TEST

START_TEST(counts_are_kept_per_stream)
{
	make("N:4:128:2,L:L:m:N:L,A:8:4,8", CACHE_L1D);
	ck_assert_ptr_null(cache_counts(c, 1));
	cache_reserve_streams(c, 3);
	struct mem_req *r = request(GLOBAL_ACC_R, 0x1000, 32);
	r->stream = 2;
	use(r);
	get(0x1000);
	settle();
	ck_assert_uint_eq(cache_counts(c, 2)->n[GLOBAL_ACC_R][CACHE_MISS], 1);
	ck_assert_uint_eq(counted(GLOBAL_ACC_R, CACHE_MISS), 0);
	ck_assert_uint_eq(counted(GLOBAL_ACC_R, CACHE_HIT_RESERVED), 1);
	struct cache_sums s;
	uint64_t rw[4];
	cache_sums_since(c, &s, rw);
	ck_assert_uint_eq(s.accesses, 2);
	ck_assert_uint_eq(rw[1], 1);
	put(0x1000, 32);
	settle();
	cache_sums_since(c, &s, rw);
	ck_assert_uint_eq(s.accesses, 1);
	ck_assert_uint_eq(s.misses, 0);
	ck_assert(rw[0] == 0 && rw[1] == 0 && rw[2] == 1 && rw[3] == 0);
	struct cache_sums before, after;
	struct cache_counts retired = {.n[GLOBAL_ACC_R][CACHE_MISS] = 40};
	cache_sums(c, &before);
	cache_retire_stream(c, 2, &retired);
	cache_sums(c, &after);
	ck_assert_mem_eq(&before, &after, sizeof before);
	ck_assert_uint_eq(retired.n[GLOBAL_ACC_R][CACHE_MISS], 41);
	ck_assert_uint_eq(cache_counts(c, 2)->n[GLOBAL_ACC_R][CACHE_MISS], 0);
	ck_assert_uint_eq(counted(GLOBAL_ACC_R, CACHE_HIT_RESERVED), 1); // of stream 0
	cache_sums_since(c, &s, rw);
	ck_assert_uint_eq(s.accesses, 0);
	ck_assert(rw[0] == 0 && rw[1] == 0 && rw[2] == 0 && rw[3] == 0);
	done();
}
END_TEST

START_TEST(a_refusal_stands_until_the_cache_changes_and_can_be_counted_again)
{
	make("N:4:128:2,L:L:m:N:L,A:1:4,8", CACHE_L1D);
	get(0x1000);
	struct mem_req *r = request(GLOBAL_ACC_R, 0x2000, 32);
	ck_assert_int_eq(cache_access(c, r, ++now, &events), CACHE_RESERVATION_FAIL);
	uint64_t version = cache_version(c);
	cache_count_fails(c, r, cache_last_fail(c), 9);
	ck_assert_uint_eq(cache_version(c), version);
	ck_assert_uint_eq(counted(GLOBAL_ACC_R, CACHE_RESERVATION_FAIL), 10);
	ck_assert_uint_eq(failed(GLOBAL_ACC_R, CACHE_MSHR_ENRTY_FAIL), 10);
	settle();
	ck_assert_uint_ne(cache_version(c), version);
	ck_assert_int_eq(use(r), CACHE_MISS);
	settle();
	done();
}
END_TEST

// The first two lines of one set are modified without an access; a third one sends one of them down.
START_TEST(what_a_copy_modified_is_written_back)
{
	make("S:4:128:2,L:B:m:L:L,A:8:4,8:0,32", CACHE_L2);
	for (uint64_t line = 0x1000; line <= 0x1200; line += 0x200) {
		cache_fill_direct(c, line, line, 0x3, ++now);
		cache_modify_direct(c, line, line, 0x7, now); // the third sector is not there
		ck_assert_int_eq(get(line), CACHE_HIT);
		ck_assert_int_eq(get(line + 32), CACHE_HIT);
	}
	ck_assert_int_eq(get(0x1400), CACHE_MISS);
	ck_assert(events & CACHE_SENT_WRITEBACK);
	settle();
	done();
}
END_TEST

START_TEST(host_copies_fill_lines_and_flushing_drops_dirty_ones)
{
	make("S:4:128:2,L:B:m:L:L,A:8:4,8:0,32", CACHE_L2);
	cache_fill_direct(c, 0x1000, 0x1000, 0x5, ++now);
	ck_assert_int_eq(get(0x1000), CACHE_HIT);
	ck_assert_int_eq(get(0x1040), CACHE_HIT);
	ck_assert_int_eq(get(0x1020), CACHE_MISS);
	put(0x2080, 32);
	settle();
	cache_flush(c);
	ck_assert_int_eq(get(0x1000), CACHE_HIT);
	ck_assert_int_eq(get(0x2080), CACHE_MISS);
	ck_assert_uint_eq(events, CACHE_SENT_READ);
	settle();
	cache_invalidate(c);
	ck_assert_int_eq(get(0x1000), CACHE_MISS);
	settle();
	done();
}
END_TEST

START_TEST(the_carve_out_changes_the_ways)
{
	struct cache_config k = config("S:1:128:2,L:T:m:L:L,A:8:4,8:0,32", CACHE_L1D);
	k.max_ways = 8;
	make_from(k);
	cache_set_ways(c, 8);
	for (unsigned i = 0; i < 8; i++)
		load(i * 128);
	for (unsigned i = 0; i < 8; i++)
		ck_assert_int_eq(get(i * 128), CACHE_HIT);
	cache_invalidate(c);
	cache_set_ways(c, 1);
	load(0x000);
	load(0x080);
	ck_assert_int_eq(get(0x000), CACHE_MISS);
	settle();
	done();
}
END_TEST

START_TEST(configurations_that_cannot_work_are_refused)
{
	static const struct {
		const char *text;
		enum cache_role role;
		const char *why;
	} cases[] = {
		{"none", CACHE_L1D, "none"},
		{"S:4:64:2,L:L:m:N:L,A:8:4,8:0,32", CACHE_L1D, "128"},
		{"N:4:128:2,L:L:m:N:L,A:8:4,8:0,48", CACHE_L1D, "port"},
		{"N:4:128:2,L:L:s:L:L,A:8:4,8", CACHE_L1D, "allocation on miss"},
		{"N:4:128:2,L:R:m:N:L,A:8:4,8", CACHE_L2, "write policy"},
		{"N:4:128:2,L:B:m:N:L,A:8:4,8", CACHE_INST_CONST, "read-only"},
		{"N:4:128:2,L:R:m:N:L,A:8:4,8", CACHE_TEXTURE, "FIFO"},
		{"N:4:128:2,L:R:f:N:L,F:8:4,8:2", CACHE_TEXTURE, "on miss"},
		{"N:16:128:2,L:L:m:N:H,A:8:4,8", CACHE_L1D, "Fermi"},
		{"S:256:128:2,L:B:m:L:P,A:8:4,8", CACHE_L2, "IPOLY"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cache_config k = config(cases[i].text, cases[i].role);
		const char *why = cache_config_wrong(&k);
		ck_assert_msg(why && strstr(why, cases[i].why), "%s: %s", cases[i].text, why ? why : "accepted");
	}
}
END_TEST

START_TEST(a_report_names_the_request_that_has_waited_longest)
{
	char text[200];
	make("N:4:128:2,L:L:m:N:L,A:4:4,8", CACHE_L1D);
	// The requests of L2 come out of the pools of several clusters, whose numbers say nothing of age.
	for (unsigned i = 0; i < 2; i++) {
		struct mem_req *r = request(GLOBAL_ACC_R, 0x1000 + i * 0x1000, 32);
		r->created = 9 - i;
		ck_assert_int_eq(use(r), CACHE_MISS);
	}
	cache_describe(c, text, sizeof text);
	ck_assert_msg(strstr(text, "oldest waits for 0x2000"), "%s", text);
	settle();
	done();
}
END_TEST

START_TEST(a_report_names_what_is_full)
{
	char text[200];
	make("N:4:128:2,L:L:m:N:L,A:1:4,8", CACHE_L1D);
	get(0x1000);
	cache_describe(c, text, sizeof text);
	ck_assert_msg(strstr(text, "test: MSHRs 1/1 full") && strstr(text, "0x1000"), "%s", text);
	settle();
	done();
	make("N:4:128:2,L:R:m:N:L,F:8:2,4:1", CACHE_TEXTURE);
	cache_describe(c, text, sizeof text);
	ck_assert_msg(strstr(text, "fragments 0/8"), "%s", text);
	done();
}
END_TEST

#include "tests/unit/cache_strings.h"

enum { STREAM = 4000 };

static struct mem_req *random_request(uint32_t n, bool sectored)
{
	bool data = role == CACHE_L1D || role == CACHE_L2;
	bool write = data && pick(3) == 0;
	enum mem_access_type type = role == CACHE_TEXTURE      ? TEXTURE_ACC_R
	                            : role == CACHE_INST_CONST ? INST_ACC_R
	                            : write                    ? (pick(4) ? GLOBAL_ACC_W : LOCAL_ACC_W)
	                                                       : (pick(4) ? GLOBAL_ACC_R : LOCAL_ACC_R);
	uint64_t addr = UINT64_C(0x7000000000) + pick(pick(2) ? 12 : 3000) * line_bytes;
	addr += sectored ? 32 * pick(4) : 0;
	struct mem_req *r = request(type, addr, role == CACHE_INST_CONST ? 16 : write && pick(2) ? 8 : 32);
	r->inst = n;
	r->atomic = role == CACHE_L2 && type == GLOBAL_ACC_R && pick(10) == 0;
	return r;
}

START_TEST(every_request_of_a_random_stream_is_answered_once)
{
	static uint8_t answers[STREAM];
	struct cache_config k = config(strings[_i].text, strings[_i].role);
	k.write_ratio = strings[_i].write_ratio;
	make_from(k);
	room = 4;
	seed = 1000 + _i;
	memset(answers, 0, sizeof answers);
	uint64_t accepted = 0, refused = 0;
	uint32_t n = 0, idle = 0;
	struct mem_req *r = NULL;
	while (n < STREAM || r || mem_pool_live(pool)) {
		ck_assert_msg(++idle < 100000, "%s: stuck", strings[_i].text);
		now++;
		if (!r && n < STREAM && pick(4))
			r = random_request(n++, k.form.kind == 'S');
		if (r && cache_data_port_free(c)) {
			bool write = r->write;
			uint32_t id = r->inst;
			enum cache_status s = cache_access(c, r, now, &events);
			*(s == CACHE_RESERVATION_FAIL ? &refused : &accepted) += 1;
			if (s != CACHE_RESERVATION_FAIL) {
				if (!cache_took(s, write, events)) {
					answers[id]++;
					mem_req_free(pool, r);
				}
				r = NULL;
				idle = 0;
			}
		}
		cache_tick(c);
		if (n_down && pick(4) == 0 && cache_fill_port_free(c)) {
			uint32_t i = pick(n_down); // answers overtake each other
			struct mem_req *first = down[i];
			down[i] = down[0];
			down[0] = first;
			if (first->write && first->inst != MEM_NO_INST)
				answers[first->inst]++;
			if (!first->write || first->inst != MEM_NO_INST || first->type == L1_WRBK_ACC ||
			    first->type == L2_WRBK_ACC) {
				uint32_t saved = room;
				room = n_down; // answer() ticks
				answer();
				room = saved;
			}
		}
		if (cache_access_ready(c) && pick(3)) {
			struct mem_req *a = cache_next_access(c);
			struct mem_req *for_it = a->type == L1_WR_ALLOC_R || a->type == L2_WR_ALLOC_R ? a->origin : a;
			if (for_it)
				answers[for_it->inst]++;
			if (for_it && for_it != a)
				mem_req_free(pool, for_it);
			mem_req_free(pool, a);
		}
	}
	for (uint32_t i = 0; i < STREAM; i++)
		ck_assert_msg(answers[i] == 1, "%s: request %u was answered %u times", strings[_i].text, i, answers[i]);
	struct cache_sums s;
	cache_sums(c, &s);
	ck_assert_uint_eq(s.accesses, accepted);
	ck_assert_uint_eq(s.reservation_fails, role == CACHE_TEXTURE ? 0 : refused);
	ck_assert(cache_idle(c) || !cache_data_port_free(c) || !cache_fill_port_free(c));
	done();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cache");
	TCase *t = tcase_create("cache");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_read_that_missed_hits_once_its_answer_came);
	tcase_add_test(t, the_line_used_longest_ago_makes_room);
	tcase_add_test(t, with_fifo_the_line_that_came_first_makes_room);
	tcase_add_test(t, among_lines_used_in_one_cycle_the_lowest_way_makes_room);
	tcase_add_test(t, sectors_of_a_line_miss_one_by_one);
	tcase_add_loop_test(t, each_write_policy_does_what_it_says, 0, sizeof write_cases / sizeof *write_cases);
	tcase_add_test(t, a_dirty_line_that_makes_room_is_written_back_with_its_bytes);
	tcase_add_test(t, write_through_has_nothing_to_write_back);
	tcase_add_test(t, a_sector_becomes_readable_when_writes_have_filled_it);
	tcase_add_test(t, an_atomic_leaves_its_line_dirty);
	tcase_add_test(t, requests_for_one_line_are_fetched_once_and_come_back_in_order);
	tcase_add_test(t, answers_are_given_back_in_the_order_in_which_data_came);
	tcase_add_test(t, one_mshr_and_one_place_in_the_queue_are_enough_to_go_on);
	tcase_add_test(t, a_full_level_below_keeps_misses_in_the_queue);
	tcase_add_test(t, a_set_whose_lines_all_wait_refuses_more);
	tcase_add_test(t, allocating_on_fill_needs_no_line_while_waiting);
	tcase_add_test(t, dirty_lines_stay_until_there_are_enough_of_them);
	tcase_add_test(t, a_line_written_while_fetched_and_lost_before_the_answer_is_fetched_for_its_new_place);
	tcase_add_test(t, a_request_split_into_sectors_comes_back_when_the_last_has_come);
	tcase_add_test(t, set_hashes_agree_with_their_definitions);
	tcase_add_test(t, ipoly_spreads_every_stride_of_a_power_of_two);
	tcase_add_test(t, l2_hashes_the_offset_in_the_channel_and_a_custom_hash_is_called);
	tcase_add_test(t, hits_take_the_data_port_and_fills_the_fill_port);
	tcase_add_test(t, skipping_equals_ticking);
	tcase_add_test(t, a_texture_cache_keeps_the_order_of_its_requests);
	tcase_add_test(t, a_full_texture_cache_refuses_without_counting);
	tcase_add_test(t, counts_are_kept_per_stream);
	tcase_add_test(t, a_refusal_stands_until_the_cache_changes_and_can_be_counted_again);
	tcase_add_test(t, what_a_copy_modified_is_written_back);
	tcase_add_test(t, host_copies_fill_lines_and_flushing_drops_dirty_ones);
	tcase_add_test(t, the_carve_out_changes_the_ways);
	tcase_add_test(t, configurations_that_cannot_work_are_refused);
	tcase_add_test(t, a_report_names_the_request_that_has_waited_longest);
	tcase_add_test(t, a_report_names_what_is_full);
	tcase_add_loop_test(t, every_request_of_a_random_stream_is_answered_once, 0, sizeof strings / sizeof *strings);
	suite_add_tcase(s, t);
	return check_main(s);
}
