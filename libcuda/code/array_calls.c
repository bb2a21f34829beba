#include "libcuda/code/array_calls.h"

#include "libcuda/code/module.h"
#include "libcuda/context/guard.h"
#include "libcuda/memory/array.h"
#include "libcuda/work/wait.h"

cudaError_t array_end(cudaArray_t handle)
{
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

cudaError_t mipmap_end(cudaMipmappedArray_t handle)
{
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

cudaError_t mipmap_level(cudaArray_t *out, cudaMipmappedArray_t handle, unsigned level)
{
	const struct mipmap *m = mipmap_find(handle);
	if (!m)
		return cudaErrorInvalidResourceHandle;
	if (!GUARD_OUT(out) || level >= m->levels)
		return cudaErrorInvalidValue;
	*out = m->level[level];
	return cudaSuccess;
}

static cudaError_t none_such(const void *out, bool known, bool given)
{
	return out && given && !known ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
}

cudaError_t array_none_such(const void *out, cudaArray_t handle) { return none_such(out, array_find(handle), handle); }
cudaError_t mipmap_none_such(const void *out, cudaMipmappedArray_t handle) { return none_such(out, mipmap_find(handle), handle); }
