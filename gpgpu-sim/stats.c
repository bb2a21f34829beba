// Statistics as text, under GPGPU-Sim's names. Lines about wall-clock time and rate are the only ones that may differ
// between two runs of one program.
#include "gpgpu-sim/gpu_state.h"

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
	if (g->timing) {
		struct timing *t = g->timing;
		line(&o, "gpu_sim_cycle = %llu\n", (ull)t->stats.cycles);
		line(&o, "gpu_tot_sim_cycle = %llu\n", (ull)(t->stats.tot_cycles + t->stats.cycles));
		uint64_t w = 0, d1 = 0, m1 = 0, d2 = 0, m2 = 0, rd = 0, wr = 0, slot[SM_N_SLOT_REASONS] = {0};
		struct cache_sums s;
		for (unsigned i = 0; i < t->core.n_sm; i++) {
			w += t->sm[i].stats.warp_insts;
			for (unsigned k = 0; k < t->core.n_schedulers; k++)
				for (unsigned r = 0; r < SM_N_SLOT_REASONS; r++)
					slot[r] += t->sm[i].stats.slot[k][r];
			if (t->sm[i].ldst.l1d.cache) {
				cache_sums(t->sm[i].ldst.l1d.cache, &s);
				d1 += s.accesses, m1 += s.misses;
			}
		}
		for (unsigned i = 0; i < memory_n_sub(t->memory); i++) {
			memory_l2_sums(t->memory, i, &s);
			d2 += s.accesses, m2 += s.misses;
		}
		for (unsigned i = 0; i < memory_n_channels(t->memory); i++) {
			const struct dram_stats *ds = memory_dram_stats(t->memory, i);
			rd += ds->n_rd, wr += ds->n_wr + ds->n_wr_wb;
		}
		line(&o, "X w=%llu l1d %llu %llu l2 %llu %llu dram %llu %llu\n", (ull)w, (ull)d1, (ull)m1, (ull)d2, (ull)m2, (ull)rd, (ull)wr);
		for (unsigned r = 0; r < SM_N_SLOT_REASONS; r++)
			line(&o, "slot[%u] = %llu\n", r, (ull)slot[r]);
		timing_end_interval(t);
	}
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
