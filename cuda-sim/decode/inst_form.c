// The static facts of PTX instructions that a core goes by: class, space, width, registers.
#include "cuda-sim/decode/decoded.h"
#include "cuda-sim/ptx/tensor_ops.h"
#include "cuda-sim/ptx/wgmma_ops.h"

#include <string.h>

static bool is(const struct ptx_inst *i, const char *name) { return strcmp(i->op->name, name) == 0; }

bool ptx_is_entry_param(const struct ptx_func *f, const struct ptx_var *v)
{
	if (!f->entry || v->space != PTX_S_PARAM)
		return false;
	for (unsigned k = 0; k < f->n_param; k++)
		if (f->param[k] == v)
			return true;
	return false;
}

bool ptx_in_entry_params(const struct ptx_func *f, const struct ptx_opnd *o)
{
	const struct ptx_opnd *base = o->kind == PTX_O_MEM ? &o->elem[0] : o;
	if (base->kind == PTX_O_VAR)
		return ptx_is_entry_param(f, base->var);
	return f->entry;
}

// ld.param and st.param of what calls pass: parts of a frame, not memory to a core.
static bool is_argument_access(const struct ptx_func *f, const struct ptx_inst *i)
{
	if (i->mods.space != PTX_S_PARAM || (!is(i, "ld") && !is(i, "st")))
		return false;
	return is(i, "st") || i->n_opnd < 2 || !ptx_in_entry_params(f, &i->opnd[1]);
}

static uint16_t number_of(uint32_t reg) { return (uint16_t)(reg % UINT16_MAX + 1); }

// Adds a register; returns the new number of registers.
static uint8_t add_register(const struct ptx_func *f, uint16_t *num, uint16_t *bank, uint8_t n, unsigned max, uint32_t reg)
{
	int32_t in_file = f->reg[reg].num;
	if (n == max)
		return n;
	num[n] = number_of(reg);
	bank[n] = in_file < 0 ? ISA_NO_BANK : (uint16_t)(in_file % ISA_NO_BANK);
	return (uint8_t)(n + 1);
}

// The same unless it is there already.
static uint8_t add_new_register(const struct ptx_func *f, uint16_t *num, uint16_t *bank, uint8_t n, unsigned max, uint32_t reg)
{
	for (unsigned k = 0; k < n; k++)
		if (num[k] == number_of(reg))
			return n;
	return add_register(f, num, bank, n, max, reg);
}

// By its number in the instruction form.
static bool is_predicate(const struct ptx_func *f, uint16_t r) { return f->reg[r - 1].type == PTX_T_PRED; }

// What a call calls, if the simulator answers it itself.
static const struct builtin *builtin_of(const struct ptx_func *f, const struct ptx_inst *i)
{
	for (unsigned k = 0; k < i->n_opnd; k++) {
		const struct ptx_opnd *o = &i->opnd[k];
		if (o->kind != PTX_O_FUNC || (o->func->def && o->func->def->body))
			continue;
		const struct builtin *b = f->module->program->builtin(o->func->name);
		if (b)
			return b;
	}
	return NULL;
}

// The uses of a product's accumulators come first: each is read and written.
static size_t accumulators(const struct ptx_inst *i)
{
	size_t n = 0;
	for (unsigned k = 0; k < i->opnd[0].n; k++)
		n += i->opnd[0].elem[k].kind == PTX_O_REG;
	return 2 * n;
}

bool decode_is_async_part(const struct ptx_inst *i)
{
	if (is(i, "st") || is(i, "red"))
		return strstr(i->key, ".async") && !(i->op->flags & PTX_OP_LENIENT);
	return is(i, "cp") && strstr(i->key, ".bulk") && i->n_opnd > 1 && !(i->op->flags & PTX_OP_LENIENT) && !strstr(i->key, ".tensor");
}

bool decode_is_tensor_copy(const struct ptx_inst *i)
{
	return !(i->op->flags & PTX_OP_LENIENT) && (is(i, "tensormap") || (is(i, "cp") && strstr(i->key, ".tensor.")));
}

