// Integers and bits: sums, products, shifts, logic, comparisons, on registers and on uniform registers alike.
#include "cuda-sim/sass/exec/lower.h"

#include <stdio.h>
#include <string.h>

static bool is_zero(struct lower *x, unsigned k)
{
	const struct sx_source *s = &x->src[k];
	return (s->kind == SX_O_R && s->reg == SX_RZ) || (s->kind == SX_O_UR && s->reg == SX_URZ) || (s->kind == SX_O_IMM && !s->bits);
}

static bool never(const struct sx_pred *p) { return p->neg && (p->at == SX_AT_P + 4 * SX_PT || p->at == SX_AT_UP + 4 * SX_PT); }

// The mask of carry k in, 0 if it can't be.
static int32_t carry_in(struct lower *x, unsigned k)
{
	return k >= x->n_pin || never(&x->pin[k]) ? 0 : lower_pred(x, &x->pin[k]);
}

static int64_t count_ones(const struct lower *x)
{
	int64_t n = 0;
	for (unsigned k = 0; k < x->n_src; k++)
		n += x->src[k].neg;
	return n;
}

static void copy(struct lower *x, int32_t row) { lower_emit3(x, "mov.b32", lower_dst(x), row, 0, 0); }

// Sums of which nobody wants a carry.
static void plain_sum(struct lower *x)
{
	unsigned at[3], n = 0;
	for (unsigned k = 0; k < x->n_src; k++)
		if (!is_zero(x, k))
			at[n++] = k;
	if (n == 0) {
		copy(x, SX_AT_ZERO);
	} else if (n == 1) {
		copy(x, lower_int(x, at[0]));
	} else if (n == 2 && x->src[at[1]].neg && x->src[at[1]].kind != SX_O_IMM) {
		int32_t a = lower_int(x, at[0]);
		lower_emit3(x, "sub.s32", lower_dst(x), a, lower_raw(x, &x->src[at[1]], 0), 0);
	} else if (n == 2 && x->src[at[0]].neg && x->src[at[0]].kind != SX_O_IMM) {
		int32_t b = lower_int(x, at[1]);
		lower_emit3(x, "sub.s32", lower_dst(x), b, lower_raw(x, &x->src[at[0]], 0), 0);
	} else {
		int32_t a = lower_int(x, at[0]), b = lower_int(x, at[1]), c = n == 3 ? lower_int(x, at[2]) : 0;
		lower_emit3(x, n == 3 ? "sass.iadd3" : "add.s32", lower_dst(x), a, b, c);
	}
}

// Sums of two or three numbers of 64 bits: the lower halves, then the upper ones with their carries.
static void add64(struct lower *x)
{
	int32_t in[2] = {carry_in(x, 0), carry_in(x, 1)}, between[2] = {lower_ptemp(x), lower_ptemp(x)};
	int64_t ones = count_ones(x);
	for (unsigned k = 0; k < x->n_src; k++)
		if (x->src[k].neg)
			x->src[k].neg = false, x->src[k].invert = true;
	for (unsigned upper = 0; upper < 2; upper++) {
		int32_t row[3] = {SX_AT_ZERO, SX_AT_ZERO, SX_AT_ZERO};
		for (unsigned k = 0; k < x->n_src; k++)
			row[k] = lower_half_of_64(x, k, upper);
		struct uop *u = lower_emit3(x, "sass.iadd3.carry", lower_dst_at(x, upper), row[0], row[1], row[2]);
		u->imm = upper ? 0 : ones;
		u->x[0] = upper ? x->pout[0] : between[0], u->x[1] = upper ? x->pout[1] : between[1];
		u->x[2] = upper ? between[0] : in[0], u->x[3] = upper ? between[1] : in[1];
	}
}

