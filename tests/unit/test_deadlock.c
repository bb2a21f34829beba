// A run that can never end is found out soon, whatever else goes on beside what is stuck; one that goes on slowly is left alone.
#include "tests/unit/kernel_text.h"
#include "tests/unit/timing_harness.h"

static const char ptx[] = KERNEL_HEAD
	// Block 0 waits at two barriers of which none can open; block 1 polls p1 until it is not 0.
	KERNEL_ENTRY("stuck")
	"setp.ne.u32 %p1, %r2, 0; @%p1 bra S; setp.ge.u32 %p2, %r1, 32; @%p2 bra B; bar.sync 1, 64; bra C;\nB: bar.sync 2, 64;\nC: ret;\n"
	"S: ld.volatile.global.u32 %r20, [%rd2]; setp.eq.u32 %p3, %r20, 0; @%p3 bra S; ret; }\n"
	// The same, but the lanes of block 0 wait for lanes of their own warp, and it writes p1 at last.
	KERNEL_ENTRY("joined")
	"setp.ne.u32 %p1, %r2, 0; @%p1 bra S; and.b32 %r21, %r1, 1; setp.eq.u32 %p2, %r21, 1; mov.u32 %r22, 1; @%p2 bra J; bar.sync 0; mov.u32 %r22, 2;\n"
	"J: setp.eq.u32 %p3, %r22, 1; @%p3 bar.sync 0; st.volatile.global.u32 [%rd2], %r22; ret;\n"
	"S: ld.volatile.global.u32 %r20, [%rd2]; setp.eq.u32 %p3, %r20, 0; @%p3 bra S; ret; }\n"
	// Block 0 loads from p0, block 1 polls p1.
	KERNEL_ENTRY("loads")
	"setp.ne.u32 %p1, %r2, 0; @%p1 bra S; ld.global.u32 %r20, [%rd1]; st.global.u32 [%rd1+4], %r20; ret;\n"
	"S: ld.volatile.global.u32 %r20, [%rd2]; setp.eq.u32 %p3, %r20, 0; @%p3 bra S; ret; }\n"
	// Every lane loads lines of its own.
	KERNEL_ENTRY("scattered")
	"mul.wide.u32 %rd20, %r4, 4096; add.s64 %rd21, %rd1, %rd20; ld.global.u32 %r20, [%rd21]; ld.global.u32 %r21, [%rd21+128]; add.u32 %r20, %r20, %r21;\n"
	"st.global.u32 [%rd21], %r20; ret; }\n"
	// All add to p0, sixteen times, each when the last one has come back.
	KERNEL_ENTRY("crowd")
	"mov.u32 %r20, 1; mov.u32 %r21, 0;\nL: atom.global.add.u32 %r20, [%rd1], %r20; and.b32 %r20, %r20, 1; add.u32 %r21, %r21, 1;\n"
	"setp.lt.u32 %p1, %r21, 16; @%p1 bra L; ret; }\n";

static const char *const core[] = {"-core classic\n", "-core modern\n"};

static struct text said;
static void keep(void *ctx, enum gpu_report kind, const char *line)
{
	if (kind == GPU_REPORT_PEOPLE)
		text_add(&said, line);
}

static uint64_t lost_at; // cycle of the loss

struct outcome {
	enum fault_kind fault;
	uint64_t cycles;
};

enum { NOTHING = MEM_N_ACCESS_TYPES };

// So many blocks of 64 threads. The first answer of memory of type `steal` to the SM of block 0 vanishes.
static struct outcome run(const char *kernel, uint32_t blocks, const char *options, const char *more, unsigned steal)
{
	char all[400];
	struct gpu_watch watch = {.report = keep};
	snprintf(all, sizeof all, "%s%s-gpgpu_n_clusters 2\n", options, more);
	struct timed *t = timed_new(ptx, all);
	uint64_t p[4] = {timed_alloc(t, 1 << 20), timed_alloc(t, 4096)};
	*(uint32_t *)(uintptr_t)p[1] = 0;
	text_free(&said);
	text_add(&said, "");
	gpu_watch(t->gpu, &watch);
	t->may_fault = true;
	struct kernel_launch *l = timed_launch(t, kernel, blocks, 64, 0, p, 4, 0), *done = NULL;
	struct mem_req *stolen = NULL;
	while (!done && gpu_cycle(t->gpu) < 10000000) {
		done = gpu_run(t->gpu, steal != NOTHING && !stolen ? 1 : 100000);
		struct mem_req *r = steal != NOTHING && !stolen ? memory_front(t->t->memory, 0) : NULL;
		if (r && r->type == steal && r->addr != p[1]) {
			lost_at = gpu_cycle(t->gpu);
			stolen = r;
			memory_pop(t->t->memory, 0);
		}
	}
	ck_assert_msg(done != NULL, "does not end");
	struct outcome o = {l->fault.kind, gpu_cycle(t->gpu)};
	gpu_free(t->gpu);
	bench_free(t->b);
	options_free(&t->opt);
	free(t->text);
	mem_free(t);
	return o;
}

