#include "libcuda/graph/payload.h"

#include "base/mem.h"
#include "libcuda/code/cluster.h"
#include "libcuda/code/launch.h"
#include "libcuda/context/guard.h"
#include "libcuda/graph/conditional.h"
#include "libcuda/memory/copy.h"
#include "libcuda/memory/graph_memory.h"
#include "libcuda/work/event.h"
#include "libcuda/work/stream_values.h"

#include <string.h>

// --- kernels

static void take_launch(struct payload *p, const struct kernel_launch *l)
{
	const struct kernel_info *i = l->info;
	p->u.kernel.grid = (struct dim3){l->grid[0], l->grid[1], l->grid[2]};
	if (i->blocks_are_clusters) // a launch counts clusters
		p->u.kernel.grid = (struct dim3){l->grid[0] / i->cluster[0], l->grid[1] / i->cluster[1], l->grid[2] / i->cluster[2]};
	p->u.kernel.block = (struct dim3){l->block[0], l->block[1], l->block[2]};
	p->u.kernel.shared = l->dynamic_shared;
	p->u.kernel.size = i->param_bytes;
	p->u.kernel.n = i->n_params;
	p->u.kernel.args = mem_alloc(i->param_bytes + 16);
	memcpy(p->u.kernel.args, l->params, i->param_bytes);
	p->u.kernel.pointers = mem_alloc((i->n_params + 1) * sizeof(void *));
	for (uint32_t n = 0; n < i->n_params; n++)
		p->u.kernel.pointers[n] = p->u.kernel.args + i->param[n].offset;
}

static cudaError_t make_kernel(struct payload *out, const struct kernel_node_params *p)
{
	cudaError_t e;
	const void *handle = p->func ? p->func : p->kern;
	if (!handle)
		return cudaErrorInvalidDeviceFunction;
	struct kernel *k = kernel_get(handle, &e);
	if (!k)
		return e;
	struct launch_request r = {.grid = p->grid, .block = p->block, .shared = p->shared, .args = p->args};
	struct kernel_launch *l;
	e = launch_read_extra(&r, p->extra);
	e = e ? e : launch_make(&l, k, &r);
	if (e)
		return e;
	out->u.kernel.handle = handle;
	out->u.kernel.k = k;
	take_launch(out, l);
	op_free_launch(l);
	return cudaSuccess;
}

bool payload_cooperative(const struct payload *p)
{
	const uint32_t set = p->u.kernel.attributes;
	return set >> LAUNCH_COOPERATIVE & 1 && p->u.kernel.attribute[LAUNCH_COOPERATIVE].val.cooperative;
}

static struct dim3 payload_cluster(const struct payload *p)
{
	return p->u.kernel.attributes >> LAUNCH_CLUSTER & 1 ? p->u.kernel.attribute[LAUNCH_CLUSTER].val.cluster : (struct dim3){0};
}

static cudaError_t kernel_op(const struct payload *p, struct op **out)
{
	struct launch_request r = {.grid = p->u.kernel.grid,
	                           .block = p->u.kernel.block,
	                           .shared = p->u.kernel.shared,
	                           .cooperative = payload_cooperative(p),
	                           .block_of_args = p->u.kernel.args,
	                           .block_size = p->u.kernel.size,
	                           .cluster = payload_cluster(p)};
	struct kernel_launch *l;
	cudaError_t e;
	if (kernel_find(p->u.kernel.handle, &e) != p->u.kernel.k)
		return cudaErrorInvalidDeviceFunction; // its module is unloaded
	e = launch_make(&l, p->u.kernel.k, &r);
	if (e)
		return e;
	*out = op_new(OP_KERNEL);
	(*out)->u.kernel = l;
	return cudaSuccess;
}

// Bytes of the attributes that kernel nodes have; 0: none, or one that is not for them.
static size_t attribute_size(int id)
{
	switch (id) {
	case LAUNCH_WINDOW: return 32;
	case LAUNCH_COOPERATIVE:
	case LAUNCH_CLUSTER_POLICY:
	case LAUNCH_PRIORITY:
	case LAUNCH_DOMAIN:
	case LAUNCH_NVLINK: return 4;
	case LAUNCH_CLUSTER:
	case LAUNCH_PREFERRED_CLUSTER: return 12;
	case LAUNCH_DOMAIN_MAP: return 2;
	default: return 0;
	}
}

