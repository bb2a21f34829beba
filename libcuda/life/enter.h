// How every function of both APIs begins and ends.
#ifndef LIBCUDA_LIFE_ENTER_H
#define LIBCUDA_LIFE_ENTER_H

#include "libcuda/context/context.h"
#include "libcuda/life/life.h"

#define CUDA_EXPORT __attribute__((visibility("default")))

// Defines an exported function: `first` is done before anything else, then `enter`, and if that is no error its result is `leave`.
#define CU_ENTRY(result, symbol, params, first, enter, leave) \
	CUDA_EXPORT result symbol params;                     \
	result symbol params                                  \
	{                                                     \
		first;                                        \
		result e_ = enter;                            \
		return e_ ? e_ : leave;                       \
	}

// What a function does first whose twin is for programs built with --default-stream per-thread.
#define CU_OWN_STREAM stream = stream ? stream : STREAM_PER_THREAD

// Where the exported function goes back to in which this stands.
#define CU_CALLER __builtin_return_address(0)

// Begins a call of the runtime by the code at `caller` (CU_CALLER): takes the lock, creates what is needed, and makes the primary
// context current in a thread that has none. On an error the lock is not held and the error is remembered.
cudaError_t cu_enter(enum cu_need need, const char *api, const void *caller);

// Ends it: releases the lock, writes out what kernels printed. Returns `e`.
cudaError_t cu_leave(cudaError_t e);

// The last error of this thread's calls of the copy of the runtime that the code at `caller` calls.
cudaError_t *cu_last(const void *caller);

// Remembers an error, if it is one, where neither cu_enter nor cu_leave does. Returns `e`.
cudaError_t cu_remember(cudaError_t e, const void *caller);

// What cu_enter and the driver's functions begin with: takes the lock and creates what is needed; on an error the lock is not held.
cudaError_t cu_begin(enum cu_need need, const char *api);

// Registration may come before anything else and must not start anything.
void cu_enter_registration(void);
void cu_leave_registration(void);

#endif
