// SMs that go ahead of the others while they are alone (sm_alone): nothing that a program or the statistics show changes by it.
#include "tests/unit/timing_harness.h"

#include "gpgpu-sim/gpu/timing_internal.h"

// Each thread goes over shared memory, which its block's other threads write between barriers, over constants, clocks and
// its local memory, of which it writes and reads another part in each round. In every fourth round block 0 stores to a
// word of global memory that all load; now and then a thread adds what it saw to global memory, stores and loads there.
// Block `bad` reads beside shared memory in round `when`.
static const char program[] =
	".version 7.5\n.target sm_75\n.address_size 64\n"
	".const .align 4 .b32 table[1024] = {7, 9, 11};\n"
	".visible .entry rounds(.param .u64 out, .param .u64 sum, .param .u64 bad, .param .u64 when)\n{\n"
	".reg .b32 %r<26>;\n.reg .b64 %d<12>;\n.reg .pred %p<8>;\n.shared .align 4 .b8 mem[512];\n.local .align 4 .b8 own[4096];\n"
	"ld.param.u64 %d1, [out];\nld.param.u64 %d2, [sum];\nld.param.u32 %r20, [bad];\nld.param.u32 %r21, [when];\n"
	"mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, %r3;\n"
	"mul.wide.u32 %d3, %r4, 4;\nadd.s64 %d4, %d1, %d3;\n"
	"mov.u32 %r5, mem;\nshl.b32 %r6, %r3, 2;\nadd.u32 %r7, %r5, %r6;\nst.shared.u32 [%r7], %r4;\n"
	"mov.u32 %r8, 0;\nmov.u32 %r9, %r4;\n"
	"LOOP:\nand.b32 %r24, %r8, 3;\nsetp.eq.u32 %p5, %r24, 0;\nsetp.eq.and.u32 %p6, %r1, 0, %p5;\nbar.sync 0;\n"
	"@%p5 ld.global.u32 %r25, [%d2+8];\n@%p5 add.u32 %r9, %r9, %r25;\n@%p6 st.global.u32 [%d2+8], %r9;\n"
	"xor.b32 %r10, %r6, 128;\nadd.u32 %r10, %r5, %r10;\nld.shared.u32 %r11, [%r10];\nmad.lo.u32 %r9, %r9, 31, %r11;\n"
	"and.b32 %r17, %r9, 1023;\nmul.wide.u32 %d6, %r17, 4;\nmov.u64 %d5, table;\nadd.s64 %d5, %d5, %d6;\n"
	"ld.const.u32 %r18, [%d5];\nadd.u32 %r9, %r9, %r18;\n"
	"mov.u32 %r19, own;\nand.b32 %r22, %r8, 60;\nmad.lo.u32 %r22, %r22, 16, %r19;\nst.local.u32 [%r22], %r9;\n"
	"ld.local.u32 %r23, [%r22+2048];\nadd.u32 %r9, %r9, %r23;\n"
	"mov.u32 %r12, %clock;\nadd.u32 %r9, %r9, %r12;\nbar.sync 0;\nst.shared.u32 [%r7], %r9;\n"
	"setp.eq.u32 %p1, %r1, %r20;\nsetp.eq.and.u32 %p2, %r8, %r21, %p1;\n@%p2 ld.shared.u32 %r9, [%r7+1048576];\n"
	"and.b32 %r13, %r8, 31;\nadd.u32 %r14, %r1, 5;\nsetp.ne.u32 %p3, %r13, %r14;\n@%p3 bra ON;\n"
	"st.global.u32 [%d4], %r9;\natom.global.add.u32 %r15, [%d2], %r9;\nld.global.u32 %r16, [%d1];\nadd.u32 %r9, %r15, %r16;\n"
	"ON:\nadd.u32 %r8, %r8, 1;\nsetp.lt.u32 %p4, %r8, 48;\n@%p4 bra LOOP;\n"
	"st.global.u32 [%d4], %r9;\nret;\n}\n";

