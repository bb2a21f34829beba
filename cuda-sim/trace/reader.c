#include "cuda-sim/trace/reader.h"

#include "cuda-sim/trace/machine.h"
#include "cuda-sim/trace/sync.h"
#include "cuda-sim/trace/text.h"
#include "cuda-sim/trace/written.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	MAX_SEEN = 1 << 27,                      // CTAs of which a bit is kept each, to find one that comes twice
	MAX_RAW_CTAS = 1 << 24,                  // of a raw trace, which is sorted in memory
};

struct raw_warp {
	struct trace_pack pack;
	bool drop_copy; // the next LDGSTS line is the second of its pair
};

struct trace_reader {
	struct trace_text text;
	struct trace_code *code;
	uint64_t first, last, n_cta, at;  // range; of the grid; CTAs passed
	uint32_t n_warps;
	struct trace_pack pack;
	uint64_t *seen;
	bool raw, sorted;
	bool executed;                    // Heddle executed it, and what it added is passed over
	struct raw_warp **raw_cta;        // by number in the grid
};

const char *trace_reader_error(const struct trace_reader *r) { return r->text.error; }

static bool fail(struct trace_reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct trace_reader *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	trace_text_fail(&r->text, fmt, ap);
	va_end(ap);
	return false;
}

// --- the header

static bool three(const char *p, const char *end, uint32_t v[3])
{
	const char *q = p;
	if (q == end || *q++ != '(')
		return false;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t n;
		if (!text_decimal(&q, end, &n) || n > INT32_MAX || q == end || *q++ != (i < 2 ? ',' : ')'))
			return false;
		v[i] = (uint32_t)n;
	}
	return true;
}

enum field {
	F_NAME, F_ID, F_GRID, F_BLOCK, F_SHMEM, F_NREGS, F_BINARY, F_STREAM, F_SHMEM_BASE, F_LOCAL_BASE, F_NVBIT, F_VERSION,
	F_LINES, F_CLUSTER, F_HEDDLE, F_MACHINE, F_CODE, F_N,
};
static const char *const fields[F_N] = {
	"kernel name", "kernel id", "grid dim", "block dim", "shmem", "nregs", "binary version", "cuda stream id",
	"shmem base_addr", "local mem base_addr", "nvbit version", "accelsim tracer version", "enable lineinfo",
	"cluster dim", "heddle", "heddle sass", "heddle code"};
// Without these nothing can be simulated.
static const bool required[F_N] = {
	[F_GRID] = true, [F_BLOCK] = true, [F_SHMEM] = true, [F_NREGS] = true, [F_BINARY] = true, [F_VERSION] = true};

static bool header_value(struct trace_reader *r, enum field f, const char *p, const char *end)
{
	struct trace_header *h = &r->code->header;
	uint64_t v = 0;
	const char *q = p;
	switch (f) {
	case F_NAME: {
		size_t n = (size_t)(end - p);
		if (n >= sizeof h->name)
			n = sizeof h->name - 1;
		memcpy(h->name, p, n);
		h->name[n] = 0;
		return true;
	}
	case F_GRID:
		return three(p, end, h->grid) || fail(r, "expected '-grid dim = (x,y,z)'");
	case F_BLOCK:
		return three(p, end, h->block) || fail(r, "expected '-block dim = (x,y,z)'");
	case F_CLUSTER:
		return three(p, end, h->cluster) || fail(r, "expected '-cluster dim = (x,y,z)'");
	case F_NVBIT:
		return true;
	case F_HEDDLE:
		return trace_written_begin(r->code, p, end) ||
		       fail(r, "expected '-heddle = %d REGISTERS CODE_BASE LOCAL PREFERS INSTRUCTIONS'", TRACE_WRITTEN_VERSION);
	// By Accel-Sim's rules the code is not known before it is met.
	case F_MACHINE:
		r->executed = r->code->rules.accelsim;
		return r->code->rules.accelsim || trace_machine_begin(r->code, p, end) ||
		       fail(r, "expected '-heddle sass = %d CODE_BASE LOCAL PREFERS INSTRUCTIONS'", TRACE_MACHINE_VERSION);
	case F_CODE:
		return r->code->rules.accelsim || trace_machine_line(r->code, p, end) ||
		       fail(r, "expected one of the lines '-heddle code = HOW ENCODING ; TEXT' that '-heddle sass' announces");
	case F_SHMEM_BASE:
	case F_LOCAL_BASE:
		if (!text_hex(&q, end, &v) || q != end)
			return fail(r, "expected '-%s = ADDRESS', a hexadecimal number", fields[f]);
		*(f == F_SHMEM_BASE ? &h->shared_base : &h->local_base) = v;
		return true;
	default:
		break;
	}
	if (!text_decimal(&q, end, &v) || q != end || (f != F_STREAM && v > INT32_MAX))
		return fail(r, "expected '-%s = NUMBER'", fields[f]);
	switch (f) {
	case F_ID: h->id = (uint32_t)v; break;
	case F_SHMEM: h->shared = (uint32_t)v; break;
	case F_NREGS: h->regs = (uint32_t)v; break;
	case F_BINARY: h->binary_version = (uint32_t)v; break;
	case F_STREAM: h->stream = v; break;
	case F_VERSION: h->version = (uint32_t)v; break;
	default: h->line_info = v != 0; break;
	}
	return true;
}

