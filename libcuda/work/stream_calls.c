#include "libcuda/work/stream_calls.h"

#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/work/capture.h"
#include "libcuda/work/context_events.h"
#include "libcuda/work/op.h"
#include "libcuda/work/sim_thread.h"
#include "libcuda/work/stream.h"
#include "libcuda/work/wait.h"

#include <string.h>

cudaError_t stream_missing(void)
{
	cu_complain("the stream was not created, or is destroyed already");
	return cudaErrorInvalidResourceHandle;
}

cudaError_t stream_create(cudaStream_t *out, unsigned flags, int priority)
{
	if (!GUARD_OUT(out) || flags & ~(unsigned)STREAM_NON_BLOCKING)
		return cudaErrorInvalidValue;
	streams_collect();
	*out = stream_new(flags, priority);
	context_waits_begin(*out);
	return cudaSuccess;
}

cudaError_t stream_end(cudaStream_t handle)
{
	struct stream *s = stream_find(handle);
	if (!s || s == cu.legacy || s->per_thread)
		return stream_missing();
	stream_destroy(s);
	return cudaSuccess;
}

cudaError_t stream_synchronize(cudaStream_t handle)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return stream_missing();
	cudaError_t e = cu.capture ? cu.capture->refuse(s) : cudaSuccess;
	return e ? e : wait_stream_now(s);
}

static bool idle(void *s) { return stream_idle(s); }

cudaError_t stream_query(cudaStream_t handle)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return stream_missing();
	cudaError_t e = cu.capture ? cu.capture->refuse(s) : cudaSuccess;
	if (e)
		return e;
	if (!stream_idle(s))
		wait_grant(idle, s);
	return cu.sticky ? cu.sticky : stream_idle(s) ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t stream_flags(cudaStream_t handle, unsigned *flags)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return stream_missing();
	if (!GUARD_OUT(flags))
		return cudaErrorInvalidValue;
	*flags = s->flags;
	return cudaSuccess;
}

cudaError_t stream_priority(cudaStream_t handle, int *priority)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return stream_missing();
	if (!GUARD_OUT(priority))
		return cudaErrorInvalidValue;
	*priority = s->priority;
	return cudaSuccess;
}

cudaError_t stream_number(cudaStream_t handle, unsigned long long *id)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return stream_missing();
	if (!GUARD_OUT(id))
		return cudaErrorInvalidValue;
	*id = s->id + 1; // the real runtime's are not 0
	return cudaSuccess;
}

cudaError_t stream_device(cudaStream_t handle, int *device)
{
	if (!stream_find(handle))
		return stream_missing();
	if (!GUARD_OUT(device))
		return cudaErrorInvalidValue;
	*device = 0;
	return cudaSuccess;
}

cudaError_t stream_priority_range(int *least, int *greatest)
{
	if (!GUARD_OUT_OR_NULL(least) || !GUARD_OUT_OR_NULL(greatest))
		return cudaErrorInvalidValue;
	if (least)
		*least = STREAM_PRIORITY_LEAST;
	if (greatest)
		*greatest = STREAM_PRIORITY_GREATEST;
	return cudaSuccess;
}

cudaError_t stream_host_function(cudaStream_t handle, void (*f)(void *), void *data)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return stream_missing();
	if (!f)
		return cudaErrorInvalidValue;
	struct op *op = op_new(OP_HOST);
	op->u.host.f = f;
	op->u.host.data = data;
	return sim_push(s, op);
}

cudaError_t stream_add_callback(cudaStream_t handle, stream_callback f, void *data, unsigned flags)
{
	struct stream *s = stream_find(handle);
	if (flags)
		return cudaErrorInvalidValue;
	if (!s)
		return stream_missing();
	if (!f)
		return cudaErrorInvalidValue;
	struct op *op = op_new(OP_CALLBACK);
	op->u.host.callback = f;
	op->u.host.stream = handle;
	op->u.host.data = data;
	return sim_push(s, op);
}

