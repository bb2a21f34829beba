// Kernels and CTAs on the GPU: what limits residency, launch latencies, kernels of several streams beside each other,
// the limits of a run, refusals.
#include "tests/unit/kernel_text.h"
#include "tests/unit/timing_harness.h"

enum { WORK = 200, ADD = 10 }; // dependent adds and the cycles of one, see test_core.c

// k(out): each CTA notes its SM, and the clock when it starts and ends; between the two it works.
static struct timed *make(const char *options, const char *extra)
{
	struct text s = {0};
	text_add(&s, KERNEL_HEAD ".extern .shared .align 16 .b8 dyn[];\n" KERNEL_ENTRY("k")
	             "mov.u32 %r20, %clock; mov.u32 %r22, %smid;\n");
	text_add(&s, extra);
	text_repeat(&s, WORK, "add.u32 %r10, %r10, %r11;\n");
	text_add(&s, "mul.lo.u32 %r10, %r10, 0; mov.u32 %r21, %clock; add.u32 %r21, %r21, %r10; "
	             "setp.ne.u32 %p1, %r1, 0; @%p1 exit;\n"
	             "mul.wide.u32 %rd10, %r2, 16; add.s64 %rd10, %rd1, %rd10; "
	             "st.global.v4.u32 [%rd10], {%r20, %r21, %r22, %r10}; ret; }\n");
	struct timed *t = timed_new(s.at, options);
	text_free(&s);
	return t;
}

struct note {
	uint32_t start, end, sm, zero;
};

// Most CTAs that were on SM `sm` at the same time.
static unsigned resident(const struct note *n, unsigned ctas, unsigned sm)
{
	unsigned most = 0;
	for (unsigned i = 0; i < ctas; i++) {
		unsigned here = 0;
		for (unsigned k = 0; k < ctas; k++)
			here += n[k].sm == sm && n[i].sm == sm && n[k].start <= n[i].start && n[k].end > n[i].start;
		most = here > most ? here : most;
	}
	return most;
}

static const struct note *notes(uint64_t at) { return (const struct note *)(uintptr_t)at; }

START_TEST(as_many_ctas_are_resident_as_the_scarcest_resource_allows)
{
	static const struct {
		const char *options, *extra;
		uint32_t block, shared;
		unsigned want;
	} row[] = {
		{"", "", 256, 0, 8},                                   // 2048 threads
		{"", "", 200, 0, 9},                                   // in whole warps: 224
		{"", "", 32, 0, 32},                                   // CTAs of -gpgpu_shader_cta
		{"-gpgpu_shader_cta 5\n", "", 32, 0, 5},
		{"", "", 64, 16384, 6},                                // 98304 bytes
		{"", "", 64, 16400, 5},
		{"-gpgpu_shmem_sizeDefault 65536\n", "", 64, 16384, 4}, // what a kernel without preference gets
		{"-gpgpu_shmem_size 65536\n", "", 64, 16384, 6},        // nothing, where -gpgpu_shmem_sizeDefault is given
		{"-gpgpu_shader_core_pipeline 512:32\n", "", 128, 0, 4},
		{"-gpgpu_shader_registers 16384\n", "", 256, 0, 2},    // 21 to 24 registers a thread are 24
		{"-gpgpu_shader_registers 8192\n-gpgpu_shader_cta 8\n", "", 96, 0, 3},
	};
	for (unsigned c = 0; c < 2; c++) {
		char opt[300];
		snprintf(opt, sizeof opt, "%s-gpgpu_concurrent_kernel_sm %u\n", row[_i].options, c);
		struct timed *t = make(opt, row[_i].extra);
		uint64_t out = timed_alloc(t, 1 << 16);
		timed_run(t, "k", 100, row[_i].block, row[_i].shared, &out, 1);
		unsigned want = row[_i].want;
		if (strstr(row[_i].options, "registers")) {
			uint32_t regs = (t->launch[0].info->regs + 3) & ~3u, threads = (row[_i].block + 31) / 32 * 32;
			want = t->t->core.registers / (regs * threads);
			ck_assert_uint_lt(want, 8);
			ck_assert_uint_gt(want, 0);
		}
		ck_assert_uint_eq(resident(notes(out), 100, 0), want);
		timed_free(t);
	}
}
END_TEST

