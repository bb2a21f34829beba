#include "gpgpu-sim/sm/core_config.h"

#include <stdio.h>
#include <string.h>

// Positional number lists of an option; missing ones keep what `out` holds.
static bool numbers(const char *text, char sep, uint32_t *out, size_t max, const char *option, struct diag *d)
{
	int64_t v[32];
	size_t n;
	struct form_error err;
	if (!form_numbers(text, sep, v, max, &n, &err)) {
		diag_add(d, DIAG_ERROR, "option '%s': '%s': %s", option, text, err.why);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		out[i] = (uint32_t)v[i];
	return true;
}

static size_t count(const char *text, char sep)
{
	size_t n = 1;
	for (; *text; text++)
		n += *text == sep;
	return n;
}

// Lists of a number for each of add, max, mul, mad and div.
static bool five_numbers(const char *text, uint32_t *out, size_t max, const char *option, struct diag *d)
{
	if (count(text, ',') < 5)
		diag_add(d, DIAG_WARNING, "%s: '%s' has no numbers for all of add, max, mul, mad and div; those that it lacks are taken as 1",
		         option, text);
	return numbers(text, ',', out, max, option, d);
}

bool core_config_cache(const char *text, struct cache_form *out, const char *option, struct diag *d)
{
	struct form_error err;
	if (form_cache(text, out, &err))
		return true;
	diag_add(d, DIAG_ERROR, "option '%s': '%s': %s", option, text, err.why);
	return false;
}

static bool in_range(uint32_t v, uint32_t lo, uint32_t hi, const char *option, struct diag *d)
{
	if (v >= lo && v <= hi)
		return true;
	diag_add(d, DIAG_ERROR, "option '%s' is %u; this core takes %u to %u", option, v, lo, hi);
	return false;
}

// Order of -gpgpu_pipeline_widths; a config may stop early.
enum { W_ID_SP, W_ID_DP, W_ID_INT, W_ID_SFU, W_ID_MEM, W_EX_SP, W_EX_DP, W_EX_INT, W_EX_SFU, W_EX_MEM, W_EX_WB,
       W_ID_TENSOR, W_EX_TENSOR, W_N };

// With sub-cores each scheduler has units and registers of its own, and its instructions never go to another's.
static bool sub_core_pipe(const struct core_config *c, unsigned pipe, const char *units, const char *widths,
                          struct diag *d)
{
	bool ok = true;
	if (c->n_units[pipe] < c->n_schedulers) {
		diag_add(d, DIAG_ERROR, "%s: %u units for the %u schedulers of -gpgpu_sub_core_model; each needs one of its own: "
		         "give it %u, or set -gpgpu_sub_core_model 0", units, c->n_units[pipe], c->n_schedulers, c->n_schedulers);
		ok = false;
	}
	if (c->id_oc_width[pipe] != c->n_schedulers || c->oc_ex_width[pipe] < c->n_schedulers) {
		diag_add(d, DIAG_ERROR, "-gpgpu_sub_core_model: each of the %u schedulers has its own issue register, so the widths "
		         "in %s must be %u", c->n_schedulers, widths, c->n_schedulers);
		ok = false;
	}
	return ok;
}

static bool widths(struct core_config *c, const struct options *o, struct diag *d)
{
	uint32_t w[W_N] = {0};
	if (!numbers(o->gpgpu_pipeline_widths, ',', w, W_N, "-gpgpu_pipeline_widths", d))
		return false;
	if (count(o->gpgpu_pipeline_widths, ',') <= W_EX_WB) {
		diag_add(d, DIAG_ERROR, "-gpgpu_pipeline_widths: '%s' has %zu numbers; there are five into the collectors (SP, DP, INT, SFU, "
		         "MEM), five out of them, one for write-back, and two for tensor units", o->gpgpu_pipeline_widths,
		         count(o->gpgpu_pipeline_widths, ','));
		return false;
	}
	static const struct { uint8_t pipe, id, ex; } at[] = {
		{PIPE_SP, W_ID_SP, W_EX_SP},    {PIPE_DP, W_ID_DP, W_EX_DP},    {PIPE_INT, W_ID_INT, W_EX_INT},
		{PIPE_SFU, W_ID_SFU, W_EX_SFU}, {PIPE_MEM, W_ID_MEM, W_EX_MEM}, {PIPE_TENSOR, W_ID_TENSOR, W_EX_TENSOR},
	};
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		c->id_oc_width[at[i].pipe] = w[at[i].id];
		c->oc_ex_width[at[i].pipe] = w[at[i].ex];
	}
	c->ex_wb_width = w[W_EX_WB];
	bool ok = in_range(c->ex_wb_width, 1, CORE_MAX_WIDTH, "-gpgpu_pipeline_widths (EX_WB)", d);
	for (unsigned p = 0; p < PIPE_SPEC; p++) {
		bool used = p == PIPE_MEM || c->n_units[p];
		ok &= in_range(c->id_oc_width[p], used, CORE_MAX_WIDTH, "-gpgpu_pipeline_widths", d);
		ok &= in_range(c->oc_ex_width[p], used, CORE_MAX_WIDTH, "-gpgpu_pipeline_widths", d);
		static const char *const units[PIPE_SPEC] = {
			[PIPE_SP] = "-gpgpu_num_sp_units",   [PIPE_DP] = "-gpgpu_num_dp_units",
			[PIPE_INT] = "-gpgpu_num_int_units", [PIPE_SFU] = "-gpgpu_num_sfu_units",
			[PIPE_TENSOR] = "-gpgpu_num_tensor_core_units"};
		if (c->sub_core && p != PIPE_MEM && used)
			ok &= sub_core_pipe(c, p, units[p], "-gpgpu_pipeline_widths", d);
	}
	if (c->sub_core && c->id_oc_width[PIPE_MEM] != c->n_schedulers) {
		diag_add(d, DIAG_ERROR, "-gpgpu_sub_core_model: each of the %u schedulers has its own issue register, so the widths "
		         "in -gpgpu_pipeline_widths must be %u", c->n_schedulers, c->n_schedulers);
		ok = false;
	}
	return ok;
}

