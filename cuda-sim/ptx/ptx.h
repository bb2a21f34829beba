// PTX as parsed: modules, symbols, functions, instructions. Made by the parser (parse.c, ptx.l, ptx.y), joined by the
// linker (link.c), consumed by cuda-sim/decode.
//
// A module's declarations are parsed when it is added; function bodies only when a launch needs them, so start-up does
// not depend on the size of a program and an error in one kernel leaves the others usable.
// Everything belongs to the module's arena.
#ifndef CUDA_SIM_PTX_PTX_H
#define CUDA_SIM_PTX_PTX_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "cuda-sim/exec/builtin.h"
#include "cuda-sim/ptx/ops.h"
#include "cuda-sim/tensor/tensor.h"
#include "isa/devmem.h"
#include "isa/texture.h"
#include "isa/variables.h"

enum ptx_linkage { PTX_L_STATIC, PTX_L_VISIBLE, PTX_L_EXTERN, PTX_L_WEAK, PTX_L_COMMON };

// An address inside initialised data: `size` bytes at `offset` get (address of sym + addend) >> shift.
struct ptx_reloc {
	uint64_t offset;
	int64_t addend;
	const char *name;   // variable or function
	uint8_t size;       // 1..8; less than 8 for mask() initialisers
	uint8_t shift;
	bool generic;       // generic(sym): the generic address; same thing for global, const
	uint32_t src;
};

struct ptx_var {
	const char *name;
	enum ptx_space space;
	enum ptx_type type;
	uint8_t vec;            // 1, 2, 4 of .v2 .v4
	enum ptx_linkage linkage;
	bool unsized;           // extern .shared x[]
	bool managed;           // .attribute(.managed)
	uint32_t align;         // bytes
	uint64_t size;          // bytes; 0 if unsized
	uint8_t *init;          // the first init_size bytes, the rest is zero; NULL if all is
	uint64_t init_size;
	struct ptx_reloc *reloc;
	unsigned n_reloc;
	struct ptx_module *module;
	struct ptx_func *func;  // the function it is declared in, or NULL
	uint32_t src;           // byte offset of the name in the module's text
	bool ptr;               // kernel parameter with .ptr
	// linker
	struct ptx_var *def;    // what an extern refers to; itself otherwise; NULL while unresolved
	enum variable_section section; // global, const: where it lies in the module's sections, see layout.h
	uint64_t offset;
	uint64_t addr;          // global, const: device address once loaded. shared, local, param: offset, see decode.c
	struct texture *tex;    // .texref: what is bound
};

// Registers of a range (%r<10>) share the name and differ in number.
struct ptx_reg {
	const char *name;
	int32_t num;        // -1 for a register declared by its own name
	uint8_t type;       // enum ptx_type
	uint8_t comp;       // .v2/.v4 register variables: 1 + component, 0 for scalars
};

enum ptx_opnd_kind {
	PTX_O_REG,   // reg
	PTX_O_IMM,   // bits: integer (two's complement) or float literal's bits; see is_float
	PTX_O_SREG,  // sreg: index into ptx_sreg table
	PTX_O_VAR,   // var (+ offset): its address; or a .param/.texref named directly
	PTX_O_FUNC,  // func: its address, or a call target
	PTX_O_LABEL, // index: instruction number in the function
	PTX_O_MEM,   // [base + offset]: elem[0] is the base (REG, VAR or IMM)
	PTX_O_VEC,   // {a, b, ...}: elem[0..n-1]
	PTX_O_LIST,  // (a, b, ...): call parameters, elem[0..n-1]
	PTX_O_TABLE, // index of a branch table / .calltargets / .callprototype in the function
	PTX_O_SINK,  // _
};

struct ptx_opnd {
	uint8_t kind;
	bool neg;           // !p, or -a (of a register: not allowed; folded into immediates)
	bool is_float;      // IMM written as a float: bits are those of an f64, or of an f32 if is_f32 (0f...)
	bool is_f32;
	uint8_t comp;       // special register: .x .y .z .w are 0..3, the number of %envreg and %pm
	uint8_t sel;        // video instructions: length of the selector (b0, h10 ..); it stands at text + bits
	uint16_t n;         // elements
	uint32_t src;       // byte offset in the module's text
	uint32_t index;     // REG, LABEL, TABLE, SREG
	int64_t offset;     // MEM, VAR
	uint64_t bits;      // IMM
	struct ptx_var *var;
	struct ptx_func *func;
	struct ptx_opnd *elem;
	// d|p and d|q: the second destination hangs here
	struct ptx_opnd *second;
};

