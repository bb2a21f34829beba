// Reading SASS text: lines, directives, labels and annotations.
#include "cuda-sim/sass/control.h"
#include "cuda-sim/sass/text/lines.h"
#include "cuda-sim/sass/text/read.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct label_use {
	uint32_t inst;
	const char *at;              // in sass_line.text
	size_t len;
};

struct reader {
	struct sass_lines l;
	struct sass_program *p;
	enum sass_generation generation;
	uint32_t units, warps;       // warps: those that execute the lines that follow
	bool any_control;
	VEC(struct label_use) use;
	struct map external;         // functions that are elsewhere
	const char *target_at;       // of .targets: where the next instruction goes, NULL: none
	size_t target_len;
	bool sized;                  // .block or .warps was given
	unsigned max_reg;
};

// --- opcodes

static bool one_of(const struct sass_op *op, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(op->name, *names))
			return true;
	return false;
}

static bool is_jump(const struct sass_op *op)
{
	static const char *const jumps[] = {"BRA", "BRX", "BRXU", "JMP", "JMX", "JMXU", NULL};
	return one_of(op, jumps);
}

static bool takes_label(const struct sass_op *op)
{
	static const char *const others[] = {"BSSY", "WARPSYNC", "SSY", "PBK", "PCNT", "PRET", NULL};
	return is_jump(op) || op->cls == ISA_CALL || op->cls == ISA_RET || one_of(op, others);
}

// Of a register, that may be given a place in the code: a return address.
static bool is_move(const struct sass_op *op)
{
	static const char *const moves[] = {"MOV", "UMOV", NULL};
	return one_of(op, moves);
}

static enum sass_flow flow_of(const struct sass_op *op, const struct sass_name *k)
{
	if (is_jump(op))
		return SASS_FLOW_BRANCH;
	if (op->cls == ISA_CALL)
		return SASS_FLOW_CALL;
	if (!strcmp(op->name, "RET"))
		return SASS_FLOW_RETURN;
	if (op->cls == ISA_EXIT)
		return SASS_FLOW_EXIT;
	if (op->behaviour == SASS_BARRIER)
		return sass_name_has(k, "ARV") ? SASS_FLOW_ARRIVE : SASS_FLOW_BARRIER;
	return SASS_FLOW_NEXT;
}

static uint32_t new_counter(struct reader *r) { return r->p->n_counter++; }

// --- annotations

static void use_label(struct reader *r, const char *at, size_t n)
{
	struct label_use u = {.inst = (uint32_t)r->p->inst.n, .at = at, .len = n};
	VEC_PUSH(&r->use, u);
}

// A label as the source of a move is a number.
static bool hold_label(struct reader *r, struct sass_source *f)
{
	if (f->n == SASS_OPERANDS)
		return sass_bad(&r->l.s, f->op, f->op_len, "too many operands");
	use_label(r, r->l.s.label_at, r->l.s.label_len);
	f->operand[f->n++] = (struct sass_operand){.file = ISA_FILE_IMM, .operand = 1};
	r->l.s.label_at = NULL;
	return true;
}

static bool taken_value(struct sass_line *s, struct sass_text_inst *t)
{
	size_t n = sass_word(s->at, s->end);
	bool always = n == 6 && !memcmp(s->at, "always", 6), never = n == 5 && !memcmp(s->at, "never", 5);
	if (always || never) {
		s->at += n;
		t->taken = always ? SASS_ALWAYS : 0;
		return true;
	}
	if (!n || !isdigit((unsigned char)*s->at))
		return sass_bad(s, s->at, n, "expected taken=always, taken=never or how often in a row it is taken");
	return sass_number(s, &t->taken);
}

static bool space_value(struct sass_line *s, struct sass_text_inst *t)
{
	static const struct {
		const char *name;
		enum isa_space space;
	} spaces[] = {{"global", SPACE_GLOBAL}, {"shared", SPACE_SHARED}, {"local", SPACE_LOCAL}};
	size_t n = sass_word(s->at, s->end);
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
		if (strlen(spaces[i].name) != n || memcmp(spaces[i].name, s->at, n))
			continue;
		t->space = (uint8_t)spaces[i].space;
		s->at += n;
		return true;
	}
	return sass_bad(s, s->at, n, "expected space=global, space=shared or space=local");
}

