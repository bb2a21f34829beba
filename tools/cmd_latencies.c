// heddle latencies: what NVIDIA's compiler takes for the latencies of instructions, mined from machine code.
#include "tools/latencies.h"
#include "tools/tools.h"

#include "base/mem.h"
#include "gpgpu-sim/sm/core_config.h"
#include "libcuda/image/cubin_parts.h"
#include "tools/config_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARCHS = 8 };
// The configuration by which code of an architecture is judged, with its capability. None has a GPU of 10.0: units of an H100.
static const struct { unsigned arch; const char *config; } judged[ARCHS] = {
	{70, "SM7_QV100"}, {75, "SM75_RTX2080_TI"}, {80, "SM80_A100"}, {86, "SM86_RTXA6000"}, {89, "SM86_RTXA6000"}, {90, "SM90_H100"},
	{100, "SM90_H100"}, {120, "SM120_RTX5070_TI"}};

struct gpu {
	struct options options;
	struct core_config core;
	struct modern_config modern;
	struct arena arena;
	struct sass_isa *isa;
};

struct mining {
	struct lat lat;
	struct gpu gpu[ARCHS];
};

static bool begin_gpu(struct gpu *g, unsigned i, struct diag *d)
{
	char major[12], minor[12];
	snprintf(major, sizeof major, "%u", judged[i].arch / 10);
	snprintf(minor, sizeof minor, "%u", judged[i].arch % 10);
	char *argv[] = {(char[]){"latencies"}, (char[]){"-c"}, (char *)judged[i].config, (char[]){"-gpgpu_compute_capability_major"}, major,
	                (char[]){"-gpgpu_compute_capability_minor"}, minor, NULL};
	struct config_args a = {0};
	bool ok = config_args_take_all(&a, 7, argv, d) && config_args_read(&a, &g->options, d) && core_config_from_options(&g->core, &g->options, d) &&
	          modern_config_from_options(&g->modern, &g->core, &g->options, d);
	config_args_free(&a);
	g->isa = sass_isa_new(&g->arena, (enum sass_generation)sass_generation_of(judged[i].arch));
	return ok;
}

static bool mine_cubin(struct mining *m, const char *path, const void *data, size_t size, struct diag *d)
{
	struct cubin_parts c;
	bool ok = cubin_parts_read(&c, data, size, d);
	unsigned i = 0;
	while (ok && i < ARCHS && judged[i].arch != c.arch)
		i++;
	for (size_t k = 0; ok && i < ARCHS && k < c.function.n; k++) {
		const struct cubin_function *f = &c.function.at[k];
		char where[400];
		const char *file = strrchr(path, '/');
		snprintf(where, sizeof where, "%s %s", file ? file + 1 : path, f->name);
		lat_mine(&m->lat, m->gpu[i].isa, c.arch, f->code, f->size, where, &m->gpu[i].modern, &m->gpu[i].core);
	}
	cubin_parts_free(&c);
	return ok;
}

static bool mine_file(struct mining *m, const char *path, struct diag *d)
{
	struct elf64_file file;
	struct fatbin f;
	bool ok = tool_open_fatbin(path, &file, &f);
	for (size_t i = 0; ok && i < f.entry.n; i++) {
		const struct fatbin_entry *e = &f.entry.at[i];
		struct arena arena = {0};
		const char *bytes;
		size_t len;
		if (e->kind == FATBIN_CUBIN)
			ok &= fatbin_payload(e, &arena, &bytes, &len, d) && mine_cubin(m, path, bytes, len, d);
		arena_free(&arena);
	}
	fatbin_free(&f);
	elf64_unmap_file(&file);
	return ok;
}

// --- the tables

