// The machine code of a module: its kernels made ready to launch, and its variables where the module has no PTX that says where they
// are.
#ifndef LIBCUDA_CODE_MACHINE_CODE_H
#define LIBCUDA_CODE_MACHINE_CODE_H

#include "libcuda/image/machine.h"

struct ptx_program;
struct sass_kernel;

struct managed_place {
	const char *name;
	uint64_t addr;
};

struct machine_code {
	struct cubin cubin;
	const char *file;            // what messages call it
	struct machine *machine;     // NULL: there is none that suits the GPU
	struct ptx_program *program; // the module's PTX; without modules if it has none
	const struct machine_code *under; // the module's own machine code, some of whose kernels this replaces; NULL: none
	struct devmem *mem;
	// The program has the variables of the section where the cubin has them.
	bool alike[N_VARIABLE_SECTIONS];
	// Memory for variables that the program does not have.
	struct variable_layout own;
	VEC(struct managed_place) managed; // of these
	// The handle of the program's texture reference of that name; 0: it has none. Set by who opens it.
	uint32_t (*texture)(void *ctx, const char *name);
	void *texture_ctx;
	struct arena arena;
};

// What a kernel needs to be launched.
struct machine_kernel {
	struct sass_kernel *code;
	struct kernel_info info;
};

// Takes machine code, `size` bytes at `data`, which must live as long as c. `file`: what messages call it. False and an error if it
// is no good; c is then as before.
bool machine_code_open(struct machine_code *c, struct ptx_program *p, struct devmem *mem, const void *data, size_t size, const char *file,
                       struct diag *d);

// Before the module's PTX is linked: its functions and constants get addresses that mean the same to c.
void machine_code_lead(struct machine_code *c);

// After the module's PTX was linked: finds its variables, or makes memory for those that it does not have. `managed`: variables whose
// memory the host shares, n names. False and an error if there is no memory.
bool machine_code_link(struct machine_code *c, const char *const *managed, size_t n, struct diag *d);
void machine_code_close(struct machine_code *c);

// Whether it has that kernel.
bool machine_code_has(const struct machine_code *c, const char *kernel);

// Makes a kernel ready; k->info lives as long as c, and so must k->code, which sass_kernel_free frees. `units`: see sass_kernel_new.
// False and an error if it can't be executed.
bool machine_code_kernel(struct machine_code *c, const char *name, uint32_t units, struct machine_kernel *k, struct diag *d);

// A variable that the PTX does not have; false if machine code does not have it either.
bool machine_code_variable(const struct machine_code *c, const char *name, uint64_t *addr, uint64_t *size);

// What kernels call a kernel that only machine code has, when they launch it; and back: NULL if that is none.
uint64_t machine_code_address(const struct machine_code *c, const char *kernel);
const char *machine_code_named(const struct machine_code *c, uint64_t address);

#endif
