// The exported names of functions of matrices and vectors, once with 32-bit sizes and once with 64-bit ones (INT, NAME).
#define X const void *x, INT incx
#define Y const void *y, INT incy
#define A const void *a, INT lda
#define GEMV(letter, t, scale)                                                                                                     \
	API(NAME(cublas##letter##gemvBatched),                                                                                   \
	    (struct handle * h, int op, INT m, INT n, const void *alpha, const void *const *a, INT lda, const void *const *x, INT incx,  \
	     const void *beta, void *const *y, INT incy, INT count),                                                                     \
	    gemv(h, t, scale, op, m, n, alpha, a, lda, x, incx, beta, (void *)y, incy, (struct batch){.count = count, .pointers = true})) \
	API(NAME(cublas##letter##gemvStridedBatched),                                                                            \
	    (struct handle * h, int op, INT m, INT n, const void *alpha, const void *a, INT lda, long long stride_a, const void *x, INT incx, \
	     long long stride_x, const void *beta, void *y, INT incy, long long stride_y, INT count),                                    \
	    gemv(h, t, scale, op, m, n, alpha, a, lda, x, incx, beta, y, incy, (struct batch){count, false, stride_a, stride_x, stride_y}))
GEMV(S, S, R_32F)
GEMV(D, D, R_64F)
GEMV(C, C, C_32F)
GEMV(Z, Z, C_64F)
GEMV(HSH, H, R_32F)
GEMV(HSS, HS, R_32F)
GEMV(TST, B, R_32F)
GEMV(TSS, BS, R_32F)

#define OF_TYPE(letter, t)                                                                                                              \
	API(NAME(cublas##letter##gemv_v2), (struct handle * h, int op, INT m, INT n, const void *alpha, A, X, const void *beta, void *y, INT incy), \
	    gemv(h, t, scale_of(t), op, m, n, alpha, a, lda, x, incx, beta, y, incy, ONE))                                              \
	API(NAME(cublas##letter##symv_v2), (struct handle * h, int uplo, INT n, const void *alpha, A, X, const void *beta, void *y, INT incy), \
	    symv(h, t, FORM_SYMMETRIC, uplo, n, alpha, a, lda, x, incx, beta, y, incy))                                                 \
	API(NAME(cublas##letter##trmv_v2), (struct handle * h, int uplo, int op, int diag, INT n, A, void *x, INT incx),                \
	    trmv(h, t, uplo, op, diag, n, a, lda, x, incx))                                                                             \
	API(NAME(cublas##letter##trsv_v2), (struct handle * h, int uplo, int op, int diag, INT n, A, void *x, INT incx),                \
	    trsv(h, t, uplo, op, diag, n, a, lda, x, incx))                                                                             \
	API(NAME(cublas##letter##syr_v2), (struct handle * h, int uplo, INT n, const void *alpha, X, void *a, INT lda),                 \
	    syr(h, t, false, uplo, n, alpha, x, incx, NULL, 1, false, a, lda))                                                          \
	API(NAME(cublas##letter##syr2_v2), (struct handle * h, int uplo, INT n, const void *alpha, X, Y, void *a, INT lda),             \
	    syr(h, t, false, uplo, n, alpha, x, incx, y, incy, true, a, lda))
OF_TYPE(S, S)
OF_TYPE(D, D)
OF_TYPE(C, C)
OF_TYPE(Z, Z)

#define OF_COMPLEX(letter, t)                                                                                                           \
	API(NAME(cublas##letter##hemv_v2), (struct handle * h, int uplo, INT n, const void *alpha, A, X, const void *beta, void *y, INT incy), \
	    symv(h, t, FORM_HERMITIAN, uplo, n, alpha, a, lda, x, incx, beta, y, incy))                                                 \
	API(NAME(cublas##letter##her_v2), (struct handle * h, int uplo, INT n, const void *alpha, X, void *a, INT lda),                 \
	    syr(h, t, true, uplo, n, alpha, x, incx, NULL, 1, false, a, lda))                                                           \
	API(NAME(cublas##letter##her2_v2), (struct handle * h, int uplo, INT n, const void *alpha, X, Y, void *a, INT lda),             \
	    syr(h, t, true, uplo, n, alpha, x, incx, y, incy, true, a, lda))
OF_COMPLEX(C, C)
OF_COMPLEX(Z, Z)

#define GER(name, t, conj)                                                                                                \
	API(NAME(name), (struct handle * h, INT m, INT n, const void *alpha, X, Y, void *a, INT lda),                     \
	    ger(h, t, conj, m, n, alpha, x, incx, y, incy, a, lda))
GER(cublasSger_v2, S, false)
GER(cublasDger_v2, D, false)
GER(cublasCgeru_v2, C, false)
GER(cublasCgerc_v2, C, true)
GER(cublasZgeru_v2, Z, false)
GER(cublasZgerc_v2, Z, true)

#undef X
#undef Y
#undef A
#undef GEMV
#undef OF_TYPE
#undef OF_COMPLEX
#undef GER