static cudaError_t check_attribute(const struct payload *p, const struct cudaLaunchAttribute *a)
{
	const struct dim3 *d = &a->val.cluster;
	const bool none = !d->x && !d->y && !d->z, all = d->x && d->y && d->z;
	struct launch_shape s;
	switch (a->id) {
	case LAUNCH_COOPERATIVE: return a->val.cooperative == 0 || a->val.cooperative == 1 ? cudaSuccess : cudaErrorInvalidValue;
	case LAUNCH_CLUSTER_POLICY: return cluster_policy_ok(a->val.cooperative) ? cudaSuccess : cudaErrorInvalidValue;
	case LAUNCH_CLUSTER:
		if (!none && !all)
			return cudaErrorInvalidValue;
		return none ? cudaSuccess : cluster_shape(&s, p->u.kernel.k, p->u.kernel.grid, p->u.kernel.block, *d, true);
	default: return cudaSuccess;
	}
}

cudaError_t payload_set_attribute(struct payload *p, int id, const void *value)
{
	struct cudaLaunchAttribute a = {.id = id};
	size_t size = attribute_size(id);
	if (id == LAUNCH_DEVICE_UPDATABLE) {
		cu_complain("kernel nodes that kernels update are not supported by this version");
		return cudaErrorNotSupported;
	}
	if (p->type != NODE_KERNEL || !size || !value || !guard_read(&a.val, value, size))
		return cudaErrorInvalidValue;
	cudaError_t e = check_attribute(p, &a);
	if (e)
		return e;
	if (!p->u.kernel.attribute)
		p->u.kernel.attribute = mem_alloc(KERNEL_ATTRIBUTES * sizeof a);
	p->u.kernel.attribute[id] = a;
	p->u.kernel.attributes |= 1u << id;
	return cudaSuccess;
}

