// Parses a module's declarations, and later the body of one function.
#include "cuda-sim/ptx/parser.h"
#include "isa/inst.h"
#include "ptx.tab.h"

#include <string.h>

// ---- a module

struct ptx_module *ptx_module_parse(const char *name, const char *text, size_t len, struct diag *d)
{
	if (len > PTX_MAX_TEXT) {
		diag_add(d, DIAG_ERROR, "%s: a PTX text of more than %d MiB", name, PTX_MAX_TEXT >> 20);
		return NULL;
	}
	while (len && !text[len - 1]) // fat binaries pad with NULs
		len--;
	struct ptx_module *m = MEM_NEW(struct ptx_module);
	m->text = (struct src_text){arena_strdup(&m->arena, name), arena_strndup(&m->arena, text, len), len};
	m->address64 = true;
	struct ptx_parser p = {.m = m, .d = d, .start = START_MODULE, .module_level = true, .in_decl = true};
	if (ptx_lex_open(&p, 0, (uint32_t)len, 1))
		ptx_yyparse(&p);
	if (!p.errors && !m->version)
		ptx_error(&p, (struct ptx_span){0}, "no .version: this is not PTX");
	ptx_module_aliases(&p);
	ptx_lex_close(&p);
	ptx_parser_free(&p);
	if (p.errors) {
		ptx_module_free(m);
		return NULL;
	}
	return m;
}

// ---- a body

static void undeclared(struct ptx_parser *p, const struct ptx_pending *w)
{
	const char *s = ptx_text(p, w->name);
	const char *what = "name";
	const struct ptx_opnd *o = w->opnd;
	if (!o)
		what = "label";
	for (size_t i = 0; i < p->insts.n && o; i++) {
		const struct ptx_inst *in = &p->insts.at[i];
		if (o >= in->opnd && o < in->opnd + in->n_opnd)
			what = in->op->cls == ISA_BRANCH ? "label"
			     : in->op->cls == ISA_CALL   ? "function"
			     : s[0] == '%'               ? "register" : what;
	}
	ptx_error(p, w->name, "undeclared %s '%.*s'", what, (int)w->name.len, s);
}

// Control never leaves the body at its end: what runs into it returns.
static void close_end(struct ptx_parser *p)
{
	char key[PTX_OPCODE_MAX + 8], why[64];
	static const char ret[] = "ret";
	struct ptx_opcode *o = map_get(&p->m->opcodes, ret, 3);
	if (!o) {
		o = ARENA_NEW(&p->m->arena, struct ptx_opcode);
		ptx_opcode_read(ret, o, key, why, sizeof why);
		o->text = o->key = ret;
		map_put(&p->m->opcodes, ret, 3, o);
	}
	struct ptx_inst i = {
		.op = o->op, .text = o->text, .key = o->key, .mods = o->mods, .guard = -1,
		.opnd = ARENA_NEW(&p->m->arena, struct ptx_opnd),
		.src = p->base + p->len, .line = p->line, .loc = p->loc, .loc_file = (uint16_t)p->loc_file,
	};
	VEC_PUSH(&p->insts, i);
}

static void declare_params(struct ptx_parser *p, struct ptx_var **v, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct ptx_span at = {v[i]->src, (uint32_t)strlen(v[i]->name)};
		if (!at.len)
			continue;
		if (v[i]->space == PTX_S_REG) {
			p->decl = (struct ptx_decl){.space = PTX_S_REG, .type = v[i]->type, .vec = v[i]->vec};
			ptx_scope_regs(p, at, -1);
		} else {
			ptx_scope_var(p, v[i], at);
		}
	}
}

// Moves a vector's items to the arena.
#define KEEP(p, v, type, n_out) \
	((n_out) = (uint32_t)(v).n, (v).n ? (type *)keep(&(p)->m->arena, (v).at, (v).n * sizeof *(v).at) : NULL)
static void *keep(struct arena *a, const void *from, size_t size) { return memcpy(arena_alloc(a, size), from, size); }

static bool check_all(struct ptx_parser *p, struct ptx_func *f)
{
	bool ok = true;
	for (uint32_t i = 0; i < f->n_inst; i++)
		ok &= ptx_inst_check(f, &f->inst[i], p->d);
	for (uint32_t i = 0; i < f->n_local && f->module->program && ok; i++) {
		struct ptx_var *v = f->local[i];
		if (v->space == PTX_S_GLOBAL || v->space == PTX_S_CONST)
			ok &= ptx_program_place(f->module->program, v, p->d);
	}
	return ok;
}

bool ptx_func_parse(struct ptx_func *f, struct diag *d)
{
	if (f->state != PTX_UNPARSED)
		return f->state == PTX_PARSED;
	f->state = PTX_BROKEN;
	if (!f->body) {
		diag_add(d, DIAG_ERROR, "%s: function '%s' has no body", f->module->text.name, f->name);
		return false;
	}
	struct ptx_parser p = {.m = f->module, .d = d, .func = f, .start = START_BODY};
	ptx_inst_drop(&p);
	ptx_scope_open(&p, (struct ptx_span){0});
	struct ptx_block *outer = p.scope;
	declare_params(&p, f->ret, f->n_ret);
	declare_params(&p, f->param, f->n_param);
	if (ptx_lex_open(&p, (uint32_t)(f->body - f->module->text.text), (uint32_t)f->body_len, f->body_line))
		ptx_yyparse(&p);
	close_end(&p);
	while (p.scope && p.scope != outer) // after a syntax error
		ptx_scope_close(&p);
	if (p.scope)
		ptx_scope_close(&p);
	for (size_t i = 0; i < p.pending.n; i++)
		undeclared(&p, &p.pending.at[i]);
	f->inst = KEEP(&p, p.insts, struct ptx_inst, f->n_inst);
	f->reg = KEEP(&p, p.regs, struct ptx_reg, f->n_reg);
	f->local = KEEP(&p, p.locals, struct ptx_var *, f->n_local);
	f->table = KEEP(&p, p.tables, struct ptx_table, f->n_table);
	ptx_lex_close(&p);
	ptx_parser_free(&p);
	if (!p.errors && check_all(&p, f))
		f->state = PTX_PARSED;
	return f->state == PTX_PARSED;
}
