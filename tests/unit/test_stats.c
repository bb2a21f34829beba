// Statistics: names, order and forms that scripts look for, JSON beside the text, reasons of issue slots, files.
#include "tests/unit/kernel_text.h"
#include "tests/unit/timing_harness.h"

#include "gpgpu-sim/modern/modern.h"
#include "base/version.h"
#include "gpgpu-sim/stats/stats.h"

#include <regex.h>
#include <sys/stat.h>
#include <zlib.h>

static char folder[40];

static const char *in_folder(const char *name)
{
	static char path[4][128];
	static unsigned turn;
	char *p = path[turn++ % 4];
	snprintf(p, sizeof path[0], "%s/%s", folder, name);
	return p;
}

static const char *const program =
	KERNEL_HEAD ".shared .align 16 .b8 buf[4096];\n" KERNEL_ENTRY("first")
	"mul.wide.u32 %rd5, %r4, 4; add.u64 %rd6, %rd1, %rd5; ld.global.u32 %r10, [%rd6];\n"
	"mov.u32 %r11, buf; shl.b32 %r12, %r1, 3; and.b32 %r12, %r12, 4095; add.u32 %r11, %r11, %r12; "
	"st.shared.u32 [%r11], %r10;\n"
	"bar.sync 0; ld.shared.u32 %r13, [%r11]; and.b32 %r14, %r1, 3; setp.eq.u32 %p1, %r14, 0; @%p1 bra SKIP;\n"
	"atom.global.add.u32 %r15, [%rd2], 1;\n"
	"SKIP: add.u64 %rd7, %rd3, %rd5; st.global.u32 [%rd7], %r13; ret; }\n"
	KERNEL_ENTRY("second")
	"mul.wide.u32 %rd5, %r4, 128; add.u64 %rd6, %rd1, %rd5; ld.global.u32 %r10, [%rd6]; add.u32 %r10, %r10, 1;\n"
	"st.global.u32 [%rd6], %r10; ret; }\n";

// Two kernels on a GPU of four SMs and two channels, and what they print, with `more` options.
static struct timed *run(const char *more)
{
	char options[1200];
	snprintf(options, sizeof options,
	         "-gpgpu_n_clusters 2\n-gpgpu_n_cores_per_cluster 2\n-gpgpu_n_mem 2\n-gpgpu_num_sched_per_core 2\n"
	         "-enable_ptx_file_line_stats 1\n-ptx_line_stats_filename %s\n%s\n",
	         in_folder("lines.txt"), more);
	struct timed *t = timed_new(program, options);
	t->gpu->stats.say = timed_put;
	t->gpu->stats.say_ctx = t;
	uint64_t p[4] = {timed_alloc(t, 1 << 20), timed_alloc(t, 256), timed_alloc(t, 1 << 16), 0};
	timed_run(t, "first", 40, 192, 0, p, 4);
	timed_run(t, "second", 12, 256, 0, p, 4);
	return t;
}

static char *read_file(const char *name)
{
	gzFile f = gzopen(name, "rb"); // reads plain files as they are
	ck_assert_msg(f != NULL, "no file %s", name);
	size_t n = 0, cap = 1 << 16;
	char *s = malloc(cap);
	int got;
	while ((got = gzread(f, s + n, (unsigned)(cap - n - 1))) > 0) {
		n += (size_t)got;
		if (cap - n < 1024)
			s = realloc(s, cap *= 2);
	}
	ck_assert_int_eq(got, 0);
	gzclose(f);
	s[n] = 0;
	return s;
}

