// The modern core part by part, from hand-written SASS; what the paper has of it to the cycle is in test_modern_paper.c.
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

// --- Memory

// Cycles from the issue of `inst` to that of `next`, in the second turn of a loop: the first warms the caches.
static uint64_t memory_distance(const char *inst, const char *control, const char *next)
{
	char text[600];
	snprintf(text, sizeof text, ".kernel t\n.target sm_86\n.shared 8192\nagain: [S05] NOP\nfirst: [%s:S02] %s\n[B0:S05] %s\n"
	         "[B01:S05] @P0 BRA again ; taken=1\n[S05] EXIT\n", control, inst, next);
	return between(text, WARM, "first", NULL, 1);
}

// Figure 2 of the paper has generic loads, Table 2 has not.
START_TEST(generic_loads_take_a_cycle_less_than_those_of_global_memory)
{
	static const char *const width[] = {"", ".64", ".128"};
	for (unsigned i = 0; i < 3; i++) {
		char ld[40], ldg[40];
		snprintf(ld, sizeof ld, "LD.E%s R4, [R2]", width[i]);
		snprintf(ldg, sizeof ldg, "LDG.E%s R4, [R2]", width[i]);
		ck_assert_uint_eq(memory_distance(ld, "W0", "MOV R8, R4") + 1, memory_distance(ldg, "W0", "MOV R8, R4"));
		ck_assert_uint_eq(memory_distance(ld, "R0:W1", "MOV R2, R8") + 1, memory_distance(ldg, "R0:W1", "MOV R2, R8"));
	}
}
END_TEST

// --- Register file

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

// --- Control bits

