#include "intersim/noc_alloc.h"

#include "base/assert.h"
#include "intersim/bits.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct noc_alloc_ops {
	void (*run)(struct noc_alloc *);
};

static uint64_t *outputs_of(struct noc_alloc *a, unsigned in)
{
	return a->of_in + (size_t)in * a->out_words;
}

static uint64_t *inputs_of(struct noc_alloc *a, unsigned out)
{
	return a->of_out + (size_t)out * a->in_words;
}

static void match(struct noc_alloc *a, unsigned in, unsigned out)
{
	HEDDLE_ASSERT(a->in_match[in] < 0 && a->out_match[out] < 0);
	a->in_match[in] = out;
	a->out_match[out] = in;
}

// --- iSLIP: outputs grant, inputs accept, each from a rotating position that moves when a first iteration matches ---

static void islip_run(struct noc_alloc *a)
{
	for (unsigned round = 0; round < a->iterations; round++) {
		BITS_EACH (out, a->some_out, 0, a->n_out) {
			a->grant[out] = -1;
			if (a->out_match[out] >= 0)
				continue;
			const uint64_t *r = inputs_of(a, out);
			unsigned start = a->out_next[out];
			for (unsigned part = 0; part < 2 && a->grant[out] < 0; part++) {
				unsigned end = part ? start : a->n_in;
				BITS_EACH (in, r, part ? 0 : start, end)
					if (a->in_match[in] < 0) {
						a->grant[out] = in;
						break;
					}
			}
		}
		BITS_EACH (in, a->some_in, 0, a->n_in) {
			const uint64_t *r = outputs_of(a, in);
			unsigned start = a->in_next[in], accepted = a->n_out;
			for (unsigned part = 0; part < 2 && accepted == a->n_out; part++) {
				unsigned end = part ? start : a->n_out;
				BITS_EACH (out, r, part ? 0 : start, end)
					if (a->grant[out] == (int)in) {
						accepted = out;
						break;
					}
			}
			if (accepted == a->n_out)
				continue;
			match(a, in, accepted);
			if (round == 0) {
				a->out_next[accepted] = in + 1 == a->n_in ? 0 : in + 1;
				a->in_next[in] = accepted + 1 == a->n_out ? 0 : accepted + 1;
			}
		}
	}
}

static const struct noc_alloc_ops islip_ops = {islip_run};

// --- separable: one side's arbiters choose first, the other's among those chosen ---

struct arbiter {
	const uint64_t *requests;
	unsigned n, words;
	uint32_t *next;   // round robin: goes first
	uint64_t *before; // matrix: per port the ports it goes before
};

// Highest priority; among equals round robin from `next`, or the one that goes before all others.
static int arbitrate(const struct noc_alloc *a, const struct arbiter *arb, unsigned self, bool input_side)
{
	int best = -1, best_pri = INT_MIN;
	BITS_EACH (i, arb->requests, 0, arb->n) {
		const struct noc_request *r = input_side ? noc_alloc_request(a, self, i) : noc_alloc_request(a, i, self);
		int pri = input_side ? r->in_pri : r->out_pri;
		bool wins;
		if (best < 0 || pri != best_pri)
			wins = best < 0 || pri > best_pri;
		else if (a->matrix)
			wins = bits_has(arb->before + (size_t)i * arb->words, best);
		else
			wins = (unsigned)best < *arb->next && i >= *arb->next;
		if (wins) {
			best = i;
			best_pri = pri;
		}
	}
	return best;
}

static void arbiter_won(const struct noc_alloc *a, const struct arbiter *arb, unsigned winner)
{
	if (!a->matrix) {
		*arb->next = winner + 1 == arb->n ? 0 : winner + 1;
		return;
	}
	uint64_t *row = arb->before + (size_t)winner * arb->words;
	memset(row, 0, arb->words * sizeof *row);
	for (unsigned i = 0; i < arb->n; i++)
		if (i != winner)
			bits_set(arb->before + (size_t)i * arb->words, winner);
}

static struct arbiter input_arbiter(struct noc_alloc *a, unsigned in, const uint64_t *requests)
{
	return (struct arbiter){requests, a->n_out, a->out_words, &a->in_next[in],
	                        a->matrix ? a->in_matrix + (size_t)in * a->n_out * a->out_words : NULL};
}

static struct arbiter output_arbiter(struct noc_alloc *a, unsigned out, const uint64_t *requests)
{
	return (struct arbiter){requests, a->n_in, a->in_words, &a->out_next[out],
	                        a->matrix ? a->out_matrix + (size_t)out * a->n_in * a->in_words : NULL};
}

static void matched(struct noc_alloc *a, unsigned in, unsigned out)
{
	match(a, in, out);
	struct arbiter i = input_arbiter(a, in, NULL), o = output_arbiter(a, out, NULL);
	arbiter_won(a, &i, out);
	arbiter_won(a, &o, in);
}

