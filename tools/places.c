#include "tools/places.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// From the folder above bin/. In a tree and in a Python package all of it is Heddle's; `make install` shares it with others, and
// keeps the library in a folder that no loader searches.
static const struct {
	const char *libraries, *configs, *commands, *python;
} layout[] = {
	{"lib", "configs", "bin", "python"},
	{"lib/heddle", "share/heddle/configs", "lib/heddle/bin", "share/heddle/python"},
};

static bool join(char *out, const char *folder, const char *name)
{
	int n = snprintf(out, PATH_MAX, "%s/%s", folder, name);
	return n > 0 && n < PATH_MAX;
}

static bool from(struct places *p, const char *root, int which)
{
	if (!join(p->libraries, root, layout[which].libraries) || !join(p->configs, root, layout[which].configs) ||
	    !join(p->commands, root, layout[which].commands) || !join(p->python, root, layout[which].python))
		return false;
	// In a Python package these files lie inside the package.
	return access(p->python, F_OK) == 0 || join(p->python, root, "..");
}

bool places_find(struct places *p)
{
	char root[PATH_MAX], file[PATH_MAX];
	*p = (struct places){0};
	ssize_t len = readlink("/proc/self/exe", root, sizeof root - 1);
	root[len < 0 ? 0 : len] = 0;
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(root, '/');
		if (!slash)
			return false;
		*slash = 0;
	}
	for (int i = 1; i >= 0; i--) { // a tree is told by nothing, so that what is missing is named by its place there
		if (from(p, root, i) && join(file, p->libraries, "libcudasim.so") && access(file, F_OK) == 0)
			return true;
	}
	if (from(p, root, 0))
		return true;
	*p = (struct places){0};
	return false;
}
