// heddle run: starts a program with the simulator's library in front of it.
#include "tools/config_args.h"
#include "tools/places.h"
#include "tools/run_report.h"
#include "tools/tools.h"

#include "base/mem.h"
#include "gpgpu-sim/gpu.h"
#include "gpgpu-sim/look/debug_place.h"
#include "gpgpu-sim/look/debug_streams.h"
#include "isa/gpu_desc.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
	"usage: heddle run [-c CONFIG]... [-option value]... [--mode functional|timing] [--code ptx|sass|auto]\n"
	"                  [--break PLACE]... [--trace STREAMS] [--write-trace DIR [--gzip | --tracez] [--extended]] [--python FILE] [--force]\n"
	"                  [--report PAGE.html] [--] PROGRAM [ARG...]\n"
	"  -c, --config CONFIG   configuration file, its folder, or a name from configs/; may be repeated\n"
	"  -option value         any option of configuration files; wins over files and HEDDLE_OPTIONS\n"
	"  -m, --mode MODE       functional: results only; timing: cycle by cycle\n"
	"  -k, --code CODE       which code of a kernel runs: ptx, sass (machine code) or auto; -gpgpu_execute\n"
	"  -b, --break PLACE     start the debugger, which stops at cycle=N, FILE:LINE (a PTX or source line), 0xADDRESS\n"
	"                        (of code or of device memory) or in a kernel whose name contains PLACE\n"
	"  -t, --trace STREAMS   print these debug streams, with commas between them\n"
	"  -w, --write-trace DIR write what kernels execute to a folder, for heddle trace; of machine code Accel-Sim's\n"
	"                        traces (docs/traces.md)\n"
	"  -z, --gzip            compress it\n"
	"  -Z, --tracez          write the .tracez files of Accel-Sim 2.0\n"
	"  -x, --extended        with control bits, of machine code only: the traces that cores with control bits replay\n"
	"  -p, --python FILE     PROGRAM may be a Python script, which this Python runs, or, behind --, options of Python\n"
	"                        such as -m pytest; functional unless a mode is chosen. python -m heddle run fills it in\n"
	"  -r, --report PAGE     write a page about what its kernels did (docs/report.md), and beside it the recording, PAGE.json\n"
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

