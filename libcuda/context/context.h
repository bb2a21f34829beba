// The process-wide state behind the API: one lock, one GPU, one simulation thread.
//
// This is what everything else in libcuda/ stands on: it calls nobody. life.h is how a run starts and ends, api.h what an API
// function does first and last.
#ifndef LIBCUDA_CONTEXT_CONTEXT_H
#define LIBCUDA_CONTEXT_CONTEXT_H

#include "base/diag.h"
#include "base/vec.h"
#include "gpgpu-sim/gpu.h"
#include "isa/devmem.h"
#include "isa/gpu_desc.h"
#include "isa/kernel.h"
#include "isa/strays.h"
#include "libcuda/context/cuda_abi.h"
#include "libcuda/context/handle.h"
#include "libcuda/context/log.h"
#include "libcuda/context/observers.h"
#include "libcuda/context/output.h"
#include "libcuda/image/patch.h"

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

// What a CUcontext points to. All contexts share the GPU and its memory; what a program makes belongs to the context that is
// current in its thread, by the owner's number, and goes with it.
struct cu_context {
	bool primary;     // the device's own, which the runtime uses
	bool active;      // the primary context only: it is retained, or the runtime uses it
	bool runtime;     // the primary context only: the runtime uses it
	unsigned retains; // the primary context only: cuDevicePrimaryCtxRetain
	unsigned flags;   // of cuCtxCreate
	uint32_t owner;
};

// What all streams of a context wait for, also those that are made later.
struct context_wait {
	uint32_t owner;
	struct record *record;
};

// OWNER_MODULES: of the variables of modules, which go with their modules.
enum { OWNER_PRIMARY, OWNER_MODULES };

struct context {
	pthread_mutex_t lock;
	pthread_cond_t work; // the simulation thread waits for something to do
	pthread_cond_t turn; // the simulation thread lets API calls in between two slices
	atomic_int wanting;  // threads that want the lock
	atomic_bool forked;  // this is a child of a process that had used its device
	enum cu_state state;
	bool registered;     // exit and fork handlers are in place
	bool exiting;        // the program has called exit, or returned from main
	bool departing;      // it exits, or a module of its goes: values that streams wait for will not come any more
	bool at_limit;       // a limit of the run was reached meanwhile
	atomic_int interrupt;       // a signal has come, interrupt.h
	atomic_bool interrupt_looks; // the simulation thread looks at that

	bool initialised;           // by cuInit, or a call of the runtime
	struct cu_context *primary; // NULL until it is first asked for
	uint32_t next_owner;        // of the context made last

	struct options *opt;
	struct gpu_desc desc;
	struct devmem *mem;
	struct gpu *gpu;
	struct checkpoint *checkpoint; // libcuda/checkpoint/; NULL: none is asked for
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
	struct log log;

	size_t limit[CU_N_LIMITS]; // cudaDeviceSetLimit, by cudaLimit
	uint64_t heap_used;        // device-side malloc
	VEC(struct error_address) error_texts;
	unsigned device_flags;
	int cache_config, shared_config;
	uint64_t grid_workspaces;  // GRID_WORKSPACES of them, taken in turn; 0 before the first cooperative launch
	VEC(struct texture_object *) texture_objects; // all ever made, see texture_object.c
	struct texture_object *free_texture_object;
	VEC(const struct texture *) texture_references; // that machine code has handles of
	size_t host_visible;       // allocations the program can look at without calling us
	bool launch_blocking;      // CUDA_LAUNCH_BLOCKING

	// streams and the simulation thread: stream.c, sim_thread.c
	struct handle_pool streams, events, contexts, graphs, nodes, graph_execs;
	struct stream *legacy;
	VEC(struct stream *) all_streams; // in order of creation
	VEC(struct context_wait) context_waits; // work/context_events.c
	uint64_t next_stream_id, next_seq, next_launch, next_node;
	const struct capture_calls *capture; // work/capture.h; NULL: no stream is capturing
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
	bool logged;         // something was said about it
	const void *caller;  // of the call in progress, if it is one of the runtime
	cudaError_t last[PATCH_COPIES]; // cudaGetLastError, for each copy of the runtime
	bool in_host_function;
	struct stream *stream; // this thread's default stream
	struct context_stack *contexts; // life/contexts.c
	uint32_t owner;      // number of the context that is current; of the primary one if none is
	struct call_state *call; // launch.c
	int capture_mode;        // cudaThreadExchangeStreamCaptureMode
};

extern _Thread_local struct cu_thread cu_thread;

// Takes the lock, before the simulation thread's next turn.
void cu_lock(void);

// Before anything is written to the terminal, and before the lock is released: the progress line goes, and debug streams come
// first.
void cu_flush(void);

// Adds an error to the log, of the call in progress or of none.
void cu_log(bool call, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// Adds that the call in progress ends with an error, unless something was said about it already.
void cu_log_failure(const char *name, const char *text);

// A message on stderr and in the log about the call in progress, "heddle: cudaMemcpy: ..."; after the first 50 nothing more is said.
void cu_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cu_print_diag(struct diag *d);

#endif
