#include "cuda-sim/trace/machine.h"

#include "base/mem.h"
#include "cuda-sim/sass/machine/form.h"
#include "cuda-sim/trace/sync.h"
#include "cuda-sim/trace/text.h"

#include <stdio.h>
#include <string.h>

enum { MAX_CODE = 1 << 20 };

static bool number(const char **p, const char *end, uint64_t max, uint64_t *v)
{
	*p = text_skip(*p, end);
	return text_decimal(p, end, v) && *v <= max;
}

void trace_machine_new(struct trace_code *c, uint64_t code_base, uint32_t local, uint32_t prefers, uint32_t n)
{
	struct trace_machine *m = MEM_NEW(struct trace_machine);
	*m = (struct trace_machine){.n = n, .local = local, .prefers = prefers, .code_base = code_base};
	m->word = mem_alloc(n * sizeof *m->word + 1);
	m->how = mem_alloc(n + (size_t)1);
	m->inst = mem_alloc(n * sizeof *m->inst + 1);
	m->sass = mem_alloc(n * sizeof *m->sass + 1);
	m->text = mem_alloc(n * sizeof *m->text + 1);
	c->machine = m;
}

bool trace_machine_add(struct trace_code *c, unsigned how, struct sass_word word)
{
	struct trace_machine *m = c->machine;
	if (!m || m->filled == m->n || how >= TRACE_MACHINE_N_HOW)
		return false;
	m->how[m->filled] = (uint8_t)how;
	m->word[m->filled++] = word;
	return true;
}

bool trace_machine_begin(struct trace_code *c, const char *p, const char *end)
{
	uint64_t version, base, local, prefers, n;
	bool ok = number(&p, end, TRACE_MACHINE_VERSION, &version) && version && number(&p, end, UINT64_MAX, &base) &&
	          number(&p, end, UINT32_MAX, &local) && number(&p, end, 2, &prefers) && number(&p, end, MAX_CODE, &n) &&
	          text_skip(p, end) == end;
	if (!ok)
		return false;
	trace_machine_new(c, base, (uint32_t)local, (uint32_t)prefers, (uint32_t)n);
	return true;
}

void trace_machine_free(struct trace_machine *m)
{
	if (!m)
		return;
	mem_free(m->word);
	mem_free(m->how);
	mem_free(m->inst);
	mem_free(m->sass);
	mem_free((void *)(uintptr_t)m->text);
	mem_free(m);
}

bool trace_machine_line(struct trace_code *c, const char *p, const char *end)
{
	enum { DIGITS = 16 };
	uint64_t how, half[2];
	if (!number(&p, end, TRACE_MACHINE_N_HOW - 1, &how))
		return false;
	p = text_skip(p, end);
	for (unsigned k = 0; k < 2; k++) {
		const char *stop = p + DIGITS;
		if (end - p < DIGITS || !text_hex(&p, stop, &half[k]) || p != stop)
			return false;
	}
	return (p == end || *p == ' ') && trace_machine_add(c, (unsigned)how, (struct sass_word){.lo = half[1], .hi = half[0]});
}

// What lowering tells of an instruction beyond its form.
static void complete(struct isa_inst *i, const struct isa_sass *s, enum trace_machine_how how, const char *text)
{
	struct sass_name k;
	const char *op = *text == '@' ? text + strcspn(text, " ") : text;
	op += strspn(op, " ");
	sass_name_split(&k, op, strcspn(op, " "));
	if (trace_copy_kind(&k) >= 0 || (k.n && (sass_name_is(&k, 0, "STAS") || sass_name_is(&k, 0, "REDAS")))) {
		i->async = ISA_ASYNC_BULK_COPY;
		i->ordered = true;
		i->has_access = false;
	}
	if (k.n && sass_name_is(&k, 0, "UTMACMDFLUSH"))
		i->async = ISA_ASYNC_BULK_COMMIT;
	if (k.n && sass_name_is(&k, 0, "SYNCS") && sass_name_has(&k, "ARRIVE"))
		i->ordered = sass_name_has(&k, "RED");
	i->ordered |= how == TRACE_MACHINE_CALL;
	if (how != TRACE_MACHINE_LIST || s->constant_load)
		return;
	i->has_access = true;
	i->space = SPACE_TEX;
}

