// Kernels whose cubins have one of each thing that a cubin can have.
#include <cstdio>
__constant__ float factor[4] = {1, 2, 3, 4};
__device__ int counter = 7;
__device__ double sums[8];

__device__ __noinline__ double blend(double a, double b) { return a * 0.3 + b; }

extern "C" __global__ void __launch_bounds__(64) pick(double *out, const int *in, short n)
{
	__shared__ double staged[64];
	int i = threadIdx.x;
	double v = in[i] * factor[i & 3];
	staged[i] = v;
	__syncthreads();
	switch (in[i]) {
	case 0: v = blend(v, staged[i ^ 1]); break;
	case 1: out[5] = 1.1; v += counter; break;
	case 2: v *= 2.7; atomicAdd(&counter, i); break;
	case 3: sums[i & 7] = v; break;
	case 4: v = -v; out[6] = 9.3; break;
	default: v = blend(v, 4.4);
	}
	out[i] = v;
}

extern "C" __global__ void tell(int n)
{
	if (n == 3)
		printf("%d\n", counter);
}
