#include "libcuda/memory/array.h"

#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/memory/alloc.h"

#include <string.h>

static struct handle_pool arrays = {.size = sizeof(struct array)}, mipmaps = {.size = sizeof(struct mipmap)};

struct array *array_find(cudaArray_t handle) { return handle && handle_valid(&arrays, handle) ? handle : NULL; }

struct mipmap *mipmap_find(cudaMipmappedArray_t handle) { return handle && handle_valid(&mipmaps, handle) ? handle : NULL; }

cudaError_t array_missing(cudaArray_t handle) { return handle ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue; }

// --- formats

// The bits of each of the n channels of a normalised kind.
static bool is_normalised(const struct cudaChannelFormatDesc *d, unsigned n)
{
	unsigned kind = (unsigned)(d->f - CHANNEL_UNSIGNED_8X1), bits = kind / 3 % 2 ? 16 : 8;
	return d->x == (int)bits && n == 1u << kind % 3;
}

// Components are 8, 16 or 32 bits wide, all alike, and there are 1, 2 or 4 of them.
unsigned channel_bytes(const struct cudaChannelFormatDesc *d)
{
	unsigned n = d->w ? 4 : d->z ? 0 : d->y ? 2 : 1;
	bool normalised = d->f >= CHANNEL_UNSIGNED_8X1 && d->f <= CHANNEL_SIGNED_16X4;
	if (!n || (d->x != 8 && d->x != 16 && d->x != 32) || (n > 1 && d->y != d->x) ||
	    (n > 2 && (d->z != d->x || d->w != d->x)) || d->f < CHANNEL_SIGNED || (d->f > CHANNEL_FLOAT && !normalised) ||
	    (normalised && !is_normalised(d, n)) || (d->f == CHANNEL_FLOAT && d->x == 8))
		return 0;
	return n * (unsigned)d->x / 8;
}

cudaError_t channel_check(const struct cudaChannelFormatDesc *d)
{
	const char *what = d->f == CHANNEL_NV12                                ? "of two planes (NV12)"
	                   : d->f == CHANNEL_1010102                           ? "of 10 bits a channel"
	                   : d->f >= CHANNEL_BC1 && d->f <= CHANNEL_BC7_SRGB ? "of compressed blocks (BC1 to BC7)"
	                                                                     : NULL;
	if (what) {
		cu_complain("formats %s are not supported", what);
		return cudaErrorNotSupported;
	}
	return channel_bytes(d) ? cudaSuccess : cudaErrorInvalidChannelDescriptor;
}

// --- sizes

static bool over(const struct cudaExtent *e, int width, int height, int depth)
{
	return e->width > (size_t)width || e->height > (size_t)height || e->depth > (size_t)depth;
}

// Larger than a texture of it, and with the flag a surface, may be.
static bool too_large(const struct cudaExtent *e, unsigned flags, bool levels)
{
	const struct gpu_texture_limits *t = &cu.desc.texture;
	bool layered = flags & ARRAY_LAYERED, surface = flags & ARRAY_SURFACE;
	if (flags & ARRAY_CUBEMAP && layered)
		return over(e, t->cubemap_layered[0], t->cubemap_layered[0], t->cubemap_layered[1]) ||
		       (surface && over(e, t->surf_cubemap_layered[0], t->surf_cubemap_layered[0], t->surf_cubemap_layered[1]));
	if (flags & ARRAY_CUBEMAP)
		return over(e, t->cubemap, t->cubemap, TEX_FACES) || (surface && over(e, t->surf_cubemap, t->surf_cubemap, TEX_FACES));
	if (layered && !e->height)
		return over(e, t->layered1d[0], 0, t->layered1d[1]) || (surface && over(e, t->surf1d_layered[0], 0, t->surf1d_layered[1]));
	if (layered)
		return over(e, t->layered2d[0], t->layered2d[1], t->layered2d[2]) ||
		       (surface && over(e, t->surf2d_layered[0], t->surf2d_layered[1], t->surf2d_layered[2]));
	if (e->depth)
		return (over(e, t->tex3d[0], t->tex3d[1], t->tex3d[2]) && over(e, t->tex3d_alt[0], t->tex3d_alt[1], t->tex3d_alt[2])) ||
		       (surface && over(e, t->surf3d[0], t->surf3d[1], t->surf3d[2]));
	if (e->height)
		return over(e, levels ? t->tex2d_mipmap[0] : t->tex2d[0], levels ? t->tex2d_mipmap[1] : t->tex2d[1], 0) ||
		       (flags & ARRAY_GATHER && over(e, t->tex2d_gather[0], t->tex2d_gather[1], 0)) ||
		       (surface && over(e, t->surf2d[0], t->surf2d[1], 0));
	return over(e, levels ? t->tex1d_mipmap : t->tex1d, 0, 0) || (surface && over(e, t->surf1d, 0, 0));
}

