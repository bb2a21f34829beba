// -sample: part of the launches and of the CTAs is timed, the rest is executed, and the cycles of the whole are estimated. Results are what they
// always are; the estimate is as near to the cycles of the whole run as it says. On both cores, by one and three threads.
// skip: tsan
#include "child.h"

__global__ void scale(float *p, const float *q, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	for (int k = 0; k < n; k++)
		p[i] += q[(i * 8 + k) & 65535] * 2;
}

__global__ void count(int *n, unsigned *sum)
{
	atomicAdd(n, 1);
	atomicAdd(sum, blockIdx.x);
}

__global__ void fail_at(int *p, int block)
{
	if (blockIdx.x == block)
		*(volatile int *)8 = 1;
	p[threadIdx.x] = block;
}

enum { BLOCKS = 1500, THREADS = 64 };

static int child(const std::string &what)
{
	float *p, *q;
	int *n;
	cudaMallocManaged(&p, BLOCKS * THREADS * sizeof *p);
	cudaMallocManaged(&q, 65536 * sizeof *q);
	cudaMallocManaged(&n, 64);
	for (int i = 0; i < 65536; i++)
		q[i] = i & 255;
	if (what == "long")
		scale<<<BLOCKS, THREADS>>>(p, q, 8);
	if (what == "many")
		for (int k = 0; k < 40; k++)
			scale<<<32, THREADS>>>(p, q, 8);
	if (what == "both") {
		for (int k = 0; k < 12; k++)
			scale<<<32, THREADS>>>(p, q, 4);
		scale<<<BLOCKS, THREADS>>>(p, q, 4);
	}
	if (what == "streams") { // one is executed, behind the part that was timed, while the others are timed
		cudaStream_t stream[3];
		for (int k = 0; k < 3; k++) {
			cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking);
			scale<<<BLOCKS / 3 * (3 - k), THREADS, 0, stream[k]>>>(p, q, k ? 0 : 8);
			count<<<BLOCKS, 1, 0, stream[k]>>>(n + 2 * k, (unsigned *)n + 2 * k + 1);
		}
	}
	if (what == "count")
		count<<<BLOCKS, 1>>>(n, (unsigned *)n + 1);
	if (what == "fault")
		fail_at<<<BLOCKS, 32>>>(n, BLOCKS - 1);
	cudaError_t e = cudaDeviceSynchronize();
	if (what == "fault") {
		CHECK(e == cudaErrorIllegalAddress, "%d", e);
		return check_done();
	}
	CHECK(!e, "%d", e);
	if (what == "count")
		CHECK(n[0] == BLOCKS && n[1] == BLOCKS * (BLOCKS - 1) / 2, "%d %d", n[0], n[1]);
	for (int k = 0; what == "streams" && k < 3; k++)
		CHECK(n[2 * k] == BLOCKS && n[2 * k + 1] == BLOCKS * (BLOCKS - 1) / 2, "%d: %d %d", k, n[2 * k], n[2 * k + 1]);
	double sum = 0;
	for (int i = 0; i < BLOCKS * THREADS; i++)
		sum += p[i];
	printf("SUM %.1f\n", sum);
	return check_done();
}

static double figure(const std::string &text, const char *name)
{
	size_t at = text.rfind(std::string(name) + " = ");
	return at == std::string::npos ? -1 : atof(text.c_str() + at + strlen(name) + 3);
}

// Without what tells of the clock on the wall.
static std::string told(const std::string &text)
{
	std::string out;
	for (size_t at = 0, end; at < text.size(); at = end) {
		end = text.find('\n', at);
		end = end == std::string::npos ? text.size() : end + 1;
		std::string line = text.substr(at, end - at);
		if (line.find("heddle_options") && line.find("gpgpu_sim") && line.find("gpu_total_sim_rate") && line.find("gpgpu_silicon"))
			out += line;
	}
	return out;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return child(argv[1]);
	static const struct {
		const char *what;
		int launches, timed, in_part; // timed: at most
		double part;                  // of the cycles is simulated, at most
	} all[] = {{"long", 1, 1, 1, 0.7}, {"many", 40, 8, 0, 0.25}, {"both", 13, 8, 1, 0.8}, {"count", 1, 1, 1, 0.9}};
	for (const char *core : {" -core classic", " -core modern"}) {
		const std::string how = std::string(" -gpgpu_ptx_sim_mode 0 -visualizer_enabled 0 -gpgpu_kernel_launch_latency 100 "
		                                    "-gpgpu_n_clusters 2 -stats_file s") + core;
		for (auto &t : all) {
			child_result whole = run_child(t.what, how);
			const double cycles = figure(file_text("s"), "gpu_tot_sim_cycle");
			std::string one;
			for (const char *threads : {" -threads 1", " -threads 3", " -threads 1 -tick_every_cycle 1"}) {
				child_result r = run_child(t.what, how + threads + " -sample 10");
				const std::string text = file_text("s");
				const double estimate = figure(text, "heddle_estimate_cycles"), error = figure(text, "heddle_estimate_error");
				CHECK(r.exited(0) && r.out == whole.out, "%s%s%s: %x %s", t.what, core, threads, r.status, r.err.c_str());
				CHECK(figure(text, "heddle_estimate_launches") == t.launches, "%s%s", t.what, core);
				CHECK(figure(text, "heddle_estimate_launches_timed") <= t.timed, "%s%s: %g timed", t.what, core,
				      figure(text, "heddle_estimate_launches_timed"));
				CHECK(figure(text, "heddle_estimate_launches_timed_in_part") == t.in_part, "%s%s: %g in part", t.what, core,
				      figure(text, "heddle_estimate_launches_timed_in_part"));
				CHECK(figure(text, "heddle_estimate_cycles_timed") <= cycles * t.part, "%s%s: %g of %g", t.what, core,
				      figure(text, "heddle_estimate_cycles_timed"), cycles);
				CHECK(error > 0 && error < cycles * 0.11, "%s%s: %g", t.what, core, error);
				CHECK(estimate > cycles * 0.9 && estimate < cycles * 1.1, "%s%s: %g +- %g, not %g", t.what, core, estimate, error, cycles);
				if (one.empty())
					one = told(text);
				CHECK(told(text) == one, "%s%s%s", t.what, core, threads);
			}
		}
		for (const char *threads : {" -threads 1", " -threads 3"}) {
			child_result r = run_child("streams", how + threads + " -sample 10");
			CHECK(r.exited(0), "streams%s%s: %x %s%s", core, threads, r.status, r.out.c_str(), r.err.c_str());
			CHECK(figure(file_text("s"), "heddle_estimate_launches") == 6, "streams%s%s", core, threads);
		}
		// A fault in a CTA that is not timed is one of the kernel.
		child_result r = run_child("fault", how + " -sample 10");
		CHECK(r.exited(0) && count(r.err, "illegal address") == 1, "%x %s", r.status, r.err.c_str());
		CHECK(ends_with(file_text("s"), "heddle_run = fault\n"), "%s", core);
	}
	unlink("s");
	return check_done();
}
