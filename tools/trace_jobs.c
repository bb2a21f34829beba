#include "tools/trace_jobs.h"

#include "base/mem.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AHEAD = 8 }; // pieces for each process that may have ended before one that is still to come out

struct piece {
	pid_t pid;
	bool ended, failed;
	FILE *out, *err;
};

// Totals of a run are sums of those of its pieces, and ratios of sums.
enum { SUM_CYCLE, SUM_INSN, SUM_CTA, SUM_THREAD, SUM_WARP, N_SUMS };
static const char *const sum_names[N_SUMS] = {"gpu_tot_sim_cycle = ", "gpu_tot_sim_insn = ", "gpu_tot_issued_cta = ",
                                              "gpgpu_n_tot_thrd_icount = ", "gpgpu_n_tot_w_icount = "};

struct merge {
	uint64_t sum[N_SUMS];
	FILE *to;
};

static void merge_line(struct merge *m, const char *line)
{
	static const char ipc[] = "gpu_tot_ipc = ";
	for (unsigned i = 0; i < N_SUMS; i++) {
		size_t n = strlen(sum_names[i]);
		if (strncmp(line, sum_names[i], n))
			continue;
		char *rest;
		m->sum[i] += strtoull(line + n, &rest, 10);
		fprintf(m->to, "%s%llu%s", sum_names[i], (unsigned long long)m->sum[i], rest);
		return;
	}
	if (!strncmp(line, ipc, sizeof ipc - 1) && m->sum[SUM_CYCLE])
		fprintf(m->to, "%s%12.4f\n", ipc, (double)m->sum[SUM_INSN] / (double)m->sum[SUM_CYCLE]);
	else
		fputs(line, m->to);
}

static void come_out(struct merge *m, struct piece *p)
{
	char *line = NULL;
	size_t cap = 0;
	rewind(p->out);
	while (getline(&line, &cap, p->out) > 0)
		merge_line(m, line);
	fflush(m->to);
	rewind(p->err);
	while (getline(&line, &cap, p->err) > 0)
		fputs(line, stderr);
	free(line);
}

static bool start(const struct trace_work *w, struct piece *p)
{
	*p = (struct piece){.out = tmpfile(), .err = tmpfile()};
	fflush(NULL);
	p->pid = p->out && p->err ? fork() : -1;
	if (p->pid < 0) {
		fprintf(stderr, "heddle: error: -j: %s\n", strerror(errno));
		p->ended = p->failed = true;
		return false;
	}
	if (p->pid)
		return true;
	dup2(fileno(p->err), STDERR_FILENO);
	bool ok = w->run(w->ctx, p->out) && !ferror(p->out);
	ok = !fflush(p->out) && ok;
	fflush(stderr);
	_exit(ok ? 0 : 1);
}

static void wait_for_one(struct piece *p, unsigned n)
{
	int status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, 0)) < 0 && errno == EINTR)
		;
	for (unsigned i = 0; i < n; i++) {
		if (p[i].ended || p[i].pid != pid)
			continue;
		p[i].ended = true;
		p[i].failed = !WIFEXITED(status) || WEXITSTATUS(status);
		if (WIFSIGNALED(status))
			fprintf(stderr, "heddle: error: a process of -j was ended by signal %d\n", WTERMSIG(status));
	}
}

static void drop(struct piece *p)
{
	if (!p->ended) {
		kill(p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
	}
	if (p->out)
		fclose(p->out);
	if (p->err)
		fclose(p->err);
}

bool trace_work_run(const struct trace_work *w, unsigned width, FILE *out)
{
	struct merge m = {.to = out};
	struct piece *p = mem_alloc((size_t)width * AHEAD * sizeof *p);
	unsigned n = 0, running = 0; // p[0] comes out next
	bool more = true, ok = true;
	while (ok && (more || n)) {
		while (more && running < width && n < width * AHEAD && (more = w->next(w->ctx)))
			running += start(w, &p[n++]);
		if (n && !p[0].ended)
			wait_for_one(p, n);
		running = 0;
		for (unsigned i = 0; i < n; i++)
			running += !p[i].ended;
		while (ok && n && p[0].ended) {
			ok = !p[0].failed;
			if (p[0].out && p[0].err)
				come_out(&m, &p[0]);
			drop(&p[0]);
			memmove(p, p + 1, --n * sizeof *p);
		}
	}
	for (unsigned i = 0; i < n; i++)
		drop(&p[i]);
	mem_free(p);
	return ok;
}
