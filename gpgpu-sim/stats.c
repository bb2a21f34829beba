// Statistics as text, under GPGPU-Sim's names. Lines about wall-clock time and rate are the only ones that may differ
// between two runs of one program.
#include "gpgpu-sim/gpu.h"

#include <stdarg.h>
#include <stdio.h>

struct out {
	void (*put)(void *ctx, const char *text);
	void *ctx;
};

static void line(const struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void line(const struct out *o, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	o->put(o->ctx, text);
}

typedef unsigned long long ull;

static void classes(const struct out *o, const struct kernel_counts *c)
{
	static const char *const name[] = {
#define X(id, text) text,
		ISA_CLASSES(X)
#undef X
	};
	for (unsigned k = 0; k < ISA_N_CLASSES; k++)
		if (c->cls[k])
			line(o, "gpgpu_n_w_icount[%s] = %llu, gpgpu_n_thrd_icount[%s] = %llu\n", name[k], (ull)c->cls[k], name[k],
			     (ull)c->cls_thread[k]);
}

void gpu_print_kernel_stats(struct gpu *g, const struct kernel_launch *l, void (*put)(void *ctx, const char *text), void *ctx)
{
	const struct out o = {put, ctx};
	const struct kernel_counts *t = gpu_total_counts(g);
	line(&o, "kernel_name = %s \n", l->info->name);
	line(&o, "kernel_launch_uid = %u \n", l->uid);
	line(&o, "kernel_stream_id = %llu\n", (ull)l->stream);
	line(&o, "gpu_sim_insn = %llu\n", (ull)l->counts.thread_insts);
	line(&o, "gpu_tot_sim_insn = %llu\n", (ull)t->thread_insts);
	line(&o, "gpu_tot_issued_cta = %llu\n", (ull)t->ctas);
	line(&o, "gpgpu_n_tot_thrd_icount = %llu\n", (ull)t->thread_insts);
	line(&o, "gpgpu_n_tot_w_icount = %llu\n", (ull)t->warp_insts);
	double busy = gpu_busy_seconds(g);
	line(&o, "gpu_total_sim_rate=%llu\n", (ull)((double)t->thread_insts / (busy > 1e-6 ? busy : 1e-6)));
	classes(&o, &l->counts);
	line(&o, "GPGPU-Sim: Done functional simulation (%llu instructions simulated).\n", (ull)l->counts.thread_insts);
	double s = gpu_host_seconds(g);
	unsigned sec = (unsigned)s, d = sec / 86400, h = sec / 3600 % 24, m = sec / 60 % 60;
	line(&o, "\n\ngpgpu_simulation_time = %u days, %u hrs, %u min, %u sec (%u sec)\n", d, h, m, sec % 60, sec);
	line(&o, "gpgpu_simulation_rate = %llu (inst/sec)\n", (ull)((double)t->thread_insts / (s > 1e-3 ? s : 1e-3)));
}
