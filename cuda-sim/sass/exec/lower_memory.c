// Loads, stores, atomics and reductions in every space, constants by index.
#include "cuda-sim/exec/dependents.h"
#include "cuda-sim/sass/exec/lower.h"

#include <stdio.h>
#include <string.h>

static int64_t offset(struct lower *x, struct sass_address_bits b)
{
	unsigned unused = 32u - b.offset_width;
	return (int32_t)((uint32_t)sass_run(x->i.word, b.offset, b.offset_width) << unused) >> unused;
}

static const struct sass_token *place(struct lower *x)
{
	static const enum sass_place any[] = {SASS_AT_GLOBAL, SASS_AT_SHARED, SASS_AT_LOCAL, SASS_AT_GENERIC};
	for (unsigned k = 0; k < sizeof any / sizeof *any; k++) {
		const struct sass_token *t = lower_token(x, any[k]);
		if (t)
			return t;
	}
	lower_fail(x, "has no address");
	return NULL;
}

struct lower_address lower_near_address(struct lower *x, const struct sass_token *t, struct sx_access *list)
{
	static const uint8_t log2_scale[] = {0, 2, 3, 4};
	struct sass_word w = x->i.word;
	struct sass_address_bits b = sass_address_at(&x->i, t);
	unsigned shift = b.scale ? log2_scale[sass_run(w, b.scale, 2)] : 0;
	int32_t reg = lower_r(x, (unsigned)sass_run(w, b.reg, 8)), ur = b.ur ? lower_ur(x, lower_ur_at(x, b.ur)) : 0;
	struct lower_address a = {.row = reg, .imm = offset(x, b), .space = t->place == SASS_AT_SHARED ? "shared." : "local."};
	*list = (struct sx_access){.how = EXEC_LIST_OFFSET, .scale = (uint8_t)shift, .lo = reg, .uniform = ur == SX_AT_ZERO ? 0 : ur, .imm = a.imm};
	if (shift || list->uniform) {
		a.row = lower_temp(x, 4);
		lower_emit3(x, "sass.address.word", a.row, reg, ur ? ur : SX_AT_ZERO, 0)->x[3] = (int32_t)shift;
	}
	return a;
}

// From Ampere on the uniform register may hold a descriptor of memory instead, which changes no address.
struct lower_address lower_far_address(struct lower *x, const struct sass_token *t, bool generic, struct sx_access *list)
{
	struct sass_word w = x->i.word;
	struct sass_address_bits b = sass_address_at(&x->i, t);
	bool extended = t->imm == 't' || sass_bit(w, 72), wide_reg = b.wide ? sass_bit(w, b.wide) : extended;
	unsigned reg = (unsigned)sass_run(w, b.reg, 8), ur = b.ur ? lower_ur_at(x, b.ur) : SX_URZ;
	bool has_ur = ur != SX_URZ && !(b.descriptor && sass_bit(w, b.descriptor));
	int32_t lo = lower_r(x, reg), u = has_ur ? lower_ur(x, ur) : 0;
	struct lower_address a = {.imm = offset(x, b), .wide = true, .space = generic ? "" : "global."};
	*list = (struct sx_access){.how = generic ? EXEC_LIST_GENERIC : EXEC_LIST_DEVICE, .lo = lo, .hi = wide_reg && reg != SX_RZ ? lo + SX_ROW : 0,
	                           .uniform = u, .wide_uniform = extended, .imm = a.imm};
	if (reg == SX_RZ && !has_ur) {
		a.row = SX_AT_ZERO;
		return a;
	}
	if (!extended) {
		lower_fail(x, "an address of 32 bits is not executed by this version");
		return a;
	}
	a.row = lower_temp(x, 8);
	const char *key = !has_ur ? "sass.address.pair" : wide_reg ? "sass.address.pair.pair" : "sass.address.word.pair";
	if (!has_ur && !wide_reg)
		key = "sass.address.word.pair", u = SX_AT_ZERO;
	lower_emit3(x, key, a.row, lo, u, 0);
	return a;
}

