// The modern core against the tables, listings and figures of Huerta et al., "Analyzing Modern NVIDIA GPU cores" (arXiv
// 2503.20481; MICRO 2025), from hand-written SASS.
#include "tests/unit/modern_harness.h"

#include <check.h>

#define WARM "-perfect_instruction_cache 1\n"
#define CHECKED "-check_control_bits 1\n"

__attribute__((format(printf, 3, 4))) static void put(char *to, size_t n, const char *fmt, ...)
{
	size_t at = strlen(to);
	va_list ap;
	va_start(ap, fmt);
	ck_assert_int_lt(vsnprintf(to + at, n - at, fmt, ap), (int)(n - at));
	va_end(ap);
}

// Issue of instruction b less issue of instruction a, of warp 0.
static uint64_t distance(const struct mrun *r, size_t a, size_t b, unsigned nth)
{
	return mrun_issue(r, 0, b, nth) - mrun_issue(r, 0, a, nth);
}

// The same between labels or, without a second one, to the instruction behind it.
static uint64_t between(const char *text, const char *more, const char *a, const char *b, unsigned nth)
{
	struct mrun *r = mrun_text(text, more);
	uint64_t d = distance(r, mrun_label(r, a), b ? mrun_label(r, b) : mrun_label(r, a) + 1, nth);
	mrun_free(r);
	return d;
}

// --- Table 1

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

START_TEST(memory_instructions_in_a_row_issue_as_in_table_1)
{
	// Row 6 to 8 for each number of sub-cores; from row 9 on, cycles after the row before.
	static const unsigned rows[4][3][4] = {
		{{13}, {17}, {21}}, {{13, 15}, {17, 19}, {21, 23}}, {{13, 15, 17}, {19, 21, 23}, {25, 27, 29}},
		{{13, 15, 17, 19}, {21, 23, 25, 27}, {29, 31, 33, 35}}};
	static const unsigned step[4] = {4, 4, 6, 8};
	unsigned n = (unsigned)_i + 1;
	char name[16];
	snprintf(name, sizeof name, "table1-%u", n);
	struct mrun *r = mrun_example(name, "");
	size_t loads = mrun_label(r, "loads");
	uint64_t origin = mrun_issue(r, 0, loads, 1) - 2, before[4];
	for (unsigned i = 1; i <= 12; i++) {
		uint64_t at[4];
		for (unsigned s = 0; s < n; s++)
			at[s] = mrun_issue(r, s, loads + i - 1, 1) - origin;
		qsort(at, n, sizeof *at, by_size);
		for (unsigned s = 0; s < n; s++) {
			uint64_t want = i < 6 ? i + 1 : i < 9 ? rows[_i][i - 6][s] : before[s] + step[_i];
			ck_assert_msg(at[s] == want, "row %u, sub-core %u of %u: cycle %llu, Table 1 has %llu", i, s, n, (unsigned long long)at[s],
			              (unsigned long long)want);
		}
		memcpy(before, at, sizeof before);
	}
	mrun_free(r);
}
END_TEST

// --- Table 2

static const struct { const char *inst; unsigned war, raw; } table2[] = {
	{"LDG.E R4, [UR4]", 9, 29}, {"LDG.E.64 R4, [UR4]", 9, 31}, {"LDG.E.128 R4, [UR4]", 9, 35},
	{"LDG.E R4, [R2]", 11, 32}, {"LDG.E.64 R4, [R2]", 11, 34}, {"LDG.E.128 R4, [R2]", 11, 38},
	{"STG.E [UR4], R4", 10, 0}, {"STG.E.64 [UR4], R4", 12, 0}, {"STG.E.128 [UR4], R4", 16, 0},
	{"STG.E [R2], R4", 14, 0}, {"STG.E.64 [R2], R4", 16, 0}, {"STG.E.128 [R2], R4", 20, 0},
	{"LDS R4, [UR4]", 9, 23}, {"LDS.64 R4, [UR4]", 9, 23}, {"LDS.128 R4, [UR4]", 9, 25},
	{"LDS R4, [R2]", 9, 24}, {"LDS.64 R4, [R2]", 9, 24}, {"LDS.128 R4, [R2]", 9, 26},
	{"STS [UR4], R4", 10, 0}, {"STS.64 [UR4], R4", 12, 0}, {"STS.128 [UR4], R4", 16, 0},
	{"STS [R2], R4", 12, 0}, {"STS.64 [R2], R4", 14, 0}, {"STS.128 [R2], R4", 18, 0},
	{"LDC R4, c[0x0][0x0]", 10, 26}, {"LDC R4, c[0x0][R2]", 29, 29}, {"LDC.64 R4, c[0x0][R2]", 29, 29},
	{"LDGSTS.E [R1], [R2]", 13, 39}, {"LDGSTS.E.64 [R1], [R2]", 13, 39}, {"LDGSTS.E.128 [R1], [R2]", 13, 39},
	// Not in the table: the generic load of Figure 2, one less.
	{"LD.E R4, [R2]", 10, 31}};

// Cycles from the issue of `inst` to that of `next`, in the second turn of a loop: the first warms the caches.
static uint64_t memory_distance(const char *inst, const char *control, const char *next)
{
	char text[600];
	snprintf(text, sizeof text, ".kernel t\n.target sm_86\n.shared 8192\nagain: [S05] NOP\nfirst: [%s:S02] %s\n[B0:S05] %s\n"
	         "[B01:S05] @P0 BRA again ; taken=1\n[S05] EXIT\n", control, inst, next);
	return between(text, WARM, "first", NULL, 1);
}

