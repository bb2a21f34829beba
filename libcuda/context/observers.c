#include "libcuda/context/observers.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/output.h"
#include "cuda-sim/decode/kernel.h"
#include "cuda-sim/exec/inst_log.h"
#include "cuda-sim/trace/write/writer.h"
#include "libcuda/context/context.h"
#include "libcuda/context/stats_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long ull;

static void report(void *ctx, enum gpu_report kind, const char *text)
{
	cu_flush();
	if (kind == GPU_REPORT_SCRIPTS)
		stats_out_put(text);
	else
		fputs(text, stderr);
}

// --- debug streams

static void put_trace(void *ctx, const char *line)
{
	if (cu.watch.trace_out) // until watch_end
		fputs(line, cu.watch.trace_out);
}

static bool start_trace(struct diag *d)
{
	struct watch *w = &cu.watch;
	if (!dbg_init(&w->dbg, cu.opt, getenv("PTX_SIM_DEBUG"), d))
		return false;
	if (!w->dbg.mask)
		return true;
	if (!gpu_is_timed(cu.gpu) && w->dbg.mask & ~(DBG_BIT(STREAM) | DBG_BIT(CFG)) && cu.opt->trace_enabled)
		diag_add(d, DIAG_WARNING, "debug streams other than STREAM and CFG show the timing model (-gpgpu_ptx_sim_mode 0), "
		         "which does not run");
	if (*cu.opt->trace_file) {
		output_empty(cu.opt->trace_file);
		w->trace_out = output_open_later(cu.opt->trace_file);
		if (!w->trace_out)
			mem_fail(0);
	} else {
		// Not the program's own buffer: a thread may hold it that waits for us.
		int fd = dup(STDOUT_FILENO);
		w->trace_out = fd < 0 ? NULL : fdopen(fd, "w");
		w->in_order = w->trace_out;
		atomic_store(&w->on_stdout, w->in_order);
		if (!w->trace_out) {
			diag_add(d, DIAG_ERROR, "debug streams cannot be written to standard output: %s", strerror(errno));
			return false;
		}
	}
	w->dbg.put = put_trace;
	w->gpu.dbg = &w->dbg;
	return true;
}

static void write_dot(const struct kernel_launch *l)
{
	char file[224];
	snprintf(file, sizeof file, "%.200s.dot", l->info->name);
	FILE *f = output_open(file);
	if (f)
		l->fe->write_flow(l->code, true, f);
	if (!f || fclose(f)) {
		fprintf(stderr, "heddle: error: cannot write %s: %s\n", file, output_why(errno));
		atomic_store(&cu.output_failed, true);
	}
}

void watch_kernel(const struct kernel_launch *l)
{
	struct watch *w = &cu.watch;
	if (!w->trace_out || !dbg_on(&w->dbg, DBG_CFG))
		return;
	for (size_t k = 0; k < w->graphs.n; k++)
		if (w->graphs.at[k] == l->code)
			return;
	VEC_PUSH(&w->graphs, l->code);
	dbg_line(&w->dbg, DBG_CFG, gpu_cycle(cu.gpu), "kernel '%s'", l->info->name);
	l->fe->write_flow(l->code, false, w->trace_out);
	write_dot(l);
}

// --- progress

static bool may_show_progress(void)
{
	const char *off = getenv("NO_PROGRESS");
	return cu.opt->progress && !(off && *off) && isatty(STDERR_FILENO) && !cu.watch.in_order && !cu.watch.gpu.debugger;
}

static double seconds(const struct timespec *from, const struct timespec *to)
{
	return (double)(to->tv_sec - from->tv_sec) + (double)(to->tv_nsec - from->tv_nsec) * 1e-9;
}

static void write_progress(const struct gpu_progress *p, double wall)
{
	char left[40] = "", line[200];
	uint64_t done = p->ctas_done - cu.watch.progress.ctas_done;
	double rate = (double)(p->cycles - cu.watch.progress.cycles) / wall;
	double s = done ? wall / (double)done * (double)(p->ctas - p->ctas_done) : 0;
	if (done && s < 6000)
		snprintf(left, sizeof left, ", %.0f s left", s);
	else if (done)
		snprintf(left, sizeof left, ", %.0f min left", s / 60);
	snprintf(line, sizeof line, "\r\033[K%.24s: %llu of %llu blocks, %llu cycles, %.0f/s%s", p->kernel,
	         (ull)p->ctas_done, (ull)p->ctas, (ull)p->cycles, rate, left);
	fputs(line, stderr);
	cu.watch.progress.shown = true;
}

