// A module, for what registers it (module.c) and what loads it (module_load.c).
#ifndef LIBCUDA_CODE_MODULE_PARTS_H
#define LIBCUDA_CODE_MODULE_PARTS_H

#include "base/arena.h"
#include "base/option_forms.h"
#include "base/vec.h"
#include "libcuda/code/image_bytes.h"
#include "libcuda/code/machine_code.h"
#include "libcuda/code/module.h"
#include "libcuda/image/cubin.h"

struct module {
	const void *wrapper;       // NULL: the program loaded `image` by itself
	struct image_bytes image;
	bool library;              // it is a library, of no context
	uint32_t owner;            // of the context that a module of the program's was loaded in
	VEC(struct kernel *) kernels;
	VEC(struct variable *) variables;
	VEC(struct texref *) texrefs;
	enum { MODULE_NEW, MODULE_LOADED, MODULE_FAILED } state;
	cudaError_t error;
	struct diag untold;  // what loading said: it is told when a kernel of it is launched or a variable of it used
	cudaError_t partial; // of an object whose kernels are not there
	struct diag lost;    // why they are not: told with the first kernel or variable that is missed
	struct ptx_program *program;
	struct arena arena; // payloads and names of the cubin
	struct cubin cubin;
	enum execute mode;           // which code goes first; never EXECUTE_DEFAULT
	struct machine_code machine; // what of it is executed
	struct machine_code given;   // of PTX_SIM_KERNELFILE: its kernels go before the program's
	const char *no_machine;      // why there is none: "the program has no machine code for sm_86, only for sm_75"
};

// Looks into the fat binary if nobody has; the error, if it is no good.
cudaError_t module_load(struct module *m);

// The same for one that nobody has looked into; what is wrong goes to d.
cudaError_t module_load_quietly(struct module *m, struct diag *d);

// What a compiler of PTX would say of a module that the program loads by itself: all kernels and functions are read, not only those that
// are launched. cudaErrorInvalidPtx, with messages.
cudaError_t module_check(struct module *m, struct diag *d);

// The version of a PTX text, 95 for 9.5; 0 if it has none.
unsigned module_ptx_version(const char *text);

// Forgets what was loaded; what is registered stays.
void module_unload(struct module *m);

// Finds code for a kernel whose name is known, as -gpgpu_execute asks.
cudaError_t kernel_load(struct kernel *k, struct diag *d);

#endif
