// What a video instruction does: scalar ones (vadd, vmad, vset ..) work on parts of registers, SIMD ones (vadd2, vset4
// ..) on halves or bytes. The front end takes the instruction apart once; the micro-op's imm points to the result.
#ifndef CUDA_SIM_EXEC_VIDEO_H
#define CUDA_SIM_EXEC_VIDEO_H

#include "cuda-sim/exec/uop.h"

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
	enum uop_cmp cmp;            // set: UOP_EQ to UOP_GE
	uint8_t elems;               // 1: scalar; 2, 4: SIMD
	bool sat, d_signed, a_signed, b_signed;
	bool wrap;                   // shifts: by b modulo 32, not by at most 32
	bool po, neg_product, neg_c; // mad
	uint8_t scale;               // mad: the result is shifted right by so much
	uint8_t mask;                // SIMD: elements that are written or, with .add, summed; the others come from c
	struct video_part d;         // scalar: fewer than 32 bits where the result replaces a part of c
	struct video_part a[4], b[4]; // sources of each element; SIMD: of b:a
};

#endif