START_TEST(what_accelsims_get_stats_looks_for_is_there_once_a_kernel)
{
	static const char *const pattern[] = {
		"^gpu_tot_sim_insn[[:space:]]*=[[:space:]]*[0-9]+$", "^gpu_tot_sim_cycle[[:space:]]*=[[:space:]]*[0-9]+$",
		"^[[:space:]]+L2_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[HIT\\][[:space:]]*=[[:space:]]*[0-9]+$",
		"^[[:space:]]+L2_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[TOTAL_ACCESS\\][[:space:]]*=[[:space:]]*[0-9]+$",
		"^[[:space:]]+L2_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[HIT\\][[:space:]]*=[[:space:]]*[0-9]+$",
		"^[[:space:]]+L2_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[TOTAL_ACCESS\\][[:space:]]*=[[:space:]]*[0-9]+$",
		"^[[:space:]]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[TOTAL_ACCESS\\][[:space:]]*=[[:space:]]*[0-9]+$",
		"^[[:space:]]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[HIT\\][[:space:]]*=[[:space:]]*[0-9]+$",
		"^[[:space:]]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[HIT\\][[:space:]]*=[[:space:]]*[0-9]+$",
		"^[[:space:]]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[TOTAL_ACCESS\\][[:space:]]*=[[:space:]]*[0-9]+$",
		"^[[:space:]]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[MSHR_HIT\\][[:space:]]*=[[:space:]]*[0-9]+$",
		"^gpgpu_n_tot_w_icount[[:space:]]*=[[:space:]]*[0-9]+$", "^total dram reads[[:space:]]*=[[:space:]]*[0-9]+$",
		"^total dram writes[[:space:]]*=[[:space:]]*[0-9]+$", "^kernel_launch_uid[[:space:]]*=[[:space:]]*[0-9]+ $",
		"^gpgpu_n_shmem_bkconflict[[:space:]]*=[[:space:]]*[0-9]+$",
		"^gpgpu_n_l1cache_bkconflict[[:space:]]*=[[:space:]]*[0-9]+$",
		"^gpu_ipc[[:space:]]*=[[:space:]]*[0-9.]+$", "^gpu_occupancy[[:space:]]*=[[:space:]]*[0-9.]+% $",
		"^L2_BW[[:space:]]*=[[:space:]]*[0-9.]+ GB/Sec$", "^gpu_tot_ipc[[:space:]]*=[[:space:]]*[0-9.]+$",
		"^kernel_name = [a-z]+ $", "^kernel_stream_id = [0-9]+$",
	};
	struct timed *t = run("");
	for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) {
		regex_t re;
		regmatch_t m;
		unsigned n = 0;
		ck_assert_int_eq(regcomp(&re, pattern[i], REG_EXTENDED | REG_NEWLINE), 0);
		for (const char *s = t->text; !regexec(&re, s, 1, &m, 0) && m.rm_eo > 0; s += m.rm_eo)
			n++;
		regfree(&re);
		ck_assert_msg(n == 2, "%u times in two kernels: %s", n, pattern[i]);
	}
	timed_free(t);
}
END_TEST

