#include "gpgpu-sim/modern/config.h"

#include "gpgpu-sim/modern/distance.h"

#include <string.h>

static struct modern_unit_cost cost(uint32_t latency, uint32_t interval)
{
	return (struct modern_unit_cost){(uint16_t)latency, (uint16_t)interval};
}

// What is not given is that of the RTX A6000.
static unsigned capability(const struct options *o)
{
	bool given = o->origin[OPT_gpgpu_compute_capability_major].source != FROM_DEFAULT;
	return given ? o->gpgpu_compute_capability_major * 10 + o->gpgpu_compute_capability_minor : 86;
}

static void units(struct modern_config *c, const struct options *o)
{
	c->unit[ISA_UNIT_INT] = cost(o->int_latency, o->int_initiation);
	c->unit[ISA_UNIT_SP] = cost(o->sp_latency, o->sp_initiation);
	c->unit[ISA_UNIT_HALF] = cost(o->half_latency, o->half_initiation);
	c->unit[ISA_UNIT_DP] = cost(o->dp_latency, o->dp_initiation);
	c->unit[ISA_UNIT_SFU] = cost(o->sfu_latency, o->sfu_initiation);
	c->unit[ISA_UNIT_UNIFORM] = cost(o->uniform_latency, o->uniform_initiation);
	c->unit[ISA_UNIT_BRANCH] = cost(o->branch_latency, o->branch_initiation);
	c->unit[ISA_UNIT_MISC] = cost(o->miscellaneous_no_queue_latency, o->miscellaneous_no_queue_initiation);
	c->unit[ISA_UNIT_MISC_QUEUE] = cost(o->miscellaneous_queue_latency, o->miscellaneous_queue_initiation);
	c->unit[ISA_UNIT_TENSOR] = cost(o->tensor_latency, o->tensor_initiation);
	c->unit[ISA_UNIT_PREDICATE] = cost(o->int_latency, o->predicate_initiation);
	c->predicate_total = o->origin[OPT_predicate_latency].source == FROM_DEFAULT ? c->distances->guard : o->predicate_latency;
	c->fp32_in_int = o->is_fp32ops_allowed_in_int_pipeline;
	c->tensor_rate = o->tensor_rate_per_cycle;
	c->mma_rate = o->mma_rate;
	c->mma_latency = o->mma_latency;
	c->mbarrier_latency = o->mbarrier_latency;
	c->tensor_extra = o->tensor_extra_latency_16816_fp32_1688_fp32;
	c->misc_queue = o->miscellaneous_queue_size;
	c->dp_queue = o->dp_subcore_queue_size;
	c->dp_stages = o->dp_shared_intermidiate_stages;
	c->dp_shared = o->is_dp_pipeline_shared_for_subcores;
	c->dp_in_subcore = o->dp_unit_in_subcore && !c->dp_shared;
}

