#include "libcuda/image/cubin.h"

#include "libcuda/image/bytes.h"
#include "libcuda/image/elf64.h"

#include <elf.h>
#include <string.h>

enum {
	RESERVED_SHARED = 1024,
	TEXT_BARRIERS_AT = 20, TEXT_BARRIERS = 0x7f, // in the flags of .text sections before CUDA 13
	STT_CUDA_OBJECT = 13, // a variable in an object that is to be linked; in a linked cubin it is STT_OBJECT
	MAX_PARAMS = 4096, // sm_70 and later take 32764 parameter bytes at most
};

// The stack size of kernels whose functions recurse.
static const uint32_t unknown_stack = UINT32_MAX;

struct reader {
	struct elf64 elf;
	struct cubin *out;
	struct arena *arena;
	struct elf64_section symbols;
	uint32_t bank[KERNEL_BANKS]; // of all kernels
	size_t info_left, slots_left, names_left; // bounds on the work a damaged file can cause
};

static struct cubin_kernel *find(const struct cubin *c, const char *name)
{
	uintptr_t number = (uintptr_t)map_get(&c->by_name, name, strlen(name));
	return number ? &c->kernel.at[number - 1] : NULL;
}

// The kernel whose symbol has this number, NULL for symbols of other things.
static struct cubin_kernel *by_symbol(struct reader *r, uint32_t number)
{
	struct elf64_symbol s;
	return elf64_symbol(&r->elf, &r->symbols, number, &s) ? find(r->out, s.name) : NULL;
}

// The part of the section's name behind `prefix`; NULL if it does not start so or ends there.
static const char *name_behind(const struct elf64_section *s, const char *prefix)
{
	size_t n = strlen(prefix);
	return !strncmp(s->name, prefix, n) && s->name[n] ? s->name + n : NULL;
}

static bool add_param(struct reader *r, struct cubin_kernel *k, const uint8_t *p, unsigned size)
{
	unsigned ordinal = get16(p + 4);
	if (ordinal >= MAX_PARAMS)
		return false;
	if (ordinal >= k->n_params) {
		// The last parameter comes first in the file, so this grows once.
		if (ordinal >= r->slots_left)
			return false;
		r->slots_left -= ordinal + 1;
		struct cubin_param *grown = ARENA_ARRAY(r->arena, struct cubin_param, ordinal + 1);
		if (k->n_params)
			memcpy(grown, k->param, k->n_params * sizeof *grown);
		k->param = grown;
		k->n_params = ordinal + 1;
	}
	k->param[ordinal] = (struct cubin_param){.offset = get16(p + 6), .size = size};
	return true;
}

// One attribute; `k` is the kernel of the section, NULL in the section about all kernels.
static bool take_attribute(struct reader *r, struct cubin_kernel *k, unsigned attr, unsigned value, const uint8_t *p,
                           size_t len)
{
	struct cubin_kernel *named = !k && len >= 8 ? by_symbol(r, get32(p)) : NULL;
	switch (attr) {
	case ATTR_REGCOUNT:
		if (named)
			named->registers = get32(p + 4);
		break;
	case ATTR_FRAME_SIZE:
	case ATTR_MIN_STACK_SIZE:
		if (!named)
			break;
		if (attr == ATTR_MIN_STACK_SIZE)
			named->stack_known = get32(p + 4) != unknown_stack;
		if (get32(p + 4) == unknown_stack)
			break;
		if (attr == ATTR_FRAME_SIZE)
			named->machine.frame = get32(p + 4);
		if (get32(p + 4) > named->machine.stack)
			named->machine.stack = get32(p + 4);
		break;
	case ATTR_MAX_THREADS:
		if (k && len >= 12) {
			uint64_t n = (uint64_t)get32(p) * get32(p + 4);
			k->max_threads = n <= UINT16_MAX && n * get32(p + 8) <= UINT32_MAX ? (unsigned)n * get32(p + 8) : 0;
		}
		break;
	case ATTR_REQNTID:
		for (unsigned i = 0; k && len >= 12 && i < 3; i++)
			k->required[i] = get32(p + 4 * i);
		break;
	case ATTR_CTA_PER_CLUSTER:
		for (unsigned i = 0; k && len >= 12 && i < 3; i++)
			k->cluster[i] = get32(p + 4 * i);
		break;
	case ATTR_MAX_CLUSTER_RANK:
		if (k && len >= 4)
			k->max_cluster = get32(p);
		break;
	case ATTR_EXPLICIT_CLUSTER:
		if (k)
			k->explicit_cluster = true;
		break;
	case ATTR_BLOCKS_ARE_CLUSTERS:
		if (k)
			k->blocks_are_clusters = true;
		break;
	case ATTR_NUM_BARRIERS:
		if (k)
			k->machine.barriers = value & 0xff;
		break;
	case ATTR_KPARAM_INFO:
		return !k || len < 12 || add_param(r, k, p, get32(p + 8) >> 18);
	case ATTR_KPARAM_INFO_V2:
		return !k || len < 12 || add_param(r, k, p, get16(p + 8));
	case ATTR_CBANK_PARAM_SIZE:
		if (k)
			k->param_bytes = value;
		break;
	case ATTR_PARAM_CBANK:
		if (k && len >= 8)
			k->machine.param_base = get16(p + 4);
		break;
	default:
		break;
	}
	return true;
}

