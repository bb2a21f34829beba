// The JSON comes through yajl event by event. A stack of places says where in the file an event belongs; keys that are
// not in the table, and all that is inside them, are passed over.
#include "cuda-sim/trace/static.h"

#include "base/mem.h"
#include "cuda-sim/trace/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

enum { BLOCK = 1 << 16, MAX_DEPTH = 64, MAX_OPERANDS = 64, NO_KEY = -1 };

enum place { TOP, ROOT, KERNELS, KERNEL, INSTS, INST, ENCODING, OPERANDS, OPERAND, CONTROL, SKIPPED };

enum kind { K_STRING, K_BOOL, K_NUMBER, K_ARRAY, K_OBJECT };
static const char *const kind_names[] = {"a string", "true or false", "a number", "an array", "an object"};

enum key {
	KEY_KERNELS, KEY_NAME, KEY_CAPTURED, KEY_ID, KEY_ADDRESS, KEY_INSTS, KEY_PC, KEY_OP, KEY_PREDICATED, KEY_UNIFORM,
	KEY_NEGATED, KEY_GUARD, KEY_N_DST, KEY_ENCODING, KEY_OPERANDS, KEY_CONTROL, KEY_TEXT, KEY_TYPE, KEY_NUMBER,
	KEY_STALL, KEY_YIELD, KEY_READ, KEY_WRITE, KEY_READ_SB, KEY_WRITE_SB, KEY_WAIT, N_KEYS,
};

// `most`: of numbers. `inside`: where the value's own keys belong.
static const struct {
	enum place at;
	const char *name;
	enum kind kind;
	uint64_t most;
	enum place inside;
} keys[N_KEYS] = {
	[KEY_KERNELS] = {ROOT, "kernels", K_ARRAY, 0, KERNELS},
	[KEY_NAME] = {KERNEL, "kernel_name", K_STRING, 0, TOP},
	[KEY_CAPTURED] = {KERNEL, "is_captured_from_binary", K_BOOL, 0, TOP},
	[KEY_ID] = {KERNEL, "unique_function_id", K_NUMBER, INT32_MAX, TOP},
	[KEY_ADDRESS] = {KERNEL, "function_address", K_NUMBER, UINT64_MAX, TOP},
	[KEY_INSTS] = {KERNEL, "instructions", K_ARRAY, 0, INSTS},
	[KEY_PC] = {INST, "pc_num_dec", K_NUMBER, STATIC_MAX_CODE - STATIC_INST_BYTES, TOP},
	[KEY_OP] = {INST, "op_code", K_STRING, 0, TOP},
	[KEY_PREDICATED] = {INST, "is_predicated", K_BOOL, 0, TOP},
	[KEY_UNIFORM] = {INST, "is_uniform_predicate", K_BOOL, 0, TOP},
	[KEY_NEGATED] = {INST, "is_predicate_negate", K_BOOL, 0, TOP},
	[KEY_GUARD] = {INST, "predicate_register", K_NUMBER, 7, TOP},
	[KEY_N_DST] = {INST, "num_destination_registers", K_NUMBER, 8, TOP},
	[KEY_ENCODING] = {INST, "encoded_instruction", K_ARRAY, 0, ENCODING},
	[KEY_OPERANDS] = {INST, "operands", K_ARRAY, 0, OPERANDS},
	[KEY_CONTROL] = {INST, "control_bits", K_OBJECT, 0, CONTROL},
	[KEY_TEXT] = {OPERAND, "operand_string", K_STRING, 0, TOP},
	[KEY_TYPE] = {OPERAND, "operand_type", K_STRING, 0, TOP},
	[KEY_NUMBER] = {OPERAND, "operand_reg_number", K_NUMBER, INT32_MAX, TOP},
	[KEY_STALL] = {CONTROL, "stall_count", K_NUMBER, 15, TOP},
	[KEY_YIELD] = {CONTROL, "is_yield", K_BOOL, 0, TOP},
	[KEY_READ] = {CONTROL, "is_new_read_barrier", K_BOOL, 0, TOP},
	[KEY_WRITE] = {CONTROL, "is_new_write_barrier", K_BOOL, 0, TOP},
	[KEY_READ_SB] = {CONTROL, "id_new_read_barrier", K_NUMBER, ISA_NO_SB, TOP},
	[KEY_WRITE_SB] = {CONTROL, "id_new_write_barrier", K_NUMBER, ISA_NO_SB, TOP},
	[KEY_WAIT] = {CONTROL, "wait_barrier_bits", K_NUMBER, (1 << ISA_N_SB) - 1, TOP},
};

