#include "cuda-sim/exec/async.h"

#include "cuda-sim/exec/checker.h"
#include "cuda-sim/exec/cluster.h"
#include "cuda-sim/exec/mbarrier.h"
#include "cuda-sim/exec/tries.h"

#include "cuda-sim/tensor/tile.h"

#include "base/mem.h"

#include <string.h>

enum { SPAN = 8 }; // bytes that no swizzle parts

// A copy under way, at exec_copies.at[its token].
struct pending {
	struct exec_copy c;        // its pieces are those below
	struct fe_piece *piece;
	uint8_t *image;
	uint32_t piece_room, image_room;
	struct warp *w;
	const struct uop *u;
	uint8_t lane;
	bool used;
};

// Places are used again, with their storage.
struct exec_copies {
	struct pending *at;
	uint32_t n;
};

static bool come(struct warp *w, const struct uop *u, unsigned lane, struct exec_cta *c, uint32_t at, uint32_t bytes)
{
	enum mbarrier_fault f = MBARRIER_NOT_ONE;
	if (!c) {
		if (bytes)
			exec_fault(w, u, FAULT_LAUNCH, lane, at, "a copy brings %u bytes to a block of its cluster of which all threads have exited", bytes);
		return !bytes;
	}
	if (at % 8 == 0 && at <= c->shared_size && c->shared_size - at >= 8) {
		uint64_t *word = (uint64_t *)(c->shared + at);
		const uint64_t old = *word;
		f = mbarrier_complete_tx(word, bytes);
		if (c == w->cta && c->check) { // before those that wait go on
			uint32_t lanes[WARP];
			lanes[lane] = at;
			c->check->by->signalled(w, 1u << lane, lanes);
		}
		if ((old ^ *word) >> 63)
			exec_phase_complete(w->cta, c);
	}
	if (f)
		exec_fault(w, u, FAULT_LAUNCH, lane, at, "a copy of %u bytes tells the mbarrier at shared memory offset 0x%x: %s", bytes, at,
		           mbarrier_fault_text(f));
	return !f;
}

// The bytes of an image into the shared memory of a CTA.
static void put(struct exec_cta *to, const struct exec_copy *c, const uint8_t *image)
{
	const struct tensor_map m = {.swizzle = c->swizzle, .atom = c->atom};
	if (!c->swizzle) {
		memcpy(to->shared + c->shared, image, c->bytes);
		return;
	}
	for (uint32_t k = 0; k < c->bytes;) {
		const uint32_t from = c->shared + k, n = c->bytes - k < SPAN - from % SPAN ? c->bytes - k : SPAN - from % SPAN;
		memcpy(to->shared + tensor_tile_swizzle(&m, from), image + k, n);
		k += n;
	}
}

// The CTA with a rank in the cluster of the warp's; NULL: it has ended, or there never was one. The warp's own stays until its copies are
// complete, also when all its threads have exited.
static struct exec_cta *ranked(const struct warp *w, unsigned rank) { return rank == w->cta->rank ? w->cta : exec_cluster_at(w->cta, rank); }

static bool complete(struct warp *w, const struct uop *u, unsigned lane, const struct exec_copy *c)
{
	if (c->mbarrier == EXEC_NO_MBARRIER)
		return true;
	if (!c->ctas)
		return come(w, u, lane, w->cta, c->mbarrier, c->bytes);
	for (uint32_t m = c->ctas; m; m &= m - 1) {
		if (!come(w, u, lane, ranked(w, (unsigned)__builtin_ctz(m)), c->mbarrier, c->bytes))
			return false;
	}
	return true;
}

// The place that the next copy of the CTA gets.
static uint32_t free_place(struct exec_cta *c)
{
	struct exec_copies *all = c->copies;
	uint32_t i = 0;
	if (!all)
		all = c->copies = MEM_NEW(struct exec_copies);
	while (i < all->n && all->at[i].used)
		i++;
	if (i == all->n) {
		all->n = all->n ? 2 * all->n : 8;
		all->at = mem_realloc(all->at, all->n * sizeof *all->at);
		memset(all->at + i, 0, (all->n - i) * sizeof *all->at);
	}
	return i;
}

static bool at_once(const struct warp *w) { return !w->cta->effects || !w->copies || w->copies->n_copy == FE_MAX_COPY; }

uint8_t *exec_copy_image(struct warp *w, uint32_t bytes)
{
	if (at_once(w))
		return NULL;
	const uint32_t place = free_place(w->cta);
	struct pending *p = &w->cta->copies->at[place];
	if (bytes > p->image_room) {
		p->image_room = bytes;
		p->image = mem_realloc(p->image, bytes);
	}
	return p->image;
}

// The copy is listed for the core, with timing addresses. `over`: it is complete, and may lose its place.
static void list(struct warp *w, const struct uop *u, unsigned lane, const struct exec_copy *c, bool over)
{
	const struct devmem *mem = w->cta->launch->mem;
	const uint32_t token = free_place(w->cta), own = w->cta->cluster ? 1u << w->cta->rank : 1;
	struct pending *p = &w->cta->copies->at[token];
	struct fe_result *out = w->copies;
	if (c->n_piece > p->piece_room) {
		p->piece_room = c->n_piece;
		p->piece = mem_realloc(p->piece, c->n_piece * sizeof *p->piece);
	}
	for (uint32_t i = 0; i < c->n_piece; i++)
		p->piece[i] = (struct fe_piece){devmem_stand_in(mem, c->piece[i].address), c->piece[i].bytes};
	p->c = *c;
	p->c.piece = p->piece;
	p->w = w;
	p->u = u;
	p->lane = (uint8_t)lane;
	p->used = !over;
	w->cta->copying += !over;
	out->copy[out->n_copy++] = (struct fe_copy){
		.kind = c->kind, .grouped = c->kind == EXEC_COPY_STORE || c->kind == EXEC_COPY_REDUCE, .elsewhere = (c->ctas & ~own) != 0,
		.ctas = (uint8_t)(c->ctas ? __builtin_popcount(c->ctas) : 1), .bytes = c->bytes,
		.map = c->tensor ? devmem_stand_in(mem, c->map) : 0, .piece = p->piece, .n_piece = c->n_piece, .token = token,
		.ranks = c->ctas, .mbarrier = c->mbarrier};
}

bool exec_copy_start(struct warp *w, const struct uop *u, unsigned lane, const struct exec_copy *c)
{
	const bool over = at_once(w);
	if (w->copies && w->copies->n_copy < FE_MAX_COPY)
		list(w, u, lane, c, over);
	return !over || complete(w, u, lane, c);
}

bool exec_copy_done(struct exec_cta *c, uint32_t token)
{
	struct pending *p = &c->copies->at[token];
	const struct exec_copy *k = &p->c;
	p->used = false;
	c->copying--;
	for (uint32_t m = k->image ? k->ctas : 0; m; m &= m - 1) {
		struct exec_cta *to = ranked(p->w, (unsigned)__builtin_ctz(m));
		if (to)
			put(to, k, p->image);
	}
	return complete(p->w, p->u, p->lane, k);
}

void exec_copies_reset(struct exec_cta *c)
{
	for (uint32_t i = 0; c->copies && i < c->copies->n; i++)
		c->copies->at[i].used = false;
	c->copying = 0;
}

void exec_copies_free(struct exec_cta *c)
{
	for (uint32_t i = 0; c->copies && i < c->copies->n; i++) {
		mem_free(c->copies->at[i].piece);
		mem_free(c->copies->at[i].image);
	}
	if (c->copies)
		mem_free(c->copies->at);
	mem_free(c->copies);
}
