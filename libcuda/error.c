// Errors: names, texts, and the last error of each host thread.
#include "libcuda/context.h"

static const struct {
	cudaError_t code;
	const char *name, *text;
} errors[] = {
#define CUDA_ERROR(code, name, text) {code, #name, text},
#include "libcuda/errors.def"
#undef CUDA_ERROR
};

static int find(cudaError_t e)
{
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].code == e)
			return (int)i;
	return -1;
}

static const char unknown[] = "unrecognized error code";

const char *error_name(cudaError_t e)
{
	int i = find(e);
	return i < 0 ? unknown : errors[i].name;
}

const char *error_text(cudaError_t e)
{
	int i = find(e);
	return i < 0 ? unknown : errors[i].text;
}

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
