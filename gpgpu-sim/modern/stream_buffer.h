// The prefetcher of an L0 instruction cache: one stream of consecutive lines behind a miss, each requested ahead of its use
// and kept outside the cache until it is used.
//
// Of a simple buffer only the first line can be used, and its stream ends where it meets a line that the cache has. Of an
// associative one any line can be, in any order, and its stream passes over what the cache has: so it survives a jump over some
// lines and back. That stream is at most as many lines ahead of the furthest line used as the buffer has entries, and lines more
// than half as many behind it make room.
#ifndef GPGPU_SIM_MODERN_STREAM_BUFFER_H
#define GPGPU_SIM_MODERN_STREAM_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

struct stream_line {
	uint64_t line;
	bool here;     // else requested
	bool promised; // goes to the cache when it comes
};

struct stream_buffer {
	struct stream_line *at; // by line
	uint32_t n, size;       // size 0: there is none
	uint64_t next;          // line that is requested next
	uint64_t used;          // the furthest line of the stream that was used, or the miss that it began behind
	uint16_t stream;        // dense number of who missed, for statistics
	bool on;                // goes on requesting
	bool associative;
};

void stream_init(struct stream_buffer *b, uint32_t lines, bool associative);
void stream_free(struct stream_buffer *b);

// A line missed in the cache and cannot be taken from the buffer. Starts behind it, unless the next line can be taken already or
// somebody waits for a line of the stream.
void stream_missed(struct stream_buffer *b, uint64_t line, uint16_t stream);
// Its next line may be requested.
static inline bool stream_asks(const struct stream_buffer *b)
{
	return b->on && b->n < b->size && (!b->associative || b->next <= b->used + b->size);
}
// The cache has that line or waits for it: true if the stream goes on behind it.
bool stream_pass(struct stream_buffer *b);
uint64_t stream_request(struct stream_buffer *b); // that line; it is under way from now on
// A line that was requested has come: true if the cache takes it now. It may be one of a stream that was given up.
bool stream_arrived(struct stream_buffer *b, uint64_t line);
// The line if it can be used, else NULL.
struct stream_line *stream_line_of(struct stream_buffer *b, uint64_t line);
void stream_use(struct stream_buffer *b, struct stream_line *l); // leaves the buffer
void stream_stop(struct stream_buffer *b);                        // and forgets what nobody waits for

#endif
