#include "libcuda/image/cubin_parts.h"

#include "base/map.h"
#include "libcuda/image/bytes.h"
#include "libcuda/image/cubin.h"
#include "libcuda/image/elf64.h"

#include <elf.h>
#include <string.h>

const char *const cubin_section_name[CUBIN_SECTIONS + 1] = {"global", "init", "bank3", "bank4", "bank2"};

enum { MAX_PARAMS = 4096, TEXT_BARRIERS_AT = 20, TEXT_BARRIERS = 0x7f };

struct reader {
	struct elf64 elf;
	struct cubin_parts *out;
	struct elf64_section symbols;
	struct map by_name; // number of a function + 1
	bool any_bank0;     // only kernels have one; where nothing has, nothing says what is none
	const char *wrong;
	size_t left;        // bytes that may still be copied: a damaged file can name the same ones again and again
};

static const char *behind(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);
	return !strncmp(name, prefix, n) && name[n] ? name + n : NULL;
}

static struct cubin_function *find(struct reader *r, const char *name)
{
	uintptr_t number = name ? (uintptr_t)map_get(&r->by_name, name, strlen(name)) : 0;
	return number ? &r->out->function.at[number - 1] : NULL;
}

static bool spend(struct reader *r, size_t n)
{
	bool ok = n <= r->left;
	r->left -= ok ? n : 0;
	r->wrong = ok ? r->wrong : "damaged";
	return ok;
}

static uint8_t *copy(struct reader *r, const uint8_t *from, size_t n)
{
	if (!n || !from || !spend(r, n))
		return NULL;
	uint8_t *p = arena_alloc(&r->out->arena, n);
	memcpy(p, from, n);
	return p;
}

static const char *text(struct reader *r, const char *s)
{
	return spend(r, strlen(s) + 1) ? arena_strdup(&r->out->arena, s) : "";
}

// --- functions and data

static void add_function(struct reader *r, const struct elf64_section *s, const char *name)
{
	struct elf64_section bank;
	if (find(r, name) || !s->data)
		return;
	const char *zero = arena_printf(&r->out->arena, ".nv.constant0.%s", name);
	bool kernel = !r->any_bank0 || elf64_find(&r->elf, zero, &bank);
	struct cubin_function f = {.name = text(r, name), .kernel = kernel, .registers = s->info >> 24};
	f.code = copy(r, s->data, s->size & ~(uint64_t)15);
	f.size = f.code ? s->size & ~(uint64_t)15 : 0;
	if (r->out->arch >= 90)
		f.registers = 0;
	f.barriers = s->flags >> TEXT_BARRIERS_AT & TEXT_BARRIERS;
	if (f.kernel)
		f.param_base = cubin_param_base(r->out->arch);
	VEC_PUSH(&r->out->function, f);
	map_put(&r->by_name, f.name, strlen(f.name), (void *)(uintptr_t)r->out->function.n);
}

static void take_data(struct reader *r, struct cubin_data *to, const struct elf64_section *s)
{
	to->size = s->size;
	to->byte = copy(r, s->data, s->size);
	if (s->data || !s->size)
		return;
	if (s->type != SHT_NOBITS)
		r->wrong = "damaged";
}

// The section that this is, of those with data; -1 if it is none. *f is the function of a bank 2.
static int data_section(struct reader *r, const char *name, struct cubin_function **f)
{
	static const char *const names[] = {".nv.global", ".nv.global.init", ".nv.constant3", ".nv.constant4"};
	for (int i = 0; i < CUBIN_SECTIONS; i++)
		if (!strcmp(name, names[i]))
			return i;
	*f = find(r, behind(name, ".nv.constant2."));
	return *f ? CUBIN_BANK_2 : -1;
}

static void read_data(struct reader *r)
{
	struct elf64_section s;
	for (size_t i = 1; elf64_section(&r->elf, i, &s); i++) {
		struct cubin_function *f = NULL;
		int k = data_section(r, s.name, &f);
		if (k >= 0)
			take_data(r, f ? &f->bank2 : &r->out->data[k], &s);
		uint32_t reserved = cubin_reserved_shared(r->out->arch);
		if ((f = find(r, behind(s.name, ".nv.shared."))))
			f->shared = s.size > reserved && s.size <= UINT32_MAX ? (uint32_t)s.size - reserved : 0;
	}
}

// --- symbols

