// What programs ask about errors, and the last error of each host thread.
#include "libcuda/runtime/api.h"
#include "libcuda/context/error.h"

CUDA_EXPORT const char *cudaGetErrorName(cudaError_t e);
const char *cudaGetErrorName(cudaError_t e) { return error_name(e); }

CUDA_EXPORT const char *cudaGetErrorString(cudaError_t e);
const char *cudaGetErrorString(cudaError_t e) { return error_text(e); }

// The error of a failed kernel stays until cudaDeviceReset.
static cudaError_t last_error(void)
{
	return cu_thread.last || atomic_load(&cu.forked) ? cu_thread.last : cu.sticky;
}

CUDA_EXPORT cudaError_t cudaPeekAtLastError(void);
cudaError_t cudaPeekAtLastError(void) { return last_error(); }

CUDA_EXPORT cudaError_t cudaGetLastError(void);
cudaError_t cudaGetLastError(void)
{
	cudaError_t e = last_error();
	cu_thread.last = cudaSuccess;
	return e;
}