START_TEST(memory_instructions_take_the_time_of_table_2)
{
	const char *inst = table2[_i].inst;
	if (table2[_i].raw) {
		ck_assert_msg(memory_distance(inst, "W0", "MOV R8, R4") == table2[_i].raw, "RAW of %s: %llu, not %u", inst,
		              (unsigned long long)memory_distance(inst, "W0", "MOV R8, R4"), table2[_i].raw);
		ck_assert_uint_eq(memory_distance(inst, "W0", "MOV R4, R8"), table2[_i].raw);
	}
	uint64_t war = memory_distance(inst, "R0:W1", "MOV R2, R8");
	ck_assert_msg(war == table2[_i].war, "WAR of %s: %llu, not %u", inst, (unsigned long long)war, table2[_i].war);
}
END_TEST

// --- Listings

START_TEST(listing_1_counts_read_port_conflicts)
{
	static const struct { const char *name; unsigned want; } cases[] = {
		{"listing1-odd-odd", 5}, {"listing1-odd-even", 6}, {"listing1-even-even", 7}};
	for (unsigned i = 0; i < 3; i++) {
		struct mrun *r = mrun_example(cases[i].name, WARM);
		ck_assert_msg(distance(r, 0, 5, 0) == cases[i].want, "%s: %llu, not %u", cases[i].name, (unsigned long long)distance(r, 0, 5, 0),
		              cases[i].want);
		mrun_free(r);
	}
}
END_TEST

START_TEST(without_its_last_nop_listing_1_hides_the_conflicts)
{
	static const char *const second[] = {"R19, R21", "R19, R18", "R18, R20"};
	for (unsigned i = 0; i < 3; i++) {
		char text[400];
		snprintf(text, sizeof text, "a: [S01] CS2R.32 R30, SR_CLOCKLO\n[S01] NOP\n[S01] FFMA R11, R10, R12, R14\n"
		         "[S01] FFMA R13, R16, %s\nb: [S01] CS2R.32 R32, SR_CLOCKLO\n[S05] EXIT\n", second[i]);
		ck_assert_uint_eq(between(text, WARM, "a", "b", 0), 4);
	}
}
END_TEST

START_TEST(listing_2_takes_5_cycles_with_a_wrong_value_or_8_with_the_right_one)
{
	static const struct { const char *name; unsigned cycles; bool wrong; } cases[] = {{"listing2-stall1", 5, true}, {"listing2-stall4", 8, false}};
	for (unsigned i = 0; i < 2; i++) {
		struct mrun *r = mrun_example(cases[i].name, CHECKED);
		ck_assert_uint_eq(distance(r, 8, 13, 0), cases[i].cycles);
		ck_assert_int_eq(r->stats.hazards > 0, cases[i].wrong);
		ck_assert_int_eq(r->reports != NULL, cases[i].wrong);
		if (cases[i].wrong)
			ck_assert_msg(strstr(r->reports, "FFMA R5, R1, R1, R1") && strstr(r->reports, "reads R1 3 cycles before the result of") &&
			              strstr(r->reports, "should be 4 or more (it is 1)"), "%s", r->reports);
		mrun_free(r);
	}
}
END_TEST

START_TEST(listing_3_needs_a_fifth_cycle_where_there_is_no_bypass)
{
	struct mrun *r = mrun_example("listing3-stall4", CHECKED);
	ck_assert(r->reports && strstr(r->reports, "LDG.E R36, [R40]"));
	ck_assert_msg(strstr(r->reports, "reads R41 one cycle before the result of") && strstr(r->reports, "should be 5 or more (it is 4)"), "%s",
	              r->reports);
	ck_assert_uint_eq(r->stats.hazards, 1);
	mrun_free(r);
	r = mrun_example("listing3-stall5", CHECKED);
	ck_assert_msg(!r->reports && !r->stats.hazards, "%s", r->reports);
	mrun_free(r);
	r = mrun_text("[S03] MOV R43, R17\n[S05] MOV R41, R43\n[S05] EXIT\n", CHECKED);
	ck_assert(r->reports && strstr(r->reports, "reads R43 one cycle before"));
	mrun_free(r);
}
END_TEST

// Hits of the register-file cache by the first `n` instructions.
static uint64_t cache_hits(const char *second, unsigned n)
{
	const char *inst[3] = {"IADD3 R1, R2.reuse, R3, R4", second, "IADD3 R10, R2, R12, R13"};
	char text[300] = "";
	for (unsigned i = 0; i < n; i++)
		put(text, sizeof text, "[S01] %s\n", inst[i]);
	struct mrun *r = mrun_text(text, WARM);
	uint64_t hits = r->stats.rfc_hits;
	mrun_free(r);
	return hits;
}

START_TEST(the_register_file_cache_hits_as_in_listing_4)
{
	static const struct { const char *second; bool hit[2]; } cases[] = {
		{"FFMA R5, R2, R7, R8", {true, false}}, {"FFMA R5, R2.reuse, R7, R8", {true, true}},
		{"FFMA R5, R7, R2, R8", {false, true}}, {"FFMA R5, R4, R7, R8", {false, false}}};
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_uint_eq(cache_hits(cases[i].second, 1), 0);
		ck_assert_msg(cache_hits(cases[i].second, 2) == cases[i].hit[0], "case %u, second instruction", i + 1);
		ck_assert_msg(cache_hits(cases[i].second, 3) == (uint64_t)cases[i].hit[0] + cases[i].hit[1], "case %u, third instruction", i + 1);
		char name[32];
		snprintf(name, sizeof name, "listing4-case%u", i + 1);
		struct mrun *r = mrun_example(name, WARM);
		ck_assert_uint_eq(r->stats.rfc_hits, (uint64_t)cases[i].hit[0] + cases[i].hit[1]);
		mrun_free(r);
	}
}
END_TEST

