// What the modern core says: of control bits that are wrong, of options that make no GPU, of warps that wait for ever. And that
// looking on changes nothing.
#include "tests/unit/modern_harness.h"

#include "gpgpu-sim/sm/inspect.h"
#include "gpgpu-sim/gpu/timing_internal.h"

#include <check.h>

#define WARM "-perfect_instruction_cache 1\n"
#define CHECKED "-check_control_bits 1\n"

static void ck_report(const char *text, const char *const *says)
{
	struct mrun *r = mrun_text(text, CHECKED);
	for (; *says; says++)
		ck_assert_msg(r->reports && strstr(r->reports, *says), "no '%s' in: %s", *says, r->reports ? r->reports : "nothing");
	ck_assert_uint_gt(r->stats.hazards, 0);
	mrun_free(r);
}

static const char *first_line(const char *s) { return strchr(s, '\n') + 1; }

START_TEST(the_checker_names_both_instructions_and_what_should_stand_there)
{
	ck_report(".kernel k\n[S03] FADD R1, R2, R3\n[S01] FADD R4, R1, R2\n",
	          (const char *const[]){"kernel 'k', warp 0: '[S01] FADD R4, R1, R2' at t.sass:3 reads R1 one cycle before the result of "
	                                "'[S03] FADD R1, R2, R3' at t.sass:2 can be used; the stall count of that one should be 4 or more (it is 3)\n", NULL});
	ck_report("[S01] FADD R1, R2, R3\n[S01] NOP\n[S01] FADD R4, R1, R2\n",
	          (const char *const[]){"reads R1 2 cycles before", "; 4 cycles should lie between their issues (there are 2)", NULL});
	ck_report("[W0:S02] LDG.E R4, [R2]\n[S01] FADD R5, R4, R1\n",
	          (const char *const[]){"reads R4 before", "has written it; this one does not wait for counter 0", NULL});
	ck_report("[W0:S01] LDG.E R4, [R2]\n[B0:S01] FADD R5, R4, R1\n", (const char *const[]){"the stall count should be 2 or more", NULL});
	ck_report("[S02] LDG.E R4, [R2]\n[S01] FADD R5, R4, R1\n", (const char *const[]){"that one names no dependence counter for it", NULL});
	ck_report("[W0:S02] LDG.E R4, [R2]\n[S01] FADD R4, R5, R1\n", (const char *const[]){"overwrites R4 before", "has written it", NULL});
	ck_report("[R0:S02] STG.E [R2], R4\n[S01] FADD R4, R5, R1\n",
	          (const char *const[]){"overwrites R4 before '[R0:S02] STG.E [R2], R4'", "has read it; this one does not wait for counter 0", NULL});
	ck_report("[S01] ISETP.NE.AND P0, PT, R0, R1, PT\n[S01] @P0 FADD R4, R1, R2\n", (const char *const[]){"reads P0 12 cycles before", NULL});
	ck_report("[S01] UMOV UR4, 0x1\n[S01] IADD3 R4, R1, UR4, R2\n", (const char *const[]){"reads UR4 one cycle before", NULL});
}
END_TEST

