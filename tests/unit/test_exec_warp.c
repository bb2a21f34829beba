// Instructions that look at other lanes, against models written from the PTX ISA.
#include "tests/unit/exec_mem_fixture.h"

#include <math.h>
#include <stdio.h>

enum { MEMBERS = ROW_X + 512 };

static struct fixture *f;
static enum exec_level level;

static uint32_t *row(int32_t off)
{
	return (uint32_t *)(f->frame + off);
}

static void setup(uint64_t *seed)
{
	fix_noise(f->frame, sizeof f->frame, seed);
	f->uop.flags = 0;
	f->uop.a = ROW_A;
	f->uop.b = ROW_B;
	f->uop.c = ROW_C;
	f->uop.d = ROW_D;
	f->uop.x[0] = PRED_P;
	f->uop.x[3] = 0;
}

// Gives every lane a member mask of its own and returns the row. Some are of lanes that are not here, some leave out
// the lane itself, some are shared.
static const uint32_t *setup_members(uint64_t *seed)
{
	uint32_t *m = row(MEMBERS), few[3] = {(uint32_t)fix_random(seed), 0xff, (uint32_t)fix_random(seed)};

	for (unsigned i = 0; i < WARP; i++)
		m[i] = fix_random(seed) & 1 ? few[fix_random(seed) % 3] : (uint32_t)fix_random(seed);
	f->uop.x[3] = MEMBERS;
	return m;
}

START_TEST(shuffles)
{
	static const char *const modes[] = {"up", "down", "bfly", "idx"};
	static const uint32_t clamps[] = {0x1f, 0, 0x1c1f, 0x1800, 0x181f, 0x1e01, 0x1f1f, 0x0a15};
	uint64_t seed = 5;

	f = fix_new(1);
	level = (enum exec_level)_i;
	for (unsigned n = 0; n < 4 * 8 * FIX_MASKS * 6; n++) {
		unsigned mode = n % 4;
		uint32_t mask = fix_masks[n / 32 % FIX_MASKS], a[WARP], was[WARP], pred;
		char key[32];

		setup(&seed);
		if (n % 3 == 0)
			f->uop.d = ROW_A; // in place
		uint32_t b0 = (uint32_t)fix_random(&seed);
		for (unsigned i = 0; i < WARP; i++) {
			row(ROW_B)[i] = n & 64 ? b0 : row(ROW_B)[i];
			row(ROW_C)[i] = clamps[n / 4 % 8];
		}
		const uint32_t *member = n & 1024 || n % 5 == 0 ? NULL : setup_members(&seed);
		memcpy(a, row(ROW_A), sizeof a);
		memcpy(was, row(f->uop.d), sizeof was);
		pred = *row(PRED_P);
		snprintf(key, sizeof key, "shfl.%s%s.b32", n & 1024 ? "" : "sync.", modes[mode]);
		fix_run(f, level, key, mask);
		for (int i = 0; i < WARP; i++) {
			int b = row(ROW_B)[i] & 31, c = row(ROW_C)[i] & 31, seg = row(ROW_C)[i] >> 8 & 31;
			int max = (i & seg) | (c & ~seg & 31), min = i & seg, j = 0;
			bool p = false;

			switch (mode) {
			case 0: j = i - b; p = j >= max; break;
			case 1: j = i + b; p = j <= max; break;
			case 2: j = i ^ b; p = j <= max; break;
			case 3: j = min | (b & ~seg & 31); p = j <= max; break;
			}
			if (!p)
				j = i;
			bool on = mask >> i & 1, gives = !member || (mask | member[i]) >> j & 1;
			ck_assert_msg(row(f->uop.d)[i] == (!on ? was[i] : gives ? a[j] : 0), "%s lane %d", key, i);
			ck_assert_uint_eq(*row(PRED_P) >> i & 1, on ? p : pred >> i & 1);
		}
	}
	free(f);
}
END_TEST

