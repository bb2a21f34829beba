// What is in the driver API but not in Heddle yet, from the table.
#include "libcuda/driver/driver.h"

static CUresult not_yet(const char *name, atomic_flag *told)
{
	if (!atomic_flag_test_and_set(told))
		fprintf(stderr, "heddle: %s is not implemented; it returns CUDA_ERROR_NOT_SUPPORTED\n", name);
	return CUDA_ERROR_NOT_SUPPORTED;
}

#define MISSING(symbol, name)                               \
	CUDA_EXPORT CUresult symbol(void);                  \
	CUresult symbol(void)                               \
	{                                                   \
		static atomic_flag told = ATOMIC_FLAG_INIT; \
		return not_yet(name, &told);                \
	}
#define PTSZ(symbol, name) MISSING(symbol##_ptsz, name)
#define PTDS(symbol, name) MISSING(symbol##_ptds, name)
#define NONE(symbol, name)
#define NOT_YET(symbol, name, since, twin) MISSING(symbol, #name) twin(symbol, #name)
#include "libcuda/driver/driver.def"
