// Linking at run time: PTX texts, and what is linked already, become one image. Behind cuLink...
//
// cudaErrorInvalidResourceHandle for what is no link, cudaErrorInvalidValue for null pointers, files and options that can't be read.
#ifndef LIBCUDA_CODE_LINK_H
#define LIBCUDA_CODE_LINK_H

#include "libcuda/code/jit.h"

#include <stddef.h>

struct link;

// Begins a link; the logs of the options take the messages of all that follows, up to link_destroy.
cudaError_t link_create(struct link **out, const struct jit_options *o);

// Adds an input, CUjitInputType, of `size` bytes; messages call it `name`, which may be NULL. cudaErrorInvalidPtx,
// cudaErrorInvalidKernelImage for what is not of that type, cudaErrorNoKernelImageForDevice if it has nothing for this GPU,
// cudaErrorJitCompilerNotFound for code that would have to be compiled.
cudaError_t link_add(struct link *l, int type, const void *data, size_t size, const char *name, const struct jit_options *o);

// The same of a file; cudaErrorFileNotFound.
cudaError_t link_add_file(struct link *l, int type, const char *path, const struct jit_options *o);

// The image, which lives as long as the link, and its size in bytes, unless `size` is NULL. The errors of loading it; cudaErrorNotSupported for
// machine code that is not linked yet.
cudaError_t link_complete(struct link *l, void **image, size_t *size);
cudaError_t link_destroy(struct link *l);

#endif
