// Where straight runs begin and end, and how much of one a budget lets go.
#include "cuda-sim/exec/straight.h"

#include <check.h>
#include <stdlib.h>

enum { N = 12 };

static unsigned executed;

static void body(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w)
{
	executed++;
	if (u->imm)
		*(uint32_t *)(fp + u->imm) = 0;
	w->fault = u->b ? FAULT_TRAP : 0;
	w->active |= mask;
}

// A micro-op for each character: . plain, + the next of the same instruction, m lanes meet, s shares, p polls,
// c control, f faults. An instruction of several that polls is no part of a run.
static struct uop *code_of(const char *text)
{
	static const uint16_t flags[128] = {['+'] = UOP_EXTRA, ['m'] = UOP_MEETS, ['s'] = UOP_SHARES, ['p'] = UOP_POLL};
	static struct uop code[N + 1];
	for (unsigned i = 0; i <= N; i++) {
		const int c = i < N ? text[i] : 'c';
		code[i] = (struct uop){.fn = body, .cls = ISA_ALU, .flags = flags[c], .b = c == 'f'};
		code[i].ctl = c == 'c' ? CTL_EXIT : CTL_NONE;
	}
	exec_straight_mark(code, N + 1);
	return code;
}

START_TEST(runs_end_before_what_has_to_be_looked_at)
{
	static const struct {
		const char *code;
		uint8_t straight[N];
	} row[] = {
		{"............", {12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}},
		{"...c...p....", {3, 2, 1, 0, 3, 2, 1, 0, 4, 3, 2, 1}},
		{"...m...s....", {3, 2, 1, 4, 3, 2, 1, 5, 4, 3, 2, 1}},
		{".++.+..p+...", {7, 0, 0, 4, 0, 2, 1, 0, 0, 3, 2, 1}},
	};
	for (unsigned r = 0; r < sizeof row / sizeof *row; r++) {
		const struct uop *code = code_of(row[r].code);
		for (unsigned i = 0; i < N; i++)
			ck_assert_msg(code[i].straight == row[r].straight[i], "%s at %u: %u", row[r].code, i,
			              code[i].straight);
		ck_assert_uint_eq(code[N].straight, 0);
	}
}
END_TEST

// Executes from the first micro-op on with lanes 0 to 7 until the budget is used up or the run ends, and returns how
// many micro-ops that were.
static unsigned go(const struct uop *code, uint64_t budget, struct kernel_counts *n, uint64_t *left, uint64_t *threads)
{
	static _Alignas(64) uint8_t rows[256];
	struct exec_cta cta = {.counts = n};
	struct warp w = {.fp = rows, .cta = &cta};
	*(uint32_t *)(rows + 4) = 0xf0; // a guard; that at 128 holds for no lane
	*n = (struct kernel_counts){0};
	executed = 0;
	*left = budget;
	*threads = 0;
	const struct uop *u = code;
	while (*left && u->straight && !w.fault)
		u = exec_straight(rows, u, 0xff, &w, left, threads);
	return (unsigned)(u - code);
}

START_TEST(a_budget_cuts_between_instructions)
{
	struct kernel_counts n;
	uint64_t left, threads;
	const struct uop *code = code_of(".++.+.......");
	const unsigned at[] = {3, 5, 6, 7, 8, 9, 10, 11, 12};
	for (unsigned budget = 1; budget <= 9; budget++) {
		ck_assert_uint_eq(go(code, budget, &n, &left, &threads), at[budget - 1]);
		ck_assert_uint_eq(left, 0);
		ck_assert_uint_eq(threads, 8 * budget);
		ck_assert_uint_eq(n.cls[ISA_ALU], budget);
		ck_assert_uint_eq(n.cls_thread[ISA_ALU], 8 * budget);
		ck_assert_uint_eq(executed, at[budget - 1]);
	}
	go(code, 100, &n, &left, &threads);
	ck_assert_uint_eq(left, 91);
}
END_TEST

START_TEST(a_guard_holds_for_all_of_its_instruction)
{
	struct kernel_counts n;
	uint64_t left, threads;
	struct uop *code = code_of(".++.........");
	for (unsigned k = 0; k < 3; k++)
		code[k].guard = 4;
	exec_straight_mark(code, N + 1);
	code[1].imm = 4; // clears the guard: the third micro-op is executed all the same
	go(code, 2, &n, &left, &threads);
	ck_assert_uint_eq(executed, 4);
	ck_assert_uint_eq(threads, 4 + 8);
	code[3].guard = 4; // holds for no lane: counted, not executed
	code[1].imm = 8;
	for (unsigned k = 0; k < 3; k++)
		code[k].guard = 128;
	code[3].guard = 128;
	exec_straight_mark(code, N + 1);
	go(code, 2, &n, &left, &threads);
	ck_assert_uint_eq(executed, 0);
	ck_assert_uint_eq(n.cls[ISA_ALU], 2);
	ck_assert_uint_eq(threads, 0);
}
END_TEST

START_TEST(a_fault_ends_a_run_behind_it)
{
	struct kernel_counts n;
	uint64_t left, threads;
	ck_assert_uint_eq(go(code_of("..f........."), 100, &n, &left, &threads), 3);
	ck_assert_uint_eq(left, 97);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("straight");
	TCase *c = tcase_create("runs");
	tcase_add_test(c, runs_end_before_what_has_to_be_looked_at);
	tcase_add_test(c, a_budget_cuts_between_instructions);
	tcase_add_test(c, a_guard_holds_for_all_of_its_instruction);
	tcase_add_test(c, a_fault_ends_a_run_behind_it);
	suite_add_tcase(s, c);
	return check_main(s);
}