static struct lower_address address(struct lower *x, bool generic)
{
	const struct sass_token *t = place(x);
	struct sx_access *list = &x->k->access[x->at];
	if (!t)
		return (struct lower_address){.space = ""};
	if (t->place == SASS_AT_SHARED || t->place == SASS_AT_LOCAL)
		return lower_near_address(x, t, list);
	return lower_far_address(x, t, generic, list);
}

// The size in bits 73 to 75.
static const struct { const char *key; unsigned registers; } sizes[8] = {
	{"u8", 1}, {"s8", 1}, {"u16", 1}, {"s16", 1}, {"b32", 1}, {"v2.b32", 2}, {"v4.b32", 4}, {NULL, 0}};

static void set_address(struct uop *u, struct lower_address a)
{
	u->a = a.row;
	u->imm = a.imm;
	u->flags |= a.wide ? UOP_ADDR64 : 0;
}

static void load(struct lower *x, bool generic)
{
	unsigned size = (unsigned)sass_run(x->i.word, 73, 3);
	struct lower_address a = address(x, generic);
	char key[40];
	if (!sizes[size].key || x->n_pout > 1 || x->pout_used[0]) {
		lower_fail(x, "this form of a load is not executed by this version");
		return;
	}
	snprintf(key, sizeof key, "ld.%s%s", a.space, sizes[size].key);
	struct uop *u = lower_emit(x, key);
	set_address(u, a);
	u->d = lower_dst(x);
	for (unsigned k = 0; k < sizes[size].registers; k++)
		u->x[k] = lower_dst_at(x, k);
}

// True for stores and atomics that other warps see.
static void shares(struct lower *x, struct lower_address a)
{
	if (strcmp(a.space, "local."))
		x->out.at[x->k->first[x->at]].flags |= UOP_SHARES;
}

// A compare-and-swap, for who checks.
static void swaps(struct lower *x) { x->out.at[x->k->first[x->at]].flags |= UOP_CAS; }

static void store(struct lower *x, bool generic)
{
	unsigned size = (unsigned)sass_run(x->i.word, 73, 3);
	struct lower_address a = address(x, generic);
	char key[40];
	if (!sizes[size].key || x->n_src < 1) {
		lower_fail(x, "this form of a store is not executed by this version");
		return;
	}
	snprintf(key, sizeof key, "st.%s%s", a.space, size == 0 || size == 1 ? "u8" : size == 2 || size == 3 ? "u16" : sizes[size].key);
	const struct sx_source *s = &x->src[x->n_src - 1];
	struct uop *u = lower_emit(x, key);
	set_address(u, a);
	u->b = lower_raw(x, s, 0);
	for (unsigned k = 0; sizes[size].registers > 1 && k < sizes[size].registers; k++)
		u->x[k] = lower_raw(x, s, k);
	shares(x, a);
}

// LDSM and STSM: 1, 2 or 4 matrices, a row of 16 bytes at the address of each of the first lanes.
static void matrices(struct lower *x, bool stores)
{
	enum { SIDE = 8, ROW_BYTES = 16 };
	static const struct { const char *name, *shape, *how; unsigned registers; } shapes[] = {
		{"M88", "", "", 1}, {"MT88", "", ".trans", 1}, {"MT1616", "m16n16.", ".trans", 2}, {"M816", "m8n16.", "", 1}, {"MT168", "m16n8.", ".trans", 1},
	};
	static const struct { const char *name, *type; } types[] = {
		{"16", "b16"}, {"8", "b8"}, {"U6x16P32TO8", "b8x16.b6x16_p32"}, {"U4x16P64TO8", "b8x16.b4x16_p64"},
	};
	const unsigned n = 1u << sass_run(x->i.word, 72, 2);
	unsigned shape = 0, type = 0;
	struct lower_address a = address(x, false);
	char key[64];
	while (shape + 1 < sizeof shapes / sizeof *shapes && !lower_has(x, shapes[shape].name))
		shape++;
	while (type + 1 < sizeof types / sizeof *types && !lower_has(x, types[type].name))
		type++;
	snprintf(key, sizeof key, "%s.%sx%u%s.shared.%s", stores ? "stmatrix" : "ldmatrix", shapes[shape].shape, n, shapes[shape].how, types[type].type);
	const unsigned registers = n * shapes[shape].registers;
	struct uop *u = lower_emit(x, key);
	set_address(u, a);
	x->k->isa[x->at].bytes = ROW_BYTES;
	x->k->isa[x->at].address_lanes = (uint8_t)(registers * SIDE);
	if (!stores)
		u->d = lower_dst(x);
	for (unsigned k = 0; k < registers; k++)
		u->x[k] = stores ? lower_raw(x, &x->src[x->n_src - 1], k) : lower_dst_at(x, k);
	if (stores) {
		u->b = u->x[0];
		shares(x, a);
	}
}

