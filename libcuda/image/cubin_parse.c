// Text into a cubin's parts: lines, labels, directives, data. cubin_encode.c makes the instructions once all labels are known.
#include "cuda-sim/sass/text/lines.h"
#include "libcuda/image/cubin_encode.h"
#include "libcuda/image/cubin.h"
#include "libcuda/image/cubin_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_BANK = 1 << 16, MAX_DATA = 1 << 26, MAX_FUNCTIONS = 8000, MAX_TARGETS = 4096, MAX_PARAM_BYTES = 32764,
	UNSEEN_ARCH = 110, // no cubin of it was seen
	MAX_WORK = 1 << 22, // lines, repetitions included
};
static const uint64_t max_global = (uint64_t)1 << 40;

struct buffer {
	VEC(uint8_t) b;
};

// A word of data that is a place in the code.
struct pending_word {
	enum cubin_section section;
	uint32_t function, width;
	uint64_t at;
	const char *name;
	size_t len;
};

// A branch by register and where it may go.
struct pending_target {
	uint32_t function, inst;
	const char *name;
	size_t len;
};

struct parser {
	struct sass_lines l;
	struct cubin_parts *c;
	struct cubin_code code;
	VEC(struct buffer) bank2;                 // by function
	VEC(bool) stacked;                        // by function: .stack was given
	struct buffer data[CUBIN_SECTIONS];
	VEC(struct pending_word) word;
	VEC(struct pending_target) target;
	struct map external;
	int section;                              // enum cubin_section that data goes to; -1: none, instructions follow
	uint64_t cursor;
	struct cubin_fixup reloc;                 // of what comes next; symbol NULL: none
	const char *reloc_at;
	bool targeted;                            // .targets stand before the next instruction
	bool stopped;
};

// --- pieces

static struct cubin_function *now(struct parser *p) { return p->c->function.n ? &p->c->function.at[p->c->function.n - 1] : NULL; }

static bool number(struct sass_line *s, uint64_t *v, uint64_t least, uint64_t most)
{
	sass_blank(s);
	const char *at = s->at;
	if (!sass_number(s, v))
		return false;
	return (*v >= least && *v <= most) || sass_bad(s, at, (size_t)(s->at - at), "expected a number from %llu to %llu", (unsigned long long)least,
	                                               (unsigned long long)most);
}

static bool number32(struct sass_line *s, uint32_t *v, uint32_t least, uint32_t most)
{
	uint64_t n;
	if (!number(s, &n, least, most))
		return false;
	*v = (uint32_t)n;
	return true;
}

static bool comma(struct sass_line *s) { return sass_take(s, ',') || sass_bad(s, s->at, sass_thing(s), "expected a comma"); }

// A name as the linker knows it: all but blanks, commas and what stands for sums.
static const char *name(struct parser *p, const char *what)
{
	struct sass_line *s = &p->l.s;
	size_t n = 0;
	sass_blank(s);
	while (s->at + n < s->end && !isspace((unsigned char)s->at[n]) && !strchr(",+()", s->at[n]))
		n++;
	if (!n) {
		sass_bad(s, s->at, 1, "expected the name of %s", what);
		return NULL;
	}
	s->at += n;
	return arena_strndup(&p->c->arena, s->at - n, n);
}

static bool symbol(struct parser *p, struct cubin_fixup *x)
{
	bool minus = false;
	x->addend = 0;
	if (!(x->symbol = name(p, "a variable or function")))
		return false;
	if (!sass_take(&p->l.s, '+') && !(minus = sass_take(&p->l.s, '-')))
		return true;
	return number(&p->l.s, &x->addend, 0, UINT64_MAX);
}

// --- functions

static struct buffer *bank2_now(struct parser *p) { return &p->bank2.at[p->bank2.n - 1]; }

static bool begin_function(struct parser *p, bool kernel, const char *at)
{
	const char *called = name(p, kernel ? "the kernel" : "the function");
	if (!called)
		return false;
	if (cubin_parts_find(p->c, called))
		return sass_bad(&p->l.s, at, strlen(kernel ? ".kernel" : ".function"), "%s is defined twice", called);
	if (p->c->function.n == MAX_FUNCTIONS)
		return sass_bad(&p->l.s, at, 1, "more than %d kernels and functions", MAX_FUNCTIONS);
	struct cubin_function f = {.name = called, .kernel = kernel};
	VEC_PUSH(&p->c->function, f);
	VEC_PUSH(&p->bank2, (struct buffer){0});
	VEC_PUSH(&p->stacked, false);
	cubin_code_begin(&p->code);
	p->section = -1;
	return true;
}