START_TEST(the_checker_finds_operands_that_the_register_file_cache_has_kept_too_long)
{
	// Overwritten by the one that keeps it, by another, and one register of a pair.
	ck_report(".kernel k\n[S04] FADD R2, R2.reuse, R4\n[S01] FADD R5, R2, R6\n",
	          (const char *const[]){"kernel 'k', warp 0: '[S01] FADD R5, R2, R6' at t.sass:3 reads R2 from the register-file cache, where "
	                                "'[S04] FADD R2, R2.reuse, R4' at t.sass:2 has put it; it was overwritten since: that one should have no reuse bit for it\n", NULL});
	ck_report("[S01] FADD R1, R2.reuse, R4\n[S04] MOV R2, 0x7\n[S01] FADD R5, R2, R6\n", (const char *const[]){"reads R2 from", "FADD R1", NULL});
	ck_report("[S01] FADD R1, R2.reuse, R4\n[W0:S02] LDG.E.64 R2, [R8]\n[B0:S01] FADD R5, R2, R6\n", (const char *const[]){"reads R2 from", NULL});
	ck_report("[S01] HMMA.16816.F32 R12, R2.reuse, R6, R8\n[S04] MOV R5, 0x7\n[S01] HMMA.16816.F32 R16, R2, R6, R8\n",
	          (const char *const[]){"reads R5 from", NULL});
	ck_report("[S01] FADD R1, R2.reuse, R4\n[S04] @P0 MOV R2, 0x7 ; mask=0xf0\n[S01] FADD R5, R2, R6 ; mask=0x10\n", (const char *const[]){"reads R2", NULL});
	static const char *const right[] = {
		"[S01] FADD R1, R2.reuse, R4\n[S04] FADD R5, R2, R6\n", "[S04] FADD R1, R2.reuse, R4\n[S04] FADD R2, R1, R6\n[S01] FADD R5, R6, R2\n",
		// An entry ends with the next read of its slot and bank, and there is none without reuse.
		"[S01] FADD R1, R2.reuse, R4\n[S04] FADD R2, R6, R4\n[S01] FADD R5, R2, R6\n", "[S04] FADD R2, R2, R4\n[S01] FADD R5, R2, R6\n",
		"[S01] FADD R1, R2.reuse, R4\n[S04] @P0 MOV R2, 0x7 ; mask=0xf0\n[S01] FADD R5, R2, R6 ; mask=0x0f\n",
		// A single operand is in the second slot, the second of a sum in the third; IMAD.HI adds R26 and R27.
		"[S04] IADD3 R16, R5, -R6.reuse, RZ\n[S04] I2FP.F32.S32 R6, R6\n[S01] FMUL R23, R23, R6\n",
		"[S01] FADD R1, R3, R4.reuse\n[S04] MOV R4, R5\n[S01] FMUL R1, R3, R4\n",
		"[S01] IMAD R29, R1, R3, -R27.reuse\n[S04] IMAD.HI.U32 R26, R1, R3, R26\n[S05] MOV R27, R24\n[S01] IMAD R27, R14, R26, R27\n"};
	for (unsigned i = 0; i < sizeof right / sizeof *right; i++) {
		struct mrun *r = mrun_text(right[i], CHECKED);
		ck_assert_msg(!r->reports && !r->stats.hazards, "%s\n%s", right[i], r->reports);
		mrun_free(r);
	}
	struct mrun *r = mrun_text("[S04] FADD R2, R2.reuse, R4\n[S01] FADD R5, R2, R6\n", CHECKED "-is_rf_cache_enabled 0\n");
	ck_assert_msg(!r->reports, "%s", r->reports);
	mrun_free(r);
}
END_TEST

START_TEST(the_checker_speaks_once_for_each_pair_and_counts_all)
{
	struct mrun *r = mrun_text(".warps 4\nagain: [S01] FADD R1, R2, R3\n[S05] FADD R4, R1, R2\n[S05] @P0 BRA again ; taken=9\n[S05] EXIT\n", CHECKED);
	ck_assert_uint_eq(r->stats.hazards, 40);
	ck_assert_msg(!*first_line(r->reports), "%s", r->reports);
	mrun_again(r); // not with the next launch either
	ck_assert_uint_eq(r->stats.hazards, 80);
	ck_assert_msg(!*first_line(r->reports), "%s", r->reports);
	mrun_free(r);
}
END_TEST

