// What texture references, texture objects and surface objects of both APIs are filled in with.
#ifndef LIBCUDA_TEXTURE_TEXTURE_H
#define LIBCUDA_TEXTURE_TEXTURE_H

#include "isa/texture.h"
#include "libcuda/context/context.h"

struct array;
struct mipmap;

// The format of texels: channels, bits, channel, read_normalized, which formats of normalised integers set by themselves.
// cudaErrorInvalidChannelDescriptor if `d` is none, cudaErrorNotSupported after a message.
cudaError_t texture_format(struct texture *t, const struct cudaChannelFormatDesc *d, bool read_normalized);

// Whether texels of that format may be colours of sRGB: bytes that become floats from 0 to 1.
bool texture_can_be_srgb(const struct texture *t);

// How texels are found: `filter` and `address` are cudaTextureFilterMode and cudaTextureAddressMode. The format comes
// first, since not every one can be filtered (cudaErrorInvalidFilterSetting). cudaErrorInvalidValue for an unknown address mode, and for
// levels without normalised coordinates.
cudaError_t texture_sampling(struct texture *t, int normalized, int filter, const int address[3]);

// `size` bytes from t->base, which lies in `r`, or what the allocation has of them. The format comes first.
void texture_on_line(struct texture *t, const struct devmem_range *r, uint64_t size);

// Rows of `width` texels, `pitch` bytes apart, of which all must be in `room` bytes, else cudaErrorInvalidValue. The format comes first.
cudaError_t texture_on_plane(struct texture *t, uint64_t room, size_t width, size_t height, size_t pitch);

// All of `a`, or the levels from first to last of `m`, which it has.
void texture_on_array(struct texture *t, const struct array *a);
void texture_on_mipmap(struct texture *t, const struct mipmap *m, unsigned first, unsigned last);

// A surface on all of `a`, with texels of format `d`: cudaErrorInvalidValue if it is no level and was made without cudaArraySurfaceLoadStore,
// cudaErrorInvalidChannelDescriptor if texels of `d` have another size than its own.
cudaError_t texture_surface(struct texture *t, const struct array *a, const struct cudaChannelFormatDesc *d);

#endif
