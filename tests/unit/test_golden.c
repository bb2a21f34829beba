// The whole statistics of small kernels, executed on four GPUs, of which one with the modern core too, against those
// that were accepted last: tests/golden/executed has the sums that are not 0 and a checksum of all lines. A change
// fails here until `make golden` accepts it (HEDDLE_GOLDEN=accept).
#include "tests/unit/kernel_text.h"
#include "tests/unit/timing_harness.h"

#include <sys/stat.h>

// With ".modern" behind it: on the modern core.
static const char *const configs[] = {"SM7_QV100", "SM2_GTX480", "SM75_RTX2060", "SM86_RTX3070", "SM86_RTX3070.modern"};
enum { CONFIGS = sizeof configs / sizeof *configs, IN_BYTES = 1 << 17, OUT_BYTES = 1 << 17 };

static const struct golden {
	const char *name;
	uint32_t grid[2], block[2];
	uint64_t n;
	const char *beside; // a kernel of another stream
} golden[] = {
	{"triad", {24, 1}, {256, 1}, 12000, NULL},  {"stencil", {4, 16}, {32, 8}, 128, NULL},
	{"matmul", {4, 4}, {16, 16}, 64, NULL},
	{"reduce", {16, 1}, {256, 1}, 20000, NULL}, {"histogram", {12, 1}, {256, 1}, 8000, NULL},
	{"chase", {3, 1}, {64, 1}, 30000, NULL},
	{"bfs", {1, 1}, {256, 1}, 900, NULL},       {"texels", {10, 1}, {128, 1}, 0, NULL},
	{"fp64", {8, 1}, {128, 1}, 1000, NULL},
	{"transpose", {4, 4}, {32, 8}, 128, NULL},  {"scan", {10, 1}, {256, 1}, 0, NULL},
	{"locals", {6, 1}, {96, 1}, 4096, NULL},
	{"constants", {10, 1}, {128, 1}, 4096, NULL}, {"reduce", {8, 1}, {256, 1}, 9000, "stencil"},
};
enum { GOLDEN = sizeof golden / sizeof *golden };

static bool accepting;

static char *whole_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "cannot read %s", path);
	struct text t = {0};
	char buf[4097];
	for (size_t n; (n = fread(buf, 1, 4096, f));) {
		buf[n] = 0;
		text_add(&t, buf);
	}
	fclose(f);
	return t.at;
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "wb");
	ck_assert_msg(f && fputs(text, f) >= 0 && !fclose(f), "cannot write %s", path);
}

static struct timed *gpu(const char *config, const char *ptx, unsigned threads)
{
	static const char modern[] = "-core modern\n";
	char path[200];
	snprintf(path, sizeof path, "configs/%.*s/gpgpusim.config", (int)strcspn(config, "."), config);
	struct timed *t = MEM_NEW(struct timed);
	struct diag why = {0};
	options_defaults(&t->opt);
	bool ok = options_load(&t->opt, path, &why) &&
	          (!strchr(config, '.') ||
	           options_load_text(&t->opt, "modern", modern, strlen(modern), FROM_COMMAND_LINE, &why)) &&
	          gpu_desc_from_options(&t->desc, &t->opt, &why);
	t->opt.enable_ptx_file_line_stats = t->opt.visualizer_enabled = false; // no files
	t->opt.threads = (int32_t)threads;
	t->gpu = ok ? gpu_new(&t->opt, &t->desc, true, &why) : NULL;
	ck_assert_msg(t->gpu != NULL, "%s", why.text ? why.text : path);
	diag_free(&why);
	timed_attach(t, ptx);
	return t;
}

