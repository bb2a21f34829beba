#include "isa/devmem.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct devmem *dm;
static struct diag d;

static void make(void)
{
	dm = devmem_create((uint64_t)1 << 36, DEVMEM_OWN, &d);
	ck_assert_ptr_nonnull(dm);
}

static void drop(void)
{
	devmem_destroy(dm);
	diag_free(&d);
}

static uint8_t *host(uint64_t addr) { return (uint8_t *)(uintptr_t)addr; }

START_TEST(a_device_address_is_a_host_pointer)
{
	uint64_t a = devmem_alloc(dm, 1000, 0, DEVMEM_DEVICE, 0);
	ck_assert_uint_ne(a, 0);
	ck_assert_uint_eq(a % DEVMEM_ALIGN, 0);
	ck_assert_uint_lt(a, (uint64_t)1 << 47);
	for (unsigned i = 0; i < 1000; i++)
		ck_assert_uint_eq(host(a)[i], 0);
	memset(host(a), 7, 1000);
	ck_assert_uint_eq(dm->in_use, 1000);
	ck_assert(devmem_free(dm, a));
	ck_assert_uint_eq(dm->in_use, 0);
}
END_TEST

// Nothing to see where a sanitizer has its shadow there.
START_TEST(allocations_lie_where_gpgpusim_has_them)
{
	struct diag why = {0};
	struct devmem *peer = devmem_create((uint64_t)64 << 20, DEVMEM_GPGPUSIM, &why);
	const uint64_t mb = 1 << 20;
	const struct {
		uint64_t size;
		enum devmem_kind kind;
		uint64_t at;
	} want[] = {
		{1000, DEVMEM_DEVICE, 0xC0000000}, {1, DEVMEM_ARRAY, 0xC0000400},      {256, DEVMEM_MANAGED, 0xC0000500},
		{100, DEVMEM_CONST, 0xC2000000},   {65536, DEVMEM_DEVICE, 0xC0000600}, {16, DEVMEM_HEAP, 0xC2000100},
		{4, DEVMEM_DEVICE, 0xC0010600},
	}, later[] = {
		{4, DEVMEM_DEVICE, 0xC0010700},       // not where something was freed
		{16 * mb, DEVMEM_DEVICE, 0xC0010800},
		{20 * mb, DEVMEM_DEVICE, 0xC2000200}, // behind the others, for lack of room before them
		{20 * mb, DEVMEM_DEVICE, 0},
		{14 * mb, DEVMEM_DEVICE, 0xC1010800}, // the end is reached: anywhere
	};
	ck_assert_ptr_nonnull(peer);
	if (!why.warnings) {
		for (size_t i = 0; i < sizeof want / sizeof *want; i++)
			ck_assert_uint_eq(devmem_alloc(peer, want[i].size, 0, want[i].kind, 0), want[i].at);
		ck_assert(devmem_free(peer, 0xC0010600));
		ck_assert(devmem_free(peer, 0xC0000000));
		for (size_t i = 0; i < sizeof later / sizeof *later; i++)
			ck_assert_uint_eq(devmem_alloc(peer, later[i].size, 0, later[i].kind, 0), later[i].at);
	}
	devmem_destroy(peer);
	diag_free(&why);
}
END_TEST

