// What -gpgpu_ptx_inst_debug_* and -gpgpu_ptx_instruction_classification ask for: every PTX instruction of a thread
// with its registers, in a file, and thread instructions counted by class, space and opcode, kernel by kernel. In both
// modes.
#ifndef CUDA_SIM_SIMT_INST_LOG_H
#define CUDA_SIM_SIMT_INST_LOG_H

#include "base/diag.h"
#include "isa/kernel.h"

#include <stdint.h>

struct inst_log;
struct inst_log_sm; // what one SM has of a launch: counts, and what it executed last. That SM alone changes it

// path: the file, or NULL for no dump. thread: 0 all, else one; threads count from 1 in order of launch, block and
// thread, as GPGPU-Sim numbers those of a run with one stream. classify: count. NULL with a message if the file cannot
// be written.
struct inst_log *inst_log_new(const char *path, uint64_t thread, bool classify, struct diag *d);
// False if something could not be written.
bool inst_log_free(struct inst_log *l);

// The launch is about to start, after all launches that began before it: its threads get their numbers. l may be NULL in
// what follows up to inst_log_end.
void inst_log_begin(struct inst_log *l, const struct kernel_launch *launch);
// For the blocks of the launch that run on SM `sm`; not while SMs are stepped. NULL: nobody asks.
struct inst_log_sm *inst_log_of_sm(struct inst_log *l, const struct kernel_launch *launch, uint32_t sm);

// The launch has ended: puts its counts, if they are wanted, and forgets them.
void inst_log_end(struct inst_log *l, const struct kernel_launch *launch, void (*put)(void *ctx, const char *text),
                  void *ctx);

struct simt_warp;
struct code;
// simt.c: the group of lanes `active` of a warp is about to execute the micro-op `pc`, the first of its instruction, in
// activation `frame`; the guard holds for `mask`. Lines go to the file in the order of the effects of the SM (isa/effects.h).
void inst_log_step(struct inst_log_sm *l, struct simt_warp *w, int32_t frame, uint32_t pc, uint32_t active, uint32_t mask);
// Other warps may run now: shows what the last instruction wrote, if that was not shown.
void inst_log_pause(struct inst_log_sm *l);

#endif
