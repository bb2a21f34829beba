#include "cuda-sim/ptx/doc.h"
#include "tools/tools.h"

#include <stdio.h>

int cmd_ops(int argc, char **argv)
{
	if (argc > 1) {
		fprintf(stderr, "heddle ops takes no arguments\n");
		return 2;
	}
	ptx_doc_print(stdout);
	return ferror(stdout) != 0;
}
