// Variables with initial values: numbers of every size, strings, addresses of other variables and of functions.
#include "check.h"

struct node {
	int value;
	const node *next;
	const char *name;
};

__device__ signed char c8 = -3;
__device__ unsigned short u16 = 60000;
__device__ long long s64 = -1234567890123ll;
__device__ float f32 = 1.5f;
__device__ double f64 = -2.25;
__device__ int table[5] = {1, 2, 3};
#ifdef __NVCC__ /* clang-14 cannot write an address inside a variable */
#define INSIDE(array, i) &array[i]
#define AT(i) i
#else
#define INSIDE(array, i) array
#define AT(i) 0
#endif
__device__ int *middle = INSIDE(table, 2);
__device__ const char *words[] = {"warp", "weft"};
__device__ char text[8] = "loom";
__device__ node third = {3, 0, "c"}, second = {2, &third, "b"}, first = {1, &second, "a"};
__constant__ double constants[3] = {0.5, 0.25, 0.125};
__constant__ int *const_pointer = INSIDE(table, 1);
__device__ int untouched[4];

__device__ int add_one(int v)
{
	return v + 1;
}

__device__ int times_two(int v)
{
	return v * 2;
}

typedef int (*function)(int);
__device__ function functions[] = {add_one, times_two};

__global__ void read(double *out, int which)
{
	int k = 0;
	out[k++] = c8;
	out[k++] = u16;
	out[k++] = (double)s64;
	out[k++] = f32;
	out[k++] = f64;
	for (int i = 0; i < 5; i++)
		out[k++] = table[i];
	out[k++] = *middle;
	out[k++] = words[1][2];
	out[k++] = words[0][4];
	out[k++] = text[3] + text[7];
	for (const node *p = &first; p; p = p->next)
		out[k++] = p->value * 1000 + p->name[0];
	out[k++] = constants[2];
	out[k++] = *const_pointer;
	out[k++] = untouched[3];
	out[k++] = functions[which](20);
	out[k++] = functions[1 - which](20);
	*middle = 77;
	out[k++] = table[AT(2)];
}

int main()
{
	const double expect[] = {-3, 60000, -1234567890123.0, 1.5, -2.25, 1, 2, 3, 0, 0, AT(2) + 1, 'f', 0, 'm', 1000 + 'a',
		2000 + 'b', 3000 + 'c', 0.125, AT(1) + 1, 0, 40, 21, 77};
	const int n = sizeof(expect) / sizeof(expect[0]);
	double *d = device_alloc<double>(n), h[n];
	read<<<1, 1>>>(d, 1);
	LAUNCHED();
	to_host(h, d, n);
	for (int i = 0; i < n; i++)
		CHECK(h[i] == expect[i], "at %d: %g, not %g", i, h[i], expect[i]);
	return check_done();
}
