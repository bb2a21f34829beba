#include "libcuda/image/fatbin.h"

#include "libcuda/image/bytes.h"

#include <inttypes.h>
#include <link.h>
#include <lz4.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

enum {
	CONTAINER_MAGIC = 0xba55ed50,
	CONTAINER_HEADER = 16,
	ENTRY_HEADER = 64, // the fields read here; real headers may be longer
	MAX_OBJECTS = 1 << 20, // of a linked program
};

// No compiler emits a module near this size; a larger figure is a corrupt header.
static const uint64_t max_payload = (uint64_t)1 << 30;

// A string of `len` bytes at `offset` of an entry of `size` header bytes; "" if absent or outside the header.
static const char *header_string(struct fatbin *f, const uint8_t *entry, uint32_t size, uint32_t offset, uint32_t len)
{
	if (!offset || offset > size || len > size - offset)
		return "";
	const char *s = (const char *)entry + offset;
	return arena_strndup(&f->arena, s, strnlen(s, len));
}

// Reads the entry at `p`, of which `left` bytes remain in its container. NULL, or what is wrong with it.
static const char *read_entry(struct fatbin *f, struct fatbin_entry *e, const uint8_t *p, uint64_t left, uint64_t *used)
{
	if (left < ENTRY_HEADER)
		return "its header is cut off";
	uint32_t header = get32(p + 4);
	if (header < ENTRY_HEADER || header > left)
		return "its header has an impossible size";
	uint64_t padded = get64(p + 8);
	if (padded > left - header)
		return "it reaches past the end of the container";
	e->kind = get16(p);
	e->minor = get16(p + 24);
	e->major = get16(p + 26);
	e->arch = get32(p + 28);
	e->flags = get64(p + 40);
	e->payload = p + header;
	e->stored = (size_t)padded;
	e->raw_size = (size_t)padded;
	uint32_t options = get32(p + 20);
	e->options = "";
	if (options && options <= header - 8)
		e->options = header_string(f, p, header, get32(p + options), get32(p + options + 4));
	e->file = header_string(f, p, header, get32(p + 32), get32(p + 36));
	*used = header + padded;
	if (e->flags & (FATBIN_LZ4 | FATBIN_ZSTD)) {
		uint32_t compressed = get32(p + 16);
		uint64_t raw = get64(p + 56);
		if (compressed > padded)
			return "its compressed size is larger than the space it takes";
		if (raw > max_payload || compressed > max_payload)
			return "its size is not credible";
		e->stored = compressed;
		e->raw_size = (size_t)raw;
	}
	return NULL;
}

bool fatbin_read_container(struct fatbin *out, const void *data, size_t size, size_t *used, struct diag *d)
{
	const uint8_t *p = data;
	unsigned container = out->n_containers++;
	if (used)
		*used = 0;
	if (size < CONTAINER_HEADER || get32(p) != (uint32_t)CONTAINER_MAGIC) {
		diag_add(d, DIAG_ERROR, "fat binary container %u is not one: %s; the program file is damaged, build "
		                        "it again",
		         container, size < CONTAINER_HEADER ? "it is cut off" : "wrong magic number");
		return false;
	}
	uint16_t header = get16(p + 6);
	uint64_t body = get64(p + 8);
	if (header < CONTAINER_HEADER || header > size) {
		diag_add(d, DIAG_ERROR, "fat binary container %u has a header of %u bytes; this format is not known",
		         container, header);
		return false;
	}
	bool whole = body <= size - header;
	if (!whole) {
		diag_add(d, DIAG_ERROR,
		         "fat binary container %u says it holds %" PRIu64 " bytes but only %zu are there; the program "
		         "file is truncated, build or copy it again",
		         container, body, size - header);
		body = size - header;
	}
	if (used)
		*used = header + (size_t)body;
	uint64_t at = 0;
	for (unsigned number = 0; at < body; number++) {
		struct fatbin_entry e = {.container = container, .number = number};
		uint64_t len = 0;
		const char *wrong = read_entry(out, &e, p + header + at, body - at, &len);
		if (wrong) {
			diag_add(d, DIAG_ERROR,
			         "fat binary container %u, entry %u: %s; the program file is damaged, build it again",
			         container, number, wrong);
			return false;
		}
		VEC_PUSH(&out->entry, e);
		at += len;
	}
	return whole;
}

