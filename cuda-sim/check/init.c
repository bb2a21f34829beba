// initcheck: what kernels read of global memory has been written by a kernel, a copy or a fill. Memory that host threads write
// without telling (pinned, managed) and variables count as written.
#include "cuda-sim/check/parts.h"
#include "cuda-sim/check/shadow.h"

#include <inttypes.h>
#include <stdio.h>

// Lanes side by side, as most are: one piece of memory. False if they are not.
static bool one_piece(const struct exec_touch *t)
{
	uint64_t differ = 0;
	if (t->mask != FULL_MASK)
		return false;
	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
		differ |= t->addr[i] ^ (t->addr[0] + (uint64_t)i * t->bytes);
	return !differ;
}

static bool one_place(const struct exec_touch *t)
{
	uint64_t differ = 0;
	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
		differ |= t->addr[i] ^ t->addr[0];
	return !differ;
}

static void complain(struct warp *w, const struct exec_touch *t, uint32_t bad)
{
	struct check *c = check_cta_of(w->cta)->check;
	char title[80], also[CHECK_ALSO];
	unsigned lane = (unsigned)__builtin_ctz(bad);
	snprintf(title, sizeof title, "Uninitialized __global__ memory read of size %u byte%s", t->bytes, t->bytes == 1 ? "" : "s");
	int n = snprintf(also, sizeof also, "    Address 0x%" PRIx64 "\n", t->addr[lane]);
	check_about(c, t->addr[lane], t->bytes, also + n, sizeof also - (size_t)n);
	check_found(c, &(struct finding){.tool = "initcheck", .title = title, .warp = w, .inst = t->inst, .lane = lane,
	                                 .lanes = (uint64_t)__builtin_popcount(bad), .also = also});
}

static void touch(struct warp *w, const struct uop *u, const struct exec_touch *t)
{
	struct shadow *s = check_cta_of(w->cta)->check->shadow;
	if (t->space != SPACE_GLOBAL || !s)
		return;
	const bool piece = one_piece(t), reads = !t->write || t->atomic;
	const uint64_t all = (uint64_t)WARP * t->bytes;
	uint32_t bad = 0, lanes = one_place(t) ? t->mask & (0 - t->mask) : t->mask;
	if (piece && reads && shadow_is_set(s, t->addr[0], all))
		return; // an atomic there writes what is written
	if (piece && !reads) {
		shadow_set(s, t->addr[0], all, true);
		return;
	}
	for (uint32_t m = lanes; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		if (reads && !shadow_is_set(s, t->addr[i], t->bytes))
			bad |= 1u << i;
		if (t->write)
			shadow_set(s, t->addr[i], t->bytes, true);
	}
	if (bad)
		complain(w, t, lanes == t->mask ? bad : t->mask);
}

const struct check_tool check_init = {.bit = CHECK_INITCHECK, .touch = touch};