static bool special_units(struct core_config *c, const struct options *o, struct diag *d)
{
	const char *const text[8] = {
		o->specialized_unit_1, o->specialized_unit_2, o->specialized_unit_3, o->specialized_unit_4,
		o->specialized_unit_5, o->specialized_unit_6, o->specialized_unit_7, o->specialized_unit_8};
	bool ok = true;
	for (unsigned i = 0; i < 8; i++) {
		struct form_error err;
		struct unit_form *u = &c->spec[i];
		if (!form_unit(text[i], u, &err)) {
			diag_add(d, DIAG_ERROR, "option '-specialized_unit_%u': '%s': %s", i + 1, text[i], err.why);
			ok = false;
		}
		if (!u->enabled)
			continue;
		if (!u->count) {
			diag_add(d, DIAG_ERROR, "option '-specialized_unit_%u': '%s' is enabled with 0 units; give it at least one, or "
			         "write 0 in front", i + 1, text[i]);
			ok = false;
		}
		c->n_units[PIPE_SPEC + i] = u->count;
		c->id_oc_width[PIPE_SPEC + i] = u->issue_width;
		c->oc_ex_width[PIPE_SPEC + i] = u->execute_width;
		ok &= in_range(u->issue_width, 1, CORE_MAX_WIDTH, "-specialized_unit (issue width)", d);
		ok &= in_range(u->execute_width, 1, CORE_MAX_WIDTH, "-specialized_unit (execute width)", d);
		ok &= in_range(u->latency, 1, CORE_MAX_LATENCY - 1, "-specialized_unit (latency)", d);
		char name[40];
		snprintf(name, sizeof name, "-specialized_unit_%u", i + 1);
		if (c->sub_core)
			ok &= sub_core_pipe(c, PIPE_SPEC + i, name, name, d);
	}
	return ok;
}

// Which option value an instruction class takes. GPGPU-Sim 4.2 gives everything that is not in its list latency 1.
enum lat_kind { LAT_ONE, LAT_INT, LAT_FP, LAT_DP, LAT_SFU, LAT_TENSOR };
enum { L_ADD, L_MAX, L_MUL, L_MAD, L_DIV, L_SHFL };
static const struct { uint8_t pipe, kind, index; } class_cost[ISA_N_CLASSES] = {
	[ISA_NOP] = {PIPE_INT, LAT_ONE, 0},       [ISA_ALU] = {PIPE_INT, LAT_ONE, 0},
	[ISA_INT] = {PIPE_INT, LAT_INT, L_ADD},   [ISA_INT_MAX] = {PIPE_INT, LAT_INT, L_MAX},
	[ISA_INT_MUL] = {PIPE_INT, LAT_INT, L_MUL}, [ISA_INT_MAD] = {PIPE_INT, LAT_INT, L_MAD},
	[ISA_INT_DIV] = {PIPE_SFU, LAT_INT, L_DIV},
	[ISA_SP_ADD] = {PIPE_SP, LAT_FP, L_ADD},  [ISA_SP_MAX] = {PIPE_SP, LAT_FP, L_MAX},
	[ISA_SP_MUL] = {PIPE_SP, LAT_FP, L_MUL},  [ISA_SP_MAD] = {PIPE_SP, LAT_FP, L_MAD},
	[ISA_SP_DIV] = {PIPE_SFU, LAT_FP, L_DIV}, [ISA_HP] = {PIPE_SP, LAT_FP, L_ADD},
	[ISA_DP_ADD] = {PIPE_DP, LAT_DP, L_ADD},  [ISA_DP_MAX] = {PIPE_DP, LAT_DP, L_MAX},
	[ISA_DP_MUL] = {PIPE_DP, LAT_DP, L_MUL},  [ISA_DP_MAD] = {PIPE_DP, LAT_DP, L_MAD},
	[ISA_DP_DIV] = {PIPE_SFU, LAT_DP, L_DIV}, [ISA_SFU] = {PIPE_SFU, LAT_SFU, 0},
	[ISA_CVT] = {PIPE_INT, LAT_ONE, 0},       [ISA_MOV] = {PIPE_INT, LAT_ONE, 0},
	[ISA_SHFL] = {PIPE_INT, LAT_INT, L_SHFL}, [ISA_VOTE] = {PIPE_INT, LAT_ONE, 0},
	[ISA_TENSOR] = {PIPE_TENSOR, LAT_TENSOR, 0},
	[ISA_LOAD] = {PIPE_MEM, LAT_ONE, 0},      [ISA_STORE] = {PIPE_MEM, LAT_ONE, 0},
	[ISA_ATOMIC] = {PIPE_MEM, LAT_ONE, 0},    [ISA_TEXTURE] = {PIPE_MEM, LAT_ONE, 0},
	[ISA_BRANCH] = {PIPE_INT, LAT_ONE, 0},    [ISA_CALL] = {PIPE_INT, LAT_ONE, 0},
	[ISA_RET] = {PIPE_INT, LAT_ONE, 0},       [ISA_EXIT] = {PIPE_INT, LAT_ONE, 0},
	[ISA_BARRIER] = {PIPE_INT, LAT_ONE, 0},   [ISA_FENCE] = {PIPE_MEM, LAT_ONE, 0},
};