// Sums of two or three numbers.
static void iadd(struct lower *x)
{
	if (lower_has(x, "64")) {
		add64(x);
		return;
	}
	int32_t in1 = carry_in(x, 0), in2 = carry_in(x, 1), row[3] = {SX_AT_ZERO, SX_AT_ZERO, SX_AT_ZERO};
	if (!in1 && !in2 && !x->pout_used[0] && !x->pout_used[1] && !lower_has(x, "X")) {
		plain_sum(x);
		return;
	}
	int64_t ones = count_ones(x);
	for (unsigned k = 0; k < x->n_src; k++) {
		if (x->src[k].neg) // the one that makes it the negative number is added in the sum, where it can carry
			x->src[k].neg = false, x->src[k].invert = true;
		row[k] = lower_int(x, k);
	}
	struct uop *u = lower_emit3(x, "sass.iadd3.carry", lower_dst(x), row[0], row[1], row[2]);
	u->imm = ones;
	u->x[0] = x->pout[0], u->x[1] = x->pout[1];
	u->x[2] = in1, u->x[3] = in2;
}

static void imad_low(struct lower *x)
{
	int32_t in = carry_in(x, 0);
	bool product = !is_zero(x, 0) && !is_zero(x, 1);
	if (x->pout_used[0]) {
		lower_fail(x, "a carry of the low product is not executed by this version");
		return;
	}
	if (in || lower_has(x, "X")) {
		int32_t a = lower_int(x, 0), b = lower_int(x, 1), c = lower_int(x, 2);
		lower_emit3(x, "sass.imad.carry", lower_dst(x), a, b, c)->x[2] = in;
		return;
	}
	if (!product) {
		copy(x, lower_int(x, 2));
	} else if (x->src[1].kind == SX_O_IMM && x->src[1].bits == 1 && !x->src[1].neg) {
		int32_t a = lower_int(x, 0);
		if (is_zero(x, 2))
			copy(x, a);
		else
			lower_emit3(x, "add.s32", lower_dst(x), a, lower_int(x, 2), 0);
	} else {
		int32_t a = lower_int(x, 0), b = lower_int(x, 1);
		if (is_zero(x, 2))
			lower_emit3(x, "mul.lo.s32", lower_dst(x), a, b, 0);
		else
			lower_emit3(x, "mad.lo.s32", lower_dst(x), a, b, lower_int(x, 2));
	}
}

// The third source of a wide product as two rows, one behind the other.
static int32_t addend(struct lower *x, unsigned k)
{
	const struct sx_source *s = &x->src[k];
	if (is_zero(x, k) && !s->neg && !s->invert)
		return SX_AT_ZERO;
	if (s->kind == SX_O_R || s->kind == SX_O_UR) {
		if (!s->neg && !s->invert)
			return lower_raw(x, s, 0);
		int32_t wide = lower_pair(x, k), to = lower_temp(x, 8);
		lower_emit3(x, s->neg ? "neg.s64" : "not.b64", wide, wide, 0, 0);
		struct uop *u = lower_emit(x, "mov.unpack2.b64");
		u->a = wide;
		u->x[0] = to;
		u->x[1] = to + SX_ROW;
		return to;
	}
	int32_t to = lower_temp(x, 8);
	lower_emit3(x, "mov.b32", to, lower_raw(x, s, 0), 0, 0);
	lower_emit3(x, "mov.b32", to + SX_ROW, lower_raw(x, s, 1), 0, 0);
	return to;
}

static void imad_wide(struct lower *x, bool high)
{
	bool is_unsigned = lower_has(x, "U32");
	int32_t in = carry_in(x, 0), a = lower_int(x, 0), b = lower_int(x, 1), c = addend(x, 2);
	bool carry = in || x->pout_used[0];
	const char *key = carry ? is_unsigned ? "sass.imad.wide.carry.u32" : "sass.imad.wide.carry.s32" :
	                          is_unsigned ? "sass.imad.wide.u32" : "sass.imad.wide.s32";
	struct uop *u = lower_emit3(x, key, high ? lower_extra(x, SX_SINK) : lower_dst_at(x, 0), a, b, c);
	u->x[0] = high ? lower_dst_at(x, 0) : lower_dst_at(x, 1);
	u->x[1] = x->pout[0];
	u->x[2] = in;
}

