// Copies and fills in all their forms. Each is reduced to two sides with a pitch, checked, and put into a stream.
//
// A call returns when CUDA says it may: copies that involve pageable host memory once they are done (small ones to the
// device once the source has been read), copies inside the device and asynchronous ones on pinned memory at once.
#include "base/mem.h"
#include "libcuda/runtime/api.h"
#include "libcuda/memory/array.h"
#include "libcuda/context/guard.h"
#include "libcuda/code/module.h"
#include "libcuda/work/op.h"
#include "libcuda/work/sim_thread.h"
#include "libcuda/work/stream.h"
#include "libcuda/work/wait.h"

#include <string.h>

// CUDA programming guide: host to device copies of a memory block of 64 KB or less are asynchronous.
enum { STAGING_LIMIT = 65536 };

enum place { PAGEABLE, PINNED, MANAGED, DEVICE };

struct side {
	char *p;             // first byte
	size_t pitch, slice; // bytes
	struct array *array; // bounds are checked already
	enum place place;
	const char *what;    // "source", "destination"
};

static enum place place_of(enum devmem_kind kind)
{
	return kind == DEVMEM_MANAGED ? MANAGED : kind == DEVMEM_HOST || kind == DEVMEM_REGISTERED ? PINNED : DEVICE;
}

// Finds out what kind of memory a side is and whether all of it exists.
static cudaError_t locate(struct side *s, size_t width, size_t height, size_t depth)
{
	if (s->array) {
		s->place = DEVICE;
		return cudaSuccess;
	}
	unsigned __int128 bytes = (unsigned __int128)s->slice * (depth - 1) + (unsigned __int128)s->pitch * (height - 1) +
	                          width;
	uint64_t addr = (uint64_t)s->p;
	const struct devmem_range *r = s->p ? devmem_find(cu.mem, addr) : NULL;
	bool reserved = addr >= cu.mem->base && addr - cu.mem->base < cu.mem->size;
	if (!s->p || bytes > UINT64_MAX / 2 || (!r && reserved) || (r && bytes > r->end - addr) ||
	    (!r && !guard_mapped(s->p, (size_t)bytes))) {
		cu_complain("%s: %llu bytes at %p %s", s->what, (unsigned long long)bytes, s->p,
		            r ? "reach past the end of the allocation" : "are not all memory");
		return cudaErrorInvalidValue;
	}
	s->place = r ? place_of(r->kind) : PAGEABLE;
	return cudaSuccess;
}

static cudaError_t check_side(const struct side *s, bool device)
{
	if (device ? s->place != PAGEABLE : s->place != DEVICE)
		return cudaSuccess;
	cu_complain("%s: %p is %s memory, which does not agree with the direction of the copy", s->what, s->p,
	            device ? "host" : "device");
	return cudaErrorInvalidValue;
}

static cudaError_t check_direction(const struct side *dst, const struct side *src, int kind)
{
	if (kind == COPY_DEFAULT)
		return cudaSuccess;
	cudaError_t e = check_side(dst, kind == COPY_HOST_TO_DEVICE || kind == COPY_DEVICE_TO_DEVICE);
	return e ? e : check_side(src, kind == COPY_DEVICE_TO_HOST || kind == COPY_DEVICE_TO_DEVICE);
}

static void read_source(void *op)
{
	struct copy_op *c = op;
	char *to = c->staged;
	for (size_t z = 0; z < c->depth; z++)
		for (size_t y = 0; y < c->height; y++)
			memcpy(to + (z * c->height + y) * c->width, c->src + z * c->sslice + y * c->spitch, c->width);
}

// The source is read now, so the program may change it at once. False if it cannot be read at *bad.
static bool stage(struct copy_op *c, const void **bad)
{
	c->staged = mem_alloc(c->width * c->height * c->depth);
	if (!guard_run(read_source, c, bad)) {
		mem_free(c->staged);
		return false;
	}
	c->src = c->staged;
	c->spitch = c->width;
	c->sslice = c->width * c->height;
	return true;
}

