// heddle sass: the machine code that a file holds, as text.
#include "tools/tools.h"

#include "cuda-sim/sass/machine/encoding.h"
#include "cuda-sim/sass/machine/listing.h"
#include "libcuda/image/cubin.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wanted {
	const char *kernel; // NULL: all
	unsigned arch;      // 0: all
	unsigned functions, unknown; // listed so far; instructions of them that are not known
};

static void list_function(struct wanted *w, const struct sass_isa *isa, const struct cubin *c, const struct elf64_section *s)
{
	const char *name = s->name + strlen(".text.");
	const struct cubin_kernel *k = cubin_find(c, name);
	struct sass_function f = {.name = name, .arch = c->arch, .code = s->data, .size = (size_t)s->size,
	                          .registers = k ? k->registers : 0, .shared = k ? k->machine.shared : 0};
	if (w->functions++)
		putchar('\n');
	w->unknown += sass_list(isa, &f, stdout);
}

// The functions of one cubin, in the order of its sections.
static bool list_cubin(struct wanted *w, const void *data, size_t size, struct diag *d)
{
	struct arena arena = {0};
	struct cubin c;
	struct elf64 elf;
	bool ok = cubin_read(&c, data, size, &arena, d) && !elf64_open(&elf, data, size);
	int generation = ok ? sass_generation_of(c.arch) : -1;
	if (ok && (generation < SASS_VOLTA || generation > SASS_HOPPER)) {
		diag_add(d, DIAG_ERROR, "sm_%u: machine code for sm_70 to sm_90 is read", c.arch);
		ok = false;
	}
	if (ok) {
		struct sass_isa *isa = sass_isa_new(&arena, (enum sass_generation)generation);
		struct elf64_section s;
		for (size_t i = 0; elf64_section(&elf, i, &s); i++)
			if (!strncmp(s.name, ".text.", strlen(".text.")) && s.data && (!w->kernel || !strcmp(w->kernel, s.name + strlen(".text."))))
				list_function(w, isa, &c, &s);
	}
	cubin_free(&c);
	arena_free(&arena);
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

int cmd_sass(int argc, char **argv)
{
	static const struct option options[] = {{"arch", required_argument, NULL, 'a'}, {0}};
	struct wanted w = {0};
	for (int c; (c = getopt_long(argc, argv, "a:", options, NULL)) != -1;) {
		const char *digits = c == 'a' ? strpbrk(optarg, "0123456789") : NULL;
		w.arch = digits ? (unsigned)strtoul(digits, NULL, 10) : 0;
		if (c == 'a' && !w.arch)
			fprintf(stderr, "heddle: '%s' is no target; give one as 90 or sm_90\n", optarg);
		if (!w.arch)
			return 2;
	}
	if (optind >= argc || optind < argc - 2) {
		fputs("usage: heddle sass [-a ARCH] FILE [KERNEL]\n", stderr);
		return 2;
	}
	const char *path = argv[optind];
	w.kernel = argv[optind + 1];
	struct elf64_file file;
	struct fatbin f;
	struct diag d = {0};
	bool ok = tool_open_fatbin(path, &file, &f);
	ok = ok && list_all(&w, &f, &d);
	if (ok && !w.functions) {
		fprintf(stderr, "heddle: %s has no such machine code; 'heddle fatbin' lists what there is\n", path);
		ok = false;
	}
	if (w.unknown)
		fprintf(stderr, "heddle: %u instructions are not known to this version; they stand as comments\n", w.unknown);
	diag_print(&d);
	diag_free(&d);
	fatbin_free(&f);
	elf64_unmap_file(&file);
	return !ok || w.unknown || fflush(stdout);
}
