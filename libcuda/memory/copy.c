#include "libcuda/memory/copy.h"

#include "base/mem.h"
#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/memory/alloc.h"
#include "libcuda/work/capture.h"
#include "libcuda/work/op.h"
#include "libcuda/work/sim_thread.h"
#include "libcuda/work/stream.h"
#include "libcuda/work/wait.h"

#include <string.h>

// CUDA programming guide: host to device copies of a memory block of 64 KB or less are asynchronous.
enum { STAGING_LIMIT = 65536 };

static enum place place_of(enum devmem_kind kind)
{
	return kind == DEVMEM_MANAGED ? MANAGED : kind == DEVMEM_HOST || kind == DEVMEM_REGISTERED ? PINNED : DEVICE;
}

// Finds out what kind of memory a side is and whether all of it exists.
static cudaError_t locate(struct side *s, size_t width, size_t height, size_t depth)
{
	if (s->array) {
		s->place = DEVICE;
		return cudaSuccess;
	}
	unsigned __int128 bytes = (unsigned __int128)s->slice * (depth - 1) + (unsigned __int128)s->pitch * (height - 1) +
	                          width;
	uint64_t addr = (uint64_t)s->p;
	const struct devmem_range *r = s->p ? devmem_find(cu.mem, addr) : NULL;
	bool reserved = addr >= cu.mem->base && addr - cu.mem->base < cu.mem->size;
	if (!s->p || bytes > UINT64_MAX / 2 || (!r && reserved) || (r && bytes > r->end - addr) ||
	    (!r && !guard_mapped(s->p, (size_t)bytes))) {
		cu_complain("%s: %llu bytes at %p %s", s->what, (unsigned long long)bytes, s->p,
		            r ? "reach past the end of the allocation" : "are not all memory");
		return cudaErrorInvalidValue;
	}
	s->place = r ? place_of(r->kind) : PAGEABLE;
	s->sync = r && r->flags & RANGE_SYNC_MEMOPS;
	return cudaSuccess;
}

static cudaError_t check_side(const struct side *s, bool device)
{
	if (device ? s->place != PAGEABLE : s->place != DEVICE)
		return cudaSuccess;
	cu_complain("%s: %p is %s memory, which does not agree with the direction of the copy", s->what, s->p,
	            device ? "host" : "device");
	return cudaErrorInvalidValue;
}

static cudaError_t check_direction(const struct side *dst, const struct side *src, int kind)
{
	if (kind == COPY_DEFAULT)
		return cudaSuccess;
	cudaError_t e = check_side(dst, kind == COPY_HOST_TO_DEVICE || kind == COPY_DEVICE_TO_DEVICE);
	return e ? e : check_side(src, kind == COPY_DEVICE_TO_HOST || kind == COPY_DEVICE_TO_DEVICE);
}

static void read_source(void *op)
{
	struct copy_op *c = op;
	char *to = c->staged;
	for (size_t z = 0; z < c->depth; z++)
		for (size_t y = 0; y < c->height; y++)
			memcpy(to + (z * c->height + y) * c->width, c->src + z * c->sslice + y * c->spitch, c->width);
}

// The source is read now, so the program may change it at once. False if it cannot be read at *bad.
static bool stage(struct copy_op *c, const void **bad)
{
	c->staged = mem_alloc(c->width * c->height * c->depth);
	if (!guard_run(read_source, c, bad)) {
		mem_free(c->staged);
		return false;
	}
	c->src = c->staged;
	c->spitch = c->width;
	c->sslice = c->width * c->height;
	return true;
}

static cudaError_t no_access(const struct side *s, const void *where, bool write)
{
	cu_complain("%s: the memory at %p cannot be %s", s->what, where, write ? "written" : "read");
	return cudaErrorInvalidValue;
}

static bool holds(const struct side *s, const void *p, size_t height, size_t depth)
{
	return (const char *)p >= s->p && (size_t)((const char *)p - s->p) < s->slice * (depth - 1) + s->pitch * height;
}

// Checks a copy and finds out where its sides are. *nothing: there is nothing to copy.
static cudaError_t check(struct copy_op *c, struct side *dst, struct side *src, size_t width, size_t height, size_t depth, int kind,
                         bool *nothing)
{
	if (kind < COPY_HOST_TO_HOST || kind > COPY_DEFAULT)
		return cudaErrorInvalidMemcpyDirection;
	*nothing = !width || !height || !depth;
	if (*nothing)
		return cudaSuccess;
	dst->what = "destination";
	src->what = "source";
	cudaError_t e = locate(dst, width, height, depth);
	e = e ? e : locate(src, width, height, depth);
	e = e ? e : check_direction(dst, src, kind);
	*c = (struct copy_op){dst->p, src->p, dst->pitch, src->pitch, dst->slice, src->slice, width, height, depth, NULL, NULL};
	return e;
}

