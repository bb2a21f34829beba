#include "gpgpu-sim/memory/addr_hash.h"
#include "gpgpu-sim/memory/addr_map.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HBM "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS"
#define GDDR "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS"
#define FERMI "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS"
#define LETTERS "00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCDD.DCCSSSSS"

static struct options o;
static struct diag d;
static uint64_t seed = 1;

static uint64_t draw(void)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed;
}

static void setup(void) { options_defaults(&o); }

static void teardown(void)
{
	options_free(&o);
	diag_free(&d);
}

static void configure(unsigned channels, unsigned slices, const char *map, int mask, unsigned indexing)
{
	o.gpgpu_n_mem = channels;
	o.gpgpu_n_sub_partition_per_mchannel = slices;
	o.gpgpu_mem_addr_mapping = map;
	o.gpgpu_mem_address_mask = mask;
	o.gpgpu_memory_partition_indexing = indexing;
}

// --- The reference: one address bit at a time, from the letters ---

static unsigned log2_floor(unsigned v)
{
	unsigned n = 0;
	while (v >>= 1)
		n++;
	return n;
}

// The letter of an address bit in a map without channel letters; b, r, c or 0.
static char letter(const char *map, int bit)
{
	int at = 63;
	for (const char *p = strchr(map, ';') ? strchr(map, ';') + 1 : map; *p; p++) {
		if (*p == '.')
			continue;
		if (at-- == bit)
			return *p == 'S' ? 'C' : *p;
	}
	return '0';
}

static uint64_t field(const char *map, char which, uint64_t addr, int channel_bit, unsigned inserted)
{
	uint64_t out = 0;
	int n = 0;
	for (int bit = 0; bit < 64; bit++) {
		if (letter(map, bit) != which)
			continue;
		int real = channel_bit >= 0 && bit >= channel_bit ? bit + (int)inserted : bit;
		out |= (real < 64 ? addr >> real & 1 : 0) << n++;
	}
	return out;
}

static void reference(uint64_t addr, const char *map, unsigned channels, unsigned slices, struct mem_place *p)
{
	bool pow2 = (channels & (channels - 1)) == 0;
	int at = 8;
	uint64_t rest = addr, chan;
	if (pow2) {
		chan = addr >> at & (channels - 1);
	} else {
		chan = (addr >> at) % channels;
		rest = ((addr >> at) / channels << at) | (addr & 255);
	}
	unsigned inserted = pow2 ? log2_floor(channels) : 0;
	p->bank = field(map, 'B', rest, at, inserted);
	p->row = field(map, 'R', rest, at, inserted);
	p->column = field(map, 'C', rest, at, inserted);
	p->channel = chan;
	p->sub = chan * slices + p->bank % slices;
	// Offset: what is left when channel bits and the lowest bank bits are taken out.
	uint64_t out = 0;
	int n = 0, banks = 0;
	for (int bit = 0; bit < 64; bit++) {
		if (pow2 && bit >= at && bit < at + (int)inserted)
			continue;
		int virtual = pow2 && bit >= at + (int)inserted ? bit - (int)inserted : bit;
		if (letter(map, virtual) == 'B' && banks++ < (int)log2_floor(slices))
			continue;
		out |= (rest >> bit & 1) << n++;
	}
	p->offset = out;
}

static void same(const struct mem_place *a, const struct mem_place *b)
{
	if (a->channel != b->channel || a->bank != b->bank || a->row != b->row || a->column != b->column ||
	    a->sub != b->sub || a->offset != b->offset)
		ck_abort_msg("channel %u %u, bank %u %u, row %u %u, column %u %u, slice %u %u, offset %llx %llx", a->channel,
		             b->channel, a->bank, b->bank, a->row, b->row, a->column, b->column, a->sub, b->sub,
		             (unsigned long long)a->offset, (unsigned long long)b->offset);
}

