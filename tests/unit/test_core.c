// The SM against closed forms: latency of dependent instructions, issue rate, rate of the units, shared memory banks,
// register banks, barriers, fences and atomics. Cycles are differences between a kernel with n and one with 2n of the
// same instruction, so that what comes before and after does not count.
#include "tests/unit/kernel_text.h"
#include "tests/unit/timing_harness.h"

enum { N = 64 };

// Cycles of a kernel with a prologue and n times a line.
static uint64_t cycles(const char *options, const char *before, const char *line, unsigned n, uint32_t block,
                       const char *after)
{
	struct text s = {0};
	text_add(&s, KERNEL_HEAD ".shared .align 16 .b8 buf[40960];\n" KERNEL_ENTRY("k"));
	text_add(&s, before);
	text_repeat(&s, n, line);
	text_add(&s, after);
	text_add(&s, "ret; }\n");
	struct timed *t = timed_new(s.at, options);
	uint64_t p[4] = {timed_alloc(t, 1 << 20), 0, 0, 0};
	uint64_t c = timed_run(t, "k", 1, block, 0, p, 4);
	timed_free(t);
	text_free(&s);
	return c;
}

// Cycles that each further line takes, times N: exact if the steady state is reached.
static uint64_t slope(const char *options, const char *before, const char *line, uint32_t block)
{
	return cycles(options, before, line, 2 * N, block, "") - cycles(options, before, line, N, block, "");
}

// Issued in cycle c, the instruction is in a collector in c + 1, reads its registers in c + 2, leaves in c + 3, starts
// in its unit in c + 4, leaves it in c + 4 + latency + 1, is written back in the next cycle,
// in which its reader can issue.
enum { CHAIN = 6 };

START_TEST(a_chain_of_dependent_instructions_takes_the_latency_and_six_cycles_each)
{
	static const struct {
		const char *line;
		unsigned latency;
	} row[] = {
		{"add.u32 %r10, %r10, %r11;\n", 4},        {"max.s32 %r10, %r10, %r11;\n", 13},
		{"mul.lo.u32 %r10, %r10, %r11;\n", 5},     {"mad.lo.u32 %r10, %r10, %r11, %r12;\n", 6},
		{"div.u32 %r10, %r10, %r11;\n", 145},      {"add.f32 %f1, %f1, %f2;\n", 7},
		{"mul.f32 %f1, %f1, %f2;\n", 8},           {"fma.rn.f32 %f1, %f1, %f2, %f3;\n", 9},
		{"add.f64 %fd1, %fd1, %fd2;\n", 8},        {"div.rn.f64 %fd1, %fd1, %fd2;\n", 330},
		{"ex2.approx.f32 %f1, %f1;\n", 100},       {"xor.b32 %r10, %r10, %r11;\n", 1},
		{"cvt.u32.u16 %r10, %r10;\n", 1},
	};
	const char *line = row[_i].line;
	if (strstr(line, "cvt"))
		line = "cvt.rn.f32.s32 %f1, %r10; cvt.rzi.s32.f32 %r10, %f1;\n";
	uint64_t times = line == row[_i].line ? 1 : 2;
	ck_assert_uint_eq(slope("", "mov.u32 %r11, 7; mov.u32 %r12, 9;", line, 32), N * times * (row[_i].latency + CHAIN));
}
END_TEST

START_TEST(a_second_register_port_step_a_cycle_saves_one_cycle)
{
	// The collector takes the instruction and reads its registers in one cycle.
	ck_assert_uint_eq(slope("-gpgpu_reg_file_port_throughput 2\n", "", "add.u32 %r10, %r10, %r11;\n", 32),
	                  N * (4 + CHAIN - 1));
}
END_TEST

START_TEST(an_instruction_that_reads_no_register_leaves_the_collector_at_once)
{
	// The next one writes the same register and waits for this one, as a reader would.
	ck_assert_uint_eq(slope("", "", "mov.u32 %r10, 5;\n", 32), N * (1 + CHAIN - 1));
}
END_TEST

