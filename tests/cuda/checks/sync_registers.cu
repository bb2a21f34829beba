// setmaxnreg that not all warps of a warp group execute alike.
// tool: synccheck
// code: sass-90
// arch: 90a
// errors: 2
// expect: ========= Barrier error detected. Invalid arguments.
// expect: =========     at one_warp() in sync_registers.cu:@ONE@
// expect: =========     by thread (32,0,0) in block (0,0,0)
// expect: =========     Warp 1 has executed 1 setmaxnreg, and warp 0 of its group 0
// expect: =========     at two_numbers() in sync_registers.cu:@FEWER@
// expect: =========     Warp 3 asks setmaxnreg for 48 registers, and warp 0 of its group for 40
#include "checks.h"

static __device__ int out[256];

static __global__ void __launch_bounds__(256, 1) right(void)
{
	if (threadIdx.x >= 128) {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
	} else {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 48;");
		asm volatile("setmaxnreg.inc.sync.aligned.u32 96;");
	}
	out[threadIdx.x] = 1;
}

static __global__ void __launch_bounds__(128, 1) one_warp(void)
{
	if (threadIdx.x / 32 == 1)
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); // ONE
	out[threadIdx.x] = 1;
}

static __global__ void __launch_bounds__(128, 1) two_numbers(void)
{
	if (threadIdx.x < 96)
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
	else
		asm volatile("setmaxnreg.dec.sync.aligned.u32 48;"); // FEWER
	out[threadIdx.x] = 1;
}

int main(void)
{
	right<<<1, 256>>>();
	one_warp<<<1, 128>>>();
	two_numbers<<<1, 128>>>();
	cudaDeviceSynchronize();
	return 0;
}