static bool annotation(struct reader *r, struct sass_text_inst *t)
{
	struct sass_line *s = &r->l.s;
	const char *at = s->at;
	size_t n = sass_word(at, s->end);
	s->at += n;
	bool assigned = sass_take(s, '=');
	bool jumps = t->flow != SASS_FLOW_NEXT && t->flow != SASS_FLOW_BARRIER && t->flow != SASS_FLOW_ARRIVE;
	uint64_t v;
	sass_blank(s);
	if (!n || !assigned)
		return sass_bad(s, at, n, "expected addr=, taken=, mask=, space= or to=");
	if (n == 4 && !memcmp(at, "addr", 4)) {
		if (!t->isa.has_access)
			return sass_bad(s, at, n, "addr= is for instructions that access memory; this one does not");
		memset(&t->addr, 0, sizeof t->addr);
		return sass_text_address(s, &r->p->strings, &t->addr);
	}
	if (n == 5 && !memcmp(at, "taken", 5))
		return jumps ? taken_value(s, t) : sass_bad(s, at, n, "taken= is for branches, calls, RET and EXIT");
	if (n == 4 && !memcmp(at, "mask", 4)) {
		at = s->at;
		if (!sass_number(s, &v))
			return false;
		t->mask = (uint32_t)v;
		if (t->flow == SASS_FLOW_EXIT)
			t->taken = SASS_ALWAYS; // these lanes leave
		return v <= UINT32_MAX || sass_bad(s, at, (size_t)(s->at - at), "expected a mask of 32 lanes");
	}
	if (n == 5 && !memcmp(at, "space", 5))
		return t->isa.space == SPACE_GENERIC ? space_value(s, t)
		                                     : sass_bad(s, at, n, "space= is for LD, ST and ATOM; this has its own");
	if (n == 2 && !memcmp(at, "to", 2)) {
		size_t m = sass_word(s->at, s->end);
		if (t->flow != SASS_FLOW_BRANCH && t->flow != SASS_FLOW_CALL)
			return sass_bad(s, at, n, "to= is for indirect branches and calls");
		if (!m)
			return sass_bad(s, s->at, 1, "expected a label");
		use_label(r, s->at, m);
		s->at += m;
		return true;
	}
	return sass_bad(s, at, n, "'%.*s': expected addr, taken, mask, space or to", (int)n, at);
}

static bool annotations(struct reader *r, struct sass_text_inst *t)
{
	struct sass_line *s = &r->l.s;
	sass_take(s, ';');
	for (sass_blank(s); s->at < s->end; sass_blank(s)) {
		if (!annotation(r, t))
			return false;
		sass_take(s, ',');
	}
	return true;
}

// --- instructions

static const struct sass_operand *immediate_at(const struct sass_source *f, unsigned number)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->operand[i].operand == number)
			return f->operand[i].file == ISA_FILE_IMM ? &f->operand[i] : NULL;
	return NULL;
}

static bool barrier(struct sass_line *s, const char *at, const struct sass_source *f, struct sass_text_inst *t)
{
	const struct sass_operand *id = immediate_at(f, 0), *threads = immediate_at(f, 1);
	uint64_t n = threads ? threads->imm : 0;
	if (id && id->imm >= SASS_BARRIERS)
		return sass_bad(s, at, f->op_len, "there are barriers 0 to 15");
	if (n % 32 || n > 1024)
		return sass_bad(s, at, f->op_len,
		                "expected a number of threads for the barrier that is a multiple of 32 up to 1024");
	t->barrier = id ? (uint8_t)id->imm : 0;
	t->barrier_warps = (uint16_t)(n / 32);
	return true;
}

static bool target(struct reader *r, const char *at, const struct sass_source *f, struct sass_text_inst *t)
{
	struct sass_line *s = &r->l.s;
	const struct sass_operand *place = f->n ? &f->operand[f->n - 1] : NULL;
	bool indirect = false;
	for (unsigned i = 0; i < f->n; i++)
		indirect |= f->operand[i].file == ISA_FILE_R || f->operand[i].file == ISA_FILE_UR;
	if (s->label_at) {
		use_label(r, s->label_at, s->label_len);
	} else if (!indirect && place && place->file == ISA_FILE_IMM && !place->address) {
		if (place->imm % SASS_INST_BYTES || place->imm / SASS_INST_BYTES >= SASS_MAX_INSTS)
			return sass_bad(s, at, f->op_len, "expected a label, or a target that is a multiple of 16");
		t->target = (uint32_t)(place->imm / SASS_INST_BYTES);
	}
	return true;
}

