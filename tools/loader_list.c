#include "tools/loader_list.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void ask(const char *interpreter, const char *program, const char *libraries, int to)
{
	const char *old = getenv("LD_LIBRARY_PATH");
	char *path;
	int none = open("/dev/null", O_WRONLY);
	if (asprintf(&path, "%s%s%s", libraries, old && *old ? ":" : "", old ? old : "") > 0)
		setenv("LD_LIBRARY_PATH", path, 1);
	unsetenv("LD_PRELOAD");
	setenv("LD_TRACE_LOADED_OBJECTS", "1", 1); // as ldd asks: unlike --list it goes on where something is missing
	dup2(to, STDOUT_FILENO);
	dup2(none, STDERR_FILENO);
	execl(interpreter, interpreter, program, (char *)NULL);
	_exit(127);
}

// "\tNAME => PATH (0xADDRESS)", "\tNAME => not found" or, of a library that is asked for by its path, "\tPATH (0xADDRESS)".
static void add_line(struct loader_list *out, char *line, struct arena *arena)
{
	char *name = line + strspn(line, "\t "), *end = strstr(line, " (0x"), *arrow = strstr(line, " => ");
	if (!end && !arrow)
		return;
	if (end)
		*end = 0;
	if (arrow)
		*arrow = 0;
	const char *path = arrow ? arrow + 4 : name;
	struct loader_entry e = {arena_strndup(arena, name, strlen(name)), end ? arena_strndup(arena, path, strlen(path)) : NULL};
	VEC_PUSH(&out->at, e);
}

void loader_list(struct loader_list *out, const char *interpreter, const char *program, const char *libraries,
                 struct arena *arena)
{
	int io[2];
	const char *file = strrchr(interpreter, '/');
	*out = (struct loader_list){0};
	if (!file || strncmp(file, "/ld-linux", 9)) // glibc's; another one might run the program
		return;
	if (pipe2(io, O_CLOEXEC))
		return;
	pid_t pid = fork();
	if (!pid)
		ask(interpreter, program, libraries, io[1]);
	close(io[1]);
	FILE *f = fdopen(io[0], "r");
	char *line = NULL;
	size_t size = 0;
	while (f && getline(&line, &size, f) > 0)
		add_line(out, line, arena);
	free(line);
	if (f)
		fclose(f);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}
