// PTX instructions become micro-ops: bodies are found by key, operands are resolved to rows and constants (operand.c).
// Branches, calls and barriers are in flow.c, textures in texture.c.
#include "cuda-sim/decode/decoder.h"

#include "cuda-sim/exec/straight.h"
#include "cuda-sim/ptx/video_ops.h"

// ld.param of an entry at a constant offset: the value is a row already.
static bool load_entry_param(struct decoder *x, const struct ptx_opnd *dst, const struct ptx_opnd *src, enum ptx_type t)
{
	const struct ptx_opnd *base = src->kind == PTX_O_MEM ? &src->elem[0] : src;
	if (base->kind != PTX_O_VAR || !ptx_is_entry_param(x->f, base->var))
		return false;
	unsigned n = dst->kind == PTX_O_VEC ? dst->n : 1, bytes = decode_type_bytes(t);
	if (bytes > 8)
		return false;
	uint64_t at = base->var->addr + (uint64_t)(src->offset + (base == src ? 0 : base->offset));
	decode_list_access(x, EXEC_LIST_FIXED, (struct address){.imm = (int64_t)at});
	for (unsigned k = 0; k < n; k++) {
		const struct ptx_opnd *o = dst->kind == PTX_O_VEC ? &dst->elem[k] : dst;
		bool wide = o->kind == PTX_O_REG && decode_row_class(x->f->reg[o->index].type) == 2;
		struct row_init r = {.kind = ROW_PARAM, .wide = wide, .bytes = (uint8_t)bytes,
		                     .sign = ptx_type_kind[t] == 's', .bits = at + k * bytes};
		struct uop *u = decode_emit_key(x, wide ? "mov.b64" : "mov.b32");
		u->a = decode_init_row(x, ROWS_LAUNCH, r);
		u->d = o->kind == PTX_O_REG ? (int32_t)x->c->row_of_reg[o->index] : SCRATCH_ROW;
	}
	return true;
}

// The key with ".param" replaced: parameters are read where they really are.
static const char *respace(struct decoder *x, const char *key, const char *space)
{
	const char *p = strstr(key, ".param");
	return p ? arena_printf(x->keep, "%.*s.%s%s", (int)(p - key), key, space, p + 6) : key;
}

static bool is_clock(const struct ptx_opnd *o)
{
	if (o->kind != PTX_O_SREG)
		return false;
	switch ((enum ptx_sreg)o->index) {
	case PTX_SR_CLOCK:
	case PTX_SR_CLOCK_HI:
	case PTX_SR_CLOCK64:
	case PTX_SR_GLOBALTIMER:
	case PTX_SR_GLOBALTIMER_LO:
	case PTX_SR_GLOBALTIMER_HI:
		return true;
	default:
		return false;
	}
}

static bool decode_mov(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	if (!is(i, "mov") || i->n_opnd != 2)
		return false;
	const struct ptx_opnd *d = &i->opnd[0], *s = &i->opnd[1];
	enum ptx_type t = (enum ptx_type)i->mods.type[0];
	if (is_clock(s)) {
		struct dest to = decode_dest_row(x, d, ptx_type_bits[t] == 64 ? PTX_T_U64 : PTX_T_U32);
		struct uop *u = decode_emit(x, NULL);
		u->ctl = CTL_CLOCK;
		u->d = to.row;
		u->x[1] = ptx_type_bits[t] == 64;
		u->x[2] = s->index == PTX_SR_CLOCK_HI || s->index == PTX_SR_GLOBALTIMER_HI;
		u->x[3] = s->index == PTX_SR_GLOBALTIMER || s->index == PTX_SR_GLOBALTIMER_LO || s->index == PTX_SR_GLOBALTIMER_HI;
		decode_finish_dest(x, &to);
		return true;
	}
	bool pack = s->kind == PTX_O_VEC, unpack = d->kind == PTX_O_VEC;
	if (!pack && !unpack)
		return false;
	const struct ptx_opnd *vec = pack ? s : d, *one = pack ? d : s;
	unsigned bits = ptx_type_bits[t];
	if (vec->n < 2 || vec->n > 4 || (bits == 128 && vec->n > 4)) {
		decode_complain(x, "'%s' can't have %u elements", i->text, vec->n);
		return true;
	}
	unsigned each = bits / vec->n;
	enum ptx_type et = each == 64 ? PTX_T_B64 : each == 32 ? PTX_T_B32 : each == 16 ? PTX_T_B16 : PTX_T_B8;
	int32_t row[4] = {0}, whole;
	for (unsigned k = 0; k < vec->n; k++)
		row[k] = pack ? decode_source_row(x, &vec->elem[k], et)
		         : vec->elem[k].kind == PTX_O_REG ? (int32_t)x->c->row_of_reg[vec->elem[k].index]
		                                         : SCRATCH_ROW;
	whole = pack ? decode_dest_row(x, one, t).row : decode_source_row(x, one, t);
	struct uop *u = decode_emit_key(x, arena_printf(x->keep, "mov.%s%u.b%u", pack ? "pack" : "unpack", vec->n, bits));
	if (pack)
		u->d = whole;
	else
		u->a = whole;
	memcpy(u->x, row, sizeof row);
	return true;
}

