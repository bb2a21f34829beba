// What -gpgpu_ptx_inst_debug_* and -gpgpu_ptx_instruction_classification ask for: every instruction of a thread with its
// registers, in a file, and thread instructions counted by class, space and opcode, kernel by kernel. In both modes, for
// every front end that executes.
#ifndef CUDA_SIM_EXEC_INST_LOG_H
#define CUDA_SIM_EXEC_INST_LOG_H

#include "base/diag.h"
#include "cuda-sim/exec/warp.h"

#include <stdint.h>

// An instruction that a warp executes, as its front end knows it: number `inst` of `code`, in activation `frame`.
struct inst_log_at {
	struct warp *warp;
	const void *code;
	uint32_t inst;
	int32_t frame;
};

typedef void inst_log_put(void *ctx, const char *name, const char *value);

// What a front end tells of its instructions.
struct inst_log_ops {
	const char *kind; // before the names of counts: "ptx" makes "ptx_instruction_op[ld]"
	const char *(*op_name)(uint32_t op); // NULL behind the last. Those of one name stand side by side and are counted together
	void (*show)(const struct inst_log_at *i, char *buf, size_t len); // where it stands, " - " and the instruction
	// Puts what a lane has in the registers that the instruction reads, or in those that it writes.
	void (*registers)(const struct inst_log_at *i, bool writes, unsigned lane, inst_log_put *put, void *ctx);
	bool (*lasts)(const struct inst_log_at *i); // false: the registers that it wrote are gone. NULL: they never go
};

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
void inst_log_begin(struct inst_log *l, const struct kernel_launch *launch, const struct inst_log_ops *ops);
// For the blocks of the launch that run on SM `sm`; not while SMs are stepped. NULL: nobody asks.
struct inst_log_sm *inst_log_of_sm(struct inst_log *l, const struct kernel_launch *launch, uint32_t sm);

// The launch has ended: puts its counts, if they are wanted, and forgets them.
void inst_log_end(struct inst_log *l, const struct kernel_launch *launch, void (*put)(void *ctx, const char *text),
                  void *ctx);

// The lanes `active` of a warp are about to execute an instruction of this class, space and opcode; its guard holds for `mask`.
// Lines go to the file in the order of the effects of the SM (isa/effects.h).
void inst_log_step(struct inst_log_sm *l, const struct inst_log_at *i, unsigned cls, unsigned space, uint32_t op, uint32_t active,
                   uint32_t mask);
// Other warps may run now: shows what the last instruction wrote, if that was not shown.
void inst_log_pause(struct inst_log_sm *l);

#endif
