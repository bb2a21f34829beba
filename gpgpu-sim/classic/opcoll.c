#include "gpgpu-sim/classic/opcoll.h"

#include <string.h>

static void add_set(struct opcoll *c, enum cu_set set)
{
	const struct core_config *cfg = c->cfg;
	c->set_first[set] = (uint8_t)c->n_unit;
	c->set_n[set] = (uint8_t)cfg->cu_units[set];
	for (unsigned i = 0; i < cfg->cu_out_ports[set] && cfg->cu_units[set]; i++)
		c->disp[c->n_disp++] = (struct dispatcher){.first = (uint8_t)c->n_unit, .n = (uint8_t)cfg->cu_units[set]};
	c->n_unit += cfg->cu_units[set];
}

static void add_ports(struct opcoll *c, enum cu_set set, uint32_t pipes)
{
	for (unsigned i = 0; i < c->cfg->cu_in_ports[set]; i++) {
		struct collector_port *p = &c->port[c->n_port++];
		p->pipes = pipes;
		p->set[p->n_set++] = (uint8_t)set;
		if (set != CU_GEN)
			p->set[p->n_set++] = CU_GEN;
		p->like_last = i > 0;
	}
}

bool opcoll_init(struct opcoll *c, const struct core_config *cfg, struct register_set *in, struct register_set *out, struct diag *d)
{
	memset(c, 0, sizeof *c);
	c->cfg = cfg;
	c->in = in;
	c->out = out;
	c->arrived = in->occupied;
	memset(c->head, 0xff, sizeof c->head);
	uint32_t ports = 0, disps = 0;
	for (unsigned s = 0; s < CU_N_SETS; s++) {
		ports += cfg->cu_in_ports[s];
		disps += cfg->cu_out_ports[s];
	}
	if (ports > sizeof c->port / sizeof *c->port || disps > sizeof c->disp / sizeof *c->disp) {
		diag_add(d, DIAG_ERROR, "-gpgpu_operand_collector_num_*_ports_*: more than %zu ports", sizeof c->port / sizeof *c->port);
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
	c->n_bank = cfg->sub_core ? cfg->n_banks / cfg->n_schedulers : cfg->n_banks;
	c->bank_mask = c->n_bank & (c->n_bank - 1) ? 0 : c->n_bank - 1;
	uint32_t per_sched = cfg->sub_core ? c->n_unit / cfg->n_schedulers : 0;
	for (unsigned i = 0; i < c->n_unit; i++)
		c->unit[i].owner = (uint8_t)(per_sched ? i / per_sched : 0);
	return true;
}

static unsigned bank_of(const struct opcoll *c, unsigned reg, const struct winst *w)
{
	unsigned b = reg + w->warp, first = c->cfg->sub_core ? w->sched * c->n_bank : 0;
	return first + (c->bank_mask ? b & c->bank_mask : b % c->n_bank);
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

// False: no instruction has left.
static bool dispatch(struct opcoll *c)
{
	uint64_t ready = 0, before = c->busy;
	for (uint64_t m = c->complete; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctzll(m);
		if (regs_has_free(c->unit[i].out, c->cfg->sub_core, c->unit[i].owner))
			ready |= (uint64_t)1 << i;
	}
	for (unsigned k = 0; k < c->n_disp && ready; k++) {
		struct dispatcher *d = &c->disp[k];
		uint64_t mine = ready >> d->first & (d->n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << d->n) - 1);
		if (!mine)
			continue;
		// With sub-cores the round robin goes on with the collectors of the next sub-core.
		unsigned per = c->cfg->sub_core ? d->n / c->cfg->n_schedulers : 0;
		unsigned from = (d->last + (per ? per - d->last % per : 1)) % d->n;
		uint64_t high = mine >> from << from;
		unsigned i = (unsigned)__builtin_ctzll(high ? high : mine);
		struct collector *u = &c->unit[d->first + i];
		d->last = (uint8_t)i;
		regs_put(u->out, c->cfg->sub_core, u->owner, u->w);
		uint64_t bit = (uint64_t)1 << (d->first + i);
		struct register_set *out = u->out;
		u->w = NULL;
		c->busy &= ~bit;
		c->complete &= ~bit;
		ready &= ~bit;
		// The stage may be full now for the others.
		for (uint64_t m = ready; m; m &= m - 1) {
			unsigned j = (unsigned)__builtin_ctzll(m);
			if (c->unit[j].out == out && !regs_has_free(out, c->cfg->sub_core, c->unit[j].owner))
				ready &= ~((uint64_t)1 << j);
		}
	}
	return c->busy != before;
}

static void read_banks(struct opcoll *c)
{
	for (uint64_t m = c->waiting_banks & ~c->writing; m; m &= m - 1) {
		unsigned b = (unsigned)__builtin_ctzll(m), op = c->head[b];
		unsigned cu = op / OPCOLL_MAX_OPERANDS;
		c->head[b] = c->next[op];
		if (c->head[b] == OPCOLL_NONE)
			c->waiting_banks &= ~((uint64_t)1 << b);
		c->unit[cu].waiting &= ~(1u << op % OPCOLL_MAX_OPERANDS);
		if (!c->unit[cu].waiting)
			c->complete |= (uint64_t)1 << cu;
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

static void accept(struct opcoll *c, unsigned cu, struct winst *w, struct register_set *out)
{
	struct collector *u = &c->unit[cu];
	const struct isa_inst *st = w->st;
	u->w = w;
	u->out = out;
	c->freed |= 1u << w->sched;
	u->waiting = 0;
	c->busy |= (uint64_t)1 << cu;
	for (unsigned i = 0; i < st->n_read; i++) {
		if (st->src_bank[i] == ISA_NO_BANK || read_before(st, i))
			continue;
		unsigned b = bank_of(c, st->src_bank[i], w), op = cu * OPCOLL_MAX_OPERANDS + i;
		u->waiting |= 1u << i;
		c->next[op] = OPCOLL_NONE;
		if (c->waiting_banks >> b & 1)
			c->next[c->tail[b]] = (uint16_t)op;
		else
			c->head[b] = (uint16_t)op;
		c->tail[b] = (uint16_t)op;
		c->waiting_banks |= (uint64_t)1 << b;
	}
	if (!u->waiting)
		c->complete |= (uint64_t)1 << cu;
}

// Where collectors are scarce, these stages are served before the others: GPGPU-Sim lists the stages of a generic port as
// SP, SFU, MEM, TENSOR, DP, INT, specialized.
enum { SERVED_FIRST = 1 << PIPE_SP | 1 << PIPE_SFU | 1 << PIPE_MEM | 1 << PIPE_TENSOR };

// One instruction from each stage of the port, the oldest. False: none.
static bool allocate(struct opcoll *c, const struct collector_port *p)
{
	const struct core_config *cfg = c->cfg;
	bool any = false;
	for (uint32_t left = p->pipes & *c->arrived; left;) {
		uint32_t first_of = left & SERVED_FIRST;
		unsigned pipe = (unsigned)__builtin_ctz(first_of ? first_of : left);
		left &= ~(1u << pipe);
		struct register_set *in = &c->in[pipe];
		unsigned slot = regs_oldest(in);
		struct winst *w = in->slot[slot];
		for (unsigned k = 0; k < p->n_set; k++) {
			unsigned n = c->set_n[p->set[k]], first = c->set_first[p->set[k]];
			if (cfg->sub_core) {
				n /= cfg->n_schedulers;
				first += w->sched * n;
			}
			if (!n)
				continue;
			uint64_t range = n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
			uint64_t avail = ~c->busy >> first & range;
			if (!avail)
				continue;
			accept(c, first + (unsigned)__builtin_ctzll(avail), regs_take(in, slot), &c->out[pipe]);
			any = true;
			break;
		}
	}
	return any;
}

bool opcoll_step(struct opcoll *c)
{
	bool moved = c->waiting_banks;
	if (c->complete)
		moved |= dispatch(c);
	if (c->waiting_banks)
		read_banks(c);
	bool took = true;
	for (unsigned k = 0; k < c->n_port && *c->arrived; k++)
		if (took || !c->port[k].like_last)
			moved |= took = allocate(c, &c->port[k]);
	c->writing = 0;
	return moved;
}