static bool header_line(struct trace_reader *r, const char *p, const char *end, bool seen[F_N])
{
	const char *eq = memchr(p, '=', (size_t)(end - p));
	if (!eq)
		return fail(r, "expected '-FIELD = VALUE'");
	const char *key = p + 1, *key_end = eq, *value = eq + 1;
	while (key_end > key && key_end[-1] == ' ')
		key_end--;
	while (value < end && *value == ' ')
		value++;
	while (end > value && end[-1] == ' ')
		end--;
	for (unsigned f = 0; f < F_N; f++) {
		if (strlen(fields[f]) != (size_t)(key_end - key) || memcmp(fields[f], key, (size_t)(key_end - key)))
			continue;
		if (seen[f] && f != F_CODE)
			return fail(r, "'-%s' is given twice", fields[f]);
		seen[f] = true;
		return header_value(r, (enum field)f, value, end);
	}
	return fail(r, "unknown header field '%.*s'; this reader knows those of tracer versions %d to %d",
	            (int)(key_end - key < 60 ? key_end - key : 60), key, TRACE_MIN_VERSION, TRACE_MAX_VERSION);
}

static bool check_header(struct trace_reader *r, const bool seen[F_N])
{
	const struct trace_header *h = &r->code->header;
	for (unsigned f = 0; f < F_N; f++)
		if (required[f] && !seen[f])
			return fail(r, "the header ends without '-%s = ...'", fields[f]);
	if (h->version < TRACE_MIN_VERSION || h->version > TRACE_MAX_VERSION)
		return fail(r, "tracer version %u; this reader takes versions %d to %d", h->version, TRACE_MIN_VERSION,
		            TRACE_MAX_VERSION);
	const struct trace_machine *m = r->code->machine;
	char why[400];
	if (!trace_header_check(r->code, &r->n_cta, &r->n_warps, why, sizeof why))
		return fail(r, "%s", why);
	if (m && m->filled != m->n)
		return fail(r, "the header ends after %u of %u instructions", m->filled, m->n);
	return !m || trace_machine_decode(r->code, why, sizeof why) || fail(r, "%s", why);
}

// Up to the first line that is neither empty, nor a comment, nor a field.
static bool read_header(struct trace_reader *r)
{
	bool seen[F_N] = {0};
	const char *p, *end;
	while (text_line(&r->text, &p, &end)) {
		if (p == end)
			continue;
		if (*p == '-') {
			if (!header_line(r, p, end, seen))
				return false;
		} else if (*p != '#' || text_is(p, end, "#BEGIN_TB")) {
			break;
		} else if (r->code->written && text_is(p, end, "#inst ") && !trace_written_inst(r->code, p, end)) {
			return fail(r,
			            "expected one of %u lines '#inst CLASS UNIT SPACE BYTES CACHE FLAGS LINE READ SOURCES ... "
			            "DESTINATIONS ... ; TEXT'",
			            r->code->written->n);
		}
	}
	if (r->text.error)
		return false;
	if (r->code->written && r->code->written->filled != r->code->written->n)
		return fail(r, "the header ends after %u of %u instructions", r->code->written->filled, r->code->written->n);
	if (!check_header(r, seen))
		return false;
	r->raw = !r->text.ended && *p != '#';
	text_unread(&r->text);
	return true;
}

struct trace_reader *trace_reader_new(struct trace_source *s, const char *name, struct trace_code *code, uint64_t first,
                                      uint64_t last, char *why, size_t n)
{
	struct trace_reader *r = MEM_NEW(struct trace_reader);
	text_begin(&r->text, s, name);
	r->code = code;
	r->first = first;
	r->last = last;
	if (read_header(r)) {
		uint32_t size[3];
		if (!code->header.cluster[0] && trace_source_cluster(r->text.source, size))
			memcpy(code->header.cluster, size, sizeof size);
		if (r->n_cta <= MAX_SEEN)
			r->seen = mem_try_alloc((size_t)(r->n_cta + 63) / 64 * 8);
		if (!r->raw || r->n_cta <= MAX_RAW_CTAS)
			return r;
		fail(r, "a raw trace of %llu CTAs is too large to sort; run Accel-Sim's post-processing on it",
		     (unsigned long long)r->n_cta);
	}
	snprintf(why, n, "%s", r->text.error);
	trace_reader_free(r);
	return NULL;
}

static void free_raw(struct raw_warp *w, uint32_t n)
{
	for (uint32_t k = 0; w && k < n; k++)
		trace_pack_free(&w[k].pack);
	mem_free(w);
}

void trace_reader_free(struct trace_reader *r)
{
	if (!r)
		return;
	for (uint64_t i = 0; r->raw_cta && i < r->n_cta; i++)
		free_raw(r->raw_cta[i], r->n_warps);
	mem_free(r->raw_cta);
	mem_free(r->seen);
	trace_pack_free(&r->pack);
	text_end(&r->text);
	mem_free(r);
}

uint64_t trace_reader_ctas(const struct trace_reader *r)
{
	uint64_t end = r->last < r->n_cta ? r->last + 1 : r->n_cta;
	return end > r->first ? end - r->first : 0;
}

// --- an instruction line

