// What happens at every sampling point: each -gpgpu_runtime_stat core cycles of an interval.
#include "gpgpu-sim/stats_sample.h"

#include "base/option_forms.h"

#include <stdio.h>

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

void stats_say_launch(struct gpu *g, const struct kernel_launch *l)
{
	char text[600];
	if (!g->say)
		return;
	if (!g->greeted)
		g->say(g->say_ctx, "\n\n        *** Heddle, with the model and statistics of GPGPU-Sim Simulator Version 4.2.0  [build heddle] ***\n\n\n"
		                   "GPGPU-Sim PTX: simulation mode 0 (can change with PTX_SIM_MODE_FUNC environment variable:\n"
		                   "               1=functional simulation only, 0=detailed performance simulator)\n");
	g->greeted = true;
	snprintf(text, sizeof text, "GPGPU-Sim PTX: pushing kernel '%.300s' to stream %llu, gridDim= (%u,%u,%u) blockDim = (%u,%u,%u) \n",
	         l->info->name, (unsigned long long)l->stream, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
	g->say(g->say_ctx, text);
}

void stats_sample(void *ctx)
{
	struct gpu *g = ctx;
	memory_sample_latency(g->timing->memory);
}