// Latency and interval of a trace.config, as UPC's simulator reads them; what is given for this core by name goes before.
static bool trace_units(struct modern_config *c, const struct options *o, struct diag *d)
{
#define UNIT(unit, name) {unit, OPT_trace_opcode_latency_initiation_##name, OPT_##name##_latency, OPT_##name##_initiation, \
	                  o->trace_opcode_latency_initiation_##name}
	const struct {
		enum isa_unit unit;
		enum option_id pair, latency, interval;
		const char *text;
	} from[] = {UNIT(ISA_UNIT_INT, int), UNIT(ISA_UNIT_SP, sp), UNIT(ISA_UNIT_DP, dp), UNIT(ISA_UNIT_SFU, sfu),
	            UNIT(ISA_UNIT_TENSOR, tensor), UNIT(ISA_UNIT_HALF, half), UNIT(ISA_UNIT_UNIFORM, uniform),
	            UNIT(ISA_UNIT_PREDICATE, predicate), UNIT(ISA_UNIT_BRANCH, branch), UNIT(ISA_UNIT_MISC_QUEUE, miscellaneous_queue),
	            UNIT(ISA_UNIT_MISC, miscellaneous_no_queue)};
#undef UNIT
	for (unsigned i = 0; i < sizeof from / sizeof *from; i++) {
		int64_t v[2];
		size_t n;
		struct form_error err;
		if (o->origin[from[i].pair].source == FROM_DEFAULT)
			continue;
		if (!form_numbers(from[i].text, ',', v, 2, &n, &err) || n != 2 || v[0] < 1 || v[0] > 1024 || v[1] < 1 || v[1] > 1024) {
			diag_add(d, DIAG_ERROR, "option '%s': '%s': expected latency,initiation, each from 1 to 1024", option_info(from[i].pair)->name,
			         from[i].text);
			return false;
		}
		if (o->origin[from[i].latency].source == FROM_DEFAULT && from[i].unit == ISA_UNIT_PREDICATE)
			c->predicate_total = (uint32_t)v[0];
		else if (o->origin[from[i].latency].source == FROM_DEFAULT)
			c->unit[from[i].unit].latency = (uint16_t)v[0];
		if (o->origin[from[i].interval].source == FROM_DEFAULT)
			c->unit[from[i].unit].interval = (uint16_t)v[1];
	}
	return true;
}

// UPC's files have no name of its own for the constant cache of loads.
static const char *load_constants(const struct options *o)
{
	bool theirs = o->is_SM_remodeling_enabled && o->origin[OPT_gpgpu_const_cache_l0vl].source == FROM_DEFAULT;
	return theirs && o->origin[OPT_gpgpu_const_cache_l1].source != FROM_DEFAULT ? o->gpgpu_const_cache_l1 : o->gpgpu_const_cache_l0vl;
}

static bool war_mode(struct modern_config *c, const struct options *o, struct diag *d)
{
	c->war = !strcmp(o->scoreboard_war_mode, "opc");
	if (c->war || !strcmp(o->scoreboard_war_mode, "disabled"))
		return true;
	diag_add(d, DIAG_ERROR, "option '-scoreboard_war_mode': '%s': expected opc or disabled", o->scoreboard_war_mode);
	return false;
}

// L0s have tags of their own (l0_cache.h), without the policies of replace.h.
static bool l0_cache(const char *text, struct cache_form *out, const char *option, struct diag *d)
{
	if (!core_config_cache(text, out, option, d))
		return false;
	if (out->replacement == REPLACE_LRU || out->replacement == REPLACE_FIFO)
		return true;
	diag_add(d, DIAG_ERROR, "option '%s': '%s': an L0 cache replaces the line used longest ago (L) or the oldest (F)", option, text);
	return false;
}

