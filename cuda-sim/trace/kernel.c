// The trace front end: a warp is a cursor over its instructions; barriers are counted per CTA.
//
// Barriers: a warp's n-th arrival waits until every other live warp of the CTA has arrived n times. For barriers of the
// whole CTA, which is what traces tell apart, that is the barrier; warps that use barriers of their own can wait longer
// than they did, but never for ever, since the warp that has arrived least often waits for nobody.
#include "cuda-sim/trace/kernel.h"

#include "base/mem.h"
#include "cuda-sim/sass/front.h"
#include "cuda-sim/trace/machine.h"
#include "cuda-sim/trace/pb.h"
#include "cuda-sim/trace/reader.h"
#include "cuda-sim/trace/stream.h"
#include "cuda-sim/trace/sync.h"
#include "cuda-sim/trace/tracez.h"
#include "cuda-sim/trace/written.h"

#include <stdio.h>
#include <string.h>

// Windows of generic addresses are as large as that in every generation (CUDA C++ Programming Guide: 16 MiB apart).
#define TRACE_WINDOW ((uint64_t)1 << 24)
// What Accel-Sim takes for the size of local memory of a thread.
#define PEER_LOCAL_WINDOW ((uint64_t)1 << 14)

struct trace_kernel {
	struct trace_code code;
	struct trace_feed feed;      // until it is launched
	struct trace_stream *stream; // from then on
	struct kernel_info info;
	struct kernel_services services; // nothing of a trace asks for any
	struct isa_inst broken;      // stands for the CTA that cannot be read
	uint32_t n_met;              // entries of the code that CTAs handed over so far may use
	uint64_t n_cta;
	uint64_t address;            // of its code, where the trace tells; else 0
	char *file;
	struct trace_cta *early;     // CTAs that the file has before their turn: a cluster starts as a whole
	void (*note)(void *ctx, const char *file, const char *text);
	void *note_ctx;
};

// An operation on mbarriers of other CTAs of the cluster, which is put off.
struct remote {
	const struct trace_inst *inst; // NULL: none
	uint32_t mask, value[32];
	uint64_t at[32];
};

struct warp_run {
	struct trace_cursor cursor;
	uint32_t arrived;  // at barriers
	uint8_t put_off;   // enum fe_status: what finish will say
	bool woke;         // and whether others go on
	struct remote remote;
};

struct trace_slots;

enum { NAMED_BARRIERS = 16 };

// A barrier that the trace names, with the warps that have come; `threads`: that it waits for, 0 all of the CTA's.
struct named_barrier {
	uint64_t came;
	uint32_t arrivals, threads; // warps, also such that have come twice
};

struct cta_run {
	struct trace_slots *slots;
	struct kernel_counts *counts; // of its SM
	const struct effects *effects;
	struct trace_cta *cta;   // NULL: could not be read
	struct trace_async *async;
	const uint64_t *async_waits; // trace_async_waits
	uint64_t live, waiting;  // warps with instructions left; at a barrier of the CTA
	uint32_t open;           // numbered barriers that some warp has come to, a bit each
	struct named_barrier barrier[NAMED_BARRIERS];
	unsigned n_warp;
	struct warp_run warp[];
};

struct trace_slots {
	struct kernel_launch *launch;
	struct trace_kernel *kernel;
	struct cta_run **cta;
	uint32_t n;
};

// --- kernels

static struct trace_kernel *new_kernel(const char *name, const struct trace_rules *rules)
{
	struct trace_kernel *k = MEM_NEW(struct trace_kernel);
	k->code.rules = *rules;
	k->file = mem_strdup(name);
	k->broken = (struct isa_inst){.cls = ISA_NOP};
	return k;
}

static struct trace_kernel *opened(struct trace_kernel *k, struct trace_feed feed, uint64_t n_cta)
{
	const struct trace_header *h = &k->code.header;
	k->feed = feed;
	k->n_cta = n_cta;
	k->info = (struct kernel_info){.name = h->name, .regs = h->regs, .static_shared = h->shared, .max_threads = 1024,
	                               .target = h->binary_version};
	return k;
}

static struct trace_kernel *open_source(struct trace_source *s, const char *name, const struct trace_rules *rules,
                                        uint64_t first, uint64_t last, char *why, size_t n)
{
	struct trace_kernel *k = new_kernel(name, rules);
	struct trace_reader *r = trace_reader_new(s, name, &k->code, first, last, why, n);
	if (r)
		return opened(k, trace_reader_feed(r), trace_reader_ctas(r));
	trace_kernel_close(k);
	return NULL;
}

