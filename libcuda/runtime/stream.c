// Streams: what libcuda/work/stream_calls.h does, by the runtime's names.
#include "libcuda/work/stream_calls.h"

#include "libcuda/runtime/api.h"
#include "libcuda/work/stream.h"

API(cudaStreamCreate, (cudaStream_t * stream), stream_create(stream, 0, 0))
API(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), stream_create(stream, flags, 0))
API(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority), stream_create(stream, flags, priority))
API(cudaStreamDestroy, (cudaStream_t stream), stream_end(stream))
API_STREAM(cudaStreamSynchronize, (cudaStream_t stream), stream_synchronize(stream))
API_STREAM(cudaStreamQuery, (cudaStream_t stream), stream_query(stream))
API_STREAM(cudaStreamGetFlags, (cudaStream_t stream, unsigned *flags), stream_flags(stream, flags))
API_STREAM(cudaStreamGetPriority, (cudaStream_t stream, int *priority), stream_priority(stream, priority))
API_STREAM(cudaStreamGetId, (cudaStream_t stream, unsigned long long *id), stream_number(stream, id))
API_STREAM(cudaStreamGetDevice, (cudaStream_t stream, int *device), stream_device(stream, device))
API_DEVICE(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest), stream_priority_range(least, greatest))
API_STREAM(cudaLaunchHostFunc, (cudaStream_t stream, void (*f)(void *), void *data), stream_host_function(stream, f, data))
API_STREAM(cudaStreamAddCallback, (cudaStream_t stream, stream_callback callback, void *data, unsigned flags),
           stream_add_callback(stream, callback, data, flags))
API_STREAM(cudaStreamAttachMemAsync, (cudaStream_t stream, void *p, size_t length, unsigned flags), stream_attach(stream, p, length, flags))
API_STREAM(cudaStreamSetAttribute, (cudaStream_t stream, int id, const void *value), stream_set_attribute(stream, id, value))
API_STREAM(cudaStreamGetAttribute, (cudaStream_t stream, int id, void *value), stream_get_attribute(stream, id, value))
API_STREAM(cudaStreamCopyAttributes, (cudaStream_t stream, cudaStream_t from), stream_copy_attributes(stream, from))