bool decode_is_cluster(const struct ptx_inst *i) { return strstr(i->text, ".shared::cluster") != NULL; }

// Asynchronous copies and products of warp groups, and their groups; mbarriers.
static void describe_async(struct isa_inst *s, const struct ptx_inst *i)
{
	static const struct { const char *key; uint8_t async; } groups[] = {
		{"cp.async.commit_group", ISA_ASYNC_COMMIT}, {"cp.async.wait_group", ISA_ASYNC_WAIT}, {"cp.async.wait_all", ISA_ASYNC_WAIT},
		{"cp.async.bulk.commit_group", ISA_ASYNC_BULK_COMMIT}, {"cp.async.bulk.wait_group", ISA_ASYNC_BULK_WAIT},
		{"cp.async.bulk.wait_group.read", ISA_ASYNC_BULK_WAIT_READ},
		{"wgmma.commit_group.sync", ISA_ASYNC_MMA_COMMIT}, {"wgmma.wait_group.sync", ISA_ASYNC_MMA_WAIT},
	};
	if (i->op->flags & PTX_OP_GROUP)
		s->async = ISA_ASYNC_MMA;
	if (!strncmp(i->key, "cp.async.shared.global", 22)) {
		s->async = ISA_ASYNC_COPY;
		s->bytes = (uint8_t)i->opnd[2].bits;
		s->has_access = true;
	}
	if ((is(i, "mbarrier") || !strncmp(i->key, "cp.async.mbarrier", 17)) && s->cls == ISA_ATOMIC) {
		s->bytes = 8;
		if (decode_is_cluster(i)) { // takes effect when the cycle ends
			s->cls = ISA_ALU;
			s->space = SPACE_NONE;
			s->ordered = true;
		}
	}
	const bool async = decode_is_async_part(i) || decode_is_tensor_copy(i);
	if (async || (is(i, "st") && !strncmp(i->key, "st.bulk", 7))) { // takes effect when the cycle ends
		s->space = SPACE_NONE;
		s->ordered = async;
		s->cls = ISA_ALU;
		if (async && !is(i, "tensormap"))
			s->async = ISA_ASYNC_BULK_COPY;
	}
	for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
		if (strcmp(i->key, groups[k].key))
			continue;
		s->async = groups[k].async;
		s->async_keep = (uint8_t)(!i->n_opnd ? 0 : i->opnd[0].bits < UINT8_MAX ? i->opnd[0].bits : UINT8_MAX);
	}
}

// What a lane touches in each access of a wmma.load or wmma.store.
static uint8_t matrix_bytes(const struct ptx_inst *i)
{
	struct tensor_form f;
	struct tensor_piece piece[TENSOR_MAX_PIECES];
	enum tensor_turn turn;
	unsigned bytes;
	if (tensor_read(i->text, &f))
		return 0;
	const struct tensor_fragment g = tensor_moved(&f);
	tensor_pieces(&g, piece, &turn, &bytes);
	return (uint8_t)bytes;
}

static struct isa_matrix matrix_of(const struct ptx_inst *i)
{
	enum { GROUP_ROWS = 64 };
	struct wgmma_form g;
	struct tensor_form f;
	if (i->op->flags & PTX_OP_GROUP && !wgmma_read(i->text, &g))
		return (struct isa_matrix){.m = GROUP_ROWS, .n = g.n, .k = g.k, .bits = tensor_type_bits[g.a], .sparse = g.sparse,
		                           .shared_a = i->opnd[WGMMA_A].kind != PTX_O_VEC};
	if (i->op->flags & PTX_OP_TENSOR && !tensor_read(i->text, &f) && f.kind <= TENSOR_WMMA)
		return (struct isa_matrix){.m = (uint8_t)f.m, .n = f.n, .k = f.k, .bits = tensor_type_bits[f.a],
		                           .sparse = f.kind == TENSOR_SPARSE};
	return (struct isa_matrix){0};
}

