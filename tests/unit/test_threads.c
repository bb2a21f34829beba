#include "base/threads.h"
#include "base/team.h"
#include "tests/unit/check_main.h"

#include <check.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static int wanted(int asked, unsigned n_sm)
{
	struct diag d = {0};
	const int n = threads_wanted(asked, n_sm, &d);
	ck_assert_msg(!d.text, "%s", d.text);
	return n;
}

static void clean(void)
{
	static const char *const names[] = {"HEDDLE_THREADS", "MAKEFLAGS", "PYTEST_XDIST_WORKER", "SLURM_JOB_ID", "SLURM_CPUS_PER_TASK",
	                                    "PBS_JOBID", "LSB_JOBID", "SGE_TASK_ID", "OMP_NUM_THREADS"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		unsetenv(names[i]);
}

START_TEST(the_option_and_the_variable_say_how_many)
{
	struct diag d = {0};
	clean();
	ck_assert_int_eq(wanted(5, 80), 5);
	setenv("HEDDLE_THREADS", "3", 1);
	ck_assert_int_eq(wanted(5, 80), 3);
	ck_assert_int_eq(wanted(0, 80), 3);
	static const char *const wrong[] = {"0", "65", "-1", "two", "3x", " 4", "99999999999999999999"};
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		setenv("HEDDLE_THREADS", wrong[i], 1);
		ck_assert_int_eq(threads_wanted(5, 80, &d), 5);
		ck_assert_msg(d.text && strstr(d.text, "HEDDLE_THREADS") && strstr(d.text, "1 to 64"), "%s", wrong[i]);
		diag_free(&d);
		d = (struct diag){0};
	}
	setenv("HEDDLE_THREADS", "", 1);
	ck_assert_int_eq(wanted(7, 80), 7);
}
END_TEST

START_TEST(without_them_it_is_what_the_process_was_given)
{
	clean();
	const int processors = (int)team_processors();
	ck_assert_int_eq(wanted(0, 8 * 64), processors < 64 ? processors : 64);
	ck_assert_int_eq(wanted(0, 15), 1);
	ck_assert_int_eq(wanted(0, 1), 1);
	setenv("OMP_NUM_THREADS", "1", 1);
	ck_assert_int_eq(wanted(0, 800), 1);
	clean();
	static const char *const alone[][2] = {{"MAKEFLAGS", " -j4 --jobserver-auth=3,4"}, {"PYTEST_XDIST_WORKER", "gw0"}, {"SLURM_JOB_ID", "17"},
	                                       {"PBS_JOBID", "17"}};
	for (unsigned i = 0; i < sizeof alone / sizeof *alone; i++) {
		setenv(alone[i][0], alone[i][1], 1);
		ck_assert_int_eq(wanted(0, 800), 1);
		ck_assert_int_eq(wanted(2, 800), 2);
		clean();
	}
	setenv("SLURM_JOB_ID", "17", 1);
	setenv("SLURM_CPUS_PER_TASK", "64", 1);
	ck_assert_int_eq(wanted(0, 8 * 64), processors < 64 ? processors : 64);
	clean();
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
	ck_assert_int_eq(wanted(0, 800), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("threads");
	TCase *t = tcase_create("threads");
	tcase_add_test(t, the_option_and_the_variable_say_how_many);
	tcase_add_test(t, without_them_it_is_what_the_process_was_given);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
