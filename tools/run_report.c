// heddle run --report PAGE: the program runs as a process of its own, which records what a page can show; the page is
// written when it has ended, by heddle report.
#include "tools/run_report.h"

#include "tools/tools.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// The recording of a page: beside it, as .json. The caller frees it.
static char *recording_of(const char *page)
{
	size_t n = strlen(page);
	char *path;
	if (n > 5 && !strcmp(page + n - 5, ".html"))
		n -= 5;
	return asprintf(&path, "%.*s.json", (int)n, page) < 0 ? NULL : path;
}

bool report_ask(const char *page)
{
	char *path = recording_of(page), *text = NULL;
	const char *had = getenv("HEDDLE_OPTIONS");
	bool ok = path && !strpbrk(path, "\"#\n");
	if (path && !ok)
		fprintf(stderr, "heddle: error: --report %s: the path cannot hold quotes, '#' or line ends\n", page);
	ok = ok && asprintf(&text, "%s\n-stats_record 1\n-stats_json \"%s\"", had ? had : "", path) >= 0;
	ok = ok && !setenv("HEDDLE_OPTIONS", text, 1);
	free(text);
	free(path);
	return ok;
}

static int status_of(pid_t child)
{
	int status;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// What was recorded as a page; the status of that. A program that failed before its first use of the GPU has said why.
static int write_page(const char *page, int program)
{
	char *path = recording_of(page);
	if (path && access(path, F_OK)) {
		if (!program)
			fprintf(stderr, "heddle: note: the program did not use the GPU, so there is no %s\n", page);
		free(path);
		return 0;
	}
	pid_t child = path ? fork() : -1;
	if (!child) {
		char *words[] = {"report", path, "-o", (char *)page, NULL};
		_exit(cmd_python(4, words));
	}
	free(path);
	return child < 0 ? 1 : status_of(child);
}

int report_run(const char *page)
{
	char *earlier = recording_of(page); // is not to be taken for this run's
	if (earlier)
		unlink(earlier);
	free(earlier);
	pid_t child = fork();
	if (child < 0) {
		fprintf(stderr, "heddle: error: no process for the program: %s\n", strerror(errno));
		return 1;
	}
	if (!child)
		return REPORT_IS_CHILD;
	signal(SIGINT, SIG_IGN); // of the terminal: the program takes them, and the page is made of what it has written
	signal(SIGQUIT, SIG_IGN);
	const int status = status_of(child);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	const int written = write_page(page, status);
	return status ? status : written;
}
