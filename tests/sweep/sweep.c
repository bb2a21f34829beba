// Calls every function of both APIs with every argument bad that can be bad, one at a time and the others good, each call in a
// process of its own, and compares the code with the table (runtime.def, driver.def). A crash, a call that never returns and a lock
// that stays taken are failures whatever the table says. A function of the APIs' own tables that has no row here is a failure too.
//
//   sweep [--part I/N] [--list] [NAME...]
//
// Prints a line for each failure, then one with the numbers. --part takes every Nth call, beginning at the Ith; --list prints every
// call with its code instead. SWEEP_SHOW_ERRORS=1 shows what the library writes.
#include "tests/sweep/values.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PARAMS = 16, SECONDS = 10, MOST_WORKERS = 64, CODE_CRASH = 100000, CODE_HANG = 200000, CODE_LOCKED, CODE_NO_GOOD };

struct row {
	const char *name;
	int good; // code of a call with good arguments
	const char *params, *documented;
	bool runtime;
};

static const struct row rows[] = {
#define F(name, good, params, documented) {#name, good, params, documented, true},
#include "tests/sweep/runtime.def"
#undef F
#define F(name, good, params, documented) {#name, good, params, documented, false},
#include "tests/sweep/driver.def"
#undef F
};
enum { N_ROWS = sizeof rows / sizeof *rows };

struct param {
	const struct kind *kind;
	char arg[40], special[200]; // "case=codes;case=codes"
};

struct call {
	const struct row *row;
	int param;         // -1: all are good
	const char *wrong; // the case of its kind; for param -1 NULL or one of `states`
};

// What may be wrong with the program as a whole when it makes a call whose arguments are good, or were.
enum state { GOOD, UNINITIALISED, NO_CONTEXT, CAPTURING, HOST_FUNCTION, FAULT, RESET, N_STATES };
static const char *const states[N_STATES] = {[UNINITIALISED] = "uninitialised", [NO_CONTEXT] = "no context",
                                             [CAPTURING] = "while a stream is capturing", [HOST_FUNCTION] = "in a host function",
                                             [FAULT] = "after a kernel has failed", [RESET] = "after a reset"};

static enum state state_of(const struct call *c)
{
	for (int i = UNINITIALISED; c->param < 0 && c->wrong && i < N_STATES; i++)
		if (c->wrong == states[i])
			return (enum state)i;
	return GOOD;
}

static struct call *calls;
static size_t n_calls;
static int *results; // shared with the processes
static char lib[PATH_MAX];
static void *library;

static void die(const char *what, const char *which)
{
	fprintf(stderr, "sweep: %s: %s\n", which, what);
	exit(2);
}

// --- rows

static unsigned params_of(const struct row *r, struct param out[MOST_PARAMS])
{
	unsigned n = 0;
	for (const char *p = r->params; *p; p += *p == ' ') {
		char token[256];
		size_t len = strcspn(p, " ");
		if (n == MOST_PARAMS || len >= sizeof token)
			die("too long a row", r->name);
		snprintf(token, sizeof token, "%.*s", (int)len, p);
		struct param *q = &out[n++];
		char *special = strchr(token, '{'), *arg;
		*q = (struct param){0};
		if (special) {
			*special = 0;
			snprintf(q->special, sizeof q->special, "%.*s", (int)strcspn(special + 1, "}"), special + 1);
		}
		arg = strchr(token, '=');
		if (arg)
			snprintf(q->arg, sizeof q->arg, "%s", arg + 1);
		q->kind = kind_of(token);
		if (!q->kind)
			die("a kind of parameter that there is not", token);
		p += len;
	}
	return n;
}

static void add_call(const struct row *r, int param, const char *wrong)
{
	if (n_calls % 1024 == 0)
		calls = realloc(calls, (n_calls + 1024) * sizeof *calls);
	calls[n_calls++] = (struct call){r, param, wrong};
}

static void add_row(const struct row *r)
{
	struct param p[MOST_PARAMS];
	unsigned n = params_of(r, p);
	add_call(r, -1, NULL);
	for (unsigned i = 0; i < n; i++)
		for (const char *const *c = p[i].kind->cases; *c; c++)
			add_call(r, (int)i, *c);
	for (int i = r->runtime ? CAPTURING : UNINITIALISED; i < N_STATES; i++)
		add_call(r, -1, states[i]);
}