// Volta and later have integer units; before, the SP units did that work. Without double precision units (Fermi) the
// SFU does theirs.
static uint8_t present_pipe(const struct core_config *c, uint8_t pipe)
{
	if (pipe == PIPE_INT && !c->n_units[PIPE_INT])
		return PIPE_SP;
	if (pipe == PIPE_DP && !c->n_units[PIPE_DP])
		return PIPE_SFU;
	if (pipe == PIPE_TENSOR && !c->n_units[PIPE_TENSOR])
		return PIPE_SP;
	return pipe;
}

static bool set_cost(struct op_cost *t, uint8_t pipe, uint32_t latency, uint32_t interval, const char *option,
                     struct diag *d)
{
	bool ok = in_range(latency, 0, CORE_MAX_LATENCY - 1, option, d);
	t->pipe = pipe;
	t->latency = (uint16_t)(latency ? latency : 1);
	t->interval = (uint16_t)(interval ? interval : 1);
	if (t->interval > t->latency)
		t->interval = t->latency;
	return ok;
}

// The costs of machine code: one pair of latency and interval for each kind of unit, as in Accel-Sim's trace.config.
// What has no pair there takes one cycle.
static bool machine_costs(struct core_config *c, const struct options *o, unsigned machine, struct diag *d)
{
	static const uint8_t kind_of[ISA_N_CLASSES] = {
		[ISA_NOP] = LAT_INT,     [ISA_ALU] = LAT_INT,    [ISA_INT] = LAT_INT,     [ISA_INT_MAX] = LAT_INT, [ISA_INT_MUL] = LAT_INT,
		[ISA_INT_MAD] = LAT_INT, [ISA_INT_DIV] = LAT_INT, [ISA_SP_ADD] = LAT_FP,  [ISA_SP_MAX] = LAT_FP,   [ISA_SP_MUL] = LAT_FP,
		[ISA_SP_MAD] = LAT_FP,   [ISA_SP_DIV] = LAT_SFU, [ISA_HP] = LAT_FP,       [ISA_DP_ADD] = LAT_DP,   [ISA_DP_MAX] = LAT_DP,
		[ISA_DP_MUL] = LAT_DP,   [ISA_DP_MAD] = LAT_DP,  [ISA_DP_DIV] = LAT_SFU,  [ISA_SFU] = LAT_SFU,     [ISA_CVT] = LAT_INT,
		[ISA_MOV] = LAT_INT,     [ISA_SHFL] = LAT_INT,   [ISA_VOTE] = LAT_INT,    [ISA_TENSOR] = LAT_TENSOR,
		[ISA_TEXTURE] = LAT_INT, [ISA_BRANCH] = LAT_INT, [ISA_CALL] = LAT_INT,    [ISA_RET] = LAT_INT,
	};
	const struct { const char *name, *text; } unit[8] = {
		{"-trace_opcode_latency_initiation_spec_op_1", o->trace_opcode_latency_initiation_spec_op_1},
		{"-trace_opcode_latency_initiation_spec_op_2", o->trace_opcode_latency_initiation_spec_op_2},
		{"-trace_opcode_latency_initiation_spec_op_3", o->trace_opcode_latency_initiation_spec_op_3},
		{"-trace_opcode_latency_initiation_spec_op_4", o->trace_opcode_latency_initiation_spec_op_4},
		{"-trace_opcode_latency_initiation_spec_op_5", o->trace_opcode_latency_initiation_spec_op_5},
		{"-trace_opcode_latency_initiation_spec_op_6", o->trace_opcode_latency_initiation_spec_op_6},
		{"-trace_opcode_latency_initiation_spec_op_7", o->trace_opcode_latency_initiation_spec_op_7},
		{"-trace_opcode_latency_initiation_spec_op_8", o->trace_opcode_latency_initiation_spec_op_8}};
	uint32_t v[6][2] = {{1, 1}, {4, 1}, {4, 1}, {4, 1}, {4, 1}, {4, 1}};
	const struct { uint8_t kind; const char *name, *text; } pair[] = {
		{LAT_INT, "-trace_opcode_latency_initiation_int", o->trace_opcode_latency_initiation_int},
		{LAT_FP, "-trace_opcode_latency_initiation_sp", o->trace_opcode_latency_initiation_sp},
		{LAT_DP, "-trace_opcode_latency_initiation_dp", o->trace_opcode_latency_initiation_dp},
		{LAT_SFU, "-trace_opcode_latency_initiation_sfu", o->trace_opcode_latency_initiation_sfu},
		{LAT_TENSOR, "-trace_opcode_latency_initiation_tensor", o->trace_opcode_latency_initiation_tensor}};
	bool ok = true;
	for (size_t i = 0; ok && i < sizeof pair / sizeof *pair; i++)
		ok = numbers(pair[i].text, ',', v[pair[i].kind], 2, pair[i].name, d);
	for (unsigned k = 0; ok && k < ISA_N_CLASSES; k++) {
		unsigned kind = kind_of[k];
		uint8_t pipe = k == ISA_TEXTURE ? PIPE_INT : class_cost[k].pipe;
		uint32_t interval = k == ISA_HP ? v[kind][1] / 2 : v[kind][1]; // halves go two at a time
		ok = set_cost(&c->cost[machine][k], present_pipe(c, pipe), v[kind][0], interval, "-trace_opcode_latency_initiation_*", d);
	}
	for (unsigned i = 0; ok && i < 8; i++) {
		uint32_t u[2] = {4, 4};
		ok = numbers(unit[i].text, ',', u, 2, unit[i].name, d) &&
		     set_cost(&c->unit_cost[machine][i], (uint8_t)(PIPE_SPEC + i), u[0], u[1], unit[i].name, d);
	}
	return ok;
}

