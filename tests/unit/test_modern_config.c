// Configurations of GPUs for the modern core, and option files as Huerta et al. released theirs.
#include "base/option_forms.h"
#include "gpgpu-sim/modern/config.h"
#include "isa/gpu_desc.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static struct options o;
static struct diag d;
static struct core_config core;
static struct modern_config modern;

static void setup(void) { options_defaults(&o); }

static void teardown(void)
{
	options_free(&o);
	diag_free(&d);
}

static void load_text(const char *text) { ck_assert_msg(options_load_text(&o, "test.config", text, strlen(text), FROM_FILE, &d), "%s", d.text); }

static void load(const char *gpu, const char *file)
{
	char path[200];
	snprintf(path, sizeof path, "configs/%s/%s", gpu, file);
	ck_assert_msg(options_load(&o, path, &d), "%s", d.text);
}

static void build(void)
{
	ck_assert_msg(core_config_from_options(&core, &o, &d), "%s", d.text);
	ck_assert_msg(modern_config_from_options(&modern, &core, &o, &d), "%s", d.text);
	ck_assert_msg(!d.text, "%s", d.text);
}

// Data sheets: SMs, L2, memory bandwidth in MB/s (RTX2080TI: in state P2, as its file says); warps of an SM: CUDA C++
// Programming Guide.
static const struct gpu {
	const char *folder;
	unsigned sms, warps, l2_kb, mb_per_s, channels;
	// VOLTA, COMPUTE: with fast double precision, and as many lanes of FP32 as it issues
	enum { GRAPHICS, VOLTA, TURING, COMPUTE } kind;
} gpus[] = {
	{"SM86_RTXA6000", 84, 48, 6144, 768000, 24, GRAPHICS}, {"SM86_RTX3080", 68, 48, 5120, 760000, 20, GRAPHICS},
	{"SM86_RTX3080_TI", 80, 48, 6144, 912000, 24, GRAPHICS}, {"SM86_RTX3090", 82, 48, 6144, 936000, 24, GRAPHICS},
	{"SM75_RTX2080_TI", 68, 32, 5632, 616000, 22, TURING}, {"SM75_RTX2070_S", 40, 32, 4096, 448000, 16, TURING},
	{"SM120_RTX5070_TI", 70, 48, 49152, 896000, 16, GRAPHICS}, {"A100", 108, 64, 40960, 2039040, 40, COMPUTE},
	{"H100", 132, 64, 51200, 3352320, 80, COMPUTE}, {"H200", 132, 64, 61440, 4800000, 96, COMPUTE},
	{"SM89_RTX4090", 128, 48, 73728, 1008000, 24, GRAPHICS}, {"SM89_L40", 142, 48, 98304, 864000, 24, GRAPHICS},
	{"SM86_A10", 72, 48, 6144, 600000, 24, GRAPHICS}, {"SM75_T4", 40, 32, 4096, 320000, 16, TURING},
	{"B200", 148, 64, 128640, 7672320, 120, COMPUTE},
	{"V100", 80, 64, 6144, 898048, 32, VOLTA}, {"QV100", 80, 64, 6144, 870400, 32, VOLTA}, {"A40", 84, 48, 6144, 696000, 24, GRAPHICS},
	{"RTXA6000", 84, 48, 6144, 768000, 24, GRAPHICS}, {"RTX2080TI", 68, 32, 5632, 598400, 22, TURING},
};

