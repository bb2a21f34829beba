// Matrix products by NVIDIA's own mma.h: tiles in shared and in global memory, fragments that are scaled element by element, and every
// type that the header has.
// needs: nvcc
// nvcc-flags: -arch=sm_80
// skip: sass-modern-86 the published rule of HMMA is slower than what ptxas counts on
#include "check.h"

#include <mma.h>

using namespace nvcuda;

enum { SIDE = 64 };

// d = alpha a b + beta c, a warp for each 16 x 16 of d; tiles of a and b by way of shared memory.
template <class LayoutA, class LayoutB> __global__ void product(const half *a, const half *b, const float *c, float *d, float alpha, float beta)
{
	enum { TILE = 16, PITCH = TILE + 8 };
	__shared__ half tile_a[TILE * PITCH], tile_b[TILE * PITCH];
	wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, half, LayoutA> fa;
	wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, half, LayoutB> fb;
	wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> sum, from;
	const bool a_rows = std::is_same<LayoutA, wmma::row_major>::value, b_rows = std::is_same<LayoutB, wmma::row_major>::value;
	const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
	wmma::fill_fragment(sum, 0.0f);
	for (int k = 0; k < SIDE; k += TILE) {
		for (int i = threadIdx.x; i < TILE * TILE; i += 32) {
			tile_a[i / TILE * PITCH + i % TILE] = a_rows ? a[(row + i / TILE) * SIDE + k + i % TILE] : a[(k + i / TILE) * SIDE + row + i % TILE];
			tile_b[i / TILE * PITCH + i % TILE] = b_rows ? b[(k + i / TILE) * SIDE + column + i % TILE] : b[(column + i / TILE) * SIDE + k + i % TILE];
		}
		__syncwarp();
		wmma::load_matrix_sync(fa, tile_a, PITCH);
		wmma::load_matrix_sync(fb, tile_b, PITCH);
		wmma::mma_sync(sum, fa, fb, sum);
		__syncwarp();
	}
	wmma::load_matrix_sync(from, c + row * SIDE + column, SIDE, wmma::mem_row_major);
	for (int i = 0; i < sum.num_elements; i++)
		sum.x[i] = alpha * sum.x[i] + beta * from.x[i];
	wmma::store_matrix_sync(d + row * SIDE + column, sum, SIDE, wmma::mem_row_major);
}

template <class LayoutA, class LayoutB> static void test_product(const char *name, bool a_rows, bool b_rows)
{
	half *a, *b;
	float *c, *d;
	unsigned state = 9;
	static int x[SIDE][SIDE], y[SIDE][SIDE];
	OK(cudaMallocManaged(&a, SIDE * SIDE * sizeof *a));
	OK(cudaMallocManaged(&b, SIDE * SIDE * sizeof *b));
	OK(cudaMallocManaged(&c, SIDE * SIDE * sizeof *c));
	OK(cudaMallocManaged(&d, SIDE * SIDE * sizeof *d));
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			x[i][j] = (int)(check_random(&state) % 7) - 3, y[i][j] = (int)(check_random(&state) % 7) - 3;
			a[a_rows ? i * SIDE + j : j * SIDE + i] = __float2half((float)x[i][j]);
			b[b_rows ? i * SIDE + j : j * SIDE + i] = __float2half((float)y[i][j]);
			c[i * SIDE + j] = (float)(i - j);
		}
	product<LayoutA, LayoutB><<<dim3(SIDE / 16, SIDE / 16), 32>>>(a, b, c, d, 2, -3);
	LAUNCHED();
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			int sum = 0;
			for (int k = 0; k < SIDE; k++)
				sum += x[i][k] * y[k][j];
			CHECK(d[i * SIDE + j] == 2 * sum - 3 * (i - j), "%s: (%d, %d) is %g, not %d", name, i, j, d[i * SIDE + j], 2 * sum - 3 * (i - j));
		}
}

// One product of each type: of ones and twos. T: what memory holds; F: what the fragment is of.
template <int M, int N, int K, class F, class T, class C> __global__ void one_product(const T *a, const T *b, C *d)
{
	wmma::fragment<wmma::matrix_a, M, N, K, F, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, M, N, K, F, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, M, N, K, C> sum;
	wmma::fill_fragment(sum, (C)1);
	wmma::load_matrix_sync(fa, a, K);
	wmma::load_matrix_sync(fb, b, K);
	wmma::mma_sync(sum, fa, fb, sum);
	wmma::store_matrix_sync(d, sum, N, wmma::mem_row_major);
}

template <int M, int N, int K, class F, class T, class C> static void test_one(const char *name)
{
	T *a, *b;
	C *d;
	OK(cudaMallocManaged(&a, M * K * sizeof *a));
	OK(cudaMallocManaged(&b, K * N * sizeof *b));
	OK(cudaMallocManaged(&d, M * N * sizeof *d));
	for (int i = 0; i < M * K; i++)
		a[i] = T((float)(i / K % 4));
	for (int i = 0; i < K * N; i++)
		b[i] = T((float)(i / K % 3));
	one_product<M, N, K, F, T, C><<<1, 32>>>(a, b, d);
	LAUNCHED();
	for (int i = 0; i < M * N; i++) {
		const int want = 1 + K * (i / N % 4) * (i % N % 3);
		CHECK((double)(float)d[i] == want, "%s: (%d, %d) is %g, not %d", name, i / N, i % N, (double)(float)d[i], want);
	}
}

int main()
{
	test_product<wmma::row_major, wmma::col_major>("row, col", true, false);
	test_product<wmma::row_major, wmma::row_major>("row, row", true, true);
	test_product<wmma::col_major, wmma::col_major>("col, col", false, false);
	test_product<wmma::col_major, wmma::row_major>("col, row", false, true);
	test_one<16, 16, 16, half, half, half>("half");
	test_one<32, 8, 16, half, half, float>("half, 32 x 8");
	test_one<8, 32, 16, half, half, float>("half, 8 x 32");
	test_one<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float>("bfloat16");
	test_one<16, 16, 8, wmma::precision::tf32, float, float>("tf32");
	test_one<8, 8, 4, double, double, double>("double");
	test_one<16, 16, 16, signed char, signed char, int>("signed char");
	test_one<16, 16, 16, unsigned char, unsigned char, int>("unsigned char");
	return check_done();
}
