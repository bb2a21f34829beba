// Batches of CTAs by several threads (gpgpu-sim/gpu/functional_batch.c): the same memory, counts, faults and output for every
// number.
#include "tests/unit/ptx_harness.h"

enum { BYTES = 1 << 18, LAST = BYTES - 256 };

// Parameters: two arrays of BYTES bytes each.
#define HEAD(name) \
	".visible .entry " name "(.param .u64 pa, .param .u64 pb) {\n" \
	".reg .pred %p<4>; .reg .b32 %r<24>; .reg .b64 %a<12>; .reg .f32 %f<8>; .shared .align 4 .b8 buf[1024];\n" \
	"ld.param.u64 %a0, [pa]; ld.param.u64 %a1, [pb]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n" \
	"mad.lo.u32 %r3, %r0, %r1, %r2; mul.wide.u32 %a2, %r3, 4; add.u64 %a3, %a0, %a2; add.u64 %a4, %a1, %a2;\n" \
	"mov.u32 %r4, 0; mov.u32 %r5, 1;\n" \
	"W: mad.lo.u32 %r5, %r5, 1664525, %r3; add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, 60; @%p0 bra W;\n"
#define TAIL "ret; }\n"
// Thread 0 alone goes on.
#define FIRST "setp.ne.u32 %p1, %r2, 0; @%p1 bra E;\n"

