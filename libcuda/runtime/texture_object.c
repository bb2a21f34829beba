// What programs make texture objects of, and what they ask about them.
#include "libcuda/runtime/texture.h"

#include "libcuda/runtime/api.h"
#include "libcuda/memory/array.h"
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

static cudaError_t apply_view(struct texture *t, const struct array *a, const struct cudaResourceViewDesc *v,
                              struct cudaChannelFormatDesc *d)
{
	enum { NO_FORMAT = 0, FLOAT4 = 0x18, LAST_COMPRESSED = 0x22 };
	if (v->format < NO_FORMAT || v->format > LAST_COMPRESSED)
		return cudaErrorInvalidValue;
	if (v->format > FLOAT4) {
		cu_complain("block-compressed textures are not supported");
		return cudaErrorNotSupported;
	}
	if (v->width != a->extent.width || v->height != a->extent.height ||
	    (v->depth != a->extent.depth && (v->depth || !t->layers)) || v->firstMipmapLevel || v->lastMipmapLevel)
		return cudaErrorInvalidValue;
	if (v->firstLayer > v->lastLayer || v->lastLayer >= (t->layers ? t->layers : 1))
		return cudaErrorInvalidValue;
	if (v->format != NO_FORMAT)
		*d = view_format(v->format);
	t->base += v->firstLayer * t->slice;
	if (t->layers)
		t->layers = v->lastLayer - v->firstLayer + 1;
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
	cudaError_t e = view ? apply_view(t, a, view, &format) : cudaSuccess;
	e = e ? e : texture_format(t, &format, normalized);
	return !e && channel_bytes(&format) != a->texel ? cudaErrorInvalidValue : e;
}

static cudaError_t fill(struct texture *t, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *s,
                        const struct cudaResourceViewDesc *view)
{
	cudaError_t e;
	bool normalized = s->readMode;
	if (resource->flags || (view && resource->resType != RESOURCE_ARRAY))
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
		cu_complain("mipmapped arrays are not supported");
		return cudaErrorNotSupported;
	default:
		return cudaErrorInvalidValue;
	}
	if (e)
		return e;
	if (s->sRGB && t->bits == 8 && t->channel == TEX_UNSIGNED && t->read_normalized) {
		cu_complain("conversion from sRGB is not supported");
		return cudaErrorNotSupported;
	}
	memcpy(t->border, s->borderColor, sizeof t->border);
	return texture_sampling(t, s->normalizedCoords, s->filterMode, s->addressMode);
}

cudaError_t texture_object_create(uint64_t *out, const struct cudaResourceDesc *resource, size_t resource_size,
                                  const struct cudaTextureDesc *sampling, size_t sampling_size,
                                  const struct cudaResourceViewDesc *view, size_t view_size)
{
	struct texture_object made = {.has_view = view};
	if (!out || !resource || !sampling)
		return cudaErrorInvalidValue;
	memcpy(&made.resource, resource, resource_size);
	memcpy(&made.sampling, sampling, sampling_size);
	if (view)
		memcpy(&made.view, view, view_size);
	cudaError_t e = fill(&made.texture, &made.resource, &made.sampling, view ? &made.view : NULL);
	if (e)
		return e;
	struct texture_object *o = texture_object_new();
	if (!o)
		return cudaErrorMemoryAllocation;
	made.handle = o->handle;
	made.live = true;
	*o = made;
	*out = o->handle;
	return cudaSuccess;
}

static struct texture_object *get(uint64_t handle)
{
	struct texture_object *o = texture_object_find(handle);
	if (!o)
		cu_complain("the texture object was not created, or is destroyed already");
	return o;
}

// What an object stands for is read by kernels when they run.
static cudaError_t destroy(uint64_t handle)
{
	if (!handle)
		return cudaSuccess;
	struct texture_object *o = get(handle);
	if (!o)
		return cudaErrorInvalidValue;
	cudaError_t e = wait_all();
	if (!e)
		texture_object_free(o);
	return e;
}

API(cudaDestroyTextureObject, (uint64_t object), destroy(object))

static cudaError_t copy_out(void *out, const void *from, size_t size)
{
	if (!out || !from)
		return cudaErrorInvalidValue;
	memcpy(out, from, size);
	return cudaSuccess;
}

cudaError_t texture_object_resource(void *out, size_t size, uint64_t handle)
{
	const struct texture_object *o = get(handle);
	return copy_out(out, o ? &o->resource : NULL, size);
}

cudaError_t texture_object_sampling(void *out, size_t size, uint64_t handle)
{
	const struct texture_object *o = get(handle);
	return copy_out(out, o ? &o->sampling : NULL, size);
}

cudaError_t texture_object_view(void *out, size_t size, uint64_t handle)
{
	const struct texture_object *o = get(handle);
	return copy_out(out, o && o->has_view ? &o->view : NULL, size);
}
