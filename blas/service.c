// Handles and their modes, versions, names of states, and copies of vectors and matrices between host and device.
#include "blas/blas.h"

#include <stdio.h>
#include <string.h>

API(cublasCreate_v2, (struct handle **out), handle_new(out))
API(cublasDestroy_v2, (struct handle *h), handle_free(h))
API(cublasLtCreate, (struct handle **out), handle_new(out))
API(cublasLtDestroy, (struct handle *h), handle_free(h))

// Sets or gives an int of a handle.
static status set(struct handle *h, size_t at, int value, bool valid)
{
	if (!handle_ok(h))
		return NOT_INITIALIZED;
	if (!valid)
		return INVALID_VALUE;
	memcpy((char *)h + at, &value, sizeof value);
	return OK;
}
static status get(const struct handle *h, size_t at, int *out)
{
	if (!handle_ok(h))
		return NOT_INITIALIZED;
	if (!out)
		return INVALID_VALUE;
	memcpy(out, (const char *)h + at, sizeof *out);
	return OK;
}
#define FIELD(name) offsetof(struct handle, name)
#define MATH_MASK 31 // all bits that cublasMath_t has

API(cublasSetPointerMode_v2, (struct handle *h, int mode), set(h, FIELD(pointer_mode), mode, (mode | 1) == 1))
API(cublasGetPointerMode_v2, (struct handle *h, int *mode), get(h, FIELD(pointer_mode), mode))
API(cublasSetAtomicsMode, (struct handle *h, int mode), set(h, FIELD(atomics), mode, (mode | 1) == 1))
API(cublasGetAtomicsMode, (struct handle *h, int *mode), get(h, FIELD(atomics), mode))
API(cublasSetMathMode, (struct handle *h, int mode), set(h, FIELD(math), mode, !(mode & ~MATH_MASK)))
API(cublasGetMathMode, (struct handle *h, int *mode), get(h, FIELD(math), mode))
API(cublasSetSmCountTarget, (struct handle *h, int count), set(h, FIELD(sm_target), count, count >= 0))
API(cublasGetSmCountTarget, (struct handle *h, int *count), get(h, FIELD(sm_target), count))
API(cublasSetStream_v2, (struct handle *h, CUstream stream), handle_ok(h) ? handle_set_stream(h, stream) : NOT_INITIALIZED)

static status get_stream(const struct handle *h, CUstream *out)
{
	if (!handle_ok(h))
		return NOT_INITIALIZED;
	if (!out)
		return INVALID_VALUE;
	*out = h->stream;
	return OK;
}
API(cublasGetStream_v2, (struct handle *h, CUstream *out), get_stream(h, out))

// The program's memory is not used: what needs some has its own. Documented: it must be aligned to 256 bytes.
API(cublasSetWorkspace_v2, (struct handle *h, void *workspace, size_t size),
    !handle_ok(h) ? NOT_INITIALIZED : (uintptr_t)workspace & 255 ? INVALID_VALUE : OK)

// --- logging: there is nothing to log

API(cublasLoggerConfigure, (int on, int to_stdout, int to_stderr, const char *file), OK)
API(cublasSetLoggerCallback, (void (*callback)(const char *)), OK)
static status no_callback(void **out)
{
	if (!out)
		return INVALID_VALUE;
	*out = NULL;
	return OK;
}
API(cublasGetLoggerCallback, (void **out), no_callback(out))
API(cublasLtLoggerSetCallback, (void *callback), OK)
API(cublasLtLoggerSetFile, (FILE *file), OK)
API(cublasLtLoggerOpenFile, (const char *file), OK)
API(cublasLtLoggerSetLevel, (int level), OK)
API(cublasLtLoggerSetMask, (int mask), OK)
API(cublasLtLoggerForceDisable, (void), OK)

// --- versions and names

static status give(int *out, int value)
{
	if (!out)
		return INVALID_VALUE;
	*out = value;
	return OK;
}
// libraryPropertyType: major, minor, patch.
static status property(int what, int *out)
{
	if (what < 0 || what > 2)
		return INVALID_VALUE;
	return give(out, what == 0 ? VERSION_REPORTED / 10000 : what == 1 ? VERSION_REPORTED / 100 % 100 : VERSION_REPORTED % 100);
}
API(cublasGetVersion_v2, (struct handle *h, int *out), give(out, VERSION_REPORTED))
API(cublasGetProperty, (int what, int *out), property(what, out))
API(cublasLtGetProperty, (int what, int *out), property(what, out))

__attribute__((visibility("default"))) size_t cublasLtGetVersion(void);
size_t cublasLtGetVersion(void) { return VERSION_REPORTED; }
__attribute__((visibility("default"))) size_t cublasGetCudartVersion(void);
size_t cublasGetCudartVersion(void) { return 13000; }
__attribute__((visibility("default"))) size_t cublasLtGetCudartVersion(void);
size_t cublasLtGetCudartVersion(void) { return 13000; }

