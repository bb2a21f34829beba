// What programs make texture and surface objects of, and what they ask about them.
#include "libcuda/context/guard.h"
#include "libcuda/memory/array.h"
#include "libcuda/texture/texture.h"
#include "libcuda/texture/texture_object.h"
#include "libcuda/work/wait.h"

#include <string.h>

// The channels of a cudaResourceViewFormat that is not compressed.
static struct cudaChannelFormatDesc view_format(int format)
{
	static const struct {
		int bits, kind;
	} type[] = {{8, CHANNEL_UNSIGNED},  {8, CHANNEL_SIGNED},  {16, CHANNEL_UNSIGNED}, {16, CHANNEL_SIGNED},
	            {32, CHANNEL_UNSIGNED}, {32, CHANNEL_SIGNED}, {16, CHANNEL_FLOAT},    {32, CHANNEL_FLOAT}};
	int bits = type[(format - 1) / 3].bits, channels = 1 << (format - 1) % 3;
	return (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
	                                      channels > 2 ? bits : 0, type[(format - 1) / 3].kind};
}

// The part of an array, or of the levels of one, that a view shows. `extent` is that of the finest level.
static cudaError_t apply_view(struct texture *t, const struct cudaExtent *extent, const struct cudaResourceViewDesc *v,
                              struct cudaChannelFormatDesc *d)
{
	enum { NO_FORMAT = 0, FLOAT4 = 0x18, LAST_COMPRESSED = 0x22 };
	uint32_t count = v->lastLayer - v->firstLayer + 1;
	if (v->format < NO_FORMAT || v->format > LAST_COMPRESSED)
		return cudaErrorInvalidValue;
	if (v->format > FLOAT4) {
		cu_complain("formats of compressed blocks (BC1 to BC7) are not supported");
		return cudaErrorNotSupported;
	}
	if (v->width != extent->width || v->height != extent->height || (v->depth != extent->depth && (v->depth || !t->layers)))
		return cudaErrorInvalidValue;
	if (v->firstLayer > v->lastLayer || v->lastLayer >= (t->layers ? t->layers : 1) || (t->cube && count % TEX_FACES))
		return cudaErrorInvalidValue;
	if (v->format != NO_FORMAT)
		*d = view_format(v->format);
	for (unsigned k = 0; k < t->levels; k++)
		t->level[k].base += v->firstLayer * t->level[k].slice;
	if (t->layers)
		t->layers = count;
	return cudaSuccess;
}

// The allocation that holds `p`; NULL, after a message, if a texture cannot begin there.
static const struct devmem_range *memory_of(const void *p)
{
	const struct devmem_range *r = p ? devmem_find(cu.mem, (uint64_t)p) : NULL;
	if (!r || (uint64_t)p - r->base >= r->size) {
		cu_complain("%p is not device memory", p);
		return NULL;
	}
	if ((uint64_t)p % cu.desc.texture_alignment) {
		cu_complain("%p is not a multiple of cudaDeviceProp.textureAlignment, which is %zu", p,
		            (size_t)cu.desc.texture_alignment);
		return NULL;
	}
	return r;
}

static cudaError_t on_linear(struct texture *t, const struct cudaResourceDesc *d, bool normalized)
{
	size_t size = d->res.linear.sizeInBytes;
	const struct devmem_range *r = memory_of(d->res.linear.devPtr);
	if (!r)
		return cudaErrorInvalidValue;
	cudaError_t e = texture_format(t, &d->res.linear.desc, normalized);
	if (e)
		return e;
	size_t texels = size / channel_bytes(&d->res.linear.desc);
	if (!texels || texels > (size_t)cu.desc.texture.tex1d_linear)
		return cudaErrorInvalidValue;
	t->base = (uint64_t)d->res.linear.devPtr;
	texture_on_line(t, r, size);
	if (t->pitch < size)
		cu_complain("only %llu of the %zu bytes from %p are allocated; texels of the others read as 0",
		            (unsigned long long)t->pitch, size, d->res.linear.devPtr);
	return cudaSuccess;
}

static cudaError_t on_plane(struct texture *t, const struct cudaResourceDesc *d, bool normalized)
{
	const struct devmem_range *r = memory_of(d->res.pitch2D.devPtr);
	if (!r)
		return cudaErrorInvalidValue;
	cudaError_t e = texture_format(t, &d->res.pitch2D.desc, normalized);
	if (e)
		return e;
	t->base = (uint64_t)d->res.pitch2D.devPtr;
	e = texture_on_plane(t, r->end - t->base, d->res.pitch2D.width, d->res.pitch2D.height, d->res.pitch2D.pitchInBytes);
	if (e)
		cu_complain("%zu x %zu texels with a pitch of %zu bytes: too large, beyond the allocation, or the pitch is "
		            "less than "
		            "a row or no multiple of cudaDeviceProp.texturePitchAlignment, which is %zu",
		            d->res.pitch2D.width, d->res.pitch2D.height, d->res.pitch2D.pitchInBytes,
		            (size_t)cu.desc.texture_pitch_alignment);
	return e;
}

static cudaError_t on_array(struct texture *t, const struct cudaResourceDesc *d,
                            const struct cudaResourceViewDesc *view, bool normalized)
{
	const struct array *a = array_find(d->res.array);
	if (!a) {
		cu_complain("the array was not created, or is freed already");
		return cudaErrorInvalidValue;
	}
	struct cudaChannelFormatDesc format = a->desc;
	texture_on_array(t, a);
	if (view && (view->firstMipmapLevel || view->lastMipmapLevel))
		return cudaErrorInvalidValue;
	cudaError_t e = view ? apply_view(t, &a->extent, view, &format) : cudaSuccess;
	e = e ? e : texture_format(t, &format, normalized);
	return !e && channel_bytes(&format) != a->texel ? cudaErrorInvalidValue : e;
}

