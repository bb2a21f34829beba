// A matrix that a warp loads together, of which the last row was never written.
// tool: initcheck
// expect: ========= Uninitialized __global__ memory read of size 8 bytes
// expect: =========     at load(float const*, float*) in init_matrix.cu:@HERE@
// expect: =========     by thread (28,0,0) in block (0,0,0)
// expect: =========     Address 0x7e90000003c0
// expect: =========     and so did 7 more threads
// code: ptx
// errors: 1
#include "checks.h"

__global__ void load(const float *c, float *out)
{
	float r[8];
	asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 16;" : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3]), "=f"(r[4]), "=f"(r[5]), "=f"(r[6]), "=f"(r[7]) : "l"(c) : "memory"); // HERE
	out[threadIdx.x] = r[0] + r[1] + r[2] + r[3];
}

int main()
{
	float *c, *out;
	cudaMalloc(&c, 1024);
	cudaMalloc(&out, 128);
	cudaMemset(c, 0, 960);
	load<<<1, 32>>>(c, out);
	cudaDeviceSynchronize();
	return 0;
}
