// Extended traces: what is in them reaches the core, a program costs the same cycles as in an Accel-Sim trace, and
// nothing that is wrong with the files ends in more than a sentence.
#include "tests/unit/timing_harness.h"
#include "tests/unit/trace_pb_maker.h"
#include "tests/unit/trace_text.h"

#include "cuda-sim/trace/pb.h"

#define CONFIG TIMED_BASE "-gpgpu_sub_core_model 0\n-specialized_unit_1 1,4,4,4,4,BRA\n-trace_opcode_latency_initiation_int 4,2\n"          \
	"-trace_opcode_latency_initiation_sp 4,2\n-trace_opcode_latency_initiation_spec_op_1 4,4\n" \
	"-machine_code_latencies 1\n"

enum { FULL = -1, CTL = 0x7e5 }; // all lanes; control bits: stall 5, no counters

#define GLOBAL ((uint64_t)0x7f2000000000)
#define SHARED ((uint64_t)0x7f0000000000)
#define LOCAL ((uint64_t)0x7f1000000000)

static const struct trace_rules rules = {.units = 1};

static struct trace_set *open_set(struct pb_maker *m)
{
	char why[1200] = "";
	struct trace_set *s = trace_set_open(m->path, why, sizeof why);
	ck_assert_msg(s, "%s", why);
	return s;
}

// --- the same program in both formats

struct replayed {
	char *text, *error, *notes;
	uint64_t cycles, warp_insts;
};

static void put_stats(void *ctx, const char *s) { fputs(s, ctx); }
static void put_note(void *ctx, const char *file, const char *text) { fprintf(ctx, "%s\n", text); }

static struct replayed replay(struct trace_kernel *k)
{
	struct replayed r = {0};
	struct options opt = {0};
	struct gpu_desc desc;
	struct diag d = {0};
	struct kernel_launch l, *ended;
	size_t n[2];
	FILE *text = open_memstream(&r.text, &n[0]), *notes = open_memstream(&r.notes, &n[1]);
	options_defaults(&opt);
	ck_assert_msg(options_load_text(&opt, "test", CONFIG, strlen(CONFIG), FROM_FILE, &d), "%s", d.text);
	ck_assert_msg(gpu_desc_from_options(&desc, &opt, &d), "%s", d.text);
	struct gpu *g = gpu_new(&opt, &desc, true, &d);
	trace_kernel_on_note(k, put_note, notes);
	trace_kernel_launch(k, &l, 0);
	l.uid = 1;
	gpu_start(g, &l);
	while (!(ended = gpu_run(g, 1 << 20)))
		ck_assert(gpu_cycle(g) < TIMED_MOST);
	const char *e = l.fault.kind ? l.fault.text : trace_kernel_end(k);
	r.error = e ? strdup(e) : NULL;
	if (!e)
		gpu_print_kernel_stats(g, &l, put_stats, text);
	r.cycles = gpu_cycle(g);
	r.warp_insts = l.counts.warp_insts;
	gpu_free(g);
	trace_kernel_close(k);
	fclose(text);
	fclose(notes);
	options_free(&opt);
	diag_free(&d);
	return r;
}

static void replayed_free(struct replayed *r)
{
	free(r->text);
	free(r->error);
	free(r->notes);
}

static struct replayed replay_set(struct pb_maker *m)
{
	char why[1200];
	struct trace_set *s = open_set(m);
	struct trace_kernel *k = trace_kernel_open_extended(s, 0, &rules, 0, UINT64_MAX, why, sizeof why);
	ck_assert_msg(k, "%s", why);
	struct replayed r = replay(k);
	trace_set_free(s);
	return r;
}

enum where { NOWHERE, ON_GLOBAL, ON_SHARED, EVERYWHERE, SCATTERED };

// What the extended trace says, and the text trace: destinations, opcode, sources, width.
static const struct { const char *sass, *text; enum where where; bool guarded; } code[] = {
	{"MOV R1, c[0x0][0x28]", "1 R1 MOV 0 0", NOWHERE, false},
	{"IMAD.WIDE R4, R6, R7, R18", "1 R4 IMAD.WIDE 3 R6 R7 R18 0", NOWHERE, false},
	{"LDG.E.SYS R9, [R4.64]", "1 R9 LDG.E.SYS 1 R4 4", ON_GLOBAL, false},
	{"FFMA R8, R9.reuse, R4, R8", "1 R8 FFMA 3 R9 R4 R8 0", NOWHERE, false},
	{"STS [R10+0x10], R8", "0 STS 2 R10 R8 4", ON_SHARED, false},
	{"BAR.SYNC 0x0", "0 BAR.SYNC 0 0", NOWHERE, false},
	{"LDS.64 R12, [R10]", "1 R12 LDS.64 1 R10 8", ON_SHARED, false},
	{"ISETP.NE.AND P0, PT, R9, RZ, PT", "1 P0 ISETP.NE.AND 1 R9 0", NOWHERE, false},
	{"@P0 STG.E.SYS [R4.64], R12", "0 STG.E.SYS 3 R4 R12 P0 4", ON_GLOBAL, true},
	{"DFMA R14, R14, R16, -R14", "1 R14 DFMA 3 R14 R16 R14 0", NOWHERE, false},
	{"LD.E R20, [R4.64]", "1 R20 LD.E 1 R4 4", EVERYWHERE, false},
	{"RED.E.ADD.STRONG.GPU [R4.64], R20", "0 RED.E.ADD.STRONG.GPU 2 R4 R20 4", SCATTERED, false},
	{"@!P0 FADD R8, R20, -R8", "1 R8 FADD 3 R20 R8 P0 0", NOWHERE, true},
	{"BRA 0x20", "0 BRA 0 0", NOWHERE, false},
	{"EXIT", "0 EXIT 0 0", NOWHERE, false},
};
enum { N_CODE = sizeof code / sizeof *code, LOOP = 2, TURNS = 6, CTAS = 5, THREADS = 80 };

