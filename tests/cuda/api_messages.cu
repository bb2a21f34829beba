// Messages name the function that the program's author wrote, whatever the compiler's header or the release makes of it.
// flags: -ldl
#include "check.h"
#include <dlfcn.h>
#include <string>
#include <unistd.h>

static char nothing; // no kernel's address

// What f writes to standard error.
template <class F> static std::string said(F f)
{
	FILE *file = tmpfile();
	int err = dup(2);
	char text[4096];
	dup2(fileno(file), 2);
	f();
	dup2(err, 2);
	close(err);
	rewind(file);
	text[fread(text, 1, sizeof text - 1, file)] = 0;
	fclose(file);
	return text;
}

static void expect(const std::string &got, const char *function)
{
	std::string want = std::string("heddle: ") + function + ": ";
	CHECK(got.compare(0, want.size(), want) == 0, "not '%s' but: %s", want.c_str(), got.c_str());
}

int main()
{
	typedef cudaError_t (*launch)(const void *, dim3, dim3, void **, size_t, cudaStream_t);
	typedef cudaError_t (*about)(void *, const void *);
	OK(cudaFree(0));
	for (const char *name : {"cudaLaunchKernel", "__cudaLaunchKernel", "cudaLaunchKernel_ptsz", "__cudaLaunchKernel_ptsz"}) {
		launch f = (launch)dlsym(RTLD_DEFAULT, name);
		CHECK(f, "%s", name);
		expect(said([&] { EXPECT(cudaErrorInvalidDeviceFunction, f(&nothing, dim3(1), dim3(1), 0, 0, 0)); }), "cudaLaunchKernel");
	}
	for (const char *release : {"libcudart.so.9.2", "libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"}) {
		cudaFuncAttributes a[4];
		about f = (about)dlvsym(RTLD_DEFAULT, "cudaFuncGetAttributes", release);
		CHECK(f, "%s", release);
		expect(said([&] { EXPECT(cudaErrorInvalidDeviceFunction, f(a, &nothing)); }), "cudaFuncGetAttributes");
	}
	typedef cudaError_t (*any)(void *, void *, void *);
	any f = (any)dlsym(RTLD_DEFAULT, "cudaEGLStreamConsumerConnect"); // not implemented
	std::string text = said([&] { EXPECT(cudaErrorNotSupported, f(0, 0, 0)); });
	CHECK(text.compare(0, 56, "heddle: cudaEGLStreamConsumerConnect is not implemented;") == 0, "%s", text.c_str());
	cudaGetLastError();
	return check_done();
}
