// What a program hands over to be loaded as a module: PTX text, a cubin, a fat binary or its wrapper, at an address, its length mostly
// not told.
#ifndef LIBCUDA_CODE_IMAGE_BYTES_H
#define LIBCUDA_CODE_IMAGE_BYTES_H

#include "libcuda/context/cuda_abi.h"
#include "libcuda/image/fatbin.h"

enum image_kind { IMAGE_PTX, IMAGE_CUBIN, IMAGE_CONTAINER, IMAGE_WRAPPER };

struct image_bytes {
	enum image_kind kind;
	uint8_t *bytes; // a copy, with a NUL behind it; of a wrapper of linked code nothing
	size_t size;
	char *file;     // that it was read from; NULL: none
	const void *wrapper; // of linked code, which lies in the program's file
};

// Copies the image at `p`, which has `size` bytes; 0 if that must be found out. cudaErrorInvalidValue if it can't be read,
// cudaErrorInvalidKernelImage, with a message in d, if it is none of these. image_bytes_free frees it.
cudaError_t image_bytes_take(struct image_bytes *out, const void *p, size_t size, struct diag *d);

// The same of a file: cudaErrorFileNotFound if it can't be read.
cudaError_t image_bytes_file(struct image_bytes *out, const char *path, struct diag *d);
void image_bytes_free(struct image_bytes *b);

// The number in ".target sm_86" of a PTX text; 0 if it has none.
unsigned image_bytes_target(const char *ptx);

// Its entries, which live as long as b. False and an error if it is malformed.
bool image_bytes_read(const struct image_bytes *b, struct fatbin *out, struct diag *d);

#endif