static uint64_t address(enum where w, unsigned cta, unsigned warp, unsigned turn, unsigned lane)
{
	switch (w) {
	case ON_GLOBAL: return GLOBAL + ((cta * 3 + warp) * 32 + lane) * 4 + turn * 4096;
	case ON_SHARED: return SHARED + lane * 8 + turn * 4;
	case EVERYWHERE: return lane % 3 == 0 ? GLOBAL + lane * 64 : lane % 3 == 1 ? SHARED + lane * 4 : LOCAL + 16;
	default: return GLOBAL + 65536 + (lane * 7919 + turn * 31 + cta) % 509 * 4;
	}
}

// Forms: 0 lists, 1 whatever is shortest, as the tracer has it.
static void put_addresses(struct pb_maker *m, struct trace_maker *t, enum where w, uint32_t mask, unsigned form,
                          unsigned cta, unsigned warp, unsigned turn)
{
	int64_t list[32], delta[32];
	unsigned n = 0;
	bool stride = (mask & (mask - 1)) && !((mask >> __builtin_ctz(mask)) & ((mask >> __builtin_ctz(mask)) + 1));
	maker_put(t, " 0");
	for (uint32_t l = mask; l; l &= l - 1) {
		list[n] = (int64_t)address(w, cta, warp, turn, (unsigned)__builtin_ctz(l));
		delta[n] = n ? list[n] - list[n - 1] : 0;
		stride &= n < 2 || delta[n] == delta[1];
		maker_put(t, " 0x%llx", (unsigned long long)list[n++]);
	}
	if (!form)
		pbm_addresses(m, 0, 0, list, n);
	else if (stride)
		pbm_address(m, 1, (uint64_t)list[0], (int32_t)delta[1]);
	else
		pbm_addresses(m, 2, (uint64_t)list[0], delta + 1, n - 1);
}

static unsigned put_warp(struct pb_maker *m, struct trace_maker *t, unsigned form, unsigned cta, unsigned warp)
{
	unsigned n = 0;
	uint32_t lanes = warp == 2 ? 0xffff : UINT32_MAX;
	for (unsigned turn = 0, i = 0; i < N_CODE; n++) {
		uint32_t active = turn == 3 && i == LOOP ? lanes & 0x00010100 : turn == 4 && i == LOOP ? lanes & 0x0ff0 : lanes;
		uint32_t predicate = code[i].guarded ? turn % 3 == 2 ? 0 : 0xffff00ff << turn : UINT32_MAX,
				 mask = active & predicate;
		pbm_record(m, i * 16, active, predicate);
		maker_put(t, "%04x %08x %s", i * 16, mask, code[i].text);
		if (code[i].where && mask)
			put_addresses(m, t, code[i].where, mask, form, cta, warp, turn);
		else if (code[i].where)
			pbm_address(m, 1, 0, 0);
		maker_put(t, " 0 NoVal\n");
		if (i == N_CODE - 2 && ++turn < TURNS)
			i = LOOP;
		else
			i++;
	}
	return n;
}

static struct pb_maker *both(struct trace_maker *t, unsigned form, bool captured)
{
	struct pb_maker *m = pbm_new();
	maker_header(t, 6, 86, CTAS, THREADS, false, 0);
	pbm_function(m, 7, 0, captured, "k___0");
	for (unsigned i = 0; i < N_CODE; i++)
		pbm_inst(m, i * 16, code[i].sass, CTL);
	m->function = 7;
	Pb__Kernel *k = pbm_kernel(m, 0, 0, 1, 7, CTAS, THREADS);
	k->name = "k0";
	for (unsigned c = 0; c < CTAS; c++) {
		maker_put(t, "#BEGIN_TB\n\nthread block = %u,0,0\n", c);
		for (unsigned w = 0; w < 3; w++) {
			struct trace_maker *lines = maker_new();
			unsigned n = put_warp(m, lines, form, c, w);
			maker_put(t, "\nwarp = %u\ninsts = %u\n%s", w, n, lines->text);
			maker_free(lines);
			pbm_end_warp(m);
		}
		maker_put(t, "\n#END_TB\n");
		pbm_end_block(m, 0, 0, 1, (int)c, 0, 0);
	}
	pbm_end(m, NULL);
	return m;
}

