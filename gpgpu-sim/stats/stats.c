// What a kernel's statistics are: the figures, summed up; their rows, walked once for the text and once for JSON; and the
// shorter text of functional mode. Lines about wall-clock time and rate are the only ones that may differ between two runs
// of one program.
#include "gpgpu-sim/stats/stats.h"
#include "gpgpu-sim/stats/sample.h"

#include "base/mem.h"
#include "gpgpu-sim/classic/classic.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

// --- figures

static void add_sums(struct cache_sums *to, const struct cache_sums *s)
{
	to->accesses += s->accesses;
	to->misses += s->misses;
	to->pending_hits += s->pending_hits;
	to->reservation_fails += s->reservation_fails;
	to->port_available += s->port_available;
	to->data_port_busy += s->data_port_busy;
	to->fill_port_busy += s->fill_port_busy;
}

static void add_counts(struct cache_counts *to, const struct cache_counts *c)
{
	if (c)
		cache_add_counts(to, c);
}

static void add_prefetches(struct prefetch_counts *to, const struct prefetch_counts *from)
{
	to->sent += from->sent;
	to->useful += from->useful;
	to->late += from->late;
	to->unused += from->unused;
	to->needless += from->needless;
	to->dropped += from->dropped;
	to->elsewhere += from->elsewhere;
}

static void add_sm(struct stat_view *v, const struct sm *m)
{
	// All of its fields are counters.
	uint64_t to[sizeof m->stats / sizeof(uint64_t)], from[sizeof m->stats / sizeof(uint64_t)];
	memcpy(to, &v->sm, sizeof to);
	memcpy(from, &m->stats, sizeof from);
	for (size_t i = 0; i < sizeof to / sizeof *to; i++)
		to[i] += from[i];
	memcpy(&v->sm, to, sizeof to);
	modern_add_counts(&v->modern, m);
	v->reg_conflicts += classic_register_conflicts(m);
	const struct cache *const cache[STAT_N_CACHES] = {m->l1i.cache, m->ldst.l1d.cache, m->ldst.l1c.cache, m->ldst.l1t.cache};
	for (unsigned i = 0; i < STAT_N_CACHES; i++) {
		struct cache_sums s;
		if (!cache[i])
			continue;
		cache_sums(cache[i], &s);
		add_sums(&v->l1[i], &s);
		add_counts(&v->core_counts, cache_counts(cache[i], v->stream));
	}
	if (m->ldst.l1d.cache) {
		struct prefetch_counts p;
		cache_prefetches(m->ldst.l1d.cache, &p);
		add_prefetches(&v->l1_prefetch, &p);
	}
	for (unsigned k = 0; k < m->cfg->n_schedulers; k++) {
		uint64_t all = 0;
		for (unsigned r = 0; r < SM_N_SLOT_REASONS; r++)
			all += m->stats.slot[k][r];
		HEDDLE_ASSERT(all == m->stats.cycles);
	}
}

static void add_memory(struct stat_view *v, struct memory *m)
{
	for (unsigned i = 0; memory_has_l2(m) && i < memory_n_sub(m); i++) {
		struct cache_sums s;
		memory_l2_sums(m, i, &s);
		add_sums(&v->l2, &s);
		struct prefetch_counts p;
		memory_l2_prefetches(m, i, &p);
		add_prefetches(&v->l2_prefetch, &p);
		add_counts(&v->l2_counts, memory_l2_counts(m, i, v->stream));
	}
	for (unsigned c = 0; c < memory_n_channels(m); c++) {
		const struct dram_stats *d = memory_dram_stats(m, c);
		for (unsigned b = 0; b < d->n_banks; b++) {
			v->dram_reads += d->bank[b].reads;
			v->dram_writes += d->bank[b].writes;
			v->row_access += d->bank[b].row_access;
			v->row_activates += d->bank[b].n_activate;
		}
		v->dram.n_cmd += d->n_cmd;
		v->dram.n_nop += d->n_nop;
		v->dram.n_act += d->n_act;
		v->dram.n_pre += d->n_pre;
		v->dram.n_req += d->n_req;
		v->dram.n_rd += d->n_rd + d->n_rd_l2_a;
		v->dram.n_wr += d->n_wr + d->n_wr_wb;
	}
	v->dram_accesses = v->dram_reads + v->dram_writes;
}

