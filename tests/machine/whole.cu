// The same in a program of one object: addresses of variables and of printf in constant bank 4, a table of branches, doubles in
// bank 2. Compiled by
//   nvcc -arch=sm_75 -lineinfo -cubin -o whole.75.cubin whole.cu
#include <cstdio>

extern "C" {
__constant__ float scale[2] = {0.5f, 2.0f};
__device__ int total = 1;
__device__ int seen[8];

__global__ void whole(double *out, int n)
{
	double x = out[threadIdx.x];
	switch (n) {
	case 0: x = 1 / x; break;
	case 1: x += 3.14159; break;
	case 2: seen[threadIdx.x & 7] = 1; break;
	case 3: x = scale[threadIdx.x & 1] * total; break;
	case 4: atomicAdd(&total, 1); break;
	case 5: printf("%d\n", n); break;
	case 6: x = sqrt(x); break;
	}
	out[threadIdx.x] = x;
}
}
