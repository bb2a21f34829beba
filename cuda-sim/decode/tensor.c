// Tensor instructions become micro-ops: the rows of their registers, and what is done with them.
#include "cuda-sim/decode/decoder.h"
#include "cuda-sim/exec/matrix.h"
#include "cuda-sim/ptx/tensor_ops.h"

static const char *key_of(const struct tensor_mma *t)
{
	switch ((enum tensor_type)t->a) {
	case TENSOR_F64: return "tensor.f64";
	case TENSOR_B1: return "tensor.bits";
	case TENSOR_S8: case TENSOR_U8: case TENSOR_S4: case TENSOR_U4: return t->sparse ? "tensor.sparse.int" : "tensor.int";
	case TENSOR_F16: return t->sparse ? "tensor.sparse.float" : t->m == 8 ? "tensor.quarters" : "tensor.float";
	default: return t->sparse ? "tensor.sparse.float" : "tensor.float";
	}
}

static void source_rows(struct decoder *x, const struct ptx_opnd *o, const struct ptx_opnd_spec *s, int32_t *rows)
{
	for (unsigned k = 0; k < s->n_elem; k++)
		rows[k] = decode_source_row(x, o->kind == PTX_O_VEC ? &o->elem[k] : o, (enum ptx_type)s->type);
}

static void dest_rows(struct decoder *x, const struct ptx_opnd *o, const struct ptx_opnd_spec *s, int32_t *rows)
{
	for (unsigned k = 0; k < s->n_elem; k++)
		rows[k] = decode_dest_row(x, o->kind == PTX_O_VEC ? &o->elem[k] : o, (enum ptx_type)s->type).row;
}

static void emit_product(struct decoder *x, const struct tensor_mma *t)
{
	struct tensor_mma *kept = ARENA_NEW(x->keep, struct tensor_mma);
	*kept = *t;
	decode_emit_key(x, key_of(t))->imm = (int64_t)(uintptr_t)kept;
}

static void emit_copy(struct decoder *x, int32_t to, int32_t from)
{
	struct uop *u = decode_emit_key(x, "mov.b32");
	u->d = to, u->a = from;
}

static bool any_of(const int32_t *some, unsigned n, const int32_t *others, unsigned m)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < m; k++)
			if (some[i] == others[k])
				return true;
	return false;
}

enum { WMMA_REGS = 8, MAX_TILES = 2 };

// The products of wmma.mma one behind the other (see tensor/fragment.h). Where one would write what a later one reads, results wait
// in rows of their own.
static void tiles(struct decoder *x, struct tensor_mma t, const struct ptx_opnd_spec *spec, const int32_t *a, const int32_t *b,
                  const int32_t *c, const int32_t *d)
{
	const struct tensor_tiles how = tensor_tiles(t.m, t.n);
	const struct tensor_mma whole = t;
	const int32_t *tall = how.over ? b : a, *thin = how.over ? a : b;
	t.m = how.m, t.n = 8;
	t.a = how.over ? whole.b : whole.a, t.b = how.over ? whole.a : whole.b;
	const unsigned n = how.tall * how.thin, of_a = tensor_registers((enum tensor_type)t.a, t.m * t.k);
	const unsigned of_b = tensor_registers((enum tensor_type)t.b, t.k * t.n), of_c = spec[3].n_elem / n, of_d = spec[0].n_elem / n;
	bool wait = false;
	if (n > 1)
		wait = any_of(d, of_d, c + of_c, of_c) || any_of(d, of_d, tall, how.tall * of_a) || any_of(d, of_d, thin, how.thin * of_b);
	for (unsigned k = 0; k < n; k++) {
		memcpy(t.row_a, tall + (how.tall > 1 ? k * of_a : 0), of_a * sizeof *tall);
		memcpy(t.row_b, thin + (how.thin > 1 ? k * of_b : 0), of_b * sizeof *thin);
		memcpy(t.row_c, c + k * of_c, of_c * sizeof *c);
		memcpy(t.row_d, d + k * of_d, of_d * sizeof *d);
		for (unsigned r = 0; wait && !k && r < of_d; r++, x->top += 4 * WARP)
			t.row_d[r] = (int32_t)x->top;
		emit_product(x, &t);
	}
	for (unsigned r = 0; wait && r < of_d; r++)
		emit_copy(x, d[r], (int32_t)x->top - (int32_t)(of_d - r) * 4 * WARP);
}

static void product(struct decoder *x, const struct tensor_form *f, const struct ptx_opnd_spec *spec)
{
	const struct ptx_inst *i = x->i;
	int32_t a[MMA_MAX_REGS], b[MMA_MAX_REGS], c[MMA_MAX_REGS], d[MMA_MAX_REGS];
	struct tensor_mma t = {.m = f->m, .n = f->n, .k = f->k, .a = f->a, .b = f->b, .c = f->c, .d = f->d, .bits = f->bits, .rnd = f->rnd,
	                       .satfinite = f->satfinite, .a_column = f->a_column, .b_row = f->b_row, .sparse = f->kind == TENSOR_SPARSE};
	const struct tensor_numerics whose = x->f->module->program->tensor;
	t.by_halves = tensor_by_halves(whose, (enum tensor_type)f->a);
	t.by_fma = tensor_quarters_by_fma(whose);
	t.rule = tensor_rule(whose, t.by_halves ? TENSOR_F16 : (enum tensor_type)f->a);
	source_rows(x, &i->opnd[1], &spec[1], a);
	source_rows(x, &i->opnd[2], &spec[2], b);
	source_rows(x, &i->opnd[3], &spec[3], c);
	dest_rows(x, &i->opnd[0], &spec[0], d);
	if (f->kind == TENSOR_WMMA) {
		tiles(x, t, spec, a, b, c, d);
		return;
	}
	if (t.sparse) {
		t.row_e = decode_source_row(x, &i->opnd[4], PTX_T_B32);
		t.selector = (uint8_t)i->opnd[5].bits;
	}
	memcpy(t.row_a, a, sizeof a), memcpy(t.row_b, b, sizeof b), memcpy(t.row_c, c, sizeof c), memcpy(t.row_d, d, sizeof d);
	t.steps = (uint8_t)(spec[0].n_elem / 2);
	emit_product(x, &t);
}