static void ldsm(struct lower *x) { matrices(x, false); }
static void stsm(struct lower *x) { matrices(x, true); }

static void ld_generic(struct lower *x) { load(x, true); }
static void ld(struct lower *x) { load(x, false); }
static void st_generic(struct lower *x) { store(x, true); }
static void st(struct lower *x) { store(x, false); }

// --- constants

static void ldc(struct lower *x)
{
	static const uint8_t bytes[8] = {1, 1, 2, 2, 4, 8, 16, 0};
	struct sass_word w = x->i.word;
	const struct sass_token *t = lower_token(x, SASS_AT_CONST);
	unsigned size = (unsigned)sass_run(w, 73, 3), bank = (unsigned)sass_run(w, 54, 5), index = (unsigned)sass_run(w, 24, 8);
	unsigned from = t ? sass_const_at(t) : 0, unused = 64 - (54 - from);
	int64_t at = t ? (int64_t)(sass_run(w, from, 54 - from) << unused) >> unused : 0;
	bool by_uniform = t && (t->imm == 'r' || t->imm == 'u'), direct = t && t->imm == 'd';
	if (!t || !bytes[size] || bank >= KERNEL_BANKS) {
		lower_fail(x, "this form of a constant load is not executed by this version");
		return;
	}
	int32_t row = direct ? SX_AT_ZERO : by_uniform ? lower_ur(x, lower_ur_at(x, 24)) : lower_r(x, index);
	if (row == SX_AT_ZERO)
		at &= 0xffff;
	if (!x->uniform_dst)
		x->k->access[x->at] = (struct sx_access){.how = EXEC_LIST_CONST, .bank = (uint8_t)bank, .lo = row, .imm = at};
	uint32_t bank_size = x->k->image->bank[bank].size;
	if (row == SX_AT_ZERO && bytes[size] >= 4 && at <= bank_size && bytes[size] <= bank_size - at && at % bytes[size] == 0) {
		struct sx_source c = {.kind = SX_O_CONST, .bank = (uint8_t)bank, .bits = (uint32_t)at};
		for (unsigned k = 0; k < bytes[size] / 4u; k++)
			lower_emit3(x, "mov.b32", lower_dst_at(x, k), lower_raw(x, &c, k), 0, 0);
		return;
	}
	if (bytes[size] > 8) { // the first half may write the index
		int32_t kept = lower_temp(x, 4);
		lower_emit3(x, "mov.b32", kept, row, 0, 0);
		row = kept;
	}
	for (unsigned done = 0; done < bytes[size]; done += 8) {
		struct uop *u = lower_emit3(x, "sass.ldc", lower_dst_at(x, done / 4), row, 0, 0);
		u->imm = at + done;
		u->x[1] = size == 1 || size == 3;
		u->x[2] = bytes[size] < 8 ? bytes[size] : 8;
		u->x[3] = (int32_t)bank;
	}
}

// --- atomics

struct atomic_type {
	const char *bits, *sign, *unsign; // as keys have it, of operations on bits, signed and unsigned numbers
	unsigned bytes;
	bool is_float;
};