static bool bad_text(struct trace_reader *r, const char *p, const char *end, const char *expected)
{
	size_t n = (size_t)(end - p);
	return fail(r, n ? "'%.*s': expected %s" : "the line ends early%.*s: expected %s", (int)(n < 40 ? n : 40), p,
	            expected);
}

static bool parse_registers(struct trace_reader *r, const char **p, const char *end, struct trace_reg *reg,
                            uint32_t max, uint32_t *n, const char *what)
{
	uint64_t count;
	*p = text_skip(*p, end);
	if (!text_decimal(p, end, &count) || count > max)
		return bad_text(r, *p, end, what);
	for (uint32_t i = 0; i < count; i++) {
		const char *q = *p = text_skip(*p, end);
		uint64_t v = 0;
		bool uniform = q < end && *q == 'U';
		q += uniform;
		char file = q < end ? *q : 0;
		if ((file != 'R' && file != 'P') || (q++, !text_decimal(&q, end, &v)) || v > 1023 || (q < end && *q != ' '))
			return bad_text(r, *p, end, "a register: R, UR, P or UP and its number");
		reg[i].file = (uint8_t)(file == 'R' ? (uniform ? 'U' : 'R') : uniform ? 'Q' : 'P');
		reg[i].n = (uint16_t)v;
		*p = q;
	}
	*n = (uint32_t)count;
	return true;
}

// From behind the mask to the access width; *p is left behind it.
static bool parse_static(struct trace_reader *r, const char **p, const char *end, struct trace_line *l)
{
	uint64_t v;
	l->commit = r->code->header.version < 6; // where nobody tells, each is a group
	if (!parse_registers(r, p, end, l->dst, TRACE_LINE_DST, &l->n_dst, "the number of destination registers"))
		return false;
	l->op = *p = text_skip(*p, end);
	while (*p < end && **p != ' ')
		++*p;
	l->op_len = (uint32_t)(*p - l->op);
	if (!l->op_len || *l->op < 'A' || *l->op > 'Z')
		return bad_text(r, l->op, end, "an opcode");
	if (!parse_registers(r, p, end, l->src, TRACE_LINE_SRC, &l->n_src, "the number of source registers"))
		return false;
	*p = text_skip(*p, end);
	if (r->code->header.version >= 6 && memmem(l->op, l->op_len, "GMMA", 4)) { // whether it ends a group
		if (!text_decimal(p, end, &v))
			return bad_text(r, *p, end, "the commit flag of a warp group product");
		l->commit = v != 0;
		*p = text_skip(*p, end);
	}
	if (!text_decimal(p, end, &v) || v > 4096 || (*p < end && **p != ' '))
		return bad_text(r, *p, end, "the access width");
	l->width = (uint32_t)v;
	return true;
}

static struct trace_inst *new_inst(struct trace_reader *r, const char **p, const char *end, struct trace_line *l,
                                   unsigned hash, uint32_t *index)
{
	struct trace_code *c = r->code;
	const char *text = *p;
	char why[256];
	if (!parse_static(r, p, end, l))
		return NULL;
	const char *q = text_skip(*p, end);
	if (!l->width)
		text_decimal(&q, end, &l->imm);
	struct trace_inst *t = trace_inst_new(c, index);
	if (!t) {
		fail(r, "more than %d different instructions in one kernel", TRACE_CHUNK * TRACE_CHUNKS);
		return NULL;
	}
	bool ok = c->machine ? trace_machine_inst(c, l->pc, l->width, l->apart, t, why, sizeof why)
	                     : (c->written ? trace_written_decode : trace_decode)(c, l, t, why, sizeof why);
	if (!ok) {
		fail(r, "%s", why);
		return NULL;
	}
	if (c->machine)
		trace_async_line(c, l, t);
	t->text_len = (uint16_t)(*p - text);
	t->text = arena_strndup(&c->strings, text, t->text_len);
	t->op = arena_strndup(&c->strings, l->op, l->op_len);
	t->isa.text = *index;
	t->chain = c->by_pc[hash];
	c->by_pc[hash] = *index + 1;
	return t;
}

// The instruction that the rest of the line names; *p is left behind the access width.
static struct trace_inst *find_inst(struct trace_reader *r, const char **p, const char *end, struct trace_line *l,
                                    uint32_t *index)
{
	struct trace_code *c = r->code;
	unsigned hash = (unsigned)(l->pc >> 4 ^ l->pc >> 16) % TRACE_HASH;
	size_t n = (size_t)(end - *p);
	for (uint32_t i = c->by_pc[hash]; i;) {
		struct trace_inst *t = trace_inst_at(c, i - 1);
		if (t->isa.pc == l->pc && t->apart == l->apart && t->text_len <= n && !memcmp(t->text, *p, t->text_len) &&
		    (t->text_len == n || (*p)[t->text_len] == ' ')) {
			const char *q = text_skip(*p + t->text_len, end);
			uint64_t imm = 0;
			if (!t->by_imm || (text_decimal(&q, end, &imm), imm == t->imm)) {
				*p += t->text_len;
				*index = i - 1;
				return t;
			}
		}
		i = t->chain;
	}
	if (n > UINT16_MAX) {
		fail(r, "the line is longer than any instruction's");
		return NULL;
	}
	return new_inst(r, p, end, l, hash, index);
}

