// heddle fatbin, heddle ptx: what device code a file holds.
#include "tools/tools.h"

#include "libcuda/image/cubin.h"

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

int cmd_fatbin(int argc, char **argv)
{
	struct elf64_file file;
	struct fatbin f;
	if (argc != 2)
		return usage("fatbin FILE");
	bool ok = tool_open_fatbin(argv[1], &file, &f);
	if (f.entry.n)
		puts("container entry kind          target         version packing    stored      bytes  options, "
		     "source");
	for (size_t i = 0; i < f.entry.n; i++) {
		const struct fatbin_entry *e = &f.entry.at[i];
		char arch[32], version[24];
		snprintf(version, sizeof version, e->major || e->minor ? "%u.%u" : "-", e->major, e->minor);
		printf("%9u %5u %-13s %-14s %-7s %-7s %9zu %10zu  %s%s%s\n", e->container, e->number,
		       fatbin_kind_name(e->kind), fatbin_arch_name(e, arch, sizeof arch), version, compression(e),
		       e->stored, e->raw_size, e->options, *e->file ? " " : "", e->file);
	}
	fatbin_free(&f);
	elf64_unmap_file(&file);
	return !ok;
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