START_TEST(a_program_costs_the_same_cycles_as_in_a_text_trace)
{
	char why[1200];
	struct trace_maker *t = maker_new();
	struct pb_maker *m = both(t, (unsigned)_i & 1, _i & 2);
	struct trace_kernel *k = trace_kernel_open_text("t", t->text, t->len, &rules, 0, UINT64_MAX, why, sizeof why);
	ck_assert_msg(k, "%s", why);
	struct replayed text = replay(k), first = replay_set(m), again = replay_set(m);
	ck_assert_msg(!text.error && !first.error, "%s %s", text.error ? text.error : "", first.error ? first.error : "");
	ck_assert_str_eq(text.notes, "");
	ck_assert_str_eq(first.notes, "");
	ck_assert_uint_eq(first.warp_insts, text.warp_insts);
	ck_assert_uint_eq(first.warp_insts, CTAS * 3 * (LOOP + (N_CODE - LOOP - 1) * TURNS + 1));
	ck_assert_uint_eq(first.cycles, text.cycles);
	ck_assert_uint_eq(first.cycles, again.cycles);
	replayed_free(&text);
	replayed_free(&first);
	replayed_free(&again);
	maker_free(t);
	pbm_free(m);
}
END_TEST

// --- what the front end tells a core

struct run {
	struct trace_set *set;
	struct trace_kernel *kernel;
	struct kernel_launch l;
	void *slots;
	struct fe_cta *cta;
	struct fe_result r;
};

// The first thread block of kernel 1.
static struct run run_begin(struct pb_maker *m)
{
	char why[1200];
	struct run u = {.set = open_set(m)};
	u.kernel = trace_kernel_open_extended(u.set, 0, &rules, 0, UINT64_MAX, why, sizeof why);
	ck_assert_msg(u.kernel, "%s", why);
	trace_kernel_launch(u.kernel, &u.l, 1 << 24);
	return u;
}

static void run_start(struct run *u)
{
	u->slots = u->l.fe->slots_new(&u->l, 1);
	u->cta = u->l.fe->cta_start(u->slots, 0, (uint32_t[3]){0}, &(struct fe_sm){.counts = &u->l.counts});
	ck_assert_msg(!u->l.fault.kind, "%s", u->l.fault.text);
}

static const struct isa_inst *step(struct run *u)
{
	u->l.fe->execute(u->cta, 0, &u->r);
	return u->r.inst;
}

static void run_end(struct run *u)
{
	u->l.fe->cta_end(u->cta);
	u->l.fe->slots_free(u->slots);
	trace_kernel_close(u->kernel);
	trace_set_free(u->set);
}

// A kernel of one warp, whose records a test writes.
static struct pb_maker *one_warp(const char *const inst[], const unsigned ctl[], unsigned n, bool captured)
{
	struct pb_maker *m = pbm_new();
	pbm_function(m, 3, 0x7f3400001000, captured, "k___0");
	for (unsigned i = 0; i < n; i++)
		pbm_inst(m, i * 16, inst[i], ctl ? ctl[i] : CTL);
	m->function = 3;
	pbm_kernel(m, 0, 0, 1, 3, 1, 32);
	return m;
}

static void one_warp_end(struct pb_maker *m)
{
	pbm_end_warp(m);
	pbm_end_block(m, 0, 0, 1, 0, 0, 0);
	pbm_end(m, NULL);
}

START_TEST(an_asynchronous_copy_has_two_accesses)
{
	struct pb_maker *m = one_warp((const char *const[]){"LDGSTS.E.128 [R6], desc[UR4][R2.64]", "EXIT"}, NULL, 2, true);
	pbm_record(m, 0, FULL, 0x0f);
	pbm_address(m, 1, GLOBAL, 16);
	pbm_address(m, 1, SHARED + 256, 16);
	pbm_record(m, 16, FULL, FULL);
	one_warp_end(m);
	struct run u = run_begin(m);
	run_start(&u);
	const struct isa_inst *i = step(&u);
	ck_assert_int_eq(i->async, ISA_ASYNC_COPY);
	ck_assert_uint_eq(u.r.active, 0x0f); // as in text traces, of which the mask says no more
	ck_assert_uint_eq(u.r.n_access, 2);
	ck_assert_int_eq(u.r.access[0].space, SPACE_GLOBAL);
	ck_assert_int_eq(u.r.access[1].space, SPACE_SHARED);
	ck_assert(!u.r.access[0].write && u.r.access[1].write);
	ck_assert_uint_eq(u.r.access[0].bytes, 16);
	ck_assert_uint_eq(u.r.access[1].mask, 0x0f);
	ck_assert_uint_eq(u.r.access[0].addr[3], GLOBAL + 48);
	ck_assert_uint_eq(u.r.access[1].addr[3], 256 + 48);
	run_end(&u);
	pbm_free(m);
}
END_TEST

START_TEST(a_constant_load_tells_its_addresses)
{
	struct pb_maker *m = one_warp((const char *const[]){"LDC R4, c[0x3][R2+0x10]", "LDC.64 R6, c[0x0][0x28]", "EXIT"},
	                              NULL, 3, true);
	pbm_record(m, 0, FULL, FULL);
	pbm_address(m, 1, 8, 4);
	pbm_record(m, 16, FULL, FULL);
	pbm_record(m, 32, FULL, FULL);
	one_warp_end(m);
	struct run u = run_begin(m);
	run_start(&u);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert(step(&u)->has_access);
		ck_assert_uint_eq(u.r.n_access, 1);
		ck_assert_int_eq(u.r.access[0].space, SPACE_CONST);
		ck_assert(!u.r.access[0].write);
		ck_assert_uint_eq(u.r.access[0].addr[5], i ? isa_const_address(0, 0x28) : isa_const_address(3, 0x10 + 8 + 20));
	}
	ck_assert_uint_eq(u.r.access[0].bytes, 8);
	step(&u);
	ck_assert_uint_eq(u.r.n_access, 0);
	run_end(&u);
	pbm_free(m);
}
END_TEST