static void describe_inst(struct code *c, uint32_t n)
{
	const struct ptx_func *f = c->func;
	const struct ptx_inst *i = &f->inst[n];
	struct isa_inst *s = &c->isa[n];
	static const uint8_t space[] = {SPACE_GENERIC, SPACE_NONE,  SPACE_GLOBAL, SPACE_CONST,
	                                SPACE_SHARED,  SPACE_LOCAL, SPACE_PARAM,  SPACE_TEX};
	enum ptx_type t = (enum ptx_type)i->mods.type[0];
	s->cls = (uint8_t)ptx_inst_class(i);
	if (s->cls == ISA_BARRIER && (is(i, "bar") || is(i, "barrier")) && !strstr(i->key, ".warp") && !strstr(i->key, ".cluster"))
		s->barrier = strstr(i->key, ".arrive") ? ISA_BARRIER_ARRIVE : ISA_BARRIER_SYNC;
	if (is(i, "ret") && f->entry)
		s->cls = ISA_EXIT;
	if (is_argument_access(f, i)) {
		s->cls = ISA_MOV;
	} else if (i->op->flags & PTX_OP_MEMORY) {
		s->surface = is(i, "suld") || is(i, "sust") || is(i, "sured");
		s->space = s->cls == ISA_TEXTURE ? SPACE_TEX : s->surface ? SPACE_GLOBAL : space[i->mods.space];
		s->bytes = (uint8_t)((ptx_type_bits[t] + 7u) / 8 * (i->mods.vec ? i->mods.vec : 1));
		if (is(i, "ldmatrix") || is(i, "stmatrix")) {
			s->bytes = 16; // a row for each lane that gives an address, 8 or 16 lanes for a matrix
			s->address_lanes = (uint8_t)((strstr(i->text, ".m16n16") ? 16 : 8) * i->mods.vec);
		}
		if (i->op->flags & PTX_OP_TENSOR)
			s->bytes = matrix_bytes(i);
	}
	s->matrix = matrix_of(i);
	describe_async(s, i);
	const struct builtin *called = s->cls == ISA_CALL ? builtin_of(f, i) : NULL;
	if (called)
		s->service = (uint8_t)called->service;
	s->ordered |= (s->cls == ISA_ATOMIC && s->space != SPACE_SHARED) || (called && !called->mathematics);
	s->ordered |= !strncmp(i->key, "barrier.cluster.arrive", 22);
	s->ordered |= !strcmp(i->key, "griddepcontrol.launch_dependents");
	s->cache_op = i->mods.cache;
	s->is_volatile = i->mods.sem == PTX_VOLATILE;
	s->is_uniform_branch = i->mods.uni;
	s->line = i->loc ? i->loc : i->line;
	s->text = n;
	s->pc = (c->first_inst + n) * INST_BYTES;
	reg_uses uses = {0};
	inst_reg_operands(i, &uses);
	for (size_t k = 0; k < uses.n; k++) {
		if (s->async == ISA_ASYNC_MMA && k < accumulators(i))
			continue; // of the products under way, not of the instruction: ISA_ASYNC_MMA_WAIT waits for them
		if (uses.at[k].def)
			s->n_dst = add_new_register(f, s->dst, s->dst_bank, s->n_dst, ISA_MAX_DST, uses.at[k].reg);
		else
			s->n_src = add_new_register(f, s->src, s->src_bank, s->n_src, ISA_MAX_SRC - 1, uses.at[k].reg);
	}
	VEC_FREE(&uses);
	s->n_read = s->n_src;
	if (i->guard >= 0)
		s->n_src = add_register(f, s->src, s->src_bank, s->n_src, ISA_MAX_SRC, (uint32_t)i->guard);
	for (unsigned k = 0; k < s->n_src; k++)
		s->src_predicates |= (uint32_t)is_predicate(f, s->src[k]) << k;
	for (unsigned k = 0; k < s->n_dst; k++)
		s->dst_predicates |= (uint8_t)(is_predicate(f, s->dst[k]) << k);
}

void decode_inst_forms(struct code *c)
{
	for (uint32_t n = 0; n < c->func->n_inst; n++)
		describe_inst(c, n);
}
