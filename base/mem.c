#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned fail_countdown;

void mem_fail_after(unsigned n) { fail_countdown = n; }

_Noreturn void mem_fail(size_t size)
{
	fprintf(stderr, "heddle: the host has no memory left for %zu more bytes; use a smaller problem or a larger machine\n",
	        size);
	exit(70);
}

void *mem_try_alloc(size_t size)
{
	if (fail_countdown && --fail_countdown == 0)
		return NULL;
	return calloc(1, size ? size : 1);
}

void *mem_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);
	if (!p)
		mem_fail(size);
	return p;
}

void *mem_realloc(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	if (!p)
		mem_fail(size);
	return p;
}

char *mem_strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	return memcpy(mem_alloc(n), s, n);
}

void mem_free(void *p) { free(p); }