START_TEST(variables_stand_where_gpgpusim_has_them)
{
	struct diag why = {0};
	struct devmem *peer = devmem_create((uint64_t)64 << 20, DEVMEM_GPGPUSIM, &why);
	static const struct {
		uint64_t size, at;
	} want[] = {{4, 0x100}, {1, 0x104}, {8, 0x108}, {12, 0x180}, {64, 0x1c0}, {128, 0x200}, {256, 0x280}, {2, 0x380}, {40, 0x400}};
	enum { N = sizeof want / sizeof *want };
	uint64_t addr[N], other = devmem_alloc(peer, 4, 0, DEVMEM_DEVICE, 0);
	for (size_t i = 0; i < N; i++) {
		addr[i] = devmem_alloc(peer, want[i].size, 0, i % 2 ? DEVMEM_CONST : DEVMEM_GLOBAL, 0);
		ck_assert_uint_eq(devmem_stand_in(peer, addr[i]), addr[i]);
		devmem_stand_as_variable(peer, addr[i]);
		ck_assert_uint_eq(devmem_stand_in(peer, addr[i] + want[i].size - 1), want[i].at + want[i].size - 1);
	}
	ck_assert_uint_eq(devmem_stand_in(peer, other), other);
	ck_assert_uint_eq(devmem_stand_in(peer, addr[N - 1] + 1000), addr[N - 1] + 1000);
	ck_assert(devmem_free(peer, addr[0]));
	ck_assert_uint_eq(devmem_stand_in(peer, addr[0]), addr[0]);
	ck_assert_uint_eq(peer->n_stand_in, N - 1);
	devmem_destroy(peer);
	diag_free(&why);
}
END_TEST

START_TEST(an_access_must_lie_in_one_allocation)
{
	uint64_t a = devmem_alloc(dm, 1000, 0, DEVMEM_DEVICE, 0), b = devmem_alloc(dm, 4, 0, DEVMEM_CONST, 0);
	struct devmem_hit hit = {0};
	ck_assert(devmem_holds(dm, &hit, a, a + 1000));
	ck_assert(devmem_holds(dm, &hit, a + 1000, a + 1024)); // the rest of the last DEVMEM_SLACK bytes
	ck_assert(!devmem_holds(dm, &hit, a + 1020, a + 1028));
	ck_assert(!devmem_holds(dm, &hit, a - 1, a + 1));
	ck_assert(!devmem_holds(dm, &hit, a, b + 1));
	ck_assert(!devmem_holds(dm, &hit, a + 8, a));
	ck_assert(!devmem_holds(dm, &hit, UINT64_MAX - 3, 1));
	ck_assert(devmem_holds(dm, &hit, b, b + 4));
	ck_assert_int_eq(hit.kind, DEVMEM_CONST);
	ck_assert(b >= a + 1024 + DEVMEM_SLACK);
	// The padding ends with the 512 bytes that the allocation's last byte is in.
	uint64_t c = devmem_alloc(dm, 520, 0, DEVMEM_DEVICE, 0), e = devmem_alloc(dm, 512, 0, DEVMEM_DEVICE, 0);
	ck_assert_uint_eq(devmem_find(dm, c)->end, c + 768);
	ck_assert_uint_eq(devmem_find(dm, c)->room, c + 1024);
	ck_assert_uint_eq(devmem_find(dm, e)->room, e + 512);
	ck_assert(!devmem_holds(dm, &hit, c + 768, c + 772));
	ck_assert(e >= c + 1024);
	ck_assert_ptr_null(devmem_find(dm, 0));
	ck_assert_ptr_null(devmem_find(dm, a - 1));
	ck_assert_uint_eq(devmem_find(dm, a + 999)->base, a);
}
END_TEST

START_TEST(freeing_what_was_not_allocated_fails)
{
	uint64_t a = devmem_alloc(dm, 100, 0, DEVMEM_DEVICE, 0);
	ck_assert(!devmem_free(dm, a + 8));
	ck_assert(!devmem_free(dm, 0));
	ck_assert(devmem_free(dm, a));
	ck_assert(!devmem_free(dm, a));
}
END_TEST

START_TEST(reused_memory_reads_zero)
{
	for (uint64_t size = 1; size < (1 << 20); size = size * 3 + 1) {
		uint64_t keep = devmem_alloc(dm, 100, 0, DEVMEM_DEVICE, 0);
		uint64_t a = devmem_alloc(dm, size, 0, DEVMEM_DEVICE, 0);
		memset(host(keep), 5, 100);
		memset(host(a), 9, size);
		devmem_free(dm, a);
		uint64_t b = devmem_alloc(dm, size, 0, DEVMEM_DEVICE, 0);
		ck_assert_uint_eq(a, b);
		for (uint64_t i = 0; i < size; i++)
			ck_assert_uint_eq(host(b)[i], 0);
		for (unsigned i = 0; i < 100; i++)
			ck_assert_uint_eq(host(keep)[i], 5);
		devmem_free(dm, b);
	}
}
END_TEST

