// -kernels and -kernel_limit: kernels that are left out are executed without time; results, counts and clocks are as they are with
// time. On both cores, by one and three threads, in streams side by side.
// skip: tsan hostile (one kernel at a time, and here one waits for another)
#include "child.h"

__global__ void fill(int *p, int seed)
{
	p[blockIdx.x * blockDim.x + threadIdx.x] = seed + threadIdx.x;
}

__global__ void add(int *p, const int *q)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	p[i] += q[i] * 3;
}

__global__ void wait_for(volatile int *flag, int *out)
{
	while (!*flag)
		;
	*out = *flag + 1;
}

__global__ void raise(volatile int *flag) { *flag = 41; }

__global__ void clocks(long long *out) { *out = clock64(); }

__global__ void never(volatile int *p)
{
	while (!p[0])
		;
}

enum { N = 8192 };

static int child(const std::string &what)
{
	int *p, *q;
	long long *t;
	cudaStream_t s[2];
	cudaMallocManaged(&p, N * sizeof *p);
	cudaMallocManaged(&q, N * sizeof *q);
	cudaMallocManaged(&t, 3 * sizeof *t);
	for (auto &x : s)
		cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking);
	if (what == "chain") {
		fill<<<N / 128, 128>>>(p, 1);
		fill<<<N / 128, 128>>>(q, 2);
		add<<<N / 128, 128>>>(p, q);
		add<<<N / 128, 128>>>(q, p);
		add<<<N / 128, 128>>>(p, q);
		CHECK(!cudaDeviceSynchronize(), "");
		for (int i = 0; i < N; i++) {
			int x = 1 + i % 128, y = 2 + i % 128;
			x += y * 3, y += x * 3, x += y * 3;
			CHECK(p[i] == x && q[i] == y, "%d: %d %d, not %d %d", i, p[i], q[i], x, y);
		}
	}
	if (what == "flag") { // one waits for the other, whichever has no time
		p[0] = p[1] = 0;
		wait_for<<<1, 32, 0, s[0]>>>(p, p + 1);
		raise<<<1, 1, 0, s[1]>>>(p);
		CHECK(!cudaDeviceSynchronize() && p[1] == 42, "%d", p[1]);
	}
	if (what == "clocks") {
		for (int i = 0; i < 3; i++) {
			clocks<<<1, 1>>>(t + i);
			fill<<<N / 128, 128>>>(q, 2);
		}
		CHECK(!cudaDeviceSynchronize() && t[0] < t[1] && t[1] < t[2], "%lld %lld %lld", t[0], t[1], t[2]);
	}
	if (what == "fault") {
		fill<<<1, 32>>>(p, 1);
		fill<<<1, 32>>>((int *)64, 1);
		CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress, "");
	}
	if (what == "endless") {
		fill<<<1, 32>>>(q, 1);
		p[0] = 0;
		never<<<1, 1, 0, s[0]>>>(p);
		fill<<<1, 32, 0, s[1]>>>(q, 1);
		cudaDeviceSynchronize();
	}
	return check_done();
}

// The figures of each timed kernel: its cycles.
static std::string cycles(const std::string &text)
{
	std::string out;
	for (size_t at = 0; (at = text.find("gpu_sim_cycle = ", at)) != std::string::npos; at += 5)
		out += text.substr(at + 16, text.find('\n', at) - at - 16) + " ";
	return out;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return child(argv[1]);
	static const struct {
		const char *what, *options, *ends;
		int timed, untimed, status;
	} all[] = {
	        {"chain", "", "complete", 5, 0, 0},
	        {"chain", "-kernels 1,3-4", "complete", 3, 2, 0},
	        {"chain", "-kernels *add*", "complete", 3, 2, 0},
	        {"chain", "-kernels none", "complete", 0, 5, 0},
	        {"flag", "-kernels 1", "complete", 1, 1, 0},
	        {"flag", "-kernels 2", "complete", 1, 1, 0},
	        {"flag", "-kernels 3", "complete", 0, 2, 0},
	        {"clocks", "-kernels *clocks*", "complete", 3, 3, 0},
	        {"clocks", "-kernels *fill*", "complete", 3, 3, 0},
	        {"clocks", "-kernels 9", "complete", 0, 6, 0},
	        {"fault", "-kernels 1", "fault", 1, 1, 0},
	        {"fault", "-kernels 2", "fault", 1, 1, 0},
	        {"chain", "-kernel_limit 3", "limit -kernel_limit", 3, 0, 1},
	        {"chain", "-kernel_limit 3 -kernels 2", "limit -kernel_limit", 1, 2, 1},
	        {"chain", "-kernel_limit 6", "complete", 5, 0, 0},
	        {"endless", "-kernel_limit 2", "limit -kernel_limit", 3, 0, 1},
	        {"endless", "-kernel_limit 2 -kernels 1", "limit -kernel_limit", 1, 2, 1},
	        {"endless", "-kernel_limit 2 -kernels 1,3", "limit -kernel_limit", 2, 1, 1},
	};
	for (const char *core : {" -core classic", " -core modern"}) {
		for (auto &t : all) {
			std::string one;
			for (const char *threads : {" -threads 1", " -threads 3"}) {
				std::string options = std::string(" -gpgpu_ptx_sim_mode 0 -visualizer_enabled 0 -gpgpu_kernel_launch_latency 100 ") +
				                      "-stats_file s " + t.options + core + threads;
				child_result r = run_child(t.what, options);
				std::string text = file_text("s");
				unlink("s");
				CHECK(r.exited(t.status), "%s%s: status %x\n%s%s", t.what, options.c_str(), r.status, r.out.c_str(), r.err.c_str());
				CHECK((int)count(text, "gpu_sim_cycle = ") == t.timed && (int)count(text, "heddle_untimed = ") == t.untimed,
				      "%s%s: %u kernels with time, %u without", t.what, options.c_str(), count(text, "gpu_sim_cycle = "),
				      count(text, "heddle_untimed = "));
				CHECK(ends_with(text, (std::string("heddle_run = ") + t.ends + "\n").c_str()), "%s%s", t.what, options.c_str());
				if (one.empty())
					one = cycles(text) + " ";
				CHECK(one == cycles(text) + " ", "%s%s: %s, not %s", t.what, options.c_str(), cycles(text).c_str(), one.c_str());
			}
		}
	}
	for (const char *wrong : {"-kernels 5-3", "-kernels a,,b", "-kernel_limit -1"}) {
		child_result r = run_child("chain", wrong);
		CHECK(r.exited(1) && count(r.err, std::string(wrong, strcspn(wrong, " ")).c_str()) >= 1, "%s: %x %s", wrong, r.status,
		      r.err.c_str());
	}
	child_result r = run_child("chain", "-gpgpu_ptx_sim_mode 1 -kernel_limit 2");
	CHECK(r.exited(1) && count(r.out, "kernel_launch_uid") == 2 && count(r.out, "heddle_run = limit -kernel_limit") == 1, "%x %s",
	      r.status, r.out.c_str());
	return check_done();
}