START_TEST(other_warps_do_not_share_entries_of_the_register_file_cache)
{
	// Warp 0 waits while warp 4, of the same sub-core, reads the same register in the same slot.
	struct mrun *r = mrun_text(".warps 5\n.warp 0\n[S11] IADD3 R1, R2.reuse, R3, R4\n[S11] NOP\n[S05] IADD3 R5, R2, R7, R8\n.warp 4\n[S11] NOP\n"
	                           "[S05] IADD3 R1, R2, R3, R4\n", WARM);
	ck_assert_uint_lt(mrun_issue(r, 0, 0, 0), mrun_issue(r, 4, 4, 0));
	ck_assert_uint_lt(mrun_issue(r, 4, 4, 0), mrun_issue(r, 0, 2, 0));
	ck_assert_uint_eq(r->stats.rfc_hits, 0);
	mrun_free(r);
}
END_TEST

// --- Figure 2

START_TEST(dependence_counters_walk_through_figure_2)
{
	struct mrun *r = mrun_example("figure2", "");
	size_t first = mrun_label(r, "begin");
	uint64_t origin = mrun_issue(r, 0, first, 0) - 1;
	enum { N = 7, NONE = 0 };
	// Cycles of instructions 30 to 90, as the paper numbers them.
	static const struct { enum modern_view stage; unsigned at[N]; } rows[] = {
		{MODERN_VIEW_ISSUE, {1, 2, 3, 5, 6, 15, 36}},
		{MODERN_VIEW_CONTROL, {2, 3, 4, 6, 7, 16, 37}},
		{MODERN_VIEW_QUEUE, {3, 4, 5}},
		{MODERN_VIEW_READ, {7, 11, 15}},
		{MODERN_VIEW_WRITE, {31, 35}}};
	for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++)
		for (unsigned i = 0; i < N; i++)
			if (rows[k].at[i] != NONE)
				ck_assert_msg(mrun_at(r, 0, first + i, rows[k].stage, 0) - origin == rows[k].at[i], "instruction 0x%x, stage %u: cycle %lld, not %u",
				              0x30 + 0x10 * i, rows[k].stage, (long long)(mrun_at(r, 0, first + i, rows[k].stage, 0) - origin), rows[k].at[i]);
	// Nothing else issues in between.
	for (unsigned c = 1, k = 0; c <= 36; c++) {
		bool issues = mrun_who(r, 0, origin + c) >= 0;
		ck_assert_int_eq(issues, rows[0].at[k] == c);
		k += issues;
	}
	static const struct { unsigned cycle, sb0, sb3, sb4; } counters[] = {
		{1, 0, 0, 0}, {2, 0, 0, 0}, {3, 0, 1, 0}, {4, 1, 2, 0}, {5, 2, 2, 1}, {6, 2, 2, 1}, {7, 2, 2, 1}, {11, 2, 2, 1},
		{14, 2, 2, 1}, {15, 1, 2, 1}, {18, 1, 2, 1}, {19, 0, 2, 1}, {31, 0, 2, 1}, {32, 0, 1, 1}, {35, 0, 1, 1}, {36, 0, 0, 1}};
	for (unsigned k = 0; k < sizeof counters / sizeof *counters; k++) {
		uint64_t c = origin + counters[k].cycle;
		unsigned sb0 = mrun_counter(r, 0, 0, c), sb3 = mrun_counter(r, 0, 3, c), sb4 = mrun_counter(r, 0, 4, c);
		ck_assert_msg(sb0 == counters[k].sb0 && sb3 == counters[k].sb3 && sb4 == counters[k].sb4, "cycle %u: SB0 %u, SB3 %u, SB4 %u",
		              counters[k].cycle, sb0, sb3, sb4);
	}
	mrun_free(r);
}
END_TEST

// --- Figure 4

struct turn {
	int who; // of W0 to W3; -1: nobody
	unsigned from, to;
};

static void ck_turns(const char *name, const char *more, const struct turn *want, unsigned n)
{
	struct mrun *r = mrun_example(name, more);
	size_t begin = mrun_label(r, "begin");
	uint64_t origin = mrun_issue(r, 12, begin, 0);
	for (unsigned i = 0; i < n; i++)
		for (unsigned c = want[i].from; c < want[i].to; c++) {
			int who = mrun_who(r, 0, origin + c);
			ck_assert_msg((who < 0 ? -1 : who / 4) == want[i].who, "%s, cycle %u: W%d issues, not W%d", name, c, who / 4, want[i].who);
		}
	for (unsigned w = 0; w < 4; w++)
		for (unsigned i = 0; i < 32; i++)
			ck_assert_uint_lt(mrun_issue(r, 4 * w, begin + i, 0) - origin, want[n - 1].to);
	mrun_free(r);
}

// The third line of 8 must come late enough for W3 and early enough for W2: see figure4a.sass.
START_TEST(figure_4a_greedy_then_youngest_around_an_instruction_cache_miss)
{
	static const struct turn want[] = {{3, 0, 16}, {2, 16, 48}, {3, 48, 64}, {1, 64, 96}, {0, 96, 128}};
	ck_turns("figure4a", "-latency_L0_to_L1 4\n-latency_L1_to_L0 4\n-prefetch_per_stream_buffer_size 1\n", want, 5);
}
END_TEST

