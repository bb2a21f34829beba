// Tells before a program is started whether its CUDA calls can reach Heddle, and if not, what to do.
#include "tools/tools.h"

#include "libcuda/image/cubin.h"
#include "tools/loader_list.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct linkage {
	char cudart[64];    // the libcudart.so.N it needs, "" if none
	bool driver;        // it needs libcuda.so
	bool imports;       // it imports runtime functions
	bool defines;       // it holds the static runtime, with symbols
	bool stripped;      // it has no symbol table
};

static bool has_symbol(const struct elf64 *elf, uint32_t table_type, bool defined, const char *name)
{
	struct elf64_section table;
	struct elf64_symbol s;
	if (elf64_find_type(elf, table_type, &table))
		for (size_t i = 0; elf64_symbol(elf, &table, i, &s); i++)
			if ((s.section != SHN_UNDEF) == defined && !strcmp(s.name, name))
				return true;
	return false;
}

static struct linkage read_linkage(const struct elf64 *elf)
{
	struct linkage l = {0};
	struct elf64_section table;
	int64_t tag;
	uint64_t value;
	const char *text;
	if (elf64_find_type(elf, SHT_DYNAMIC, &table))
		for (size_t i = 0; elf64_dynamic(elf, &table, i, &tag, &value, &text); i++) {
			if (tag != DT_NEEDED)
				continue;
			if (!strncmp(text, "libcudart.so", 12))
				strncpy(l.cudart, text, sizeof l.cudart - 1);
			l.driver |= !strncmp(text, "libcuda.so", 10);
		}
	l.imports = has_symbol(elf, SHT_DYNSYM, false, "__cudaRegisterFatBinary");
	l.defines = has_symbol(elf, SHT_SYMTAB, true, "__cudaRegisterFatBinary");
	l.stripped = !elf64_find_type(elf, SHT_SYMTAB, &table);
	return l;
}

// False for code without kernels: nvcc links some into every program, even one that only copies or queries the device.
static bool has_kernels(const struct fatbin_entry *e)
{
	struct arena arena = {0};
	struct cubin cubin = {0};
	struct diag d = {0};
	const char *code;
	size_t len;
	bool has = true;
	if (fatbin_payload(e, &arena, &code, &len, &d)) {
		if (e->kind == FATBIN_PTX)
			has = memmem(code, len, ".entry", strlen(".entry"));
		else if (e->kind == FATBIN_CUBIN && cubin_read(&cubin, code, len, &arena, &d))
			has = cubin.kernel.n;
	}
	cubin_free(&cubin);
	arena_free(&arena);
	diag_free(&d);
	return has;
}

struct device_code {
	bool ptx, kernels; // there are some
	bool suits;        // machine code with kernels runs on the GPU
	unsigned container; // the first with kernels in machine code
};

static struct device_code read_code(const struct fatbin *f, const struct reach_gpu *gpu)
{
	struct device_code c = {.container = UINT_MAX};
	for (size_t i = 0; i < f->entry.n; i++) {
		const struct fatbin_entry *e = &f->entry.at[i];
		bool kernels = has_kernels(e);
		c.ptx |= e->kind == FATBIN_PTX;
		c.kernels |= kernels;
		if (!kernels || e->kind != FATBIN_CUBIN)
			continue;
		if (c.container == UINT_MAX)
			c.container = e->container;
		c.suits |= !gpu->capability || choice_cubin(f, e->container, gpu->capability);
	}
	return c;
}

