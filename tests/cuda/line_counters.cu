// Counters of PTX lines tell source files apart.
// files: parts/same_names_b.cu
// skip: sass timed (it counts lines of PTX; it asks for the timing model itself, and that mode turns line counters off)
// env: PTX_SIM_MODE_FUNC=0 GPGPUSIM_CONFIG=../../../../../configs/SM7_QV100/gpgpusim.config
// options: -ptx_line_stats_filename gpgpu_inst_stats.txt
#include "check.h"

#include <string.h>

int other_file(int *d);

static __global__ void get(int *out) { *out = 10; }

static int lines_of(const char *file)
{
	char line[300];
	int n = 0;
	FILE *f = fopen("gpgpu_inst_stats.txt", "r");
	while (f && fgets(line, sizeof line, f))
		n += !strncmp(line, file, strlen(file));
	if (f)
		fclose(f);
	return n;
}

int main()
{
	remove("gpgpu_inst_stats.txt"); // of an earlier run
	int *d = device_alloc<int>(1), a;
	get<<<1, 1>>>(d);
	LAUNCHED();
	to_host(&a, d, 1);
	CHECK(a == 10, "%d", a);
	CHECK(lines_of("embedded.") > 0, "no lines");
	CHECK(lines_of("embedded.compute_") == 0 || lines_of("embedded.2.compute_") == 0, "lines of a file that did not run");
	CHECK(other_file(d) == 1002, "the other file");
	CHECK(lines_of("embedded.compute_") > 0, "no lines of the first file");
	CHECK(lines_of("embedded.2.compute_") > 0, "no lines of the second file");
	return check_done();
}
