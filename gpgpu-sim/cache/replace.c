#include "gpgpu-sim/cache/replace.h"

static const struct replace_ops *const all[] = {
	[REPLACE_LRU] = &replace_lru,
	[REPLACE_FIFO] = &replace_fifo,
	[REPLACE_RANDOM] = &replace_random,
	[REPLACE_SRRIP] = &replace_srrip,
};

const struct replace_ops *replace_find(enum cache_replacement r) { return all[r]; }
