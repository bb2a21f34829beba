#include "libcuda/life/life.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/threads.h"
#include "libcuda/checkpoint/checkpoint.h"
#include "libcuda/graph/capture.h"
#include "libcuda/graph/exec.h"
#include "libcuda/memory/alloc.h"
#include "libcuda/memory/array.h"
#include "libcuda/memory/graph_memory.h"
#include "libcuda/memory/heap.h"
#include "libcuda/memory/pool.h"
#include "libcuda/work/context_events.h"
#include "libcuda/work/end.h"
#include "libcuda/work/event.h"
#include "libcuda/context/guard.h"
#include "libcuda/work/interrupt.h"
#include "libcuda/code/module.h"
#include "libcuda/context/output.h"
#include "libcuda/life/services.h"
#include "libcuda/context/stats_out.h"
#include "libcuda/work/stream.h"
#include "libcuda/texture/texture_object.h"
#include "libcuda/work/wait.h"

#include <stdlib.h>
#include <string.h>

static void before_fork(void) { cu_lock(); }
static void after_fork_in_parent(void) { pthread_mutex_unlock(&cu.lock); }

static void after_fork_in_child(void)
{
	if (cu.state != CU_NEW)
		atomic_store(&cu.forked, true);
	atomic_store(&cu.wanting, 0);
	pthread_mutex_unlock(&cu.lock);
}

// Completes pending work. What comes later in the program's exit gets cudaErrorCudartUnloading.
static void at_exit(void)
{
	if (atomic_load(&cu.forked))
		return;
	cu_lock();
	cu.exiting = cu.departing = true;
	bool begun = cu.state == CU_READY;
	if (begun) {
		if (!cu_thread.in_host_function) // exit may be called by a host function
			wait_all();
		if (cu.at_limit) {
			end_output();
			exit(1);
		}
		stats_out_rest();
		if (cu.next_launch)
			stats_out_put("GPGPU-Sim: *** simulation thread exiting ***\nGPGPU-Sim: *** exit detected ***\n");
		stats_out_end(cu.faulted ? "fault" : "complete");
		stats_out_flush();
		end_strays();
		if (!checkpoint_end() || !watch_end())
			atomic_store(&cu.output_failed, true);
	}
	cu.state = CU_ENDED;
	output_release();
	if (begun && (atomic_load(&cu.output_failed) || gpu_output_failed(cu.gpu)))
		exit(1);
}

void life_handlers(void)
{
	if (cu.registered)
		return;
	cu.registered = true;
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
	atexit(at_exit);
}

// The lock is held.
static _Noreturn void refuse(void)
{
	options_empty_outputs(cu.opt);
	fputs("heddle: nothing can be simulated with these options; the program ends here\n", stderr);
	cu.state = CU_ENDED;
	pthread_mutex_unlock(&cu.lock);
	exit(1);
}

static void configure(void)
{
	struct diag d = {0};
	cu.opt = MEM_NEW(struct options);
	bool ok = options_find_and_load(cu.opt, &d) && gpu_desc_from_options(&cu.desc, cu.opt, &d);
	cu_print_diag(&d);
	if (!ok)
		refuse();
	cu.state = CU_CONFIGURED;
	const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
	cu.launch_blocking = blocking && *blocking && strcmp(blocking, "0");
	const size_t limits[CU_N_LIMITS] = {cu.desc.stack_limit,      cu.desc.printf_fifo_limit,    cu.desc.heap_limit,
	                                    cu.desc.sync_depth_limit, cu.desc.pending_launch_limit, 64, 0};
	memcpy(cu.limit, limits, sizeof limits);
}

// Pinned and managed memory share the reserved range with device memory.
static bool make_memory(struct diag *d)
{
	const uint64_t host_room = (uint64_t)64 << 30;
	enum devmem_layout layout = cu.opt->gpgpusim_addresses ? DEVMEM_GPGPUSIM : DEVMEM_OWN;
	cu.mem = devmem_create(cu.desc.memory_size + host_room, layout, d);
	return cu.mem;
}

static void make_ready(void)
{
	struct diag d = {0};
	bool ok = options_check_outputs(cu.opt, &d);
	options_pin_outputs(cu.opt);
	cu.opt->threads = threads_wanted(cu.opt->threads, cu.desc.sm_count, &d);
	if (ok && make_memory(&d))
		cu.gpu = gpu_new(cu.opt, &cu.desc, !cu.opt->gpgpu_ptx_sim_mode, &d);
	cu_print_diag(&d);
	if (!cu.gpu)
		refuse();
	gpu_take_remarks(cu.gpu, &cu.remarks);
	options_empty_outputs(cu.opt);
	cu.state = CU_READY;
	gpu_set_output(cu.gpu, stats_out_sink, NULL);
	gpu_keep_code(cu.gpu);
	interrupt_start();
	guard_start();
	services_start();
	streams_start();
	modules_managed();
	ok = watch_start(&d) && checkpoint_start(end_at_error, &d);
	cu_print_diag(&d);
	if (!ok)
		refuse();
}

void life_need(enum cu_need need)
{
	if (cu.state == CU_NEW)
		configure();
	if (need == CU_CONTEXT && cu.state == CU_CONFIGURED)
		make_ready();
	if (cu.mem)
		cu.mem->owner = cu_thread.owner;
}

// What virtual memory management has mapped belongs to no context.
static void free_range(const struct devmem_range *r)
{
	if (r->kind == DEVMEM_REGISTERED)
		devmem_unregister(cu.mem, r->base);
	else if (!(r->flags & RANGE_MAPPED))
		device_free(r->base);
}

static void free_all_memory(void)
{
	for (size_t i = cu.mem->n_range; i-- > 0;)
		free_range(&cu.mem->range[i]);
}

// What modules and the device's own bookkeeping have is no memory of the program's.
static bool allocated(enum devmem_kind kind)
{
	return kind == DEVMEM_DEVICE || kind == DEVMEM_MANAGED || kind == DEVMEM_HOST || kind == DEVMEM_REGISTERED ||
	       kind == DEVMEM_ARRAY;
}

void life_reset(void)
{
	if (cu.state != CU_READY)
		return;
	checks_context_ends(UINT32_MAX);
	cu.sticky = cudaSuccess;
	heap_reset();
	cu.grid_workspaces = 0;
	cu.error_texts.n = 0;
	cu.host_visible = 0;
	execs_reset();
	captures_reset();
	graphs_reset();
	streams_reset();
	context_waits_reset();
	events_reset();
	modules_unload();
	texture_objects_reset();
	arrays_reset();
	graph_memory_reset();
	free_all_memory();
	pools_reset();
	modules_managed();
	checks_context_ended();
}

void life_release(uint32_t owner)
{
	if (cu.state != CU_READY)
		return;
	checks_context_ends(owner);
	cu.sticky = cudaSuccess;
	execs_release(owner);
	streams_release(owner);
	context_waits_release(owner);
	graphs_release(owner);
	events_release(owner);
	modules_release(owner);
	arrays_release(owner);
	for (size_t i = cu.mem->n_range; i-- > 0;)
		if (cu.mem->range[i].owner == owner && allocated(cu.mem->range[i].kind))
			free_range(&cu.mem->range[i]);
	checks_context_ended();
}
