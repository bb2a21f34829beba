#include "libcuda/context/checks.h"

#include "base/mem.h"
#include "base/output.h"
#include "cuda-sim/check/check.h"
#include "libcuda/context/context.h"
#include "libcuda/context/host_stack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct checks *checks(void) { return &cu.watch.checks; }

static struct check_stack stack_here(void)
{
	struct check_stack s = {.api = cu_thread.api};
	s.n = host_stack(s.at, sizeof s.at / sizeof *s.at);
	return s;
}

// --- what reports are made of

// True if what the program prints goes elsewhere than what heddle check prints: something that runs tests keeps it, say.
static bool is_captured(void)
{
	struct stat st;
	return fstat(STDOUT_FILENO, &st) || st.st_dev != checks()->device || st.st_ino != checks()->inode;
}

static void put(void *ctx, const char *text)
{
	FILE *to = checks()->log ? checks()->log : checks()->aside && is_captured() ? checks()->aside : NULL;
	if (!to) {
		output_put(text, strlen(text));
		return;
	}
	fputs(text, to);
	fflush(to);
}

static void save(void *ctx, const char *line)
{
	fputs(line, checks()->save);
	fflush(checks()->save);
}

static const char *plain(void *ctx, const char *name) { return host_plain_name(name); }
static void frame(void *ctx, const void *at, char *buf, size_t len, bool *last) { host_stack_name(at, buf, len, last); }

// --- memory

static void made(void *ctx, const struct devmem_range *r)
{
	// What modules, kernels and the library itself take has no place in the program.
	bool by_program = r->kind == DEVMEM_DEVICE || r->kind == DEVMEM_MANAGED || r->kind == DEVMEM_HOST || r->kind == DEVMEM_ARRAY;
	const struct check_stack s = by_program && !checks()->leaving ? stack_here() : (struct check_stack){0};
	check_allocated(checks()->check, r, &s);
}

static void goes(void *ctx, const struct devmem_range *r)
{
	const struct check_stack s = r->kind == DEVMEM_HEAP || checks()->leaving ? (struct check_stack){0} : stack_here();
	check_freed(checks()->check, r, &s);
}

static const struct devmem_watch memory_watch = {.made = made, .goes = goes};

void checks_written(uint64_t dst, uint64_t src, uint64_t bytes)
{
	if (checks()->check)
		check_written(checks()->check, dst, src, bytes);
}

void checks_heap_refused(uint64_t addr)
{
	if (checks()->check)
		check_heap_refused(checks()->check, addr);
}

void checks_context_ends(uint32_t owner)
{
	if (!checks()->check)
		return;
	check_leaks(checks()->check, owner);
	checks()->leaving = true;
}

void checks_context_ended(void) { checks()->leaving = false; }

void checks_code_goes(void)
{
	if (checks()->check)
		check_code_goes(checks()->check);
}

// --- launches and calls

void checks_launch(const struct kernel_launch *l)
{
	if (!checks()->check)
		return;
	const struct check_stack s = stack_here();
	check_launch(checks()->check, l, &s);
}

bool checks_launched(const struct kernel_launch *l) { return checks()->check && check_launched(checks()->check, l); }

void checks_api_error(const char *name, const char *text, int number)
{
	if (!checks()->check || !checks()->api_errors || number == cudaErrorNotReady || number == cudaErrorPeerAccessAlreadyEnabled ||
	    number == cudaErrorPeerAccessNotEnabled)
		return;
	const struct check_stack s = stack_here();
	check_api_error(checks()->check, cu_thread.api ? cu_thread.api : "a CUDA function", name, text, number, &s);
}

// --- start and end

static bool read_suppressions(const char *path, struct diag *d)
{
	char line[2048];
	FILE *f = fopen(path, "r");
	if (!f) {
		diag_add(d, DIAG_ERROR, "--suppressions: cannot read %s: %s", path, strerror(errno));
		return false;
	}
	for (unsigned n = 1; fgets(line, sizeof line, f); n++) {
		const char *why = check_suppress(checks()->check, line);
		if (why)
			diag_add(d, DIAG_ERROR, "%s:%u: %s", path, n, why);
	}
	fclose(f);
	return !d->errors;
}

