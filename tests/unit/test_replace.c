// Each cache replacement policy against a plain model of it: a set as an array of ways, searched from end to end.
#include "gpgpu-sim/cache/replace.h"
#include "tests/unit/random.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { WAYS = 8, SETS = 4, LINE = 128, ACCESSES = 20000 };

struct model_line {
	uint64_t addr, came, used;
	unsigned rank;
	bool live;
};

static struct tag_array t;
static struct model_line model[SETS][WAYS];

static void make(char letter, uint32_t ways)
{
	char text[64];
	struct form_error e;
	struct cache_config cfg = {.role = CACHE_L1D, .name = "test"};
	snprintf(text, sizeof text, "N:%u:%u:%u,%c:L:m:N:L,A:4:4,4", SETS, LINE, ways, letter);
	ck_assert_msg(form_cache(text, &cfg.form, &e), "%s: %s", text, e.why);
	tag_array_init(&t, &cfg);
	memset(model, 0, sizeof model);
}

// The way that an access to a set without empty lines displaces.
static unsigned lru(struct model_line *s)
{
	unsigned v = 0;
	for (unsigned w = 1; w < WAYS; w++)
		if (s[w].used < s[v].used)
			v = w;
	return v;
}

static unsigned fifo(struct model_line *s)
{
	unsigned v = 0;
	for (unsigned w = 1; w < WAYS; w++)
		if (s[w].came < s[v].came)
			v = w;
	return v;
}

// As the paper has it: until a line is expected in the distant future, all are aged.
static unsigned srrip(struct model_line *s)
{
	for (;;) {
		for (unsigned w = 0; w < WAYS; w++)
			if (s[w].rank == 3)
				return w;
		for (unsigned w = 0; w < WAYS; w++)
			s[w].rank++;
	}
}

static const struct {
	char letter;
	unsigned (*victim)(struct model_line *set);
} policies[] = {{'L', lru}, {'F', fifo}, {'S', srrip}};

static struct tag_at access(uint64_t addr, uint64_t now)
{
	struct tag_victim victim;
	struct tag_at at = tag_probe(&t, addr, addr, 1, false);
	ck_assert_int_ne(at.status, CACHE_RESERVATION_FAIL);
	tag_use(&t, at, addr, 1, now, true, &victim);
	if (at.status == CACHE_MISS)
		tag_fill_line(&t, at.line, addr, 1, NULL);
	return at;
}

// What is asked of the model: the way, and whether the line was there.
static unsigned model_access(unsigned policy, uint64_t addr, uint64_t now, bool *hit)
{
	struct model_line *s = model[addr / LINE % SETS];
	unsigned w = 0;
	while (w < WAYS && !(s[w].live && s[w].addr == addr))
		w++;
	*hit = w < WAYS;
	if (*hit) {
		s[w].used = now;
		s[w].rank = 0;
		return w;
	}
	for (w = WAYS; w && s[w - 1].live; w--) // empty lines are taken from the last way down
		;
	w = w ? w - 1 : policies[policy].victim(s);
	s[w] = (struct model_line){.addr = addr, .came = now, .used = now, .rank = 2, .live = true};
	return w;
}

// Streams that pass once, between lines that are used again and again.
static uint64_t address(uint64_t n)
{
	return pick(3) ? pick(SETS * WAYS) * (uint64_t)LINE : (1000 + n) * LINE;
}

START_TEST(a_policy_replaces_what_its_definition_says)
{
	make(policies[_i].letter, WAYS);
	seed = 7 + _i;
	unsigned hits = 0;
	for (uint64_t n = 1; n <= ACCESSES; n++) {
		uint64_t addr = address(n);
		bool hit;
		unsigned way = model_access(_i, addr, n, &hit);
		struct tag_at at = access(addr, n);
		ck_assert_int_eq(at.status == CACHE_HIT, hit);
		ck_assert_uint_eq(at.line - tag_row(&t, addr / LINE % SETS), way);
		hits += hit;
	}
	ck_assert_uint_gt(hits, ACCESSES / 10);
	ck_assert_uint_lt(hits, ACCESSES);
	tag_array_free(&t);
}
END_TEST

static const char letters[] = "LFRS";

// An access that is refused is not made again while it waits, so looks may come once or many times.
START_TEST(looking_for_a_victim_changes_nothing)
{
	static unsigned way[2][ACCESSES];
	for (unsigned often = 0; often < 2; often++) {
		make(letters[_i], WAYS);
		seed = 3;
		for (uint64_t n = 1; n <= ACCESSES; n++) {
			uint64_t addr = address(n);
			for (unsigned k = 0; often && k < addr / LINE % 4; k++)
				tag_probe(&t, addr + 64 * SETS * LINE, addr + 64 * SETS * LINE, 1, false);
			way[often][n - 1] = access(addr, n).line - tag_row(&t, addr / LINE % SETS);
		}
		tag_array_free(&t);
	}
	ck_assert_mem_eq(way[0], way[1], sizeof *way);
}
END_TEST

