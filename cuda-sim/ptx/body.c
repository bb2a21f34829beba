// What stands in the body of a function: scopes, names, operands, instructions.
#include "cuda-sim/ptx/parser.h"
#include "isa/inst.h"
#include "ptx.tab.h"

#include <stdio.h>
#include <string.h>

// ---- scopes and names

void ptx_scope_open(struct ptx_parser *p, struct ptx_span at)
{
	if (p->depth == PTX_MAX_DEPTH)
		ptx_error(p, at, "blocks nested too deeply");
	struct ptx_block *s = ARENA_NEW(&p->m->arena, struct ptx_block);
	s->up = p->scope;
	s->first_pending = p->pending.n;
	p->scope = s;
	p->depth++;
}

// The definition that a use seen earlier was waiting for.
static bool settle(struct ptx_parser *p, const struct ptx_pending *w, const struct ptx_sym *s)
{
	if (!s || (s->kind != PTX_SYM_LABEL && s->kind != PTX_SYM_TABLE))
		return false;
	if (!w->opnd) {
		if (s->kind != PTX_SYM_LABEL)
			return false;
		p->tables.at[w->table].label[w->slot] = s->index;
		return true;
	}
	w->opnd->kind = s->kind == PTX_SYM_LABEL ? PTX_O_LABEL : PTX_O_TABLE;
	w->opnd->index = s->index;
	w->opnd->n = 0;
	w->opnd->bits = 0;
	return true;
}

// Uses that this scope's labels do not settle may mean those of the scope around it.
void ptx_scope_close(struct ptx_parser *p)
{
	struct ptx_block *s = p->scope;
	size_t kept = s->first_pending;
	for (size_t i = s->first_pending; i < p->pending.n; i++) {
		struct ptx_pending *w = &p->pending.at[i];
		if (!settle(p, w, map_get(&s->names, ptx_text(p, w->name), w->name.len)))
			p->pending.at[kept++] = *w;
	}
	p->pending.n = kept;
	map_free(&s->names);
	map_free(&s->ranges);
	p->scope = s->up;
	p->depth--;
}

static struct ptx_sym *declare(struct ptx_parser *p, struct map *map, struct ptx_span name, enum ptx_sym_kind kind)
{
	const char *text = ptx_text(p, name);
	if (map_get(map, text, name.len))
		ptx_error(p, name, "'%.*s' is declared twice in this block", (int)name.len, text);
	struct ptx_sym *s = ARENA_NEW(&p->m->arena, struct ptx_sym);
	s->kind = kind;
	map_put(map, text, name.len, s);
	return s;
}

void ptx_scope_var(struct ptx_parser *p, struct ptx_var *v, struct ptx_span at)
{
	declare(p, &p->scope->names, at, PTX_SYM_VAR)->var = v;
}

void ptx_scope_regs(struct ptx_parser *p, struct ptx_span name, int64_t count)
{
	bool range = count >= 0;
	uint64_t vec = p->decl.vec, n = (range ? (uint64_t)count : 1) * vec;
	if (p->regs.n + n > PTX_MAX_REGS) {
		ptx_error(p, name, "more than %d registers in one function", PTX_MAX_REGS);
		return;
	}
	struct ptx_sym *s = declare(p, range ? &p->scope->ranges : &p->scope->names, name,
	                            range ? PTX_SYM_RANGE : PTX_SYM_REG);
	s->index = (uint32_t)p->regs.n;
	s->count = range ? (uint32_t)count : 1;
	s->vec = (uint8_t)vec;
	const char *text = ptx_name(p, name);
	VEC_RESERVE(&p->regs, p->regs.n + n);
	for (uint64_t i = 0; i < n; i++)
		p->regs.at[p->regs.n++] = (struct ptx_reg){
			.name = text, .num = range ? (int32_t)(i / vec) : -1, .type = (uint8_t)p->decl.type,
			.comp = vec > 1 ? (uint8_t)(1 + i % vec) : 0,
		};
}

