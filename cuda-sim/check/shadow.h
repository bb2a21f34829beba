// A bit for each byte of device memory: somebody has written it. Memory is taken as parts of a page of device memory differ;
// a page that is all written or all not is one word.
#ifndef CUDA_SIM_CHECK_SHADOW_H
#define CUDA_SIM_CHECK_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

struct shadow;

// For the addresses [base, base + size). NULL if there is no address space for its table.
struct shadow *shadow_new(uint64_t base, uint64_t size);
void shadow_free(struct shadow *s);

// Addresses outside the range count as written, and stay so.
void shadow_set(struct shadow *s, uint64_t addr, uint64_t bytes, bool written);
bool shadow_is_set(const struct shadow *s, uint64_t addr, uint64_t bytes);
// As the bytes at `from` are, those at `to`.
void shadow_copy(struct shadow *s, uint64_t to, uint64_t from, uint64_t bytes);

#endif