// --- one call

static int invoke(const char *name, const struct value *v, unsigned n)
{
	typedef uint64_t W;
	union {
		void *p;
		int (*f)(W, W, W, W, W, W, float, float, W, W, W, W, W, W, W, W, W, W, W, W, W, W);
	} u = {dlsym(library, name)};
	uint64_t r[6] = {0}, s[14] = {0};
	float x[2] = {0};
	unsigned nr = 0, ns = 0, nx = 0;
	// x86-64: what does not fit into the six registers, and structures of more than two words, go on the stack in order.
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < v[i].n; k++) {
			if (v[i].passing == PASS_FLOAT)
				x[nx++] = v[i].f;
			else if (v[i].passing != PASS_COPY && nr < 6) // no function has a dim3 for which one register is left
				r[nr++] = v[i].word[k];
			else
				s[ns++] = v[i].word[k];
		}
	if (!u.p)
		_exit(98);
	return u.f(r[0], r[1], r[2], r[3], r[4], r[5], x[0], x[1], s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9],
	           s[10], s[11], s[12], s[13]);
}

struct invocation {
	const char *name;
	const struct value *v;
	unsigned n;
	int code;
};

static void invoke_from_cuda(void *p)
{
	struct invocation *i = p;
	i->code = invoke(i->name, i->v, i->n);
}

static int invoke_in_host_function(const char *name, const struct value *v, unsigned n)
{
	struct invocation i = {name, v, n, CODE_HANG};
	uint64_t stream = 0;
	api("cuStreamCreate", (uint64_t)(uintptr_t)&stream, 1, 0, 0, 0, 0);
	api("cuLaunchHostFunc", stream, (uint64_t)(uintptr_t)invoke_from_cuda, (uint64_t)(uintptr_t)&i, 0, 0, 0);
	api("cuStreamSynchronize", stream, 0, 0, 0, 0, 0);
	return i.code;
}

static void child(const struct call *c, int *result)
{
	struct param p[MOST_PARAMS];
	struct value v[MOST_PARAMS];
	unsigned n = params_of(c->row, p);
	enum state state = state_of(c);
	bool uninitialised = state == UNINITIALISED, no_context = state == NO_CONTEXT;
	alarm(SECONDS);
	*result = CODE_NO_GOOD;
	values_start(library, c->row->runtime, !uninitialised, !no_context);
	for (unsigned i = 0; i < n; i++)
		if ((int)i != c->param) // without a context nothing can be made, and nothing is looked at
			v[i] = uninitialised || no_context ? value_make(kind_of("out"), "", NULL) : value_make(p[i].kind, p[i].arg, NULL);
	if (c->param >= 0) // last, so that what is stale stays so
		v[c->param] = value_make(p[c->param].kind, p[c->param].arg, c->wrong);
	if (state == CAPTURING)
		values_capture();
	else if (state == FAULT)
		values_fault();
	else if (state == RESET)
		api("cuDevicePrimaryCtxReset_v2", 0, 0, 0, 0, 0, 0);
	*result = CODE_HANG;
	int code = state == HOST_FUNCTION ? invoke_in_host_function(c->row->name, v, n) : invoke(c->row->name, v, n);
	*result = CODE_LOCKED;
	int count;
	if (!uninitialised)
		api("cuDeviceGetCount", (uint64_t)(uintptr_t)&count, 0, 0, 0, 0, 0);
	*result = strcmp(c->row->documented, "any") ? code : 0; // of a function that returns no error
	_exit(0);
}

static void run_one(const struct call *c, int *result)
{
	int status;
	pid_t pid = fork();
	if (!pid)
		child(c, result);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		die(strerror(errno), "fork");
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGALRM)
		*result = CODE_CRASH + WTERMSIG(status);
	else if (WIFEXITED(status) && WEXITSTATUS(status))
		*result = CODE_NO_GOOD;
}

// --- what the table says

static bool documented(const struct row *r, int code)
{
	for (const char *p = r->documented; *p;) {
		char *end;
		if (strtol(p, &end, 10) == code && end != p)
			return true;
		p = end == p ? p + 1 : end;
	}
	return false;
}