// %r12 in a range %r<n>: every split into name and number is tried, the longest number first.
static const struct ptx_sym *find_in_range(const struct map *ranges, const char *s, uint32_t len, uint32_t *number)
{
	uint32_t first = len;
	while (first > 1 && s[first - 1] >= '0' && s[first - 1] <= '9')
		first--;
	for (uint32_t at = first; at < len; at++) {
		if (s[at] == '0' && at + 1 < len)
			continue;
		if (len - at > 7)
			continue;
		const struct ptx_sym *r = map_get(ranges, s, at);
		uint32_t v = 0;
		for (uint32_t i = at; i < len; i++)
			v = v * 10 + (uint32_t)(s[i] - '0');
		if (r && v < r->count) {
			*number = v;
			return r;
		}
	}
	return NULL;
}

static const struct ptx_sym *find_name(const struct ptx_parser *p, struct ptx_span name, uint32_t *number)
{
	const char *text = ptx_text(p, name);
	*number = 0;
	for (const struct ptx_block *s = p->scope; s; s = s->up) {
		const struct ptx_sym *sym = map_get(&s->names, text, name.len);
		if (!sym && s->ranges.n)
			sym = find_in_range(&s->ranges, text, name.len, number);
		if (sym)
			return sym;
	}
	return NULL;
}

void ptx_act_label(struct ptx_parser *p, struct ptx_span name)
{
	declare(p, &p->scope->names, name, PTX_SYM_LABEL)->index = (uint32_t)p->insts.n;
}

void ptx_act_table(struct ptx_parser *p, struct ptx_span name, int kind)
{
	unsigned n = kind == PTX_CALLPROTOTYPE ? 0 : (unsigned)p->names.n;
	struct ptx_table t = {.name = ptx_name(p, name), .kind = (uint8_t)kind, .n = n};
	uint32_t index = (uint32_t)p->tables.n;
	declare(p, &p->scope->names, name, PTX_SYM_TABLE)->index = index;
	if (kind == PTX_CALLPROTOTYPE) {
		t.proto = p->proto;
	} else if (kind == PTX_BRANCHTARGETS) {
		t.label = ARENA_ARRAY(&p->m->arena, uint32_t, n);
		for (unsigned i = 0; i < n; i++)
			VEC_PUSH(&p->pending, ((struct ptx_pending){p->names.at[i], NULL, index, i}));
	} else {
		t.func = ARENA_ARRAY(&p->m->arena, struct ptx_func *, n);
		for (unsigned i = 0; i < n; i++) {
			struct ptx_span s = p->names.at[i];
			t.func[i] = map_get(&p->m->funcs, ptx_text(p, s), s.len);
			if (!t.func[i])
				ptx_error(p, s, "undeclared function '%.*s'", (int)s.len, ptx_text(p, s));
		}
	}
	VEC_PUSH(&p->tables, t);
}

// ---- operands

struct ptx_opnd ptx_opnd_num(struct ptx_parser *p, struct ptx_num n, struct ptx_span at)
{
	return (struct ptx_opnd){
		.kind = PTX_O_IMM, .src = at.at, .bits = n.bits, .is_float = n.is_float, .is_f32 = n.is_f32,
	};
}

// The number of .x .y .z .w (.r .g .b .a); -1 if it is none.
static int component(const char *s, uint32_t len)
{
	static const char xyzw[] = "xyzw", rgba[] = "rgba";
	if (len != 2)
		return -1;
	const char *k = strchr(xyzw, s[1]);
	if (k && *k)
		return (int)(k - xyzw);
	k = strchr(rgba, s[1]);
	return k && *k ? (int)(k - rgba) : -1;
}

// .b0 .. .b3, .h0, .h1 and their combinations of the video instructions.
static bool selector(const char *s, uint32_t len)
{
	if (len < 3 || len > 6 || (s[1] != 'b' && s[1] != 'h'))
		return false;
	for (uint32_t i = 2; i < len; i++)
		if (s[i] < '0' || s[i] > '7')
			return false;
	return true;
}

