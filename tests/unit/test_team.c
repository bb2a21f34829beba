#include "base/team.h"
#include "base/assert.h"
#include "base/host_clock.h"
#include "tests/unit/check_main.h"

#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 300 };

struct job {
	struct team *team;
	unsigned n, threads;
	uint32_t times[MOST];        // each task alone writes its own
	uint64_t sum[MOST];
	uint64_t between;            // written by the caller while the others may be at work
	unsigned n_second;
	uint32_t second[MOST];
	atomic_uint wrong, by_others;
};

static void task(void *ctx, unsigned thread, unsigned k)
{
	struct job *j = ctx;
	if (k >= j->n || thread >= j->threads)
		atomic_fetch_add(&j->wrong, 1);
	atomic_fetch_add(&j->by_others, thread != 0);
	j->times[k]++;
	j->sum[k] = j->sum[k] * 31 + k; // upon what this task, on whichever thread, has left in earlier calls
}

static void run(unsigned threads, unsigned dawdle, unsigned calls)
{
	static struct job j;
	memset(&j, 0, sizeof j);
	j.team = team_new(threads, &j);
	j.threads = team_threads(j.team);
	ck_assert_uint_ge(j.threads, 1);
	ck_assert_uint_le(j.threads, threads);
	team_dawdle(j.team, dawdle);
	uint32_t want[MOST] = {0};
	uint64_t sum[MOST] = {0};
	for (unsigned c = 0; c < calls; c++) {
		j.n = 1 + (c * 2654435761u >> 8) % (c % 3 ? 12 : MOST);
		for (unsigned k = 0; k < j.n; k++)
			want[k]++, sum[k] = sum[k] * 31 + k;
		team_call(j.team, task, j.n);
		if (c % 997 == 0)
			usleep(2000); // the others fall asleep
		ck_assert(!memcmp(want, j.times, sizeof want) && !memcmp(sum, j.sum, sizeof sum));
	}
	ck_assert_uint_eq(atomic_load(&j.wrong), 0);
	team_free(j.team);
}

START_TEST(every_task_is_carried_out_once)
{
	static const unsigned threads[] = {1, 2, 3, 8, 64};
	run(threads[_i], 0, 4000);
	run(threads[_i], 1 + (unsigned)_i, 1000);
}
END_TEST

static void second(void *ctx, unsigned thread, unsigned k)
{
	struct job *j = ctx;
	if (k >= j->n_second || thread >= j->threads)
		atomic_fetch_add(&j->wrong, 1);
	j->second[k] += 1 + (uint32_t)j->between;
}

// What the caller writes before it begins the second call is seen in that; of neither a task is lost or carried out
// twice, though threads are in different ones.
START_TEST(two_calls_run_into_each_other)
{
	static const unsigned threads[] = {1, 2, 3, 8};
	static struct job j;
	memset(&j, 0, sizeof j);
	j.team = team_new(threads[_i % 4], &j);
	j.threads = team_threads(j.team);
	team_dawdle(j.team, _i / 4 ? 7 + (unsigned)_i : 0);
	uint32_t want[MOST] = {0}, want_second[MOST] = {0};
	for (unsigned c = 0; c < 3000; c++) {
		j.n = (c * 2654435761u >> 8) % (c % 3 ? 12 : MOST);
		j.n_second = (c * 2246822519u >> 8) % (c % 5 ? 20 : MOST);
		team_begin(j.team, task, j.n);
		j.between = c % 7;
		for (unsigned k = 0; k < j.n; k++)
			want[k]++;
		for (unsigned k = 0; k < j.n_second; k++)
			want_second[k] += 1 + c % 7;
		team_join(j.team);
		team_begin(j.team, second, j.n_second);
		team_join(j.team);
		team_wait(j.team);
		if (c % 997 == 0)
			usleep(2000); // the others fall asleep
		ck_assert(!memcmp(want, j.times, sizeof want) && !memcmp(want_second, j.second, sizeof want_second));
	}
	ck_assert_uint_eq(atomic_load(&j.wrong), 0);
	team_free(j.team);
}
END_TEST

static void slow_elsewhere(void *ctx, unsigned thread, unsigned k)
{
	atomic_uint *by_others = ctx;
	if (thread) {
		atomic_fetch_add(by_others, 1);
		usleep(5000);
	} else {
		sched_yield(); // the other one shall have its turn, on one processor too
	}
}

// Calls of n tasks, one at least, for so many nanoseconds or until the other thread has taken a task. True if it has.
static bool helps(struct team *t, team_task *what, unsigned n, atomic_uint *by_others, uint64_t within)
{
	const uint64_t since = host_clock_ns(CLOCK_MONOTONIC);
	do
		team_call(t, what, n);
	while (!atomic_load(by_others) && host_clock_ns(CLOCK_MONOTONIC) - since < within);
	return atomic_exchange(by_others, 0);
}

// Less than the first spell in which the caller does without the others.
enum { TRIES = 50, A_WHILE = HEDDLE_LIMIT(10000, 300000), UNTIL_IT_RUNS = 1000000000 };

