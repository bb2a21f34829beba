// The file format of cubins, as CUDA 13's ptxas writes it.
#include "base/map.h"
#include "cuda-sim/sass/machine/encoding.h"
#include "libcuda/image/bytes.h"
#include "libcuda/image/cubin.h"
#include "libcuda/image/cubin_parts.h"
#include "libcuda/image/cubin_uses.h"

#include <elf.h>
#include <string.h>

enum {
	SHF_CUDA_NOTE = 0x1000000, NOTE_CUDA_INFO = 1000, CUDA_RELEASE = 130,
	SHT_CUDA_INFO = 0x70000000, SHT_CUDA_CALLGRAPH = 0x70000001, SHT_CUDA_COMPAT = 0x70000086,
	STO_CUDA_ENTRY = 0x10,
	CODE_ALIGN = 128, DATA_ALIGN = 16,
	MAX_PARAM_BYTES_V1 = 4096,
};

struct bytes {
	VEC(uint8_t) b;
};

struct section {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, align, each;
	struct bytes content;
	uint64_t nobits; // size of one that has no bytes in the file
	uint64_t at;     // in the file
};

struct writer {
	const struct cubin_parts *c;
	struct arena arena;
	VEC(struct section) section;
	VEC(Elf64_Sym) symbol;
	struct map symbol_of;        // by name: number, never 0
	struct bytes strings;
	uint32_t symtab, strtab, first_global;
	uint32_t data[CUBIN_SECTIONS];
	struct sass_isa *isa;        // NULL: its instructions are not known
};

// The sections of one function; 0: it has none.
struct function_sections {
	uint32_t text, info, bank0, bank2, shared;
};

// --- bytes

static void put(struct bytes *b, const void *p, size_t n)
{
	VEC_RESERVE(&b->b, b->b.n + n);
	if (n)
		memcpy(b->b.at + b->b.n, p, n);
	b->b.n += n;
}

static void put32(struct bytes *b, uint32_t v) { put(b, &v, sizeof v); }

static void put_zeros(struct bytes *b, size_t n)
{
	VEC_RESERVE(&b->b, b->b.n + n);
	if (n)
		memset(b->b.at + b->b.n, 0, n);
	b->b.n += n;
}

static uint32_t put_string(struct bytes *b, const char *s)
{
	uint32_t at = (uint32_t)b->b.n;
	put(b, s, strlen(s) + 1);
	return at;
}

static void put_info(struct bytes *b, unsigned format, unsigned attr, unsigned value)
{
	uint8_t head[4] = {(uint8_t)format, (uint8_t)attr, (uint8_t)value, (uint8_t)(value >> 8)};
	put(b, head, sizeof head);
}

static void put_words(struct bytes *b, unsigned attr, const uint32_t *v, size_t n)
{
	put_info(b, INFO_SIZED, attr, (unsigned)(n * sizeof *v));
	put(b, v, n * sizeof *v);
}

// --- sections and symbols

static uint32_t add_section(struct writer *w, const char *name, uint32_t type, uint64_t flags, uint64_t align)
{
	struct section s = {.name = name, .type = type, .flags = flags, .align = align};
	VEC_PUSH(&w->section, s);
	return (uint32_t)w->section.n - 1;
}

static uint32_t add_symbol(struct writer *w, const char *name, unsigned info, unsigned other, uint32_t section, uint64_t value, uint64_t size)
{
	Elf64_Sym s = {.st_name = name ? put_string(&w->strings, name) : 0, .st_info = (unsigned char)info, .st_other = (unsigned char)other,
	               .st_shndx = (uint16_t)section, .st_value = value, .st_size = size};
	VEC_PUSH(&w->symbol, s);
	uint32_t number = (uint32_t)w->symbol.n - 1;
	if (name && !map_get(&w->symbol_of, name, strlen(name)))
		map_put(&w->symbol_of, name, strlen(name), (void *)(uintptr_t)number);
	return number;
}

