// The exported names of functions of vectors, once with 32-bit sizes and once with 64-bit ones (INT, NAME, WIDE).
#define X const void *x, INT incx
#define X_OUT void *x, INT incx
#define Y const void *y, INT incy
#define Y_OUT void *y, INT incy
#define VECTOR struct handle *h, INT n

#define OF_TYPE(letter, t)                                                                                                \
	API(NAME(cublas##letter##copy_v2), (VECTOR, X, Y_OUT), copy(h, MAP_COPY, t, n, x, incx, y, incy))                 \
	API(NAME(cublas##letter##swap_v2), (VECTOR, X_OUT, Y_OUT), copy(h, MAP_SWAP, t, n, x, incx, y, incy))             \
	API(NAME(cublas##letter##axpy_v2), (VECTOR, const void *alpha, X, Y_OUT), axpy(h, t, scale_of(t), n, alpha, x, incx, y, incy)) \
	API(NAME(cublas##letter##scal_v2), (VECTOR, const void *alpha, X_OUT), scal(h, t, scale_of(t), false, n, alpha, x, incx))
OF_TYPE(S, S)
OF_TYPE(D, D)
OF_TYPE(C, C)
OF_TYPE(Z, Z)
API(NAME(cublasCsscal_v2), (VECTOR, const void *alpha, X_OUT), scal(h, C, R_32F, true, n, alpha, x, incx))
API(NAME(cublasZdscal_v2), (VECTOR, const void *alpha, X_OUT), scal(h, Z, R_64F, true, n, alpha, x, incx))

API(NAME(cublasSdot_v2), (VECTOR, X, Y, void *result), dot(h, S, false, n, x, incx, y, incy, result))
API(NAME(cublasDdot_v2), (VECTOR, X, Y, void *result), dot(h, D, false, n, x, incx, y, incy, result))
API(NAME(cublasCdotu_v2), (VECTOR, X, Y, void *result), dot(h, C, false, n, x, incx, y, incy, result))
API(NAME(cublasCdotc_v2), (VECTOR, X, Y, void *result), dot(h, C, true, n, x, incx, y, incy, result))
API(NAME(cublasZdotu_v2), (VECTOR, X, Y, void *result), dot(h, Z, false, n, x, incx, y, incy, result))
API(NAME(cublasZdotc_v2), (VECTOR, X, Y, void *result), dot(h, Z, true, n, x, incx, y, incy, result))

#define REDUCTION(name, what, t) API(NAME(name), (VECTOR, X, void *result), reduce_one(h, what, t, WIDE, n, x, incx, result))
REDUCTION(cublasSnrm2_v2, REDUCE_NORM, S)
REDUCTION(cublasDnrm2_v2, REDUCE_NORM, D)
REDUCTION(cublasScnrm2_v2, REDUCE_NORM, C)
REDUCTION(cublasDznrm2_v2, REDUCE_NORM, Z)
REDUCTION(cublasSasum_v2, REDUCE_ASUM, S)
REDUCTION(cublasDasum_v2, REDUCE_ASUM, D)
REDUCTION(cublasScasum_v2, REDUCE_ASUM, C)
REDUCTION(cublasDzasum_v2, REDUCE_ASUM, Z)
REDUCTION(cublasIsamax_v2, REDUCE_IAMAX, S)
REDUCTION(cublasIdamax_v2, REDUCE_IAMAX, D)
REDUCTION(cublasIcamax_v2, REDUCE_IAMAX, C)
REDUCTION(cublasIzamax_v2, REDUCE_IAMAX, Z)
REDUCTION(cublasIsamin_v2, REDUCE_IAMIN, S)
REDUCTION(cublasIdamin_v2, REDUCE_IAMIN, D)
REDUCTION(cublasIcamin_v2, REDUCE_IAMIN, C)
REDUCTION(cublasIzamin_v2, REDUCE_IAMIN, Z)

#define ROTATION(name, t, real) \
	API(NAME(name), (VECTOR, X_OUT, Y_OUT, const void *c, const void *s), rot(h, t, real, n, x, incx, y, incy, c, s))
ROTATION(cublasSrot_v2, S, true)
ROTATION(cublasDrot_v2, D, true)
ROTATION(cublasCrot_v2, C, false)
ROTATION(cublasCsrot_v2, C, true)
ROTATION(cublasZrot_v2, Z, false)
ROTATION(cublasZdrot_v2, Z, true)

#define X_TYPED const void *x, int x_type, INT incx
#define Y_TYPED const void *y, int y_type, INT incy
#define Y_OUT_TYPED void *y, int y_type, INT incy
API(NAME(cublasDotEx), (VECTOR, X_TYPED, Y_TYPED, void *result, int result_type, int execution),
    dot_ex(h, false, n, x, x_type, incx, y, y_type, incy, result, result_type, execution))
API(NAME(cublasDotcEx), (VECTOR, X_TYPED, Y_TYPED, void *result, int result_type, int execution),
    dot_ex(h, true, n, x, x_type, incx, y, y_type, incy, result, result_type, execution))
API(NAME(cublasNrm2Ex), (VECTOR, X_TYPED, void *result, int result_type, int execution),
    reduce_ex(h, REDUCE_NORM, WIDE, n, x, x_type, incx, result, result_type, execution))
API(NAME(cublasAsumEx), (VECTOR, X_TYPED, void *result, int result_type, int execution),
    reduce_ex(h, REDUCE_ASUM, WIDE, n, x, x_type, incx, result, result_type, execution))
API(NAME(cublasIamaxEx), (VECTOR, X_TYPED, void *result), reduce_ex(h, REDUCE_IAMAX, WIDE, n, x, x_type, incx, result, 0, 0))
API(NAME(cublasIaminEx), (VECTOR, X_TYPED, void *result), reduce_ex(h, REDUCE_IAMIN, WIDE, n, x, x_type, incx, result, 0, 0))
API(NAME(cublasAxpyEx), (VECTOR, const void *alpha, int alpha_type, X_TYPED, Y_OUT_TYPED, int execution),
    axpy_ex(h, n, alpha, alpha_type, x, x_type, incx, y, y_type, incy, execution))
API(NAME(cublasScalEx), (VECTOR, const void *alpha, int alpha_type, void *x, int x_type, INT incx, int execution),
    scal_ex(h, n, alpha, alpha_type, x, x_type, incx, execution))
API(NAME(cublasCopyEx), (VECTOR, X_TYPED, Y_OUT_TYPED), copy_ex(h, MAP_COPY, n, x, x_type, incx, y, y_type, incy))
API(NAME(cublasSwapEx), (VECTOR, void *x, int x_type, INT incx, Y_OUT_TYPED), copy_ex(h, MAP_SWAP, n, x, x_type, incx, y, y_type, incy))

#undef X
#undef X_OUT
#undef Y
#undef Y_OUT
#undef VECTOR
#undef OF_TYPE
#undef REDUCTION
#undef ROTATION
#undef X_TYPED
#undef Y_TYPED
#undef Y_OUT_TYPED
