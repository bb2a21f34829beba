#include "cuda-sim/simt/activation.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_FRAMES = 1 << 13, // activations of a warp
	MAX_ROWS = 1 << 27,   // bytes of their rows
};

// Activations of different splits exist side by side, and each has rows of its own (immediates differ by function).
// frame_order lists the live ones by address of their rows; a new one takes the first gap that is large enough.
int32_t activation_new(struct simt_warp *w, uint32_t bytes, uint32_t *fp)
{
	int32_t i;
	if (w->free_frame.n) {
		i = w->free_frame.at[--w->free_frame.n];
	} else {
		struct frame f = {0};
		VEC_PUSH(&w->frame, f);
		i = (int32_t)w->frame.n - 1;
	}
	VEC_PUSH(&w->frame_order, i);
	size_t at = w->frame_order.n - 1;
	const struct frame *last = at ? &w->frame.at[w->frame_order.at[at - 1]] : NULL;
	*fp = last ? last->fp + last->code->frame_bytes : 0;
	if (!w->frame_gaps)
		return i;
	uint32_t end = 0;
	for (size_t k = 0; k < at; k++) {
		const struct frame *f = &w->frame.at[w->frame_order.at[k]];
		if (f->fp - end >= bytes) {
			memmove(&w->frame_order.at[k + 1], &w->frame_order.at[k], (at - k) * sizeof *w->frame_order.at);
			w->frame_order.at[k] = i;
			*fp = end;
			break;
		}
		end = f->fp + f->code->frame_bytes;
	}
	return i;
}

static void frame_free(struct simt_warp *w, int32_t i)
{
	size_t k = w->frame_order.n - 1;
	while (w->frame_order.at[k] != i)
		k--;
	w->frame_order.n--;
	w->frame_gaps |= k < w->frame_order.n;
	memmove(&w->frame_order.at[k], &w->frame_order.at[k + 1], (w->frame_order.n - k) * sizeof *w->frame_order.at);
	if (w->frame_order.n <= 1)
		w->frame_gaps = false;
	VEC_PUSH(&w->free_frame, i);
}

void activation_drop(struct simt_warp *w, int32_t i)
{
	while (i != SIMT_NONE && --w->frame.at[i].refs == 0) {
		int32_t up = w->frame.at[i].up;
		frame_free(w, i);
		i = up;
	}
}

// Room for `bytes` of rows; moves the rows, so row pointers must be taken again.
static bool rows_reserve(struct simt_warp *w, size_t bytes)
{
	if (bytes <= w->rows_size)
		return true;
	size_t size = w->rows_size * 2 > bytes ? w->rows_size * 2 : bytes;
	uint8_t *p = aligned_alloc(64, (size + 63) & ~(size_t)63);
	if (!p)
		return false;
	memcpy(p, w->rows, w->rows_size);
	memset(p + w->rows_size, 0, size - w->rows_size);
	free(w->rows);
	w->rows = p;
	w->rows_size = size;
	return true;
}

// --- arguments and results

static void copy_local(struct simt_warp *w, uint32_t from, uint32_t to, uint32_t bytes, uint32_t mask)
{
	uint32_t *mem = (uint32_t *)w->w.local;
	for (uint32_t k = 0; k < (bytes + 3) / 4; k++) {
		uint32_t *d = mem + (size_t)(to / 4 + k) * WARP, *s = mem + (size_t)(from / 4 + k) * WARP;
		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
			d[i] = mask >> i & 1 ? s[i] : d[i];
	}
}

