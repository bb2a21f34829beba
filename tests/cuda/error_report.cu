// What is said of warps that wait for each other: of each a line, with the kernel's name shortened where it is long; and how
// many there are beyond those that the report has room for.
// options: -gpgpu_ptx_sim_mode 1
#include "fatal.h"

#include <string>
#include <unistd.h>

enum { WARPS = 24 };

struct a_type_whose_name_is_long_so_that_names_of_functions_become_longer_by_every_use_of_it_as_they_do_where_templates_have_many_of_them {};

template <class T> __global__ void stuck()
{
	const unsigned warp = threadIdx.x / 32;
	if (warp % 2)
		asm volatile("bar.sync 1, %0;" :: "r"(WARPS * 32) : "memory");
	else
		asm volatile("bar.sync 2, %0;" :: "r"(WARPS * 32) : "memory");
}

int main()
{
	FILE *file = tmpfile();
	int err = dup(2);
	static char text[100000];
	dup2(fileno(file), 2);
	stuck<a_type_whose_name_is_long_so_that_names_of_functions_become_longer_by_every_use_of_it_as_they_do_where_templates_have_many_of_them>
		<<<1, WARPS * 32>>>();
	cudaError_t e = cudaDeviceSynchronize();
	dup2(err, 2);
	rewind(file);
	text[fread(text, 1, sizeof text - 1, file)] = 0;
	EXPECT(cudaErrorLaunchTimeout, e);
	unsigned lines = 0, more = 0;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned warp, at;
		int end = 0;
		char who[40];
		snprintf(who, sizeof who, "warp %u: waits at barrier %u", lines, 2 - lines % 2);
		if (sscanf(line, "  block (0,0,0) warp %u: waits at barrier %u (%n", &warp, &at, &end) == 2 && end) {
			CHECK(strstr(line, who), "%s: %s", who, line);
			// The whole line is there: the instruction stands at its end.
			CHECK(strstr(line, "bar.sync") || strstr(line, "BAR.SYNC") || strstr(line, "barrier.sync"), "%s", line);
			CHECK(strstr(line, "..."), "%s", line);
			lines++;
		}
		if (sscanf(line, "  and %u more warps", &more) == 1)
			CHECK(lines && more, "%u lines, %u more", lines, more);
	}
	CHECK(lines + more == WARPS && lines > 8 && more, "%u lines, %u more", lines, more);
	return check_done();
}
