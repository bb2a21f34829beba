// Vectors: copies, sums, products, norms, extremes. A host result waits for the stream, as documented.
#include "blas/blas.h"

#include <string.h>

// Blocks that make partial results, at most: their number follows from n alone, so that a sum does not depend on the GPU.
enum { PARTIALS = 64, EACH_BLOCK = 4096, PARTIAL_SIZE = 32 };

static uint64_t first(const void *at, int64_t n, int64_t step, int size)
{
	return column(at, n, step, size).at;
}

static long long map_blocks(int64_t n)
{
	return n < THREADS * 1024LL ? (n + THREADS - 1) / THREADS : 1024;
}

static status map(struct handle *h, int what, enum type t, int64_t n, struct blas_scalar alpha, struct blas_scalar beta, const void *x,
                  int64_t incx, void *y, int64_t incy)
{
	struct blas_vec v = {.n = n, .what = what, .alpha = alpha, .beta = beta, .incx = incx, .incy = incy};
	if (n <= 0)
		return OK;
	if (!x || (!y && what != MAP_SCAL))
		return INVALID_VALUE;
	v.x = first(x, n, incx, type_size(t));
	v.y = y ? first(y, n, incy, type_size(t)) : v.x;
	// With a step of 0 all values of a copy, or sums, meet in one element: one after the other then.
	return launch(MAP, t, incy || what == MAP_SCAL ? map_blocks(n) : 1, 1, h->stream, &v);
}

static status copy(struct handle *h, int what, enum type t, int64_t n, const void *x, int64_t incx, void *y, int64_t incy)
{
	status e = enter(h);
	return e ? e : map(h, what, t, n, (struct blas_scalar){0}, (struct blas_scalar){0}, x, incx, y, incy);
}

static status axpy(struct handle *h, enum type t, int scale, int64_t n, const void *alpha, const void *x, int64_t incx, void *y, int64_t incy)
{
	struct blas_scalar a;
	status e = enter(h);
	if (e || n <= 0)
		return e;
	return take_scalar(&a, alpha, scale, h->pointer_mode) ? map(h, MAP_AXPY, t, n, a, a, x, incx, y, incy) : INVALID_VALUE;
}

// real: alpha is a real number though elements are complex. A step that is not positive does nothing, as in BLAS.
static status scal(struct handle *h, enum type t, int scale, bool real, int64_t n, const void *alpha, void *x, int64_t incx)
{
	struct blas_scalar a;
	status e = enter(h);
	if (e || n <= 0 || incx <= 0)
		return e;
	bool ok = real ? take_real(&a, alpha, t, h->pointer_mode) : take_scalar(&a, alpha, scale, h->pointer_mode);
	return ok ? map(h, MAP_SCAL, t, n, a, a, x, incx, NULL, 0) : INVALID_VALUE;
}

static status rot(struct handle *h, enum type t, bool real_sine, int64_t n, void *x, int64_t incx, void *y, int64_t incy, const void *c,
                  const void *s)
{
	struct blas_scalar cosine, sine;
	status e = enter(h);
	if (e || n <= 0)
		return e;
	bool ok = take_real(&cosine, c, t, h->pointer_mode) &&
	          (real_sine ? take_real(&sine, s, t, h->pointer_mode) : take_scalar(&sine, s, scale_of(t), h->pointer_mode));
	return ok ? map(h, MAP_ROT, t, n, cosine, sine, x, incx, y, incy) : INVALID_VALUE;
}

// Two launches: partial results, and the result at v->out.
static status reduce_to(struct handle *h, enum type t, struct blas_vec v, CUdeviceptr partials, CUdeviceptr out)
{
	long long blocks = (v.n + EACH_BLOCK - 1) / EACH_BLOCK;
	blocks = blocks < PARTIALS ? blocks : PARTIALS;
	v.out = partials;
	status e = launch(REDUCE, t, blocks, 1, h->stream, &v);
	v.n = blocks;
	v.x = partials;
	v.incx = 1;
	v.last = 1;
	v.out = out;
	return e ? e : launch(REDUCE, t, 1, 1, h->stream, &v);
}

// What an empty vector gives.
static status zero(struct handle *h, void *result, size_t size)
{
	static const char none[16];
	if (h->pointer_mode == POINTERS_DEVICE)
		return from_driver(cuMemcpyHtoDAsync_v2((uintptr_t)result, none, size, h->stream));
	memset(result, 0, size);
	return OK;
}

