// Configurations that cannot work: each ends with a sentence that names the option, none hangs. Those that only look
// odd run to the end.
#include "tests/unit/kernel_text.h"
#include "tests/unit/timing_harness.h"

// Every class of instruction that has a unit of its own.
static const char kernel[] = KERNEL_HEAD ".shared .align 16 .b8 buf[2048]; .const .b32 c[4] = {1, 2, 3, 4};\n" KERNEL_ENTRY("k")
	"mad.lo.u32 %r10, %r1, 3, %r2; div.u32 %r11, %r10, 3; cvt.rn.f32.u32 %f1, %r10; fma.rn.f32 %f2, %f1, %f1, %f1;\n"
	"ex2.approx.f32 %f3, %f2; cvt.f64.f32 %fd1, %f3; fma.rn.f64 %fd2, %fd1, %fd1, %fd1; ld.const.u32 %r12, [c + 4];\n"
	"and.b32 %r13, %r1, 255; shl.b32 %r13, %r13, 2; mov.u32 %r14, buf; add.u32 %r14, %r14, %r13; "
	"st.shared.u32 [%r14], %r12;\n"
	"bar.sync 0; ld.shared.u32 %r15, [%r14]; mad.wide.u32 %rd10, %r4, 4, %rd1; ld.global.u32 %r16, [%rd10];\n"
	"add.u32 %r16, %r16, %r15; cvt.rzi.u32.f64 %r17, %fd2; add.u32 %r16, %r16, %r17; st.global.u32 [%rd10], %r16;\n"
	"atom.global.add.u32 %r18, [%rd1], 1; membar.gl; vote.sync.any.pred %p1, %p1, -1; ret; }\n";

#define SUB "-gpgpu_num_sched_per_core 4\n-gpgpu_sub_core_model 1\n-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8,4,4\n" \
	"-gpgpu_num_sp_units 4\n-gpgpu_num_dp_units 4\n-gpgpu_num_int_units 4\n-gpgpu_num_sfu_units 4\n"
#define SPECIAL "-gpgpu_enable_specialized_operand_collector 1\n-gpgpu_operand_collector_num_units_gen 0\n" \
	"-gpgpu_operand_collector_num_in_ports_gen 0\n-gpgpu_operand_collector_num_out_ports_gen 0\n" \
	"-gpgpu_operand_collector_num_units_int 4\n-gpgpu_operand_collector_num_in_ports_int 1\n" \
	"-gpgpu_operand_collector_num_out_ports_int 1\n-gpgpu_operand_collector_num_units_dp 4\n" \
	"-gpgpu_operand_collector_num_in_ports_dp 1\n-gpgpu_operand_collector_num_out_ports_dp 1\n"
#define DL1  "-gpgpu_cache:dl1 "
#define DL2  "-gpgpu_cache:dl2 "
#define CU   "-gpgpu_operand_collector_num_"
#define REAL "-gpgpu_perfect_inst_const_cache 0\n"