// The plot has four bubbles after W0's second instruction; a stall of 4 leaves three empty slots.
START_TEST(figure_4b_a_stall_hands_the_sub_core_on)
{
	static const struct turn want[] = {{3, 0, 2}, {2, 2, 4}, {1, 4, 6}, {3, 6, 36}, {2, 36, 66}, {1, 66, 96}, {0, 96, 98}, {-1, 98, 101}, {0, 101, 131}};
	ck_turns("figure4b", "", want, 9);
}
END_TEST

START_TEST(figure_4c_yield_hands_the_sub_core_on_for_a_cycle)
{
	static const struct turn want[] = {{3, 0, 2}, {2, 2, 4}, {3, 4, 34}, {2, 34, 64}, {1, 64, 66}, {0, 66, 68}, {1, 68, 98}, {0, 98, 128}};
	ck_turns("figure4c", "", want, 8);
}
END_TEST

// --- Control bits

START_TEST(a_lone_warp_loses_one_cycle_by_yield)
{
	ck_assert_uint_eq(between("[S01] NOP\na: [S01] NOP\n[S01] NOP\n", WARM, "a", NULL, 0), 1);
	ck_assert_uint_eq(between("[S01] NOP\na: [Y:S01] NOP\n[S01] NOP\n", WARM, "a", NULL, 0), 2);
	ck_assert_uint_eq(between("[S01] NOP\na: [Y:S02] NOP\n[S01] NOP\n", WARM, "a", NULL, 0), 2);
	ck_assert_uint_eq(between("[S01] NOP\na: [Y:S07] NOP\n[S01] NOP\n", WARM, "a", NULL, 0), 7);
}
END_TEST

START_TEST(stall_0_with_yield_holds_a_warp_for_45_cycles)
{
	struct mrun *r = mrun_example("yield-stall0", WARM);
	ck_assert_uint_eq(distance(r, 1, 2, 0), 45);
	mrun_free(r);
	ck_assert_uint_eq(between("a: [Y:S00] NOP\n[S01] NOP\n", WARM "-num_stall_cycles_wait_after_bits_stall_0_and_yield 46\n", "a", NULL, 0), 46);
}
END_TEST

START_TEST(stall_counts_above_11_need_yield)
{
	for (unsigned s = 1; s < 16; s++) {
		char text[100];
		snprintf(text, sizeof text, "a: [S%02u] NOP\n[S01] NOP\n", s);
		uint64_t without = between(text, WARM, "a", NULL, 0);
		snprintf(text, sizeof text, "a: [Y:S%02u] NOP\n[S01] NOP\n", s);
		uint64_t with = between(text, WARM, "a", NULL, 0);
		ck_assert_uint_eq(with, s < 2 ? 2 : s);
		if (s > 11)
			ck_assert_msg(without == 1 || without == 2, "stall %u: %llu", s, (unsigned long long)without);
		else
			ck_assert_uint_eq(without, s);
	}
}
END_TEST

// SB0 counts two loads, SB3 and SB4 one each, and they end in order: waits for the second to last, or for those of the list.
START_TEST(depbar_waits_for_a_count_and_for_the_counters_of_its_list)
{
	static const struct { const char *depbar; unsigned after; } cases[] = {
		{"DEPBAR.LE SB0, 0x2", 9}, {"DEPBAR.LE SB0, 0x1", 0}, {"DEPBAR.LE SB0, 0x0", 1}, {"DEPBAR.LE SB0, 0x1, {3}", 2}, {"DEPBAR.LE SB0, 0x1, {4,3}", 3},
		{"DEPBAR.LE SB0, 0x2, {4,3}", 3}};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[500];
		snprintf(text, sizeof text, "again: [S05] NOP\nfirst: [W0:S01] LDG.E R4, [R2]\n[W0:S01] LDG.E R5, [R2]\n[W3:S01] LDG.E R6, [R2]\n"
		         "[W4:S02] LDG.E R7, [R2]\n[S04] %s\nuse: [S05] NOP\n[B034:S05] @P0 BRA again ; taken=1\n[S05] EXIT\n", cases[i].depbar);
		struct mrun *r = mrun_text(text, WARM);
		uint64_t use = mrun_issue(r, 0, mrun_label(r, "use"), 1);
		if (cases[i].after < 4)
			ck_assert_msg(use == mrun_at(r, 0, mrun_label(r, "first") + cases[i].after, MODERN_VIEW_WRITE, 1) + 1, "%s", cases[i].depbar);
		else
			ck_assert_uint_eq(use - mrun_issue(r, 0, mrun_label(r, "use") - 1, 1), 4);
		mrun_free(r);
	}
}
END_TEST

// Control raises a counter in the cycle behind issue: an instruction in that cycle does not see it.
START_TEST(counters_are_seen_two_cycles_after_issue)
{
	ck_assert_uint_eq(between("a: [W0:S01] LDG.E R4, [R2]\n[B0:S01] NOP\n", WARM, "a", NULL, 0), 1);
	ck_assert_uint_gt(between("a: [W0:S02] LDG.E R4, [R2]\n[B0:S01] NOP\n", WARM, "a", NULL, 0), 30);
	ck_assert_uint_gt(between("a: [W0:Y:S01] LDG.E R4, [R2]\n[B0:S01] NOP\n", WARM, "a", NULL, 0), 30);
}
END_TEST

