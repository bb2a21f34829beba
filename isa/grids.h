// Grids that kernels launch themselves: CUDA's dynamic parallelism. The front end appends operations to streams as
// kernels ask for them; whoever runs kernels takes those that may start (grids_next) and tells when one has ended
// (grids_end).
//
// Rules (CUDA programming guide, "CUDA Dynamic Parallelism")
//  - Operations of a stream go one after another; a stream of 0 is the calling block's own. No stream waits for another
//    unless an event says so.
//  - A grid is complete when its blocks have ended and the grids they launched are complete. Only then the next
//  operation
//    of its stream starts.
//  - A grid in the tail stream starts when the grid that launched it has ended with all its other children; it belongs
//  to
//    that grid all the same. One in the fire-and-forget stream waits for nothing.
// Order depends on the order of calls only.
#ifndef ISA_GRIDS_H
#define ISA_GRIDS_H

#include "isa/kernel.h"

enum { GRIDS_MAX_DEPTH = 24 }; // grids nested below one that the host launched

// Handles of streams with a meaning of their own (cuda_device_runtime_api.h).
enum {
	GRIDS_STREAM_BLOCK = 0,
	GRIDS_STREAM_LEGACY = 1,
	GRIDS_STREAM_PER_THREAD = 2,
	GRIDS_STREAM_TAIL = 3,
	GRIDS_STREAM_FORGET = 4,
};

struct grid;
struct grid_stream;

// A block of a grid, as far as it launches.
struct grid_block {
	struct grid *grid;
	struct grid_block *next;
	struct grid_stream *stream; // its own, NULL before its first operation
	uint32_t id[3], sm;         // the block's, and where it began
	uint64_t open;              // operations of the block that are not complete
	bool waits;                 // in cudaDeviceSynchronize
};

struct grids_stats {
	uint64_t launched;                    // by kernels
	uint64_t param_bytes, max_param_bytes; // parameters of launches that are not complete, each rounded up to 256
};

// Rows of bytes of device memory that are copied, or filled if src is 0.
struct grids_rows {
	uint64_t dst, src, dpitch, spitch;
	uint64_t width, height;
	uint8_t value;
};

struct grids *grids_new(void);
void grids_free(struct grids *g); // all launches are over or dropped
const struct grids_stats *grids_stats(const struct grids *g);

// --- for the front end. `l` is a launch with l->grids set.

// How deep a grid is nested; 0: the host launched it.
unsigned grids_depth(const struct kernel_launch *l);
// Launches by kernels that are not complete.
uint64_t grids_pending(const struct grids *g);
// What block `id` of l, on SM `sm`, must have to launch. Lives until the grid is complete.
struct grid_block *grids_block(struct kernel_launch *l, const uint32_t id[3], uint32_t sm);
// The block waits until b->open is 0; false if it is.
bool grids_wait(struct grid_block *b);
// A launch by `l` with everything that it inherits, and room for its parameters,
// to be passed to grids_launch or freed by mem_free.
struct kernel_launch *grids_child(struct kernel_launch *l, const struct kernel_info *info, void *code);
// Appends to a stream. False if there is no such stream.
bool grids_launch(struct grid_block *b, uint64_t stream, struct kernel_launch *child);
bool grids_rows(struct grid_block *b, uint64_t stream, const struct grids_rows *r);
// Streams and events are created by a grid and end with it. 0 is never a handle.
uint64_t grids_stream_new(struct grid_block *b);
bool grids_stream_destroy(struct grids *g, uint64_t stream);
uint64_t grids_event_new(struct grid_block *b);
bool grids_event_destroy(struct grids *g, uint64_t event);
// The event stands for what the stream has been given so far.
bool grids_event_record(struct grid_block *b, uint64_t event, uint64_t stream);
bool grids_stream_wait(struct grid_block *b, uint64_t stream, uint64_t event);
// A failed grid ends everything: nothing can be launched until all that runs has ended.
bool grids_broken(const struct grids *g);

// --- for who runs kernels

// The next launch that may start, NULL if there is none now.
struct kernel_launch *grids_next(struct grids *g);
bool grids_ready(const struct grids *g); // it would give one
// True while grids_next or grids_woken has something to tell. The address stays.
const bool *grids_news(const struct grids *g);
// All blocks of the launch have ended, or it has failed (l->fault).
void grids_end(struct kernel_launch *l);
// Blocks that waited for their children and need not any longer, one by one; false when all have been told.
struct grids_woken {
	struct kernel_launch *launch;
	uint32_t id[3], sm;
};
bool grids_woken(struct grids *g, struct grids_woken *out);
bool grids_wakes(const struct grids *g); // it would tell of one
// Some block of the launch waits for its children.
bool grids_waits(const struct kernel_launch *l);
// What has not started never will.
void grids_drop(struct grids *g);

// A launch may be freed when it and all that it launched have been handed back by who ran them. grids_handed_back says
// so of one; grids_over tells whether l is such a launch and gives, in *parent, the one to ask next (NULL: none). After
// that l must be freed.
void grids_handed_back(struct kernel_launch *l);
bool grids_over(struct kernel_launch *l, struct kernel_launch **parent);

#endif
