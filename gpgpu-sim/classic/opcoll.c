#include "gpgpu-sim/classic/opcoll.h"

#include <string.h>

static uint64_t units(unsigned first, unsigned n) { return (n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1) << first; }

static void add_set(struct opcoll *c, enum cu_set set)
{
	const struct core_config *cfg = c->cfg;
	const unsigned first = c->n_unit, n = cfg->cu_units[set], own = cfg->sub_core ? n / cfg->n_schedulers : n;
	if (!n)
		return;
	for (unsigned i = 0; i < cfg->n_schedulers; i++)
		c->served_by[set][i] = units(cfg->sub_core ? first + i * own : first, own);
	// With sub-cores the round robin goes on with the collectors of the next sub-core.
	for (unsigned i = 0; i < n; i++)
		c->unit[first + i].next = (uint8_t)((cfg->sub_core ? i - i % own + own : i + 1) % n);
	for (unsigned i = 0; i < cfg->cu_out_ports[set]; i++)
		c->disp[c->n_disp++] = (struct dispatcher){.set = units(first, n), .first = (uint8_t)first, .next = c->unit[first].next};
	c->n_unit += n;
}

static void add_ports(struct opcoll *c, enum cu_set set, uint32_t pipes)
{
	struct collector_ports *p = &c->ports[c->n_ports];
	*p = (struct collector_ports){.pipes = pipes, .n = (uint8_t)c->cfg->cu_in_ports[set], .set = {(uint8_t)set, CU_GEN}, .n_set = set == CU_GEN ? 1 : 2};
	if (p->n)
		c->n_ports++;
}

bool opcoll_init(struct opcoll *c, const struct core_config *cfg, struct register_set *in, struct register_set *out, struct diag *d)
{
	memset(c, 0, sizeof *c);
	c->cfg = cfg;
	c->in = in;
	c->out = out;
	c->arrived = in->occupied;
	c->sub_core = cfg->sub_core;
	memset(c->head, 0xff, sizeof c->head);
	uint32_t ports = 0, disps = 0;
	for (unsigned s = 0; s < CU_N_SETS; s++) {
		ports += cfg->cu_in_ports[s];
		disps += cfg->cu_out_ports[s];
	}
	if (ports > OPCOLL_MAX_PORTS || disps > OPCOLL_MAX_PORTS) {
		diag_add(d, DIAG_ERROR, "-gpgpu_operand_collector_num_*_ports_*: more than %d ports", OPCOLL_MAX_PORTS);
		return false;
	}
	uint32_t all = 1u << PIPE_SP | 1u << PIPE_SFU | 1u << PIPE_MEM;
	for (unsigned p = 0; p < PIPE_N; p++)
		if (cfg->n_units[p])
			all |= 1u << p;
	static const struct { uint8_t set, pipe; } special[] = {
		{CU_SP, PIPE_SP}, {CU_DP, PIPE_DP}, {CU_SFU, PIPE_SFU}, {CU_TENSOR, PIPE_TENSOR}, {CU_MEM, PIPE_MEM}, {CU_INT, PIPE_INT}};
	add_set(c, CU_GEN);
	add_ports(c, CU_GEN, all);
	if (cfg->specialized_collectors) {
		static const uint8_t order[] = {CU_SP, CU_DP, CU_TENSOR, CU_SFU, CU_MEM, CU_INT};
		for (unsigned i = 0; i < sizeof order; i++)
			add_set(c, order[i]);
		for (unsigned i = 0; i < sizeof special / sizeof *special; i++)
			add_ports(c, special[i].set, 1u << special[i].pipe);
	}
	while (1u << c->unit_bits < c->n_unit)
		c->unit_bits++;
	c->n_bank = cfg->sub_core ? cfg->n_banks / cfg->n_schedulers : cfg->n_banks;
	c->bank_step = (uint8_t)(cfg->sub_core ? c->n_bank : 0);
	c->bank_mask = c->n_bank & (c->n_bank - 1) ? 0 : c->n_bank - 1;
	uint32_t per_sched = cfg->sub_core ? c->n_unit / cfg->n_schedulers : 0;
	for (unsigned i = 0; i < c->n_unit; i++) {
		c->unit[i].owner = (uint8_t)(per_sched ? i / per_sched : 0);
		for (unsigned s = 1u << c->unit[i].owner % 4; s < 16; s = (s + 1) | 1u << c->unit[i].owner % 4)
			c->owned[c->unit[i].owner / 4][s] |= (uint64_t)1 << i;
	}
	return true;
}

