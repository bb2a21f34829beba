// L2 in two halves (-l2_partitions 2): what reads and writes take from either side, and that partners never wait for each other for ever.
#include "base/mem.h"
#include "gpgpu-sim/memory/partition.h"

#include <check.h>
#include <string.h>

enum { ROP = 160, FAR = 90, CHANNELS = 4, MOST = 5000 };

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
	o.gpgpu_n_mem = CHANNELS;
	o.gpgpu_n_sub_partition_per_mchannel = 1;
	o.gpgpu_mem_addr_mapping = "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS";
	o.gpgpu_cache_dl2 = "S:32:128:24,L:B:m:L:P,A:192:4,32:0,32";
	o.gpgpu_cache_dl2_texture_only = false;
	o.gpgpu_dram_partition_queues = "64:64:64:64";
	o.gpgpu_l2_rop_latency = ROP;
	o.dram_latency = 100;
	o.gpgpu_frfcfs_dram_sched_queue_size = 64;
	o.gpgpu_dram_return_queue_size = 192;
	o.gpgpu_dram_buswidth = 16;
	o.gpgpu_dram_burst_length = 2;
	o.gpgpu_dram_timing_opt = "nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3";
	o.dram_dual_bus_interface = 1;
	o.l2_partitions = 2;
	o.l2_far_latency = FAR;
	now = 0;
	seed = 1;
	pool = mem_pool_new(64);
}

static void make(void)
{
	m = memory_new(&o, pool, &d);
	ck_assert_msg(m, "%s", d.text);
}

static void teardown(void)
{
	memory_free(m);
	m = NULL;
	mem_pool_free(pool);
	options_free(&o);
	diag_free(&d);
}

static struct mem_req *request(uint64_t addr, enum mem_access_type type, bool second)
{
	struct mem_req *r = mem_req_new(pool);
	r->addr = addr;
	r->bytes = MEM_SECTOR;
	r->type = type;
	r->write = type == GLOBAL_ACC_W;
	r->sectors = (uint8_t)(1u << addr % MEM_MAX_LINE / MEM_SECTOR);
	for (unsigned b = addr % MEM_MAX_LINE; r->write && b < addr % MEM_MAX_LINE + MEM_SECTOR; b++)
		r->mask.w[b / 64] |= 1ull << b % 64;
	r->created = now;
	addr_map_place(memory_map(m), addr, &r->place);
	memory_aim(m, r, second);
	return r;
}

// Core cycles from the push of a request of an SM in the first or the second half to the first in which the answer can be taken.
static uint64_t latency(uint64_t addr, enum mem_access_type type, bool second)
{
	struct mem_req *r = request(addr, type, second), *a;
	const unsigned sub = r->place.sub;
	const uint64_t start = now;
	ck_assert_uint_eq(sub >= CHANNELS / 2, r->write ? addr / 256 % CHANNELS >= CHANNELS / 2 : second);
	for (memory_push(m, sub, r, now); !(a = memory_front(m, sub)); now++) {
		memory_tick_dram(m, 1, now);
		memory_tick_l2(m, now);
		ck_assert(now - start < MOST);
	}
	ck_assert_ptr_eq(a, r);
	memory_pop(m, sub);
	mem_req_free(pool, a);
	return now - start;
}

enum { NEAR_HIT = ROP + 2 };

START_TEST(a_read_from_far_leaves_a_copy)
{
	const uint64_t in_first = 0x1000, in_second = 0x1200;
	make();
	const uint64_t near_miss = latency(in_first, GLOBAL_ACC_R, false), far_miss = latency(in_second, GLOBAL_ACC_R, false);
	const uint64_t trip = far_miss - near_miss; // the way there and back, through both caches
	ck_assert_uint_ge(trip, FAR);
	ck_assert_uint_le(trip, FAR + 8);
	ck_assert_uint_eq(latency(in_first, GLOBAL_ACC_R, false), NEAR_HIT);
	ck_assert_uint_eq(latency(in_second, GLOBAL_ACC_R, false), NEAR_HIT); // the copy
	ck_assert_uint_eq(latency(in_second, GLOBAL_ACC_R, true), NEAR_HIT);  // the home
	ck_assert_uint_eq(latency(in_first, GLOBAL_ACC_R, true), NEAR_HIT + trip);
	ck_assert_uint_eq(latency(in_first, GLOBAL_ACC_R, true), NEAR_HIT);
	ck_assert(memory_drained(m));
	ck_assert_uint_eq(mem_pool_live(pool), 0);
}
END_TEST

