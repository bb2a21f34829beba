// The last line of the statistics tells how a run ended, in the text and in JSON; limits hold in functional mode too. What
// cannot be written is an error on stderr and in the exit status.
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
		if (threadIdx.x == 0 && blockIdx.x == 0)
			p[1] = 1;
}

static void *interrupt(void *begun)
{
	while (!*(volatile int *)begun)
		usleep(1000);
	kill(getpid(), SIGINT);
	return 0;
}

static void child(const std::string &what)
{
	int *d;
	cudaMallocManaged(&d, 1 << 20);
	memset(d, 0, 1 << 20);
	mkdir("away", 0700);
	if (chdir("away")) // files lie where the first call was made
		exit(98);
	if (what == "nothing")
		exit(0);
	work<<<8, 64>>>(d, 5);
	cudaDeviceSynchronize();
	if (what == "killed")
		kill(getpid(), SIGKILL);
	if (what == "long")
		work<<<64, 64>>>(d, 1000000);
	if (what == "fault")
		fail<<<1, 1>>>(d);
	if (what == "interrupted") {
		pthread_t t;
		memset(d, 0, 1 << 12);
		pthread_create(&t, 0, interrupt, d + 1);
		endless<<<2, 32>>>(d);
	}
	cudaDeviceSynchronize();
	cudaDeviceReset(); // forgets the fault, not that there was one
	printf("own end\n");
	exit(what == "long" ? 9 : 0);
}

static unsigned long long figure(const std::string &text, const char *name)
{
	size_t at = text.rfind(std::string("\n") + name + " = ");
	return at == std::string::npos ? 0 : strtoull(text.c_str() + at + strlen(name) + 4, 0, 10);
}

// Of both modes: how the run ends, and what its last lines say.
static void ends(const std::string &mode)
{
	static const struct {
		const char *what, *last;
		int status, sig;
	} all[] = {{"work", "heddle_run = complete\n", 0, 0}, {"fault", "heddle_run = fault\n", 0, 0},
	           {"interrupted", "heddle_run = interrupted SIGINT\n", 0, SIGINT}, {"killed", NULL, 0, SIGKILL},
	           {"nothing", "heddle_run = complete\n", 0, 0}};
	for (auto &t : all) {
		unlink("s");
		unlink("j");
		child_result r = run_child(t.what, mode + " -stats_file s -stats_json j");
		std::string text = file_text("s"), json = file_text("j");
		CHECK(t.sig ? r.killed(t.sig) : r.exited(t.status), "%s%s: status %x %s", t.what, mode.c_str(), r.status, r.err.c_str());
		CHECK(count(text, "heddle_run") == (t.last != NULL) && (!t.last || ends_with(text, t.last)), "%s%s: %.300s", t.what, mode.c_str(),
		      text.c_str());
		bool kernels = strcmp(t.what, "nothing");
		CHECK(count(text, "heddle_options = ") == kernels && count(text, "heddle_version = 0.1\n") == kernels);
		CHECK(ends_with(json, "]\n") && count(json, "\"heddle_run\":\"") == (t.last && kernels), "%s", json.c_str());
		if (t.last && kernels) {
			std::string how(t.last + strlen("heddle_run = "));
			CHECK(count(json, ("\"heddle_run\":\"" + how.substr(0, how.size() - 1) + "\"}\n]\n").c_str()) == 1, "%s", json.c_str());
		}
	}
	// Without a file of its own a run without kernels says nothing.
	child_result r = run_child("nothing", mode);
	CHECK(r.exited(0) && r.out.empty(), "%s", r.out.c_str());
}

