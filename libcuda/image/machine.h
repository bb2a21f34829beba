// Machine code made ready to execute: of each kernel of a cubin a struct sass_image, with the functions that it may call behind
// it and all addresses filled in.
//
// Device functions have sections of their own in linked programs (nvcc -rdc=true), and where a program takes their address. Each
// has the same place in the image of every kernel, so that a pointer to a function means the same to all of them.
//
// Nothing in the file is trusted: what it says wrong is an error that names the section and what is the matter.
#ifndef LIBCUDA_IMAGE_MACHINE_H
#define LIBCUDA_IMAGE_MACHINE_H

#include "cuda-sim/exec/builtin.h"
#include "cuda-sim/sass/exec/image.h"
#include "libcuda/image/cubin.h"

// What names in machine code stand for in a loaded program.
struct machine_world {
	void *ctx;
	// Device address of a variable: by its place in the cubin, or by its name ("" for the section itself). 0: there is none.
	uint64_t (*variable)(void *ctx, const struct variable_place *v);
	// What a kernel that launches kernels calls this one. 0: there is none.
	uint64_t (*kernel)(void *ctx, const char *name);
	// The handle of a texture reference. 0: there is none.
	uint32_t (*texture)(void *ctx, const char *name);
	builtin_finder *builtin;
	struct tensor_numerics tensor;
};

struct machine;

// Reads a cubin, of which `c` tells the figures. `file` is what messages call it. The data, c, the file's name and the world's ctx
// must outlive it. NULL and an error if it is damaged or not linked.
struct machine *machine_new(const void *data, size_t size, const struct cubin *c, const char *file, const struct machine_world *world,
                            struct diag *d);
void machine_free(struct machine *m);

// The kernel of that name, made when it is first asked for; lives as long as m. NULL and an error if there is none, or it cannot be.
const struct sass_image *machine_image(struct machine *m, const char *kernel, struct diag *d);

// Where a device function lies in the images of kernels. False if the cubin has none of that name in a section of its own.
bool machine_function(const struct machine *m, const char *name, uint64_t *pc);

// Fills addresses into initialised variables: `to` is the memory of .nv.global.init or .nv.constant3, which holds what the file has.
bool machine_fill(struct machine *m, enum variable_section s, uint8_t *to, struct diag *d);

// What the file has of a section of variables; NULL: nothing, all is zero.
const uint8_t *machine_initial(const struct machine *m, enum variable_section s);

// Where parameters begin in constant bank 0; 0 if machine code of that architecture is not known.
uint32_t machine_param_base(unsigned arch);

#endif
