// A member of a structure that is not there.
// tool: memcheck
// check: --report-api-errors no
// expect: ========= Invalid __global__ read of size 4 bytes
// expect: =========     at sum(node*, int*) in bounds_null.cu:@HERE@
// expect: =========     Access to 0x8 is out of bounds
// expect: =========     and is a null pointer with an offset
// errors: 1
#include "checks.h"

struct node {
	node *next;
	int value;
};

__global__ void sum(node *n, int *to)
{
	*to = n->value; // HERE
}

int main()
{
	int *to;
	cudaMalloc(&to, sizeof *to);
	sum<<<1, 1>>>(NULL, to);
	cudaDeviceSynchronize();
	return 0;
}
