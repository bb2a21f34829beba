// The seam between front end and core: kernels run instruction by instruction, warps interleaved in several orders,
// leave the memory and the counts of an ordinary run; what peek says is what execute does; accesses and static facts
// are those of the instructions.
#include "tests/unit/ptx_harness.h"

#include "base/assert.h"
#include "cuda-sim/exec/tables/find.h"
#include "cuda-sim/exec/warp.h"

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"
// out: [out + 4 * thread]. %rd9 is the thread's own, %rd1 the start, %r1 the thread.
#define ENTRY                                                                     \
	".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"                  \
	".reg .pred %p<10>; .reg .b32 %r<40>; .reg .f32 %f<20>; .reg .b64 %rd<20>;\n" \
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"     \
	"mad.lo.s32 %r0, %r2, %r3, %r1;\n"                                        \
	"ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r0, 4; add.s64 %rd9, %rd1, %rd2;\n"

enum { CTAS = 2, BLOCK = 80, WARPS = 3, OUT_BYTES = 1 << 16, STEPS = 2000000 };

// The order in which warps get their turn.
enum order { IN_TURN, BACKWARDS, FIRST_READY, LAST_READY, RANDOM, N_ORDERS };

struct seam_run {
	struct ptx_bench *b;
	uint64_t out;
	struct kernel_launch *l;
	struct fe_result r;
	uint64_t cycle;
	uint64_t steps;
	// called after each instruction
	void (*look)(struct seam_run *s, unsigned warp);
	void *ctx;
	unsigned looked;
};

static uint64_t seam_clock(void *ctx) { return 1000; }

static uint32_t seam_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static struct seam_run *seam_new(const char *ptx)
{
	struct seam_run *s = MEM_NEW(struct seam_run);
	s->b = bench_new(ptx);
	s->b->services.clock = seam_clock;
	s->b->services.clock_hz = 1600000000;
	s->out = bench_alloc(s->b, OUT_BYTES);
	return s;
}

static void seam_free(struct seam_run *s)
{
	bench_free(s->b);
	mem_free(s);
}

static struct kernel_launch *seam_launch(struct seam_run *s, void *params)
{
	struct ptx_bench *b = s->b;
	b->launch = bench_launch(b, "k", CTAS, BLOCK);
	b->launch.dynamic_shared = 1024;
	b->launch.params = params;
	s->l = &b->launch;
	return &b->launch;
}

static void check_inst(const struct seam_run *s, const struct isa_inst *i)
{
	const struct frontend_ops *fe = s->l->fe;
	ck_assert_ptr_eq(fe->inst_at(s->l->code, i->pc), i);
	ck_assert_uint_le(i->n_read, i->n_src);
	for (unsigned k = 0; k < i->n_src; k++) {
		ck_assert_uint_lt(i->src[k], fe->register_count(s->l->code));
		for (unsigned n = 0; n < k; n++)
			ck_assert_uint_ne(i->src[k], i->src[n]);
	}
	for (unsigned k = 0; k < i->n_dst; k++)
		ck_assert_uint_lt(i->dst[k], fe->register_count(s->l->code));
}

static void check_result(const struct seam_run *s)
{
	const struct fe_result *r = &s->r;
	ck_assert_uint_eq(r->mask & ~r->active, 0);
	ck_assert(r->active != 0);
	if (!r->inst->has_access)
		ck_assert_uint_eq(r->n_access, 0);
	if (r->inst->has_access && r->inst->cls != ISA_TEXTURE && r->mask)
		ck_assert_uint_ge(r->n_access, 1);
	uint32_t all = 0;
	for (uint32_t k = 0; k < r->n_access; k++) {
		const struct fe_access *a = &r->access[k];
		ck_assert(a->mask && !(a->mask & ~r->mask));
		ck_assert(a->space != SPACE_GENERIC && a->space != SPACE_NONE);
		if (r->inst->cls != ISA_TEXTURE) {
			ck_assert_uint_eq(a->bytes, r->inst->bytes);
			ck_assert_uint_eq(a->write, r->inst->cls == ISA_STORE || r->inst->cls == ISA_ATOMIC);
			ck_assert_uint_eq(a->atomic, r->inst->cls == ISA_ATOMIC);
			ck_assert(!(all & a->mask) || (k && a->mask == r->mask && all == r->mask)); // of a matrix all lanes make each
		}
		all |= a->mask;
		for (uint32_t m = a->mask; m; m &= m - 1) {
			uint64_t at = a->addr[__builtin_ctz(m)];
			if (a->space == SPACE_GLOBAL)
				ck_assert_ptr_nonnull(devmem_find(s->b->mem, at));
			if (a->space == SPACE_SHARED)
				ck_assert_uint_lt(at, s->l->info->static_shared + 1024);
			if (a->space == SPACE_PARAM)
				ck_assert_uint_le(at + a->bytes, s->l->info->param_bytes);
		}
	}
	if (r->inst->cls != ISA_TEXTURE && r->n_access)
		ck_assert_uint_eq(all, r->mask);
}