// Reads or writes a value of up to 8 bytes as 64-bit lanes, wherever it lives.
static void value_get(struct simt_warp *w, const struct frame *f, bool is_row, int32_t at, uint32_t bytes, uint64_t *v)
{
	const uint32_t *lo, *hi = NULL;
	if (is_row && bytes > 4) {
		memcpy(v, w->rows + f->fp + at, 8 * WARP);
		return;
	}
	lo = is_row ? (const uint32_t *)(w->rows + f->fp + at)
	            : (const uint32_t *)w->w.local + (size_t)((f->sp + (uint32_t)at) / 4) * WARP;
	if (!is_row && bytes > 4)
		hi = lo + WARP;
	unsigned shift = is_row ? 0 : (f->sp + (uint32_t)at) % 4 * 8;
	uint64_t keep = bytes >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << bytes * 8) - 1;
	for (unsigned i = 0; i < WARP; i++)
		v[i] = ((lo[i] >> shift) | (hi ? (uint64_t)hi[i] << 32 : 0)) & keep;
}

static void value_put(struct simt_warp *w, const struct frame *f, bool is_row, int32_t at, uint32_t bytes,
                      const uint64_t *v, uint32_t mask)
{
	uint8_t *row = is_row ? w->rows + f->fp + at : w->w.local + (size_t)((f->sp + (uint32_t)at) / 4) * 4 * WARP;
	for (unsigned i = 0; i < WARP; i++) {
		if (!(mask >> i & 1))
			continue;
		if (is_row && bytes > 4) {
			((uint64_t *)row)[i] = v[i];
		} else if (is_row) {
			((uint32_t *)row)[i] = (uint32_t)v[i];
		} else {
			uint8_t *b = (uint8_t *)((uint32_t *)row + i) + (f->sp + (uint32_t)at) % 4;
			memcpy(b, &v[i], bytes < 4 ? bytes : 4);
			if (bytes > 4)
				((uint32_t *)row)[WARP + i] = (uint32_t)(v[i] >> 32);
		}
	}
}

// A place of a value: a row, or bytes of local memory.
struct place {
	const struct frame *frame;
	bool is_row;
	int32_t at;
	uint32_t bytes;
};

// Arguments go from the caller's frame into the callee's, results back.
static void pass(struct simt_warp *w, struct place from, struct place to, uint32_t mask)
{
	uint32_t bytes = from.bytes < to.bytes ? from.bytes : to.bytes;
	if (!from.is_row && !to.is_row && from.at % 4 == 0 && to.at % 4 == 0) {
		copy_local(w, from.frame->sp + (uint32_t)from.at, to.frame->sp + (uint32_t)to.at, bytes, mask);
		return;
	}
	// The width of a row is that of its own side.
	uint64_t v[WARP];
	value_get(w, from.frame, from.is_row, from.at, from.bytes, v);
	value_put(w, to.frame, to.is_row, to.at, to.bytes, v, mask);
}

bool activation_enter(struct simt_warp *w, int32_t leaf, const struct uop *u, const struct call_site *site,
                      const struct code *code, uint32_t ret_pc)
{
	struct split *s = &w->split.at[leaf];
	int32_t up = s->frame;
	struct frame *caller = &w->frame.at[up];
	uint32_t fp, sp = caller->sp + caller->code->local_bytes;
	unsigned lane = (unsigned)__builtin_ctz(s->mask);
	if (site->n_arg > code->n_param) {
		exec_fault(&w->w, u, FAULT_INVALID_PC, lane, 0, "'%s' takes %u parameters, the call passes %u",
		           code->func->name, code->n_param, site->n_arg);
		return false;
	}
	uint32_t end = w->w.cta->local_size;
	for (uint32_t left = code->kernel->allocates ? s->mask : 0; left; left &= left - 1)
		if (w->w.stack[__builtin_ctz(left)] < end)
			end = w->w.stack[lane = (unsigned)__builtin_ctz(left)];
	if (sp + code->local_bytes > end) {
		exec_fault(&w->w, u, FAULT_STACK, lane, sp,
		           "calling '%s' needs more than the %u bytes of stack a thread has (cudaLimitStackSize); recursion "
		           "without end?",
		           code->func->name, w->w.cta->local_size);
		return false;
	}
	int32_t f = activation_new(w, code->frame_bytes, &fp);
	if (w->frame_order.n > MAX_FRAMES || fp > MAX_ROWS || !rows_reserve(w, (size_t)fp + code->frame_bytes)) {
		frame_free(w, f);
		exec_fault(&w->w, u, FAULT_STACK, lane, sp, "calling '%s': too many calls nested, %zu; recursion without end?",
		           code->func->name, w->frame_order.n);
		return false;
	}
	w->frame.at[f] = (struct frame){code, fp, sp, ret_pc, up, 1, site};
	for (enum row_group g = 0; g < ROWS_N_GROUPS; g++)
		rows_fill(w, code, g, w->rows + fp, sp);
	if (code->allocates)
		memcpy(w->rows + fp + code->stack_row, w->w.stack, sizeof w->w.stack);
	for (unsigned k = 0; k < site->n_arg; k++) {
		const struct call_value *v = &site->arg[k];
		const struct code_value *p = &code->param[k];
		pass(w, (struct place){&w->frame.at[up], v->caller_is_row, v->caller, v->bytes},
		     (struct place){&w->frame.at[f], p->is_row, p->at, p->bytes}, s->mask);
	}
	// The split's reference to the caller becomes the activation's.
	s->frame = f;
	s->pc = 0;
	return true;
}

