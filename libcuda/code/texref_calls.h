// Texture references as the driver API sets them: every setting by itself, bound again with each.
#ifndef LIBCUDA_CODE_TEXREF_CALLS_H
#define LIBCUDA_CODE_TEXREF_CALLS_H

#include "libcuda/code/module.h"

enum { TEXREF_AS_INTEGER = 1, TEXREF_NORMALIZED = 2, TEXREF_SRGB = 0x10, TEXREF_SEAMLESS = 0x40, TEXREF_FLAGS = 0x73 };

// All wait for the kernels before them. cudaErrorInvalidValue and the errors of libcuda/texture/texture.h leave the reference as it was.

// Settings: `c` is t->choice with what is new.
cudaError_t texref_choose(struct texref *t, const struct texref_choice *c);

cudaError_t texref_on_array(struct texref *t, cudaArray_t handle);
cudaError_t texref_on_mipmap(struct texref *t, cudaMipmappedArray_t handle);

// `size` bytes at p of t->choice.format; *offset is what p has above the alignment of textures, and must be 0 if `offset` is NULL.
// 0 bytes unbind.
cudaError_t texref_on_line(struct texref *t, size_t *offset, uint64_t p, size_t size);
cudaError_t texref_on_plane(struct texref *t, const struct cudaChannelFormatDesc *d, size_t width, size_t height, uint64_t p, size_t pitch);

cudaError_t surfref_on_array(struct texref *t, cudaArray_t handle);

#endif