// Text without .kernel is one kernel of that name.
static void need_function(struct parser *p)
{
	if (p->c->function.n)
		return;
	struct cubin_function f = {.name = "kernel", .kernel = true};
	VEC_PUSH(&p->c->function, f);
	VEC_PUSH(&p->bank2, (struct buffer){0});
	VEC_PUSH(&p->stacked, false);
	cubin_code_begin(&p->code);
}

static bool target(struct parser *p)
{
	struct sass_line *s = &p->l.s;
	sass_blank(s);
	const char *at = s->at;
	size_t n = sass_word(at, s->end), i = n > 3 && !memcmp(at, "sm_", 3) ? 3 : 0;
	unsigned v = 0;
	for (; i < n && isdigit((unsigned char)at[i]) && v < 1000; i++)
		v = v * 10 + (unsigned)(at[i] - '0');
	bool specific = i + 1 == n && at[i] == 'a';
	int g = i + specific == n ? sass_generation_of(v) : -1;
	s->at += n;
	if (g < SASS_VOLTA || v == UNSEEN_ARCH)
		return sass_bad(s, at, n, "'%.*s': cubins are made for sm_70, sm_72, sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_100, sm_103, sm_120 and sm_121, "
		                "with an a behind it from sm_90 on", (int)n, at);
	if (p->c->arch && (v != p->c->arch || specific != p->c->specific))
		return sass_bad(s, at, n, "the text is of sm_%u%s so far; a cubin is for one target", p->c->arch, p->c->specific ? "a" : "");
	p->c->arch = v;
	p->c->specific = specific;
	return true;
}

static bool param(struct parser *p, struct cubin_function *f)
{
	struct sass_line *s = &p->l.s;
	struct cubin_place at = {0};
	uint32_t first, end = 0;
	for (size_t i = 0; i < f->param.n; i++)
		if (f->param.at[i].offset + f->param.at[i].size > end)
			end = f->param.at[i].offset + f->param.at[i].size;
	const char *from = s->at;
	if (!number32(s, &first, 0, MAX_PARAM_BYTES))
		return false;
	if (sass_take(s, ',')) {
		at.offset = first;
		if (!number32(s, &at.size, 0, MAX_PARAM_BYTES))
			return false;
	} else { // at the next place that suits its size
		uint32_t align = first >= 8 ? 8 : first >= 4 ? 4 : first >= 2 ? 2 : 1;
		at = (struct cubin_place){.offset = (end + align - 1) / align * align, .size = first};
	}
	if (at.offset + at.size > MAX_PARAM_BYTES)
		return sass_bad(s, from, (size_t)(s->at - from), "parameters take %d bytes at most", MAX_PARAM_BYTES);
	VEC_PUSH(&f->param, at);
	return true;
}

static bool three(struct sass_line *s, uint32_t out[3])
{
	out[0] = out[1] = out[2] = 1;
	for (unsigned i = 0; i < 3; i++)
		if (!number32(s, &out[i], 1, UINT32_MAX) || (i < 2 && !sass_take(s, ',')))
			return s->ok;
	return true;
}

static bool stack(struct parser *p, struct cubin_function *f)
{
	struct sass_line *s = &p->l.s;
	p->stacked.at[p->stacked.n - 1] = true;
	sass_blank(s);
	if (sass_word(s->at, s->end) == 7 && !memcmp(s->at, "unknown", 7)) {
		s->at += 7;
		f->stack = CUBIN_UNKNOWN_STACK;
		return true;
	}
	return number32(s, &f->stack, 0, 1 << 28);
}

