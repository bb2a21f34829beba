#include "libcuda/driver/driver.h"

#include "libcuda/context/error.h"
#include "libcuda/context/output.h"
#include "libcuda/life/contexts.h"

CUresult driver_result(cudaError_t e)
{
	switch (e) {
	// Errors that only the runtime tells apart.
	case cudaErrorInvalidConfiguration:
	case cudaErrorInvalidPitchValue:
	case cudaErrorInvalidHostPointer:
	case cudaErrorInvalidDevicePointer:
	case cudaErrorInvalidChannelDescriptor:
	case cudaErrorInvalidMemcpyDirection:
	case cudaErrorInvalidFilterSetting:
	case cudaErrorInvalidNormSetting:
	case cudaErrorMissingConfiguration: return CUDA_ERROR_INVALID_VALUE;
	case cudaErrorInvalidTexture:
	case cudaErrorInvalidTextureBinding:
	case cudaErrorInvalidSurface:
	case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
	case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
	case cudaErrorLaunchMaxDepthExceeded:
	case cudaErrorLaunchPendingCountExceeded:
	case cudaErrorSyncDepthExceeded: return CUDA_ERROR_LAUNCH_FAILED;
	default: return e;
	}
}

CUresult driver_enter(enum driver_need need, const char *api)
{
	if (!cu.initialised)
		return CUDA_ERROR_NOT_INITIALIZED;
	if (cu_thread.in_host_function)
		return CUDA_ERROR_NOT_PERMITTED;
	const struct cu_context *c = context_current();
	if (need == DRIVER_CURRENT && !c)
		return CUDA_ERROR_INVALID_CONTEXT;
	cudaError_t e = cu_begin(need == DRIVER_INITIALISED ? CU_DEVICE : CU_CONTEXT, api);
	if (e)
		return driver_result(e);
	if (need != DRIVER_CURRENT || (context_valid(c) && (!c->primary || c->active)))
		return CUDA_SUCCESS;
	output_release();
	return CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult driver_leave(cudaError_t e)
{
	const CUresult result = driver_result(e);
	if (result && driver_result_name(result)) {
		checks_api_error(driver_result_name(result), error_text(e), result);
		if (e != cudaErrorNotReady)
			cu_log_failure(driver_result_name(result), error_text(e));
	}
	output_release();
	return result;
}
