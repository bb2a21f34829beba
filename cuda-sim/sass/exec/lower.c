// Machine code to micro-ops: every instruction is decoded once, its operands are found by the table of encodings, and the function
// of its mnemonic does the rest.
#include "cuda-sim/sass/exec/lower.h"

#include "base/mem.h"
#include "cuda-sim/exec/apart.h"
#include "cuda-sim/exec/straight.h"
#include "cuda-sim/sass/machine/form.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { RESULT_UR = 16 }; // where uniform registers are written

// --- operands of the instruction at hand

static struct sx_pred predicate(const struct lower *x, const struct sass_token *t)
{
	uint64_t v = sass_token_value(x->i.word, t);
	unsigned n = v & 7;
	bool neg = t->flags & SASS_NEGATED && v >> 3 & 1;
	if (t->only_if >= 0 && !sass_bit(x->i.word, (unsigned)t->only_if)) {
		n = t->absent & 7;
		neg = t->absent >> 3 & 1;
	}
	int32_t file = t->place == SASS_AT_UP ? SX_AT_UP : SX_AT_P;
	return (struct sx_pred){.at = file + (int32_t)n * 4, .neg = neg, .always = n == SX_PT && !neg};
}

static struct sx_source source(const struct lower *x, const struct sass_token *t)
{
	struct sass_source_bits b = sass_source_at(&x->i, t);
	struct sass_word w = x->i.word;
	struct sx_source s = {.reg = sass_is_uniform_slot(b.slot) ? (uint16_t)lower_ur_at(x, b.lsb) : (uint16_t)sass_run(w, b.lsb, b.width)};
	switch (b.slot) {
	case SASS_SLOT_A:
	case SASS_SLOT_REG_B:
	case SASS_SLOT_REG_C: s.kind = SX_O_R; break;
	case SASS_SLOT_UR:
	case SASS_SLOT_UR_C: s.kind = SX_O_UR; break;
	case SASS_SLOT_CONST:
		s.kind = SX_O_CONST;
		s.bank = (uint8_t)sass_run(w, 54, 5);
		s.bits = (uint32_t)sass_run(w, 38, 16);
		break;
	case SASS_SLOT_IMM:
		s.kind = SX_O_IMM;
		s.bits = (uint32_t)sass_run(w, 32, 32);
		s.imm_kind = t->imm;
		break;
	}
	bool inverts = t->flags & SASS_CAN_INVERT || (t->flags & SASS_CAN_NEG_OR_INVERT && lower_has(x, "X"));
	bool minus = b.neg && sass_bit(w, b.neg);
	s.neg = minus && !inverts;
	s.invert = minus && inverts;
	s.abs = b.abs && sass_bit(w, b.abs);
	s.halves = b.halves ? (uint8_t)sass_run(w, b.halves, 2) : 0;
	return s;
}

// A is at bits 24 up of instructions of the uniform data path; so is its sign at 72.
static struct sx_source uniform_source(const struct lower *x, const struct sass_token *t)
{
	struct sx_source s = {.kind = SX_O_UR, .reg = (uint16_t)lower_ur_at(x, 24)};
	bool inverts = t->flags & SASS_CAN_INVERT || (t->flags & SASS_CAN_NEG_OR_INVERT && lower_has(x, "X"));
	bool minus = t->flags & (SASS_CAN_NEG | SASS_CAN_INVERT | SASS_CAN_NEG_OR_INVERT) && sass_bit(x->i.word, 72);
	s.neg = minus && !inverts;
	s.invert = minus && inverts;
	s.abs = t->flags & SASS_CAN_ABS && sass_bit(x->i.word, 73);
	return s;
}

static void add_source(struct lower *x, struct sx_source s)
{
	if (x->n_src < SX_MAX_SOURCES)
		x->src[x->n_src++] = s;
}