static uint32_t symbol_named(struct writer *w, const char *name) { return (uint32_t)(uintptr_t)map_get(&w->symbol_of, name, strlen(name)); }

static struct function_sections *add_sections(struct writer *w)
{
	static const char *const names[] = {".nv.global", ".nv.global.init", ".nv.constant3", ".nv.constant4"};
	const struct cubin_parts *c = w->c;
	struct function_sections *of = ARENA_ARRAY(&w->arena, struct function_sections, c->function.n + 1);
	for (size_t i = 0; i < c->function.n; i++)
		of[i].info = add_section(w, arena_printf(&w->arena, ".nv.info.%s", c->function.at[i].name), SHT_CUDA_INFO, SHF_INFO_LINK, 4);
	for (unsigned k = CUBIN_BANK_3; k <= CUBIN_BANK_4; k++)
		if (c->data[k].size)
			w->data[k] = add_section(w, names[k], SHT_PROGBITS, SHF_ALLOC, k == CUBIN_BANK_4 ? 8 : 4);
	for (size_t i = 0; i < c->function.n; i++) {
		const struct cubin_function *f = &c->function.at[i];
		if (f->bank2.size)
			of[i].bank2 = add_section(w, arena_printf(&w->arena, ".nv.constant2.%s", f->name), SHT_PROGBITS, SHF_ALLOC | SHF_INFO_LINK, 8);
		if (f->kernel)
			of[i].bank0 = add_section(w, arena_printf(&w->arena, ".nv.constant0.%s", f->name), SHT_PROGBITS, SHF_ALLOC | SHF_INFO_LINK, 4);
	}
	for (size_t i = 0; i < c->function.n; i++)
		of[i].text = add_section(w, arena_printf(&w->arena, ".text.%s", c->function.at[i].name), SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, CODE_ALIGN);
	if (c->data[CUBIN_INIT].size)
		w->data[CUBIN_INIT] = add_section(w, names[CUBIN_INIT], SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, DATA_ALIGN);
	if (c->data[CUBIN_GLOBAL].size)
		w->data[CUBIN_GLOBAL] = add_section(w, names[CUBIN_GLOBAL], SHT_NOBITS, SHF_ALLOC | SHF_WRITE, DATA_ALIGN);
	for (size_t i = 0; i < c->function.n; i++) {
		const struct cubin_function *f = &c->function.at[i];
		if (f->kernel && (f->shared || cubin_reserved_shared(c->arch)))
			of[i].shared = add_section(w, arena_printf(&w->arena, ".nv.shared.%s", f->name), SHT_NOBITS,
			                           SHF_ALLOC | SHF_WRITE | SHF_INFO_LINK, DATA_ALIGN);
	}
	return of;
}

static void add_externals(struct writer *w, const struct cubin_fixup *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!symbol_named(w, x[i].symbol))
			add_symbol(w, x[i].symbol, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, SHN_UNDEF, 0, 0);
}

