// Copies: what libcuda/memory/copy.h, copy_box.h and batch.h do, by the driver's names.
#include "libcuda/memory/copy.h"

#include "libcuda/driver/driver.h"
#include "libcuda/life/contexts.h"
#include "libcuda/memory/batch.h"
#include "libcuda/memory/copy_box.h"

#define TO(p) ((void *)(uintptr_t)(p))

// --- rows of bytes

#define COPY(name, params, dst, src, kind) DRIVER_SYNC(name, params, copy_linear(dst, src, n, kind, stream, false))
#define COPY_ASYNC(name, params, dst, src, kind) DRIVER_STREAM(name, params, copy_linear(dst, src, n, kind, stream, true))

COPY(cuMemcpy, (CUdeviceptr dst, CUdeviceptr src, size_t n), TO(dst), TO(src), COPY_DEFAULT)
COPY(cuMemcpyHtoD_v2, (CUdeviceptr dst, const void *src, size_t n), TO(dst), src, COPY_HOST_TO_DEVICE)
COPY(cuMemcpyDtoH_v2, (void *dst, CUdeviceptr src, size_t n), dst, TO(src), COPY_DEVICE_TO_HOST)
COPY(cuMemcpyDtoD_v2, (CUdeviceptr dst, CUdeviceptr src, size_t n), TO(dst), TO(src), COPY_DEVICE_TO_DEVICE)
COPY_ASYNC(cuMemcpyAsync, (CUdeviceptr dst, CUdeviceptr src, size_t n, cudaStream_t stream), TO(dst), TO(src), COPY_DEFAULT)
COPY_ASYNC(cuMemcpyHtoDAsync_v2, (CUdeviceptr dst, const void *src, size_t n, cudaStream_t stream), TO(dst), src, COPY_HOST_TO_DEVICE)
COPY_ASYNC(cuMemcpyDtoHAsync_v2, (void *dst, CUdeviceptr src, size_t n, cudaStream_t stream), dst, TO(src), COPY_DEVICE_TO_HOST)
COPY_ASYNC(cuMemcpyDtoDAsync_v2, (CUdeviceptr dst, CUdeviceptr src, size_t n, cudaStream_t stream), TO(dst), TO(src), COPY_DEVICE_TO_DEVICE)

static cudaError_t copy_peer(CUdeviceptr dst, struct cu_context *to, CUdeviceptr src, struct cu_context *from, size_t n, cudaStream_t stream,
                             bool async)
{
	if (!context_valid(to) || !context_valid(from))
		return cudaErrorDeviceUninitialized;
	return copy_linear(TO(dst), TO(src), n, COPY_DEFAULT, stream, async);
}

#define PEER_PARAMS CUdeviceptr dst, struct cu_context *to, CUdeviceptr src, struct cu_context *from, size_t n
DRIVER_SYNC(cuMemcpyPeer, (PEER_PARAMS), copy_peer(dst, to, src, from, n, stream, false))
DRIVER_STREAM(cuMemcpyPeerAsync, (PEER_PARAMS, cudaStream_t stream), copy_peer(dst, to, src, from, n, stream, true))

// --- rows of bytes in arrays, at an offset of bytes

static cudaError_t run(cudaArray_t array, size_t offset, void *p, size_t n, bool to_array, int kind, cudaStream_t stream, bool async)
{
	struct array *a = array_find(array);
	if (!a)
		return array_missing(array);
	size_t row = a->extent.width * a->texel;
	return copy_run(a, offset % row, offset / row, p, n, to_array, kind, stream, async);
}

static cudaError_t run_arrays(cudaArray_t dst, size_t to, cudaArray_t src, size_t from, size_t n, cudaStream_t stream)
{
	struct array *d = array_find(dst), *s = array_find(src);
	if (!d || !s)
		return array_missing(d ? src : dst);
	size_t row = d->extent.width * d->texel, other = s->extent.width * s->texel;
	return copy_arrays(d, to % row, to / row, s, from % other, from / other, n, COPY_DEVICE_TO_DEVICE, stream);
}

DRIVER_SYNC(cuMemcpyDtoA_v2, (cudaArray_t dst, size_t at, CUdeviceptr src, size_t n),
            run(dst, at, TO(src), n, true, COPY_DEVICE_TO_DEVICE, stream, false))
