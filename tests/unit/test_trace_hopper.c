// Traces of Hopper: bulk copies move their bytes and tell mbarriers, warps wait for these as the replayed GPU says, products of warp
// groups go on beside their warp, and barriers with numbers hold the warps that use them. On both cores.
#include "tests/unit/modern_harness.h"
#include "tests/unit/timing_harness.h"
#include "tests/unit/trace_text.h"

struct outcome {
	uint64_t cycles, insts;
	char error[1200], text[1 << 17];
};

static void put_stats(void *ctx, const char *s)
{
	struct outcome *o = ctx;
	const size_t n = strlen(o->text), m = strlen(s);
	if (n + m < sizeof o->text)
		memcpy(o->text + n, s, m + 1);
}

static struct outcome *replay(bool modern, const char *more, const struct trace_maker *m)
{
	static struct outcome o;
	struct options opt = {0};
	struct gpu_desc desc;
	struct diag d = {0};
	struct kernel_launch l;
	char config[1 << 15], why[1200];
	memset(&o, 0, sizeof o);
	snprintf(config, sizeof config, "%s-machine_code_latencies 1\n-gpgpu_perfect_inst_const_cache 1\n%s", modern ? MODERN_BASE : TIMED_BASE, more);
	options_defaults(&opt);
	ck_assert_msg(options_load_text(&opt, "test", config, strlen(config), FROM_FILE, &d), "%s", d.text);
	ck_assert_msg(gpu_desc_from_options(&desc, &opt, &d), "%s", d.text);
	struct gpu *g = gpu_new(&opt, &desc, true, &d);
	ck_assert_msg(g, "%s", d.text);
	struct trace_kernel *k = trace_kernel_open_text("t", m->text, m->len, &(struct trace_rules){0}, 0, UINT64_MAX, why, sizeof why);
	ck_assert_msg(k, "%s", why);
	trace_kernel_launch(k, &l, 0);
	l.uid = 1;
	gpu_start(g, &l);
	while (!gpu_run(g, 1 << 20))
		ck_assert(gpu_cycle(g) < TIMED_MOST);
	const char *end = l.fault.kind ? l.fault.text : trace_kernel_end(k);
	snprintf(o.error, sizeof o.error, "%.1000s", end ? end : "");
	gpu_print_kernel_stats(g, &l, put_stats, &o);
	o.cycles = gpu_cycle(g);
	o.insts = l.counts.warp_insts;
	gpu_free(g);
	trace_kernel_close(k);
	options_free(&opt);
	diag_free(&d);
	return &o;
}

// Warps of one block, each by its lines.
static struct trace_maker *block(unsigned n, const char *const lines[])
{
	struct trace_maker *m = maker_new();
	maker_header(m, 6, 90, 1, 32 * n, false, 0);
	maker_put(m, "#BEGIN_TB\nthread block = 0,0,0\ncluster id = 0,0,0\ncluster cta = 0,0,0\ncluster rank = 0\n");
	for (unsigned w = 0; w < n; w++) {
		unsigned insts = 0;
		for (const char *p = lines[w]; *p; p++)
			insts += *p == '\n';
		maker_put(m, "warp = %u\ninsts = %u\n%s", w, insts, lines[w]);
	}
	maker_put(m, "#END_TB\n");
	return m;
}

static struct outcome *run(bool modern, unsigned n, const char *const lines[])
{
	struct trace_maker *m = block(n, lines);
	struct outcome *o = replay(modern, "", m);
	maker_free(m);
	return o;
}

