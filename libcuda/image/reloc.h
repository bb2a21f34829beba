// Relocations of machine code: where an address goes, in code and in data.
#ifndef LIBCUDA_IMAGE_RELOC_H
#define LIBCUDA_IMAGE_RELOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reloc_type {
	uint8_t number;
	const char *name;
	bool code;     // of an instruction, else of data
	bool kernel;   // of a kernel's address as launches take it
	bool part;     // a half or a byte of an address; the others hold all of it
	uint8_t size;  // bytes that it is about: of an instruction 16
	uint8_t shift; // the value's lowest bit that goes there
	// Up to two runs of bits, the low one first.
	struct {
		uint8_t lsb, width;
	} at[2];
};

// NULL: this version does not know it.
const struct reloc_type *reloc_find(uint32_t number);

// What stands in the field now, as an addend; false if it is only a part of a number, and not 0.
bool reloc_addend(const struct reloc_type *t, const uint8_t *at, uint64_t *addend);

// Puts the value there; false if the field is too narrow for it.
bool reloc_put(const struct reloc_type *t, uint8_t *at, uint64_t value);

#endif
