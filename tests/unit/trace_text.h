// Traces as text, for the tests of the trace front end.
#ifndef TESTS_TRACE_TEXT_H
#define TESTS_TRACE_TEXT_H

#include "cuda-sim/trace/kernel.h"
#include "cuda-sim/trace/reader.h"
#include "cuda-sim/trace/sync.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trace_maker {
	char *text;
	size_t len;
	FILE *to;
};

static inline struct trace_maker *maker_new(void)
{
	struct trace_maker *m = calloc(1, sizeof *m);
	m->to = open_memstream(&m->text, &m->len);
	return m;
}

static inline void maker_free(struct trace_maker *m)
{
	fclose(m->to);
	free(m->text);
	free(m);
}

__attribute__((format(printf, 2, 3))) static inline void maker_put(struct trace_maker *m, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vfprintf(m->to, fmt, ap);
	va_end(ap);
	fflush(m->to);
}

static inline void maker_header(struct trace_maker *m, unsigned version, unsigned binary, unsigned grid, unsigned block,
                                bool lines, unsigned stream)
{
	maker_put(m,
	          "-kernel name = k%u\n-kernel id = 1\n-grid dim = (%u,1,1)\n-block dim = (%u,1,1)\n-shmem = 1024\n"
	          "-nregs = 32\n"
	          "-binary version = %u\n-cuda stream id = %u\n-shmem base_addr = 0x00007f0000000000\n"
	          "-local mem base_addr = 0x00007f1000000000\n-nvbit version = 1.5.5\n-accelsim tracer version = %u\n"
	          "-enable lineinfo = %d\n\n#traces format = PC mask ...\n\n",
	          stream, grid, block, binary, stream, version, lines);
}

static inline struct trace_reader *text_reader(struct trace_code *code, const char *text, size_t len, char *why,
                                               size_t n)
{
	return trace_reader_new(trace_source_text(text, len), "t", code, 0, UINT64_MAX, why, n);
}

// Everything that a reader says, as text: header, instructions with masks, registers and addresses, and the end.
static inline void print_all(const char *text, size_t len, const struct trace_rules *rules, FILE *to)
{
	struct trace_code *code = calloc(1, sizeof *code);
	char why[1200];
	code->rules = *rules;
	struct trace_reader *r = text_reader(code, text, len, why, sizeof why);
	if (!r) {
		fprintf(to, "error %s\n", why);
		trace_code_free(code);
		free(code);
		return;
	}
	struct trace_cta *c = mem_alloc(sizeof *c);
	enum trace_read got;
	while ((got = trace_reader_next(r, c)) == TRACE_CTA) {
		fprintf(to, "cta %u,%u,%u insts %llu\n", c->id[0], c->id[1], c->id[2], (unsigned long long)c->insts);
		if (c->notes)
			fputs(c->notes, to);
		for (size_t w = 0; w < c->warp.n; w++) {
			const struct trace_cta_warp *t = &c->warp.at[w];
			struct trace_cursor k;
			fprintf(to, "warp %zu\n", w);
			for (trace_cursor_begin(&k, code, c->data.at + t->ctl, t->n_ctl, c->data.at + t->adr, t->n); k.left;
			     trace_cursor_next(&k)) {
				const struct trace_inst *i = k.inst;
				uint64_t a[32];
				fprintf(to, "%llx %08x %s cls %u unit %u space %u bytes %u line %u async %u/%u",
				        (unsigned long long)i->isa.pc, k.mask, i->op, i->isa.cls, i->isa.unit, i->isa.space,
				        i->isa.bytes, i->isa.line, i->isa.async, i->isa.async_keep);
				for (unsigned d = 0; d < i->isa.n_dst; d++)
					fprintf(to, "%s%u", d ? "," : " d ", i->isa.dst[d]);
				for (unsigned d = 0; d < i->isa.n_src; d++)
					fprintf(to, "%s%u", d ? "," : " s ", i->isa.src[d]);
				struct trace_cursor at = k;
				trace_cursor_pass(&k, i);
				if (i->has_address && k.mask) {
					trace_cursor_addresses(&at, a);
					for (unsigned l = 0; l < 32; l++)
						if (k.mask >> l & 1)
							fprintf(to, " %llx", (unsigned long long)a[l]);
				}
				fputc('\n', to);
			}
		}
	}
	fprintf(to, got == TRACE_END ? "end\n" : "error %s\n", got == TRACE_END ? "" : trace_reader_error(r));
	trace_cta_free(c);
	trace_reader_free(r);
	trace_code_free(code);
	free(code);
}

// Not inlined: the compiler would take the stream for the owner of the text.
__attribute__((noinline, unused)) static char *read_all(const char *text, size_t len, bool accelsim)
{
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);
	print_all(text, len, &(struct trace_rules){.accelsim = accelsim, .units = 15}, f);
	fclose(f);
	return out;
}

#endif
