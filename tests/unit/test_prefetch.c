// Prefetchers: what they fetch and when, and that a GPU with them gives the same results, loses nothing, and counts the
// same whether idle cycles are skipped or not.
#include "tests/unit/timing_harness.h"

// --- a cache alone, with a level below that keeps what it is sent

static struct mem_pool *pool;
static struct cache *c;
static struct mem_req *down[64];
static unsigned n_down, room;
static uint64_t now, mine_below;
static unsigned events;

static bool below_full(void *ctx, const struct mem_req *r) { return n_down >= room; }
static void below_push(void *ctx, struct mem_req *r) { down[n_down++] = r; }
static bool below_locate(void *ctx, uint64_t addr, struct mem_place *out)
{
	out->offset = addr;
	return addr < mine_below;
}

static void make(const char *text, enum cache_role role, const char *prefetcher)
{
	struct cache_config k = {.role = role, .name = "test"};
	struct form_error e;
	ck_assert_msg(form_cache(text, &k.form, &e), "%s: %s", text, e.why);
	ck_assert_msg(form_prefetch(prefetcher, &k.prefetch, &e), "%s: %s", prefetcher, e.why);
	ck_assert_msg(!cache_config_wrong(&k), "%s", cache_config_wrong(&k));
	pool = mem_pool_new(16);
	n_down = 0;
	room = 64;
	now = 1;
	mine_below = UINT64_MAX;
	c = cache_new(&k, pool, (struct cache_below){.full = below_full, .push = below_push, .locate = role == CACHE_L2 ? below_locate : NULL});
}

static struct prefetch_counts counts(void)
{
	struct prefetch_counts p;
	cache_prefetches(c, &p);
	return p;
}

static enum cache_status access_type(enum mem_access_type type, uint64_t addr)
{
	struct mem_req *r = mem_req_new(pool);
	r->type = type;
	r->write = type == GLOBAL_ACC_W;
	r->addr = r->place.offset = addr;
	r->bytes = 32;
	r->sectors = 1u << (addr / MEM_SECTOR & 3);
	r->mask.w[(addr & 127) / 64] = UINT64_C(0xffffffff) << (addr & 63);
	r->sm = 5;
	r->stream = 0;
	bool write = r->write;
	enum cache_status s = cache_access(c, r, ++now, &events);
	if (!cache_took(s, write, events))
		mem_req_free(pool, r);
	return s;
}

static enum cache_status get(uint64_t addr) { return access_type(GLOBAL_ACC_R, addr); }

static void tick(unsigned n)
{
	while (n--)
		cache_tick(c);
}

// Every request of the test must be gone.
static void done(void)
{
	tick(64); // ports get free
	ck_assert(cache_idle(c) && cache_quiet(c));
	ck_assert_uint_eq(mem_pool_live(pool), 0);
	cache_free(c);
	mem_pool_free(pool);
}

// The level below answers everything, writes with nothing.
static void answer_all(void)
{
	tick(64);
	for (; n_down; tick(64)) {
		struct mem_req *r = down[0];
		memmove(down, down + 1, --n_down * sizeof *down);
		if (r->write)
			mem_req_free(pool, r);
		else
			cache_fill(c, r, ++now);
	}
}

// Accesses that come back; prefetches never do.
static unsigned collect(void)
{
	unsigned n = 0;
	for (; cache_access_ready(c); n++) {
		struct mem_req *r = cache_next_access(c);
		ck_assert(!r->prefetch);
		mem_req_free(pool, r);
	}
	return n;
}

