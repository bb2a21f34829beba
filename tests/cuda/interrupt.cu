// SIGINT and SIGTERM end the program, but first the statistics of what has finished and of what runs are written, with what the
// program and its kernels have printed. A program that handles the signal itself does so.
// skip: tsan
#include "check.h"
#include <csignal>
#include <pthread.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void quick(int *p)
{
	p[threadIdx.x] = 1;
	if (!threadIdx.x)
		printf("from the device\n");
}

__global__ void endless(volatile int *p)
{
	p[1] = 1; // the host sees it
	while (!p[0])
		;
}

// Blocks of the heap of which there are many are slow to give back.
__global__ void heap(volatile int *p)
{
	void *mine[512];
	for (int turn = 0;; turn++) {
		for (int i = 0; i < 512; i++)
			mine[i] = malloc(16);
		p[1] = turn + 1;
		for (int i = 0; i < 512; i++)
			free(mine[(i * 37 + turn) & 511]);
	}
}

static volatile sig_atomic_t handled;
static void handler(int) { handled = 1; }

static void CUDART_CB wait_for_ever(void *)
{
	kill(getpid(), SIGTERM); // this thread takes no signals
	sleep(60);
}

struct killer {
	const volatile int *begun;
	int sig;
};

static void *kill_when_begun(void *arg)
{
	const killer *k = (const killer *)arg;
	while (!*k->begun)
		usleep(1000);
	timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	dprintf(1, "\nsignal at %.6f\n", (double)t.tv_sec + (double)t.tv_nsec * 1e-9);
	kill(getpid(), k->sig);
	return 0;
}

// what: functional or timed, then what the program does when the signal comes.
static void child(const char *what)
{
	int *d, *h;
	pthread_t t;
	setenv("HEDDLE_OPTIONS", "-gpgpu_kernel_launch_latency 1000 -visualizer_enabled 0", 1);
	setenv("PTX_SIM_MODE_FUNC", what[0] == 'f' ? "1" : "0", 1);
	if (what[1] == 'h')
		signal(SIGINT, handler);
	OK(cudaMalloc(&d, 4096));
	OK(cudaHostAlloc((void **)&h, 4096, 0));
	memset(h, 0, 4096);
	printf("own output");
	quick<<<1, 64>>>(d);
	quick<<<1, 64>>>(d);
	killer k = {h + 1, what[1] == 't' ? SIGTERM : SIGINT};
	switch (what[1]) {
	case 'i': // waits for a kernel
	case 't':
	case 'r':
		pthread_create(&t, 0, kill_when_begun, &k);
		endless<<<2, 32>>>(h);
		if (what[1] == 'r')
			exit(7);
		break;
	case 'm': // waits for a kernel that works on the heap
		pthread_create(&t, 0, kill_when_begun, &k);
		heap<<<4, 256>>>(h);
		break;
	case 'c': // waits for a callback
		OK(cudaLaunchHostFunc(0, wait_for_ever, 0));
		break;
	case 'o': // computes itself
		OK(cudaDeviceSynchronize());
		raise(SIGINT);
		break;
	case 'h': // handles it
		OK(cudaDeviceSynchronize());
		raise(SIGINT);
		printf("\nhandled %d\n", (int)handled);
		exit(3);
	}
	cudaDeviceSynchronize();
	printf("never reached\n");
	exit(7);
}

// Its output; *seconds of a processor are those it took.
static std::string run(const char *what, int *status, double *seconds)
{
	rusage use;
	int io[2];
	std::string text;
	char buffer[4096];
	CHECK(pipe(io) == 0);
	pid_t pid = fork();
	if (!pid) {
		dup2(io[1], 1);
		dup2(io[1], 2);
		close(io[0]);
		close(io[1]);
		execl("/proc/self/exe", "interrupt", what, (char *)0);
		_exit(9);
	}
	close(io[1]);
	for (ssize_t n; (n = read(io[0], buffer, sizeof buffer)) > 0;)
		text.append(buffer, n);
	close(io[0]);
	wait4(pid, status, 0, &use);
	*seconds = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
	return text;
}

static unsigned count(const std::string &text, const char *what)
{
	unsigned n = 0;
	for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at++)
		n++;
	return n;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *what;
		int sig;
		unsigned kernels; // with statistics
	} all[] = {{"fi", SIGINT, 3}, {"ft", SIGTERM, 3}, {"fc", SIGTERM, 2}, {"fo", SIGINT, 2}, {"fr", SIGINT, 3}, {"fh", 0, 2},
	           {"fm", SIGINT, 3}, {"tm", SIGINT, 3}, {"ti", SIGINT, 3}, {"tt", SIGTERM, 3}, {"tc", SIGTERM, 2}, {"to", SIGINT, 2},
	           {"tr", SIGINT, 3}, {"th", 0, 2}};
	if (argc > 1)
		child(argv[1]);
	for (auto &t : all) {
		int status = -1;
		double seconds;
		std::string text = run(t.what, &status, &seconds);
		if (t.sig)
			CHECK(WIFSIGNALED(status) && WTERMSIG(status) == t.sig, "%s: status %x", t.what, status);
		else
			CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3 && count(text, "handled 1") == 1, "%s: status %x", t.what, status);
		unsigned n = count(text, t.what[0] == 'f' ? "Done functional simulation (" : "kernel_launch_uid =");
		CHECK(n == t.kernels, "%s: statistics of %u kernels", t.what, n);
		CHECK(count(text, "own output") == 1 && count(text, "from the device") == 2, "%s", t.what);
		CHECK(!count(text, "never reached"));
		// From the signal to the end: a second, a tenth of one with the timing model; processor time, whatever else runs.
		size_t at = text.find("signal at ");
		double most = (t.what[0] == 'f' ? 1 : 0.1) * (strstr(getenv("HEDDLE_LIB"), "/build/") ? 10 : 1);
		if (at != std::string::npos)
			CHECK(seconds - atof(text.c_str() + at + 10) < most, "%s: %f seconds", t.what, seconds - atof(text.c_str() + at + 10));
		CHECK(count(text, "statistics of what was under way end at cycle") == t.kernels - 2, "%s", t.what);
	}
	return check_done();
}
