// Functions that programs call and the simulator answers itself: printf, malloc, launches of kernels, mathematics. What
// linkers, decoders and warps know of one; the functions are cuda-sim/runtime's, and a program is linked with them.
#ifndef CUDA_SIM_EXEC_BUILTIN_H
#define CUDA_SIM_EXEC_BUILTIN_H

#include "cuda-sim/exec/warp.h"

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

// A call of one for the lanes of `mask`. Who calls fills in what stands above `ret`.
enum { BUILTIN_MAX_ARGS = 8 };
struct builtin_call {
	struct warp *w;
	const struct uop *u;
	uint32_t mask;
	const struct builtin *b;
	uint64_t arg[BUILTIN_MAX_ARGS][WARP]; // zero-extended
	uint64_t high[2][WARP];  // bytes 8 to 15 of the first arguments that are larger than 8 bytes
	uint64_t ret[WARP];
	bool wait;               // the lanes wait for the grids that their block launched
};

#endif
