// The head of the statistics, which tells what was simulated and by what, and their last line, which tells how it ended.
#include "gpgpu-sim/stats/record.h"
#include "gpgpu-sim/stats/sample.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/version.h"

#include <stdio.h>
#include <string.h>

static void say_remark(struct stats *st, const char *remark)
{
	char text[1200];
	snprintf(text, sizeof text, "heddle_note = %.1100s\n", remark);
	st->say(st->say_ctx, text);
}

void stats_begin(struct stats *st)
{
	char text[300];
	if (st->headed || !st->say)
		return;
	st->headed = true;
	snprintf(text, sizeof text, "\n\n        *** Heddle, with the model and statistics of GPGPU-Sim Simulator Version 4.2.0  [build %s] ***\n\n\n",
	         heddle_gpgpusim_build);
	if (st->timing) {
		st->say(st->say_ctx, text);
		st->say(st->say_ctx, "GPGPU-Sim PTX: simulation mode 0 (can change with PTX_SIM_MODE_FUNC environment variable:\n"
		                     "               1=functional simulation only, 0=detailed performance simulator)\n");
	}
	snprintf(text, sizeof text, "heddle_version = %s\nheddle_commit = %s\nheddle_options = %016llx\n", heddle_version, heddle_commit,
	         (unsigned long long)options_hash(st->opt));
	st->say(st->say_ctx, text);
	for (size_t i = 0; i < st->remarks.n; i++)
		say_remark(st, st->remarks.at[i]);
}

void stats_say_launch(struct stats *st, const struct kernel_launch *l)
{
	char text[600];
	stats_begin(st);
	if (!st->timing || !st->say)
		return;
	snprintf(text, sizeof text, "GPGPU-Sim PTX: pushing kernel '%.300s' to stream %llu, gridDim= (%u,%u,%u) blockDim = (%u,%u,%u) \n",
	         l->info->name, (unsigned long long)l->stream, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
	st->say(st->say_ctx, text);
}

static void take_remark(struct stats *st, const char *remark, size_t len)
{
	for (size_t i = 0; i < st->remarks.n; i++)
		if (strlen(st->remarks.at[i]) == len && !memcmp(st->remarks.at[i], remark, len))
			return;
	char *own = mem_alloc(len + 1);
	memcpy(own, remark, len);
	own[len] = 0;
	VEC_PUSH(&st->remarks, own);
	if (st->headed)
		say_remark(st, own);
}

void stats_take_remarks(struct stats *st, struct diag *d)
{
	for (const char *s = d->remarks, *end; s && *s; s = end + 1) {
		end = s + strcspn(s, "\n");
		take_remark(st, s, (size_t)(end - s));
	}
	mem_free(d->remarks);
	d->remarks = NULL;
}

// With -sample: the run as a whole.
static void say_whole(struct stats *st)
{
	char text[400];
	if (!st->estimates || !st->say)
		return;
	const struct estimate_sum s = estimates_sum(st->estimates);
	snprintf(text, sizeof text,
	         "heddle_estimate_cycles = %.0f\nheddle_estimate_error = %.0f\nheddle_estimate_launches = %llu\n"
	         "heddle_estimate_launches_timed = %llu\nheddle_estimate_launches_timed_in_part = %llu\nheddle_estimate_cycles_timed = %llu\n",
	         s.whole.cycles, s.whole.error, (unsigned long long)s.launches, (unsigned long long)s.timed, (unsigned long long)s.cut,
	         (unsigned long long)s.simulated);
	st->say(st->say_ctx, text);
}

void stats_end(struct stats *st, const char *how)
{
	char text[200];
	if (st->ended)
		return;
	stats_print_rest(st);
	st->ended = true;
	say_whole(st);
	snprintf(text, sizeof text, "heddle_run = %s\n", how);
	if (st->say)
		st->say(st->say_ctx, text);
	stats_json_end(st, how);
}

void stats_free(struct stats *st)
{
	kernel_select_free(&st->in_full);
	stat_sums_free(st);
	VEC_FREE(&st->text);
	VEC_FREE(&st->icnt_text);
	mem_free((char *)st->last.kernel.name);
	stats_json_free(st);
	stats_record_free(st);
	stats_visual_free(st);
	stats_lines_free(st);
	for (size_t i = 0; i < st->remarks.n; i++)
		mem_free(st->remarks.at[i]);
	VEC_FREE(&st->remarks);
}
