// Looking inside a timed run: debug streams, the debugger, progress, reports of deadlocks. None of it changes a cycle.
#include "tests/unit/ptx_harness.h"

#include "base/options.h"
#include "gpgpu-sim/look/debugger.h"
#include "gpgpu-sim/gpu_state.h"
#include "gpgpu-sim/look/debug_streams.h"

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"
// Lines 5 to 9; what follows begins at line 10.
#define ENTRY                                                                     \
	".visible .entry k(.param .u64 out)\n{\n"                                 \
	".reg .pred %p<10>; .reg .b32 %r<40>; .reg .f32 %f<20>; .reg .b64 %rd<20>;\n" \
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r0, %r2, %r3, %r1;\n" \
	"ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r0, 4; add.s64 %rd9, %rd1, %rd2;\n" \
	"\n"

static const char add_one[] = HEAD ENTRY "ld.global.u32 %r4, [%rd9];\nadd.u32 %r5, %r4, 1;\n"
                                         "st.global.u32 [%rd9], %r5;\nret;\n}\n";
static const char stuck[] = HEAD ENTRY
	"setp.ge.u32 %p1, %r1, 32;\n@%p1 bra B;\nbar.sync 1, 64;\nbra C;\nB: bar.sync 2, 64;\n"
	"C: st.global.u32 [%rd9], %r1;\nret;\n}\n";

enum { TEXT = 1 << 20, OUT_BYTES = 1 << 16 };

struct timed {
	struct options o;
	struct gpu_desc desc;
	struct ptx_bench *b;
	struct gpu *g;
	struct gpu_watch watch;
	struct dbg_streams dbg;
	uint64_t out;
	char *people, *scripts, *lines; // what was reported and traced
	uint64_t cycles;
	unsigned looks;
	struct gpu_progress last;
	const char *const *command; // of the debugger
	char *said;
};

static void append(char *to, const char *text)
{
	size_t n = strlen(to), m = strlen(text);
	if (n + m + 1 < TEXT)
		memcpy(to + n, text, m + 1);
}

static void report(void *ctx, enum gpu_report kind, const char *text)
{
	struct timed *t = ctx;
	append(kind == GPU_REPORT_PEOPLE ? t->people : t->scripts, text);
}

static void progress(void *ctx, const struct gpu_progress *p)
{
	struct timed *t = ctx;
	t->looks++;
	if (p->kernel)
		t->last = *p;
}

static void put_line(void *ctx, const char *line) { append(((struct timed *)ctx)->lines, line); }

static bool read_command(void *ctx, char *buf, size_t len)
{
	struct timed *t = ctx;
	if (!t->command || !*t->command)
		return false;
	snprintf(buf, len, "%s", *t->command++);
	append(t->said, "> ");
	append(t->said, buf);
	append(t->said, "\n");
	return true;
}

static void debug_put(void *ctx, const char *text) { append(((struct timed *)ctx)->said, text); }

static struct timed *timed_new(const char *ptx, const char *options)
{
	struct timed *t = MEM_NEW(struct timed);
	struct diag d = {0};
	options_defaults(&t->o);
	ck_assert(options_builtin(&t->o, &d));
	const char small[] = "-gpgpu_n_clusters 2\n-gpgpu_n_mem 8\n-gpgpu_n_sub_partition_per_mchannel 2\n"
	                     "-gpgpu_kernel_launch_latency 0\n-gpgpu_TB_launch_latency 0\n";
	ck_assert(options_load_text(&t->o, "small", small, sizeof small - 1, FROM_FILE, &d));
	ck_assert_msg(options_load_text(&t->o, "test", options, strlen(options), FROM_FILE, &d), "%s", d.text);
	ck_assert(gpu_desc_from_options(&t->desc, &t->o, &d));
	t->g = gpu_new(&t->o, &t->desc, true, &d);
	ck_assert_msg(t->g != NULL, "%s", d.text ? d.text : "?");
	diag_free(&d);
	t->b = bench_new(ptx);
	t->out = bench_alloc(t->b, OUT_BYTES);
	t->people = mem_alloc(TEXT), t->scripts = mem_alloc(TEXT), t->lines = mem_alloc(TEXT), t->said = mem_alloc(TEXT);
	t->watch = (struct gpu_watch){.ctx = t, .report = report, .progress = progress};
	return t;
}

