// Conditional nodes: if, if with an else, while, switch, one inside the other, and what may not be.
// nvcc-flags: -rdc=true -lcudadevrt
// twice
#include "graph.h"

__global__ void set(cudaGraphConditionalHandle h, const int *value) { cudaGraphSetConditional(h, *value); }
__global__ void add(int *p, int by) { *p += by; }
__global__ void count_down(cudaGraphConditionalHandle h, int *left)
{
	--*left;
	cudaGraphSetConditional(h, *left > 0);
}

static int *value, *sum, *left;

static cudaGraphNode_t kernel(cudaGraph_t g, cudaGraphNode_t after, const void *f, void *x, void *y)
{
	cudaGraphNode_t n;
	void *args[] = {x, y};
	cudaKernelNodeParams k = kernel_params(f, 1, args);
	k.blockDim = dim3(1);
	OK(cudaGraphAddKernelNode(&n, g, &after, after ? 1 : 0, &k));
	return n;
}

static cudaError_t conditional(cudaGraphNode_t *n, cudaGraph_t g, cudaGraphNode_t after, cudaGraphConditionalHandle h,
	cudaGraphConditionalNodeType type, unsigned size, cudaGraph_t *body)
{
	cudaGraphNodeParams p = {};
	p.type = cudaGraphNodeTypeConditional;
	p.conditional.handle = h;
	p.conditional.type = type;
	p.conditional.size = size;
	cudaError_t e = add_node(n, g, &after, 0, after ? 1 : 0, &p);
	for (unsigned i = 0; i < size && !e; i++)
		body[i] = p.conditional.phGraph_out[i];
	return e;
}

static int run(cudaGraphExec_t x, int v)
{
	int zero = 0, got;
	OK(cudaMemcpy(value, &v, sizeof v, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(sum, &zero, sizeof zero, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(left, &v, sizeof v, cudaMemcpyHostToDevice));
	OK(cudaGraphLaunch(x, 0));
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
	return got;
}

// A condition of `bodies` that adds 1, 10, 100, ... to the sum, and 1000 behind it.
static void choose(cudaGraphConditionalNodeType type, unsigned bodies, const int *expected, int n)
{
	cudaGraph_t g, body[4], clone;
	cudaGraphNode_t node;
	cudaGraphConditionalHandle h;
	int by = 1, behind = 1000;
	OK(cudaGraphCreate(&g, 0));
	OK(cudaGraphConditionalHandleCreate(&h, g, 0, 0));
	cudaGraphExec_t x = 0, y;
	EXPECT(cudaErrorInvalidValue, cudaGraphInstantiateWithFlags(&x, g, 0)); // the handle has no node
	OK(conditional(&node, g, kernel(g, 0, (void *)set, &h, &value), h, type, bodies, body));
	EXPECT(cudaErrorInvalidValue, conditional(&node, g, 0, h, type, bodies, body));
	for (unsigned i = 0; i < bodies; i++, by *= 10)
		kernel(body[i], 0, (void *)add, &sum, &by);
	kernel(g, node, (void *)add, &sum, &behind);
	x = instantiate(g);
	EXPECT(cudaErrorInvalidValue, cudaGraphInstantiateWithFlags(&y, g, 0)); // one at a time
	EXPECT(cudaErrorInvalidValue, cudaGraphClone(&clone, g));
	EXPECT(cudaErrorInvalidValue, cudaGraphDestroy(body[0]));
	for (int i = 0; i < n; i++) {
		int got = run(x, i);
		CHECK(got == 1000 + expected[i], "%d: %d", i, got);
	}
	OK(cudaGraphExecDestroy(x));
	x = instantiate(g);
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(g));
}

// A while with an if inside, whose condition is the loop's counter being odd; the default value begins the loop.
__global__ void odd(cudaGraphConditionalHandle h, const int *left) { cudaGraphSetConditional(h, *left & 1); }

static void loop()
{
	cudaGraph_t g, body, inner;
	cudaGraphNode_t node, inside;
	cudaGraphConditionalHandle h, hi;
	int one = 1, hundred = 100;
	OK(cudaGraphCreate(&g, 0));
	OK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
	OK(conditional(&node, g, 0, h, cudaGraphCondTypeWhile, 1, &body));
	OK(cudaGraphConditionalHandleCreate(&hi, body, 0, 0));
	cudaGraphNode_t k = kernel(body, 0, (void *)odd, &hi, &left);
	OK(conditional(&inside, body, k, hi, cudaGraphCondTypeIf, 1, &inner));
	kernel(inner, 0, (void *)add, &sum, &hundred);
	k = kernel(body, inside, (void *)add, &sum, &one);
	kernel(body, k, (void *)count_down, &h, &left);
	cudaGraphNode_t e;
	cudaHostNodeParams hp = {(cudaHostFn_t)run, 0};
	EXPECT(cudaErrorNotSupported, cudaGraphAddHostNode(&e, body, 0, 0, &hp));
	cudaGraphExec_t x = instantiate(g);
	CHECK(run(x, 1) == 101);
	CHECK(run(x, 4) == 204);
	CHECK(run(x, 5) == 305);
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(g));
}

int main()
{
	value = device_alloc<int>(1);
	sum = device_alloc<int>(1);
	left = device_alloc<int>(1);
	const int simple[] = {0, 1, 1}, other[] = {10, 1, 1}, three[] = {1, 10, 100, 0};
	choose(cudaGraphCondTypeIf, 1, simple, 3);
	choose(cudaGraphCondTypeIf, 2, other, 3);
	choose(cudaGraphCondTypeSwitch, 3, three, 4);
	loop();

	cudaGraph_t g, body[8];
	cudaGraphNode_t n;
	cudaGraphConditionalHandle h;
	OK(cudaGraphCreate(&g, 0));
	EXPECT(cudaErrorInvalidValue, conditional(&n, g, 0, 12345, cudaGraphCondTypeIf, 1, body));
	OK(cudaGraphConditionalHandleCreate(&h, g, 0, 0));
	EXPECT(cudaErrorInvalidValue, conditional(&n, g, 0, h, cudaGraphCondTypeIf, 3, body));
	EXPECT(cudaErrorInvalidValue, conditional(&n, g, 0, h, cudaGraphCondTypeWhile, 2, body));
	EXPECT(cudaErrorInvalidValue, conditional(&n, g, 0, h, cudaGraphCondTypeSwitch, 0, body));
	EXPECT(cudaErrorInvalidValue, conditional(&n, g, 0, h, (cudaGraphConditionalNodeType)9, 1, body));
	EXPECT(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&h, g, 0, 8));
	EXPECT(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(0, g, 0, 0));
	EXPECT(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&h, 0, 0, 0));
	OK(cudaGraphDestroy(g));
	return check_done();
}
