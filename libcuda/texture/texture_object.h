// What handles stand for: texture objects, and for machine code texture references too. A handle is made like those of real
// devices: the lower 20 bits say which object, those above count how often that number was given away before, so that one of a
// destroyed object is recognised. Machine code has room for 32 bits; references have the highest of these.
#ifndef LIBCUDA_TEXTURE_TEXTURE_OBJECT_H
#define LIBCUDA_TEXTURE_TEXTURE_OBJECT_H

#include "isa/texture.h"
#include "libcuda/context/cuda_abi.h"

struct texture_object {
	uint64_t handle;
	bool live, has_view;
	struct texture texture;
	struct cudaResourceDesc resource;
	struct cudaTextureDesc sampling;
	struct cudaResourceViewDesc view;
	struct texture_object *next_free;
};

struct texture_object *texture_object_new(void); // NULL: there are too many
void texture_object_free(struct texture_object *o);
struct texture_object *texture_object_find(uint64_t handle); // NULL if there is none
const struct texture *texture_of_handle(uint64_t handle);    // of objects and references; the same
void texture_objects_reset(void);                            // destroys all

// The handle of what a texture reference is bound to: always the same, until it is forgotten. 0: there are too many.
uint32_t texture_reference_handle(const struct texture *bound);
void texture_reference_forget(const struct texture *bound);

#endif
