// Reads the thread blocks of one kernel of an extended trace, a file each, in the order of the grid.
#ifndef CUDA_SIM_TRACE_PB_H
#define CUDA_SIM_TRACE_PB_H

#include "cuda-sim/trace/cta.h"
#include "cuda-sim/trace/set.h"

struct trace_pb;

// Kernel number `kernel` of the set, which must outlive the reader. Fills code->header; code is zero but for its rules.
// CTAs outside [first, last] (counted in the grid from 0) are left out. NULL with "FILE: ..." in `why`.
struct trace_pb *trace_pb_new(const struct trace_set *set, uint32_t kernel, struct trace_code *code, uint64_t first,
                              uint64_t last, char *why, size_t n);
struct trace_feed trace_pb_feed(struct trace_pb *p); // frees it in the end
uint64_t trace_pb_ctas(const struct trace_pb *p);
uint64_t trace_pb_code_base(
	const struct trace_pb *p); // address that isa_inst.pc is relative to; 0: the trace does not tell

// One thread block from memory instead of its file.
enum trace_read trace_pb_block(struct trace_pb *p, const char *name, const uint8_t *bytes, size_t len,
                               const uint32_t id[3], struct trace_cta *to);
const char *trace_pb_error(const struct trace_pb *p);

// Fills `out` from a static instruction, whose first record has the addresses of `given` operands; out->isa.pc is
// given. The addresses of out->n_access operands are kept, out->imm is to be added to them.
// False with the reason in `why`.
bool trace_pb_decode(struct trace_code *c, const struct static_inst *from, unsigned given, struct trace_inst *out,
                     char *why, size_t n);

#endif