cudaError_t payload_get_attribute(const struct payload *p, int id, void *value)
{
	static const char unset[32];
	size_t size = attribute_size(id);
	if (p->type != NODE_KERNEL || !size || !value)
		return cudaErrorInvalidValue;
	bool set = p->u.kernel.attributes >> id & 1;
	return guard_read(value, set ? (const void *)&p->u.kernel.attribute[id].val : unset, size) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t payload_copy_attributes(struct payload *to, const struct payload *from)
{
	if (to->type != NODE_KERNEL || from->type != NODE_KERNEL)
		return cudaErrorInvalidValue;
	if (to == from)
		return cudaSuccess;
	mem_free(to->u.kernel.attribute);
	to->u.kernel.attribute = NULL;
	to->u.kernel.attributes = from->u.kernel.attributes;
	if (from->u.kernel.attribute) {
		to->u.kernel.attribute = mem_alloc(KERNEL_ATTRIBUTES * sizeof(struct cudaLaunchAttribute));
		memcpy(to->u.kernel.attribute, from->u.kernel.attribute, KERNEL_ATTRIBUTES * sizeof(struct cudaLaunchAttribute));
	}
	return cudaSuccess;
}

// --- copies and fills

static cudaError_t make_copy(struct payload *out, const struct node_params *p)
{
	struct op *op;
	bool box = p->reserved[0] == COPY_IS_BOX;
	cudaError_t e = box ? box_make(&op, &p->u.box.copy) : copy_3d_make(&op, &p->u.copy.parms);
	if (e || !op)
		return e ? e : cudaErrorInvalidValue;
	out->u.copy.is_box = box;
	if (box)
		out->u.copy.box = p->u.box.copy;
	else
		out->u.copy.given = p->u.copy.parms;
	out->u.copy.op = op->u.copy;
	op_free(op);
	return cudaSuccess;
}

static size_t texel_of(cudaArray_t array)
{
	const struct array *a = array_find(array);
	return a ? a->texel : 0;
}

// Of a side that is an array the driver counts bytes, the runtime texels; of pointers both count bytes.
static struct box_side as_box_side(cudaArray_t array, const struct cudaPos *at, const struct cudaPitchedPtr *p)
{
	size_t texel = texel_of(array);
	return (struct box_side){.x = at->x * (texel ? texel : 1),
	                         .y = at->y,
	                         .z = at->z,
	                         .type = array ? BOX_ARRAY : BOX_UNIFIED,
	                         .device = array ? 0 : (uint64_t)(uintptr_t)p->ptr,
	                         .array = array,
	                         .pitch = array ? 0 : p->pitch,
	                         .height = array ? 0 : p->ysize};
}

void params_as_box(struct node_params *p)
{
	if (p->reserved[0] == COPY_IS_BOX)
		return;
	const struct cudaMemcpy3DParms c = p->u.copy.parms;
	size_t texel = texel_of(c.srcArray) ? texel_of(c.srcArray) : texel_of(c.dstArray);
	memset(&p->u, 0, sizeof p->u);
	p->reserved[0] = COPY_IS_BOX;
	p->u.box.copy = (struct box_copy){.src = as_box_side(c.srcArray, &c.srcPos, &c.srcPtr),
	                                  .dst = as_box_side(c.dstArray, &c.dstPos, &c.dstPtr),
	                                  .width = c.extent.width * (texel ? texel : 1),
	                                  .height = c.extent.height,
	                                  .depth = c.extent.depth};
}

static void as_parms_side(const struct box_side *s, size_t width, cudaArray_t *array, struct cudaPos *at, struct cudaPitchedPtr *p)
{
	size_t texel = s->type == BOX_ARRAY ? texel_of(s->array) : 0;
	void *where = s->type == BOX_HOST ? (void *)s->host : (void *)(uintptr_t)s->device;
	*array = s->type == BOX_ARRAY ? s->array : NULL;
	*at = (struct cudaPos){s->x / (texel ? texel : 1), s->y, s->z};
	*p = s->type == BOX_ARRAY ? (struct cudaPitchedPtr){0} : (struct cudaPitchedPtr){where, s->pitch, width, s->height};
}

void params_as_parms(struct node_params *p)
{
	if (p->reserved[0] != COPY_IS_BOX)
		return;
	const struct box_copy c = p->u.box.copy;
	struct cudaMemcpy3DParms to = {.kind = COPY_DEFAULT, .extent = {c.width, c.height, c.depth}};
	as_parms_side(&c.src, c.width, &to.srcArray, &to.srcPos, &to.srcPtr);
	as_parms_side(&c.dst, c.width, &to.dstArray, &to.dstPos, &to.dstPtr);
	size_t texel = texel_of(to.srcArray) ? texel_of(to.srcArray) : texel_of(to.dstArray);
	to.extent.width /= texel ? texel : 1;
	memset(&p->u, 0, sizeof p->u);
	p->reserved[0] = 0;
	p->u.copy.parms = to;
}

static cudaError_t make_fill(struct payload *out, const struct fill_node_params *p)
{
	struct op *op;
	if ((p->element != 1 && p->element != 2 && p->element != 4) || (p->pitch && p->height > SIZE_MAX / p->pitch))
		return cudaErrorInvalidValue;
	struct fill_request r = {p->dst, p->pitch, p->pitch * p->height, p->value, p->element, p->width, p->height, 1};
	cudaError_t e = fill_make(&op, &r);
	if (e || !op)
		return e ? e : cudaErrorInvalidValue;
	out->u.fill.given = *p;
	out->u.fill.op = op->u.fill;
	op_free(op);
	return cudaSuccess;
}

static struct op *copy_op(const struct payload *p)
{
	struct op *op = op_new(OP_COPY);
	op->u.copy = p->u.copy.op;
	return op;
}

static struct op *fill_op(const struct payload *p)
{
	struct op *op = op_new(OP_FILL);
	op->u.fill = p->u.fill.op;
	return op;
}

// --- memory

static cudaError_t make_alloc(struct payload *out, struct alloc_node_params *p)
{
	enum { PINNED_TYPE = 1, ON_DEVICE = 1 };
	if (p->props.allocType != PINNED_TYPE || !p->size || (p->n_access && !p->access) || p->n_access > 64)
		return cudaErrorInvalidValue;
	if (p->props.handleTypes)
		return cudaErrorNotSupported;
	if (p->props.location.type != ON_DEVICE || p->props.location.id)
		return cudaErrorInvalidValue;
	struct cudaMemAccessDesc *access = p->n_access ? mem_alloc(p->n_access * sizeof *access) : NULL;
	if (access && !guard_read(access, p->access, p->n_access * sizeof *access)) {
		mem_free(access);
		return cudaErrorInvalidValue;
	}
	struct graph_memory *m = graph_memory_new(p->size);
	if (!m) {
		mem_free(access);
		return cudaErrorMemoryAllocation;
	}
	p->p = (void *)(uintptr_t)m->addr;
	out->u.alloc.given = *p;
	out->u.alloc.given.access = access;
	out->u.alloc.memory = m;
	return cudaSuccess;
}

static cudaError_t make_mem_ops(struct payload *out, const struct mem_ops_node_params *p)
{
	if (!p->count || p->count > MEM_OPS_AT_ONCE || p->flags || !p->ops)
		return cudaErrorInvalidValue;
	struct mem_op_params *ops = mem_alloc(p->count * sizeof *ops);
	cudaError_t e = guard_read(ops, p->ops, p->count * sizeof *ops) ? cudaSuccess : cudaErrorInvalidValue;
	for (unsigned i = 0; i < p->count && !e; i++) {
		struct op *op;
		e = mem_op_make(&op, &ops[i]);
		if (!e && op)
			op_free(op);
	}
	if (e) {
		mem_free(ops);
		return e;
	}
	out->u.mem_ops.given = *p;
	out->u.mem_ops.ops = ops;
	return cudaSuccess;
}

// --- all

static cudaError_t refuse_semaphores(void)
{
	cu_complain("external semaphores are not supported: there is no other API to share them with");
	return cudaErrorNotSupported;
}

cudaError_t payload_make(struct payload *out, struct node_params *p)
{
	*out = (struct payload){.type = (enum node_type)p->type};
	switch (p->type) {
	case NODE_KERNEL: return make_kernel(out, &p->u.kernel);
	case NODE_COPY: return p->u.copy.flags ? cudaErrorInvalidValue : make_copy(out, p);
	case NODE_FILL: return make_fill(out, &p->u.fill);
	case NODE_HOST: out->u.host = p->u.host; return p->u.host.f ? cudaSuccess : cudaErrorInvalidValue;
	case NODE_EMPTY: return cudaSuccess;
	case NODE_WAIT:
	case NODE_RECORD: out->u.event = p->u.event; return event_valid(p->u.event) ? cudaSuccess : cudaErrorInvalidValue;
	case NODE_ALLOC: return make_alloc(out, &p->u.alloc);
	case NODE_MEM_OPS: return make_mem_ops(out, &p->u.mem_ops);
	case NODE_SEMAPHORE_SIGNAL:
	case NODE_SEMAPHORE_WAIT: return refuse_semaphores();
	default: return cudaErrorInvalidValue;
	}
}

void payload_params(const struct payload *p, struct node_params *out)
{
	*out = (struct node_params){.type = p->type};
	switch (p->type) {
	case NODE_KERNEL:
		out->u.kernel = (struct kernel_node_params){.func = p->u.kernel.handle,
		                                            .grid = p->u.kernel.grid,
		                                            .block = p->u.kernel.block,
		                                            .shared = p->u.kernel.shared,
		                                            .args = p->u.kernel.pointers};
		break;
	case NODE_COPY:
		out->reserved[0] = p->u.copy.is_box ? COPY_IS_BOX : 0;
		if (p->u.copy.is_box)
			out->u.box.copy = p->u.copy.box;
		else
			out->u.copy.parms = p->u.copy.given;
		break;
	case NODE_FILL: out->u.fill = p->u.fill.given; break;
	case NODE_HOST: out->u.host = p->u.host; break;
	case NODE_GRAPH: out->u.child = (struct child_node_params){p->u.child.graph, p->u.child.ownership}; break;
	case NODE_WAIT:
	case NODE_RECORD: out->u.event = p->u.event; break;
	case NODE_ALLOC: out->u.alloc = p->u.alloc.given; break;
	case NODE_FREE: out->u.freed = (void *)(uintptr_t)p->u.freed->addr; break;
	case NODE_MEM_OPS:
		out->u.mem_ops = p->u.mem_ops.given;
		out->u.mem_ops.ops = p->u.mem_ops.ops;
		break;
	case NODE_CONDITIONAL:
		out->u.conditional = (struct conditional_node_params){p->u.conditional.c->addr, p->u.conditional.kind,
		                                                      p->u.conditional.size, p->u.conditional.body, NULL};
		break;
	default: break;
	}
}

static void *copy_of(const void *p, size_t size) { return p ? memcpy(mem_alloc(size), p, size) : NULL; }

void payload_copy(struct payload *to, const struct payload *from)
{
	*to = *from;
	switch (from->type) {
	case NODE_KERNEL:
		to->u.kernel.args = copy_of(from->u.kernel.args, from->u.kernel.size + 16);
		to->u.kernel.pointers = mem_alloc((from->u.kernel.n + 1) * sizeof(void *));
		for (unsigned n = 0; n < from->u.kernel.n; n++)
			to->u.kernel.pointers[n] = to->u.kernel.args + ((uint8_t *)from->u.kernel.pointers[n] - from->u.kernel.args);
		to->u.kernel.attribute = copy_of(from->u.kernel.attribute, KERNEL_ATTRIBUTES * sizeof(struct cudaLaunchAttribute));
		break;
	case NODE_ALLOC:
		to->u.alloc.given.access = copy_of(from->u.alloc.given.access, from->u.alloc.given.n_access * sizeof(struct cudaMemAccessDesc));
		to->u.alloc.memory->refs++;
		break;
	case NODE_FREE: to->u.freed->refs++; break;
	case NODE_MEM_OPS:
		to->u.mem_ops.ops = copy_of(from->u.mem_ops.ops, from->u.mem_ops.given.count * sizeof(struct mem_op_params));
		break;
	default: break;
	}
}

void payload_free(struct payload *p)
{
	switch (p->type) {
	case NODE_KERNEL:
		mem_free(p->u.kernel.args);
		mem_free(p->u.kernel.pointers);
		mem_free(p->u.kernel.attribute);
		break;
	case NODE_ALLOC:
		mem_free((void *)p->u.alloc.given.access);
		graph_memory_release(p->u.alloc.memory);
		break;
	case NODE_FREE: graph_memory_release(p->u.freed); break;
	case NODE_MEM_OPS: mem_free(p->u.mem_ops.ops); break;
	default: break;
	}
	p->type = NODE_EMPTY;
}

// --- operations

static void of_launch(struct payload *out, const struct kernel_launch *l)
{
	struct kernel *k = (struct kernel *)((char *)l->info - offsetof(struct kernel, info));
	out->type = NODE_KERNEL;
	out->u.kernel.handle = k->host;
	out->u.kernel.k = k;
	take_launch(out, l);
	const int yes = 1;
	if (l->grid_workspace)
		payload_set_attribute(out, LAUNCH_COOPERATIVE, &yes);
	if (l->cluster[0] && !k->info.cluster[0])
		payload_set_attribute(out, LAUNCH_CLUSTER, l->cluster);
}

static void of_copy(struct payload *out, const struct copy_op *c)
{
	out->type = NODE_COPY;
	out->u.copy.op = *c;
	out->u.copy.given = (struct cudaMemcpy3DParms){
	        .srcPtr = {(void *)c->src, c->spitch, c->width, c->spitch ? c->sslice / c->spitch : c->height},
	        .dstPtr = {c->dst, c->dpitch, c->width, c->dpitch ? c->dslice / c->dpitch : c->height},
	        .extent = {c->width, c->height, c->depth},
	        .kind = COPY_DEFAULT};
}

static void of_fill(struct payload *out, const struct fill_op *f)
{
	out->type = NODE_FILL;
	out->u.fill.op = *f;
	out->u.fill.given = (struct fill_node_params){f->dst, f->pitch, f->value, f->element, f->width, f->height * f->depth, NULL};
}

void payload_of_op(struct payload *out, struct op *op)
{
	*out = (struct payload){.type = NODE_EMPTY};
	switch (op->kind) {
	case OP_KERNEL: of_launch(out, op->u.kernel); break;
	case OP_COPY: of_copy(out, &op->u.copy); break;
	case OP_FILL: of_fill(out, &op->u.fill); break;
	case OP_HOST:
		out->type = NODE_HOST;
		out->u.host = (struct host_node_params){op->u.host.f, op->u.host.data};
		break;
	default: break;
	}
	op_free(op);
}

static cudaError_t mem_ops(const struct payload *p, struct op **out, unsigned *n)
{
	for (unsigned i = 0; i < p->u.mem_ops.given.count; i++) {
		struct op *op;
		cudaError_t e = mem_op_make(&op, &p->u.mem_ops.ops[i]);
		if (e) {
			while (*n)
				op_free(out[--*n]);
			return e;
		}
		if (op)
			out[(*n)++] = op;
	}
	return cudaSuccess;
}

cudaError_t payload_ops(const struct payload *p, struct op **out, unsigned *n)
{
	cudaError_t e = cudaSuccess;
	*n = 0;
	switch (p->type) {
	case NODE_KERNEL:
		e = kernel_op(p, out);
		*n = !e;
		return e;
	case NODE_COPY: out[(*n)++] = copy_op(p); return e;
	case NODE_FILL: out[(*n)++] = fill_op(p); return e;
	case NODE_HOST:
		out[(*n)++] = op_new(OP_HOST);
		out[0]->u.host.f = p->u.host.f;
		out[0]->u.host.data = p->u.host.data;
		return e;
	case NODE_MEM_OPS: return mem_ops(p, out, n);
	default: return e;
	}
}