START_TEST(a_block_stuck_at_a_barrier_is_found_while_another_polls)
{
	struct outcome o = run("stuck", 2, core[_i], "", NOTHING), tick = run("stuck", 2, core[_i], "-tick_every_cycle 1\n", NOTHING);
	ck_assert_int_eq(o.fault, FAULT_TIMEOUT);
	ck_assert_uint_lt(o.cycles, 10000);
	ck_assert_uint_eq(o.cycles, tick.cycles);
	ck_assert_msg(strstr(said.at, "the warps of a block all wait for each other at cycle") != NULL, "%s", said.at);
	ck_assert_msg(strstr(said.at, "waits at barrier 1 (32 of 64 threads have come, missing: warp 1)") != NULL, "%s", said.at);
}
END_TEST

START_TEST(lanes_that_wait_for_their_own_warp_are_let_go_while_another_block_polls)
{
	struct outcome o = run("joined", 2, core[_i], "", NOTHING), tick = run("joined", 2, core[_i], "-tick_every_cycle 1\n", NOTHING);
	ck_assert_int_eq(o.fault, FAULT_NONE);
	ck_assert_uint_lt(o.cycles, 10000);
	ck_assert_uint_eq(o.cycles, tick.cycles);
}
END_TEST

START_TEST(a_lost_answer_is_found_while_another_block_polls)
{
	struct outcome o = run("loads", 2, core[_i], "", GLOBAL_ACC_R);
	ck_assert_int_eq(o.fault, FAULT_TIMEOUT);
	ck_assert_uint_lt(o.cycles, 2500000);
	ck_assert_msg(strstr(said.at, "a request of memory was not answered for 10") != NULL, "%s", said.at);
	ck_assert_msg(strstr(said.at, "request 9, GLOBAL_ACC_R") != NULL, "%s", said.at);
}
END_TEST

// Whatever was lost: nothing is awake but what waits for it.
START_TEST(a_lost_answer_is_found_soon_if_nothing_else_runs)
{
	static const uint8_t type[] = {GLOBAL_ACC_R, GLOBAL_ACC_W, INST_ACC_R};
	struct outcome o = run("loads", 1, core[_i % 2], "-gpgpu_perfect_inst_const_cache 0\n", type[_i / 2]);
	ck_assert_int_eq(o.fault, FAULT_TIMEOUT);
	ck_assert_msg(strstr(said.at, "no warp can ever move again") != NULL, "%s", said.at);
	ck_assert_uint_lt(o.cycles, lost_at + 200000);
}
END_TEST

// Requests are looked at when the kernel is in the midst of it; whoever is the last before that address waits longer than a lost one may.
START_TEST(a_crowd_before_one_address_is_no_deadlock)
{
	enum { BLOCKS = 32, THREADS = 256, LOOK_AT = 1 << 18, BEFORE = 3000, PATIENCE = 200 };
	char options[300];
	snprintf(options, sizeof options, "%s-gpgpu_n_clusters 16\n-gpgpu_kernel_launch_latency %d\n", core[_i], LOOK_AT - BEFORE);
	struct timed *t = timed_new(ptx, options);
	t->t->patience = PATIENCE;
	t->may_fault = true;
	uint64_t p[4] = {timed_alloc(t, 4096)};
	timed_run(t, "crowd", BLOCKS, THREADS, 0, p, 4);
	ck_assert_int_eq(t->launch[0].fault.kind, FAULT_NONE);
	ck_assert_uint_gt(gpu_cycle(t->gpu), LOOK_AT);
	timed_free(t);
}
END_TEST

START_TEST(without_detection_polling_goes_on)
{
	char more[80];
	snprintf(more, sizeof more, "-gpgpu_deadlock_detect 0\n-gpgpu_max_cycle 2000000\n");
	struct outcome o = run("stuck", 2, core[_i], more, NOTHING);
	ck_assert_int_eq(o.fault, FAULT_NONE);
	ck_assert_uint_eq(o.cycles, 2000000);
}
END_TEST

// A DRAM clock ten thousand times slower than the core's, latencies of a million cycles.
START_TEST(slow_memory_is_no_deadlock)
{
	static const char *const slow[] = {"-gpgpu_clock_domains 1000:1000:1000:0.1\n", "-gpgpu_l2_rop_latency 1000000\n", "-dram_latency 1000000\n"};
	struct outcome o = run("scattered", 2, core[_i % 2], slow[_i / 2], NOTHING);
	ck_assert_int_eq(o.fault, FAULT_NONE);
	ck_assert_uint_gt(o.cycles, 1000000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("deadlocks");
	TCase *t = tcase_create("deadlocks");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, a_block_stuck_at_a_barrier_is_found_while_another_polls, 0, 2);
	tcase_add_loop_test(t, lanes_that_wait_for_their_own_warp_are_let_go_while_another_block_polls, 0, 2);
	tcase_add_loop_test(t, a_lost_answer_is_found_while_another_block_polls, 0, 2);
	tcase_add_loop_test(t, a_lost_answer_is_found_soon_if_nothing_else_runs, 0, 6);
	tcase_add_loop_test(t, a_crowd_before_one_address_is_no_deadlock, 0, 2);
	tcase_add_loop_test(t, without_detection_polling_goes_on, 0, 2);
	tcase_add_loop_test(t, slow_memory_is_no_deadlock, 0, 6);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
