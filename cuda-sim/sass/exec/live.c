#include "cuda-sim/sass/exec/live.h"

#include "base/mem.h"
#include "base/vec.h"
#include "cuda-sim/sass/exec/flow.h"

#include <string.h>

// Registers of all files as bits, 64 a word.
enum { AT_R = 0, AT_UR = 256, AT_P = 512, AT_UP = 520, N_BITS = 576, WORDS = N_BITS / 64 };
enum { AT_GUARD = 12, GUARD_BITS = 15, NO_GUARD = 7 }; // of an instruction's word
enum { STACK_POINTER = 1 }; // R1 keeps its value to the end of a kernel

struct set {
	uint64_t w[WORDS];
};

static void put(struct set *s, const struct isa_operand *o, bool in)
{
	static const int at[] = {[ISA_FILE_R] = AT_R, [ISA_FILE_UR] = AT_UR, [ISA_FILE_P] = AT_P, [ISA_FILE_UP] = AT_UP};
	if (o->file != ISA_FILE_R && o->file != ISA_FILE_UR && o->file != ISA_FILE_P && o->file != ISA_FILE_UP)
		return;
	for (unsigned r = 0; r < o->count; r++) {
		unsigned bit = (unsigned)at[o->file] + o->reg + r;
		if (in)
			s->w[bit / 64] |= 1ull << bit % 64;
		else
			s->w[bit / 64] &= ~(1ull << bit % 64);
	}
}

static void join(struct set *to, const struct set *from)
{
	for (unsigned k = 0; k < WORDS; k++)
		to->w[k] |= from->w[k];
}

static unsigned count(const struct set *s, unsigned from, unsigned n)
{
	unsigned sum = 0;
	for (unsigned k = from / 64; k * 64 < from + n; k++) {
		uint64_t w = s->w[k];
		if (n < 64)
			w = w >> from % 64 & ((1ull << n) - 1);
		sum += (unsigned)__builtin_popcountll(w);
	}
	return sum;
}

// What a function and those that it calls read or write, by its first instruction.
struct touched {
	uint32_t target;
	struct set set;
};

struct live {
	const struct sass_kernel *k;
	struct set *before;    // by instruction
	struct set returns;    // what is read behind calls
	VEC(struct touched) function;
};

static bool goes_to(const struct sass_kernel *k, uint32_t i, size_t *g, uint32_t *to)
{
	const struct sass_image *m = k->image;
	for (; *g < m->n_goes; ++*g)
		if (m->goes[*g].from == i * SX_INST_BYTES && m->goes[*g].to / SX_INST_BYTES < k->n) {
			*to = m->goes[(*g)++].to / SX_INST_BYTES;
			return true;
		}
	return false;
}

// --- calls

struct walk {
	uint8_t *seen;          // by instruction
	VEC(uint32_t) open;
};

static void visit(struct walk *w, const struct sass_kernel *k, uint32_t i)
{
	if (i >= k->n || w->seen[i])
		return;
	w->seen[i] = 1;
	VEC_PUSH(&w->open, i);
}

static struct set touched_from(const struct sass_kernel *k, uint32_t target)
{
	struct walk w = {.seen = mem_alloc(k->n)};
	struct set s = {0};
	visit(&w, k, target);
	while (w.open.n) {
		uint32_t i = w.open.at[--w.open.n], to;
		const struct isa_sass *o = k->isa[i].sass;
		struct sx_exits e = sx_exits_of(k, i);
		size_t g = e.to ? 0 : SIZE_MAX;
		for (unsigned d = 0; d < o->n_dst; d++)
			put(&s, &o->dst[d], true);
		for (unsigned d = 0; d < o->n_src; d++)
			put(&s, &o->src[d], true);
		if (e.target != UINT32_MAX)
			visit(&w, k, e.target);
		if (e.next || k->isa[i].cls == ISA_CALL)
			visit(&w, k, i + 1);
		while (goes_to(k, i, &g, &to))
			visit(&w, k, to);
	}
	VEC_FREE(&w.open);
	mem_free(w.seen);
	return s;
}

