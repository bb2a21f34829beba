// Kernels that the user names in an option: "2,5-7,gemm*,90-". Numbers, ranges of numbers, and names with * and ?.
#ifndef BASE_KERNEL_SELECT_H
#define BASE_KERNEL_SELECT_H

#include "base/arena.h"
#include "base/option_forms.h"
#include "base/vec.h"

struct select_item {
	uint64_t from, to; // numbers of kernels
	const char *name;  // or a pattern for their names
};

struct kernel_select {
	VEC(struct select_item) item; // none: nothing is named
	struct arena strings;
};

// Adds what the text names. False with where and why in *err; what was added is then of no use, but is to be freed.
bool kernel_select_parse(struct kernel_select *s, const char *text, struct form_error *err);
// Whether an item names the kernel.
bool kernel_select_has(const struct kernel_select *s, uint64_t number, const char *name);
void kernel_select_free(struct kernel_select *s);

// "5", "5-9" or "5-"; everything if empty. False if it is none of them.
bool number_range_parse(const char *text, uint64_t *from, uint64_t *to);

#endif
