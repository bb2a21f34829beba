// f16 and bf16 as bits: conversion to f32, which is exact, and from f32, rounding to nearest even. The canonical NaN of
// both is 0x7fff (PTX ISA, cvt). The sum and the product of two f16 or two bf16 rounded by way of f32 equal those
// rounded once: f32 has more than twice as many digits, plus two.
#ifndef CUDA_SIM_HALF_H
#define CUDA_SIM_HALF_H

#include <stdint.h>
#include <string.h>

static inline float half_bits_f32(uint32_t v)
{
	float f;

	memcpy(&f, &v, sizeof f);
	return f;
}

static inline uint32_t half_f32_bits(float f)
{
	uint32_t v;

	memcpy(&v, &f, sizeof v);
	return v;
}

static inline float half_to_f32(uint16_t h)
{
	const uint32_t sign = (uint32_t)(h & 0x8000) << 16, a = h & 0x7fff;

	if (a >= 0x7c00)
		return half_bits_f32(sign | 0x7f800000u | a << 13);
	if (a >= 0x0400)
		return half_bits_f32(sign | ((a << 13) + 0x38000000u));
	return half_bits_f32(sign | half_f32_bits((float)a * 0x1p-24f));
}

static inline uint16_t half_from_f32(float f)
{
	const uint32_t v = half_f32_bits(f), sign = v >> 16 & 0x8000, a = v & 0x7fffffffu;

	if (a > 0x7f800000u)
		return 0x7fff;
	if (a >= 0x477ff000u) // 65520, halfway between the largest f16 and the next power of two
		return (uint16_t)(sign | 0x7c00);
	if (a >= 0x38800000u)
		return (uint16_t)(sign | (a + 0xfff + (a >> 13 & 1) - 0x38000000u) >> 13);
	// In [0.5, 1) a unit in the last place is that of a subnormal f16, so the addition rounds.
	return (uint16_t)(sign | (half_f32_bits(half_bits_f32(a) + 0.5f) - 0x3f000000u));
}

static inline float bf16_to_f32(uint16_t h)
{
	return half_bits_f32((uint32_t)h << 16);
}

static inline uint16_t bf16_from_f32(float f)
{
	const uint32_t v = half_f32_bits(f);

	if ((v & 0x7fffffffu) > 0x7f800000u)
		return 0x7fff;
	return (uint16_t)((v + 0x7fff + (v >> 16 & 1)) >> 16);
}

#endif