START_TEST(sections_come_in_gpgpu_sims_order)
{
	static const char *const order[] = {
		"kernel_name = ", "kernel_launch_uid = ", "kernel_stream_id = ", "gpu_sim_cycle = ", "gpu_sim_insn = ",
		"gpu_ipc = ", "gpu_tot_sim_cycle = ", "gpu_tot_sim_insn = ", "gpu_tot_ipc = ", "gpu_tot_issued_cta = ",
		"gpu_occupancy = ", "gpu_tot_occupancy = ", "max_total_param_size = ", "gpu_stall_dramfull = ",
		"gpu_stall_icnt2sh    = ", "partiton_level_parallism = ", "partiton_level_parallism_total  = ",
		"partiton_level_parallism_util = ", "partiton_level_parallism_util_total  = ", "L2_BW  = ",
		"L2_BW_total  = ", "========= Core cache stats =========", "L1I_cache:", "\tL1I_total_cache_accesses = ",
		"L1D_cache:", "\tL1D_cache_core[0]: Access = ", "\tL1D_total_cache_accesses = ",
		"\tL1D_cache_data_port_util = ", "L1C_cache:", "L1T_cache:", "Total_core_cache_stats:",
		"Total_core_cache_fail_stats:", "ctas_completed ", "warp_id:", "distro:", "gpgpu_n_tot_thrd_icount = ",
		"gpgpu_n_tot_w_icount = ", "gpgpu_n_stall_shd_mem = ", "gpgpu_n_mem_read_local = ",
		"gpgpu_n_mem_write_global = ", "gpgpu_n_load_insn  = ", "gpgpu_n_store_insn = ", "gpgpu_n_param_mem_insn = ",
		"gpgpu_n_shmem_bkconflict = ", "gpgpu_stall_shd_mem[c_mem][resource_stall] = ",
		"gpgpu_stall_shd_mem[gl_mem][data_port_stall] = ", "gpu_reg_bank_conflict_stalls = ",
		"Warp Occupancy Distribution:", "Stall:", "single_issue_nums: WS0:", "dual_issue_nums: WS0:",
		"traffic_breakdown_coretomem[GLOBAL_ACC_R] = ", "traffic_breakdown_memtocore[GLOBAL_ACC_R] = ",
		"maxmflatency = ", "max_icnt2sh_latency = ", "mrq_lat_table:", "mf_lat_pw_table:",
		"maximum concurrent accesses to same row:", "average row locality = ", "total accesses: ",
		"total dram reads = ", "total dram writes = ", "maximum mf latency per bank:",
		"Number of Memory Banks Accessed per Memory Operation per Warp (from 0):",
		"Average # of Memory Banks Accessed per Memory Operation per Warp=", "position of mrq chosen",
		"average position of mrq chosen = ", "Memory Partition 0: ",
		"DRAM[0]: 16 bks, ", "n_cmd=", "bk0: ", "Row_Buffer_Locality = ", "BW Util details:",
		"BW Util Bottlenecks: ", "Commands details: ", "Dual Bus Interface Util: ", "queue_avg = ",
		"dram_util_bins:", "dram_eff_bins:", "mrqq: max=", "Memory Partition 1: ",
		"gpgpu_n_dram_reads = ", "gpgpu_n_dram_requests = ",
		"========= L2 cache stats =========", "L2_cache_bank[0]: Access = ", "L2_total_cache_accesses = ",
		"L2_total_cache_breakdown:", "L2_total_cache_reservation_fail_breakdown:", "L2_cache_fill_port_util = ",
		"icnt_total_pkts_mem_to_simt=", "icnt_total_pkts_simt_to_mem=", "LD_mem_lat_dist  ", "ST_mem_lat_dist  ",
		"----------------------------Interconnect-DETAILS", "Req_Network_injected_packets_num = ",
		"Reply_Network_out_buffer_avg_util = ", "----------------------------END-of-Interconnect-DETAILS",
		"issue_slots[WS0][ISSUED] = ", "issue_slots[WS1][TOTAL] = ", "gpu_issue_slots = ",
	};
	struct timed *t = run("");
	const char *at = t->text;
	for (unsigned kernel = 0; kernel < 2; kernel++)
		for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
			char line[128];
			snprintf(line, sizeof line, "\n%s", order[i]);
			const char *found = !kernel && !i ? strstr(at, order[i]) : strstr(at, line);
			ck_assert_msg(found != NULL, "kernel %u: no line '%s' behind '%s'", kernel, order[i],
			              i ? order[i - 1] : "");
			at = found + 1;
		}
	timed_free(t);
}
END_TEST

START_TEST(json_is_a_document_after_every_kernel_and_agrees_with_the_text)
{
	char options[300], command[600];
	snprintf(options, sizeof options, "-stats_json %s", in_folder("stats.json"));
	struct timed *t = run(options);
	FILE *f = fopen(in_folder("stats.txt"), "w");
	fputs(t->text, f);
	fclose(f);
	if (system("command -v python3 >/dev/null") == 0) {
		snprintf(command, sizeof command, "python3 tests/stats_json.py %s %s", in_folder("stats.json"),
		         in_folder("stats.txt"));
		ck_assert_int_eq(system(command), 0);
	}
	timed_free(t);
}
END_TEST

static unsigned occurrences(const char *text, const char *what)
{
	unsigned n = 0;
	for (const char *s = text; (s = strstr(s, what)); s++)
		n++;
	return n;
}

