// For tests of how a program ends: runs this program again with an argument and HEDDLE_OPTIONS, and keeps what it writes.
#ifndef TESTS_CUDA_CHILD_H
#define TESTS_CUDA_CHILD_H

#include "check.h"

#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct child_result {
	int status;
	std::string out, err;
	bool exited(int code) const { return WIFEXITED(status) && WEXITSTATUS(status) == code; }
	bool killed(int sig) const { return WIFSIGNALED(status) && WTERMSIG(status) == sig; }
};

static inline std::string file_text(const char *name)
{
	std::string text;
	char buffer[4096];
	FILE *f = fopen(name, "r");
	if (!f)
		return "no file";
	while (size_t n = fread(buffer, 1, sizeof buffer, f))
		text.append(buffer, n);
	fclose(f);
	return text;
}

static inline void put_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");
	fputs(text, f);
	fclose(f);
}

static inline unsigned count(const std::string &text, const char *what)
{
	unsigned n = 0;
	for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at++)
		n++;
	return n;
}

static inline bool ends_with(const std::string &text, const char *tail)
{
	size_t n = strlen(tail);
	return text.size() >= n && text.compare(text.size() - n, n, tail) == 0;
}

// Standard output and error go to files; `out`: standard output goes there. Without options of the test's own run.
static inline child_result run_child(const char *what, const std::string &options, const char *out = "child.out")
{
	child_result r;
	pid_t pid = fork();
	if (!pid) {
		int o = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600), e = open("child.err", O_WRONLY | O_CREAT | O_TRUNC, 0600);
		setenv("HEDDLE_OPTIONS", options.c_str(), 1);
		dup2(o, 1);
		dup2(e, 2);
		execl("/proc/self/exe", "child", what, (char *)0);
		_exit(99);
	}
	waitpid(pid, &r.status, 0);
	r.out = *out == '/' ? "" : file_text(out);
	r.err = file_text("child.err");
	return r;
}

#endif
