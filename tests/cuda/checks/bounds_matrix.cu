// A matrix that a warp loads together: its last rows lie behind the end.
// tool: memcheck
// check: --report-api-errors no
// expect: ========= Invalid __global__ read of size 4 bytes
// expect: =========     at load(unsigned short const*, unsigned int*) in bounds_matrix.cu:@HERE@
// expect: =========     by thread (24,0,0) in block (0,0,0)
// expect: =========     Access to 0x7e90000001c0 is out of bounds
// expect: =========     and so did 7 more threads
// code: ptx
// errors: 1
#include "checks.h"

__global__ void load(const unsigned short *a, unsigned *out)
{
	unsigned r[8];
	asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 16;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(__cvta_generic_to_global(a)) : "memory"); // HERE
	out[threadIdx.x] = r[0] + r[1] + r[2] + r[3];
}

int main()
{
	unsigned short *a;
	unsigned *out;
	cudaMalloc(&a, 14 * 32);
	cudaMalloc(&out, 128);
	cudaMemset(a, 0, 14 * 32);
	load<<<1, 32>>>(a, out);
	cudaDeviceSynchronize();
	return 0;
}
