// Bounded queues against an array that is moved up when its first element leaves.
#include "base/ring.h"
#include "tests/unit/random.h"

#include <check.h>
#include <string.h>

enum { SIZE = 7, STEPS = 20000 };

struct pair {
	uint32_t number;
	char letter;
};

struct queue {
	RING(struct pair);
};

static struct pair model[SIZE];
static uint32_t n_model;

static void same(const struct queue *q)
{
	ck_assert_uint_eq(q->n, n_model);
	ck_assert_int_eq(RING_FULL(q), n_model == SIZE);
	ck_assert(q->head < SIZE);
	for (uint32_t i = 0; i < n_model; i++) {
		ck_assert_uint_eq(RING_AT(q, i)->number, model[i].number);
		ck_assert_int_eq(RING_AT(q, i)->letter, model[i].letter);
	}
	if (!n_model) {
		ck_assert_uint_eq(q->head, 0);
		return;
	}
	ck_assert_ptr_eq(RING_FRONT(q), RING_AT(q, 0));
	ck_assert_ptr_eq(RING_BACK(q), RING_AT(q, n_model - 1));
}

static void leave(void)
{
	memmove(model, model + 1, --n_model * sizeof *model);
}

static void any_order(struct queue *q)
{
	uint32_t number = 0;
	seed = 1;
	for (unsigned i = 0; i < STEPS; i++) {
		switch (pick(8)) {
		case 0: case 1: case 2: case 3:
			if (RING_FULL(q))
				break;
			model[n_model++] = (struct pair){.number = ++number, .letter = (char)('a' + number % 26)};
			RING_PUSH(q, (struct pair){.number = number, .letter = (char)('a' + number % 26)});
			break;
		case 4: case 5:
			if (!q->n)
				break;
			leave();
			RING_DROP(q);
			break;
		case 6:
			if (!q->n)
				break;
			ck_assert_uint_eq(RING_TAKE(q).number, model[0].number);
			leave();
			break;
		default:
			n_model = n_model ? pick(n_model + 1) : 0;
			RING_KEEP(q, n_model);
		}
		same(q);
	}
}

START_TEST(holds_what_was_pushed_in_order)
{
	struct queue q;
	RING_INIT(&q, SIZE);
	n_model = 0;
	any_order(&q);
	RING_FREE(&q);
	ck_assert_ptr_null(q.at);
}
END_TEST

START_TEST(lies_in_memory_of_others)
{
	struct queue q;
	struct pair storage[SIZE + 1];
	memset(storage, 0x5a, sizeof storage);
	struct pair behind = storage[SIZE];
	RING_USE(&q, storage, SIZE);
	n_model = 0;
	any_order(&q);
	ck_assert(!memcmp(&behind, &storage[SIZE], sizeof behind));
}
END_TEST

START_TEST(begins_again_when_empty)
{
	RING(int) q;
	RING_INIT(&q, 4);
	for (int i = 0; i < 3; i++)
		RING_PUSH(&q, i);
	ck_assert_int_eq(RING_TAKE(&q), 0);
	ck_assert_int_eq(RING_TAKE(&q), 1);
	ck_assert_uint_eq(q.head, 2);
	ck_assert_int_eq(RING_TAKE(&q), 2);
	ck_assert_uint_eq(q.head, 0);
	RING_FREE(&q);
}
END_TEST

START_TEST(has_a_place_at_least)
{
	RING(int) q;
	RING_INIT(&q, 0);
	ck_assert(!RING_FULL(&q));
	RING_PUSH(&q, 5);
	ck_assert(RING_FULL(&q));
	ck_assert_int_eq(*RING_BACK(&q), 5);
	RING_FREE(&q);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ring");
	TCase *t = tcase_create("ring");
	suite_add_tcase(s, t);
	tcase_add_test(t, holds_what_was_pushed_in_order);
	tcase_add_test(t, lies_in_memory_of_others);
	tcase_add_test(t, begins_again_when_empty);
	tcase_add_test(t, has_a_place_at_least);
	return check_main(s);
}
