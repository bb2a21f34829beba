#include "libcuda/context/log_calls.h"

#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATH = 4096 };

static struct handle_pool *the_callbacks(void)
{
	cu.log.callbacks.size = sizeof(struct log_callback);
	return &cu.log.callbacks;
}

cudaError_t log_register(log_function f, void *data, void **out)
{
	if (!f || !GUARD_OUT_OR_NULL(out))
		return cudaErrorInvalidValue;
	struct log_callback *c = handle_new(the_callbacks());
	*c = (struct log_callback){f, data};
	if (out)
		*out = c;
	return cudaSuccess;
}

cudaError_t log_unregister(void *callback)
{
	if (!handle_valid(the_callbacks(), callback))
		return cudaErrorInvalidValue;
	handle_free(&cu.log.callbacks, callback);
	return cudaSuccess;
}

// --- dumps

cudaError_t log_current(uint32_t *iterator, unsigned flags)
{
	if (flags || !GUARD_OUT(iterator))
		return cudaErrorInvalidValue;
	*iterator = cu.log.next;
	return cudaSuccess;
}

// The messages that a dump begins with, as an index of those kept; how many before it are gone. False for an iterator that is no good.
static bool begin(uint32_t *iterator, unsigned flags, size_t *first, uint32_t *gone)
{
	uint32_t oldest = cu.log.next - (uint32_t)cu.log.kept.n, from = 0;
	if (flags || !GUARD_OUT_OR_NULL(iterator))
		return false;
	if (iterator)
		from = *iterator;
	if (from > cu.log.next)
		return false;
	*gone = from < oldest ? oldest - from : 0;
	*first = from < oldest ? 0 : from - oldest;
	return true;
}

static void end(uint32_t *iterator)
{
	if (iterator)
		*iterator = cu.log.next;
}

static void tell_gone(FILE *f, uint32_t gone)
{
	if (gone)
		fprintf(f, "%s%u older messages are lost\n", log_prefix(LOG_WARNING), gone);
}

static void write_from(FILE *f, size_t first)
{
	for (size_t i = first; i < cu.log.kept.n; i++)
		fprintf(f, "%s\n", cu.log.kept.at[i].text);
}

cudaError_t log_to_file(uint32_t *iterator, const char *path, unsigned flags)
{
	char copy[LONGEST_PATH];
	size_t first;
	uint32_t gone;
	if (!begin(iterator, flags, &first, &gone) || !guard_read_text(copy, sizeof copy, path))
		return cudaErrorInvalidValue;
	FILE *f = fopen(copy, "a");
	if (!f) {
		cu_complain("cannot write %s: %s", copy, strerror(errno));
		return cudaErrorInvalidValue;
	}
	tell_gone(f, gone);
	write_from(f, first);
	if (fclose(f)) {
		cu_complain("cannot write %s: %s", copy, strerror(errno));
		return cudaErrorInvalidValue;
	}
	end(iterator);
	return cudaSuccess;
}

// The newest messages that fit into `room` bytes behind a line that says so.
static bool shortened(FILE *f, size_t first, size_t room)
{
	char head[100];
	size_t used = (size_t)snprintf(head, sizeof head, "%sthe buffer is too small for all messages\n", log_prefix(LOG_WARNING));
	size_t from = cu.log.kept.n;
	while (from > first && used + cu.log.kept.at[from - 1].n + 1 <= room)
		used += cu.log.kept.at[--from].n + 1;
	fputs(head, f);
	write_from(f, from);
	return from < cu.log.kept.n;
}

cudaError_t log_to_memory(uint32_t *iterator, char *buffer, size_t *size, unsigned flags)
{
	char *text;
	size_t first, n, room;
	uint32_t gone;
	if (!buffer || !GUARD_OUT(size) || !begin(iterator, flags, &first, &gone))
		return cudaErrorInvalidValue;
	room = *size;
	FILE *f = open_memstream(&text, &n);
	tell_gone(f, gone);
	write_from(f, first);
	fclose(f);
	bool good = !n || n < room;
	if (!good) {
		free(text);
		f = open_memstream(&text, &n);
		good = shortened(f, first, room ? room - 1 : 0);
		fclose(f);
	}
	if (good && room) // where there is nothing to tell a buffer without room is good enough
		good = guard_write(buffer, text, n + 1);
	free(text);
	*size = good ? n : 0;
	if (!good)
		return cudaErrorInvalidValue;
	end(iterator);
	return cudaSuccess;
}