START_TEST(ctas_are_dealt_to_the_sms_in_turn)
{
	struct timed *t = make("-gpgpu_n_clusters 3\n-gpgpu_n_cores_per_cluster 2\n", "");
	uint64_t out = timed_alloc(t, 1 << 16);
	timed_run(t, "k", 60, 64, 0, &out, 1);
	unsigned on[6] = {0};
	for (unsigned i = 0; i < 60; i++)
		on[notes(out)[i].sm]++;
	for (unsigned i = 0; i < 6; i++)
		ck_assert_uint_eq(on[i], 10);
	// A cluster a CTA and cycle, one SM of each, then the other.
	static const unsigned order[] = {0, 2, 4, 1, 3, 5, 0, 2};
	for (unsigned i = 0; i < 8; i++)
		ck_assert_uint_eq(notes(out)[i].sm, order[i]);
	timed_free(t);
}
END_TEST

START_TEST(every_cta_runs_once_whatever_the_shape_of_the_grid)
{
	struct timed *t = timed_new(KERNEL_HEAD KERNEL_ENTRY("k")
		"mov.u32 %r20, %ctaid.y; mov.u32 %r21, %ctaid.z; mov.u32 %r22, %nctaid.x; mov.u32 %r23, %nctaid.y; "
		"mad.lo.u32 %r24, %r21, %r23, %r20; mad.lo.u32 %r24, %r24, %r22, %r2;\n"
		"mov.u32 %r25, %tid.y; mov.u32 %r26, %tid.z; mov.u32 %r27, %ntid.y; mad.lo.u32 %r28, %r26, %r27, %r25; "
		"mad.lo.u32 %r28, %r28, %r3, %r1;\n"
		"mul.wide.u32 %rd10, %r24, 4; add.s64 %rd10, %rd1, %rd10; red.global.add.u32 [%rd10], %r28; ret; }",
		"-gpgpu_n_clusters 2\n");
	uint64_t out = timed_alloc(t, 4096);
	timed_launch3(t, "k", (uint32_t[3]){5, 3, 7}, (uint32_t[3]){9, 5, 3}, 0, &out, 8, 0);
	timed_wait(t);
	for (unsigned i = 0; i < 105; i++)
		ck_assert_uint_eq(((uint32_t *)(uintptr_t)out)[i], 134 * 135 / 2);
	ck_assert_uint_eq(t->t->stats.ctas_done, 105);
	timed_free(t);
}
END_TEST

static uint64_t plain(const char *options, uint32_t grid)
{
	struct timed *t = make(options, "");
	uint64_t out = timed_alloc(t, 1 << 16), c = timed_run(t, "k", grid, 64, 0, &out, 1);
	timed_free(t);
	return c;
}

START_TEST(the_kernel_launch_latency_comes_before_the_first_cta)
{
	uint64_t c = plain("", 4);
	ck_assert_uint_eq(plain("-gpgpu_kernel_launch_latency 777\n", 4), c + 777);
	ck_assert_uint_eq(plain("-gpgpu_TB_launch_latency 50\n", 4), c + 4 * 50);
	ck_assert_uint_eq(plain("-gpgpu_kernel_launch_latency 777\n-gpgpu_TB_launch_latency 50\n-tick_every_cycle 1\n", 4),
	                  c + 777 + 4 * 50);
}
END_TEST

START_TEST(a_latency_longer_than_a_million_cycles_is_no_deadlock)
{
	uint64_t c = plain("", 1);
	ck_assert_uint_eq(plain("-gpgpu_kernel_launch_latency 1500000\n", 1), c + 1500000);
	ck_assert_uint_eq(plain("-gpgpu_kernel_launch_latency 1500000\n-tick_every_cycle 1\n", 1), c + 1500000);
}
END_TEST

// --- kernels of several streams

START_TEST(kernels_of_two_streams_run_on_different_sms_at_once)
{
	struct timed *t = make("-gpgpu_n_clusters 2\n", "");
	uint64_t a = timed_alloc(t, 4096), b = timed_alloc(t, 4096);
	uint64_t one = timed_run(t, "k", 1, 64, 0, &a, 1);
	timed_launch(t, "k", 1, 64, 0, &a, 1, 1);
	timed_launch(t, "k", 1, 64, 0, &b, 1, 2);
	uint64_t both = timed_wait(t);
	ck_assert_uint_lt(both, one + 50);
	ck_assert_uint_ne(notes(a)->sm, notes(b)->sm);
	timed_free(t);
}
END_TEST

