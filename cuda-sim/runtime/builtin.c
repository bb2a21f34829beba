// Calls the simulator answers itself: the device runtime's malloc, free, __assertfail, and the mathematics of libdevice
// that clang leaves undefined. printf is in print.c, launches are in device_runtime.c, meetings of a grid's blocks in grid_sync.c.
#include "cuda-sim/runtime/builtin.h"

#include "cuda-sim/numbers/dmath.h"
#include "cuda-sim/runtime/builtin_fault.h"
#include "cuda-sim/runtime/lane_memory.h"
#include "cuda-sim/runtime/libdevice.h"

#include <stdio.h>
#include <string.h>

// --- the heap, assertions

static void do_malloc(struct builtin_call *c)
{
	struct kernel_services *s = c->w->cta->launch->services;
	for (uint32_t m = c->mask; m && !builtin_interrupted(c); m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		c->ret[lane] = s->heap_alloc(s->ctx, c->arg[0][lane]);
	}
}

static void do_free(struct builtin_call *c)
{
	struct kernel_services *s = c->w->cta->launch->services;
	for (uint32_t m = c->mask; m && !builtin_interrupted(c); m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint64_t addr = c->arg[0][lane];
		if (addr && !s->heap_free(s->ctx, addr)) {
			exec_fault(c->w, c->u, FAULT_LAUNCH, lane, addr,
			           "free(0x%llx): no block of the device heap begins there, or it was freed before",
			           (unsigned long long)addr);
			return;
		}
		// What was cached as accessible may be gone.
		memset(c->w->cta->hit, 0, sizeof c->w->cta->hit);
	}
}

// __assertfail(message, file, line, function, char size)
//
// CUDA Programming Guide, "Assertion": each thread whose assertion fails gives a line.
static void do_assert(struct builtin_call *c)
{
	const struct exec_cta *x = c->w->cta;
	const struct kernel_services *s = x->launch->services;
	char msg[1024], file[1024], func[1024], line[4096];
	for (uint32_t m = c->mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint32_t t = c->w->id * WARP + lane;
		strcpy(msg, "?"), strcpy(file, "?"), strcpy(func, "?");
		lane_string(c->w, lane, c->arg[0][lane], msg, sizeof msg);
		lane_string(c->w, lane, c->arg[1][lane], file, sizeof file);
		lane_string(c->w, lane, c->arg[3][lane], func, sizeof func);
		snprintf(line, sizeof line, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
		         (unsigned)c->arg[2][lane], func, x->id[0], x->id[1], x->id[2], t % x->block[0],
		         t / x->block[0] % x->block[1], t / x->block[0] / x->block[1], msg);
		if (s->assert_failed)
			s->assert_failed(s->ctx, line);
		exec_fault(c->w, c->u, FAULT_ASSERT, lane, 0, "`%s`", msg);
	}
}

// cudaGraphSetConditional(handle, value). The handle is the address of the value.
static void do_set_conditional(struct builtin_call *c)
{
	for (uint32_t m = c->mask; m && !builtin_interrupted(c); m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint32_t value = (uint32_t)c->arg[1][lane];
		if (!lane_write(c->w, lane, c->arg[0][lane], &value, sizeof value)) {
			builtin_bad_pointer(c, lane, c->arg[0][lane], "the condition of a graph");
			return;
		}
	}
}

static const struct builtin runtime[] = {
	{.name = "vprintf", .signature = "i:ll", .run = builtin_vprintf},
	{.name = "malloc", .signature = "l:l", .run = do_malloc},
	{.name = "free", .signature = "v:l", .run = do_free},
	{.name = "cudaGraphSetConditional", .signature = "v:li", .run = do_set_conditional},
	{.name = "__assertfail", .signature = "v:llill", .run = do_assert},
	{.name = "__assert_fail", .signature = "v:llil", .run = do_assert},
};

// --- mathematics: the functions of libdevice, one lane at a time

static void do_math(struct builtin_call *c);

// In the order of libdevice_table, so that a row's number is that of its function.
#define MATH(text, types)                  {.name = text, .signature = types, .run = do_math, .mathematics = true},
#define LD_MODE(name, types, result, mode) MATH(#name, types)
#define LD(name, types, result)            MATH(#name, types)
#define LDH(name, types, result)           MATH(#name, types) MATH(&#name[5], types)
static const struct builtin math[] = {
#include "cuda-sim/runtime/libdevice.def"
};

// Norms of vectors read an array: it is copied out of the lane's memory. Longer ones than this are cut.
enum { MAX_VECTOR = 1024 };

static bool vector_arg(struct builtin_call *c, unsigned lane, unsigned k, char type, void *copy, uint64_t *arg)
{
	int32_t n = (int32_t)arg[0];
	size_t bytes = n > 0 ? (size_t)(n < MAX_VECTOR ? n : MAX_VECTOR) * libdevice_size(type) : 0;
	if (n > MAX_VECTOR)
		arg[0] = MAX_VECTOR;
	if (!lane_read(c->w, lane, arg[k], copy, bytes)) {
		builtin_bad_pointer(c, lane, arg[k], "a vector");
		return false;
	}
	arg[k] = (uint64_t)(uintptr_t)copy;
	return true;
}

static void do_math(struct builtin_call *c)
{
	const struct libdevice_fn *f = &libdevice_table[c->b - math];
	const char *param = f->signature + 2;
	unsigned n_param = (unsigned)strlen(param);
	for (uint32_t m = c->mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint64_t arg[LIBDEVICE_MAX_ARGS], out[LIBDEVICE_MAX_OUT];
		double vector[MAX_VECTOR];
		for (unsigned k = 0; k < n_param; k++)
			arg[k] = c->arg[k][lane];
		for (unsigned k = 0; k < n_param; k++)
			if ((param[k] == 'a' || param[k] == 'b') && !vector_arg(c, lane, k, param[k], vector, arg))
				return;
		c->ret[lane] = f->fn(arg, out);
		for (unsigned k = 0, n = 0; k < n_param; k++) {
			if (!strchr("IFD", param[k]))
				continue;
			if (!lane_write(c->w, lane, c->arg[k][lane], &out[n++], libdevice_size(param[k]))) {
				builtin_bad_pointer(c, lane, c->arg[k][lane], "a result");
				return;
			}
		}
	}
}

const struct builtin *builtin_find(const char *name)
{
	for (size_t k = 0; k < sizeof runtime / sizeof *runtime; k++)
		if (strcmp(runtime[k].name, name) == 0)
			return &runtime[k];
	const struct builtin *b = device_runtime_find(name);
	b = b ? b : grid_sync_find(name);
	const struct libdevice_fn *f = b ? NULL : libdevice_find(name);
	return f ? &math[f - libdevice_table] : b;
}
