#include "libcuda/context/error.h"

#include <stddef.h>

static const struct {
	cudaError_t code;
	const char *name, *text;
} errors[] = {
#define CUDA_ERROR(code, name, text) {code, #name, text},
#include "libcuda/context/errors.def"
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
