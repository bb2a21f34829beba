#include "libcuda/image/machine.h"

#include "base/map.h"
#include "base/mem.h"
#include "libcuda/image/bytes.h"
#include "libcuda/image/debug_line.h"
#include "libcuda/image/elf64.h"
#include "libcuda/image/reloc.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	INST = 16,       // bytes of an instruction
	TEXT_ALIGN = 128, // of a function's code
	SECTION_OF_TEXT = 0xffffff, // sh_info of a section that belongs to another: its number, with registers above it in .text
	MOST_CODE = 1 << 28, // bytes of an image; the largest kernels that compilers make have some MB
};

// A section .text.NAME.
struct text {
	const char *name;
	const uint8_t *data;
	size_t section;
	uint64_t size;
	uint64_t base;     // pc in every image; of a kernel 0
	bool kernel;
	bool taken;        // a function whose address goes elsewhere than into a call
	uint32_t registers;
	bool frames;       // functions in it keep something on the stack
	VEC(struct sass_line_at) line; // by pc in the section, in the order of the file
};

struct machine {
	struct arena arena;
	const char *file;
	const struct cubin *cubin;
	struct machine_world world;
	struct elf64 elf;
	struct elf64_section symbols;
	size_t n_symbols;
	struct text *text;         // kernels and functions, in the order of the file
	size_t n_text;
	uint32_t *text_of;         // by section: number in `text` + 1
	uint32_t *relocs, *more;   // by section: the first section with its relocations, the next such one; 0: none
	uint32_t *external_of;     // by symbol: number + 1
	const struct builtin **external;
	const char **external_name;
	size_t n_external;
	const uint8_t *initial[N_VARIABLE_SECTIONS];
	uint64_t section_size[N_VARIABLE_SECTIONS];
	size_t section_of[N_VARIABLE_SECTIONS]; // 0: the file has none
	bool lines_read;
	struct map images;         // by name of the kernel: struct sass_image
};

// An image in the making.
struct build {
	struct machine *m;
	const struct text *kernel;
	struct diag *d;
	bool *in;       // by number in m->text
	uint8_t *code;
};

static const char *const variable_section_name[N_VARIABLE_SECTIONS] = {".nv.global", ".nv.global.init", ".nv.constant3"};

static const char *name_behind(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);
	return !strncmp(name, prefix, n) && name[n] ? name + n : NULL;
}

__attribute__((format(printf, 3, 4))) static bool wrong(const struct machine *m, struct diag *d, const char *fmt, ...)
{
	char why[600];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	diag_add(d, DIAG_ERROR, "%s: %s", m->file, why);
	return false;
}

uint32_t machine_param_base(unsigned arch)
{
	return arch < 70 ? 0 : arch < 90 ? 0x160 : arch < 100 ? 0x210 : 0x380;
}

// --- what there is

static bool read_texts(struct machine *m, struct diag *d)
{
	struct elf64_section s;
	size_t n = 0;
	for (size_t i = 1; elf64_section(&m->elf, i, &s); i++)
		n += name_behind(s.name, ".text.") != NULL;
	m->text = ARENA_ARRAY(&m->arena, struct text, n + 1);
	m->text_of = ARENA_ARRAY(&m->arena, uint32_t, m->elf.n_sections + 1);
	m->relocs = ARENA_ARRAY(&m->arena, uint32_t, m->elf.n_sections + 1);
	m->more = ARENA_ARRAY(&m->arena, uint32_t, m->elf.n_sections + 1);
	for (size_t i = 1; elf64_section(&m->elf, i, &s); i++) {
		const char *name = name_behind(s.name, ".text.");
		if (s.type == SHT_REL || s.type == SHT_RELA) {
			uint32_t target = s.info & SECTION_OF_TEXT;
			if (target >= m->elf.n_sections)
				return wrong(m, d, "section %s is about section %u, and there are %zu", s.name, target, m->elf.n_sections);
			m->more[i] = m->relocs[target];
			m->relocs[target] = (uint32_t)i;
		}
		if (!name)
			continue;
		const struct cubin_kernel *k = cubin_find(m->cubin, name);
		if (!s.data || !s.size || s.size % INST || s.size > MOST_CODE)
			return wrong(m, d, "section %s of %llu bytes is cut off, or is no code", s.name, (unsigned long long)s.size);
		struct text *t = &m->text[m->n_text++];
		*t = (struct text){.name = name, .data = s.data, .section = i, .size = s.size, .kernel = k != NULL,
		                   .registers = k ? k->registers : s.info >> 24};
		m->text_of[i] = (uint32_t)m->n_text;
	}
	return true;
}

