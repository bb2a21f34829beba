// Images of kernels: code and constant banks with all addresses filled in, and what .nv.info says of the code.
#include "libcuda/image/machine_parts.h"

#include "base/mem.h"
#include "libcuda/image/bytes.h"

#include <elf.h>

// An image in the making.
struct build {
	struct machine *m;
	const struct machine_text *kernel;
	struct diag *d;
	bool *in;       // by number in m->text
	uint8_t *code;
};

// --- images

// Adds the functions that code calls, and those that these call.
static bool add_called(void *ctx, const char *section, const struct machine_reloc *r)
{
	struct build *b = ctx;
	struct machine_text *t = machine_function_of(b->m, r);
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
			machine_each_reloc(b->m, b->m->text[i].section, add_called, b);
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
	for (uint64_t at = 0; at < size; at += MACHINE_INST)
		memcpy(code + at, bpt_trap, MACHINE_INST);
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
		const struct machine_text *t = &m->text[i];
		if (!b->in[i])
			continue;
		memcpy(b->code + t->base, t->data, t->size);
		struct machine_patch p = {b->kernel, true, b->code + t->base, t->size};
		if (!machine_patch(m, t->section, p, b->d))
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
		return machine_wrong(m, b->d, "section %s of %llu bytes is cut off", s->name, (unsigned long long)s->size);
	uint8_t *to = arena_alloc(&m->arena, s->size + 1);
	memcpy(to, s->data, s->size);
	struct machine_patch p = {b->kernel, false, to, s->size};
	if (!machine_patch(m, s->index, p, b->d))
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
	       machine_wrong(m, b->d, "its __constant__ variables do not lie in one place, so that machine code cannot find them");
}

// The launch makes bank 0; what a program has behind its parameters there are handles of texture and surface references (CUDA 11
// and before), four bytes each.
struct references {
	struct build *b;
	const struct cubin_kernel *k;
	struct sass_image *out;
	VEC(struct sass_texture) at;
};

static bool add_reference(void *ctx, const char *section, const struct machine_reloc *r)
{
	enum { STT_CUDA_TEXTURE = 10, STT_CUDA_SURFACE = 12, R_CUDA_TEX_HEADER_INDEX = 6, R_CUDA_SURF_HEADER_INDEX = 52, HANDLE = 4 };
	struct references *all = ctx;
	struct machine *m = all->b->m;
	struct diag *d = all->b->d;
	struct elf64_symbol s;
	uint32_t first = all->out->param_base + all->k->param_bytes, end = all->k->machine.bank[BANK_PARAMS];
	bool known = elf64_symbol(&m->elf, &m->symbols, r->symbol, &s);
	bool texture = known && s.type == STT_CUDA_TEXTURE && r->type == R_CUDA_TEX_HEADER_INDEX;
	bool surface = known && s.type == STT_CUDA_SURFACE && r->type == R_CUDA_SURF_HEADER_INDEX;
	if (!texture && !surface)
		return machine_wrong(m, d, "kernel %s uses %s in a way that is not known to this version", all->k->name, known ? s.name : "a reference");
	if (r->offset < first || r->offset % HANDLE || r->offset >= end || end - r->offset < HANDLE)
		return machine_wrong(m, d, "section %s has the handle of reference %s at 0x%llx, which is not behind the parameters", section, s.name,
		             (unsigned long long)r->offset);
	struct sass_texture t = {(uint32_t)r->offset, m->world.texture ? m->world.texture(m->world.ctx, s.name) : 0};
	if (!t.handle)
		return machine_wrong(m, d, "kernel %s uses the texture or surface reference %s, which the program does not have", all->k->name, s.name);
	VEC_PUSH(&all->at, t);
	if (all->out->bank[BANK_PARAMS].size < t.at + HANDLE)
		all->out->bank[BANK_PARAMS].size = t.at + HANDLE;
	return true;
}

static bool fill_references(struct build *b, const struct cubin_kernel *k, size_t section, struct sass_image *out)
{
	struct references all = {.b = b, .k = k, .out = out};
	bool ok = machine_each_reloc(b->m, section, add_reference, &all);
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
		const char *name = machine_name_behind(s.name, ".nv.constant");
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
		return machine_wrong(b->m, b->d, "it is machine code for sm_%u; Heddle runs sm_70 and later", out->arch);
	if (base < first)
		return machine_wrong(b->m, b->d, "kernel %s has its parameters at 0x%x of constant bank 0, where code for sm_%u has its launch's figures",
		             k->name, base, out->arch);
	if (k->machine.bank[BANK_PARAMS] < base + k->param_bytes)
		return machine_wrong(b->m, b->d, "kernel %s has %u bytes of parameters at 0x%x of constant bank 0, which has %u", k->name, k->param_bytes,
		             base, k->machine.bank[BANK_PARAMS]);
	for (unsigned i = 0; i < k->n_params; i++)
		if (k->param[i].offset > k->param_bytes || k->param[i].size > k->param_bytes - k->param[i].offset)
			return machine_wrong(b->m, b->d, "parameter %u of kernel %s has %u bytes at %u, and all together are %u", i + 1, k->name,
			             k->param[i].size, k->param[i].offset, k->param_bytes);
	return true;
}

static bool inside(const struct machine_text *t, uint32_t pc) { return pc < t->size && pc % MACHINE_INST == 0; }

// What the records of all its code list.
struct listed {
	VEC(struct sass_goes) goes;
};