// "400|1": 400 or 1. "12?" means 12 where it is documented.
static bool has_code(const struct row *r, const char *list, int code)
{
	for (const char *p = list; *p; p += *p == '|') {
		char *end;
		if (strtol(p, &end, 10) == code && end != p && (*end != '?' || documented(r, code)))
			return true;
		p += strcspn(p, "|");
	}
	return false;
}

// Of codes such as "400 1|201" the first word counts that has a documented code, or the last.
static bool in_preferred(const struct row *r, const char *codes, int code)
{
	const char *p = codes;
	for (;;) {
		size_t n = strcspn(p, " ");
		char word[64];
		snprintf(word, sizeof word, "%.*s", (int)n, p);
		bool last = !p[n], any = strstr(word, "doc") != NULL;
		for (const char *q = word; *q && !any; q += strcspn(q, "|"), q += *q == '|')
			any = documented(r, atoi(q));
		if (last || any)
			return has_code(r, word, code) || (strstr(word, "doc") && documented(r, code));
		p += n + 1;
	}
}

static bool special_codes(const struct param *p, const char *wrong, char *out, size_t room)
{
	for (const char *q = p->special; *q;) {
		size_t n = strcspn(q, ":");
		const char *codes = q + n + 1;
		size_t len = strcspn(codes, ";");
		if ((n == strlen(wrong) && !strncmp(q, wrong, n)) || (n == 1 && *q == '*' && strcmp(wrong, "null"))) {
			snprintf(out, room, "%.*s", (int)len, codes);
			for (char *s = out; *s; s++)
				*s = *s == ',' ? '|' : *s;
			return true;
		}
		q = codes + len + (codes[len] == ';');
	}
	return false;
}

static bool right(const struct call *c, int code, char *expected, size_t room)
{
	struct param p[MOST_PARAMS];
	const struct row *r = c->row;
	snprintf(expected, room, "%d", r->good);
	if (!strcmp(r->documented, "any"))
		return code < CODE_CRASH;
	if (c->param < 0 && !c->wrong)
		return code == r->good;
	if (c->param < 0 && code == r->good && code)
		return true;
	if (c->param < 0) {
		enum state state = state_of(c);
		bool strict = state == UNINITIALISED ? documented(r, 3)
		              : state == NO_CONTEXT  ? documented(r, 201) && !strstr(r->documented, "~201")
		                                     : state == HOST_FUNCTION && !strstr(r->documented, "~800");
		int wanted = state == UNINITIALISED ? 3 : state == NO_CONTEXT ? 201 : 800;
		snprintf(expected, room, "%d", wanted);
		return strict ? code == wanted : code < CODE_CRASH;
	}
	if (r->good && code == r->good) // which of two things that are wrong is told first is open
		return true;
	params_of(r, p);
	const struct param *q = &p[c->param];
	if (special_codes(q, c->wrong, expected, room))
		return in_preferred(r, expected, code);
	const char *w = c->wrong, *codes = q->kind->bad;
	if (!strcmp(w, "null") || !strcmp(w, "zero"))
		codes = q->kind->null;
	else if (!strcmp(w, "ones") || !strcmp(w, "noise"))
		return snprintf(expected, room, "any code"), code < CODE_CRASH;
	else if (!strcmp(w, "unknown"))
		codes = "500 301 101 1";
	else if (!strcmp(w, "empty") || !strcmp(w, "long"))
		codes = "500|1 301|1 101|1 1";
	snprintf(expected, room, "%s", codes);
	return in_preferred(r, codes, code);
}

static const char *told(int code, char buffer[32])
{
	if (code > CODE_CRASH && code < CODE_HANG)
		snprintf(buffer, 32, "signal %d", code - CODE_CRASH);
	else
		snprintf(buffer, 32, code == CODE_HANG ? "never returns" : code == CODE_LOCKED ? "leaves the lock" : code == CODE_NO_GOOD ?
		         "no good arguments" : "%d", code);
	return buffer;
}

// --- the functions that there are

static bool has_row(const char *name, bool runtime)
{
	for (unsigned i = 0; i < N_ROWS; i++)
		if (rows[i].runtime == runtime && !strcmp(rows[i].name, name))
			return true;
	return false;
}

static bool is_twin(const char *name)
{
	size_t n = strlen(name);
	return n > 5 && (!strcmp(name + n - 5, "_ptsz") || !strcmp(name + n - 5, "_ptds"));
}

