#include "libcuda/work/event.h"

#include "base/mem.h"
#include "libcuda/context/context.h"

struct record *record_new(void)
{
	struct record *r = MEM_NEW(struct record);
	r->refs = 1;
	return r;
}

void record_release(struct record *r)
{
	if (r && !--r->refs)
		mem_free(r);
}

void event_renew(struct event *e)
{
	record_release(e->last);
	e->last = record_new();
	mem_free(e->captured);
	e->captured = NULL;
}

struct event *event_new(unsigned flags)
{
	cu.events.size = sizeof(struct event);
	struct event *e = handle_new(&cu.events);
	e->owner = cu_thread.owner;
	e->flags = flags;
	return e;
}

bool event_valid(cudaEvent_t e) { return e && handle_valid(&cu.events, e); }

void event_free(struct event *e)
{
	record_release(e->last);
	mem_free(e->captured);
	handle_free(&cu.events, e);
}

static void forget(void *event, void *arg) { event_free(event); }

void events_reset(void) { handle_each(&cu.events, forget, NULL); }

static void forget_owned(void *event, void *owner)
{
	if (((struct event *)event)->owner == *(const uint32_t *)owner)
		event_free(event);
}

void events_release(uint32_t owner) { handle_each(&cu.events, forget_owned, &owner); }
