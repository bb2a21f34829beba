#include "libcuda/work/context_events.h"

#include "libcuda/context/context.h"
#include "libcuda/work/capture.h"
#include "libcuda/work/event.h"
#include "libcuda/work/op.h"
#include "libcuda/work/sim_thread.h"
#include "libcuda/work/stream.h"
#include "libcuda/work/stream_calls.h"

// The default streams work for every context.
static bool belongs(const struct stream *s, uint32_t owner)
{
	return !s->parts && (s == cu.legacy || s->per_thread || s->owner == owner);
}

// All captures under way are spoilt, not only the first.
static cudaError_t refuse_captures(uint32_t owner)
{
	cudaError_t e = cudaSuccess;
	for (size_t i = 0; cu.capture && i < cu.all_streams.n; i++)
		if (belongs(cu.all_streams.at[i], owner) && cu.all_streams.at[i]->capture && cu.capture->refuse(cu.all_streams.at[i]))
			e = cudaErrorStreamCaptureUnsupported;
	return e;
}

static cudaError_t push(struct stream *s, enum op_kind kind, struct record *r)
{
	struct op *op = op_new(kind);
	op->u.record = r;
	r->refs++;
	return sim_push(s, op);
}

cudaError_t context_record_event(uint32_t owner, cudaEvent_t e)
{
	if (!event_valid(e) || e->owner != owner) {
		cu_complain("the event was not created in this context, or is destroyed already");
		return cudaErrorInvalidResourceHandle;
	}
	cudaError_t error = refuse_captures(owner);
	if (error)
		return error;
	// A stream of no name in which all others meet; it goes when it has come to its end.
	struct stream *meeting = stream_new(STREAM_NON_BLOCKING, 0);
	cu.next_stream_id--;
	for (size_t i = 0; i < cu.all_streams.n && !error; i++) {
		struct stream *s = cu.all_streams.at[i];
		if (s == meeting || !belongs(s, owner) || stream_idle(s))
			continue;
		struct record *r = record_new();
		error = push(s, OP_RECORD, r);
		error = error ? error : push(meeting, OP_WAIT, r);
		record_release(r);
	}
	if (!error) {
		event_renew(e);
		error = push(meeting, OP_RECORD, e->last);
	}
	stream_destroy(meeting);
	return error;
}

static void forget_done(void)
{
	size_t n = 0;
	for (size_t i = 0; i < cu.context_waits.n; i++)
		if (cu.context_waits.at[i].record->done)
			record_release(cu.context_waits.at[i].record);
		else
			cu.context_waits.at[n++] = cu.context_waits.at[i];
	cu.context_waits.n = n;
}

cudaError_t context_wait_event(uint32_t owner, cudaEvent_t e)
{
	if (!event_valid(e)) {
		cu_complain("the event was not created, or is destroyed already");
		return cudaErrorInvalidResourceHandle;
	}
	cudaError_t error = refuse_captures(owner);
	if (error || e->captured)
		return cudaErrorStreamCaptureUnsupported;
	if (!e->last || e->last->done)
		return cudaSuccess;
	for (size_t i = 0; i < cu.all_streams.n && !error; i++)
		if (belongs(cu.all_streams.at[i], owner) && !cu.all_streams.at[i]->orphan)
			error = push(cu.all_streams.at[i], OP_WAIT, e->last);
	forget_done();
	struct context_wait w = {owner, e->last};
	e->last->refs++;
	VEC_PUSH(&cu.context_waits, w);
	return error;
}

void context_waits_begin(struct stream *s)
{
	for (size_t i = 0; i < cu.context_waits.n; i++)
		if (cu.context_waits.at[i].owner == s->owner && !cu.context_waits.at[i].record->done)
			push(s, OP_WAIT, cu.context_waits.at[i].record);
}

void context_waits_release(uint32_t owner)
{
	size_t n = 0;
	for (size_t i = 0; i < cu.context_waits.n; i++)
		if (cu.context_waits.at[i].owner == owner)
			record_release(cu.context_waits.at[i].record);
		else
			cu.context_waits.at[n++] = cu.context_waits.at[i];
	cu.context_waits.n = n;
}

void context_waits_reset(void)
{
	while (cu.context_waits.n)
		context_waits_release(cu.context_waits.at[0].owner);
}
