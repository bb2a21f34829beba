// For tests that build and run small programs: commands in a folder of their own.
#ifndef TESTS_SHELL_H
#define TESTS_SHELL_H

#include <check.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[PATH_MAX]; // of the source tree
static char dir[] = "/tmp/heddle-test-XXXXXX";

// Sets `root`: five names above this program, which is build/MODE/tests/unit/test_NAME.
static void shell_find_root(void)
{
	ssize_t n = readlink("/proc/self/exe", root, sizeof root - 1);
	root[n < 0 ? 0 : n] = 0;
	for (int up = 0; up < 5; up++) {
		char *slash = strrchr(root, '/');
		if (slash)
			*slash = 0;
	}
	// What a sanitizer or the caller preloads must not reach the small programs.
	unsetenv("LD_PRELOAD");
	unsetenv("LD_LIBRARY_PATH");
}

__attribute__((format(printf, 1, 2))) static bool shell(const char *fmt, ...)
{
	char command[3 * PATH_MAX];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(command, sizeof command, fmt, ap);
	va_end(ap);
	return system(command) == 0;
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

// What a command writes on both outputs.
static const char *output_of(const char *command)
{
	static char text[4096];
	char all[PATH_MAX];
	snprintf(all, sizeof all, "{ %s; } 2>&1", command);
	FILE *f = popen(all, "r");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(text, 1, sizeof text - 1, f);
	text[n] = 0;
	pclose(f);
	return text;
}

// Makes `dir` and goes there; removes it. For an unchecked fixture.
static void shell_enter(void) { ck_assert(mkdtemp(dir) && chdir(dir) == 0); }

static void shell_leave(void)
{
	if (chdir("/") == 0)
		shell("rm -rf '%s'", dir);
}

#endif
