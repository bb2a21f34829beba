// Counters of lines tell files apart: those of PTX, or of the source of machine code.
// files: parts/same_names_b.cu
// nvcc-flags: -lineinfo
// skip: timed (it asks for the timing model itself, and that mode turns line counters off)
// env: PTX_SIM_MODE_FUNC=0 GPGPUSIM_CONFIG=../../../../../configs/SM7_QV100/gpgpusim.config
// options: -ptx_line_stats_filename gpgpu_inst_stats.txt
#include "check.h"

#include <stdlib.h>
#include <string.h>

int other_file(int *d);

static __global__ void get(int *out) { *out = 10; }

// Lines of counters whose file has `part` in its name.
static int lines_of(const char *part)
{
	char line[300];
	int n = 0;
	FILE *f = fopen("gpgpu_inst_stats.txt", "r");
	while (f && fgets(line, sizeof line, f)) {
		char *end = strstr(line, " : ");
		if (!end)
			continue;
		*end = 0;
		n += strstr(line, part) != NULL;
	}
	if (f)
		fclose(f);
	return n;
}

int main()
{
	remove("gpgpu_inst_stats.txt"); // of an earlier run
	const char *options = getenv("HEDDLE_OPTIONS");
	bool machine_code = options && strstr(options, "-gpgpu_execute sass");
	const char *one = machine_code ? "line_counters.cu" : "embedded.compute_", *two = machine_code ? "same_names_b.cu" : "embedded.2.compute_";
	int *d = device_alloc<int>(1), a;
	get<<<1, 1>>>(d);
	LAUNCHED();
	to_host(&a, d, 1);
	CHECK(a == 10, "%d", a);
	CHECK(lines_of(one) > 0 || lines_of(two) > 0, "no lines");
	CHECK(lines_of(one) == 0 || lines_of(two) == 0, "lines of a file that did not run");
	CHECK(other_file(d) == 1002, "the other file");
	CHECK(lines_of(one) > 0, "no lines of %s", one);
	CHECK(lines_of(two) > 0, "no lines of %s", two);
	return check_done();
}
