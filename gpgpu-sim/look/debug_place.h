// Where the debugger stops, as written by the user:
//	cycle=N     before core cycle N
//	FILE:LINE   before an instruction of that PTX line or source line; FILE is a name with or without its folder, or
//	            "ptx" for the PTX of any kernel
//	0xADDR      below 4 GiB: before the instruction at that address of any kernel's code; else before the one that touches
//	            the byte of device memory is done (it was executed, its access is on its way)
//	NAME        before the first instruction of a kernel whose name contains NAME
#ifndef GPGPU_SIM_LOOK_DEBUG_PLACE_H
#define GPGPU_SIM_LOOK_DEBUG_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stop_kind { STOP_CYCLE, STOP_LINE, STOP_CODE, STOP_DATA, STOP_KERNEL };

struct debug_place {
	enum stop_kind kind;
	uint64_t at; // cycle, line or address
	char *name;  // file or kernel
};

// False, with a sentence for the user in `why` and nothing to free, if the place cannot be read.
bool debug_place_parse(const char *place, struct debug_place *out, char *why, size_t len);
void debug_place_free(struct debug_place *s);
// Whether it can be read.
bool debug_place_ok(const char *place, char *why, size_t len);

#endif
