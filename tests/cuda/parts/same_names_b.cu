#include "../check.h"

static __device__ int value = 2;

static __global__ void get(int *out)
{
	*out = value + 1000;
}

int other_file(int *d)
{
	int h = 0;
	get<<<1, 1>>>(d);
	LAUNCHED();
	to_host(&h, d, 1);
	return h + check_failures;
}