static struct text *text_by_name(const struct machine *m, const char *name)
{
	for (size_t i = 0; i < m->n_text; i++)
		if (!strcmp(m->text[i].name, name))
			return &m->text[i];
	return NULL;
}

// Functions lie behind the longest kernel.
static bool place_functions(struct machine *m, struct diag *d)
{
	uint64_t at = 0, all = 0;
	for (size_t i = 0; i < m->n_text; i++)
		all += m->text[i].size;
	if (all > m->elf.size)
		return wrong(m, d, "its functions overlap: together they are larger than the file");
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
	return at <= MOST_CODE || wrong(m, d, "the functions in it are more than %u MB of code", MOST_CODE >> 20);
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
	struct elf64_symbol s;
	m->n_symbols = m->symbols.data ? m->symbols.size / sizeof(Elf64_Sym) : 0;
	m->external_of = ARENA_ARRAY(&m->arena, uint32_t, m->n_symbols + 1);
	m->external = ARENA_ARRAY(&m->arena, const struct builtin *, m->n_symbols + 1);
	m->external_name = ARENA_ARRAY(&m->arena, const char *, m->n_symbols + 1);
	for (size_t i = 1; i < m->n_symbols && elf64_symbol(&m->elf, &m->symbols, i, &s); i++) {
		bool absent = s.section == SHN_UNDEF && *s.name && s.type != STT_OBJECT;
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

// Registers of device functions, and which functions have frames, those within a kernel's code too; cubin_read has what concerns
// kernels.
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
		struct text *t = &m->text[m->text_of[symbol.section] - 1];
		uint32_t value = get32(r.data + 4);
		bool kernel = t->kernel && !strcmp(t->name, symbol.name);
		if (r.attribute == ATTR_REGCOUNT && !t->kernel)
			t->registers = value;
		if (r.attribute == ATTR_FRAME_SIZE && !kernel && value)
			t->frames = true;
	}
}

// --- relocations

struct reloc {
	uint64_t offset;
	uint32_t type, symbol;
	bool addend_given;
	int64_t addend;
};

// Relocation number i of a section with such; false past the end.
static bool reloc_at(const struct elf64_section *s, size_t i, struct reloc *out)
{
	bool rela = s->type == SHT_RELA;
	size_t size = rela ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
	if (!s->data || i >= s->size / size)
		return false;
	const uint8_t *p = s->data + i * size;
	*out = (struct reloc){.offset = get64(p), .type = (uint32_t)get64(p + 8), .symbol = (uint32_t)(get64(p + 8) >> 32),
	                      .addend_given = rela, .addend = rela ? (int64_t)get64(p + 16) : 0};
	return true;
}

// Calls `visit` for each relocation of a section; false if a call was.
static bool each_reloc(struct machine *m, size_t section, bool (*visit)(void *ctx, const char *section, const struct reloc *r), void *ctx)
{
	struct elf64_section s;
	struct reloc r;
	for (uint32_t at = m->relocs[section]; at && elf64_section(&m->elf, at, &s); at = m->more[at])
		for (size_t i = 0; reloc_at(&s, i, &r); i++)
			if (!visit(ctx, s.name, &r))
				return false;
	return true;
}

// The function that a relocation is about, NULL if it is about something else or the simulator answers for it.
static struct text *function_of(const struct machine *m, const struct reloc *r)
{
	struct elf64_symbol s;
	if (!elf64_symbol(&m->elf, &m->symbols, r->symbol, &s) || s.section >= m->elf.n_sections || !m->text_of[s.section] ||
	    (r->symbol < m->n_symbols && m->external_of[r->symbol]))
		return NULL;
	struct text *t = &m->text[m->text_of[s.section] - 1];
	return t->kernel ? NULL : t;
}