static const char intro[] =
"# Latencies by the compiler's own stall counts\n"
"\n"
"Made by `bin/heddle latencies FILE...`; do not edit.\n"
"\n"
"A **stall count** is the number of cycles that hardware lets pass between the issue of an instruction and of the next one of its warp.\n"
"NVIDIA's hardware does not check whether a result of fixed latency is there: the compiler knows the latency and sets stall counts that cover\n"
"it. So compiled code tells latencies. An example:\n"
"\n"
"    [B------:R-:W-:-:S04] IADD3 R4, R2, R3, RZ\n"
"    [B------:R-:W-:-:S01] LOP3.LUT R5, R4, 0xf, RZ, 0xc0, !PT\n"
"\n"
"`S04` is the stall count. LOP3 reads R4 four cycles after IADD3 has issued. Were the latency five, this code would be wrong. If millions of\n"
"instructions never show a distance below four, four is the latency.\n"
"\n"
"The tool walks from each result without a dependence counter along the code as long as it runs straight on (past branches that are not\n"
"taken, up to 48 cycles), adds up stall counts, and keeps the smallest sum for each kind of producer and reader. A walk ends at barriers,\n"
"calls and waits for a counter that went up meanwhile: there more time passes than stall counts say. Two instructions of opposite guards do not depend\n"
"on each other.\n"
"\n"
"How to read the tables: a cell is the smallest distance in code for that architecture. Where the modern core's table\n"
"(`gpgpu-sim/modern/distance.c`) asks for another distance, that follows behind a stroke: `6/4` means compiled code leaves 6 and the core asks for 4.\n"
"Compiled code is right by that, too, so the checker of control bits is silent on it; but a stall count that is too small by one it lets pass\n"
"there. It is so where compiled code shows a pair rarely, where the true latency may be less, and for readers that the core does not tell apart.\n"
"A dash: compiled code never showed the pair. Kinds are units of the core; `imad.wide` is the IMAD with a 64-bit result, `half.mma` HFMA2.MMA, `uniform move`\n"
"UMOV, ULDC and VOTEU. Readers that take operands late have names of their own: `memory` (but LDC, textures, MATCH), `queued` (those\n"
"and special functions, conversions, barriers, and what has a dependence counter: BREV, FLO, POPC), `double`, `guard` and `branch` (guards and\n"
"votes, and branches, which look at predicates ahead of the pipes).\n"
"R, UR, P and UP are regular and uniform registers, regular and uniform predicates.\n"
"\n"
"What was measured wins over what was mined: on Ampere 4 cycles for FADD, FMUL, FFMA, IADD3 and MOV, 5 in front of memory instructions and 13 for\n"
"predicates as guards (RTX A6000, docs/modern-sources.md), and 4.02 to 4.05 for FADD, FMUL and FFMA on Turing and Ada. They agree with what was\n"
"mined. For HADD2 the paper has 5 on the RTX A6000: so much compiled code leaves in front of other pipes, but 4 from one of the half precision pipe to\n"
"the next and to special functions, for sm_86 and sm_89 as for sm_80, whose code runs on an RTX A6000, too. The core asks for 4 there.\n"
"\n"
"On Blackwell code tells more of the pipes, since from one to another a result takes 5 cycles, not 4. On sm_100, sm_103 and sm_110 FMNMX, FSEL and\n"
"FSETP are with the integers (`int`), VIADD and IDP with single precision and IMAD (`sp`). On sm_120 FMNMX, FSEL, FSETP, MOV, SEL, ISETP and VIMNMX\n"
"are 5 cycles from all, each other too, as if their pipe were not known before (`either`), and integers of 64 bits have one of their own (`int64`).\n"
"Double precision has a fixed latency on sm_90 and sm_100, not on sm_103 and sm_110.\n";

static bool shown(const unsigned *arch, size_t n, unsigned a)
{
	for (size_t i = 0; i < n; i++)
		if (arch[i] == a)
			return true;
	return false;
}

// All pairs of one sort, a row for each and a column for each architecture. `asked`: with what the core asks for.
static void table(const struct lat *l, const struct lat_pair *p, enum lat_what what, const unsigned *arch, size_t n_arch, bool asked)
{
	unsigned rows = 0;
	char *done = mem_alloc(l->n_pair + 1);
	for (size_t i = 0; i < l->n_pair; i++) {
		if (p[i].what != what || done[i])
			continue;
		if (!rows++) {
			printf("\n| producer | reader |");
			for (size_t a = 0; a < n_arch; a++)
				printf(" sm_%u |", arch[a]);
			printf("\n|---|---|");
			for (size_t a = 0; a < n_arch; a++)
				printf("--:|");
			putchar('\n');
		}
		printf("| %s | %s |", l->kind.at[p[i].from], l->kind.at[p[i].to]);
		for (size_t a = 0; a < n_arch; a++) {
			size_t j = i;
			while (j < l->n_pair && !(p[j].arch == arch[a] && p[j].what == what && p[j].from == p[i].from && p[j].to == p[i].to))
				j++;
			if (j == l->n_pair) {
				printf(" - |");
				continue;
			}
			done[j] = 1;
			if (asked && p[j].asked != p[j].least)
				printf(" %u/%u |", p[j].least, p[j].asked);
			else
				printf(" %u |", p[j].least);
		}
		putchar('\n');
	}
	if (!rows)
		printf("\nNone.\n");
	mem_free(done);
}

static void conflicts(const struct lat *l, const struct lat_pair *p)
{
	unsigned n = 0;
	for (size_t i = 0; i < l->n_pair; i++)
		if (p[i].excess) {
			printf("%s- sm_%u, %s to %s: %u cycles less than the core asks for, in `%s`\n", n ? "" : "\n", p[i].arch, l->kind.at[p[i].from],
			       l->kind.at[p[i].to], p[i].excess, p[i].example);
			n++;
		}
	if (!n)
		printf("\nNowhere.\n");
}

