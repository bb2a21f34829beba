// What cuBLAS and cuBLASLt have and this library has not, from the table.
#include "blas/blas.h"

#include <stdatomic.h>
#include <stdio.h>

static status not_yet(const char *name, atomic_flag *told)
{
	if (!atomic_flag_test_and_set(told))
		fprintf(stderr, "heddle: %s is not implemented; it returns CUBLAS_STATUS_NOT_SUPPORTED\n", name);
	return NOT_SUPPORTED;
}

#define MISSING(symbol)                                                 \
	__attribute__((visibility("default"))) status symbol(void);     \
	status symbol(void)                                             \
	{                                                               \
		static atomic_flag told = ATOMIC_FLAG_INIT;             \
		return not_yet(#symbol, &told);                         \
	}
#define WIDE(name) MISSING(name##_64)
#define NARROW(name)
#define NOT_YET(name, twin) MISSING(name) twin(name)
#include "blas/blas.def"