static struct ptx_opnd reg_opnd(struct ptx_parser *p, const struct ptx_sym *s, uint32_t number, struct ptx_opnd o,
                                struct ptx_span comp)
{
	int c = comp.len ? component(ptx_text(p, comp), comp.len) : -1;
	uint32_t first = s->index + number * s->vec;
	o.kind = PTX_O_REG;
	o.index = first;
	if (comp.len && selector(ptx_text(p, comp), comp.len)) {
		o.sel = (uint16_t)(comp.len - 1);
		o.bits = comp.at + 1;
		return o;
	}
	if (comp.len && (c < 0 || c >= s->vec)) {
		ptx_error(p, comp, "a register without such a component");
		return o;
	}
	if (c >= 0) {
		o.index = first + (uint32_t)c;
	} else if (s->vec > 1) { // the whole vector
		o.kind = PTX_O_VEC;
		o.n = s->vec;
		o.elem = ARENA_ARRAY(&p->m->arena, struct ptx_opnd, s->vec);
		for (unsigned i = 0; i < s->vec; i++)
			o.elem[i] = (struct ptx_opnd){.kind = PTX_O_REG, .src = o.src, .index = first + i};
	}
	return o;
}

struct ptx_opnd ptx_opnd_name(struct ptx_parser *p, struct ptx_span name, struct ptx_span comp)
{
	const char *s = ptx_text(p, name);
	struct ptx_opnd o = {.kind = PTX_O_VAR, .src = name.at};
	if (name.len == 7 && memcmp(s, "WARP_SZ", 7) == 0)
		return (struct ptx_opnd){.kind = PTX_O_IMM, .src = name.at, .bits = 32};
	if (p->in_decl) { // in an initialiser: by name, for the linker
		o.n = 1;
		o.bits = (uint64_t)name.at << 32 | name.len;
		return o;
	}
	bool branch = p->opcode && p->opcode->op->cls == ISA_BRANCH && p->stack.n == 0 && p->opcode->op->operands[0] == 'L';
	uint32_t number;
	const struct ptx_sym *sym = branch ? NULL : find_name(p, name, &number);
	if (sym && (sym->kind == PTX_SYM_REG || sym->kind == PTX_SYM_RANGE))
		return reg_opnd(p, sym, number, o, comp);
	if (!branch && !sym && s[0] == '%') {
		int sr = ptx_sreg_find(s + 1, name.len - 1, &o.comp);
		if (sr >= 0) {
			int c = comp.len ? component(ptx_text(p, comp), comp.len) : 0;
			o.kind = PTX_O_SREG;
			o.index = (uint32_t)sr;
			if (comp.len && (c < 0 || c >= ptx_sreg_table[sr].comps))
				ptx_error(p, comp, "a special register without such a component");
			else if (comp.len)
				o.comp = (uint8_t)c;
			return o;
		}
	}
	if (comp.len)
		ptx_error(p, comp, "'%.*s' has no components", (int)name.len, s);
	if (sym && sym->kind == PTX_SYM_VAR) {
		o.var = sym->var;
		return o;
	}
	if (!branch && !sym) {
		o.var = map_get(&p->m->vars, s, name.len);
		if (o.var)
			return o;
		o.func = map_get(&p->m->funcs, s, name.len);
		if (o.func) {
			o.kind = PTX_O_FUNC;
			return o;
		}
	}
	o.kind = PTX_O_LABEL; // or a table; known when the block ends
	o.n = 1;
	o.bits = (uint64_t)name.at << 32 | name.len;
	return o;
}

static struct ptx_opnd *arena_opnds(struct ptx_parser *p, const struct ptx_opnd *o, size_t n)
{
	struct ptx_opnd *to = ARENA_ARRAY(&p->m->arena, struct ptx_opnd, n ? n : 1);
	if (n)
		memcpy(to, o, n * sizeof *o);
	return to;
}

