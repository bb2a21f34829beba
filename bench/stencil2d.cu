// Five-point heat stencil on a square grid, two buffers.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

__global__ void heat(const float *in, float *out, int n)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x <= 0 || y <= 0 || x >= n - 1 || y >= n - 1)
		return;
	int i = y * n + x;
	out[i] = in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] - 4 * in[i]);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 512, steps = argc > 2 ? atoi(argv[2]) : 4;
	std::vector<float> a(n * n), want, next;
	for (int i = 0; i < n * n; i++)
		a[i] = (float)(i * 37 % 101);
	want = next = a;
	float *p, *q;
	size_t bytes = a.size() * sizeof(float);
	cudaMalloc((void **)&p, bytes);
	cudaMalloc((void **)&q, bytes);
	cudaMemcpy(p, a.data(), bytes, cudaMemcpyHostToDevice);
	cudaMemcpy(q, a.data(), bytes, cudaMemcpyHostToDevice);
	for (int s = 0; s < steps; s++) {
		heat<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(p, q, n);
		std::swap(p, q);
	}
	cudaMemcpy(a.data(), p, bytes, cudaMemcpyDeviceToHost);
	for (int s = 0; s < steps; s++) {
		for (int y = 1; y < n - 1; y++)
			for (int x = 1; x < n - 1; x++) {
				int i = y * n + x;
				next[i] = want[i] + 0.125f * (want[i - 1] + want[i + 1] + want[i - n] + want[i + n] - 4 * want[i]);
			}
		std::swap(want, next);
	}
	int bad = 0;
	for (int i = 0; i < n * n; i++)
		bad += std::fabs(a[i] - want[i]) > 1e-3f;
	puts(bad ? "FAIL" : "PASS");
	return bad != 0;
}
