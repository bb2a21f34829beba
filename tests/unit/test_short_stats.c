// -stats short: the lines of the full text without the tables that grow with the GPU, and those once at the end. Sums that are kept
// from kernel to kernel are those that are worked out anew.
#include "tests/unit/kernel_text.h"
#include "tests/unit/timing_harness.h"

#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

static const char *const program =
	KERNEL_FIRST_AND_SECOND
	KERNEL_ENTRY("empty") "ret; }\n";

// Every core model by one thread and by three.
static const char *const ways[] = {"-threads 1\n", "-threads 3\n", "-core modern\n-threads 1\n", "-core modern\n-threads 3\n"};
enum { WAYS = sizeof ways / sizeof *ways };

static struct timed *make(const char *way, const char *more)
{
	char options[1000];
	snprintf(options, sizeof options,
	         "-gpgpu_n_clusters 3\n-gpgpu_n_cores_per_cluster 2\n-gpgpu_n_mem 2\n-gpgpu_num_sched_per_core 4\n"
	         "-gpgpu_perf_sim_memcpy 1\n%s%s\n", way, more);
	struct timed *t = timed_new(program, options);
	gpu_set_output(t->gpu, timed_put, t);
	return t;
}

// One after the other, some small, then two beside each other in streams of their own, and one behind them. `before` is called
// before each wait.
static void run(struct timed *t, void (*before)(struct timed *t))
{
	static const struct {
		const char *name;
		uint32_t grid, block;
		uint64_t stream;
		bool wait;
	} all[] = {{"first", 40, 192, 0, true}, {"empty", 1, 32, 0, true}, {"second", 2, 64, 0, true}, {"empty", 4, 64, 7, true},
	           {"first", 9, 64, 7, false}, {"second", 3, 96, 8, true}, {"empty", 2, 32, 0, true}};
	uint64_t p[4] = {timed_alloc(t, 1 << 20), timed_alloc(t, 256), timed_alloc(t, 1 << 16), 0};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		timed_launch(t, all[i].name, all[i].grid, all[i].block, 0, p, 4, all[i].stream);
		if (before)
			before(t);
		if (all[i].wait)
			timed_wait(t);
	}
}

static struct timed *run_with(const char *way, const char *more)
{
	struct timed *t = make(way, more);
	run(t, NULL);
	return t;
}

// The statistics of the n-th kernel that ended, up to those of the next: a copy.
static char *kernel_text(const char *all, unsigned n)
{
	static const char head[] = "kernel_name = ";
	const char *from = strstr(all, head);
	for (; n && from; n--)
		from = strstr(from + 1, head);
	ck_assert_ptr_nonnull(from);
	const char *to = strstr(from + 1, head), *launch = strstr(from, "GPGPU-Sim ");
	if (launch && (!to || launch < to))
		to = launch;
	return to ? strndup(from, (size_t)(to - from)) : strdup(from);
}

static unsigned occurrences(const char *text, const char *what)
{
	unsigned n = 0;
	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

// Where the line stands in the text, from its beginning to behind its end; NULL: nowhere.
static const char *find_line(const char *text, const char *line, size_t n)
{
	for (; *text; text += strcspn(text, "\n") + 1)
		if (!strncmp(text, line, n))
			return text + n;
	return NULL;
}

START_TEST(it_is_some_of_the_lines_in_their_order)
{
	static const char *const gone[] = {"_cache_core[", "dram[", "DRAM[", "L2_cache_bank[", "distro", "Memory Partition", "bk0:",
	                                   "bind to kernel"},
	                          *const kept[] = {
		"kernel_launch_uid = ", "kernel_stream_id = ", "gpu_sim_cycle = ", "gpu_sim_insn = ", "gpu_ipc = ",
		"gpu_tot_sim_cycle = ", "gpu_tot_sim_insn = ", "gpu_tot_ipc = ", "gpu_occupancy = ", "gpu_stall_dramfull = ",
		"L2_BW  = ", "L1D_total_cache_accesses = ", "Total_core_cache_stats_breakdown[GLOBAL_ACC_R][TOTAL_ACCESS] = ",
		"gpgpu_n_tot_w_icount = ", "gpgpu_n_shmem_bkconflict = ", "gpgpu_stall_shd_mem[gl_mem][resource_stall] = ",
		"averagemflatency = ", "total dram reads = ", "total dram writes = ",
		"gpgpu_n_dram_reads = ", "L2_total_cache_misses = ", "L2_cache_stats_breakdown[GLOBAL_ACC_W][HIT] = ",
		"icnt_total_pkts_mem_to_simt=", "Req_Network_injected_packets_num = ", "gpu_issue_slots = "};
	struct timed *full = run_with(ways[_i], ""), *brief = run_with(ways[_i], "-stats short");
	ck_assert_uint_lt(brief->n_text, full->n_text);
	const char *at = full->text;
	for (const char *s = brief->text; *s;) {
		size_t n = strcspn(s, "\n") + 1;
		at = find_line(at, s, n);
		ck_assert_msg(at != NULL, "not there, or before an earlier one: %.*s", (int)n, s);
		s += n;
	}
	for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
		ck_assert_msg(strstr(full->text, gone[i]) != NULL, "%s", gone[i]);
		ck_assert_msg(!strstr(brief->text, gone[i]), "%s", gone[i]);
	}
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
		unsigned n = occurrences(full->text, kept[i]);
		ck_assert_msg(n && occurrences(brief->text, kept[i]) == n, "%s", kept[i]);
	}
	timed_free(full);
	timed_free(brief);
}
END_TEST

