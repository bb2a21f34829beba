// SASS text as a front end: a warp is a place in the code, with counters where branches and addresses ask for the turn.
#include "cuda-sim/sass/text/program.h"

#include "cuda-sim/sass/front.h"

#include <stdio.h>
#include <string.h>

struct warp_run {
	uint32_t at;          // number of the instruction; the program's length: at the end
	uint32_t live;        // lanes that have not left
	uint8_t waits;        // barrier + 1
	uint8_t depth;        // of calls
	uint32_t back[SASS_CALL_DEPTH];
	uint64_t *counter;    // of struct sass_text_inst.counter
};

struct slots;

struct cta_run {
	struct slots *slots;
	struct fe_sm sm;
	uint32_t id[3];
	unsigned n_warp;
	uint64_t index;                   // in the grid
	uint16_t arrived[SASS_BARRIERS];  // warps
	uint16_t wanted[SASS_BARRIERS];   // 0: all that have not ended
	struct warp_run warp[];
};

struct slots {
	struct kernel_launch *launch;
	const struct sass_program *program;
	struct cta_run **cta;
	uint32_t n;
};

void sass_text_launch(struct sass_program *p, struct kernel_launch *l, uint64_t code_base)
{
	memset(l, 0, sizeof *l);
	p->info.code_base = code_base;
	l->info = &p->info;
	l->fe = &sass_text_frontend;
	l->code = p;
	l->services = &p->services;
	p->services.n_sm = p->services.warps_per_sm = 1;
	memcpy(l->grid, p->grid, sizeof l->grid);
	memcpy(l->block, p->block, sizeof l->block);
}

// --- CTAs

static void *slots_new(struct kernel_launch *launch, uint32_t n)
{
	struct slots *s = MEM_NEW(struct slots);
	s->launch = launch;
	s->program = launch->code;
	s->n = n;
	s->cta = mem_alloc(n * sizeof *s->cta);
	return s;
}

static void slots_free(void *slots)
{
	struct slots *s = slots;
	for (uint32_t i = 0; i < s->n; i++) {
		for (unsigned w = 0; s->cta[i] && w < s->cta[i]->n_warp; w++)
			mem_free(s->cta[i]->warp[w].counter);
		mem_free(s->cta[i]);
	}
	mem_free(s->cta);
	mem_free(s);
}

static const struct sass_text_inst *current(const struct cta_run *c, const struct warp_run *w)
{
	return &c->slots->program->inst.at[w->at];
}

static bool ended(const struct cta_run *c, const struct warp_run *w) { return w->at >= c->slots->program->inst.n; }

// Goes on at an instruction, or at the first behind it that is for this warp.
static void go_to(const struct cta_run *c, struct warp_run *w, uint32_t to)
{
	unsigned me = (unsigned)(w - c->warp);
	w->at = to;
	while (!ended(c, w) && !(current(c, w)->warps >> me & 1))
		w->at++;
}

static struct fe_cta *cta_start(void *slots, uint32_t slot, const uint32_t id[3], const struct fe_sm *sm)
{
	struct slots *s = slots;
	const uint32_t *block = s->launch->block, *grid = s->launch->grid;
	unsigned threads = block[0] * block[1] * block[2], n = (threads + 31) / 32;
	size_t counters = s->program->n_counter * sizeof(uint64_t);
	struct cta_run *c = s->cta[slot];
	if (!c) {
		c = s->cta[slot] = mem_alloc(sizeof *c + n * sizeof(struct warp_run));
		for (unsigned i = 0; counters && i < n; i++)
			c->warp[i].counter = mem_alloc(counters);
	}
	c->slots = s;
	c->sm = *sm;
	c->n_warp = n;
	c->index = id[0] + (uint64_t)grid[0] * (id[1] + (uint64_t)grid[1] * id[2]);
	memcpy(c->id, id, sizeof c->id);
	memset(c->arrived, 0, sizeof c->arrived);
	for (unsigned i = 0; i < n; i++) {
		struct warp_run *w = &c->warp[i];
		if (counters)
			memset(w->counter, 0, counters);
		w->waits = w->depth = 0;
		w->live = threads - i * 32 < 32 ? (1u << (threads - i * 32)) - 1 : UINT32_MAX;
		go_to(c, w, 0);
	}
	return (struct fe_cta *)c;
}

static void cta_move(struct fe_cta *cta, const struct fe_sm *sm) { ((struct cta_run *)cta)->sm = *sm; }
static void cta_end(struct fe_cta *cta) { (void)cta; }
static unsigned cta_warps(const struct fe_cta *cta) { return ((const struct cta_run *)cta)->n_warp; }

static const struct isa_inst *peek(struct fe_cta *cta, unsigned warp)
{
	const struct cta_run *c = (const struct cta_run *)cta;
	const struct warp_run *w = &c->warp[warp];
	return ended(c, w) || w->waits ? NULL : &current(c, w)->isa;
}

