// What lexer, grammar and actions share: the text of a name, errors at a place of it.
#include "cuda-sim/ptx/parser.h"

#include <stdarg.h>
#include <stdio.h>

const char *ptx_text(const struct ptx_parser *p, struct ptx_span s) { return p->m->text.text + s.at; }

char *ptx_name(struct ptx_parser *p, struct ptx_span s) { return arena_strndup(&p->m->arena, ptx_text(p, s), s.len); }

void ptx_error(struct ptx_parser *p, struct ptx_span at, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	p->errors++;
	diag_at(p->d, DIAG_ERROR, &p->m->text, at.at, at.len ? at.len : 1, "%s", text);
}

void ptx_parser_free(struct ptx_parser *p)
{
	VEC_FREE(&p->list);
	VEC_FREE(&p->ints);
	VEC_FREE(&p->names);
	VEC_FREE(&p->init);
	VEC_FREE(&p->relocs);
	VEC_FREE(&p->stack);
	VEC_FREE(&p->insts);
	VEC_FREE(&p->regs);
	VEC_FREE(&p->locals);
	VEC_FREE(&p->tables);
	VEC_FREE(&p->pending);
}
