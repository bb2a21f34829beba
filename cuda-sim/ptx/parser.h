// Between lexer, grammar (ptx.l, ptx.y) and the actions that build what ptx.h describes (module.c, body.c). Only these
// and parse.c, which starts them, include it.
#ifndef CUDA_SIM_PTX_PARSER_H
#define CUDA_SIM_PTX_PARSER_H

#include "cuda-sim/ptx/ptx.h"

// Limits against hostile texts; real programs stay far below.
enum {
	PTX_MAX_REGS = 1 << 20,     // per function
	PTX_MAX_DIMS = 8,           // of an array
	PTX_MAX_DEPTH = 200,        // nested { }
	PTX_MAX_TEXT = 1 << 30,     // bytes of a module: offsets are 32 bits
};
#define PTX_MAX_VAR_SIZE ((uint64_t)1 << 40)

// A piece of the module's text.
struct ptx_span {
	uint32_t at, len;
};

struct ptx_num {
	uint64_t bits;
	bool is_float, is_f32;
};

// A declaration on its way: what stands before the names.
struct ptx_decl {
	enum ptx_space space;
	enum ptx_type type;
	uint8_t vec;
	uint32_t align;
	bool managed, ptr;
	enum ptx_linkage linkage;
};

enum ptx_sym_kind { PTX_SYM_REG, PTX_SYM_RANGE, PTX_SYM_VAR, PTX_SYM_LABEL, PTX_SYM_TABLE };

struct ptx_sym {
	enum ptx_sym_kind kind;
	uint32_t index;       // first register, label's instruction, table
	uint32_t count;       // of a range
	uint8_t vec;          // components of a vector register
	struct ptx_var *var;
};

// One pair of braces.
struct ptx_block {
	struct ptx_block *up;
	struct map names, ranges; // -> struct ptx_sym
	size_t first_pending;
};

// A use of a name that is not known yet.
struct ptx_pending {
	struct ptx_span name;
	struct ptx_opnd *opnd;  // becomes LABEL, TABLE; or
	uint32_t table, slot;   // an entry of a branch table
};

// Tunables behind a function's parameters.
enum ptx_tune {
	PTX_MAXNTID, PTX_REQNTID, PTX_MINNCTA, PTX_MAXNREG, PTX_NORETURN, PTX_REQNCTA_CLUSTER, PTX_MAX_CLUSTER_RANK, PTX_EXPLICIT_CLUSTER,
	PTX_BLOCKS_ARE_CLUSTERS, PTX_TUNE_OTHER
};

// A .loc: file, line, column, and those of the call of the inlined function that it stands in.
enum { PTX_LOCS = 32 };
struct ptx_loc {
	uint32_t at[3], call[3];
};

struct ptx_parser {
	struct ptx_module *m;
	struct diag *d;
	unsigned errors;
	int start;              // token that selects what to parse; 0 once it was handed out
	void *scanner;

	// lexer
	char *buf;              // copy that flex works on
	uint32_t base, len;     // where in the module's text it comes from
	bool module_level, expect_body, in_pragma, in_call;
	unsigned parens;
	uint32_t line;          // of the last token
	struct ptx_span last;   // last token handed out
	uint32_t loc, loc_file;
	uint32_t loc_call[3]; // file, line, column where the inlined function is called that the line is of; line 0: in none
	struct ptx_loc locs[PTX_LOCS]; // the last ones, a ring
	unsigned n_loc;

	// declarations
	struct ptx_decl decl;
	struct ptx_func *func;  // the function whose head or body is parsed
	struct ptx_func *proto; // a .callprototype inside it
	bool in_params;
	bool in_decl;           // names are meant for the linker
	VEC(struct ptx_var *) list; // parameters collected
	VEC(uint64_t) ints;
	VEC(struct ptx_span) names;
	uint64_t dim[PTX_MAX_DIMS];
	unsigned n_dim;
	VEC(uint8_t) init;
	VEC(struct ptx_reloc) relocs;
	uint64_t init_pos;      // next element
	uint64_t init_start[PTX_MAX_DIMS + 2];
	unsigned init_depth;
	bool has_init;

	// body
	struct ptx_block *scope;
	unsigned depth;
	VEC(struct ptx_opnd) stack;
	VEC(struct ptx_inst) insts;
	VEC(struct ptx_reg) regs;
	VEC(struct ptx_var *) locals;
	VEC(struct ptx_table) tables;
	VEC(struct ptx_pending) pending;
	struct ptx_inst cur;
	struct ptx_opcode *opcode;
};

