// Where a line goes in a cache: the hashes that choose its set, the number of ways; and configurations that no cache can have.
#include "gpgpu-sim/cache/set_index.h"
#include "tests/unit/cache_harness.h"

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

int main(void)
{
	Suite *s = suite_create("cache index");
	TCase *t = tcase_create("cache");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, set_hashes_agree_with_their_definitions);
	tcase_add_test(t, ipoly_spreads_every_stride_of_a_power_of_two);
	tcase_add_test(t, l2_hashes_the_offset_in_the_channel_and_a_custom_hash_is_called);
	tcase_add_test(t, the_carve_out_changes_the_ways);
	tcase_add_test(t, configurations_that_cannot_work_are_refused);
	suite_add_tcase(s, t);
	return check_main(s);
}