// --- rates

START_TEST(a_scheduler_issues_one_instruction_a_cycle)
{
	// 16 warps hide all latencies; independent moves; four units so that issue alone limits. The instruction buffers of
	// 16 warps are filled at four warps a cycle, two instructions each.
	char opt[600];
	snprintf(opt, sizeof opt, "-gpgpu_num_sched_per_core %d\n-gpgpu_num_int_units %d\n-gpgpu_num_sp_units 4\n"
	         "-gpgpu_pipeline_widths 8,8,8,8,8,8,8,8,8,8,8\n-gpgpu_reg_file_port_throughput 4\n"
	         "-gpgpu_operand_collector_num_units_gen 32\n", 1 << _i, 8);
	uint64_t c = slope(opt, "", "mov.u32 %r@@, 1;\n", 512);
	ck_assert_uint_eq(c, 16u * N >> _i);
}
END_TEST

START_TEST(two_instructions_of_a_warp_issue_in_a_cycle_only_for_different_units)
{
	const char *opt = "-gpgpu_max_insn_issue_per_warp 2\n-gpgpu_num_sp_units 2\n-gpgpu_num_int_units 2\n"
	                  "-gpgpu_reg_file_port_throughput 4\n"
	                  "-gpgpu_pipeline_widths 8,8,8,8,8,8,8,8,8,8,8\n-ptx_opcode_initiation_fp 1,1,1,1,1\n"
	                  "-gpgpu_dual_issue_diff_exec_units 1\n";
	const char *mixed = "mov.u32 %r20, 1; add.f32 %f10, %f11, %f12;\n";
	ck_assert_uint_eq(slope(opt, "", mixed, 512), 16 * N);
	ck_assert_uint_eq(slope(opt, "", "mov.u32 %r20, 1; mov.u32 %r21, 2;\n", 512), 2 * 16 * N);
	ck_assert_uint_eq(
		slope("-gpgpu_num_sp_units 2\n-gpgpu_num_int_units 2\n-ptx_opcode_initiation_fp 1,1,1,1,1\n", "", mixed, 512),
		2 * 16 * N);
}
END_TEST

START_TEST(a_unit_takes_an_instruction_each_initiation_interval)
{
	static const struct {
		const char *line;
		unsigned interval;
	} row[] = {{"add.f32 %f@@, %f161, %f162;\n", 2},       {"fma.rn.f32 %f@@, %f161, %f162, %f163;\n", 3},
	           {"div.u32 %r@@, %r170, %r171;\n", 8},       {"add.f64 %fd@@, %fd162, %fd163;\n", 4},
	           {"mul.lo.u32 %r@@, %r190, %r191;\n", 2},  {"ex2.approx.f32 %f@@, %f162;\n", 8},
	           {"div.rn.f64 %fd@@, %fd162, %fd163;\n", 130}};
	const char *line = row[_i].line;
	// The dispatch register is free again in the cycle in which its instruction enters the pipeline.
	ck_assert_uint_eq(slope("", "mov.u32 %r171, 3;", line, 256), 8u * N * row[_i].interval);
	char opt[200];
	snprintf(opt, sizeof opt,
	         "-gpgpu_num_sp_units 2\n-gpgpu_num_dp_units 2\n-gpgpu_num_int_units 2\n-gpgpu_num_sfu_units 2\n"
	         "-gpgpu_inst_fetch_throughput 8\n");
	ck_assert_uint_eq(slope(opt, "mov.u32 %r171, 3;", line, 256), 8u * N * row[_i].interval / 2);
}
END_TEST

