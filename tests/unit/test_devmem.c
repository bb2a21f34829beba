#include "isa/devmem.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static struct devmem *make(uint64_t size)
{
	struct diag d = {0};
	struct devmem *dm = devmem_create(size, &d);
	ck_assert_ptr_nonnull(dm);
	diag_free(&d);
	return dm;
}

START_TEST(addresses_are_the_same_every_time)
{
	uint64_t first[20];
	for (int round = 0; round < 3; round++) {
		struct devmem *dm = make((uint64_t)1 << 36);
		for (int k = 0; k < 20; k++) {
			uint64_t a = devmem_alloc(dm, (uint64_t)(k + 1) * 1000, 1, DEVMEM_DEVICE, 0);
			if (!round)
				first[k] = a;
			ck_assert_uint_eq(a, first[k]);
			ck_assert_uint_eq(a % DEVMEM_ALIGN, 0);
		}
		devmem_destroy(dm);
	}
}
END_TEST

START_TEST(memory_is_zero_also_when_used_again)
{
	struct devmem *dm = make((uint64_t)1 << 30);
	for (int k = 0; k < 200; k++) {
		uint64_t size = 100 + (uint64_t)k * 997 % 20000, a = devmem_alloc(dm, size, 1, DEVMEM_DEVICE, 0);
		uint64_t b = devmem_alloc(dm, 300, 1, DEVMEM_DEVICE, 0);
		for (uint64_t i = 0; i < size; i++)
			ck_assert_uint_eq(((uint8_t *)(uintptr_t)a)[i], 0);
		memset((void *)(uintptr_t)a, 0xff, size);
		memset((void *)(uintptr_t)b, 0xee, 300);
		ck_assert(devmem_free(dm, a));
		for (int i = 0; i < 300; i++)
			ck_assert_uint_eq(((uint8_t *)(uintptr_t)b)[i], 0xee);
		ck_assert(devmem_free(dm, b));
	}
	ck_assert_uint_eq(dm->in_use, 0);
	devmem_destroy(dm);
}
END_TEST

START_TEST(accesses_are_held_to_their_allocation)
{
	struct devmem *dm = make((uint64_t)1 << 30);
	struct devmem_hit hit = {0};
	uint64_t a = devmem_alloc(dm, 1000, 1, DEVMEM_DEVICE, 0), b = devmem_alloc(dm, 1000, 1, DEVMEM_CONST, 0);
	ck_assert(devmem_holds(dm, &hit, a, a + 1000));
	ck_assert(devmem_holds(dm, &hit, a + 996, a + 1000));
	ck_assert(!devmem_holds(dm, &hit, a, a + 2000));
	ck_assert(!devmem_holds(dm, &hit, a - 4, a));
	ck_assert(!devmem_holds(dm, &hit, a + 1024, a + 1028));
	ck_assert(devmem_holds(dm, &hit, b, b + 4));
	ck_assert_int_eq(hit.kind, DEVMEM_CONST);
	ck_assert(!devmem_holds(dm, &hit, 0, 4));
	ck_assert(!devmem_holds(dm, &hit, UINT64_MAX - 3, 1));
	ck_assert_ptr_null(devmem_find(dm, a + 1500));
	ck_assert(!devmem_free(dm, a + 4));
	ck_assert(devmem_free(dm, a));
	ck_assert(!devmem_free(dm, a));
	devmem_destroy(dm);
}
END_TEST

START_TEST(registered_memory_keeps_its_address)
{
	struct devmem *dm = make((uint64_t)1 << 30);
	char *p = malloc(5000);
	uint64_t at = (uint64_t)(uintptr_t)p;
	struct devmem_hit hit = {0};
	ck_assert(devmem_register(dm, at, 5000, 0));
	ck_assert(!devmem_register(dm, at + 100, 10, 0));
	ck_assert(devmem_holds(dm, &hit, at, at + 5000));
	ck_assert(!devmem_free(dm, at));
	ck_assert(devmem_unregister(dm, at));
	ck_assert_ptr_null(devmem_find(dm, at));
	free(p);
	devmem_destroy(dm);
}
END_TEST

START_TEST(a_full_memory_says_no)
{
	struct devmem *dm = make((uint64_t)1 << 26);
	ck_assert_uint_eq(devmem_alloc(dm, (uint64_t)1 << 27, 1, DEVMEM_DEVICE, 0), 0);
	ck_assert_uint_eq(devmem_alloc(dm, UINT64_MAX - 100, 1, DEVMEM_DEVICE, 0), 0);
	ck_assert_uint_eq(devmem_alloc(dm, 0, 1, DEVMEM_DEVICE, 0), 0);
	uint64_t n = 0;
	while (devmem_alloc(dm, 1 << 20, 1, DEVMEM_DEVICE, 0))
		n++;
	ck_assert_uint_ge(n, 60);
	devmem_destroy(dm);
}
END_TEST

START_TEST(random_use_never_overlaps)
{
	struct devmem *dm = make((uint64_t)1 << 30);
	enum { N = 2000 };
	static uint64_t at[N], size[N];
	srand(7);
	for (int k = 0; k < 10000; k++) {
		int i = rand() % N;
		if (at[i]) {
			ck_assert_uint_eq(*(uint64_t *)(uintptr_t)at[i], (uint64_t)i);
			ck_assert(devmem_free(dm, at[i]));
			at[i] = 0;
		} else {
			size[i] = 8 + (uint64_t)rand() % 10000;
			at[i] = devmem_alloc(dm, size[i], 1, DEVMEM_DEVICE, 0);
			ck_assert_uint_ne(at[i], 0);
			*(uint64_t *)(uintptr_t)at[i] = (uint64_t)i;
		}
	}
	for (size_t k = 1; k < dm->n_range; k++)
		ck_assert_uint_le(dm->range[k - 1].end + DEVMEM_SLACK, dm->range[k].base);
	devmem_destroy(dm);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("devmem");
	TCase *t = tcase_create("devmem");
	tcase_set_timeout(t, 30);
	tcase_add_test(t, addresses_are_the_same_every_time);
	tcase_add_test(t, memory_is_zero_also_when_used_again);
	tcase_add_test(t, accesses_are_held_to_their_allocation);
	tcase_add_test(t, registered_memory_keeps_its_address);
	tcase_add_test(t, a_full_memory_says_no);
	tcase_add_test(t, random_use_never_overlaps);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
