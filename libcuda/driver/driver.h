// How a function of the driver API is written. DRIVER() below takes the lock, evaluates an expression that gives an error, and leaves.
//
// Errors inside Heddle are the runtime's; the driver has the same numbers for nearly all of them, and driver_result() gives the others.
#ifndef LIBCUDA_DRIVER_DRIVER_H
#define LIBCUDA_DRIVER_DRIVER_H

#include "libcuda/context/context.h"
#include "libcuda/life/enter.h"

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;

enum {
#define RESULT(code, name) name = code,
#include "libcuda/driver/results.def"
#undef RESULT
};

enum driver_need {
	DRIVER_INITIALISED, // cuInit was called; works without a context
	DRIVER_MEMORY,      // the same, and there is device memory
	DRIVER_CURRENT,     // a context is current in this thread, and no kernel has failed
};

// Begins a call: CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT, or the error of a failed kernel, and the lock is not held; else 0
// with the lock. `api` may end in _v2; messages leave that out.
CUresult driver_enter(enum driver_need need, const char *api);

// Ends it.
CUresult driver_leave(cudaError_t e);

// What the driver calls an error.
CUresult driver_result(cudaError_t e);
// "CUDA_ERROR_INVALID_VALUE"; NULL: there is no such result.
const char *driver_result_name(CUresult e);

#define DRIVER_NEEDS(need, name, params, expr) \
	CU_ENTRY(CUresult, name, params, , driver_enter(need, #name), driver_leave(expr))

// An exported function whose result is `expr`, a cudaError_t. `name` is the symbol, _v2 and all.
#define DRIVER(name, params, expr) DRIVER_NEEDS(DRIVER_CURRENT, name, params, expr)
#define DRIVER_DEVICE(name, params, expr) DRIVER_NEEDS(DRIVER_INITIALISED, name, params, expr)
#define DRIVER_ANY_CONTEXT(name, params, expr) DRIVER_NEEDS(DRIVER_MEMORY, name, params, expr)

// With its twin name_ptsz, for programs whose default stream is per thread: there a `stream` of 0 means the thread's own. The
// parameters must include `stream`.
#define DRIVER_STREAM(name, params, expr) \
	DRIVER(name, params, expr)        \
	CU_ENTRY(CUresult, name##_ptsz, params, CU_OWN_STREAM, driver_enter(DRIVER_CURRENT, #name), driver_leave(expr))

// The same for functions without a stream parameter, whose twin is name_ptds: `expr` may use `stream`.
#define DRIVER_SYNC(name, params, expr)                                                                                         \
	CU_ENTRY(CUresult, name, params, cudaStream_t stream = NULL, driver_enter(DRIVER_CURRENT, #name), driver_leave(expr))   \
	CU_ENTRY(CUresult, name##_ptds, params, cudaStream_t stream = STREAM_PER_THREAD, driver_enter(DRIVER_CURRENT, #name), \
	         driver_leave(expr))

#endif
