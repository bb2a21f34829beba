#include "libcuda/memory/copy_box.h"

#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/memory/copy.h"

_Static_assert(sizeof(struct box_copy) == 200 && sizeof(struct rect_copy) == 128, "13.0");

bool box_read(struct box_copy *out, const struct box_copy *given) { return given && guard_read(out, given, sizeof *out); }

static struct box_side of_rect(const struct rect_side *r)
{
	return (struct box_side){.x = r->x, .y = r->y, .type = r->type, .host = r->host, .device = r->device, .array = r->array,
	                         .pitch = r->pitch};
}

bool box_read_rect(struct box_copy *out, const struct rect_copy *given)
{
	struct rect_copy r;
	if (!given || !guard_read(&r, given, sizeof r))
		return false;
	*out = (struct box_copy){of_rect(&r.src), of_rect(&r.dst), r.width, r.height, 1};
	return true;
}

// No number of bytes, rows or slices is larger: the addresses of a process have 47 bits. Sums of such numbers do not overflow.
static const uint64_t most = (uint64_t)1 << 47;

static cudaError_t pitched(struct side *out, const struct box_side *s, const struct box_copy *c)
{
	size_t pitch = s->pitch, height = s->height;
	if (pitch > cu.desc.max_pitch || s->x > most || s->y > most || s->z > most || height > most || c->width > most ||
	    c->height > most || c->depth > most)
		return cudaErrorInvalidValue;
	if (!pitch && c->height == 1 && c->depth == 1 && !s->y && !s->z)
		pitch = s->x + c->width;
	if (!height && c->depth == 1 && !s->z)
		height = s->y + c->height;
	if (s->x + c->width > pitch || s->y + c->height > height)
		return cudaErrorInvalidValue;
	*out = side_pitched(s->type == BOX_HOST ? s->host : (const void *)(uintptr_t)s->device, pitch, height);
	unsigned __int128 offset = ((unsigned __int128)s->z * height + s->y) * pitch + s->x;
	if (offset > most || !out->p)
		return cudaErrorInvalidValue;
	out->p += (size_t)offset;
	return cudaSuccess;
}

static cudaError_t side_of(struct side *out, const struct box_side *s, const struct box_copy *c)
{
	if (s->lod || s->type < BOX_HOST || s->type > BOX_UNIFIED)
		return cudaErrorInvalidValue;
	if (s->type != BOX_ARRAY)
		return pitched(out, s, c);
	struct array *a = array_find(s->array);
	if (!a)
		return array_missing(s->array);
	if (s->x % a->texel || c->width % a->texel)
		return cudaErrorInvalidValue;
	return side_array(out, a, s->x, s->y, s->z, c->width, c->height, c->depth);
}

static int kind_of(const struct box_copy *c)
{
	if (c->src.type == BOX_UNIFIED || c->dst.type == BOX_UNIFIED)
		return COPY_DEFAULT;
	if (c->src.type == BOX_HOST)
		return c->dst.type == BOX_HOST ? COPY_HOST_TO_HOST : COPY_HOST_TO_DEVICE;
	return c->dst.type == BOX_HOST ? COPY_DEVICE_TO_HOST : COPY_DEVICE_TO_DEVICE;
}

static bool nothing(const struct box_copy *c) { return !c->width || !c->height || !c->depth; }

cudaError_t box_submit(const struct box_copy *c, cudaStream_t stream, bool async)
{
	struct side dst, src;
	cudaError_t e = nothing(c) ? cudaSuccess : side_of(&src, &c->src, c);
	if (e || nothing(c))
		return e;
	e = side_of(&dst, &c->dst, c);
	return e ? e : copy_submit(dst, src, c->width, c->height, c->depth, kind_of(c), stream, async);
}

cudaError_t box_make(struct op **out, const struct box_copy *c)
{
	struct side dst, src;
	*out = NULL;
	cudaError_t e = nothing(c) ? cudaSuccess : side_of(&src, &c->src, c);
	if (e || nothing(c))
		return e;
	e = side_of(&dst, &c->dst, c);
	return e ? e : copy_make(out, dst, src, c->width, c->height, c->depth, kind_of(c));
}
