// heddle check: runs a program as heddle run does, without timing, while its kernels are checked (docs/check.md). The library puts
// the reports; this process waits for the program, and gives the counts and the exit status.
#include "tools/config_args.h"
#include "tools/tools.h"

#include "base/vec.h"
#include "cuda-sim/check/check.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] =
	"usage: heddle check [OPTION...] [-c CONFIG]... [-option value]... [--code ptx|sass|auto] [--] PROGRAM [ARG...]\n"
	"  --tool TOOL[,TOOL...]         memcheck: out of bounds, misaligned, freed, freed twice, stack, errors of calls\n"
	"                                racecheck: shared memory that threads access without a barrier between them\n"
	"                                initcheck: global memory that is read before it was written\n"
	"                                synccheck: barriers in divergent code, wrong masks of __syncwarp\n"
	"                                all: these four, which is the default\n"
	"  --leak-check full|no          memcheck: also what is never freed; default no\n"
	"  --report-api-errors all|no    memcheck: also calls of the program that fail; default all\n"
	"  --error-exitcode N            exit status if something was found; default 1. 0: the program's own\n"
	"  --destroy-on-device-error context|kernel\n"
	"                                what an error ends: all work, as on a GPU, or that kernel alone; default context\n"
	"  --print-limit N               reports that are printed; default 100. 0: all\n"
	"  --log-file FILE               reports go there, not to standard output\n"
	"  --suppressions FILE           what FILE names is not reported\n"
	"  --save-suppressions FILE      writes a file that names what was found\n"
	"  -c, -option, --code           as heddle run takes them\n"
	"The exit status is the program's own if nothing was found; 127 if there is no such program, 2 for wrong usage.\n";

struct request {
	unsigned tools;
	bool leaks, api, kernel_only, help, has_stats;
	unsigned long limit, status;
	const char *log, *suppressions, *save;
	VEC(char *) run; // words for heddle run
	struct config_args config; // only to know how long options are
};

static const struct word {
	const char *name;
	bool value;
} words[] = {{"--tool", true},          {"--leak-check", true},   {"--report-api-errors", true}, {"--error-exitcode", true},
             {"--destroy-on-device-error", true}, {"--print-limit", true}, {"--log-file", true}, {"--suppressions", true},
             {"--save-suppressions", true}, {"--help", false}, {"-h", false}};

static const struct word *own_word(int argc, char **argv, int i, int *used, const char **value)
{
	for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
		const struct word *w = &words[k];
		size_t n = strlen(w->name);
		bool joined = w->value && !strncmp(argv[i], w->name, n) && argv[i][n] == '=';
		if (!joined && strcmp(argv[i], w->name))
			continue;
		*value = joined ? argv[i] + n + 1 : w->value && i + 1 < argc ? argv[i + 1] : NULL;
		*used = !w->value || joined ? 1 : i + 1 < argc ? 2 : 0;
		return w;
	}
	return NULL;
}

static int wrong(const char *option, const char *value, const char *want)
{
	fprintf(stderr, "heddle: error: %s: '%s' is not %s\n", option, value, want);
	return 2;
}

static int take_tools(struct request *r, const char *value)
{
	r->tools = 0;
	for (const char *p = value;; p++) {
		size_t n = strcspn(p, ",");
		unsigned bit = check_tool_of(p, n);
		if (!bit) {
			fprintf(stderr, "heddle: error: --tool: there is no tool '%.*s'; there are memcheck, racecheck, initcheck, synccheck and all\n",
			        (int)n, p);
			return 2;
		}
		r->tools |= bit;
		p += n;
		if (!*p)
			return 0;
	}
}

// One of two words: *out is true for `yes`.
static int take_choice(const char *option, const char *value, const char *yes, const char *no, bool *out)
{
	char want[80];
	*out = !strcmp(value, yes);
	if (*out || !strcmp(value, no))
		return 0;
	snprintf(want, sizeof want, "'%s' or '%s'", yes, no);
	return wrong(option, value, want);
}

