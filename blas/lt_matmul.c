// cuBLASLt's products with epilogues, and sums of matrices. There is one algorithm, which needs no work memory.
#include "blas/lt.h"

#include <string.h>

// A description that can be done, as kernels take it.
struct plan {
	enum type t;
	enum type beside; // of the kernels that work on the result
	struct blas_gemm g;
	uint32_t lt;
};

static bool plain(const struct lt_layout *l)
{
	return l->order == ORDER_COL || l->order == ORDER_ROW;
}

static struct blas_mat laid_out(const struct lt_layout *l, const void *at, bool batched)
{
	struct blas_mat m = mat(at, l->ld);
	if (l->order == ORDER_ROW) {
		m.rs = l->ld;
		m.cs = 1;
	}
	m.batch = batched ? l->batch : 0;
	m.e5m2 = l->type == R_8F_E5M2;
	return m;
}

static bool ld_ok(const struct lt_layout *l)
{
	return l->ld >= at_least_one((int64_t)(l->order == ORDER_ROW ? l->cols : l->rows));
}

static bool of_result(int type, int result)
{
	return type == -1 || type == result;
}

// What of an epilogue happens in the product itself.
static int in_product(uint32_t lt)
{
	return (lt & LT_BIAS ? EPILOGUE_BIAS : 0) | (lt & LT_RELU ? EPILOGUE_RELU : 0) | (lt & LT_GELU ? EPILOGUE_GELU : 0) |
	       (lt & LT_DRELU ? EPILOGUE_DRELU : 0) | (lt & LT_DGELU ? EPILOGUE_DGELU : 0) |
	       (lt & LT_GELU && lt & LT_AUX ? EPILOGUE_AUX_OUT : 0);
}

static status plan_epilogue(struct plan *p, const struct lt_matmul *d, int result, bool row_major)
{
	p->lt = d->epilogue & ~(uint32_t)LT_DEFAULT;
	bool real = result == R_32F || result == R_64F || result == R_16F || result == R_16BF;
	bool adds_up = p->lt & (LT_BGRAD | LT_BGRADA | LT_BGRADB);
	if (!p->lt)
		return OK;
	// BGRADA and BGRADB sum up factors, in whose format the result is then.
	if (!real || row_major || p->t == I || p->t == IS || (adds_up && (p->t == HS || p->t == BS || p->t >= QS)) || !of_result(d->aux_type, result) ||
	    !of_result(d->bias_type, result))
		return NOT_SUPPORTED;
	if ((p->lt & LT_AUX && !d->aux_ld) || (p->lt & (LT_RELU | LT_DRELU) && p->lt & LT_AUX && d->aux_ld % 8))
		return INVALID_VALUE;
	p->beside = result == R_32F ? S : result == R_64F ? D : result == R_16F ? H : B;
	p->g.epilogue = in_product(p->lt);
	p->g.bias = d->bias;
	p->g.bias_batch = d->bias_batch;
	p->g.aux = d->aux;
	p->g.aux_ld = d->aux_ld;
	p->g.aux_batch = d->aux_batch;
	return OK;
}

