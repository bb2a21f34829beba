// Bulk copies and products of warp groups with the timing model, on both cores: what becomes visible when, what waits for what, and
// what is counted. docs/hopper.md and test_hopper_times.c have the figures.
#include "tests/unit/timing_harness.h"

#include "cuda-sim/tensor/map.h"

#define HEAD ".version 8.3\n.target sm_90a\n.address_size 64\n"
#define OUT ".reg .b64 %out, %from, %state, %map;\nld.param.u64 %out, [out];\nld.param.u64 %from, [from];\n"
#define ENTRY ".visible .entry k(.param .u64 out, .param .u64 from, .param .u64 more) {\n" OUT
#define SHARED ".shared .align 1024 .b8 s[8192];\n.shared .align 8 .b64 bar;\n.reg .b32 %at, %bar, %t<8>, %x<8>;\n.reg .pred %p, %q;\n" \
	"mov.u32 %at, s;\nmov.u32 %bar, bar;\n"
#define WAIT(label, parity) label ":\nmbarrier.try_wait.parity.shared.b64 %q, [%bar], " parity ";\n@!%q bra " label ";\n"

static const char *const core[] = {"-core classic\n", "-core modern\n-gpgpu_num_sched_per_core 4\n-gpgpu_sub_core_model 1\n"};
enum { CORES = sizeof core / sizeof *core };

// A GPU with the core, after the kernel "k" with one CTA has run; the 16 words that it wrote.
static struct timed *ran(unsigned which, const char *ptx, uint32_t threads, uint64_t more, uint32_t out[16])
{
	struct timed *t = timed_new(ptx, core[which]);
	const uint64_t at = timed_alloc(t, 4096), from = timed_alloc(t, 65536);
	for (unsigned i = 0; i < 65536 / 4; i++)
		((uint32_t *)(uintptr_t)from)[i] = 1000 + i;
	timed_run(t, "k", 1, threads, 0, (uint64_t[]){at, from, more}, 3);
	memcpy(out, (const void *)(uintptr_t)at, 64);
	return t;
}

START_TEST(bytes_are_there_when_the_phase_is_complete_and_not_before)
{
	uint32_t out[16];
	struct timed *t = ran((unsigned)_i, HEAD ENTRY SHARED
		"st.shared.u32 [%at+252], 7;\n"
		"mbarrier.init.shared.b64 [%bar], 1;\nfence.proxy.async;\n"
		"mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], 256;\n"
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%at], [%from], 256, [%bar];\n"
		"ld.shared.u32 %x0, [%at+252];\nmbarrier.test_wait.parity.shared.b64 %p, [%bar], 0;\nselp.u32 %x1, 1, 0, %p;\n"
		WAIT("W", "0")
		"ld.shared.u32 %x2, [%at+252];\nst.global.u32 [%out], %x0;\nst.global.u32 [%out+4], %x1;\nst.global.u32 [%out+8], %x2;\nret;\n}\n", 1, 0, out);
	ck_assert_uint_eq(out[0], 7);
	ck_assert_uint_eq(out[1], 0);
	ck_assert_uint_eq(out[2], 1000 + 63);
	ck_assert_uint_eq(timed_sm(t, 0)->bulk_copies, 1);
	ck_assert_uint_eq(timed_sm(t, 0)->bulk_bytes, 256);
	ck_assert_uint_eq(timed_sm(t, 0)->bulk_requests, 2);
	timed_free(t);
}
END_TEST

// It costs no instructions while it waits: those of a load that is 16 times as long are as many.
START_TEST(a_warp_that_waits_issues_nothing)
{
	static const char *const bytes[] = {"128", "8192"};
	uint64_t insts[2], cycles[2];
	for (unsigned k = 0; k < 2; k++) {
		char text[4096];
		uint32_t out[16];
		snprintf(text, sizeof text, "%s"
			"mbarrier.init.shared.b64 [%%bar], 1;\nfence.proxy.async;\nmbarrier.arrive.expect_tx.shared.b64 %%state, [%%bar], %s;\n"
			"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%at], [%%from], %s, [%%bar];\n"
			"W:\nmbarrier.try_wait.parity.shared.b64 %%q, [%%bar], 0;\n@!%%q bra W;\nret;\n}\n", HEAD ENTRY SHARED, bytes[k], bytes[k]);
		struct timed *t = ran((unsigned)_i, text, 1, 0, out);
		insts[k] = timed_sm(t, 0)->warp_insts;
		cycles[k] = timed_sm(t, 0)->cycles;
		timed_free(t);
	}
	ck_assert_uint_eq(insts[0], insts[1]);
	ck_assert_uint_gt(cycles[1], cycles[0] + 100);
}
END_TEST

