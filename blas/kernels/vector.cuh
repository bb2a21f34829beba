// Vectors: element by element, and reductions whose result does not depend on anything but the vector: a fixed number of blocks makes
// partial results, and one block makes the result of these.
#ifndef BLAS_KERNELS_VECTOR_CUH
#define BLAS_KERNELS_VECTOR_CUH

#include "product.cuh"

template <class T, class C> DEVICE void map(const blas_vec &v)
{
	C alpha = scalar<C>(v.alpha), beta = scalar<C>(v.beta);
	T *x = (T *)v.x, *y = (T *)v.y;
	for (long long i = (long long)blockIdx.x * PRODUCT_THREADS + threadIdx.x; i < v.n; i += (long long)gridDim.x * PRODUCT_THREADS) {
		T *p = x + i * v.incx, *q = y + i * v.incy;
		C a, b;
		if (v.what == MAP_COPY) {
			*q = *p;
		} else if (v.what == MAP_SWAP) {
			T t = *p;
			*p = *q;
			*q = t;
		} else if (v.what == MAP_SCAL) {
			load(a, *p);
			store(*p, alpha * a);
		} else if (v.what == MAP_AXPY) {
			load(a, *p);
			load(b, *q);
			store(*q, alpha * a + b);
		} else { // MAP_ROT: alpha is the cosine and beta the sine
			load(a, *p);
			load(b, *q);
			store(*p, alpha * a + beta * b);
			store(*q, alpha * b - conj_of(beta) * a);
		}
	}
}

// A partial result: a sum, or an extreme with its place.
template <class C> struct partial {
	C sum;
	long long index; // from 1; 0: there is none
};

template <class C> DEVICE partial<C> together(int what, partial<C> a, partial<C> b)
{
	if (what == REDUCE_DOT || what == REDUCE_ASUM || what == REDUCE_NORM)
		return {a.sum + b.sum, 0};
	if (!a.index || !b.index)
		return a.index ? a : b;
	auto x = size_of(a.sum), y = size_of(b.sum);
	bool first;
	if (what == REDUCE_LARGEST)
		first = x >= y || x != x;
	else if (x == y)
		first = a.index < b.index;
	else
		first = what == REDUCE_IAMAX ? x > y || y != y : x < y || y != y;
	return first ? a : b;
}

// Element i as what is reduced.
template <class T, class C> DEVICE partial<C> take(const blas_vec &v, long long i)
{
	typedef typename real_of<C>::type R;
	C a, b;
	load(a, ((const T *)v.x)[i * v.incx]);
	if (v.what == REDUCE_DOT) {
		load(b, ((const T *)v.y)[i * v.incy]);
		return {(v.conj ? conj_of(a) : a) * b, 0};
	}
	if (v.what == REDUCE_ASUM)
		return {number<C>(size_of(a), 0), 0};
	if (v.what == REDUCE_NORM) {
		R top = size_of(*(const C *)v.largest);
		return {number<C>(top > 0 ? square(by_real(a, top)) : 0, 0), 0};
	}
	if (v.what == REDUCE_LARGEST)
		return {number<C>(largest_part(a), 0), i + 1};
	return {number<C>(size_of(a), 0), i + 1};
}

// O: the type of a sum, R that of sizes.
template <class O, class R, class C> DEVICE void put(const blas_vec &v, partial<C> p)
{
	if (v.what == REDUCE_DOT) {
		store(*(O *)v.out, p.sum);
	} else if (v.what == REDUCE_LARGEST) {
		*(C *)v.out = p.sum;
	} else if (v.what == REDUCE_ASUM) {
		store(*(R *)v.out, size_of(p.sum));
	} else if (v.what == REDUCE_NORM) {
		auto top = size_of(*(const C *)v.largest), sum = size_of(p.sum);
		bool ordinary = top > 0 && top * 0 == 0; // neither zero nor infinite
		store(*(R *)v.out, ordinary ? top * root(sum) : top);
	} else if (v.wide) {
		*(long long *)v.out = p.index;
	} else {
		*(int *)v.out = (int)p.index;
	}
}

template <class T, class C, class R> DEVICE void reduce(const blas_vec &v)
{
	__shared__ partial<C> part[PRODUCT_THREADS];
	partial<C> own = {number<C>(0, 0), 0};
	for (long long i = (long long)blockIdx.x * PRODUCT_THREADS + threadIdx.x; i < v.n; i += (long long)gridDim.x * PRODUCT_THREADS)
		own = together(v.what, own, v.last ? ((const partial<C> *)v.x)[i] : take<T, C>(v, i));
	part[threadIdx.x] = own;
	__syncthreads();
	for (int w = PRODUCT_THREADS / 2; w; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] = together(v.what, part[threadIdx.x], part[threadIdx.x + w]);
		__syncthreads();
	}
	if (threadIdx.x)
		return;
	if (v.last)
		put<T, R, C>(v, part[0]);
	else
		((partial<C> *)v.out)[blockIdx.x] = part[0];
}

#define VECTORS(name, T, C, R)                                                                  \
	KERNEL __launch_bounds__(PRODUCT_THREADS) map_##name(blas_vec v) { map<T, C>(v); }      \
	KERNEL __launch_bounds__(PRODUCT_THREADS) reduce_##name(blas_vec v) { reduce<T, C, R>(v); }

#endif
