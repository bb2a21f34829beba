// From a static instruction of an extended trace to the instruction form.
#include "cuda-sim/trace/pb.h"

#include "cuda-sim/sass/control.h"
#include "cuda-sim/sass/inst.h"
#include "cuda-sim/sass/operands.h"

#include <stdio.h>
#include <string.h>

// What stands for no register, constant or number that matters: targets of branches and the like.
static bool is_left_out(enum static_type t) { return t == STATIC_CALL || t == STATIC_GENERIC || t == STATIC_NONE; }

// The operand's text is read, not the tracer's account of it,
// which leaves out what is in desc[UR4][R2.64] and rounds large numbers.
static void read_operand(struct trace_code *c, const struct static_inst *st, unsigned k, struct sass_source *to)
{
	const struct static_operand *o = &st->operand[k];
	struct diag d = {.max_errors = 1};
	size_t n = strlen(o->text);
	struct sass_line s = {
		.d = &d, .src = {st->op, o->text, n}, .text = o->text, .at = o->text, .end = o->text + n, .ok = true};
	unsigned before = to->n;
	if (!sass_read_operands(&s, to, false)) {
		to->n = before;
		trace_note(c, "operand '%.60s' of %.60s is not understood and left out", o->text, st->op);
	}
	for (; before < to->n; before++)
		to->operand[before].operand = (uint8_t)k;
	diag_free(&d);
}

static struct sass_source source_of(struct trace_code *c, const struct static_inst *st, uint64_t pc)
{
	struct sass_source s = {.op = st->op, .op_len = strlen(st->op), .pc = pc, .control = st->control};
	s.guard.file = ISA_FILE_NONE;
	if (st->predicated) {
		s.guard.file = st->uniform_guard ? ISA_FILE_UP : ISA_FILE_P;
		s.guard.reg = st->guard;
	}
	for (unsigned k = 0; k < st->n_operand; k++)
		if (!is_left_out((enum static_type)st->operand[k].type))
			read_operand(c, st, k, &s);
	return s;
}

static unsigned references(const struct static_inst *st)
{
	unsigned n = 0;
	for (unsigned k = 0; k < st->n_operand; k++)
		n += st->operand[k].type == STATIC_MREF || st->operand[k].type == STATIC_DESC;
	return n;
}

static const struct isa_operand *constant_of(const struct isa_sass *s)
{
	for (unsigned k = 0; k < s->n_src; k++)
		if (s->src[k].file == ISA_FILE_CONST)
			return &s->src[k];
	return NULL;
}

// Which addresses of its records an instruction has use for.
static bool accesses(const struct trace_code *c, const struct static_inst *st, const struct sass_op *op, bool known,
                     unsigned given, struct trace_inst *out, char *why, size_t n)
{
	bool needs = op->behaviour == SASS_MEMORY || op->behaviour == SASS_ASYNC_COPY || op->behaviour == SASS_MATRIX_LOAD;
	unsigned refs = references(st);
	const struct isa_operand *constant;
	out->how = TRACE_PLAIN;
	if (out->sass.constant_load && (constant = constant_of(&out->sass))) {
		out->how = TRACE_CONSTANT;
		out->n_access = given > 0;
		out->imm = isa_const_address(constant->reg, constant->offset);
		out->isa.has_access = true;
	} else if (needs || (op->behaviour == SASS_SURFACE && given)) {
		if (!known && !refs) { // a guess at an opcode does not make it touch memory
			out->isa.cls = ISA_ALU;
			out->isa.space = SPACE_NONE;
			out->sass.unit = ISA_UNIT_BY_CLASS;
			return true;
		}
		if (!refs) {
			snprintf(why, n, "expected an operand that refers to memory");
			return false;
		}
		out->how = op->behaviour == SASS_ASYNC_COPY && refs > 1 ? TRACE_COPY : TRACE_ACCESS;
		out->n_access = out->how == TRACE_COPY ? 2 : 1;
		out->isa.has_access = true;
	}
	out->has_address = out->n_access;
	return true;
}

bool trace_pb_decode(struct trace_code *c, const struct static_inst *from, unsigned given, struct trace_inst *out,
                     char *why, size_t n)
{
	size_t len = strcspn(from->op, ".");
	const struct sass_op *op = trace_find_op(c, from->op, len, why, n);
	if (!op)
		return false;
	bool known = strlen(op->name) == len && !memcmp(op->name, from->op, len);
	struct sass_source src = source_of(c, from, out->isa.pc);
	if (from->captured && !src.control.present && from->encoded)
		src.control = sass_control_from_encoding(from->lo, from->hi);
	const char *wrong = sass_inst_fill(&out->isa, &out->sass, &src, op, c->generation, c->rules.units);
	if (wrong) {
		snprintf(why, n, "%s", wrong);
		return false;
	}
	trace_unit(c, op); // for its note
	if (op->behaviour == SASS_BARRIER) {
		out->how = strstr(from->op, ".ARV") ? TRACE_ARRIVE : TRACE_BARRIER;
		out->isa.barrier = trace_barrier((enum trace_how)out->how);
	} else
		return accesses(c, from, op, known, given, out, why, n);
	return true;
}
