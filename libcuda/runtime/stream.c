// What programs do with streams.
#include "libcuda/work/stream.h"

#include "libcuda/runtime/api.h"
#include "libcuda/work/op.h"
#include "libcuda/work/sim_thread.h"
#include "libcuda/work/wait.h"

#include <string.h>

static cudaError_t bad_stream(void)
{
	cu_complain("the stream was not created, or is destroyed already");
	return cudaErrorInvalidResourceHandle;
}

static cudaError_t create(cudaStream_t *out, unsigned flags, int priority)
{
	if (!out || flags & ~STREAM_NON_BLOCKING)
		return cudaErrorInvalidValue;
	streams_collect();
	*out = stream_new(flags, priority);
	return cudaSuccess;
}

API(cudaStreamCreate, (cudaStream_t * stream), create(stream, 0, 0))
API(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), create(stream, flags, 0))
API(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority),
    create(stream, flags, priority))

static cudaError_t destroy(cudaStream_t handle)
{
	struct stream *s = stream_find(handle);
	if (!s || s == cu.legacy || s->per_thread)
		return bad_stream();
	stream_destroy(s);
	return cudaSuccess;
}

API(cudaStreamDestroy, (cudaStream_t stream), destroy(stream))

static cudaError_t synchronize(cudaStream_t handle)
{
	struct stream *s = stream_find(handle);
	return s ? wait_stream_now(s) : bad_stream();
}

API_STREAM(cudaStreamSynchronize, (cudaStream_t stream), synchronize(stream))

static bool idle(void *s) { return stream_idle(s); }

static cudaError_t query(cudaStream_t handle)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return bad_stream();
	if (!stream_idle(s))
		wait_grant(idle, s);
	return cu.sticky ? cu.sticky : stream_idle(s) ? cudaSuccess : cudaErrorNotReady;
}

API_STREAM(cudaStreamQuery, (cudaStream_t stream), query(stream))

static cudaError_t get_flags(cudaStream_t handle, unsigned *flags)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return bad_stream();
	if (!flags)
		return cudaErrorInvalidValue;
	*flags = s->flags;
	return cudaSuccess;
}

static cudaError_t get_priority(cudaStream_t handle, int *priority)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return bad_stream();
	if (!priority)
		return cudaErrorInvalidValue;
	*priority = s->priority;
	return cudaSuccess;
}

static cudaError_t get_id(cudaStream_t handle, unsigned long long *id)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return bad_stream();
	if (!id)
		return cudaErrorInvalidValue;
	*id = s->id + 1; // the real runtime's are not 0
	return cudaSuccess;
}

static cudaError_t get_device(cudaStream_t handle, int *device)
{
	if (!stream_find(handle))
		return bad_stream();
	if (!device)
		return cudaErrorInvalidValue;
	*device = 0;
	return cudaSuccess;
}

API_STREAM(cudaStreamGetFlags, (cudaStream_t stream, unsigned *flags), get_flags(stream, flags))
API_STREAM(cudaStreamGetPriority, (cudaStream_t stream, int *priority), get_priority(stream, priority))
API_STREAM(cudaStreamGetId, (cudaStream_t stream, unsigned long long *id), get_id(stream, id))
API_STREAM(cudaStreamGetDevice, (cudaStream_t stream, int *device), get_device(stream, device))

static cudaError_t priority_range(int *least, int *greatest)
{
	if (least)
		*least = STREAM_PRIORITY_LEAST;
	if (greatest)
		*greatest = STREAM_PRIORITY_GREATEST;
	return cudaSuccess;
}

API_DEVICE(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest), priority_range(least, greatest))

static cudaError_t push_host(cudaStream_t handle, enum op_kind kind, void (*f)(void *),
                             void (*callback)(cudaStream_t, cudaError_t, void *), void *data)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return bad_stream();
	if (kind == OP_HOST ? !f : !callback)
		return cudaErrorInvalidValue;
	struct op *op = op_new(kind);
	op->u.host.f = f;
	op->u.host.callback = callback;
	op->u.host.stream = handle;
	op->u.host.data = data;
	sim_push(s, op);
	return cudaSuccess;
}