static void keep_tail(struct trace_inst *t, const char *p, const char *end, uint32_t mask, uint32_t mode,
                      uint32_t pattern)
{
	size_t n = (size_t)(end - p);
	char *to = (char *)(uintptr_t)t->tail;
	if (n > t->tail_cap)
		to = mem_realloc(to, t->tail_cap = (uint32_t)n);
	memcpy(to, p, n);
	t->tail = to;
	t->tail_len = (uint32_t)n;
	t->tail_mask = mask;
	t->tail_mode = mode;
	t->tail_pattern = pattern;
}

enum { MODE_LIST, MODE_STRIDE, MODE_DELTAS };

static bool parse_offsets(struct trace_reader *r, const char **p, const char *end, uint32_t mask, uint64_t mode,
                          uint64_t base, int64_t offset[32])
{
	unsigned first = (unsigned)__builtin_ctz(mask);
	int64_t v = 0;
	uint64_t at = 0;
	if (mode == MODE_STRIDE) {
		*p = text_skip(*p, end);
		if (!text_signed(p, end, &v))
			return bad_text(r, *p, end, "the stride of the addresses");
	}
	for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		*p = text_skip(*p, end);
		if (mode == MODE_STRIDE) {
			at = (uint64_t)v * (i - first);
		} else if (mode == MODE_DELTAS) {
			if (!text_signed(p, end, &v))
				return bad_text(r, *p, end,
				                "the difference of the next lane's address: one for each active lane but the first");
			at += (uint64_t)v;
		} else {
			uint64_t a;
			if (!text_hex(p, end, &a))
				return bad_text(r, *p, end, "the next lane's address: one for each active lane");
			at = a - base;
		}
		offset[i] = (int64_t)at;
	}
	return true;
}

static bool parse_addresses(struct trace_reader *r, const char **p, const char *end, struct trace_inst *t,
                            uint32_t index, uint32_t mask, struct trace_pack *pack)
{
	uint64_t mode, base;
	int64_t offset[32] = {0};
	uint32_t pattern;
	const char *q = *p = text_skip(*p, end);
	if (!text_decimal(&q, end, &mode) || mode > MODE_DELTAS)
		return bad_text(r, *p, end, "the form of the addresses: 0 list, 1 base and stride, 2 base and differences");
	*p = text_skip(q, end);
	if (!text_hex(p, end, &base))
		return bad_text(r, *p, end, "an address");
	if (mode != MODE_LIST && t->tail_mask == mask && t->tail_mode == mode && t->tail_len == (size_t)(end - *p) &&
	    !memcmp(t->tail, *p, t->tail_len)) {
		pattern = t->tail_pattern;
		*p = end;
	} else {
		const char *from = *p;
		if (!parse_offsets(r, p, end, mask, mode, base, offset))
			return false;
		pattern = trace_pattern_of(r->code, mask, offset);
		if (mode != MODE_LIST && pattern != UINT32_MAX && text_tail(*p, end, r->code->header.version))
			keep_tail(t, from, end, mask, (uint32_t)mode, pattern);
	}
	if (pack)
		trace_pack_addresses(pack, index, base, pattern, mask, offset);
	return true;
}

// One of several accesses: space, bytes and lanes before its addresses.
static bool parse_access(struct trace_reader *r, const char **p, const char *end, struct trace_inst *t, uint32_t index,
                         struct trace_pack *pack)
{
	uint64_t v[3];
	for (unsigned i = 0; i < 3; i++) {
		*p = text_skip(*p, end);
		if (!(i < 2 ? text_decimal : text_hex)(p, end, &v[i]))
			return bad_text(r, *p, end, "space, bytes and lanes of an access");
		trace_pack_number(pack, v[i]);
	}
	if (v[0] > SPACE_TEX || v[0] < SPACE_GLOBAL || !v[1] || v[1] > 128 || !v[2] || v[2] > UINT32_MAX)
		return bad_text(r, *p, end, "space, bytes and lanes of an access before this");
	return parse_addresses(r, p, end, t, index, (uint32_t)v[2], pack);
}

// Behind the immediate: "| N", then so many accesses.
static bool parse_listed(struct trace_reader *r, const char *p, const char *end, struct trace_inst *t, uint32_t index,
                         struct trace_pack *pack)
{
	const char *bar = memchr(p, '|', (size_t)(end - p));
	uint64_t n;
	p = bar ? text_skip(bar + 1, end) : end;
	if (!text_decimal(&p, end, &n) || n > FE_MAX_ACCESS)
		return bad_text(r, p, end, "'|' and the number of accesses, up to 8");
	trace_pack_number(pack, n);
	for (uint64_t k = 0; k < n; k++)
		if (!parse_access(r, &p, end, t, index, pack))
			return false;
	p = text_skip(p, end);
	return p == end || bad_text(r, p, end, "the end of the line");
}

static bool parse_lanes(struct trace_reader *r, const char **p, const char *end, struct trace_inst *t, uint32_t index,
                        uint32_t mask, struct trace_pack *pack)
{
	return mask ? parse_addresses(r, p, end, t, index, mask, pack) : bad_text(r, *p, end, "a mask with lanes for an access");
}