void activation_leave(struct simt_warp *w, int32_t leaf)
{
	struct split *s = &w->split.at[leaf];
	int32_t f = s->frame, up = w->frame.at[f].up;
	const struct frame *callee = &w->frame.at[f];
	for (unsigned k = 0; k < callee->site->n_ret && k < callee->code->n_ret; k++) {
		const struct call_value *v = &callee->site->ret[k];
		const struct code_value *r = &callee->code->ret[k];
		pass(w, (struct place){callee, r->is_row, r->at, r->bytes},
		     (struct place){&w->frame.at[up], v->caller_is_row, v->caller, v->bytes}, s->mask);
	}
	if (callee->code->allocates) {
		const uint32_t *stack = (const uint32_t *)(w->rows + callee->fp + callee->code->stack_row);
		for (unsigned i = 0; i < WARP; i++)
			w->w.stack[i] = s->mask >> i & 1 ? stack[i] : w->w.stack[i];
	}
	s->pc = callee->ret_pc;
	s->frame = up;
	w->frame.at[up].refs++;
	activation_drop(w, f);
}

bool activation_builtin(struct simt_warp *w, int32_t leaf, const struct uop *u, const struct call_site *site,
                        uint32_t mask)
{
	const struct frame *f = &w->frame.at[w->split.at[leaf].frame];
	struct builtin_call c = {.w = &w->w, .u = u, .mask = mask, .b = site->builtin};
	if (!c.b->mathematics && exec_refuses(&w->w))
		return true;
	unsigned n_high = 0, n_arg = site->n_arg < BUILTIN_MAX_ARGS ? site->n_arg : BUILTIN_MAX_ARGS;
	for (unsigned k = 0; k < n_arg; k++) {
		value_get(w, f, site->arg[k].caller_is_row, site->arg[k].caller, site->arg[k].bytes, c.arg[k]);
		if (site->arg[k].bytes > 8 && !site->arg[k].caller_is_row && n_high < sizeof c.high / sizeof *c.high)
			value_get(w, f, false, site->arg[k].caller + 8, site->arg[k].bytes - 8, c.high[n_high++]);
	}
	if (n_arg < builtin_args(c.b)) {
		exec_fault(&w->w, u, FAULT_INVALID_PC, (unsigned)__builtin_ctz(mask), 0, "'%s' takes %u arguments", c.b->name,
		           builtin_args(c.b));
		return true;
	}
	c.b->run(&c);
	if (c.again && !w->w.fault)
		return false;
	if (site->n_ret && !w->w.fault)
		value_put(w, f, site->ret[0].caller_is_row, site->ret[0].caller, site->ret[0].bytes, c.ret, mask);
	if (!c.wait)
		return true;
	struct split *s = &w->split.at[leaf];
	s->state = SPLIT_BARRIER;
	s->barrier = EXEC_CHILDREN;
	s->at = u;
	w->cta->x.at_children = true;
	return true;
}