static void count_flits(struct stat_view *v)
{
	unsigned flit = v->t->opt->icnt_flit_size;
	for (unsigned dir = 0; dir < 2; dir++)
		for (unsigned type = 0; type < TRAFFIC_TYPES; type++)
			for (unsigned s = 0; s < TRAFFIC_SIZES; s++)
				v->flits[dir] += v->t->stats.traffic[dir][type][s] * ((s * TRAFFIC_UNIT + flit - 1) / flit);
}

static void put_stream(void *ctx, const char *text) { fputs(text, ctx); }

void stat_gather(struct stat_view *v, struct stats *st, const struct kernel_launch *l)
{
	struct timing *t = st->timing;
	*v = (struct stat_view){.st = st, .t = t, .l = l, .stream = timing_stream(t, l->stream)};
	for (unsigned i = 0; i < t->core.n_sm; i++)
		add_sm(v, &t->sm[i]);
	add_memory(v, t->memory);
	const struct stream_past *past = timing_stream_past(t, l->stream);
	if (past) {
		cache_add_counts(&v->core_counts, &past->core);
		cache_add_counts(&v->l2_counts, &past->l2);
	}
	count_flits(v);
	v->tot_cycles = t->stats.tot_cycles + t->stats.cycles;
	v->tot_insts = t->stats.tot_insts + t->stats.insts;
	v->seconds = stats_seconds(st);
	size_t len;
	FILE *f = open_memstream(&v->icnt_text, &len);
	if (!f)
		mem_fail(0);
	icnt_print(t->icnt, put_stream, f);
	fclose(f);
}

void stat_release(struct stat_view *v) { free(v->icnt_text); }

// --- rows

static uint64_t stat_gl_stall(const struct stat_view *v, enum ldst_stall why)
{
	return v->sm.stall[LDST_G_MEM_LD][why] + v->sm.stall[LDST_G_MEM_ST][why] + v->sm.stall[LDST_L_MEM_LD][why] +
	       v->sm.stall[LDST_L_MEM_ST][why];
}

static const char *stat_fraction(uint64_t a, uint64_t b, char buf[64])
{
	snprintf(buf, 64, " = %llu/%llu = ", (ull)a, (ull)b);
	return buf;
}

static void stat_kernel_name(struct stat_out *o, const struct stat_view *v)
{
	if (o->json) {
		stat_text(o, "%s", v->l->info->name);
		return;
	}
	stat_say(o, "kernel_name = ");
	o->put(o->ctx, v->l->info->name);
	stat_say(o, " \n");
}

static void stat_time(struct stat_out *o, double seconds)
{
	unsigned sec = seconds < 1 ? 1 : (unsigned)seconds; // scripts divide by it
	stat_say(o, "gpgpu_simulation_time = %u days, %u hrs, %u min, %u sec (%u sec)\n", sec / 86400, sec / 3600 % 24, sec / 60 % 60, sec % 60,
	         sec);
	if (o->json)
		stat_cell_real(o, "", seconds);
}

static void stat_rates(struct stat_out *o, const struct stat_view *v)
{
	stat_open(o, '{');
	stat_key(o, "inst/sec");
	stat_cell(o, "gpgpu_simulation_rate = %llu (inst/sec)\n", stat_rate(v->tot_insts, v->seconds));
	if (v->t) {
		stat_key(o, "cycle/sec");
		stat_cell(o, "gpgpu_simulation_rate = %llu (cycle/sec)\n", stat_rate(v->tot_cycles, v->seconds));
	}
	stat_close(o, '}');
}

static void stat_slowdown(struct stat_out *o, const struct stat_view *v)
{
	uint64_t cycles = stat_rate(v->tot_cycles, v->seconds);
	stat_cell(o, "gpgpu_silicon_slowdown = %llux\n", v->t->desc.clock_hz[0] / (cycles ? cycles : 1));
}

