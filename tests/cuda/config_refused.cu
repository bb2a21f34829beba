// A configuration that makes no GPU ends the program at its first CUDA call: one message, what the program has printed, exit
// status 1, and no figures of an earlier run.
#include "child.h"

__global__ void work(int *p) { p[threadIdx.x] = 1; }

static void child(const std::string &what)
{
	int *d, n = 0;
	printf("own output");
	if (what == "none") // loading and registering ask for nothing
		exit(3);
	if (what == "count")
		cudaGetDeviceCount(&n);
	else
		cudaMalloc(&d, 4096);
	work<<<1, 32>>>(d);
	cudaDeviceSynchronize();
	printf("never reached\n");
	exit(0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *what, *options, *said;
	} all[] = {
		{"malloc", "-gpgpu_schedular lrr", "HEDDLE_OPTIONS:1:1: error: there is no option -gpgpu_schedular; did you mean -gpgpu_scheduler?"},
		{"count", "-gpgpu_n_clusters 0", "-gpgpu_n_clusters is from 1 to 4096"},
		{"malloc", "-gpgpu_ptx_sim_mode 0 -gpgpu_dram_partition_queues 64:64:0:64", "-gpgpu_dram_partition_queues"},
		{"malloc", "-stats_json nowhere/j", "option '-stats_json': cannot write nowhere/j: No such file or directory"},
		{"malloc", "-trace_enabled 1 -trace_components NONSENSE", "NONSENSE"},
		{"malloc", "-config nowhere", "cannot read nowhere: No such file or directory"},
	};
	if (argc > 1)
		child(argv[1]);
	for (auto &t : all) {
		put_file("old", "gpu_tot_sim_cycle = 1\n");
		child_result r = run_child(t.what, std::string(t.options) + " -stats_file old");
		CHECK(r.exited(1), "%s: status %x", t.options, r.status);
		CHECK(count(r.err, t.said) == 1 && count(r.err, "error: ") == 1, "%s: %s", t.options, r.err.c_str());
		CHECK(r.out == "own output", "%s: %s", t.options, r.out.c_str());
		CHECK(file_text("old").empty(), "%s leaves old figures", t.options);
	}
	child_result r = run_child("none", "-gpgpu_schedular lrr");
	CHECK(r.exited(3) && r.err.empty() && r.out == "own output", "%x %s", r.status, r.err.c_str());
	// Another name for a file is not followed, and what it names stays.
	put_file("target", "keep\n");
	unlink("link");
	CHECK(symlink("target", "link") == 0);
	r = run_child("malloc", "-stats_file link");
	CHECK(r.exited(1) && count(r.err, "cannot write link: it is a symbolic link") == 1, "%x %s", r.status, r.err.c_str());
	CHECK(file_text("target") == "keep\n");
	return check_done();
}
