// A child made by fork after CUDA was used gets an error, not a hang; one made before is as good as its parent.
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

__global__ void set(int *p)
{
	*p = 5;
}

static int use(void)
{
	int *d, h = 0;
	cudaError_t e = cudaMalloc((void **)&d, sizeof(int));
	if (e != cudaSuccess)
		return e;
	set<<<1, 1>>>(d);
	e = cudaMemcpy(&h, d, sizeof(h), cudaMemcpyDeviceToHost);
	return e != cudaSuccess ? e : h == 5 ? 0 : 99;
}

static int in_child(void)
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(use());
	int status = -1;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main()
{
	CHECK(in_child() == 0, "before");
	OK(use());
	EXPECT(cudaErrorInitializationError, in_child());
	OK(use());
	CHECK(system("exit 3") == 3 << 8);
	return check_done();
}