static bool ready(const struct fe_cta *cta, unsigned warp)
{
	const struct cta_run *c = (const struct cta_run *)cta;
	return !ended(c, &c->warp[warp]) && !c->warp[warp].waits;
}

// --- barriers

// A barrier opens when its warps have arrived.
static void settle(struct cta_run *c, unsigned barrier)
{
	unsigned live = 0;
	for (unsigned i = 0; i < c->n_warp; i++)
		live += !ended(c, &c->warp[i]);
	if (!c->arrived[barrier] || c->arrived[barrier] < (c->wanted[barrier] ? c->wanted[barrier] : live))
		return;
	c->arrived[barrier] = 0;
	for (unsigned i = 0; i < c->n_warp; i++)
		if (c->warp[i].waits == barrier + 1)
			c->warp[i].waits = 0;
}

static void arrive(struct cta_run *c, struct warp_run *w, const struct sass_text_inst *t)
{
	c->arrived[t->barrier]++;
	c->wanted[t->barrier] = t->barrier_warps;
	w->waits = t->flow == SASS_FLOW_BARRIER ? t->barrier + 1 : 0;
	settle(c, t->barrier);
}

// --- execution

// How often the warp has been here since it last fell through.
static uint64_t turns(const struct warp_run *w, const struct sass_text_inst *t)
{
	return t->counter == SASS_NOWHERE ? 0 : w->counter[t->counter];
}

static bool is_taken(struct warp_run *w, const struct sass_text_inst *t)
{
	if (t->counter == SASS_NOWHERE)
		return t->taken;
	if (w->counter[t->counter]++ < t->taken)
		return true;
	w->counter[t->counter] = 0;
	return false;
}

static void list_access(const struct cta_run *c, const struct warp_run *w, const struct sass_text_inst *t,
                        struct fe_result *out)
{
	struct fe_access *a = &out->access[0];
	const struct sass_address *from = &t->addr;
	uint64_t me = (uint64_t)(w - c->warp);
	uint64_t base = from->base + from->warp * me + from->block * c->index + from->turn * turns(w, t);
	if (t->isa.space == SPACE_CONST)
		base += isa_const_address(t->sass.src[0].reg, t->sass.src[0].offset);
	a->space = t->isa.space == SPACE_GENERIC ? t->space : t->isa.space;
	a->bytes = t->isa.bytes;
	a->write = t->isa.cls != ISA_LOAD;
	a->atomic = t->isa.cls == ISA_ATOMIC;
	a->mask = out->mask;
	for (unsigned i = 0; i < 32; i++) {
		a->addr[i] = base + from->lane * i + from->thread * (me * 32 + i);
		if (from->n_list)
			a->addr[i] += from->list[i % from->n_list];
	}
	out->n_access = 1;
}

static void too_deep(struct cta_run *c, const struct sass_text_inst *t)
{
	struct kernel_launch *l = c->slots->launch;
	struct fault *f = c->sm.effects ? effects_fault(c->sm.effects, l) : l->fault.kind ? NULL : &l->fault;
	if (!f)
		return;
	f->kind = FAULT_STACK;
	snprintf(f->text, sizeof f->text, "%s:%u: more than %d calls within each other", c->slots->program->file,
	         t->isa.line, SASS_CALL_DEPTH);
}

// Moves on. False: the kernel is at fault.
static bool advance(struct cta_run *c, struct warp_run *w, const struct sass_text_inst *t, uint32_t mask)
{
	uint32_t next = w->at + 1;
	switch ((enum sass_flow)t->flow) {
	case SASS_FLOW_NEXT:
		break;
	case SASS_FLOW_BRANCH:
		if (is_taken(w, t))
			next = t->target;
		break;
	case SASS_FLOW_CALL:
		if (!is_taken(w, t))
			break;
		if (w->depth == SASS_CALL_DEPTH) {
			too_deep(c, t);
			return false;
		}
		w->back[w->depth++] = next;
		next = t->target;
		break;
	case SASS_FLOW_RETURN:
		next = !is_taken(w, t) ? next : w->depth ? w->back[--w->depth] : (uint32_t)c->slots->program->inst.n;
		break;
	case SASS_FLOW_EXIT:
		if (is_taken(w, t))
			w->live &= ~mask;
		if (!w->live)
			next = (uint32_t)c->slots->program->inst.n;
		break;
	case SASS_FLOW_BARRIER:
	case SASS_FLOW_ARRIVE:
		if (mask)
			arrive(c, w, t);
		break;
	}
	if (t->flow == SASS_FLOW_NEXT && t->counter != SASS_NOWHERE)
		w->counter[t->counter]++;
	go_to(c, w, next);
	for (unsigned b = 0; ended(c, w) && b < SASS_BARRIERS; b++)
		settle(c, b);
	return true;
}

