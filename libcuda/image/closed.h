// Libraries of NVIDIA that cannot run here: most hold a runtime without symbols, which asks the driver for tables of functions that are
// not documented and ends in a check of its own integrity; cuSOLVER of CUDA 13.5 calls functions of cuBLAS that are not documented.
#ifndef LIBCUDA_IMAGE_CLOSED_H
#define LIBCUDA_IMAGE_CLOSED_H

#include <stdbool.h>

// The library of the table that the file at `path` is, by its name: its number from 0; -1: none.
int closed_library(const char *path);

// Tells on stderr, once for each library, that the one at `path` asked for such tables and what comes of it. Nothing for other files.
void closed_tell(const char *path);

// The same, with what it wants that is not here. Whether the file is such a library.
bool closed_tell_why(const char *path, const char *why);

#endif
