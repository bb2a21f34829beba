// Kernels that launch kernels: order of streams, events, completion; what the launches cost in cycles.
#include "tests/unit/timing_harness.h"

#include "isa/grids.h"

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"
#define RUNTIME                                                                                              \
	".extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], "      \
	".param .align 4 .b8 b[12], .param .b32 s);\n"                                                            \
	".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p, .param .b64 s);\n"                       \
	".extern .func (.param .b32 r) cudaStreamCreateWithFlags(.param .b64 p, .param .b32 f);\n"                \
	".extern .func (.param .b32 r) cudaDeviceSynchronize();\n"

// Adds `what` to the word at the kernel's parameter, which then stands in %rd1.
#define CHILD                                                                                                \
	".visible .entry child(.param .u64 p, .param .u32 what) {\n.reg .b64 %rd<3>; .reg .b32 %r<3>;\n"           \
	"ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [what]; red.global.add.u32 [%rd1], %r1; ret; }\n"

// A parameter buffer for a grid of one block of one warp, filled, and its launch into stream %rd9.
#define LAUNCH(what)                                                                                         \
	"{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 out;\n" \
	"mov.u64 %rd2, child; st.param.b64 [f], %rd2;\n"                                                          \
	"st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\n"                                    \
	"st.param.b32 [b], 32; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0;\n"              \
	"call (out), cudaGetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd3, [out]; }\n"                        \
	"mov.u32 %r2, " what "; st.u64 [%rd3], %rd1; st.u32 [%rd3+8], %r2;\n"                                     \
	"{ .param .b64 p; .param .b64 s; .param .b32 out; st.param.b64 [p], %rd3; st.param.b64 [s], %rd9;\n"      \
	"call (out), cudaLaunchDeviceV2, (p, s); ld.param.b32 %r3, [out]; }\n"
#define SYNC "{ .param .b32 out; call (out), cudaDeviceSynchronize; ld.param.b32 %r3, [out]; }\n"
#define STREAM                                                                                               \
	"{ .local .align 8 .b8 h[8]; .reg .b64 %q<3>; .param .b64 p; .param .b32 f; .param .b32 out;\n"            \
	"mov.u64 %q1, h; cvta.local.u64 %q1, %q1; st.param.b64 [p], %q1; st.param.b32 [f], 1;\n"                   \
	"call (out), cudaStreamCreateWithFlags, (p, f); ld.u64 %rd9, [%q1]; }\n"
#define PARENT(body)                                                                                         \
	".visible .entry parent(.param .u64 p) {\n.reg .b64 %rd<10>; .reg .b32 %r<6>; .reg .pred %p1;\n"            \
	"ld.param.u64 %rd1, [p]; mov.u64 %rd9, 0;\n" body "ret; }\n"

// Runs everything that was launched and that it launches; the cycles it took. Children are freed here.
static uint64_t finish(struct timed *t, unsigned *n)
{
	uint64_t start = gpu_cycle(t->gpu);
	*n = 0;
	while (gpu_busy(t->gpu)) {
		struct kernel_launch *l = gpu_run(t->gpu, 5000), *parent;
		ck_assert(gpu_cycle(t->gpu) - start < TIMED_MOST);
		if (!l)
			continue;
		ck_assert_msg(t->may_fault || l->fault.kind == FAULT_NONE, "%s", l->fault.text);
		++*n;
		for (; l && grids_over(l, &parent); l = parent)
			if (l < t->launch || l >= t->launch + TIMED_LAUNCHES)
				mem_free(l);
			else
				t->n_done++;
	}
	ck_assert_uint_eq(t->n_done, t->n_launch);
	return gpu_cycle(t->gpu) - start;
}

// Cycles of a parent; *sum what its children added, *n how many kernels ran.
static uint64_t run(const char *ptx, const char *options, uint32_t grid, uint32_t block, uint32_t *sum, unsigned *n)
{
	struct timed *t = timed_new(ptx, options);
	uint64_t p = timed_alloc(t, 256);
	timed_launch(t, "parent", grid, block, 0, &p, 1, 0);
	uint64_t cycles = finish(t, n);
	*sum = *(const uint32_t *)(uintptr_t)p;
	timed_free(t);
	return cycles;
}

