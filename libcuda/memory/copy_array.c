// Copies to and from arrays.
#include "libcuda/memory/copy.h"

#include "libcuda/context/context.h"

// A box of an array: x and width in bytes, the rest in rows and slices.
cudaError_t side_array(struct side *out, cudaArray_t handle, size_t x, size_t y, size_t z, size_t width,
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

// A pitch of 0 is none, and a single row needs none.
static bool pitch_fits(size_t pitch, size_t width, size_t height)
{
	return pitch ? pitch >= width && pitch <= cu.desc.max_pitch : height == 1;
}

cudaError_t copy_2d_to_array(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch, size_t width,
                                    size_t height, int kind, cudaStream_t stream, bool async)
{
	struct side d;
	cudaError_t e = side_array(&d, dst, x, y, 0, width, height, 1);
	if (e || !width || !height)
		return e;
	if (!pitch_fits(spitch, width, height))
		return cudaErrorInvalidPitchValue;
	return copy_submit(d, side_pitched(src, spitch, height), width, height, 1, kind, stream, async);
}

cudaError_t copy_2d_from_array(void *dst, size_t dpitch, cudaArray_t src, size_t x, size_t y, size_t width,
                                      size_t height, int kind, cudaStream_t stream, bool async)
{
	struct side s;
	cudaError_t e = side_array(&s, src, x, y, 0, width, height, 1);
	if (e || !width || !height)
		return e;
	if (!pitch_fits(dpitch, width, height))
		return cudaErrorInvalidPitchValue;
	return copy_submit(side_pitched(dst, dpitch, height), s, width, height, 1, kind, stream, async);
}

cudaError_t copy_2d_arrays(cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy,
                                  size_t width, size_t height, int kind, cudaStream_t stream)
{
	struct side d, s;
	cudaError_t e = side_array(&d, dst, dx, dy, 0, width, height, 1);
	e = e ? e : side_array(&s, src, sx, sy, 0, width, height, 1);
	return e ? e : copy_submit(d, s, width, height, 1, kind, stream, false);
}

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

cudaError_t copy_run(cudaArray_t handle, size_t x, size_t y, char *p, size_t n, bool to_array, int kind,
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

cudaError_t copy_arrays(cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy, size_t n,
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
