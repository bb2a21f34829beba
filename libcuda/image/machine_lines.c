// Where machine code was written: rows of .debug_line, moved to where functions lie in an image.
#include "libcuda/image/machine_parts.h"

#include "base/mem.h"
#include "libcuda/image/debug_line.h"

#include <elf.h>
#include <stdlib.h>

// Reading of .debug_line: the code that the sequence is about, NULL: none.
struct liner {
	struct machine *m;
	struct elf64_section relocs;
	size_t at;       // in relocs: sequences stand in the same order
	struct machine_text *text;
	uint64_t moved;  // what a row's address is less than the pc
};

static bool reloc_of_line(struct liner *l, uint64_t offset, struct machine_reloc *r)
{
	size_t n = l->relocs.data ? (size_t)(l->relocs.size / (l->relocs.type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel))) : 0;
	for (size_t i = 0; i < n; i++)
		if (machine_reloc_at(&l->relocs, (l->at + i) % n, r) && r->offset == offset) {
			l->at = (l->at + i + 1) % n;
			return true;
		}
	return false;
}

static void line_start(void *ctx, uint64_t offset, uint64_t address)
{
	struct liner *l = ctx;
	struct machine_reloc r;
	struct elf64_symbol s;
	l->text = NULL;
	if (!reloc_of_line(l, offset, &r) || !elf64_symbol(&l->m->elf, &l->m->symbols, r.symbol, &s) ||
	    s.section >= l->m->elf.n_sections || !l->m->text_of[s.section])
		return;
	l->text = &l->m->text[l->m->text_of[s.section] - 1];
	l->moved = s.value + (r.addend_given ? (uint64_t)r.addend - address : 0);
}

static void line_row(void *ctx, uint64_t address, const char *file, uint32_t line)
{
	struct liner *l = ctx;
	struct sass_line_at at = {.pc = address + l->moved, .file = file, .line = line};
	if (l->text && at.pc <= l->text->size)
		VEC_PUSH(&l->text->line, at);
}

// What is wrong with line tables costs only lines.
static void read_lines(struct machine *m)
{
	struct liner l = {.m = m};
	struct elf64_section s;
	if (m->lines_read)
		return;
	m->lines_read = true;
	if (!elf64_find(&m->elf, ".debug_line", &s) || !s.data || !m->relocs[s.index] || m->more[m->relocs[s.index]])
		return;
	elf64_section(&m->elf, m->relocs[s.index], &l.relocs);
	struct debug_line r = {s.data, s.size, &m->arena, &l, line_start, line_row};
	debug_line_read(&r);
}

// A row and its number, so that those of one pc stay in order.
struct numbered {
	struct sass_line_at row;
	size_t n;
};

static int by_pc(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;
	return x->row.pc != y->row.pc ? (x->row.pc > y->row.pc) - (x->row.pc < y->row.pc) : (x->n > y->n) - (x->n < y->n);
}

static void sort_lines(struct sass_line_at *at, size_t n)
{
	struct numbered *all = mem_alloc((n + 1) * sizeof *all);
	for (size_t i = 0; i < n; i++)
		all[i] = (struct numbered){at[i], i};
	qsort(all, n, sizeof *all, by_pc);
	for (size_t i = 0; i < n; i++)
		at[i] = all[i].row;
	mem_free(all);
}

// Of rows with the same pc the last counts; an end counts only where nothing begins.
static size_t drop_doubles(struct sass_line_at *at, size_t n)
{
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		bool same = k && at[k - 1].pc == at[i].pc;
		if (same && !at[i].file && at[k - 1].file)
			continue;
		at[same ? k - 1 : k++] = at[i];
	}
	return k;
}

void machine_lines(struct machine *m, const bool *in, struct sass_image *out)
{
	size_t n = 0;
	read_lines(m);
	for (size_t i = 0; i < m->n_text; i++)
		n += in[i] ? m->text[i].line.n + 1 : 0;
	struct sass_line_at *at = ARENA_ARRAY(&m->arena, struct sass_line_at, n + 1);
	n = 0;
	for (size_t i = 0; i < m->n_text; i++) {
		if (!in[i] || !m->text[i].line.n)
			continue;
		for (size_t k = 0; k < m->text[i].line.n; k++, n++) {
			at[n] = m->text[i].line.at[k];
			at[n].pc += m->text[i].base;
		}
		at[n++] = (struct sass_line_at){.pc = m->text[i].base + m->text[i].size};
	}
	sort_lines(at, n);
	out->n_line = drop_doubles(at, n);
	out->line = at;
}
