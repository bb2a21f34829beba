#include "gpgpu-sim/cache/set_index.h"

#include <stddef.h>

static unsigned log2_floor(uint32_t n)
{
	return n ? 31 - __builtin_clz(n) : 0;
}

// IPOLY takes the line number as a polynomial over GF(2) and its remainder modulo a primitive polynomial as the index
// (B. R. Rau, "Pseudo-randomly interleaved memory", ISCA 1991), so strides of powers of two never conflict. GPGPU-Sim
// looks at so many bits above the index and drops the rest: `above`.
static const struct poly {
	uint32_t sets;
	uint8_t fold;  // the polynomial is x^log2(sets) + x^fold + 1
	uint8_t above;
} polys[] = {
	{16, 1, 13},
	{32, 2, 15},
	{64, 1, 19},
	{128, 1, 22}, // not in GPGPU-Sim: for L2 slices of Blackwell
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

void set_index_init(struct set_index *x, char kind, uint32_t n, uint32_t unit, uint64_t (*custom)(uint64_t))
{
	*x = (struct set_index){.kind = kind, .n = n, .shift = log2_floor(unit), .bits = log2_floor(n), .custom = custom};
	const struct poly *p = kind == 'P' ? poly_of(n) : NULL;
	if (p)
		x->fold = p->fold, x->above = (1u << p->above) - 1;
}

// What a polynomial h, times x^bits, leaves when it is divided: with x^bits = x^fold + 1 it is h (x^fold + 1), of which what is
// above the index is divided again. FOLDS times leave nothing above it for any of `polys`.
static uint32_t ipoly(const struct set_index *x, uint32_t h)
{
	enum { FOLDS = 5 };
	uint32_t index = 0;
	h &= x->above;
	for (unsigned i = 0; i < FOLDS; i++) {
		h ^= h << x->fold;
		index ^= h & (x->n - 1);
		h >>= x->bits;
	}
	return index;
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
		return low ^ ipoly(x, (uint32_t)high);
	case 'H':
		return fermi(x, addr);
	case 'C':
		return x->custom ? x->custom(addr) % x->n : 0;
	default:
		return low;
	}
}
