// Matrix products: a block makes a tile of the result, from tiles of both factors in shared memory.
#ifndef BLAS_KERNELS_PRODUCT_CUH
#define BLAS_KERNELS_PRODUCT_CUH

#include "number.cuh"

enum { PRODUCT_THREADS = 256, DEPTH = 16 };

// e to the power of 2 x.
DEVICE float exp_of_twice(float x)
{
	float e;
	asm("ex2.approx.f32 %0, %1;" : "=f"(e) : "f"(x * 2.885390082f)); // 2 / ln 2
	return e;
}
// 2 x = n ln 2 + r with r of at most half of ln 2, where 14 terms of the series leave less than 2e-17. ln 2 is taken off in two parts,
// the first of which has zeroes where n times it would need more bits than there are.
DEVICE double exp_of_twice(double x)
{
	double y = x < -350 ? -700 : x > 350 ? 700 : 2 * x; // tanh is 1 or -1 from 19 on, and nothing overflows
	if (x != x)
		return x;
	int n = (int)(y * 1.4426950408889634 + (y < 0 ? -0.5 : 0.5));
	double r = (y - n * 0.6931471803691238) - n * 1.9082149292705877e-10, sum = 1;
#pragma unroll
	for (int k = 14; k; k--)
		sum = 1 + sum * r * (1.0 / k);
	return sum * __longlong_as_double((long long)(n + 1023) << 52);
}
template <class R> DEVICE R tanh_of(R x) { return 1 - 2 / (1 + exp_of_twice(x)); }

template <class R> DEVICE R gelu_inside(R x) { return (R)0.7978845608028654 * (x + (R)0.044715 * x * x * x); } // sqrt(2 / pi)
template <class R> DEVICE R gelu(R x) { return (R)0.5 * x * (1 + tanh_of(gelu_inside(x))); }
template <class R> DEVICE R gelu_slope(R x)
{
	R t = tanh_of(gelu_inside(x));
	return (R)0.5 * (1 + t) + (R)0.5 * x * (1 - t * t) * (R)0.7978845608028654 * (1 + (R)(3 * 0.044715) * x * x);
}

// Epilogues are for real numbers; of others there is none.
template <class O, class C> struct epilogue {
	static __device__ __forceinline__ C apply(const blas_gemm &, C v, long long, long long, long long) { return v; }
};
template <class O, class R> struct epilogue_of_reals {
	static __device__ __forceinline__ R apply(const blas_gemm &g, R v, long long i, long long j, long long b)
	{
		if (g.epilogue & EPILOGUE_BIAS) {
			R bias;
			load(bias, ((const O *)g.bias)[b * g.bias_batch + i]);
			v += bias;
		}
		long long at = b * g.aux_batch + j * g.aux_ld + i;
		if (g.epilogue & EPILOGUE_DRELU)
			v = ((const unsigned char *)g.aux)[at >> 3] >> (at & 7) & 1 ? v : 0;
		if (g.epilogue & EPILOGUE_DGELU) {
			R x;
			load(x, ((const O *)g.aux)[at]);
			v *= gelu_slope(x);
		}
		if (g.epilogue & EPILOGUE_AUX_OUT)
			store(((O *)g.aux)[at], v);
		if (g.epilogue & EPILOGUE_RELU)
			v = v < 0 ? 0 : v; // a NaN stays
		if (g.epilogue & EPILOGUE_GELU)
			v = gelu(v);
		return v;
	}
};
template <class O> struct epilogue<O, float> : epilogue_of_reals<O, float> {};
template <class O> struct epilogue<O, double> : epilogue_of_reals<O, double> {};

