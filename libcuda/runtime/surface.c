// Surface references, as programs up to CUDA 11 use them, and the end of objects; how these begin is in versions.c.
#include "libcuda/code/module.h"
#include "libcuda/context/guard.h"
#include "libcuda/memory/array.h"
#include "libcuda/runtime/api.h"
#include "libcuda/texture/texture.h"
#include "libcuda/texture/texture_object.h"
#include "libcuda/work/wait.h"

API(cudaDestroyTextureObject, (uint64_t object), texture_object_destroy(object, false))
API(cudaDestroySurfaceObject, (uint64_t object), texture_object_destroy(object, true))

static cudaError_t bind_surface(const struct surfaceReference *host, cudaArray_t handle, const struct cudaChannelFormatDesc *d)
{
	cudaError_t e;
	struct texture t = {0};
	struct texref *ref = surfref_get(host, &e);
	if (!ref)
		return e;
	struct array *a = array_find(handle);
	if (!a)
		return array_missing(handle);
	struct cudaChannelFormatDesc desc = a->desc;
	if (d && !guard_read(&desc, d, sizeof desc))
		return cudaErrorInvalidValue;
	e = texture_surface(&t, a, &desc);
	e = e ? e : wait_all();
	if (e)
		return e;
	t.name = ref->name;
	ref->bound = t;
	ref->array = a;
	return cudaSuccess;
}

API(cudaBindSurfaceToArray, (const struct surfaceReference *surface, cudaArray_t array, const struct cudaChannelFormatDesc *desc),
    bind_surface(surface, array, desc))

static cudaError_t get_reference(const struct surfaceReference **out, const void *symbol)
{
	cudaError_t e;
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	const struct texref *ref = surfref_get(symbol, &e);
	if (ref)
		*out = ref->host;
	return e;
}

API(cudaGetSurfaceReference, (const struct surfaceReference **surface, const void *symbol), get_reference(surface, symbol))