START_TEST(gpus_have_the_size_and_the_bandwidth_of_their_data_sheets)
{
	const struct gpu *g = &gpus[_i];
	struct gpu_desc desc;
	load(g->folder, "gpgpusim.config");
	build();
	ck_assert_msg(gpu_desc_from_options(&desc, &o, &d), "%s", d.text);
	ck_assert_str_eq(o.core, "modern");
	ck_assert_uint_eq(desc.sm_count, g->sms);
	ck_assert_uint_eq(core.max_warps, g->warps);
	ck_assert_uint_eq(desc.l2_size, g->l2_kb * 1024);
	ck_assert_uint_eq(o.gpgpu_n_mem, g->channels);
	// A channel's bytes of a DRAM cycle: buses times their width times transfers.
	uint64_t bytes = (uint64_t)o.gpgpu_n_mem_per_ctrlr * o.gpgpu_dram_buswidth * o.dram_data_command_freq_ratio;
	ck_assert_uint_eq(o.gpgpu_n_mem * bytes * desc.clock_hz[CLOCK_DRAM], (uint64_t)g->mb_per_s * 1000000);
	// What programs compute from device properties is the same.
	ck_assert_uint_eq((uint64_t)desc.memory_bus_bits / 8 * 2 * desc.memory_clock_khz, (uint64_t)g->mb_per_s * 1000);
	ck_assert(modern.prefetch && modern.stream_lines == 8 && !modern.scoreboards && modern.rf_cache && modern.read_ports == 1);
	ck_assert(modern.to_l1 == 39 && modern.from_l1 == 39 && !modern.perfect_inst && !modern.perfect_const);
	ck_assert(modern.ibuffer == 3 && modern.const_hold == 4 && modern.yield_stall == 45 && modern.imad_hold == 1 && modern.assign_control);
	ck_assert(modern.fence_hold[1] == 53 && modern.fence_hold[2] == 186 && modern.fence_hold[3] == 2900);
	const unsigned l0_kb = g->kind == VOLTA ? 12 : g->kind == TURING ? 16 : 32;
	ck_assert_uint_eq(modern.l0i.sets * modern.l0i.ways * modern.l0i.line, l0_kb * 1024);
	ck_assert_uint_eq(modern.queue, g->kind == VOLTA || g->kind == TURING ? 3 : 4);
	ck_assert_int_eq(modern.first_stage_offset, g->kind == VOLTA || g->kind == TURING ? -1 : 0);
	ck_assert(modern.fp32_in_int == (g->kind == GRAPHICS));
	ck_assert(modern.dp_in_subcore == (g->kind == COMPUTE || g->kind == VOLTA));
	if (modern.dp_in_subcore) // a result after 8 cycles, 3 of them those of the dependence counter
		ck_assert_uint_eq(modern.unit[ISA_UNIT_DP].latency + modern.unit[ISA_UNIT_DP].interval + 3, 8);
	else
		ck_assert_uint_eq(modern.unit[ISA_UNIT_DP].latency, g->kind == TURING ? 25 : 24);
	// Traces: the same units.
	struct modern_config alone = modern;
	load(g->folder, "trace.config");
	build();
	for (unsigned u = 0; u < ISA_N_UNITS; u++)
		if (u != ISA_UNIT_TENSOR)
			ck_assert(modern.unit[u].latency == alone.unit[u].latency && modern.unit[u].interval == alone.unit[u].interval);
}
END_TEST

