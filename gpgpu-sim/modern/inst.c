#include "gpgpu-sim/modern/inst.h"

#include "gpgpu-sim/modern/mem_pipe.h"

enum {
	READ_CYCLES = 3, WIDE_READ_CYCLES = 6,
	MMA_BITS = 2048, // of a product's multiplications for each cycle more until its result is there, as compiled code leaves them
	WGMMA_READ = 2, WGMMA_INTERVAL = 4, // 4.3 cycles from one to the next, measured on H200 (FlashGPU-Sim)
};

// --- units

static enum isa_unit unit_of_class(enum isa_class cls)
{
	switch (cls) {
	case ISA_SP_ADD: case ISA_SP_MAX: case ISA_SP_MUL: case ISA_SP_MAD:
	case ISA_INT_MUL: case ISA_INT_MAD:
		return ISA_UNIT_SP; // IMAD runs there
	case ISA_ALU: case ISA_INT: case ISA_INT_MAX: case ISA_MOV:
		return ISA_UNIT_INT;
	case ISA_HP:
		return ISA_UNIT_HALF;
	case ISA_DP_ADD: case ISA_DP_MAX: case ISA_DP_MUL: case ISA_DP_MAD:
		return ISA_UNIT_DP;
	case ISA_SFU: case ISA_CVT: case ISA_INT_DIV: case ISA_SP_DIV: case ISA_DP_DIV:
		return ISA_UNIT_SFU;
	case ISA_TENSOR:
		return ISA_UNIT_TENSOR;
	case ISA_SHFL: case ISA_LOAD: case ISA_STORE: case ISA_ATOMIC:
		return ISA_UNIT_MEMORY;
	case ISA_TEXTURE:
		return ISA_UNIT_TEXTURE;
	case ISA_BRANCH: case ISA_CALL: case ISA_RET: case ISA_EXIT:
		return ISA_UNIT_BRANCH;
	default:
		return ISA_UNIT_MISC;
	}
}

static bool is_fp32(enum isa_class cls) { return cls == ISA_SP_ADD || cls == ISA_SP_MAX || cls == ISA_SP_MUL || cls == ISA_SP_MAD; }
static bool is_division(enum isa_class cls) { return cls == ISA_INT_DIV || cls == ISA_SP_DIV || cls == ISA_DP_DIV; }

static bool is_fixed(enum isa_unit u, enum isa_class cls, const struct modern_config *cfg)
{
	switch (u) {
	case ISA_UNIT_DP:
		return cfg->distances->dp_dp && cls != ISA_CVT && cls != ISA_TENSOR;
	case ISA_UNIT_SP: case ISA_UNIT_INT: case ISA_UNIT_HALF: case ISA_UNIT_PREDICATE: case ISA_UNIT_UNIFORM: case ISA_UNIT_BRANCH:
	case ISA_UNIT_MISC: case ISA_UNIT_TENSOR:
		return true;
	default:
		return false;
	}
}

// --- operands

static void read_register(struct modern_inst *m, uint16_t reg, unsigned bank, unsigned slot, bool reuse)
{
	if (m->n_read == sizeof m->read / sizeof *m->read)
		return;
	m->read[m->n_read].reg = reg;
	m->read[m->n_read].bank = (uint8_t)(bank % MODERN_BANKS);
	m->read[m->n_read].slot = (uint8_t)slot;
	m->read[m->n_read++].reuse = reuse;
}

// Guards and branches see a predicate after predicate_total cycles.
static void predicate_result(struct modern_inst *m, const struct modern_config *cfg)
{
	if (m->dependent < cfg->predicate_total)
		m->dependent = (uint16_t)cfg->predicate_total;
}

static void machine_operands(struct modern_inst *m, const struct isa_sass *s, const struct modern_config *cfg)
{
	unsigned wide = 0;
	bool predicate = false;
	for (unsigned i = 0; i < s->n_src; i++) {
		const struct isa_operand *o = &s->src[i];
		if (o->file == ISA_FILE_CONST && m->unit != ISA_UNIT_MEMORY) { // LDC goes to a cache of its own
			m->reads_const = true;
			m->const_addr = isa_const_address(o->reg, o->offset);
		}
		m->dp_reads += o->file == ISA_FILE_R && o->count ? 4 : 1;
		if (o->file != ISA_FILE_R)
			continue;
		for (unsigned k = 0; k < o->count; k++)
			read_register(m, (uint16_t)(o->reg + k), o->reg + k, o->slot < cfg->rf_slots ? o->slot : cfg->rf_slots - 1, o->reuse);
		wide += o->count >= 4;
	}
	if (m->unit == ISA_UNIT_TENSOR && wide >= 2)
		m->window = WIDE_READ_CYCLES;
	for (unsigned i = 0; i < s->n_dst; i++) {
		if (s->dst[i].file == ISA_FILE_R && s->dst[i].count) {
			if (!m->n_write)
				m->dst_reg = s->dst[i].reg;
			m->n_write += s->dst[i].count;
		} else if (s->dst[i].file == ISA_FILE_UR && s->dst[i].count) {
			m->write_uniform = true;
		} else if ((s->dst[i].file == ISA_FILE_P || s->dst[i].file == ISA_FILE_UP) && s->dst[i].count) {
			m->write_uniform = predicate = true;
		}
	}
	if (predicate && !m->n_write)
		predicate_result(m, cfg);
}

