// The checker of control bits speaks: for each kind of producer and reader of docs/latencies.md, a stall count one below what
// NVIDIA's compiler leaves, and a wait that is left out.
#include "tests/unit/modern_harness.h"

#include <check.h>
#include <stdlib.h>

// What writes register 4 or predicate 0, and what reads it ($: the register).
struct sample {
	const char *kind, *text;
};

static const struct sample producers[] = {
	{"CREDUX UR", "CREDUX.MAX UR4, R1"}, {"ELECT UR", "ELECT P1, UR4, PT"},
	{"int R", "IADD3 R4, R1, R2, R3"}, {"sp R", "FADD R4, R1, R2"}, {"imad R", "IMAD R4, R1, R2, R3"},
	{"imad.wide R", "IMAD.WIDE R4, R10, R11, R12"}, {"imad.wide R low", "IMAD.WIDE R4, R10, R11, R12"}, {"half R", "HADD2 R4, R1, R2"},
	{"half.mma R", "HFMA2.MMA R4, R1, R2, R3"}, {"predicate R", "P2R R4, PR, RZ, 0x7f"}, {"dp R", "DADD R4, R10, R12"}, {"VOTE R", "VOTE.ANY R4, PT, P3"},
	{"int P", "ISETP.NE.AND P0, PT, R1, R2, PT"}, {"sp P", "FSETP.NEU.AND P0, PT, R1, R2, PT"}, {"predicate P", "PLOP3.LUT P0, PT, P1, P2, PT, 0x8, 0x0"},
	{"imad P", "IMAD.HI R8, P0, R1, R2, R3"}, {"imad.wide P", "IMAD.WIDE R8, P0, R1, R2, R10"}, {"half P", "HSETP2.GT.AND P0, PT, R1, R2, PT"},
	{"dp P", "DSETP.GT.AND P0, PT, R10, R12, PT"}, {"R2UR P", "R2UR P0, UR8, R1"}, {"VOTE P", "VOTE.ANY P0, P3"},
	{"uniform UR", "UIADD3 UR4, UR6, UR7, UR8"}, {"uniform move UR", "UMOV UR4, 0x1"}, {"R2UR UR", "R2UR UR4, R1"},
	{"uniform UP", "UISETP.NE.AND UP0, UPT, UR6, UR7, UPT"}, {"uniform move UP", "VOTEU.ALL UP0, P3"},
};

static const struct sample readers[] = {
	{"branch P", "@P0 EXIT"}, {"branch UP", "BRA.U UP0, 0x0"}, {"half UR", "HADD2 R20, R21, UR4"}, {"CREDUX R", "CREDUX.MAX UR10, $"},
	{"int R", "IADD3 R20, $, R21, R22"}, {"sp R", "FADD R20, $, R21"}, {"imad R", "IMAD R20, $, R21, R22"}, {"imad.wide R", "IMAD.WIDE R20, $, R22, R24"},
	{"64-bit addend R", "IMAD.WIDE R20, R22, R23, $"}, {"half R", "HADD2 R20, $, R21"}, {"half.mma R", "HFMA2.MMA R20, $, R21, R22"},
	{"predicate R", "R2P PR, $, 0x7f"}, {"memory R", "STS [R30], $"}, {"queued R", "MUFU.RCP R20, $"}, {"double R", "DADD R20, $, R22"},
	{"NANOSLEEP R", "NANOSLEEP $"}, {"REDUX R", "REDUX UR10, $"}, {"R2UR R", "R2UR UR10, $"},
	{"guard P", "@P0 FADD R20, R21, R22"}, {"int P", "SEL R20, R21, R22, P0"}, {"sp P", "FSEL R20, R21, R22, P0"}, {"imad P", "IMAD.X R20, R21, R22, R23, P0"},
	{"predicate P", "PLOP3.LUT P1, PT, P0, P2, PT, 0x8, 0x0"}, {"imad.wide P", "IMAD.WIDE.U32.X R20, R22, R23, R24, P0"},
	{"int UR", "IADD3 R20, R21, UR4, R22"}, {"sp UR", "FADD R20, R21, UR4"}, {"imad UR", "IMAD R20, R21, UR4, R22"},
	{"imad.wide UR", "IMAD.WIDE R20, R22, UR4, R24"},
	{"predicate UP", "PLOP3.LUT P1, PT, PT, P2, UP0, 0x8, 0x0"}, {"uniform UR", "UIADD3 UR20, UR4, UR21, UR22"}, {"uniform move UR", "UMOV UR20, UR4"}, {"memory UR", "STS [R30+UR4], R8"},
	{"double UR", "DADD R20, R22, UR4"}, {"queued UR", "I2F R20, UR4"}, {"double P", "DSETP.GT.AND P1, PT, R20, R22, P0"}, {"guard UP", "@UP0 UMOV UR20, 0x1"}, {"uniform UP", "USEL UR20, UR21, UR22, UP0"},
};