static const struct {
	const char *name;
	bool runtime;
} done[] = {
#define DONE(name, releases) {#name, true},
#include "libcuda/runtime/api.def"
#define DONE(symbol, name, since, twin) {#symbol, false},
#include "libcuda/driver/driver.def"
};

static unsigned functions(void)
{
	unsigned missing = 0;
	for (unsigned i = 0; i < sizeof done / sizeof *done; i++)
		if (!is_twin(done[i].name) && !has_row(done[i].name, done[i].runtime)) {
			printf("FAIL %s has no row in tests/sweep/%s.def\n", done[i].name, done[i].runtime ? "runtime" : "driver");
			missing++;
		}
	return missing;
}

int main(int argc, char **argv)
{
	unsigned part = 0, parts = 1, names = 0, failed = functions();
	bool list = false;
	ssize_t n = readlink("/proc/self/exe", lib, sizeof lib - 64);
	lib[n < 0 ? 0 : n] = 0;
	for (int i = 0; i < 3; i++) // build/MODE/tests/sweep/sweep
		*strrchr(lib, '/') = 0;
	if (!strcmp(strrchr(lib, '/'), "/release"))
		*strrchr(lib, '/') = 0, *strrchr(lib, '/') = 0;
	strcat(lib, "/lib/libcudasim.so");
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--list"))
			list = true;
		else if (!strcmp(argv[i], "--part") && argv[i + 1] && sscanf(argv[i + 1], "%u/%u", &part, &parts) == 2 && part < parts)
			i++;
		else if (argv[i][0] == '-')
			die("what is this?", argv[i]);
		else
			names++;
	}
	unsigned counted = 0;
	for (unsigned i = 0; i < N_ROWS; i++) {
		bool chosen = !names, first = true;
		for (int k = 1; k < argc; k++)
			chosen |= !strcmp(argv[k], rows[i].name);
		for (unsigned k = 0; k < i; k++)
			first &= strcmp(rows[k].name, rows[i].name) != 0;
		counted += chosen && first;
		if (chosen)
			add_row(&rows[i]);
	}
	setenv("PTX_SIM_MODE_FUNC", "1", 1);
	setenv("HEDDLE_OPTIONS", "-stats_file /dev/null", 1);
	unsetenv("GPGPUSIM_CONFIG");
	library = dlopen(lib, RTLD_NOW | RTLD_GLOBAL);
	if (!library)
		die(dlerror(), lib);
	results = mmap(NULL, (n_calls + 1) * sizeof *results, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		die(strerror(errno), "mmap");
	long workers = sysconf(_SC_NPROCESSORS_ONLN);
	workers = workers < 1 ? 1 : workers > MOST_WORKERS ? MOST_WORKERS : workers;
	fflush(stdout);
	for (long w = 0; w < workers; w++) {
		if (fork())
			continue;
		int null = open("/dev/null", O_WRONLY);
		if (!getenv("SWEEP_SHOW_ERRORS"))
			dup2(null, 2);
		for (size_t i = part + (size_t)w * parts; i < n_calls; i += (size_t)workers * parts)
			run_one(&calls[i], &results[i]);
		_exit(0);
	}
	for (int status; wait(&status) > 0;)
		if (status)
			die("a worker has died", "sweep");
	size_t made = 0;
	for (size_t i = part; i < n_calls; i += parts) {
		const struct call *c = &calls[i];
		char expected[200], buffer[32], what[100];
		struct param p[MOST_PARAMS];
		params_of(c->row, p);
		bool ok = right(c, results[i], expected, sizeof expected);
		made++;
		if (c->param < 0)
			snprintf(what, sizeof what, "%s", c->wrong ? c->wrong : "good arguments");
		else
			snprintf(what, sizeof what, "parameter %d, %s%s%s: %s", c->param + 1, p[c->param].kind->name, *p[c->param].arg ? "=" : "",
			         p[c->param].arg, c->wrong);
		if (list)
			printf("%s %s, %s: %s, of %s\n", ok ? "ok" : "FAIL", c->row->name, what, told(results[i], buffer), expected);
		else if (!ok)
			printf("FAIL %s, %s: %s, not %s (documented: %s)\n", c->row->name, what, told(results[i], buffer), expected,
			       c->row->documented);
		failed += !ok;
	}
	printf("sweep: %zu calls of %u functions, %u failed\n", made, counted, failed);
	return failed != 0;
}
