#include "libcuda/image/reloc.h"

#include "libcuda/image/bytes.h"

// What nvcc and nvlink (CUDA 11.8 to 13.0) leave in linked cubins for who loads them. Numbers and fields were found by looking at
// code and at what the disassembler prints of it when such a field is set.
static const struct reloc_type types[] = {
	{1, "R_CUDA_32", false, false, false, 4, 0, {{0, 32}}},
	{2, "R_CUDA_64", false, false, false, 8, 0, {{0, 64}}},
	{3, "R_CUDA_G32", false, false, false, 4, 0, {{0, 32}}},
	{4, "R_CUDA_G64", false, false, false, 8, 0, {{0, 64}}},
	{34, "R_CUDA_FUNC_DESC_32", false, true, false, 4, 0, {{0, 32}}},
	{35, "R_CUDA_FUNC_DESC_64", false, true, false, 8, 0, {{0, 64}}},
	{55, "R_CUDA_ABS32_32", true, false, false, 16, 0, {{32, 32}}},
	{56, "R_CUDA_ABS32_LO_32", true, false, true, 16, 0, {{32, 32}}},
	{57, "R_CUDA_ABS32_HI_32", true, false, true, 16, 32, {{32, 32}}},
	{58, "R_CUDA_ABS47_34", true, false, false, 16, 2, {{34, 47}}},
	{61, "R_CUDA_FUNC_DESC32_32", true, true, false, 16, 0, {{32, 32}}},
	{62, "R_CUDA_FUNC_DESC32_LO_32", true, true, true, 16, 0, {{32, 32}}},
	{63, "R_CUDA_FUNC_DESC32_HI_32", true, true, true, 16, 32, {{32, 32}}},
	{70, "R_CUDA_32_LO", false, false, true, 4, 0, {{0, 32}}},
	{71, "R_CUDA_32_HI", false, false, true, 4, 32, {{0, 32}}},
	{75, "R_CUDA_ABS55_16_34", true, false, false, 16, 2, {{16, 8}, {34, 47}}},
#define BYTE(number, name, kernel, n) {number + n, name, false, kernel, true, 1, 8 * n, {{0, 8}}}
#define BYTES(number, name, kernel) \
	BYTE(number, name "0", kernel, 0), BYTE(number, name "8", kernel, 1), BYTE(number, name "16", kernel, 2), \
	BYTE(number, name "24", kernel, 3), BYTE(number, name "32", kernel, 4), BYTE(number, name "40", kernel, 5), \
	BYTE(number, name "48", kernel, 6), BYTE(number, name "56", kernel, 7)
	BYTES(76, "R_CUDA_8_", false),
	BYTES(84, "R_CUDA_G8_", false),
	BYTES(92, "R_CUDA_FUNC_DESC_8_", true),
};

const struct reloc_type *reloc_find(uint32_t number)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].number == number)
			return &types[i];
	return NULL;
}

static uint64_t low_bits(unsigned width) { return width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX; }

// Bits from `lsb` on of `bytes` of little-endian memory; no run is longer than 64 bits or needs more than 9 bytes.
static uint64_t get_run(const uint8_t *p, unsigned lsb, unsigned width)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < width; i++)
		v |= (uint64_t)(p[(lsb + i) / 8] >> (lsb + i) % 8 & 1) << i;
	return v;
}

static void put_run(uint8_t *p, unsigned lsb, unsigned width, uint64_t v)
{
	for (unsigned i = 0; i < width; i++) {
		uint8_t bit = (uint8_t)(1u << (lsb + i) % 8);
		p[(lsb + i) / 8] = (uint8_t)((p[(lsb + i) / 8] & ~bit) | (v >> i & 1 ? bit : 0));
	}
}

static unsigned width_of(const struct reloc_type *t) { return t->at[0].width + t->at[1].width; }

bool reloc_addend(const struct reloc_type *t, const uint8_t *at, uint64_t *addend)
{
	*addend = get_run(at, t->at[0].lsb, t->at[0].width);
	if (t->at[1].width)
		*addend |= get_run(at, t->at[1].lsb, t->at[1].width) << t->at[0].width;
	return (width_of(t) == 64 && !t->shift) || !*addend;
}

bool reloc_put(const struct reloc_type *t, uint8_t *at, uint64_t value)
{
	uint64_t v = value >> t->shift;
	unsigned width = width_of(t);
	// Halves and bytes of an address are meant to lose the rest; a whole one may not.
	if (!t->part && v & ~low_bits(width))
		return false;
	put_run(at, t->at[0].lsb, t->at[0].width, v & low_bits(t->at[0].width));
	if (t->at[1].width)
		put_run(at, t->at[1].lsb, t->at[1].width, v >> t->at[0].width & low_bits(t->at[1].width));
	return true;
}
