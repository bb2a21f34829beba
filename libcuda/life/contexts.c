#include "libcuda/life/contexts.h"

#include "base/mem.h"
#include "libcuda/life/life.h"
#include "libcuda/work/wait.h"

struct context_stack {
	VEC(struct cu_context *) at;
};

static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;

static void stack_free(void *p)
{
	struct context_stack *s = p;
	VEC_FREE(&s->at);
	mem_free(s);
}

static void make_key(void) { pthread_key_create(&stack_key, stack_free); }

static struct context_stack *stack(void)
{
	if (!cu_thread.contexts) {
		pthread_once(&stack_once, make_key);
		cu_thread.contexts = MEM_NEW(struct context_stack);
		pthread_setspecific(stack_key, cu_thread.contexts);
	}
	return cu_thread.contexts;
}

// What is allocated from now on belongs to the context that is current.
static void take_ownership(void)
{
	const struct cu_context *c = context_current();
	cu_thread.owner = c && context_valid(c) ? c->owner : OWNER_PRIMARY;
	if (cu.mem)
		cu.mem->owner = cu_thread.owner;
}

bool context_valid(const struct cu_context *c) { return c && handle_valid(&cu.contexts, c); }

struct cu_context *context_current(void)
{
	const struct context_stack *s = cu_thread.contexts;
	return s && s->at.n ? s->at.at[s->at.n - 1] : NULL;
}

void context_push(struct cu_context *c)
{
	VEC_PUSH(&stack()->at, c);
	take_ownership();
}

struct cu_context *context_pop(void)
{
	struct context_stack *s = stack();
	struct cu_context *c = s->at.n ? s->at.at[--s->at.n] : NULL;
	take_ownership();
	return c;
}

void context_set(struct cu_context *c)
{
	struct context_stack *s = stack();
	if (s->at.n)
		s->at.n--;
	if (c)
		context_push(c);
	take_ownership();
}

static struct cu_context *make(unsigned flags)
{
	cu.contexts.size = sizeof(struct cu_context);
	struct cu_context *c = handle_new(&cu.contexts);
	c->flags = flags;
	return c;
}

struct cu_context *context_new(unsigned flags)
{
	context_primary();
	struct cu_context *c = make(flags);
	c->owner = OWNER_MODULES + ++cu.next_owner;
	return c;
}

struct cu_context *context_primary(void)
{
	if (!cu.primary) {
		cu.primary = make(0);
		cu.primary->primary = true;
		cu.primary->owner = OWNER_PRIMARY;
	}
	return cu.primary;
}

void context_start_primary(void)
{
	struct cu_context *c = context_primary();
	c->active = c->runtime = true;
}

void context_use_primary(void)
{
	context_start_primary();
	if (!context_current())
		context_push(cu.primary);
}

void context_bind_primary(void)
{
	context_use_primary();
	if (context_current() != cu.primary)
		context_set(cu.primary);
}

cudaError_t context_destroy(struct cu_context *c)
{
	cudaError_t e = wait_all();
	life_release(c->owner);
	bool current = context_current() == c;
	handle_free(&cu.contexts, c);
	if (current)
		context_pop();
	take_ownership();
	return e;
}

cudaError_t context_primary_reset(void)
{
	struct cu_context *c = context_primary();
	cudaError_t e = cu.state == CU_READY ? wait_all() : cudaSuccess;
	if (cu.contexts.live == 1)
		life_reset();
	else
		life_release(OWNER_PRIMARY);
	c->active = c->runtime = false;
	c->retains = 0;
	return e;
}

struct find {
	uint32_t owner;
	struct cu_context *found;
};

static void look(void *object, void *arg)
{
	struct find *f = arg;
	struct cu_context *c = object;
	if (c->owner == f->owner)
		f->found = c;
}

struct cu_context *context_of_owner(uint32_t owner)
{
	struct find f = {owner, NULL};
	handle_each(&cu.contexts, look, &f);
	return f.found;
}