START_TEST(the_last_kernel_stands_in_full_at_the_end)
{
	struct timed *full = run_with(ways[_i], ""), *brief = run_with(ways[_i], "-stats short");
	char *want = kernel_text(full->text, full->n_done - 1);
	size_t had = brief->n_text;
	gpu_host_copy(brief->gpu, brief->b ? (uint64_t)(uintptr_t)brief->params : 0, 4096, true); // changes none of its figures
	gpu_print_rest(brief->gpu);
	timed_filter(brief, had);
	ck_assert_str_eq(brief->text + had, want);
	size_t end = brief->n_text;
	gpu_print_rest(brief->gpu); // once
	ck_assert_uint_eq(brief->n_text, end);
	gpu_end_statistics(brief->gpu, "complete");
	ck_assert_str_eq(brief->text + end, "heddle_run = complete\n");
	free(want);
	// Whoever only says that it is over gets them too.
	struct timed *t = run_with(ways[_i], "-stats short");
	had = t->n_text;
	gpu_end_statistics(t->gpu, "complete");
	timed_filter(t, had);
	ck_assert_str_eq(t->text + had, brief->text + had);
	timed_free(t);
	timed_free(full);
	timed_free(brief);
}
END_TEST

START_TEST(kernels_that_are_named_stand_in_full)
{
	static const struct {
		const char *name;
		unsigned set; // bit per kernel, in the order in which they end
	} all[] = {{"2", 1 << 1}, {"1,3-4", 1 | 1 << 2 | 1 << 3}, {"emp*,3", 1 << 1 | 1 << 2 | 1 << 3 | 1 << 6}, {"7-", 1 << 6},
	           {"nobody", 0}};
	char option[100];
	struct timed *full = run_with(ways[_i], ""), *brief = run_with(ways[_i], "-stats short");
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		snprintf(option, sizeof option, "-stats short -stats_full_kernels %s", all[i].name);
		struct timed *t = run_with(ways[_i], option);
		for (unsigned k = 0; k < t->n_done; k++) {
			char *is = kernel_text(t->text, k), *want = kernel_text((all[i].set >> k & 1 ? full : brief)->text, k);
			ck_assert_msg(!strcmp(is, want), "%s: kernel %u", all[i].name, k);
			free(is);
			free(want);
		}
		size_t had = t->n_text;
		gpu_print_rest(t->gpu); // again only what was short
		ck_assert_int_eq(t->n_text > had, !(all[i].set >> (t->n_done - 1) & 1));
		timed_free(t);
	}
	timed_free(full);
	timed_free(brief);
}
END_TEST

// As if nothing was known of the SMs.
static void forget(struct timed *t)
{
	stat_sums_free(&t->gpu->stats);
	t->gpu->stats.sums = NULL;
}

START_TEST(sums_that_are_kept_are_those_of_all_sms)
{
	struct timed *kept = run_with(ways[_i], ""), *anew = make(ways[_i], "");
	run(anew, forget);
	ck_assert_str_eq(kept->text, anew->text);
	timed_free(kept);
	timed_free(anew);
}
END_TEST

START_TEST(other_values_are_refused)
{
	static const struct {
		const char *option, *why;
	} all[] = {{"-stats medium", "-stats: the statistics of a kernel are full, or short"},
	           {"-stats_full_kernels 7-5",
	            "-stats_full_kernels: expected kernel numbers (3), ranges (3-7, 9-) or names (gemm*)"},
	           {"-stats_full_kernels a,,b", "-stats_full_kernels: expected kernel numbers"},
	           {"-stats_full_kernels 3x", "-stats_full_kernels: expected kernel numbers"}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct diag why = {0};
		ck_assert_ptr_null(timed_make(program, &why, (const char *const[]){TIMED_BASE, all[i].option, NULL}));
		ck_assert_msg(why.text && strstr(why.text, all[i].why), "%s", why.text);
		diag_free(&why);
	}
}
END_TEST

