// What Accel-Sim's run_simulations.py, job_status.py and get_stats.py ask of this tree and of a replay. What they ask of a CUDA
// program is in tests/cuda/accelsim_scripts.cu.
#include "tests/accelsim_asks.h"
#include "tests/shell.h"

#include <ctype.h>

static char built[PATH_MAX + 60]; // where bin and lib of this build are

static void enter(void)
{
	char self[PATH_MAX], mode[40];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	self[n < 0 ? 0 : n] = 0;
	ck_assert_int_eq(sscanf(self + strlen(root), "/build/%39[^/]", mode), 1);
	snprintf(built, sizeof built, strcmp(mode, "release") ? "%s/build/%s" : "%s", root, mode);
	unsetenv("GPGPUSIM_CONFIG");
	unsetenv("HEDDLE_OPTIONS");
	shell_enter();
}

static char *slurp(const char *name)
{
	FILE *f = fopen(name, "r");
	ck_assert_msg(f != NULL, "no file %s", name);
	fseek(f, 0, SEEK_END);
	size_t size = (size_t)ftell(f);
	char *text = calloc(1, size + 1);
	rewind(f);
	ck_assert_uint_eq(fread(text, 1, size, f), size);
	fclose(f);
	return text;
}

// The name of a build as the scripts take it out of a file: they join all lines of `strings` that have `base` in them. It
// becomes part of file names.
static void ck_build_name(const char *file, const char *base)
{
	char command[PATH_MAX + 100];
	snprintf(command, sizeof command, "strings %s/%s | grep %s", built, file, base);
	char *name = strdup(output_of(command)), *end = strchr(name, '\n');
	ck_assert_msg(!strncmp(name, base, strlen(base)) && end && !end[1], "%s has %s", file, name);
	*end = 0;
	ck_assert_msg(strstr(name, "_modified_") != NULL, "%s", name);
	for (const char *c = name; *c; c++)
		ck_assert_msg(isalnum((unsigned char)*c) || strchr("-_.+", *c), "%s", name);
	free(name);
}

START_TEST(builds_lie_where_scripts_look_and_have_a_name)
{
	ck_build_name("lib/release/libcudart.so", "gpgpu-sim_git-commit");
	ck_build_name("bin/release/accel-sim.out", "accelsim-commit");
}
END_TEST

// The GPUs of Accel-Sim's define-standard-cfgs.yml that GPGPU-Sim has; Accel-Sim has a trace.config for all but the first.
static const char *const gpus[] = {"SM2_GTX480", "SM3_KEPLER_TITAN", "SM6_TITANX", "SM7_TITANV", "SM7_QV100", "SM7_GV100",
                                   "SM75_RTX2060", "SM75_RTX2060_S", "SM86_RTX3070"};

START_TEST(gpus_are_found)
{
	ck_assert(shell("test -f %s/configs/tested-cfgs/%s/gpgpusim.config", root, gpus[_i]));
	ck_assert(!_i || shell("test -f %s/configs/tested-cfgs/%s/trace.config", root, gpus[_i]));
}
END_TEST

// As run_simulations.py lays it out: accel-sim.out is copied to a folder of its own, traces are linked into the folder of the
// run and the files of the interconnect copied there; both files of a GPU and the parameters of the configuration are joined.
static int replay(const char *gpu, const char *more)
{
	char parameters[200];
	snprintf(parameters, sizeof parameters, "\n\n\n#SASS\n#SASS-Driven\n%s\n\n# Accel-Sim Parameters\n", more);
	write_file("parameters", parameters);
	ck_assert(shell("mkdir -p builds run && cp %s/bin/release/accel-sim.out builds && ln -sfn %s/tests/golden/traces/stencil "
	                "run/traces && rm -f run/*.icnt && for f in %s/configs/tested-cfgs/%s/*.icnt; do [ ! -e $f ] || cp $f run; done",
	                built, root, root, gpu));
	ck_assert(shell("cd %s/configs/tested-cfgs/%s && cat gpgpusim.config %s/parameters trace.config >%s/run/gpgpusim.config", root, gpu,
	                dir, dir));
	int status = system("cd run && ../builds/accel-sim.out -config ./gpgpusim.config -trace ./traces/kernelslist.g >out 2>err");
	ck_assert_msg(shell("test ! -s run/err"), "%s", output_of("cat run/err"));
	return status;
}

