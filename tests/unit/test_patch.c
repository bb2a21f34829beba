// Redirection of static runtimes, and the library's version nodes, on small programs built here with cc: a made-up
// static runtime whose calls return 35, a library that redirects them, and programs that print where their calls went.
#include "tests/shell.h"

// The library in front: exports some of the API and redirects to it.
static const char library[] =
        "#include \"libcuda/image/patch.h\"\n"
        "#include <stdio.h>\n"
        "#define API __attribute__((visibility(\"default\")))\n"
        "API void *__cudaRegisterFatBinary(void *w) { puts(\"registered\"); return w; }\n"
        "API int cudaMalloc(void **p, long n) { *p = 0; return 100; }\n"
        "API int cudaLaunchKernel(void) { return 102; }\n"
        "API int __cudaLaunchKernel(void) { return 103; }\n"
        "API int properties13(void) { return 113; }\n"
        "API int properties12(void) { return 112; }\n"
        "API int properties11(void) { return 111; }\n"
        "#define VERSION(f, node) __asm__(\".symver \" #f \",cudaGetDeviceProperties\" node)\n"
        "VERSION(properties11, \"@libcudart.so.9.0\"); VERSION(properties11, \"@libcudart.so.10.2\");\n"
        "VERSION(properties11, \"@libcudart.so.11.0\"); VERSION(properties12, \"@libcudart.so.12\");\n"
        "VERSION(properties13, \"@@libcudart.so.13\");\n"
        "API int release(void) { return patch_static_release(); }\n"
        "__attribute__((constructor)) static void start(void) { patch_static_runtime(); }\n";

// A unit with device code: its section, its registration and a call before main.
static const char runtime[] =
        "#define HIDDEN __attribute__((visibility(\"hidden\"), noinline))\n"
        "#ifndef NO_CODE\n"
        "__attribute__((section(\".nv_fatbin\"), used)) static const int code[4] = {1};\n"
        "#endif\n"
        "#define LONG __asm__ volatile(\"nop; nop; nop; nop; nop; nop; nop; nop\")\n"
        "HIDDEN void *__cudaRegisterFatBinary(void *w) { LONG; return w; }\n"
        "HIDDEN int cudaMalloc(void **p, long n) { LONG; return 35; }\n"
        "HIDDEN int cudaFree(void *p) { LONG; return 35; }\n" // not in the library
        "HIDDEN int cudaGetDeviceProperties(void *p, int d) { LONG; return 35; }\n"
        "HIDDEN int cudaLaunchKernel(void) { LONG; return 35; }\n"
        "#if RELEASE == 12\n"
        "HIDDEN int cudaGetDeviceProperties_v2(void *p, int d) { LONG; return 35; }\n"
        "#endif\n"
        "#if RELEASE >= 12\n"
        "__asm__(\".p2align 4\\n.hidden __cudaLaunchKernel\\n.globl __cudaLaunchKernel\\n\"\n"
        "        \".type __cudaLaunchKernel,@function\\n__cudaLaunchKernel: jmp cudaLaunchKernel\\n\"\n"
        "        \".size __cudaLaunchKernel,.-__cudaLaunchKernel\\n.p2align 4\\n\");\n"
        "int __cudaLaunchKernel(void);\n"
        "#else\n"
        "#define __cudaLaunchKernel cudaLaunchKernel\n"
        "#endif\n"
        "static int early;\n"
        "__attribute__((constructor)) static void start(void)\n"
        "{ void *p; __cudaRegisterFatBinary(&early); early = cudaMalloc(&p, 1); }\n"
        "int printf(const char *, ...);\n"
        "void unit(void)\n"
        "{ void *p; printf(\"early %d malloc %d free %d launch %d properties %d\\n\", early, cudaMalloc(&p, 1),\n"
        "         cudaFree(p), __cudaLaunchKernel(), cudaGetDeviceProperties(p, 0)); }\n";

static const char call_unit[] = "void unit(void); int release(void) __attribute__((weak)); int printf(const char *, "
                                "...);\n"
                                "int main(void) { unit(); printf(\"release %d\\n\", release ? release() : -1); }\n";