#define EXIT "0000 ffffffff 0 EXIT 0 0 0 0 NoVal\n"
// Of 2^20 less the count, from bit 1 on.
#define INIT_ONE "0010 00000001 0 SYNCS.EXCH.64 2 UR4 UR6 8 1 0x40 0 0 0 Val 1 40 1 1ffffe\n"
#define INIT_TWO "0010 00000001 0 SYNCS.EXCH.64 2 UR4 UR6 8 1 0x40 0 0 0 Val 1 40 1 1ffffc\n"
#define MEET "0020 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0 0 NoVal\n"
#define EXPECT "0030 00000001 0 SYNCS.ARRIVE.TRANS64 2 R2 R3 8 1 0x40 0 0 0 Val 1 40 1 1000\n"
#define ARRIVE(pc) pc " 00000001 0 SYNCS.ARRIVE.TRANS64.A1T0 1 R2 8 1 0x40 0 0 0 NoVal\n"
#define TRY(pc, parity) pc " ffffffff 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R2 R3 8 1 0x40 0 0 0 Val 1 0 1 40 1 " parity "\n"
#define PIECES "4 0x10000 32" " 128 128 128 128 128 128 128 128" " 128 128 128 128 128 128 128 128" " 128 128 128 128 128 128 128 128" " 128 128 128 128 128 128 128"
#define LOAD "0040 00000001 0 UTMALDG.2D 2 UR8 UR10 128 40 0 4096 0 " PIECES " 0 0 NoVal\n"

static uint64_t statistic(const struct outcome *o, const char *name)
{
	const char *p = strstr(o->text, name);
	ck_assert_msg(p != NULL, "no %s", name);
	return strtoull(strchr(p, '=') + 1, NULL, 10);
}

START_TEST(a_load_is_waited_for)
{
	static const char *const waits[] = {INIT_ONE MEET EXPECT LOAD EXIT, MEET TRY("0050", "0") EXIT};
	static const char *const passes[] = {INIT_ONE MEET EXPECT LOAD EXIT, MEET TRY("0050", "80000000") EXIT};
	static const char *const nothing[] = {INIT_ONE MEET ARRIVE("0030") EXIT, MEET TRY("0050", "0") EXIT};
	struct outcome o = *run(_i, 2, waits), nothing_moves = *run(_i, 2, nothing);
	ck_assert_str_eq(o.error, "");
	ck_assert_uint_eq(o.insts, 8);
	// 4096 bytes of sectors of 32, from DRAM by way of L2, in more than the 110 and 50 cycles at both ends of a copy.
	const uint64_t code = statistic(&nothing_moves, "L2_total_cache_accesses");
	ck_assert_uint_eq(statistic(&o, "L2_total_cache_accesses"), 128 + code);
	ck_assert_str_eq(nothing_moves.error, "");
	ck_assert_uint_gt(o.cycles, nothing_moves.cycles + 160 + 100);
	// The block ends with its copies whether anyone waits or not.
	struct outcome p = *run(_i, 2, passes);
	ck_assert_str_eq(p.error, "");
	ck_assert_uint_eq(p.insts, o.insts);
	ck_assert_uint_le(p.cycles, o.cycles);
}
END_TEST

START_TEST(all_arrivals_are_waited_for)
{
	static const char *const one[] = {INIT_TWO MEET TRY("0050", "0") EXIT, MEET ARRIVE("0060") EXIT, MEET EXIT};
	static const char *const two[] = {INIT_TWO MEET TRY("0050", "0") EXIT, MEET ARRIVE("0060") EXIT, MEET ARRIVE("0060") EXIT};
	ck_assert_str_eq(run(_i, 3, two)->error, "");
	ck_assert_uint_eq(run(_i, 3, two)->insts, 10);
	// An arrival that the trace does not tell of: in the end the warp goes on all the same.
	struct outcome *o = run(_i, 3, one);
	ck_assert_str_eq(o->error, "");
	ck_assert_uint_eq(o->insts, 9);
}
END_TEST

START_TEST(spin_loops_are_waited_for_once)
{
	static const char *const framed[] = {
		INIT_ONE MEET EXPECT LOAD EXIT,
		MEET "0050 ffffffff 0 REPLAY_START 0 0 0 0 NoVal\n" TRY("0050", "0") "0060 ffffffff 0 BRA 0 0 0 0 NoVal\n"
		"0060 ffffffff 0 REPLAY_END 0 0 0 0 NoVal\n" EXIT};
	static const char *const listed[] = {
		INIT_ONE MEET EXPECT LOAD EXIT, MEET TRY("0050", "0") "0060 ffffffff 0 BRA 0 0 0 0 NoVal\n" EXIT};
	struct outcome a = *run(_i, 2, framed), b = *run(_i, 2, listed);
	ck_assert_str_eq(a.error, "");
	ck_assert_uint_eq(a.insts, b.insts);
	ck_assert_uint_eq(a.cycles, b.cycles);
}
END_TEST

