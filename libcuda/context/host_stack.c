#include "libcuda/context/host_stack.h"

#include "base/mem.h"
#include "base/vec.h"
#include "libcuda/image/elf64.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// This library's own code.
static struct {
	uintptr_t lo, hi;
} own;

static int find_own(struct dl_phdr_info *i, size_t size, void *unused)
{
	const uintptr_t here = (uintptr_t)find_own;
	uintptr_t lo = UINTPTR_MAX, hi = 0;
	for (int k = 0; k < i->dlpi_phnum; k++) {
		const ElfW(Phdr) *p = &i->dlpi_phdr[k];
		if (p->p_type != PT_LOAD)
			continue;
		uintptr_t from = i->dlpi_addr + p->p_vaddr;
		lo = from < lo ? from : lo;
		hi = from + p->p_memsz > hi ? from + p->p_memsz : hi;
	}
	if (here < lo || here >= hi)
		return 0;
	own.lo = lo;
	own.hi = hi;
	return 1;
}

unsigned host_stack(void **at, unsigned most)
{
	enum { INSIDE = 16 };
	void *all[64];
	unsigned n = 0;
	if (!own.hi)
		dl_iterate_phdr(find_own, NULL);
	int got = backtrace(all, (int)(most + INSIDE < 64 ? most + INSIDE : 64));
	for (int i = 0; i < got && n < most; i++)
		if ((uintptr_t)all[i] < own.lo || (uintptr_t)all[i] >= own.hi)
			at[n++] = all[i];
	return n;
}

// --- names that only the file's symbol table has

struct file {
	char *path;
	struct elf64_file map;
	struct elf64 elf;
	struct elf64_section table;
	bool readable;
};
static VEC(struct file) files;

static const struct file *file_of(const char *path)
{
	for (size_t i = 0; i < files.n; i++)
		if (!strcmp(files.at[i].path, path))
			return &files.at[i];
	struct file f = {.path = mem_strdup(path)};
	f.readable = elf64_map_file(&f.map, path) && !elf64_open(&f.elf, f.map.data, f.map.size) &&
	             elf64_find_type(&f.elf, SHT_SYMTAB, &f.table);
	VEC_PUSH(&files, f);
	return &files.at[files.n - 1];
}

// The function that holds an address of the file. The name lives as long as the process.
static const char *symbol_at(const char *path, uint64_t address)
{
	const struct file *f = file_of(path);
	struct elf64_symbol s;
	for (size_t i = 0; f->readable && elf64_symbol(&f->elf, &f->table, i, &s); i++)
		if (s.type == STT_FUNC && address - s.value < s.size)
			return s.name;
	return NULL;
}

static bool is_loaded_anywhere(const char *path)
{
	const struct file *f = file_of(path);
	return !f->readable || f->elf.type != ET_EXEC;
}

const char *host_plain_name(const char *name)
{
	static char *(*plain)(const char *, char *, size_t *, int *);
	static char *text;
	static size_t size;
	static bool looked;
	int status = -1;
	if (!looked) {
		looked = true;
		*(void **)&plain = dlsym(RTLD_DEFAULT, "__cxa_demangle");
		void *library = plain ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
		if (library)
			*(void **)&plain = dlsym(library, "__cxa_demangle");
	}
	if (!plain || strncmp(name, "_Z", 2))
		return name;
	char *out = plain(name, text, &size, &status);
	if (!out || status)
		return name;
	text = out;
	return text;
}

static bool between(const char *name)
{
	static const char *const heads[] = {"__device_stub_", "cudaLaunchKernel", "__cudaLaunchKernel", "__cudaLaunch"};
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		if (!strncmp(name, heads[i], strlen(heads[i])))
			return true;
	// Wrappers in CUDA's headers: templates of the functions that they call.
	return strstr(name, "__device_stub__") || strstr(name, "cudaLaunchKernel") || strstr(name, "10cudaMalloc");
}

void host_stack_name(const void *at, char *buf, size_t len, bool *last)
{
	Dl_info i;
	uintptr_t call = (uintptr_t)at - 1; // the return address may be behind the function
	buf[0] = 0;
	if (!dladdr((void *)call, &i) || !i.dli_fname)
		return;
	const char *slash = strrchr(i.dli_fname, '/'), *file = slash ? slash + 1 : i.dli_fname;
	if (!strncmp(file, "libc.so", 7) || !strncmp(file, "libc-", 5)) { // where main, or a thread, was called
		*last = true;
		return;
	}
	uintptr_t offset = (uintptr_t)at - (uintptr_t)i.dli_fbase;
	const char *path = slash ? i.dli_fname : "/proc/self/exe";
	const char *name = symbol_at(path, is_loaded_anywhere(path) ? call - (uintptr_t)i.dli_fbase : call);
	if (!name && i.dli_sname && i.dli_saddr)
		name = i.dli_sname;
	if (name && between(name))
		return;
	if (name)
		snprintf(buf, len, "%.200s [0x%lx] in %.120s", host_plain_name(name), (unsigned long)offset, file);
	else
		snprintf(buf, len, "[0x%lx] in %.120s", (unsigned long)offset, file);
	*last = name && !strcmp(name, "main");
}