static void step(struct seam_run *s, struct fe_cta *c, unsigned w, unsigned n_warp)
{
	const struct frontend_ops *fe = s->l->fe;
	const struct isa_inst *other[32], *i = fe->peek(c, w);
	uint64_t before = s->l->counts.warp_insts, lanes = s->l->counts.thread_insts, cls = s->l->counts.cls[i->cls];
	for (unsigned k = 0; k < n_warp; k++)
		other[k] = fe->peek(c, k);
	check_inst(s, i);
	memset(&s->r, 0xa5, sizeof s->r);
	fe->execute(c, w, &s->r);
	ck_assert_msg(s->r.status != FE_FAULT, "%s", s->l->fault.text);
	ck_assert_ptr_eq(s->r.inst, i);
	ck_assert_uint_eq(s->l->counts.warp_insts, before + 1);
	ck_assert_uint_eq(s->l->counts.thread_insts, lanes + (uint64_t)__builtin_popcount(s->r.mask));
	ck_assert_uint_eq(s->l->counts.cls[i->cls], cls + 1);
	check_result(s);
	ck_assert_uint_eq(s->r.status == FE_OK || s->r.status == FE_YIELD, fe->peek(c, w) != NULL);
	for (unsigned k = 0; k < n_warp; k++) {
		ck_assert_uint_eq(fe->ready(c, k), fe->peek(c, k) != NULL);
		if (k != w && other[k])
			ck_assert_ptr_eq(fe->peek(c, k), other[k]);
	}
	if (s->look)
		s->look(s, w);
	ck_assert_uint_lt(++s->steps, STEPS);
}

static void run_stepped(struct seam_run *s, void *params, enum order order, uint32_t seed)
{
	struct kernel_launch *l = seam_launch(s, params);
	const struct frontend_ops *fe = l->fe;
	void *slots = fe->slots_new(l, CTAS);
	struct fe_cta *cta[CTAS];
	for (uint32_t n = 0; n < CTAS; n++) {
		cta[n] = fe->cta_start(slots, n, (uint32_t[3]){n, 0, 0}, &(struct fe_sm){.id = n, .counts = &l->counts});
		l->counts.ctas++;
		ck_assert_uint_eq(fe->cta_warps(cta[n]), WARPS);
	}
	s->steps = 0;
	for (bool any = true; any;) {
		any = false;
		for (uint32_t n = 0; n < CTAS; n++) {
			bool moved = false;
			for (unsigned k = 0; k < WARPS; k++) {
				unsigned w = order == IN_TURN || order == FIRST_READY ? k
				             : order == RANDOM                        ? seam_random(&seed) % WARPS
				                                                      : WARPS - 1 - k;
				if (!fe->ready(cta[n], w))
					continue;
				step(s, cta[n], w, WARPS);
				moved = true;
				if (order == FIRST_READY || order == LAST_READY)
					break;
			}
			for (unsigned k = 0; !moved && k < WARPS; k++)
				moved = fe->peek(cta[n], k) != NULL;
			any |= moved || fe->unstick(cta[n]);
		}
	}
	for (uint32_t n = 0; n < CTAS; n++)
		fe->cta_end(cta[n]);
	fe->slots_free(slots);
}

struct seam_params {
	uint64_t out;
	uint32_t n;
};

// Once by fe->run, then once by steps in each order.
static void agree(const char *ptx)
{
	struct seam_run *s = seam_new(ptx);
	struct seam_params p = {s->out, 7};
	uint8_t *want = malloc(OUT_BYTES), *out = (uint8_t *)(uintptr_t)s->out;
	memset(out, 0, OUT_BYTES);
	const struct fault *f = bench_run(s->b, "k", CTAS, BLOCK, 1024, &p);
	ck_assert_msg(!f, "%s", f ? f->text : "");
	memcpy(want, out, OUT_BYTES);
	struct kernel_counts counts = s->b->launch.counts;
	for (enum order o = 0; o < N_ORDERS; o++) {
		memset(out, 0, OUT_BYTES);
		run_stepped(s, &p, o, 12345 + o);
		ck_assert_msg(!memcmp(out, want, OUT_BYTES), "order %d leaves other memory", o);
		// Hostile limits let lanes go at joins, at moments that depend on the turns.
		ck_assert_msg(HEDDLE_LIMIT(true, false) || !memcmp(&counts, &s->l->counts, sizeof counts),
		              "order %d counts differently: %llu, not %llu", o, (unsigned long long)s->l->counts.warp_insts,
		              (unsigned long long)counts.warp_insts);
	}
	free(want);
	seam_free(s);
}