START_TEST(stores_are_waited_for_by_groups)
{
#define STORE "0040 00000001 0 UTMASTG.2D 2 UR8 UR10 128 0 0 4096 0 " PIECES " 0 0 NoVal\n"
	static const char *const waits[] = {STORE "0050 00000001 0 UTMACMDFLUSH 0 0 0 0 NoVal\n" "0060 ffffffff 0 DEPBAR.LE 0 0 0 0 NoVal\n"
	                                    "0070 ffffffff 1 R4 LDG.E 1 R2 4 1 0x90000 4 0 0 NoVal\n" EXIT};
	static const char *const goes_on[] = {STORE "0050 00000001 0 UTMACMDFLUSH 0 0 0 0 NoVal\n" "0060 ffffffff 0 DEPBAR.LE 0 0 1 0 NoVal\n"
	                                      "0070 ffffffff 1 R4 LDG.E 1 R2 4 1 0x90000 4 0 0 NoVal\n" EXIT};
	struct outcome a = *run(_i, 1, waits), b = *run(_i, 1, goes_on);
	ck_assert_str_eq(a.error, "");
	ck_assert_uint_gt(a.cycles, b.cycles);
	ck_assert_uint_eq(statistic(&a, "L2_total_cache_accesses"), statistic(&b, "L2_total_cache_accesses"));
}
END_TEST

#define PRODUCT(pc, last) pc " ffffffff 1 R24 HGMMA.64x256x16.F32 2 R24 UR4 " last " 0 0 0 NoVal\n"

// The warp goes on until it waits for the group.
START_TEST(products_go_on_beside_their_warp)
{
	static const char *const waits[] = {PRODUCT("0010", "0") PRODUCT("0020", "1") "0030 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 0 0 NoVal\n" EXIT};
	static const char *const behind[] = {PRODUCT("0010", "0") PRODUCT("0020", "1") "0030 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 1 0 NoVal\n"
	                                     "0040 ffffffff 1 R4 LDG.E 1 R2 4 1 0x90000 4 0 0 NoVal\n"
	                                     "0050 ffffffff 1 R5 IADD3 2 R4 R4 0 0 0 NoVal\n"
	                                     "0060 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 0 0 NoVal\n" EXIT};
	static const char *const before[] = {PRODUCT("0010", "0") PRODUCT("0020", "1") "0030 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 0 0 NoVal\n"
	                                     "0040 ffffffff 1 R4 LDG.E 1 R2 4 1 0x90000 4 0 0 NoVal\n"
	                                     "0050 ffffffff 1 R5 IADD3 2 R4 R4 0 0 0 NoVal\n"
	                                     "0060 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 0 0 NoVal\n" EXIT};
	static const char *const no[] = {"0030 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 0 0 NoVal\n" EXIT};
	struct outcome a = *run(_i, 1, waits), b = *run(_i, 1, behind), c = *run(_i, 1, before), n = *run(_i, 1, no);
	ck_assert_str_eq(a.error, "");
	// 16 x 256 x 16 elements of 16 bits at 8192 a cycle are 128 cycles for each, and 43 until the result is there.
	ck_assert_uint_ge(a.cycles, n.cycles + 256);
	ck_assert_uint_lt(b.cycles, c.cycles);
}
END_TEST

// Two pairs of warps with a barrier each: a pair does not wait for the other.
START_TEST(barriers_have_numbers)
{
#define NAMED(pc, id) pc " ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 " id " 64 NoVal\n"
	static const char *const lines[] = {
		INIT_ONE "0020 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0 0 NoVal\n" NAMED("0030", "1") TRY("0050", "0") EXIT,
		"0020 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0 0 NoVal\n" NAMED("0030", "1") TRY("0050", "0") EXIT,
		"0020 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0 0 NoVal\n" NAMED("0040", "2") NAMED("0040", "2") ARRIVE("0060") EXIT,
		"0020 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0 0 NoVal\n" NAMED("0040", "2") NAMED("0040", "2") EXIT};
	static const char *const values[] = { // the number in a register
		"0010 ffffffff 1 R1 BAR.ARV 0 0 64 0 Val 1 3\n" EXIT,
		"0020 ffffffff 1 R1 BAR.SYNC 0 0 64 0 Val 1 3\n" EXIT, EXIT};
	struct outcome *o = run(_i, 4, lines);
	ck_assert_str_eq(o->error, "");
	ck_assert_uint_eq(o->insts, 18);
	ck_assert_str_eq(run(_i, 3, values)->error, "");
}
END_TEST

