// Bytes made smaller, as the end of a file's name asks for. What is packed at a time stands by itself: a member of gzip, a frame of
// Zstandard. Files are sequences of them, which all readers take as one, and are whole whenever one has been written.
#ifndef BASE_PACK_H
#define BASE_PACK_H

#include <stddef.h>

enum pack { PACK_NONE, PACK_GZIP, PACK_ZSTD };

// "x.gz", "x.zst", and anything else.
enum pack pack_of(const char *path);

// A new block of *size bytes for free(). NULL with errno if there is no room.
void *pack_bytes(enum pack how, const void *bytes, size_t n, size_t *size);

#endif
