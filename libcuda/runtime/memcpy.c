// What programs copy and fill: libcuda/memory/copy.h does it.
#include "libcuda/memory/copy.h"

#include "libcuda/code/module.h"
#include "libcuda/context/guard.h"
#include "libcuda/runtime/api.h"

API_SYNC(cudaMemcpy, (void *dst, const void *src, size_t n, int kind), copy_linear(dst, src, n, kind, stream, false))
API_STREAM(cudaMemcpyAsync, (void *dst, const void *src, size_t n, int kind, cudaStream_t stream),
           copy_linear(dst, src, n, kind, stream, true))

static cudaError_t copy_peer(void *dst, int dst_device, const void *src, int src_device, size_t n, cudaStream_t stream,
                             bool async)
{
	if (dst_device || src_device)
		return cudaErrorInvalidDevice;
	return copy_linear(dst, src, n, COPY_DEFAULT, stream, async);
}

API(cudaMemcpyPeer, (void *dst, int dst_device, const void *src, int src_device, size_t n),
    copy_peer(dst, dst_device, src, src_device, n, NULL, false))
API(cudaMemcpyPeerAsync,
    (void *dst, int dst_device, const void *src, int src_device, size_t n, cudaStream_t stream),
    copy_peer(dst, dst_device, src, src_device, n, stream, true))

static cudaError_t copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                           int kind, cudaStream_t stream, bool async)
{
	if (width > dpitch || width > spitch || dpitch > cu.desc.max_pitch || spitch > cu.desc.max_pitch)
		return width && height ? cudaErrorInvalidPitchValue : cudaSuccess;
	return copy_submit(side_pitched(dst, dpitch, height), side_pitched(src, spitch, height), width, height, 1, kind, stream, async);
}

#define COPY_2D_PARAMS void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind
API_SYNC(cudaMemcpy2D, (COPY_2D_PARAMS), copy_2d(dst, dpitch, src, spitch, width, height, kind, stream, false))
API_STREAM(cudaMemcpy2DAsync, (COPY_2D_PARAMS, cudaStream_t stream),
           copy_2d(dst, dpitch, src, spitch, width, height, kind, stream, true))

#define TO_ARRAY_2D \
	cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch, size_t width, size_t height, int kind
#define FROM_ARRAY_2D \
	void *dst, size_t dpitch, cudaArray_t src, size_t x, size_t y, size_t width, size_t height, int kind
API_SYNC(cudaMemcpy2DToArray, (TO_ARRAY_2D),
         copy_2d_to_array(dst, x, y, src, spitch, width, height, kind, stream, false))
API_STREAM(cudaMemcpy2DToArrayAsync, (TO_ARRAY_2D, cudaStream_t stream),
           copy_2d_to_array(dst, x, y, src, spitch, width, height, kind, stream, true))
API_SYNC(cudaMemcpy2DFromArray, (FROM_ARRAY_2D),
         copy_2d_from_array(dst, dpitch, src, x, y, width, height, kind, stream, false))
API_STREAM(cudaMemcpy2DFromArrayAsync, (FROM_ARRAY_2D, cudaStream_t stream),
           copy_2d_from_array(dst, dpitch, src, x, y, width, height, kind, stream, true))
API_SYNC(cudaMemcpy2DArrayToArray,
         (cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy, size_t width, size_t height,
          int kind),
         copy_2d_arrays(dst, dx, dy, src, sx, sy, width, height, kind, stream))

#define TO_ARRAY cudaArray_t dst, size_t x, size_t y, const void *src, size_t n, int kind
#define FROM_ARRAY void *dst, cudaArray_t src, size_t x, size_t y, size_t n, int kind
API_SYNC(cudaMemcpyToArray, (TO_ARRAY), copy_run(dst, x, y, (char *)src, n, true, kind, stream, false))
API_STREAM(cudaMemcpyToArrayAsync, (TO_ARRAY, cudaStream_t stream),
           copy_run(dst, x, y, (char *)src, n, true, kind, stream, true))
API_SYNC(cudaMemcpyFromArray, (FROM_ARRAY), copy_run(src, x, y, dst, n, false, kind, stream, false))
API_STREAM(cudaMemcpyFromArrayAsync, (FROM_ARRAY, cudaStream_t stream),
           copy_run(src, x, y, dst, n, false, kind, stream, true))

