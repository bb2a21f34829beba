// Launches: microseconds from one empty kernel to the next in a stream, by the number of blocks; cycles of an SM from the last
// instruction of a kernel's block there to the first of the next kernel's, in a stream and in a graph; and when the blocks of a
// kernel start on an SM.
#include "micro.h"

enum { LAUNCHES = 20, STARTS = 32 };

__global__ void empty()
{
}

// Of block 0 of kernel `k`: its SM, and the clock there at its begin and end. Blocks of one kernel all have something to do.
__global__ void marks(int k, long long *at, int work)
{
	long long begin = clock64(), v = begin;
	for (int i = 0; i < work; i++)
		v = v * 3 + 1;
	if (blockIdx.x == 0 && threadIdx.x == 0) {
		unsigned sm;
		asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
		at[4 * k] = sm, at[4 * k + 1] = begin, at[4 * k + 3] = v, at[4 * k + 2] = clock64();
	}
}

__global__ void starts(long long *at, unsigned *n)
{
	long long begin = clock64();
	unsigned sm;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
	if (sm == 0 && threadIdx.x == 0)
		at[atomicAdd(n, 1) % STARTS] = begin;
	while (clock64() - begin < 4000)
		;
}

// The median of the gaps between kernels whose block 0 was on the SM of the one before.
static void gaps(const char *curve, int blocks, const long long *device)
{
	long long at[4 * LAUNCHES], gap[LAUNCHES];
	int n = 0;
	must(cudaMemcpy(at, device, sizeof at, cudaMemcpyDeviceToHost), "cudaMemcpy");
	for (int i = 1; i < LAUNCHES; i++)
		if (at[4 * i] == at[4 * i - 4]) {
			int j = n++;
			long long g = at[4 * i + 1] - at[4 * i - 2];
			for (; j && gap[j - 1] > g; j--)
				gap[j] = gap[j - 1];
			gap[j] = g;
		}
	if (n && gap[n / 2] > 0)
		point(curve, blocks, gap[n / 2]);
}

int main(int argc, char **argv)
{
	const int work = argc > 1 ? atoi(argv[1]) : 2000; // a kernel takes longer than the host does for a launch
	int sms = sm_count();
	cudaEvent_t begin, end;
	must(cudaEventCreate(&begin), "cudaEventCreate");
	must(cudaEventCreate(&end), "cudaEventCreate");
	for (int blocks = 1; blocks <= sms * 64; blocks = blocks == 1 ? sms : blocks * 8) {
		empty<<<blocks, 128>>>();
		finish();
		must(cudaEventRecord(begin), "cudaEventRecord");
		for (int i = 0; i < LAUNCHES; i++)
			empty<<<blocks, 128>>>();
		must(cudaEventRecord(end), "cudaEventRecord");
		finish();
		float milliseconds = 0;
		must(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
		point("launch", blocks, milliseconds * 1000 / LAUNCHES);
	}

	long long *at = on_device<long long>(4 * LAUNCHES > STARTS ? 4 * LAUNCHES : STARTS);
	unsigned *n = on_device<unsigned>(1);
	cudaStream_t stream;
	must(cudaStreamCreate(&stream), "cudaStreamCreate");
	for (int blocks = 1; blocks <= sms * 8; blocks = blocks == 1 ? sms : blocks * 8) {
		cudaGraph_t graph;
		cudaGraphExec_t run;
		for (int round = 0; round < 2; round++) { // the second time the code is in the caches
			for (int i = 0; i < LAUNCHES; i++)
				marks<<<blocks, 128, 0, stream>>>(i, at, work);
			finish();
		}
		gaps("launch_gap", blocks, at);
		must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
		for (int i = 0; i < LAUNCHES; i++)
			marks<<<blocks, 128, 0, stream>>>(i, at, work);
		must(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
		must(cudaGraphInstantiate(&run, graph, 0), "cudaGraphInstantiate");
		for (int round = 0; round < 2; round++) {
			must(cudaGraphLaunch(run, stream), "cudaGraphLaunch");
			finish();
		}
		gaps("launch_gap_graph", blocks, at);
	}
	starts<<<sms * 16, 128>>>(at, n);
	must(cudaMemset(n, 0, sizeof *n), "cudaMemset");
	starts<<<sms * 16, 128>>>(at, n);
	finish();
	long long of[STARTS];
	unsigned seen;
	must(cudaMemcpy(of, at, sizeof of, cudaMemcpyDeviceToHost), "cudaMemcpy");
	must(cudaMemcpy(&seen, n, sizeof seen, cudaMemcpyDeviceToHost), "cudaMemcpy");
	for (unsigned i = 0; i < seen && i < STARTS; i++) // in the order of their starts
		for (unsigned j = i; j && of[j] < of[j - 1]; j--) {
			long long t = of[j];
			of[j] = of[j - 1], of[j - 1] = t;
		}
	for (unsigned i = 1; i < seen && i < STARTS; i++)
		if (of[i] > of[0])
			point("block_start", i, of[i] - of[0]);
}
