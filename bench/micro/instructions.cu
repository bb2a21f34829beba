// Instructions: cycles of one whose result the next needs, and how many an SM does in a cycle, counted in threads, by
// the number of warps on it.
#include "micro.h"

enum { CHAIN = 128, WIDE = 4 };

// A chain of CHAIN times `each` instructions that need each other, and WIDE such chains beside each other. None may
// be one that the assembler can join with the next, or drop together with it.
#define KERNELS(name, type, each, text) \
	static __device__ __forceinline__ void op_##name(type &a, type b) { text; } \
	__global__ void latency_##name(type b, long long *took, type *out) \
	{ \
		type a = b + (type)threadIdx.x; \
		_Pragma("unroll 1") for (int round = 0; round < 2; round++) { \
			long long start = clock64(); \
			_Pragma("unroll") for (int i = 0; i < CHAIN; i++) op_##name(a, b); \
			took[0] = clock64() - start; \
		} \
		out[threadIdx.x] = a; \
	} \
	__global__ void rate_##name(type b, long long *took, type *out) \
	{ \
		type a[WIDE]; \
		for (int w = 0; w < WIDE; w++) \
			a[w] = b + (type)(w + threadIdx.x); \
		_Pragma("unroll 1") for (int round = 0; round < 3; round++) { \
			__syncthreads(); \
			long long start = clock64(); \
			_Pragma("unroll") for (int i = 0; i < CHAIN; i++) op_##name(a[i % WIDE], b); \
			__syncthreads(); \
			took[0] = clock64() - start; \
		} \
		type sum = a[0]; \
		for (int w = 1; w < WIDE; w++) \
			sum += a[w]; \
		out[threadIdx.x] = sum; \
	} \
	static void measure_##name(long long *took, void *out) \
	{ \
		latency_##name<<<1, 32>>>((type)1, took, (type *)out); \
		finish(); \
		point("latency_" #name, 1, slowest(took, 1) / (CHAIN * each)); \
		for (int warps = 4; warps <= 32; warps *= 2) { \
			rate_##name<<<1, warps * 32>>>((type)1, took, (type *)out); \
			finish(); \
			point("rate_" #name, warps, (double)CHAIN * each * warps * 32 / slowest(took, 1)); \
		} \
	}

KERNELS(fadd, float, 1, asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(a) : "f"(b)))
KERNELS(ffma, float, 1, asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(b)))
KERNELS(integer, unsigned, 2, asm volatile("add.u32 %0, %0, %1;\nxor.b32 %0, %0, 1431655765;" : "+r"(a) : "r"(b)))
KERNELS(imad, unsigned, 1, asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(a) : "r"(b)))
KERNELS(shf, unsigned, 1, asm volatile("shf.l.wrap.b32 %0, %0, %1, 3;" : "+r"(a) : "r"(b)))
KERNELS(popc, unsigned, 1, asm volatile("popc.b32 %0, %0;" : "+r"(a) : "r"(b)))
KERNELS(dadd, double, 1, asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(a) : "d"(b)))
KERNELS(dfma, double, 1, asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(a) : "d"(b)))
KERNELS(rsqrt, float, 1, asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(a) : "f"(b)))
KERNELS(ex2, float, 1, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(a) : "f"(b)))
KERNELS(cvt, unsigned, 1, asm volatile("{.reg .f32 f;\ncvt.rn.f32.s32 f, %0;\nmov.b32 %0, f;}" : "+r"(a) : "r"(b)))
KERNELS(hfma2, unsigned, 1, asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(a) : "r"(b)))
KERNELS(shfl, unsigned, 1, asm volatile("shfl.sync.down.b32 %0, %0, 1, 31, -1;" : "+r"(a) : "r"(b)))

int main()
{
	long long *took = on_device<long long>(1);
	void *out = on_device<double>(1024);
#define RUN(name) measure_##name(took, out);
	RUN(fadd) RUN(ffma) RUN(integer) RUN(imad) RUN(shf) RUN(popc)
	RUN(dadd) RUN(dfma) RUN(rsqrt) RUN(ex2) RUN(cvt) RUN(hfma2) RUN(shfl)
}
