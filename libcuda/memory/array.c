#include "libcuda/memory/array.h"

#include "libcuda/context/context.h"

static struct handle_pool arrays = {.size = sizeof(struct array)};

struct array *array_new(void)
{
	struct array *a = handle_new(&arrays);
	a->owner = cu_thread.owner;
	return a;
}

void array_free(struct array *a) { handle_free(&arrays, a); }

struct array *array_find(cudaArray_t handle) { return handle && handle_valid(&arrays, handle) ? handle : NULL; }

cudaError_t array_missing(cudaArray_t handle) { return handle ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue; }

static void forget(void *array, void *arg) { array_free(array); }

void arrays_reset(void) { handle_each(&arrays, forget, NULL); }

static void forget_owned(void *array, void *owner)
{
	if (((struct array *)array)->owner == *(const uint32_t *)owner)
		array_free(array);
}

void arrays_release(uint32_t owner) { handle_each(&arrays, forget_owned, &owner); }

// Components are 8, 16 or 32 bits wide, all alike, and there are 1, 2 or 4 of them.
unsigned channel_bytes(const struct cudaChannelFormatDesc *d)
{
	unsigned n = d->w ? 4 : d->z ? 0 : d->y ? 2 : 1;
	if (!n || (d->x != 8 && d->x != 16 && d->x != 32) || (n > 1 && d->y != d->x) ||
	    (n > 2 && (d->z != d->x || d->w != d->x)) || d->f < CHANNEL_SIGNED || d->f > CHANNEL_FLOAT ||
	    (d->f == CHANNEL_FLOAT && d->x == 8))
		return 0;
	return n * (unsigned)d->x / 8;
}
