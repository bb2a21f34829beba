// CTAs are put on SMs.
#include "gpgpu-sim/gpu/timing_internal.h"

#include "base/team.h"

#include <stdarg.h>
#include <stdio.h>

void timing_say(struct timing *t, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	if (!t->say)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	t->say(t->say_ctx, text);
}

// What GPGPU-Sim prints as an SM begins to take CTAs of a kernel.
static void say_bound(struct timing *t, unsigned sm, const struct kernel_run *k)
{
	const struct kernel_info *info = k->launch->info;
	unsigned why = k->occupancy_limits;
	if (!t->brief)
		timing_say(t, "GPGPU-Sim uArch: Shader %u bind to kernel %u '%.300s'\n", sm, k->launch->uid, info->name);
	uint64_t name = 14695981039346656037u; // FNV-1a: names last longer than kernels of traces do
	for (const char *c = info->name; *c; c++)
		name = (name ^ (uint8_t)*c) * 1099511628211u;
	if (t->said == name)
		return;
	t->said = name;
	timing_say(t, "GPGPU-Sim uArch: CTA/core = %u, limited by:%s%s%s%s\n", k->occupancy_ctas,
	           why & CORE_LIMIT_THREADS ? " threads" : "", why & CORE_LIMIT_SHARED ? " shmem" : "",
	           why & CORE_LIMIT_REGISTERS ? " regs" : "", why & CORE_LIMIT_CTAS ? " cta_limit" : "");
}

// The unified memory of an SM is split between L1 and shared memory as the first kernel after idleness needs it.
static void carve(struct timing *t, struct kernel_run *k)
{
	const struct core_config *c = &t->core;
	uint32_t shared = k->shared * k->max_ctas, size = c->n_carve ? c->carve[c->n_carve - 1] : 0;
	if (k->cache_set || !c->adaptive)
		return;
	k->cache_set = true;
	for (unsigned i = c->n_carve; i-- > 0;)
		if (shared <= c->carve[i])
			size = c->carve[i];
	uint32_t all = c->unified_bytes / (c->l1d.sets * c->l1d.line);
	uint32_t ways = (uint32_t)((double)all * (1 - (double)size / c->unified_bytes) + 0.5);
	timing_start_all_drawn(t); // an SM takes the split that it was given before with its next CTA
	for (unsigned i = 0; i < c->n_sm; i++)
		sm_carve(&t->sm[i], ways ? ways : 1, shared == 0);
	k->carve_l1 = ways * c->l1d.sets * c->l1d.line;
	timing_say(t, "GPGPU-Sim: Reconfigure L1 cache to %uKB\n", k->carve_l1 / 1024);
}

void timing_bind(struct timing *t, unsigned sm, struct kernel_run *k)
{
	if (t->core.concurrent_kernels || t->sm[sm].kernel == k)
		return;
	t->sm[sm].kernel = k;
	say_bound(t, sm, k);
}

struct sm_cta *timing_start_cta(struct timing *t, unsigned sm, struct kernel_run *k)
{
	carve(t, k);
	sm_catch_up(&t->sm[sm], t->cycle);
	t->stats.ctas_issued += !k->n_ready;
	struct sm_cta *c = sm_start_cta(&t->sm[sm], k);
	timing_wake(t, sm);
	return c;
}

bool timing_draw_cta(struct timing *t, unsigned sm, struct kernel_run *k)
{
	const struct kernel_launch *l = k->launch;
	const bool may = l->fe->starts_apart && !l->services->log && !l->cluster[0];
	if (!t->team || t->alone || !may || !k->next_cta || k->n_ready)
		return false;
	t->stats.ctas_issued++;
	t->drawn[t->n_drawn++] = (struct timing_drawn){.sm = sm, .kernel = k, .ticket = sm_draw_cta(k)};
	timing_wake(t, sm);
	return true;
}

static void start_drawn(void *ctx, unsigned thread, unsigned i)
{
	struct timing *t = ctx;
	const struct timing_drawn *d = &t->drawn[i];
	sm_catch_up(&t->sm[d->sm], t->cycle);
	sm_start_drawn(&t->sm[d->sm], d->kernel, d->ticket);
}

void timing_start_all_drawn(struct timing *t)
{
	if (t->n_drawn > 1) {
		timing_answers_moved(t);
		team_call(t->team, start_drawn, t->n_drawn);
	} else if (t->n_drawn) {
		start_drawn(t, 0, 0);
	}
	t->n_drawn = 0;
}
