#include "isa/grids.h"

#include "base/assert.h"
#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

struct grid_event;

struct grid {
	struct grids *all;
	struct kernel_launch *launch;
	struct grid *parent;
	struct grid_stream *in;     // stream it was launched into, NULL for the host's
	struct grid_block *blocks;
	struct grid_stream *tail;   // NULL before the first tail launch
	VEC(struct grid_stream *) own;
	VEC(uint64_t) events;
	uint64_t open;              // operations it asked for that are not complete, without the tail stream's
	uint64_t held;              // child launches that are not over
	uint64_t n_waits;           // blocks that wait
	unsigned depth;
	bool ended, complete, handed_back;
};

enum op_kind { OP_LAUNCH, OP_ROWS, OP_WAIT };

struct grid_op {
	struct grid_op *next, *next_ready;
	enum op_kind kind;
	struct grid *by;
	struct grid_block *block; // whose open count it is in; NULL: none
	bool taken;               // grids_next gave it
	union {
		struct kernel_launch *launch;
		struct grids_rows rows;
		struct {
			struct grid_stream *stream;
			uint64_t n;
		} wait; // until so many operations of the stream are complete
	} u;
};

struct grid_stream {
	struct grid_op *first, **last;
	uint64_t pushed, done;
	uint64_t handle;          // 0: none
	unsigned refs;            // events, waits, the owner
	bool started;             // the first operation, a launch, is ready or runs
	bool blocked;             // the first operation, a wait, is in grids.blocked
	bool held;                // a tail stream whose grid has not ended
	struct grids *all;
	struct grid_stream *next, **link; // in grids.stream
};

struct grid_event {
	uint64_t handle;
	struct grid_stream *stream; // NULL: nothing was recorded
	uint64_t n;
};

// Handles: which kind in the low bits, then a place in the table, then how often that was used.
enum { TAG_STREAM = 8, TAG_EVENT = 9, TAG_BITS = 4, PLACE_BITS = 32 };

struct table {
	VEC(void *) at;
	VEC(uint32_t) uses, free;
};

struct grids {
	struct table streams, events;
	struct grid_op *ready, **ready_last;
	VEC(struct grid_stream *) blocked;
	struct grid_stream *stream, **last_stream; // all
	VEC(struct grids_woken) woken;
	size_t n_woken_told;
	uint64_t pending, n_grids;
	bool broken, news;
	struct grids_stats stats;
};

// --- tables of handles

static uint64_t table_add(struct table *t, void *object, unsigned tag)
{
	uint32_t place;
	if (t->free.n) {
		place = t->free.at[--t->free.n];
		t->at.at[place] = object;
	} else {
		place = (uint32_t)t->at.n;
		VEC_PUSH(&t->at, object);
		VEC_PUSH(&t->uses, 0);
	}
	return (uint64_t)++t->uses.at[place] << PLACE_BITS | (uint64_t)place << TAG_BITS | tag;
}

static void *table_get(const struct table *t, uint64_t handle, unsigned tag)
{
	uint32_t place = (uint32_t)handle >> TAG_BITS;
	if ((handle & ((1u << TAG_BITS) - 1)) != tag || place >= t->at.n ||
	    t->uses.at[place] != (uint32_t)(handle >> PLACE_BITS))
		return NULL;
	return t->at.at[place];
}

static void table_remove(struct table *t, uint64_t handle)
{
	uint32_t place = (uint32_t)handle >> TAG_BITS;
	t->at.at[place] = NULL;
	VEC_PUSH(&t->free, place);
}

static void table_free(struct table *t)
{
	VEC_FREE(&t->at);
	VEC_FREE(&t->uses);
	VEC_FREE(&t->free);
}

// --- streams

static struct grid_stream *stream_new(struct grids *g)
{
	struct grid_stream *s = MEM_NEW(struct grid_stream);
	s->last = &s->first;
	s->refs = 1;
	s->all = g;
	s->link = g->last_stream;
	*s->link = s;
	g->last_stream = &s->next;
	return s;
}

static void stream_unref(struct grid_stream *s)
{
	if (!s || --s->refs)
		return;
	*s->link = s->next;
	if (s->next)
		s->next->link = s->link;
	else
		s->all->last_stream = s->link;
	mem_free(s);
}

static uint64_t param_bytes(const struct kernel_launch *l) { return (l->info->param_bytes + 255ull) / 256 * 256; }

static void check_grid(struct grid *g);
static void advance(struct grids *g, struct grid_stream *s);