static const struct atomic_type atomic_types[8] = {
	{"b32", "u32", "u32", 4, false}, {"b32", "s32", "s32", 4, false}, {"b64", "u64", "u64", 8, false}, {"f32", "f32", "f32", 4, true},
	{"noftz.f16x2", "noftz.f16x2", "noftz.f16x2", 4, true}, {"b64", "s64", "s64", 8, false}, {"f64", "f64", "f64", 8, true}, {0}};

static const char *const operations[16] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch"};

// What an atomic does, by the bits from 87 on. Those of floating point have three of them from Blackwell on and a list of their own.
static const char *operation(const struct lower *x, unsigned bits)
{
	bool is_float = x->i.row->group == 0x1a2 || x->i.row->group == 0x1a3 || x->i.row->group == 0x1a6;
	if (is_float)
		return lower_has(x, "ADD") ? "add" : lower_has(x, "MIN") ? "min" : "max";
	return operations[sass_run(x->i.word, 87, bits)];
}

static bool system_scope(const struct lower *x) { return lower_has(x, "SYS") || lower_has(x, "STRONG.SYS"); }

// A register or a pair as the operand of an atomic.
static int32_t operand(struct lower *x, const struct sx_source *s, unsigned bytes)
{
	if (bytes == 4)
		return lower_raw(x, s, 0);
	if (s->reg == SX_RZ)
		return SX_AT_ZERO;
	int32_t to = lower_temp(x, 8);
	lower_emit3(x, "sass.address.pair", to, lower_raw(x, s, 0), 0, 0);
	return to;
}

// Four registers as 16 bytes a lane.
static int32_t quad(struct lower *x, const struct sx_source *s)
{
	int32_t half[2];
	for (unsigned k = 0; k < 2; k++) {
		half[k] = lower_temp(x, 8);
		struct uop *u = lower_emit(x, "mov.pack2.b64");
		u->d = half[k];
		u->x[0] = lower_raw(x, s, 2 * k);
		u->x[1] = lower_raw(x, s, 2 * k + 1);
	}
	int32_t to = lower_temp(x, 16);
	struct uop *u = lower_emit(x, "mov.pack2.b128");
	u->d = to;
	u->x[0] = half[0];
	u->x[1] = half[1];
	return to;
}

// Exchanges of 128 bits, or with a source c compares with b and stores c.
static void atomic_quad(struct lower *x, bool generic, const struct sx_source *b, const struct sx_source *c)
{
	struct lower_address a = address(x, generic);
	char key[40];
	int32_t vb = quad(x, b), vc = c ? quad(x, c) : 0, old = lower_temp(x, 16), half[2] = {lower_temp(x, 8), lower_temp(x, 8)};
	snprintf(key, sizeof key, "atom.%s%s.b128", a.space, c ? "cas" : "exch");
	struct uop *u = lower_emit(x, key);
	set_address(u, a);
	u->d = old;
	u->b = vb;
	u->c = vc;
	u->flags |= system_scope(x) ? UOP_SYSTEM : 0;
	u = lower_emit(x, "mov.unpack2.b128");
	u->a = old;
	u->x[0] = half[0];
	u->x[1] = half[1];
	for (unsigned k = 0; k < 2; k++) {
		u = lower_emit(x, "mov.unpack2.b64");
		u->a = half[k];
		u->x[0] = lower_dst_at(x, 2 * k);
		u->x[1] = lower_dst_at(x, 2 * k + 1);
	}
	shares(x, a);
	if (c)
		swaps(x);
}

static void atomic(struct lower *x, const char *op, const struct atomic_type *t, bool result, bool generic, const struct sx_source *b,
                   const struct sx_source *c)
{
	struct lower_address a = address(x, generic);
	bool bitwise = !strcmp(op, "and") || !strcmp(op, "or") || !strcmp(op, "xor") || !strcmp(op, "exch") || !strcmp(op, "cas");
	const char *type = t->is_float ? t->sign : bitwise ? t->bits : t->sign;
	char key[48];
	if (!strcmp(a.space, "shared.") && !strncmp(type, "noftz", 5))
		lower_fail(x, "is not executed by this version");
	int32_t vb = operand(x, b, t->bytes), vc = c ? operand(x, c, t->bytes) : 0;
	int32_t to = !result ? 0 : t->bytes == 8 ? lower_temp(x, 8) : lower_dst(x);
	snprintf(key, sizeof key, "%s.%s%s.%s", result ? "atom" : "red", a.space, op, type);
	struct uop *u = lower_emit(x, key);
	set_address(u, a);
	u->d = to;
	u->b = vb;
	u->c = vc;
	u->flags |= system_scope(x) ? UOP_SYSTEM : 0;
	if (result && t->bytes == 8)
		lower_put_pair(x, to);
	shares(x, a);
	if (c)
		swaps(x);
}

