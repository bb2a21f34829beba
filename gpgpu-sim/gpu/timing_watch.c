// Connects a running GPU with whoever watches it: debug streams, debugger, progress.
#include "gpgpu-sim/look/debugger.h"
#include "gpgpu-sim/look/sm_streams.h"
#include "gpgpu-sim/gpu/timing.h"

#include <stdio.h>
#include <string.h>

static void watch_dram(void *ctx, const char *dram, uint64_t tick, enum dram_command c, unsigned bank, uint32_t row)
{
	static const char *const name[] = {"ACT", "PRE", "RD", "WR", "REF"};
	const struct timing *t = ctx;
	const struct dbg_streams *w = t->watch->dbg;
	char sampled[40];
	snprintf(sampled, sizeof sampled, "gpu.dram[%d]", w->partition);
	if (w->partition < 0 || !strcmp(sampled, dram))
		dbg_line(w, DBG_DRAM, t->cycle, "%s tick %llu %s bank %u row %u", dram, (unsigned long long)tick, name[c], bank, row);
}

static const enum dbg_stream memory_stream[] = {
	[MEMORY_SUBPARTITION] = DBG_MEMORY_SUBPARTITION_UNIT,
	[MEMORY_PARTITION] = DBG_MEMORY_PARTITION_UNIT,
};

static unsigned memory_wants(void *ctx, unsigned channel)
{
	const struct timing *t = ctx;
	uint32_t mask = dbg_partition_mask(t->watch->dbg, channel);
	return (mask >> memory_stream[MEMORY_SUBPARTITION] & 1) << MEMORY_SUBPARTITION |
	       (mask >> memory_stream[MEMORY_PARTITION] & 1) << MEMORY_PARTITION;
}

static void memory_line(void *ctx, enum memory_unit unit, uint64_t cycle, const char *text)
{
	const struct timing *t = ctx;
	dbg_line(t->watch->dbg, memory_stream[unit], cycle, "%s", text);
}

static void watch_sms(struct timing *t)
{
	const struct gpu_watch *w = t->watch;
	for (unsigned i = 0; i < t->core.n_sm; i++)
		sm_watch(&t->sm[i], w ? w->dbg : NULL, w ? w->debugger : NULL);
	t->next_stop = w && w->debugger ? debugger_next_cycle(w->debugger) : UINT64_MAX;
	t->next_look = t->cycle;
}

void timing_debug_changed(struct timing *t) { watch_sms(t); }

void timing_watch(struct timing *t, const struct gpu_watch *w)
{
	t->watch = w;
	t->dbg = dbg_other_mask(w ? w->dbg : NULL);
	if (w && w->debugger)
		debugger_attach(w->debugger, t);
	struct memory_observer memory = {.ctx = t, .wants = memory_wants, .line = memory_line};
	if (w && dbg_on(w->dbg, DBG_DRAM))
		memory.command = watch_dram;
	memory_watch(t->memory, w && w->dbg ? memory : (struct memory_observer){.ctx = NULL});
	watch_sms(t);
}

void timing_dbg_packet(const struct timing *t, const struct mem_req *r, const char *what, unsigned at)
{
	dbg_line(t->watch->dbg, DBG_INTERCONNECT, t->cycle, "request %u, %s 0x%llx of core %u, %s %u", r->serial, mem_access_name[r->type],
	           (unsigned long long)r->addr, r->sm, what, at);
}

void timing_dbg_kernel(const struct timing *t, const struct kernel_run *k, const char *what)
{
	dbg_line(t->watch->dbg, DBG_LIVENESS, t->cycle, "kernel '%s' (launch %u) %s", k->launch->info->name, k->launch->uid, what);
}

void timing_progress(const struct timing *t, struct gpu_progress *out)
{
	const struct kernel_run *first = NULL;
	*out = (struct gpu_progress){.kernels = t->n_kernel, .cycles = t->cycle};
	for (unsigned i = 0; i < t->n_places; i++)
		if (t->kernel[i] && (!first || t->kernel[i]->launch->uid < first->launch->uid))
			first = t->kernel[i];
	if (!first)
		return;
	out->kernel = first->launch->info->name;
	out->ctas = first->n_cta;
	out->ctas_done = first->next_cta - first->running - first->parked.n;
}
