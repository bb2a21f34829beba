// Fat binaries: how compilers put PTX and machine code into a program.
//
// A program registers a wrapper that points to one container, or, when device code was linked (nvcc -rdc=true), to the
// linked container and the list of those of its objects. A container is a header and entries, each one payload for one
// architecture, plain or compressed by LZ4 or zstd. The layout was read off the output of nvcc 11.8 and 13.0 and of
// clang; nothing in it is trusted.
//
// Entries borrow the bytes they were read from; those must outlive the fatbin.
#ifndef LIBCUDA_IMAGE_FATBIN_H
#define LIBCUDA_IMAGE_FATBIN_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FATBIN_WRAPPER_MAGIC = 0x466243b1 };

// Values as in the file; others may occur.
enum fatbin_kind { FATBIN_PTX = 1, FATBIN_CUBIN = 2, FATBIN_LTO = 8 };

enum {
	FATBIN_64BIT = 0x1,
	FATBIN_DEBUG = 0x2,
	FATBIN_LINUX = 0x10,
	FATBIN_LZ4 = 0x2000,
	FATBIN_ZSTD = 0x8000,
	FATBIN_ARCH_A = 0x100000, // sm_90a
	FATBIN_ARCH_F = 0x200000, // sm_100f
};

struct fatbin_entry {
	unsigned container; // which container it came from: 0 is the main one
	unsigned number;    // which entry of that container, from 0
	unsigned kind;      // enum fatbin_kind or another value
	unsigned arch;      // 90 for sm_90 and compute_90
	unsigned major, minor; // PTX ISA version; format version for other kinds
	uint64_t flags;
	const char *options; // of the compiler, as stored; "" if none
	const char *file;    // source file name; "" if none
	const uint8_t *payload;
	size_t stored;   // payload bytes, without padding if compressed
	size_t raw_size; // bytes after decompression; equals `stored` if not compressed
};

struct fatbin {
	VEC(struct fatbin_entry) entry;
	unsigned n_containers;
	bool linked; // containers 1.. are the objects of a device-linked program, each with its own PTX
	struct arena arena;
};

// Reads what a wrapper, as given to __cudaRegisterFatBinary, points to. False and an error if it is malformed; `out`
// then holds what could be read. A container inside a loaded object may not claim to reach past its segment. Free
// `out` in both cases.
bool fatbin_read(struct fatbin *out, const void *wrapper, struct diag *d);

// Reads one container of at most `size` bytes at `data` and adds it to `out`. `*used`, if not NULL, is set to the bytes
// the container takes.
bool fatbin_read_container(struct fatbin *out, const void *data, size_t size, size_t *used, struct diag *d);

// Reads containers that follow each other, 8-aligned with zero padding between, as in section .nv_fatbin of a file.
bool fatbin_read_section(struct fatbin *out, const void *data, size_t size, struct diag *d);

void fatbin_free(struct fatbin *f);

// The payload, decompressed, in `arena`, with a NUL behind it. For PTX `*len` ends before the first NUL. False and an
// error naming the entry if it is corrupt or too large.
bool fatbin_payload(const struct fatbin_entry *e, struct arena *arena, const char **text, size_t *len, struct diag *d);

// The PTX of a container to run on a device of capability `max` (90 for 9.0; 0 for no limit): the newest not above it,
// else, with a note, the lowest above. A plain target goes before its sm_NNa and sm_NNf forms. NULL and an error, which
// names the compiler flag that is missing, if there is no PTX.
const struct fatbin_entry *fatbin_select_ptx(const struct fatbin *f, unsigned container, unsigned max, struct diag *d);

// The machine code of a container for resource figures: for `arch` if there is one, else the nearest below, else the
// lowest. NULL if there is none.
const struct fatbin_entry *fatbin_select_cubin(const struct fatbin *f, unsigned container, unsigned arch);

// The containers whose PTX make up the program are `fatbin_first_module` up to `n_containers` - 1: all of them but, in
// a linked program, the main one, which holds only the machine code linked from the others.
unsigned fatbin_first_module(const struct fatbin *f);

const char *fatbin_kind_name(unsigned kind);

// "sm_90a" or, for PTX, "compute_90a".
const char *fatbin_arch_name(const struct fatbin_entry *e, char *buf, size_t size);

#endif
