// -stats short of whole programs: the full text stands once, before the lines of the end, however the run ends; packed files are
// whole after a fault and after a kill. By one and three threads, on both cores.
// skip: tsan
#include "child.h"

#include <pthread.h>

__global__ void work(int *p, int n)
{
	int x = threadIdx.x;
	for (int i = 0; i < n; i++)
		x = x * 3 + i;
	p[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void fail(int *p) { *(int *)16 = 1; }

__global__ void endless(volatile int *p)
{
	while (!p[0])
		p[1] = 1;
}

static void *interrupt(void *begun)
{
	while (!*(volatile int *)begun)
		usleep(1000);
	kill(getpid(), SIGTERM);
	return 0;
}

static void child(const std::string &what)
{
	int *d;
	cudaMallocManaged(&d, 1 << 20);
	work<<<8, 64>>>(d, 5);
	cudaDeviceSynchronize();
	work<<<1, 32>>>(d, 9);
	cudaDeviceSynchronize();
	if (what == "killed")
		kill(getpid(), SIGKILL);
	if (what == "terminated") {
		pthread_t t;
		memset(d, 0, 8);
		pthread_create(&t, 0, interrupt, d + 1);
		endless<<<1, 1>>>(d);
	}
	if (what == "long")
		work<<<64, 64>>>(d, 1000000);
	if (what == "fault")
		fail<<<1, 1>>>(d);
	cudaDeviceSynchronize();
	memset(d, 1, 64);
	exit(0);
}

static std::string without_clock(const std::string &text)
{
	std::string out;
	for (size_t at = 0, end; at < text.size(); at = end) {
		end = text.find('\n', at);
		end = end == std::string::npos ? text.size() : end + 1;
		std::string line = text.substr(at, end - at);
		if (line.find("gpgpu_sim") != 0 && line.find("gpu_total_sim_rate") != 0 && line.find("gpgpu_silicon") != 0)
			out += line;
	}
	return out;
}

// From the last kernel on.
static std::string last_kernel(const std::string &text)
{
	size_t at = text.rfind("kernel_name = ");
	return at == std::string::npos ? "none" : text.substr(at);
}

static void ends(const std::string &how)
{
	static const struct {
		const char *what, *options, *last;
		unsigned kernels;
		bool in_full; // once more
		int status, sig;
	} all[] = {{"work", "", "complete", 2, true, 0, 0}, {"fault", "", "fault", 3, true, 0, 0},
	           {"killed", "", NULL, 2, false, 0, SIGKILL},
	           {"terminated", "", "interrupted SIGTERM", 3, true, 0, SIGTERM},
	           {"work", " -stats_full_kernels 2", "complete", 2, false, 0, 0},
	           {"long", " -gpgpu_max_cycle 20000", "limit -gpgpu_max_cycle", 3, true, 1, 0}};
	for (auto &t : all) {
		child_result full = run_child(t.what, how + " -stats_file s" + t.options);
		std::string want = without_clock(last_kernel(file_text("s")));
		unlink("s");
		child_result r = run_child(t.what, how + " -stats short -stats_file s" + t.options);
		std::string text = without_clock(file_text("s"));
		unlink("s");
		CHECK(full.status == r.status && (t.sig ? r.killed(t.sig) : r.exited(t.status)), "%s: status %x, %x", t.what, full.status,
		      r.status);
		CHECK(count(text, "kernel_launch_uid = ") == t.kernels + t.in_full, "%s%s: %u kernels", t.what, t.options,
		      count(text, "kernel_launch_uid = "));
		CHECK(count(text, "L2_cache_bank[0]: ") == (t.in_full || *t.options ? 1 : 0), "%s%s", t.what, t.options);
		if ((t.in_full || strstr(t.options, "full")) && t.sig != SIGTERM) // which comes when it comes
			CHECK(last_kernel(text) == want, "%s%s: %.300s", t.what, t.options, last_kernel(text).c_str());
		if (t.last)
			CHECK(ends_with(text, (std::string("heddle_run = ") + t.last + "\n").c_str()), "%s", t.what);
	}
}

static void packed(const std::string &how)
{
	static const struct {
		const char *file, *unpack;
	} all[] = {{"s.gz", "gzip -dc s.gz >plain"}, {"s.zst", "zstd -qdcf s.zst >plain"}};
	for (auto &t : all) {
		std::string tool(t.unpack, strcspn(t.unpack, " "));
		if (system(("command -v " + tool + " >/dev/null").c_str()))
			continue;
		for (const char *what : {"work", "fault", "killed"}) {
			run_child(what, how + " -stats short -stats_file s");
			std::string want = without_clock(file_text("s"));
			child_result r = run_child(what, how + " -stats short -stats_file " + t.file);
			CHECK(count(r.out, "gpu_sim_cycle") == 0, "%s", r.out.c_str());
			CHECK(system(t.unpack) == 0, "%s %s", t.unpack, what);
			CHECK(count(want, "kernel_launch_uid = 2 \n") >= 1, "%s", want.c_str());
			CHECK(without_clock(file_text("plain")) == want, "%s %s", t.file, what);
			unlink("s");
			unlink(t.file);
		}
	}
}

int main(int argc, char **argv)
{
	if (argc > 1)
		child(argv[1]);
	static const char *const how[] = {" -threads 1", " -threads 3", " -core modern -threads 1", " -core modern -threads 3"};
	for (const char *h : how)
		ends(std::string(" -gpgpu_ptx_sim_mode 0 -visualizer_enabled 0 -gpgpu_kernel_launch_latency 100") + h);
	packed(" -gpgpu_ptx_sim_mode 0 -visualizer_enabled 0 -gpgpu_kernel_launch_latency 100");
	child_result r = run_child("work", "-stats brief");
	CHECK(r.exited(1) && count(r.err, "-stats: the statistics of a kernel are full, or short") == 1, "%x %s", r.status,
	      r.err.c_str());
	r = run_child("work", " -gpgpu_ptx_sim_mode 1 -stats short");
	// Without time there is nothing to leave out.
	CHECK(r.exited(0) && count(r.out, "kernel_launch_uid") == 2, "%s", r.out.c_str());
	return check_done();
}