// Local ones come first. Returns the symbols of the sections of bank 0, which parameters name.
static uint32_t *add_symbols(struct writer *w, const struct function_sections *of)
{
	const struct cubin_parts *c = w->c;
	uint32_t *bank0 = ARENA_ARRAY(&w->arena, uint32_t, c->function.n + 1);
	unsigned section = ELF64_ST_INFO(STB_LOCAL, STT_SECTION);
	put_string(&w->strings, "");
	add_symbol(w, NULL, 0, 0, 0, 0, 0);
	for (size_t i = 0; i < c->function.n; i++) {
		add_symbol(w, NULL, section, 0, of[i].text, 0, 0);
		if (of[i].bank0)
			bank0[i] = add_symbol(w, NULL, section, 0, of[i].bank0, 0, 0);
	}
	for (size_t i = 0; i < c->variable.n; i++) {
		const struct cubin_variable *v = &c->variable.at[i];
		add_symbol(w, v->name, ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), 0, w->data[v->section], v->offset, v->size);
	}
	for (size_t i = 0; i < c->function.n; i++)
		for (size_t k = 0; k < c->function.at[i].inside.n; k++) {
			const struct cubin_inside *in = &c->function.at[i].inside.at[k];
			add_symbol(w, in->name, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 0, of[i].text, in->pc, in->size);
		}
	w->first_global = (uint32_t)w->symbol.n;
	for (size_t i = 0; i < c->function.n; i++) {
		const struct cubin_function *f = &c->function.at[i];
		add_symbol(w, f->name, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), f->kernel ? STO_CUDA_ENTRY : 0, of[i].text, 0, f->size);
	}
	for (size_t i = 0; i < c->function.n; i++) {
		add_externals(w, c->function.at[i].fixup.at, c->function.at[i].fixup.n);
		add_externals(w, c->function.at[i].bank2.fixup.at, c->function.at[i].bank2.fixup.n);
	}
	for (unsigned k = 0; k < CUBIN_SECTIONS; k++)
		add_externals(w, c->data[k].fixup.at, c->data[k].fixup.n);
	return bank0;
}

// --- figures

static void put_figures(struct writer *w, struct bytes *b)
{
	for (size_t i = 0; i < w->c->function.n; i++) {
		const struct cubin_function *f = &w->c->function.at[i];
		uint32_t number = symbol_named(w, f->name);
		put_words(b, ATTR_REGCOUNT, (uint32_t[]){number, f->registers}, 2);
		for (size_t k = f->inside.n; k-- > 0;)
			put_words(b, ATTR_FRAME_SIZE, (uint32_t[]){symbol_named(w, f->inside.at[k].name), f->inside.at[k].frame}, 2);
		put_words(b, ATTR_FRAME_SIZE, (uint32_t[]){number, f->frame}, 2);
		if (f->kernel)
			put_words(b, ATTR_MIN_STACK_SIZE, (uint32_t[]){number, f->stack}, 2);
	}
}

static void put_params(struct writer *w, struct bytes *b, const struct cubin_function *f, uint32_t bank0)
{
	uint32_t bytes = f->param_size;
	put_words(b, ATTR_PARAM_CBANK, (uint32_t[]){bank0, f->param_base | bytes << 16}, 2);
	put_info(b, INFO_HALF, ATTR_CBANK_PARAM_SIZE, bytes);
	for (size_t i = f->param.n; i-- > 0;) {
		const struct cubin_place *p = &f->param.at[i];
		uint32_t place = (uint32_t)i | p->offset << 16;
		// 0x1f in bits 12 to 16: the constant bank is the one that parameters are in.
		if (bytes > MAX_PARAM_BYTES_V1)
			put_words(b, ATTR_KPARAM_INFO_V2, (uint32_t[]){0, place, p->size | 0x1fu << 16}, 3);
		else
			put_words(b, ATTR_KPARAM_INFO, (uint32_t[]){0, place, p->size << 18 | 0x1fu << 12}, 3);
	}
	(void)w;
}

// What the code says about itself: where it ends, and which external functions it calls.
struct code_facts {
	VEC(uint32_t) exit, syscall, external;
	bool calls;
};

static void note_external(struct writer *w, struct code_facts *facts, const struct cubin_fixup *x, size_t n, uint64_t at, bool any)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t number = symbol_named(w, x[i].symbol);
		bool there = (!any && x[i].at != at) || w->symbol.at[number].st_shndx != SHN_UNDEF;
		for (size_t k = 0; k < facts->external.n && !there; k++)
			there = facts->external.at[k] == number;
		if (!there)
			VEC_PUSH(&facts->external, number);
	}
}