static bool attribute(struct parser *p, struct cubin_function *f)
{
	struct sass_line *s = &p->l.s;
	struct buffer b = {0};
	uint32_t attr, format, v = 0;
	if (!number32(s, &attr, 0, 255) || !comma(s) || !number32(s, &format, 1, 4))
		return false;
	struct cubin_kept a = {.number = (uint8_t)attr, .format = (uint8_t)format};
	while (s->ok && sass_take(s, ',') && number32(s, &v, 0, format == INFO_SIZED ? 255 : 65535)) {
		VEC_PUSH(&b.b, (uint8_t)v);
		a.value = (uint16_t)v;
	}
	if (format == INFO_SIZED) {
		uint8_t *data = arena_alloc(&p->c->arena, b.b.n + 1);
		if (b.b.n)
			memcpy(data, b.b.at, b.b.n);
		a.data = data;
		a.value = (uint16_t)b.b.n;
	}
	VEC_FREE(&b.b);
	if (s->ok)
		VEC_PUSH(&f->attribute, a);
	return s->ok;
}

static bool subroutine(struct parser *p, struct cubin_function *f, const char *at)
{
	struct cubin_inside in = {.pc = p->code.last.n * 16u};
	if (!(in.name = name(p, "the function")))
		return false;
	if (f->inside.n && f->inside.at[f->inside.n - 1].pc == in.pc)
		return sass_bad(&p->l.s, at, strlen(".subroutine"), "the function before has no instructions");
	if (sass_take(&p->l.s, ',') && !number(&p->l.s, &in.size, 16, UINT32_MAX))
		return false;
	VEC_PUSH(&f->inside, in);
	return cubin_code_label(&p->code, &p->l.s, in.name, strlen(in.name), at);
}

static bool targets(struct parser *p, const char *at)
{
	struct sass_line *s = &p->l.s;
	size_t before = p->target.n;
	if (p->targeted)
		return sass_bad(s, at, strlen(".targets"), "two .targets for one instruction");
	do {
		sass_blank(s);
		size_t n = sass_word(s->at, s->end);
		if (!n)
			return sass_bad(s, s->at, 1, "expected a label");
		if (p->target.n - before == MAX_TARGETS)
			return sass_bad(s, s->at, n, "more than %d targets", MAX_TARGETS);
		struct pending_target t = {.function = (uint32_t)p->c->function.n - 1, .inst = p->code.last.n, .name = s->at, .len = n};
		VEC_PUSH(&p->target, t);
		s->at += n;
	} while (sass_take(s, ','));
	p->targeted = true;
	return true;
}

// --- data

static bool section(struct parser *p)
{
	struct sass_line *s = &p->l.s;
	sass_blank(s);
	const char *at = s->at;
	size_t n = sass_word(at, s->end);
	uint64_t size = 0;
	s->at += n;
	p->cursor = 0;
	if (n == 4 && !memcmp(at, "text", 4)) {
		p->section = -1;
		return true;
	}
	p->section = 0;
	while (p->section <= CUBIN_SECTIONS && (strlen(cubin_section_name[p->section]) != n || memcmp(cubin_section_name[p->section], at, n)))
		p->section++;
	if (p->section > CUBIN_SECTIONS) {
		p->section = -1;
		return sass_bad(s, at, n, "expected global, init, bank2, bank3, bank4 or text");
	}
	bool bank = p->section >= CUBIN_BANK_3;
	if (sass_take(s, ',') && !number(s, &size, 0, bank ? MAX_BANK : p->section == CUBIN_INIT ? MAX_DATA : max_global))
		return false;
	if (p->section == CUBIN_BANK_2)
		need_function(p);
	struct cubin_data *d = p->section == CUBIN_BANK_2 ? &now(p)->bank2 : &p->c->data[p->section];
	d->size = size > d->size ? size : d->size;
	return true;
}

static bool data_item(struct parser *p, const char *at, const void *bytes, size_t n)
{
	struct sass_line *s = &p->l.s;
	if (p->section < 0)
		return sass_bad(s, at, 4, "data stands behind .section: global, init, bank2, bank3 or bank4");
	if (p->section == CUBIN_GLOBAL)
		return sass_bad(s, at, 4, "what is in .section global begins as zeros; .section init holds values");
	bool own = p->section == CUBIN_BANK_2;
	struct buffer *b = own ? bank2_now(p) : &p->data[p->section];
	struct cubin_data *d = own ? &now(p)->bank2 : &p->c->data[p->section];
	uint64_t most = p->section == CUBIN_INIT ? MAX_DATA : MAX_BANK;
	if (p->cursor > most || n > most - p->cursor)
		return sass_bad(s, at, 4, "the section has %llu bytes at most", (unsigned long long)most);
	if (p->reloc.symbol) {
		p->reloc.at = p->cursor;
		VEC_PUSH(&d->fixup, p->reloc);
		p->reloc.symbol = NULL;
	}
	size_t end = p->cursor + n, before = b->b.n;
	VEC_RESERVE(&b->b, end);
	if (end > before) {
		memset(b->b.at + before, 0, end - before);
		b->b.n = end;
	}
	memcpy(b->b.at + p->cursor, bytes, n);
	p->cursor = end;
	return true;
}