// Says so if the program has device code but none that can run on this GPU.
static void examine_code(struct reach *r, const struct elf64_file *file, const struct reach_gpu *gpu)
{
	struct fatbin f;
	bool found;
	char list[200];
	if (!tool_read_fatbin(&f, file, &found, &r->why))
		r->impossible = true;
	struct device_code c = read_code(&f, gpu);
	bool strict = gpu->execute == EXECUTE_SASS;
	bool given = getenv("PTX_SIM_KERNELFILE"); // may have the machine code that the program lacks
	if (c.kernels && !c.suits && strict && !given) {
		const char *others = c.container == UINT_MAX ? NULL : choice_list(&f, c.container, list, sizeof list);
		if (others)
			diag_add(&r->why, DIAG_ERROR, "-gpgpu_execute sass: the program has no machine code for this GPU, an sm_%u, only for %s; "
			         "choose another GPU (-c), or -gpgpu_execute auto", gpu->capability, others);
		else
			diag_add(&r->why, DIAG_ERROR, "-gpgpu_execute sass: the program has no machine code; choose -gpgpu_execute auto, or build "
			         "with -gencode arch=compute_%u,code=sm_%u", gpu->capability, gpu->capability);
		r->impossible = true;
	} else if (c.kernels && !c.suits && !c.ptx) {
		fatbin_select_ptx(&f, c.container == UINT_MAX ? f.entry.at[0].container : c.container, 0, &r->why);
		r->impossible = true;
	}
	fatbin_free(&f);
}

// Whether Heddle's folder of libraries has one of that name.
static bool is_served(const char *libraries, const char *soname)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/%s", libraries, soname);
	return n < (int)sizeof path && access(path, F_OK) == 0;
}

static void examine_linkage(struct reach *r, const struct elf64 *elf, const struct elf64_file *file, const char *name,
                            const char *libraries, const struct reach_gpu *gpu)
{
	struct linkage l = read_linkage(elf);
	struct elf64_section s;
	bool code = elf64_find(elf, ".nv_fatbin", &s);
	if (code)
		examine_code(r, file, gpu);
	if (code && !*l.cudart && !l.imports && !l.defines && l.stripped) {
		diag_add(&r->why, DIAG_ERROR,
		         "%s holds its own copy of the CUDA runtime but was stripped of its symbols, so its CUDA "
		         "calls cannot be redirected; build it without stripping (no strip, no -s), or with nvcc "
		         "--cudart shared", name);
		r->impossible = true;
	}
	if (*l.cudart && !is_served(libraries, l.cudart)) {
		diag_add(&r->why, DIAG_ERROR, "%s needs %s, and Heddle serves CUDA 9 to 13; build it with one of "
		                              "these", name,
		         l.cudart);
		r->impossible = true;
	}
}

// What the program or a library of it has to do with CUDA.
struct use {
	bool driver; // the driver's library is among those that it needs
	bool cuda;   // there is device code, or the name of a library of CUDA, needed or to be loaded while it runs
	bool starts; // it becomes, or starts, other programs
};

static bool starts_programs(const struct elf64 *elf)
{
	static const char *const by[] = {"execv", "execve", "execvp", "execvpe", "execl", "execlp", "execle", "fexecve", "posix_spawn", "posix_spawnp"};
	for (size_t i = 0; i < sizeof by / sizeof *by; i++)
		if (has_symbol(elf, SHT_DYNSYM, false, by[i]))
			return true;
	return false;
}

static struct use use_of(const char *path)
{
	struct elf64_file file;
	struct elf64 elf;
	struct elf64_section s;
	struct use u = {0};
	if (!elf64_map_file(&file, path))
		return u;
	if (!elf64_open(&elf, file.data, file.size)) {
		u.driver = read_linkage(&elf).driver;
		u.starts = starts_programs(&elf);
		// What Python loads, its scripts say.
		bool python = has_symbol(&elf, SHT_DYNSYM, true, "Py_BytesMain") || has_symbol(&elf, SHT_DYNSYM, false, "Py_BytesMain");
		u.cuda = python || elf64_find(&elf, ".nv_fatbin", &s) || has_symbol(&elf, SHT_SYMTAB, true, "__cudaRegisterFatBinary") ||
		         memmem(file.data, file.size, "libcuda.so", 10) || memmem(file.data, file.size, "libcudart.so", 12);
	}
	elf64_unmap_file(&file);
	return u;
}

