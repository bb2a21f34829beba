// What Accel-Sim's job_status.py and get_stats.py look for in the output of a run, as POSIX regular expressions with the
// meaning of theirs (of the branches release and dev). In C and C++.
#ifndef TESTS_ACCELSIM_ASKS_H
#define TESTS_ACCELSIM_ASKS_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// The groups are what the scripts take out. Here they ask for figures: job_status.py reads the last letter of what it took
// without looking whether there is one. An expression with ^ is matched from the start of a line.
static const char *const accelsim_wants[] = {
	"^GPGPU-Sim: [*][*][*] exit detected [*][*][*]",
	"^.*GPGPU-Sim.*\\[build +(gpgpu-sim_git-commit-[^ ']+[.]so)\\]",
	"^kernel_name +=[ ]+(.+)",
	"gpgpu_simulation_time *=[^1-9]*([1-9].*)",
	"gpgpu_simulation_time *=.*\\(([1-9][0-9]*) sec\\)",
	"gpgpu_simulation_rate += +([0-9]+) +\\(inst/sec\\)",
	"gpgpu_simulation_rate += +([0-9]+) +\\(cycle/sec\\)",
	"gpgpu_silicon_slowdown *= *([0-9]+)x",
	"gpu_tot_sim_insn *= *([0-9]+)",
	"gpu_tot_sim_cycle *= *([0-9]+)",
	"gpu_tot_ipc *= *([0-9.]+)",
	"gpu_ipc *= *([0-9.]+)",
	"gpu_occupancy *= *([0-9.]+)%",
	"L2_BW *= *([0-9.]+) *GB/Sec",
	"[ \t]+L2_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[HIT\\] *= *([0-9]+)",
	"[ \t]+L2_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[TOTAL_ACCESS\\] *= *([0-9]+)",
	"[ \t]+L2_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[HIT\\] *= *([0-9]+)",
	"[ \t]+L2_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[TOTAL_ACCESS\\] *= *([0-9]+)",
	"[ \t]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[TOTAL_ACCESS\\] *= *([0-9]+)",
	"[ \t]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[HIT\\] *= *([0-9]+)",
	"[ \t]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[HIT\\] *= *([0-9]+)",
	"[ \t]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[TOTAL_ACCESS\\] *= *([0-9]+)",
	"[ \t]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[MSHR_HIT\\] *= *([0-9]+)",
	"gpgpu_n_tot_w_icount *= *([0-9]+)",
	"gpgpu_n_shmem_bkconflict *= *([0-9]+)",
	"gpgpu_n_l1cache_bkconflict *= *([0-9]+)",
	"total dram reads *= *([0-9]+)",
	"total dram writes *= *([0-9]+)",
	"kernel_launch_uid *= *([0-9]+)",
};
enum { ACCELSIM_WANTS = sizeof accelsim_wants / sizeof *accelsim_wants };

// Of replays only; it stands before the line of GPGPU-Sim's build, behind which the script looks no further.
static const char accelsim_replay_build[] = "^Accel-Sim.*\\[build +(accelsim-commit-[^ ']+)\\]";

// get_stats.py leaves out the kernel that a limit cut off.
static const char accelsim_limit[] = "^GPGPU-Sim: [*][*] break due to reaching the maximum cycles \\(or instructions\\) [*][*]";

// Words by which job_status.py takes a run for failed or for verified, wherever they stand in its output.
static const char accelsim_verdict[] =
	"passed|PASSED|Assertion|Segmentation fault|Aborted|PBS|deadlock.*detected|failed to open display|FAILED|failed|Failed|XML "
	"Parsing error.*gpuwattch";

// Where the first line that matches stands in the text, from 0; -1: none does.
static inline long accelsim_find(const char *text, const char *pattern)
{
	regex_t re;
	regmatch_t m;
	if (regcomp(&re, pattern, REG_EXTENDED | REG_NEWLINE))
		return -1;
	bool found = !regexec(&re, text, 1, &m, 0);
	regfree(&re);
	return found ? (long)m.rm_so : -1;
}

// The first thing that the scripts would miss in the output of a run; NULL: nothing.
static inline const char *accelsim_missing(const char *text)
{
	for (size_t i = 0; i < ACCELSIM_WANTS; i++)
		if (accelsim_find(text, accelsim_wants[i]) < 0)
			return accelsim_wants[i];
	return NULL;
}

#endif
