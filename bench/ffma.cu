// Four dependent chains of fused multiply-adds per thread: nothing but arithmetic.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void ffma(float *out, int iterations, float k)
{
	float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
	for (int i = 0; i < iterations; i++) {
#pragma unroll
		for (int j = 0; j < 16; j++) {
			a = a * k + b;
			b = b * k + c;
			c = c * k + d;
			d = d * k + a;
		}
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

int main(int argc, char **argv)
{
	int blocks = argc > 1 ? atoi(argv[1]) : 160, iterations = argc > 2 ? atoi(argv[2]) : 32, n = blocks * 256;
	const float k = -0.5f;
	float *dev;
	std::vector<float> out(n);
	cudaMalloc((void **)&dev, n * sizeof(float));
	ffma<<<blocks, 256>>>(dev, iterations, k);
	cudaMemcpy(out.data(), dev, n * sizeof(float), cudaMemcpyDeviceToHost);
	int bad = 0;
	for (int t = 0; t < 256; t += 51) {
		float a = t, b = a + 1, c = a + 2, d = a + 3;
		for (int i = 0; i < iterations * 16; i++) {
			a = std::fma(a, k, b);
			b = std::fma(b, k, c);
			c = std::fma(c, k, d);
			d = std::fma(d, k, a);
		}
		float want = a + b + c + d;
		bad += !(out[n - 256 + t] == want || (want != want && out[n - 256 + t] != out[n - 256 + t]));
	}
	puts(bad ? "FAIL" : "PASS");
	return bad != 0;
}