// What follows the access width in a trace of our own: the lanes that ran if others than the mask's, then the accesses.
static bool parse_written(struct trace_reader *r, const char *p, const char *end, struct trace_inst *t, uint32_t index,
                          uint32_t mask, struct trace_pack *pack)
{
	uint64_t v[1];
	if (t->has_active) {
		p = text_skip(p, end);
		if (!text_hex(&p, end, v) || v[0] > UINT32_MAX || (mask & ~v[0]))
			return bad_text(r, p, end, "the lanes that ran, in hexadecimal, the mask's among them");
		trace_pack_number(pack, v[0]);
	}
	for (unsigned k = 0; k < t->n_access; k++) {
		if (t->many ? !parse_access(r, &p, end, t, index, pack) : !parse_lanes(r, &p, end, t, index, mask, pack))
			return false;
	}
	p = text_skip(p, end);
	return p == end || bad_text(r, p, end, "the end of the line");
}

// --- what version 6 tells of the asynchronous side

enum { MAX_PIECES = 1 << 20 };

static bool parse_number(struct trace_reader *r, const char **p, const char *end, bool hex, uint64_t *v, const char *what)
{
	*p = text_skip(*p, end);
	return (hex ? text_hex : text_decimal)(p, end, v) || bad_text(r, *p, end, what);
}

// How the bytes of a copy are dealt out to the addresses of its line.
struct shares {
	uint64_t bytes, each, left;
};

// The tracer counts the bytes that lie outside of a tensor apart. They are among all bytes, unless the addresses make these alone.
static struct shares share_out(uint64_t bytes, uint64_t outside, uint64_t n, uint32_t width)
{
	const bool apart = outside > bytes || n * width == bytes;
	struct shares s = {.bytes = apart ? bytes + outside : bytes};
	s.left = s.bytes - outside;
	s.each = n ? (s.left + n - 1) / n : 0;
	return s;
}

static uint32_t next_share(struct shares *s)
{
	const uint64_t n = s->each < s->left ? s->each : s->left;
	s->left -= n;
	return (uint32_t)n;
}

enum { MODE_COPY_LIST = 3, MODE_COPY_DELTAS = 4 };

// Behind the access width of a bulk copy: mbarrier, whether it goes to several CTAs and to which, bytes, those outside of the tensor,
// and the addresses: 3 N ADDRESS ..., or 4 ADDRESS N DIFFERENCE ...
static bool parse_copy(struct trace_reader *r, const char **p, const char *end, uint32_t width, struct trace_pack *pack)
{
	uint64_t mbarrier, multicast, ctas = 0, bytes, outside, mode, n, at = 0, before = 0;
	if (!parse_number(r, p, end, true, &mbarrier, "the mbarrier of a bulk copy") ||
	    !parse_number(r, p, end, false, &multicast, "whether a bulk copy goes to several thread blocks") ||
	    (multicast && !parse_number(r, p, end, true, &ctas, "the thread blocks that get a bulk copy")) ||
	    !parse_number(r, p, end, false, &bytes, "the bytes of a bulk copy") ||
	    !parse_number(r, p, end, false, &outside, "the bytes of a bulk copy that lie outside of the tensor") ||
	    !parse_number(r, p, end, false, &mode, "the form of the addresses: 3 list, 4 base and differences"))
		return false;
	const bool deltas = mode == MODE_COPY_DELTAS;
	const char *own = r->code->machine || r->executed ? memchr(*p, '|', (size_t)(end - *p)) : NULL;
	uint64_t map = 0, piece;
	if (own && r->code->machine) {
		own = text_skip(own + 1, end);
		if (!text_hex(&own, end, &map))
			return bad_text(r, own, end, "the tensor map of a bulk copy");
	}
	const char *lines_end = end;
	if (own)
		end = memchr(*p, '|', (size_t)(end - *p));
	if (mode != MODE_COPY_LIST && !deltas)
		return bad_text(r, *p, end, "the form of the addresses before this: 3 list, 4 base and differences");
	if ((deltas && !parse_number(r, p, end, true, &at, "the first address of a bulk copy")) ||
	    !parse_number(r, p, end, false, &n, "the number of addresses of a bulk copy"))
		return false;
	if (n > MAX_PIECES || bytes > UINT32_MAX || outside > UINT32_MAX || ctas > UINT16_MAX)
		return fail(r, "a bulk copy of %llu bytes, %llu outside, in %llu pieces to the thread blocks 0x%llx: expected up to 4 GiB, %d pieces and 16 blocks",
		            (unsigned long long)bytes, (unsigned long long)outside, (unsigned long long)n, (unsigned long long)ctas, MAX_PIECES);
	struct shares s = share_out(bytes, outside, n, r->code->machine ? 0 : width);
	trace_pack_copy(pack, &(struct trace_copy){.known = true, .mbarrier = (uint32_t)mbarrier, .ctas = (uint32_t)ctas, .bytes = s.bytes, .map = map, .n = (uint32_t)n});
	for (uint64_t k = 0; k < n; k++) {
		int64_t d;
		*p = text_skip(*p, end);
		if (deltas && k && !text_signed(p, end, &d))
			return bad_text(r, *p, end, "the difference of the next address of a bulk copy");
		at = deltas && k ? at + (uint64_t)d : at;
		if (!deltas && !text_hex(p, end, &at))
			return bad_text(r, *p, end, "the next address of a bulk copy");
		if (r->code->machine && (!own || !parse_number(r, &own, lines_end, false, &piece, "the bytes of each piece of a bulk copy") || piece > UINT32_MAX))
			return own ? false : fail(r, "no tensor map and bytes of pieces behind '|'");
		trace_pack_piece(pack, &before, at, r->code->machine ? (uint32_t)piece : next_share(&s));
	}
	return true;
}