START_TEST(each_step_of_a_launch_takes_what_cdp_latency_says)
{
	static const char with_stream[] = HEAD RUNTIME CHILD PARENT(STREAM LAUNCH("1")),
					  plain[] = HEAD RUNTIME CHILD PARENT(LAUNCH("1"));
	static const struct {
		const char *latency;
		const char *ptx;
		uint64_t cycles;
	} row[] = {
		{"1000,0,0,0,0", with_stream, 1000},
		{"0,2000,0,0,0", plain, 2000},
		{"0,0,100,0,0", plain, 3 * 100},
		{"0,0,0,3000,0", plain, 3000},
		{"0,0,0,0,700", plain, 3 * 700},
		{"7200,8000,100,12000,1600", plain, 8000 + 3 * 100 + 12000 + 3 * 1600},
	};
	const char *ptx = row[_i].ptx;
	char options[200];
	uint32_t sum;
	unsigned n;
	uint64_t none = run(ptx, "-gpgpu_cdp_enabled 1\n-cdp_latency 0,0,0,0,0\n", 1, 3, &sum, &n);
	ck_assert_uint_eq(none, run(ptx, "-gpgpu_cdp_enabled 0\n", 1, 3, &sum, &n));
	snprintf(options, sizeof options, "-gpgpu_cdp_enabled 1\n-cdp_latency %s\n", row[_i].latency);
	uint64_t cycles = run(ptx, options, 1, 3, &sum, &n);
	// The store of the argument, before a launch, goes on meanwhile: its acknowledgement is not waited for at the end.
	enum { STORE = 80 };
	ck_assert_uint_ge(cycles - none, row[_i].cycles - (_i < 3 ? 2 : STORE));
	ck_assert_uint_le(cycles - none, row[_i].cycles);
	ck_assert_uint_eq(sum, 3 * 32);
	ck_assert_uint_eq(n, 4);
}
END_TEST

START_TEST(a_launched_kernel_waits_for_the_kernel_launch_latency)
{
	static const char ptx[] = HEAD RUNTIME CHILD PARENT(LAUNCH("1"));
	uint32_t sum;
	unsigned n;
	uint64_t none = run(ptx, "", 1, 1, &sum, &n),
			 both = run(ptx, "-gpgpu_kernel_launch_latency 5000\n", 1, 1, &sum, &n);
	ck_assert_uint_ge(both - none, 2 * 5000 - 100); // the parent's end and the child's latency overlap a little
	ck_assert_uint_le(both - none, 2 * 5000);
}
END_TEST

START_TEST(ticking_every_cycle_gives_the_same_cycles)
{
	static const char ptx[] = HEAD RUNTIME CHILD PARENT(STREAM LAUNCH("1") "mov.u64 %rd9, 3;\n" LAUNCH("5") SYNC);
	uint32_t sum[2];
	unsigned n[2];
	uint64_t a = run(ptx, "-gpgpu_cdp_enabled 1\n-gpgpu_kernel_launch_latency 100\n", 7, 40, &sum[0], &n[0]);
	uint64_t b = run(ptx, "-gpgpu_cdp_enabled 1\n-gpgpu_kernel_launch_latency 100\n-tick_every_cycle 1\n", 7, 40,
	                 &sum[1], &n[1]);
	ck_assert_uint_eq(a, b);
	ck_assert_uint_eq(sum[0], sum[1]);
	ck_assert_uint_eq(sum[0], 7 * 40 * 32 * 6);
	ck_assert_uint_eq(n[0], 1 + 7 * 40 * 2);
}
END_TEST

// More blocks than the GPU holds, each in need of its child: blocks that wait make room.
START_TEST(blocks_that_wait_for_their_children_make_room_for_them)
{
	static const char *const more[] = {
		"-gpgpu_concurrent_kernel_sm 0\n", "-gpgpu_concurrent_kernel_sm 1\n", "-gpgpu_max_concurrent_kernel 1\n"};
	static const char ptx[] = HEAD RUNTIME CHILD PARENT(
		"mov.u32 %r4, %tid.x; setp.ne.u32 %p1, %r4, 0; @%p1 bra SKIP;\n" LAUNCH("1") SYNC
		"SKIP: bar.sync 0; @%p1 bra END; ld.volatile.global.u32 %r5, [%rd1];\n"
		"setp.lt.u32 %p1, %r5, 32; @%p1 trap; END:\n");
	uint32_t sum;
	unsigned n;
	run(ptx, more[_i], 50, 1024, &sum, &n);
	ck_assert_uint_eq(sum, 50 * 32);
	ck_assert_uint_eq(n, 51);
}
END_TEST

