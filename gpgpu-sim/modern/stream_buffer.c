#include "gpgpu-sim/modern/stream_buffer.h"

#include "base/assert.h"
#include "base/mem.h"

void stream_init(struct stream_buffer *b, uint32_t lines)
{
	*b = (struct stream_buffer){.size = lines};
	if (lines)
		b->at = mem_alloc(lines * sizeof *b->at);
}

void stream_free(struct stream_buffer *b) { mem_free(b->at); }

void stream_missed(struct stream_buffer *b, uint64_t line, uint16_t stream)
{
	const struct stream_line *head = stream_head(b);
	if (!b->size || b->promised || (head && head->line == line + 1))
		return;
	b->n = 0;
	b->next = line + 1;
	b->stream = stream;
	b->on = true;
}

static struct stream_line *nth(const struct stream_buffer *b, uint32_t i)
{
	i += b->head;
	return &b->at[i >= b->size ? i - b->size : i];
}

uint64_t stream_request(struct stream_buffer *b)
{
	HEDDLE_ASSERT(stream_asks(b));
	uint64_t line = b->next++;
	*nth(b, b->n++) = (struct stream_line){.line = line};
	return line;
}

bool stream_arrived(struct stream_buffer *b, uint64_t line)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (nth(b, i)->line == line) {
			nth(b, i)->here = true;
			return i == 0 && b->promised;
		}
	return false;
}

void stream_pop(struct stream_buffer *b)
{
	HEDDLE_ASSERT(b->n);
	b->head = b->head + 1 == b->size ? 0 : b->head + 1;
	b->n--;
	b->promised = false;
}

void stream_stop(struct stream_buffer *b)
{
	b->on = false;
	b->n = b->promised ? 1 : 0;
}
