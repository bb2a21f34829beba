/* atomicAdd and its family, at device, block and system scope. */
#ifndef HEDDLE_DEVICE_ATOMIC_H
#define HEDDLE_DEVICE_ATOMIC_H

/*
 * One read-modify-write in its three scopes: CUDA's NAME on T is PTX's atom...OP.TYPE with register class C. The
 * address is generic.
 */
#define HEDDLE_ATOM_SCOPE(NAME, SCOPE, OP, T, C) \
	static __inline__ __device__ T NAME(T *p, T v) \
	{ \
		T r; \
		__asm__ volatile("atom" SCOPE "." OP " %0, [%1], %2;" : "=" C(r) : "l"(p), C(v) : "memory"); \
		return r; \
	}
#define HEDDLE_ATOM(NAME, OP, T, C) \
	HEDDLE_ATOM_SCOPE(NAME, "", OP, T, C) \
	HEDDLE_ATOM_SCOPE(NAME##_block, ".cta", OP, T, C) \
	HEDDLE_ATOM_SCOPE(NAME##_system, ".sys", OP, T, C)
#define HEDDLE_ATOM_BITS(OP, PTX) \
	HEDDLE_ATOM(atomic##OP, PTX ".b32", int, "r") \
	HEDDLE_ATOM(atomic##OP, PTX ".b32", unsigned int, "r") \
	HEDDLE_ATOM(atomic##OP, PTX ".b64", long long, "l") \
	HEDDLE_ATOM(atomic##OP, PTX ".b64", unsigned long long, "l") \
	HEDDLE_ATOM(atomic##OP, PTX ".b64", unsigned long, "l")
#define HEDDLE_ATOM_ORDER(OP, PTX) \
	HEDDLE_ATOM(atomic##OP, PTX ".s32", int, "r") \
	HEDDLE_ATOM(atomic##OP, PTX ".u32", unsigned int, "r") \
	HEDDLE_ATOM(atomic##OP, PTX ".s64", long long, "l") \
	HEDDLE_ATOM(atomic##OP, PTX ".u64", unsigned long long, "l") \
	HEDDLE_ATOM(atomic##OP, PTX ".u64", unsigned long, "l")

HEDDLE_ATOM(atomicAdd, "add.s32", int, "r")
HEDDLE_ATOM(atomicAdd, "add.u32", unsigned int, "r")
HEDDLE_ATOM(atomicAdd, "add.u64", unsigned long long, "l")
HEDDLE_ATOM(atomicAdd, "add.u64", unsigned long, "l")
HEDDLE_ATOM(atomicAdd, "add.f32", float, "f")
HEDDLE_ATOM(atomicAdd, "add.f64", double, "d")
HEDDLE_ATOM_ORDER(Min, "min")
HEDDLE_ATOM_ORDER(Max, "max")
HEDDLE_ATOM_BITS(And, "and")
HEDDLE_ATOM_BITS(Or, "or")
HEDDLE_ATOM_BITS(Xor, "xor")
HEDDLE_ATOM_BITS(Exch, "exch")
HEDDLE_ATOM(atomicExch, "exch.b32", float, "f")
HEDDLE_ATOM(atomicInc, "inc.u32", unsigned int, "r")
HEDDLE_ATOM(atomicDec, "dec.u32", unsigned int, "r")

#define HEDDLE_SUB(SUFFIX) \
	static __inline__ __device__ int atomicSub##SUFFIX(int *p, int v) { return atomicAdd##SUFFIX(p, (int)(0u - v)); } \
	static __inline__ __device__ unsigned int atomicSub##SUFFIX(unsigned int *p, unsigned int v) \
	{ \
		return atomicAdd##SUFFIX(p, 0u - v); \
	}
HEDDLE_SUB()
HEDDLE_SUB(_block)
HEDDLE_SUB(_system)

#define HEDDLE_CAS_SCOPE(NAME, SCOPE, BITS, T, C) \
	static __inline__ __device__ T NAME(T *p, T compare, T v) \
	{ \
		T r; \
		__asm__ volatile("atom" SCOPE ".cas." BITS " %0, [%1], %2, %3;" \
			: "=" C(r) : "l"(p), C(compare), C(v) : "memory"); \
		return r; \
	}
#define HEDDLE_CAS(BITS, T, C) \
	HEDDLE_CAS_SCOPE(atomicCAS, "", BITS, T, C) \
	HEDDLE_CAS_SCOPE(atomicCAS_block, ".cta", BITS, T, C) \
	HEDDLE_CAS_SCOPE(atomicCAS_system, ".sys", BITS, T, C)
HEDDLE_CAS("b32", int, "r")
HEDDLE_CAS("b32", unsigned int, "r")
HEDDLE_CAS("b64", unsigned long long, "l")
HEDDLE_CAS("b64", unsigned long, "l")
HEDDLE_CAS_SCOPE(atomicCAS, "", "b16", unsigned short, "h")

#undef HEDDLE_ATOM_SCOPE
#undef HEDDLE_ATOM
#undef HEDDLE_ATOM_BITS
#undef HEDDLE_ATOM_ORDER
#undef HEDDLE_SUB
#undef HEDDLE_CAS_SCOPE
#undef HEDDLE_CAS

#endif
