// The parts that make up a cubin, apart from the file format: functions with their code, constants and figures, variables,
// and the places that hold addresses known only once it is loaded.
#ifndef LIBCUDA_IMAGE_CUBIN_PARTS_H
#define LIBCUDA_IMAGE_CUBIN_PARTS_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Types of places that hold an address, of those in use. The linker knows more.
enum {
	CUBIN_ADDRESS_64 = 2,        // in data
	CUBIN_LOW_32 = 0x38, CUBIN_HIGH_32 = 0x39, // a half in an instruction's immediate
	CUBIN_CALLED = 0x3a,         // the target of CALL.ABS
};

#define CUBIN_UNKNOWN_STACK UINT32_MAX // functions recurse or are called by address

// Data that belongs to the whole cubin. A function has its own constant bank 2 besides.
enum cubin_section { CUBIN_GLOBAL, CUBIN_INIT, CUBIN_BANK_3, CUBIN_BANK_4, CUBIN_SECTIONS, CUBIN_BANK_2 = CUBIN_SECTIONS };
extern const char *const cubin_section_name[CUBIN_SECTIONS + 1]; // in the text

struct cubin_fixup {
	uint64_t at; // in its section
	uint32_t type;
	const char *symbol;
	uint64_t addend;
};

struct cubin_data {
	uint64_t size;
	uint8_t *byte; // NULL: CUBIN_GLOBAL, which begins as zeros, or an empty one
	VEC(struct cubin_fixup) fixup;
};

struct cubin_variable {
	const char *name;
	enum cubin_section section;
	uint64_t offset, size;
};

struct cubin_inside {
	const char *name; // of a function that was not inlined
	uint64_t pc, size;
	uint32_t frame;
};

struct cubin_place {
	uint32_t offset, size;
};

struct cubin_targets {
	uint64_t pc; // of a branch by register, and where it may go
	VEC(uint32_t) to;
};

// An attribute that needs no meaning here: it stands in the text by its number.
struct cubin_kept {
	uint8_t format, number;
	uint16_t value; // format 4: bytes of `data`
	const uint8_t *data;
};

struct cubin_function {
	const char *name;
	bool kernel;  // else a function with a section of its own
	uint8_t *code;
	uint64_t size;
	uint32_t registers, shared, frame, stack, barriers, param_base, param_size;
	uint32_t max_threads[3], required_threads[3]; // 0: not stated
	VEC(struct cubin_place) param;
	VEC(struct cubin_fixup) fixup;
	VEC(struct cubin_inside) inside; // by pc
	VEC(struct cubin_targets) targets; // by pc
	VEC(struct cubin_kept) attribute;
	struct cubin_data bank2;
};

struct cubin_parts {
	unsigned arch;
	bool specific;  // sm_90a
	struct arena arena;
	VEC(struct cubin_function) function;
	VEC(struct cubin_variable) variable;
	struct cubin_data data[CUBIN_SECTIONS];
};

// Where parameters begin in constant bank 0, and bytes that the system takes of each block's shared memory.
static inline uint32_t cubin_param_base(unsigned arch) { return arch >= 100 ? 0x380 : arch >= 90 ? 0x210 : 0x160; }
static inline uint32_t cubin_reserved_shared(unsigned arch) { return arch >= 90 ? 1024 : 0; }

// Reads a cubin. False with an error if it is none, or is damaged. Free `out` in both cases; it does not borrow from `image`.
bool cubin_parts_read(struct cubin_parts *out, const void *image, size_t size, struct diag *d);
void cubin_parts_free(struct cubin_parts *c);

// The function of that name; NULL if there is none.
struct cubin_function *cubin_parts_find(const struct cubin_parts *c, const char *name);

// Writes a cubin, mem_free. The same parts give the same bytes.
void cubin_write(const struct cubin_parts *c, uint8_t **image, size_t *size);

#endif
