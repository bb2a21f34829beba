/* Device-side printf, malloc, free, assert and the members of the built-in variables. */
#ifndef HEDDLE_DEVICE_SYSTEM_H
#define HEDDLE_DEVICE_SYSTEM_H

extern "C" {
__device__ int vprintf(const char *format, const char *arguments);
__device__ int printf(const char *format, ...);
__device__ void *malloc(size_t size) __attribute__((nothrow, malloc));
__device__ void free(void *ptr) __attribute__((nothrow));
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t size);
/* What <assert.h> calls. */
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line,
	const char *function)
{
	__assertfail(message, file, line, function, 1);
}
}

namespace std {
__device__ static inline void *malloc(size_t size) { return ::malloc(size); }
__device__ static inline void free(void *ptr) { ::free(ptr); }
}

#define HEDDLE_BUILTIN(NAME) \
	__device__ inline __cuda_builtin_##NAME##_t::operator dim3() const { return dim3(x, y, z); } \
	__device__ inline __cuda_builtin_##NAME##_t::operator uint3() const { return {x, y, z}; }
HEDDLE_BUILTIN(threadIdx)
HEDDLE_BUILTIN(blockIdx)
HEDDLE_BUILTIN(blockDim)
HEDDLE_BUILTIN(gridDim)
#undef HEDDLE_BUILTIN

/* The host has no such functions in its C library. */
static inline float rsqrtf(float a) { return 1.0f / ::sqrtf(a); }
static inline double rsqrt(double a) { return 1.0 / ::sqrt(a); }
static inline __device__ float rsqrt(float a) { return ::rsqrtf(a); }

#define HEDDLE_MINMAX(T) \
	static inline __host__ __device__ T min(T a, T b) { return a < b ? a : b; } \
	static inline __host__ __device__ T max(T a, T b) { return a > b ? a : b; }
HEDDLE_MINMAX(unsigned int)
HEDDLE_MINMAX(long)
HEDDLE_MINMAX(unsigned long)
HEDDLE_MINMAX(long long)
HEDDLE_MINMAX(unsigned long long)
#undef HEDDLE_MINMAX
static inline __host__ int min(int a, int b) { return a < b ? a : b; }
static inline __host__ int max(int a, int b) { return a > b ? a : b; }
static inline __host__ float min(float a, float b) { return fminf(a, b); }
static inline __host__ float max(float a, float b) { return fmaxf(a, b); }
static inline __host__ double min(double a, double b) { return fmin(a, b); }
static inline __host__ double max(double a, double b) { return fmax(a, b); }

#endif