static void look_at(struct writer *w, const struct cubin_function *f, struct code_facts *facts)
{
	const struct cubin_data *table = &w->c->data[CUBIN_BANK_4];
	note_external(w, facts, f->fixup.at, f->fixup.n, 0, true);
	for (uint64_t pc = 0; w->isa && pc < f->size; pc += 16) {
		struct sass_word word = {get64(f->code + pc), get64(f->code + pc + 8)};
		struct sass_decoded d;
		struct cubin_constant k;
		char why[200];
		if (!sass_decode(w->isa, word, pc, &d, why, sizeof why))
			continue;
		if (!strcmp(d.row->op, "EXIT"))
			VEC_PUSH(&facts->exit, (uint32_t)pc);
		if (!strcmp(d.row->op, "CALL")) {
			facts->calls = true;
			if (d.row->group == SASS_GROUP_CALL_ABS)
				VEC_PUSH(&facts->syscall, (uint32_t)pc);
		}
		if (cubin_constant_used(&d, &k) && k.bank == 4)
			note_external(w, facts, table->fixup.at, table->fixup.n, k.offset & ~7u, k.indexed);
	}
}

static void put_list(struct bytes *b, unsigned attr, const uint32_t *v, size_t n)
{
	if (n)
		put_words(b, attr, v, n);
}

static void put_targets(struct bytes *b, const struct cubin_function *f)
{
	struct bytes all = {0};
	for (size_t i = 0; i < f->targets.n; i++) {
		put32(&all, (uint32_t)f->targets.at[i].pc);
		put32(&all, 0);
		put32(&all, (uint32_t)f->targets.at[i].to.n);
		put(&all, f->targets.at[i].to.at, f->targets.at[i].to.n * sizeof(uint32_t));
	}
	if (all.b.n)
		put_info(b, INFO_SIZED, ATTR_BRANCH_TARGETS, (unsigned)all.b.n);
	put(b, all.b.at, all.b.n);
	VEC_FREE(&all.b);
}

static void put_function(struct writer *w, struct bytes *b, const struct cubin_function *f, uint32_t bank0)
{
	unsigned arch = w->c->arch;
	struct code_facts facts = {0};
	look_at(w, f, &facts);
	put_words(b, ATTR_API_VERSION, (uint32_t[]){CUDA_RELEASE}, 1);
	if (arch >= 80 && arch <= 88)
		put_info(b, INFO_NONE, ATTR_AMPERE, 0);
	if (f->kernel)
		put_params(w, b, f, bank0);
	if (arch >= 90)
		put_info(b, INFO_HALF, ATTR_HOPPER, 0);
	put_info(b, INFO_HALF, ATTR_MAXREG_COUNT, 255);
	if (f->barriers)
		put_info(b, INFO_BYTE, ATTR_NUM_BARRIERS, f->barriers);
	put_list(b, ATTR_EXTERNS, facts.external.at, facts.external.n);
	put_info(b, INFO_HALF, ATTR_ISA, arch >= 90 ? 0x101 : 0);
	if (arch >= 100)
		put_info(b, INFO_BYTE, ATTR_BLACKWELL, 0);
	if (facts.external.n)
		put_list(b, ATTR_SYSCALL_OFFSETS, facts.syscall.at, facts.syscall.n);
	put_list(b, ATTR_EXIT_OFFSETS, facts.exit.at, facts.exit.n);
	put_targets(b, f);
	if (f->max_threads[0])
		put_words(b, ATTR_MAX_THREADS, f->max_threads, 3);
	if (f->required_threads[0])
		put_words(b, ATTR_REQNTID, f->required_threads, 3);
	if (facts.calls)
		put_words(b, ATTR_CRS_STACK_SIZE, (uint32_t[]){0}, 1);
	for (size_t i = 0; i < f->attribute.n; i++) {
		const struct cubin_kept *a = &f->attribute.at[i];
		put_info(b, a->format, a->number, a->value);
		put(b, a->data, a->format == INFO_SIZED && a->data ? a->value : 0);
	}
	VEC_FREE(&facts.exit);
	VEC_FREE(&facts.syscall);
	VEC_FREE(&facts.external);
}