bool trace_machine_decode(struct trace_code *c, char *why, size_t n)
{
	struct trace_machine *m = c->machine;
	struct arena rows = {0};
	struct sass_decoded d;
	char reason[160] = "";
	const char *wrong = NULL;
	if (c->generation < SASS_VOLTA) {
		snprintf(why, n, "machine code of a program that ran, for %s; expected Volta to Blackwell", sass_generation_name(c->generation));
		return false;
	}
	const struct sass_isa *isa = sass_isa_new(&rows, c->generation);
	for (uint32_t k = 0; k < m->n && !wrong; k++) {
		uint64_t pc = (uint64_t)k * TRACE_MACHINE_BYTES;
		wrong = sass_decode(isa, m->word[k], pc, &d, reason, sizeof reason) ? sass_form(&m->inst[k], &m->sass[k], &d, c->rules.units)
		                                                                  : reason;
		if (!wrong) {
			char text[256];
			sass_print(&d, text, sizeof text);
			complete(&m->inst[k], &m->sass[k], m->how[k], text);
			m->text[k] = arena_strdup(&c->strings, text);
			m->inst[k].text = k;
			continue;
		}
		snprintf(why, n, "the code of the kernel: %016llx%016llx at pc 0x%llx: %s", (unsigned long long)m->word[k].hi,
		         (unsigned long long)m->word[k].lo, (unsigned long long)pc, wrong);
	}
	arena_free(&rows);
	return !wrong;
}

// Where the constants lie that an LDC without a register loads.
static uint64_t constants_of(const struct isa_sass *s)
{
	for (unsigned k = 0; k < s->n_src; k++)
		if (s->src[k].file == ISA_FILE_CONST)
			return isa_const_address(s->src[k].reg, s->src[k].offset);
	return 0;
}

bool trace_machine_inst(struct trace_code *c, uint64_t pc, bool addresses, bool apart, struct trace_inst *out, char *why, size_t n)
{
	const struct trace_machine *m = c->machine;
	uint64_t k = pc / TRACE_MACHINE_BYTES;
	if (pc % TRACE_MACHINE_BYTES || k >= m->n) {
		snprintf(why, n, "pc 0x%llx is none of the %u instructions of the kernel", (unsigned long long)pc, m->n);
		return false;
	}
	out->isa = m->inst[k];
	out->imm = constants_of(&m->sass[k]);
	out->apart = apart;
	out->how = m->inst[k].cls != ISA_BARRIER || apart ? TRACE_PLAIN : strstr(m->text[k], ".ARV") ? TRACE_ARRIVE : TRACE_BARRIER;
	if (m->how[k] == TRACE_MACHINE_LIST)
		out->how = TRACE_LISTED;
	else if (m->how[k] == TRACE_MACHINE_CONSTANT)
		out->how = TRACE_CONSTANT;
	else if (addresses && out->isa.cls != ISA_CALL && out->isa.cls != ISA_RET)
		out->how = TRACE_ACCESS;
	out->has_address = out->how == TRACE_ACCESS;
	out->n_access = out->has_address;
	return true;
}

void trace_machine_result(const struct trace_inst *t, struct trace_cursor *cursor, struct fe_result *out)
{
	out->n_access = (uint32_t)trace_cursor_number(cursor);
	for (uint32_t k = 0; k < out->n_access; k++) {
		struct fe_access *a = &out->access[k];
		a->write = t->isa.cls == ISA_STORE || t->isa.cls == ISA_ATOMIC;
		a->atomic = t->isa.cls == ISA_ATOMIC;
		a->space = (uint8_t)trace_cursor_number(cursor);
		a->bytes = (uint8_t)trace_cursor_number(cursor);
		a->mask = (uint32_t)trace_cursor_number(cursor);
		trace_cursor_addresses_of(cursor, a->mask, a->addr);
	}
}
