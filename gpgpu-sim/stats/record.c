// -stats_record: what -stats_json has besides the statistics of a kernel, for heddle report: how it was launched,
// samples over time, and its code with counters of each instruction.
//
// A sample is a row of running totals. A kernel has at most MOST_SAMPLES: when there are more, every other one goes and
// the distance doubles. At each sample it is noted, too, for what every resident warp waits before which instruction:
// so many cycles as lie between two samples. All of it is read between two cycles, from counters that are kept anyway.
#include "gpgpu-sim/stats/record.h"

#include "base/kernel_select.h"
#include "base/mem.h"
#include "base/option_forms.h"
#include "base/options.h"
#include "gpgpu-sim/sm/inspect.h"
#include "gpgpu-sim/stats/sample.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	FIRST_DISTANCE = 37,      // core cycles; a prime, since loops like to take powers of two
	MOST_SAMPLES = 128,
	MOST_INSTS = 1 << 20,     // of a kernel, that are told apart
	MOST_SOURCE_LINE = 1000,  // bytes
};

#define SAMPLE_COLUMNS(X)                                                                                     \
	X(CYCLES, "cycles") X(INSTS, "thread_insts") X(WARP_INSTS, "warp_insts") X(SM_CYCLES, "sm_cycles")    \
	X(WARP_CYCLES, "warp_cycles") X(L1_ACCESSES, "l1_accesses") X(L1_MISSES, "l1_misses")                 \
	X(L2_ACCESSES, "l2_accesses") X(L2_MISSES, "l2_misses") X(DRAM_READS, "dram_reads")                   \
	X(DRAM_WRITES, "dram_writes")
enum {
#define X(id, name) COLUMN_##id,
	SAMPLE_COLUMNS(X)
#undef X
	COLUMN_SLOTS,                                       // one for each reason
	COLUMN_CHANNELS = COLUMN_SLOTS + SM_N_SLOT_REASONS, // commands of each DRAM channel; accesses of each L2 slice
};

struct record_inst {
	uint64_t wait[SM_N_WAITS]; // cycles of warps before it, as sampled
	struct sm_line before;     // its counters when the kernel before had ended
	char *text;                // of front ends that do not list their code
};

// The code of a kernel that runs or has run.
struct record_code {
	const void *code;
	char *name;
	uint32_t uid;              // of the launch that its text stands at; 0: at none yet
	VEC(struct record_inst) inst; // by pc over the length of an instruction
};

struct stat_record {
	uint64_t *row;             // MOST_SAMPLES + 2 rows; the first is the end of the kernel before
	uint32_t width, n;
	uint64_t every;
	struct kernel_select chosen; // kernels that are told of; none: all
	VEC(struct record_code *) code;
};

static uint64_t *row_at(const struct stat_record *r, uint32_t i) { return r->row + (size_t)i * r->width; }

void stats_record_init(struct stats *st)
{
	struct timing *t = st->timing;
	if (!st->opt->stats_record || !*st->opt->stats_json)
		return;
	struct stat_record *r = st->record = MEM_NEW(struct stat_record);
	r->width = COLUMN_CHANNELS + memory_n_channels(t->memory) + memory_n_sub(t->memory);
	r->row = mem_alloc((MOST_SAMPLES + 2) * (size_t)r->width * sizeof *r->row);
	r->n = 1;
	r->every = FIRST_DISTANCE;
	kernel_select_parse(&r->chosen, st->opt->stats_record_kernels, &(struct form_error){0}); // was checked when it was read
}

static void free_code(struct record_code *c)
{
	for (size_t i = 0; i < c->inst.n; i++)
		mem_free(c->inst.at[i].text);
	VEC_FREE(&c->inst);
	mem_free(c->name);
	mem_free(c);
}

void stats_record_free(struct stats *st)
{
	struct stat_record *r = st->record;
	if (!r)
		return;
	for (size_t i = 0; i < r->code.n; i++)
		free_code(r->code.at[i]);
	VEC_FREE(&r->code);
	kernel_select_free(&r->chosen);
	mem_free(r->row);
	mem_free(r);
	st->record = NULL;
}

// --- code

static struct record_code *code_of(struct stat_record *r, const struct kernel_launch *l)
{
	for (size_t i = r->code.n; i--;) {
		struct record_code *c = r->code.at[i];
		if (c->code == l->code && !strcmp(c->name, l->info->name))
			return c;
	}
	struct record_code *c = MEM_NEW(struct record_code);
	c->code = l->code;
	c->name = mem_strdup(l->info->name);
	VEC_PUSH(&r->code, c);
	return c;
}