// Part of finding functions whose address is taken: of code, `ctx` is its text; a place inside itself is where a call returns to.
struct taker {
	struct machine *m;
	const struct text *own;
};

static bool take_address(void *ctx, const char *section, const struct reloc *r)
{
	const struct taker *by = ctx;
	const struct reloc_type *type = reloc_find(r->type);
	struct text *t = type ? function_of(by->m, r) : NULL;
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
			each_reloc(m, i, take_address, &by);
	}
}

static bool variable_value(struct machine *m, const struct elf64_symbol *s, enum variable_section k, uint64_t *value)
{
	struct variable_place at = {.name = s->type == STT_SECTION ? "" : s->name, .section = k, .offset = s->value, .size = s->size};
	*value = s->value <= m->section_size[k] && m->world.variable ? m->world.variable(m->world.ctx, &at) : 0;
	return *value != 0;
}

// What a symbol stands for. `kernel`: the kernel of the image, NULL in data.
static bool symbol_value(struct machine *m, uint32_t number, const struct reloc_type *type, const struct text *kernel, uint64_t *value,
                         struct diag *d)
{
	struct elf64_symbol s;
	if (!elf64_symbol(&m->elf, &m->symbols, number, &s))
		return wrong(m, d, "a relocation is about symbol %u, and there are %zu", number, m->n_symbols);
	*value = 0;
	if (!number)
		return true;
	if (number < m->n_symbols && m->external_of[number]) {
		*value = sass_external_address(m->external_of[number] - 1);
		return true;
	}
	for (unsigned k = 0; k < N_VARIABLE_SECTIONS; k++)
		if (s.section && s.section == m->section_of[k])
			return variable_value(m, &s, k, value) || wrong(m, d, "variable %s is nowhere in the program", s.name);
	const struct text *t = s.section < m->elf.n_sections && m->text_of[s.section] ? &m->text[m->text_of[s.section] - 1] : NULL;
	if (!t)
		return wrong(m, d, "%s is no function and no variable that a program can have the address of", *s.name ? s.name : "a symbol");
	if (!t->kernel || (t == kernel && !type->kernel)) {
		*value = t->base + s.value;
		return true;
	}
	*value = m->world.kernel ? m->world.kernel(m->world.ctx, t->name) : 0;
	return *value || wrong(m, d, "the address of kernel %s is taken, and the program does not have it", t->name);
}

struct patch {
	struct machine *m;
	const struct text *kernel; // of the image; NULL in data
	bool code;
	uint8_t *to;
	uint64_t size;
	struct diag *d;
};

static bool apply(void *ctx, const char *section, const struct reloc *r)
{
	const struct patch *p = ctx;
	struct machine *m = p->m;
	const struct reloc_type *type = reloc_find(r->type);
	uint64_t value, there;
	if (!r->type)
		return true;
	if (!type || type->code != p->code)
		return wrong(m, p->d, "section %s has a relocation of type %u%s%s%s, which Heddle cannot carry out there", section, r->type,
		             type ? " (" : "", type ? type->name : "", type ? ")" : "");
	if (r->offset > p->size || type->size > p->size - r->offset || (p->code && r->offset % INST))
		return wrong(m, p->d, "section %s relocates byte 0x%llx of %llu", section, (unsigned long long)r->offset,
		             (unsigned long long)p->size);
	if (!symbol_value(m, r->symbol, type, p->kernel, &value, p->d))
		return false;
	bool whole = reloc_addend(type, p->to + r->offset, &there);
	if (!r->addend_given && !whole)
		return wrong(m, p->d, "section %s relocates byte 0x%llx, where 0x%llx stands already", section, (unsigned long long)r->offset,
		             (unsigned long long)there);
	value += r->addend_given ? (uint64_t)r->addend : there;
	return reloc_put(type, p->to + r->offset, value) ||
	       wrong(m, p->d, "section %s: 0x%llx is too large for byte 0x%llx (%s)", section, (unsigned long long)value,
	             (unsigned long long)r->offset, type->name);
}

// --- images

// Adds the functions that code calls, and those that these call.
static bool add_called(void *ctx, const char *section, const struct reloc *r)
{
	struct build *b = ctx;
	struct text *t = function_of(b->m, r);
	if (t)
		b->in[t - b->m->text] = true;
	return true;
}

