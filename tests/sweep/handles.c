// Good handles and pointers of every kind, and stale ones.
#include "tests/sweep/things.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define IS(name) (!strcmp(kind, name))

static uint64_t device_memory(void)
{
	uint64_t p;
	NEED("cuMemAlloc_v2", P(&p), DEVICE_BYTES, 0, 0, 0, 0);
	return p;
}

static uint64_t module(void)
{
	static uint64_t m;
	if (!m)
		NEED("cuModuleLoadData", P(&m), struct_good("code"), 0, 0, 0, 0);
	return m;
}

static uint64_t library_of_kernels(bool again)
{
	static uint64_t l;
	if (!l || again)
		NEED("cuLibraryLoadData", P(&l), struct_good("code"), 0, 0, 0, 0);
	return l;
}

static uint64_t graph(const char *which)
{
	static uint64_t g, clone, child;
	if (!g)
		NEED("cuGraphCreate", P(&g), 0, 0, 0, 0, 0);
	if (!strcmp(which, "child") || !strcmp(which, "clone")) {
		uint64_t *to = *which == 'c' && which[1] == 'l' ? &clone : &child;
		if (to == &clone && !clone) {
			thing_good("node", "empty");
			NEED("cuGraphClone", P(&clone), g, 0, 0, 0, 0);
		} else if (!*to) {
			NEED("cuGraphCreate", P(to), 0, 0, 0, 0, 0);
		}
		return *to;
	}
	if (!strcmp(which, "new")) {
		uint64_t made;
		NEED("cuGraphCreate", P(&made), 0, 0, 0, 0, 0);
		return made;
	}
	return g;
}

static const char *const node_names[] = {"empty", "kernel", "copy",   "fill",  "host",  "record",
                                         "wait",  "child",  "memops", "after", "alloc", "free"};
enum { EMPTY, NODE_KERNEL, COPY, FILL, HOST, RECORD, WAIT, CHILD, MEM_OPS, AFTER, ALLOC, FREE, N_NODES, N_OF_EXEC = ALLOC };

// A graph for nodes that allocate, which may not be cloned, and what its first allocates.
static uint64_t memory_graph, memory_of_graph;

// One node of each kind in the graph.
static uint64_t node(int i)
{
	static uint64_t nodes[N_NODES];
	uint64_t g = graph("");
	if (nodes[i])
		return nodes[i];
	uint64_t out = P(&nodes[i]);
	if (i >= ALLOC && !memory_graph)
		NEED("cuGraphCreate", P(&memory_graph), 0, 0, 0, 0, 0);
	switch (i) {
	case EMPTY: NEED("cuGraphAddEmptyNode", out, g, 0, 0, 0, 0); break;
	case NODE_KERNEL:
		if (of_runtime)
			NEED("cudaGraphAddKernelNode", out, g, 0, 0, struct_good("kernel_node_r"), 0);
		else
			NEED("cuGraphAddKernelNode_v2", out, g, 0, 0, struct_good("kernel_node"), 0);
		break;
	case COPY: NEED("cuGraphAddMemcpyNode", out, g, 0, 0, struct_good("row"), thing_good("ctx", "")); break;
	case FILL: NEED("cuGraphAddMemsetNode", out, g, 0, 0, struct_good("fill_node"), thing_good("ctx", "")); break;
	case HOST: NEED("cuGraphAddHostNode", out, g, 0, 0, struct_good("host_node"), 0); break;
	case RECORD: NEED("cuGraphAddEventRecordNode", out, g, 0, 0, thing_good("event", ""), 0); break;
	case WAIT: NEED("cuGraphAddEventWaitNode", out, g, 0, 0, thing_good("event", ""), 0); break;
	case CHILD: NEED("cuGraphAddChildGraphNode", out, g, 0, 0, graph("child"), 0); break;
	case MEM_OPS: NEED("cuGraphAddBatchMemOpNode", out, g, 0, 0, struct_good("batch_node"), 0); break;
	case AFTER: {
		uint64_t before = node(EMPTY);
		NEED("cuGraphAddEmptyNode", out, g, P(&before), 1, 0, 0);
		break;
	}
	case ALLOC: {
		uint64_t params = struct_good("alloc_node");
		NEED("cuGraphAddMemAllocNode", out, memory_graph, 0, 0, params, 0);
		memcpy(&memory_of_graph, (char *)(uintptr_t)params + 112, sizeof memory_of_graph);
		break;
	}
	default: {
		uint64_t before = node(ALLOC);
		NEED("cuGraphAddMemFreeNode", out, memory_graph, P(&before), 1, memory_of_graph, 0);
	}
	}
	return nodes[i];
}

