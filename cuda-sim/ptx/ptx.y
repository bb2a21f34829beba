// Grammar of PTX. Two texts are parsed with it: a module's declarations (function bodies are one token) and, later, the
// body of one function. The actions only call functions declared in parser.h.
%define api.pure full
%define api.prefix {ptx_yy}
%define parse.error custom
%define api.location.type {struct ptx_span}
%locations
%param {struct ptx_parser *p}

%code requires {
#include "cuda-sim/ptx/parser.h"
}

%code {
#include <stdio.h>
#include <string.h>

int ptx_yylex(PTX_YYSTYPE *value, struct ptx_span *loc, struct ptx_parser *p);
static void ptx_yyerror(const struct ptx_span *loc, struct ptx_parser *p, const char *what);

#define YYLLOC_DEFAULT(cur, rhs, n)                                                               \
	do {                                                                                      \
		if (n) {                                                                          \
			(cur).at = YYRHSLOC(rhs, 1).at;                                           \
			(cur).len = YYRHSLOC(rhs, n).at + YYRHSLOC(rhs, n).len - (cur).at;        \
		} else {                                                                          \
			(cur).at = YYRHSLOC(rhs, 0).at + YYRHSLOC(rhs, 0).len;                    \
			(cur).len = 0;                                                            \
		}                                                                                 \
	} while (0)
}

%union {
	struct ptx_num num;
	struct ptx_opnd opnd;
	struct ptx_span span;
	size_t mark;
	int val;
}

%token END 0 "end of text"
%token START_MODULE START_BODY
%token <span> NAME "name" OPCODE "instruction" DOT "suffix" STRING "string"
%token <num> INT "integer" FLOAT "number"
%token <val> TYPE "type" SPACE "state space" LINKAGE "linkage" VECTOR "vector size" TUNE "function directive"
%token SINK "_" CALL_PAREN "("
%token VERSION ".version" TARGET ".target" ADDRESS_SIZE ".address_size" ENTRY ".entry" FUNC ".func" ALIGN ".align"
%token ATTRIBUTE ".attribute" PTR ".ptr" PRAGMA ".pragma" ALIAS ".alias"
%token <val> TABLE "branch table"
%token CALLPROTOTYPE ".callprototype"
%token <val> BODY "function body"
%token SHL "<<" SHR ">>" EQ "==" NE "!=" LE "<=" GE ">=" ANDAND "&&" OROR "||"

%right '?' ':'
%left OROR
%left ANDAND
%left '|'
%left '^'
%left '&'
%left EQ NE
%left '<' '>' LE GE
%left SHL SHR
%left '+' '-'
%left '*' '/' '%'
%precedence UNARY

%type <opnd> operand vector expr
%type <mark> mark
%type <val> linkages
%type <span> name

%%

start
	: START_MODULE module
	| START_BODY body
	;

// ---- declarations

module
	: %empty
	| module item
	;

item
	: VERSION FLOAT                         { ptx_act_version(p, @2); }
	| TARGET targets
	| ADDRESS_SIZE INT                      { p->m->address64 = $2.bits == 64; }
	| pragma
	| ALIAS NAME ',' NAME ';'               { ptx_act_alias(p, $2, $4); }
	| linkages declaration ';'
	| function
	| ';'
	| error ';'
	| error BODY
	;

targets
	: NAME                                  { ptx_act_target(p, @1); }
	| targets ',' NAME                      { ptx_act_target(p, @3); }
	;

pragma
	: PRAGMA strings ';'
	;

strings
	: STRING
	| strings ',' STRING
	;

linkages
	: %empty                                { $$ = p->decl.linkage = PTX_L_STATIC; }
	| linkages LINKAGE                      { $$ = p->decl.linkage = $1 == PTX_L_STATIC || $2 != PTX_L_VISIBLE ? $2 : $1; }
	;

declaration
	: decl_head declarator
	| declaration ',' declarator
	;

