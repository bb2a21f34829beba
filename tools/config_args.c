#include "tools/config_args.h"

#include "base/mem.h"
#include "tools/places.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The absolute path of the first of these that is a file: the thing itself, the gpgpusim.config in it. NULL: neither.
static char *file_at(const char *folder, const char *name)
{
	static const char *const inside[] = {"", "/gpgpusim.config"};
	char path[PATH_MAX];
	struct stat st;
	for (int i = 0; i < 2; i++) {
		int n = snprintf(path, sizeof path, "%s%s%s", folder, name, inside[i]);
		if (n > 0 && (size_t)n < sizeof path && !stat(path, &st) && !S_ISDIR(st.st_mode))
			return realpath(path, NULL);
	}
	return NULL;
}

static bool take_file(struct config_args *a, const char *given, struct diag *d)
{
	struct places at;
	char configs[PATH_MAX + 1];
	bool found = places_find(&at);
	snprintf(configs, sizeof configs, "%s/", at.configs);
	char *file = file_at("", given);
	if (!file && found && !strchr(given, '/'))
		file = file_at(configs, given);
	if (!file) {
		diag_add(d, DIAG_ERROR, "no configuration '%s': neither a file, nor a folder with gpgpusim.config, nor a name in %s",
		         given, configs);
		return false;
	}
	VEC_PUSH(&a->file, file);
	return true;
}

// The value behind a word for the configuration's place; NULL: it is no such word.
static const char *place_word(const char *word)
{
	static const char *const name[] = {"-c", "-config", "--config"};
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (!strcmp(word, name[i]))
			return "";
	return strncmp(word, "--config=", 9) ? NULL : word + 9;
}

int config_args_take(struct config_args *a, int argc, char **argv, int i, struct diag *d)
{
	const char *word = argv[i], *file = place_word(word);
	bool more = i + 1 < argc;
	if (file && *file)
		return take_file(a, file, d) ? 1 : -1;
	if (file && !more) {
		diag_add(d, DIAG_ERROR, "%s needs a configuration behind it: a file, its folder, or a name from configs/", word);
		return -1;
	}
	if (file)
		return take_file(a, argv[i + 1], d) ? 2 : -1;
	if (word[0] != '-' || word[1] == '-' || !word[1])
		return 0;
	// A name that no option has is refused when it is read, with all that follows it in sight.
	bool value = more && !option_is_name(argv[i + 1]) && strcmp(argv[i + 1], "--");
	VEC_PUSH(&a->option, strdup(word));
	if (value)
		VEC_PUSH(&a->option, strdup(argv[i + 1]));
	return 1 + value;
}

bool config_args_take_all(struct config_args *a, int argc, char **argv, struct diag *d)
{
	bool ok = true;
	for (int i = 1; i < argc;) {
		int n = config_args_take(a, argc, argv, i, d);
		if (!n) // a word that belongs nowhere; the reader of options says so
			VEC_PUSH(&a->option, strdup(argv[i]));
		ok &= n >= 0;
		i += n > 0 ? n : n < 0 ? 2 : 1;
	}
	return ok;
}

void config_args_free(struct config_args *a)
{
	for (size_t i = 0; i < a->file.n; i++)
		free(a->file.at[i]);
	for (size_t i = 0; i < a->option.n; i++)
		free(a->option.at[i]);
	VEC_FREE(&a->file);
	VEC_FREE(&a->option);
}

bool config_args_read(const struct config_args *a, struct options *o, struct diag *d)
{
	bool ok = true;
	if (!a->file.n) {
		ok = options_find_and_load(o, d);
	} else {
		options_defaults(o);
		for (size_t i = 0; i < a->file.n; i++)
			ok &= options_load(o, a->file.at[i], d);
		ok &= options_apply_environment(o, d);
	}
	return options_parse_args(o, (int)a->option.n, a->option.at, d) && ok;
}
