// Checkpoints between kernels: -checkpoint_option 1 writes one, -resume_option 1 goes on from one (docs/long-runs.md).
//
// A run that writes one records what the program can see of the device, in the order in which it happens: launches and
// their ends, bytes that copies bring to the host, what kernels change in memory that the program looks at by itself,
// times of events. When launch N has ended and no other runs, device memory follows and the file is whole. Kernels may
// wait for others that begin behind N, so none is kept from beginning.
//
// A run that goes on from one executes the host program from its start. It replays the record: a launch up to N
// computes nothing and ends where its end is recorded, a copy to the host gives the recorded bytes. Behind the last
// entry device memory is put back, and from then on everything is simulated.
//
// Invariant of a replay: entries are taken in their order. Some are asked for by the program (launches, copies,
// events); where the next entry is one of these, no later end of a kernel is let happen, so the program finds the
// device as it was. An entry that does not fit what the program does ends the process with what differs.
//
// All with the lock held. While cu.checkpoint is NULL nothing may be called but checkpoint_start.
#ifndef LIBCUDA_CHECKPOINT_CHECKPOINT_H
#define LIBCUDA_CHECKPOINT_CHECKPOINT_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_launch;

// Sets cu.checkpoint if the options ask for it; device memory and GPU are there. False with errors. `stop` ends the
// process after a message.
bool checkpoint_start(__attribute__((noreturn)) void (*stop)(void), struct diag *d);

// The program ends. False, after a message, if launch N was never reached.
bool checkpoint_end(void);

// Launches are replayed now.
bool checkpoint_replays(void);

// A replay: the next launch may not begin yet, since another one ended before it.
bool checkpoint_holds_launch(void);

// A launch of the host's, which has its number, is about to begin. True: it is replayed, and is not for the GPU.
bool checkpoint_skips(struct kernel_launch *l);
// It has ended, on the GPU.
void checkpoint_launch_ended(const struct kernel_launch *l);

// A turn of the replay. *ended: the launch that ends with it, or NULL. False if nothing can move without the program,
// which waits.
bool checkpoint_turn(struct kernel_launch **ended);
// Before the stream goes on behind that launch, as where it was recorded: behind the last one memory is put back.
void checkpoint_turn_done(void);

// Rows that a copy brings to the host.
struct checkpoint_rows {
	const char *p;
	size_t pitch, slice, width, height, depth;
};
// What the copy is to bring, in rows without gaps, for mem_free; NULL: what there is, also of one that failed and will
// again.
char *checkpoint_give_copy(size_t bytes);
void checkpoint_copied_out(const struct checkpoint_rows *r, bool done);
// Bytes that the program has copied to the device.
void checkpoint_copied_in(const struct checkpoint_rows *r);

// Values that the host gets from the device: `now` without a replay.
double checkpoint_time(double now);
unsigned checkpoint_condition(unsigned now);

// What kernels asked the host for.
void checkpoint_heap_alloc(uint64_t size, uint64_t addr);
void checkpoint_heap_free(uint64_t addr);
void checkpoint_error_text(int error, bool name, uint64_t addr);

// A stream waits for a value in device memory, which only a kernel may write.
void checkpoint_waits_for_value(uint64_t addr);

#endif