static bool integers(struct parser *p, const char *at, unsigned bits)
{
	struct sass_line *s = &p->l.s;
	do {
		uint64_t v = 0;
		sass_blank(s);
		const char *from = s->at;
		size_t n = sass_word(from, s->end);
		if (n && !isdigit((unsigned char)*from) && bits >= 32 && p->c->function.n) {
			struct pending_word w = {.section = (enum cubin_section)p->section, .function = (uint32_t)p->c->function.n - 1, .width = bits / 8,
			                         .at = p->cursor, .name = from, .len = n};
			VEC_PUSH(&p->word, w);
			s->at += n;
		} else if (!sass_number(s, &v)) {
			return false;
		}
		uint64_t top = bits == 64 ? 0 : v >> bits, minus = bits == 64 ? 0 : UINT64_MAX >> bits;
		if (top && !(*from == '-' && top == minus))
			return sass_bad(s, from, (size_t)(s->at - from), "the number has more than %u bits", bits);
		if (!data_item(p, at, &v, bits / 8))
			return false;
	} while (sass_take(s, ','));
	return true;
}

static bool reals(struct parser *p, const char *at, bool is_double)
{
	struct sass_line *s = &p->l.s;
	do {
		char text[64], *end;
		size_t n = 0;
		sass_blank(s);
		while (s->at + n < s->end && n + 1 < sizeof text && !strchr(", \t\r", s->at[n]))
			text[n] = s->at[n], n++;
		text[n] = 0;
		double v = strtod(text, &end);
		float f = (float)v;
		if (!n || *end)
			return sass_bad(s, s->at, n, "expected a number");
		s->at += n;
		if (!data_item(p, at, is_double ? (void *)&v : (void *)&f, is_double ? 8 : 4))
			return false;
	} while (sass_take(s, ','));
	return true;
}

static bool address(struct parser *p, const char *at)
{
	do {
		uint64_t zero = 0;
		struct cubin_fixup x = {.type = CUBIN_ADDRESS_64};
		if (!symbol(p, &x))
			return false;
		p->reloc = x;
		if (!data_item(p, at, &zero, sizeof zero))
			return false;
	} while (sass_take(&p->l.s, ','));
	return true;
}

static bool variable(struct parser *p, const char *at)
{
	struct sass_line *s = &p->l.s;
	struct cubin_variable v = {.section = (enum cubin_section)p->section};
	if (p->section < 0 || p->section >= CUBIN_BANK_4)
		return sass_bad(s, at, 4, "variables stand behind .section: global, init or bank3");
	uint64_t most = v.section == CUBIN_BANK_3 ? MAX_BANK : v.section == CUBIN_INIT ? MAX_DATA : max_global;
	if (!(v.name = name(p, "the variable")) || !comma(s) || !number(s, &v.offset, 0, most) || !comma(s) || !number(s, &v.size, 0, most - v.offset))
		return false;
	if (map_get(&p->external, v.name, strlen(v.name)))
		return sass_bad(s, at, 4, "%s is .extern above", v.name);
	struct cubin_data *d = &p->c->data[v.section];
	if (v.offset + v.size > d->size)
		d->size = v.offset + v.size;
	p->cursor = v.offset;
	VEC_PUSH(&p->c->variable, v);
	return true;
}

static bool external(struct parser *p)
{
	const char *n = name(p, "the function");
	if (n)
		map_put(&p->external, n, strlen(n), p);
	return n != NULL;
}

static bool relocation(struct parser *p, const char *at)
{
	struct sass_line *s = &p->l.s;
	if (p->reloc.symbol)
		return sass_bad(s, at, 6, "two .reloc for one place");
	p->reloc_at = at;
	return number32(s, &p->reloc.type, 1, UINT32_MAX) && comma(s) && symbol(p, &p->reloc);
}

// --- directives

