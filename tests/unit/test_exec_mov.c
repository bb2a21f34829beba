// Moves, packing and address-space conversions.
#include "tests/unit/exec_harness.h"

static void ref_mov(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	d[0] = s[0];
}

static const char *const types[] = {"b16", "u16", "s16", "f16", "bf16", "b32", "u32", "s32", "f32", "f16x2", "bf16x2",
                                    "b64", "u64", "s64", "f64", "pred"};

START_TEST(moves)
{
	char key[32], signature[32];
	snprintf(key, sizeof(key), "mov.%s", types[_i]);
	snprintf(signature, sizeof(signature), "%s=%s", types[_i], types[_i]);
	xh_check(key, signature, ref_mov);
}
END_TEST

static void ref_not(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	d[0] = !s[0];
}

START_TEST(negated_predicate)
{
	xh_check_rounds("mov.pred", "pred=pred", ref_not, UOP_NEG_A, 20);
}
END_TEST

// Packing and unpacking use x[0..n-1], so they have a check of their own. Element 0 is the lowest.
static const struct {
	const char *name;
	unsigned n, bits, whole;
} packs[] = {{"pack2.b16", 2, 8, 16}, {"pack2.b32", 2, 16, 32}, {"pack4.b32", 4, 8, 32}, {"pack2.b64", 2, 32, 64}, {"pack4.b64", 4, 16, 64}};