struct ptx_opnd ptx_opnd_group(struct ptx_parser *p, enum ptx_opnd_kind kind, size_t mark, struct ptx_span at)
{
	size_t n = p->stack.n - mark;
	struct ptx_opnd o = {.kind = (uint8_t)kind, .src = at.at};
	if (n > UINT16_MAX) {
		ptx_error(p, at, "too many operands");
		n = 1;
	}
	o.n = (uint16_t)n;
	o.elem = arena_opnds(p, p->stack.at + mark, n);
	p->stack.n = mark;
	for (unsigned i = 0; i < n; i++) {
		struct ptx_opnd *e = &o.elem[i];
		// Only [object, {coordinates}] nests.
		if (e->kind == PTX_O_MEM || e->kind == PTX_O_LIST || (e->kind == PTX_O_VEC && kind != PTX_O_MEM))
			ptx_error(p, (struct ptx_span){e->src, 1}, "operands nested too deeply");
		if (kind != PTX_O_MEM && e->offset && e->kind == PTX_O_REG)
			ptx_error(p, (struct ptx_span){e->src, 1}, "register + offset is only an address, in [ ]");
	}
	if (kind == PTX_O_MEM && n) {
		o.offset = o.elem[0].offset;
		o.elem[0].offset = 0;
	}
	return o;
}

static double as_double(const struct ptx_opnd *o)
{
	uint64_t bits = ptx_imm_bits(o, PTX_T_F64);
	double v;
	memcpy(&v, &bits, sizeof v);
	return o->is_float ? v : (double)(int64_t)o->bits;
}

struct ptx_opnd ptx_opnd_unary(struct ptx_parser *p, int op, struct ptx_opnd a, struct ptx_span at)
{
	if (a.kind == PTX_O_IMM && a.is_float) {
		if (op == '-')
			a.bits ^= (uint64_t)1 << (a.is_f32 ? 31 : 63);
		else if (op != '+')
			ptx_error(p, at, "an operator for integers");
	} else if (a.kind == PTX_O_IMM) {
		a.bits = op == '-' ? 0 - a.bits : op == '~' ? ~a.bits : op == '!' ? !a.bits : a.bits;
	} else if (a.kind == PTX_O_REG && (op == '!' || op == '-') && !a.neg && !a.offset) {
		a.neg = true;
	} else {
		ptx_error(p, at, "an operator for constants");
	}
	a.src = at.at;
	return a;
}

static bool fold(struct ptx_parser *p, int op, uint64_t a, uint64_t b, uint64_t *r, struct ptx_span at)
{
	int64_t x = (int64_t)a, y = (int64_t)b;
	switch (op) {
	case '+': *r = a + b; return true;
	case '-': *r = a - b; return true;
	case '*': *r = a * b; return true;
	case '&': *r = a & b; return true;
	case '|': *r = a | b; return true;
	case '^': *r = a ^ b; return true;
	case '<': *r = x < y; return true;
	case '>': *r = x > y; return true;
	case SHL: *r = b < 64 ? a << b : 0; return true;
	case SHR: *r = (uint64_t)(x >> (b < 63 ? b : 63)); return true;
	case EQ: *r = a == b; return true;
	case NE: *r = a != b; return true;
	case LE: *r = x <= y; return true;
	case GE: *r = x >= y; return true;
	case ANDAND: *r = a && b; return true;
	case OROR: *r = a || b; return true;
	default:
		if (!y || (x == INT64_MIN && y == -1)) {
			ptx_error(p, at, "division by zero in a constant expression");
			return false;
		}
		*r = (uint64_t)(op == '/' ? x / y : x % y);
		return true;
	}
}

static struct ptx_opnd fold_floats(struct ptx_parser *p, int op, struct ptx_opnd a, const struct ptx_opnd *b,
                                   struct ptx_span at)
{
	double x = as_double(&a), y = as_double(b), r = 0;
	switch (op) {
	case '+': r = x + y; break;
	case '-': r = x - y; break;
	case '*': r = x * y; break;
	case '/': r = x / y; break;
	default:  ptx_error(p, at, "an operator for integers");
	}
	a.is_float = true;
	a.is_f32 = false;
	memcpy(&a.bits, &r, sizeof r);
	return a;
}