static void trace_with(struct timed *t, const char *level)
{
	struct diag d = {0};
	ck_assert_msg(dbg_init(&t->dbg, &t->o, level, &d), "%s", d.text);
	t->dbg.ctx = t;
	t->dbg.put = put_line;
	t->watch.dbg = &t->dbg;
}

static void debug_with(struct timed *t, const char *place, const char *const *command)
{
	struct debugger_io io = {.ctx = t, .read_line = read_command, .put = debug_put};
	char why[300];
	t->command = command;
	t->watch.debugger = debugger_new(&io);
	ck_assert_msg(debugger_add(t->watch.debugger, place, why, sizeof why), "%s", why);
}

static const struct fault *timed_run(struct timed *t, uint32_t grid, uint32_t block)
{
	t->b->launch = bench_launch(t->b, "k", grid, block);
	t->b->launch.params = (const uint8_t *)&t->out;
	gpu_watch(t->g, &t->watch);
	gpu_start(t->g, &t->b->launch);
	for (unsigned n = 0; !gpu_run(t->g, 10000); n++)
		ck_assert_msg(n < 1000, "the kernel does not end");
	t->cycles = gpu_cycle(t->g);
	return t->b->launch.fault.kind ? &t->b->launch.fault : NULL;
}

static void timed_free(struct timed *t)
{
	gpu_free(t->g);
	debugger_free(t->watch.debugger);
	bench_free(t->b);
	options_free(&t->o);
	mem_free(t->people), mem_free(t->scripts), mem_free(t->lines), mem_free(t->said);
	mem_free(t);
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;
	for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}

static void ck_has(const char *text, const char *what)
{
	ck_assert_msg(strstr(text, what) != NULL, "wanted: %s\nin: %.1500s", what, text);
}

static uint64_t cycles_alone(const char *ptx, uint32_t grid, uint32_t block)
{
	struct timed *t = timed_new(ptx, "");
	ck_assert_ptr_null(timed_run(t, grid, block));
	uint64_t n = t->cycles;
	timed_free(t);
	return n;
}

// --- streams

static uint32_t mask_of(const char *options, const char *level, bool ok, struct diag *d)
{
	struct options o = {0};
	struct dbg_streams t = {0};
	struct diag e = {0};
	options_defaults(&o);
	ck_assert(options_load_text(&o, "test", options, strlen(options), FROM_FILE, &e));
	ck_assert_int_eq(dbg_init(&t, &o, level, d), ok);
	options_free(&o);
	return t.mask;
}

START_TEST(streams_are_chosen_by_name_or_level)
{
	struct diag d = {0};
	ck_assert_uint_eq(mask_of("", NULL, true, &d), 0);
	ck_assert_uint_eq(mask_of("-trace_components SCOREBOARD", NULL, true, &d), 0); // not enabled
	ck_assert_uint_eq(mask_of("-trace_enabled 1", NULL, true, &d), 0);             // none
	ck_assert_uint_eq(mask_of("-trace_enabled 1\n-trace_components WARP_SCHEDULER,SCOREBOARD,MEMORY_PARTITION_UNIT,"
	                          "MEMORY_SUBPARTITION_UNIT,INTERCONNECT,LIVENESS", NULL, true, &d), 0x3f);
	ck_assert_uint_eq(mask_of("-trace_enabled 1\n-trace_components ALL", NULL, true, &d), (1u << DBG_N_STREAMS) - 1);
	ck_assert_uint_eq(mask_of("-trace_enabled 1\n-trace_components core,Issue", NULL, true, &d),
	                  DBG_BIT(CORE) | DBG_BIT(ISSUE));
	ck_assert_uint_eq(mask_of("", "0", true, &d), 0);
	ck_assert_uint_eq(mask_of("", "1", true, &d), DBG_BIT(LIVENESS) | DBG_BIT(STREAM));
	ck_assert_uint_eq(mask_of("", "9", true, &d), (1u << DBG_N_STREAMS) - 1);
	ck_assert_uint_eq(d.errors, 0);
	mask_of("-trace_enabled 1\n-trace_components SCORBOARD", NULL, false, &d);
	ck_has(d.text, "there is no debug stream 'SCORBOARD'; there are WARP_SCHEDULER, SCOREBOARD,");
	mask_of("", "all", false, &d);
	ck_has(d.text, "PTX_SIM_DEBUG is a level from 0 to 8");
	diag_free(&d);
}
END_TEST

