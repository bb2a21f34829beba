// Products of warp groups as PTX writes them: suffixes and operands of wgmma.mma_async become a struct wgmma_form.
#ifndef CUDA_SIM_PTX_WGMMA_OPS_H
#define CUDA_SIM_PTX_WGMMA_OPS_H

#include "cuda-sim/ptx/ptx.h"
#include "cuda-sim/tensor/wgmma.h"

// Operands in their order: D, A, B; of a sparse product metadata and the selector; the predicate of C; then constants: the signs
// of A and B, and whether they are MN-major.
enum { WGMMA_D, WGMMA_A, WGMMA_B, WGMMA_MAX_OPNDS = 10 };

// What the suffixes say.
struct wgmma_form {
	uint16_t n, k;
	uint8_t a, b, d; // enum tensor_type
	bool satfinite, sparse;
	bool signs;      // there are operands for the signs of A and B
	bool majors;     // and for their order, of matrices in memory
};

// Takes an opcode apart: "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16". NULL, or what is wrong with it.
const char *wgmma_read(const char *opcode, struct wgmma_form *out);

// The number of the predicate's operand; the signs follow.
static inline unsigned wgmma_scale_operand(const struct wgmma_form *f) { return f->sparse ? WGMMA_B + 3 : WGMMA_B + 1; }

// Describes the operands, as many as there have to be, at most `n`. Returns how many there are; 0 if the opcode is wrong.
unsigned wgmma_opnd_spec(const struct ptx_inst *i, unsigned n, struct ptx_opnd_spec *out);

// What is wrong with the values of its constants, or with what it is compiled for; NULL: nothing. *at is the operand's number.
const char *wgmma_wrong(const struct ptx_func *f, const struct ptx_inst *i, unsigned *at);

// The same of setmaxnreg.
const char *setmaxnreg_wrong(const struct ptx_func *f, const struct ptx_inst *i);

#endif