enum { BLOCKS = 14, THREADS = 128, SMS = 16, OUT = BLOCKS * THREADS * 4, NEVER = 1000 };

#define CLASSIC "-gpgpu_kernel_launch_latency 1500\n"
#define MODERN CLASSIC "-core modern\n-gpgpu_num_sched_per_core 4\n-gpgpu_inst_fetch_throughput 1\n"
static const char *const gpus[] = {
	MODERN "-gpgpu_n_clusters 7\n",
	CLASSIC "-gpgpu_n_clusters 7\n",
	MODERN "-gpgpu_n_clusters 3\n-gpgpu_n_cores_per_cluster 2\n",
	CLASSIC "-gpgpu_n_clusters 3\n-gpgpu_n_cores_per_cluster 2\n",
	MODERN "-gpgpu_n_clusters 6\n-gpgpu_perfect_mem 1\n",
	CLASSIC "-gpgpu_n_clusters 6\n-gpgpu_perfect_mem 1\n",
	MODERN "-gpgpu_n_clusters 6\n-gpgpu_l2_rop_latency 0\n",
	CLASSIC "-gpgpu_n_clusters 6\n-gpgpu_l2_rop_latency 0\n",
	MODERN "-gpgpu_n_clusters 9\n-icnt_in_buffer_limit 40\n-gpgpu_perfect_inst_const_cache 0\n",
	CLASSIC "-gpgpu_n_clusters 9\n-icnt_in_buffer_limit 40\n-gpgpu_perfect_inst_const_cache 0\n",
	CLASSIC "-gpgpu_n_clusters 8\n-gpgpu_perfect_inst_const_cache 0\n-gpgpu_cache:il1 N:4:128:1,L:R:f:N:L,S:2:48,4\n",
	CLASSIC "-gpgpu_n_clusters 8\n-gpgpu_max_insn_issue_per_warp 2\n-gpgpu_mem_unit_ports 2\n",
	CLASSIC "-gpgpu_n_clusters 8\n-gpgpu_clock_domains 1000:1700:600:850\n-gpgpu_num_sched_per_core 2\n-gpgpu_scheduler gto\n",
	CLASSIC "-gpgpu_n_clusters 8\n-gpgpu_cache:dl1 S:4:128:1,L:B:m:L:L,A:512:8,16:0,32\n-gpgpu_scheduler two_level_active:4:0:1\n",
	MODERN "-gpgpu_n_clusters 8\n-icnt_burst 4\n-gpgpu_perfect_inst_const_cache 0\n-inst_preload_lines 64\n-cta_launch_interval 2\n",
	CLASSIC "-gpgpu_n_clusters 8\n-icnt_burst 4\n-gpgpu_perfect_inst_const_cache 0\n-cta_launch_interval 2\n",
};
enum { GPUS = sizeof gpus / sizeof *gpus };

static struct timed *gpu(const char *options, const char *more)
{
	struct diag why = {0};
	struct timed *t = timed_make(program, &why, (const char *const[]){TIMED_BASE, options, more, NULL});
	ck_assert_msg(t != NULL, "%s", why.text ? why.text : "?");
	diag_free(&why);
	return t;
}

static char *outcome(const char *options, const char *more, uint64_t order, uint64_t bad, uint64_t when)
{
	struct timed *t = gpu(options, more);
	timing_set_order(t->t, order);
	t->may_fault = when != NEVER;
	uint64_t out = timed_alloc(t, OUT), sum = timed_alloc(t, 16);
	timed_run(t, "rounds", BLOCKS, THREADS, 0, (uint64_t[]){out, sum, bad, when}, 4);
	ck_assert_int_eq(t->launch[0].fault.kind != FAULT_NONE, when != NEVER);
	timed_line(t, "%s\n", t->launch[0].fault.text);
	timed_all_counters(t);
	timed_words(t, "out", (const void *)(uintptr_t)out, OUT);
	timed_words(t, "sum", (const void *)(uintptr_t)sum, 16);
	char *text = t->text;
	t->text = NULL;
	timed_free(t);
	return text;
}

