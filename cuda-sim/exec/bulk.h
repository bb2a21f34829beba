// Bulk copies between global memory and the shared memory of a cluster, without a tensor map: cp.async.bulk, cp.reduce.async.bulk.
#ifndef CUDA_SIM_EXEC_BULK_H
#define CUDA_SIM_EXEC_BULK_H

#include "cuda-sim/exec/async.h"

enum exec_bulk_space { EXEC_BULK_GLOBAL, EXEC_BULK_SHARED, EXEC_BULK_CLUSTER };

// Operations on elements of the type `type`, enum uop_type.
enum exec_bulk_op { EXEC_BULK_COPY, EXEC_BULK_ADD, EXEC_BULK_MIN, EXEC_BULK_MAX, EXEC_BULK_INC, EXEC_BULK_DEC, EXEC_BULK_AND, EXEC_BULK_OR, EXEC_BULK_XOR,
                    EXEC_BULK_PREFETCH };

// How an operand stands in rows.
enum exec_bulk_row { EXEC_BULK_NONE, EXEC_BULK_WORD, EXEC_BULK_LONG, EXEC_BULK_PAIR }; // 4 or 8 bytes a lane; low halves, and high ones in the next row

struct exec_bulk_operand {
	uint8_t how;  // enum exec_bulk_row
	int32_t row;
	int64_t imm;  // added
};

// What uop.imm of a bulk copy points to.
struct exec_bulk {
	uint8_t from, to; // enum exec_bulk_space
	uint8_t op, type;
	bool machine;     // one copy for all lanes that are here; `size` has units of 16 bytes in its lower half, CTAs in its upper half
	bool multicast;
	struct exec_bulk_operand dst, src, size, mbarrier, ctas, mask;
};

uint64_t exec_bulk_value(const uint8_t *fp, const struct exec_bulk_operand *o, unsigned lane); // 0 of NONE

// The copies of the lanes of mask, one after the other.
void exec_bulk_start(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, const struct exec_bulk *b);

// [to] = [to] op [from] for each element of `bytes` bytes.
void exec_bulk_reduce(enum exec_bulk_op op, enum uop_type type, uint8_t *to, const uint8_t *from, uint32_t bytes);

#endif
