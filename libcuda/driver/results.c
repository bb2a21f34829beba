// What the driver calls its results.
#include "libcuda/driver/driver.h"

static const struct {
	CUresult code;
	const char *name;
} results[] = {
#define RESULT(code, name) {code, #name},
#include "libcuda/driver/results.def"
#undef RESULT
};

const char *driver_result_name(CUresult e)
{
	for (size_t i = 0; i < sizeof results / sizeof *results; i++)
		if (results[i].code == e)
			return results[i].name;
	return NULL;
}
