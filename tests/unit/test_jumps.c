// Jumps over cycles in which nothing moves (and steps of every cycle) give the same cycles and statistics, whatever the
// clocks of interconnect, L2 and DRAM are to that of the core. Nor do cycles that SMs sleep through while the network has no
// room for them.
#include "tests/unit/kernel_text.h"
#include "tests/unit/timing_harness.h"

enum { LOADS = 24, STRIDE = 4352 }; // bytes; every load goes to another line and mostly to another row

static const char *const clocks[] = {"1000:1000:1000:1000", "1132:1132:1132:850",  "700:1400:700:924",
                                     "837:1674:837:1502",   "1417:2962:1481:2500", "500:2000:2000:2000",
                                     "1000:333:777:100"};

// A chain of loads that all miss, so that most of the time nothing moves, then stores.
static struct timed *run(const char *clock, const char *more, unsigned tick)
{
	char options[400];
	snprintf(options, sizeof options, "-gpgpu_clock_domains %s\n-tick_every_cycle %u\n-gpgpu_n_clusters 3\n%s", clock,
	         tick, more);
	struct text s = {0};
	text_add(&s, KERNEL_HEAD KERNEL_ENTRY("k") "mul.wide.u32 %rd10, %r2, 131072; add.s64 %rd10, %rd1, %rd10;\n"
	             "mul.wide.u32 %rd11, %r1, 4; add.s64 %rd10, %rd10, %rd11;\n");
	for (unsigned i = 0; i < LOADS; i++) {
		char line[200];
		snprintf(line, sizeof line,
		         "ld.global.u32 %%r10, [%%rd10+%u]; mul.wide.u32 %%rd12, %%r10, 4; add.s64 %%rd10, %%rd10, %%rd12;\n",
		         i * STRIDE);
		text_add(&s, line);
	}
	text_add(&s, "st.global.u32 [%rd10], %r10; ret; }\n");
	struct timed *t = timed_new(s.at, options);
	text_free(&s);
	uint64_t out = timed_alloc(t, 1 << 20);
	timed_run(t, "k", 5, 64, 0, &out, 1);
	timed_run(t, "k", 2, 64, 0, &out, 1);
	return t;
}

static const char *const networks[] = {"", "-gpgpu_simple_dram_model 1\n", "-gpgpu_kernel_launch_latency 333\n"};
enum { N_CLOCKS = sizeof clocks / sizeof *clocks, N_MORE = sizeof networks / sizeof *networks };

START_TEST(jumping_over_idle_cycles_gives_the_cycles_of_stepping_each)
{
	struct timed *t[2];
	for (unsigned tick = 0; tick < 2; tick++)
		t[tick] = run(clocks[_i % N_CLOCKS], networks[_i / N_CLOCKS], tick);
	ck_assert_uint_eq(t[0]->t->cycle, t[1]->t->cycle);
	ck_assert_msg(!strcmp(t[0]->text, t[1]->text), "statistics differ");
	timed_free(t[0]);
	timed_free(t[1]);
}
END_TEST

// Warps of many blocks whose atomics all go to one word: SMs wait for room most of the time, those of a cluster for the same.
static struct timed *crowd(const char *clock, const char *more, unsigned tick)
{
	char options[600];
	snprintf(options, sizeof options, "-gpgpu_clock_domains %s\n-tick_every_cycle %u\n-gpgpu_n_clusters 3\n-icnt_in_buffer_limit 3\n"
	         "-icnt_out_buffer_limit 2\n%s", clock, tick, more);
	struct text s = {0};
	text_add(&s, KERNEL_HEAD KERNEL_ENTRY("k"));
	for (unsigned i = 0; i < 6; i++)
		text_add(&s, i % 3 ? "atom.global.add.u32 %r10, [%rd1], 1;\n" : "st.global.cg.u32 [%rd1+64], %r10; ld.global.cg.u32 %r11, [%rd1+128];\n");
	text_add(&s, "ret; }\n");
	struct timed *t = timed_new(s.at, options);
	text_free(&s);
	return t;
}

static const char *const crowded[] = {"", "-gpgpu_n_cores_per_cluster 3\n", "-gpgpu_n_cores_per_cluster 2\n-icnt_subnets 1\n-gpgpu_simt_core_sim_order 1\n",
                                      "-core modern\n", "-core modern\n-gpgpu_n_cores_per_cluster 3\n",
                                      "-gpgpu_n_cores_per_cluster 3\n-gpgpu_num_sched_per_core 4\n-gpgpu_scheduler gto\n-gpgpu_reg_file_port_throughput 2\n"};
enum { N_CROWDED = sizeof crowded / sizeof *crowded };

START_TEST(sms_sleep_while_the_network_has_no_room)
{
	struct timed *t[2];
	uint64_t out[2], asleep = 0, cycles = 0;
	for (unsigned tick = 0; tick < 2; tick++) {
		t[tick] = crowd(clocks[_i % N_CLOCKS], crowded[_i / N_CLOCKS], tick);
		out[tick] = timed_alloc(t[tick], 4096);
	}
	timed_run(t[1], "k", 30, 128, 0, &out[1], 1);
	timed_launch(t[0], "k", 30, 128, 0, &out[0], 1, 0);
	const struct timing *g = t[0]->t;
	while (gpu_busy(t[0]->gpu)) {
		timed_step(t[0], 1);
		for (unsigned i = 0; i < g->core.n_sm; i++, cycles++)
			asleep += g->sm[i].at_network && g->wake_at[i] > g->cycle;
	}
	// Where memory is faster than the core there mostly is room.
	ck_assert_uint_gt(asleep, _i % N_CLOCKS ? 0 : cycles / 4);
	ck_assert_uint_eq(t[0]->t->cycle, t[1]->t->cycle);
	for (unsigned tick = 0; tick < 2; tick++)
		timed_all_counters(t[tick]);
	const char *d = timed_difference(t[0]->text, t[1]->text);
	ck_assert_msg(!d, "ticked every cycle: %s", d);
	timed_free(t[0]);
	timed_free(t[1]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("jumps");
	TCase *t = tcase_create("jumps");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, jumping_over_idle_cycles_gives_the_cycles_of_stepping_each, 0, N_CLOCKS * N_MORE);
	tcase_add_loop_test(t, sms_sleep_while_the_network_has_no_room, 0, N_CLOCKS * N_CROWDED);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