START_TEST(a_group_has_read_before_it_is_complete)
{
	uint32_t out[16];
	struct timed *t = ran((unsigned)_i, HEAD ENTRY SHARED
		"st.shared.u32 [%at], 5;\nfence.proxy.async;\nadd.u64 %map, %out, 1024;\nmov.u32 %t0, %clock;\n"
		"cp.async.bulk.global.shared::cta.bulk_group [%map], [%at], 1024;\ncp.async.bulk.commit_group;\n"
		"cp.async.bulk.wait_group.read 0;\nmov.u32 %t1, %clock;\ncp.async.bulk.wait_group 0;\nmov.u32 %t2, %clock;\n"
		"sub.u32 %x0, %t1, %t0;\nsub.u32 %x1, %t2, %t1;\nld.global.u32 %x2, [%map];\n"
		"st.global.u32 [%out], %x0;\nst.global.u32 [%out+4], %x1;\nst.global.u32 [%out+8], %x2;\nret;\n}\n", 1, 0, out);
	ck_assert_uint_gt(out[0], 60);  // -tma_latency
	ck_assert_uint_gt(out[1], 50);  // the way to L2 and back
	ck_assert_uint_eq(out[2], 5);
	ck_assert_uint_gt(timed_sm(t, 0)->slot[0][SM_SLOT_ASYNC], 50);
	timed_free(t);
}
END_TEST

// Newer groups may still be under way.
START_TEST(a_wait_leaves_newer_groups_alone)
{
	uint32_t out[16];
	struct timed *t = ran((unsigned)_i, HEAD ENTRY SHARED
		"fence.proxy.async;\nadd.u64 %map, %out, 1024;\n"
		"cp.async.bulk.global.shared::cta.bulk_group [%map], [%at], 16;\ncp.async.bulk.commit_group;\n"
		"cp.async.bulk.global.shared::cta.bulk_group [%map+16], [%at], 2048;\ncp.async.bulk.commit_group;\n"
		"mov.u32 %t0, %clock;\ncp.async.bulk.wait_group 1;\nmov.u32 %t1, %clock;\ncp.async.bulk.wait_group 0;\nmov.u32 %t2, %clock;\n"
		"sub.u32 %x0, %t1, %t0;\nsub.u32 %x1, %t2, %t1;\nst.global.u32 [%out], %x0;\nst.global.u32 [%out+4], %x1;\nret;\n}\n", 1, 0, out);
	ck_assert_uint_gt(out[0], 50);
	ck_assert_uint_gt(out[1], 16);
	timed_free(t);
}
END_TEST

// The CTA stays until its copies are complete; none of their requests is lost (timed_wait).
START_TEST(copies_outlive_their_warp)
{
	uint32_t out[16];
	struct timed *t = ran((unsigned)_i, HEAD ENTRY SHARED
		"fence.proxy.async;\ncp.async.bulk.global.shared::cta.bulk_group [%from], [%at], 4096;\n"
		"cp.async.bulk.prefetch.L2.global [%from+8192], 4096;\nret;\n}\n", 1, 0, out);
	ck_assert_uint_eq(timed_sm(t, 0)->bulk_requests, 64);
	timed_free(t);
}
END_TEST

START_TEST(a_tensor_map_is_fetched_once)
{
	static const char text[] = HEAD ENTRY SHARED
		"ld.param.u64 %map, [more];\nmov.u32 %x3, 0;\nmov.u32 %x4, 4;\n"
		"mbarrier.init.shared.b64 [%bar], 1;\nfence.proxy.async;\nmov.u32 %x7, 0;\nL:\nand.b32 %x6, %x7, 1;\nmov.u32 %t0, %clock;\n"
		"mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], 512;\n"
		"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%at], [%map, {%x3, %x4}], [%bar];\n"
		WAIT("W", "%x6")
		"mov.u32 %t1, %clock;\nsub.u32 %t2, %t1, %t0;\nmul.wide.u32 %state, %x7, 4;\nadd.u64 %state, %state, %out;\nst.global.u32 [%state], %t2;\n"
		"add.u32 %x7, %x7, 1;\nsetp.lt.u32 %p, %x7, 3;\n@%p bra L;\nld.shared.u32 %x0, [%at+4];\nst.global.u32 [%out+12], %x0;\nret;\n}\n";
	struct timed *t = timed_new(text, core[_i]);
	const uint64_t out = timed_alloc(t, 4096), from = timed_alloc(t, 65536), map = timed_alloc(t, 256);
	const struct tensor_map m = {.mode = TENSOR_MAP_TILE, .type = TENSOR_MAP_U32, .rank = 2, .address = from, .size = {64, 256}, .stride = {256},
	                             .box = {32, 4}, .step = {1, 1}};
	for (unsigned i = 0; i < 65536 / 4; i++)
		((uint32_t *)(uintptr_t)from)[i] = 1000 + i;
	tensor_map_encode(&m, (uint8_t *)(uintptr_t)map);
	timed_run(t, "k", 1, 1, 0, (uint64_t[]){out, from, map}, 3);
	const uint32_t *w = (const uint32_t *)(uintptr_t)out;
	ck_assert_uint_gt(w[0], w[1] + 50);
	ck_assert_uint_eq(w[3], 1000 + 4 * 64 + 1);
	ck_assert_uint_eq(timed_sm(t, 0)->bulk_maps, 1);
	ck_assert_uint_eq(timed_sm(t, 0)->bulk_requests, 1 + 3 * 4); // a row of the box is a line
	timed_free(t);
}
END_TEST