static cudaError_t on_mipmap(struct texture *t, const struct cudaResourceDesc *d,
                             const struct cudaResourceViewDesc *view, bool normalized)
{
	const struct mipmap *m = mipmap_find(d->res.mipmap);
	if (!m) {
		cu_complain("the mipmapped array was not created, or is freed already");
		return cudaErrorInvalidValue;
	}
	struct cudaChannelFormatDesc format = m->desc;
	unsigned first = view ? view->firstMipmapLevel : 0, last = view ? view->lastMipmapLevel : m->levels - 1;
	if (first > last || last >= m->levels)
		return cudaErrorInvalidValue;
	texture_on_mipmap(t, m, first, last);
	cudaError_t e = view ? apply_view(t, &m->extent, view, &format) : cudaSuccess;
	e = e ? e : texture_format(t, &format, normalized);
	return !e && channel_bytes(&format) != m->level[0]->texel ? cudaErrorInvalidValue : e;
}

static cudaError_t fill(struct texture *t, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *s,
                        const struct cudaResourceViewDesc *view)
{
	cudaError_t e;
	bool normalized = s->readMode;
	bool arrays = resource->resType == RESOURCE_ARRAY || resource->resType == RESOURCE_MIPMAPPED_ARRAY;
	if (resource->flags || (view && !arrays))
		return cudaErrorInvalidValue;
	switch (resource->resType) {
	case RESOURCE_ARRAY:
		e = on_array(t, resource, view, normalized);
		break;
	case RESOURCE_LINEAR: // is read by index alone: addressing and filter do not matter
		return on_linear(t, resource, normalized);
	case RESOURCE_PITCH2D:
		e = on_plane(t, resource, normalized);
		break;
	case RESOURCE_MIPMAPPED_ARRAY:
		e = on_mipmap(t, resource, view, normalized);
		break;
	default:
		return cudaErrorInvalidValue;
	}
	if (e)
		return e;
	if (s->seamlessCubemap && !t->cube)
		return cudaErrorInvalidValue;
	t->srgb = s->sRGB && texture_can_be_srgb(t);
	t->seamless = s->seamlessCubemap;
	t->level_filter = s->mipmapFilterMode ? TEX_LINEAR_FILTER : TEX_POINT;
	t->level_bias = s->mipmapLevelBias;
	t->level_min = s->minMipmapLevelClamp;
	t->level_max = s->maxMipmapLevelClamp;
	memcpy(t->border, s->borderColor, sizeof t->border);
	return texture_sampling(t, s->normalizedCoords, s->filterMode, s->addressMode);
}

static cudaError_t add(uint64_t *out, struct texture_object *made)
{
	struct texture_object *o = texture_object_new();
	if (!o)
		return cudaErrorMemoryAllocation;
	made->handle = o->handle;
	made->live = true;
	*o = *made;
	*out = o->handle;
	return cudaSuccess;
}

cudaError_t texture_object_create(uint64_t *out, const struct cudaResourceDesc *resource, size_t resource_size,
                                  const struct cudaTextureDesc *sampling, size_t sampling_size,
                                  const struct cudaResourceViewDesc *view, size_t view_size)
{
	struct texture_object made = {.has_view = view};
	if (!GUARD_OUT(out) || !resource || !sampling || !guard_read(&made.resource, resource, resource_size) ||
	    !guard_read(&made.sampling, sampling, sampling_size) || (view && !guard_read(&made.view, view, view_size)))
		return cudaErrorInvalidValue;
	cudaError_t e = fill(&made.texture, &made.resource, &made.sampling, view ? &made.view : NULL);
	if (e)
		return e;
	return add(out, &made);
}

cudaError_t surface_object_create(uint64_t *out, const struct cudaResourceDesc *resource, size_t resource_size)
{
	struct texture_object made = {0};
	if (!GUARD_OUT(out) || !resource || !guard_read(&made.resource, resource, resource_size))
		return cudaErrorInvalidValue;
	if (made.resource.resType != RESOURCE_ARRAY || made.resource.flags)
		return cudaErrorInvalidValue;
	const struct array *a = array_find(made.resource.res.array);
	if (!a) {
		cu_complain("the array was not created, or is freed already");
		return array_missing(made.resource.res.array);
	}
	cudaError_t e = texture_surface(&made.texture, a, &a->desc);
	return e ? e : add(out, &made);
}

static struct texture_object *get(uint64_t handle, bool surface)
{
	struct texture_object *o = texture_object_find(handle);
	if (o && o->texture.surface == surface)
		return o;
	cu_complain("the %s object was not created, or is destroyed already", surface ? "surface" : "texture");
	return NULL;
}

cudaError_t texture_object_destroy(uint64_t handle, bool surface)
{
	if (!handle)
		return cudaSuccess;
	struct texture_object *o = get(handle, surface);
	if (!o)
		return cudaErrorInvalidValue;
	cudaError_t e = wait_all();
	if (!e)
		texture_object_free(o);
	return e;
}

static cudaError_t copy_out(void *out, const void *from, size_t size)
{
	return out && from && guard_write(out, from, size) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t texture_object_resource(void *out, size_t size, uint64_t handle, bool surface)
{
	const struct texture_object *o = get(handle, surface);
	return copy_out(out, o ? &o->resource : NULL, size);
}

cudaError_t texture_object_sampling(void *out, size_t size, uint64_t handle)
{
	const struct texture_object *o = get(handle, false);
	return copy_out(out, o ? &o->sampling : NULL, size);
}

cudaError_t texture_object_view(void *out, size_t size, uint64_t handle)
{
	const struct texture_object *o = get(handle, false);
	return copy_out(out, o && o->has_view ? &o->view : NULL, size);
}
