// Tensor instructions as PTX writes them: suffixes and operand lists of mma, mma.sp and wmma become a struct tensor_form.
#ifndef CUDA_SIM_PTX_TENSOR_OPS_H
#define CUDA_SIM_PTX_TENSOR_OPS_H

#include "cuda-sim/ptx/ptx.h"
#include "cuda-sim/tensor/fragment.h"

enum tensor_kind {
	TENSOR_MMA,
	TENSOR_SPARSE, // mma.sp
	TENSOR_WMMA,   // wmma.mma
	TENSOR_LOAD,   // wmma.load
	TENSOR_STORE,  // wmma.store
	TENSOR_N_KINDS
};

// What the suffixes say.
struct tensor_form {
	uint8_t kind;       // enum tensor_kind
	uint16_t m, n, k;
	uint8_t a, b, c, d; // enum tensor_type; of TENSOR_LOAD and TENSOR_STORE only that of `part`
	uint8_t part;       // of these: enum tensor_part
	bool a_column, b_row; // A by columns, B by rows: .col.row
	bool column;        // of TENSOR_LOAD and TENSOR_STORE: memory has columns one after the other
	uint8_t bits;       // enum tensor_bits
	uint8_t rnd;        // enum rounding
	bool satfinite;
};

enum { TENSOR_OPNDS = 6 }; // at most: D, A, B, C, metadata, selector

// Takes an opcode apart: "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32". NULL, or what is wrong with it.
const char *tensor_read(const char *opcode, struct tensor_form *out);

// Describes the operands: lists of registers, or single ones, addresses and strides. Returns how many there are; 0 if the opcode is
// wrong.
unsigned tensor_opnd_spec(const struct ptx_inst *i, unsigned n, struct ptx_opnd_spec *out);

// What a value says that must be a constant: the selector of mma.sp. NULL, or what is wrong.
const char *tensor_check(const struct ptx_inst *i, unsigned *at);

// The fragment that TENSOR_LOAD and TENSOR_STORE move.
struct tensor_fragment tensor_moved(const struct tensor_form *f);

#endif