// Whether the code is of exactly this capability, and figures that do not change.
static void put_compat(struct writer *w, struct bytes *b)
{
	put_info(b, INFO_BYTE, 0x09, w->c->specific);
	put_info(b, INFO_BYTE, 0x02, w->c->arch >= 120 ? 2 : 1);
	put_info(b, INFO_BYTE, 0x05, 5);
	put_info(b, INFO_HALF, 0x07, 0x101);
	put_info(b, INFO_BYTE, 0x03, 0);
	put_info(b, INFO_BYTE, 0x06, 1);
	put_words(b, 0x0b, (uint32_t[]){0, 0}, 2);
}

// The architecture and the CUDA release whose conventions these are. NVIDIA's tools ask for it.
static void put_note(struct writer *w, struct bytes *b)
{
	static const char owner[] = "NVIDIA Corp";
	const uint16_t description[] = {2, (uint16_t)w->c->arch, CUDA_RELEASE, 0};
	put32(b, sizeof owner), put32(b, sizeof description), put32(b, NOTE_CUDA_INFO);
	put(b, owner, sizeof owner);
	put(b, description, sizeof description);
}

// --- places that hold addresses

// Up to Ada the addend of a place in data stands in the place itself, as ptxas has it; in code it never does.
static void add_fixups(struct writer *w, uint32_t to, const struct cubin_fixup *x, size_t n)
{
	bool code = w->section.at[to].flags & SHF_EXECINSTR, rela = code || w->c->arch >= 90;
	if (!n)
		return;
	uint32_t number = add_section(w, arena_printf(&w->arena, "%s%s", rela ? ".rela" : ".rel", w->section.at[to].name), rela ? SHT_RELA : SHT_REL,
	                              SHF_INFO_LINK, 8);
	struct section *s = &w->section.at[number];
	s->link = w->symtab;
	s->info = to;
	s->each = rela ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
	for (size_t i = n; i-- > 0;) {
		Elf64_Rela one = {.r_offset = x[i].at, .r_info = ELF64_R_INFO((uint64_t)symbol_named(w, x[i].symbol), x[i].type),
		                  .r_addend = (int64_t)x[i].addend};
		put(&s->content, &one, s->each);
		if (!rela)
			memcpy(w->section.at[to].content.b.at + x[i].at, &x[i].addend, sizeof x[i].addend);
	}
}

static void put_data(struct writer *w, uint32_t number, const struct cubin_data *d)
{
	if (!number)
		return;
	struct section *s = &w->section.at[number];
	if (s->type == SHT_NOBITS)
		s->nobits = d->size;
	else if (d->byte)
		put(&s->content, d->byte, d->size);
	else
		put_zeros(&s->content, d->size);
}

static void fill(struct writer *w, const struct function_sections *of, const uint32_t *bank0)
{
	const struct cubin_parts *c = w->c;
	for (size_t i = 0; i < c->function.n; i++) {
		const struct cubin_function *f = &c->function.at[i];
		struct section *text = &w->section.at[of[i].text];
		put(&text->content, f->code, f->size);
		text->link = w->symtab;
		text->info = symbol_named(w, f->name) | (c->arch < 90 ? f->registers << 24 : 0);
		struct section *info = &w->section.at[of[i].info];
		info->link = w->symtab;
		info->info = of[i].text;
		put_function(w, &info->content, f, bank0[i]);
		const uint32_t own[] = {of[i].bank0, of[i].bank2, of[i].shared};
		for (size_t k = 0; k < sizeof own / sizeof *own; k++)
			w->section.at[own[k]].info = own[k] ? of[i].text : 0;
		put_data(w, of[i].bank2, &f->bank2);
		if (of[i].bank0)
			put_zeros(&w->section.at[of[i].bank0].content, f->param_base + f->param_size);
		if (of[i].shared)
			w->section.at[of[i].shared].nobits = f->shared + cubin_reserved_shared(c->arch);
	}
	for (unsigned k = 0; k < CUBIN_SECTIONS; k++)
		put_data(w, w->data[k], &c->data[k]);
	for (size_t i = 0; i < c->function.n; i++) {
		add_fixups(w, of[i].text, c->function.at[i].fixup.at, c->function.at[i].fixup.n);
		if (of[i].bank2)
			add_fixups(w, of[i].bank2, c->function.at[i].bank2.fixup.at, c->function.at[i].bank2.fixup.n);
	}
	for (unsigned k = 0; k < CUBIN_SECTIONS; k++)
		if (w->data[k])
			add_fixups(w, w->data[k], c->data[k].fixup.at, c->data[k].fixup.n);
}

