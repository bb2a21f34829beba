#include "tools/trace_watch.h"

#include "gpgpu-sim/debugger.h"

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
	if (!trace_init(&w->trace, o, getenv("PTX_SIM_DEBUG"), d))
		return false;
	if (!w->trace.mask)
		return true;
	if (*o->trace_file && !(w->streams = fopen(o->trace_file, "w"))) {
		diag_add(d, DIAG_ERROR, "option '-trace_file': cannot write %s: %s", o->trace_file, strerror(errno));
		return false;
	}
	w->trace.ctx = w;
	w->trace.put = put_trace;
	w->gpu.trace = &w->trace;
	return true;
}

static void debug_put(void *ctx, const char *text) { fputs(text, ((struct trace_watch *)ctx)->talk); }

static bool debug_read(void *ctx, char *buf, size_t len)
{
	struct trace_watch *w = ctx;
	fflush(w->stats);
	fputs("(heddle) ", w->talk);
	fflush(w->talk);
	if (!fgets(buf, (int)len, w->commands)) {
		fputs("\n", w->talk);
		return false;
	}
	buf[strcspn(buf, "\n")] = 0;
	if (w->talk == stderr) // commands from a file: the transcript shows them
		fprintf(w->talk, "%s\n", buf);
	return true;
}

static void debug_quit(void *ctx)
{
	fflush(((struct trace_watch *)ctx)->talk);
	exit(1);
}

static bool start_debugger(struct trace_watch *w, struct gpu *gpu, const char *breaks, struct diag *d)
{
	const char *file = getenv("HEDDLE_DEBUG_INPUT"), *from = file && *file ? file : "/dev/tty";
	if (!gpu_is_timed(gpu)) {
		diag_add(d, DIAG_ERROR, "the debugger needs the timing model (-gpgpu_ptx_sim_mode 0)");
		return false;
	}
	w->commands = fopen(from, "r");
	w->talk = file && *file ? stderr : fopen(from, "w");
	if (!w->commands || !w->talk) {
		diag_add(d, DIAG_ERROR, "the debugger cannot read commands from %s: %s; HEDDLE_DEBUG_INPUT may name a file", from,
		         strerror(errno));
		return false;
	}
	struct debugger_io io = {.ctx = w, .read_line = debug_read, .put = debug_put, .quit = debug_quit};
	w->gpu.debugger = debugger_new(&io);
	for (const char *p = breaks; *p;) {
		size_t n = strcspn(p, "\n");
		char place[512], why[300];
		snprintf(place, sizeof place, "%.*s", (int)n, p);
		if (n && !debugger_add(w->gpu.debugger, place, why, sizeof why)) {
			diag_add(d, DIAG_ERROR, "--break: %s", why);
			return false;
		}
		p += n + (p[n] == '\n');
	}
	return true;
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

void trace_watch_end(struct trace_watch *w)
{
	debugger_end(w->gpu.debugger);
	debugger_free(w->gpu.debugger);
	if (w->streams)
		fclose(w->streams);
	if (w->commands)
		fclose(w->commands);
	if (w->talk && w->talk != stderr)
		fclose(w->talk);
}
