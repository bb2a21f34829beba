// What the dynamic loader would load for a program, by asking it: libraries find each other by paths that are in them, in
// the environment and in the system's own tables.
#ifndef TOOLS_LOADER_LIST_H
#define TOOLS_LOADER_LIST_H

#include "base/arena.h"
#include "base/vec.h"

struct loader_entry {
	const char *name, *path; // as a library asks for it; where it is, NULL: nowhere
};

struct loader_list {
	VEC(struct loader_entry) at;
};

// Asks `interpreter`, the loader that the program names, with the folder `libraries` first in LD_LIBRARY_PATH. Nothing of
// the program is run. Empty where the loader is not glibc's. Texts live in `arena`.
void loader_list(struct loader_list *out, const char *interpreter, const char *program, const char *libraries,
                 struct arena *arena);

#endif
