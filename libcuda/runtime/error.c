// What programs ask about errors, and the last error of each host thread in each copy of the runtime.
#include "libcuda/runtime/api.h"
#include "libcuda/code/module.h"
#include "libcuda/context/error.h"

CUDA_EXPORT const char *cudaGetErrorName(cudaError_t e);
const char *cudaGetErrorName(cudaError_t e) { return error_name(e); }

CUDA_EXPORT const char *cudaGetErrorString(cudaError_t e);
const char *cudaGetErrorString(cudaError_t e)
{
	modules_explain(e);
	return error_text(e);
}

// The error of a failed kernel stays until cudaDeviceReset.
static cudaError_t last_error(cudaError_t last) { return last || atomic_load(&cu.forked) ? last : cu.sticky; }

CUDA_EXPORT cudaError_t cudaPeekAtLastError(void);
cudaError_t cudaPeekAtLastError(void) { return last_error(*cu_last(CU_CALLER)); }

CUDA_EXPORT cudaError_t cudaGetLastError(void);
cudaError_t cudaGetLastError(void)
{
	cudaError_t *last = cu_last(CU_CALLER), e = last_error(*last);
	*last = cudaSuccess;
	return e;
}