START_TEST(a_generic_load_goes_where_its_addresses_are)
{
	int64_t list[32];
	struct pb_maker *m = one_warp((const char *const[]){"LD.E R4, desc[UR4][R2.64]", "EXIT"}, NULL, 2, true);
	for (unsigned i = 0; i < 32; i++)
		list[i] = (int64_t)(i < 8 ? GLOBAL + i * 4 : i < 20 ? SHARED + i * 4 : LOCAL + i * 4);
	pbm_record(m, 0, FULL, FULL);
	pbm_addresses(m, 0, 0, list, 32);
	pbm_record(m, 16, FULL, FULL);
	one_warp_end(m);
	struct run u = run_begin(m);
	run_start(&u);
	step(&u);
	ck_assert_uint_eq(u.r.n_access, 3);
	ck_assert_uint_eq(u.r.access[0].mask, 0x000000ff);
	ck_assert_uint_eq(u.r.access[1].mask, 0x000fff00);
	ck_assert_uint_eq(u.r.access[2].mask, 0xfff00000);
	ck_assert_int_eq(u.r.access[1].space, SPACE_SHARED);
	ck_assert_uint_eq(u.r.access[1].addr[9], 36);
	ck_assert_int_eq(u.r.access[2].space, SPACE_LOCAL);
	run_end(&u);
	pbm_free(m);
}
END_TEST

START_TEST(an_instruction_without_lanes_still_issues)
{
	struct pb_maker *m = one_warp((const char *const[]){"@P0 LDG.E R4, [R2.64]", "EXIT"}, NULL, 2, true);
	pbm_record(m, 0, 0xff, 0);
	pbm_address(m, 1, 0, 0);
	pbm_record(m, 0, 0xff, 0); // without an entry
	pbm_record(m, 16, FULL, FULL);
	one_warp_end(m);
	struct run u = run_begin(m);
	run_start(&u);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_uint_eq(step(&u)->pc, 0);
		ck_assert_uint_eq(u.r.mask, 0);
		ck_assert_uint_eq(u.r.n_access, 0);
	}
	ck_assert_uint_eq(step(&u)->pc, 16);
	ck_assert_int_eq(u.r.status, FE_DONE);
	ck_assert_uint_eq(u.l.counts.warp_insts, 3);
	run_end(&u);
	pbm_free(m);
}
END_TEST

START_TEST(control_bits_and_operands_come_from_the_static_code)
{
	// stall 2, no yield, write counter 1, read counter 0, waits for 2 and 5
	unsigned ctl[] = {2 | 1 << 4 | 1 << 5 | 0 << 8 | 0x24 << 11, 5 | 1 << 4 | 7 << 5 | 7 << 8, 0x7e5};
	const char *const text[] = {"@!P2 LDG.E.64 R8, desc[UR6][R2.64+0x8]", "IADD3 R4, P1, R8.reuse, -0x4, RZ", "EXIT"};
	struct pb_maker *m = one_warp(text, ctl, 3, _i);
	pbm_record(m, 0, FULL, FULL);
	pbm_address(m, 1, GLOBAL, 8);
	pbm_record(m, 16, FULL, FULL);
	pbm_record(m, 32, FULL, FULL);
	one_warp_end(m);
	struct run u = run_begin(m);
	run_start(&u);
	const struct isa_inst *i = step(&u);
	const struct isa_sass *s = i->sass;
	struct fe_place at;
	ck_assert_ptr_nonnull(s);
	ck_assert_int_eq(s->control.present, _i);
	if (_i) {
		ck_assert_uint_eq(s->control.stall, 2);
		ck_assert(!s->control.yield);
		ck_assert_uint_eq(s->control.write_sb, 1);
		ck_assert_uint_eq(s->control.read_sb, 0);
		ck_assert_uint_eq(s->control.wait, 0x24);
	}
	ck_assert_int_eq(s->address, ISA_ADDRESS_REGULAR);
	bool wide = false, descriptor = false, guard = false;
	for (unsigned k = 0; k < s->n_src; k++) {
		wide |= s->src[k].file == ISA_FILE_R && s->src[k].reg == 2 && s->src[k].count == 2 && s->src[k].address;
		descriptor |= s->src[k].file == ISA_FILE_UR && s->src[k].reg == 6;
		guard |= s->src[k].file == ISA_FILE_P && s->src[k].reg == 2;
	}
	ck_assert(wide && descriptor && guard);
	ck_assert_uint_eq(s->n_dst, 1);
	ck_assert_uint_eq(s->dst[0].count, 2);
	u.l.fe->place(u.l.code, i, &at);
	ck_assert_str_eq(at.text, text[0]);
	s = step(&u)->sass;
	if (_i) {
		ck_assert_uint_eq(s->control.write_sb, ISA_NO_SB);
		ck_assert_uint_eq(s->control.read_sb, ISA_NO_SB);
	}
	ck_assert_uint_eq(s->n_dst, 2); // the carry too
	ck_assert(s->src[0].reuse);
	run_end(&u);
	pbm_free(m);
}
END_TEST