// Whatever has counters in its control bits gives them back.
START_TEST(every_kind_of_instruction_gives_its_counters_back)
{
	static const char *const kinds[] = {"NOP", "FADD R1, R2, R3", "HADD2 R1, R2, R3", "IMAD R1, R2, R3, R4", "IMAD.WIDE R2, R4, R5, R6",
		"ISETP.NE.AND P0, PT, R0, R1, PT", "PLOP3.LUT P0, PT, P1, P2, PT, 0x80, 0x0", "MUFU.RCP R1, R2", "DADD R2, R4, R6", "DFMA R2, R4, R6, R8",
		"UMOV UR4, 0x1", "CS2R R2, SR_CLOCKLO", "S2R R1, SR_TID.X", "S2UR UR4, SR_CTAID.X", "LDG.E R4, [R2]", "STG.E [R2], R4", "LDS R4, [R2]", "STS [R2], R4",
		"LDC R4, c[0x0][R2]", "ULDC UR4, c[0x0][0x10]", "LDGSTS.E [R1], [R2]", "SHFL.IDX PT, R1, R2, R3, R4", "ATOMG.E.ADD PT, R4, [R2], R6",
		"RED.E.ADD [R2], R6", "HMMA.16816.F32 R4, R8, R12, R4", "MEMBAR.SC.CTA", "VOTE.ALL R1, PT, P0", "BMOV.32.CLEAR R1, B0", "F2F.F64.F32 R2, R4",
		"FADD R1, R2, c[0x0][0x160]", "@!PT LDG.E R4, [R2]", "@!PT FADD R1, R2, R3", "ERRBAR", "I2FP.F32.S32 R1, R2", "WARPSYNC 0xffffffff"};
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		char text[300];
		snprintf(text, sizeof text, ".shared 4096\n[R0:W1:S02] %s\n[R2:W1:S02] %s\n[B012:S05] EXIT\n", kinds[i], kinds[i]);
		struct mrun *r = mrun_text(text, "");
		ck_assert_msg(!r->reports && r->launch.fault.kind == FAULT_NONE, "%s: %s", kinds[i], r->reports ? r->reports : r->launch.fault.text);
		mrun_issue(r, 0, 2, 0);
		mrun_free(r);
	}
}
END_TEST

// --- Constants

// Warp 1, of another sub-core, has brought the line to L1.
START_TEST(a_constant_that_the_l0_lacks_delays_an_instruction_by_79_cycles)
{
	static const char text[] = ".warps 2\n.warp 0\n[S01] BAR.SYNC 0x0\n.warp 1\n[S05] FADD R4, R2, c[0x0][0x160]\n.warp 0\n"
		"again: [S01] CS2R.32 R30, SR_CLOCKLO\n[S01] NOP\n[S01] FADD R4, R2, c[0x0][0x160]\n[S01] NOP\n"
		"end: [S01] CS2R.32 R32, SR_CLOCKLO\n[S05] @P0 BRA again ; taken=1\n.warp 1\n[S05] BAR.SYNC 0x0\n";
	ck_assert_uint_eq(between(text, WARM, "again", "end", 0), 4 + 79);
	ck_assert_uint_eq(between(text, WARM, "again", "end", 1), 4);
}
END_TEST

// The greedy warp keeps its sub-core for four cycles, then the youngest that can goes on.
START_TEST(a_constant_miss_holds_the_sub_core_for_4_cycles)
{
	struct mrun *r = mrun_text(".warps 5\n.warp 0\n[S02] NOP\n.warp 4\n[S01] NOP\n[S01] NOP\n[S01] NOP\n[S01] FADD R4, R2, c[0x0][0x160]\n.warp 0\n.rep 40\n"
	                           "[S01] NOP\n.endr\n", WARM);
	uint64_t last = mrun_issue(r, 4, 3, 0);
	for (unsigned c = 1; c <= 4; c++)
		ck_assert_int_eq(mrun_who(r, 0, last + c), -1);
	ck_assert_int_eq(mrun_who(r, 0, last + 5), 0);
	mrun_free(r);
}
END_TEST

// Nobody asks for it again before it comes, whether its warp is the greedy one or not.
START_TEST(an_sm_whose_warps_wait_for_constants_sleeps)
{
	static const char slow[] = WARM "-gpgpu_l2_rop_latency 3000\n";
	struct mrun *r = mrun_start(mrun_parse(".warps 2\n[S01] NOP\n[S01] FADD R4, R2, c[0x0][0x160]\n[S01] FADD R5, R2, c[0x0][0x160]\n"), slow);
	r->watch.trace = NULL;
	gpu_watch(r->gpu, &r->watch);
	const struct sm *m = &r->gpu->timing->sm[0];
	gpu_start(r->gpu, &r->launch);
	unsigned awake = 0, asleep = 0;
	while (gpu_busy(r->gpu)) {
		gpu_run(r->gpu, 1);
		*(m->asleep ? &asleep : &awake) += 1;
	}
	ck_assert_uint_lt(awake, 300);
	const uint64_t *slot = m->stats.slot[0];
	ck_assert_uint_gt(slot[SM_SLOT_CONSTANT], 3000);
	ck_assert_uint_gt(m->stats.slot[1][SM_SLOT_CONSTANT], 3000);
	ck_assert_uint_eq(slot[SM_SLOT_PIPE_FULL], 0);
	mrun_free(r);
}
END_TEST

// --- Units

START_TEST(two_fp32_instructions_issue_in_consecutive_cycles_on_ampere_only)
{
	struct mrun *r = mrun_example("fp32-pairs", WARM);
	ck_assert_uint_eq(distance(r, 0, 6, 0), 6);
	ck_assert_uint_eq(distance(r, 1, 2, 0), 1);
	ck_assert_uint_eq(distance(r, 1, 4, 0), 3);
	mrun_free(r);
	r = mrun_example("fp32-pairs", WARM "-is_fp32ops_allowed_in_int_pipeline 0\n");
	ck_assert_uint_eq(distance(r, 0, 6, 0), 9);
	ck_assert_uint_eq(distance(r, 1, 2, 0), 2);
	ck_assert_uint_eq(distance(r, 1, 4, 0), 6);
	mrun_free(r);
}
END_TEST

