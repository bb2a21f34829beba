// Clusters of blocks as programs ask for them: by attributes of a launch, compiled in, set for a function; what each API refuses and
// tells of them. That blocks of a cluster reach each other's memory is another program's matter.
// needs: nvcc
// nvcc-flags: -arch=sm_90 -lcuda
#include "check.h"

#include <cuda.h>
#include <cstdint>

enum { FIELDS = 10, MOST_BLOCKS = 512 };

#define ASK(name, field) \
	static __device__ unsigned name() \
	{ \
		unsigned v; \
		asm volatile("mov.u32 %0, %" field ";" : "=r"(v)); \
		return v; \
	}
ASK(nctaid_x, "%cluster_nctaid.x")
ASK(nctaid_y, "%cluster_nctaid.y")
ASK(nctaid_z, "%cluster_nctaid.z")
ASK(nctarank, "%cluster_nctarank")
ASK(ncluster_x, "%nclusterid.x")
ASK(ncluster_y, "%nclusterid.y")
ASK(ncluster_z, "%nclusterid.z")

static __device__ void tell(unsigned *to)
{
	unsigned is_explicit, id = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
	asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(is_explicit));
	if (threadIdx.x || threadIdx.y || threadIdx.z || !to)
		return;
	to += FIELDS * id;
	to[0] = 1 + is_explicit;
	to[1] = nctaid_x(), to[2] = nctaid_y(), to[3] = nctaid_z(), to[4] = nctarank();
	to[5] = ncluster_x(), to[6] = ncluster_y(), to[7] = ncluster_z();
	to[8] = blockDim.x * blockDim.y * blockDim.z;
	to[9] = gridDim.x * gridDim.y * gridDim.z;
}

static __global__ void plain(unsigned *to) { tell(to); }
static __global__ void __cluster_dims__(2, 1, 1) two(unsigned *to) { tell(to); }
static __global__ void __cluster_dims__(4, 4, 1) sixteen(unsigned *to) { tell(to); }
static __global__ void __cluster_dims__() open_size(unsigned *to) { tell(to); }
static __global__ void __launch_bounds__(128, 1, 4) at_most_four(unsigned *to) { tell(to); }
#if __CUDACC_VER_MAJOR__ >= 13
static __global__ void __block_size__((64, 1, 1), (2, 1, 1)) blocks_are_clusters(unsigned *to) { tell(to); }
#endif

static unsigned *told;
static unsigned seen[FIELDS * MOST_BLOCKS];

static void clear() { OK(cudaMemset(told, 0, sizeof seen)); }

// Every block has seen a cluster of that size, or none if it is 0.
static void saw(dim3 grid, dim3 cluster, unsigned threads = 32)
{
	const bool has = cluster.x != 0;
	const unsigned blocks = grid.x * grid.y * grid.z;
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(seen, told, sizeof seen, cudaMemcpyDeviceToHost));
	if (!has)
		cluster = dim3(1);
	const unsigned want[FIELDS] = {1u + has, cluster.x, cluster.y, cluster.z, cluster.x * cluster.y * cluster.z, grid.x / cluster.x,
	                               grid.y / cluster.y, grid.z / cluster.z, threads, blocks};
	for (unsigned b = 0; b < blocks; b++)
		for (unsigned i = 0; i < FIELDS; i++)
			CHECK(seen[FIELDS * b + i] == want[i], " block %u field %u is %u, not %u", b, i, seen[FIELDS * b + i], want[i]);
	CHECK(blocks == MOST_BLOCKS || !seen[FIELDS * blocks]);
	clear();
}

static void saw_nothing()
{
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(seen, told, sizeof seen, cudaMemcpyDeviceToHost));
	for (unsigned i = 0; i < FIELDS * MOST_BLOCKS; i++)
		CHECK(!seen[i]);
}

static cudaLaunchAttribute attrs[4];

static cudaLaunchAttribute cluster_of(dim3 c, cudaLaunchAttributeID id = cudaLaunchAttributeClusterDimension)
{
	cudaLaunchAttribute a = {};
	a.id = id;
	a.val.clusterDim.x = c.x, a.val.clusterDim.y = c.y, a.val.clusterDim.z = c.z;
	return a;
}