static bool costs(struct core_config *c, const struct options *o, struct diag *d)
{
	if (!machine_costs(c, o, 1, d))
		return false;
	if (o->machine_code_latencies) // traces whose instructions say less than machine code
		return machine_costs(c, o, 0, d);
	uint32_t lat[6][6] = {{1}}, ii[6][6] = {{1}};
	bool ok = five_numbers(o->ptx_opcode_latency_int, lat[LAT_INT], 6, "-ptx_opcode_latency_int", d) &&
	          five_numbers(o->ptx_opcode_initiation_int, ii[LAT_INT], 6, "-ptx_opcode_initiation_int", d) &&
	          five_numbers(o->ptx_opcode_latency_fp, lat[LAT_FP], 5, "-ptx_opcode_latency_fp", d) &&
	          five_numbers(o->ptx_opcode_initiation_fp, ii[LAT_FP], 5, "-ptx_opcode_initiation_fp", d) &&
	          five_numbers(o->ptx_opcode_latency_dp, lat[LAT_DP], 5, "-ptx_opcode_latency_dp", d) &&
	          five_numbers(o->ptx_opcode_initiation_dp, ii[LAT_DP], 5, "-ptx_opcode_initiation_dp", d) &&
	          numbers(o->ptx_opcode_latency_sfu, ',', lat[LAT_SFU], 1, "-ptx_opcode_latency_sfu", d) &&
	          numbers(o->ptx_opcode_initiation_sfu, ',', ii[LAT_SFU], 1, "-ptx_opcode_initiation_sfu", d) &&
	          numbers(o->ptx_opcode_latency_tesnor, ',', lat[LAT_TENSOR], 1, "-ptx_opcode_latency_tesnor", d) &&
	          numbers(o->ptx_opcode_initiation_tensor, ',', ii[LAT_TENSOR], 1, "-ptx_opcode_initiation_tensor", d);
	if (!ok)
		return false;
	for (unsigned k = 0; k < ISA_N_CLASSES; k++) {
		unsigned kind = class_cost[k].kind, index = class_cost[k].index;
		ok &= set_cost(&c->cost[0][k], present_pipe(c, class_cost[k].pipe), lat[kind][index], ii[kind][index],
		               "-ptx_opcode_latency_*", d);
	}
	for (unsigned i = 0; i < 8; i++) // its own depth, one a cycle
		if (c->n_units[PIPE_SPEC + i])
			ok &= set_cost(&c->unit_cost[0][i], (uint8_t)(PIPE_SPEC + i), c->spec[i].latency, 1, "-specialized_unit", d);
	return ok;
}

// An instruction that no collector takes, or that none hands on, would stay for ever.
static bool collectors_serve(const struct core_config *c, struct diag *d)
{
	static const char *const name[CU_N_SETS] = {
		[CU_GEN] = "gen", [CU_SP] = "sp",   [CU_DP] = "dp",  [CU_TENSOR] = "tensor_core",
		[CU_SFU] = "sfu", [CU_MEM] = "mem", [CU_INT] = "int"};
	static const uint8_t set_of[PIPE_SPEC] = {
		[PIPE_SP] = CU_SP,   [PIPE_DP] = CU_DP,   [PIPE_INT] = CU_INT,
		[PIPE_SFU] = CU_SFU, [PIPE_MEM] = CU_MEM, [PIPE_TENSOR] = CU_TENSOR};
	bool ok = true;
	for (unsigned s = 0; s < CU_N_SETS; s++) {
		if (c->cu_units[s] && !c->cu_out_ports[s]) {
			diag_add(d, DIAG_ERROR, "-gpgpu_operand_collector_num_out_ports_%s is 0: what its %u collectors took could never "
			         "leave; give it at least one port, or no collectors", name[s], c->cu_units[s]);
			ok = false;
		}
	}
	if (c->cu_units[CU_GEN] && c->cu_in_ports[CU_GEN])
		return ok;
	for (unsigned p = 0; p < PIPE_N; p++) {
		unsigned s = p < PIPE_SPEC ? set_of[p] : CU_GEN;
		if (!c->n_units[p] || (s != CU_GEN && c->cu_in_ports[s] && (c->cu_units[s] || c->cu_units[CU_GEN])))
			continue;
		char own[120] = "";
		if (s != CU_GEN)
			snprintf(own, sizeof own, ", or those of _%s%s", name[s],
			         c->specialized_collectors ? "" : " with -gpgpu_enable_specialized_operand_collector 1");
		diag_add(d, DIAG_ERROR, "no operand collector serves the %s units: set -gpgpu_operand_collector_num_units_gen and "
		         "-gpgpu_operand_collector_num_in_ports_gen to at least 1%s", s == CU_GEN ? "specialized" : name[s], own);
		ok = false;
	}
	return ok;
}

