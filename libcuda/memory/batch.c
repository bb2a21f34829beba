#include "libcuda/memory/batch.h"

#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/memory/advice.h"
#include "libcuda/memory/alloc.h"
#include "libcuda/memory/copy.h"
#include "libcuda/work/op.h"
#include "libcuda/work/stream.h"
#include "libcuda/work/wait.h"

_Static_assert(sizeof(struct copy_attributes) == 24 && sizeof(struct copy_3d_op) == 112, "13.0");

enum { ORDER_STREAM = 1, ORDER_DURING_CALL, ORDER_ANY, FLAGS_ALLOWED = 1, OPERAND_POINTER = 1, OPERAND_ARRAY };

// Which of the attributes belong to an entry: they come in the order of the entries.
struct attribution {
	const size_t *first;
	size_t n, count;
	size_t current; // index of the attribute of the entry looked at last
};

static bool attribution_read(size_t *out, const struct attribution *a, size_t i)
{
	return guard_read(out, &a->first[i], sizeof *out);
}

// The first is 0, each is higher than the one before, and the last is an entry.
static bool attribution_check(const struct attribution *a)
{
	size_t last = 0, v;
	if (!a->first || !a->n || a->n > a->count)
		return false;
	for (size_t i = 0; i < a->n; i++, last = v)
		if (!attribution_read(&v, a, i) || (i ? v <= last : v) || v >= a->count)
			return false;
	return true;
}

static size_t attribution_of(struct attribution *a, size_t entry)
{
	size_t next;
	if (!entry)
		a->current = 0;
	if (a->current + 1 < a->n && attribution_read(&next, a, a->current + 1) && next <= entry)
		a->current++;
	return a->current;
}

static cudaError_t fails(size_t *fail, size_t at, cudaError_t e)
{
	if (fail && !guard_write(fail, &at, sizeof at))
		return cudaErrorInvalidValue;
	return e;
}

static cudaError_t check_stream(cudaStream_t handle)
{
	struct stream *s = stream_find(handle);
	return !s ? cudaErrorInvalidResourceHandle : s == cu.legacy ? cudaErrorInvalidValue : cudaSuccess;
}

static bool good_order(int order, unsigned flags)
{
	return order >= ORDER_STREAM && order <= ORDER_ANY && !(flags & ~(unsigned)FLAGS_ALLOWED);
}

// --- copies of bytes

struct copies {
	void *const *dst;
	const void *const *src;
	const size_t *sizes;
	size_t count;
	const struct copy_attributes *attributes;
	struct attribution first;
};

struct one_copy {
	void *dst;
	const void *src;
	size_t size;
	struct copy_attributes attributes;
};

static bool read_copy(struct one_copy *out, struct copies *c, size_t i)
{
	return guard_read(&out->dst, &c->dst[i], sizeof out->dst) && guard_read(&out->src, &c->src[i], sizeof out->src) &&
	       guard_read(&out->size, &c->sizes[i], sizeof out->size) &&
	       guard_read(&out->attributes, &c->attributes[attribution_of(&c->first, i)], sizeof out->attributes);
}

static cudaError_t check_copy(const struct one_copy *o)
{
	struct op *op;
	if (!good_order(o->attributes.order, o->attributes.flags))
		return cudaErrorInvalidValue;
	cudaError_t e = copy_make(&op, side_linear(o->dst, o->size), side_linear(o->src, o->size), o->size, 1, 1, COPY_DEFAULT);
	if (!e && op)
		op_free(op);
	return e;
}

cudaError_t batch_copy(void *const *dst, const void *const *src, const size_t *sizes, size_t count, const struct copy_attributes *attributes,
                       const size_t *first, size_t n_attributes, size_t *fail, cudaStream_t stream)
{
	struct copies c = {dst, src, sizes, count, attributes, {first, n_attributes, count, 0}};
	struct one_copy o;
	cudaError_t e = check_stream(stream);
	if (e)
		return fails(fail, SIZE_MAX, e);
	if (!dst || !src || !sizes || !attributes || !attribution_check(&c.first))
		return fails(fail, SIZE_MAX, cudaErrorInvalidValue);
	for (size_t i = 0; i < count; i++) {
		if (!read_copy(&o, &c, i))
			return fails(fail, SIZE_MAX, cudaErrorInvalidValue);
		e = check_copy(&o);
		if (e)
			return fails(fail, i, e);
	}
	bool during = false;
	for (size_t i = 0; i < count && !e; i++) {
		if (!read_copy(&o, &c, i))
			return fails(fail, i, cudaErrorInvalidValue);
		during |= o.attributes.order == ORDER_DURING_CALL;
		e = copy_linear(o.dst, o.src, o.size, COPY_DEFAULT, stream, true);
		if (e)
			fails(fail, i, e);
	}
	return e || !during ? e : wait_stream(stream_find(stream));
}

// --- copies of boxes

static const uint64_t most = (uint64_t)1 << 47; // no number of bytes or rows is larger

