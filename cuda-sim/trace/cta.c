#include "cuda-sim/trace/cta.h"

#include <string.h>

void trace_cta_free(struct trace_cta *c)
{
	VEC_FREE(&c->data);
	VEC_FREE(&c->warp);
	mem_free(c->notes);
	mem_free(c);
}

void trace_cta_empty(struct trace_cta *c)
{
	c->data.n = c->warp.n = 0;
	c->insts = 0;
	mem_free(c->notes);
	c->notes = NULL;
}

void trace_cta_put(struct trace_cta *c, const struct trace_pack *p)
{
	struct trace_cta_warp w = {.n = p->n, .n_ctl = (uint32_t)p->ctl.n, .ctl = c->data.n, .adr = c->data.n + p->ctl.n};
	VEC_RESERVE(&c->data, c->data.n + p->ctl.n + p->adr.n + 1);
	if (p->ctl.n)
		memcpy(c->data.at + w.ctl, p->ctl.at, p->ctl.n);
	if (p->adr.n)
		memcpy(c->data.at + w.adr, p->adr.at, p->adr.n);
	c->data.n += p->ctl.n + p->adr.n;
	c->insts += p->n;
	VEC_PUSH(&c->warp, w);
}

void trace_cta_end(struct trace_cta *c, struct trace_code *code)
{
	c->notes = code->notes;
	code->notes = NULL;
	code->notes_len = 0;
	c->n_inst = code->n_inst;
}