API_SYNC(cudaMemcpyArrayToArray,
         (cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy, size_t n, int kind),
         copy_arrays(dst, dx, dy, src, sx, sy, n, kind, stream))

API_SYNC(cudaMemcpy3D, (const struct cudaMemcpy3DParms *p), copy_3d(p, stream, false))
API_STREAM(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t stream), copy_3d(p, stream, true))

static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *given, cudaStream_t stream, bool async)
{
	struct cudaMemcpy3DPeerParms parms, *p = &parms;
	if (!given || !guard_read(p, given, sizeof parms))
		return cudaErrorInvalidValue;
	if (p->srcDevice || p->dstDevice)
		return cudaErrorInvalidDevice;
	struct cudaMemcpy3DParms q = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
	                              p->dstPos,   p->dstPtr, p->extent, COPY_DEFAULT};
	return copy_3d(&q, stream, async);
}

API_SYNC(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *p), copy_3d_peer(p, stream, false))
API_STREAM(cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream),
           copy_3d_peer(p, stream, true))

static cudaError_t copy_symbol(const void *symbol, const void *other, size_t n, size_t offset, int kind, bool to_symbol,
                               cudaStream_t stream, bool async)
{
	int from_host = to_symbol ? COPY_HOST_TO_DEVICE : COPY_DEVICE_TO_HOST;
	if (kind != from_host && kind != COPY_DEVICE_TO_DEVICE && kind != COPY_DEFAULT)
		return cudaErrorInvalidMemcpyDirection;
	cudaError_t e;
	struct variable *v = variable_get(symbol, &e);
	if (!v)
		return e;
	if (offset > v->size || n > v->size - offset) {
		cu_complain("%zu bytes at offset %zu are not all in %s, which has %zu", n, offset, v->name, v->size);
		return cudaErrorInvalidValue;
	}
	char *p = (char *)v->addr + offset;
	return to_symbol ? copy_linear(p, other, n, kind, stream, async) : copy_linear((void *)other, p, n, kind, stream, async);
}

#define TO_SYMBOL const void *symbol, const void *src, size_t n, size_t offset, int kind
#define FROM_SYMBOL void *dst, const void *symbol, size_t n, size_t offset, int kind
API_SYNC(cudaMemcpyToSymbol, (TO_SYMBOL), copy_symbol(symbol, src, n, offset, kind, true, stream, false))
API_STREAM(cudaMemcpyToSymbolAsync, (TO_SYMBOL, cudaStream_t stream),
           copy_symbol(symbol, src, n, offset, kind, true, stream, true))
API_SYNC(cudaMemcpyFromSymbol, (FROM_SYMBOL), copy_symbol(symbol, dst, n, offset, kind, false, stream, false))
API_STREAM(cudaMemcpyFromSymbolAsync, (FROM_SYMBOL, cudaStream_t stream),
           copy_symbol(symbol, dst, n, offset, kind, false, stream, true))

static cudaError_t fill(void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream, bool async)
{
	struct fill_request r = {p, pitch, pitch * height, (uint8_t)value, 1, width, height, 1};
	return fill_submit(&r, stream, async);
}

API_SYNC(cudaMemset, (void *p, int value, size_t n), fill(p, n, value, n, 1, stream, false))
API_STREAM(cudaMemsetAsync, (void *p, int value, size_t n, cudaStream_t stream),
           fill(p, n, value, n, 1, stream, true))

#define FILL_2D void *p, size_t pitch, int value, size_t width, size_t height
API_SYNC(cudaMemset2D, (FILL_2D), fill(p, pitch, value, width, height, stream, false))
API_STREAM(cudaMemset2DAsync, (FILL_2D, cudaStream_t stream),
           fill(p, pitch, value, width, height, stream, true))

#define FILL_3D struct cudaPitchedPtr p, int value, struct cudaExtent e
API_SYNC(cudaMemset3D, (FILL_3D), fill_3d(&p, value, &e, stream, false))
API_STREAM(cudaMemset3DAsync, (FILL_3D, cudaStream_t stream), fill_3d(&p, value, &e, stream, true))
