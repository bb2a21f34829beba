// heddle sass: the machine code that a file holds, as text, and cubins made of such text.
#include "tools/tools.h"

#include "cuda-sim/sass/ops.h"
#include "libcuda/image/cubin_text.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct wanted {
	const char *kernel; // NULL: all
	unsigned arch;      // 0: all
	unsigned functions, unknown; // listed so far; instructions of them that are not known
};

static const char usage[] = "usage: heddle sass [-a ARCH] FILE [KERNEL]\n       heddle sass --assemble FILE.sass -o FILE.cubin\n";

// --- listing

static bool list_cubin(struct wanted *w, const void *data, size_t size, struct diag *d)
{
	struct cubin_parts c;
	bool ok = cubin_parts_read(&c, data, size, d);
	int generation = ok ? sass_generation_of(c.arch) : -1;
	if (ok && generation < SASS_VOLTA) {
		diag_add(d, DIAG_ERROR, "sm_%u: machine code for sm_70 to sm_121 is read", c.arch);
		ok = false;
	}
	if (ok && (!w->kernel || cubin_parts_find(&c, w->kernel))) {
		if (w->functions)
			putchar('\n');
		struct cubin_listed n = cubin_list(&c, w->kernel, stdout);
		w->functions += n.functions;
		w->unknown += n.unknown;
	}
	cubin_parts_free(&c);
	return ok;
}

static bool list_all(struct wanted *w, const struct fatbin *f, struct diag *d)
{
	bool ok = true;
	for (size_t i = 0; i < f->entry.n; i++) {
		const struct fatbin_entry *e = &f->entry.at[i];
		if (e->kind != FATBIN_CUBIN || (w->arch && e->arch != w->arch))
			continue;
		struct arena arena = {0};
		const char *bytes;
		size_t len;
		ok &= fatbin_payload(e, &arena, &bytes, &len, d) && list_cubin(w, bytes, len, d);
		arena_free(&arena);
	}
	return ok;
}

static int list(const char *path, struct wanted *w)
{
	struct elf64_file file;
	struct fatbin f;
	struct diag d = {0};
	bool ok = tool_open_fatbin(path, &file, &f);
	ok = ok && list_all(w, &f, &d);
	if (ok && !w->functions) {
		fprintf(stderr, "heddle: %s has no such machine code; 'heddle fatbin' lists what there is\n", path);
		ok = false;
	}
	if (w->unknown)
		fprintf(stderr, "heddle: %u instructions are not known to this version; they stand as their bits, behind .inst\n", w->unknown);
	diag_print(&d);
	diag_free(&d);
	fatbin_free(&f);
	elf64_unmap_file(&file);
	return !ok || w->unknown || fflush(stdout);
}

// --- assembling

// Whole or not at all: a file that cannot be written to its end is removed, a device is not.
static bool write_file(const char *path, const uint8_t *bytes, size_t size)
{
	FILE *f = fopen(path, "wb");
	bool ok = f && fwrite(bytes, 1, size, f) == size;
	int why = errno;
	if (f && fclose(f))
		ok = false, why = errno;
	if (!ok) {
		fprintf(stderr, "heddle: cannot write %s: %s\n", path, strerror(why));
		struct stat st;
		if (f && !stat(path, &st) && S_ISREG(st.st_mode))
			unlink(path);
	}
	return ok;
}

static int assemble(const char *path, const char *out)
{
	struct elf64_file file;
	struct diag d = {0};
	uint8_t *image = NULL;
	size_t size = 0;
	if (!elf64_map_file(&file, path)) {
		fprintf(stderr, "heddle: cannot read %s: %s\n", path, errno == ENODATA ? "the file is empty" : strerror(errno));
		return 1;
	}
	bool ok = cubin_assemble(path, (const char *)file.data, file.size, &image, &size, &d);
	diag_print(&d);
	ok = ok && write_file(out, image, size);
	mem_free(image);
	diag_free(&d);
	elf64_unmap_file(&file);
	return !ok;
}

int cmd_sass(int argc, char **argv)
{
	static const struct option options[] = {
		{"arch", required_argument, NULL, 'a'}, {"assemble", required_argument, NULL, 'A'}, {"output", required_argument, NULL, 'o'}, {0}};
	struct wanted w = {0};
	const char *source = NULL, *out = NULL;
	for (int c; (c = getopt_long(argc, argv, "a:o:", options, NULL)) != -1;) {
		const char *digits = c == 'a' ? strpbrk(optarg, "0123456789") : NULL;
		if (c == 'A')
			source = optarg;
		if (c == 'o')
			out = optarg;
		if (c == 'a' && !(w.arch = digits ? (unsigned)strtoul(digits, NULL, 10) : 0)) {
			fprintf(stderr, "heddle: '%s' is no target; give one as 90 or sm_90\n", optarg);
			return 2;
		}
		if (c == '?')
			return 2;
	}
	if (source && !out) {
		fputs("heddle: where does the cubin go? give -o FILE.cubin\n", stderr);
		return 2;
	}
	if (source && out && optind == argc && !w.arch)
		return assemble(source, out);
	if (source || out || optind >= argc || optind < argc - 2) {
		fputs(usage, stderr);
		return 2;
	}
	w.kernel = argv[optind + 1];
	return list(argv[optind], &w);
}
