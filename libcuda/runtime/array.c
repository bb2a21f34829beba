// What programs do with arrays as a whole; copies of them are in memcpy.c.
#include "libcuda/code/module.h"
#include "libcuda/memory/array.h"
#include "libcuda/runtime/api.h"
#include "libcuda/work/wait.h"

API(cudaMallocArray,
    (cudaArray_t * array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height, unsigned flags),
    array_create(array, desc, (struct cudaExtent){width, height, 0}, flags))
API(cudaMalloc3DArray,
    (cudaArray_t * array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned flags),
    array_create(array, desc, extent, flags))
API(cudaMallocMipmappedArray,
    (cudaMipmappedArray_t * mipmap, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned levels, unsigned flags),
    mipmap_create(mipmap, desc, extent, levels, flags))

static cudaError_t destroy(cudaArray_t handle)
{
	if (!handle)
		return cudaSuccess;
	struct array *a = array_find(handle);
	if (!a || a->mipmap) {
		cu_complain(a ? "the array is a level of a mipmapped array, which is freed as a whole" :
		                "the array was not created, or is freed already");
		return cudaErrorInvalidResourceHandle;
	}
	cudaError_t e = wait_all();
	if (e)
		return e;
	texrefs_forget_array(a);
	array_destroy(a);
	return cudaSuccess;
}

API(cudaFreeArray, (cudaArray_t array), destroy(array))

static cudaError_t destroy_mipmap(cudaMipmappedArray_t handle)
{
	if (!handle)
		return cudaSuccess;
	struct mipmap *m = mipmap_find(handle);
	if (!m) {
		cu_complain("the mipmapped array was not created, or is freed already");
		return cudaErrorInvalidResourceHandle;
	}
	cudaError_t e = wait_all();
	if (e)
		return e;
	for (unsigned k = 0; k < m->levels; k++)
		texrefs_forget_array(m->level[k]);
	mipmap_destroy(m);
	return cudaSuccess;
}

API(cudaFreeMipmappedArray, (cudaMipmappedArray_t mipmap), destroy_mipmap(mipmap))

static cudaError_t get_level(cudaArray_t *out, cudaMipmappedArray_t handle, unsigned level)
{
	const struct mipmap *m = mipmap_find(handle);
	if (!m)
		return cudaErrorInvalidResourceHandle;
	if (!out || level >= m->levels)
		return cudaErrorInvalidValue;
	*out = m->level[level];
	return cudaSuccess;
}

API(cudaGetMipmappedArrayLevel, (cudaArray_t * array, cudaMipmappedArray_t mipmap, unsigned level), get_level(array, mipmap, level))

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

// These answer for arrays with several planes, for sparse ones and for those to which memory is mapped later. There are none of
// these here, and for others the documented answer is cudaErrorInvalidValue.
static cudaError_t none_such(const void *out, bool known, bool given)
{
	return out && given && !known ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
}

API(cudaArrayGetPlane, (cudaArray_t * plane, cudaArray_t array, unsigned index), none_such(plane, array_find(array), array))
API(cudaArrayGetMemoryRequirements, (struct cudaArrayMemoryRequirements * out, cudaArray_t array, int device),
    none_such(out, array_find(array), array))
API(cudaArrayGetSparseProperties, (struct cudaArraySparseProperties * out, cudaArray_t array),
    none_such(out, array_find(array), array))
API(cudaMipmappedArrayGetMemoryRequirements, (struct cudaArrayMemoryRequirements * out, cudaMipmappedArray_t mipmap, int device),
    none_such(out, mipmap_find(mipmap), mipmap))
API(cudaMipmappedArrayGetSparseProperties, (struct cudaArraySparseProperties * out, cudaMipmappedArray_t mipmap),
    none_such(out, mipmap_find(mipmap), mipmap))

CUDA_EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, f};
}