// Rows of the addresses of a matrix's accesses, the same for all such instructions of a function.
static int32_t address_row(struct decoder *x, unsigned k)
{
	if (!x->matrix_rows) {
		x->matrix_rows = (int32_t)x->top;
		x->top += TENSOR_MAX_PIECES * 8 * WARP;
	}
	return x->matrix_rows + (int32_t)k * 8 * WARP;
}

static enum exec_list listed(const struct ptx_inst *i)
{
	return i->mods.space == PTX_S_GLOBAL ? EXEC_LIST_DEVICE : i->mods.space == PTX_S_SHARED ? EXEC_LIST_OFFSET : EXEC_LIST_GENERIC;
}

// "ld.global.v2.b32": one access of a matrix.
static const char *access_key(struct decoder *x, bool store, const struct tensor_piece *p, unsigned bytes)
{
	const uint8_t space = x->i->mods.space;
	return arena_printf(x->keep, "%s%s.%sb%u", store ? "st" : "ld", space == PTX_S_GLOBAL ? ".global" : space == PTX_S_SHARED ? ".shared" : "",
	                    p->n > 1 ? "v2." : "", bytes / p->n * 8);
}

static void emit_turn(struct decoder *x, enum tensor_turn turn, int32_t to, int32_t from)
{
	struct uop *u = decode_emit_key(x, turn == TENSOR_TURN_16 ? "movmatrix.sync.aligned.m8n8.trans.b16" : "matrix.turn.b8");
	u->d = to, u->a = from;
}

static void move(struct decoder *x, const struct tensor_form *f, const struct ptx_opnd_spec *spec)
{
	const struct ptx_inst *i = x->i;
	const struct tensor_fragment g = tensor_moved(f);
	const bool store = f->kind == TENSOR_STORE;
	const struct address at = decode_address(x, &i->opnd[!store]);
	struct exec_matrix *m = ARENA_NEW(x->keep, struct exec_matrix);
	enum tensor_turn turn;
	unsigned bytes;
	int32_t rows[WMMA_REGS];
	*m = (struct exec_matrix){.base = at.row, .wide = at.wide, .imm = at.imm, .how = (uint8_t)listed(i),
	                          .bits = tensor_type_bits[f->a]};
	m->n = (uint8_t)tensor_pieces(&g, m->piece, &turn, &bytes);
	m->bytes = (uint8_t)bytes;
	m->stride = i->n_opnd > 2 ? decode_source_row(x, &i->opnd[2], PTX_T_B32) : decode_const_row(x, tensor_default_stride(&g), false);
	decode_list_access(x, EXEC_LIST_MATRIX, (struct address){.imm = (int64_t)(uintptr_t)m});
	if (store)
		source_rows(x, &i->opnd[1], &spec[1], rows);
	else
		dest_rows(x, &i->opnd[0], &spec[0], rows);
	for (unsigned k = 0; k < m->n; k++) { // all of them first: a result may be the address
		struct uop *u = decode_emit_key(x, "matrix.address");
		u->imm = (int64_t)(uintptr_t)m;
		u->x[0] = (int32_t)k;
		u->d = address_row(x, k);
	}
	for (unsigned k = 0; k < m->n; k++) {
		const struct tensor_piece *p = &m->piece[k];
		int32_t first = rows[p->first];
		if (store && turn != TENSOR_TURN_NONE)
			emit_turn(x, turn, first = decode_temp_row(x), rows[p->first]);
		struct uop *u = decode_emit_key(x, access_key(x, store, p, bytes));
		u->a = address_row(x, k);
		u->flags |= UOP_ADDR64;
		u->d = u->b = u->x[0] = first;
		if (p->n > 1)
			u->x[1] = rows[p->first + 1];
		if (!store && turn != TENSOR_TURN_NONE)
			emit_turn(x, turn, first, first);
	}
	for (unsigned r = tensor_fragment_own(&g); !store && r < spec[0].n_elem; r++)
		emit_copy(x, rows[r], rows[r % tensor_fragment_own(&g)]);
}

bool decode_tensor(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	struct tensor_form f;
	struct ptx_opnd_spec spec[TENSOR_OPNDS];
	if (!(i->op->flags & PTX_OP_TENSOR) || tensor_read(i->text, &f) || tensor_opnd_spec(i, TENSOR_OPNDS, spec) != i->n_opnd)
		return false;
	if (f.kind == TENSOR_LOAD || f.kind == TENSOR_STORE)
		move(x, &f, spec);
	else
		product(x, &f, spec);
	return true;
}
