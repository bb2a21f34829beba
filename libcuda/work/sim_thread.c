// The simulation thread: takes operations from the streams and gives the GPU its turns.
#include "libcuda/work/sim_thread.h"

#include "base/assert.h"
#include "base/mem.h"
#include "cuda-sim/exec/inst_log.h"
#include "isa/grids.h"
#include "libcuda/checkpoint/checkpoint.h"
#include "libcuda/context/context.h"
#include "libcuda/work/capture.h"
#include "libcuda/work/copy_op.h"
#include "libcuda/work/end.h"
#include "libcuda/work/event.h"
#include "libcuda/context/guard.h"
#include "libcuda/work/interrupt.h"
#include "libcuda/context/observers.h"
#include "libcuda/work/op.h"
#include "libcuda/context/output.h"
#include "libcuda/context/stats_out.h"
#include "libcuda/work/stream.h"
#include "libcuda/work/wait.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

enum {
	SLICE = HEDDLE_LIMIT(1000, 200000),  // warp instructions (or cycles) per turn: some milliseconds of work
	POLL_MS = 500,     // a program that has not called for so long may be polling its own memory
	MAX_PENDING = HEDDLE_LIMIT(8, 1024) // operations; launches beyond this wait, as with the real runtime
};

static cudaError_t error_of_fault(enum fault_kind kind)
{
	switch (kind) {
	case FAULT_NONE: return cudaSuccess;
	case FAULT_ILLEGAL_ADDRESS: return cudaErrorIllegalAddress;
	case FAULT_MISALIGNED: return cudaErrorMisalignedAddress;
	case FAULT_INVALID_SPACE: return cudaErrorInvalidAddressSpace;
	case FAULT_ILLEGAL_INSTRUCTION: return cudaErrorIllegalInstruction;
	case FAULT_INVALID_PC: return cudaErrorInvalidPc;
	case FAULT_ASSERT: return cudaErrorAssert;
	case FAULT_STACK: return cudaErrorHardwareStackError;
	case FAULT_TIMEOUT: return cudaErrorLaunchTimeout;
	case FAULT_INTERRUPTED: return cudaErrorUnknown;
	case FAULT_TRAP:
	case FAULT_LAUNCH: return cudaErrorLaunchFailure;
	}
	return cudaErrorLaunchFailure;
}

// Reads or writes the value; false if the memory is gone.
static bool reach_value(const struct value_op *v, uint64_t *out)
{
	const struct devmem_range *r = devmem_find(cu.mem, v->addr);
	void *at = (void *)(uintptr_t)v->addr;
	return r && v->bytes <= r->end - v->addr && (out ? guard_read(out, at, v->bytes) : guard_write(at, &v->value, v->bytes));
}

// Memory that is freed while a stream waits for it will never have the value: the wait is over.
static bool value_reached(const struct value_op *v)
{
	uint64_t now = 0, all = v->bytes == 4 ? UINT32_MAX : UINT64_MAX;
	if (!reach_value(v, &now))
		return true;
	switch (v->compare) {
	case VALUE_AT_LEAST: return v->bytes == 4 ? (int32_t)(uint32_t)(now - v->value) >= 0 : (int64_t)(now - v->value) >= 0;
	case VALUE_EQUAL: return now == (v->value & all);
	case VALUE_AND: return (now & v->value & all) != 0;
	default: return (~(now | v->value) & all) != 0;
	}
}

static bool may_start(const struct op *op)
{
	const struct stream *s = op->stream;
	if (op->started)
		return false;
	if (op->kind == OP_WAIT && !op->u.record->done)
		return false;
	if (op->kind == OP_WAIT_VALUE && !value_reached(&op->u.value))
		return false;
	if (op->kind == OP_KERNEL && (!gpu_room(cu.gpu) || checkpoint_holds_launch()))
		return false;
	if (!s->blocking)
		return true;
	if (s != cu.legacy)
		return !cu.legacy->first || cu.legacy->first->seq > op->seq;
	for (size_t i = 0; i < cu.all_streams.n; i++) {
		const struct stream *o = cu.all_streams.at[i];
		if (o != s && o->blocking && o->first && o->first->seq < op->seq)
			return false;
	}
	return true;
}

// A launch may run behind one that has not ended. In a replay the record says which did.
static bool runs_behind(void) { return gpu_is_timed(cu.gpu) || checkpoint_replays(); }

