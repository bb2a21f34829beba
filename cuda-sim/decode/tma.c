// Copies by a tensor map, and what changes one, become micro-ops.
#include "cuda-sim/decode/decoder.h"
#include "cuda-sim/exec/tma.h"

// {a, b, ..}: n values. False after a message.
static bool take_values(struct decoder *x, const struct ptx_opnd *o, unsigned n, enum ptx_type t, struct exec_bulk_operand *to, const char *what)
{
	if (!o || (o->kind == PTX_O_VEC ? o->n : 1u) != n) {
		decode_complain(x, "'%s' has %u %s", x->i->text, n, what);
		return false;
	}
	for (unsigned k = 0; k < n; k++)
		to[k] = decode_bulk_value(x, o->kind == PTX_O_VEC ? &o->elem[k] : o, t);
	return true;
}

static void decode_copy(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	const char *text = i->text;
	const bool hint = strstr(text, ".L2::cache_hint") != NULL, group = decode_has_part(text, "bulk_group"), prefetch = decode_has_part(text, "prefetch");
	struct exec_tensor *t = ARENA_NEW(x->keep, struct exec_tensor);
	const unsigned map = !group && !prefetch;
	unsigned at = group ? 2 : prefetch ? 1 : 3;
	const struct ptx_opnd *m = &i->opnd[map];
	for (uint8_t d = 1; d <= TENSOR_MAP_RANK; d++)
		if (decode_has_part(text, arena_printf(x->keep, "%ud", d)))
			t->rank = d;
	t->op = decode_bulk_reduction(text);
	t->kind = prefetch ? EXEC_TENSOR_PREFETCH : !group ? EXEC_TENSOR_LOAD : t->op ? EXEC_TENSOR_REDUCE : EXEC_TENSOR_STORE;
	t->im2col = decode_has_part(text, "im2col") || decode_has_part(text, "im2col_no_offs");
	t->own = !decode_is_cluster(i);
	t->multicast = strstr(text, ".multicast::cluster") != NULL;
	t->map = decode_bulk_place(x, m);
	if (t->im2col && t->rank < 3) {
		decode_complain(x, "'%s': im2col has 3 to 5 dimensions", text);
		return;
	}
	if (!take_values(x, m->kind == PTX_O_MEM && m->n == 2 ? &m->elem[1] : NULL, t->rank, PTX_T_B32, t->at, "coordinates"))
		return;
	if (decode_has_part(text, "im2col") &&
	    !take_values(x, at < i->n_opnd ? &i->opnd[at] : NULL, t->rank - 2u, PTX_T_B16, t->offset, "offsets"))
		return;
	at += decode_has_part(text, "im2col");
	if (i->n_opnd != at + t->multicast + hint) {
		decode_complain(x, "'%s' takes %u operands, not %u", text, at + t->multicast + hint, i->n_opnd);
		return;
	}
	if (!prefetch)
		t->shared = decode_bulk_place(x, &i->opnd[group]);
	if (map)
		t->mbarrier = decode_bulk_place(x, &i->opnd[2]);
	if (t->multicast)
		t->ctas = decode_bulk_value(x, &i->opnd[at], PTX_T_B16);
	decode_emit_bulk(x, "async.tensor", t);
}

static const struct { const char *name; uint8_t field, dimensions; } fields[] = {
	{"global_address", EXEC_MAP_ADDRESS, 0}, {"rank", EXEC_MAP_RANK, 0}, {"box_dim", EXEC_MAP_BOX, 5}, {"global_dim", EXEC_MAP_SIZE, 5},
	{"global_stride", EXEC_MAP_STRIDE, 4}, {"element_stride", EXEC_MAP_STEP, 5}, {"elemtype", EXEC_MAP_TYPE, 0},
	{"interleave_layout", EXEC_MAP_INTERLEAVE, 0}, {"swizzle_mode", EXEC_MAP_SWIZZLE, 0}, {"swizzle_atomicity", EXEC_MAP_ATOM, 0},
	{"fill_mode", EXEC_MAP_FILL, 0},
};

static void decode_replace(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	const struct ptx_opnd *value = &i->opnd[i->n_opnd - 1];
	struct exec_map_change *c = ARENA_NEW(x->keep, struct exec_map_change);
	size_t k = 0;
	while (k + 1 < sizeof fields / sizeof *fields && !decode_has_part(i->text, fields[k].name))
		k++;
	c->field = fields[k].field;
	if (fields[k].dimensions && i->opnd[1].bits >= fields[k].dimensions) {
		decode_complain(x, "'%s' has dimensions 0 to %u", i->text, fields[k].dimensions - 1u);
		return;
	}
	c->index = fields[k].dimensions ? (uint8_t)i->opnd[1].bits : 0;
	c->shared = strstr(i->text, ".shared::cta") != NULL;
	c->where = decode_bulk_place(x, &i->opnd[0]);
	c->value = decode_bulk_value(x, value, (enum ptx_type)i->mods.type[0]);
	decode_emit_bulk(x, "async.map_replace", c);
}

bool decode_tma(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	if (!decode_is_tensor_copy(i))
		return false;
	if (is(i, "cp")) {
		decode_copy(x);
	} else if (decode_has_part(i->text, "replace")) {
		decode_replace(x);
	} else {
		struct exec_map_copy *c = ARENA_NEW(x->keep, struct exec_map_copy);
		if (i->opnd[2].bits != TENSOR_MAP_BYTES)
			decode_complain(x, "'%s' copies 128 bytes", i->text);
		c->to = decode_bulk_place(x, &i->opnd[0]);
		c->from = decode_bulk_place(x, &i->opnd[1]);
		decode_emit_bulk(x, "async.map_publish", c);
	}
	return true;
}