// parser.c
const char *ptx_text(const struct ptx_parser *p, struct ptx_span s);
void ptx_parser_free(struct ptx_parser *p); // the lexer is closed before
char *ptx_name(struct ptx_parser *p, struct ptx_span s); // copy in the arena
void ptx_error(struct ptx_parser *p, struct ptx_span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

// ptx.l: prepares to read [base, base+len) of the module's text.
bool ptx_lex_open(struct ptx_parser *p, uint32_t base, uint32_t len, uint32_t line);
void ptx_lex_close(struct ptx_parser *p);

// module.c
void ptx_act_version(struct ptx_parser *p, struct ptx_span at);
void ptx_act_target(struct ptx_parser *p, struct ptx_span at);
void ptx_decl_begin(struct ptx_parser *p, enum ptx_space space);
void ptx_decl_name(struct ptx_parser *p, struct ptx_span name);
void ptx_decl_range(struct ptx_parser *p, struct ptx_span name, struct ptx_num count);
void ptx_init_open(struct ptx_parser *p, struct ptx_span at);
void ptx_init_close(struct ptx_parser *p, struct ptx_span at);
void ptx_init_value(struct ptx_parser *p, struct ptx_opnd *o, struct ptx_span at);
void ptx_init_string(struct ptx_parser *p, struct ptx_span at);
void ptx_func_begin(struct ptx_parser *p, bool entry, struct ptx_span name);
void ptx_func_params(struct ptx_parser *p, bool ret);
void ptx_func_tune(struct ptx_parser *p, enum ptx_tune t, struct ptx_span at);
void ptx_func_tuned(struct ptx_parser *p); // all are read
struct ptx_func *ptx_head(struct ptx_parser *p); // the function whose head is being read
void ptx_func_end(struct ptx_parser *p, struct ptx_span body, uint32_t line);
void ptx_act_alias(struct ptx_parser *p, struct ptx_span name, struct ptx_span of);
void ptx_module_aliases(struct ptx_parser *p); // once the module has been read

// body.c
void ptx_scope_open(struct ptx_parser *p, struct ptx_span at);
void ptx_scope_close(struct ptx_parser *p);
void ptx_scope_var(struct ptx_parser *p, struct ptx_var *v, struct ptx_span at);
void ptx_scope_regs(struct ptx_parser *p, struct ptx_span name, int64_t count); // -1: one, by its own name
void ptx_act_label(struct ptx_parser *p, struct ptx_span name);
void ptx_act_table(struct ptx_parser *p, struct ptx_span name, int kind);
void ptx_inst_begin(struct ptx_parser *p, struct ptx_span opcode);
void ptx_inst_guard(struct ptx_parser *p, struct ptx_span name, bool neg);
void ptx_inst_end(struct ptx_parser *p);
void ptx_inst_drop(struct ptx_parser *p); // after a syntax error

// Operands (also constant expressions of initialisers).
struct ptx_opnd ptx_opnd_num(struct ptx_parser *p, struct ptx_num n, struct ptx_span at);
struct ptx_opnd ptx_opnd_name(struct ptx_parser *p, struct ptx_span name, struct ptx_span comp);
struct ptx_opnd ptx_opnd_group(struct ptx_parser *p, enum ptx_opnd_kind kind, size_t mark, struct ptx_span at);
struct ptx_opnd ptx_opnd_unary(struct ptx_parser *p, int op, struct ptx_opnd a, struct ptx_span at);
struct ptx_opnd ptx_opnd_binary(struct ptx_parser *p, int op, struct ptx_opnd a, struct ptx_opnd b, struct ptx_span at);
struct ptx_opnd ptx_opnd_select(struct ptx_parser *p, struct ptx_opnd c, struct ptx_opnd a, struct ptx_opnd b,
                                struct ptx_span at);
struct ptx_opnd ptx_opnd_cast(struct ptx_parser *p, enum ptx_type t, struct ptx_opnd a, struct ptx_span at);
struct ptx_opnd ptx_opnd_wrapped(struct ptx_parser *p, struct ptx_span fn, struct ptx_opnd a); // generic(x)
struct ptx_opnd ptx_opnd_masked(struct ptx_parser *p, struct ptx_num mask, struct ptx_opnd a, struct ptx_span at);

#endif