static uint64_t low(uint64_t v, unsigned bits)
{
	return bits == 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

static uint64_t whole_at(const uint8_t *row, unsigned bits, unsigned i)
{
	return bits == 64 ? ((const uint64_t *)row)[i] : low(((const uint32_t *)row)[i], bits);
}

START_TEST(packing)
{
	struct xh h;
	char key[32];
	size_t size = (XH_ROWS + 1) * XH_ROW;
	unsigned n = packs[_i].n, bits = packs[_i].bits, whole = packs[_i].whole;
	xh_init(&h);
	for (unsigned round = 0; round < 20; round++) {
		uint32_t mask = round % 3 ? (uint32_t)xh_random() : FULL_MASK;
		for (unsigned k = 0; k < 4; k++)
			h.u.x[k] = (int32_t)(k + 1) * XH_ROW;
		for (unsigned unpack = 0; unpack < 2; unpack++) {
			// Every other round the destination is one of the sources; unpacking may overwrite what it reads.
			h.u.d = round % 2 && whole < 64 ? XH_ROW : 8 * XH_ROW;
			h.u.a = round % 2 && whole < 64 ? XH_ROW : 9 * XH_ROW;
			snprintf(key, sizeof(key), "mov.%s%s", unpack ? "un" : "", packs[_i].name);
			memcpy(h.before, h.frame, size);
			for (unsigned level = 0; level <= exec_best_level(); level++) {
				memcpy(h.frame, h.before, size);
				exec_find_at((enum exec_level)level, key)(h.frame, &h.u, mask, &h.w);
				for (unsigned i = 0; i < WARP; i++) {
					uint64_t want = 0;
					bool on = mask >> i & 1;
					for (unsigned k = 0; k < n && !unpack; k++)
						want |= low(((uint32_t *)(h.before + h.u.x[k]))[i], bits) << k * bits;
					if (!unpack)
						ck_assert_uint_eq(whole_at(h.frame + h.u.d, whole, i),
						                  on ? want : whole_at(h.before + h.u.d, whole, i));
					for (unsigned k = 0; k < n && unpack; k++) {
						uint32_t old = ((uint32_t *)(h.before + h.u.x[k]))[i],
								 now = ((uint32_t *)(h.frame + h.u.x[k]))[i];
						want = low(whole_at(h.before + h.u.a, whole, i) >> k * bits, bits);
						ck_assert_uint_eq(on ? low(now, bits) : now, on ? want : old);
					}
				}
			}
		}
	}
	xh_free(&h);
}
END_TEST

static void ref_to_window(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	d[0] = s[0] + ((uint64_t)1 << (strstr(c->key, "shared") ? 48 : 49));
}

static void ref_from_window(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	uint64_t base = (uint64_t)1 << (strstr(c->key, "shared") ? 48 : 49);
	d[0] = s[0] >= base && s[0] < base + ((uint64_t)1 << 32) ? s[0] - base : s[0];
}

START_TEST(address_spaces)
{
	static const char *const same[] = {"cvta.global.u64", "cvta.const.u64", "cvta.param.u64", "cvta.to.global.u64",
	                                   "cvta.to.const.u64", "cvta.to.param.u64"};
	for (unsigned k = 0; k < 6; k++)
		xh_check(same[k], "u64=u64", ref_mov);
	xh_check("cvta.shared.u64", "u64=u64", ref_to_window);
	xh_check("cvta.local.u64", "u64=u64", ref_to_window);
	xh_check("cvta.to.shared.u64", "u64=u64", ref_from_window);
	xh_check("cvta.to.local.u64", "u64=u64", ref_from_window);
	xh_check("cvta.shared.u32", "u32=u32", ref_mov);
	xh_check("cvta.to.global.u32", "u32=u32", ref_mov);
}
END_TEST

START_TEST(window_addresses)
{
	struct xh h;
	static uint8_t params[64];
	struct kernel_info info = {.param_bytes = sizeof(params)};
	struct devmem_range ranges[2] = {{.base = 0x10000, .size = 0x100, .end = 0x100ff, .kind = DEVMEM_DEVICE},
	                                 {.base = 0x20000, .size = 0x100, .end = 0x200ff, .kind = DEVMEM_CONST}};
	struct devmem mem = {.range = ranges, .n_range = 2};
	xh_init(&h);
	h.launch.mem = &mem;
	h.launch.info = &info;
	h.cta.param_addr = (uintptr_t)params;
	h.u.flags = UOP_ADDR64;
	h.u.d = XH_ROW;
	h.u.a = 2 * XH_ROW;
	// Lanes 0 to 5: a device allocation, a constant, shared, local, a parameter, nothing.
	uint64_t addr[6] = {0x10010, 0x20010, ((uint64_t)1 << 48) + 5, ((uint64_t)1 << 49) + 5, (uintptr_t)params + 3,
	                    0x90000};
	memcpy(h.frame + h.u.a, addr, sizeof(addr));
	static const struct {
		const char *key;
		uint32_t lanes;
	} want[] = {{"isspacep.global", 0x31}, {"isspacep.const", 0x02}, {"isspacep.shared", 0x04}, {"isspacep.local", 0x08}, {"isspacep.param", 0x10}};
	for (unsigned k = 0; k < 5; k++) {
		for (unsigned level = 0; level <= exec_best_level(); level++) {
			*(uint32_t *)(h.frame + h.u.d) = 0xffffffc0;
			exec_find_at((enum exec_level)level, want[k].key)(h.frame, &h.u, 0x3f, &h.w);
			ck_assert_msg(*(uint32_t *)(h.frame + h.u.d) == (0xffffffc0 | want[k].lanes), "%s: %08x", want[k].key,
			              *(uint32_t *)(h.frame + h.u.d));
		}
	}
	xh_free(&h);
}
END_TEST

// The table itself: exact keys before patterns, and nothing for what does not exist.
START_TEST(lookup)
{
	ck_assert_ptr_ne(exec_find("add.f32"), NULL);
	ck_assert(exec_find("add.rn.f32") == exec_find("add.f32"));
	ck_assert(exec_find("add.rz.f32") != exec_find("add.f32"));
	ck_assert_ptr_eq(exec_find("add"), NULL);
	ck_assert_ptr_eq(exec_find("add.q32"), NULL);
	ck_assert_ptr_eq(exec_find(""), NULL);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("exec mov");
	TCase *t = tcase_create("keys");
	tcase_add_loop_test(t, moves, 0, (int)(sizeof(types) / sizeof(types[0])));
	tcase_add_test(t, negated_predicate);
	tcase_add_loop_test(t, packing, 0, (int)(sizeof(packs) / sizeof(packs[0])));
	tcase_add_test(t, address_spaces);
	tcase_add_test(t, window_addresses);
	tcase_add_test(t, lookup);
	suite_add_tcase(s, t);
	return check_main(s);
}