// Callers and external functions, between marks.
static void put_callgraph(struct writer *w, struct bytes *b)
{
	put32(b, 0), put32(b, UINT32_MAX);
	for (size_t i = 0; i < w->c->function.n; i++) {
		struct code_facts facts = {0};
		look_at(w, &w->c->function.at[i], &facts);
		for (size_t k = 0; k < facts.external.n; k++)
			put32(b, symbol_named(w, w->c->function.at[i].name)), put32(b, facts.external.at[k]);
		VEC_FREE(&facts.exit);
		VEC_FREE(&facts.syscall);
		VEC_FREE(&facts.external);
	}
	for (uint32_t mark = UINT32_MAX - 1; mark >= UINT32_MAX - 3; mark--)
		put32(b, 0), put32(b, mark);
}

// --- the file

static uint64_t aligned(uint64_t at, uint64_t to) { return to ? (at + to - 1) / to * to : at; }

static Elf64_Phdr segment(uint32_t flags, uint64_t from, uint64_t to, uint64_t nobits)
{
	return (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = flags, .p_offset = from, .p_filesz = to - from, .p_memsz = to - from + nobits, .p_align = 8};
}

static void write_file(struct writer *w, struct bytes *out)
{
	struct bytes names = {0};
	uint32_t *name = ARENA_ARRAY(&w->arena, uint32_t, w->section.n);
	for (size_t i = 0; i < w->section.n; i++)
		name[i] = put_string(&names, w->section.at[i].name);
	w->section.at[1].content = names;
	uint64_t at = sizeof(Elf64_Ehdr), read_from = 0, write_from = 0, write_to = 0, read_to = 0, nobits = 0;
	for (size_t i = 1; i < w->section.n; i++) {
		struct section *s = &w->section.at[i];
		at = s->at = aligned(at, s->align);
		bool loaded = s->flags & SHF_ALLOC, changes = s->flags & SHF_WRITE;
		if (loaded && !changes && !read_from)
			read_from = at;
		if (loaded && changes && !write_from)
			write_from = at;
		at += s->type == SHT_NOBITS ? 0 : s->content.b.n;
		nobits += s->nobits;
		if (loaded && changes)
			write_to = at;
		else if (loaded)
			read_to = at;
	}
	Elf64_Phdr load[3];
	uint64_t headers = aligned(at, 8), segments = headers + w->section.n * sizeof(Elf64_Shdr);
	unsigned n = 0;
	load[n] = segment(PF_R | PF_X, read_from, read_to, 0), n += read_to > read_from;
	load[n] = segment(PF_R | PF_W, write_from, write_to, nobits), n += write_from != 0;
	Elf64_Ehdr h = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT, CUBIN_OSABI, CUBIN_ABI_VERSION},
		.e_type = ET_EXEC, .e_machine = EM_CUDA, .e_version = EV_CURRENT, .e_phoff = segments, .e_shoff = headers,
		// As ptxas of CUDA 13 has them: 4 up to Hopper, 2 behind, and the ABI's 6 on top.
		.e_flags = 0x06000000 | w->c->arch << 8 | (w->c->arch < 100 ? 4 : 2),
		.e_ehsize = sizeof h, .e_phentsize = sizeof *load, .e_phnum = (uint16_t)(n + 1), .e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (uint16_t)w->section.n, .e_shstrndx = 1,
	};
	put(out, &h, sizeof h);
	for (size_t i = 1; i < w->section.n; i++) {
		struct section *s = &w->section.at[i];
		put_zeros(out, s->at - out->b.n);
		put(out, s->content.b.at, s->content.b.n);
	}
	put_zeros(out, headers - out->b.n);
	for (size_t i = 0; i < w->section.n; i++) {
		struct section *s = &w->section.at[i];
		Elf64_Shdr one = {.sh_name = name[i], .sh_type = s->type, .sh_flags = s->flags, .sh_offset = s->at,
		                  .sh_size = s->type == SHT_NOBITS ? s->nobits : s->content.b.n, .sh_link = s->link, .sh_info = s->info,
		                  .sh_addralign = s->align, .sh_entsize = s->each};
		put(out, &one, sizeof one);
	}
	uint64_t size = (n + 1) * sizeof *load;
	Elf64_Phdr self = {.p_type = PT_PHDR, .p_flags = PF_R, .p_offset = segments, .p_filesz = size, .p_memsz = size, .p_align = 8};
	put(out, &self, sizeof self);
	put(out, load, n * sizeof *load);
}

