#include "libcuda/context.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/output.h"
#include "libcuda/array.h"
#include "libcuda/child.h"
#include "libcuda/guard.h"
#include "libcuda/interrupt.h"
#include "libcuda/module.h"
#include "libcuda/stream.h"
#include "libcuda/texture.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_COMPLAINTS = 50 };

struct context cu = {
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .work = PTHREAD_COND_INITIALIZER,
        .turn = PTHREAD_COND_INITIALIZER,
};

_Thread_local struct cu_thread cu_thread;

void cu_complain(const char *fmt, ...)
{
	if (cu.complaints++ >= MAX_COMPLAINTS)
		return;
	va_list ap;
	va_start(ap, fmt);
	watch_flush();
	fprintf(stderr, "heddle: %s: ", cu_thread.api ? cu_thread.api : "CUDA");
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	if (cu.complaints == MAX_COMPLAINTS)
		fputs("heddle: further messages about API calls are left out\n", stderr);
	va_end(ap);
}

// What is worth knowing about the run stands at the head of its statistics.
static void take_remarks(struct diag *d)
{
	if (cu.gpu)
		gpu_take_remarks(cu.gpu, d);
	for (const char *s = d->remarks, *end; s && *s; s = end + 1) {
		end = strchr(s, '\n');
		diag_remark(&cu.remarks, "%.*s", (int)(end - s), s);
	}
	mem_free(d->remarks);
	d->remarks = NULL;
}

void cu_print_diag(struct diag *d)
{
	if (!d->errors)
		take_remarks(d);
	diag_print(d);
	diag_free(d);
}

static void acquire(void)
{
	atomic_fetch_add(&cu.wanting, 1);
	pthread_mutex_lock(&cu.lock);
	if (atomic_fetch_sub(&cu.wanting, 1) == 1)
		pthread_cond_signal(&cu.turn);
}

static void stats_lost(int error)
{
	cu.stats_failed = true;
	atomic_store(&cu.output_failed, true);
	watch_flush();
	fprintf(stderr, "heddle: error: cannot write -stats_file %s: %s; no more statistics are written\n", cu.opt->stats_file,
	        output_why(error));
}

void cu_flush_stats(void)
{
	size_t n = cu.stats_text.n;
	cu.stats_text.n = 0;
	if (!n || cu.stats_failed)
		return;
	if (!cu.stats)
		cu.stats = output_open(cu.opt->stats_file);
	if (!cu.stats || !output_write_through(cu.stats, cu.stats_text.at, n))
		stats_lost(errno);
}

void cu_put_stats(const char *text)
{
	enum { MOST = 1 << 16 };
	size_t n = strlen(text);
	if (!*cu.opt->stats_file) {
		output_put(text, n);
		return;
	}
	VEC_RESERVE(&cu.stats_text, cu.stats_text.n + n);
	memcpy(cu.stats_text.at + cu.stats_text.n, text, n);
	cu.stats_text.n += n;
	if (cu.stats_text.n > MOST)
		cu_flush_stats();
}

void cu_end_stats(const char *how)
{
	if (cu.next_launch || *cu.opt->stats_file || *cu.opt->stats_json)
		gpu_end_statistics(cu.gpu, how);
}

void cu_release(void)
{
	watch_flush();
	size_t n;
	char *text = output_take(&n);
	pthread_mutex_unlock(&cu.lock);
	output_write(text, n);
}

static void before_fork(void) { acquire(); }
static void after_fork_in_parent(void) { pthread_mutex_unlock(&cu.lock); }

static void after_fork_in_child(void)
{
	if (cu.state != CU_NEW)
		atomic_store(&cu.forked, true);
	atomic_store(&cu.wanting, 0);
	pthread_mutex_unlock(&cu.lock);
}

static void end_strays(void)
{
	struct diag d = {0};
	strays_end(&cu.strays, &d);
	cu_print_diag(&d);
}

// Completes pending work. What comes later in the program's exit gets cudaErrorCudartUnloading.
static void at_exit(void)
{
	if (atomic_load(&cu.forked))
		return;
	acquire();
	cu.exiting = true;
	bool begun = cu.state == CU_READY;
	if (begun) {
		if (!cu_thread.in_host_function) // exit may be called by a host function
			sim_wait_all();
		if (cu.at_limit) {
			cu_end_output();
			exit(1);
		}
		if (cu.next_launch)
			cu_put_stats("GPGPU-Sim: *** simulation thread exiting ***\nGPGPU-Sim: *** exit detected ***\n");
		cu_end_stats(cu.faulted ? "fault" : "complete");
		cu_flush_stats();
		end_strays();
		if (!watch_end())
			atomic_store(&cu.output_failed, true);
	}
	cu.state = CU_ENDED;
	cu_release();
	if (begun && (atomic_load(&cu.output_failed) || gpu_output_failed(cu.gpu)))
		exit(1);
}

