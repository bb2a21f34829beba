// Loads and stores of every type, width and space against a lane-by-lane model, for the usual and unusual patterns of
// addresses and masks, and what bad addresses are told.
#include "tests/unit/exec_mem_fixture.h"

#include <stdio.h>

static struct fixture *f, *want;
static enum exec_level level;

static const struct {
	const char *text;
	unsigned bytes;
	bool sign;
} types[] = {
	{"u8", 1, false}, {"s8", 1, true}, {"b8", 1, false}, {"u16", 2, false}, {"s16", 2, true}, {"b16", 2, false},
	{"f16", 2, false}, {"bf16", 2, false}, {"u32", 4, false}, {"s32", 4, false}, {"b32", 4, false},
	{"f32", 4, false}, {"f16x2", 4, false}, {"bf16x2", 4, false}, {"u64", 8, false}, {"s64", 8, false},
	{"b64", 8, false}, {"f64", 8, false}, {"b128", 16, false},
};

static const char *const spaces[] = {"global.", "const.", "shared.", "local.", "param.", ""};
enum { GLOBAL, CONST, SHARED, LOCAL, PARAM, GENERIC, N_SPACES };

// TILE and PAIR are what blocks of 16 x 16 threads do; END is close to where the space ends.
enum pattern { UNIT, UNIFORM, RANDOM, CLASH, REVERSED, MIXED, TILE, PAIR, END, N_PATTERNS };

// A generic address for the lane; MIXED goes to all places a space reaches.
static uint64_t choose(enum pattern pattern, unsigned space, unsigned lane, unsigned bytes, uint64_t *seed)
{
	uint64_t r = fix_random(seed), at;
	uint64_t base[N_SPACES] = {f->dev[0], f->dev[2], SHARED_WINDOW, LOCAL_WINDOW, 0, f->dev[0]};

	switch (pattern) {
	case UNIT: at = lane * bytes + 64; break;
	case UNIFORM: at = 128; break;
	case CLASH: at = r % 4 * bytes; break;
	case REVERSED: at = (31 - lane) * bytes; break;
	case TILE: at = lane / 16 * 1024 + lane % 16 * bytes + 32; break;
	case PAIR: at = lane / 16 * 64 + 32; break;
	case END: at = FIX_BYTES - 128 + r % (128 / bytes) * bytes; break;
	default: at = r % (FIX_BYTES / bytes) * bytes; break;
	}
	if (pattern == MIXED && space == GLOBAL)
		return f->dev[r >> 32 & 1] + at;
	if (pattern == MIXED && space == GENERIC)
		return (uint64_t[]){f->dev[0], f->dev[1], SHARED_WINDOW, LOCAL_WINDOW}[r >> 32 & 3] + at;
	return base[space] + at;
}

static void ext(uint8_t *row, unsigned lane, const uint8_t *from, unsigned t)
{
	unsigned width = types[t].bytes < 4 ? 4 : types[t].bytes;

	memset(row + lane * width, types[t].sign && from[types[t].bytes - 1] & 0x80 ? 0xff : 0, width);
	memcpy(row + lane * width, from, types[t].bytes);
}

static void one(bool store, unsigned space, unsigned t, unsigned vec, enum pattern pattern, uint32_t mask, bool wide,
                uint64_t seed)
{
	char key[64];
	unsigned bytes = types[t].bytes * vec, width = types[t].bytes < 4 ? 4 : types[t].bytes;
	uint64_t window = space == SHARED ? SHARED_WINDOW : space == LOCAL ? LOCAL_WINDOW : 0, addr[WARP];

	snprintf(key, sizeof key, "%s.%s%s%s", store ? "st" : "ld", spaces[space], vec == 2 ? "v2." : vec == 4 ? "v4." : "",
	         types[t].text);
	f->uop.imm = 16;
	f->uop.flags = wide ? UOP_ADDR64 : 0;
	f->warm = seed & 1;
	fix_noise(f->frame, sizeof f->frame, &seed);
	for (unsigned i = 0; i < WARP; i++) {
		addr[i] = choose(pattern, space, i, bytes, &seed);
		if (mask >> i & 1)
			fix_address(f, i, addr[i] - window - 16);
	}
	memcpy(want, f, offsetof(struct fixture, range));
	for (unsigned i = 0; i < WARP; i++) {
		if (!(mask >> i & 1))
			continue;
		for (unsigned k = 0; k < vec; k++) {
			uint8_t value[16];
			uint8_t *row = want->frame + (vec > 1 ? f->uop.x[k] : store ? ROW_B : ROW_D);

			for (unsigned b = 0; b < types[t].bytes; b++) {
				uint64_t at = addr[i] + k * types[t].bytes + b;
				uint8_t *place = space == PARAM ? f->param + at : fix_byte(f, i, at);
				uint8_t *mine = (uint8_t *)want + (place - (uint8_t *)f);

				if (store) {
					*mine = row[i * width + b];
				} else {
					value[b] = *mine;
				}
			}
			if (!store)
				ext(row, i, value, t);
		}
	}
	fix_run(f, level, key, mask);
	ck_assert_msg(!f->warp->fault, "%s: fault", key);
	ck_assert_msg(!memcmp(f, want, offsetof(struct fixture, range)), "%s pattern %d mask %x wide %d", key, pattern,
	              mask, wide);
}