API_STREAM(cudaLaunchHostFunc, (cudaStream_t stream, void (*f)(void *), void *data),
           push_host(stream, OP_HOST, f, NULL, data))
API_STREAM(cudaStreamAddCallback,
           (cudaStream_t stream, void (*callback)(cudaStream_t, cudaError_t, void *), void *data, unsigned flags),
           flags ? cudaErrorInvalidValue : push_host(stream, OP_CALLBACK, NULL, callback, data))

static cudaError_t attach(cudaStream_t handle, void *p, unsigned flags)
{
	enum { ATTACH_SINGLE = 4 };
	if (!stream_find(handle))
		return bad_stream();
	const struct devmem_range *r = devmem_find(cu.mem, (uint64_t)p);
	if (!r || r->kind != DEVMEM_MANAGED || (flags != 1 && flags != 2 && flags != ATTACH_SINGLE))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

API_STREAM(cudaStreamAttachMemAsync, (cudaStream_t stream, void *p, size_t length, unsigned flags),
           attach(stream, p, flags))

// Graph capture is not there yet, so no stream is ever capturing.
static cudaError_t not_capturing(cudaStream_t handle, int *status)
{
	if (!stream_find(handle))
		return bad_stream();
	if (!status)
		return cudaErrorInvalidValue;
	*status = 0;
	return cudaSuccess;
}

API_STREAM(cudaStreamIsCapturing, (cudaStream_t stream, int *status), not_capturing(stream, status))
// Later parameters, which differ between releases, are only written while a capture is active.
API_STREAM(cudaStreamGetCaptureInfo, (cudaStream_t stream, int *status), not_capturing(stream, status))
API_STREAM(cudaStreamGetCaptureInfo_v2, (cudaStream_t stream, int *status), not_capturing(stream, status))
API_STREAM(cudaStreamGetCaptureInfo_v3, (cudaStream_t stream, int *status), not_capturing(stream, status))

// cudaLaunchAttributeID values that streams have.
enum { ATTRIBUTE_WINDOW = 1, ATTRIBUTE_SYNC_POLICY = 3, ATTRIBUTE_PRIORITY = 8 };

static cudaError_t set_attribute(cudaStream_t handle, int id, const void *value)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return bad_stream();
	if (!value)
		return cudaErrorInvalidValue;
	switch (id) {
	case ATTRIBUTE_WINDOW: memcpy(s->attributes.window, value, sizeof s->attributes.window); return cudaSuccess;
	case ATTRIBUTE_SYNC_POLICY: s->attributes.sync_policy = *(const int *)value; return cudaSuccess;
	case ATTRIBUTE_PRIORITY: s->priority = *(const int *)value; return cudaSuccess;
	default: return cudaErrorInvalidValue;
	}
}

static cudaError_t get_attribute(cudaStream_t handle, int id, void *value)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return bad_stream();
	if (!value)
		return cudaErrorInvalidValue;
	switch (id) {
	case ATTRIBUTE_WINDOW: memcpy(value, s->attributes.window, sizeof s->attributes.window); return cudaSuccess;
	case ATTRIBUTE_SYNC_POLICY: *(int *)value = s->attributes.sync_policy; return cudaSuccess;
	case ATTRIBUTE_PRIORITY: *(int *)value = s->priority; return cudaSuccess;
	default: return cudaErrorInvalidValue;
	}
}

static cudaError_t copy_attributes(cudaStream_t to, cudaStream_t from)
{
	struct stream *t = stream_find(to), *f = stream_find(from);
	if (!t || !f)
		return bad_stream();
	t->attributes = f->attributes;
	return cudaSuccess;
}

API_STREAM(cudaStreamSetAttribute, (cudaStream_t stream, int id, const void *value), set_attribute(stream, id, value))
API_STREAM(cudaStreamGetAttribute, (cudaStream_t stream, int id, void *value), get_attribute(stream, id, value))
API_STREAM(cudaStreamCopyAttributes, (cudaStream_t stream, cudaStream_t from), copy_attributes(stream, from))
