// The smallest whole program: allocate, copy, launch, copy back.
// twice
#include "check.h"

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

int main()
{
	const int n = 10000;
	static float a[n], b[n], c[n];
	for (int i = 0; i < n; i++) {
		a[i] = i * 0.5f;
		b[i] = 1000 - i;
	}
	float *da = to_device(a, n), *db = to_device(b, n), *dc = device_alloc<float>(n);
	vector_add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
	LAUNCHED();
	to_host(c, dc, n);
	for (int i = 0; i < n; i++)
		CHECK(c[i] == a[i] + b[i], "at %d: %g", i, c[i]);
	OK(cudaFree(da));
	OK(cudaFree(db));
	OK(cudaFree(dc));
	return check_done();
}
