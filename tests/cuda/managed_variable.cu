// A __managed__ variable, read and written on both sides.
// needs: nvcc
#include "check.h"

__managed__ int counter = 3;
__managed__ float table[100];

__global__ void fill()
{
	table[threadIdx.x] = threadIdx.x * 0.5f + counter;
	if (threadIdx.x == 0)
		atomicAdd(&counter, 10);
}

int main()
{
	CHECK(counter == 3);
	counter = 4;
	fill<<<1, 100>>>();
	LAUNCHED();
	CHECK(counter == 14, "%d", counter);
	/* Whether a thread saw the old or the new value is not defined between warps; thread 0's warp read it first. */
	for (int i = 0; i < 32; i++)
		CHECK(table[i] == i * 0.5f + 4, "at %d: %g", i, table[i]);
	float *memory;
	OK(cudaGetSymbolAddress((void **)&memory, table));
	CHECK(memory == table);
	return check_done();
}