// 1 for the lanes whose value was the one expected, so that theirs was stored; 0 for the others. Code goes round until it is 1.
static void compare_and_store(struct lower *x, bool generic)
{
	struct lower_address a = address(x, generic);
	bool wide = lower_has(x, "64");
	unsigned bytes = wide ? 8 : 4;
	char key[40];
	int32_t expected = operand(x, &x->src[0], bytes), value = operand(x, &x->src[1], bytes), old = lower_temp(x, bytes), p = lower_ptemp(x);
	snprintf(key, sizeof key, "atom.%scas.b%u", a.space, 8 * bytes);
	struct uop *u = lower_emit(x, key);
	set_address(u, a);
	u->flags |= system_scope(x) ? UOP_SYSTEM : 0;
	u->d = old;
	u->b = expected;
	u->c = value;
	lower_emit3(x, wide ? "setp.eq.u64" : "setp.eq.u32", p, old, expected, SX_AT_P + 4 * SX_PT)->x[0] = SX_AT_P_SINK;
	if (x->has_dst)
		lower_emit3(x, "selp.b32", lower_dst(x), lower_bits(x, 1, false), SX_AT_ZERO, p);
	else // ATOMS from Blackwell on has a predicate for it
		lower_emit3(x, "mov.pred", x->pout[0], p, 0, 0);
	if (wide && x->has_dst)
		lower_emit3(x, "mov.b32", lower_dst_at(x, 1), SX_AT_ZERO, 0, 0);
	shares(x, a);
	swaps(x);
}

// Hopper's atomics on floating point are groups of their own, with other types and operations: up to four words, of which each is
// done on its own.
static bool is_float_atomic(const struct lower *x)
{
	enum { ATOM = 0x1a2, ATOMG = 0x1a3, REDG = 0x1a6 };
	unsigned group = x->i.row->group;
	return x->i.generation >= SASS_HOPPER && (group == ATOM || group == ATOMG || group == REDG);
}

static void float_atomic(struct lower *x, bool result, bool generic)
{
	enum { F32 = 9, F64 = 15 };
	static const struct atomic_type f32 = {"f32", "f32", "f32", 4, true}, f64 = {"f64", "f64", "f64", 8, true};
	static const uint8_t words[16] = {1, 2, 4, 1, 2, 4, 0, 0, 0, 1, 2, 4};
	static const char *const ops[8] = {"add", NULL, "min", NULL, "max"};
	unsigned t = (unsigned)sass_run(x->i.word, 73, 4);
	const char *op = ops[sass_run(x->i.word, 87, 3)];
	if (!op || !x->n_src || (t != F64 && !words[t]) || (t >= F32 && strcmp(op, "add"))) {
		lower_fail(x, "this operation is not executed by this version");
		return;
	}
	if (t == F32 || t == F64) {
		atomic(x, op, t == F32 ? &f32 : &f64, result, generic, &x->src[0], NULL);
		return;
	}
	struct lower_address a = address(x, generic);
	char key[48];
	snprintf(key, sizeof key, "%s.%s%s.%s", result ? "atom" : "red", a.space, op, t > F32 ? "f32" : t < 3 ? "noftz.f16x2" : "noftz.bf16x2");
	for (unsigned k = 0; k < words[t]; k++) {
		struct uop *u = lower_emit(x, key);
		set_address(u, a);
		u->imm += 4 * k;
		u->d = result ? lower_dst_at(x, k) : 0;
		u->b = lower_raw(x, &x->src[0], k);
		u->flags |= system_scope(x) ? UOP_SYSTEM : 0;
	}
	shares(x, a);
}