// -cdp_latency: stream creation, parameter buffer and launch. They count while -gpgpu_cdp_enabled is on.
static bool services(struct core_config *c, const struct options *o, struct diag *d)
{
	uint32_t v[5] = {0};
	c->barrier_latency = o->barrier_latency;
	c->barrier_arrival = o->barrier_arrival;
	if (!numbers(o->cdp_latency, ',', v, 5, "-cdp_latency", d))
		return false;
	if (!o->gpgpu_cdp_enabled)
		return true;
	c->service[ISA_SERVICE_STREAM][0] = v[0];
	c->service[ISA_SERVICE_PARAMS][0] = v[1];
	c->service[ISA_SERVICE_PARAMS][1] = v[2];
	c->service[ISA_SERVICE_LAUNCH][0] = v[3];
	c->service[ISA_SERVICE_LAUNCH][1] = v[4];
	return true;
}

static bool collectors(struct core_config *c, const struct options *o, struct diag *d)
{
	const int32_t units[CU_N_SETS] = {
		[CU_GEN] = o->gpgpu_operand_collector_num_units_gen, [CU_SP] = o->gpgpu_operand_collector_num_units_sp,
		[CU_DP] = o->gpgpu_operand_collector_num_units_dp, [CU_TENSOR] = o->gpgpu_operand_collector_num_units_tensor_core,
		[CU_SFU] = o->gpgpu_operand_collector_num_units_sfu, [CU_MEM] = o->gpgpu_operand_collector_num_units_mem,
		[CU_INT] = o->gpgpu_operand_collector_num_units_int};
	const int32_t in[CU_N_SETS] = {
		[CU_GEN] = o->gpgpu_operand_collector_num_in_ports_gen, [CU_SP] = o->gpgpu_operand_collector_num_in_ports_sp,
		[CU_DP] = o->gpgpu_operand_collector_num_in_ports_dp,
		[CU_TENSOR] = o->gpgpu_operand_collector_num_in_ports_tensor_core,
		[CU_SFU] = o->gpgpu_operand_collector_num_in_ports_sfu, [CU_MEM] = o->gpgpu_operand_collector_num_in_ports_mem,
		[CU_INT] = o->gpgpu_operand_collector_num_in_ports_int};
	const int32_t out[CU_N_SETS] = {
		[CU_GEN] = o->gpgpu_operand_collector_num_out_ports_gen, [CU_SP] = o->gpgpu_operand_collector_num_out_ports_sp,
		[CU_DP] = o->gpgpu_operand_collector_num_out_ports_dp,
		[CU_TENSOR] = o->gpgpu_operand_collector_num_out_ports_tensor_core,
		[CU_SFU] = o->gpgpu_operand_collector_num_out_ports_sfu, [CU_MEM] = o->gpgpu_operand_collector_num_out_ports_mem,
		[CU_INT] = o->gpgpu_operand_collector_num_out_ports_int};
	uint32_t total = 0;
	for (unsigned s = 0; s < CU_N_SETS; s++) {
		if (s != CU_GEN && !c->specialized_collectors)
			continue;
		c->cu_units[s] = (uint32_t)units[s];
		c->cu_in_ports[s] = (uint32_t)in[s];
		c->cu_out_ports[s] = (uint32_t)out[s];
		total += c->cu_units[s];
		if (c->sub_core && c->cu_units[s] % c->n_schedulers) {
			diag_add(d, DIAG_ERROR, "-gpgpu_sub_core_model: %u collector units cannot be dealt to %u schedulers evenly",
			           c->cu_units[s], c->n_schedulers);
			return false;
		}
	}
	return in_range(total, 0, CORE_MAX_COLLECTORS, "-gpgpu_operand_collector_num_units_* (sum)", d) &&
	       collectors_serve(c, d);
}

static bool preferred(struct core_config *c, unsigned i, const char *text, uint32_t shared, const char *option,
                      struct diag *d)
{
	struct cache_form f;
	if (!core_config_cache(text, &f, option, d))
		return false;
	c->preferred[i] = c->preferred[0];
	if (f.present && c->adaptive)
		diag_add(d, DIAG_WARNING, "%s is not used: with -gpgpu_adaptive_cache_config L1D and shared memory share what each "
		         "kernel leaves", option);
	// Without an L1D there is none to make larger.
	if (f.present && c->l1d.present) {
		c->preferred[i].l1d = f;
		c->preferred[i].shared = shared;
	}
	return true;
}

