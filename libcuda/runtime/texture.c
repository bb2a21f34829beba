// Texture references, as programs up to CUDA 11 use them. What a reference is bound to is read by kernels when they
// run, so a change waits for the kernels before it.
#include "libcuda/runtime/texture.h"

#include "libcuda/runtime/api.h"
#include "libcuda/memory/array.h"
#include "libcuda/code/module.h"
#include "libcuda/work/wait.h"

#include <string.h>

static enum tex_channel channel_of(const struct cudaChannelFormatDesc *d)
{
	return d->f == CHANNEL_FLOAT ? TEX_FLOAT : d->f == CHANNEL_UNSIGNED ? TEX_UNSIGNED : TEX_SIGNED;
}

cudaError_t texture_format(struct texture *t, const struct cudaChannelFormatDesc *d, bool read_normalized)
{
	if (!channel_bytes(d))
		return cudaErrorInvalidChannelDescriptor;
	t->channels = d->w ? 4 : d->y ? 2 : 1;
	t->bits = (uint8_t)d->x;
	t->channel = channel_of(d);
	t->read_normalized = read_normalized && t->channel != TEX_FLOAT;
	return cudaSuccess;
}

cudaError_t texture_sampling(struct texture *t, int normalized, int filter, const int address[3])
{
	t->normalized_coords = normalized;
	t->filter = filter ? TEX_LINEAR_FILTER : TEX_POINT;
	if (t->filter == TEX_LINEAR_FILTER && t->channel != TEX_FLOAT && !t->read_normalized)
		return cudaErrorInvalidFilterSetting;
	for (int i = 0; i < 3; i++) {
		if (address[i] < 0 || address[i] > TEX_BORDER)
			return cudaErrorInvalidValue;
		t->address[i] = (enum tex_address)address[i];
	}
	return cudaSuccess;
}

void texture_on_line(struct texture *t, const struct devmem_range *r, uint64_t size)
{
	uint64_t left = r->base + r->size - t->base, texel = (uint64_t)t->channels * t->bits / 8;
	t->kind = TEX_LINEAR;
	t->pitch = size < left ? size : left;
	t->width = (uint32_t)(t->pitch / texel < UINT32_MAX ? t->pitch / texel : UINT32_MAX);
}

cudaError_t texture_on_plane(struct texture *t, uint64_t room, size_t width, size_t height, size_t pitch)
{
	const int *max = cu.desc.texture.tex2d_linear;
	size_t row = width * (t->channels * t->bits / 8u);
	if (!width || !height || width > (size_t)max[0] || height > (size_t)max[1] || pitch > (size_t)max[2] ||
	    row > pitch || pitch % cu.desc.texture_pitch_alignment || pitch * (height - 1) + row > room)
		return cudaErrorInvalidValue;
	t->kind = TEX_PITCH2D;
	t->width = (uint32_t)width;
	t->height = (uint32_t)height;
	t->pitch = pitch;
	return cudaSuccess;
}

void texture_on_array(struct texture *t, const struct array *a)
{
	bool layered = a->flags & ARRAY_LAYERED;
	t->kind = TEX_ARRAY;
	t->base = a->addr;
	t->width = (uint32_t)a->extent.width;
	t->height = (uint32_t)a->extent.height;
	t->depth = layered ? 0 : (uint32_t)a->extent.depth;
	t->layers = layered ? (uint32_t)a->extent.depth : 0;
	t->pitch = a->pitch;
	t->slice = a->slice;
}

// The fields that come from the program's textureReference.
static cudaError_t fill_sampling(struct texture *t, const struct texref *ref, const struct cudaChannelFormatDesc *d)
{
	const struct textureReference *r = ref->host;
	cudaError_t e = texture_format(t, d, ref->normalized);
	return e ? e : texture_sampling(t, r->normalized, r->filterMode, r->addressMode);
}

static cudaError_t bind(struct texref *ref, const struct texture *t, size_t offset, struct array *array)
{
	cudaError_t e = wait_all();
	if (e)
		return e;
	ref->bound = *t;
	ref->bound.name = ref->name;
	ref->offset = offset;
	ref->array = array;
	return cudaSuccess;
}

