// Memory: a thread block's file, and of the messages in it those of one warp at a time. What protobuf-c allocates comes
// from blocks that are used again, so that reading an instruction allocates nothing.
#include "cuda-sim/trace/pb.h"

#include "base/mem.h"
#include "cuda-sim/trace/machine.h"
#include "trace_pb.pb-c.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SCRATCH_BLOCK = HEDDLE_LIMIT(256, 1 << 16), SCRATCH_KEEP = 1 << 24, CODE_SPAN = 1 << 23 };

enum { FORMAT_LIST, FORMAT_STRIDE, FORMAT_DELTAS };

// --- memory of messages

struct scratch_block {
	size_t size;
	_Alignas(16) uint8_t data[];
};

struct scratch {
	VEC(struct scratch_block *) block;
	size_t at, used, total; // in block `at`
};

struct scratch_mark {
	size_t at, used;
};

static void *scratch_alloc(void *ctx, size_t n)
{
	struct scratch *s = ctx;
	n = (n + 15) & ~(size_t)15;
	while (s->at < s->block.n) {
		struct scratch_block *b = s->block.at[s->at];
		if (b->size - s->used >= n) {
			s->used += n;
			return b->data + s->used - n;
		}
		s->at++;
		s->used = 0;
	}
	struct scratch_block *b = mem_realloc(NULL, sizeof *b + (n > SCRATCH_BLOCK ? n : SCRATCH_BLOCK));
	b->size = n > SCRATCH_BLOCK ? n : SCRATCH_BLOCK;
	s->total += b->size;
	VEC_PUSH(&s->block, b);
	s->used = n;
	return b->data;
}

static void scratch_drop(void *ctx, void *p) {}

static struct scratch_mark scratch_mark(const struct scratch *s) { return (struct scratch_mark){s->at, s->used}; }

static void scratch_back(struct scratch *s, struct scratch_mark m)
{
	s->at = m.at;
	s->used = m.used;
}

static void scratch_free(struct scratch *s)
{
	for (size_t i = 0; i < s->block.n; i++)
		mem_free(s->block.at[i]);
	VEC_FREE(&s->block);
	s->at = s->used = s->total = 0;
}

// --- the reader

// A function that the kernel has run instructions of.
struct function {
	const struct static_function *from;
	uint64_t base;      // of isa_inst.pc
	uint32_t *index;    // by place_of: number of the instruction + 1; 0: not met yet
	uint32_t n_index;
};

struct trace_pb {
	const struct trace_set *set;
	const struct set_kernel *kernel;
	struct trace_code *code;
	uint64_t first, last, n_cta, at, code_base;
	uint32_t n_warps, threads;
	struct function *last_function;
	VEC(struct function *) function;
	struct trace_pack pack;
	struct trace_bytes bytes;
	struct scratch scratch;
	ProtobufCAllocator mem;
	const char *name;       // of the file being read
	uint32_t warp;
	size_t inst;            // in the warp, from 0; SIZE_MAX: in none
	char error[1200];
};

static bool fail(struct trace_pb *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct trace_pb *p, const char *fmt, ...)
{
	char text[700], where[64] = "";
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (p->inst != SIZE_MAX)
		snprintf(where, sizeof where, "warp %u, instruction %zu: ", p->warp, p->inst);
	snprintf(p->error, sizeof p->error, "%s: %s%s", p->name, where, text);
	return false;
}

const char *trace_pb_error(const struct trace_pb *p) { return p->error; }

