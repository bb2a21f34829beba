#include "cuda-sim/trace/kernelslist.h"

#include "cuda-sim/trace/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n >= m && !strcmp(s + n - m, end);
}

bool kernelslist_is_trace(const char *path)
{
	static const char *const ends[] = {".traceg",   ".traceg.xz", ".traceg.gz", ".traceg.zst", ".trace",
	                                   ".trace.xz", ".trace.gz",  ".trace.zst", ".sass", ".tracez"};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (ends_with(path, ends[i]))
			return true;
	return false;
}

void kernelslist_free(struct kernelslist *l)
{
	VEC_FREE(&l->command);
	arena_free(&l->strings);
}

static bool copy_line(struct kernelslist *l, const char *name, unsigned line, const char *p, const char *end,
                      struct diag *d)
{
	struct list_command c = {.kind = LIST_COPY, .line = line, .text = arena_strndup(&l->strings, p, (size_t)(end - p))};
	const char *q = memchr(p, ',', (size_t)(end - p));
	bool ok = q && (q = text_skip(q + 1, end), text_hex(&q, end, &c.addr)) && q < end && *q++ == ',';
	ok = ok && (q = text_skip(q, end), text_decimal(&q, end, &c.bytes)) && q == end;
	if (!ok) {
		diag_add(d, DIAG_ERROR, "%s:%u: '%s': expected MemcpyHtoD,ADDRESS,BYTES", name, line, c.text);
		return false;
	}
	VEC_PUSH(&l->command, c);
	return true;
}

static void kernel_line(struct kernelslist *l, const char *name, unsigned line, const char *text)
{
	const char *slash = strrchr(name, '/');
	struct list_command c = {.kind = LIST_KERNEL, .line = line, .text = text};
	if (*text != '/' && slash)
		c.text = arena_printf(&l->strings, "%.*s/%s", (int)(slash - name), name, text);
	VEC_PUSH(&l->command, c);
}

static bool one_line(struct kernelslist *l, const char *name, unsigned line, const char *p, const char *end,
                     struct diag *d)
{
	p = text_skip(p, end);
	if (end - p == 5 && text_is(p, end, "#wait")) { // in lists that Heddle wrote; a comment to others
		struct list_command c = {.kind = LIST_WAIT, .line = line, .text = ""};
		VEC_PUSH(&l->command, c);
		return true;
	}
	if (p == end || *p == '#')
		return true;
	if (text_is(p, end, "MemcpyHtoD"))
		return copy_line(l, name, line, p, end, d);
	if (text_is(p, end, "Memcpy") || text_is(p, end, "cudaMalloc"))
		return true; // copies to the host and allocations move no data to the device
	const char *text = arena_strndup(&l->strings, p, (size_t)(end - p));
	if (strlen(text) == (size_t)(end - p) && kernelslist_is_trace(text)) {
		kernel_line(l, name, line, text);
		return true;
	}
	diag_add(d, DIAG_ERROR,
	         "%s:%u: '%.80s': expected MemcpyHtoD,ADDRESS,BYTES or the name of a .traceg, .tracez, .trace or .sass file", name,
	         line, text);
	return false;
}

bool kernelslist_parse(struct kernelslist *l, const char *name, const char *text, size_t len, struct diag *d)
{
	const char *p = text, *stop = text + len;
	bool ok = true;
	for (unsigned line = 1; p < stop; line++) {
		const char *nl = memchr(p, '\n', (size_t)(stop - p)), *end = nl ? nl : stop;
		while (end > p && (end[-1] == ' ' || end[-1] == '\r'))
			end--;
		ok &= one_line(l, name, line, p, end, d);
		p = nl ? nl + 1 : stop;
	}
	return ok;
}

bool kernelslist_read(struct kernelslist *l, const char *path, struct diag *d)
{
	struct stat st;
	if (kernelslist_is_trace(path)) {
		struct list_command c = {.kind = LIST_KERNEL, .text = arena_strdup(&l->strings, path), .line = 1};
		VEC_PUSH(&l->command, c);
		return true;
	}
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		path = arena_printf(&l->strings, "%s/kernelslist.g", path);
	FILE *f = fopen(path, "rb");
	if (!f) {
		diag_add(d, DIAG_ERROR, "%s: %s", path, strerror(errno));
		return false;
	}
	VEC(char) text = {0};
	size_t n;
	do {
		VEC_RESERVE(&text, text.n + 65536);
		n = fread(text.at + text.n, 1, 65536, f);
		text.n += n;
	} while (n);
	bool ok = !ferror(f);
	if (!ok)
		diag_add(d, DIAG_ERROR, "%s: %s", path, strerror(errno));
	ok = ok && kernelslist_parse(l, path, text.at, text.n, d);
	fclose(f);
	VEC_FREE(&text);
	return ok;
}