static bool memory(struct core_config *c, const struct options *o, struct diag *d)
{
	struct cache_form l2;
	bool ok = core_config_cache(o->gpgpu_cache_dl2, &l2, "-gpgpu_cache:dl2", d) &
	          core_config_cache(o->gpgpu_cache_dl1, &c->l1d, "-gpgpu_cache:dl1", d) &
	          core_config_cache(o->gpgpu_cache_il1, &c->l1i, "-gpgpu_cache:il1", d) &
	          core_config_cache(o->gpgpu_const_cache_l1, &c->l1c, "-gpgpu_const_cache:l1", d) &
	          core_config_cache(o->gpgpu_tex_cache_l1, &c->l1t, "-gpgpu_tex_cache:l1", d);
	c->adaptive = o->gpgpu_adaptive_cache_config && c->l1d.present;
	c->preferred[0].l1d = c->l1d;
	c->preferred[0].shared = c->shared_bytes;
	ok = ok &&
	     preferred(c, 1, o->gpgpu_cache_dl1PrefShared, o->gpgpu_shmem_size_PrefShared, "-gpgpu_cache:dl1PrefShared", d) &&
	     preferred(c, 2, o->gpgpu_cache_dl1PrefL1, o->gpgpu_shmem_size_PrefL1, "-gpgpu_cache:dl1PrefL1", d);
	c->coalesce_arch = o->gpgpu_coalesce_arch;
	c->shared_banks = o->gpgpu_shmem_num_banks;
	c->shared_warp_parts = (uint32_t)o->gpgpu_shmem_warp_parts;
	c->shared_limited_broadcast = o->gpgpu_shmem_limited_broadcast;
	c->shared_wide_phases = o->gpgpu_shmem_wide_phases;
	c->shared_latency = o->gpgpu_smem_latency;
	c->cluster_latency = o->cluster_latency;
	c->cluster_bytes = o->cluster_bytes;
	c->mem_ports = o->gpgpu_mem_unit_ports ? (uint32_t)o->gpgpu_mem_unit_ports : c->shared_warp_parts;
	c->l1_banks = o->gpgpu_l1_banks;
	c->l1_bank_bytes = o->gpgpu_l1_banks_byte_interleaving;
	c->l1_bank_hash = o->gpgpu_l1_banks_hashing_function;
	c->l1_latency = o->gpgpu_l1_latency;
	struct form_error err;
	if (!form_prefetch(o->l1d_prefetch, &c->l1d_prefetch, &err)) {
		diag_add(d, DIAG_ERROR, "option '-l1d_prefetch': '%s': %s", o->l1d_prefetch, err.why);
		ok = false;
	}
	c->l1_conflicts = o->memory_l1d_bank_conflicts;
	c->l1_write_ratio = o->gpgpu_l1_cache_write_ratio;
	c->skip_l1d = o->gpgpu_gmem_skip_L1D;
	c->flush_l1 = o->gpgpu_flush_l1_cache;
	c->unified_bytes = o->gpgpu_unified_l1d_size * 1024;
	c->response_buffer = o->gpgpu_n_ldst_response_buffer_size;
	c->ejection_buffer = o->gpgpu_n_cluster_ejection_buffer_size;
	c->answers = o->icnt_answers;
	c->local_map = o->gpgpu_local_mem_map;
	c->perfect_mem = o->gpgpu_perfect_mem;
	c->perfect_inst_const = o->gpgpu_perfect_inst_const_cache;
	c->sector_acks = l2.present && l2.kind == 'S' && !c->perfect_mem;
	ok &= in_range(c->shared_banks, 1, 64, "-gpgpu_shmem_num_banks", d);
	ok &= in_range(c->shared_warp_parts, 1, 4, "-gpgpu_shmem_warp_parts", d);
	ok &= in_range(c->shared_latency, 2, 1024, "-gpgpu_smem_latency", d);
	ok &= in_range(c->mem_ports, 1, 8, "-gpgpu_mem_unit_ports", d);
	ok &= in_range(c->l1_banks, 1, 32, "-gpgpu_l1_banks", d);
	ok &= in_range(c->l1_latency, 1, 1024, "-gpgpu_l1_latency", d);
	ok &= in_range((uint32_t)c->coalesce_arch, 13, 1000, "-gpgpu_coalesce_arch", d);
	ok &= in_range(c->response_buffer, 1, 4096, "-gpgpu_n_ldst_response_buffer_size", d);
	ok &= in_range(c->ejection_buffer, 1, 4096, "-gpgpu_n_cluster_ejection_buffer_size", d);
	if (c->adaptive) {
		uint32_t kb[16];
		int64_t v[16];
		size_t n;
		if (!form_numbers(o->gpgpu_shmem_option, ',', v, 16, &n, &err)) {
			diag_add(d, DIAG_ERROR, "option '-gpgpu_shmem_option': '%s': %s", o->gpgpu_shmem_option, err.why);
			return false;
		}
		for (size_t i = 0; i < n; i++)
			kb[i] = (uint32_t)v[i];
		c->n_carve = (uint32_t)n;
		for (size_t i = 0; i < n; i++) {
			c->carve[i] = kb[i] * 1024;
			if (i && c->carve[i] < c->carve[i - 1]) {
				diag_add(d, DIAG_ERROR, "option '-gpgpu_shmem_option': sizes must ascend");
				ok = false;
			}
		}
	}
	return ok;
}

