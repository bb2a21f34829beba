// What the memory side tells those who look on from above.
#include "gpgpu-sim/memory/partition_state.h"

#include <stdio.h>

void memory_watch(struct memory *m, struct memory_observer by)
{
	m->observer = by;
	for (uint32_t i = 0; i < m->n_slices; i++)
		m->slice[i].told = by.wants ? by.wants(by.ctx, m->slice[i].ch->id) : 0;
	for (uint32_t i = 0; i < m->n_channels; i++) {
		m->channel[i].dram.watch = by.command;
		m->channel[i].dram.watch_ctx = by.ctx;
	}
}

void partition_note(const struct slice *s, enum memory_unit unit, const struct mem_req *r, const char *what)
{
	char line[200];
	if (!(s->told >> unit & 1))
		return;
	snprintf(line, sizeof line, "%s: request %" PRIu32 ", %s 0x%" PRIx64 " of core %u %s", s->name, r->serial,
	         mem_access_name[r->type], r->addr, (unsigned)r->sm, what);
	s->m->observer.line(s->m->observer.ctx, unit, s->m->now, line);
}