static cudaError_t no_access(const struct side *s, const void *where, bool write)
{
	cu_complain("%s: the memory at %p cannot be %s", s->what, where, write ? "written" : "read");
	return cudaErrorInvalidValue;
}

static bool holds(const struct side *s, const void *p, size_t height, size_t depth)
{
	return (const char *)p >= s->p && (size_t)((const char *)p - s->p) < s->slice * (depth - 1) + s->pitch * height;
}

static cudaError_t copy(struct side dst, struct side src, size_t width, size_t height, size_t depth, int kind,
                        cudaStream_t handle, bool async)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	if (kind < COPY_HOST_TO_HOST || kind > COPY_DEFAULT)
		return cudaErrorInvalidMemcpyDirection;
	if (!width || !height || !depth)
		return cudaSuccess;
	dst.what = "destination";
	src.what = "source";
	cudaError_t e = locate(&dst, width, height, depth);
	e = e ? e : locate(&src, width, height, depth);
	e = e ? e : check_direction(&dst, &src, kind);
	if (e)
		return e;
	struct copy_op c = {dst.p,    src.p, dst.pitch, src.pitch, dst.slice,
	                    src.slice, width, height,    depth,     NULL, NULL};
	const void *bad = NULL;
	bool wait = dst.place == PAGEABLE;
	if (src.place == PAGEABLE && dst.place != PAGEABLE && (unsigned __int128)width * height * depth <= STAGING_LIMIT) {
		if (!stage(&c, &bad))
			return no_access(&src, bad, false);
	} else if (src.place == PAGEABLE) {
		wait = true;
	}
	if (!async && (dst.place != DEVICE || src.place != DEVICE))
		wait = true;
	struct op *op = op_new(OP_COPY);
	c.bad = wait ? &bad : NULL;
	op->u.copy = c;
	sim_push(s, op);
	e = wait ? wait_stream(s) : cudaSuccess;
	if (e || !bad)
		return e;
	bool write = dst.place != DEVICE && holds(&dst, bad, height, depth);
	return no_access(write ? &dst : &src, bad, write);
}

static struct side linear(const void *p, size_t n) { return (struct side){.p = (char *)p, .pitch = n, .slice = n}; }

static struct side pitched(const void *p, size_t pitch, size_t height)
{
	return (struct side){.p = (char *)p, .pitch = pitch, .slice = pitch * height};
}

static cudaError_t copy_1d(void *dst, const void *src, size_t n, int kind, cudaStream_t stream, bool async)
{
	return copy(linear(dst, n), linear(src, n), n, 1, 1, kind, stream, async);
}

API_SYNC(cudaMemcpy, (void *dst, const void *src, size_t n, int kind), copy_1d(dst, src, n, kind, stream, false))
API_STREAM(cudaMemcpyAsync, (void *dst, const void *src, size_t n, int kind, cudaStream_t stream),
           copy_1d(dst, src, n, kind, stream, true))

static cudaError_t copy_peer(void *dst, int dst_device, const void *src, int src_device, size_t n, cudaStream_t stream,
                             bool async)
{
	if (dst_device || src_device)
		return cudaErrorInvalidDevice;
	return copy_1d(dst, src, n, COPY_DEFAULT, stream, async);
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
	return copy(pitched(dst, dpitch, height), pitched(src, spitch, height), width, height, 1, kind, stream, async);
}

#define COPY_2D_PARAMS void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind
API_SYNC(cudaMemcpy2D, (COPY_2D_PARAMS), copy_2d(dst, dpitch, src, spitch, width, height, kind, stream, false))
API_STREAM(cudaMemcpy2DAsync, (COPY_2D_PARAMS, cudaStream_t stream),
           copy_2d(dst, dpitch, src, spitch, width, height, kind, stream, true))

