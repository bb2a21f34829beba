// The parts of heddle check that stand alone: what was written (shadow.c), who is ordered after whom (clocks.c), what is
// suppressed, and freed memory that is held. What it finds in programs is tests/checks.
#include "cuda-sim/check/clocks.h"
#include "cuda-sim/check/parts.h"
#include "cuda-sim/check/shadow.h"
#include "tests/unit/put_text.h"
#include "tests/unit/random.h"

#include <check.h>

// --- shadow

enum { BASE = 1 << 20, SIZE = 5 << 14 };

START_TEST(each_byte_is_written_or_not)
{
	static bool want[SIZE];
	struct shadow *s = shadow_new(BASE, SIZE);
	seed = 7 + (uint64_t)_i;
	memset(want, 0, sizeof want);
	for (unsigned n = 0; n < 3000; n++) {
		uint64_t at = pick(SIZE), most = n % 10 ? 70 : SIZE, bytes = pick((unsigned)most);
		bytes = bytes > SIZE - at ? SIZE - at : bytes;
		switch (pick(4)) {
		case 0: {
			bool all = true;
			for (uint64_t k = 0; k < bytes; k++)
				all &= want[at + k];
			ck_assert_int_eq(shadow_is_set(s, BASE + at, bytes), all);
			break;
		}
		case 1: {
			uint64_t from = pick((unsigned)(SIZE - bytes + 1));
			if (from < at + bytes && at < from + bytes)
				break; // copies do not overlap
			memcpy(want + at, want + from, bytes);
			shadow_copy(s, BASE + at, BASE + from, bytes);
			break;
		}
		default: {
			bool written = pick(3);
			memset(want + at, written, bytes);
			shadow_set(s, BASE + at, bytes, written);
		}
		}
	}
	for (unsigned k = 0; k < SIZE; k++)
		ck_assert_int_eq(shadow_is_set(s, BASE + k, 1), want[k]);
	shadow_free(s);
}
END_TEST

START_TEST(what_lies_outside_counts_as_written)
{
	struct shadow *s = shadow_new(BASE, SIZE);
	shadow_set(s, BASE - 100, 50, false);
	ck_assert(shadow_is_set(s, BASE - 100, 50));
	ck_assert(!shadow_is_set(s, BASE - 10, 20));
	shadow_set(s, 0, UINT64_MAX, true);
	ck_assert(shadow_is_set(s, BASE, SIZE));
	shadow_set(s, BASE, SIZE, false);
	shadow_copy(s, BASE + 5, 16, 100); // from the program's own memory
	ck_assert(shadow_is_set(s, BASE + 5, 100) && !shadow_is_set(s, BASE + 4, 1) && !shadow_is_set(s, BASE + 105, 1));
	ck_assert(shadow_is_set(s, UINT64_MAX - 3, 4));
	shadow_free(s);
}
END_TEST

// --- clocks

enum { WARPS = 3 };
static struct clocks k;
static struct warp warp[WARPS];
static struct exec_cta cta;
static struct warp *warps[WARPS];

static void start(void)
{
	memset(&k, 0, sizeof k);
	cta = (struct exec_cta){.warp = warps, .n_warp = WARPS};
	for (unsigned i = 0; i < WARPS; i++) {
		warp[i] = (struct warp){.id = i, .cta = &cta, .live = FULL_MASK, .exist = FULL_MASK};
		warps[i] = &warp[i];
	}
	clocks_new(&k, WARPS);
	clocks_start(&k);
}

static void stop(void) { clocks_free(&k); }

static uint32_t now(unsigned w) { return k.warp[w].now; }

START_TEST(a_barrier_orders_all)
{
	uint32_t t = now(0), u = now(1);
	ck_assert(!clocks_ordered(&k, 1, 0, 0, 1, t));
	ck_assert(clocks_ordered(&k, 0, 3, 0, 1 << 3, t)); // a lane is behind itself
	ck_assert(!clocks_ordered(&k, 0, 3, 0, 1 << 4, t));
	for (unsigned w = 0; w < WARPS; w++)
		clocks_arrive(&k, &warp[w], FULL_MASK, 0, true);
	clocks_open(&k, &cta, 0);
	for (unsigned w = 0; w < WARPS; w++) {
		ck_assert(clocks_ordered(&k, w, 1, 0, FULL_MASK, t));
		ck_assert(clocks_ordered(&k, w, 1, 1, FULL_MASK, u));
		ck_assert(w == 2 || !clocks_ordered(&k, w, 1, 2, FULL_MASK, now(2)));
	}
	t = now(0);
	clocks_start(&k); // another block
	ck_assert_uint_gt(k.base, t);
}
END_TEST