static void input_first_run(struct noc_alloc *a)
{
	uint64_t *chosen = a->scratch; // per output: inputs that chose it
	BITS_EACH (in, a->some_in, 0, a->n_in) {
		struct arbiter arb = input_arbiter(a, in, outputs_of(a, in));
		bits_set(chosen + (size_t)arbitrate(a, &arb, in, true) * a->in_words, in);
	}
	BITS_EACH (out, a->some_out, 0, a->n_out) {
		uint64_t *requests = chosen + (size_t)out * a->in_words;
		struct arbiter arb = output_arbiter(a, out, requests);
		int in = arbitrate(a, &arb, out, false);
		if (in >= 0)
			matched(a, in, out);
		memset(requests, 0, a->in_words * sizeof *requests);
	}
}

static void output_first_run(struct noc_alloc *a)
{
	uint64_t *chosen = a->scratch; // per input: outputs that chose it
	BITS_EACH (out, a->some_out, 0, a->n_out) {
		struct arbiter arb = output_arbiter(a, out, inputs_of(a, out));
		bits_set(chosen + (size_t)arbitrate(a, &arb, out, false) * a->out_words, out);
	}
	BITS_EACH (in, a->some_in, 0, a->n_in) {
		uint64_t *requests = chosen + (size_t)in * a->out_words;
		struct arbiter arb = input_arbiter(a, in, requests);
		int out = arbitrate(a, &arb, in, true);
		if (out >= 0)
			matched(a, in, out);
		memset(requests, 0, a->out_words * sizeof *requests);
	}
}

static const struct noc_alloc_ops input_first_ops = {input_first_run}, output_first_ops = {output_first_run};

// --- wavefront: diagonals of the request matrix in rotating order, each granted whole; higher priorities before ---

static bool wave_before(const struct wave *p, const struct wave *q)
{
	if (p->out_pri != q->out_pri)
		return p->out_pri > q->out_pri;
	if (p->in_pri != q->in_pri)
		return p->in_pri > q->in_pri;
	return p->order != q->order ? p->order < q->order : p->out < q->out;
}

// Not qsort(), which may allocate.
static void sort_wave(struct wave *w, unsigned n)
{
	for (unsigned gap = n / 2; gap; gap /= 2)
		for (unsigned i = gap; i < n; i++) {
			struct wave one = w[i];
			unsigned j = i;
			for (; j >= gap && wave_before(&one, &w[j - gap]); j -= gap)
				w[j] = w[j - gap];
			w[j] = one;
		}
}

static void wavefront_run(struct noc_alloc *a)
{
	unsigned square = a->n_in > a->n_out ? a->n_in : a->n_out, n = 0;
	int first = -1;
	BITS_EACH (in, a->some_in, 0, a->n_in) {
		const uint64_t *r = outputs_of(a, in);
		BITS_EACH (out, r, 0, a->n_out) {
			const struct noc_request *q = noc_alloc_request(a, in, out);
			a->wave[n++] = (struct wave){q->in_pri, q->out_pri, in, out,
			                             (in + out + square - a->diagonal) % square};
		}
	}
	sort_wave(a->wave, n);
	for (unsigned i = 0; i < n; i++) {
		const struct wave *w = &a->wave[i];
		if (a->in_match[w->in] >= 0 || a->out_match[w->out] >= 0)
			continue;
		match(a, w->in, w->out);
		if (first < 0)
			first = w->in + w->out;
	}
	a->diagonal = ((a->skip_diagonals ? (unsigned)first : a->diagonal) + 1) % square;
}

static const struct noc_alloc_ops wavefront_ops = {wavefront_run};

static const struct known {
	const char *name;
	const struct noc_alloc_ops *ops;
} known[] = {
	{"islip", &islip_ops},
	{"separable_input_first", &input_first_ops},
	{"separable_output_first", &output_first_ops},
	{"wavefront", &wavefront_ops},
	{"rr_wavefront", &wavefront_ops},
};

// Splits "name(parameter)"; the parameter is empty if there is none.
static const struct known *find(const char *name, const char **parameter, size_t *len)
{
	size_t n = strcspn(name, "(");
	*parameter = name + n;
	*len = 0;
	if (name[n] == '(') {
		*parameter = name + n + 1;
		*len = strcspn(*parameter, ")");
	}
	for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strlen(known[i].name) == n && !memcmp(known[i].name, name, n))
			return &known[i];
	return NULL;
}

static bool is_word(const char *s, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(s, word, len);
}

bool noc_alloc_known(const char *name)
{
	const char *p;
	size_t len;
	const struct known *k = find(name, &p, &len);
	if (!k)
		return false;
	if (k->ops == &islip_ops)
		return len == 0 || (strspn(p, "0123456789") == len && atoi(p) > 0);
	if (k->ops == &wavefront_ops)
		return len == 0;
	return len == 0 || is_word(p, len, "round_robin") || is_word(p, len, "matrix");
}

