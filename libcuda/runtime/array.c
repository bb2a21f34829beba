// What programs do with arrays as a whole; copies of them are in memcpy.c.
#include "libcuda/memory/array.h"

#include "libcuda/memory/alloc.h"
#include "libcuda/runtime/api.h"
#include "libcuda/code/module.h"
#include "libcuda/work/wait.h"

static bool too_large(const struct cudaExtent *e, unsigned flags)
{
	const struct gpu_texture_limits *t = &cu.desc.texture;
	if (flags & ARRAY_LAYERED)
		return e->height ? e->width > t->layered2d[0] || e->height > t->layered2d[1] || e->depth > t->layered2d[2]
		                 : e->width > t->layered1d[0] || e->depth > t->layered1d[1];
	if (e->depth)
		return e->width > t->tex3d[0] || e->height > t->tex3d[1] || e->depth > t->tex3d[2];
	return e->height ? e->width > t->tex2d[0] || e->height > t->tex2d[1] : e->width > t->tex1d;
}

static cudaError_t create(cudaArray_t *out, const struct cudaChannelFormatDesc *d, struct cudaExtent e, unsigned flags)
{
	if (!out || !d || flags & ~(ARRAY_LAYERED | ARRAY_SURFACE | ARRAY_CUBEMAP | ARRAY_GATHER))
		return cudaErrorInvalidValue;
	unsigned texel = channel_bytes(d);
	if (!texel)
		return cudaErrorInvalidChannelDescriptor;
	if (flags & ARRAY_CUBEMAP) {
		cu_complain("cube maps are not supported");
		return cudaErrorNotSupported;
	}
	bool layered = flags & ARRAY_LAYERED;
	if (!e.width || (e.depth && !e.height && !layered) || (layered && !e.depth) || too_large(&e, flags))
		return cudaErrorInvalidValue;
	struct array a = {.desc = *d, .extent = e, .flags = flags, .texel = texel};
	a.rows = e.height ? e.height : 1;
	a.slices = e.depth ? e.depth : 1;
	a.pitch = (e.width * texel + 31) / 32 * 32;
	a.slice = a.pitch * a.rows;
	unsigned __int128 size = (unsigned __int128)a.slice * a.slices;
	a.addr = size > cu.desc.memory_size ? 0 : memory_alloc((uint64_t)size, DEVMEM_ARRAY, flags);
	if (!a.addr)
		return cudaErrorMemoryAllocation;
	*out = array_new();
	**out = a;
	return cudaSuccess;
}

API(cudaMallocArray,
    (cudaArray_t * array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height, unsigned flags),
    create(array, desc, (struct cudaExtent){width, height, 0}, flags))
API(cudaMalloc3DArray,
    (cudaArray_t * array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned flags),
    create(array, desc, extent, flags))

static cudaError_t destroy(cudaArray_t handle)
{
	if (!handle)
		return cudaSuccess;
	struct array *a = array_find(handle);
	if (!a) {
		cu_complain("the array was not created, or is freed already");
		return cudaErrorInvalidResourceHandle;
	}
	cudaError_t e = wait_all();
	if (e)
		return e;
	texrefs_forget_array(a);
	device_free(a->addr);
	array_free(a);
	return cudaSuccess;
}

API(cudaFreeArray, (cudaArray_t array), destroy(array))

static cudaError_t info(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned *flags,
                        cudaArray_t handle)
{
	struct array *a = array_find(handle);
	if (!a)
		return array_missing(handle);
	if (desc)
		*desc = a->desc;
	if (extent)
		*extent = a->extent;
	if (flags)
		*flags = a->flags;
	return cudaSuccess;
}

API(cudaArrayGetInfo,
    (struct cudaChannelFormatDesc * desc, struct cudaExtent *extent, unsigned *flags, cudaArray_t array),
    info(desc, extent, flags, array))
API(cudaGetChannelDesc, (struct cudaChannelFormatDesc * desc, cudaArray_t array),
    desc ? info(desc, NULL, NULL, array) : cudaErrorInvalidValue)

CUDA_EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, f};
}