static cudaLaunchConfig_t config_of(dim3 grid, dim3 cluster, unsigned threads = 32)
{
	cudaLaunchConfig_t c = {};
	attrs[0] = cluster_of(cluster);
	c.gridDim = grid;
	c.blockDim = dim3(threads);
	c.attrs = attrs;
	c.numAttrs = 1;
	return c;
}

typedef void kernel(unsigned *);

static cudaError_t launch(kernel *k, dim3 grid, dim3 cluster)
{
	cudaLaunchConfig_t c = config_of(grid, cluster);
	cudaError_t e = cudaLaunchKernelEx(&c, k, told);
	cudaGetLastError();
	return e;
}

static cudaError_t launch_plain(kernel *k, dim3 grid, unsigned threads = 32)
{
	k<<<grid, threads>>>(told);
	return cudaGetLastError();
}

static void sizes()
{
	const dim3 good[] = {{1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {1, 2, 1}, {1, 1, 4}, {2, 2, 2}, {8, 1, 1}, {7, 1, 1}, {1, 3, 2}};
	for (const dim3 &c : good) {
		const dim3 grid(c.x * 3, c.y * 2, c.z * 2);
		OK(launch(plain, grid, c));
		saw(grid, c);
	}
	OK(launch_plain(plain, dim3(5, 3, 2)));
	saw(dim3(5, 3, 2), dim3(0, 0, 0));
	EXPECT(cudaErrorInvalidClusterSize, launch(plain, 18, 9));
	EXPECT(cudaErrorInvalidClusterSize, launch(plain, dim3(8, 4, 2), dim3(4, 2, 2)));
	EXPECT(cudaErrorInvalidClusterSize, launch(plain, 1u << 20, 1u << 20));
	EXPECT(cudaErrorInvalidClusterSize, launch(plain, dim3(65535, 65535, 65535), dim3(65535, 65535, 65535)));
	EXPECT(cudaErrorInvalidClusterSize, launch(plain, 3, 2));
	EXPECT(cudaErrorInvalidClusterSize, launch(plain, dim3(4, 3, 1), dim3(2, 2, 1)));
	EXPECT(cudaErrorInvalidClusterSize, launch(plain, 4, 8));
	EXPECT(cudaErrorInvalidClusterSize, launch(plain, 4, dim3(2, 0, 1)));
	EXPECT(cudaErrorInvalidClusterSize, launch(plain, 4, dim3(0, 0, 0)));
	EXPECT(cudaErrorInvalidConfiguration, launch(plain, 0, 2));
	saw_nothing();
}

static void compiled_in()
{
	OK(launch_plain(two, 6));
	saw(6, 2);
	OK(launch(two, 6, 2));
	saw(6, 2);
	EXPECT(cudaErrorInvalidClusterSize, launch_plain(two, 5));
	EXPECT(cudaErrorInvalidClusterSize, launch(two, 8, 4));
	EXPECT(cudaErrorInvalidClusterSize, launch(two, 8, 1));
	EXPECT(cudaErrorInvalidClusterSize, launch_plain(open_size, 4));
	OK(launch(open_size, 4, 4));
	saw(4, 4);
	OK(launch(open_size, 4, 1));
	saw(4, 1);
	OK(launch_plain(at_most_four, 4));
	saw(4, dim3(0, 0, 0));
	OK(launch(at_most_four, dim3(4, 2), dim3(2, 2)));
	saw(dim3(4, 2), dim3(2, 2));
	EXPECT(cudaErrorInvalidClusterSize, launch(at_most_four, 8, 8));
	saw_nothing();
#if __CUDACC_VER_MAJOR__ >= 13
	blocks_are_clusters<<<3>>>(told);
	OK(cudaGetLastError());
	saw(6, 2, 64);
	OK(launch_plain(blocks_are_clusters, 3, 64));
	saw(6, 2, 64);
	EXPECT(cudaErrorInvalidValue, launch_plain(blocks_are_clusters, 3, 32));
	EXPECT(cudaErrorInvalidConfiguration, launch_plain(blocks_are_clusters, 0x7fffffff, 64));
	saw_nothing();
#endif
}

static int attribute_of(kernel *k, CUfunction_attribute a)
{
	cudaFunction_t f;
	int v = -1;
	OK(cudaGetFuncBySymbol(&f, (const void *)k));
	OK((cudaError_t)cuFuncGetAttribute(&v, a, f));
	return v;
}

static cudaError_t set(kernel *k, cudaFuncAttribute a, int v)
{
	cudaError_t e = cudaFuncSetAttribute(k, a, v);
	cudaGetLastError();
	return e;
}

static void says(kernel *k, int must, int x, int y, int z, int policy, int non_portable)
{
	cudaFuncAttributes a;
	OK(cudaFuncGetAttributes(&a, k));
	CHECK(a.clusterDimMustBeSet == must && attribute_of(k, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET) == must);
	CHECK(a.requiredClusterWidth == x && attribute_of(k, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH) == x);
	CHECK(a.requiredClusterHeight == y && attribute_of(k, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT) == y);
	CHECK(a.requiredClusterDepth == z && attribute_of(k, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH) == z);
	CHECK(a.clusterSchedulingPolicyPreference == policy && attribute_of(k, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE) == policy);
	CHECK(a.nonPortableClusterSizeAllowed == non_portable &&
	      attribute_of(k, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) == non_portable);
}

static void functions()
{
	says(plain, 0, 0, 0, 0, 0, 0);
	says(two, 1, 2, 1, 1, 0, 0);
	says(sixteen, 1, 4, 4, 1, 0, 0);
	says(open_size, 1, 0, 0, 0, 0, 0);
	says(at_most_four, 0, 0, 0, 0, 0, 0);

	// More than eight blocks only where the function allows it.
	EXPECT(cudaErrorInvalidClusterSize, launch_plain(sixteen, dim3(4, 4)));
	EXPECT(cudaErrorInvalidClusterSize, launch(plain, 32, 16));
	OK(set(sixteen, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	OK(set(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	says(sixteen, 1, 4, 4, 1, 0, 1);
	OK(launch_plain(sixteen, dim3(8, 4)));
	saw(dim3(8, 4), dim3(4, 4));
	OK(launch(plain, 32, 16));
	saw(32, 16);
	EXPECT(cudaErrorInvalidClusterSize, launch(plain, 34, 17));
	OK(set(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
	EXPECT(cudaErrorInvalidClusterSize, launch(plain, 32, 16));
	EXPECT(cudaErrorInvalidValue, set(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 2));
	EXPECT(cudaErrorInvalidValue, set(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, -1));

	// A size that the program requires; all of its numbers must be there when the kernel is launched.
	OK(set(plain, cudaFuncAttributeRequiredClusterWidth, 2));
	EXPECT(cudaErrorInvalidClusterSize, launch_plain(plain, 4));
	OK(set(plain, cudaFuncAttributeRequiredClusterHeight, 2));
	OK(set(plain, cudaFuncAttributeRequiredClusterDepth, 1));
	says(plain, 0, 2, 2, 1, 0, 0);
	OK(launch_plain(plain, dim3(4, 4)));
	saw(dim3(4, 4), dim3(2, 2));
	EXPECT(cudaErrorInvalidClusterSize, launch(plain, 4, 4));
	OK(set(plain, cudaFuncAttributeRequiredClusterDepth, 4));
	EXPECT(cudaErrorInvalidClusterSize, launch_plain(plain, dim3(4, 4, 4)));
	for (int a = cudaFuncAttributeRequiredClusterWidth; a <= cudaFuncAttributeRequiredClusterDepth; a++) {
		EXPECT(cudaErrorInvalidValue, set(plain, (cudaFuncAttribute)a, -1));
		OK(set(plain, (cudaFuncAttribute)a, 0));
		EXPECT(cudaErrorNotPermitted, set(two, (cudaFuncAttribute)a, 2));
	}
	says(plain, 0, 0, 0, 0, 0, 0);
	OK(launch_plain(plain, 3));
	saw(3, dim3(0, 0, 0));

	OK(set(plain, cudaFuncAttributeClusterSchedulingPolicyPreference, cudaClusterSchedulingPolicyLoadBalancing));
	says(plain, 0, 0, 0, 0, cudaClusterSchedulingPolicyLoadBalancing, 0);
	EXPECT(cudaErrorInvalidValue, set(plain, cudaFuncAttributeClusterSchedulingPolicyPreference, 3));
	OK(set(plain, cudaFuncAttributeClusterSchedulingPolicyPreference, cudaClusterSchedulingPolicyDefault));
	EXPECT(cudaErrorInvalidValue, set(plain, cudaFuncAttributeClusterDimMustBeSet, 1));
	saw_nothing();
}

static void hints()
{
	cudaLaunchConfig_t c = config_of(8, 2);
	attrs[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
	attrs[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicySpread;
	attrs[2] = cluster_of(4, cudaLaunchAttributePreferredClusterDimension);
	attrs[3].id = cudaLaunchAttributeProgrammaticStreamSerialization;
	attrs[3].val.programmaticStreamSerializationAllowed = 1;
	c.numAttrs = 4;
	OK(cudaLaunchKernelEx(&c, plain, told));
	saw(8, 2);
	attrs[2].val.clusterDim.x = 3;
	EXPECT(cudaErrorInvalidClusterSize, cudaLaunchKernelEx(&c, plain, told));
	attrs[2].val.clusterDim.x = 4, attrs[2].val.clusterDim.z = 2;
	EXPECT(cudaErrorInvalidClusterSize, cudaLaunchKernelEx(&c, plain, told));
	attrs[2].val.clusterDim.z = 1, attrs[1].val.clusterSchedulingPolicyPreference = (cudaClusterSchedulingPolicy)3;
	EXPECT(cudaErrorInvalidValue, cudaLaunchKernelEx(&c, plain, told));
	cudaGetLastError();
	saw_nothing();
}

static cudaError_t most_clusters(int *n, kernel *k, dim3 cluster, unsigned threads, size_t shared = 0)
{
	cudaLaunchConfig_t c = config_of(cluster, cluster, threads);
	c.dynamicSmemBytes = shared;
	*n = -1;
	cudaError_t e = cudaOccupancyMaxActiveClusters(n, k, &c);
	cudaGetLastError();
	return e;
}

static void occupancy()
{
	int n, sms, blocks, last = 1 << 30;
	cudaLaunchConfig_t c = config_of(8, 1, 128);
	OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 1024, 0));
	OK(most_clusters(&n, plain, 1, 1024));
	CHECK(n == sms * blocks);
	for (unsigned size = 2; size <= 8; size++) {
		OK(most_clusters(&n, plain, size, 1024));
		CHECK(n > 0 && n <= last && n * (int)size <= sms * blocks, " %d clusters of %u", n, size);
		CHECK(n * (int)size > sms * blocks / 2);
		last = n;
	}
	EXPECT(cudaErrorInvalidClusterSize, most_clusters(&n, plain, 16, 1024));
	EXPECT(cudaErrorInvalidValue, most_clusters(&n, plain, 2, 1025));
	EXPECT(cudaErrorInvalidClusterSize, most_clusters(&n, two, 4, 128));
	OK(cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
	OK(most_clusters(&n, plain, 2, 128, 200 << 10)); // a block has an SM to itself
	CHECK(n > 0 && n <= sms / 2);
	OK(most_clusters(&n, plain, 2, 128, 400 << 10));
	CHECK(n == 0);
	c.numAttrs = 0;
	OK(cudaOccupancyMaxActiveClusters(&n, plain, &c)); // blocks, each in a cluster of its own
	CHECK(n > 0);
	EXPECT(cudaErrorInvalidClusterSize, cudaOccupancyMaxActiveClusters(&n, open_size, &c));
	OK(cudaOccupancyMaxActiveClusters(&n, two, &c));
	CHECK(n > 0);
	OK(cudaOccupancyMaxPotentialClusterSize(&n, plain, &c));
	CHECK(n == 8);
	OK(cudaFuncSetAttribute(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	OK(cudaOccupancyMaxPotentialClusterSize(&n, plain, &c));
	CHECK(n == 16);
	OK(cudaFuncSetAttribute(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
	OK(cudaOccupancyMaxPotentialClusterSize(&n, two, &c));
	CHECK(n == 2);
	OK(cudaOccupancyMaxPotentialClusterSize(&n, at_most_four, &c));
	CHECK(n == 4);
	c.dynamicSmemBytes = 400 << 10;
	OK(cudaOccupancyMaxPotentialClusterSize(&n, plain, &c));
	CHECK(n == 0);
	EXPECT(cudaErrorInvalidValue, cudaOccupancyMaxPotentialClusterSize((int *)NULL, plain, &c));
	cudaGetLastError();
}

static void cooperative()
{
	int n;
	OK(most_clusters(&n, plain, 8, 1024));
	cudaLaunchConfig_t c = config_of(8 * n, 8, 1024);
	attrs[1].id = cudaLaunchAttributeCooperative;
	attrs[1].val.cooperative = 1;
	c.numAttrs = 2;
	OK(cudaLaunchKernelEx(&c, plain, told));
	saw(8 * n, 8, 1024);
	c.gridDim.x = 8 * n + 8;
	EXPECT(cudaErrorCooperativeLaunchTooLarge, cudaLaunchKernelEx(&c, plain, told));
	cudaGetLastError();
	void *args[] = {&told};
	OK(cudaLaunchCooperativeKernel((const void *)two, dim3(4), dim3(32), args, 0, 0));
	saw(4, 2);
	saw_nothing();
}

static void run(cudaGraph_t g)
{
	cudaGraphExec_t e;
	OK(cudaGraphInstantiate(&e, g, 0));
	OK(cudaGraphLaunch(e, 0));
	OK(cudaGraphExecDestroy(e));
}

static void graphs()
{
	void *args[] = {&told};
	cudaGraph_t g;
	cudaGraphNode_t node, copy;
	cudaGraphExec_t exec;
	cudaKernelNodeParams p = {};
	cudaKernelNodeAttrValue v = {};
	OK(cudaGraphCreate(&g, 0));
	p.func = (void *)plain, p.gridDim = dim3(8), p.blockDim = dim3(32), p.kernelParams = args;
	OK(cudaGraphAddKernelNode(&node, g, NULL, 0, &p));
	OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension, &v));
	CHECK(!v.clusterDim.x && !v.clusterDim.y && !v.clusterDim.z);
	v.clusterDim.x = 4, v.clusterDim.y = v.clusterDim.z = 1;
	OK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &v));
	v.clusterDim.x = 0;
	OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension, &v));
	CHECK(v.clusterDim.x == 4 && v.clusterDim.y == 1 && v.clusterDim.z == 1);
	run(g);
	saw(8, 4);
	v.clusterDim.y = 0;
	EXPECT(cudaErrorInvalidValue, cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &v));
	v.clusterDim.x = 3, v.clusterDim.y = 1;
	EXPECT(cudaErrorInvalidClusterSize, cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &v));
	v.clusterDim.x = 16;
	EXPECT(cudaErrorInvalidClusterSize, cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &v));
	v.clusterSchedulingPolicyPreference = (cudaClusterSchedulingPolicy)3;
	EXPECT(cudaErrorInvalidValue, cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterSchedulingPolicyPreference, &v));
	v.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicySpread;
	OK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterSchedulingPolicyPreference, &v));
	p.func = (void *)two, p.gridDim = dim3(4);
	OK(cudaGraphAddKernelNode(&copy, g, &node, 1, &p));
	EXPECT(cudaErrorInvalidClusterSize, (p.gridDim.x = 3, cudaGraphAddKernelNode(&copy, g, &node, 1, &p)));
	// Another grid that the cluster still divides, in the instantiated graph.
	OK(cudaGraphInstantiate(&exec, g, 0));
	p.func = (void *)plain, p.gridDim = dim3(12);
	OK(cudaGraphExecKernelNodeSetParams(exec, node, &p));
	OK(cudaGraphLaunch(exec, 0));
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(seen, told, sizeof seen, cudaMemcpyDeviceToHost));
	CHECK(seen[1] == 2 && seen[FIELDS * 3 + 9] == 4 && seen[FIELDS * 4 + 1] == 4 && seen[FIELDS * 11 + 9] == 12);
	clear();
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(g));

	cudaStream_t s;
	OK(cudaStreamCreate(&s));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	cudaLaunchConfig_t c = config_of(dim3(4, 4), dim3(2, 2));
	c.stream = s;
	OK(cudaLaunchKernelEx(&c, plain, told));
	OK(cudaStreamEndCapture(s, &g));
	saw_nothing();
	size_t one = 1;
	OK(cudaGraphGetNodes(g, &node, &one));
	OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension, &v));
	CHECK(v.clusterDim.x == 2 && v.clusterDim.y == 2 && v.clusterDim.z == 1);
	run(g);
	saw(dim3(4, 4), dim3(2, 2));
	OK(cudaGraphDestroy(g));