struct trace_kernel *trace_kernel_open_extended(const struct trace_set *set, uint32_t kernel,
                                                const struct trace_rules *rules, uint64_t first, uint64_t last,
                                                char *why, size_t n)
{
	struct trace_kernel *k = new_kernel(set->kernel.at[kernel].folder, rules);
	struct trace_pb *p = trace_pb_new(set, kernel, &k->code, first, last, why, n);
	if (p) {
		k->address = trace_pb_code_base(p);
		return opened(k, trace_pb_feed(p), trace_pb_ctas(p));
	}
	trace_kernel_close(k);
	return NULL;
}

struct trace_kernel *trace_kernel_open(const char *path, const struct trace_rules *rules, uint64_t first, uint64_t last,
                                       char *why, size_t n)
{
	char reason[300];
	struct trace_source *s = trace_source_open(path, reason, sizeof reason);
	if (s)
		return open_source(s, path, rules, first, last, why, n);
	snprintf(why, n, "%s: %s", path, reason);
	return NULL;
}

struct trace_kernel *trace_kernel_open_text(const char *name, const char *text, size_t len,
                                            const struct trace_rules *rules, uint64_t first, uint64_t last, char *why,
                                            size_t n)
{
	char reason[300];
	struct trace_source *s = tracez_is_name(name) ? trace_source_tracez(text, len, reason, sizeof reason) : trace_source_text(text, len);
	if (s)
		return open_source(s, name, rules, first, last, why, n);
	snprintf(why, n, "%s: %s", name, reason);
	return NULL;
}

void trace_kernel_close(struct trace_kernel *k)
{
	if (!k)
		return;
	for (struct trace_cta *c; (c = k->early);) {
		k->early = c->next;
		trace_cta_free(c);
	}
	trace_stream_stop(k->stream);
	trace_feed_free(&k->feed);
	trace_code_free(&k->code);
	mem_free(k->file);
	mem_free(k);
}

const struct trace_header *trace_kernel_header(const struct trace_kernel *k) { return &k->code.header; }
const char *trace_kernel_file(const struct trace_kernel *k) { return k->file; }
uint64_t trace_kernel_ctas(const struct trace_kernel *k) { return k->n_cta; }

void trace_kernel_on_note(struct trace_kernel *k, void (*note)(void *ctx, const char *file, const char *text),
                          void *ctx)
{
	k->note = note;
	k->note_ctx = ctx;
}

static const struct frontend_ops written_frontend, machine_frontend;

void trace_kernel_launch(struct trace_kernel *k, struct kernel_launch *l, uint64_t code_base)
{
	const struct trace_header *h = &k->code.header;
	memset(l, 0, sizeof *l);
	k->info.code_base = k->address ? k->address : code_base;
	l->info = &k->info;
	l->fe = k->code.written ? &written_frontend : k->code.machine ? &machine_frontend : &trace_frontend;
	l->code = k;
	l->services = &k->services;
	k->services.n_sm = k->services.warps_per_sm = 1;
	if (k->code.written) {
		k->info.code_base = k->code.written->code_base;
		k->info.local = k->code.written->local;
		l->prefers = (uint8_t)k->code.written->prefers;
	}
	if (k->code.machine) {
		k->info.code_base = k->code.machine->code_base;
		k->info.local = k->code.machine->local;
		l->prefers = (uint8_t)k->code.machine->prefers;
	}
	memcpy(l->block, h->block, sizeof l->block);
	memcpy(l->grid, h->grid, sizeof l->grid);
	uint64_t all = (uint64_t)h->grid[0] * h->grid[1] * h->grid[2];
	if (k->n_cta != all) {
		// A range of CTAs is a grid of its own.
		l->grid[0] = (uint32_t)k->n_cta;
		l->grid[1] = l->grid[2] = 1;
	}
	const uint32_t *size = h->cluster;
	const uint64_t ctas = (uint64_t)size[0] * size[1] * size[2];
	if (k->n_cta == all && ctas > 1 && ctas <= ISA_CLUSTER_MAX && !(h->grid[0] % size[0]) && !(h->grid[1] % size[1]) && !(h->grid[2] % size[2]))
		memcpy(l->cluster, size, sizeof l->cluster);
	l->stream = h->stream;
	k->stream = trace_stream_start(k->feed);
	k->feed.ops = NULL;
}

