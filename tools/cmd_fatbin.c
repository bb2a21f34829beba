// heddle fatbin, heddle ptx: what device code a file holds.
#include "tools/tools.h"

#include "base/mem.h"
#include "isa/gpu_desc.h"
#include "libcuda/image/choice.h"
#include "libcuda/image/cubin.h"
#include "tools/config_args.h"

#include <ar.h>
#include <elf.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_container(const uint8_t *data, size_t size)
{
	static const uint8_t magic[] = {0x50, 0xed, 0x55, 0xba};
	return size >= sizeof magic && !memcmp(data, magic, sizeof magic);
}

// Machine code without a container around it, as nvcc -cubin makes it.
static bool read_cubin(struct fatbin *out, const uint8_t *data, size_t size, struct diag *d)
{
	struct arena arena = {0};
	struct cubin c;
	bool ok = cubin_read(&c, data, size, &arena, d);
	struct fatbin_entry e = {.container = out->n_containers++, .kind = FATBIN_CUBIN, .arch = c.arch, .options = "", .file = "",
	                         .payload = data, .stored = size, .raw_size = size};
	if (ok)
		VEC_PUSH(&out->entry, e);
	cubin_free(&c);
	arena_free(&arena);
	return ok;
}

static bool read_elf(struct fatbin *out, const struct elf64 *elf, bool *found, struct diag *d)
{
	static const char *const sections[] = {".nv_fatbin", "__nv_relfatbin"};
	bool ok = true;
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		struct elf64_section s;
		if (!elf64_find(elf, sections[i], &s))
			continue;
		*found = true;
		if (s.data)
			ok &= fatbin_read_section(out, s.data, s.size, d);
	}
	return ok;
}

static bool read_bytes(struct fatbin *out, const uint8_t *data, size_t size, bool *found, struct diag *d)
{
	struct elf64 elf;
	if (is_container(data, size)) {
		*found = true;
		return fatbin_read_section(out, data, size, d);
	}
	if (elf64_open(&elf, data, size))
		return true;
	if (elf.machine != EM_CUDA)
		return read_elf(out, &elf, found, d);
	*found = true;
	return read_cubin(out, data, size, d);
}

static const char archive_magic[] = "!<arch>\n", thin_magic[] = "!<thin>\n";
enum { ARCHIVE_MAGIC = 8 };

// The members of an archive one after the other: a header of 60 characters, then the bytes, padded to an even number.
static bool read_archive(struct fatbin *out, const uint8_t *data, size_t size, bool *found, struct diag *d)
{
	bool ok = true;
	for (size_t at = ARCHIVE_MAGIC; at + sizeof(struct ar_hdr) <= size;) {
		struct ar_hdr h;
		char digits[sizeof h.ar_size + 1] = "";
		memcpy(&h, data + at, sizeof h);
		memcpy(digits, h.ar_size, sizeof h.ar_size);
		unsigned long long n = strtoull(digits, NULL, 10);
		at += sizeof h;
		if (memcmp(h.ar_fmag, ARFMAG, sizeof h.ar_fmag) || n > size - at) {
			diag_add(d, DIAG_ERROR, "the archive is damaged at byte %zu; build it again", at - sizeof h);
			return false;
		}
		ok &= read_bytes(out, data + at, (size_t)n, found, d);
		at += (size_t)n + n % 2;
	}
	return ok;
}

bool tool_read_fatbin(struct fatbin *out, const struct elf64_file *file, bool *found, struct diag *d)
{
	*out = (struct fatbin){0};
	*found = false;
	if (file->size < ARCHIVE_MAGIC)
		return true;
	if (!memcmp(file->data, thin_magic, ARCHIVE_MAGIC)) {
		diag_add(d, DIAG_ERROR, "a thin archive only names its objects; look at those");
		return false;
	}
	return memcmp(file->data, archive_magic, ARCHIVE_MAGIC) ? read_bytes(out, file->data, file->size, found, d) :
	                                                          read_archive(out, file->data, file->size, found, d);
}