START_TEST(head_and_last_line_tell_what_was_simulated_and_how_it_ended)
{
	char options[300], line[200];
	snprintf(options, sizeof options, "-stats_json %s", in_folder("stats.json"));
	struct timed *t = run(options);
	snprintf(line, sizeof line, "\nheddle_version = %s\nheddle_commit = %s\nheddle_options = %016llx\n", heddle_version, heddle_commit,
	         (unsigned long long)options_hash(&t->opt));
	const char *head = strstr(t->text, line);
	ck_assert_msg(head && head < strstr(t->text, "pushing kernel 'first'"), "no%sin %.900s", line, t->text);
	ck_assert_uint_eq(occurrences(t->text, "heddle_"), 3);
	char *json = read_file(in_folder("stats.json"));
	ck_assert_uint_eq(occurrences(json, "\"provenance\":{\"version\":"), 2);
	ck_assert_uint_eq(occurrences(json, "heddle_run"), 0);
	free(json);
	gpu_end_statistics(t->gpu, "limit -gpgpu_max_cycle");
	gpu_end_statistics(t->gpu, "complete"); // the first counts
	static const char last[] = "heddle_run = limit -gpgpu_max_cycle\n";
	ck_assert_str_eq(t->text + strlen(t->text) - strlen(last), last);
	json = read_file(in_folder("stats.json"));
	static const char closed[] = "],\n \"heddle_run\":\"limit -gpgpu_max_cycle\"}\n]\n";
	ck_assert_str_eq(json + strlen(json) - strlen(closed), closed);
	free(json);
	if (system("command -v python3 >/dev/null") == 0) {
		char command[600];
		snprintf(command, sizeof command, "python3 -c 'import json, sys\nk = json.load(open(sys.argv[1]))\n"
		                                  "assert [x.get(\"heddle_run\") for x in k] == [None, \"limit -gpgpu_max_cycle\"]\n"
		                                  "assert k[0][\"provenance\"] == k[1][\"provenance\"]' %s", in_folder("stats.json"));
		ck_assert_int_eq(system(command), 0);
	}
	timed_free(t);
}
END_TEST

// Scripts divide by it.
START_TEST(no_simulation_takes_zero_seconds)
{
	struct timed *t = run(""); // which leaves out lines about wall-clock time
	size_t had = t->n_text;
	gpu_print_kernel_stats(t->gpu, &t->launch[1], timed_put, t);
	ck_assert_uint_eq(occurrences(t->text + had, "gpgpu_simulation_time = 0 days, 0 hrs, 0 min, 1 sec (1 sec)\n"), 1);
	timed_free(t);
}
END_TEST

START_TEST(json_goes_through_a_pipe_and_to_no_place_that_a_link_names)
{
	char command[600], options[300];
	ck_assert_int_eq(mkfifo(in_folder("fifo"), 0600), 0);
	snprintf(command, sizeof command, "cat %s >%s &", in_folder("fifo"), in_folder("stats.txt"));
	ck_assert_int_eq(system(command), 0);
	snprintf(options, sizeof options, "-stats_json %s", in_folder("fifo"));
	struct timed *t = run(options);
	gpu_end_statistics(t->gpu, "complete");
	timed_free(t);
	char *json = NULL;
	static const char closed[] = "],\n \"heddle_run\":\"complete\"}\n]\n";
	for (int tries = 0; tries < 200 && !(json && strlen(json) > 100 && !strcmp(json + strlen(json) - strlen(closed), closed)); tries++) {
		free(json);
		usleep(10000);
		json = read_file(in_folder("stats.txt"));
	}
	ck_assert_uint_eq(occurrences(json, "\"provenance\""), 2);
	ck_assert_str_eq(json + strlen(json) - strlen(closed), closed);
	free(json);
	remove(in_folder("fifo"));
	ck_assert_int_eq(symlink("stats.txt", in_folder("link")), 0);
	snprintf(options, sizeof options, "-stats_json %s", in_folder("link"));
	struct stat before, after;
	stat(in_folder("stats.txt"), &before);
	t = run(options);
	ck_assert(gpu_output_failed(t->gpu));
	timed_free(t);
	stat(in_folder("stats.txt"), &after);
	ck_assert_int_eq(before.st_size, after.st_size);
	remove(in_folder("link"));
}
END_TEST