// --- JSON, whole for every kernel and packed

static char *unpacked(const char *name)
{
	FILE *f = fopen(name, "rb");
	enum { MOST = 1 << 24 };
	char *raw = malloc(MOST), *text = calloc(1, MOST);
	ck_assert_ptr_nonnull(f);
	size_t n = fread(raw, 1, MOST, f), at = 0;
	fclose(f);
	if (strstr(name, ".zst")) {
		size_t got = ZSTD_decompress(text, MOST - 1, raw, n); // all frames, or an error
		ck_assert_msg(!ZSTD_isError(got), "%s: %s", name, ZSTD_getErrorName(got));
	} else if (strstr(name, ".gz")) {
		z_stream z = {.next_in = (Bytef *)raw, .avail_in = (uInt)n};
		while (z.avail_in) { // every member ends
			ck_assert_int_eq(inflateInit2(&z, 15 + 16), Z_OK);
			z.next_out = (Bytef *)text + at;
			z.avail_out = (uInt)(MOST - 1 - at);
			ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
			at += z.total_out;
			inflateEnd(&z);
		}
	} else {
		memcpy(text, raw, n);
	}
	free(raw);
	return text;
}

START_TEST(json_is_whole_for_every_kernel_also_where_it_is_packed)
{
	static const char *const end[] = {"", ".gz", ".zst"};
	static const char closed[] = "}\n]\n";
	char folder[] = "/tmp/heddle-short-XXXXXX", option[260], name[3][60];
	char *text[3];
	ck_assert_ptr_nonnull(mkdtemp(folder));
	for (int i = 0; i < 3; i++) {
		snprintf(name[i], sizeof name[i], "%s/json%s", folder, end[i]);
		snprintf(option, sizeof option, "-stats %s -stats_json %s", i ? "short" : "full", name[i]);
		struct timed *t = make(ways[0], option);
		uint64_t p[4] = {timed_alloc(t, 1 << 20), timed_alloc(t, 256), timed_alloc(t, 1 << 16), 0};
		for (unsigned k = 1; k <= 3; k++) {
			timed_run(t, k & 1 ? "first" : "empty", k * 5, 64, 0, p, 4);
			char *so_far = unpacked(name[i]);
			ck_assert_uint_eq(occurrences(so_far, "\"provenance\""), k);
			ck_assert_uint_eq(occurrences(so_far, "\"Memory Partition\""), k);
			ck_assert_str_eq(so_far + strlen(so_far) - strlen(closed), closed);
			free(so_far);
		}
		gpu_end_statistics(t->gpu, "complete");
		timed_free(t);
		text[i] = unpacked(name[i]);
		ck_assert_ptr_nonnull(strstr(text[i], "\"heddle_run\":\"complete\"}\n]\n"));
		unlink(name[i]);
	}
	// But for what depends on the wall clock.
	for (int i = 0; i < 3; i++)
		for (char *s = text[i]; (s = strstr(s, "{\"name\":\"gpgpu_simulation_time")); )
			memset(s, '#', strcspn(s, "]"));
	for (int i = 0; i < 3; i++)
		for (char *s = text[i]; (s = strstr(s, "{\"name\":\"gpu_total_sim_rate")); )
			memset(s, '#', strcspn(s, "}"));
	for (int i = 1; i < 3; i++) {
		char *a = text[0], *b = text[i];
		for (; *a || *b; a += *a != 0, b += *b != 0) {
			while (*a == '#')
				a++;
			while (*b == '#')
				b++;
			ck_assert_msg(*a == *b, "%s: %.60s", end[i], b);
		}
	}
	for (int i = 0; i < 3; i++)
		free(text[i]);
	rmdir(folder);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("short_stats");
	TCase *t = tcase_create("short_stats");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, it_is_some_of_the_lines_in_their_order, 0, WAYS);
	tcase_add_loop_test(t, the_last_kernel_stands_in_full_at_the_end, 0, WAYS);
	tcase_add_loop_test(t, kernels_that_are_named_stand_in_full, 0, WAYS);
	tcase_add_loop_test(t, sums_that_are_kept_are_those_of_all_sms, 0, WAYS);
	tcase_add_test(t, other_values_are_refused);
	tcase_add_test(t, json_is_whole_for_every_kernel_also_where_it_is_packed);
	suite_add_tcase(s, t);
	return check_main(s);
}