START_TEST(an_sm_takes_ctas_of_one_kernel_unless_configured_otherwise)
{
	struct timed *t = make("", "");
	uint64_t a = timed_alloc(t, 4096), b = timed_alloc(t, 4096);
	timed_launch(t, "k", 2, 64, 0, &a, 1, 1);
	timed_launch(t, "k", 2, 64, 0, &b, 1, 2);
	timed_wait(t);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < 2; k++)
			ck_assert_uint_gt(notes(b)[i].start, notes(a)[k].end);
	timed_free(t);

	t = make("-gpgpu_concurrent_kernel_sm 1\n", "");
	a = timed_alloc(t, 4096), b = timed_alloc(t, 4096);
	timed_launch(t, "k", 2, 64, 0, &a, 1, 1);
	timed_launch(t, "k", 2, 64, 0, &b, 1, 2);
	timed_wait(t);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < 2; k++)
			ck_assert_uint_lt(notes(b)[i].start, notes(a)[k].end);
	timed_free(t);
}
END_TEST

START_TEST(ctas_of_several_kernels_on_one_sm_keep_to_its_resources)
{
	// 98304 bytes of shared memory: three CTAs of 32 kB, of whatever kernel.
	struct timed *t = make("-gpgpu_concurrent_kernel_sm 1\n", "");
	uint64_t out = timed_alloc(t, 1 << 16), p[3] = {out, out + 160, out + 320};
	for (unsigned k = 0; k < 3; k++)
		timed_launch(t, "k", 10, 64, 32768, &p[k], 1, k);
	timed_wait(t);
	ck_assert_uint_eq(resident(notes(out), 30, 0), 3);
	timed_free(t);
}
END_TEST

#ifndef HEDDLE_HOSTILE // there one kernel runs at a time
START_TEST(no_more_kernels_are_resident_than_configured)
{
	struct timed *t = make("-gpgpu_max_concurrent_kernel 3\n-gpgpu_n_clusters 4\n", "");
	uint64_t out = timed_alloc(t, 4096);
	ck_assert_uint_eq(gpu_room(t->gpu), 3);
	for (unsigned k = 0; k < 3; k++)
		timed_launch(t, "k", 1, 64, 0, &out, 1, k);
	ck_assert_uint_eq(gpu_room(t->gpu), 0);
	timed_wait(t);
	ck_assert_uint_eq(gpu_room(t->gpu), 3);
	timed_free(t);
}
END_TEST
#endif

// The figure of the last line that begins so.
static unsigned long last_figure(const struct timed *t, const char *line)
{
	const char *at = NULL;
	for (const char *s = t->text; (s = strstr(s, line)) != NULL; s += strlen(line))
		at = s;
	ck_assert_msg(at != NULL, "no %s", line);
	return strtoul(at + strlen(line), NULL, 10);
}

// One store a kernel, in more streams than caches count apart.
START_TEST(streams_keep_their_counts_however_many_there_are)
{
	enum { STREAMS = 2 * TIMING_STREAMS + 3 };
	struct timed *t = make("", "");
	uint64_t out = timed_alloc(t, sizeof(struct note));
	for (unsigned round = 1; round <= 3; round++)
		for (unsigned s = 0; s < STREAMS; s++) {
			timed_launch(t, "k", 1, 32, 0, &out, 1, 1000 + s);
			timed_wait(t);
			ck_assert_uint_eq(last_figure(t, "Total_core_cache_stats_breakdown[GLOBAL_ACC_W][TOTAL_ACCESS] = "), round);
			ck_assert_uint_eq(last_figure(t, "L2_cache_stats_breakdown[GLOBAL_ACC_W][TOTAL_ACCESS] = "), round);
			ck_assert_uint_eq(last_figure(t, "L1D_total_cache_accesses = "), (round - 1) * STREAMS + s + 1);
			ck_assert_uint_le(t->t->n_streams, TIMING_STREAMS);
		}
	timed_free(t);
}
END_TEST

// Streams with kernels keep their numbers.
START_TEST(as_many_streams_are_counted_apart_as_have_kernels)
{
	enum { STREAMS = TIMING_STREAMS + 4 };
	struct timed *t = make("-gpgpu_max_concurrent_kernel 32\n-gpgpu_concurrent_kernel_sm 1\n", "");
	uint64_t out = timed_alloc(t, sizeof(struct note));
	for (unsigned s = 0; s < STREAMS; s++)
		timed_launch(t, "k", 1, 32, 0, &out, 1, s);
	ck_assert_uint_eq(t->t->n_streams, STREAMS);
	for (unsigned s = 0; s < STREAMS; s++)
		ck_assert_uint_eq(timing_stream(t->t, s), s);
	timed_wait(t);
	timed_launch(t, "k", 1, 32, 0, &out, 1, STREAMS);
	ck_assert_uint_eq(t->t->n_streams, STREAMS);
	ck_assert_uint_eq(timing_stream(t->t, STREAMS), 0);
	ck_assert_uint_eq(timing_stream(t->t, 0), STREAMS);
	ck_assert_ptr_nonnull(timing_stream_past(t->t, 0));
	ck_assert_ptr_null(timing_stream_past(t->t, 1));
	timed_wait(t);
	timed_free(t);
}
END_TEST

