// Matrices and vectors: products with whole, symmetric and triangular matrices, and updates by outer products.
#include "blas/blas.h"

struct batch {
	int64_t count;
	bool pointers;
	int64_t a, x, y;
};
#define ONE ((struct batch){.count = 1})

// scale: the cudaDataType of alpha and beta.
static status gemv(struct handle *h, enum type t, int scale, int op, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda,
                   const void *x, int64_t incx, const void *beta, void *y, int64_t incy, struct batch w)
{
	struct blas_gemv g = {.count = w.count};
	status e = enter(h);
	if (e)
		return e;
	if (!op_ok(op) || m < 0 || n < 0 || lda < at_least_one(m) || !incx || !incy || w.count < 0)
		return INVALID_VALUE;
	if (!m || !n || !w.count)
		return OK;
	if (!take_scalar(&g.alpha, alpha, scale, h->pointer_mode) || !take_scalar(&g.beta, beta, scale, h->pointer_mode) || !y)
		return INVALID_VALUE;
	if ((!a || !x) && !scalar_is(&g.alpha, 0))
		return INVALID_VALUE;
	// An array of addresses cannot be made to begin at the end of each vector.
	if (w.pointers && (incx < 0 || incy < 0))
		return NOT_SUPPORTED;
	g.a = turned(mat(a, lda), op);
	g.m = op == OP_N ? m : n;
	g.n = op == OP_N ? n : m;
	g.x = column(x, g.n, incx, type_size(t));
	g.y = column(y, g.m, incy, out_size(t));
	g.a.pointers = g.x.pointers = g.y.pointers = w.pointers;
	g.a.batch = w.a;
	g.x.batch = w.x;
	g.y.batch = w.y;
	bool rows = op == OP_N;
	return launch(rows ? GEMV_ROWS : GEMV_DOTS, t, rows ? (g.m + THREADS - 1) / THREADS : g.m, w.count, h->stream, &g);
}

// Symmetric or Hermitian.
static status symv(struct handle *h, enum type t, int form, int uplo, int64_t n, const void *alpha, const void *a, int64_t lda, const void *x,
                   int64_t incx, const void *beta, void *y, int64_t incy)
{
	struct blas_gemm g = {.m = n, .n = 1, .k = n, .count = 1};
	status e = enter(h);
	if (e)
		return e;
	if ((uplo != LOWER && uplo != UPPER) || n < 0 || lda < at_least_one(n) || !incx || !incy)
		return INVALID_VALUE;
	if (!n)
		return OK;
	if (!take_scalar(&g.alpha, alpha, scale_of(t), h->pointer_mode) || !take_scalar(&g.beta, beta, scale_of(t), h->pointer_mode) || !y)
		return INVALID_VALUE;
	g.a = mat(a, lda);
	g.a.form = form;
	g.a.lower = uplo == LOWER;
	g.b = column(x, n, incx, type_size(t));
	g.c = g.d = column(y, n, incy, type_size(t));
	return product(h, h->stream, t, &g);
}

// x = op(a) x, by way of a copy.
static status trmv(struct handle *h, enum type t, int uplo, int op, int diag, int64_t n, const void *a, int64_t lda, void *x, int64_t incx)
{
	struct blas_gemm g = {.m = n, .n = 1, .k = n, .count = 1, .alpha.re = 1};
	CUdeviceptr room;
	status e = enter(h);
	if (e)
		return e;
	if ((uplo != LOWER && uplo != UPPER) || !op_ok(op) || (diag | 1) != 1 || n < 0 || lda < at_least_one(n) || !incx)
		return INVALID_VALUE;
	if (!n)
		return OK;
	if ((e = handle_scratch(h, (size_t)n * type_size(t), &room)))
		return e;
	struct blas_vec v = {.n = n, .what = MAP_COPY, .x = column(x, n, incx, type_size(t)).at, .incx = incx, .y = room, .incy = 1};
	if ((e = launch(MAP, t, (n + THREADS - 1) / THREADS, 1, h->stream, &v)))
		return e;
	g.a = mat(a, lda);
	g.a.form = diag ? FORM_UNIT : FORM_TRIANGLE;
	g.a.lower = uplo == LOWER;
	g.a = turned(g.a, op);
	g.b = mat((void *)(uintptr_t)room, n);
	g.d = column(x, n, incx, type_size(t));
	return product(h, h->stream, t, &g);
}

