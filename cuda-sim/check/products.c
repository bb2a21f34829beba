// racecheck, another part: products of warp groups (wgmma.mma_async) read and write registers behind their warp's back. PTX ISA,
// wgmma.fence and wgmma.wait_group:
//
//  - From the product until a wgmma.wait_group has waited for its group, nothing touches its accumulators, and nothing writes its
//    registers of A. But further products of the same shape may add up in the same accumulators.
//  - A wgmma.fence stands before the first product of a warp, and between what writes a register and a product that uses it. Between
//    products of the same shape that use the same accumulators none is needed.
//
// Registers are the warp's: a hazard of one of its lanes is one of all. Machine code has no such hazards, since ptxas puts in the waits
// and fences that are missing (docs/check.md).
#include "cuda-sim/check/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct products_register {
	const struct isa_inst *product; // that uses it, or used it; NULL: none has
	bool sum;                       // as an accumulator
	uint32_t group, issued;         // the group of products it belongs to, and when it was issued
	const struct isa_inst *by;      // what computed its value, at `written`; NULL: a product, or it is a constant
	uint32_t written;
	uint8_t lane;
};

struct products_warp {
	uint32_t now, fenced;           // instructions that were told, and so many at the last wgmma.fence; 0: there was none
	uint32_t closed, complete;      // groups
	struct products_register *reg;  // by number
	uint32_t n;
};

struct products_cta {
	struct products_warp warp[WARP];
};

static struct products_warp *warp_of(const struct warp *w) { return &check_cta_of(w->cta)->products->warp[w->id]; }

static void cta_new(struct exec_cta *x) { check_cta_of(x)->products = MEM_NEW(struct products_cta); }

static void cta_free(struct exec_cta *x)
{
	for (unsigned k = 0; k < x->n_warp; k++)
		mem_free(check_cta_of(x)->products->warp[k].reg);
	mem_free(check_cta_of(x)->products);
}

static void cta_start(struct exec_cta *x)
{
	for (unsigned k = 0; k < x->n_warp; k++) {
		struct products_warp *p = &check_cta_of(x)->products->warp[k];
		if (p->n)
			memset(p->reg, 0, p->n * sizeof *p->reg);
		*p = (struct products_warp){.reg = p->reg, .n = p->n};
	}
}

static void make_room(struct products_warp *p, uint32_t number)
{
	const uint32_t n = (number + 64) / 64 * 64;
	if (number < p->n)
		return;
	p->reg = mem_realloc(p->reg, n * sizeof *p->reg);
	memset(p->reg + p->n, 0, (n - p->n) * sizeof *p->reg);
	p->n = n;
}

// A product that uses it is under way.
static bool in_use(const struct products_warp *p, const struct products_register *r) { return r->product && r->group >= p->complete; }

static bool same_shape(const struct isa_inst *a, const struct isa_inst *b)
{
	const struct isa_matrix *x = &a->matrix, *y = &b->matrix;
	return x->n == y->n && x->k == y->k && x->bits == y->bits && x->sparse == y->sparse;
}

// --- reports: one for each product and source line

// What tells an instruction from those of other source lines.
static uint64_t line_of(const struct exec_cta *x, const struct isa_inst *inst)
{
	struct fe_place p;
	x->launch->fe->place(x->launch->code, inst, &p);
	return p.source_line ? p.source_line : (uint64_t)1 << 32 | inst->pc;
}

// Counts it if there is such a report already.
static bool again(struct warp *w, uint32_t mask, const char *key)
{
	struct check *c = check_cta_of(w->cta)->check;
	struct report *r = report_find(c, key);
	if (r)
		report_again(c, r, 4 * (uint64_t)__builtin_popcount(mask));
	return r;
}

static void report(struct warp *w, uint32_t mask, const char *key, const char *signature, const char *text)
{
	struct check *c = check_cta_of(w->cta)->check;
	struct report *r = report_add(c, key, signature, text);
	r->race = r->race_error = true;
	report_again(c, r, 4 * (uint64_t)__builtin_popcount(mask));
}