static void same(const char *options, uint64_t bad, uint64_t when)
{
	char *want = outcome(options, "-tick_every_cycle 1\n", 0, bad, when);
	static const struct { unsigned threads; uint64_t order; } how[] = {{1, 0}, {3, 0}, {1, 1}, {1, 2}, {2, 0}, {8, 0}};
	for (unsigned i = 0; i < (when == NEVER ? sizeof how / sizeof *how : 3); i++) {
		char more[32];
		snprintf(more, sizeof more, "-threads %u\n", how[i].threads);
		char *is = outcome(options, more, how[i].order, bad, when);
		const char *d = timed_difference(want, is);
		ck_assert_msg(!d, "%u threads, order %llu: %s", how[i].threads, (unsigned long long)how[i].order, d);
		free(is);
	}
	free(want);
}

START_TEST(what_goes_ahead_comes_out_as_if_it_did_not) { same(gpus[_i], 0, NEVER); }
END_TEST

START_TEST(a_fault_is_told_and_stops_the_others_at_the_same_time)
{
	same(gpus[_i], 3, 17);
	same(gpus[_i], 12, 41);
}
END_TEST

START_TEST(an_sm_goes_ahead_while_it_is_alone)
{
	struct timed *t = gpu(gpus[_i], "-gpgpu_kernel_launch_latency 0\n");
	uint64_t out = timed_alloc(t, OUT), sum = timed_alloc(t, 16), most = 0;
	bool sent = false;
	timed_launch(t, "rounds", 1, THREADS, 0, (uint64_t[]){out, sum, 0, NEVER}, 4, 0);
	for (unsigned i = 0; i < 2000; i++) {
		t->t->ahead = t->t->cycle + 50;
		timing_step(t->t);
		for (unsigned m = 0; m < t->t->core.n_sm; m++) {
			const uint64_t at = t->t->sm[m].n_cta ? t->t->sm[m].now : 0;
			ck_assert_uint_lt(at, t->t->cycle + 50);
			most = at > t->t->cycle + most ? at - t->t->cycle : most;
			sent |= t->t->cluster[m].later.n != 0;
		}
	}
	ck_assert_uint_gt(most, 40);
	ck_assert(sent); // and has sent requests there
	timed_wait(t);
	timed_free(t);
}
END_TEST

// With few SMs due, those that are due later go ahead from where they are.
START_TEST(an_sm_is_called_before_it_is_due)
{
	struct timed *t = gpu(gpus[_i], "-gpgpu_kernel_launch_latency 0\n-threads 2\n");
	uint64_t out = timed_alloc(t, OUT), sum = timed_alloc(t, 16);
	unsigned early = 0;
	timed_launch(t, "rounds", BLOCKS, THREADS, 0, (uint64_t[]){out, sum, 0, NEVER}, 4, 0);
	timing_team_up(t->t);
	for (unsigned i = 0; i < 4000; i++) {
		uint64_t now[SMS], called[SMS];
		ck_assert_uint_le(t->t->core.n_sm, SMS);
		for (unsigned m = 0; m < t->t->core.n_sm; m++)
			now[m] = t->t->sm[m].now, called[m] = t->t->early[m];
		t->t->ahead = t->t->launch_pass ? 0 : t->t->cycle + 50;
		timing_step(t->t);
		for (unsigned m = 0; m < t->t->core.n_sm; m++)
			early += t->t->early[m] != called[m] && t->t->sm[m].now >= t->t->early[m] && t->t->sm[m].now > now[m];
	}
	ck_assert_uint_gt(early, 0);
	timed_wait(t);
	timed_free(t);
}
END_TEST