static const struct { const char *name; enum static_type type; } types[] = {
	{"IMM_UINT64", STATIC_IMM}, {"IMM_DOUBLE", STATIC_IMM}, {"REG", STATIC_REG},         {"PRED", STATIC_PRED},
	{"UREG", STATIC_UREG},      {"UPRED", STATIC_UPRED},    {"CBANK", STATIC_CBANK},     {"MREF", STATIC_MREF},
	{"GENERIC", STATIC_GENERIC}, {"BREG", STATIC_BREG},     {"SR", STATIC_SPECIAL},      {"SB", STATIC_SB},
	{"DESC", STATIC_DESC},      {"CALL_TARGET", STATIC_CALL}, {"NONE", STATIC_NONE},
};

struct parser {
	struct trace_static *out;
	enum place stack[MAX_DEPTH];
	unsigned depth;
	int key;                    // enum key whose value comes next, NO_KEY: none or one to pass over
	uint32_t seen;              // keys of the current kernel, instruction, operand
	uint32_t seen_kernel;
	struct static_function function;
	struct static_inst inst;
	bool read_sb, write_sb;
	unsigned n_words;
	VEC(struct static_operand) operand;
	char error[400];
};

static int fail(struct parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int fail(struct parser *p, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(p->error, sizeof p->error, fmt, ap);
	va_end(ap);
	return 0;
}

static const char *intern(struct trace_static *s, const char *text, size_t n)
{
	const char *known = map_get(&s->text, text, n);
	if (known)
		return known;
	char *copy = arena_strndup(&s->strings, text, n);
	map_put(&s->text, copy, n, copy);
	return copy;
}

static enum place here(const struct parser *p) { return p->stack[p->depth]; }

static bool is_seen(const struct parser *p, enum key k) { return p->seen >> k & 1; }

// --- what comes to an end

static int end_operand(struct parser *p)
{
	struct static_operand *o = &p->operand.at[p->operand.n - 1];
	if (!o->text)
		return fail(p, "an operand without 'operand_string'");
	return 1;
}

static int end_inst(struct parser *p)
{
	struct static_inst *i = &p->inst;
	struct static_function *f = &p->function;
	if (!is_seen(p, KEY_PC) || !is_seen(p, KEY_OP))
		return fail(p, "an instruction without '%s'", keys[is_seen(p, KEY_PC) ? KEY_OP : KEY_PC].name);
	if (i->pc % STATIC_INST_BYTES)
		return fail(p, "'pc_num_dec' %u: expected a multiple of %d", i->pc, STATIC_INST_BYTES);
	f->unsorted |= f->inst.n && f->inst.at[f->inst.n - 1].pc >= i->pc;
	if (is_seen(p, KEY_ENCODING) && p->n_words != 2)
		return fail(p, "'encoded_instruction' with %u words, expected 2", p->n_words);
	if (!p->read_sb)
		i->control.read_sb = ISA_NO_SB;
	if (!p->write_sb)
		i->control.write_sb = ISA_NO_SB;
	i->encoded = is_seen(p, KEY_ENCODING);
	i->control.present = is_seen(p, KEY_CONTROL);
	i->n_operand = (uint16_t)p->operand.n;
	if (p->operand.n) {
		struct static_operand *o = ARENA_ARRAY(&p->out->strings, struct static_operand, p->operand.n);
		memcpy(o, p->operand.at, p->operand.n * sizeof *o);
		i->operand = o;
	}
	VEC_PUSH(&f->inst, *i);
	return 1;
}

static int by_pc(const void *a, const void *b)
{
	uint32_t x = ((const struct static_inst *)a)->pc, y = ((const struct static_inst *)b)->pc;
	return (x > y) - (x < y);
}

static int end_kernel(struct parser *p)
{
	struct static_function *f = &p->function;
	if (!(p->seen_kernel >> KEY_ID & 1) || !(p->seen_kernel >> KEY_INSTS & 1))
		return fail(p, "a function without '%s'", keys[p->seen_kernel >> KEY_ID & 1 ? KEY_INSTS : KEY_ID].name);
	if (!f->name)
		f->name = "?";
	if (f->unsorted)
		qsort(f->inst.at, f->inst.n, sizeof *f->inst.at, by_pc);
	for (size_t i = 1; i < f->inst.n; i++)
		if (f->inst.at[i].pc == f->inst.at[i - 1].pc)
			return fail(p, "two instructions of a function with 'pc_num_dec' %u", f->inst.at[i].pc);
	for (size_t i = 0; i < f->inst.n; i++) {
		f->inst.at[i].captured = f->captured;
		f->inst.at[i].control.present &= f->captured;
	}
	VEC_PUSH(&p->out->function, *f);
	memset(f, 0, sizeof *f);
	return 1;
}

// --- events

// Of a value of this kind at this place: its key, or NO_KEY if it is to be passed over; -2 if it should not be here.
static int take_key(struct parser *p, enum kind kind)
{
	int k = p->key;
	p->key = NO_KEY;
	if (k == NO_KEY)
		return NO_KEY;
	if (keys[k].kind != kind) {
		fail(p, "'%s': expected %s, found %s", keys[k].name, kind_names[keys[k].kind], kind_names[kind]);
		return -2;
	}
	if (keys[k].at == KERNEL ? p->seen_kernel >> k & 1 : keys[k].at != ROOT && is_seen(p, (enum key)k)) {
		fail(p, "'%s' is given twice", keys[k].name);
		return -2;
	}
	*(keys[k].at == KERNEL ? &p->seen_kernel : &p->seen) |= (uint32_t)1 << k;
	return k;
}

static int push(struct parser *p, enum place to)
{
	if (p->depth + 1 == MAX_DEPTH)
		return fail(p, "nested more than %d deep", MAX_DEPTH);
	p->stack[++p->depth] = to;
	return 1;
}

static int on_start(struct parser *p, enum kind kind)
{
	switch (here(p)) {
	case TOP:
		return kind == K_OBJECT ? push(p, ROOT) : fail(p, "expected an object");
	case KERNELS:
		if (kind != K_OBJECT)
			return fail(p, "'kernels': expected objects");
		p->seen_kernel = 0;
		return push(p, KERNEL);
	case INSTS:
		if (kind != K_OBJECT)
			return fail(p, "'instructions': expected objects");
		memset(&p->inst, 0, sizeof p->inst);
		p->inst.control.read_sb = p->inst.control.write_sb = ISA_NO_SB;
		p->operand.n = 0;
		p->n_words = 0;
		p->read_sb = p->write_sb = false;
		p->seen = 0;
		return push(p, INST);
	case OPERANDS:
		if (kind != K_OBJECT)
			return fail(p, "'operands': expected objects");
		if (p->operand.n == MAX_OPERANDS)
			return fail(p, "more than %d operands", MAX_OPERANDS);
		VEC_PUSH(&p->operand, (struct static_operand){0});
		p->seen &= ~((uint32_t)1 << KEY_TEXT | (uint32_t)1 << KEY_TYPE | (uint32_t)1 << KEY_NUMBER);
		return push(p, OPERAND);
	case ENCODING:
		return fail(p, "'encoded_instruction': expected two strings");
	case SKIPPED:
		return push(p, SKIPPED);
	default: {
		int k = take_key(p, kind);
		return k == -2 ? 0 : push(p, k == NO_KEY ? SKIPPED : keys[k].inside);
	}
	}
}

static int on_end(struct parser *p)
{
	p->key = NO_KEY;
	switch (p->stack[p->depth--]) {
	case OPERAND:
		return end_operand(p);
	case INST:
		return end_inst(p);
	case KERNEL:
		return end_kernel(p);
	default:
		return 1;
	}
}

static int on_key(void *ctx, const unsigned char *key, size_t n)
{
	struct parser *p = ctx;
	enum place at = here(p);
	p->key = NO_KEY;
	for (int k = 0; k < N_KEYS && at != SKIPPED; k++)
		if (keys[k].at == at && strlen(keys[k].name) == n && !memcmp(keys[k].name, key, n))
			p->key = k;
	return 1;
}

static int encoding_word(struct parser *p, const char *text, size_t n)
{
	char word[24];
	if (p->n_words == 2 || n < 3 || n > 18)
		return fail(p, "'encoded_instruction': expected two words of 64 bits in hexadecimal");
	memcpy(word, text, n);
	word[n] = 0;
	char *end;
	uint64_t v = strtoull(word, &end, 16);
	if (*end || word[0] != '0')
		return fail(p, "'encoded_instruction': '%s' is no hexadecimal number", word);
	*(p->n_words++ ? &p->inst.hi : &p->inst.lo) = v;
	return 1;
}

static int operand_type(struct parser *p, const char *text, size_t n)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		if (strlen(types[i].name) != n || memcmp(types[i].name, text, n))
			continue;
		p->operand.at[p->operand.n - 1].type = (uint8_t)types[i].type;
		return 1;
	}
	return fail(p, "unknown 'operand_type' '%.*s'", (int)(n < 40 ? n : 40), text);
}

