// Counters of lines (isa/place.h says whose): -enable_ptx_file_line_stats writes them to -ptx_line_stats_filename in GPGPU-Sim's
// form after every kernel, if that file is wanted. While a kernel runs, each of its instructions has an entry of its own, found
// by its place in the code; entries of the same file and line (a function that two kernels call) are added up when the file is
// written.
#include "gpgpu-sim/stats/sample.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/output.h"
#include "base/vec.h"
#include "isa/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct line_place {
	uint32_t file, line, entry;
};

struct line_code {
	const void *code;
	char *name;
	uint32_t base, n;
};

struct stat_lines {
	VEC(struct line_code) code;
	VEC(char *) file;
	VEC(struct line_place) place;  // by file and line; entry 0 is nobody's
	uint32_t n;
	bool failed, left_out;
};

// GPGPU-Sim's configurations all say -enable_ptx_file_line_stats 1, and name no file: that alone is no wish for one.
static bool file_wanted(const struct options *o)
{
	return o->enable_ptx_file_line_stats && *o->ptx_line_stats_filename &&
	       (o->visualizer_enabled || o->origin[OPT_ptx_line_stats_filename].source != FROM_DEFAULT);
}

static bool counted(const struct stats *st) { return st->record || file_wanted(st->opt); }

void stats_lines_init(struct stats *st)
{
	const struct options *o = st->opt;
	if (counted(st) || o->visualizer_enabled || o->gpgpu_cflog_interval)
		st->lines = MEM_NEW(struct stat_lines);
}

static void fail(struct stats *st, int error)
{
	fprintf(stderr, "heddle: error: cannot write -ptx_line_stats_filename %s: %s\n", st->opt->ptx_line_stats_filename, output_why(error));
	st->lines->failed = st->output_failed = true;
}

void stats_lines_free(struct stats *st)
{
	struct stat_lines *s = st->lines;
	if (!s)
		return;
	for (size_t i = 0; i < s->code.n; i++)
		mem_free(s->code.at[i].name);
	for (size_t i = 0; i < s->file.n; i++)
		mem_free(s->file.at[i]);
	VEC_FREE(&s->code);
	VEC_FREE(&s->file);
	VEC_FREE(&s->place);
	mem_free(s);
}

// Readers split lines at blanks: "(embedded compute_70)" becomes embedded.compute_70.ptx.
static void plain_name(const char *name, char *buf, size_t len)
{
	size_t n = strlen(name);
	bool embedded = n > 2 && name[0] == '(' && name[n - 1] == ')';
	snprintf(buf, len, "%.*s%s", (int)(embedded ? n - 2 : n), name + embedded, embedded ? ".ptx" : "");
	for (char *c = buf; *c; c++)
		if (*c == ' ' || *c == '\t')
			*c = '.';
}

static uint32_t file_number(struct stat_lines *s, const char *long_name)
{
	char name[512];
	plain_name(long_name, name, sizeof name);
	for (size_t i = 0; i < s->file.n; i++)
		if (!strcmp(s->file.at[i], name))
			return (uint32_t)i;
	VEC_PUSH(&s->file, mem_strdup(name));
	return (uint32_t)s->file.n - 1;
}