// Opens the unit twice from another folder, found by its own run path.
static const char open_unit[] =
        "#include <dlfcn.h>\n#include <stdio.h>\n#include <unistd.h>\n"
        "int main(void) { if (chdir(\"/\")) return 1; for (int i = 0; i < 2; i++) {\n"
        "  void *h = dlopen(\"libunit.so\", RTLD_NOW); if (!h) { puts(dlerror()); return 1; }\n"
        "  void (*unit)(void) = (void (*)(void))dlsym(h, \"unit\"); unit(); dlclose(h); } }\n";

// Programs built for the shared runtime of a release.
static const char shared_runtime[] = "int cudaMalloc(void **p, long n) { return 35; }\n"
                                     "int cudaGetDeviceProperties(void *p, int d) { return 35; }\n";
static const char call_shared[] =
        "int cudaMalloc(void **, long); int cudaGetDeviceProperties(void *, int); int printf(const char *, ...);\n"
        "int main(void) { void *p; printf(\"malloc %d properties %d\\n\", cudaMalloc(&p, 1), "
        "cudaGetDeviceProperties(p, 0)); }\n";

// A library in front of the runtime, which forwards to it: its functions are seen from outside.
static const char tracer[] =
        "void *__cudaRegisterFatBinary(void *w) { return w; }\n"
        "int cudaMalloc(void **p, long n) { __asm__ volatile(\"nop; nop; nop; nop; nop; nop; nop\"); return 7; }\n";

static void build(void)
{
	shell_enter();
	write_file("library.c", library);
	write_file("runtime.c", runtime);
	write_file("call.c", call_unit);
	write_file("open.c", open_unit);
	write_file("shared.c", shared_runtime);
	write_file("callshared.c", call_shared);
	write_file("tracer.c", tracer);
	ck_assert(shell("cc -w -fPIC -fvisibility=hidden -D_GNU_SOURCE -I'%s' -shared -o libcudasim.so library.c "
	                "'%s'/libcuda/image/patch.c '%s'/libcuda/image/closed.c '%s'/libcuda/image/elf64.c '%s'/base/map.c '%s'/base/mem.c "
	                "-Wl,-soname,libcudasim.so -Wl,-z,initfirst -Wl,--version-script='%s'/libcuda/export.map",
	                root, root, root, root, root, root, root));
	for (int release = 11; release <= 13; release++)
		ck_assert(shell("cc -w -DRELEASE=%d -o static%d call.c runtime.c", release, release));
	ck_assert(shell("cc -w -DRELEASE=13 -DNO_CODE -o codeless call.c runtime.c && cc -w -fPIC -shared -o tracer.so "
	                "tracer.c"));
	ck_assert(shell("cc -w -DRELEASE=13 -fPIC -shared -o libunit.so runtime.c -Wl,-soname,libunit.so && cc -w -o "
	                "linked call.c -L. -lunit -Wl,-rpath,'%s' && cc -w -o opened open.c -Wl,-rpath,'%s' && strip "
	                "-o stripped static13", dir, dir));
	// The same library without symbols, and one with the driver's name.
	ck_assert(shell("mkdir hard drv && strip -o hard/libunit.so libunit.so && echo 'void unit(void) {}' >drv.c && cc -shared -fPIC -o "
	                "drv/libcuda.so.1 -Wl,-soname,libcuda.so.1 drv.c && cc -w -o hopeful "
	                "open.c && printf 'void unit(void); int main(void) { unit(); }' >driven.c && cc -w -o driven driven.c "
	                "drv/libcuda.so.1"));
}

START_TEST(static_executables_are_redirected)
{
	static const struct {
		const char *command, *want;
	} cases[] = {
	        {"./static13", "early 35 malloc 35 free 35 launch 35 properties 35\nrelease -1\n"},
	        {"LD_PRELOAD=./libcudasim.so ./static11",
	         "registered\nearly 100 malloc 100 free 35 launch 102 properties 111\nrelease 11\n"},
	        {"LD_PRELOAD=./libcudasim.so ./static12",
	         "registered\nearly 100 malloc 100 free 35 launch 103 properties 112\nrelease 12\n"},
	        {"LD_PRELOAD=./libcudasim.so ./static13",
	         "registered\nearly 100 malloc 100 free 35 launch 103 properties 113\nrelease 13\n"},
	};
	ck_assert_str_eq(output_of(cases[_i].command), cases[_i].want);
}
END_TEST

