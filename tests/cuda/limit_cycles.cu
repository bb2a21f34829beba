// -gpgpu_max_cycle ends the program as GPGPU-Sim does: statistics of what was cut off, then a line that says so, exit
// status 1; kernels that ended before and the program's own output are there.
// skip: tsan
#include "check.h"
#include <string>
#include <sys/wait.h>
#include <unistd.h>

__global__ void work(int *p, int n)
{
	int x = threadIdx.x;
	for (int i = 0; i < n; i++)
		x = x * 3 + i;
	p[blockIdx.x * blockDim.x + threadIdx.x] = x;
	if (n < 100 && !threadIdx.x)
		printf("from the device\n");
}

static void child()
{
	setenv("HEDDLE_OPTIONS", "-gpgpu_max_cycle 30000 -gpgpu_kernel_launch_latency 1000", 1);
	setenv("PTX_SIM_MODE_FUNC", "0", 1);
	int *d;
	cudaMalloc(&d, 4096);
	printf("own output");
	work<<<2, 128>>>(d, 5);
	cudaDeviceSynchronize();
	work<<<2, 128>>>(d, 1000000);
	cudaDeviceSynchronize();
	printf("never reached\n");
	exit(7);
}

static bool in_order(const std::string &text, std::initializer_list<const char *> lines)
{
	size_t at = 0;
	for (const char *l : lines) {
		size_t found = text.find(l, at);
		if (found == std::string::npos) {
			printf("missing, or not in order: %s\n", l);
			return false;
		}
		at = found + strlen(l);
	}
	return true;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		child();
	char self[4096], command[5000], buffer[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	self[n < 0 ? 0 : n] = 0;
	snprintf(command, sizeof command, "%s child 2>&1", self);
	FILE *f = popen(command, "r");
	CHECK(f);
	std::string text;
	while (size_t got = fread(buffer, 1, sizeof buffer, f))
		text.append(buffer, got);
	int status = pclose(f);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %d", status);
	CHECK(in_order(text, {"own output", "from the device", "kernel_launch_uid = 1", "kernel_launch_uid = 2", "gpu_tot_sim_cycle = 30000\n",
	                      "GPGPU-Sim: ** break due to reaching the maximum cycles (or instructions) **\n"}));
	CHECK(text.find("never reached") == std::string::npos);
	if (check_failures)
		printf("%s\n", text.c_str());
	return check_done();
}