static const char *const same[] = {
	// loops of different lengths, nested
	HEAD ENTRY "mov.u32 %r4, 0; mov.u32 %r5, 0;\n"
		   "L: mov.u32 %r6, 0;\nM: add.u32 %r4, %r4, %r6; add.u32 %r6, %r6, 1; and.b32 %r7, %r1, 3; "
		   "setp.le.u32 %p1, %r6, %r7; @%p1 bra M;\n"
		   "add.u32 %r5, %r5, 1; setp.le.u32 %p2, %r5, %r1; @%p2 bra L;\n"
		   "st.global.u32 [%rd9], %r4; ret; }",
	// three-way branches, an early exit, and the end without ret
	HEAD ENTRY "setp.eq.u32 %p1, %r1, 5; @%p1 exit; and.b32 %r4, %r1, 3; setp.eq.u32 %p2, %r4, 0; @%p2 bra A;\n"
		   "setp.eq.u32 %p3, %r4, 1; @%p3 bra B; mov.u32 %r5, 30; bra E;\nA: mov.u32 %r5, 10; bra E;\n"
		   "B: mov.u32 %r5, 20;\n"
		   "E: @!%p3 add.u32 %r5, %r5, %r1; st.global.u32 [%rd9], %r5; }",
	// barriers in a loop, reversal through shared memory
	HEAD ".shared .align 4 .b8 buf[512];\n" ENTRY
		   "mov.u32 %r10, 0; mov.u32 %r11, %r1; mov.u64 %rd3, buf; mul.wide.u32 %rd4, %r1, 4; "
		   "add.s64 %rd5, %rd3, %rd4;\n"
		   "mov.u32 %r12, 79; sub.u32 %r13, %r12, %r1; mul.wide.u32 %rd6, %r13, 4; add.s64 %rd7, %rd3, %rd6;\n"
		   "L: st.shared.u32 [%rd5], %r11; bar.sync 0; ld.shared.u32 %r14, [%rd7]; bar.sync 0; "
		   "mad.lo.u32 %r11, %r14, 3, %r10;\n"
		   "add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 9; @%p1 bra L; st.global.u32 [%rd9], %r11; ret; }",
	// barriers that only some lanes reach by each way, reductions and counted ones
	HEAD ENTRY
	"setp.lt.u32 %p1, %r1, 40; @%p1 bra A; bar.sync 0; mov.u32 %r4, 1; bra E;\nA: bar.sync 0; mov.u32 %r4, 2;\n"
	"E: and.b32 %r5, %r1, 1; setp.eq.u32 %p2, %r5, 1; bar.red.popc.u32 %r6, 0, %p2; bar.red.or.pred %p3, 0, %p2;\n"
	"selp.u32 %r7, 100, 200, %p3; add.u32 %r7, %r7, %r6; bar.arrive 1, 96; bar.sync 2, 96; add.u32 %r7, %r7, %r4;\n"
	"st.global.u32 [%rd9], %r7; ret; }",
	// recursion, with arguments in local memory and rows
	HEAD ".func (.param .b32 res) fib(.param .b32 n)\n{ .reg .pred %p<2>; .reg .b32 %r<10>;\n"
	     "ld.param.u32 %r1, [n]; setp.lt.u32 %p1, %r1, 2; @%p1 bra BASE; sub.u32 %r2, %r1, 1;\n"
	     "{ .param .b32 a; st.param.b32 [a], %r2; .param .b32 v; call.uni (v), fib, (a); ld.param.b32 %r3, [v]; }\n"
	     "sub.u32 %r4, %r1, 2;\n"
	     "{ .param .b32 a; st.param.b32 [a], %r4; .param .b32 v; call.uni (v), fib, (a); ld.param.b32 %r5, [v]; }\n"
	     "add.u32 %r6, %r3, %r5; st.param.b32 [res], %r6; ret;\nBASE: st.param.b32 [res], %r1; ret; }\n" ENTRY
	     "and.b32 %r4, %r1, 7; setp.ne.u32 %p1, %r4, 6; mov.u32 %r5, 0; @!%p1 bra E;\n"
	     "{ .param .b32 a; st.param.b32 [a], %r4; .param .b32 v; call.uni (v), fib, (a); ld.param.b32 %r5, [v]; }\n"
	     "E: st.global.u32 [%rd9], %r5; ret; }",
	// indirect calls, functions without ret
	HEAD ".func (.reg .b32 r) f0(.reg .b32 x) { add.u32 r, x, 100; }\n"
	     ".func (.reg .b32 r) f1(.reg .b32 x) { .reg .pred %p<2>; setp.lt.u32 %p1, x, 50; mul.lo.u32 r, x, 3; "
	     "@%p1 ret; add.u32 r, r, 1; ret; }\n"
	     ".global .align 8 .u64 table[2] = {f0, f1};\n" ENTRY
	     "and.b32 %r4, %r1, 1; mov.u64 %rd3, table; mul.wide.u32 %rd4, %r4, 8; add.s64 %rd5, %rd3, %rd4; "
	     "ld.global.u64 %rd6, [%rd5];\n"
	     "proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);\ncall (%r5), %rd6, (%r1), proto;\n"
	     "call.uni (%r6), f1, (%r5); st.global.u32 [%rd9], %r6; ret; }",
	// branch tables
	HEAD ENTRY "and.b32 %r4, %r1, 3;\nts: .branchtargets A, B, C, B;\nbrx.idx %r4, ts;\n"
		   "A: mov.u32 %r5, 10; bra E;\nB: mov.u32 %r5, 20; bra E;\nC: mov.u32 %r5, 30;\n"
		   "E: st.global.u32 [%rd9], %r5; ret; }",
	// shuffles and votes: whole warps, halves from two sides of a branch, registers wider than the type
	HEAD ENTRY "shfl.sync.bfly.b32 %r4|%p1, %r1, 1, 31, -1; activemask.b32 %r20; and.b32 %r5, %r1, 16; "
	           "setp.eq.u32 %p2, %r5, 0; @%p2 bra A;\n"
		   "shfl.sync.down.b32 %r6, %r4, 2, 31, %r20; bra E;\nA: add.u32 %r4, %r4, 1; "
		   "shfl.sync.down.b32 %r6, %r4, 2, 31, %r20;\n"
		   "E: vote.sync.ballot.b32 %r7, %p2, %r20; redux.sync.add.s32 %r8, %r1, %r20; add.u32 %r6, %r6, %r7; "
		   "add.u32 %r6, %r6, %r8;\n"
		   "bar.warp.sync %r20; match.any.sync.b32 %r9, %r5, %r20; xor.b32 %r6, %r6, %r9; "
		   "st.global.u32 [%rd9], %r6; ret; }",
	// generic addresses of three spaces in one instruction; local arrays; stores through them
	HEAD ".shared .align 4 .b8 buf[512];\n" ENTRY
		   ".local .align 16 .b8 mine[64]; .reg .b64 %SP;\n"
		   "mov.u64 %rd3, mine; cvta.local.u64 %rd4, %rd3; mov.u64 %rd5, buf; cvta.shared.u64 %rd6, %rd5;\n"
		   "mul.wide.u32 %rd7, %r1, 4; add.s64 %rd6, %rd6, %rd7; cvta.global.u64 %rd8, %rd9; "
		   "add.s64 %rd8, %rd8, 4096;\n"
		   "rem.u32 %r4, %r1, 3; setp.eq.u32 %p1, %r4, 1; setp.eq.u32 %p2, %r4, 2; selp.b64 %rd10, %rd4, %rd6, %p1; "
		   "selp.b64 %rd11, %rd8, %rd10, %p2;\n"
		   "add.u32 %r5, %r1, 1000; st.u32 [%rd11], %r5; ld.u32 %r6, [%rd11]; setp.gt.u32 %p3, %r1, 3; "
		   "@%p3 ld.u32 %r6, [%rd11];\n"
		   "st.local.v4.u32 [mine+16], {%r6, %r5, %r1, %r0}; ld.local.v2.u32 {%r7, %r8}, [%rd3+24]; "
		   "add.u32 %r6, %r6, %r8;\n"
		   "st.global.u32 [%rd9], %r6; ret; }",
	// vectors, constants, parameters by address
	HEAD ".const .align 4 .u32 tab[4] = {5, 6, 7, 8};\n" ENTRY
		   "mul.wide.u32 %rd3, %r0, 16; add.s64 %rd4, %rd1, %rd3; st.global.v4.u32 [%rd4+8192], {%r0, %r1, %r2, %r3};\n"
		   "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4+8192]; mov.b32 %r4, %f2; and.b32 %r5, %r1, 3; "
		   "mul.wide.u32 %rd5, %r5, 4; mov.u64 %rd6, tab; add.s64 %rd7, %rd6, %rd5;\n"
		   "ld.const.u32 %r6, [%rd7]; ld.const.u32 %r7, [tab+4]; ld.param.u32 %r8, [n]; mov.b64 %rd10, n; "
		   "ld.param.u32 %r9, [%rd10];\n"
		   "add.u32 %r4, %r4, %r6; add.u32 %r4, %r4, %r7; mad.lo.u32 %r4, %r8, %r9, %r4; st.global.u32 [%rd9], %r4; "
		   "ret; }",
	// atomics without a result and on shared memory; their order doesn't matter
	HEAD ".shared .u32 sum;\n" ENTRY
		   "setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [sum], 0; bar.sync 0; atom.shared.add.u32 %r4, [sum], %r1;\n"
		   "and.b32 %r5, %r1, 7; mul.wide.u32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3; "
		   "red.global.max.u32 [%rd4+8192], %r1; @%p1 red.add.u64 [%rd1+8256], 3;\n"
		   "bar.sync 0; ld.shared.u32 %r6, [sum]; st.global.u32 [%rd9], %r6; ret; }",
};

