#include "gpgpu-sim/cache/set_index.h"

#include <stddef.h>
#include <string.h>

static unsigned log2_floor(uint32_t n)
{
	return n ? 31 - __builtin_clz(n) : 0;
}

// IPOLY takes the line number as a polynomial over GF(2) and its remainder modulo a primitive polynomial as the index
// (B. R. Rau, "Pseudo-randomly interleaved memory", ISCA 1991), so strides of powers of two never conflict. GPGPU-Sim
// looks at so many bits above the index and drops the rest: `above`.
static const struct poly {
	uint32_t sets;
	uint8_t low;   // the polynomial without its leading term
	uint8_t above;
} polys[] = {
	{16, 0x3, 13}, // x^4 + x + 1
	{32, 0x5, 15}, // x^5 + x^2 + 1
	{64, 0x3, 19}, // x^6 + x + 1
	{128, 0x3, 22}, // x^7 + x + 1, not in GPGPU-Sim: for L2 slices of Blackwell
};

static const struct poly *poly_of(uint32_t n)
{
	for (size_t i = 0; i < sizeof polys / sizeof *polys; i++)
		if (polys[i].sets == n)
			return &polys[i];
	return NULL;
}

const char *set_index_wrong(char kind, uint32_t n)
{
	if (kind == 'H' && n != 32 && n != 64)
		return "the Fermi set hash (H) is made for 32 or 64 sets";
	if (kind == 'P' && !poly_of(n))
		return "the IPOLY set hash (P) is made for 16, 32, 64 or 128 sets";
	return NULL;
}

static void fold_init(struct set_index *x, const struct poly *p)
{
	uint32_t power = p->low; // x^bits, x^(bits + 1), ... modulo the polynomial
	memset(x->fold, 0, sizeof x->fold);
	for (unsigned k = 0; k < p->above; k++) {
		for (unsigned v = 0; v < 16; v++)
			if (v >> (k & 3) & 1)
				x->fold[k >> 2][v] ^= power;
		power <<= 1;
		if (power & x->n)
			power ^= x->n | p->low;
	}
}

void set_index_init(struct set_index *x, char kind, uint32_t n, uint32_t unit, uint64_t (*custom)(uint64_t))
{
	*x = (struct set_index){.kind = kind, .n = n, .shift = log2_floor(unit), .bits = log2_floor(n), .custom = custom};
	if (kind == 'P' && poly_of(n))
		fold_init(x, poly_of(n));
}

// C. Nugteren et al., "A detailed GPU cache model based on reuse distance theory", HPCA 2014: bits 7-11 of the address
// with bits 13, 14, 15, 17 and 19 xored in; with 64 sets (48 KB) bit 12 comes on top.
static uint32_t fermi(const struct set_index *x, uint64_t addr)
{
	uint32_t lower = (addr >> x->shift) & 31;
	uint32_t upper = (addr >> 13 & 7) | (addr >> 17 & 1) << 3 | (addr >> 19 & 1) << 4;
	return (lower ^ upper) | (x->n == 64 ? (addr >> 12 & 1) << 5 : 0);
}

uint32_t set_index_hash(const struct set_index *x, uint64_t addr)
{
	uint32_t low = (addr >> x->shift) & (x->n - 1);
	uint64_t high = addr >> (x->shift + x->bits);
	switch (x->kind) {
	case 'X':
		return low ^ (high & (x->n - 1));
	case 'P':
		for (unsigned i = 0; i < SET_INDEX_NIBBLES; i++)
			low ^= x->fold[i][high >> 4 * i & 15];
		return low;
	case 'H':
		return fermi(x, addr);
	case 'C':
		return x->custom ? x->custom(addr) % x->n : 0;
	default:
		return low;
	}
}