static int by_arch(const void *a, const void *b)
{
	unsigned x = ((const struct lat_kept *)a)->arch, y = ((const struct lat_kept *)b)->arch;
	return (x > y) - (x < y);
}

static void reuse(struct lat *l)
{
	qsort(l->kept.at, l->kept.n, sizeof *l->kept.at, by_arch);
	printf("\n| architecture | kept | read from there | overwritten before |\n|---|--:|--:|--:|\n");
	for (size_t i = 0; i < l->kept.n; i++)
		printf("| sm_%u | %llu | %llu | %llu |\n", l->kept.at[i].arch, (unsigned long long)l->kept.at[i].kept, (unsigned long long)l->kept.at[i].read,
		       (unsigned long long)l->kept.at[i].old);
	for (size_t i = 0; i < l->kept.n; i++)
		if (l->kept.at[i].example)
			printf("\nOverwritten before: `%s`\n", l->kept.at[i].example);
}

static void tables(struct mining *m)
{
	struct lat *l = &m->lat;
	struct lat_pair *p = lat_sorted(l);
	unsigned arch[ARCHS];
	size_t n_arch = 0;
	uint64_t n = 0;
	unsigned cells = 0, less = 0;
	for (size_t i = 0; i < l->n_pair; i++) {
		n += p[i].what == LAT_RAW ? p[i].n : 0;
		cells += p[i].what == LAT_RAW;
		less += p[i].what == LAT_RAW && p[i].asked < p[i].least;
		if (!shown(arch, n_arch, p[i].arch))
			arch[n_arch++] = p[i].arch;
	}
	fputs(intro, stdout);
	printf("\nFigures below: %llu instructions in %llu functions, %llu dependences.\n", (unsigned long long)l->instructions,
	       (unsigned long long)l->functions, (unsigned long long)n);
	printf("\n## A result is read\n\nIn %u of %u cells the core asks for less than compiled code leaves.\n", less, cells);
	table(l, p, LAT_RAW, arch, n_arch, true);
	printf("\n## A result is overwritten\n\nHere the core asks only that results come in the order of the code.\n");
	table(l, p, LAT_WAW, arch, n_arch, false);
	printf("\n## A source of a variable latency is overwritten, and no counter protects it\n\nFrom these rows follows what is read at issue (guards, uniform "
	       "registers) and what reads in order (one unit).\n");
	table(l, p, LAT_WAR, arch, n_arch, false);
	printf("\n## Results of variable latency without a dependence counter\n");
	table(l, p, LAT_NO_COUNTER, arch, n_arch, false);
	printf("\n## Results with a dependence counter that nobody waits for\n");
	table(l, p, LAT_NO_WAIT, arch, n_arch, false);
	printf("\n## Where the core asks for more than compiled code leaves\n");
	conflicts(l, p);
	printf("\n## Operands kept for reuse\n\nThe register-file cache does not see that a register is overwritten, so that an operand must not be read from there after that. "
	       "Compilers set a reuse\nbit where the operand is read again: nearly all of them being so shows that slots are where the core has them.\n");
	reuse(l);
	mem_free(p);
}

static const char usage[] = "usage: heddle latencies [--opcodes] FILE...\n";

static void list(const struct lat *l)
{
	static const char *const what[LAT_N] = {"read", "overwritten", "source-overwritten", "no-counter", "no-wait"};
	struct lat_pair *p = lat_sorted(l);
	for (size_t i = 0; i < l->n_pair; i++)
		printf("%u\t%s\t%s\t%s\t%u\t%u\t%llu\t%s\n", p[i].arch, what[p[i].what], l->kind.at[p[i].from], l->kind.at[p[i].to], p[i].least, p[i].asked,
		       (unsigned long long)p[i].n, p[i].example);
	mem_free(p);
}

int cmd_latencies(int argc, char **argv)
{
	struct mining m = {0};
	struct diag d = {0};
	int first = 1;
	bool ok = true;
	if (first < argc && !strcmp(argv[first], "--opcodes"))
		m.lat.opcodes = true, first++;
	if (first >= argc || argv[first][0] == '-') {
		fputs(usage, stderr);
		return 2;
	}
	for (unsigned i = 0; ok && i < ARCHS; i++)
		ok = begin_gpu(&m.gpu[i], i, &d);
	if (ok)
		diag_free(&d), d = (struct diag){0}; // notes about configurations, of which only latencies are used
	bool readable = true;
	for (int i = first; ok && i < argc; i++)
		readable &= mine_file(&m, argv[i], &d);
	diag_print(&d);
	if (ok && m.lat.opcodes)
		list(&m.lat);
	else if (ok)
		tables(&m);
	for (unsigned i = 0; i < ARCHS; i++) {
		options_free(&m.gpu[i].options);
		arena_free(&m.gpu[i].arena);
	}
	lat_free(&m.lat);
	diag_free(&d);
	return !ok || !readable;
}