bool cubin_info_next(struct cubin_info *info, struct cubin_record *out)
{
	if (info->size - info->at < 4)
		return false;
	const uint8_t *p = info->data + info->at;
	size_t len = p[0] == INFO_SIZED ? get16(p + 2) : 0;
	if (!p[0] || p[0] > INFO_SIZED || len > info->size - info->at - 4) {
		info->damaged = true;
		return false;
	}
	*out = (struct cubin_record){.attribute = p[1], .value = p[0] == INFO_BYTE ? p[2] : get16(p + 2), .data = p + 4, .len = len};
	info->at += 4 + len;
	return true;
}

static bool read_info(struct reader *r, const struct elf64_section *s, struct cubin_kernel *k)
{
	if (!s->data || s->size > r->info_left)
		return !s->size;
	r->info_left -= s->size;
	struct cubin_info info = {.data = s->data, .size = s->size};
	struct cubin_record i;
	while (cubin_info_next(&info, &i))
		if (!take_attribute(r, k, i.attribute, i.value, i.data, i.len))
			return false;
	return !info.damaged;
}

// Device functions have .text sections too; only kernels have a constant bank 0.
static void add_kernels(struct reader *r)
{
	struct elf64_section s;
	for (size_t i = 1; elf64_section(&r->elf, i, &s); i++) {
		const char *name = name_behind(&s, ".nv.constant0.");
		if (!name || find(r->out, name))
			continue;
		struct cubin_kernel k = {
		        .name = arena_strdup(r->arena, name),
		        .machine = {.compiled = true, .arch = r->out->arch},
		        .reserved_shared = r->out->arch >= 90 ? RESERVED_SHARED : 0,
		};
		VEC_PUSH(&r->out->kernel, k);
		map_put(&r->out->by_name, k.name, strlen(k.name), (void *)(uintptr_t)r->out->kernel.n);
	}
}

// .nv.constantN.KERNEL, or .nv.constantN of all kernels.
static void read_bank(struct reader *r, const struct elf64_section *s)
{
	const char *name = name_behind(s, ".nv.constant");
	unsigned bank = name ? (unsigned)*name - '0' : KERNEL_BANKS;
	if (bank >= KERNEL_BANKS || s->size > UINT32_MAX)
		return;
	struct cubin_kernel *k = name[1] == '.' ? find(r->out, name + 2) : NULL;
	if (k)
		k->machine.bank[bank] = (uint32_t)s->size;
	else if (!name[1])
		r->bank[bank] = (uint32_t)s->size;
}

static void share_banks(struct reader *r)
{
	for (size_t i = 0; i < r->out->kernel.n; i++)
		for (unsigned b = 0; b < KERNEL_BANKS; b++)
			if (r->bank[b])
				r->out->kernel.at[i].machine.bank[b] = r->bank[b];
}

