// Turns of the kernels that are executed without time, and the limits of a run by what they execute.
#include "gpgpu-sim/gpu/untimed.h"

#include "base/options.h"

#include <string.h>

enum {
	KERNEL_TURN = 1 << 22,       // warp instructions of a kernel before another resident one
	MAX_RESIDENT_BYTES = 1 << 30 // host memory for the registers, shared and local memory of resident CTAs
};

// CTAs that the modelled GPU holds at once, so that blocks which wait for each other behave as they would there.
static uint32_t resident_ctas(const struct untimed *u, const struct kernel_launch *l)
{
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];
	uint32_t per_sm = gpu_desc_occupancy(u->desc, threads, l->info->regs, l->info->static_shared, l->dynamic_shared, NULL);
	uint64_t n = (uint64_t)(per_sm ? per_sm : 1) * u->desc->sm_count;
	uint64_t bytes = l->info->static_shared + l->dynamic_shared + (uint64_t)threads * (l->info->local + l->info->regs * 4) * 2 + 4096;
	if (n > MAX_RESIDENT_BYTES / bytes + 1)
		n = MAX_RESIDENT_BYTES / bytes + 1;
	return (uint32_t)n;
}

void untimed_free(struct untimed *u)
{
	for (size_t i = 0; i < u->k.n; i++)
		functional_free(u->k.at[i].run);
	VEC_FREE(&u->k);
	func_team_free(u->team);
}

unsigned untimed_room(const struct untimed *u)
{
	size_t busy = 0;
	for (size_t i = 0; i < u->k.n; i++)
		busy += !u->k.at[i].waits;
	return busy < UNTIMED_MAX_KERNELS ? UNTIMED_MAX_KERNELS - (unsigned)busy : 0;
}

void untimed_start(struct untimed *u, struct kernel_launch *launch) { untimed_go_on(u, launch, 0); }

void untimed_go_on(struct untimed *u, struct kernel_launch *launch, uint64_t cta)
{
	const struct options *o = u->opt;
	if (!u->team)
		u->team = func_team_new(o->threads > 1 ? (unsigned)o->threads : 1);
	struct untimed_kernel f = {.launch = launch, .run = functional_new(launch, resident_ctas(u, launch), u->team)};
	func_begin_at(f.run, cta);
	if (u->ended && (o->gpgpu_max_cta || o->gpgpu_max_completed_cta))
		func_stop_at_ctas(f.run);
	if (u->ended && (o->gpgpu_max_cta || o->gpgpu_max_completed_cta || o->gpgpu_max_cycle || o->gpgpu_max_insn))
		func_no_batches(f.run);
	u->stopped |= u->limit != NULL;
	VEC_PUSH(&u->k, f);
}

void untimed_tell(struct untimed *u, uint64_t cta, func_access *access, void *ctx)
{
	func_tell(u->k.at[u->k.n - 1].run, cta, access, ctx);
}

void untimed_stop(struct untimed *u) { u->stopped = u->k.n > 0; }

uint64_t untimed_cycles(const struct untimed *u)
{
	return u->insts + (u->running ? u->running->counts.warp_insts - u->running_from : 0);
}

// Of the kernels that run and those that have ended.
static uint64_t thread_insts(const struct untimed *u)
{
	uint64_t n = u->ended->thread_insts;
	for (size_t i = 0; i < u->k.n; i++)
		n += u->k.at[i].launch->counts.thread_insts;
	return n;
}

static uint64_t ctas_begun(const struct untimed *u)
{
	uint64_t n = u->ended->ctas;
	for (size_t i = 0; i < u->k.n; i++)
		n += u->k.at[i].launch->counts.ctas;
	return n;
}

static uint64_t ctas_done(const struct untimed *u)
{
	uint64_t n = ctas_begun(u);
	for (size_t i = 0; i < u->k.n; i++)
		n -= functional_resident(u->k.at[i].run);
	return n;
}

// Warp instructions that may be executed before a limit has to be looked at again. A warp instruction is a cycle, and
// has at most 32 thread instructions.
static uint64_t before_limit(const struct untimed *u)
{
	const struct options *o = u->opt;
	uint64_t most = UINT64_MAX, n;
	if (!u->ended)
		return most;
	if (o->gpgpu_max_cycle)
		most = u->insts < (uint64_t)o->gpgpu_max_cycle ? (uint64_t)o->gpgpu_max_cycle - u->insts : 0;
	if (o->gpgpu_max_insn && most) {
		n = thread_insts(u);
		n = n < (uint64_t)o->gpgpu_max_insn ? ((uint64_t)o->gpgpu_max_insn - n + 31) / 32 : 0;
		most = n < most ? n : most;
	}
	return most;
}

// What is resident ends where it is once a limit is reached.
static void look_at_limits(struct untimed *u)
{
	const struct options *o = u->opt;
	if (u->limit || !u->ended)
		return;
	if (o->gpgpu_max_cycle && u->insts >= (uint64_t)o->gpgpu_max_cycle)
		u->limit = "-gpgpu_max_cycle";
	else if (o->gpgpu_max_insn && thread_insts(u) >= (uint64_t)o->gpgpu_max_insn)
		u->limit = "-gpgpu_max_insn";
	else if (o->gpgpu_max_cta && ctas_begun(u) >= (uint64_t)o->gpgpu_max_cta)
		u->limit = "-gpgpu_max_cta";
	else if (o->gpgpu_max_completed_cta && ctas_done(u) >= (uint64_t)o->gpgpu_max_completed_cta)
		u->limit = "-gpgpu_max_completed_cta";
	else
		return;
	grids_drop(u->grids);
	untimed_stop(u);
}

struct kernel_launch *untimed_run(struct untimed *u, uint64_t budget)
{
	while (u->k.n && budget && (u->stopped || !u->interrupt || !atomic_load(u->interrupt))) {
		if (u->current >= u->k.n)
			u->current = 0;
		struct untimed_kernel *r = &u->k.at[u->current];
		uint64_t used, turn = u->k.n > 1 && budget > KERNEL_TURN ? KERNEL_TURN : budget, left = before_limit(u);
		func_be_exact(r->run, left <= turn);
		if (u->k.n > 1)
			func_no_batches(r->run);
		u->running = r->launch;
		u->running_from = r->launch->counts.warp_insts;
		bool ended = u->stopped;
		used = 0;
		if (!ended && !r->launch->behind)
			ended = functional_step(r->run, left < turn ? left : turn, &used);
		u->running = NULL;
		u->insts += used;
		look_at_limits(u);
		ended |= u->stopped;
		budget -= used < budget ? used : budget;
		r->waits = !used && grids_waits(r->launch);
		if (ended) {
			struct kernel_launch *l = r->launch;
			functional_free(r->run);
			u->k.n--;
			u->stopped &= u->k.n > 0;
			memmove(r, r + 1, (u->k.n - u->current) * sizeof *r);
			grids_end(l);
			u->serve(u->serve_ctx);
			return l;
		}
		u->serve(u->serve_ctx);
		u->current++;
		if (!used)
			budget--;
	}
	return NULL;
}

