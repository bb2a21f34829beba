// What cuBLAS and cuBLASLt have and this library has not, from the table.
#include "blas/blas.h"
#include "libcuda/image/closed.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>

// NVIDIA's libraries call cuBLAS too, and functions of it that are not documented.
static status not_yet(const char *name, atomic_flag *told, const void *caller)
{
	Dl_info at;
	char why[128];
	snprintf(why, sizeof why, "it calls %s, which the stand-in for cuBLAS has not", name);
	if (dladdr(caller, &at) && at.dli_fname && closed_tell_why(at.dli_fname, why))
		return NOT_SUPPORTED;
	if (!atomic_flag_test_and_set(told))
		fprintf(stderr, "heddle: %s is not implemented; it returns CUBLAS_STATUS_NOT_SUPPORTED\n", name);
	return NOT_SUPPORTED;
}

#define MISSING(symbol)                                                 \
	__attribute__((visibility("default"))) status symbol(void);     \
	status symbol(void)                                             \
	{                                                               \
		static atomic_flag told = ATOMIC_FLAG_INIT;             \
		return not_yet(#symbol, &told, __builtin_return_address(0)); \
	}
#define WIDE(name) MISSING(name##_64)
#define NARROW(name)
#define NOT_YET(name, twin) MISSING(name) twin(name)
#include "blas/blas.def"