static void add_inside(struct reader *r, struct cubin_function *f, const struct elf64_symbol *s)
{
	if (s->value >= f->size || s->size > f->size - s->value || s->value % 16 || s->size % 16)
		return;
	struct cubin_inside in = {.name = text(r, s->name), .pc = s->value, .size = s->size};
	VEC_PUSH(&f->inside, in);
	for (size_t i = f->inside.n - 1; i && f->inside.at[i - 1].pc > in.pc; i--) {
		f->inside.at[i] = f->inside.at[i - 1];
		f->inside.at[i - 1] = in;
	}
}

static void read_symbols(struct reader *r)
{
	enum { OBJECT_IN_LINK = 13 };
	struct elf64_symbol s;
	struct elf64_section in;
	for (size_t i = 1; elf64_symbol(&r->elf, &r->symbols, i, &s) && !r->wrong; i++) {
		bool object = s.type == STT_OBJECT || s.type == OBJECT_IN_LINK;
		if ((!object && s.type != STT_FUNC) || s.section == SHN_UNDEF || !elf64_section(&r->elf, s.section, &in))
			continue;
		struct cubin_function *f = find(r, behind(in.name, ".text."));
		if (f && s.type == STT_FUNC && strcmp(f->name, s.name))
			add_inside(r, f, &s);
		int k = data_section(r, in.name, &f);
		if (!object || k < 0 || k == CUBIN_BANK_2 || s.value > in.size || s.size > in.size - s.value)
			continue;
		struct cubin_variable v = {.name = text(r, s.name), .section = (enum cubin_section)k, .offset = s.value, .size = s.size};
		VEC_PUSH(&r->out->variable, v);
	}
}

// --- places that hold addresses

// A function's name stands for its first instruction; section symbols have none and stand for their section's begin.
static const char *symbol_name(struct reader *r, const struct elf64_symbol *s, uint64_t *addend)
{
	struct elf64_section in;
	if (*s->name)
		return text(r, s->name);
	if (!elf64_section(&r->elf, s->section, &in))
		return NULL;
	struct cubin_function *f = find(r, behind(in.name, ".text."));
	if (f)
		return f->name;
	int k = data_section(r, in.name, &f);
	for (size_t i = 0; k >= 0 && i < r->out->variable.n; i++) {
		struct cubin_variable *v = &r->out->variable.at[i];
		if (v->section != (enum cubin_section)k)
			continue;
		*addend += s->value - v->offset;
		return v->name;
	}
	return NULL;
}

static void add_fixup(struct reader *r, const struct elf64_section *to, const Elf64_Rela *rel, bool addend)
{
	struct cubin_function *f = find(r, behind(to->name, ".text."));
	struct elf64_symbol s;
	struct cubin_fixup x = {.at = rel->r_offset, .type = (uint32_t)ELF64_R_TYPE(rel->r_info), .addend = addend ? (uint64_t)rel->r_addend : 0};
	if (!elf64_symbol(&r->elf, &r->symbols, ELF64_R_SYM(rel->r_info), &s) || !(x.symbol = symbol_name(r, &s, &x.addend))) {
		r->wrong = "damaged";
		return;
	}
	uint64_t size = f ? 16 : 8;
	struct cubin_data *d = NULL;
	if (!f) {
		int k = data_section(r, to->name, &f);
		d = f ? &f->bank2 : k >= 0 ? &r->out->data[k] : NULL;
		if (!d)
			return; // of debug information
	}
	uint64_t room = d ? d->byte ? d->size : 0 : f->size;
	if (x.at > room || size > room - x.at || (!d && x.at % 16)) {
		r->wrong = "damaged";
		return;
	}
	if (d && !addend)
		x.addend = get64(d->byte + x.at);
	if (d)
		memset(d->byte + x.at, 0, size);
	if (d)
		VEC_PUSH(&d->fixup, x);
	else
		VEC_PUSH(&f->fixup, x);
}

static void read_fixups(struct reader *r)
{
	struct elf64_section s, to;
	for (size_t i = 1; elf64_section(&r->elf, i, &s); i++) {
		bool rela = s.type == SHT_RELA;
		size_t each = rela ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
		if ((!rela && s.type != SHT_REL) || !s.data || !elf64_section(&r->elf, s.info, &to) || strstr(to.name, "debug"))
			continue;
		if (!spend(r, s.size))
			return;
		for (size_t k = 0; k < s.size / each && !r->wrong; k++) {
			Elf64_Rela rel = {0};
			memcpy(&rel, s.data + k * each, each);
			add_fixup(r, &to, &rel, rela);
		}
	}
}

// By place, so that they can be met in the order of instructions.
static void sort_fixups(struct cubin_fixup *x, size_t n)
{
	for (size_t gap = n / 2; gap; gap /= 2) {
		for (size_t i = gap; i < n; i++) {
			struct cubin_fixup one = x[i];
			size_t k = i;
			for (; k >= gap && x[k - gap].at > one.at; k -= gap)
				x[k] = x[k - gap];
			x[k] = one;
		}
	}
}