static int on_string(void *ctx, const unsigned char *at, size_t n)
{
	struct parser *p = ctx;
	const char *text = (const char *)at;
	if (here(p) == ENCODING)
		return encoding_word(p, text, n);
	if (here(p) == TOP || here(p) == KERNELS || here(p) == INSTS || here(p) == OPERANDS)
		return fail(p, "expected an object, found a string");
	switch (take_key(p, K_STRING)) {
	case -2:
		return 0;
	case KEY_NAME:
		p->function.name = intern(p->out, text, n);
		return 1;
	case KEY_OP:
		if (!n || *text < 'A' || *text > 'Z' || n > 200 || memchr(text, 0, n))
			return fail(p, "'op_code': expected an opcode");
		p->inst.op = intern(p->out, text, n);
		return 1;
	case KEY_TEXT:
		p->operand.at[p->operand.n - 1].text = intern(p->out, text, n);
		return 1;
	case KEY_TYPE:
		return operand_type(p, text, n);
	default:
		return 1;
	}
}

static int on_bool(void *ctx, int v)
{
	struct parser *p = ctx;
	if (here(p) == SKIPPED)
		return 1;
	if (here(p) == TOP || here(p) == KERNELS || here(p) == INSTS || here(p) == OPERANDS || here(p) == ENCODING)
		return fail(p, "%s is not expected here", v ? "true" : "false");
	switch (take_key(p, K_BOOL)) {
	case -2: return 0;
	case KEY_CAPTURED: p->function.captured = v; return 1;
	case KEY_PREDICATED: p->inst.predicated = v; return 1;
	case KEY_UNIFORM: p->inst.uniform_guard = v; return 1;
	case KEY_NEGATED: p->inst.negated = v; return 1;
	case KEY_YIELD: p->inst.control.yield = v; return 1;
	case KEY_READ: p->read_sb = v; return 1;
	case KEY_WRITE: p->write_sb = v; return 1;
	default: return 1;
	}
}