// False while there are functions whose own calls have not been looked at.
static bool add_all_called(struct build *b, bool *looked)
{
	bool done = true;
	for (size_t i = 0; i < b->m->n_text; i++)
		if (b->in[i] && !looked[i]) {
			looked[i] = true;
			done = false;
			each_reloc(b->m, b->m->text[i].section, add_called, b);
		}
	return done;
}

static void choose_functions(struct build *b)
{
	struct machine *m = b->m;
	bool *looked = mem_alloc(m->n_text + 1);
	for (size_t i = 0; i < m->n_text; i++)
		b->in[i] = &m->text[i] == b->kernel || m->text[i].taken;
	while (!add_all_called(b, looked))
		;
	mem_free(looked);
}

// What stands between functions: a trap, for whoever comes there by a wrong address.
static void fill_gap(uint8_t *code, uint64_t size)
{
	static const uint64_t bpt_trap[2] = {0x000000040000795c, 0x000fea0000300000};
	for (uint64_t at = 0; at < size; at += INST)
		memcpy(code + at, bpt_trap, INST);
}

static bool fill_code(struct build *b, struct sass_image *out)
{
	struct machine *m = b->m;
	uint64_t size = b->kernel->size;
	size_t n = 0;
	for (size_t i = 0; i < m->n_text; i++)
		if (b->in[i]) {
			n++;
			if (m->text[i].base + m->text[i].size > size)
				size = m->text[i].base + m->text[i].size;
		}
	b->code = arena_alloc(&m->arena, size);
	fill_gap(b->code, size);
	struct sass_part *part = ARENA_ARRAY(&m->arena, struct sass_part, n);
	size_t k = 0;
	part[k++] = (struct sass_part){b->kernel->name, 0, b->kernel->size};
	for (size_t i = 0; i < m->n_text; i++) {
		const struct text *t = &m->text[i];
		if (!b->in[i])
			continue;
		memcpy(b->code + t->base, t->data, t->size);
		struct patch p = {m, b->kernel, true, b->code + t->base, t->size, b->d};
		if (!each_reloc(m, t->section, apply, &p))
			return false;
		if (t != b->kernel)
			part[k++] = (struct sass_part){t->name, t->base, t->size};
		if (t->registers > out->registers)
			out->registers = t->registers;
	}
	out->code = b->code;
	out->size = size;
	out->part = part;
	out->n_part = n;
	return true;
}

static bool fill_bank(struct build *b, const struct elf64_section *s, unsigned bank, struct sass_image *out)
{
	struct machine *m = b->m;
	if (!s->data || s->size > UINT32_MAX)
		return wrong(m, b->d, "section %s of %llu bytes is cut off", s->name, (unsigned long long)s->size);
	uint8_t *to = arena_alloc(&m->arena, s->size + 1);
	memcpy(to, s->data, s->size);
	struct patch p = {m, b->kernel, false, to, s->size, b->d};
	if (!each_reloc(m, s->index, apply, &p))
		return false;
	out->bank[bank].data = to;
	out->bank[bank].size = (uint32_t)s->size;
	return true;
}

// Bank 3 is the device memory of the module's variables.
static bool fill_bank_3(struct build *b, struct sass_image *out)
{
	struct machine *m = b->m;
	struct variable_place start = {.name = "", .section = SECTION_CONST};
	uint64_t at = m->section_size[SECTION_CONST] && m->world.variable ? m->world.variable(m->world.ctx, &start) : 0;
	out->bank[BANK_CONST].data = (const uint8_t *)(uintptr_t)at;
	out->bank[BANK_CONST].size = at ? (uint32_t)m->section_size[SECTION_CONST] : 0;
	return at || !m->section_size[SECTION_CONST] ||
	       wrong(m, b->d, "its __constant__ variables do not lie in one place, so that machine code cannot find them");
}

// The launch makes bank 0; what a program has behind its parameters there are handles of texture and surface references (CUDA 11
// and before), four bytes each.
struct references {
	struct build *b;
	const struct cubin_kernel *k;
	struct sass_image *out;
	VEC(struct sass_texture) at;
};