static struct check_counts *map_counts(const char *path)
{
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *p = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(struct check_counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	return p == MAP_FAILED ? MEM_NEW(struct check_counts) : p;
}

// The file behind `key` in the request, opened for adding lines. True also if it is not asked for.
static bool open_file(const char *path, const char *option, FILE **out, struct diag *d)
{
	*out = path ? fopen(path, "ae") : NULL;
	if (path && !*out)
		diag_add(d, DIAG_ERROR, "%s: cannot write %s: %s", option, path, strerror(errno));
	return !path || *out;
}

struct request {
	unsigned tools;
	bool leaks, api, kernel_only;
	uint64_t limit;
	const char *log, *save, *suppressions, *counts, *aside, *output;
};

static void read_request(char *text, struct request *r)
{
	*r = (struct request){.tools = CHECK_ALL, .api = true, .limit = 100};
	for (char *next, *line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		char *value = strchr(line, '=');
		if (!value)
			continue;
		*value++ = 0;
		if (!strcmp(line, "tools"))
			r->tools = (unsigned)strtoul(value, NULL, 10) & CHECK_ALL;
		else if (!strcmp(line, "leaks"))
			r->leaks = *value == '1';
		else if (!strcmp(line, "api"))
			r->api = *value == '1';
		else if (!strcmp(line, "kernel_only"))
			r->kernel_only = *value == '1';
		else if (!strcmp(line, "limit"))
			r->limit = strtoull(value, NULL, 10);
		else if (!strcmp(line, "log"))
			r->log = value;
		else if (!strcmp(line, "save"))
			r->save = value;
		else if (!strcmp(line, "suppressions"))
			r->suppressions = value;
		else if (!strcmp(line, "counts"))
			r->counts = value;
		else if (!strcmp(line, "aside"))
			r->aside = value;
		else if (!strcmp(line, "output"))
			r->output = value;
	}
}

bool checks_start(struct diag *d)
{
	const char *asked = getenv("HEDDLE_CHECK");
	struct checks *c = checks();
	struct request r;
	if (!asked || !*asked)
		return true;
	if (gpu_is_timed(cu.gpu)) {
		diag_add(d, DIAG_WARNING, "heddle check looks at kernels that run without timing (-gpgpu_ptx_sim_mode 1); nothing is checked");
		return true;
	}
	char *text = mem_strdup(asked);
	read_request(text, &r);
	c->api_errors = r.api;
	c->kernel_only = r.kernel_only;
	c->counts = map_counts(r.counts);
	if (r.output && sscanf(r.output, "%llu:%llu", &c->device, &c->inode) == 2)
		c->aside = r.aside ? fopen(r.aside, "ae") : NULL;
	if (c->aside)
		setvbuf(c->aside, NULL, _IOFBF, 1 << 16); // a report at a time, beside those of other processes
	bool ok = open_file(r.log, "--log-file", &c->log, d) && open_file(r.save, "--save-suppressions", &c->save, d);
	if (ok) {
		const struct check_setup s = {.tools = r.tools, .leaks = r.leaks, .limit = r.limit, .mem = cu.mem, .counts = c->counts, .put = put,
		                              .save = c->save ? save : NULL, .plain = plain, .frame = frame};
		c->check = check_new(&s);
		ok = !r.suppressions || read_suppressions(r.suppressions, d);
	}
	mem_free(text);
	if (!ok)
		return false;
	c->counts->started++;
	cu.services.checker = check_as_checker(c->check);
	// What is there already was written by whoever made it.
	for (size_t i = 0; i < cu.mem->n_range; i++)
		check_allocated(c->check, &cu.mem->range[i], &(struct check_stack){0});
	cu.mem->watch = &memory_watch;
	cu.mem->hold = r.tools & CHECK_MEMCHECK ? cu.mem->size / 4 : 0;
	return true;
}

void checks_end(void)
{
	struct checks *c = checks();
	if (!c->check)
		return;
	check_leaks(c->check, CHECK_ALL_OWNERS);
	check_end(c->check);
	c->leaving = true;
	if (c->log)
		fflush(c->log);
}
