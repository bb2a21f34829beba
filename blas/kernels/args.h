// What the library's host side passes to its kernels. Read by both compilers, so plain C with fixed widths. Strides count elements.
#ifndef BLAS_KERNELS_ARGS_H
#define BLAS_KERNELS_ARGS_H

typedef unsigned long long device_ptr;

// How a matrix is stored: whole, or one triangle of it.
enum blas_form {
	FORM_GENERAL,
	FORM_SYMMETRIC, // element (i, j) of the other triangle is (j, i)
	FORM_HERMITIAN, // its conjugate; the diagonal is real
	FORM_TRIANGLE,  // zero
	FORM_UNIT,      // zero, and ones on the diagonal, which is not read
};

// A matrix, or a batch of them: element (i, j) of matrix b stands at[b * batch + i * rs + j * cs]. A transposed matrix has rs and cs
// exchanged.
struct blas_mat {
	device_ptr at; // with `pointers` an array of addresses, one for each matrix
	long long rs, cs, batch;
	int pointers, conj; // conj: elements are meant conjugated
	int form, lower;    // lower: of the triangle that is stored, as seen through rs and cs
	int e5m2;           // of 8-bit floats: the one with 5 bits of exponent, else e4m3
	int factor_each;    // a factor of a product: each row of the left or column of the right one has a factor of its own
	device_ptr factor;  // of 8-bit floats: all elements are meant times this f32 in device memory; 0: as they are
};

enum blas_stored { STORED_AS_USED, STORED_HALF, STORED_REAL }; // real: a real number that multiplies complex ones

// A factor: in device memory at `at`, or if that is 0 the value.
struct blas_scalar {
	device_ptr at;
	double re, im;
	int stored; // how it stands at `at`: enum blas_stored
	int conj;
};

enum blas_epilogue {
	EPILOGUE_BIAS = 1,      // adds bias[row]
	EPILOGUE_RELU = 2,
	EPILOGUE_GELU = 4,      // by tanh
	EPILOGUE_AUX_OUT = 8,   // stores what goes into GELU
	EPILOGUE_DRELU = 16,    // keeps values whose bit in aux is set
	EPILOGUE_DGELU = 32,    // multiplies by GELU's derivative at aux
};

// d = epilogue(alpha a b + beta c), m by n, the sum over k.
struct blas_gemm {
	long long m, n, k, count; // count: of the batch
	struct blas_mat a, b, c, d;
	struct blas_scalar alpha, beta;
	int triangle; // what of d is written: 0 all, 1 the lower triangle, 2 the upper
	int real_diagonal;
	int epilogue;
	device_ptr bias, aux;
	long long bias_batch, aux_ld, aux_batch;
};

// y = alpha a x + beta y with m rows and n columns; x and y are columns: only their rs counts.
struct blas_gemv {
	long long m, n, count;
	struct blas_mat a, x, y;
	struct blas_scalar alpha, beta;
};

// Vectors x and y of n elements.
struct blas_vec {
	long long n;
	device_ptr x, y;
	long long incx, incy;
	struct blas_scalar alpha, beta;
	int conj;
	int what;             // enum blas_reduction, or of enum blas_map
	device_ptr out;       // the result, or one partial result for each block
	device_ptr largest;   // of a norm: the largest absolute value
	int last, wide;       // last: x holds partial results; wide: the index has 64 bits
};

enum blas_reduction { REDUCE_DOT, REDUCE_ASUM, REDUCE_LARGEST, REDUCE_NORM, REDUCE_IAMAX, REDUCE_IAMIN };
enum blas_map { MAP_COPY, MAP_SWAP, MAP_SCAL, MAP_AXPY, MAP_ROT };

// Solves op(A) X = alpha B in place for nrhs columns; a says what is in op(A), and b holds B, then X.
struct blas_solve {
	long long m, nrhs, count;
	struct blas_mat a, b;
	struct blas_scalar alpha;
};

// What works on m by n matrices element by element, or on a small matrix in one block.
struct blas_plane {
	long long m, n, count;
	struct blas_mat a, b, c;
	struct blas_scalar alpha, beta;
	device_ptr pivots, info; // int[count][n], int[count]
	int backward, by_rows, accumulate;
	int index; // for what a kernel says
};

#endif