static status reduce(struct handle *h, enum type t, struct blas_vec v, const void *x, int64_t incx, const void *y, int64_t incy, void *result,
                     size_t size)
{
	enum { TOP = PARTIALS * PARTIAL_SIZE, RESULT = TOP + 16, ROOM = RESULT + 16 };
	CUdeviceptr room;
	status e = enter(h);
	if (e)
		return e;
	if (!result)
		return INVALID_VALUE;
	bool one_vector = v.what != REDUCE_DOT;
	if (v.n <= 0 || (one_vector && incx <= 0))
		return zero(h, result, size);
	if (!x || (!y && !one_vector))
		return INVALID_VALUE;
	if ((e = handle_scratch(h, ROOM, &room)))
		return e;
	v.incx = incx;
	v.incy = incy;
	v.x = first(x, v.n, incx, type_size(t));
	v.y = y ? first(y, v.n, incy, type_size(t)) : 0;
	v.largest = room + TOP;
	if (v.what == REDUCE_NORM) {
		struct blas_vec top = v;
		top.what = REDUCE_LARGEST;
		e = reduce_to(h, t, top, room, room + TOP);
	}
	if (!e)
		e = reduce_to(h, t, v, room, room + RESULT);
	return e ? e : deliver(h, result, room + RESULT, size);
}

static status reduce_one(struct handle *h, int what, enum type t, bool wide, int64_t n, const void *x, int64_t incx, void *result)
{
	bool index = what == REDUCE_IAMAX || what == REDUCE_IAMIN;
	int size = index ? (wide ? 8 : 4) : t == C ? 4 : t == Z ? 8 : type_size(t);
	return reduce(h, t, (struct blas_vec){.n = n, .what = what, .wide = wide}, x, incx, NULL, 0, result, size);
}

static status dot(struct handle *h, enum type t, bool conj, int64_t n, const void *x, int64_t incx, const void *y, int64_t incy, void *result)
{
	return reduce(h, t, (struct blas_vec){.n = n, .what = REDUCE_DOT, .conj = conj}, x, incx, y, incy, result, type_size(t));
}

// --- by cudaDataType

static bool vector_type(enum type *t, int type)
{
	switch (type) {
	case R_32F: *t = S; return true;
	case R_64F: *t = D; return true;
	case C_32F: *t = C; return true;
	case C_64F: *t = Z; return true;
	case R_16F: *t = H; return true;
	case R_16BF: *t = B; return true;
	default: return false;
	}
}

// Sums are made in the format of the kernels, 32 bits or more.
static bool execution_ok(enum type t, int execution)
{
	return execution == scale_of(t);
}

static status unsupported(const struct handle *h)
{
	return handle_ok(h) ? NOT_SUPPORTED : NOT_INITIALIZED;
}

static status dot_ex(struct handle *h, bool conj, int64_t n, const void *x, int x_type, int64_t incx, const void *y, int y_type, int64_t incy,
                     void *result, int result_type, int execution)
{
	enum type t;
	if (!vector_type(&t, x_type) || x_type != y_type || result_type != x_type || !execution_ok(t, execution))
		return unsupported(h);
	return dot(h, t, conj, n, x, incx, y, incy, result);
}

static status reduce_ex(struct handle *h, int what, bool wide, int64_t n, const void *x, int x_type, int64_t incx, void *result, int result_type,
                        int execution)
{
	enum type t;
	bool index = what == REDUCE_IAMAX || what == REDUCE_IAMIN;
	int wanted = x_type == C_32F ? R_32F : x_type == C_64F ? R_64F : x_type;
	if (!vector_type(&t, x_type) || (!index && result_type != wanted) ||
	    (!index && !execution_ok(t, execution) && execution != wanted))
		return unsupported(h);
	return reduce_one(h, what, t, wide, n, x, incx, result);
}

// alpha may be in the format of the elements or of the sums.
static bool alpha_ok(enum type t, int type, int alpha)
{
	return alpha == scale_of(t) || (type == R_16F && alpha == R_16F);
}

static status axpy_ex(struct handle *h, int64_t n, const void *alpha, int alpha_type, const void *x, int x_type, int64_t incx, void *y,
                      int y_type, int64_t incy, int execution)
{
	enum type t;
	if (!vector_type(&t, x_type) || x_type != y_type || !alpha_ok(t, x_type, alpha_type) || !execution_ok(t, execution))
		return unsupported(h);
	return axpy(h, t, alpha_type, n, alpha, x, incx, y, incy);
}

static status scal_ex(struct handle *h, int64_t n, const void *alpha, int alpha_type, void *x, int x_type, int64_t incx, int execution)
{
	enum type t;
	if (!vector_type(&t, x_type) || !alpha_ok(t, x_type, alpha_type) || !execution_ok(t, execution))
		return unsupported(h);
	return scal(h, t, alpha_type, false, n, alpha, x, incx);
}

static status copy_ex(struct handle *h, int what, int64_t n, const void *x, int x_type, int64_t incx, void *y, int y_type, int64_t incy)
{
	enum type t;
	if (!vector_type(&t, x_type) || x_type != y_type)
		return unsupported(h);
	return copy(h, what, t, n, x, incx, y, incy);
}

#define INT int
#define WIDE false
#define NAME(name) name
#include "blas/vector_names.h"
#undef INT
#undef WIDE
#undef NAME
#define INT int64_t
#define WIDE true
#define NAME(name) name##_64
#include "blas/vector_names.h"
