// The way back from the SM's memory unit: results over the links to the sub-cores, LDGSTS on to shared memory, and the end of
// an instruction.
#include "gpgpu-sim/modern/mem_pipe_state.h"

#include <string.h>

static void finish(struct sm *m, struct modern_memory_unit *u, struct winst *w)
{
	u->free_entry[u->n_free++] = modern_of(w)->entry;
	u->live--;
	u->core->done(m, w);
}

// Textures answer in the order in which they came, so that a counter of several tells how many are done: a query waits for the
// texels that were asked for before it.
static void texture_answered(struct modern_memory_unit *u, struct winst *w, uint64_t at)
{
	uint32_t n = 0;
	mmem_entry(u, w)->until = at;
	while (n < u->n_tex && mmem_entry(u, u->tex[n])->until) {
		struct winst *first = u->tex[n++];
		uint64_t own = mmem_entry(u, first)->until;
		port_push_at(&u->link[first->sched].results, first, (own > at ? own : at) + MMEM_RETURN);
	}
	u->n_tex -= n;
	memmove(u->tex, u->tex + n, u->n_tex * sizeof *u->tex);
}

// All of its data is there in cycle `at`, or it needs none.
void mmem_answered(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t at)
{
	struct mmem_entry *e = mmem_entry(u, w);
	if (!e->first)
		e->first = at;
	if (modern_inst_of(w)->memory == MODERN_MEM_LDGSTS) {
		uint64_t first = e->first + MMEM_COPY_FIRST, last = at + MMEM_COPY_LAST;
		e->parts = 2;
		port_push_at(&u->release, w, first > last ? first : last);
		port_push_at(&u->hop, w, at + u->cfg->ldgsts_hop);
		return;
	}
	// What came before the last datum has crossed the link while the rest was on its way: of L1D a line is left, of shared
	// memory what a pass reads.
	unsigned back = modern_inst_of(w)->back, piece = w->space == SPACE_SHARED ? 1 : 2, least = back < piece ? back : piece;
	uint64_t ahead = at - e->first;
	e->link = (uint16_t)(ahead + least < back ? back - ahead : least);
	if (modern_inst_of(w)->memory == MODERN_MEM_TEX)
		texture_answered(u, w, at);
	else
		port_push_at(&u->link[w->sched].results, w, at + MMEM_RETURN);
}

void mmem_arrived(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now)
{
	struct mmem_entry *e = mmem_entry(u, w);
	if (!e->first)
		e->first = now;
	if (ldst_arrived(w))
		mmem_answered(m, u, w, now);
}

static bool write_result(struct sm *m, struct modern_memory_unit *u, struct winst *w)
{
	struct mmem_entry *e = mmem_entry(u, w);
	if (modern_inst_of(w)->war_at_end && !e->read) {
		e->read = true;
		u->core->sources_read(m, w);
	}
	return u->core->write(m, w);
}

// One result at a time crosses a sub-core's link; it stands there until its registers are written.
void mmem_move_results(struct sm *m, struct modern_memory_unit *u, unsigned subcore, uint64_t now)
{
	struct mmem_link *l = &u->link[subcore];
	for (;;) {
		if (l->moving) {
			if (l->arrives > now || !write_result(m, u, l->moving))
				return;
			finish(m, u, l->moving);
			l->moving = NULL;
		}
		struct winst *w = port_front(&l->results, now);
		if (!w)
			return;
		port_pop(&l->results);
		l->moving = w;
		l->arrives = now + mmem_entry(u, w)->link;
	}
}

// A store has nothing to bring back.
void mmem_end_store(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now)
{
	if (u->core->write(m, w)) {
		finish(m, u, w);
		return;
	}
	mmem_entry(u, w)->link = 0;
	port_push_at(&u->link[w->sched].results, w, now + 1);
}

// --- LDGSTS: the counter, and the data that goes to shared memory

static void part_done(struct sm *m, struct modern_memory_unit *u, struct winst *w)
{
	if (--mmem_entry(u, w)->parts == 0)
		finish(m, u, w);
}

void mmem_copies(struct sm *m, struct modern_memory_unit *u, uint64_t now)
{
	struct winst *w;
	while ((w = port_front(&u->release, now)) && u->core->write(m, w)) {
		port_pop(&u->release);
		part_done(m, u, w);
	}
	while ((w = port_front(&u->copied, now))) {
		port_pop(&u->copied);
		part_done(m, u, w);
	}
	// The second phase goes before new instructions.
	w = port_front(&u->hop, now);
	if (w && u->shared_free <= now) {
		port_pop(&u->hop);
		u->shared_free = now + (w->cycles ? w->cycles : 1) * u->cfg->shared_pass;
		port_push_at(&u->copied, w, u->shared_free);
	}
}