static status plan(struct plan *p, const struct lt_matmul *d, const struct lt_layout *a, const struct lt_layout *b, const struct lt_layout *c,
                   const struct lt_layout *r)
{
	memset(p, 0, sizeof *p);
	if (!d || !a || !b || !c || !r)
		return INVALID_VALUE;
	if (!op_ok(d->trans_a) || !op_ok(d->trans_b) || a->count < 1 || b->count != a->count || c->count != a->count || r->count != a->count)
		return INVALID_VALUE;
	struct blas_gemm *g = &p->g;
	g->m = (long long)r->rows;
	g->n = (long long)r->cols;
	g->k = (long long)(d->trans_a == OP_N ? a->cols : a->rows);
	uint64_t a_rows = d->trans_a == OP_N ? a->rows : a->cols, b_rows = d->trans_b == OP_N ? b->rows : b->cols,
	         b_cols = d->trans_b == OP_N ? b->cols : b->rows;
	if (a_rows != r->rows || b_cols != r->cols || b_rows != (uint64_t)g->k || c->rows != r->rows || c->cols != r->cols)
		return INVALID_VALUE;
	// Factors of 8-bit floats have one f32 each, or both one for each row of the result and one for each column; of results none are
	// 8-bit floats.
	bool quarters = is_quarter(a->type), each = quarters && d->modes[0] == SCALES_OUTER && d->modes[1] == SCALES_OUTER && a->count == 1;
	bool scaled = d->scale_of[2] || d->scale_of[3] || d->amax;
	for (int i = each ? 2 : 0; i < 5; i++)
		scaled |= d->modes[i] != SCALES_ONE;
	scaled |= !quarters && (d->scale_of[0] || d->scale_of[1]);
	if (!plain(a) || !plain(b) || !plain(c) || !plain(r) || scaled || d->fill != FULL || d->trans_c != OP_N || d->pointer_mode < 0 ||
	    d->pointer_mode > POINTERS_DEVICE || c->type != r->type || !product_type(&p->t, a->type, b->type, r->type, d->compute) ||
	    d->scale != product_scale(d->compute, r->type))
		return NOT_SUPPORTED;
	if (!ld_ok(a) || !ld_ok(b) || !ld_ok(c) || !ld_ok(r))
		return INVALID_VALUE;
	g->count = a->count;
	bool many = a->count > 1;
	g->a = turned(laid_out(a, NULL, many), d->trans_a);
	g->b = turned(laid_out(b, NULL, many), d->trans_b);
	g->a.factor = d->scale_of[0];
	g->b.factor = d->scale_of[1];
	g->a.factor_each = g->b.factor_each = each;
	g->c = laid_out(c, NULL, many);
	g->d = laid_out(r, NULL, many);
	return plan_epilogue(p, d, r->type, r->order == ORDER_ROW);
}

static status row_sums(const struct plan *p, struct blas_mat of, long long rows, long long columns, CUstream stream)
{
	struct blas_plane s = {.m = rows, .n = columns, .count = p->g.count, .a = of};
	s.b.at = p->g.bias;
	s.b.batch = p->g.bias_batch;
	return launch(ROW_SUMS, p->beside, rows, s.count, stream, &s);
}

static status after(const struct plan *p, CUstream stream)
{
	const struct blas_gemm *g = &p->g;
	status e = OK;
	if (p->lt & LT_RELU && p->lt & LT_AUX) {
		struct blas_plane m = {.m = g->m, .n = g->n, .count = g->count, .b = g->d};
		m.a.at = g->aux;
		m.a.cs = g->aux_ld;
		m.a.batch = g->aux_batch;
		e = launch(RELU_MASK, p->beside, ((g->m + 7) / 8 * g->n + THREADS - 1) / THREADS, g->count, stream, &m);
	}
	if (!e && p->lt & LT_BGRAD)
		e = row_sums(p, g->d, g->m, g->n, stream);
	if (!e && p->lt & LT_BGRADA)
		e = row_sums(p, g->a, g->m, g->k, stream);
	if (!e && p->lt & LT_BGRADB)
		e = row_sums(p, turned(g->b, OP_T), g->n, g->k, stream);
	return e;
}