// Warp 0 tells warp 1 by a barrier that it does not wait at; warp 2 knows nothing, until warp 1 tells it.
START_TEST(a_named_barrier_orders_those_who_wait)
{
	uint32_t t = now(0);
	clocks_arrive(&k, &warp[0], FULL_MASK, 1, false);
	uint32_t after = now(0);
	clocks_arrive(&k, &warp[1], FULL_MASK, 1, true);
	clocks_open(&k, &cta, 1);
	ck_assert(clocks_ordered(&k, 1, 0, 0, FULL_MASK, t));
	ck_assert(!clocks_ordered(&k, 1, 0, 0, FULL_MASK, after));
	ck_assert(!clocks_ordered(&k, 2, 0, 0, FULL_MASK, t));
	ck_assert(!clocks_ordered(&k, 0, 0, 1, FULL_MASK, t));
	clocks_arrive(&k, &warp[1], FULL_MASK, 2, false);
	clocks_arrive(&k, &warp[2], FULL_MASK, 2, true);
	clocks_open(&k, &cta, 2);
	ck_assert(clocks_ordered(&k, 2, 0, 0, FULL_MASK, t));
}
END_TEST

START_TEST(syncwarp_orders_its_members)
{
	uint32_t t = now(0), low[WARP], four[WARP];
	for (unsigned i = 0; i < WARP; i++)
		low[i] = i < 16 ? 0xffff : 0xffff0000, four[i] = 0xf;
	clocks_warpsync(&k, &warp[0], FULL_MASK, low); // two tiles at once
	ck_assert(clocks_ordered(&k, 0, 0, 0, 1 << 15, t) && clocks_ordered(&k, 0, 31, 0, 1u << 16, t));
	ck_assert(!clocks_ordered(&k, 0, 0, 0, 1 << 16, t) && !clocks_ordered(&k, 0, 31, 0, 1, t));
	ck_assert(!clocks_ordered(&k, 1, 0, 0, 1, t));
	// Members that come one after the other.
	t = now(0);
	clocks_warpsync(&k, &warp[0], 0x3, four);
	ck_assert(!clocks_ordered(&k, 0, 0, 0, 1 << 1, t));
	clocks_warpsync(&k, &warp[0], 0xc, four);
	ck_assert(clocks_ordered(&k, 0, 0, 0, 1 << 3, t) && !clocks_ordered(&k, 0, 0, 0, 1 << 4, t));
	// What lane 4 is behind, lane 8 is behind too, by way of lane 3.
	uint32_t pair[WARP];
	for (unsigned i = 0; i < WARP; i++)
		pair[i] = 1 << 3 | 1 << 8;
	clocks_warpsync(&k, &warp[0], 1 << 3 | 1 << 8, pair);
	ck_assert(clocks_ordered(&k, 0, 8, 0, 1, t));
	clocks_warpsync(&k, &warp[0], FULL_MASK, NULL);
	ck_assert(clocks_ordered(&k, 0, 0, 0, FULL_MASK, t));
}
END_TEST

// Written behind a fence, read before one.
START_TEST(a_flag_between_fences_orders)
{
	enum { FLAG = 64 };
	uint32_t t = now(0);
	clocks_flag_written(&k, 0, FLAG); // without a fence it tells nothing
	clocks_flag_read(&k, 1, FLAG);
	clocks_fence(&k, 1);
	ck_assert(!clocks_ordered(&k, 1, 0, 0, 1, t));
	clocks_fence(&k, 0);
	uint32_t after = now(0);
	clocks_flag_written(&k, 0, FLAG);
	clocks_flag_read(&k, 1, FLAG);
	ck_assert(!clocks_ordered(&k, 1, 0, 0, 1, t));
	clocks_fence(&k, 1);
	ck_assert(clocks_ordered(&k, 1, 0, 0, 1, t) && !clocks_ordered(&k, 1, 0, 0, 1, after));
	ck_assert(!clocks_ordered(&k, 2, 0, 0, 1, t));
	for (unsigned i = 0; i < 1000; i++) // more flags than are remembered
		clocks_flag_written(&k, 0, 4096 + 4 * i), clocks_flag_read(&k, 2, 4096 + 4 * i);
}
END_TEST

// --- suppressions and tools

static const struct {
	const char *line, *why; // why NULL: it is right
	bool matches;
} lines[] = {
	{"# a comment", NULL, false},
	{"   \n", NULL, false},
	{"memcheck: Invalid __global__ write of size 4 bytes at fill(int*) in a.cu:12", NULL, true},
	{"memcheck: Invalid *at fill(int*) in *\n", NULL, true},
	{"*: *", NULL, true},
	{"all: *a.cu:12", NULL, true},
	{"initcheck: *", NULL, false},
	{"memcheck: *a.cu:1", NULL, false},
	{"memcheck: *a.cu:12*", NULL, true},
	{"memcheck", "it does not begin with", false},
	{"memchek: *", "it does not begin with", false},
	{"memcheck:", "nothing stands behind the name", false},
	{"\xff\xfe: *", "it does not begin with", false},
};

