// An instruction line of a text trace.
#include "cuda-sim/trace/lines.h"

#include "cuda-sim/trace/machine.h"
#include "cuda-sim/trace/sync.h"
#include "cuda-sim/trace/written.h"

#include <string.h>

bool trace_lines_fail(struct trace_lines *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	trace_text_fail(&r->text, fmt, ap);
	va_end(ap);
	return false;
}

bool trace_lines_expected(struct trace_lines *r, const char *p, const char *end, const char *expected)
{
	size_t n = (size_t)(end - p);
	return trace_lines_fail(r, n ? "'%.*s': expected %s" : "the line ends early%.*s: expected %s",
	                        (int)(n < 40 ? n : 40), p, expected);
}

#define fail trace_lines_fail
#define bad_text trace_lines_expected

static bool parse_registers(struct trace_lines *r, const char **p, const char *end, struct trace_reg *reg,
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
static bool parse_static(struct trace_lines *r, const char **p, const char *end, struct trace_line *l)
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

static struct trace_inst *new_inst(struct trace_lines *r, const char **p, const char *end, struct trace_line *l,
                                   unsigned hash)
{
	struct trace_code *c = r->code;
	const char *text = *p;
	char why[256];
	if (!parse_static(r, p, end, l))
		return NULL;
	const char *q = text_skip(*p, end);
	if (!l->width)
		text_decimal(&q, end, &l->imm);
	struct trace_inst *t = trace_inst_new(c);
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
	trace_inst_place(c, t);
	t->chain = c->by_pc[hash];
	c->by_pc[hash] = t->index + 1;
	return t;
}

// The instruction that the rest of the line names; *p is left behind the access width.
static struct trace_inst *find_inst(struct trace_lines *r, const char **p, const char *end, struct trace_line *l)
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
				return t;
			}
		}
		i = t->chain;
	}
	if (n > UINT16_MAX) {
		fail(r, "the line is longer than any instruction's");
		return NULL;
	}
	return new_inst(r, p, end, l, hash);
}

static void keep_tail(struct trace_inst *t, const char *p, const char *end, uint32_t mask, uint32_t mode,
                      uint32_t pattern)
{
	t->tail_len = trace_keep(&t->tail, &t->tail_cap, p, (size_t)(end - p));
	t->tail_mask = mask;
	t->tail_mode = mode;
	t->tail_pattern = pattern;
}

enum { MODE_LIST, MODE_STRIDE, MODE_DELTAS };

static bool parse_offsets(struct trace_lines *r, const char **p, const char *end, uint32_t mask, uint64_t mode,
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
				                "the difference of the next lane's address: one for each active lane but the "
				                "first");
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

static bool parse_addresses(struct trace_lines *r, const char **p, const char *end, struct trace_inst *t, uint32_t mask,
                            struct trace_pack *pack)
{
	uint64_t mode, base;
	const char *q = *p = text_skip(*p, end);
	if (!text_decimal(&q, end, &mode) || mode > MODE_DELTAS)
		return bad_text(r, *p, end, "the form of the addresses: 0 list, 1 base and stride, 2 base and "
		                "differences");
	*p = text_skip(q, end);
	if (!text_hex(p, end, &base))
		return bad_text(r, *p, end, "an address");
	if (mode != MODE_LIST && t->tail_mask == mask && t->tail_mode == mode && t->tail_len == (size_t)(end - *p) &&
	    !memcmp(t->tail, *p, t->tail_len)) {
		trace_pack_addresses(pack, t->index, base, t->tail_pattern, mask, NULL);
		*p = end;
		return true;
	}
	int64_t offset[32] = {0};
	const char *from = *p;
	if (!parse_offsets(r, p, end, mask, mode, base, offset))
		return false;
	const uint32_t pattern = trace_pattern_of(r->code, mask, offset);
	if (mode != MODE_LIST && pattern != UINT32_MAX && text_tail(*p, end, r->code->header.version))
		keep_tail(t, from, end, mask, (uint32_t)mode, pattern);
	trace_pack_addresses(pack, t->index, base, pattern, mask, offset);
	return true;
}

// One of several accesses: space, bytes and lanes before its addresses.
static bool parse_access(struct trace_lines *r, const char **p, const char *end, struct trace_inst *t,
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
	return parse_addresses(r, p, end, t, (uint32_t)v[2], pack);
}

// Behind the immediate: "| N", then so many accesses.
static bool parse_listed(struct trace_lines *r, const char *p, const char *end, struct trace_inst *t,
                         struct trace_pack *pack)
{
	const char *bar = memchr(p, '|', (size_t)(end - p));
	uint64_t n;
	p = bar ? text_skip(bar + 1, end) : end;
	if (!text_decimal(&p, end, &n) || n > FE_MAX_ACCESS)
		return bad_text(r, p, end, "'|' and the number of accesses, up to 8");
	trace_pack_number(pack, n);
	for (uint64_t k = 0; k < n; k++)
		if (!parse_access(r, &p, end, t, pack))
			return false;
	p = text_skip(p, end);
	return p == end || bad_text(r, p, end, "the end of the line");
}

