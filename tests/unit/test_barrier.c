// Barriers, turns and spinning without an engine: warps made by hand come to barriers, polls are told.
#include "cuda-sim/exec/engine.h"
#include "cuda-sim/exec/turn.h"

#include "isa/grids.h"

#include <check.h>
#include <string.h>

enum { N_WARP = 3, ALL_THREADS = N_WARP * WARP };

static struct kernel_services services;
static struct kernel_info info = {.name = "k"};
static struct kernel_launch launch;
static struct exec_cta cta;
static struct warp warps[N_WARP], *list[N_WARP];
static const struct uop at, elsewhere;

static uint32_t released[N_WARP]; // by warp, the bit of each barrier that let it go

static void release(struct warp *w, uint32_t barrier, const struct exec_barrier *b)
{
	ck_assert(barrier == EXEC_CHILDREN ? !b : b && b->lanes[w->id]);
	released[w->id] |= 1u << barrier;
}

static const struct exec_engine engine = {.release = release};

static void setup(void)
{
	memset(released, 0, sizeof released);
	services = (struct kernel_services){0};
	launch = (struct kernel_launch){.info = &info, .services = &services, .block = {ALL_THREADS, 1, 1}};
	cta = (struct exec_cta){
		.launch = &launch, .block = {ALL_THREADS, 1, 1}, .warp = list, .n_warp = N_WARP, .live_threads = ALL_THREADS,
		.engine = &engine};
	for (uint32_t k = 0; k < N_WARP; k++) {
		warps[k] = (struct warp){.cta = &cta, .id = k, .live = FULL_MASK};
		list[k] = &warps[k];
	}
}

static bool arrive(unsigned warp, uint32_t mask, uint32_t id, uint32_t count)
{
	return exec_barrier_arrive(&warps[warp], &at, mask, id, count, 0);
}

static void leave(unsigned warp, uint32_t mask)
{
	warps[warp].live &= ~mask;
	cta.live_threads -= (uint32_t)__builtin_popcount(mask);
}

START_TEST(a_barrier_takes_every_thread_once)
{
	ck_assert(!exec_barrier_complete(&cta, 3));
	ck_assert(arrive(0, FULL_MASK, 3, 0));
	ck_assert(arrive(1, 0x0000ffff, 3, 0));
	ck_assert(arrive(1, 0x000000ff, 3, 0));
	ck_assert(arrive(2, FULL_MASK, 3, 0));
	ck_assert(!exec_barrier_complete(&cta, 3));
	ck_assert(arrive(1, 0xffff0000, 3, 0));
	ck_assert(exec_barrier_complete(&cta, 3));
	ck_assert(!exec_barrier_complete(&cta, 2));
}
END_TEST

START_TEST(threads_that_exit_are_not_waited_for)
{
	arrive(0, FULL_MASK, 0, 0);
	arrive(1, 0x0000ffff, 0, 0);
	leave(2, FULL_MASK);
	ck_assert(!exec_barrier_complete(&cta, 0));
	leave(1, 0xffff0000);
	ck_assert(exec_barrier_complete(&cta, 0));
}
END_TEST

START_TEST(a_counted_barrier_takes_whole_warps)
{
	arrive(0, FULL_MASK, 1, 64);
	ck_assert(!exec_barrier_complete(&cta, 1));
	// Its other half has exited, so it is whole; half of warp 2 is not.
	leave(1, 0xffff0000);
	arrive(2, 0x0000ffff, 1, 64);
	ck_assert(!exec_barrier_complete(&cta, 1));
	arrive(1, 0x0000ffff, 1, 64);
	ck_assert(exec_barrier_complete(&cta, 1));
}
END_TEST

START_TEST(warps_that_arrive_and_then_wait_count_twice)
{
	leave(1, 0xffff0000);
	arrive(0, FULL_MASK, 1, 128);
	arrive(1, 0x0000ffff, 1, 128);
	ck_assert(!exec_barrier_complete(&cta, 1));
	arrive(1, 0x0000ffff, 1, 128);
	ck_assert(!exec_barrier_complete(&cta, 1));
	arrive(0, 0x0000ffff, 1, 128);
	ck_assert(!exec_barrier_complete(&cta, 1));
	arrive(0, 0xffff0000, 1, 128);
	ck_assert(exec_barrier_complete(&cta, 1));
}
END_TEST

