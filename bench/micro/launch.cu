// Launches: microseconds from one empty kernel to the next in a stream, by the number of blocks.
#include "micro.h"

enum { LAUNCHES = 20 };

__global__ void empty()
{
}

int main()
{
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
}