// On sm_120, where other pipes take some of them and 64-bit integers have one of their own.
static const struct sample producers_120[] = {
	{"int P", "IADD3 R8, P0, R1, R2, R3"}, {"either R", "SEL R4, R1, R2, P3"}, {"either P", "ISETP.NE.AND P0, PT, R1, R2, PT"},
	{"int64 R", "IADD.64 R4, R10, R12"}, {"int64 R low", "IADD.64 R4, R10, R12"}, {"int64 P", "ISETP.NE.U64.AND P0, PT, R10, R12, PT"},
};

static const struct sample readers_120[] = {
	{"int P", "IADD3.X R20, R21, R22, R23, P0, !PT"}, {"either R", "SEL R20, $, R21, P3"}, {"either P", "SEL R20, R21, R22, P0"}, {"either UR", "MOV R20, UR4"},
	{"int64 R", "IADD.64 R20, $, R22"}, {"int64 P", "SEL.64 R20, R22, R24, P0"}, {"int64 UR", "IADD.64 R20, R22, UR4"},
};

// Kinds that have no text here: results of branches, what only a guard of a branch in a register reads, groups of matrices.
static const char *const untested[] = {"branch B", "LEPC R", "guard R", "guard UR", "tensor R", "tensor UP", "tensor UR", "ELECT P", "uniform move P",
                                       "branch R", "branch UR", "uniform P"};

static const char *text_of(const struct sample *s, size_t n, const char *kind)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(s[i].kind, kind))
			return s[i].text;
	return NULL;
}

#define TEXT_OF(table, kind) text_of(table, sizeof table / sizeof *table, kind)

static const char *producer(const char *kind, unsigned arch)
{
	const char *own = arch == 120 ? TEXT_OF(producers_120, kind) : NULL;
	return own ? own : TEXT_OF(producers, kind);
}

static const char *reader(const char *kind, unsigned arch)
{
	const char *own = arch == 120 ? TEXT_OF(readers_120, kind) : NULL;
	return own ? own : TEXT_OF(readers, kind);
}

static bool is_untested(const char *kind)
{
	for (size_t i = 0; i < sizeof untested / sizeof *untested; i++)
		if (!strcmp(untested[i], kind))
			return true;
	return false;
}

// Double precision of a fixed latency, as the GPUs for computing have it.
static bool doubles_fixed(unsigned arch) { return arch == 90 || arch == 100; }

static bool speaks(const char *text, unsigned arch)
{
	char options[200];
	snprintf(options, sizeof options, "-check_control_bits 1\n-gpgpu_compute_capability_major %u\n-gpgpu_compute_capability_minor %u\n%s", arch / 10, arch % 10,
	         doubles_fixed(arch) ? "-dp_latency 6\n-dp_initiation 2\n" : "");
	struct mrun *r = mrun_text(text, options);
	bool speaks = r->stats.hazards;
	mrun_free(r);
	return speaks;
}

// The producer with a stall count, then the reader.
static bool pair_speaks(const char *from, const char *to, bool high, unsigned cycles, unsigned arch)
{
	char text[400], reader[160];
	const char *at = strchr(to, '$');
	if (at)
		snprintf(reader, sizeof reader, "%.*s%s%s", (int)(at - to), to, high ? "R5" : "R4", at + 1);
	else
		snprintf(reader, sizeof reader, "%s", to);
	unsigned first = cycles > 11 ? 11 : cycles;
	int n = snprintf(text, sizeof text, ".target sm_%u\n.kernel k\n[S%02u] %s\n", arch, first, from);
	if (cycles > first)
		n += snprintf(text + n, sizeof text - (size_t)n, "[S%02u] NOP\n", cycles - first);
	snprintf(text + n, sizeof text - (size_t)n, "[S15:Y] %s\n[S05] EXIT\n", reader);
	return speaks(text, arch);
}

enum { CELLS = 12 };

// The cells of a row.
static unsigned cells(char *row, char **cell)
{
	unsigned n = 0;
	for (char *save, *c = strtok_r(row, "|\n", &save); c && n < CELLS; c = strtok_r(NULL, "|\n", &save)) {
		while (*c == ' ')
			c++;
		size_t len = strlen(c);
		while (len && c[len - 1] == ' ')
			c[--len] = 0;
		cell[n++] = c;
	}
	return n;
}