// The program's file as execvp would find it with `first` at the head of PATH. NULL if there is none; the caller frees it.
static char *find_program(const char *name, const char *first)
{
	if (strchr(name, '/'))
		return strdup(name);
	char *own = path_of(first, "/", name);
	if (is_file(own) && access(own, X_OK) == 0)
		return own;
	free(own);
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

// With an auditing library the loader sets up the memory of threads before it has seen what the program is linked with. Libraries
// whose variables have to lie in it find 512 bytes left then, too few for jemalloc, and the program does not start. So there are
// 8192; with twice as many, threads with the smallest stack that there is do not start (glibc 2.36).
static bool leave_room_for_threads(void)
{
	const char *had = getenv("GLIBC_TUNABLES");
	return (had && strstr(had, "glibc.rtld.optional_static_tls")) || append("GLIBC_TUNABLES", ':', "glibc.rtld.optional_static_tls=8192");
}

// Programs of the run find the simulator's library, and the command that tells of its GPU.
static bool set_paths(const struct places *at)
{
	char *library = path_of(at->libraries, "/", "libcudasim.so"), *find = path_of(at->libraries, "/", "libheddle-find.so");
	bool ok = library && find;
	if (ok && !is_file(library)) {
		fprintf(stderr, "heddle: error: %s is missing; run make\n", library);
		ok = false;
	} else if (ok) {
		// LD_PRELOAD ends names at blanks; there the bare name is found through LD_LIBRARY_PATH.
		const char *preload = strpbrk(library, " \t\n") ? strrchr(library, '/') + 1 : library;
		ok = put_first("LD_LIBRARY_PATH", at->libraries) && put_first("LD_PRELOAD", preload) && (!getenv("PATH") || put_first("PATH", at->commands));
		// Has no blanks to fear. The loader warns of a file that is not there.
		if (ok && is_file(find))
			ok = put_first("LD_AUDIT", find) && leave_room_for_threads();
	}
	free(find);
	free(library);
	return ok;
}

// The first file of -c is GPGPUSIM_CONFIG. Others stand before what HEDDLE_OPTIONS held, the options of the command line
// behind it, where they win.
static bool set_options(const struct config_args *a, const char *mode, const char *code)
{
	char *text = NULL;
	const char *had = getenv("HEDDLE_OPTIONS");
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	if (!f || (a->file.n && setenv("GPGPUSIM_CONFIG", a->file.at[0], 1)))
		return false;
	for (size_t i = 1; i < a->file.n; i++) {
		if (strpbrk(a->file.at[i], "\"#\n")) {
			fprintf(stderr, "heddle: error: -c %s: the path of a further configuration cannot hold quotes, '#' or line ends\n",
			        a->file.at[i]);
			fclose(f);
			free(text);
			return false;
		}
		fprintf(f, "-config \"%s\"\n", a->file.at[i]);
	}
	fputs(had ? had : "", f);
	for (size_t i = 0; i < a->option.n; i++)
		fprintf(f, option_is_name(a->option.at[i]) ? "\n%s" : " \"%s\"", a->option.at[i]);
	if (mode)
		fprintf(f, "\n-gpgpu_ptx_sim_mode %d", !strcmp(mode, "functional"));
	if (code)
		fprintf(f, "\n-gpgpu_execute %s", code);
	fclose(f);
	bool ok = (!len || !setenv("HEDDLE_OPTIONS", text, 1)) &&
	          (!mode || !setenv("PTX_SIM_MODE_FUNC", !strcmp(mode, "functional") ? "1" : "0", 1));
	free(text);
	return ok;
}

// Whether the options on the command line can be read, told with their place there.
static bool options_make_sense(const struct config_args *a)
{
	struct options o = {0};
	struct diag d = {0};
	options_defaults(&o);
	bool ok = options_parse_args(&o, (int)a->option.n, a->option.at, &d);
	if (!ok)
		diag_print(&d);
	diag_free(&d);
	options_free(&o);
	return ok;
}

// Of a run that is refused: as far as the configuration can be read.
static void empty_outputs(const struct config_args *a)
{
	struct options o = {0};
	struct diag quiet = {0};
	config_args_read(a, &o, &quiet);
	options_empty_outputs(&o);
	diag_free(&quiet);
	options_free(&o);
}

// Whether what the program will find makes a GPU. Warnings are left to the program's run, which gives them too. Statistics
// of an earlier run go in any case.
static bool makes_a_gpu(void)
{
	struct options o = {0};
	struct gpu_desc desc;
	struct dbg_streams dbg;
	struct diag d = {0};
	bool ok = false;
	if (options_find_and_load(&o, &d) && gpu_desc_from_options(&desc, &o, &d) && dbg_init(&dbg, &o, getenv("PTX_SIM_DEBUG"), &d) &&
	    options_check_outputs(&o, &d))
		ok = gpu_possible(&o, &desc, !o.gpgpu_ptx_sim_mode, &d);
	options_empty_outputs(&o);
	if (!ok)
		diag_print(&d);
	diag_free(&d);
	options_free(&o);
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

struct request {
	struct config_args config;
	const char *mode, *code, *python, *report;
	bool force, help, refused;
	int status; // of a request that makes no sense; 0: it does
};

static const struct word {
	char letter;
	const char *name;
	bool value;
} words[] = {{'m', "--mode", true},        {'k', "--code", true}, {'b', "--break", true}, {'t', "--trace", true}, {'w', "--write-trace", true},
             {'z', "--gzip", false}, {'Z', "--tracez", false}, {'x', "--extended", false}, {'p', "--python", true}, {'r', "--report", true}, {'f', "--force", false}, {'h', "--help", false}};

// The word of our own at argv[i], NULL: none. *used: how many of argv it takes, its value in *value; 0: the value is missing.
static const struct word *own_word(int argc, char **argv, int i, int *used, const char **value)
{
	const char *a = argv[i];
	for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
		const struct word *w = &words[k];
		size_t n = strlen(w->name);
		bool letter = a[0] == '-' && a[1] == w->letter && !a[2], joined = w->value && !strncmp(a, w->name, n) && a[n] == '=';
		if (!letter && !joined && strcmp(a, w->name))
			continue;
		*value = joined ? a + n + 1 : w->value && i + 1 < argc ? argv[i + 1] : NULL;
		*used = !w->value || joined ? 1 : i + 1 < argc ? 2 : 0;
		return w;
	}
	return NULL;
}

static int take_word(struct request *r, const struct word *w, const char *value)
{
	char why[300];
	switch (w->letter) {
	case 'm':
		r->mode = value;
		if (!strcmp(value, "functional") || !strcmp(value, "timing"))
			return 0;
		fprintf(stderr, "heddle: error: --mode is 'functional' or 'timing', not '%s'\n", value);
		return 2;
	case 'k':
		r->code = value;
		if (!strcmp(value, "ptx") || !strcmp(value, "sass") || !strcmp(value, "auto"))
			return 0;
		fprintf(stderr, "heddle: error: --code is 'ptx', 'sass' (machine code) or 'auto', not '%s'\n", value);
		return 2;
	case 'b':
		if (!debug_place_ok(value, why, sizeof why)) {
			fprintf(stderr, "heddle: error: --break: %s\n", why);
			return 2;
		}
		return !append("HEDDLE_BREAK", '\n', value);
	case 't':
		return !append("HEDDLE_OPTIONS", '\n', "-trace_enabled 1\n-trace_components ") || !append("HEDDLE_OPTIONS", 0, value);
	case 'w': return !write_trace(value);
	case 'z': return setenv("HEDDLE_WRITE_TRACE_GZIP", "1", 1) != 0;
	case 'Z': return setenv("HEDDLE_WRITE_TRACE_TRACEZ", "1", 1) != 0;
	case 'x': return setenv("HEDDLE_WRITE_TRACE_EXTENDED", "1", 1) != 0;
	case 'p': r->python = value; return 0;
	case 'r': r->report = value; return !report_ask(value);
	case 'f': r->force = true; return 0;
	default: r->help = true; return 0;
	}
}

// Where the program stands in argv.
static int read_words(struct request *r, int argc, char **argv)
{
	struct diag d = {0};
	int i = 1;
	while (!r->status && !r->help && i < argc && argv[i][0] == '-') {
		const char *value;
		int used;
		if (!strcmp(argv[i], "--"))
			return i + 1;
		const struct word *w = own_word(argc, argv, i, &used, &value);
		if (w && !used) {
			fprintf(stderr, "heddle: error: %s needs a value behind it\n", argv[i]);
			r->status = 2;
		} else if (w) {
			r->status = take_word(r, w, value);
		} else {
			used = config_args_take(&r->config, argc, argv, i, &d);
			if (!used)
				diag_add(&d, DIAG_ERROR, "heddle run has no option '%s'; heddle run --help lists them", argv[i]);
			if (used <= 0)
				r->status = 2;
			r->refused = used < 0;
		}
		i += used;
	}
	diag_print(&d);
	diag_free(&d);
	return i;
}

// What decides which code of the program runs, as far as the configuration can be read; what is wrong with it is told later.
static struct reach_gpu configured_gpu(void)
{
	struct options o = {0};
	struct gpu_desc desc;
	struct diag quiet = {0};
	struct reach_gpu gpu = {0};
	if (options_find_and_load(&o, &quiet) && gpu_desc_from_options(&desc, &o, &quiet))
		gpu = (struct reach_gpu){(unsigned)(desc.major * 10 + desc.minor), choice_of(&o)};
	diag_free(&quiet);
	options_free(&o);
	return gpu;
}

// Whether Python is to run it: a script, which need not be executable; a folder with __main__.py; options of Python.
static bool is_for_python(const char *name)
{
	struct stat st;
	size_t n = strlen(name);
	if (name[0] == '-' || (n > 3 && !strcmp(name + n - 3, ".py")))
		return true;
	return stat(name, &st) == 0 && (S_ISDIR(st.st_mode) || access(name, X_OK));
}

// The words behind `python`, where that is to run them; a program's own words else. NULL without a script, which is told. The
// caller frees it.
static char **words_to_start(const char *python, int argc, char **argv)
{
	char **line = mem_alloc((size_t)(argc + 2) * sizeof *line);
	int n = 0;
	if (python && is_for_python(argv[0])) {
		if (argv[0][0] != '-' && access(argv[0], F_OK)) {
			fprintf(stderr, "heddle: error: no script '%s': %s\n", argv[0], strerror(errno));
			mem_free(line);
			return NULL;
		}
		line[n++] = (char *)python;
	}
	for (int i = 0; i < argc; i++)
		line[n++] = argv[i];
	line[n] = NULL;
	return line;
}

// Tells what keeps the program from reaching Heddle. Whether it may start.
static bool may_reach(const struct request *r, const char *path, const char *name, const struct places *at)
{
	struct reach_gpu gpu = configured_gpu();
	struct reach reach = reach_examine(path, name, at->libraries, &gpu);
	bool may = !reach.impossible || r->force;
	if (!may)
		diag_add(&reach.why, DIAG_NOTE, "%s was not started; --force starts it all the same", name);
	if (!may || !r->python || strcmp(name, r->python)) // of what its scripts load, the file of a Python knows nothing
		diag_print(&reach.why);
	diag_free(&reach.why);
	return may;
}

// A Python script wants results; cycles are counted where somebody asks for them.
static const char *usual_mode(const struct request *r)
{
	const char *options = getenv("HEDDLE_OPTIONS");
	bool chosen = r->mode || getenv("PTX_SIM_MODE_FUNC") || (options && strstr(options, "-gpgpu_ptx_sim_mode"));
	for (size_t i = 0; i < r->config.option.n; i++)
		chosen |= !strcmp(r->config.option.at[i], "-gpgpu_ptx_sim_mode");
	return chosen || !r->python ? r->mode : "functional";
}

// Starts the program at argv[0]. Returns only if that cannot be done.
static int start(struct request *r, char **program)
{
	struct places at;
	int status = 1;
	if (!places_find(&at)) {
		fprintf(stderr, "heddle: error: the folder of this program cannot be found; is /proc mounted?\n");
		return 1;
	}
	char *path = find_program(*program, at.commands);
	if (!path) {
		fprintf(stderr, "heddle: error: no program '%s' in PATH; give its path, as ./%s\n", *program, *program);
		return 127;
	}
	bool set = set_options(&r->config, usual_mode(r), r->code);
	if (may_reach(r, path, *program, &at) && set) {
		if (!makes_a_gpu()) {
			fprintf(stderr, "heddle: nothing can be simulated with these options; %s was not started\n", *program);
			status = 2;
		} else if (set_paths(&at)) {
			execv(path, program);
			fprintf(stderr, "heddle: error: %s cannot be started: %s\n", *program, strerror(errno));
		}
	}
	free(path);
	return status;
}

int cmd_run(int argc, char **argv)
{
	struct request r = {0};
	int at = read_words(&r, argc, argv);
	if (r.help) {
		print_usage(stdout);
	} else if (!r.status && !options_make_sense(&r.config)) {
		r.status = 2;
		r.refused = true;
	} else if (!r.status && at >= argc) {
		fputs("heddle: error: no program to run\n", stderr);
		print_usage(stderr);
		r.status = 2;
	} else if (!r.status) {
		char **line = words_to_start(r.python, argc - at, argv + at);
		r.status = !line ? 2 : r.report ? report_run(r.report) : REPORT_IS_CHILD;
		if (r.status == REPORT_IS_CHILD)
			r.status = start(&r, line);
		mem_free(line);
	}
	if (r.refused)
		empty_outputs(&r.config);
	config_args_free(&r.config);
	return r.status;
}
