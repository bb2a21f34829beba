// Pages that are made from tables are up to date, and what pages and comments name is there.
#include "base/vec.h"
#include "cuda-sim/ptx/doc.h"

#include <check.h>
#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(the_page_of_instructions_is_that_of_the_table)
{
	char *want = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&want, &len);
	ptx_doc_print(f);
	fclose(f);
	f = fopen("docs/ptx.md", "r");
	ck_assert_ptr_nonnull(f);
	char *have = calloc(1, len + 2);
	size_t n = fread(have, 1, len + 1, f);
	fclose(f);
	ck_assert_msg(n == len && memcmp(have, want, len) == 0, "docs/ptx.md is old: bin/heddle ops > docs/ptx.md");
	free(have);
	free(want);
}
END_TEST

// Pages with a command that watches the model, and how many of the lines that it prints stand below it.
static const struct {
	const char *page;
	unsigned lines;
} example[] = {{"docs/debugging.md", 2}, {"docs/request.md", 13}};

START_TEST(what_examples_show_is_what_is_printed)
{
	static const char command[] = "    bin/heddle trace --trace=", sample[] = "    GPGPU-Sim Cycle ";
	char line[1024], *shown = NULL;
	unsigned found = 0;
	FILE *f = fopen(example[_i].page, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof line, f)) {
		if (!shown && !strncmp(line, command, sizeof command - 1)) {
			size_t len = 0, n;
			FILE *to = open_memstream(&shown, &len), *from = popen(line, "r");
			for (char buf[65536]; (n = fread(buf, 1, sizeof buf, from)) > 0;)
				fwrite(buf, 1, n, to);
			ck_assert_int_eq(pclose(from), 0);
			fclose(to);
		} else if (shown && !strncmp(line, sample, sizeof sample - 1)) {
			ck_assert_msg(strstr(shown, line + 4) != NULL, "not printed: %s", line + 4);
			found++;
		}
	}
	fclose(f);
	free(shown);
	ck_assert_uint_eq(found, example[_i].lines);
}
END_TEST

// --- names of files

static VEC(char *) tree; // every file, folder and link, as a path from the root

static int keep(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)at;
	static const char *const made[] = {".git", "build", "bin", "lib"};
	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		if (!strcmp(path + 2, made[i]))
			return FTW_SKIP_SUBTREE;
	if (strlen(path) > 2 && (kind == FTW_F || kind == FTW_D || kind == FTW_SL))
		VEC_PUSH(&tree, strdup(path + 2));
	return FTW_CONTINUE;
}

// `name` is the end of a path of the tree, from some folder on. NAME and * in it stand for anything.
static bool in_tree(const char *name)
{
	char pattern[256], *to = pattern;
	for (const char *s = name; *s;) {
		bool any = !strncmp(s, "NAME", 4);
		*to++ = any ? '*' : *s;
		s += any ? 4 : 1;
	}
	*to = 0;
	if (to > pattern && to[-1] == '/')
		to[-1] = 0;
	for (size_t i = 0; i < tree.n; i++)
		for (const char *s = tree.at[i]; s; s = strchr(s, '/') ? strchr(s, '/') + 1 : NULL)
			if (!fnmatch(pattern, s, FNM_PATHNAME))
				return true;
	return false;
}

static bool top_folder(const char *name)
{
	size_t n = strcspn(name, "/");
	for (size_t i = 0; i < tree.n; i++)
		if (name[n] && strlen(tree.at[i]) == n && !strncmp(tree.at[i], name, n))
			return true;
	return false;
}

static bool has_end(const char *name, const char *const *ends)
{
	const char *dot = strrchr(name, '.');
	for (; dot && *ends; ends++)
		if (!strcmp(dot + 1, *ends))
			return true;
	return false;
}

// A name that claims to be a file or folder of the tree: it begins with a folder of the root, ends as our sources do, or is
// that of a unit test. Programs and traces of users (kernel.cu, app.ptx) and files that are not ours are not meant.
static bool claims(const char *name, bool code)
{
	static const char *const sources[] = {"c", "h", "def", "md", "y", "l", "proto", NULL};
	static const char *const foreign[] = {"math_constants.h", "driver_types.h", "cuda_device_runtime_api.h"};
	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
		if (!strcmp(name, foreign[i]))
			return false;
	if (strlen(name) < 4 || strpbrk(name, "()<>=:, "))
		return false;
	return has_end(name, sources) || (!code && top_folder(name));
}

static unsigned missing, looked_at;