// GPGPU-Sim gives an SM -gpgpu_shmem_sizeDefault at each launch of a kernel without preference, whatever
// -gpgpu_shmem_size is. Configurations that do not know that option, and a -gpgpu_shmem_size that overrides a file,
// mean the latter.
static uint32_t shared_default(const struct options *o)
{
	enum option_source size = o->origin[OPT_gpgpu_shmem_size].source, def = o->origin[OPT_gpgpu_shmem_sizeDefault].source;
	return def != FROM_DEFAULT && def >= size ? o->gpgpu_shmem_sizeDefault : o->gpgpu_shmem_size;
}

static bool given(const struct options *o, enum option_id id) { return o->origin[id].source != FROM_DEFAULT; }

// Sizes that a configuration gives and another of its options overrides.
static void say_overridden(const struct core_config *c, const struct options *o, struct diag *d)
{
	uint32_t bytes = c->l1d.sets * c->l1d.line * c->l1d.ways;
	if (c->adaptive)
		diag_remark(d, "-gpgpu_cache:dl1 gives L1D %u KB, which -gpgpu_adaptive_cache_config 1 overrides: a kernel has what its "
		               "shared memory leaves of -gpgpu_unified_l1d_size %u KB", bytes / 1024, c->unified_bytes / 1024);
	if (given(o, OPT_gpgpu_shmem_size) && given(o, OPT_gpgpu_shmem_sizeDefault) && o->gpgpu_shmem_size != o->gpgpu_shmem_sizeDefault) {
		bool def = c->shared_bytes == o->gpgpu_shmem_sizeDefault;
		diag_remark(d, "%s %u overrides %s %u: kernels have as much shared memory as the former says",
		            def ? "-gpgpu_shmem_sizeDefault" : "-gpgpu_shmem_size", c->shared_bytes,
		            def ? "-gpgpu_shmem_size" : "-gpgpu_shmem_sizeDefault", def ? o->gpgpu_shmem_size : o->gpgpu_shmem_sizeDefault);
	}
	if (c->perfect_inst_const && (given(o, OPT_gpgpu_cache_il1) || given(o, OPT_gpgpu_const_cache_l1)))
		diag_remark(d, "-gpgpu_perfect_inst_const_cache 1 overrides the sizes in -gpgpu_cache:il1 and -gpgpu_const_cache:l1: every "
		               "access hits");
	if (options_modern_core(o) && given(o, OPT_gpgpu_num_sched_per_core) && (uint32_t)o->gpgpu_num_sched_per_core != c->n_schedulers)
		diag_remark(d, "-core modern overrides -gpgpu_num_sched_per_core %d: an SM has %u sub-cores, a scheduler each",
		            o->gpgpu_num_sched_per_core, c->n_schedulers);
	if (o->l2_ideal && given(o, OPT_gpgpu_cache_dl2))
		diag_remark(d, "-l2_ideal 1 overrides the size in -gpgpu_cache:dl2: every access hits");
}

