// Walks a thread block of a trace from its first instruction to its last.
#ifndef TESTS_FUZZ_WALK_TRACE_H
#define TESTS_FUZZ_WALK_TRACE_H

#include "cuda-sim/trace/sync.h"

#include <stdlib.h>

// Aborts if an instruction is none of the code's or the count is another than was read. extended: of an extended trace,
// which lists several accesses of an instruction.
static inline void walk_trace(const struct trace_code *code, const struct trace_cta *c, bool extended)
{
	uint64_t n = 0;
	for (size_t w = 0; w < c->warp.n; w++) {
		const struct trace_cta_warp *t = &c->warp.at[w];
		struct trace_cursor k;
		trace_cursor_begin(&k, code, c->data.at + t->ctl, t->n_ctl, c->data.at + t->adr, t->n);
		for (; k.left; trace_cursor_next(&k)) {
			uint64_t addr[32];
			const struct trace_inst *i = k.inst;
			if (i->index >= code->n_inst || i != trace_inst_at(code, i->index))
				abort();
			if (!extended)
				trace_cursor_pass(&k, i);
			for (unsigned a = extended ? i->n_access : 0; k.mask && a; a--)
				trace_cursor_addresses(&k, addr);
			n++;
		}
	}
	if (n != c->insts)
		abort();
}

#endif
