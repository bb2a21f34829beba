// A kernel from a trace, ready to be launched: the front end "trace" behind isa/frontend.h.
#ifndef CUDA_SIM_TRACE_KERNEL_H
#define CUDA_SIM_TRACE_KERNEL_H

#include "cuda-sim/trace/code.h"
#include "cuda-sim/trace/set.h"
#include "isa/frontend.h"

enum { TRACE_INST_BYTES = 16 }; // from Volta on an instruction has 128 bits; Accel-Sim takes that for all

extern const struct frontend_ops trace_frontend;

struct trace_kernel;

// Opens the trace of a kernel and reads its header. CTAs outside [first, last] (in file order, from 0) are left out.
// NULL with "FILE:LINE: ..." in `why`.
struct trace_kernel *trace_kernel_open(const char *path, const struct trace_rules *rules, uint64_t first, uint64_t last,
                                       char *why, size_t n);
// The same from text in memory, which must outlive the kernel.
struct trace_kernel *trace_kernel_open_text(const char *name, const char *text, size_t len,
                                            const struct trace_rules *rules, uint64_t first, uint64_t last, char *why,
                                            size_t n);
// The same for a kernel of an extended trace, which must outlive it; `kernel` from 0.
struct trace_kernel *trace_kernel_open_extended(const struct trace_set *set, uint32_t kernel,
                                                const struct trace_rules *rules, uint64_t first, uint64_t last,
                                                char *why, size_t n);
void trace_kernel_close(struct trace_kernel *k);

const struct trace_header *trace_kernel_header(const struct trace_kernel *k);
const char *trace_kernel_file(const struct trace_kernel *k);
bool trace_kernel_written(const struct trace_kernel *k); // of PTX, by heddle run --write-trace
uint64_t trace_kernel_ctas(const struct trace_kernel *k); // that a launch has

// Notes for the user (an opcode that no table knows), each without its newline,
// in an order that depends on the trace alone.
void trace_kernel_on_note(struct trace_kernel *k, void (*note)(void *ctx, const char *file, const char *text),
                          void *ctx);

// Starts reading ahead and fills a launch, all of it but uid. The kernel must outlive it, and is launched once.
// `code_base`: where its code stands among that of other kernels, unless the trace itself tells.
void trace_kernel_launch(struct trace_kernel *k, struct kernel_launch *l, uint64_t code_base);

// After a launch ended well: what the file holds behind the last CTA. NULL if it is complete, else "FILE:LINE: ...".
const char *trace_kernel_end(struct trace_kernel *k);

#endif
