// The lines of a set in a list by stamp, then way: tag_set.first and last, tag_line.prev and next. `order` is the stamp by
// which a line stands there, not above its stamp. A hit, which is what happens most, only changes the stamp; the line moves
// back when a search for a victim finds it too far in front. Since no line stands behind its stamp's place, the first one
// that stands at its own is the one with the smallest stamp.
#include "gpgpu-sim/cache/replace.h"

static inline bool stands_behind(const struct tag_line *x, const struct tag_line *l) { return x->order > l->order || (x->order == l->order && x > l); }

// A new line goes to the end; one that moves back goes there if it was used just now, and not far from the front if it was
// used for the last time soon after it came, as with streams. So its place is looked for from both ends. (From the end alone
// half of the time of a stream's searches went into it.)
static inline void insert(struct tag_set *s, struct tag_line *row, uint32_t way)
{
	struct tag_line *l = &row[way];
	l->order = l->stamp;
	uint32_t before = s->last, behind = s->first;
	while (before && stands_behind(&row[before - 1], l)) {
		if (stands_behind(&row[behind - 1], l)) {
			before = row[behind - 1].prev;
			break;
		}
		behind = row[behind - 1].next;
		before = row[before - 1].prev;
	}
	l->prev = before;
	l->next = before ? row[before - 1].next : s->first;
	*(before ? &row[before - 1].next : &s->first) = way + 1;
	*(l->next ? &row[l->next - 1].prev : &s->last) = way + 1;
}

static inline void take_out(struct tag_set *s, struct tag_line *row, const struct tag_line *l)
{
	*(l->prev ? &row[l->prev - 1].next : &s->first) = l->next;
	*(l->next ? &row[l->next - 1].prev : &s->last) = l->prev;
}

void order_enter(struct tag_array *t, struct tag_line *l)
{
	struct tag_line *row = tag_row(t, l->set);
	insert(&t->set[l->set], row, l - row);
}

void order_leave(struct tag_array *t, struct tag_line *l) { take_out(&t->set[l->set], tag_row(t, l->set), l); }

struct tag_line *order_first(struct tag_array *t, uint32_t set, bool modified_too)
{
	struct tag_set *s = &t->set[set];
	struct tag_line *row = tag_row(t, set), *l;
	for (uint32_t w = s->first; w; w = l->next) {
		l = &row[w - 1];
		while (l->order != l->stamp) {
			uint32_t before = l->prev;
			take_out(s, row, l);
			insert(s, row, l - row);
			l = &row[(before ? row[before - 1].next : s->first) - 1];
		}
		if (replace_may(l, modified_too))
			return l;
	}
	return NULL;
}
