// Triangular systems, LU factors of many small matrices, and matrices element by element.
#ifndef BLAS_KERNELS_SOLVE_CUH
#define BLAS_KERNELS_SOLVE_CUH

#include "product.cuh"

// Solves for a column of B with a block: as soon as an unknown is known, its part is taken from all rows left.
template <class T> DEVICE void solve(const blas_solve &s)
{
	__shared__ T known;
	T alpha = scalar<T>(s.alpha);
	for (long long b = blockIdx.y; b < s.count; b += gridDim.y) {
		const T *a = matrix<T>(s.a, b);
		T *x = matrix<T>(s.b, b) + blockIdx.x * s.b.cs;
		for (long long i = threadIdx.x; i < s.m; i += blockDim.x)
			x[i * s.b.rs] = is_zero(alpha) ? number<T>(0, 0) : alpha * x[i * s.b.rs];
		__syncthreads();
		if (is_zero(alpha))
			continue;
		for (long long step = 0; step < s.m; step++) {
			long long i = s.a.lower ? step : s.m - 1 - step;
			if (threadIdx.x == 0) {
				T v = x[i * s.b.rs], d = a[i * s.a.rs + i * s.a.cs];
				if (s.a.form != FORM_UNIT)
					v = v / (s.a.conj ? conj_of(d) : d);
				x[i * s.b.rs] = known = v;
			}
			__syncthreads();
			T v = known;
			long long first = s.a.lower ? i + 1 : 0, end = s.a.lower ? s.m : i;
			for (long long r = first + threadIdx.x; r < end; r += blockDim.x) {
				T f = a[r * s.a.rs + i * s.a.cs];
				x[r * s.b.rs] = x[r * s.b.rs] - (s.a.conj ? conj_of(f) : f) * v;
			}
			__syncthreads();
		}
	}
}

// A = P L U in place, a block for each matrix of n rows and columns. Without `pivots` rows stay where they are.
template <class T> DEVICE void getrf(const blas_plane &p)
{
	typedef typename real_of<T>::type R;
	__shared__ R best[PRODUCT_THREADS];
	__shared__ long long place[PRODUCT_THREADS];
	__shared__ bool singular;
	for (long long b = blockIdx.x; b < p.count; b += gridDim.x) {
		T *a = matrix<T>(p.a, b);
		long long ld = p.a.cs;
		int info = 0;
		for (long long j = 0; j < p.n; j++) {
			if (p.pivots) {
				R top = -1;
				long long at = j;
				for (long long i = j + threadIdx.x; i < p.n; i += PRODUCT_THREADS)
					if (size_of(a[i + j * ld]) > top) {
						top = size_of(a[i + j * ld]);
						at = i;
					}
				best[threadIdx.x] = top;
				place[threadIdx.x] = at;
				__syncthreads();
				for (int w = PRODUCT_THREADS / 2; w; w /= 2) {
					if (threadIdx.x < w) {
						R x = best[threadIdx.x], y = best[threadIdx.x + w];
						if (y > x || (y == x && place[threadIdx.x + w] < place[threadIdx.x])) {
							best[threadIdx.x] = y;
							place[threadIdx.x] = place[threadIdx.x + w];
						}
					}
					__syncthreads();
				}
				long long row = place[0];
				if (threadIdx.x == 0)
					((int *)p.pivots)[b * p.n + j] = (int)row + 1;
				if (row != j)
					for (long long c = threadIdx.x; c < p.n; c += PRODUCT_THREADS) {
						T t = a[j + c * ld];
						a[j + c * ld] = a[row + c * ld];
						a[row + c * ld] = t;
					}
				__syncthreads();
			}
			if (threadIdx.x == 0)
				singular = is_zero(a[j + j * ld]);
			__syncthreads();
			if (singular) {
				info = info ? info : (int)j + 1;
				__syncthreads();
				continue;
			}
			T d = a[j + j * ld];
			for (long long i = j + 1 + threadIdx.x; i < p.n; i += PRODUCT_THREADS)
				a[i + j * ld] = a[i + j * ld] / d;
			__syncthreads();
			long long left = p.n - j - 1;
			for (long long e = threadIdx.x; e < left * left; e += PRODUCT_THREADS) {
				long long r = j + 1 + e % left, c = j + 1 + e / left;
				a[r + c * ld] = a[r + c * ld] - a[r + j * ld] * a[j + c * ld];
			}
			__syncthreads();
		}
		if (threadIdx.x == 0)
			((int *)p.info)[b] = info;
	}
}

