// Many small systems of equations: LU factors, solutions and inverses, by arrays of addresses in device memory.
#include "blas/blas.h"

// Pivots follow one another, n for each matrix, counted from 1. info[i] is 0, or the first column whose pivot is zero.
static status getrf(struct handle *h, enum type t, int n, void *const *a, int lda, int *pivots, int *info, int count)
{
	struct blas_plane p = {.n = n, .count = count, .pivots = (uintptr_t)pivots, .info = (uintptr_t)info, .a = mat(a, lda)};
	status e = enter(h);
	if (e)
		return e;
	if (n < 0 || count < 0 || lda < at_least_one(n) || (count && (!a || !info)))
		return INVALID_VALUE;
	p.a.pointers = 1;
	return launch(GETRF, t, count, 1, h->stream, &p);
}

// Half of a solution: op(L) or op(U).
static status half(struct handle *h, enum type t, bool lower, int op, struct blas_mat a, struct blas_mat b, int64_t n, int64_t nrhs,
                   int64_t count)
{
	struct blas_solve s = {.m = n, .nrhs = nrhs, .count = count, .alpha.re = 1, .a = a, .b = b};
	s.a.form = lower ? FORM_UNIT : FORM_TRIANGLE;
	s.a.lower = lower;
	s.a = turned(s.a, op);
	return launch(SOLVE, t, nrhs, count, h->stream, &s);
}

static status swap_rows(struct handle *h, enum type t, bool backward, struct blas_mat b, int64_t n, int64_t nrhs, const int *pivots,
                        int64_t count)
{
	struct blas_plane p = {.m = n, .n = nrhs, .count = count, .b = b, .pivots = (uintptr_t)pivots, .backward = backward};
	return pivots ? launch(SWAP_ROWS, t, (nrhs + THREADS - 1) / THREADS, count, h->stream, &p) : OK;
}

// Solves op(A) X = B of A's factors.
static status solve(struct handle *h, enum type t, int op, struct blas_mat a, struct blas_mat b, int64_t n, int64_t nrhs, const int *pivots,
                    int64_t count)
{
	bool plain = op == OP_N;
	status e = plain ? swap_rows(h, t, false, b, n, nrhs, pivots, count) : OK;
	e = e ? e : half(h, t, plain, op, a, b, n, nrhs, count);
	e = e ? e : half(h, t, !plain, op, a, b, n, nrhs, count);
	return e || plain ? e : swap_rows(h, t, true, b, n, nrhs, pivots, count);
}

// *info, in host memory, tells which argument is wrong.
static status getrs(struct handle *h, enum type t, int op, int n, int nrhs, const void *const *a, int lda, const int *pivots, void *const *b,
                    int ldb, int *info, int count)
{
	status e = enter(h);
	if (e)
		return e;
	if (!info)
		return INVALID_VALUE;
	*info = !op_ok(op) ? -1 : n < 0 ? -2 : nrhs < 0 ? -3 : lda < at_least_one(n) ? -5 : ldb < at_least_one(n) ? -8 : count < 0 ? -10 : 0;
	if (*info || (count && (!a || !b)))
		return INVALID_VALUE;
	if (!n || !nrhs)
		return OK;
	struct blas_mat x = mat(a, lda), y = mat(b, ldb);
	x.pointers = y.pointers = 1;
	return solve(h, t, op, x, y, n, nrhs, pivots, count);
}

static status inverse(struct handle *h, enum type t, int n, struct blas_mat a, struct blas_mat c, const int *pivots, int *info, int count)
{
	struct blas_plane p = {.n = n, .count = count, .a = a, .b = c, .info = (uintptr_t)info};
	status e = launch(SET_UNIT, t, count, 1, h->stream, &p);
	return e ? e : solve(h, t, OP_N, a, c, n, n, pivots, count);
}

static status getri(struct handle *h, enum type t, int n, const void *const *a, int lda, const int *pivots, void *const *c, int ldc, int *info,
                    int count)
{
	status e = enter(h);
	if (e)
		return e;
	if (n < 0 || count < 0 || lda < at_least_one(n) || ldc < at_least_one(n) || (count && (!a || !c || !info)))
		return INVALID_VALUE;
	struct blas_mat x = mat(a, lda), y = mat(c, ldc);
	x.pointers = y.pointers = 1;
	return inverse(h, t, n, x, y, pivots, info, count);
}

// A short cut for n up to 32 that leaves a as it is.
static status matinv(struct handle *h, enum type t, int n, const void *const *a, int lda, void *const *c, int ldc, int *info, int count)
{
	enum { LARGEST = 32 };
	CUdeviceptr room;
	status e = enter(h);
	if (e)
		return e;
	if (n < 0 || n > LARGEST || count < 0 || lda < at_least_one(n) || ldc < at_least_one(n) || (count && (!a || !c || !info)))
		return INVALID_VALUE;
	if (!n || !count)
		return OK;
	size_t factors = (size_t)n * n * count * type_size(t);
	if ((e = handle_scratch(h, factors + (size_t)n * count * sizeof(int), &room)))
		return e;
	struct blas_mat x = mat(a, lda), y = mat(c, ldc), lu = mat((void *)(uintptr_t)room, n);
	int *pivots = (int *)(uintptr_t)(room + factors);
	x.pointers = y.pointers = 1;
	lu.batch = (long long)n * n;
	struct blas_plane copy = {.m = n, .n = n, .count = count, .alpha.re = 1, .a = x, .c = lu};
	struct blas_plane p = {.n = n, .count = count, .pivots = (uintptr_t)pivots, .info = (uintptr_t)info, .a = lu};
	e = launch(GEAM, t, (n * n + THREADS - 1) / THREADS, count, h->stream, &copy);
	e = e ? e : launch(GETRF, t, count, 1, h->stream, &p);
	return e ? e : inverse(h, t, n, lu, y, pivots, info, count);
}

#define OF_TYPE(letter, t)                                                                                                          \
	API(cublas##letter##getrfBatched, (struct handle * h, int n, void *const *a, int lda, int *pivots, int *info, int count),   \
	    getrf(h, t, n, a, lda, pivots, info, count))                                                                            \
	API(cublas##letter##getrsBatched,                                                                                           \
	    (struct handle * h, int op, int n, int nrhs, const void *const *a, int lda, const int *pivots, void *const *b, int ldb, int *info, \
	     int count),                                                                                                            \
	    getrs(h, t, op, n, nrhs, a, lda, pivots, b, ldb, info, count))                                                          \
	API(cublas##letter##getriBatched,                                                                                           \
	    (struct handle * h, int n, const void *const *a, int lda, const int *pivots, void *const *c, int ldc, int *info, int count), \
	    getri(h, t, n, a, lda, pivots, c, ldc, info, count))                                                                    \
	API(cublas##letter##matinvBatched,                                                                                          \
	    (struct handle * h, int n, const void *const *a, int lda, void *const *c, int ldc, int *info, int count),               \
	    matinv(h, t, n, a, lda, c, ldc, info, count))
OF_TYPE(S, S)
OF_TYPE(D, D)
OF_TYPE(C, C)
OF_TYPE(Z, Z)