START_TEST(right_control_bits_are_not_complained_of)
{
	static const char *const texts[] = {
		"[W0:S02] LDG.E R4, [R2]\n[B0:S01] FADD R5, R4, R1\n", "[R0:S02] STG.E [R2], R4\n[B0:S01] FADD R4, R5, R1\n",
		"[W0:S02] LDG.E.64 R2, [R2]\n[B0:S04] FADD R2, R2, R3\n", "[W0:S02] MUFU.RCP R4, R2\n[B0:S01] FADD R5, R4, R1\n",
		"[R0:W1:S02] DADD R4, R2, R6\n[B1:S01] FADD R5, R4, R1\n",
		// Opposite guards do not meet, and what the guard forbids is not read.
		"[W0:S02] @!P0 LDG.E R4, [R2] ; mask=0\n[S04] MOV R4, R5\n[B0:S01] FADD R5, R4, R1\n",
		"[W0:S02] LDG.E R4, [R2] ; mask=0xffff\n[S04] MOV R4, R5 ; mask=0xffff0000\n[B0:S01] FADD R5, R4, R1\n",
		// Loads read their addresses in order.
		"[W0:S01] LDG.E R4, [R2]\n[W1:S02] LDG.E R2, [R8]\n[B01:S05] EXIT\n",
		"FADD R1, R2, R3\nFADD R4, R1, R2\nLDG.E R4, [R2]\nFADD R5, R4, R1\n"};
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct mrun *r = mrun_text(texts[i], CHECKED);
		ck_assert_msg(!r->reports && !r->stats.hazards, "%s\n%s", texts[i], r->reports);
		mrun_free(r);
	}
	static const char *const examples[] = {"figure2", "figure4a", "figure4c", "listing1-even-even", "listing4-case2", "table2-raw", "table2-war", "fp32-pairs"};
	for (unsigned i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct mrun *r = mrun_example(examples[i], CHECKED);
		ck_assert_msg(!r->reports, "%s: %s", examples[i], r->reports);
		mrun_free(r);
	}
}
END_TEST

// What ptxas makes for sm_90 of an atomic addition to memory of any kind.
START_TEST(whether_an_atomic_was_on_global_memory_is_there_when_its_sources_are_read)
{
	struct mrun *r = mrun_text("[R0:S02] ATOM.E.ADD.F16x2.RN.STRONG.GPU P0, RZ, [R2], R7\n[B0:S05] @P0 EXIT\n[S05] EXIT\n", CHECKED);
	ck_assert_msg(!r->stats.hazards, "%s", r->reports);
	mrun_free(r);
	ck_report("[R0:S02] ATOM.E.ADD.F16x2.RN.STRONG.GPU P0, RZ, [R2], R7\n[S05] @P0 EXIT\n[S05] EXIT\n", (const char *const[]){"reads P0 before", NULL});
	r = mrun_text("[R0:S02] ATOM.E.ADD.STRONG.GPU P0, R8, [R2], R7\n[B0:S05] @P0 EXIT\n[S05] EXIT\n", CHECKED); // its old value comes later
	ck_assert_msg(!r->stats.hazards, "%s", r->reports);
	mrun_free(r);
	ck_report("[R0:S02] ATOM.E.ADD.STRONG.GPU P0, R8, [R2], R7\n[B0:S05] IADD3 R9, R8, R1, RZ\n[S05] EXIT\n", (const char *const[]){"reads R8 before", NULL});
	ck_report("[R0:S02] ATOMG.E.CAS.STRONG.GPU P0, RZ, [R2], R7, R8\n[B0:S05] @P0 EXIT\n[S05] EXIT\n", (const char *const[]){"reads P0 before", NULL});
}
END_TEST