static bool header(struct trace_pb *p)
{
	const struct set_kernel *k = p->kernel;
	struct trace_header *h = &p->code->header;
	snprintf(h->name, sizeof h->name, "%s", k->name);
	if (k->id < 0 || k->shared < 0 || k->regs < 0 || k->device < 0 || k->device >> 31 || k->stream < 0)
		return fail(p,
		            "kernel %d of device %lld, stream %lld, with %d bytes of shared memory and %d registers: expected "
		            "no negative numbers",
		            k->id, (long long)k->device, (long long)k->stream, k->shared, k->regs);
	for (unsigned i = 0; i < 3; i++) {
		if (k->grid[i] <= 0 || k->block[i] <= 0)
			return fail(p, "kernel %d: grid (%d,%d,%d) and block (%d,%d,%d): expected numbers above 0", k->id,
			            k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2]);
		h->grid[i] = (uint32_t)k->grid[i];
		h->block[i] = (uint32_t)k->block[i];
	}
	h->id = k->executed && k->executed->number ? k->executed->number : (uint32_t)k->id;
	h->shared = (uint32_t)k->shared;
	h->regs = (uint32_t)k->regs;
	h->binary_version = k->executed ? k->executed->arch : p->set->binary_version;
	h->version = p->set->version;
	h->stream = (uint64_t)k->device << 32 | (uint64_t)k->stream;
	h->shared_base = k->shared_base;
	h->local_base = k->local_base;
	char why[400];
	if (!trace_header_check(p->code, &p->n_cta, &p->n_warps, why, sizeof why))
		return fail(p, "kernel %d: %s", k->id, why);
	p->threads = h->block[0] * h->block[1] * h->block[2];
	if (p->code->generation < SASS_VOLTA)
		return fail(p, "kernel %d: binary version %u; expected 70 or above: instructions of 128 bits", k->id,
		            h->binary_version);
	return true;
}

// The code of a kernel that Heddle executed.
static bool executed(struct trace_pb *p)
{
	const struct set_executed *e = p->kernel->executed;
	const struct static_function *f = p->kernel->function;
	char why[400];
	trace_machine_new(p->code, e->code_base, e->local, e->prefers, (uint32_t)e->n);
	for (size_t i = 0; i < e->n; i++)
		trace_machine_add(p->code, e->how[i], (struct sass_word){.lo = f->inst.at[i].lo, .hi = f->inst.at[i].hi});
	return trace_machine_decode(p->code, why, sizeof why) || fail(p, "kernel %d: %s", p->kernel->id, why);
}

// --- code

// pcs count from the lowest function that the kernel calls, so that they are small;
// functions far away keep their distance.
static uint64_t lowest_address(const struct trace_set *set, const struct static_function *entry)
{
	VEC(const struct static_function *) seen = {0};
	uint64_t low = entry->address;
	VEC_PUSH(&seen, entry);
	for (size_t i = 0; i < seen.n; i++) {
		const struct static_function *f = seen.at[i];
		for (size_t k = 0; k < f->inst.n; k++) {
			const struct static_inst *st = &f->inst.at[k];
			for (unsigned o = 0; o < st->n_operand; o++) {
				const struct static_operand *to = &st->operand[o];
				const struct static_function *g =
					to->type == STATIC_CALL ? trace_static_function(set->code, to->number) : NULL;
				bool known = !g;
				for (size_t j = 0; j < seen.n && !known; j++)
					known = seen.at[j] == g;
				if (known)
					continue;
				VEC_PUSH(&seen, g);
				if (g->address < low && entry->address - g->address <= CODE_SPAN && g->address)
					low = g->address;
			}
		}
	}
	VEC_FREE(&seen);
	return low;
}

// Of an instruction in function.index.
static uint32_t place_of(uint32_t pc, bool apart) { return pc / STATIC_INST_BYTES * 2 + apart; }

static struct function *find_function(struct trace_pb *p, int32_t id)
{
	if (p->last_function && p->last_function->from->id == id)
		return p->last_function;
	for (size_t i = 0; i < p->function.n; i++)
		if (p->function.at[i]->from->id == id)
			return p->last_function = p->function.at[i];
	const struct static_function *from = trace_static_function(p->set->code, id);
	if (!from)
		return NULL;
	struct function *f = MEM_NEW(struct function);
	f->from = from;
	f->base = from->address - p->code_base;
	f->n_index = from->inst.n ? place_of(from->inst.at[from->inst.n - 1].pc, true) + 1 : 0;
	f->index = mem_alloc(f->n_index * sizeof *f->index + 1);
	VEC_PUSH(&p->function, f);
	return p->last_function = f;
}