bool trace_kernel_written(const struct trace_kernel *k) { return k->code.written; }

const char *trace_kernel_end(struct trace_kernel *k)
{
	struct trace_cta *c = trace_stream_take(k->stream);
	if (c)
		trace_stream_give_back(k->stream, c);
	return trace_stream_error(k->stream);
}

static void tell_notes(struct trace_kernel *k, const char *notes)
{
	while (k->note && notes && *notes) {
		char line[512];
		size_t n = strcspn(notes, "\n");
		snprintf(line, sizeof line, "%.*s", (int)n, notes);
		k->note(k->note_ctx, k->file, line);
		notes += n + (notes[n] == '\n');
	}
}

// --- CTAs

static void *slots_new(struct kernel_launch *launch, uint32_t n)
{
	struct trace_slots *s = MEM_NEW(struct trace_slots);
	s->launch = launch;
	s->kernel = launch->code;
	s->n = n;
	s->cta = mem_alloc(n * sizeof *s->cta);
	return s;
}

static void end_slot(struct cta_run *c)
{
	if (c->cta)
		trace_stream_give_back(c->slots->kernel->stream, c->cta);
	c->cta = NULL;
}

static void slots_free(void *slots)
{
	struct trace_slots *s = slots;
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->cta[i]) {
			end_slot(s->cta[i]);
			trace_async_free(s->cta[i]->async);
		}
		mem_free(s->cta[i]);
	}
	mem_free(s->cta);
	mem_free(s);
}

static void set_fault(struct trace_slots *s)
{
	const char *e = trace_stream_error(s->kernel->stream);
	struct fault *f = &s->launch->fault;
	if (f->kind != FAULT_NONE)
		return;
	f->kind = FAULT_LAUNCH;
	snprintf(f->text, sizeof f->text, "%s", e ? e : "the trace ended early");
}

// The CTA with this number, of a kernel with clusters.
static struct trace_cta *take_by_id(struct trace_kernel *k, const uint32_t id[3])
{
	for (struct trace_cta **at = &k->early, *c; (c = *at); at = &c->next) {
		if (memcmp(c->id, id, sizeof c->id))
			continue;
		*at = c->next;
		return c;
	}
	for (struct trace_cta *c; (c = trace_stream_take(k->stream)); k->early = c) {
		if (!memcmp(c->id, id, sizeof c->id))
			return c;
		c->next = k->early;
	}
	return NULL;
}

// CTAs come in the order of the file, which is that of the grid; as in Accel-Sim nobody looks at their numbers, but where there are
// clusters.
static struct fe_cta *cta_start(void *slots, uint32_t slot, const uint32_t id[3], const struct fe_sm *sm)
{
	struct trace_slots *s = slots;
	unsigned threads = s->launch->block[0] * s->launch->block[1] * s->launch->block[2], n = (threads + 31) / 32;
	if (!s->cta[slot]) {
		s->cta[slot] = mem_alloc(sizeof **s->cta + n * sizeof(struct warp_run));
		s->cta[slot]->async = trace_async_new(n, s->cta[slot]);
		s->cta[slot]->async_waits = trace_async_waits(s->cta[slot]->async);
	}
	struct cta_run *c = s->cta[slot];
	c->slots = s;
	c->counts = sm->counts;
	c->effects = sm->effects;
	c->n_warp = n;
	trace_async_reset(c->async);
	memset(c->barrier, 0, sizeof c->barrier);
	c->live = c->waiting = c->open = 0;
	c->cta = s->launch->cluster[0] ? take_by_id(s->kernel, id) : trace_stream_take(s->kernel->stream);
	if (!c->cta)
		set_fault(s);
	else
		tell_notes(s->kernel, c->cta->notes), s->kernel->n_met = c->cta->n_inst;
	for (unsigned i = 0; i < n; i++) {
		struct warp_run *w = &c->warp[i];
		w->arrived = 0;
		w->remote.inst = NULL;
		w->cursor.left = 1;
		if (c->cta) {
			const struct trace_cta_warp *t = &c->cta->warp.at[i];
			const uint8_t *data = c->cta->data.at;
			trace_cursor_begin(&w->cursor, &s->kernel->code, data + t->ctl, t->n_ctl, data + t->adr, t->n);
		}
		c->live |= (uint64_t)(w->cursor.left != 0) << i;
	}
	return (struct fe_cta *)c;
}

