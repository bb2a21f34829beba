// Elements of matrices as tensor instructions take them, for whole numbers that every type can hold.
#ifndef ELEMENTS_H
#define ELEMENTS_H

#include <cstdint>
#include <cstring>

enum type { F16, BF16, TF32, E4M3, E5M2, F32, F64, S8, U8, S4, U4, B1, S32 };
static const int bits_of[] = { 16, 16, 32, 8, 8, 32, 64, 8, 8, 4, 4, 1, 32 };

// A small integer as an element of the type, and back.
static inline uint64_t encode(type t, int v)
{
	float f = (float)v;
	double d = v;
	uint64_t w = 0;
	uint32_t u;
	static const int e4m3[] = {0, 0x38, 0x40, 0x44, 0x48}, e5m2[] = {0, 0x3c, 0x40, 0x42, 0x44};
	memcpy(&u, &f, 4);
	switch (t) {
	case E4M3: case E5M2: return (uint64_t)((t == E4M3 ? e4m3 : e5m2)[v < 0 ? -v : v] | (v < 0 ? 0x80 : 0));
	case F16: return v ? (u >> 16 & 0x8000) | ((u >> 13 & 0x3ffff) - (112 << 10) & 0x7fff) : 0;
	case BF16: return u >> 16;
	case TF32: return u | 0x1abc; // the low bits are not looked at
	case F32: return u;
	case F64: memcpy(&w, &d, 8); return w;
	default: return bits_of[t] == 32 ? (uint32_t)v : (uint64_t)v & ((1u << bits_of[t]) - 1);
	}
}

static inline double decode(type t, uint64_t w)
{
	uint32_t u = (uint32_t)w;
	float f;
	double d;
	switch (t) {
	case F16:
		u = (u & 0x8000) << 16 | ((u & 0x7fff) ? ((u & 0x7fff) << 13) + (112u << 23) : 0);
		memcpy(&f, &u, 4);
		return f;
	case F32: memcpy(&f, &u, 4); return f;
	case F64: memcpy(&d, &w, 8); return d;
	default: return (int32_t)u;
	}
}

static inline int range(type t, unsigned *state)
{
	int r = (int)check_random(state);
	switch (t) {
	case B1: return r & 1;
	case U4: return r & 15;
	case S4: return (r & 15) - 8;
	case U8: return r & 255;
	case S8: return (r & 255) - 128;
	case S32: return r % 100000 - 50000;
	default: return (r & 7) - 3;
	}
}

#endif