decl_head
	: SPACE                                 { ptx_decl_begin(p, $1); }
	| decl_head '[' INT ']'                 // a constant bank of PTX 1
	| decl_head ALIGN INT                   { if (!p->decl.ptr) p->decl.align = $3.bits <= 1 << 20 ? $3.bits : 1 << 20; }
	| decl_head VECTOR                      { p->decl.vec = $2; }
	| decl_head TYPE                        { p->decl.type = $2; }
	| decl_head PTR                         { p->decl.ptr = true; }
	| decl_head SPACE                       { if (!p->decl.ptr) ptx_error(p, @2, "a second state space"); }
	| decl_head ATTRIBUTE '(' attributes ')'
	;

attributes
	: attribute
	| attributes ',' attribute
	;

attribute
	: DOT                                   { if ($1.len == 8 && !memcmp(ptx_text(p, $1), ".managed", 8)) p->decl.managed = true; }
	| DOT '(' ints ')'
	;

declarator
	: name dims                             { ptx_decl_name(p, $1); }
	| name dims '=' init                    { ptx_decl_name(p, $1); }
	| NAME '<' INT '>'                      { ptx_decl_range(p, $1, $3); }
	;

name
	: NAME
	| SINK                                  { $$ = (struct ptx_span){@1.at, 0}; }
	;

dims
	: %empty                                { p->n_dim = 0; p->has_init = false; }
	| dims '[' ']'                          { if (p->n_dim < PTX_MAX_DIMS) p->dim[p->n_dim++] = 0; else YYERROR; }
	| dims '[' expr ']'                     {
		if ($3.kind != PTX_O_IMM || $3.is_float || (int64_t)$3.bits < 0) {
			ptx_error(p, @3, "the size of an array must be a number");
			YYERROR;
		}
		if (p->n_dim == PTX_MAX_DIMS) {
			ptx_error(p, @3, "an array of more than %d dimensions", PTX_MAX_DIMS);
			YYERROR;
		}
		p->dim[p->n_dim++] = $3.bits;
	}
	;

init
	: init_item
	;

init_item
	: init_open init_list '}'               { ptx_init_close(p, @3); }
	| init_open init_list ',' '}'           { ptx_init_close(p, @4); }
	| init_open '}'                         { ptx_init_close(p, @2); }
	| STRING                                { ptx_init_string(p, @1); }
	| expr                                  { ptx_init_value(p, &$1, @1); }
	| NAME '=' NAME                         // a field of a sampler
	| NAME '=' INT
	;

init_open
	: '{'                                   { ptx_init_open(p, @1); }
	;

init_list
	: init_item
	| init_list ',' init_item
	;

ints
	: INT                                   { p->ints.n = 0; VEC_PUSH(&p->ints, $1.bits); }
	| ints ',' INT                          { VEC_PUSH(&p->ints, $3.bits); }
	;

function
	: linkages ENTRY NAME                   { ptx_func_begin(p, true, $3); }
	  params                                { ptx_func_params(p, false); }
	  tunes function_end
	| linkages FUNC func_attribute returns NAME { p->decl.linkage = $1; ptx_func_begin(p, false, $5); ptx_func_params(p, true); }
	  params                                { ptx_func_params(p, false); }
	  tunes function_end
	;

func_attribute
	: %empty
	| ATTRIBUTE '(' attributes ')'
	;

returns
	: %empty                                { p->list.n = 0; }
	| params_open param_list ')'            { p->in_params = false; }
	;

params
	: %empty                                { p->list.n = 0; }
	| params_open param_list ')'            { p->in_params = false; }
	;

params_open
	: '('                                   { p->list.n = 0; p->in_params = true; p->decl.linkage = PTX_L_STATIC; }
	;

param_list
	: %empty
	| param
	| param_list ',' param
	;

param
	: decl_head declarator
	;

tunes
	: %empty
	| tunes TUNE                            { p->ints.n = 0; ptx_func_tune(p, $2, @2); }
	| tunes TUNE ints                       { ptx_func_tune(p, $2, @2); }
	| tunes TUNE STRING
	| tunes pragma
	;

function_end
	: BODY                                  { ptx_func_tuned(p); ptx_func_end(p, @1, $1); }
	| ';'                                   { ptx_func_tuned(p); ptx_func_end(p, (struct ptx_span){0}, 0); }
	;

// ---- bodies