static cudaError_t check(const struct cudaChannelFormatDesc *d, const struct cudaExtent *e, unsigned flags, bool levels)
{
	bool layered = flags & ARRAY_LAYERED, cube = flags & ARRAY_CUBEMAP;
	if (flags & (ARRAY_SPARSE | ARRAY_DEFERRED)) {
		cu_complain("arrays to which memory is mapped later are not supported");
		return cudaErrorNotSupported;
	}
	if (flags & ~(ARRAY_LAYERED | ARRAY_SURFACE | ARRAY_CUBEMAP | ARRAY_GATHER))
		return cudaErrorInvalidValue;
	cudaError_t error = channel_check(d);
	if (error)
		return error;
	if (!e->width || (e->depth && !e->height && !layered) || (layered && !e->depth) || too_large(e, flags, levels))
		return cudaErrorInvalidValue;
	if (cube && (e->width != e->height || !e->depth || e->depth % TEX_FACES || (!layered && e->depth != TEX_FACES)))
		return cudaErrorInvalidValue;
	if (flags & ARRAY_GATHER && (!e->height || (e->depth && !layered && !cube)))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

// Fills in how the texels lie; returns how many bytes they take.
static unsigned __int128 lay_out(struct array *a, const struct cudaChannelFormatDesc *d, struct cudaExtent e, unsigned flags)
{
	a->desc = *d;
	a->extent = e;
	a->flags = flags;
	a->texel = channel_bytes(d);
	a->rows = e.height ? e.height : 1;
	a->slices = e.depth ? e.depth : 1;
	a->pitch = (e.width * a->texel + 31) / 32 * 32;
	a->slice = a->pitch * a->rows;
	return (unsigned __int128)a->slice * a->slices;
}

static uint64_t room_for(unsigned __int128 size, unsigned flags)
{
	return size > cu.desc.memory_size ? 0 : memory_alloc((uint64_t)size, DEVMEM_ARRAY, flags);
}

static struct array *array_new(const struct array *as)
{
	struct array *a = handle_new(&arrays);
	*a = *as;
	a->owner = cu_thread.owner;
	return a;
}

cudaError_t array_create(struct array **out, const struct cudaChannelFormatDesc *given, struct cudaExtent e, unsigned flags)
{
	struct array a = {0};
	struct cudaChannelFormatDesc desc, *d = &desc;
	if (!GUARD_OUT(out) || !GUARD_IN(desc, given))
		return cudaErrorInvalidValue;
	cudaError_t error = check(d, &e, flags, false);
	if (error)
		return error;
	a.addr = room_for(lay_out(&a, d, e, flags), flags);
	if (!a.addr)
		return cudaErrorMemoryAllocation;
	*out = array_new(&a);
	return cudaSuccess;
}

void array_destroy(struct array *a)
{
	if (!a->mipmap)
		device_free(a->addr);
	handle_free(&arrays, a);
}

// --- mipmaps

static size_t halved(size_t n, unsigned level) { return n ? n >> level ? n >> level : 1 : 0; }

// Layers, and the faces of cubes, are as many in every level.
static struct cudaExtent extent_of(const struct cudaExtent *e, unsigned flags, unsigned level)
{
	bool sheets = flags & (ARRAY_LAYERED | ARRAY_CUBEMAP);
	return (struct cudaExtent){halved(e->width, level), halved(e->height, level), sheets ? e->depth : halved(e->depth, level)};
}

static unsigned most_levels(const struct cudaExtent *e, unsigned flags)
{
	size_t most = e->width > e->height ? e->width : e->height;
	unsigned n = 1;
	if (!(flags & (ARRAY_LAYERED | ARRAY_CUBEMAP)) && e->depth > most)
		most = e->depth;
	while (n < TEX_MAX_LEVELS && most >> n)
		n++;
	return n;
}

cudaError_t mipmap_create(struct mipmap **out, const struct cudaChannelFormatDesc *given, struct cudaExtent e, unsigned levels, unsigned flags)
{
	struct cudaChannelFormatDesc desc, *d = &desc;
	struct array level[TEX_MAX_LEVELS];
	memset(level, 0, sizeof level);
	struct mipmap m = {.extent = e, .flags = flags, .owner = cu_thread.owner};
	unsigned __int128 size = 0;
	if (!GUARD_OUT(out) || !GUARD_IN(desc, given))
		return cudaErrorInvalidValue;
	cudaError_t error = check(d, &e, flags, true);
	if (error)
		return error;
	unsigned most = most_levels(&e, flags);
	m.desc = *d;
	m.levels = levels < 1 ? 1 : levels > most ? most : levels;
	for (unsigned k = 0; k < m.levels; k++) {
		level[k].addr = (uint64_t)size;
		size += lay_out(&level[k], d, extent_of(&e, flags, k), flags);
		size = (size + cu.desc.texture_alignment - 1) / cu.desc.texture_alignment * cu.desc.texture_alignment;
	}
	m.addr = room_for(size, flags);
	if (!m.addr)
		return cudaErrorMemoryAllocation;
	*out = handle_new(&mipmaps);
	for (unsigned k = 0; k < m.levels; k++) {
		level[k].addr += m.addr;
		level[k].mipmap = *out;
		m.level[k] = array_new(&level[k]);
	}
	**out = m;
	return cudaSuccess;
}

void mipmap_destroy(struct mipmap *m)
{
	for (unsigned k = 0; k < m->levels; k++)
		array_destroy(m->level[k]);
	device_free(m->addr);
	handle_free(&mipmaps, m);
}

// --- all of them

static void forget(void *object, void *pool) { handle_free(pool, object); }

void arrays_reset(void)
{
	handle_each(&arrays, forget, &arrays);
	handle_each(&mipmaps, forget, &mipmaps);
}

static void forget_owned(void *array, void *owner)
{
	if (((struct array *)array)->owner == *(const uint32_t *)owner)
		handle_free(&arrays, array);
}

static void forget_owned_mipmap(void *mipmap, void *owner)
{
	if (((struct mipmap *)mipmap)->owner == *(const uint32_t *)owner)
		handle_free(&mipmaps, mipmap);
}

void arrays_release(uint32_t owner)
{
	handle_each(&arrays, forget_owned, &owner);
	handle_each(&mipmaps, forget_owned_mipmap, &owner);
}
