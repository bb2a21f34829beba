// Inside the decoder: what the files that turn PTX instructions into micro-ops share.
#ifndef CUDA_SIM_DECODE_DECODER_H
#define CUDA_SIM_DECODE_DECODER_H

#include "cuda-sim/decode/cfg.h"
#include "cuda-sim/decode/decoded.h"
#include "cuda-sim/exec/bulk.h"
#include "cuda-sim/exec/tables/find.h"

#include <string.h>

enum {
	SCRATCH_ROW = 0,    // where `_` and unused second destinations go; 512 bytes
	FIRST_ROW = 512,    // of the registers
	N_TEMPS = 4, TEMP_BYTES = 512,
	MAX_LOCAL = 512 << 10, // bytes a thread; CUDA programming guide, "Technical Specifications per Compute Capability"
};

struct decoder {
	struct code *c;
	struct ptx_func *f;
	struct diag *d;
	struct arena *keep;
	VEC(struct uop) out;
	VEC(uint32_t) inst_of;   // of each micro-op
	VEC(struct row_init) init[ROWS_N_GROUPS];
	uint32_t top;            // first free byte of the frame
	uint32_t *uop_of;        // PTX instruction -> micro-op
	const struct cfg *g;
	int32_t matrix_rows;     // see tensor.c; 0: none yet
	unsigned temps;          // used by the instruction at hand
	int32_t temp[N_TEMPS];   // their rows; 0: no instruction had so many
	bool counted;            // its first micro-op has been emitted
	const struct ptx_inst *i;
	VEC(const char *) missing; // what the function needs and is not executed; told once each
	bool ok;
};

static inline bool is(const struct ptx_inst *i, const char *name) { return strcmp(i->op->name, name) == 0; }

// Whether the key has the suffix, wherever it stands.
static inline bool decode_has_part(const char *key, const char *part)
{
	size_t n = strlen(part);
	for (const char *s = strchr(key, '.'); s; s = strchr(s + 1, '.'))
		if (strncmp(s + 1, part, n) == 0 && (s[n + 1] == '.' || !s[n + 1]))
			return true;
	return false;
}

// A destination: the row to write, and what must follow when the register is wider than the type.
struct dest {
	int32_t row, reg_row;
	enum ptx_type type, reg_type;
	bool resize;
};

// [base + offset] into u->a and u->imm.
struct address {
	int32_t row;
	int64_t imm;
	bool wide;
};

static inline unsigned decode_type_bytes(enum ptx_type t) { return (ptx_type_bits[t] + 7u) / 8; }
static inline uint32_t decode_round_up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

// operand.c
// An error at the instruction, or at the function between instructions.
void decode_complain(struct decoder *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
// The local address `offset` bytes into the running activation's memory.
int32_t decode_local_row(struct decoder *x, int64_t offset);
// The row with that initial value; its offset is chosen here.
int32_t decode_init_row(struct decoder *x, enum row_group group, struct row_init want);
// A row that holds `bits` in every lane.
int32_t decode_const_row(struct decoder *x, uint64_t bits, bool wide);
// A micro-op of the instruction, or, between instructions, of the function's end.
struct uop *decode_emit(struct decoder *x, exec_fn *fn);
// Whether there is a body for `key`; complains if there is none.
bool decode_executes(struct decoder *x, const char *key);
// The micro-op whose body is found by `key`; complains if there is none.
struct uop *decode_emit_key(struct decoder *x, const char *key);
// One of N_TEMPS rows of up to 16 bytes a lane, which live as long as the instruction.
int32_t decode_temp_row(struct decoder *x);
// 0: predicate, 1: up to 32 bits, 2: 64, 3: 128.
unsigned decode_row_class(enum ptx_type t);
// Copies a row to one of the other width.
void decode_emit_resize(struct decoder *x, int32_t to, enum ptx_type to_type, int32_t from, enum ptx_type from_type);
// The row of a source operand, converted if its register is not as wide as the type.
int32_t decode_source_row(struct decoder *x, const struct ptx_opnd *o, enum ptx_type t);
struct dest decode_dest_row(struct decoder *x, const struct ptx_opnd *o, enum ptx_type t);
// What must follow the instruction that writes `d`.
void decode_finish_dest(struct decoder *x, const struct dest *d);
struct address decode_address(struct decoder *x, const struct ptx_opnd *o);
// How the front end lists what the instruction touches: as `how` says, or as the space of its suffix asks for.
void decode_list_address(struct decoder *x, struct address a);
void decode_list_access(struct decoder *x, enum exec_list how, struct address a);

// mode.c: what bodies must know of the suffixes.
struct uop_mode decode_mode(const struct ptx_mods *m);
// flow.c: branches, calls, barriers; false if the instruction is something else.
bool decode_control(struct decoder *x);
// tensor.c: mma and wmma; false if the instruction is something else.
bool decode_tensor(struct decoder *x);
// async.c: asynchronous copies and mbarriers; false if the instruction is something else.
bool decode_async(struct decoder *x);
// bulk.c: bulk copies without a tensor map and their kin; false if the instruction is something else.
bool decode_bulk(struct decoder *x);
// An operand that is an address, and one that is a value of type t.
struct exec_bulk_operand decode_bulk_place(struct decoder *x, const struct ptx_opnd *o);
struct exec_bulk_operand decode_bulk_value(struct decoder *x, const struct ptx_opnd *o, enum ptx_type t);
// The reduction that the instruction names (enum exec_bulk_op), or EXEC_BULK_COPY.
uint8_t decode_bulk_reduction(const char *key);
// The instruction's micro-op, with its operands behind `imm`.
void decode_emit_bulk(struct decoder *x, const char *key, const void *operands);
// tma.c: copies by a tensor map, tensormap; false if the instruction is something else.
bool decode_tma(struct decoder *x);
// wgmma.c: wgmma.mma_async; false if the instruction is something else.
bool decode_wgmma(struct decoder *x);
// texture.c: tex, tld4 and txq; false if the instruction is something else.
bool decode_tex(struct decoder *x);
// The texture or surface that the operand [t, {coordinates}] names, and its coordinates. NULL, after a message, if there is none.
struct texture_operands *decode_texture_operand(struct decoder *x, const struct ptx_opnd *o, bool layered);
// surface.c: suld, sust, sured and suq; false if the instruction is something else.
bool decode_surface(struct decoder *x);

#endif
