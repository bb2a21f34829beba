#include "gpgpu-sim/sm/inspect.h"

#include "isa/place.h"

#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

const char *sm_wait_text(enum sm_wait w)
{
	static const char *const text[] = {
#define X(name, words) words,
		SM_WAITS(X)
#undef X
	};
	return text[w];
}

enum sm_wait sm_wait_of(const struct sm *m, unsigned slot)
{
	uint64_t bit = (uint64_t)1 << slot;
	if (!(m->resident & bit))
		return SM_WAIT_EMPTY;
	if (m->done & bit)
		return SM_WAIT_DRAIN;
	if (m->at_service & bit)
		return SM_WAIT_SERVICE;
	if (m->at_async & bit)
		return SM_WAIT_COPY;
	if (m->at_atomic & bit)
		return SM_WAIT_ATOMIC;
	if (m->at_fence & bit)
		return SM_WAIT_FENCE;
	if (m->at_barrier & bit)
		return SM_WAIT_BARRIER;
	return m->core->wait_of(m, slot);
}

void sm_print_inst(const struct sm_warp *w, const struct isa_inst *i, char *buf, size_t len)
{
	struct fe_place p;
	snprintf(buf, len, "?");
	if (!i)
		return;
	w->k->launch->fe->place(w->k->launch->code, i, &p);
	place_print(&p, i->pc, buf, len);
}

void sm_print_wait(const struct sm *m, unsigned slot, char *buf, size_t len)
{
	if (m->resident >> slot & 1)
		m->core->print_wait(m, slot, buf, len);
	else
		snprintf(buf, len, "%s", sm_wait_text(SM_WAIT_EMPTY));
}

// --- the pipeline

void sm_print_queues(const struct sm *m, struct lines *to) { m->core->print_queues(m, to); }

void sm_print_pipeline(const struct sm *m, struct lines *to)
{
	char inst[400], wait[600];
	const char *asleep = m->at_network ? ", asleep: it waits for room in the network" : ", asleep: nothing in it can move";
	lines_say(to, "gpu.sm[%u]: %u blocks, %u threads%s\n", m->id, m->n_cta, m->threads, m->asleep ? asleep : "");
	for (uint64_t s = m->resident; s; s &= s - 1) {
		unsigned i = (unsigned)__builtin_ctzll(s);
		const struct sm_warp *w = &m->warp[i];
		sm_print_inst(w, w->next, inst, sizeof inst);
		sm_print_wait(m, i, wait, sizeof wait);
		lines_say(to, "  warp %2u: %s%s%s; %u in the buffer, %u in the pipe, %u stores and %u atomic lanes outstanding\n", i, wait,
		          w->next ? "; next: " : "", w->next ? inst : "", m->core->buffered(m, i), w->in_pipe, w->stores, w->atomics);
	}
	m->core->print_pipeline(m, to);
}
