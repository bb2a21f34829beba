// Video instructions: scalar (vadd, vmad, vset ..) on parts of registers, and SIMD (vadd2, vset4 ..) on halves or
// bytes. What one does is taken apart once, when it is checked and when it is decoded; the micro-op's imm points to it.
#ifndef CUDA_SIM_PTX_VIDEO_OPS_H
#define CUDA_SIM_PTX_VIDEO_OPS_H

#include "cuda-sim/ptx/ptx.h"

enum video_op {
	VIDEO_ADD, VIDEO_SUB, VIDEO_AVRG, VIDEO_ABSDIFF, VIDEO_MIN, VIDEO_MAX, VIDEO_SHL, VIDEO_SHR, VIDEO_MAD, VIDEO_SET,
};
enum video_second { VIDEO_NO_SECOND, VIDEO_SECOND_ADD, VIDEO_SECOND_MIN, VIDEO_SECOND_MAX };

// Bits at, at + 1, .. of a register, or of b:a.
struct video_part {
	uint8_t at, bits;
};

struct video {
	enum video_op op;
	enum video_second second;    // what combines the result with c; SIMD: ADD or none
	enum ptx_cmp cmp;            // set: PTX_EQ to PTX_GE
	uint8_t elems;               // 1: scalar; 2, 4: SIMD
	bool sat, d_signed, a_signed, b_signed;
	bool wrap;                   // shifts: by b modulo 32, not by at most 32
	bool po, neg_product, neg_c; // mad
	uint8_t scale;               // mad: the result is shifted right by so much
	uint8_t mask;                // SIMD: elements that are written or, with .add, summed; the others come from c
	struct video_part d;         // scalar: fewer than 32 bits where the result replaces a part of c
	struct video_part a[4], b[4]; // sources of each element; SIMD: of b:a
};

// Whether the instruction is one of these.
bool video_is(const struct ptx_op *op);

// Takes suffixes and operands apart; `text` is the module's text. NULL, or what is wrong with operand number *at.
const char *video_read(const struct ptx_inst *i, const char *text, struct video *out, unsigned *at);

#endif