// As ptxas 13 leaves for each of them; what is for sm_80 runs on the others of its major capability, too.
START_TEST(half_precision_is_there_after_4_cycles_for_its_own_pipe)
{
	static const struct { unsigned major, minor; } gpu[] = {{8, 0}, {8, 6}, {8, 9}, {9, 0}};
	static const struct { const char *text; bool right; } code[] = {
		{"[S04] HADD2 R4, R1, R2\n[S01] HFMA2 R6, R4, R5, R1\n", true}, {"[S03] HADD2 R4, R1, R2\n[S01] HFMA2 R6, R4, R5, R1\n", false},
		{"[S04] HADD2.F32 R4, -RZ, R2.H0_H0\n[W0:S01] MUFU.RCP R6, R4\n", true}, {"[S03] HADD2.F32 R4, -RZ, R2.H0_H0\n[W0:S01] MUFU.RCP R6, R4\n", false},
		{"[S05] HADD2.F32 R4, -RZ, R2.H0_H0\n[S01] FADD R6, R4, R1\n", true}, {"[S04] HADD2.F32 R4, -RZ, R2.H0_H0\n[S01] FADD R6, R4, R1\n", false}};
	for (unsigned i = 0; i < sizeof gpu / sizeof *gpu; i++)
		for (unsigned k = 0; k < sizeof code / sizeof *code; k++) {
			char options[160];
			snprintf(options, sizeof options, CHECKED "-gpgpu_compute_capability_major %u\n-gpgpu_compute_capability_minor %u\n", gpu[i].major, gpu[i].minor);
			struct mrun *r = mrun_text(code[k].text, options);
			ck_assert_msg(!r->stats.hazards == code[k].right, "sm_%u%u: %s%s", gpu[i].major, gpu[i].minor, code[k].text, r->reports ? r->reports : "silent");
			mrun_free(r);
		}
}
END_TEST

// What ptxas makes of a scan: it needs no R22 of the first.
START_TEST(loads_of_shared_memory_come_in_order)
{
	struct mrun *r = mrun_text("[W0:S04] LDS.128 R20, [R2]\n[W4:S02] LDS R22, [R4]\n[B0:S01] FADD R5, R20, R1\n[B4:S05] FADD R6, R22, R1\n", CHECKED);
	ck_assert_msg(!r->stats.hazards, "%s", r->reports);
	ck_assert_uint_lt(mrun_at(r, 0, 0, MODERN_VIEW_WRITE, 0), mrun_at(r, 0, 1, MODERN_VIEW_WRITE, 0));
	mrun_free(r);
	// With no lane on, too: the first needs no counter, since the second's is given back after its result is there.
	r = mrun_text("[S04] LDS R3, [R2]\n[W0:S02] @P0 LDS R0, [R4] ; mask=0\n[B0:S05] FADD R5, R3, R1\n", CHECKED);
	ck_assert_msg(!r->stats.hazards, "%s", r->reports);
	mrun_free(r);
	ck_report("[W0:S04] LDS.128 R20, [R2]\n[W4:S02] LDG.E R22, [R4]\n", (const char *const[]){"overwrites R22 before", NULL});
	ck_report("[W0:S04] LDG.E.128 R20, [R2]\n[W4:S02] LDS R22, [R4]\n", (const char *const[]){"overwrites R22 before", NULL});
	ck_report("[W0:S04] LDG.E.128 R20, [R2]\n[W4:S02] LDG.E R22, [R4]\n", (const char *const[]){"overwrites R22 before", NULL});
	ck_report("[W0:S04] LDS.128 R20, [R2]\n[W4:S02] ATOMS.ADD R22, [R4], R5\n", (const char *const[]){"overwrites R22 before", NULL});
}
END_TEST

// Up to Ada compiled code takes for granted that behind a barrier memory instructions have read their registers.
START_TEST(behind_a_barrier_sources_are_read)
{
	static const struct { unsigned major, minor; bool reads; } gpu[] = {{7, 5, true}, {8, 0, true}, {8, 6, true}, {9, 0, false}};
	for (unsigned i = 0; i < sizeof gpu / sizeof *gpu; i++) {
		char options[160];
		snprintf(options, sizeof options, CHECKED "-gpgpu_compute_capability_major %u\n-gpgpu_compute_capability_minor %u\n", gpu[i].major, gpu[i].minor);
		struct mrun *r = mrun_text("[S04] STS [R2], R4\n[S05] BAR.SYNC 0x0\n[S01] MOV R4, R5\n", options);
		ck_assert_msg(!r->stats.hazards == gpu[i].reads, "sm_%u%u: %s", gpu[i].major, gpu[i].minor, r->reports ? r->reports : "silent");
		mrun_free(r);
	}
}
END_TEST

