// The warp schedulers alone: in which order each policy tries warps.
#include "gpgpu-sim/classic/sched.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct sched s;
static uint64_t age[64];
static struct sched_view v;

static void make(const char *form, unsigned id, unsigned n, unsigned slots)
{
	struct scheduler_form f;
	struct form_error err;
	ck_assert_msg(form_scheduler(form, &f, &err), "%s", err.why);
	sched_init(&s, &f, id, n, slots);
	for (unsigned i = 0; i < 64; i++)
		age[i] = i;
	v = (struct sched_view){.resident = s.own, .age = age};
}

enum { NOBODY = 99 };

// A cycle in which the warps of `can` could issue; the one that does.
static unsigned cycle(uint64_t can)
{
	uint64_t set = sched_begin(&s, &v) & s.own & v.resident & ~v.waiting & can;
	if (!set)
		return NOBODY;
	unsigned w = s.ops->pick(&s, set, &v);
	ck_assert_msg(w < 64 && set >> w & 1, "warp %u is not in the set %llx", w, (unsigned long long)set);
	s.ops->issued(&s, w);
	return w;
}

// All of them in order of priority, without issuing.
static void tried(uint64_t can, const unsigned *want, unsigned n)
{
	uint64_t set = sched_begin(&s, &v) & s.own & v.resident & ~v.waiting & can;
	for (unsigned i = 0; i < n; i++) {
		ck_assert_msg(set != 0, "only %u warps are tried", i);
		unsigned w = s.ops->pick(&s, set, &v);
		ck_assert_uint_eq(w, want[i]);
		set &= ~((uint64_t)1 << w);
	}
	ck_assert_uint_eq(set, 0);
}

#define TRIED(can, ...) tried(can, (const unsigned[]){__VA_ARGS__}, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))

START_TEST(schedulers_deal_the_slots_among_themselves)
{
	uint64_t all = 0;
	for (unsigned id = 0; id < 4; id++) {
		make("lrr", id, 4, 48);
		ck_assert_uint_eq(s.own, 0x0000111111111111ull << id);
		ck_assert_uint_eq(all & s.own, 0);
		all |= s.own;
	}
	ck_assert_uint_eq(all, 0xffffffffffffull);
}
END_TEST

START_TEST(lrr_goes_on_behind_the_warp_that_issued_last)
{
	make("lrr", 0, 1, 64);
	ck_assert_uint_eq(cycle(~0ull), 0);
	ck_assert_uint_eq(cycle(~0ull), 1);
	ck_assert_uint_eq(cycle(0xff00), 8);
	ck_assert_uint_eq(cycle(~0ull), 9);
	ck_assert_uint_eq(cycle(1ull << 63), 63);
	ck_assert_uint_eq(cycle(~0ull), 0);
	// The one that issued last has the lowest priority of all.
	ck_assert_uint_eq(cycle(1ull << 5), 5);
	ck_assert_uint_eq(cycle(1ull << 5), 5);
	TRIED(1ull << 5 | 1ull << 2 | 1ull << 7, 7, 2, 5);
	ck_assert_uint_eq(cycle(0), NOBODY);
	ck_assert_uint_eq(cycle(~0ull), 6);
}
END_TEST

START_TEST(gto_stays_with_a_warp_while_it_can_then_takes_the_oldest)
{
	make("gto", 0, 1, 8);
	age[0] = 50, age[1] = 40, age[2] = 30, age[3] = 20;
	ck_assert_uint_eq(cycle(0xf), 0); // GPGPU-Sim: as if the first slot had issued
	ck_assert_uint_eq(cycle(0xf), 0);
	ck_assert_uint_eq(cycle(0xe), 3);
	ck_assert_uint_eq(cycle(0xf), 3);
	TRIED(0xf, 3, 2, 1, 0);
	ck_assert_uint_eq(cycle(0x7), 2);
	ck_assert_uint_eq(cycle(0xf), 2);
	// What waits is not tried, however greedy.
	v.waiting = 1 << 2;
	ck_assert_uint_eq(cycle(0xf), 3);
	v.waiting = 0;
	TRIED(0xf, 3, 2, 1, 0);
}
END_TEST

