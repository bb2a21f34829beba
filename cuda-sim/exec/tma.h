// Copies between global and shared memory by a tensor map: cp.async.bulk.tensor and its kin; tensormap.replace.
#ifndef CUDA_SIM_EXEC_TMA_H
#define CUDA_SIM_EXEC_TMA_H

#include "cuda-sim/exec/bulk.h"
#include "cuda-sim/tensor/map.h"

enum exec_tensor_kind { EXEC_TENSOR_LOAD, EXEC_TENSOR_STORE, EXEC_TENSOR_REDUCE, EXEC_TENSOR_PREFETCH };

// What uop.imm of a tensor copy points to.
struct exec_tensor {
	uint8_t kind;     // enum exec_tensor_kind
	uint8_t op;       // REDUCE: enum exec_bulk_op
	uint8_t rank;
	bool im2col;
	bool machine;     // one copy for all lanes that are here; offsets are packed in the lower half of `offset[0]`, CTAs in its upper half
	bool own;         // the destination is shared memory of the own CTA
	bool multicast;
	struct exec_bulk_operand map, shared, mbarrier, ctas;
	struct exec_bulk_operand at[TENSOR_MAP_RANK], offset[TENSOR_MAP_RANK - 2];
};

void exec_tensor_start(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, const struct exec_tensor *t);

enum exec_map_field {
	EXEC_MAP_ADDRESS, EXEC_MAP_RANK, EXEC_MAP_BOX, EXEC_MAP_SIZE, EXEC_MAP_STRIDE, EXEC_MAP_STEP, EXEC_MAP_TYPE, EXEC_MAP_INTERLEAVE,
	EXEC_MAP_SWIZZLE, EXEC_MAP_ATOM, EXEC_MAP_FILL, EXEC_MAP_FIELDS
};

// What uop.imm of tensormap.replace points to; `where` is in shared memory of the own CTA if `shared`, else in global memory.
struct exec_map_change {
	uint8_t field, index; // enum exec_map_field; of BOX to STEP: which dimension
	bool shared;
	struct exec_bulk_operand where, value;
};

void exec_map_replace(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, const struct exec_map_change *c);

// What uop.imm of tensormap.cp_fenceproxy points to: 128 bytes from shared to global memory, once for the warp.
struct exec_map_copy {
	struct exec_bulk_operand to, from;
};

void exec_map_publish(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, const struct exec_map_copy *c);

#endif