static void cta_move(struct fe_cta *cta, const struct fe_sm *sm)
{
	struct cta_run *c = (struct cta_run *)cta;
	c->counts = sm->counts;
	c->effects = sm->effects;
}

static void cta_end(struct fe_cta *cta)
{
	trace_async_leave(((struct cta_run *)cta)->async);
	end_slot((struct cta_run *)cta);
}

static void cluster_join(void *slots, struct fe_cta *const cta[], unsigned n)
{
	struct trace_async *all[ISA_CLUSTER_MAX];
	(void)slots;
	for (unsigned k = 0; k < n && k < ISA_CLUSTER_MAX; k++)
		all[k] = ((struct cta_run *)cta[k])->async;
	trace_async_join(all, n);
}

static unsigned cta_warps(const struct fe_cta *cta) { return ((const struct cta_run *)cta)->n_warp; }

// --- warps

// Warps that can move.
static uint64_t movable(const struct cta_run *c) { return c->live & ~(c->waiting | *c->async_waits); }

static const struct isa_inst *peek(struct fe_cta *cta, unsigned warp)
{
	const struct cta_run *c = (const struct cta_run *)cta;
	if (!(movable(c) >> warp & 1))
		return NULL;
	return c->cta ? c->warp[warp].cursor.inst->said : &c->slots->kernel->broken;
}

static bool ready(const struct fe_cta *cta, unsigned warp)
{
	return movable((const struct cta_run *)cta) >> warp & 1;
}

static uint32_t path(const struct fe_cta *cta, unsigned warp, uint64_t *pc)
{
	const struct cta_run *c = (const struct cta_run *)cta;
	const struct warp_run *w = &c->warp[warp];
	if (!w->cursor.left)
		return 0;
	*pc = c->cta ? w->cursor.inst->isa.pc : 0;
	return w->cursor.left;
}

// Barriers with a number open when as many warps have come as their threads are, or all that are not done.
static void settle_named(struct cta_run *c)
{
	enum { WARP_THREADS = 32 };
	for (uint32_t m = c->open; m; m &= m - 1) {
		struct named_barrier *b = &c->barrier[__builtin_ctz(m)];
		if (b->threads ? b->arrivals * WARP_THREADS < b->threads : (c->live & ~b->came) != 0)
			continue;
		c->waiting &= ~b->came;
		c->open &= ~(m & -m);
		*b = (struct named_barrier){0};
	}
}

// A warp comes to a barrier; `number`: its number in four bits and the threads above.
static void come(struct cta_run *c, unsigned warp, uint64_t number, bool waits_there)
{
	struct named_barrier *b = &c->barrier[number % NAMED_BARRIERS];
	const uint64_t bit = (uint64_t)1 << warp;
	b->came |= bit;
	b->arrivals++;
	b->threads = (uint32_t)(number / NAMED_BARRIERS);
	c->open |= 1u << number % NAMED_BARRIERS;
	if (waits_there)
		c->waiting |= bit & c->live;
	settle_named(c);
}

// Warps wait for those that have arrived less often.
static void settle_barriers(struct cta_run *c)
{
	settle_named(c);
	uint32_t least = UINT32_MAX;
	for (uint64_t m = c->live; m; m &= m - 1) {
		const uint32_t arrived = c->warp[__builtin_ctzll(m)].arrived;
		least = arrived < least ? arrived : least;
	}
	for (uint64_t m = c->waiting; m; m &= m - 1)
		if (c->warp[__builtin_ctzll(m)].arrived <= least)
			c->waiting &= ~(m & -m);
}

// --- accesses

static enum isa_space space_of(const struct trace_code *code, uint64_t addr)
{
	const struct trace_header *h = &code->header;
	if (code->rules.accelsim) {
		if (!h->shared_base || !h->local_base)
			return SPACE_SHARED;
		if (addr >= h->shared_base && addr < h->local_base)
			return SPACE_SHARED;
		return addr >= h->local_base && addr - h->local_base < PEER_LOCAL_WINDOW ? SPACE_LOCAL : SPACE_GLOBAL;
	}
	if (h->shared_base && addr >= h->shared_base && addr - h->shared_base < TRACE_WINDOW)
		return SPACE_SHARED;
	if (h->local_base && addr >= h->local_base && addr - h->local_base < TRACE_WINDOW)
		return SPACE_LOCAL;
	return !h->shared_base && addr < TRACE_WINDOW ? SPACE_SHARED : SPACE_GLOBAL;
}