static const struct set *touched(struct live *x, uint32_t target)
{
	for (size_t i = 0; i < x->function.n; i++)
		if (x->function.at[i].target == target)
			return &x->function.at[i].set;
	VEC_PUSH(&x->function, ((struct touched){target, touched_from(x->k, target)}));
	return &x->function.at[x->function.n - 1].set;
}

// --- one instruction

// A function returns behind any of the code's calls. Registers that it does not touch are what they are behind this one.
static void join_call(struct live *x, struct set *s, uint32_t i, uint32_t target)
{
	static const struct set none;
	const struct set *in = touched(x, target), *inside = &x->before[target], *behind = i + 1 < x->k->n ? &x->before[i + 1] : &none;
	for (unsigned w = 0; w < WORDS; w++)
		s->w[w] |= (inside->w[w] & in->w[w]) | (behind->w[w] & ~in->w[w]);
}

static struct set after(struct live *x, uint32_t i)
{
	const struct sass_kernel *k = x->k;
	struct sx_exits e = sx_exits_of(k, i);
	struct set s = {0};
	bool call = k->isa[i].cls == ISA_CALL, known = e.target != UINT32_MAX;
	size_t g = e.to ? 0 : SIZE_MAX;
	uint32_t to;
	if (known && call)
		join_call(x, &s, i, e.target);
	else if (known)
		join(&s, &x->before[e.target]);
	if ((e.next || (call && !known)) && i + 1 < k->n)
		join(&s, &x->before[i + 1]);
	if (k->isa[i].cls == ISA_RET)
		join(&s, &x->returns);
	while (goes_to(k, i, &g, &to))
		join(&s, &x->before[to]);
	if (k->isa[i].cls == ISA_EXIT)
		put(&s, &(struct isa_operand){.file = ISA_FILE_R, .count = 1, .reg = STACK_POINTER}, true);
	return s;
}

// What a guard may switch off ends nothing.
static struct set before(struct live *x, uint32_t i)
{
	const struct isa_sass *s = x->k->isa[i].sass;
	struct set live = after(x, i);
	bool guarded = (sx_word(x->k, i).lo >> AT_GUARD & GUARD_BITS) != NO_GUARD;
	for (unsigned d = 0; d < s->n_dst && !guarded; d++)
		put(&live, &s->dst[d], false);
	for (unsigned d = 0; d < s->n_src; d++)
		put(&live, &s->src[d], true);
	return live;
}

static void settle(struct live *x)
{
	for (bool changes = true; changes;) {
		changes = false;
		for (uint32_t i = x->k->n; i-- > 0;) {
			struct set s = before(x, i);
			if (!memcmp(&s, &x->before[i], sizeof s))
				continue;
			x->before[i] = s;
			changes = true;
			if (i && x->k->isa[i - 1].cls == ISA_CALL)
				join(&x->returns, &s);
		}
	}
}

struct sx_live *sx_live_of(const struct sass_kernel *k)
{
	struct live x = {.k = k, .before = mem_alloc(k->n * sizeof(struct set) + 1)};
	struct sx_live *out = mem_alloc(k->n * sizeof *out + 1);
	settle(&x);
	for (uint32_t i = 0; i < k->n; i++) {
		const struct isa_sass *s = k->isa[i].sass;
		struct set used = x.before[i];
		for (unsigned d = 0; d < s->n_dst; d++)
			put(&used, &s->dst[d], true);
		out[i] = (struct sx_live){(uint16_t)count(&used, AT_R, 256), (uint16_t)count(&used, AT_UR, 256), (uint16_t)count(&used, AT_P, 8),
		                          (uint16_t)count(&used, AT_UP, 8)};
	}
	VEC_FREE(&x.function);
	mem_free(x.before);
	return out;
}
