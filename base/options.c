#include "base/options.h"

#include "base/kernel_select.h"
#include "base/mem.h"
#include "base/option_forms.h"
#include "base/vec.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

// Bounds against hostile or mistaken files. Real configurations have some 10 KB and nest once.
enum { MAX_FILE = 1 << 20, MAX_DEPTH = 16, MAX_FILES = 100, MAX_ERRORS = 20, MAX_LIST = 64 };

static const struct option_info table[OPTION_COUNT] = {
#define OPTION(field, name, type, def, min, max, form, unit, group, status, help)                       \
	{name, sizeof(name) - 1, OPTION_##type, OPTION_##status, FORM_##form, def, min, max, unit, group, \
	 help, offsetof(struct options, field)},
#include "base/options.def"
};

static const struct {
	const char *old, *name;
} old_names[] = {
#define OPTION_OLD(old, name) {old, name},
#include "base/options.def"
};

static const char *const gone_names[] = {
#define OPTION_GONE(old) old,
#include "base/options.def"
};

static const struct {
	const char *name, *why;
} refusals[] = {
#define OPTION_WHY(name, why) {name, why},
#include "base/options.def"
};

static const struct {
	const char *name, *fork;
} forks[] = {
#define OPTION_FORK(name, fork) {name, fork},
#include "base/options.def"
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

// One word of a configuration: where it stands, and its text without quotes.
struct token {
	const char *text;
	size_t at, len; // in the source
	unsigned line;
	bool quoted;
};
typedef VEC(struct token) token_vec;

// One text being read: a file, the arguments, or a string.
struct reader {
	struct options *o;
	struct diag *d;
	struct src_text src;
	enum option_source source;
	const char *origin; // name for option_origin, in the arena of the options; NULL for the command line
	const struct reader *outer;
	unsigned depth;
	unsigned *files; // opened so far, all readers together
	dev_t dev;
	ino_t ino;
	bool *warned; // per option: an old name or a refusal was reported
};

static bool read_file(const struct reader *from, const struct token *name, const char *path, struct reader *base);

static void *field(const struct options *o, enum option_id id) { return (char *)o + table[id].offset; }

const struct option_info *option_info(enum option_id id) { return &table[id]; }

static int find_exact(const char *name)
{
	size_t len = strlen(name);
	for (int i = 0; i < OPTION_COUNT; i++)
		if (table[i].name_len == len && !memcmp(table[i].name, name, len))
			return i;
	return -1;
}

static int find_old(const char *name)
{
	for (size_t i = 0; i < COUNT(old_names); i++)
		if (!strcmp(old_names[i].old, name))
			return find_exact(old_names[i].name);
	return -1;
}

static bool is_gone(const char *name)
{
	for (size_t i = 0; i < COUNT(gone_names); i++)
		if (!strcmp(gone_names[i], name))
			return true;
	return false;
}

int option_find(const char *name)
{
	int id = find_exact(name);
	return id >= 0 ? id : find_old(name);
}

bool option_is_name(const char *name)
{
	return name[0] == '-' && (!strcmp(name, "-config") || option_find(name) >= 0 || is_gone(name));
}

// Edits (insert, delete, replace, swap neighbours) from a to b, or `limit` if there are that many or more.
static unsigned distance(const char *a, const char *b, unsigned limit)
{
	enum { LEN = 128 };
	size_t n = strlen(a), m = strlen(b);
	if (n > LEN || m > LEN || (n > m ? n - m : m - n) >= limit)
		return limit;
	unsigned row[3][LEN + 1];
	for (size_t j = 0; j <= m; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		unsigned *now = row[i % 3], *before = row[(i - 1) % 3], *earlier = row[(i + 1) % 3];
		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			unsigned best = before[j - 1] +
			                (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
			if (before[j] + 1 < best)
				best = before[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && earlier[j - 2] + 1 < best)
				best = earlier[j - 2] + 1;
			now[j] = best;
		}
	}
	return row[n % 3][m] < limit ? row[n % 3][m] : limit;
}

static bool ends_with(const char *s, const char *tail)
{
	size_t n = strlen(s), m = strlen(tail);
	return n >= m && !strcmp(s + n - m, tail);
}

// The option a mistyped name was meant to be, or NULL. A name that only lacks a prefix ("-n_clusters") counts as near.
static const char *nearest(const char *name)
{
	const char *best = NULL;
	unsigned limit = strlen(name) / 3 + 1;
	for (int i = 0; i < OPTION_COUNT; i++) {
		unsigned far = distance(name, table[i].name, limit);
		if (far < limit)
			limit = far, best = table[i].name;
	}
	for (size_t i = 0; i < COUNT(old_names); i++) {
		unsigned far = distance(name, old_names[i].old, limit);
		if (far < limit)
			limit = far, best = old_names[i].name;
	}
	for (int i = 0; !best && i < OPTION_COUNT; i++)
		if (strlen(name) > 4 && ends_with(table[i].name, name + (name[0] == '-')))
			best = table[i].name;
	return best;
}

static bool error_at(const struct reader *r, const struct token *t, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static bool error_at(const struct reader *r, const struct token *t, const char *fmt, ...)
{
	char text[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	diag_at(r->d, DIAG_ERROR, &r->src, t->at, t->len, "%s", text);
	return false;
}

// Splits configuration text at blanks, as GPGPU-Sim does: '#' starts a comment wherever it stands; a word that begins
// with '"' goes on, over line ends, to the next '"', its blanks becoming one.
static bool tokenize(const struct reader *r, token_vec *out)
{
	const char *s = r->src.text;
	size_t n = r->src.len, i = 0;
	unsigned line = 1;
	while (i < n) {
		if (s[i] == '\n')
			line++;
		if (isspace((unsigned char)s[i])) {
			i++;
			continue;
		}
		if (s[i] == '#') {
			while (i < n && s[i] != '\n')
				i++;
			continue;
		}
		struct token t = {.at = i, .line = line, .quoted = s[i] == '"'};
		size_t begin = i;
		if (!t.quoted) {
			while (i < n && !isspace((unsigned char)s[i]) && s[i] != '#')
				i++;
			t.len = i - begin;
			t.text = arena_strndup(&r->o->strings, s + begin, t.len);
		} else {
			const char *end = memchr(s + i + 1, '"', n - i - 1);
			t.len = 1;
			if (!end)
				return error_at(r, &t, "this quote is never closed");
			char *text = arena_alloc(&r->o->strings, end - (s + i));
			size_t len = 0;
			for (i++; s + i < end; i++) {
				if (s[i] == '#')
					while (s + i < end && s[i] != '\n')
						i++;
				if (s + i >= end)
					break;
				bool blank = isspace((unsigned char)s[i]);
				if (s[i] == '\n')
					line++;
				if (!blank)
					text[len++] = s[i];
				else if (len && text[len - 1] != ' ')
					text[len++] = ' ';
			}
			while (len && text[len - 1] == ' ')
				text[--len] = 0;
			text[len] = 0;
			i = end - s + 1;
			t.len = i - begin;
			t.text = text;
		}
		VEC_PUSH(out, t);
	}
	return true;
}

static bool check_kernels(const char *text, struct form_error *err)
{
	struct kernel_select s = {0};
	bool ok = kernel_select_parse(&s, text, err);
	kernel_select_free(&s);
	return ok;
}

static bool check_form(enum option_form form, const char *text, struct form_error *err)
{
	union {
		struct cache_form cache;
		uint64_t hz[CLOCKS_N];
		int64_t list[MAX_LIST];
		struct dram_timing_form timing;
		struct address_map_form map;
		struct scheduler_form scheduler;
		struct prefetch_form prefetch;
		struct unit_form unit;
		enum execute execute;
		bool plain;
		struct sampling_form sampling;
	} u;
	size_t n;
	switch (form) {
	case FORM_ANY: return true;
	case FORM_CACHE: return form_cache(text, &u.cache, err);
	case FORM_CLOCKS: return form_clocks(text, u.hz, err);
	case FORM_COMMAS: return form_numbers(text, ',', u.list, MAX_LIST, &n, err);
	case FORM_COLONS: return form_numbers(text, ':', u.list, MAX_LIST, &n, err);
	case FORM_SAMPLING: return form_sampling(text, &u.sampling, err);
	case FORM_DRAM_TIMING: return form_dram_timing(text, &u.timing, err);
	case FORM_ADDRESS_MAP: return form_address_map(text, &u.map, err);
	case FORM_SCHEDULER: return form_scheduler(text, &u.scheduler, err);
	case FORM_PREFETCH: return form_prefetch(text, &u.prefetch, err);
	case FORM_UNIT: return form_unit(text, &u.unit, err);
	case FORM_EXECUTE: return form_execute(text, &u.execute, err);
	case FORM_NUMERICS: return form_numerics(text, &u.plain, err);
	case FORM_STATS: return form_stats(text, &u.plain, err);
	case FORM_KERNELS: return check_kernels(text, err);
	}
	return true;
}

static bool parse_bool(const char *s, int64_t *out)
{
	static const char *const words[] = {"0", "1", "false", "true", "off", "on", "no", "yes"};
	for (size_t i = 0; i < COUNT(words); i++)
		if (!strcasecmp(words[i], s)) {
			*out = i & 1;
			return true;
		}
	return false;
}

static bool parse_integer(const char *s, int64_t *out)
{
	const char *digits = s + (*s == '-' || *s == '+');
	bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	if (!isdigit((unsigned char)*digits))
		return false;
	char *end;
	errno = 0;
	*out = strtoll(s, &end, hex ? 16 : 10); // never octal: "010" is ten, as GPGPU-Sim reads it
	return !*end && !errno;
}

static void store(struct options *o, enum option_id id, int64_t v)
{
	switch (table[id].type) {
	case OPTION_BOOL: *(bool *)field(o, id) = v; break;
	case OPTION_INT: *(int32_t *)field(o, id) = v; break;
	case OPTION_UINT: *(uint32_t *)field(o, id) = v; break;
	case OPTION_LONG: *(int64_t *)field(o, id) = v; break;
	case OPTION_TEXT: break;
	}
}

static const char *const type_words[] = {"0 or 1", "a whole number", "a whole number", "a whole number", "a text"};

static bool set_number(const struct reader *r, const struct option_info *info, const struct token *value)
{
	int64_t v;
	bool ok = info->type == OPTION_BOOL ? parse_bool(value->text, &v) : parse_integer(value->text, &v);
	const char *space = *info->unit ? " " : "";
	if (!ok)
		return error_at(r, value, "%s takes %s%s%s, not '%.60s'", info->name, type_words[info->type],
		                *info->unit ? " of " : "", info->unit, value->text);
	if (info->type != OPTION_BOOL && (v < info->min || v > info->max))
		return error_at(r, value, "%s is from %" PRId64 " to %" PRId64 "%s%s", info->name, info->min,
		                info->max, space, info->unit);
	store(r->o, info - table, v);
	return true;
}

// A text must come back as it was when a configuration is written and read again.
static bool set_text(const struct reader *r, const struct option_info *info, const struct token *value)
{
	const char *text = strcmp(value->text, "NULL") ? value->text : ""; // GPGPU-Sim prints an unset text as NULL
	struct form_error err;
	if (!check_form(info->form, text, &err)) {
		struct token place = *value;
		// Behind joined lines the place is not the same in the source; then point at the whole value.
		if (!memchr(r->src.text + value->at, '\n', value->len) && err.at < value->len) {
			place.at += err.at + value->quoted;
			place.len = 1;
		}
		return error_at(r, &place, "%s: %s", info->name, err.why);
	}
	for (const char *p = text; *p; p++)
		if (*p == '"' || *p == '#' || (unsigned char)*p < ' ')
			return error_at(r, value, "%s: a value cannot hold quotes, '#' or control characters",
			                info->name);
	*(const char **)field(r->o, info - table) = text;
	return true;
}

static void remember(const struct reader *r, enum option_id id, const struct token *at)
{
	r->o->origin[id] = (struct option_origin){r->source, r->origin, r->origin ? at->line : 0};
}

// Asking for something else than the default of an option that stands in the table of reasons is answered with the reason.
static void say_why(const struct reader *r, enum option_id id, const struct token *name, const struct token *value)
{
	for (size_t i = 0; !r->warned[id] && i < COUNT(refusals); i++)
		if (!strcmp(refusals[i].name, table[id].name)) {
			r->warned[id] = true;
			diag_at(r->d, DIAG_WARNING, &r->src, name->at, name->len, "%s %.60s is not done: %s",
			        table[id].name, value->text, refusals[i].why);
		}
}

// A refused option stays at its default.
static bool refuse(const struct reader *r, enum option_id id, const struct token *name, const struct token *value)
{
	int64_t v = 0, def = 0;
	bool ok = table[id].type == OPTION_BOOL ? parse_bool(value->text, &v) : parse_integer(value->text, &v);
	if (!ok)
		return error_at(r, value, "%s takes %s, not '%.60s'", table[id].name, type_words[table[id].type],
		                value->text);
	parse_integer(table[id].def, &def);
	if (v != def)
		say_why(r, id, name, value);
	return true;
}

static bool is_default(const struct options *o, enum option_id id)
{
	char now[64];
	return !strcmp(options_value(o, id, now, sizeof now), table[id].def);
}

static bool set_option(const struct reader *r, enum option_id id, const struct token *name, const struct token *value)
{
	const struct option_info *info = &table[id];
	bool ok = info->status == OPTION_REFUSED ? refuse(r, id, name, value) :
	          info->type == OPTION_TEXT      ? set_text(r, info, value) :
	                                           set_number(r, info, value);
	if (ok)
		remember(r, id, name);
	if (ok && info->status == OPTION_ACCEPTED && !is_default(r->o, id))
		say_why(r, id, name, value);
	return ok;
}

// Nothing is lost by an old name, and Accel-Sim's define-standard-cfgs.yml is full of them.
static void note_old(const struct reader *r, enum option_id id, const struct token *name)
{
	if (r->warned[id])
		return;
	r->warned[id] = true;
	diag_remark(r->d, "%s is now called %s", name->text, table[id].name);
}

static bool unknown(const struct reader *r, const struct token *name)
{
	if (name->text[0] != '-')
		return error_at(r, name, "an option is expected here, not '%.60s'", name->text);
	for (size_t i = 0; i < COUNT(forks); i++)
		if (!strcmp(forks[i].name, name->text))
			return error_at(r, name,
			                "%s is an option of %s, which Heddle does not model; remove the line",
			                name->text, forks[i].fork);
	const char *near = nearest(name->text);
	if (near)
		return error_at(r, name, "there is no option %.60s; did you mean %s?", name->text, near);
	return error_at(r, name, "there is no option %.60s; `heddle config` lists all", name->text);
}

static bool apply(struct reader *r, const token_vec *tokens)
{
	bool ok = true;
	for (size_t i = 0; i < tokens->n && r->d->errors < MAX_ERRORS; i++) {
		const struct token *name = &tokens->at[i], *value = NULL;
		int id = name->quoted ? -1 : option_find(name->text);
		bool config = !strcmp(name->text, "-config"), gone = is_gone(name->text);
		if (id < 0 && !config && !gone) {
			ok = unknown(r, name);
			// Go on at the next option; what stands between belongs to the unknown one.
			while (i + 1 < tokens->n && !option_is_name(tokens->at[i + 1].text) &&
			       !(tokens->at[i + 1].text[0] == '-' && isalpha((unsigned char)tokens->at[i + 1].text[1])))
				i++;
			continue;
		}
		if (i + 1 < tokens->n && (tokens->at[i + 1].quoted || !option_is_name(tokens->at[i + 1].text)))
			value = &tokens->at[++i];
		if (!value) {
			const char *what = config ? "a file name" : id >= 0 ? type_words[table[id].type] : "a value";
			ok = error_at(r, name, "%s needs %s behind it", name->text, what);
		} else if (config) {
			ok &= read_file(r, value, value->text, r);
		} else if (gone) {
			diag_at(r->d, DIAG_WARNING, &r->src, name->at, name->len,
			        "%s has no meaning any more; skipped", name->text);
		} else {
			if (strcmp(name->text, table[id].name))
				note_old(r, id, name);
			ok &= set_option(r, id, name, value);
		}
	}
	return ok;
}

static bool read_text(struct reader *r)
{
	const char *nul = memchr(r->src.text, 0, r->src.len);
	if (nul) {
		struct token t = {.at = nul - r->src.text, .len = 1};
		return error_at(r, &t, "a NUL byte: this is not a text file");
	}
	token_vec tokens = {0};
	bool ok = tokenize(r, &tokens);
	ok &= apply(r, &tokens); // after an unclosed quote: what stood before it
	VEC_FREE(&tokens);
	return ok;
}

// Where `name`, met while reading r, is found; memory from the options' arena.
static const char *beside(struct options *o, const char *file, const char *name)
{
	const char *slash = file ? strrchr(file, '/') : NULL;
	if (name[0] == '/' || !slash || !access(name, F_OK))
		return name;
	char *path = arena_printf(&o->strings, "%.*s/%s", (int)(slash - file), file, name);
	return access(path, F_OK) ? name : path;
}

static bool file_error(const struct reader *from, const struct token *name, const char *path, const char *why)
{
	if (name)
		return error_at(from, name, "cannot read %.200s: %s", path, why);
	diag_add(from->d, DIAG_ERROR, "cannot read %.200s: %s", path, why);
	return false;
}

// The whole file, or NULL with the reason in *why. mem_free() it.
static char *slurp(const char *path, size_t *len, struct stat *st, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, st) < 0) {
		*why = strerror(errno);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	char *text = NULL;
	*len = 0;
	*why = S_ISDIR(st->st_mode) ? "it is a directory" : !S_ISREG(st->st_mode) ? "it is not a regular file" :
	       st->st_size > MAX_FILE ? "it is larger than 1 MB, which no configuration is" : NULL;
	if (!*why) {
		text = mem_alloc(MAX_FILE + 1);
		ssize_t n;
		while (*len < MAX_FILE && (n = read(fd, text + *len, MAX_FILE - *len)) > 0)
			*len += n;
	}
	close(fd);
	return text;
}

// Reads the file named by `name` in `from` (NULL: by the caller of options_load), with the settings of `base`.
static bool read_file(const struct reader *from, const struct token *name, const char *path, struct reader *base)
{
	struct options *o = base->o;
	if (name && base->source == FROM_FILE)
		path = beside(o, base->origin, path);
	if (base->depth >= MAX_DEPTH)
		return file_error(from, name, path, "-config is nested more than 16 deep");
	if (++*base->files > MAX_FILES)
		return file_error(from, name, path, "more than 100 -config files");
	struct stat st;
	size_t len;
	const char *why;
	char *text = slurp(path, &len, &st, &why);
	if (!text)
		return file_error(from, name, path, why);
	struct reader r = *base;
	r.src = (struct src_text){path, text, len};
	r.source = FROM_FILE;
	r.origin = arena_strdup(&o->strings, path);
	r.outer = name ? from : NULL;
	r.depth++;
	r.dev = st.st_dev;
	r.ino = st.st_ino;
	bool ok = true;
	for (const struct reader *up = r.outer; up; up = up->outer)
		if (up->ino == r.ino && up->dev == r.dev && up->depth)
			ok = file_error(from, name, path, "it is being read already; -config goes in a circle");
	if (ok)
		ok = read_text(&r);
	mem_free(text);
	return ok;
}

void options_defaults(struct options *o)
{
	arena_free(&o->strings);
	*o = (struct options){0};
	for (int id = 0; id < OPTION_COUNT; id++) {
		int64_t v = 0;
		if (table[id].type == OPTION_TEXT)
			*(const char **)field(o, id) = table[id].def;
		else if (parse_integer(table[id].def, &v))
			store(o, id, v);
	}
}

void options_free(struct options *o)
{
	arena_free(&o->strings);
	*o = (struct options){0};
}

bool options_load(struct options *o, const char *path, struct diag *d)
{
	unsigned files = 0;
	bool warned[OPTION_COUNT] = {0};
	struct reader r = {.o = o, .d = d, .files = &files, .warned = warned};
	return read_file(&r, NULL, path, &r);
}

bool options_load_text(struct options *o, const char *name, const char *text, size_t len, enum option_source source,
                       struct diag *d)
{
	unsigned files = 0;
	bool warned[OPTION_COUNT] = {0};
	struct reader r = {
		.o = o, .d = d, .src = {name, text, len}, .source = source, .files = &files, .warned = warned};
	if (source != FROM_COMMAND_LINE)
		r.origin = arena_strdup(&o->strings, name);
	return read_text(&r);
}

bool options_parse_args(struct options *o, int argc, char **argv, struct diag *d)
{
	unsigned files = 0;
	bool warned[OPTION_COUNT] = {0};
	struct reader r = {.o = o, .d = d, .source = FROM_COMMAND_LINE, .files = &files, .warned = warned};
	token_vec tokens = {0};
	VEC(char) line = {0}; // the arguments as one line, for messages
	for (int i = 0; i < argc; i++) {
		struct token t = {.text = arena_strdup(&o->strings, argv[i]), .at = line.n, .len = strlen(argv[i])};
		VEC_PUSH(&tokens, t);
		for (const char *p = argv[i]; *p; p++)
			VEC_PUSH(&line, *p);
		VEC_PUSH(&line, ' ');
	}
	VEC_PUSH(&line, 0);
	r.src = (struct src_text){"command line", line.at, line.n - 1};
	bool ok = apply(&r, &tokens);
	VEC_FREE(&tokens);
	VEC_FREE(&line);
	return ok;
}

bool options_builtin(struct options *o, struct diag *d)
{
	options_defaults(o);
	return options_load_text(o, "built-in GPU", options_builtin_text, options_builtin_end - options_builtin_text,
	                         FROM_BUILTIN, d);
}

bool options_apply_environment(struct options *o, struct diag *d)
{
	bool ok = true;
	const char *mode = getenv("PTX_SIM_MODE_FUNC");
	if (mode && *mode) {
		char text[100];
		snprintf(text, sizeof text, "-gpgpu_ptx_sim_mode %.60s", mode);
		ok &= options_load_text(o, "PTX_SIM_MODE_FUNC", text, strlen(text), FROM_ENVIRONMENT, d);
	}
	const char *more = getenv("HEDDLE_OPTIONS");
	if (more)
		ok &= options_load_text(o, "HEDDLE_OPTIONS", more, strlen(more), FROM_ENVIRONMENT, d);
	return ok;
}

static bool is_folder(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool has_extension(const char *path)
{
	const char *slash = strrchr(path, '/');
	return strchr(slash ? slash : path, '.') != NULL;
}

// The configuration that GPGPUSIM_CONFIG names, NULL for none. In GPGPU-Sim it names the build, like
// gcc-11.4.0/cuda-11080/release, and ./gpgpusim.config configures the GPU. So what is no file is taken for a build, unless
// it looks like the name of a file and no ./gpgpusim.config could be meant instead.
static const char *named_config(struct options *o, bool here, struct diag *d)
{
	char inside[PATH_MAX];
	const char *named = getenv("GPGPUSIM_CONFIG");
	if (!named || !*named)
		return NULL;
	if (is_folder(named)) {
		snprintf(inside, sizeof inside, "%s/gpgpusim.config", named);
		return access(inside, F_OK) ? NULL : arena_strdup(&o->strings, inside);
	}
	if (!access(named, F_OK))
		return named;
	if (!has_extension(named))
		return NULL;
	if (!here)
		return named; // reading it says what is wrong
	diag_add(d, DIAG_WARNING, "there is no file %s, which GPGPUSIM_CONFIG names; the gpgpusim.config of this folder is used", named);
	return NULL;
}

bool options_modern_core(const struct options *o) { return o->is_SM_remodeling_enabled || !strcmp(o->core, "modern"); }

// The file that says how long machine code takes on the classic core, beside the gpgpusim.config that was read: Accel-Sim's
// trace.config. NULL if there is none, or if its settings were made already.
static const char *trace_config(struct options *o)
{
	static const char name[] = "gpgpusim.config";
	if (o->origin[OPT_trace_opcode_latency_initiation_int].source != FROM_DEFAULT)
		return NULL;
	for (int id = 0; id < OPTION_COUNT; id++) {
		const char *file = o->origin[id].source == FROM_FILE ? o->origin[id].file : NULL;
		size_t n = file ? strlen(file) : 0, len = sizeof name - 1;
		if (n < len || strcmp(file + n - len, name))
			continue;
		const char *beside = arena_printf(&o->strings, "%.*strace.config", (int)(n - len), file);
		return access(beside, R_OK) ? NULL : beside;
	}
	return NULL;
}

bool options_find_and_load(struct options *o, struct diag *d)
{
	bool ok, here = !access("gpgpusim.config", F_OK);
	options_defaults(o);
	const char *named = named_config(o, here, d);
	if (named) {
		ok = options_load(o, named, d);
	} else if (here) {
		ok = options_load(o, "gpgpusim.config", d);
	} else {
		ok = options_builtin(o, d);
		diag_remark(d, "no gpgpusim.config here and none named by GPGPUSIM_CONFIG: simulating the built-in GPU, %s",
		            o->gpu_name);
	}
	ok &= options_apply_environment(o, d);
	bool machine_code = !strcmp(o->gpgpu_execute, "sass") || !strcmp(o->gpgpu_execute, "auto");
	// The modern core reads the same options as latency and interval one behind the other: its figures are others.
	const char *more = ok && machine_code && !options_modern_core(o) ? trace_config(o) : NULL;
	return more ? options_load(o, more, d) && options_apply_environment(o, d) : ok;
}

const char *options_value(const struct options *o, enum option_id id, char *buf, size_t n)
{
	const void *p = field(o, id);
	switch (table[id].type) {
	case OPTION_BOOL: snprintf(buf, n, "%d", *(const bool *)p); break;
	case OPTION_INT: snprintf(buf, n, "%" PRId32, *(const int32_t *)p); break;
	case OPTION_UINT: snprintf(buf, n, "%" PRIu32, *(const uint32_t *)p); break;
	case OPTION_LONG: snprintf(buf, n, "%" PRId64, *(const int64_t *)p); break;
	case OPTION_TEXT: {
		const char *s = *(const char *const *)p;
		bool quote = !*s || strchr(s, ' ') || option_is_name(s);
		snprintf(buf, n, quote ? "\"%s\"" : "%s", s);
		break;
	}
	}
	return buf;
}

const char *options_source(const struct options *o, enum option_id id, char *buf, size_t n)
{
	const struct option_origin *from = &o->origin[id];
	switch (from->source) {
	case FROM_DEFAULT: snprintf(buf, n, "default"); break;
	case FROM_BUILTIN: snprintf(buf, n, "built-in GPU"); break;
	case FROM_FILE: snprintf(buf, n, "%s:%u", from->file, from->line); break;
	case FROM_ENVIRONMENT: snprintf(buf, n, "%s", from->file); break;
	case FROM_COMMAND_LINE: snprintf(buf, n, "command line"); break;
	}
	return buf;
}

const char *options_file(struct options *o, enum option_id id)
{
	const char *name = *(const char *const *)field(o, id);
	return o->origin[id].source == FROM_FILE ? beside(o, o->origin[id].file, name) : name;
}

void options_write(const struct options *o, FILE *to, bool explain)
{
	size_t room = 64; // for the longest value, quotes and NUL
	for (int id = 0; id < OPTION_COUNT; id++)
		if (table[id].type == OPTION_TEXT && strlen(*(const char *const *)field(o, id)) + 3 > room)
			room = strlen(*(const char *const *)field(o, id)) + 3;
	char *value = mem_alloc(room), source[4200];
	const char *group = "";
	for (int id = 0; id < OPTION_COUNT; id++) {
		const struct option_info *info = &table[id];
		if (strcmp(group, info->group))
			fprintf(to, "%s# %s\n", *group ? "\n" : "", info->group);
		group = info->group;
		options_value(o, id, value, room);
		if (!explain) {
			fprintf(to, "%s %s\n", info->name, value);
			continue;
		}
		options_source(o, id, source, sizeof source);
		for (char *p = source; *p; p++) // a comment is one line
			if ((unsigned char)*p < ' ')
				*p = '?';
		fprintf(to, "%-45s %-30s # [%s] %s%s%s%s\n", info->name, value, source, info->help,
		        *info->unit ? " (" : "", info->unit, *info->unit ? ")" : "");
	}
	mem_free(value);
}

static const char *const form_words[] = {
	[FORM_ANY] = "text",
	[FORM_CACHE] = "cache string or none",
	[FORM_CLOCKS] = "four clocks with colons",
	[FORM_COMMAS] = "numbers with commas",
	[FORM_COLONS] = "numbers with colons",
	[FORM_SAMPLING] = "a number, then `:` and a hex number",
	[FORM_DRAM_TIMING] = "timing keys with colons",
	[FORM_ADDRESS_MAP] = "address map",
	[FORM_SCHEDULER] = "scheduler",
	[FORM_PREFETCH] = "prefetcher",
	[FORM_UNIT] = "unit with commas",
	[FORM_EXECUTE] = "ptx, sass, auto or default",
	[FORM_NUMERICS] = "gpu or plain",
	[FORM_STATS] = "full or short",
	[FORM_KERNELS] = "kernels with commas",
};
static const char *const status_words[] = {"honoured", "no effect", "refused"};

static const char form_doc[] =
	"\n## Values with a form\n\n"
	"- Cache string: `S:32:128:24,L:B:m:L:P,A:192:4,32:0,32`, or `none` for no cache. In turn: kind (N normal,\n"
	"  S sectored), sets, bytes of a line, ways; replacement (L LRU, F FIFO, R random, S SRRIP), write policy\n"
	"  (R read-only, B back, T through, E evict, L back for local and through for global memory), line\n"
	"  allocation (m on miss, f on fill, s streaming), write allocation (N none, W write, F fetch on write, L lazy\n"
	"  fetch on read), set index (L linear, X xor, H Fermi hash, P IPOLY, C custom); MSHR kind (A associative,\n"
	"  S sector, F texture FIFO, T sector texture FIFO), entries, merges; miss queue, result FIFO; port width in\n"
	"  bytes. The kind and what follows the line allocation or the MSHR may be left out, as in older\n"
	"  configurations.\n"
	"- Timing keys: `nbk=16:CCD=1:...`, or the numbers alone in the order nbk CCD RRD RCD RAS RP RC CL WL CDLR WR\n"
	"  nbkgrp CCDL RTPL.\n"
	"- Address map: `dramid@8;` and 64 letters from the top bit down: R row, B bank, C column, S burst,\n"
	"  D channel, 0 unused; dots may stand between. With `dramid@N` the channel is divided out at bit N.\n"
	"- Scheduler: `lrr`, `gto`, `old`, `rrr`, `two_level_active:N:INNER:OUTER`, `warp_limiting:PRIO:N`.\n"
	"- Prefetcher: `none`, `next_line:DEGREE`, `tagged:DEGREE`: docs/memory.md, \"Prefetching\".\n"
	"- Kernels: numbers of launches, ranges of them (`3-7`, `9-`) and mangled names with `*` and `?`, for instance\n"
	"  `1,5-7,*gemm*`.\n";

static void write_doc_row(FILE *to, const struct option_info *info)
{
	fprintf(to, "| `%s` | `%s` | ", info->name, *info->def ? info->def : "\"\"");
	if (info->type == OPTION_TEXT)
		fprintf(to, "%s", form_words[info->form]);
	else
		fprintf(to, "%" PRId64 " to %" PRId64, info->min, info->max);
	fprintf(to, " | %s | %s | %s |\n", info->unit, status_words[info->status], info->help);
}

void options_write_doc(FILE *to)
{
	fputs("# Options\n\n"
	      "Made by `heddle config --doc` from `base/options.def`. Options stand in `gpgpusim.config` or "
	      "`trace.config`,\n"
	      "one `-name value` after the other; `#` starts a comment, `-config FILE` reads another file, and the "
	      "last\n"
	      "setting of an option wins. The environment variable `HEDDLE_OPTIONS` holds more of them, which win over "
	      "files, and\n"
	      "the command line of `heddle run`, `trace`, `config` and `version` takes them too, which wins over both. "
	      "`heddle\n"
	      "config` shows the values in force and where each comes from. An option that is not there, or a value that "
	      "it does\n"
	      "not take, is an error, with which nothing is simulated.\n\n"
	      "*Honoured* options do what they say. Options with *no effect* are read and checked because "
	      "configurations\n"
	      "hold them; where another value than the default would ask for what Heddle does not do, a warning says so.\n"
	      "*Refused* ones stay at their default, with a warning.\n",
	      to);
	const char *group = "";
	for (int id = 0; id < OPTION_COUNT; id++) {
		if (strcmp(group, table[id].group))
			fprintf(to,
			        "\n## %s\n\n| option | default | values | unit | status | meaning "
			        "|\n|---|---|---|---|---|---|\n",
			        table[id].group);
		group = table[id].group;
		write_doc_row(to, &table[id]);
	}
	fputs(form_doc, to);
	fputs("\n## Why some are refused, or have no effect\n\nThe warning that a value other than the default gets.\n\n| option | reason |\n|---|---|\n", to);
	for (size_t i = 0; i < COUNT(refusals); i++)
		fprintf(to, "| `%s` | %s |\n", refusals[i].name, refusals[i].why);
	fputs("\n## Older names\n\nAccepted with a warning.\n\n| older | present |\n|---|---|\n", to);
	for (size_t i = 0; i < COUNT(old_names); i++)
		fprintf(to, "| `%s` | `%s` |\n", old_names[i].old, old_names[i].name);
	for (size_t i = 0; i < COUNT(gone_names); i++)
		fprintf(to, "| `%s` | none; skipped |\n", gone_names[i]);
}

uint32_t options_units(const struct options *o)
{
	const char *const text[] = {o->specialized_unit_1, o->specialized_unit_2, o->specialized_unit_3, o->specialized_unit_4,
	                            o->specialized_unit_5, o->specialized_unit_6, o->specialized_unit_7, o->specialized_unit_8};
	uint32_t set = 0;
	for (unsigned i = 0; i < COUNT(text); i++) {
		struct unit_form u;
		struct form_error err;
		if (form_unit(text[i], &u, &err) && u.enabled)
			set |= 1u << i;
	}
	return set;
}