START_TEST(stepping_gives_what_running_gives)
{
	agree(same[_i]);
}
END_TEST

// --- single facts

static void fact(const char *ptx, void (*look)(struct seam_run *s, unsigned warp), unsigned times)
{
	struct seam_run *s = seam_new(ptx);
	struct seam_params p = {s->out, 7};
	s->look = look;
	run_stepped(s, &p, IN_TURN, 1);
	ck_assert_uint_eq(s->looked, times * CTAS * WARPS);
	seam_free(s);
}

static uint32_t lanes_of_warp(unsigned warp) { return warp == 2 ? 0xffff : FULL_MASK; }

static void look_generic(struct seam_run *s, unsigned warp)
{
	const struct fe_result *r = &s->r;
	if (r->inst->space != SPACE_GENERIC)
		return;
	s->looked++;
	ck_assert_uint_eq(r->n_access, 3);
	for (unsigned k = 0; k < 3; k++) {
		static const enum isa_space space[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL};
		const struct fe_access *a = &r->access[k];
		ck_assert_uint_eq(a->space, space[k]);
		ck_assert_uint_eq(a->bytes, 4);
		ck_assert(a->write);
		for (unsigned i = 0; i < WARP; i++) {
			unsigned t = warp * WARP + i;
			bool in = t < BLOCK && t % 3 == (k == 0 ? 2 : k == 1 ? 0 : 1);
			ck_assert_uint_eq(a->mask >> i & 1, in);
			if (in && k == 1)
				ck_assert_uint_eq(a->addr[i], 16 + 4 * t);
			if (in && k == 2)
				ck_assert_uint_eq(a->addr[i], 8);
			if (in && k == 0)
				ck_assert_uint_eq((a->addr[i] - s->out) % (BLOCK * 4), 4 * t);
		}
	}
}

