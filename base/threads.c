#include "base/threads.h"

#include "base/team.h"

#include <stdlib.h>
#include <string.h>

// A whole number from 1 to TEAM_MAX_THREADS; 0: the text is none, or NULL.
static int number(const char *text)
{
	char *end;
	if (!text || *text < '0' || *text > '9')
		return 0;
	const long n = strtol(text, &end, 10);
	return *end || n < 1 || n > TEAM_MAX_THREADS ? 0 : (int)n;
}

// Who started us keeps the processors busy with processes: make by -j, which it tells in MAKEFLAGS; a worker of pytest-xdist.
static bool side_by_side(void)
{
	const char *flags = getenv("MAKEFLAGS");
	return (flags && (strstr(flags, "-j") || strstr(flags, "--jobserver"))) || getenv("PYTEST_XDIST_WORKER");
}

// Processors that a batch system gives a task; 0: there is none. One that runs us and tells no number gives one.
static int allotment(void)
{
	static const struct {
		const char *job, *processors;
	} systems[] = {
		{"SLURM_JOB_ID", "SLURM_CPUS_PER_TASK"}, {"PBS_JOBID", "NCPUS"}, {"LSB_JOBID", "LSB_DJOB_NUMPROC"}, {"SGE_TASK_ID", "NSLOTS"},
	};
	for (unsigned i = 0; i < sizeof systems / sizeof *systems; i++) {
		if (!getenv(systems[i].job))
			continue;
		const int n = number(getenv(systems[i].processors));
		return n ? n : 1;
	}
	return 0;
}

static int least(int a, int b) { return a < b ? a : b; }

int threads_wanted(int asked, unsigned n_sm, struct diag *d)
{
	const char *text = getenv("HEDDLE_THREADS");
	int n = number(text);
	if (text && *text && !n)
		diag_add(d, DIAG_WARNING, "HEDDLE_THREADS=%s has no effect: it is a number from 1 to %d", text, TEAM_MAX_THREADS);
	if (n || asked)
		return n ? n : asked;
	if (side_by_side())
		return 1;
	n = least((int)team_processors(), TEAM_MAX_THREADS);
	n = least(n, (int)(n_sm / THREADS_SM_SHARE));
	if (allotment())
		n = least(n, allotment());
	if (number(getenv("OMP_NUM_THREADS")))
		n = least(n, number(getenv("OMP_NUM_THREADS")));
	return n < 1 ? 1 : n;
}
