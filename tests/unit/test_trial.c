#include "base/trial.h"
#include "tests/unit/check_main.h"

#include <check.h>

// The work is done once: a unit of it costs so many nanoseconds in each way. Returns the way.
static bool once(struct trial *t, uint64_t units, const uint64_t cost[2])
{
	const bool way = t->way;
	if (t->left)
		t->left--;
	else
		trial_count(t, units, units * cost[way]);
	return way;
}

// Until the trial that is under way, or the next one, is over.
static void through_trial(struct trial *t, uint64_t units, const uint64_t cost[2])
{
	while (t->left)
		once(t, units, cost);
	while (!t->left)
		once(t, units, cost);
}

START_TEST(the_faster_way_is_chosen)
{
	static const uint64_t cost[][2] = {{1000, 600}, {1000, 1500}, {50, 20}, {3000000, 2000000}, {2000000, 3000000},
	                                   {1000, 1000}};
	struct trial t = {0};
	through_trial(&t, 3, cost[_i]);
	ck_assert_int_eq(t.way, cost[_i][1] < cost[_i][0]); // as fast is not worth it
	through_trial(&t, 3, cost[_i]);
	ck_assert_int_eq(t.way, cost[_i][1] < cost[_i][0]);
}
END_TEST

// However much there is to do: in every second window ten times as much.
START_TEST(the_cost_of_a_unit_counts)
{
	const uint64_t cost[] = {1000, 700};
	struct trial t = {0};
	while (!t.left)
		once(&t, t.way ? 100 : 10, cost);
	ck_assert(t.way);
}
END_TEST

START_TEST(another_way_is_found_when_times_change)
{
	const uint64_t before[] = {1000, 600}, now[] = {1000, 1900};
	struct trial t = {0};
	for (unsigned i = 0; i < 5; i++)
		through_trial(&t, 1, before);
	ck_assert(t.way);
	const uint16_t spell = t.spell;
	through_trial(&t, 1, now);
	ck_assert(!t.way);
	ck_assert_uint_lt(t.spell, spell); // it is looked at again sooner
}
END_TEST

// The host did something else in one of the windows.
START_TEST(one_interruption_decides_nothing)
{
	const uint64_t cost[] = {1000, 600};
	struct trial t = {0};
	while (!t.way || !t.warm)
		once(&t, 1, cost);
	trial_count(&t, 1, 50000000);
	while (!t.left)
		once(&t, 1, cost);
	ck_assert(t.way);
}
END_TEST

START_TEST(trials_become_rare)
{
	const uint64_t cost[] = {1000, 1500};
	struct trial t = {0};
	for (unsigned i = 0; i < 8; i++)
		through_trial(&t, 1, cost);
	uint64_t n = 0, dear = 0;
	for (; n < 3000000; n++)
		dear += once(&t, 1, cost);
	ck_assert_uint_lt(dear, n / HEDDLE_LIMIT(2, 100));
	ck_assert_uint_gt(dear, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trial");
	TCase *t = tcase_create("trial");
	tcase_add_loop_test(t, the_faster_way_is_chosen, 0, 6);
	tcase_add_test(t, the_cost_of_a_unit_counts);
	tcase_add_test(t, another_way_is_found_when_times_change);
	tcase_add_test(t, one_interruption_decides_nothing);
	tcase_add_test(t, trials_become_rare);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