START_TEST(a_called_function_is_fetched_where_it_lies)
{
	uint64_t entry = 0x7f3400008000, callee = _i ? 0x7f3400002000 : 0x7f3400020000, pc;
	struct pb_maker *m = pbm_new();
	pbm_function(m, 1, entry, true, "k___0");
	pbm_inst(m, 0, "CALL.REL.NOINC `2", CTL);
	pbm_inst(m, 16, "EXIT", CTL);
	pbm_function(m, 2, callee, true, "helper___0");
	pbm_inst(m, 0, "FADD R1, R1, R1", CTL);
	pbm_inst(m, 16, "RET.REL.NODEC R20 0x0", CTL);
	pbm_kernel(m, 0, 0, 1, 1, 1, 32);
	static const struct { int function; unsigned pc; } ran[] = {{1, 0}, {2, 0}, {2, 16}, {1, 16}};
	for (unsigned i = 0; i < 4; i++) {
		m->function = ran[i].function;
		pbm_record(m, ran[i].pc, FULL, FULL);
		pbm_end_record(m);
	}
	one_warp_end(m);
	struct run u = run_begin(m);
	run_start(&u);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_uint_eq(u.l.fe->path(u.cta, 0, &pc), 4 - i);
		ck_assert_uint_eq(u.l.info->code_base + pc, (ran[i].function == 1 ? entry : callee) + ran[i].pc);
		ck_assert_uint_lt(pc, 1 << 24);
		step(&u);
	}
	run_end(&u);
	pbm_free(m);
}
END_TEST

// Operands as they stand in traces of real programs for sm_86 and sm_120.
START_TEST(the_operands_of_real_code_are_understood)
{
	static const char *const text[] = {
		"LDC R1, c[0x0][0x37c]", "S2R R3, SR_TID.X", "S2UR UR6, SR_CTAID.X", "LDCU.64 UR4, c[0x0][0x358]",
		"IMAD R2, R2, UR6, R3", "IMAD.WIDE R4, R2, 0x4, R4", "LDG.E R5, desc[UR4][R4.64]",
		"BAR.SYNC.DEFER_BLOCKING 0x0", "IMAD.IADD R2, R3, 0x1, R2", "LEA.HI R10, R2.reuse, 0x1, RZ, 0x17",
		"ISETP.GE.U32.AND P0, PT, R2, 0x600, PT", "LDC.64 R2, c[0x3][R4+0x30]",
		"LOP3.LUT P1, R10, R10, 0x3, RZ, 0xc0, !PT", "IADD3 R6, R6, -0x2, RZ", "IADD3 R6, R6, -c[0x3][0x10], RZ",
		"@!P1 BRA 0x1400", "DEPBAR.LE SB0, 0x1, {4,3,2}", "CS2R R2, SR_CLOCKLO", "FFMA.FTZ R8, -R9, |R10|, R8",
		"STG.E desc[UR4][R6.64+0x8], R0", "@!UP0 UIADD3 UR5, UR5, 0x1, URZ", "SHFL.DOWN PT, R4, R5, 0x10, 0x1f",
		"VOTE.ANY R7, PT, P0", "BSSY B0, 0x140", "BSYNC B0", "HMMA.16816.F32 R4, R8, R12, R4",
		"LDSM.16.M88.4 R8, [R2+UR4]", "ATOMG.E.ADD.STRONG.GPU PT, R2, desc[UR4][R4.64], R7", "MUFU.RCP R3, R3",
		"PRMT R5, R6, 0x7610, R5", "R2P PR, R3, 0x7f", "WARPSYNC 0xffffffff", "MEMBAR.SC.GPU", "NOP", "EXIT"};
	enum { N = sizeof text / sizeof *text };
	struct pb_maker *m = one_warp(text, NULL, N, true);
	m->binary_version = 120;
	for (unsigned i = 0; i < N; i++) {
		pbm_record(m, i * 16, FULL, FULL);
		if (strpbrk(text[i], "[") && !strstr(text[i], "c[0x0]") && !strstr(text[i], "-c["))
			pbm_address(m, 1, strstr(text[i], "LDSM") ? SHARED : GLOBAL, 16);
	}
	one_warp_end(m);
	struct replayed r = replay_set(m);
	ck_assert_msg(!r.error, "%s", r.error);
	ck_assert_msg(!strstr(r.notes, "operand") && !strstr(r.notes, "unknown"), "%s", r.notes);
	ck_assert_uint_eq(r.warp_insts, N);
	replayed_free(&r);
	pbm_free(m);
}
END_TEST

// --- the list

START_TEST(streams_take_turns_in_the_list)
{
	char all[600] = "";
	struct kernelslist list = {0};
	struct pb_maker *m = pbm_new();
	pbm_function(m, 1, 0, true, "k___0");
	pbm_inst(m, 0, "EXIT", CTL);
	pbm_event(m, 0, 5, "MemcpyHtoD,0x00007f2000000000,4096");
	pbm_kernel(m, 0, 5, 1, 1, 1, 32);
	pbm_kernel(m, 0, 5, 2, 1, 1, 32);
	pbm_kernel(m, 1, 0, 1, 1, 1, 32);
	pbm_event(m, 1, 0, "MemcpyHtoD,0x00007f2000001000,64");
	pbm_kernel(m, 0, 0, 3, 1, 1, 32); // ids of a device that go on from stream to stream
	pbm_end(m, NULL);
	struct trace_set *s = open_set(m);
	trace_set_list(s, &list);
	for (size_t i = 0; i < list.command.n; i++) {
		const struct list_command *c = &list.command.at[i];
		char one[80];
		const struct set_kernel *k = c->kernel ? &s->kernel.at[c->kernel - 1] : NULL;
		if (k)
			snprintf(one, sizeof one, "%lld/%lld/%d ", (long long)k->device, (long long)k->stream, k->id);
		else
			snprintf(one, sizeof one, "%llx+%llu ", (unsigned long long)c->addr, (unsigned long long)c->bytes);
		strcat(all, one);
	}
	ck_assert_str_eq(all, "0/0/3 7f2000000000+4096 0/5/1 1/0/1 0/5/2 7f2000001000+64 ");
	kernelslist_free(&list);
	trace_set_free(s);
	pbm_free(m);
}
END_TEST

