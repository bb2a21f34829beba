// What a file of machine code has: functions and where they lie in images, what symbols stand for, relocations carried out.
#include "libcuda/image/machine_parts.h"

#include "base/mem.h"
#include "libcuda/image/bytes.h"
#include "libcuda/image/reloc.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>

enum {
	TEXT_ALIGN = 128,    // of a function's code
	MOST_CODE = 1 << 28, // bytes of an image; the largest kernels that compilers make have some MB
};

static const char *const variable_section_name[N_VARIABLE_SECTIONS] = {".nv.global", ".nv.global.init", ".nv.constant3"};

const char *machine_name_behind(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);
	return !strncmp(name, prefix, n) && name[n] ? name + n : NULL;
}

bool machine_wrong(const struct machine *m, struct diag *d, const char *fmt, ...)
{
	char why[600];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	diag_add(d, DIAG_ERROR, "%s: %s", m->file, why);
	return false;
}

// --- what there is

static bool read_texts(struct machine *m, struct diag *d)
{
	struct elf64_section s;
	size_t n = 0;
	for (size_t i = 1; elf64_section(&m->elf, i, &s); i++)
		n += machine_name_behind(s.name, ".text.") != NULL;
	m->text = ARENA_ARRAY(&m->arena, struct machine_text, n + 1);
	m->text_of = ARENA_ARRAY(&m->arena, uint32_t, m->elf.n_sections + 1);
	m->relocs = ARENA_ARRAY(&m->arena, uint32_t, m->elf.n_sections + 1);
	m->more = ARENA_ARRAY(&m->arena, uint32_t, m->elf.n_sections + 1);
	for (size_t i = 1; elf64_section(&m->elf, i, &s); i++) {
		const char *name = machine_name_behind(s.name, ".text.");
		if (s.type == SHT_REL || s.type == SHT_RELA) {
			uint32_t target = s.info & MACHINE_SECTION;
			if (target >= m->elf.n_sections)
				return machine_wrong(m, d, "section %s is about section %u, and there are %zu", s.name, target, m->elf.n_sections);
			m->more[i] = m->relocs[target];
			m->relocs[target] = (uint32_t)i;
		}
		if (!name)
			continue;
		const struct cubin_kernel *k = cubin_find(m->cubin, name);
		if (!s.data || !s.size || s.size % MACHINE_INST || s.size > MOST_CODE)
			return machine_wrong(m, d, "section %s of %llu bytes is cut off, or is no code", s.name, (unsigned long long)s.size);
		struct machine_text *t = &m->text[m->n_text++];
		*t = (struct machine_text){.name = name, .data = s.data, .section = i, .size = s.size, .kernel = k != NULL,
		                   .registers = k ? k->registers : s.info >> 24};
		m->text_of[i] = (uint32_t)m->n_text;
	}
	return true;
}

// Functions lie behind the longest kernel.
static bool place_functions(struct machine *m, struct diag *d)
{
	uint64_t at = 0, all = 0;
	for (size_t i = 0; i < m->n_text; i++)
		all += m->text[i].size;
	if (all > m->elf.size)
		return machine_wrong(m, d, "its functions overlap: together they are larger than the file");
	for (size_t i = 0; i < m->n_text; i++)
		if (m->text[i].kernel && m->text[i].size > at)
			at = m->text[i].size;
	for (size_t i = 0; i < m->n_text; i++) {
		if (m->text[i].kernel)
			continue;
		at = (at + TEXT_ALIGN - 1) / TEXT_ALIGN * TEXT_ALIGN;
		m->text[i].base = at;
		at += m->text[i].size;
	}
	return at <= MOST_CODE || machine_wrong(m, d, "the functions in it are more than %u MB of code", MOST_CODE >> 20);
}

static void read_variable_sections(struct machine *m)
{
	for (unsigned k = 0; k < N_VARIABLE_SECTIONS; k++) {
		struct elf64_section s;
		if (!elf64_find(&m->elf, variable_section_name[k], &s))
			continue;
		m->section_of[k] = s.index;
		m->section_size[k] = s.size;
		m->initial[k] = s.data;
	}
}

