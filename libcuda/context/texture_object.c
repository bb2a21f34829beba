#include "libcuda/context/texture_object.h"

#include "base/mem.h"
#include "libcuda/context/context.h"

enum { INDEX_BITS = 20 };

struct texture_object *texture_object_find(uint64_t handle)
{
	uint64_t index = (handle & (((uint64_t)1 << INDEX_BITS) - 1)) - 1; // no handle is 0
	struct texture_object *o = index < cu.texture_objects.n ? cu.texture_objects.at[index] : NULL;
	return o && o->live && o->handle == handle ? o : NULL;
}

const struct texture *texture_of_object(uint64_t handle)
{
	struct texture_object *o = texture_object_find(handle);
	return o ? &o->texture : NULL;
}

struct texture_object *texture_object_new(void)
{
	struct texture_object *o = cu.free_texture_object;
	if (o) {
		cu.free_texture_object = o->next_free;
	} else {
		if (cu.texture_objects.n + 1 >= (size_t)1 << INDEX_BITS)
			return NULL;
		o = MEM_NEW(struct texture_object);
		VEC_PUSH(&cu.texture_objects, o);
		o->handle = cu.texture_objects.n;
	}
	o->live = true;
	return o;
}

void texture_object_free(struct texture_object *o)
{
	o->live = false;
	o->handle += (uint64_t)1 << INDEX_BITS;
	o->next_free = cu.free_texture_object;
	cu.free_texture_object = o;
}

void texture_objects_reset(void)
{
	for (size_t i = 0; i < cu.texture_objects.n; i++)
		if (cu.texture_objects.at[i]->live)
			texture_object_free(cu.texture_objects.at[i]);
}
