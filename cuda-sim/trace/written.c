#include "cuda-sim/trace/written.h"

#include "base/mem.h"
#include "cuda-sim/trace/text.h"

#include <stdio.h>
#include <string.h>

enum { MAX_CODE = 1 << 20, MAX_REGISTERS = 1 << 16, FLAG_VOLATILE = 1, FLAG_UNIFORM = 2, FLAG_ACCESS = 4, FLAGS = 7 };

const char *trace_written_space(unsigned space)
{
	static const char *const names[] = {"NONE", "GENERIC", "GLOBAL", "SHARED", "LOCAL", "CONST", "PARAM", "TEX"};
	return names[space < sizeof names / sizeof *names ? space : 0];
}

// The next number up to `max`.
static bool number(const char **p, const char *end, uint64_t max, uint64_t *v)
{
	*p = text_skip(*p, end);
	return text_decimal(p, end, v) && *v <= max;
}

bool trace_written_begin(struct trace_code *c, const char *p, const char *end)
{
	uint64_t version, registers, base, local, prefers, n;
	bool ok = number(&p, end, TRACE_WRITTEN_VERSION, &version) && version &&
	          number(&p, end, MAX_REGISTERS, &registers) && number(&p, end, UINT64_MAX, &base) &&
	          number(&p, end, UINT32_MAX, &local) && number(&p, end, 2, &prefers) && number(&p, end, MAX_CODE, &n) &&
	          text_skip(p, end) == end;
	if (!ok)
		return false;
	struct trace_written *w = MEM_NEW(struct trace_written);
	*w = (struct trace_written){
		.registers = (uint32_t)registers, .local = (uint32_t)local, .prefers = (uint32_t)prefers, .n = (uint32_t)n,
		.code_base = base};
	w->inst = mem_alloc(n * sizeof *w->inst + 1);
	w->text = mem_alloc(n * sizeof *w->text + 1);
	c->written = w;
	return true;
}

void trace_written_free(struct trace_written *w)
{
	if (!w)
		return;
	mem_free(w->inst);
	mem_free((void *)(uintptr_t)w->text);
	mem_free(w);
}

static bool registers(const struct trace_written *w, const char **p, const char *end, unsigned max, uint8_t *n,
                      uint16_t *reg, uint16_t *bank)
{
	uint64_t count, v;
	if (!number(p, end, max, &count))
		return false;
	for (unsigned i = 0; i < count; i++) {
		if (!number(p, end, UINT16_MAX, &v) || v >= w->registers)
			return false;
		reg[i] = (uint16_t)v;
		bank[i] = ISA_NO_BANK;
		if (*p < end && **p == ':') {
			++*p;
			if (!text_decimal(p, end, &v) || v >= ISA_NO_BANK)
				return false;
			bank[i] = (uint16_t)v;
		}
	}
	*n = (uint8_t)count;
	return true;
}

// By the text of an instruction of its class, PTX's or machine code's: is it a barrier of the CTA, and does a warp wait there?
static uint8_t barrier_of(const char *text)
{
	if (strstr(text, ".warp.") || strstr(text, ".cluster"))
		return ISA_BARRIER_NONE;
	return strstr(text, ".arrive") || strstr(text, ".ARV") ? ISA_BARRIER_ARRIVE : ISA_BARRIER_SYNC;
}

