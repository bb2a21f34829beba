#include "libcuda/image/patch.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "libcuda/image/closed.h"
#include "libcuda/image/elf64.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	JUMP_SIZE = 12,
	VERSYM_HIDDEN = 0x8000, // a version, but not the default one
	VERSYM_NUMBER = 0x7fff,
};

struct object {
	uintptr_t base;
	const ElfW(Phdr) *segment;
	unsigned n_segments;
};

static struct {
	uintptr_t self_base; // where this library is loaded
	char *self_path;
	struct map exports; // name or name@version to address; filled when first needed
	VEC(struct object) seen;
	unsigned long long unloads; // when `seen` was last valid
	int release;
	bool told, told_driver;
	// The objects with a static runtime; others only ever read entries below n_copies. An entry changes only when another object
	// lies where its own did, from which nobody calls any more.
	struct {
		_Atomic uintptr_t from, to;
	} copies[PATCH_COPIES - 1];
	atomic_uint n_copies;
} patch;

int patch_static_release(void) { return patch.release; }

unsigned patch_copy_of(const void *caller)
{
	unsigned n = atomic_load(&patch.n_copies);
	uintptr_t p = (uintptr_t)caller;
	for (unsigned i = 0; n > 1 && i < n; i++)
		if (p >= atomic_load(&patch.copies[i].from) && p < atomic_load(&patch.copies[i].to))
			return i + 1;
	return 0;
}

// Notes an object with a static runtime, in the place of one that lay there and was closed.
static void add_copy(const struct object *o)
{
	uintptr_t from = UINTPTR_MAX, to = 0;
	for (unsigned i = 0; i < o->n_segments; i++) {
		const ElfW(Phdr) *h = &o->segment[i];
		if (h->p_type != PT_LOAD)
			continue;
		uintptr_t begin = o->base + h->p_vaddr;
		from = begin < from ? begin : from;
		to = begin + h->p_memsz > to ? begin + h->p_memsz : to;
	}
	unsigned n = atomic_load(&patch.n_copies), i = 0;
	while (i < n && (to <= atomic_load(&patch.copies[i].from) || from >= atomic_load(&patch.copies[i].to)))
		i++;
	if (i == PATCH_COPIES - 1)
		return;
	atomic_store(&patch.copies[i].from, from);
	atomic_store(&patch.copies[i].to, to);
	if (i == n)
		atomic_store(&patch.n_copies, n + 1);
}

__attribute__((format(printf, 1, 2))) static void tell_once(const char *fmt, ...)
{
	if (patch.told)
		return;
	patch.told = true;
	va_list ap;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
}

// Whether it is one of the names of this library, which lie beside it.
static bool lies_beside(const char *path)
{
	const char *end = patch.self_path ? strrchr(patch.self_path, '/') : NULL;
	char *real = realpath(path, NULL), *slash = real ? strrchr(real, '/') : NULL;
	bool beside = end && slash && slash - real == end - patch.self_path && !strncmp(real, patch.self_path, (size_t)(slash - real));
	free(real);
	return beside;
}

// Another library of the CUDA driver is loaded than Heddle's, by its path: Heddle's is found first by name.
static void tell_driver(const char *path)
{
	if (patch.told_driver || lies_beside(path))
		return;
	fprintf(stderr, "heddle: note: the program loads a CUDA driver of its own, %s; calls of the driver (cu...) that go there do not "
	        "reach Heddle; load libcuda.so.1 by name instead, which Heddle serves\n", path);
	patch.told_driver = true;
}

static bool is_api_name(const char *name) { return !strncmp(name, "cuda", 4) || !strncmp(name, "__cuda", 6); }

// Adds one exported function: under its name if it is the default version, and under name@version if it has a version.
static void add_export(const struct elf64 *elf, const struct elf64_symbol *s, uint16_t version)
{
	void *f = (void *)(patch.self_base + s->value);
	if (!(version & VERSYM_HIDDEN)) {
		char *name = mem_strdup(s->name);
		map_put(&patch.exports, name, strlen(name), f);
	}
	const char *node = elf64_version_name(elf, version & VERSYM_NUMBER);
	char *name;
	if ((version & VERSYM_NUMBER) > VER_NDX_GLOBAL && asprintf(&name, "%s@%s", s->name, node) > 0)
		map_put(&patch.exports, name, strlen(name), f);
}