struct noc_alloc *noc_alloc_new(const char *name, const char *arb_type, unsigned iterations, unsigned n_in,
                                unsigned n_out, struct arena *arena)
{
	const char *p;
	size_t len;
	const struct known *k = find(name, &p, &len);
	struct noc_alloc *a = ARENA_NEW(arena, struct noc_alloc);
	a->ops = k->ops;
	a->n_in = n_in;
	a->n_out = n_out;
	a->in_words = (n_in + 63) / 64;
	a->out_words = (n_out + 63) / 64;
	a->iterations = k->ops == &islip_ops && len ? (unsigned)atoi(p) : iterations;
	a->matrix = len ? is_word(p, len, "matrix") : !strcmp(arb_type, "matrix");
	a->skip_diagonals = k->name[0] == 'r';
	a->request = ARENA_ARRAY(arena, struct noc_request, (size_t)n_in * n_out);
	for (size_t i = 0; i < (size_t)n_in * n_out; i++)
		a->request[i].label = -1;
	a->of_in = ARENA_ARRAY(arena, uint64_t, (size_t)n_in * a->out_words);
	a->of_out = ARENA_ARRAY(arena, uint64_t, (size_t)n_out * a->in_words);
	a->some_in = ARENA_ARRAY(arena, uint64_t, a->in_words);
	a->some_out = ARENA_ARRAY(arena, uint64_t, a->out_words);
	a->in_match = ARENA_ARRAY(arena, int32_t, n_in);
	a->out_match = ARENA_ARRAY(arena, int32_t, n_out);
	for (unsigned i = 0; i < n_in; i++)
		a->in_match[i] = -1;
	for (unsigned i = 0; i < n_out; i++)
		a->out_match[i] = -1;
	a->in_next = ARENA_ARRAY(arena, uint32_t, n_in);
	a->out_next = ARENA_ARRAY(arena, uint32_t, n_out);
	if (k->ops == &islip_ops)
		a->grant = ARENA_ARRAY(arena, int32_t, n_out);
	if (k->ops == &input_first_ops)
		a->scratch = ARENA_ARRAY(arena, uint64_t, (size_t)n_out * a->in_words);
	if (k->ops == &output_first_ops)
		a->scratch = ARENA_ARRAY(arena, uint64_t, (size_t)n_in * a->out_words);
	if (k->ops == &wavefront_ops)
		a->wave = ARENA_ARRAY(arena, struct wave, (size_t)n_in * n_out);
	if (a->matrix && (k->ops == &input_first_ops || k->ops == &output_first_ops)) {
		// At first the highest port goes before all lower ones.
		a->in_matrix = ARENA_ARRAY(arena, uint64_t, (size_t)n_in * n_out * a->out_words);
		a->out_matrix = ARENA_ARRAY(arena, uint64_t, (size_t)n_out * n_in * a->in_words);
		for (unsigned in = 0; in < n_in; in++)
			for (unsigned p1 = 0; p1 < n_out; p1++)
				for (unsigned p2 = 0; p2 < p1; p2++)
					bits_set(a->in_matrix + ((size_t)in * n_out + p1) * a->out_words, p2);
		for (unsigned out = 0; out < n_out; out++)
			for (unsigned p1 = 0; p1 < n_in; p1++)
				for (unsigned p2 = 0; p2 < p1; p2++)
					bits_set(a->out_matrix + ((size_t)out * n_in + p1) * a->in_words, p2);
	}
	return a;
}

void noc_alloc_add(struct noc_alloc *a, unsigned in, unsigned out, int label, int in_pri, int out_pri)
{
	struct noc_request *r = &a->request[(size_t)in * a->n_out + out];
	if (r->label < 0) {
		bits_set(outputs_of(a, in), out);
		bits_set(inputs_of(a, out), in);
		bits_set(a->some_in, in);
		bits_set(a->some_out, out);
		a->n_requests++;
	}
	*r = (struct noc_request){label, in_pri, out_pri};
}

void noc_alloc_run(struct noc_alloc *a)
{
	if (a->n_requests)
		a->ops->run(a);
}

void noc_alloc_clear(struct noc_alloc *a)
{
	if (!a->n_requests)
		return;
	BITS_EACH (in, a->some_in, 0, a->n_in) {
		uint64_t *r = outputs_of(a, in);
		BITS_EACH (out, r, 0, a->n_out)
			a->request[(size_t)in * a->n_out + out].label = -1;
		memset(r, 0, a->out_words * sizeof *r);
		a->in_match[in] = -1;
	}
	BITS_EACH (out, a->some_out, 0, a->n_out) {
		memset(inputs_of(a, out), 0, a->in_words * sizeof(uint64_t));
		a->out_match[out] = -1;
	}
	memset(a->some_in, 0, a->in_words * sizeof *a->some_in);
	memset(a->some_out, 0, a->out_words * sizeof *a->some_out);
	a->n_requests = 0;
}