static bool decode_param_access(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	if (i->mods.space != PTX_S_PARAM || !is(i, "ld") || i->n_opnd != 2)
		return false;
	return load_entry_param(x, &i->opnd[0], &i->opnd[1], (enum ptx_type)i->mods.type[0]);
}

static const char *real_key(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	if (i->mods.space != PTX_S_PARAM)
		return i->key;
	if (is(i, "ld") || is(i, "st")) {
		const struct ptx_opnd *m = is(i, "ld") ? &i->opnd[1] : &i->opnd[0];
		bool entry = is(i, "ld") && ptx_in_entry_params(x->f, m);
		if (entry)
			x->c->kernel->param_memory = true;
		return respace(x, i->key, entry ? "global" : "local");
	}
	// cvta.param: the address of a kernel parameter is generic already, that of another one is local.
	return respace(x, i->key, x->f->entry ? "global" : "local");
}

// atom and red on vectors: each element is an atomic of its own (PTX ISA), in whatever order the suffixes stand.
static bool decode_vector_atomic(struct decoder *x)
{
	static const char *const ops[] = {"add", "min", "max"};
	const struct ptx_inst *i = x->i;
	bool atom = is(i, "atom");
	if ((!atom && !is(i, "red")) || i->mods.vec < 2)
		return false;
	enum ptx_type t = (enum ptx_type)i->mods.type[0];
	const char *op = "";
	for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
		if (decode_has_part(i->key, ops[k]))
			op = ops[k];
	const char *space = i->mods.space == PTX_S_GLOBAL ? ".global" : i->mods.space == PTX_S_SHARED ? ".shared" : "";
	const char *key = arena_printf(x->keep, "%s%s.%s%s.%s", i->op->name, space, op,
	                               decode_has_part(i->key, "noftz") ? ".noftz" : "", ptx_type_text[t]);
	const struct ptx_opnd *dst = &i->opnd[0], *src = &i->opnd[1 + atom];
	struct address a = decode_address(x, &i->opnd[atom]);
	decode_list_address(x, a);
	int32_t old[8] = {0};
	for (unsigned k = 0; k < src->n && k < 8; k++) {
		int32_t b = decode_source_row(x, &src->elem[k], t);
		// A result may be the operand of a later element: results wait in rows of their own.
		old[k] = (int32_t)x->top;
		x->top += 8 * WARP;
		struct uop *u = decode_emit_key(x, key);
		u->d = old[k];
		u->a = a.row;
		u->imm = a.imm + (int64_t)k * decode_type_bytes(t);
		u->b = b;
		if (a.wide)
			u->flags |= UOP_ADDR64;
	}
	for (unsigned k = 0; atom && dst->kind == PTX_O_VEC && k < dst->n && k < 8; k++) {
		struct dest d = decode_dest_row(x, &dst->elem[k], t);
		struct uop *u = decode_emit_key(x, decode_type_bytes(t) == 8 ? "mov.b64" : "mov.b32");
		u->a = old[k];
		u->d = d.row;
		decode_finish_dest(x, &d);
	}
	return true;
}

static bool polls(const struct ptx_inst *i)
{
	if (is(i, "nanosleep"))
		return true;
	if (is(i, "atom"))
		return i->opnd[0].kind == PTX_O_REG;
	return is(i, "ld") && i->mods.sem != PTX_SEM_NONE && i->mods.sem != PTX_WEAK;
}

