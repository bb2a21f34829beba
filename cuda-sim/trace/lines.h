// The lines of a text trace: an instruction of a warp each, packed.
#ifndef CUDA_SIM_TRACE_LINES_H
#define CUDA_SIM_TRACE_LINES_H

#include "cuda-sim/trace/pack.h"
#include "cuda-sim/trace/text.h"

struct trace_lines {
	struct trace_text text;
	struct trace_code *code;
	bool executed;           // Heddle executed it, and what it added is passed over
};

// Both return false. What is wrong; and what was expected instead of the text from p on.
bool trace_lines_fail(struct trace_lines *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool trace_lines_expected(struct trace_lines *r, const char *p, const char *end, const char *expected);

// Packs a line that text_line has given, or the part of it from p on. `second`: NULL, but of a raw trace, where an
// asynchronous copy has two lines, the first with the address in shared memory: whether this warp's next one is the second
// of its pair.
bool trace_lines_take(struct trace_lines *r, const char *p, const char *end, struct trace_pack *pack, bool *second);

// Takes the next line if it is the one that is likely here, letter by letter, and if that says no more than which
// instruction and lanes: nothing of it need be read.
bool trace_lines_repeat(struct trace_lines *r, struct trace_pack *pack);

#endif