// The operation of a stream that is next to start: its first one or, where the GPU tells time, one behind kernels that run and that
// need not wait for their end. Without time that would make nothing sooner.
static struct op *waiting_op(const struct stream *s)
{
	struct op *op = s->first;
	while (op && op->started && op->kind == OP_KERNEL && op->next && op->next->programmatic && runs_behind())
		op = op->next;
	return op;
}

static struct op *next_op(void)
{
	struct op *best = NULL;
	for (size_t i = 0; i < cu.all_streams.n; i++) {
		struct op *op = waiting_op(cu.all_streams.at[i]);
		if (op && (!best || op->seq < best->seq) && may_start(op))
			best = op;
	}
	return best;
}

// After a kernel has failed nothing that was issued is carried out, and kernels beside it end where they are, as on a GPU: they
// might wait for it for ever. Callbacks learn of it.
static void drop_all(void);

// The program's own function runs without the lock.
static void run_host(struct op *op, cudaError_t status)
{
	interrupt_look(false);
	output_release(); // what was printed before stands before what the function prints
	cu_thread.in_host_function = true;
	if (op->kind == OP_HOST)
		op->u.host.f(op->u.host.data);
	else
		op->u.host.callback(op->u.host.stream, status, op->u.host.data);
	cu_thread.in_host_function = false;
	pthread_mutex_lock(&cu.lock);
	interrupt_look(true);
}

static bool calls_program(const struct op *op)
{
	return op->kind == OP_HOST || op->kind == OP_CALLBACK || (op->kind == OP_GRAPH && op->u.run->hosts);
}

static void remove_first(struct op *op)
{
	struct stream *s = op->stream;
	if (watch_streams(&cu.watch))
		op_watch(op, "is complete");
	s->first = op->next;
	if (!s->first)
		s->last = &s->first;
	cu.pending--;
	cu.pending_host -= calls_program(op);
	if (op->part_of)
		op->part_of->done(op->part_of, op);
	op_free(op);
}

// Removes the first operation of a stream. A kernel behind it that runs already need not wait for it any longer.
static void finish(struct op *op)
{
	struct stream *s = op->stream;
	for (remove_first(op); s->first && s->first->started && s->first->kind == OP_KERNEL; remove_first(s->first)) {
		if (!s->first->ended) {
			if (!checkpoint_replays())
				gpu_go_on(cu.gpu, s->first->u.kernel);
			return;
		}
	}
}

static void free_memory(uint64_t addr, uint64_t *used)
{
	const struct devmem_range *r = devmem_find(cu.mem, addr);
	uint64_t size = r ? r->size : 0;
	if (devmem_free(cu.mem, addr))
		*used -= size;
}

// The kernel that runs in front of it in its stream; NULL: there is none.
static const struct kernel_launch *in_front_of(const struct op *op)
{
	const struct op *o = op->stream->first;
	if (o == op)
		return NULL;
	while (o->next != op)
		o = o->next;
	return o->u.kernel;
}

static void execute(struct op *op)
{
	op->started = true;
	if (watch_streams(&cu.watch))
		op_watch(op, "starts");
	switch (op->kind) {
	case OP_KERNEL:
		op->u.kernel->uid = ++cu.next_launch;
		op->u.kernel->stream = op->stream->id;
		if (op->u.kernel->grid_workspace)
			memset((void *)(uintptr_t)op->u.kernel->grid_workspace, 0, GRID_WORKSPACE);
		op->u.kernel->untimed = !gpu_times(cu.gpu, op->u.kernel);
		op->u.kernel->behind = in_front_of(op);
		if (cu.checkpoint && checkpoint_skips(op->u.kernel))
			return;
		watch_kernel(op->u.kernel);
		output_read_fifo();
		gpu_start(cu.gpu, op->u.kernel);
		return;
	case OP_COPY: copy_run_op(&op->u.copy); break;
	case OP_FILL: fill_run_op(&op->u.fill); break;
	case OP_RECORD:
		op->u.record->time = cu.checkpoint ? checkpoint_time(gpu_seconds(cu.gpu)) : gpu_seconds(cu.gpu);
		op->u.record->done = true;
		break;
	case OP_WAIT: break;
	case OP_HOST:
	case OP_CALLBACK: run_host(op, cudaSuccess); break;
	case OP_GRAPH: op->u.run->start(op->u.run); return;
	case OP_FREE: free_memory(op->u.free.addr, op->u.free.used); break;
	case OP_WAIT_VALUE:
		if (cu.checkpoint)
			checkpoint_waits_for_value(op->u.value.addr);
		break;
	case OP_WRITE_VALUE:
		if (!reach_value(&op->u.value, NULL))
			copy_left_out("a write of a stream", (const void *)(uintptr_t)op->u.value.addr);
		checks_written(op->u.value.addr, 0, op->u.value.bytes);
		break;
	}
	finish(op);
}

