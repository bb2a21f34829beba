// Texture objects. A handle is made like those of real devices: the lower 20 bits say which object, those above count
// how often that number was given away before, so that handles are small and one of a destroyed object is recognised.
#ifndef LIBCUDA_CONTEXT_TEXTURE_OBJECT_H
#define LIBCUDA_CONTEXT_TEXTURE_OBJECT_H

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
const struct texture *texture_of_object(uint64_t handle);    // the same
void texture_objects_reset(void);                            // destroys all

#endif
