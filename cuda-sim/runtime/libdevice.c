#include "cuda-sim/runtime/libdevice.h"

#include "cuda-sim/numbers/dmath.h"

#include <string.h>

static uint64_t reverse64(uint64_t v)
{
	v = (v >> 1 & UINT64_C(0x5555555555555555)) | (v & UINT64_C(0x5555555555555555)) << 1;
	v = (v >> 2 & UINT64_C(0x3333333333333333)) | (v & UINT64_C(0x3333333333333333)) << 2;
	v = (v >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (v & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
	return __builtin_bswap64(v);
}

// The low three bits of each nibble of sel pick a byte. (Unlike prmt, the fourth bit means nothing.)
static uint64_t byte_perm(uint64_t bytes, uint32_t sel)
{
	uint32_t r = 0;
	for (unsigned i = 0; i < 4; i++)
		r |= (uint32_t)(bytes >> (8 * (sel >> (4 * i) & 7)) & 0xff) << (8 * i);
	return r;
}

static int32_t low24(uint32_t v)
{
	return (int32_t)(v << 8) >> 8;
}

#define F(i)         softfp_f32((uint32_t)args[i])
#define D(i)         softfp_f64(args[i])
#define U(i)         ((uint32_t)args[i])
#define I(i)         ((int32_t)(uint32_t)args[i])
#define UL(i)        args[i]
#define L(i)         ((int64_t)args[i])
#define POINTER(i)   ((const void *)(uintptr_t)args[i])
#define OUT(i, bits) (out[i] = (bits))
#define F_(v)        softfp_bits_f32(softfp_canon_f32(v))
#define D_(v)        softfp_bits_f64(v)
#define I_(v)        ((uint32_t)(v))
#define L_(v)        ((uint64_t)(v))

#define LDH LD

// The bodies. Locals are for what functions return through pointers.
#define LD_MODE(name, signature, result, mode)                              \
	static uint64_t ld_##name(const uint64_t *args, uint64_t *out)      \
	{                                                                   \
		const enum rounding RND = mode;                              \
		double x, y;                                                \
		float s, t;                                                 \
		int n;                                                      \
		(void)args, (void)out, (void)RND, (void)n;                  \
		(void)x, (void)y, (void)s, (void)t;                         \
		return result;                                              \
	}
#define LD(name, signature, result) LD_MODE(name, signature, result, ROUND_RN)
#include "cuda-sim/runtime/libdevice.def"
#undef LD
#undef LD_MODE
#undef LDH

#define LD_MODE(name, signature, result, mode) {#name, signature, ld_##name},
#define LD(name, signature, result)            {#name, signature, ld_##name},
#define LDH(name, signature, result)           {#name, signature, ld_##name}, {&#name[5], signature, ld_##name},
const struct libdevice_fn libdevice_table[] = {
#include "cuda-sim/runtime/libdevice.def"
};
const size_t libdevice_count = sizeof libdevice_table / sizeof *libdevice_table;

const struct libdevice_fn *libdevice_find(const char *name)
{
	for (size_t i = 0; i < libdevice_count; i++)
		if (strcmp(libdevice_table[i].name, name) == 0)
			return &libdevice_table[i];
	return NULL;
}

unsigned libdevice_size(char c)
{
	switch (c) {
	case 'h': return 2;
	case 'i': case 'f': case 'I': case 'F': case 'a': return 4;
	case 'l': case 'd': case 'D': case 'b': return 8;
	default: return 0;
	}
}