START_TEST(what_is_launched_into_the_tail_runs_last)
{
	// The tail's child multiplies what stands there by nothing else's help: it sees all that came before.
	static const char ptx[] = HEAD RUNTIME CHILD
	        ".visible .entry last(.param .u64 p) {\n.reg .b64 %rd<3>; .reg .b32 %r<3>;\n"
	        "ld.param.u64 %rd1, [p]; ld.volatile.global.u32 %r1, [%rd1]; mul.lo.u32 %r1, %r1, 1000; "
	        "st.volatile.global.u32 [%rd1], %r1; ret; }\n"
	        PARENT("{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; "
	               ".param .b64 out;\n"
	               "mov.u64 %rd2, last; st.param.b64 [f], %rd2;\n"
	               "st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\n"
	               "st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0;\n"
	               "call (out), cudaGetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd3, [out]; }\n"
	               "st.u64 [%rd3], %rd1; mov.u64 %rd9, 3;\n"
	               "{ .param .b64 p; .param .b64 s; .param .b32 out; st.param.b64 [p], %rd3; st.param.b64 [s], %rd9;\n"
	               "call (out), cudaLaunchDeviceV2, (p, s); }\n"
	               "mov.u64 %rd9, 4;\n" LAUNCH("1") LAUNCH("2") "mov.u64 %rd9, 0;\n" LAUNCH("3"));
	uint32_t sum;
	unsigned n;
	run(ptx, "-gpgpu_kernel_launch_latency 300\n", 1, 1, &sum, &n);
	ck_assert_uint_eq(sum, 6 * 32 * 1000);
	ck_assert_uint_eq(n, 5);
}
END_TEST

// --- isa/grids.h alone

struct toy {
	struct grids *g;
	struct kernel_info info;
	struct kernel_launch root;
	struct grid_block *b;
};

static void toy_begin(struct toy *t)
{
	*t = (struct toy){.g = grids_new(), .info = {.name = "toy", .param_bytes = 8}};
	t->root.grids = t->g;
	t->root.info = &t->info;
	t->b = grids_block(&t->root, (uint32_t[3]){0, 0, 0}, 0);
}

static struct kernel_launch *toy_launch(struct toy *t, struct grid_block *b, struct kernel_launch *by, uint64_t stream)
{
	struct kernel_launch *c = grids_child(by, &t->info, NULL);
	ck_assert(grids_launch(b, stream, c));
	return c;
}

static void toy_over(struct kernel_launch *l, const struct toy *t)
{
	struct kernel_launch *parent;
	grids_handed_back(l);
	for (; l && grids_over(l, &parent); l = parent)
		if (l != &t->root)
			mem_free(l);
}

static void toy_end(struct toy *t)
{
	grids_end(&t->root);
	toy_over(&t->root, t);
	ck_assert_ptr_null(grids_next(t->g));
	ck_assert_ptr_null(t->root.place);
	ck_assert_uint_eq(grids_pending(t->g), 0);
	ck_assert_uint_eq(grids_stats(t->g)->param_bytes, 0);
	grids_free(t->g);
}

START_TEST(kernels_of_a_stream_follow_each_other_and_streams_do_not_wait)
{
	struct toy t;
	toy_begin(&t);
	uint64_t s = grids_stream_new(t.b);
	struct kernel_launch *a = toy_launch(&t, t.b, &t.root, 0), *b = toy_launch(&t, t.b, &t.root, 0),
						 *c = toy_launch(&t, t.b, &t.root, s);
	ck_assert_ptr_eq(grids_next(t.g), a);
	ck_assert_ptr_eq(grids_next(t.g), c);
	ck_assert_ptr_null(grids_next(t.g));
	grids_end(a);
	toy_over(a, &t);
	ck_assert_ptr_eq(grids_next(t.g), b);
	grids_end(c), toy_over(c, &t);
	grids_end(b), toy_over(b, &t);
	ck_assert_uint_eq(grids_stats(t.g)->launched, 3);
	ck_assert_uint_eq(grids_stats(t.g)->max_param_bytes, 3 * 256);
	toy_end(&t);
}
END_TEST