static uint64_t node_named(const char *name)
{
	if (!strcmp(name, "before")) // another follows it
		node(AFTER);
	for (int i = 0; i < N_NODES; i++)
		if (!strcmp(node_names[i], name))
			return node(i);
	return node(EMPTY);
}

static uint64_t exec_graph(bool again)
{
	static uint64_t x;
	if (x && !again)
		return x;
	for (int i = 0; i < N_OF_EXEC; i++)
		node(i);
	NEED("cuGraphInstantiateWithFlags", P(&x), graph(""), 0, 0, 0, 0);
	return x;
}

static uint64_t stream(const char *which)
{
	static uint64_t s, capturing;
	if (!s || !strcmp(which, "new"))
		NEED("cuStreamCreate", P(&s), 0, 0, 0, 0, 0);
	if (strcmp(which, "capturing"))
		return s;
	if (!capturing) {
		uint64_t memory = device_memory();
		NEED("cuStreamCreate", P(&capturing), 1, 0, 0, 0, 0);
		NEED("cuStreamBeginCapture_v2", capturing, 2, 0, 0, 0, 0);
		NEED("cuMemsetD8Async", memory, 0, 16, capturing, 0, 0);
	}
	return capturing;
}

static uint64_t event(const char *which)
{
	static uint64_t made[2];
	uint64_t e;
	int timed = strcmp(which, "new") != 0;
	if (timed && made[0])
		return made[0];
	NEED("cuEventCreate", P(&e), 0, 0, 0, 0, 0);
	NEED("cuEventRecord", e, 0, 0, 0, 0, 0);
	NEED("cuEventSynchronize", e, 0, 0, 0, 0, 0);
	return made[!timed] = e;
}

static uint64_t array(void)
{
	uint64_t a;
	NEED("cuArray3DCreate_v2", P(&a), struct_good("array_desc_surface"), 0, 0, 0, 0);
	return a;
}

static uint64_t mipmap(void)
{
	uint64_t a;
	NEED("cuMipmappedArrayCreate", P(&a), struct_good("array_desc"), 1, 0, 0, 0);
	return a;
}

// A module's references, bound to memory or an array if that is asked for.
static uint64_t reference(const char *bound, bool surface)
{
	uint64_t t;
	if (!strcmp(bound, "loose")) {
		NEED("cuTexRefCreate", P(&t), 0, 0, 0, 0, 0);
		return t;
	}
	NEED(surface ? "cuModuleGetSurfRef" : "cuModuleGetTexRef", P(&t), module(), P(surface ? "canvas" : "image"), 0, 0, 0);
	if (!strcmp(bound, "memory"))
		NEED("cuTexRefSetAddress_v2", 0, t, device_memory(), 64, 0, 0);
	else if (!strcmp(bound, "mipmap"))
		NEED("cuTexRefSetMipmappedArray", t, mipmap(), 1, 0, 0, 0);
	else if (!strcmp(bound, "array"))
		NEED(surface ? "cuSurfRefSetArray" : "cuTexRefSetArray", t, array(), !surface, 0, 0, 0);
	return t;
}

static uint64_t physical_memory(void)
{
	uint64_t h;
	NEED("cuMemCreate", P(&h), 2 << 20, struct_good("alloc_prop"), 0, 0, 0);
	return h;
}

// Reserved addresses, with memory behind them if that is asked for.
static uint64_t addresses(const char *with)
{
	uint64_t p;
	NEED("cuMemAddressReserve", P(&p), 2 << 20, 0, 0, 0, 0);
	if (!strcmp(with, "reserved"))
		return p;
	NEED("cuMemMap", p, 2 << 20, 0, physical_memory(), 0, 0);
	NEED("cuMemSetAccess", p, 2 << 20, struct_good("access"), 1, 0, 0);
	return p;
}