// What is kept of a text: its lines "name = number" other than 0, and what tells whether anything changed.
static char *digest(const char *all)
{
	struct text t = {0};
	unsigned n = 0, n_seen = 0;
	uint64_t hash = 14695981039346656037u, seen[4096]; // FNV-1a; names of lines since the kernel's first
	char line[600];
	text_add(&t, "");
	for (const char *s = all; *s; n++) {
		size_t len = strcspn(s, "\n");
		snprintf(line, sizeof line, "%.*s", (int)(len < 500 ? len : 500), s);
		char *at = line + strspn(line, " \t"), *is = strrchr(line, '='),
			 *end = is ? is + 1 + strspn(is + 1, " ") : NULL;
		// Of each channel's figures only the first channel's: the checksum has them all.
		uint64_t name = 14695981039346656037u;
		for (const char *c = at; is && c < is; c++)
			name = (name ^ (uint8_t)*c) * 1099511628211u;
		bool table = !strncmp(at, "DRAM[", 5);
		if (!strncmp(at, "kernel_name", 11))
			n_seen = 0;
		for (unsigned i = 0; i < n_seen; i++)
			table |= seen[i] == name;
		if (!table && n_seen < sizeof seen / sizeof *seen)
			seen[n_seen++] = name;
		if (is && !table && *end && !end[strspn(end, "-0123456789.e% ")] && strtod(end, NULL) != 0) {
			for (char *tail = line + strlen(line); tail[-1] == ' ';)
				*--tail = 0;
			text_add(&t, at);
			text_add(&t, "\n");
		}
		s += len + (s[len] != 0);
	}
	for (const char *s = all; *s; s++)
		hash = (hash ^ (uint8_t)*s) * 1099511628211u;
	snprintf(line, sizeof line, "all %u lines: %016llx\n", n, (unsigned long long)hash);
	text_add(&t, line);
	return t.at;
}

static size_t line_length(const char *s) { return strcspn(s, "\n"); }

// Prints up to `most` lines that differ, in pairs as far as they go; how many there are.
static unsigned differences(const char *was, const char *is, struct text *out, unsigned most)
{
	unsigned n = 0;
	while (*was || *is) {
		size_t a = line_length(was), b = line_length(is);
		if (a != b || memcmp(was, is, a)) {
			if (n++ < most) {
				char line[500];
				snprintf(line, sizeof line, "  was: %.*s\n  is:  %.*s\n", (int)(a < 200 ? a : 200), was,
				         (int)(b < 200 ? b : 200), is);
				text_add(out, line);
			}
		}
		was += a + (was[a] != 0);
		is += b + (is[b] != 0);
	}
	return n;
}

// Runs a case: the digest of its statistics. order: see timing_set_order; several threads dawdle.
static char *measure_by(const char *config, const struct golden *g, uint64_t order, unsigned threads)
{
	bool texture = !strcmp(g->name, "texels");
	char *ptx = whole_file(texture ? "tests/golden/texels.ptx" : "tests/golden/kernels.ptx");
	struct timed *t = gpu(config, ptx, threads);
	timing_set_order(t->t, order);
	timing_dawdle(t->t, threads);
	uint64_t in = timed_alloc(t, IN_BYTES), out = timed_alloc(t, OUT_BYTES), other = timed_alloc(t, OUT_BYTES);
	for (unsigned i = 0; i < IN_BYTES / 4; i++)
		((uint32_t *)(uintptr_t)in)[i] = i * 2654435761u >> 9;
	struct texture image = bench_texture(in, 64, 32);
	if (texture)
		ptx_program_var(&t->b->program, "image")->tex = &image;
	uint64_t p[3] = {in, out, g->n}, q[3] = {in, other, 128};
	timed_launch3(t, g->name, (uint32_t[3]){g->grid[0], g->grid[1], 1}, (uint32_t[3]){g->block[0], g->block[1], 1}, 0,
	              p, sizeof p, 0);
	if (g->beside)
		timed_launch3(t, g->beside, (uint32_t[3]){4, 16, 1}, (uint32_t[3]){32, 8, 1}, 0, q, sizeof q, 1);
	timed_wait(t);
	char *text = digest(t->text);
	free(ptx);
	timed_free(t);
	return text;
}

