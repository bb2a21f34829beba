// What programs do with arrays as a whole; copies of them are in memcpy.c.
#include "libcuda/code/array_calls.h"
#include "libcuda/context/guard.h"
#include "libcuda/memory/array.h"
#include "libcuda/runtime/api.h"

API(cudaMallocArray,
    (cudaArray_t * array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height, unsigned flags),
    array_create(array, desc, (struct cudaExtent){width, height, 0}, flags))
API(cudaMalloc3DArray,
    (cudaArray_t * array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned flags),
    array_create(array, desc, extent, flags))
API(cudaMallocMipmappedArray,
    (cudaMipmappedArray_t * mipmap, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned levels, unsigned flags),
    mipmap_create(mipmap, desc, extent, levels, flags))

API(cudaFreeArray, (cudaArray_t array), array ? array_end(array) : cudaSuccess)
API(cudaFreeMipmappedArray, (cudaMipmappedArray_t mipmap), mipmap ? mipmap_end(mipmap) : cudaSuccess)
API(cudaGetMipmappedArrayLevel, (cudaArray_t * array, cudaMipmappedArray_t mipmap, unsigned level), mipmap_level(array, mipmap, level))

static cudaError_t info(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned *flags,
                        cudaArray_t handle)
{
	struct array *a = array_find(handle);
	if (!a)
		return array_missing(handle);
	if (!GUARD_OUT_OR_NULL(desc) || !GUARD_OUT_OR_NULL(extent) || !GUARD_OUT_OR_NULL(flags))
		return cudaErrorInvalidValue;
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

API(cudaArrayGetPlane, (cudaArray_t * plane, cudaArray_t array, unsigned index), array_none_such(plane, array))
API(cudaArrayGetMemoryRequirements, (struct cudaArrayMemoryRequirements * out, cudaArray_t array, int device),
    array_none_such(out, array))
API(cudaArrayGetSparseProperties, (struct cudaArraySparseProperties * out, cudaArray_t array), array_none_such(out, array))
API(cudaMipmappedArrayGetMemoryRequirements, (struct cudaArrayMemoryRequirements * out, cudaMipmappedArray_t mipmap, int device),
    mipmap_none_such(out, mipmap))
API(cudaMipmappedArrayGetSparseProperties, (struct cudaArraySparseProperties * out, cudaMipmappedArray_t mipmap),
    mipmap_none_such(out, mipmap))

CUDA_EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, f};
}