START_TEST(a_miss_fetches_the_next_lines)
{
	make("N:16:128:4,L:L:m:N:L,A:16:4,8", CACHE_L1D, "next_line:3");
	ck_assert_int_eq(get(0x1020), CACHE_MISS);
	tick(1);
	ck_assert_uint_eq(n_down, 1); // the miss itself goes first, then one line a cycle
	ck_assert(!down[0]->prefetch);
	tick(16);
	ck_assert_uint_eq(n_down, 4);
	for (unsigned i = 1; i < 4; i++) {
		ck_assert(down[i]->prefetch && !down[i]->write);
		ck_assert_int_eq(down[i]->type, L1_WR_ALLOC_R);
		ck_assert_uint_eq(down[i]->addr, 0x1000 + 128 * i);
		ck_assert_uint_eq(down[i]->bytes, 128);
		ck_assert_uint_eq(down[i]->sm, 5);
	}
	answer_all();
	ck_assert_uint_eq(collect(), 1);
	for (unsigned i = 1; i < 4; i++)
		ck_assert_int_eq(get(0x1000 + 128 * i), CACHE_HIT);
	ck_assert_int_eq(get(0x1080), CACHE_HIT); // used before
	tick(64);
	ck_assert_uint_eq(n_down, 0); // hits fetch nothing
	ck_assert_uint_eq(counts().sent, 3);
	ck_assert_uint_eq(counts().useful, 3);
	ck_assert_uint_eq(counts().unused, 0);
	ck_assert_uint_eq(cache_counts(c, 0)->n[L1_WR_ALLOC_R][CACHE_MISS], 0); // no access of its own cache
	done();
}
END_TEST

START_TEST(a_cache_without_a_prefetcher_fetches_what_it_is_asked)
{
	make("N:16:128:4,L:L:m:N:L,A:16:4,8", CACHE_L1D, "none");
	ck_assert_int_eq(get(0x1020), CACHE_MISS);
	tick(16);
	ck_assert_uint_eq(n_down, 1);
	answer_all();
	ck_assert_uint_eq(collect(), 1);
	struct prefetch_counts zero = {0}, p = counts();
	ck_assert_mem_eq(&p, &zero, sizeof p);
	done();
}
END_TEST

START_TEST(of_a_sectored_line_the_same_sector_is_fetched)
{
	make("S:16:128:4,L:L:f:N:L,A:16:4,8:0,32", CACHE_L1D, "next_line:1");
	ck_assert_int_eq(get(0x1040), CACHE_MISS);
	tick(16);
	ck_assert_uint_eq(n_down, 2);
	ck_assert_uint_eq(down[1]->addr, 0x10c0);
	ck_assert_uint_eq(down[1]->bytes, 32);
	ck_assert_uint_eq(down[1]->sectors, 4);
	answer_all();
	ck_assert_uint_eq(collect(), 1);
	ck_assert_int_eq(get(0x10c0), CACHE_HIT);
	ck_assert_uint_eq(counts().useful, 1);
	ck_assert_int_eq(get(0x10a0), CACHE_MISS); // its neighbour was not
	answer_all();
	ck_assert_uint_eq(collect(), 1);
	done();
}
END_TEST

START_TEST(an_access_joins_a_prefetch_under_way)
{
	make("N:16:128:4,L:L:m:N:L,A:16:4,8", CACHE_L1D, "next_line:1");
	get(0x1000);
	tick(16);
	ck_assert_uint_eq(n_down, 2);
	ck_assert_int_eq(get(0x1080), CACHE_MISS);
	ck_assert_int_eq(get(0x10a0), CACHE_MISS);
	tick(16);
	ck_assert_uint_eq(n_down, 2); // not fetched again, and what it joined was no miss to the prefetcher
	answer_all();
	ck_assert_uint_eq(collect(), 3);
	ck_assert_int_eq(get(0x1080), CACHE_HIT);
	ck_assert_uint_eq(counts().late, 1);
	ck_assert_uint_eq(counts().useful, 0);
	done();
}
END_TEST

START_TEST(what_is_displaced_or_invalidated_before_use_is_counted)
{
	make("N:1:128:2,L:B:m:N:L,A:16:4,8", CACHE_L1D, "next_line:1");
	get(0x1000);
	answer_all();
	collect();
	get(0x4000); // displaces 0x1000, its prefetch 0x1080
	answer_all();
	collect();
	ck_assert_uint_eq(counts().sent, 2);
	ck_assert_uint_eq(counts().unused, 1);
	cache_invalidate(c);
	ck_assert_uint_eq(counts().unused, 2);
	ck_assert_uint_eq(counts().useful, 0);
	done();
}
END_TEST

START_TEST(a_modified_line_that_a_prefetch_displaces_goes_down)
{
	make("N:1:128:2,L:B:m:L:L,A:16:4,8", CACHE_L1D, "next_line:1");
	ck_assert_int_eq(access_type(GLOBAL_ACC_W, 0x1000), CACHE_MISS);
	get(0x4000);
	tick(16);
	ck_assert_uint_eq(n_down, 3);
	ck_assert(down[1]->prefetch);
	ck_assert_int_eq(down[2]->type, L1_WRBK_ACC);
	ck_assert_uint_eq(down[2]->addr, 0x1000);
	answer_all();
	collect();
	done();
}
END_TEST