static void add_token(struct lower *x, const struct sass_token *t)
{
	enum { RESULT_1 = 81, RESULT_2 = 84 }; // where predicates are written
	switch ((enum sass_place)t->place) {
	case SASS_AT_D:
	case SASS_AT_UD:
		x->has_dst = true;
		x->uniform_dst = t->place == SASS_AT_UD;
		x->dst = x->uniform_dst ? (uint16_t)lower_ur_at(x, RESULT_UR) : (uint16_t)sass_run(x->i.word, 16, 8);
		break;
	case SASS_AT_A:
	case SASS_AT_B:
	case SASS_AT_C:
	case SASS_AT_UC:
		add_source(x, source(x, t));
		break;
	case SASS_AT_UA:
		add_source(x, uniform_source(x, t));
		break;
	case SASS_AT_R:
		add_source(x, (struct sx_source){.kind = SX_O_R, .reg = (uint16_t)sass_get(x->i.word, t->bits)});
		break;
	case SASS_AT_UR:
		if (t->bits.lsb[0] == RESULT_UR) {
			x->has_dst = x->uniform_dst = true;
			x->dst = (uint16_t)lower_ur_at(x, RESULT_UR);
		} else {
			add_source(x, (struct sx_source){.kind = SX_O_UR, .reg = (uint16_t)lower_ur_at(x, t->bits.lsb[0]),
			                                 .invert = t->flags & SASS_CAN_INVERT && sass_bit(x->i.word, t->bits.lsb[0] + t->bits.width[0])});
		}
		break;
	case SASS_AT_P:
	case SASS_AT_UP:
		if (t->bits.lsb[0] == RESULT_1 || t->bits.lsb[0] == RESULT_2) {
			struct sx_pred p = predicate(x, t);
			x->pout_used[x->n_pout] = !p.always;
			x->pout[x->n_pout++] = p.always ? SX_AT_P_SINK : p.at;
		} else if (x->n_pin < SX_MAX_PREDS) {
			x->pin[x->n_pin++] = predicate(x, t);
		}
		break;
	default:
		break;
	}
}

static void take_operands(struct lower *x)
{
	x->has_dst = x->uniform_dst = x->begun = false;
	x->n_src = x->n_pin = x->n_pout = x->ptemps = 0;
	memset(x->temps, 0, sizeof x->temps);
	x->pout[0] = x->pout[1] = SX_AT_P_SINK;
	x->pout_used[0] = x->pout_used[1] = false;
	for (unsigned i = x->i.row->n_mnemonic; i < x->i.row->n_token; i++)
		add_token(x, &x->i.row->token[i]);
}

// --- what cores are told: the same as of an instruction in a trace

static bool polls(const struct isa_inst *i, const struct sass_decoded *d)
{
	return i->is_volatile || (i->cls == ISA_ATOMIC && sass_run(d->word, 16, 8) != SX_RZ);
}

static void fill_form(struct lower *x, uint32_t units)
{
	struct isa_inst *i = &x->k->isa[x->at];
	const char *wrong = sass_form(i, ARENA_NEW(&x->k->arena, struct isa_sass), &x->i, units);
	if (wrong) {
		lower_fail(x, "%s", wrong);
		return;
	}
	i->text = x->at;
}

// --- checks

static void check_registers(struct lower *x)
{
	const struct isa_inst *i = &x->k->isa[x->at];
	const struct isa_sass *s = i->sass;
	for (unsigned k = 0; s && k < s->n_dst + s->n_src; k++) {
		const struct isa_operand *o = k < s->n_dst ? &s->dst[k] : &s->src[k - s->n_dst];
		if (o->file == ISA_FILE_R && o->count && (uint32_t)o->reg + o->count > x->k->n_r)
			lower_fail(x, "R%u is more than the %u registers of the kernel", o->reg + o->count - 1u, x->k->image->registers);
	}
}

static const struct lower_op *const families[] = {lower_int_ops, lower_float_ops, lower_half_ops, lower_convert_ops,
                                                  lower_memory_ops, lower_texture_ops, lower_surface_ops, lower_warp_ops,
                                                  lower_tensor_ops, lower_wgmma_ops, lower_async_ops, lower_tma_ops, lower_flow_ops};

static const struct lower_op *find(const char *name)
{
	for (size_t f = 0; f < sizeof families / sizeof *families; f++)
		for (const struct lower_op *o = families[f]; o->name; o++)
			if (!strcmp(o->name, name))
				return o;
	return NULL;
}

// Is the word `part` of `n` letters one of `words`, or does it begin as one that ends in * does?
static bool among(const char *words, const char *part, size_t n)
{
	for (const char *at = words; *at; at += strcspn(at, " ")) {
		at += strspn(at, " ");
		size_t len = strcspn(at, " ");
		if ((len == n && !memcmp(at, part, n)) || (at[len - 1] == '*' && n >= len && !memcmp(at, part, len - 1)))
			return true;
	}
	return false;
}

static bool knows_modifiers(struct lower *x, const struct lower_op *op)
{
	const struct sass_row *r = x->i.row;
	for (unsigned k = 0; k < r->n_mnemonic; k++) {
		const struct sass_token *t = &r->token[k];
		const char *at = t->place == SASS_AT_WORD ? t->value[0] : t->place == SASS_AT_MODIFIER ? t->value[sass_get(x->i.word, t->bits)] : "";
		if (k == 0)
			at += strlen(r->op);
		while (*at) {
			at += *at == '.';
			size_t n = strcspn(at, ".");
			if (n && !among(op->modifiers, at, n)) {
				lower_fail(x, "its modifier .%.*s is not executed by this version", (int)n, at);
				return false;
			}
			at += n;
		}
	}
	return true;
}