static cudaError_t operand_side(struct side *out, const struct copy_operand *o, const struct cudaExtent *e, unsigned texel)
{
	if (o->type == OPERAND_ARRAY) {
		struct array *a = array_find(o->u.array.array);
		const struct cudaPos *at = &o->u.array.at;
		if (!a)
			return array_missing(o->u.array.array);
		if (at->x > most || e->width > most)
			return cudaErrorInvalidValue;
		return side_array(out, a, at->x * texel, at->y, at->z, e->width * texel, e->height, e->depth);
	}
	size_t row = o->u.ptr.row ? o->u.ptr.row : e->width, height = o->u.ptr.height ? o->u.ptr.height : e->height;
	if (o->type != OPERAND_POINTER || row < e->width || height < e->height || row > most || height > most ||
	    (unsigned __int128)row * texel * height > most)
		return cudaErrorInvalidValue;
	*out = side_pitched(o->u.ptr.p, row * texel, height);
	return cudaSuccess;
}

static cudaError_t check_3d(const struct copy_3d_op *o, struct side *dst, struct side *src, unsigned *texel)
{
	struct array *d = o->dst.type == OPERAND_ARRAY ? array_find(o->dst.u.array.array) : NULL;
	struct array *s = o->src.type == OPERAND_ARRAY ? array_find(o->src.u.array.array) : NULL;
	if (!good_order(o->order, o->flags) || !o->extent.width || !o->extent.height || !o->extent.depth || (d && s && d->texel != s->texel))
		return cudaErrorInvalidValue;
	*texel = d ? d->texel : s ? s->texel : 1;
	cudaError_t e = operand_side(src, &o->src, &o->extent, *texel);
	return e ? e : operand_side(dst, &o->dst, &o->extent, *texel);
}

cudaError_t batch_copy_3d(size_t count, const struct copy_3d_op *ops, size_t *fail, unsigned long long flags, cudaStream_t stream)
{
	struct copy_3d_op o;
	struct side dst, src;
	unsigned texel;
	cudaError_t e = check_stream(stream);
	if (e || !count || !ops || flags)
		return fails(fail, SIZE_MAX, e ? e : cudaErrorInvalidValue);
	for (size_t i = 0; i < count; i++) {
		struct op *op = NULL;
		if (!guard_read(&o, &ops[i], sizeof o))
			return fails(fail, SIZE_MAX, cudaErrorInvalidValue);
		e = check_3d(&o, &dst, &src, &texel);
		e = e ? e : copy_make(&op, dst, src, o.extent.width * texel, o.extent.height, o.extent.depth, COPY_DEFAULT);
		if (op)
			op_free(op);
		if (e)
			return fails(fail, i, e);
	}
	bool during = false;
	for (size_t i = 0; i < count && !e; i++) {
		e = guard_read(&o, &ops[i], sizeof o) ? check_3d(&o, &dst, &src, &texel) : cudaErrorInvalidValue;
		e = e ? e : copy_submit(dst, src, o.extent.width * texel, o.extent.height, o.extent.depth, COPY_DEFAULT, stream, true);
		during |= o.order == ORDER_DURING_CALL;
		if (e)
			fails(fail, i, e);
	}
	return e || !during ? e : wait_stream(stream_find(stream));
}

// --- managed memory

static cudaError_t each_range(void *const *p, const size_t *sizes, size_t count, const struct cudaMemLocation *locations,
                              struct attribution *first, cudaStream_t stream)
{
	for (size_t i = 0; i < count; i++) {
		void *at;
		size_t size;
		struct cudaMemLocation l = {0};
		if (!guard_read(&at, &p[i], sizeof at) || !guard_read(&size, &sizes[i], sizeof size) ||
		    (locations && !guard_read(&l, &locations[attribution_of(first, i)], sizeof l)))
			return cudaErrorInvalidValue;
		cudaError_t e = !locations ? memory_hint(at, size) : memory_prefetch(at, size, memory_location(l), stream);
		if (e)
			return e;
	}
	return cudaSuccess;
}

cudaError_t batch_prefetch(void *const *p, const size_t *sizes, size_t count, const struct cudaMemLocation *locations, const size_t *first,
                           size_t n_locations, unsigned long long flags, cudaStream_t stream)
{
	struct attribution a = {first, n_locations, count, 0};
	cudaError_t e = check_stream(stream);
	if (e)
		return e;
	if (!p || !sizes || !locations || flags || !attribution_check(&a))
		return cudaErrorInvalidValue;
	return each_range(p, sizes, count, locations, &a, stream);
}

cudaError_t batch_discard(void *const *p, const size_t *sizes, size_t count, unsigned long long flags, cudaStream_t stream)
{
	cudaError_t e = check_stream(stream);
	if (e)
		return e;
	return !p || !sizes || !count || flags ? cudaErrorInvalidValue : each_range(p, sizes, count, NULL, NULL, stream);
}