START_TEST(prefetches_take_what_mshrs_and_lines_are_free)
{
	make("N:16:128:4,L:L:m:N:L,A:2:4,8", CACHE_L1D, "next_line:4"); // two MSHRs
	get(0x1000);
	tick(16);
	ck_assert_uint_eq(n_down, 2);
	ck_assert_uint_eq(counts().sent, 1);
	ck_assert_uint_eq(counts().dropped, 3);
	answer_all();
	collect();
	done();
	make("N:1:128:2,L:L:m:N:L,A:16:4,8", CACHE_L1D, "next_line:4"); // two lines
	get(0x1000);
	tick(16);
	ck_assert_uint_eq(counts().sent, 1);
	ck_assert_uint_eq(counts().dropped, 3);
	answer_all();
	collect();
	done();
	make("N:64:128:4,L:L:m:N:L,A:64:4,16", CACHE_L1D, "next_line:64"); // the queue of wants
	get(0x1000);
	ck_assert_uint_eq(counts().dropped, 64 - PREFETCH_WANTS);
	answer_all();
	collect();
	ck_assert_uint_eq(counts().sent, PREFETCH_WANTS);
	done();
}
END_TEST

START_TEST(a_prefetch_waits_for_room_in_the_queue_of_misses)
{
	make("N:16:128:4,L:L:m:N:L,A:16:4,3", CACHE_L1D, "next_line:4");
	room = 0;
	get(0x1000);
	tick(16);
	ck_assert(!cache_idle(c) && cache_sends(c));
	uint64_t sent = counts().sent;
	ck_assert_uint_lt(sent, 4);
	room = 64;
	tick(16);
	ck_assert_uint_eq(counts().sent, 4);
	ck_assert_uint_eq(counts().dropped, 0);
	answer_all();
	collect();
	done();
}
END_TEST

START_TEST(what_is_there_or_on_its_way_is_not_fetched_again)
{
	make("N:16:128:4,L:L:m:N:L,A:16:4,8", CACHE_L1D, "next_line:2");
	get(0x1000);
	tick(16);
	get(0x0f80); // wants 0x1000 and 0x1080
	tick(16);
	ck_assert_uint_eq(counts().sent, 2);
	ck_assert_uint_eq(counts().needless, 2);
	answer_all();
	collect();
	get(0x0f00); // wants 0x0f80 and 0x1000
	answer_all();
	collect();
	ck_assert_uint_eq(counts().needless, 4);
	done();
}
END_TEST

START_TEST(tagged_prefetch_runs_ahead_of_a_stream)
{
	uint64_t misses[2];
	for (unsigned k = 0; k < 2; k++) {
		make("N:16:128:4,L:L:m:N:L,A:16:4,8", CACHE_L1D, k ? "tagged:1" : "next_line:1");
		misses[k] = 0;
		for (uint64_t i = 0; i < 32; i++) {
			misses[k] += get(0x1000 + 128 * i) == CACHE_MISS;
			answer_all();
			collect();
		}
		ck_assert_uint_eq(counts().useful, 32 - misses[k]);
		done();
	}
	ck_assert_uint_eq(misses[0], 16); // every other line
	ck_assert_uint_eq(misses[1], 1);
}
END_TEST

START_TEST(a_write_is_no_reason_to_fetch_and_uses_what_it_finds)
{
	make("N:16:128:4,L:B:m:L:L,A:16:4,8", CACHE_L1D, "next_line:1");
	access_type(GLOBAL_ACC_W, 0x1000);
	tick(16);
	ck_assert_uint_eq(n_down, 0);
	get(0x2000);
	answer_all();
	collect();
	ck_assert_int_eq(access_type(GLOBAL_ACC_W, 0x2080), CACHE_HIT);
	ck_assert_uint_eq(counts().useful, 1);
	done();
}
END_TEST

