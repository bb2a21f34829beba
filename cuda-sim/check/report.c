// Reports: what was found, in words; what came again, counted; what is suppressed, left out.
#include "cuda-sim/check/parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *check_number(uint64_t n)
{
	static char text[4][32];
	static unsigned turn;
	char *out = text[turn++ % 4], digits[24];
	int len = snprintf(digits, sizeof digits, "%" PRIu64, n), to = 0;
	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			out[to++] = ',';
		out[to++] = digits[i];
	}
	out[to] = 0;
	return out;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

void check_place(struct check *c, const struct kernel_launch *l, const struct isa_inst *inst, bool offset, char *buf, size_t len)
{
	struct fe_place p;
	l->fe->place(l->code, inst, &p);
	int n = snprintf(buf, len, "%.400s", c->setup.plain(c->setup.ctx, p.function));
	if (offset && n > 0 && (size_t)n < len)
		n += snprintf(buf + n, len - (size_t)n, "+0x%" PRIx64, inst->pc - p.function_pc);
	if (n < 0 || (size_t)n >= len)
		return;
	if (p.source)
		snprintf(buf + n, len - (size_t)n, " in %.150s:%u", base_name(p.source), p.source_line);
	else if (p.line && offset)
		snprintf(buf + n, len - (size_t)n, " in %.150s:%u", base_name(p.file), p.line);
}

void check_caller(const struct kernel_launch *l, const struct isa_inst *inst, const char *head, char *buf, size_t len)
{
	struct fe_place p;
	l->fe->place(l->code, inst, &p);
	buf[0] = 0;
	if (p.call_source)
		snprintf(buf, len, "%s%.150s:%u", head, base_name(p.call_source), p.call_line);
}

void check_where(struct check *c, const struct kernel_launch *l, const struct isa_inst *inst, struct check_where *out)
{
	check_place(c, l, inst, true, out->at, sizeof out->at);
	check_place(c, l, inst, false, out->name, sizeof out->name);
	check_caller(l, inst, ", called at ", out->call, sizeof out->call);
}

void check_thread(const struct exec_cta *x, unsigned warp, unsigned lane, uint32_t out[3])
{
	const uint32_t linear = warp * WARP + lane;
	out[0] = linear % x->block[0];
	out[1] = linear / x->block[0] % x->block[1];
	out[2] = linear / x->block[0] / x->block[1];
}

// --- stacks

void check_stack_lines(struct check *c, const struct check_stack *s, char *buf, size_t len)
{
	size_t n = 0;
	bool last = false;
	buf[0] = 0;
	for (unsigned i = 0; s && i < s->n && !last && n + 1 < len; i++) {
		char frame[400];
		c->setup.frame(c->setup.ctx, s->at[i], frame, sizeof frame, &last);
		if (!*frame)
			continue;
		int k = snprintf(buf + n, len - n, "        Host Frame: %s\n", frame);
		if (k < 0 || (size_t)k >= len - n) {
			buf[n] = 0;
			return;
		}
		n += (size_t)k;
	}
}

void check_stack_name(struct check *c, const struct check_stack *s, char *buf, size_t len)
{
	bool last = false;
	buf[0] = 0;
	for (unsigned i = 0; s && i < s->n && !last && !*buf; i++)
		c->setup.frame(c->setup.ctx, s->at[i], buf, len, &last);
	char *offset = strstr(buf, " ["), *in = strstr(buf, " in ");
	if (offset && in && in > offset)
		memmove(offset, in, strlen(in) + 1);
}

