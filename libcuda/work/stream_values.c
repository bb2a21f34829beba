#include "libcuda/work/stream_values.h"

#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/work/op.h"
#include "libcuda/work/sim_thread.h"
#include "libcuda/work/stream.h"
#include "libcuda/work/stream_calls.h"

_Static_assert(sizeof(struct mem_op_params) == 48 && offsetof(struct mem_op_params, flags) == 24, "13.0");

enum { COMPARE_MASK = 3, WAIT_FLUSH = 1 << 30, WRITE_NO_BARRIER = 1, BARRIER_LAST = 1 };

static bool waits(const struct mem_op_params *p) { return p->operation == MEM_OP_WAIT_32 || p->operation == MEM_OP_WAIT_64; }

static unsigned bytes_of(const struct mem_op_params *p)
{
	return p->operation == MEM_OP_WAIT_64 || p->operation == MEM_OP_WRITE_64 ? 8 : 4;
}

static cudaError_t check(const struct mem_op_params *p)
{
	if (p->operation < MEM_OP_WAIT_32 || p->operation > MEM_OP_BARRIER)
		return cudaErrorInvalidValue;
	if (p->operation == MEM_OP_BARRIER)
		return p->scope <= BARRIER_LAST ? cudaSuccess : cudaErrorInvalidValue;
	if (p->operation == MEM_OP_FLUSH)
		return p->scope ? cudaErrorInvalidValue : cudaErrorNotSupported;
	if (p->flags & ~(unsigned)(waits(p) ? COMPARE_MASK | WAIT_FLUSH : WRITE_NO_BARRIER))
		return cudaErrorInvalidValue;
	const struct devmem_range *r = p->address ? devmem_find(cu.mem, p->address) : NULL;
	if (!r || r->kind == DEVMEM_MANAGED || r->kind == DEVMEM_ARRAY || p->address % bytes_of(p) ||
	    r->end - p->address < bytes_of(p)) {
		cu_complain("%p is no aligned address in device or pinned memory", (void *)(uintptr_t)p->address);
		return cudaErrorInvalidValue;
	}
	return waits(p) && p->flags & WAIT_FLUSH ? cudaErrorNotSupported : cudaSuccess;
}

cudaError_t mem_op_make(struct op **out, const struct mem_op_params *p)
{
	cudaError_t e = check(p);
	*out = NULL;
	if (e || p->operation == MEM_OP_BARRIER) // what is before it in the stream is complete anyway
		return e;
	*out = op_new(waits(p) ? OP_WAIT_VALUE : OP_WRITE_VALUE);
	(*out)->u.value = (struct value_op){p->address, p->value, bytes_of(p), waits(p) ? p->flags & COMPARE_MASK : 0};
	return cudaSuccess;
}

cudaError_t stream_mem_ops(cudaStream_t handle, unsigned count, const struct mem_op_params *given, unsigned flags)
{
	struct stream *s = stream_find(handle);
	struct mem_op_params all[MEM_OPS_AT_ONCE];
	struct op *ops[MEM_OPS_AT_ONCE];
	if (!s)
		return stream_missing();
	if (flags || !given || count > MEM_OPS_AT_ONCE || !guard_read(all, given, count * sizeof *all))
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < count; i++) {
		cudaError_t e = mem_op_make(&ops[i], &all[i]);
		if (!e)
			continue;
		while (i-- > 0)
			if (ops[i])
				op_free(ops[i]);
		return e;
	}
	cudaError_t e = cudaSuccess;
	for (unsigned i = 0; i < count; i++)
		if (ops[i] && e)
			op_free(ops[i]);
		else if (ops[i])
			e = sim_push(s, ops[i]);
	return e;
}

cudaError_t stream_mem_op(cudaStream_t handle, int operation, uint64_t address, uint64_t value, unsigned flags)
{
	struct mem_op_params p = {.operation = operation, .address = address, .value = value, .flags = flags};
	return stream_mem_ops(handle, 1, &p, 0);
}