START_TEST(sub_cores_have_a_unit_of_each_kind_of_their_own)
{
	const char *opt = "-gpgpu_sub_core_model 1\n-gpgpu_num_sched_per_core 4\n-gpgpu_num_sp_units 4\n"
	                  "-gpgpu_num_int_units 4\n"
	                  "-gpgpu_num_dp_units 4\n-gpgpu_num_sfu_units 4\n-gpgpu_reg_file_port_throughput 2\n";
	// All 16 warps: four units at an interval of two.
	ck_assert_uint_eq(slope(opt, "", "add.f32 %f@@, %f161, %f162;\n", 512), 16 * N * 2 / 4);
	// Only the warps of one scheduler work: 0, 4, 8 and 12. They have one unit.
	const char *one = "shr.u32 %r20, %r1, 5; and.b32 %r20, %r20, 3; setp.ne.u32 %p1, %r20, 0; @%p1 exit;\n";
	ck_assert_uint_eq(slope(opt, one, "add.f32 %f@@, %f161, %f162;\n", 512), 4 * N * 2);
}
END_TEST

// --- register banks

START_TEST(operands_of_one_bank_are_read_one_after_the_other)
{
	// 32 banks; registers of equal number modulo 32 share one. A chain shows each further cycle.
	const char *const line[] = {"mad.lo.u32 %r10, %r10, %r11, %r12;\n", "mad.lo.u32 %r10, %r10, %r11, %r43;\n",
	                            "mad.lo.u32 %r10, %r10, %r42, %r74;\n"};
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(slope("", "", line[i], 32), N * (6 + CHAIN + i));
}
END_TEST

START_TEST(registers_of_one_number_are_read_once)
{
	uint64_t apart = slope("", "", "shl.b64 %rd10, %rd10, %r11;\n", 32);
	ck_assert_uint_eq(slope("", "", "shl.b64 %rd10, %rd10, %r42;\n", 32), apart + N);
	ck_assert_uint_eq(slope("", "", "shl.b64 %rd10, %rd10, %r10;\n", 32), apart);
}
END_TEST

START_TEST(bank_conflicts_are_counted)
{
	struct text s = {0};
	text_add(&s, KERNEL_HEAD KERNEL_ENTRY("k") "mov.u32 %r10, 1; mov.u32 %r42, 1; mov.u32 %r74, 1;\n");
	text_repeat(&s, N, "mad.lo.u32 %r10, %r10, %r42, %r74;\n");
	text_add(&s, "ret; }");
	struct timed *t = timed_new(s.at, "");
	timed_run(t, "k", 1, 32, 0, (uint64_t[4]){0}, 4);
	const struct opcoll *c = &t->t->sm[0].classic->opcoll;
	ck_assert_uint_eq(c->conflicts, N * 2); // the bank still has readers after the first step and after the second
	ck_assert_uint_eq(c->reads, 3 * N + 3); // and mad of the entry
	timed_free(t);
	text_free(&s);
}
END_TEST

// One instruction in each stage, one generic collector: the one that is taken is served first.
START_TEST(scarce_collectors_serve_sp_sfu_mem_tensor_dp_int_then_specialized_units)
{
	static const uint8_t order[] = {PIPE_SP, PIPE_SFU, PIPE_MEM, PIPE_TENSOR, PIPE_DP, PIPE_INT, PIPE_SPEC};
	enum { STAGES = sizeof order };
	struct core_config cfg = {
		.n_banks = 16, .n_schedulers = 1, .cu_units[CU_GEN] = 1, .cu_in_ports[CU_GEN] = 1, .cu_out_ports[CU_GEN] = 1};
	struct register_set in[PIPE_N], out[PIPE_N];
	struct winst w[PIPE_N] = {0};
	uint32_t arrived = 0, left = 0;
	struct isa_inst st = {0};
	struct opcoll c;
	struct diag d = {0};
	for (unsigned p = 0; p < PIPE_N; p++) {
		in[p] = (struct register_set){.width = 1, .occupied = &arrived, .bit = 1u << p};
		out[p] = (struct register_set){.width = 1, .occupied = &left, .bit = 1u << p};
	}
	for (unsigned i = 0; i < STAGES; i++) {
		cfg.n_units[order[i]] = 1;
		w[order[i]].st = &st;
		regs_append(&in[order[i]], false, 0, &w[order[i]]);
	}
	ck_assert(opcoll_init(&c, &cfg, in, out, &d));
	for (unsigned i = 0; i < STAGES; i++) {
		opcoll_tick(&c, 1);
		ck_assert_ptr_eq(c.unit[0].w, &w[order[i]]);
	}
}
END_TEST