bool tool_open_fatbin(const char *path, struct elf64_file *file, struct fatbin *f)
{
	struct diag d = {0};
	bool found;
	*f = (struct fatbin){0};
	*file = (struct elf64_file){0};
	if (!elf64_map_file(file, path)) {
		fprintf(stderr, "heddle: %s: %s\n", path, strerror(errno));
		return false;
	}
	bool ok = tool_read_fatbin(f, file, &found, &d);
	if (!found && ok)
		fprintf(stderr, "heddle: %s holds no CUDA device code: it is no cubin or fat binary, and no program, library, object "
		        "or archive with a section .nv_fatbin\n", path);
	diag_print(&d);
	diag_free(&d);
	return ok && found;
}

static int usage(const char *text)
{
	fprintf(stderr, "usage: heddle %s\n", text);
	return 2;
}

static const char *compression(const struct fatbin_entry *e)
{
	return e->flags & FATBIN_ZSTD ? "zstd" : e->flags & FATBIN_LZ4 ? "lz4" : "plain";
}

// The kernels of machine code; how many there are is added to *n.
static bool list_kernels(const struct fatbin_entry *e, size_t *n, struct diag *d)
{
	struct arena arena = {0};
	struct cubin c = {0};
	const char *bytes;
	size_t len;
	bool ok = fatbin_payload(e, &arena, &bytes, &len, d) && cubin_read(&c, bytes, len, &arena, d);
	for (size_t i = 0; ok && i < c.kernel.n; i++) {
		const struct cubin_kernel *k = &c.kernel.at[i];
		printf("                kernel %s: %u registers, %u bytes of shared memory, %u of parameters, %u of stack%s\n", k->name, k->registers,
		       k->machine.shared, k->param_bytes, k->machine.stack, k->stack_known ? "" : " or more");
	}
	*n += c.kernel.n;
	cubin_free(&c);
	arena_free(&arena);
	return ok;
}

static bool list_entry(const struct fatbin_entry *e, size_t *kernels, struct diag *d)
{
	char arch[32], version[24];
	snprintf(version, sizeof version, e->major || e->minor ? "%u.%u" : "-", e->major, e->minor);
	printf("%9u %5u %-13s %-14s %-7s %-7s %9zu %10zu  %s%s%s\n", e->container, e->number, fatbin_kind_name(e->kind),
	       fatbin_arch_name(e, arch, sizeof arch), version, compression(e), e->stored, e->raw_size, e->options, *e->file ? " " : "",
	       e->file);
	*kernels += e->kind == FATBIN_PTX;
	return e->kind != FATBIN_CUBIN || list_kernels(e, kernels, d);
}

static const struct fatbin_entry *chosen_ptx(const struct fatbin *f, unsigned container, const struct options *o)
{
	struct diag quiet = {0};
	const struct fatbin_entry *e = fatbin_select_ptx(f, container, o->gpgpu_ptx_force_max_capability, &quiet);
	diag_free(&quiet);
	return e;
}

// What of each container with kernels runs on the configured GPU.
static void list_choices(const struct fatbin *f, const size_t *kernels, const struct options *o, unsigned capability)
{
	static const char *const name[] = {[EXECUTE_PTX] = "ptx", [EXECUTE_SASS] = "sass", [EXECUTE_AUTO] = "auto"};
	enum execute mode = choice_for(o, f, capability);
	printf("on sm_%u, with -gpgpu_execute %s:\n", capability, name[mode]);
	for (unsigned c = 0; c < f->n_containers; c++) {
		const struct fatbin_entry *code = choice_cubin(f, c, capability), *ptx = chosen_ptx(f, c, o);
		const struct fatbin_entry *first = mode == EXECUTE_PTX && ptx ? ptx : code, *then = mode == EXECUTE_AUTO && code ? ptx : NULL;
		char arch[2][32];
		if (!kernels[c])
			continue;
		if (mode == EXECUTE_AUTO && !code)
			first = ptx;
		if (!first)
			printf("%9u nothing runs\n", c);
		else
			printf("%9u %s for %s runs%s%s%s\n", c, fatbin_kind_name(first->kind), fatbin_arch_name(first, arch[0], sizeof arch[0]),
			       then ? ", or " : "", then ? "PTX for " : "",
			       then ? fatbin_arch_name(then, arch[1], sizeof arch[1]) : "");
	}
}