// --- what is wrong

// The error of opening and reading the trace, or "".
static char *error_of(struct pb_maker *m, char *why, size_t n)
{
	why[0] = 0;
	struct trace_set *s = trace_set_open(m->path, why, n);
	if (!s)
		return why;
	struct trace_kernel *k = s->kernel.n ? trace_kernel_open_extended(s, 0, &rules, 0, UINT64_MAX, why, n) : NULL;
	if (k) {
		struct replayed r = replay(k);
		snprintf(why, n, "%s", r.error ? r.error : "");
		replayed_free(&r);
	}
	trace_set_free(s);
	return why;
}

enum wrong {
	NOTHING, NO_BLOCK, WRONG_BLOCK, EMPTY_BLOCK, NO_SUCH_FUNCTION, NO_SUCH_PC, ODD_PC, NO_LANES, LANES_BEYOND,
	FEW_ADDRESSES, MANY_DELTAS, HOLES, FORMAT, NO_ADDRESSES, NEGATIVE_SHARED, NEGATIVE_GRID, HUGE_GRID, HUGE_BLOCK,
	KERNEL_FUNCTION, BAD_EVENT, NO_KERNEL, OLD_GPU, NO_JSON, TWO_WARPS, WARP_TWICE, CUT_TRACE, NO_TRACE, N_WRONG,
};
static const char *const sentences[N_WRONG] = {
	[NO_BLOCK] = "d_0_s_0_k_1_0,0,0.pb: No such file",
	[WRONG_BLOCK] = "holds thread block 1,0,0, expected 0,0,0",
	[EMPTY_BLOCK] = "warp 0 is missing; a block of 32 threads has 1",
	[NO_SUCH_FUNCTION] = "warp 0, instruction 1: function 9 is not in",
	[NO_SUCH_PC] = "pc 0x40 is not among the 2 instructions of function 3",
	[ODD_PC] = "pc 0x8 is not among",
	[NO_LANES] = "warp 0, instruction 0: active lanes 0x00000000",
	[LANES_BEYOND] = "the warp has the lanes 0x000fffff",
	[FEW_ADDRESSES] = "31 addresses or differences for 32 lanes in format 0, expected 32",
	[MANY_DELTAS] = "expected 31",
	[HOLES] = "which do not follow each other",
	[FORMAT] = "addresses in format 7",
	[NO_ADDRESSES] = "the addresses of 0 operands, expected 1",
	[NEGATIVE_SHARED] = "expected no negative numbers",
	[NEGATIVE_GRID] = "expected numbers above 0",
	[HUGE_GRID] = "too large",
	[HUGE_BLOCK] = "at most 2048 threads",
	[KERNEL_FUNCTION] = "is function 9, which is not in",
	[BAD_EVENT] = "expected MemcpyHtoD,ADDRESS,BYTES",
	[NO_KERNEL] = "there is no kernel with that id",
	[OLD_GPU] = "binary version 61",
	[NO_JSON] = "enhanced_execution_info.json: No such file",
	[TWO_WARPS] = "warp 1 is not one of the block",
	[WARP_TWICE] = "warp 0 comes twice",
	[CUT_TRACE] = "dynamic_trace.pb: no extended trace, or damaged",
	[NO_TRACE] = "dynamic_trace.pb: No such file",
};

static void wrong_addresses(struct pb_maker *m, enum wrong w)
{
	static const int64_t some[40];
	switch (w) {
	case NO_ADDRESSES: break;
	case FEW_ADDRESSES: pbm_addresses(m, 0, 0, some, 31); break;
	case MANY_DELTAS: pbm_addresses(m, 2, GLOBAL, some, 32); break;
	case FORMAT: pbm_addresses(m, 7, GLOBAL, some, 32); break;
	default: pbm_address(m, 1, GLOBAL, 4); break;
	}
}