static char *measure(const char *config, const struct golden *g, uint64_t order) { return measure_by(config, g, order, 1); }

START_TEST(statistics_are_those_that_were_accepted)
{
	const char *config = configs[_i / GOLDEN];
	const struct golden *g = &golden[_i % GOLDEN];
	char path[300];
	snprintf(path, sizeof path, "tests/golden/executed/%s.%s%s%s", config, g->name, g->beside ? "_beside_" : "",
	         g->beside ? g->beside : "");
	// The hostile build gives lanes of a warp other turns, so its statistics are those of its first run.
	char *is = measure(config, g, 0), *was = HEDDLE_LIMIT(true, false) ? measure(config, g, 0) : access(path, R_OK) ? strdup("") : whole_file(path);
	struct text list = {0};
	unsigned n = differences(was, is, &list, 12);
	if (n && accepting && !HEDDLE_LIMIT(true, false)) {
		mkdir("tests/golden/executed", 0777);
		write_file(path, is);
		printf("%s: %u lines changed\n%s", path, n, *was ? list.at : "");
	} else {
		ck_assert_msg(!n, "%s: %u lines differ (make golden accepts them):\n%s", path, n, list.at);
	}
	free(was);
	free(is);
	text_free(&list);
}
END_TEST

START_TEST(the_order_in_which_sms_are_stepped_changes_no_statistic)
{
	const char *config = configs[_i / GOLDEN];
	const struct golden *g = &golden[_i % GOLDEN];
	static const uint64_t order[] = {1, 0x9e3779b97f4a7c15};
	char *is = measure(config, g, 0);
	for (unsigned k = 0; k < sizeof order / sizeof *order; k++) {
		char *other = measure(config, g, order[k]);
		struct text list = {0};
		unsigned n = differences(is, other, &list, 12);
		ck_assert_msg(!n, "%s %s: %u lines differ:\n%s", config, g->name, n, list.at);
		free(other);
	}
	free(is);
}
END_TEST

START_TEST(the_number_of_threads_changes_no_statistic)
{
	const char *config = configs[_i / GOLDEN];
	const struct golden *g = &golden[_i % GOLDEN];
	static const unsigned threads[] = {2, 3, 8};
	const unsigned n = threads[_i % 3];
	char *is = measure(config, g, 0), *other = measure_by(config, g, 0, n);
	struct text list = {0};
	const unsigned lines = differences(is, other, &list, 12);
	ck_assert_msg(!lines, "%s %s, %u threads: %u lines differ:\n%s", config, g->name, n, lines, list.at);
	free(other);
	free(is);
}
END_TEST

// Where the sources are: five names above this program, which is build/MODE/tests/unit/test_golden.
static void go_to_root(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	path[n < 0 ? 0 : n] = 0;
	for (int up = 0; up < 5; up++)
		if (strrchr(path, '/'))
			*strrchr(path, '/') = 0;
	if (*path && chdir(path))
		perror(path);
}

int main(void)
{
	const char *how = getenv("HEDDLE_GOLDEN");
	accepting = how && !strcmp(how, "accept");
	go_to_root();
	Suite *suite = suite_create("golden");
	TCase *t = tcase_create("golden");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, statistics_are_those_that_were_accepted, 0, GOLDEN * CONFIGS);
	if (!accepting) {
		tcase_add_loop_test(t, the_order_in_which_sms_are_stepped_changes_no_statistic, 0, GOLDEN * CONFIGS);
		TCase *threads = tcase_create("threads"); // CK_RUN_CASE=threads for these alone
		tcase_set_timeout(threads, 60);
		tcase_add_loop_test(threads, the_number_of_threads_changes_no_statistic, 0, GOLDEN * CONFIGS);
		suite_add_tcase(suite, threads);
	}
	suite_add_tcase(suite, t);
	return check_main(suite);
}
