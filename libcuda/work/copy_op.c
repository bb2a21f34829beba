#include "libcuda/work/copy_op.h"

#include "base/assert.h"
#include "base/mem.h"
#include "libcuda/checkpoint/checkpoint.h"
#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"

#include <string.h>

static bool on_device(const void *p)
{
	const struct devmem_range *r = devmem_find(cu.mem, (uint64_t)(uintptr_t)p);
	return r &&
	       (r->kind == DEVMEM_DEVICE || r->kind == DEVMEM_GLOBAL || r->kind == DEVMEM_CONST || r->kind == DEVMEM_ARRAY);
}

// Where variables stand as in GPGPU-Sim, copies of them leave nothing in L2, as there (gpgpu_ptx_sim_memcpy_symbol).
static void host_copy(const char *at, uint64_t bytes, bool written)
{
	uint64_t addr = (uint64_t)(uintptr_t)at, stand_in = devmem_stand_in(cu.mem, addr);
	if (addr == stand_in)
		gpu_host_copy(cu.gpu, addr, bytes, written);
	watch_copy(stand_in, bytes);
}

// What a copy between host and device leaves in L2, in both directions, as in GPGPU-Sim.
static void fill_l2(const void *p, const struct copy_op *c, size_t pitch, size_t slice, bool written)
{
	for (size_t z = 0; z < c->depth; z++) {
		const char *at = (const char *)p + z * slice;
		if (c->width == pitch) {
			host_copy(at, c->width * c->height, written);
			continue;
		}
		for (size_t y = 0; y < c->height; y++)
			host_copy(at + y * pitch, c->width, written);
	}
}

// From so many bytes on zeros are pages given back, which take neither time nor memory; zeros are looked for in pieces.
enum { MUCH = HEDDLE_LIMIT(1 << 16, 32 << 20), PIECE = HEDDLE_LIMIT(1 << 13, 2 << 20) };

static bool own_memory(const void *p, size_t n)
{
	uint64_t at = (uint64_t)(uintptr_t)p;
	return at >= cu.mem->base && at + n <= cu.mem->base + cu.mem->size;
}

static bool zeros(const char *p, size_t n) { return !n || (!*p && !memcmp(p, p + 1, n - 1)); }

static void move_much(char *d, const char *s, size_t n)
{
	for (size_t at = 0; at < n; at += PIECE) {
		size_t k = n - at < PIECE ? n - at : PIECE;
		if (zeros(s + at, k))
			devmem_clear(cu.mem, (uint64_t)(uintptr_t)d + at, k);
		else
			memcpy(d + at, s + at, k);
	}
}

static void move(char *d, const char *s, size_t n)
{
	if (n >= MUCH && own_memory(d, n) && (d + n <= s || s + n <= d))
		move_much(d, s, n);
	else
		memmove(d, s, n);
}

static void move_bytes(void *op)
{
	const struct copy_op *c = op;
	for (size_t z = 0; z < c->depth; z++) {
		char *d = c->dst + z * c->dslice;
		const char *s = c->src + z * c->sslice;
		if (c->width == c->dpitch && c->width == c->spitch) {
			move(d, s, c->width * c->height);
			continue;
		}
		for (size_t y = 0; y < c->height; y++)
			memmove(d + y * c->dpitch, s + y * c->spitch, c->width);
	}
}

void copy_left_out(const char *what, const void *where)
{
	cu_flush();
	fprintf(stderr, "heddle: %s ends early: the program's memory at %p cannot be read or written\n", what, where);
}

// For who checks. src NULL: a fill.
static void note_written(const char *dst, size_t dpitch, size_t dslice, const char *src, size_t spitch, size_t sslice, size_t width,
                         size_t height, size_t depth)
{
	if (!cu.watch.checks.check)
		return;
	bool whole = width == dpitch && (!src || width == spitch);
	for (size_t z = 0; z < depth; z++)
		for (size_t y = 0; y < (whole ? 1 : height); y++)
			checks_written((uint64_t)(uintptr_t)(dst + z * dslice + y * dpitch),
			               src ? (uint64_t)(uintptr_t)(src + z * sslice + y * spitch) : 0, whole ? width * height : width);
}

// Memory that the program reaches by copies only.
static bool apart(const void *p)
{
	const struct devmem_range *r = devmem_find(cu.mem, (uint64_t)(uintptr_t)p);
	return r && r->kind != DEVMEM_HOST && r->kind != DEVMEM_MANAGED && r->kind != DEVMEM_REGISTERED;
}

// In a replay, what the copy is to bring comes from a checkpoint: *given, for mem_free.
static bool move_rows(struct copy_op *c, char **given, const void **where)
{
	bool out = cu.checkpoint && apart(c->src) && !apart(c->dst);
	struct copy_op replayed = *c;
	*given = out ? checkpoint_give_copy(c->width * c->height * c->depth) : NULL;
	if (*given) {
		replayed.src = *given;
		replayed.spitch = c->width;
		replayed.sslice = c->width * c->height;
	}
	const bool done = guard_run(move_bytes, &replayed, where);
	const struct checkpoint_rows rows = {c->src, c->spitch, c->sslice, c->width, c->height, c->depth};
	if (out)
		checkpoint_copied_out(&rows, done);
	else if (done && cu.checkpoint && apart(c->dst) && !apart(c->src))
		checkpoint_copied_in(&rows);
	return done;
}

void copy_run_op(struct copy_op *c)
{
	char *given;
	bool to = on_device(c->dst), from = on_device(c->src);
	const void *where;
	if (to != from && (gpu_is_timed(cu.gpu) || cu.watch.writer))
		fill_l2(to ? c->dst : c->src, c, to ? c->dpitch : c->spitch, to ? c->dslice : c->sslice, to);
	bool moved = move_rows(c, &given, &where);
	mem_free(given);
	if (moved) {
		note_written(c->dst, c->dpitch, c->dslice, c->src, c->spitch, c->sslice, c->width, c->height, c->depth);
		return;
	}
	if (c->bad)
		*c->bad = where;
	else
		copy_left_out("an asynchronous copy", where);
}

static void fill_row(const struct fill_op *f, char *row)
{
	if (f->element == 1)
		memset(row, (int)f->value, f->width);
	for (size_t x = 0; x < f->width && f->element == 2; x++)
		((uint16_t *)row)[x] = (uint16_t)f->value;
	for (size_t x = 0; x < f->width && f->element == 4; x++)
		((uint32_t *)row)[x] = f->value;
}

static void fill_bytes(void *op)
{
	const struct fill_op *f = op;
	size_t n = f->width * f->element * f->height;
	if (!f->value && f->depth == 1 && (f->height == 1 || f->width * f->element == f->pitch) && n >= MUCH && own_memory(f->dst, n)) {
		devmem_clear(cu.mem, (uint64_t)(uintptr_t)f->dst, n);
		return;
	}
	for (size_t z = 0; z < f->depth; z++)
		for (size_t y = 0; y < f->height; y++)
			fill_row(f, f->dst + z * f->slice + y * f->pitch);
}

void fill_run_op(struct fill_op *f)
{
	const void *where;
	if (!guard_run(fill_bytes, f, &where))
		copy_left_out("a fill", where);
	else
		note_written(f->dst, f->pitch, f->slice, NULL, 0, 0, f->width * f->element, f->height, f->depth);
}
