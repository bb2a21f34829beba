// Looking into an SM without changing it: what a warp waits for, who will write a register, what stands in the pipeline.
// Deadlock reports, debug streams and the debugger say it in the same words.
#ifndef GPGPU_SIM_SM_INSPECT_H
#define GPGPU_SIM_SM_INSPECT_H

#include "gpgpu-sim/sm/sm.h"

// Why a warp cannot issue, the first that applies. X(name, text)
#define SM_WAITS(X)                                                                                                   \
	X(EMPTY, "no warp") X(DRAIN, "done, waits for its outstanding stores and loads") X(ATOMIC, "waits for its atomics") \
	X(SERVICE, "waits for the device runtime") X(COPY, "waits for its asynchronous copies")                                                                  \
	X(FENCE, "waits at a fence for its outstanding stores and loads") X(BARRIER, "waits at a barrier")            \
	X(IMISS, "waits for the instruction cache") X(FETCH, "waits for fetch")                                       \
	X(FLUSH, "refills its instruction buffer after a branch") X(REGISTER, "waits for a register")                 \
	X(PIPE, "waits for a free place in its pipe") X(TURN, "can issue")
enum sm_wait {
#define X(name, text) SM_WAIT_##name,
	SM_WAITS(X)
#undef X
	SM_N_WAITS
};

enum sm_wait sm_wait_of(const struct sm *m, unsigned slot);
const char *sm_wait_text(enum sm_wait w);
const char *sm_pipe_name(unsigned pipe); // enum pipe; "SP", "SPEC_1"

// The register that keeps the warp's next instruction from issuing, 0 if none.
unsigned sm_blocking_register(const struct sm *m, unsigned slot);
// The instruction in flight that will write it; NULL if none is known.
const struct winst *sm_producer(const struct sm *m, unsigned slot, unsigned reg);
// Has not left the SM: the pool keeps others too.
bool sm_inst_live(const struct sm *m, const struct winst *w);

// "FILE:LINE in FUNCTION: TEXT (source FILE:LINE)" of an instruction of a warp's kernel; "?" for NULL.
void sm_print_inst(const struct sm_warp *w, const struct isa_inst *i, char *buf, size_t len);
// What the warp waits for, in full: the register with its producer, the pipe with its occupants.
void sm_print_wait(const struct sm *m, unsigned slot, char *buf, size_t len);

// Lines, each with its newline. Buffers that hold something; the whole pipeline; one line a resident warp.
int sm_print_queues(const struct sm *m, void (*put)(void *ctx, const char *line), void *ctx);
void sm_print_pipeline(const struct sm *m, void (*put)(void *ctx, const char *line), void *ctx);

#endif