static struct trace_inst *new_inst(struct trace_pb *p, struct function *f, uint32_t pc, size_t given, bool apart)
{
	const struct static_inst *st = trace_static_inst(f->from, pc);
	char text[192], why[256];
	if (!st) {
		fail(p, "pc 0x%x is not among the %zu instructions of function %lld (%.60s) in %s", pc, f->from->inst.n,
		     (long long)f->from->id, f->from->name, p->set->code->file);
		return NULL;
	}
	trace_static_text(st, text, sizeof text);
	struct trace_inst *t = trace_inst_new(p->code);
	if (!t) {
		fail(p, "more than %d different instructions in one kernel", TRACE_CHUNK * TRACE_CHUNKS);
		return NULL;
	}
	t->isa.pc = f->base + pc;
	bool ok = p->code->machine ? trace_machine_inst(p->code, pc, given, apart, t, why, sizeof why)
	                           : trace_pb_decode(p->code, st, given < 2 ? (unsigned)given : 2, t, why, sizeof why);
	if (!ok) {
		fail(p, "'%s' at pc 0x%x of function %lld in %s: %s", text, pc, (long long)f->from->id, p->set->code->file,
		     why);
		return NULL;
	}
	t->op = f->from == p->kernel->function ? arena_strdup(&p->code->strings, text)
	                                       : arena_printf(&p->code->strings, "%s, in %.80s", text, f->from->name);
	trace_inst_place(p->code, t);
	f->index[place_of(pc, apart)] = t->index + 1;
	return t;
}

static struct trace_inst *find_inst(struct trace_pb *p, int32_t function, uint32_t pc, size_t given, bool apart)
{
	struct function *f = find_function(p, function);
	if (!f) {
		fail(p, "function %d is not in %s", function, p->set->code->file);
		return NULL;
	}
	uint32_t at = place_of(pc, apart), i = at < f->n_index && pc % STATIC_INST_BYTES == 0 ? f->index[at] : 0;
	return i ? trace_inst_at(p->code, i - 1) : new_inst(p, f, pc, given, apart);
}

// --- addresses

// Offsets from the address of the first lane of the mask, which is returned in *base.
static bool decompress(struct trace_pb *p, const Pb__Address *a, uint32_t mask, uint64_t *base, int64_t offset[32])
{
	unsigned lanes = (unsigned)__builtin_popcount(mask), k = 0;
	uint32_t run = mask >> __builtin_ctz(mask);
	uint64_t at = 0;
	bool list = a->compression_format == FORMAT_LIST, deltas = a->compression_format == FORMAT_DELTAS;
	size_t expected = list ? lanes : deltas ? lanes - 1 : 0;
	if (a->compression_format < FORMAT_LIST || a->compression_format > FORMAT_DELTAS)
		return fail(p, "addresses in format %d; expected 0 list, 1 base and stride, 2 base and differences",
		            a->compression_format);
	if (a->n_addrs != expected)
		return fail(p, "%zu addresses or differences for %u lanes in format %d, expected %zu", a->n_addrs, lanes,
		            a->compression_format, expected);
	if (a->compression_format == FORMAT_STRIDE && run & (run + 1))
		return fail(p, "base and stride for the lanes 0x%08x, which do not follow each other", mask);
	*base = a->compression_format == FORMAT_LIST ? (uint64_t)a->addrs[0] : a->base_address;
	for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {
		if (a->compression_format == FORMAT_LIST)
			at = (uint64_t)a->addrs[++k] - *base;
		else
			at += a->compression_format == FORMAT_STRIDE ? (uint64_t)(int64_t)a->stride : (uint64_t)a->addrs[k++];
		offset[__builtin_ctz(m)] = (int64_t)at;
	}
	return true;
}

