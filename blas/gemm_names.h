// The products' exported names, once with 32-bit sizes and once with 64-bit ones (INT, NAME, WIDE).
#define MATRICES(A, C) const void *alpha, A a, INT lda, A b, INT ldb, const void *beta, C c, INT ldc
#define SIZES struct handle *h, int op_a, int op_b, INT m, INT n, INT k

#define GEMM(name, t, scale)                               \
	API(NAME(name), (SIZES, MATRICES(const void *, void *)), \
	    gemm(h, t, scale, SHAPE, alpha, a, lda, b, ldb, beta, c, ldc, ONE))
#define GEMM_POINTERS(name, t, scale)                                                                   \
	API(NAME(name), (SIZES, MATRICES(const void *const *, void *const *), INT count),               \
	    gemm(h, t, scale, SHAPE, alpha, a, lda, b, ldb, beta, (void *)c, ldc, POINTERS(count)))
#define GEMM_STRIDES(name, t, scale)                                                                                               \
	API(NAME(name),                                                                                                            \
	    (SIZES, const void *alpha, const void *a, INT lda, long long stride_a, const void *b, INT ldb, long long stride_b,     \
	     const void *beta, void *c, INT ldc, long long stride_c, INT count),                                                   \
	    gemm(h, t, scale, SHAPE, alpha, a, lda, b, ldb, beta, c, ldc, STRIDES(count, stride_a, stride_b, stride_c)))

GEMM(cublasSgemm_v2, S, R_32F)
GEMM(cublasDgemm_v2, D, R_64F)
GEMM(cublasCgemm_v2, C, C_32F)
GEMM(cublasZgemm_v2, Z, C_64F)
GEMM(cublasCgemm3m, C, C_32F)
GEMM(cublasZgemm3m, Z, C_64F)
GEMM(cublasHgemm, H, R_16F)
GEMM_POINTERS(cublasSgemmBatched, S, R_32F)
GEMM_POINTERS(cublasDgemmBatched, D, R_64F)
GEMM_POINTERS(cublasCgemmBatched, C, C_32F)
GEMM_POINTERS(cublasZgemmBatched, Z, C_64F)
GEMM_POINTERS(cublasCgemm3mBatched, C, C_32F)
GEMM_POINTERS(cublasHgemmBatched, H, R_16F)
GEMM_STRIDES(cublasSgemmStridedBatched, S, R_32F)
GEMM_STRIDES(cublasDgemmStridedBatched, D, R_64F)
GEMM_STRIDES(cublasCgemmStridedBatched, C, C_32F)
GEMM_STRIDES(cublasZgemmStridedBatched, Z, C_64F)
GEMM_STRIDES(cublasCgemm3mStridedBatched, C, C_32F)
GEMM_STRIDES(cublasHgemmStridedBatched, H, R_16F)

#define TYPED(A, C) const void *alpha, A a, int type_a, INT lda, A b, int type_b, INT ldb, const void *beta, C c, int type_c, INT ldc
#define TYPES_GIVEN ((struct types){type_a, type_b, type_c, compute})
API(NAME(cublasGemmEx), (SIZES, TYPED(const void *, void *), int compute, int algorithm),
    gemm_ex(h, TYPES_GIVEN, SHAPE, alpha, a, lda, b, ldb, beta, c, ldc, ONE))
API(NAME(cublasGemmBatchedEx), (SIZES, TYPED(const void *const *, void *const *), INT count, int compute, int algorithm),
    gemm_ex(h, TYPES_GIVEN, SHAPE, alpha, a, lda, b, ldb, beta, (void *)c, ldc, POINTERS(count)))
API(NAME(cublasGemmStridedBatchedEx),
    (SIZES, const void *alpha, const void *a, int type_a, INT lda, long long stride_a, const void *b, int type_b, INT ldb, long long stride_b,
     const void *beta, void *c, int type_c, INT ldc, long long stride_c, INT count, int compute, int algorithm),
    gemm_ex(h, TYPES_GIVEN, SHAPE, alpha, a, lda, b, ldb, beta, c, ldc, STRIDES(count, stride_a, stride_b, stride_c)))
API(NAME(cublasSgemmEx), (SIZES, TYPED(const void *, void *)),
    gemm_of(h, false, type_a, type_b, type_c, SHAPE, alpha, a, lda, b, ldb, beta, c, ldc))
API(NAME(cublasCgemmEx), (SIZES, TYPED(const void *, void *)),
    gemm_of(h, true, type_a, type_b, type_c, SHAPE, alpha, a, lda, b, ldb, beta, c, ldc))
API(NAME(cublasCgemm3mEx), (SIZES, TYPED(const void *, void *)),
    gemm_of(h, true, type_a, type_b, type_c, SHAPE, alpha, a, lda, b, ldb, beta, c, ldc))

#define FACTORS_OF_GROUPS                                                                                                        \
	const void *alpha, const void *const *a, const INT *lda, const void *const *b, const INT *ldb, const void *beta,         \
		void *const *c, const INT *ldc
#define GROUPS struct handle *h, const int *op_a, const int *op_b, const INT *m, const INT *n, const INT *k
API(NAME(cublasSgemmGroupedBatched),
    (GROUPS, FACTORS_OF_GROUPS, INT groups, const INT *counts),
    grouped(h, S, R_32F, 4, groups, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, counts, WIDE))
API(NAME(cublasDgemmGroupedBatched),
    (GROUPS, FACTORS_OF_GROUPS, INT groups, const INT *counts),
    grouped(h, D, R_64F, 8, groups, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, counts, WIDE))
API(NAME(cublasGemmGroupedBatchedEx),
    (GROUPS, const void *alpha, const void *const *a, int type_a, const INT *lda, const void *const *b, int type_b, const INT *ldb,
     const void *beta, void *const *c, int type_c, const INT *ldc, INT groups, const INT *counts, int compute),
    grouped_ex(h, TYPES_GIVEN, groups, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, counts, WIDE))

#undef MATRICES
#undef SIZES
#undef GEMM
#undef GEMM_POINTERS
#undef GEMM_STRIDES
#undef TYPED
#undef TYPES_GIVEN
#undef GROUPS
#undef FACTORS_OF_GROUPS