// PTX: virtual registers, of which the bank is known.
static void form_operands(struct modern_inst *m, const struct isa_inst *st, const struct modern_config *cfg)
{
	for (unsigned i = 0; i < st->n_read && i < ISA_MAX_SRC; i++)
		if (!(st->src_predicates >> i & 1))
			read_register(m, st->src[i], st->src_bank[i] == ISA_NO_BANK ? st->src[i] : st->src_bank[i], i < cfg->rf_slots ? i : cfg->rf_slots - 1, false);
	m->dp_reads = (uint8_t)(4 * m->n_read + (st->n_src - m->n_read));
	for (unsigned i = 0; i < st->n_dst; i++) {
		if (st->dst_predicates >> i & 1) {
			m->write_uniform = true;
			predicate_result(m, cfg);
			continue;
		}
		if (!m->n_write)
			m->dst_reg = st->dst_bank[i] == ISA_NO_BANK ? st->dst[i] : st->dst_bank[i];
		m->n_write++;
	}
}

// The registers in st->src: the first of each operand, the guard, then the others, as sass_inst_registers puts them.
static void source_files(struct modern_inst *m, const struct isa_inst *st, const struct modern_config *cfg)
{
	const struct isa_sass *s = st->sass;
	unsigned at = 0, wide = m->imad && s && s->n_dst && s->dst[0].count == 2;
	for (unsigned k = 0; !s && k < st->n_src && k < ISA_MAX_SRC; k++)
		m->src_regular |= (st->src_predicates >> k & 1 ? 0u : 1u) << k;
	m->wide_result = wide;
	for (unsigned first = 1; s && first < 3; first++)
		for (unsigned k = 0; k < s->n_src; k++) {
			const struct isa_operand *o = &s->src[k];
			if (o->file < ISA_FILE_R || o->file > ISA_FILE_B)
				continue;
			for (unsigned r = first - 1; r < (first == 1 && o->count ? 1u : o->count) && at < ISA_MAX_SRC; r++, at++) {
				m->src_regular |= (unsigned)(o->file == ISA_FILE_R) << at;
				m->src_uniform |= (unsigned)(o->file == ISA_FILE_UR) << at;
				m->src_predicate |= (unsigned)(o->file == ISA_FILE_P || o->file == ISA_FILE_UP) << at;
				m->late_addend |= (unsigned)(m->imad && o->file == ISA_FILE_R && o->count == 2 && cfg->distances->addend) << at;
			}
		}
}

// --- costs

static bool beside_its_warp(const struct isa_inst *st) { return st->async >= ISA_ASYNC_MMA; }

static void tensor_cost(struct modern_inst *m, const struct isa_inst *st, const struct modern_config *cfg)
{
	const struct isa_sass *s = st->sass;
	struct isa_matrix x = st->matrix;
	if (beside_its_warp(st)) { // the product itself: sm/products.h
		m->latency = WGMMA_READ;
		m->interval = WGMMA_INTERVAL;
		return;
	}
	if (cfg->mma_rate && x.n) {
		const uint32_t bits = (uint32_t)x.m * x.n * x.k * x.bits / (x.sparse ? 2 : 1);
		const uint32_t next = (bits + cfg->mma_rate - 1) / cfg->mma_rate, result = cfg->mma_latency + bits / MMA_BITS;
		m->interval = (uint16_t)next;
		m->latency = (uint16_t)(result > next ? result - next : 1);
		return;
	}
	if (s && s->matrix_m)
		x = (struct isa_matrix){.m = s->matrix_m, .n = s->matrix_n, .k = s->matrix_k, .bits = (uint8_t)s->matrix_bits, .sparse = s->matrix_sparse};
	if (!x.n)
		return;
	uint32_t cycles = (uint32_t)x.m * x.n * x.k * (x.bits ? x.bits : 1) / cfg->tensor_rate;
	if (x.sparse)
		cycles /= 2;
	if (cycles < 2)
		cycles = 2;
	m->interval = (uint16_t)(cycles / 2);
	m->latency = (uint16_t)(cycles - cycles / 2);
	if (s && s->matrix_bits == 32 && s->matrix_m == 16 && (s->matrix_k == 16 || s->matrix_k == 8)) {
		m->interval += (uint16_t)cfg->tensor_extra;
		m->latency += (uint16_t)cfg->tensor_extra;
	}
}

