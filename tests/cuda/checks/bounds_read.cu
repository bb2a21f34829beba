// Read one element before an allocation, by all threads of a warp but the last ones.
// tool: memcheck
// check: --report-api-errors no
// expect: ========= Invalid __global__ read of size 8 bytes
// expect: =========     at shift(double*) in bounds_read.cu:@HERE@
// expect: =========     by thread (0,0,0) in block (0,0,0)
// expect: =========     Access to 0x7e8ffffffff0 is out of bounds
// expect: =========     and is 16 bytes before the nearest allocation at 0x7e9000000000 of size 1,024 bytes
// expect: =========     and so did 1 more thread
// errors: 1
#include "checks.h"

__global__ void shift(double *v)
{
	double x = v[(int)threadIdx.x - 2]; // HERE
	__syncthreads();
	v[threadIdx.x] = x;
}

int main()
{
	double *v;
	cudaMalloc(&v, 128 * sizeof *v);
	cudaMemset(v, 0, 128 * sizeof *v);
	shift<<<1, 32>>>(v);
	cudaDeviceSynchronize();
	return 0;
}
