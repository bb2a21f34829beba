// How many processors a process may use, by its affinity mask and its control groups. See team.h.
#include "base/team.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TEAM_PATH = 4096 };

// Processors that a quota of microseconds in each period amounts to; 0: no quota.
static unsigned quota_of(long long quota, long long period)
{
	return quota > 0 && period > 0 ? (unsigned)((quota + period - 1) / period) : 0;
}

static long long number_in(const char *folder, const char *file)
{
	char path[TEAM_PATH + 32];
	long long n = 0;
	snprintf(path, sizeof path, "%s/%s", folder, file);
	FILE *f = fopen(path, "r");
	if (f && fscanf(f, "%lld", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n;
}

// In a group's folder: as version 2 says it, "max" being none, and as version 1 does.
static unsigned quota_in(const char *folder)
{
	char path[TEAM_PATH + 32];
	long long quota, period;
	unsigned n = 0;
	snprintf(path, sizeof path, "%s/cpu.max", folder);
	FILE *f = fopen(path, "r");
	if (f && fscanf(f, "%lld %lld", &quota, &period) == 2)
		n = quota_of(quota, period);
	if (f)
		fclose(f);
	return n ? n : quota_of(number_in(folder, "cpu.cfs_quota_us"), number_in(folder, "cpu.cfs_period_us"));
}

// The least quota of the group `group` in a hierarchy and of those above it. In a container the hierarchy may begin at the group itself.
static unsigned quota_above(const char *hierarchy, char *group)
{
	char folder[TEAM_PATH];
	unsigned least = 0;
	for (;;) {
		snprintf(folder, sizeof folder, "%s%s", hierarchy, group);
		const unsigned n = quota_in(folder);
		least = n && (!least || n < least) ? n : least;
		char *at = strrchr(group, '/');
		if (!at)
			return least;
		*at = 0;
	}
}

// In a list with commas.
static bool names_cpu(const char *list)
{
	for (size_t n; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (n == 3 && !strncmp(list, "cpu", n))
			return true;
	}
	return false;
}

unsigned team_group_limit(const char *root)
{
	char line[TEAM_PATH / 2], file[TEAM_PATH / 2];
	unsigned least = 0;
	snprintf(file, sizeof file, "%s/proc/self/cgroup", root);
	FILE *f = fopen(file, "r");
	while (f && fgets(line, sizeof line, f)) {
		char *kind = strchr(line, ':'), *group = kind ? strchr(kind + 1, ':') : NULL;
		if (!group)
			continue;
		*group++ = 0;
		group[strcspn(group, "\n")] = 0;
		const bool second = !kind[1];
		if (!second && !names_cpu(kind + 1))
			continue;
		snprintf(file, sizeof file, "%s/sys/fs/cgroup%s", root, second ? "" : "/cpu");
		const unsigned n = quota_above(file, group);
		least = n && (!least || n < least) ? n : least;
	}
	if (f)
		fclose(f);
	return least;
}

unsigned team_processors(void)
{
	cpu_set_t set;
	long n = sched_getaffinity(0, sizeof set, &set) ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&set);
	const unsigned limit = team_group_limit("");
	if (limit && n > (long)limit)
		n = (long)limit;
	return n < 1 ? 1 : (unsigned)n;
}