// Element (i, j) of a matrix that is stored as m.form says.
template <class T, class C> DEVICE C element(const blas_mat &m, const T *at, long long i, long long j)
{
	bool stored = m.lower ? i >= j : i <= j, mirrored = !stored && (m.form == FORM_SYMMETRIC || m.form == FORM_HERMITIAN);
	if ((m.form == FORM_TRIANGLE || m.form == FORM_UNIT) && !stored)
		return number<C>(0, 0);
	if (m.form == FORM_UNIT && i == j)
		return number<C>(1, 0);
	C v;
	load_of(m, v, mirrored ? at[j * m.rs + i * m.cs] : at[i * m.rs + j * m.cs]);
	if (m.form == FORM_HERMITIAN && i == j)
		drop_imaginary(v);
	return (m.conj != 0) != (mirrored && m.form == FORM_HERMITIAN) ? conj_of(v) : v;
}

// Fills tile[DEPTH][width] with `tile_width` lines of m from line `first`, depths from `depth`; outside of the matrix are zeros.
// Lines are rows for the left factor and columns for the right one, whose strides are exchanged by the caller.
template <class T, class C, int WIDTH, bool FORMS>
DEVICE void fill(C (*tile)[WIDTH + 1], const blas_mat &m, const T *at, long long lines, long long depths, long long first, long long depth,
                 bool right)
{
	long long line_stride = right ? m.cs : m.rs, depth_stride = right ? m.rs : m.cs;
	bool along = line_stride == 1; // neighbours in memory go to neighbouring threads
	enum { EACH = WIDTH * DEPTH / PRODUCT_THREADS };
	C v[EACH]; // all are on their way before the first is put down
#pragma unroll
	for (int q = 0; q < EACH; q++) {
		int e = threadIdx.x + q * PRODUCT_THREADS, i = along ? e % WIDTH : e / DEPTH, l = along ? e / WIDTH : e % DEPTH;
		long long line = first + i, d = depth + l;
		v[q] = number<C>(0, 0);
		if (line >= lines || d >= depths)
			continue;
		if (FORMS)
			v[q] = right ? element<T, C>(m, at, d, line) : element<T, C>(m, at, line, d);
		else
			load_of(m, v[q], at[line * line_stride + d * depth_stride]);
	}
#pragma unroll
	for (int q = 0; q < EACH; q++) {
		int e = threadIdx.x + q * PRODUCT_THREADS;
		tile[along ? e / WIDTH : e % DEPTH][along ? e % WIDTH : e / DEPTH] = !FORMS && m.conj ? conj_of(v[q]) : v[q];
	}
}

