#include "cuda-sim/trace/reader.h"

#include "cuda-sim/trace/lines.h"
#include "cuda-sim/trace/machine.h"
#include "cuda-sim/trace/written.h"

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
	struct trace_lines lines;
	uint64_t first, last, n_cta, at;  // range; of the grid; CTAs passed
	uint32_t n_warps;
	struct trace_pack pack;
	uint64_t *seen;
	bool raw, sorted;
	struct raw_warp **raw_cta;        // by number in the grid
};

#define fail(r, ...) trace_lines_fail(&(r)->lines, __VA_ARGS__)
#define bad_text(r, p, end, expected) trace_lines_expected(&(r)->lines, p, end, expected)

const char *trace_reader_error(const struct trace_reader *r) { return r->lines.text.error; }

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
	struct trace_header *h = &r->lines.code->header;
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
		return trace_written_begin(r->lines.code, p, end) ||
		       fail(r, "expected '-heddle = %d REGISTERS CODE_BASE LOCAL PREFERS INSTRUCTIONS'", TRACE_WRITTEN_VERSION);
	// By Accel-Sim's rules the code is not known before it is met.
	case F_MACHINE:
		r->lines.executed = r->lines.code->rules.accelsim;
		return r->lines.code->rules.accelsim || trace_machine_begin(r->lines.code, p, end) ||
		       fail(r, "expected '-heddle sass = %d CODE_BASE LOCAL PREFERS INSTRUCTIONS'", TRACE_MACHINE_VERSION);
	case F_CODE:
		return r->lines.code->rules.accelsim || trace_machine_line(r->lines.code, p, end) ||
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
	const struct trace_header *h = &r->lines.code->header;
	for (unsigned f = 0; f < F_N; f++)
		if (required[f] && !seen[f])
			return fail(r, "the header ends without '-%s = ...'", fields[f]);
	if (h->version < TRACE_MIN_VERSION || h->version > TRACE_MAX_VERSION)
		return fail(r, "tracer version %u; this reader takes versions %d to %d", h->version, TRACE_MIN_VERSION,
		            TRACE_MAX_VERSION);
	const struct trace_machine *m = r->lines.code->machine;
	char why[400];
	if (!trace_header_check(r->lines.code, &r->n_cta, &r->n_warps, why, sizeof why))
		return fail(r, "%s", why);
	if (m && m->filled != m->n)
		return fail(r, "the header ends after %u of %u instructions", m->filled, m->n);
	return !m || trace_machine_decode(r->lines.code, why, sizeof why) || fail(r, "%s", why);
}

// Up to the first line that is neither empty, nor a comment, nor a field.
static bool read_header(struct trace_reader *r)
{
	bool seen[F_N] = {0};
	const struct trace_code *code = r->lines.code;
	const char *p, *end;
	while (text_line(&r->lines.text, &p, &end)) {
		if (p == end)
			continue;
		if (*p == '-') {
			if (!header_line(r, p, end, seen))
				return false;
		} else if (*p != '#' || text_is(p, end, "#BEGIN_TB")) {
			break;
		} else if (code->written && text_is(p, end, "#inst ") && !trace_written_inst(r->lines.code, p, end)) {
			return fail(r,
			            "expected one of %u lines '#inst CLASS UNIT SPACE BYTES CACHE FLAGS LINE READ SOURCES ... "
			            "DESTINATIONS ... ; TEXT'",
			            r->lines.code->written->n);
		}
	}
	if (r->lines.text.error)
		return false;
	if (code->written && code->written->filled != code->written->n)
		return fail(r, "the header ends after %u of %u instructions", code->written->filled, code->written->n);
	if (!check_header(r, seen))
		return false;
	r->raw = !r->lines.text.ended && *p != '#';
	text_unread(&r->lines.text);
	return true;
}

struct trace_reader *trace_reader_new(struct trace_source *s, const char *name, struct trace_code *code, uint64_t first,
                                      uint64_t last, char *why, size_t n)
{
	struct trace_reader *r = MEM_NEW(struct trace_reader);
	text_begin(&r->lines.text, s, name);
	r->lines.code = code;
	r->first = first;
	r->last = last;
	if (read_header(r)) {
		uint32_t size[3];
		if (!code->header.cluster[0] && trace_source_cluster(r->lines.text.source, size))
			memcpy(code->header.cluster, size, sizeof size);
		if (r->n_cta <= MAX_SEEN)
			r->seen = mem_try_alloc((size_t)(r->n_cta + 63) / 64 * 8);
		if (!r->raw || r->n_cta <= MAX_RAW_CTAS)
			return r;
		fail(r, "a raw trace of %llu CTAs is too large to sort; run Accel-Sim's post-processing on it",
		     (unsigned long long)r->n_cta);
	}
	snprintf(why, n, "%s", r->lines.text.error);
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
	text_end(&r->lines.text);
	mem_free(r);
}

