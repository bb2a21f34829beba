// How the kernels of a front end are written: as text, header and instruction lines, or as messages. Chosen by the launch's front end.
#ifndef CUDA_SIM_TRACE_WRITE_FORM_H
#define CUDA_SIM_TRACE_WRITE_FORM_H

#include "cuda-sim/trace/write/put.h"
#include "isa/frontend.h"

// What an instruction does at a barrier: nothing; it makes its warp wait for others, or lets them go on; or its lanes wait while
// others of the warp have yet to come.
enum trace_meets { MEETS_NOT, MEETS, MEETS_APART };

// Registers before an instruction runs, as far as its lines tell of them: addresses and a value of each lane.
struct trace_look {
	uint64_t at[32];
	uint32_t value[32];
};

struct trace_form {
	// What is made of a kernel's code before it starts; CTAs that run at the same time read it.
	void *(*begin)(const struct kernel_launch *l, const struct frontend_ops *fe);
	void (*end)(void *form);
	void (*header)(const void *form, const struct kernel_launch *l, struct put *to); // up to the first thread block; NULL: messages have none
	// Of a warp. `next`: what the same lanes execute next, of a call or a return; NULL: it is neither, or not known.
	void (*inst)(const void *form, const struct fe_result *r, const struct trace_look *look, enum trace_meets meets,
	             const struct isa_inst *next, struct put *to);
	// Optional: looks at the registers of a warp before it executes `next`. NULL: no line tells of them.
	void (*look)(const void *form, const struct fe_cta *cta, unsigned warp, const struct isa_inst *next, struct trace_look *to);
};

extern const struct trace_form trace_form_ptx, trace_form_sass;

#endif
