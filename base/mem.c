#include "base/mem.h"

#include "base/assert.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned fail_countdown;

void mem_fail_after(unsigned n) { fail_countdown = n; }

_Noreturn void mem_fail(size_t size)
{
	fprintf(stderr,
	        "heddle: the host has no memory left for %zu more bytes; use a smaller problem or a larger machine\n",
	        size);
	// No exit handlers: whoever asked may hold a lock that they wait for.
	fflush(NULL);
	_exit(70);
}

// HEDDLE_FAIL_ALLOC=n makes every n-th mem_try_alloc of a hostile build fail.
bool mem_forced_failure(void)
{
#ifdef HEDDLE_HOSTILE
	static atomic_uint calls;
	const char *text = getenv("HEDDLE_FAIL_ALLOC");
	unsigned every = text ? (unsigned)strtoul(text, NULL, 10) : 0;
	if (every && (atomic_fetch_add(&calls, 1) + 1) % every == 0)
		return true;
#endif
	return fail_countdown && --fail_countdown == 0;
}

void *mem_try_alloc(size_t size)
{
	if (mem_forced_failure())
		return NULL;
	return calloc(1, size ? size : 1);
}

// HEDDLE_FAIL_ALLOC_AT=n makes the n-th allocation of a hostile build fail, whoever asks.
static bool at_failure(void)
{
#ifdef HEDDLE_HOSTILE
	static atomic_ulong calls;
	const char *text = getenv("HEDDLE_FAIL_ALLOC_AT");
	return text && atomic_fetch_add(&calls, 1) + 1 == strtoul(text, NULL, 10);
#else
	return false;
#endif
}

void *mem_alloc(size_t size)
{
	void *p = at_failure() ? NULL : calloc(1, size ? size : 1);
	if (!p)
		mem_fail(size);
	return p;
}

void *mem_alloc_lines(size_t size)
{
	size = (size + 63) & ~(size_t)63;
	void *p = at_failure() ? NULL : aligned_alloc(64, size ? size : 64);
	if (!p)
		mem_fail(size);
	return memset(p, 0, size);
}

void *mem_reserve(void *at, size_t size)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
// The thread sanitizer forgets an address that it does not leave to programs and keeps the flag, with which the host then maps at 0.
#ifndef __SANITIZE_THREAD__
	flags |= at ? MAP_FIXED_NOREPLACE : 0;
#endif
	void *p = mmap(at, size, PROT_NONE, flags, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (!at || p == at)
		return p;
	munmap(p, size); // without the flag, or to a kernel older than it, the address is a hint
	return NULL;
}

void *mem_realloc(void *p, size_t size)
{
	p = at_failure() ? NULL : realloc(p, size ? size : 1);
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