body
	: %empty
	| body statement
	;

statement
	: ';'
	| NAME ':'                              { ptx_act_label(p, $1); }
	| NAME ':' TABLE names ';'              { ptx_act_table(p, $1, $3); }
	| NAME ':' CALLPROTOTYPE returns        { ptx_func_begin(p, false, (struct ptx_span){0}); ptx_func_params(p, true); }
	  SINK params                           { ptx_func_params(p, false); }
	  tunes ';'                             { ptx_act_table(p, $1, PTX_CALLPROTOTYPE); }
	| '{'                                   { ptx_scope_open(p, @1); }
	  body '}'                              { ptx_scope_close(p); }
	| linkages declaration ';'
	| pragma
	| instruction
	| guard instruction
	| error ';'                             { ptx_inst_drop(p); }
	;

names
	: NAME                                  { p->names.n = 0; VEC_PUSH(&p->names, $1); }
	| names ',' NAME                        { VEC_PUSH(&p->names, $3); }
	;

instruction
	: opcode                                { ptx_inst_begin(p, @1); }
	  operands ';'                          { ptx_inst_end(p); }
	;

guard
	: '@' NAME                              { ptx_inst_guard(p, $2, false); }
	| '@' '!' NAME                          { ptx_inst_guard(p, $3, true); }
	;

opcode
	: NAME
	| OPCODE
	| opcode suffix
	;

suffix: DOT | TYPE | SPACE | VECTOR | LINKAGE;

operands
	: %empty
	| operand_list
	;

operand_list
	: operand                               { VEC_PUSH(&p->stack, $1); }
	| operand_list ',' operand              { VEC_PUSH(&p->stack, $3); }
	;

mark
	: %empty                                { $$ = p->stack.n; }
	;

operand
	: expr
	| vector
	| vector '|' expr                       { $$ = ptx_opnd_binary(p, '|', $1, $3, @$); }
	| '[' mark operand_list ']'             { $$ = ptx_opnd_group(p, PTX_O_MEM, $2, @$); }
	| CALL_PAREN mark operands ')'          { $$ = ptx_opnd_group(p, PTX_O_LIST, $2, @$); }
	;

vector
	: '{' mark operand_list '}'             { $$ = ptx_opnd_group(p, PTX_O_VEC, $2, @$); }
	;

