// Coalescing and bank conflicts of warps drawn at random, among them the patterns that have a way of their own, against
// definitions that look at every byte.
#include "gpgpu-sim/sm/coalesce.h"

#include "gpgpu-sim/sm/sm.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

static uint64_t draw(uint64_t n)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return (seed >> 11) % n;
}

// Rows of 8, 16 or 32 lanes with a step, rows apart by anything; mostly whole warps at multiples of the size.
static void draw_access(struct fe_access *a, bool atomic)
{
	static const unsigned rows[] = {8, 16, 16, 16, 32};
	unsigned row = rows[draw(5)];
	a->bytes = (uint8_t)(1u << draw(5));
	a->mask = draw(4) ? UINT32_MAX : (uint32_t)draw(UINT32_MAX) + 1;
	a->write = draw(2);
	a->atomic = atomic;
	int64_t step = draw(3) ? a->bytes : (int64_t)draw(3) * (int64_t)draw(40) * 4;
	int64_t apart = draw(3) ? row * step : ((int64_t)draw(512) - 256) * a->bytes;
	uint64_t first = 0x20000 + draw(64) * a->bytes + (draw(8) ? 0 : draw(8));
	for (unsigned i = 0; i < 32; i++)
		a->addr[i] = first + (uint64_t)(i / row * apart + i % row * step);
	for (unsigned wild = draw(6) ? 0 : (unsigned)draw(4); wild; wild--)
		a->addr[draw(32)] += draw(1024);
}

// --- requests

struct rig {
	struct sm sm;
	struct core_config cfg;
	struct sm_world world;
	struct kernel_run k;
	struct isa_inst st;
};

static struct rig *rig_new(unsigned arch)
{
	struct rig *g = calloc(1, sizeof *g);
	g->cfg.coalesce_arch = arch;
	g->cfg.warp_size = 32;
	g->cfg.shared_warp_parts = 1;
	g->cfg.shared_banks = 32;
	g->sm.cfg = &g->cfg;
	g->sm.pool = mem_pool_new(64);
	g->sm.world = &g->world;
	g->sm.warp[3].k = &g->k;
	return g;
}

static void rig_free(struct rig *g)
{
	mem_pool_free(g->sm.pool);
	free(g);
}

static bool touches(const struct fe_access *a, unsigned lane, uint64_t byte)
{
	return a->mask >> lane & 1 && byte >= a->addr[lane] && byte < a->addr[lane] + a->bytes;
}

// The bytes of each segment of 32 are in one request, with the lanes that touch them; the highest segment goes first. Of
// atomics there are as many requests as lanes that want one byte, and no two lanes share a byte of a request.
static void look(struct mem_pool *pool, const struct fe_access *a, struct mem_req *list, bool atomic)
{
	uint64_t last = UINT64_MAX;
	uint32_t bytes = 0, wanted = 0;
	for (unsigned i = 0; i < 32; i++)
		wanted += a->mask >> i & 1 ? a->bytes : 0;
	for (struct mem_req *r = list, *next; r; r = next) {
		next = r->next;
		uint64_t line = r->addr & ~(uint64_t)(MEM_MAX_LINE - 1);
		ck_assert_uint_eq(r->addr % MEM_SECTOR, 0);
		ck_assert_uint_eq(r->bytes, MEM_SECTOR);
		ck_assert(atomic ? r->addr <= last : r->addr < last);
		ck_assert_uint_eq(r->sectors, 1u << r->addr % MEM_MAX_LINE / MEM_SECTOR);
		last = r->addr;
		for (unsigned b = 0; b < MEM_MAX_LINE; b++) {
			unsigned users = 0;
			bool in = r->mask.w[b / 64] >> b % 64 & 1, inside = line + b >= r->addr && line + b < r->addr + MEM_SECTOR;
			for (unsigned i = 0; i < 32; i++)
				users += inside && r->lanes >> i & 1 && touches(a, i, line + b);
			ck_assert(in == (users != 0));
			ck_assert(!atomic || users <= 1);
			bytes += users;
		}
		mem_req_free(pool, r);
	}
	ck_assert_uint_eq(bytes, wanted); // nothing is lost, and no lane is asked for twice
}

START_TEST(every_byte_is_in_one_request)
{
	struct rig *g = rig_new(70);
	struct fe_result f = {.n_access = 1};
	for (unsigned n = 0; n < 20000; n++) {
		bool atomic = !draw(4);
		draw_access(&f.access[0], atomic);
		f.access[0].space = SPACE_GLOBAL;
		struct winst w = {.st = &g->st, .warp = 3, .store = f.access[0].write, .atomic = atomic, .mask = f.access[0].mask};
		coalesce(&g->sm, &w, &f);
		look(g->sm.pool, &f.access[0], w.access, atomic);
		ck_assert_uint_eq(mem_pool_live(g->sm.pool), 0);
	}
	rig_free(g);
}
END_TEST

// --- banks of shared memory

static uint32_t passes(const struct fe_access *a, uint32_t banks)
{
	uint32_t most = 1;
	for (uint32_t b = 0; b < banks; b++) {
		uint32_t words = 0;
		for (unsigned i = 0; i < 32; i++) {
			bool first = a->mask >> i & 1 && a->addr[i] / 4 % banks == b;
			for (unsigned k = 0; k < i && first; k++)
				first = !(a->mask >> k & 1 && a->addr[k] / 4 == a->addr[i] / 4);
			words += first;
		}
		most = words > most ? words : most;
	}
	return most;
}

