// The product of two square matrices, tiled through shared memory, added to a third; checked on the host.
//   toolkit/heddlecc -o matmul examples/matmul.cu && bin/heddle run -- ./matmul 128
#include <cstdio>
#include <cstdlib>

enum { TILE = 16 };

__global__ void matmul(float *c, const float *a, const float *b, int n)
{
	__shared__ float sa[TILE][TILE], sb[TILE][TILE];
	int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
	float sum = 0;
	for (int k = 0; k < n; k += TILE) {
		sa[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
		sb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
		__syncthreads();
	}
	c[row * n + col] = sum;
}

__global__ void add(float *c, const float *d, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		c[i] += d[i];
}

static void must(cudaError_t e, const char *what)
{
	if (e != cudaSuccess) {
		fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
		exit(1);
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 128;
	if (n <= 0 || n % TILE || n > 4096) {
		fprintf(stderr, "usage: %s [N], N a multiple of %d up to 4096\n", argv[0], TILE);
		return 2;
	}
	int count = n * n;
	size_t bytes = count * sizeof(float);
	float *host[3], *device[4];
	for (int m = 0; m < 3; m++) {
		host[m] = (float *)malloc(bytes);
		for (int i = 0; i < count; i++)
			host[m][i] = i * (m + 3) % 11 - 5;
	}
	for (int m = 0; m < 4; m++)
		must(cudaMalloc((void **)&device[m], bytes), "cudaMalloc");
	for (int m = 0; m < 3; m++)
		must(cudaMemcpy(device[m], host[m], bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
	matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(device[3], device[0], device[1], n);
	add<<<(count + 255) / 256, 256>>>(device[3], device[2], count);
	must(cudaGetLastError(), "launch");
	float *result = (float *)malloc(bytes);
	must(cudaMemcpy(result, device[3], bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");

	/* Small integers: every sum is exact, in any order. */
	int wrong = 0;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			float sum = host[2][i * n + j];
			for (int k = 0; k < n; k++)
				sum += host[0][i * n + k] * host[1][k * n + j];
			if (result[i * n + j] != sum && wrong++ < 5)
				printf("at %d %d: %g, not %g\n", i, j, result[i * n + j], sum);
		}
	printf("%d x %d matrices: %s\n", n, n, wrong ? "WRONG" : "correct");
	return wrong != 0;
}