static void functional_limits()
{
	static const struct {
		const char *option, *figure;
		unsigned long long at, slack; // slack: what the last step may do beyond it
	} all[] = {{"-gpgpu_max_cycle", "gpgpu_n_tot_w_icount", 100000, 0}, {"-gpgpu_max_insn", "gpu_tot_sim_insn", 3000000, 31},
	           {"-gpgpu_max_cta", "gpu_tot_issued_cta", 9, 0}, {"-gpgpu_max_completed_cta", "gpu_tot_issued_cta", 9, 63}};
	for (auto &t : all) {
		char options[200], last[100];
		snprintf(options, sizeof options, "-gpgpu_ptx_sim_mode 1 -stats_file s %s %llu", t.option, t.at);
		snprintf(last, sizeof last, "heddle_run = limit %s\n", t.option);
		child_result r = run_child("long", options);
		std::string text = file_text("s");
		unsigned long long n = figure(text, t.figure);
		CHECK(r.exited(1) && count(r.out, "own end") == 0, "%s: status %x", t.option, r.status);
		CHECK(count(r.err, t.option) == 1 && count(r.err, "is reached; the program ends here") == 1, "%s", r.err.c_str());
		CHECK(n >= t.at && n <= t.at + t.slack, "%s: %s is %llu", t.option, t.figure, n);
		CHECK(ends_with(text, last) && figure(text, "kernel_launch_uid") == 2, "%s", text.c_str());
		// A limit that is not reached changes nothing.
		snprintf(options, sizeof options, "-gpgpu_ptx_sim_mode 1 -stats_file s %s 1000000000", t.option);
		r = run_child("work", options);
		CHECK(r.exited(0) && ends_with(file_text("s"), "heddle_run = complete\n"), "%s: status %x", t.option, r.status);
	}
}

static void what_is_lost_is_said()
{
	child_result r = run_child("work", "-stats_file /dev/full");
	CHECK(r.exited(1) && count(r.err, "cannot write -stats_file /dev/full: No space left on device") == 1 && count(r.err, "error") == 1,
	      "%x %s", r.status, r.err.c_str());
	CHECK(r.out == "own end\n");
	r = run_child("work", "-stats_json /dev/full -stats_file /dev/null");
	CHECK(r.exited(1) && count(r.err, "-stats_json /dev/full: No space left on device") == 1, "%x %s", r.status, r.err.c_str());
	r = run_child("work", "", "/dev/full");
	CHECK(r.exited(1) && count(r.err, "cannot write standard output: No space left on device") == 1, "%x %s", r.status, r.err.c_str());
	r = run_child("work", "-trace_enabled 1 -trace_components STREAM -trace_file /dev/full -stats_file /dev/null");
	CHECK(r.exited(1) && count(r.err, "debug streams could not be written to /dev/full") == 1, "%x %s", r.status, r.err.c_str());
	r = run_child("work", "-stats_file /dev/null");
	CHECK(r.exited(0) && r.err.empty() && r.out == "own end\n", "%x %s", r.status, r.err.c_str());
	r = run_child("work", "-stats_file /dev/stdout");
	CHECK(r.exited(0) && count(r.out, "heddle_run = complete\n") == 1 && count(r.out, "own end\n") == 1, "%x %s", r.status, r.out.c_str());
	// A reader that goes away while the second kernel runs.
	unlink("fifo");
	CHECK(mkfifo("fifo", 0600) == 0);
	pid_t reader = fork();
	if (!reader) {
		close(open("fifo", O_RDONLY));
		_exit(0);
	}
	r = run_child("long", "-gpgpu_ptx_sim_mode 1 -gpgpu_max_insn 100000000 -stats_file fifo");
	int status;
	waitpid(reader, &status, 0);
	CHECK(r.exited(1) && count(r.err, "/fifo: Broken pipe") == 1, "%x %s", r.status, r.err.c_str());
}

int main(int argc, char **argv)
{
	if (argc > 1)
		child(argv[1]);
	ends(" -gpgpu_ptx_sim_mode 1");
	ends(" -gpgpu_ptx_sim_mode 0 -visualizer_enabled 0 -gpgpu_kernel_launch_latency 100");
	functional_limits();
	what_is_lost_is_said();
	return check_done();
}