void stats_record_forget(struct stats *st)
{
	for (size_t i = 0; st->record && i < st->record->code.n; i++)
		st->record->code.at[i]->uid = 0;
}

// NULL: beyond what is told apart.
static struct record_inst *inst_of(struct record_code *c, uint64_t index)
{
	if (index >= MOST_INSTS)
		return NULL;
	while (c->inst.n <= index)
		VEC_PUSH(&c->inst, ((struct record_inst){.text = NULL}));
	return &c->inst.at[index];
}

static void note_wait(struct stat_record *r, const struct sm *m, unsigned slot)
{
	const struct sm_warp *w = &m->warp[slot];
	const struct kernel_launch *l = w->k->launch;
	if (!w->next)
		return;
	struct record_inst *i = inst_of(code_of(r, l), w->next->pc / l->fe->inst_bytes);
	if (!i)
		return;
	i->wait[sm_wait_of(m, slot)] += r->every;
	if (!i->text && !l->fe->inst_at) {
		struct fe_place p;
		l->fe->place(l->code, w->next, &p);
		i->text = mem_strdup(p.text);
	}
}

// --- samples

static void take(const struct timing *t, uint64_t *to)
{
	uint64_t *slot = to + COLUMN_SLOTS, *channel = to + COLUMN_CHANNELS;
	uint64_t *sub = channel + memory_n_channels(t->memory);
	struct cache_sums s;
	memset(to, 0, COLUMN_CHANNELS * sizeof *to);
	to[COLUMN_CYCLES] = t->stats.cycles;
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		const struct sm *m = &t->sm[i];
		to[COLUMN_INSTS] += m->stats.thread_insts;
		to[COLUMN_WARP_INSTS] += m->stats.warp_insts;
		to[COLUMN_SM_CYCLES] += m->stats.cycles;
		to[COLUMN_WARP_CYCLES] += m->stats.warps;
		for (unsigned k = 0; k < t->core.n_schedulers; k++)
			stat_add(slot, m->stats.slot[k], SM_N_SLOT_REASONS * sizeof *slot);
		if (!m->ldst.l1d.cache)
			continue;
		cache_sums(m->ldst.l1d.cache, &s);
		to[COLUMN_L1_ACCESSES] += s.accesses;
		to[COLUMN_L1_MISSES] += s.misses;
	}
	for (unsigned i = 0; i < memory_n_sub(t->memory); i++) {
		memory_l2_sums(t->memory, i, &s);
		to[COLUMN_L2_ACCESSES] += sub[i] = s.accesses;
		to[COLUMN_L2_MISSES] += s.misses;
	}
	for (unsigned i = 0; i < memory_n_channels(t->memory); i++) {
		const struct dram_stats *d = memory_dram_stats(t->memory, i);
		const uint64_t reads = d->n_rd + d->n_rd_l2_a, writes = d->n_wr + d->n_wr_wb;
		to[COLUMN_DRAM_READS] += reads;
		to[COLUMN_DRAM_WRITES] += writes;
		channel[i] = reads + writes;
	}
}

uint64_t stats_record_next(const struct stats *st)
{
	const struct stat_record *r = st->record;
	return r ? (st->timing->stats.cycles / r->every + 1) * r->every : UINT64_MAX;
}

void stats_record_sample(struct stats *st)
{
	struct stat_record *r = st->record;
	const struct timing *t = st->timing;
	if (!r || t->stats.cycles % r->every)
		return;
	for (unsigned i = 0; i < t->core.n_sm; i++)
		for (uint64_t left = t->sm[i].resident; left; left &= left - 1)
			note_wait(r, &t->sm[i], (unsigned)__builtin_ctzll(left));
	take(t, row_at(r, r->n++));
	if (r->n <= MOST_SAMPLES)
		return;
	for (uint32_t i = 1; 2 * i < r->n; i++)
		memcpy(row_at(r, i), row_at(r, 2 * i), r->width * sizeof *r->row);
	r->n = (r->n + 1) / 2;
	r->every *= 2;
}

// --- JSON

static void numbers(struct stat_out *o, const char *name, const uint32_t *n, unsigned count)
{
	stat_key(o, "%s", name);
	stat_open(o, '[');
	for (unsigned i = 0; i < count; i++)
		stat_cell(o, "", n[i]);
	stat_close(o, ']');
}