static const struct {
	int code;
	const char *name, *text;
} states[] = {
	{0, "CUBLAS_STATUS_SUCCESS", "success"},
	{1, "CUBLAS_STATUS_NOT_INITIALIZED", "the library is not initialised, or this is no handle"},
	{3, "CUBLAS_STATUS_ALLOC_FAILED", "out of memory"},
	{7, "CUBLAS_STATUS_INVALID_VALUE", "an argument has a value that is not allowed"},
	{8, "CUBLAS_STATUS_ARCH_MISMATCH", "this GPU cannot do it"},
	{11, "CUBLAS_STATUS_MAPPING_ERROR", "GPU memory could not be reached"},
	{13, "CUBLAS_STATUS_EXECUTION_FAILED", "a kernel could not be run"},
	{14, "CUBLAS_STATUS_INTERNAL_ERROR", "internal error"},
	{15, "CUBLAS_STATUS_NOT_SUPPORTED", "not supported"},
	{16, "CUBLAS_STATUS_LICENSE_ERROR", "licence error"},
};
static const char *state(int code, bool name)
{
	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		if (states[i].code == code)
			return name ? states[i].name : states[i].text;
	return name ? "CUBLAS_STATUS_UNKNOWN" : "unknown state";
}
#define TEXT(symbol, name)                                                        \
	__attribute__((visibility("default"))) const char *symbol(int code); \
	const char *symbol(int code) { return state(code, name); }
TEXT(cublasGetStatusName, true)
TEXT(cublasGetStatusString, false)
TEXT(cublasLtGetStatusName, true)
TEXT(cublasLtGetStatusString, false)

__attribute__((visibility("default"))) void cublasXerbla(const char *name, int argument);
void cublasXerbla(const char *name, int argument)
{
	fprintf(stderr, "heddle: parameter %d of %s has a value that is not allowed\n", argument, name);
}

// --- copies

// `rows` elements of `size` bytes in each of `columns`, which lie `from_ld` and `to_ld` elements apart. wait: until it is done.
static status copy(bool to_device, int64_t rows, int64_t columns, int64_t size, const void *from, int64_t from_ld, void *to, int64_t to_ld,
                   CUstream stream, bool wait)
{
	if (rows < 0 || columns < 0 || size <= 0 || from_ld < at_least_one(rows) || to_ld < at_least_one(rows))
		return INVALID_VALUE;
	if (!rows || !columns)
		return OK;
	status s = context_ready();
	if (s)
		return s;
	struct copy_2d c = {.src_kind = to_device ? 1 : 2, .dst_kind = to_device ? 2 : 1, .src_pitch = from_ld * size, .dst_pitch = to_ld * size,
	                    .width = rows * size, .height = columns, .src_host = from, .dst_host = to, .src_device = (uintptr_t)from,
	                    .dst_device = (uintptr_t)to};
	int e = cuMemcpy2DAsync_v2(&c, stream);
	e = e || !wait ? e : cuStreamSynchronize(stream);
	return e ? MAPPING_ERROR : OK;
}

// A vector is a matrix of one row.
#define MATRIX_COPIES(INT, END)                                                                                                             \
	API(cublasSetVector##END, (INT n, INT size, const void *x, INT incx, void *y, INT incy), copy(true, 1, n, size, x, incx, y, incy, NULL, true)) \
	API(cublasGetVector##END, (INT n, INT size, const void *x, INT incx, void *y, INT incy), copy(false, 1, n, size, x, incx, y, incy, NULL, true)) \
	API(cublasSetVectorAsync##END, (INT n, INT size, const void *x, INT incx, void *y, INT incy, CUstream s),                           \
	    copy(true, 1, n, size, x, incx, y, incy, s, false))                                                                             \
	API(cublasGetVectorAsync##END, (INT n, INT size, const void *x, INT incx, void *y, INT incy, CUstream s),                           \
	    copy(false, 1, n, size, x, incx, y, incy, s, false))                                                                            \
	API(cublasSetMatrix##END, (INT m, INT n, INT size, const void *a, INT lda, void *b, INT ldb), copy(true, m, n, size, a, lda, b, ldb, NULL, true)) \
	API(cublasGetMatrix##END, (INT m, INT n, INT size, const void *a, INT lda, void *b, INT ldb), copy(false, m, n, size, a, lda, b, ldb, NULL, true)) \
	API(cublasSetMatrixAsync##END, (INT m, INT n, INT size, const void *a, INT lda, void *b, INT ldb, CUstream s),                      \
	    copy(true, m, n, size, a, lda, b, ldb, s, false))                                                                               \
	API(cublasGetMatrixAsync##END, (INT m, INT n, INT size, const void *a, INT lda, void *b, INT ldb, CUstream s),                      \
	    copy(false, m, n, size, a, lda, b, ldb, s, false))
MATRIX_COPIES(int, )
MATRIX_COPIES(int64_t, _64)
