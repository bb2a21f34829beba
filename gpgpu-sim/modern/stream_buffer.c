#include "gpgpu-sim/modern/stream_buffer.h"

void stream_init(struct stream_buffer *b, uint32_t lines)
{
	*b = (struct stream_buffer){0};
	if (lines)
		RING_INIT(b, lines);
}

void stream_free(struct stream_buffer *b) { RING_FREE(b); }

void stream_missed(struct stream_buffer *b, uint64_t line, uint16_t stream)
{
	const struct stream_line *head = stream_head(b);
	if (!b->size || b->promised || (head && head->line == line + 1))
		return;
	RING_KEEP(b, 0);
	b->next = line + 1;
	b->stream = stream;
	b->on = true;
}

uint64_t stream_request(struct stream_buffer *b)
{
	HEDDLE_ASSERT(stream_asks(b));
	uint64_t line = b->next++;
	RING_PUSH(b, (struct stream_line){.line = line});
	return line;
}

bool stream_arrived(struct stream_buffer *b, uint64_t line)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (RING_AT(b, i)->line == line) {
			RING_AT(b, i)->here = true;
			return i == 0 && b->promised;
		}
	return false;
}

void stream_pop(struct stream_buffer *b)
{
	RING_DROP(b);
	b->promised = false;
}

void stream_stop(struct stream_buffer *b)
{
	b->on = false;
	RING_KEEP(b, b->promised);
}