bool core_config_from_options(struct core_config *c, const struct options *o, struct diag *d)
{
	memset(c, 0, sizeof *c);
	uint32_t shape[2] = {1024, 32};
	struct form_error err;
	bool ok = numbers(o->gpgpu_shader_core_pipeline, ':', shape, 2, "-gpgpu_shader_core_pipeline", d);
	c->max_threads = shape[0];
	c->warp_size = shape[1];
	if (c->warp_size != 32) {
		diag_add(d, DIAG_ERROR, "option '-gpgpu_shader_core_pipeline': warps have 32 lanes, not %u", c->warp_size);
		return false;
	}
	c->max_warps = c->max_threads / c->warp_size;
	c->n_clusters = o->gpgpu_n_clusters;
	c->cores_per_cluster = o->gpgpu_n_cores_per_cluster;
	c->n_sm = c->n_clusters * c->cores_per_cluster;
	c->max_ctas = o->gpgpu_shader_cta;
	c->n_schedulers = (uint32_t)o->gpgpu_num_sched_per_core;
	if (strcmp(o->core, "classic") && strcmp(o->core, "modern")) {
		diag_add(d, DIAG_ERROR, "option '-core': '%s': expected classic or modern", o->core);
		ok = false;
	}
	if (options_modern_core(o))
		c->n_schedulers = 4; // sub-cores
	c->max_issue = (uint32_t)o->gpgpu_max_insn_issue_per_warp;
	c->dual_issue_diff_units = o->gpgpu_dual_issue_diff_exec_units;
	c->sub_core = o->gpgpu_sub_core_model && !options_modern_core(o); // which has sub-cores of its own
	c->registers = o->gpgpu_shader_registers;
	c->shared_bytes = shared_default(o);
	c->concurrent_kernels = o->gpgpu_concurrent_kernel_sm;
	c->rotate_cores = o->gpgpu_simt_core_sim_order == 1;
	c->n_banks = (uint32_t)o->gpgpu_num_reg_banks;
	c->reg_port_throughput = (uint32_t)o->gpgpu_reg_file_port_throughput;
	c->specialized_collectors = o->gpgpu_enable_specialized_operand_collector;
	c->fetch_throughput = (uint32_t)o->gpgpu_inst_fetch_throughput;
	c->n_units[PIPE_SP] = (uint32_t)o->gpgpu_num_sp_units;
	c->n_units[PIPE_DP] = (uint32_t)o->gpgpu_num_dp_units;
	c->n_units[PIPE_INT] = (uint32_t)o->gpgpu_num_int_units;
	c->n_units[PIPE_SFU] = (uint32_t)o->gpgpu_num_sfu_units;
	c->n_units[PIPE_TENSOR] = o->gpgpu_tensor_core_avail ? (uint32_t)o->gpgpu_num_tensor_core_units : 0;
	c->n_units[PIPE_MEM] = 1;
	ok &= in_range(c->n_sm, 1, 4096, "-gpgpu_n_clusters x -gpgpu_n_cores_per_cluster", d);
	ok &= in_range(c->max_warps, 1, CORE_MAX_WARPS, "-gpgpu_shader_core_pipeline (warps)", d);
	ok &= in_range(c->max_ctas, 1, CORE_MAX_CTAS, "-gpgpu_shader_cta", d);
	ok &= in_range(c->n_schedulers, 1, CORE_MAX_SCHEDULERS, "-gpgpu_num_sched_per_core", d);
	ok &= in_range(c->max_issue, 1, 2, "-gpgpu_max_insn_issue_per_warp", d);
	ok &= in_range(c->n_banks, 1, CORE_MAX_BANKS, "-gpgpu_num_reg_banks", d);
	ok &= in_range(c->reg_port_throughput, 1, 64, "-gpgpu_reg_file_port_throughput", d);
	ok &= in_range(c->fetch_throughput, 1, 64, "-gpgpu_inst_fetch_throughput", d);
	ok &= in_range(c->n_units[PIPE_SP], 1, 16, "-gpgpu_num_sp_units", d);
	ok &= in_range(c->n_units[PIPE_DP], 0, 16, "-gpgpu_num_dp_units", d);
	ok &= in_range(c->n_units[PIPE_INT], 0, 16, "-gpgpu_num_int_units", d);
	ok &= in_range(c->n_units[PIPE_SFU], 1, 16, "-gpgpu_num_sfu_units", d);
	ok &= in_range(c->n_units[PIPE_TENSOR], 0, 16, "-gpgpu_num_tensor_core_units", d);
	if (ok && c->sub_core && c->n_banks % c->n_schedulers) {
		diag_add(d, DIAG_ERROR, "-gpgpu_sub_core_model: %u register banks cannot be dealt to %u schedulers evenly",
		         c->n_banks, c->n_schedulers);
		ok = false;
	}
	if (!form_scheduler(o->gpgpu_scheduler, &c->scheduler, &err)) {
		diag_add(d, DIAG_ERROR, "option '-gpgpu_scheduler': '%s': %s", o->gpgpu_scheduler, err.why);
		ok = false;
	}
	c->fence_waits_for_stores = o->fence_waits_for_stores;
	c->exit_waits_for_stores = o->exit_waits_for_stores;
	c->cta_turnaround = o->cta_turnaround;
	c->longop_tracking = c->scheduler.kind == SCHEDULER_TWO_LEVEL;
	c->tick_all = o->tick_every_cycle;
	c->least_answer = o->gpgpu_perfect_mem ? 0 : o->gpgpu_l2_rop_latency;
	c->tma_latency = o->tma_latency, c->tma_interval = o->tma_interval, c->tma_write_latency = o->tma_write_latency;
	c->tma_map_latency = o->tma_map_latency, c->tma_first_latency = o->tma_first_latency;
	c->tma_plain_load_bytes = o->tma_plain_load_bytes, c->tma_plain_store_bytes = o->tma_plain_store_bytes;
	c->tma_bytes = o->tma_bytes, c->tma_requests = o->tma_requests, c->tma_maps = o->tma_maps;
	c->wgmma_rate = o->wgmma_rate, c->wgmma_fetch = o->wgmma_fetch, c->wgmma_latency = o->wgmma_latency;
	uint32_t units = 0;
	ok = ok && special_units(c, o, d);
	for (unsigned p = 0; p < PIPE_N; p++)
		units += c->n_units[p];
	ok = ok && in_range(units, 1, 64, "-gpgpu_num_*_units (sum)", d);
	ok = ok && widths(c, o, d) && costs(c, o, d) && services(c, o, d) && collectors(c, o, d) && memory(c, o, d);
	if (ok)
		say_overridden(c, o, d);
	return ok;
}

uint32_t core_max_ctas(const struct core_config *c, uint32_t threads, uint32_t regs, uint32_t shared, unsigned *limits)
{
	uint32_t padded = (threads + c->warp_size - 1) / c->warp_size * c->warp_size;
	uint32_t by[4] = {c->max_threads / (padded ? padded : 1), UINT32_MAX, UINT32_MAX, c->max_ctas};
	if (shared)
		by[1] = c->shared_bytes / shared;
	if (regs)
		by[2] = c->registers / (padded * ((regs + 3) & ~3u));
	uint32_t n = UINT32_MAX;
	for (unsigned i = 0; i < 4; i++)
		n = by[i] < n ? by[i] : n;
	if (limits) {
		*limits = 0;
		for (unsigned i = 0; i < 4; i++)
			*limits |= (by[i] == n) << i;
	}
	return n;
}