void cubin_write(const struct cubin_parts *c, uint8_t **image, size_t *size)
{
	struct writer w = {.c = c};
	struct bytes out = {0};
	int generation = sass_generation_of(c->arch);
	if (generation >= SASS_VOLTA)
		w.isa = sass_isa_new(&w.arena, (enum sass_generation)generation);
	add_section(&w, "", SHT_NULL, 0, 0);
	add_section(&w, ".shstrtab", SHT_STRTAB, 0, 1);
	w.strtab = add_section(&w, ".strtab", SHT_STRTAB, 0, 1);
	w.symtab = add_section(&w, ".symtab", SHT_SYMTAB, 0, 8);
	uint32_t note = add_section(&w, ".note.nv.cuinfo", SHT_NOTE, SHF_CUDA_NOTE, 4);
	uint32_t info = add_section(&w, ".nv.info", SHT_CUDA_INFO, 0, 4);
	uint32_t compat = c->arch >= 90 ? add_section(&w, ".nv.compat", SHT_CUDA_COMPAT, 0, 4) : 0;
	uint32_t graph = add_section(&w, ".nv.callgraph", SHT_CUDA_CALLGRAPH, 0, 4);
	struct function_sections *of = add_sections(&w);
	uint32_t *bank0 = add_symbols(&w, of);
	fill(&w, of, bank0);
	if (compat)
		put_compat(&w, &w.section.at[compat].content);
	put_note(&w, &w.section.at[note].content);
	put_figures(&w, &w.section.at[info].content);
	w.section.at[info].link = w.symtab;
	put_callgraph(&w, &w.section.at[graph].content);
	w.section.at[graph].link = w.symtab;
	w.section.at[graph].each = 8;
	struct section *symtab = &w.section.at[w.symtab];
	put(&symtab->content, w.symbol.at, w.symbol.n * sizeof *w.symbol.at);
	symtab->link = w.strtab;
	symtab->info = w.first_global;
	symtab->each = sizeof(Elf64_Sym);
	w.section.at[w.strtab].content = w.strings;
	write_file(&w, &out);
	for (size_t i = 0; i < w.section.n; i++)
		VEC_FREE(&w.section.at[i].content.b);
	VEC_FREE(&w.section);
	VEC_FREE(&w.symbol);
	map_free(&w.symbol_of);
	arena_free(&w.arena);
	*image = out.b.at;
	*size = out.b.n;
}