// Exchanges rows of b, with n columns, as the m pivots say. A thread takes a column.
template <class T> DEVICE void swap_rows(const blas_plane &p)
{
	long long j = (long long)blockIdx.x * PRODUCT_THREADS + threadIdx.x;
	if (j >= p.n)
		return;
	for (long long b = blockIdx.y; b < p.count; b += gridDim.y) {
		T *x = matrix<T>(p.b, b) + j * p.b.cs;
		for (long long step = 0; step < p.m; step++) {
			long long i = p.backward ? p.m - 1 - step : step, other = ((const int *)p.pivots)[b * p.m + i] - 1;
			T t = x[i];
			x[i] = x[other];
			x[other] = t;
		}
	}
}

// b becomes the unit matrix; info tells the first zero on the diagonal of a, or 0.
template <class T> DEVICE void set_unit(const blas_plane &p)
{
	for (long long b = blockIdx.x; b < p.count; b += gridDim.x) {
		const T *a = matrix<T>(p.a, b);
		T *x = matrix<T>(p.b, b);
		for (long long e = threadIdx.x; e < p.n * p.n; e += PRODUCT_THREADS)
			x[e % p.n + e / p.n * p.b.cs] = number<T>(e % p.n == e / p.n, 0);
		int info = 0;
		if (threadIdx.x == 0 && p.info) {
			for (long long i = p.n; i-- > 0;)
				info = is_zero(a[i + i * p.a.cs]) ? (int)i + 1 : info;
			((int *)p.info)[b] = info;
		}
	}
}

// c = alpha a + beta b; what is multiplied by zero is not read.
template <class T> DEVICE void geam(const blas_plane &p)
{
	long long at = (long long)blockIdx.x * PRODUCT_THREADS + threadIdx.x;
	if (at >= p.m * p.n)
		return;
	long long i = at % p.m, j = at / p.m;
	T alpha = scalar<T>(p.alpha), beta = scalar<T>(p.beta);
	for (long long b = blockIdx.y; b < p.count; b += gridDim.y) {
		T v = number<T>(0, 0);
		if (!is_zero(alpha)) {
			T x = matrix<T>(p.a, b)[i * p.a.rs + j * p.a.cs];
			v = alpha * (p.a.conj ? conj_of(x) : x);
		}
		if (!is_zero(beta)) {
			T y = matrix<T>(p.b, b)[i * p.b.rs + j * p.b.cs];
			v = v + beta * (p.b.conj ? conj_of(y) : y);
		}
		matrix<T>(p.c, b)[i * p.c.rs + j * p.c.cs] = v;
	}
}

// c = a with each row, or column, multiplied by its element of vector b.
template <class T> DEVICE void dgmm(const blas_plane &p)
{
	long long at = (long long)blockIdx.x * PRODUCT_THREADS + threadIdx.x;
	if (at >= p.m * p.n)
		return;
	long long i = at % p.m, j = at / p.m;
	((T *)p.c.at)[i + j * p.c.cs] = ((const T *)p.a.at)[i + j * p.a.cs] * ((const T *)p.b.at)[(p.by_rows ? i : j) * p.b.rs];
}

// Between a triangle of a (by columns, packed) and one of a whole matrix b: backward packs.
template <class T> DEVICE void packed(const blas_plane &p)
{
	long long at = (long long)blockIdx.x * PRODUCT_THREADS + threadIdx.x, i = at % p.n, j = at / p.n;
	if (j >= p.n || (p.a.lower ? i < j : i > j))
		return;
	T *whole = (T *)p.b.at + i + j * p.b.cs;
	T *pack = (T *)p.a.at + (p.a.lower ? i + j * (2 * p.n - j - 1) / 2 : i + j * (j + 1) / 2);
	if (p.backward)
		*pack = *whole;
	else
		*whole = *pack;
}

#define SOLVES(name, T)                                                                                  \
	KERNEL __launch_bounds__(PRODUCT_THREADS) solve_##name(blas_solve s) { solve<T>(s); }            \
	KERNEL __launch_bounds__(PRODUCT_THREADS) getrf_##name(blas_plane p) { getrf<T>(p); }            \
	KERNEL __launch_bounds__(PRODUCT_THREADS) swap_rows_##name(blas_plane p) { swap_rows<T>(p); }    \
	KERNEL __launch_bounds__(PRODUCT_THREADS) set_unit_##name(blas_plane p) { set_unit<T>(p); }      \
	KERNEL __launch_bounds__(PRODUCT_THREADS) geam_##name(blas_plane p) { geam<T>(p); }              \
	KERNEL __launch_bounds__(PRODUCT_THREADS) dgmm_##name(blas_plane p) { dgmm<T>(p); }              \
	KERNEL __launch_bounds__(PRODUCT_THREADS) packed_##name(blas_plane p) { packed<T>(p); }

#endif