// Whole numbers exactly, also where they are written as 12.0 or 1.2e1.
static bool whole(const char *text, size_t n, uint64_t *v)
{
	char buf[64], *end;
	if (n >= sizeof buf)
		return false;
	memcpy(buf, text, n);
	buf[n] = 0;
	if (*buf == '-')
		return false;
	if (strspn(buf, "0123456789") == n) {
		if (n > 20 || (n == 20 && strcmp(buf, "18446744073709551615") > 0))
			return false;
		*v = strtoull(buf, NULL, 10);
		return true;
	}
	double d = strtod(buf, &end);
	if (*end || d < 0 || d >= 0x1p64 || d != (double)(uint64_t)d)
		return false;
	*v = (uint64_t)d;
	return true;
}

static int on_number(void *ctx, const char *text, size_t n)
{
	struct parser *p = ctx;
	uint64_t v;
	if (here(p) == SKIPPED)
		return 1;
	if (here(p) == TOP || here(p) == KERNELS || here(p) == INSTS || here(p) == OPERANDS || here(p) == ENCODING)
		return fail(p, "the number %.*s is not expected here", (int)(n < 40 ? n : 40), text);
	int k = take_key(p, K_NUMBER);
	if (k < 0)
		return k == NO_KEY;
	if (k == KEY_NUMBER && p->operand.at[p->operand.n - 1].type != STATIC_CALL && *text == '-')
		return 1; // of no use to us
	if (!whole(text, n, &v) || v > keys[k].most)
		return fail(p, "'%s': %.*s: expected a number from 0 to %llu", keys[k].name, (int)(n < 40 ? n : 40), text,
		            (unsigned long long)keys[k].most);
	switch ((enum key)k) {
	case KEY_ID: p->function.id = (int64_t)v; return 1;
	case KEY_ADDRESS: p->function.address = v; return 1;
	case KEY_PC: p->inst.pc = (uint32_t)v; return 1;
	case KEY_GUARD: p->inst.guard = (uint8_t)v; return 1;
	case KEY_N_DST: p->inst.n_dst = (uint8_t)v; return 1;
	case KEY_NUMBER: p->operand.at[p->operand.n - 1].number = (int32_t)v; return 1;
	case KEY_STALL: p->inst.control.stall = (uint8_t)v; return 1;
	case KEY_READ_SB: p->inst.control.read_sb = (uint8_t)v; return 1;
	case KEY_WRITE_SB: p->inst.control.write_sb = (uint8_t)v; return 1;
	case KEY_WAIT: p->inst.control.wait = (uint8_t)v; return 1;
	default: return 1;
	}
}

