// The operand collector: instructions wait in collector units until their source registers have been read from the banked
// register file, one register a bank and cycle, writes first. Model of GPGPU-Sim's opndcoll_rfu_t.
#ifndef GPGPU_SIM_CLASSIC_OPCOLL_H
#define GPGPU_SIM_CLASSIC_OPCOLL_H

#include "gpgpu-sim/classic/register_set.h"

struct collector {
	struct winst *w;     // NULL: free
	struct register_set *out;   // where it goes when all operands are there
	uint32_t waiting;    // operands still to be read, a bit each
	uint8_t owner;       // scheduler, with sub-cores
};

// Instructions enter from the stages of `in` and leave to the stage of the same index in `out`, through a collector of one
// of the sets, tried in order.
struct collector_port {
	uint32_t pipes;      // set of enum pipe
	uint8_t set[2], n_set;
	bool like_last;      // the same as the port before: takes nothing when that one took nothing
};

// A dispatcher sends one ready instruction a step out of its set, round robin.
struct dispatcher {
	uint8_t first, n, last;
};

enum { OPCOLL_MAX_OPERANDS = ISA_MAX_SRC, OPCOLL_NONE = 0xffff };

struct opcoll {
	const struct core_config *cfg;
	struct register_set *in, *out;  // indexed by enum pipe
	const uint32_t *arrived; // stages of `in` that hold something
	struct collector unit[CORE_MAX_COLLECTORS];
	uint64_t busy;           // collectors that hold an instruction
	uint64_t complete;       // collectors in use that have all their operands
	uint32_t n_unit;
	uint8_t set_first[CU_N_SETS], set_n[CU_N_SETS];
	struct collector_port port[64];
	uint32_t n_port;
	struct dispatcher disp[64];
	uint32_t n_disp;
	// Per bank a queue of operands to read; operand number: collector * OPCOLL_MAX_OPERANDS + index. They are chained, since an
	// operand stands in one of them and any may hold all.
	uint16_t head[CORE_MAX_BANKS], tail[CORE_MAX_BANKS];
	uint16_t next[CORE_MAX_COLLECTORS * OPCOLL_MAX_OPERANDS];
	uint64_t waiting_banks;  // banks with a queue
	uint64_t writing;        // banks taken by a write in this step
	uint32_t freed;          // schedulers whose instructions have left the stages of `in`
	uint32_t n_bank, bank_mask; // banks that a register may lie in: all, or those of its scheduler; mask: 0 unless a power of two
	uint64_t reads, writes, conflicts; // registers of a warp; banks that had readers left after a step
};

bool opcoll_init(struct opcoll *c, const struct core_config *cfg, struct register_set *in, struct register_set *out, struct diag *d);

// Takes the banks of the destination registers not yet written, for this cycle; false if some bank was taken already
// (what could be written is written).
bool opcoll_writeback(struct opcoll *c, struct winst *w);

// One step; -gpgpu_reg_file_port_throughput of them make a cycle. False: nothing has moved, and nothing will before the stages
// around it change.
bool opcoll_step(struct opcoll *c);

// Schedulers for which there may be room in the stages in front that were full, since it was asked last.
static inline uint32_t opcoll_freed(struct opcoll *c)
{
	uint32_t freed = c->freed && !c->cfg->sub_core ? ~0u : c->freed;
	c->freed = 0;
	return freed;
}

static inline bool opcoll_idle(const struct opcoll *c) { return !c->busy && !c->writing; }

#endif