cudaError_t copy_make(struct op **out, struct side dst, struct side src, size_t width, size_t height, size_t depth, int kind)
{
	struct copy_op c;
	bool nothing;
	*out = NULL;
	cudaError_t e = check(&c, &dst, &src, width, height, depth, kind, &nothing);
	if (e || nothing)
		return e;
	*out = op_new(OP_COPY);
	(*out)->u.copy = c;
	return cudaSuccess;
}

cudaError_t copy_submit(struct side dst, struct side src, size_t width, size_t height, size_t depth, int kind, cudaStream_t handle,
                        bool async)
{
	struct stream *s = stream_find(handle);
	struct copy_op c;
	bool nothing;
	if (!s)
		return cudaErrorInvalidResourceHandle;
	cudaError_t e = check(&c, &dst, &src, width, height, depth, kind, &nothing);
	if (e || nothing)
		return e;
	if (s->capture && !async)
		return cu.capture->refuse(s);
	const void *bad = NULL;
	bool wait = dst.place == PAGEABLE;
	if (s->capture) {
		wait = false; // the source is read in each launch of the graph
	} else if (src.place == PAGEABLE && dst.place != PAGEABLE && (unsigned __int128)width * height * depth <= STAGING_LIMIT) {
		if (!stage(&c, &bad))
			return no_access(&src, bad, false);
	} else if (src.place == PAGEABLE) {
		wait = true;
	}
	if (!async && (dst.place != DEVICE || src.place != DEVICE || dst.sync || src.sync))
		wait = true;
	struct op *op = op_new(OP_COPY);
	c.bad = wait ? &bad : NULL;
	op->u.copy = c;
	e = sim_push(s, op);
	e = !e && wait ? wait_stream(s) : e;
	if (e || !bad)
		return e;
	bool write = dst.place != DEVICE && holds(&dst, bad, height, depth);
	return no_access(write ? &dst : &src, bad, write);
}

struct side side_linear(const void *p, size_t n) { return (struct side){.p = (char *)p, .pitch = n, .slice = n}; }

struct side side_pitched(const void *p, size_t pitch, size_t height)
{
	return (struct side){.p = (char *)p, .pitch = pitch, .slice = pitch * height};
}

cudaError_t copy_linear(void *dst, const void *src, size_t n, int kind, cudaStream_t stream, bool async)
{
	return copy_submit(side_linear(dst, n), side_linear(src, n), n, 1, 1, kind, stream, async);
}

static cudaError_t check_fill(const struct fill_request *r, struct side *side, bool *nothing)
{
	*nothing = !r->width || !r->height || !r->depth;
	if (*nothing)
		return cudaSuccess;
	size_t width = r->width * r->element;
	// cuMemsetD2D8: the pitch counts only where there is a second row. Unlike copies, fills have no code of their own for it.
	bool rows = r->height > 1 || r->depth > 1;
	if (width / r->element != r->width || (rows && (width > r->pitch || r->pitch > cu.desc.max_pitch || r->pitch % r->element)) ||
	    (uintptr_t)r->p % r->element)
		return cudaErrorInvalidValue;
	*side = (struct side){.p = r->p, .pitch = r->pitch, .slice = r->slice, .what = "destination"};
	cudaError_t e = locate(side, width, r->height, r->depth);
	return e ? e : check_side(side, true);
}

static struct op *fill_op_of(const struct fill_request *r)
{
	struct op *op = op_new(OP_FILL);
	op->u.fill = (struct fill_op){r->p, r->value, r->element, r->pitch, r->slice, r->width, r->height, r->depth};
	return op;
}

cudaError_t fill_make(struct op **out, const struct fill_request *r)
{
	struct side side;
	bool nothing;
	*out = NULL;
	cudaError_t e = check_fill(r, &side, &nothing);
	if (!e && !nothing)
		*out = fill_op_of(r);
	return e;
}

cudaError_t fill_submit(const struct fill_request *r, cudaStream_t handle, bool async)
{
	struct stream *s = stream_find(handle);
	struct side side;
	bool nothing;
	if (!s)
		return cudaErrorInvalidResourceHandle;
	cudaError_t e = check_fill(r, &side, &nothing);
	if (e || nothing)
		return e;
	if (s->capture && !async)
		return cu.capture->refuse(s);
	e = sim_push(s, fill_op_of(r));
	return !e && !async && (side.place == PINNED || side.sync) ? wait_stream(s) : e;
}
