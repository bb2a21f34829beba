// Profilers: every function of CUPTI says that it is not initialised, whoever calls it and however, as NVIDIA's library would call itself
// without end. A library of that name stands for it here.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include "check.h"

static const char *const files[][2] = {
        {"libcupti.c", "int cuptiSubscribe(void) { return 0; }\nint cuptiGetVersion(unsigned *v) { return *v = 99; }\n"
                       "int cuptiGetResultString(int r, const char **s) { return 99; }\nint other(void) { return 7; }\n"},
        {"user.c", "int cuptiSubscribe(void); int other(void);\nint use(void) { return 100 * cuptiSubscribe() + other(); }\n"},
};

int main()
{
	if (!getenv("LD_AUDIT")) // not under heddle run
		return check_done();
	char folder[] = "/tmp/heddle-cupti-XXXXXX";
	CHECK(mkdtemp(folder));
	std::string in = folder;
	for (auto &f : files) {
		FILE *out = fopen((in + "/" + f[0]).c_str(), "w");
		CHECK(out && fputs(f[1], out) >= 0 && !fclose(out));
	}
	std::string build = "cd " + in + " && cc -w -shared -fPIC -Wl,-soname,libcupti.so.13 -o libcupti.so.13 libcupti.c && "
	                                 "cc -w -shared -fPIC -Wl,-rpath," + in + " -o libuser.so user.c libcupti.so.13";
	CHECK(!system(("LD_AUDIT= LD_PRELOAD= sh -c '" + build + "'").c_str()));
	void *user = dlopen((in + "/libuser.so").c_str(), RTLD_NOW);
	void *cupti = dlopen((in + "/libcupti.so.13").c_str(), RTLD_NOW);
	CHECK(user && cupti, "%s", dlerror());
	auto use = (int (*)())dlsym(user, "use");
	auto subscribe = (int (*)())dlsym(cupti, "cuptiSubscribe");
	auto version = (int (*)(uint32_t *))dlsym(cupti, "cuptiGetVersion");
	auto text = (int (*)(int, const char **))dlsym(cupti, "cuptiGetResultString");
	uint32_t v = 0;
	const char *s = NULL;
	CHECK(use && use() == 1507, "%d", use());
	CHECK(subscribe && subscribe() == 15);
	CHECK(version && version(&v) == 0 && v >= 100000, "%u", v);
	CHECK(text && text(15, &s) == 0 && s && std::string(s) == "CUPTI_ERROR_NOT_INITIALIZED");
	CHECK(!system(("rm -r " + in).c_str()));
	return check_done();
}