static bool add_reference(void *ctx, const char *section, const struct reloc *r)
{
	enum { STT_CUDA_TEXTURE = 10, R_CUDA_TEX_HEADER_INDEX = 6, HANDLE = 4 };
	struct references *all = ctx;
	struct machine *m = all->b->m;
	struct diag *d = all->b->d;
	struct elf64_symbol s;
	uint32_t first = all->out->param_base + all->k->param_bytes, end = all->k->machine.bank[BANK_PARAMS];
	bool known = elf64_symbol(&m->elf, &m->symbols, r->symbol, &s);
	if (!known || s.type != STT_CUDA_TEXTURE || r->type != R_CUDA_TEX_HEADER_INDEX)
		return wrong(m, d, "kernel %s uses the surface reference %s, which machine code cannot do here", all->k->name, known ? s.name : "?");
	if (r->offset < first || r->offset % HANDLE || r->offset >= end || end - r->offset < HANDLE)
		return wrong(m, d, "section %s has the handle of texture reference %s at 0x%llx, which is not behind the parameters", section, s.name,
		             (unsigned long long)r->offset);
	struct sass_texture t = {(uint32_t)r->offset, m->world.texture ? m->world.texture(m->world.ctx, s.name) : 0};
	if (!t.handle)
		return wrong(m, d, "kernel %s uses the texture reference %s, which the program does not have", all->k->name, s.name);
	VEC_PUSH(&all->at, t);
	if (all->out->bank[BANK_PARAMS].size < t.at + HANDLE)
		all->out->bank[BANK_PARAMS].size = t.at + HANDLE;
	return true;
}

static bool fill_references(struct build *b, const struct cubin_kernel *k, size_t section, struct sass_image *out)
{
	struct references all = {.b = b, .k = k, .out = out};
	bool ok = each_reloc(b->m, section, add_reference, &all);
	struct sass_texture *to = ARENA_ARRAY(&b->m->arena, struct sass_texture, all.at.n + 1);
	if (all.at.n)
		memcpy(to, all.at.at, all.at.n * sizeof *to);
	out->texture = to;
	out->n_texture = all.at.n;
	VEC_FREE(&all.at);
	return ok;
}

static bool fill_banks(struct build *b, const struct cubin_kernel *k, struct sass_image *out)
{
	struct machine *m = b->m;
	struct elf64_section s;
	for (size_t i = 1; elf64_section(&m->elf, i, &s); i++) {
		const char *name = name_behind(s.name, ".nv.constant");
		unsigned bank = name ? (unsigned)*name - '0' : KERNEL_BANKS;
		if (bank >= KERNEL_BANKS || bank == BANK_CONST)
			continue;
		bool own = name[1] == '.' && !strcmp(name + 2, b->kernel->name);
		if (bank == BANK_PARAMS && own && !fill_references(b, k, i, out))
			return false;
		if (bank == BANK_PARAMS)
			continue;
		if ((own || !name[1]) && !fill_bank(b, &s, bank, out))
			return false;
	}
	return fill_bank_3(b, out);
}

// Parameters begin where machine code of its generation expects them, and the bank ends behind them.
static bool check_params(struct build *b, const struct cubin_kernel *k, struct sass_image *out)
{
	uint32_t first = machine_param_base(out->arch);
	// Up to Ada a kernel with much more than 4096 bytes has them elsewhere, and tells where.
	uint32_t base = k->machine.param_base ? k->machine.param_base : first;
	out->param_base = base;
	out->bank[BANK_PARAMS].size = (base + k->param_bytes + 7) & ~7u; // code reads whole words
	if (!first)
		return wrong(b->m, b->d, "it is machine code for sm_%u; Heddle runs sm_70 and later", out->arch);
	if (base < first)
		return wrong(b->m, b->d, "kernel %s has its parameters at 0x%x of constant bank 0, where code for sm_%u has its launch's figures",
		             k->name, base, out->arch);
	if (k->machine.bank[BANK_PARAMS] < base + k->param_bytes)
		return wrong(b->m, b->d, "kernel %s has %u bytes of parameters at 0x%x of constant bank 0, which has %u", k->name, k->param_bytes,
		             base, k->machine.bank[BANK_PARAMS]);
	for (unsigned i = 0; i < k->n_params; i++)
		if (k->param[i].offset > k->param_bytes || k->param[i].size > k->param_bytes - k->param[i].offset)
			return wrong(b->m, b->d, "parameter %u of kernel %s has %u bytes at %u, and all together are %u", i + 1, k->name,
			             k->param[i].size, k->param[i].offset, k->param_bytes);
	return true;
}

