#include "cuda-sim/sass/machine/form.h"

#include "cuda-sim/sass/control.h"
#include "cuda-sim/sass/operands.h"

#include <string.h>

// Loads that a thread may repeat until another one has stored.
static bool is_strong_load(const struct isa_inst *i, const struct sass_decoded *d)
{
	return i->cls == ISA_LOAD && (i->space == SPACE_GLOBAL || i->space == SPACE_GENERIC) &&
	       (sass_has(d, "STRONG.GPU") || sass_has(d, "STRONG.SYS") || sass_has(d, "STRONG.CTA") || sass_has(d, "STRONG.SM"));
}

static bool is_memory(const struct sass_op *op)
{
	return op->behaviour == SASS_MEMORY || op->behaviour == SASS_ASYNC_COPY || op->behaviour == SASS_MATRIX_LOAD;
}

static const struct sass_op *read_op(struct sass_line *line, struct sass_source *from)
{
	bool ok = sass_read_guard(line, &from->guard);
	sass_blank(line);
	from->op = line->at;
	from->op_len = sass_word(line->at, line->end);
	line->at += from->op_len;
	return ok ? sass_op_find(from->op, strcspn(from->op, ". ")) : NULL;
}

const struct sass_op *sass_form_op(const struct sass_decoded *d)
{
	struct diag quiet = {0};
	struct sass_source from = {0};
	char text[256];
	sass_print(d, text, sizeof text);
	size_t n = strlen(text);
	struct sass_line line = {.d = &quiet, .src = {"", text, n}, .text = text, .at = text, .end = text + n, .ok = true};
	const struct sass_op *op = read_op(&line, &from);
	diag_free(&quiet);
	return op;
}

const char *sass_form(struct isa_inst *i, struct isa_sass *s, const struct sass_decoded *d, uint32_t units)
{
	struct diag quiet = {0};
	struct sass_source from = {.pc = d->pc, .control = sass_control_from_encoding(d->word.lo, d->word.hi)};
	char text[256];
	sass_print(d, text, sizeof text);
	size_t n = strlen(text);
	struct sass_line line = {.d = &quiet, .src = {"", text, n}, .text = text, .at = text, .end = text + n, .ok = true};
	const struct sass_op *op = read_op(&line, &from);
	bool ok = op && sass_read_operands(&line, &from, true);
	const char *wrong = ok ? sass_inst_fill(i, s, &from, op, d->generation, units) : "cores know no such instruction";
	diag_free(&quiet);
	if (wrong)
		return wrong;
	i->has_access = is_memory(op) || s->constant_load;
	i->is_volatile = is_strong_load(i, d);
	i->ordered = i->cls == ISA_ATOMIC && i->space != SPACE_SHARED;
	return NULL;
}