// The immediates, of which there are up to two.
static const char *parse_immediates(const char *p, const char *end, uint64_t imm[2])
{
	imm[0] = imm[1] = 0;
	for (unsigned k = 0; k < 2; k++) {
		p = text_skip(p, end);
		const char *q = p;
		int64_t s;
		if (text_signed(&q, end, &s))
			imm[k] = (uint64_t)s;
		else if (!text_decimal(&q, end, &imm[k]))
			break;
		p = q;
	}
	return text_skip(p, end);
}

// "Val", then for each register of the line the number of values and those: the values of register `at`, from 1. Their number, 0: none.
static unsigned parse_values(const char *p, const char *end, unsigned at, uint32_t value[32])
{
	uint64_t n = 0, v;
	if (!text_is(p, end, "Val"))
		return 0;
	p += strlen("Val");
	for (unsigned k = 0; k < at; k++) {
		p = text_skip(p, end);
		if (!text_decimal(&p, end, &n) || (n != 1 && n != 32))
			return 0;
		for (unsigned i = 0; i < n; i++) {
			p = text_skip(p, end);
			if (!text_hex(&p, end, &v))
				return 0;
			value[i] = (uint32_t)v;
		}
	}
	return (unsigned)n;
}

// Which barrier and of how many threads, 0 all: both as immediates, or the number in the first register and the threads as immediate.
static uint64_t barrier_number(const struct trace_inst *t, const char *p, const char *end)
{
	uint64_t imm[2];
	uint32_t value[32];
	p = parse_immediates(p, end, imm);
	if (t->n_dst && !imm[1] && parse_values(p, end, 1, value))
		return imm[0] << 4 | (value[0] & 15);
	return imm[1] << 4 | (imm[0] & 15);
}

// What stands behind the addresses of a line.
static void parse_more(const struct trace_inst *t, const char *p, const char *end, uint32_t mask, struct trace_pack *pack)
{
	uint64_t imm[2];
	uint32_t value[32] = {0};
	if (t->value_at) {
		p = parse_immediates(p, end, imm);
		trace_pack_values(pack, mask, parse_values(p, end, t->value_at, value), value);
	}
	if (t->numbered)
		trace_pack_number(pack, barrier_number(t, p, end));
}

static bool is_copy(const struct trace_inst *t) { return !strncmp(t->op, "LDGSTS", 6); }

// `raw`: the warp of a raw trace, where an asynchronous copy has two lines,
// the first with the address in shared memory.
static bool inst_line(struct trace_reader *r, const char *p, const char *end, struct trace_pack *pack,
                      struct raw_warp *raw)
{
	struct trace_line l;
	uint64_t mask, line = 0;
	uint32_t index;
	l.imm = 0;
	if (r->code->header.line_info) {
		if (!text_decimal(&p, end, &line))
			return bad_text(r, p, end, "a source line, as '-enable lineinfo = 1' promises");
		p = text_skip(p, end);
	}
	l.line = (uint32_t)line;
	if (!text_hex(&p, end, &l.pc) || p == end || *p != ' ')
		return bad_text(r, p, end, "a program counter in hexadecimal");
	p = text_skip(p, end);
	if (!text_hex(&p, end, &mask) || p == end || *p != ' ' || mask > UINT32_MAX)
		return bad_text(r, p, end, "a mask of 32 lanes in hexadecimal");
	p = text_skip(p, end);
	l.mask = (uint32_t)mask;
	const size_t tail = strlen(TRACE_MACHINE_APART);
	l.apart = r->code->machine && (size_t)(end - p) > tail && !memcmp(end - tail, TRACE_MACHINE_APART, tail);
	end -= l.apart ? tail : 0;
	struct trace_inst *t = find_inst(r, &p, end, &l, &index);
	if (!t)
		return false;
	if (raw && is_copy(t)) {
		raw->drop_copy = !raw->drop_copy;
		if (raw->drop_copy)
			return true;
	}
	if (t->marker)
		return true;
	trace_pack_inst(pack, r->code, index, l.mask);
	if (r->code->written)
		return parse_written(r, p, end, t, index, l.mask, pack);
	if (t->has_address && l.mask && !parse_addresses(r, &p, end, t, index, l.mask, pack))
		return false;
	if (t->how == TRACE_BULK && l.mask && !parse_copy(r, &p, end, t->width, pack))
		return false;
	if (l.mask)
		parse_more(t, p, end, l.mask, pack);
	if (t->how == TRACE_LISTED && l.mask)
		return parse_listed(r, p, end, t, index, pack);
	const char *bar = r->executed ? memchr(p, '|', (size_t)(end - p)) : NULL;
	end = bar ? bar : end;
	if (t->how == TRACE_BULK && r->code->machine) {
		bar = memchr(p, '|', (size_t)(end - p));
		end = bar ? bar : end;
	}
	bool free_form = t->any_tail || ((t->has_address || t->how == TRACE_BULK) && !l.mask);
	if (!free_form && !text_tail(p, end, r->code->header.version))
		return bad_text(r, p, end, "the end of the line or an immediate");
	return true;
}

