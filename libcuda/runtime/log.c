// The log of errors: what libcuda/context/log_calls.h does, by the runtime's names.
#include "libcuda/context/log_calls.h"

#include "libcuda/runtime/api.h"

API_DEVICE(cudaLogsRegisterCallback, (log_function f, void *data, void **callback), log_register(f, data, callback))
API_DEVICE(cudaLogsUnregisterCallback, (void *callback), log_unregister(callback))
API_DEVICE(cudaLogsCurrent, (uint32_t *iterator, unsigned flags), log_current(iterator, flags))
API_DEVICE(cudaLogsDumpToFile, (uint32_t *iterator, const char *path, unsigned flags), log_to_file(iterator, path, flags))
API_DEVICE(cudaLogsDumpToMemory, (uint32_t *iterator, char *buffer, size_t *size, unsigned flags),
           log_to_memory(iterator, buffer, size, flags))
