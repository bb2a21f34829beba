// Atomics and reductions against a model that runs the lanes one after the other.
#include "cuda-sim/numbers/softfp.h"
#include "tests/unit/exec_mem_fixture.h"

#include <math.h>
#include <stdio.h>

static struct fixture *f;
static enum exec_level level;
static uint8_t before[FIX_BYTES];

__extension__ typedef unsigned __int128 wide;

static float as_f32(uint64_t v)
{
	uint32_t w = (uint32_t)v;
	float x;

	memcpy(&x, &w, 4);
	return x;
}

static uint64_t of_f32(float x)
{
	uint32_t w;

	memcpy(&w, &x, 4);
	return w;
}

static double as_f64(uint64_t v)
{
	double x;

	memcpy(&x, &v, 8);
	return x;
}

static uint64_t of_f64(double x)
{
	uint64_t w;

	memcpy(&w, &x, 8);
	return w;
}

// A number with `digits` bits of fraction, by its definition: sign, exponent with `bias`, fraction.
static double decode(unsigned v, unsigned digits, int bias)
{
	unsigned frac = v & ((1u << digits) - 1), exp = v >> digits & ((1u << (15 - digits)) - 1);
	double m = exp ? ldexp(frac + (1 << digits), (int)exp - bias - (int)digits) : ldexp(frac, 1 - bias - (int)digits);

	return v & 0x8000 ? -m : m;
}

// The nearest such number, even on a tie, by looking at all of the same sign.
static unsigned encode(double x, unsigned digits, int bias)
{
	unsigned sign = signbit(x) ? 0x8000 : 0, best = 0, inf = ((1u << (15 - digits)) - 1) << digits;
	double err = INFINITY, a = fabs(x);

	for (unsigned v = 0; v <= inf; v++) {
		double e = fabs(decode(v, digits, bias) - a);

		if (e < err || (e == err && !(v & 1))) {
			err = e;
			best = v;
		}
	}
	return sign | best;
}

static unsigned half_sum(unsigned a, unsigned b, bool brain)
{
	unsigned digits = brain ? 7 : 10;
	int bias = brain ? 127 : 15;

	return encode(decode(a & 0xffff, digits, bias) + decode(b & 0xffff, digits, bias), digits, bias);
}

static uint64_t ftz(uint64_t v)
{
	return v & 0x7f800000 ? v : v & 0x80000000;
}

// The new value; o, b and c are zero-extended.
static wide apply(const char *op, wide o, wide b, wide c, bool global)
{
	uint64_t x = (uint64_t)o, y = (uint64_t)b;

#define OP(name, expr)           \
	if (!strcmp(op, name))   \
		return (wide)(expr);
	OP("add.u32", (uint32_t)(x + y))
	OP("add.s32", (uint32_t)(x + y))
	OP("add.u64", x + y)
	OP("add.s64", x + y)
	OP("min.u32", x < y ? x : y)
	OP("max.u32", x < y ? y : x)
	OP("min.u64", x < y ? x : y)
	OP("max.u64", x < y ? y : x)
	OP("min.s32", (int32_t)x < (int32_t)y ? x : y)
	OP("max.s32", (int32_t)x < (int32_t)y ? y : x)
	OP("min.s64", (int64_t)x < (int64_t)y ? x : y)
	OP("max.s64", (int64_t)x < (int64_t)y ? y : x)
	OP("inc.u32", x >= y ? 0 : x + 1)
	OP("dec.u32", x == 0 || x > y ? y : x - 1)
	OP("and.b32", x & y)
	OP("and.b64", x & y)
	OP("or.b32", x | y)
	OP("or.b64", x | y)
	OP("xor.b32", x ^ y)
	OP("xor.b64", x ^ y)
	OP("exch.b32", y)
	OP("exch.b64", y)
	OP("exch.b128", b)
	OP("cas.b16", o == b ? c : o)
	OP("cas.b32", o == b ? c : o)
	OP("cas.b64", o == b ? c : o)
	OP("cas.b128", o == b ? c : o)
	OP("add.f32", global ? ftz(of_f32(as_f32(ftz(x)) + as_f32(ftz(y)))) : of_f32(as_f32(x) + as_f32(y)))
	OP("add.f64", of_f64(as_f64(x) + as_f64(y)))
	OP("add.noftz.f16", half_sum((unsigned)x, (unsigned)y, false))
	OP("add.noftz.bf16", half_sum((unsigned)x, (unsigned)y, true))
	OP("add.noftz.f16x2", half_sum((unsigned)x, (unsigned)y, false) |
	                              half_sum((unsigned)x >> 16, (unsigned)y >> 16, false) << 16)
	OP("add.noftz.bf16x2", half_sum((unsigned)x, (unsigned)y, true) |
	                               half_sum((unsigned)x >> 16, (unsigned)y >> 16, true) << 16)
#undef OP
	ck_abort_msg("no model of %s", op);
	return 0;
}

