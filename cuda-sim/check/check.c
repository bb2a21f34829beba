#include "cuda-sim/check/parts.h"
#include "cuda-sim/check/shadow.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct check_tool *const all_tools[] = {&check_memory, &check_races, &check_proxy, &check_products, &check_init, &check_sync};
enum { N_TOOLS = sizeof all_tools / sizeof *all_tools };

// --- what front ends tell, handed on to the tools

#define TOOLS(c, member, ...)                                  \
	for (unsigned k_ = 0; k_ < (c)->n_tool; k_++)          \
		if ((c)->tool[k_]->member)                     \
			(c)->tool[k_]->member(__VA_ARGS__);

static void cta_new(struct exec_checker *k, struct exec_cta *x)
{
	struct check *c = (struct check *)k;
	struct check_cta *to = MEM_NEW(struct check_cta);
	to->head.by = k;
	to->check = c;
	x->check = &to->head;
	TOOLS(c, cta_new, x)
}

static void cta_free(struct exec_cta *x)
{
	struct check *c = check_cta_of(x)->check;
	TOOLS(c, cta_free, x)
	mem_free(x->check);
	x->check = NULL;
}

static void cta_start(struct exec_cta *x)
{
	struct check *c = check_cta_of(x)->check;
	memset(x->check->trail, 0, sizeof x->check->trail);
	for (unsigned k = 0; k < x->n_warp; k++)
		x->check->trail[k].live = x->warp[k]->exist;
	TOOLS(c, cta_start, x)
}

static void cta_end(struct exec_cta *x)
{
	struct check *c = check_cta_of(x)->check;
	TOOLS(c, cta_end, x)
}

static void touch(struct warp *w, const struct uop *u, const struct exec_touch *t)
{
	struct check_cta *x = check_cta_of(w->cta);
	x->touched[w->id].space = t->space;
	x->touched[w->id].bytes = t->bytes;
	x->touched[w->id].write = t->write;
	x->touched[w->id].atomic = t->atomic;
	for (unsigned k = 0; k < x->check->n_tool && !w->fault; k++)
		if (x->check->tool[k]->touch)
			x->check->tool[k]->touch(w, u, t);
}

static void exited(struct warp *w, const struct exec_trail *t)
{
	struct check *c = check_cta_of(w->cta)->check;
	TOOLS(c, exited, w, t)
}

static void warpsync(struct warp *w, uint32_t mask, const uint32_t *members)
{
	struct check *c = check_cta_of(w->cta)->check;
	TOOLS(c, warpsync, w, mask, members)
}

static void arrive(struct warp *w, uint32_t mask, uint32_t id, bool waits, bool aligned)
{
	struct check *c = check_cta_of(w->cta)->check;
	TOOLS(c, arrive, w, mask, id, waits, aligned)
}

static void open(struct exec_cta *x, uint32_t id)
{
	struct check *c = check_cta_of(x)->check;
	TOOLS(c, open, x, id)
}

static void fence(struct warp *w, uint32_t mask, bool proxy)
{
	struct check *c = check_cta_of(w->cta)->check;
	TOOLS(c, fence, w, mask, proxy)
}

static void proxied(struct warp *w, unsigned lane, uint32_t at, uint32_t bytes, bool write)
{
	struct check *c = check_cta_of(w->cta)->check;
	TOOLS(c, proxied, w, lane, at, bytes, write)
}

static void signalled(struct warp *w, uint32_t mask, const uint32_t *at)
{
	struct check *c = check_cta_of(w->cta)->check;
	TOOLS(c, signalled, w, mask, at)
}

static void awaited(struct warp *w, uint32_t mask, const uint32_t *at)
{
	struct check *c = check_cta_of(w->cta)->check;
	TOOLS(c, awaited, w, mask, at)
}

static void group(struct warp *w, enum exec_group_op op, uint32_t keep)
{
	struct check *c = check_cta_of(w->cta)->check;
	TOOLS(c, group, w, op, keep)
}