// --- shared memory

// From issue: collector, registers, dispatch (3 cycles), dispatch register of the unit (+1), the passes, the pipeline
// (latency), write-back next to the other sources of the unit (+1), and its reader issues.
static uint64_t shared_slope(const char *options, const char *index, const char *load)
{
	char before[600];
	snprintf(before, sizeof before, "mov.u64 %%rd10, buf; %s; mul.wide.u32 %%rd11, %%r20, 4; "
	                                "add.s64 %%rd12, %%rd10, %%rd11; mov.u64 %%rd13, 0;\n", index);
	return slope(options, before, load, 32);
}

#define SHARED_CHAIN "ld.shared.u32 %r30, [%rd12]; and.b32 %r30, %r30, 0; cvt.u64.u32 %rd14, %r30; add.s64 %rd12, %rd12, %rd14;\n"

START_TEST(a_strided_shared_load_takes_as_many_passes_as_lanes_meet_in_a_bank)
{
	static const unsigned stride[] = {1, 2, 3, 4, 5, 8, 16, 31, 32, 33, 64},
						  passes[] = {1, 2, 1, 4, 1, 8, 16, 1, 32, 1, 32};
	char index[100];
	snprintf(index, sizeof index, "mul.lo.u32 %%r20, %%r1, %u", stride[_i]);
	uint64_t flat = shared_slope("", "mov.u32 %r20, %r1", SHARED_CHAIN);
	ck_assert_uint_eq(shared_slope("", index, SHARED_CHAIN), flat + (uint64_t)N * (passes[_i] - 1));
	// 16 banks take half a warp at a time: so many passes for each half.
	if (stride[_i] == 2)
		ck_assert_uint_eq(shared_slope("-gpgpu_shmem_num_banks 16\n-gpgpu_shmem_warp_parts 2\n"
		                               "-gpgpu_mem_unit_ports 1\n", index, SHARED_CHAIN),
		                  flat + (uint64_t)N * (2 * 2 - 1));
}
END_TEST

START_TEST(lanes_that_read_one_word_get_it_in_one_pass)
{
	uint64_t flat = shared_slope("", "mov.u32 %r20, %r1", SHARED_CHAIN);
	ck_assert_uint_eq(shared_slope("", "mov.u32 %r20, 5", SHARED_CHAIN), flat);
	ck_assert_uint_eq(shared_slope("", "shr.u32 %r20, %r1, 2", SHARED_CHAIN), flat);
	// Two words of one bank, each read by half of the lanes.
	const char *two = "and.b32 %r20, %r1, 1; shl.b32 %r20, %r20, 5";
	ck_assert_uint_eq(shared_slope("", two, SHARED_CHAIN), flat + N);
	// With limited broadcast only one word can be read by several lanes: the other one takes 16 passes.
	ck_assert_uint_eq(shared_slope("-gpgpu_shmem_limited_broadcast 1\n", two, SHARED_CHAIN), flat + N * 16);
}
END_TEST

START_TEST(the_latency_of_a_shared_load_is_the_configured_one)
{
	uint64_t l20 = shared_slope("", "mov.u32 %r20, %r1", SHARED_CHAIN),
			 l35 = shared_slope("-gpgpu_smem_latency 35\n", "mov.u32 %r20, %r1", SHARED_CHAIN);
	ck_assert_uint_eq(l35 - l20, N * 15);
	// The three instructions behind the load are a chain of latencies 1, 1 and 4.
	uint64_t load = l20 - N * (1 + 1 + 4 + 3 * CHAIN);
	ck_assert_uint_eq(load, N * (20 + 6));
}
END_TEST

