// An .icnt file: `key = value;` with // comments, BookSim's keys (noc_config.def).
#ifndef INTERSIM_NOC_CONFIG_H
#define INTERSIM_NOC_CONFIG_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdbool.h>

struct noc_config {
#define NOC_INT(key, def, min, max) int key;
#define NOC_REAL(key, def, min, max) double key;
#define NOC_TEXT(key, def) const char *key;
#define NOC_IGNORED(key)
#define NOC_FIXED(key, value, reason)
#include "intersim/noc_config.def"
	bool vcs_given; // one of the *_begin_vc and *_end_vc keys is set
};

// Reads the text of an .icnt file; texts of the configuration come from `arena`. False after an error that names line
// and key.
bool noc_config_read(struct noc_config *c, const struct src_text *src, struct arena *arena, struct diag *d);

// The whole file with a NUL behind it, or NULL after an error.
char *noc_read_file(const char *path, size_t *len, struct diag *d);

#endif