static int on_null(void *ctx)
{
	struct parser *p = ctx;
	if (here(p) == SKIPPED ||
	    (p->key == NO_KEY && here(p) != TOP && here(p) != KERNELS && here(p) != INSTS && here(p) != OPERANDS))
		return 1;
	return fail(p, "null is not expected here");
}

static int on_start_map(void *ctx) { return on_start(ctx, K_OBJECT); }
static int on_start_array(void *ctx) { return on_start(ctx, K_ARRAY); }
static int on_end_map(void *ctx) { return on_end(ctx); }
static int on_end_array(void *ctx) { return on_end(ctx); }

static const yajl_callbacks callbacks = {
	.yajl_null = on_null, .yajl_boolean = on_bool, .yajl_number = on_number, .yajl_string = on_string,
	.yajl_start_map = on_start_map, .yajl_map_key = on_key, .yajl_end_map = on_end_map,
	.yajl_start_array = on_start_array, .yajl_end_array = on_end_array,
};

static void *yajl_new(void *ctx, size_t n) { return mem_alloc(n); }
static void *yajl_more(void *ctx, void *p, size_t n) { return mem_realloc(p, n); }
static void yajl_drop(void *ctx, void *p) { mem_free(p); }

// --- the whole

static int by_id(const void *a, const void *b)
{
	int64_t x = ((const struct static_function *)a)->id, y = ((const struct static_function *)b)->id;
	return (x > y) - (x < y);
}

// Line and column, from 1, of byte `n` of a block that begins at *line and *column.
static void advance(const char *text, size_t n, uint64_t *line, uint64_t *column)
{
	for (const char *nl; (nl = memchr(text, '\n', n)); text = nl + 1) {
		n -= (size_t)(nl + 1 - text);
		++*line;
		*column = 1;
	}
	*column += n;
}

// yajl's own words, without its prefix and newline.
static void reason_of(yajl_handle y, char *buf, size_t n)
{
	unsigned char *text = yajl_get_error(y, 0, NULL, 0);
	const char *t = (const char *)text, *colon = strstr(t, ": ");
	snprintf(buf, n, "%s", colon ? colon + 2 : t);
	buf[strcspn(buf, "\n")] = 0;
	yajl_free_error(y, text);
}