// What the released files say of the modern core, in their spelling: RTX 2080 Ti.
static const char released[] =
	"-is_SM_remodeling_enabled 1\n-is_L0I_enabled 1\n-gpgpu_cache:il0 N:4:128:32,L:R:f:N:L,S:32:16,8\n"
	"-gpgpu_cache:il1 N:64:128:16,L:R:f:N:L,S:32:32,32\n-gpgpu_subcore_const_cache:l0 N:4:64:2,L:R:f:N:L,S:32:32,32\n"
	"-gpgpu_const_cache:l1 N:2:64:8,L:R:f:N:L,S:32:32,32\n-gpgpu_tex_cache:l1 N:4:128:256,L:R:m:N:L,T:512:8,128:2\n"
	"-latency_L0_to_L1 39\n-latency_L1_to_L0 39\n-max_request_allowed_to_L1I 1\n-max_reply_allowed_from_L1I 1\n"
	"-is_instruction_prefetching_enabled 1\n-prefetch_per_stream_buffer_size 16\n-prefetch_num_stream_buffers 1\n"
	"-num_instruction_prefetches_per_cycle 1\n-ibuffer_remodeled_size 3\n-is_ibuffer_remodeled_enabled 1\n"
	"-is_fetch_and_decode_improved 1\n-fetch_decode_width 1\n-ibuffer_coalescing 0\n-invalidate_instruction_caches_at_kernel_end 1\n"
	"-perfect_instruction_cache 0\n-perfect_constant_cache 0\n-gpgpu_perfect_inst_const_cache 0\n"
	"-num_const_cache_cycle_misses_before_switch_to_other_warp 4\n-num_subcores_in_SM 4\n-num_wait_barriers_per_warp 6\n"
	"-is_remodeling_scoreboarding_enabled 1\n-scoreboard_war_mode opc\n-scoreboard_war_max_uses_per_reg 63\n"
	"-num_stall_cycles_wait_after_bits_stall_0_and_yield 46\n-num_cycles_issue_port_busy_after_imadwide 1\n"
	"-num_cycles_to_stall_SM_at_gpu_memory_barrier 186\n-num_cycles_to_stall_SM_at_system_memory_barrier 2900\n"
	"-num_cycles_to_stall_SM_at_cta_memory_barrier 53\n-branch_latency 2\n-half_latency 3\n-uniform_latency 2\n-predicate_latency 13\n"
	"-miscellaneous_queue_latency 2\n-miscellaneous_no_queue_latency 1\n-branch_initiation 1\n-half_initiation 2\n-uniform_initiation 2\n"
	"-predicate_initiation 2\n-miscellaneous_queue_initiation 2\n-miscellaneous_no_queue_initiation 1\n-miscellaneous_queue_size 3\n"
	"-is_fp32ops_allowed_in_int_pipeline 0\n-is_fp32_and_int_unified_pipeline 0\n-tensor_rate_per_cycle 2048\n-tensor_latency 32\n"
	"-tensor_extra_latency_16816_fp32_1688_fp32 8\n-gpgpu_num_reg_banks 8\n-num_regular_register_file_read_ports_per_bank 2\n"
	"-num_regular_register_file_write_ports_per_bank 1\n-is_rf_cache_enabled 0\n-max_operands_regular_register_file 4\n"
	"-max_latency_regular_register_file_latency 24\n-max_size_register_file_write_queue_for_fixed_latency_instructions 8\n"
	"-max_pops_per_cycle_register_file_write_queue_for_fixed_latency_instructions 1\n"
	"-num_threads_granularity_read_regular_register_file_dp_inst 32\n-num_threads_granularity_read_regular_register_file_mem_inst 32\n"
	"-num_threads_granularity_read_regular_register_file_sfu_inst 32\n-num_threads_granularity_read_regular_register_file_other_inst 32\n"
	"-num_cycles_needed_to_write_a_reg_from_sm_struct_to_subcore 2\n-memory_subcore_queue_size 3\n"
	"-memory_intermidiate_stages_subcore_unit 6\n-memory_num_scalar_units_per_subcore 8\n"
	"-offset_latency_firts_stage_memory_subcore -1\n-memory_subcore_link_to_sm_byte_size 128\n"
	"-is_load_half_bandwidth_in_the_subcore_link_to_sm_enabled 1\n-is_store_half_bandwidth_in_the_subcore_link_to_sm_enabled 1\n"
	"-num_cycles_to_wait_to_dispatch_another_inst_from_subcore_to_sm_shared_pipeline_when_is_mem_inst 2\n"
	"-num_cycles_to_wait_to_dispatch_another_inst_from_subcore_to_sm_shared_pipeline_when_is_dp_inst 1\n-memory_sm_prt_size 128\n"
	"-number_of_coalescers 4\n-memory_maximum_coalescing_cycles 1\n-prt_selection_policy_string OLDEST\n"
	"-sm_memory_unit_l1c_access_queue_size 1\n-sm_memory_unit_l1t_access_queue_size 1\n-sm_memory_unit_l1d_access_queue_size 1\n"
	"-sm_memory_unit_shmem_access_queue_size 1\n-sm_memory_unit_bypass_l1d_directly_go_to_l2_access_queue_size 1\n"
	"-sm_memory_unit_miscellaneous_access_queue_size 1\n-memory_shared_memory_minimum_latency 7\n"
	"-memory_shared_memory_extra_latency_ldsm_multiple_matrix 2\n-memory_subcore_extra_latency_load_shared_mem 2\n"
	"-memory_l1d_minimum_latency 13\n-memory_l1d_max_lookups_per_cycle_per_bank 4\n-constant_cache_latency_at_sm_structure 11\n"
	"-memory_global_shared_latency_for_ldgsts 19\n-memmory_max_concurrent_requests_shmem_per_sm 999999\n"
	"-memmory_max_concurrent_requests_standard_per_sm 1024\n-is_interwarp_coalescing_enabled 0\n-is_dp_pipeline_shared_for_subcores 1\n"
	"-dp_sm_shared_queue_size 1\n-dp_subcore_queue_size 3\n-dp_shared_intermidiate_stages 5\n-dp_subcore_max_latency 13\n"
	"-gpgpu_num_sched_per_core 4\n-gpgpu_scheduler gto\n-gpgpu_sub_core_model 1\n-gpgpu_enable_specialized_operand_collector 0\n"
	"-gpgpu_operand_collector_num_units_gen 8\n-gpgpu_operand_collector_num_in_ports_gen 8\n"
	"-gpgpu_operand_collector_num_out_ports_gen 8\n-gpgpu_num_sp_units 4\n-gpgpu_num_int_units 4\n-gpgpu_num_dp_units 4\n"
	"-gpgpu_num_sfu_units 4\n-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8,4,4\n-gpgpu_shader_core_pipeline 1024:32\n-gpgpu_shader_cta 32\n-gpgpu_shader_registers 65536\n-gpgpu_shmem_size 65536\n"
	"-gpgpu_shmem_sizeDefault 65536\n-gpgpu_shmem_per_block 65536\n-gpgpu_shmem_option 0,8,16,32,64\n-gpgpu_unified_l1d_size 96\n"
	"-gpgpu_adaptive_cache_config 1\n-gpgpu_l1_banks 4\n-gpgpu_coalesce_arch 75\n-gpgpu_l1_cache_write_ratio 0\n"
	"-gpgpu_gmem_skip_L1D 0\n-gpgpu_flush_l1_cache 1\n-gpgpu_flush_l2_cache 1\n-gpgpu_kernel_launch_latency 1500\n"
	"-gpgpu_n_clusters 68\n-gpgpu_n_cores_per_cluster 1\n-gpgpu_n_mem 22\n-gpgpu_n_sub_partition_per_mchannel 2\n"
	"-gpgpu_clock_domains 1350:1350:1350:3500\n-gpgpu_cache:dl2 S:64:128:16,L:B:m:L:P,A:192:96,32:0,32\n"
	"-gpgpu_memory_partition_indexing 2\n-gpgpu_l2_rop_latency 182\n-dram_latency 175\n-gpgpu_perf_sim_memcpy 1\n";