// With L1 data caches (L1ON), which print no accesses where there are none. The Titan's takes other requests as well then.
START_TEST(replays_say_what_scripts_look_for)
{
	const char *cached = strcmp(gpus[_i], "SM3_KEPLER_TITAN") ? "-gmem_skip_L1D 0" : "-gmem_skip_L1D 0 -gpgpu_coalesce_arch 40";
	ck_assert_int_eq(replay(gpus[_i], cached), 0);
	char *text = slurp("run/out");
	const char *missing = accelsim_missing(text);
	ck_assert_msg(!missing, "the output has no %s", missing);
	long at = accelsim_find(text, accelsim_replay_build), behind = accelsim_find(text, accelsim_wants[1]);
	ck_assert_int_eq(at, 0);
	unsigned lines = 0;
	for (long i = 0; i < behind; i++)
		lines += text[i] == '\n';
	ck_assert_msg(behind > 0 && lines < 100, "get_stats.py reads a hundred lines, the build is in line %u", lines);
	long verdict = accelsim_find(text, accelsim_verdict);
	ck_assert_msg(verdict < 0, "would be taken for a verdict: %.80s", text + verdict);
	ck_assert_int_lt(accelsim_find(text, accelsim_limit), 0);
	free(text);
}
END_TEST

// The parameters that define-standard-cfgs.yml adds to a configuration, but for those that ask for power figures or PTXPlus:
// nothing is on stderr, old names of options included.
static const char *const extras[] = {
	"-gpgpu_concurrent_kernel_sm 1", "-gpgpu_n_clusters 64", "-gpgpu_ptx_force_max_capability 20", "-gmem_skip_L1D 0",
	"-gmem_skip_L1D 1", "-perf_sim_memcpy 0", "-gpgpu_max_insn 1000000000", "-gpgpu_flush_l1_cache 1",
	"-network_mode 2 -icnt_in_buffer_limit 512  -icnt_out_buffer_limit 512  -icnt_subnets 2",
	"-network_mode 1 -inter_config_file config_volta_islip.icnt", "-gpgpu_clock_domains 1455.0:1455.0:1455.0:850.0",
	"-memory_partition_indexing 4", "-visualizer_enabled 1", "-gpgpu_scheduler gto", "-gpgpu_dram_scheduler 0",
	"-gpgpu_mem_addr_mapping dramid@7;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS",
};

START_TEST(configurations_of_the_scripts_are_quiet)
{
	ck_assert_int_eq(replay("SM7_QV100", extras[_i]), 0);
}
END_TEST

START_TEST(a_limit_is_an_end_like_another)
{
	replay("SM7_QV100", "-gpgpu_max_insn 250000");
	char *text = slurp("run/out");
	const char *missing = accelsim_missing(text);
	ck_assert_msg(!missing, "the output has no %s", missing);
	long limit = accelsim_find(text, accelsim_limit);
	ck_assert(limit > 0 && limit < accelsim_find(text, accelsim_wants[0]));
	free(text);
}
END_TEST

int main(void)
{
	shell_find_root();
	TCase *t = tcase_create("accelsim");
	tcase_set_timeout(t, 60);
	tcase_add_unchecked_fixture(t, enter, shell_leave);
	tcase_add_test(t, builds_lie_where_scripts_look_and_have_a_name);
	tcase_add_loop_test(t, gpus_are_found, 0, sizeof gpus / sizeof *gpus);
	tcase_add_loop_test(t, replays_say_what_scripts_look_for, 1, sizeof gpus / sizeof *gpus);
	tcase_add_loop_test(t, configurations_of_the_scripts_are_quiet, 0, sizeof extras / sizeof *extras);
	tcase_add_test(t, a_limit_is_an_end_like_another);
	Suite *s = suite_create("accelsim");
	suite_add_tcase(s, t);
	return check_main(s);
}
