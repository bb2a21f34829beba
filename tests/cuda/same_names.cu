// Two source files with a static kernel and a static variable of the same name.
// files: parts/same_names_b.cu
#include "check.h"

static __device__ int value = 1;

static __global__ void get(int *out)
{
	*out = value + 10;
}

int other_file(int *d);

int main()
{
	int *d = device_alloc<int>(1), a, b;
	get<<<1, 1>>>(d);
	LAUNCHED();
	to_host(&a, d, 1);
	b = other_file(d);
	CHECK(a == 11, "%d", a);
	CHECK(b == 1002, "%d", b);
	get<<<1, 1>>>(d);
	LAUNCHED();
	to_host(&a, d, 1);
	CHECK(a == 11, "%d", a);
	return check_done();
}
