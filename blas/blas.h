// Heddle's stand-in for cuBLAS and cuBLASLt: handles, kernels and launches. Everything is computed by kernels of blas/kernels on the
// simulated GPU. docs/blas.md says what there is.
#ifndef BLAS_BLAS_H
#define BLAS_BLAS_H

#include "blas/driver_calls.h"
#include "blas/kernels/args.h"

#include <stdbool.h>

// A function that is exported under its documented name, which a program's header declares.
#define API(name, params, expr)                                    \
	__attribute__((visibility("default"))) status name params; \
	status name params { return expr; }

// cublasStatus_t.
typedef enum {
	OK = 0, NOT_INITIALIZED = 1, ALLOC_FAILED = 3, INVALID_VALUE = 7, MAPPING_ERROR = 11, EXECUTION_FAILED = 13, INTERNAL_ERROR = 14,
	NOT_SUPPORTED = 15
} status;

enum { OP_N, OP_T, OP_C };
enum { LOWER, UPPER, FULL };
enum { SIDE_LEFT, SIDE_RIGHT };
enum { POINTERS_HOST, POINTERS_DEVICE };

// cudaDataType_t, those that are known here.
enum { R_32F = 0, R_64F = 1, R_16F = 2, R_8I = 3, C_32F = 4, C_64F = 5, R_32I = 10, R_16BF = 14, R_8F_E4M3 = 28, R_8F_E5M2 = 29 };

// cublasComputeType_t.
enum { COMPUTE_16F = 64, COMPUTE_16F_PEDANTIC = 65, COMPUTE_32F = 68, COMPUTE_32F_PEDANTIC = 69, COMPUTE_64F = 70, COMPUTE_64F_PEDANTIC = 71,
       COMPUTE_32I = 72, COMPUTE_32I_PEDANTIC = 73, COMPUTE_32F_FAST_16F = 74, COMPUTE_32F_FAST_16BF = 75, COMPUTE_32F_FAST_TF32 = 77,
       COMPUTE_32F_EMULATED = 78, COMPUTE_64F_EMULATED = 79 };

#define VERSION_REPORTED 130000

// What a kernel is made for: the elements of the factors, then those of the result if they are others.
enum type { S, D, C, Z, H, HS, B, BS, I, IS, QS, QH, QB, TYPES };

enum kernel {
	GEMM_LARGE, GEMM_SMALL, GEMM_FORMS, GEMV_ROWS, GEMV_DOTS, MAP, REDUCE, SOLVE, GETRF, SWAP_ROWS, SET_UNIT, GEAM, DGMM, PACKED,
	RELU_MASK, ROW_SUMS, KERNELS
};

enum { THREADS = 256 };

struct handle {
	struct handle *next;
	CUstream stream;
	int pointer_mode, atomics, math, sm_target;
	CUdeviceptr scratch; // in stream order
	size_t scratch_size;
	bool scratch_used; // by the stream since it was set
};

// --- handles

// Makes a handle of the current context, or of the primary one if there is none.
status handle_new(struct handle **out);
status handle_free(struct handle *h);
// Whether h is one: a handle that was freed is not.
bool handle_ok(const struct handle *h);
// Begins a call with h: NOT_INITIALIZED if it is no handle. A thread without a context gets the primary one.
status enter(const struct handle *h);
status handle_set_stream(struct handle *h, CUstream stream);
// At least `size` bytes of device memory for work on the handle's stream; what an earlier call got is void.
status handle_scratch(struct handle *h, size_t size, CUdeviceptr *out);

// --- kernels

// The context of the thread, with cuInit.
status context_ready(void);
status launch(enum kernel k, enum type t, long long blocks, long long rows, CUstream stream, const void *args);
status from_driver(int result);

// Bytes of an element of a vector or factor of that type, and of one of a result.
int type_size(enum type t);
int out_size(enum type t);

// --- arguments

// Factor `p` of a call, in the number format of `scale` (a cudaDataType), as the mode says where it stands. False: NULL, or no memory of
// the program's.
bool take_scalar(struct blas_scalar *s, const void *p, int scale, int pointer_mode);
// The same of a factor that is a real number, for complex elements too.
bool take_real(struct blas_scalar *s, const void *p, enum type t, int pointer_mode);
// cudaDataType of the scalars that kernels of type t take.
int scale_of(enum type t);
bool scalar_is(const struct blas_scalar *s, double value);

static inline struct blas_mat mat(const void *at, int64_t ld)
{
	return (struct blas_mat){.at = (uintptr_t)at, .rs = 1, .cs = ld};
}
// op(m).
static inline struct blas_mat turned(struct blas_mat m, int op)
{
	if (op != OP_N) {
		long long t = m.rs;
		m.rs = m.cs;
		m.cs = t;
		m.lower = !m.lower;
		m.conj ^= op == OP_C;
	}
	return m;
}
// A vector as a column; one with a negative step begins at its end.
static inline struct blas_mat column(const void *at, int64_t n, int64_t step, int size)
{
	return (struct blas_mat){.at = (uintptr_t)at + (step < 0 ? (uint64_t)((1 - n) * step * size) : 0), .rs = step, .cs = 1};
}
static inline bool op_ok(int op) { return op >= OP_N && op <= OP_C; }
static inline int64_t at_least_one(int64_t n) { return n > 1 ? n : 1; }

// --- what is shared between interfaces

// Starts a product whose arguments are known to be right.
status product(struct handle *h, CUstream stream, enum type t, struct blas_gemm *g);
// Copies n bytes at device memory `from` to where a result is wanted: a device or host pointer of the program.
status deliver(struct handle *h, void *to, CUdeviceptr from, size_t n);
// Which kernel multiplies elements of these cudaDataTypes. False: none.
bool product_type(enum type *t, int a, int b, int c, int compute);
static inline bool is_quarter(int type) { return type == R_8F_E4M3 || type == R_8F_E5M2; }
// The cudaDataType of alpha and beta that such a product has by default.
int product_scale(int compute, int c);

#endif