static void number(struct stat_out *o, const char *name, uint64_t n)
{
	stat_key(o, "%s", name);
	stat_cell(o, "", n);
}

static void put_gpu(struct stat_out *o, const struct timing *t)
{
	const struct core_config *c = &t->core;
	struct dram_facts d;
	memory_dram_facts(t->memory, &d);
	stat_key(o, "gpu");
	stat_open(o, '{');
	stat_key(o, "core");
	stat_text(o, "%s", c->modern ? "modern" : "classic");
	number(o, "sms", c->n_sm);
	number(o, "schedulers", c->n_schedulers);
	number(o, "max_warps", c->max_warps);
	number(o, "max_threads", c->max_threads);
	number(o, "max_blocks", c->max_ctas);
	number(o, "registers", c->registers);
	number(o, "shared_bytes", c->shared_bytes);
	number(o, "core_hz", t->desc.clock_hz[CLOCK_CORE]);
	number(o, "l2_hz", t->desc.clock_hz[CLOCK_L2]);
	number(o, "dram_hz", t->desc.clock_hz[CLOCK_DRAM]);
	number(o, "compute_capability", (uint64_t)(t->desc.major * 10 + t->desc.minor));
	number(o, "l2_slices", memory_n_sub(t->memory));
	number(o, "dram_channels", memory_n_channels(t->memory));
	number(o, "dram_burst_bytes", d.bus_bytes * d.burst_length);
	number(o, "dram_bytes_per_tick", d.bus_bytes * (uint64_t)t->opt->dram_data_command_freq_ratio);
	stat_close(o, '}');
}

static void put_launch(struct stat_out *o, const struct timing *t, const struct kernel_launch *l)
{
	static const char *const limit[] = {"threads", "shared memory", "registers", "blocks"};
	const uint32_t shared = l->info->static_shared + l->dynamic_shared;
	const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
	unsigned limits;
	stat_key(o, "launch");
	stat_open(o, '{');
	numbers(o, "grid", l->grid, 3);
	numbers(o, "block", l->block, 3);
	if (l->cluster[0])
		numbers(o, "cluster", l->cluster, 3);
	number(o, "registers", l->info->regs);
	number(o, "static_shared", l->info->static_shared);
	number(o, "dynamic_shared", l->dynamic_shared);
	number(o, "local", l->info->local);
	number(o, "blocks_per_sm", core_max_ctas(&t->core, threads, l->info->regs, shared, &limits));
	stat_key(o, "limited_by");
	stat_open(o, '[');
	for (unsigned i = 0; i < 4; i++)
		if (limits >> i & 1)
			stat_text(o, "%s", limit[i]);
	stat_close(o, ']');
	stat_close(o, '}');
}

// What each sample added to a column.
static void put_column(struct stat_out *o, const struct stat_record *r, unsigned column)
{
	stat_open(o, '[');
	for (uint32_t i = 1; i < r->n; i++)
		stat_cell(o, "", row_at(r, i)[column] - row_at(r, i - 1)[column]);
	stat_close(o, ']');
}

static void put_columns(struct stat_out *o, const struct stat_record *r, const char *name, unsigned first, unsigned n)
{
	stat_key(o, "%s", name);
	stat_open(o, '[');
	for (unsigned i = 0; i < n; i++)
		put_column(o, r, first + i);
	stat_close(o, ']');
}

static void put_samples(struct stat_out *o, const struct stats *st)
{
	static const char *const column[] = {
#define X(id, name) name,
		SAMPLE_COLUMNS(X)
#undef X
	};
	static const char *const reason[] = {
#define X(id, text) #id,
		SM_SLOT_REASONS(X)
#undef X
	};
	const struct stat_record *r = st->record;
	const unsigned channels = memory_n_channels(st->timing->memory), subs = memory_n_sub(st->timing->memory);
	stat_key(o, "samples");
	stat_open(o, '{');
	for (unsigned i = 0; i < COLUMN_SLOTS; i++) {
		stat_key(o, "%s", column[i]);
		put_column(o, r, i);
	}
	stat_key(o, "issue_slots");
	stat_open(o, '{');
	for (unsigned i = 0; i < SM_N_SLOT_REASONS; i++)
		if (row_at(r, r->n - 1)[COLUMN_SLOTS + i] != row_at(r, 0)[COLUMN_SLOTS + i]) {
			stat_key(o, "%s", reason[i]);
			put_column(o, r, COLUMN_SLOTS + i);
		}
	stat_close(o, '}');
	put_columns(o, r, "dram", COLUMN_CHANNELS, channels);
	put_columns(o, r, "l2", COLUMN_CHANNELS + channels, subs);
	stat_close(o, '}');
}