START_TEST(the_wait_of_stall_0_with_yield_can_be_configured)
{
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

// All but LDC look their constants up at issue, also those whose latency Issue does not know.
START_TEST(constants_of_all_units_are_looked_up_at_issue)
{
	static const char *const inst[] = {"FADD R4, R2, c[0x0][0x160]", "MUFU.RCP R4, c[0x0][0x160]", "DADD R4, R2, c[0x0][0x160]", "I2F R4, c[0x0][0x160]"};
	for (unsigned i = 0; i < sizeof inst / sizeof *inst; i++) {
		char text[300];
		snprintf(text, sizeof text, ".warps 2\n.warp 1\n[S05] FADD R4, R2, c[0x0][0x160]\n.warp all\n[S05] BAR.SYNC 0x0\n.warp 0\n"
		         "again: [S02] NOP\na: [W0:S02] %s\n[B0:S05] @P0 BRA again ; taken=1\n", inst[i]);
		ck_assert_uint_eq(between(text, WARM, "again", "a", 0), 79 + 2);
		ck_assert_uint_eq(between(text, WARM, "again", "a", 1), 2);
	}
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
	r->watch.dbg = NULL;
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

// An instruction that waits for read ports in Allocate keeps its unit from Issue as long, but no other.
START_TEST(a_port_conflict_holds_the_unit)
{
	static const char *const third[] = {"FFMA R15, R1, R2, R3", "IADD3 R15, R1, R2, R3"};
	static const unsigned want[2][2] = {{2, 1}, {3, 1}}; // without and with a conflict of the second, by third
	for (unsigned i = 0; i < 4; i++) {
		char text[300];
		snprintf(text, sizeof text, "[S02] FFMA R11, R10, R12, R14\nb: [S01] FFMA R13, R16, %s\n[S01] %s\n", i / 2 ? "R18, R20" : "R19, R21",
		         third[i % 2]);
		ck_assert_uint_eq(between(text, WARM "-is_fp32ops_allowed_in_int_pipeline 0\n", "b", NULL, 0), want[i / 2][i % 2]);
	}
}
END_TEST

// Shape times bits of an element over 2048 cycles, half of them before the next one may begin; more for FP32 sums where that
// is configured, as for the RTX 3080. Scoreboards let a consumer issue a cycle later than the result can be used.
START_TEST(tensor_instructions_take_the_time_of_their_shape_and_type)
{
	static const struct { const char *inst; unsigned cycles, with_16; } cases[] = {
		{"HMMA.16816.F32 R4, R8, R12, R4", 32, 64}, {"HMMA.1688.F32 R4, R8, R12, R4", 16, 48}, {"HMMA.16816.F16 R4, R8, R12, R4", 16, 16},
		{"IMMA.16832.S8.S8 R4, R8, R12, R4", 16, 16}, {"IMMA.16816.S8.S8 R4, R8, R12, R4", 8, 8}, {"IMMA.8816.S8.S8 R4, R8, R12, R4", 4, 4},
		{"HMMA.SP.16832.F16 R4, R8, R12, R4, R16, 0x0", 16, 16}};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
		for (unsigned extra = 0; extra <= 16; extra += 16) {
			unsigned want = extra ? cases[i].with_16 : cases[i].cycles;
			char text[200], more[100];
			snprintf(more, sizeof more, WARM "-tensor_extra_latency_16816_fp32_1688_fp32 %u\n", extra);
			snprintf(text, sizeof text, "a: %s\nFADD R20, R4, R21\n", cases[i].inst);
			uint64_t d = between(text, more, "a", NULL, 0);
			ck_assert_msg(d == want + 1, "%s, %u more: %llu", cases[i].inst, extra, (unsigned long long)d);
			snprintf(text, sizeof text, "a: [S01] %s\n[S01] HMMA.16816.F16 R24, R28, R32, R24\n", cases[i].inst);
			d = between(text, more, "a", NULL, 0);
			ck_assert_msg(d == want / 2, "behind %s, %u more: %llu", cases[i].inst, extra, (unsigned long long)d);
		}
}
END_TEST

// Units whose end Issue does not know: from issue until sources may be overwritten, until the result can be used, until the
// next one may leave Control. A double precision source register takes 4 cycles to read.
START_TEST(special_functions_and_double_precision_take_their_time)
{
	static const struct { const char *inst; unsigned war, raw, next; } cases[] = {
		{"MUFU.RCP R4, R2", 10, 19, 8}, {"DADD R4, R2, R6", 16, 0, 0}, {"DFMA R4, R2, R6, R8", 20, 0, 0}};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		ck_assert_uint_eq(memory_distance(cases[i].inst, "R0:W1", "MOV R2, R20"), cases[i].war);
		if (cases[i].raw)
			ck_assert_uint_eq(memory_distance(cases[i].inst, "W0", "MOV R20, R4"), cases[i].raw);
		if (cases[i].next)
			ck_assert_uint_eq(sixteen(cases[i].inst, WARM), cases[i].next * 16);
	}
}
END_TEST

// Sub-cores share the double precision pipe: one instruction every 16 cycles for all.
START_TEST(sub_cores_share_the_double_precision_pipe)
{
	for (unsigned n = 1; n <= 4; n++) {
		char text[600];
		snprintf(text, sizeof text, ".warps 4\n.warp 0-%u\n.rep 24\n[W0:S01] DADD R4, R2, R6\n.endr\n", n - 1);
		struct mrun *r = mrun_text(text, WARM);
		uint64_t first = mrun_at(r, 0, 15, MODERN_VIEW_WRITE, 0), last = mrun_at(r, 0, 23, MODERN_VIEW_WRITE, 0);
		ck_assert_msg(last - first == 8u * 16 * n, "%u sub-cores: %llu", n, (unsigned long long)(last - first));
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
		{"I2FP.F32.S32 R1, R2", "FADD R4, R1, R2", 4},
		{"MOV R2, R1", "LDG.E R4, [R2]", 5}, {"MOV R4, R1", "STG.E [R2], R4", 5}, {"MOV R2, R1", "LDS R4, [R2]", 5},
		// From here on the compiler's figures (docs/latencies.md).
		{"UIADD3 UR4, UR5, UR6, UR7", "IADD3 R4, R1, UR4, R2", 6}, {"UIADD3 UR4, UR5, UR6, UR7", "UIADD3 UR8, UR4, UR6, UR7", 4},
		{"HADD2 R4, R1, R1", "STS [R2], R4", 5}, {"MOV R2, R1", "LDC R4, c[0x0][R2]", 4}, {"MOV R2, R1", "F2F.F64.F32 R4, R2", 4},
		{"LOP3.LUT P0, R2, R1, R3, RZ, 0xc0, !PT", "FADD R4, R2, R1", 4}, {"ISETP.NE.AND P0, PT, R0, R1, PT", "P2R R4, PR, RZ, 0x1", 4},
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
		generic_loads_take_a_cycle_less_than_those_of_global_memory, other_warps_do_not_share_entries_of_the_register_file_cache,
		the_wait_of_stall_0_with_yield_can_be_configured, stall_counts_above_11_need_yield, depbar_waits_for_a_count_and_for_the_counters_of_its_list,
		counters_are_seen_two_cycles_after_issue, every_kind_of_instruction_gives_its_counters_back,
		constants_of_all_units_are_looked_up_at_issue, a_constant_miss_holds_the_sub_core_for_4_cycles,
		sources_of_one_bank_cost_a_bubble_each,
		an_sm_whose_warps_wait_for_constants_sleeps, double_precision_goes_at_the_rate_of_its_pipe,
		a_port_conflict_holds_the_unit, tensor_instructions_take_the_time_of_their_shape_and_type, special_functions_and_double_precision_take_their_time,
		sub_cores_share_the_double_precision_pipe, an_imad_leaves_the_issue_port_idle_for_a_cycle, fences_block_all_issue_ports_of_the_sm,
		fixed_latencies_are_those_of_the_paper,
		a_load_gives_way_to_a_fixed_result_of_its_bank_for_one_cycle, two_fixed_results_of_a_bank_delay_nobody,
		scoreboards_hold_readers_and_writers_of_what_is_not_written, scoreboards_count_readers, scoreboards_can_stand_in_for_control_bits};
	Suite *s = suite_create("modern core");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 60);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		tcase_add_test(c, tests[i]);
	suite_add_tcase(s, c);
	return check_main(s);
}
