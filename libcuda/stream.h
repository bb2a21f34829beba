// Streams and what waits in them. API calls append operations; the simulation thread takes them.
//
// Order: operations are numbered as they are issued. An operation may start when it is the first of its stream and, for
// the legacy stream, when no operation of a blocking stream with a lower number is left; in a blocking stream, when no
// lower one of the legacy stream is left. Of those that may start the lowest number goes first. So the order depends
// on the order of API calls only.
//
// The simulation thread moves only while a host thread waits in a call, and stops at the step that ends the wait.
#ifndef LIBCUDA_STREAM_H
#define LIBCUDA_STREAM_H

#include "libcuda/context.h"

enum op_kind { OP_KERNEL, OP_COPY, OP_FILL, OP_RECORD, OP_WAIT, OP_HOST, OP_CALLBACK, OP_FREE };

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
	int value;
	size_t pitch, slice, width, height, depth;
};

// One cudaEventRecord. Shared by the event, the operation and every cudaStreamWaitEvent that refers to it.
struct record {
	unsigned refs;
	bool done;
	double time; // simulated seconds
};

struct op {
	struct op *next;
	uint64_t seq;
	enum op_kind kind;
	struct stream *stream;
	bool started;
	union {
		struct kernel_launch *kernel; // from launch_new
		struct copy_op copy;
		struct fill_op fill;
		struct record *record; // OP_RECORD, OP_WAIT
		struct {
			void (*f)(void *data);
			void (*callback)(cudaStream_t stream, cudaError_t status, void *data);
			cudaStream_t stream;
			void *data;
		} host;
		uint64_t addr; // OP_FREE
	} u;
};

// cudaStreamSetAttribute. Hints to hardware; kept so that they can be read back.
struct stream_attributes {
	char window[32]; // struct cudaAccessPolicyWindow
	int sync_policy;
};

struct stream {
	uint64_t id;   // as statistics print it: 0 for the legacy stream
	unsigned flags;
	int priority;
	bool blocking; // synchronises with the legacy stream
	bool orphan;   // destroyed, or its thread has ended: goes away when empty
	bool per_thread;
	struct op *first, **last;
	uint64_t last_seq; // of the newest operation
	struct stream_attributes attributes;
};

// stream.c
void streams_start(void);
void streams_reset(void);
struct stream *stream_find(cudaStream_t handle); // NULL if it is no stream
bool stream_idle(const struct stream *s);

// Appends an operation, with `u` set by the caller, and takes it over.
struct op *op_new(enum op_kind kind);
void op_push(struct stream *s, struct op *op);

// Removes the first operation of a stream and frees what belongs to it. sim_thread.c
void op_finish(struct op *op);

// Waiting. All return the error of a failed kernel, if any. sim_thread.c
cudaError_t sim_wait(bool (*satisfied)(void *arg), void *arg);
cudaError_t sim_wait_stream(struct stream *s);
cudaError_t sim_wait_all(void);
cudaError_t sim_wait_record(struct record *r);
void sim_grant(bool (*satisfied)(void *arg), void *arg); // one turn for the GPU, or until satisfied

// Waits as cudaMemcpy does: for the stream, and for all blocking streams if it is the legacy one.
cudaError_t sim_wait_stream_now(struct stream *s);

// Whoever waits and need not any longer goes on. On the simulation thread, when it is about to stop.
void sim_end_waits(void);

// Statistics go to the program's standard output in their turn, or to the file of -stats_file.
void sim_put_stats(void *ctx, const char *text);

void events_reset(void); // event.c: they belong to what cudaDeviceReset destroys

struct record *record_new(void);
void record_release(struct record *r);

#endif