static bool pack_addresses(struct trace_pb *p, const Pb__Address *a, struct trace_inst *t, uint32_t mask)
{
	uint64_t base = 0;
	int64_t offset[32] = {0};
	uint32_t pattern;
	// As last time: tail_len holds the stride.
	if (a->compression_format == FORMAT_STRIDE && t->tail_mode == FORMAT_STRIDE && t->tail_mask == mask &&
	    t->tail_len == (uint32_t)a->stride && !a->n_addrs) {
		trace_pack_addresses(&p->pack, t->index, a->base_address + t->imm, t->tail_pattern, mask, offset);
		return true;
	}
	if (!decompress(p, a, mask, &base, offset))
		return false;
	pattern = trace_pattern_of(p->code, mask, offset);
	if (a->compression_format == FORMAT_STRIDE && pattern != UINT32_MAX) {
		t->tail_mode = FORMAT_STRIDE;
		t->tail_mask = mask;
		t->tail_len = (uint32_t)a->stride;
		t->tail_pattern = pattern;
	}
	trace_pack_addresses(&p->pack, t->index, base + t->imm, pattern, mask, offset);
	return true;
}

// All accesses of an instruction, as the cursor's machine_result reads them.
static bool pack_accesses(struct trace_pb *p, const Pb__Instruction *i, struct trace_inst *t)
{
	if (i->n_accesses > FE_MAX_ACCESS)
		return fail(p, "'%s' with %zu accesses, expected up to %d", t->op, i->n_accesses, FE_MAX_ACCESS);
	trace_pack_number(&p->pack, i->n_accesses);
	for (size_t k = 0; k < i->n_accesses; k++) {
		const Pb__Access *a = i->accesses[k];
		int64_t offset[32] = {0};
		uint32_t mask = a->mask;
		if (a->space > SPACE_TEX || a->space < SPACE_GLOBAL || !a->bytes || a->bytes > 128 || !mask || a->n_addrs != fe_lanes(mask))
			return fail(p, "'%s': access %zu has space %u, %u bytes and %zu addresses for the lanes 0x%08x", t->op, k, a->space, a->bytes,
			            a->n_addrs, mask);
		trace_pack_number(&p->pack, a->space);
		trace_pack_number(&p->pack, a->bytes);
		trace_pack_number(&p->pack, mask);
		size_t n = 0;
		for (uint32_t m = mask; m; m &= m - 1)
			offset[__builtin_ctz(m)] = (int64_t)(a->addrs[n++] - a->addrs[0]);
		uint32_t pattern = trace_pattern_of(p->code, mask, offset);
		trace_pack_addresses(&p->pack, t->index, a->addrs[0], pattern, mask, offset);
	}
	return true;
}

// --- thread blocks

// An instruction of a warp without missing lanes, if its message is the one that the likely instruction had last and told
// no more than which instruction and lanes.
static bool same_inst(struct trace_pb *p, const ProtobufCBinaryData *b)
{
	struct trace_inst *t = trace_pack_likely(&p->pack, p->code);
	if (!t || !t->whole || t->line_len != b->len || memcmp(t->line, b->data, b->len))
		return false;
	trace_pack_inst(&p->pack, t, t->line_mask);
	return true;
}

// `b`: the message, if it may be kept.
static bool one_inst(struct trace_pb *p, const Pb__Instruction *i, const ProtobufCBinaryData *b, uint32_t lanes)
{
	uint32_t mask = i->active_mask & i->predicate_mask;
	struct trace_inst *t = find_inst(p, i->function_unique_id, i->pc, i->n_addresses, p->code->machine && i->apart);
	if (!t)
		return false;
	if (!i->active_mask || (i->active_mask & ~lanes))
		return fail(p, "active lanes 0x%08x; the warp has the lanes 0x%08x", i->active_mask, lanes);
	trace_pack_inst(&p->pack, t, mask);
	if (mask && t->how == TRACE_LISTED)
		return pack_accesses(p, i, t);
	if (!mask || !t->n_access) {
		t->whole = b && b->len && b->len <= UINT32_MAX;
		t->line_mask = mask;
		if (t->whole)
			t->line_len = trace_keep(&t->line, &t->line_cap, b->data, b->len);
		return true;
	}
	if (i->n_addresses < t->n_access)
		return fail(p, "'%s' with the addresses of %zu operands, expected %u", t->op, i->n_addresses, t->n_access);
	for (unsigned k = 0; k < t->n_access; k++)
		if (!pack_addresses(p, i->addresses[k], t, mask))
			return false;
	return true;
}