void stat_walk(struct stat_out *o, const struct stat_view *v)
{
#define STAT_INT(name, before, after, unit, kind, value, description) \
	stat_int(o, name, before, after, unit, STAT_KIND_##kind, (uint64_t)(value), description);
#define STAT_REAL(name, before, format, after, unit, kind, value, description) \
	stat_real(o, name, before, format, after, unit, STAT_KIND_##kind, value, description);
#define STAT_TABLE(name, shape, unit, kind, call, description)           \
	stat_begin(o, name, unit, STAT_KIND_##kind, description);        \
	call;                                                            \
	stat_end(o);
#define STAT_SAY(text) stat_say(o, text);
#define STAT_IF(condition) if (condition) {
#define STAT_ENDIF }
#include "gpgpu-sim/stats/stats.def"
}

// --- functional mode: what can be said without time

static void classes(struct stat_out *o, const struct kernel_counts *c)
{
	static const char *const name[] = {
#define X(id, text) text,
		ISA_CLASSES(X)
#undef X
	};
	stat_begin(o, "gpgpu_n_w_icount", "warp instructions, thread instructions", STAT_KIND_KERNEL, "Instructions by class.");
	stat_open(o, '{');
	for (unsigned k = 0; k < ISA_N_CLASSES; k++) {
		if (!c->cls[k])
			continue;
		stat_key(o, "%s", name[k]);
		stat_open(o, '[');
		stat_say(o, "gpgpu_n_w_icount[%s] = ", name[k]);
		stat_cell(o, "%llu, ", c->cls[k]);
		stat_say(o, "gpgpu_n_thrd_icount[%s] = ", name[k]);
		stat_cell(o, "%llu\n", c->cls_thread[k]);
		stat_close(o, ']');
	}
	stat_close(o, '}');
	stat_end(o);
}

static void walk_functional(struct stat_out *o, const struct stat_view *v)
{
	const struct kernel_counts *t = &v->st->total, *k = &v->l->counts;
	double busy = v->st->busy;
	stat_begin(o, "kernel_name", "", STAT_KIND_KERNEL, "Mangled name of the kernel that has ended.");
	stat_kernel_name(o, v);
	stat_end(o);
	stat_int(o, "kernel_launch_uid", " = ", " \n", "", STAT_KIND_KERNEL, v->l->uid, "Number of the launch in the program, from 1.");
	stat_int(o, "kernel_stream_id", " = ", "\n", "", STAT_KIND_KERNEL, v->l->stream, "Stream it was launched in.");
	stat_int(o, "gpu_sim_insn", " = ", "\n", "thread instructions", STAT_KIND_KERNEL, k->thread_insts, "Thread instructions executed.");
	stat_int(o, "gpu_tot_sim_insn", " = ", "\n", "thread instructions", STAT_KIND_TOTAL, t->thread_insts, "Sum of gpu_sim_insn.");
	stat_int(o, "gpu_tot_issued_cta", " = ", "\n", "CTAs", STAT_KIND_TOTAL, t->ctas, "CTAs executed.");
	stat_int(o, "gpgpu_n_tot_thrd_icount", " = ", "\n", "thread instructions", STAT_KIND_TOTAL, t->thread_insts, "As gpu_tot_sim_insn.");
	stat_int(o, "gpgpu_n_tot_w_icount", " = ", "\n", "warp instructions", STAT_KIND_TOTAL, t->warp_insts, "Warp instructions executed.");
	stat_int(o, "gpu_total_sim_rate", "=", "\n", "thread instructions per second", STAT_KIND_RATE,
	         (uint64_t)((double)t->thread_insts / (busy > 1e-6 ? busy : 1e-6)), "By processor time of the simulation.");
	classes(o, k);
	stat_say(o, "GPGPU-Sim: Done functional simulation (%llu instructions simulated).\n\n\n", (ull)k->thread_insts);
	stat_begin(o, "gpgpu_simulation_time", "seconds", STAT_KIND_TOTAL, "Wall-clock time.");
	stat_time(o, v->seconds);
	stat_end(o);
	stat_begin(o, "gpgpu_simulation_rate", "per second", STAT_KIND_RATE, "Thread instructions by wall-clock time.");
	stat_rates(o, v);
	stat_end(o);
}

// --- both modes

static void walk(struct stat_out *o, void *ctx)
{
	const struct stat_view *v = ctx;
	if (v->t)
		stat_walk(o, v);
	else
		walk_functional(o, v);
}

void stats_print_kernel(struct stats *st, const struct kernel_launch *l, void (*put)(void *ctx, const char *text), void *ctx)
{
	struct stat_view v = {.st = st, .l = l, .seconds = stats_seconds(st), .tot_insts = st->total.thread_insts};
	char *text = NULL;
	size_t len = 0;
	if (st->timing)
		stat_gather(&v, st, l);
	FILE *f = open_memstream(&text, &len);
	if (!f)
		mem_fail(0);
	struct stat_out o = {.put = put_stream, .ctx = f};
	walk(&o, &v);
	if (st->timing && st->opt->gpgpu_cflog_interval)
		stats_flow_snapshot(st, f);
	fclose(f);
	put(ctx, text);
	free(text);
	stats_json_kernel(st, l, walk, &v);
	stats_lines_write(st);
	stats_visual_flush(st);
	stat_release(&v);
	if (st->timing)
		timing_end_interval(st->timing);
}
