// cudaMalloc, cudaMemcpy in every direction, cudaMemset, cudaMemGetInfo.
#include "check.h"

__global__ void increment(unsigned char *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i]++;
}

int main()
{
	const int n = 5000;
	static unsigned char a[n], b[n];
	for (int i = 0; i < n; i++)
		a[i] = i * 7;
	unsigned char *d = to_device(a, n), *e = device_alloc<unsigned char>(n);
	CHECK(((size_t)d & 255) == 0);
	CHECK(d != e);
	increment<<<(n + 127) / 128, 128>>>(d, n);
	LAUNCHED();
	OK(cudaMemcpy(e, d, n, cudaMemcpyDeviceToDevice));
	OK(cudaMemcpy(b, e, n, cudaMemcpyDefault));
	for (int i = 0; i < n; i++)
		CHECK(b[i] == (unsigned char)(i * 7 + 1), "at %d", i);

	/* A part of an allocation, at an odd offset. */
	OK(cudaMemset(d + 3, 0xab, 1001));
	OK(cudaMemcpy(b, d, n, cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		CHECK(b[i] == (i >= 3 && i < 1004 ? 0xab : (unsigned char)(i * 7 + 1)), "at %d", i);
	OK(cudaMemcpy(d + 17, a + 5, 91, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(b, d + 17, 91, cudaMemcpyDeviceToHost));
	CHECK(memcmp(b, a + 5, 91) == 0);
	OK(cudaMemcpy(b, a, n, cudaMemcpyHostToHost));
	CHECK(memcmp(b, a, n) == 0);
	OK(cudaMemcpy(b, d, 0, cudaMemcpyDeviceToHost));
	OK(cudaMemset(d, 0, 0));

	size_t free1, free2, total;
	OK(cudaMemGetInfo(&free1, &total));
	CHECK(free1 > 0 && free1 <= total);
	void *big;
	OK(cudaMalloc(&big, 64 << 20));
	OK(cudaMemGetInfo(&free2, &total));
	CHECK(free2 <= free1 - (64 << 20));
	OK(cudaFree(big));
	OK(cudaMemGetInfo(&free2, &total));
	CHECK(free2 == free1);

	void *none = &none;
	OK(cudaMalloc(&none, 0));
	CHECK(none == 0);
	OK(cudaFree(0));
	OK(cudaFree(d));
	OK(cudaFree(e));
	return check_done();
}