static bool is_sync(const struct ptx_inst *i)
{
	static const char *const name[] = {"shfl", "vote", "match", "redux", "elect"};
	for (size_t k = 0; k < sizeof name / sizeof *name; k++)
		if (is(i, name[k]))
			return strstr(i->key, ".sync") != NULL;
	return false;
}

static bool narrow_register(const struct decoder *x, const struct ptx_opnd *o)
{
	return o->kind == PTX_O_REG && decode_row_class((enum ptx_type)x->f->reg[o->index].type) < 2;
}

// alloca: imm is the alignment, c the end of the function's own local memory, down to which the stack may grow.
static void alloca_limits(struct decoder *x, struct uop *u)
{
	const struct ptx_inst *i = x->i;
	uint64_t align = i->n_opnd > 2 ? i->opnd[2].bits : 8;
	if (!align || align & (align - 1) || align > 1u << 23)
		decode_complain(x, "'%s' aligns to %llu; the PTX ISA has powers of two up to 2^23", i->text, (unsigned long long)align);
	u->imm = (int64_t)align;
	u->c = decode_local_row(x, x->c->local_bytes);
	x->c->allocates = true;
}

static void decode_plain(struct decoder *x, const char *key, unsigned first_elem, unsigned n_elem)
{
	const struct ptx_inst *i = x->i;
	struct ptx_opnd_spec spec[PTX_MAX_OPNDS] = {0};
	// Its operands are then of kinds that nothing here knows.
	if (!decode_executes(x, key)) {
		decode_emit(x, NULL);
		return;
	}
	ptx_opnd_spec(i, PTX_MAX_OPNDS, spec);

	struct uop t = {0};
	int32_t *const src[] = {&t.a, &t.b, &t.c, &t.x[0], &t.x[1], &t.x[2]};
	static const uint16_t neg[] = {UOP_NEG_A, UOP_NEG_B, UOP_NEG_C, 0, 0, 0};
	struct dest dest[5];
	unsigned n_dest = 0, n_src = 0;
	bool second = false;
	int32_t last = 0;
	for (unsigned k = 0; k < i->n_opnd; k++)
		second |= spec[k].has_second;

	// Sources first, since they may need conversions before the instruction.
	for (unsigned k = 0; k < i->n_opnd; k++) {
		const struct ptx_opnd *o = &i->opnd[k];
		enum ptx_type ty = (enum ptx_type)spec[k].type;
		if (spec[k].is_dest)
			continue;
		if (o->kind == PTX_O_VEC) {
			for (unsigned e = 0; e < n_elem && first_elem + e < o->n; e++)
				t.x[e] = decode_source_row(x, &o->elem[first_elem + e], ty);
			continue;
		}
		if (n_src == 3 && second)
			n_src++; // x[0] is the second destination's
		if (n_src >= sizeof src / sizeof *src) {
			decode_complain(x, "'%s' has too many operands", i->text);
			return;
		}
		if (spec[k].is_addr) {
			struct address a = decode_address(x, o);
			decode_list_address(x, a);
			*src[n_src] = a.row;
			t.imm = a.imm;
			if (a.wide)
				t.flags |= UOP_ADDR64;
		} else {
			*src[n_src] = decode_source_row(x, o, spec[k].form == PTX_F_ADDRESS ? PTX_T_B64 : ty);
			if (spec[k].form == PTX_F_ADDRESS && !narrow_register(x, o))
				t.flags |= UOP_ADDR64;
			if (o->neg && spec[k].is_pred)
				t.flags |= neg[n_src];
		}
		last = *src[n_src++];
	}
	for (unsigned k = 0; k < i->n_opnd; k++) {
		const struct ptx_opnd *o = &i->opnd[k];
		enum ptx_type ty = spec[k].is_pred ? PTX_T_PRED : (enum ptx_type)spec[k].type;
		if (!spec[k].is_dest)
			continue;
		if (o->kind == PTX_O_VEC) {
			for (unsigned e = 0; e < n_elem && first_elem + e < o->n; e++) {
				dest[n_dest] = decode_dest_row(x, &o->elem[first_elem + e], ty);
				t.x[e] = dest[n_dest++].row;
			}
			t.d = t.x[0];
			continue;
		}
		dest[n_dest] = decode_dest_row(x, o, ty);
		t.d = dest[n_dest++].row;
		if (o->second)
			t.x[0] = decode_dest_row(x, o->second, PTX_T_PRED).row;
	}

	struct uop *u = decode_emit_key(x, key);
	u->d = t.d, u->a = t.a, u->b = t.b, u->c = t.c;
	memcpy(u->x, t.x, sizeof t.x);
	u->imm = t.imm + (int64_t)first_elem * decode_type_bytes((enum ptx_type)i->mods.type[0]);
	u->flags |= t.flags;
	if (video_is(i->op)) {
		struct video *v = ARENA_NEW(x->keep, struct video);
		unsigned at;
		video_read(i, x->f->module->text.text, v, &at);
		u->imm = (int64_t)(uintptr_t)v;
	}
	if (is(i, "alloca"))
		alloca_limits(x, u);
	if (polls(i))
		u->flags |= UOP_POLL;
	if (is_sync(i)) {
		u->flags |= UOP_GATHER;
		u->x[3] = last;
	}
	for (unsigned k = 0; k < n_dest; k++)
		decode_finish_dest(x, &dest[k]);
}

