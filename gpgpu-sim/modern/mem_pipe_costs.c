// What memory instructions cost in a sub-core's unit and on the way back: the stages of the released model of Huerta et al.,
// with the offsets that make Tables 1 and 2 of their paper (Ampere) come out.
//
// Figure 2 of the paper, whose loads are generic (LD), and Table 2 differ by one: there the first source register is read in
// cycle 7 of a load issued in cycle 1, the counter of the sources is seen to go down 10 cycles after issue and that of the
// result after 31, where the table has 11 and 32 for LDG. A generic load therefore gets 10 and 31.
#include "gpgpu-sim/modern/mem_pipe_state.h"

enum { MBARRIER_BYTES = 8 };

static unsigned at_most(unsigned v, unsigned max) { return v < max ? v : max; }

// Cycles in which the link moves a warp's `bytes` per lane.
static unsigned link_cycles(const struct modern_config *cfg, unsigned bytes, bool half)
{
	unsigned width = half ? cfg->link_bytes / 2 : cfg->link_bytes;
	if (!width)
		width = 1;
	return at_most((32 * (bytes < 4 ? 4 : bytes) + width - 1) / width, 200);
}

static void stages(struct modern_inst *i, unsigned s0, unsigned s1, unsigned s4, unsigned s5)
{
	i->stage[0] = (uint8_t)s0;
	i->stage[1] = (uint8_t)s1;
	i->stage[2] = i->stage[3] = 0;
	i->stage[4] = (uint8_t)s4;
	i->stage[5] = (uint8_t)at_most(s5, 255);
}

static unsigned sum(const struct modern_inst *i, unsigned n)
{
	unsigned all = 0;
	for (unsigned s = 0; s < n; s++)
		all += i->stage[s];
	return all;
}

static void offset_first(const struct modern_config *cfg, struct modern_inst *i)
{
	int v = i->stage[0] + cfg->first_stage_offset;
	i->stage[0] = (uint8_t)(v < 0 ? 0 : at_most((unsigned)v, 200));
}

// `after`: cycles that the sources are needed beyond the first four stages. A store may be over in the cycle after its
// acceptance; its sources are released by then.
static void set_war(struct modern_inst *i, int after)
{
	bool store = i->memory == MODERN_MEM_STG || i->memory == MODERN_MEM_STS;
	int war = (int)sum(i, 4) + LOCAL_READ + 2 + after, most = (int)sum(i, LOCAL_STAGES) + LOCAL_READ + !store;
	i->war = (uint16_t)(war > most ? most : war < LOCAL_READ + 1 ? LOCAL_READ + 1 : war);
}

static void load_costs(const struct modern_config *cfg, struct modern_inst *i, bool regular, unsigned calc, unsigned bytes)
{
	bool generic = i->st->sass && i->st->sass->generic;
	stages(i, regular ? calc : calc / 2, 0, regular ? calc : calc / 2, regular ? 1 : 2);
	offset_first(cfg, i);
	set_war(i, generic ? 0 : 1);
	i->back = (uint16_t)link_cycles(cfg, bytes, cfg->load_half);
	i->back -= generic && i->back;
	i->latency = (uint16_t)cfg->l1d_latency;
}

static void store_costs(const struct modern_config *cfg, struct modern_inst *i, bool regular, bool shared, unsigned calc, unsigned bytes)
{
	unsigned half = calc / 2, data = link_cycles(cfg, bytes, cfg->store_half);
	unsigned address = regular && !shared ? calc : half;
	if (regular)
		data += shared ? 2 : 4;
	stages(i, half, shared ? 1 : regular ? 0 : 2, address, data);
	offset_first(cfg, i);
	set_war(i, 1 + (int)i->stage[5] - (shared ? 2 : 3) + (shared ? 0 : (int)address - 2));
	i->latency = (uint16_t)(shared ? cfg->shared_latency + 1 : cfg->l1d_latency);
}