static const struct row {
	const char *options;
	const char *why; // in the message; NULL: runs to the end
} row[] = {
	{"", NULL},
	// Fewer units than sub-cores.
	{SUB, NULL},
	{SUB "-gpgpu_num_sp_units 1\n", "-gpgpu_num_sp_units: 1 units for the 4 schedulers"},
	{SUB "-gpgpu_num_sp_units 2\n", "give it 4, or set -gpgpu_sub_core_model 0"},
	{SUB "-gpgpu_num_sfu_units 1\n", "-gpgpu_num_sfu_units"},
	{SUB "-gpgpu_num_dp_units 1\n", "-gpgpu_num_dp_units"},
	{SUB "-gpgpu_num_int_units 3\n", "-gpgpu_num_int_units"},
	{SUB "-gpgpu_tensor_core_avail 1\n-gpgpu_num_tensor_core_units 1\n", "-gpgpu_num_tensor_core_units"},
	{SUB "-specialized_unit_1 1,1,4,4,4,BRA\n", "-specialized_unit_1: 1 units for the 4 schedulers"},
	{SUB "-specialized_unit_2 1,4,4,2,4,BRA\n", "-specialized_unit_2 must be 4"},
	{SUB "-specialized_unit_1 1,4,4,4,4,BRA\n", NULL},
	{SUB "-gpgpu_num_dp_units 0\n", NULL},
	{SUB "-gpgpu_num_int_units 0\n", NULL},
	{SUB "-gpgpu_num_sp_units 6\n", NULL},
	{SUB "-gpgpu_pipeline_widths 4,4,4,4,4,1,4,4,4,4,8,4,4\n", "-gpgpu_pipeline_widths must be 4"},
	{SUB CU "out_ports_gen 1\n", NULL},
	{SUB CU "units_gen 6\n", "cannot be dealt to 4 schedulers"},
	// Pipes without a collector.
	{CU "units_gen 0\n",
		"-gpgpu_operand_collector_num_units_gen and -gpgpu_operand_collector_num_in_ports_gen to at least 1"},
	{CU "in_ports_gen 0\n", "no operand collector serves the sp units"},
	{CU "out_ports_gen 0\n", "-gpgpu_operand_collector_num_out_ports_gen is 0"},
	{SPECIAL, NULL},
	{SPECIAL CU "units_sp 0\n", "no operand collector serves the sp units"},
	{SPECIAL CU "units_dp 0\n", "no operand collector serves the dp units"},
	{SPECIAL CU "units_int 0\n", "no operand collector serves the int units"},
	{SPECIAL CU "units_sfu 0\n", "no operand collector serves the sfu units"},
	{SPECIAL CU "units_mem 0\n", "or those of _mem"},
	{SPECIAL CU "in_ports_mem 0\n", "no operand collector serves the mem units"},
	{SPECIAL CU "out_ports_mem 0\n", "-gpgpu_operand_collector_num_out_ports_mem is 0"},
	{SPECIAL "-specialized_unit_1 1,1,4,4,4,BRA\n", "no operand collector serves the specialized units"},
	{SPECIAL "-gpgpu_num_dp_units 0\n" CU "units_dp 0\n", NULL},
	{"-gpgpu_enable_specialized_operand_collector 1\n" CU "units_mem 0\n", NULL},
	// Units and widths.
	{"-gpgpu_num_sp_units 0\n", "-gpgpu_num_sp_units"},
	{"-gpgpu_num_sfu_units 0\n", "-gpgpu_num_sfu_units"},
	{"-gpgpu_num_dp_units 0\n", NULL},
	{"-gpgpu_num_int_units 0\n", NULL},
	{"-specialized_unit_1 1,0,4,4,4,BRA\n", "enabled with 0 units"},
	{"-specialized_unit_1 1,1,4,0,4,BRA\n", "-specialized_unit"},
	{"-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,0,4,4\n", "-gpgpu_pipeline_widths (EX_WB)"},
	{"-gpgpu_pipeline_widths 1,1\n", "'1,1' has 2 numbers; there are five into the collectors"},
	{"-gpgpu_pipeline_widths 0,4,4,4,4,4,4,4,4,4,8,4,4\n", "-gpgpu_pipeline_widths"},
	{"-gpgpu_pipeline_widths 4,4,4,4,0,4,4,4,4,4,8,4,4\n", "-gpgpu_pipeline_widths"},
	{"-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,0,8,4,4\n", "-gpgpu_pipeline_widths"},
	{"-ptx_opcode_latency_int 0,0,0,0,0,0\n", NULL},
	{"-ptx_opcode_initiation_int 0,0,0,0,0,0\n", NULL},
	{"-ptx_opcode_initiation_int 100,100,100,100,100,100\n", NULL},
	// Schedulers that may choose no warp.
	{"-gpgpu_scheduler two_level_active:0:0:1\n", "keeps N warps active, at least 1"},
	{"-gpgpu_scheduler warp_limiting:2:0\n", "lets N warps run, at least 1"},
	{"-gpgpu_num_reg_banks 0\n", "-gpgpu_num_reg_banks"},
	{"-gpgpu_num_reg_banks 1\n", NULL},
	{"-gpgpu_inst_fetch_throughput 0\n", "-gpgpu_inst_fetch_throughput"},
	{"-gpgpu_reg_file_port_throughput 0\n", "-gpgpu_reg_file_port_throughput"},
	// Too little for one CTA: the launch says so.
	{"-gpgpu_shader_registers 1024\n", "needs more than an SM of the configured GPU has: registers"},
	{"-gpgpu_shmem_size 1024\n-gpgpu_shmem_sizeDefault 1024\n", "has: shared memory"},
	{"-gpgpu_shader_core_pipeline 128:32\n", "has: threads"},
	{"-gpgpu_concurrent_kernel_sm 1\n-gpgpu_shader_cta 1\n", NULL},
	// Queues.
	{"-gpgpu_dram_partition_queues 64:64:0:64\n", "-gpgpu_dram_partition_queues"},
	{"-gpgpu_dram_partition_queues 1:1:1:1\n", NULL},
	{"-gpgpu_frfcfs_dram_sched_queue_size 0\n", NULL}, // 0: without limit
	{"-gpgpu_dram_return_queue_size 0\n", NULL},
	{"-gpgpu_frfcfs_dram_sched_queue_size 1\n-gpgpu_dram_return_queue_size 1\n", NULL},
	{"-dram_seperate_write_queue_enable 1\n-dram_write_queue_size 0:0:0\n", "-dram_write_queue_size"},
	{"-dram_seperate_write_queue_enable 1\n-dram_write_queue_size 1:1:1\n", NULL},
	{"-icnt_in_buffer_limit 0\n", "-icnt_in_buffer_limit"},
	{"-icnt_out_buffer_limit 0\n", "-icnt_out_buffer_limit"},
	{"-icnt_in_buffer_limit 1\n-icnt_out_buffer_limit 1\n", NULL},
	{"-gpgpu_n_cluster_ejection_buffer_size 0\n", "-gpgpu_n_cluster_ejection_buffer_size"},
	{"-gpgpu_n_ldst_response_buffer_size 0\n", "-gpgpu_n_ldst_response_buffer_size"},
	{"-gpgpu_mem_unit_ports 0\n", "-gpgpu_mem_unit_ports"},
	// Caches.
	{DL1 "S:4:128:64,L:L:m:N:L,A:0:8,16:0,32\n", "MSHR entries and merges are at least 1"},
	{DL1 "S:4:128:64,L:L:m:N:L,A:512:0,16:0,32\n", "MSHR entries and merges are at least 1"},
	{DL1 "S:4:128:64,L:L:m:N:L,A:512:8,0:0,32\n", NULL},
	{DL1 "S:4:128:64,L:L:m:N:L,A:512:8,16:0,0\n", NULL},
	{DL1 "S:4:128:64,L:L:m:N:L,A:1:1,1:0,1\n", NULL},
	{DL1 "none\n", NULL},
	{DL2 "S:32:128:24,L:B:m:L:P,A:192:4,0:0,0\n", NULL},
	{DL2 "S:1:128:1,L:B:m:L:L,A:1:1,1:0,1\n", NULL},
	{DL2 "none\n", NULL},
	{DL2 "none\n-dram_seperate_write_queue_enable 1\n-dram_write_queue_size 64:56:32\n", NULL},
	{REAL "-gpgpu_cache:il1 N:64:128:16,L:R:f:N:L,S:2:48,0\n", NULL},
	{REAL "-gpgpu_cache:il1 none\n", NULL},
	{REAL "-gpgpu_const_cache:l1 N:128:64:8,L:R:f:N:L,S:2:64,0\n", NULL},
	{REAL "-gpgpu_const_cache:l1 none\n", NULL},
	{"-gpgpu_adaptive_cache_config 1\n-gpgpu_unified_l1d_size 0\n-gpgpu_shmem_option 0,8\n", NULL},
};

