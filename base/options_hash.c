#include "base/mem.h"
#include "base/options.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const bool look[OPTION_COUNT] = {
#define OPTION_LOOK(field) [OPT_##field] = true,
#include "base/options.def"
};

// FNV-1a.
static uint64_t add(uint64_t hash, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (uint8_t)bytes[i]) * 1099511628211u;
	return hash;
}

// The description of the network, which lies in the working directory or beside the file that names it.
static uint64_t add_network(uint64_t hash, const struct options *o)
{
	const struct option_origin *from = &o->origin[OPT_inter_config_file];
	const char *name = o->inter_config_file, *slash = from->source == FROM_FILE ? strrchr(from->file, '/') : NULL;
	char bytes[4096];
	struct stat st;
	snprintf(bytes, sizeof bytes, "%s", name);
	if (name[0] != '/' && slash && access(name, F_OK))
		snprintf(bytes, sizeof bytes, "%.*s/%s", (int)(slash - from->file), from->file, name);
	FILE *f = !stat(bytes, &st) && S_ISREG(st.st_mode) ? fopen(bytes, "rb") : NULL;
	for (size_t n; f && (n = fread(bytes, 1, sizeof bytes, f));)
		hash = add(hash, bytes, n);
	if (f)
		fclose(f);
	return hash;
}

// Refused options have one value, those without effect may have any.
static bool counts(enum option_id id) { return option_info(id)->status == OPTION_HONOURED && !look[id]; }

uint64_t options_hash(const struct options *o)
{
	enum { ROOM = 1 << 12 };
	uint64_t hash = 14695981039346656037u;
	char *value = mem_alloc(ROOM);
	for (int id = 0; id < OPTION_COUNT; id++) {
		if (!counts(id))
			continue;
		options_value(o, id, value, ROOM);
		hash = add(hash, option_info(id)->name, option_info(id)->name_len);
		hash = add(hash, "=", 1);
		hash = add(hash, value, strlen(value) + 1);
	}
	mem_free(value);
	return o->network_mode == 1 ? add_network(hash, o) : hash;
}