static void shared_load_costs(const struct modern_config *cfg, struct modern_inst *i, bool regular, unsigned calc, unsigned bytes,
                              unsigned matrices)
{
	stages(i, calc / 2, 0, calc / 2, 1);
	offset_first(cfg, i);
	set_war(i, 1);
	if (bytes < 4 * matrices)
		bytes = 4 * matrices;
	unsigned back = link_cycles(cfg, bytes, false);
	i->back = (uint16_t)(back < 2 ? 2 : back);
	i->latency = (uint16_t)(cfg->shared_latency + regular + (matrices > 1 ? cfg->ldsm_extra : 0));
	if (i->st->cls == ISA_ATOMIC && bytes == MBARRIER_BYTES)
		i->latency += (uint16_t)cfg->mbarrier_latency;
}

static void constant_costs(const struct modern_config *cfg, struct modern_inst *i, bool regular, unsigned calc)
{
	if (regular) {
		stages(i, calc, 0, calc, 1);
	} else {
		stages(i, 1, 1, 1, 1);
		i->stage[2] = i->stage[3] = 1;
	}
	offset_first(cfg, i);
	set_war(i, 0);
	i->back = 1;
	i->latency = (uint16_t)cfg->const_latency;
	i->war_at_end = regular;
	if (regular)
		i->war = (uint16_t)mmem_raw(cfg, i);
}

void mmem_costs(const struct modern_config *cfg, struct modern_inst *i, uint8_t address, unsigned bytes, unsigned matrices)
{
	unsigned calc = cfg->address_units && cfg->address_units < 32 ? 32 / cfg->address_units : 1;
	bool regular = address == ISA_ADDRESS_REGULAR || address == ISA_ADDRESS_NONE;
	bool result = i->st->n_dst > 0;
	i->back = 0;
	i->war_at_end = false;
	switch ((enum modern_memory)i->memory) {
	case MODERN_MEM_LDG:
		load_costs(cfg, i, regular, calc, bytes);
		break;
	case MODERN_MEM_STG:
		store_costs(cfg, i, regular, false, calc, bytes);
		break;
	case MODERN_MEM_LDS:
		shared_load_costs(cfg, i, regular, calc, bytes, matrices);
		break;
	case MODERN_MEM_STS:
		store_costs(cfg, i, regular, true, calc, bytes);
		break;
	case MODERN_MEM_LDC:
		constant_costs(cfg, i, regular, calc);
		break;
	case MODERN_MEM_LDGSTS:
		stages(i, calc, 0, calc + cfg->ldgsts_extra, 1);
		offset_first(cfg, i);
		set_war(i, 1 + (int)cfg->ldgsts_extra);
		i->latency = (uint16_t)cfg->l1d_latency;
		break;
	case MODERN_MEM_ATOM:
		store_costs(cfg, i, regular, i->st->space == SPACE_SHARED, calc, bytes);
		i->back = (uint16_t)(result ? link_cycles(cfg, bytes, cfg->load_half) : 0);
		break;
	default:
		stages(i, 1, 1, 1, 1);
		i->stage[2] = i->stage[3] = 1;
		offset_first(cfg, i);
		set_war(i, 1);
		i->latency = 0;
		i->back = (uint16_t)(!result ? 0 : i->memory == MODERN_MEM_TEX ? link_cycles(cfg, bytes, cfg->load_half) : 2);
		if (i->memory == MODERN_MEM_TEX)
			i->latency = cfg->unit[ISA_UNIT_TEXTURE].latency;
	}
}

unsigned mmem_raw(const struct modern_config *cfg, const struct modern_inst *i)
{
	unsigned accepted = LOCAL_ENTRY - 1 + sum(i, LOCAL_STAGES);
	bool l1d = i->memory == MODERN_MEM_LDG || i->memory == MODERN_MEM_LDGSTS;
	unsigned datum = accepted + MMEM_GENERATE + (l1d ? MMEM_L1D_DISPATCH : MMEM_DISPATCH) + i->latency;
	return datum + 1 + (i->memory == MODERN_MEM_LDGSTS ? MMEM_COPY_FIRST : MMEM_RETURN + i->back);
}
