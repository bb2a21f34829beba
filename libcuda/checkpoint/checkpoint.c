#include "libcuda/checkpoint/parts.h"

#include "base/options.h"
#include "base/output.h"
#include "base/version.h"
#include "libcuda/context/context.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long ull;

struct checkpoint *checkpoint_state(void) { return cu.checkpoint; }

bool checkpoint_replays(void) { return cu.checkpoint && cu.checkpoint->state == REPLAYS; }

uint64_t checkpoint_hash(uint64_t hash, const void *p, size_t n)
{
	const uint8_t *b = p;
	for (uint64_t word; n >= sizeof word; b += sizeof word, n -= sizeof word) {
		memcpy(&word, b, sizeof word);
		hash = (hash ^ word) * 1099511628211u;
		hash ^= hash >> 29;
	}
	for (; n; b++, n--)
		hash = (hash ^ *b) * 1099511628211u;
	return hash;
}

static void say_error(const char *fmt, va_list ap)
{
	cu_flush();
	fputs("heddle: error: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void checkpoint_fail(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say_error(fmt, ap);
	va_end(ap);
	cu.faulted = true;
	cu.checkpoint->state = RESTS;
	cu.checkpoint->stop();
}

void checkpoint_differs(const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	checkpoint_fail("-resume_option 1: the program does not do what it did when %s was written: %s; give it the "
			"same arguments and input, or write the checkpoint again",
			cu.checkpoint->file, text);
}

// The program's file by what it holds: a copy elsewhere is the same program.
static uint64_t program_hash(void)
{
	enum { PIECE = 1 << 16 };
	uint64_t hash = CHECKPOINT_HASH;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	char *piece = mem_alloc(PIECE);
	for (ssize_t n; fd >= 0 && (n = read(fd, piece, PIECE)) > 0;)
		hash = checkpoint_hash(hash, piece, (size_t)n);
	mem_free(piece);
	if (fd >= 0)
		close(fd);
	return hash;
}

// What must be the same for addresses and code to be the same. The rest of the configuration may be another.
static void describe(char *out, size_t room)
{
	snprintf(out, room,
		 "program = %016llx\naddress of device memory = 0x%llx\n"
		 "bytes of device memory = %llu\n-gpgpusim_addresses = %d\n"
		 "compute capability = %d.%d\nheddle check = %s\n",
		 (ull)program_hash(), (ull)cu.mem->base, (ull)cu.desc.memory_size, cu.opt->gpgpusim_addresses,
		 cu.desc.major, cu.desc.minor, cu.watch.checks.check ? "yes" : "no");
}

static bool start_record(struct checkpoint *c, struct diag *d)
{
	char same[1024], head[2048];
	describe(same, sizeof same);
	snprintf(head, sizeof head, "written by = Heddle %s, %s\nkernel = %llu\n%s", heddle_version, heddle_commit,
		 (ull)c->kernel, same);
	c->state = RECORDS;
	c->out = ckpt_create(c->file, head);
	if (!c->out)
		diag_add(d, DIAG_ERROR, "option '-checkpoint_file': cannot write %s.part: %s", c->file,
			 output_why(errno));
	return c->out;
}

// The first line in which two texts of the same form differ. Each goes on behind its line.
static bool next_difference(const char **a, const char **b, char *out, size_t room)
{
	while (**a && **b) {
		size_t na = strcspn(*a, "\n"), nb = strcspn(*b, "\n");
		const char *la = *a, *lb = *b;
		*a += na + (la[na] != 0);
		*b += nb + (lb[nb] != 0);
		if (na != nb || memcmp(la, lb, na)) {
			const char *value = memchr(lb, '=', nb);
			int n = (int)(value ? (size_t)(lb + nb - value) : 0);
			snprintf(out, room, "%.*s, and now it is%.*s", (int)na, la, n > 1 ? n - 1 : 0,
				 value ? value + 1 : "");
			return true;
		}
	}
	return false;
}

static bool start_replay(struct checkpoint *c, struct diag *d)
{
	char why[256], now[1024], line[600];
	c->state = REPLAYS;
	c->in = ckpt_open(c->file, why, sizeof why);
	if (!c->in) {
		diag_add(d, DIAG_ERROR, "option '-checkpoint_file': cannot go on from %s: %s", c->file, why);
		return false;
	}
	const char *head = ckpt_head(c->in), *kernel = strstr(head, "\nkernel = "),
		   *program = strstr(head, "\nprogram = "), *b = now;
	c->kernel = kernel ? strtoull(kernel + strlen("\nkernel = "), NULL, 10) : 0;
	const char *a = program ? program + 1 : "";
	describe(now, sizeof now);
	bool ok = true;
	if (!kernel || !program) {
		diag_add(d, DIAG_ERROR, "option '-checkpoint_file': %s is not what Heddle writes", c->file);
		ok = false;
	}
	while (next_difference(&a, &b, line, sizeof line)) {
		bool other = !strncmp(line, "program = ", 10);
		diag_add(d, DIAG_ERROR, "option '-checkpoint_file': %s was written %s: %s", c->file,
			 other ? "by another program, or another build of it" : "with another configuration", line);
		ok = false;
	}
	if (cu.opt->resume_kernel && (uint64_t)cu.opt->resume_kernel != c->kernel) {
		diag_add(d, DIAG_ERROR, "-resume_kernel %d: %s is a checkpoint behind kernel %llu",
			 cu.opt->resume_kernel, c->file, (ull)c->kernel);
		ok = false;
	}
	return ok;
}

bool checkpoint_start(__attribute__((noreturn)) void (*stop)(void), struct diag *d)
{
	const struct options *o = cu.opt;
	if (!o->checkpoint_option && !o->resume_option)
		return true;
	if (o->checkpoint_option && o->resume_option) {
		diag_add(d, DIAG_ERROR,
			 "-checkpoint_option 1 and -resume_option 1 exclude each other: a run either writes a "
			 "checkpoint or goes on from one");
		return false;
	}
	if (o->checkpoint_option && !o->checkpoint_kernel) {
		diag_add(d, DIAG_ERROR, "-checkpoint_kernel 0: launches are counted from 1");
		return false;
	}
	if (cu.watch.checks.check) {
		diag_add(d, DIAG_ERROR,
			 "heddle check knows nothing of memory that comes from a checkpoint: leave out "
			 "-checkpoint_option and -resume_option");
		return false;
	}
	struct checkpoint *c = MEM_NEW(struct checkpoint);
	c->kernel = (uint64_t)o->checkpoint_kernel;
	c->stop = stop;
	c->file = o->checkpoint_file;
	cu.checkpoint = c;
	return o->checkpoint_option ? start_record(c, d) : start_replay(c, d);
}

bool checkpoint_end(void)
{
	struct checkpoint *c = cu.checkpoint;
	if (!c || c->state == RESTS)
		return true;
	cu_flush();
	if (c->state == REPLAYS)
		fprintf(stderr,
			"heddle: error: -resume_option 1: the program ended after launch %llu, before kernel %llu that "
			"%s ends with; nothing was simulated\n",
			(ull)cu.next_launch, (ull)c->kernel, c->file);
	else
		fprintf(stderr,
			"heddle: error: -checkpoint_kernel %llu: %s; no checkpoint is written (%llu kernels were "
			"launched)\n",
			(ull)c->kernel, c->never ? c->never : "the run ended before that kernel did",
			(ull)cu.next_launch);
	ckpt_drop(c->out);
	c->out = NULL;
	shared_free(c);
	ckpt_close(c->in);
	c->in = NULL;
	c->state = RESTS;
	return false;
}
