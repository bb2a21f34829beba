#include "cuda-sim/trace/code.h"

#include "base/assert.h"
#include "base/mem.h"
#include "cuda-sim/trace/cta.h"
#include "cuda-sim/trace/machine.h"
#include "cuda-sim/trace/written.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void trace_code_free(struct trace_code *c)
{
	for (uint32_t i = 0; i < c->n_inst; i++)
		mem_free(trace_inst_at(c, i)->tail), mem_free(trace_inst_at(c, i)->line);
	for (unsigned i = 0; i < TRACE_CHUNKS && c->inst[i]; i++)
		mem_free(c->inst[i]);
	for (unsigned i = 0; i < TRACE_MAX_PATTERNS / TRACE_CHUNK && c->pattern[i]; i++)
		mem_free(c->pattern[i]);
	trace_written_free(c->written);
	trace_machine_free(c->machine);
	arena_free(&c->strings);
	map_free(&c->unknown);
	mem_free(c->notes);
}

uint32_t trace_keep(char **to, uint32_t *cap, const void *from, size_t n)
{
	if (n > *cap)
		*to = mem_realloc(*to, *cap = (uint32_t)n);
	memcpy(*to, from, n);
	return (uint32_t)n;
}

struct trace_inst *trace_inst_new(struct trace_code *c)
{
	uint32_t i = c->n_inst;
	if (i == TRACE_CHUNK * TRACE_CHUNKS)
		return NULL;
	if (!c->inst[i / TRACE_CHUNK])
		c->inst[i / TRACE_CHUNK] = mem_alloc(TRACE_CHUNK * sizeof **c->inst);
	c->n_inst++;
	struct trace_inst *t = trace_inst_at(c, i);
	t->index = i;
	t->said = &t->isa;
	return t;
}

void trace_inst_place(const struct trace_code *c, struct trace_inst *t)
{
	t->isa.text = t->index;
	if (c->machine)
		t->said = &c->machine->inst[t->isa.pc / TRACE_MACHINE_BYTES];
	else if (c->written)
		t->said = &c->written->inst[t->isa.pc / TRACE_WRITTEN_BYTES];
}

static uint32_t hash_offsets(uint32_t mask, const int32_t offset[32])
{
	uint64_t h = mask;
	for (unsigned i = 0; i < 32; i++)
		h = (h ^ (uint32_t)offset[i]) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 40) % TRACE_HASH;
}

uint32_t trace_pattern_intern(struct trace_code *c, uint32_t mask, const int32_t offset[32])
{
	uint32_t h = hash_offsets(mask, offset);
	for (uint32_t i = c->by_offsets[h]; i; i = trace_pattern_at(c, i - 1)->chain) {
		const struct trace_pattern *p = trace_pattern_at(c, i - 1);
		if (p->mask == mask && !memcmp(p->offset, offset, sizeof p->offset))
			return i - 1;
	}
	uint32_t i = c->n_pattern;
	if (i == HEDDLE_LIMIT(3, TRACE_MAX_PATTERNS))
		return UINT32_MAX;
	if (!c->pattern[i / TRACE_CHUNK])
		c->pattern[i / TRACE_CHUNK] = mem_alloc(TRACE_CHUNK * sizeof **c->pattern);
	struct trace_pattern *p = &c->pattern[i / TRACE_CHUNK][i % TRACE_CHUNK];
	p->mask = mask;
	p->chain = c->by_offsets[h];
	memcpy(p->offset, offset, sizeof p->offset);
	for (unsigned k = 0; k < 32; k++) {
		p->low = offset[k] < p->low ? offset[k] : p->low;
		p->high = offset[k] > p->high ? offset[k] : p->high;
	}
	c->n_pattern++;
	c->by_offsets[h] = i + 1;
	return i;
}

uint32_t trace_pattern_of(struct trace_code *c, uint32_t mask, const int64_t offset[32])
{
	int32_t o[32] = {0};
	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		o[i] = (int32_t)offset[i];
		if (o[i] != offset[i])
			return UINT32_MAX;
	}
	return trace_pattern_intern(c, mask, o);
}

bool trace_header_check(struct trace_code *c, uint64_t *n_cta, uint32_t *n_warps, char *why, size_t n)
{
	const struct trace_header *h = &c->header;
	int g = sass_generation_of(h->binary_version);
	if (g < 0) {
		snprintf(why, n,
		         "binary version %u; expected one of Kepler to Blackwell: 30 to 37, 50 to 53, 60 to 62, 70, 72, 75, "
		         "80, 86, 87, 89, 90, "
		         "100, 103, 110, 120 or 121",
		         h->binary_version);
		return false;
	}
	c->generation = (enum sass_generation)g;
	uint64_t threads = 1;
	for (unsigned i = 0; i < 3; i++) {
		threads *= h->block[i] ? h->block[i] : 1;
		if (h->grid[i] && h->block[i] && threads <= TRACE_MAX_WARPS * 32)
			continue;
		snprintf(why, n, "grid (%u,%u,%u) and block (%u,%u,%u): expected no 0 and at most %d threads in a block",
		         h->grid[0], h->grid[1], h->grid[2], h->block[0], h->block[1], h->block[2], TRACE_MAX_WARPS * 32);
		return false;
	}
	uint64_t plane = (uint64_t)h->grid[0] * h->grid[1];
	if (plane > UINT64_MAX / 2 / h->grid[2]) {
		snprintf(why, n, "the grid (%u,%u,%u) is too large", h->grid[0], h->grid[1], h->grid[2]);
		return false;
	}
	*n_cta = plane * h->grid[2];
	*n_warps = (uint32_t)(threads + 31) / 32;
	return true;
}

void trace_note(struct trace_code *c, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	size_t n = strlen(text);
	c->notes = mem_realloc(c->notes, c->notes_len + n + 2);
	memcpy(c->notes + c->notes_len, text, n);
	memcpy(c->notes + c->notes_len + n, "\n", 2);
	c->notes_len += n + 1;
}