struct ptx_inst {
	const struct ptx_op *op;
	const char *text;      // opcode with suffixes as written, interned: "add.rn.f32"
	const char *key;       // the same without order and timing suffixes, interned: selects the body
	struct ptx_mods mods;
	struct ptx_opnd *opnd;
	uint8_t n_opnd;
	bool guard_neg;
	int32_t guard;         // predicate register, -1 none
	uint32_t src;          // byte offset in the module's text
	uint32_t line;         // PTX line
	uint32_t loc;          // source line by .loc, 0 unknown
	uint32_t call;         // line where the inlined function is called that this stands in, the outermost; 0: in none
	uint16_t loc_file, call_file;
};

// .branchtargets, .calltargets, .callprototype
struct ptx_table {
	const char *name;
	enum { PTX_BRANCHTARGETS, PTX_CALLTARGETS, PTX_CALLPROTOTYPE } kind;
	unsigned n;
	uint32_t *label;           // BRANCHTARGETS: instruction numbers
	struct ptx_func **func;    // CALLTARGETS
	struct ptx_func *proto;    // CALLPROTOTYPE: ret and param only
};

struct ptx_func {
	const char *name;
	bool entry, noreturn;
	enum ptx_linkage linkage;
	struct ptx_var **param, **ret;
	unsigned n_param, n_ret;
	uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg; // 0 if absent
	struct {
		bool given;
		uint32_t n[3]; // all 0: any size will do
	} reqncta;
	struct {
		bool given;
		uint32_t n;
	} maxclusterrank;
	bool explicitcluster, blocksareclusters;
	struct ptx_module *module;
	uint32_t src;
	const char *body;          // text between the braces, NULL for a declaration
	size_t body_len;
	uint32_t body_line;        // line of the first character of body
	struct ptx_func *alias;    // .alias: the function meant
	struct ptx_func *def;      // linker: the definition
	uint64_t addr;             // fake code address, unique in the program: what `mov %rd, func` gives

	// after ptx_func_parse
	enum { PTX_UNPARSED, PTX_PARSED, PTX_BROKEN } state;
	struct ptx_inst *inst;
	uint32_t n_inst;
	struct ptx_reg *reg;
	uint32_t n_reg;
	struct ptx_var **local;    // .local .shared .param variables declared inside
	uint32_t n_local;
	struct ptx_table *table;
	uint32_t n_table;
	void *code;                // decoder's cache
};

struct ptx_alias {
	const char *name, *of;
	uint32_t src;
};

struct ptx_module {
	struct src_text text;      // a private copy
	struct arena arena;
	uint32_t version, target;  // 90 for .version 9.0; 75 for .target sm_75
	bool arch_specific;        // .target sm_90a
	bool address64, debug, texmode_independent;
	struct map vars, funcs;    // by name
	struct ptx_program *program;
	struct map files;          // .file entries (number as text -> name)
	struct map opcodes;        // opcode with suffixes -> struct ptx_opcode
	VEC(struct ptx_alias) aliases;
};

enum { PTX_NEWEST = 95 }; // of ptx_module.version: what has been seen of NVRTC and nvJitLink

// Parses declarations. On errors NULL, with messages in `d`. `name` is what messages call the text.
struct ptx_module *ptx_module_parse(const char *name, const char *text, size_t len, struct diag *d);
void ptx_module_free(struct ptx_module *m);

// Parses and checks the body of `f` once; false (always again) if it has errors. Messages only the first time.
bool ptx_func_parse(struct ptx_func *f, struct diag *d);

// A set of modules linked together: what one __cudaRegisterFatBinary handle stands for.
struct ptx_program {
	VEC(struct ptx_module *) modules;
	struct map vars, funcs;    // .visible and .weak definitions
	bool relocatable;          // the modules were compiled for a linker (nvcc -rdc=true)
	const struct variable_layout *known; // where its cubin has the variables, NULL if it has none
	struct variable_layout layout;
	VEC(struct variable_place) places; // layout.at
	VEC(uint64_t) allocations; // what variables lie in
	struct devmem *mem;
	builtin_finder *builtin;   // what the simulator answers itself
	struct tensor_numerics tensor;
	uint64_t code_base;        // for ptx_func.addr
	// Where machine code that runs beside the PTX has a device function, so that its address means the same to both; false: nowhere.
	// NULL: there is no machine code.
	bool (*function_at)(void *ctx, const char *name, uint64_t *addr);
	void *function_ctx;
	bool constants_together;   // machine code finds .const variables by their distance
	uint64_t code_end;         // of the kernels decoded so far, see kernel_info.code_base
	VEC(struct ptx_func *) by_addr; // addr == code_base + index * PTX_FUNC_STEP, but for those of function_at
};

enum { PTX_FUNC_STEP = 16 };
#define PTX_CODE_BASE ((uint64_t)1 << 50) // function addresses: no memory window contains them

