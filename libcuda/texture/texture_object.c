#include "libcuda/texture/texture_object.h"

#include "base/mem.h"
#include "libcuda/context/context.h"

enum { INDEX_BITS = 20, INDEX_MASK = (1 << INDEX_BITS) - 1 };
#define REFERENCE ((uint32_t)1 << 31)

struct texture_object *texture_object_find(uint64_t handle)
{
	uint64_t index = (handle & INDEX_MASK) - 1; // no handle is 0
	struct texture_object *o = index < cu.texture_objects.n ? cu.texture_objects.at[index] : NULL;
	return o && o->live && o->handle == handle ? o : NULL;
}

uint32_t texture_reference_handle(const struct texture *bound)
{
	for (size_t i = 0; i < cu.texture_references.n; i++)
		if (cu.texture_references.at[i] == bound)
			return REFERENCE | (uint32_t)(i + 1);
	if (cu.texture_references.n >= INDEX_MASK)
		return 0;
	VEC_PUSH(&cu.texture_references, bound);
	return REFERENCE | (uint32_t)cu.texture_references.n;
}

void texture_reference_forget(const struct texture *bound)
{
	for (size_t i = 0; i < cu.texture_references.n; i++)
		if (cu.texture_references.at[i] == bound)
			cu.texture_references.at[i] = NULL;
}

const struct texture *texture_of_handle(uint64_t handle)
{
	if (handle >> 31 == 1) {
		uint64_t index = (handle & ~REFERENCE) - 1;
		return index < cu.texture_references.n ? cu.texture_references.at[index] : NULL;
	}
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
	o->handle = (o->handle + ((uint64_t)1 << INDEX_BITS)) & (REFERENCE - 1);
	o->next_free = cu.free_texture_object;
	cu.free_texture_object = o;
}

void texture_objects_reset(void)
{
	for (size_t i = 0; i < cu.texture_objects.n; i++)
		if (cu.texture_objects.at[i]->live)
			texture_object_free(cu.texture_objects.at[i]);
}
