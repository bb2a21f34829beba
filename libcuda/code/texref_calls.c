#include "libcuda/code/texref_calls.h"

#include "libcuda/context/guard.h"
#include "libcuda/memory/array.h"
#include "libcuda/texture/texture.h"
#include "libcuda/work/wait.h"

#include <string.h>

// Integers of 32 bits stay integers whatever the flags say.
static cudaError_t fill(struct texture *t, const struct cudaChannelFormatDesc *d, const struct texref_choice *c)
{
	cudaError_t e = texture_format(t, d, !(c->flags & TEXREF_AS_INTEGER) && d->x < 32);
	if (e || t->kind == TEX_LINEAR)
		return e;
	t->srgb = c->flags & TEXREF_SRGB && texture_can_be_srgb(t);
	t->seamless = c->flags & TEXREF_SEAMLESS && t->cube;
	t->level_filter = c->level_filter ? TEX_LINEAR_FILTER : TEX_POINT;
	t->level_bias = c->bias;
	t->level_min = c->min;
	t->level_max = c->max;
	memcpy(t->border, c->border, sizeof t->border);
	return texture_sampling(t, (c->flags & TEXREF_NORMALIZED) != 0, c->filter, c->address);
}

static cudaError_t bind(struct texref *ref, const struct texture *t, const struct texref_choice *c, struct array *array)
{
	cudaError_t e = wait_all();
	if (e)
		return e;
	struct texref_choice kept = *c; // `c` may be that of `ref`
	ref->bound = *t;
	ref->bound.name = ref->name;
	ref->array = array;
	ref->choice = kept;
	return cudaSuccess;
}

static cudaError_t line(struct texture *t, const struct texref_choice *c)
{
	const struct devmem_range *r = devmem_find(cu.mem, c->p);
	if (!r || c->size > r->end - c->p)
		return cudaErrorInvalidValue;
	t->kind = TEX_LINEAR;
	cudaError_t e = fill(t, &c->format, c);
	if (e)
		return e;
	uint64_t before = c->p % cu.desc.texture_alignment;
	t->base = c->p - before;
	texture_on_line(t, r, c->size + before);
	return cudaSuccess;
}

static cudaError_t plane(struct texture *t, const struct texref_choice *c)
{
	const struct devmem_range *r = devmem_find(cu.mem, c->p);
	if (!r || c->p % cu.desc.texture_alignment)
		return cudaErrorInvalidValue;
	cudaError_t e = fill(t, &c->format, c);
	t->base = c->p;
	return e ? e : texture_on_plane(t, r->end - c->p, c->width, c->height, c->pitch);
}

// What is bound now, with other settings.
cudaError_t texref_choose(struct texref *ref, const struct texref_choice *c)
{
	struct texture t = {0};
	cudaError_t e = cudaSuccess;
	switch (ref->bound.kind) {
	case TEX_NONE: break;
	case TEX_LINEAR: e = line(&t, c); break;
	case TEX_PITCH2D: e = plane(&t, c); break;
	default:
		if (c->mipmap)
			texture_on_mipmap(&t, c->mipmap, 0, c->mipmap->levels - 1);
		else
			texture_on_array(&t, ref->array);
		e = fill(&t, &ref->array->desc, c);
		break;
	}
	return e ? e : bind(ref, &t, c, ref->array);
}

cudaError_t texref_on_array(struct texref *ref, cudaArray_t handle)
{
	struct array *a = array_find(handle);
	struct texture t = {0};
	struct texref_choice c = ref->choice;
	if (!a)
		return array_missing(handle);
	c.mipmap = NULL;
	texture_on_array(&t, a);
	cudaError_t e = fill(&t, &a->desc, &c);
	return e ? e : bind(ref, &t, &c, a);
}

cudaError_t texref_on_mipmap(struct texref *ref, cudaMipmappedArray_t handle)
{
	struct mipmap *m = mipmap_find(handle);
	struct texture t = {0};
	struct texref_choice c = ref->choice;
	if (!m)
		return handle ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	c.mipmap = m;
	texture_on_mipmap(&t, m, 0, m->levels - 1);
	cudaError_t e = fill(&t, &m->desc, &c);
	return e ? e : bind(ref, &t, &c, m->level[0]);
}

cudaError_t texref_on_line(struct texref *ref, size_t *offset, uint64_t p, size_t size)
{
	struct texture t = {0};
	struct texref_choice c = ref->choice;
	size_t before = p % cu.desc.texture_alignment;
	c.mipmap = NULL;
	c.p = p;
	c.size = size;
	if (!size)
		return bind(ref, &t, &c, NULL);
	if ((before && !offset) || !GUARD_OUT_OR_NULL(offset))
		return cudaErrorInvalidValue;
	cudaError_t e = line(&t, &c);
	e = e ? e : bind(ref, &t, &c, NULL);
	if (!e && offset)
		*offset = before;
	return e;
}

cudaError_t texref_on_plane(struct texref *ref, const struct cudaChannelFormatDesc *d, size_t width, size_t height, uint64_t p, size_t pitch)
{
	struct texture t = {0};
	struct texref_choice c = ref->choice;
	c.mipmap = NULL;
	c.p = p;
	c.format = *d;
	c.width = width;
	c.height = height;
	c.pitch = pitch;
	cudaError_t e = plane(&t, &c);
	return e ? e : bind(ref, &t, &c, NULL);
}

cudaError_t surfref_on_array(struct texref *ref, cudaArray_t handle)
{
	struct array *a = array_find(handle);
	struct texture t = {0};
	if (!a)
		return array_missing(handle);
	cudaError_t e = texture_surface(&t, a, &a->desc);
	return e ? e : bind(ref, &t, &ref->choice, a);
}
