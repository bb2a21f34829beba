// Register rows: liveness, then linear scan.
//
// A row is 128 or 256 bytes, so a kernel of a thousand PTX registers would not fit a cache; PTX is close to SSA form
// and few registers are alive at once. Liveness is that of one thread: lanes on different paths may use a shared row
// for different registers, since each lane has its own place in it.
#include "cuda-sim/decode/cfg.h"
#include "cuda-sim/decode/decoded.h"

#include <stdlib.h>
#include <string.h>

static void add_use(reg_uses *out, uint32_t reg, bool def)
{
	struct reg_use u = {reg, def};
	VEC_PUSH(out, u);
}

static void add_operand(const struct ptx_opnd *o, bool def, reg_uses *out)
{
	switch (o->kind) {
	case PTX_O_REG:
		add_use(out, o->index, def);
		break;
	case PTX_O_MEM:
		for (unsigned i = 0; i < o->n; i++)
			add_operand(&o->elem[i], false, out);
		break;
	case PTX_O_VEC:
	case PTX_O_LIST:
		for (unsigned i = 0; i < o->n; i++)
			add_operand(&o->elem[i], def, out);
		break;
	default:
		break;
	}
	if (o->second)
		add_operand(o->second, def, out);
}

static void add_operands(const struct ptx_inst *i, reg_uses *out)
{
	struct ptx_opnd_spec spec[PTX_MAX_OPNDS];
	unsigned n = ptx_opnd_spec(i, PTX_MAX_OPNDS, spec);
	bool call = i->op->cls == ISA_CALL, target = false;
	for (unsigned k = 0; k < i->n_opnd; k++) {
		// A call's results stand in a list before its target.
		bool dest = call ? i->opnd[k].kind == PTX_O_LIST && !target : k < n && spec[k].is_dest;
		target |= i->opnd[k].kind != PTX_O_LIST;
		if (!dest || (!call && spec[k].is_src))
			add_operand(&i->opnd[k], false, out);
		if (dest)
			add_operand(&i->opnd[k], true, out);
	}
}

void inst_reg_operands(const struct ptx_inst *i, reg_uses *out)
{
	out->n = 0;
	add_operands(i, out);
}

void inst_reg_uses(const struct ptx_inst *i, reg_uses *out)
{
	out->n = 0;
	if (i->guard >= 0)
		add_use(out, (uint32_t)i->guard, false);
	add_operands(i, out);
	// A guarded write may leave the old value in place.
	if (i->guard >= 0)
		for (size_t k = 0, m = out->n; k < m; k++)
			if (out->at[k].def)
				add_use(out, out->at[k].reg, false);
}

// One bit per register and block.
struct live {
	size_t words;
	uint64_t *use, *def, *in, *out;
};

static bool bit(const uint64_t *set, uint32_t i) { return set[i / 64] >> (i % 64) & 1; }
static void set_bit(uint64_t *set, uint32_t i) { set[i / 64] |= (uint64_t)1 << (i % 64); }

static void collect(struct live *l, const struct cfg *g, const struct ptx_func *f)
{
	reg_uses uses = {0};
	for (uint32_t b = 0; b < g->n_block; b++) {
		uint64_t *use = l->use + b * l->words, *def = l->def + b * l->words;
		for (uint32_t i = g->block[b].first; i <= g->block[b].last && i < f->n_inst; i++) {
			inst_reg_uses(&f->inst[i], &uses);
			for (size_t k = 0; k < uses.n; k++)
				if (!uses.at[k].def && !bit(def, uses.at[k].reg))
					set_bit(use, uses.at[k].reg);
			for (size_t k = 0; k < uses.n; k++)
				if (uses.at[k].def)
					set_bit(def, uses.at[k].reg);
		}
	}
	VEC_FREE(&uses);
}

