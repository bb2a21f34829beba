// Calls of machine code to functions that the simulator answers: where arguments and results lie.
#include "cuda-sim/runtime/builtin.h"
#include "cuda-sim/runtime/native.h"

#include "isa/kernel.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGISTERS = 32, LOCAL = 256, JUNK = 0x77777777 };

static struct kernel_services services;
static struct kernel_info info = {.name = "k"};
static struct kernel_launch launch;
static struct exec_cta cta;
static struct warp w;
static uint32_t r[REGISTERS][WARP], before[REGISTERS][WARP];
static uint32_t local[LOCAL / 4][WARP];
static const struct uop at;

static uint64_t asked[WARP];

static uint64_t heap_alloc(void *ctx, uint64_t size)
{
	unsigned *n = ctx;
	asked[*n] = size;
	return (uint64_t)0xabcd << 32 | (*n)++;
}

static void setup(void)
{
	services = (struct kernel_services){.heap_alloc = heap_alloc};
	launch = (struct kernel_launch){.info = &info, .services = &services, .block = {WARP, 1, 1}};
	cta = (struct exec_cta){.launch = &launch, .local_size = LOCAL, .block = {WARP, 1, 1}, .n_warp = 1};
	w = (struct warp){.cta = &cta, .local = (uint8_t *)local, .live = FULL_MASK};
	for (unsigned n = 0; n < REGISTERS; n++)
		for (unsigned i = 0; i < WARP; i++)
			r[n][i] = JUNK;
	for (unsigned n = 0; n < LOCAL / 4; n++)
		for (unsigned i = 0; i < WARP; i++)
			local[n][i] = JUNK;
	for (unsigned i = 0; i < WARP; i++)
		r[1][i] = 64 + 8 * (i % 3);
}

static enum native_end call(const struct builtin *b, uint32_t mask)
{
	memcpy(before, r, sizeof r);
	return native_call(b, &w, &at, mask, (uint8_t *)r);
}

static struct builtin_call seen;
static unsigned n_seen;
static uint64_t answer(unsigned lane) { return 0x1111111122220000u + lane; }

static void look(struct builtin_call *c)
{
	seen = *c;
	n_seen++;
	for (unsigned i = 0; i < WARP; i++)
		c->ret[i] = answer(i);
	c->wait = c->mask & 1;
}

static uint32_t word(unsigned arg, unsigned k, unsigned lane) { return (arg + 1) << 24 | (k + 1) << 16 | lane; }

// Where ptxas puts arguments: the number of the first register, or s and the offset from R1.
static const struct {
	const char *signature, *place;
} placed[] = {
	{"i:", ""},
	{"l:l", "4"},
	{"i:ll", "4 6"},
	{"v:llill", "4 6 8 10 12"},
	{"l:l33i", "4 6 9 12"},
	{"i:ll33il", "4 6 8 11 14 s0"},
	{"i:l", "4"},
	{"v:l", "4"},
	{"l:ll", "4 6"},
	{"v:llil", "4 6 8 10"},
	{"i:lli", "4 6 8"},
	{"i:lill", "4 6 8 10"},
	{"i:li", "4 6"},
	{"i:lii", "4 6 7"},
	{"i:lllil", "4 6 8 10 12"},
	{"i:llllllil", "4 6 8 10 12 14 s0 s8"},
	{"i:llilll", "4 6 8 10 12 14"},
	{"l:i", "4"},
	{"f:fdff", "4 6 5 8"},
	{"d:ddi", "4 6 8"},
	{"i:lll", "4 6 8"},
	{"h:hih", "4 5 6"},
	{"i:i3", "4 5"},
	{"i:iii3", "4 5 6 7"},
	{"i:l3i3", "4 6 9 10"},
	{"i:il3iil", "4 6 8 5 11 12"},
	{"i:illiilh", "4 6 8 5 10 12 11"},
	{"i:llllliil", "4 6 8 10 12 14 15 s0"},
	{"i:lllllilf", "4 6 8 10 12 14 s0 15"},
	{"i:lllll3il", "4 6 8 10 12 s0 14 s16"},
};
enum { N_PLACED = sizeof placed / sizeof *placed };

static unsigned n_words(char type) { return type == '3' ? 3 : strchr("hif", type) ? 1 : type == 'v' ? 0 : 2; }

static void put_args(const char *signature, const char *place)
{
	char *end = NULL;
	for (unsigned k = 0; signature[2 + k]; k++, place = end) {
		place += strspn(place, " ");
		bool stack = *place == 's';
		unsigned n = (unsigned)strtoul(place + stack, &end, 10);
		for (unsigned i = 0; i < WARP; i++)
			for (unsigned j = 0; j < n_words(signature[2 + k]); j++)
				*(stack ? &local[(r[1][i] + n) / 4 + j][i] : &r[n + j][i]) = word(k, j, i);
	}
}

