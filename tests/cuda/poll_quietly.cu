// A program that waits for memory that it shares with a kernel, and makes no CUDA call meanwhile. Nothing is said about it in functional
// mode, where there are no cycles that could come out otherwise.
// skip: timed sass
#include <cuda_runtime.h>
#include <stdio.h>
#include <unistd.h>
#include "check.h"

__global__ void set(volatile int *flag) { *flag = 1; }

int main()
{
	char path[] = "poll-quietly-XXXXXX";
	int kept = dup(2), file = mkstemp(path);
	CHECK(kept >= 0 && file >= 0);
	dup2(file, 2);
	volatile int *flag;
	OK(cudaHostAlloc((void **)&flag, sizeof *flag, cudaHostAllocMapped));
	*flag = 0;
	set<<<1, 1>>>(flag);
	for (int i = 0; !*flag && i < 20000; i++)
		usleep(1000);
	int set = *flag;
	OK(cudaDeviceSynchronize());
	off_t written = lseek(file, 0, SEEK_END);
	dup2(kept, 2);
	remove(path);
	CHECK(set == 1, "the kernel did not run");
	CHECK(written == 0, "%ld bytes were written to standard error", (long)written);
	return check_done();
}
