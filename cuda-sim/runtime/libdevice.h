// The functions of libdevice and of the C math library that PTX programs declare .extern and do not define. The
// executor calls them natively, one lane at a time, knowing no more of each than its row.
#ifndef CUDA_SIM_RUNTIME_LIBDEVICE_H
#define CUDA_SIM_RUNTIME_LIBDEVICE_H

#include <stddef.h>
#include <stdint.h>

// Signatures: see exec/builtin.h.
//
// fn takes the parameters as raw bits, zero-extended, and returns the result so. args must have one element for each
// parameter; those of I, F, D are not looked at: instead fn puts the bits to be stored into out[0], out[1] in the order
// of these parameters, and the caller stores them. For a and b args holds the host address of the numbers: the caller
// has checked that all of them can be read. fn keeps no state and cannot fail.
struct libdevice_fn {
	const char *name;
	const char *signature;
	uint64_t (*fn)(const uint64_t *args, uint64_t *out);
};

enum { LIBDEVICE_MAX_ARGS = 4, LIBDEVICE_MAX_OUT = 2 };

// By name as in PTX: "__nv_sinf", or "sinf" where the C library has the function. NULL if there is none.
const struct libdevice_fn *libdevice_find(const char *name);

// Size in bytes of a value of signature letter c: 2, 4 or 8; of what is stored or read for I F D a b; 0 for v.
unsigned libdevice_size(char c);

// All rows, for listings and tests.
extern const struct libdevice_fn libdevice_table[];
extern const size_t libdevice_count;

#endif
