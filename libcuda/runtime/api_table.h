// The table of API functions, libcuda/runtime/api.def, as data.
#ifndef LIBCUDA_RUNTIME_API_TABLE_H
#define LIBCUDA_RUNTIME_API_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct api_entry {
	const char *name, *group;
	bool done;
	unsigned releases; // API_R...
};

enum { API_R9 = 1, API_R11 = 2, API_R12 = 4, API_R13 = 8 };

extern const struct api_entry api_table[];
extern const size_t api_table_size;

// docs/api.md.
void api_write_doc(FILE *to);

#endif