START_TEST(the_checker_changes_nothing)
{
	static const char *const examples[] = {"figure2", "listing2-stall1", "listing3-stall4", "table1-4", "figure4b"};
	for (unsigned i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct mrun *off = mrun_example(examples[i], ""), *on = mrun_example(examples[i], CHECKED);
		ck_assert_uint_eq(off->cycles, on->cycles);
		ck_assert_uint_eq(off->n_seen, on->n_seen);
		for (size_t k = 0; k < on->n_seen; k++)
			ck_assert(on->seen[k].cycle == off->seen[k].cycle && on->seen[k].pc == off->seen[k].pc);
		ck_assert_uint_eq(off->stats.hazards, 0);
		ck_assert_ptr_null(off->gpu->timing->sm[0].modern->hazards);
		mrun_free(off);
		mrun_free(on);
	}
}
END_TEST

// All that the SMs, caches and the network count.
static char *all_counters(const char *example, bool view)
{
	char path[128];
	struct diag d = {0};
	snprintf(path, sizeof path, "examples/sass/%s.sass", example);
	struct mrun *r = mrun_start(sass_text_open(path, 0, &d), "-trace_sampling_core -1\n");
	if (!view) {
		r->watch.dbg = NULL;
		gpu_watch(r->gpu, &r->watch);
	}
	mrun_again(r);
	ck_assert_int_eq(r->n_seen > 0, view);
	struct timed t = {.t = r->gpu->timing};
	timed_all_counters(&t);
	timed_line(&t, "cycles %llu\n", (unsigned long long)r->cycles);
	mrun_free(r);
	return t.text;
}

START_TEST(pipeline_views_change_nothing)
{
	static const char *const examples[] = {"figure2", "figure4a", "table1-4", "table2-raw", "table2-war", "constant-miss", "listing3-stall4"};
	for (unsigned i = 0; i < sizeof examples / sizeof *examples; i++) {
		char *with = all_counters(examples[i], true), *without = all_counters(examples[i], false);
		const char *differs = timed_difference(with, without);
		ck_assert_msg(!differs, "%s: %s", examples[i], differs);
		free(with);
		free(without);
	}
}
END_TEST

// --- Skipped cycles