// The first operation of the stream is complete. Frees it; what waits for the stream goes on.
static void pop(struct grids *g, struct grid_stream *s)
{
	struct grid_op *op = s->first;
	s->first = op->next;
	if (!s->first)
		s->last = &s->first;
	s->done++;
	s->started = s->blocked = false;
	struct grid *by = op->by;
	struct grid_block *b = op->block;
	bool tail = s == by->tail;
	if (op->kind == OP_WAIT)
		stream_unref(op->u.wait.stream);
	mem_free(op);
	if (b && !--b->open && b->waits) {
		b->waits = false;
		by->n_waits--;
		struct grids_woken w = {by->launch, {b->id[0], b->id[1], b->id[2]}, b->sm};
		VEC_PUSH(&g->woken, w);
		g->news = true;
	}
	if (!tail)
		by->open--;
	check_grid(by);
}

static void recheck_blocked(struct grids *g)
{
	for (size_t i = 0; i < g->blocked.n;) {
		struct grid_stream *s = g->blocked.at[i];
		const struct grid_op *op = s->first;
		if (op->u.wait.stream->done < op->u.wait.n) {
			i++;
			continue;
		}
		memmove(&g->blocked.at[i], &g->blocked.at[i + 1], (--g->blocked.n - i) * sizeof *g->blocked.at);
		s->refs++;
		pop(g, s);
		advance(g, s);
		stream_unref(s);
		i = 0;
	}
}

static void run_rows(const struct grids_rows *r)
{
	for (uint64_t y = 0; y < r->height; y++) {
		char *d = (char *)(uintptr_t)(r->dst + y * r->dpitch);
		if (r->src)
			memmove(d, (const char *)(uintptr_t)(r->src + y * r->spitch), r->width);
		else
			memset(d, r->value, r->width);
	}
}

static void grid_free(struct grid *g);

static void drop_launch(struct grid_op *op)
{
	struct grid *g = op->u.launch->place;
	g->all->pending--;
	g->all->stats.param_bytes -= param_bytes(op->u.launch);
	g->parent->held--;
	g->complete = true;
	grid_free(g);
	mem_free(op->u.launch);
}

// Carries out what may be carried out.
static void advance(struct grids *g, struct grid_stream *s)
{
	s->refs++;
	while (s->first && !s->started && !s->blocked && !s->held) {
		struct grid_op *op = s->first;
		if (g->broken && op->kind == OP_LAUNCH) {
			drop_launch(op);
			pop(g, s);
			continue;
		}
		if (op->kind == OP_LAUNCH) {
			s->started = true;
			*g->ready_last = op;
			g->ready_last = &op->next_ready;
			g->news = true;
			break;
		}
		if (op->kind == OP_WAIT && op->u.wait.stream->done < op->u.wait.n) {
			s->blocked = true;
			VEC_PUSH(&g->blocked, s);
			break;
		}
		if (op->kind == OP_ROWS && !g->broken)
			run_rows(&op->u.rows);
		pop(g, s);
	}
	stream_unref(s);
}

static void forget_streams(struct grid *g)
{
	struct grids *all = g->all;
	for (struct grid_block *b = g->blocks, *next; b; b = next) {
		next = b->next;
		stream_unref(b->stream);
		mem_free(b);
	}
	g->blocks = NULL;
	stream_unref(g->tail);
	g->tail = NULL;
	for (size_t i = 0; i < g->own.n; i++) {
		struct grid_stream *s = g->own.at[i];
		if (table_get(&all->streams, s->handle, TAG_STREAM) == s)
			table_remove(&all->streams, s->handle);
		stream_unref(s);
	}
	for (size_t i = 0; i < g->events.n; i++)
		grids_event_destroy(all, g->events.at[i]);
	VEC_FREE(&g->own);
	VEC_FREE(&g->events);
}

// Completes the grid if it is.
static void check_grid(struct grid *g)
{
	if (!g->ended || g->open || g->complete)
		return;
	if (g->tail && g->tail->first) {
		if (g->tail->held) {
			g->tail->held = false;
			advance(g->all, g->tail);
		}
		return;
	}
	g->complete = true;
	struct grids *all = g->all;
	struct grid_stream *in = g->in;
	forget_streams(g);
	if (!in)
		return;
	all->pending--;
	all->stats.param_bytes -= param_bytes(g->launch);
	in->refs++;
	pop(all, in);
	advance(all, in);
	if (all->blocked.n)
		recheck_blocked(all);
	stream_unref(in);
}

// --- grids

struct grids *grids_new(void)
{
	struct grids *g = MEM_NEW(struct grids);
	g->ready_last = &g->ready;
	g->last_stream = &g->stream;
	return g;
}