uint64_t thing_good(const char *kind, const char *arg)
{
	static uint64_t device, context;
	uint64_t h = 0;
	if (IS("dev") || IS("uva")) {
		if (!strcmp(arg, "reserved") || !strcmp(arg, "mapped"))
			return addresses(arg);
		if (!strcmp(arg, "managed"))
			NEED("cuMemAllocManaged", P(&h), DEVICE_BYTES, 1, 0, 0, 0);
		else if (!strcmp(arg, "pinned"))
			NEED("cuMemHostAlloc", P(&h), DEVICE_BYTES, 0, 0, 0, 0);
		else if (!strcmp(arg, "async"))
			NEED("cuMemAllocAsync", P(&h), DEVICE_BYTES, 0, 0, 0, 0);
		else if (!strcmp(arg, "registered")) {
			h = P(program_memory(0, PROT_READ | PROT_WRITE));
			NEED("cuMemHostRegister_v2", h, PAGE, 0, 0, 0, 0);
		} else if (!strcmp(arg, "host"))
			h = P(program_memory(0, PROT_READ | PROT_WRITE));
		else if (!strcmp(arg, "graph")) {
			node(ALLOC);
			h = memory_of_graph;
		} else
			h = device = device ? device : device_memory();
		return h;
	}
	if (IS("stream")) return stream(arg);
	if (IS("event")) return event(arg);
	if (IS("graph")) {
		if (!strcmp(arg, "edges"))
			node(AFTER);
		if (!strcmp(arg, "memory"))
			node(ALLOC);
		return *arg == 'm' ? memory_graph : graph(arg);
	}
	if (IS("captured")) {
		uint64_t status, id, of, n;
		const uint64_t *nodes;
		union {
			void *p;
			int (*f)(uint64_t, void *, void *, void *, void *, void *);
		} info = {api_address("cuStreamGetCaptureInfo_v2")};
		need(info.f(stream("capturing"), &status, &id, &of, &nodes, &n), "cuStreamGetCaptureInfo_v2");
		return *nodes;
	}
	if (IS("fatbin")) return registered;
	if (IS("code")) return P(on_call);
	if (IS("host")) return P(program_memory(0, PROT_READ | PROT_WRITE));
	if (IS("node")) return node_named(arg);
	if (IS("exec")) return exec_graph(false);
	if (IS("ctx")) {
		if (!strcmp(arg, "new"))
			NEED("cuCtxCreate_v2", P(&h), 0, 0, 0, 0, 0);
		else if (!context)
			NEED("cuCtxGetCurrent", P(&context), 0, 0, 0, 0, 0);
		return h ? h : context;
	}
	if (IS("module")) return module();
	if (IS("func")) {
		if (of_runtime)
			return P(host_add);
		NEED("cuModuleGetFunction", P(&h), module(), P("add"), 0, 0, 0);
		if (!strcmp(arg, "shaped")) {
			NEED("cuFuncSetBlockShape", h, 1, 1, 1, 0, 0);
			NEED("cuParamSetSize", h, 12, 0, 0, 0, 0);
		}
		return h;
	}
	if (IS("kern")) {
		NEED("cuLibraryGetKernel", P(&h), library_of_kernels(false), P("add"), 0, 0, 0);
		return h;
	}
	if (IS("host_func")) return P(host_add);
	if (IS("symbol")) return P(host_counter);
	if (IS("texture_r") || IS("surface_r")) {
		uint64_t desc = 0;
		if (IS("texture_r") && !strcmp(arg, "bound")) {
			NEED("cudaGetTextureReference", P(&h), P(host_image), 0, 0, 0, 0);
			desc = struct_good("channels");
			NEED("cudaBindTexture", 0, h, device_memory(), desc, 64, 0);
		}
		NEED(IS("texture_r") ? "cudaGetTextureReference" : "cudaGetSurfaceReference", P(&h),
		     IS("texture_r") ? P(host_image) : P(host_canvas), 0, 0, 0, 0);
		return h;
	}
	if (IS("texture_symbol")) return P(host_image);
	if (IS("surface_symbol")) return P(host_canvas);
	if (IS("lib")) return library_of_kernels(false);
	if (IS("array")) return array();
	if (IS("mip")) return mipmap();
	if (IS("texref")) return reference(arg, false);
	if (IS("surfref")) return reference(arg, true);
	if (IS("tex")) {
		const char *view = !strcmp(arg, "view") ? "view" : NULL;
		NEED("cuTexObjectCreate", P(&h), struct_good("resource"), struct_good("zeros"), view ? struct_good(view) : 0, 0, 0);
		return h;
	}
	if (IS("surf")) {
		NEED("cuSurfObjectCreate", P(&h), struct_good("resource"), 0, 0, 0, 0);
		return h;
	}
	if (IS("pool")) {
		NEED("cuMemPoolCreate", P(&h), struct_good("pool_props"), 0, 0, 0, 0);
		return h;
	}
	if (IS("vmem")) return physical_memory();
	if (IS("user")) {
		NEED("cuUserObjectCreate", P(&h), 0, P(on_call), 1, 1, 0);
		if (!strcmp(arg, "held"))
			NEED("cuGraphRetainUserObject", graph(""), h, 1, 0, 0, 0);
		return h;
	}
	if (IS("callback")) {
		NEED("cuLogsRegisterCallback", P(on_call), 0, P(&h), 0, 0, 0);
		return h;
	}
	if (IS("link")) {
		NEED("cuLinkCreate_v2", 0, 0, 0, P(&h), 0, 0);
		if (!strcmp(arg, "full"))
			NEED("cuLinkAddData_v2", h, 1, struct_good("code"), CODE_BYTES, P("code"), 0);
		return h;
	}
	return 0;
}