static bool read_sections(struct reader *r)
{
	struct elf64_section s;
	bool ok = true;
	// Before CUDA 13 counts of .text sections are in their headers; .nv.info, sooner or later, says the same of registers.
	for (size_t i = 1; elf64_section(&r->elf, i, &s); i++) {
		const char *name;
		struct cubin_kernel *k;
		if (!strcmp(s.name, ".nv.info")) {
			ok &= read_info(r, &s, NULL);
		} else if ((name = name_behind(&s, ".nv.info."))) {
			if ((k = find(r->out, name)))
				ok &= read_info(r, &s, k);
		} else if ((name = name_behind(&s, ".nv.shared."))) {
			if ((k = find(r->out, name)))
				k->machine.shared = s.size > k->reserved_shared ? (unsigned)s.size - k->reserved_shared : 0;
		} else if ((name = name_behind(&s, ".text."))) {
				if (!(k = find(r->out, name)))
				continue;
			if (!k->registers)
				k->registers = s.info >> 24;
			if (!k->machine.barriers)
				k->machine.barriers = s.flags >> TEXT_BARRIERS_AT & TEXT_BARRIERS;
		} else {
			read_bank(r, &s);
		}
	}
	return ok;
}

static void read_variables(struct reader *r)
{
	static const char *const name[N_VARIABLE_SECTIONS] = {".nv.global", ".nv.global.init", ".nv.constant3"};
	struct elf64_section section[N_VARIABLE_SECTIONS];
	bool present[N_VARIABLE_SECTIONS];
	for (unsigned k = 0; k < N_VARIABLE_SECTIONS; k++) {
		present[k] = elf64_find(&r->elf, name[k], &section[k]);
		r->out->variables.section[k].size = present[k] ? section[k].size : 0;
	}
	struct elf64_symbol s;
	for (size_t i = 0; elf64_symbol(&r->elf, &r->symbols, i, &s); i++) {
		if (s.type != STT_OBJECT && s.type != STT_CUDA_OBJECT)
			continue;
		for (unsigned k = 0; k < N_VARIABLE_SECTIONS; k++) {
			if (!present[k] || s.section != section[k].index || s.value > section[k].size ||
			    s.size > section[k].size - s.value)
				continue;
			size_t len = strlen(s.name) + 1;
			if (len > r->names_left)
				return;
			r->names_left -= len;
			struct variable_place at = {
			        .name = arena_strdup(r->arena, s.name), .section = k, .offset = s.value, .size = s.size};
			VEC_PUSH(&r->out->places, at);
		}
	}
	r->out->variables.n = r->out->places.n;
	r->out->variables.at = r->out->places.at;
}

// Note of the compiler: sizes of owner and description, a kind; the owner; of the description the second 16 bits are the target.
static unsigned read_target(const struct reader *r)
{
	enum { OWNER = 12, TARGET = OWNER + 12 + 2, END = TARGET + 2 };
	struct elf64_section s;
	bool has = elf64_find(&r->elf, ".note.nv.cuinfo", &s) && s.data && s.size >= END && !memcmp(s.data + OWNER, "NVIDIA Corp", 12);
	return has ? get16(s.data + TARGET) : r->out->arch;
}

static unsigned arch_of(const struct elf64 *e) { return (e->osabi == CUBIN_OSABI ? e->flags >> 8 : e->flags) & 0xff; }

unsigned cubin_arch(const void *data, size_t size)
{
	struct elf64 e;
	return elf64_open(&e, data, size) || e.machine != EM_CUDA ? 0 : arch_of(&e);
}

bool cubin_read(struct cubin *out, const void *data, size_t size, struct arena *arena, struct diag *d)
{
	struct reader r = {.out = out, .arena = arena, .info_left = size, .slots_left = size, .names_left = size};
	*out = (struct cubin){0};
	const char *wrong = elf64_open(&r.elf, data, size);
	if (!wrong && r.elf.machine != EM_CUDA)
		wrong = "an ELF file for another machine";
	if (!wrong) {
		out->arch = arch_of(&r.elf);
		out->target = read_target(&r);
		elf64_find_type(&r.elf, SHT_SYMTAB, &r.symbols);
		add_kernels(&r);
		read_variables(&r);
		if (!read_sections(&r))
			wrong = "damaged";
		share_banks(&r);
	}
	if (wrong)
		diag_add(d, DIAG_ERROR, "the machine code in the program is %s; build the program again", wrong);
	return !wrong;
}

const struct cubin_kernel *cubin_find(const struct cubin *c, const char *name) { return find(c, name); }

void cubin_free(struct cubin *c)
{
	VEC_FREE(&c->kernel);
	VEC_FREE(&c->places);
	map_free(&c->by_name);
	*c = (struct cubin){0};
}
