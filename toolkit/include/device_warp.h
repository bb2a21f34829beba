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

static __inline__ __device__ size_t __cvta_generic_to_global(const void *p) { return __nv_cvta_generic_to_global_impl(p); }
static __inline__ __device__ size_t __cvta_generic_to_shared(const void *p) { return __nv_cvta_generic_to_shared_impl(p); }
static __inline__ __device__ size_t __cvta_generic_to_constant(const void *p) { return __nv_cvta_generic_to_constant_impl(p); }
static __inline__ __device__ size_t __cvta_generic_to_local(const void *p) { return __nv_cvta_generic_to_local_impl(p); }
static __inline__ __device__ void *__cvta_global_to_generic(size_t p) { return __nv_cvta_global_to_generic_impl(p); }
static __inline__ __device__ void *__cvta_shared_to_generic(size_t p) { return __nv_cvta_shared_to_generic_impl(p); }
static __inline__ __device__ void *__cvta_constant_to_generic(size_t p) { return __nv_cvta_constant_to_generic_impl(p); }
static __inline__ __device__ void *__cvta_local_to_generic(size_t p) { return __nv_cvta_local_to_generic_impl(p); }

/*
 * Barriers and fences. Clang takes their intrinsics for ones that write no shared variable whose address nobody takes, and reads such
 * a variable ahead of the barrier that another thread's write waits for. Of assembler text that clobbers memory it does not believe
 * that. nodebug gives the instruction the line of the call.
 */
#define HEDDLE_ORDERS static __inline__ __device__ __attribute__((always_inline, nodebug))

HEDDLE_ORDERS void heddle_syncthreads() { __asm__ volatile("bar.sync 0;" ::: "memory"); }
HEDDLE_ORDERS void heddle_threadfence() { __asm__ volatile("membar.gl;" ::: "memory"); }
HEDDLE_ORDERS void heddle_threadfence_block() { __asm__ volatile("membar.cta;" ::: "memory"); }
HEDDLE_ORDERS void heddle_threadfence_system() { __asm__ volatile("membar.sys;" ::: "memory"); }

HEDDLE_ORDERS void heddle_syncwarp(unsigned int mask = 0xffffffff)
{
	__asm__ volatile("bar.warp.sync %0;" :: "r"(mask) : "memory");
}

HEDDLE_ORDERS int heddle_syncthreads_count(int of)
{
	int r;
	__asm__ volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }" : "=r"(r) : "r"(of) : "memory");
	return r;
}

#define HEDDLE_BARRIER_VOTE(OP) \
	HEDDLE_ORDERS int heddle_syncthreads_##OP(int of) \
	{ \
		int r; \
		__asm__ volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red." #OP ".pred p, 0, p; selp.s32 %0, 1, 0, p; }" \
			: "=r"(r) : "r"(of) : "memory"); \
		return r; \
	}
HEDDLE_BARRIER_VOTE(and)
HEDDLE_BARRIER_VOTE(or)
#undef HEDDLE_BARRIER_VOTE
#undef HEDDLE_ORDERS

#define __syncthreads heddle_syncthreads
#define __syncthreads_count heddle_syncthreads_count
#define __syncthreads_and heddle_syncthreads_and
#define __syncthreads_or heddle_syncthreads_or
#define __syncwarp heddle_syncwarp
#define __threadfence heddle_threadfence
#define __threadfence_block heddle_threadfence_block
#define __threadfence_system heddle_threadfence_system

#endif