START_TEST(objects_are_redirected_before_their_constructors)
{
	static const char unit[] = "registered\nearly 100 malloc 100 free 35 launch 103 properties 113\n";
	char want[512];
	snprintf(want, sizeof want, "%srelease 13\n", unit);
	ck_assert_str_eq(output_of("LD_PRELOAD=./libcudasim.so ./linked"), want);
	snprintf(want, sizeof want, "%s%s", unit, unit);
	ck_assert_str_eq(output_of("LD_PRELOAD=./libcudasim.so ./opened"), want);
}
END_TEST

START_TEST(stripped_programs_are_told)
{
	const char *text = output_of("LD_PRELOAD=./libcudasim.so ./stripped");
	ck_assert_ptr_nonnull(strstr(text, "stripped holds its own copy of the CUDA runtime but was stripped"));
	ck_assert_ptr_nonnull(strstr(text, "malloc 35"));
}
END_TEST

static void once(const char *text, const char *want)
{
	const char *first = strstr(text, want);
	ck_assert_msg(first && !strstr(first + 1, want), "%s", text);
}

START_TEST(stripped_libraries_are_told_when_they_are_loaded)
{
	static const char want[] = "hard/libunit.so holds its own copy of the CUDA runtime but was stripped";
	once(output_of("LD_LIBRARY_PATH=$PWD/hard LD_PRELOAD=./libcudasim.so ./hopeful"), want);
	ck_assert(shell("LD_LIBRARY_PATH=hard cc -w -o pressed call.c -Lhard -lunit"));
	once(output_of("LD_LIBRARY_PATH=hard LD_PRELOAD=./libcudasim.so ./pressed"), want);
}
END_TEST

