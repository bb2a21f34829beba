// A fill of as many bytes as there are numbers.
// tool: initcheck
// expect: ========= Uninitialized __global__ memory read of size 4 bytes
// expect: =========     at add(int*) in init_part.cu:@HERE@
// expect: =========     by thread (16,0,0) in block (0,0,0)
// expect: =========     Address 0x7e9000000040
// expect: =========     and so did 47 more threads
// errors: 1
#include "checks.h"

__global__ void add(int *v)
{
	v[threadIdx.x] += threadIdx.x; // HERE
}

int main()
{
	int *v;
	cudaMalloc(&v, 64 * sizeof *v);
	cudaMemset(v, 0, 64);
	add<<<1, 64>>>(v);
	cudaDeviceSynchronize();
	return 0;
}