static int by_line(const void *a, const void *b)
{
	const struct line_place *x = a, *y = b;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static void grow(struct stats *st, uint32_t n)
{
	struct stat_lines *s = st->lines;
	if (st->opt->visualizer_enabled || st->opt->gpgpu_cflog_interval)
		for (unsigned i = 0; i < st->timing->core.n_sm; i++) {
			uint32_t **flow = &st->timing->sm[i].flow;
			*flow = mem_realloc(*flow, n * sizeof **flow);
			memset(*flow + s->n, 0, (n - s->n) * sizeof **flow);
		}
	s->n = n;
	if (!counted(st))
		return;
	timing_count_lines(st->timing, n);
	memory_count_lines(st->timing->memory, n);
}

// A front end that does not know its code ahead cannot say which lines there are. GPGPU-Sim's configurations ask for counters
// in any case, so only who names the file or wants a log is told, once.
static void leave_out(struct stats *st, const struct kernel_launch *l)
{
	const struct options *o = st->opt;
	char line[400];
	if (st->lines->left_out || !(o->visualizer_enabled || o->gpgpu_cflog_interval || o->origin[OPT_ptx_line_stats_filename].source != FROM_DEFAULT))
		return;
	st->lines->left_out = true;
	snprintf(line, sizeof line, "heddle: kernel '%.200s' is left out of the counters of lines: a %s does not list its code\n", l->info->name,
	         l->fe->name);
	timing_note(st->timing, line);
}

// Entry of the first instruction of the kernel's code; 0, nobody's, if lines are not counted or the code is not known ahead.
uint32_t stats_lines_of(struct stats *st, const struct kernel_launch *l)
{
	struct stat_lines *s = st->lines;
	const struct isa_inst *inst;
	if (!s)
		return 0;
	if (!l->fe->inst_at) {
		leave_out(st, l);
		return 0;
	}
	uint32_t n = 0;
	const uint64_t bytes = l->fe->inst_bytes;
	while (l->fe->inst_at(l->code, n * bytes))
		n++;
	for (size_t i = 0; i < s->code.n; i++)
		if (s->code.at[i].code == l->code && s->code.at[i].n == n && !strcmp(s->code.at[i].name, l->info->name))
			return s->code.at[i].base;
	struct line_code c = {.code = l->code, .name = mem_strdup(l->info->name), .base = s->n ? s->n : 1, .n = n};
	for (uint32_t i = 0; (inst = l->fe->inst_at(l->code, i * bytes)); i++) {
		struct fe_place p;
		char file[512];
		struct line_place where = {.entry = c.base + i};
		l->fe->place(l->code, inst, &p);
		place_line(&p, i + 1, file, sizeof file, &where.line);
		where.file = file_number(s, file);
		VEC_PUSH(&s->place, where);
	}
	qsort(s->place.at, s->place.n, sizeof *s->place.at, by_line);
	VEC_PUSH(&s->code, c);
	grow(st, c.base + n);
	return c.base;
}

void stats_lines_write(struct stats *st)
{
	struct stat_lines *s = st->lines;
	if (!s || s->failed || !file_wanted(st->opt))
		return;
	FILE *f = output_open(st->opt->ptx_line_stats_filename);
	if (!f) {
		fail(st, errno);
		return;
	}
	struct output_hold h;
	output_hold_signal(&h);
	fputs("kernel line : count latency dram_traffic smem_bk_conflicts smem_warp gmem_access_generated gmem_warp exposed_latency "
	      "warp_divergence\n",
	      f);
	for (size_t i = 0, next; i < s->place.n; i = next) {
		const struct line_place *p = &s->place.at[i];
		uint64_t sum[SM_N_LINE_PRINTED] = {0}, any = 0;
		for (next = i; next < s->place.n && s->place.at[next].file == p->file && s->place.at[next].line == p->line; next++) {
			uint32_t e = s->place.at[next].entry;
			const struct sm_line one = timing_line(st->timing, e);
			for (unsigned k = 0; k < SM_N_LINE_PRINTED; k++)
				sum[k] += one.n[k];
			sum[SM_LINE_DRAM] += memory_line_bytes(st->timing->memory, e);
		}
		for (unsigned k = 0; k < SM_N_LINE_PRINTED; k++)
			any |= sum[k];
		if (!any)
			continue;
		fprintf(f, "%s %u : ", s->file.at[p->file], p->line);
		for (unsigned k = 0; k < SM_N_LINE_PRINTED; k++)
			fprintf(f, "%llu ", (unsigned long long)sum[k]);
		fputc('\n', f);
	}
	bool ok = !fflush(f) && !ferror(f);
	int error = errno;
	ok = !fclose(f) && ok;
	output_drop_signal(&h);
	if (!ok)
		fail(st, error);
}

void stats_flow_print(struct stats *st, unsigned sm, const char *head, FILE *to)
{
	const struct stat_lines *s = st->lines;
	uint32_t *flow = st->timing->sm[sm].flow;
	bool any = false;
	fprintf(to, head, sm);
	for (size_t i = 0; flow && i < s->place.n; i++) {
		uint32_t *n = &flow[s->place.at[i].entry];
		if (*n)
			fprintf(to, "%u %u ", s->place.at[i].line, *n);
		any |= *n;
		*n = 0;
	}
	fputs(any ? "\n" : "0 0 \n", to);
}