// Cycles that 16 of them take in the steady state.
static uint64_t sixteen(const char *inst, const char *more)
{
	char text[3000] = "";
	for (unsigned i = 0; i < 48; i++)
		put(text, sizeof text, "[S01] %s\n", inst);
	struct mrun *r = mrun_text(text, more);
	uint64_t d = distance(r, 24, 40, 0);
	mrun_free(r);
	return d;
}

START_TEST(sources_of_one_bank_cost_a_bubble_each)
{
	ck_assert_uint_eq(sixteen("FMUL R1, R2, R5", WARM), 16);
	ck_assert_uint_eq(sixteen("FMUL R1, R2, R4", WARM), 2 * 16);
	ck_assert_uint_eq(sixteen("FMUL R1, R3, R5", WARM), 2 * 16);
	ck_assert_uint_eq(sixteen("FMUL R1, R2, R2", WARM), 16);
	ck_assert_uint_eq(sixteen("FFMA R1, R2, R4, R7", WARM), 2 * 16);
	ck_assert_uint_eq(sixteen("FFMA R1, R2, R4, R6", WARM), 3 * 16);
	ck_assert_uint_eq(sixteen("FFMA R1, R2.reuse, R4, R6", WARM), 2 * 16);
	ck_assert_uint_eq(sixteen("FFMA R1, R2.reuse, R4.reuse, R6", WARM), 16);
	ck_assert_uint_eq(sixteen("FFMA R1, R2, R4, R6", WARM "-num_regular_register_file_read_ports_per_bank 3\n"), 16);
	ck_assert_uint_eq(sixteen("FFMA R1, R2.reuse, R4, R6", WARM "-is_rf_cache_enabled 0\n"), 3 * 16);
}
END_TEST

// In a row each takes as long as the slowest of what it goes through: 9 cycles of reading two register operands, the pipe's
// interval, which four sub-cores share or not. Three wait in the queue and five in the stages before the one that reads.
START_TEST(double_precision_goes_at_the_rate_of_its_pipe)
{
	static const struct {
		const char *options;
		unsigned warps, cycles;
	} run[] = {{"-is_dp_pipeline_shared_for_subcores 0\n-dp_initiation 4\n", 1, 9}, {"-is_dp_pipeline_shared_for_subcores 0\n-dp_initiation 4\n", 4, 9},
	           {"-is_dp_pipeline_shared_for_subcores 0\n-dp_initiation 16\n", 4, 16}, {"-dp_initiation 2\n", 4, 9}, {"-dp_initiation 16\n", 1, 16},
	           {"-dp_initiation 16\n", 2, 32}, {"-dp_initiation 16\n", 4, 64}};
	for (unsigned i = 0; i < sizeof run / sizeof *run; i++) {
		char text[200], options[200];
		snprintf(text, sizeof text, ".warps %u\n.rep 60\n[S01] DADD R4, R2, R6\n.endr\n[S05] EXIT\n", run[i].warps);
		snprintf(options, sizeof options, WARM "%s", run[i].options);
		struct mrun *r = mrun_text(text, options);
		for (unsigned w = 0; w < run[i].warps; w++) {
			ck_assert_uint_eq(mrun_issue(r, w, 8, 0) - mrun_issue(r, w, 0, 0), 8);
			ck_assert_msg(mrun_issue(r, w, 59, 0) - mrun_issue(r, w, 39, 0) == 20 * run[i].cycles, "%s%u warps, warp %u: %llu cycles", run[i].options,
			              run[i].warps, w, (unsigned long long)(mrun_issue(r, w, 59, 0) - mrun_issue(r, w, 39, 0)));
		}
		mrun_free(r);
	}
}
END_TEST

START_TEST(an_imad_leaves_the_issue_port_idle_for_a_cycle)
{
	ck_assert_uint_eq(between("a: [S01] IMAD R1, R2, R3, R4\n[S01] NOP\n", WARM, "a", NULL, 0), 2);
	struct mrun *r = mrun_text(".warps 5\n.warp 0\n[S04] IMAD.WIDE R2, R4, R5, R6\n[S01] NOP\n.warp 4\n.rep 12\n[S01] NOP\n.endr\n", WARM);
	ck_assert_int_eq(mrun_who(r, 0, mrun_issue(r, 0, 0, 0) + 1), -1);
	mrun_free(r);
}
END_TEST

START_TEST(fences_block_all_issue_ports_of_the_sm)
{
	static const struct { const char *inst; unsigned cycles; } fences[] = {{"MEMBAR.SC.CTA", 53}, {"MEMBAR.SC.GPU", 186}, {"MEMBAR.SC.SYS", 2900}};
	for (unsigned i = 0; i < 3; i++) {
		char text[300];
		snprintf(text, sizeof text, ".warps 2\n.warp 0\n[S05] NOP\na: [S01] %s\n[S01] NOP\n.warp 1\n.rep 20\n[S01] NOP\n.endr\n", fences[i].inst);
		struct mrun *r = mrun_text(text, WARM);
		uint64_t at = mrun_issue(r, 0, 1, 0);
		ck_assert_msg(mrun_issue(r, 0, 2, 0) - at == fences[i].cycles, "%s: %llu", fences[i].inst, (unsigned long long)(mrun_issue(r, 0, 2, 0) - at));
		for (unsigned c = 1; c < fences[i].cycles; c++)
			ck_assert_int_eq(mrun_who(r, 1, at + c), -1);
		ck_assert_int_eq(mrun_who(r, 1, at + fences[i].cycles), 1);
		mrun_free(r);
	}
}
END_TEST

