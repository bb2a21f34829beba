#include "libcuda/context/stats_out.h"

#include "base/options.h"
#include "base/output.h"
#include "libcuda/context/context.h"

#include <errno.h>
#include <string.h>

static void lost(int error)
{
	cu.stats_failed = true;
	atomic_store(&cu.output_failed, true);
	cu_flush();
	fprintf(stderr, "heddle: error: cannot write -stats_file %s: %s; no more statistics are written\n", cu.opt->stats_file,
	        output_why(error));
}

void stats_out_flush(void)
{
	size_t n = cu.stats_text.n;
	cu.stats_text.n = 0;
	if (!n || cu.stats_failed)
		return;
	if (!cu.stats)
		cu.stats = output_open(cu.opt->stats_file);
	if (!cu.stats || !output_write_through(cu.stats, cu.stats_text.at, n))
		lost(errno);
}

void stats_out_put(const char *text)
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
		stats_out_flush();
}

void stats_out_sink(void *ctx, const char *text) { stats_out_put(text); }

void stats_out_rest(void) { gpu_print_rest(cu.gpu); }

void stats_out_end(const char *how)
{
	if (cu.next_launch || *cu.opt->stats_file || *cu.opt->stats_json)
		gpu_end_statistics(cu.gpu, how);
}