START_TEST(every_form)
{
	uint64_t seed = 1;

	f = fix_new(1);
	want = fix_new(1);
	level = (enum exec_level)_i;
	for (unsigned t = 0; t < sizeof types / sizeof *types; t++)
		for (unsigned vec = 1; vec <= (types[t].bytes == 16 ? 1 : 4); vec *= 2)
			for (unsigned space = 0; space < N_SPACES; space++)
				for (unsigned p = 0; p < N_PATTERNS; p++) {
					unsigned m = (unsigned)fix_random(&seed) % FIX_MASKS;
					bool narrow = space == SHARED || space == LOCAL || space == PARAM;

					one(false, space, t, vec, p, fix_masks[0], !narrow, seed++);
					one(false, space, t, vec, p, fix_masks[m], true, seed++);
					if (space == CONST || space == PARAM)
						continue;
					one(true, space, t, vec, p, fix_masks[0], !narrow, seed++);
					one(true, space, t, vec, p, fix_masks[m], true, seed++);
				}
	for (unsigned m = 0; m < FIX_MASKS; m++)
		for (unsigned p = 0; p < N_PATTERNS; p++)
			for (unsigned space = 0; space < N_SPACES; space++) {
				one(false, space, 8, 1, p, fix_masks[m], true, seed++);
				if (space != CONST && space != PARAM)
					one(true, space, 8, 1, p, fix_masks[m], true, seed++);
			}
	free(f);
	free(want);
}
END_TEST

// All lanes at `addr` except lane `lane`, which goes to `bad`; the access must fault for that lane and change nothing.
static void bad(const char *key, uint64_t addr, unsigned lane, uint64_t bad_addr, enum fault_kind kind, uint32_t mask)
{
	for (unsigned i = 0; i < WARP; i++)
		fix_address(f, i, i == lane ? bad_addr : addr);
	memcpy(want, f, offsetof(struct fixture, range));
	fix_run(f, level, key, mask);
	ck_assert_msg(f->warp->fault == kind, "%s at 0x%llx: fault %d", key, (unsigned long long)bad_addr, f->warp->fault);
	ck_assert(!memcmp(f, want, offsetof(struct fixture, range)));
	if (f->launch.fault.kind) { // as recorded by exec_fault
		ck_assert_uint_eq(f->launch.fault.addr, bad_addr + (uint64_t)f->uop.imm);
		ck_assert_uint_eq(f->launch.fault.thread[0], lane);
	}
}

static void good(const char *key, uint64_t addr)
{
	for (unsigned i = 0; i < WARP; i++)
		fix_address(f, i, addr);
	fix_run(f, level, key, FULL_MASK);
	ck_assert_msg(!f->warp->fault, "%s at 0x%llx", key, (unsigned long long)addr);
}

