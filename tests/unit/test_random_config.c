// Random but legal GPUs run a few small kernels: right results, no deadlock, nothing lost; ticking every cycle and
// running twice give the same counters and the same statistics. The control bits that PTX is given make no hazards.
//
// HEDDLE_CONFIGS=FROM:TO runs these numbers instead of the sample (make check-full runs 200),
// HEDDLE_SHOW=1 prints the options.
#include "tests/unit/kernel_text.h"
#include "tests/unit/random.h"
#include "tests/unit/timing_harness.h"

#include "gpgpu-sim/modern/modern.h"

#include <sys/wait.h>

// Numbers from here on: the GPU of the number behind it with a modern core.
enum { MODERN = 10000 };

static unsigned between(unsigned lo, unsigned hi) { return lo + pick(hi - lo + 1); }
static bool chance(unsigned percent) { return pick(100) < percent; }
#define ONE_OF(...) ((const char *const[]){__VA_ARGS__})[pick(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))]
#define NUM_OF(...) ((const unsigned[]){__VA_ARGS__})[pick(sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))]

// --- options

static struct text opt;
static bool l2_sectored;

__attribute__((format(printf, 1, 2))) static void set(const char *fmt, ...)
{
	char line[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	text_add(&opt, line);
	text_add(&opt, "\n");
}

static void numbers(const char *option, unsigned n, unsigned lo, unsigned hi)
{
	char line[300];
	int at = snprintf(line, sizeof line, "%s ", option);
	for (unsigned i = 0; i < n; i++)
		at += snprintf(line + at, sizeof line - (size_t)at, "%s%u", i ? "," : "", between(lo, hi));
	set("%s", line);
}

static void core_options(void)
{
	unsigned sched = NUM_OF(1, 2, 4), sub = chance(40), banks = sched * NUM_OF(2, 4, 8);
	set("-gpgpu_num_sched_per_core %u", sched);
	set("-gpgpu_sub_core_model %u", sub);
	set("-gpgpu_scheduler %s", ONE_OF("lrr", "gto", "old", "rrr", "two_level_active:1:0:1", "two_level_active:4:0:1",
	                                  "warp_limiting:2:1", "warp_limiting:2:4"));
	set("-gpgpu_max_insn_issue_per_warp %u", between(1, 2));
	set("-gpgpu_dual_issue_diff_exec_units %u", pick(2));
	set("-gpgpu_inst_fetch_throughput %u", between(1, 4));
	set("-gpgpu_num_reg_banks %u", banks);
	set("-gpgpu_reg_file_port_throughput %u", between(1, 3));
	bool has_int = chance(60), has_dp = chance(60);
	static const char *const unit[] = {"sp", "dp", "int", "sfu"};
	for (unsigned i = 0; i < 4; i++)
		set("-gpgpu_num_%s_units %u", unit[i], (i == 1 && !has_dp) || (i == 2 && !has_int) ? 0 : sub ? sched : between(1, 4));
	unsigned w = sub ? sched : 0;
	set("-gpgpu_pipeline_widths %u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u", w ? w : between(1, 4), w ? w : between(1, 3),
	    w ? w : between(1, 3), w ? w : between(1, 3), w ? w : between(1, 3), w ? w : between(1, 4),
	    w ? w : between(1, 3), w ? w : between(1, 3), w ? w : between(1, 3), w ? w : between(1, 3), between(1, 8));
	bool special = chance(50);
	set("-gpgpu_enable_specialized_operand_collector %u", special);
	static const char *const cu[] = {"gen", "sp", "dp", "int", "sfu", "mem"};
	for (unsigned i = 0; i < 6; i++) {
		unsigned least = i == 0 ? !special : 1, k = between(least, sched == 4 && sub ? 2 : 4);
		set("-gpgpu_operand_collector_num_units_%s %u", cu[i], sub ? k * sched : k);
		set("-gpgpu_operand_collector_num_in_ports_%s %u", cu[i], k ? between(1, 3) : 0);
		set("-gpgpu_operand_collector_num_out_ports_%s %u", cu[i], k ? between(1, 3) : 0);
	}
	set("-gpgpu_operand_collector_num_units_tensor_core 0");
	numbers("-ptx_opcode_latency_int", 6, 1, 30);
	numbers("-ptx_opcode_initiation_int", 6, 1, 5);
	numbers("-ptx_opcode_latency_fp", 5, 1, 30);
	numbers("-ptx_opcode_initiation_fp", 5, 1, 5);
	numbers("-ptx_opcode_latency_dp", 5, 1, 60);
	numbers("-ptx_opcode_initiation_dp", 5, 1, 20);
	numbers("-ptx_opcode_latency_sfu", 1, 1, 60);
	numbers("-ptx_opcode_initiation_sfu", 1, 1, 9);
	set("-gpgpu_shader_core_pipeline %u:32", NUM_OF(256, 512, 1024, 1536, 2048));
	set("-gpgpu_shader_cta %u", between(1, 16));
	set("-gpgpu_shader_registers %u", NUM_OF(16384, 32768, 65536));
	set("-gpgpu_shmem_sizeDefault %u", NUM_OF(16384, 49152, 98304));
	set("-gpgpu_concurrent_kernel_sm %u", pick(2));
	set("-gpgpu_simt_core_sim_order %u", pick(2));
}

static void modern_options(void)
{
	set("-core modern\n-gpgpu_perfect_inst_const_cache %u", chance(20));
	set("-gpgpu_cache:il0 N:%u:128:%u,L:R:f:N:L,S:%u:%u,%u", NUM_OF(1, 4, 8), NUM_OF(1, 2, 32), NUM_OF(1, 32),
	    NUM_OF(1, 16), NUM_OF(1, 8));
	set("-gpgpu_subcore_const_cache:l0 N:%u:64:%u,L:R:f:N:L,S:%u:%u,32", NUM_OF(1, 4), NUM_OF(1, 2), NUM_OF(1, 32),
	    NUM_OF(1, 32));
	set("-gpgpu_const_cache:l0vl N:%u:64:%u,L:R:f:N:L,S:%u:%u,32", NUM_OF(1, 4), NUM_OF(1, 8), NUM_OF(1, 32),
	    NUM_OF(1, 32));
	set("-latency_L0_to_L1 %u\n-latency_L1_to_L0 %u", NUM_OF(0, 1, 7, 39), NUM_OF(0, 1, 7, 39));
	set("-max_request_allowed_to_L1I %u\n-max_reply_allowed_from_L1I %u", between(1, 2), between(1, 2));
	set("-is_instruction_prefetching_enabled %u\n-prefetch_per_stream_buffer_size %u", chance(70), NUM_OF(1, 2, 8, 32));
	set("-ibuffer_remodeled_size %u\n-perfect_instruction_cache %u\n-perfect_constant_cache %u", NUM_OF(1, 2, 3, 3, 6),
	    chance(20), chance(20));
	set("-is_remodeling_scoreboarding_enabled %u\n-scoreboard_war_mode %s\n-scoreboard_war_max_uses_per_reg %u",
	    chance(40), ONE_OF("opc", "opc", "disabled"), NUM_OF(1, 3, 63, 9999));
	set("-check_control_bits %u", chance(50));
	set("-assign_control_bits %u\n-num_cycles_issue_port_busy_after_imadwide %u", chance(70), between(0, 4));
	static const char *const unit[] = {"int", "sp", "dp", "sfu", "half", "uniform", "branch", "predicate", "miscellaneous_queue", "miscellaneous_no_queue"};
	for (unsigned i = 0; i < 10; i++)
		set("-%s_latency %u\n-%s_initiation %u", unit[i], between(1, 20), unit[i], between(1, 8));
	set("-is_fp32ops_allowed_in_int_pipeline %u\n-is_dp_pipeline_shared_for_subcores %u\n-dp_unit_in_subcore %u", pick(2), pick(2), pick(2));
	set("-num_regular_register_file_read_ports_per_bank %u\n-num_regular_register_file_write_ports_per_bank %u",
	    between(1, 3), between(1, 2));
	set("-is_rf_cache_enabled %u\n-max_size_register_file_write_queue_for_fixed_latency_instructions %u", pick(2),
	    NUM_OF(1, 8));
	set("-memory_subcore_queue_size %u\n-memory_num_scalar_units_per_subcore %u", NUM_OF(1, 3, 4), NUM_OF(1, 8, 32));
	set("-memory_sm_prt_size %u\n-number_of_coalescers %u\n-memory_l1d_max_lookups_per_cycle_per_bank %u",
	    NUM_OF(1, 2, 128), NUM_OF(1, 4), NUM_OF(1, 4));
	set("-memory_shared_pass_cycles %u", between(1, 3));
	set("-memory_l1d_bank_conflicts %u\n-memory_l1d_pass_cycles %u\n-memory_l1d_bypass_latency %u", pick(2), between(1, 3),
	    NUM_OF(0, 0, 1, 13));
	set("-texture_lanes_per_cycle %u\n-texture_tiles %u", NUM_OF(0, 1, 4, 32), pick(2));
	set("-memory_l1d_minimum_latency %u\n-memory_shared_memory_minimum_latency %u\n"
	    "-constant_cache_latency_at_sm_structure %u", between(1, 20), between(1, 20),
	    between(1, 20));
	set("-dp_subcore_queue_size %u\n-dp_shared_intermidiate_stages %u\n-miscellaneous_queue_size %u", between(1, 3),
	    between(1, 6), between(1, 3));
}

static void cache_options(void)
{
	static const unsigned set_count[] = {4, 8, 16, 32, 64};
	char index = "LLXP"[pick(4)];
	bool on_miss = chance(70); // else write-through, that fetches nothing for a write
	char write = on_miss ? "TBLE"[pick(4)] : 'T', allocate = on_miss ? 'm' : "fs"[pick(2)];
	bool sectored = chance(50);
	set("-gpgpu_coalesce_arch %s", sectored ? ONE_OF("60", "70", "75") : ONE_OF("13", "20", "35", "60", "70", "75"));
	if (chance(10))
		set("-gpgpu_cache:dl1 none");
	else if (sectored)
		set("-gpgpu_cache:dl1 S:%u:128:%u,%c:%c:%c:%c:%c,A:%u:%u,%u:0,32", index == 'P' ? 16 : set_count[pick(5)], NUM_OF(1, 2, 4, 24), "LF"[pick(2)],
		    write, allocate, !on_miss ? "NW"[pick(2)] : write == 'T' ? "NWL"[pick(3)] : "NWFL"[pick(4)], index, NUM_OF(1, 4, 64), between(1, 8), between(2, 16));
	else
		set("-gpgpu_cache:dl1 N:%u:128:%u,%c:%c:%c:%c:%c,%c:%u:%u,%u", index == 'P' ? 32 : set_count[pick(5)],
		    NUM_OF(1, 2, 4), "LF"[pick(2)], write, allocate, "NNW"[pick(3)], index, l2_sectored ? 'S' : "AS"[pick(2)],
		    NUM_OF(1, 4, 64), between(1, 8), between(2, 16));
	set("-gpgpu_l1_latency %u", between(1, 40));
	set("-gpgpu_l1_banks %u", NUM_OF(1, 2, 4, 8));
	set("-gpgpu_l1_banks_hashing_function %u", pick(2));
	set("-gpgpu_l1_cache_write_ratio %u", NUM_OF(0, 25, 50));
	set("-gpgpu_smem_latency %u", between(2, 30));
	set("-gpgpu_gmem_skip_L1D %u", chance(20));
	set("-gpgpu_flush_l1_cache %u", pick(2));
	set("-gpgpu_flush_l2_cache %u\n-flush_caches_at_launch %u", chance(20), chance(10));
	set("-l2_atomic_words %u", NUM_OF(0, 0, 1, 2, 8));
	set("-gpgpu_n_ldst_response_buffer_size %u", between(1, 4));
	set("-gpgpu_mem_unit_ports %u", between(1, 2));
	unsigned shared_banks = NUM_OF(16, 32);
	set("-gpgpu_shmem_num_banks %u\n-gpgpu_shmem_warp_parts %u\n-gpgpu_shmem_limited_broadcast %u\n-gpgpu_shmem_wide_phases %u",
	    shared_banks, 32 / shared_banks, pick(2), pick(2));
	set("-gpgpu_perfect_inst_const_cache %u", pick(2));
	set("-gpgpu_cache:il1 N:%u:128:%u,L:R:f:N:L,S:%u:%u,%u", NUM_OF(4, 16, 64), NUM_OF(1, 4), between(1, 4),
	    NUM_OF(1, 4, 32), between(1, 4));
	set("-gpgpu_const_cache:l1 N:%u:64:%u,L:R:f:N:L,S:%u:%u,%u", NUM_OF(4, 16, 64), NUM_OF(1, 4), between(1, 4),
	    NUM_OF(1, 4, 32), between(1, 4));
	set("-gpgpu_tex_cache:l1 N:4:128:%u,L:R:m:N:L,T:%u:%u,%u:2", NUM_OF(4, 24), between(4, 64), between(2, 8),
	    between(4, 64));
	if (chance(20))
		set("-gpgpu_adaptive_cache_config 1\n-gpgpu_unified_l1d_size 128\n-gpgpu_shmem_option 0,8,16,32,64,96");
	set("-gpgpu_local_mem_map %u", pick(2));
	if (chance(4))
		set("-gpgpu_perfect_mem 1");
}

static void memory_options(void)
{
	unsigned n_mem = NUM_OF(1, 2, 3, 4, 6, 8), subs = NUM_OF(1, 2);
	set("-gpgpu_n_mem %u\n-gpgpu_n_sub_partition_per_mchannel %u", n_mem, subs);
	const bool without_l2 = !l2_sectored && chance(20), texture_only = chance(10);
	if (without_l2)
		set("-gpgpu_cache:dl2 none");
	else if (l2_sectored)
		set("-gpgpu_cache:dl2 S:%u:128:%u,L:B:m:%c:%c,A:%u:%u,%u:0,32", NUM_OF(16, 32), NUM_OF(1, 4, 24),
		    "WFLN"[pick(4)], "LXP"[pick(3)], NUM_OF(2, 16, 192), NUM_OF(1, 4), between(4, 32));
	else
		set("-gpgpu_cache:dl2 N:%u:128:%u,L:B:m:%c:%c,A:%u:%u,%u:0,32", NUM_OF(16, 64), NUM_OF(1, 8), "WN"[pick(2)],
		    "LX"[pick(2)], NUM_OF(2, 16, 192), NUM_OF(1, 4), between(4, 32));
	set("-gpgpu_cache:dl2_texture_only %u", texture_only);
	if (n_mem % 2 == 0 && !without_l2 && !texture_only)
		set("-l2_partitions %u\n-l2_far_latency %u", between(1, 2), between(1, 150));
	set("-gpgpu_l2_rop_latency %u", between(0, 200));
	set("-gpgpu_dram_partition_queues %u:%u:%u:%u", NUM_OF(1, 2, 8, 64), NUM_OF(1, 2, 8, 64), NUM_OF(1, 2, 8, 64),
	    NUM_OF(1, 2, 8, 64));
	set("-gpgpu_dram_scheduler %u", pick(2));
	set("-gpgpu_frfcfs_dram_sched_queue_size %u", NUM_OF(0, 1, 4, 16, 64));
	set("-gpgpu_dram_return_queue_size %u", NUM_OF(0, 1, 4, 16, 192));
	set("-dram_latency %u", between(0, 120));
	set("-gpgpu_simple_dram_model %u", chance(10));
	set("-dram_dual_bus_interface %u", pick(2));
	set("-dram_bnk_indexing_policy %u", pick(2));
	set("-dram_bnkgrp_indexing_policy %u", pick(2));
	set("-gpgpu_dram_timing_opt "
	    "nbk=16:CCD=%u:RRD=%u:RCD=%u:RAS=%u:RP=%u:RC=%u:CL=%u:WL=%u:CDLR=%u:WR=%u:nbkgrp=%u:CCDL=%u:RTPL=%u",
	    between(1, 4), between(1, 12), between(2, 24), between(10, 50), between(2, 24), between(20, 70), between(2, 24),
	    between(1, 8), between(1, 10), between(1, 24), NUM_OF(1, 4), between(2, 6), between(0, 4));
	unsigned bus = NUM_OF(2, 4, 8, 16);
	set("-gpgpu_dram_buswidth %u\n-gpgpu_dram_burst_length %u\n-dram_data_command_freq_ratio %u", bus,
	    32 / bus < 4 ? 4 : 32 / bus, NUM_OF(2, 4));
	set("-dram_completes_sectors %u", chance(25));
	if (chance(25))
		set("-barrier_latency %u\n-barrier_arrival %u", NUM_OF(0, 1, 20, 300), NUM_OF(0, 2, 7));
	if (chance(25))
		set("-dram_seperate_write_queue_enable 1\n-dram_write_queue_size %s", ONE_OF("32:28:16", "4:3:1", "64:56:32"));
	set("-gpgpu_memory_partition_indexing %u", (n_mem & (n_mem - 1)) == 0 ? NUM_OF(0, 1, 4, 7) : NUM_OF(0, 4, 7));
}

static void network_options(unsigned nodes, const char **file)
{
	set("-cta_launch_interval %u\n-cta_launch_clock %u", NUM_OF(0, 0, 1, 2, 7, 100), NUM_OF(0, 1, 300, 1450));
	set("-exit_waits_for_stores %u\n-cta_turnaround %u", pick(2), NUM_OF(0, 0, 1, 30, 300));
	set("-gpgpu_n_cluster_ejection_buffer_size %u", between(1, 16));
	set("-icnt_flit_size %u", NUM_OF(8, 32, 40));
	if (chance(65)) {
		set("-network_mode 2\n-icnt_in_buffer_limit %u\n-icnt_out_buffer_limit %u\n-icnt_arbiter_algo %u\n"
		    "-icnt_grant_cycles %u\n-icnt_burst %u", NUM_OF(1, 2, 8, 64, 512),
		    NUM_OF(1, 2, 8, 64, 512), pick(2), NUM_OF(1, 1, 3), NUM_OF(1, 1, 2, 4));
		return;
	}
	char text[900];
	unsigned k = 2, flit = NUM_OF(16, 32, 40), vcs = between(1, 4);
	const char *topology = ONE_OF("fly", "mesh", "torus", "fly");
	while (k * k < nodes)
		k++;
	if (!strcmp(topology, "torus") && vcs < 2)
		vcs = 2;
	snprintf(text, sizeof text,
	         "topology = %s; k = %u; n = %u; routing_function = %s; use_map = 0; subnets = 2; flit_size = %u; "
	         "num_vcs = %u; vc_buf_size = %u;\n"
	         "input_buffer_size = %u; ejection_buffer_size = %u; boundary_buffer_size = %u; vc_allocator = %s; "
	         "sw_allocator = %s; routing_delay = %u;\n"
	         "credit_delay = %u; vc_alloc_delay = 1; sw_alloc_delay = 1; input_speedup = %u; output_speedup = 1; "
	         "internal_speedup = %s; sim_type = gpgpusim;\n",
	         topology, !strcmp(topology, "fly") ? nodes : k, !strcmp(topology, "fly") ? 1 : 2, !strcmp(topology, "fly") ? "dest_tag" : !strcmp(topology, "mesh") ? "dor" : "dim_order",
	         flit, vcs, between(1, 16), NUM_OF(0, 16, 256), NUM_OF(4, 64), NUM_OF(4, 64), ONE_OF("islip", "separable_input_first", "wavefront"),
	         ONE_OF("islip", "separable_input_first", "wavefront"), pick(3), pick(3), between(1, 2),
	         ONE_OF("1.0", "2.0"));
	*file = timed_icnt_file(text);
	set("-network_mode 1\n-inter_config_file %s", *file);
	text_repeat(&opt, 1, "# ");
	for (char *s = text; *s; s++)
		if (*s == '\n')
			*s = ' ';
	set("%s", text);
}

static const char *make_options(unsigned number)
{
	const char *file = NULL;
	seed = number % MODERN * 0x9e3779b97f4a7c15ull + 77;
	text_free(&opt);
	pick(1), pick(1);
	unsigned clusters = between(1, 5), cores = between(1, 3);
	set("-gpgpu_n_clusters %u\n-gpgpu_n_cores_per_cluster %u", clusters, cores);
	set("-gpgpu_clock_domains %s",
	    ONE_OF("1000:1000:1000:1000", "1132:1132:1132:850", "700.5:1400:350.25:924", "1365:1365:1365:3500.5",
	           "1000:333:777:1501", "100:1000:1000:1000", "1000:100:500:250"));
	set("-gpgpu_kernel_launch_latency %u\n-gpgpu_TB_launch_latency %u", NUM_OF(0, 1, 100, 5000), NUM_OF(0, 0, 3));
	l2_sectored = chance(60);
	core_options();
	cache_options();
	memory_options();
	unsigned n_mem = (unsigned)atoi(strstr(opt.at, "-gpgpu_n_mem ") + 13),
			 subs = (unsigned)atoi(strstr(opt.at, "mchannel ") + 9);
	network_options(clusters + n_mem * subs, &file);
	if (number >= MODERN)
		modern_options();
	return file;
}

// --- kernels: 32 blocks or so of 64 or 96 threads. out: 16 kB of its own for each

static const char kernels[] = KERNEL_HEAD
	".const .align 4 .u32 tab[64];\n.global .texref tx;\n.shared .align 16 .b8 buf[4224];\n"
	".global .align 4 .u32 arrived;\n"
	// Transposition of 32 x 32 tiles through shared memory.
	KERNEL_ENTRY("transpose")
	"shr.u32 %r20, %r1, 5; and.b32 %r21, %r1, 31; mul.lo.u32 %r22, %r2, 1024; mov.u64 %rd20, buf; mov.u32 %r30, %r20;\n"
	"A: mad.lo.u32 %r23, %r30, 32, %r21; add.u32 %r24, %r22, %r23; mul.wide.u32 %rd21, %r24, 4; "
	"add.s64 %rd22, %rd1, %rd21;\n"
	"ld.global.u32 %r25, [%rd22]; mad.lo.u32 %r26, %r30, 33, %r21; mul.wide.u32 %rd23, %r26, 4; "
	"add.s64 %rd24, %rd20, %rd23; st.shared.u32 [%rd24], %r25;\n"
	"add.u32 %r30, %r30, 2; setp.lt.u32 %p1, %r30, 32; @%p1 bra A; bar.sync 0; mov.u32 %r30, %r20;\n"
	"B: mad.lo.u32 %r26, %r21, 33, %r30; mul.wide.u32 %rd23, %r26, 4; add.s64 %rd24, %rd20, %rd23; "
	"ld.shared.u32 %r25, [%rd24];\n"
	"mad.lo.u32 %r23, %r30, 32, %r21; add.u32 %r24, %r22, %r23; mul.wide.u32 %rd21, %r24, 4; "
	"add.s64 %rd22, %rd2, %rd21; st.global.u32 [%rd22], %r25;\n"
	"add.u32 %r30, %r30, 2; setp.lt.u32 %p1, %r30, 32; @%p1 bra B; ret; }\n"
	// Histograms in shared memory, then atomics to global memory; the last block adds up what all found.
	KERNEL_ENTRY("histogram")
	"mov.u64 %rd20, buf; mul.wide.u32 %rd21, %r1, 4; add.s64 %rd22, %rd20, %rd21; setp.lt.u32 %p1, %r1, 64; "
	"@%p1 st.shared.u32 [%rd22], 0; bar.sync 0;\n"
	"mov.u32 %r20, 0;\nL: mad.lo.u32 %r21, %r20, 96, %r4; mul.wide.u32 %rd23, %r21, 4; add.s64 %rd24, %rd1, %rd23; "
	"ld.global.u32 %r22, [%rd24]; and.b32 %r23, %r22, 63;\n"
	"mul.wide.u32 %rd25, %r23, 4; add.s64 %rd26, %rd20, %rd25; atom.shared.add.u32 %r24, [%rd26], 1; "
	"add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, 4; @%p2 bra L; bar.sync 0;\n"
	"@!%p1 bra E; ld.shared.u32 %r25, [%rd22]; add.s64 %rd27, %rd2, %rd21; red.global.add.u32 [%rd27], %r25; "
	"atom.global.max.u32 %r26, [%rd27+256], %r25;\n"
	"E: membar.gl; bar.sync 0; mov.pred %p3, 0; setp.ne.u32 %p4, %r1, 0; @%p4 bra F; "
	"atom.global.add.u32 %r27, [arrived], 1; mov.u32 %r28, %nctaid.x; sub.u32 %r28, %r28, 1;\n"
	"setp.ne.u32 %p5, %r27, %r28; @%p5 bra F; mov.u32 %r29, 0; mov.u32 %r30, 0;\n"
	"G: mul.wide.u32 %rd30, %r30, 4; add.s64 %rd31, %rd2, %rd30; ld.global.cg.u32 %r31, [%rd31]; "
	"add.u32 %r29, %r29, %r31; add.u32 %r30, %r30, 1; setp.lt.u32 %p6, %r30, 64; @%p6 bra G;\n"
	"st.global.u32 [%rd2+512], %r29; st.global.u32 [arrived], 0;\nF: ret; }\n"
	// Loops of different lengths, early exits, local arrays, constants by lane, integer division.
	KERNEL_ENTRY("divergent")
	".local .align 8 .b8 mine[64]; mov.u64 %rd20, mine; mov.u64 %rd30, tab; and.b32 %r20, %r4, 15; mov.u32 %r21, 0; "
	"mov.u32 %r22, %r4;\n"
	"L: and.b32 %r23, %r21, 15; mul.wide.u32 %rd21, %r23, 4; add.s64 %rd22, %rd20, %rd21; "
	"st.local.u32 [%rd22], %r22; xor.b32 %r24, %r22, %r21; and.b32 %r24, %r24, 63;\n"
	"mul.wide.u32 %rd31, %r24, 4; add.s64 %rd32, %rd30, %rd31; ld.const.u32 %r25, [%rd32]; "
	"setp.gt.u32 %p1, %r25, 500; @%p1 bra M; add.u32 %r22, %r22, %r25; bra N;\n"
	"M: rem.u32 %r26, %r25, 17; mad.lo.u32 %r22, %r22, 3, %r26;\nN: add.u32 %r21, %r21, 1; "
	"setp.le.u32 %p2, %r21, %r20; @%p2 bra L;\n"
	"and.b32 %r27, %r1, 7; setp.eq.u32 %p3, %r27, 5; @%p3 exit; ld.local.u32 %r28, [%rd20]; "
	"add.u32 %r22, %r22, %r28; mul.wide.u32 %rd23, %r4, 4; add.s64 %rd24, %rd2, %rd23;\n"
	"st.global.u32 [%rd24], %r22; ret; }\n"
	// Single, double, special functions, vectors, shuffles, votes, past L1 and through it.
	KERNEL_ENTRY("mixed")
	"mul.wide.u32 %rd20, %r4, 16; and.b64 %rd21, %rd20, 16383; add.s64 %rd22, %rd1, %rd21; "
	"ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd22]; cvt.rn.f32.u32 %f1, %r20; cvt.rn.f32.u32 %f2, %r21;\n"
	"fma.rn.f32 %f3, %f1, %f2, 0f3F800000; sqrt.approx.f32 %f4, %f3; ex2.approx.f32 %f5, 0f3F000000; "
	"mul.f32 %f6, %f4, %f5; cvt.f64.f32 %fd1, %f6; cvt.rn.f64.u32 %fd2, %r22;\n"
	"add.f64 %fd3, %fd2, 0d3FF0000000000000; div.rn.f64 %fd4, %fd1, %fd3; fma.rn.f64 %fd5, %fd4, %fd4, %fd1; "
	"shfl.sync.bfly.b32 %r24|%p1, %r23, 5, 31, -1; setp.gt.u32 %p2, %r24, %r20;\n"
	"vote.sync.ballot.b32 %r25, %p2, -1; cvt.rzi.u32.f64 %r26, %fd5; add.u32 %r26, %r26, %r25; "
	"ld.global.cg.u32 %r27, [%rd22+4]; add.u32 %r26, %r26, %r27; ld.global.nc.u32 %r28, [%rd22+8]; "
	"add.u32 %r26, %r26, %r28;\n"
	"mul.wide.u32 %rd23, %r4, 8; add.s64 %rd24, %rd2, %rd23; cvt.u64.u32 %rd25, %r26; add.s64 %rd25, %rd25, %rd21; "
	"st.global.u64 [%rd24], %rd25; st.global.u8 [%rd24+7], %r26; ret; }\n"
	// Texels and barriers in a loop.
	KERNEL_ENTRY("texels")
	"mov.u32 %r20, 0; mov.f32 %f20, 0f00000000; mov.u64 %rd20, buf; mul.wide.u32 %rd21, %r1, 4; "
	"add.s64 %rd22, %rd20, %rd21; xor.b32 %r25, %r1, 33; mul.wide.u32 %rd23, %r25, 4; add.s64 %rd24, %rd20, %rd23;\n"
	"L: mad.lo.u32 %r21, %r20, 7, %r1; and.b32 %r22, %r21, 63; shr.u32 %r23, %r4, 3; add.u32 %r23, %r23, %r20; "
	"and.b32 %r23, %r23, 31; cvt.rn.f32.u32 %f1, %r22; cvt.rn.f32.u32 %f2, %r23;\n"
	"tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [tx, {%f1, %f2}]; st.shared.f32 [%rd22], %f4; bar.sync 0; "
	"ld.shared.f32 %f8, [%rd24]; add.f32 %f20, %f20, %f8; bar.sync 0;\n"
	"add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 4; @%p1 bra L; mul.wide.u32 %rd25, %r4, 4; "
	"add.s64 %rd26, %rd2, %rd25; st.global.f32 [%rd26], %f20; ret; }\n"
	// Rounds of loads, stores and barriers; a lane of block p2 reads a null pointer in round p3.
	KERNEL_ENTRY("fails")
	"mov.u32 %r20, 0; cvt.u32.u64 %r21, %rd3; cvt.u32.u64 %r22, %rd4; mul.wide.u32 %rd21, %r4, 4; add.s64 %rd22, %rd1, %rd21; add.s64 %rd23, %rd2, %rd21; mov.u64 %rd25, 8;\n"
	"L: ld.global.u32 %r23, [%rd22]; add.u32 %r24, %r23, %r20; st.global.u32 [%rd23], %r24; setp.eq.u32 %p1, %r2, %r21; setp.eq.and.u32 %p2, %r20, %r22, %p1;\n"
	"setp.eq.and.u32 %p3, %r1, 40, %p2; @%p3 ld.global.u32 %r25, [%rd25]; bar.sync 0; atom.global.add.u32 %r26, [%rd2+8192], 1;\n"
	"add.u32 %r20, %r20, 1; setp.lt.u32 %p4, %r20, 12; @%p4 bra L; ret; }\n";

static const struct {
	const char *name;
	uint32_t grid, block;
} kernel[] = {{"transpose", 8, 64}, {"histogram", 9, 96}, {"divergent", 11, 96}, {"mixed", 20, 64}, {"texels", 10, 64}};
enum { KERNELS = sizeof kernel / sizeof *kernel, BYTES = 1 << 16 };

struct job {
	struct texture tex;
	uint64_t in, out[KERNELS];
};

static void prepare(struct ptx_bench *b, struct job *j)
{
	j->in = bench_alloc(b, BYTES);
	for (unsigned i = 0; i < BYTES / 4; i++)
		((uint32_t *)(uintptr_t)j->in)[i] = i * 2654435761u >> 8;
	for (unsigned k = 0; k < KERNELS; k++) {
		j->out[k] = bench_alloc(b, BYTES);
		memset((void *)(uintptr_t)j->out[k], 0, BYTES);
	}
	uint32_t *tab = (uint32_t *)(uintptr_t)ptx_program_var(&b->program, "tab")->addr;
	for (unsigned i = 0; i < 64; i++)
		tab[i] = i * 7919 % 1000;
	memset((void *)(uintptr_t)ptx_program_var(&b->program, "arrived")->addr, 0, 4);
	j->tex = bench_texture(bench_alloc(b, 8192), 64, 32);
	for (unsigned i = 0; i < 64 * 32; i++)
		((float *)(uintptr_t)j->tex.base)[i] = (float)(i * 31 % 977);
	ptx_program_var(&b->program, "tx")->tex = &j->tex;
}

// A kernel that fails among others, in different places: nothing is lost, and others beside it have their results or are stopped.
static void run_failing(struct timed *t, const struct job *j)
{
	static const struct {
		uint8_t block, round;
	} where[] = {{17, 7}, {5, 2}};
	t->may_fault = true;
	for (unsigned n = 0; n < 2; n++) {
		uint64_t p[4] = {j->in, j->out[3], where[n].block, where[n].round}, q[4] = {j->in, j->out[0]};
		timed_launch(t, "transpose", 8, 64, 0, q, 4, 0);
		struct kernel_launch *l = timed_launch(t, "fails", 18, 64, 0, p, 4, 1);
		q[1] = j->out[2];
		timed_launch(t, "divergent", 11, 96, 0, q, 4, 2);
		struct kernel_launch *done = NULL;
		while (n && done != l) {
			done = gpu_run(t->gpu, 5000);
			t->n_done += done != NULL;
			if (done)
				gpu_print_kernel_stats(t->gpu, done, timed_put, t);
		}
		if (n)
			gpu_stop(t->gpu);
		timed_wait(t);
		ck_assert_int_eq(l->fault.kind, FAULT_ILLEGAL_ADDRESS);
	}
	timed_filter(t, 0);
}

static uint8_t *want[KERNELS];

// What the kernels write when they are only executed.
static void expect(void)
{
	struct ptx_bench *b = bench_new(kernels);
	struct job j;
	prepare(b, &j);
	for (unsigned k = 0; k < KERNELS; k++) {
		uint64_t p[4] = {j.in, j.out[k]};
		const struct fault *f = bench_run(b, kernel[k].name, kernel[k].grid, kernel[k].block, 0, p);
		ck_assert_msg(!f, "%s", f ? f->text : "");
		want[k] = malloc(BYTES);
		memcpy(want[k], (void *)(uintptr_t)j.out[k], BYTES);
	}
	bench_free(b);
}

// All counters and statistics after three groups of kernels; NULL if the options make no GPU.
static char *run(bool tick, uint64_t order, unsigned threads, struct diag *why, const char *file)
{
	char more[40];
	snprintf(more, sizeof more, "-threads %u\n", threads);
	struct timed *t = timed_make(kernels, why,
	                             (const char *const[]){TIMED_BASE, opt.at, tick ? "-tick_every_cycle 1\n" : "", more, NULL});
	struct job j;
	if (!t)
		return NULL;
	timing_set_order(t->t, order);
	timing_dawdle(t->t, threads);
	prepare(t->b, &j);
	// One alone, two beside each other, one after them in another stream with two more.
	static const uint8_t group[] = {0, 1, 1, 2, 2, 2}, which[] = {0, 1, 2, 3, 4, 0};
	for (unsigned g = 0, i = 0; g < 3; g++) {
		for (; i < 6 && group[i] == g; i++) {
			uint64_t p[4] = {j.in, j.out[which[i]]};
			timed_launch(t, kernel[which[i]].name, kernel[which[i]].grid, kernel[which[i]].block, 0, p, 4, i % 3);
		}
		timed_wait(t);
	}
	for (unsigned k = 0; k < KERNELS; k++)
		ck_assert_msg(!memcmp(want[k], (void *)(uintptr_t)j.out[k], BYTES), "kernel %s wrote something else",
		              kernel[k].name);
	for (unsigned i = 0; i < t->t->core.n_sm; i++)
		if (t->t->sm[i].modern)
			ck_assert_msg(!t->t->sm[i].modern->stats.hazards, "control bits let a register be read too early");
	run_failing(t, &j);
	for (unsigned k = 0; k < KERNELS; k++)
		ck_assert_msg(k == 3 || !memcmp(want[k], (void *)(uintptr_t)j.out[k], BYTES), "kernel %s wrote something else", kernel[k].name);
	timed_all_counters(t);
	char *text = t->text;
	t->text = NULL;
	timed_free(t);
	return text;
}

// A dozen that do not take long.
static const unsigned sample[] = {53, 50, 40, 26,     14,         35,         24,         51,         19,
                                  32, 36, 34, MODERN, MODERN + 1, MODERN + 2, MODERN + 3, MODERN + 4, MODERN + 5};
static unsigned from, to;

static void one(unsigned number)
{
	struct diag why = {0};
	const char *file = make_options(number);
	fprintf(stderr, "%s", getenv("HEDDLE_SHOW") ? opt.at : "");
	char *a = run(false, 0, 1, &why, file), *b = NULL, *c = NULL, *several = NULL;
	const unsigned threads = 2 + number % 7;
	if (a) {
		b = run(true, 1, 1, &why, file);
		c = run(false, 2 + number, 1, &why, file);
		if (number % 4 == 0 || !to) // several threads on few processors take their time
			several = run(number % 3 == 0, 0, threads, &why, file);
	}
	if (file)
		unlink(file);
	if (!a) {
		if (getenv("HEDDLE_SHOW"))
			fprintf(stderr, "config %u: %s", number, why.text);
		ck_assert_msg(why.errors, "refused without a word");
		exit(3);
	}
	const char *d = timed_difference(a, b);
	ck_assert_msg(!d, "ticked every cycle, SMs backwards: %s", d);
	d = timed_difference(a, c);
	ck_assert_msg(!d, "a second run, SMs in random order: %s", d);
	d = several ? timed_difference(a, several) : NULL;
	ck_assert_msg(!d, "%u threads that dawdle: %s", threads, d);
	free(a);
	free(b);
	free(c);
	free(several);
	diag_free(&why);
}

START_TEST(skipping_ticking_and_running_again_agree)
{
	expect();
	one(to ? (unsigned)_i : sample[_i]);
}
END_TEST

int main(void)
{
	const char *range = getenv("HEDDLE_CONFIGS");
	if (range)
		sscanf(range, "%u:%u", &from, &to);
	Suite *suite = suite_create("random configurations");
	TCase *t = tcase_create("random configurations");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, skipping_ticking_and_running_again_agree, (int)from,
	                    (int)(to ? to : sizeof sample / sizeof *sample));
	suite_add_tcase(suite, t);
	return check_main(suite);
}