DRIVER_SYNC(cuMemcpyAtoD_v2, (CUdeviceptr dst, cudaArray_t src, size_t at, size_t n),
            run(src, at, TO(dst), n, false, COPY_DEVICE_TO_DEVICE, stream, false))
DRIVER_SYNC(cuMemcpyHtoA_v2, (cudaArray_t dst, size_t at, const void *src, size_t n),
            run(dst, at, (void *)src, n, true, COPY_HOST_TO_DEVICE, stream, false))
DRIVER_SYNC(cuMemcpyAtoH_v2, (void *dst, cudaArray_t src, size_t at, size_t n),
            run(src, at, dst, n, false, COPY_DEVICE_TO_HOST, stream, false))
DRIVER_STREAM(cuMemcpyHtoAAsync_v2, (cudaArray_t dst, size_t at, const void *src, size_t n, cudaStream_t stream),
              run(dst, at, (void *)src, n, true, COPY_HOST_TO_DEVICE, stream, true))
DRIVER_STREAM(cuMemcpyAtoHAsync_v2, (void *dst, cudaArray_t src, size_t at, size_t n, cudaStream_t stream),
              run(src, at, dst, n, false, COPY_DEVICE_TO_HOST, stream, true))
DRIVER_SYNC(cuMemcpyAtoA_v2, (cudaArray_t dst, size_t to, cudaArray_t src, size_t from, size_t n),
            run_arrays(dst, to, src, from, n, stream))

// --- boxes

static cudaError_t rect(const struct rect_copy *given, cudaStream_t stream, bool async)
{
	struct box_copy c;
	return box_read_rect(&c, given) ? box_submit(&c, stream, async) : cudaErrorInvalidValue;
}

static cudaError_t box(const struct box_copy *given, cudaStream_t stream, bool async)
{
	struct box_copy c;
	if (!box_read(&c, given) || c.src.context || c.dst.context)
		return cudaErrorInvalidValue;
	return box_submit(&c, stream, async);
}

static bool good_context(const struct box_side *s) { return s->type == BOX_ARRAY || context_valid(s->context); }

static cudaError_t box_peer(const struct box_copy *given, cudaStream_t stream, bool async)
{
	struct box_copy c;
	if (!box_read(&c, given))
		return cudaErrorInvalidValue;
	return good_context(&c.src) && good_context(&c.dst) ? box_submit(&c, stream, async) : cudaErrorDeviceUninitialized;
}

DRIVER_SYNC(cuMemcpy2D_v2, (const struct rect_copy *copy), rect(copy, stream, false))
DRIVER_SYNC(cuMemcpy2DUnaligned_v2, (const struct rect_copy *copy), rect(copy, stream, false))
DRIVER_STREAM(cuMemcpy2DAsync_v2, (const struct rect_copy *copy, cudaStream_t stream), rect(copy, stream, true))
DRIVER_SYNC(cuMemcpy3D_v2, (const struct box_copy *copy), box(copy, stream, false))
DRIVER_STREAM(cuMemcpy3DAsync_v2, (const struct box_copy *copy, cudaStream_t stream), box(copy, stream, true))
DRIVER_SYNC(cuMemcpy3DPeer, (const struct box_copy *copy), box_peer(copy, stream, false))
DRIVER_STREAM(cuMemcpy3DPeerAsync, (const struct box_copy *copy, cudaStream_t stream), box_peer(copy, stream, true))

// --- batches. Before CUDA 13 there was a place for the number of the entry that is wrong.

#define BATCH void *const *dst, const void *const *src, const size_t *sizes, size_t count, const struct copy_attributes *attributes, \
	const size_t *first, size_t n
DRIVER_STREAM(cuMemcpyBatchAsync, (BATCH, size_t *fail, cudaStream_t stream),
              batch_copy(dst, src, sizes, count, attributes, first, n, fail, stream))
DRIVER_STREAM(cuMemcpyBatchAsync_v2, (BATCH, cudaStream_t stream),
              batch_copy(dst, src, sizes, count, attributes, first, n, NULL, stream))
DRIVER_STREAM(cuMemcpy3DBatchAsync, (size_t count, const struct copy_3d_op *ops, size_t *fail, unsigned long long flags, cudaStream_t stream),
              batch_copy_3d(count, ops, fail, flags, stream))
DRIVER_STREAM(cuMemcpy3DBatchAsync_v2, (size_t count, const struct copy_3d_op *ops, unsigned long long flags, cudaStream_t stream),
              batch_copy_3d(count, ops, NULL, flags, stream))