START_TEST(a_slice_fetches_only_what_lies_in_it)
{
	make("S:16:128:4,L:B:m:L:L,A:16:4,8:0,32", CACHE_L2, "next_line:3");
	mine_below = 0x1100;
	get(0x1000);
	tick(16);
	ck_assert_uint_eq(n_down, 2);
	ck_assert_int_eq(down[1]->type, L2_WR_ALLOC_R);
	ck_assert_uint_eq(counts().elsewhere, 2);
	answer_all();
	collect();
	done();
}
END_TEST

// A prefetch of the level above is a read like others: it is answered.
START_TEST(the_level_below_answers_a_prefetch)
{
	make("S:16:128:4,L:B:m:L:L,A:16:4,8:0,32", CACHE_L2, "none");
	struct mem_req *r = mem_req_new(pool);
	*r = (struct mem_req){.addr = 0x1000, .bytes = 32, .type = L1_WR_ALLOC_R, .sectors = 1, .prefetch = true, .serial = r->serial};
	ck_assert_int_eq(cache_access(c, r, ++now, &events), CACHE_MISS);
	answer_all();
	ck_assert(cache_access_ready(c));
	ck_assert_ptr_eq(cache_next_access(c), r);
	mem_req_free(pool, r);
	done();
}
END_TEST

START_TEST(wrong_prefetchers_are_refused)
{
	static const struct { const char *text, *why; } wrong[] = {
		{"stride:2", "prefetchers are none, next_line:DEGREE, tagged:DEGREE"}, {"next_line", "':' expected"},
		{"next_line:0", "at least 1 line"}, {"next_line:65", "at most 64"}, {"none:1", "should end here"},
		{"tagged:2:3", "should end here"}, {"", "prefetchers are"},
	};
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct prefetch_form f;
		struct form_error e;
		ck_assert_msg(!form_prefetch(wrong[i].text, &f, &e), "%s", wrong[i].text);
		ck_assert_msg(strstr(e.why, wrong[i].why) != NULL, "%s: %s", wrong[i].text, e.why);
	}
}
END_TEST

// --- a GPU. Each thread adds up a column of a matrix with rows of N_THREADS words, so a warp asks for lines N_THREADS words
// apart; and one warp after the other, for the lines between.

enum { N_THREADS = 64, N_ROWS = 64 };

static const char sum_columns[] =
	".version 7.5\n.target sm_75\n.address_size 64\n"
	".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
	".reg .u64 %rd<8>; .reg .u32 %r<8>; .reg .pred %p<2>;\n"
	"ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n"
	"mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;\n"
	"mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
	"again: ld.global.u32 %r4, [%rd1]; add.u32 %r2, %r2, %r4; add.u64 %rd1, %rd1, 256;\n"
	"add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 64; @%p1 bra again;\n"
	"st.global.u32 [%rd2], %r2; ret;\n}\n";

static uint64_t run_gpu(const char *options, char **text, struct prefetch_counts *l1, struct prefetch_counts *l2)
{
	struct timed *t = timed_new(sum_columns, options);
	uint64_t in = timed_alloc(t, N_ROWS * N_THREADS * 4), out = timed_alloc(t, N_THREADS * 4);
	for (unsigned i = 0; i < N_ROWS * N_THREADS; i++)
		((uint32_t *)(uintptr_t)in)[i] = i * 7;
	uint64_t cycles = timed_run(t, "k", 1, N_THREADS, 0, (uint64_t[2]){in, out}, 2);
	for (unsigned i = 0; i < N_THREADS; i++) {
		uint32_t want = 0;
		for (unsigned r = 0; r < N_ROWS; r++)
			want += (r * N_THREADS + i) * 7;
		ck_assert_uint_eq(((uint32_t *)(uintptr_t)out)[i], want);
	}
	*l1 = *l2 = (struct prefetch_counts){0};
	if (t->t->sm[0].ldst.l1d.cache)
		cache_prefetches(t->t->sm[0].ldst.l1d.cache, l1);
	for (unsigned s = 0; s < memory_n_sub(t->t->memory); s++) {
		struct prefetch_counts p;
		memory_l2_prefetches(t->t->memory, s, &p);
		l2->sent += p.sent;
		l2->useful += p.useful;
		l2->late += p.late;
	}
	timed_drain(t);
	timed_all_counters(t);
	*text = strdup(t->text);
	timed_free(t);
	return cycles;
}

