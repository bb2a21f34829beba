// The one product that all others are made of.
#include "blas/blas.h"

// Above this many elements a result is made of large tiles: below, tiles of 64 by 64 would leave most of a GPU idle.
enum { LARGE_FROM = 64 * 64, SMALL_SIDE = 16, LARGE_SIDE = 64 };

static long long tiles(long long m, long long n, int side)
{
	return (m + side - 1) / side * ((n + side - 1) / side);
}

status product(struct handle *h, CUstream stream, enum type t, struct blas_gemm *g)
{
	if (!g->m || !g->n || !g->count)
		return OK;
	if (g->a.form || g->b.form || g->triangle || g->real_diagonal)
		return launch(GEMM_FORMS, t, tiles(g->m, g->n, SMALL_SIDE), g->count, stream, g);
	bool large = g->m >= 32 && g->n >= 32 && g->m * g->n >= LARGE_FROM;
	return launch(large ? GEMM_LARGE : GEMM_SMALL, t, tiles(g->m, g->n, large ? LARGE_SIDE : SMALL_SIDE), g->count, stream, g);
}

bool product_type(enum type *t, int a, int b, int c, int compute)
{
	bool f32 = compute == COMPUTE_32F || compute == COMPUTE_32F_PEDANTIC ||
	           (compute >= COMPUTE_32F_FAST_16F && compute <= COMPUTE_32F_EMULATED);
	bool f64 = compute == COMPUTE_64F || compute == COMPUTE_64F_PEDANTIC || compute == COMPUTE_64F_EMULATED;
	bool f16 = compute == COMPUTE_16F || compute == COMPUTE_16F_PEDANTIC;
	bool i32 = compute == COMPUTE_32I || compute == COMPUTE_32I_PEDANTIC;
	static const struct {
		int ab, c;
		enum type t;
		char how; // f, d, i, or h: which of the above
	} rows[] = {
		{R_32F, R_32F, S, 'f'},  {C_32F, C_32F, C, 'f'},  {R_64F, R_64F, D, 'd'},   {C_64F, C_64F, Z, 'd'},   {R_16F, R_16F, H, 'f'},
		{R_16F, R_16F, H, 'h'},  {R_16F, R_32F, HS, 'f'}, {R_16BF, R_16BF, B, 'f'}, {R_16BF, R_32F, BS, 'f'}, {R_8I, R_32I, I, 'i'},
		{R_8I, R_32F, IS, 'f'},
	};
	if (is_quarter(a) && is_quarter(b)) {
		*t = c == R_32F ? QS : c == R_16F ? QH : QB;
		// Two factors of 5 bits of exponent are what cuBLAS has not either.
		return f32 && (c == R_32F || c == R_16F || c == R_16BF) && !(a == R_8F_E5M2 && b == R_8F_E5M2);
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char how = rows[i].how;
		if (a == b && rows[i].ab == a && rows[i].c == c &&
		    ((how == 'f' && f32) || (how == 'd' && f64) || (how == 'i' && i32) || (how == 'h' && f16))) {
			*t = rows[i].t;
			return true;
		}
	}
	return false;
}

int product_scale(int compute, int c)
{
	if (compute == COMPUTE_16F || compute == COMPUTE_16F_PEDANTIC)
		return R_16F;
	if (compute == COMPUTE_32I || compute == COMPUTE_32I_PEDANTIC)
		return R_32I;
	if (compute == COMPUTE_64F || compute == COMPUTE_64F_PEDANTIC || compute == COMPUTE_64F_EMULATED)
		return c == C_64F ? C_64F : R_64F;
	return c == C_32F ? C_32F : R_32F;
}