START_TEST(the_page_on_debugging_lists_every_stream)
{
	static const struct {
		char letter;
		const char *text;
	} sampled[] = {{'C', "core"}, {'P', "partition"}, {'A', "all"}};
	static char page[1 << 16];
	FILE *f = fopen("docs/debugging.md", "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_gt(fread(page, 1, sizeof page - 1, f), 0);
	fclose(f);
	for (unsigned s = 0; s < DBG_N_STREAMS; s++) {
		const struct dbg_info *i = &dbg_table[s];
		char want[512];
		unsigned k = 0;
		while (sampled[k].letter != i->sampled[0])
			k++;
		snprintf(want, sizeof want, "| `%s` | %d | %s | %s |\n", i->name, i->level, sampled[k].text, i->help);
		ck_assert_msg(strstr(page, want) != NULL, "docs/debugging.md lacks: %s", want);
	}
}
END_TEST

START_TEST(sampling_picks_one_core_and_one_partition)
{
	struct dbg_streams t = {.mask = (1u << DBG_N_STREAMS) - 1, .core = 1, .partition = -1};
	ck_assert_uint_eq(dbg_core_mask(&t, 0), 0);
	ck_assert_uint_ne(dbg_core_mask(&t, 1) & DBG_BIT(SCOREBOARD), 0);
	ck_assert_uint_ne(dbg_partition_mask(&t, 7) & DBG_BIT(DRAM), 0);
	ck_assert_uint_eq(
		(dbg_core_mask(&t, 1) & dbg_partition_mask(&t, 0)) | (dbg_core_mask(&t, 1) & dbg_other_mask(&t)), 0);
	ck_assert_uint_eq(dbg_core_mask(NULL, 0) | dbg_partition_mask(NULL, 0) | dbg_other_mask(NULL), 0);
}
END_TEST

START_TEST(all_streams_on_change_no_cycle_and_every_one_has_lines)
{
	struct timed *t = timed_new(add_one, "-trace_enabled 1\n-trace_components ALL\n-trace_sampling_core -1\n"
	                                     "-gpgpu_perfect_inst_const_cache 0");
	uint64_t alone;
	trace_with(t, NULL);
	ck_assert_ptr_null(timed_run(t, 5, 96));
	struct timed *quiet = timed_new(add_one, "-gpgpu_perfect_inst_const_cache 0");
	ck_assert_ptr_null(timed_run(quiet, 5, 96));
	alone = quiet->cycles;
	ck_assert_uint_eq(t->cycles, alone);
	ck_assert_uint_eq(strlen(quiet->lines), 0);
	for (unsigned s = 0; s < DBG_N_STREAMS; s++) {
		char want[64];
		snprintf(want, sizeof want, ": %s - ", dbg_table[s].name);
		if (s != DBG_STREAM && s != DBG_CFG && s != DBG_CORE) // libcuda's, and the modern core's (test_modern_core)
			ck_has(t->lines, want);
	}
	ck_assert_uint_eq(count(t->lines, ": ISSUE - "), t->b->launch.counts.warp_insts);
	ck_assert_uint_eq(count(t->lines, " reserves "), count(t->lines, " releases "));
	ck_has(t->lines, "waits for %r4 of test.ptx:10 in k: ld.global.u32 %r4, [%rd9]");
	timed_free(quiet);
	timed_free(t);
}
END_TEST

START_TEST(the_sampled_core_alone_is_traced)
{
	struct timed *t = timed_new(add_one, "-trace_enabled 1\n-trace_components ISSUE\n-trace_sampling_core 1");
	trace_with(t, NULL);
	ck_assert_ptr_null(timed_run(t, 4, 32));
	ck_has(t->lines, "ISSUE - Core 1 - ");
	ck_assert_ptr_null(strstr(t->lines, "Core 0"));
	timed_free(t);
}
END_TEST

START_TEST(progress_counts_blocks)
{
	struct timed *t = timed_new(add_one, "");
	ck_assert_ptr_null(timed_run(t, 500, 32));
	ck_assert_uint_ge(t->looks, 1);
	ck_assert_str_eq(t->last.kernel, "k");
	ck_assert_uint_eq(t->last.ctas, 500);
	ck_assert_uint_le(t->last.ctas_done, 500);
	timed_free(t);
}
END_TEST

// --- deadlocks

START_TEST(a_barrier_that_cannot_complete_is_reported_with_who_is_missing)
{
	struct timed *t = timed_new(stuck, "");
	const struct fault *f = timed_run(t, 1, 64);
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(f->kind, FAULT_TIMEOUT);
	ck_has(f->text, "kernel 'k' was stopped at cycle");
	ck_has(t->people, "of 1 blocks 0 have finished, 1 run with 2 warps, 0 have not begun");
	ck_has(t->people, "1 warp: waits at barrier 1 (32 of 64 threads have come, "
	                  "missing: warp 1) at test.ptx:12 in k: bar.sync 1, 64");
	ck_has(t->people, "block (0,0,0), its warp 0");
	ck_has(t->people, "all queues are empty");
	ck_has(t->scripts, "GPGPU-Sim uArch: ERROR ** deadlock detected: last writeback core 0 @ gpu_sim_cycle ");
	ck_has(t->scripts, "0(64)");
	timed_free(t);
}
END_TEST

// Half of the warp waits where the sides of the branch meet; the other half at the barrier for all: lanes are let go.
static const char joined[] = HEAD ENTRY
	"and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 1; mov.u32 %r5, 1; @%p1 bra S; bar.sync 0; mov.u32 %r5, 2;\n"
	"S: setp.eq.u32 %p2, %r5, 1; @%p2 bar.sync 0; st.global.u32 [%rd9], %r5; ret; }";

START_TEST(stepping_every_cycle_finds_out_in_the_same_cycle)
{
	for (unsigned i = 0; i < 2; i++) {
		struct timed *a = timed_new(i ? joined : stuck, ""), *b = timed_new(i ? joined : stuck, "-tick_every_cycle 1");
		const struct fault *fa = timed_run(a, 1, 64), *fb = timed_run(b, 1, 64);
		ck_assert_int_eq(fa ? fa->kind : FAULT_NONE, i ? FAULT_NONE : FAULT_TIMEOUT);
		ck_assert_int_eq(fb ? fb->kind : FAULT_NONE, i ? FAULT_NONE : FAULT_TIMEOUT);
		ck_assert_uint_eq(a->cycles, b->cycles);
		ck_assert_str_eq(a->people, b->people);
		timed_free(a);
		timed_free(b);
	}
}
END_TEST

START_TEST(many_warps_that_wait_for_the_same_make_one_entry)
{
	struct timed *t = timed_new(stuck, "");
	ck_assert_ptr_nonnull(timed_run(t, 40, 64));
	ck_has(t->people, "40 warps: waits at barrier 1");
	ck_has(t->people, "    and 24 more\n");
	ck_assert_uint_eq(count(t->people, "its warp 0"), 16);
	timed_free(t);
}
END_TEST

static bool always_full(void *ctx, unsigned cluster, unsigned bytes) { return true; }

START_TEST(a_network_that_takes_nothing_is_found)
{
	struct timed *t = timed_new(add_one, "-gpgpu_perfect_inst_const_cache 1");
	t->g->timing->share[0].world.icnt_full = always_full;
	const struct fault *f = timed_run(t, 1, 32);
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(f->kind, FAULT_TIMEOUT);
	ck_assert_uint_le(t->cycles, 200000);
	ck_has(t->people, "no warp can ever move again");
	ck_has(t->people, "1 warp: waits for %r4 of test.ptx:10 in k: ld.global.u32 %r4, [%rd9], 4 answers to come");
	ck_has(t->people, "at test.ptx:11 in k: add.u32 %r5, %r4, 1");
	ck_has(t->people, " of gpu.sm[0] warp 0: in its SM since cycle ");
	ck_has(t->people, "gpu.sm[0].l1d: MSHRs ");
	timed_free(t);
}
END_TEST

START_TEST(answers_that_nobody_takes_are_reported_on_their_way_back)
{
	struct timed *t = timed_new(add_one, "-gpgpu_perfect_inst_const_cache 1");
	const uint32_t size = t->g->timing->cluster[0].responses.size;
	for (unsigned i = 0; i < t->g->timing->core.n_clusters; i++)
		t->g->timing->cluster[i].responses.size = 0; // full
	ck_assert_ptr_nonnull(timed_run(t, 1, 32));
	ck_assert_uint_ge(t->cycles, 1000000);
	ck_assert_uint_le(t->cycles, 1220000);
	ck_has(t->people, "no instruction was completed for 10");
	ck_has(t->people, "on its way back since cycle ");
	ck_has(t->people, "icnt.reply ");
	ck_has(t->scripts, "iterconnect contains traffic");
	for (unsigned i = 0; i < t->g->timing->core.n_clusters; i++)
		t->g->timing->cluster[i].responses.size = size; // what is freed with it
	timed_free(t);
}
END_TEST

// --- debugger

START_TEST(stops_change_no_cycle)
{
	static const char *const steps[] = {"step", "", "step 3", "stepi", "stepi", "info", "delete", "continue", NULL};
	static const char *const places[] = {"cycle=10", "ptx:10", "test.ptx:11", "0x0", "k"};
	uint64_t alone = cycles_alone(add_one, 3, 64);
	struct timed *t = timed_new(add_one, "");
	debug_with(t, places[_i], steps);
	ck_assert_ptr_null(timed_run(t, 3, 64));
	ck_assert_uint_eq(t->cycles, alone);
	ck_has(t->said, "> continue");
	timed_free(t);
}
END_TEST

START_TEST(a_stop_at_a_line_shows_the_warp_before_the_instruction)
{
	static const char *const commands[] = {"warp", "pipe 0", "kernels", "queues", "step 2", "info", "detach", NULL};
	struct timed *t = timed_new(add_one, "");
	((uint32_t *)(uintptr_t)t->out)[3] = 0x1234;
	debug_with(t, "test.ptx:11", commands);
	ck_assert_ptr_null(timed_run(t, 1, 32));
	ck_has(t->said, "stop 1 (test.ptx:11) in cycle ");
	ck_has(t->said, "gpu.sm[0] warp 0 (block (0,0,0), its warp 0), next: test.ptx:11 in k: add.u32 %r5, %r4, 1\n");
	ck_has(t->said, "lanes ffffffff (under -1) runs at test.ptx:11 in k");
	ck_has(t->said, "    %r4      0-2:0x0 3:0x1234 4-31:0x0\n");
	ck_assert_ptr_null(strstr(t->said, "    %r5 ")); // holds nothing yet
	ck_has(t->said, "gpu.sm[0]: 1 blocks, 32 threads");
	ck_has(t->said, "stop 1 at test.ptx:11, reached 1 time\n");
	timed_free(t);
}
END_TEST

START_TEST(memory_can_be_shown_and_watched)
{
	char place[40], show[40], want[80];
	struct timed *t = timed_new(add_one, "");
	const char *const commands[] = {show, "x 0x10", "continue", "detach", NULL};
	((uint32_t *)(uintptr_t)t->out)[1] = 77;
	snprintf(place, sizeof place, "0x%llx", (unsigned long long)t->out + 5);
	snprintf(show, sizeof show, "x 0x%llx 2", (unsigned long long)t->out);
	debug_with(t, place, commands);
	ck_assert_ptr_null(timed_run(t, 1, 32));
	ck_has(t->said, "touched by test.ptx:10 in k: ld.global.u32 %r4, [%rd9]\n");
	snprintf(want, sizeof want, "0x%llx: 00000000 0000004d\n", (unsigned long long)t->out);
	ck_has(t->said, want);
	ck_has(t->said, "0x10 lies in no allocation");
	ck_has(t->said, "touched by test.ptx:12 in k: st.global.u32 [%rd9], %r5\n");
	timed_free(t);
}
END_TEST

START_TEST(places_that_make_no_sense_are_refused)
{
	static const char *const wrong[] = {"cycle=x", "cycle=", "0x", "0xfg", "file:zz", "file:", ":3", "", "cicle=5", "cycle:5", "cycle=-1",
	                                    "no such!"};
	struct debugger *g = debugger_new(&(struct debugger_io){0});
	char why[300];
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		*why = 0;
		ck_assert_msg(!debugger_add(g, wrong[i], why, sizeof why), "'%s' was taken", wrong[i]);
		ck_assert_uint_ne(strlen(why), 0);
	}
	debugger_free(g);
}
END_TEST

