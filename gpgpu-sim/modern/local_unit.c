#include "gpgpu-sim/modern/local_unit.h"

#include <string.h>

void local_init(struct local_unit *l, uint32_t places)
{
	memset(l, 0, sizeof *l);
	l->places = places;
	l->next = UINT64_MAX;
	port_init(&l->queue, places);
}

void local_free(struct local_unit *l) { port_free(&l->queue); }

void local_issue(struct local_unit *l, struct winst *w, uint64_t now)
{
	HEDDLE_ASSERT(local_has_place(l));
	l->held++;
	port_push_at(&l->queue, w, now + LOCAL_ENTRY);
	if (now + LOCAL_ENTRY < l->next)
		l->next = now + LOCAL_ENTRY;
}

// The next stage in which w spends cycles, from `from` on; LOCAL_STAGES: none.
static unsigned stage_from(const struct winst *w, unsigned from)
{
	while (from < LOCAL_STAGES && !modern_inst_of(w)->stage[from])
		from++;
	return from;
}

static unsigned last_stage(const struct local_unit *l) { return 31 - (unsigned)__builtin_clz(l->occupied); }

// Nobody is overtaken: the way from stage `from` to stage `to`, both included, must be empty.
static bool way_free(const struct local_unit *l, unsigned from, unsigned to)
{
	return !(l->occupied & ((2u << to) - (1u << from)));
}

// The last cycle of the last stage is the one of acceptance.
static void enter(struct local_unit *l, struct winst *w, unsigned s, uint64_t now)
{
	l->stage[s] = w;
	l->occupied |= 1u << s;
	l->ready[s] = now + modern_inst_of(w)->stage[s] - (stage_from(w, s + 1) == LOCAL_STAGES);
}

// What moves next, if the SM accepts nothing; what stands ready for acceptance, or behind it, does not.
static uint64_t next_move(const struct local_unit *l)
{
	uint64_t next = UINT64_MAX;
	for (uint32_t left = l->occupied; left; left &= left - 1) {
		unsigned s = (unsigned)__builtin_ctz(left), to = stage_from(l->stage[s], s + 1);
		if (to < LOCAL_STAGES && way_free(l, s + 1, to) && l->ready[s] < next)
			next = l->ready[s];
	}
	const struct winst *w = port_first(&l->queue);
	if (w && port_next(&l->queue) < next && way_free(l, 0, stage_from(w, 0)))
		next = port_next(&l->queue);
	return next;
}

struct winst *local_tick(struct local_unit *l, uint64_t now)
{
	for (uint32_t left = l->occupied; left;) {
		unsigned s = 31 - (unsigned)__builtin_clz(left);
		left &= ~(1u << s);
		if (l->ready[s] > now)
			continue;
		unsigned to = stage_from(l->stage[s], s + 1);
		if (to == LOCAL_STAGES || !way_free(l, s + 1, to))
			continue;
		l->occupied &= ~(1u << s);
		enter(l, l->stage[s], to, now);
	}
	struct winst *w = port_front(&l->queue, now);
	if (w) {
		unsigned first = stage_from(w, 0);
		if (way_free(l, 0, first)) {
			port_pop(&l->queue);
			enter(l, w, first, now);
		} else {
			w = NULL;
		}
	}
	l->next = next_move(l);
	return w;
}

const struct winst *local_reads(const struct local_unit *l, uint64_t now)
{
	for (uint32_t left = l->occupied; left; left &= left - 1) {
		unsigned s = (unsigned)__builtin_ctz(left);
		const struct winst *w = l->stage[s];
		if (stage_from(w, 0) == s && stage_from(w, s + 1) < LOCAL_STAGES && l->ready[s] == now + 1)
			return w;
	}
	return NULL;
}

void local_accepted(struct local_unit *l)
{
	l->occupied &= ~(1u << last_stage(l));
	l->held--;
	l->next = l->held ? 0 : UINT64_MAX; // what stood behind it may move
}

uint64_t local_offer(const struct local_unit *l, struct winst **w)
{
	if (!l->occupied)
		return UINT64_MAX;
	unsigned s = last_stage(l);
	*w = l->stage[s];
	return stage_from(l->stage[s], s + 1) == LOCAL_STAGES ? l->ready[s] : UINT64_MAX;
}
