#include "libcuda/code/link.h"

#include "base/mem.h"
#include "base/options.h"
#include "cuda-sim/ptx/ptx.h"
#include "libcuda/code/image_bytes.h"
#include "libcuda/code/link_image.h"
#include "libcuda/code/module.h"
#include "libcuda/context/guard.h"
#include "libcuda/image/choice.h"
#include "libcuda/image/cubin.h"
#include "libcuda/image/elf64.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT_CUBIN, INPUT_PTX, INPUT_FATBIN, INPUT_OBJECT, INPUT_LIBRARY, INPUT_NVVM, N_INPUTS }; // CUjitInputType

struct link {
	VEC(struct link_part) part;
	struct link_image image;
	struct jit_log log;
	struct diag d;
};

static struct handle_pool links = {.size = sizeof(struct link)};

static bool is_link(const struct link *l) { return handle_valid(&links, l); }

cudaError_t link_create(struct link **out, const struct jit_options *o)
{
	struct jit_log log;
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	cudaError_t e = jit_log_begin(&log, o);
	if (e)
		return e;
	*out = handle_new(&links);
	(*out)->log = log;
	jit_log_write(&log, &(*out)->d);
	return cudaSuccess;
}

cudaError_t link_destroy(struct link *l)
{
	if (!is_link(l))
		return cudaErrorInvalidResourceHandle;
	for (size_t i = 0; i < l->part.n; i++) {
		mem_free(l->part.at[i].bytes);
		mem_free(l->part.at[i].name);
	}
	VEC_FREE(&l->part);
	link_image_free(&l->image);
	diag_free(&l->d);
	handle_free(&links, l);
	return cudaSuccess;
}

// What was told goes to the log, which has all messages so far; without one it is printed.
static cudaError_t told(struct link *l, cudaError_t e)
{
	if (!jit_log_write(&l->log, &l->d))
		cu_print_diag(&l->d);
	return e;
}

static void add_part(struct link *l, enum fatbin_kind kind, unsigned arch, const char *name, const void *bytes, size_t size)
{
	struct link_part p = {kind, arch, mem_strdup(name), mem_alloc(size + 1), size};
	memcpy(p.bytes, bytes, size);
	VEC_PUSH(&l->part, p);
}

static cudaError_t wrong_image(struct link *l, const char *name, const char *what)
{
	diag_add(&l->d, DIAG_ERROR, "%s is no %s", name, what);
	return cudaErrorInvalidKernelImage;
}

// --- inputs, each with a NUL behind its `size` bytes

static cudaError_t add_ptx(struct link *l, const char *text, size_t size, const char *name)
{
	struct ptx_module *m = ptx_module_parse(name, text, size = strnlen(text, size), &l->d);
	if (!m)
		return cudaErrorInvalidPtx;
	ptx_module_free(m);
	add_part(l, FATBIN_PTX, image_bytes_target(text), name, text, size);
	return cudaSuccess;
}

static bool relocatable(const void *data, size_t size)
{
	struct elf64 elf;
	return !elf64_open(&elf, data, size) && elf.type == ET_REL;
}

static cudaError_t add_cubin(struct link *l, const void *data, size_t size, const char *name)
{
	unsigned arch = cubin_arch(data, size), own = (unsigned)(cu.desc.major * 10 + cu.desc.minor);
	if (!arch)
		return wrong_image(l, name, "machine code for a GPU");
	if (!choice_suits(arch, false, own)) {
		diag_add(&l->d, DIAG_ERROR, "%s is machine code for sm_%u, which an sm_%u does not run", name, arch, own);
		return cudaErrorNoKernelImageForDevice;
	}
	if (relocatable(data, size)) {
		diag_add(&l->d, DIAG_ERROR, "%s is machine code that is not linked yet, and Heddle links PTX only: give PTX instead, or link with nvJitLink "
		                            "or nvlink", name);
		return cudaErrorNotSupported;
	}
	for (size_t i = 0; i < l->part.n; i++)
		if (l->part.at[i].kind == FATBIN_CUBIN) {
			diag_add(&l->d, DIAG_ERROR, "%s and %s are both linked machine code, which is not linked again", l->part.at[i].name, name);
			return cudaErrorNotSupported;
		}
	add_part(l, FATBIN_CUBIN, arch, name, data, size);
	return cudaSuccess;
}