static bool parse_lanes(struct trace_lines *r, const char **p, const char *end, struct trace_inst *t, uint32_t mask,
                        struct trace_pack *pack)
{
	return mask ? parse_addresses(r, p, end, t, mask, pack)
	            : bad_text(r, *p, end, "a mask with lanes for an access");
}

// What follows the access width in a trace of our own: the lanes that ran if others than the mask's, then the accesses.
static bool parse_written(struct trace_lines *r, const char *p, const char *end, struct trace_inst *t, uint32_t mask,
                          struct trace_pack *pack)
{
	uint64_t v[1];
	if (t->has_active) {
		p = text_skip(p, end);
		if (!text_hex(&p, end, v) || v[0] > UINT32_MAX || (mask & ~v[0]))
			return bad_text(r, p, end, "the lanes that ran, in hexadecimal, the mask's among them");
		trace_pack_number(pack, v[0]);
	}
	for (unsigned k = 0; k < t->n_access; k++) {
		if (t->many ? !parse_access(r, &p, end, t, pack) : !parse_lanes(r, &p, end, t, mask, pack))
			return false;
	}
	p = text_skip(p, end);
	return p == end || bad_text(r, p, end, "the end of the line");
}

// --- what version 6 tells of the asynchronous side

enum { MAX_PIECES = 1 << 20 };

static bool parse_number(struct trace_lines *r, const char **p, const char *end, bool hex, uint64_t *v,
                         const char *what)
{
	*p = text_skip(*p, end);
	return (hex ? text_hex : text_decimal)(p, end, v) || bad_text(r, *p, end, what);
}

// How the bytes of a copy are dealt out to the addresses of its line.
struct shares {
	uint64_t bytes, each, left;
};

// The tracer counts the bytes that lie outside of a tensor apart. They are among all bytes, unless the addresses make
// these alone.
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