static void decode_inst(struct decoder *x)
{
	x->temps = 0;
	x->counted = false;
	if (decode_control(x) || decode_mov(x) || decode_param_access(x) || decode_tensor(x) || decode_wgmma(x) || decode_async(x) || decode_bulk(x) || decode_tma(x) ||
	    decode_tex(x) || decode_surface(x) || decode_vector_atomic(x))
		return;
	const char *key = real_key(x), *v8 = strstr(key, ".v8.");
	if (!v8) {
		decode_plain(x, key, 0, 4);
		return;
	}
	// Eight registers: two accesses of four.
	key = arena_printf(x->keep, "%.*s.v4.%s", (int)(v8 - key), key, v8 + 4);
	decode_plain(x, key, 0, 4);
	decode_plain(x, key, 4, 4);
}

// --- the function

// Gives `v` the next place in the frame's local memory. Words are the unit, so small variables are aligned to them.
static void place_variable(struct decoder *x, struct ptx_var *v, uint32_t *at)
{
	*at = decode_round_up(*at, v->align < 4 ? 4 : v->align);
	if (*at > MAX_LOCAL || v->size > MAX_LOCAL - *at) {
		decode_complain(x, "variable '%s' does not fit the %u bytes of local memory a thread can have", v->name,
		                MAX_LOCAL);
		return;
	}
	v->addr = *at;
	*at += decode_round_up((uint32_t)v->size, 4);
}

static struct code_value *place_values(struct decoder *x, struct ptx_var **v, unsigned n, uint32_t *at)
{
	struct code_value *out = ARENA_ARRAY(x->keep, struct code_value, n + 1);
	for (unsigned k = 0; k < n; k++) {
		out[k].bytes = (uint32_t)v[k]->size;
		if (v[k]->space == PTX_S_REG) {
			out[k].is_row = true;
			for (uint32_t r = 0; r < x->f->n_reg; r++)
				if (strcmp(x->f->reg[r].name, v[k]->name) == 0) {
					out[k].at = (int32_t)x->c->row_of_reg[r];
					break; // formals come first; inner scopes may use the name again
				}
			continue;
		}
		place_variable(x, v[k], at);
		out[k].at = (int32_t)v[k]->addr;
	}
	return out;
}

static uint32_t place_local(struct decoder *x)
{
	struct ptx_func *f = x->f;
	struct code *c = x->c;
	uint32_t at = 0;
	if (f->entry) {
		uint32_t param = 0;
		for (unsigned k = 0; k < f->n_param; k++) {
			param = decode_round_up(param, f->param[k]->align ? f->param[k]->align : 1);
			f->param[k]->addr = param;
			param += (uint32_t)f->param[k]->size;
		}
	} else {
		c->n_param = f->n_param, c->n_ret = f->n_ret;
		c->param = place_values(x, f->param, f->n_param, &at);
		c->ret = place_values(x, f->ret, f->n_ret, &at);
	}
	for (uint32_t k = 0; k < f->n_local; k++) {
		struct ptx_var *v = f->local[k];
		if (v->space == PTX_S_LOCAL || v->space == PTX_S_PARAM)
			place_variable(x, v, &at);
	}
	return decode_round_up(at, 16);
}

