// Events, and what cudaEventRecord makes of them.
#ifndef LIBCUDA_WORK_EVENT_H
#define LIBCUDA_WORK_EVENT_H

#include "libcuda/context/cuda_abi.h"

#include <stdbool.h>

// One cudaEventRecord. Shared by the event, the operation and every cudaStreamWaitEvent that refers to it.
struct record {
	unsigned refs;
	bool done;
	double time; // simulated seconds
};

struct event {
	uint32_t owner; // of the context that it was made in
	unsigned flags;
	struct capture_point *captured; // it was last recorded in a stream that was capturing; else NULL
	struct record *last; // NULL until it is recorded for the first time
};

struct record *record_new(void);
void record_release(struct record *r);

// A new record, not done yet, as the event's last.
void event_renew(struct event *e);

struct event *event_new(unsigned flags);
bool event_valid(cudaEvent_t e);
void event_free(struct event *e);
void events_reset(void);                 // all
void events_release(uint32_t owner);      // those of a context

#endif