cudaError_t stream_attach(cudaStream_t handle, void *p, size_t length, unsigned flags)
{
	enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2, ATTACH_SINGLE = 4 };
	struct stream *s = stream_find(handle);
	if (!s)
		return stream_missing();
	if (s->capture)
		return cu.capture->refuse(s);
	const struct devmem_range *r = devmem_find(cu.mem, (uint64_t)(uintptr_t)p);
	if (!r || r->kind != DEVMEM_MANAGED || (length && length != r->size) || (flags == ATTACH_SINGLE && s == cu.legacy) || (flags != ATTACH_GLOBAL && flags != ATTACH_HOST && flags != ATTACH_SINGLE))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

enum { ATTRIBUTE_WINDOW = 1, ATTRIBUTE_SYNC_POLICY = 3, ATTRIBUTE_PRIORITY = 8, ATTRIBUTE_DOMAIN_MAP = 9, ATTRIBUTE_DOMAIN = 10 };

// Where the value of an attribute is kept; NULL if streams have no such attribute.
static void *attribute(struct stream *s, int id, size_t *size)
{
	struct stream_attributes *a = &s->attributes;
	switch (id) {
	case ATTRIBUTE_WINDOW: *size = sizeof a->window; return a->window;
	case ATTRIBUTE_SYNC_POLICY: *size = sizeof a->sync_policy; return &a->sync_policy;
	case ATTRIBUTE_PRIORITY: *size = sizeof s->priority; return &s->priority;
	case ATTRIBUTE_DOMAIN_MAP: *size = sizeof a->domain_map; return a->domain_map;
	case ATTRIBUTE_DOMAIN: *size = sizeof a->domain; return &a->domain;
	default: return NULL;
	}
}

// struct cudaAccessPolicyWindow: the hit ratio is a share, and of the three properties a miss cannot be persisting.
struct window {
	void *base;
	size_t bytes;
	float hit_ratio;
	int hit, miss;
};

static cudaError_t check_attribute(int id, const void *value)
{
	enum { FIRST_POLICY = 1, LAST_POLICY = 4, PERSISTING = 2, LAST_DOMAIN = 1 };
	int v;
	struct window w;
	memcpy(&v, value, sizeof v);
	switch (id) {
	case ATTRIBUTE_WINDOW:
		memcpy(&w, value, sizeof w);
		return w.hit_ratio >= 0 && w.hit_ratio <= 1 && w.hit >= 0 && w.hit <= PERSISTING && w.miss >= 0 && w.miss < PERSISTING &&
		                       (!cu.desc.access_window || w.bytes <= cu.desc.access_window)
		               ? cudaSuccess
		               : cudaErrorInvalidValue;
	case ATTRIBUTE_SYNC_POLICY: return v >= FIRST_POLICY && v <= LAST_POLICY ? cudaSuccess : cudaErrorInvalidValue;
	case ATTRIBUTE_DOMAIN: return v >= 0 && v <= LAST_DOMAIN ? cudaSuccess : cudaErrorInvalidValue;
	default: return cudaSuccess;
	}
}

cudaError_t stream_set_attribute(cudaStream_t handle, int id, const void *value)
{
	struct stream *s = stream_find(handle);
	char given[sizeof s->attributes.window];
	size_t size;
	if (!s)
		return stream_missing();
	void *at = attribute(s, id, &size);
	if (!value || !at || !guard_read(given, value, size))
		return cudaErrorInvalidValue;
	cudaError_t e = check_attribute(id, given);
	if (!e)
		memcpy(at, given, size);
	if (id == ATTRIBUTE_PRIORITY)
		s->priority = stream_clamp_priority(s->priority);
	return e;
}

cudaError_t stream_get_attribute(cudaStream_t handle, int id, void *value)
{
	struct stream *s = stream_find(handle);
	size_t size;
	if (!s)
		return stream_missing();
	void *at = attribute(s, id, &size);
	if (!value || !at)
		return cudaErrorInvalidValue;
	return guard_write(value, at, size) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t stream_copy_attributes(cudaStream_t to, cudaStream_t from)
{
	struct stream *t = stream_find(to), *f = stream_find(from);
	if (!t || !f)
		return stream_missing();
	t->attributes = f->attributes;
	return cudaSuccess;
}
