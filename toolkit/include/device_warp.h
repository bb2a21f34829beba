/* Warp matches and reductions, which clang's headers leave out or offer under other names. */
#ifndef HEDDLE_DEVICE_WARP_H
#define HEDDLE_DEVICE_WARP_H

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define HEDDLE_MATCH(T, BITS, C) \
	static __inline__ __device__ unsigned int __match_any_sync(unsigned int mask, T v) \
	{ \
		unsigned int r; \
		__asm__ volatile("match.any.sync." BITS " %0, %1, %2;" : "=r"(r) : C(v), "r"(mask)); \
		return r; \
	} \
	static __inline__ __device__ unsigned int __match_all_sync(unsigned int mask, T v, int *all) \
	{ \
		unsigned int r; \
		int p; \
		__asm__ volatile("{ .reg .pred p; match.all.sync." BITS " %0|p, %2, %3; selp.s32 %1, 1, 0, p; }" \
			: "=r"(r), "=r"(p) : C(v), "r"(mask)); \
		*all = p; \
		return r; \
	}
HEDDLE_MATCH(int, "b32", "r")
HEDDLE_MATCH(unsigned int, "b32", "r")
HEDDLE_MATCH(float, "b32", "f")
HEDDLE_MATCH(long long, "b64", "l")
HEDDLE_MATCH(unsigned long long, "b64", "l")
HEDDLE_MATCH(long, "b64", "l")
HEDDLE_MATCH(unsigned long, "b64", "l")
HEDDLE_MATCH(double, "b64", "d")
#undef HEDDLE_MATCH

static __inline__ __device__ void __nanosleep(unsigned int ns)
{
	__asm__ volatile("nanosleep.u32 %0;" :: "r"(ns));
}
#endif

static __inline__ __device__ int __dp4a(int a, int b, int c)
{
	int r;
	__asm__("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	return r;
}

static __inline__ __device__ unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int r;
	__asm__("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	return r;
}

static __inline__ __device__ int __dp2a_lo(int a, int b, int c)
{
	int r;
	__asm__("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	return r;
}

static __inline__ __device__ int __dp2a_hi(int a, int b, int c)
{
	int r;
	__asm__("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	return r;
}

static __inline__ __device__ unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
static __inline__ __device__ unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
static __inline__ __device__ unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
static __inline__ __device__ unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }

/*
 * Clang takes the intrinsic of __syncthreads for one that writes no shared variable whose address nobody takes, and reads such a
 * variable ahead of the barrier that another thread's write waits for. Of assembler text that clobbers memory it does not believe that.
 */
static __inline__ __device__ void heddle_syncthreads() { __asm__ volatile("bar.sync 0;" ::: "memory"); }
#define __syncthreads() heddle_syncthreads()

#endif
