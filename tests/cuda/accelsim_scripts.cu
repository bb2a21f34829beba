// skip: sass checkpoint (its children take a GPU of their own)
// A CUDA program under Accel-Sim's scripts: what they look for is in its output, nothing is on stderr, and a limit of the run
// is an end like another to them.
// env: PTX_SIM_MODE_FUNC=0 GPGPUSIM_CONFIG=../../../../../configs/tested-cfgs/SM2_GTX480/gpgpusim.config
#include "child.h"

#include "../accelsim_asks.h"

__global__ void add(const int *a, const int *b, int *c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	c[i] = a[i] + b[i];
}

static void child()
{
	const int n = 2048;
	int *p;
	cudaMalloc(&p, 3 * n * sizeof *p);
	for (int i = 0; i < 3; i++)
		add<<<n / 256, 256>>>(p, p + n, p + 2 * n);
	cudaDeviceSynchronize();
	printf("an end without a newline");
	exit(0);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		child();
	// PTX of this program is of a higher capability than the GPU's, as of every new compiler.
	child_result r = run_child("add", "");
	const char *text = r.out.c_str(), *missing = accelsim_missing(text);
	CHECK(r.exited(0) && r.err.empty(), "%x %s", r.status, r.err.c_str());
	CHECK(!missing, "the output has no %s:\n%s", missing, text);
	CHECK(count(r.out, "kernel_launch_uid = ") == 3);
	long verdict = accelsim_find(text, accelsim_verdict);
	CHECK(verdict < 0, "would be taken for the program's verdict: %.80s", text + verdict);
	CHECK(accelsim_find(text, accelsim_limit) < 0);

	r = run_child("add", "-gpgpu_max_insn 40000");
	text = r.out.c_str(), missing = accelsim_missing(text);
	CHECK(r.exited(1) && r.err.empty(), "%x %s", r.status, r.err.c_str());
	CHECK(!missing, "the output has no %s:\n%s", missing, text);
	CHECK(accelsim_find(text, accelsim_limit) > 0 && accelsim_find(text, accelsim_limit) < accelsim_find(text, accelsim_wants[0]));
	return check_done();
}