START_TEST(stops_that_were_not_reached_are_named_at_the_end)
{
	static const char *const commands[] = {"break nowhere.cu:5", "break cycle=99999999", "break other_kernel", "break 0xfff0", "continue", NULL};
	struct timed *t = timed_new(add_one, "");
	debug_with(t, "test.ptx:11", commands);
	ck_assert_ptr_null(timed_run(t, 1, 32));
	debugger_end(t->watch.debugger);
	ck_has(t->said, "stop 2 at nowhere.cu:5 was not reached: no kernel that ran has code there\n");
	ck_has(t->said, "stop 3 at cycle=99999999 was not reached: the program ended before\n");
	ck_has(t->said, "stop 4 at other_kernel was not reached: no kernel of such a name ran\n");
	ck_has(t->said, "stop 5 at 0xfff0 was not reached: no kernel that ran has an instruction there\n");
	ck_assert_ptr_null(strstr(t->said, "stop 1 at test.ptx:11 was"));
	timed_free(t);
}
END_TEST

START_TEST(nonsense_commands_are_answered)
{
	static const char *const commands[] = {
		"bogus",     "help", "warp 0 99", "warp 1", "pipe 400", "break 0xzz", "break cycle=1", "delete 9", "x",
		"step -1",   "step many", "stepi x", "stepi 99 0",
		"stepi 0 0", "",     "q",         "d",      "c",        NULL};
	struct timed *t = timed_new(add_one, "");
	debug_with(t, "cycle=5", commands);
	ck_assert_ptr_null(timed_run(t, 1, 32));
	ck_has(t->said, "no command 'bogus'");
	ck_has(t->said, "go on for N core cycles");
	ck_has(t->said, "has no warp 99");
	ck_has(t->said, "this GPU has SMs 0 to 1");
	ck_has(t->said, "is no address");
	ck_has(t->said, "> step -1\nusage: step [CYCLES]\n");
	ck_has(t->said, "> step many\nusage: step [CYCLES]\n");
	ck_has(t->said, "> stepi x\nusage: stepi [SM WARP]\n");
	ck_has(t->said, "> stepi 99 0\nthis GPU has SMs 0 to 1\n");
	ck_has(t->said, "there is no stop 9");
	timed_free(t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("trace");
	TCase *c = tcase_create("trace");
	tcase_set_timeout(c, 60);
	tcase_add_test(c, streams_are_chosen_by_name_or_level);
	tcase_add_test(c, the_page_on_debugging_lists_every_stream);
	tcase_add_test(c, sampling_picks_one_core_and_one_partition);
	tcase_add_test(c, all_streams_on_change_no_cycle_and_every_one_has_lines);
	tcase_add_test(c, the_sampled_core_alone_is_traced);
	tcase_add_test(c, progress_counts_blocks);
	tcase_add_test(c, a_barrier_that_cannot_complete_is_reported_with_who_is_missing);
	tcase_add_test(c, stepping_every_cycle_finds_out_in_the_same_cycle);
	tcase_add_test(c, many_warps_that_wait_for_the_same_make_one_entry);
	tcase_add_test(c, a_network_that_takes_nothing_is_found);
	tcase_add_test(c, answers_that_nobody_takes_are_reported_on_their_way_back);
	tcase_add_loop_test(c, stops_change_no_cycle, 0, 5);
	tcase_add_test(c, a_stop_at_a_line_shows_the_warp_before_the_instruction);
	tcase_add_test(c, memory_can_be_shown_and_watched);
	tcase_add_test(c, places_that_make_no_sense_are_refused);
	tcase_add_test(c, stops_that_were_not_reached_are_named_at_the_end);
	tcase_add_test(c, nonsense_commands_are_answered);
	suite_add_tcase(s, c);
	return check_main(s);
}