// Whether the checker finds `cycles` between a producer and its consumer enough.
static bool enough(const char *producer, unsigned cycles, const char *consumer)
{
	char text[300];
	snprintf(text, sizeof text, "[Y:S%02u] %s\n[S05] %s\n", cycles, producer, consumer);
	struct mrun *r = mrun_text(text, WARM CHECKED);
	ck_assert_int_eq(r->reports != NULL, r->stats.hazards > 0);
	bool ok = !r->reports;
	mrun_free(r);
	return ok;
}

START_TEST(fixed_latencies_are_those_of_the_paper)
{
	static const struct { const char *producer, *consumer; unsigned cycles; } cases[] = {
		{"FADD R1, R2, R3", "FADD R4, R1, R2", 4}, {"FMUL R1, R2, R3", "FADD R4, R1, R2", 4}, {"FFMA R1, R2, R3, R4", "FADD R4, R1, R2", 4},
		{"IADD3 R1, R2, R3, R4", "FADD R4, R1, R2", 4}, {"MOV R1, R2", "MOV R3, R1", 4}, {"HADD2 R1, R2, R3", "FADD R4, R1, R2", 5},
		{"ISETP.NE.AND P0, PT, R0, R1, PT", "@P0 FADD R4, R1, R2", 13}, {"FSETP.GT.AND P0, PT, R0, R1, PT", "@P0 BRA 0x20", 13},
		// Guards are looked at before the pipes, operands in them.
		{"ISETP.NE.AND P0, PT, R0, R1, PT", "@P0 STG.E [R2], R4", 13}, {"ISETP.NE.AND P0, PT, R0, R1, PT", "SEL R4, R2, R3, P0", 4},
		{"IADD3 R6, P0, R7, R8, RZ", "IADD3.X R9, R7, R8, RZ, P0, !PT", 4}, {"UMOV UR4, 0x1", "IADD3 R4, R1, UR4, R2", 2},
		{"UIADD3 UR4, UR5, UR6, UR7", "IADD3 R4, R1, UR4, R2", 4}, {"I2FP.F32.S32 R1, R2", "FADD R4, R1, R2", 4},
		{"MOV R2, R1", "LDG.E R4, [R2]", 5}, {"MOV R4, R1", "STG.E [R2], R4", 5}, {"MOV R2, R1", "LDS R4, [R2]", 5}, {"HADD2 R4, R1, R1", "STS [R2], R4", 6},
		// From here on the compiler's figures.
		{"FADD R2, R1, R1", "MUFU.RCP R4, R2", 4}, {"IADD3 R2, R1, R1, R3", "DADD R4, R6, R2", 6},
		{"HADD2 R1, R2, R3", "FADD R1, R4, R5", 1}, {"MOV R1, R2", "LDG.E R1, [R8]", 2}};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (unsigned c = 2; c <= 15; c++)
			ck_assert_msg(enough(cases[i].producer, c, cases[i].consumer) == (c >= cases[i].cycles), "%s, %u cycles, %s", cases[i].producer, c,
			              cases[i].consumer);
	}
}
END_TEST

// --- Write ports

// Write cycle of the load, and of the FADD, from the load's issue in the second turn, with `gap` NOPs between them.
static void writes(unsigned gap, const char *fadd, uint64_t at[2])
{
	char text[1500];
	snprintf(text, sizeof text, "again: [S05] NOP\nload: [W0:S01] LDG.E R4, [R2]\n.rep %u\n[S01] NOP\n.endr\nfixed: [S01] %s\n"
	         "[B0:S05] @P0 BRA again ; taken=1\n[S05] EXIT\n", gap, fadd);
	struct mrun *r = mrun_text(text, WARM);
	uint64_t origin = mrun_issue(r, 0, mrun_label(r, "load"), 1);
	at[0] = mrun_at(r, 0, mrun_label(r, "load"), MODERN_VIEW_WRITE, 1) - origin;
	at[1] = mrun_at(r, 0, mrun_label(r, "fixed"), MODERN_VIEW_WRITE, 1) - origin;
	mrun_free(r);
}

START_TEST(a_load_gives_way_to_a_fixed_result_of_its_bank_for_one_cycle)
{
	static const struct { const char *fadd; unsigned delayed; } cases[] = {{"FADD R6, RZ, 1", 1}, {"FADD R7, RZ, 1", 0}};
	for (unsigned k = 0; k < 2; k++) {
		unsigned delayed = 0;
		for (unsigned gap = 10; gap < 34; gap++) {
			uint64_t at[2];
			writes(gap, cases[k].fadd, at);
			ck_assert_uint_eq(at[1], gap + 1 + 10); // never the fixed one
			if (at[0] == 31)
				continue;
			ck_assert_uint_eq(at[0], 32);
			ck_assert_uint_eq(at[1], 31);
			delayed++;
		}
		ck_assert_msg(delayed == cases[k].delayed, "%s: %u", cases[k].fadd, delayed);
	}
}
END_TEST

// HADD2 takes a cycle more than the FADD behind it: both results come in one cycle. Neither consumer waits.
START_TEST(two_fixed_results_of_a_bank_delay_nobody)
{
	struct mrun *r = mrun_text("[S01] HADD2 R2, R6, R7\n[S04] FADD R4, R6, R7\n[S01] FADD R8, R2, R9\n[S05] FADD R10, R4, R9\n", WARM CHECKED);
	ck_assert_uint_eq(mrun_at(r, 0, 0, MODERN_VIEW_WRITE, 0) + 1, mrun_at(r, 0, 1, MODERN_VIEW_WRITE, 0));
	ck_assert_uint_eq(distance(r, 0, 2, 0), 5);
	ck_assert_uint_eq(distance(r, 0, 3, 0), 6);
	ck_assert_msg(!r->reports, "%s", r->reports);
	mrun_free(r);
}
END_TEST

