// What programs do with events.
#include "libcuda/runtime/api.h"
#include "libcuda/work/event.h"
#include "libcuda/work/op.h"
#include "libcuda/work/sim_thread.h"
#include "libcuda/work/stream.h"
#include "libcuda/work/wait.h"

enum { EVENT_DISABLE_TIMING = 2, EVENT_INTERPROCESS = 4, EVENT_FLAGS = 7, RECORD_EXTERNAL = 1 };

static cudaError_t bad_event(void)
{
	cu_complain("the event was not created, or is destroyed already");
	return cudaErrorInvalidResourceHandle;
}

static cudaError_t create(cudaEvent_t *out, unsigned flags)
{
	if (!out || flags & ~EVENT_FLAGS || (flags & EVENT_INTERPROCESS && !(flags & EVENT_DISABLE_TIMING)))
		return cudaErrorInvalidValue;
	*out = event_new(flags);
	return cudaSuccess;
}

API(cudaEventCreate, (cudaEvent_t * event), create(event, 0))
API(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), create(event, flags))

static cudaError_t destroy(cudaEvent_t e)
{
	if (!event_valid(e))
		return bad_event();
	event_free(e);
	return cudaSuccess;
}

API(cudaEventDestroy, (cudaEvent_t event), destroy(event))

static cudaError_t record(cudaEvent_t e, cudaStream_t handle, unsigned flags)
{
	struct stream *s = stream_find(handle);
	if (!event_valid(e) || !s)
		return bad_event();
	if (flags & ~RECORD_EXTERNAL)
		return cudaErrorInvalidValue;
	record_release(e->last);
	e->last = record_new();
	e->last->refs++;
	struct op *op = op_new(OP_RECORD);
	op->u.record = e->last;
	sim_push(s, op);
	return cudaSuccess;
}

API_STREAM(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), record(event, stream, 0))
API_STREAM(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
           record(event, stream, flags))

// Waiting for an event that was never recorded is no wait.
static cudaError_t wait_event(cudaStream_t handle, cudaEvent_t e, unsigned flags)
{
	struct stream *s = stream_find(handle);
	if (!event_valid(e) || !s)
		return bad_event();
	if (flags & ~RECORD_EXTERNAL)
		return cudaErrorInvalidValue;
	if (!e->last || e->last->done)
		return cudaSuccess;
	struct op *op = op_new(OP_WAIT);
	op->u.record = e->last;
	e->last->refs++;
	sim_push(s, op);
	return cudaSuccess;
}

API_STREAM(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
           wait_event(stream, event, flags))

static cudaError_t synchronize(cudaEvent_t e)
{
	if (!event_valid(e))
		return bad_event();
	return e->last ? wait_record(e->last) : cudaSuccess;
}

API(cudaEventSynchronize, (cudaEvent_t event), synchronize(event))

static bool done(void *r) { return ((struct record *)r)->done; }

static cudaError_t query(cudaEvent_t e)
{
	if (!event_valid(e))
		return bad_event();
	struct record *r = e->last;
	if (!r || r->done)
		return cudaSuccess;
	r->refs++;
	wait_grant(done, r);
	bool ready = r->done;
	record_release(r);
	return cu.sticky ? cu.sticky : ready ? cudaSuccess : cudaErrorNotReady;
}

API(cudaEventQuery, (cudaEvent_t event), query(event))

// Simulated time, with the resolution CUDA states: about half a microsecond.
static cudaError_t elapsed(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	if (!ms)
		return cudaErrorInvalidValue;
	if (!event_valid(start) || !event_valid(end))
		return bad_event();
	if (!start->last || !end->last || (start->flags | end->flags) & EVENT_DISABLE_TIMING)
		return cudaErrorInvalidResourceHandle;
	if (!start->last->done || !end->last->done)
		return cudaErrorNotReady;
	*ms = (float)((end->last->time - start->last->time) * 1e3);
	return cudaSuccess;
}

API(cudaEventElapsedTime, (float *ms, cudaEvent_t start, cudaEvent_t end), elapsed(ms, start, end))
API_AS(cudaEventElapsedTime, cudaEventElapsedTime_v2, (float *ms, cudaEvent_t start, cudaEvent_t end), elapsed(ms, start, end))
