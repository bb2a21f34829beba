#include "libcuda/texture/texture.h"

#include "libcuda/memory/array.h"

static enum tex_channel channel_of(const struct cudaChannelFormatDesc *d)
{
	bool is_unsigned = d->f == CHANNEL_UNSIGNED || (d->f >= CHANNEL_UNSIGNED_8X1 && d->f < CHANNEL_SIGNED_8X1);
	return d->f == CHANNEL_FLOAT ? TEX_FLOAT : is_unsigned ? TEX_UNSIGNED : TEX_SIGNED;
}

cudaError_t texture_format(struct texture *t, const struct cudaChannelFormatDesc *d, bool read_normalized)
{
	cudaError_t e = channel_check(d);
	if (e)
		return e;
	t->channels = d->w ? 4 : d->y ? 2 : 1;
	t->bits = (uint8_t)d->x;
	t->channel = channel_of(d);
	t->read_normalized = (read_normalized && t->channel != TEX_FLOAT) || d->f >= CHANNEL_UNSIGNED_8X1;
	return cudaSuccess;
}

cudaError_t texture_sampling(struct texture *t, int normalized, int filter, const int address[3])
{
	t->normalized_coords = normalized;
	t->filter = filter ? TEX_LINEAR_FILTER : TEX_POINT;
	bool mixes = t->filter == TEX_LINEAR_FILTER || (t->levels > 1 && t->level_filter == TEX_LINEAR_FILTER);
	if (mixes && t->channel != TEX_FLOAT && !t->read_normalized)
		return cudaErrorInvalidFilterSetting;
	if (t->levels > 1 && !normalized) {
		cu_complain("a mipmapped array is read by normalized coordinates only");
		return cudaErrorInvalidValue;
	}
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

static struct texture_level level_of(const struct array *a)
{
	bool sheets = a->flags & (ARRAY_LAYERED | ARRAY_CUBEMAP);
	return (struct texture_level){
	        .base = a->addr,
	        .width = (uint32_t)a->extent.width,
	        .height = (uint32_t)a->extent.height,
	        .depth = sheets ? 0 : (uint32_t)a->extent.depth,
	        .pitch = a->pitch,
	        .slice = a->slice,
	};
}

void texture_on_array(struct texture *t, const struct array *a)
{
	t->kind = TEX_ARRAY;
	t->tiled = cu.desc.texture_tiles;
	t->cube = a->flags & ARRAY_CUBEMAP;
	t->layers = a->flags & (ARRAY_LAYERED | ARRAY_CUBEMAP) ? (uint32_t)a->extent.depth : 0;
	t->level[0] = level_of(a);
	t->levels = 1;
}

void texture_on_mipmap(struct texture *t, const struct mipmap *m, unsigned first, unsigned last)
{
	texture_on_array(t, m->level[first]);
	t->levels = (uint8_t)(last - first + 1);
	for (unsigned k = first; k <= last; k++)
		t->level[k - first] = level_of(m->level[k]);
}

bool texture_can_be_srgb(const struct texture *t)
{
	return t->bits == 8 && t->channel == TEX_UNSIGNED && t->read_normalized;
}

cudaError_t texture_surface(struct texture *t, const struct array *a, const struct cudaChannelFormatDesc *d)
{
	// Levels of mipmapped arrays do without the flag on real devices: NVIDIA's sample bindlessTexture makes surfaces of such ones.
	if (!(a->flags & ARRAY_SURFACE) && !a->mipmap) {
		cu_complain("the array was made without cudaArraySurfaceLoadStore");
		return cudaErrorInvalidValue;
	}
	cudaError_t e = texture_format(t, d, false);
	if (e)
		return e;
	if (channel_bytes(d) != a->texel)
		return cudaErrorInvalidChannelDescriptor;
	texture_on_array(t, a);
	t->surface = true;
	return cudaSuccess;
}
