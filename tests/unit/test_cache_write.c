// Writes to a cache: what each policy sends down and keeps, and which dirty lines are written back.
#include "tests/unit/cache_harness.h"

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

int main(void)
{
	Suite *s = suite_create("cache writes");
	TCase *t = tcase_create("cache");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, each_write_policy_does_what_it_says, 0, sizeof write_cases / sizeof *write_cases);
	tcase_add_test(t, a_dirty_line_that_makes_room_is_written_back_with_its_bytes);
	tcase_add_test(t, write_through_has_nothing_to_write_back);
	tcase_add_test(t, a_sector_becomes_readable_when_writes_have_filled_it);
	tcase_add_test(t, an_atomic_leaves_its_line_dirty);
	tcase_add_test(t, dirty_lines_stay_until_there_are_enough_of_them);
	tcase_add_test(t, a_line_written_while_fetched_and_lost_before_the_answer_is_fetched_for_its_new_place);
	tcase_add_test(t, what_a_copy_modified_is_written_back);
	tcase_add_test(t, host_copies_fill_lines_and_flushing_drops_dirty_ones);
	suite_add_tcase(s, t);
	return check_main(s);
}
