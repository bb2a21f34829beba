#include "gpgpu-sim/modern/stream_buffer.h"

#include "base/assert.h"
#include "base/mem.h"

#include <string.h>

void stream_init(struct stream_buffer *b, uint32_t lines, bool associative)
{
	*b = (struct stream_buffer){.size = lines, .associative = associative};
	if (lines)
		b->at = mem_alloc(lines * sizeof *b->at);
}

void stream_free(struct stream_buffer *b) { mem_free(b->at); }

// The line, whether or not it can be used.
static struct stream_line *holds(struct stream_buffer *b, uint64_t line)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (b->at[i].line == line)
			return &b->at[i];
	return NULL;
}

struct stream_line *stream_line_of(struct stream_buffer *b, uint64_t line)
{
	struct stream_line *l = holds(b, line);
	return l && (b->associative || l == b->at) ? l : NULL;
}

// Forgets the lines before `from` that are not promised to the cache.
static void forget(struct stream_buffer *b, uint64_t from)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->n; i++)
		if (b->at[i].promised || b->at[i].line >= from)
			b->at[n++] = b->at[i];
	b->n = n;
}

static bool promised(const struct stream_buffer *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (b->at[i].promised)
			return true;
	return false;
}

void stream_missed(struct stream_buffer *b, uint64_t line, uint16_t stream)
{
	if (!b->size || stream_line_of(b, line + 1) || promised(b))
		return;
	b->n = 0;
	b->next = line + 1;
	b->used = line;
	b->stream = stream;
	b->on = true;
}

bool stream_pass(struct stream_buffer *b)
{
	HEDDLE_ASSERT(stream_asks(b));
	b->on = b->associative;
	b->next += b->on;
	return b->on;
}

uint64_t stream_request(struct stream_buffer *b)
{
	HEDDLE_ASSERT(stream_asks(b));
	uint64_t line = b->next++;
	b->at[b->n++] = (struct stream_line){.line = line};
	return line;
}

bool stream_arrived(struct stream_buffer *b, uint64_t line)
{
	struct stream_line *l = holds(b, line);
	if (!l)
		return false;
	l->here = true;
	return l->promised;
}

void stream_use(struct stream_buffer *b, struct stream_line *l)
{
	const uint64_t line = l->line;
	memmove(l, l + 1, (size_t)(b->at + b->n - (l + 1)) * sizeof *l);
	b->n--;
	if (line <= b->used)
		return;
	b->used = line;
	if (b->used > b->size / 2)
		forget(b, b->used - b->size / 2);
}

void stream_stop(struct stream_buffer *b)
{
	b->on = false;
	forget(b, UINT64_MAX);
}