// GPGPU-Sim's configurations all say -enable_ptx_file_line_stats 1. The file is for those who name it, or look at the run
// with AerialVision.
START_TEST(counters_of_lines_are_written_where_they_are_asked_for)
{
	static const struct {
		const char *options;
		bool written;
	} how[] = {{"-enable_ptx_file_line_stats 1", false},
	           {"-enable_ptx_file_line_stats 1\n-ptx_line_stats_filename gpgpu_inst_stats.txt", true},
	           {"-enable_ptx_file_line_stats 0\n-ptx_line_stats_filename gpgpu_inst_stats.txt", false},
	           {"-enable_ptx_file_line_stats 1\n-visualizer_enabled 1\n-visualizer_outputfile visual.gz", true}};
	char old[4096];
	ck_assert(getcwd(old, sizeof old) && chdir(folder) == 0);
	struct timed *t = timed_new(program, how[_i].options);
	uint64_t p[4] = {timed_alloc(t, 1 << 20), timed_alloc(t, 256), timed_alloc(t, 1 << 16), 0};
	timed_run(t, "first", 4, 192, 0, p, 4);
	timed_free(t);
	ck_assert_int_eq(access("gpgpu_inst_stats.txt", F_OK) == 0, how[_i].written);
	// Not through a link.
	if (how[_i].written) {
		rename("gpgpu_inst_stats.txt", "target");
		ck_assert(truncate("target", 0) == 0 && symlink("target", "gpgpu_inst_stats.txt") == 0);
		t = timed_new(program, how[_i].options);
		uint64_t q[4] = {timed_alloc(t, 1 << 20), timed_alloc(t, 256), timed_alloc(t, 1 << 16), 0};
		timed_run(t, "first", 4, 192, 0, q, 4);
		ck_assert(gpu_output_failed(t->gpu));
		timed_free(t);
		struct stat st;
		ck_assert(stat("target", &st) == 0 && st.st_size == 0);
		remove("gpgpu_inst_stats.txt");
		remove("target");
	}
	remove("visual.gz");
	ck_assert_int_eq(chdir(old), 0);
}
END_TEST

START_TEST(the_reasons_of_a_schedulers_slots_add_up_to_the_cycles_of_its_sm)
{
	static const char *const policy[] = {"lrr", "gto", "two_level_active:6:0:1", "warp_limiting:2:4", "rrr"};
	char options[100];
	snprintf(options, sizeof options, "-gpgpu_scheduler %s", policy[_i]);
	struct timed *t = run(options);
	for (unsigned i = 0; i < 4; i++) {
		const struct sm_stats *s = timed_sm(t, i);
		ck_assert_uint_gt(s->cycles, 0);
		for (unsigned k = 0; k < 2; k++) {
			uint64_t sum = 0;
			for (unsigned r = 0; r < SM_N_SLOT_REASONS; r++)
				sum += s->slot[k][r];
			ck_assert_uint_eq(sum, s->cycles);
			ck_assert_uint_eq(s->slot[k][SM_SLOT_ISSUED], s->single_issue[k] + s->dual_issue[k]);
		}
	}
	timed_free(t);
}
END_TEST