// A handle that was good once.
uint64_t thing_stale(const char *kind, const char *arg)
{
	static const char *const ends[][2] = {
		{"stream", "cuStreamDestroy_v2"}, {"event", "cuEventDestroy_v2"}, {"ctx", "cuCtxDestroy_v2"}, {"mip", "cuMipmappedArrayDestroy"},
		{"array", "cuArrayDestroy"}, {"tex", "cuTexObjectDestroy"}, {"surf", "cuSurfObjectDestroy"}, {"pool", "cuMemPoolDestroy"},
		{"vmem", "cuMemRelease"}, {"link", "cuLinkDestroy"},
		{"callback", "cuLogsUnregisterCallback"}, {"graph", "cuGraphDestroy"}, {"node", "cuGraphDestroyNode"},
	};
	uint64_t h;
	if (IS("dev") || IS("uva")) {
		h = device_memory();
		NEED("cuMemFree_v2", h, 0, 0, 0, 0, 0);
		return h;
	}
	if (IS("module") || IS("func") || IS("texref") || IS("surfref")) {
		uint64_t m;
		NEED("cuModuleLoadData", P(&m), struct_good("code"), 0, 0, 0, 0);
		h = m;
		if (IS("func"))
			NEED("cuModuleGetFunction", P(&h), m, P("add"), 0, 0, 0);
		else if (!IS("module"))
			NEED(IS("texref") ? "cuModuleGetTexRef" : "cuModuleGetSurfRef", P(&h), m, P(IS("texref") ? "image" : "canvas"), 0, 0, 0);
		NEED("cuModuleUnload", m, 0, 0, 0, 0, 0);
		return h;
	}
	if (IS("lib") || IS("kern")) {
		uint64_t l = library_of_kernels(true);
		h = l;
		if (IS("kern"))
			NEED("cuLibraryGetKernel", P(&h), l, P("add"), 0, 0, 0);
		NEED("cuLibraryUnload", l, 0, 0, 0, 0, 0);
		library_of_kernels(true);
		return h;
	}
	if (IS("user")) {
		h = thing_good("user", "");
		NEED("cuUserObjectRelease", h, 1, 0, 0, 0, 0);
		return h;
	}
	if (IS("exec")) {
		uint64_t g = graph("new");
		NEED("cuGraphInstantiateWithFlags", P(&h), g, 0, 0, 0, 0);
		NEED("cuGraphExecDestroy", h, 0, 0, 0, 0, 0);
		return h;
	}
	if (IS("node")) {
		uint64_t g = graph("new");
		NEED("cuGraphAddEmptyNode", P(&h), g, 0, 0, 0, 0);
	} else {
		h = thing_good(kind, IS("tex") || IS("link") || IS("array") ? "" : "new");
	}
	for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
		if (IS(ends[i][0]))
			NEED(ends[i][1], h, 0, 0, 0, 0, 0);
	return h;
}