START_TEST(votes)
{
	uint64_t seed = 6;

	f = fix_new(1);
	level = (enum exec_level)_i;
	for (unsigned n = 0; n < 400; n++) {
		uint32_t mask = fix_masks[n % FIX_MASKS], p, was, q;
		const char *sync = n & 1 ? "sync." : "";
		char key[32];

		setup(&seed);
		f->uop.a = PRED_A;
		f->uop.d = PRED_P;
		p = n % 5 == 0 ? 0 : n % 5 == 1 ? FULL_MASK : (uint32_t)fix_random(&seed) | (n % 5 == 2 ? mask : 0);
		*row(PRED_A) = p;
		f->uop.flags = n & 2 ? UOP_NEG_A : 0;
		q = (n & 2 ? ~p : p) & mask;
		was = *row(PRED_P);
		snprintf(key, sizeof key, "vote.%sall.pred", sync);
		fix_run(f, level, key, mask);
		ck_assert_uint_eq(*row(PRED_P), (was & ~mask) | (q == mask ? mask : 0));
		snprintf(key, sizeof key, "vote.%sany.pred", sync);
		fix_run(f, level, key, mask);
		ck_assert_uint_eq(*row(PRED_P), (was & ~mask) | (q ? mask : 0));
		snprintf(key, sizeof key, "vote.%suni.pred", sync);
		fix_run(f, level, key, mask);
		ck_assert_uint_eq(*row(PRED_P), (was & ~mask) | (q == 0 || q == mask ? mask : 0));
		snprintf(key, sizeof key, "vote.%sballot.b32", sync);
		f->uop.d = ROW_D;
		uint32_t old = row(ROW_D)[31];
		fix_run(f, level, key, mask);
		for (unsigned i = 0; i < WARP; i++)
			ck_assert(!(mask >> i & 1) || row(ROW_D)[i] == q);
		ck_assert(mask >> 31 || row(ROW_D)[31] == old);
		fix_run(f, level, "activemask.b32", mask);
		for (unsigned i = 0; i < WARP; i++)
			ck_assert(!(mask >> i & 1) || row(ROW_D)[i] == mask);
		fix_run(f, level, "elect.sync", mask);
		ck_assert_uint_eq(*row(PRED_P) & mask, mask & -mask);
		ck_assert_uint_eq(row(ROW_D)[__builtin_ctz(mask)], (uint32_t)__builtin_ctz(mask));
	}
	free(f);
}
END_TEST

START_TEST(matches)
{
	uint64_t seed = 8;

	f = fix_new(1);
	level = (enum exec_level)_i;
	for (unsigned n = 0; n < 400; n++) {
		uint32_t mask = fix_masks[n % FIX_MASKS], was[WARP], all = mask, pred;
		uint64_t a[WARP];
		bool wide = n & 1;

		setup(&seed);
		for (unsigned i = 0; i < WARP; i++) {
			a[i] = fix_random(&seed) % (1 + n / 2 % 4);
			if (wide) {
				a[i] <<= 31;
				((uint64_t *)row(ROW_A))[i] = a[i];
			} else {
				row(ROW_A)[i] = (uint32_t)a[i];
			}
		}
		if (n % 3 == 0)
			f->uop.d = ROW_A;
		memcpy(was, row(f->uop.d), sizeof was);
		if (n & 8) {
			fix_run(f, level, wide ? "match.any.sync.b64" : "match.any.sync.b32", mask);
			for (unsigned i = 0; i < WARP; i++) {
				uint32_t same = 0;

				for (unsigned k = 0; k < WARP; k++)
					same |= (uint32_t)(a[k] == a[i]) << k;
				ck_assert_uint_eq(row(f->uop.d)[i], mask >> i & 1 ? same & mask : was[i]);
			}
			continue;
		}
		for (unsigned i = 0; i < WARP; i++)
			if (mask >> i & 1 && a[i] != a[__builtin_ctz(mask)])
				all = 0;
		pred = *row(PRED_P);
		fix_run(f, level, wide ? "match.all.sync.b64" : "match.all.sync.b32", mask);
		for (unsigned i = 0; i < WARP; i++)
			ck_assert_uint_eq(row(f->uop.d)[i], mask >> i & 1 ? all : was[i]);
		ck_assert_uint_eq(*row(PRED_P), (pred & ~mask) | all);
	}
	free(f);
}
END_TEST