static void votes(uint32_t a, uint32_t b, uint32_t c, uint32_t popc, uint32_t and, uint32_t or)
{
	setup();
	const uint32_t holds[N_WARP] = {a, b, c};
	for (unsigned k = 0; k < N_WARP; k++)
		exec_barrier_arrive(&warps[k], &at, 0x0fffffff, 0, 0, holds[k]);
	const struct exec_barrier *bar = &cta.barrier[0];
	ck_assert_uint_eq(exec_barrier_result(bar, UOP_BAR_POPC), popc);
	ck_assert_uint_eq(exec_barrier_result(bar, UOP_BAR_AND), and);
	ck_assert_uint_eq(exec_barrier_result(bar, UOP_BAR_OR), or);
}

START_TEST(predicates_of_those_who_came_count)
{
	votes(0xf0000000, 0, 0, 0, 0, 0);
	votes(0xf0000001, 3, 0x08000000, 4, 0, FULL_MASK);
	votes(FULL_MASK, FULL_MASK, 0x0fffffff, 84, FULL_MASK, FULL_MASK);
}
END_TEST

START_TEST(barriers_that_cannot_be_are_faults)
{
	ck_assert(!arrive(0, 0x100, 16, 0));
	ck_assert_uint_eq(warps[0].fault, FAULT_ILLEGAL_INSTRUCTION);
	ck_assert_ptr_nonnull(strstr(launch.fault.text, "barrier 16 does not exist (0 to 15 do)\n"));
	ck_assert_uint_eq(launch.fault.thread[0], 8);
	setup();
	services.named_barriers = 2;
	ck_assert(arrive(0, FULL_MASK, 1, 0));
	ck_assert(!arrive(1, FULL_MASK, 2, 0));
	ck_assert_ptr_nonnull(strstr(launch.fault.text, "(0 to 1 do); -gpgpu_num_cta_barriers"));
	setup();
	ck_assert(!arrive(0, FULL_MASK, 1, 33));
	ck_assert_ptr_nonnull(strstr(launch.fault.text, "a thread count of 33 is not a multiple of the warp size"));
}
END_TEST

START_TEST(who_is_missing_is_told)
{
	char text[200];
	arrive(0, FULL_MASK, 4, 0);
	arrive(1, 0x00ffffff, 4, 0);
	exec_barrier_describe(&cta, 4, text, sizeof text);
	ck_assert_str_eq(text, "waits at barrier 4 (56 of 96 threads have come, missing: warp 1 lanes ff000000, 2)");
}
END_TEST

START_TEST(a_complete_barrier_lets_go_those_who_came)
{
	arrive(0, FULL_MASK, 2, 64);
	exec_barrier_open(&cta, 2);
	ck_assert(!released[0] && !cta.opened && cta.barrier[2].arrived == WARP);
	arrive(2, FULL_MASK, 2, 64);
	arrive(1, 1, 5, 0);
	exec_barrier_open(&cta, 2);
	ck_assert(cta.opened);
	ck_assert_uint_eq(released[0], 1u << 2);
	ck_assert_uint_eq(released[1], 0);
	ck_assert_uint_eq(released[2], 1u << 2);
	ck_assert(!cta.barrier[2].arrived && !cta.barrier[2].lanes[0]);

	cta.opened = false;
	exec_barriers_open(&cta);
	ck_assert(!cta.opened);
	leave(0, FULL_MASK), leave(2, FULL_MASK), leave(1, 0xfffffffe);
	exec_barriers_open(&cta);
	ck_assert(cta.opened);
	ck_assert_uint_eq(released[1], 1u << 5);
}
END_TEST

START_TEST(lanes_go_on_when_the_grids_of_their_block_are_complete)
{
	struct grid_block block = {.open = 1, .waits = true};
	cta.launches = &block;
	ck_assert(!exec_children_open(&cta)); // nobody waits
	cta.at_children = true;
	ck_assert(!exec_children_open(&cta));
	ck_assert(!released[0] && cta.at_children);
	block.open = 0;
	ck_assert(exec_children_open(&cta));
	for (unsigned k = 0; k < N_WARP; k++)
		ck_assert_uint_eq(released[k], 1u << EXEC_CHILDREN);
	ck_assert(cta.opened && !cta.at_children);
}
END_TEST