static uint64_t base_of(const struct trace_header *h, enum isa_space space)
{
	return space == SPACE_SHARED ? h->shared_base : space == SPACE_LOCAL ? h->local_base : 0;
}

// Addresses in a window become offsets in it; those that are offsets already stay.
static void make_offsets(struct fe_access *a, uint64_t base)
{
	for (uint32_t m = base ? a->mask : 0; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		if (a->addr[i] >= base)
			a->addr[i] -= base;
	}
}

// A generic access goes to the space of each lane's address; in Accel-Sim to that of the first lane's.
static void resolve_generic(const struct trace_code *code, struct fe_result *out)
{
	static const enum isa_space spaces[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL};
	struct fe_access all = out->access[0];
	out->n_access = out->n_copy = 0;
	uint32_t left = all.mask;
	if (code->rules.accelsim) {
		out->access[0].space = (uint8_t)space_of(code, all.addr[__builtin_ctz(all.mask)]);
		out->n_access = 1;
		return;
	}
	for (unsigned k = 0; k < 3 && left; k++) {
		uint32_t mine = 0;
		for (uint32_t m = left; m; m &= m - 1)
			if (space_of(code, all.addr[__builtin_ctz(m)]) == spaces[k])
				mine |= m & -m;
		if (!mine)
			continue;
		left &= ~mine;
		struct fe_access *a = &out->access[out->n_access++];
		*a = all;
		a->mask = mine;
		a->space = (uint8_t)spaces[k];
	}
}

// A copy's second access is its store into shared memory. Constants lie where no window is; without a register all
// lanes read the same.
static void list_more(const struct trace_code *code, const struct trace_inst *t, struct trace_cursor *cursor,
                      struct fe_result *out)
{
	struct fe_access *a = &out->access[out->n_access++];
	bool copy = t->how == TRACE_COPY;
	a->space = copy ? SPACE_SHARED : SPACE_CONST;
	a->bytes = t->isa.bytes;
	a->write = copy;
	a->atomic = false;
	a->mask = out->mask;
	if (t->has_address)
		trace_cursor_offsets(cursor, copy ? code->header.shared_base : 0, a->addr);
	for (unsigned i = 0; i < 32 && !t->has_address; i++)
		a->addr[i] = t->imm;
}

static void list_access(const struct trace_code *code, const struct trace_inst *t, struct trace_cursor *cursor,
                        struct fe_result *out)
{
	struct fe_access *a = &out->access[0];
	a->space = t->isa.space;
	a->bytes = t->isa.bytes;
	a->write = t->isa.cls != ISA_LOAD;
	a->atomic = t->isa.cls == ISA_ATOMIC;
	a->mask = isa_address_lanes(&t->isa, out->mask);
	trace_cursor_offsets(cursor, base_of(&code->header, (enum isa_space)a->space), a->addr);
	out->n_access = a->mask != 0;
	if (a->space != SPACE_GENERIC)
		return;
	resolve_generic(code, out);
	for (uint32_t k = 0; k < out->n_access; k++)
		make_offsets(&out->access[k], base_of(&code->header, (enum isa_space)out->access[k].space));
}

// --- execution

// An operation on an mbarrier. True if the warp has to wait for it.
static bool take_sync(struct cta_run *c, unsigned warp, const struct trace_inst *t, struct fe_result *out)
{
	struct warp_run *w = &c->warp[warp];
	uint64_t addr[32];
	uint32_t value[32] = {0};
	trace_cursor_offsets(&w->cursor, c->slots->kernel->code.header.shared_base, addr);
	const enum trace_sync op = (enum trace_sync)t->sync;
	const bool known = !t->value_at ? !trace_sync_has_value(op) : trace_cursor_values(&w->cursor, value);
	if (!known)
		return false;
	if (!trace_async_is_remote(c->async, out->mask, addr))
		return trace_async_sync(c->async, warp, op, t->drop, out->mask, addr, value, &out->wakes);
	w->remote = (struct remote){.inst = t, .mask = out->mask};
	memcpy(w->remote.at, addr, sizeof addr);
	memcpy(w->remote.value, value, sizeof value);
	return false;
}