// IMAD and its wide and high forms have one mnemonic and a group each.
static void imad(struct lower *x)
{
	enum { WIDE = 0x25, HIGH = 0x27 };
	unsigned group = x->i.row->group & 0x7f;
	bool high = group == HIGH || lower_has(x, "HI"); // UIMAD.HI has a group of its own
	if (group == WIDE || high)
		imad_wide(x, high);
	else
		imad_low(x);
}

static void lea(struct lower *x)
{
	struct sass_word w = x->i.word;
	bool high = sass_bit(w, 80), sign = high && sass_bit(w, 73), flip = x->src[0].neg || x->src[0].invert;
	unsigned shift = (unsigned)sass_run(w, 75, 5);
	int32_t in = carry_in(x, 0);
	if (!high && !flip && !in && !x->pout_used[0] && !lower_has(x, "X")) {
		int32_t a = lower_raw(x, &x->src[0], 0), b = lower_int(x, 1);
		lower_emit3(x, "sass.lea", lower_dst(x), a, b, 0)->x[3] = (int32_t)shift;
		return;
	}
	int64_t ones = (x->src[0].neg ? 1 : 0) + (x->src[1].neg ? 1 : 0);
	if (x->src[1].neg)
		x->src[1].neg = false, x->src[1].invert = true;
	int32_t a = lower_raw(x, &x->src[0], 0), b = lower_int(x, 1), c = high && !sign ? lower_raw(x, &x->src[2], 0) : SX_AT_ZERO;
	struct uop *u = lower_emit3(x, "sass.lea.carry", lower_dst(x), a, b, c);
	u->imm = (high ? 1 : 0) | (sign ? 2 : 0) | (flip ? 4 : 0) | ones << 8;
	u->x[0] = x->pout[0];
	u->x[2] = in;
	u->x[3] = (int32_t)shift;
}

static void lop3(struct lower *x)
{
	unsigned lut = (unsigned)sass_run(x->i.word, 72, 8);
	int32_t a = lower_raw(x, &x->src[0], 0), b = lower_raw(x, &x->src[1], 0), c = lower_raw(x, &x->src[2], 0), d = lower_dst(x);
	switch (lut) {
	case 0xc0: lower_emit3(x, "and.b32", d, a, b, 0); break;
	case 0xfc: lower_emit3(x, "or.b32", d, a, b, 0); break;
	case 0x3c: lower_emit3(x, "xor.b32", d, a, b, 0); break;
	case 0xf0: lower_emit3(x, "mov.b32", d, a, 0, 0); break;
	case 0xcc: lower_emit3(x, "mov.b32", d, b, 0, 0); break;
	case 0xaa: lower_emit3(x, "mov.b32", d, c, 0, 0); break;
	case 0x33: lower_emit3(x, "not.b32", d, b, 0, 0); break;
	default: lower_emit3(x, "lop3.b32", d, a, b, c)->x[0] = lower_bits(x, lut, false); break;
	}
	if (x->pout_used[0]) {
		int32_t q = lower_pred(x, &x->pin[0]);
		struct uop *u = lower_emit3(x, "sass.nonzero", x->pout[0], d, 0, q);
		u->imm = !lower_has(x, "PAND");
	}
}