// May be part of a spin loop: others get a turn after some of these.
static void mark_poll(struct lower *x)
{
	x->out.at[x->k->first[x->at]].flags |= UOP_POLL;
	if (x->has_dst && x->k->isa[x->at].bytes <= 8)
		x->k->access[x->at].value = lower_dst(x);
}

// What an instruction takes from the stack, whose pointer is R1: a constant, or any number of bytes if it goes by another register.
static uint64_t taken_from_stack(const struct lower *x)
{
	enum { STACK = 1 };
	uint64_t taken = 0;
	if (!x->has_dst || x->uniform_dst || x->dst != STACK)
		return 0;
	for (unsigned k = 0; k < x->n_src; k++) {
		const struct sx_source *s = &x->src[k];
		if ((s->kind == SX_O_R && s->reg != STACK && s->reg != SX_RZ) || (s->kind == SX_O_UR && s->reg != SX_URZ))
			return UINT32_MAX;
		int32_t change = s->kind == SX_O_IMM ? (int32_t)(s->neg ? 0 - s->bits : s->bits) : 0;
		taken += change < 0 ? 0 - (uint32_t)change : 0;
	}
	return taken;
}

static void lower_inst(struct lower *x, uint32_t units)
{
	char why[160];
	uint64_t pc = (uint64_t)x->at * SX_INST_BYTES;
	struct sass_word w = sx_word(x->k, x->at);
	if (!sass_decode(x->k->isa_table, w, pc, &x->i, why, sizeof why)) {
		if (x->ok)
			diag_add(x->d, DIAG_ERROR, "%s: kernel %s, pc 0x%" PRIx64 ": %016" PRIx64 "%016" PRIx64 " is no instruction known to this version: %s",
			         x->k->image->file, x->k->image->name, pc, w.hi, w.lo, why);
		x->ok = false;
		return;
	}
	fill_form(x, units);
	if (!x->ok)
		return;
	take_operands(x);
	check_registers(x);
	x->stack += taken_from_stack(x);
	const struct lower_op *op = find(x->i.row->op);
	if (!op)
		lower_fail(x, "is not executed by this version");
	else if (knows_modifiers(x, op))
		op->fn(x);
	if (x->ok && !x->begun)
		lower_emit(x, "sass.nop");
	if (x->ok && polls(&x->k->isa[x->at], &x->i))
		mark_poll(x);
}

// --- the whole

static uint32_t uop_at(struct lower *x, const struct uop *u, uint64_t pc)
{
	if (pc % SX_INST_BYTES == 0 && pc / SX_INST_BYTES < x->k->n)
		return x->k->first[pc / SX_INST_BYTES];
	x->at = x->inst_of.at[u - x->out.at];
	x->i.pc = (uint64_t)x->at * SX_INST_BYTES;
	lower_fail(x, "goes to 0x%" PRIx64 ", where the kernel has no instruction", pc);
	return 0;
}

// Targets are pcs until every instruction has its micro-ops.
static void fix_targets(struct lower *x)
{
	for (size_t k = 0; k < x->out.n; k++) {
		struct uop *u = &x->out.at[k];
		if (u->ctl == SX_BRA || u->ctl == SX_BRA_ANY || u->ctl == SX_BRA_BY_LANES || (u->ctl == SX_WARPSYNC && u->x[3]))
			u->imm = uop_at(x, u, (uint64_t)u->imm);
	}
}

static void keep(struct lower *x)
{
	struct sass_kernel *k = x->k;
	k->n_uop = (uint32_t)x->out.n;
	char *at = arena_alloc(&k->arena, x->out.n * sizeof(struct uop) + EXEC_UOP_ALIGN);
	k->uop = (struct uop *)(((uintptr_t)at + EXEC_UOP_ALIGN - 1) & ~(uintptr_t)(EXEC_UOP_ALIGN - 1));
	memcpy(k->uop, x->out.at, x->out.n * sizeof *k->uop);
	exec_straight_mark(k->uop, k->n_uop);
	k->inst_of = ARENA_ARRAY(&k->arena, uint32_t, x->out.n);
	memcpy(k->inst_of, x->inst_of.at, x->out.n * sizeof *k->inst_of);
	for (unsigned g = 0; g < SX_N_INIT; g++) {
		k->n_init[g] = (uint32_t)x->init[g].n;
		k->init[g] = ARENA_ARRAY(&k->arena, struct sx_init, x->init[g].n + 1);
		if (x->init[g].n)
			memcpy(k->init[g], x->init[g].at, x->init[g].n * sizeof *k->init[g]);
	}
	k->frame_bytes = (x->top + 63) & ~63u;
}

