// Texture caches: answers in the order of the requests, one a cycle.
#include "tests/unit/cache_harness.h"

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

int main(void)
{
	Suite *s = suite_create("texture cache");
	TCase *t = tcase_create("cache");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_texture_cache_keeps_the_order_of_its_requests);
	tcase_add_test(t, a_full_texture_cache_refuses_without_counting);
	suite_add_tcase(s, t);
	return check_main(s);
}
