// Streams that wait for values in memory, and write them: CUstreamBatchMemOpParams and the functions that stand for one of these.
#ifndef LIBCUDA_WORK_STREAM_VALUES_H
#define LIBCUDA_WORK_STREAM_VALUES_H

#include "libcuda/context/cuda_abi.h"

#include <stdbool.h>

struct op;

enum { MEM_OP_WAIT_32 = 1, MEM_OP_WRITE_32, MEM_OP_FLUSH, MEM_OP_WAIT_64, MEM_OP_WRITE_64, MEM_OP_BARRIER };

// Own text; the layout is CUstreamBatchMemOpParams'.
struct mem_op_params {
	int operation;
	unsigned scope; // MEM_OP_FLUSH, MEM_OP_BARRIER: their flags
	uint64_t address, value;
	unsigned flags;
	uint64_t unused[2];
};

enum { MEM_OPS_AT_ONCE = 256 }; // cuStreamBatchMemOp

// Puts `count` of them into a stream in their order, all or none. cudaErrorInvalidResourceHandle, cudaErrorInvalidValue (an address
// that is no device or pinned memory or not aligned, unknown operations and flags), cudaErrorNotSupported (flushes of writes of other
// devices).
cudaError_t stream_mem_ops(cudaStream_t handle, unsigned count, const struct mem_op_params *given, unsigned flags);

// One of them, as `operation` says.
cudaError_t stream_mem_op(cudaStream_t handle, int operation, uint64_t address, uint64_t value, unsigned flags);

// The operation of one of them, for a graph: checked. *out is NULL for those that do nothing here.
cudaError_t mem_op_make(struct op **out, const struct mem_op_params *p);

#endif
