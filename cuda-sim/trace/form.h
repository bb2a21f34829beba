// How the kernels of a front end are written as text: header and instruction lines. Chosen by the launch's front end.
#ifndef CUDA_SIM_TRACE_FORM_H
#define CUDA_SIM_TRACE_FORM_H

#include "cuda-sim/trace/put.h"
#include "isa/frontend.h"

struct trace_form {
	// What is made of a kernel's code before it starts; CTAs that run at the same time read it.
	void *(*begin)(const struct kernel_launch *l, const struct frontend_ops *fe);
	void (*end)(void *form);
	void (*header)(const void *form, const struct kernel_launch *l, struct put *to); // up to the first thread block
	// An instruction of a warp. `waits`: it makes the warp wait for others at a barrier, or let them go on.
	void (*inst)(const void *form, const struct fe_result *r, bool waits, struct put *to);
};

extern const struct trace_form trace_form_ptx, trace_form_sass;

#endif