static void shf(struct lower *x)
{
	bool right = lower_has(x, "R"), wrap = lower_has(x, "W"), high = lower_has(x, "HI"), wide = lower_has(x, "U64") || lower_has(x, "S64");
	bool is_signed = lower_has(x, "S32") || lower_has(x, "S64");
	int32_t a = lower_raw(x, &x->src[0], 0), b = lower_raw(x, &x->src[1], 0), c = lower_raw(x, &x->src[2], 0), d = lower_dst(x);
	bool fits = x->src[1].kind == SX_O_IMM ? x->src[1].bits < 32 : !wrap;
	if (right && high && is_zero(x, 0) && fits && !wide) {
		lower_emit3(x, is_signed ? "shr.s32" : "shr.u32", d, c, b, 0);
	} else if (right && high && is_zero(x, 0) && wide && x->src[1].kind == SX_O_IMM && x->src[1].bits < 32) {
		lower_emit3(x, is_signed ? "shr.s32" : "shr.u32", d, c, b, 0);
	} else if (!right && !high && is_zero(x, 2) && fits && (!wide || x->src[1].kind == SX_O_IMM)) {
		lower_emit3(x, "shl.b32", d, a, b, 0);
	} else {
		struct uop *u = lower_emit3(x, "sass.shf", d, a, b, c);
		u->imm = (right ? 1 : 0) | (is_signed ? 2 : 0) | (wrap ? 4 : 0) | (high ? 8 : 0) | (wide ? 16 : 0);
	}
}

static void prmt(struct lower *x)
{
	static const char *const mode[] = {"prmt.b32", "prmt.b32.f4e", "prmt.b32.b4e", "prmt.b32.rc8", "prmt.b32.ecl", "prmt.b32.ecr", "prmt.b32.rc16"};
	unsigned m = (unsigned)sass_run(x->i.word, 72, 3);
	int32_t a = lower_raw(x, &x->src[0], 0), selector = lower_raw(x, &x->src[1], 0), b = lower_raw(x, &x->src[2], 0);
	lower_emit3(x, mode[m < 7 ? m : 0], lower_dst(x), a, b, selector);
}

static const char *const compare[] = {NULL, "lt", "eq", "le", "gt", "ne", "ge", NULL};

static void isetp(struct lower *x)
{
	static const uint8_t code[] = {0, UOP_LT, UOP_EQ, UOP_LE, UOP_GT, UOP_NE, UOP_GE, 0};
	static const char *const logic[] = {"and", "or", "xor"};
	unsigned cmp = (unsigned)sass_run(x->i.word, 76, 3), join = (unsigned)sass_run(x->i.word, 74, 2);
	bool is_unsigned = lower_has(x, "U32"), extended = lower_has(x, "EX");
	bool wide = lower_has(x, "S64") || lower_has(x, "U64");
	int32_t a = wide ? 0 : lower_raw(x, &x->src[0], 0), b = wide ? 0 : lower_int(x, 1);
	char key[40];
	if (!compare[cmp]) { // always or never
		int32_t c = lower_pred(x, &x->pin[0]);
		int32_t t = cmp ? SX_AT_P + 4 * SX_PT : 0;
		struct uop *u = lower_emit3(x, "sass.plop3", x->pout[0], t, c, 0);
		unsigned first = join == 0 ? 0xc0 : join == 1 ? 0xfc : 0x3c, second = join == 0 ? 0x0c : join == 1 ? 0xcf : 0xc3;
		u->x[0] = x->pout[1];
		u->imm = (int64_t)(first | second << 8);
		return;
	}
	if (wide) {
		int32_t wa = lower_int64(x, 0), wb = lower_int64(x, 1);
		snprintf(key, sizeof key, "setp.%s.%s.%s", compare[cmp], logic[join], lower_has(x, "U64") ? "u64" : "s64");
		struct uop *u = lower_emit3(x, key, x->pout[0], wa, wb, x->pin[0].at);
		u->x[0] = x->pout[1];
		u->flags |= x->pin[0].neg ? UOP_NEG_C : 0;
		return;
	}
	if (extended) {
		int32_t low = x->n_pin > 1 ? lower_pred(x, &x->pin[1]) : 0;
		struct uop *u = lower_emit3(x, "sass.compare.extended", x->pout[0], a, b, x->pin[0].at);
		u->imm = code[cmp] | (is_unsigned ? 256 : 0);
		u->x[0] = x->pout[1];
		u->x[1] = low;
		u->mode.logic = join == 0 ? UOP_AND : join == 1 ? UOP_OR : UOP_XOR;
		u->flags |= x->pin[0].neg ? UOP_NEG_C : 0;
		return;
	}
	if (join == 0 && x->pin[0].always)
		snprintf(key, sizeof key, "setp.%s.%s", compare[cmp], is_unsigned ? "u32" : "s32");
	else
		snprintf(key, sizeof key, "setp.%s.%s.%s", compare[cmp], logic[join], is_unsigned ? "u32" : "s32");
	struct uop *u = lower_emit3(x, key, x->pout[0], a, b, x->pin[0].at);
	u->x[0] = x->pout[1];
	u->flags |= x->pin[0].neg ? UOP_NEG_C : 0;
}

