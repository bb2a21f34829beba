// The operand collector: instructions wait in collector units until their source registers have been read from the banked
// register file, one register a bank and cycle, writes first. Model of GPGPU-Sim's opndcoll_rfu_t.
#ifndef GPGPU_SIM_CLASSIC_OPCOLL_H
#define GPGPU_SIM_CLASSIC_OPCOLL_H

#include "gpgpu-sim/classic/register_set.h"

struct collector {
	struct winst *w;     // what it holds, while it is busy
	uint8_t pipe;        // of `out`, where that goes when all operands are there
	uint8_t waiting;     // operands still to be read
	uint8_t owner;       // scheduler, with sub-cores
	uint8_t next;        // collector of the set where a dispatcher looks first that sent something out of this one
};

// Ports that are alike. Through each of them an instruction of each stage of `in` enters a collector of one of the sets, tried in
// order, from which it will leave to the stage of the same index in `out`.
struct collector_ports {
	uint32_t pipes;      // set of enum pipe
	uint8_t n;
	uint8_t set[2], n_set;
};

// A dispatcher sends one ready instruction a step out of its set, round robin.
struct dispatcher {
	uint64_t set;        // collectors
	uint8_t first, next; // its first collector; which of the set it looks at first
};

enum { OPCOLL_MAX_OPERANDS = ISA_MAX_SRC, OPCOLL_NONE = 0xffff, OPCOLL_MAX_PORTS = 64 };

// What every step looks at comes first.
struct opcoll {
	_Alignas(64) uint64_t busy; // collectors that hold an instruction
	uint64_t waiting_banks;  // banks with a queue
	uint64_t writing;        // banks taken by a write in this step
	const uint32_t *arrived; // stages of `in` that hold something
	struct register_set *in, *out;  // indexed by enum pipe
	uint32_t complete_to;    // stages of `out` for which there are any of `complete`
	uint32_t freed;          // schedulers whose instructions have left the stages of `in`
	uint8_t n_ports, n_disp;
	bool sub_core;
	uint8_t unit_bits;       // of the number of a collector
	bool rests;              // nothing moves before opcoll_stir
	uint8_t bank_step;       // first bank of a scheduler by its number; 0: all may use all
	uint32_t n_bank, bank_mask; // banks that a register may lie in: all, or those of its scheduler; mask: 0 unless a power of two
	uint64_t reads, writes, conflicts; // registers of a warp; banks that had readers left after a step
	uint64_t complete[PIPE_N]; // collectors that have all their operands, by the stage where they go
	uint64_t owned[CORE_MAX_SCHEDULERS / 4][16]; // collectors by their owners, those of four schedulers together: by a set of these
	struct collector_ports ports[CU_N_SETS];
	uint64_t served_by[CU_N_SETS][CORE_MAX_SCHEDULERS]; // collectors of a set that take instructions of a scheduler
	struct collector unit[CORE_MAX_COLLECTORS];
	// Per bank a queue of operands to read; operand number: index << unit_bits | collector. They are chained, since an operand
	// stands in one of them and any may hold all.
	uint16_t head[CORE_MAX_BANKS], tail[CORE_MAX_BANKS];
	uint16_t next[OPCOLL_MAX_OPERANDS * CORE_MAX_COLLECTORS];
	struct dispatcher disp[OPCOLL_MAX_PORTS];
	const struct core_config *cfg;
	uint32_t n_unit;
};

bool opcoll_init(struct opcoll *c, const struct core_config *cfg, struct register_set *in, struct register_set *out, struct diag *d);

// Takes the banks of the destination registers not yet written, for this cycle; false if some bank was taken already
// (what could be written is written).
bool opcoll_writeback(struct opcoll *c, struct winst *w);

// The steps of a cycle (-gpgpu_reg_file_port_throughput). False: nothing has moved in the last one, and nothing will before the
// stages around it change, which opcoll_stir is to say.
bool opcoll_tick(struct opcoll *c, unsigned steps);
// An instruction came to a stage of `in`, or left one of `out`.
static inline void opcoll_stir(struct opcoll *c) { c->rests = false; }

// Schedulers for which there may be room in the stages in front that were full, since it was asked last.
static inline uint32_t opcoll_freed(struct opcoll *c)
{
	uint32_t freed = c->freed && !c->sub_core ? ~0u : c->freed;
	c->freed = 0;
	return freed;
}

static inline bool opcoll_idle(const struct opcoll *c) { return !c->busy; }

#endif
