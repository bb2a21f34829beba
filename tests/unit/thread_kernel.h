// PTX kernels in which each thread writes one word.
#ifndef TESTS_THREAD_KERNEL_H
#define TESTS_THREAD_KERNEL_H

#include "tests/unit/ptx_harness.h"

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"
// out[i] for thread i: %rd9 is the address, %r0 the global thread number.
#define ENTRY(name)                                                             \
	".visible .entry " name "(.param .u64 out)\n{\n"                        \
	".reg .pred %p<10>; .reg .b32 %r<40>; .reg .b64 %rd<20>;\n"             \
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"   \
	"mad.lo.s32 %r0, %r2, %r3, %r1;\n"                                      \
	"ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r0, 4; add.s64 %rd9, %rd1, %rd2;\n"

// Runs kernel "k"; the words that its threads wrote. The caller frees *keep.
static inline uint32_t *run(struct ptx_bench **keep, const char *ptx, uint32_t grid, uint32_t block)
{
	struct ptx_bench *b = bench_new(ptx);
	uint64_t out = bench_alloc(b, grid * block * 4);
	const struct fault *f = bench_run(b, "k", grid, block, 0, &out);
	ck_assert_msg(!f, "%s", f ? f->text : "");
	*keep = b;
	return (uint32_t *)(uintptr_t)out;
}

#endif
