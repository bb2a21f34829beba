// A file of machine code as it is read, for machine.c: its functions, what its symbols stand for, and the places that hold addresses.
#ifndef LIBCUDA_IMAGE_MACHINE_PARTS_H
#define LIBCUDA_IMAGE_MACHINE_PARTS_H

#include "base/map.h"
#include "libcuda/image/elf64.h"
#include "libcuda/image/machine.h"

#include <string.h>

enum {
	MACHINE_INST = 16,          // bytes of an instruction
	MACHINE_SECTION = 0xffffff, // sh_info of a section that belongs to another: its number, with registers above it in .text
};

// A section .text.NAME.
struct machine_text {
	const char *name;
	const uint8_t *data;
	size_t section;
	uint64_t size;
	uint64_t base;     // pc in every image; of a kernel 0
	bool kernel;
	bool taken;        // a function whose address goes elsewhere than into a call
	uint32_t registers;
	VEC(struct sass_line_at) line; // by pc in the section, in the order of the file
};

struct machine {
	struct arena arena;
	const char *file;
	const struct cubin *cubin;
	struct machine_world world;
	struct elf64 elf;
	struct elf64_section symbols;
	size_t n_symbols;
	struct machine_text *text; // kernels and functions, in the order of the file
	size_t n_text;
	uint32_t *text_of;         // by section: number in `text` + 1
	uint32_t *relocs, *more;   // by section: the first section with its relocations, the next such one; 0: none
	uint32_t *external_of;     // by symbol: number + 1
	const struct builtin **external;
	const char **external_name;
	size_t n_external;
	const uint8_t *initial[N_VARIABLE_SECTIONS];
	uint64_t section_size[N_VARIABLE_SECTIONS];
	size_t section_of[N_VARIABLE_SECTIONS]; // 0: the file has none
	bool lines_read;
	struct map images;         // by name of the kernel: struct sass_image
};

struct machine_reloc {
	uint64_t offset;
	uint32_t type, symbol;
	bool addend_given;
	int64_t addend;
};

// A message about the file; false.
bool machine_wrong(const struct machine *m, struct diag *d, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

// What stands in `name` behind a prefix; NULL if it is none of these.
const char *machine_name_behind(const char *name, const char *prefix);

// machine_file.c: all of m but its images and lines. False and an error if the file is no good.
bool machine_read(struct machine *m, const void *data, size_t size, struct diag *d);

// Relocation number i of a section with such; false past the end.
bool machine_reloc_at(const struct elf64_section *s, size_t i, struct machine_reloc *out);

// Calls `visit` for each relocation of a section, with the name of the section that has it; false if a call was.
typedef bool machine_visit(void *ctx, const char *section, const struct machine_reloc *r);
bool machine_each_reloc(struct machine *m, size_t section, machine_visit *visit, void *ctx);

// The function that a relocation is about, NULL if it is about something else or the simulator answers for it.
struct machine_text *machine_function_of(const struct machine *m, const struct machine_reloc *r);

// Fills the addresses of a section into a copy of it.
struct machine_patch {
	const struct machine_text *kernel; // of the image; NULL in data
	bool code;
	uint8_t *to;
	uint64_t size;
};
bool machine_patch(struct machine *m, size_t section, struct machine_patch p, struct diag *d);

// machine_lines.c: where the code of the functions for which `in` holds (by number in m->text) was written, by pc.
void machine_lines(struct machine *m, const bool *in, struct sass_image *out);

#endif
