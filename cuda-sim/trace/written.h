// Traces that Heddle wrote itself (writer.h): the header holds the kernel's code, so that instructions mean to a
// core what they meant when the program ran.
#ifndef CUDA_SIM_TRACE_WRITTEN_H
#define CUDA_SIM_TRACE_WRITTEN_H

#include "cuda-sim/trace/pack.h"
#include "isa/frontend.h"

enum { TRACE_WRITTEN_VERSION = 1, TRACE_WRITTEN_BYTES = 8 }; // of an instruction: those of PTX

struct trace_written {
	uint32_t registers, local, prefers; // register_count of the front end; kernel_info.local; kernel_launch.prefers
	uint32_t n, filled;                 // instructions of the code; lines of it read
	uint64_t code_base;
	struct isa_inst *inst;              // by pc / TRACE_WRITTEN_BYTES
	const char **text;
};

// From the value of the header field -heddle. False if it is none.
bool trace_written_begin(struct trace_code *c, const char *p, const char *end);
// From a line "#inst ..." of the header.
bool trace_written_inst(struct trace_code *c, const char *p, const char *end);
void trace_written_free(struct trace_written *w);

// trace_decode for such a trace.
bool trace_written_decode(struct trace_code *c, const struct trace_line *l, struct trace_inst *out, char *why,
                          size_t n);

// Lanes and accesses of the current instruction, whose guard holds for out->mask.
void trace_written_result(const struct trace_inst *t, struct trace_cursor *cursor, struct fe_result *out);

// Spaces of accesses as opcodes name them, by enum isa_space.
const char *trace_written_space(unsigned space);

#endif
