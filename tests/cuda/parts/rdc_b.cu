#include "../check.h"

__device__ int shared_counter = 100;
__constant__ float shared_table[4] = {10, 20, 30, 40};
extern __device__ int defined_here;
extern __device__ int callback_here(int v);

__device__ int twice(int v)
{
	return v + callback_here(v);
}

static __device__ int square(int v)
{
	return v * v;
}

static __device__ int negate(int v)
{
	return -v;
}

typedef int (*function)(int);
__device__ function operations[2] = {square, negate};

static __global__ void there(int *out)
{
	out[threadIdx.x] = shared_counter + callback_here(threadIdx.x);
}

void launch_there(int *out)
{
	there<<<1, 32>>>(out);
	LAUNCHED();
}