START_TEST(bad_addresses)
{
	f = fix_new(2);
	want = fix_new(2);
	level = (enum exec_level)_i;
	f->uop.flags = UOP_ADDR64;
	for (int part = 0; part < 4; part++) {
		f->warm = part / 2;
		uint32_t mask = part % 2 ? 0x80000008u : FULL_MASK;
		uint64_t d = f->dev[0];

		for (unsigned lane = 3; lane < WARP; lane += 28) {
			bad("ld.global.u32", d, lane, 0, FAULT_ILLEGAL_ADDRESS, mask);
			bad("st.global.u32", d, lane, d + FIX_BYTES, FAULT_ILLEGAL_ADDRESS, mask);
			bad("st.global.u32", d, lane, d - 4, FAULT_ILLEGAL_ADDRESS, mask);
			bad("ld.global.u32", d, lane, d + 2, FAULT_MISALIGNED, mask);
			bad("ld.global.v4.f32", d, lane, d + 8, FAULT_MISALIGNED, mask);
			bad("st.global.v2.f64", d, lane, d + FIX_BYTES, FAULT_ILLEGAL_ADDRESS, mask);
			bad("ld.global.u32", d, lane, (uint64_t)-4, FAULT_ILLEGAL_ADDRESS, mask);
			bad("ld.global.u32", d, lane, SHARED_WINDOW, FAULT_ILLEGAL_ADDRESS, mask);
			bad("st.global.u8", d, lane, d + FIX_BYTES, FAULT_ILLEGAL_ADDRESS, mask);
			bad("st.global.u8", d, lane, f->dev[2], FAULT_ILLEGAL_ADDRESS, mask);
			bad("st.u8", d, lane, f->dev[2], FAULT_ILLEGAL_ADDRESS, mask);
			bad("ld.u32", d, lane, SHARED_WINDOW + FIX_BYTES, FAULT_ILLEGAL_ADDRESS, mask);
			bad("ld.u32", SHARED_WINDOW, lane, SHARED_WINDOW + FIX_BYTES, FAULT_ILLEGAL_ADDRESS, mask);
			bad("ld.u32", SHARED_WINDOW, lane, SHARED_WINDOW + WINDOW_SIZE, FAULT_ILLEGAL_ADDRESS, mask);
			bad("ld.u32", LOCAL_WINDOW, lane, LOCAL_WINDOW + FIX_BYTES, FAULT_ILLEGAL_ADDRESS, mask);
			bad("ld.u32", LOCAL_WINDOW, lane, LOCAL_WINDOW + 2, FAULT_MISALIGNED, mask);
			bad("st.u32", LOCAL_WINDOW, lane, (uint64_t)1 << 51, FAULT_ILLEGAL_ADDRESS, mask);
			bad("ld.shared.u32", 0, lane, FIX_BYTES, FAULT_ILLEGAL_ADDRESS, mask);
			bad("ld.shared.u32", 0, lane, 1, FAULT_MISALIGNED, mask);
			bad("ld.shared.u32", 0, lane, WINDOW_SIZE, FAULT_ILLEGAL_ADDRESS, mask);
			bad("st.shared.v2.u64", 0, lane, FIX_BYTES - 8, FAULT_MISALIGNED, mask);
			bad("ld.local.u64", 0, lane, (uint64_t)-8, FAULT_ILLEGAL_ADDRESS, mask);
			bad("st.local.u64", 0, lane, FIX_BYTES, FAULT_ILLEGAL_ADDRESS, mask);
			bad("ld.param.u32", 0, lane, FIX_BYTES, FAULT_ILLEGAL_ADDRESS, mask);
		}
	}
	good("ld.global.u8", f->dev[0] + FIX_BYTES - 1);
	good("ld.global.v4.f32", f->dev[1] + FIX_BYTES - 16);
	good("ld.const.u8", f->dev[2]);
	good("ld.shared.f64", FIX_BYTES - 8);
	good("ld.local.v4.u32", FIX_BYTES - 16);

	// 32-bit addresses wrap in windows: base register -8, offset 12.
	f->uop.flags = 0;
	f->uop.imm = 12;
	good("ld.shared.u32", (uint32_t)-8);
	bad("ld.shared.u32", 0, 5, (uint32_t)-16, FAULT_ILLEGAL_ADDRESS, FULL_MASK);
	f->cta->shared_size = 0;
	f->uop.imm = 0;
	bad("ld.shared.u8", 0, 0, 0, FAULT_ILLEGAL_ADDRESS, FULL_MASK);
	free(f);
	free(want);
}
END_TEST

START_TEST(advice)
{
	static const char *const keys[] = {"prefetch.global.L1", "prefetchu.L1", "membar.gl", "fence.acq_rel.gpu",
	                                   "nanosleep.u32", "pmevent", "discard.global.L2", "applypriority.global.L2"};

	f = fix_new(3);
	for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
		fix_run(f, (enum exec_level)_i, keys[i], FULL_MASK);
	ck_assert(!f->warp->fault);
	free(f);
}
END_TEST

int main(void)
{
	return fix_main("exec_mem", (const TTest *const[]){every_form, bad_addresses, advice}, 3);
}