static void lower_free(struct lower *x)
{
	VEC_FREE(&x->out);
	VEC_FREE(&x->inst_of);
	for (unsigned g = 0; g < SX_N_INIT; g++)
		VEC_FREE(&x->init[g]);
}

// Counts the registers that instructions write: n_r as many as the kernel begins with, or as it asks for (USETMAXREG).
static void count_registers(struct lower *x)
{
	struct sass_kernel *k = x->k;
	char why[160];
	k->n_r = k->image->registers ? k->image->registers : SX_N_R;
	for (uint32_t i = 0; i < k->n; i++) {
		if (!sass_decode(k->isa_table, sx_word(k, i), 0, &x->i, why, sizeof why))
			continue;
		const struct sass_row *row = x->i.row;
		uint32_t n_r = strcmp(row->op, "USETMAXREG") ? 0 : (uint32_t)sass_run(x->i.word, SX_MAXREG_AT, SX_MAXREG_BITS), n_ur = 0, n_b = 0;
		for (unsigned n = row->n_mnemonic; n < row->n_token; n++) {
			const struct sass_token *t = &row->token[n];
			if (t->place == SASS_AT_UD || (t->place == SASS_AT_UR && t->bits.lsb[0] == RESULT_UR)) {
				// All that it may write, and rows behind them for those who read from the last one on.
				unsigned ur = lower_ur_at(x, RESULT_UR);
				n_ur = ur == SX_URZ ? 0 : ur + 2 * SX_UR_TOGETHER;
			} else if (t->place == SASS_AT_BREG) {
				n_b = (uint32_t)sass_get(x->i.word, t->bits) + 1;
			} else if (t->place == SASS_AT_BMOV) {
				n_b = SX_N_B;
			}
		}
		k->n_r = n_r > k->n_r ? n_r : k->n_r;
		k->n_ur = n_ur > k->n_ur ? n_ur : k->n_ur;
		k->n_b = n_b > k->n_b ? n_b : k->n_b;
	}
	k->n_r = k->n_r < SX_N_R ? k->n_r : SX_N_R;
}

static bool is_apart(const struct sass_kernel *k)
{
	for (uint32_t n = 0; n < k->n_uop; n++) {
		const struct uop *u = &k->uop[n];
		if (u->ctl == SX_CLOCK || u->ctl == SX_TRY || u->ctl == SX_CLUSTER || u->ctl == SX_DEPENDENTS)
			return false;
		if (k->inst_of[n] < k->n && !exec_apart(&k->isa[k->inst_of[n]], u->flags))
			return false;
	}
	return true;
}

struct sass_kernel *sass_kernel_new(const struct sass_image *image, uint32_t units, struct diag *d)
{
	enum { MOST = 1 << 20 }; // instructions
	int generation = sass_generation_of(image->arch);
	if (generation < SASS_VOLTA) {
		diag_add(d, DIAG_ERROR, "%s: kernel %s is for sm_%u; machine code for sm_70 to sm_121 is executed", image->file, image->name, image->arch);
		return NULL;
	}
	if (image->size / SX_INST_BYTES == 0 || image->size / SX_INST_BYTES > MOST) {
		diag_add(d, DIAG_ERROR, "%s: kernel %s has %zu bytes of code", image->file, image->name, image->size);
		return NULL;
	}
	struct sass_kernel *k = MEM_NEW(struct sass_kernel);
	struct lower x = {.k = k, .d = d, .ok = true};
	k->image = image;
	k->isa_table = sass_isa_new(&k->arena, (enum sass_generation)generation);
	k->n = (uint32_t)(image->size / SX_INST_BYTES);
	k->first = ARENA_ARRAY(&k->arena, uint32_t, k->n + 1);
	k->isa = ARENA_ARRAY(&k->arena, struct isa_inst, k->n);
	k->access = ARENA_ARRAY(&k->arena, struct sx_access, k->n);
	count_registers(&x);
	x.top = (uint32_t)sx_b_row(k, k->n_b);
	for (x.at = 0; x.at < k->n && x.ok; x.at++) {
		k->first[x.at] = (uint32_t)x.out.n;
		lower_inst(&x, units);
	}
	if (x.ok) {
		k->first[k->n] = (uint32_t)x.out.n;
		struct uop end = {.ctl = SX_TRAP, .cls = ISA_EXIT};
		VEC_PUSH(&x.out, end);
		VEC_PUSH(&x.inst_of, k->n);
		fix_targets(&x);
	}
	k->stack_unknown = x.stack > image->local;
	if (x.ok)
		keep(&x), k->apart = is_apart(k);
	lower_free(&x);
	if (x.ok)
		return k;
	sass_kernel_free(k);
	return NULL;
}

void sass_kernel_free(struct sass_kernel *k)
{
	if (!k)
		return;
	arena_free(&k->arena);
	mem_free(k);
}