// Tiles of SIDE by SIDE; a thread makes EACH by EACH elements of one, which lie SIDE / EACH apart.
template <class T, class C, class O, int SIDE, int EACH, int UNROLL, bool FORMS> DEVICE void product(const blas_gemm &g)
{
	enum { STEP = SIDE / EACH };
	__shared__ C left[DEPTH][SIDE + 1], right[DEPTH][SIDE + 1];
	long long tiles_down = (g.m + SIDE - 1) / SIDE;
	long long row0 = blockIdx.x % tiles_down * SIDE, col0 = blockIdx.x / tiles_down * SIDE;
	int tx = threadIdx.x % STEP, ty = threadIdx.x / STEP;
	C alpha = factors<T, C>::apply(g, scalar<C>(g.alpha)), beta = scalar<C>(g.beta);
	long long k = is_zero(alpha) ? 0 : g.k;
#pragma unroll 1
	for (long long b = blockIdx.y; b < g.count; b += gridDim.y) {
		const T *a_at = matrix<T>(g.a, b), *b_at = matrix<T>(g.b, b);
		C sum[EACH][EACH];
#pragma unroll
		for (int i = 0; i < EACH; i++)
#pragma unroll
			for (int j = 0; j < EACH; j++)
				sum[i][j] = number<C>(0, 0);
#pragma unroll 1
		for (long long d = 0; d < k; d += DEPTH) {
			fill<T, C, SIDE, FORMS>(left, g.a, a_at, g.m, k, row0, d, false);
			fill<T, C, SIDE, FORMS>(right, g.b, b_at, g.n, k, col0, d, true);
			__syncthreads();
#pragma unroll UNROLL
			for (int l = 0; l < DEPTH; l++) {
				C x[EACH], y[EACH];
#pragma unroll
				for (int i = 0; i < EACH; i++)
					x[i] = left[l][tx + i * STEP];
#pragma unroll
				for (int j = 0; j < EACH; j++)
					y[j] = right[l][ty + j * STEP];
#pragma unroll
				for (int i = 0; i < EACH; i++)
#pragma unroll
					for (int j = 0; j < EACH; j++)
						add_product(sum[i][j], x[i], y[j]);
			}
			__syncthreads();
		}
		const O *c_at = is_zero(beta) ? 0 : matrix<O>(g.c, b);
		O *d_at = matrix<O>(g.d, b);
#pragma unroll
		for (int j = 0; j < EACH; j++)
#pragma unroll
			for (int i = 0; i < EACH; i++) {
				long long row = row0 + tx + i * STEP, col = col0 + ty + j * STEP;
				if (row >= g.m || col >= g.n || (g.triangle == 1 && row < col) || (g.triangle == 2 && row > col))
					continue;
				C v = k ? factors<T, C>::element(g, alpha * sum[i][j], row, col) : number<C>(0, 0);
				if (c_at) {
					C old;
					load(old, c_at[row * g.c.rs + col * g.c.cs]);
					if (g.real_diagonal && row == col)
						drop_imaginary(old);
					v = v + beta * old;
				}
				if (g.real_diagonal && row == col)
					drop_imaginary(v);
				if (g.epilogue)
					v = epilogue<O, C>::apply(g, v, row, col, b);
				store(d_at[row * g.d.rs + col * g.d.cs], v);
			}
	}
}

// Sums up `v` over the block of PRODUCT_THREADS; thread 0 has the result.
template <class C> DEVICE C block_sum(C v)
{
	__shared__ C part[PRODUCT_THREADS];
	__syncthreads();
	part[threadIdx.x] = v;
	__syncthreads();
	for (int w = PRODUCT_THREADS / 2; w; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + w];
		__syncthreads();
	}
	return part[0];
}

template <class O, class C> DEVICE void put_row(const blas_gemv &g, C sum, C alpha, C beta, long long b, long long i)
{
	O *y = matrix<O>(g.y, b) + i * g.y.rs;
	C v = is_zero(alpha) ? number<C>(0, 0) : alpha * sum;
	if (!is_zero(beta)) {
		C old;
		load(old, *y);
		v = v + beta * old;
	}
	store(*y, v);
}

// A thread makes an element: for matrices whose columns lie close.
template <class T, class C, class O> DEVICE void gemv_rows(const blas_gemv &g)
{
	long long i = (long long)blockIdx.x * PRODUCT_THREADS + threadIdx.x;
	C alpha = scalar<C>(g.alpha), beta = scalar<C>(g.beta);
	if (i >= g.m)
		return;
	for (long long b = blockIdx.y; b < g.count; b += gridDim.y) {
		const T *a = matrix<T>(g.a, b) + i * g.a.rs, *x = matrix<T>(g.x, b);
		C sum = number<C>(0, 0);
		if (!is_zero(alpha))
			for (long long j = 0; j < g.n; j++) {
				C p, q;
				load(p, a[j * g.a.cs]);
				load(q, x[j * g.x.rs]);
				add_product(sum, g.a.conj ? conj_of(p) : p, q);
			}
		put_row<O>(g, sum, alpha, beta, b, i);
	}
}

