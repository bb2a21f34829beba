#include "gpgpu-sim/look/debugger_terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void put(void *ctx, const char *text) { fputs(text, ((struct debugger_terminal *)ctx)->talk); }

static bool read_line(void *ctx, char *buf, size_t len)
{
	struct debugger_terminal *t = ctx;
	t->flush(t->ctx);
	fputs("(heddle) ", t->talk);
	fflush(t->talk);
	if (!fgets(buf, (int)len, t->commands)) {
		fputs("\n", t->talk);
		return false;
	}
	buf[strcspn(buf, "\n")] = 0;
	if (t->talk == stderr) // commands from a file: the transcript shows them
		fprintf(t->talk, "%s\n", buf);
	return true;
}

static void quit(void *ctx)
{
	struct debugger_terminal *t = ctx;
	t->flush(t->ctx);
	fflush(t->talk);
	t->quit(t->ctx);
}

static bool open_files(struct debugger_terminal *t, struct diag *d)
{
	const char *file = getenv("HEDDLE_DEBUG_INPUT");
	bool terminal = !file || !*file;
	const char *from = terminal ? "/dev/tty" : file;
	t->commands = fopen(from, "r");
	if (!t->commands) {
		diag_add(d, DIAG_ERROR, "the debugger cannot read commands from %s: %s; HEDDLE_DEBUG_INPUT may name a file", from,
		         strerror(errno));
		return false;
	}
	t->talk = terminal ? fopen(from, "w") : NULL;
	if (!t->talk)
		t->talk = stderr;
	return true;
}

static bool add_places(struct debugger *g, const char *places, struct diag *d)
{
	for (const char *p = places; *p;) {
		size_t n = strcspn(p, "\n");
		char place[512], why[300];
		snprintf(place, sizeof place, "%.*s", (int)n, p);
		if (n && !debugger_add(g, place, why, sizeof why)) {
			diag_add(d, DIAG_ERROR, "--break: %s", why);
			return false;
		}
		p += n + (p[n] == '\n');
	}
	return true;
}

struct debugger *debugger_terminal_open(struct debugger_terminal *t, const char *places, struct diag *d)
{
	if (!open_files(t, d))
		return NULL;
	struct debugger_io io = {.ctx = t, .read_line = read_line, .put = put, .quit = quit};
	struct debugger *g = debugger_new(&io);
	if (add_places(g, places, d))
		return g;
	debugger_free(g);
	return NULL;
}

void debugger_terminal_close(struct debugger_terminal *t)
{
	if (t->commands)
		fclose(t->commands);
	if (t->talk && t->talk != stderr)
		fclose(t->talk);
	t->commands = t->talk = NULL;
}