START_TEST(a_kernel_that_no_sm_can_hold_is_refused_with_the_reason)
{
	static const struct {
		uint32_t block, shared;
		const char *word;
	} row[] = {{64, 98305, "shared memory"}, {1024, 0, "threads"}};
	for (unsigned i = 0; i < 2; i++) {
		struct timed *t = make(i ? "-gpgpu_shader_core_pipeline 512:32\n" : "", "");
		uint64_t out = timed_alloc(t, 4096);
		t->may_fault = true;
		timed_run(t, "k", 1, row[i].block, row[i].shared, &out, 1);
		ck_assert_int_eq(t->launch[0].fault.kind, FAULT_LAUNCH);
		ck_assert_msg(strstr(t->launch[0].fault.text, row[i].word), "%s", t->launch[0].fault.text);
		ck_assert_uint_eq(t->launch[0].counts.warp_insts, 0);
		timed_free(t);
	}
}
END_TEST

#define MODERN "-core modern\n-gpgpu_perfect_inst_const_cache 0\n"
static const char *const cores[] = {"", MODERN,
                                    MODERN "-is_remodeling_scoreboarding_enabled 1\n-gpgpu_concurrent_kernel_sm 1\n",
                                    MODERN "-gpgpu_concurrent_kernel_sm 1\n-check_control_bits 1\n"};
enum { CORES = sizeof cores / sizeof *cores };

START_TEST(a_fault_ends_its_kernel_alone)
{
	char options[300];
	snprintf(options, sizeof options, "-gpgpu_n_clusters 2\n%s", cores[_i]);
	struct timed *t = make(options, "setp.eq.u64 %p2, %rd2, 1; @%p2 st.global.u32 [%rd3], %r1; "
	                                "ld.global.u32 %r50, [%rd1+8];\n");
	uint64_t out = timed_alloc(t, 1 << 16), bad[4] = {out + 8192, 1, 64}, good[4] = {out};
	t->may_fault = true;
	struct kernel_launch *b = timed_launch(t, "k", 60, 256, 0, bad, 4, 1),
						 *g = timed_launch(t, "k", 60, 256, 0, good, 4, 2);
	timed_wait(t);
	ck_assert_int_eq(b->fault.kind, FAULT_ILLEGAL_ADDRESS);
	ck_assert_int_eq(g->fault.kind, FAULT_NONE);
	ck_assert_uint_eq(g->counts.ctas, 60);
	ck_assert_uint_lt(b->counts.ctas, 60);
	for (unsigned i = 0; i < 60; i++)
		ck_assert_uint_gt(notes(out)[i].end, 0);
	// The GPU goes on working.
	timed_launch(t, "k", 60, 256, 0, good, 4, 1);
	timed_wait(t);
	ck_assert_int_eq(t->launch[2].fault.kind, FAULT_NONE);
	timed_free(t);
}
END_TEST

static void count_limits(void *ctx, const char *text) { *(unsigned *)ctx += strstr(text, "limited by") != NULL; }

// The description of a launch may stand where that of an earlier one stood: what is printed must not depend on that.
START_TEST(the_occupancy_of_a_kernel_is_said_when_another_one_begins)
{
	struct timed *t = make("", "");
	uint64_t out = timed_alloc(t, 4096);
	unsigned said = 0;
	gpu_set_output(t->gpu, count_limits, &said);
	timed_run(t, "k", 1, 64, 0, &out, 1);
	ck_assert_uint_eq(said, 1);
	struct kernel_info other[2] = {*t->launch[0].info, *t->launch[0].info};
	static const struct {
		const char *name;
		unsigned at, said;
	} next[] = {{"k", 0, 1}, {"k", 1, 1}, {"other", 1, 2}, {"k", 1, 3}};
	for (unsigned i = 0; i < sizeof next / sizeof *next; i++) {
		struct kernel_launch l = t->launch[0];
		other[next[i].at].name = next[i].name;
		l.info = &other[next[i].at];
		l.uid = i + 2;
		gpu_start(t->gpu, &l);
		while (gpu_busy(t->gpu))
			gpu_run(t->gpu, 5000);
		ck_assert_uint_eq(said, next[i].said);
	}
	timed_free(t);
}
END_TEST