START_TEST(a_write_goes_home_and_drops_the_copy)
{
	const uint64_t in_second = 0x1200;
	make();
	latency(in_second, GLOBAL_ACC_R, false);
	ck_assert_uint_eq(latency(in_second, GLOBAL_ACC_W, true), NEAR_HIT);
	ck_assert_uint_gt(latency(in_second, GLOBAL_ACC_R, false), NEAR_HIT + FAR); // the home still has it
	ck_assert_uint_lt(latency(in_second, GLOBAL_ACC_R, false), NEAR_HIT + FAR);
	ck_assert_uint_eq(latency(in_second, GLOBAL_ACC_W, false), NEAR_HIT + FAR); // from far
	ck_assert_uint_gt(latency(in_second, GLOBAL_ACC_R, false), NEAR_HIT + FAR);
	ck_assert_uint_eq(latency(in_second + MEM_SECTOR, GLOBAL_ACC_W, true), NEAR_HIT); // another sector's copy stays
	ck_assert_uint_eq(latency(in_second, GLOBAL_ACC_R, false), NEAR_HIT);
}
END_TEST

START_TEST(without_sectors_a_write_drops_the_whole_copy)
{
	const uint64_t in_second = 0x1200;
	o.gpgpu_cache_dl2 = "N:32:128:24,L:B:m:W:L,A:192:4,32:0,32";
	make();
	latency(in_second, GLOBAL_ACC_R, false);
	ck_assert_uint_lt(latency(in_second, GLOBAL_ACC_R, false), NEAR_HIT + FAR);
	latency(in_second + 2 * MEM_SECTOR, GLOBAL_ACC_W, true);
	ck_assert_uint_gt(latency(in_second, GLOBAL_ACC_R, false), NEAR_HIT + FAR);
}
END_TEST

// Both halves ask each other for as much as they can, with hardly anything to remember it in: all is answered. Skipping ticks in which
// nothing can move makes no difference.
static uint64_t storm(bool skip)
{
	enum { REQUESTS = 4000, LINES = 64 };
	uint64_t left = REQUESTS, answered = 0, digest = 0;
	make();
	memory_tick_all(m, !skip);
	for (now = 0; answered < REQUESTS; now++) {
		ck_assert_msg(now < REQUESTS * 200, "%llu of them are not answered", (unsigned long long)(REQUESTS - answered));
		memory_tick_dram(m, 1, now);
		for (unsigned k = 0; left && k < 2; k++) {
			const bool second = draw() & 1;
			struct mem_req *r = request(draw() % LINES * MEM_MAX_LINE, draw() % 8 ? GLOBAL_ACC_R : GLOBAL_ACC_W, second);
			if (memory_has_room(m, r->place.sub))
				memory_push(m, r->place.sub, r, now), left--;
			else
				mem_req_free(pool, r);
		}
		memory_tick_l2(m, now);
		for (unsigned s = 0; s < CHANNELS; s++) {
			struct mem_req *a = memory_front(m, s);
			if (!a || now % 4 == s)
				continue;
			memory_pop(m, s);
			digest = digest * 31 + a->addr + now;
			mem_req_free(pool, a);
			answered++;
		}
	}
	memory_free(m);
	m = NULL;
	return digest;
}

START_TEST(partners_do_not_wait_for_each_other)
{
	static const char *const caches[] = {"S:1:128:2,L:B:m:L:L,A:2:2,4:0,32", "S:4:128:1,L:B:m:L:L,A:8:4,4:0,32", "S:1:128:1,L:B:m:W:L,A:192:1,4:0,32",
	                                     "N:2:128:2,L:B:m:W:L,A:3:2,4:0,32"};
	o.gpgpu_cache_dl2 = caches[_i];
	o.gpgpu_dram_partition_queues = "4:1:1:1";
	const uint64_t skipped = storm(true);
	seed = 1;
	ck_assert_uint_eq(storm(false), skipped);
}
END_TEST

START_TEST(what_cannot_be_halved_is_refused)
{
	o.gpgpu_n_mem = 3;
	ck_assert(!memory_new(&o, pool, &d));
	ck_assert(strstr(d.text, "-l2_partitions 2: needs"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("l2_halves");
	TCase *c = tcase_create("all");
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, a_read_from_far_leaves_a_copy);
	tcase_add_test(c, a_write_goes_home_and_drops_the_copy);
	tcase_add_test(c, without_sectors_a_write_drops_the_whole_copy);
	tcase_add_loop_test(c, partners_do_not_wait_for_each_other, 0, 4);
	tcase_add_test(c, what_cannot_be_halved_is_refused);
	suite_add_tcase(s, c);
	return check_main(s);
}