#if __CUDACC_VER_MAJOR__ >= 13
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	blocks_are_clusters<<<2, 1, 0, s>>>(told);
	OK(cudaStreamEndCapture(s, &g));
	run(g);
	saw(4, 2, 64);
	OK(cudaGraphDestroy(g));
#endif
	OK(cudaStreamDestroy(s));
}

#define DRIVER(code, call) EXPECT((cudaError_t)(code), (cudaError_t)(call))

static void driver()
{
	cudaFunction_t f;
	cudaKernel_t k;
	CUdevice device = 0;
	int n;
	void *args[] = {&told};
	OK(cudaGetFuncBySymbol(&f, (const void *)plain));
	OK(cudaGetKernel(&k, (const void *)plain));
	CUlaunchAttribute a = {};
	a.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
	a.value.clusterDim.x = 2, a.value.clusterDim.y = a.value.clusterDim.z = 1;
	CUlaunchConfig c = {6, 1, 1, 32, 1, 1, 0, 0, &a, 1};
	DRIVER(0, cuLaunchKernelEx(&c, f, args, NULL));
	saw(6, 2);
	a.value.clusterDim.x = 4;
	DRIVER(CUDA_ERROR_INVALID_CLUSTER_SIZE, cuLaunchKernelEx(&c, f, args, NULL));
	c.gridDimX = 16, a.value.clusterDim.x = 16;
	DRIVER(CUDA_ERROR_INVALID_CLUSTER_SIZE, cuLaunchKernelEx(&c, f, args, NULL));
	DRIVER(0, cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, (CUkernel)k, device));
	DRIVER(0, cuKernelGetAttribute(&n, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, (CUkernel)k, device));
	CHECK(n == 1);
	DRIVER(0, cuLaunchKernelEx(&c, f, args, NULL));
	saw(16, 16);
	DRIVER(0, cuOccupancyMaxPotentialClusterSize(&n, f, &c));
	CHECK(n == 16);
	DRIVER(0, cuOccupancyMaxActiveClusters(&n, f, &c));
	CHECK(n > 0);
	DRIVER(0, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0));
	DRIVER(CUDA_ERROR_INVALID_CLUSTER_SIZE, cuOccupancyMaxActiveClusters(&n, f, &c));
	DRIVER(0, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2));
	DRIVER(CUDA_ERROR_INVALID_CLUSTER_SIZE, cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, 0, args, NULL));
	DRIVER(0, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 0));
	DRIVER(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, 0));
	OK(cudaGetFuncBySymbol(&f, (const void *)two));
	DRIVER(CUDA_ERROR_NOT_PERMITTED, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2));
	DRIVER(0, cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, 0, args, NULL));
	saw(4, 2);
	saw_nothing();
}

int main()
{
	cudaDeviceProp p;
	int v = 0;
	OK(cudaDeviceGetAttribute(&v, cudaDevAttrClusterLaunch, 0));
	OK(cudaGetDeviceProperties(&p, 0));
	CHECK(v == 1 && p.clusterLaunch == 1);
	OK(cudaMalloc(&told, sizeof seen));
	clear();
	sizes();
	compiled_in();
	functions();
	hints();
	occupancy();
	cooperative();
	graphs();
	driver();
	return check_done();
}
