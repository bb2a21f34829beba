// Operands of machine instructions: which rows they are, and the micro-ops that bring them there.
#include "cuda-sim/sass/exec/lower.h"

#include "base/assert.h"
#include "cuda-sim/exec/tables/find.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sx_text(const struct sass_kernel *k, uint32_t inst, char *buf, size_t len)
{
	struct sass_decoded i;
	char why[160];
	if (sass_decode(k->isa_table, sx_word(k, inst), (uint64_t)inst * SX_INST_BYTES, &i, why, sizeof why))
		sass_print(&i, buf, len);
	else
		snprintf(buf, len, "%s", why);
}

void lower_fail(struct lower *x, const char *fmt, ...)
{
	char what[256], text[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	if (!x->ok) // one is enough: the kernel does not run
		return;
	x->ok = false;
	sx_text(x->k, x->at, text, sizeof text);
	diag_add(x->d, DIAG_ERROR, "%s: kernel %s, pc 0x%llx: %s: %s", x->k->image->file, x->k->image->name,
	         (unsigned long long)x->i.pc, text, what);
}

bool lower_has(const struct lower *x, const char *modifier) { return sass_has(&x->i, modifier); }

const struct sass_token *lower_token(const struct lower *x, enum sass_place place)
{
	for (unsigned i = 0; i < x->i.row->n_token; i++)
		if (x->i.row->token[i].place == place)
			return &x->i.row->token[i];
	return NULL;
}

// --- rows

int32_t lower_temp(struct lower *x, unsigned bytes)
{
	HEDDLE_ASSERT(bytes == 4 || bytes == 8 || bytes == 16);
	const unsigned k = bytes / 8; // 0, 1, 2
	if (x->temps[k] == SX_N_TEMP) {
		lower_fail(x, "needs too many temporary rows");
		return lower_extra(x, SX_SINK);
	}
	int32_t *row = &x->temp[k][x->temps[k]++];
	if (!*row) {
		*row = (int32_t)x->top;
		x->top += bytes * WARP;
	}
	return *row;
}

int32_t lower_extra(struct lower *x, enum sx_extra what)
{
	static const uint8_t rows[SX_N_EXTRAS] = {[SX_SINK] = 4, [SX_RPC] = 2, [SX_RESULT] = 1};
	int32_t *row = &x->k->extra[what];
	if (!*row) {
		*row = (int32_t)x->top;
		x->top += rows[what] * SX_ROW;
	}
	return *row;
}

int32_t lower_ptemp(struct lower *x)
{
	if (x->ptemps == SX_N_P_TEMP) {
		lower_fail(x, "needs too many temporary predicates");
		return SX_AT_P_TEMP;
	}
	return SX_AT_P_TEMP + (int32_t)x->ptemps++ * 4;
}

static int32_t init_row(struct lower *x, enum sx_init_group group, struct sx_init want)
{
	for (size_t k = 0; k < x->init[group].n; k++) {
		const struct sx_init *r = &x->init[group].at[k];
		if (r->kind == want.kind && r->wide == want.wide && r->bank == want.bank && r->bits == want.bits)
			return r->row;
	}
	want.row = (int32_t)x->top;
	x->top += want.wide ? 2 * SX_ROW : SX_ROW;
	VEC_PUSH(&x->init[group], want);
	return want.row;
}

int32_t lower_bits(struct lower *x, uint64_t bits, bool wide)
{
	if (!bits)
		return SX_AT_ZERO;
	return init_row(x, SX_INIT_LAUNCH, (struct sx_init){.kind = SX_INIT_BITS, .wide = wide, .bits = wide ? bits : (uint32_t)bits});
}

int32_t lower_special(struct lower *x, unsigned number)
{
	enum { VIRTID = 3, CTAID_X = 37, CTAID_Z = 39, VIRTUALSMID = 67, CGACTAID = 136 }; // change with the block
	bool changes = number == VIRTID || (number >= CTAID_X && number <= CTAID_Z) || number == VIRTUALSMID || number == CGACTAID;
	return init_row(x, changes ? SX_INIT_CTA : SX_INIT_LAUNCH, (struct sx_init){.kind = SX_INIT_SPECIAL, .bits = number});
}

int32_t lower_r(const struct lower *x, unsigned reg)
{
	(void)x;
	return reg >= SX_RZ ? SX_AT_ZERO : SX_AT_R + (int32_t)reg * SX_ROW;
}

int32_t lower_ur(const struct lower *x, unsigned reg) { return sx_ur_row(x->k, reg); }

unsigned lower_ur_at(const struct lower *x, unsigned lsb)
{
	unsigned v = (unsigned)sass_run(x->i.word, lsb, x->i.row->ur_bits);
	return v == sass_urz(x->i.generation) ? SX_URZ : v;
}

static bool in_bank(struct lower *x, const struct sx_source *s, uint32_t at, unsigned bytes)
{
	const struct sass_image *m = x->k->image;
	uint32_t size = s->bank < KERNEL_BANKS ? m->bank[s->bank].size : 0;
	if (at <= size && bytes <= size - at)
		return true;
	lower_fail(x, "byte 0x%x of constant bank %u is read, which has %u bytes", at, s->bank, size);
	return false;
}

int32_t lower_raw(struct lower *x, const struct sx_source *s, unsigned plus)
{
	switch ((enum sx_kind)s->kind) {
	case SX_O_R:
		return s->reg == SX_RZ ? SX_AT_ZERO : lower_r(x, s->reg + plus);
	case SX_O_UR:
		return s->reg == SX_URZ ? SX_AT_ZERO : lower_ur(x, s->reg + plus);
	case SX_O_IMM:
		return lower_bits(x, plus ? 0 : s->bits, false);
	case SX_O_CONST:
		if (!in_bank(x, s, s->bits + 4 * plus, 4))
			return SX_AT_ZERO;
		return init_row(x, SX_INIT_LAUNCH, (struct sx_init){.kind = SX_INIT_BANK, .bank = s->bank, .bits = s->bits + 4 * plus});
	}
	return SX_AT_ZERO;
}

int32_t lower_half_of_64(struct lower *x, unsigned k, unsigned upper)
{
	const struct sx_source *s = &x->src[k];
	if (s->kind == SX_O_IMM) {
		int64_t v = (int32_t)s->bits;
		uint64_t bits = (uint64_t)(s->invert ? ~v : v);
		return lower_bits(x, (uint32_t)(bits >> 32 * upper), false);
	}
	int32_t row = lower_raw(x, s, upper);
	if (!s->invert)
		return row;
	int32_t to = lower_temp(x, 4);
	lower_emit3(x, "not.b32", to, row, 0, 0);
	return to;
}

int32_t lower_int64(struct lower *x, unsigned k)
{
	const struct sx_source *s = &x->src[k];
	if (s->kind != SX_O_IMM)
		return lower_pair(x, k);
	return lower_bits(x, (uint64_t)(int64_t)(int32_t)s->bits, true);
}

// A row of `bytes` bytes a lane through a body of one source.
static int32_t through(struct lower *x, const char *key, int32_t row, unsigned bytes)
{
	int32_t to = lower_temp(x, bytes);
	lower_emit3(x, key, to, row, 0, 0);
	return to;
}

int32_t lower_int(struct lower *x, unsigned k)
{
	const struct sx_source *s = &x->src[k];
	if (s->kind == SX_O_IMM && (s->neg || s->invert))
		return lower_bits(x, s->invert ? ~s->bits : 0 - s->bits, false);
	int32_t row = lower_raw(x, s, 0);
	if (s->neg)
		row = through(x, "neg.s32", row, 4);
	if (s->invert)
		row = row == SX_AT_ZERO ? lower_bits(x, UINT32_MAX, false) : through(x, "not.b32", row, 4);
	return row;
}

int32_t lower_f32(struct lower *x, unsigned k)
{
	const struct sx_source *s = &x->src[k];
	uint32_t sign = 0x80000000u;
	if (s->kind == SX_O_IMM)
		return lower_bits(x, (s->abs ? s->bits & ~sign : s->bits) ^ (s->neg ? sign : 0), false);
	int32_t row = lower_raw(x, s, 0);
	if (s->abs)
		row = through(x, "sass.abs.f32", row, 4);
	if (s->neg)
		row = row == SX_AT_ZERO ? lower_bits(x, sign, false) : through(x, "sass.neg.f32", row, 4);
	return row;
}

int32_t lower_half_word(struct lower *x, unsigned k)
{
	const struct sx_source *s = &x->src[k];
	int32_t row = lower_raw(x, s, 0), to;
	if (s->kind != SX_O_IMM && sass_run(x->i.word, 60, 2))
		row = through(x, "sass.half.high", row, 4);
	if (s->abs) {
		to = lower_temp(x, 4);
		lower_emit3(x, "and.b32", to, row, lower_bits(x, 0x7fff, false), 0);
		row = to;
	}
	if (s->neg) {
		to = lower_temp(x, 4);
		lower_emit3(x, "xor.b32", to, row, lower_bits(x, 0x8000, false), 0);
		row = to;
	}
	return row;
}

int32_t lower_pair(struct lower *x, unsigned k)
{
	const struct sx_source *s = &x->src[k];
	if ((s->kind == SX_O_R && s->reg == SX_RZ) || (s->kind == SX_O_UR && s->reg == SX_URZ))
		return SX_AT_ZERO;
	if (s->kind == SX_O_IMM)
		return lower_bits(x, s->imm_kind == 'd' ? (uint64_t)s->bits << 32 : s->bits, true);
	if (s->kind == SX_O_CONST) {
		if (!in_bank(x, s, s->bits, 8))
			return SX_AT_ZERO;
		return init_row(x, SX_INIT_LAUNCH, (struct sx_init){.kind = SX_INIT_BANK, .wide = true, .bank = s->bank, .bits = s->bits});
	}
	int32_t to = lower_temp(x, 8);
	struct uop *u = lower_emit(x, "mov.pack2.b64");
	u->d = to;
	u->x[0] = lower_raw(x, s, 0);
	u->x[1] = lower_raw(x, s, 1);
	return to;
}

int32_t lower_f64(struct lower *x, unsigned k)
{
	const struct sx_source *s = &x->src[k];
	uint64_t sign = (uint64_t)1 << 63;
	int32_t row = lower_pair(x, k);
	if (s->abs)
		row = through(x, "sass.abs.f64", row, 8);
	if (s->neg)
		row = row == SX_AT_ZERO ? lower_bits(x, sign, true) : through(x, "sass.neg.f64", row, 8);
	return row;
}

int32_t lower_half(struct lower *x, unsigned k, bool bf16)
{
	const struct sx_source *s = &x->src[k];
	int32_t row = lower_raw(x, s, 0);
	enum { FROM_F32 = 1, LOW = 2 };
	if (s->kind != SX_O_IMM && s->halves == FROM_F32) {
		// ptxas makes cvt.rz.f16.f32 of an addition with such an operand, so it is rounded towards zero.
		int32_t to = lower_temp(x, 4);
		struct uop *u = lower_emit3(x, bf16 ? "cvt.rz.bf16.f32" : "cvt.rz.f16.f32", to, row, 0, 0);
		u->mode = (struct uop_mode){.type = {bf16 ? UOP_T_BF16 : UOP_T_F16, UOP_T_F32}, .rnd = ROUND_RZ};
		row = through(x, "sass.half.low", to, 4);
	} else if (s->kind != SX_O_IMM && s->halves)
		row = through(x, s->halves == LOW ? "sass.half.low" : "sass.half.high", row, 4);
	if (s->abs)
		row = through(x, "sass.abs.halves", row, 4);
	if (s->neg)
		row = row == SX_AT_ZERO ? lower_bits(x, 0x80008000, false) : through(x, "sass.neg.halves", row, 4);
	return row;
}

// --- results

int32_t lower_dst_at(struct lower *x, unsigned plus)
{
	if (x->uniform_dst && x->dst != SX_URZ) {
		int32_t row = lower_ur(x, x->dst + plus);
		if (row == SX_AT_ZERO)
			lower_fail(x, "writes more uniform registers than are known of it");
		return row;
	}
	return x->uniform_dst || x->dst == SX_RZ ? lower_extra(x, SX_SINK) + (int32_t)plus * SX_ROW : lower_r(x, x->dst + plus);
}

int32_t lower_dst(struct lower *x) { return lower_dst_at(x, 0); }

void lower_put_pair(struct lower *x, int32_t row)
{
	struct uop *u = lower_emit(x, "mov.unpack2.b64");
	u->a = row;
	u->x[0] = lower_dst_at(x, 0);
	u->x[1] = lower_dst_at(x, 1);
}

// --- micro-ops

struct uop *lower_emit(struct lower *x, const char *key)
{
	struct uop u = {.guard = 0};
	unsigned guard = (unsigned)sass_run(x->i.word, 12, 3);
	bool neg = sass_bit(x->i.word, 15);
	if (key && !(u.fn = exec_find(key)))
		lower_fail(x, "is not executed by this version (there is no '%s')", key);
	if (guard != SX_PT || neg)
		u.guard = (x->i.row->uniform ? SX_AT_UP : SX_AT_P) + (int32_t)guard * 4;
	u.flags = (uint16_t)((neg ? UOP_NEG_GUARD : 0) | (x->begun ? UOP_EXTRA : 0));
	u.cls = x->k->isa[x->at].cls;
	x->begun = true;
	VEC_PUSH(&x->out, u);
	VEC_PUSH(&x->inst_of, x->at);
	return &x->out.at[x->out.n - 1];
}

struct uop *lower_emit3(struct lower *x, const char *key, int32_t d, int32_t a, int32_t b, int32_t c)
{
	struct uop *u = lower_emit(x, key);
	u->d = d;
	u->a = a;
	u->b = b;
	u->c = c;
	return u;
}

struct uop *lower_ctl(struct lower *x, enum sx_ctl ctl)
{
	struct uop *u = lower_emit(x, NULL);
	u->ctl = (uint8_t)ctl;
	return u;
}

struct uop_mode lower_mode(const struct lower *x)
{
	struct uop_mode m = {.rnd = ROUND_RN};
	m.rnd = lower_has(x, "RM") ? ROUND_RM : lower_has(x, "RP") ? ROUND_RP : lower_has(x, "RZ") ? ROUND_RZ : ROUND_RN;
	m.ftz = lower_has(x, "FTZ");
	m.sat = lower_has(x, "SAT");
	m.relu = lower_has(x, "RELU");
	m.oob = lower_has(x, "OOB");
	m.nan = lower_has(x, "NAN");
	m.xorsign = lower_has(x, "XORSIGN");
	return m;
}

void lower_magnitudes(struct lower *x, const struct uop_mode *m)
{
	for (unsigned k = 0; m->xorsign && k < 2; k++) {
		struct sx_source *s = &x->src[k];
		if (s->kind != SX_O_IMM && (s->neg || !s->abs))
			lower_fail(x, "this form is not executed by this version");
		s->abs = false; // the body takes it
	}
}

int32_t lower_pred(struct lower *x, const struct sx_pred *p)
{
	if (!p->neg)
		return p->at;
	int32_t to = lower_ptemp(x);
	struct uop *u = lower_emit(x, "mov.pred");
	u->d = to;
	u->a = p->at;
	u->flags |= UOP_NEG_A;
	return to;
}

void lower_broadcast(struct lower *x, int32_t to, int32_t from) { lower_emit3(x, "sass.broadcast", to, from, 0, 0); }