// Conditional branches fall through unless taken= says otherwise.
static bool conditional(const struct sass_source *f, const struct sass_name *k)
{
	bool c = sass_name_has(k, "DIV") || (f->guard.file != ISA_FILE_NONE && f->guard.reg != SASS_PT);
	for (unsigned i = 0; i < f->n; i++)
		c |= (f->operand[i].file == ISA_FILE_P || f->operand[i].file == ISA_FILE_UP) && f->operand[i].reg != SASS_PT;
	return c;
}

static void default_address(struct sass_text_inst *t)
{
	if (t->isa.space == SPACE_LOCAL || t->isa.space == SPACE_CONST)
		return;
	t->addr.lane = t->isa.bytes;
	if (t->isa.space != SPACE_SHARED)
		t->addr.base = SASS_DEFAULT_ADDRESS;
}

static bool needs_access(const struct sass_op *op)
{
	return op->behaviour == SASS_MEMORY || op->behaviour == SASS_ASYNC_COPY || op->behaviour == SASS_MATRIX_LOAD;
}

static void note_registers(struct reader *r, const struct isa_operand *o, unsigned n)
{
	for (; n--; o++)
		if (o->file == ISA_FILE_R && o->count && o->reg + o->count > r->max_reg)
			r->max_reg = o->reg + o->count;
}

static bool instruction(struct reader *r, const char *from)
{
	struct sass_line *s = &r->l.s;
	struct sass_text_inst t = {
		.mask = UINT32_MAX, .warps = r->warps, .target = SASS_NOWHERE, .counter = SASS_NOWHERE, .space = SPACE_GLOBAL};
	struct sass_source f = {.pc = r->p->inst.n * SASS_INST_BYTES};
	struct sass_name k;
	s->label_at = NULL;
	if (!sass_text_control(s, &f.control, &t.has_control) || !sass_read_guard(s, &f.guard))
		return false;
	sass_blank(s);
	f.op = s->at;
	f.op_len = sass_word(s->at, s->end);
	const struct sass_op *op = sass_text_opcode(s, r->generation, r->p->info.target, f.op, f.op_len);
	if (!op)
		return false;
	s->at += f.op_len;
	bool place = takes_label(op), moves = is_move(op);
	if (!sass_read_operands(s, &f, place || moves))
		return false;
	if (s->label_at && moves && !hold_label(r, &f))
		return false;
	const char *wrong = sass_inst_fill(&t.isa, &t.sass, &f, op, r->generation, r->units);
	if (wrong)
		return sass_bad(s, f.op, f.op_len, "%.*s: %s", (int)f.op_len, f.op, wrong);
	sass_name_split(&k, f.op, f.op_len);
	if (r->target_at)
		use_label(r, r->target_at, r->target_len);
	r->target_at = NULL;
	t.isa.line = r->l.line;
	t.isa.has_access = needs_access(op) || t.sass.constant_load;
	t.flow = (uint8_t)flow_of(op, &k);
	t.taken = conditional(&f, &k) ? 0 : SASS_ALWAYS;
	if (op->behaviour == SASS_BARRIER && !barrier(s, f.op, &f, &t))
		return false;
	bool mask = !s->label_at && !strcmp(op->name, "WARPSYNC"); // its operand is a place or a set of lanes
	if (place && !mask && !target(r, f.op, &f, &t))
		return false;
	default_address(&t);
	if (!annotations(r, &t))
		return false;
	if (r->p->inst.n == SASS_MOST_INSTS)
		return sass_bad(s, f.op, f.op_len, "the kernel has more than %d instructions", SASS_MOST_INSTS);
	bool counts = (t.flow != SASS_FLOW_NEXT && t.taken && t.taken != SASS_ALWAYS) || t.addr.turn;
	if (counts)
		t.counter = new_counter(r);
	r->any_control |= t.has_control;
	t.at = (uint32_t)(from - s->text);
	t.len = (uint32_t)(s->end - from);
	t.isa.text = (uint32_t)r->p->inst.n;
	note_registers(r, t.sass.dst, t.sass.n_dst);
	note_registers(r, t.sass.src, t.sass.n_src);
	VEC_PUSH(&r->p->inst, t);
	return true;
}