static void grid_free(struct grid *g)
{
	if (!g->complete)
		forget_streams(g);
	g->all->n_grids--;
	if (!g->all->n_grids)
		g->all->broken = false;
	mem_free(g);
}

void grids_free(struct grids *g)
{
	if (!g)
		return;
	table_free(&g->streams);
	table_free(&g->events);
	VEC_FREE(&g->blocked);
	VEC_FREE(&g->woken);
	mem_free(g);
}

const struct grids_stats *grids_stats(const struct grids *g) { return &g->stats; }

static struct grid *grid_new(struct grids *all, struct kernel_launch *l, struct grid *parent)
{
	struct grid *g = MEM_NEW(struct grid);
	g->all = all;
	g->launch = l;
	g->parent = parent;
	g->depth = parent ? parent->depth + 1 : 0;
	l->place = g;
	all->n_grids++;
	return g;
}

unsigned grids_depth(const struct kernel_launch *l) { return l->place ? l->place->depth : 0; }
uint64_t grids_pending(const struct grids *g) { return g->pending; }
bool grids_broken(const struct grids *g) { return g->broken; }

struct grid_block *grids_block(struct kernel_launch *l, const uint32_t id[3], uint32_t sm)
{
	struct grid *g = l->place ? l->place : grid_new(l->grids, l, NULL);
	struct grid_block *b = MEM_NEW(struct grid_block);
	b->grid = g;
	memcpy(b->id, id, sizeof b->id);
	b->sm = sm;
	b->next = g->blocks;
	g->blocks = b;
	return b;
}

bool grids_wait(struct grid_block *b)
{
	if (b->open && !b->waits) {
		b->waits = true;
		b->grid->n_waits++;
	}
	return b->open;
}

bool grids_waits(const struct kernel_launch *l) { return l->place && l->place->n_waits; }

struct kernel_launch *grids_child(struct kernel_launch *l, const struct kernel_info *info, void *code)
{
	struct kernel_launch *c = mem_alloc(sizeof *c + info->param_bytes + 16);
	c->info = info;
	c->fe = l->fe;
	c->code = code;
	c->params = (const uint8_t *)(c + 1);
	c->stream = l->stream;
	c->mem = l->mem;
	c->services = l->services;
	c->grids = l->grids;
	return c;
}

// The stream that a handle means to a block, NULL if none.
static struct grid_stream *stream_of(struct grid_block *b, uint64_t handle)
{
	struct grid *g = b->grid;
	switch (handle) {
	case GRIDS_STREAM_BLOCK:
	case GRIDS_STREAM_LEGACY:
	case GRIDS_STREAM_PER_THREAD:
		if (!b->stream)
			b->stream = stream_new(g->all);
		return b->stream;
	case GRIDS_STREAM_TAIL:
		if (!g->tail) {
			g->tail = stream_new(g->all);
			g->tail->held = true;
		}
		return g->tail;
	case GRIDS_STREAM_FORGET: {
		struct grid_stream *s = stream_new(g->all);
		VEC_PUSH(&g->own, s);
		return s;
	}
	default:
		return table_get(&g->all->streams, handle, TAG_STREAM);
	}
}

static struct grid_op *push(struct grid_block *b, struct grid_stream *s, enum op_kind kind)
{
	struct grid_op *op = MEM_NEW(struct grid_op);
	op->kind = kind;
	op->by = b->grid;
	if (s != b->grid->tail) { // what goes there does not begin before the grid has ended
		op->block = b;
		b->open++;
		b->grid->open++;
	}
	*s->last = op;
	s->last = &op->next;
	s->pushed++;
	return op;
}

bool grids_launch(struct grid_block *b, uint64_t stream, struct kernel_launch *child)
{
	struct grids *all = b->grid->all;
	struct grid_stream *s = stream_of(b, stream);
	if (!s)
		return false;
	struct grid *g = grid_new(all, child, b->grid);
	g->in = s;
	b->grid->held++;
	struct grid_op *op = push(b, s, OP_LAUNCH);
	op->u.launch = child;
	all->pending++;
	all->stats.launched++;
	all->stats.param_bytes += param_bytes(child);
	if (all->stats.param_bytes > all->stats.max_param_bytes)
		all->stats.max_param_bytes = all->stats.param_bytes;
	advance(all, s);
	return true;
}

bool grids_rows(struct grid_block *b, uint64_t stream, const struct grids_rows *r)
{
	struct grid_stream *s = stream_of(b, stream);
	if (!s)
		return false;
	push(b, s, OP_ROWS)->u.rows = *r;
	advance(b->grid->all, s);
	return true;
}