// The caller finds out if it waits, so not if the host let it stand itself, while it was in a task, for as long as the other
// one. On a loaded host that happens often enough to try again.
START_TEST(a_thread_that_stands_still_is_done_without_for_a_while)
{
	atomic_uint by_others = 0;
	struct team *t = team_new(2, &by_others);
	unsigned spells = 0, tries = 0;
	for (; spells < 2 && tries < TRIES; tries++) {
		if (!helps(t, slow_elsewhere, 16, &by_others, UNTIL_IT_RUNS))
			break; // the host never ran it
		spells += !helps(t, slow_elsewhere, 16, &by_others, A_WHILE);
	}
	ck_assert_uint_lt(tries, TRIES);
	team_free(t);
}
END_TEST

// Nanoseconds of a clock.
static void spin_for(clockid_t clock, uint64_t ns)
{
	const uint64_t since = host_clock_ns(clock);
	while (host_clock_ns(clock) - since < ns)
		;
}

static void long_elsewhere(void *ctx, unsigned thread, unsigned k)
{
	atomic_uint *by_others = ctx;
	if (!thread) {
		sched_yield();
		return;
	}
	atomic_fetch_add(by_others, 1);
	spin_for(CLOCK_THREAD_CPUTIME_ID, 2000000);
}

// SMs that go ahead have tasks of milliseconds. After a call with one the other thread is at work in the next calls, unless
// the host took its processor just then, which is why there is more than one try.
START_TEST(a_thread_with_a_long_task_is_not_done_without)
{
	atomic_uint by_others = 0;
	struct team *t = team_new(2, &by_others);
	bool again = false;
	for (unsigned tries = 0; !again && tries < TRIES; tries++)
		again = helps(t, long_elsewhere, 16, &by_others, UNTIL_IT_RUNS) && helps(t, long_elsewhere, 16, &by_others, A_WHILE);
	ck_assert(again);
	team_free(t);
}
END_TEST

// The other thread stands for 2 ms behind a call of 20 ms.
static void stands_at_the_end(void *ctx, unsigned thread, unsigned k)
{
	atomic_uint *by_others = ctx;
	if (!thread)
		spin_for(CLOCK_MONOTONIC, 20000000);
	else if (!atomic_fetch_add(by_others, 1))
		usleep(22000); // of its processor it has nothing meanwhile
}

START_TEST(a_thread_that_stands_for_a_small_part_of_a_call_is_not_done_without)
{
	atomic_uint by_others = 0;
	struct team *t = team_new(2, &by_others);
	unsigned again = 0;
	for (unsigned tries = 0; again < 3 && tries < TRIES; tries++)
		again = helps(t, stands_at_the_end, 2, &by_others, 0) ? again + 1 : 0;
	ck_assert_uint_eq(again, 3);
	team_free(t);
}
END_TEST

struct patient {
	struct team *team;
	bool knew[2]; // of each task: somebody waits
};

// Task 0 goes on until somebody waits for it, but not for ever.
static void patient(void *ctx, unsigned thread, unsigned k)
{
	struct patient *p = ctx;
	for (unsigned i = 0; i < 20000 && k == 0 && !p->knew[k]; i++) {
		p->knew[k] = team_waits(p->team);
		if (i > 100)
			usleep(100);
	}
}

START_TEST(a_task_learns_that_others_have_nothing_to_do)
{
	struct patient p = {.team = team_new(2, &p)};
	if (team_threads(p.team) == 2) {
		team_call(p.team, patient, 2);
		ck_assert(p.knew[0]);
		ck_assert(!team_waits(p.team)); // no call
	}
	team_free(p.team);
}
END_TEST

static void hasty(void *ctx, unsigned thread, unsigned k)
{
	struct patient *p = ctx;
	p->knew[k] = team_waits(p->team);
}

START_TEST(a_thread_alone_waits_for_nobody)
{
	struct patient p = {.team = team_new(1, &p)};
	team_call(p.team, hasty, 2);
	ck_assert(!p.knew[0] && !p.knew[1]);
	team_free(p.team);
}
END_TEST

START_TEST(a_team_without_a_call_ends)
{
	for (unsigned n = 1; n <= 9; n++)
		team_free(team_new(n, NULL));
	team_free(NULL);
}
END_TEST

// On one processor the others run only when the caller waits or is taken off: it must not wait for what nobody has begun.
START_TEST(one_processor_is_enough)
{
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
	ck_assert_uint_eq(team_processors(), 1);
	run(8, 0, 1500);
}
END_TEST

START_TEST(processors_are_those_of_the_affinity_mask_at_most)
{
	cpu_set_t set;
	ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
	const unsigned n = team_processors();
	ck_assert_uint_ge(n, 1);
	ck_assert_uint_le(n, (unsigned)CPU_COUNT(&set));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("team");
	TCase *t = tcase_create("team");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, every_task_is_carried_out_once, 0, 5);
	tcase_add_loop_test(t, two_calls_run_into_each_other, 0, 8);
	tcase_add_test(t, a_task_learns_that_others_have_nothing_to_do);
	tcase_add_test(t, a_thread_alone_waits_for_nobody);
	tcase_add_test(t, a_team_without_a_call_ends);
	tcase_add_test(t, one_processor_is_enough);
	tcase_add_test(t, a_thread_that_stands_still_is_done_without_for_a_while);
	tcase_add_test(t, a_thread_with_a_long_task_is_not_done_without);
	tcase_add_test(t, a_thread_that_stands_for_a_small_part_of_a_call_is_not_done_without);
	tcase_add_test(t, processors_are_those_of_the_affinity_mask_at_most);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
