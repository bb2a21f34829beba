// Streams. What waits in them, and in which order it is done: sim_thread.h.
#ifndef LIBCUDA_WORK_STREAM_H
#define LIBCUDA_WORK_STREAM_H

#include "libcuda/context/cuda_abi.h"

#include <stdbool.h>

enum { STREAM_NON_BLOCKING = 1 }; // cudaStreamCreateWithFlags
// cudaDeviceGetStreamPriorityRange; as on GPUs since Volta.
enum { STREAM_PRIORITY_LEAST = 0, STREAM_PRIORITY_GREATEST = -5 };

enum { SYNC_POLICY_AUTO = 1 };

// cudaStreamSetAttribute. Hints to hardware; kept so that they can be read back.
struct stream_attributes {
	char window[32]; // struct cudaAccessPolicyWindow
	int sync_policy, domain;
	unsigned char domain_map[2];
};

struct stream {
	uint64_t id;   // as statistics print it: 0 for the legacy stream
	uint32_t owner; // of the context that it was made in
	unsigned flags;
	int priority;
	bool blocking; // synchronises with the legacy stream
	bool orphan;   // destroyed, or its thread has ended: goes away when empty
	bool per_thread;
	bool parts;    // of graphs that run; no handle of the program
	struct captured_stream *capture; // NULL: it is not capturing
	struct op *first, **last;
	uint64_t last_seq; // of the newest operation
	struct stream_attributes attributes;
};

void streams_start(void);
void streams_reset(void);
void streams_release(uint32_t owner); // those of a context; all work must be complete
struct stream *stream_new(unsigned flags, int priority); // `flags` of cudaStreamCreateWithFlags
int stream_clamp_priority(int priority);                 // the nearest one that there is
struct stream *stream_find(cudaStream_t handle);         // NULL if it is no stream
struct stream *stream_for_part(const struct stream *launched); // an empty one that goes by the name of another
bool stream_idle(const struct stream *s);
void stream_destroy(struct stream *s); // it stays until its work is done
void streams_collect(void);            // those go whose work is done

#endif