uint64_t trace_reader_ctas(const struct trace_reader *r)
{
	uint64_t end = r->last < r->n_cta ? r->last + 1 : r->n_cta;
	return end > r->first ? end - r->first : 0;
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
	const uint32_t *g = r->lines.code->header.grid;
	if (id[0] < g[0] && id[1] < g[1] && id[2] < g[2])
		return true;
	return fail(r, "thread block %u,%u,%u is outside the grid (%u,%u,%u)", id[0], id[1], id[2], g[0], g[1], g[2]);
}

static uint64_t number_in_grid(const struct trace_reader *r, const uint32_t id[3])
{
	const uint32_t *g = r->lines.code->header.grid;
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
	if (r->lines.text.error)
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
	if (!text_line(&r->lines.text, &p, &end))
		return early_end(r, "behind 'warp ='");
	if (!value_of(p, end, "insts", &value) || !text_decimal(&value, end, &n) || n > UINT32_MAX / 4)
		return bad_text(r, p, end, "'insts = NUMBER' behind 'warp ='");
	trace_pack_begin(&r->pack);
	for (uint64_t i = 0; i < n; i++) {
		if (trace_lines_repeat(&r->lines, &r->pack))
			continue;
		if (!text_line(&r->lines.text, &p, &end))
			return early_end(r, "among the instructions of a warp");
		if (p == end || *p == '#' || *p == 'w' || *p == 't')
			return fail(r, "%llu instructions of warp %llu, expected %llu", (unsigned long long)i,
			            (unsigned long long)w, (unsigned long long)n);
		if (!trace_lines_take(&r->lines, p, end, &r->pack, NULL))
			return false;
	}
	trace_cta_put(to, &r->pack);
	return true;
}

static bool one_cta(struct trace_reader *r, struct trace_cta *to)
{
	const char *p, *end, *value;
	const uint32_t *block = r->lines.code->header.block;
	bool has_id = false;
	while (text_line(&r->lines.text, &p, &end)) {
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
			            r->n_warps, block[0], block[1], block[2]);
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
	while (text_line(&r->lines.text, &p, &end))
		if (p < end && *p == '#' && text_is(p, end, "#END_TB"))
			return true;
	return early_end(r, "inside a thread block");
}

static enum trace_read next_grouped(struct trace_reader *r, struct trace_cta *to)
{
	const char *p, *end;
	while (text_line(&r->lines.text, &p, &end)) {
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
	if (!r->lines.text.error && r->at < r->n_cta)
		fail(r, "the file ends after %llu of %llu thread blocks: some are missing", (unsigned long long)r->at,
		     (unsigned long long)r->n_cta);
	return r->lines.text.error ? TRACE_ERROR : TRACE_END;
}

// --- raw traces: "x y z warp" before each instruction, in the order in which they ran; from Accel-Sim 2.0 on followed by the numbers
// of the cluster and of the block in it, three each, and its rank

enum { RAW_CLUSTER = 7 };

// Behind the numbers of a cluster, if there are any: without them the mask, which has eight digits, comes second, or third behind a line.
static const char *pass_cluster(const struct trace_reader *r, const char *p, const char *end)
{
	const char *q = p = text_skip(p, end);
	for (unsigned i = 1 + r->lines.code->header.line_info; i; i--) {
		q = memchr(q, ' ', (size_t)(end - q));
		if (!q)
			return p;
		q = text_skip(q, end);
	}
	const char *stop = memchr(q, ' ', (size_t)(end - q));
	if (r->lines.code->header.version < 6 || (stop && stop - q == 8))
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
	return trace_lines_take(&r->lines, pass_cluster(r, p, end), end, &w->pack, &w->drop_copy);
}

static bool sort_raw(struct trace_reader *r)
{
	const char *p, *end;
	r->raw_cta = mem_alloc((size_t)r->n_cta * sizeof *r->raw_cta);
	while (text_line(&r->lines.text, &p, &end))
		if (p < end && *p != '#' && !raw_line(r, p, end))
			return false;
	return !r->lines.text.error;
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
	const uint32_t *g = r->lines.code->header.grid;
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
	if (r->lines.text.error)
		return TRACE_ERROR;
	if (!r->raw && r->at > r->last)
		return TRACE_END;
	enum trace_read got = r->raw ? next_raw(r, to) : next_grouped(r, to);
	trace_cta_end(to, r->lines.code);
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