// --- CTAs

static bool seen_before(struct trace_reader *r, uint64_t i)
{
	uint64_t bit = (uint64_t)1 << i % 64;
	if (!r->seen)
		return false;
	if (r->seen[i / 64] & bit)
		return true;
	r->seen[i / 64] |= bit;
	return false;
}

static bool in_grid(struct trace_reader *r, const uint32_t id[3])
{
	const uint32_t *g = r->code->header.grid;
	if (id[0] < g[0] && id[1] < g[1] && id[2] < g[2])
		return true;
	return fail(r, "thread block %u,%u,%u is outside the grid (%u,%u,%u)", id[0], id[1], id[2], g[0], g[1], g[2]);
}

static uint64_t number_in_grid(const struct trace_reader *r, const uint32_t id[3])
{
	const uint32_t *g = r->code->header.grid;
	return ((uint64_t)id[2] * g[1] + id[1]) * g[0] + id[0];
}

static bool value_of(const char *p, const char *end, const char *key, const char **value)
{
	if (!text_is(p, end, key))
		return false;
	p = text_skip(p + strlen(key), end);
	if (p == end || *p++ != '=')
		return false;
	*value = text_skip(p, end);
	return true;
}

static bool early_end(struct trace_reader *r, const char *where)
{
	if (r->text.error)
		return false;
	return fail(r, "the file ends %s: it is incomplete", where);
}

static bool thread_block(struct trace_reader *r, const char *p, const char *end, uint32_t id[3])
{
	for (unsigned i = 0; i < 3; i++) {
		uint64_t v;
		if (!text_decimal(&p, end, &v) || v > INT32_MAX || (i < 2 && (p == end || *p++ != ',')))
			return fail(r, "expected 'thread block = x,y,z'");
		id[i] = (uint32_t)v;
	}
	if (!in_grid(r, id))
		return false;
	if (seen_before(r, number_in_grid(r, id)))
		return fail(r, "thread block %u,%u,%u comes for the second time", id[0], id[1], id[2]);
	return true;
}

static bool one_warp(struct trace_reader *r, const char *p, const char *end, struct trace_cta *to)
{
	const char *q = p, *value;
	uint64_t w, n;
	if (!text_decimal(&q, end, &w) || q != end || w != to->warp.n || w >= r->n_warps)
		return fail(r, "'warp = %.*s': expected warp %zu of %u, in order", (int)(end - p < 20 ? end - p : 20), p,
		            to->warp.n, r->n_warps);
	if (!text_line(&r->text, &p, &end))
		return early_end(r, "behind 'warp ='");
	if (!value_of(p, end, "insts", &value) || !text_decimal(&value, end, &n) || n > UINT32_MAX / 4)
		return bad_text(r, p, end, "'insts = NUMBER' behind 'warp ='");
	trace_pack_begin(&r->pack);
	for (uint64_t i = 0; i < n; i++) {
		if (!text_line(&r->text, &p, &end))
			return early_end(r, "among the instructions of a warp");
		if (p == end || *p == '#' || *p == 'w' || *p == 't')
			return fail(r, "%llu instructions of warp %llu, expected %llu", (unsigned long long)i,
			            (unsigned long long)w, (unsigned long long)n);
		if (!inst_line(r, p, end, &r->pack, NULL))
			return false;
	}
	trace_cta_put(to, &r->pack);
	return true;
}

static bool one_cta(struct trace_reader *r, struct trace_cta *to)
{
	const char *p, *end, *value;
	bool has_id = false;
	while (text_line(&r->text, &p, &end)) {
		if (p == end)
			continue;
		if (value_of(p, end, "warp", &value)) {
			if (!has_id)
				return fail(r, "expected 'thread block = x,y,z' before the warps");
			if (!one_warp(r, value, end, to))
				return false;
		} else if (value_of(p, end, "thread block", &value)) {
			if (has_id)
				return fail(r, "a second 'thread block' before #END_TB");
			if (!thread_block(r, value, end, to->id))
				return false;
			has_id = true;
		} else if (text_is(p, end, "#END_TB")) {
			if (to->warp.n == r->n_warps)
				return true;
			return fail(r, "%zu warps in the thread block, expected %u for a block of (%u,%u,%u) threads", to->warp.n,
			            r->n_warps, r->code->header.block[0], r->code->header.block[1], r->code->header.block[2]);
		} else if (!value_of(p, end, "cluster id", &value) && !value_of(p, end, "cluster cta", &value) &&
		           !value_of(p, end, "cluster rank", &value)) {
			if (to->warp.n && *p != '#')
				return fail(r, "expected 'warp =' or #END_TB: the warp before has more instructions than its 'insts =' "
				               "says");
			return bad_text(r, p, end, "'thread block =', 'warp =' or #END_TB");
		}
	}
	return early_end(r, "inside a thread block");
}

// A CTA outside the range: only its lines are looked at.
static bool pass_cta(struct trace_reader *r)
{
	const char *p, *end;
	while (text_line(&r->text, &p, &end))
		if (p < end && *p == '#' && text_is(p, end, "#END_TB"))
			return true;
	return early_end(r, "inside a thread block");
}

