// Any line: the first one that may go from a drawn way on, going round. The draw is a function of the set and of how many
// lines have come to the cache, so it stands until one comes, and is the same in every run.
#include "gpgpu-sim/cache/replace.h"

// Scatters its argument over 64 bits: the finalizer of SplitMix64 (G. Steele et al., "Fast splittable pseudorandom number
// generators", OOPSLA 2014).
static uint64_t scatter(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static struct tag_line *victim(struct tag_array *t, uint32_t set, bool modified_too)
{
	struct tag_line *row = tag_row(t, set);
	uint32_t from = (uint32_t)((scatter(t->draws << 20 ^ set) >> 32) * t->ways >> 32);
	for (uint32_t i = 0; i < t->ways; i++) {
		uint32_t way = from + i < t->ways ? from + i : from + i - t->ways;
		if (replace_may(&row[way], modified_too))
			return &row[way];
	}
	return NULL;
}

static void enter(struct tag_array *t, struct tag_line *l) { t->draws++; }

const struct replace_ops replace_random = {.name = "random", .victim = victim, .enter = enter};