// A block makes an element: for matrices whose rows lie close.
template <class T, class C, class O> DEVICE void gemv_dots(const blas_gemv &g)
{
	C alpha = scalar<C>(g.alpha), beta = scalar<C>(g.beta);
	for (long long b = blockIdx.y; b < g.count; b += gridDim.y) {
		const T *a = matrix<T>(g.a, b) + blockIdx.x * g.a.rs, *x = matrix<T>(g.x, b);
		C sum = number<C>(0, 0);
		if (!is_zero(alpha))
			for (long long j = threadIdx.x; j < g.n; j += PRODUCT_THREADS) {
				C p, q;
				load(p, a[j * g.a.cs]);
				load(q, x[j * g.x.rs]);
				add_product(sum, g.a.conj ? conj_of(p) : p, q);
			}
		sum = block_sum(sum);
		if (threadIdx.x == 0)
			put_row<O>(g, sum, alpha, beta, b, blockIdx.x);
	}
}

#define KERNEL extern "C" __global__ void

#define PRODUCTS(name, T, C, O, UNROLL)                                                                      \
	KERNEL __launch_bounds__(PRODUCT_THREADS) gemm_large_##name(blas_gemm g) { product<T, C, O, 64, 4, UNROLL, false>(g); } \
	KERNEL __launch_bounds__(PRODUCT_THREADS) gemm_small_##name(blas_gemm g) { product<T, C, O, 16, 1, UNROLL, false>(g); }
#define PRODUCTS_OF_FORMS(name, T) \
	KERNEL __launch_bounds__(PRODUCT_THREADS) gemm_forms_##name(blas_gemm g) { product<T, T, T, 16, 1, 1, true>(g); }
#define PRODUCTS_BY_VECTORS(name, T, C, O)                                                                   \
	KERNEL __launch_bounds__(PRODUCT_THREADS) gemv_rows_##name(blas_gemv g) { gemv_rows<T, C, O>(g); }   \
	KERNEL __launch_bounds__(PRODUCT_THREADS) gemv_dots_##name(blas_gemv g) { gemv_dots<T, C, O>(g); }

// --- what cublasLt does beside a product

// Bit i of column j of `a`, a mask with a.cs bits to a column: whether element (i, j) of b is above zero. A thread makes a byte.
template <class O, class C> DEVICE void relu_mask(const blas_plane &p)
{
	long long bytes = (p.m + 7) / 8, at = (long long)blockIdx.x * PRODUCT_THREADS + threadIdx.x;
	if (at >= bytes * p.n)
		return;
	long long byte = at % bytes, j = at / bytes;
	for (long long b = blockIdx.y; b < p.count; b += gridDim.y) {
		const O *from = matrix<O>(p.b, b);
		unsigned bits = 0;
		for (int e = 0; e < 8 && byte * 8 + e < p.m; e++) {
			C v;
			load(v, from[(byte * 8 + e) * p.b.rs + j * p.b.cs]);
			bits |= (unsigned)(v > 0) << e;
		}
		((unsigned char *)p.a.at)[(b * p.a.batch + j * p.a.cs) / 8 + byte] = (unsigned char)bits;
	}
}

// b[i] = the sum of row i of a over its n columns. A block makes an element.
template <class T, class C> DEVICE void row_sums(const blas_plane &p)
{
	for (long long b = blockIdx.y; b < p.count; b += gridDim.y) {
		const T *from = matrix<T>(p.a, b) + blockIdx.x * p.a.rs;
		C sum = 0;
		for (long long j = threadIdx.x; j < p.n; j += PRODUCT_THREADS) {
			C v;
			load(v, from[j * p.a.cs]);
			sum += v;
		}
		sum = block_sum(sum);
		if (threadIdx.x == 0)
			store(matrix<T>(p.b, b)[blockIdx.x], sum);
	}
}

#define BESIDE_PRODUCTS(name, T, C)                                                                      \
	KERNEL __launch_bounds__(PRODUCT_THREADS) relu_mask_##name(blas_plane p) { relu_mask<T, C>(p); } \
	KERNEL __launch_bounds__(PRODUCT_THREADS) row_sums_##name(blas_plane p) { row_sums<T, C>(p); }

#endif
