// memcheck: accesses of global and shared memory lie in what was allocated, to the byte, and are aligned. Of local memory the
// executor itself knows (exec/check.h), and says so by a fault.
#include "cuda-sim/check/parts.h"

#include <inttypes.h>
#include <stdio.h>

static bool aligned_to(const struct exec_touch *t)
{
	uint64_t bits = 0;
	if (t->bytes & (t->bytes - 1))
		return true;
	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
		bits |= t->addr[i];
	return !(bits & (t->bytes - 1u));
}

// True if all lanes lie in [lo, hi).
static bool inside(const struct exec_touch *t, uint64_t lo, uint64_t hi)
{
	uint64_t out = 0;
	if (hi - lo < t->bytes)
		return false;
	const uint64_t limit = hi - lo - t->bytes; // sizes are below 2^63, so the sign bits tell
	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++) {
		const uint64_t at = t->addr[i] - lo;
		out |= at | (limit - at);
	}
	return !(out >> 63);
}

// The allocation that an access of `bytes` bytes lies in.
static const struct devmem_range *holder(const struct devmem *m, uint64_t addr, uint32_t bytes)
{
	const struct devmem_range *r = devmem_find(m, addr);
	return r && addr - r->base < r->size && r->size - (addr - r->base) >= bytes ? r : NULL;
}

static const char *space_name(unsigned space)
{
	return space == SPACE_SHARED || space == SPACE_CLUSTER ? "shared" : space == SPACE_LOCAL ? "local" : "global";
}

void check_access_title(unsigned space, bool write, bool atomic, unsigned bytes, char *buf, size_t len)
{
	snprintf(buf, len, "Invalid __%s__ %s of size %u byte%s", space_name(space), atomic ? "atomic" : write ? "write" : "read", bytes, bytes == 1 ? "" : "s");
}

static void refuse(struct warp *w, const struct uop *u, const struct exec_touch *t, uint32_t bad, const char *what, enum fault_kind kind,
                   const char *why)
{
	struct check_cta *c = check_cta_of(w->cta);
	char title[80], also[CHECK_ALSO];
	unsigned lane = (unsigned)__builtin_ctz(bad);
	uint64_t addr = t->addr[lane];
	int n = snprintf(also, sizeof also, "    %s 0x%" PRIx64 " is %s\n", t->space == SPACE_GLOBAL ? "Access to" : "Address", addr, what);
	if (t->space == SPACE_GLOBAL)
		check_about(c->check, addr, t->bytes, also + n, sizeof also - (size_t)n);
	else if (why)
		snprintf(also + n, sizeof also - (size_t)n, "    %s\n", why);
	check_access_title(t->space, t->write, t->atomic, t->bytes, title, sizeof title);
	const struct finding f = {.tool = "memcheck", .title = title, .warp = w, .inst = t->inst, .lane = lane,
	                          .lanes = (uint64_t)__builtin_popcount(bad), .also = also};
	if (!check_found(c->check, &f)) // it goes on as far as a GPU would let it
		return;
	c->check->told = w->cta->launch;
	exec_fault(w, u, kind, lane, addr, "%s at 0x%" PRIx64 ", which is %s", title, addr, what);
}

static uint32_t misaligned_lanes(const struct exec_touch *t)
{
	uint32_t bad = 0;
	for (uint32_t m = t->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		bad |= (uint32_t)((t->addr[i] & (t->bytes - 1u)) != 0) << i;
	}
	return bad;
}

static void touch_global(struct warp *w, const struct uop *u, const struct exec_touch *t)
{
	struct check_cta *c = check_cta_of(w->cta);
	const struct devmem *m = w->cta->launch->mem;
	const unsigned h = u->hit % (sizeof c->hit / sizeof *c->hit);
	if (aligned_to(t) && inside(t, c->hit[h].lo, c->hit[h].hi) && !(t->write && c->hit[h].constant))
		return;
	if (!aligned_to(t)) {
		refuse(w, u, t, misaligned_lanes(t), "misaligned", FAULT_MISALIGNED, NULL);
		return;
	}
	uint32_t bad = 0, constant = 0;
	for (uint32_t k = t->mask; k; k &= k - 1) {
		unsigned i = (unsigned)__builtin_ctz(k);
		const struct devmem_range *r = holder(m, t->addr[i], t->bytes);
		if (!r) {
			bad |= 1u << i;
			continue;
		}
		c->hit[h].lo = r->base;
		c->hit[h].hi = r->base + r->size;
		c->hit[h].constant = r->kind == DEVMEM_CONST;
		constant |= (uint32_t)(t->write && r->kind == DEVMEM_CONST) << i;
	}
	if (bad)
		refuse(w, u, t, bad, "out of bounds", FAULT_ILLEGAL_ADDRESS, NULL);
	else if (constant)
		refuse(w, u, t, constant, "constant memory", FAULT_ILLEGAL_ADDRESS, NULL);
}

static void touch_shared(struct warp *w, const struct uop *u, const struct exec_touch *t)
{
	// Compilers read whole vectors of what they know to be padded, in machine code; but not where dynamic shared memory follows.
	const bool padded = t->inst->sass && !w->cta->launch->dynamic_shared;
	const uint32_t asked = w->cta->shared_asked, size = padded ? (asked + 15) & ~15u : asked;
	char why[80];
	if (!aligned_to(t)) {
		refuse(w, u, t, misaligned_lanes(t), "misaligned", FAULT_MISALIGNED, NULL);
		return;
	}
	if (inside(t, 0, size))
		return;
	uint32_t bad = 0;
	for (uint32_t m = t->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		bad |= (uint32_t)(t->addr[i] > size || size - t->addr[i] < t->bytes) << i;
	}
	snprintf(why, sizeof why, "and the block has %s bytes of shared memory", check_number(size));
	if (bad)
		refuse(w, u, t, bad, "out of bounds", FAULT_ILLEGAL_ADDRESS, why);
}

static void touch(struct warp *w, const struct uop *u, const struct exec_touch *t)
{
	if (t->space == SPACE_GLOBAL)
		touch_global(w, u, t);
	else if (t->space == SPACE_SHARED || t->space == SPACE_CLUSTER) // all CTAs of a cluster have as much
		touch_shared(w, u, t);
}

// What was allocated when the block began may be gone.
static void cta_start(struct exec_cta *x)
{
	struct check_cta *c = check_cta_of(x);
	for (unsigned k = 0; k < sizeof c->hit / sizeof *c->hit; k++)
		c->hit[k].lo = c->hit[k].hi = 0;
}

const struct check_tool check_memory = {.bit = CHECK_MEMCHECK, .cta_start = cta_start, .touch = touch};