static struct op *op_of(const struct kernel_launch *launch)
{
	for (size_t i = 0; i < cu.all_streams.n; i++) {
		for (struct op *o = cu.all_streams.at[i]->first; o && o->started && o->kind == OP_KERNEL; o = o->next)
			if (o->u.kernel == launch)
				return o;
	}
	return NULL;
}

static void end_launch(struct op *op)
{
	if (op != op->stream->first)
		op->ended = true;
	else
		finish(op);
}

// The launch has ended; it and those that launched it are complete as far as nothing is left that they launched.
static void release_launches(struct kernel_launch *launch)
{
	for (struct kernel_launch *parent; launch && grids_over(launch, &parent); launch = parent) {
		struct op *op = op_of(launch);
		if (op && cu.checkpoint)
			checkpoint_launch_ended(launch);
		if (op)
			end_launch(op);
		else
			op_free_launch(launch);
	}
}

static void complete(struct kernel_launch *launch)
{
	gpu_print_kernel_stats(cu.gpu, launch, stats_out_sink, NULL);
	inst_log_end(cu.services.log, launch, stats_out_sink, NULL);
	stats_out_flush(); // whatever ends the program
	cudaError_t e = error_of_fault(launch->fault.kind);
	bool told = checks_launched(launch), first = e && !cu.sticky && !(told && cu.watch.checks.kernel_only);
	if (first) {
		cu.sticky = e;
		cu.faulted = true;
	}
	if (first)
		cu_log(false, "%s", launch->fault.text);
	if (first && !told) {
		cu_flush();
		fprintf(stderr, "heddle: %s\n", launch->fault.text);
	}
	release_launches(launch);
	if (first)
		drop_all();
	if (gpu_limit_reached(cu.gpu) && !gpu_busy(cu.gpu))
		end_at_limit();
}

static void drop_waiting(bool parts)
{
	for (size_t i = 0; i < cu.all_streams.n; i++) {
		struct stream *s = cu.all_streams.at[i];
		while (s->first && !s->first->started && !s->first->part_of == !parts) {
			struct op *op = s->first;
			op->started = true;
			if (op->kind == OP_RECORD)
				op->u.record->done = true;
			if (op->kind == OP_CALLBACK)
				run_host(op, cu.sticky);
			finish(op);
		}
	}
}

static void drop_all(void)
{
	struct kernel_launch *l;
	gpu_stop(cu.gpu);
	while (gpu_busy(cu.gpu)) {
		l = gpu_run(cu.gpu, SLICE);
		if (interrupt_seen() && interrupt_takes(l))
			interrupt_end(l);
		if (l)
			complete(l);
	}
	drop_waiting(true); // a graph is over when its parts are
	drop_waiting(false);
}

// A turn of a GPU whose past is in a checkpoint.
static bool replay(void)
{
	struct kernel_launch *l;
	if (!checkpoint_turn(&l))
		return false;
	cu.slices++;
	if (l) {
		checkpoint_turn_done();
		end_launch(op_of(l));
	}
	return true;
}

// One operation or one turn of the GPU. False if nothing can move.
static bool step(void)
{
	struct op *op = next_op();
	if (op) {
		execute(op);
		return true;
	}
	if (checkpoint_replays())
		return replay();
	if (!gpu_busy(cu.gpu))
		return false;
	struct kernel_launch *l = gpu_run(cu.gpu, SLICE);
	if (interrupt_seen() && interrupt_takes(l))
		interrupt_end(l);
	cu.slices++;
	if (cu.watch.progress.on && !gpu_is_timed(cu.gpu)) {
		struct gpu_progress p;
		gpu_progress(cu.gpu, &p);
		watch_progress(&p);
	}
	if (l)
		complete(l);
	return true;
}