static enum trace_read next_grouped(struct trace_reader *r, struct trace_cta *to)
{
	const char *p, *end;
	while (text_line(&r->text, &p, &end)) {
		if (p == end)
			continue;
		if (!text_is(p, end, "#BEGIN_TB")) {
			bad_text(r, p, end, "#BEGIN_TB");
			return TRACE_ERROR;
		}
		if (r->at == r->n_cta) {
			fail(r, "more thread blocks than the %llu of the grid", (unsigned long long)r->n_cta);
			return TRACE_ERROR;
		}
		if (r->at++ < r->first) {
			if (!pass_cta(r))
				return TRACE_ERROR;
			continue;
		}
		return one_cta(r, to) ? TRACE_CTA : TRACE_ERROR;
	}
	if (!r->text.error && r->at < r->n_cta)
		fail(r, "the file ends after %llu of %llu thread blocks: some are missing", (unsigned long long)r->at,
		     (unsigned long long)r->n_cta);
	return r->text.error ? TRACE_ERROR : TRACE_END;
}

// --- raw traces: "x y z warp" before each instruction, in the order in which they ran; from Accel-Sim 2.0 on followed by the numbers
// of the cluster and of the block in it, three each, and its rank

enum { RAW_CLUSTER = 7 };

// Behind the numbers of a cluster, if there are any: without them the mask, which has eight digits, comes second, or third behind a line.
static const char *pass_cluster(const struct trace_reader *r, const char *p, const char *end)
{
	const char *q = p = text_skip(p, end);
	for (unsigned i = 1 + r->code->header.line_info; i; i--) {
		q = memchr(q, ' ', (size_t)(end - q));
		if (!q)
			return p;
		q = text_skip(q, end);
	}
	const char *stop = memchr(q, ' ', (size_t)(end - q));
	if (r->code->header.version < 6 || (stop && stop - q == 8))
		return p;
	for (unsigned i = 0; i < RAW_CLUSTER; i++) {
		uint64_t v;
		if (!text_decimal(&p, end, &v))
			break;
		p = text_skip(p, end);
	}
	return p;
}

static bool raw_line(struct trace_reader *r, const char *p, const char *end)
{
	uint64_t v[4];
	for (unsigned i = 0; i < 4; i++) {
		p = text_skip(p, end);
		if (!text_decimal(&p, end, &v[i]) || v[i] > INT32_MAX || p == end)
			return bad_text(r, p, end, "'x y z warp' before the instruction, or #BEGIN_TB");
	}
	uint32_t id[3] = {(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]};
	if (!in_grid(r, id))
		return false;
	if (v[3] >= r->n_warps)
		return fail(r, "warp %llu of %u", (unsigned long long)v[3], r->n_warps);
	uint64_t i = number_in_grid(r, id);
	if (i < r->first || i > r->last)
		return true;
	if (!r->raw_cta[i])
		r->raw_cta[i] = mem_alloc(r->n_warps * sizeof **r->raw_cta);
	struct raw_warp *w = &r->raw_cta[i][v[3]];
	return inst_line(r, pass_cluster(r, p, end), end, &w->pack, w);
}

static bool sort_raw(struct trace_reader *r)
{
	const char *p, *end;
	r->raw_cta = mem_alloc((size_t)r->n_cta * sizeof *r->raw_cta);
	while (text_line(&r->text, &p, &end))
		if (p < end && *p != '#' && !raw_line(r, p, end))
			return false;
	return !r->text.error;
}

static enum trace_read next_raw(struct trace_reader *r, struct trace_cta *to)
{
	if (!r->sorted) {
		r->sorted = true;
		if (!sort_raw(r))
			return TRACE_ERROR;
		r->at = r->first;
	}
	if (r->at >= r->n_cta || r->at > r->last)
		return TRACE_END;
	uint64_t i = r->at++;
	const uint32_t *g = r->code->header.grid;
	to->id[0] = (uint32_t)(i % g[0]);
	to->id[1] = (uint32_t)(i / g[0] % g[1]);
	to->id[2] = (uint32_t)(i / g[0] / g[1]);
	if (!r->raw_cta[i]) {
		fail(r, "the file ends without thread block %u,%u,%u", to->id[0], to->id[1], to->id[2]);
		return TRACE_ERROR;
	}
	for (uint32_t k = 0; k < r->n_warps; k++)
		trace_cta_put(to, &r->raw_cta[i][k].pack);
	free_raw(r->raw_cta[i], r->n_warps);
	r->raw_cta[i] = NULL;
	return TRACE_CTA;
}

enum trace_read trace_reader_next(struct trace_reader *r, struct trace_cta *to)
{
	trace_cta_empty(to);
	if (r->text.error)
		return TRACE_ERROR;
	if (!r->raw && r->at > r->last)
		return TRACE_END;
	enum trace_read got = r->raw ? next_raw(r, to) : next_grouped(r, to);
	trace_cta_end(to, r->code);
	return got;
}

static enum trace_read feed_next(void *r, struct trace_cta *to) { return trace_reader_next(r, to); }
static const char *feed_error(const void *r) { return trace_reader_error(r); }
static void feed_free(void *r) { trace_reader_free(r); }

struct trace_feed trace_reader_feed(struct trace_reader *r)
{
	static const struct trace_feed_ops ops = {feed_next, feed_error, feed_free};
	return (struct trace_feed){&ops, r};
}