// Links the modules: resolves externs, places .global and .const variables in `mem`, writes initialisers. `relocatable` and
// `known` are set before.
// Undefined functions stay unresolved (def NULL): a call to one that `builtin` does not know either is an error at
// decode.
// False with messages in `d` when something cannot be resolved or placed.
bool ptx_program_link(struct ptx_program *p, struct devmem *mem, builtin_finder *builtin, struct diag *d);
void ptx_program_free(struct ptx_program *p);

struct ptx_func *ptx_program_func(const struct ptx_program *p, const char *name); // entries and functions, statics too
struct ptx_var *ptx_program_var(const struct ptx_program *p, const char *name); // .global, .const, .texref; statics too
struct ptx_func *ptx_program_func_at(const struct ptx_program *p, uint64_t addr);

// Special registers. X(NAME, text, bits, components): %tid has 4 components (.x .y .z .w).
#define PTX_SREGS(X)                                                                                              \
	X(TID, "tid", 32, 4) X(NTID, "ntid", 32, 4) X(CTAID, "ctaid", 32, 4) X(NCTAID, "nctaid", 32, 4)           \
	X(LANEID, "laneid", 32, 1) X(WARPID, "warpid", 32, 1) X(NWARPID, "nwarpid", 32, 1)                        \
	X(SMID, "smid", 32, 1) X(NSMID, "nsmid", 32, 1) X(GRIDID, "gridid", 64, 1)                                \
	X(LANEMASK_EQ, "lanemask_eq", 32, 1) X(LANEMASK_LE, "lanemask_le", 32, 1)                                 \
	X(LANEMASK_LT, "lanemask_lt", 32, 1) X(LANEMASK_GE, "lanemask_ge", 32, 1)                                 \
	X(LANEMASK_GT, "lanemask_gt", 32, 1) X(CLOCK, "clock", 32, 1) X(CLOCK_HI, "clock_hi", 32, 1)              \
	X(CLOCK64, "clock64", 64, 1) X(GLOBALTIMER, "globaltimer", 64, 1)                                         \
	X(GLOBALTIMER_LO, "globaltimer_lo", 32, 1) X(GLOBALTIMER_HI, "globaltimer_hi", 32, 1)                     \
	X(DYNAMIC_SMEM_SIZE, "dynamic_smem_size", 32, 1) X(TOTAL_SMEM_SIZE, "total_smem_size", 32, 1)             \
	X(AGGR_SMEM_SIZE, "aggr_smem_size", 32, 1) X(RESERVED_SMEM, "reserved_smem_offset_begin", 32, 1)          \
	X(CLUSTERID, "clusterid", 32, 4) X(NCLUSTERID, "nclusterid", 32, 4) X(CLUSTER_CTAID, "cluster_ctaid", 32, 4) \
	X(CLUSTER_NCTAID, "cluster_nctaid", 32, 4) X(CLUSTER_CTARANK, "cluster_ctarank", 32, 1)                   \
	X(CLUSTER_NCTARANK, "cluster_nctarank", 32, 1) X(IS_EXPLICIT_CLUSTER, "is_explicit_cluster", 1, 1)        \
	X(CURRENT_GRAPH_EXEC, "current_graph_exec", 64, 1)                                                        \
	X(ENVREG, "envreg", 32, 32) X(PM, "pm", 32, 8)

enum ptx_sreg {
#define X(name, text, bits, comps) PTX_SR_##name,
	PTX_SREGS(X)
#undef X
	PTX_N_SREGS
};

struct ptx_sreg_info {
	const char *name;
	uint8_t bits, comps;
};
extern const struct ptx_sreg_info ptx_sreg_table[PTX_N_SREGS];

// Looks up a special register by its name without '%'; -1 if there is none. %envreg3 gives ENVREG and comp 3.
int ptx_sreg_find(const char *name, size_t len, uint8_t *comp);

// The value of an immediate as an operand of type `t`: float literals rounded to nearest, integers cut to size.
uint64_t ptx_imm_bits(const struct ptx_opnd *o, enum ptx_type t);

// Checks one instruction against its row of the table: number of operands, widths, kinds.
bool ptx_inst_check(const struct ptx_func *f, const struct ptx_inst *i, struct diag *d);

// Places one variable that was not there when the program was linked (.global declared inside a function).
bool ptx_program_place(struct ptx_program *p, struct ptx_var *v, struct diag *d);

// Name of a register: "%r12".
void ptx_reg_print(const struct ptx_func *f, uint32_t reg, char *buf, size_t len);

// Disassembly of one instruction into buf.
void ptx_inst_print(const struct ptx_func *f, const struct ptx_inst *i, char *buf, size_t len);

#endif
