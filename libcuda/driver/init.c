// How a program begins: cuInit, versions, and what errors are called. None of these needs a context.
#include "libcuda/code/module.h"
#include "libcuda/context/error.h"
#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"
#include "libcuda/image/closed.h"
#include "libcuda/life/device.h"

#include <dlfcn.h>
#include <string.h>

CUDA_EXPORT CUresult cuInit(unsigned flags);
CUresult cuInit(unsigned flags)
{
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	cudaError_t e = cu_begin(CU_DEVICE, "cuInit");
	if (e)
		return driver_result(e);
	cu.initialised = true;
	return driver_leave(cudaSuccess);
}

CUDA_EXPORT CUresult cuDriverGetVersion(int *version);
CUresult cuDriverGetVersion(int *version)
{
	if (!GUARD_OUT(version))
		return CUDA_ERROR_INVALID_VALUE;
	*version = CUDA_VERSION_REPORTED;
	return CUDA_SUCCESS;
}

// The runtime has a text for each number but these.
static const char *result_text(CUresult e)
{
	if (e == CUDA_ERROR_CONTEXT_ALREADY_CURRENT)
		return "context is already current";
	if (e == CUDA_ERROR_KEY_ROTATION)
		return "key rotation is pending";
	return error_text(e);
}

CUDA_EXPORT CUresult cuGetErrorName(CUresult e, const char **name);
CUresult cuGetErrorName(CUresult e, const char **name)
{
	if (!GUARD_OUT(name))
		return CUDA_ERROR_INVALID_VALUE;
	*name = driver_result_name(e);
	return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUDA_EXPORT CUresult cuGetErrorString(CUresult e, const char **text);
CUresult cuGetErrorString(CUresult e, const char **text)
{
	if (!GUARD_OUT(text))
		return CUDA_ERROR_INVALID_VALUE;
	modules_explain(e);
	*text = driver_result_name(e) ? result_text(e) : NULL;
	return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Tables of functions that are not public are found by nobody. Some libraries cannot do without; the return address tells which one asks.
CUDA_EXPORT CUresult cuGetExportTable(const void **table, const void *id);
CUresult cuGetExportTable(const void **table, const void *id)
{
	Dl_info caller;
	if (!GUARD_OUT(table) || !id)
		return CUDA_ERROR_INVALID_VALUE;
	if (dladdr(__builtin_return_address(0), &caller) && caller.dli_fname)
		closed_tell(caller.dli_fname);
	*table = NULL;
	return CUDA_ERROR_NOT_FOUND;
}
