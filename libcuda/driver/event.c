// Events: what libcuda/work/event_calls.h does, by the driver's names.
#include "libcuda/work/event_calls.h"

#include "libcuda/driver/driver.h"
#include "libcuda/life/contexts.h"
#include "libcuda/work/context_events.h"

DRIVER(cuEventCreate, (cudaEvent_t * event, unsigned flags), event_create(event, flags))
DRIVER(cuEventDestroy, (cudaEvent_t event), event_destroy(event))
DRIVER(cuEventDestroy_v2, (cudaEvent_t event), event_destroy(event))
DRIVER_STREAM(cuEventRecord, (cudaEvent_t event, cudaStream_t stream), event_record(event, stream, 0))
DRIVER_STREAM(cuEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags), event_record(event, stream, flags))
DRIVER(cuEventSynchronize, (cudaEvent_t event), event_synchronize(event))
DRIVER(cuEventQuery, (cudaEvent_t event), event_query(event))
static cudaError_t record_context(struct cu_context *c, cudaEvent_t event)
{
	return context_valid(c) ? context_record_event(c->owner, event) : cudaErrorDeviceUninitialized;
}

static cudaError_t wait_context(struct cu_context *c, cudaEvent_t event)
{
	return context_valid(c) ? context_wait_event(c->owner, event) : cudaErrorDeviceUninitialized;
}

DRIVER(cuCtxRecordEvent, (struct cu_context * context, cudaEvent_t event), record_context(context, event))
DRIVER(cuCtxWaitEvent, (struct cu_context * context, cudaEvent_t event), wait_context(context, event))
DRIVER(cuEventElapsedTime, (float *ms, cudaEvent_t start, cudaEvent_t end), event_elapsed(ms, start, end))
DRIVER(cuEventElapsedTime_v2, (float *ms, cudaEvent_t start, cudaEvent_t end), event_elapsed(ms, start, end))