static const char *const opcodes[] = {
	"ACQBULK", "ARRIVES", "BGMMA", "CGAERRBAR", "ELECT", "FENCE", "HGMMA", "IGMMA", "LDSM", "PREEXIT", "QGMMA", "REDG", "STAS", "STSM", "SYNCS",
	"UBLKCP", "UBLKPF", "UBLKRED", "UCGABAR_ARV", "UCGABAR_WAIT", "USETMAXREG", "USETSHMSZ", "UTMACCTL", "UTMACMDFLUSH", "UTMALDG", "UTMAPF",
	"UTMAREDG", "UTMASTG", "VHMNMX", "VIADD", "VIADDMNMX", "VIMNMX", "VIMNMX3", "WARPGROUP", "WARPGROUPSET"};

// None is guessed at.
START_TEST(opcodes_of_hopper_are_known)
{
	for (unsigned i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
		ck_assert_msg(sass_op_find(opcodes[i], strlen(opcodes[i])) != NULL, "%s", opcodes[i]);
}
END_TEST

static const struct { const char *line, *error; } wrong[] = {
	{"0040 00000001 0 UTMALDG.2D 2 UR8 UR10 128 40 0 4096 0 7 0x10000 1 0 NoVal", "' 0x10000 1 0 NoVal': expected the form"},
	{"0040 00000001 0 UTMALDG.2D 2 UR8 UR10 128 40 0 4096 0 4 0x10000 3 128 NoVal", "'NoVal': expected the difference of the next address"},
	{"0040 00000001 0 UTMALDG.2D 2 UR8 UR10 128 40 0 4096 0 3 2 0x10000 zz NoVal", "'zz NoVal': expected the next address"},
	{"0040 00000001 0 UTMALDG.2D 2 UR8 UR10 128 40 0", "the line ends early: expected the bytes of a bulk copy"},
	{"0040 00000001 0 UTMALDG.2D 2 UR8 UR10 128 40 1 fffff 4096 0 4 0x0 0 0 NoVal", "a bulk copy of 4096 bytes, 0 outside, in 0 pieces"},
	{"0040 00000001 0 UTMALDG.2D 2 UR8 UR10 128 40 0 4096 0 3 99999999 0x0", "in 99999999 pieces"},
	{"0040 ffffffff 1 R24 HGMMA.64x64x16.F32 2 R24 UR4 x 0 0 0 NoVal", "expected the commit flag"},
};

START_TEST(a_wrong_line_is_an_error)
{
	struct trace_maker *m = maker_new();
	maker_header(m, 6, 90, 1, 32, false, 0);
	maker_put(m, "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n%s\n#END_TB\n", wrong[_i].line);
	char *t = read_all(m->text, m->len, false);
	ck_assert_msg(strstr(t, "error t:21: ") && strstr(t, wrong[_i].error), "%s", t);
	free(t);
	maker_free(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("trace_hopper");
	TCase *t = tcase_create("trace_hopper");
	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, a_load_is_waited_for, 0, 2);
	tcase_add_loop_test(t, all_arrivals_are_waited_for, 0, 2);
	tcase_add_loop_test(t, spin_loops_are_waited_for_once, 0, 2);
	tcase_add_loop_test(t, stores_are_waited_for_by_groups, 0, 2);
	tcase_add_loop_test(t, products_go_on_beside_their_warp, 0, 2);
	tcase_add_loop_test(t, barriers_have_numbers, 0, 2);
	tcase_add_test(t, opcodes_of_hopper_are_known);
	tcase_add_loop_test(t, a_wrong_line_is_an_error, 0, sizeof wrong / sizeof *wrong);
	suite_add_tcase(s, t);
	return check_main(s);
}
