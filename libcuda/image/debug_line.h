// Line programs: which source line code was made from, as .debug_line of cubins tells (DWARF 2 to 4, section "Line Number
// Information"). Nothing in the data is trusted.
#ifndef LIBCUDA_IMAGE_DEBUG_LINE_H
#define LIBCUDA_IMAGE_DEBUG_LINE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_line {
	const uint8_t *data;
	size_t size;
	struct arena *names; // what files are called lives here
	void *ctx;
	// A sequence of addresses begins; its first stands at that byte of the data, to be relocated. Its rows follow.
	void (*start)(void *ctx, uint64_t offset, uint64_t address);
	// From this address on, until that of the next row. file NULL: the sequence ends here.
	void (*row)(void *ctx, uint64_t address, const char *file, uint32_t line);
};

// False where the data is damaged or of another version; rows before that have been told.
bool debug_line_read(const struct debug_line *r);

#endif
