// The log of errors: what callbacks are told, what dumps hold, and where the iterator stands then.
// nvcc-flags: -lcuda
#include "check.h"

#include <cstring>
#include <string>

// Since CUDA 12.9, which not every compiler's headers are.
extern "C" {
typedef void (*log_function)(void *data, int level, char *message, size_t length);
int cuLogsRegisterCallback(log_function f, void *data, void **callback);
int cuLogsUnregisterCallback(void *callback);
int cuLogsCurrent(unsigned *iterator, unsigned flags);
int cuLogsDumpToFile(unsigned *iterator, const char *path, unsigned flags);
int cuLogsDumpToMemory(unsigned *iterator, char *buffer, size_t *size, unsigned flags);
}

enum { INVALID = 1, LARGE = 30000 };

static std::string heard;

static void hear(void *data, int level, char *message, size_t length)
{
	CHECK(level == 0 && strlen(message) == length);
	*(std::string *)data += std::string(message) + "\n";
	cudaGetDevice(0); // logged, and not heard
}

static std::string dump(unsigned *iterator)
{
	static char buffer[LARGE];
	size_t size = sizeof buffer;
	CHECK(!cuLogsDumpToMemory(iterator, buffer, &size, 0));
	CHECK(!buffer[size] && strlen(buffer) == size);
	return buffer;
}

__global__ void fault(int *p) { *p = 1; }

int main()
{
	void *p, *none, *callback;
	unsigned at = 99, again;
	char small[200];
	size_t size;
	CHECK(!cuLogsCurrent(&at, 0) && at == 0);
	CHECK(dump(0) == "");
	CHECK(!cuLogsRegisterCallback(hear, &heard, &callback));
	OK(cudaMalloc(&p, 64));
	EXPECT(cudaErrorMemoryAllocation, cudaMalloc(&none, (size_t)1 << 50));
	CHECK(heard == "[CUDA][E] cudaMalloc: out of memory (cudaErrorMemoryAllocation)\n", "%s", heard.c_str());
	heard = "";
	OK(cudaFree(p));
	EXPECT(cudaErrorInvalidValue, cudaFree(p)); // of which more is said
	CHECK(heard.find("[CUDA][E] cudaFree: ") == 0 && heard.find("is not the start of") != std::string::npos, "%s", heard.c_str());
	std::string all = dump(&at);
	CHECK(all.find("cudaMalloc: ") != std::string::npos && all.find("cudaFree: ") != std::string::npos, "%s", all.c_str());
	CHECK(all.find("cudaGetDevice: ") != std::string::npos);
	again = at;
	CHECK(dump(&at) == "" && at == again);
	CHECK(!cuLogsUnregisterCallback(callback));
	CHECK(cuLogsUnregisterCallback(callback) == INVALID);
	CHECK(dump(&at).find("cuLogsUnregisterCallback: ") != std::string::npos);
	again = at;
	heard = "";
	EXPECT(cudaErrorInvalidValue, cudaGetDeviceCount(0));
	CHECK(heard == "");
	CHECK(dump(&at) == "[CUDA][E] cudaGetDeviceCount: invalid argument (cudaErrorInvalidValue)\n");
	CHECK(at == again + 1);

	// A buffer that is too small has the newest, and says so; one that is smaller has none.
	EXPECT(cudaErrorInvalidValue, cudaGetDeviceCount(0));
	EXPECT(cudaErrorInvalidValue, cudaGetDevice(0));
	size = 150;
	CHECK(!cuLogsDumpToMemory(0, small, &size, 0) && size < 150);
	CHECK(!strncmp(small, "[CUDA][W] the buffer is too small", 33) && strstr(small, "cudaGetDevice: ") && !strstr(small, "Malloc"), "%s", small);
	size = 20;
	CHECK(cuLogsDumpToMemory(0, small, &size, 0) == INVALID && size == 0);
	size = sizeof small;
	again = at + 1000;
	CHECK(cuLogsDumpToMemory(&again, small, &size, 0) == INVALID);

	// The oldest go.
	for (int i = 0; i < 1000; i++)
		cudaGetDevice(0);
	all = dump(0);
	CHECK(all.size() > 20000 && all.size() <= 25700 && all.find("older messages are lost\n") < 60 && all.find("Malloc") == std::string::npos);
	remove("logs.txt");
	CHECK(!cuLogsDumpToFile(0, "logs.txt", 0));
	FILE *f = fopen("logs.txt", "r");
	CHECK(f != 0);
	std::string read(all.size() + 10, 0);
	if (f) {
		read.resize(fread(&read[0], 1, read.size(), f));
		fclose(f);
	}
	CHECK(read == all);
	CHECK(cuLogsDumpToFile(0, "/no/such/folder/logs.txt", 0) == INVALID);

	// What a kernel does wrong is there too.
	CHECK(!cuLogsCurrent(&at, 0));
	fault<<<1, 1>>>((int *)16);
	EXPECT(cudaErrorIllegalAddress, cudaDeviceSynchronize());
	all = dump(&at);
	CHECK(all.find("fault") != std::string::npos, "%s", all.c_str());
	return check_done();
}
