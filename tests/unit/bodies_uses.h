// What of the table of encodings kernels use: rows, and the values of the modifiers in a row.
#ifndef TESTS_BODIES_USES_H
#define TESTS_BODIES_USES_H

#include "base/map.h"
#include "cuda-sim/sass/exec/kernel.h"
#include "cuda-sim/sass/exec/lower.h"

#include <stdio.h>
#include <string.h>

enum { USES_ROWS = 1000 };

struct uses {
	struct arena arena;
	struct sass_isa *isa[SASS_N_GENERATIONS];
	uint32_t row[SASS_N_GENERATIONS][USES_ROWS];                   // instructions met, by number in the generation
	uint64_t value[SASS_N_GENERATIONS][USES_ROWS][SASS_ROW_TOKENS]; // bit per value of a modifier; the last one for those above
	struct map seen;                                               // of all generations
	size_t n_new;                                                  // of the last kernel
};

static inline bool uses_executed(const char *op)
{
	static const struct lower_op *const families[] = {lower_int_ops, lower_float_ops, lower_half_ops, lower_convert_ops,
	                                                  lower_memory_ops, lower_texture_ops, lower_surface_ops, lower_warp_ops, lower_flow_ops};
	for (size_t f = 0; f < sizeof families / sizeof *families; f++)
		for (const struct lower_op *o = families[f]; o->name; o++)
			if (!strcmp(o->name, op))
				return true;
	return false;
}

static inline uint64_t uses_bit(uint64_t v) { return (uint64_t)1 << (v < 63 ? v : 63); }

static inline void uses_key(struct uses *u, const char *key)
{
	if (map_get(&u->seen, key, strlen(key)))
		return;
	const char *kept = arena_strdup(&u->arena, key);
	map_put(&u->seen, kept, strlen(kept), (void *)kept);
	u->n_new++;
}

// The values of its modifiers, and the kinds of its sources.
static inline void uses_new(struct uses *u, const struct sass_decoded *d)
{
	char key[200];
	snprintf(key, sizeof key, "%s %u %u", d->row->op, d->form, d->uniform_form);
	uses_key(u, key);
	for (unsigned t = 0; t < d->row->n_token; t++) {
		const struct sass_token *m = &d->row->token[t];
		uint64_t v = sass_token_value(d->word, m);
		if (m->place != SASS_AT_MODIFIER || v >= m->n_value || !m->value[v])
			continue;
		snprintf(key, sizeof key, "%s.%s %u", d->row->op, m->value[v], t);
		uses_key(u, key);
	}
}

// Counts what is in the code of an image.
static inline void uses_add(struct uses *u, const struct sass_image *m)
{
	int g = sass_generation_of(m->arch);
	if (!u->isa[g])
		u->isa[g] = sass_isa_new(&u->arena, (enum sass_generation)g);
	u->n_new = 0;
	for (size_t pc = 0; pc + 16 <= m->size; pc += 16) {
		struct sass_word w;
		struct sass_decoded d;
		char why[200];
		memcpy(&w, m->code + pc, sizeof w);
		if (!sass_decode(u->isa[g], w, pc, &d, why, sizeof why))
			continue;
		unsigned k = 0;
		while (sass_row(u->isa[g], k) != d.row)
			k++;
		u->row[g][k]++;
		for (unsigned t = 0; t < d.row->n_token; t++)
			if (d.row->token[t].place == SASS_AT_MODIFIER)
				u->value[g][k][t] |= uses_bit(sass_token_value(w, &d.row->token[t]));
		uses_new(u, &d);
	}
}

static inline void uses_tell(const struct uses *u)
{
	for (unsigned g = 0; g < SASS_N_GENERATIONS; g++) {
		unsigned n_row = 0, rows = 0, n_value = 0, values = 0;
		const struct sass_row *r;
		for (unsigned k = 0; u->isa[g] && (r = sass_row(u->isa[g], k)); k++) {
			if (!uses_executed(r->op))
				continue;
			rows++;
			n_row += u->row[g][k] != 0;
			if (!u->row[g][k])
				printf("generation %u: no %s, row %u\n", g, r->op, r->index);
			for (unsigned t = 0; t < r->n_token && u->row[g][k]; t++) {
				const struct sass_token *m = &r->token[t];
				if (m->place != SASS_AT_MODIFIER)
					continue;
				for (unsigned v = 0; v < m->n_value; v++) {
					if (!m->value[v])
						continue;
					values++;
					n_value += (u->value[g][k][t] & uses_bit(v)) != 0;
					if (!(u->value[g][k][t] & uses_bit(v)))
						printf("generation %u: no .%s of %s, row %u\n", g, m->value[v], r->op, r->index);
				}
			}
		}
		if (u->isa[g])
			printf("generation %u: %u of %u rows, %u of %u values of their modifiers\n", g, n_row, rows, n_value, values);
	}
}

static inline void uses_free(struct uses *u)
{
	map_free(&u->seen);
	arena_free(&u->arena);
}

#endif
