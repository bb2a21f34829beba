// Libraries of NVIDIA that cannot run here: each holds a runtime without symbols, which asks the driver for tables of functions that are
// not documented and ends in a check of its own integrity.
#ifndef LIBCUDA_IMAGE_CLOSED_H
#define LIBCUDA_IMAGE_CLOSED_H

// The library of the table that the file at `path` is, by its name: its number from 0; -1: none.
int closed_library(const char *path);

// Tells on stderr, once for each library, that the one at `path` asked for such tables and what comes of it. Nothing for other files.
void closed_tell(const char *path);

#endif