static uint64_t seed;
static unsigned below(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

// Constants, units that back up, ports that are held, stalls and counters, in any order; barriers so that warps meet.
static char *random_kernel(unsigned number)
{
	static const char *const line[] = {
		"FADD R4, R2, c[0x0][0x%x]", "IADD3 R5, R2, c[0x3][0x%x], R7", "FFMA R6, R2.reuse, R4, R5", "IMAD R7, R2, R3, R4", "MUFU.RCP R8, R2", "DADD R10, R2, R4",
		"DFMA R12, R2, R4, R6", "ISETP.NE.AND P0, PT, R0, R1, PT", "LDG.E R14, [R2]", "STG.E [R2], R14", "LDS R15, [R2]", "LDC R16, c[0x0][0x%x]",
		"MEMBAR.SC.CTA", "S2R R17, SR_TID.X", "HMMA.16816.F32 R20, R24, R28, R20", "NOP", "BAR.SYNC 0x0", "FADD R18, R4, c[0x0][0x%x]",
		"LDGSTS.E [R1], [R2] ; addr=0x20000000+0x%x*lane+128*turn", "LDGDEPBAR", "DEPBAR.LE SB0, 0x1", "SHFL.IDX PT, R1, R2, R3, R4",
		"ATOMG.E.ADD PT, R4, [R2], R6", "RED.E.ADD [R2], R6", "STS [R2], R4 ; addr=0x%x+32*lane", "LDG.E.128 R20, [R2] ; addr=0x30000000+0x%x*lane",
		"ULDC UR4, c[0x0][0x%x]", "S2UR UR4, SR_CTAID.X", "PLOP3.LUT P0, PT, P1, P2, PT, 0x80, 0x0", "HADD2 R1, R2, R3", "STG.E.64 [R2], R4 ; addr=0x40000000+0x%x*warp",
		"ERRBAR", "VOTE.ALL R1, PT, P0", "F2F.F64.F32 R2, R4", "LD.E R4, [R2] ; space=shared", "BRA next%d"};
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	seed = number * 7919u + 17;
	unsigned kinds = 2 + below(19), kind[20];
	for (unsigned i = 0; i < kinds; i++)
		kind[i] = below(sizeof line / sizeof *line);
	fprintf(f, ".shared 8192\n.warps %u\n.grid %u\n", 1 + below(12), 1 + below(4));
	for (unsigned i = 0, n = 20 + below(60); i < n; i++) {
		const char *l = line[kind[below(kinds)]];
		bool branch = l[0] == 'B' && l[1] == 'R';
		bool counted = strstr(l, "LDG") || strstr(l, "LDS") || strstr(l, "LDC") || strstr(l, "MUFU") || l[0] == 'D' || strstr(l, "S2R");
		unsigned stall = below(3) ? 1 + below(5) : below(16);
		fputc('[', f);
		if (!below(4))
			fprintf(f, "B%u:", below(6));
		if (counted && below(3))
			fprintf(f, "W%u:", below(6));
		fprintf(f, "%sS%02u] ", stall > 4 || !stall ? "Y:" : "", stall);
		fprintf(f, l, branch ? i : 4 * below(512));
		fputc('\n', f);
		if (branch)
			fprintf(f, "next%u: ", i);
	}
	fputs("[B012345:S05] EXIT\n", f);
	fclose(f);
	return text;
}

static char *counters_of(const char *text, const char *options)
{
	struct mrun *r = mrun_start(mrun_parse(text), options);
	r->watch.dbg = NULL;
	gpu_watch(r->gpu, &r->watch);
	mrun_again(r);
	mrun_again(r); // with warm caches
	ck_assert_msg(!r->reports, "%s", r->reports);
	struct timed t = {.t = r->gpu->timing};
	struct modern_counts sum = {0};
	timed_all_counters(&t);
	modern_add_counts(&sum, &r->gpu->timing->sm[0]);
	timed_words(&t, "modern", &sum, sizeof sum);
	timed_line(&t, "cycles %llu\n", (unsigned long long)gpu_cycle(r->gpu));
	mrun_free(r);
	return t.text;
}

START_TEST(skipping_cycles_changes_nothing_whatever_stands_in_a_kernel)
{
	static const char *const options[] = {"", "-is_dp_pipeline_shared_for_subcores 0\n-dp_initiation 3\n-dp_subcore_queue_size 1\n",
	                                      "-gpgpu_subcore_const_cache:l0 N:1:64:2,L:R:f:N:L,S:1:1,1\n-perfect_instruction_cache 1\n",
	                                      "-is_remodeling_scoreboarding_enabled 1\n-sfu_initiation 13\n-miscellaneous_queue_size 1\n"};
	for (unsigned i = 0; i < 25; i++) {
		char tick[400];
		const char *more = options[i % 4];
		char *text = random_kernel(100u * (unsigned)_i + i);
		snprintf(tick, sizeof tick, "%s-tick_every_cycle 1\n", more);
		char *a = counters_of(text, more), *b = counters_of(text, tick);
		const char *differs = timed_difference(a, b);
		ck_assert_msg(!differs, "%s\nof\n%s%s", differs, text, more);
		free(a);
		free(b);
		free(text);
	}
}
END_TEST

// What a kernel leaves behind that is stopped in any cycle does not reach the next one.
START_TEST(a_kernel_runs_to_its_end_behind_one_that_was_stopped)
{
	for (unsigned i = 0; i < 25; i++) {
		char *text = random_kernel(100u * (unsigned)_i + i + 1000);
		struct mrun *r = mrun_start(mrun_parse(text), i % 2 ? "" : "-is_remodeling_scoreboarding_enabled 1\n");
		r->watch.dbg = NULL;
		gpu_watch(r->gpu, &r->watch);
		struct timing *t = r->gpu->timing;
		for (unsigned k = 0; k < 6; k++) {
			uint64_t until = gpu_cycle(r->gpu) + below(k < 3 ? 4000 : 400);
			gpu_start(r->gpu, &r->launch);
			while (gpu_busy(r->gpu) && gpu_cycle(r->gpu) < until)
				gpu_run(r->gpu, 1);
			for (unsigned p = 0; p < t->n_places; p++)
				if (t->kernel[p])
					timing_stop_kernel(t, t->kernel[p]);
			for (uint64_t end = gpu_cycle(r->gpu) + 20000; gpu_busy(r->gpu); gpu_run(r->gpu, 100))
				ck_assert_msg(gpu_cycle(r->gpu) < end, "is not stopped:\n%s", text);
		}
		mrun_again(r);
		ck_assert_msg(!r->reports, "%s\n%s", r->reports, text);
		const struct sm *m = &t->sm[0];
		const struct modern *u = m->modern;
		for (unsigned k = 0; k < MODERN_SUBCORES; k++) {
			const struct modern_sub *b = &u->sub[k];
			ck_assert(!b->control && !b->allocate && !b->ring_any && !b->places[0] && !b->places[1] && !b->late.first && !b->no_const);
			ck_assert(b->const_since == UINT64_MAX && mmem_has_place(m, k));
		}
		ck_assert(!u->n_change && !mmem_holds_requests(m));
		for (unsigned w = 0; w < m->cfg->max_warps; w++) {
			for (unsigned sb = 0; sb < ISA_N_SB; sb++)
				ck_assert_uint_eq(u->warp[w].sb[sb], 0);
			for (unsigned g = 0; g < u->n_registers; g++)
				ck_assert_uint_eq(u->warp[w].readers[g], 0);
		}
		mrun_free(r);
		free(text);
	}
}
END_TEST

START_TEST(a_slot_forgets_what_its_last_warp_did)
{
	struct mrun *r = mrun_text(".grid 64\n[S05] MOV R8, R4\n[W0:S05] LDG.E R4, [R2]\n[S05] EXIT\n", CHECKED);
	ck_assert_msg(!r->reports, "%s", r->reports);
	mrun_free(r);
}
END_TEST

// --- Bad input

static void ck_refused(const char *option, const char *says)
{
	struct diag why = {0};
	struct options o = {0};
	struct gpu_desc desc;
	options_defaults(&o);
	bool ok = options_load_text(&o, "base", MODERN_BASE, strlen(MODERN_BASE), FROM_FILE, &why);
	ok = options_load_text(&o, "test", option, strlen(option), FROM_FILE, &why) && ok && gpu_desc_from_options(&desc, &o, &why);
	struct gpu *g = ok ? gpu_new(&o, &desc, true, &why) : NULL;
	ck_assert_msg(!g && why.text && strstr(why.text, says), "%s: %s", option, why.text ? why.text : "taken");
	diag_free(&why);
	options_free(&o);
}

START_TEST(options_of_the_core_that_make_no_gpu_are_refused_with_a_sentence)
{
	ck_refused("-core modernish\n", "expected classic or modern");
	ck_refused("-int_latency 0\n", "-int_latency");
	ck_refused("-num_wait_barriers_per_warp 7\n", "-num_wait_barriers_per_warp");
	ck_refused("-num_subcores_in_SM 2\n", "-num_subcores_in_SM");
	ck_refused("-ibuffer_remodeled_size 0\n", "-ibuffer_remodeled_size");
	ck_refused("-scoreboard_war_mode sometimes\n", "expected opc or disabled");
	ck_refused("-gpgpu_cache:il0 N:8:128\n", "-gpgpu_cache:il0");
	ck_refused("-gpgpu_cache:il0 none\n", "-gpgpu_cache:il0");
	ck_refused("-gpgpu_shader_core_pipeline 192:32\n", "four sub-cores");
	ck_refused("-memory_sm_prt_size 0\n", "-memory_sm_prt_size");
	ck_refused("-max_latency_regular_register_file_latency 100\n", "-max_latency_regular_register_file_latency");
	ck_refused("-memory_subcore_queue_size -1\n", "-memory_subcore_queue_size");
}
END_TEST

// Answers that take longer than anyone waits stand for counters that never go down.
static struct mrun *impatient(const char *text)
{
	struct mrun *r = mrun_start(mrun_parse(text), WARM "-gpgpu_l2_rop_latency 1000000\n");
	r->gpu->timing->patience = 10000;
	mrun_again(r);
	return r;
}

START_TEST(deadlock_reports_name_the_counters_that_a_warp_waits_for)
{
	struct mrun *r = impatient("[W3:S02] LDG.E R4, [R2]\n[B3:S01] NOP\n");
	ck_assert_msg(r->reports && strstr(r->reports, "waits for dependence counter 3, which is 1"), "%s", r->reports ? r->reports : "no report");
	mrun_free(r);
	r = impatient("[W1:S01] LDG.E R4, [R2]\n[W1:S02] LDG.E R5, [R2]\n[S04] DEPBAR.LE SB1, 0x1\n[S01] NOP\n");
	ck_assert_msg(r->reports && strstr(r->reports, "waits until dependence counter 1, which is 2, is at most 1"), "%s", r->reports ? r->reports : "no report");
	mrun_free(r);
}
END_TEST

// The constant never comes, so the kernel is stopped; what runs next on the SM must find no miss of it.
START_TEST(a_stopped_kernel_leaves_no_constant_miss_behind)
{
	struct mrun *r = impatient("[S01] NOP\n[S01] FADD R4, R2, c[0x0][0x160]\n");
	ck_assert_msg(r->reports && strstr(r->reports, "constant"), "%s", r->reports ? r->reports : "no report");
	const struct modern *u = r->gpu->timing->sm[0].modern;
	for (unsigned i = 0; i < MODERN_SUBCORES; i++)
		ck_assert_uint_eq(u->sub[i].const_since, UINT64_MAX);
	mrun_free(r);
}
END_TEST

START_TEST(reports_say_that_a_warp_waits_for_the_runtime)
{
	struct mrun *r = mrun_start(mrun_parse("[S15] NOP\n[S15] NOP\n"), "");
	gpu_start(r->gpu, &r->launch);
	struct sm *m = &r->gpu->timing->sm[0];
	while (!m->resident)
		gpu_run(r->gpu, 1);
	char text[200];
	m->at_service |= 1;
	m->warp[0].service_until = 4711;
	sm_print_wait(m, 0, text, sizeof text);
	ck_assert_str_eq(text, "waits for the device runtime until cycle 4711");
	m->at_service = 0;
	while (gpu_busy(r->gpu))
		gpu_run(r->gpu, 5000);
	mrun_free(r);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		the_checker_names_both_instructions_and_what_should_stand_there,
		the_checker_finds_operands_that_the_register_file_cache_has_kept_too_long, the_checker_speaks_once_for_each_pair_and_counts_all,
		right_control_bits_are_not_complained_of, the_checker_changes_nothing, behind_a_barrier_sources_are_read, loads_of_shared_memory_come_in_order,
		half_precision_is_there_after_4_cycles_for_its_own_pipe,
		whether_an_atomic_was_on_global_memory_is_there_when_its_sources_are_read,
		pipeline_views_change_nothing,
		a_slot_forgets_what_its_last_warp_did, options_of_the_core_that_make_no_gpu_are_refused_with_a_sentence,
		deadlock_reports_name_the_counters_that_a_warp_waits_for, a_stopped_kernel_leaves_no_constant_miss_behind,
		reports_say_that_a_warp_waits_for_the_runtime};
	Suite *s = suite_create("modern core, checks");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 60);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		tcase_add_test(c, tests[i]);
	tcase_add_loop_test(c, skipping_cycles_changes_nothing_whatever_stands_in_a_kernel, 0, 4);
	tcase_add_loop_test(c, a_kernel_runs_to_its_end_behind_one_that_was_stopped, 0, 4);
	suite_add_tcase(s, c);
	return check_main(s);
}
