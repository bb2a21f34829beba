#include "libcuda/code/refuse.h"

#include <stdarg.h>
#include <stdio.h>

cudaError_t launch_refuse(bool tell, const struct kernel *k, cudaError_t e, const char *fmt, ...)
{
	char why[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	if (tell)
		cu_complain("kernel %s cannot be launched: %s", k->name, why);
	return e;
}