START_TEST(a_generic_access_is_split_by_space)
{
	fact(HEAD ".shared .align 4 .b8 pad[16]; .shared .align 4 .b8 buf[512];\n" ENTRY
	          ".local .align 8 .b8 other[8]; .local .align 8 .b8 mine[8];\n"
	          "st.shared.u32 [pad], %r1; st.local.u32 [other], %r1; mov.u64 %rd3, mine; cvta.local.u64 %rd4, %rd3; "
	          "mov.u64 %rd5, buf; cvta.shared.u64 %rd6, %rd5;\n"
	          "mul.wide.u32 %rd7, %r1, 4; add.s64 %rd6, %rd6, %rd7;\n"
	          "rem.u32 %r4, %r1, 3; setp.eq.u32 %p1, %r4, 1; setp.eq.u32 %p2, %r4, 2; "
	          "selp.b64 %rd10, %rd4, %rd6, %p1; selp.b64 %rd11, %rd9, %rd10, %p2;\n"
	          "st.u32 [%rd11], %r1; ret; }",
	     look_generic, 1);
}
END_TEST

static void look_at_product(struct seam_run *s, unsigned warp)
{
	const struct isa_inst *i = s->r.inst;
	(void)warp;
	if (i->cls != ISA_TENSOR)
		return;
	s->looked++;
	ck_assert_uint_eq(i->n_read, 8 + 4 + 4);
	ck_assert_uint_eq(i->n_src, 8 + 4 + 4 + 1);
	ck_assert_uint_eq(i->n_dst, 4);
	ck_assert_uint_eq(i->src_predicates, 1u << 16);
	ck_assert_uint_eq(i->src_bank[15], 15);
	ck_assert_uint_eq(i->dst_bank[3], 19);
}

START_TEST(the_registers_of_a_long_product_are_all_listed)
{
	fact(HEAD ".visible .entry k(.param .u64 out, .param .u32 n) { .reg .pred %p<2>; .reg .f64 %d<20>; .reg .b32 %r<2>;\n"
	          "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 0;\n"
	          "@%p1 mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%d16, %d17, %d18, %d19}, {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}, "
	          "{%d8, %d9, %d10, %d11}, {%d12, %d13, %d14, %d15}; ret; }",
	     look_at_product, 1);
}
END_TEST

static void look_at_matrix(struct seam_run *s, unsigned warp)
{
	const struct fe_result *r = &s->r;
	(void)warp;
	if (r->inst->cls != ISA_LOAD || r->inst->space != SPACE_GENERIC)
		return;
	s->looked++;
	ck_assert_uint_eq(r->inst->bytes, 8);
	ck_assert_uint_eq(r->n_access, 4);
	for (unsigned k = 0; k < 4; k++) { // lane 4 g + t: row g + 8 (k mod 2), columns 2 t + 8 (k div 2) and the next
		ck_assert_uint_eq(r->access[k].space, SPACE_SHARED);
		ck_assert_uint_eq(r->access[k].bytes, 8);
		ck_assert(!r->access[k].write);
		for (unsigned i = 0; i < WARP; i++)
			if (r->mask >> i & 1)
				ck_assert_uint_eq(r->access[k].addr[i], 16 + 80 * (i / 4 + 8 * (k % 2)) + 4 * (i % 4 * 2 + 8 * (k / 2)));
	}
}

START_TEST(a_matrix_lists_each_of_its_accesses)
{
	fact(HEAD ".shared .align 16 .b8 pad[16]; .shared .align 16 .b8 buf[2048];\n" ENTRY
	          "st.shared.u32 [pad], %r1; mov.u64 %rd5, buf; cvta.shared.u64 %rd6, %rd5;\n"
	          "wmma.load.c.sync.aligned.row.m16n16k16.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%rd6], 20; ret; }",
	     look_at_matrix, 1);
}
END_TEST