// The lines of source files that instructions name, in the order of files and lines.
struct source_line {
	const char *file;
	uint32_t line;
};

static int by_place(const void *a, const void *b)
{
	const struct source_line *x = a, *y = b;
	int c = strcmp(x->file, y->file);
	return c ? c : x->line < y->line ? -1 : x->line > y->line;
}

static void put_source_lines(struct stat_out *o, const struct source_line *s, size_t n)
{
	char text[MOST_SOURCE_LINE];
	uint32_t at = 1;
	bool begins = true;
	struct stat what;
	FILE *f = !stat(s->file, &what) && S_ISREG(what.st_mode) ? fopen(s->file, "r") : NULL;
	for (; f && n && fgets(text, sizeof text, f); at += begins) {
		const size_t len = strcspn(text, "\n");
		const bool ends = text[len] == '\n';
		text[len] = 0;
		if (begins && at == s->line) {
			stat_open(o, '[');
			stat_cell(o, "", at);
			stat_text(o, "%s", text);
			stat_close(o, ']');
			for (const uint32_t told = at; n && s->line == told; s++)
				n--;
		}
		begins = ends;
	}
	if (f)
		fclose(f);
}

static void put_sources(struct stat_out *o, struct source_line *s, size_t n)
{
	qsort(s, n, sizeof *s, by_place);
	stat_key(o, "sources");
	stat_open(o, '[');
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i; next < n && !strcmp(s[next].file, s[i].file); next++)
			continue;
		stat_open(o, '{');
		stat_key(o, "file");
		stat_text(o, "%s", s[i].file);
		stat_key(o, "lines");
		stat_open(o, '[');
		put_source_lines(o, s + i, next - i);
		stat_close(o, ']');
		stat_close(o, '}');
	}
	stat_close(o, ']');
}

// Where an instruction stands; false if it was not seen, where the front end does not list its code.
static bool place_of(const struct record_code *c, const struct kernel_launch *l, uint64_t index, struct fe_place *p)
{
	if (l->fe->inst_at) {
		const struct isa_inst *i = l->fe->inst_at(l->code, index * l->fe->inst_bytes);
		if (i)
			l->fe->place(l->code, i, p);
		return i;
	}
	if (!c->inst.at[index].text)
		return false;
	*p = (struct fe_place){.function = l->info->name};
	snprintf(p->text, sizeof p->text, "%s", c->inst.at[index].text);
	return true;
}

// A row for each instruction: place among the kernel's code, pc, function, its text, line of PTX, file and line of the
// source.
static void put_listing(struct stat_out *o, const struct record_code *c, const struct kernel_launch *l)
{
	VEC(struct source_line) source = {0};
	struct fe_place p;
	stat_key(o, "listing");
	stat_open(o, '[');
	for (uint64_t i = 0; i < c->inst.n; i++) {
		if (!place_of(c, l, i, &p))
			continue;
		stat_open(o, '[');
		stat_cell(o, "", i);
		stat_cell(o, "", i * l->fe->inst_bytes);
		stat_text(o, "%s", p.function);
		stat_text(o, "%s", p.text);
		stat_cell(o, "", p.line);
		stat_text(o, "%s", p.source ? p.source : "");
		stat_cell(o, "", p.source ? p.source_line : 0);
		stat_close(o, ']');
		if (p.source && p.source_line)
			VEC_PUSH(&source, ((struct source_line){p.source, p.source_line}));
	}
	stat_close(o, ']');
	if (source.n)
		put_sources(o, source.at, source.n);
	VEC_FREE(&source);
}

// The counters of an instruction so far. base 0: there are none.
static struct sm_line counters_of(const struct stats *st, uint32_t base, size_t index)
{
	struct sm_line now = {{0}};
	if (base) {
		now = timing_line(st->timing, base + (uint32_t)index);
		now.n[SM_LINE_DRAM] = memory_line_bytes(st->timing->memory, base + (uint32_t)index);
	}
	return now;
}