// The CUDA driver's library, which the program or a library of it needs. Heddle's folder has one; without any the loader refuses to
// start the program, and another one than Heddle's would want a real GPU. Then programs that have nothing to do with CUDA.
static void examine_libraries(struct reach *r, const char *interpreter, const char *path, const char *name, const char *libraries)
{
	struct arena arena = {0};
	struct loader_list all;
	struct use use = use_of(path);
	const char *by = use.driver ? name : NULL, *driver = NULL;
	bool needed = by, cuda = use.cuda, starts = use.starts;
	loader_list(&all, interpreter, path, libraries, &arena);
	for (size_t i = 0; i < all.at.n; i++) {
		const struct loader_entry *e = &all.at.at[i];
		bool is_driver = !strncmp(e->name, "libcuda.so", 10);
		needed |= is_driver;
		if (is_driver)
			driver = e->path;
		if (!e->path || is_driver || (by && cuda))
			continue;
		use = use_of(e->path);
		if (!by && use.driver)
			by = e->path;
		cuda |= use.cuda;
	}
	// The loader does not list a file twice: where Heddle's runtime and driver are links to one file, it tells of the first only.
	if (needed && !driver && all.at.n && !is_served(libraries, "libcuda.so.1")) {
		diag_add(&r->why, DIAG_ERROR, "%s needs the CUDA driver (libcuda.so.1), which is neither in Heddle's folder %s nor elsewhere "
		         "on this machine, so the program cannot start; run make, which puts it there, or install Heddle again", by ? by : name,
		         libraries);
		r->impossible = true;
	}
	if (!cuda && !needed && !starts)
		diag_add(&r->why, DIAG_NOTE,
		         "%s has no CUDA code in it; there is something to simulate only if it loads libraries that have", name);
	VEC_FREE(&all.at);
	arena_free(&arena);
}

struct reach reach_examine(const char *path, const char *name, const char *libraries, const struct reach_gpu *gpu)
{
	struct reach r = {0};
	struct elf64_file file;
	struct elf64 elf;
	struct stat st;
	if (!elf64_map_file(&file, path)) {
		diag_add(&r.why, DIAG_ERROR, "%s cannot be read: %s", name, strerror(errno));
		r.impossible = errno != EACCES; // a program may be executable but not readable
		return r;
	}
	const char *wrong = elf64_open(&elf, file.data, file.size);
	if (file.size > 2 && !memcmp(file.data, "#!", 2)) {
		diag_add(&r.why, DIAG_NOTE, "%s is a script; the programs that it starts run on Heddle", name);
	} else if (wrong) {
		diag_add(&r.why, DIAG_ERROR, "%s is %s; Heddle runs 64-bit x86 Linux programs", name, wrong);
		r.impossible = true;
	} else if (elf.machine != EM_X86_64) {
		diag_add(&r.why, DIAG_ERROR, "%s is a program for another processor; Heddle runs 64-bit x86 Linux "
		                             "programs",
		         name);
		r.impossible = true;
	} else if (elf.type != ET_EXEC && elf.type != ET_DYN) {
		diag_add(&r.why, DIAG_ERROR, "%s is an object file, not a program; link it first", name);
		r.impossible = true;
	} else if (!elf64_interpreter(&elf)) {
		diag_add(&r.why, DIAG_ERROR,
		         "%s is linked statically with the C library too, so no library can be put in front of it; "
		         "link it without -static", name);
		r.impossible = true;
	} else {
		if (stat(path, &st) == 0 && st.st_mode & (S_ISUID | S_ISGID) && geteuid() != 0)
			diag_add(&r.why, DIAG_NOTE, "%s changes its user on start; the system then ignores Heddle's "
			                            "library", name);
		examine_linkage(&r, &elf, &file, name, libraries, gpu);
		examine_libraries(&r, elf64_interpreter(&elf), path, name, libraries);
	}
	elf64_unmap_file(&file);
	return r;
}