static bool read_all(struct parser *p, yajl_handle y, struct trace_source *src, char *why, size_t n)
{
	char *block = mem_alloc(BLOCK);
	uint64_t line = 1, column = 1;
	yajl_status st = yajl_status_ok;
	size_t got = 0;
	while (st == yajl_status_ok && (got = trace_source_read(src, block, BLOCK))) {
		st = yajl_parse(y, (const unsigned char *)block, got);
		if (st == yajl_status_ok)
			advance(block, got, &line, &column);
	}
	const char *e = trace_source_error(src);
	bool ok = false;
	if (e) {
		snprintf(why, n, "%s: %s", p->out->file, e);
	} else if (st != yajl_status_ok) {
		size_t used = yajl_get_bytes_consumed(y);
		advance(block, used < got ? used : got, &line, &column);
	} else {
		st = yajl_complete_parse(y);
		ok = st == yajl_status_ok;
	}
	if (!ok && !e) {
		if (st != yajl_status_client_canceled)
			reason_of(y, p->error, sizeof p->error);
		snprintf(why, n, "%s:%llu:%llu: %s", p->out->file, (unsigned long long)line, (unsigned long long)column,
		         p->error);
	}
	mem_free(block);
	return ok;
}

static bool index_functions(struct trace_static *s, char *why, size_t n)
{
	if (s->function.n)
		qsort(s->function.at, s->function.n, sizeof *s->function.at, by_id);
	for (size_t i = 1; i < s->function.n; i++)
		if (s->function.at[i].id == s->function.at[i - 1].id) {
			snprintf(why, n, "%s: two functions have the 'unique_function_id' %lld", s->file,
			         (long long)s->function.at[i].id);
			return false;
		}
	return true;
}

static struct trace_static *read_source(const char *name, struct trace_source *src, char *why, size_t n)
{
	struct trace_static *s = MEM_NEW(struct trace_static);
	struct parser p = {.out = s, .key = NO_KEY};
	yajl_alloc_funcs mem = {yajl_new, yajl_more, yajl_drop, NULL};
	yajl_handle y = yajl_alloc(&callbacks, &mem, &p);
	s->file = mem_strdup(name);
	bool ok = read_all(&p, y, src, why, n) && index_functions(s, why, n);
	yajl_free(y);
	trace_source_close(src);
	VEC_FREE(&p.operand);
	VEC_FREE(&p.function.inst);
	if (ok)
		return s;
	trace_static_free(s);
	return NULL;
}

struct trace_static *trace_static_open(const char *path, char *why, size_t n)
{
	char reason[200];
	struct trace_source *src = trace_source_open(path, reason, sizeof reason);
	if (src)
		return read_source(path, src, why, n);
	snprintf(why, n, "%s: %s", path, reason);
	return NULL;
}

struct trace_static *trace_static_parse(const char *name, const char *text, size_t len, char *why, size_t n)
{
	return read_source(name, trace_source_text(text, len), why, n);
}

void trace_static_free(struct trace_static *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->function.n; i++)
		VEC_FREE(&s->function.at[i].inst);
	VEC_FREE(&s->function);
	map_free(&s->text);
	arena_free(&s->strings);
	mem_free(s->file);
	mem_free(s);
}

const struct static_function *trace_static_function(const struct trace_static *s, int64_t id)
{
	struct static_function key = {.id = id};
	return s->function.n ? bsearch(&key, s->function.at, s->function.n, sizeof key, by_id) : NULL;
}

const struct static_inst *trace_static_inst(const struct static_function *f, uint32_t pc)
{
	size_t from = 0, to = f->inst.n;
	while (from < to) {
		size_t mid = (from + to) / 2;
		if (f->inst.at[mid].pc < pc)
			from = mid + 1;
		else
			to = mid;
	}
	return from < f->inst.n && f->inst.at[from].pc == pc ? &f->inst.at[from] : NULL;
}

static void put_text(char *buf, size_t n, const char *text)
{
	size_t at = strlen(buf);
	snprintf(buf + at, n - at, "%s", text);
}

void trace_static_text(const struct static_inst *i, char *buf, size_t n)
{
	buf[0] = 0;
	if (i->predicated)
		snprintf(buf, n, "@%s%sP%c ", i->negated ? "!" : "", i->uniform_guard ? "U" : "",
		         i->guard == 7 ? 'T' : '0' + i->guard);
	put_text(buf, n, i->op);
	for (unsigned k = 0; k < i->n_operand; k++) {
		put_text(buf, n, k ? ", " : " ");
		put_text(buf, n, i->operand[k].text);
	}
}
