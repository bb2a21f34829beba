// A kernel with an instruction that is not executed: a program that asks for its attributes and prints the error's text is told
// which instruction that is, once.
// needs: clang
#include "check.h"

#include <unistd.h>

__global__ void refused() { asm volatile("tcgen05.fence::before_thread_sync;"); }

int main()
{
	FILE *file = tmpfile();
	int err = dup(2);
	static char text[10000];
	dup2(fileno(file), 2);
	cudaFuncAttributes a;
	cudaError_t e = cudaFuncGetAttributes(&a, (const void *)refused);
	cudaGetErrorString(e);
	cudaGetErrorString(e);
	dup2(err, 2);
	rewind(file);
	text[fread(text, 1, sizeof text - 1, file)] = 0;
	EXPECT(cudaErrorInvalidPtx, e);
	const char *said = strstr(text, "tcgen05");
	CHECK(said, "'%s'", text);
	CHECK(said && !strstr(strchr(said, '\n'), "error:"), "%s", text);
	cudaGetLastError();
	return check_done();
}
