// Microseconds from one kernel to the next in a stream that is full, by the elements that it scales, with blocks of 32 to 1,024
// threads: what a launch costs, how fast blocks start, and what a wave of blocks takes.
// kernels [ELEMENTS of the largest kernel] [LAUNCHES that are timed]
#include "micro.h"

enum { LARGEST = 400000, LAUNCHES = 1000 };

__global__ void scale(double *__restrict__ to, const double *__restrict__ from, int elements)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;
	if (i < elements)
		to[i] = from[i] * 0.25;
}

static void forth_and_back(double *a, double *b, int elements, int threads, int launches)
{
	int blocks = elements / threads + 1;
	for (int i = 0; i < launches; i += 2) {
		scale<<<blocks, threads>>>(a, b, elements);
		scale<<<blocks, threads>>>(b, a, elements);
	}
}

int main(int argc, char **argv)
{
	int largest = (int)number(argc, argv, 1, LARGEST), launches = (int)number(argc, argv, 2, LAUNCHES);
	double *a = on_device<double>(largest), *b = on_device<double>(largest);
	cudaEvent_t begin, end;
	must(cudaEventCreate(&begin), "cudaEventCreate");
	must(cudaEventCreate(&end), "cudaEventCreate");
	for (int threads = 32; threads <= 1024; threads *= 2) {
		char curve[32];
		snprintf(curve, sizeof curve, "kernel_%d", threads);
		for (int elements = largest; elements >= largest / 32; elements /= 2) {
			float milliseconds = 0;
			forth_and_back(a, b, elements, threads, 2); // L2 has the data then
			finish();
			must(cudaEventRecord(begin), "cudaEventRecord");
			forth_and_back(a, b, elements, threads, launches);
			must(cudaEventRecord(end), "cudaEventRecord");
			finish();
			must(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
			point(curve, elements, milliseconds * 1000 / launches);
		}
	}
}