// --- Scoreboards: kernels without control bits

START_TEST(scoreboards_hold_readers_and_writers_of_what_is_not_written)
{
	// A cycle later than control bits: the scoreboard is looked at before it changes.
	ck_assert_uint_eq(between("a: FADD R1, R2, R3\nFADD R4, R1, R2\n", WARM, "a", NULL, 0), 5);
	ck_assert_uint_eq(between("a: FADD R1, R2, R3\nFADD R1, R4, R5\n", WARM, "a", NULL, 0), 5);
	ck_assert_uint_eq(between("a: FADD R1, R2, R3\nFADD R4, R5, R6\n", WARM, "a", NULL, 0), 1);
	ck_assert_uint_eq(between("again: NOP\na: LDG.E R4, [R2]\nMOV R8, R4\n@P0 BRA again ; taken=1\n", WARM, "a", NULL, 1), 32);
	ck_assert_uint_eq(between("again: NOP\na: LDG.E R4, [R2]\nMOV R4, R8\n@P0 BRA again ; taken=1\n", WARM, "a", NULL, 1), 32);
	ck_assert_uint_eq(between("a: ISETP.NE.AND P0, PT, R0, R1, PT\n@P0 NOP\n", WARM, "a", NULL, 0), 14);
}
END_TEST

START_TEST(scoreboards_count_readers)
{
	static const char text[] = "again: NOP\na: LDG.E R4, [R2]\nLDG.E R6, [R2]\nLDG.E R8, [R2]\nLDG.E R10, [R2]\nover: MOV R2, R20\nMOV R3, R20\n"
		"MOV R20, R4\nMOV R20, R6\nMOV R20, R8\nMOV R20, R10\n@P0 BRA again ; taken=1\n";
	static const struct { const char *more; unsigned at[4], over; } cases[] = {
		{WARM "-scoreboard_war_max_uses_per_reg 1\n", {0, 11, 22, 33}, 44},
		{WARM "-scoreboard_war_max_uses_per_reg 3\n", {0, 1, 2, 11}, 23},
		{WARM, {0, 1, 2, 3}, 23},
		{WARM "-scoreboard_war_mode disabled\n", {0, 1, 2, 3}, 4}};
	for (unsigned i = 0; i < 4; i++) {
		struct mrun *r = mrun_text(text, cases[i].more);
		for (unsigned k = 0; k < 4; k++)
			ck_assert_msg(distance(r, 1, 1 + k, 1) == cases[i].at[k], "case %u, load %u: %llu", i, k, (unsigned long long)distance(r, 1, 1 + k, 1));
		ck_assert_msg(distance(r, 1, 5, 1) == cases[i].over, "case %u: %llu", i, (unsigned long long)distance(r, 1, 5, 1));
		mrun_free(r);
	}
}
END_TEST

START_TEST(scoreboards_can_stand_in_for_control_bits)
{
	static const char text[] = "a: [S01] FADD R1, R2, R3\n[S01] FADD R4, R1, R2\n";
	ck_assert_uint_eq(between(text, WARM, "a", NULL, 0), 1);
	ck_assert_uint_eq(between(text, WARM "-is_remodeling_scoreboarding_enabled 1\n" CHECKED, "a", NULL, 0), 5);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		listing_1_counts_read_port_conflicts, without_its_last_nop_listing_1_hides_the_conflicts,
		listing_2_takes_5_cycles_with_a_wrong_value_or_8_with_the_right_one, listing_3_needs_a_fifth_cycle_where_there_is_no_bypass,
		the_register_file_cache_hits_as_in_listing_4, other_warps_do_not_share_entries_of_the_register_file_cache,
		dependence_counters_walk_through_figure_2, figure_4a_greedy_then_youngest_around_an_instruction_cache_miss,
		figure_4b_a_stall_hands_the_sub_core_on, figure_4c_yield_hands_the_sub_core_on_for_a_cycle, a_lone_warp_loses_one_cycle_by_yield,
		stall_0_with_yield_holds_a_warp_for_45_cycles, stall_counts_above_11_need_yield, depbar_waits_for_a_count_and_for_the_counters_of_its_list,
		counters_are_seen_two_cycles_after_issue, every_kind_of_instruction_gives_its_counters_back,
		a_constant_that_the_l0_lacks_delays_an_instruction_by_79_cycles, a_constant_miss_holds_the_sub_core_for_4_cycles,
		two_fp32_instructions_issue_in_consecutive_cycles_on_ampere_only, sources_of_one_bank_cost_a_bubble_each,
		an_sm_whose_warps_wait_for_constants_sleeps, double_precision_goes_at_the_rate_of_its_pipe, an_imad_leaves_the_issue_port_idle_for_a_cycle, fences_block_all_issue_ports_of_the_sm, fixed_latencies_are_those_of_the_paper,
		a_load_gives_way_to_a_fixed_result_of_its_bank_for_one_cycle, two_fixed_results_of_a_bank_delay_nobody,
		scoreboards_hold_readers_and_writers_of_what_is_not_written, scoreboards_count_readers, scoreboards_can_stand_in_for_control_bits};
	Suite *s = suite_create("modern core");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, memory_instructions_in_a_row_issue_as_in_table_1, 0, 4);
	tcase_add_loop_test(c, memory_instructions_take_the_time_of_table_2, 0, sizeof table2 / sizeof *table2);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		tcase_add_test(c, tests[i]);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