static int take_number(const char *option, const char *value, unsigned long most, unsigned long *out)
{
	char *end, want[60];
	errno = 0;
	*out = strtoul(value, &end, 10);
	if (*value >= '0' && *value <= '9' && !*end && !errno && *out <= most)
		return 0;
	snprintf(want, sizeof want, "a number from 0 to %lu", most);
	return wrong(option, value, want);
}

static int take_word(struct request *r, const char *name, const char *value)
{
	if (!strcmp(name, "--tool"))
		return take_tools(r, value);
	if (!strcmp(name, "--leak-check"))
		return take_choice(name, value, "full", "no", &r->leaks);
	if (!strcmp(name, "--report-api-errors")) {
		bool implied = !strcmp(value, "explicit") || !strcmp(value, "extended"); // nothing else calls for the program here
		return take_choice(name, implied ? "all" : value, "all", "no", &r->api);
	}
	if (!strcmp(name, "--error-exitcode"))
		return take_number(name, value, 255, &r->status);
	if (!strcmp(name, "--destroy-on-device-error"))
		return take_choice(name, value, "kernel", "context", &r->kernel_only);
	if (!strcmp(name, "--print-limit"))
		return take_number(name, value, ULONG_MAX, &r->limit);
	if (!strcmp(name, "--log-file"))
		r->log = value;
	else if (!strcmp(name, "--suppressions"))
		r->suppressions = value;
	else if (!strcmp(name, "--save-suppressions"))
		r->save = value;
	else
		r->help = true;
	return 0;
}

// Where the program stands in argv; -1 after an error.
static int read_words(struct request *r, int argc, char **argv)
{
	struct diag d = {0};
	int i = 1;
	while (i < argc && argv[i][0] == '-' && !r->help) {
		const char *value;
		int used;
		if (!strcmp(argv[i], "--"))
			return i + 1;
		const struct word *w = own_word(argc, argv, i, &used, &value);
		bool code = !strcmp(argv[i], "--code") || !strcmp(argv[i], "-k"), joined = !strncmp(argv[i], "--code=", 7);
		if (w && !used) {
			fprintf(stderr, "heddle: error: %s needs a value behind it\n", argv[i]);
			return -1;
		}
		if (w && take_word(r, w->name, value))
			return -1;
		if (!w)
			used = joined ? 1 : code ? 2 : config_args_take(&r->config, argc, argv, i, &d);
		if (!w && used <= 0) {
			if (!used)
				diag_add(&d, DIAG_ERROR, "heddle check has no option '%s'; heddle check --help lists them", argv[i]);
			diag_print(&d);
			diag_free(&d);
			return -1;
		}
		r->has_stats |= !strcmp(argv[i], "-stats_file");
		for (int k = i; !w && k < i + used && k < argc; k++)
			VEC_PUSH(&r->run, argv[k]);
		i += used;
	}
	diag_free(&d);
	return i;
}

// --- files

static bool suppressions_are_right(const char *path)
{
	char line[2048];
	bool ok = true;
	FILE *f = fopen(path, "r");
	errno = f && fgets(line, sizeof line, f) == NULL && ferror(f) ? errno : f ? 0 : errno;
	if (!f || errno) {
		fprintf(stderr, "heddle: error: --suppressions: cannot read %s: %s\n", path, strerror(errno));
		if (f)
			fclose(f);
		return false;
	}
	rewind(f);
	for (unsigned n = 1; fgets(line, sizeof line, f); n++) {
		const char *why = check_suppression_wrong(line);
		if (why)
			fprintf(stderr, "heddle: error: %s:%u: %s\n", path, n, why);
		ok &= !why;
	}
	fclose(f);
	return ok;
}