// The type of an atomic or a reduction on integers, and before Hopper on floating point.
static const struct atomic_type *atomic_type(struct lower *x)
{
	static const struct atomic_type s64 = {"b64", "s64", "s64", 8, false};
	if (x->i.generation < SASS_HOPPER)
		return &atomic_types[sass_run(x->i.word, 73, 3)];
	if (lower_has(x, "S64"))
		return &s64;
	unsigned t = (unsigned)sass_run(x->i.word, 73, 3);
	return &atomic_types[t < 3 ? t : 7]; // the last one is none
}

// ATOMS.ARRIVE and ATOM.ARRIVE, up to Ada.
static void arrive(struct lower *x, bool generic)
{
	int32_t state = lower_temp(x, 8);
	struct lower_address a = address(x, generic);
	struct uop *u = lower_emit(x, "async.mbarrier.ampere");
	set_address(u, a);
	u->d = state;
	lower_put_pair(x, state);
	if (x->pout_used[0])
		lower_emit3(x, "mov.pred", x->pout[0], SX_AT_P + 4 * SX_PT, 0, 0);
	shares(x, a);
}

static void atom_in(struct lower *x, bool generic)
{
	if (lower_has(x, "ARRIVE")) {
		arrive(x, true);
		return;
	}
	if (lower_has(x, "CAS")) {
		static const struct atomic_type b32 = {"b32", "b32", "b32", 4, false}, b64 = {"b64", "b64", "b64", 8, false};
		if (lower_has(x, "128"))
			atomic_quad(x, generic, &x->src[0], &x->src[1]);
		else
			atomic(x, "cas", lower_has(x, "64") ? &b64 : &b32, true, generic, &x->src[0], &x->src[1]);
	} else if (lower_has(x, "CAST") || lower_has(x, "CAST.SPIN")) {
		compare_and_store(x, generic);
	} else if (is_float_atomic(x)) {
		float_atomic(x, true, generic);
	} else {
		const char *op = operation(x, 4);
		const struct atomic_type *t = atomic_type(x);
		if (op && !strcmp(op, "exch") && lower_has(x, "128"))
			atomic_quad(x, generic, &x->src[0], NULL);
		else if (!op || !t->bytes || !x->n_src)
			lower_fail(x, "this operation is not executed by this version");
		else
			atomic(x, op, t, true, generic, &x->src[0], NULL);
	}
	// Whether it was done: not where a generic address lies in shared memory that this instruction does not reach. It does here.
	if (x->pout_used[0])
		lower_emit3(x, "mov.pred", x->pout[0], SX_AT_P + 4 * SX_PT, 0, 0);
}

static void atom(struct lower *x) { atom_in(x, true); }
static void atomg(struct lower *x) { atom_in(x, false); }

static void red(struct lower *x)
{
	if (is_float_atomic(x)) {
		float_atomic(x, false, false);
		return;
	}
	const char *op = operation(x, 3);
	const struct atomic_type *t = atomic_type(x);
	if (!t->bytes)
		lower_fail(x, "this operation is not executed by this version");
	else
		atomic(x, op, t, false, false, &x->src[0], NULL);
}