static unsigned bank_of(const struct opcoll *c, unsigned reg, const struct winst *w)
{
	unsigned b = reg + w->warp;
	return w->sched * c->bank_step + (c->bank_mask ? b & c->bank_mask : b % c->n_bank);
}

bool opcoll_writeback(struct opcoll *c, struct winst *w)
{
	for (unsigned left = w->dst_left; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);
		if (w->st->dst_bank[i] != ISA_NO_BANK) {
			uint64_t bit = (uint64_t)1 << bank_of(c, w->st->dst_bank[i], w);
			if (c->writing & bit)
				return false;
			c->writing |= bit;
			c->writes++;
		}
		w->dst_left &= (uint8_t) ~(1u << i);
	}
	return true;
}

static void completes(struct opcoll *c, unsigned cu)
{
	unsigned pipe = c->unit[cu].pipe;
	c->complete[pipe] |= (uint64_t)1 << cu;
	c->complete_to |= 1u << pipe;
}

// The collectors whose instructions have no room in a stage of `out`.
static uint64_t without_room(const struct opcoll *c, unsigned pipe)
{
	const struct register_set *out = &c->out[pipe];
	if (!c->sub_core)
		return regs_has_free(out, false, 0) ? 0 : ~(uint64_t)0;
	return c->owned[0][out->full & 15] | c->owned[1][out->full >> 4 & 15];
}

// False: no instruction has left.
static bool dispatch(struct opcoll *c)
{
	const uint64_t before = c->busy;
	uint64_t ready = 0;
	for (uint32_t s = c->complete_to; s; s &= s - 1)
		ready |= c->complete[__builtin_ctz(s)] & ~without_room(c, (unsigned)__builtin_ctz(s));
	for (unsigned k = 0; k < c->n_disp && ready; k++) {
		struct dispatcher *d = &c->disp[k];
		uint64_t mine = ready & d->set;
		if (!mine)
			continue;
		uint64_t high = mine >> (d->first + d->next) << (d->first + d->next);
		unsigned i = (unsigned)__builtin_ctzll(high ? high : mine);
		struct collector *u = &c->unit[i];
		uint64_t bit = (uint64_t)1 << i, *complete = &c->complete[u->pipe];
		d->next = u->next;
		regs_put(&c->out[u->pipe], c->sub_core, u->owner, u->w);
		c->busy &= ~bit;
		ready &= ~bit;
		*complete &= ~bit;
		if (!*complete)
			c->complete_to &= ~(1u << u->pipe);
		else if (ready) // the stage may be full now for the others
			ready &= ~(*complete & without_room(c, u->pipe));
	}
	return c->busy != before;
}

static void read_banks(struct opcoll *c)
{
	for (uint64_t m = c->waiting_banks & ~c->writing; m; m &= m - 1) {
		unsigned b = (unsigned)__builtin_ctzll(m), op = c->head[b];
		unsigned cu = op & ((1u << c->unit_bits) - 1);
		c->head[b] = c->next[op];
		if (c->head[b] == OPCOLL_NONE)
			c->waiting_banks &= ~((uint64_t)1 << b);
		if (!--c->unit[cu].waiting)
			completes(c, cu);
		c->reads++;
	}
	if (c->waiting_banks)
		c->conflicts += (unsigned)__builtin_popcountll(c->waiting_banks);
}