static const struct {
	const char *text;
	unsigned bytes;
	bool swap;
} ops[] = {
	{"add.u32", 4, false}, {"add.s32", 4, false}, {"add.u64", 8, false}, {"add.s64", 8, false},
	{"min.u32", 4, false}, {"min.s32", 4, false}, {"min.u64", 8, false}, {"min.s64", 8, false},
	{"max.u32", 4, false}, {"max.s32", 4, false}, {"max.u64", 8, false}, {"max.s64", 8, false},
	{"inc.u32", 4, false}, {"dec.u32", 4, false}, {"and.b32", 4, false}, {"and.b64", 8, false},
	{"or.b32", 4, false}, {"or.b64", 8, false}, {"xor.b32", 4, false}, {"xor.b64", 8, false},
	{"add.f32", 4, false}, {"add.f64", 8, false}, {"add.noftz.f16", 2, false}, {"add.noftz.bf16", 2, false},
	{"add.noftz.f16x2", 4, false}, {"add.noftz.bf16x2", 4, false}, {"exch.b32", 4, true}, {"exch.b64", 8, true},
	{"exch.b128", 16, true}, {"cas.b16", 2, true}, {"cas.b32", 4, true}, {"cas.b64", 8, true},
	{"cas.b128", 16, true},
};

// Random bits; small numbers, so that inc, dec and cas meet their cases; floats without NaN and infinity.
static wide operand(const char *op, unsigned bytes, uint64_t *seed)
{
	uint64_t r = fix_random(seed), q = fix_random(seed);

	if (strstr(op, ".f64"))
		return r & 0xbfffffffffffffffu;
	if (strstr(op, ".f32"))
		return r & (q & 1 ? 0xbfffffffu : 0x80ffffffu);
	if (strstr(op, "bf16"))
		return r & (bytes == 2 ? 0xbfff : 0xbfff80ff);
	if (strstr(op, "f16"))
		return r & (bytes == 2 ? 0xbbff : 0xbbff83ff);
	if (q & 1 || strstr(op, "cas"))
		return r & 3;
	if (bytes == 16)
		return (wide)r << 64 | q;
	return bytes == 8 ? r : r & ((1ull << 8 * bytes) - 1);
}

// place: 0 global, 1 shared, 2 generic, mixed. spread: how many places the lanes share. With flag UOP_SYSTEM atomics of
// the host do the same.
static void one(const char *name, unsigned n, unsigned place, unsigned spread, uint32_t mask, uint64_t seed, uint16_t flag)
{
	static const char *const space[] = {"global.", "shared.", ""};
	unsigned bytes = ops[n].bytes, width = bytes < 4 ? 4 : bytes;
	bool red = !strcmp(name, "red");
	char key[64];
	uint64_t addr[WARP];
	wide want_row[WARP], want_b[WARP], want_c[WARP];
	uint8_t frame[sizeof f->frame];
	struct { uint64_t addr; wide v; } cell[WARP];
	unsigned n_cell = 0;

	snprintf(key, sizeof key, "%s.%s%s", name, space[place], ops[n].text);
	f->uop.imm = -32;
	f->uop.flags = UOP_ADDR64 | flag;
	f->uop.d = ROW_D;
	fix_noise(f->frame, sizeof f->frame, &seed);
	for (unsigned i = 0; i < WARP; i++) {
		uint64_t r = fix_random(&seed), at = 64 + r % spread * bytes;
		bool shared = place == 1 || (place == 2 && spread > 1 && r >> 40 & 1);

		addr[i] = (shared ? SHARED_WINDOW : f->dev[0]) + at;
		fix_address(f, i, addr[i] + 32 - (place == 1 ? SHARED_WINDOW : 0));
		want_b[i] = operand(ops[n].text, bytes, &seed);
		want_c[i] = operand(ops[n].text, bytes, &seed);
		memcpy(f->frame + ROW_B + i * width, &want_b[i], width);
		memcpy(f->frame + ROW_C + i * width, &want_c[i], width);
		wide start = operand(ops[n].text, bytes, &seed);

		memcpy(fix_byte(f, i, addr[i]), &start, bytes);
	}
	memcpy(frame, f->frame, sizeof frame);
	for (unsigned i = 0; i < WARP; i++) {
		unsigned k = 0;

		want_row[i] = 0;
		memcpy(&want_row[i], f->frame + ROW_D + i * width, width);
		if (!(mask >> i & 1))
			continue;
		while (k < n_cell && cell[k].addr != addr[i])
			k++;
		if (k == n_cell) {
			cell[k].addr = addr[i];
			cell[k].v = 0;
			memcpy(&cell[k].v, fix_byte(f, i, addr[i]), bytes);
			n_cell++;
		}
		if (!red)
			memcpy(&want_row[i], &cell[k].v, bytes);
		cell[k].v = apply(ops[n].text, cell[k].v, want_b[i], want_c[i], addr[i] < SHARED_WINDOW);
	}
	fix_run(f, level, key, mask);
	ck_assert_msg(!f->warp->fault, "%s", key);
	for (unsigned i = 0; i < WARP; i++) {
		unsigned cmp = mask >> i & 1 && !red ? bytes : width;

		ck_assert_msg(!memcmp(f->frame + ROW_D + i * width, &want_row[i], cmp), "%s spread %u mask %x lane %u", key,
		              spread, mask, i);
	}
	for (unsigned k = 0; k < n_cell; k++)
		ck_assert_msg(!memcmp(fix_byte(f, 0, cell[k].addr), &cell[k].v, bytes), "%s spread %u mask %x memory", key,
		              spread, mask);
	if (red)
		ck_assert(!memcmp(frame, f->frame, sizeof frame));
}

