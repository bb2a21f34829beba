#include "cuda-sim/runtime/native.h"

#include "base/assert.h"
#include "cuda-sim/runtime/builtin_fault.h"
#include "cuda-sim/runtime/lane_memory.h"

enum {
	STACK_POINTER = 1,
	FIRST_ARG = 4,
	END_ARGS = 16,
	RESULT = 4,
	MAX_WORDS = 3,
};

// Registers that a value takes.
static unsigned words(char type)
{
	return type == 'v' ? 0 : type == '3' ? 3 : type == 'h' || type == 'i' || type == 'f' ? 1 : 2;
}

static unsigned alignment(char type) { return words(type) == 2 ? 2 : 1; }

// Which arguments lie where, as far as they have been gone through.
struct places {
	uint32_t taken; // registers
	uint32_t stack; // bytes
};

// The first of the registers that the next argument has; 0: it is on the stack, at *at.
static unsigned place(struct places *p, char type, uint32_t *at)
{
	unsigned n = words(type), step = alignment(type);
	for (unsigned r = FIRST_ARG; r + n <= END_ARGS; r += step) {
		uint32_t these = ((1u << n) - 1) << r;
		if (!(p->taken & these)) {
			p->taken |= these;
			return r;
		}
	}
	*at = (p->stack + step * 4 - 1) / (step * 4) * (step * 4);
	p->stack = *at + n * 4;
	return 0;
}

static uint32_t *row(uint8_t *r0, unsigned n) { return (uint32_t *)(void *)(r0 + (size_t)n * NATIVE_ROW); }

// Copies an argument's words from the stacks of the lanes; false after a fault.
static bool from_stack(struct builtin_call *c, uint8_t *r0, uint32_t at, unsigned n, uint32_t word[MAX_WORDS][WARP])
{
	for (uint32_t m = c->mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint64_t from = LOCAL_WINDOW + (uint32_t)(row(r0, STACK_POINTER)[lane] + at);
		uint32_t v[MAX_WORDS];
		if (!lane_read(c->w, lane, from, v, n * sizeof *v)) {
			builtin_bad_pointer(c, lane, from, "an argument on the stack");
			return false;
		}
		for (unsigned k = 0; k < n; k++)
			word[k][lane] = v[k];
	}
	return true;
}

enum native_end native_call(const struct builtin *b, struct warp *w, const struct uop *u, uint32_t mask, uint8_t *r0)
{
	struct builtin_call c = {.w = w, .u = u, .mask = mask, .b = b};
	struct places p = {0};
	unsigned n_dim3 = 0;
	if (!b->mathematics && exec_refuses(w))
		return NATIVE_RETURNS;
	for (unsigned k = 0; k < builtin_args(b); k++) {
		char type = b->signature[2 + k];
		uint32_t at = 0, word[MAX_WORDS][WARP] = {0};
		unsigned n = words(type), r = place(&p, type, &at);
		if (r)
			memcpy(word, row(r0, r), n * sizeof *word);
		else if (!from_stack(&c, r0, at, n, word))
			return NATIVE_RETURNS;
		uint32_t keep = type == 'h' ? 0xffff : UINT32_MAX;
		for (unsigned i = 0; i < WARP; i++)
			c.arg[k][i] = (word[0][i] & keep) | (uint64_t)word[1][i] << 32;
		if (type != '3')
			continue;
		HEDDLE_ASSERT(n_dim3 < sizeof c.high / sizeof *c.high);
		for (unsigned i = 0; i < WARP; i++)
			c.high[n_dim3][i] = word[2][i];
		n_dim3++;
	}
	b->run(&c);
	if (c.again && !w->fault)
		return NATIVE_AGAIN;
	for (uint32_t m = w->fault ? 0 : mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		for (unsigned k = 0; k < words(b->signature[0]); k++)
			row(r0, RESULT + k)[lane] = (uint32_t)(c.ret[lane] >> 32 * k);
	}
	return c.wait ? NATIVE_WAITS : NATIVE_RETURNS;
}