static const char *const ptx =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
	".global .align 1 .b8 text[4] = {104, 105, 10, 0};\n"
	HEAD("own") "ld.global.u32 %r6, [%a3]; add.u32 %r6, %r6, %r5; st.global.u32 [%a4], %r6;" TAIL
	HEAD("in_place") "ld.global.u32 %r6, [%a3]; mad.lo.u32 %r6, %r6, 5, %r5; st.global.u32 [%a3], %r6;"
	"ld.global.u32 %r7, [%a4];"
	"add.u32 %r7, %r7, %r6; st.global.u32 [%a4], %r7;" TAIL
	HEAD("neighbours") "and.b32 %r6, %r5, 16383; mul.wide.u32 %a5, %r6, 4; add.u64 %a5, %a0, %a5; ld.global.u32 %r7, [%a5];"
	"ld.global.u32 %r8, [%a3+4]; add.u32 %r7, %r7, %r8; st.global.u32 [%a4], %r7;" TAIL
	// Each CTA continues what the one before it left.
	HEAD("chain") FIRST "mul.wide.u32 %a5, %r0, 4; add.u64 %a5, %a0, %a5; ld.global.u32 %r6, [%a5];"
	"mad.lo.u32 %r6, %r6, 3, %r0;"
	"st.global.u32 [%a5+4], %r6;\nE: " TAIL
	// Others than itself: the store of the CTA before is seen, that of the next one not.
	HEAD("late_chain") "setp.lt.u32 %p1, %r0, 200; @%p1 st.global.u32 [%a4], %r5; @%p1 bra E;"
	"ld.global.u32 %r6, [%a3+256]; ld.global.u32 %r7, [%a3+-256]; mad.lo.u32 %r6, %r6, 3, %r7;"
	"st.global.u32 [%a3], %r6;\nE: " TAIL
	HEAD("last_wins") "mul.wide.u32 %a5, %r2, 4; add.u64 %a5, %a1, %a5; st.global.u32 [%a5], %r0;" TAIL
	// Bytes of one sector belong to several CTAs.
	HEAD("bytes") FIRST "cvt.u64.u32 %a5, %r0; add.u64 %a5, %a1, %a5; st.global.u8 [%a5], %r0;\nE: " TAIL
	// What was never written.
	HEAD("unset") "mul.wide.u32 %a5, %r2, 4; mov.u64 %a6, buf; add.u64 %a6, %a6, %a5; ld.shared.u32 %r6, [%a6];"
	"add.u32 %r6, %r6, %r20;"
	"st.global.u32 [%a4], %r6; st.shared.u32 [%a6], %r5; mov.u32 %r20, %r5; ld.shared.u32 %r7, [%a6];"
	"add.u32 %r20, %r20, %r7;"
	"st.global.u32 [%a4+65536], %r20;" TAIL
	HEAD("wide") "shl.b32 %r6, %r3, 4; cvt.u64.u32 %a5, %r6; add.u64 %a6, %a1, %a5; add.u64 %a5, %a0, %a5;"
	"ld.v4.u32 {%r7, %r8, %r9, %r10}, [%a5];"
	"add.u32 %r7, %r7, %r8; st.v4.u32 [%a6], {%r10, %r9, %r8, %r7}; cvt.u64.u32 %a7, %r3; add.u64 %a7, %a0, %a7;"
	"ld.global.u8 %r11, [%a7];"
	"st.global.u16 [%a6+2], %r11;" TAIL
	HEAD("shared_atomic") "mov.u64 %a6, buf; @!%p3 mov.u32 %r6, 0; st.shared.u32 [%a6], %r6; bar.sync 0;"
	"atom.shared.add.u32 %r7, [%a6], %r2; bar.sync 0;"
	"ld.shared.u32 %r8, [%a6]; add.u32 %r8, %r8, %r7; st.global.u32 [%a4], %r8;" TAIL
	HEAD("global_atomic") "atom.global.add.u32 %r7, [%a0], %r2; st.global.u32 [%a4], %r7;" TAIL
	HEAD("clock") "mov.u32 %r7, %clock; st.global.u32 [%a4], %r7;" TAIL
	// In the 37th CTA.
	HEAD("faults") "st.global.u32 [%a4], %r5; setp.eq.u32 %p1, %r0, 36; mov.u64 %a5, 64;"
	"@%p1 st.global.u32 [%a5], %r5;" TAIL
	HEAD("traps") "st.global.u32 [%a4], %r5; setp.eq.u32 %p1, %r0, 300; @%p1 trap;" TAIL
	HEAD("beside") "setp.eq.u32 %p1, %r0, 21; @%p1 ld.global.u32 %r5, [%a0+262400]; st.global.u32 [%a4], %r5;" TAIL
	HEAD("prints") "st.global.u32 [%a4], %r5; setp.ne.u32 %p1, %r0, 50; @%p1 bra E; setp.ne.u32 %p1, %r2, 0; @%p1 bra E;"
	"{ .param .b64 x; .param .b64 y; .param .b32 z; mov.u64 %a5, text; cvta.global.u64 %a5, %a5;"
	"st.param.b64 [x], %a5; mov.u64 %a6, 0;"
	"st.param.b64 [y], %a6; call (z), vprintf, (x, y); }\nE: " TAIL
	// The 30th CTA waits for the last one by plain loads.
	HEAD("spins") FIRST "setp.eq.u32 %p1, %r0, 99; mov.u32 %r6, 7; @%p1 st.global.u32 [%a0+65536], %r6;"
	"setp.ne.u32 %p1, %r0, 29; @%p1 bra E;\n"
	"S: ld.global.u32 %r6, [%a0+65536]; setp.ne.u32 %p1, %r6, 7; @%p1 bra S; st.global.u32 [%a1], %r6;\nE: " TAIL
	// Longer than a turn, one of them, beside others that need it not.
	HEAD("long") "setp.ne.u32 %p1, %r0, 20; @%p1 bra E; mov.u32 %r4, 0;\n"
	"L: mad.lo.u32 %r5, %r5, 1664525, %r3; add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, 300000; @%p0 bra L;"
	"\nE: st.global.u32 [%a4], %r5;" TAIL
	// Anywhere: %r5 is as good as drawn by lot. Few of many CTAs meet.
	HEAD("lots") "shr.u32 %r6, %r5, 14; and.b32 %r6, %r6, 65532; cvt.u64.u32 %a5, %r6; add.u64 %a5, %a0, %a5;"
	"setp.lt.u32 %p1, %r0, 150;"
	"ld.global.u32 %r7, [%a5]; @%p1 bra O; setp.ne.u32 %p2, %r2, 1; @%p2 bra O; mad.lo.u32 %r7, %r7, 3, %r0;"
	"st.global.u32 [%a5], %r7;\n"
	"O: st.global.u32 [%a4], %r7;" TAIL;

static struct rows {
	const char *kernel;
	uint32_t grid, block;
	int together;   // 1: threads ran CTAs, and no batch failed; 0: none was tried; -1: some batch failed
	uint32_t at, is; // a word of the outcome, of `a`, or of b with bit 31 set; at 0: any
} const table[] = {
	{"own", 1000, 64, 1, 0, 0}, {"in_place", 1000, 64, 1, 0, 0}, {"neighbours", 900, 64, 1, 0, 0},
	{"chain", 500, 64, -1, 0, 0}, {"late_chain", 500, 64, -1, 0, 0}, {"last_wins", 500, 64, -1, 1u << 31 | 4, 499},
	{"bytes", 500, 32, -1, 0, 0}, {"unset", 256, 64, 1, 1u << 31 | 4, 0}, {"wide", 200, 64, 1, 0, 0},
	{"shared_atomic", 400, 64, 1, 0, 0}, {"global_atomic", 400, 64, 0, 0, 0}, {"clock", 400, 64, 0, 0, 0},
	{"faults", 400, 64, -1, 0, 0}, {"traps", 400, 64, -1, 0, 0}, {"beside", 400, 64, -1, 0, 0}, {"prints", 400, 64, -1, 0, 0},
	{"spins", 100, 32, -1, 1u << 31 | 0, 7}, {"long", 100, 64, 1, 0, 0}, {"lots", 1000, 64, -1, 0, 0},
};