START_TEST(lines_of_suppressions)
{
	struct devmem mem = {0};
	struct check_counts n = {0};
	const struct check_setup s = {.tools = CHECK_MEMCHECK, .mem = &mem, .counts = &n};
	struct check *c = check_new(&s);
	const char *why = check_suppress(c, lines[_i].line);
	ck_assert_msg(!why == !lines[_i].why && (!why || strstr(why, lines[_i].why)), "%s", why);
	struct report *r = report_add(c, "key", "memcheck: Invalid __global__ write of size 4 bytes at fill(int*) in a.cu:12", "");
	ck_assert_int_eq(r->suppressed, lines[_i].matches);
	check_free(c);
}
END_TEST

START_TEST(tools_have_names)
{
	ck_assert_uint_eq(check_tool_of("racecheck,x", 9), CHECK_RACECHECK);
	ck_assert_uint_eq(check_tool_of("all", 3), CHECK_ALL);
	ck_assert_uint_eq(check_tool_of("memchec", 7), 0);
	ck_assert_uint_eq(check_tool_of("", 0), 0);
	ck_assert_str_eq(check_number(1234567), "1,234,567");
	ck_assert_str_eq(check_number(999), "999");
}
END_TEST

// --- allocations

static unsigned told_made, told_gone;
static void made(void *ctx, const struct devmem_range *r) { told_made++; }
static void goes(void *ctx, const struct devmem_range *r) { told_gone++; }

START_TEST(freed_memory_is_held)
{
	const struct devmem_watch watch = {.made = made, .goes = goes};
	struct diag d = {0};
	struct devmem *m = devmem_create((uint64_t)64 << 20, DEVMEM_OWN, &d);
	m->watch = &watch;
	m->hold = (uint64_t)32 << 20;
	told_made = told_gone = 0;
	uint64_t a = devmem_alloc(m, 1000, 0, DEVMEM_DEVICE, 0);
	ck_assert(devmem_free(m, a) && !devmem_find(m, a));
	uint64_t b = devmem_alloc(m, 1000, 0, DEVMEM_DEVICE, 0);
	ck_assert_uint_ne(a, b);
	ck_assert(told_made == 2 && told_gone == 1);
	// What was freed first is used first, and all of it where there is nothing else.
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t p = devmem_alloc(m, 1 << 20, 0, DEVMEM_DEVICE, 0);
		ck_assert_uint_ne(p, 0);
		ck_assert(devmem_free(m, p));
	}
	uint64_t all = devmem_alloc(m, (uint64_t)60 << 20, 0, DEVMEM_DEVICE, 0);
	ck_assert_uint_ne(all, 0);
	ck_assert(devmem_free(m, all) && devmem_free(m, b));
	devmem_destroy(m);
}
END_TEST

START_TEST(blocks_are_found_by_their_places)
{
	struct check_blocks b = {0};
	seed = 3;
	bool there[500] = {0};
	const char *const api[] = {"cudaMalloc", "cudaMallocManaged"};
	for (unsigned n = 0; n < 20000; n++) {
		unsigned i = pick(500);
		const struct devmem_range r = {.base = ((uint64_t)1 << 40) + 512 * i, .size = 100};
		const struct check_stack s = {.api = api[i % 2]};
		if (there[i])
			blocks_end(&b, &r, &s);
		else
			blocks_add(&b, &r, &s);
		there[i] = !there[i];
	}
	for (unsigned i = 0; i < 500; i++) {
		const struct check_stack *s = blocks_made(&b, ((uint64_t)1 << 40) + 512 * i);
		ck_assert_int_eq(s != NULL, there[i]);
		ck_assert(!s || s->api == api[i % 2]);
	}
	const struct check_block *dead = blocks_dead_at(&b, ((uint64_t)1 << 40) + 512 * 77 + 99);
	ck_assert(dead && dead->base == ((uint64_t)1 << 40) + 512 * 77);
	ck_assert(!blocks_dead_at(&b, ((uint64_t)1 << 40) + 512 * 77 + 100));
	ck_assert_uint_eq(b.stack.n, 2);
	blocks_free(&b);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("check"), *c = tcase_create("clocks");
	tcase_add_loop_test(t, each_byte_is_written_or_not, 0, 8);
	tcase_add_test(t, what_lies_outside_counts_as_written);
	tcase_add_loop_test(t, lines_of_suppressions, 0, sizeof lines / sizeof *lines);
	tcase_add_test(t, tools_have_names);
	tcase_add_test(t, freed_memory_is_held);
	tcase_add_test(t, blocks_are_found_by_their_places);
	tcase_add_checked_fixture(c, start, stop);
	tcase_add_test(c, a_barrier_orders_all);
	tcase_add_test(c, a_named_barrier_orders_those_who_wait);
	tcase_add_test(c, syncwarp_orders_its_members);
	tcase_add_test(c, a_flag_between_fences_orders);
	Suite *s = suite_create("check");
	suite_add_tcase(s, t);
	suite_add_tcase(s, c);
	return check_main(s);
}
