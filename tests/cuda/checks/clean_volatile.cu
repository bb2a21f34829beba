// The last steps of a sum as programs for older GPUs have them: volatile, without __syncwarp. Machine code does not tell which
// accesses of shared memory were volatile.
// code: ptx
// errors: 0
#include "checks.h"

__global__ void sum(int *v)
{
	__shared__ int s[64];
	volatile int *w = s;
	int x = threadIdx.x;
	w[x] = v[x];
	w[x + 32] = v[x + 32];
	w[x] += w[x + 32];
	w[x] += w[x + 16];
	w[x] += w[x + 8];
	v[x] = w[x];
}

int main()
{
	int *v;
	cudaMalloc(&v, 64 * sizeof *v);
	cudaMemset(v, 0, 64 * sizeof *v);
	sum<<<1, 32>>>(v);
	cudaDeviceSynchronize();
	return 0;
}