// What a line has packed beside its instruction. *number: of a barrier. True if the warp has to wait for an mbarrier.
static bool take_line(struct cta_run *c, unsigned warp, const struct trace_inst *t, struct fe_result *out, uint64_t *number)
{
	struct trace_cursor *cursor = &c->warp[warp].cursor;
	const struct trace_code *code = &c->slots->kernel->code;
	uint64_t addr[32];
	bool must_wait = false;
	if (t->how == TRACE_SYNC) {
		must_wait = take_sync(c, warp, t, out);
	} else if (t->how == TRACE_BULK) {
		trace_async_copy(c->async, cursor, t->copy_kind, c->effects, out, &out->wakes);
	} else if (t->has_address || t->how == TRACE_CONSTANT) {
		if (t->how == TRACE_ACCESS || t->how == TRACE_COPY)
			list_access(code, t, cursor, out);
		if (t->how == TRACE_COPY || t->how == TRACE_CONSTANT)
			list_more(code, t, cursor, out);
		else if (t->how != TRACE_ACCESS)
			trace_cursor_addresses(cursor, addr);
	}
	if (t->numbered)
		*number = trace_cursor_number(cursor);
	return must_wait;
}

static bool is_barrier(const struct trace_inst *t) { return t->how == TRACE_BARRIER || t->how == TRACE_ARRIVE; }

// The warp has executed an instruction that ends it or comes to a barrier, `number` if the barrier has one.
static void move_barriers(struct cta_run *c, unsigned warp, const struct trace_inst *t, bool ran, uint64_t number)
{
	struct warp_run *w = &c->warp[warp];
	const uint64_t bit = (uint64_t)1 << warp;
	if (!w->cursor.left)
		c->live &= ~bit;
	if (t->numbered && ran) {
		come(c, warp, number, t->how == TRACE_BARRIER);
	} else if (!t->numbered && is_barrier(t) && (ran || c->slots->kernel->code.rules.accelsim)) {
		w->arrived++;
		if (t->how == TRACE_BARRIER)
			c->waiting |= bit & c->live;
		settle_barriers(c);
	} else if (!w->cursor.left) {
		settle_barriers(c);
	}
}

static void execute(struct fe_cta *cta, unsigned warp, struct fe_result *out)
{
	struct cta_run *c = (struct cta_run *)cta;
	struct warp_run *w = &c->warp[warp];
	uint64_t number = 0;
	bool must_wait = false;
	out->inst = peek(cta, warp);
	out->ordered = false;
	out->n_access = out->n_copy = 0;
	out->active = out->mask = 0;
	if (!c->cta) {
		out->status = FE_FAULT;
		return;
	}
	if (!out->inst) {
		out->status = w->cursor.left ? FE_BARRIER : FE_DONE;
		return;
	}
	const struct trace_inst *t = w->cursor.inst;
	out->active = out->mask = w->cursor.mask;
	if (c->slots->kernel->code.written) {
		trace_written_result(t, &w->cursor, out);
	} else if (out->mask && t->how == TRACE_LISTED) {
		trace_machine_result(t, &w->cursor, out);
	} else if (out->mask && (t->how != TRACE_PLAIN || t->has_address || t->numbered)) {
		must_wait = take_line(c, warp, t, out, &number);
	}
	sass_front_count(c->counts, &t->isa, out->mask);
	trace_cursor_next(&w->cursor);
	if (t->numbered || is_barrier(t) || !w->cursor.left)
		move_barriers(c, warp, t, out->mask != 0, number);
	out->status = !w->cursor.left ? FE_DONE : must_wait || c->waiting >> warp & 1 ? FE_BARRIER : FE_OK;
}

static void act_remote(struct cta_run *c, unsigned warp, struct fe_result *out)
{
	struct remote *r = &c->warp[warp].remote;
	if (!r->inst)
		return;
	trace_async_sync(c->async, warp, (enum trace_sync)r->inst->sync, r->inst->drop, r->mask, r->at, r->value, &out->wakes);
	out->wakes = out->wakes_cluster = true;
	r->inst = NULL;
}

// What reaches other CTAs waits until the cycle ends; meanwhile the warp has no next instruction.
static void put_off(struct cta_run *c, unsigned warp, struct fe_result *out)
{
	c->warp[warp].put_off = (uint8_t)out->status;
	c->warp[warp].woke = out->wakes;
	out->status = FE_PENDING;
}