START_TEST(placement_depends_on_the_calls_only)
{
	uint64_t base = dm->base, at[64];
	for (int round = 0; round < 2; round++) {
		srand(7);
		for (int i = 0; i < 64; i++) {
			uint64_t a = devmem_alloc(dm, (uint64_t)(rand() % 100000), (uint64_t)1 << (rand() % 16), DEVMEM_DEVICE, 0);
			ck_assert_uint_ne(a, 0);
			if (round)
				ck_assert_uint_eq(a, at[i]);
			at[i] = a;
			if (i % 3 == 2)
				devmem_free(dm, at[i - 1]);
		}
		devmem_destroy(dm);
		make();
		ck_assert_uint_eq(dm->base, base);
	}
}
END_TEST

START_TEST(too_much_is_refused)
{
	ck_assert_uint_eq(devmem_alloc(dm, dm->size, 0, DEVMEM_DEVICE, 0), 0);
	ck_assert_uint_eq(devmem_alloc(dm, UINT64_MAX, 0, DEVMEM_DEVICE, 0), 0);
	ck_assert_uint_eq(devmem_alloc(dm, UINT64_MAX - 100, 0, DEVMEM_DEVICE, 0), 0);
	ck_assert_uint_eq(devmem_alloc(dm, 8, 3, DEVMEM_DEVICE, 0), 0);
	ck_assert_uint_ne(devmem_alloc(dm, 0, 0, DEVMEM_DEVICE, 0), 0);
	ck_assert_uint_ne(devmem_alloc(dm, dm->size / 2, 1 << 20, DEVMEM_DEVICE, 0), 0);
}
END_TEST

START_TEST(host_memory_can_be_registered)
{
	static char page[5000];
	uint64_t a = (uint64_t)(uintptr_t)page;
	struct devmem_hit hit = {0};
	ck_assert(!devmem_holds(dm, &hit, a, a + 1));
	ck_assert(devmem_register(dm, a, sizeof page, 3));
	ck_assert(!devmem_register(dm, a + 100, 8, 0));
	ck_assert(!devmem_register(dm, a - 4, 8, 0));
	ck_assert(!devmem_register(dm, dm->base, 8, 0));
	ck_assert(!devmem_register(dm, UINT64_MAX - 4, 8, 0));
	ck_assert(devmem_holds(dm, &hit, a, a + sizeof page));
	ck_assert(!devmem_holds(dm, &hit, a, a + sizeof page + 1));
	ck_assert(!devmem_free(dm, a));
	ck_assert(devmem_unregister(dm, a));
	ck_assert(!devmem_unregister(dm, a));
}
END_TEST

START_TEST(a_child_cannot_change_the_parents_memory)
{
	uint64_t a = devmem_alloc(dm, 8, 0, DEVMEM_DEVICE, 0);
	*host(a) = 1;
	pid_t pid = fork();
	if (!pid) {
		*host(a) = 2;
		devmem_free(dm, a);
		_exit(0);
	}
	int status;
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(*host(a), 1);
}
END_TEST

// The worst order for a table sorted by address: every other block is freed and taken again.
START_TEST(many_allocations_freed_in_the_worst_order)
{
	enum { N = 20000 };
	static uint64_t at[N];
	for (int i = 0; i < N; i++)
		ck_assert_uint_ne(at[i] = devmem_alloc(dm, 256, 0, DEVMEM_DEVICE, 0), 0);
	for (int i = 0; i < N; i += 2)
		ck_assert(devmem_free(dm, at[i]));
	for (int i = 0; i < N; i += 2)
		ck_assert_uint_ne(at[i] = devmem_alloc(dm, 256, 0, DEVMEM_DEVICE, 0), 0);
	for (int i = 0; i < N; i++)
		ck_assert(devmem_free(dm, at[i]));
}
END_TEST

