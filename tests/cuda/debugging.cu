// The debugger with commands from a file, and debug streams into a file.
// env: PTX_SIM_MODE_FUNC=0 GPGPUSIM_CONFIG=../../../../../configs/SM7_QV100/gpgpusim.config
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <string>
#include <unistd.h>

__global__ void twice(int *p) { p[threadIdx.x] = 2 * p[threadIdx.x]; }

static std::string read_file(const char *name)
{
	std::string all;
	char part[4096];
	FILE *f = fopen(name, "r");
	for (size_t n; f && (n = fread(part, 1, sizeof part, f)) > 0;)
		all.append(part, n);
	if (f)
		fclose(f);
	return all;
}

static void has(const std::string &text, const char *what)
{
	CHECK(text.find(what) != std::string::npos, "no '%s' in:\n%.3000s", what, text.c_str());
}

int main()
{
	FILE *f = fopen("commands", "w");
	fputs("info\npipe 0\nwarp\nstepi\nstep 2\nkernels\nqueues\ndelete\ncontinue\n", f);
	fclose(f);
	setenv("HEDDLE_BREAK", "twice", 1);
	setenv("HEDDLE_DEBUG_INPUT", "commands", 1);
	setenv("HEDDLE_OPTIONS", "-trace_enabled 1\n-trace_components STREAM,CFG,ISSUE,LIVENESS\n-trace_file trace", 1);
	remove("_Z5twicePi.dot");

	fflush(stderr);
	int old = dup(2);
	if (!freopen("transcript", "w", stderr))
		return 1;
	int h[64], *d;
	for (int i = 0; i < 64; i++)
		h[i] = i;
	cudaError_t e = cudaMalloc(&d, sizeof h);
	e = e ? e : cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
	twice<<<1, 64>>>(d);
	e = e ? e : cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
	fflush(stderr);
	dup2(old, 2);

	CHECK(e == cudaSuccess, "%s", cudaGetErrorName(e));
	for (int i = 0; i < 64; i++)
		CHECK(h[i] == 2 * i, "%d", h[i]);
	std::string said = read_file("transcript"), trace = read_file("trace"), dot = read_file("_Z5twicePi.dot");
	has(said, "stop 1 (twice) in cycle ");
	has(said, "(heddle) info\n");
	has(said, "reached 1 time\n");
	has(said, "gpu.sm[0]: 1 blocks, 64 threads");
	has(said, "runs at ");
	has(said, "kernel '_Z5twicePi' (launch 1, stream 0, grid (1,1,1), block (64,1,1))");
	has(said, "(heddle) continue\n");
	has(trace, "STREAM - stream 0 operation ");
	has(trace, "kernel _Z5twicePi is complete");
	has(trace, "LIVENESS - kernel '_Z5twicePi' (launch 1) begins");
	has(trace, "control flow of _Z5twicePi");
	has(trace, "ISSUE - Core 0 - Scheduler ");
	has(dot, "digraph \"_Z5twicePi\" {");
	return check_done();
}