// GPGPU-Sim goes by the number in a register's name: %r24 and %rd24 are read once, as one.
static bool read_before(const struct isa_inst *st, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (st->src_bank[k] == st->src_bank[i])
			return true;
	return false;
}

static void accept(struct opcoll *c, unsigned cu, struct winst *w, unsigned pipe)
{
	struct collector *u = &c->unit[cu];
	const struct isa_inst *st = w->st;
	uint64_t seen = 0; // numbers modulo 64
	unsigned waiting = 0;
	u->w = w;
	u->pipe = (uint8_t)pipe;
	c->freed |= 1u << w->sched;
	c->busy |= (uint64_t)1 << cu;
	for (unsigned i = 0; i < st->n_read; i++) {
		unsigned reg = st->src_bank[i];
		uint64_t bit = (uint64_t)1 << reg % 64;
		if (reg == ISA_NO_BANK || (seen & bit && read_before(st, i)))
			continue;
		seen |= bit;
		unsigned b = bank_of(c, reg, w), op = waiting++ << c->unit_bits | cu;
		c->next[op] = OPCOLL_NONE;
		if (c->waiting_banks >> b & 1)
			c->next[c->tail[b]] = (uint16_t)op;
		else
			c->head[b] = (uint16_t)op;
		c->tail[b] = (uint16_t)op;
		c->waiting_banks |= (uint64_t)1 << b;
	}
	u->waiting = (uint8_t)waiting;
	if (!waiting)
		completes(c, cu);
}

// Where collectors are scarce, these stages are served before the others: GPGPU-Sim lists the stages of a generic port as
// SP, SFU, MEM, TENSOR, DP, INT, specialized.
enum { SERVED_FIRST = 1 << PIPE_SP | 1 << PIPE_SFU | 1 << PIPE_MEM | 1 << PIPE_TENSOR };

// The oldest instruction of a stage goes into a collector of the port. False: there is none free.
static bool allocate(struct opcoll *c, const struct collector_ports *p, unsigned pipe)
{
	struct register_set *in = &c->in[pipe];
	struct winst *w = regs_first(in);
	for (unsigned k = 0; k < p->n_set; k++) {
		uint64_t avail = c->served_by[p->set[k]][w->sched] & ~c->busy;
		if (!avail)
			continue;
		regs_drop_first(in);
		accept(c, (unsigned)__builtin_ctzll(avail), w, pipe);
		return true;
	}
	return false;
}

// One instruction from each of the stages. Those that gave one.
static uint32_t allocate_each(struct opcoll *c, const struct collector_ports *p, uint32_t stages)
{
	uint32_t gave = 0;
	for (uint32_t left = stages; left;) {
		uint32_t first_of = left & SERVED_FIRST;
		unsigned pipe = (unsigned)__builtin_ctz(first_of ? first_of : left);
		left &= ~(1u << pipe);
		gave |= (uint32_t)allocate(c, p, pipe) << pipe;
	}
	return gave;
}

// Ports that are alike take from no stage from which one of them has taken nothing. False: none has taken anything.
static bool allocate_all(struct opcoll *c)
{
	bool any = false;
	for (unsigned k = 0; k < c->n_ports; k++) {
		const struct collector_ports *p = &c->ports[k];
		uint32_t gave = p->pipes;
		for (unsigned i = 0; i < p->n && (gave &= *c->arrived); i++) {
			gave = allocate_each(c, p, gave);
			any |= gave != 0;
		}
	}
	return any;
}

static bool step(struct opcoll *c)
{
	bool moved = c->waiting_banks;
	if (c->complete_to)
		moved |= dispatch(c);
	if (c->waiting_banks)
		read_banks(c);
	if (*c->arrived)
		moved |= allocate_all(c);
	c->writing = 0;
	return moved;
}

bool opcoll_tick(struct opcoll *c, unsigned steps)
{
	bool moved = false;
	if (c->rests) {
		c->writing = 0;
		return false;
	}
	do
		moved = step(c);
	while (--steps && moved);
	c->rests = !moved && !c->cfg->tick_all;
	return moved;
}