static bool repeat_begin(struct parser *p, const char *at)
{
	uint32_t n;
	return number32(&p->l.s, &n, 1, SASS_MAX_INSTS) && sass_lines_repeat(&p->l, at, n);
}

enum directive {
	D_KERNEL, D_FUNCTION, D_TARGET, D_REGS, D_SHARED, D_FRAME, D_STACK, D_BARRIERS, D_PARAM_BASE, D_PARAM, D_PARAM_SIZE, D_MAXNTID, D_REQNTID,
	D_INFO, D_SUBROUTINE, D_TARGETS, D_SECTION, D_VAR, D_AT, D_U8, D_U16, D_U32, D_U64, D_F32, D_F64, D_ADDR, D_EXTERN, D_RELOC, D_INST,
	D_REP, D_ENDR, D_WARP, D_GRID, D_BLOCK, D_WARPS, N_DIRECTIVES,
};
static const char *const directives[N_DIRECTIVES] = {
	".kernel", ".function", ".target", ".regs", ".shared", ".frame", ".stack", ".barriers", ".param_base", ".param", ".param_size", ".maxntid",
	".reqntid", ".info", ".subroutine", ".targets", ".section", ".var", ".at", ".u8", ".u16", ".u32", ".u64", ".f32", ".f64", ".addr", ".extern",
	".reloc", ".inst", ".rep", ".endr", ".warp", ".grid", ".block", ".warps",
};

static bool of_function(struct parser *p, enum directive k, const char *at)
{
	struct sass_line *s = &p->l.s;
	need_function(p);
	struct cubin_function *f = now(p);
	switch (k) {
	case D_REGS: return number32(s, &f->registers, 1, 255);
	case D_SHARED: return number32(s, &f->shared, 0, 1 << 20);
	case D_FRAME: return number32(s, f->inside.n ? &f->inside.at[f->inside.n - 1].frame : &f->frame, 0, 1 << 28);
	case D_STACK: return stack(p, f);
	case D_BARRIERS: return number32(s, &f->barriers, 0, SASS_BARRIERS);
	case D_PARAM_BASE: return number32(s, &f->param_base, 1, 0xffff);
	case D_PARAM: return param(p, f);
	case D_PARAM_SIZE: return number32(s, &f->param_size, 0, MAX_PARAM_BYTES);
	case D_MAXNTID: return three(s, f->max_threads);
	case D_REQNTID: return three(s, f->required_threads);
	case D_INFO: return attribute(p, f);
	case D_SUBROUTINE: return subroutine(p, f, at);
	default: return targets(p, at);
	}
}

static bool instruction(struct parser *p, const char *from);

static bool directive(struct parser *p)
{
	struct sass_line *s = &p->l.s;
	const char *at = s->at;
	size_t n = sass_word(at, s->end);
	unsigned k = 0;
	while (k < N_DIRECTIVES && (strlen(directives[k]) != n || memcmp(directives[k], at, n)))
		k++;
	s->at += n;
	bool ok;
	switch ((enum directive)k) {
	case D_KERNEL: ok = begin_function(p, true, at); break;
	case D_FUNCTION: ok = begin_function(p, false, at); break;
	case D_TARGET: ok = target(p); break;
	case D_SECTION: ok = section(p); break;
	case D_VAR: ok = variable(p, at); break;
	case D_AT: ok = number(s, &p->cursor, 0, MAX_DATA); break;
	case D_U8: ok = integers(p, at, 8); break;
	case D_U16: ok = integers(p, at, 16); break;
	case D_U32: ok = integers(p, at, 32); break;
	case D_U64: ok = integers(p, at, 64); break;
	case D_F32: ok = reals(p, at, false); break;
	case D_F64: ok = reals(p, at, true); break;
	case D_ADDR: ok = address(p, at); break;
	case D_EXTERN: ok = external(p); break;
	case D_RELOC: ok = relocation(p, at); break;
	case D_INST: return instruction(p, at);
	case D_REP: ok = repeat_begin(p, at); break;
	case D_ENDR: ok = sass_lines_repeat_end(&p->l, at); break;
	case D_GRID:
	case D_BLOCK:
	case D_WARPS: // of timing runs; a launch says them
		s->at = s->end;
		return true;
	case D_WARP:
		sass_blank(s);
		if (sass_word(s->at, s->end) != 3 || memcmp(s->at, "all", 3))
			return sass_bad(s, at, n, "all warps of a block execute a cubin's code; .warp is for timing runs (heddle trace)");
		s->at += 3;
		return true;
	default:
		if (k == N_DIRECTIVES)
			return sass_bad(s, at, n, "unknown directive '%.*s'; docs/sass-text.md has those that there are", (int)n, at);
		ok = of_function(p, (enum directive)k, at);
		break;
	}
	sass_blank(s);
	return ok && (s->at == s->end || sass_bad(s, s->at, 1, "expected the end of the line"));
}

