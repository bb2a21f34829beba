// Events: what libcuda/work/event_calls.h does, by the runtime's names.
#include "libcuda/work/event_calls.h"

#include "libcuda/runtime/api.h"

API(cudaEventCreate, (cudaEvent_t * event), event_create(event, 0))
API(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), event_create(event, flags))
API(cudaEventDestroy, (cudaEvent_t event), event_destroy(event))
API_STREAM(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), event_record(event, stream, 0))
API_STREAM(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags), event_record(event, stream, flags))
API_STREAM(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), event_wait(stream, event, flags))
API(cudaEventSynchronize, (cudaEvent_t event), event_synchronize(event))
API(cudaEventQuery, (cudaEvent_t event), event_query(event))
API(cudaEventElapsedTime, (float *ms, cudaEvent_t start, cudaEvent_t end), event_elapsed(ms, start, end))
API_AS(cudaEventElapsedTime, cudaEventElapsedTime_v2, (float *ms, cudaEvent_t start, cudaEvent_t end), event_elapsed(ms, start, end))
