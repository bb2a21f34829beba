// The exported names of functions of matrices, once with 32-bit sizes and once with 64-bit ones (INT, NAME).
#define A const void *a, INT lda
#define B_IN const void *b, INT ldb
#define C_OUT const void *beta, void *c, INT ldc

#define SYMM(name, t, form)                                                                                                         \
	API(NAME(name), (struct handle * h, int side, int uplo, INT m, INT n, const void *alpha, A, B_IN, C_OUT),                   \
	    symm(h, t, form, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc))
SYMM(cublasSsymm_v2, S, FORM_SYMMETRIC)
SYMM(cublasDsymm_v2, D, FORM_SYMMETRIC)
SYMM(cublasCsymm_v2, C, FORM_SYMMETRIC)
SYMM(cublasZsymm_v2, Z, FORM_SYMMETRIC)
SYMM(cublasChemm_v2, C, FORM_HERMITIAN)
SYMM(cublasZhemm_v2, Z, FORM_HERMITIAN)

#define SYRK(name, t, hermitian)                                                                                  \
	API(NAME(name), (struct handle * h, int uplo, int op, INT n, INT k, const void *alpha, A, C_OUT),         \
	    syrk(h, t, RANK_K, hermitian, uplo, op, n, k, alpha, a, lda, a, lda, beta, c, ldc))
#define SYR2K(name, t, rank, hermitian)                                                                           \
	API(NAME(name), (struct handle * h, int uplo, int op, INT n, INT k, const void *alpha, A, B_IN, C_OUT),   \
	    syrk(h, t, rank, hermitian, uplo, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
SYRK(cublasSsyrk_v2, S, false)
SYRK(cublasDsyrk_v2, D, false)
SYRK(cublasCsyrk_v2, C, false)
SYRK(cublasZsyrk_v2, Z, false)
SYRK(cublasCherk_v2, C, true)
SYRK(cublasZherk_v2, Z, true)
SYR2K(cublasSsyr2k_v2, S, RANK_2K, false)
SYR2K(cublasDsyr2k_v2, D, RANK_2K, false)
SYR2K(cublasCsyr2k_v2, C, RANK_2K, false)
SYR2K(cublasZsyr2k_v2, Z, RANK_2K, false)
SYR2K(cublasCher2k_v2, C, RANK_2K, true)
SYR2K(cublasZher2k_v2, Z, RANK_2K, true)
SYR2K(cublasSsyrkx, S, RANK_KX, false)
SYR2K(cublasDsyrkx, D, RANK_KX, false)
SYR2K(cublasCsyrkx, C, RANK_KX, false)
SYR2K(cublasZsyrkx, Z, RANK_KX, false)
SYR2K(cublasCherkx, C, RANK_KX, true)
SYR2K(cublasZherkx, Z, RANK_KX, true)

#define TRIANGLE struct handle *h, int side, int uplo, int op, int diag, INT m, INT n, const void *alpha
#define OF_TYPE(letter, t)                                                                                                            \
	API(NAME(cublas##letter##trmm_v2), (TRIANGLE, A, B_IN, void *c, INT ldc),                                                     \
	    trmm(h, t, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb, c, ldc))                                                    \
	API(NAME(cublas##letter##trsm_v2), (TRIANGLE, A, void *b, INT ldb),                                                           \
	    trsm(h, t, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb, 1, false))                                                  \
	API(NAME(cublas##letter##trsmBatched), (TRIANGLE, const void *const *a, INT lda, void *const *b, INT ldb, INT count),         \
	    trsm(h, t, side, uplo, op, diag, m, n, alpha, a, lda, (void *)b, ldb, count, true))                                       \
	API(NAME(cublas##letter##geam),                                                                                               \
	    (struct handle * h, int op_a, int op_b, INT m, INT n, const void *alpha, A, const void *beta, B_IN, void *c, INT ldc),    \
	    geam(h, t, op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc))                                                        \
	API(NAME(cublas##letter##dgmm), (struct handle * h, int side, INT m, INT n, A, const void *x, INT incx, void *c, INT ldc),    \
	    dgmm(h, t, side, m, n, a, lda, x, incx, c, ldc))
OF_TYPE(S, S)
OF_TYPE(D, D)
OF_TYPE(C, C)
OF_TYPE(Z, Z)

#undef A
#undef B_IN
#undef C_OUT
#undef SYMM
#undef SYRK
#undef SYR2K
#undef TRIANGLE
#undef OF_TYPE