START_TEST(a_map_equals_its_letters_bit_by_bit)
{
	static const struct {
		const char *map;
		unsigned channels, slices;
	} cases[] = {{HBM, 32, 2},  {HBM, 24, 2}, {GDDR, 12, 2}, {GDDR, 16, 2},
	             {FERMI, 6, 2}, {HBM, 1, 1},  {GDDR, 8, 1},  {GDDR, 3, 4}};
	for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
		configure(cases[c].channels, cases[c].slices, cases[c].map, 1, 0);
		struct addr_map *m = addr_map_new(&o, &d);
		ck_assert_ptr_nonnull(m);
		ck_assert_uint_eq(addr_map_sub_partitions(m), cases[c].channels * cases[c].slices);
		for (int i = 0; i < 2000; i++) {
			uint64_t addr = draw() >> (draw() % 40);
			struct mem_place got, want;
			addr_map_place(m, addr, &got);
			reference(addr, cases[c].map, cases[c].channels, cases[c].slices, &want);
			same(&got, &want);
			addr_map_slice(m, addr, &want);
			if (want.offset != got.offset || want.sub != got.sub || want.channel != got.channel)
				ck_abort_msg("slice");
		}
		addr_map_free(m);
	}
}
END_TEST

START_TEST(channel_letters_say_which_bits_are_the_channel)
{
	configure(8, 2, LETTERS, 1, 0);
	struct addr_map *m = addr_map_new(&o, &d);
	ck_assert_ptr_nonnull(m);
	struct mem_place p;
	addr_map_place(m, 5 << 7 | 3 << 10 | 1 << 12 | 9, &p);
	ck_assert_uint_eq(p.channel, 5);
	ck_assert_uint_eq(p.bank, 1);
	ck_assert_uint_eq(p.column, 3 << 7 | 9);
	ck_assert_uint_eq(p.sub, 5 * 2 + 1);
	addr_map_free(m);
	configure(6, 2, LETTERS, 1, 0);
	ck_assert_ptr_null(addr_map_new(&o, &d));
	ck_assert_ptr_nonnull(strstr(d.text, "dramid@"));
}
END_TEST

// Masks of GPGPU-Sim: 0 puts the channel at bit 10 over banks 8-9, rows 13-26; 1 at bit 13, 2 at bit 11, banks 11-12.
START_TEST(the_built_in_masks_place_banks_rows_and_channels)
{
	static const struct {
		int mask;
		uint64_t addr;
		struct mem_place want;
	} cases[] = {
		{0, 0x300, {.bank = 3}},
		{0, 0x1C00, {.channel = 7}},
		{0, 0x2000 << 3, {.row = 1}},
		{0, 0x400 << 3 | 0xff, {.column = 0x1ff}},
		{1, 0x1800, {.bank = 3}},
		{1, 0xE000, {.channel = 7}},
		{1, 0x2000 << 3, {.row = 1}},
		{2, 0x3800, {.channel = 7}},
		{2, 0x1800 << 3, {.bank = 3}},
		{2, 0x7ff, {.column = 0x7ff}},
	};
	for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
		configure(8, 1, "", cases[c].mask, 0);
		struct addr_map *m = addr_map_new(&o, &d);
		ck_assert_ptr_nonnull(m);
		struct mem_place p;
		addr_map_place(m, cases[c].addr, &p);
		ck_assert_uint_eq(p.channel, cases[c].want.channel);
		ck_assert_uint_eq(p.bank, cases[c].want.bank);
		ck_assert_uint_eq(p.row, cases[c].want.row);
		ck_assert_uint_eq(p.column, cases[c].want.column);
		addr_map_free(m);
	}
	configure(8, 1, "", 77, 0); // no such map
	ck_assert_ptr_null(addr_map_new(&o, &d));
}
END_TEST

// The remainder of (high, index), read as a polynomial over GF(2), by the generator.
static unsigned remainder_of(uint64_t v, unsigned poly, unsigned degree)
{
	for (int bit = 63; bit >= (int)degree; bit--)
		if (v >> bit & 1)
			v ^= (uint64_t)poly << (bit - degree);
	return v;
}

START_TEST(ipoly_is_the_remainder_by_its_polynomial)
{
	static const struct {
		unsigned n, degree, poly;
		unsigned high_bits; // GPGPU-Sim looks at so many bits above
	} cases[] = {{16, 4, 0x13, 13}, {32, 5, 0x25, 15}, {64, 6, 0x43, 19}, {128, 7, 0x83, 22}};
	for (int c = 0; c < 4; c++)
		for (int i = 0; i < 5000; i++) {
			uint64_t high = draw() & ((1u << cases[c].high_bits) - 1);
			unsigned index = draw() % cases[c].n;
			unsigned want = remainder_of(high << cases[c].degree | index, cases[c].poly, cases[c].degree);
			if (addr_hash_ipoly(high, index, cases[c].n) != want)
				ck_abort_msg("IPOLY %u of %llx, %u", cases[c].n, (unsigned long long)high, index);
		}
}
END_TEST

