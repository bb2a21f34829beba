#include "intersim/noc_config.h"

#include "base/mem.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum key_type { KEY_INT, KEY_REAL, KEY_TEXT, KEY_IGNORED, KEY_FIXED };

struct key {
	const char *name;
	enum key_type type;
	size_t offset;
	const char *def;
	double min, max;
	const char *reason;
};

#define AT(field) offsetof(struct noc_config, field)
static const struct key keys[] = {
#define NOC_INT(key, def, min, max) {#key, KEY_INT, AT(key), #def, min, max, NULL},
#define NOC_REAL(key, def, min, max) {#key, KEY_REAL, AT(key), #def, min, max, NULL},
#define NOC_TEXT(key, def) {#key, KEY_TEXT, AT(key), def, 0, 0, NULL},
#define NOC_IGNORED(key) {#key, KEY_IGNORED, 0, NULL, 0, 0, NULL},
#define NOC_FIXED(key, value, reason) {#key, KEY_FIXED, 0, value, 0, 0, reason},
#include "intersim/noc_config.def"
};
enum { N_KEYS = sizeof keys / sizeof keys[0] };

struct reader {
	const struct src_text *src;
	size_t at;
	struct diag *d;
	struct arena *arena;
	struct noc_config *c;
};

// Letters to change, add or remove to get from `a` to `b`.
static unsigned edit_distance(const char *a, size_t a_len, const char *b)
{
	enum { LONGEST = 64 };
	size_t b_len = strlen(b);
	unsigned row[LONGEST + 1];
	if (a_len > LONGEST || b_len > LONGEST)
		return LONGEST;
	for (size_t j = 0; j <= b_len; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			unsigned best = diagonal + (a[i - 1] != b[j - 1]);
			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[b_len];
}

static const struct key *find_key(const char *name, size_t len)
{
	for (int i = 0; i < N_KEYS; i++)
		if (strlen(keys[i].name) == len && !memcmp(keys[i].name, name, len))
			return &keys[i];
	return NULL;
}

static const char *nearest_key(const char *name, size_t len)
{
	const char *best = NULL;
	unsigned limit = len / 3 + 2;
	for (int i = 0; i < N_KEYS; i++) {
		unsigned far = edit_distance(name, len, keys[i].name);
		if (far < limit) {
			limit = far;
			best = keys[i].name;
		}
	}
	return best;
}

static void skip_blanks(struct reader *r)
{
	const struct src_text *s = r->src;
	while (r->at < s->len) {
		char ch = s->text[r->at];
		if (ch == '/' && r->at + 1 < s->len && s->text[r->at + 1] == '/') {
			while (r->at < s->len && s->text[r->at] != '\n')
				r->at++;
		} else if (ch == ' ' || ch == '\t' || ch == '\r' || ch == '\n') {
			r->at++;
		} else {
			break;
		}
	}
}

static bool is_end(char ch)
{
	return ch == ';' || ch == '=' || ch == ' ' || ch == '\t' || ch == '\r' || ch == '\n';
}

// A run without blanks, or all of {...}.
static size_t word(struct reader *r, size_t *start)
{
	const struct src_text *s = r->src;
	int depth = 0;
	*start = r->at;
	for (; r->at < s->len; r->at++) {
		char ch = s->text[r->at];
		if (depth == 0 && is_end(ch))
			break;
		if (ch == '\n' || ch == ';')
			break;
		depth += (ch == '{') - (ch == '}');
	}
	return r->at - *start;
}

static bool set_value(struct noc_config *c, const struct key *k, const char *text, struct arena *arena,
                      const char **why)
{
	char *end;
	*why = NULL;
	errno = 0;
	if (k->type == KEY_INT) {
		long v = strtol(text, &end, 10);
		if (*end || end == text || errno)
			*why = "a whole number";
		else if (v < k->min || v > k->max)
			*why = "";
		else
			*(int *)((char *)c + k->offset) = (int)v;
	} else if (k->type == KEY_REAL) {
		double v = strtod(text, &end);
		if (*end || end == text)
			*why = "a number";
		else if (!(v >= k->min && v <= k->max))
			*why = "";
		else
			*(double *)((char *)c + k->offset) = v;
	} else if (k->type == KEY_TEXT) {
		*(const char **)((char *)c + k->offset) = arena_strdup(arena, text);
	}
	return *why == NULL;
}

static bool is_vc_key(const char *name)
{
	size_t n = strlen(name);
	return (n > 9 && !strcmp(name + n - 9, "_begin_vc")) || (n > 7 && !strcmp(name + n - 7, "_end_vc"));
}

static bool read_command(struct reader *r)
{
	const char *text = r->src->text;
	size_t key_at, value_at;
	size_t key_len = word(r, &key_at);
	skip_blanks(r);
	if (key_len == 0 || r->at >= r->src->len || text[r->at] != '=') {
		diag_at(r->d, DIAG_ERROR, r->src, key_at, key_len ? key_len : 1, "expected key = value;");
		return false;
	}
	r->at++;
	skip_blanks(r);
	size_t value_len = word(r, &value_at);
	skip_blanks(r);
	if (r->at >= r->src->len || text[r->at] != ';') {
		diag_at(r->d, DIAG_ERROR, r->src, value_at, value_len ? value_len : 1, "no ';' after the value of %.*s",
		        (int)key_len, text + key_at);
		return false;
	}
	r->at++;
	const struct key *k = find_key(text + key_at, key_len);
	if (!k) {
		const char *near = nearest_key(text + key_at, key_len);
		if (near)
			diag_at(r->d, DIAG_ERROR, r->src, key_at, key_len, "unknown key '%.*s'; did you mean '%s'?", (int)key_len,
			        text + key_at, near);
		else
			diag_at(r->d, DIAG_ERROR, r->src, key_at, key_len, "unknown key '%.*s'", (int)key_len, text + key_at);
		return true;
	}
	const char *value = arena_strndup(r->arena, text + value_at, value_len), *why;
	if (k->type == KEY_FIXED) {
		if (strcmp(value, k->def))
			diag_at(r->d, DIAG_ERROR, r->src, value_at, value_len, "%s can only be '%s': %s", k->name, k->def,
			        k->reason);
	} else if (!set_value(r->c, k, value, r->arena, &why)) {
		if (*why)
			diag_at(r->d, DIAG_ERROR, r->src, value_at, value_len, "%s wants %s", k->name, why);
		else
			diag_at(r->d, DIAG_ERROR, r->src, value_at, value_len, "%s must lie between %g and %g", k->name, k->min,
			        k->max);
	}
	r->c->vcs_given |= is_vc_key(k->name);
	return true;
}

bool noc_config_read(struct noc_config *c, const struct src_text *src, struct arena *arena, struct diag *d)
{
	struct reader r = {.src = src, .d = d, .arena = arena, .c = c};
	unsigned before = d->errors;
	const char *why;
	for (int i = 0; i < N_KEYS; i++)
		set_value(c, &keys[i], keys[i].def, arena, &why);
	c->vcs_given = false;
	for (skip_blanks(&r); r.at < src->len; skip_blanks(&r))
		if (!read_command(&r))
			break;
	return d->errors == before;
}

char *noc_read_file(const char *path, size_t *len, struct diag *d)
{
	FILE *f = fopen(path, "rb");
	if (!f) {
		diag_add(d, DIAG_ERROR, "%s: %s", path, strerror(errno));
		return NULL;
	}
	size_t size = 4096, n = 0, got;
	char *text = mem_alloc(size);
	while ((got = fread(text + n, 1, size - n - 1, f)) > 0) {
		n += got;
		if (n + 1 == size)
			text = mem_realloc(text, size *= 2);
	}
	text[n] = 0;
	bool bad = ferror(f);
	fclose(f);
	if (bad) {
		diag_add(d, DIAG_ERROR, "%s: cannot be read", path);
		mem_free(text);
		return NULL;
	}
	*len = n;
	return text;
}
