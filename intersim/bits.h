// Sets of ports, channels and routers as bits of uint64_t words: cost follows the members, not the size.
#ifndef INTERSIM_BITS_H
#define INTERSIM_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline void bits_set(uint64_t *set, unsigned i)
{
	set[i / 64] |= 1ull << (i % 64);
}

static inline void bits_clear(uint64_t *set, unsigned i)
{
	set[i / 64] &= ~(1ull << (i % 64));
}

static inline bool bits_has(const uint64_t *set, unsigned i)
{
	return set[i / 64] >> (i % 64) & 1;
}

// The first member from `from` on; at least `end` if none is below it.
static inline unsigned bits_next(const uint64_t *set, unsigned from, unsigned end)
{
	while (from < end) {
		uint64_t m = set[from / 64] >> (from % 64);
		if (m)
			return from + __builtin_ctzll(m);
		from = (from / 64 + 1) * 64;
	}
	return end;
}

// For each member from `from` on, below `end`, in ascending order. The set may change meanwhile: members behind `i` are
// seen as they then are.
#define BITS_EACH(i, set, from, end) \
	for (unsigned i = bits_next((set), (from), (end)); i < (end); i = bits_next((set), i + 1, (end)))

#endif