static const char *const gpus[] = {
	"-l1d_prefetch next_line:2\n", "-l1d_prefetch tagged:4\n", "-l2_prefetch next_line:2\n", "-l1d_prefetch tagged:2\n-l2_prefetch tagged:2\n",
	"-l1d_prefetch next_line:4\n-gpgpu_cache:dl1 N:16:128:4,L:L:m:N:L,S:8:8,4\n-gpgpu_n_mem 2\n",
	"-l1d_prefetch next_line:4\n-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:16:8,4:0,32\n-l2_prefetch next_line:8\n-gpgpu_n_mem 4\n",
	"-l1d_prefetch next_line:64\n-gpgpu_cache:dl1 S:1:128:4,L:B:m:W:L,A:4:2,3:0,32\n-icnt_in_buffer_limit 2\n",
	"-core modern\n-l1d_prefetch tagged:2\n", "-l1d_prefetch next_line:3\n-gpgpu_perfect_mem 1\n",
};

START_TEST(a_gpu_that_prefetches_gives_the_same_results_ticked_or_skipped)
{
	char more[400], *text[2];
	struct prefetch_counts l1, l2;
	uint64_t cycles[2];
	for (unsigned k = 0; k < 2; k++) {
		snprintf(more, sizeof more, "%s-tick_every_cycle %u\n", gpus[_i], k);
		cycles[k] = run_gpu(more, &text[k], &l1, &l2);
		ck_assert_uint_gt(l1.sent + l2.sent, 0);
	}
	ck_assert_uint_eq(cycles[0], cycles[1]);
	ck_assert_str_eq(text[0], text[1]);
	ck_assert(strstr(text[0], strstr(gpus[_i], "l1d_prefetch") ? "\tL1D_prefetch_sent = " : "L2_prefetch_sent = ") != NULL);
	free(text[0]);
	free(text[1]);
}
END_TEST

START_TEST(a_stream_is_faster_with_what_it_needs_fetched_ahead)
{
	char *text;
	struct prefetch_counts l1, l2;
	uint64_t without = run_gpu("", &text, &l1, &l2);
	ck_assert(!strstr(text, "prefetch"));
	ck_assert_uint_eq(l1.sent + l2.sent, 0);
	free(text);
	uint64_t with = run_gpu("-l1d_prefetch tagged:8\n", &text, &l1, &l2);
	ck_assert_uint_gt(l1.useful + l1.late, l1.sent / 2);
	ck_assert_uint_lt(with, without / 2);
	free(text);
	with = run_gpu("-l2_prefetch tagged:8\n", &text, &l1, &l2);
	ck_assert_uint_gt(l2.useful + l2.late, l2.sent / 2);
	ck_assert_uint_lt(with, without);
	free(text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("prefetch");
	TCase *t = tcase_create("prefetch");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_miss_fetches_the_next_lines);
	tcase_add_test(t, a_cache_without_a_prefetcher_fetches_what_it_is_asked);
	tcase_add_test(t, of_a_sectored_line_the_same_sector_is_fetched);
	tcase_add_test(t, an_access_joins_a_prefetch_under_way);
	tcase_add_test(t, what_is_displaced_or_invalidated_before_use_is_counted);
	tcase_add_test(t, a_modified_line_that_a_prefetch_displaces_goes_down);
	tcase_add_test(t, prefetches_take_what_mshrs_and_lines_are_free);
	tcase_add_test(t, a_prefetch_waits_for_room_in_the_queue_of_misses);
	tcase_add_test(t, what_is_there_or_on_its_way_is_not_fetched_again);
	tcase_add_test(t, tagged_prefetch_runs_ahead_of_a_stream);
	tcase_add_test(t, a_write_is_no_reason_to_fetch_and_uses_what_it_finds);
	tcase_add_test(t, a_slice_fetches_only_what_lies_in_it);
	tcase_add_test(t, the_level_below_answers_a_prefetch);
	tcase_add_test(t, wrong_prefetchers_are_refused);
	tcase_add_loop_test(t, a_gpu_that_prefetches_gives_the_same_results_ticked_or_skipped, 0, sizeof gpus / sizeof *gpus);
	tcase_add_test(t, a_stream_is_faster_with_what_it_needs_fetched_ahead);
	suite_add_tcase(s, t);
	return check_main(s);
}