START_TEST(ipoly_spreads_every_power_of_two_stride_over_all_slices)
{
	configure(32, 2, HBM, 1, 2);
	struct addr_map *m = addr_map_new(&o, &d);
	ck_assert_ptr_nonnull(m);
	for (unsigned shift = 14; shift < 20; shift++) {
		uint64_t seen = 0;
		for (uint64_t i = 0; i < 64; i++) {
			struct mem_place p;
			addr_map_place(m, i << shift, &p);
			ck_assert_uint_eq(p.channel, p.sub / 2);
			seen |= 1ull << p.sub;
		}
		ck_assert_uint_eq(seen, UINT64_MAX);
	}
	addr_map_free(m);
}
END_TEST

START_TEST(every_indexing_stays_in_range_and_keeps_rows)
{
	static const struct {
		unsigned channels, slices, indexing;
	} cases[] = {{32, 2, 1}, {32, 2, 2}, {24, 2, 2}, {12, 2, 2}, {32, 1, 3}, {12, 2, 4}, {32, 2, 5},
	             {24, 2, 6}, {80, 1, 6}, {40, 2, 6}, {20, 2, 2}, {22, 2, 2}, {16, 8, 2}};
	for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
		configure(cases[c].channels, cases[c].slices, GDDR, 1, 0);
		struct addr_map *plain = addr_map_new(&o, &d);
		configure(cases[c].channels, cases[c].slices, GDDR, 1, cases[c].indexing);
		struct addr_map *m = addr_map_new(&o, &d);
		ck_assert_msg(m, "%s", d.text);
		unsigned used[128] = {0};
		for (int i = 0; i < 20000; i++) {
			struct mem_place p, q;
			uint64_t addr = draw() >> 28;
			addr_map_place(m, addr, &p);
			addr_map_place(plain, addr, &q);
			if (p.channel >= cases[c].channels || p.sub / cases[c].slices != p.channel || p.row != q.row ||
			    p.offset != q.offset)
				ck_abort_msg("case %u, address %llx", c, (unsigned long long)addr);
			used[p.sub]++;
		}
		for (unsigned s = 0; s < cases[c].channels * cases[c].slices; s++)
			ck_assert_uint_gt(used[s], 0);
		addr_map_free(m);
		addr_map_free(plain);
	}
}
END_TEST

START_TEST(a_place_moves_in_its_line_as_the_map_says)
{
	static const struct {
		unsigned channels, slices, indexing;
		const char *map;
		int mask;
	} cases[] = {{32, 2, 0, HBM, 1}, {24, 2, 2, GDDR, 1}, {80, 1, 6, FERMI, 1}, {80, 2, 5, HBM, 1}, {80, 2, 7, HBM, 1}, {8, 1, 0, LETTERS, 1}, {16, 2, 0, NULL, 5},
	             {16, 2, 2, NULL, 5}, {12, 2, 0, NULL, 6}, {16, 1, 0, NULL, 103}, {24, 2, 0, NULL, 100}, {32, 1, 3, NULL, 0}};
	for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
		configure(cases[c].channels, cases[c].slices, cases[c].map, cases[c].mask, cases[c].indexing);
		struct addr_map *m = addr_map_new(&o, &d);
		ck_assert_msg(m, "%s", d.text);
		for (int i = 0; i < 20000; i++) {
			const uint64_t from = draw() >> 28, to = from ^ draw() % MEM_MAX_LINE;
			struct mem_place moved, is;
			memset(&moved, 0, sizeof moved);
			memset(&is, 0, sizeof is);
			addr_map_place(m, from, &moved);
			addr_map_in_line(m, from, to, &moved);
			addr_map_place(m, to, &is);
			if (memcmp(&moved, &is, sizeof is) != 0)
				ck_abort_msg("case %u, from %llx to %llx", c, (unsigned long long)from, (unsigned long long)to);
		}
		addr_map_free(m);
	}
}
END_TEST