static bool inside(const struct text *t, uint32_t pc) { return pc < t->size && pc % INST == 0; }

// {offset, 0, n, n targets} again and again.
static bool check_targets(struct build *b, const struct text *t, const struct cubin_record *r)
{
	for (size_t at = 0; r->len - at >= 12;) {
		uint32_t n = get32(r->data + at + 8);
		bool ok = inside(t, get32(r->data + at)) && n <= (r->len - at - 12) / 4;
		for (uint32_t i = 0; ok && i < n; i++)
			ok = inside(t, get32(r->data + at + 12 + i * 4));
		if (!ok)
			return wrong(b->m, b->d, "the targets of branches that .nv.info.%s lists lie outside its code", t->name);
		at += 12 + (size_t)n * 4;
	}
	return true;
}

// --- lines

// Reading of .debug_line: the code that the sequence is about, NULL: none.
struct liner {
	struct machine *m;
	struct elf64_section relocs;
	size_t at;       // in relocs: sequences stand in the same order
	struct text *text;
	uint64_t moved;  // what a row's address is less than the pc
};

static bool reloc_of_line(struct liner *l, uint64_t offset, struct reloc *r)
{
	size_t n = l->relocs.data ? (size_t)(l->relocs.size / (l->relocs.type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel))) : 0;
	for (size_t i = 0; i < n; i++)
		if (reloc_at(&l->relocs, (l->at + i) % n, r) && r->offset == offset) {
			l->at = (l->at + i + 1) % n;
			return true;
		}
	return false;
}

