// Copies to and from device variables by symbol, with offsets; their addresses and sizes.
#include "check.h"

__device__ int scalar = 42;
__device__ int numbers[64];
__constant__ float coefficients[8] = {1, 2, 3, 4};
static __device__ double hidden = 2.5;

__global__ void use(float *out)
{
	int i = threadIdx.x;
	out[i] = coefficients[i] * scalar + numbers[i] + (float)hidden;
	if (i == 0)
		scalar++;
}

int main()
{
	int v = 0, n[64], back[64];
	OK(cudaMemcpyFromSymbol(&v, scalar, sizeof(v)));
	CHECK(v == 42);
	v = 7;
	OK(cudaMemcpyToSymbol(scalar, &v, sizeof(v)));
	for (int i = 0; i < 64; i++)
		n[i] = i * i;
	OK(cudaMemcpyToSymbol(numbers, n, sizeof(n)));
	OK(cudaMemcpyToSymbol(numbers, n, 3 * sizeof(int), 5 * sizeof(int)));
	OK(cudaMemcpyFromSymbol(back, numbers, sizeof(back)));
	for (int i = 0; i < 64; i++)
		CHECK(back[i] == (i >= 5 && i < 8 ? n[i - 5] : n[i]), "at %d: %d", i, back[i]);
	float c[4] = {10, 20, 30, 40};
	OK(cudaMemcpyToSymbolAsync(coefficients, c, sizeof(c), 4 * sizeof(float), cudaMemcpyHostToDevice));
	float *out = device_alloc<float>(8), h[8];
	use<<<1, 8>>>(out);
	LAUNCHED();
	to_host(h, out, 8);
	for (int i = 0; i < 8; i++) {
		float expect = (i < 4 ? i + 1 : c[i - 4]) * 7 + back[i] + 2.5f;
		CHECK(h[i] == expect, "at %d: %g, not %g", i, h[i], expect);
	}
	OK(cudaMemcpyFromSymbolAsync(&v, scalar, sizeof(v), 0, cudaMemcpyDeviceToHost));
	OK(cudaDeviceSynchronize());
	CHECK(v == 8, "%d", v);

	void *address;
	size_t size;
	OK(cudaGetSymbolAddress(&address, numbers));
	OK(cudaGetSymbolSize(&size, numbers));
	CHECK(size == sizeof(n));
	OK(cudaMemcpy(&v, (int *)address + 9, sizeof(v), cudaMemcpyDeviceToHost));
	CHECK(v == 81);
	OK(cudaGetSymbolSize(&size, hidden));
	CHECK(size == sizeof(double));
	EXPECT(cudaErrorInvalidValue, cudaMemcpyToSymbol(numbers, n, sizeof(n), 4));
	int host_variable;
	EXPECT(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(host_variable, &v, sizeof(v)));
	EXPECT(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&address, host_variable));
	cudaGetLastError();
	return check_done();
}