// Behind the access width of a bulk copy: mbarrier, whether it goes to several CTAs and to which, bytes, those outside of
// the tensor, and the addresses: 3 N ADDRESS ..., or 4 ADDRESS N DIFFERENCE ...
static bool parse_copy(struct trace_lines *r, const char **p, const char *end, uint32_t width, struct trace_pack *pack)
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
		return fail(r,
		            "a bulk copy of %llu bytes, %llu outside, in %llu pieces to the thread blocks 0x%llx: expected up to "
		            "4 GiB, %d pieces and 16 blocks",
		            (unsigned long long)bytes, (unsigned long long)outside, (unsigned long long)n,
		            (unsigned long long)ctas, MAX_PIECES);
	static const char bytes_of_pieces[] = "the bytes of each piece of a bulk copy";
	struct shares s = share_out(bytes, outside, n, r->code->machine ? 0 : width);
	const struct trace_copy copy = {.known = true, .mbarrier = (uint32_t)mbarrier, .ctas = (uint32_t)ctas,
	                                .bytes = s.bytes, .map = map, .n = (uint32_t)n};
	trace_pack_copy(pack, &copy);
	for (uint64_t k = 0; k < n; k++) {
		int64_t d;
		*p = text_skip(*p, end);
		if (deltas && k && !text_signed(p, end, &d))
			return bad_text(r, *p, end, "the difference of the next address of a bulk copy");
		at = deltas && k ? at + (uint64_t)d : at;
		if (!deltas && !text_hex(p, end, &at))
			return bad_text(r, *p, end, "the next address of a bulk copy");
		if (r->code->machine && (!own || !parse_number(r, &own, lines_end, false, &piece, bytes_of_pieces) ||
		                         piece > UINT32_MAX))
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

// "Val", then for each register of the line the number of values and those: the values of register `at`, from 1. Their
// number, 0: none.
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

// Which barrier and of how many threads, 0 all: both as immediates, or the number in the first register and the threads
// as immediate.
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
static void parse_more(const struct trace_inst *t, const char *p, const char *end, uint32_t mask,
                       struct trace_pack *pack)
{
	if (t->value_at) {
		uint64_t imm[2];
		uint32_t value[32] = {0};
		p = parse_immediates(p, end, imm);
		trace_pack_values(pack, mask, parse_values(p, end, t->value_at, value), value);
	}
	if (t->numbered)
		trace_pack_number(pack, barrier_number(t, p, end));
}

static bool is_copy(const struct trace_inst *t) { return !strncmp(t->op, "LDGSTS", 6); }

enum { MASK_DIGITS = 8 };

// The instruction of a line, by its line number, pc, mask and what follows; *p is left behind the access width.
static struct trace_inst *parse_head(struct trace_lines *r, const char **p, const char *end, struct trace_line *l)
{
	uint64_t mask, line = 0;
	l->imm = 0;
	if (r->code->header.line_info) {
		if (!text_decimal(p, end, &line)) {
			bad_text(r, *p, end, "a source line, as '-enable lineinfo = 1' promises");
			return NULL;
		}
		*p = text_skip(*p, end);
	}
	l->line = (uint32_t)line;
	if (!text_hex(p, end, &l->pc) || *p == end || **p != ' ') {
		bad_text(r, *p, end, "a program counter in hexadecimal");
		return NULL;
	}
	*p = text_skip(*p, end);
	const char *at = *p;
	if (!text_hex(p, end, &mask) || *p == end || **p != ' ' || mask > UINT32_MAX) {
		bad_text(r, *p, end, "a mask of 32 lanes in hexadecimal");
		return NULL;
	}
	l->mask_at = *p - at == MASK_DIGITS ? at : NULL;
	*p = text_skip(*p, end);
	l->mask = (uint32_t)mask;
	return find_inst(r, p, end, l);
}

// What stands behind the access width.
static bool parse_rest(struct trace_lines *r, const char *p, const char *end, struct trace_inst *t, uint32_t mask,
                       struct trace_pack *pack)
{
	if (r->code->written)
		return parse_written(r, p, end, t, mask, pack);
	if (t->has_address && mask && !parse_addresses(r, &p, end, t, mask, pack))
		return false;
	if (t->how == TRACE_BULK && mask && !parse_copy(r, &p, end, t->width, pack))
		return false;
	if (mask)
		parse_more(t, p, end, mask, pack);
	if (t->how == TRACE_LISTED && mask)
		return parse_listed(r, p, end, t, pack);
	const char *bar = r->executed ? memchr(p, '|', (size_t)(end - p)) : NULL;
	end = bar ? bar : end;
	if (t->how == TRACE_BULK && r->code->machine) {
		bar = memchr(p, '|', (size_t)(end - p));
		end = bar ? bar : end;
	}
	bool free_form = t->any_tail || ((t->has_address || t->how == TRACE_BULK) && !mask);
	if (!free_form && !text_tail(p, end, r->code->header.version))
		return bad_text(r, p, end, "the end of the line or an immediate");
	return true;
}

// True if a line begins as the last one of this instruction did, but for its lanes.
static bool same_head(const struct trace_inst *t, const char *p, const char *end, uint32_t *mask)
{
	size_t n = (size_t)(end - p);
	if (!t || !t->head || t->by_imm || n < t->head || (n > t->head && p[t->head] != ' '))
		return false;
	if (!memcmp(t->line, p, t->head)) {
		*mask = t->line_mask;
		return true;
	}
	const uint32_t behind = t->mask_at + MASK_DIGITS;
	const char *q = p + t->mask_at;
	uint64_t v;
	if (!t->mask_at || memcmp(t->line, p, t->mask_at) || memcmp(t->line + behind, p + behind, t->head - behind) ||
	    !text_hex(&q, p + behind, &v) || q != p + behind)
		return false;
	*mask = (uint32_t)v;
	return true;
}

// `packed`: what the line says beside instruction and lanes has been packed.
static void keep_line(struct trace_lines *r, struct trace_inst *t, const char *p, const char *head_end, uint32_t mask,
                      bool packed)
{
	const char *next = text_next(&r->text);
	t->whole = !packed && next[-1] == '\n';
	t->line_len = trace_keep(&t->line, &t->line_cap, p, (size_t)((t->whole ? next : head_end) - p));
	t->head = (uint32_t)(head_end - p);
	t->line_mask = mask;
}

bool trace_lines_take(struct trace_lines *r, const char *p, const char *end, struct trace_pack *pack, bool *second)
{
	struct trace_line l;
	const size_t tail = strlen(TRACE_MACHINE_APART);
	const char *from = p;
	l.apart = r->code->machine && (size_t)(end - p) > tail && !memcmp(end - tail, TRACE_MACHINE_APART, tail);
	end -= l.apart ? tail : 0;
	struct trace_inst *t = trace_pack_likely(pack, r->code);
	const bool known = same_head(t, p, end, &l.mask) && t->apart == l.apart;
	if (known)
		p += t->head;
	else if (!(t = parse_head(r, &p, end, &l)))
		return false;
	const char *head_end = p;
	if (second && is_copy(t)) {
		*second = !*second;
		if (*second)
			return true;
	}
	if (t->marker)
		return true;
	size_t before = pack->adr.n;
	trace_pack_inst(pack, t, l.mask);
	if (!parse_rest(r, p, end, t, l.mask, pack))
		return false;
	if (!known)
		t->mask_at = l.mask_at ? (uint32_t)(l.mask_at - from) : 0;
	if (!known || l.mask != t->line_mask)
		keep_line(r, t, from, head_end, l.mask, second || pack->adr.n != before);
	return true;
}

bool trace_lines_repeat(struct trace_lines *r, struct trace_pack *pack)
{
	struct trace_inst *t = trace_pack_likely(pack, r->code);
	if (!t || !t->whole || !text_repeats(&r->text, t->line, t->line_len))
		return false;
	trace_pack_inst(pack, t, t->line_mask);
	return true;
}
