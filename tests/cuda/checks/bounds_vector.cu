// A vector of which only the first part is allocated.
// tool: memcheck
// check: --report-api-errors no
// expect: ========= Invalid __global__ read of size 16 bytes
// expect: =========     at load(float4 const*, float*) in bounds_vector.cu:@HERE@
// expect: =========     by thread (2,0,0) in block (0,0,0)
// expect: =========     Access to 0x7e9000000020 is out of bounds
// expect: =========     and is inside the nearest allocation at 0x7e9000000000 of size 36 bytes
// errors: 1
#include "checks.h"

__global__ void load(const float4 *from, float *to)
{
	float4 v = from[threadIdx.x]; // HERE
	to[threadIdx.x] = v.x + v.y + v.z + v.w;
}

int main()
{
	float4 *v;
	float *to;
	cudaMalloc((void **)&v, 36);
	cudaMalloc((void **)&to, 64);
	cudaMemset(v, 0, 36);
	load<<<1, 3>>>(v, to);
	cudaDeviceSynchronize();
	return 0;
}
