// Texture references, as programs up to CUDA 11 use them. What a reference is bound to is read by kernels when they
// run, so a change waits for the kernels before it.
#include "libcuda/code/module.h"
#include "libcuda/context/guard.h"
#include "libcuda/memory/array.h"
#include "libcuda/runtime/api.h"
#include "libcuda/texture/texture.h"
#include "libcuda/work/wait.h"

// The fields that come from the program's textureReference.
static cudaError_t fill_sampling(struct texture *t, const struct texref *ref, const struct cudaChannelFormatDesc *d)
{
	const struct textureReference *r = ref->host;
	cudaError_t e = texture_format(t, d, ref->normalized);
	t->srgb = r->sRGB && texture_can_be_srgb(t);
	t->level_filter = r->mipmapFilterMode ? TEX_LINEAR_FILTER : TEX_POINT;
	t->level_bias = r->mipmapLevelBias;
	t->level_min = r->minMipmapLevelClamp;
	t->level_max = r->maxMipmapLevelClamp;
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

// The program's description of texels. Where there is none, *d stays NULL. False if it can't be read.
static bool read_desc(struct cudaChannelFormatDesc *copy, const struct cudaChannelFormatDesc **d)
{
	if (*d && !guard_read(copy, *d, sizeof *copy))
		return false;
	*d = *d ? copy : NULL;
	return true;
}

// Textures start at multiples of the texture alignment; the rest is an offset that the program adds to its coordinates.
static cudaError_t align(size_t *offset, uint64_t p, uint64_t *base)
{
	uint64_t rest = p % cu.desc.texture_alignment;
	if (!GUARD_OUT_OR_NULL(offset))
		return cudaErrorInvalidValue;
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
	if (!r) {
		cu_complain("%p is not device memory", p);
		return cudaErrorInvalidValue;
	}
	struct cudaChannelFormatDesc desc;
	if (!read_desc(&desc, &d) || !d)
		return cudaErrorInvalidValue;
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
	struct cudaChannelFormatDesc desc;
	if (!r || !read_desc(&desc, &d) || !d)
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
	struct cudaChannelFormatDesc desc;
	if (!read_desc(&desc, &d))
		return cudaErrorInvalidValue;
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

static cudaError_t bind_mipmap(const struct textureReference *host, cudaMipmappedArray_t handle,
                               const struct cudaChannelFormatDesc *d)
{
	cudaError_t e;
	struct texref *ref = texref_get(host, &e);
	if (!ref)
		return e;
	const struct mipmap *m = mipmap_find(handle);
	if (!m)
		return cudaErrorInvalidResourceHandle;
	struct cudaChannelFormatDesc desc;
	if (!read_desc(&desc, &d))
		return cudaErrorInvalidValue;
	d = d ? d : &m->desc;
	struct texture t = {0};
	texture_on_mipmap(&t, m, 0, m->levels - 1);
	e = fill_sampling(&t, ref, d);
	if (!e && channel_bytes(d) != m->level[0]->texel)
		e = cudaErrorInvalidChannelDescriptor;
	return e ? e : bind(ref, &t, 0, m->level[0]);
}

API(cudaBindTextureToMipmappedArray,
    (const struct textureReference *texture, cudaMipmappedArray_t mipmap, const struct cudaChannelFormatDesc *desc),
    bind_mipmap(texture, mipmap, desc))

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
	if (!GUARD_OUT(offset))
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
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	struct texref *ref = texref_get(symbol, &e);
	if (ref)
		*out = ref->host;
	return e;
}

API(cudaGetTextureReference, (const struct textureReference **texture, const void *symbol),
    get_reference(texture, symbol))
