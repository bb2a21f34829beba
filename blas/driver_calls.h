// The functions of the CUDA driver that this library calls: it is a program like others.
#ifndef BLAS_DRIVER_CALLS_H
#define BLAS_DRIVER_CALLS_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;

enum { CUDA_SUCCESS = 0, CUDA_ERROR_OUT_OF_MEMORY = 2 };

// CUDA_MEMCPY2D; the kinds of memory are 1 for the host, 2 for the device.
struct copy_2d {
	size_t src_x, src_y;
	int src_kind;
	const void *src_host;
	CUdeviceptr src_device;
	void *src_array;
	size_t src_pitch;
	size_t dst_x, dst_y;
	int dst_kind;
	void *dst_host;
	CUdeviceptr dst_device;
	void *dst_array;
	size_t dst_pitch;
	size_t width, height;
};

int cuInit(unsigned flags);
int cuCtxGetCurrent(CUcontext *context);
int cuCtxSetCurrent(CUcontext context);
int cuCtxGetId(CUcontext context, unsigned long long *id);
int cuDevicePrimaryCtxRetain(CUcontext *context, int device);
int cuModuleLoadData(CUmodule *module, const void *image);
int cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
int cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   CUstream stream, void **params, void **extra);
int cuMemAlloc_v2(CUdeviceptr *at, size_t size);
int cuMemFree_v2(CUdeviceptr at);
int cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream);
int cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream stream);
int cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream);
int cuMemcpy2DAsync_v2(const struct copy_2d *copy, CUstream stream);
int cuStreamSynchronize(CUstream stream);

#endif