static void registers(struct warp *w, uint32_t mask, const struct exec_registers *r)
{
	struct check *c = check_cta_of(w->cta)->check;
	TOOLS(c, registers, w, mask, r)
}

// What calls write counts as written; that they read is no concern of the kernel's author.
static void moved(struct warp *w, unsigned lane, uint64_t addr, size_t n, bool write)
{
	struct check *c = check_cta_of(w->cta)->check;
	if (c->shadow && write)
		shadow_set(c->shadow, addr, n, true);
}

static const char *fault_title(struct check_cta *x, const struct warp *w, enum fault_kind kind, uint64_t addr, char *buf, size_t len)
{
	const struct exec_touch_note *t = &x->touched[w->id];
	const struct isa_inst *now = x->head.trail[w->id].now;
	bool access = now->cls == ISA_LOAD || now->cls == ISA_STORE || now->cls == ISA_ATOMIC;
	if (access && (kind == FAULT_ILLEGAL_ADDRESS || kind == FAULT_MISALIGNED)) {
		check_access_title(t->space, t->write, t->atomic, t->bytes, buf, len);
		return buf;
	}
	if (addr && addr == x->check->refused && kind == FAULT_LAUNCH) {
		const struct check_block *d = blocks_dead_at(&x->check->blocks, addr);
		return d && d->base == addr && d->kind == DEVMEM_HEAP ? "Malloc/Free Error encountered : Double free"
		                                                     : "Malloc/Free Error encountered : Invalid pointer to free";
	}
	switch (kind) {
	case FAULT_STACK: return "Stack overflow";
	case FAULT_ASSERT: return "Device-side assertion failed";
	case FAULT_TRAP: return "Trap instruction executed";
	case FAULT_INVALID_SPACE: return "Invalid address space";
	case FAULT_INVALID_PC: return "Invalid program counter";
	case FAULT_ILLEGAL_INSTRUCTION:
		return now->cls == ISA_BARRIER ? "Barrier error detected. Invalid arguments." : "Illegal instruction";
	default: return "Kernel ended by an error";
	}
}

// The tool that is in charge of a fault the executor found itself: synccheck of barriers, memcheck of all else.
static void fault(struct warp *w, enum fault_kind kind, unsigned lane, uint64_t addr, const char *text)
{
	struct check_cta *x = check_cta_of(w->cta);
	struct check *c = x->check;
	const struct isa_inst *now = x->head.trail[w->id].now;
	char title[120], also[900];
	if (c->told == w->cta->launch || !now)
		return;
	unsigned bit = now->cls == ISA_BARRIER ? CHECK_SYNCCHECK : CHECK_MEMCHECK;
	if (!(c->setup.tools & bit))
		return;
	const char *t = fault_title(x, w, kind, addr, title, sizeof title);
	if (!strncmp(t, "Malloc", 6))
		snprintf(also, sizeof also, "    Address 0x%" PRIx64 "\n", addr);
	else
		snprintf(also, sizeof also, "    %.800s\n", text);
	if (check_found(c, &(struct finding){.tool = bit == CHECK_SYNCCHECK ? "synccheck" : "memcheck", .title = t, .warp = w, .inst = now,
	                                     .lane = lane, .lanes = 1, .also = also}))
		c->told = w->cta->launch;
}

struct check *check_new(const struct check_setup *s)
{
	struct check *c = MEM_NEW(struct check);
	c->as = (struct exec_checker){cta_new, cta_free, cta_start, cta_end, touch, exited, warpsync, arrive, open, fence, proxied, signalled, awaited, group, registers, moved, fault};
	c->setup = *s;
	for (unsigned k = 0; k < N_TOOLS; k++)
		if (s->tools & all_tools[k]->bit)
			c->tool[c->n_tool++] = all_tools[k];
	if (s->tools & CHECK_INITCHECK)
		c->shadow = shadow_new(s->mem->base, s->mem->size);
	return c;
}