// The immediate has a bit for its sign behind 32 others.
static void sel64(struct lower *x)
{
	const struct sass_token *imm = lower_token(x, SASS_AT_SIGNED);
	uint64_t v = imm ? sass_get(x->i.word, imm->bits) : 0;
	if (imm)
		v = (uint64_t)((int64_t)(v << (64 - imm->bits.width[0])) >> (64 - imm->bits.width[0]));
	for (unsigned k = 0; k < 2; k++) {
		int32_t a = lower_raw(x, &x->src[0], k), b = imm ? lower_bits(x, (uint32_t)(v >> 32 * k), false) : lower_raw(x, &x->src[1], k);
		struct uop *u = lower_emit3(x, "selp.b32", lower_dst_at(x, k), a, b, x->pin[0].at);
		u->flags |= x->pin[0].neg ? UOP_NEG_C : 0;
	}
}

static void sel(struct lower *x)
{
	if (lower_has(x, "64")) {
		sel64(x);
		return;
	}
	int32_t a = lower_raw(x, &x->src[0], 0), b = lower_raw(x, &x->src[1], 0);
	struct uop *u = lower_emit3(x, "selp.b32", lower_dst(x), a, b, x->pin[0].at);
	u->flags |= x->pin[0].neg ? UOP_NEG_C : 0;
}

static void mov64(struct lower *x, const struct sass_token *imm)
{
	uint64_t v = imm ? sass_get(x->i.word, imm->bits) : 0;
	for (unsigned k = 0; k < 2; k++)
		lower_emit3(x, "mov.b32", lower_dst_at(x, k), imm ? lower_bits(x, (uint32_t)(v >> 32 * k), false) : lower_raw(x, &x->src[0], k), 0, 0);
}

static void mov(struct lower *x)
{
	const struct sass_token *t = lower_token(x, SASS_AT_IMM);
	if (lower_has(x, "64") && (!t || t->bits.width[0] > 4 || sass_get(x->i.word, t->bits) == 15)) {
		mov64(x, t && t->bits.width[0] > 4 ? t : NULL);
		return;
	}
	if (t && sass_get(x->i.word, t->bits) != 15)
		lower_fail(x, "a move of some bytes only is not executed by this version");
	copy(x, lower_int(x, 0));
}

// The smaller of two rows where the predicate holds, else the larger one.
static void smaller_or_larger(struct lower *x, int32_t d, const char *type, int32_t a, int32_t b)
{
	char min[24], max[24];
	snprintf(min, sizeof min, "min.%s", type);
	snprintf(max, sizeof max, "max.%s", type);
	if (x->pin[0].always || never(&x->pin[0])) {
		lower_emit3(x, x->pin[0].always ? min : max, d, a, b, 0);
		return;
	}
	int32_t lo = lower_temp(x, 4), hi = lower_temp(x, 4);
	lower_emit3(x, min, lo, a, b, 0);
	lower_emit3(x, max, hi, a, b, 0);
	struct uop *u = lower_emit3(x, "selp.b32", d, lo, hi, x->pin[0].at);
	u->flags |= x->pin[0].neg ? UOP_NEG_C : 0;
}