static enum modern_memory memory_kind(const struct isa_inst *st)
{
	if (st->async == ISA_ASYNC_COPY)
		return MODERN_MEM_LDGSTS;
	if (st->cls == ISA_TEXTURE)
		return MODERN_MEM_TEX;
	if (st->cls == ISA_ATOMIC)
		return st->space == SPACE_SHARED ? MODERN_MEM_LDS : MODERN_MEM_ATOM;
	if (st->cls != ISA_LOAD && st->cls != ISA_STORE)
		return MODERN_MEM_OTHER;
	if (st->space == SPACE_SHARED)
		return st->cls == ISA_LOAD ? MODERN_MEM_LDS : MODERN_MEM_STS;
	if (st->space == SPACE_CONST || st->space == SPACE_PARAM)
		return MODERN_MEM_LDC;
	if (st->space == SPACE_NONE)
		return MODERN_MEM_OTHER;
	return st->cls == ISA_LOAD ? MODERN_MEM_LDG : MODERN_MEM_STG;
}

void modern_inst_fill(struct modern_inst *m, const struct isa_inst *st, const struct modern_config *cfg, const struct core_config *core)
{
	const struct isa_sass *s = st->sass;
	enum isa_class cls = (enum isa_class)st->cls;
	m->st = st;
	m->depbar_sb = ISA_NO_SB;
	m->control = (struct isa_control){.write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB, .stall = 1};
	if (s && s->control.present)
		m->control = s->control;
	m->unit = (uint8_t)(s && s->unit ? s->unit : unit_of_class(cls));
	if (m->unit == ISA_UNIT_TEXTURE)
		m->unit = ISA_UNIT_MEMORY;
	m->fixed = is_fixed((enum isa_unit)m->unit, cls, cfg);
	m->fp32 = (m->unit == ISA_UNIT_SP && is_fp32(cls) && !(s && s->imad)) || m->unit == ISA_UNIT_HALF;
	m->imad = s ? s->imad : cls == ISA_INT_MAD;
	m->window = READ_CYCLES;
	m->latency = cfg->unit[m->unit].latency;
	m->interval = cfg->unit[m->unit].interval;
	if (m->unit == ISA_UNIT_TENSOR)
		tensor_cost(m, st, cfg);
	if (is_division(cls) && !s) // PTX has it in one instruction: its time comes from -ptx_opcode_latency_*
		m->latency = core_cost(core, st)->latency, m->interval = core_cost(core, st)->interval;
	m->dependent = (uint16_t)(m->latency + m->interval);
	m->uniform_move = s && s->uniform_move;
	m->half_mma = s && s->half_mma;
	m->pipe = s ? (uint8_t)modern_pipe_of(s, (enum isa_unit)m->unit, cfg->capability) : MODERN_PIPE_UNIT;
	source_files(m, st, cfg);
	if (s) {
		m->fence = s->fence < 4 ? s->fence : 3;
		m->depbar_sb = s->depbar_sb;
		m->depbar_max = s->depbar_max;
		m->depbar_zero = s->depbar_zero;
		machine_operands(m, s, cfg);
	} else {
		if (cls == ISA_FENCE)
			m->fence = 2;
		form_operands(m, st, cfg);
	}
	if (m->unit != ISA_UNIT_MEMORY)
		return;
	m->memory = (uint8_t)memory_kind(st);
	uint8_t address = s ? s->address : m->memory == MODERN_MEM_LDC ? ISA_ADDRESS_IMMEDIATE : ISA_ADDRESS_REGULAR;
	mmem_costs(cfg, m, address, st->bytes, s ? s->matrices : 0);
}

// --- when the next one issues

unsigned modern_stall(const struct isa_control *k, const struct modern_config *cfg)
{
	if (!k->stall && k->yield)
		return cfg->yield_stall;
	if (k->stall > 11 && !k->yield)
		return 2; // never set by compilers; hardware waits for a cycle or two
	unsigned wait = k->stall ? k->stall : 1;
	return k->yield && wait < 2 ? 2 : wait;
}
