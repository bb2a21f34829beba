// Bulk copies without a tensor map, st.async, red.async and st.bulk become micro-ops.
#include "cuda-sim/decode/decoder.h"
#include "cuda-sim/exec/remote.h"

struct exec_bulk_operand decode_bulk_place(struct decoder *x, const struct ptx_opnd *o)
{
	struct address a = decode_address(x, o);
	return (struct exec_bulk_operand){.how = a.wide ? EXEC_BULK_LONG : EXEC_BULK_WORD, .row = a.row, .imm = a.imm};
}

struct exec_bulk_operand decode_bulk_value(struct decoder *x, const struct ptx_opnd *o, enum ptx_type t)
{
	return (struct exec_bulk_operand){.how = ptx_type_bits[t] == 64 ? EXEC_BULK_LONG : EXEC_BULK_WORD, .row = decode_source_row(x, o, t)};
}

uint8_t decode_bulk_reduction(const char *key)
{
	static const char *const ops[] = {[EXEC_BULK_ADD] = "add", [EXEC_BULK_MIN] = "min", [EXEC_BULK_MAX] = "max", [EXEC_BULK_INC] = "inc",
	                                  [EXEC_BULK_DEC] = "dec", [EXEC_BULK_AND] = "and", [EXEC_BULK_OR] = "or", [EXEC_BULK_XOR] = "xor"};
	for (uint8_t k = EXEC_BULK_ADD; k <= EXEC_BULK_XOR; k++)
		if (decode_has_part(key, ops[k]))
			return k;
	return EXEC_BULK_COPY;
}

// Whether elements of a type know an operation: PTX ISA, cp.reduce.async.bulk and red.async.
static bool knows(uint8_t op, enum ptx_type t)
{
	const bool bits = op == EXEC_BULK_AND || op == EXEC_BULK_OR || op == EXEC_BULK_XOR;
	switch (t) {
	case PTX_T_B32: case PTX_T_B64: return bits;
	case PTX_T_U32: return !bits;
	case PTX_T_S32: case PTX_T_U64: case PTX_T_S64: return op == EXEC_BULK_ADD || op == EXEC_BULK_MIN || op == EXEC_BULK_MAX;
	case PTX_T_F16: case PTX_T_BF16: return op == EXEC_BULK_ADD || op == EXEC_BULK_MIN || op == EXEC_BULK_MAX;
	default: return op == EXEC_BULK_ADD;
	}
}

static bool take_reduction(struct decoder *x, uint8_t *op, uint8_t *type)
{
	const enum ptx_type t = (enum ptx_type)x->i->mods.type[0];
	*op = decode_bulk_reduction(x->i->key);
	*type = decode_mode(&x->i->mods).type[0];
	if (knows(*op, t))
		return true;
	decode_complain(x, "'%s': elements of this type have no such operation", x->i->text);
	return false;
}

void decode_emit_bulk(struct decoder *x, const char *key, const void *operands)
{
	struct uop *u = decode_emit_key(x, key);
	u->imm = (int64_t)(uintptr_t)operands;
	u->flags |= UOP_SHARES;
}

static void decode_copy(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	const bool group = decode_has_part(i->key, "bulk_group"), hint = strstr(i->text, ".L2::cache_hint") != NULL;
	struct exec_bulk *b = ARENA_NEW(x->keep, struct exec_bulk);
	if (decode_has_part(i->key, "prefetch")) {
		b->op = EXEC_BULK_PREFETCH;
		b->src = decode_bulk_place(x, &i->opnd[0]);
		b->size = decode_bulk_value(x, &i->opnd[1], PTX_T_B32);
		decode_emit_bulk(x, "async.bulk", b);
		return;
	}
	b->dst = decode_bulk_place(x, &i->opnd[0]);
	b->src = decode_bulk_place(x, &i->opnd[1]);
	b->size = decode_bulk_value(x, &i->opnd[2], PTX_T_B32);
	b->to = group ? EXEC_BULK_GLOBAL : strstr(i->text, ".shared::cluster") ? EXEC_BULK_CLUSTER : EXEC_BULK_SHARED;
	b->from = !group && decode_has_part(i->key, "global") ? EXEC_BULK_GLOBAL : EXEC_BULK_SHARED;
	b->multicast = strstr(i->text, ".multicast::cluster") != NULL;
	if (!group)
		b->mbarrier = decode_bulk_place(x, &i->opnd[3]);
	if (b->multicast)
		b->ctas = decode_bulk_value(x, &i->opnd[4], PTX_T_B16);
	if (decode_has_part(i->key, "cp_mask"))
		b->mask = decode_bulk_value(x, &i->opnd[hint ? 4 : 3], PTX_T_B32);
	if (decode_has_part(i->key, "reduce") && !take_reduction(x, &b->op, &b->type))
		return;
	decode_emit_bulk(x, "async.bulk", b);
}

// st.async and red.async.
static void decode_remote(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	const struct ptx_opnd *v = &i->opnd[1];
	const enum ptx_type t = (enum ptx_type)i->mods.type[0];
	struct exec_remote *r = ARENA_NEW(x->keep, struct exec_remote);
	r->n = i->mods.vec;
	r->each = (uint8_t)decode_type_bytes(t);
	r->dst = decode_bulk_place(x, &i->opnd[0]);
	r->mbarrier = decode_bulk_place(x, &i->opnd[2]);
	for (unsigned k = 0; k < r->n; k++)
		r->value[k] = decode_source_row(x, v->kind == PTX_O_VEC ? &v->elem[k] : v, t);
	if (is(i, "red") && !take_reduction(x, &r->op, &r->type))
		return;
	if (r->n * r->each > 16) {
		decode_complain(x, "'%s' stores at most 16 bytes", i->text);
		return;
	}
	decode_emit_bulk(x, "async.remote", r);
}

static void decode_fill(struct decoder *x)
{
	struct address a = decode_address(x, &x->i->opnd[0]);
	int32_t bytes = decode_source_row(x, &x->i->opnd[1], PTX_T_B64);
	if (x->i->opnd[2].bits)
		decode_complain(x, "'%s' stores 0 only", x->i->text);
	struct uop *u = decode_emit_key(x, "async.fill");
	u->a = a.row;
	u->imm = a.imm;
	u->flags |= (a.wide ? UOP_ADDR64 : 0) | UOP_SHARES;
	u->b = bytes;
}

bool decode_bulk(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	if (is(i, "st") && !strncmp(i->key, "st.bulk", 7) && !(i->op->flags & PTX_OP_LENIENT))
		decode_fill(x);
	else if (!decode_is_async_part(i))
		return false;
	else if (is(i, "cp"))
		decode_copy(x);
	else
		decode_remote(x);
	return true;
}
