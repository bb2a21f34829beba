// Matrices that a warp loads and stores together in several accesses (wmma): where the lanes of each go.
#ifndef CUDA_SIM_EXEC_MATRIX_H
#define CUDA_SIM_EXEC_MATRIX_H

#include "cuda-sim/exec/uop.h"
#include "cuda-sim/tensor/fragment.h"

// What uop.imm of "matrix.address" points to; x[0] of the micro-op is the number of the access.
struct exec_matrix {
	int32_t base, stride; // rows: of addresses, and of elements from one row, or column, to the next: 4 bytes a lane
	bool wide;            // the addresses have 8 bytes a lane, else 4
	uint8_t how;          // enum exec_list of each access: DEVICE, GENERIC or OFFSET
	uint8_t bits;         // of an element
	uint8_t bytes;        // of a lane in each access
	uint8_t n;            // accesses
	int64_t imm;          // added to every address
	struct tensor_piece piece[TENSOR_MAX_PIECES];
};

// The addresses of access number `k`.
static inline void exec_matrix_addresses(const uint8_t *fp, const struct exec_matrix *m, unsigned k, uint64_t *restrict addr)
{
	const struct tensor_piece *p = &m->piece[k];
	const uint32_t *stride = (const uint32_t *)(const void *)(fp + m->stride);
	for (unsigned i = 0; i < WARP; i++) {
		const uint64_t base = m->wide ? ((const uint64_t *)(const void *)(fp + m->base))[i] : ((const uint32_t *)(const void *)(fp + m->base))[i];
		addr[i] = base + (uint64_t)m->imm + (p->major[i] * (uint64_t)stride[i] + p->minor[i]) * m->bits / 8;
	}
}

#endif
