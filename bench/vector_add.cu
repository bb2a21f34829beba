// c = a + b: short kernels, memory traffic, CTA launches.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 40960, bad = 0;
	size_t bytes = n * sizeof(float);
	std::vector<float> a(n), b(n), c(n);
	for (int i = 0; i < n; i++) {
		a[i] = i % 1000;
		b[i] = 2 * (i % 1000);
	}
	float *da, *db, *dc;
	cudaMalloc((void **)&da, bytes);
	cudaMalloc((void **)&db, bytes);
	cudaMalloc((void **)&dc, bytes);
	cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
	cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
	vector_add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
	cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost);
	for (int i = 0; i < n; i++)
		bad += c[i] != 3 * (i % 1000);
	puts(bad ? "FAIL" : "PASS");
	return bad != 0;
}