// {offset, 0, n, n targets} again and again.
static bool read_targets(struct build *b, const struct machine_text *t, const struct cubin_record *r, struct listed *to)
{
	for (size_t at = 0; r->len - at >= 12;) {
		uint32_t from = get32(r->data + at), n = get32(r->data + at + 8), base = (uint32_t)t->base;
		bool ok = inside(t, from) && n <= (r->len - at - 12) / 4;
		for (uint32_t i = 0; ok && i < n; i++) {
			uint32_t target = get32(r->data + at + 12 + i * 4);
			ok = inside(t, target);
			VEC_PUSH(&to->goes, ((struct sass_goes){base + from, base + target}));
		}
		if (!ok)
			return machine_wrong(b->m, b->d, "the targets of branches that .nv.info.%s lists lie outside its code", t->name);
		at += 12 + (size_t)n * 4;
	}
	return true;
}

static bool read_text_info(struct build *b, const struct machine_text *t, const struct elf64_section *s, struct listed *to)
{
	if (!s->data)
		return machine_wrong(b->m, b->d, "section %s is cut off", s->name);
	struct cubin_info info = {.data = s->data, .size = s->size};
	struct cubin_record r;
	while (cubin_info_next(&info, &r)) {
		if (r.attribute == ATTR_BRANCH_TARGETS && !read_targets(b, t, &r, to))
			return false;
		for (size_t i = 0; r.attribute == ATTR_EXIT_OFFSETS && r.len - i >= 4; i += 4) {
			uint32_t pc = get32(r.data + i);
			if (!inside(t, pc))
				return machine_wrong(b->m, b->d, "section %s has an EXIT at 0x%x, outside the code", s->name, pc);
		}
	}
	return !info.damaged || machine_wrong(b->m, b->d, "section %s is damaged", s->name);
}

static bool read_infos(struct build *b, struct sass_image *out)
{
	struct machine *m = b->m;
	struct elf64_section s;
	struct listed all = {0};
	bool ok = true;
	for (size_t i = 1; ok && elf64_section(&m->elf, i, &s); i++) {
		const char *name = machine_name_behind(s.name, ".nv.info.");
		uint32_t number = name && (s.info & MACHINE_SECTION) < m->elf.n_sections ? m->text_of[s.info & MACHINE_SECTION] : 0;
		if (number && b->in[number - 1])
			ok = read_text_info(b, &m->text[number - 1], &s, &all);
	}
	struct sass_goes *goes = ARENA_ARRAY(&m->arena, struct sass_goes, all.goes.n + 1);
	if (all.goes.n)
		memcpy(goes, all.goes.at, all.goes.n * sizeof *goes);
	out->goes = goes;
	out->n_goes = all.goes.n;
	VEC_FREE(&all.goes);
	return ok;
}

// The compiler's figure leaves out functions that recurse or are called by address.
static void fill_stack(struct build *b, const struct cubin_kernel *k, struct sass_image *out)
{
	out->local = k->machine.stack;
	out->local_known = k->stack_known;
}

static bool build(struct build *b, const struct cubin_kernel *k, struct sass_image *out)
{
	struct machine *m = b->m;
	*out = (struct sass_image){
	        .name = k->name,
	        .file = m->file,
	        .arch = m->cubin->arch,
	        .tensor = m->world.tensor,
	        .shared_reserved = k->reserved_shared,
	        .shared = k->machine.shared,
	        .external = m->external,
	        .external_name = m->external_name,
	        .n_external = m->n_external,
	};
	choose_functions(b);
	fill_stack(b, k, out);
	machine_lines(m, b->in, out);
	return check_params(b, k, out) && fill_code(b, out) && fill_banks(b, k, out) && read_infos(b, out);
}

static struct machine_text *text_by_name(const struct machine *m, const char *name)
{
	for (size_t i = 0; i < m->n_text; i++)
		if (!strcmp(m->text[i].name, name))
			return &m->text[i];
	return NULL;
}

const struct sass_image *machine_image(struct machine *m, const char *kernel, struct diag *d)
{
	size_t len = strlen(kernel);
	struct sass_image *image = map_get(&m->images, kernel, len);
	if (image)
		return image;
	const struct cubin_kernel *k = cubin_find(m->cubin, kernel);
	struct machine_text *t = k ? text_by_name(m, kernel) : NULL;
	if (!t) {
		machine_wrong(m, d, "it has no code of a kernel %s", kernel);
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

uint32_t machine_param_base(unsigned arch)
{
	return arch < 70 ? 0 : arch < 90 ? 0x160 : arch < 100 ? 0x210 : 0x380;
}

struct machine *machine_new(const void *data, size_t size, const struct cubin *c, const char *file, const struct machine_world *world,
                            struct diag *d)
{
	struct machine *m = MEM_NEW(struct machine);
	m->cubin = c;
	m->file = file;
	m->world = *world;
	if (machine_read(m, data, size, d))
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
	const struct machine_text *t = text_by_name(m, name);
	if (!t || t->kernel)
		return false;
	*pc = t->base;
	return true;
}

const uint8_t *machine_initial(const struct machine *m, enum variable_section s) { return m->initial[s]; }

bool machine_fill(struct machine *m, enum variable_section s, uint8_t *to, struct diag *d)
{
	struct machine_patch p = {NULL, false, to, m->section_size[s]};
	return !m->section_of[s] || machine_patch(m, m->section_of[s], p, d);
}