// Collects the functions of the runtime API that this library exports.
static void read_exports(void)
{
	struct elf64_file file;
	struct elf64 elf;
	struct elf64_section symbols, versions;
	if (!patch.self_path || !elf64_map_file(&file, patch.self_path))
		return;
	if (!elf64_open(&elf, file.data, file.size) && elf64_find_type(&elf, SHT_DYNSYM, &symbols)) {
		bool versioned = elf64_find_type(&elf, SHT_GNU_versym, &versions) && versions.data;
		struct elf64_symbol s;
		for (size_t i = 0; elf64_symbol(&elf, &symbols, i, &s); i++) {
			if (s.type != STT_FUNC || s.section == SHN_UNDEF || !is_api_name(s.name))
				continue;
			uint16_t version = VER_NDX_GLOBAL;
			if (versioned && i < versions.size / sizeof version)
				memcpy(&version, versions.data + i * sizeof version, sizeof version);
			add_export(&elf, &s, version);
		}
	}
	elf64_unmap_file(&file);
}

// Where a call of `name` from a static runtime of `release` shall go; NULL if it is none of ours.
static void *target_of(const char *name, int release)
{
	static const char *const nodes[] = {
	        [11] = "libcudart.so.11.0",
	        [12] = "libcudart.so.12",
	        [13] = "libcudart.so.13",
	};
	char versioned[256];
	int n = snprintf(versioned, sizeof versioned, "%s@%s", name, nodes[release]);
	void *f = n < (int)sizeof versioned ? map_get(&patch.exports, versioned, (size_t)n) : NULL;
	return f ? f : map_get(&patch.exports, name, strlen(name));
}

// Instruction bytes that only fill the gap up to the next function.
static bool is_padding(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!memchr("\x66\x2e\x0f\x1f\x84\x80\x44\x40\x00\x90\xcc", p[i], 11))
			return false;
	return true;
}

static void make_jump(uint8_t jump[JUMP_SIZE], const void *to)
{
	static const uint8_t code[JUMP_SIZE] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0}; // movabs rax; jmp rax
	memcpy(jump, code, JUMP_SIZE);
	memcpy(jump + 2, &to, sizeof to);
}

// Whether the memory behind `p`, to the length of a jump, is code of the object.
static bool is_code(const struct object *o, uintptr_t p)
{
	for (unsigned i = 0; i < o->n_segments; i++) {
		const ElfW(Phdr) *h = &o->segment[i];
		uintptr_t offset = p - (o->base + h->p_vaddr);
		if (h->p_type == PT_LOAD && h->p_flags & PF_X && offset < h->p_filesz &&
		    h->p_filesz - offset >= JUMP_SIZE)
			return true;
	}
	return false;
}

// Makes the code of an object writable, or as it was.
static bool protect_code(const struct object *o, bool writable)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	bool ok = true;
	for (unsigned i = 0; i < o->n_segments; i++) {
		const ElfW(Phdr) *h = &o->segment[i];
		if (h->p_type != PT_LOAD || !(h->p_flags & PF_X))
			continue;
		uintptr_t from = (o->base + h->p_vaddr) & ~(page - 1);
		uintptr_t to = o->base + h->p_vaddr + h->p_memsz;
		int prot = PROT_EXEC | (h->p_flags & PF_R ? PROT_READ : 0) | (h->p_flags & PF_W ? PROT_WRITE : 0);
		ok &= mprotect((void *)from, to - from, writable ? PROT_READ | PROT_WRITE | PROT_EXEC : prot) == 0;
	}
	return ok;
}