// A box of an array: x and width in bytes, the rest in rows and slices.
static cudaError_t array_side(struct side *out, cudaArray_t handle, size_t x, size_t y, size_t z, size_t width,
                              size_t height, size_t depth)
{
	struct array *a = array_find(handle);
	if (!a)
		return array_missing(handle);
	size_t row = a->extent.width * a->texel;
	if (x > row || width > row - x || y > a->rows || height > a->rows - y || z > a->slices || depth > a->slices - z)
		return cudaErrorInvalidValue;
	*out = (struct side){
	        .p = (char *)a->addr + z * a->slice + y * a->pitch + x,
	        .pitch = a->pitch,
	        .slice = a->slice,
	        .array = a,
	};
	return cudaSuccess;
}

static cudaError_t copy_2d_to_array(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch, size_t width,
                                    size_t height, int kind, cudaStream_t stream, bool async)
{
	struct side d;
	cudaError_t e = array_side(&d, dst, x, y, 0, width, height, 1);
	if (e || !width || !height)
		return e;
	if (width > spitch || spitch > cu.desc.max_pitch)
		return cudaErrorInvalidPitchValue;
	return copy(d, pitched(src, spitch, height), width, height, 1, kind, stream, async);
}

static cudaError_t copy_2d_from_array(void *dst, size_t dpitch, cudaArray_t src, size_t x, size_t y, size_t width,
                                      size_t height, int kind, cudaStream_t stream, bool async)
{
	struct side s;
	cudaError_t e = array_side(&s, src, x, y, 0, width, height, 1);
	if (e || !width || !height)
		return e;
	if (width > dpitch || dpitch > cu.desc.max_pitch)
		return cudaErrorInvalidPitchValue;
	return copy(pitched(dst, dpitch, height), s, width, height, 1, kind, stream, async);
}

static cudaError_t copy_2d_arrays(cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy,
                                  size_t width, size_t height, int kind, cudaStream_t stream)
{
	struct side d, s;
	cudaError_t e = array_side(&d, dst, dx, dy, 0, width, height, 1);
	e = e ? e : array_side(&s, src, sx, sy, 0, width, height, 1);
	return e ? e : copy(d, s, width, height, 1, kind, stream, false);
}

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

// The older one-dimensional array copies run on from row to row. They are cut into pieces that are boxes: the rest of
// the first row, whole rows, the beginning of the last one.
static size_t piece(const struct array *a, size_t x, size_t n, size_t *width)
{
	size_t row = a->extent.width * a->texel;
	*width = x || n < row ? (n < row - x ? n : row - x) : row;
	return *width == row ? n / row : 1;
}

static bool run_fits(const struct array *a, size_t x, size_t y, size_t n)
{
	size_t row = a->extent.width * a->texel;
	return x < row && y < a->rows && n <= (a->rows - y) * row - x;
}

static cudaError_t copy_run(cudaArray_t handle, size_t x, size_t y, char *p, size_t n, bool to_array, int kind,
                            cudaStream_t stream, bool async)
{
	struct array *a = array_find(handle);
	if (!a)
		return array_missing(handle);
	if (n && !run_fits(a, x, y, n))
		return cudaErrorInvalidValue;
	while (n) {
		size_t width, rows = piece(a, x, n, &width);
		cudaError_t e = to_array ? copy_2d_to_array(a, x, y, p, width, width, rows, kind, stream, async)
		                         : copy_2d_from_array(p, width, a, x, y, width, rows, kind, stream, async);
		if (e)
			return e;
		p += width * rows;
		n -= width * rows;
		x = 0;
		y += rows;
	}
	return cudaSuccess;
}

#define TO_ARRAY cudaArray_t dst, size_t x, size_t y, const void *src, size_t n, int kind
#define FROM_ARRAY void *dst, cudaArray_t src, size_t x, size_t y, size_t n, int kind
API_SYNC(cudaMemcpyToArray, (TO_ARRAY), copy_run(dst, x, y, (char *)src, n, true, kind, stream, false))
API_STREAM(cudaMemcpyToArrayAsync, (TO_ARRAY, cudaStream_t stream),
           copy_run(dst, x, y, (char *)src, n, true, kind, stream, true))