static bool list_fatbin(const char *path, const struct options *o, unsigned capability)
{
	struct elf64_file file;
	struct fatbin f;
	struct diag d = {0};
	bool ok = tool_open_fatbin(path, &file, &f);
	if (f.entry.n)
		puts("container entry kind          target         version packing    stored      bytes  options, "
		     "source");
	size_t *kernels = mem_alloc((f.n_containers + 1) * sizeof *kernels); // those of machine code, or any for PTX
	for (size_t i = 0; i < f.entry.n; i++)
		ok &= list_entry(&f.entry.at[i], &kernels[f.entry.at[i].container], &d);
	if (f.entry.n)
		list_choices(&f, kernels, o, capability);
	mem_free(kernels);
	fflush(stdout);
	diag_print(&d);
	diag_free(&d);
	fatbin_free(&f);
	elf64_unmap_file(&file);
	return ok;
}

int cmd_fatbin(int argc, char **argv)
{
	struct config_args a = {0};
	struct options o = {0};
	struct gpu_desc desc;
	struct diag d = {0};
	if (argc < 2 || argv[argc - 1][0] == '-')
		return usage("fatbin [-c CONFIG]... [-option value]... FILE");
	bool ok = config_args_take_all(&a, argc - 1, argv, &d) && config_args_read(&a, &o, &d) && gpu_desc_from_options(&desc, &o, &d);
	if (!ok) // that there is no configuration here is no matter
		diag_print(&d);
	diag_free(&d);
	int status = !ok ? 2 : !list_fatbin(argv[argc - 1], &o, (unsigned)(desc.major * 10 + desc.minor));
	config_args_free(&a);
	options_free(&o);
	return status;
}

int cmd_ptx(int argc, char **argv)
{
	static const struct option options[] = {{"arch", required_argument, NULL, 'a'}, {0}};
	static const char *const text = "ptx [-a ARCH] FILE";
	unsigned arch = 0, written = 0;
	for (int c; (c = getopt_long(argc, argv, "a:", options, NULL)) != -1;) {
		if (c != 'a')
			return usage(text);
		const char *digits = strpbrk(optarg, "0123456789");
		arch = digits ? (unsigned)strtoul(digits, NULL, 10) : 0;
		if (!arch) {
			fprintf(stderr, "heddle: '%s' is no target; give one as 90 or compute_90\n", optarg);
			return 2;
		}
	}
	if (optind != argc - 1)
		return usage(text);
	struct elf64_file file;
	struct fatbin f;
	struct diag d = {0};
	bool ok = tool_open_fatbin(argv[optind], &file, &f);
	for (size_t i = 0; i < f.entry.n; i++) {
		const struct fatbin_entry *e = &f.entry.at[i];
		if (e->kind != FATBIN_PTX || (arch && e->arch != arch))
			continue;
		struct arena arena = {0};
		const char *ptx;
		size_t len;
		if (fatbin_payload(e, &arena, &ptx, &len, &d)) {
			fwrite(ptx, 1, len, stdout);
			written++;
		} else {
			ok = false;
		}
		arena_free(&arena);
	}
	if (ok && !written) {
		if (arch || !f.entry.n)
			fprintf(stderr, "heddle: %s has no such PTX; 'heddle fatbin' lists what there "
			                "is\n", argv[optind]);
		else
			fatbin_select_ptx(&f, f.entry.at[0].container, 0, &d);
		ok = false;
	}
	diag_print(&d);
	diag_free(&d);
	fatbin_free(&f);
	elf64_unmap_file(&file);
	return !ok || fflush(stdout);
}