// What the simulator answers itself: functions that are not there, and those that stand for something of the system.
static void number_externals(struct machine *m)
{
	enum { STT_CUDA_OBJECT = 13 };
	struct elf64_symbol s;
	m->n_symbols = m->symbols.data ? m->symbols.size / sizeof(Elf64_Sym) : 0;
	m->external_of = ARENA_ARRAY(&m->arena, uint32_t, m->n_symbols + 1);
	m->external = ARENA_ARRAY(&m->arena, const struct builtin *, m->n_symbols + 1);
	m->external_name = ARENA_ARRAY(&m->arena, const char *, m->n_symbols + 1);
	for (size_t i = 1; i < m->n_symbols && elf64_symbol(&m->elf, &m->symbols, i, &s); i++) {
		// What the system has of shared memory is of the latter type from sm_100 on.
		bool absent = s.section == SHN_UNDEF && *s.name && s.type != STT_OBJECT && s.type != STT_CUDA_OBJECT;
		if (!absent && !(s.type == STT_FUNC && !cubin_find(m->cubin, s.name)))
			continue;
		const struct builtin *b = m->world.builtin ? m->world.builtin(s.name) : NULL;
		if (!absent && !(b && b->always))
			continue;
		m->external[m->n_external] = b;
		m->external_name[m->n_external++] = s.name;
		m->external_of[i] = (uint32_t)m->n_external;
	}
}

// Registers of device functions; cubin_read has what concerns kernels.
static void read_functions(struct machine *m)
{
	struct elf64_section s;
	struct elf64_symbol symbol;
	if (!elf64_find(&m->elf, ".nv.info", &s) || !s.data)
		return;
	struct cubin_info info = {.data = s.data, .size = s.size};
	struct cubin_record r;
	while (cubin_info_next(&info, &r)) {
		if (r.len < 8 || !elf64_symbol(&m->elf, &m->symbols, get32(r.data), &symbol) || symbol.section >= m->elf.n_sections ||
		    !m->text_of[symbol.section])
			continue;
		struct machine_text *t = &m->text[m->text_of[symbol.section] - 1];
		uint32_t value = get32(r.data + 4);
		if (r.attribute == ATTR_REGCOUNT && !t->kernel)
			t->registers = value;
	}
}

// --- relocations

bool machine_reloc_at(const struct elf64_section *s, size_t i, struct machine_reloc *out)
{
	bool rela = s->type == SHT_RELA;
	size_t size = rela ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
	if (!s->data || i >= s->size / size)
		return false;
	const uint8_t *p = s->data + i * size;
	*out = (struct machine_reloc){.offset = get64(p), .type = (uint32_t)get64(p + 8), .symbol = (uint32_t)(get64(p + 8) >> 32),
	                      .addend_given = rela, .addend = rela ? (int64_t)get64(p + 16) : 0};
	return true;
}

bool machine_each_reloc(struct machine *m, size_t section, machine_visit *visit, void *ctx)
{
	struct elf64_section s;
	struct machine_reloc r;
	for (uint32_t at = m->relocs[section]; at && elf64_section(&m->elf, at, &s); at = m->more[at])
		for (size_t i = 0; machine_reloc_at(&s, i, &r); i++)
			if (!visit(ctx, s.name, &r))
				return false;
	return true;
}

struct machine_text *machine_function_of(const struct machine *m, const struct machine_reloc *r)
{
	struct elf64_symbol s;
	if (!elf64_symbol(&m->elf, &m->symbols, r->symbol, &s) || s.section >= m->elf.n_sections || !m->text_of[s.section] ||
	    (r->symbol < m->n_symbols && m->external_of[r->symbol]))
		return NULL;
	struct machine_text *t = &m->text[m->text_of[s.section] - 1];
	return t->kernel ? NULL : t;
}

// Part of finding functions whose address is taken: of code, `ctx` is its text; a place inside itself is where a call returns to.
struct taker {
	struct machine *m;
	const struct machine_text *own;
};

static bool take_address(void *ctx, const char *section, const struct machine_reloc *r)
{
	const struct taker *by = ctx;
	const struct reloc_type *type = reloc_find(r->type);
	struct machine_text *t = type ? machine_function_of(by->m, r) : NULL;
	bool call = type && type->code && !type->part && !type->kernel;
	if (t && !call && !(t == by->own && r->addend))
		t->taken = true;
	return true;
}

static void find_taken(struct machine *m)
{
	struct elf64_section s;
	for (size_t i = 1; elf64_section(&m->elf, i, &s); i++) {
		struct taker by = {m, m->text_of[i] ? &m->text[m->text_of[i] - 1] : NULL};
		if (strncmp(s.name, ".debug", 6) && strncmp(s.name, ".nv_debug", 9))
			machine_each_reloc(m, i, take_address, &by);
	}
}

