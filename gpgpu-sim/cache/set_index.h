// From an address to one of n sets (or banks). The functions are those of GPGPU-Sim 4.2 (gpu-cache, hashing).
#ifndef GPGPU_SIM_CACHE_SET_INDEX_H
#define GPGPU_SIM_CACHE_SET_INDEX_H

#include <stdint.h>

struct set_index {
	char kind;            // L linear, X xor, P IPOLY, H Fermi hash, C custom
	uint8_t shift, bits;  // log2 of bytes of a unit, of n
	uint8_t fold;         // P: the polynomial is x^bits + x^fold + 1,
	uint32_t n;
	uint32_t above;       // and these bits of the address above the index, from the first, are looked at
	uint64_t (*custom)(uint64_t addr);
};

// Why a function cannot serve n sets, or NULL: H knows 32 and 64 sets, P 16, 32, 64 and
// 128 (which GPGPU-Sim does not have).
const char *set_index_wrong(char kind, uint32_t n);
// `unit` is the bytes of a line, a power of two. A custom index without a function is 0, as in GPGPU-Sim.
void set_index_init(struct set_index *x, char kind, uint32_t n, uint32_t unit, uint64_t (*custom)(uint64_t));
uint32_t set_index_hash(const struct set_index *x, uint64_t addr); // all kinds but L

static inline uint32_t set_index_of(const struct set_index *x, uint64_t addr)
{
	return x->kind == 'L' ? (addr >> x->shift) & (x->n - 1) : set_index_hash(x, addr);
}

#endif