START_TEST(the_modern_core_prints_what_it_counts_over_all_sms)
{
	char options[500];
	snprintf(options, sizeof options,
	         "-core modern\n-gpgpu_num_sched_per_core 4\n-gpgpu_perfect_inst_const_cache 0\n-is_instruction_prefetching_enabled 1\n"
	         "-prefetch_per_stream_buffer_size 2\n-stats_json %s", in_folder("modern.json"));
	struct timed *t = run(options);
	const char *last = strstr(t->text, "\n========= Modern core =========\n");
	ck_assert(last && (last = strstr(last + 1, "\n========= Modern core =========\n")) && !strstr(last + 20, "Modern core"));
	struct modern_counts sum = {0};
	for (unsigned i = 0; i < 4; i++)
		modern_add_counts(&sum, &t->t->sm[i]);
	const struct front_stats *f = &sum.front;
	const struct {
		const char *name;
		uint64_t value;
	} row[] = {{"modern_regfile_reads", sum.core.rfc_reads}, {"modern_rfc_hits", sum.core.rfc_hits}, {"modern_allocate_stalls", sum.core.allocate_stalls},
	           {"modern_result_conflicts", sum.core.result_conflicts}, {"modern_load_conflicts", sum.core.load_conflicts},
	           {"modern_hazards", sum.core.hazards}, {"modern_fetches", f->fetches}, {"modern_fetch_misses", f->fetch_misses},
	           {"modern_fetch_refusals", f->refusals}, {"modern_fetch_dropped", f->dropped}, {"modern_L0I_hits", f->l0_hits},
	           {"modern_L0I_misses", f->l0_misses}, {"modern_L0I_requests", f->l0_requests}, {"modern_prefetches", f->prefetches},
	           {"modern_prefetch_hits", f->prefetch_hits}, {"modern_prefetch_late", f->prefetch_late}, {"modern_L0C_hits", f->const_hits},
	           {"modern_L0C_requests", f->const_misses}, {"modern_L1I_accesses", f->l1_accesses}, {"modern_L1I_misses", f->l1_misses}};
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		char line[100];
		snprintf(line, sizeof line, "\n%s = %llu\n", row[i].name, (unsigned long long)row[i].value);
		ck_assert_msg(strstr(last, line) != NULL, "no%s in%s", line, last);
	}
	ck_assert(sum.core.rfc_reads && f->fetches == f->l0_hits + f->l0_misses && f->l0_requests && f->prefetch_hits && f->l1_misses);
	char *json = read_file(in_folder("modern.json"));
	ck_assert_ptr_nonnull(strstr(json, "{\"name\":\"modern_L0I_misses\",\"unit\":\"instructions\",\"kind\":\"running total\",\"description\":\"Fetches"));
	free(json);
	timed_free(t);
	t = run("");
	ck_assert_ptr_null(strstr(t->text, "odern"));
	timed_free(t);
}
END_TEST

START_TEST(gpu_tot_sim_cycle_is_the_sum_of_gpu_sim_cycle)
{
	struct timed *t = run("");
	uint64_t sum = 0, total = 0;
	for (const char *s = t->text; (s = strstr(s, "\ngpu_sim_cycle = ")); s++)
		sum += strtoull(s + 17, NULL, 10);
	for (const char *s = t->text; (s = strstr(s, "\ngpu_tot_sim_cycle = ")); s++)
		total = strtoull(s + 21, NULL, 10);
	ck_assert_uint_gt(sum, 0);
	ck_assert_uint_eq(sum, total);
	timed_free(t);
}
END_TEST

// Text, lines, time-lapse log and snapshots: all in one.
static char *everything(bool every_cycle)
{
	char options[600];
	snprintf(options, sizeof options,
	         "-visualizer_enabled 1\n-visualizer_outputfile %s\n-gpgpu_runtime_stat 170:52\n"
	         "-gpgpu_cflog_interval 410\n-tick_every_cycle %d",
	         in_folder("visual.gz"), every_cycle);
	struct timed *t = run(options);
	char *lines = read_file(in_folder("lines.txt")), *visual = read_file(in_folder("visual.gz"));
	char *all = malloc(strlen(t->text) + strlen(lines) + strlen(visual) + 1);
	sprintf(all, "%s%s%s", t->text, lines, visual);
	free(lines);
	free(visual);
	timed_free(t);
	return all;
}

static uint64_t row_sum(const char *text, const char *heading)
{
	const char *s = NULL;
	for (const char *next = text; (next = strstr(next, heading)); next++)
		s = next;
	ck_assert_msg(s != NULL, "no %s", heading);
	uint64_t sum = 0;
	char *end;
	for (s += strlen(heading); *s != '\n'; s = end + 1)
		sum += strtoull(s, &end, 10);
	return sum;
}

START_TEST(warp_accesses_and_chosen_requests_are_counted_with_bit_two)
{
	struct timed *t = run("-gpgpu_memlatency_stat 2");
	const struct memory_latency *l = memory_latency(t->t->memory);
	ck_assert_uint_eq(row_sum(t->text, "\nNumber of Memory Banks Accessed per Memory Operation per Warp (from 0):\n"),
	                  40 * 6 * 3 + 12 * 8 * 2);
	uint64_t none = 0, one = 0; // each SM counts its own
	for (unsigned i = 0; i < t->t->core.n_sm; i++) {
		none += timed_sm(t, i)->banks_accessed[0];
		one += timed_sm(t, i)->banks_accessed[1];
	}
	ck_assert_uint_eq(none, 0);
	ck_assert_uint_gt(one, 0);
	ck_assert_uint_eq(row_sum(t->text, "\nposition of mrq chosen\n"), l->tot_mrq_num);
	ck_assert_uint_gt(l->mrq_position[1], 0);
	timed_free(t);
	t = run("-gpgpu_memlatency_stat 1");
	ck_assert_ptr_null(strstr(t->text, "position of mrq chosen"));
	timed_free(t);
}
END_TEST