START_TEST(shared_memory_gives_128_bytes_a_cycle)
{
	const char *before = "mov.u64 %rd10, buf; mul.wide.u32 %rd11, %r1, 4; add.s64 %rd12, %rd10, %rd11;\n";
	ck_assert_uint_eq(slope("", before, "ld.shared.u32 %r@@, [%rd12];\n", 512), 16 * N);
	ck_assert_uint_eq(slope("", before, "st.shared.u32 [%rd12], %r31;\n", 512), 16 * N);
}
END_TEST

// --- waiting

START_TEST(no_warp_passes_a_barrier_before_the_last_has_come)
{
	// Warp 7 comes late by 100 dependent adds; all write the clock after the barrier.
	struct text s = {0};
	text_add(&s, KERNEL_HEAD KERNEL_ENTRY("k") "setp.lt.u32 %p1, %r1, 224; @%p1 bra B;\n");
	text_repeat(&s, 100, "add.u32 %r10, %r10, %r11;\n");
	text_add(&s, "B: mov.u32 %r20, %clock; bar.sync 0; mov.u32 %r21, %clock; mul.wide.u32 %rd10, %r1, 8; "
	             "add.s64 %rd10, %rd1, %rd10;\n"
	             "st.global.v2.u32 [%rd10], {%r20, %r21}; ret; }");
	struct timed *t = timed_new(s.at, "");
	uint64_t out = timed_alloc(t, 4096);
	timed_run(t, "k", 1, 256, 0, (uint64_t[4]){out}, 4);
	const uint32_t *c = (const uint32_t *)(uintptr_t)out;
	uint32_t last = c[255 * 2];
	ck_assert_uint_gt(last, c[0] + 100 * 10 - 50);
	for (unsigned i = 0; i < 256; i += 32) {
		ck_assert_uint_le(c[i * 2], last);
		ck_assert_uint_gt(c[i * 2 + 1], last);
		ck_assert_uint_lt(c[i * 2 + 1], last + 40);
	}
	timed_free(t);
	text_free(&s);
}
END_TEST

START_TEST(named_barriers_open_for_the_warps_that_they_count)
{
	// Warps 0 and 1 meet at barrier 1 while warps 2 and 3 are still at work.
	struct text s = {0};
	text_add(&s, KERNEL_HEAD KERNEL_ENTRY("k") "setp.lt.u32 %p1, %r1, 64; @%p1 bra B;\n");
	text_repeat(&s, 100, "add.u32 %r10, %r10, %r11;\n");
	text_add(&s, "bar.sync 2, 64; bra E;\nB: bar.sync 1, 64;\n"
	             "E: mov.u32 %r21, %clock; mul.wide.u32 %rd10, %r1, 4; add.s64 %rd10, %rd1, %rd10; "
	             "st.global.u32 [%rd10], %r21; bar.sync 0; ret; }");
	struct timed *t = timed_new(s.at, "");
	uint64_t out = timed_alloc(t, 4096);
	timed_run(t, "k", 1, 128, 0, (uint64_t[4]){out}, 4);
	const uint32_t *c = (const uint32_t *)(uintptr_t)out;
	ck_assert_uint_lt(c[0], 200);
	ck_assert_uint_lt(c[32], 200);
	ck_assert_uint_gt(c[64], 1000);
	ck_assert_uint_gt(c[96], 1000);
	timed_free(t);
	text_free(&s);
}
END_TEST

// Clock before and after some lines, of warp 0.
static uint32_t clocked(const char *options, const char *before, const char *lines)
{
	struct text s = {0};
	text_add(&s, KERNEL_HEAD KERNEL_ENTRY("k") "mul.wide.u32 %rd10, %r1, 4; add.s64 %rd11, %rd1, %rd10;\n");
	text_add(&s, before);
	text_add(&s, "mov.u32 %r20, %clock;\n");
	text_add(&s, lines);
	text_add(&s, "mov.u32 %r21, %clock; sub.u32 %r21, %r21, %r20; st.global.u32 [%rd2], %r21; ret; }");
	struct timed *t = timed_new(s.at, options);
	uint64_t data = timed_alloc(t, 1 << 16), out = timed_alloc(t, 64);
	timed_run(t, "k", 1, 32, 0, (uint64_t[4]){data, out}, 4);
	uint32_t c = *(uint32_t *)(uintptr_t)out;
	timed_free(t);
	text_free(&s);
	return c;
}