static bool variable_value(struct machine *m, const struct elf64_symbol *s, enum variable_section k, uint64_t *value)
{
	struct variable_place at = {.name = s->type == STT_SECTION ? "" : s->name, .section = k, .offset = s->value, .size = s->size};
	*value = s->value <= m->section_size[k] && m->world.variable ? m->world.variable(m->world.ctx, &at) : 0;
	return *value != 0;
}

// What a symbol stands for. `kernel`: the kernel of the image, NULL in data.
static bool symbol_value(struct machine *m, uint32_t number, const struct reloc_type *type, const struct machine_text *kernel, uint64_t *value,
                         struct diag *d)
{
	struct elf64_symbol s;
	if (!elf64_symbol(&m->elf, &m->symbols, number, &s))
		return machine_wrong(m, d, "a relocation is about symbol %u, and there are %zu", number, m->n_symbols);
	*value = 0;
	if (!number)
		return true;
	if (number < m->n_symbols && m->external_of[number]) {
		*value = sass_external_address(m->external_of[number] - 1);
		return true;
	}
	for (unsigned k = 0; k < N_VARIABLE_SECTIONS; k++)
		if (s.section && s.section == m->section_of[k])
			return variable_value(m, &s, k, value) || machine_wrong(m, d, "variable %s is nowhere in the program", s.name);
	const struct machine_text *t = s.section < m->elf.n_sections && m->text_of[s.section] ? &m->text[m->text_of[s.section] - 1] : NULL;
	if (!t)
		return machine_wrong(m, d, "%s is no function and no variable that a program can have the address of", *s.name ? s.name : "a symbol");
	if (!t->kernel || (t == kernel && !type->kernel)) {
		*value = t->base + s.value;
		return true;
	}
	*value = m->world.kernel ? m->world.kernel(m->world.ctx, t->name) : 0;
	return *value || machine_wrong(m, d, "the address of kernel %s is taken, and the program does not have it", t->name);
}

struct patching {
	struct machine *m;
	struct machine_patch to;
	struct diag *d;
};

static bool apply(void *ctx, const char *section, const struct machine_reloc *r)
{
	const struct patching *by = ctx;
	const struct machine_patch *p = &by->to;
	struct machine *m = by->m;
	struct diag *d = by->d;
	const struct reloc_type *type = reloc_find(r->type);
	uint64_t value, there;
	if (!r->type)
		return true;
	if (!type || type->code != p->code)
		return machine_wrong(m, d, "section %s has a relocation of type %u%s%s%s, which Heddle cannot carry out there", section, r->type,
		             type ? " (" : "", type ? type->name : "", type ? ")" : "");
	if (r->offset > p->size || type->size > p->size - r->offset || (p->code && r->offset % MACHINE_INST))
		return machine_wrong(m, d, "section %s relocates byte 0x%llx of %llu", section, (unsigned long long)r->offset,
		             (unsigned long long)p->size);
	if (!symbol_value(m, r->symbol, type, p->kernel, &value, d))
		return false;
	bool whole = reloc_addend(type, p->to + r->offset, &there);
	if (!r->addend_given && !whole)
		return machine_wrong(m, d, "section %s relocates byte 0x%llx, where 0x%llx stands already", section, (unsigned long long)r->offset,
		             (unsigned long long)there);
	value += r->addend_given ? (uint64_t)r->addend : there;
	return reloc_put(type, p->to + r->offset, value) ||
	       machine_wrong(m, d, "section %s: 0x%llx is too large for byte 0x%llx (%s)", section, (unsigned long long)value,
	             (unsigned long long)r->offset, type->name);
}

bool machine_patch(struct machine *m, size_t section, struct machine_patch p, struct diag *d)
{
	struct patching by = {m, p, d};
	return machine_each_reloc(m, section, apply, &by);
}

// --- the whole

bool machine_read(struct machine *m, const void *data, size_t size, struct diag *d)
{
	const char *why = elf64_open(&m->elf, data, size);
	if (why || m->elf.machine != EM_CUDA)
		return machine_wrong(m, d, "the machine code is %s", why ? why : "an ELF file for another machine");
	if (m->elf.type == ET_REL)
		return machine_wrong(m, d, "it is an object that is to be linked (nvcc -dc); link it with nvcc -dlink");
	elf64_find_type(&m->elf, SHT_SYMTAB, &m->symbols);
	read_variable_sections(m);
	if (!read_texts(m, d) || !place_functions(m, d))
		return false;
	number_externals(m);
	read_functions(m);
	find_taken(m);
	return true;
}