// --- lines

// From the control bits to the end of the line.
static bool instruction(struct parser *p, const char *from)
{
	struct sass_line *s = &p->l.s;
	need_function(p);
	if (p->section >= 0)
		p->section = -1;
	struct cubin_line l = {.from = from, .end = s->end};
	l.pasted = sass_comments_encoding(&p->l.comments, from, s->end, &l.lo, &l.hi);
	l.reloc = p->reloc;
	p->reloc.symbol = NULL;
	l.targeted = p->targeted;
	p->targeted = false;
	s->at = s->end;
	return cubin_code_line(&p->code, s, &l);
}

static void line(struct parser *p)
{
	struct sass_line *s = &p->l.s;
	size_t n;
	sass_blank(s);
	while (s->at < s->end && sass_lines_label(s, &n)) {
		need_function(p);
		if (!cubin_code_label(&p->code, s, s->at, n, s->at))
			return;
		s->at += n + 1;
		sass_blank(s);
	}
	if (s->at == s->end)
		return;
	if (*s->at == '.')
		directive(p);
	else
		instruction(p, s->at);
}

static void lines(struct parser *p)
{
	const uint32_t most = HEDDLE_LIMIT(1 << 16, MAX_WORK);
	struct sass_line *s = &p->l.s;
	p->section = -1;
	while (sass_lines_next(&p->l)) {
		if (p->l.n > most) {
			sass_bad(s, p->l.n_repeat ? p->l.repeat[0].at : p->l.from, 4, "more than %u lines, repetitions included", most);
			return;
		}
		line(p);
	}
	if (p->reloc.symbol && s->ok)
		sass_bad(s, p->reloc_at, 6, "nothing stands behind .reloc");
}

// --- once all lines are read

static void finish_data(struct parser *p, struct cubin_data *d, struct buffer *b)
{
	if (b->b.n > d->size)
		d->size = b->b.n;
	if (!b->b.n || !d->size)
		return;
	d->byte = arena_alloc(&p->c->arena, d->size);
	memcpy(d->byte, b->b.at, b->b.n);
}

static void resolve_words(struct parser *p)
{
	for (size_t i = 0; i < p->word.n; i++) {
		struct pending_word *w = &p->word.at[i];
		uint64_t pc = 0;
		if (!cubin_code_find(&p->code, w->function, w->name, w->len, &pc)) {
			sass_bad(&p->l.s, w->name, w->len, "there is no label '%.*s' in %s", (int)w->len, w->name, p->c->function.at[w->function].name);
			continue;
		}
		struct buffer *b = w->section == CUBIN_BANK_2 ? &p->bank2.at[w->function] : &p->data[w->section];
		memcpy(b->b.at + w->at, &pc, w->width);
	}
}

static void resolve_targets(struct parser *p)
{
	for (size_t i = 0; i < p->target.n; i++) {
		struct pending_target *t = &p->target.at[i];
		struct cubin_function *f = &p->c->function.at[t->function];
		uint64_t pc = 0;
		if (!cubin_code_find(&p->code, t->function, t->name, t->len, &pc)) {
			sass_bad(&p->l.s, t->name, t->len, "there is no label '%.*s'", (int)t->len, t->name);
			continue;
		}
		if (!f->targets.n || f->targets.at[f->targets.n - 1].pc != t->inst * 16u)
			VEC_PUSH(&f->targets, (struct cubin_targets){.pc = t->inst * 16u});
		VEC_PUSH(&f->targets.at[f->targets.n - 1].to, (uint32_t)pc);
	}
}

