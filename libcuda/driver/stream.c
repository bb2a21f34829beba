// Streams: what libcuda/work/stream_calls.h and stream_values.h do, by the driver's names.
#include "libcuda/work/stream.h"

#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"
#include "libcuda/life/contexts.h"
#include "libcuda/work/event_calls.h"
#include "libcuda/work/stream_calls.h"
#include "libcuda/work/stream_values.h"

DRIVER(cuStreamCreate, (cudaStream_t * stream, unsigned flags), stream_create(stream, flags, 0))
DRIVER(cuStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority), stream_create(stream, flags, priority))
DRIVER(cuStreamDestroy, (cudaStream_t stream), stream_end(stream))
DRIVER(cuStreamDestroy_v2, (cudaStream_t stream), stream_end(stream))
DRIVER_STREAM(cuStreamSynchronize, (cudaStream_t stream), stream_synchronize(stream))
DRIVER_STREAM(cuStreamQuery, (cudaStream_t stream), stream_query(stream))
DRIVER_STREAM(cuStreamGetFlags, (cudaStream_t stream, unsigned *flags), stream_flags(stream, flags))
DRIVER_STREAM(cuStreamGetPriority, (cudaStream_t stream, int *priority), stream_priority(stream, priority))
DRIVER_STREAM(cuStreamGetId, (cudaStream_t stream, unsigned long long *id), stream_number(stream, id))
DRIVER_STREAM(cuStreamGetDevice, (cudaStream_t stream, CUdevice *device), stream_device(stream, device))
DRIVER_STREAM(cuStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), event_wait(stream, event, flags))
DRIVER_STREAM(cuStreamAddCallback, (cudaStream_t stream, stream_callback callback, void *data, unsigned flags),
              stream_add_callback(stream, callback, data, flags))
DRIVER_STREAM(cuLaunchHostFunc, (cudaStream_t stream, void (*f)(void *), void *data), stream_host_function(stream, f, data))
DRIVER_STREAM(cuStreamAttachMemAsync, (cudaStream_t stream, CUdeviceptr p, size_t length, unsigned flags),
              stream_attach(stream, (void *)(uintptr_t)p, length, flags))
DRIVER_STREAM(cuStreamSetAttribute, (cudaStream_t stream, int id, const void *value), stream_set_attribute(stream, id, value))
DRIVER_STREAM(cuStreamGetAttribute, (cudaStream_t stream, int id, void *value), stream_get_attribute(stream, id, value))
DRIVER_STREAM(cuStreamCopyAttributes, (cudaStream_t stream, cudaStream_t from), stream_copy_attributes(stream, from))

// --- the context of a stream; the default streams are those of the one that is current

static cudaError_t get_context(cudaStream_t handle, struct cu_context **out)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return stream_missing();
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	*out = s == cu.legacy || s->per_thread ? context_current() : context_of_owner(s->owner);
	return cudaSuccess;
}

// There are no green contexts.
static cudaError_t get_contexts(cudaStream_t handle, struct cu_context **out, void **green)
{
	if (!GUARD_OUT(green))
		return stream_find(handle) ? cudaErrorInvalidValue : stream_missing();
	cudaError_t e = get_context(handle, out);
	if (!e)
		*green = NULL;
	return e;
}

static cudaError_t get_green(cudaStream_t handle, void **green)
{
	struct cu_context *c;
	return get_contexts(handle, &c, green);
}

DRIVER_STREAM(cuStreamGetCtx, (cudaStream_t stream, struct cu_context **context), get_context(stream, context))
DRIVER_STREAM(cuStreamGetCtx_v2, (cudaStream_t stream, struct cu_context **context, void **green),
              get_contexts(stream, context, green))
DRIVER(cuStreamGetGreenCtx, (cudaStream_t stream, void **green), get_green(stream, green))

// --- values in memory. Both forms of these functions do the same here.

#define VALUE_PARAMS(type) (cudaStream_t stream, CUdeviceptr addr, type value, unsigned flags)
#define VALUE(name, type, operation) \
	DRIVER_STREAM(name, VALUE_PARAMS(type), stream_mem_op(stream, operation, addr, value, flags))
VALUE(cuStreamWaitValue32, uint32_t, MEM_OP_WAIT_32)
VALUE(cuStreamWaitValue32_v2, uint32_t, MEM_OP_WAIT_32)
VALUE(cuStreamWaitValue64, uint64_t, MEM_OP_WAIT_64)
VALUE(cuStreamWaitValue64_v2, uint64_t, MEM_OP_WAIT_64)
VALUE(cuStreamWriteValue32, uint32_t, MEM_OP_WRITE_32)
VALUE(cuStreamWriteValue32_v2, uint32_t, MEM_OP_WRITE_32)
VALUE(cuStreamWriteValue64, uint64_t, MEM_OP_WRITE_64)
VALUE(cuStreamWriteValue64_v2, uint64_t, MEM_OP_WRITE_64)

#define BATCH_PARAMS (cudaStream_t stream, unsigned count, const struct mem_op_params *params, unsigned flags)
DRIVER_STREAM(cuStreamBatchMemOp, BATCH_PARAMS, stream_mem_ops(stream, count, params, flags))
DRIVER_STREAM(cuStreamBatchMemOp_v2, BATCH_PARAMS, stream_mem_ops(stream, count, params, flags))
