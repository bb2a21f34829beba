// Where Heddle's files lie. The command finds them from its own place, so a tree, an installation and a Python package may be
// moved as a whole.
#ifndef TOOLS_PLACES_H
#define TOOLS_PLACES_H

#include <limits.h>
#include <stdbool.h>

struct places {
	char libraries[PATH_MAX]; // libcudasim.so and the names that programs look for
	char configs[PATH_MAX];   // a folder for each GPU
	char commands[PATH_MAX];  // nvidia-smi, which programs that look for a GPU start
	char python[PATH_MAX];    // the folder with the Python package heddle
};

// False, and empty names, if the place of this executable is not known or its path is too long.
bool places_find(struct places *p);

#endif
