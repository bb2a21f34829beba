// The table of the driver's functions, driver.def, as data. cuGetProcAddress is in table.c too, since it has all addresses.
#ifndef LIBCUDA_DRIVER_TABLE_H
#define LIBCUDA_DRIVER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum driver_twin { DRIVER_NONE, DRIVER_PTSZ, DRIVER_PTDS };

struct driver_entry {
	const char *symbol, *name, *group; // `group` alone begins a group
	bool done;
	int since; // release of CUDA, 12020 for 12.2
	enum driver_twin twin;
	void *address, *twin_address;
};

extern const struct driver_entry driver_table[];
extern const size_t driver_table_size;

// What a program of release `version` means by `name`: the newest form that is not newer. `per_thread`: its twin, if it has one.
// NULL if there is none; *known, unless NULL, tells whether the name exists in a newer release. Symbols such as cuMemAlloc_v2 are
// found too.
void *driver_find(const char *name, int version, bool per_thread, bool *known);

// The answers of cuGetProcAddress and cudaGetDriverEntryPoint, CUdriverProcAddressQueryResult.
enum driver_query { DRIVER_FOUND, DRIVER_NO_SYMBOL, DRIVER_VERSION_TOO_LOW };

// The same with one of these answers, for a name of the program's, which may lie anywhere. False if it can't be read.
bool driver_query(void **out, enum driver_query *answer, const char *name, int version, bool per_thread);

// docs/driver.md.
void driver_write_doc(FILE *to);

#endif
