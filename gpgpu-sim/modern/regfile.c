// The register file of a sub-core: two banks by register number, read ports that are reserved for the cycles ahead, the
// register-file cache, and write ports.
#include "gpgpu-sim/modern/modern.h"

#include <string.h>

// Cycles that have passed are free again.
static void advance(struct modern_sub *s, uint64_t now)
{
	if (now - s->reads_at >= MODERN_MAX_WINDOW) {
		memset(s->reads, 0, sizeof s->reads);
		s->reads_at = now;
		return;
	}
	for (; s->reads_at < now; s->reads_at++)
		for (unsigned b = 0; b < MODERN_BANKS; b++)
			s->reads[b][s->reads_at % MODERN_MAX_WINDOW] = 0;
}

static bool room(const struct modern_sub *s, unsigned bank, unsigned need, uint64_t from, unsigned cycles, unsigned ports)
{
	unsigned have = 0;
	for (unsigned k = 0; k < cycles && have < need; k++)
		have += ports - s->reads[bank][(from + k) % MODERN_MAX_WINDOW];
	return have >= need;
}

static void reserve(struct modern_sub *s, unsigned bank, unsigned need, uint64_t from, unsigned ports)
{
	for (uint64_t t = from; need; t++) {
		unsigned i = (unsigned)(t % MODERN_MAX_WINDOW);
		for (; need && s->reads[bank][i] < ports; need--)
			s->reads[bank][i]++;
	}
}

static bool cached(const struct modern_sub *s, const struct winst *w, unsigned k)
{
	const struct modern_inst *i = modern_inst_of(w);
	const struct modern_rfc *e = &s->rfc[i->read[k].bank][i->read[k].slot];
	return e->valid && e->reg == i->read[k].reg && e->warp == w->warp;
}

// Registers that must be read from each bank: each once, those in the cache not at all.
static void needs(const struct modern_config *c, const struct modern_sub *s, const struct winst *w, unsigned need[MODERN_BANKS], unsigned *hits)
{
	const struct modern_inst *i = modern_inst_of(w);
	*hits = need[0] = need[1] = 0;
	for (unsigned k = 0; k < i->n_read; k++) {
		bool again = false;
		for (unsigned j = 0; j < k && !again; j++)
			again = i->read[j].reg == i->read[k].reg;
		if (c->rf_cache && cached(s, w, k))
			(*hits)++;
		else if (!again)
			need[i->read[k].bank]++;
	}
}

// A read of a slot and bank ends what was cached there; what has a reuse bit is kept for the next.
static void update_cache(struct modern_sub *s, const struct winst *w)
{
	const struct modern_inst *i = modern_inst_of(w);
	for (unsigned k = 0; k < i->n_read; k++)
		s->rfc[i->read[k].bank][i->read[k].slot] =
			(struct modern_rfc){.reg = i->read[k].reg, .warp = w->warp, .valid = i->read[k].reuse};
}

bool regfile_allocate(struct sm *m, struct modern_sub *s, struct winst *w)
{
	const struct modern_config *c = m->modern->cfg;
	unsigned need[MODERN_BANKS], hits;
	uint64_t from = m->now + 1;
	if (!modern_inst_of(w)->n_read)
		return true;
	advance(s, m->now);
	needs(c, s, w, need, &hits);
	for (unsigned b = 0; b < MODERN_BANKS; b++) {
		// More registers than the window has ports for, as with one port and six operands, take the ports as they come.
		unsigned most = modern_inst_of(w)->window * c->read_ports;
		if (!room(s, b, need[b] < most ? need[b] : most, from, modern_inst_of(w)->window, c->read_ports)) {
			m->modern->stats.allocate_stalls++;
			return false;
		}
	}
	for (unsigned b = 0; b < MODERN_BANKS; b++)
		reserve(s, b, need[b], from, c->read_ports);
	m->modern->stats.rfc_hits += hits;
	m->modern->stats.rfc_reads += modern_inst_of(w)->n_read;
	if (c->rf_cache)
		update_cache(s, w);
	return true;
}

bool regfile_take_write(struct sm *m, struct modern_sub *s, struct winst *w, uint64_t now)
{
	const struct modern_inst *i = modern_inst_of(w);
	if (!i->n_write || !w->mask)
		return true;
	if (s->writes_at != now) {
		s->writes_at = now;
		memset(s->writes, 0, sizeof s->writes);
	}
	unsigned bank = (i->dst_reg + i->n_write - 1u) % MODERN_BANKS;
	if (s->writes[bank] >= m->modern->cfg->write_ports)
		return false;
	s->writes[bank]++;
	return true;
}
