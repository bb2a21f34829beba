// Products and sums of symmetric, Hermitian, triangular and diagonal matrices, triangular systems, packed triangles.
#include "blas/blas.h"

static bool triangle_ok(int uplo)
{
	return uplo == LOWER || uplo == UPPER;
}

static struct blas_mat formed(const void *at, int64_t ld, int form, int uplo)
{
	struct blas_mat m = mat(at, ld);
	m.form = form;
	m.lower = uplo == LOWER;
	return m;
}

// c = alpha a b + beta c, or b a: a is symmetric or Hermitian.
static status symm(struct handle *h, enum type t, int form, int side, int uplo, int64_t m, int64_t n, const void *alpha, const void *a,
                   int64_t lda, const void *b, int64_t ldb, const void *beta, void *c, int64_t ldc)
{
	struct blas_gemm g = {.m = m, .n = n, .k = side == SIDE_LEFT ? m : n, .count = 1};
	status e = enter(h);
	if (e)
		return e;
	if (m < 0 || n < 0 || (side | 1) != 1 || !triangle_ok(uplo) || lda < at_least_one(g.k) || ldb < at_least_one(m) || ldc < at_least_one(m))
		return INVALID_VALUE;
	if (!m || !n)
		return OK;
	if (!take_scalar(&g.alpha, alpha, scale_of(t), h->pointer_mode) || !take_scalar(&g.beta, beta, scale_of(t), h->pointer_mode) || !c)
		return INVALID_VALUE;
	struct blas_mat first = formed(a, lda, form, uplo), second = mat(b, ldb);
	g.a = side == SIDE_LEFT ? first : second;
	g.b = side == SIDE_LEFT ? second : first;
	g.c = g.d = mat(c, ldc);
	return product(h, h->stream, t, &g);
}

enum rank { RANK_K, RANK_KX, RANK_2K }; // a a', a b', a b' + b a'

// A triangle of c = alpha op(a) op(b)' + beta c; ' is the transpose or, of `hermitian`, the adjoint.
static status syrk(struct handle *h, enum type t, enum rank rank, bool hermitian, int uplo, int op, int64_t n, int64_t k, const void *alpha,
                   const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta, void *c, int64_t ldc)
{
	struct blas_gemm g = {.m = n, .n = n, .k = k, .count = 1, .triangle = uplo == LOWER ? 1 : 2, .real_diagonal = hermitian};
	status e = enter(h);
	if (e)
		return e;
	bool complex = t == C || t == Z;
	int64_t rows = op == OP_N ? n : k;
	if (n < 0 || k < 0 || !triangle_ok(uplo) || !op_ok(op) || lda < at_least_one(rows) || ldb < at_least_one(rows) || ldc < at_least_one(n))
		return INVALID_VALUE;
	if (complex && op == (hermitian ? OP_T : OP_C))
		return INVALID_VALUE;
	if (!n)
		return OK;
	bool real_alpha = hermitian && rank == RANK_K;
	if (!(real_alpha ? take_real(&g.alpha, alpha, t, h->pointer_mode) : take_scalar(&g.alpha, alpha, scale_of(t), h->pointer_mode)) ||
	    !(hermitian ? take_real(&g.beta, beta, t, h->pointer_mode) : take_scalar(&g.beta, beta, scale_of(t), h->pointer_mode)) || !c)
		return INVALID_VALUE;
	int turn = hermitian ? OP_C : OP_T;
	struct blas_mat u = turned(mat(a, lda), op), v = turned(mat(b, ldb), op);
	g.a = u;
	g.b = turned(v, turn);
	g.c = g.d = mat(c, ldc);
	e = product(h, h->stream, t, &g);
	if (e || rank != RANK_2K)
		return e;
	g.a = v;
	g.b = turned(u, turn);
	g.alpha.conj = hermitian;
	g.beta = (struct blas_scalar){.re = 1};
	return product(h, h->stream, t, &g);
}

// A copy of the m by n matrix at `from`, of columns without gaps.
static status copy_of(struct handle *h, enum type t, int64_t m, int64_t n, const void *from, int64_t ld, struct blas_mat *out)
{
	CUdeviceptr room;
	status e = handle_scratch(h, (size_t)m * n * type_size(t), &room);
	if (e)
		return e;
	struct blas_plane p = {.m = m, .n = n, .count = 1, .alpha.re = 1, .a = mat(from, ld), .c = mat((void *)(uintptr_t)room, m)};
	*out = p.c;
	return launch(GEAM, t, (m * n + THREADS - 1) / THREADS, 1, h->stream, &p);
}

// c = alpha op(a) b, or b op(a), with a triangular; c may be b.
static status trmm(struct handle *h, enum type t, int side, int uplo, int op, int diag, int64_t m, int64_t n, const void *alpha, const void *a,
                   int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc)
{
	struct blas_gemm g = {.m = m, .n = n, .k = side == SIDE_LEFT ? m : n, .count = 1};
	status e = enter(h);
	if (e)
		return e;
	if (m < 0 || n < 0 || (side | 1) != 1 || !triangle_ok(uplo) || !op_ok(op) || (diag | 1) != 1 || lda < at_least_one(g.k) ||
	    ldb < at_least_one(m) || ldc < at_least_one(m))
		return INVALID_VALUE;
	if (!m || !n)
		return OK;
	if (!take_scalar(&g.alpha, alpha, scale_of(t), h->pointer_mode) || !c)
		return INVALID_VALUE;
	struct blas_mat first = turned(formed(a, lda, diag ? FORM_UNIT : FORM_TRIANGLE, uplo), op), second = mat(b, ldb);
	if (b == c && (e = copy_of(h, t, m, n, b, ldb, &second)))
		return e;
	g.a = side == SIDE_LEFT ? first : second;
	g.b = side == SIDE_LEFT ? second : first;
	g.d = mat(c, ldc);
	return product(h, h->stream, t, &g);
}