static void atoms(struct lower *x)
{
	struct sass_word w = x->i.word;
	unsigned kind = (unsigned)sass_run(w, 73, 3);
	if (lower_has(x, "ARRIVE")) {
		arrive(x, false);
		return;
	}
	if (!x->n_src) { // POPC.INC: every lane that is here adds one
		struct lower_address a = address(x, false);
		struct uop *u = lower_emit(x, "red.shared.add.u32");
		set_address(u, a);
		u->b = lower_bits(x, 1, false);
		shares(x, a);
		if (x->dst != SX_RZ)
			lower_fail(x, "its result is not executed by this version");
		return;
	}
	if (lower_has(x, "CAS")) {
		static const struct atomic_type b32 = {"b32", "b32", "b32", 4, false}, b64 = {"b64", "b64", "b64", 8, false};
		if (lower_has(x, "128"))
			atomic_quad(x, false, &x->src[0], &x->src[1]);
		else
			atomic(x, "cas", kind == 2 ? &b64 : &b32, true, false, &x->src[0], &x->src[1]);
		return;
	}
	if (lower_has(x, "CAST") || lower_has(x, "CAST.SPIN")) {
		compare_and_store(x, false);
		return;
	}
	const char *op = operations[sass_run(w, 87, 4)];
	if (op && !strcmp(op, "exch") && lower_has(x, "128"))
		atomic_quad(x, false, &x->src[0], NULL);
	else if (!op || kind > 2)
		lower_fail(x, "this form of an atomic on shared memory is not executed by this version");
	else
		atomic(x, op, &atomic_types[kind], true, false, &x->src[0], NULL);
}

// --- what only orders or advises

static void nothing(struct lower *x) { lower_emit(x, "sass.nop"); }

// Grids behind this one may begin; or it waits for the one in front.
static void dependents(struct lower *x)
{
	const bool waits = !strcmp(x->i.row->op, "ACQBULK");
	lower_ctl(x, SX_DEPENDENTS)->x[0] = waits ? EXEC_DEPENDENTS_WAIT : EXEC_DEPENDENTS_ALLOW;
	x->k->isa[x->at].ordered = !waits;
}

static void membar(struct lower *x)
{
	struct uop *u = lower_emit(x, "membar.gl");
	u->flags |= system_scope(x) ? UOP_SYSTEM : 0;
	u->flags |= lower_has(x, "VIEW") ? UOP_PROXY : 0;
}

// Whether generic addresses lie in a space.
static void qspc(struct lower *x)
{
	struct sx_access unused;
	const struct sass_token *t = place(x);
	if (!t)
		return;
	struct lower_address a = lower_far_address(x, t, true, &unused);
	struct uop *u = lower_emit(x, lower_has(x, "G") ? "isspacep.global" : lower_has(x, "L") ? "isspacep.local" :
	                             lower_has(x, "D") ? "isspacep.shared::cluster" : "isspacep.shared");
	u->d = x->pout[0];
	u->a = a.row;
	u->flags |= UOP_ADDR64;
}

const struct lower_op lower_memory_ops[] = {
	{"LDG", ld, FAR SIZES}, {"STG", st, FAR SIZES}, {"LD", ld_generic, FAR SIZES}, {"ST", st_generic, FAR SIZES},
	{"LDSM", ldsm, "16 8 U6x16P32TO8 U4x16P64TO8 M88 MT88 MT1616 M816 2 4"}, {"STSM", stsm, "16 8 M88 MT88 MT168 2 4"},
	{"LDS", ld, SIZES}, {"STS", st, SIZES}, {"LDL", ld, SIZES}, {"STL", st, SIZES}, {"LDC", ldc, SIZES}, {"ULDC", ldc, SIZES}, {"LDCU", ldc, SIZES},
	{"ATOM", atom, FAR ATOMIC " CAS CAST SPIN ARRIVE"}, {"ATOMG", atomg, FAR ATOMIC " CAS CAST SPIN"}, {"RED", red, FAR ATOMIC},
	{"REDG", red, FAR ATOMIC}, {"ATOMS", atoms, ATOMIC " CAS CAST SPIN POPC 32 ARRIVE"}, {"MEMBAR", membar, "SC ALL CTA GPU SYS VC"},
	{"FENCE", membar, "VIEW ASYNC S G"}, {"ERRBAR", nothing, ""}, {"CGAERRBAR", nothing, ""},
	{"CCTL", nothing, "E IV IVALL PF1 PF2 DML2 PML2 RML2"}, {"CCTLL", nothing, "PF1 PF2"}, {"PMTRIG", nothing, ""},
	{"PREEXIT", dependents, ""}, {"ACQBULK", dependents, ""}, {"QSPC", qspc, "E S D L G"}, {0},
};
