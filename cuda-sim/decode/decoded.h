// A kernel decoded: micro-ops, the layout of register frames, local and shared memory.
//
// Each kernel has its own decoded copy of every function it may call, since offsets in shared memory differ by kernel.
#ifndef CUDA_SIM_DECODE_DECODED_H
#define CUDA_SIM_DECODE_DECODED_H

#include "cuda-sim/exec/uop.h"
#include "cuda-sim/exec/builtin.h"
#include "cuda-sim/exec/checker.h"
#include "cuda-sim/ptx/ptx.h"
#include "isa/inst.h"
#include "isa/kernel.h"

// A row whose value does not come from an instruction: written when a frame is set up.
enum row_kind {
	ROW_CONST,      // bits in every lane
	ROW_PARAM,      // `bytes` bytes at offset `bits` of the launch's parameters
	ROW_PARAM_ADDR, // device address of offset `bits` of the launch's parameters
	ROW_SP,         // local address of the running activation plus `bits`
	ROW_SREG,       // special register
};

struct row_init {
	int32_t off;
	uint8_t kind;   // enum row_kind
	bool wide;      // 8 bytes a lane
	uint8_t bytes;  // PARAM
	bool sign;      // PARAM: sign-extend
	uint8_t sreg, comp;
	uint64_t bits;
};

// How a frame's initial rows are grouped, so that starting a CTA touches only what changes.
enum row_group { ROWS_LAUNCH, ROWS_WARP, ROWS_CTA, ROWS_N_GROUPS };

// One argument or result of a call: bytes at a local offset of the caller's frame and of the callee's, or a register
// row where the operand is a register or an immediate.
struct call_value {
	uint32_t bytes;
	bool caller_is_row, callee_is_row;
	int32_t caller, callee; // row offset, or local offset relative to the frame's SP
};

struct call_site {
	struct ptx_func *target;       // NULL: indirect, the address is in row u->a
	const struct builtin *builtin; // instead of target
	struct code *code;             // of target
	unsigned n_arg, n_ret;
	struct call_value *arg, *ret;  // callee side is filled by position: see activation_enter
};

struct code_value { // a formal parameter or result
	uint32_t bytes;
	bool is_row;
	int32_t at; // row offset, or local offset relative to SP
};

enum { INST_BYTES = 8 }; // of a PTX instruction in isa_inst.pc

// What a memory instruction touches: the addresses of row `row` plus imm.
struct code_access {
	int32_t row;
	uint8_t how;    // enum exec_list
	bool wide;      // lanes of the row have 64 bits
	int64_t imm;
};

struct code {
	struct ptx_func *func;
	struct kernel_code *kernel;
	struct uop *uop;
	uint32_t n_uop;
	uint32_t **table;        // brx tables: uop numbers
	uint32_t *table_n;
	struct row_init *init[ROWS_N_GROUPS];
	uint32_t n_init[ROWS_N_GROUPS];
	uint32_t frame_bytes;    // rows of one activation, a multiple of 64
	uint32_t local_bytes;    // local memory of one activation, a multiple of 16
	struct code_value *param, *ret;
	unsigned n_param, n_ret;
	bool allocates;          // it has an alloca
	int32_t stack_row;       // of a function that has: where warp.stack was when it was called
	uint32_t live_regs;      // largest number of 32-bit registers alive at once
	struct isa_inst *isa;    // one per PTX instruction; a part of the kernel's
	uint32_t first_inst;     // its number in the kernel's
	struct code_access *access; // one per PTX instruction
	struct exec_registers *products; // one per PTX instruction, for who checks; NULL: the function has no product of warp groups
	uint32_t *inst_of;       // micro-op -> PTX instruction; n_inst for the end
	uint32_t *row_of_reg;    // register -> row offset, for the debugger
};

