// How a function of the runtime API is written: with API() below, which takes the lock, evaluates an expression that gives the
// error, and leaves by cu_leave(), which remembers the error for cudaGetLastError and writes out what kernels printed.
#ifndef LIBCUDA_RUNTIME_API_H
#define LIBCUDA_RUNTIME_API_H

#include "libcuda/context/context.h"
#include "libcuda/life/enter.h"

#define API_NEEDS(need, public, name, params, expr) \
	CU_ENTRY(cudaError_t, name, params, , cu_enter(need, #public, CU_CALLER), cu_leave(expr))

// Defines an exported function whose result is `expr`. What a header calls by another name than the documentation
// (`public`) is defined with API_AS; messages know only what the program's author wrote.
#define API(name, params, expr) API_NEEDS(CU_CONTEXT, name, name, params, expr)
#define API_AS(public, name, params, expr) API_NEEDS(CU_CONTEXT, public, name, params, expr)
#define API_DEVICE(name, params, expr) API_NEEDS(CU_DEVICE, name, name, params, expr)
#define API_DEVICE_AS(public, name, params, expr) API_NEEDS(CU_DEVICE, public, name, params, expr)

// The same with its twin name_ptsz, for programs built with --default-stream per-thread: there a `stream` of 0 means
// the thread's own. The parameters must include `stream`.
#define API_STREAM(name, params, expr) API_STREAM_AS(name, name, params, expr)
#define API_STREAM_AS(public, name, params, expr) \
	API_AS(public, name, params, expr)        \
	CU_ENTRY(cudaError_t, name##_ptsz, params, CU_OWN_STREAM, cu_enter(CU_CONTEXT, #public, CU_CALLER), cu_leave(expr))

// The same for calls without a stream parameter, whose twin is name_ptds: `expr` may use `stream`.
#define API_SYNC(name, params, expr)                                                                           \
	CU_ENTRY(cudaError_t, name, params, cudaStream_t stream = NULL, cu_enter(CU_CONTEXT, #name, CU_CALLER), cu_leave(expr)) \
	CU_ENTRY(cudaError_t, name##_ptds, params, cudaStream_t stream = STREAM_PER_THREAD, cu_enter(CU_CONTEXT, #name, CU_CALLER), cu_leave(expr))

#endif