// Writes code where pages may not be made writable, as debuggers do.
static bool write_as_debugger(uintptr_t at, const uint8_t *bytes, size_t n)
{
	int fd = open("/proc/self/mem", O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && pwrite(fd, bytes, n, (off_t)at) == (ssize_t)n;
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool write_jump(uintptr_t at, const void *to, bool writable)
{
	uint8_t jump[JUMP_SIZE];
	make_jump(jump, to);
	if (!memcmp((const void *)at, jump, sizeof jump)) // from an earlier scan
		return true;
	if (!writable)
		return write_as_debugger(at, jump, sizeof jump);
	memcpy((void *)at, jump, sizeof jump);
	return true;
}

struct runtime {
	bool present;        // the object defines the runtime's functions
	bool has_launch;     // __cudaLaunchKernel: late 12, and 13
	bool has_properties2; // cudaGetDeviceProperties_v2: 12 only
};

static bool is_function(const struct elf64_symbol *s) { return s->type == STT_FUNC && s->section != SHN_UNDEF; }

static struct runtime find_runtime(const struct elf64 *elf, const struct elf64_section *symbols)
{
	struct runtime r = {0};
	struct elf64_symbol s;
	for (size_t i = 0; elf64_symbol(elf, symbols, i, &s); i++) {
		if (!is_function(&s))
			continue;
		r.present |= !strcmp(s.name, "__cudaRegisterFatBinary");
		r.has_launch |= !strcmp(s.name, "__cudaLaunchKernel");
		r.has_properties2 |= !strcmp(s.name, "cudaGetDeviceProperties_v2");
	}
	return r;
}

static void redirect(const struct object *o, const struct elf64 *elf, const struct elf64_section *symbols,
                     const struct runtime *r, const char *path)
{
	int release = r->has_properties2 ? 12 : r->has_launch ? 13 : 11;
	if (!patch.release)
		patch.release = release;
	if (!patch.exports.n)
		read_exports();
	add_copy(o);
	bool writable = protect_code(o, true);
	unsigned refused = 0;
	struct elf64_symbol s;
	for (size_t i = 0; elf64_symbol(elf, symbols, i, &s); i++) {
		if (!is_function(&s) || !is_api_name(s.name))
			continue;
		uintptr_t at = o->base + s.value;
		void *to = target_of(s.name, release);
		if (!to || !is_code(o, at))
			continue;
		// Shorter ones jump or return at once; the gap behind them is used, where there is one.
		if (s.size < JUMP_SIZE && !is_padding((const uint8_t *)at + s.size, JUMP_SIZE - s.size))
			continue;
		refused += !write_jump(at, to, writable);
	}
	protect_code(o, false);
	if (refused)
		tell_once("heddle: error: %s holds its own copy of the CUDA runtime, and the system forbids changing "
		          "code in memory (SELinux execmem?), so its calls cannot be redirected; build it with nvcc "
		          "--cudart shared\n",
		          path);
}

// Whether the object imports the runtime, names itself the runtime, or neither. A library without device code that
// exports the runtime's functions stands in front of them (a tracer, say) and is none either:
// a static runtime is hidden.
static bool uses_shared_runtime(const struct elf64 *elf, bool has_code)
{
	struct elf64_section table;
	struct elf64_symbol s;
	if (elf64_find_type(elf, SHT_DYNSYM, &table))
		for (size_t i = 0; elf64_symbol(elf, &table, i, &s); i++)
			if ((s.section == SHN_UNDEF || !has_code) && !strcmp(s.name, "__cudaRegisterFatBinary"))
				return true;
	int64_t tag;
	uint64_t value;
	const char *text;
	if (elf64_find_type(elf, SHT_DYNAMIC, &table))
		for (size_t i = 0; elf64_dynamic(elf, &table, i, &tag, &value, &text); i++)
			if (tag == DT_SONAME && !strncmp(text, "libcudart.so", 12))
				return true;
	return false;
}

// Whether the file is the one that was loaded, not a newer one in its place.
static bool same_segments(const struct object *o, const struct elf64 *elf)
{
	return elf->n_segments == o->n_segments &&
	       !memcmp(elf->data + elf->phoff, o->segment, o->n_segments * sizeof *o->segment);
}

static void examine(const struct object *o, const char *path)
{
	struct elf64_file file;
	struct elf64 elf;
	struct elf64_section code, s;
	if (!elf64_map_file(&file, path))
		return;
	if (elf64_open(&elf, file.data, file.size) || elf.machine != EM_X86_64) {
		elf64_unmap_file(&file);
		return;
	}
	struct runtime r = {0};
	bool symbols = elf64_find_type(&elf, SHT_SYMTAB, &s);
	// A C program may call the runtime and have no device code.
	bool has_code = elf64_find(&elf, ".nv_fatbin", &code);
	if ((!symbols && !has_code) || !same_segments(o, &elf) || uses_shared_runtime(&elf, has_code)) {
		elf64_unmap_file(&file);
		return;
	}
	if (symbols)
		r = find_runtime(&elf, &s);
	if (r.present)
		redirect(o, &elf, &s, &r, path);
	else if (!symbols && closed_library(path) < 0) // those are told of when they are used
		tell_once("heddle: error: %s holds its own copy of the CUDA runtime but was stripped of its symbols, "
		          "so its CUDA calls cannot reach Heddle; build it without stripping, or with nvcc --cudart "
		          "shared. What comes only so, as NVIDIA's own libraries do, cannot be simulated: call source code "
		          "for the same instead\n",
		          path);
	elf64_unmap_file(&file);
}

static bool seen_before(const struct object *o)
{
	for (size_t i = 0; i < patch.seen.n; i++)
		if (patch.seen.at[i].base == o->base && patch.seen.at[i].segment == o->segment)
			return true;
	VEC_PUSH(&patch.seen, *o);
	return false;
}

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct object o = {.base = info->dlpi_addr, .segment = info->dlpi_phdr, .n_segments = info->dlpi_phnum};
	if (patch.unloads != info->dlpi_subs) { // addresses may have been used again
		patch.seen.n = 0;
		patch.unloads = info->dlpi_subs;
	}
	if (seen_before(&o))
		return 0;
	if (o.base == patch.self_base)
		return 0;
	const char *path = info->dlpi_name;
	char executable[PATH_MAX];
	if (!*path && patch.seen.n == 1) { // the executable comes first
		ssize_t n = readlink("/proc/self/exe", executable, sizeof executable - 1);
		executable[n < 0 ? 0 : n] = 0;
		path = executable;
	}
	if (!strchr(path, '/')) // the kernel's own object has no file
		return 0;
	if (!strncmp(strrchr(path, '/'), "/libcuda.so", 11))
		tell_driver(path);
	else
		examine(&o, path);
	return 0;
}

static void scan(void) { dl_iterate_phdr(visit, NULL); }

// In the place of the loader's function for debuggers, which does nothing itself. Runs with the loader's lock held.
static void loader_changed(void)
{
	if (_r_debug.r_state == RT_CONSISTENT)
		scan();
}

// Puts a jump to loader_changed into the loader's debugger hook, if that is the empty function it should be.
static void watch_loader(void)
{
	uintptr_t at = _r_debug.r_brk;
	const uint8_t *p = (const uint8_t *)at;
	if (!p)
		return;
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t n = memcmp(p, endbr64, sizeof endbr64) ? 0 : sizeof endbr64;
	n += p[n] == 0xf3; // rep ret
	if (p[n] != 0xc3 || !is_padding(p + n + 1, JUMP_SIZE - n - 1))
		return;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	void *from = (void *)(at & ~(page - 1));
	size_t len = at + JUMP_SIZE - (uintptr_t)from;
	bool writable = mprotect(from, len, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
	write_jump(at, (const void *)loader_changed, writable);
	if (writable)
		mprotect(from, len, PROT_READ | PROT_EXEC);
}

void patch_static_runtime(void)
{
#ifdef __x86_64__
	Dl_info info;
	struct link_map *self;
	if (!dladdr1((const void *)patch_static_runtime, &info, (void **)&self, RTLD_DL_LINKMAP))
		return;
	patch.self_base = self->l_addr;
	// An absolute path now, since the program may change its directory before it is needed.
	patch.self_path = realpath(info.dli_fname, NULL);
	scan();
	watch_loader();
#endif
}