// Blocks that compute for a while. In some cycle their SMs may go ahead to where timing_run is to stop.
static bool may_go_ahead(const char *call)
{
	char text[2048];
	snprintf(text, sizeof text,
	         ".version 7.5\n.target sm_75\n.address_size 64\n"
	         ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
	         ".func use(.param .b32 n) {\n"
	         ".reg .pred %%p<2>; .reg .b32 %%r<2>;\nld.param.u32 %%r1, [n];\nsetp.eq.u32 %%p1, %%r1, 1;\n@!%%p1 bra OVER;\n%s\nOVER: ret;\n}\n"
	         ".visible .entry counts(.param .u64 out)\n{\n.reg .b32 %%r<3>; .reg .pred %%p<2>; .reg .b64 %%d<2>;\n"
	         "ld.param.u64 %%d1, [out];\nmov.u32 %%r1, 0;\n"
	         "AGAIN:\nadd.u32 %%r1, %%r1, 1;\nsetp.lt.u32 %%p1, %%r1, 200;\n@%%p1 bra AGAIN;\n"
	         "{ .param .b32 n; st.param.b32 [n], %%r1; call use, (n); }\nst.global.u32 [%%d1], %%r1;\nret;\n}\n", call);
	struct diag why = {0};
	struct timed *t = timed_make(text, &why, (const char *const[]){TIMED_BASE, "-gpgpu_kernel_launch_latency 0\n-gpgpu_n_clusters 4\n", NULL});
	ck_assert_msg(t != NULL, "%s", why.text ? why.text : "?");
	uint64_t out = timed_alloc(t, 16);
	bool may = false;
	timed_launch(t, "counts", 4, 32, 0, (uint64_t[]){out}, 1, 0);
	while (!timing_run(t->t, 10))
		may |= t->t->ahead == t->t->cycle;
	timed_free(t);
	diag_free(&why);
	return may;
}

// Where kernels start as soon as they are launched, only a kernel that launches some must not let an SM get ahead of that.
START_TEST(a_kernel_that_launches_none_sets_no_limit)
{
	ck_assert(may_go_ahead(""));
	ck_assert(!may_go_ahead("{ .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], 0; st.param.b64 [s], 0;\n"
	                        "call (r), cudaLaunchDeviceV2, (p, s); }"));
}
END_TEST

// What may be answered in which cycle, beside a list of what has left and when.
START_TEST(answers_are_expected_by_when_requests_left)
{
	static const uint64_t least[] = {0, 1, 13, 14, 15, 160, 1000, 100000};
	uint64_t random = 88172645463325252 + (uint64_t)_i;
	struct sm_away a;
	away_init(&a, least[_i]);
	uint64_t left[4096], now = 5;
	unsigned first = 0, n = 0, told = 0;
	for (unsigned step = 0; step < 4000; step++) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		now += random % 7 ? random >> 8 & 3 : (random >> 8) % (2 * least[_i] + 5);
		if (random >> 20 & 1) {
			away_sent(&a, now, 1, false);
			left[n++] = now;
		} else if (first < n && left[first] + least[_i] <= now) {
			away_answered(&a);
			first++;
		}
		const uint64_t at = now + (random >> 30) % 9, next = away_next(&a, at), part = (uint64_t)1 << a.shift;
		ck_assert_uint_eq(a.n, n - first);
		if (first == n) {
			ck_assert_uint_eq(next, UINT64_MAX);
		} else {
			const uint64_t may = left[first] + least[_i] > at ? left[first] + least[_i] : at;
			ck_assert_uint_le(next, may);       // never too late
			ck_assert_uint_gt(next + part, may); // and by less than a part too early
			told += next > at;
		}
	}
	ck_assert(told || !least[_i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ahead");
	TCase *t = tcase_create("ahead");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, what_goes_ahead_comes_out_as_if_it_did_not, 0, GPUS);
	tcase_add_loop_test(t, a_fault_is_told_and_stops_the_others_at_the_same_time, 0, GPUS);
	tcase_add_loop_test(t, an_sm_goes_ahead_while_it_is_alone, 0, 2);
	tcase_add_loop_test(t, an_sm_is_called_before_it_is_due, 0, 2);
	tcase_add_test(t, a_kernel_that_launches_none_sets_no_limit);
	tcase_add_loop_test(t, answers_are_expected_by_when_requests_left, 0, 8);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