// .inst 0x...: an instruction by its bits, which nobody reads here: it has the time of a NOP with its control bits.
static bool raw_instruction(struct reader *r, const char *from)
{
	static const char nop[] = "NOP";
	struct sass_line *s = &r->l.s;
	struct sass_text_inst t = {
		.mask = UINT32_MAX, .warps = r->warps, .target = SASS_NOWHERE, .counter = SASS_NOWHERE, .space = SPACE_GLOBAL, .taken = SASS_ALWAYS};
	struct sass_source f = {.pc = r->p->inst.n * SASS_INST_BYTES, .op = nop, .op_len = strlen(nop)};
	sass_blank(s);
	size_t n = sass_word(s->at, s->end);
	if (n < 3 || n > 34 || s->at[0] != '0' || s->at[1] != 'x' || strspn(s->at + 2, "0123456789abcdefABCDEF") < n - 2)
		return sass_bad(s, s->at, n, "expected the 128 bits of an instruction: 0x and up to 32 digits");
	if (r->p->inst.n == SASS_MOST_INSTS)
		return sass_bad(s, from, 5, "the kernel has more than %d instructions", SASS_MOST_INSTS);
	char high[17] = "0";
	if (n > 18)
		snprintf(high, sizeof high, "%.*s", (int)(n - 18), s->at + 2);
	f.control = sass_control_from_encoding(0, strtoull(high, NULL, 16));
	sass_inst_fill(&t.isa, &t.sass, &f, sass_op_find(nop, strlen(nop)), r->generation, r->units);
	s->at += n;
	t.isa.line = r->l.line;
	t.has_control = r->any_control = true;
	t.at = (uint32_t)(from - s->text);
	t.len = (uint32_t)(s->end - from);
	t.isa.text = (uint32_t)r->p->inst.n;
	VEC_PUSH(&r->p->inst, t);
	return true;
}

// --- directives

static bool up_to_three(struct sass_line *s, uint32_t out[3], uint32_t most)
{
	uint32_t v[3] = {1, 1, 1};
	const char *from = s->at;
	unsigned n = 0;
	do {
		uint64_t x;
		const char *at = s->at;
		if (n == 3)
			return sass_bad(s, s->at, 1, "expected at most three numbers");
		if (!sass_number(s, &x))
			return false;
		if (!x || x > most)
			return sass_bad(s, at, (size_t)(s->at - at), "expected a number from 1 to %u", most);
		v[n++] = (uint32_t)x;
	} while (sass_take(s, ','));
	(void)from;
	memcpy(out, v, sizeof v);
	return true;
}

static bool one_number(struct sass_line *s, uint32_t *v, uint32_t least, uint32_t most)
{
	uint64_t x;
	sass_blank(s);
	const char *at = s->at;
	if (!sass_number(s, &x))
		return false;
	if (x < least || x > most)
		return sass_bad(s, at, (size_t)(s->at - at), "expected a number from %u to %u", least, most);
	*v = (uint32_t)x;
	return true;
}

static bool block_size(struct reader *r)
{
	struct sass_line *s = &r->l.s;
	const char *at = s->at;
	r->sized = true;
	if (!up_to_three(s, r->p->block, 1024))
		return false;
	uint64_t threads = (uint64_t)r->p->block[0] * r->p->block[1] * r->p->block[2];
	return threads <= 1024 || sass_bad(s, at, (size_t)(s->at - at), "expected at most 1024 threads in a block");
}

static bool target_version(struct reader *r)
{
	struct sass_line *s = &r->l.s;
	sass_blank(s);
	const char *at = s->at;
	size_t n = sass_word(at, s->end), skip = n > 3 && !memcmp(at, "sm_", 3) ? 3 : 0;
	unsigned v = 0;
	for (size_t i = skip; i < n && isdigit((unsigned char)at[i]) && v < 1000; i++)
		v = v * 10 + (unsigned)(at[i] - '0');
	int g = sass_generation_of(v);
	s->at += n;
	if (g < 0)
		return sass_bad(s, at, n, "'%.*s': expected sm_70, sm_75, sm_80, sm_86, sm_89, sm_90, sm_120 or another GPU's",
		                (int)n, at);
	r->generation = (enum sass_generation)g;
	r->p->info.target = v;
	return true;
}

