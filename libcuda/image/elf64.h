// A bounded reader of 64-bit little-endian ELF files held in memory: programs, shared objects, cubins.
// Nothing in the file is trusted: every offset is checked against the size, and nothing is read outside it.
#ifndef LIBCUDA_IMAGE_ELF64_H
#define LIBCUDA_IMAGE_ELF64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf64 {
	const uint8_t *data;
	size_t size;
	unsigned type, machine, osabi; // ET_*, EM_*, EI_OSABI
	uint32_t flags;
	uint64_t shoff, phoff;
	size_t n_sections, n_segments;
	size_t names; // index of the section name table
};

struct elf64_section {
	size_t index;
	const char *name; // "" where the file's name is no string
	uint32_t type, link, info;
	uint64_t flags, addr, size;
	const uint8_t *data; // NULL for SHT_NOBITS and for sections that reach outside the file
};

struct elf64_symbol {
	const char *name;
	unsigned type, bind; // STT_*, STB_*
	unsigned section;    // SHN_UNDEF if not defined here
	uint64_t value, size;
};

// Prepares `e` to read `size` bytes at `data`. NULL, or in words why this is no such file.
const char *elf64_open(struct elf64 *e, const void *data, size_t size);

// Section number `index`; false past the end.
bool elf64_section(const struct elf64 *e, size_t index, struct elf64_section *out);

// The first section of that name, or of that SHT_* type.
bool elf64_find(const struct elf64 *e, const char *name, struct elf64_section *out);
bool elf64_find_type(const struct elf64 *e, uint32_t type, struct elf64_section *out);

// Symbol number `index` of a symbol table; false past the end.
bool elf64_symbol(const struct elf64 *e, const struct elf64_section *table, size_t index, struct elf64_symbol *out);

// Entry number `index` of a dynamic section; false past the end. `text` is the string for tags that name one,
// else NULL.
bool elf64_dynamic(const struct elf64 *e, const struct elf64_section *dynamic, size_t index, int64_t *tag,
                   uint64_t *value, const char **text);

// The name of version number `number` that the file defines (SHT_GNU_verdef); "" if there is none.
const char *elf64_version_name(const struct elf64 *e, unsigned number);

// The interpreter that the file asks for, as dynamically linked programs do: the path of the loader. NULL if there is none,
// "" if the file does not hold the path.
const char *elf64_interpreter(const struct elf64 *e);

// A whole file mapped read-only. False (and `errno`) if it cannot be read.
struct elf64_file {
	const uint8_t *data;
	size_t size;
};
bool elf64_map_file(struct elf64_file *f, const char *path);
void elf64_unmap_file(struct elf64_file *f);

#endif
