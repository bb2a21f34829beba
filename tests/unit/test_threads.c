#include "base/threads.h"
#include "base/team.h"
#include "tests/unit/check_main.h"

#include <check.h>
#include <sched.h>
#include <stdio.h>
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

static char tree[] = "/tmp/heddle-groups-XXXXXX";

static void put(const char *folder, const char *file, const char *text)
{
	char path[256];
	snprintf(path, sizeof path, "mkdir -p %s%s", tree, folder);
	ck_assert_int_eq(system(path), 0);
	snprintf(path, sizeof path, "%s%s/%s", tree, folder, file);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

START_TEST(control_groups_limit_it)
{
	ck_assert_ptr_nonnull(mkdtemp(tree));
	ck_assert_uint_eq(team_group_limit(tree), 0); // no such system
	put("/proc/self", "cgroup", "0::/jobs/7\n");
	put("/sys/fs/cgroup/jobs/7", "cpu.max", "max 100000\n");
	ck_assert_uint_eq(team_group_limit(tree), 0);
	put("/sys/fs/cgroup/jobs", "cpu.max", "350000 100000\n"); // of the group above
	ck_assert_uint_eq(team_group_limit(tree), 4);
	put("/sys/fs/cgroup/jobs/7", "cpu.max", "50000 100000\n");
	ck_assert_uint_eq(team_group_limit(tree), 1);
	put("/sys/fs/cgroup/jobs/7", "cpu.max", "nonsense\n");
	ck_assert_uint_eq(team_group_limit(tree), 4);
	put("/proc/self", "cgroup", "9:name=systemd:/\n4:memory:/jobs\n1:cpuacct,cpu:/box\nno group\n0::/\n");
	ck_assert_uint_eq(team_group_limit(tree), 0);
	put("/sys/fs/cgroup/cpu/box", "cpu.cfs_quota_us", "-1\n");
	put("/sys/fs/cgroup/cpu/box", "cpu.cfs_period_us", "100000\n");
	ck_assert_uint_eq(team_group_limit(tree), 0);
	put("/sys/fs/cgroup/cpu/box", "cpu.cfs_quota_us", "200000\n");
	ck_assert_uint_eq(team_group_limit(tree), 2);
	put("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "100000\n"); // a container, whose hierarchy begins at its group
	put("/sys/fs/cgroup/cpu", "cpu.cfs_period_us", "100000\n");
	ck_assert_uint_eq(team_group_limit(tree), 1);
	char command[64];
	snprintf(command, sizeof command, "rm -rf %s", tree);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("threads");
	TCase *t = tcase_create("threads");
	tcase_add_test(t, the_option_and_the_variable_say_how_many);
	tcase_add_test(t, without_them_it_is_what_the_process_was_given);
	tcase_add_test(t, control_groups_limit_it);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