API_SYNC(cudaMemcpyFromArray, (FROM_ARRAY), copy_run(src, x, y, dst, n, false, kind, stream, false))
API_STREAM(cudaMemcpyFromArrayAsync, (FROM_ARRAY, cudaStream_t stream),
           copy_run(src, x, y, dst, n, false, kind, stream, true))

static cudaError_t copy_arrays(cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy, size_t n,
                               int kind, cudaStream_t stream)
{
	struct array *d = array_find(dst), *s = array_find(src);
	if (!d || !s)
		return array_missing(d ? src : dst);
	if (n && (!run_fits(d, dx, dy, n) || !run_fits(s, sx, sy, n)))
		return cudaErrorInvalidValue;
	while (n) {
		size_t width, other;
		piece(d, dx, n, &width);
		piece(s, sx, n, &other);
		width = width < other ? width : other;
		cudaError_t e = copy_2d_arrays(d, dx, dy, s, sx, sy, width, 1, kind, stream);
		if (e)
			return e;
		n -= width;
		dx += width, sx += width;
		if (dx == d->extent.width * d->texel)
			dx = 0, dy++;
		if (sx == s->extent.width * s->texel)
			sx = 0, sy++;
	}
	return cudaSuccess;
}

API_SYNC(cudaMemcpyArrayToArray,
         (cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy, size_t n, int kind),
         copy_arrays(dst, dx, dy, src, sx, sy, n, kind, stream))

// No number of bytes, rows or slices is larger: the addresses of a process have 47 bits. Sums of such numbers do not
// overflow, and a slice that is too large is told from one that fits.
static const uint64_t most = (uint64_t)1 << 47;

static bool impossible(const struct cudaPitchedPtr *p, const struct cudaExtent *e)
{
	return p->pitch > most || p->ysize > most || e->width > most || e->height > most || e->depth > most ||
	       (unsigned __int128)p->pitch * p->ysize > most;
}

// One side of a 3D copy: an array or a pitched pointer, not both. With an array the width counts its texels.
static cudaError_t side_3d(struct side *out, cudaArray_t handle, const struct cudaPitchedPtr *p,
                           const struct cudaPos *at, const struct cudaExtent *e, size_t width)
{
	if (handle) {
		struct array *a = array_find(handle);
		return !a ? array_missing(handle)
		          : array_side(out, handle, at->x * a->texel, at->y, at->z, width, e->height, e->depth);
	}
	if (impossible(p, e) || at->x > most || at->y > most || at->z > most)
		return cudaErrorInvalidValue;
	if (e->height > 1 || e->depth > 1)
		if (at->x + width > p->pitch || p->pitch > cu.desc.max_pitch)
			return cudaErrorInvalidPitchValue;
	if (e->depth > 1 && at->y + e->height > p->ysize)
		return cudaErrorInvalidValue;
	*out = pitched(p->ptr, p->pitch, p->ysize);
	if ((unsigned __int128)at->z * out->slice + (unsigned __int128)at->y * out->pitch + at->x > most)
		return cudaErrorInvalidValue;
	out->p += at->z * out->slice + at->y * out->pitch + at->x;
	return cudaSuccess;
}

// Each side is an array or a pointer, "passing more than one of either" or none is an error even where nothing is copied.
static cudaError_t copy_3d(const struct cudaMemcpy3DParms *given, cudaStream_t stream, bool async)
{
	struct cudaMemcpy3DParms parms, *p = &parms;
	if (!given || !guard_read(p, given, sizeof parms) || !p->dstArray == !p->dstPtr.ptr || !p->srcArray == !p->srcPtr.ptr)
		return cudaErrorInvalidValue;
	struct array *d = array_find(p->dstArray), *s = array_find(p->srcArray);
	if ((d && s && d->texel != s->texel) || p->extent.width > most)
		return cudaErrorInvalidValue;
	size_t width = p->extent.width * (d ? d->texel : s ? s->texel : 1);
	struct side dst, src;
	if (!p->extent.width || !p->extent.height || !p->extent.depth)
		return cudaSuccess;
	cudaError_t e = side_3d(&dst, p->dstArray, &p->dstPtr, &p->dstPos, &p->extent, width);
	e = e ? e : side_3d(&src, p->srcArray, &p->srcPtr, &p->srcPos, &p->extent, width);
	return e ? e : copy(dst, src, width, p->extent.height, p->extent.depth, p->kind, stream, async);
}

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
	return to_symbol ? copy_1d(p, other, n, kind, stream, async) : copy_1d((void *)other, p, n, kind, stream, async);
}