void cu_end_output(void)
{
	cu_flush_stats();
	end_strays();
	watch_end();
	cu.state = CU_ENDED;
	cu_release();
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

_Noreturn void cu_end_at_limit(void)
{
	char how[100];
	cu_put_stats("GPGPU-Sim: *** simulation thread exiting ***\n"
	             "GPGPU-Sim: ** break due to reaching the maximum cycles (or instructions) **\n"
	             "GPGPU-Sim: *** exit detected ***\n");
	snprintf(how, sizeof how, "limit %s", gpu_limit_reached(cu.gpu));
	cu_end_stats(how);
	if (*cu.opt->stats_file) // or the statistics on standard output have said it
		fprintf(stderr, "heddle: %s is reached; the program ends here\n", gpu_limit_reached(cu.gpu));
	if (cu.exiting) { // that thread goes on: exit is for one thread
		cu.at_limit = true;
		cu.sticky = cudaErrorUnknown;
		sim_end_waits();
		for (;;)
			pthread_cond_wait(&cu.work, &cu.lock);
	}
	cu_end_output();
	exit(1);
}

static void install_handlers(void)
{
	if (cu.registered)
		return;
	cu.registered = true;
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
	atexit(at_exit);
}

void cu_enter_registration(void)
{
	acquire();
	install_handlers();
}

void cu_leave_registration(void) { cu_release(); }

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

static uint64_t service_heap_alloc(void *ctx, uint64_t size)
{
	if (size > cu.limit[CU_LIMIT_HEAP] || cu.heap_used > cu.limit[CU_LIMIT_HEAP] - size)
		return 0;
	uint64_t p = devmem_alloc(cu.mem, size ? size : 1, DEVMEM_ALIGN, DEVMEM_HEAP, 0);
	cu.heap_used += p ? size : 0;
	return p;
}

static bool service_heap_free(void *ctx, uint64_t addr)
{
	const struct devmem_range *r = devmem_find(cu.mem, addr);
	if (!r || r->kind != DEVMEM_HEAP || r->base != addr)
		return false;
	cu.heap_used -= r->size <= cu.heap_used ? r->size : cu.heap_used;
	return devmem_free(cu.mem, addr);
}

static const struct texture *service_texture(void *ctx, uint64_t handle) { return texture_of_object(handle); }

static uint64_t service_clock(void *ctx) { return gpu_cycle(cu.gpu); }

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
	if (ok && make_memory(&d))
		cu.gpu = gpu_new(cu.opt, &cu.desc, !cu.opt->gpgpu_ptx_sim_mode, &d);
	cu_print_diag(&d);
	if (!cu.gpu)
		refuse();
	gpu_take_remarks(cu.gpu, &cu.remarks);
	options_empty_outputs(cu.opt);
	cu.state = CU_READY;
	gpu_set_output(cu.gpu, sim_put_stats, NULL);
	interrupt_start();
	guard_start();
	cu.services = (struct kernel_services){
	        .print = output_print,
	        .assert_failed = output_assertion,
	        .heap_alloc = service_heap_alloc,
	        .heap_free = service_heap_free,
	        .clock = service_clock,
	        .texture = service_texture,
	        .child = child_check,
	        .attribute = child_attribute,
	        .error_text = child_error_text,
	        .n_sm = cu.desc.sm_count,
	        .warps_per_sm = cu.desc.max_warps_per_sm,
	        .shared_unit = cu.desc.shared_allocation_unit,
	        .interrupt = &cu.interrupt,
	        .named_barriers = cu.desc.max_named_barriers,
	        .strays = &cu.strays,
	};
	streams_start();
	modules_managed();
	ok = watch_start(&d);
	cu_print_diag(&d);
	if (!ok)
		refuse();
}

cudaError_t cu_enter(enum cu_need need, const char *api)
{
	cu_thread.api = api;
	if (cu_thread.in_host_function)
		return cu_thread.last = cudaErrorNotPermitted;
	if (atomic_load(&cu.forked))
		return cu_thread.last = cudaErrorInitializationError;
	if (atomic_load(&cu.watch.on_stdout))
		fflush(stdout); // what the program wrote before the call stands before what the call writes
	acquire();
	install_handlers();
	if (cu.state == CU_NEW)
		configure();
	if (need == CU_CONTEXT && cu.state == CU_CONFIGURED)
		make_ready();
	clock_gettime(CLOCK_MONOTONIC, &cu.last_call);
	cu.free_running = false;
	cudaError_t e = cu.state == CU_ENDED   ? cudaErrorCudartUnloading
	                : need == CU_CONTEXT   ? cu.sticky
	                                       : cudaSuccess;
	if (e) {
		pthread_mutex_unlock(&cu.lock);
		cu_thread.last = e;
	}
	return e;
}

cudaError_t cu_leave(cudaError_t e)
{
	if (e)
		cu_thread.last = e;
	cu_release();
	return e;
}

static void free_all_memory(void)
{
	while (cu.mem->n_range) {
		const struct devmem_range *r = &cu.mem->range[cu.mem->n_range - 1];
		bool freed = r->kind == DEVMEM_REGISTERED ? devmem_unregister(cu.mem, r->base)
		                                          : devmem_free(cu.mem, r->base);
		if (!freed)
			break;
	}
}

void cu_reset(void)
{
	if (cu.state != CU_READY)
		return;
	cu.sticky = cudaSuccess;
	cu.heap_used = 0;
	cu.grid_workspaces = 0;
	cu.error_texts.n = 0;
	cu.host_visible = 0;
	streams_reset();
	events_reset();
	modules_unload();
	texture_objects_reset();
	arrays_reset();
	free_all_memory();
	modules_managed();
}