static void solve(struct live *l, const struct cfg *g)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t b = g->n_block; b-- > 0;) {
			uint64_t *in = l->in + b * l->words, *out = l->out + b * l->words;
			const uint64_t *use = l->use + b * l->words, *def = l->def + b * l->words;
			for (uint32_t s = 0; s < g->block[b].n_succ; s++) {
				const uint64_t *succ = l->in + g->block[b].succ[s] * l->words;
				for (size_t w = 0; w < l->words; w++)
					out[w] |= succ[w];
			}
			for (size_t w = 0; w < l->words; w++) {
				uint64_t v = use[w] | (out[w] & ~def[w]);
				changed |= v != in[w];
				in[w] = v;
			}
		}
	}
}

uint64_t *registers_alive(const struct ptx_func *f, const struct cfg *g, uint32_t inst, struct arena *a)
{
	struct live l = {.words = (f->n_reg + 63) / 64};
	size_t n = l.words * g->n_block + 1;
	uint32_t b = g->block_of[inst];
	uint64_t *alive = ARENA_ARRAY(a, uint64_t, l.words + 1);
	reg_uses uses = {0};
	l.use = ARENA_ARRAY(a, uint64_t, n), l.def = ARENA_ARRAY(a, uint64_t, n);
	l.in = ARENA_ARRAY(a, uint64_t, n), l.out = ARENA_ARRAY(a, uint64_t, n);
	collect(&l, g, f);
	solve(&l, g);
	memcpy(alive, l.out + b * l.words, l.words * sizeof *alive);
	for (uint32_t i = g->block[b].last + 1; i-- > inst;) {
		if (i >= f->n_inst)
			continue;
		inst_reg_uses(&f->inst[i], &uses);
		for (size_t k = 0; k < uses.n; k++)
			if (uses.at[k].def)
				alive[uses.at[k].reg / 64] &= ~((uint64_t)1 << uses.at[k].reg % 64);
		for (size_t k = 0; k < uses.n; k++)
			if (!uses.at[k].def)
				set_bit(alive, uses.at[k].reg);
	}
	VEC_FREE(&uses);
	return alive;
}

struct span {
	uint32_t from, to; // instructions; from > to: never used
};

static void stretch(struct span *s, uint32_t i)
{
	if (i < s->from)
		s->from = i;
	if (i > s->to)
		s->to = i;
}

static void find_spans(struct span *span, const struct live *l, const struct cfg *g, const struct ptx_func *f)
{
	reg_uses uses = {0};
	for (uint32_t r = 0; r < f->n_reg; r++)
		span[r] = (struct span){UINT32_MAX, 0};
	for (uint32_t i = 0; i < f->n_inst; i++) {
		inst_reg_uses(&f->inst[i], &uses);
		for (size_t k = 0; k < uses.n; k++)
			stretch(&span[uses.at[k].reg], i);
	}
	for (uint32_t b = 0; b < g->n_block; b++)
		for (size_t w = 0; w < l->words; w++) {
			uint64_t in = l->in[b * l->words + w], out = l->out[b * l->words + w];
			for (uint64_t m = in; m; m &= m - 1)
				stretch(&span[w * 64 + (unsigned)__builtin_ctzll(m)], g->block[b].first);
			for (uint64_t m = out; m; m &= m - 1)
				stretch(&span[w * 64 + (unsigned)__builtin_ctzll(m)], g->block[b].last);
		}
	VEC_FREE(&uses);
}

// Results in registers are read by the caller: they live to the end.
static void keep_results(struct span *span, const struct ptx_func *f)
{
	for (unsigned k = 0; k < f->n_ret; k++) {
		if (f->entry || f->ret[k]->space != PTX_S_REG)
			continue;
		for (uint32_t r = 0; r < f->n_reg; r++)
			if (strcmp(f->reg[r].name, f->ret[k]->name) == 0) {
				span[r] = (struct span){0, f->n_inst - 1};
				break;
			}
	}
}

enum row_class { CLASS_PRED, CLASS_32, CLASS_64, CLASS_128, N_ROW_CLASSES };
static const uint32_t class_bytes[N_ROW_CLASSES] = {4, 4 * WARP, 8 * WARP, 16 * WARP};
static const uint32_t class_regs[N_ROW_CLASSES] = {0, 1, 2, 4};

