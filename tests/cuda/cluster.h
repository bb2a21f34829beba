/* Clusters for the programs of this folder: instructions, and launches with the attribute that asks for them. */
#ifndef CLUSTER_H
#define CLUSTER_H

#include "check.h"

#include <cstdint>

typedef unsigned long long u64;

#define SREG(name) \
	static __device__ unsigned name(void) \
	{ \
		unsigned v; \
		asm volatile("mov.u32 %0, %%" #name ";" : "=r"(v)); \
		return v; \
	}
SREG(cluster_ctarank)
SREG(cluster_nctarank)

static __device__ void cluster_arrive(void) { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
static __device__ void cluster_wait(void) { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
static __device__ void cluster_sync(void)
{
	cluster_arrive();
	cluster_wait();
}

static __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

/* The address of the same variable in the CTA of that rank. */
static __device__ unsigned map(const void *p, unsigned rank)
{
	unsigned d;
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(d) : "r"(at(p)), "r"(rank));
	return d;
}

template <class T> static __device__ T *map_generic(T *p, unsigned rank)
{
	u64 d;
	asm volatile("mapa.u64 %0, %1, %2;" : "=l"(d) : "l"((u64)p), "r"(rank));
	return (T *)d;
}

static __device__ unsigned load(unsigned a)
{
	unsigned v;
	asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(a) : "memory");
	return v;
}

static __device__ void store(unsigned a, unsigned v) { asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(a), "r"(v) : "memory"); }

/* cudaLaunchKernelExC with what it needs, which not every compiler's headers have. */
struct cluster_attribute {
	int id;
	char pad[4];
	union {
		char size[64];
		struct { unsigned x, y, z; } cluster;
	} val;
};

struct cluster_config {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
	struct cluster_attribute *attribute;
	unsigned n;
};

enum { ATTRIBUTE_CLUSTER = 4, FUNC_NON_PORTABLE = 14 };

template <class... P> static cudaError_t launch(void (*kernel)(P...), dim3 grid, dim3 block, dim3 cluster, size_t shared, P... p)
{
	void *args[] = {(void *)&p..., 0};
	struct cluster_attribute a = {};
	struct cluster_config c = {grid, block, shared, 0, &a, 1};
	a.id = ATTRIBUTE_CLUSTER;
	a.val.cluster = {cluster.x, cluster.y, cluster.z};
	if (cluster.x * cluster.y * cluster.z > 8)
		OK(cudaFuncSetAttribute((const void *)kernel, (cudaFuncAttribute)FUNC_NON_PORTABLE, 1));
	return cudaLaunchKernelExC((const cudaLaunchConfig_t *)&c, (const void *)kernel, args);
}

#endif
