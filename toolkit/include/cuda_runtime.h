/*
 * What a .cu file sees when clang compiles it without an NVIDIA toolkit: the runtime API, its C++ forms, and the device
 * functions. The device part stands on clang's own CUDA headers. Mathematical functions are left as calls of __nv_...
 * functions, which Heddle supplies when it runs the program.
 */
#ifndef HEDDLE_CUDA_RUNTIME_H
#define HEDDLE_CUDA_RUNTIME_H

#ifdef __CUDA__
/* These must precede <cmath>. */
#include <__clang_cuda_math_forward_declares.h>
#define __CUDACC__ 1
#endif

#include <cmath>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string.h>
#include <stdlib.h>
#include <math.h>
#include <limits.h>
#include <time.h>
#include "cuda_runtime_api.h"
#include "vector_functions.h"

#ifdef __CUDA__
#include <__clang_cuda_builtin_vars.h>
#include "device_libdevice.h"
#include <__clang_cuda_libdevice_declares.h>
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include "device_system.h"
#include <new>
#include <__clang_cuda_cmath.h>
/* From clang 17 on the intrinsics use these two. */
static __inline__ __device__ unsigned int __isShared(const void *p);
static __inline__ __device__ size_t __cvta_generic_to_shared(const void *p);
#include <__clang_cuda_intrinsics.h>
#include "device_atomic.h"
#include "device_warp.h"
#include "device_texture.h"
#include "device_surface.h"
#endif

/* The C++ forms: pointers and symbols of any type. */
template <class T> static inline cudaError_t cudaMalloc(T **ptr, size_t size)
{
	return cudaMalloc((void **)ptr, size);
}

template <class T> static inline cudaError_t cudaMallocAsync(T **ptr, size_t size, cudaStream_t stream)
{
	return cudaMallocAsync((void **)ptr, size, stream);
}

template <class T> static inline cudaError_t cudaMallocHost(T **ptr, size_t size, unsigned int flags = 0)
{
	return cudaHostAlloc((void **)ptr, size, flags);
}

template <class T> static inline cudaError_t cudaHostAlloc(T **ptr, size_t size, unsigned int flags)
{
	return cudaHostAlloc((void **)ptr, size, flags);
}

template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
	return cudaHostGetDevicePointer((void **)device, host, flags);
}

template <class T> static inline cudaError_t cudaMallocManaged(T **ptr, size_t size,
	unsigned int flags = cudaMemAttachGlobal)
{
	return cudaMallocManaged((void **)ptr, size, flags);
}

template <class T> static inline cudaError_t cudaMallocPitch(T **ptr, size_t *pitch, size_t width, size_t height)
{
	return cudaMallocPitch((void **)ptr, pitch, width, height);
}

template <class T> static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count,
	size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
	return cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}

template <class T> static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count,
	size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
	return cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}

template <class T> static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count,
	size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
	return cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}

template <class T> static inline cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count,
	size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
	return cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}

template <class T> static inline cudaError_t cudaGetSymbolAddress(void **ptr, const T &symbol)
{
	return cudaGetSymbolAddress(ptr, (const void *)&symbol);
}

template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
	return cudaGetSymbolSize(size, (const void *)&symbol);
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
	return cudaEventCreateWithFlags(event, flags);
}

template <class T> static inline cudaError_t cudaLaunchKernel(T *func, dim3 grid, dim3 block, void **args,
	size_t shared = 0, cudaStream_t stream = 0)
{
	return cudaLaunchKernel((const void *)func, grid, block, args, shared, stream);
}

template <class T> static inline cudaError_t cudaLaunchCooperativeKernel(T *func, dim3 grid, dim3 block, void **args,
	size_t shared = 0, cudaStream_t stream = 0)
{
	return cudaLaunchCooperativeKernel((const void *)func, grid, block, args, shared, stream);
}

/* Arguments become what the kernel takes before their addresses are. */
template <class... P, class... A> static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...args)
{
	return [&](P... of) {
		void *at[] = {(void *)&of..., 0};
		return cudaLaunchKernelExC(config, (const void *)kernel, at);
	}((A &&)args...);
}
template <class... P> static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, void (*kernel)(P...), const cudaLaunchConfig_t *config)
{
	return cudaOccupancyMaxActiveClusters(clusters, (const void *)kernel, config);
}
template <class... P> static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, void (*kernel)(P...), const cudaLaunchConfig_t *config)
{
	return cudaOccupancyMaxPotentialClusterSize(size, (const void *)kernel, config);
}

static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags = 0)
{
	return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

template <class T> static inline cudaError_t cudaSetupArgument(T arg, size_t offset)
{
	return cudaSetupArgument(&arg, sizeof(T), offset);
}

template <class T> static inline cudaError_t cudaLaunch(T *func)
{
	return cudaLaunch((const void *)func);
}

template <class T> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *func)
{
	return cudaFuncGetAttributes(attributes, (const void *)func);
}

template <class T> static inline cudaError_t cudaFuncSetAttribute(T *func, cudaFuncAttribute attribute, int value)
{
	return cudaFuncSetAttribute((const void *)func, attribute, value);
}

template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *func, cudaFuncCache config)
{
	return cudaFuncSetCacheConfig((const void *)func, config);
}

template <class T> static inline cudaError_t cudaFuncSetSharedMemConfig(T *func, cudaSharedMemConfig config)
{
	return cudaFuncSetSharedMemConfig((const void *)func, config);
}

template <class T> static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T func,
	int block_size, size_t shared)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)func, block_size, shared);
}

template <class T> static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
	T func, int block_size, size_t shared, unsigned int flags)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)func, block_size, shared,
		flags);
}

template <class T> static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, T *func,
	int blocks, int block_size)
{
	return cudaOccupancyAvailableDynamicSMemPerBlock(shared, (const void *)func, blocks, block_size);
}

/* The block size that keeps the most threads resident; larger blocks win a tie. */
template <class T> static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size, T func,
	size_t shared = 0, int limit = 0)
{
	cudaFuncAttributes fa;
	int device, sms, max_threads, best = 0;
	cudaError_t e = cudaGetDevice(&device);
	if (e == cudaSuccess)
		e = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
	if (e == cudaSuccess)
		e = cudaFuncGetAttributes(&fa, (const void *)func);
	if (e != cudaSuccess)
		return e;
	max_threads = fa.maxThreadsPerBlock;
	if (limit > 0 && limit < max_threads)
		max_threads = limit;
	for (int size = (max_threads + 31) / 32 * 32; size > 0; size -= 32) {
		int threads = size < max_threads ? size : max_threads, blocks;
		e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)func, threads, shared);
		if (e != cudaSuccess)
			return e;
		if (blocks * threads > best) {
			best = blocks * threads;
			*block_size = threads;
			*min_grid = blocks * sms;
		}
	}
	return best ? cudaSuccess : cudaErrorInvalidValue;
}

#endif
