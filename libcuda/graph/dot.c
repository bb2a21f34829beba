#include "libcuda/graph/dot.h"

#include "libcuda/code/module.h"
#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/graph/conditional.h"
#include "libcuda/memory/graph_memory.h"

#include <errno.h>
#include <string.h>

// cudaGraphDebugDotFlags.
enum {
	VERBOSE = 1, COPY = 8, FILL = 16, HOST = 32, EVENT = 64, HANDLES = 1 << 10, ALLOC = 1 << 11, FREE = 1 << 12, CONDITIONAL = 1 << 15,
	ALL = (1 << 16) - 1
};

static const char *const kind[N_NODE_TYPES] = {"KERNEL",          "MEMCPY",           "MEMSET",         "HOST",      "GRAPH",
                                               "EMPTY",           "EVENT_WAIT",       "EVENT_RECORD",   "EXT_SEMAS_SIGNAL",
                                               "EXT_SEMAS_WAIT",  "MEM_ALLOC",        "MEM_FREE",       "MEM_OPS",   "CONDITIONAL"};

struct dot {
	FILE *to;
	unsigned flags;
	unsigned graphs; // written so far: the number of each begins its nodes' names
};

static bool wants(const struct dot *d, unsigned flag) { return d->flags & (flag | VERBOSE); }

static void kernel_label(const struct dot *d, const struct payload *p)
{
	cudaError_t e;
	const struct kernel *k = kernel_find(p->u.kernel.handle, &e);
	const struct dim3 *g = &p->u.kernel.grid, *b = &p->u.kernel.block;
	fprintf(d->to, "\\n%s\\n\\<\\<\\<(%u,%u,%u),(%u,%u,%u),%u\\>\\>\\>", k ? k->name : "(unloaded)", g->x, g->y, g->z, b->x, b->y, b->z,
	        p->u.kernel.shared);
	if (wants(d, HANDLES))
		fprintf(d->to, "\\nfunc %p", p->u.kernel.handle);
}

static void label(const struct dot *d, const struct node *n)
{
	static const char *const conditions[] = {"if", "while", "switch"};
	const struct payload *p = &n->p;
	if (p->type == NODE_KERNEL)
		kernel_label(d, p); // the name tells nodes apart, so it is always there
	else if (p->type == NODE_COPY && wants(d, COPY))
		fprintf(d->to, "\\n%p \\<- %p\\n%zu x %zu x %zu bytes", (void *)p->u.copy.op.dst, (const void *)p->u.copy.op.src,
		        p->u.copy.op.width, p->u.copy.op.height, p->u.copy.op.depth);
	else if (p->type == NODE_FILL && wants(d, FILL))
		fprintf(d->to, "\\n%p = 0x%x\\n%zu x %zu of %u bytes", p->u.fill.given.dst, p->u.fill.given.value, p->u.fill.given.width,
		        p->u.fill.given.height, p->u.fill.given.element);
	else if (p->type == NODE_HOST && wants(d, HOST))
		fprintf(d->to, "\\n%p(%p)", (void *)(uintptr_t)p->u.host.f, p->u.host.data);
	else if ((p->type == NODE_WAIT || p->type == NODE_RECORD) && wants(d, EVENT))
		fprintf(d->to, "\\nevent %p", (void *)p->u.event);
	else if (p->type == NODE_ALLOC && wants(d, ALLOC))
		fprintf(d->to, "\\n%p, %zu bytes", p->u.alloc.given.p, p->u.alloc.given.size);
	else if (p->type == NODE_FREE && wants(d, FREE))
		fprintf(d->to, "\\n0x%llx", (unsigned long long)p->u.freed->addr);
	else if (p->type == NODE_CONDITIONAL && wants(d, CONDITIONAL))
		fprintf(d->to, "\\n%s, handle 0x%llx", conditions[p->u.conditional.kind], (unsigned long long)p->u.conditional.c->addr);
	if (wants(d, HANDLES))
		fprintf(d->to, "\\nnode %p", (const void *)n);
}

static void write_graph(struct dot *d, const struct graph *g)
{
	unsigned number = d->graphs++;
	fprintf(d->to, "subgraph cluster_%u {\nlabel=\"graph_%u\" graph[style=\"dashed\"];\n", number, number);
	for (size_t i = 0; i < g->nodes.n; i++) {
		struct node *n = g->nodes.at[i];
		n->index = (unsigned)i;
		fprintf(d->to, "\"graph_%u_node_%zu\"[shape=\"%s\" label=\"{%zu\\n%s", number, i,
		        n->p.type == NODE_KERNEL ? "octagon" : "record", i, kind[n->p.type]);
		label(d, n);
		fputs("}\"];\n", d->to);
	}
	for (size_t i = 0; i < g->nodes.n; i++)
		for (size_t k = 0; k < g->nodes.at[i]->out.n; k++) {
			const struct edge *to = &g->nodes.at[i]->out.at[k];
			fprintf(d->to, "\"graph_%u_node_%zu\" -> \"graph_%u_node_%u\"%s;\n", number, i, number, to->node->index,
			        to->data.type ? " [style=\"dotted\"]" : "");
		}
	for (size_t i = 0; i < g->nodes.n; i++) {
		struct graph *const *parts;
		for (unsigned k = 0, n = node_parts(g->nodes.at[i], &parts); k < n; k++) {
			unsigned inner = d->graphs;
			write_graph(d, parts[k]);
			if (parts[k]->nodes.n)
				fprintf(d->to, "\"graph_%u_node_%zu\" -> \"graph_%u_node_0\" [style=\"dashed\"];\n", number, i, inner);
		}
	}
	fputs("}\n", d->to);
}

// A string of the program's; false if it cannot be read, or is too long.
static bool read_string(char *to, const char *from, size_t room)
{
	for (size_t i = 0; i < room; i++)
		if (!guard_read(&to[i], &from[i], 1))
			return false;
		else if (!to[i])
			return true;
	return false;
}

cudaError_t dot_write(const struct graph *g, const char *path, unsigned flags)
{
	char name[4096];
	if (!g || !path || flags & ~(unsigned)ALL || !read_string(name, path, sizeof name))
		return cudaErrorInvalidValue;
	struct dot d = {fopen(name, "w"), flags, 0};
	if (!d.to) {
		cu_complain("cannot write %s: %s", name, strerror(errno));
		return cudaErrorOperatingSystem;
	}
	fputs("digraph dot {\n", d.to);
	write_graph(&d, g);
	fputs("}\n", d.to);
	bool failed = ferror(d.to);
	return fclose(d.to) || failed ? cudaErrorOperatingSystem : cudaSuccess;
}
