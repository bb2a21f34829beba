#include "tools/trace_watch.h"

#include "base/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void report(void *ctx, enum gpu_report kind, const char *text)
{
	struct trace_watch *w = ctx;
	fflush(w->stats);
	fputs(text, kind == GPU_REPORT_SCRIPTS ? w->stats : stderr);
}

static void put_trace(void *ctx, const char *line)
{
	struct trace_watch *w = ctx;
	fputs(line, w->streams ? w->streams : w->stats);
}

static bool start_streams(struct trace_watch *w, const struct options *o, struct diag *d)
{
	if (!dbg_init(&w->dbg, o, getenv("PTX_SIM_DEBUG"), d))
		return false;
	if (!w->dbg.mask)
		return true;
	w->file = o->trace_file;
	if (*w->file && !(w->streams = output_open(w->file))) {
		diag_add(d, DIAG_ERROR, "option '-trace_file': cannot write %s: %s", w->file, output_why(errno));
		return false;
	}
	w->dbg.ctx = w;
	w->dbg.put = put_trace;
	w->gpu.dbg = &w->dbg;
	return true;
}

static void debug_flush(void *ctx) { fflush(((struct trace_watch *)ctx)->stats); }
static void debug_quit(void *ctx) { exit(1); }

static bool start_debugger(struct trace_watch *w, struct gpu *gpu, const char *breaks, struct diag *d)
{
	if (!gpu_is_timed(gpu)) {
		diag_add(d, DIAG_ERROR, "the debugger needs the timing model (-gpgpu_ptx_sim_mode 0)");
		return false;
	}
	w->terminal = (struct debugger_terminal){.ctx = w, .flush = debug_flush, .quit = debug_quit};
	w->gpu.debugger = debugger_terminal_open(&w->terminal, breaks, d);
	return w->gpu.debugger;
}

bool trace_watch_start(struct trace_watch *w, struct gpu *gpu, const struct options *o, const char *breaks, FILE *stats,
                       struct diag *d)
{
	w->stats = stats;
	w->gpu.ctx = w;
	w->gpu.report = report;
	if (!start_streams(w, o, d) || (breaks && *breaks && !start_debugger(w, gpu, breaks, d)))
		return false;
	gpu_watch(gpu, &w->gpu);
	return true;
}

bool trace_watch_written(const struct trace_watch *w)
{
	if (!w->streams || (!fflush(w->streams) && !ferror(w->streams)))
		return true;
	fprintf(stderr, "heddle: error: cannot write -trace_file %s: %s\n", w->file, output_why(errno ? errno : EIO));
	return false;
}

void trace_watch_end(struct trace_watch *w)
{
	debugger_end(w->gpu.debugger);
	debugger_free(w->gpu.debugger);
	if (w->streams)
		fclose(w->streams);
	debugger_terminal_close(&w->terminal);
}