// Of each container its PTX, or else, unless only that is wanted, its machine code. `found` counts them.
static cudaError_t add_entries(struct link *l, const struct fatbin *f, const char *name, bool ptx_only, unsigned *found)
{
	struct arena arena = {0};
	cudaError_t e = cudaSuccess;
	for (unsigned c = fatbin_first_module(f); c < f->n_containers && !e; c++) {
		struct diag quiet = {0};
		const struct fatbin_entry *x = fatbin_select_ptx(f, c, cu.opt->gpgpu_ptx_force_max_capability, &quiet);
		const char *data;
		size_t size;
		diag_free(&quiet);
		if (!x && !ptx_only)
			x = choice_cubin(f, c, (unsigned)(cu.desc.major * 10 + cu.desc.minor));
		if (!x)
			continue;
		if (!fatbin_payload(x, &arena, &data, &size, &l->d))
			e = cudaErrorInvalidKernelImage;
		else
			e = x->kind == FATBIN_PTX ? add_ptx(l, data, size, name) : add_cubin(l, data, size, name);
		++*found;
	}
	arena_free(&arena);
	return e;
}

static cudaError_t add_found(struct link *l, const struct fatbin *f, const char *name)
{
	unsigned found = 0;
	cudaError_t e = add_entries(l, f, name, false, &found);
	if (e || found)
		return e;
	diag_add(&l->d, DIAG_ERROR, "%s has neither PTX nor machine code for this GPU", name);
	return cudaErrorNoKernelImageForDevice;
}

static cudaError_t add_fatbin(struct link *l, const void *data, size_t size, const char *name)
{
	struct image_bytes b;
	struct fatbin f = {0};
	cudaError_t e = image_bytes_take(&b, data, size, &l->d);
	if (e)
		return cudaErrorInvalidKernelImage;
	if (b.kind != IMAGE_CONTAINER)
		e = wrong_image(l, name, "fat binary");
	else if (!image_bytes_read(&b, &f, &l->d))
		e = cudaErrorInvalidKernelImage;
	if (!e)
		e = add_found(l, &f, name);
	fatbin_free(&f);
	image_bytes_free(&b);
	return e;
}

// The device code of an object file of the host, where compilers put it. False if it is no object file.
static bool read_object(struct fatbin *f, const void *data, size_t size, struct diag *d)
{
	static const char *const sections[] = {"__nv_relfatbin", ".nv_fatbin"};
	struct elf64 elf;
	struct elf64_section s;
	if (elf64_open(&elf, data, size))
		return false;
	for (int i = 0; i < 2; i++)
		if (elf64_find(&elf, sections[i], &s) && s.data && !fatbin_read_section(f, s.data, s.size, d))
			return false;
	return true;
}

static cudaError_t add_object(struct link *l, const void *data, size_t size, const char *name)
{
	struct fatbin f = {0};
	if (cubin_arch(data, size))
		return add_cubin(l, data, size, name);
	cudaError_t e = read_object(&f, data, size, &l->d) ? add_found(l, &f, name) : wrong_image(l, name, "object file");
	fatbin_free(&f);
	return e;
}

// Archives of ar: a header of 60 bytes before each member, whose size stands in decimal digits at 48. A member without PTX is left out:
// what it defines may not be needed, as of libcudadevrt.a, whose functions Heddle has itself.
static cudaError_t add_library(struct link *l, const uint8_t *data, size_t size, const char *name)
{
	enum { MAGIC = 8, HEADER = 60, SIZE_AT = 48, SIZE_LEN = 10 };
	cudaError_t e = cudaSuccess;
	if (size < MAGIC || memcmp(data, "!<arch>\n", MAGIC))
		return wrong_image(l, name, "library of objects");
	for (size_t at = MAGIC; at + HEADER <= size && !e;) {
		char digits[SIZE_LEN + 1] = {0};
		memcpy(digits, data + at + SIZE_AT, SIZE_LEN);
		size_t n = strtoul(digits, NULL, 10);
		at += HEADER;
		if (n > size - at)
			return wrong_image(l, name, "whole library: a member is cut off");
		struct fatbin f = {0};
		struct diag quiet = {0}; // the list of symbols is a member too, and no object
		unsigned found = 0;
		if (read_object(&f, data + at, n, &quiet))
			e = add_entries(l, &f, name, true, &found);
		fatbin_free(&f);
		diag_free(&quiet);
		at += n + n % 2;
	}
	return e;
}