// --- figures

static void add_param(struct reader *r, struct cubin_function *f, const uint8_t *p, uint32_t size)
{
	unsigned ordinal = get16(p + 4);
	if (ordinal >= MAX_PARAMS || (ordinal >= f->param.n && !spend(r, (ordinal + 1) * sizeof *f->param.at))) {
		r->wrong = "damaged";
		return;
	}
	while (f->param.n <= ordinal)
		VEC_PUSH(&f->param, (struct cubin_place){0});
	f->param.at[ordinal] = (struct cubin_place){.offset = get16(p + 6), .size = size};
}

static void add_targets(struct reader *r, struct cubin_function *f, const uint8_t *p, size_t len)
{
	for (size_t at = 0; len - at >= 12;) {
		size_t n = get32(p + at + 8);
		struct cubin_targets t = {.pc = get32(p + at)};
		if (n > (len - at - 12) / 4) {
			r->wrong = "damaged";
			return;
		}
		for (size_t i = 0; i < n; i++)
			VEC_PUSH(&t.to, get32(p + at + 12 + 4 * i));
		VEC_PUSH(&f->targets, t);
		for (size_t i = f->targets.n - 1; i && f->targets.at[i - 1].pc > t.pc; i--) {
			f->targets.at[i] = f->targets.at[i - 1];
			f->targets.at[i - 1] = t;
		}
		at += 12 + 4 * n;
	}
}

static void three(uint32_t to[3], const uint8_t *p)
{
	for (unsigned i = 0; i < 3; i++)
		to[i] = get32(p + 4 * i);
}

// What the text keeps by its number: it says nothing about places in the code.
static bool is_kept(unsigned attr)
{
	static const uint8_t kept[] = {ATTR_CTAIDZ_USED, ATTR_WMMA_USED, ATTR_NUM_MBARRIERS, ATTR_MBARRIER_OFFSETS, ATTR_CTA_PER_CLUSTER,
	                               ATTR_EXPLICIT_CLUSTER, ATTR_MAX_CLUSTER_RANK, ATTR_BLOCKS_ARE_CLUSTERS};
	return memchr(kept, (int)attr, sizeof kept) != NULL;
}

static void take_attribute(struct reader *r, struct cubin_function *f, const uint8_t *p, size_t len)
{
	unsigned value = get16(p + 2);
	const uint8_t *data = p + 4;
	if (is_kept(p[1])) {
		struct cubin_kept a = {.format = p[0], .number = p[1], .value = (uint16_t)value, .data = copy(r, data, len)};
		VEC_PUSH(&f->attribute, a);
	} else if (p[1] == ATTR_NUM_BARRIERS) {
		f->barriers = value & 0xff;
	} else if (p[1] == ATTR_CBANK_PARAM_SIZE) {
		f->param_size = value;
	} else if (p[1] == ATTR_PARAM_CBANK && len >= 8) {
		f->param_base = get16(data + 4);
	} else if ((p[1] == ATTR_KPARAM_INFO || p[1] == ATTR_KPARAM_INFO_V2) && len >= 12) {
		add_param(r, f, data, p[1] == ATTR_KPARAM_INFO ? get32(data + 8) >> 18 : get16(data + 8));
	} else if (p[1] == ATTR_MAX_THREADS && len >= 12) {
		three(f->max_threads, data);
	} else if (p[1] == ATTR_REQNTID && len >= 12) {
		three(f->required_threads, data);
	} else if (p[1] == ATTR_BRANCH_TARGETS) {
		add_targets(r, f, data, len);
	}
}

// A figure of a symbol: of a function, or of one inside another.
static void take_figure(struct reader *r, const uint8_t *p, size_t len)
{
	struct elf64_symbol s;
	struct elf64_section in;
	if (len < 8 || !elf64_symbol(&r->elf, &r->symbols, get32(p + 4), &s) || !elf64_section(&r->elf, s.section, &in))
		return;
	struct cubin_function *f = find(r, behind(in.name, ".text."));
	uint32_t v = get32(p + 8);
	if (!f)
		return;
	if (!strcmp(f->name, s.name)) {
		f->registers = p[1] == ATTR_REGCOUNT ? v : f->registers;
		f->frame = p[1] == ATTR_FRAME_SIZE ? v : f->frame;
		f->stack = p[1] == ATTR_MIN_STACK_SIZE ? v : f->stack;
	}
	for (size_t i = 0; i < f->inside.n && p[1] == ATTR_FRAME_SIZE; i++)
		if (!strcmp(f->inside.at[i].name, s.name))
			f->inside.at[i].frame = v;
}