// Instructions that never ran have a place, too, where the front end lists its code.
static void know_code(struct record_code *c, const struct kernel_launch *l)
{
	if (l->fe->inst_at)
		for (uint64_t n = 0; l->fe->inst_at(l->code, n * l->fe->inst_bytes); n++)
			inst_of(c, n);
}

// Counts of a kernel that is not told of are not the next one's.
static void pass_over(struct stats *st, const struct kernel_launch *l)
{
	struct record_code *c = code_of(st->record, l);
	const uint32_t base = stats_lines_of(st, l);
	know_code(c, l);
	for (size_t i = 0; i < c->inst.n; i++) {
		c->inst.at[i].before = counters_of(st, base, i);
		memset(c->inst.at[i].wait, 0, sizeof c->inst.at[i].wait);
	}
}

// A row for each instruction that was executed or waited for: its place, counters, and the cycles of warps by what they
// waited for.
static void put_counters(struct stat_out *o, struct stats *st, struct record_code *c, const struct kernel_launch *l)
{
	static const char *const counter[] = { // by enum sm_line_counter; NULL: not told
		"threads", "latency", "dram_bytes", "shared_cycles", "shared_warps", "global_requests", "global_warps",
		NULL, "diverged", "warps"};
	static const char *const wait[] = {
#define X(name, text) #name,
		SM_WAITS(X)
#undef X
	};
	const uint32_t base = stats_lines_of(st, l);
	stat_key(o, "columns");
	stat_open(o, '[');
	stat_text(o, "index");
	for (unsigned k = 0; base && k < SM_N_LINE_COUNTERS; k++)
		if (counter[k])
			stat_text(o, "%s", counter[k]);
	for (unsigned k = 0; k < SM_N_WAITS; k++)
		stat_text(o, "%s", wait[k]);
	stat_close(o, ']');
	stat_key(o, "counters");
	stat_open(o, '[');
	for (size_t i = 0; i < c->inst.n; i++) {
		struct record_inst *s = &c->inst.at[i];
		const struct sm_line now = counters_of(st, base, i);
		uint64_t any = 0;
		for (unsigned k = 0; k < SM_N_LINE_COUNTERS; k++)
			any |= now.n[k] - s->before.n[k];
		for (unsigned k = 0; k < SM_N_WAITS; k++)
			any |= s->wait[k];
		if (!any)
			continue;
		stat_open(o, '[');
		stat_cell(o, "", i);
		for (unsigned k = 0; base && k < SM_N_LINE_COUNTERS; k++)
			if (counter[k])
				stat_cell(o, "", now.n[k] - s->before.n[k]);
		for (unsigned k = 0; k < SM_N_WAITS; k++)
			stat_cell(o, "", s->wait[k]);
		stat_close(o, ']');
		s->before = now;
		memset(s->wait, 0, sizeof s->wait);
	}
	stat_close(o, ']');
}

static void put_code(struct stat_out *o, struct stats *st, const struct kernel_launch *l)
{
	struct record_code *c = code_of(st->record, l);
	know_code(c, l);
	stat_key(o, "code");
	stat_open(o, '{');
	stat_key(o, "front_end");
	stat_text(o, "%s", l->fe->name);
	if (!c->uid || !l->fe->inst_at)
		c->uid = l->uid;
	number(o, "of", c->uid);
	if (c->uid == l->uid)
		put_listing(o, c, l);
	put_counters(o, st, c, l);
	stat_close(o, '}');
}

static void put_record(struct stat_out *o, struct stats *st, const struct kernel_launch *l)
{
	stat_key(o, "record");
	stat_open(o, '{');
	put_gpu(o, st->timing);
	put_launch(o, st->timing, l);
	put_samples(o, st);
	put_code(o, st, l);
	stat_close(o, '}');
}

void stats_record_kernel(struct stats *st, struct stat_out *o, const struct kernel_launch *l)
{
	struct stat_record *r = st->record;
	if (!r)
		return;
	if (row_at(r, r->n - 1)[COLUMN_CYCLES] != st->timing->stats.cycles || r->n == 1)
		r->n++;
	take(st->timing, row_at(r, r->n - 1));
	if (!r->chosen.item.n || kernel_select_has(&r->chosen, l->uid, l->info->name))
		put_record(o, st, l);
	else
		pass_over(st, l);
	memcpy(row_at(r, 0), row_at(r, r->n - 1), r->width * sizeof *r->row);
	row_at(r, 0)[COLUMN_CYCLES] = 0;
	r->n = 1;
	r->every = FIRST_DISTANCE;
}