static void imnmx64(struct lower *x)
{
	bool smaller = x->pin[0].always;
	if ((!smaller && !never(&x->pin[0])) || x->n_pin < 2 || !never(&x->pin[1]) || x->pout_used[0] || x->pout_used[1]) {
		lower_fail(x, "this form is not executed by this version");
		return;
	}
	int32_t a = lower_int64(x, 0), b = lower_int64(x, 1), to = lower_temp(x, 8);
	bool is_unsigned = lower_has(x, "U64");
	lower_emit3(x, smaller ? is_unsigned ? "min.u64" : "min.s64" : is_unsigned ? "max.u64" : "max.s64", to, a, b, 0);
	lower_put_pair(x, to);
}

static void imnmx(struct lower *x)
{
	if (lower_has(x, "U64") || lower_has(x, "S64")) {
		imnmx64(x);
		return;
	}
	int32_t a = lower_raw(x, &x->src[0], 0), b = lower_int(x, 1);
	smaller_or_larger(x, lower_dst(x), lower_has(x, "U32") ? "u32" : "s32", a, b);
}

// What the result is at least, .RELU: zero.
static void not_negative(struct lower *x, int32_t row, const char *type)
{
	char max[24];
	snprintf(max, sizeof max, "max.%s", type);
	if (lower_has(x, "RELU"))
		lower_emit3(x, max, row, row, SX_AT_ZERO, 0);
}

// Of instructions that work on one number of 32 bits or on two of 16.
static const char *simd_type(const struct lower *x)
{
	return lower_has(x, "U32") ? "u32" : lower_has(x, "U16x2") ? "u16x2" : lower_has(x, "S16x2") ? "s16x2" : "s32";
}

// a + b, b negated or not, of 32 bits or by halves.
static void add_simd(struct lower *x, int32_t to, bool halves)
{
	int32_t a = lower_raw(x, &x->src[0], 0);
	if (halves)
		lower_emit3(x, x->src[1].neg ? "sub.u16x2" : "add.u16x2", to, a, lower_raw(x, &x->src[1], 0), 0);
	else
		lower_emit3(x, "add.s32", to, a, lower_int(x, 1), 0);
}

static void vimnmx(struct lower *x)
{
	const char *type = simd_type(x);
	if (lower_has(x, "U8x4") || x->pout_used[0] || x->pout_used[1]) {
		lower_fail(x, "this form is not executed by this version");
		return;
	}
	int32_t a = lower_raw(x, &x->src[0], 0), b = lower_int(x, 1);
	smaller_or_larger(x, lower_dst(x), type, a, b);
	not_negative(x, lower_dst(x), type);
}

static void vimnmx3(struct lower *x)
{
	const char *type = simd_type(x);
	int32_t a = lower_raw(x, &x->src[0], 0), b = lower_raw(x, &x->src[1], 0), c = lower_raw(x, &x->src[2], 0), two = lower_temp(x, 4);
	smaller_or_larger(x, two, type, a, b);
	smaller_or_larger(x, lower_dst(x), type, two, c);
	not_negative(x, lower_dst(x), type);
}

static void viaddmnmx(struct lower *x)
{
	int32_t c = lower_raw(x, &x->src[2], 0), sum = lower_temp(x, 4);
	const char *type = simd_type(x);
	add_simd(x, sum, strstr(type, "x2"));
	smaller_or_larger(x, lower_dst(x), type, sum, c);
	not_negative(x, lower_dst(x), type);
}

static void one_source(struct lower *x, const char *key)
{
	int32_t a = lower_int(x, 0);
	lower_emit3(x, key, lower_dst(x), a, 0, 0);
}

static void iabs(struct lower *x) { one_source(x, "abs.s32"); }
static void popc(struct lower *x) { one_source(x, "popc.b32"); }
static void brev(struct lower *x) { one_source(x, "brev.b32"); }

static void flo(struct lower *x)
{
	bool is_unsigned = lower_has(x, "U32"), shift = lower_has(x, "SH");
	if (x->pout_used[0])
		lower_fail(x, "its predicate is not executed by this version");
	one_source(x, shift ? is_unsigned ? "bfind.shiftamt.u32" : "bfind.shiftamt.s32" : is_unsigned ? "bfind.u32" : "bfind.s32");
}

