// Static re-reference interval prediction with hit priority and two bits (A. Jaleel et al., "High performance cache
// replacement using re-reference interval prediction", ISCA 2010): a line that comes is expected to be used again after a
// long interval, one that was hit soon. The line expected last goes, the lowest way first, so that a stream passes through
// without displacing what is used again and again. tag_line.rank is the expectation, 0 soon to 3 far in the future.
#include "gpgpu-sim/cache/replace.h"

enum { SOON = 0, LONG = 2, DISTANT = 3 };

static struct tag_line *victim(struct tag_array *t, uint32_t set, bool modified_too)
{
	struct tag_line *row = tag_row(t, set), *last = NULL;
	for (uint32_t w = 0; w < t->ways; w++)
		if (replace_may(&row[w], modified_too) && (!last || row[w].rank > last->rank))
			last = &row[w];
	return last;
}

static void enter(struct tag_array *t, struct tag_line *l) { l->rank = LONG; }

static void use(struct tag_array *t, struct tag_line *l, uint64_t now) { l->rank = SOON; }

// The paper ages a set until a line is expected in the distant future, and replaces that. Which one it is shows without
// ageing, so the others age when it goes.
static void replaced(struct tag_array *t, struct tag_line *l)
{
	struct tag_line *row = tag_row(t, l->set);
	uint8_t by = DISTANT - l->rank;
	for (uint32_t w = 0; by && w < t->ways; w++)
		row[w].rank = row[w].rank + by < DISTANT ? row[w].rank + by : DISTANT;
}

const struct replace_ops replace_srrip = {.name = "SRRIP", .victim = victim, .use = use, .enter = enter, .replaced = replaced};
