// Looking into an SM without changing it: what a warp waits for, what stands in the pipeline.
// Deadlock reports, debug streams and the debugger say it in the same words.
#ifndef GPGPU_SIM_SM_INSPECT_H
#define GPGPU_SIM_SM_INSPECT_H

#include "base/lines.h"
#include "gpgpu-sim/sm/sm.h"

// The first reason that applies.
enum sm_wait sm_wait_of(const struct sm *m, unsigned slot);
const char *sm_wait_text(enum sm_wait w);

// "FILE:LINE in FUNCTION: TEXT (source FILE:LINE)" of an instruction of a warp's kernel; "?" for NULL.
void sm_print_inst(const struct sm_warp *w, const struct isa_inst *i, char *buf, size_t len);
// What the warp waits for, in full: the register with its producer, the pipe with its occupants.
void sm_print_wait(const struct sm *m, unsigned slot, char *buf, size_t len);

// Lines, each with its newline. Buffers that hold something; the whole pipeline; one line a resident warp.
void sm_print_queues(const struct sm *m, struct lines *to);
void sm_print_pipeline(const struct sm *m, struct lines *to);

#endif