static void look_at(const char *file, unsigned line, const char *from, size_t n, bool code)
{
	char name[200], unit[240];
	if (n >= sizeof name)
		return;
	memcpy(name, from, n);
	name[n] = 0;
	bool test = !strncmp(name, "test_", 5) && strcmp(name, "test_wait") && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")];
	snprintf(unit, sizeof unit, "tests/unit/%s.c", name);
	if (test && !code ? in_tree(unit) : !claims(name, code) || in_tree(name)) {
		looked_at += test || claims(name, code);
		return;
	}
	fprintf(stderr, "%s:%u: there is no '%s'\n", file, line, name);
	missing++;
}

// Words of a line that are made of what paths are made of.
static void look_at_words(const char *file, unsigned line, const char *s, bool code)
{
	static const char of_paths[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./*";
	for (s += strcspn(s, of_paths); *s; s += strcspn(s, of_paths)) {
		size_t n = strspn(s, of_paths), whole = n;
		while (n && (s[n - 1] == '.' || s[n - 1] == '*' || s[n - 1] == '-'))
			n--;
		if (s[0] != '.' && s[0] != '/' && s[0] != '-' && s[0] != '*')
			look_at(file, line, s, n, code);
		s += whole;
	}
}

static void look_at_page(const char *path)
{
	char line[8192];
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	for (unsigned n = 1; fgets(line, sizeof line, f); n++)
		look_at_words(path, n, line, false);
	fclose(f);
}

static void look_at_comments(const char *path)
{
	char line[8192];
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	for (unsigned n = 1; fgets(line, sizeof line, f); n++) {
		const char *comment = strstr(line, "//");
		if (comment && (comment == line || (comment[-1] != ':' && comment[-1] != '"')))
			look_at_words(path, n, comment, true);
	}
	fclose(f);
}

// README and the pages name files and folders; comments name files. All of them are there.
START_TEST(what_is_named_is_there)
{
	static const char *const commented[] = {"c", "h", "def", "y", "l", "proto", NULL}, *const page[] = {"md", NULL};
	ck_assert_int_eq(nftw(".", keep, 16, FTW_PHYS | FTW_ACTIONRETVAL), 0);
	for (size_t i = 0; i < tree.n; i++) {
		if (!strcmp(tree.at[i], "README.md") || (!strncmp(tree.at[i], "docs/", 5) && has_end(tree.at[i], page)))
			look_at_page(tree.at[i]);
		else if (has_end(tree.at[i], commented))
			look_at_comments(tree.at[i]);
	}
	ck_assert_msg(missing == 0, "%u names of files that are not there", missing);
	ck_assert_uint_gt(looked_at, 300);
	// What the search is for, that it finds it, and no more.
	ck_assert(in_tree("gpgpu-sim/classic/core.c") && in_tree("classic/core.c") && in_tree("core.c") && in_tree("docs/"));
	ck_assert(in_tree("sched_NAME.c") && in_tree("tests/unit/ops_*.h"));
	ck_assert(!in_tree("gpgpu-sim/core.c") && !in_tree("ore.c") && !in_tree("stats_dram.c"));
	ck_assert(claims("stats_dram.c", true) && claims("docs/nothing", false) && !claims("kernel.cu", false));
	for (size_t i = 0; i < tree.n; i++)
		free(tree.at[i]);
	VEC_FREE(&tree);
}
END_TEST

// --- rooms

// The row of a room in README's table: where it begins in the text, 0 if there is none.
static size_t row_of(const char *text, const char *room)
{
	char row[120];
	snprintf(row, sizeof row, "\n| `%s/` |", room);
	const char *at = strstr(text, row);
	snprintf(row, sizeof row, "\n| **`%s/`** |", room);
	at = at ? at : strstr(text, row);
	return at ? (size_t)(at - text) : 0;
}

// README has a row for each room of tools/layers, in the order in which rooms may use each other. A folder that has rooms
// (gpgpu-sim, libcuda) stands above them there.
START_TEST(rooms_stand_in_the_order_in_which_they_use_each_other)
{
	static char readme[100000];
	char line[200];
	size_t last = 0, rooms = 0;
	FILE *f = fopen("README.md", "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_lt(fread(readme, 1, sizeof readme - 1, f), sizeof readme - 1);
	fclose(f);
	f = fopen("tools/layers", "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof line, f) && strcmp(line, "ROOMS = [\n"))
		;
	while (fgets(line, sizeof line, f) && line[0] != ']') {
		size_t highest = last;
		for (char *room = strtok(line, " ',\n"); room; room = strtok(NULL, " ',\n"), rooms++) {
			size_t at = row_of(readme, room);
			ck_assert_msg(at > 0, "README.md has no row for %s/", room);
			if (strcmp(room, "gpgpu-sim") == 0 || strcmp(room, "libcuda") == 0)
				continue;
			ck_assert_msg(at > last, "README.md: %s/ stands above what it may use", room);
			highest = at > highest ? at : highest;
		}
		last = highest;
	}
	fclose(f);
	ck_assert_uint_gt(rooms, 20);
}
END_TEST

// What a stranger looks for stands in the row of the room where it is.
START_TEST(a_stranger_finds_the_room)
{
	static const struct {
		const char *words, *room, *file;
	} sought[] = {
		{"operand collector", "gpgpu-sim/classic", "opcoll.c"},
		{"`shfl`", "cuda-sim/exec/bodies", "warp.c"},
		{"DRAM (timing, schedulers)", "gpgpu-sim/memory", "dram_timing.c"},
		{"fat binaries and their decompression", "libcuda/image", "fatbin.c"},
		{"deadlock reports", "gpgpu-sim/look", "deadlock.c"},
		{"warp schedulers", "gpgpu-sim/classic", "sched.c"},
		{"coalescing", "gpgpu-sim/sm", "coalesce.c"},
		{"crossbar", "intersim", "xbar.c"},
		{"patching of static runtimes", "libcuda/image", "patch.c"},
		{"memory between SMs", "isa", "effects.h"},
	};
	static char readme[100000];
	FILE *f = fopen("README.md", "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_lt(fread(readme, 1, sizeof readme - 1, f), sizeof readme - 1);
	fclose(f);
	for (size_t i = 0; i < sizeof sought / sizeof *sought; i++) {
		char row[2000], path[200];
		size_t at = row_of(readme, sought[i].room), len = strcspn(readme + at + 1, "\n");
		ck_assert_msg(at > 0 && len < sizeof row, "README.md has no row for %s/", sought[i].room);
		memcpy(row, readme + at + 1, len);
		row[len] = 0;
		ck_assert_msg(strstr(row, sought[i].words) != NULL, "README.md: the row of %s/ lacks '%s'", sought[i].room, sought[i].words);
		snprintf(path, sizeof path, "%s/%s", sought[i].room, sought[i].file);
		ck_assert_msg(!access(path, R_OK), "'%s' no longer lives in %s", sought[i].words, path);
	}
}
END_TEST

// --- links

// The anchor of a heading, as sites that show markdown make it: small letters, blanks to hyphens, punctuation left out.
static void anchor_of(const char *heading, char *to)
{
	for (heading += strspn(heading, "# "); *heading && *heading != '\n'; heading++) {
		if (isalnum((unsigned char)*heading) || *heading == '_' || *heading == '-')
			*to++ = (char)tolower((unsigned char)*heading);
		else if (*heading == ' ')
			*to++ = '-';
	}
	*to = 0;
}

static bool has_heading(const char *page, const char *anchor)
{
	char line[8192], have[8192];
	bool found = false;
	FILE *f = fopen(page, "r");
	while (f && !found && fgets(line, sizeof line, f)) {
		anchor_of(line, have);
		found = line[0] == '#' && !strcmp(have, anchor);
	}
	if (f)
		fclose(f);
	return found;
}

// Links from page to page, `](PAGE#heading)`, lead to a page and a heading that are there.
START_TEST(links_lead_somewhere)
{
	static const char *const page[] = {"md", NULL};
	unsigned links = 0;
	DIR *dir = opendir("docs");
	ck_assert_ptr_nonnull(dir);
	for (struct dirent *e; (e = readdir(dir));) {
		char path[300], line[8192];
		if (!has_end(e->d_name, page))
			continue;
		snprintf(path, sizeof path, "docs/%s", e->d_name);
		FILE *f = fopen(path, "r");
		ck_assert_ptr_nonnull(f);
		while (fgets(line, sizeof line, f))
			for (char *s = line; (s = strstr(s, "]("));) {
				char to[300], *end = strchr(s += 2, ')'), *anchor;
				if (!end || !strncmp(s, "http", 4))
					continue;
				*end = 0;
				anchor = strchr(s, '#');
				if (anchor)
					*anchor++ = 0;
				snprintf(to, sizeof to, "docs/%s", *s ? s : e->d_name);
				ck_assert_msg(!access(to, R_OK), "%s: there is no page %s", path, to);
				ck_assert_msg(!anchor || has_heading(to, anchor), "%s: %s has no heading '%s'", path, to, anchor);
				links++;
				s = end + 1;
			}
		fclose(f);
	}
	closedir(dir);
	ck_assert_uint_gt(links, 15);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("docs");
	TCase *t = tcase_create("docs");
	tcase_add_test(t, the_page_of_instructions_is_that_of_the_table);
	tcase_add_test(t, what_is_named_is_there);
	tcase_add_test(t, a_stranger_finds_the_room);
	tcase_add_test(t, links_lead_somewhere);
	tcase_add_test(t, rooms_stand_in_the_order_in_which_they_use_each_other);
	if (!access("bin/heddle", X_OK))
		tcase_add_loop_test(t, what_examples_show_is_what_is_printed, 0, sizeof example / sizeof *example);
	suite_add_tcase(s, t);
	return check_main(s);
}