// Short products wait for their operands: A and B of m64n8k16 are 2,304 bytes, 18 cycles; with A in registers B's 256 are 2, less than the
// 4 of the multiplication.
START_TEST(operands_from_shared_memory_take_its_bandwidth)
{
	static const char *const a[] = {"%da", "{%x0, %x1, %x2, %x3}"}, *const last[] = {", 1, 1, 0, 0", ", 1, 1, 0"};
	enum { TIMES = 32 };
	uint64_t cycles[2];
	for (unsigned k = 0; k < 2; k++) {
		char text[1 << 14];
		uint32_t out[16];
		size_t n = (size_t)snprintf(text, sizeof text, "%s", HEAD ENTRY SHARED ".reg .f32 %d<4>;\n.reg .b64 %da, %db;\nmov.b64 %da, 0;\nmov.b64 %db, 0;\n"
			"setp.ne.b32 %p, 0, 1;\nwgmma.fence.sync.aligned;\n");
		for (unsigned i = 0; i < TIMES; i++)
			n += (size_t)snprintf(text + n, sizeof text - n, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%%d0, %%d1, %%d2, %%d3}, %s, %%db, %%p%s;\n", a[k],
			                      last[k]);
		snprintf(text + n, sizeof text - n, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nst.global.f32 [%%out+128], %%d0;\nret;\n}\n");
		struct timed *t = ran((unsigned)_i, text, 128, 0, out);
		cycles[k] = timed_sm(t, 0)->cycles;
		ck_assert_uint_eq(timed_sm(t, 0)->products, 4 * TIMES);
		ck_assert_uint_eq(timed_sm(t, 0)->product_cycles, 4 * TIMES * (k ? 4 : 18));
		timed_free(t);
	}
	ck_assert_uint_gt(cycles[0], cycles[1] + 10 * TIMES);
}
END_TEST

// Rows of 8 halves side by side are read 128 bytes a cycle; with 128 bytes from one to the next all lie in the same banks.
START_TEST(ldmatrix_has_bank_conflicts)
{
	static const char *const step[] = {"4", "7"};
	uint64_t conflicts[2];
	for (unsigned k = 0; k < 2; k++) {
		char text[2048];
		uint32_t out[16];
		snprintf(text, sizeof text, "%s"
			"mov.u32 %%x0, %%tid.x;\nshl.b32 %%x0, %%x0, %s;\nadd.u32 %%at, %%at, %%x0;\n"
			"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%%x0, %%x1, %%x2, %%x3}, [%%at];\nst.global.u32 [%%out], %%x0;\nret;\n}\n",
			HEAD ENTRY SHARED, step[k]);
		struct timed *t = ran(0, text, 32, 0, out);
		conflicts[k] = timed_sm(t, 0)->shared_conflicts;
		timed_free(t);
	}
	ck_assert_uint_eq(conflicts[0], 3);  // four matrices, one after the other
	ck_assert_uint_eq(conflicts[1], 31);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("async_time");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, bytes_are_there_when_the_phase_is_complete_and_not_before, 0, CORES);
	tcase_add_loop_test(c, a_warp_that_waits_issues_nothing, 0, CORES);
	tcase_add_loop_test(c, a_group_has_read_before_it_is_complete, 0, CORES);
	tcase_add_loop_test(c, a_wait_leaves_newer_groups_alone, 0, CORES);
	tcase_add_loop_test(c, copies_outlive_their_warp, 0, CORES);
	tcase_add_loop_test(c, a_tensor_map_is_fetched_once, 0, CORES);
	tcase_add_loop_test(c, operands_from_shared_memory_take_its_bandwidth, 0, CORES);
	tcase_add_test(c, ldmatrix_has_bank_conflicts);
	suite_add_tcase(s, c);
	return check_main(s);
}