static void check_args(const char *signature, uint32_t mask)
{
	unsigned n_dim3 = 0;
	ck_assert_uint_eq(seen.mask, mask);
	for (unsigned k = 0; signature[2 + k]; k++) {
		char type = signature[2 + k];
		for (unsigned i = 0; i < WARP; i++) {
			if (!(mask >> i & 1))
				continue;
			uint64_t want = word(k, 0, i) | (n_words(type) > 1 ? (uint64_t)word(k, 1, i) << 32 : 0);
			ck_assert_uint_eq(seen.arg[k][i], type == 'h' ? want & 0xffff : want);
			if (type == '3')
				ck_assert_uint_eq(seen.high[n_dim3][i], word(k, 2, i));
		}
		n_dim3 += type == '3';
	}
}

// All registers are as before but those of the result, for the lanes of the mask.
static void check_result(char type, uint32_t mask)
{
	for (unsigned n = 0; n < REGISTERS; n++)
		for (unsigned i = 0; i < WARP; i++) {
			bool result = mask >> i & 1 && n >= 4 && n < 4 + n_words(type);
			ck_assert_uint_eq(r[n][i], result ? (uint32_t)(answer(i) >> 32 * (n - 4)) : before[n][i]);
		}
}

START_TEST(arguments_lie_where_the_compiler_puts_them)
{
	static const uint32_t masks[] = {FULL_MASK, 0x80000000, 0x00f0f0f0};
	const char *signature = placed[_i].signature;
	const struct builtin b = {.name = "f", .signature = signature, .run = look};
	for (unsigned m = 0; m < sizeof masks / sizeof *masks; m++) {
		setup();
		put_args(signature, placed[_i].place);
		n_seen = 0;
		ck_assert_int_eq(call(&b, masks[m]), masks[m] & 1 ? NATIVE_WAITS : NATIVE_RETURNS);
		ck_assert_uint_eq(n_seen, 1);
		ck_assert_uint_eq(w.fault, 0);
		check_args(signature, masks[m]);
		check_result(signature[0], masks[m]);
	}
}
END_TEST

// Those of the C library have letters for addresses besides; they are registers like l.
START_TEST(places_of_all_arguments_are_known)
{
	static const char *const plain[] = {"vprintf", "malloc", "free", "__assertfail", "__assert_fail", "cudaCGGetIntrinsicHandle",
		"cudaCGSynchronize", "cudaCGSynchronizeGrid", "cudaCGGetSize", "cudaCGGetRank", "__cuda_syscall_CGS_get_intrinsic_handle",
		"__cuda_syscall_CGS_sync", "__cuda_syscall_CGS_get_size", "__cuda_syscall_CGS_get_rank"};
	static const char *const device[] = {
		"GetParameterBuffer", "GetParameterBufferV2", "LaunchDevice", "LaunchDeviceV2", "DeviceSynchronize", "StreamCreateWithFlags",
		"StreamDestroy", "StreamWaitEvent", "EventCreateWithFlags", "EventRecord", "EventRecordWithFlags", "EventDestroy", "Malloc",
		"Free", "MemcpyAsync", "Memcpy2DAsync", "MemsetAsync", "Memset2DAsync", "GetDevice", "GetDeviceCount", "DeviceGetAttribute",
		"DeviceGetLimit", "GetErrorString", "GetErrorName", "PeekAtLastError", "GetLastError"};
	enum { N_PLAIN = sizeof plain / sizeof *plain, N_DEVICE = sizeof device / sizeof *device };
	for (unsigned k = 0; k < N_PLAIN + 2 * N_DEVICE; k++) {
		char name[64];
		unsigned n = k - N_PLAIN;
		if (k < N_PLAIN)
			strcpy(name, plain[k]);
		else
			snprintf(name, sizeof name, "%s%s", n % 2 ? "__cudaCDP2" : "cuda", device[n / 2]);
		const struct builtin *b = builtin_find(name);
		ck_assert_msg(b, "%s", name);
		bool found = false;
		for (unsigned p = 0; p < N_PLACED; p++)
			found |= strcmp(placed[p].signature, b->signature) == 0;
		ck_assert_msg(found, "%s: %s", name, b->signature);
	}
}
END_TEST

START_TEST(a_stack_that_is_not_there_is_a_fault)
{
	const struct builtin b = {.name = "f", .signature = "i:llllllil", .run = look};
	setup();
	r[1][5] = LOCAL - 4; // room for the first argument there, not for the second
	n_seen = 0;
	call(&b, FULL_MASK & ~(1u << 5));
	ck_assert_uint_eq(n_seen, 1);
	ck_assert_uint_eq(w.fault, 0);
	call(&b, FULL_MASK);
	ck_assert_uint_eq(n_seen, 1);
	ck_assert_uint_eq(w.fault, FAULT_ILLEGAL_ADDRESS);
	ck_assert_uint_eq(launch.fault.thread[0], 5);
	ck_assert_ptr_nonnull(strstr(launch.fault.text, "an argument on the stack"));
	check_result('v', 0);
}
END_TEST