// .warp 0,4-6 or .warp all: who executes the lines that follow.
static bool warp_list(struct reader *r)
{
	struct sass_line *s = &r->l.s;
	sass_blank(s);
	if (sass_word(s->at, s->end) == 3 && !memcmp(s->at, "all", 3)) {
		s->at += 3;
		r->warps = UINT32_MAX;
		return true;
	}
	r->warps = 0;
	do {
		uint32_t first, last;
		if (!one_number(s, &first, 0, SASS_MAX_WARPS - 1))
			return false;
		last = first;
		if (sass_take(s, '-') && !one_number(s, &last, first, SASS_MAX_WARPS - 1))
			return false;
		for (; first <= last; first++)
			r->warps |= 1u << first;
	} while (sass_take(s, ','));
	return true;
}

static bool repeat_begin(struct reader *r, const char *at)
{
	uint32_t n;
	return one_number(&r->l.s, &n, 1, SASS_MAX_INSTS) && sass_lines_repeat(&r->l, at, n);
}

static bool repeat_end(struct reader *r, const char *at)
{
	const uint32_t most = HEDDLE_LIMIT(1 << 14, SASS_MAX_LINES);
	const struct sass_repeat *p = sass_lines_open_repeat(&r->l);
	if (r->l.s.ok && p && p->left && r->l.n > most)
		return sass_bad(&r->l.s, p->at, 4, ".rep repeats more than %u lines", most);
	return sass_lines_repeat_end(&r->l, at);
}

static bool define_label(struct reader *r, const char *at, size_t n);

static size_t name_length(const struct sass_line *s)
{
	size_t n = 0;
	while (s->at + n < s->end && !isspace((unsigned char)s->at[n]) && s->at[n] != ',')
		n++;
	return n;
}

// What a cubin is made of besides code, docs/sass-text.md: nothing that the time of an instruction depends on.
static bool of_cubin(struct reader *r, const char *at, size_t n)
{
	static const char *const names[] = {".param", ".param_base", ".param_size", ".frame", ".stack", ".barriers", ".maxntid", ".reqntid", ".info",
	                                    ".section", ".var", ".at", ".u8", ".u16", ".u32", ".u64", ".f32", ".f64", ".addr", ".reloc"};
	struct sass_line *s = &r->l.s;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strlen(names[i]) != n || memcmp(names[i], at, n))
			continue;
		s->at = s->end;
		return true;
	}
	return false;
}

// .function and .subroutine: a function begins, which calls name.
static bool function_name(struct reader *r)
{
	struct sass_line *s = &r->l.s;
	sass_blank(s);
	size_t n = name_length(s);
	if (!n)
		return sass_bad(s, s->at, 1, "expected the function's name");
	const char *at = s->at;
	s->at = s->end;
	return define_label(r, at, n);
}

static bool external_name(struct reader *r)
{
	struct sass_line *s = &r->l.s;
	sass_blank(s);
	size_t n = name_length(s);
	if (!n)
		return sass_bad(s, s->at, 1, "expected the function's name");
	map_put(&r->external, s->at, n, r);
	s->at += n;
	return true;
}

// .targets A, B: of a branch by register. Here it goes to the first, if no to= says otherwise.
static bool branch_targets(struct reader *r)
{
	struct sass_line *s = &r->l.s;
	sass_blank(s);
	r->target_at = s->at;
	r->target_len = sass_word(s->at, s->end);
	if (!r->target_len)
		return sass_bad(s, s->at, 1, "expected a label");
	s->at = s->end;
	return true;
}

static bool kernel_name(struct reader *r, const char *directive)
{
	struct sass_line *s = &r->l.s;
	sass_blank(s);
	size_t n = name_length(s);
	if (!n)
		return sass_bad(s, s->at, 1, "expected the kernel's name");
	if (r->p->inst.n)
		return sass_bad(s, directive, 7, "the text has another kernel above; take one out of a file with 'heddle sass FILE KERNEL'");
	r->p->info.name = arena_strndup(&r->p->strings, s->at, n);
	s->at += n;
	return true;
}

static bool warp_count(struct reader *r)
{
	uint32_t n = 1;
	r->sized = true;
	if (!one_number(&r->l.s, &n, 1, SASS_MAX_WARPS))
		return false;
	r->p->block[0] = n * 32;
	r->p->block[1] = r->p->block[2] = 1;
	return true;
}

