// What is in the API but not in Heddle yet, from the table.
#include "libcuda/runtime/api.h"

#include <string.h>

// Programs built with --default-stream per-thread call the forms that end in _ptsz or _ptds.
static cudaError_t not_yet(const char *name, atomic_flag *told, const void *caller)
{
	const char *twin = strstr(name, "_pt");
	if (!atomic_flag_test_and_set(told))
		fprintf(stderr, "heddle: %.*s is not implemented; it returns cudaErrorNotSupported\n",
		        twin ? (int)(twin - name) : (int)strlen(name), name);
	return cu_remember(cudaErrorNotSupported, caller);
}

#define NOT_YET(name, releases)                                     \
	CUDA_EXPORT cudaError_t name(void);                         \
	cudaError_t name(void)                                      \
	{                                                           \
		static atomic_flag told = ATOMIC_FLAG_INIT;         \
		return not_yet(#name, &told, CU_CALLER);            \
	}
#include "libcuda/runtime/api.def"