static void read_info(struct reader *r, const struct elf64_section *s, struct cubin_function *f)
{
	if (!s->data || !spend(r, s->size))
		return;
	for (size_t at = 0; s->size - at >= 4 && !r->wrong;) {
		const uint8_t *p = s->data + at;
		size_t len = p[0] == INFO_SIZED ? get16(p + 2) : 0;
		if (len > s->size - at - 4) {
			r->wrong = "damaged";
			return;
		}
		if (f)
			take_attribute(r, f, p, len);
		else
			take_figure(r, p, len);
		at += 4 + len;
	}
}

static void read_figures(struct reader *r)
{
	struct elf64_section s;
	for (size_t i = 1; elf64_section(&r->elf, i, &s) && !r->wrong; i++) {
		struct cubin_function *f = find(r, behind(s.name, ".nv.info."));
		if (f || !strcmp(s.name, ".nv.info"))
			read_info(r, &s, f);
		// Its second attribute says whether the code is of exactly this capability.
		for (size_t at = 0; !strcmp(s.name, ".nv.compat") && s.data && s.size - at >= 4; at += 4u + (s.data[at] == INFO_SIZED ? get16(s.data + at + 2) : 0u)) {
			if (s.data[at] == INFO_BYTE && s.data[at + 1] == 9)
				r->out->specific = s.data[at + 2] == 1;
			if (s.data[at] == INFO_SIZED && get16(s.data + at + 2) > s.size - at - 4)
				break;
		}
	}
}

// --- the whole

bool cubin_parts_read(struct cubin_parts *out, const void *image, size_t size, struct diag *d)
{
	struct reader r = {.out = out, .left = size * 4};
	*out = (struct cubin_parts){0};
	r.wrong = elf64_open(&r.elf, image, size);
	if (!r.wrong && r.elf.machine != EM_CUDA)
		r.wrong = "an ELF file for another machine";
	if (!r.wrong) {
		struct elf64_section s;
		out->arch = (r.elf.osabi == CUBIN_OSABI ? r.elf.flags >> 8 : r.elf.flags) & 0xff;
		elf64_find_type(&r.elf, SHT_SYMTAB, &r.symbols);
		for (size_t i = 1; elf64_section(&r.elf, i, &s); i++)
			r.any_bank0 |= behind(s.name, ".nv.constant0.") != NULL;
		for (size_t i = 1; elf64_section(&r.elf, i, &s) && !r.wrong; i++)
			if (behind(s.name, ".text."))
				add_function(&r, &s, behind(s.name, ".text."));
		read_data(&r);
		read_symbols(&r);
		read_fixups(&r);
		read_figures(&r);
		for (size_t i = 0; i < out->function.n; i++) {
			sort_fixups(out->function.at[i].fixup.at, out->function.at[i].fixup.n);
			sort_fixups(out->function.at[i].bank2.fixup.at, out->function.at[i].bank2.fixup.n);
		}
		for (unsigned k = 0; k < CUBIN_SECTIONS; k++)
			sort_fixups(out->data[k].fixup.at, out->data[k].fixup.n);
	}
	map_free(&r.by_name);
	if (r.wrong)
		diag_add(d, DIAG_ERROR, "the cubin is %s; build it again", r.wrong);
	return !r.wrong;
}

void cubin_parts_free(struct cubin_parts *c)
{
	for (size_t i = 0; i < c->function.n; i++) {
		struct cubin_function *f = &c->function.at[i];
		VEC_FREE(&f->param);
		VEC_FREE(&f->fixup);
		VEC_FREE(&f->inside);
		for (size_t k = 0; k < f->targets.n; k++)
			VEC_FREE(&f->targets.at[k].to);
		VEC_FREE(&f->targets);
		VEC_FREE(&f->attribute);
		VEC_FREE(&f->bank2.fixup);
	}
	for (unsigned k = 0; k < CUBIN_SECTIONS; k++)
		VEC_FREE(&c->data[k].fixup);
	VEC_FREE(&c->function);
	VEC_FREE(&c->variable);
	arena_free(&c->arena);
	*c = (struct cubin_parts){0};
}

struct cubin_function *cubin_parts_find(const struct cubin_parts *c, const char *name)
{
	for (size_t i = 0; i < c->function.n; i++)
		if (!strcmp(c->function.at[i].name, name))
			return &c->function.at[i];
	return NULL;
}
