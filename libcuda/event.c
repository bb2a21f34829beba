#include "libcuda/stream.h"

#include "base/mem.h"

#include <math.h>

enum { EVENT_DISABLE_TIMING = 2, EVENT_INTERPROCESS = 4, EVENT_FLAGS = 7, RECORD_EXTERNAL = 1 };

struct event {
	unsigned flags;
	struct record *last; // NULL until it is recorded for the first time
};

struct record *record_new(void)
{
	struct record *r = MEM_NEW(struct record);
	r->refs = 1;
	return r;
}

void record_release(struct record *r)
{
	if (r && !--r->refs)
		mem_free(r);
}

static cudaError_t bad_event(void)
{
	cu_complain("the event was not created, or is destroyed already");
	return cudaErrorInvalidResourceHandle;
}

static bool valid(cudaEvent_t e) { return e && handle_valid(&cu.events, e); }

static cudaError_t create(cudaEvent_t *out, unsigned flags)
{
	if (!out || flags & ~EVENT_FLAGS || (flags & EVENT_INTERPROCESS && !(flags & EVENT_DISABLE_TIMING)))
		return cudaErrorInvalidValue;
	cu.events.size = sizeof(struct event);
	*out = handle_new(&cu.events);
	(*out)->flags = flags;
	return cudaSuccess;
}

API(cudaEventCreate, (cudaEvent_t * event), create(event, 0))
API(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), create(event, flags))

static cudaError_t destroy(cudaEvent_t e)
{
	if (!valid(e))
		return bad_event();
	record_release(e->last);
	handle_free(&cu.events, e);
	return cudaSuccess;
}

static void forget(void *event, void *arg)
{
	record_release(((struct event *)event)->last);
	handle_free(&cu.events, event);
}

void events_reset(void) { handle_each(&cu.events, forget, NULL); }

API(cudaEventDestroy, (cudaEvent_t event), destroy(event))

static cudaError_t record(cudaEvent_t e, cudaStream_t handle, unsigned flags)
{
	struct stream *s = stream_find(handle);
	if (!valid(e) || !s)
		return bad_event();
	if (flags & ~RECORD_EXTERNAL)
		return cudaErrorInvalidValue;
	record_release(e->last);
	e->last = record_new();
	e->last->refs++;
	struct op *op = op_new(OP_RECORD);
	op->u.record = e->last;
	op_push(s, op);
	return cudaSuccess;
}

API_STREAM(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), record(event, stream, 0))
API_STREAM(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
           record(event, stream, flags))

// Waiting for an event that was never recorded is no wait.
static cudaError_t wait_event(cudaStream_t handle, cudaEvent_t e, unsigned flags)
{
	struct stream *s = stream_find(handle);
	if (!valid(e) || !s)
		return bad_event();
	if (flags & ~RECORD_EXTERNAL)
		return cudaErrorInvalidValue;
	if (!e->last || e->last->done)
		return cudaSuccess;
	struct op *op = op_new(OP_WAIT);
	op->u.record = e->last;
	e->last->refs++;
	op_push(s, op);
	return cudaSuccess;
}

API_STREAM(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
           wait_event(stream, event, flags))

static cudaError_t synchronize(cudaEvent_t e)
{
	if (!valid(e))
		return bad_event();
	return e->last ? sim_wait_record(e->last) : cudaSuccess;
}

API(cudaEventSynchronize, (cudaEvent_t event), synchronize(event))

static bool done(void *r) { return ((struct record *)r)->done; }

static cudaError_t query(cudaEvent_t e)
{
	if (!valid(e))
		return bad_event();
	struct record *r = e->last;
	if (!r || r->done)
		return cudaSuccess;
	r->refs++;
	sim_grant(done, r);
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
	if (!valid(start) || !valid(end))
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