static void sgxt(struct lower *x)
{
	bool is_unsigned = lower_has(x, "U32"), wrap = lower_has(x, "W");
	int32_t a = lower_raw(x, &x->src[0], 0), b = lower_raw(x, &x->src[1], 0);
	lower_emit3(x, wrap ? is_unsigned ? "szext.wrap.u32" : "szext.wrap.s32" : is_unsigned ? "szext.clamp.u32" : "szext.clamp.s32",
	            lower_dst(x), a, b, 0);
}

static void bmsk(struct lower *x)
{
	int32_t a = lower_raw(x, &x->src[0], 0), b = lower_raw(x, &x->src[1], 0);
	lower_emit3(x, lower_has(x, "W") ? "bmsk.wrap.b32" : "bmsk.clamp.b32", lower_dst(x), a, b, 0);
}

static void viadd(struct lower *x)
{
	if (lower_has(x, "U8x4")) {
		lower_fail(x, "is not executed by this version");
		return;
	}
	if (lower_has(x, "ISAT")) {
		int32_t a = lower_raw(x, &x->src[0], 0), b = lower_raw(x, &x->src[1], 0);
		lower_emit3(x, x->src[1].neg ? "sub.sat.s32" : "add.sat.s32", lower_dst(x), a, b, 0);
		return;
	}
	add_simd(x, lower_dst(x), lower_has(x, "16x2"));
}

static void idp(struct lower *x)
{
	bool four = lower_has(x, "4A"), high = lower_has(x, "HI"), a_signed = sass_bit(x->i.word, 73), b_signed = sass_bit(x->i.word, 74);
	int32_t a = lower_raw(x, &x->src[0], 0), b = lower_raw(x, &x->src[1], 0), c = lower_raw(x, &x->src[2], 0);
	char key[40];
	snprintf(key, sizeof key, "%s.%s.%s", four ? "dp4a" : high ? "dp2a.hi" : "dp2a.lo", a_signed ? "s32" : "u32", b_signed ? "s32" : "u32");
	lower_emit3(x, key, lower_dst(x), a, b, c);
}

static void vabsdiff(struct lower *x)
{
	int32_t a = lower_raw(x, &x->src[0], 0), b = lower_raw(x, &x->src[1], 0), c = lower_raw(x, &x->src[2], 0);
	lower_emit3(x, lower_has(x, "U32") ? "sad.u32" : "sad.s32", lower_dst(x), a, b, c);
}

static void vabsdiff4(struct lower *x)
{
	int32_t a = lower_raw(x, &x->src[0], 0), b = lower_raw(x, &x->src[1], 0), c = lower_raw(x, &x->src[2], 0);
	lower_emit3(x, "sass.vabsdiff4", lower_dst(x), a, b, c)->imm = (lower_has(x, "S8") ? 1 : 0) | (lower_has(x, "ACC") ? 2 : 0);
}

// Where source k is negative.
static int32_t sign(struct lower *x, unsigned k)
{
	int32_t row = lower_raw(x, &x->src[k], 0), p = lower_ptemp(x);
	lower_emit3(x, "setp.lt.s32", p, row, lower_bits(x, 0, false), 0)->x[0] = SX_AT_P_SINK;
	return p;
}

static void plop3(struct lower *x)
{
	struct sass_word w = x->i.word;
	bool signs = x->n_src; // of registers, whose third has the bits in which the table of three predicates begins
	unsigned first = (unsigned)(signs ? sass_run(w, 72, 8) : sass_run(w, 64, 3) | sass_run(w, 72, 5) << 3), second = (unsigned)sass_run(w, 16, 8);
	int32_t in[3];
	for (unsigned k = 0; k < 3; k++)
		in[k] = signs ? sign(x, k) : lower_pred(x, &x->pin[k]);
	struct uop *u = lower_emit3(x, "sass.plop3", x->pout[0], in[0], in[1], in[2]);
	u->x[0] = x->pout[1];
	u->imm = (int64_t)(first | second << 8);
}