void check_free(struct check *c)
{
	for (size_t i = 0; i < c->report.n; i++) {
		mem_free(c->report.at[i].key);
		mem_free(c->report.at[i].signature);
		mem_free(c->report.at[i].text);
	}
	for (size_t i = 0; i < c->suppression.n; i++)
		mem_free(c->suppression.at[i].pattern);
	VEC_FREE(&c->report);
	VEC_FREE(&c->suppression);
	VEC_FREE(&c->launch);
	blocks_free(&c->blocks);
	shadow_free(c->shadow);
	mem_free(c);
}

struct exec_checker *check_as_checker(struct check *c) { return &c->as; }

// --- launches

void check_launch(struct check *c, const struct kernel_launch *l, const struct check_stack *where)
{
	VEC_PUSH(&c->launch, ((struct check_launch_info){l, *where}));
}

// A fault that no instruction of a lane is behind: nobody can move.
static void end_fault(struct check *c, const struct kernel_launch *l)
{
	char text[2400] = "", key[200], signature[900], stack[1000];
	const char *name = c->setup.plain(c->setup.ctx, l->info->name), *lines = strchr(l->fault.text, '\n');
	if (l->fault.kind != FAULT_TIMEOUT || !(c->setup.tools & CHECK_SYNCCHECK))
		return;
	int n = snprintf(text, sizeof text, "Barrier error detected. Threads wait for others that will not come.\n    in %.400s\n", name);
	for (const char *s = lines; s && s[1] && n > 0 && (size_t)n < sizeof text;) {
		size_t len = strcspn(s + 1, "\n");
		n += snprintf(text + n, sizeof text - (size_t)n, "    %.*s\n", (int)(len > 2 ? len - 2 : len), s + 1 + (len > 2 ? 2 : 0));
		s = s[1 + len] ? s + 1 + len : NULL;
	}
	snprintf(key, sizeof key, "deadlock %p", (const void *)l->info);
	snprintf(signature, sizeof signature, "synccheck: Barrier error detected. Threads wait for others that will not come. at %.400s", name);
	for (size_t i = 0; i < c->launch.n; i++)
		if (c->launch.at[i].launch == l && (size_t)n + 100 < sizeof text) {
			check_stack_lines(c, &c->launch.at[i].where, stack, sizeof stack);
			if (*stack)
				snprintf(text + n, sizeof text - (size_t)n, "    Saved host backtrace up to driver entry point at kernel launch time\n%s", stack);
		}
	struct report *r = report_find(c, key);
	if (!r)
		r = report_add(c, key, signature, text);
	report_again(c, r, 1);
	c->told = r->suppressed ? NULL : l;
}

bool check_launched(struct check *c, const struct kernel_launch *l)
{
	if (c->told != l && l->fault.kind)
		end_fault(c, l);
	for (size_t i = c->launch.n; i-- > 0;)
		if (c->launch.at[i].launch == l) {
			c->launch.at[i] = c->launch.at[--c->launch.n];
			break;
		}
	bool told = c->told == l;
	c->told = told ? NULL : c->told;
	reports_put(c);
	return told;
}

// --- memory

void check_allocated(struct check *c, const struct devmem_range *r, const struct check_stack *where)
{
	blocks_add(&c->blocks, r, where);
	if (c->shadow)
		shadow_set(c->shadow, r->base, r->room - r->base, r->kind != DEVMEM_DEVICE && r->kind != DEVMEM_HEAP);
}

void check_freed(struct check *c, const struct devmem_range *r, const struct check_stack *where) { blocks_end(&c->blocks, r, where); }

void check_written(struct check *c, uint64_t dst, uint64_t src, uint64_t bytes)
{
	if (!c->shadow)
		return;
	if (src)
		shadow_copy(c->shadow, dst, src, bytes);
	else
		shadow_set(c->shadow, dst, bytes, true);
}