static bool damaged(struct trace_pb *p, const char *what)
{
	return fail(p, "%s is damaged: the protobuf message ends early or cannot be understood", what);
}

static bool one_warp(struct trace_pb *p, ProtobufCBinaryData bytes)
{
	const Pb__Warp *w = pb__warp__unpack(&p->mem, bytes.len, bytes.data);
	uint32_t left = p->threads - p->warp * 32, lanes = left < 32 ? ((uint32_t)1 << left) - 1 : UINT32_MAX;
	if (!w)
		return damaged(p, "the warp");
	if (w->id != (int64_t)p->warp)
		return fail(p, "warp %u says that it is warp %d", p->warp, w->id);
	if (w->n_instructions > UINT32_MAX / 4)
		return fail(p, "%zu instructions in a warp", w->n_instructions);
	trace_pack_begin(&p->pack);
	struct scratch_mark m = scratch_mark(&p->scratch);
	for (p->inst = 0; p->inst < w->n_instructions; p->inst++) {
		const ProtobufCBinaryData *b = &w->instructions[p->inst];
		const bool full = lanes == UINT32_MAX;
		if (full && same_inst(p, b))
			continue;
		const Pb__Instruction *i = pb__instruction__unpack(&p->mem, b->len, b->data);
		if (!i)
			return damaged(p, "the instruction");
		if (!one_inst(p, i, full ? b : NULL, lanes))
			return false;
		scratch_back(&p->scratch, m);
	}
	p->inst = SIZE_MAX;
	return true;
}

static bool check_id(struct trace_pb *p, const Pb__Dim *d, const uint32_t id[3])
{
	int32_t at[3] = {d ? d->x : 0, d ? d->y : 0, d ? d->z : 0};
	for (unsigned i = 0; i < 3; i++)
		if (at[i] < 0 || (uint32_t)at[i] != id[i])
			return fail(p, "holds thread block %d,%d,%d, expected %u,%u,%u", at[0], at[1], at[2], id[0], id[1], id[2]);
	return true;
}

static bool one_block(struct trace_pb *p, const uint8_t *bytes, size_t len, const uint32_t id[3], struct trace_cta *to)
{
	const Pb__WarpEntry *entry[TRACE_MAX_WARPS] = {0};
	const Pb__ThreadBlock *b = pb__thread_block__unpack(&p->mem, len, bytes);
	if (!b)
		return damaged(p, "the thread block");
	if (!check_id(p, b->block_id, id))
		return false;
	for (size_t i = 0; i < b->n_warps; i++) {
		const Pb__WarpEntry *e = pb__warp_entry__unpack(&p->mem, b->warps[i].len, b->warps[i].data);
		if (!e)
			return damaged(p, "a warp");
		if (e->key < 0 || (uint32_t)e->key >= p->n_warps || entry[e->key])
			return fail(p, "warp %d %s; a block of %u threads has the warps 0 to %u", e->key,
			            e->key < 0 || (uint32_t)e->key >= p->n_warps ? "is not one of the block" : "comes twice",
			            p->threads, p->n_warps - 1);
		entry[e->key] = e;
	}
	memcpy(to->id, id, sizeof to->id);
	for (p->warp = 0; p->warp < p->n_warps; p->warp++) {
		struct scratch_mark m = scratch_mark(&p->scratch);
		if (!entry[p->warp])
			return fail(p, "warp %u is missing; a block of %u threads has %u", p->warp, p->threads, p->n_warps);
		if (!one_warp(p, entry[p->warp]->value))
			return false;
		trace_cta_put(to, &p->pack);
		scratch_back(&p->scratch, m);
	}
	return true;
}

