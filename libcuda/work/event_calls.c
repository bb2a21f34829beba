#include "libcuda/work/event_calls.h"

#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/work/capture.h"
#include "libcuda/work/event.h"
#include "libcuda/work/op.h"
#include "libcuda/work/sim_thread.h"
#include "libcuda/work/stream.h"
#include "libcuda/work/stream_calls.h"
#include "libcuda/work/wait.h"

enum { EVENT_DISABLE_TIMING = 2, EVENT_INTERPROCESS = 4, EVENT_FLAGS = 7, EXTERNAL = 1 };

static cudaError_t bad_event(void)
{
	cu_complain("the event was not created, or is destroyed already");
	return cudaErrorInvalidResourceHandle;
}

static cudaError_t bad_captured(void)
{
	cu_complain("the event was last recorded in a stream that was capturing, so nothing was done yet");
	return cudaErrorCapturedEvent;
}

cudaError_t event_create(cudaEvent_t *out, unsigned flags)
{
	if (!GUARD_OUT(out) || flags & ~(unsigned)EVENT_FLAGS || (flags & EVENT_INTERPROCESS && !(flags & EVENT_DISABLE_TIMING)))
		return cudaErrorInvalidValue;
	*out = event_new(flags);
	return cudaSuccess;
}

cudaError_t event_destroy(cudaEvent_t e)
{
	if (!event_valid(e))
		return bad_event();
	event_free(e);
	return cudaSuccess;
}

// The default streams are those of the context that is current.
static bool of_one_context(const struct event *e, const struct stream *s)
{
	return e->owner == (s == cu.legacy || s->per_thread ? cu_thread.owner : s->owner);
}

cudaError_t event_record(cudaEvent_t e, cudaStream_t handle, unsigned flags) { return event_record_from(e, handle, flags, PORT_END); }

cudaError_t event_record_from(cudaEvent_t e, cudaStream_t handle, unsigned flags, unsigned port)
{
	struct stream *s = stream_find(handle);
	if (!event_valid(e))
		return bad_event();
	if (!s)
		return stream_missing();
	if (flags & ~(unsigned)EXTERNAL)
		return cudaErrorInvalidValue;
	if (!of_one_context(e, s)) {
		cu_complain("event and stream are of different contexts");
		return cudaErrorInvalidResourceHandle;
	}
	cudaError_t error;
	if (cu.capture && cu.capture->record(e, s, flags & EXTERNAL, port, &error))
		return error;
	if (flags & EXTERNAL) // it makes a node
		return cudaErrorInvalidValue;
	event_renew(e);
	e->last->refs++;
	struct op *op = op_new(OP_RECORD);
	op->u.record = e->last;
	return sim_push(s, op);
}

// Waiting for an event that was never recorded is no wait.
cudaError_t event_wait(cudaStream_t handle, cudaEvent_t e, unsigned flags)
{
	struct stream *s = stream_find(handle);
	if (!event_valid(e))
		return bad_event();
	if (!s)
		return stream_missing();
	if (flags & ~(unsigned)EXTERNAL)
		return cudaErrorInvalidValue;
	cudaError_t error;
	if (cu.capture && cu.capture->wait(s, e, flags & EXTERNAL, &error))
		return error;
	if (flags & EXTERNAL)
		return cudaErrorInvalidValue;
	if (e->captured)
		return bad_captured();
	if (!e->last || e->last->done)
		return cudaSuccess;
	struct op *op = op_new(OP_WAIT);
	op->u.record = e->last;
	e->last->refs++;
	return sim_push(s, op);
}

cudaError_t event_synchronize(cudaEvent_t e)
{
	if (!event_valid(e))
		return bad_event();
	if (e->captured)
		return bad_captured();
	return e->last ? wait_record(e->last) : cudaSuccess;
}

static bool done(void *r) { return ((struct record *)r)->done; }

cudaError_t event_query(cudaEvent_t e)
{
	if (!event_valid(e))
		return bad_event();
	if (e->captured)
		return bad_captured();
	struct record *r = e->last;
	if (!r || r->done)
		return cudaSuccess;
	r->refs++;
	wait_grant(done, r);
	bool ready = r->done;
	record_release(r);
	return cu.sticky ? cu.sticky : ready ? cudaSuccess : cudaErrorNotReady;
}

// With the resolution CUDA states: about half a microsecond.
cudaError_t event_elapsed(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	if (!GUARD_OUT(ms))
		return cudaErrorInvalidValue;
	if (!event_valid(start) || !event_valid(end))
		return bad_event();
	if (start->captured || end->captured)
		return bad_captured();
	if (!start->last || !end->last || (start->flags | end->flags) & EVENT_DISABLE_TIMING || start->owner != end->owner)
		return cudaErrorInvalidResourceHandle;
	if (!start->last->done || !end->last->done)
		return cudaErrorNotReady;
	*ms = (float)((end->last->time - start->last->time) * 1e3);
	return cudaSuccess;
}
