// Machine code that runs as messages of an extended trace (trace_pb.proto).
#ifndef CUDA_SIM_TRACE_WRITE_WRITE_PB_H
#define CUDA_SIM_TRACE_WRITE_WRITE_PB_H

#include "cuda-sim/trace/write/form.h"

#include <protobuf-c/protobuf-c.h>
#include <yajl/yajl_gen.h>

// `made` of this form. Its records are the fields `instructions` of a Warp.
extern const struct trace_form trace_form_pb;
struct pb_form {
	const struct sass_kernel *kernel;
	struct pb_line *line;  // by instruction
	uint8_t *how;          // by instruction, enum trace_machine_how
	uint64_t code_base;
	int32_t function;      // its number in the static code; set before the first instruction
	unsigned variant;      // its number among functions of the same name
};

// Messages one behind the other are one message that has the fields of them all.
void put_message(struct put *to, const ProtobufCMessage *m);

// The kernel's code as an element of "kernels" in enhanced_execution_info.json.
void write_static(yajl_gen to, const struct pb_form *f, const struct kernel_launch *l);

#endif