// Makes the file empty but for `head`, and gives its whole path, which the program may need in another folder. NULL after a message.
static char *make_file(const char *option, const char *path, const char *head)
{
	FILE *f = fopen(path, "w");
	char *whole = f && fputs(head, f) >= 0 && !fflush(f) ? realpath(path, NULL) : NULL;
	if (!whole)
		fprintf(stderr, "heddle: error: %s: cannot write %s: %s\n", option, path, strerror(errno));
	if (f)
		fclose(f);
	return whole;
}

static struct check_counts *make_counts(int *fd)
{
	*fd = memfd_create("heddle-check", MFD_CLOEXEC);
	void *p = MAP_FAILED;
	if (*fd >= 0 && !ftruncate(*fd, sizeof(struct check_counts)))
		p = mmap(NULL, sizeof(struct check_counts), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (p != MAP_FAILED)
		return p;
	fprintf(stderr, "heddle: error: no memory to share with the program: %s\n", strerror(errno));
	return NULL;
}

// --- the program

// counts, aside: files of this process that the program opens.
static bool set_environment(const struct request *r, int counts, int aside, const char *log, const char *save)
{
	struct stat st;
	char *text = NULL, *suppressions = r->suppressions ? realpath(r->suppressions, NULL) : NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	if (!f)
		return false;
	fprintf(f, "tools=%u\nleaks=%d\napi=%d\nkernel_only=%d\nlimit=%lu\ncounts=/proc/%ld/fd/%d\n", r->tools, r->leaks, r->api, r->kernel_only,
	        r->limit, (long)getpid(), counts);
	if (aside >= 0 && !fstat(STDOUT_FILENO, &st))
		fprintf(f, "aside=/proc/%ld/fd/%d\noutput=%llu:%llu\n", (long)getpid(), aside, (unsigned long long)st.st_dev,
		        (unsigned long long)st.st_ino);
	if (log)
		fprintf(f, "log=%s\n", log);
	if (save)
		fprintf(f, "save=%s\n", save);
	if (suppressions)
		fprintf(f, "suppressions=%s\n", suppressions);
	fclose(f);
	bool ok = !setenv("HEDDLE_CHECK", text, 1);
	free(text);
	free(suppressions);
	return ok;
}

// Becomes the program, by heddle run.
static _Noreturn void become(struct request *r, int argc, char **argv, struct check_counts *n)
{
	static char run[] = "run", mode[] = "--mode", functional[] = "functional", stats[] = "-stats_file", nowhere[] = "/dev/null", end[] = "--";
	VEC(char *) all = {0};
	VEC_PUSH(&all, run);
	if (!r->has_stats) {
		VEC_PUSH(&all, stats);
		VEC_PUSH(&all, nowhere);
	}
	for (size_t i = 0; i < r->run.n; i++)
		VEC_PUSH(&all, r->run.at[i]);
	VEC_PUSH(&all, mode);
	VEC_PUSH(&all, functional);
	VEC_PUSH(&all, end);
	for (int i = 0; i <= argc; i++)
		VEC_PUSH(&all, argv[i]); // with the NULL
	int status = cmd_run((int)all.n - 1, all.at);
	n->refused = (uint64_t)status;
	fflush(NULL);
	_exit(status);
}

static void put_count(FILE *to, uint64_t n, const char *one) { fprintf(to, "%llu %s%s", (unsigned long long)n, one, n == 1 ? "" : "s"); }

static void put_summary(FILE *to, const struct request *r, const struct check_counts *n, int status)
{
	if (WIFSIGNALED(status))
		fprintf(to, "========= The program was ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		fprintf(to, "========= The program returned %d\n", WEXITSTATUS(status));
	if (!n->started)
		fprintf(to, "========= Nothing was checked: the program has not used the GPU\n");
	if (n->unprinted)
		fprintf(to, "========= %llu more reports than --print-limit %lu are not printed\n", (unsigned long long)n->unprinted, r->limit);
	if (r->leaks && r->tools & CHECK_MEMCHECK)
		fprintf(to, "========= LEAK SUMMARY: %llu bytes leaked in %llu allocations\n", (unsigned long long)n->leaked, (unsigned long long)n->leaks);
	if (r->tools & CHECK_RACECHECK) {
		fprintf(to, "========= RACECHECK SUMMARY: ");
		put_count(to, n->races, "hazard");
		fprintf(to, " displayed (");
		put_count(to, n->race_errors, "error");
		fprintf(to, ", ");
		put_count(to, n->races - n->race_errors, "warning");
		fprintf(to, ")\n");
	}
	fprintf(to, "========= ERROR SUMMARY: ");
	put_count(to, n->reports, "error");
	if (n->suppressed) {
		fprintf(to, " (");
		put_count(to, n->suppressed, "other");
		fprintf(to, " suppressed)");
	}
	fputs("\n", to);
}

static int wait_for(pid_t child)
{
	int status = 0;
	signal(SIGINT, SIG_IGN); // of the terminal: the program takes them, and we tell what came of it
	signal(SIGQUIT, SIG_IGN);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

// Reports of processes whose standard output is not ours.
static void put_aside(FILE *to, int aside)
{
	char buf[4096];
	off_t at = 0;
	for (ssize_t n; (n = pread(aside, buf, sizeof buf, at)) > 0; at += n)
		fwrite(buf, 1, (size_t)n, to);
}

static int check(struct request *r, int argc, char **argv)
{
	static const char title[] = "========= HEDDLE CHECK\n";
	int fd, aside = memfd_create("heddle-reports", MFD_CLOEXEC), result = 1;
	struct check_counts *n = make_counts(&fd);
	char *log = r->log ? make_file("--log-file", r->log, title) : NULL;
	char *save = r->save ? make_file("--save-suppressions", r->save, "# What heddle check found: a line for each. '*' stands for any text.\n") : NULL;
	if (!n || (r->log && !log) || (r->save && !save) || !set_environment(r, fd, aside, log, save)) {
		free(log);
		free(save);
		return n ? 2 : 1;
	}
	if (!log)
		fputs(title, stdout);
	fflush(NULL);
	pid_t child = fork();
	if (!child)
		become(r, argc, argv, n);
	if (child < 0) {
		fprintf(stderr, "heddle: error: %s cannot be started: %s\n", *argv, strerror(errno));
	} else {
		int status = wait_for(child);
		FILE *to = log ? fopen(log, "a") : stdout;
		if (n->refused) {
			result = (int)n->refused;
		} else {
			if (to) {
				put_aside(to, aside);
				put_summary(to, r, n, status);
			}
			result = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
			if (n->reports && r->status)
				result = (int)r->status;
		}
		if (log && (!to || fclose(to))) {
			fprintf(stderr, "heddle: error: --log-file: cannot write %s: %s\n", r->log, strerror(errno));
			result = result ? result : 1;
		}
	}
	free(log);
	free(save);
	return result;
}

int cmd_check(int argc, char **argv)
{
	struct request r = {.tools = CHECK_ALL, .api = true, .limit = 100, .status = 1};
	int status = 2, at = read_words(&r, argc, argv);
	if (at >= 0 && r.help) {
		fputs(usage, stdout);
		status = 0;
	} else if (at >= argc) {
		fputs("heddle: error: no program to check\n", stderr);
		fputs(usage, stderr);
	} else if (at >= 0 && strchr(argv[at], '/') && access(argv[at], F_OK)) {
		fprintf(stderr, "heddle: error: there is no program %s: %s\n", argv[at], strerror(errno));
		status = 127;
	} else if (at >= 0 && (!r.suppressions || suppressions_are_right(r.suppressions))) {
		status = check(&r, argc - at, argv + at);
	}
	config_args_free(&r.config);
	VEC_FREE(&r.run);
	return status;
}
