// An instruction as the modern core sees it: what is the same for every execution of it is worked out once.
#ifndef GPGPU_SIM_MODERN_INST_H
#define GPGPU_SIM_MODERN_INST_H

#include "gpgpu-sim/modern/distance.h"

enum { MODERN_READS = 6 }; // regular registers read through the ports, for one instruction: HMMA has the most

enum modern_memory {
	MODERN_MEM_NONE, MODERN_MEM_LDG, MODERN_MEM_STG, MODERN_MEM_LDS, MODERN_MEM_STS, MODERN_MEM_LDC, MODERN_MEM_LDGSTS, MODERN_MEM_ATOM,
	MODERN_MEM_TEX, MODERN_MEM_OTHER, // SHFL, S2R, ...: through the local unit and no further than the SM unit
};

struct modern_inst {
	const struct isa_inst *st;
	struct modern_inst *other;    // chain of its table, see inst_table.h
	struct isa_control control;
	uint8_t unit;                 // enum isa_unit, never BY_CLASS
	bool fixed;                   // latency known at issue: Allocate, read, pipe, result queue
	bool fp32;                    // may go to the INT pipe where the GPU allows it
	bool imad;
	uint8_t dp_reads;             // cycles in which the double precision unit takes the sources: 4 a register operand, 1 any other
	bool reads_const;             // has a constant operand that is looked up at issue, whatever its unit
	uint64_t const_addr;
	bool outside;                 // it reaches out of the SM, see sm_reaches_out
	uint8_t fence;
	uint8_t depbar_sb, depbar_max, depbar_zero;

	// Register ports and the register-file cache: regular source operands in the order of the text
	uint8_t n_read;
	uint8_t window;               // cycles in which all must be read
	struct { uint16_t reg; uint8_t bank, slot; bool reuse; } read[MODERN_READS * 4];
	uint8_t n_write;              // regular destination registers
	bool write_uniform;           // the result goes to the uniform register file (or to predicates)
	uint16_t dst_reg;             // the first

	// For distance.h. Bits by number in st->src
	uint32_t src_regular;         // regular registers
	uint32_t src_uniform;         // uniform ones
	uint32_t src_predicate;       // predicates of machine code, the guard among them
	uint32_t late_addend;         // the 64-bit addend of IMAD.WIDE and IMAD.HI, on GPUs that read it late
	bool wide_result;             // IMAD.WIDE
	bool half_mma;                // HFMA2.MMA
	uint8_t pipe;                 // enum modern_pipe
	bool uniform_move;            // in the uniform data path, without computing

	uint16_t latency, interval;   // of the unit
	uint16_t dependent;           // fixed: cycles from issue to the issue of a dependent one
	// Memory and other variable latencies, see mem_pipe.h
	uint8_t memory;               // enum modern_memory
	uint8_t stage[6];             // cycles in the stages of the sub-core's unit
	uint16_t war;                 // cycles from issue until sources may be overwritten, if nothing waits
	bool war_at_end;              // the sources may be overwritten when the result is written, no sooner
	uint16_t back;                // cycles of the return over the link, per instruction
};

// *m, which is all zero: of instruction st.
void modern_inst_fill(struct modern_inst *m, const struct isa_inst *st, const struct modern_config *cfg, const struct core_config *core);

// Cycles from the issue of an instruction to its warp's next turn, by stall count and yield.
unsigned modern_stall(const struct isa_control *k, const struct modern_config *cfg);

#endif