// Textures start at multiples of the texture alignment; the rest is an offset that the program adds to its coordinates.
static cudaError_t align(size_t *offset, uint64_t p, uint64_t *base)
{
	uint64_t rest = p % cu.desc.texture_alignment;
	*base = p - rest;
	if (offset)
		*offset = (size_t)rest;
	return rest && !offset ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t bind_linear(size_t *offset, const struct textureReference *host, const void *p,
                               const struct cudaChannelFormatDesc *d, size_t size)
{
	cudaError_t e;
	struct texture t = {0};
	struct texref *ref = texref_get(host, &e);
	if (!ref)
		return e;
	const struct devmem_range *r = p ? devmem_find(cu.mem, (uint64_t)p) : NULL;
	if (!d || !r) {
		cu_complain("%p is not device memory", p);
		return cudaErrorInvalidValue;
	}
	e = fill_sampling(&t, ref, d);
	e = e ? e : align(offset, (uint64_t)p, &t.base);
	if (e)
		return e;
	// The default size, and any other that is too large, means up to the end of the allocation.
	uint64_t before = (uint64_t)p - t.base;
	texture_on_line(&t, r, size < UINT64_MAX - before ? size + before : size);
	return bind(ref, &t, (size_t)before, NULL);
}

API(cudaBindTexture,
    (size_t * offset, const struct textureReference *texture, const void *p, const struct cudaChannelFormatDesc *desc,
     size_t size),
    bind_linear(offset, texture, p, desc, size))

static cudaError_t bind_2d(size_t *offset, const struct textureReference *host, const void *p,
                           const struct cudaChannelFormatDesc *d, size_t width, size_t height, size_t pitch)
{
	cudaError_t e;
	struct texture t = {0};
	struct texref *ref = texref_get(host, &e);
	if (!ref)
		return e;
	const struct devmem_range *r = p ? devmem_find(cu.mem, (uint64_t)p) : NULL;
	if (!d || !r)
		return cudaErrorInvalidValue;
	e = fill_sampling(&t, ref, d);
	e = e ? e : align(offset, (uint64_t)p, &t.base);
	e = e ? e : texture_on_plane(&t, r->end - (uint64_t)p, width, height, pitch);
	return e ? e : bind(ref, &t, (size_t)((uint64_t)p - t.base), NULL);
}

API(cudaBindTexture2D,
    (size_t * offset, const struct textureReference *texture, const void *p, const struct cudaChannelFormatDesc *desc,
     size_t width, size_t height, size_t pitch),
    bind_2d(offset, texture, p, desc, width, height, pitch))

static cudaError_t bind_array(const struct textureReference *host, cudaArray_t handle,
                              const struct cudaChannelFormatDesc *d)
{
	cudaError_t e;
	struct texref *ref = texref_get(host, &e);
	if (!ref)
		return e;
	struct array *a = array_find(handle);
	if (!a)
		return cudaErrorInvalidResourceHandle;
	d = d ? d : &a->desc;
	struct texture t = {0};
	texture_on_array(&t, a);
	e = fill_sampling(&t, ref, d);
	if (!e && channel_bytes(d) != a->texel)
		e = cudaErrorInvalidChannelDescriptor;
	return e ? e : bind(ref, &t, 0, a);
}

API(cudaBindTextureToArray,
    (const struct textureReference *texture, cudaArray_t array, const struct cudaChannelFormatDesc *desc),
    bind_array(texture, array, desc))

// Unbinding what is not bound is no error.
static cudaError_t unbind(const struct textureReference *host)
{
	cudaError_t e;
	struct texture none = {.kind = TEX_NONE};
	struct texref *ref = texref_get(host, &e);
	return ref ? bind(ref, &none, 0, NULL) : e;
}

API(cudaUnbindTexture, (const struct textureReference *texture), unbind(texture))

static cudaError_t alignment_offset(size_t *offset, const struct textureReference *host)
{
	cudaError_t e;
	if (!offset)
		return cudaErrorInvalidValue;
	struct texref *ref = texref_get(host, &e);
	if (!ref)
		return e;
	if (ref->bound.kind == TEX_NONE)
		return cudaErrorInvalidTextureBinding;
	*offset = ref->offset;
	return cudaSuccess;
}

API(cudaGetTextureAlignmentOffset, (size_t * offset, const struct textureReference *texture),
    alignment_offset(offset, texture))

static cudaError_t get_reference(const struct textureReference **out, const void *symbol)
{
	cudaError_t e;
	if (!out)
		return cudaErrorInvalidValue;
	struct texref *ref = texref_get(symbol, &e);
	if (ref)
		*out = ref->host;
	return e;
}

API(cudaGetTextureReference, (const struct textureReference **texture, const void *symbol),
    get_reference(texture, symbol))