// --- turns

START_TEST(a_turn_ends_by_polls_or_instructions)
{
	struct exec_turn t = {0};
	for (unsigned k = 1; k < EXEC_TURN_POLLS; k++)
		ck_assert(!exec_turn_poll(&t));
	ck_assert(exec_turn_poll(&t));
	ck_assert(!exec_turn_use(&t, EXEC_TURN_INSTS - 1));
	ck_assert(exec_turn_use(&t, 1));
	exec_turn_end(&t, 0);
	ck_assert(!exec_turn_use(&t, EXEC_TURN_INSTS - 1));
	ck_assert(exec_turn_poll(&t) == (EXEC_TURN_POLLS == 1));
}
END_TEST

START_TEST(lanes_wait_for_others_so_many_polls)
{
	struct exec_turn t = {0};
	uint32_t polls = 0, lanes = 0;
	while (!lanes && polls < 2 * EXEC_TURN_LONELY) {
		polls += EXEC_TURN_POLLS;
		lanes = exec_turn_end(&t, 0);
	}
	ck_assert_uint_eq(lanes, FULL_MASK);
	ck_assert_uint_eq(polls, EXEC_TURN_LONELY);
	ck_assert_uint_eq(t.lonely, 0);
}
END_TEST

START_TEST(lanes_that_left_a_spinning_loop_go_on_at_once)
{
	struct exec_turn t = {.spin = {.seen = 0xff, .fruitless = 5}};
	ck_assert_uint_eq(exec_turn_end(&t, 0x0f), 0xf0);
	ck_assert_uint_eq(t.spin.fruitless, 0);
	ck_assert_uint_eq(t.lonely, 0); // it had not polled
	t.polls = EXEC_TURN_LONELY;
	ck_assert_uint_eq(exec_turn_end(&t, 0x0f), FULL_MASK);
}
END_TEST

// --- spinning

static struct exec_spin spin;
static uint64_t where[WARP], what[WARP];

static unsigned polls_until_spinning(const struct uop *u, uint32_t mask)
{
	unsigned n = 1;
	while (!exec_spin_poll(&spin, u, mask, where, what) && n < 100)
		n++;
	return n;
}

START_TEST(polls_that_tell_nothing_new_are_spinning)
{
	spin = (struct exec_spin){0};
	unsigned n = polls_until_spinning(&at, 0xff);
	ck_assert_uint_le(n, 3); // 2 in the hostile build
	ck_assert_uint_eq(spin.seen, 0xff);
	what[3] = 1;
	ck_assert_uint_eq(polls_until_spinning(&at, 0xff), n);
	where[3] = 8;
	ck_assert_uint_eq(polls_until_spinning(&at, 0xff), n);
	where[9] = what[9] = 8; // of a lane that does not poll
	ck_assert_uint_eq(polls_until_spinning(&at, 0xff), 1);
	ck_assert_uint_eq(polls_until_spinning(&at, 0x100), n);
	ck_assert_uint_eq(polls_until_spinning(&elsewhere, 0xff), n);
	ck_assert_uint_eq(spin.seen, 0xff);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("barrier");
	TCase *t = tcase_create("barrier");
	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, a_barrier_takes_every_thread_once);
	tcase_add_test(t, threads_that_exit_are_not_waited_for);
	tcase_add_test(t, a_counted_barrier_takes_whole_warps);
	tcase_add_test(t, warps_that_arrive_and_then_wait_count_twice);
	tcase_add_test(t, predicates_of_those_who_came_count);
	tcase_add_test(t, barriers_that_cannot_be_are_faults);
	tcase_add_test(t, who_is_missing_is_told);
	tcase_add_test(t, a_complete_barrier_lets_go_those_who_came);
	tcase_add_test(t, lanes_go_on_when_the_grids_of_their_block_are_complete);
	tcase_add_test(t, a_turn_ends_by_polls_or_instructions);
	tcase_add_test(t, lanes_wait_for_others_so_many_polls);
	tcase_add_test(t, lanes_that_left_a_spinning_loop_go_on_at_once);
	tcase_add_test(t, polls_that_tell_nothing_new_are_spinning);
	suite_add_tcase(s, t);
	return check_main(s);
}
