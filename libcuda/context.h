// The process-wide state behind the API: one lock, one GPU, one simulation thread.
//
// A configuration that makes no GPU ends the process at the first call that needs a device, with its message and status 1:
// a program that went on would fail in each call, or find no error and report results that are not there.
//
// Nothing happens before the first call that needs a device: registering kernels only records them, so that shells and
// children of a preloaded program are unharmed and a program may fork before its first CUDA call. After that a forked
// child gets cudaErrorInitializationError from every call, as with the real runtime.
//
// Every API function is written with API() below: it takes the lock, evaluates an expression that gives the error, and
// leaves by cu_leave(), which remembers the error for cudaGetLastError and writes out what kernels printed.
#ifndef LIBCUDA_CONTEXT_H
#define LIBCUDA_CONTEXT_H

#include "base/diag.h"
#include "base/vec.h"
#include "gpgpu-sim/gpu.h"
#include "isa/devmem.h"
#include "isa/gpu_desc.h"
#include "isa/kernel.h"
#include "isa/strays.h"
#include "libcuda/cuda_abi.h"
#include "libcuda/handle.h"
#include "libcuda/observers.h"
#include "libcuda/output.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

// cudaLimit.
enum {
	CU_LIMIT_STACK, CU_LIMIT_PRINTF, CU_LIMIT_HEAP, CU_LIMIT_SYNC_DEPTH, CU_LIMIT_PENDING, CU_LIMIT_L2_GRANULARITY,
	CU_LIMIT_PERSISTING, CU_N_LIMITS
};

enum cu_state {
	CU_NEW,
	CU_CONFIGURED, // options and GPU description are there
	CU_READY,      // device memory and GPU too
	CU_ENDED,      // the program is exiting
};

struct waiter {
	bool (*satisfied)(void *arg);
	void *arg;
	bool done;
	pthread_cond_t wake;
	struct waiter *next;
};

// The text of an error as kernels see it.
struct error_address {
	const char *text;
	uint64_t addr;
};

struct context {
	pthread_mutex_t lock;
	pthread_cond_t work; // the simulation thread waits for something to do
	pthread_cond_t turn; // the simulation thread lets API calls in between two slices
	atomic_int wanting;  // threads that want the lock
	atomic_bool forked;  // this is a child of a process that had used its device
	enum cu_state state;
	bool registered;     // exit and fork handlers are in place
	bool exiting;        // the program has called exit, or returned from main
	bool at_limit;       // a limit of the run was reached meanwhile
	atomic_int interrupt;       // a signal has come, interrupt.h
	atomic_bool interrupt_looks; // the simulation thread looks at that

	struct options *opt;
	struct gpu_desc desc;
	struct devmem *mem;
	struct gpu *gpu;
	struct kernel_services services;
	struct strays strays; // told once, counts printed at the end
	struct watch watch;
	FILE *stats;               // -stats_file, NULL: not opened yet
	VEC(char) stats_text;      // statistics that are not in it yet
	bool stats_failed;         // it cannot be written
	atomic_bool output_failed; // something that was to be written is lost
	struct diag remarks;       // for the statistics of a GPU that is not made yet
	struct output output;
	_Atomic cudaError_t sticky; // of a kernel that failed; until cudaDeviceReset
	bool faulted;              // a kernel has failed in this run
	unsigned complaints;

	size_t limit[CU_N_LIMITS]; // cudaDeviceSetLimit, by cudaLimit
	uint64_t heap_used;        // device-side malloc
	VEC(struct error_address) error_texts;
	unsigned device_flags;
	int cache_config, shared_config;
	uint64_t grid_workspaces;  // GRID_WORKSPACES of them, taken in turn; 0 before the first cooperative launch
	VEC(struct texture_object *) texture_objects; // all ever made, see texture_object.c
	struct texture_object *free_texture_object;
	size_t host_visible;       // allocations the program can look at without calling us
	bool launch_blocking;      // CUDA_LAUNCH_BLOCKING

	// streams and the simulation thread: stream.c, sim_thread.c
	struct handle_pool streams, events;
	struct stream *legacy;
	VEC(struct stream *) all_streams; // in order of creation
	uint64_t next_stream_id, next_seq, next_launch;
	size_t pending;            // operations not complete
	size_t pending_host;       // of them host functions
	uint64_t slices;           // turns given to the GPU so far
	struct waiter *waiters;
	pthread_t thread;
	bool thread_running, in_slice, free_running, told_free_running;
	struct timespec last_call;
};