static status trsv(struct handle *h, enum type t, int uplo, int op, int diag, int64_t n, const void *a, int64_t lda, void *x, int64_t incx)
{
	struct blas_solve s = {.m = n, .nrhs = 1, .count = 1, .alpha.re = 1};
	status e = enter(h);
	if (e)
		return e;
	if ((uplo != LOWER && uplo != UPPER) || !op_ok(op) || (diag | 1) != 1 || n < 0 || lda < at_least_one(n) || !incx)
		return INVALID_VALUE;
	s.a = mat(a, lda);
	s.a.form = diag ? FORM_UNIT : FORM_TRIANGLE;
	s.a.lower = uplo == LOWER;
	s.a = turned(s.a, op);
	s.b = column(x, n, incx, type_size(t));
	return n ? launch(SOLVE, t, 1, 1, h->stream, &s) : OK;
}

// a = alpha x y' + a, where y' is the transpose of y, or its adjoint.
static status ger(struct handle *h, enum type t, bool conj, int64_t m, int64_t n, const void *alpha, const void *x, int64_t incx, const void *y,
                  int64_t incy, void *a, int64_t lda)
{
	struct blas_gemm g = {.m = m, .n = n, .k = 1, .count = 1, .beta.re = 1};
	status e = enter(h);
	if (e)
		return e;
	if (m < 0 || n < 0 || lda < at_least_one(m) || !incx || !incy)
		return INVALID_VALUE;
	if (!m || !n)
		return OK;
	if (!take_scalar(&g.alpha, alpha, scale_of(t), h->pointer_mode))
		return INVALID_VALUE;
	g.a = column(x, m, incx, type_size(t));
	g.b = turned(column(y, n, incy, type_size(t)), conj ? OP_C : OP_T);
	g.c = g.d = mat(a, lda);
	return product(h, h->stream, t, &g);
}

// Rank-1 (y is NULL) and rank-2 updates of a triangle of a. hermitian: adjoints instead of transposes, and alpha of rank 1 is real.
static status syr(struct handle *h, enum type t, bool hermitian, int uplo, int64_t n, const void *alpha, const void *x, int64_t incx,
                  const void *y, int64_t incy, bool two, void *a, int64_t lda)
{
	struct blas_gemm g = {.m = n, .n = n, .k = 1, .count = 1, .beta.re = 1, .triangle = uplo == LOWER ? 1 : 2, .real_diagonal = hermitian};
	status e = enter(h);
	if (e)
		return e;
	if ((uplo != LOWER && uplo != UPPER) || n < 0 || lda < at_least_one(n) || !incx || !incy)
		return INVALID_VALUE;
	if (!n)
		return OK;
	if (!(hermitian && !two ? take_real(&g.alpha, alpha, t, h->pointer_mode) : take_scalar(&g.alpha, alpha, scale_of(t), h->pointer_mode)))
		return INVALID_VALUE;
	struct blas_mat u = column(x, n, incx, type_size(t)), v = two ? column(y, n, incy, type_size(t)) : u;
	int op = hermitian ? OP_C : OP_T;
	g.a = u;
	g.b = turned(v, op);
	g.c = g.d = mat(a, lda);
	e = product(h, h->stream, t, &g);
	if (e || !two)
		return e;
	g.a = v;
	g.b = turned(u, op);
	g.alpha.conj = hermitian;
	return product(h, h->stream, t, &g);
}

#define INT int
#define NAME(name) name
#include "blas/matrix_vector_names.h"
#undef INT
#undef NAME
#define INT int64_t
#define NAME(name) name##_64
#include "blas/matrix_vector_names.h"