// Every lane has its own member mask: votes and matches are among the lanes that are here, and each lane sees those of
// its mask.
START_TEST(own_masks)
{
	uint64_t seed = 11;

	f = fix_new(1);
	level = (enum exec_level)_i;
	for (unsigned n = 0; n < 600; n++) {
		uint32_t mask = fix_masks[n % FIX_MASKS], a[WARP], was[WARP], pred[3] = {0}, all = 0, m[WARP];
		static const char *const keys[] = {"vote.sync.all.pred", "vote.sync.any.pred", "vote.sync.uni.pred"};

		setup(&seed);
		memcpy(m, setup_members(&seed), sizeof m);
		f->uop.a = PRED_A;
		const uint32_t p = n % 5 == 0 ? 0 : n % 5 == 1 ? FULL_MASK : (uint32_t)fix_random(&seed);
		*row(PRED_A) = p;
		for (unsigned i = 0; i < WARP; i++) {
			const uint32_t own = m[i] & mask;

			pred[0] |= (uint32_t)((own & ~p) == 0) << i;
			pred[1] |= (uint32_t)((own & p) != 0) << i;
			pred[2] |= (uint32_t)((own & ~p) == 0 || (own & p) == 0) << i;
		}
		for (unsigned k = 0; k < 3; k++) {
			f->uop.d = PRED_P;
			const uint32_t old = *row(PRED_P) = (uint32_t)fix_random(&seed);

			fix_run(f, level, keys[k], mask);
			ck_assert_msg(*row(PRED_P) == ((old & ~mask) | (pred[k] & mask)), "%s", keys[k]);
		}
		f->uop.d = n & 1 ? MEMBERS : ROW_D; // the mask's row may be the destination
		fix_run(f, level, "vote.sync.ballot.b32", mask);
		for (unsigned i = 0; i < WARP; i++)
			ck_assert(!(mask >> i & 1) || row(f->uop.d)[i] == (m[i] & mask & p));

		setup(&seed);
		memcpy(m, setup_members(&seed), sizeof m);
		for (unsigned i = 0; i < WARP; i++)
			a[i] = row(ROW_A)[i] = (uint32_t)fix_random(&seed) % (1 + n % 3);
		f->uop.d = n % 3 ? n % 3 == 1 ? ROW_D : MEMBERS : ROW_A;
		memcpy(was, row(f->uop.d), sizeof was);
		fix_run(f, level, n & 8 ? "match.any.sync.b32" : "match.all.sync.b32", mask);
		for (unsigned i = 0; i < WARP; i++) {
			uint32_t same = 0;

			for (unsigned k = 0; k < WARP; k++)
				same |= (uint32_t)(a[k] == a[i]) << k;
			same &= m[i] & mask;
			if (!(n & 8)) {
				all |= (uint32_t)(same == (m[i] & mask)) << i;
				same = all >> i & 1 ? same : 0;
			}
			ck_assert_uint_eq(row(f->uop.d)[i], mask >> i & 1 ? same : was[i]);
		}
		ck_assert(n & 8 || (*row(PRED_P) & mask) == (all & mask));
	}
	free(f);
}
END_TEST

// Reductions and elect.sync are among the lanes that gave the same mask, and shuffles look at no mask at all.
START_TEST(groups_of_masks)
{
	uint64_t seed = 12;

	f = fix_new(1);
	level = (enum exec_level)_i;
	for (unsigned n = 0; n < 300; n++) {
		uint32_t mask = fix_masks[n % FIX_MASKS], a[WARP], was[WARP], m[WARP];

		setup(&seed);
		memcpy(m, setup_members(&seed), sizeof m);
		memcpy(a, row(ROW_A), sizeof a);
		f->uop.d = n % 3 ? n % 3 == 1 ? ROW_D : MEMBERS : ROW_A;
		memcpy(was, row(f->uop.d), sizeof was);
		fix_run(f, level, n & 4 ? "redux.sync.add.u32" : "elect.sync", mask);
		for (unsigned i = 0; i < WARP; i++) {
			uint32_t sum = 0, leader = WARP;

			for (unsigned k = 0; k < WARP; k++)
				if (mask >> k & 1 && m[k] == m[i]) {
					sum += a[k];
					leader = leader == WARP ? k : leader;
				}
			ck_assert_uint_eq(row(f->uop.d)[i], !(mask >> i & 1) ? was[i] : n & 4 ? sum : leader);
			ck_assert(n & 4 || !(mask >> i & 1) || (*row(PRED_P) >> i & 1) == (leader == i));
		}

		setup(&seed);
		const uint32_t *of = setup_members(&seed);
		for (unsigned i = 0; i < WARP; i++)
			row(ROW_C)[i] = 0x1f;
		memcpy(a, row(ROW_A), sizeof a);
		f->uop.d = ROW_A;
		fix_run(f, level, "shfl.sync.idx.b32", mask);
		for (unsigned i = 0; i < WARP; i++) {
			uint32_t j = row(ROW_B)[i] & 31;

			ck_assert_uint_eq(row(ROW_A)[i], !(mask >> i & 1) ? a[i] : (mask | of[i]) >> j & 1 ? a[j] : 0);
		}
	}
	free(f);
}
END_TEST

