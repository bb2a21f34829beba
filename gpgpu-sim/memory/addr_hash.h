// Hashes that spread addresses over 2^n channels, sets or banks. Equations as GPGPU-Sim 4.2 has them (hashing).
#ifndef GPGPU_SIM_MEMORY_ADDR_HASH_H
#define GPGPU_SIM_MEMORY_ADDR_HASH_H

#include <stdbool.h>
#include <stdint.h>

// index XOR the low bits of `high`; n is a power of two.
static inline uint32_t addr_hash_xor(uint64_t high, uint32_t index, uint32_t n) { return index ^ (uint32_t)(high & (n - 1)); }

// Pseudo-random interleaving by an irreducible polynomial (Rau, ISCA 1991): x^4+x+1, x^5+x^2+1, x^6+x+1; and x^7+x+1,
// which GPGPU-Sim does not have, for GPUs of 65 to 128 slices. n is 16, 32, 64 or 128; index < n.
bool addr_hash_has_ipoly(uint32_t n);
uint32_t addr_hash_ipoly(uint64_t high, uint32_t index, uint32_t n);

// "Page address entropy": index bits mixed with chosen page bits (after Liu et al., ISCA 2018); n is 32.
uint32_t addr_hash_pae(uint64_t high, uint32_t index);

#endif