static void look_guarded(struct seam_run *s, unsigned warp)
{
	const struct fe_result *r = &s->r;
	const struct isa_inst *i = r->inst;
	if (i->cls == ISA_STORE) {
		s->looked++;
		ck_assert_uint_eq(r->active, lanes_of_warp(warp));
		ck_assert_uint_eq(r->mask, 0x55555555 & lanes_of_warp(warp));
		ck_assert_uint_eq(r->access[0].mask, r->mask);
		ck_assert_uint_eq(r->access[0].bytes, 16);
		ck_assert_uint_eq(r->access[0].addr[2], s->out + (warp * WARP + 2) * 16);
		// {%r7, %r7, %r8, %r9} at [%rd5] under %p1
		ck_assert_uint_eq(i->n_read, 4);
		ck_assert_uint_eq(i->n_src, 5);
		ck_assert_uint_eq(i->n_dst, 0);
		ck_assert_uint_eq(i->src_bank[0], 5);
		ck_assert_uint_eq(i->src_bank[1], 7);
		ck_assert_uint_eq(i->src_bank[3], 9);
		ck_assert_uint_eq(i->src_bank[4], 1);
	}
	if (i->cls == ISA_LOAD) {
		s->looked++;
		ck_assert_uint_eq(i->space, SPACE_PARAM);
		ck_assert(i->has_access);
		ck_assert_uint_eq(r->n_access, 1);
		ck_assert_uint_eq(r->access[0].addr[0], i->bytes == 8 ? 0 : 8);
	}
}

START_TEST(accesses_have_the_lanes_of_the_guard_and_the_width_of_the_vector)
{
	fact(HEAD ".visible .entry k(.param .u64 out, .param .u32 n) { .reg .pred %p<3>; .reg .b32 %r<10>; "
	          ".reg .b64 %rd<9>; .reg .b32 own;\n"
	          "ld.param.u64 %rd1, [out]; ld.param.u32 %r9, [n]; mov.u32 own, %tid.x; and.b32 %r8, own, 1; "
	          "setp.eq.u32 %p1, %r8, 0; mul.wide.u32 %rd4, own, 16;\n"
	          "add.s64 %rd5, %rd1, %rd4; mov.u32 %r7, 1; @%p1 st.global.v4.u32 [%rd5], {%r7, %r7, %r8, %r9}; ret; }",
	     look_guarded, 3);
}
END_TEST

static void look_gather(struct seam_run *s, unsigned warp)
{
	if (s->r.inst->cls != ISA_SHFL)
		return;
	s->looked++;
	ck_assert_uint_eq(s->r.active, lanes_of_warp(warp));
	ck_assert_uint_eq(s->r.mask, lanes_of_warp(warp));
}

START_TEST(a_gather_reports_all_lanes_that_it_ran_for)
{
	// The lanes come to one shfl by two ways that the branch's meeting point lies behind.
	fact(HEAD ENTRY "activemask.b32 %r9; and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 1; mov.u32 %r5, 0; @%p1 bra S; "
	                "add.u32 %r5, %r5, 1;\n"
	                "S: shfl.sync.bfly.b32 %r6, %r1, 1, 31, %r9; st.global.u32 [%rd9], %r6; ret; }",
	     look_gather, 1);
}
END_TEST

static void look_clock(struct seam_run *s, unsigned warp)
{
	if (s->r.inst->cls == ISA_STORE)
		s->looked++;
}

START_TEST(the_clock_of_a_stepped_warp_is_the_cores)
{
	struct seam_run *s = seam_new(HEAD ENTRY "mov.u32 %r4, %clock; mov.u64 %rd3, %clock64; cvt.u32.u64 %r5, %rd3; "
	                                         "sub.u32 %r6, %r5, %r4; add.u32 %r6, %r6, %r4; "
	                                         "st.global.u32 [%rd9], %r6; ret; }");
	struct seam_params p = {s->out, 7};
	s->look = look_clock;
	run_stepped(s, &p, IN_TURN, 1);
	for (unsigned i = 0; i < CTAS * BLOCK; i++)
		ck_assert_uint_eq(((uint32_t *)(uintptr_t)s->out)[i], 1000);
	seam_free(s);
}
END_TEST

START_TEST(the_global_timer_counts_nanoseconds)
{
	struct seam_run *s = seam_new(HEAD ENTRY "mov.u64 %rd3, %globaltimer; cvt.u32.u64 %r5, %rd3; mov.u32 %r4, %globaltimer_lo; "
	                                         "sub.u32 %r6, %r5, %r4; add.u32 %r6, %r6, %r4; mov.u32 %r5, %globaltimer_hi; "
	                                         "add.u32 %r6, %r6, %r5; st.global.u32 [%rd9], %r6; ret; }");
	struct seam_params p = {s->out, 7};
	s->look = look_clock;
	run_stepped(s, &p, IN_TURN, 1);
	for (unsigned i = 0; i < CTAS * BLOCK; i++)
		ck_assert_uint_eq(((uint32_t *)(uintptr_t)s->out)[i], 625);
	seam_free(s);
}
END_TEST