// --- limits of a run

START_TEST(a_limit_ends_the_run_when_it_is_reached)
{
	static const char *const option[] = {"-gpgpu_max_cycle 5000\n", "-gpgpu_max_insn 100000\n", "-gpgpu_max_cta 40\n",
	                                     "-gpgpu_max_completed_cta 20\n"};
	char ticked[100];
	char *text[2];
	for (unsigned tick = 0; tick < 2; tick++) {
		snprintf(ticked, sizeof ticked,
		         "%s-tick_every_cycle %u\n-gpgpu_n_clusters 2\n-gpgpu_kernel_launch_latency 700\n", option[_i], tick);
		struct timed *t = make(ticked, "");
		uint64_t out = timed_alloc(t, 1 << 16);
		timed_launch(t, "k", 1, 64, 0, &out, 1, 1);
		timed_launch(t, "k", 1000, 256, 0, &out, 1, 2);
		uint64_t c = timed_wait(t);
		const struct timing_stats *s = &t->t->stats;
		uint64_t done = t->t->sm[0].stats.thread_insts + t->t->sm[1].stats.thread_insts;
		ck_assert_uint_eq(strncmp(gpu_limit_reached(t->gpu), option[_i], strlen(gpu_limit_reached(t->gpu))), 0);
		ck_assert_uint_eq(t->launch[0].counts.ctas, 1);
		ck_assert_uint_lt(t->launch[1].counts.ctas, 1000);
		ck_assert_int_eq(t->launch[1].fault.kind, FAULT_NONE);
		switch (_i) {
		case 0: ck_assert_uint_eq(c, 5000); break;
		case 1:
			ck_assert_uint_ge(done, 100000);
			ck_assert_uint_lt(done, 100000 + 2 * 32 * 8);
			break;
		case 2:
			ck_assert_uint_ge(s->tot_ctas + s->ctas_issued, 40);
			ck_assert_uint_le(s->tot_ctas + s->ctas_issued, 41);
			break;
		case 3: ck_assert_uint_ge(s->ctas_done, 20); ck_assert_uint_le(s->ctas_done, 24); break;
		}
		// Time stands still; what is launched yet comes back at once.
		timed_launch(t, "k", 1, 64, 0, &out, 1, 1);
		ck_assert_uint_eq(timed_wait(t), 0);
		timed_all_counters(t);
		text[tick] = t->text;
		t->text = NULL;
		timed_free(t);
	}
	const char *why = timed_difference(text[0], text[1]);
	ck_assert_msg(!why, "%s", why);
	free(text[0]);
	free(text[1]);
}
END_TEST

START_TEST(a_limit_that_is_not_reached_changes_nothing)
{
	uint64_t c = plain("", 8);
	ck_assert_uint_eq(plain("-gpgpu_max_cycle 1000000\n-gpgpu_max_insn 100000000\n-gpgpu_max_cta 1000\n"
	                        "-gpgpu_max_completed_cta 1000\n", 8), c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("launch");
	TCase *t = tcase_create("launch");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, as_many_ctas_are_resident_as_the_scarcest_resource_allows, 0, 11);
	tcase_add_test(t, ctas_are_dealt_to_the_sms_in_turn);
	tcase_add_test(t, every_cta_runs_once_whatever_the_shape_of_the_grid);
	tcase_add_test(t, the_kernel_launch_latency_comes_before_the_first_cta);
	tcase_add_test(t, a_latency_longer_than_a_million_cycles_is_no_deadlock);
	tcase_add_test(t, kernels_of_two_streams_run_on_different_sms_at_once);
	tcase_add_test(t, an_sm_takes_ctas_of_one_kernel_unless_configured_otherwise);
	tcase_add_test(t, ctas_of_several_kernels_on_one_sm_keep_to_its_resources);
#ifndef HEDDLE_HOSTILE
	tcase_add_test(t, no_more_kernels_are_resident_than_configured);
#endif
	tcase_add_test(t, streams_keep_their_counts_however_many_there_are);
	tcase_add_test(t, as_many_streams_are_counted_apart_as_have_kernels);
	tcase_add_test(t, a_kernel_that_no_sm_can_hold_is_refused_with_the_reason);
	tcase_add_test(t, the_occupancy_of_a_kernel_is_said_when_another_one_begins);
	tcase_add_loop_test(t, a_fault_ends_its_kernel_alone, 0, CORES);
	tcase_add_loop_test(t, a_limit_ends_the_run_when_it_is_reached, 0, 4);
	tcase_add_test(t, a_limit_that_is_not_reached_changes_nothing);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
