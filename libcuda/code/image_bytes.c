#include "libcuda/code/image_bytes.h"

#include "base/mem.h"
#include "libcuda/code/link_image.h"
#include "libcuda/context/guard.h"
#include "libcuda/image/bytes.h"
#include "libcuda/image/cubin.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTAINER_MAGIC = 0xba55ed50, CONTAINER_HEADER = 16, WRAPPER_SIZE = 24, WRAPPER_LINKED = 2 };

// No compiler emits a module near this size.
static const size_t max_image = (size_t)1 << 30;

static cudaError_t no_image(struct diag *d, const char *why)
{
	diag_add(d, DIAG_ERROR, "the image is no PTX, cubin or fat binary: %s", why);
	return cudaErrorInvalidKernelImage;
}

// Up to the end of the last section or segment, or of their tables. 0 if a table can't be read.
static size_t elf_size(const uint8_t *p)
{
	Elf64_Ehdr h;
	if (!guard_read(&h, p, sizeof h) || h.e_shoff > max_image || h.e_phoff > max_image)
		return 0;
	uint64_t end = sizeof h;
	uint64_t tables[] = {h.e_shoff + (uint64_t)h.e_shnum * h.e_shentsize, h.e_phoff + (uint64_t)h.e_phnum * h.e_phentsize};
	for (int i = 0; i < 2; i++)
		end = tables[i] > end ? tables[i] : end;
	for (unsigned i = 0; i < h.e_shnum; i++) {
		Elf64_Shdr s;
		if (!guard_read(&s, p + h.e_shoff + (uint64_t)i * h.e_shentsize, sizeof s))
			return 0;
		if (s.sh_type == SHT_NOBITS || s.sh_offset > max_image || s.sh_size > max_image)
			continue;
		end = s.sh_offset + s.sh_size > end ? s.sh_offset + s.sh_size : end;
	}
	return (size_t)end;
}

static cudaError_t copy(struct image_bytes *out, enum image_kind kind, const void *p, size_t size)
{
	if (size > max_image)
		return cudaErrorInvalidKernelImage;
	out->kind = kind;
	out->size = size;
	out->bytes = mem_alloc(size + 1);
	if (guard_read(out->bytes, p, size))
		return cudaSuccess;
	image_bytes_free(out);
	return cudaErrorInvalidValue;
}

static cudaError_t take_container(struct image_bytes *out, const uint8_t *p, size_t room, struct diag *d)
{
	uint8_t h[CONTAINER_HEADER];
	if (room && room < sizeof h)
		return no_image(d, "its container is cut off");
	if (!guard_read(h, p, sizeof h))
		return cudaErrorInvalidValue;
	uint64_t size = get16(h + 6) + get64(h + 8);
	if (get32(h) != (uint32_t)CONTAINER_MAGIC || size > max_image || (room && size > room))
		return no_image(d, "its container is malformed");
	return copy(out, IMAGE_CONTAINER, p, (size_t)size);
}

static cudaError_t take_wrapper(struct image_bytes *out, const uint8_t *p, struct diag *d)
{
	uint8_t w[WRAPPER_SIZE];
	if (!guard_read(w, p, sizeof w))
		return cudaErrorInvalidValue;
	const uint8_t *container = (const uint8_t *)(uintptr_t)get64(w + 8);
	if (get32(w + 4) < WRAPPER_LINKED)
		return take_container(out, container, 0, d);
	if (!guard_mapped(container, CONTAINER_HEADER))
		return no_image(d, "its wrapper points nowhere");
	*out = (struct image_bytes){.kind = IMAGE_WRAPPER, .wrapper = p};
	return cudaSuccess;
}

cudaError_t image_bytes_take(struct image_bytes *out, const void *p, size_t size, struct diag *d)
{
	uint8_t magic[4];
	memset(out, 0, sizeof *out);
	if (!p)
		return cudaErrorInvalidValue;
	if ((size && size < sizeof magic) || !guard_read(magic, p, sizeof magic)) // nothing else than a text is so short
		memset(magic, 0, sizeof magic);
	switch (get32(magic)) {
	case FATBIN_WRAPPER_MAGIC:
		if (size && size < WRAPPER_SIZE)
			return no_image(d, "its wrapper is cut off");
		return take_wrapper(out, p, d);
	case (uint32_t)CONTAINER_MAGIC: return take_container(out, p, size, d);
	case 0x464c457f: // "\177ELF"
		size = size ? size : elf_size(p);
		return size ? copy(out, IMAGE_CUBIN, p, size) : no_image(d, "its tables of sections cannot be read");
	}
	size_t text = size && size != SIZE_MAX ? size : guard_text_length(p, max_image);
	if (text == SIZE_MAX)
		return cudaErrorInvalidValue;
	cudaError_t e = copy(out, IMAGE_PTX, p, text);
	if (e)
		return e;
	out->size = strlen((const char *)out->bytes);
	if (strstr((const char *)out->bytes, ".version"))
		return cudaSuccess;
	image_bytes_free(out);
	return no_image(d, "it begins with no magic number, and has no .version line");
}

cudaError_t image_bytes_file(struct image_bytes *out, const char *path, struct diag *d)
{
	memset(out, 0, sizeof *out);
	FILE *f = fopen(path, "rb");
	if (!f)
		return cudaErrorFileNotFound;
	VEC(uint8_t) v = {0};
	uint8_t buf[65536];
	for (size_t n; v.n < max_image && (n = fread(buf, 1, sizeof buf, f)) > 0;) {
		VEC_RESERVE(&v, v.n + n + 1);
		memcpy(v.at + v.n, buf, n);
		v.n += n;
	}
	bool bad = ferror(f);
	fclose(f);
	if (v.n)
		v.at[v.n] = 0;
	cudaError_t e = bad ? cudaErrorFileNotFound : v.n ? image_bytes_take(out, v.at, v.n, d) : no_image(d, "it is empty");
	VEC_FREE(&v);
	if (!e)
		out->file = mem_strdup(path);
	return e;
}

void image_bytes_free(struct image_bytes *b)
{
	mem_free(b->bytes);
	mem_free(b->file);
	memset(b, 0, sizeof *b);
}

unsigned image_bytes_target(const char *ptx)
{
	const char *t = strstr(ptx, ".target");
	t = t ? strstr(t, "sm_") : NULL;
	return t ? (unsigned)strtoul(t + 3, NULL, 10) : 0;
}

bool image_bytes_read(const struct image_bytes *b, struct fatbin *out, struct diag *d)
{
	if (b->kind == IMAGE_WRAPPER)
		return fatbin_read(out, b->wrapper, d);
	if (b->kind == IMAGE_CONTAINER && link_image_is(b->bytes, b->size))
		return link_image_read(out, b->bytes, b->size, d);
	if (b->kind == IMAGE_CONTAINER)
		return fatbin_read_container(out, b->bytes, b->size, NULL, d);
	struct fatbin_entry e = {.flags = FATBIN_64BIT | FATBIN_LINUX, .options = "", .file = b->file ? b->file : "", .payload = b->bytes, .stored = b->size,
	                         .raw_size = b->size};
	if (b->kind == IMAGE_PTX) {
		e.kind = FATBIN_PTX;
		e.arch = image_bytes_target((const char *)b->bytes);
	} else {
		e.kind = FATBIN_CUBIN;
		e.arch = cubin_arch(b->bytes, b->size);
		if (!e.arch) {
			diag_add(d, DIAG_ERROR, "the image is an ELF file, but no machine code for a GPU");
			return false;
		}
	}
	out->n_containers = 1;
	VEC_PUSH(&out->entry, e);
	return true;
}
