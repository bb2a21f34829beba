// cuBLASLt's descriptions. A program may keep them in its own memory: each fits into the opaque structure of CUDA 12 and 13.
#ifndef BLAS_LT_H
#define BLAS_LT_H

#include "blas/blas.h"

enum { ORDER_COL, ORDER_ROW };

// cublasLtEpilogue_t is made of these.
enum { LT_DEFAULT = 1, LT_RELU = 2, LT_BIAS = 4, LT_DRELU = 8, LT_BGRAD = 16, LT_GELU = 32, LT_DGELU = 64, LT_AUX = 128, LT_BGRADA = 256,
       LT_BGRADB = 512 };

enum { SCALES_ONE = 0, SCALES_OUTER = 3 }; // cublasLtMatmulMatrixScale_t: one f32, or a vector of them

struct lt_matmul {
	int32_t compute, scale, pointer_mode, trans_a, trans_b, trans_c, fill;
	uint32_t epilogue;
	uint64_t bias, aux;
	int64_t bias_batch, aux_ld, aux_batch, alpha_batch;
	uint64_t scale_of[4]; // of a, b, c, d: pointers
	uint64_t amax, aux_scale, aux_amax;
	int32_t sm_target, aux_type, bias_type;
	int8_t fast;
	int32_t modes[5]; // of the scales of a, b, c, d and aux
};

struct lt_layout {
	int32_t type, order;
	uint64_t rows, cols;
	int64_t ld, batch;
	int32_t count;
};

struct lt_preference {
	uint64_t workspace;
	uint32_t search, reduction, implementation[2], alignment[4];
	float waves;
};

struct lt_transform {
	int32_t scale, pointer_mode, trans_a, trans_b;
};

struct lt_algorithm {
	uint64_t data[8];
};

struct lt_result {
	struct lt_algorithm algorithm;
	size_t workspace;
	int state;
	float waves;
	int reserved[4];
};

#endif
