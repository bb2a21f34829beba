#include "libcuda/graph/whole.h"

#include "libcuda/context/guard.h"

static cudaError_t read_params(struct node_params *out, const struct node_params *from, whole_take *take)
{
	if (!from || !guard_read(out, from, sizeof *out) || out->reserved[0] || out->reserved[1] || out->reserved[2] || out->reserved_end)
		return cudaErrorInvalidValue;
	return take(out);
}

cudaError_t whole_add(struct node **out, struct graph *g, struct node *const *after, const struct edge_data *data, size_t n,
                      struct node_params *params, whole_take *take)
{
	struct node_params p;
	cudaError_t e = read_params(&p, params, take);
	e = e ? e : graph_add(out, g, after, data, n, &p);
	if (!e && (p.type == NODE_ALLOC || p.type == NODE_CONDITIONAL) && !guard_write(params, &p, sizeof p))
		e = cudaErrorInvalidValue;
	return e;
}

cudaError_t whole_set(struct node *node, const struct node_params *params, whole_take *take)
{
	struct node_params p;
	cudaError_t e = read_params(&p, params, take);
	return e ? e : node_set(node, &p);
}

cudaError_t whole_set_exec(struct graph_exec *x, struct node *node, const struct node_params *params, whole_take *take)
{
	struct node_params p;
	cudaError_t e = read_params(&p, params, take);
	return e ? e : exec_set(x, node, &p);
}
