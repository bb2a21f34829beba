#include "cuda-sim/decode/cfg.h"

#include <check.h>
#include <stdlib.h>

// A program is a string: '.' falls through, 'x' ends, and a branch is a row of the table below.
struct br {
	uint32_t at, to;
	bool cond;
};

static struct cfg *build(struct arena *a, uint32_t n, const struct br *br, unsigned n_br, int end)
{
	struct cfg_flow *f = ARENA_ARRAY(a, struct cfg_flow, n);
	for (uint32_t i = 0; i < n; i++)
		f[i].falls = true;
	if (end >= 0)
		f[end].falls = false;
	for (unsigned i = 0; i < n_br; i++) {
		uint32_t *t = ARENA_ARRAY(a, uint32_t, 1);
		*t = br[i].to;
		f[br[i].at] = (struct cfg_flow){br[i].cond, 1, t};
	}
	return cfg_build(a, n, f);
}

START_TEST(if_else_joins_after)
{
	struct arena a = {0};
	// 0: @p bra 3; 1; 2: bra 4; 3; 4; 5: end
	struct br br[] = {{0, 3, true}, {2, 4, false}};
	struct cfg *g = build(&a, 6, br, 2, 5);
	ck_assert_int_eq(cfg_reconvergence(g, 0), 4);
	ck_assert_uint_eq(g->n_block, 4);
	ck_assert_int_eq(g->block[3].idom, 0);
	arena_free(&a);
}
END_TEST

START_TEST(loop_joins_at_its_exit)
{
	struct arena a = {0};
	// 0; 1: body; 2: @p bra 1; 3: end
	struct br br[] = {{2, 1, true}};
	struct cfg *g = build(&a, 4, br, 1, 3);
	ck_assert_int_eq(cfg_reconvergence(g, 2), 3);
	arena_free(&a);
}
END_TEST

START_TEST(break_out_of_loop_joins_after_it)
{
	struct arena a = {0};
	// 0; 1: @p bra 4 (break); 2; 3: @q bra 1; 4: end
	struct br br[] = {{1, 4, true}, {3, 1, true}};
	struct cfg *g = build(&a, 5, br, 2, 4);
	ck_assert_int_eq(cfg_reconvergence(g, 1), 4);
	ck_assert_int_eq(cfg_reconvergence(g, 3), 4);
	arena_free(&a);
}
END_TEST

START_TEST(endless_loops_have_an_answer)
{
	struct arena a = {0};
	// 0: @p bra 2; 1: bra 1; 2: @q bra 4; 3: bra 2; 4: bra 4
	struct br br[] = {{0, 2, true}, {1, 1, false}, {2, 4, true}, {3, 2, false}, {4, 4, false}};
	struct cfg *g = build(&a, 5, br, 5, -1);
	ck_assert_int_eq(cfg_reconvergence(g, 0), -1);
	ck_assert_int_eq(cfg_reconvergence(g, 2), 4);
	arena_free(&a);
}
END_TEST

START_TEST(two_exits_never_join)
{
	struct arena a = {0};
	uint32_t t = 2;
	struct cfg_flow f[] = {{true, 1, &t}, {false, 0, NULL}, {false, 0, NULL}};
	struct cfg *g = cfg_build(&a, 3, f);
	ck_assert_int_eq(cfg_reconvergence(g, 0), -1);
	arena_free(&a);
}
END_TEST

// On random graphs without endless loops: p post-dominates b exactly if removing p cuts b from the exits.
static bool reaches_end(const struct cfg *g, uint32_t b, int32_t without, bool *seen)
{
	if ((int32_t)b == without || seen[b])
		return false;
	seen[b] = true;
	if (!g->block[b].n_succ)
		return true;
	for (uint32_t s = 0; s < g->block[b].n_succ; s++)
		if (reaches_end(g, g->block[b].succ[s], without, seen))
			return true;
	return false;
}

static void reaches_any(const struct cfg *g, uint32_t b, bool *seen)
{
	if (seen[b])
		return;
	seen[b] = true;
	for (uint32_t s = 0; s < g->block[b].n_succ; s++)
		reaches_any(g, g->block[b].succ[s], seen);
}

START_TEST(random_graphs_agree_with_the_definition)
{
	srand((unsigned)_i + 1);
	struct arena a = {0};
	uint32_t n = 12;
	struct cfg_flow f[13] = {0};
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *t = ARENA_ARRAY(&a, uint32_t, 1);
		*t = (uint32_t)rand() % n;
		f[i] = (struct cfg_flow){rand() % 4 != 0, rand() % 2, t};
	}
	f[n - 1] = (struct cfg_flow){0};
	struct cfg *g = cfg_build(&a, n, f);
	for (uint32_t b = 0; b < g->n_block; b++) {
		bool seen[13] = {0};
		reaches_any(g, b, seen);
		bool endless = false;
		for (uint32_t k = 0; k < g->n_block; k++)
			if (seen[k]) {
				bool fresh[13] = {0};
				endless |= !reaches_end(g, k, -2, fresh);
			}
		if (endless)
			continue; // any answer will do
		int32_t p = g->block[b].ipdom;
		for (int32_t q = 0; q < (int32_t)g->n_block; q++) {
			bool again[13] = {0};
			bool cuts = q != (int32_t)b && !reaches_end(g, b, q, again);
			if (p == CFG_NONE)
				ck_assert_msg(!cuts, "block %u: %d post-dominates it", b, q);
			if (p == q)
				ck_assert(cuts);
		}
	}
	arena_free(&a);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cfg");
	TCase *t = tcase_create("cfg");
	tcase_add_test(t, if_else_joins_after);
	tcase_add_test(t, loop_joins_at_its_exit);
	tcase_add_test(t, break_out_of_loop_joins_after_it);
	tcase_add_test(t, endless_loops_have_an_answer);
	tcase_add_test(t, two_exits_never_join);
	tcase_add_loop_test(t, random_graphs_agree_with_the_definition, 0, 200);
	suite_add_tcase(s, t);
	return check_main(s);
}