START_TEST(a_kernel_is_complete_when_its_children_are)
{
	struct toy t;
	toy_begin(&t);
	struct kernel_launch *a = toy_launch(&t, t.b, &t.root, 0), *b = toy_launch(&t, t.b, &t.root, 0);
	ck_assert_ptr_eq(grids_next(t.g), a);
	struct kernel_launch *child = toy_launch(&t, grids_block(a, (uint32_t[3]){0, 0, 0}, 0), a, GRIDS_STREAM_FORGET);
	ck_assert_uint_eq(grids_depth(child), 2);
	grids_end(a);
	toy_over(a, &t);
	ck_assert_ptr_eq(grids_next(t.g), child);
	ck_assert_ptr_null(grids_next(t.g)); // b waits for all of a
	grids_end(child), toy_over(child, &t);
	ck_assert_ptr_eq(grids_next(t.g), b);
	grids_end(b), toy_over(b, &t);
	toy_end(&t);
}
END_TEST

START_TEST(a_stream_waits_for_an_event_of_another)
{
	struct toy t;
	toy_begin(&t);
	uint64_t s = grids_stream_new(t.b), e = grids_event_new(t.b);
	struct kernel_launch *a = toy_launch(&t, t.b, &t.root, 0);
	ck_assert(grids_event_record(t.b, e, 0));
	ck_assert(grids_stream_wait(t.b, s, e));
	ck_assert(grids_event_destroy(t.g, e));
	ck_assert(!grids_event_destroy(t.g, e));
	struct kernel_launch *b = toy_launch(&t, t.b, &t.root, s);
	ck_assert(grids_stream_destroy(t.g, s));
	ck_assert(!grids_launch(t.b, s, b)); // no such stream any more
	ck_assert_ptr_eq(grids_next(t.g), a);
	ck_assert_ptr_null(grids_next(t.g));
	grids_end(a), toy_over(a, &t);
	ck_assert_ptr_eq(grids_next(t.g), b);
	grids_end(b), toy_over(b, &t);
	toy_end(&t);
}
END_TEST

START_TEST(a_waiting_block_is_woken_when_all_it_launched_is_complete)
{
	struct toy t;
	struct grids_woken w;
	toy_begin(&t);
	struct kernel_launch *a = toy_launch(&t, t.b, &t.root, 0), *b = toy_launch(&t, t.b, &t.root, GRIDS_STREAM_FORGET);
	ck_assert(grids_wait(t.b) && grids_waits(&t.root));
	ck_assert_ptr_eq(grids_next(t.g), a);
	ck_assert_ptr_eq(grids_next(t.g), b);
	grids_end(b), toy_over(b, &t);
	ck_assert(!grids_woken(t.g, &w));
	grids_end(a), toy_over(a, &t);
	ck_assert(grids_woken(t.g, &w) && w.launch == &t.root && !grids_woken(t.g, &w));
	ck_assert(!grids_waits(&t.root) && !grids_wait(t.b));
	toy_end(&t);
}
END_TEST

START_TEST(a_fault_drops_what_has_not_started)
{
	struct toy t;
	toy_begin(&t);
	struct kernel_launch *a = toy_launch(&t, t.b, &t.root, 0);
	toy_launch(&t, t.b, &t.root, 0);
	toy_launch(&t, t.b, &t.root, GRIDS_STREAM_FORGET);
	toy_launch(&t, t.b, &t.root, GRIDS_STREAM_TAIL);
	ck_assert_ptr_eq(grids_next(t.g), a);
	a->fault.kind = FAULT_TRAP;
	grids_end(a);
	ck_assert(grids_broken(t.g));
	toy_over(a, &t);
	toy_end(&t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("grids that kernels launch");
	TCase *t = tcase_create("grids");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, each_step_of_a_launch_takes_what_cdp_latency_says, 0, 6);
	tcase_add_test(t, a_launched_kernel_waits_for_the_kernel_launch_latency);
	tcase_add_test(t, ticking_every_cycle_gives_the_same_cycles);
	tcase_add_loop_test(t, blocks_that_wait_for_their_children_make_room_for_them, 0, 3);
	tcase_add_test(t, what_is_launched_into_the_tail_runs_last);
	tcase_add_test(t, kernels_of_a_stream_follow_each_other_and_streams_do_not_wait);
	tcase_add_test(t, a_kernel_is_complete_when_its_children_are);
	tcase_add_test(t, a_stream_waits_for_an_event_of_another);
	tcase_add_test(t, a_waiting_block_is_woken_when_all_it_launched_is_complete);
	tcase_add_test(t, a_fault_drops_what_has_not_started);
	suite_add_tcase(s, t);
	return check_main(s);
}
