// What happens at every sampling point: each -gpgpu_runtime_stat core cycles of an interval.
#include "gpgpu-sim/stats_sample.h"

#include "base/option_forms.h"

enum { DEFAULT_INTERVAL = 10000 };

void stats_sample_init(struct gpu *g)
{
	struct timing *t = g->timing;
	int64_t n[2] = {DEFAULT_INTERVAL, 0};
	struct form_error e;
	size_t count;
	form_numbers(g->opt->gpgpu_runtime_stat, ':', n, 2, &count, &e);
	t->sample_every = t->next_sample = (uint64_t)n[0];
	t->sample = stats_sample;
	t->sample_ctx = g;
	g->sample_flags = (unsigned)n[1];
}

void stats_sample(void *ctx)
{
	struct gpu *g = ctx;
	memory_sample_latency(g->timing->memory);
}
