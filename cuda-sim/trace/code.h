// The static side of a trace: header, instructions and address patterns of one kernel. A reader thread adds to it while
// the simulation reads what it was told of: entries never move and never change once a CTA that uses them was handed
// over.
#ifndef CUDA_SIM_TRACE_CODE_H
#define CUDA_SIM_TRACE_CODE_H

#include "base/arena.h"
#include "base/map.h"
#include "cuda-sim/sass/inst.h"
#include "isa/kernel.h"

enum { TRACE_MIN_VERSION = 3, TRACE_MAX_VERSION = 6 };

// How a trace is understood; the same for all kernels of a run.
struct trace_rules {
	bool accelsim;   // -trace_dependences accelsim: Accel-Sim's rules where ours differ, see docs/traces.md
	bool strict;     // -trace_strict: an opcode that no table knows is an error
	uint32_t units;  // specialized units of the GPU: bit n-1 for unit n
};

struct trace_header {
	char name[4096];
	uint32_t id, grid[3], block[3], cluster[3], shared, regs, binary_version, version; // cluster: all 0 where none is known
	uint64_t stream, shared_base, local_base;
	bool line_info;
};

// Registers of the four files in one number space. 0 is none.
enum { TRACE_R = SASS_R, TRACE_UR = SASS_UR, TRACE_P = SASS_P, TRACE_UP = SASS_UP, TRACE_N_REGISTERS = SASS_B };
struct trace_reg {
	uint8_t file; // 'R', 'U' uniform, 'P', 'Q' uniform predicate
	uint16_t n;
};

// One instruction line, taken apart.
enum { TRACE_LINE_DST = ISA_MAX_DST, TRACE_LINE_SRC = ISA_MAX_SRC };
struct trace_line {
	uint64_t pc, imm;
	bool apart;          // see trace_inst
	bool commit;         // a product of a warp group that ends a group
	uint32_t mask, line, width; // source line; bytes of an access as the tracer gives them, 0: no addresses follow
	const char *op;
	const char *mask_at; // the mask in the text, if it has eight digits; else NULL
	uint32_t op_len, n_dst, n_src;
	struct trace_reg dst[TRACE_LINE_DST], src[TRACE_LINE_SRC];
};

// What the front end does beyond telling the core what ran.
// TRACE_COPY: an asynchronous copy with both addresses; TRACE_CONSTANT: a load of constants,
// from imm on if it has no address. TRACE_LISTED: all its accesses follow, see machine.h.
// TRACE_SYNC: an operation on an mbarrier; TRACE_BULK: a bulk copy (sync.h).
enum trace_how {
	TRACE_PLAIN, TRACE_ACCESS, TRACE_BARRIER, TRACE_ARRIVE, TRACE_COPY, TRACE_CONSTANT, TRACE_LISTED, TRACE_SYNC, TRACE_BULK
};

// The enum isa_barrier of an instruction that goes on so.
static inline uint8_t trace_barrier(enum trace_how how)
{
	return how == TRACE_BARRIER ? ISA_BARRIER_SYNC : how == TRACE_ARRIVE ? ISA_BARRIER_ARRIVE : ISA_BARRIER_NONE;
}

struct trace_inst {
	const struct trace_inst *succ; // the instruction that followed it first; written once
	const struct isa_inst *said;   // what the front end says of it: inst_at's, where the code is known, else isa
	uint32_t index;         // its number
	uint8_t how;            // enum trace_how
	bool has_address;       // the address stream holds an entry for it
	uint8_t n_access;       // addresses of so many operands follow; not of Accel-Sim's traces
	bool apart;             // see machine.h: instructions that differ in this are two
	uint8_t sync;           // enum trace_sync, of TRACE_SYNC
	bool drop;              // of it: the arrival is none of later phases
	int8_t copy_kind;       // enum fe_copy_kind, of TRACE_BULK
	uint8_t value_at;       // number of the register, from 1, of which the line's values follow; 0: none
	bool numbered;          // of a barrier: its number and its threads follow
	uint8_t n_dst;          // registers that the line names as written
	uint16_t width;         // of an access, as the line has it
	bool marker;            // no instruction: where a loop of waiting begins or ends
	struct isa_inst isa;
	struct isa_sass sass;   // of isa.sass; not of traces that Heddle wrote
	// Of traces that Heddle wrote, see written.h:
	bool has_active, many;  // the lanes that ran follow; each access comes with its space, size and lanes
	uint8_t access_space, access_bytes;
	// The reader's own:
	bool any_tail;          // what follows the access width is of no use to us
	bool by_imm;            // the immediate tells two of them apart
	uint16_t text_len;
	uint32_t chain;         // number + 1 of the next one with this hash of pc
	const char *text;       // from behind the mask to the access width, as in the file
	const char *op;
	uint64_t imm;
	struct trace_inst *next; // that followed last
	// Its line as last seen and the lanes that it names. `whole`: with the end of the line, since it says no more than
	// which instruction and lanes; else up to the access width, which is `head` bytes. Of an extended trace: its message,
	// if it is whole.
	char *line;
	uint32_t line_len, line_cap, head, line_mask;
	uint32_t mask_at;       // where in it the mask begins, of eight digits; 0: it has others
	bool whole;
	char *tail;             // addresses behind the base, as last seen, and what they mean
	uint32_t tail_len, tail_mask, tail_pattern, tail_mode;
	uint32_t tail_cap;
};