struct ptx_opnd ptx_opnd_binary(struct ptx_parser *p, int op, struct ptx_opnd a, struct ptx_opnd b, struct ptx_span at)
{
	if (a.kind == PTX_O_IMM && b.kind == PTX_O_IMM) {
		if (a.is_float || b.is_float)
			return fold_floats(p, op, a, &b, at);
		fold(p, op, a.bits, b.bits, &a.bits, at);
		return a;
	}
	bool a_names = a.kind == PTX_O_REG || a.kind == PTX_O_SINK || a.kind == PTX_O_VEC;
	bool b_names = b.kind == PTX_O_REG || b.kind == PTX_O_SINK;
	if (op == '|' && a_names && b_names && !a.second && !b.second && !a.offset && !b.offset) {
		a.second = arena_opnds(p, &b, 1);
		return a;
	}
	if (op == '+' && a.kind == PTX_O_IMM) {
		struct ptx_opnd t = a;
		a = b;
		b = t;
	}
	bool base = (a.kind == PTX_O_REG && !a.neg && !a.second) || a.kind == PTX_O_VAR || (a.kind == PTX_O_LABEL && a.n);
	if ((op == '+' || op == '-') && base && b.kind == PTX_O_IMM && !b.is_float) {
		a.offset = (int64_t)(op == '+' ? (uint64_t)a.offset + b.bits : (uint64_t)a.offset - b.bits);
		return a;
	}
	ptx_error(p, at, "not a constant expression or address");
	return a;
}

struct ptx_opnd ptx_opnd_select(struct ptx_parser *p, struct ptx_opnd c, struct ptx_opnd a, struct ptx_opnd b,
                                struct ptx_span at)
{
	if (c.kind != PTX_O_IMM || a.kind != PTX_O_IMM || b.kind != PTX_O_IMM)
		ptx_error(p, at, "not a constant expression");
	return as_double(&c) != 0 ? a : b;
}

struct ptx_opnd ptx_opnd_cast(struct ptx_parser *p, enum ptx_type t, struct ptx_opnd a, struct ptx_span at)
{
	if (a.kind != PTX_O_IMM || (t != PTX_T_S64 && t != PTX_T_U64)) {
		ptx_error(p, at, "only constants can be cast, to .s64 or .u64");
		return a;
	}
	if (a.is_float) {
		double v = as_double(&a);
		a.bits = v >= 9223372036854775808.0 ? (v < 18446744073709551616.0 ? (uint64_t)v : UINT64_MAX)
		         : v > -9223372036854775809.0 ? (uint64_t)(int64_t)v : (uint64_t)1 << 63;
		a.is_float = a.is_f32 = false;
	}
	return a;
}

struct ptx_opnd ptx_opnd_wrapped(struct ptx_parser *p, struct ptx_span fn, struct ptx_opnd a)
{
	if (fn.len == 7 && memcmp(ptx_text(p, fn), "generic", 7) == 0 && p->in_decl && a.kind == PTX_O_VAR && a.n)
		a.neg = true;
	else
		ptx_error(p, fn, "only generic(variable) can stand here");
	return a;
}

struct ptx_opnd ptx_opnd_masked(struct ptx_parser *p, struct ptx_num mask, struct ptx_opnd a, struct ptx_span at)
{
	unsigned shift = mask.bits ? (unsigned)__builtin_ctzll(mask.bits) : 0;
	if (!p->in_decl || a.kind != PTX_O_VAR || !a.n || mask.bits >> shift != 0xff || shift % 8)
		ptx_error(p, at, "a masked address is written 0xFF00(variable), in an initialiser");
	else
		a.index = shift;
	return a;
}

// ---- instructions

static struct ptx_opcode *find_opcode(struct ptx_parser *p, struct ptx_span at)
{
	const char *s = ptx_text(p, at);
	struct ptx_opcode *o = map_get(&p->m->opcodes, s, at.len);
	if (o)
		return o;
	char text[PTX_OPCODE_MAX], key[PTX_OPCODE_MAX + 8], why[256];
	size_t n = 0;
	for (uint32_t i = 0; i < at.len && n < sizeof text - 1; i++)
		if (s[i] != ' ' && s[i] != '\t' && s[i] != '\n' && s[i] != '\r')
			text[n++] = s[i];
	text[n] = 0;
	struct ptx_opcode read;
	const char *error = ptx_opcode_read(text, &read, key, why, sizeof why);
	if (error) {
		ptx_error(p, at, "%s", error);
		return NULL;
	}
	o = ARENA_NEW(&p->m->arena, struct ptx_opcode);
	*o = read;
	o->text = arena_strdup(&p->m->arena, text);
	o->key = arena_strdup(&p->m->arena, key);
	map_put(&p->m->opcodes, arena_strndup(&p->m->arena, s, at.len), at.len, o);
	return o;
}