START_TEST(old_always_takes_the_oldest)
{
	make("old", 1, 2, 8);
	age[1] = 9, age[3] = 2, age[5] = 7, age[7] = 1;
	TRIED(~0ull, 7, 3, 5, 1);
	ck_assert_uint_eq(cycle(~0ull), 7);
	ck_assert_uint_eq(cycle(1 << 1 | 1 << 5), 5);
	ck_assert_uint_eq(cycle(~0ull), 7);
	age[7] = 100; // the slot has a new warp
	TRIED(~0ull, 3, 5, 1, 7);
}
END_TEST

START_TEST(rrr_gives_the_turn_to_one_warp_alone)
{
	make("rrr", 0, 1, 4);
	ck_assert_uint_eq(cycle(0xf), 0);
	ck_assert_uint_eq(cycle(0xf), 1);
	// Warp 2 has the turn: nobody issues while its registers are not ready.
	ck_assert_uint_eq(cycle(0xb), NOBODY);
	ck_assert_uint_eq(cycle(0xb), NOBODY);
	ck_assert_uint_eq(cycle(0xf), 2);
	// Warp 3 waits at a barrier: the turn passes it.
	v.waiting = 1 << 3;
	ck_assert_uint_eq(cycle(0xf), 0);
	v.waiting = 0;
	v.resident = 1 << 1 | 1 << 3;
	ck_assert_uint_eq(cycle(0xf), 1);
	ck_assert_uint_eq(cycle(0xf), 3);
	ck_assert_uint_eq(cycle(0xf), 1);
}
END_TEST

START_TEST(two_levels_try_only_the_active_warps_round_robin)
{
	make("two_level_active:2:0:1", 0, 1, 6);
	TRIED(~0ull, 0, 1);
	ck_assert_uint_eq(cycle(~0ull), 0);
	TRIED(~0ull, 1, 0); // the one that issued goes to the end
	ck_assert_uint_eq(cycle(~0ull), 1);
	ck_assert_uint_eq(cycle(1 << 1), 1);
	ck_assert_uint_eq(cycle(1 << 2 | 1 << 3), NOBODY); // pending ones do not issue
	// A warp that needs the result of a long operation makes room for the one that has been pending longest.
	v.longop = 1 << 0;
	TRIED(~0ull, 1, 2);
	v.longop = 0;
	v.waiting = 1 << 2;
	TRIED(~0ull, 1, 3);
	v.waiting = 0;
	// The pending ones in order: 4, 5, 0, 2. The active one that stays is in front of those that come in.
	v.longop = 1 << 1 | 1 << 3;
	TRIED(~0ull, 4, 5);
	v.longop = 1 << 5;
	TRIED(~0ull, 4, 0);
	v.longop = 0;
	v.resident = s.own & ~(uint64_t)(1 << 4 | 1 << 0);
	sched_begin(&s, &v);
	v.resident = s.own;
	TRIED(~0ull, 2, 1);
}
END_TEST

START_TEST(warp_limiting_tries_the_oldest_few_that_do_not_wait)
{
	make("warp_limiting:2:3", 0, 1, 8);
	for (unsigned i = 0; i < 8; i++)
		age[i] = 100 - i;
	// Greedy: slot 0 counts as the last one, though not among the three oldest.
	TRIED(~0ull, 0, 7, 6, 5);
	ck_assert_uint_eq(cycle(~0ull & ~1ull), 7);
	TRIED(~0ull, 7, 6, 5);
	ck_assert_uint_eq(cycle(1 << 4), NOBODY);
	v.waiting = 1 << 6;
	TRIED(~0ull, 7, 5, 4);
	v.waiting = 0;
	ck_assert_uint_eq(cycle(1 << 5), 5);
	TRIED(~0ull, 5, 7, 6);
}
END_TEST

static const char *const policies[] = {"lrr", "gto", "old", "rrr", "two_level_active:3:0:1", "warp_limiting:2:2"};

// Under every policy that tries all, every ready warp gets its turn; no policy picks what it may not.
START_TEST(every_policy_lets_every_warp_go_in_the_end)
{
	make(policies[_i], 0, 2, 32);
	unsigned left[32], total = 0;
	uint64_t seed = 7;
	for (unsigned i = 0; i < 32; i += 2)
		total += left[i] = 5;
	for (unsigned n = 0; total && n < 100000; n++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		unsigned w = cycle(seed >> 20);
		if (w == NOBODY)
			continue;
		ck_assert_uint_eq(w % 2, 0);
		ck_assert_uint_gt(left[w], 0);
		total--;
		if (!--left[w])
			v.resident &= ~((uint64_t)1 << w);
	}
	ck_assert_uint_eq(total, 0);
}
END_TEST