struct kernel_code {
	struct arena arena;
	struct kernel_info info;
	struct ptx_program *program;
	struct code *entry;
	VEC(struct code *) funcs;        // the entry first
	VEC(struct ptx_var *) shared;    // variables in shared memory, in order of layout
	VEC(uint32_t) shared_at;         // their offsets
	uint32_t shared_static;          // bytes before dynamic shared memory
	struct isa_inst *isa;            // of all functions, in order of pc
	uint32_t n_isa;
	uint32_t register_count;         // 1 + the largest register number in isa
	uint32_t pool_registers;         // a thread's when a CTA starts, if it has a setmaxnreg and they are known; else 0
	bool calls, allocates;           // some call may nest, some function has an alloca: local memory beyond the entry's is needed
	bool param_memory;               // parameters need a device address
	bool apart;                      // see frontend_ops, but for local memory
	bool launches;                   // see frontend_ops
	struct decoded_unset {
		int32_t row;
		uint32_t bytes;
	} *unset;                        // of the entry: registers that some way reads before it writes them
	uint32_t n_unset;
	uint32_t product_registers;      // numbers that struct exec_register has
};

// The PTX instruction that a micro-op was made of, NULL for the function's end.
static inline const struct ptx_inst *code_inst(const struct code *c, const struct uop *u)
{
	uint32_t n = c->inst_of[u - c->uop];
	return n < c->func->n_inst ? &c->func->inst[n] : NULL;
}

// The decoded function, NULL if the kernel does not reach it.
static inline struct code *kernel_code_find(const struct kernel_code *k, const struct ptx_func *f)
{
	for (size_t n = 0; n < k->funcs.n; n++)
		if (k->funcs.at[n]->func == f)
			return k->funcs.at[n];
	return NULL;
}

// rows.c: assigns rows to the registers of f. Registers whose lifetimes do not meet share rows.
// `first` is the first free byte; returns the first byte after the registers.
struct cfg;
uint32_t rows_assign(struct code *c, const struct cfg *g, struct arena *a, uint32_t first);

enum { PTX_MAX_OPNDS = 16 }; // more than any executed instruction has

// Registers an instruction touches: reg, and whether it is written.
struct reg_use {
	uint32_t reg;
	bool def;
};
typedef VEC(struct reg_use) reg_uses;
void inst_reg_uses(const struct ptx_inst *i, reg_uses *out);
// Those of the operands alone: without the guard.
void inst_reg_operands(const struct ptx_inst *i, reg_uses *out);

// inst_form.c: fills c->isa, but for has_access.
void decode_inst_forms(struct code *c);
// rows.c: bytes of the row of register `reg`.
uint32_t rows_bytes(const struct ptx_func *f, uint32_t reg);

// Is v a parameter of the kernel f?
bool ptx_is_entry_param(const struct ptx_func *f, const struct ptx_var *v);
// Does it act on shared memory of any CTA of the cluster?
bool decode_is_cluster(const struct ptx_inst *i);
// Is it a bulk copy without a tensor map, st.async or red.async?
bool decode_is_async_part(const struct ptx_inst *i);
// True of copies by a tensor map, and of what changes one.
bool decode_is_tensor_copy(const struct ptx_inst *i);
// Is the address in the launch's parameters (as opposed to a .param variable, which lives in local memory)?
bool ptx_in_entry_params(const struct ptx_func *f, const struct ptx_opnd *o);

// products.c: fills c->products.
void decode_products(struct code *c);

// flow.c: the flow of a parsed function; its last instruction, number f->n_inst, is the end, which returns.
const struct cfg *code_flow(const struct ptx_func *f, struct arena *a);

// rows.c: the registers that hold a value before an instruction, a bit each. Lives in `a`; works anew at each call.
uint64_t *registers_alive(const struct ptx_func *f, const struct cfg *g, uint32_t inst, struct arena *a);

// decode.c: micro-ops of one function; messages in `d` and false on what cannot be executed.
bool decode_func(struct code *c, struct diag *d);

#endif
