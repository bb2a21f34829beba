#include "libcuda/graph/user_object.h"

#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/graph/graph.h"

#include <limits.h>

struct user_object {
	uint64_t count;
	void *p;
	void (*end)(void *p);
	struct user_object *next; // of those that are to be ended
};

enum { NO_DESTRUCTOR_SYNC = 1, MOVE = 1 }; // cudaUserObjectFlags, cudaUserObjectRetainFlags

static struct handle_pool objects = {.size = sizeof(struct user_object)};
static struct user_object *ending, **ending_last = &ending;

static struct user_object *find(struct user_object *o) { return o && handle_valid(&objects, o) && o->count ? o : NULL; }

static bool good_count(unsigned count) { return count && count <= INT_MAX; }

cudaError_t user_object_create(struct user_object **out, void *p, void (*end)(void *p), unsigned count, unsigned flags)
{
	if (!out || !end || !good_count(count) || flags != NO_DESTRUCTOR_SYNC)
		return cudaErrorInvalidValue;
	struct user_object *o = handle_new(&objects);
	*o = (struct user_object){.count = count, .p = p, .end = end};
	if (guard_read(out, &o, sizeof o))
		return cudaSuccess;
	handle_free(&objects, o);
	return cudaErrorInvalidValue;
}

void user_object_keep(struct user_object *o, unsigned count) { o->count += count; }

void user_object_drop(struct user_object *o, unsigned count)
{
	o->count -= count;
	if (o->count)
		return;
	o->next = NULL;
	*ending_last = o;
	ending_last = &o->next;
}

void user_objects_flush(void)
{
	while (ending) {
		struct user_object *o = ending;
		ending = o->next;
		if (!ending)
			ending_last = &ending;
		void *p = o->p;
		void (*end)(void *p) = o->end;
		handle_free(&objects, o);
		bool before = cu_thread.in_host_function;
		cu_thread.in_host_function = true;
		pthread_mutex_unlock(&cu.lock);
		end(p);
		pthread_mutex_lock(&cu.lock);
		cu_thread.in_host_function = before;
	}
}

cudaError_t user_object_retain(struct user_object *handle, unsigned count)
{
	struct user_object *o = find(handle);
	if (!o || !good_count(count))
		return cudaErrorInvalidValue;
	user_object_keep(o, count);
	return cudaSuccess;
}

cudaError_t user_object_release(struct user_object *handle, unsigned count)
{
	struct user_object *o = find(handle);
	if (!o || !good_count(count) || count > o->count)
		return cudaErrorInvalidValue;
	user_object_drop(o, count);
	user_objects_flush();
	return cudaSuccess;
}

static struct held_object *held(struct graph *g, const struct user_object *o)
{
	for (size_t i = 0; i < g->objects.n; i++)
		if (g->objects.at[i].object == o)
			return &g->objects.at[i];
	return NULL;
}

cudaError_t user_object_to_graph(struct graph *g, struct user_object *handle, unsigned count, unsigned flags)
{
	struct user_object *o = find(handle);
	if (!g || !o || !good_count(count) || flags & ~(unsigned)MOVE || (flags & MOVE && count > o->count))
		return cudaErrorInvalidValue;
	if (!(flags & MOVE))
		user_object_keep(o, count);
	struct held_object *h = held(g, o);
	if (h)
		h->count += count;
	else
		VEC_PUSH(&g->objects, ((struct held_object){o, count}));
	return cudaSuccess;
}

cudaError_t user_object_from_graph(struct graph *g, struct user_object *handle, unsigned count)
{
	struct user_object *o = find(handle);
	struct held_object *h = g && o ? held(g, o) : NULL;
	if (!h || !good_count(count) || count > h->count)
		return cudaErrorInvalidValue;
	h->count -= count;
	if (!h->count)
		*h = g->objects.at[--g->objects.n];
	user_object_drop(o, count);
	user_objects_flush();
	return cudaSuccess;
}
