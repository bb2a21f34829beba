// Tensor instructions as PTX writes them: suffixes and operand lists of mma become a struct tensor_form.
#ifndef CUDA_SIM_PTX_TENSOR_OPS_H
#define CUDA_SIM_PTX_TENSOR_OPS_H

#include "cuda-sim/ptx/ptx.h"
#include "cuda-sim/tensor/mma.h"

// What the suffixes of mma say.
struct tensor_form {
	uint16_t m, n, k;
	uint8_t a, b, c, d; // enum tensor_type
	uint8_t bits;       // enum tensor_bits
	uint8_t rnd;        // enum rounding
	bool satfinite;
};

enum { TENSOR_OPNDS = 4 }; // D, A, B, C

// Takes an opcode apart: "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32". NULL, or what is wrong with it.
const char *tensor_read(const char *opcode, struct tensor_form *out);

// Describes the four operands: lists of registers, or single ones. Returns how many there are; 0 if the opcode is wrong.
unsigned tensor_opnd_spec(const char *opcode, unsigned n, struct ptx_opnd_spec *out);

#endif
