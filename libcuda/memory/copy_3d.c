// Copies and fills of boxes: cudaMemcpy3D, cudaMemset3D.
#include "libcuda/memory/copy.h"

#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"

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
		          : side_array(out, handle, at->x * a->texel, at->y, at->z, width, e->height, e->depth);
	}
	if (impossible(p, e) || at->x > most || at->y > most || at->z > most)
		return cudaErrorInvalidValue;
	if (e->height > 1 || e->depth > 1)
		if (at->x + width > p->pitch || p->pitch > cu.desc.max_pitch)
			return cudaErrorInvalidPitchValue;
	if (e->depth > 1 && at->y + e->height > p->ysize)
		return cudaErrorInvalidValue;
	*out = side_pitched(p->ptr, p->pitch, p->ysize);
	if ((unsigned __int128)at->z * out->slice + (unsigned __int128)at->y * out->pitch + at->x > most)
		return cudaErrorInvalidValue;
	out->p += at->z * out->slice + at->y * out->pitch + at->x;
	return cudaSuccess;
}

struct copy_3d {
	struct side dst, src;
	size_t width; // bytes
	struct cudaExtent extent;
	int kind;
};

// Each side is an array or a pointer, "passing more than one of either" or none is an error even where nothing is copied.
static cudaError_t read_3d(struct copy_3d *c, const struct cudaMemcpy3DParms *given)
{
	struct cudaMemcpy3DParms parms, *p = &parms;
	if (!given || !guard_read(p, given, sizeof parms) || !p->dstArray == !p->dstPtr.ptr || !p->srcArray == !p->srcPtr.ptr)
		return cudaErrorInvalidValue;
	struct array *d = array_find(p->dstArray), *s = array_find(p->srcArray);
	if ((d && s && d->texel != s->texel) || p->extent.width > most)
		return cudaErrorInvalidValue;
	*c = (struct copy_3d){.width = p->extent.width * (d ? d->texel : s ? s->texel : 1), .extent = p->extent, .kind = p->kind};
	if (!p->extent.width || !p->extent.height || !p->extent.depth)
		return cudaSuccess;
	cudaError_t e = side_3d(&c->dst, p->dstArray, &p->dstPtr, &p->dstPos, &p->extent, c->width);
	return e ? e : side_3d(&c->src, p->srcArray, &p->srcPtr, &p->srcPos, &p->extent, c->width);
}

cudaError_t copy_3d(const struct cudaMemcpy3DParms *given, cudaStream_t stream, bool async)
{
	struct copy_3d c;
	cudaError_t e = read_3d(&c, given);
	if (e || !c.width || !c.extent.height || !c.extent.depth)
		return e;
	return copy_submit(c.dst, c.src, c.width, c.extent.height, c.extent.depth, c.kind, stream, async);
}

cudaError_t copy_3d_make(struct op **out, const struct cudaMemcpy3DParms *given)
{
	struct copy_3d c;
	*out = NULL;
	cudaError_t e = read_3d(&c, given);
	return e ? e : copy_make(out, c.dst, c.src, c.width, c.extent.height, c.extent.depth, c.kind);
}

cudaError_t fill_3d(const struct cudaPitchedPtr *p, int value, const struct cudaExtent *e, cudaStream_t stream,
                           bool async)
{
	if (impossible(p, e) || (e->depth > 1 && e->height > p->ysize))
		return cudaErrorInvalidValue;
	struct fill_request r = {p->ptr, p->pitch, p->pitch * p->ysize, (uint8_t)value, 1, e->width, e->height, e->depth};
	return fill_submit(&r, stream, async);
}