void check_heap_refused(struct check *c, uint64_t addr) { c->refused = addr; }

// What allocates for the program says so in its name.
static bool by_allocation(const struct check_stack *s)
{
	return s && s->api && (strstr(s->api, "lloc") || strstr(s->api, "Array") || strstr(s->api, "cuMem"));
}

void check_code_goes(struct check *c)
{
	for (size_t i = 0; i < c->report.n; i++)
		if (strncmp(c->report.at[i].key, "api ", 4) && strncmp(c->report.at[i].key, "leak ", 5))
			c->report.at[i].key[0] = 0;
}

void check_leaks(struct check *c, uint32_t owner)
{
	const struct devmem *m = c->setup.mem;
	if (!c->setup.leaks || !(c->setup.tools & CHECK_MEMCHECK))
		return;
	for (size_t i = 0; i < m->n_range; i++) {
		const struct devmem_range *r = &m->range[i];
		const struct check_stack *s = blocks_made(&c->blocks, r->base);
		bool heap = r->kind == DEVMEM_HEAP, asked = by_allocation(s) && (r->kind == DEVMEM_DEVICE || r->kind == DEVMEM_MANAGED || r->kind == DEVMEM_ARRAY);
		if ((!heap && !asked) || (owner != CHECK_ALL_OWNERS && r->owner != owner))
			continue;
		char text[3000], signature[700], key[80], name[400], stack[2400];
		check_stack_name(c, s, name, sizeof name);
		check_stack_lines(c, s, stack, sizeof stack);
		snprintf(signature, sizeof signature, "memcheck: Leaked %s bytes%s%s%s", check_number(r->size), heap ? " on the device heap" : "",
		         *name ? " at " : "", name);
		snprintf(text, sizeof text, "Leaked %s bytes at 0x%" PRIx64 "%s\n%s%s", check_number(r->size), r->base, heap ? " on the device heap" : "",
		         *stack && !heap ? "    Saved host backtrace up to driver entry point at allocation time\n" : "", heap ? "" : stack);
		snprintf(key, sizeof key, "leak %" PRIu64, r->uid);
		struct report *rep = report_find(c, key);
		if (rep)
			continue;
		rep = report_add(c, key, signature, text);
		report_again(c, rep, 1);
		if (!rep->suppressed) {
			c->setup.counts->leaks++;
			c->setup.counts->leaked += r->size;
		}
	}
	reports_put(c);
}

void check_api_error(struct check *c, const char *api, const char *name, const char *text, int number, const struct check_stack *where)
{
	char key[400], signature[600], report[3200], frame[400], stack[2400];
	if (!(c->setup.tools & CHECK_MEMCHECK))
		return;
	check_stack_name(c, where, frame, sizeof frame);
	check_stack_lines(c, where, stack, sizeof stack);
	snprintf(signature, sizeof signature, "memcheck: Program hit %s (error %d) on CUDA API call to %s", name, number, api);
	snprintf(key, sizeof key, "api %s %d %.300s", api, number, stack);
	snprintf(report, sizeof report, "Program hit %s (error %d) due to \"%s\" on CUDA API call to %s.\n%s%s", name, number, text, api,
	         *stack ? "    Saved host backtrace up to driver entry point at error\n" : "", stack);
	struct report *r = report_find(c, key);
	if (!r)
		r = report_add(c, key, signature, report);
	report_again(c, r, 1);
	reports_put(c);
}

void check_end(struct check *c)
{
	char line[1400];
	reports_put(c);
	for (size_t i = 0; i < c->report.n; i++) {
		const struct report *r = &c->report.at[i];
		if (r->suppressed || r->times == r->told)
			continue;
		snprintf(line, sizeof line, "========= %s more time%s: %.1200s\n", check_number(r->times - r->told), r->times - r->told == 1 ? "" : "s",
		         strchr(r->signature, ' ') + 1);
		c->setup.put(c->setup.ctx, line);
	}
}