START_TEST(lines_that_wait_stay_and_modified_ones_while_they_are_spared)
{
	make(letters[_i], WAYS);
	struct tag_victim victim;
	static const struct mem_bytes bytes = {{1, 0}};
	for (unsigned w = 0; w < WAYS; w++) { // one line stays clean and complete, one modified, the rest wait
		uint64_t addr = w * (uint64_t)SETS * LINE;
		struct tag_at at = tag_probe(&t, addr, addr, 1, false);
		tag_use(&t, at, addr, 1, w + 1, true, &victim);
		if (w == 2)
			tag_fill_line(&t, at.line, addr, 1, NULL);
		if (w == 5)
			tag_modify(&t, at.line, 1, &bytes);
	}
	t.dirty_min = 2; // modified lines are spared
	uint64_t other = 100 * SETS * LINE;
	struct tag_at at = tag_probe(&t, other, other, 1, false);
	ck_assert_int_eq(at.status, CACHE_MISS);
	ck_assert_uint_eq(at.line->addr, 2 * SETS * LINE);
	tag_use(&t, at, other, 1, 20, true, &victim);
	ck_assert(!victim.modified);
	at = tag_probe(&t, 2 * other, 2 * other, 1, false);
	ck_assert_int_eq(at.status, CACHE_RESERVATION_FAIL);
	t.dirty_min = 0;
	at = tag_probe(&t, 2 * other, 2 * other, 1, false);
	ck_assert_int_eq(at.status, CACHE_MISS);
	ck_assert_uint_eq(at.line->addr, 5 * SETS * LINE);
	tag_use(&t, at, 2 * other, 1, 21, true, &victim);
	ck_assert(victim.modified);
	tag_array_free(&t);
}
END_TEST

// Every way of a set is drawn about as often as any other.
START_TEST(random_replacement_draws_all_ways_alike)
{
	make('R', WAYS);
	unsigned drawn[WAYS] = {0};
	for (uint64_t n = 0; n < ACCESSES; n++)
		drawn[access(n * SETS * LINE, n).line - tag_row(&t, 0)]++;
	for (unsigned w = 0; w < WAYS; w++) { // 2500 expected, standard deviation 47
		ck_assert_uint_gt(drawn[w], 2300);
		ck_assert_uint_lt(drawn[w], 2700);
	}
	tag_array_free(&t);
}
END_TEST

// What the policy is for: lines in use outlive a stream longer than the set, with SRRIP and not with LRU.
START_TEST(srrip_keeps_lines_in_use_from_a_stream)
{
	unsigned kept[2];
	for (unsigned k = 0; k < 2; k++) {
		make("LS"[k], WAYS);
		uint64_t now = 1;
		for (unsigned pass = 0; pass < 2; pass++)
			for (uint64_t i = 0; i < 4; i++)
				access(i * SETS * LINE, now++);
		for (uint64_t i = 0; i < WAYS; i++)
			access((100 + i) * SETS * LINE, now++);
		kept[k] = 0;
		for (uint64_t i = 0; i < 4; i++)
			kept[k] += tag_probe(&t, i * SETS * LINE, i * SETS * LINE, 1, false).status == CACHE_HIT;
		tag_array_free(&t);
	}
	ck_assert_uint_eq(kept[0], 0);
	ck_assert_uint_eq(kept[1], 4);
}
END_TEST

START_TEST(lines_survive_another_number_of_ways_and_leave_when_told)
{
	struct form_error e;
	struct cache_config cfg = {.role = CACHE_L1D, .name = "test", .max_ways = 2 * WAYS};
	char text[64];
	snprintf(text, sizeof text, "N:1:%u:%u,%c:L:m:N:L,A:4:4,4", LINE, WAYS, letters[_i]);
	ck_assert(form_cache(text, &cfg.form, &e));
	tag_array_init(&t, &cfg);
	for (uint64_t i = 0; i < WAYS; i++)
		access(i * LINE, i + 1);
	tag_set_ways(&t, 2 * WAYS);
	for (uint64_t i = 0; i < WAYS; i++)
		ck_assert_int_eq(tag_probe(&t, i * LINE, i * LINE, 1, false).status, CACHE_HIT);
	for (uint64_t i = WAYS; i < 4 * WAYS; i++)
		access(i * LINE, i + 1);
	tag_invalidate(&t);
	for (uint64_t i = 0; i < 4 * WAYS; i++)
		ck_assert_int_eq(access(i * LINE, 100 + i).status, CACHE_MISS);
	tag_array_free(&t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("replace");
	TCase *c = tcase_create("replace");
	unsigned n = sizeof letters - 1;
	tcase_add_loop_test(c, a_policy_replaces_what_its_definition_says, 0, sizeof policies / sizeof *policies);
	tcase_add_loop_test(c, looking_for_a_victim_changes_nothing, 0, n);
	tcase_add_loop_test(c, lines_that_wait_stay_and_modified_ones_while_they_are_spared, 0, n);
	tcase_add_test(c, random_replacement_draws_all_ways_alike);
	tcase_add_test(c, srrip_keeps_lines_in_use_from_a_stream);
	tcase_add_loop_test(c, lines_survive_another_number_of_ways_and_leave_when_told, 0, n);
	suite_add_tcase(s, c);
	return check_main(s);
}
