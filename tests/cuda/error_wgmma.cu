// Misuse of wgmma and setmaxnreg: each ends its kernel with CUDA's error and says what is wrong, and where.
// flags: -arch=sm_90a
#include "fatal.h"

#include <cstdint>
#include <string>
#include <unistd.h>

enum { WRONG_A, WRONG_B, HALF_WARP, ONE_WARP, OTHER_WARPS, LESS_IS_MORE, MORE_IS_LESS, FEW_THREADS, POOL_OF_FEW, NEVER_FREE };

static __device__ float result[256];

static __device__ void product(uint64_t a, uint64_t b)
{
	float d[4] = {0};
	asm volatile("wgmma.fence.sync.aligned;");
	asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }"
	             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b));
	asm volatile("wgmma.commit_group.sync.aligned;");
	asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]));
	result[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

static __global__ void __launch_bounds__(256, 1) misuse(int what)
{
	const uint64_t strides = (uint64_t)8 << 16 | (uint64_t)16 << 32, beyond = 0x3ff0;
	if (what == WRONG_A)
		product(strides | beyond, strides);
	if (what == WRONG_B)
		product(strides, strides | beyond);
	if (what == FEW_THREADS)
		product(strides, strides);
	if (what == HALF_WARP && threadIdx.x % 32 < 16)
		product(strides, strides);
	if (what == ONE_WARP && threadIdx.x / 32 == 1)
		product(strides, strides);
	if (what == OTHER_WARPS && threadIdx.x >= 64 && threadIdx.x < 192)
		product(strides, strides);
	if (what == LESS_IS_MORE) {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
		asm volatile("setmaxnreg.dec.sync.aligned.u32 48;");
	}
	if (what == MORE_IS_LESS && threadIdx.x >= 128)
		asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
	if (what == MORE_IS_LESS && threadIdx.x < 128) {
		asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
		asm volatile("setmaxnreg.inc.sync.aligned.u32 208;");
	}
	if (what == POOL_OF_FEW)
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
}

static __global__ void __launch_bounds__(384, 1) never_free()
{
	asm volatile("setmaxnreg.inc.sync.aligned.u32 176;");
}

static const struct {
	const char *name;
	int what, threads;
	cudaError_t error;
	const char *text; // of the message
} rows[] = {
	{"wrong_a", WRONG_A, 128, cudaErrorIllegalAddress, "the descriptor of A leads to byte 26"},
	{"wrong_b", WRONG_B, 256, cudaErrorIllegalAddress, "the descriptor of B leads to byte 26"},
	{"half_warp", HALF_WARP, 128, cudaErrorIllegalInstruction, "is executed by 16 lanes of its warp"},
	{"one_warp", ONE_WARP, 128, cudaErrorLaunchTimeout, "waits for its warp group; missing: warp 0 (exited), 2 (exited), 3 (exited)"},
	{"other_warps", OTHER_WARPS, 256, cudaErrorLaunchTimeout, "waits for its warp group; missing: warp 0 (exited), 1 (exited)"},
	{"few_threads", FEW_THREADS, 96, cudaErrorIllegalInstruction, "needs four whole warps from a multiple of four on; the block has 96 threads"},
	{"less_is_more", LESS_IS_MORE, 128, cudaErrorIllegalInstruction, "the warp has 40 registers a thread and asks for fewer: 48"},
	{"more_is_less", MORE_IS_LESS, 256, cudaErrorIllegalInstruction, "the warp has 232 registers a thread and asks for more: 208"},
	{"pool_of_few", POOL_OF_FEW, 64, cudaErrorIllegalInstruction, "by whole warp groups"},
	{"never_free", NEVER_FREE, 384, cudaErrorLaunchTimeout, "waits for 176 registers a thread; it has 168, and of the block's pool 0 are free"},
};

int main()
{
	for (const auto &r : rows) {
		static char text[1 << 16];
		FILE *f = tmpfile();
		int err = dup(2);
		dup2(fileno(f), 2);
		if (r.what == NEVER_FREE)
			never_free<<<1, r.threads>>>();
		else
			misuse<<<1, r.threads, 16384>>>(r.what);
		cudaError_t e = cudaDeviceSynchronize();
		fflush(stderr);
		dup2(err, 2);
		close(err);
		rewind(f);
		text[fread(text, 1, sizeof text - 1, f)] = 0;
		fclose(f);
		CHECK(e == r.error, "%s: %s", r.name, cudaGetErrorName(e));
		CHECK(strstr(text, r.text), "%s: no '%s' in: %s", r.name, r.text, text);
		CHECK(strstr(text, r.what < LESS_IS_MORE || r.what == FEW_THREADS ? "GMMA" : "MAXREG") || strstr(text, "WARPGROUP") || strstr(text, "wgmma") || strstr(text, "setmaxnreg"),
		      "%s: not where: %s", r.name, text);
		fatal_lasts_until_reset(e);
	}
	return check_done();
}