static bool directive(struct reader *r)
{
	struct sass_line *s = &r->l.s;
	const char *at = s->at;
	size_t n = sass_word(at, s->end);
	enum { KERNEL, TARGET, GRID, BLOCK, WARPS, REGS, SHARED, WARP, REP, ENDR, FUNCTION, SUBROUTINE, EXTERN, TARGETS, INST, N };
	static const char *const names[N] = {".kernel", ".target", ".grid", ".block", ".warps", ".regs", ".shared", ".warp", ".rep", ".endr",
	                                     ".function", ".subroutine", ".extern", ".targets", ".inst"};
	unsigned i = 0;
	while (i < N && (strlen(names[i]) != n || memcmp(names[i], at, n)))
		i++;
	s->at += n;
	bool ok;
	switch (i) {
	case KERNEL: ok = kernel_name(r, at); break;
	case TARGET: ok = target_version(r); break;
	case GRID: ok = up_to_three(s, r->p->grid, 1 << 20); break;
	case BLOCK: ok = block_size(r); break;
	case WARPS: ok = warp_count(r); break;
	case REGS: ok = one_number(s, &r->p->info.regs, 1, 255); break;
	case SHARED: ok = one_number(s, &r->p->info.static_shared, 0, 1 << 20); break;
	case WARP: ok = warp_list(r); break;
	case REP: ok = repeat_begin(r, at); break;
	case ENDR: ok = repeat_end(r, at); break;
	case FUNCTION:
	case SUBROUTINE: ok = function_name(r); break;
	case EXTERN: ok = external_name(r); break;
	case TARGETS: ok = branch_targets(r); break;
	case INST: return raw_instruction(r, at);
	default:
		return of_cubin(r, at, n) || sass_bad(s, at, n,
		                "unknown directive '%.*s'; there are .kernel .target .grid .block .warps .warp .regs .shared "
		                ".rep .endr and those of cubins, docs/sass-text.md",
		                (int)n, at);
	}
	sass_blank(s);
	return ok && (s->at == s->end || sass_bad(s, s->at, 1, "expected the end of the line"));
}

// --- lines

static bool define_label(struct reader *r, const char *at, size_t n)
{
	struct sass_program *p = r->p;
	if (map_get(&p->label, at, n))
		return sass_bad(&r->l.s, at, n, "label '%.*s' is defined twice%s", (int)n, at, r->l.n_repeat ? " (by .rep)" : "");
	map_put(&p->label, arena_strndup(&p->strings, at, n), n, (void *)(uintptr_t)(p->inst.n + 1));
	return true;
}

static void line(struct reader *r)
{
	struct sass_line *s = &r->l.s;
	size_t n;
	sass_blank(s);
	while (s->at < s->end && sass_lines_label(s, &n)) {
		if (!define_label(r, s->at, n))
			return;
		s->at += n + 1;
		sass_blank(s);
	}
	if (s->at == s->end)
		return;
	if (*s->at == '.')
		directive(r);
	else
		instruction(r, s->at);
}

static void encodings(struct reader *r)
{
	uint64_t lo, hi;
	if (r->p->inst.at[r->p->inst.n - 1].has_control)
		return;
	if (!sass_comments_encoding(&r->l.comments, r->l.from, r->l.s.end, &lo, &hi))
		return;
	struct sass_text_inst *t = &r->p->inst.at[r->p->inst.n - 1];
	t->sass.control = sass_control_from_encoding(lo, hi);
	t->has_control = r->any_control = true;
}

static void lines(struct reader *r)
{
	while (sass_lines_next(&r->l)) {
		size_t before = r->p->inst.n;
		line(r);
		if (r->p->inst.n != before)
			encodings(r);
	}
}

// --- the whole

static void resolve(struct reader *r)
{
	struct sass_line *s = &r->l.s;
	for (size_t i = 0; i < r->use.n; i++) {
		struct label_use *u = &r->use.at[i];
		uintptr_t at = (uintptr_t)map_get(&r->p->label, u->at, u->len);
		if (!at && map_get(&r->external, u->at, u->len) && u->inst < r->p->inst.n) {
			r->p->inst.at[u->inst].taken = 0; // comes back at once
			continue;
		}
		if (!at)
			sass_bad(s, u->at, u->len, "there is no label '%.*s'", (int)u->len, u->at);
		else if (u->inst < r->p->inst.n)
			r->p->inst.at[u->inst].target = (uint32_t)(at - 1);
	}
	for (size_t i = 0; i < r->p->inst.n; i++) {
		struct sass_text_inst *t = &r->p->inst.at[i];
		bool jumps = t->flow == SASS_FLOW_BRANCH || t->flow == SASS_FLOW_CALL;
		if (jumps && t->taken && t->target == SASS_NOWHERE)
			sass_bad(s, s->text + t->at, t->len, "where does it go? expected a label, or to=LABEL behind ;");
		else if (jumps && t->taken && t->target > r->p->inst.n)
			sass_bad(s, s->text + t->at, t->len, "the target lies behind the end of the kernel");
	}
}

