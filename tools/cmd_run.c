// heddle run: starts a program with the simulator's library in front of it.
#include "tools/tools.h"

#include "gpgpu-sim/look/debug_place.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
	"usage: heddle run [-c CONFIG] [--mode functional|timing] [--break PLACE]... [--trace STREAMS]\n"
	"                  [--write-trace DIR [--gzip]] [--force] [--] PROGRAM [ARG...]\n"
	"  -c, --config CONFIG   configuration file, its folder, or a name from configs/\n"
	"  -m, --mode MODE       functional: results only; timing: cycle by cycle\n"
	"  -b, --break PLACE     start the debugger, which stops at cycle=N, FILE:LINE (a PTX or source line), 0xADDRESS\n"
	"                        (of code or of device memory) or in a kernel whose name contains PLACE\n"
	"  -t, --trace STREAMS   print these debug streams, with commas between them\n"
	"  -w, --write-trace DIR write what kernels execute to a folder, for heddle trace (docs/traces.md)\n"
	"  -z, --gzip            compress it\n"
	"  -f, --force           start the program even if it cannot reach Heddle\n"
	"\n"
	"Debug streams (docs/debugging.md):\n";

static const struct {
	const char *name, *help;
} streams[] = {
#define DBG_STREAM(name, level, sampled, help) {#name, help},
#include "gpgpu-sim/look/debug_streams.def"
};

static void print_usage(FILE *to)
{
	fputs(usage, to);
	for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
		fprintf(to, "  %-24s %s\n", streams[i].name, streams[i].help);
}

// A path of the form printf makes, NULL if it would be too long. The caller frees it.
static char *path_of(const char *folder, const char *middle, const char *file)
{
	char *s;
	return asprintf(&s, "%s%s%s", folder, middle, file) < 0 ? NULL : s;
}

static bool is_file(const char *path)
{
	struct stat st;
	return path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

// The folder above that of this executable: bin/heddle lies beside lib/ and configs/.
static bool find_root(char root[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", root, PATH_MAX - 1);
	if (n < 0)
		return false;
	root[n] = 0;
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(root, '/');
		if (!slash)
			return false;
		*slash = 0;
	}
	return true;
}

// The program's file as execvp would find it. NULL if there is none; the caller frees it.
static char *find_program(const char *name)
{
	if (strchr(name, '/'))
		return strdup(name);
	const char *path = getenv("PATH");
	for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
		size_t n = strcspn(p, ":");
		char *s;
		if (asprintf(&s, "%.*s/%s", n ? (int)n : 1, n ? p : ".", name) < 0)
			return NULL;
		if (is_file(s) && access(s, X_OK) == 0)
			return s;
		free(s);
		p += n + (p[n] == ':');
	}
	return NULL;
}

// The configuration file meant by -c. NULL if there is none; the caller frees it.
static char *find_config(const char *root, const char *given)
{
	char *tries[] = {
	        path_of(given, "", ""),
	        path_of(given, "", "/gpgpusim.config"),
	        strchr(given, '/') ? NULL : path_of(root, "/configs/", given),
	        NULL,
	};
	if (tries[2])
		tries[3] = path_of(tries[2], "", "/gpgpusim.config");
	char *found = NULL;
	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
		if (!found && is_file(tries[i]))
			found = realpath(tries[i], NULL);
		free(tries[i]);
	}
	return found;
}

// Puts `first` at the head of a list of paths in the environment, unless it is there.
static bool put_first(const char *variable, const char *first)
{
	const char *old = getenv(variable);
	size_t n = strlen(first);
	if (old && !strncmp(old, first, n) && (!old[n] || old[n] == ':'))
		return true;
	char *s = path_of(first, old && *old ? ":" : "", old ? old : "");
	bool ok = s && setenv(variable, s, 1) == 0;
	free(s);
	return ok;
}

// Adds text to a variable behind `between`, if that is not 0 and there is something before it.
static bool append(const char *variable, char between, const char *text)
{
	const char *old = getenv(variable), gap[] = {old && *old ? between : 0, 0};
	char *s = path_of(old ? old : "", gap, text);
	bool ok = s && setenv(variable, s, 1) == 0;
	free(s);
	return ok;
}