void ptx_inst_drop(struct ptx_parser *p)
{
	p->stack.n = 0;
	p->cur = (struct ptx_inst){.guard = -1};
	p->opcode = NULL;
	p->proto = NULL;
	p->in_params = false;
	p->has_init = false;
	p->list.n = 0;
}

void ptx_inst_guard(struct ptx_parser *p, struct ptx_span name, bool neg)
{
	uint32_t number;
	const struct ptx_sym *s = find_name(p, name, &number);
	if (!s || (s->kind != PTX_SYM_REG && s->kind != PTX_SYM_RANGE)) {
		ptx_error(p, name, "undeclared predicate '%.*s'", (int)name.len, ptx_text(p, name));
		return;
	}
	p->cur.guard = (int32_t)(s->index + number * s->vec);
	p->cur.guard_neg = neg;
	if (p->regs.at[p->cur.guard].type != PTX_T_PRED)
		ptx_error(p, name, "the guard '%.*s' is not a predicate", (int)name.len, ptx_text(p, name));
}

void ptx_inst_begin(struct ptx_parser *p, struct ptx_span opcode)
{
	p->in_decl = false;
	p->stack.n = 0;
	p->opcode = find_opcode(p, opcode);
	p->cur.src = opcode.at;
	p->cur.line = p->line;
	p->cur.loc = p->loc;
	p->cur.loc_file = (uint16_t)p->loc_file;
	p->cur.call = p->loc_call[1];
	p->cur.call_file = (uint16_t)p->loc_call[0];
}

// Uses of names not known yet wait for the end of the block.
static void wait_for_names(struct ptx_parser *p, struct ptx_opnd *o, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (o[i].kind == PTX_O_LABEL && o[i].n)
			VEC_PUSH(&p->pending, ((struct ptx_pending){
				{(uint32_t)(o[i].bits >> 32), (uint32_t)o[i].bits}, &o[i], 0, 0}));
		else if (o[i].elem)
			wait_for_names(p, o[i].elem, o[i].n);
	}
}

// Loads and stores without .v2 or .v4 may have their one register in {..}, as NCCL writes them.
static void drop_braces(struct ptx_inst *i)
{
	bool may = (i->op->cls == ISA_LOAD || i->op->cls == ISA_STORE) && strpbrk(i->op->operands, "vq") && i->mods.vec <= 1;
	for (unsigned k = 0; may && k < i->n_opnd; k++)
		if (i->opnd[k].kind == PTX_O_VEC && i->opnd[k].n == 1)
			i->opnd[k] = i->opnd[k].elem[0];
}

void ptx_inst_end(struct ptx_parser *p)
{
	if (p->opcode) {
		struct ptx_inst *i = &p->cur;
		if (p->stack.n > 64)
			ptx_error(p, (struct ptx_span){i->src, 1}, "too many operands");
		i->op = p->opcode->op;
		i->text = p->opcode->text;
		i->key = p->opcode->key;
		i->mods = p->opcode->mods;
		i->n_opnd = p->stack.n > 64 ? 64 : (uint8_t)p->stack.n;
		i->opnd = arena_opnds(p, p->stack.at, i->n_opnd);
		drop_braces(i);
		for (unsigned k = 0; k < i->n_opnd; k++)
			if (i->opnd[k].kind == PTX_O_REG && i->opnd[k].offset)
				ptx_error(p, (struct ptx_span){i->opnd[k].src, 1}, "register + offset is only an address, in [ ]");
		wait_for_names(p, i->opnd, i->n_opnd);
		VEC_PUSH(&p->insts, *i);
	}
	ptx_inst_drop(p);
}