static bool is_known(struct parser *p, const char *symbol_name)
{
	size_t n = strlen(symbol_name);
	if (map_get(&p->external, symbol_name, n) || cubin_parts_find(p->c, symbol_name))
		return true;
	for (size_t i = 0; i < p->c->variable.n; i++)
		if (!strcmp(p->c->variable.at[i].name, symbol_name))
			return true;
	for (size_t i = 0; i < p->c->function.n; i++)
		for (size_t k = 0; k < p->c->function.at[i].inside.n; k++)
			if (!strcmp(p->c->function.at[i].inside.at[k].name, symbol_name))
				return true;
	return false;
}

static void check_symbols(struct parser *p, const struct cubin_fixup *x, size_t n)
{
	for (size_t i = 0; i < n && p->l.s.ok; i++) {
		if (is_known(p, x[i].symbol))
			continue;
		diag_add(p->l.s.d, DIAG_ERROR, "%s: there is no variable or function '%s'; say .extern %s if it is one that the program gets from elsewhere",
		         p->l.s.src.name, x[i].symbol, x[i].symbol);
		p->l.s.ok = false;
	}
}

static void complete(struct parser *p)
{
	struct cubin_parts *c = p->c;
	for (size_t i = 0; i < c->function.n; i++) {
		struct cubin_function *f = &c->function.at[i];
		uint32_t end = 0;
		for (size_t k = 0; k < f->param.n; k++)
			if (f->param.at[k].offset + f->param.at[k].size > end)
				end = f->param.at[k].offset + f->param.at[k].size;
		f->param_size = f->param_size > end ? f->param_size : end;
		if (f->kernel && !f->param_base)
			f->param_base = cubin_param_base(c->arch);
		for (size_t k = 0; k < f->inside.n; k++) {
			uint64_t room = (k + 1 < f->inside.n ? f->inside.at[k + 1].pc : f->size) - f->inside.at[k].pc;
			f->inside.at[k].size = f->inside.at[k].size && f->inside.at[k].size < room ? f->inside.at[k].size : room;
		}
		if (f->kernel && !p->stacked.at[i])
			f->stack = f->frame;
		finish_data(p, &f->bank2, &p->bank2.at[i]);
		check_symbols(p, f->fixup.at, f->fixup.n);
		check_symbols(p, f->bank2.fixup.at, f->bank2.fixup.n);
	}
	for (unsigned k = 0; k < CUBIN_SECTIONS; k++) {
		finish_data(p, &c->data[k], &p->data[k]);
		check_symbols(p, c->data[k].fixup.at, c->data[k].fixup.n);
	}
}

bool cubin_parse(struct cubin_parts *out, const char *name_of_text, const char *text, size_t len, struct diag *d)
{
	struct parser p = {.c = out};
	unsigned before = d->errors;
	*out = (struct cubin_parts){0};
	if (len > UINT32_MAX / 2) {
		diag_add(d, DIAG_ERROR, "%s: the text is too long", name_of_text);
		return false;
	}
	sass_lines_open(&p.l, name_of_text, text, len, d);
	lines(&p);
	if (!out->arch)
		out->arch = 86;
	if (p.l.s.ok)
		resolve_words(&p);
	if (p.l.s.ok)
		resolve_targets(&p);
	if (p.l.s.ok && !out->function.n)
		sass_bad(&p.l.s, p.l.s.text, 1, "there are no instructions");
	if (p.l.s.ok)
		cubin_encode(&p.code, out, &p.l.s);
	if (p.l.s.ok)
		complete(&p);
	cubin_code_free(&p.code);
	for (size_t i = 0; i < p.bank2.n; i++)
		VEC_FREE(&p.bank2.at[i].b);
	VEC_FREE(&p.bank2);
	VEC_FREE(&p.stacked);
	for (unsigned k = 0; k < CUBIN_SECTIONS; k++)
		VEC_FREE(&p.data[k].b);
	VEC_FREE(&p.word);
	VEC_FREE(&p.target);
	map_free(&p.external);
	sass_lines_close(&p.l);
	return p.l.s.ok && d->errors == before;
}

bool cubin_assemble(const char *name_of_text, const char *text, size_t len, uint8_t **image, size_t *size, struct diag *d)
{
	struct cubin_parts c;
	bool ok = cubin_parse(&c, name_of_text, text, len, d);
	*image = NULL;
	*size = 0;
	if (ok)
		cubin_write(&c, image, size);
	cubin_parts_free(&c);
	return ok;
}