static const char released_trace[] =
	"-trace_opcode_latency_initiation_int 2,2\n-trace_opcode_latency_initiation_sp 2,2\n-trace_opcode_latency_initiation_dp 25,16\n"
	"-trace_opcode_latency_initiation_sfu 9,7\n-trace_opcode_latency_initiation_tensor 8,8\n-trace_opcode_latency_initiation_branch 2,1\n"
	"-trace_opcode_latency_initiation_half 6,5\n-trace_opcode_latency_initiation_uniform 2,2\n-trace_opcode_latency_initiation_predicate 13,2\n"
	"-trace_opcode_latency_initiation_miscellaneous_queue 2,2\n-trace_opcode_latency_initiation_miscellaneous_no_queue 1,1\n"
	"-specialized_unit_2 1,4,200,4,4,TEX\n-trace_opcode_latency_initiation_spec_op_2 200,4\n";

START_TEST(option_files_of_the_authors_load_as_they_are)
{
	load_text(released);
	load_text(released_trace);
	build();
	ck_assert(modern.scoreboards && modern.war && modern.war_uses == 63 && modern.read_ports == 2 && !modern.rf_cache);
	ck_assert(modern.yield_stall == 46 && modern.stream_lines == 16 && modern.queue == 3 && modern.first_stage_offset == -1);
	ck_assert(modern.l1d_latency == 13 && modern.const_latency == 11 && modern.dp_stages == 5 && !modern.fp32_in_int);
	// Units come from trace.config, but for those that the other file names.
	ck_assert(modern.unit[ISA_UNIT_DP].latency == 25 && modern.unit[ISA_UNIT_SFU].latency == 9 && modern.unit[ISA_UNIT_SFU].interval == 7);
	ck_assert(modern.unit[ISA_UNIT_HALF].latency == 3 && modern.unit[ISA_UNIT_HALF].interval == 2 && modern.predicate_total == 13);
	ck_assert_uint_eq(modern.l0vl.sets, 2); // their name for it: -gpgpu_const_cache:l1
}
END_TEST

START_TEST(wrong_values_are_named)
{
	load_text("-core modern\n-trace_opcode_latency_initiation_half 3\n");
	ck_assert(core_config_from_options(&core, &o, &d));
	ck_assert(!modern_config_from_options(&modern, &core, &o, &d));
	ck_assert_ptr_nonnull(strstr(d.text, "-trace_opcode_latency_initiation_half"));
	ck_assert_ptr_nonnull(strstr(d.text, "expected latency,initiation"));
}
END_TEST

START_TEST(an_l0_cache_has_its_own_replacement)
{
	load_text("-core modern\n-gpgpu_cache:il0 N:8:128:32,S:R:f:N:L,S:32:16,8\n");
	ck_assert(core_config_from_options(&core, &o, &d));
	ck_assert(!modern_config_from_options(&modern, &core, &o, &d));
	ck_assert_ptr_nonnull(strstr(d.text, "-gpgpu_cache:il0"));
	ck_assert_ptr_nonnull(strstr(d.text, "an L0 cache replaces"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("modern configurations");
	TCase *tc = tcase_create("configurations");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, gpus_have_the_size_and_the_bandwidth_of_their_data_sheets, 0, sizeof gpus / sizeof *gpus);
	tcase_add_test(tc, option_files_of_the_authors_load_as_they_are);
	tcase_add_test(tc, wrong_values_are_named);
	tcase_add_test(tc, an_l0_cache_has_its_own_replacement);
	suite_add_tcase(s, tc);
	return check_main(s);
}
