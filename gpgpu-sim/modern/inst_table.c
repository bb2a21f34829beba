#include "gpgpu-sim/modern/inst_table.h"

#include "base/mem.h"
#include "gpgpu-sim/modern/assign.h"
#include "gpgpu-sim/sm/sm.h"

enum { CHUNK = 64, FIRST_TABLE = 256 };

static struct modern_inst **place_of(struct modern_code *c, const struct isa_inst *st)
{
	struct modern_inst **from = &c->at[(st->pc / c->fe->inst_bytes) & (c->n_at - 1)];
	while (*from && (*from)->st != st)
		from = &(*from)->other;
	return from;
}

static void grow_table(struct modern_code *c)
{
	mem_free(c->at);
	c->n_at *= 2;
	c->at = mem_alloc(c->n_at * sizeof *c->at);
	for (uint32_t i = 0; i < c->n_inst; i++) {
		struct modern_inst *m = &c->chunk[i / CHUNK][i % CHUNK];
		m->other = NULL;
		*place_of(c, m->st) = m;
	}
}

// Adds it if it is new.
static struct modern_inst *add(struct modern_code *c, const struct isa_inst *st)
{
	struct modern_inst **from = place_of(c, st);
	if (*from)
		return *from;
	if (c->n_inst == c->n_at) {
		grow_table(c);
		from = place_of(c, st);
	}
	if (c->n_inst == c->n_chunk * CHUNK) {
		c->chunk = mem_realloc(c->chunk, (c->n_chunk + 1) * sizeof *c->chunk);
		c->chunk[c->n_chunk++] = mem_alloc(CHUNK * sizeof **c->chunk);
	}
	struct modern_inst *m = &c->chunk[c->n_inst / CHUNK][c->n_inst % CHUNK];
	c->n_inst++;
	modern_inst_fill(m, st, c->cfg, c->core);
	m->outside = !c->fe->path && sm_reaches_out(st);
	*from = m;
	return m;
}

void modern_code_grow(struct modern_code *c)
{
	const struct isa_inst *st;
	while (c->fe->met && (st = c->fe->met(c->code, c->n_met))) {
		add(c, st);
		c->n_met++;
	}
}

static void assign_control(struct modern_code *c)
{
	uint32_t n = 0;
	uint8_t *starts = c->fe->block_starts ? c->fe->block_starts(c->code, &n) : NULL;
	if (starts && n) {
		struct modern_inst **inst = mem_alloc(n * sizeof *inst);
		for (uint32_t i = 0; i < n; i++)
			inst[i] = add(c, c->fe->inst_at(c->code, (uint64_t)i * c->fe->inst_bytes));
		modern_assign_control(inst, n, starts, c->fe->register_count(c->code), c->cfg);
		mem_free(inst);
	}
	mem_free(starts);
}

struct modern_code *modern_code_new(const struct modern_config *cfg, const struct core_config *core, const struct frontend_ops *fe, const void *code)
{
	struct modern_code *c = MEM_NEW(struct modern_code);
	const struct isa_inst *st;
	c->cfg = cfg;
	c->core = core;
	c->fe = fe;
	c->code = code;
	c->n_at = FIRST_TABLE;
	c->at = mem_alloc(c->n_at * sizeof *c->at);
	for (uint64_t pc = 0; fe->inst_at && (st = fe->inst_at(code, pc)); pc += fe->inst_bytes)
		add(c, st);
	modern_code_grow(c);
	if (cfg->assign_control && !cfg->scoreboards)
		assign_control(c);
	return c;
}

void modern_code_free(struct modern_code *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->n_chunk; i++)
		mem_free(c->chunk[i]);
	mem_free(c->chunk);
	mem_free(c->at);
	mem_free(c);
}
