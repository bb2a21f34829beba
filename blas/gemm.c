// Matrix products of whole matrices: one, many by arrays of pointers, many at even distances; by type and by cudaDataType.
#include "blas/blas.h"

// Where the matrices of a batch are.
struct batch {
	int64_t count;
	bool pointers;     // the matrices are arrays of addresses
	int64_t a, b, c;   // or elements from one matrix to the next
};
#define ONE ((struct batch){.count = 1})
#define POINTERS(n) ((struct batch){.count = n, .pointers = true})
#define STRIDES(n, sa, sb, sc) ((struct batch){n, false, sa, sb, sc})

struct shape {
	int op_a, op_b;
	int64_t m, n, k;
};
#define SHAPE ((struct shape){op_a, op_b, m, n, k})

static struct blas_mat batched(const void *at, int64_t ld, struct batch w, int64_t stride)
{
	struct blas_mat m = mat(at, ld);
	m.pointers = w.pointers;
	m.batch = stride;
	return m;
}

static status gemm(struct handle *h, enum type t, int scale, struct shape s, const void *alpha, const void *a, int64_t lda, const void *b,
                   int64_t ldb, const void *beta, void *c, int64_t ldc, struct batch w)
{
	struct blas_gemm g = {.m = s.m, .n = s.n, .k = s.k, .count = w.count};
	status e = enter(h);
	if (e)
		return e;
	if (!op_ok(s.op_a) || !op_ok(s.op_b) || s.m < 0 || s.n < 0 || s.k < 0 || w.count < 0)
		return INVALID_VALUE;
	if (lda < at_least_one(s.op_a == OP_N ? s.m : s.k) || ldb < at_least_one(s.op_b == OP_N ? s.k : s.n) || ldc < at_least_one(s.m))
		return INVALID_VALUE;
	if (!s.m || !s.n || !w.count)
		return OK;
	if (!take_scalar(&g.alpha, alpha, scale, h->pointer_mode) || !take_scalar(&g.beta, beta, scale, h->pointer_mode) || !c)
		return INVALID_VALUE;
	if ((!a || !b) && s.k && !scalar_is(&g.alpha, 0))
		return INVALID_VALUE;
	g.a = turned(batched(a, lda, w, w.a), s.op_a);
	g.b = turned(batched(b, ldb, w, w.b), s.op_b);
	g.c = g.d = batched(c, ldc, w, w.c);
	return product(h, h->stream, t, &g);
}

struct types {
	int a, b, c, compute;
};

static status gemm_ex(struct handle *h, struct types y, struct shape s, const void *alpha, const void *a, int64_t lda, const void *b,
                      int64_t ldb, const void *beta, void *c, int64_t ldc, struct batch w)
{
	enum type t;
	if (!handle_ok(h))
		return NOT_INITIALIZED;
	if (is_quarter(y.a) || !product_type(&t, y.a, y.b, y.c, y.compute)) // cuBLASLt alone has 8-bit floats
		return NOT_SUPPORTED;
	return gemm(h, t, product_scale(y.compute, y.c), s, alpha, a, lda, b, ldb, beta, c, ldc, w);
}

// GemmEx before CUDA 11 and CgemmEx: the number format of the sums follows from that of the result.
static status gemm_of(struct handle *h, bool complex, int a_type, int b_type, int c_type, struct shape s, const void *alpha, const void *a,
                      int64_t lda, const void *b, int64_t ldb, const void *beta, void *c, int64_t ldc)
{
	if (complex != (c_type == C_32F))
		return handle_ok(h) ? NOT_SUPPORTED : NOT_INITIALIZED;
	return gemm_ex(h, (struct types){a_type, b_type, c_type, COMPUTE_32F}, s, alpha, a, lda, b, ldb, beta, c, ldc, ONE);
}

// Groups: in each all products have the same shape; the arrays of addresses of all groups follow one another.
static status grouped(struct handle *h, enum type t, int scale, int size, int64_t groups, const int *op_a, const int *op_b, const void *m,
                      const void *n, const void *k, const void *alpha, const void *const *a, const void *lda, const void *const *b,
                      const void *ldb, const void *beta, void *const *c, const void *ldc, const void *counts, bool wide)
{
#define AT(array, i) (wide ? ((const int64_t *)(array))[i] : ((const int *)(array))[i])
	status e = enter(h);
	if (e)
		return e;
	if (groups < 0 || (groups && (!op_a || !op_b || !m || !n || !k || !alpha || !a || !lda || !b || !ldb || !beta || !c || !ldc || !counts)))
		return INVALID_VALUE;
	if (h->pointer_mode != POINTERS_HOST)
		return NOT_SUPPORTED;
	int64_t first = 0;
	for (int64_t i = 0; i < groups && !e; i++) {
		struct shape s = {op_a[i], op_b[i], AT(m, i), AT(n, i), AT(k, i)};
		e = gemm(h, t, scale, s, (const char *)alpha + i * size, a + first, AT(lda, i), b + first, AT(ldb, i),
		         (const char *)beta + i * size, (void *)(c + first), AT(ldc, i), POINTERS(AT(counts, i)));
		first += AT(counts, i);
	}
	return e;
#undef AT
}

static status grouped_ex(struct handle *h, struct types y, int64_t groups, const int *op_a, const int *op_b, const void *m, const void *n,
                         const void *k, const void *alpha, const void *const *a, const void *lda, const void *const *b, const void *ldb,
                         const void *beta, void *const *c, const void *ldc, const void *counts, bool wide)
{
	enum type t;
	if (!handle_ok(h))
		return NOT_INITIALIZED;
	if (is_quarter(y.a) || !product_type(&t, y.a, y.b, y.c, y.compute)) // cuBLASLt alone has 8-bit floats
		return NOT_SUPPORTED;
	int scale = product_scale(y.compute, y.c);
	return grouped(h, t, scale, scale == R_16F ? 2 : scale == R_64F || scale == C_32F ? 8 : scale == C_64F ? 16 : 4, groups, op_a, op_b,
	               m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, counts, wide);
}

#define INT int
#define WIDE false
#define NAME(name) name
#include "blas/gemm_names.h"
#undef INT
#undef WIDE
#undef NAME
#define INT int64_t
#define WIDE true
#define NAME(name) name##_64
#include "blas/gemm_names.h"