static cudaError_t add(struct link *l, int type, const void *data, size_t size, const char *name)
{
	switch (type) {
	case INPUT_CUBIN: return add_cubin(l, data, size, name);
	case INPUT_PTX: return add_ptx(l, data, size, name);
	case INPUT_FATBIN: return add_fatbin(l, data, size, name);
	case INPUT_OBJECT: return add_object(l, data, size, name);
	case INPUT_LIBRARY: return add_library(l, data, size, name);
	}
	diag_add(&l->d, DIAG_ERROR, "%s is code that a compiler would have to translate, and there is none in Heddle; NVRTC and nvJitLink make PTX of it",
	         name);
	return cudaErrorJitCompilerNotFound;
}

// The options of one input say nothing to Heddle.
static cudaError_t check(struct link *l, int type, const struct jit_options *o)
{
	struct jit_log log;
	if (!is_link(l))
		return cudaErrorInvalidResourceHandle;
	return type < 0 || type >= N_INPUTS ? cudaErrorInvalidValue : jit_log_begin(&log, o);
}

cudaError_t link_add(struct link *l, int type, const void *data, size_t size, const char *name, const struct jit_options *o)
{
	char copy[1024] = "input";
	struct image_bytes b = {0};
	cudaError_t e = check(l, type, o);
	if (!e && (!data || !size || (name && !guard_read_text(copy, sizeof copy, name))))
		e = cudaErrorInvalidValue;
	if (e)
		return e;
	if (size > (size_t)1 << 30 || !(b.bytes = mem_try_alloc(size + 1)))
		return cudaErrorMemoryAllocation;
	b.bytes[size] = 0;
	e = guard_read(b.bytes, data, size) ? told(l, add(l, type, b.bytes, size, *copy ? copy : "input")) : cudaErrorInvalidValue;
	image_bytes_free(&b);
	return e;
}

cudaError_t link_add_file(struct link *l, int type, const char *path, const struct jit_options *o)
{
	char copy[4096];
	struct elf64_file f;
	cudaError_t e = check(l, type, o);
	if (!e && !guard_read_text(copy, sizeof copy, path))
		e = cudaErrorInvalidValue;
	if (e)
		return e;
	if (!elf64_map_file(&f, copy))
		return cudaErrorFileNotFound;
	uint8_t *bytes = mem_try_alloc(f.size + 1);
	if (bytes) {
		memcpy(bytes, f.data, f.size);
		bytes[f.size] = 0;
		e = told(l, add(l, type, bytes, f.size, copy));
	}
	mem_free(bytes);
	size_t size = f.size;
	elf64_unmap_file(&f);
	return bytes || !size ? e : cudaErrorMemoryAllocation;
}

// --- the whole

cudaError_t link_complete(struct link *l, void **image, size_t *size)
{
	cudaError_t e;
	if (!is_link(l))
		return cudaErrorInvalidResourceHandle;
	if (!GUARD_OUT(image) || !GUARD_OUT_OR_NULL(size))
		return cudaErrorInvalidValue;
	if (!l->part.n) {
		diag_add(&l->d, DIAG_ERROR, "there is nothing to link");
		return told(l, cudaErrorInvalidKernelImage);
	}
	link_image_free(&l->image);
	link_image_make(&l->image, l->part.at, l->part.n);
	// What is missing or defined twice shows when it is loaded.
	struct module *m = module_new(l->image.bytes.at, l->image.bytes.n, true, &e, &l->d);
	if (!m)
		return told(l, e);
	module_remove(m);
	*image = l->image.bytes.at;
	if (size)
		*size = l->image.bytes.n;
	return told(l, cudaSuccess);
}