bool fatbin_read_section(struct fatbin *out, const void *data, size_t size, struct diag *d)
{
	const uint8_t *p = data;
	size_t at = 0;
	while (at < size) {
		if (!p[at]) { // padding
			at++;
			continue;
		}
		size_t used;
		if (!fatbin_read_container(out, p + at, size - at, &used, d))
			return false;
		at += used;
	}
	return true;
}

struct extent {
	uintptr_t at;
	size_t left;
};

static int find_extent(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct extent *x = arg;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + h->p_vaddr;
		if (h->p_type == PT_LOAD && x->at >= start && x->at - start < h->p_memsz) {
			x->left = h->p_memsz - (x->at - start);
			return 1;
		}
	}
	return 0;
}

// Bytes that can be read at `p` as far as is known: to the end of its segment in a loaded object; for other memory only
// the container itself can tell.
static size_t readable(const void *p)
{
	struct extent x = {.at = (uintptr_t)p, .left = SIZE_MAX};
	dl_iterate_phdr(find_extent, &x);
	return x.left;
}

static bool read_loaded(struct fatbin *out, const void *container, struct diag *d)
{
	if (container)
		return fatbin_read_container(out, container, readable(container), NULL, d);
	diag_add(d, DIAG_ERROR, "fat binary container %u is missing (null pointer)", out->n_containers++);
	return false;
}

bool fatbin_read(struct fatbin *out, const void *wrapper, struct diag *d)
{
	struct {
		uint32_t magic, version;
		const void *container;
		const void *const *objects;
	} w;
	*out = (struct fatbin){0};
	if (!wrapper || readable(wrapper) < sizeof w) {
		diag_add(d, DIAG_ERROR, "no fat binary was given");
		return false;
	}
	memcpy(&w, wrapper, sizeof w);
	if (w.magic != FATBIN_WRAPPER_MAGIC) {
		diag_add(d, DIAG_ERROR, "the fat binary wrapper has magic number %08x instead of %08x", w.magic,
		         FATBIN_WRAPPER_MAGIC);
		return false;
	}
	if (w.version != 1 && w.version != 2) {
		diag_add(d, DIAG_ERROR, "the fat binary wrapper has version %u; 1 and 2 are known", w.version);
		return false;
	}
	bool ok = read_loaded(out, w.container, d);
	if (w.version == 1 || !w.objects)
		return ok;
	out->linked = true;
	size_t limit = readable(w.objects) / sizeof *w.objects;
	for (size_t i = 0; i < limit && i < MAX_OBJECTS && w.objects[i]; i++)
		ok &= read_loaded(out, w.objects[i], d);
	return ok;
}

void fatbin_free(struct fatbin *f)
{
	VEC_FREE(&f->entry);
	arena_free(&f->arena);
	*f = (struct fatbin){0};
}

// Decompresses into `raw`, of e->raw_size bytes. NULL, or what is wrong.
static const char *decompress(const struct fatbin_entry *e, char *raw)
{
	if (e->flags & FATBIN_ZSTD) {
		size_t n = ZSTD_decompress(raw, e->raw_size, e->payload, e->stored);
		return ZSTD_isError(n) ? ZSTD_getErrorName(n) : n != e->raw_size ? "shorter than announced" : NULL;
	}
	int n = LZ4_decompress_safe((const char *)e->payload, raw, (int)e->stored, (int)e->raw_size);
	return n < 0 ? "LZ4 data is malformed" : (size_t)n != e->raw_size ? "shorter than announced" : NULL;
}

// Whether so few stored bytes can become so many: LZ4 yields at most 255 for one, and a zstd frame states its size.
static bool size_credible(const struct fatbin_entry *e)
{
	if (e->flags & FATBIN_ZSTD)
		return ZSTD_getFrameContentSize(e->payload, e->stored) == e->raw_size;
	return e->raw_size / 255 <= e->stored;
}