START_TEST(every_operation)
{
	uint64_t seed = 7;

	f = fix_new(1);
	level = (enum exec_level)_i;
	for (unsigned n = 0; n < sizeof ops / sizeof *ops; n++) {
		bool slow = strstr(ops[n].text, "f16"); // the model is
		for (unsigned place = 0; place < 3; place++)
			for (unsigned spread = 1; spread <= 100; spread *= slow ? 100 : 10)
				for (unsigned m = 0; m < (slow ? 2 : 2 * FIX_MASKS); m++) {
					uint16_t flag = m & 1 ? UOP_SYSTEM : 0;
					one("atom", n, place, spread, slow ? 0x80010101u : fix_masks[m / 2], seed++, flag);
					if (!ops[n].swap)
						one("red", n, place, spread, slow ? 0x00010111u : fix_masks[m / 2], seed++, flag);
				}
	}
	free(f);
}
END_TEST

START_TEST(not_a_number)
{
	f = fix_new(1);
	level = (enum exec_level)_i;
	f->uop.flags = UOP_ADDR64;
	for (unsigned i = 0; i < WARP; i++) {
		fix_address(f, i, f->dev[0]);
		((uint32_t *)(f->frame + ROW_B))[i] = 0xff812345;
	}
	*(uint32_t *)f->dev[0] = 0x3f800000;
	fix_run(f, level, "atom.global.add.f32", FULL_MASK);
	ck_assert_uint_eq(*(uint32_t *)f->dev[0], 0x7fffffff);
	*(uint64_t *)f->dev[0] = 0x7ff8000000000001;
	fix_run(f, level, "red.global.add.f64", 1);
	ck_assert_uint_eq(*(uint64_t *)f->dev[0], 0xfff8000000000000);
	*(uint16_t *)f->dev[0] = 0x7c00;
	((uint32_t *)(f->frame + ROW_B))[0] = 0xfc00;
	fix_run(f, level, "atom.global.add.noftz.f16", 1);
	ck_assert_uint_eq(*(uint16_t *)f->dev[0], 0x7fff);
	free(f);
}
END_TEST

START_TEST(refused)
{
	static const struct {
		const char *key;
		uint64_t addr;
		enum fault_kind kind;
	} cases[] = {
		{"atom.add.u32", LOCAL_WINDOW + 2, FAULT_MISALIGNED},
		{"atom.global.add.u32", 0, FAULT_ILLEGAL_ADDRESS},
		{"atom.shared.add.u32", FIX_BYTES, FAULT_ILLEGAL_ADDRESS},
		{"atom.shared.add.u64", 4, FAULT_MISALIGNED},
		{"atom.add.u32", SHARED_WINDOW + 2, FAULT_MISALIGNED},
	};

	f = fix_new(1);
	level = (enum exec_level)_i;
	f->uop.flags = UOP_ADDR64;
	memcpy(before, f->shared, FIX_BYTES);
	for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
		for (unsigned i = 0; i < WARP; i++)
			fix_address(f, i, i == 9 ? cases[k].addr : strstr(cases[k].key, "shared") ? 0 : f->dev[0]);
		fix_run(f, level, cases[k].key, FULL_MASK);
		ck_assert_msg(f->warp->fault == cases[k].kind, "%s: %d", cases[k].key, f->warp->fault);
		ck_assert_uint_eq(f->launch.fault.thread[0], 9);
	}
	for (unsigned i = 0; i < WARP; i++)
		fix_address(f, i, f->dev[2]);
	fix_run(f, level, "red.global.add.u32", FULL_MASK);
	ck_assert_int_eq(f->warp->fault, FAULT_ILLEGAL_ADDRESS); // constant memory
	ck_assert(!memcmp(before, f->shared, FIX_BYTES));
	free(f);
}
END_TEST

int main(void)
{
	return fix_main("exec_atom", (const TTest *const[]){every_operation, not_a_number, refused}, 3);
}