// What came of a run.
struct outcome {
	uint8_t *a, *b;
	struct kernel_counts counts;
	struct fault fault;
	char *printed;
};

static void launch(struct ptx_bench *b, const struct rows *k, struct func_team *team, const uint64_t params[2])
{
	b->launch = bench_launch(b, k->kernel, k->grid, k->block);
	b->launch.params = (const uint8_t *)params;
	struct functional_run *r = functional_new(&b->launch, 8, team);
	uint64_t used, total = 0;
	while (!functional_step(r, 5000, &used)) {
		total += used;
		ck_assert_msg(total < 400000000, "kernel %s does not end", k->kernel);
	}
	functional_free(r);
}

static struct outcome run(const struct rows *k, unsigned threads, unsigned dawdle, struct func_team_counts *counts)
{
	struct ptx_bench *b = bench_new(ptx);
	const uint64_t params[2] = {bench_alloc(b, BYTES), bench_alloc(b, BYTES)};
	struct func_team *team = threads ? func_team_new(threads) : NULL;
	if (team)
		func_team_dawdle(team, dawdle);
	for (uint32_t i = 0; i < BYTES / 4; i++)
		((uint32_t *)params[0])[i] = i * 2654435761u;
	launch(b, k, team, params);
	// Again, with what was learned, on what the first run left.
	if (!b->launch.fault.kind && strcmp(k->kernel, "spins") != 0)
		launch(b, k, team, params);
	struct outcome o = {mem_alloc(BYTES), mem_alloc(BYTES), b->launch.counts, b->launch.fault, mem_strdup(b->printed)};
	memcpy(o.a, (void *)params[0], BYTES);
	memcpy(o.b, (void *)params[1], BYTES);
	if (team)
		*counts = *func_team_counts(team);
	func_team_free(team);
	bench_free(b);
	return o;
}

static void outcome_free(struct outcome *o)
{
	mem_free(o->a);
	mem_free(o->b);
	mem_free(o->printed);
}

START_TEST(every_number_of_threads_gives_the_same)
{
	const struct rows *k = &table[_i];
	struct func_team_counts n = {0};
	struct outcome one = run(k, 0, 0, &n);
	static const unsigned threads[] = {1, 2, 3, 8};
	for (unsigned i = 0; i < 4; i++) {
		struct outcome o = run(k, threads[i], i == 2 ? 0 : 77 + i, &n);
		const bool same = !memcmp(o.a, one.a, BYTES) && !memcmp(o.b, one.b, BYTES);
		const bool counted = !memcmp(&o.counts, &one.counts, sizeof o.counts);
		ck_assert_msg(same, "%s: %u threads leave other bytes", k->kernel, threads[i]);
		ck_assert_msg(counted, "%s: %u threads count otherwise", k->kernel, threads[i]);
		ck_assert_str_eq(o.printed, one.printed);
		ck_assert_str_eq(o.fault.text, one.fault.text);
#ifndef HEDDLE_HOSTILE // there batches are a few instructions long
		if (threads[i] == 1 || !k->together)
			ck_assert_msg(!n.tries && !n.ctas, "%s: %u threads ran a batch", k->kernel, threads[i]);
		else if (k->together > 0)
			ck_assert_msg(n.ctas && !n.failed, "%s: %u batches failed", k->kernel, (unsigned)n.failed);
		else
			ck_assert_msg(n.tries && n.failed, "%s: no batch failed", k->kernel);
#endif
		outcome_free(&o);
	}
	const uint32_t at = k->at & INT32_MAX;
	if (k->at)
		ck_assert_uint_eq(*(uint32_t *)((k->at >> 31 ? one.b : one.a) + at), k->is);
	outcome_free(&one);
}
END_TEST

START_TEST(a_fault_names_the_first_block_in_order)
{
	struct func_team_counts n = {0};
	const struct rows k = {"faults", 400, 64, -1, 0, 0};
	struct outcome o = run(&k, 3, 5, &n);
	ck_assert_msg(strstr(o.fault.text, "block (36,0,0)"), "%s", o.fault.text);
#ifndef HEDDLE_HOSTILE // there blocks take turns
	ck_assert_uint_eq(o.counts.ctas, 37);
#endif
	outcome_free(&o);
}
END_TEST

// Claims alone. Two threads' worth, called from one.
struct board {
	struct devmem *mem;
	struct diag d;
	uint64_t x, y;
	struct claims_board *b;
	struct claims c[2], *all[2];
};