static void fix_targets(struct decoder *x)
{
	struct code *c = x->c;
	for (size_t k = 0; k < x->out.n; k++) {
		struct uop *u = &x->out.at[k];
		if (u->ctl == CTL_BRA)
			u->imm = x->uop_of[u->imm];
		if ((u->ctl == CTL_BRA || u->ctl == CTL_BRX) && u->x[0] != (int32_t)UOP_NOWHERE) {
			u->x[0] = (int32_t)x->uop_of[u->x[0]];
			x->out.at[u->x[0]].flags |= UOP_MEETS;
		}
		if (u->ctl == CTL_CALL)
			u[1].flags |= UOP_MEETS;
	}
	c->table = ARENA_ARRAY(x->keep, uint32_t *, x->f->n_table + 1);
	c->table_n = ARENA_ARRAY(x->keep, uint32_t, x->f->n_table + 1);
	for (uint32_t t = 0; t < x->f->n_table; t++) {
		const struct ptx_table *p = &x->f->table[t];
		if (p->kind != PTX_BRANCHTARGETS)
			continue;
		c->table_n[t] = p->n;
		c->table[t] = ARENA_ARRAY(x->keep, uint32_t, p->n + 1);
		for (unsigned k = 0; k < p->n; k++)
			c->table[t][k] = x->uop_of[p->label[k]];
	}
}

bool decode_func(struct code *c, struct diag *d)
{
	struct ptx_func *f = c->func;
	struct arena tmp = {0};
	struct decoder x = {.c = c, .f = f, .d = d, .keep = &c->kernel->arena, .ok = true};
	c->access = ARENA_ARRAY(x.keep, struct code_access, f->n_inst + 1);
	decode_inst_forms(c);
	decode_products(c);
	x.g = code_flow(f, &tmp);
	x.top = rows_assign(c, x.g, x.keep, FIRST_ROW);
	x.top = decode_round_up(x.top, 64);
	c->local_bytes = place_local(&x);
	x.uop_of = ARENA_ARRAY(&tmp, uint32_t, f->n_inst + 1);
	for (uint32_t n = 0; n < f->n_inst; n++) {
		x.i = &f->inst[n];
		x.uop_of[n] = (uint32_t)x.out.n;
		decode_inst(&x);
	}
	x.uop_of[f->n_inst] = (uint32_t)x.out.n;
	x.i = NULL;
	x.counted = true;
	decode_emit(&x, NULL)->ctl = f->entry ? CTL_EXIT : CTL_RET;
	fix_targets(&x);

	c->n_uop = (uint32_t)x.out.n;
	char *at = arena_alloc(x.keep, x.out.n * sizeof(struct uop) + EXEC_UOP_ALIGN);
	c->uop = (struct uop *)(((uintptr_t)at + EXEC_UOP_ALIGN - 1) & ~(uintptr_t)(EXEC_UOP_ALIGN - 1));
	memcpy(c->uop, x.out.at, x.out.n * sizeof(struct uop));
	exec_straight_mark(c->uop, c->n_uop);
	c->inst_of = ARENA_ARRAY(x.keep, uint32_t, x.out.n);
	memcpy(c->inst_of, x.inst_of.at, x.out.n * sizeof *c->inst_of);
	VEC_FREE(&x.inst_of);
	VEC_FREE(&x.missing);
	for (enum row_group g = 0; g < ROWS_N_GROUPS; g++) {
		c->n_init[g] = (uint32_t)x.init[g].n;
		c->init[g] = ARENA_ARRAY(x.keep, struct row_init, x.init[g].n + 1);
		if (x.init[g].n)
			memcpy(c->init[g], x.init[g].at, x.init[g].n * sizeof(struct row_init));
		VEC_FREE(&x.init[g]);
	}
	if (c->allocates) {
		c->kernel->allocates = true;
		c->stack_row = (int32_t)decode_round_up(x.top, 64);
		x.top = (uint32_t)c->stack_row + 4 * WARP;
	}
	c->frame_bytes = decode_round_up(x.top, 64);
	VEC_FREE(&x.out);
	arena_free(&tmp);
	return x.ok;
}
