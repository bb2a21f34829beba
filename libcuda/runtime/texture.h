// What texture references and texture objects have in common, and calls for the objects.
#ifndef LIBCUDA_RUNTIME_TEXTURE_H
#define LIBCUDA_RUNTIME_TEXTURE_H

#include "isa/texture.h"
#include "libcuda/context/context.h"

struct array;

// The format of texels: channels, bits, channel, read_normalized. cudaErrorInvalidChannelDescriptor if `d` is none.
cudaError_t texture_format(struct texture *t, const struct cudaChannelFormatDesc *d, bool read_normalized);

// How texels are found: `filter` and `address` are cudaTextureFilterMode and cudaTextureAddressMode. The format comes
// first, since not every one can be filtered (cudaErrorInvalidFilterSetting).
cudaError_t texture_sampling(struct texture *t, int normalized, int filter, const int address[3]);

// `size` bytes from t->base, which lies in `r`, or what the allocation has of them. The format comes first.
void texture_on_line(struct texture *t, const struct devmem_range *r, uint64_t size);

// Rows of `width` texels, `pitch` bytes apart, of which all must be in `room` bytes. The format comes first.
cudaError_t texture_on_plane(struct texture *t, uint64_t room, size_t width, size_t height, size_t pitch);

// All of `a`.
void texture_on_array(struct texture *t, const struct array *a);

// Calls whose binary interface differs between releases: the sizes are what the caller's structures have.
cudaError_t texture_object_create(uint64_t *out, const struct cudaResourceDesc *resource, size_t resource_size,
                                  const struct cudaTextureDesc *sampling, size_t sampling_size,
                                  const struct cudaResourceViewDesc *view, size_t view_size);
cudaError_t texture_object_resource(void *out, size_t size, uint64_t handle);
cudaError_t texture_object_sampling(void *out, size_t size, uint64_t handle);
cudaError_t texture_object_view(void *out, size_t size, uint64_t handle);

#endif