START_TEST(a_fence_waits_for_the_acknowledgement_of_stores)
{
	// A store alone is passed by; with the fence the round trip to L2 (at least the ROP latency of 50) is waited for.
	ck_assert_uint_lt(clocked("", "", "st.global.u32 [%rd11], %r1;\n"), 15);
	uint32_t with = clocked("", "", "st.global.cg.u32 [%rd11], %r1; membar.gl;\n");
	ck_assert_uint_gt(with, 50);
	ck_assert_uint_eq(clocked("-gpgpu_l2_rop_latency 150\n", "", "st.global.cg.u32 [%rd11], %r1; membar.gl;\n"),
	                  with + 100);
	// Nothing to wait for: the fence goes by.
	ck_assert_uint_lt(clocked("", "", "membar.gl;\n"), 20);
}
END_TEST

START_TEST(a_fence_waits_for_loads)
{
	uint32_t with = clocked("", "", "ld.global.u32 %r40, [%rd11]; membar.gl;\n");
	ck_assert_uint_eq(clocked("-gpgpu_l2_rop_latency 150\n", "", "ld.global.u32 %r40, [%rd11]; membar.gl;\n"),
	                  with + 100);
}
END_TEST

START_TEST(a_warp_waits_for_its_atomics)
{
	uint32_t one = clocked("", "", "atom.global.add.u32 %r40, [%rd11], 1; mov.u32 %r41, 1;\n");
	ck_assert_uint_gt(one, 50);
	ck_assert_uint_eq(
		clocked("-gpgpu_l2_rop_latency 150\n", "", "atom.global.add.u32 %r40, [%rd11], 1; mov.u32 %r41, 1;\n"),
		one + 100);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("core");
	TCase *t = tcase_create("core");
	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, a_chain_of_dependent_instructions_takes_the_latency_and_six_cycles_each, 0, 13);
	tcase_add_test(t, a_second_register_port_step_a_cycle_saves_one_cycle);
	tcase_add_test(t, an_instruction_that_reads_no_register_leaves_the_collector_at_once);
	tcase_add_loop_test(t, a_scheduler_issues_one_instruction_a_cycle, 0, 3);
	tcase_add_test(t, two_instructions_of_a_warp_issue_in_a_cycle_only_for_different_units);
	tcase_add_loop_test(t, a_unit_takes_an_instruction_each_initiation_interval, 0, 7);
	tcase_add_test(t, sub_cores_have_a_unit_of_each_kind_of_their_own);
	tcase_add_test(t, operands_of_one_bank_are_read_one_after_the_other);
	tcase_add_test(t, registers_of_one_number_are_read_once);
	tcase_add_test(t, bank_conflicts_are_counted);
	tcase_add_test(t, scarce_collectors_serve_sp_sfu_mem_tensor_dp_int_then_specialized_units);
	tcase_add_loop_test(t, a_strided_shared_load_takes_as_many_passes_as_lanes_meet_in_a_bank, 0, 11);
	tcase_add_test(t, lanes_that_read_one_word_get_it_in_one_pass);
	tcase_add_test(t, the_latency_of_a_shared_load_is_the_configured_one);
	tcase_add_test(t, shared_memory_gives_128_bytes_a_cycle);
	tcase_add_test(t, no_warp_passes_a_barrier_before_the_last_has_come);
	tcase_add_test(t, named_barriers_open_for_the_warps_that_they_count);
	tcase_add_test(t, a_fence_waits_for_the_acknowledgement_of_stores);
	tcase_add_test(t, a_fence_waits_for_loads);
	tcase_add_test(t, a_warp_waits_for_its_atomics);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
