// Functions of one name, as the tracer of extended traces tells them apart: NAME___0, NAME___1.
#ifndef CUDA_SIM_TRACE_VARIANT_H
#define CUDA_SIM_TRACE_VARIANT_H

#include <stdio.h>
#include <string.h>

#define TRACE_VARIANT "___"

// Cuts the name, if `n` is too small for both, not the number.
static inline void trace_variant_name(char *buf, size_t n, const char *name, unsigned variant)
{
	enum { NUMBER = sizeof TRACE_VARIANT + 10 };
	snprintf(buf, n, "%.*s" TRACE_VARIANT "%u", n > NUMBER ? (int)(n - NUMBER) : 0, name, variant);
}

// Length of the name without the variant.
static inline size_t trace_variant_cut(const char *name)
{
	size_t n = strlen(name), k = n, mark = strlen(TRACE_VARIANT);
	while (k && name[k - 1] >= '0' && name[k - 1] <= '9')
		k--;
	return k < n && k > mark && !memcmp(name + k - mark, TRACE_VARIANT, mark) ? k - mark : n;
}

#endif