static void execute_line(struct fe_cta *cta, unsigned warp, struct fe_result *out)
{
	struct cta_run *c = (struct cta_run *)cta;
	execute(cta, warp, out);
	if (out->status == FE_FAULT || !c->warp[warp].remote.inst)
		return;
	if (c->effects)
		put_off(c, warp, out);
	else
		act_remote(c, warp, out);
}

static void finish(struct fe_cta *cta, unsigned warp, struct fe_result *out)
{
	struct cta_run *c = (struct cta_run *)cta;
	out->status = (enum fe_status)c->warp[warp].put_off;
	out->wakes = c->warp[warp].woke;
	act_remote(c, warp, out);
}

// --- mbarriers and copies

static enum fe_status copy_done(struct fe_cta *cta, uint32_t token)
{
	trace_async_done(((struct cta_run *)cta)->async, token);
	return FE_OK;
}

static bool warps_wait(const struct cta_run *c)
{
	return !movable(c);
}

// All warps of the CTA and of its cluster wait, and no copy is under way.
static bool idle(const struct cta_run *c)
{
	bool any = c->live;
	unsigned n;
	trace_async_peer(c->async, 0, &n);
	for (unsigned k = 0; k < n && any; k++) {
		const struct trace_async *a = trace_async_peer(c->async, k, &n);
		any = !a || warps_wait(trace_async_owner(a));
	}
	return any && !trace_async_busy(c->async);
}

// All warps wait, and no copy will let one go.
static bool hopeless(const struct fe_cta *cta) { return idle((const struct cta_run *)cta); }

// Warps may wait for an mbarrier in vain where the trace does not tell all that was done to it.
static bool unstick(struct fe_cta *cta)
{
	struct cta_run *c = (struct cta_run *)cta;
	return idle(c) && trace_async_let_go(c->async);
}

static const struct isa_inst *met(const void *code, uint32_t i)
{
	const struct trace_kernel *k = code;
	if (!i)
		return &k->broken;
	return i <= k->n_met ? &trace_inst_at(&k->code, i - 1)->isa : NULL;
}

static void describe(const struct fe_cta *cta, unsigned warp, char *buf, size_t len)
{
	const struct cta_run *c = (const struct cta_run *)cta;
	const struct warp_run *w = &c->warp[warp];
	buf[0] = 0;
	if (!w->cursor.left || !c->cta)
		return;
	const struct trace_inst *t = w->cursor.inst;
	char what[200];
	if (!trace_async_describe(c->async, warp, what, sizeof what))
		snprintf(what, sizeof what, "%s", c->waiting >> warp & 1 ? "waits at a barrier" : "stands");
	snprintf(buf, len, "thread block %u,%u,%u warp %u: %s before %s at pc 0x%llx, %u instructions left", c->cta->id[0],
	         c->cta->id[1], c->cta->id[2], warp, what, t->op, (unsigned long long)t->isa.pc, w->cursor.left);
}

// --- for people who look inside

static void place(const void *code, const struct isa_inst *inst, struct fe_place *out)
{
	const struct trace_kernel *k = code;
	*out = (struct fe_place){.function = k->info.name, .file = k->file, .source_line = inst->line};
	const char *op = inst == &k->broken ? "an instruction that cannot be read"
	                                    : trace_inst_at(&k->code, inst->text)->op;
	snprintf(out->text, sizeof out->text, "%s", op);
}

static void cta_position(const struct fe_cta *cta, uint32_t out[3])
{
	const struct cta_run *c = (const struct cta_run *)cta;
	memset(out, 0, 3 * sizeof *out);
	if (c->cta)
		memcpy(out, c->cta->id, 3 * sizeof *out);
}

// The instructions are not known before they come.
static void write_flow(const void *code, bool dot, FILE *to)
{
	(void)code;
	fputs(dot ? "digraph trace {}\n" : "a trace has no control-flow graph\n", to);
}

static enum fe_status run(struct fe_cta *cta, unsigned warp, uint64_t budget, uint64_t *used)
{
	return sass_front_run(&trace_frontend, cta, warp, budget, used);
}

static void dump(const struct fe_cta *cta, unsigned warp, void (*put)(void *ctx, const char *text), void *ctx)
{
	sass_front_dump(&trace_frontend, cta, warp, put, ctx);
}

