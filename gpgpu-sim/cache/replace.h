// Cache replacement: which line of a full set makes room for another.
//
// To add a policy: a file replace_NAME.c with its struct replace_ops, a line in the array of replace.c, its number in
// enum cache_replacement (base/option_forms.h) and its letter in option_forms.c, a row in docs/memory.md, and a case in
// tests/unit/test_replace.c. replace_random.c is the shortest to look at.
//
// A search for a victim must not change what the next one finds: an access that is refused is counted in later cycles
// without being made again. State changes when a line is used, comes or goes. A policy keeps it in the fields of
// tag_line, tag_set and tag_array that say so; a line's are 0 when it comes.
#ifndef GPGPU_SIM_CACHE_REPLACE_H
#define GPGPU_SIM_CACHE_REPLACE_H

#include "gpgpu-sim/cache/tag_array.h"

struct replace_ops {
	const char *name;
	// The line of a set without empty lines that goes first, of those that replace_may lets go; NULL if there is none.
	struct tag_line *(*victim)(struct tag_array *t, uint32_t set, bool modified_too);
	// The rest may be NULL.
	void (*use)(struct tag_array *t, struct tag_line *l, uint64_t now); // an access found the line
	void (*enter)(struct tag_array *t, struct tag_line *l);  // a line came, or stands in another set than before
	void (*leave)(struct tag_array *t, struct tag_line *l);  // it goes, for whatever reason
	void (*replaced)(struct tag_array *t, struct tag_line *l); // it goes as the victim; before leave
};

const struct replace_ops *replace_find(enum cache_replacement r);

// Lines that wait for a fetch stay; modified ones too while the write ratio spares them.
static inline bool replace_may(const struct tag_line *l, bool modified_too) { return !l->reserved && (modified_too || !l->modified); }

extern const struct replace_ops replace_lru, replace_fifo, replace_random, replace_srrip;

// For policies that keep the lines of a set in order (replace_order.c): enter, leave and victim of a list by stamp.
void order_enter(struct tag_array *t, struct tag_line *l);
void order_leave(struct tag_array *t, struct tag_line *l);
struct tag_line *order_first(struct tag_array *t, uint32_t set, bool modified_too);

#endif