static void execute(struct fe_cta *cta, unsigned warp, struct fe_result *out)
{
	struct cta_run *c = (struct cta_run *)cta;
	struct warp_run *w = &c->warp[warp];
	out->inst = peek(cta, warp);
	out->n_access = 0;
	out->active = out->mask = 0;
	if (!out->inst) {
		out->status = ended(c, w) ? FE_DONE : FE_BARRIER;
		return;
	}
	const struct sass_text_inst *t = current(c, w);
	out->active = w->live;
	out->mask = w->live & t->mask;
	if (t->isa.has_access && out->mask)
		list_access(c, w, t, out);
	sass_front_count(c->sm.counts, &t->isa, out->mask);
	if (!advance(c, w, t, out->mask))
		out->status = FE_FAULT;
	else
		out->status = ended(c, w) ? FE_DONE : w->waits ? FE_BARRIER : FE_OK;
}

// --- the code

static const struct isa_inst *inst_at(const void *code, uint64_t pc)
{
	return pc % SASS_INST_BYTES ? NULL : sass_text_inst(code, pc / SASS_INST_BYTES);
}

// The line without blanks around it and what stands behind the instruction.
static void text_of(const struct sass_program *p, const struct sass_text_inst *t, char *buf, size_t len)
{
	const char *at = p->text + t->at;
	int n = 0;
	while (n < (int)t->len && at[n] != ';' && at[n] != '\n' &&
	       !(at[n] == '/' && n + 1 < (int)t->len && (at[n + 1] == '/' || at[n + 1] == '*')))
		n++;
	while (n && (at[n - 1] == ' ' || at[n - 1] == '\t' || at[n - 1] == '\r'))
		n--;
	snprintf(buf, len, "%.*s", n, at);
}

static void place(const void *code, const struct isa_inst *inst, struct fe_place *out)
{
	const struct sass_program *p = code;
	*out = (struct fe_place){.function = p->info.name, .file = p->file, .line = inst->line};
	text_of(p, &p->inst.at[inst->text], out->text, sizeof out->text);
}

static void describe(const struct fe_cta *cta, unsigned warp, char *buf, size_t len)
{
	const struct cta_run *c = (const struct cta_run *)cta;
	const struct warp_run *w = &c->warp[warp];
	char text[128], why[80] = "stands";
	buf[0] = 0;
	if (ended(c, w))
		return;
	text_of(c->slots->program, current(c, w), text, sizeof text);
	if (w->waits)
		snprintf(why, sizeof why, "waits at barrier %u, where %u warps have arrived,", w->waits - 1u,
		         c->arrived[w->waits - 1]);
	snprintf(buf, len, "thread block %u,%u,%u warp %u: %s before %s:%u: %s", c->id[0], c->id[1], c->id[2], warp, why,
	         c->slots->program->file, current(c, w)->isa.line, text);
}

static void cta_position(const struct fe_cta *cta, uint32_t out[3])
{
	memcpy(out, ((const struct cta_run *)cta)->id, 3 * sizeof *out);
}

static void write_flow(const void *code, bool dot, FILE *to)
{
	const struct sass_program *p = code;
	if (dot)
		fprintf(to, "digraph \"%s\" {\n", p->info.name);
	for (size_t i = 0; i < p->inst.n; i++) {
		const struct sass_text_inst *t = &p->inst.at[i];
		bool jumps = (t->flow == SASS_FLOW_BRANCH || t->flow == SASS_FLOW_CALL) && t->taken;
		bool falls = t->taken != SASS_ALWAYS || t->flow == SASS_FLOW_NEXT || t->flow == SASS_FLOW_BARRIER ||
		             t->flow == SASS_FLOW_ARRIVE;
		if (dot && falls && i + 1 < p->inst.n)
			fprintf(to, "\tn%zu -> n%zu;\n", i, i + 1);
		if (jumps)
			fprintf(to, dot ? "\tn%zu -> n%u;\n" : "%04zx goes to %04x\n", dot ? i : i * SASS_INST_BYTES,
			        dot ? t->target : t->target * SASS_INST_BYTES);
	}
	if (dot)
		fputs("}\n", to);
}

static enum fe_status run(struct fe_cta *cta, unsigned warp, uint64_t budget, uint64_t *used)
{
	return sass_front_run(&sass_text_frontend, cta, warp, budget, used);
}

static void dump(const struct fe_cta *cta, unsigned warp, void (*put)(void *ctx, const char *text), void *ctx)
{
	sass_front_dump(&sass_text_frontend, cta, warp, put, ctx);
}

const struct frontend_ops sass_text_frontend = {
	.name = "sass text",
	.inst_bytes = SASS_INST_BYTES,
	.cta_start = cta_start,
	.cta_move = cta_move,
	.cta_end = cta_end,
	.cta_warps = cta_warps,
	.slots_new = slots_new,
	.slots_free = slots_free,
	.peek = peek,
	.execute = execute,
	.unstick = sass_front_unstick,
	.run = run,
	.register_count = sass_front_register_count,
	.inst_at = inst_at,
	.ready = ready,
	.describe = describe,
	.place = place,
	.register_name = sass_front_register_name,
	.cta_position = cta_position,
	.dump = dump,
	.write_flow = write_flow,
};