START_TEST(every_function_and_kernel_has_code_addresses_of_its_own)
{
	static const char text[] =
		HEAD ".func f(.reg .b32 x) { .reg .b32 %r<30>; add.u32 %r29, x, 1; ret; }\n"
		     ".visible .entry j() { .reg .b32 %r<2>; mov.u32 %r1, 0; call f, (%r1); ret; }\n" ENTRY
		     "call f, (%r1); st.global.u32 [%rd9], %r1; ret; }";
	struct seam_run *s = seam_new(text);
	struct ptx_func *j = ptx_program_func(&s->b->program, "j"), *k = ptx_program_func(&s->b->program, "k");
	void *cj = ptx_kernel_code(j, &s->b->diag), *ck = ptx_kernel_code(k, &s->b->diag);
	ck_assert_uint_eq(ptx_kernel_info(j, &s->b->diag)->code_base, 0);
	ck_assert_uint_eq(ptx_kernel_info(k, &s->b->diag)->code_base, 256);
	// Each body has one instruction more than its text: the end returns.
	for (unsigned n = 0; n < 7; n++)
		ck_assert_uint_eq(ptx_frontend.inst_at(cj, 8 * n)->pc, 8 * n);
	ck_assert_ptr_null(ptx_frontend.inst_at(cj, 8 * 7));
	ck_assert_uint_eq(ptx_frontend.inst_at(ck, 0)->cls, ISA_MOV);
	ck_assert_uint_eq(ptx_frontend.inst_at(ck, 8 * 3)->cls, ISA_INT_MAD);
	ck_assert_uint_ge(ptx_frontend.register_count(cj), 31);
	seam_free(s);
}
END_TEST

