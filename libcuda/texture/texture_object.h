// What handles stand for: texture and surface objects, and for machine code references too. A handle is made like those of real
// devices: the lower 20 bits say which object, those above count how often that number was given away before, so that one of a
// destroyed object is recognised. Machine code has room for 32 bits; references have the highest of these.
#ifndef LIBCUDA_TEXTURE_TEXTURE_OBJECT_H
#define LIBCUDA_TEXTURE_TEXTURE_OBJECT_H

#include "isa/texture.h"
#include "libcuda/context/cuda_abi.h"

struct texture_object { // or surface object, if texture.surface
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

// object_make.c: what both APIs do with objects. The sizes are those of the caller's structures, which differ between releases of
// the runtime. cudaErrorInvalidValue for arguments that are missing or fit no texture, and for handles that are none;
// cudaErrorInvalidChannelDescriptor, cudaErrorInvalidFilterSetting, cudaErrorNotSupported after a message.
cudaError_t texture_object_create(uint64_t *out, const struct cudaResourceDesc *resource, size_t resource_size,
                                  const struct cudaTextureDesc *sampling, size_t sampling_size,
                                  const struct cudaResourceViewDesc *view, size_t view_size);
// For an array that is freed already cudaErrorInvalidResourceHandle.
cudaError_t surface_object_create(uint64_t *out, const struct cudaResourceDesc *resource, size_t resource_size);
// Waits for all work, since kernels read what an object stands for when they run. 0 destroys nothing.
cudaError_t texture_object_destroy(uint64_t handle, bool surface);
cudaError_t texture_object_resource(void *out, size_t size, uint64_t handle, bool surface);
cudaError_t texture_object_sampling(void *out, size_t size, uint64_t handle);
cudaError_t texture_object_view(void *out, size_t size, uint64_t handle);

// The handle of what a reference is bound to: always the same, until it is forgotten. 0: there are too many.
uint32_t texture_reference_handle(const struct texture *bound);
void texture_reference_forget(const struct texture *bound);

#endif