bool fatbin_payload(const struct fatbin_entry *e, struct arena *arena, const char **text, size_t *len, struct diag *d)
{
	const char *bytes = (const char *)e->payload, *wrong = NULL, *remedy = "; build the program again";
	char *raw = NULL;
	if (e->flags & (FATBIN_LZ4 | FATBIN_ZSTD)) {
		if (!size_credible(e))
			wrong = "the sizes in its header contradict each other";
		else if (!(raw = mem_try_alloc(e->raw_size)))
			wrong = "the host has not enough memory to decompress it", remedy = "";
		else
			wrong = decompress(e, raw);
		bytes = raw;
	}
	if (wrong) {
		char name[32];
		diag_add(d, DIAG_ERROR,
		         "fat binary container %u, entry %u (%s for %s) cannot be read: %s%s", e->container, e->number,
		         fatbin_kind_name(e->kind), fatbin_arch_name(e, name, sizeof name), wrong, remedy);
	} else {
		*len = e->kind == FATBIN_PTX ? strnlen(bytes, e->raw_size) : e->raw_size;
		*text = arena_strndup(arena, bytes, *len);
	}
	mem_free(raw);
	return !wrong;
}

// Orders entries of one kind: by architecture, plain targets before their sm_NNa and sm_NNf forms.
static unsigned rank(const struct fatbin_entry *e)
{
	return e->arch * 2 + !(e->flags & (FATBIN_ARCH_A | FATBIN_ARCH_F));
}

// The best entry of a kind: the newest not above `max`, else the lowest. `any` takes an entry of another kind.
static const struct fatbin_entry *pick(const struct fatbin *f, unsigned container, unsigned kind, unsigned max,
                                       const struct fatbin_entry **any)
{
	const struct fatbin_entry *below = NULL, *above = NULL;
	for (size_t i = 0; i < f->entry.n; i++) {
		const struct fatbin_entry *e = &f->entry.at[i];
		if (e->container != container)
			continue;
		if (e->kind != kind) {
			if (any && (!*any || e->kind == FATBIN_CUBIN))
				*any = e;
		} else if (!max || e->arch <= max) {
			if (!below || rank(e) > rank(below))
				below = e;
		} else if (!above || e->arch < above->arch || (e->arch == above->arch && rank(e) > rank(above))) {
			above = e;
		}
	}
	return below ? below : above;
}

const struct fatbin_entry *fatbin_select_ptx(const struct fatbin *f, unsigned container, unsigned max, struct diag *d)
{
	char name[32];
	const struct fatbin_entry *other = NULL;
	const struct fatbin_entry *e = pick(f, container, FATBIN_PTX, max, &other);
	if (e) {
		if (max && e->arch > max)
			diag_remark(d, "no PTX for capability %u.%u or below in the program; using that for %s", max / 10,
			            max % 10, fatbin_arch_name(e, name, sizeof name));
		return e;
	}
	if (!other) {
		diag_add(d, DIAG_ERROR, "fat binary container %u is empty: no PTX to run; build the program with nvcc "
		                        "-gencode arch=compute_90,code=compute_90", container);
		return NULL;
	}
	diag_add(d, DIAG_ERROR,
	         "the program has no PTX, only %s for %s, which does not run on this GPU; build it again with nvcc -gencode "
	         "arch=compute_%u,code=compute_%u",
	         fatbin_kind_name(other->kind), fatbin_arch_name(other, name, sizeof name), other->arch, other->arch);
	return NULL;
}

const struct fatbin_entry *fatbin_select_cubin(const struct fatbin *f, unsigned container, unsigned arch)
{
	return pick(f, container, FATBIN_CUBIN, arch, NULL);
}

unsigned fatbin_first_module(const struct fatbin *f) { return f->linked && f->n_containers > 1 ? 1 : 0; }

const char *fatbin_kind_name(unsigned kind)
{
	switch (kind) {
	case FATBIN_PTX:
		return "PTX";
	case FATBIN_CUBIN:
		return "machine code";
	case FATBIN_LTO:
		return "LTO-IR";
	default:
		return "an unknown kind of code";
	}
}

const char *fatbin_arch_name(const struct fatbin_entry *e, char *buf, size_t size)
{
	const char *prefix = e->kind == FATBIN_PTX ? "compute" : e->kind == FATBIN_LTO ? "lto" : "sm";
	const char *suffix = e->flags & FATBIN_ARCH_A ? "a" : e->flags & FATBIN_ARCH_F ? "f" : "";
	snprintf(buf, size, "%s_%u%s", prefix, e->arch, suffix);
	return buf;
}