static void complete(struct reader *r)
{
	struct sass_program *p = r->p;
	uint32_t most = 0;
	for (size_t i = 0; i < p->inst.n; i++) {
		struct sass_text_inst *t = &p->inst.at[i];
		t->isa.sass = &t->sass;
		t->sass.control.present = r->any_control;
		most |= t->warps == UINT32_MAX ? 0 : t->warps;
	}
	if (!r->sized && most)
		p->block[0] = (32 - (uint32_t)__builtin_clz(most)) * 32;
	if (!p->info.regs)
		p->info.regs = r->max_reg < 16 ? 16 : r->max_reg < 255 ? r->max_reg : 255;
	p->info.max_threads = 1024;
}

struct sass_program *sass_text_parse(const char *name, const char *text, size_t len, uint32_t units, struct diag *d)
{
	struct sass_program *p = MEM_NEW(struct sass_program);
	if (len > UINT32_MAX / 2) {
		diag_add(d, DIAG_ERROR, "%s: the text is too long", name);
		mem_free(p);
		return NULL;
	}
	p->file = mem_strdup(name);
	p->text = mem_alloc(len + 1);
	if (len)
		memcpy(p->text, text, len);
	p->len = len;
	p->info = (struct kernel_info){.name = "kernel", .target = 86};
	for (unsigned i = 0; i < 3; i++)
		p->grid[i] = p->block[i] = 1;
	p->block[0] = 32;
	struct reader r = {.p = p, .generation = SASS_AMPERE, .units = units, .warps = UINT32_MAX};
	sass_lines_open(&r.l, p->file, p->text, len, d);
	lines(&r);
	if (r.l.s.ok)
		resolve(&r);
	if (r.l.s.ok && !p->inst.n) {
		diag_add(d, DIAG_ERROR, "%s: there are no instructions", name);
		r.l.s.ok = false;
	}
	if (r.l.s.ok)
		complete(&r);
	VEC_FREE(&r.use);
	map_free(&r.external);
	sass_lines_close(&r.l);
	if (r.l.s.ok)
		return p;
	sass_text_free(p);
	return NULL;
}

struct sass_program *sass_text_open(const char *path, uint32_t units, struct diag *d)
{
	FILE *f = fopen(path, "rb");
	VEC(char) text = {0};
	size_t n = 0;
	if (f) {
		do {
			VEC_RESERVE(&text, text.n + 65536);
			n = fread(text.at + text.n, 1, 65536, f);
			text.n += n;
		} while (n);
	}
	struct sass_program *p = NULL;
	if (!f || ferror(f))
		diag_add(d, DIAG_ERROR, "%s: %s", path, strerror(errno));
	else
		p = sass_text_parse(path, text.at, text.n, units, d);
	if (f)
		fclose(f);
	VEC_FREE(&text);
	return p;
}

void sass_text_free(struct sass_program *p)
{
	if (!p)
		return;
	VEC_FREE(&p->inst);
	map_free(&p->label);
	arena_free(&p->strings);
	mem_free(p->text);
	mem_free(p->file);
	mem_free(p);
}

const char *sass_text_file(const struct sass_program *p) { return p->file; }
const char *sass_text_name(const struct sass_program *p) { return p->info.name; }
size_t sass_text_count(const struct sass_program *p) { return p->inst.n; }
const struct isa_inst *sass_text_inst(const struct sass_program *p, size_t i)
{
	return i < p->inst.n ? &p->inst.at[i].isa : NULL;
}

size_t sass_text_label(const struct sass_program *p, const char *label)
{
	uintptr_t at = (uintptr_t)map_get(&p->label, label, strlen(label));
	return at ? (size_t)at - 1 : SIZE_MAX;
}