START_TEST(flags_of_sampling_points_are_in_hex)
{
	struct timed *t = run("-gpgpu_runtime_stat 200:0x40");
	ck_assert_ptr_nonnull(strstr(t->text, "\nctas_completed "));
	ck_assert_ptr_null(strstr(t->text, "total_dl1_misses="));
	ck_assert_ptr_null(strstr(t->text, "mrqsmax="));
	unsigned n = 0;
	for (const char *s = t->text; (s = strstr(s, "ctas_completed ")); s++)
		n++;
	ck_assert_uint_gt(n, 2);
	timed_free(t);
	t = run("-gpgpu_runtime_stat 200:12");
	ck_assert_ptr_nonnull(strstr(t->text, "total_dl1_misses="));
	ck_assert_ptr_nonnull(strstr(t->text, "mrqsmax="));
	timed_free(t);
}
END_TEST

START_TEST(two_runs_and_stepped_ones_write_the_same_files)
{
	char *a = everything(false), *b = everything(false), *c = everything(true);
	const char *why = timed_difference(a, b);
	ck_assert_msg(!why, "second run: %s", why);
	why = timed_difference(a, c);
	ck_assert_msg(!why, "every cycle: %s", why);
	ck_assert_ptr_nonnull(strstr(a, "\nglobalcyclecount: 170\n"));
	ck_assert_ptr_nonnull(strstr(a, "\nglobalcyclecount: 340\n"));
	ck_assert_ptr_nonnull(strstr(a, "dramglobal_acc_r: 1 3 "));
	ck_assert_ptr_nonnull(strstr(a, "WarpDivergenceBreakdown: "));
	free(a);
	free(b);
	free(c);
}
END_TEST

// The largest value of a metric in a log.
static double most_of(const char *log, const char *name)
{
	char line[64];
	double most = 0;
	snprintf(line, sizeof line, "\n%s: ", name);
	ck_assert_msg(strstr(log, line) != NULL, "no %s", name);
	for (const char *s = log; (s = strstr(s, line));)
		for (s += strlen(line); *s != '\n';) {
			char *end;
			double v = strtod(s, &end);
			ck_assert_msg(end > s && v >= 0, "%s", name);
			most = v > most ? v : most;
			s = end + (*end == ' ');
		}
	return most;
}

// AerialVision takes a line apart at its only colon, and then at single blanks.
START_TEST(aerialvision_can_read_every_line_of_the_log)
{
	free(everything(false));
	char *log = read_file(in_folder("visual.gz"));
	for (char *l = log; *l; l = strchr(l, '\n') + 1) {
		size_t n = strcspn(l, "\n"), name = strcspn(l, ":\n");
		ck_assert_msg(name < n && !memchr(l + name + 1, ':', n - name - 1), "%.*s", (int)n, l);
		const char *v = l + name + 1, *end = l + n;
		for (v += strspn(v, " "); end > v && end[-1] == ' ';)
			end--;
		ck_assert_msg(v < end, "no values: %.*s", (int)n, l);
		for (; v < end; v++) {
			size_t digits = strspn(v, "-0123456789.");
			ck_assert_msg(digits && (v + digits == end || v[digits] == ' '), "%.*s", (int)n, l);
			v += digits;
		}
	}
	double rate = most_of(log, "CacheMissRate_GlobalLocalL1_All");
	ck_assert_msg(rate > 0 && rate <= 1, "%f", rate);
	ck_assert(most_of(log, "CacheMissRate_GlobalLocalL1_noMgHt") <= rate);
	ck_assert(most_of(log, "CacheMissRate_TextureL1_All") == 0);
	ck_assert(most_of(log, "dramutil") <= 100 && most_of(log, "drameff") <= 100);
	free(log);
}
END_TEST

