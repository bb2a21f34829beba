// The tables, listings and figures of Huerta et al., "Analyzing Modern NVIDIA GPU cores" (arXiv 2503.20481; MICRO
// 2025), to the cycle, from hand-written SASS on the GPUs as they are configured: no option is changed.
#include "tests/unit/modern_harness.h"

#include <check.h>

// The paper measured Ampere. Of the other GPUs it says how FP32 differs.
static const char *const ampere[] = {"SM86_RTXA6000", "SM86_RTX3080", "SM86_RTX3080_TI", "SM86_RTX3090"};
enum { AMPERE = sizeof ampere / sizeof *ampere };

__attribute__((format(printf, 3, 4))) static void put(char *to, size_t n, const char *fmt, ...)
{
	size_t at = strlen(to);
	va_list ap;
	va_start(ap, fmt);
	ck_assert_int_lt(vsnprintf(to + at, n - at, fmt, ap), (int)(n - at));
	va_end(ap);
}

// Issue of instruction b less issue of instruction a, of one warp.
static uint64_t distance(const struct mrun *r, unsigned warp, size_t a, size_t b, unsigned nth)
{
	return mrun_issue(r, warp, b, nth) - mrun_issue(r, warp, a, nth);
}

// --- Table 1

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

// The columns, for 1 to 4 active sub-cores; each row has the cycles of all of them in order. Below row 8: cycles after
// the row before.
static const unsigned table1[4][8][4] = {
	{{2}, {3}, {4}, {5}, {6}, {13}, {17}, {21}},
	{{2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {13, 15}, {17, 19}, {21, 23}},
	{{2, 2, 2}, {3, 3, 3}, {4, 4, 4}, {5, 5, 5}, {6, 6, 6}, {13, 15, 17}, {19, 21, 23}, {25, 27, 29}},
	{{2, 2, 2, 2}, {3, 3, 3, 3}, {4, 4, 4, 4}, {5, 5, 5, 5}, {6, 6, 6, 6}, {13, 15, 17, 19}, {21, 23, 25, 27},
	 {29, 31, 33, 35}}};
static const unsigned table1_step[4] = {4, 4, 6, 8};

START_TEST(memory_instructions_in_a_row_issue_as_in_table_1)
{
	unsigned n = (unsigned)_i % 4 + 1;
	char name[16];
	snprintf(name, sizeof name, "table1-%u", n);
	struct mrun *r = mrun_example_on(ampere[_i / 4], name, "");
	size_t loads = mrun_label(r, "loads");
	uint64_t origin = mrun_issue(r, 0, loads, 1) - 2, before[4] = {0};
	for (unsigned i = 1; i <= 12; i++) {
		uint64_t at[4];
		for (unsigned s = 0; s < n; s++)
			at[s] = mrun_issue(r, s, loads + i - 1, 1) - origin;
		qsort(at, n, sizeof *at, by_size);
		for (unsigned s = 0; s < n; s++) {
			uint64_t want = i <= 8 ? table1[n - 1][i - 1][s] : before[s] + table1_step[n - 1];
			ck_assert_msg(at[s] == want, "row %u, sub-core %u of %u: cycle %llu, Table 1 has %llu", i, s, n,
			              (unsigned long long)at[s], (unsigned long long)want);
			before[s] = at[s];
		}
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
	{"LDGSTS.E [R1], [R2]", 13, 39}, {"LDGSTS.E.64 [R1], [R2]", 13, 39}, {"LDGSTS.E.128 [R1], [R2]", 13, 39}};
enum { TABLE2 = sizeof table2 / sizeof *table2 };

static void ck_row(const struct mrun *r, unsigned row, const char *what, unsigned want)
{
	char label[16];
	snprintf(label, sizeof label, "%s%u", what, row);
	size_t at = mrun_label(r, label);
	uint64_t got = distance(r, 0, at, at + 1, 1);
	ck_assert_msg(got == want, "%s of %s: %llu, Table 2 has %u", what, table2[row].inst, (unsigned long long)got,
	              want);
}

// A consumer, an overwriter of the result, an overwriter of the sources (the address, or the data of a store: both are
// free in one cycle) behind each row, one row after the other in a loop of two turns: the first warms the caches.
START_TEST(memory_instructions_take_the_time_of_table_2)
{
	static char text[30000];
	snprintf(text, sizeof text, ".kernel t\n.target sm_86\n.shared 8192\nagain:\n");
	for (unsigned i = 0; i < TABLE2; i++) {
		static const char rest[] = "[B01:Y:S15] NOP\n[Y:S15] NOP\n[Y:S15] NOP\n";
		const char *inst = table2[i].inst, *where = strncmp(inst, "STG", 3) ? "" : " ; addr=0x20000000+16*lane";
		if (table2[i].raw) {
			put(text, sizeof text, "raw%u: [W0:S02] %s\n[B0:S05] MOV R8, R4\n%s", i, inst, rest);
			put(text, sizeof text, "waw%u: [W0:S02] %s\n[B0:S05] MOV R4, R8\n%s", i, inst, rest);
		}
		put(text, sizeof text, "war%u: [R0:W1:S02] %s%s\n[B0:S05] MOV R2, R8\n%s", i, inst, where, rest);
	}
	put(text, sizeof text, "[S05] @P0 BRA again ; taken=1\n[S05] EXIT\n");
	struct mrun *r = mrun_text_on(ampere[_i], text);
	for (unsigned i = 0; i < TABLE2; i++) {
		if (table2[i].raw) {
			ck_row(r, i, "raw", table2[i].raw);
			ck_row(r, i, "waw", table2[i].raw);
		}
		ck_row(r, i, "war", table2[i].war);
	}
	mrun_free(r);
}
END_TEST

// --- Listings

// Elapsed cycles between two clocks of an example, in the only turn of its only warp.
static void ck_clocks(const char *gpu, const char *name, size_t a, size_t b, unsigned want)
{
	struct mrun *r = mrun_example_on(gpu, name, "");
	uint64_t got = distance(r, 0, a, b, 0);
	ck_assert_msg(got == want, "%s on %s: %llu, not %u", name, gpu, (unsigned long long)got, want);
	mrun_free(r);
}

START_TEST(listing_1_counts_read_port_conflicts)
{
	ck_clocks(ampere[_i], "listing1-odd-odd", 0, 5, 5);
	ck_clocks(ampere[_i], "listing1-odd-even", 0, 5, 6);
	ck_clocks(ampere[_i], "listing1-even-even", 0, 5, 7);
}
END_TEST

START_TEST(without_its_last_nop_listing_1_hides_the_conflicts)
{
	static const char *const second[] = {"R19, R21", "R19, R18", "R18, R20"};
	for (unsigned i = 0; i < 3; i++) {
		char text[400];
		snprintf(text, sizeof text, "[S01] CS2R.32 R30, SR_CLOCKLO\n[S01] NOP\n[S01] FFMA R11, R10, R12, R14\n"
		         "[S01] FFMA R13, R16, %s\n[S01] CS2R.32 R32, SR_CLOCKLO\n[S05] EXIT\n", second[i]);
		struct mrun *r = mrun_text_on(ampere[_i], text);
		ck_assert_uint_eq(distance(r, 0, 0, 4, 0), 4);
		mrun_free(r);
	}
}
END_TEST

// What value is read is seen by the checker of control bits: registers have none here.
START_TEST(listing_2_takes_5_cycles_with_a_wrong_value_or_8_with_the_right_one)
{
	static const struct { const char *name; unsigned cycles; bool wrong; } cases[] = {
		{"listing2-stall1", 5, true}, {"listing2-stall4", 8, false}};
	for (unsigned i = 0; i < 2; i++) {
		struct mrun *r = mrun_example_on(ampere[_i], cases[i].name, "-check_control_bits 1\n");
		ck_assert_int_eq(r->stats.hazards > 0, cases[i].wrong);
		ck_assert_int_eq(r->reports && strstr(r->reports, "FFMA R5, R1, R1, R1") &&
		                 strstr(r->reports, "reads R1 3 cycles before the result of") &&
		                 strstr(r->reports, "should be 4 or more (it is 1)"), cases[i].wrong);
		mrun_free(r);
		ck_clocks(ampere[_i], cases[i].name, 8, 13, cases[i].cycles);
	}
}
END_TEST

START_TEST(listing_3_needs_a_fifth_cycle_where_there_is_no_bypass)
{
	struct mrun *r = mrun_example_on(ampere[_i], "listing3-stall4", "-check_control_bits 1\n");
	ck_assert_msg(r->reports && strstr(r->reports, "LDG.E R36, [R40]") &&
	              strstr(r->reports, "reads R41 one cycle before") &&
	              strstr(r->reports, "should be 5 or more (it is 4)"), "%s", r->reports);
	ck_assert_uint_eq(r->stats.hazards, 1); // the MOV behind the MOV is right
	mrun_free(r);
	r = mrun_example_on(ampere[_i], "listing3-stall5", "-check_control_bits 1\n");
	ck_assert_msg(!r->reports && !r->stats.hazards, "%s", r->reports);
	mrun_free(r);
}
END_TEST

// Hits of the register-file cache in the first `n` instructions.
static uint64_t cache_hits(const char *gpu, const char *second, unsigned n)
{
	const char *inst[3] = {"IADD3 R1, R2.reuse, R3, R4", second, "IADD3 R10, R2, R12, R13"};
	char text[300] = "";
	for (unsigned i = 0; i < n; i++)
		put(text, sizeof text, "[S01] %s\n", inst[i]);
	struct mrun *r = mrun_text_on(gpu, text);
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
		ck_assert_uint_eq(cache_hits(ampere[_i], cases[i].second, 1), 0);
		ck_assert_msg(cache_hits(ampere[_i], cases[i].second, 2) == cases[i].hit[0], "case %u, second", i + 1);
		char name[32];
		snprintf(name, sizeof name, "listing4-case%u", i + 1);
		struct mrun *r = mrun_example_on(ampere[_i], name, "");
		ck_assert_msg(r->stats.rfc_hits == (uint64_t)cases[i].hit[0] + cases[i].hit[1], "case %u", i + 1);
		mrun_free(r);
	}
}
END_TEST

// --- Figure 2

START_TEST(dependence_counters_walk_through_figure_2)
{
	struct mrun *r = mrun_example_on(ampere[_i], "figure2", "");
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
		for (unsigned i = 0; i < N; i++) {
			uint64_t at = mrun_at(r, 0, first + i, rows[k].stage, 0) - origin;
			if (rows[k].at[i] != NONE)
				ck_assert_msg(at == rows[k].at[i], "instruction 0x%x, stage %u: cycle %lld, not %u",
				              0x30 + 0x10 * i, rows[k].stage, (long long)at, rows[k].at[i]);
		}
	// Nothing else issues in between.
	for (unsigned c = 1, k = 0; c <= 36; c++) {
		bool issues = mrun_who(r, 0, origin + c) >= 0;
		ck_assert_int_eq(issues, rows[0].at[k] == c);
		k += issues;
	}
	// SB0, SB3 and SB4 in every cycle, as the figure has them; where it leaves cycles out, nothing changes.
	static const struct { unsigned from, sb[3]; } counters[] = {
		{1, {0, 0, 0}}, {3, {0, 1, 0}}, {4, {1, 2, 0}}, {5, {2, 2, 1}}, {15, {1, 2, 1}}, {19, {0, 2, 1}},
		{32, {0, 1, 1}}, {36, {0, 0, 1}}};
	for (unsigned c = 1, k = 0; c <= 36; c++) {
		k += k + 1 < sizeof counters / sizeof *counters && counters[k + 1].from == c;
		static const unsigned sb[3] = {0, 3, 4};
		for (unsigned i = 0; i < 3; i++) {
			unsigned got = mrun_counter(r, 0, sb[i], origin + c);
			ck_assert_msg(got == counters[k].sb[i], "cycle %u: SB%u is %u", c, sb[i], got);
		}
	}
	mrun_free(r);
}
END_TEST

// --- Figure 4

struct turn {
	int who; // of W0 to W3; -1: nobody
	unsigned from, to;
};

static void ck_turns(const char *gpu, const char *name, const struct turn *want, unsigned n)
{
	struct mrun *r = mrun_example_on(gpu, name, "");
	size_t begin = mrun_label(r, "begin");
	uint64_t origin = mrun_issue(r, 12, begin, 0);
	for (unsigned i = 0; i < n; i++)
		for (unsigned c = want[i].from; c < want[i].to; c++) {
			int warp = mrun_who(r, 0, origin + c), who = warp < 0 ? -1 : warp / 4;
			ck_assert_msg(who == want[i].who, "%s, cycle %u: W%d, not W%d", name, c, who, want[i].who);
		}
	for (unsigned w = 0; w < 4; w++)
		for (unsigned i = 0; i < 32; i++)
			ck_assert_uint_lt(mrun_issue(r, 4 * w, begin + i, 0) - origin, want[n - 1].to);
	mrun_free(r);
}

START_TEST(figure_4a_greedy_then_youngest_around_an_instruction_cache_miss)
{
	static const struct turn want[] = {{3, 0, 16}, {2, 16, 48}, {3, 48, 64}, {1, 64, 96}, {0, 96, 128}};
	ck_turns(ampere[_i], "figure4a", want, 5);
}
END_TEST

// The plot has four bubbles after W0's second instruction. A stall of 4 leaves three, as Listing 2 measures.
START_TEST(figure_4b_a_stall_hands_the_sub_core_on)
{
	static const struct turn want[] = {{3, 0, 2}, {2, 2, 4}, {1, 4, 6}, {3, 6, 36}, {2, 36, 66}, {1, 66, 96},
	                                   {0, 96, 98}, {-1, 98, 101}, {0, 101, 131}};
	ck_turns(ampere[_i], "figure4b", want, 9);
}
END_TEST

START_TEST(figure_4c_yield_hands_the_sub_core_on_for_a_cycle)
{
	static const struct turn want[] = {{3, 0, 2}, {2, 2, 4}, {3, 4, 34}, {2, 34, 64}, {1, 64, 66}, {0, 66, 68},
	                                   {1, 68, 98}, {0, 98, 128}};
	ck_turns(ampere[_i], "figure4c", want, 8);
}
END_TEST

// --- Single figures of the text

START_TEST(a_lone_warp_loses_one_cycle_by_yield)
{
	struct mrun *r = mrun_text_on(ampere[_i], "[S01] NOP\n[S01] NOP\n[Y:S01] NOP\n[S01] NOP\n");
	ck_assert_uint_eq(distance(r, 0, 1, 2, 0), 1);
	ck_assert_uint_eq(distance(r, 0, 2, 3, 0), 2);
	mrun_free(r);
}
END_TEST

START_TEST(stall_0_with_yield_holds_a_warp_for_45_cycles)
{
	struct mrun *r = mrun_example_on(ampere[_i], "yield-stall0", "");
	ck_assert_uint_eq(distance(r, 0, 1, 2, 0), 45);
	mrun_free(r);
}
END_TEST

// The clocks of warp 1 are 4 apart if the constant is there.
START_TEST(a_constant_that_the_l0_lacks_delays_an_instruction_by_79_cycles)
{
	struct mrun *r = mrun_example_on(ampere[_i], "constant-miss", "");
	size_t clock = mrun_label(r, "clock");
	ck_assert_uint_eq(distance(r, 1, clock, clock + 4, 0), 4 + 79);
	ck_assert_uint_eq(distance(r, 1, clock, clock + 4, 1), 4);
	mrun_free(r);
}
END_TEST

// Clocks and four FADDs between them: 6 cycles if they issue in consecutive ones.
START_TEST(two_fp32_instructions_issue_in_consecutive_cycles_but_not_on_turing)
{
	static const struct { const char *gpu; bool turing; } gpus[] = {
		{"SM86_RTXA6000", false}, {"SM86_RTX3080", false}, {"SM86_RTX3080_TI", false}, {"SM86_RTX3090", false},
		{"SM120_RTX5070_TI", false}, {"SM75_RTX2080_TI", true}, {"SM75_RTX2070_S", true}};
	for (unsigned i = 0; i < sizeof gpus / sizeof *gpus; i++) {
		struct mrun *r = mrun_example_on(gpus[i].gpu, "fp32-pairs", "");
		ck_assert_uint_eq(distance(r, 0, 1, 2, 0), gpus[i].turing ? 2 : 1);
		ck_assert_uint_eq(distance(r, 0, 1, 4, 0), gpus[i].turing ? 6 : 3);
		ck_assert_uint_eq(distance(r, 0, 0, 6, 0), gpus[i].turing ? 9 : 6);
		mrun_free(r);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		listing_1_counts_read_port_conflicts, without_its_last_nop_listing_1_hides_the_conflicts,
		listing_2_takes_5_cycles_with_a_wrong_value_or_8_with_the_right_one,
		listing_3_needs_a_fifth_cycle_where_there_is_no_bypass,
		the_register_file_cache_hits_as_in_listing_4, dependence_counters_walk_through_figure_2,
		figure_4a_greedy_then_youngest_around_an_instruction_cache_miss,
		figure_4b_a_stall_hands_the_sub_core_on, figure_4c_yield_hands_the_sub_core_on_for_a_cycle,
		a_lone_warp_loses_one_cycle_by_yield, stall_0_with_yield_holds_a_warp_for_45_cycles,
		a_constant_that_the_l0_lacks_delays_an_instruction_by_79_cycles,
		memory_instructions_take_the_time_of_table_2};
	Suite *s = suite_create("modern core, paper");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, memory_instructions_in_a_row_issue_as_in_table_1, 0, 4 * AMPERE);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		tcase_add_loop_test(c, tests[i], 0, AMPERE);
	tcase_add_test(c, two_fp32_instructions_issue_in_consecutive_cycles_but_not_on_turing);
	suite_add_tcase(s, c);
	return check_main(s);
}
