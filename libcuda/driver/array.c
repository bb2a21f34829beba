// Arrays and mipmapped arrays.
#include "libcuda/memory/array.h"

#include "libcuda/code/array_calls.h"
#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"
#include "libcuda/driver/format.h"

struct array_descriptor { // own text; the layout is CUDA_ARRAY_DESCRIPTOR's
	size_t width, height;
	int format;
	unsigned channels;
};

struct array3d_descriptor { // CUDA_ARRAY3D_DESCRIPTOR's
	size_t width, height, depth;
	int format;
	unsigned channels, flags;
};

_Static_assert(sizeof(struct array_descriptor) == 24 && sizeof(struct array3d_descriptor) == 40, "13.0");

static cudaError_t create(cudaArray_t *out, const struct array_descriptor *given)
{
	struct array_descriptor d;
	struct cudaChannelFormatDesc c;
	if (!out || !given || !guard_read(&d, given, sizeof d))
		return cudaErrorInvalidValue;
	cudaError_t e = format_channels(&c, d.format, d.channels);
	return e ? e : array_create(out, &c, (struct cudaExtent){d.width, d.height, 0}, 0);
}

static cudaError_t create_3d(cudaArray_t *out, const struct array3d_descriptor *given)
{
	struct array3d_descriptor d;
	struct cudaChannelFormatDesc c;
	if (!out || !given || !guard_read(&d, given, sizeof d))
		return cudaErrorInvalidValue;
	cudaError_t e = format_channels(&c, d.format, d.channels);
	return e ? e : array_create(out, &c, (struct cudaExtent){d.width, d.height, d.depth}, d.flags);
}

static cudaError_t create_mipmap(cudaMipmappedArray_t *out, const struct array3d_descriptor *given, unsigned levels)
{
	struct array3d_descriptor d;
	struct cudaChannelFormatDesc c;
	if (!out || !given || !guard_read(&d, given, sizeof d))
		return cudaErrorInvalidValue;
	cudaError_t e = format_channels(&c, d.format, d.channels);
	return e ? e : mipmap_create(out, &c, (struct cudaExtent){d.width, d.height, d.depth}, levels, d.flags);
}

static cudaError_t describe_3d(struct array3d_descriptor *out, cudaArray_t handle)
{
	const struct array *a = array_find(handle);
	if (!a)
		return out || !handle ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	struct array3d_descriptor d = {a->extent.width, a->extent.height, a->extent.depth, 0, 0, a->flags};
	format_of_channels(&d.format, &d.channels, &a->desc);
	return out && guard_write(out, &d, sizeof d) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t describe(struct array_descriptor *out, cudaArray_t handle)
{
	struct array3d_descriptor d;
	cudaError_t e = describe_3d(&d, handle);
	if (e)
		return e;
	struct array_descriptor told = {d.width, d.height, d.format, d.channels};
	return out && guard_write(out, &told, sizeof told) ? cudaSuccess : cudaErrorInvalidValue;
}

DRIVER(cuArrayCreate_v2, (cudaArray_t * array, const struct array_descriptor *desc), create(array, desc))
DRIVER(cuArray3DCreate_v2, (cudaArray_t * array, const struct array3d_descriptor *desc), create_3d(array, desc))
DRIVER(cuArrayGetDescriptor_v2, (struct array_descriptor * desc, cudaArray_t array), describe(desc, array))
DRIVER(cuArray3DGetDescriptor_v2, (struct array3d_descriptor * desc, cudaArray_t array), describe_3d(desc, array))
DRIVER(cuArrayDestroy, (cudaArray_t array), array_end(array))
DRIVER(cuArrayGetPlane, (cudaArray_t * plane, cudaArray_t array, unsigned index), array_none_such(plane, array))
DRIVER(cuArrayGetMemoryRequirements, (void *out, cudaArray_t array, CUdevice device), array_none_such(out, array))
DRIVER(cuArrayGetSparseProperties, (void *out, cudaArray_t array), array_none_such(out, array))
DRIVER(cuMipmappedArrayCreate, (cudaMipmappedArray_t * mipmap, const struct array3d_descriptor *desc, unsigned levels),
       create_mipmap(mipmap, desc, levels))
DRIVER(cuMipmappedArrayGetLevel, (cudaArray_t * array, cudaMipmappedArray_t mipmap, unsigned level), mipmap_level(array, mipmap, level))
DRIVER(cuMipmappedArrayDestroy, (cudaMipmappedArray_t mipmap), mipmap_end(mipmap))
DRIVER(cuMipmappedArrayGetMemoryRequirements, (void *out, cudaMipmappedArray_t mipmap, CUdevice device), mipmap_none_such(out, mipmap))
DRIVER(cuMipmappedArrayGetSparseProperties, (void *out, cudaMipmappedArray_t mipmap), mipmap_none_such(out, mipmap))

// Memory mapped to arrays later: for sparse ones and such that are made for it.
DRIVER_STREAM(cuMemMapArrayAsync, (void *list, unsigned count, cudaStream_t stream),
              list && count ? cudaErrorNotSupported : cudaErrorInvalidValue)
