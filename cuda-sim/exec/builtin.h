// Functions that programs call and the simulator answers itself: printf, malloc, launches of kernels, mathematics. What
// linkers, decoders and warps know of one; the functions are cuda-sim/runtime's, and a program is linked with them.
#ifndef CUDA_SIM_EXEC_BUILTIN_H
#define CUDA_SIM_EXEC_BUILTIN_H

#include "cuda-sim/exec/warp.h"

#include <string.h>

struct builtin_call;

// The signature is the type of the result, ':' and a letter for each argument:
//   h  16 bits   i  32 bits   l  64 bits   f  f32   d  f64   3  dim3   v  nothing (result only)
//   I F D        address where the function stores a 32-bit integer, f32, f64
//   a b          address of as many f32, f64 as argument 0 says (none if negative), only read
struct builtin {
	const char *name;
	const char *signature;
	void (*run)(struct builtin_call *c);
	enum isa_service service; // what a core charges for it
	bool always;              // also where the program brings a definition of its own
	bool limited;             // device runtime of CUDA 12 and later: launches are refused when too many are pending
	bool mathematics;         // concerns its thread alone; the others ask services that all SMs share
};

// The builtin of that name, NULL if there is none.
typedef const struct builtin *builtin_finder(const char *name);

static inline unsigned builtin_args(const struct builtin *b) { return (unsigned)strlen(b->signature) - 2; }

// A call of one for the lanes of `mask`. Who calls fills in what stands above `ret`.
enum { BUILTIN_MAX_ARGS = 8 };
struct builtin_call {
	struct warp *w;
	const struct uop *u;
	uint32_t mask;
	const struct builtin *b;
	uint64_t arg[BUILTIN_MAX_ARGS][WARP]; // zero-extended
	uint64_t high[2][WARP];  // bytes 8 to 15 of the first and second dim3
	uint64_t ret[WARP];
	bool wait;               // the lanes wait for the grids that their block launched
	bool again;              // the call is not over for any of them: it has no result, and is made again after others have run
};

#endif
