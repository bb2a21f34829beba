// A kernel for heddle trace, by its kind: a trace, a kernel of an extended trace, or SASS text (.sass).
#ifndef TOOLS_REPLAY_KERNEL_H
#define TOOLS_REPLAY_KERNEL_H

#include "base/diag.h"
#include "cuda-sim/trace/kernel.h"

struct sass_program;

struct replay_kernel {
	struct trace_kernel *trace; // one of the two
	struct sass_program *sass;
};

bool replay_is_sass(const char *path);

// The kernel of a command; `set`: the extended trace that the list came from, or NULL. False with errors. CTAs outside
// [first, last] are left out of traces; SASS text always runs whole.
bool replay_kernel_open(struct replay_kernel *k, const struct list_command *c, const struct trace_set *set,
                        const struct trace_rules *rules, uint64_t first, uint64_t last, struct diag *d);
void replay_kernel_close(struct replay_kernel *k);

const char *replay_kernel_name(const struct replay_kernel *k);
uint32_t replay_kernel_id(const struct replay_kernel *k);     // as -kernels means it; 1 for SASS text
uint64_t replay_kernel_stream(const struct replay_kernel *k);
uint64_t replay_kernel_ctas(const struct replay_kernel *k);
bool replay_kernel_written(const struct replay_kernel *k);    // of PTX, by heddle run --write-trace

void replay_kernel_launch(struct replay_kernel *k, struct kernel_launch *l, uint64_t code_base);
const char *replay_kernel_end(struct replay_kernel *k);       // see trace_kernel_end

#endif