static enum row_class class_of(enum ptx_type t)
{
	unsigned bits = ptx_type_bits[t];
	return t == PTX_T_PRED ? CLASS_PRED : bits <= 32 ? CLASS_32 : bits <= 64 ? CLASS_64 : CLASS_128;
}

uint32_t rows_bytes(const struct ptx_func *f, uint32_t reg) { return class_bytes[class_of(f->reg[reg].type)]; }

// Chains of registers that begin or end at each instruction.
struct chains {
	uint32_t *begin, *end;           // instruction -> register + 1
	uint32_t *next_begin, *next_end; // register -> register + 1
};

static uint32_t linear_scan(struct code *c, const struct span *span, uint32_t first, struct arena *a)
{
	const struct ptx_func *f = c->func;
	struct chains ch = {
		ARENA_ARRAY(a, uint32_t, f->n_inst + 1), ARENA_ARRAY(a, uint32_t, f->n_inst + 1),
		ARENA_ARRAY(a, uint32_t, f->n_reg + 1), ARENA_ARRAY(a, uint32_t, f->n_reg + 1),
	};
	for (uint32_t r = f->n_reg; r-- > 0;) {
		if (span[r].from > span[r].to)
			continue;
		ch.next_begin[r] = ch.begin[span[r].from], ch.begin[span[r].from] = r + 1;
		ch.next_end[r] = ch.end[span[r].to], ch.end[span[r].to] = r + 1;
	}
	VEC(uint32_t) spare[N_ROW_CLASSES] = {0};
	uint32_t top = first, pred_at = 0, pred_left = 0, alive = 0;
	for (uint32_t i = 0; i < f->n_inst; i++) {
		// What ended before this instruction is free; what ends at it may still be read while it writes.
		for (uint32_t r = i ? ch.end[i - 1] : 0; r; r = ch.next_end[r - 1]) {
			enum row_class k = class_of(f->reg[r - 1].type);
			VEC_PUSH(&spare[k], c->row_of_reg[r - 1]);
			alive -= class_regs[k];
		}
		for (uint32_t r = ch.begin[i]; r; r = ch.next_begin[r - 1]) {
			enum row_class k = class_of(f->reg[r - 1].type);
			alive += class_regs[k];
			if (spare[k].n) {
				c->row_of_reg[r - 1] = spare[k].at[--spare[k].n];
			} else if (k == CLASS_PRED) {
				if (!pred_left) {
					pred_at = top, pred_left = 16;
					top += 64;
				}
				c->row_of_reg[r - 1] = pred_at;
				pred_at += 4, pred_left--;
			} else {
				c->row_of_reg[r - 1] = top;
				top += class_bytes[k];
			}
		}
		if (alive > c->live_regs)
			c->live_regs = alive;
	}
	for (unsigned k = 0; k < N_ROW_CLASSES; k++)
		VEC_FREE(&spare[k]);
	return top;
}

uint32_t rows_assign(struct code *c, const struct cfg *g, struct arena *keep, uint32_t first)
{
	const struct ptx_func *f = c->func;
	c->row_of_reg = ARENA_ARRAY(keep, uint32_t, f->n_reg + 1);
	struct arena a = {0};
	struct live l = {.words = (f->n_reg + 63) / 64};
	size_t n = l.words * g->n_block + 1;
	struct span *span = ARENA_ARRAY(&a, struct span, f->n_reg + 1);
	// Beyond a gigabyte of bits the analysis is not worth its memory: everything lives everywhere.
	if (n < ((size_t)1 << 24)) {
		l.use = ARENA_ARRAY(&a, uint64_t, n), l.def = ARENA_ARRAY(&a, uint64_t, n);
		l.in = ARENA_ARRAY(&a, uint64_t, n), l.out = ARENA_ARRAY(&a, uint64_t, n);
		collect(&l, g, f);
		solve(&l, g);
		find_spans(span, &l, g, f);
		keep_results(span, f);
	} else {
		for (uint32_t r = 0; r < f->n_reg; r++)
			span[r] = (struct span){0, f->n_inst - 1};
	}
	uint32_t top = linear_scan(c, span, first, &a);
	arena_free(&a);
	return top;
}