// --- policies by age, against what their definition says, while warps come and go: a slot's age follows from when its warp
// came and not from its number.

static unsigned oldest_of(uint64_t set)
{
	unsigned best = NOBODY;
	for (unsigned i = 0; i < 64; i++)
		if (set >> i & 1 && (best == NOBODY || age[i] < age[best]))
			best = i;
	return best;
}

// Of the warps that do not wait, the `n` oldest.
static uint64_t oldest_few(uint64_t set, unsigned n)
{
	uint64_t few = 0;
	for (; n && set; n--) {
		few |= (uint64_t)1 << oldest_of(set);
		set &= ~((uint64_t)1 << oldest_of(set));
	}
	return few;
}

enum by_age { OLD, GTO, LIMITED };

static unsigned should_issue(enum by_age policy, uint64_t can, unsigned last)
{
	uint64_t here = s.own & v.resident & ~v.waiting, set = here & can;
	if (policy == LIMITED)
		set &= oldest_few(here, 3) | (uint64_t)1 << last;
	if (policy != OLD && set >> last & 1)
		return last;
	return oldest_of(set);
}

START_TEST(age_decides_and_not_the_slot)
{
	static const struct { const char *form; enum by_age policy; } row[] = {{"old", OLD}, {"gto", GTO}, {"warp_limiting:2:3", LIMITED}};
	uint64_t seed = 11, born = 1000;
	unsigned last = 1, other = 0;
	make(row[_i].form, 1, 3, 48);
	for (unsigned i = 0; i < 48; i++)
		age[i] = 47 - i; // the highest slots came first
	for (unsigned n = 0; n < 20000; n++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		unsigned moved = (unsigned)(seed >> 58) % 16 * 3 + 1;
		uint64_t can = seed >> 8 ^ seed << 21;
		if (n % 7 == 0)
			v.resident ^= (uint64_t)1 << moved; // it leaves, or another comes
		if (n % 7 == 0 && v.resident >> moved & 1)
			age[moved] = born++;
		v.waiting = can >> 17 & can << 5;
		unsigned want = should_issue(row[_i].policy, can, last), got = cycle(can);
		ck_assert_msg(got == want, "cycle %u: warp %u, not %u", n, got, want);
		if (got != NOBODY) {
			other += got != (unsigned)__builtin_ctzll(s.own & v.resident & ~v.waiting & can);
			last = got;
		}
	}
	ck_assert_uint_gt(other, 5000); // slots would have said something else
}
END_TEST

// No policy picks a warp outside what it is given, whatever the ages.
START_TEST(every_policy_picks_from_its_set)
{
	uint64_t seed = 5;
	make(policies[_i], 1, 2, 32);
	for (unsigned n = 0; n < 20000; n++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		unsigned moved = (unsigned)(seed >> 60) * 2 + 1;
		age[moved] = 100 + n;
		v.resident ^= n % 5 ? 0 : (uint64_t)1 << moved;
		v.waiting = seed >> 31 & seed << 3;
		v.longop = seed >> 13 & seed << 7;
		cycle(seed >> 20 ^ seed << 11); // looks at what was picked
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sched");
	TCase *t = tcase_create("sched");
	tcase_add_test(t, schedulers_deal_the_slots_among_themselves);
	tcase_add_test(t, lrr_goes_on_behind_the_warp_that_issued_last);
	tcase_add_test(t, gto_stays_with_a_warp_while_it_can_then_takes_the_oldest);
	tcase_add_test(t, old_always_takes_the_oldest);
	tcase_add_test(t, rrr_gives_the_turn_to_one_warp_alone);
	tcase_add_test(t, two_levels_try_only_the_active_warps_round_robin);
	tcase_add_test(t, warp_limiting_tries_the_oldest_few_that_do_not_wait);
	tcase_add_loop_test(t, every_policy_lets_every_warp_go_in_the_end, 0, sizeof policies / sizeof *policies);
	tcase_add_loop_test(t, age_decides_and_not_the_slot, 0, 3);
	tcase_add_loop_test(t, every_policy_picks_from_its_set, 0, sizeof policies / sizeof *policies);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
