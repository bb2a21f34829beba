// The commands that are written in Python: what reads results rather than makes them (python/heddle).
#include "tools/places.h"
#include "tools/tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Becomes `python -m heddle.COMMAND ARG...`. HEDDLE_PYTHON names another Python than python3. Returns only if that
// cannot be done.
int cmd_python(int argc, char **argv)
{
	struct places places;
	if (!places_find(&places)) {
		fputs("heddle: error: the place of this command is not known, so its Python files are not found\n", stderr);
		return 1;
	}
	const char *before = getenv("PYTHONPATH"), *chosen = getenv("HEDDLE_PYTHON");
	const char *python = chosen && *chosen ? chosen : "python3";
	bool more = before && *before;
	size_t path_size = strlen(places.python) + (more ? strlen(before) + 1 : 0) + 1;
	size_t module_size = strlen("heddle.") + strlen(argv[0]) + 1;
	char *path = malloc(path_size), *module = malloc(module_size);
	const char **words = calloc((size_t)argc + 3, sizeof *words);
	if (!path || !module || !words) {
		fputs("heddle: error: out of memory\n", stderr);
		return 1;
	}
	snprintf(path, path_size, "%s%s%s", places.python, more ? ":" : "", more ? before : "");
	snprintf(module, module_size, "heddle.%s", argv[0]);
	words[0] = python;
	words[1] = "-m";
	words[2] = module;
	for (int i = 1; i < argc; i++)
		words[2 + i] = argv[i];
	if (setenv("PYTHONPATH", path, 1) == 0)
		execvp(python, (char **)words);
	fprintf(stderr, "heddle: error: 'heddle %s' cannot start %s: %s; install python3, or let HEDDLE_PYTHON name one (3.11 or newer)\n",
	        argv[0], python, strerror(errno));
	free(path);
	free(module);
	free(words);
	return 1;
}
