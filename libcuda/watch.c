#include "libcuda/watch.h"

#include "libcuda/stream.h"

static void report(void *ctx, enum gpu_report kind, const char *text)
{
	if (kind == GPU_REPORT_SCRIPTS)
		sim_put_stats(ctx, text);
	else
		fputs(text, stderr);
}

bool watch_start(struct diag *d)
{
	cu.watch.report = report;
	gpu_watch(cu.gpu, &cu.watch);
	return true;
}