// The oldest goes first, as from a queue. The table is sorted and has each allocation all the time.
START_TEST(many_allocations_freed_in_the_order_they_came)
{
	enum { N = 300000, LEFT = 1000 };
	uint64_t *a = calloc(N, sizeof *a);
	for (int i = 0; i < N; i++)
		ck_assert_uint_ne(a[i] = devmem_alloc(dm, 100, 0, DEVMEM_DEVICE, 0), 0);
	for (int i = 0; i < N - LEFT; i++)
		ck_assert(devmem_free(dm, a[i]));
	for (int i = 0; i < 3 * LEFT; i++) { // at the low end, at the high end, in the middle
		uint64_t b = devmem_alloc(dm, 100, 0, DEVMEM_DEVICE, 0);
		ck_assert_uint_ne(b, 0);
		ck_assert(devmem_free(dm, i % 3 ? a[N - LEFT + i / 3] : b));
		if (i % 3)
			a[N - LEFT + i / 3] = b;
		ck_assert_uint_eq(dm->n_range, LEFT);
	}
	for (int i = N - LEFT; i < N; i++)
		ck_assert_uint_eq(devmem_find(dm, a[i] + 99)->base, a[i]);
	for (size_t i = 1; i < dm->n_range; i++)
		ck_assert_uint_lt(dm->range[i - 1].base, dm->range[i].base);
	for (int i = N - 1; i >= N - LEFT; i--)
		ck_assert(devmem_free(dm, a[i]));
	ck_assert_uint_eq(dm->n_range, 0);
	free(a);
}
END_TEST

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // their shadows count as address space
START_TEST(a_limited_process_gets_less)
{
	devmem_destroy(dm);
	dm = NULL;
	struct rlimit lim = {(rlim_t)1 << 33, (rlim_t)1 << 33};
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &lim), 0);
	struct devmem *small = devmem_create((uint64_t)1 << 40, DEVMEM_OWN, &d);
	ck_assert_ptr_nonnull(small);
	ck_assert_uint_lt(small->size, (uint64_t)1 << 33);
	ck_assert_uint_ne(devmem_alloc(small, 100, 0, DEVMEM_DEVICE, 0), 0);
	devmem_destroy(small);
	lim.rlim_cur = 1 << 20;
	setrlimit(RLIMIT_AS, &lim);
	ck_assert_ptr_null(devmem_create((uint64_t)1 << 40, DEVMEM_OWN, &d));
	ck_assert_uint_eq(d.errors, 1);
}
END_TEST
#endif

int main(void)
{
	TCase *t = tcase_create("devmem");
	tcase_add_checked_fixture(t, make, drop);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_device_address_is_a_host_pointer);
	tcase_add_test(t, allocations_lie_where_gpgpusim_has_them);
	tcase_add_test(t, variables_stand_where_gpgpusim_has_them);
	tcase_add_test(t, an_access_must_lie_in_one_allocation);
	tcase_add_test(t, freeing_what_was_not_allocated_fails);
	tcase_add_test(t, reused_memory_reads_zero);
	tcase_add_test(t, placement_depends_on_the_calls_only);
	tcase_add_test(t, too_much_is_refused);
	tcase_add_test(t, host_memory_can_be_registered);
	tcase_add_test(t, a_child_cannot_change_the_parents_memory);
	tcase_add_test(t, many_allocations_freed_in_the_worst_order);
	tcase_add_test(t, many_allocations_freed_in_the_order_they_came);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	tcase_add_test(t, a_limited_process_gets_less);
#endif
	Suite *s = suite_create("devmem");
	suite_add_tcase(s, t);
	return check_main(s);
}
