#include "gpgpu-sim/stats/stats.h"
#include "tools/tools.h"

#include <stdio.h>

int cmd_stats(int argc, char **argv)
{
	if (argc > 1) {
		fprintf(stderr, "heddle stats takes no arguments\n");
		return 2;
	}
	stats_doc_print(stdout);
	return ferror(stdout) != 0;
}