// Taken, with a word about it.
START_TEST(what_is_lacking_or_not_used_is_said)
{
	static const struct row odd[] = {
		{"-ptx_opcode_latency_int 1,1\n", "-ptx_opcode_latency_int: '1,1' has no numbers for all of add, max, mul, mad and div"},
		{"-gpgpu_adaptive_cache_config 1\n-gpgpu_unified_l1d_size 96\n-gpgpu_shmem_option 0,8\n"
		 "-gpgpu_cache:dl1PrefL1 S:4:128:96,L:L:m:N:L,A:512:8,16:0,32\n", "-gpgpu_cache:dl1PrefL1 is not used"},
	};
	struct diag why = {0};
	struct timed *t = timed_make(kernel, &why, (const char *const[]){TIMED_BASE, odd[_i].options, NULL});
	ck_assert_msg(t && why.warnings == 1 && strstr(why.text, odd[_i].why), "%s", why.text ? why.text : "nothing was said");
	timed_free(t);
	diag_free(&why);
}
END_TEST

// Sizes that another option overrides: everyday, so at the head of the statistics, once.
START_TEST(an_overridden_size_has_a_line_in_the_head)
{
	static const struct row sizes[] = {
		{"-gpgpu_adaptive_cache_config 1\n-gpgpu_unified_l1d_size 128\n-gpgpu_shmem_option 0,8\n",
		 "heddle_note = -gpgpu_cache:dl1 gives L1D 32 KB, which -gpgpu_adaptive_cache_config 1 overrides: a kernel has what its "
		 "shared memory leaves of -gpgpu_unified_l1d_size 128 KB\n"},
		{"-gpgpu_shmem_size 49152\n-gpgpu_shmem_sizeDefault 65536\n",
		 "heddle_note = -gpgpu_shmem_sizeDefault 65536 overrides -gpgpu_shmem_size 49152"},
		{"-gpgpu_perfect_inst_const_cache 1\n", "heddle_note = -gpgpu_perfect_inst_const_cache 1 overrides the sizes in "
		 "-gpgpu_cache:il1 and -gpgpu_const_cache:l1: every access hits\n"},
		{"-l2_ideal 1\n", "heddle_note = -l2_ideal 1 overrides the size in -gpgpu_cache:dl2: every access hits\n"},
		{"-core modern\n-gpgpu_num_sched_per_core 2\n", "heddle_note = -core modern overrides -gpgpu_num_sched_per_core 2"},
	};
	struct diag why = {0};
	struct timed *t = timed_make(kernel, &why, (const char *const[]){TIMED_BASE, sizes[_i].options, NULL});
	ck_assert_msg(t && !why.len, "%s", why.text);
	gpu_set_output(t->gpu, timed_put, t);
	gpu_take_remarks(t->gpu, &why);
	uint64_t p[4] = {timed_alloc(t, 1 << 16), 0, 0, 0};
	timed_run(t, "k", 4, 256, 0, p, 4);
	timed_run(t, "k", 4, 256, 0, p, 4);
	const char *line = strstr(t->text, sizes[_i].why);
	ck_assert_msg(line && !strstr(line + 1, sizes[_i].why), "%.1500s", t->text);
	timed_free(t);
	diag_free(&why);
}
END_TEST