static void line_start(void *ctx, uint64_t offset, uint64_t address)
{
	struct liner *l = ctx;
	struct reloc r;
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

static void fill_lines(struct build *b, struct sass_image *out)
{
	struct machine *m = b->m;
	size_t n = 0;
	read_lines(m);
	for (size_t i = 0; i < m->n_text; i++)
		n += b->in[i] ? m->text[i].line.n + 1 : 0;
	struct sass_line_at *at = ARENA_ARRAY(&m->arena, struct sass_line_at, n + 1);
	n = 0;
	for (size_t i = 0; i < m->n_text; i++) {
		if (!b->in[i] || !m->text[i].line.n)
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

struct pcs {
	VEC(uint32_t) at;
};

static bool read_text_info(struct build *b, const struct text *t, const struct elf64_section *s, struct pcs *exits)
{
	if (!s->data)
		return wrong(b->m, b->d, "section %s is cut off", s->name);
	struct cubin_info info = {.data = s->data, .size = s->size};
	struct cubin_record r;
	while (cubin_info_next(&info, &r)) {
		if (r.attribute == ATTR_BRANCH_TARGETS && !check_targets(b, t, &r))
			return false;
		for (size_t i = 0; r.attribute == ATTR_EXIT_OFFSETS && r.len - i >= 4; i += 4) {
			uint32_t pc = get32(r.data + i);
			if (!inside(t, pc))
				return wrong(b->m, b->d, "section %s has an EXIT at 0x%x, outside the code", s->name, pc);
			VEC_PUSH(&exits->at, (uint32_t)t->base + pc);
		}
	}
	return !info.damaged || wrong(b->m, b->d, "section %s is damaged", s->name);
}

static bool read_infos(struct build *b, struct sass_image *out)
{
	struct machine *m = b->m;
	struct elf64_section s;
	struct pcs exits = {0};
	bool ok = true;
	for (size_t i = 1; ok && elf64_section(&m->elf, i, &s); i++) {
		const char *name = name_behind(s.name, ".nv.info.");
		uint32_t number = name && (s.info & SECTION_OF_TEXT) < m->elf.n_sections ? m->text_of[s.info & SECTION_OF_TEXT] : 0;
		if (number && b->in[number - 1])
			ok = read_text_info(b, &m->text[number - 1], &s, &exits);
	}
	uint32_t *pc = ARENA_ARRAY(&m->arena, uint32_t, exits.at.n + 1);
	if (exits.at.n)
		memcpy(pc, exits.at.at, exits.at.n * sizeof *pc);
	out->exit = pc;
	out->n_exit = exits.at.n;
	VEC_FREE(&exits.at);
	return ok;
}

// The compiler's figure leaves out functions that recurse or are called by address.
static void fill_stack(struct build *b, const struct cubin_kernel *k, struct sass_image *out)
{
	out->local = k->machine.stack;
	out->local_known = k->stack_known;
	for (size_t i = 0; i < b->m->n_text; i++)
		if (b->in[i] && b->m->text[i].frames)
			out->local_known = false;
}

static bool build(struct build *b, const struct cubin_kernel *k, struct sass_image *out)
{
	struct machine *m = b->m;
	*out = (struct sass_image){
	        .name = k->name,
	        .file = m->file,
	        .arch = m->cubin->arch,
	        .shared_reserved = k->reserved_shared,
	        .shared = k->machine.shared,
	        .external = m->external,
	        .external_name = m->external_name,
	        .n_external = m->n_external,
	};
	choose_functions(b);
	fill_stack(b, k, out);
	fill_lines(b, out);
	return check_params(b, k, out) && fill_code(b, out) && fill_banks(b, k, out) && read_infos(b, out);
}

const struct sass_image *machine_image(struct machine *m, const char *kernel, struct diag *d)
{
	size_t len = strlen(kernel);
	struct sass_image *image = map_get(&m->images, kernel, len);
	if (image)
		return image;
	const struct cubin_kernel *k = cubin_find(m->cubin, kernel);
	struct text *t = k ? text_by_name(m, kernel) : NULL;
	if (!t) {
		wrong(m, d, "it has no code of a kernel %s", kernel);
		return NULL;
	}
	struct build b = {.m = m, .kernel = t, .d = d, .in = mem_alloc(m->n_text + 1)};
	image = ARENA_NEW(&m->arena, struct sass_image);
	bool ok = build(&b, k, image);
	mem_free(b.in);
	if (ok)
		map_put(&m->images, k->name, strlen(k->name), image);
	return ok ? image : NULL;
}

// --- the whole

static bool read_file(struct machine *m, const void *data, size_t size, struct diag *d)
{
	const char *why = elf64_open(&m->elf, data, size);
	if (why || m->elf.machine != EM_CUDA)
		return wrong(m, d, "the machine code is %s", why ? why : "an ELF file for another machine");
	if (m->elf.type == ET_REL)
		return wrong(m, d, "it is an object that is to be linked (nvcc -dc); link it with nvcc -dlink");
	elf64_find_type(&m->elf, SHT_SYMTAB, &m->symbols);
	read_variable_sections(m);
	if (!read_texts(m, d) || !place_functions(m, d))
		return false;
	number_externals(m);
	read_functions(m);
	find_taken(m);
	return true;
}

struct machine *machine_new(const void *data, size_t size, const struct cubin *c, const char *file, const struct machine_world *world,
                            struct diag *d)
{
	struct machine *m = MEM_NEW(struct machine);
	m->cubin = c;
	m->file = file;
	m->world = *world;
	if (read_file(m, data, size, d))
		return m;
	machine_free(m);
	return NULL;
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n_text; i++)
		VEC_FREE(&m->text[i].line);
	map_free(&m->images);
	arena_free(&m->arena);
	mem_free(m);
}

bool machine_function(const struct machine *m, const char *name, uint64_t *pc)
{
	const struct text *t = text_by_name(m, name);
	if (!t || t->kernel)
		return false;
	*pc = t->base;
	return true;
}

const uint8_t *machine_initial(const struct machine *m, enum variable_section s) { return m->initial[s]; }

bool machine_fill(struct machine *m, enum variable_section s, uint8_t *to, struct diag *d)
{
	struct patch p = {m, NULL, false, to, m->section_size[s], d};
	return !m->section_of[s] || each_reloc(m, m->section_of[s], apply, &p);
}