static void p2r(struct lower *x)
{
	int32_t old = lower_raw(x, &x->src[0], 0), mask = lower_raw(x, &x->src[1], 0);
	lower_emit3(x, "sass.p2r", lower_dst(x), x->i.row->uniform ? SX_AT_UP : SX_AT_P, mask, old)->x[0] = x->i.row->uniform ? 0 : (int32_t)sass_run(x->i.word, 76, 2);
}

static void r2p(struct lower *x)
{
	int32_t from = lower_raw(x, &x->src[0], 0), mask = x->n_src > 1 ? lower_raw(x, &x->src[1], 0) : lower_bits(x, 255, false);
	lower_emit3(x, "sass.r2p", x->i.row->uniform ? SX_AT_UP : SX_AT_P, from, mask, 0)->x[0] = (int32_t)sass_run(x->i.word, 76, 2);
}

static void i2i(struct lower *x)
{
	char key[40];
	const char *to = lower_has(x, "U16") ? "u16" : lower_has(x, "S16") ? "s16" : lower_has(x, "U8") ? "u8" : "s8";
	snprintf(key, sizeof key, "cvt.sat.%s.s32", to);
	one_source(x, key);
}

const struct lower_op lower_int_ops[] = {
	{"IADD", iadd, "64 X"}, {"IADD3", iadd, "X"}, {"UIADD3", iadd, "64 X"}, {"IMAD", imad, "HI WIDE U32 X"}, {"UIMAD", imad, "HI WIDE U32 X"},
	{"LEA", lea, "HI X SX32"}, {"ULEA", lea, "HI X SX32"}, {"LOP3", lop3, "LUT PAND"}, {"ULOP3", lop3, "LUT"},
	{"SHF", shf, "L R W HI S32 U32 S64 U64"}, {"USHF", shf, "L R W HI S32 U32 S64 U64"},
	{"PRMT", prmt, "F4E B4E RC8 ECL ECR RC16"}, {"UPRMT", prmt, "F4E B4E RC8 ECL ECR RC16"},
	{"ISETP", isetp, COMPARES " F T U32 U64 S64 EX"}, {"UISETP", isetp, COMPARES " F T U32 U64 S64 EX"}, {"SEL", sel, "64"}, {"USEL", sel, "64"},
	{"MOV", mov, "64"}, {"UMOV", mov, "64"}, {"IMNMX", imnmx, "U32 U64 S64"}, {"UIMNMX", imnmx, "U64 S64"},
	{"VIMNMX", vimnmx, "U32 S32 U16x2 S16x2 RELU"}, {"UVIMNMX", vimnmx, "U32 S32"},
	{"VIMNMX3", vimnmx3, "U32 U16x2 S16x2 RELU"}, {"VIADDMNMX", viaddmnmx, "U32 U16x2 S16x2 RELU"}, {"IABS", iabs, ""},
	{"POPC", popc, ""}, {"UPOPC", popc, ""}, {"BREV", brev, ""}, {"UBREV", brev, ""}, {"FLO", flo, "U32 SH"},
	{"UFLO", flo, "U32 SH"}, {"SGXT", sgxt, "U32 W"}, {"USGXT", sgxt, "U32 W"}, {"BMSK", bmsk, "W"}, {"UBMSK", bmsk, "W"},
	{"VIADD", viadd, "16x2 S32 ISAT"}, {"IDP", idp, "4A 2A LO HI S8 U8 S16 U16"}, {"VABSDIFF", vabsdiff, "U32"},
	{"VABSDIFF4", vabsdiff4, "S8 U8 ACC"}, {"PLOP3", plop3, "LUT"}, {"UPLOP3", plop3, "LUT"}, {"P2R", p2r, "B1 B2 B3"},
	{"UP2UR", p2r, "B1 B2 B3"}, {"R2P", r2p, "B1 B2 B3"}, {"UR2UP", r2p, "B1 B2 B3"}, {"I2I", i2i, "S8 U8 S16 U16 S32 SAT"}, {0},
};