extern struct context cu;

struct cu_thread {
	const char *api;     // the call in progress, for messages
	cudaError_t last;    // cudaGetLastError
	bool in_host_function;
	struct stream *stream; // this thread's default stream
	struct call_state *call; // launch.c
};

extern _Thread_local struct cu_thread cu_thread;

enum cu_need {
	CU_DEVICE,  // the description of the GPU; works after a failed kernel too
	CU_CONTEXT, // the GPU itself
};

// Begins an API call: takes the lock and creates what is needed. On an error the lock is not held and the error is
// remembered.
cudaError_t cu_enter(enum cu_need need, const char *api);

// Ends it: releases the lock, writes out what kernels printed. Returns `e`.
cudaError_t cu_leave(cudaError_t e);

// Registration may come before anything else and must not start anything.
void cu_enter_registration(void);
void cu_leave_registration(void);

// Throws everything away but the registered programs; all work must be complete.
void cu_reset(void);

// Ends the process as GPGPU-Sim does when a limit of the run is reached: exit status 1, after everything that the
// library and the program have written so far is out. The lock is held; on the simulation thread.
_Noreturn void cu_end_at_limit(void);

// Statistics go to -stats_file, or the way of what kernels print; what is not in that file yet goes there.
void cu_put_stats(const char *text);
void cu_flush_stats(void);
// Their last line, see gpu_end_statistics. A run without kernels has one only in the files that it asks for.
void cu_end_stats(const char *how);

// Releases the lock and writes out what kernels printed and statistics.
void cu_release(void);

// What the library and the program have written so far goes out; no API call does anything from now on. With the lock held,
// which it releases.
void cu_end_output(void);

const char *error_name(cudaError_t e); // error.c
const char *error_text(cudaError_t e);

// A message on stderr about the call in progress, "heddle: cudaMemcpy: ..."; after the first 50 nothing more is said.
void cu_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cu_print_diag(struct diag *d);

#define CUDA_EXPORT __attribute__((visibility("default")))

#define API_NEEDS(need, public, name, params, expr)     \
	CUDA_EXPORT cudaError_t name params;    \
	cudaError_t name params                 \
	{                                       \
		cudaError_t e_ = cu_enter(need, #public); \
		return e_ ? e_ : cu_leave(expr); \
	}

// Defines an exported function whose result is `expr`. What a header calls by another name than the documentation
// (`public`) is defined with API_AS; messages know only what the program's author wrote.
#define API(name, params, expr) API_NEEDS(CU_CONTEXT, name, name, params, expr)
#define API_AS(public, name, params, expr) API_NEEDS(CU_CONTEXT, public, name, params, expr)
#define API_DEVICE(name, params, expr) API_NEEDS(CU_DEVICE, name, name, params, expr)
#define API_DEVICE_AS(public, name, params, expr) API_NEEDS(CU_DEVICE, public, name, params, expr)

// The same with its twin name_ptsz, for programs built with --default-stream per-thread: there a `stream` of 0 means
// the thread's own. The parameters must include `stream`.
#define API_STREAM(name, params, expr) API_STREAM_AS(name, name, params, expr)
#define API_STREAM_AS(public, name, params, expr)                               \
	API_AS(public, name, params, expr)                                      \
	CUDA_EXPORT cudaError_t name##_ptsz params;                             \
	cudaError_t name##_ptsz params                                          \
	{                                                                       \
		cudaError_t e_ = cu_enter(CU_CONTEXT, #public);                 \
		stream = stream ? stream : STREAM_PER_THREAD;                   \
		return e_ ? e_ : cu_leave(expr);                                \
	}

// The same for calls without a stream parameter, whose twin is name_ptds: `expr` may use `stream`.
#define API_SYNC(name, params, expr)                                            \
	CUDA_EXPORT cudaError_t name params;                                    \
	cudaError_t name params                                                 \
	{                                                                       \
		cudaStream_t stream = NULL;                                     \
		cudaError_t e_ = cu_enter(CU_CONTEXT, #name);                   \
		return e_ ? e_ : cu_leave(expr);                                \
	}                                                                       \
	CUDA_EXPORT cudaError_t name##_ptds params;                             \
	cudaError_t name##_ptds params                                          \
	{                                                                       \
		cudaStream_t stream = STREAM_PER_THREAD;                        \
		cudaError_t e_ = cu_enter(CU_CONTEXT, #name);                   \
		return e_ ? e_ : cu_leave(expr);                                \
	}

#endif