bool modern_config_from_options(struct modern_config *c, const struct core_config *core, const struct options *o, struct diag *d)
{
	memset(c, 0, sizeof *c);
	bool ok = l0_cache(o->gpgpu_cache_il0, &c->l0i, "-gpgpu_cache:il0", d);
	ok &= l0_cache(o->gpgpu_subcore_const_cache_l0, &c->l0fl, "-gpgpu_subcore_const_cache:l0", d);
	ok &= core_config_cache(load_constants(o), &c->l0vl, "-gpgpu_const_cache:l0vl", d);
	ok &= war_mode(c, o, d);
	if (core->max_warps % MODERN_SUBCORES) {
		diag_add(d, DIAG_ERROR, "option '-gpgpu_shader_core_pipeline': %u warps cannot be dealt to the modern core's four sub-cores evenly",
		         core->max_warps);
		ok = false;
	}
	if (ok && (!c->l0i.present || !c->l0fl.present || !c->l0vl.present)) {
		diag_add(d, DIAG_ERROR, "-core modern needs -gpgpu_cache:il0, -gpgpu_subcore_const_cache:l0 and -gpgpu_const_cache:l0vl; "
		                        "-perfect_instruction_cache and -perfect_constant_cache make them always hit");
		ok = false;
	}
	c->to_l1 = o->latency_L0_to_L1;
	c->from_l1 = o->latency_L1_to_L0;
	c->l1_requests = o->max_request_allowed_to_L1I;
	c->l1_replies = o->max_reply_allowed_from_L1I;
	c->prefetch = o->is_instruction_prefetching_enabled;
	c->stream_associative = o->prefetch_associative;
	c->stream_lines = o->prefetch_per_stream_buffer_size;
	c->preload_lines = o->inst_preload_lines;
	c->ibuffer = o->ibuffer_remodeled_size;
	c->perfect_inst = o->perfect_instruction_cache || core->perfect_inst_const || !core->l1i.present;
	c->perfect_const = o->perfect_constant_cache || core->perfect_inst_const || !core->l1i.present;
	c->invalidate_at_end = o->invalidate_instruction_caches_at_kernel_end;
	c->const_hold = o->num_const_cache_cycle_misses_before_switch_to_other_warp;

	c->scoreboards = o->is_remodeling_scoreboarding_enabled;
	c->war_uses = o->scoreboard_war_max_uses_per_reg;
	c->assign_control = o->assign_control_bits;
	c->tick_all = o->tick_every_cycle;
	c->check_hazards = o->check_control_bits;
	c->yield_stall = o->num_stall_cycles_wait_after_bits_stall_0_and_yield;
	c->imad_hold = o->num_cycles_issue_port_busy_after_imadwide;
	c->fence_hold[1] = o->num_cycles_to_stall_SM_at_cta_memory_barrier;
	c->fence_hold[2] = o->num_cycles_to_stall_SM_at_gpu_memory_barrier;
	c->fence_hold[3] = o->num_cycles_to_stall_SM_at_system_memory_barrier;
	c->capability = capability(o);
	c->distances = modern_distances_of(c->capability);
	units(c, o);
	ok &= trace_units(c, o, d);

	c->read_ports = o->num_regular_register_file_read_ports_per_bank;
	c->write_ports = o->num_regular_register_file_write_ports_per_bank;
	c->rf_cache = o->is_rf_cache_enabled;
	c->rf_slots = o->max_operands_regular_register_file;
	c->result_queue = o->max_size_register_file_write_queue_for_fixed_latency_instructions;
	c->result_pops = o->max_pops_per_cycle_register_file_write_queue_for_fixed_latency_instructions;
	c->sm_write_cycles = o->num_cycles_needed_to_write_a_reg_from_sm_struct_to_subcore;

	c->queue = o->memory_subcore_queue_size;
	c->address_units = o->memory_num_scalar_units_per_subcore;
	c->first_stage_offset = o->offset_latency_firts_stage_memory_subcore;
	c->link_bytes = o->memory_subcore_link_to_sm_byte_size;
	c->load_half = o->is_load_half_bandwidth_in_the_subcore_link_to_sm_enabled;
	c->store_half = o->is_store_half_bandwidth_in_the_subcore_link_to_sm_enabled;
	c->mem_spacing = o->num_cycles_to_wait_to_dispatch_another_inst_from_subcore_to_sm_shared_pipeline_when_is_mem_inst;
	c->prt = o->memory_sm_prt_size;
	c->coalescers = o->number_of_coalescers;
	c->shared_latency = o->memory_shared_memory_minimum_latency;
	c->ldsm_extra = o->memory_shared_memory_extra_latency_ldsm_multiple_matrix;
	c->ldgsts_extra = o->memory_subcore_extra_latency_load_shared_mem;
	c->l1d_latency = o->memory_l1d_minimum_latency;
	c->l1d_lookups = o->memory_l1d_max_lookups_per_cycle_per_bank;
	c->l1d_pass = o->memory_l1d_pass_cycles;
	c->shared_pass = o->memory_shared_pass_cycles;
	c->texture_lanes = o->texture_lanes_per_cycle;
	c->bypass_latency = o->memory_l1d_bypass_latency;
	c->const_latency = o->constant_cache_latency_at_sm_structure;
	c->ldgsts_hop = o->memory_global_shared_latency_for_ldgsts;
	return ok;
}