static struct pb_maker *something_wrong(enum wrong w)
{
	char path[300];
	struct pb_maker *m = one_warp((const char *const[]){"LDG.E R4, [R2.64]", "EXIT"}, NULL, 2, true);
	Pb__Kernel *k = m->stream[0].kernel.at[0];
	if (w == LANES_BEYOND)
		k->block_dim->x = 20;
	pbm_record(m, w == ODD_PC ? 8 : w == NO_SUCH_PC ? 64 : 0, w == NO_LANES ? 0 : (uint32_t)FULL, w == HOLES ? 0xf0f : (uint32_t)FULL);
	wrong_addresses(m, w);
	pbm_end_record(m);
	m->function = w == NO_SUCH_FUNCTION ? 9 : 3;
	pbm_record(m, 16, FULL, FULL);
	if (w == EMPTY_BLOCK) {
		pbm_end_record(m);
		pbm_free_list(&m->inst);
	} else {
		pbm_end_warp(m);
	}
	if (w == WARP_TWICE)
		m->warp_id = 0;
	if (w == TWO_WARPS || w == WARP_TWICE)
		pbm_end_warp(m);
	if (w == NO_BLOCK)
		pbm_free_list(&m->warp);
	else if (w == WRONG_BLOCK) {
		ProtobufCBinaryData d = pbm_pack_block(m, 1, 0, 0);
		pbm_file(m, "threadblocks/device_0/stream_0/kernel_1/d_0_s_0_k_1_0,0,0.pb", d.data, d.len);
		mem_free(d.data);
	} else
		pbm_end_block(m, 0, 0, 1, 0, 0, 0);
	switch (w) {
	case NEGATIVE_SHARED: k->size_shared_memory = -1; break;
	case NEGATIVE_GRID: k->grid_dim->y = -3; break;
	case HUGE_GRID: k->grid_dim->x = k->grid_dim->y = k->grid_dim->z = INT32_MAX; break;
	case HUGE_BLOCK: k->block_dim->x = INT32_MAX; break;
	case KERNEL_FUNCTION: k->function_unique_id = 9; break;
	case BAD_EVENT: pbm_event(m, 0, 0, "Memcpy,1,2"); break;
	case NO_KERNEL: pbm_event(m, 0, 0, "kernel-2.trace"); break;
	case OLD_GPU: m->binary_version = 61; break;
	default: break;
	}
	pbm_end(m, NULL);
	snprintf(path, sizeof path, "%s/%s", m->dir,
	         w == NO_JSON ? "extra_info/enhanced_execution_info.json" : "dynamic_trace.pb");
	if (w == NO_JSON || w == NO_TRACE)
		unlink(path);
	if (w == CUT_TRACE)
		ck_assert_int_eq(truncate(path, 40), 0);
	return m;
}

START_TEST(what_is_wrong_is_said_in_a_sentence)
{
	char why[1200];
	struct pb_maker *m = something_wrong((enum wrong)_i);
	error_of(m, why, sizeof why);
	if (!_i)
		ck_assert_str_eq(why, "");
	else
		ck_assert_msg(strstr(why, sentences[_i]) && strstr(why, m->dir) && !strchr(why, '\n'), "case %d: '%s'", _i,
		              why);
	pbm_free(m);
}
END_TEST

#define KERNEL(insts) "{\"kernels\":[{\"kernel_name\":\"k\",\"unique_function_id\":3,\"instructions\":[" insts "]}]}"
static const struct { const char *json, *sentence; } bad_json[] = {
	{"", ":1:1: premature EOF"},
	{"{\"kernels\":[", ":1:13: premature EOF"},
	{"[]", ":1:2: expected an object"},
	{"{\"kernels\":\n [}", ":2:4: unallowed token"},
	{"{\"kernels\":\n  7}", ":2:4: 'kernels': expected an array, found a number"},
	{"{\"kernels\":[{\"unique_function_id\":-3}]}", "'unique_function_id': -3: expected a number from 0 to 2147483647"},
	{"{\"kernels\":[{\"unique_function_id\":1.5}]}", "'unique_function_id': 1.5: expected a number"},
	{"{\"kernels\":[{\"unique_function_id\":1e99}]}", "'unique_function_id': 1e99: expected a number"},
	{"{\"kernels\":[{\"instructions\":[]}]}", "a function without 'unique_function_id'"},
	{"{\"kernels\":[{\"unique_function_id\":1}]}", "a function without 'instructions'"},
	{"{\"kernels\":[{\"unique_function_id\":1,\"unique_function_id\":2}]}", "'unique_function_id' is given twice"},
	{"{\"kernels\":[{\"unique_function_id\":1,\"instructions\":[]},{\"unique_function_id\":1,\"instructions\":[]}]}", "two functions"},
	{"{\"kernels\":[null]}", "null is not expected here"},
	{"{\"kernels\":[{\"function_address\":18446744073709551616}]}", "'function_address': 18446744073709551616"},
	{KERNEL("{\"op_code\":\"EXIT\"}"), "an instruction without 'pc_num_dec'"},
	{KERNEL("{\"pc_num_dec\":0}"), "an instruction without 'op_code'"},
	{KERNEL("{\"pc_num_dec\":8,\"op_code\":\"EXIT\"}"), "'pc_num_dec' 8: expected a multiple of 16"},
	{KERNEL("{\"pc_num_dec\":16,\"op_code\":\"EXIT\"},{\"pc_num_dec\":0,\"op_code\":\"EXIT\"},{\"pc_num_dec\":16,\"op_code\":\"EXIT\"}"),
	 "two instructions of a function with 'pc_num_dec' 16"},
	{KERNEL("{\"pc_num_dec\":4294967296,\"op_code\":\"EXIT\"}"), "'pc_num_dec': 4294967296: expected a number"},
	{KERNEL("{\"op_code\":\"\"}"), "'op_code': expected an opcode"},
	{KERNEL("{\"control_bits\":{\"stall_count\":16}}"), "'stall_count': 16: expected a number from 0 to 15"},
	{KERNEL("{\"control_bits\":[]}"), "'control_bits': expected an object, found an array"},
	{KERNEL("{\"encoded_instruction\":[\"0x1\"],\"pc_num_dec\":0,\"op_code\":\"EXIT\"}"), "with 1 words, expected 2"},
	{KERNEL("{\"encoded_instruction\":[\"zz\"]}"), "'encoded_instruction'"},
	{KERNEL("{\"operands\":[{\"operand_type\":\"REG\"}]}"), "an operand without 'operand_string'"},
	{KERNEL("{\"operands\":[{\"operand_type\":\"FISH\"}]}"), "unknown 'operand_type' 'FISH'"},
	{KERNEL("{\"operands\":[7]}"), "the number 7 is not expected here"},
	{"{\"kernels\":[]} x", "trailing garbage"},
	{"{\"a\":\"\xff\"}", "invalid bytes in UTF8 string"},
};

