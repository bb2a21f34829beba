// The file form of what cuLinkComplete makes: PTX texts that belong together, and the machine code linked already, in one container, so
// that cuModuleLoadData and cuModuleLoad take it as they take any fat binary.
//
// It is a container whose header is LINKED_HEADER bytes long, with LINKED_MARK behind the usual 16; inside are containers one after
// the other, as in section .nv_fatbin: first that of the machine code, which may be empty, then one for each PTX text.
#ifndef LIBCUDA_CODE_LINK_IMAGE_H
#define LIBCUDA_CODE_LINK_IMAGE_H

#include "base/vec.h"
#include "libcuda/image/fatbin.h"

enum { LINKED_HEADER = 32 };
#define LINKED_MARK "heddle: linked\0" // 16 bytes with its NUL

// One text or one cubin.
struct link_part {
	enum fatbin_kind kind;
	unsigned arch;
	char *name; // what messages call it
	uint8_t *bytes;
	size_t size;
};

struct link_image {
	VEC(uint8_t) bytes;
};

// Makes the image of n parts; link_image_free frees it.
void link_image_make(struct link_image *out, const struct link_part *part, size_t n);
void link_image_free(struct link_image *image);

// Whether a container, `size` bytes at `p`, is such an image.
bool link_image_is(const uint8_t *p, size_t size);

// Reads it; false and an error if it is malformed.
bool link_image_read(struct fatbin *out, const uint8_t *p, size_t size, struct diag *d);

#endif