// What is the same for all three kinds of traces.
#define FRONTEND_OF_TRACES \
	.cta_start = cta_start, \
	.cta_move = cta_move, \
	.cta_end = cta_end, \
	.cluster_join = cluster_join, \
	.cta_warps = cta_warps, \
	.slots_new = slots_new, \
	.slots_free = slots_free, \
	.peek = peek, \
	.unstick = unstick, \
	.hopeless = hopeless, \
	.copy_done = copy_done, \
	.run = run, \
	.ready = ready, \
	.describe = describe, \
	.cta_position = cta_position, \
	.dump = dump, \
	.write_flow = write_flow

const struct frontend_ops trace_frontend = {
	.name = "trace",
	.inst_bytes = TRACE_INST_BYTES,
	FRONTEND_OF_TRACES,
	.path = path,
	.execute = execute_line,
	.finish = finish,
	.register_count = sass_front_register_count,
	.met = met,
	.place = place,
	.register_name = sass_front_register_name,
};

// --- traces that Heddle wrote: the code is known, and a core fetches in it as it does when the program runs

static uint32_t written_register_count(const void *code)
{
	return ((const struct trace_kernel *)code)->code.written->registers;
}

static const struct isa_inst *written_inst_at(const void *code, uint64_t pc)
{
	const struct trace_written *w = ((const struct trace_kernel *)code)->code.written;
	return pc / TRACE_WRITTEN_BYTES < w->n ? &w->inst[pc / TRACE_WRITTEN_BYTES] : NULL;
}

static const struct isa_inst *written_met(const void *code, uint32_t i)
{
	return i ? NULL : &((const struct trace_kernel *)code)->broken;
}

static void written_place(const void *code, const struct isa_inst *inst, struct fe_place *out)
{
	const struct trace_kernel *k = code;
	const struct trace_written *w = k->code.written;
	*out = (struct fe_place){.function = k->info.name, .file = k->file, .line = inst->line};
	if (inst->pc / TRACE_WRITTEN_BYTES < w->n)
		snprintf(out->text, sizeof out->text, "%s", w->text[inst->pc / TRACE_WRITTEN_BYTES]);
}

static void written_register_name(const void *code, const struct isa_inst *inst, unsigned reg, char *buf, size_t len)
{
	(void)code, (void)inst;
	snprintf(buf, len, "register %u", reg);
}

static const struct frontend_ops written_frontend = {
	.name = "written trace",
	.inst_bytes = TRACE_WRITTEN_BYTES,
	FRONTEND_OF_TRACES,
	.execute = execute,
	.register_count = written_register_count,
	.inst_at = written_inst_at,
	.met = written_met,
	.place = written_place,
	.register_name = written_register_name,
};

// --- traces of machine code that Heddle executed: the same, in code of 16 bytes an instruction

static const struct isa_inst *machine_inst_at(const void *code, uint64_t pc)
{
	const struct trace_machine *m = ((const struct trace_kernel *)code)->code.machine;
	return pc / TRACE_MACHINE_BYTES < m->n ? &m->inst[pc / TRACE_MACHINE_BYTES] : NULL;
}

// An atomic is put off as it was when the program ran: meanwhile its warp has no next instruction.
static void machine_execute(struct fe_cta *cta, unsigned warp, struct fe_result *out)
{
	struct cta_run *c = (struct cta_run *)cta;
	execute(cta, warp, out);
	if (out->status == FE_FAULT)
		return;
	if (c->effects && (fe_is_ordered(out) || c->warp[warp].remote.inst))
		put_off(c, warp, out);
	else
		act_remote(c, warp, out);
}

static void machine_place(const void *code, const struct isa_inst *inst, struct fe_place *out)
{
	const struct trace_kernel *k = code;
	*out = (struct fe_place){.function = k->info.name, .file = k->file};
	if (inst != &k->broken)
		snprintf(out->text, sizeof out->text, "%s", k->code.machine->text[inst->text]);
}

static const struct frontend_ops machine_frontend = {
	.name = "trace of machine code",
	.inst_bytes = TRACE_MACHINE_BYTES,
	FRONTEND_OF_TRACES,
	.execute = machine_execute,
	.finish = finish,
	.register_count = sass_front_register_count,
	.inst_at = machine_inst_at,
	.met = written_met,
	.place = machine_place,
	.register_name = sass_front_register_name,
};
