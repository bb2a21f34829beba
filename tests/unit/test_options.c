#include "base/option_forms.h"
#include "base/options.h"
#include "isa/gpu_desc.h"

#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct options o;
static struct diag d;
static char dir[64];

static void setup(void)
{
	unsetenv("GPGPUSIM_CONFIG");
	unsetenv("HEDDLE_OPTIONS");
	unsetenv("PTX_SIM_MODE_FUNC");
	strcpy(dir, "/tmp/heddle-options-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	options_defaults(&o);
}

static void teardown(void)
{
	options_free(&o);
	diag_free(&d);
	char cmd[100];
	snprintf(cmd, sizeof cmd, "rm -r %s", dir);
	ck_assert_int_eq(system(cmd), 0);
}

static bool load_text(const char *text)
{
	return options_load_text(&o, "test.config", text, strlen(text), FROM_FILE, &d);
}

// Writes `text` to a file of the test's folder and returns its path.
static const char *file(const char *name, const char *text)
{
	static char path[8][200];
	static unsigned next;
	char *p = path[next++ % 8];
	snprintf(p, sizeof path[0], "%s/%s", dir, name);
	FILE *f = fopen(p, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	return p;
}

static char *slurp(const char *path)
{
	FILE *f = fopen(path, "r");
	ck_assert_msg(f != NULL, "cannot open %s", path);
	char *text = NULL;
	size_t cap = 0;
	ck_assert_int_ge(getdelim(&text, &cap, 0, f), 0);
	fclose(f);
	return text;
}

static void expect_said(const char *what)
{
	ck_assert_msg(d.text && strstr(d.text, what), "message lacks '%s':\n%s", what, d.text ? d.text : "(none)");
}

static void expect_error(const char *text, const char *what)
{
	diag_free(&d);
	ck_assert_msg(!load_text(text), "no error for: %s", text);
	expect_said("error: ");
	expect_said(what);
}

START_TEST(table_is_consistent)
{
	ck_assert_int_ge(OPTION_COUNT, 251); // those of the peers, and ours
	for (int i = 0; i < OPTION_COUNT; i++) {
		const struct option_info *info = option_info(i);
		ck_assert_int_eq(option_find(info->name), i);
		ck_assert_int_gt(strlen(info->help), 10);
		ck_assert_int_eq(info->help[strlen(info->help) - 1], '.');
		// Every default is one that the parser itself would take.
		char text[400];
		snprintf(text, sizeof text, "%s \"%s\"", info->name, info->def);
		ck_assert_msg(load_text(text), "%s", d.text);
	}
}
END_TEST

START_TEST(defaults_are_gpgpu_sims)
{
	ck_assert_uint_eq(o.gpgpu_n_clusters, 10);
	ck_assert_int_eq(o.gpgpu_warpdistro_shader, -1);
	ck_assert_str_eq(o.gpgpu_scheduler, "gto");
	ck_assert_int_eq(o.gpgpu_max_cycle, 0);
	ck_assert(o.gpgpu_deadlock_detect);
}
END_TEST

START_TEST(syntax_is_gpgpu_sims)
{
	ck_assert(load_text("# comment -gpgpu_n_clusters 99\n"
	                    "-gpgpu_n_clusters 3 -gpgpu_n_mem 4\t# behind a value\r\n"
	                    "  -gpgpu_scheduler\n\n  lrr\n"
	                    "-gpgpu_warpdistro_shader -1\n"
	                    "-gpgpu_dram_timing_opt \"nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40:\n"
	                    "                        CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3\"\n"
	                    "-trace_components \"\"\n"
	                    "-gpgpu_flush_l1_cache yes\n"
	                    "-gpgpu_n_clusters 010\n"
	                    "-gpgpu_shmem_size 0x4000"));
	ck_assert_ptr_null(d.text);
	ck_assert_uint_eq(o.gpgpu_n_clusters, 10); // the last one wins, and is not octal
	ck_assert_uint_eq(o.gpgpu_n_mem, 4);
	ck_assert_str_eq(o.gpgpu_scheduler, "lrr");
	ck_assert_int_eq(o.gpgpu_warpdistro_shader, -1);
	ck_assert_str_eq(
		o.gpgpu_dram_timing_opt,
		"nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40: CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3");
	ck_assert_str_eq(o.trace_components, "");
	ck_assert(o.gpgpu_flush_l1_cache);
	ck_assert_uint_eq(o.gpgpu_shmem_size, 16384); // the last line had no newline
	struct dram_timing_form t;
	struct form_error err;
	ck_assert(form_dram_timing(o.gpgpu_dram_timing_opt, &t, &err));
	ck_assert_uint_eq(t.CL, 12);
	ck_assert_uint_eq(t.RTPL, 3);
}
END_TEST

START_TEST(each_error_has_its_message)
{
	expect_error("-gpgpu_n_cluster 3", "test.config:1:1: error: there is no option -gpgpu_n_cluster; did you mean "
	                                   "-gpgpu_n_clusters?\n    -gpgpu_n_cluster 3\n    ^~~~");
	expect_error("\n\n  -n_clusters 3",
	             "test.config:3:3: error: there is no option -n_clusters; did you mean -gpgpu_n_clusters?");
	expect_error("-smem_latncy 3", "did you mean -gpgpu_smem_latency?");
	expect_error("-qqqqqqqqqqqq 3", "`heddle config` lists all");
	expect_error("-gddr_size 3", "-gddr_size is an option of UVM Smart");
	expect_error("-gpgpu_n_mem 0", "-gpgpu_n_mem is from 1 to 1024");
	expect_error("-gpgpu_n_mem -4", "-gpgpu_n_mem is from 1 to 1024");
	expect_error("-gpgpu_l1_latency 99999999", "from 0 to 1000000 cycles");
	expect_error("-gpgpu_n_mem 4x", "test.config:1:14: error: -gpgpu_n_mem takes a whole number, not '4x'");
	expect_error("-gpgpu_max_cycle 99999999999999999999", "takes a whole number of cycles");
	expect_error("-gpgpu_flush_l1_cache 2", "takes 0 or 1");
	expect_error("-gpgpu_n_mem", "-gpgpu_n_mem needs a whole number behind it");
	expect_error("-gpgpu_n_mem -gpgpu_n_clusters 3", "-gpgpu_n_mem needs a whole number behind it");
	expect_error("8 -gpgpu_n_mem 8", "an option is expected here, not '8'");
	expect_error("-gpgpu_scheduler \"lrr", "test.config:1:18: error: this quote is never closed");
	expect_error("-gpgpu_scheduler fifo", "schedulers are lrr, gto");
	expect_error("-gpgpu_clock_domains 1:2:3", "':' expected before the DRAM clock");
	expect_error("-gpgpu_clock_domains 1:0.0:3:4", "the interconnect clock is above 0 MHz");
	expect_error("-gpgpu_cache:dl1 S:4:128:64,L:B:s:L:L,A:1:8",
	             "test.config:1:33: error: -gpgpu_cache:dl1: a write-back");
	expect_error("-gpgpu_cache:dl1 S:4:100:64,L:B:m:L:L,A:1:8", "power of two");
	expect_error("-gpgpu_cache:dl1 S:4:128:64,Q:B:m:L:L,A:1:8", "the replacement policy is one of the letters LFRS");
	expect_error("-gpgpu_dram_timing_opt nbk=16:QQ=3", "no such timing key");
	expect_error("-gpgpu_dram_timing_opt nbk=16:CCD=3", "RRD is missing");
	expect_error("-gpgpu_mem_addr_mapping dramid@8;0000", "60 of 64 address bits are missing");
	expect_error("-specialized_unit_1 1,4,4", "',' expected before the issue width");
	expect_error("-gpgpu_pipeline_widths 4,,4", "a number expected");
	expect_error("-config /nonexistent/x", "cannot read /nonexistent/x: No such file");
	expect_error("-config /tmp", "it is a directory");
	expect_error("-config /dev/null", "it is not a regular file");
	expect_error("-config", "-config needs a file name behind it");
	diag_free(&d);
	ck_assert(!options_load_text(&o, "x", "-gpgpu_n_mem\0 3", 15, FROM_FILE, &d));
	expect_said("not a text file");
	diag_free(&d);
	ck_assert(!options_load(&o, "/nonexistent/y", &d));
	expect_said("heddle: error: cannot read /nonexistent/y");
}
END_TEST

START_TEST(an_error_keeps_the_rest)
{
	ck_assert(!load_text("-gpgpu_n_clusterz 3 4 5\n-gpgpu_n_mem 6\n-bogus\n-gpgpu_n_clusters 7\n"));
	ck_assert_uint_eq(d.errors, 2);
	ck_assert_uint_eq(o.gpgpu_n_mem, 6);
	ck_assert_uint_eq(o.gpgpu_n_clusters, 7);
}
END_TEST

START_TEST(old_names_work_with_a_remark)
{
	ck_assert(load_text(
		"-smem_latency 24\n-smem_latency 25\n-inct_subnets 1\n-trace_driven_mode 1\n-rop_latency 9\n"));
	ck_assert_uint_eq(d.warnings, 1);
	expect_said("-trace_driven_mode has no meaning any more");
	ck_assert_str_eq(d.remarks, "-smem_latency is now called -gpgpu_smem_latency\n-inct_subnets is now called -icnt_subnets\n"
	                            "-rop_latency is now called -gpgpu_l2_rop_latency\n"); // once per option
	ck_assert_uint_eq(o.gpgpu_smem_latency, 25);
	ck_assert_uint_eq(o.icnt_subnets, 1);
	ck_assert_uint_eq(o.gpgpu_l2_rop_latency, 9);
}
END_TEST

START_TEST(refused_options_say_why)
{
	ck_assert(load_text("-power_simulation_enabled 0\n-checkpoint_option 0\n"));
	ck_assert_ptr_null(d.text);
	ck_assert(load_text("-power_simulation_enabled 1\n-gpgpu_ptx_convert_to_ptxplus 1\n-resume_CTA 1\n"));
	ck_assert_uint_eq(d.warnings, 3);
	expect_said("Heddle has no power model");
	ck_assert(!o.power_simulation_enabled);
	ck_assert(!o.gpgpu_ptx_convert_to_ptxplus);
	ck_assert(!load_text("-power_simulation_enabled maybe\n"));
	for (int i = 0; i < OPTION_COUNT; i++)
		if (option_info(i)->status == OPTION_REFUSED) {
			char text[200];
			diag_free(&d);
			snprintf(text, sizeof text, "%s 1", option_info(i)->name);
			ck_assert(load_text(text));
			ck_assert_msg(d.warnings == 1, "%s is refused without a reason", option_info(i)->name);
		}
}
END_TEST

START_TEST(what_is_not_modelled_is_said_when_it_is_asked_for)
{
	ck_assert(load_text("-gpgpu_lrc_enabled 0\n-gpgpu_n_chiplet_partition 1\n-gpgpu_num_mem_units 01\n-prt_selection_policy_string OLDEST\n"
	                    "-keep 1\n-gpgpu_occupancy_sm_number 70\n-gpgpu_lrc_max_entries 8\n"));
	ck_assert_ptr_null(d.text);
	ck_assert(load_text("-gpgpu_lrc_enabled 1\n-gpgpu_n_chiplet_partition 2\n-prt_selection_policy_string YOUNGEST\n-icnt_verbose 1\n"));
	ck_assert_uint_eq(d.warnings, 4);
	expect_said("-gpgpu_lrc_enabled 1 is not done: Heddle models no L2 request coalescer");
	expect_said("-trace_components INTERCONNECT");
}
END_TEST

START_TEST(files_nest)
{
	file("inner.config", "-gpgpu_n_mem 12\n-inter_config_file net.icnt");
	file("net.icnt", "k = 3;\n");
	const char *outer = file("outer.config", "-gpgpu_n_mem 5\n-config inner.config\n-gpgpu_n_clusters 9\n");
	ck_assert_msg(options_load(&o, outer, &d), "%s", d.text); // found beside outer.config
	ck_assert_uint_eq(o.gpgpu_n_mem, 12);
	char buf[300], want[300];
	snprintf(want, sizeof want, "%s/inner.config:1", dir);
	ck_assert_str_eq(options_source(&o, OPT_gpgpu_n_mem, buf, sizeof buf), want);
	snprintf(want, sizeof want, "%s/outer.config:3", dir);
	ck_assert_str_eq(options_source(&o, OPT_gpgpu_n_clusters, buf, sizeof buf), want);
	ck_assert_str_eq(options_source(&o, OPT_gpgpu_n_cores_per_cluster, buf, sizeof buf), "default");
	snprintf(want, sizeof want, "%s/net.icnt", dir);
	ck_assert_str_eq(options_file(&o, OPT_inter_config_file), want);
}
END_TEST

START_TEST(nesting_is_bounded)
{
	const char *a = file("a.config", "-gpgpu_n_mem 7\n-config b.config\n");
	file("b.config", "-config a.config\n");
	ck_assert(!options_load(&o, a, &d));
	expect_said("-config goes in a circle");
	ck_assert_uint_eq(o.gpgpu_n_mem, 7);
	// Each level reads the next ten times over: ends at the limit instead of after 10^8 files.
	for (int i = 0; i < 8; i++) {
		char name[40], text[400] = "", line[40];
		snprintf(name, sizeof name, "l%d.config", i);
		snprintf(line, sizeof line, "-config l%d.config\n", i + 1);
		for (int k = 0; k < 10; k++)
			strcat(text, line);
		file(name, text);
	}
	file("l8.config", "-gpgpu_n_mem 3\n");
	diag_free(&d);
	char path[100];
	snprintf(path, sizeof path, "%s/l0.config", dir);
	ck_assert(!options_load(&o, path, &d));
	expect_said("more than 100 -config files");
}
END_TEST

START_TEST(arguments)
{
	const char *f = file("x.config", "-gpgpu_n_mem 3\n");
	char *argv[] = {"-config", (char *)f, "-gpgpu_n_clusters", "4", "-gpgpu_warpdistro_shader", "-1",
	                "-trace",  "a b.g"};
	ck_assert_msg(options_parse_args(&o, 8, argv, &d), "%s", d.text);
	ck_assert_uint_eq(o.gpgpu_n_mem, 3);
	ck_assert_uint_eq(o.gpgpu_n_clusters, 4);
	ck_assert_str_eq(o.trace, "a b.g");
	char buf[100];
	ck_assert_str_eq(options_source(&o, OPT_gpgpu_n_clusters, buf, sizeof buf), "command line");
	char *bad[] = {"-gpgpu_n_clusters", "4", "-gpgpu_n_memm", "3"};
	ck_assert(!options_parse_args(&o, 4, bad, &d));
	expect_said("command line:1:21: error: there is no option -gpgpu_n_memm; did you mean -gpgpu_n_mem?");
}
END_TEST

START_TEST(environment)
{
	setenv("PTX_SIM_MODE_FUNC", "1", 1);
	setenv("HEDDLE_OPTIONS", "-stats_file \"a b\" -gpgpu_n_mem 9", 1);
	ck_assert(options_apply_environment(&o, &d));
	ck_assert_int_eq(o.gpgpu_ptx_sim_mode, 1);
	ck_assert_str_eq(o.stats_file, "a b");
	char buf[100];
	ck_assert_str_eq(options_source(&o, OPT_gpgpu_n_mem, buf, sizeof buf), "HEDDLE_OPTIONS");
	setenv("PTX_SIM_MODE_FUNC", "2", 1);
	ck_assert(!options_apply_environment(&o, &d));
	expect_said("PTX_SIM_MODE_FUNC:1:21: error: -gpgpu_ptx_sim_mode is from 0 to 1");
}
END_TEST

static uint64_t hash_of(const char *text)
{
	diag_free(&d);
	options_defaults(&o);
	ck_assert_msg(options_load_text(&o, "test", text, strlen(text), FROM_FILE, &d), "%s", d.text);
	return options_hash(&o);
}

START_TEST(the_hash_follows_what_changes_results_or_cycles)
{
	static const char *const same[] = {
		"-stats_file a", "-stats_json b", "-progress 0", "-tick_every_cycle 1", "-visualizer_enabled 0\n-gpgpu_runtime_stat 500",
		"-trace_enabled 1\n-trace_components ALL", "-ptx_line_stats_filename x", "-gpgpu_memlatency_stat 14", "-trace elsewhere",
		"-power_simulation_enabled 1", "-gpgpu_num_mem_units 3", "-gpgpu_n_mem 8", "-gpgpu_scheduler  gto # as it is"};
	static const char *const other[] = {
		"-gpgpu_n_mem 9", "-gpgpu_scheduler lrr", "-gpgpu_ptx_sim_mode 1", "-gpgpu_max_cycle 5", "-core modern", "-gpu_name X",
		"-gpgpusim_addresses 1", "-gpgpu_clock_domains 500:2000:2000:2001", "-kernels 1"};
	uint64_t plain = hash_of("");
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		ck_assert_msg(hash_of(same[i]) == plain, "%s", same[i]);
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		ck_assert_msg(hash_of(other[i]) != plain, "%s", other[i]);
	// Wherever an option stands.
	uint64_t in_text = hash_of("-gpgpu_n_clusters 7");
	char *args[] = {"-gpgpu_n_clusters", "7"};
	options_defaults(&o);
	ck_assert(options_parse_args(&o, 2, args, &d));
	ck_assert(options_hash(&o) == in_text && in_text != plain);
	// A network counts by what its file says.
	char text[300], moved[300];
	snprintf(text, sizeof text, "-network_mode 1\n-inter_config_file %s", file("a.icnt", "k = 8;\n"));
	snprintf(moved, sizeof moved, "-network_mode 1\n-inter_config_file %s", file("b.icnt", "k = 8;\n"));
	uint64_t network = hash_of(text);
	ck_assert(network == hash_of(moved));
	file("b.icnt", "k = 4;\n");
	ck_assert(network != hash_of(moved));
}
END_TEST

START_TEST(outputs_that_cannot_be_written_are_refused_before_anything_is_opened)
{
	char link[300], text[1000];
	snprintf(link, sizeof link, "%s/link", dir);
	unlink(link);
	ck_assert_int_eq(symlink(file("target", "keep"), link), 0);
	snprintf(text, sizeof text, "-stats_file %s\n-stats_json %s\n-ptx_line_stats_filename %s/nowhere/x\n-trace_file %s/new\n"
	                            "-trace_enabled 1\n-visualizer_enabled 0", link, dir, dir, dir);
	hash_of(text);
	ck_assert(!options_check_outputs(&o, &d));
	ck_assert_uint_eq(d.errors, 3);
	expect_said("option '-stats_file': cannot write ");
	expect_said("link: it is a symbolic link, and output does not follow links; name the file itself");
	expect_said("option '-stats_json': cannot write ");
	expect_said("Is a directory");
	expect_said("nowhere/x: No such file or directory");
	options_empty_outputs(&o);
	snprintf(text, sizeof text, "%s/target", dir);
	char *kept = slurp(text);
	ck_assert_str_eq(kept, "keep");
	free(kept);
	snprintf(text, sizeof text, "%s/new", dir);
	ck_assert_int_ne(access(text, F_OK), 0);
	hash_of("-stats_file /dev/null\n-stats_json /dev/stdout\n-visualizer_enabled 0");
	ck_assert(options_check_outputs(&o, &d));
	// What an earlier run left goes; nothing is made.
	const char *old = file("old", "old figures");
	snprintf(text, sizeof text, "-stats_file %s\n-stats_json %s/none", old, dir);
	hash_of(text);
	options_empty_outputs(&o);
	FILE *f = fopen(old, "r");
	ck_assert_int_eq(fgetc(f), EOF);
	fclose(f);
	snprintf(text, sizeof text, "%s/none", dir);
	ck_assert_int_ne(access(text, F_OK), 0);
}
END_TEST

START_TEST(the_latencies_of_machine_code_beside_a_configuration_are_the_classic_cores)
{
	char old[4096];
	ck_assert_ptr_nonnull(getcwd(old, sizeof old));
	ck_assert_int_eq(chdir(dir), 0);
	static const char *const core[] = {"classic", "modern"};
	for (unsigned i = 0; i < 2; i++) {
		char text[100];
		snprintf(text, sizeof text, "-gpgpu_execute sass -core %s", core[i]);
		file("gpgpusim.config", text);
		file("trace.config", "-trace_opcode_latency_initiation_int 4,2");
		ck_assert_msg(options_find_and_load(&o, &d), "%s", d.text);
		ck_assert_int_eq(o.origin[OPT_trace_opcode_latency_initiation_int].source != FROM_DEFAULT, i == 0);
	}
	ck_assert(!remove("trace.config") && !remove("gpgpusim.config"));
	ck_assert_int_eq(chdir(old), 0);
}
END_TEST

START_TEST(lookup_order)
{
	char old[4096];
	ck_assert_ptr_nonnull(getcwd(old, sizeof old));
	ck_assert_int_eq(chdir(dir), 0);
	ck_assert_msg(options_find_and_load(&o, &d), "%s", d.text);
	ck_assert_ptr_null(d.text);
	ck_assert(d.remarks && strstr(d.remarks, "no gpgpusim.config here and none named by GPGPUSIM_CONFIG: simulating the "
	                                         "built-in GPU, NVIDIA"));
	ck_assert_uint_eq(o.gpgpu_n_clusters, 132);
	diag_free(&d);
	file("gpgpusim.config", "-gpgpu_n_clusters 11");
	ck_assert(options_find_and_load(&o, &d));
	ck_assert_ptr_null(d.text);
	ck_assert_uint_eq(o.gpgpu_n_clusters, 11);
	ck_assert_uint_eq(o.gpgpu_n_mem, 8); // GPGPU-Sim's default, not the built-in GPU's value
	setenv("GPGPUSIM_CONFIG", file("named.config", "-gpgpu_n_clusters 12"), 1);
	ck_assert(options_find_and_load(&o, &d));
	ck_assert_uint_eq(o.gpgpu_n_clusters, 12);
	setenv("GPGPUSIM_CONFIG", "gcc-11.4.0/cuda-11080/release", 1); // what GPGPU-Sim's own script leaves
	ck_assert(options_find_and_load(&o, &d));
	ck_assert_uint_eq(o.gpgpu_n_clusters, 11);
	ck_assert_ptr_null(d.text);
	setenv("GPGPUSIM_CONFIG", "/nonexistent", 1);
	ck_assert(options_find_and_load(&o, &d));
	ck_assert_uint_eq(o.gpgpu_n_clusters, 11);
	// A folder is a build too, unless it holds a configuration.
	ck_assert_int_eq(mkdir("release", 0700), 0);
	setenv("GPGPUSIM_CONFIG", "release", 1);
	ck_assert(options_find_and_load(&o, &d));
	ck_assert_uint_eq(o.gpgpu_n_clusters, 11);
	ck_assert_ptr_null(d.text);
	file("release/gpgpusim.config", "-gpgpu_n_clusters 13");
	ck_assert(options_find_and_load(&o, &d));
	ck_assert_uint_eq(o.gpgpu_n_clusters, 13);
	ck_assert_ptr_null(d.text);
	// What looks like a file and is none: said, and refused where nothing stands for it.
	setenv("GPGPUSIM_CONFIG", "builds/missing.config", 1);
	ck_assert(options_find_and_load(&o, &d));
	ck_assert_uint_eq(o.gpgpu_n_clusters, 11);
	ck_assert_uint_eq(d.warnings, 1);
	ck_assert(strstr(d.text, "there is no file builds/missing.config, which GPGPUSIM_CONFIG names"));
	diag_free(&d);
	ck_assert_int_eq(remove("gpgpusim.config"), 0);
	ck_assert(!options_find_and_load(&o, &d));
	ck_assert(strstr(d.text, "builds/missing.config"));
	diag_free(&d);
	ck_assert(!remove("release/gpgpusim.config"));
	setenv("GPGPUSIM_CONFIG", "release", 1);
	ck_assert(options_find_and_load(&o, &d));
	ck_assert_uint_eq(o.gpgpu_n_clusters, 132);
	ck_assert_int_eq(chdir(old), 0);
}
END_TEST

START_TEST(builtin_is_the_h100_file)
{
	char *text = slurp("configs/SM90_H100/gpgpusim.config");
	size_t len = options_builtin_end - options_builtin_text;
	ck_assert_uint_eq(len, strlen(text));
	ck_assert(!memcmp(text, options_builtin_text, len));
	free(text);
	ck_assert_msg(options_builtin(&o, &d), "%s", d.text);
	ck_assert_ptr_null(d.text);
}
END_TEST

// Writes `from`, reads it back and compares every value.
static void round_trip(const struct options *from, bool explain)
{
	char *text = NULL, a[1000], b[1000];
	size_t len;
	FILE *f = open_memstream(&text, &len);
	options_write(from, f, explain);
	fclose(f);
	struct options back = {0};
	struct diag e = {0};
	options_defaults(&back);
	ck_assert_msg(options_load_text(&back, "dump", text, len, FROM_FILE, &e), "%s", e.text);
	ck_assert_ptr_null(e.text);
	for (int i = 0; i < OPTION_COUNT; i++)
		ck_assert_str_eq(options_value(from, i, a, sizeof a), options_value(&back, i, b, sizeof b));
	options_free(&back);
	free(text);
}

START_TEST(a_dump_loads_back)
{
	round_trip(&o, false);
	ck_assert(options_builtin(&o, &d));
	ck_assert(load_text("-trace \"-gpgpu_n_mem\" -gpgpu_warpdistro_shader -1 -visualizer_outputfile \"a  b\""));
	ck_assert_str_eq(o.trace, "-gpgpu_n_mem"); // quoted, so a value
	round_trip(&o, false);
	round_trip(&o, true);
}
END_TEST

// Loads every *.config under a folder of GPU folders without an error, and makes a GPU of each gpgpusim.config.
static int load_tree(const char *root)
{
	DIR *top = opendir(root);
	ck_assert_msg(top != NULL, "cannot open %s", root);
	int loaded = 0;
	for (struct dirent *e; (e = readdir(top));) {
		char path[600];
		if (e->d_name[0] == '.')
			continue;
		static const char *const files[] = {"gpgpusim.config", "trace.config"};
		options_defaults(&o);
		int before = loaded;
		for (int i = 0; i < 2; i++) {
			snprintf(path, sizeof path, "%s/%.200s/%s", root, e->d_name, files[i]);
			if (access(path, F_OK))
				continue;
			ck_assert_msg(options_load(&o, path, &d), "%s", d.text);
			loaded++;
		}
		if (loaded == before) // not the folder of a GPU
			continue;
		struct gpu_desc g;
		ck_assert_msg(gpu_desc_from_options(&g, &o, &d), "%s", d.text);
		ck_assert_uint_gt(g.memory_size, 1u << 30);
		ck_assert_uint_gt(g.l2_size, 512 << 10);
		if (o.network_mode == 1 && o.origin[OPT_inter_config_file].source == FROM_FILE)
			ck_assert_msg(!access(options_file(&o, OPT_inter_config_file), F_OK), "%s",
			              o.inter_config_file);
		round_trip(&o, true);
	}
	closedir(top);
	return loaded;
}

START_TEST(own_configurations_load_without_a_word)
{
	ck_assert_int_ge(load_tree("configs"), 20);
	ck_assert_msg(!d.text, "%s", d.text);
}
END_TEST

// HEDDLE_PEER_CONFIGS names a folder of GPGPU-Sim's own configurations, which are not part of this tree.
START_TEST(peer_configurations_load)
{
	const char *root = getenv("HEDDLE_PEER_CONFIGS");
	if (root)
		ck_assert_int_gt(load_tree(root), 0);
}
END_TEST

START_TEST(documentation_is_current)
{
	char *made = NULL, *have = slurp("docs/options.md");
	size_t len;
	FILE *f = open_memstream(&made, &len);
	options_write_doc(f);
	fclose(f);
	ck_assert_msg(!strcmp(made, have), "docs/options.md is old: bin/heddle config --doc > docs/options.md");
	free(made);
	free(have);
}
END_TEST

START_TEST(cache_strings)
{
	struct cache_form f;
	struct form_error err;
	ck_assert(form_cache("S:32:128:24,L:B:m:L:P,A:192:4,32:0,32", &f, &err));
	ck_assert(f.present && f.kind == 'S' && f.sets == 32 && f.line == 128 && f.ways == 24 && f.write == 'B');
	ck_assert(f.write_allocate == 'L' && f.index == 'P' && f.mshr == 'A' && f.mshr_entries == 192 &&
	          f.mshr_merges == 4);
	ck_assert(f.miss_queue == 32 && f.result_fifo == 0 && f.port_width == 32);
	ck_assert(form_cache("8:128:5,L:R:m:N,F:128:4,128:2", &f, &err)); // the older form
	ck_assert(f.kind == 'N' && f.sets == 8 && f.index == 'L' && f.mshr == 'F' && f.miss_queue == 128 &&
	          f.result_fifo == 2);
	ck_assert(form_cache("none", &f, &err));
	ck_assert(!f.present);
	ck_assert(!form_cache("", &f, &err));
	ck_assert(!form_cache("N:4:128:24,L:R:f:L:L,T:128:4,128:2", &f, &err));
	ck_assert(!form_cache("N:4:128:24,L:R:f:N:L,T:128:4,128:2x", &f, &err));
}
END_TEST

START_TEST(other_forms)
{
	struct form_error err;
	uint64_t hz[CLOCKS_N];
	ck_assert(form_clocks("1132.0:1132:3500.5:0.000001", hz, &err));
	ck_assert(hz[0] == 1132000000 && hz[2] == 3500500000 && hz[3] == 1);
	struct dram_timing_form t;
	ck_assert(form_dram_timing("4:2:8:12:21:13:34:9:4:5:13:1:0:0", &t, &err)); // positional
	ck_assert(t.nbk == 4 && t.CCD == 2 && t.RC == 34 && t.CL == 9 && t.WL == 4 && t.CDLR == 5 && t.WR == 13 &&
	          t.nbkgrp == 1);
	struct address_map_form m;
	ck_assert(form_address_map("dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS",
	                           &m, &err));
	// The masks that GPGPU-Sim prints for it, without the channel division.
	ck_assert(m.channel_bit == 8 && m.row == 0x0fff8000 && m.bank == 0x7100 && m.column == 0xeff &&
	          m.burst == 0x1f);
	struct scheduler_form s;
	ck_assert(form_scheduler("two_level_active:6:0:1", &s, &err));
	ck_assert(s.kind == SCHEDULER_TWO_LEVEL && s.arg[0] == 6 && s.arg[2] == 1);
	ck_assert(!form_scheduler("warp_limiting:2", &s, &err));
	struct unit_form u;
	ck_assert(form_unit("1,4,200,4,4,TEX", &u, &err));
	ck_assert(u.enabled && u.count == 4 && u.latency == 200 && !strcmp(u.name, "TEX"));
}
END_TEST

static struct gpu_desc desc_of(const char *folder)
{
	char path[200];
	struct gpu_desc g;
	snprintf(path, sizeof path, "configs/%s/gpgpusim.config", folder);
	options_defaults(&o);
	ck_assert_msg(options_load(&o, path, &d), "%s", d.text);
	ck_assert_msg(gpu_desc_from_options(&g, &o, &d), "%s", d.text);
	return g;
}

// Values that cudaGetDeviceProperties gives on the real GPU.
START_TEST(sampling_flags_are_in_hex)
{
	struct sampling_form s;
	struct form_error err;
	ck_assert(form_sampling("500", &s, &err) && s.interval == 500 && !s.flags);
	ck_assert(form_sampling("500:52", &s, &err) && s.flags == 0x52);
	ck_assert(form_sampling("0:0x4A", &s, &err) && !s.interval && s.flags == 0x4a);
	expect_error("-gpgpu_runtime_stat 500:\n", "a hex number expected");
	expect_error("-gpgpu_runtime_stat 500:1:2\n", "should end here");
	expect_error("-gpgpu_runtime_stat 500:123456789\n", "eight hex digits");
}
END_TEST

START_TEST(h100_properties)
{
	struct gpu_desc g = desc_of("SM90_H100");
	ck_assert_str_eq(g.name, "NVIDIA H100 80GB HBM3");
	ck_assert(g.major == 9 && g.minor == 0 && g.sm_count == 132 && g.warp_size == 32);
	ck_assert(g.max_threads_per_sm == 2048 && g.max_warps_per_sm == 64 && g.max_ctas_per_sm == 32);
	ck_assert(g.max_threads_per_block == 1024 && g.max_block_dim[2] == 64 && g.max_grid_dim[0] == 2147483647);
	ck_assert(g.registers_per_sm == 65536 && g.registers_per_block == 65536);
	ck_assert(g.shared_per_sm == 233472 && g.shared_per_block == 49152 && g.shared_per_block_optin == 232448);
	ck_assert(g.shared_reserved == 1024 && g.const_size == 65536 && g.l2_size == 52428800);
	ck_assert(g.memory_bus_bits == 5120 && g.memory_clock_khz == 2619000 && g.clock_khz == 1980000);
	ck_assert(g.memory_size == 80ull << 30 && g.texture.tex1d == 131072 && g.texture.tex3d[2] == 16384);
}
END_TEST

START_TEST(other_properties)
{
	struct gpu_desc g = desc_of("SM7_QV100");
	ck_assert(g.sm_count == 80 && g.l2_size == 6291456 && g.memory_bus_bits == 4096 &&
	          g.memory_clock_khz == 850000);
	ck_assert(g.shared_per_sm == 98304 && g.shared_per_block == 49152 && g.shared_per_block_optin == 98304);
	g = desc_of("SM80_A100");
	ck_assert(g.sm_count == 108 && g.l2_size == 41943040 && g.memory_clock_khz == 1215000 &&
	          g.memory_bus_bits == 5120);
	ck_assert(g.shared_per_block_optin == 166912);
	ck_assert(g.l2_persisting == 31457280 && g.access_window == 134213632);
	g = desc_of("SM7_QV100"); // before 8.0 nothing can be set aside
	ck_assert(!g.l2_persisting && !g.access_window);
	g = desc_of("SM86_RTX3090");
	ck_assert(g.l2_size == 6291456 && g.l2_persisting == g.l2_size / 16 * 11 && g.access_window == 134213632);
	g = desc_of("SM2_GTX480");
	ck_assert(g.sm_count == 15 && g.l2_size == 786432 && g.max_grid_dim[0] == 65535 && g.memory_bus_bits == 384);
	ck_assert(g.memory_clock_khz == 1848000 && g.registers_per_block == 32768);
	g = desc_of("SM86_RTX3070");
	ck_assert(g.sm_count == 46 && g.max_warps_per_sm == 48 && g.shared_per_block_optin == 101376);
	options_defaults(&o);
	ck_assert(load_text("-gpgpu_shader_core_pipeline 2048:16"));
	ck_assert(!gpu_desc_from_options(&g, &o, &d));
	expect_said("-gpgpu_shader_core_pipeline 2048:16");
}
END_TEST

// CTAs per SM and what limits them, as the CUDA 13.0 toolkit's occupancy calculator computes them.
START_TEST(occupancy)
{
	static const struct {
		const char *gpu;
		uint32_t threads, registers, fixed, dynamic, ctas;
		enum gpu_limit limit;
	} cases[] = {
		{"SM90_H100", 1024, 32, 0, 0, 2, GPU_LIMIT_WARPS},
		{"SM90_H100", 256, 64, 0, 0, 4, GPU_LIMIT_REGISTERS},
		{"SM90_H100", 32, 16, 0, 0, 32, GPU_LIMIT_CTAS},
		{"SM90_H100", 128, 168, 0, 0, 3, GPU_LIMIT_REGISTERS},
		{"SM90_H100", 128, 32, 0, 232448, 1, GPU_LIMIT_SHARED},
		{"SM90_H100", 128, 32, 0, 232449, 0, GPU_LIMIT_SHARED},
		{"SM90_H100", 256, 33, 49152, 0, 4, GPU_LIMIT_SHARED},
		{"SM90_H100", 1024, 65, 0, 0, 0, GPU_LIMIT_REGISTERS},
		{"SM90_H100", 96, 40, 1000, 0, 16, GPU_LIMIT_REGISTERS},
		{"SM80_A100", 256, 32, 16384, 0, 8, GPU_LIMIT_WARPS},
		{"SM80_A100", 192, 48, 0, 40000, 4, GPU_LIMIT_SHARED},
		{"SM86_RTX3070", 1024, 32, 0, 0, 1, GPU_LIMIT_WARPS},
		{"SM86_RTX3070", 64, 32, 0, 0, 16, GPU_LIMIT_CTAS},
		{"SM75_RTX2060", 512, 32, 0, 0, 2, GPU_LIMIT_WARPS},
		{"SM75_RTX2060", 128, 128, 4096, 0, 4, GPU_LIMIT_REGISTERS},
		{"SM7_QV100", 256, 37, 5000, 0, 6, GPU_LIMIT_REGISTERS},
		{"SM7_QV100", 160, 255, 0, 0, 1, GPU_LIMIT_REGISTERS},
		{"SM6_TITANX", 256, 32, 8192, 0, 8, GPU_LIMIT_WARPS},
		{"SM3_KEPLER_TITAN", 64, 16, 0, 0, 16, GPU_LIMIT_CTAS},
		{"SM3_KEPLER_TITAN", 256, 32, 12288, 0, 4, GPU_LIMIT_SHARED},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct gpu_desc g = desc_of(cases[i].gpu);
		enum gpu_limit limit;
		uint32_t have = gpu_desc_occupancy(&g, cases[i].threads, cases[i].registers, cases[i].fixed,
		                                   cases[i].dynamic, &limit);
		ck_assert_msg(have == cases[i].ctas && limit == cases[i].limit, "case %zu: %u CTAs, limit %d", i,
		              have, limit);
	}
}
END_TEST

// SMs from 0 on make up groups, the last of which may be smaller; a cluster has room in one group.
START_TEST(clusters_have_room_in_a_group_of_sms)
{
	static const struct {
		uint32_t sms, group, ctas, cluster, clusters;
	} cases[] = {
		{132, 16, 1, 1, 132}, {132, 16, 1, 2, 66}, {132, 16, 1, 4, 33}, {132, 16, 1, 8, 16}, {132, 16, 1, 16, 8}, {132, 16, 1, 3, 41},
		{132, 16, 3, 16, 24}, {132, 16, 4, 16, 33}, {132, 16, 0, 2, 0}, {10, 16, 1, 16, 0}, {10, 16, 2, 16, 1}, {18, 18, 1, 16, 1},
		{132, 16, 1, 0, 0}, {132, 16, 32, 8, 528},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct gpu_desc g = {.sm_count = cases[i].sms, .sms_per_gpc = cases[i].group};
		const uint32_t have = gpu_desc_clusters(&g, cases[i].ctas, cases[i].cluster);
		ck_assert_msg(have == cases[i].clusters, "case %zu: %u clusters", i, have);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("options");
	TCase *tc = tcase_create("options");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, table_is_consistent);
	tcase_add_test(tc, defaults_are_gpgpu_sims);
	tcase_add_test(tc, syntax_is_gpgpu_sims);
	tcase_add_test(tc, each_error_has_its_message);
	tcase_add_test(tc, an_error_keeps_the_rest);
	tcase_add_test(tc, old_names_work_with_a_remark);
	tcase_add_test(tc, refused_options_say_why);
	tcase_add_test(tc, what_is_not_modelled_is_said_when_it_is_asked_for);
	tcase_add_test(tc, files_nest);
	tcase_add_test(tc, nesting_is_bounded);
	tcase_add_test(tc, arguments);
	tcase_add_test(tc, environment);
	tcase_add_test(tc, the_hash_follows_what_changes_results_or_cycles);
	tcase_add_test(tc, outputs_that_cannot_be_written_are_refused_before_anything_is_opened);
	tcase_add_test(tc, the_latencies_of_machine_code_beside_a_configuration_are_the_classic_cores);
	tcase_add_test(tc, lookup_order);
	tcase_add_test(tc, builtin_is_the_h100_file);
	tcase_add_test(tc, a_dump_loads_back);
	tcase_add_test(tc, own_configurations_load_without_a_word);
	tcase_add_test(tc, peer_configurations_load);
	tcase_add_test(tc, documentation_is_current);
	tcase_add_test(tc, cache_strings);
	tcase_add_test(tc, other_forms);
	tcase_add_test(tc, sampling_flags_are_in_hex);
	tcase_add_test(tc, h100_properties);
	tcase_add_test(tc, other_properties);
	tcase_add_test(tc, occupancy);
	tcase_add_test(tc, clusters_have_room_in_a_group_of_sms);
	suite_add_tcase(s, tc);
	return check_main(s);
}
