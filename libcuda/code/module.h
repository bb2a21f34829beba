// What programs register: fat binaries, and the kernels, variables and textures in them. A fat binary is only looked
// into when something of it is first used; its kernels are found by the address of their host function, its variables
// by the address of their host variable.
#ifndef LIBCUDA_CODE_MODULE_H
#define LIBCUDA_CODE_MODULE_H

#include "base/diag.h"
#include "isa/kernel.h"
#include "isa/texture.h"
#include "libcuda/context/context.h"

struct module;

struct kernel {
	struct module *module;
	const void *host;
	char *name;
	// once resolved
	enum { KERNEL_NEW, KERNEL_READY, KERNEL_FAILED } state;
	cudaError_t error;
	struct diag untold; // what loading said: it is told when the kernel is launched
	const struct frontend_ops *fe; // of code: PTX's, or that of machine code
	void *code;
	struct kernel_info info;
	// attributes
	int max_dynamic_shared; // what the program opted in to
	int carveout, cache_config;
	uint32_t cluster[3]; // of a kernel that was compiled with no size of clusters
	int cluster_policy;
	bool non_portable_cluster;
	struct old_launch *old; // launch_old.c; NULL: nothing was set
};

struct variable {
	struct module *module;
	const void *host;
	char *name;
	size_t size;
	bool constant;
	void **slot;   // managed: the program's pointer to it
	uint64_t addr; // once resolved
};

// What the driver API was told about a reference, to be bound and asked for again.
struct texref_choice {
	struct cudaChannelFormatDesc format; // of memory; arrays have their own
	unsigned flags, anisotropy;          // CU_TRSF_...
	int filter, level_filter, address[3];
	float bias, min, max, border[4];
	struct mipmap *mipmap;
	uint64_t p;                          // memory, as the program gave it
	size_t size, width, height, pitch;   // size: of a line; width and height: of a plane
};

struct texref {
	struct module *module;
	const void *host; // struct textureReference, or if `surface` struct surfaceReference, of the program
	char *name;
	int dim;
	bool surface;
	bool normalized; // read mode: integers become floats
	struct texture bound;
	size_t offset;   // of the last binding
	struct array *array;
	struct texref_choice choice;
};

// All NULL, with the reason in *e, if there is none or its module cannot be loaded. `host` may also be what
// __cudaGetKernel gave.
struct kernel *kernel_find(const void *host, cudaError_t *e); // not resolved
struct kernel *kernel_get(const void *host, cudaError_t *e);  // resolved for a launch: code and info are there, and what is wrong is told
// Resolved for a question about it, as of attributes or occupancy: nothing is told. Programs ask about kernels that they don't launch.
struct kernel *kernel_query(const void *host, cudaError_t *e);
// Tells why a module or a kernel cannot be loaded that has this error, if that was not told: where a program asks for an error's text, it
// asks about no further kernels. Without the lock.
void modules_explain(cudaError_t e);
// The kernel whose address a kernel has that runs, whether the program registered it or not; resolved, and why it can't be goes to d.
// NULL: there is none.
struct kernel *kernel_of_address(const struct kernel_launch *by, uint64_t address, struct diag *d);
struct variable *variable_get(const void *host, cudaError_t *e);
struct texref *texref_get(const void *host, cudaError_t *e);  // of a texture
struct texref *surfref_get(const void *host, cudaError_t *e); // of a surface

// A reference of a loaded module by name; NULL: cudaErrorSymbolNotFound. texref_known: whether a handle of the program is one.
struct texref *module_texref(struct module *m, const char *name, bool surface, cudaError_t *e);
bool texref_known(const struct texref *t, bool surface);

// References to textures that are of no module, so that no kernel reads through them; they keep settings.
struct texref *texref_new(void);
void texref_free(struct texref *t);
bool texref_is_loose(const struct texref *t); // any pointer will do

// Registration, by register.c. `host` is the program's function, variable or textureReference.
struct module *module_add(const void *wrapper);
bool module_known(const struct module *m); // a handle of the program is one
bool module_is_new(const struct module *m); // nothing of it has been used
void module_add_kernel(struct module *m, const void *host, const char *name);
void module_add_variable(struct module *m, const void *host, const char *name, size_t size, bool constant, void **slot);
void module_add_texref(struct module *m, const void *host, const char *name, int dim, bool normalized);
void module_add_surfref(struct module *m, const void *host, const char *name, int dim);
// Work that is under way needs the module, so this waits for it.
void module_remove(struct module *m);

// What the program loads by itself: a module, which goes with the context that it was loaded in, or a library, which belongs to none
// and is loaded again after cudaDeviceReset. The image at `image` is copied; `size` bytes, 0 if that must be found out. What is wrong
// goes to d. NULL and the error if it can't be loaded.
struct module *module_new(const void *image, size_t size, bool library, cudaError_t *e, struct diag *d);
struct module *module_new_file(const char *path, bool library, cudaError_t *e, struct diag *d);

// Whether a handle of the program is a module that it may unload, or a library. What was registered is a library that it may not
// unload. Any pointer will do.
bool module_is_own(const struct module *m);
bool module_is_library(const struct module *m);
bool module_is_registered(const struct module *m);

// A kernel by name; its handle is k->host. That it can't be executed turns out when it is launched. NULL: cudaErrorSymbolNotFound, or why
// the module can't be loaded.
struct kernel *module_kernel(struct module *m, const char *name, cudaError_t *e);

// A variable by name. cudaErrorSymbolNotFound if there is none of that name, or none that is managed where `managed` asks for that.
cudaError_t module_variable(struct module *m, const char *name, bool managed, uint64_t *addr, uint64_t *size);

// The kernels' names, at most `room` of them; how many there are in all. 0 if nothing is loaded.
size_t module_kernel_names(const struct module *m, const char **names, size_t room);

// The kernel of one of these names, not resolved: it may turn out that it can't be executed.
struct kernel *module_kernel_unresolved(struct module *m, const char *name);

// Places managed variables and tells the program where they are.
void module_place_managed(struct module *m);
void modules_managed(void); // of all

// Forgets everything loaded; what is registered stays, what the program loaded by itself goes.
void modules_unload(void);

// Forgets what the program loaded by itself in a context.
void modules_release(uint32_t owner);

// Unbinds every texture and surface reference that refers to `array`.
void texrefs_forget_array(const struct array *array);

#endif