START_TEST(a_bank_gives_one_word_a_pass)
{
	static const uint32_t banks[] = {32, 16, 24, 64};
	struct rig *g = rig_new(70);
	struct fe_access a = {.space = SPACE_SHARED};
	for (unsigned n = 0; n < 20000; n++) {
		draw_access(&a, false);
		g->cfg.shared_banks = banks[n % 8 < 5 ? 0 : n % 8 - 4];
		ck_assert_uint_eq(coalesce_bank_passes(&g->cfg, &a), passes(&a, g->cfg.shared_banks));
	}
	rig_free(g);
}
END_TEST

// Of the words of lanes `from` to `from` + n - 1, one by one.
static uint32_t phase(const struct fe_access *a, uint32_t banks, unsigned from, unsigned n)
{
	uint32_t most = 0, of[64] = {0};
	uint64_t seen[128];
	unsigned count = 0;
	for (unsigned i = from; i < from + n; i++) {
		for (unsigned at = 0; a->mask >> i & 1 && at < a->bytes; at += 4) {
			uint64_t word = a->addr[i] / 4 + at / 4;
			unsigned k = 0;
			while (k < count && seen[k] != word)
				k++;
			if (k < count)
				continue;
			seen[count++] = word;
			if (++of[word % banks] > most)
				most = of[word % banks];
		}
	}
	return most;
}

static bool same_in_pairs(const struct fe_access *a, unsigned by)
{
	for (unsigned i = 0; i < 32; i++)
		if (a->mask >> i & 1 && a->mask >> (i ^ by) & 1 && a->addr[i] != a->addr[i ^ by])
			return false;
	return true;
}

// Lanes in groups of 1, 2 or 4 that want the same, which lie side by side or every second or fourth.
static void draw_groups(struct fe_access *a)
{
	unsigned group = 1u << draw(3), apart = 1u << draw(3);
	uint64_t step = (1 + draw(5)) * a->bytes, first = 0x4000 + draw(64) * a->bytes;
	for (unsigned i = 0; i < 32; i++) {
		unsigned low = i % apart, high = i / apart / group;
		a->addr[i] = first + (low + high * apart) * step;
	}
	if (!draw(4))
		a->addr[draw(32)] = first + draw(64) * a->bytes;
}

START_TEST(wide_words_take_a_phase_for_each_half_or_quarter)
{
	static const uint32_t banks[] = {32, 32, 16, 24};
	unsigned packed = 0, in_full = 0;
	struct rig *g = rig_new(70);
	struct fe_access a = {.space = SPACE_SHARED};
	g->cfg.shared_wide_phases = true;
	for (unsigned n = 0; n < 40000; n++) {
		draw_access(&a, false);
		if (draw(2))
			draw_groups(&a);
		g->cfg.shared_banks = banks[draw(4)];
		uint32_t want = 0;
		unsigned words = a.bytes < 8 ? 1 : a.bytes / 4, lanes = 32 / words;
		if (words > 1 && !a.write && (same_in_pairs(&a, 1) || same_in_pairs(&a, 2)))
			lanes *= 2, packed++;
		else
			in_full += words > 1;
		for (unsigned from = 0; from < 32; from += lanes)
			want += words > 1 ? phase(&a, g->cfg.shared_banks, from, lanes) : passes(&a, g->cfg.shared_banks);
		ck_assert_uint_eq(coalesce_bank_passes(&g->cfg, &a), want ? want : 1);
	}
	ck_assert_uint_gt(packed, 1000);
	ck_assert_uint_gt(in_full, 1000);
	rig_free(g);
}
END_TEST

// Figures of NVIDIA's slides (GTC 2019, S9593) and of its engineer's answer: rows of 16 bytes lane by lane, the same four rows for
// all lanes in turn, one row for all, and each two lanes' own.
START_TEST(wide_words_by_the_sources)
{
	static const struct { unsigned bytes, divide, times, passes; bool write; } want[] = {
		{16, 1, 32, 4, false}, {8, 1, 32, 2, false}, {4, 1, 32, 1, false}, // lane by lane
		{16, 1, 4, 4, false},                                              // tid % 4
		{16, 2, 16, 2, false}, {16, 32, 1, 2, false}, {8, 32, 1, 1, false},
		{16, 32, 1, 4, true},
	};
	struct rig *g = rig_new(70);
	g->cfg.shared_wide_phases = true;
	for (unsigned k = 0; k < sizeof want / sizeof *want; k++) {
		struct fe_access a = {.space = SPACE_SHARED, .bytes = (uint8_t)want[k].bytes, .mask = UINT32_MAX, .write = want[k].write};
		for (unsigned i = 0; i < 32; i++)
			a.addr[i] = i / want[k].divide % want[k].times * want[k].bytes;
		ck_assert_msg(coalesce_bank_passes(&g->cfg, &a) == want[k].passes, "case %u", k);
	}
	rig_free(g);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("coalesce");
	TCase *t = tcase_create("all");
	tcase_add_test(t, every_byte_is_in_one_request);
	tcase_add_test(t, a_bank_gives_one_word_a_pass);
	tcase_add_test(t, wide_words_take_a_phase_for_each_half_or_quarter);
	tcase_add_test(t, wide_words_by_the_sources);
	tcase_set_timeout(t, 60);
	suite_add_tcase(s, t);
	return check_main(s);
}