#define TO_SYMBOL const void *symbol, const void *src, size_t n, size_t offset, int kind
#define FROM_SYMBOL void *dst, const void *symbol, size_t n, size_t offset, int kind
API_SYNC(cudaMemcpyToSymbol, (TO_SYMBOL), copy_symbol(symbol, src, n, offset, kind, true, stream, false))
API_STREAM(cudaMemcpyToSymbolAsync, (TO_SYMBOL, cudaStream_t stream),
           copy_symbol(symbol, src, n, offset, kind, true, stream, true))
API_SYNC(cudaMemcpyFromSymbol, (FROM_SYMBOL), copy_symbol(symbol, dst, n, offset, kind, false, stream, false))
API_STREAM(cudaMemcpyFromSymbolAsync, (FROM_SYMBOL, cudaStream_t stream),
           copy_symbol(symbol, dst, n, offset, kind, false, stream, true))

static cudaError_t fill(char *p, size_t pitch, size_t slice, int value, size_t width, size_t height, size_t depth,
                        cudaStream_t handle, bool async)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	if (!width || !height || !depth)
		return cudaSuccess;
	// cuMemsetD2D8: the pitch counts only where there is a second row. Unlike copies, fills have no code of their own for it.
	if ((height > 1 || depth > 1) && (width > pitch || pitch > cu.desc.max_pitch))
		return cudaErrorInvalidValue;
	struct side side = {.p = p, .pitch = pitch, .slice = slice, .what = "destination"};
	cudaError_t e = locate(&side, width, height, depth);
	e = e ? e : check_side(&side, true);
	if (e)
		return e;
	struct op *op = op_new(OP_FILL);
	op->u.fill = (struct fill_op){p, value, pitch, slice, width, height, depth};
	sim_push(s, op);
	return !async && side.place == PINNED ? wait_stream(s) : cudaSuccess;
}

API_SYNC(cudaMemset, (void *p, int value, size_t n), fill(p, n, n, value, n, 1, 1, stream, false))
API_STREAM(cudaMemsetAsync, (void *p, int value, size_t n, cudaStream_t stream),
           fill(p, n, n, value, n, 1, 1, stream, true))

#define FILL_2D void *p, size_t pitch, int value, size_t width, size_t height
API_SYNC(cudaMemset2D, (FILL_2D), fill(p, pitch, pitch * height, value, width, height, 1, stream, false))
API_STREAM(cudaMemset2DAsync, (FILL_2D, cudaStream_t stream),
           fill(p, pitch, pitch * height, value, width, height, 1, stream, true))

static cudaError_t fill_3d(const struct cudaPitchedPtr *p, int value, const struct cudaExtent *e, cudaStream_t stream,
                           bool async)
{
	if (impossible(p, e) || (e->depth > 1 && e->height > p->ysize))
		return cudaErrorInvalidValue;
	return fill(p->ptr, p->pitch, p->pitch * p->ysize, value, e->width, e->height, e->depth, stream, async);
}

#define FILL_3D struct cudaPitchedPtr p, int value, struct cudaExtent e
API_SYNC(cudaMemset3D, (FILL_3D), fill_3d(&p, value, &e, stream, false))
API_STREAM(cudaMemset3DAsync, (FILL_3D, cudaStream_t stream), fill_3d(&p, value, &e, stream, true))
