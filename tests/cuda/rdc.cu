// Device code in two files that call each other and share variables.
// nvcc-flags: -rdc=true
// needs: nvcc
// files: parts/rdc_b.cu
#include "check.h"

extern __device__ int shared_counter;
extern __constant__ float shared_table[4];
__device__ int *pointer_to_counter = &shared_counter;
__device__ int defined_here = 7;
extern __device__ int twice(int v);
typedef int (*function)(int);
extern __device__ function operations[2];

__device__ int callback_here(int v)
{
	return v + defined_here;
}

__global__ void use(int *out)
{
	int i = threadIdx.x;
	out[i] = twice(i) + (int)shared_table[i & 3] + operations[i & 1](i);
	atomicAdd(pointer_to_counter, 1);
}

void launch_there(int *out);

int main()
{
	int *d = device_alloc<int>(32), h[32], n;
	use<<<1, 32>>>(d);
	LAUNCHED();
	to_host(h, d, 32);
	for (int i = 0; i < 32; i++) {
		int expect = 2 * i + 7 + 10 * ((i & 3) + 1) + (i & 1 ? -i : i * i);
		CHECK(h[i] == expect, "at %d: %d, not %d", i, h[i], expect);
	}
	OK(cudaMemcpyFromSymbol(&n, shared_counter, sizeof(n)));
	CHECK(n == 132, "%d", n);
	launch_there(d);
	to_host(h, d, 32);
	for (int i = 0; i < 32; i++)
		CHECK(h[i] == 132 + i + 7, "at %d: %d", i, h[i]);
	return check_done();
}