static void add(char *buf, size_t len, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void add(char *buf, size_t len, const char *fmt, ...)
{
	size_t n = strlen(buf);
	va_list ap;
	va_start(ap, fmt);
	int k = vsnprintf(buf + n, len - n, fmt, ap);
	va_end(ap);
	if (k >= 0 && (size_t)k < len - n)
		return;
	char *end = strrchr(buf, '\n');
	*(end ? end + 1 : buf) = 0; // what does not fit is left out by whole lines
}

static void add_stack(struct check *c, const char *head, const struct check_stack *s, char *buf, size_t len)
{
	char lines[CHECK_STACK];
	check_stack_lines(c, s, lines, sizeof lines);
	if (*lines)
		add(buf, len, "    %s\n%s", head, lines);
}

static const char *noun(enum devmem_kind kind)
{
	return kind == DEVMEM_GLOBAL   ? "block of __device__ variables"
	       : kind == DEVMEM_CONST ? "block of constants"
	                              : "allocation";
}

// The live range nearest to an address.
static const struct devmem_range *nearest(const struct devmem *m, uint64_t addr)
{
	size_t lo = 0, hi = m->n_range;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (m->range[mid].base <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	const struct devmem_range *below = lo ? &m->range[lo - 1] : NULL, *next = lo < m->n_range ? &m->range[lo] : NULL;
	if (!below || !next)
		return below ? below : next;
	uint64_t end = below->base + below->size;
	return addr < end || addr - end < next->base - addr ? below : next;
}

void check_about(struct check *c, uint64_t addr, uint32_t bytes, char *buf, size_t len)
{
	enum { NULL_PAGE = 4096 };
	const struct devmem_range *r = nearest(c->setup.mem, addr);
	const struct check_block *dead = r && addr - r->base < r->size ? NULL : blocks_dead_at(&c->blocks, addr);
	buf[0] = 0;
	if (dead) {
		add(buf, len, "    and is %s bytes inside the freed allocation at 0x%" PRIx64 " of size %s bytes\n", check_number(addr - dead->base),
		    dead->base, check_number(dead->size));
		add_stack(c, "Saved host backtrace up to driver entry point at free time", blocks_stack(&c->blocks, dead->freed), buf, len);
		add_stack(c, "Saved host backtrace up to driver entry point at allocation time", blocks_stack(&c->blocks, dead->made), buf, len);
		return;
	}
	if (addr < NULL_PAGE) {
		add(buf, len, "    and is a null pointer%s\n", addr ? " with an offset" : "");
		return;
	}
	if (!r)
		return;
	const char *a = noun(r->kind);
	uint64_t end = r->base + r->size;
	if (addr - r->base < r->size)
		add(buf, len, "    and is inside the nearest %s at 0x%" PRIx64 " of size %s bytes\n", a, r->base, check_number(r->size));
	else if (addr >= end)
		add(buf, len, "    and is %s bytes after the nearest %s at 0x%" PRIx64 " of size %s bytes\n", check_number(addr - end + 1), a, r->base,
		    check_number(r->size));
	else
		add(buf, len, "    and is %s bytes before the nearest %s at 0x%" PRIx64 " of size %s bytes\n", check_number(r->base - addr), a, r->base,
		    check_number(r->size));
	add_stack(c, "Saved host backtrace up to driver entry point at allocation time", blocks_made(&c->blocks, r->base), buf, len);
}

// --- suppressions

// A '*' stands for any text.
static bool matches(const char *pattern, const char *text)
{
	const char *star = NULL, *from = NULL;
	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			from = text;
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

// Without blanks at its ends.
static size_t trimmed(const char **line)
{
	*line += strspn(*line, " \t");
	size_t n = strlen(*line);
	while (n && strchr(" \t\r\n", (*line)[n - 1]))
		n--;
	return n;
}

const char *check_suppression_wrong(const char *line)
{
	size_t n = trimmed(&line);
	const char *colon = memchr(line, ':', n);
	if (!n || *line == '#')
		return NULL;
	if (!colon || !(check_tool_of(line, (size_t)(colon - line)) || (colon == line + 1 && *line == '*')))
		return "it does not begin with 'memcheck:', 'racecheck:', 'initcheck:', 'synccheck:' or '*:'";
	if (colon + 1 == line + n)
		return "nothing stands behind the name of the tool; '*' stands for any text";
	return NULL;
}

const char *check_suppress(struct check *c, const char *line)
{
	const char *why = check_suppression_wrong(line);
	size_t n = trimmed(&line);
	if (why || !n || *line == '#')
		return why;
	bool all = !strncmp(line, "all:", 4);
	struct suppression s = {.pattern = mem_alloc(n + 2)};
	snprintf(s.pattern, n + 2, "%s%.*s", all ? "*" : "", (int)(all ? n - 3 : n), all ? line + 3 : line);
	VEC_PUSH(&c->suppression, s);
	return NULL;
}

static bool is_suppressed(const struct check *c, const char *signature)
{
	for (size_t i = 0; i < c->suppression.n; i++)
		if (matches(c->suppression.at[i].pattern, signature))
			return true;
	return false;
}

// --- reports

struct report *report_find(struct check *c, const char *key)
{
	if (c->last_report < c->report.n && !strcmp(c->report.at[c->last_report].key, key))
		return &c->report.at[c->last_report];
	for (size_t i = 0; i < c->report.n; i++)
		if (!strcmp(c->report.at[i].key, key)) {
			c->last_report = i;
			return &c->report.at[i];
		}
	return NULL;
}

struct report *report_add(struct check *c, const char *key, const char *signature, const char *text)
{
	struct report r = {.key = mem_strdup(key), .signature = mem_strdup(signature), .text = mem_strdup(text)};
	r.suppressed = is_suppressed(c, signature);
	VEC_PUSH(&c->report, r);
	c->last_report = c->report.n - 1;
	return &c->report.at[c->last_report];
}

void report_again(struct check *c, struct report *r, uint64_t lanes)
{
	r->times++;
	r->lanes += lanes;
}

// Lines get the prefix; a '#' in the line of a race is its count.
static void put_lines(struct check *c, const struct report *r)
{
	char line[1400];
	const char *severity = !r->race ? "" : r->race_error ? "Error: " : "Warning: ";
	for (const char *s = r->text; *s; severity = "") {
		size_t n = strcspn(s, "\n");
		const char *count = r->race ? memchr(s, '#', n) : NULL;
		if (count && count[-1] == '[')
			snprintf(line, sizeof line, "========= %s%.*s%s%.*s\n", severity, (int)(count - s), s, check_number(r->lanes), (int)(n - (size_t)(count - s) - 1),
			         count + 1);
		else
			snprintf(line, sizeof line, "========= %s%.*s\n", severity, (int)n, s);
		c->setup.put(c->setup.ctx, line);
		s += n + (s[n] == '\n');
	}
}

static void put(struct check *c, struct report *r)
{
	struct check_counts *n = c->setup.counts;
	char line[200];
	r->put = true;
	r->told = r->times;
	if (r->suppressed) {
		n->suppressed++;
		return;
	}
	n->reports++;
	n->races += r->race;
	n->race_errors += r->race_error;
	if (c->setup.save) {
		char saved[1700];
		snprintf(saved, sizeof saved, "%.1600s\n", r->signature);
		c->setup.save(c->setup.ctx, saved);
	}
	if (c->setup.limit && n->reports > c->setup.limit) {
		n->unprinted++;
		return;
	}
	put_lines(c, r);
	if (!r->race && (r->times > 1 || r->lanes > 1)) {
		snprintf(line, sizeof line, "=========     and so did %s more thread%s\n", check_number(r->lanes - 1), r->lanes == 2 ? "" : "s");
		if (r->lanes > 1)
			c->setup.put(c->setup.ctx, line);
	}
	c->setup.put(c->setup.ctx, "=========\n");
}

void reports_put(struct check *c)
{
	for (size_t i = 0; i < c->report.n; i++)
		if (!c->report.at[i].put)
			put(c, &c->report.at[i]);
}

static const struct check_launch_info *launch_info(const struct check *c, const struct kernel_launch *l)
{
	for (size_t i = c->launch.n; i-- > 0;)
		if (c->launch.at[i].launch == l)
			return &c->launch.at[i];
	return NULL;
}

bool check_found(struct check *c, const struct finding *f)
{
	const struct exec_cta *x = f->warp->cta;
	char key[300];
	snprintf(key, sizeof key, "%s %p %p %.200s", f->tool, (const void *)x->launch->info, (const void *)f->inst, f->title);
	struct report *r = report_find(c, key);
	if (!r) {
		const struct check_launch_info *l = launch_info(c, x->launch);
		char place[700], signature[1000], text[CHECK_ALSO + CHECK_STACK + 2000] = "", caller[200];
		uint32_t t[3];
		check_thread(x, f->warp->id, f->lane, t);
		check_place(c, x->launch, f->inst, false, place, sizeof place);
		snprintf(signature, sizeof signature, "%s: %s at %s", f->tool, f->title, place);
		check_place(c, x->launch, f->inst, true, place, sizeof place);
		add(text, sizeof text, "%s\n    at %s\n    by thread (%u,%u,%u) in block (%u,%u,%u)\n%s", f->title, place, t[0], t[1], t[2], x->id[0],
		    x->id[1], x->id[2], f->also ? f->also : "");
		check_caller(x->launch, f->inst, "", caller, sizeof caller);
		if (*caller)
			add(text, sizeof text, "    Device Frame: %.400s in %s\n", c->setup.plain(c->setup.ctx, x->launch->info->name), caller);
		if (l)
			add_stack(c, "Saved host backtrace up to driver entry point at kernel launch time", &l->where, text, sizeof text);
		r = report_add(c, key, signature, text);
	}
	report_again(c, r, f->lanes);
	return !r->suppressed;
}