static bool set_environment(const char *root, const char *folder, const char *config, const char *mode)
{
	char *library = path_of(folder, "/", "libcudasim.so");
	bool ok = library;
	if (ok && !is_file(library)) {
		fprintf(stderr, "heddle: error: %s is missing; run make\n", library);
		ok = false;
	} else if (ok) {
		// LD_PRELOAD ends names at blanks; there the bare name is found through LD_LIBRARY_PATH.
		const char *preload = strpbrk(library, " \t\n") ? strrchr(library, '/') + 1 : library;
		ok = put_first("LD_LIBRARY_PATH", folder) && put_first("LD_PRELOAD", preload);
	}
	if (ok && mode)
		ok = setenv("PTX_SIM_MODE_FUNC", !strcmp(mode, "functional") ? "1" : "0", 1) == 0;
	if (ok && config) {
		char *file = find_config(root, config);
		if (!file)
			fprintf(stderr, "heddle: error: no configuration '%s': neither a file, nor a folder with "
			                "gpgpusim.config, nor a name in %s/configs\n", config, root);
		ok = file && setenv("GPGPUSIM_CONFIG", file, 1) == 0;
		free(file);
	}
	free(library);
	return ok;
}

// The program may go to another folder before its first kernel.
static bool write_trace(const char *folder)
{
	char *path = mkdir(folder, 0777) == 0 || errno == EEXIST ? realpath(folder, NULL) : NULL;
	bool ok = path && setenv("HEDDLE_WRITE_TRACE", path, 1) == 0;
	if (!ok)
		fprintf(stderr, "heddle: error: --write-trace %s: %s\n", folder, strerror(errno));
	free(path);
	return ok;
}

int cmd_run(int argc, char **argv)
{
	static const struct option options[] = {
	        {"config", required_argument, NULL, 'c'}, {"mode", required_argument, NULL, 'm'},
	        {"force", no_argument, NULL, 'f'},        {"help", no_argument, NULL, 'h'},
	        {"break", required_argument, NULL, 'b'},  {"trace", required_argument, NULL, 't'},
	        {"write-trace", required_argument, NULL, 'w'}, {"gzip", no_argument, NULL, 'z'},
	        {0},
	};
	const char *config = NULL, *mode = NULL;
	bool force = false;
	char why[300];
	for (int c; (c = getopt_long(argc, argv, "+c:m:b:t:w:zfh", options, NULL)) != -1;) {
		switch (c) {
		case 'c':
			config = optarg;
			break;
		case 'm':
			mode = optarg;
			break;
		case 'b':
			if (!debug_place_ok(optarg, why, sizeof why)) {
				fprintf(stderr, "heddle: error: --break: %s\n", why);
				return 2;
			}
			if (!append("HEDDLE_BREAK", '\n', optarg))
				return 1;
			break;
		case 't':
			if (!append("HEDDLE_OPTIONS", '\n', "-trace_enabled 1\n-trace_components ") ||
			    !append("HEDDLE_OPTIONS", 0, optarg))
				return 1;
			break;
		case 'w':
			if (!write_trace(optarg))
				return 1;
			break;
		case 'z':
			if (setenv("HEDDLE_WRITE_TRACE_GZIP", "1", 1))
				return 1;
			break;
		case 'f':
			force = true;
			break;
		case 'h':
			print_usage(stdout);
			return 0;
		default:
			print_usage(stderr);
			return 2;
		}
	}
	if (mode && strcmp(mode, "functional") && strcmp(mode, "timing")) {
		fprintf(stderr, "heddle: error: --mode is 'functional' or 'timing', not '%s'\n", mode);
		return 2;
	}
	if (optind >= argc) {
		print_usage(stderr);
		return 2;
	}
	char **program = argv + optind;
	char *path = find_program(*program);
	if (!path) {
		fprintf(stderr, "heddle: error: no program '%s' in PATH; give its path, as ./%s\n", *program, *program);
		return 127;
	}
	char root[PATH_MAX], *libraries = NULL;
	if (!find_root(root) || !(libraries = path_of(root, "/lib", ""))) {
		fprintf(stderr, "heddle: error: the folder of this program cannot be found; is /proc mounted?\n");
		free(path);
		return 1;
	}
	struct reach r = reach_examine(path, *program, libraries);
	if (r.impossible && !force)
		diag_add(&r.why, DIAG_NOTE, "%s was not started; --force starts it all the same", *program);
	diag_print(&r.why);
	diag_free(&r.why);
	if ((!r.impossible || force) && set_environment(root, libraries, config, mode)) {
		execv(path, program);
		fprintf(stderr, "heddle: error: %s cannot be started: %s\n", *program, strerror(errno));
	}
	free(libraries);
	free(path);
	return 1;
}
