// Functions that programs call and the simulator answers itself: printf, malloc, launches of kernels, mathematics. What
// the linker, the decoder and warps know of one; the functions are cuda-sim/runtime's, and a program is linked with them.
#ifndef CUDA_SIM_PTX_BUILTIN_H
#define CUDA_SIM_PTX_BUILTIN_H

#include "isa/inst.h"

#include <stdbool.h>

struct builtin_call;

struct builtin {
	const char *name;
	void (*run)(struct builtin_call *c);
	unsigned n_arg;
	enum isa_service service; // what a core charges for it
	bool always;              // also where the program brings a definition of its own
	bool limited;             // device runtime of CUDA 12 and later: launches are refused when too many are pending
	bool mathematics;         // concerns its thread alone; the others ask services that all SMs share
};

// The builtin of that name, NULL if there is none.
typedef const struct builtin *builtin_finder(const char *name);

#endif
