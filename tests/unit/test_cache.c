// Reads of a cache: what hits and what misses, which line makes room, requests that wait and requests that are refused, ports,
// counts and reports.
#include "tests/unit/cache_harness.h"
#include "tests/unit/random.h"

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
	tcase_add_test(t, requests_for_one_line_are_fetched_once_and_come_back_in_order);
	tcase_add_test(t, answers_are_given_back_in_the_order_in_which_data_came);
	tcase_add_test(t, one_mshr_and_one_place_in_the_queue_are_enough_to_go_on);
	tcase_add_test(t, a_full_level_below_keeps_misses_in_the_queue);
	tcase_add_test(t, a_set_whose_lines_all_wait_refuses_more);
	tcase_add_test(t, allocating_on_fill_needs_no_line_while_waiting);
	tcase_add_test(t, a_request_split_into_sectors_comes_back_when_the_last_has_come);
	tcase_add_test(t, hits_take_the_data_port_and_fills_the_fill_port);
	tcase_add_test(t, skipping_equals_ticking);
	tcase_add_test(t, counts_are_kept_per_stream);
	tcase_add_test(t, a_refusal_stands_until_the_cache_changes_and_can_be_counted_again);
	tcase_add_test(t, a_report_names_the_request_that_has_waited_longest);
	tcase_add_test(t, a_report_names_what_is_full);
	tcase_add_loop_test(t, every_request_of_a_random_stream_is_answered_once, 0, sizeof strings / sizeof *strings);
	suite_add_tcase(s, t);
	return check_main(s);
}