static status matmul(struct handle *h, const struct lt_matmul *d, const void *alpha, const void *a, const struct lt_layout *la, const void *b,
                     const struct lt_layout *lb, const void *beta, const void *c, const struct lt_layout *lc, void *r,
                     const struct lt_layout *lr, CUstream stream)
{
	struct plan p;
	status e = enter(h);
	if (e)
		return e;
	if ((e = plan(&p, d, la, lb, lc, lr)))
		return e;
	struct blas_gemm *g = &p.g;
	if (!g->m || !g->n)
		return OK;
	if (!take_scalar(&g->alpha, alpha, d->scale, d->pointer_mode) || !take_scalar(&g->beta, beta, d->scale, d->pointer_mode))
		return INVALID_VALUE;
	if (!r || (g->k && (!a || !b)) || (!c && !scalar_is(&g->beta, 0)) || (p.lt & (LT_BIAS | LT_BGRAD | LT_BGRADA | LT_BGRADB) && !g->bias) ||
	    (p.lt & LT_AUX && !g->aux))
		return INVALID_VALUE;
	g->a.at = (uintptr_t)a;
	g->b.at = (uintptr_t)b;
	g->c.at = (uintptr_t)c;
	g->d.at = (uintptr_t)r;
	e = product(h, stream, p.t, g);
	return e ? e : after(&p, stream);
}

API(cublasLtMatmul,
    (struct handle *h, const struct lt_matmul *d, const void *alpha, const void *a, const struct lt_layout *la, const void *b,
     const struct lt_layout *lb, const void *beta, const void *c, const struct lt_layout *lc, void *r, const struct lt_layout *lr,
     const struct lt_algorithm *algorithm, void *workspace, size_t size, CUstream stream),
    matmul(h, d, alpha, a, la, b, lb, beta, c, lc, r, lr, stream))

// --- algorithms

// The number of the one algorithm.
enum { ALGORITHM = 0 };

static status check(struct handle *h, const struct lt_matmul *d, const struct lt_layout *a, const struct lt_layout *b,
                    const struct lt_layout *c, const struct lt_layout *r, struct lt_result *out)
{
	struct plan p;
	if (!handle_ok(h))
		return NOT_INITIALIZED;
	if (!out)
		return INVALID_VALUE;
	status e = plan(&p, d, a, b, c, r);
	*out = (struct lt_result){.state = e, .waves = 1};
	return e;
}

static status heuristic(struct handle *h, const struct lt_matmul *d, const struct lt_layout *a, const struct lt_layout *b,
                        const struct lt_layout *c, const struct lt_layout *r, int wanted, struct lt_result *out, int *found)
{
	if (handle_ok(h) && (wanted < 1 || !found))
		return INVALID_VALUE;
	status e = check(h, d, a, b, c, r, out);
	if (found && handle_ok(h))
		*found = e == OK;
	return e;
}

API(cublasLtMatmulAlgoGetHeuristic,
    (struct handle *h, const struct lt_matmul *d, const struct lt_layout *a, const struct lt_layout *b, const struct lt_layout *c,
     const struct lt_layout *r, const struct lt_preference *preference, int wanted, struct lt_result *out, int *found),
    heuristic(h, d, a, b, c, r, wanted, out, found))
API(cublasLtMatmulAlgoCheck,
    (struct handle *h, const struct lt_matmul *d, const struct lt_layout *a, const struct lt_layout *b, const struct lt_layout *c,
     const struct lt_layout *r, const struct lt_algorithm *algorithm, struct lt_result *out),
    !algorithm ? INVALID_VALUE : check(h, d, a, b, c, r, out))

static status ids(struct handle *h, int compute, int a, int b, int r, int wanted, int *out, int *found)
{
	enum type t;
	if (!handle_ok(h))
		return NOT_INITIALIZED;
	if (wanted < 1 || !out || !found)
		return INVALID_VALUE;
	*found = product_type(&t, a, b, r, compute);
	if (!*found)
		return NOT_SUPPORTED;
	*out = ALGORITHM;
	return OK;
}
API(cublasLtMatmulAlgoGetIds, (struct handle *h, int compute, int scale, int a, int b, int c, int r, int wanted, int *out, int *found),
    ids(h, compute, a, b, r, wanted, out, found))

static status algorithm_init(struct handle *h, int compute, int a, int b, int r, int number, struct lt_algorithm *out)
{
	enum type t;
	if (!handle_ok(h))
		return NOT_INITIALIZED;
	if (!out || number != ALGORITHM)
		return INVALID_VALUE;
	*out = (struct lt_algorithm){{0}};
	return product_type(&t, a, b, r, compute) ? OK : NOT_SUPPORTED;
}
API(cublasLtMatmulAlgoInit, (struct handle *h, int compute, int scale, int a, int b, int c, int r, int number, struct lt_algorithm *out),
    algorithm_init(h, compute, a, b, r, number, out))