START_TEST(memory_is_asked_for)
{
	unsigned n = 0;
	setup();
	services.ctx = &n;
	for (unsigned i = 0; i < WARP; i++)
		r[4][i] = 100 + i, r[5][i] = i == 7;
	call(builtin_find("malloc"), 0x00000181);
	ck_assert_uint_eq(n, 3);
	ck_assert_uint_eq(asked[0], 100);
	ck_assert_uint_eq(asked[1], ((uint64_t)1 << 32) + 107);
	ck_assert_uint_eq(asked[2], 108);
	ck_assert_uint_eq(r[4][7], 1);
	ck_assert_uint_eq(r[5][7], 0xabcd);
	ck_assert_uint_eq(r[4][1], 101);
}
END_TEST

// Two blocks of a warp each meet: the first calls again, with registers as they were, until the second has come.
START_TEST(blocks_wait_for_each_other)
{
	_Alignas(8) static uint8_t workspace[GRID_WORKSPACE];
	const struct builtin *sync = builtin_find("__cuda_syscall_CGS_sync");
	uint64_t handle = (uint64_t)(uintptr_t)workspace;
	struct exec_cta second;
	struct warp other;
	setup();
	memset(workspace, 0, sizeof workspace);
	launch.grid_workspace = handle;
	launch.grid[0] = 2, launch.grid[1] = launch.grid[2] = 1;
	cta.live_threads = WARP;
	second = cta;
	other = w;
	other.cta = &second;
	for (unsigned i = 0; i < WARP; i++)
		r[4][i] = (uint32_t)handle, r[5][i] = (uint32_t)(handle >> 32), r[6][i] = 0;
	for (unsigned round = 0; round < 3; round++) {
		ck_assert_int_eq(call(sync, 0xffff), NATIVE_AGAIN); // half of the block
		check_result('v', 0);
		ck_assert_int_eq(call(sync, 0xffff0000), NATIVE_AGAIN);
		ck_assert_int_eq(call(sync, 0xffff), NATIVE_AGAIN);
		check_result('v', 0);
		struct warp first = w;
		w = other;
		r[4][3] ^= 8; // not its handle: it is told so and does not count
		second.live_threads = WARP - 1;
		ck_assert_int_eq(call(sync, FULL_MASK), NATIVE_RETURNS);
		ck_assert_uint_eq(r[4][3], 999);
		ck_assert_uint_eq(r[4][4], 0);
		memcpy(r, before, sizeof r);
		r[4][3] ^= 8;
		other = w;
		w = first;
		ck_assert_int_eq(call(sync, 0xffff0000), NATIVE_RETURNS);
		ck_assert_uint_eq(r[4][31], 0);
		ck_assert_uint_eq(r[4][0], (uint32_t)handle);
		ck_assert_int_eq(call(sync, 0xffff), NATIVE_RETURNS);
		memcpy(r[4], before[4], sizeof r[4]);
		for (unsigned i = 0; i < WARP; i++)
			r[4][i] = (uint32_t)handle;
	}
}
END_TEST

START_TEST(mathematics_stores_its_second_result)
{
	setup();
	uint64_t to = LOCAL_WINDOW + 16, x = 0x4019000000000000; // 6.25
	for (unsigned i = 0; i < WARP; i++) {
		r[4][i] = (uint32_t)x, r[5][i] = (uint32_t)(x >> 32);
		r[6][i] = (uint32_t)to, r[7][i] = (uint32_t)(to >> 32);
	}
	call(builtin_find("__nv_modf"), 2);
	ck_assert_uint_eq(w.fault, 0);
	ck_assert_uint_eq(r[4][1], 0);
	ck_assert_uint_eq(r[5][1], 0x3fd00000); // 0.25
	ck_assert_uint_eq(r[5][0], (uint32_t)(x >> 32));
	ck_assert_uint_eq(local[4][1], 0);
	ck_assert_uint_eq(local[5][1], 0x40180000); // 6.0
	ck_assert_uint_eq(local[5][0], JUNK);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("native");
	TCase *t = tcase_create("native");
	tcase_add_loop_test(t, arguments_lie_where_the_compiler_puts_them, 0, N_PLACED);
	tcase_add_test(t, places_of_all_arguments_are_known);
	tcase_add_test(t, a_stack_that_is_not_there_is_a_fault);
	tcase_add_test(t, memory_is_asked_for);
	tcase_add_test(t, blocks_wait_for_each_other);
	tcase_add_test(t, mathematics_stores_its_second_result);
	suite_add_tcase(s, t);
	return check_main(s);
}