// A program that waits for a flag in memory it shares with the GPU, or set by a host function, never calls us. True
// once it has been silent for long.
static bool polling(void)
{
	if (!cu.host_visible && !cu.pending_host)
		return false;
	struct timespec now, until = cu.last_call;
	clock_gettime(CLOCK_MONOTONIC, &now);
	until.tv_sec += POLL_MS / 1000;
	until.tv_nsec += POLL_MS % 1000 * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	if (now.tv_sec > until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec))
		return true;
	pthread_cond_clockwait(&cu.work, &cu.lock, CLOCK_MONOTONIC, &until);
	return false;
}

static void tell_free_running(void)
{
	if (!cu.told_free_running && gpu_is_timed(cu.gpu))
		fputs("heddle: the program has made no CUDA call for a while though work is pending; the GPU now runs by "
		      "itself, "
		      "so cycle counts may differ from run to run\n",
		      stderr);
	cu.told_free_running = true;
}

// Whether a stream waits for a value that the program may write yet. At the end of the program nobody will.
static bool awaits_program(void)
{
	for (size_t i = 0; i < cu.all_streams.n; i++) {
		const struct op *op = cu.all_streams.at[i]->first;
		if (op && op->kind == OP_WAIT_VALUE)
			return !cu.departing;
	}
	return false;
}

// Looks again soon: a write of the program's tells us nothing.
static void look_again_soon(void)
{
	enum { PAUSE_NS = 200000 };
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += PAUSE_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_clockwait(&cu.work, &cu.lock, CLOCK_MONOTONIC, &until);
	cu.slices++; // who waits for a turn of the GPU has had it
}

static void tell_stuck(void)
{
	fputs("heddle: operations are pending but none can start; they are dropped\n", stderr);
	cu.sticky = cudaErrorUnknown;
	drop_all();
}

static void *sim_main(void *unused)
{
	pthread_mutex_lock(&cu.lock);
	for (;;) {
		bool waited = wait_check();
		interrupt_look(cu.pending && (waited || cu.free_running));
		if (!cu.pending && !waited) {
			pthread_cond_wait(&cu.work, &cu.lock);
		} else if (waited || cu.free_running) {
			while (atomic_load(&cu.wanting))
				pthread_cond_wait(&cu.turn, &cu.lock);
			if (wait_check() || cu.free_running)
				if (!step())
					awaits_program() ? look_again_soon() : tell_stuck();
		} else if (polling()) {
			cu.free_running = true;
			tell_free_running();
		} else if (!cu.host_visible && !cu.pending_host) {
			pthread_cond_wait(&cu.work, &cu.lock);
		}
	}
	return NULL;
}

// Signals are for the program's own threads, but for those of guard.h.
static void start_thread(void)
{
	if (cu.thread_running)
		return;
	sigset_t all, old;
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int e = pthread_create(&cu.thread, NULL, sim_main, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	cu.thread_running = !e;
	if (e) {
		cu_complain("cannot start the simulation thread: %s", strerror(e));
		cu.sticky = cudaErrorOperatingSystem;
	}
}

// When nothing else is under way an operation that takes no time need not wait for its turn.
static bool immediate(const struct op *op)
{
	return cu.pending == 1 && op->kind != OP_KERNEL && op->kind != OP_HOST && op->kind != OP_CALLBACK && op->kind != OP_GRAPH &&
	       (op->kind != OP_WAIT_VALUE || value_reached(&op->u.value));
}

static bool below_limit(void *arg) { return cu.pending <= MAX_PENDING; }

static void append(struct stream *s, struct op *op)
{
	op->stream = s;
	op->seq = ++cu.next_seq;
	s->last_seq = op->seq;
	*s->last = op;
	s->last = &op->next;
	cu.pending++;
	if (watch_streams(&cu.watch))
		op_watch(op, "is issued");
	cu.pending_host += calls_program(op);
}

cudaError_t sim_push(struct stream *s, struct op *op)
{
	cudaError_t e;
	if (cu.capture && cu.capture->push(s, op, &e))
		return e;
	append(s, op);
	if (immediate(op)) {
		execute(op);
		return cudaSuccess;
	}
	start_thread();
	pthread_cond_signal(&cu.work);
	wait_until(below_limit, NULL);
	return cudaSuccess;
}

void sim_push_parts(struct op **ops, unsigned n)
{
	struct stream *s = stream_for_part(ops[0]->part_of->op->stream);
	for (unsigned i = 0; i < n; i++)
		append(s, ops[i]);
}

void sim_end_run(struct op_run *r) { finish(r->op); }