static void touched(struct warp *w, uint32_t mask, const struct exec_register *u, const struct products_register *r, bool write)
{
	const struct exec_cta *x = w->cta;
	const struct isa_inst *now = x->check->trail[w->id].now;
	struct check *c = check_cta_of(x)->check;
	struct check_where product, place;
	char key[120], text[2800], signature[1600];
	uint32_t t[3];
	const char *what = write ? "Write" : "Read", *of = r->sum ? "accumulator" : "register of A";
	snprintf(key, sizeof key, "products %p %p %d %" PRIx64, (const void *)x->launch->info, (const void *)r->product, r->sum, line_of(x, now));
	if (again(w, mask, key))
		return;
	check_where(c, x->launch, r->product, &product);
	check_where(c, x->launch, now, &place);
	check_thread(x, w->id, (unsigned)__builtin_ctz(mask), t);
	snprintf(signature, sizeof signature, "racecheck: Race reported between wgmma.mma_async at %s and %s access of its %s at %s", product.name, what, of,
	         place.name);
	snprintf(text, sizeof text,
	         "Race reported between wgmma.mma_async at %s%s\n"
	         "    and %s access of its %s %.60s at %s%s [# hazards]\n"
	         "    first by thread (%u,%u,%u) in block (%u,%u,%u)\n"
	         "    %s\n",
	         product.at, product.call, what, of, u->name, place.at, place.call, t[0], t[1], t[2], x->id[0], x->id[1], x->id[2],
	         r->group == warp_of(w)->closed ? "No wgmma.commit_group has closed its group, so no wgmma.wait_group waits for it"
	                                        : "No wgmma.wait_group has waited for its group between");
	report(w, mask, key, signature, text);
}

// by: what used the register last, at an accumulator of another shape `product` is one too.
static void unfenced(struct warp *w, uint32_t mask, const struct exec_register *u, const struct isa_inst *by, unsigned lane, bool product)
{
	const struct exec_cta *x = w->cta;
	const struct isa_inst *now = x->check->trail[w->id].now;
	struct check *c = check_cta_of(x)->check;
	struct check_where from, to;
	char key[120], text[2800], signature[1600], what[100];
	uint32_t t[3];
	snprintf(key, sizeof key, "unfenced %p %p %d %" PRIx64, (const void *)x->launch->info, (const void *)now, product, line_of(x, by));
	if (again(w, mask, key))
		return;
	check_where(c, x->launch, by, &from);
	check_where(c, x->launch, now, &to);
	check_thread(x, w->id, lane, t);
	snprintf(what, sizeof what, product ? "wgmma.mma_async of another shape in %.60s" : "Write access of %.60s", u->name);
	snprintf(signature, sizeof signature, "racecheck: Race reported between %s at %s and wgmma.mma_async at %s",
	         product ? "wgmma.mma_async of another shape" : "Write access", from.name, to.name);
	snprintf(text, sizeof text,
	         "Race reported between %s at %s%s\n"
	         "    and wgmma.mma_async at %s%s [# hazards]\n"
	         "    first by thread (%u,%u,%u) in block (%u,%u,%u)\n"
	         "    The warp has not executed wgmma.fence between\n",
	         what, from.at, from.call, to.at, to.call, t[0], t[1], t[2], x->id[0], x->id[1], x->id[2]);
	report(w, mask, key, signature, text);
}

static void never_fenced(struct warp *w, uint32_t mask)
{
	const struct exec_cta *x = w->cta;
	const struct isa_inst *now = x->check->trail[w->id].now;
	struct check *c = check_cta_of(x)->check;
	struct check_where at;
	char key[100], text[1200], signature[800];
	uint32_t t[3];
	snprintf(key, sizeof key, "never fenced %p %p", (const void *)x->launch->info, (const void *)now);
	if (again(w, mask, key))
		return;
	check_where(c, x->launch, now, &at);
	check_thread(x, w->id, (unsigned)__builtin_ctz(mask), t);
	snprintf(signature, sizeof signature, "racecheck: No wgmma.fence before wgmma.mma_async at %s", at.name);
	snprintf(text, sizeof text,
	         "No wgmma.fence before wgmma.mma_async at %s%s [# hazards]\n"
	         "    first by thread (%u,%u,%u) in block (%u,%u,%u)\n",
	         at.at, at.call, t[0], t[1], t[2], x->id[0], x->id[1], x->id[2]);
	report(w, mask, key, signature, text);
}

