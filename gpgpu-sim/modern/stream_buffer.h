// The prefetcher of an L0 instruction cache: one stream of consecutive lines behind a miss, each requested ahead of its use
// and kept outside the cache until it is used. Only the line at the head can be used.
#ifndef GPGPU_SIM_MODERN_STREAM_BUFFER_H
#define GPGPU_SIM_MODERN_STREAM_BUFFER_H

#include "base/ring.h"

struct stream_line {
	uint64_t line;
	bool here; // else requested
};

struct stream_buffer {
	RING(struct stream_line); // size 0: there is none
	uint64_t next;          // line that is requested next
	uint16_t stream;        // dense number of who missed, for statistics
	bool on;                // goes on requesting
	bool promised;          // the head goes to the cache when it comes
};

void stream_init(struct stream_buffer *b, uint32_t lines);
void stream_free(struct stream_buffer *b);

// A line missed in the cache and is not the head. Starts behind it, unless the head is the next line already or is promised.
void stream_missed(struct stream_buffer *b, uint64_t line, uint16_t stream);
// Its next line may be requested.
static inline bool stream_asks(const struct stream_buffer *b) { return b->on && !RING_FULL(b); }
uint64_t stream_request(struct stream_buffer *b); // that line; it is under way from now on
// A line that was requested has come: true if the cache takes it now. It may be one of a stream that was given up.
bool stream_arrived(struct stream_buffer *b, uint64_t line);
static inline struct stream_line *stream_head(const struct stream_buffer *b) { return b->n ? RING_FRONT(b) : 0; }
void stream_pop(struct stream_buffer *b);
void stream_stop(struct stream_buffer *b); // and forgets what nobody waits for

#endif