// #inst CLASS UNIT SPACE BYTES CACHE FLAGS LINE READ  SOURCES REGISTER:BANK ...  DESTINATIONS REGISTER:BANK ...  [!
// ASYNC KEEP] ; TEXT
bool trace_written_inst(struct trace_code *c, const char *p, const char *end)
{
	struct trace_written *w = c->written;
	uint64_t cls, unit, space, bytes, cache, flags, line, read;
	if (!w || w->filled == w->n)
		return false;
	struct isa_inst *i = &w->inst[w->filled];
	p += strlen("#inst");
	bool ok = number(&p, end, ISA_N_CLASSES - 1, &cls) && number(&p, end, 8, &unit) &&
	          number(&p, end, SPACE_TEX, &space) && number(&p, end, 128, &bytes) &&
	          number(&p, end, ISA_CACHE_NC, &cache) && number(&p, end, FLAGS, &flags) &&
	          number(&p, end, UINT32_MAX, &line) && number(&p, end, ISA_MAX_SRC, &read) &&
	          registers(w, &p, end, ISA_MAX_SRC, &i->n_src, i->src, i->src_bank) &&
	          registers(w, &p, end, ISA_MAX_DST, &i->n_dst, i->dst, i->dst_bank);
	p = text_skip(p, end);
	if (ok && p < end && *p == '!') {
		uint64_t async, keep;
		p++;
		ok = number(&p, end, ISA_ASYNC_MMA_WAIT, &async) && number(&p, end, UINT8_MAX, &keep);
		i->async = (uint8_t)async;
		i->async_keep = (uint8_t)keep;
		p = text_skip(p, end);
	}
	if (!ok || p == end || *p != ';' || read > i->n_src)
		return false;
	i->pc = (uint64_t)w->filled * TRACE_WRITTEN_BYTES;
	i->cls = (uint8_t)cls;
	i->unit = (uint8_t)(unit && c->rules.units >> (unit - 1) & 1 ? unit : 0);
	i->space = (uint8_t)space;
	i->bytes = (uint8_t)bytes;
	i->cache_op = (uint8_t)cache;
	i->is_volatile = flags & FLAG_VOLATILE;
	i->is_uniform_branch = flags & FLAG_UNIFORM;
	i->has_access = flags & FLAG_ACCESS;
	i->line = (uint32_t)line;
	i->n_read = (uint8_t)read;
	p = text_skip(p + 1, end);
	const char *text = w->text[w->filled++] = arena_strndup(&c->strings, p, (size_t)(end - p));
	i->barrier = cls == ISA_BARRIER ? barrier_of(text) : ISA_BARRIER_NONE;
	return true;
}

// --- instruction lines: the opcode's suffixes tell what follows the access width

static bool suffix(const struct trace_line *l, const char *name, unsigned *value)
{
	const char *p = l->op, *end = l->op + l->op_len;
	while ((p = memchr(p, '.', (size_t)(end - p)))) {
		p++;
		if (!text_is(p, end, name))
			continue;
		const char *q = p + strlen(name);
		uint64_t v = 0;
		bool has_number = value && text_decimal(&q, end, &v) && v <= FE_MAX_ACCESS;
		if ((q == end || *q == '.') && (!value || has_number)) {
			if (value)
				*value = (unsigned)v;
			return true;
		}
	}
	return false;
}

bool trace_written_decode(struct trace_code *c, const struct trace_line *l, struct trace_inst *out, char *why, size_t n)
{
	const struct trace_written *w = c->written;
	uint64_t index = l->pc / TRACE_WRITTEN_BYTES;
	unsigned many = 0;
	if (l->pc % TRACE_WRITTEN_BYTES || index >= w->filled) {
		snprintf(why, n, "pc 0x%llx is none of the %u instructions in the header", (unsigned long long)l->pc,
		         w->filled);
		return false;
	}
	out->isa = w->inst[index];
	out->how = suffix(l, "SYNC", NULL) ? TRACE_BARRIER : suffix(l, "ARV", NULL) ? TRACE_ARRIVE : TRACE_PLAIN;
	out->has_active = suffix(l, "ACT", NULL);
	if (suffix(l, "X", &many)) {
		out->many = true;
		out->n_access = (uint8_t)many;
	} else if (l->width) {
		out->n_access = 1;
		out->access_bytes = (uint8_t)l->width;
		out->access_space = SPACE_GLOBAL;
		while (out->access_space <= SPACE_TEX && !suffix(l, trace_written_space(out->access_space), NULL))
			out->access_space++;
		if (out->access_space > SPACE_TEX || l->width > 128) {
			snprintf(why, n,
			         "'%.*s' of %u bytes: expected a space (GLOBAL, SHARED, LOCAL, CONST, PARAM, TEX) and up to 128 "
			         "bytes",
			         (int)(l->op_len < 64 ? l->op_len : 64), l->op, l->width);
			return false;
		}
	}
	return true;
}

void trace_written_result(const struct trace_inst *t, struct trace_cursor *cursor, struct fe_result *out)
{
	out->active = t->has_active ? (uint32_t)trace_cursor_number(cursor) : out->mask;
	for (unsigned k = 0; k < t->n_access; k++) {
		struct fe_access *a = &out->access[k];
		a->space = t->access_space;
		a->bytes = t->access_bytes;
		a->mask = out->mask;
		a->write = t->isa.cls == ISA_STORE || t->isa.cls == ISA_ATOMIC;
		a->atomic = t->isa.cls == ISA_ATOMIC;
		if (t->many) {
			a->space = (uint8_t)trace_cursor_number(cursor);
			a->bytes = (uint8_t)trace_cursor_number(cursor);
			a->mask = (uint32_t)trace_cursor_number(cursor);
		}
		trace_cursor_addresses_of(cursor, a->mask, a->addr);
	}
	out->n_access = t->n_access;
}
