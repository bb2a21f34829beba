// Copies within the device hand on what nobody wrote.
// tool: initcheck
// expect: ========= Uninitialized __global__ memory read of size 1 byte
// expect: =========     at read(unsigned char const*, unsigned int*) in init_copy.cu:@HERE@
// expect: =========     by thread (10,0,0) in block (0,0,0)
// errors: 1
#include "checks.h"

__global__ void read(const unsigned char *v, unsigned *to)
{
	to[threadIdx.x] = v[threadIdx.x]; // HERE
}

int main()
{
	unsigned char *a, *b;
	unsigned *to;
	cudaMalloc(&a, 32);
	cudaMalloc(&b, 32);
	cudaMalloc(&to, 32 * sizeof *to);
	cudaMemset(a, 1, 10);
	cudaMemcpy(b, a, 32, cudaMemcpyDeviceToDevice);
	read<<<1, 11>>>(b, to);
	cudaDeviceSynchronize();
	return 0;
}
