#include "cuda-sim/sass/text/lines.h"

#include "base/mem.h"
#include "cuda-sim/sass/text/read.h"

#include <ctype.h>
#include <string.h>

enum { MAX_ERRORS = 20 };

void sass_lines_open(struct sass_lines *l, const char *name, const char *text, size_t len, struct diag *d)
{
	l->text = mem_alloc(len + 1);
	if (len)
		memcpy(l->text, text, len);
	sass_comments_blank(&l->comments, l->text, len);
	l->s = (struct sass_line){.d = d, .src = {.name = name, .text = text, .len = len}, .text = l->text, .ok = true};
	l->next = l->text;
	l->next_line = 1;
}

void sass_lines_close(struct sass_lines *l)
{
	sass_comments_free(&l->comments);
	mem_free(l->text);
}

bool sass_lines_next(struct sass_lines *l)
{
	struct sass_line *s = &l->s;
	const char *stop = s->text + s->src.len;
	if (l->next == stop && l->n_repeat && s->ok)
		sass_bad(s, l->repeat[0].at, strlen(".rep"), ".rep without .endr");
	if (l->next == stop || s->d->errors >= MAX_ERRORS)
		return false;
	const char *nl = memchr(l->next, '\n', (size_t)(stop - l->next));
	l->from = s->at = l->next;
	l->line = l->next_line++;
	l->n++;
	s->end = nl ? nl : stop;
	l->next = nl ? nl + 1 : stop;
	return true;
}

bool sass_lines_repeat(struct sass_lines *l, const char *at, uint64_t n)
{
	if (l->n_repeat == SASS_MAX_REPEATS)
		return sass_bad(&l->s, at, strlen(".rep"), "more than %d .rep within each other", SASS_MAX_REPEATS);
	l->repeat[l->n_repeat++] = (struct sass_repeat){.from = l->next, .at = at, .line = l->next_line, .left = n - 1};
	return true;
}

bool sass_lines_repeat_end(struct sass_lines *l, const char *at)
{
	if (!l->n_repeat)
		return sass_bad(&l->s, at, strlen(".endr"), ".endr without .rep");
	struct sass_repeat *r = &l->repeat[l->n_repeat - 1];
	if (!l->s.ok || !r->left--) // an error is told once
		l->n_repeat--;
	else
		l->next = r->from, l->next_line = r->line;
	return true;
}

bool sass_lines_label(const struct sass_line *s, size_t *n)
{
	struct isa_control c;
	bool any = false;
	const char *at = s->at;
	*n = sass_word(at, s->end);
	if (!*n || isdigit((unsigned char)*at) || at + *n == s->end || at[*n] != ':')
		return false;
	struct sass_line look = *s;
	struct diag quiet = {0};
	look.d = &quiet;
	sass_text_control(&look, &c, &any);
	diag_free(&quiet);
	return !any;
}