// 64 hashed slices modulo n: the first 64 - n get twice as much, and set the pace of the DRAM. A fixed draw is even.
START_TEST(where_ipoly_modulo_loads_some_slices_twice_a_fixed_draw_is_even)
{
	static const unsigned channels[] = {20, 22, 24};
	enum { LINES = 1 << 18 };
	for (unsigned c = 0; c < 3; c++) {
		unsigned n = channels[c] * 2, used[2][48] = {{0}};
		for (unsigned k = 0; k < 2; k++) {
			configure(channels[c], 2, GDDR, 1, k ? 4 : 2);
			struct addr_map *m = addr_map_new(&o, &d);
			ck_assert_msg(m, "%s", d.text);
			for (uint64_t i = 0; i < LINES; i++) {
				struct mem_place p;
				addr_map_slice(m, i * 128, &p);
				used[k][p.sub]++;
			}
			addr_map_free(m);
		}
		for (unsigned s = 0; s < n; s++) {
			unsigned ipoly = LINES / 64 * (s < 64 - n ? 2 : 1), draw = LINES / n;
			ck_assert_msg(used[0][s] > ipoly * 0.95 && used[0][s] < ipoly * 1.05, "IPOLY, %u slices: %u has %u", n, s,
			              used[0][s]);
			ck_assert_msg(used[1][s] > draw * 0.95 && used[1][s] < draw * 1.05, "draw, %u slices: %u has %u", n, s,
			              used[1][s]);
		}
	}
}
END_TEST

START_TEST(a_hash_that_does_not_exist_for_the_channels_is_refused)
{
	configure(12, 2, GDDR, 1, 1);
	ck_assert_ptr_null(addr_map_new(&o, &d));
	configure(8, 1, GDDR, 1, 2);
	ck_assert_ptr_null(addr_map_new(&o, &d));
	configure(16, 1, GDDR, 1, 3);
	ck_assert_ptr_null(addr_map_new(&o, &d));
	configure(16, 3, GDDR, 1, 0);
	ck_assert_ptr_null(addr_map_new(&o, &d));
	ck_assert_uint_eq(d.errors, 4);
}
END_TEST

START_TEST(the_self_test_finds_a_bit_in_no_field)
{
	o.gpgpu_mem_addr_test = true;
	configure(8, 1, GDDR, 1, 0);
	addr_map_free(addr_map_new(&o, &d));
	ck_assert_uint_eq(d.warnings, 0);
	configure(8, 1, "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.0BBBCCCC.BCCSSSSS", 1, 0);
	struct addr_map *m = addr_map_new(&o, &d);
	ck_assert_ptr_nonnull(m);
	ck_assert_uint_eq(d.warnings, 1);
	addr_map_free(m);
}
END_TEST

// Rotated: of n consecutive offsets' lines each slice has one, and each set of a slice as many as the others.
START_TEST(rotated_is_even_over_slices_and_sets)
{
	enum { CHANNELS = 40, SUBS = 2, SLICES = CHANNELS * SUBS, SETS = 64, ROUNDS = 16 };
	static unsigned used[SLICES][SETS];
	configure(CHANNELS, SUBS, HBM, 1, 7);
	struct addr_map *m = addr_map_new(&o, &d);
	ck_assert_msg(m, "%s", d.text);
	for (uint64_t i = 0; i < (uint64_t)SLICES * SETS * ROUNDS; i++) {
		struct mem_place p;
		addr_map_slice(m, i * MEM_MAX_LINE, &p);
		used[p.sub][p.offset / MEM_MAX_LINE % SETS]++;
	}
	for (unsigned s = 0; s < SLICES; s++)
		for (unsigned k = 0; k < SETS; k++)
			ck_assert_msg(used[s][k] == ROUNDS, "slice %u, set %u: %u", s, k, used[s][k]);
	addr_map_free(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("addr_map");
	TCase *t = tcase_create("addr_map");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_map_equals_its_letters_bit_by_bit);
	tcase_add_test(t, channel_letters_say_which_bits_are_the_channel);
	tcase_add_test(t, the_built_in_masks_place_banks_rows_and_channels);
	tcase_add_test(t, ipoly_is_the_remainder_by_its_polynomial);
	tcase_add_test(t, ipoly_spreads_every_power_of_two_stride_over_all_slices);
	tcase_add_test(t, every_indexing_stays_in_range_and_keeps_rows);
	tcase_add_test(t, a_place_moves_in_its_line_as_the_map_says);
	tcase_add_test(t, where_ipoly_modulo_loads_some_slices_twice_a_fixed_draw_is_even);
	tcase_add_test(t, rotated_is_even_over_slices_and_sets);
	tcase_add_test(t, a_hash_that_does_not_exist_for_the_channels_is_refused);
	tcase_add_test(t, the_self_test_finds_a_bit_in_no_field);
	suite_add_tcase(s, t);
	return check_main(s);
}