// Addresses of the lanes relative to that of the first active lane.
struct trace_pattern {
	uint32_t mask;
	uint32_t chain;
	int32_t low, high;      // the lowest offset and the highest; 0 is between them
	int32_t offset[32];     // 0 of lanes outside the mask
};

enum { TRACE_CHUNK = 256, TRACE_CHUNKS = 4096, TRACE_MAX_PATTERNS = 1 << 16, TRACE_HASH = 4096 };

struct trace_written;
struct trace_machine;

struct trace_code {
	struct trace_rules rules;
	struct trace_written *written; // of PTX that Heddle executed; NULL: of machine code
	struct trace_machine *machine; // the whole code, of machine code that Heddle executed; else NULL
	struct trace_header header;
	enum sass_generation generation;
	struct trace_inst *inst[TRACE_CHUNKS];
	struct trace_pattern *pattern[TRACE_MAX_PATTERNS / TRACE_CHUNK];
	uint32_t n_inst, n_pattern;
	uint32_t missed_units;      // reported: bit n-1 for unit n
	uint32_t by_pc[TRACE_HASH], by_offsets[TRACE_HASH]; // number + 1
	struct arena strings;
	struct map unknown;         // opcodes reported
	char *notes;                // what is to be told when the next CTA is handed over; the reader's
	size_t notes_len;
};

static inline struct trace_inst *trace_inst_at(const struct trace_code *c, uint32_t i)
{
	return &c->inst[i / TRACE_CHUNK][i % TRACE_CHUNK];
}
static inline const struct trace_pattern *trace_pattern_at(const struct trace_code *c, uint32_t i)
{
	return &c->pattern[i / TRACE_CHUNK][i % TRACE_CHUNK];
}

void trace_code_free(struct trace_code *c);

// Copies n bytes to *to, of which *cap are there, and returns n.
uint32_t trace_keep(char **to, uint32_t *cap, const void *from, size_t n);

// A new entry, or NULL when the table is full. Its pc, once it is known, is told to trace_inst_place.
struct trace_inst *trace_inst_new(struct trace_code *c);
void trace_inst_place(const struct trace_code *c, struct trace_inst *t);

// Number of the pattern; UINT32_MAX if it is new and the table is full.
uint32_t trace_pattern_intern(struct trace_code *c, uint32_t mask, const int32_t offset[32]);

// The same for offsets of any size; UINT32_MAX if one does not fit.
uint32_t trace_pattern_of(struct trace_code *c, uint32_t mask, const int64_t offset[32]);

// Generation, grid and block of the header: sets c->generation, CTAs of the grid and warps of a CTA. False with the
// reason in `why`.
bool trace_header_check(struct trace_code *c, uint64_t *n_cta, uint32_t *n_warps, char *why, size_t n);

// Fills `out` from a line. False with the reason in `why`.
bool trace_decode(struct trace_code *c, const struct trace_line *l, struct trace_inst *out, char *why, size_t n);

// The row of an opcode, of the part before the first dot: its own, or the nearest with a note; with trace_rules.strict
// NULL with the reason in `why`.
const struct sass_op *trace_find_op(struct trace_code *c, const char *name, size_t len, char *why, size_t n);
// The specialized unit of an opcode; 0, with a note, if the GPU has none.
unsigned trace_unit(struct trace_code *c, const struct sass_op *op);

// A note for the user, without the file's name.
void trace_note(struct trace_code *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