uint64_t grids_stream_new(struct grid_block *b)
{
	struct grid_stream *s = stream_new(b->grid->all);
	VEC_PUSH(&b->grid->own, s);
	return s->handle = table_add(&b->grid->all->streams, s, TAG_STREAM);
}

bool grids_stream_destroy(struct grids *g, uint64_t stream)
{
	if (!table_get(&g->streams, stream, TAG_STREAM))
		return false;
	table_remove(&g->streams, stream); // its operations go on; it belongs to its grid
	return true;
}

uint64_t grids_event_new(struct grid_block *b)
{
	struct grid_event *e = MEM_NEW(struct grid_event);
	e->handle = table_add(&b->grid->all->events, e, TAG_EVENT);
	VEC_PUSH(&b->grid->events, e->handle);
	return e->handle;
}

bool grids_event_destroy(struct grids *g, uint64_t event)
{
	struct grid_event *e = table_get(&g->events, event, TAG_EVENT);
	if (!e)
		return false;
	table_remove(&g->events, event);
	stream_unref(e->stream);
	mem_free(e);
	return true;
}

bool grids_event_record(struct grid_block *b, uint64_t event, uint64_t stream)
{
	struct grid_event *e = table_get(&b->grid->all->events, event, TAG_EVENT);
	struct grid_stream *s = stream == GRIDS_STREAM_TAIL || stream == GRIDS_STREAM_FORGET ? NULL : stream_of(b, stream);
	if (!e || !s)
		return false;
	s->refs++;
	stream_unref(e->stream);
	e->stream = s;
	e->n = s->pushed;
	return true;
}

bool grids_stream_wait(struct grid_block *b, uint64_t stream, uint64_t event)
{
	struct grids *all = b->grid->all;
	struct grid_event *e = table_get(&all->events, event, TAG_EVENT);
	struct grid_stream *s = stream == GRIDS_STREAM_TAIL || stream == GRIDS_STREAM_FORGET ? NULL : stream_of(b, stream);
	if (!e || !s)
		return false;
	if (!e->stream || e->stream == s)
		return true;
	struct grid_op *op = push(b, s, OP_WAIT);
	op->u.wait.stream = e->stream;
	op->u.wait.n = e->n;
	e->stream->refs++;
	advance(all, s);
	return true;
}

// --- running them

bool grids_ready(const struct grids *g) { return g->ready; }
const bool *grids_news(const struct grids *g) { return &g->news; }
bool grids_wakes(const struct grids *g) { return g->n_woken_told < g->woken.n; }
static void no_news(struct grids *g) { g->news = g->ready || grids_wakes(g); }

struct kernel_launch *grids_next(struct grids *g)
{
	struct grid_op *op = g->ready;
	if (!op)
		return NULL;
	g->ready = op->next_ready;
	if (!g->ready)
		g->ready_last = &g->ready;
	op->taken = true;
	no_news(g);
	return op->u.launch;
}

void grids_drop(struct grids *g)
{
	VEC(struct grid_stream *) all = {0};
	if (!g->n_grids)
		return;
	g->broken = true;
	g->ready = NULL;
	g->ready_last = &g->ready;
	for (struct grid_stream *s = g->stream; s; s = s->next) {
		s->refs++;
		VEC_PUSH(&all, s);
	}
	for (size_t i = 0; i < all.n; i++) {
		struct grid_stream *s = all.at[i];
		if (s->started && !s->first->taken)
			s->started = false;
		advance(g, s);
	}
	if (g->blocked.n)
		recheck_blocked(g);
	for (size_t i = 0; i < all.n; i++)
		stream_unref(all.at[i]);
	VEC_FREE(&all);
}

void grids_end(struct kernel_launch *l)
{
	if (l->fault.kind != FAULT_NONE && l->grids)
		grids_drop(l->grids);
	if (!l->place || l->place->ended)
		return;
	l->place->ended = true;
	check_grid(l->place);
}

bool grids_woken(struct grids *g, struct grids_woken *out)
{
	if (g->n_woken_told < g->woken.n) {
		*out = g->woken.at[g->n_woken_told++];
		no_news(g);
		return true;
	}
	g->n_woken_told = g->woken.n = 0;
	return false;
}

void grids_handed_back(struct kernel_launch *l)
{
	if (l->place)
		l->place->handed_back = true;
}

bool grids_over(struct kernel_launch *l, struct kernel_launch **parent)
{
	struct grid *g = l->place;
	*parent = NULL;
	if (!g)
		return true;
	if (!g->handed_back || g->held)
		return false;
	if (g->parent) {
		*parent = g->parent->launch;
		g->parent->held--;
	}
	l->place = NULL;
	grid_free(g);
	return true;
}
