// The line that was used longest ago; the lowest way of those used in one cycle.
#include "gpgpu-sim/cache/replace.h"

static void use(struct tag_array *t, struct tag_line *l, uint64_t now)
{
	l->stamp = now;
	if (now < l->order) { // time of a cache may be set back: it stands behind its place
		order_leave(t, l);
		order_enter(t, l);
	}
}

const struct replace_ops replace_lru = {.name = "LRU", .victim = order_first, .use = use, .enter = order_enter, .leave = order_leave};
