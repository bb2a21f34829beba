// The registers of products of warp groups, by instruction, for who checks kernels (exec/checker.h): accumulators, parts of A, and what
// moves connect with these.
#include "cuda-sim/decode/decoded.h"
#include "cuda-sim/ptx/wgmma_ops.h"

#include <string.h>

struct products {
	struct code *c;
	const struct ptx_func *f;
	uint32_t *number; // register -> 1 + its number, 0: it is none of them
	const char **name;
	VEC(struct exec_register) use;
};

static bool is_product(const struct ptx_inst *i) { return i->op->flags & PTX_OP_GROUP; }

// A move from one register to another, or of something else to one.
static bool is_move(const struct ptx_inst *i)
{
	return !strcmp(i->op->name, "mov") && i->n_opnd == 2 && i->opnd[0].kind == PTX_O_REG && i->opnd[1].kind != PTX_O_VEC;
}

// True if it was none of them before.
static bool add(struct products *p, const struct ptx_opnd *o)
{
	if (o->kind != PTX_O_REG || p->number[o->index])
		return false;
	const struct ptx_reg *r = &p->f->reg[o->index];
	struct arena *a = &p->c->kernel->arena;
	p->number[o->index] = ++p->c->kernel->product_registers;
	p->name[o->index] = r->num < 0 ? r->name : arena_printf(a, "%s%d", r->name, r->num);
	return true;
}

static void add_all(struct products *p, const struct ptx_opnd *o)
{
	for (unsigned k = 0; o->kind == PTX_O_VEC && k < o->n; k++)
		add(p, &o->elem[k]);
}

static void find_registers(struct products *p)
{
	for (uint32_t n = 0; n < p->f->n_inst; n++)
		if (is_product(&p->f->inst[n])) {
			add_all(p, &p->f->inst[n].opnd[WGMMA_D]);
			add_all(p, &p->f->inst[n].opnd[WGMMA_A]);
		}
	for (bool again = true; again;) {
		again = false;
		for (uint32_t n = 0; n < p->f->n_inst; n++) {
			const struct ptx_opnd *o = p->f->inst[n].opnd;
			if (!is_move(&p->f->inst[n]) || o[1].kind != PTX_O_REG)
				continue;
			if (p->number[o[0].index])
				again |= add(p, &o[1]);
			else if (p->number[o[1].index])
				again |= add(p, &o[0]);
		}
	}
}

static void note(struct products *p, uint32_t reg, enum exec_register_use use, uint32_t from)
{
	if (p->number[reg]) {
		struct exec_register r = {(uint8_t)use, p->number[reg] - 1, from, p->name[reg]};
		VEC_PUSH(&p->use, r);
	}
}

static void note_list(struct products *p, const struct ptx_opnd *o, enum exec_register_use use)
{
	for (unsigned k = 0; o->kind == PTX_O_VEC && k < o->n; k++)
		if (o->elem[k].kind == PTX_O_REG)
			note(p, o->elem[k].index, use, 0);
}

static void note_uses(struct products *p, const struct ptx_inst *i)
{
	if (is_product(i)) {
		note_list(p, &i->opnd[WGMMA_A], EXEC_REGISTER_FACTOR);
		note_list(p, &i->opnd[WGMMA_D], EXEC_REGISTER_SUM);
		return;
	}
	if (is_move(i)) {
		const struct ptx_opnd *d = &i->opnd[0], *s = &i->opnd[1];
		const uint32_t from = s->kind == PTX_O_REG ? p->number[s->index] : 0;
		note(p, d->index, from ? EXEC_REGISTER_COPIED : EXEC_REGISTER_SET, from ? from - 1 : 0);
		return;
	}
	reg_uses uses = {0};
	inst_reg_operands(i, &uses);
	for (size_t k = 0; k < uses.n; k++)
		note(p, uses.at[k].reg, uses.at[k].def ? EXEC_REGISTER_WRITTEN : EXEC_REGISTER_READ, 0);
	VEC_FREE(&uses);
}

static bool has_products(const struct ptx_func *f)
{
	for (uint32_t n = 0; n < f->n_inst; n++)
		if (is_product(&f->inst[n]))
			return true;
	return false;
}

void decode_products(struct code *c)
{
	const struct ptx_func *f = c->func;
	struct arena tmp = {0}, *keep = &c->kernel->arena;
	if (!has_products(f))
		return;
	struct products p = {.c = c, .f = f};
	p.number = ARENA_ARRAY(&tmp, uint32_t, f->n_reg + 1);
	p.name = ARENA_ARRAY(&tmp, const char *, f->n_reg + 1);
	find_registers(&p);
	c->products = ARENA_ARRAY(keep, struct exec_registers, f->n_inst + 1);
	for (uint32_t n = 0; n < f->n_inst; n++) {
		p.use.n = 0;
		note_uses(&p, &f->inst[n]);
		struct exec_register *at = ARENA_ARRAY(keep, struct exec_register, p.use.n + 1);
		if (p.use.n)
			memcpy(at, p.use.at, p.use.n * sizeof *at);
		c->products[n] = (struct exec_registers){at, (unsigned)p.use.n};
	}
	VEC_FREE(&p.use);
	arena_free(&tmp);
}
