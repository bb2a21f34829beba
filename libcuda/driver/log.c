// The log of errors: what libcuda/context/log_calls.h does, by the driver's names. It can be asked before cuInit.
#include "libcuda/context/log_calls.h"

#include "libcuda/driver/driver.h"

#define DRIVER_LOG(name, params, expr) \
	CU_ENTRY(CUresult, name, params, , driver_result(cu_begin(CU_DEVICE, #name)), driver_leave(expr))

DRIVER_LOG(cuLogsRegisterCallback, (log_function f, void *data, void **callback), log_register(f, data, callback))
DRIVER_LOG(cuLogsUnregisterCallback, (void *callback), log_unregister(callback))
DRIVER_LOG(cuLogsCurrent, (uint32_t * iterator, unsigned flags), log_current(iterator, flags))
DRIVER_LOG(cuLogsDumpToFile, (uint32_t * iterator, const char *path, unsigned flags), log_to_file(iterator, path, flags))
DRIVER_LOG(cuLogsDumpToMemory, (uint32_t * iterator, char *buffer, size_t *size, unsigned flags),
           log_to_memory(iterator, buffer, size, flags))