START_TEST(lines_of_the_program_have_their_counts)
{
	struct timed *t = run("");
	char *s = read_file(in_folder("lines.txt"));
	static const char head[] = "kernel line : count latency dram_traffic smem_bk_conflicts smem_warp "
	                           "gmem_access_generated "
	                           "gmem_warp exposed_latency warp_divergence\n";
	ck_assert_int_eq(strncmp(s, head, sizeof head - 1), 0);
	// The sum of all counts: every lane of every instruction.
	uint64_t count = 0, smem = 0, gmem = 0, diverged = 0, dram = 0;
	for (char *l = strchr(s, '\n') + 1; *l; l = strchr(l, '\n') + 1) {
		char *v = strstr(l, " : ");
		unsigned long long n[9];
		ck_assert_int_eq(sscanf(v, " : %llu %llu %llu %llu %llu %llu %llu %llu %llu", &n[0], &n[1], &n[2], &n[3], &n[4],
		                        &n[5], &n[6], &n[7], &n[8]),
		                 9);
		count += n[0];
		dram += n[2];
		smem += n[4];
		gmem += n[6];
		diverged += n[8];
	}
	uint64_t warps = 40 * 6 + 12 * 8;
	ck_assert_uint_ge(count, t->launch[0].counts.thread_insts + t->launch[1].counts.thread_insts);
	ck_assert_uint_eq(smem, 40 * 6 * 2);
	ck_assert_uint_eq(gmem, 40 * 6 * 3 + 12 * 8 * 2);
	ck_assert_uint_eq(diverged, 40 * 6);
	ck_assert_uint_gt(dram, 0);
	ck_assert_uint_gt(warps, 0);
	free(s);
	timed_free(t);
}
END_TEST

START_TEST(the_page_of_statistics_has_the_table_of_the_rows)
{
	char *want = NULL, *have = read_file("docs/statistics.md");
	size_t len = 0;
	FILE *f = open_memstream(&want, &len);
	stats_doc_print(f);
	fclose(f);
	size_t n = strlen(have);
	ck_assert_msg(n > len && !strcmp(have + n - len, want), "docs/statistics.md is old: its end is what bin/heddle "
		"stats prints");
	free(want);
	free(have);
}
END_TEST

int main(void)
{
	strcpy(folder, "/tmp/heddle-stats-XXXXXX");
	if (!mkdtemp(folder))
		return 1;
	Suite *s = suite_create("stats");
	TCase *t = tcase_create("stats");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, what_accelsims_get_stats_looks_for_is_there_once_a_kernel);
	tcase_add_test(t, sections_come_in_gpgpu_sims_order);
	tcase_add_test(t, json_is_a_document_after_every_kernel_and_agrees_with_the_text);
	tcase_add_test(t, head_and_last_line_tell_what_was_simulated_and_how_it_ended);
	tcase_add_test(t, no_simulation_takes_zero_seconds);
	tcase_add_test(t, json_goes_through_a_pipe_and_to_no_place_that_a_link_names);
	tcase_add_loop_test(t, counters_of_lines_are_written_where_they_are_asked_for, 0, 4);
	tcase_add_loop_test(t, the_reasons_of_a_schedulers_slots_add_up_to_the_cycles_of_its_sm, 0, 5);
	tcase_add_test(t, the_modern_core_prints_what_it_counts_over_all_sms);
	tcase_add_test(t, gpu_tot_sim_cycle_is_the_sum_of_gpu_sim_cycle);
	tcase_add_test(t, warp_accesses_and_chosen_requests_are_counted_with_bit_two);
	tcase_add_test(t, flags_of_sampling_points_are_in_hex);
	tcase_add_test(t, two_runs_and_stepped_ones_write_the_same_files);
	tcase_add_test(t, aerialvision_can_read_every_line_of_the_log);
	tcase_add_test(t, lines_of_the_program_have_their_counts);
	tcase_add_test(t, the_page_of_statistics_has_the_table_of_the_rows);
	suite_add_tcase(s, t);
	int failed = check_main(s);
	static const char *const files[] = {"lines.txt", "stats.json", "stats.txt", "visual.gz"};
	for (unsigned i = 0; i < 4; i++)
		remove(in_folder(files[i]));
	rmdir(folder);
	return failed;
}
