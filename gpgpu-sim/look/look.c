#include "gpgpu-sim/look/look.h"

#include "base/mem.h"
#include "gpgpu-sim/look/deadlock.h"
#include "gpgpu-sim/look/debugger.h"
#include "gpgpu-sim/look/sm_streams.h"

#include <stdio.h>
#include <string.h>

struct look {
	struct timing *t;
	const struct gpu_watch *watch; // NULL: nobody
	struct sm_streams sms;
};

// --- memory

static void dram_command(void *ctx, const char *dram, uint64_t tick, enum dram_command c, unsigned bank, uint32_t row)
{
	static const char *const name[] = {"ACT", "PRE", "RD", "WR", "REF"};
	const struct look *l = ctx;
	const struct dbg_streams *w = l->watch->dbg;
	char sampled[40];
	snprintf(sampled, sizeof sampled, "gpu.dram[%d]", w->partition);
	if (w->partition < 0 || !strcmp(sampled, dram))
		dbg_line(w, DBG_DRAM, l->t->cycle, "%s tick %llu %s bank %u row %u", dram, (unsigned long long)tick, name[c], bank, row);
}

static const enum dbg_stream memory_stream[] = {
	[MEMORY_SUBPARTITION] = DBG_MEMORY_SUBPARTITION_UNIT,
	[MEMORY_PARTITION] = DBG_MEMORY_PARTITION_UNIT,
};

static unsigned memory_wants(void *ctx, unsigned channel)
{
	const struct look *l = ctx;
	uint32_t mask = dbg_partition_mask(l->watch->dbg, channel);
	return (mask >> memory_stream[MEMORY_SUBPARTITION] & 1) << MEMORY_SUBPARTITION |
	       (mask >> memory_stream[MEMORY_PARTITION] & 1) << MEMORY_PARTITION;
}

static void memory_line(void *ctx, enum memory_unit unit, uint64_t cycle, const char *text)
{
	const struct look *l = ctx;
	dbg_line(l->watch->dbg, memory_stream[unit], cycle, "%s", text);
}

static void attach_memory(struct look *l)
{
	const struct dbg_streams *dbg = l->watch ? l->watch->dbg : NULL;
	struct memory_observer o = {.ctx = NULL};
	if (dbg)
		o = (struct memory_observer){.ctx = l, .wants = memory_wants, .line = memory_line,
		                             .command = dbg_on(dbg, DBG_DRAM) ? dram_command : NULL};
	memory_watch(l->t->memory, o);
}

// --- the GPU as a whole

static void packet(void *ctx, const struct mem_req *r, const char *what, unsigned at)
{
	const struct look *l = ctx;
	dbg_line(l->watch->dbg, DBG_INTERCONNECT, l->t->cycle, "request %u, %s 0x%llx of core %u, %s %u", r->serial, mem_access_name[r->type],
	         (unsigned long long)r->addr, r->sm, what, at);
}

static void kernel(void *ctx, const struct kernel_run *k, const char *what)
{
	const struct look *l = ctx;
	dbg_line(l->watch->dbg, DBG_LIVENESS, l->t->cycle, "kernel '%s' (launch %u) %s", k->launch->info->name, k->launch->uid, what);
}

static void note(void *ctx, const char *line)
{
	const struct look *l = ctx;
	l->watch->report(l->watch->ctx, GPU_REPORT_PEOPLE, line);
}

static void note_for_scripts(void *ctx, const char *line)
{
	const struct look *l = ctx;
	l->watch->report(l->watch->ctx, GPU_REPORT_SCRIPTS, line);
}

static void deadlock(void *ctx, const char *what)
{
	struct look *l = ctx;
	char line[160];
	deadlock_for_scripts(l->t, note_for_scripts, l);
	snprintf(line, sizeof line, "heddle: %s at cycle %llu\n", what, (unsigned long long)l->t->cycle);
	note(l, line);
	deadlock_report(l->t, note, l);
}

static void progress(void *ctx)
{
	const struct look *l = ctx;
	struct gpu_progress p;
	look_progress(l->t, &p);
	l->watch->progress(l->watch->ctx, &p);
}

static void stop(void *ctx) { debugger_at_cycle(((struct look *)ctx)->watch->debugger); }

void look_progress(const struct timing *t, struct gpu_progress *out)
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

// --- who looks on

// The debugger may have other stops than before.
static void attach_sms(void *ctx)
{
	struct look *l = ctx;
	struct debugger *g = l->watch ? l->watch->debugger : NULL;
	sm_streams_attach(&l->sms, l->t, l->watch ? l->watch->dbg : NULL, g);
	l->t->next_stop = g ? debugger_next_cycle(g) : UINT64_MAX;
	l->t->next_look = l->t->cycle;
	l->t->alone = l->watch && (l->watch->dbg || g);
}

void look_attach(struct look *l, const struct gpu_watch *w)
{
	uint32_t mask = dbg_other_mask(w ? w->dbg : NULL);
	l->watch = w;
	l->t->observer = (struct timing_observer){
		.ctx = l, .packet = packet, .kernel = kernel, .stop = stop,
		.wants = (mask & DBG_BIT(INTERCONNECT) ? TIMING_SEES_PACKETS : 0) | (mask & DBG_BIT(LIVENESS) ? TIMING_SEES_KERNELS : 0),
		.note = w && w->report ? note : NULL, .deadlock = w && w->report ? deadlock : NULL, .progress = w && w->progress ? progress : NULL,
	};
	if (w && w->debugger)
		debugger_attach(w->debugger, l->t, attach_sms, l);
	attach_memory(l);
	attach_sms(l);
}

struct look *look_new(struct timing *t)
{
	struct look *l = MEM_NEW(struct look);
	l->t = t;
	sm_streams_init(&l->sms, t);
	return l;
}

void look_free(struct look *l)
{
	if (!l)
		return;
	sm_streams_free(&l->sms);
	mem_free(l);
}