static uint32_t reduce(const char *op, const uint32_t *a, uint32_t mask)
{
	uint32_t r = a[__builtin_ctz(mask)];

	for (unsigned i = 0; i < WARP; i++) {
		if (!(mask & ~(mask & -mask) & 1u << i))
			continue;
		if (!strncmp(op, "add", 3))
			r += a[i];
		else if (!strncmp(op, "and", 3))
			r &= a[i];
		else if (!strncmp(op, "or", 2))
			r |= a[i];
		else if (!strncmp(op, "xor", 3))
			r ^= a[i];
		else if (!strcmp(op, "min.u32"))
			r = a[i] < r ? a[i] : r;
		else if (!strcmp(op, "max.u32"))
			r = a[i] > r ? a[i] : r;
		else if (!strcmp(op, "min.s32"))
			r = (int32_t)a[i] < (int32_t)r ? a[i] : r;
		else
			r = (int32_t)a[i] > (int32_t)r ? a[i] : r;
	}
	return r;
}

static uint32_t reduce_f32(const char *op, const uint32_t *a, uint32_t mask)
{
	bool max = !strncmp(op, "max", 3), any = false;
	float best = 0;

	for (unsigned i = 0; i < WARP; i++) {
		uint32_t bits = strstr(op, "abs") ? a[i] & 0x7fffffff : a[i];
		float v;

		memcpy(&v, &bits, 4);
		if (!(mask >> i & 1))
			continue;
		if (isnan(v)) {
			if (strstr(op, "NaN"))
				return 0x7fffffff;
			continue;
		}
		bool below = v < best || (v == best && signbit(v) && !signbit(best));
		bool above = v > best || (v == best && !signbit(v) && signbit(best));

		if (!any || (max ? above : below))
			best = v;
		any = true;
	}
	uint32_t r;

	memcpy(&r, &best, 4);
	return any ? r : 0x7fffffff;
}

START_TEST(reductions)
{
	static const char *const ints[] = {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32",
	                                   "max.s32", "and.b32", "or.b32", "xor.b32"};
	static const char *const floats[] = {"min.f32", "max.f32", "min.abs.f32", "max.abs.f32",
	                                     "min.NaN.f32", "max.NaN.f32", "min.abs.NaN.f32", "max.abs.NaN.f32"};
	static const uint32_t special[] = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000, 0xbf800000, 1};
	uint64_t seed = 9;

	f = fix_new(1);
	level = (enum exec_level)_i;
	for (unsigned n = 0; n < 17 * FIX_MASKS * 4; n++) {
		const char *op = n % 17 < 9 ? ints[n % 17] : floats[n % 17 - 9];
		uint32_t mask = fix_masks[n / 17 % FIX_MASKS], was[WARP], want;
		char key[48];

		setup(&seed);
		if (n % 17 >= 9 && n & 1)
			for (unsigned i = 0; i < WARP; i++)
				row(ROW_A)[i] = special[fix_random(&seed) % (n & 2 ? 8 : 4)];
		if (n % 5 == 0)
			f->uop.d = ROW_A;
		want = n % 17 < 9 ? reduce(op, row(ROW_A), mask) : reduce_f32(op, row(ROW_A), mask);
		memcpy(was, row(f->uop.d), sizeof was);
		snprintf(key, sizeof key, "redux.sync.%s", op);
		fix_run(f, level, key, mask);
		for (unsigned i = 0; i < WARP; i++)
			ck_assert_msg(row(f->uop.d)[i] == (mask >> i & 1 ? want : was[i]), "%s mask %x lane %u", key, mask, i);
	}
	free(f);
}
END_TEST

int main(void)
{
	return fix_main("exec_warp", (const TTest *const[]){shuffles, votes, matches, own_masks, groups_of_masks, reductions},
	                6);
}