enum trace_read trace_pb_block(struct trace_pb *p, const char *name, const uint8_t *bytes, size_t len,
                               const uint32_t id[3], struct trace_cta *to)
{
	if (p->error[0])
		return TRACE_ERROR;
	trace_cta_empty(to);
	p->name = name;
	p->inst = SIZE_MAX;
	bool ok = one_block(p, bytes, len, id, to);
	trace_cta_end(to, p->code);
	if (p->scratch.total > SCRATCH_KEEP)
		scratch_free(&p->scratch);
	p->scratch.at = p->scratch.used = 0;
	return ok ? TRACE_CTA : TRACE_ERROR;
}

static enum trace_read next(void *reader, struct trace_cta *to)
{
	struct trace_pb *p = reader;
	const uint32_t *g = p->code->header.grid;
	char path[4096 + 128];
	if (p->error[0])
		return TRACE_ERROR;
	if (p->at >= p->n_cta || p->at > p->last)
		return TRACE_END;
	uint64_t i = p->at++;
	uint32_t id[3] = {(uint32_t)(i % g[0]), (uint32_t)(i / g[0] % g[1]), (uint32_t)(i / g[0] / g[1])};
	snprintf(path, sizeof path, "%s/%s%u,%u,%u.pb", p->kernel->folder, p->kernel->prefix, id[0], id[1], id[2]);
	p->bytes.n = 0;
	if (!trace_set_file(path, &p->bytes, p->error, sizeof p->error))
		return TRACE_ERROR;
	enum trace_read got = trace_pb_block(p, path, p->bytes.at, p->bytes.n, id, to);
	p->name = p->set->file;
	if (p->bytes.cap > SCRATCH_KEEP)
		VEC_FREE(&p->bytes);
	return got;
}

struct trace_pb *trace_pb_new(const struct trace_set *set, uint32_t kernel, struct trace_code *code, uint64_t first,
                              uint64_t last, char *why, size_t n)
{
	struct trace_pb *p = MEM_NEW(struct trace_pb);
	p->set = set;
	p->kernel = &set->kernel.at[kernel];
	p->code = code;
	p->first = p->at = first;
	p->last = last;
	p->mem = (ProtobufCAllocator){scratch_alloc, scratch_drop, &p->scratch};
	p->name = set->file;
	p->inst = SIZE_MAX;
	p->code_base = lowest_address(set, p->kernel->function);
	if (header(p) && (!p->kernel->executed || p->code->rules.accelsim || executed(p))) {
		p->code->rules.accelsim = false; // Accel-Sim does not read this format
		return p;
	}
	snprintf(why, n, "%s", p->error);
	trace_pb_feed(p).ops->free(p);
	return NULL;
}

static void free_reader(void *reader)
{
	struct trace_pb *p = reader;
	for (size_t i = 0; i < p->function.n; i++) {
		mem_free(p->function.at[i]->index);
		mem_free(p->function.at[i]);
	}
	VEC_FREE(&p->function);
	trace_pack_free(&p->pack);
	VEC_FREE(&p->bytes);
	scratch_free(&p->scratch);
	mem_free(p);
}

static const char *feed_error(const void *reader) { return trace_pb_error(reader); }

struct trace_feed trace_pb_feed(struct trace_pb *p)
{
	static const struct trace_feed_ops ops = {next, feed_error, free_reader};
	return (struct trace_feed){&ops, p};
}

uint64_t trace_pb_ctas(const struct trace_pb *p)
{
	uint64_t end = p->last < p->n_cta ? p->last + 1 : p->n_cta;
	return end > p->first ? end - p->first : 0;
}

uint64_t trace_pb_code_base(const struct trace_pb *p) { return p->code_base; }