expr
	: INT                                   { $$ = ptx_opnd_num(p, $1, @1); }
	| FLOAT                                 { $$ = ptx_opnd_num(p, $1, @1); }
	| SINK                                  { $$ = (struct ptx_opnd){.kind = PTX_O_SINK, .src = @1.at}; }
	| NAME                                  { $$ = ptx_opnd_name(p, $1, (struct ptx_span){0}); }
	| NAME DOT                              { $$ = ptx_opnd_name(p, $1, $2); }
	| OPCODE                                {
		const char *s = ptx_text(p, $1);
		uint32_t n = (uint32_t)((const char *)memchr(s, '.', $1.len) - s);
		$$ = ptx_opnd_name(p, (struct ptx_span){$1.at, n}, (struct ptx_span){$1.at + n, $1.len - n});
	}
	| NAME '(' expr ')'                     { $$ = ptx_opnd_wrapped(p, $1, $3); }
	| INT '(' expr ')'                      { $$ = ptx_opnd_masked(p, $1, $3, @$); }
	| '(' expr ')'                          { $$ = $2; }
	| '(' TYPE ')' expr %prec UNARY         { $$ = ptx_opnd_cast(p, $2, $4, @$); }
	| '-' expr %prec UNARY                  { $$ = ptx_opnd_unary(p, '-', $2, @$); }
	| '+' expr %prec UNARY                  { $$ = ptx_opnd_unary(p, '+', $2, @$); }
	| '!' expr %prec UNARY                  { $$ = ptx_opnd_unary(p, '!', $2, @$); }
	| '~' expr %prec UNARY                  { $$ = ptx_opnd_unary(p, '~', $2, @$); }
	| expr '+' expr                         { $$ = ptx_opnd_binary(p, '+', $1, $3, @$); }
	| expr '-' expr                         { $$ = ptx_opnd_binary(p, '-', $1, $3, @$); }
	| expr '*' expr                         { $$ = ptx_opnd_binary(p, '*', $1, $3, @$); }
	| expr '/' expr                         { $$ = ptx_opnd_binary(p, '/', $1, $3, @$); }
	| expr '%' expr                         { $$ = ptx_opnd_binary(p, '%', $1, $3, @$); }
	| expr '&' expr                         { $$ = ptx_opnd_binary(p, '&', $1, $3, @$); }
	| expr '^' expr                         { $$ = ptx_opnd_binary(p, '^', $1, $3, @$); }
	| expr '|' expr                         { $$ = ptx_opnd_binary(p, '|', $1, $3, @$); }
	| expr '<' expr                         { $$ = ptx_opnd_binary(p, '<', $1, $3, @$); }
	| expr '>' expr                         { $$ = ptx_opnd_binary(p, '>', $1, $3, @$); }
	| expr SHL expr                         { $$ = ptx_opnd_binary(p, SHL, $1, $3, @$); }
	| expr SHR expr                         { $$ = ptx_opnd_binary(p, SHR, $1, $3, @$); }
	| expr EQ expr                          { $$ = ptx_opnd_binary(p, EQ, $1, $3, @$); }
	| expr NE expr                          { $$ = ptx_opnd_binary(p, NE, $1, $3, @$); }
	| expr LE expr                          { $$ = ptx_opnd_binary(p, LE, $1, $3, @$); }
	| expr GE expr                          { $$ = ptx_opnd_binary(p, GE, $1, $3, @$); }
	| expr ANDAND expr                      { $$ = ptx_opnd_binary(p, ANDAND, $1, $3, @$); }
	| expr OROR expr                        { $$ = ptx_opnd_binary(p, OROR, $1, $3, @$); }
	| expr '?' expr ':' expr                { $$ = ptx_opnd_select(p, $1, $3, $5, @$); }
	;

%%

// A missing semicolon shows only at the next statement; the message belongs behind the last token before it.
static bool missing_semicolon(struct ptx_parser *p, const yypcontext_t *ctx, struct ptx_span at)
{
	yysymbol_kind_t want[YYNTOKENS];
	int n = yypcontext_expected_tokens(ctx, want, YYNTOKENS);
	bool semicolon = false;
	for (int i = 0; i < n; i++)
		semicolon |= strcmp(yysymbol_name(want[i]), "';'") == 0;
	if (!semicolon)
		return false;
	const char *s = p->m->text.text;
	uint32_t end = at.at;
	while (end > 0 && (s[end - 1] == ' ' || s[end - 1] == '\t' || s[end - 1] == '\n' || s[end - 1] == '\r'))
		end--;
	if (!memchr(s + end, '\n', at.at - end))
		return false;
	ptx_error(p, (struct ptx_span){end, 1}, "missing ';'");
	return true;
}

static int yyreport_syntax_error(const yypcontext_t *ctx, struct ptx_parser *p)
{
	struct ptx_span at = *yypcontext_location(ctx);
	if (missing_semicolon(p, ctx, at))
		return 0;
	enum { SHOWN = 4 };
	yysymbol_kind_t want[SHOWN];
	int n = yypcontext_expected_tokens(ctx, want, SHOWN);
	char list[200] = "";
	for (int i = 0, used = 0; i < n; i++) {
		const char *before = i == 0 ? "; expected " : i + 1 < n ? ", " : " or ";
		used += snprintf(list + used, sizeof list - (size_t)used, "%s%s", before, yysymbol_name(want[i]));
	}
	yysymbol_kind_t got = yypcontext_token(ctx);
	if (got == YYSYMBOL_YYEOF || got == YYSYMBOL_YYEMPTY)
		ptx_error(p, at, "unexpected end of text%s", list);
	else
		ptx_error(p, at, "unexpected '%.*s'%s", (int)(at.len < 40 ? at.len : 40), ptx_text(p, at), list);
	return 0;
}

static void ptx_yyerror(const struct ptx_span *loc, struct ptx_parser *p, const char *what)
{
	ptx_error(p, *loc, "%s", what);
}