void watch_progress(const struct gpu_progress *p)
{
	struct timespec now;
	if (!cu.watch.progress.on || !p->kernel)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (p->kernel != cu.watch.progress.kernel || p->ctas_done < cu.watch.progress.ctas_done) {
		cu.watch.progress.kernel = p->kernel;
		cu.watch.progress.ctas_done = p->ctas_done;
		cu.watch.progress.cycles = p->cycles;
		cu.watch.progress.since = cu.watch.progress.last = now;
	}
	if (seconds(&cu.watch.progress.last, &now) < 1)
		return;
	cu.watch.progress.last = now;
	write_progress(p, seconds(&cu.watch.progress.since, &now));
}

static void progress(void *ctx, const struct gpu_progress *p) { watch_progress(p); }

// --- debugger

static void debug_flush(void *ctx) { cu_flush(); }
static void debug_quit(void *ctx) { _exit(1); }

// HEDDLE_BREAK holds places to stop, one a line.
static bool start_debugger(struct diag *d)
{
	const char *places = getenv("HEDDLE_BREAK");
	if (!places || !*places)
		return true;
	if (!gpu_is_timed(cu.gpu)) {
		diag_add(d, DIAG_WARNING, "the debugger needs the timing model (-gpgpu_ptx_sim_mode 0); it is not started");
		return true;
	}
	cu.watch.terminal = (struct debugger_terminal){.flush = debug_flush, .quit = debug_quit};
	cu.watch.gpu.debugger = debugger_terminal_open(&cu.watch.terminal, places, d);
	return cu.watch.gpu.debugger;
}

// --- traces for heddle trace

static bool is_set(const char *variable)
{
	const char *v = getenv(variable);
	return v && *v && strcmp(v, "0");
}

static bool start_writer(struct diag *d)
{
	const char *folder = getenv("HEDDLE_WRITE_TRACE");
	const struct trace_writing how = {.gzip = is_set("HEDDLE_WRITE_TRACE_GZIP"), .tracez = is_set("HEDDLE_WRITE_TRACE_TRACEZ"),
	                                  .extended = is_set("HEDDLE_WRITE_TRACE_EXTENDED")};
	if (!folder || !*folder)
		return true;
	cu.watch.writer = trace_writer_new(folder, &how, d);
	return cu.watch.writer;
}

// --- what instructions do

static bool start_log(struct diag *d)
{
	const struct options *o = cu.opt;
	bool dump = o->gpgpu_ptx_inst_debug_to_file, classify = o->gpgpu_ptx_instruction_classification;
	if (!dump && !classify)
		return true;
	cu.services.log = inst_log_new(dump ? o->gpgpu_ptx_inst_debug_file : NULL,
	                               (uint64_t)o->gpgpu_ptx_inst_debug_thread_uid, classify, d);
	return cu.services.log;
}

bool watch_end(void)
{
	struct diag d = {0};
	struct watch *w = &cu.watch;
	checks_end();
	debugger_end(w->gpu.debugger);
	if (!inst_log_free(cu.services.log))
		diag_add(&d, DIAG_ERROR, "option '-gpgpu_ptx_inst_debug_file': %s could not be written", cu.opt->gpgpu_ptx_inst_debug_file);
	cu.services.log = NULL;
	bool lost = w->trace_out && (fflush(w->trace_out) || ferror(w->trace_out));
	if (w->trace_out && !w->in_order) { // what kernels print may still go to standard output
		lost |= fclose(w->trace_out) != 0;
		w->trace_out = NULL;
	}
	if (lost)
		diag_add(&d, DIAG_ERROR, "debug streams could not be written to %s",
		         *cu.opt->trace_file ? cu.opt->trace_file : "standard output");
	trace_writer_close(w->writer, &d);
	w->writer = NULL;
	bool ok = !d.errors;
	cu_print_diag(&d);
	return ok;
}

const struct frontend_ops *watch_frontend(const struct frontend_ops *fe)
{
	return cu.watch.writer ? trace_writer_frontend(cu.watch.writer, fe) : fe;
}

void watch_copy(uint64_t addr, uint64_t bytes)
{
	if (cu.watch.writer)
		trace_writer_copy(cu.watch.writer, addr, bytes);
}

bool watch_start(struct diag *d)
{
	if (!start_trace(d) || !start_debugger(d) || !start_writer(d) || !start_log(d) || !checks_start(d))
		return false;
	cu.watch.gpu.report = report;
	cu.watch.progress.on = may_show_progress();
	if (cu.watch.progress.on)
		cu.watch.gpu.progress = progress;
	gpu_watch(cu.gpu, &cu.watch.gpu);
	return true;
}
