// What the modern core makes of a kernel's code, kept from launch to launch: to find control bits for a large kernel takes
// longer than to simulate a small grid of it.
#include "gpgpu-sim/gpu/timing_internal.h"

enum { MOST_KEPT = HEDDLE_LIMIT(8, 1 << 18) }; // instructions

struct modern_code *timing_code(struct timing *t, const struct kernel_launch *l)
{
	struct modern_code *c = NULL;
	for (size_t i = 0; i < t->codes.n && !c; i++)
		if (t->codes.at[i]->code == l->code && t->codes.at[i]->fe == l->fe)
			c = t->codes.at[i];
	if (!c) {
		c = modern_code_new(t->core.modern, &t->core, l->fe, l->code);
		c->kept = t->keep_code;
		if (c->kept)
			VEC_PUSH(&t->codes, c);
	}
	c->users++;
	c->launched = ++t->code_launches;
	return c;
}

void timing_code_done(struct modern_code *c)
{
	if (c && !--c->users && !c->kept)
		modern_code_free(c);
}

static void forget(struct timing *t, size_t i)
{
	struct modern_code *c = t->codes.at[i];
	t->codes.at[i] = t->codes.at[--t->codes.n];
	c->kept = false;
	c->users++;
	timing_code_done(c);
}

void timing_trim_code(struct timing *t)
{
	for (;;) {
		size_t n = 0, oldest = t->codes.n;
		for (size_t i = 0; i < t->codes.n; i++) {
			const struct modern_code *c = t->codes.at[i];
			n += c->n_inst;
			if (!c->users && (oldest == t->codes.n || c->launched < t->codes.at[oldest]->launched))
				oldest = i;
		}
		if (n <= MOST_KEPT || oldest == t->codes.n)
			return;
		forget(t, oldest);
	}
}

void timing_forget_code(struct timing *t)
{
	while (t->codes.n)
		forget(t, t->codes.n - 1);
}