START_TEST(classes_are_those_of_the_latency_options)
{
	static const struct {
		const char *text;
		enum isa_class cls;
	} row[] = {
		{"add.u32 %r1, %r1, 1;", ISA_INT},          {"sub.s64 %rd1, %rd1, %rd2;", ISA_INT},
		{"min.s32 %r1, %r1, 3;", ISA_INT_MAX},      {"max.u64 %rd1, %rd1, %rd2;", ISA_INT_MAX},
		{"and.b32 %r1, %r1, 1;", ISA_ALU},          {"shl.b32 %r1, %r1, 1;", ISA_ALU},
		{"abs.s32 %r1, %r1;", ISA_ALU},             {"neg.f32 %f1, %f1;", ISA_ALU},
		{"setp.eq.f32 %p1, %f1, %f2;", ISA_ALU},    {"selp.b32 %r1, %r1, %r2, %p1;", ISA_ALU},
		{"min.f32 %f1, %f1, %f2;", ISA_SP_MAX},     {"max.f64 %fd1, %fd1, %fd2;", ISA_DP_MAX},
		{"min.f16 %h1, %h1, %h2;", ISA_HP},         {"add.f16 %h1, %h1, %h2;", ISA_HP},
		{"mul.lo.s32 %r1, %r1, 3;", ISA_INT_MUL},   {"mul24.lo.s32 %r1, %r1, 3;", ISA_INT_MUL},
		{"div.s32 %r1, %r1, 3;", ISA_INT_DIV},      {"div.rn.f64 %fd1, %fd1, %fd2;", ISA_DP_DIV},
		{"rcp.rn.f64 %fd1, %fd1;", ISA_SFU},        {"sqrt.rn.f64 %fd1, %fd1;", ISA_SFU},
		{"dp4a.s32.s32 %r1, %r1, %r2, %r3;", ISA_ALU}, {"popc.b32 %r1, %r1;", ISA_ALU},
		{"mov.u32 %r1, %r2;", ISA_MOV},             {"cvt.rn.f32.f64 %f1, %fd1;", ISA_CVT},
	};
	for (size_t n = 0; n < sizeof row / sizeof *row; n++) {
		char ptx[512];
		snprintf(ptx, sizeof ptx,
		         ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { .reg .pred %%p<4>; "
		         ".reg .b32 %%r<4>; "
		         ".reg .b64 %%rd<4>; .reg .f32 %%f<4>; .reg .f64 %%fd<4>; .reg .b16 %%h<4>;\n%s\nret; }",
		         row[n].text);
		struct ptx_bench *b = bench_new(ptx);
		void *code = ptx_kernel_code(ptx_program_func(&b->program, "k"), &b->diag);
		ck_assert_msg(code != NULL, "%s", b->diag.text ? b->diag.text : "?");
		ck_assert_msg(ptx_frontend.inst_at(code, 0)->cls == row[n].cls, "%s", row[n].text);
		bench_free(b);
	}
}
END_TEST

static void look_texels(struct seam_run *s, unsigned warp)
{
	const struct fe_result *r = &s->r;
	const struct texture *t = s->ctx;
	if (r->inst->cls != ISA_TEXTURE)
		return;
	s->looked++;
	ck_assert_uint_eq(r->inst->space, SPACE_TEX);
	ck_assert_uint_eq(r->n_access, t->filter == TEX_LINEAR_FILTER ? 4 : 1);
	for (unsigned k = 0; k < r->n_access; k++) {
		const struct fe_access *a = &r->access[k];
		ck_assert_uint_eq(a->space, SPACE_TEX);
		ck_assert_uint_eq(a->bytes, 4);
		ck_assert_uint_eq(a->mask, lanes_of_warp(warp));
		for (unsigned i = 0; i < WARP && warp * WARP + i < BLOCK; i++) {
			unsigned x = (warp * WARP + i) % 8 + k % 2, y = (warp * WARP + i) / 8 % 4 + k / 2;
			x = x < 8 ? x : 7, y = y < 4 ? y : 3;
			ck_assert_uint_eq(a->addr[i], t->base + y * 32 + x * 4);
		}
	}
}

START_TEST(a_texture_fetch_lists_the_texels_it_read)
{
	for (unsigned linear = 0; linear < 2; linear++) {
		struct seam_run *s = seam_new(
			".version 9.0\n.target sm_90\n.address_size 64\n.global .texref t;\n" ENTRY
			"and.b32 %r4, %r1, 7; shr.u32 %r5, %r1, 3; and.b32 %r5, %r5, 3; cvt.rn.f32.u32 %f0, %r4; "
			"cvt.rn.f32.u32 %f1, %r5;\n"
			"add.f32 %f0, %f0, 0f3F400000; add.f32 %f1, %f1, 0f3F400000;\n"
			"tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [t, {%f0, %f1}]; st.global.f32 [%rd9], %f4; ret; }");
		struct texture tex = bench_texture(bench_alloc(s->b, 128), 8, 4);
		tex.filter = linear ? TEX_LINEAR_FILTER : TEX_POINT;
		ptx_program_var(&s->b->program, "t")->tex = &tex;
		struct seam_params p = {s->out, 7};
		s->look = look_texels;
		s->ctx = &tex;
		run_stepped(s, &p, IN_TURN, 1);
		ck_assert_uint_eq(s->looked, CTAS * WARPS);
		seam_free(s);
	}
}
END_TEST

START_TEST(registered_memory_stands_where_the_order_of_registrations_puts_it)
{
	struct diag d = {0};
	struct devmem *dm = devmem_create((uint64_t)64 << 20, DEVMEM_OWN, &d);
	uint8_t *mine = aligned_alloc(4096, 3 * 4096);
	uint64_t at = (uint64_t)(uintptr_t)mine + 256, dev = devmem_alloc(dm, 100, 1, DEVMEM_DEVICE, 0);
	ck_assert_uint_eq(devmem_stand_in(dm, at), at);
	ck_assert(devmem_register(dm, at, 1000, 0));
	ck_assert_uint_eq(devmem_stand_in(dm, at + 10), DEVMEM_STAND_IN + 256 + 10);
	ck_assert_uint_eq(devmem_stand_in(dm, at + 1000), DEVMEM_STAND_IN + 256 + 1000);
	ck_assert_uint_eq(devmem_stand_in(dm, dev + 5), dev + 5);
	ck_assert(devmem_register(dm, at + 8192, 8, 0));
	ck_assert_uint_ge(devmem_stand_in(dm, at + 8192), DEVMEM_STAND_IN + 4096);
	ck_assert(devmem_unregister(dm, at));
	ck_assert(devmem_unregister(dm, at + 8192));
	ck_assert_uint_eq(devmem_stand_in(dm, at), at);
	free(mine);
	devmem_destroy(dm);
}
END_TEST

START_TEST(lanes_at_a_join_are_let_go_when_nothing_else_moves)
{
	// Half of the warp waits where the sides of the branch meet; the other half waits at the barrier for all.
	struct seam_run *s = seam_new(HEAD ENTRY
		"and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 1; mov.u32 %r5, 1; @%p1 bra S; bar.sync 0; mov.u32 %r5, 2;\n"
		"S: setp.eq.u32 %p2, %r5, 1; @%p2 bar.sync 0; st.global.u32 [%rd9], %r5; ret; }");
	struct seam_params p = {s->out, 7};
	run_stepped(s, &p, IN_TURN, 1);
	for (unsigned i = 0; i < CTAS * BLOCK; i++)
		ck_assert_uint_eq(((uint32_t *)(uintptr_t)s->out)[i], i % 2 ? 1 : 2);
	seam_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("seam");
	TCase *t = tcase_create("seam");
	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, stepping_gives_what_running_gives, 0, (int)(sizeof same / sizeof *same));
	tcase_add_test(t, a_generic_access_is_split_by_space);
	tcase_add_test(t, accesses_have_the_lanes_of_the_guard_and_the_width_of_the_vector);
	tcase_add_test(t, the_registers_of_a_long_product_are_all_listed);
	tcase_add_test(t, a_matrix_lists_each_of_its_accesses);
	tcase_add_test(t, a_gather_reports_all_lanes_that_it_ran_for);
	tcase_add_test(t, the_clock_of_a_stepped_warp_is_the_cores);
	tcase_add_test(t, the_global_timer_counts_nanoseconds);
	tcase_add_test(t, every_function_and_kernel_has_code_addresses_of_its_own);
	tcase_add_test(t, classes_are_those_of_the_latency_options);
	tcase_add_test(t, a_texture_fetch_lists_the_texels_it_read);
	tcase_add_test(t, registered_memory_stands_where_the_order_of_registrations_puts_it);
	tcase_add_test(t, lanes_at_a_join_are_let_go_when_nothing_else_moves);
	suite_add_tcase(s, t);
	return check_main(s);
}