// --- what registers are used for

static void computed(struct warp *w, uint32_t mask, struct products_register *r)
{
	*r = (struct products_register){.by = w->cta->check->trail[w->id].now, .written = warp_of(w)->now, .lane = (uint8_t)__builtin_ctz(mask)};
}

// A value goes on in another register, and so does the product under way that makes it.
static void copied(const struct products_warp *p, struct products_register *r, const struct products_register *from)
{
	*r = *from;
	if (!from->sum || !in_use(p, from))
		r->product = NULL;
}

// False if a thread wrote the register after the last fence, which is reported.
static bool is_fenced(struct warp *w, uint32_t mask, const struct exec_register *u, const struct products_register *r)
{
	if (!r->by || r->written <= warp_of(w)->fenced)
		return true;
	unfenced(w, mask, u, r->by, r->lane, false);
	return false;
}

static void issue(struct warp *w, struct products_register *r, bool sum)
{
	const struct products_warp *p = warp_of(w);
	*r = (struct products_register){.product = w->cta->check->trail[w->id].now, .sum = sum, .group = p->closed, .issued = p->now,
	                                .by = sum ? NULL : r->by, .written = sum ? 0 : r->written, .lane = r->lane};
}

// False if it is a product that lacks a fence.
static bool use(struct warp *w, uint32_t mask, const struct exec_register *u)
{
	struct products_warp *p = warp_of(w);
	const struct isa_inst *now = w->cta->check->trail[w->id].now;
	make_room(p, u->number);
	make_room(p, u->from);
	struct products_register *const r = &p->reg[u->number];
	const bool under_way = in_use(p, r);
	bool fenced = true;
	switch ((enum exec_register_use)u->use) {
	case EXEC_REGISTER_READ:
		if (under_way && r->sum)
			touched(w, mask, u, r, false);
		break;
	case EXEC_REGISTER_WRITTEN:
		if (under_way)
			touched(w, mask, u, r, true);
		computed(w, mask, r);
		break;
	case EXEC_REGISTER_SET:
		if (under_way)
			touched(w, mask, u, r, true);
		*r = (struct products_register){0};
		break;
	case EXEC_REGISTER_COPIED:
		copied(p, r, &p->reg[u->from]);
		break;
	case EXEC_REGISTER_FACTOR:
		if (under_way && r->sum) {
			touched(w, mask, u, r, false);
			break;
		}
		fenced = is_fenced(w, mask, u, r);
		issue(w, r, false);
		break;
	case EXEC_REGISTER_SUM:
		if (under_way && !r->sum && r->product != now)
			touched(w, mask, u, r, true);
		else if (under_way && r->issued > p->fenced && !same_shape(r->product, now))
			unfenced(w, mask, u, r->product, (unsigned)__builtin_ctz(mask), true);
		else
			fenced = is_fenced(w, mask, u, r);
		issue(w, r, true);
		break;
	}
	return fenced;
}

static void registers(struct warp *w, uint32_t mask, const struct exec_registers *r)
{
	struct products_warp *p = warp_of(w);
	bool fenced = true;
	p->now++;
	for (unsigned k = 0; k < r->n; k++)
		fenced &= use(w, mask, &r->at[k]);
	if (fenced && !p->fenced && w->cta->check->trail[w->id].now->async == ISA_ASYNC_MMA)
		never_fenced(w, mask);
}

static void group(struct warp *w, enum exec_group_op op, uint32_t keep)
{
	struct products_warp *p = warp_of(w);
	if (op == EXEC_GROUP_FENCE)
		p->fenced = ++p->now;
	if (op == EXEC_GROUP_COMMIT)
		p->closed++;
	if (op == EXEC_GROUP_WAIT && keep < p->closed && p->closed - keep > p->complete)
		p->complete = p->closed - keep;
}

const struct check_tool check_products = {
	.bit = CHECK_RACECHECK, .cta_new = cta_new, .cta_free = cta_free, .cta_start = cta_start, .group = group, .registers = registers,
};