// The attributes of an algorithm's configuration have 32 bits, but for the last two, of 16. All are 0, and nothing else can be set.
enum { CONFIG_ATTRIBUTES = 9, WIDE_CONFIG_ATTRIBUTES = 7 };
static size_t config_size(int number)
{
	return number < 0 || number >= CONFIG_ATTRIBUTES ? 0 : number < WIDE_CONFIG_ATTRIBUTES ? 4 : 2;
}
static status config_get(const struct lt_algorithm *a, int number, void *to, size_t size, size_t *written)
{
	size_t n = config_size(number);
	if (!a || !n || (!size && !written) || (size && (!to || size < n)))
		return INVALID_VALUE;
	if (size)
		memset(to, 0, n);
	if (written)
		*written = n;
	return OK;
}
static status config_set(struct lt_algorithm *a, int number, const void *from, size_t size)
{
	static const char zero[4];
	size_t n = config_size(number);
	if (!a || !n || !from || size < n)
		return INVALID_VALUE;
	return memcmp(from, zero, n) ? NOT_SUPPORTED : OK;
}
API(cublasLtMatmulAlgoConfigGetAttribute, (const struct lt_algorithm *a, int number, void *to, size_t size, size_t *written),
    config_get(a, number, to, size, written))
API(cublasLtMatmulAlgoConfigSetAttribute, (struct lt_algorithm *a, int number, const void *from, size_t size), config_set(a, number, from, size))

// --- sums of matrices

static status transform(struct handle *h, const struct lt_transform *d, const void *alpha, const void *a, const struct lt_layout *la,
                        const void *beta, const void *b, const struct lt_layout *lb, void *c, const struct lt_layout *lc, CUstream stream)
{
	struct blas_plane p = {0};
	enum type t;
	status e = enter(h);
	if (e)
		return e;
	if (!d || !la || !lc || (!lb && b) || !c || !a || !op_ok(d->trans_a) || !op_ok(d->trans_b))
		return INVALID_VALUE;
	switch (lc->type) {
	case R_32F: t = S; break;
	case R_64F: t = D; break;
	case C_32F: t = C; break;
	case C_64F: t = Z; break;
	default: return NOT_SUPPORTED;
	}
	if (la->type != lc->type || (lb && lb->type != lc->type) || d->scale != lc->type || !plain(la) || !plain(lc) || (lb && !plain(lb)))
		return NOT_SUPPORTED;
	if ((d->trans_a == OP_N ? la->rows : la->cols) != lc->rows || (d->trans_a == OP_N ? la->cols : la->rows) != lc->cols || !ld_ok(la) ||
	    !ld_ok(lc) || la->count != lc->count)
		return INVALID_VALUE;
	if (!take_scalar(&p.alpha, alpha, d->scale, d->pointer_mode) || (b && !take_scalar(&p.beta, beta, d->scale, d->pointer_mode)))
		return INVALID_VALUE;
	p.m = (long long)lc->rows;
	p.n = (long long)lc->cols;
	p.count = lc->count;
	p.a = turned(laid_out(la, a, true), d->trans_a);
	if (b)
		p.b = turned(laid_out(lb, b, true), d->trans_b);
	p.c = laid_out(lc, c, true);
	return launch(GEAM, t, (p.m * p.n + THREADS - 1) / THREADS, p.count, stream, &p);
}
API(cublasLtMatrixTransform,
    (struct handle *h, const struct lt_transform *d, const void *alpha, const void *a, const struct lt_layout *la, const void *beta,
     const void *b, const struct lt_layout *lb, void *c, const struct lt_layout *lc, CUstream stream),
    transform(h, d, alpha, a, la, beta, b, lb, c, lc, stream))