START_TEST(a_configuration_runs_or_is_refused_with_a_sentence)
{
	const struct row *r = &row[_i];
	struct diag why = {0};
	struct timed *t = timed_make(kernel, &why, (const char *const[]){TIMED_BASE, r->options, NULL});
	if (!t) {
		ck_assert_msg(r->why && strstr(why.text, r->why), "%s: %s", r->options, why.text);
		diag_free(&why);
		return;
	}
	t->may_fault = true;
	uint64_t p[4] = {timed_alloc(t, 1 << 16), 0, 0, 0};
	uint64_t c = timed_run(t, "k", 4, 256, 0, p, 4);
	const char *fault = t->launch[0].fault.text;
	if (r->why)
		ck_assert_msg(strstr(fault, r->why) != NULL, "%s: %s", r->options, fault);
	else
		ck_assert_msg(!*fault && c < 100000, "%s: %llu cycles, %s", r->options, (unsigned long long)c, fault);
	timed_free(t);
	diag_free(&why);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bad_config");
	TCase *t = tcase_create("bad_config");
	tcase_set_timeout(t, 20);
	tcase_add_loop_test(t, what_is_lacking_or_not_used_is_said, 0, 2);
	tcase_add_loop_test(t, an_overridden_size_has_a_line_in_the_head, 0, 5);
	tcase_add_loop_test(t, a_configuration_runs_or_is_refused_with_a_sentence, 0, sizeof row / sizeof *row);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
