// Operations: what waits in streams. They hold all that is needed to carry them out.
#ifndef LIBCUDA_WORK_OP_H
#define LIBCUDA_WORK_OP_H

#include "libcuda/context/cuda_abi.h"

#include <stdbool.h>

struct kernel_launch;
struct record;

enum op_kind { OP_KERNEL, OP_COPY, OP_FILL, OP_RECORD, OP_WAIT, OP_HOST, OP_CALLBACK, OP_FREE, OP_WAIT_VALUE, OP_WRITE_VALUE, OP_GRAPH };

// `height` rows of `width` bytes, `depth` times.
struct copy_op {
	char *dst;
	const char *src;
	size_t dpitch, spitch, dslice, sslice; // bytes from row to row, from slice to slice
	size_t width, height, depth;
	void *staged; // a private copy of the source, freed with the operation
	const void **bad; // NULL, or where to note the address that cannot be read or written; somebody waits for the operation
};

struct fill_op {
	char *dst;
	uint32_t value;
	unsigned element; // bytes: 1, 2 or 4
	size_t pitch, slice, width, height, depth; // the width in elements, pitches in bytes
};

// Of memory that the GPU shares with the program. A wait compares as CUstreamWaitValue_flags say.
enum { VALUE_AT_LEAST, VALUE_EQUAL, VALUE_AND, VALUE_NOR };
struct value_op {
	uint64_t addr, value;
	unsigned bytes; // 4 or 8
	unsigned compare;
};

// A graph that was launched, as far as the simulation thread knows it; libcuda/graph/run.c is the rest. Its operations, the parts, are
// in streams of their own. It has begun when it is first in the stream that it was launched in, and is there until all is done.
struct op_run {
	struct op *op;                                   // of OP_GRAPH
	bool hosts;                                      // some part is a host function
	void (*start)(struct op_run *r);
	void (*done)(struct op_run *r, struct op *part); // a part is complete, or dropped after a failure
	void (*free)(struct op_run *r);
};

struct op {
	struct op *next;
	uint64_t seq;
	enum op_kind kind;
	struct stream *stream;
	bool started;
	bool ended;             // OP_KERNEL: but one in front of it in its stream has not
	bool programmatic;      // OP_KERNEL: need not wait for the end of a kernel that it comes behind, see launch_request
	struct op_run *part_of; // or NULL
	void *part;             // what the run knows it by
	union {
		struct kernel_launch *kernel; // from launch_new
		struct copy_op copy;
		struct fill_op fill;
		struct record *record; // OP_RECORD, OP_WAIT
		struct op_run *run;    // OP_GRAPH
		struct {
			void (*f)(void *data);
			void (*callback)(cudaStream_t stream, cudaError_t status, void *data);
			cudaStream_t stream;
			void *data;
		} host;
		struct {
			uint64_t addr;
			uint64_t *used; // where the size is taken off
		} free;
		struct value_op value; // OP_WAIT_VALUE, OP_WRITE_VALUE
	} u;
};

struct op *op_new(enum op_kind kind);
// With what belongs to it.
void op_free(struct op *op);

// The line of the debug stream STREAM: the operation is issued, starts, is complete. Only while watch_streams.
void op_watch(const struct op *op, const char *what);

// A launch from launch_new, or from a kernel.
void op_free_launch(struct kernel_launch *launch);

#endif
