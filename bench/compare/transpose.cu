// Matrix transposition, first with scattered stores, then through a padded tile in shared memory. Measures coalescing and
// how partial writes reach the L2.
// transpose [WIDTH, a multiple of 32] [ROUNDS]
#include "compare.h"

enum { TILE = 32, ROWS = 8 };

__global__ void naive(unsigned *to, const unsigned *from, int w)
{
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	for (int j = 0; j < TILE; j += ROWS)
		to[x * w + y + j] = from[(y + j) * w + x];
}

__global__ void tiled(unsigned *to, const unsigned *from, int w)
{
	__shared__ unsigned tile[TILE][TILE + 1];
	int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x * TILE, by = blockIdx.y * TILE;
	for (int j = ty; j < TILE; j += ROWS)
		tile[j][tx] = from[(by + j) * w + bx + tx];
	__syncthreads();
	for (int j = ty; j < TILE; j += ROWS)
		to[(bx + j) * w + by + tx] = tile[tx][j];
}

static int wrong(const unsigned *to, const unsigned *from, int w)
{
	int bad = 0;
	for (int y = 0; y < w; y++)
		for (int x = 0; x < w; x++)
			bad += to[x * w + y] != from[y * w + x];
	return bad;
}

int main(int argc, char **argv)
{
	int w = argument(argc, argv, 1, 512), rounds = argument(argc, argv, 2, 2), n = w * w, bad = 0;
	unsigned *from = host_alloc<unsigned>(n), *to = host_alloc<unsigned>(n), seed = 13;
	for (int i = 0; i < n; i++)
		from[i] = next_random(&seed);
	unsigned *dfrom = device_alloc<unsigned>(n), *dto = device_alloc<unsigned>(n);
	to_device(dfrom, from, n);
	dim3 grid(w / TILE, w / TILE), block(TILE, ROWS);
	for (int r = 0; r < rounds; r++) {
		naive<<<grid, block>>>(dto, dfrom, w);
		finish_kernels();
		to_host(to, dto, n);
		bad += wrong(to, from, w);
		must(cudaMemset(dto, 0, n * sizeof(*dto)), "cudaMemset");
		tiled<<<grid, block>>>(dto, dfrom, w);
		finish_kernels();
		to_host(to, dto, n);
		bad += wrong(to, from, w);
	}
	return verdict(bad);
}