static void board_new(struct board *t)
{
	*t = (struct board){0};
	t->mem = devmem_create((uint64_t)64 << 20, DEVMEM_OWN, &t->d);
	t->x = devmem_alloc(t->mem, 4096, 256, DEVMEM_DEVICE, 0);
	t->y = devmem_alloc(t->mem, 4096, 256, DEVMEM_DEVICE, 0);
	t->b = claims_board_new(t->mem);
	ck_assert_ptr_nonnull(t->b);
	for (unsigned i = 0; i < 2; i++) {
		claims_init(&t->c[i], t->b);
		t->all[i] = &t->c[i];
	}
}

static void board_free(struct board *t)
{
	for (unsigned i = 0; i < 2; i++)
		claims_free(&t->c[i]);
	claims_board_free(t->b);
	devmem_destroy(t->mem);
}

static void begin(struct board *t)
{
	claims_begin(t->b, t->all, 2);
	for (unsigned i = 0; i < 2; i++)
		t->c[i].cta = i + 1;
}

static bool may(struct board *t, unsigned who, uint64_t at, uint32_t bytes, bool write)
{
	const uint64_t to = claims_place(&t->c[who], at, bytes, write);
	if (write)
		memset((void *)(uintptr_t)to, 1 + (int)who, bytes);
	return to == at;
}

START_TEST(claims_keep_ctas_apart)
{
	struct board t;
	board_new(&t);
	for (unsigned round = 0; round < 12; round++) { // numbers of batches begin again
		memset((void *)t.x, 9, 4096);
		begin(&t);
		ck_assert(may(&t, 0, t.x, 4, true) && may(&t, 0, t.x + 28, 8, true) && may(&t, 1, t.x + 64, 128, true));
		ck_assert(may(&t, 0, t.x, 64, false));
		ck_assert_int_eq(claims_finish(t.b, t.all, 2), CLAIMS_FINE);
		ck_assert_int_eq(*(uint8_t *)t.x, 1);
		begin(&t); // of the sector of another: neither
		ck_assert(may(&t, 0, t.x, 4, true) && may(&t, 1, t.x + 32, 4, true) && !may(&t, 1, t.x + 4, 4, false));
		ck_assert_int_eq(claims_finish(t.b, t.all, 2), CLAIMS_CONFLICT);
		ck_assert_int_eq(*(uint8_t *)t.x, 1);
		ck_assert_int_eq(*(uint8_t *)(t.x + 32), 1);
		begin(&t);
		ck_assert(may(&t, 0, t.x, 4, true) && !may(&t, 1, t.x + 28, 8, true));
		ck_assert_int_eq(claims_finish(t.b, t.all, 2), CLAIMS_CONFLICT);
		ck_assert_int_eq(*(uint8_t *)(t.x + 32), 1);
		begin(&t); // read by both, then written: known next time
		ck_assert(may(&t, 0, t.y, 4, false) && may(&t, 1, t.y, 4, false) && !may(&t, 1, t.y + 64, 4, true));
		ck_assert_int_eq(claims_finish(t.b, t.all, 2), CLAIMS_LEARNED);
		begin(&t);
		ck_assert(may(&t, 0, t.y, 4, false) && may(&t, 1, t.y, 4, false) && may(&t, 1, t.y + 64, 4, true));
		ck_assert_int_eq(claims_finish(t.b, t.all, 2), CLAIMS_FINE);
		begin(&t); // but not where both have read
		ck_assert(may(&t, 0, t.y, 4, false) && may(&t, 1, t.y, 4, false) && !may(&t, 1, t.y, 4, true));
		ck_assert_int_eq(claims_finish(t.b, t.all, 2), CLAIMS_CONFLICT);
		claims_forget(t.b);
	}
	board_free(&t);
}
END_TEST

START_TEST(what_host_threads_look_at_is_not_written)
{
	struct board t;
	board_new(&t);
	const uint64_t pinned = devmem_alloc(t.mem, 4096, 256, DEVMEM_HOST, 0);
	begin(&t);
	ck_assert(may(&t, 0, pinned, 4, false) && !may(&t, 0, pinned, 4, true) && !may(&t, 1, 64, 4, false));
	ck_assert_int_eq(claims_finish(t.b, t.all, 2), CLAIMS_CONFLICT);
	board_free(&t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("batches");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, every_number_of_threads_gives_the_same, 0, sizeof table / sizeof *table);
	tcase_add_test(c, a_fault_names_the_first_block_in_order);
	tcase_add_test(c, claims_keep_ctas_apart);
	tcase_add_test(c, what_host_threads_look_at_is_not_written);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