START_TEST(a_stall_count_below_what_compilers_leave_is_reported)
{
	FILE *f = fopen("docs/latencies.md", "r");
	ck_assert_ptr_nonnull(f);
	char line[400], *cell[CELLS];
	unsigned arch[CELLS] = {0}, tested = 0, rows = 0;
	bool here = false;
	while (fgets(line, sizeof line, f)) {
		if (*line == '#')
			here = !strcmp(line, "## A result is read\n");
		if (!here || *line != '|' || line[1] == '-')
			continue;
		unsigned n = cells(line, cell);
		if (!strcmp(cell[0], "producer")) {
			for (unsigned i = 2; i < n; i++)
				arch[i] = (unsigned)atoi(cell[i] + 3);
			continue;
		}
		rows++;
		for (unsigned i = 2; i < n; i++) {
			if (!atoi(cell[i]) || strchr(cell[i], '/'))
				continue;
			const char *from = producer(cell[0], arch[i]), *to = reader(cell[1], arch[i]);
			ck_assert_msg((from && to) || is_untested(cell[0]) || is_untested(cell[1]), "sm_%u: no text for %s -> %s", arch[i], cell[0], cell[1]);
			if (!from || !to)
				continue;
			unsigned least = (unsigned)atoi(cell[i]);
			bool high = !strcmp(cell[0], "imad.wide R");
			ck_assert_msg(!pair_speaks(from, to, high, least, arch[i]), "sm_%u: %s -> %s: complains of %u cycles", arch[i], cell[0], cell[1], least);
			// The uniform data path takes an instruction every second cycle, and the issue port rests behind IMAD, whatever the stall count.
			bool spaced = least == 2 && ((!strncmp(cell[0], "uniform", 7) && !strncmp(cell[1], "uniform", 7)) || !strncmp(cell[0], "imad", 4));
			ck_assert_msg(spaced || least < 2 || pair_speaks(from, to, high, least - 1, arch[i]), "sm_%u: %s -> %s: %u cycles are too few", arch[i], cell[0], cell[1], least - 1);
			tested += !spaced && least > 1;
		}
	}
	fclose(f);
	ck_assert_uint_gt(rows, 60);
	ck_assert_uint_gt(tested, 660);
}
END_TEST

START_TEST(results_of_blackwells_uniform_units_have_fixed_latencies)
{
	static const struct { const char *from; unsigned arch, least; } of[] = {{"CS2UR.32 UR4, SR_CLOCKLO", 120, 4}, {"CREDUX.MAX UR4, R1", 100, 13}};
	for (unsigned i = 0; i < sizeof of / sizeof *of; i++)
		for (unsigned less = 0; less < 2; less++)
			ck_assert_msg(pair_speaks(of[i].from, "UIADD3 UR20, UPT, UPT, UR4, UR21, UR22", false, of[i].least - less, of[i].arch) == less, "%s, %u cycles", of[i].from,
			              of[i].least - less);
}
END_TEST

static const unsigned archs[] = {75, 80, 86, 89, 90, 100, 103, 120};

START_TEST(a_wait_that_is_left_out_is_reported)
{
	static const char *const variable[] = {"LDG.E R4, [R2]", "LDS R4, [R2]", "LDL R4, [R2]", "LDC R4, c[0x0][R2]", "LD.E R4, [R2]", "ATOMG.E.ADD R4, [R2], R8",
	                                       "ATOMS.ADD R4, [R2], R8", "SHFL.IDX PT, R4, R2, R8, R9", "S2R R4, SR_TID.X", "MUFU.RCP R4, R2", "F2I R4, R2",
	                                       "I2F R4, R2", "FRND R4, R2", "F2F.F32.F64 R4, R2", "DADD R4, R2, R8", "DFMA R4, R2, R8, R10", "DMUL R4, R2, R8"};
	for (unsigned a = 0; a < sizeof archs / sizeof *archs; a++)
		for (unsigned i = 0; i < sizeof variable / sizeof *variable; i++) {
			char text[300];
			if (doubles_fixed(archs[a]) && variable[i][0] == 'D')
				continue;
			for (unsigned waits = 0; waits < 2; waits++) {
				snprintf(text, sizeof text, ".kernel k\n[W0:S02] %s\n[%sS15:Y] IADD3 R20, R4, R21, R22\n[S05] EXIT\n", variable[i], waits ? "B0:" : "");
				ck_assert_msg(speaks(text, archs[a]) == !waits, "sm_%u: %s, waits %u", archs[a], variable[i], waits);
			}
		}
}
END_TEST

START_TEST(a_source_overwritten_too_early_is_reported)
{
	static const char *const variable[] = {"STG.E [R2], R4", "STS [R2], R4", "STL [R2], R4", "ATOMG.E.ADD R8, [R2], R4", "RED.E.ADD [R2], R4", "SHFL.IDX PT, R8, R4, R9, R10",
	                                       "MUFU.RCP R8, R4", "F2I R8, R4", "I2F R8, R4", "DADD R8, R4, R10"};
	for (unsigned a = 0; a < sizeof archs / sizeof *archs; a++)
		for (unsigned i = 0; i < sizeof variable / sizeof *variable; i++) {
			char text[300];
			if (doubles_fixed(archs[a]) && variable[i][0] == 'D')
				continue;
			for (unsigned waits = 0; waits < 2; waits++) {
				snprintf(text, sizeof text, ".kernel k\n[R0:W1:S02] %s\n[%sS15:Y] IADD3 R4, R20, R21, R22\n[B1:S05] EXIT\n", variable[i], waits ? "B0:" : "");
				ck_assert_msg(speaks(text, archs[a]) == !waits, "sm_%u: %s, waits %u", archs[a], variable[i], waits);
			}
		}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("latencies");
	TCase *t = tcase_create("all");
	tcase_set_timeout(t, 120);
	tcase_add_test(t, a_stall_count_below_what_compilers_leave_is_reported);
	tcase_add_test(t, results_of_blackwells_uniform_units_have_fixed_latencies);
	tcase_add_test(t, a_wait_that_is_left_out_is_reported);
	tcase_add_test(t, a_source_overwritten_too_early_is_reported);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
