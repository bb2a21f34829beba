// A report is whole however long the names are of the functions that allocated.
// tool: initcheck
// expect: =========         Host Frame: outermost(int**) in long_names
// expect: =========     Saved host backtrace up to driver entry point at kernel launch time
// expect: =========     and so did 63 more threads
// errors: 1
#include "checks.h"

__global__ void add(int *v)
{
	v[threadIdx.x] += threadIdx.x;
}

// Six functions with names of 150 letters, each called by the one before it.
#define LONG(n) \
	n##_which_allocates_memory_that_a_kernel_reads_before_anybody_has_written_it_and_therefore_has_a_name_that_is_long_enough_to_fill_half_a_line_of_a_report
#define CALLS(a, b) __attribute__((noinline)) static int LONG(a)(int **p) { return LONG(b)(p) + 1; }

__attribute__((noinline)) static int LONG(sixth)(int **p) { return cudaMalloc(p, 64 * sizeof **p); }
CALLS(fifth, sixth)
CALLS(fourth, fifth)
CALLS(third, fourth)
CALLS(second, third)
CALLS(first, second)
__attribute__((noinline)) static int outermost(int **p) { return LONG(first)(p) + 1; }

int main()
{
	int *v = NULL;
	int calls = outermost(&v);
	add<<<1, 64>>>(v);
	cudaDeviceSynchronize();
	return calls != 6;
}