START_TEST(an_error_in_the_json_names_line_and_column)
{
	char why[1200] = "";
	const char *json = bad_json[_i].json;
	struct trace_static *s = trace_static_parse("f.json", json, strlen(json), why, sizeof why);
	ck_assert_ptr_null(s);
	ck_assert_msg(!strncmp(why, "f.json:", 7) && strstr(why, bad_json[_i].sentence) && !strchr(why, '\n'), "'%s': '%s'",
	              json, why);
}
END_TEST

START_TEST(unknown_keys_and_deep_nesting_are_passed_over)
{
	char why[1200] = "", deep[400] = "{\"x\":";
	const char *ok = "{\"y\":[1,{\"kernels\":3}],\"kernels\":[{\"z\":null,\"unique_function_id\":3.0,\"instructions\":[{\"pc_num_dec\":1.6e1,"
	                 "\"op_code\":\"FADD\",\"w\":{\"pc_num_dec\":[]}}]}]}";
	struct trace_static *s = trace_static_parse("f", ok, strlen(ok), why, sizeof why);
	ck_assert_msg(s, "%s", why);
	const struct static_function *f = trace_static_function(s, 3);
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(trace_static_inst(f, 16));
	ck_assert_ptr_null(trace_static_inst(f, 0));
	ck_assert_ptr_null(trace_static_function(s, 2));
	trace_static_free(s);
	memset(deep + 5, '[', 300);
	ck_assert_ptr_null(trace_static_parse("f", deep, 305, why, sizeof why));
	ck_assert_msg(strstr(why, "nested more than"), "%s", why);
}
END_TEST

// Every beginning of a thread block's file, and every file with one byte changed.
START_TEST(a_damaged_thread_block_ends_in_a_sentence_or_is_read)
{
	char why[1200];
	struct trace_maker *t = maker_new();
	struct pb_maker *m = both(t, 1, true);
	struct trace_set *s = open_set(m);
	struct trace_bytes good = {0};
	char path[400];
	snprintf(path, sizeof path, "%s/threadblocks/device_0/stream_0/kernel_1/d_0_s_0_k_1_0,0,0.pb", m->dir);
	ck_assert(trace_set_file(path, &good, why, sizeof why));
	struct trace_cta *cta = mem_alloc(sizeof *cta);
	uint8_t *bytes = malloc(good.n);
	unsigned read = 0;
	for (size_t i = 0; i < 2 * good.n; i += i < good.n ? 1 : 7) {
		struct trace_code *c = mem_alloc(sizeof *c);
		struct trace_pb *p = trace_pb_new(s, 0, c, 0, 0, why, sizeof why);
		ck_assert_msg(p, "%s", why);
		memcpy(bytes, good.at, good.n);
		if (i >= good.n)
			bytes[i - good.n] ^= (uint8_t)(1u << i % 8);
		enum trace_read got = trace_pb_block(p, "block", bytes, i < good.n ? i : good.n, (uint32_t[3]){0}, cta);
		read += got == TRACE_CTA;
		ck_assert(got == TRACE_CTA || !strncmp(trace_pb_error(p), "block: ", 7));
		ck_assert(i >= good.n || got == TRACE_ERROR);
		trace_pb_feed(p).ops->free(p);
		trace_code_free(c);
		mem_free(c);
	}
	ck_assert_uint_gt(read, 0); // an address more or less is nobody's mistake
	trace_cta_free(cta);
	free(bytes);
	mem_free(good.at);
	trace_set_free(s);
	maker_free(t);
	pbm_free(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("trace_pb");
	TCase *t = tcase_create("trace_pb");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, a_program_costs_the_same_cycles_as_in_a_text_trace, 0, 4);
	tcase_add_test(t, an_asynchronous_copy_has_two_accesses);
	tcase_add_test(t, a_constant_load_tells_its_addresses);
	tcase_add_test(t, a_generic_load_goes_where_its_addresses_are);
	tcase_add_test(t, an_instruction_without_lanes_still_issues);
	tcase_add_loop_test(t, control_bits_and_operands_come_from_the_static_code, 0, 2);
	tcase_add_loop_test(t, a_called_function_is_fetched_where_it_lies, 0, 2);
	tcase_add_test(t, the_operands_of_real_code_are_understood);
	tcase_add_test(t, streams_take_turns_in_the_list);
	tcase_add_loop_test(t, what_is_wrong_is_said_in_a_sentence, 0, N_WRONG);
	tcase_add_loop_test(t, an_error_in_the_json_names_line_and_column, 0, sizeof bad_json / sizeof *bad_json);
	tcase_add_test(t, unknown_keys_and_deep_nesting_are_passed_over);
	tcase_add_test(t, a_damaged_thread_block_ends_in_a_sentence_or_is_read);
	suite_add_tcase(s, t);
	return check_main(s);
}