// The library that was built in the mode of this program; NULL if it goes into programs of its own kind only.
static const char *real_library(void)
{
	static char lib[PATH_MAX + 32];
	char build[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", build, sizeof build - 1); // build/MODE/tests/unit/test_patch
	build[n < 0 ? 0 : n] = 0;
	for (int names = 3; names--;)
		*strrchr(build, '/') = 0;
	const char *mode = strrchr(build, '/');
	snprintf(lib, sizeof lib, "%s/lib/libcudasim.so", strcmp(mode, "/release") ? build : root);
	return strcmp(mode, "/asan") && strcmp(mode, "/tsan") ? lib : NULL;
}

// Each copy of the runtime has a last error of its own, as its documentation says: a library that looks for errors of its own calls
// doesn't find those of others'.
START_TEST(copies_of_the_runtime_have_their_own_last_error)
{
	static const char copy[] =
	        "#define HIDDEN __attribute__((visibility(\"hidden\"), noipa))\n"
	        "#define LONG __asm__ volatile(\"nop; nop; nop; nop; nop; nop; nop; nop\")\n"
	        "HIDDEN void **__cudaRegisterFatBinary(void *w) { LONG; return w; }\n"
	        "HIDDEN int __cudaLaunchKernel(void) { LONG; return 35; }\n"
	        "HIDDEN int cudaSetDevice(int d) { LONG; return 35; }\n"
	        "HIDDEN int cudaPeekAtLastError(void) { LONG; return 35; }\n"
	        "HIDDEN int cudaGetLastError(void) { LONG; return 35; }\n"
	        "int NAME(int what)\n"
	        "{ int e = what == 0 ? cudaSetDevice(77) : what == 1 ? cudaPeekAtLastError() : cudaGetLastError(); LONG; return e; }\n";
	static const char program[] =
	        "#include <stdio.h>\n"
	        "int one(int), two(int), cudaPeekAtLastError(void) __attribute__((weak));\n"
	        "int main(void) { int e = one(0), other = two(1), shared = cudaPeekAtLastError ? cudaPeekAtLastError() : -1;\n"
	        "  printf(\"%d: %d %d %d, \", e, one(1), other, shared); e = two(2); other = two(0); shared = one(2);\n"
	        "  printf(\"%d %d %d: %d %d\\n\", e, other, shared, one(1), two(1)); }\n";
	const char *lib = real_library();
	if (!lib)
		return;
	write_file("copy.c", copy);
	write_file("copies.c", program);
	ck_assert(shell("for n in one two; do cc -w -O1 -DNAME=$n -fPIC -shared -o lib$n.so copy.c || exit 1; done; cc -w -o copies copies.c "
	                "-L. -lone -ltwo -Wl,-rpath,'%s'", dir));
	char command[2 * PATH_MAX];
	snprintf(command, sizeof command, "LD_PRELOAD='%s' ./copies", lib);
	ck_assert_str_eq(output_of(command), "101: 101 0 0, 0 101 101: 0 101\n");
	// One static runtime is the only one.
	snprintf(command, sizeof command, "sed 's/two(/one(/g' copies.c >single.c && cc -w -o single single.c -L. -lone -Wl,-rpath,. && "
	         "LD_PRELOAD='%s' ./single", lib);
	ck_assert_str_eq(output_of(command), "101: 101 101 101, 101 101 101: 0 0\n");
}
END_TEST

// Libraries of NVIDIA are loaded by programs that never use them, so they are told of when they ask the driver for what it has not.
START_TEST(closed_libraries_are_told_when_they_ask)
{
	char command[2 * PATH_MAX];
	const char *lib = real_library();
	ck_assert(shell("mkdir closed && cp hard/libunit.so closed/libcusolver.so.12 && sed 's/libunit.so/libcusolver.so.12/' open.c >closed.c "
	                "&& cc -w -o closed/loads closed.c"));
	const char *text = output_of("LD_LIBRARY_PATH=$PWD/closed LD_PRELOAD=./libcudasim.so closed/loads");
	ck_assert_msg(!strstr(text, "heddle: "), "%s", text);
	if (!lib)
		return;
	write_file("ask.c", "int cuGetExportTable(const void **, const void *);\n"
	           "int unit(void) { const void *t; return cuGetExportTable(&t, \"0123456789abcdef\"); }\n");
	write_file("asks.c", "int unit(void); int main(void) { return unit() != 500 || unit() != 500; }\n");
	ck_assert(shell("mkdir asks && cc -shared -fPIC -o asks/libcusolver.so.12 ask.c && cc -shared -fPIC -o asks/libmine.so ask.c && cc -o "
	                "asks/closed asks.c asks/libcusolver.so.12 -Wl,--allow-shlib-undefined && cc -o asks/mine asks.c asks/libmine.so "
	                "-Wl,--allow-shlib-undefined"));
	snprintf(command, sizeof command, "LD_PRELOAD='%s' asks/closed", lib);
	once(output_of(command), "heddle: libcusolver.so.12 cannot run here and will say so");
	snprintf(command, sizeof command, "LD_PRELOAD='%s' asks/mine", lib);
	text = output_of(command);
	ck_assert_msg(!strstr(text, "cannot run here"), "%s", text);
	// One that gets on without such tables, and calls what cuBLAS's stand-in has not.
	write_file("blas.c", "int cublasSetEnvironmentMode(void *, int); int unit(void) { return cublasSetEnvironmentMode(0, 0) + 485; }\n");
	ck_assert(shell("mkdir blas && cc -shared -fPIC -o blas/libcusolver.so.12 blas.c && cc -o "
	                "blas/closed asks.c blas/libcusolver.so.12 -Wl,--allow-shlib-undefined"));
	snprintf(command, sizeof command, "LD_PRELOAD='%.*s/libcublas.so.13' blas/closed", (int)(strrchr(lib, '/') - lib), lib);
	text = output_of(command);
	once(text, "heddle: libcusolver.so.12 cannot run here and will say so: it calls cublasSetEnvironmentMode, which ");
	ck_assert_msg(!strstr(text, "is not implemented"), "%s", text);
}
END_TEST

START_TEST(the_driver_is_told_when_it_is_loaded)
{
	static const char want[] = "the program loads a CUDA driver of its own, ";
	once(output_of("LD_LIBRARY_PATH=$PWD/drv LD_PRELOAD=./libcudasim.so ./driven"), want);
	ck_assert(shell("sed 's/libunit.so/libcuda.so.1/' open.c >seek.c && cc -w -o seek seek.c"));
	once(output_of("LD_LIBRARY_PATH=$PWD/drv LD_PRELOAD=./libcudasim.so ./seek"), want);
	// One beside the library is a name of it.
	ck_assert(shell("mkdir own && cp libcudasim.so drv/libcuda.so.1 own"));
	ck_assert(!strstr(output_of("LD_LIBRARY_PATH=$PWD/own LD_PRELOAD=own/libcudasim.so ./driven"), want));
	ck_assert(!strstr(output_of("LD_LIBRARY_PATH=$PWD/own LD_PRELOAD=own/libcudasim.so ./seek"), want));
}
END_TEST

START_TEST(programs_without_device_code_are_redirected)
{
	ck_assert_str_eq(output_of("LD_PRELOAD=./libcudasim.so ./codeless"),
	                 "registered\nearly 100 malloc 100 free 35 launch 103 properties 113\nrelease 13\n");
}
END_TEST

START_TEST(other_programs_are_left_alone)
{
	ck_assert_str_eq(output_of("LD_PRELOAD=./libcudasim.so /bin/true"), "");
}
END_TEST

START_TEST(libraries_in_front_of_the_runtime_are_left_alone)
{
	ck_assert(shell("cc -w -fPIC -shared -o libreal.so shared.c && cc -w -o traced callshared.c ./tracer.so "
	                "./libreal.so"));
	ck_assert_str_eq(output_of("LD_PRELOAD='./tracer.so ./libcudasim.so' ./traced"), "malloc 7 properties 111\n");
}
END_TEST

START_TEST(shared_programs_of_each_release_bind)
{
	static const struct {
		const char *release, *want;
	} cases[] = {
	        {"9.0", "malloc 100 properties 111\n"},
	        {"10.2", "malloc 100 properties 111\n"},
	        {"11.0", "malloc 100 properties 111\n"},
	        {"12", "malloc 100 properties 112\n"},
	        {"13", "malloc 100 properties 113\n"},
	};
	const char *r = cases[_i].release;
	char command[512];
	ck_assert(shell("mkdir -p real%s front%s && ln -sf ../libcudasim.so front%s/libcudart.so.%s && echo "
	                "'libcudart.so.%s { global: *; };' >real%s/map && cc -w -shared -fPIC -o "
	                "real%s/libcudart.so.%s shared.c -Wl,-soname,libcudart.so.%s -Wl,--version-script=real%s/map "
	                "&& cc -w -o shared%s callshared.c real%s/libcudart.so.%s",
	                r, r, r, r, r, r, r, r, r, r, r, r, r));
	snprintf(command, sizeof command, "LD_BIND_NOW=1 LD_LIBRARY_PATH=front%s ./shared%s", r, r);
	ck_assert_str_eq(output_of(command), cases[_i].want);
	snprintf(command, sizeof command, "LD_PRELOAD=./libcudasim.so LD_LIBRARY_PATH=real%s ./shared%s", r, r);
	ck_assert_str_eq(output_of(command), cases[_i].want);
}
END_TEST

int main(void)
{
	shell_find_root();
	TCase *t = tcase_create("patch");
	tcase_set_timeout(t, 60);
	tcase_add_unchecked_fixture(t, build, shell_leave);
	tcase_add_loop_test(t, static_executables_are_redirected, 0, 4);
	tcase_add_test(t, objects_are_redirected_before_their_constructors);
	tcase_add_test(t, stripped_programs_are_told);
	tcase_add_test(t, stripped_libraries_are_told_when_they_are_loaded);
	tcase_add_test(t, copies_of_the_runtime_have_their_own_last_error);
	tcase_add_test(t, closed_libraries_are_told_when_they_ask);
	tcase_add_test(t, the_driver_is_told_when_it_is_loaded);
	tcase_add_test(t, programs_without_device_code_are_redirected);
	tcase_add_test(t, other_programs_are_left_alone);
	tcase_add_test(t, libraries_in_front_of_the_runtime_are_left_alone);
	tcase_add_loop_test(t, shared_programs_of_each_release_bind, 0, 5);
	Suite *s = suite_create("patch");
	suite_add_tcase(s, t);
	return check_main(s);
}