static status trsm(struct handle *h, enum type t, int side, int uplo, int op, int diag, int64_t m, int64_t n, const void *alpha, const void *a,
                   int64_t lda, void *b, int64_t ldb, int64_t count, bool pointers)
{
	struct blas_solve s = {.m = side == SIDE_LEFT ? m : n, .nrhs = side == SIDE_LEFT ? n : m, .count = count};
	status e = enter(h);
	if (e)
		return e;
	if (m < 0 || n < 0 || (side | 1) != 1 || !triangle_ok(uplo) || !op_ok(op) || (diag | 1) != 1 || lda < at_least_one(s.m) ||
	    ldb < at_least_one(m) || count < 0)
		return INVALID_VALUE;
	if (!m || !n || !count)
		return OK;
	if (!take_scalar(&s.alpha, alpha, scale_of(t), h->pointer_mode))
		return INVALID_VALUE;
	s.a = turned(formed(a, lda, diag ? FORM_UNIT : FORM_TRIANGLE, uplo), op);
	s.b = mat(b, ldb);
	// X op(A) = B is the transpose of op(A)' X' = B'.
	if (side == SIDE_RIGHT) {
		s.a = turned(s.a, OP_T);
		s.b = turned(s.b, OP_T);
	}
	s.a.pointers = s.b.pointers = pointers;
	return launch(SOLVE, t, s.nrhs, count, h->stream, &s);
}

static status geam(struct handle *h, enum type t, int op_a, int op_b, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda,
                   const void *beta, const void *b, int64_t ldb, void *c, int64_t ldc)
{
	struct blas_plane p = {.m = m, .n = n, .count = 1};
	status e = enter(h);
	if (e)
		return e;
	if (m < 0 || n < 0 || !op_ok(op_a) || !op_ok(op_b) || lda < at_least_one(op_a == OP_N ? m : n) ||
	    ldb < at_least_one(op_b == OP_N ? m : n) || ldc < at_least_one(m))
		return INVALID_VALUE;
	// In place works where each element of c comes from the same place.
	if ((a == c && (op_a != OP_N || lda != ldc)) || (b == c && (op_b != OP_N || ldb != ldc)))
		return INVALID_VALUE;
	if (!m || !n)
		return OK;
	if (!take_scalar(&p.alpha, alpha, scale_of(t), h->pointer_mode) || !take_scalar(&p.beta, beta, scale_of(t), h->pointer_mode) || !c)
		return INVALID_VALUE;
	p.a = turned(mat(a, lda), op_a);
	p.b = turned(mat(b, ldb), op_b);
	p.c = mat(c, ldc);
	return launch(GEAM, t, (m * n + THREADS - 1) / THREADS, 1, h->stream, &p);
}

static status dgmm(struct handle *h, enum type t, int side, int64_t m, int64_t n, const void *a, int64_t lda, const void *x, int64_t incx, void *c,
                   int64_t ldc)
{
	struct blas_plane p = {.m = m, .n = n, .count = 1, .by_rows = side == SIDE_LEFT, .a = mat(a, lda), .c = mat(c, ldc)};
	status e = enter(h);
	if (e)
		return e;
	if (m < 0 || n < 0 || (side | 1) != 1 || lda < at_least_one(m) || ldc < at_least_one(m))
		return INVALID_VALUE;
	p.b = column(x, side == SIDE_LEFT ? m : n, incx, type_size(t));
	return m && n ? launch(DGMM, t, (m * n + THREADS - 1) / THREADS, 1, h->stream, &p) : OK;
}

static status packed(struct handle *h, enum type t, bool pack, int uplo, int64_t n, const void *pack_at, const void *whole, int64_t ld)
{
	struct blas_plane p = {.n = n, .count = 1, .a = formed(pack_at, 1, FORM_GENERAL, uplo), .b = mat(whole, ld), .backward = pack};
	status e = enter(h);
	if (e)
		return e;
	if (n < 0 || !triangle_ok(uplo) || ld < at_least_one(n))
		return INVALID_VALUE;
	return launch(PACKED, t, (n * n + THREADS - 1) / THREADS, 1, h->stream, &p);
}

#define INT int
#define NAME(name) name
#include "blas/matrix_names.h"
#define PACKED_FORMS(letter, t)                                                                                                      \
	API(cublas##letter##tpttr, (struct handle * h, int uplo, int n, const void *pack, void *a, int lda),                         \
	    packed(h, t, false, uplo, n, pack, a, lda))                                                                              \
	API(cublas##letter##trttp, (struct handle * h, int uplo, int n, const void *a, int lda, void *pack),                         \
	    packed(h, t, true, uplo, n, pack, a, lda))
PACKED_FORMS(S, S)
PACKED_FORMS(D, D)
PACKED_FORMS(C, C)
PACKED_FORMS(Z, Z)
#undef INT
#undef NAME
#define INT int64_t
#define NAME(name) name##_64
#include "blas/matrix_names.h"
