// bin/heddle and setup_environment, installed into a folder of their own with a stand-in for the library.
#include "tests/fatbin_pack.h"
#include "tests/shell.h"

#include <elf.h>

static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n";
static const char kernel[] = ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\nret;\n}\n";

static void write_pack(const char *name, const struct pack *p)
{
	FILE *f = fopen(name, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(p->data, 1, p->size, f), p->size);
	ck_assert_int_eq(fclose(f), 0);
}

// A cubin without kernels, of the form that CUDA 13 writes.
// A cubin with a kernel `k` of a few instructions, the last of which is none.
static void write_cubin(const char *name, unsigned arch)
{
	enum { OSABI_CUDA_13 = 0x41 };
	static const uint64_t code[] = {
		0x00000a00ff017624, 0x000fe400078e00ff, // IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]
		0x000000000000794d, 0x000fea0003800000, // EXIT
		0xfffffff000007947, 0x000fc0000383ffff, // BRA to itself
		0x00000000000071ff, 0x000fc00000000000,
	};
	static const char names[] = "\0.shstrtab\0.text.k\0.nv.constant0.k";
	struct {
		Elf64_Ehdr h;
		Elf64_Shdr section[4];
		uint64_t code[sizeof code / sizeof *code];
		char names[sizeof names];
	} file = {
		.h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, OSABI_CUDA_13, 8}, .e_type = ET_EXEC,
	              .e_machine = EM_CUDA, .e_version = EV_CURRENT, .e_flags = arch << 8, .e_ehsize = sizeof file.h,
	              .e_shoff = sizeof file.h, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 4, .e_shstrndx = 1},
	};
	memcpy(file.code, code, sizeof code);
	memcpy(file.names, names, sizeof names);
	file.section[1] = (Elf64_Shdr){.sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = offsetof(__typeof__(file), names), .sh_size = sizeof names};
	file.section[2] = (Elf64_Shdr){.sh_name = 11, .sh_type = SHT_PROGBITS, .sh_offset = offsetof(__typeof__(file), code), .sh_size = sizeof code};
	file.section[3] = (Elf64_Shdr){.sh_name = 19, .sh_type = SHT_NOBITS, .sh_size = 0x160};
	FILE *f = fopen(name, "wb");
	ck_assert(f && fwrite(&file, sizeof file, 1, f) == 1 && !fclose(f));
}

static char mode[40]; // release, asan, ...

static void find_mode(void)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	self[n < 0 ? 0 : n] = 0;
	ck_assert_int_eq(sscanf(self + strlen(root), "/build/%39[^/]", mode), 1);
	setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0", 1); // the stand-in is preloaded
}

static void build(void)
{
	static struct pack p;
	find_mode();
	shell_enter();
	pack_start(&p);
	pack_entry(&p, FATBIN_PTX, 80, FATBIN_ZSTD, " -O1 ", ptx, sizeof ptx);
	pack_entry(&p, FATBIN_CUBIN, 75, 0, NULL, "cubin", 5);
	write_pack("code.fatbin", &p);
	pack_start(&p);
	pack_entry(&p, FATBIN_CUBIN, 75, 0, NULL, "cubin", 5);
	write_pack("sass.fatbin", &p);
	pack_start(&p);
	pack_entry(&p, FATBIN_PTX, 80, FATBIN_ZSTD, "", ptx, sizeof ptx);
	write_pack("host.fatbin", &p);
	pack_start(&p);
	pack_entry(&p, FATBIN_PTX, 70, FATBIN_ZSTD, "", kernel, sizeof kernel);
	write_pack("text.fatbin", &p);
	pack_start(&p);
	pack_entry(&p, FATBIN_CUBIN, 75, 0, NULL, "cubin", 5);
	p.size -= 4;
	write_pack("cut.fatbin", &p);
	write_cubin("bare.cubin", 86);
	write_cubin("new.cubin", 61);
	write_file("main.c", "int puts(const char *); int main(void) { return puts(\"started\") < 0; }\n");
	write_file("runtime.c", "void __cudaRegisterFatBinary(void) {}\n");
	write_file("embed.s", ".section .nv_fatbin,\"a\"\n.incbin \"code.fatbin\"\n.section .note.GNU-stack,\"\"\n");
	write_file("empty.c", "");
	write_file("script", "#!/bin/sh\necho \"$GPGPUSIM_CONFIG $PTX_SIM_MODE_FUNC $1 $LD_LIBRARY_PATH "
	           "$LD_PRELOAD\"\n");
	write_file("b.cfg", "-gpgpu_scheduler gto\n");
	write_file("bad.cfg", "-gpgpu_schedular lrr\n");
	// The command was built with this test: beside its folder, or, as it is released, at the top.
	ck_assert(shell("mkdir -p 'in st/bin' 'in st/lib' 'in st/configs' && cp -r '%s/configs/SM7_QV100' 'in st/configs/GPU' && "
	                "case '%s' in release) cp '%s/bin/heddle' heddle ;; *) cp '%s/build/%s/bin/heddle' heddle ;; esac",
	                root, mode, root, root, mode));
	ck_assert(shell("cc -shared -fPIC -o libcudasim.so empty.c && cp heddle 'in st/bin' && cp libcudasim.so 'in "
	                "st/lib' && mkdir bin lib && mv heddle bin && mv libcudasim.so lib && cp "
	                "'%s'/setup_environment . && cp setup_environment 'in st' && chmod +x script && cp -r 'in "
	                "st/configs' .", root));
	// Two programs that need the driver's library, one of them through a library of its own.
	ck_assert(shell("mkdir drv && cc -shared -o drv/libcuda.so.1 -Wl,-soname,libcuda.so.1 empty.c && cc -Wl,--no-as-needed -o "
	                "driver main.c drv/libcuda.so.1 && cc -shared -Wl,--no-as-needed,-soname,libwants.so -o libwants.so empty.c "
	                "drv/libcuda.so.1 && cc "
	                "-Wl,--no-as-needed,-rpath,\\$ORIGIN,--allow-shlib-undefined -o through main.c ./libwants.so"));
	// Three that have no CUDA code in them and may still use it.
	write_file("loads.c", "const char *library = \"libcudart.so.12\";\nint puts(const char *);\nint main(void) { return puts(\"started\") < 0; }\n");
	ck_assert(shell("cc -o loads loads.c && cc -c -o code.o embed.s && cc -shared -Wl,-soname,libkernels.so -o libkernels.so empty.c code.o && cc "
	                "-Wl,--no-as-needed,-rpath,\\$ORIGIN -o kernels main.c ./libkernels.so && echo 'void Py_BytesMain(void) {}' >pylib.c && "
	                "cc -shared -Wl,-soname,libpython3.so -o libpython3.so pylib.c && echo 'void Py_BytesMain(void); int puts(const char *); int main(void) { puts(\"started\"); "
	                "Py_BytesMain(); }' >py.c && cc -w -Wl,-rpath,\\$ORIGIN -o python py.c ./libpython3.so"));
	ck_assert(shell("cc -w -o static main.c runtime.c embed.s && strip -o stripped static && cc -o plain main.c "
	                "&& cc -shared -o libcudart.so.8.0 -Wl,-soname,libcudart.so.8.0 empty.c && cc "
	                "-Wl,--no-as-needed -o old main.c libcudart.so.8.0 && cc -static -o alone main.c && cc -c "
	                "main.c && sed 's/code/sass/' embed.s >embed2.s && cc -w -o sass main.c runtime.c embed2.s && "
	                "sed 's/code/host/' embed.s >embed4.s && cc -w -o host main.c runtime.c embed4.s && "
	                "sed 's/code/text/' embed.s >embed5.s && cc -w -o text main.c runtime.c embed5.s && "
	                "sed 's/code/cut/' embed.s >embed3.s && cc -w -o cut main.c runtime.c embed3.s && printf "
	                "'\\177ELF\\1\\1\\1' >elf32 && head -c 60 /dev/zero >>elf32 && chmod +x elf32"));
}

static void ck_says(const char *command, const char *want)
{
	const char *text = output_of(command);
	ck_assert_msg(strstr(text, want) != NULL, "%s\nsays: %s\nwanted: %s", command, text, want);
}

static const struct {
	const char *program, *want;
	bool started;
} cases[] = {
        {"./static", "started", true},
        {"./plain", "has no CUDA code in it", true},
        {"./script", "is a script", true},
        {"./stripped", "build it without stripping", false},
        {"./sass", "-gencode arch=compute_75,code=compute_75", false},
        {"./cut", "damaged", false},
        {"./old", "needs libcudart.so.8.0, and Heddle serves CUDA 9 to 13", false},
        {"./driver", "./driver needs the CUDA driver (libcuda.so.1), which is neither in Heddle's folder", false},
        {"./through", "libwants.so needs the CUDA driver (libcuda.so.1), which is neither in Heddle's folder", false},
        {"env LD_LIBRARY_PATH=drv ./through", "started", true},
        {"./alone", "link it without -static", false},
        {"./main.o", "is an object file", false},
        {"./elf32", "is a 32-bit ELF file", false},
        {"./nowhere", "No such file", false},
        {"nowhere", "no program 'nowhere' in PATH", false},
        {"./main.c", "not an ELF file", false},
        {"--mode fast ./static", "--mode is 'functional' or 'timing'", false},
        {"--break cicle=5 ./static", "'cicle=5' is no place to stop", false},
        {"-c nowhere ./static", "no configuration 'nowhere'", false},
        // A word that looks like one of the command's own is none.
        {"-c GPU -gpgpu_scheduler lrr -core modern -trace_enabled 0 ./static", "started", true},
        {"-gpgpu_schedular lrr ./static", "command line:1:1: error: there is no option -gpgpu_schedular; did you mean "
         "-gpgpu_scheduler?\n    -gpgpu_schedular lrr \n    ^~~~~~~~~~~~~~~~\n", false},
        {"-c GPU -cor modern ./static", "    -cor modern \n    ^~~~\n", false},
        {"--modus functional ./static", "heddle run has no option '--modus'", false},
        {"./static --mode", "started", true},
        {"-c", "-c needs a configuration behind it", false},
        {"-c GPU -c bad.cfg ./static", "bad.cfg:1:1: error: there is no option -gpgpu_schedular", false},
        {"-c GPU -gpgpu_dram_partition_queues 64:64:0:64 ./static", "-gpgpu_dram_partition_queues", false},
        {"-c GPU -stats_file nowhere/s ./static", "option '-stats_file': cannot write nowhere/s: No such file", false},
        {"--force ./stripped", "started", true},
};

static const char *const silent[] = {"./loads", "./kernels", "./python", "./static", "env ./plain", "sh -c ./plain"};

START_TEST(run_is_silent)
{
	char command[256];
	snprintf(command, sizeof command, "bin/heddle run %s", silent[_i]);
	ck_assert_str_eq(output_of(command), "started\n");
}
END_TEST

START_TEST(run_starts_or_says_why_not)
{
	char command[256];
	snprintf(command, sizeof command, "bin/heddle run %s", cases[_i].program);
	ck_says(command, cases[_i].want);
	snprintf(command, sizeof command, "bin/heddle run %s >out 2>&1", cases[_i].program);
	ck_assert_int_eq(shell("%s", command), cases[_i].started);
}
END_TEST

// Where both are one file, as in Heddle's folder, the loader lists it once.
START_TEST(a_program_may_need_runtime_and_driver)
{
	ck_assert(shell("mkdir -p both 'in st/lib' && cd 'in st/lib' && ln -sf libcudasim.so libcudart.so.13 && ln -sf libcudasim.so "
	                "libcuda.so.1 && cc -shared -o ../../both/libcudart.so.13 -Wl,-soname,libcudart.so.13 ../../empty.c && cc "
	                "-Wl,--no-as-needed -o ../../needs_both ../../main.c ../../both/libcudart.so.13 ../../drv/libcuda.so.1"));
	ck_assert(shell("'in st/bin/heddle' run ./needs_both | grep -qx started"));
	ck_assert(shell("rm 'in st/lib/libcudart.so.13' 'in st/lib/libcuda.so.1'"));
}
END_TEST

// With status 2 and without figures of an earlier run.
START_TEST(a_refused_configuration_starts_nothing)
{
	static const char *const how[] = {"-c bad.cfg -stats_file s -stats_json j", "-gpgpu_n_mem 0 -stats_file s -stats_json j",
	                                  "-stats_file s -stats_json j -c nowhere", "-c GPU -stats_file s -stats_json j -gpgpu_cache:dl1 S:4:128:64,L:L:m:N:L,A:0:8,16:0,32"};
	write_file("s", "gpu_tot_sim_cycle = 1\n");
	write_file("j", "[]");
	ck_assert(shell("bin/heddle run %s ./static >out 2>&1; test $? = 2 && ! grep -qx started out && grep -q error: out", how[_i]));
	ck_assert(shell("test -f s && ! test -s s && ! test -s j"));
	ck_assert(shell("HEDDLE_OPTIONS='-gpgpu_n_mem 0 -stats_file s' bin/heddle run ./static >out 2>&1; test $? = 2 && ! test -s s"));
}
END_TEST

static uint64_t hash_of(const char *args)
{
	char command[600];
	unsigned long long hash;
	snprintf(command, sizeof command, "bin/heddle version %s", args);
	const char *text = output_of(command), *line = strstr(text, "\noptions ");
	ck_assert_msg(!strncmp(text, "heddle 0.1\ncommit ", 18) && line && sscanf(line, " options %llx", &hash) == 1, "%s: %s", args, text);
	return hash;
}

START_TEST(each_command_reads_configurations_alike)
{
	static const char *const alike[] = {"-c GPU -gpgpu_n_clusters 7 -c b.cfg", "-c configs/GPU -c b.cfg -gpgpu_n_clusters 7",
	                                    "-config configs/GPU/gpgpusim.config -config b.cfg -gpgpu_n_clusters 7",
	                                    "--config=GPU --config b.cfg -gpgpu_n_clusters 7", "-gpgpu_n_clusters 7 -c GPU -c b.cfg"};
	char command[600];
	uint64_t hash = hash_of(alike[0]);
	ck_assert(hash != hash_of("-c GPU -c b.cfg") && hash != hash_of("-c GPU -gpgpu_n_clusters 7 -gpgpu_scheduler lrr"));
	for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
		ck_assert_msg(hash_of(alike[i]) == hash, "%s", alike[i]);
		snprintf(command, sizeof command, "bin/heddle config %s | grep -e '-gpgpu_n_clusters\\|-gpgpu_scheduler\\|-gpgpu_n_mem '", alike[i]);
		ck_says(command, "-gpgpu_n_clusters                             7                              # [command line]");
		ck_says(command, "-gpgpu_scheduler                              gto");
		ck_says(command, "/b.cfg:1]");
		ck_says(command, "-gpgpu_n_mem                                  32 ");
		// What a program gets is the same.
		snprintf(command, sizeof command, "bin/heddle run %s -- $PWD/bin/heddle version | tail -n 1", alike[i]);
		char want[60];
		snprintf(want, sizeof want, "options %016llx\n", (unsigned long long)hash);
		ck_says(command, want);
	}
	// HEDDLE_OPTIONS wins over files, the command line over HEDDLE_OPTIONS.
	ck_assert(shell("export HEDDLE_OPTIONS='-gpgpu_n_clusters 5 -gpgpu_n_mem 16'; bin/heddle config -c GPU -gpgpu_n_mem 8 >out && grep -q 'n_clusters  *5 ' out && grep -q 'gpgpu_n_mem  *8 ' out && "
	                "bin/heddle run -c GPU -gpgpu_n_mem 8 bin/heddle config >out && grep -q 'n_clusters  *5 ' out && "
	                "grep -q 'gpgpu_n_mem  *8 ' out"));
	ck_assert(shell("for c in run trace config; do bin/heddle $c -c nowhere ./static >out 2>&1; test $? = 2 && grep -q \"no "
	                "configuration 'nowhere'\" out || exit 1; bin/heddle $c -c GPU -gpgpu_schedular lrr >out 2>&1; test $? = 2 && "
	                "grep -q 'there is no option -gpgpu_schedular; did you mean -gpgpu_scheduler' out && grep -q '\\^~~~' out || exit 1; "
	                "done"));
	ck_assert(shell("bin/heddle config >/dev/full 2>out; test $? = 1 && grep -q 'cannot write standard output: No space' out"));
}
END_TEST

// heddle trace: how it ended, as the last line and as the exit status; everything that is printed once.
START_TEST(a_replay_says_how_it_ended)
{
	static const struct {
		const char *before, *after, *test;
	} replays[] = {
		{"", "", "test $rc = 0 && tail -n 1 out | grep -qx 'heddle_run = complete'"},
		{"", "-gpgpu_max_cycle 1000", "test $rc = 0 && tail -n 1 out | grep -qx 'heddle_run = limit -gpgpu_max_cycle'"},
		{"HEDDLE_OPTIONS='-gpgpu_max_cycle 1000'", "", "tail -n 1 out | grep -qx 'heddle_run = limit -gpgpu_max_cycle'"},
		{"HEDDLE_OPTIONS='-gpgpu_max_cycle 1000'", "-gpgpu_max_cycle 0", "tail -n 1 out | grep -qx 'heddle_run = complete'"},
		{"", "-j 2", "test $rc = 0 && tail -n 1 out | grep -qx 'heddle_run = complete' && test $(grep -c '^heddle_options' out) = 1"},
		{"", "-trace_select_ctas 900000", "test $rc = 1 && tail -n 1 out | grep -qx 'heddle_run = fault'"},
		{"", "-stats_file /dev/full", "test $rc = 1 && grep -q 'cannot write -stats_file /dev/full: No space' err"},
		{"", "-stats_file link", "test $rc = 2 && grep -q \"'-stats_file': cannot write link: it is a symbolic link\" err && ! test -s target"},
		{"", "-stats_json j -stats_file s", "test $rc = 0 && ! test -s out && grep -q '\"heddle_run\":\"complete\"}' j"},
		{"echo old >s;", "-stats_file s -gpgpu_n_mem 0", "test $rc = 2 && ! test -s s && ! grep -q heddle_ out"},
		{"", "-trace_enabled 1 -trace_components ISSUE -trace_file /dev/full", "test $rc = 1 && grep -q 'cannot write -trace_file' err"},
	};
	char command[3 * PATH_MAX];
	ck_assert(shell(": >target && ln -sf target link"));
	snprintf(command, sizeof command, "%s bin/heddle trace -trace '%s/tests/golden/traces/chase' -c GPU %s >out 2>err; rc=$?; %s",
	         replays[_i].before, root, replays[_i].after, replays[_i].test);
	ck_assert_msg(shell("%s", command), "%s\n%s", command, output_of("cat err; tail -n 3 out"));
	// Who reads no more ends the run.
	if (!_i)
		ck_assert(shell("{ bin/heddle trace -trace '%s/tests/golden/traces/chase' -c GPU 2>err; echo $? >rc; } | head -n 1 >out && "
		                "grep -qx 1 rc && grep -q 'cannot write standard output: Broken pipe' err", root));
}
END_TEST

// Machine code of the GPU's own generation lets a program start that has no PTX.
START_TEST(run_looks_for_code_that_the_gpu_runs)
{
	ck_says("bin/heddle run -c GPU ./sass", "the program has no PTX, only machine code for sm_75, which does not run on this GPU");
	ck_says("bin/heddle run -c GPU -gpgpu_compute_capability_minor 5 ./sass", "started\n");
	ck_says("bin/heddle run -c GPU -gpgpu_compute_capability_minor 5 --code sass ./sass", "started\n");
	ck_says("bin/heddle run -c GPU --code sass ./static",
	        "-gpgpu_execute sass: the program has no machine code for this GPU, an sm_70, only for sm_75");
	ck_says("bin/heddle run -c GPU --code sass ./text", "-gpgpu_execute sass: the program has no machine code; choose -gpgpu_execute auto");
	ck_says("bin/heddle run -c GPU --code auto ./static", "started\n");
	ck_says("bin/heddle run -c GPU --code sass ./host", "started\n"); // it has no kernel that could want machine code
	ck_says("bin/heddle run -c GPU --code ptxplus ./static", "--code is 'ptx', 'sass' (machine code) or 'auto', not 'ptxplus'");
	ck_says("bin/heddle run -c GPU -gpgpu_execute ptxplus ./static", "the code to execute is ptx, sass (machine code), auto or default");
	ck_says("bin/heddle run -c GPU --code sass bin/heddle config | grep -- -gpgpu_execute", "-gpgpu_execute                                sass");
}
END_TEST

START_TEST(run_sets_the_environment)
{
	char want[3 * PATH_MAX];
	snprintf(want, sizeof want, "%s/configs/GPU/gpgpusim.config 1 arg %s/lib:/old "
	                            "%s/lib/libcudasim.so\n", dir, dir, dir);
	ck_says("LD_LIBRARY_PATH=/old bin/heddle run -c GPU --mode functional -- ./script arg", want);
	ck_says("bin/heddle run -c configs/GPU --mode timing ./script arg", "gpgpusim.config 0 arg");
	// A blank in the path, which LD_PRELOAD cannot hold.
	snprintf(want, sizeof want, "  arg %s/in st/lib libcudasim.so\n", dir);
	ck_says("'in st/bin/heddle' run ./script arg", want);
}
END_TEST

// Variables of threads that a library has from the start, as libgomp and allocators have them, and threads with the smallest stack.
START_TEST(run_leaves_room_for_variables_of_threads)
{
	write_file("room.c", "__attribute__((tls_model(\"initial-exec\"))) __thread char room[4000];\nchar *room_of(void) { return room; }\n");
	write_file("threads.c", "#include <limits.h>\n#include <pthread.h>\nchar *room_of(void);\nint puts(const char *);\n"
	           "static void *own(void *p) { return room_of()[3999] ? p : 0; }\n"
	           "int main(void)\n{\n\tpthread_attr_t a;\n\tpthread_t t;\n\tpthread_attr_init(&a);\n"
	           "\treturn pthread_attr_setstacksize(&a, PTHREAD_STACK_MIN + 4096) || pthread_create(&t, &a, own, 0) || pthread_join(t, 0) || puts(\"started\") < 0;\n}\n");
	ck_assert(shell("cc -shared -fPIC -Wl,-soname,libroom.so -o libroom.so room.c && cc -Wl,-rpath,\\$ORIGIN -o threads threads.c ./libroom.so -lpthread && "
	                "case '%s' in release) cp '%s/lib/libheddle-find.so' lib ;; *) cp '%s/build/%s/lib/libheddle-find.so' lib ;; esac", mode, root, root, mode));
	ck_says("bin/heddle run ./threads", "started");
	ck_says(". ./setup_environment && ./threads", "started");
	ck_says(". ./setup_environment && heddle_off && echo \"<$GLIBC_TUNABLES>\"", "<>");
	ck_says("GLIBC_TUNABLES=glibc.malloc.perturb=1 bin/heddle run sh -c 'echo $GLIBC_TUNABLES'", "glibc.malloc.perturb=1:glibc.rtld.optional_static_tls=");
	ck_says("GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16000 bin/heddle run sh -c 'echo $GLIBC_TUNABLES'", "glibc.rtld.optional_static_tls=16000\n");
	ck_assert(shell("rm lib/libheddle-find.so"));
}
END_TEST

// --python: what a Python runs, what is a program of its own, what is not there.
START_TEST(run_starts_scripts_by_python)
{
	write_file("script.py", "print('x')\n");
	write_file("py.sh", "#!/bin/sh\necho \"python $*: $PTX_SIM_MODE_FUNC $HEDDLE_OPTIONS\"\n");
	ck_assert(shell("chmod +x py.sh && cp script.py runs.py && chmod +x runs.py && cp script.py bare && mkdir -p app"));
	ck_says("bin/heddle run -p ./py.sh script.py a --mode b", "python script.py a --mode b: 1 \n-gpgpu_ptx_sim_mode 1\n");
	ck_says("bin/heddle run --python=./py.sh -c GPU -gpgpu_scheduler gto ./runs.py", "python ./runs.py: 1 ");
	ck_says("bin/heddle run --python ./py.sh --mode timing bare", "python bare: 0 ");
	ck_says("bin/heddle run --python ./py.sh app", "python app: 1 ");
	ck_says("bin/heddle run --python ./py.sh -- -m pytest -q", "python -m pytest -q: 1 ");
	// A mode that was chosen otherwise stays.
	ck_says("PTX_SIM_MODE_FUNC=0 bin/heddle run --python ./py.sh script.py", "python script.py: 0 \n");
	ck_says("bin/heddle run --python ./py.sh -gpgpu_ptx_sim_mode 0 script.py", "python script.py:  \n-gpgpu_ptx_sim_mode \"0\"\n");
	ck_says("HEDDLE_OPTIONS='-gpgpu_ptx_sim_mode 0' bin/heddle run --python ./py.sh script.py", "python script.py:  -gpgpu_ptx_sim_mode 0\n");
	ck_says("bin/heddle run --python ./py.sh ./static", "started");
	ck_says("bin/heddle run --python ./py.sh sh -c 'echo $PTX_SIM_MODE_FUNC'", "1\n");
	ck_assert(shell("bin/heddle run --python ./py.sh missing.py >out 2>&1; test $? = 2 && grep -q \"no script 'missing.py': No such file\" out"));
	ck_assert(shell("bin/heddle run --python ./none.sh script.py >out 2>&1; test $? = 1 && grep -q './none.sh cannot be read: No such file' out"));
	ck_assert(shell("bin/heddle run --python >out 2>&1; test $? = 2 && grep -q 'python needs a value' out"));
	// A Python is not told that it has no CUDA in it.
	ck_assert(shell("bin/heddle run --python ./plain script.py >out 2>&1 && grep -qx started out && test $(wc -l <out) = 1"));
}
END_TEST

// make install's folders, in any place.
START_TEST(an_installation_finds_its_files)
{
	char want[3 * PATH_MAX];
	ck_assert(shell("mkdir -p to/bin to/lib/heddle/bin to/share/heddle && cp bin/heddle to/bin && cp lib/libcudasim.so to/lib/heddle && "
	                "cp -r configs to/share/heddle && : >to/lib/libcudasim.so.of-others && cp -r to moved"));
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "moved" : "to";
		snprintf(want, sizeof want, "%s/%s/share/heddle/configs/GPU/gpgpusim.config 1 arg %s/%s/lib/heddle %s/%s/lib/heddle/libcudasim.so\n",
		         dir, name, dir, name, dir, name);
		char command[100];
		snprintf(command, sizeof command, "mv configs away; %s/bin/heddle run -c GPU -m functional ./script arg; mv away configs", name);
		ck_says(command, want);
	}
	snprintf(want, sizeof want, "%s/to/lib/heddle/bin:", dir);
	ck_says("to/bin/heddle run sh -c 'echo $PATH'", want);
	snprintf(want, sizeof want, "%s/bin:", dir);
	ck_says("bin/heddle run sh -c 'echo $PATH'", want);
}
END_TEST

START_TEST(code_is_listed_and_written)
{
	ck_says("bin/heddle fatbin static", "PTX           compute_80     8.5     zstd");
	ck_says("bin/heddle fatbin code.fatbin", "machine code  sm_75 ");
	ck_says("bin/heddle fatbin plain", "holds no CUDA device code");
	ck_says("bin/heddle fatbin cut.fatbin", "truncated");
	ck_says("bin/heddle fatbin bare.cubin", "machine code  sm_86 ");
	ck_says("bin/heddle fatbin bare.cubin", "kernel k: ");
	ck_says("bin/heddle fatbin -c GPU bare.cubin", "on sm_70, with -gpgpu_execute ptx:\n        0 nothing runs\n");
	ck_says("bin/heddle fatbin -c GPU -gpgpu_compute_capability_major 8 -gpgpu_compute_capability_minor 9 bare.cubin",
	        "on sm_89, with -gpgpu_execute ptx:\n        0 machine code for sm_86 runs\n");
	ck_says("bin/heddle fatbin -c nowhere bare.cubin", "no configuration 'nowhere'");
	ck_says("bin/heddle ptx bare.cubin", "no PTX, only machine code for sm_86");
	ck_says("bin/heddle sass bare.cubin", ".kernel k\n.target sm_86\n"
	        "        [B------:R-:W-:-:S02] IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]\n"
	        "        [B------:R-:W-:-:S05] EXIT\n"
	        "L_0020: [B------:R-:W-:Y:S00] BRA L_0020\n"
	        "        .inst 0x000fc0000000000000000000000071ff // no instruction is known with the opcode 0x1ff\n");
	ck_says("bin/heddle sass bare.cubin", "1 instructions are not known to this version");
	ck_says("bin/heddle sass -a sm_86 bare.cubin k", ".kernel k");
	ck_says("bin/heddle sass -a 90 bare.cubin", "has no such machine code");
	ck_says("bin/heddle sass bare.cubin other", "has no such machine code");
	ck_says("bin/heddle sass -a none bare.cubin", "'none' is no target");
	ck_says("bin/heddle sass new.cubin", "sm_61: machine code for sm_70 to sm_121 is read");
	ck_says("bin/heddle sass plain", "holds no CUDA device code");
	// An archive of an object with a fat binary, one without, a bare container and a cubin, one of an odd size; and cut off.
	ck_assert(shell("cc -c -o embed.o embed.s && cp code.fatbin odd.fatbin && printf '\\0' >>odd.fatbin && ar rcs all.a embed.o "
	                "main.o odd.fatbin bare.cubin && head -c 700 all.a >cut.a && rm -f thin.a && ar rcT thin.a embed.o && ar rcs "
	                "none.a main.o"));
	ck_assert_str_eq(output_of("bin/heddle fatbin all.a 2>/dev/null | awk '/container|^ *[0-9]+ +[0-9]+ /{print $1, $2, $5}' | tr '\\n' ' '"),
	                 "container entry version 0 0 8.5 0 1 sm_75 1 0 8.5 1 1 sm_75 2 0 sm_86 ");
	ck_says("bin/heddle fatbin cut.a", "damaged");
	ck_says("bin/heddle fatbin thin.a", "thin archive");
	ck_says("bin/heddle fatbin none.a", "holds no CUDA device code");
	ck_says("bin/heddle fatbin embed.o", "machine code  sm_75 ");
	ck_says("bin/heddle fatbin static", "machine code  sm_75 ");
	ck_assert_str_eq(output_of("bin/heddle ptx static"), ptx);
	ck_assert_str_eq(output_of("bin/heddle ptx --arch compute_80 code.fatbin"), ptx);
	ck_says("bin/heddle ptx --arch 90 static", "has no such PTX");
	ck_says("bin/heddle ptx sass.fatbin", "no PTX, only machine code for sm_75");
	ck_says("bin/heddle nonsense", "no command 'nonsense'");
	ck_says("bin/heddle help", "heddle run [-c CONFIG]...");
}
END_TEST

START_TEST(text_becomes_a_cubin)
{
	ck_assert(shell("bin/heddle sass bare.cubin k | sed 's/\\.inst.*/[S00:Y] NOP/' >k.sass && bin/heddle sass --assemble k.sass -o made.cubin"));
	ck_says("bin/heddle sass made.cubin", ".kernel k\n.target sm_86\n");
	ck_says("bin/heddle sass made.cubin", "[B------:R-:W-:-:S05] EXIT\nL_0020: ");
	ck_says("bin/heddle fatbin made.cubin", "machine code  sm_86 ");
	ck_assert(shell("printf '.target sm_80\\n[S05] EXIT\\n[S01] FFMA R1, R2\\n' >bad.sass; : >empty.sass; rm -f none.cubin"));
	ck_says("bin/heddle sass --assemble bad.sass -o none.cubin", "bad.sass:3:18: error: FFMA takes more than stands here");
	ck_says("ls none.cubin", "No such file");
	ck_says("bin/heddle sass --assemble nothing.sass -o none.cubin", "cannot read nothing.sass: No such file");
	ck_says("bin/heddle sass --assemble empty.sass -o none.cubin", "cannot read empty.sass: the file is empty");
	ck_says("bin/heddle sass --assemble k.sass -o nowhere/none.cubin", "cannot write nowhere/none.cubin: No such file");
	ck_says("bin/heddle sass --assemble k.sass -o /dev/full", "cannot write /dev/full: No space left");
	ck_says("bin/heddle sass --assemble k.sass", "where does the cubin go? give -o FILE.cubin");
	ck_says("bin/heddle sass -o none.cubin k.sass", "usage: heddle sass");
	ck_says("bin/heddle sass --assemble k.sass -o none.cubin k", "usage: heddle sass");
}
END_TEST

START_TEST(setup_environment_works_in_each_shell)
{
	static const char *const shells[] = {"sh", "dash", "bash", "zsh", "bash --posix"};
	char command[1024], want[3 * PATH_MAX];
	if (!shell("command -v %s >out", shells[_i]))
		return;
	// Sourced twice, under set -eu, also from another folder, then undone.
	snprintf(command, sizeof command,
	         "cd configs; LD_LIBRARY_PATH=/old PATH=/usr/bin:/bin %s -euc '. ../setup_environment; . "
	         "../setup_environment; echo \"$HEDDLE_ROOT $GPGPUSIM_ROOT $PATH $LD_LIBRARY_PATH $LD_PRELOAD\"; "
	         "heddle version | head -n 1; heddle_off; echo \"$PATH $LD_LIBRARY_PATH ${LD_PRELOAD-none} ${HEDDLE_ROOT-none}\"'",
	         shells[_i]);
	snprintf(want, sizeof want,
	         "%s %s %s/bin:/usr/bin:/bin %s/lib:/old %s/lib/libcudasim.so\nheddle 0.1\n/usr/bin:/bin /old none "
	         "none\n", dir,
	         dir, dir, dir, dir);
	ck_assert_str_eq(output_of(command), want);
	// What scripts of GPGPU-Sim and Accel-Sim ask for; a configuration that was named stays, and so does Accel-Sim's own root
	// while its script sources ours.
	static const char show[] = "echo \"$GPGPUSIM_SETUP_ENVIRONMENT_WAS_RUN $GPGPUSIM_CONFIG $ACCELSIM_SETUP_ENVIRONMENT_WAS_RUN "
	                           "$ACCELSIM_ROOT $ACCELSIM_CONFIG\"";
	snprintf(command, sizeof command,
	         "ACCELSIM_ROOT=/old %s -euc '. ./setup_environment; %s; heddle_off; echo \"${GPGPUSIM_CONFIG-none} "
	         "${GPGPUSIM_ROOT-none} ${GPGPUSIM_SETUP_ENVIRONMENT_WAS_RUN-none} ${ACCELSIM_ROOT-none} ${ACCELSIM_CONFIG-none}\"; "
	         "GPGPUSIM_CONFIG=b.cfg; . ./setup_environment; echo $GPGPUSIM_CONFIG; heddle_off; echo $GPGPUSIM_CONFIG; unset "
	         "GPGPUSIM_CONFIG; ACCELSIM_SETUP_ENVIRONMENT_WAS_RUN= ACCELSIM_ROOT=/other ACCELSIM_CONFIG=debug; . "
	         "./setup_environment; %s'",
	         shells[_i], show, show);
	snprintf(want, sizeof want, "1 release 1 %s release\nnone none none none none\nb.cfg\nb.cfg\n1 release  /other debug\n", dir);
	ck_assert_str_eq(output_of(command), want);
	snprintf(command, sizeof command, "%s -euc '. \"./in st/setup_environment\"; echo \"$LD_LIBRARY_PATH "
	                                  "$LD_PRELOAD\"; ls bin'",
	         shells[_i]);
	snprintf(want, sizeof want, "%s/in st/lib libcudasim.so\nheddle\n", dir);
	ck_assert_str_eq(output_of(command), want);
}
END_TEST

static const struct {
	const char *words, *want;
	int status;
} checks[] = {
	{"--help", "--tool TOOL[,TOOL...]", 0},
	{"", "no program to check", 2},
	{"--tool memchk ./static", "there is no tool 'memchk'; there are memcheck, racecheck, initcheck, synccheck and all", 2},
	{"--tool memcheck, ./static", "there is no tool ''", 2},
	{"--tool=racecheck,synccheck ./static", "started\n", 0},
	{"--tool", "--tool needs a value behind it", 2},
	{"--leak-check yes ./static", "--leak-check: 'yes' is not 'full' or 'no'", 2},
	{"--error-exitcode 256 ./static", "--error-exitcode: '256' is not a number from 0 to 255", 2},
	{"--error-exitcode -1 ./static", "'-1' is not a number", 2},
	{"--print-limit many ./static", "--print-limit: 'many' is not a number", 2},
	{"--print-limit 99999999999999999999 ./static", "is not a number", 2},
	{"--suppressions nowhere ./static", "--suppressions: cannot read nowhere: No such file", 2},
	{"--suppressions bin ./static", "--suppressions: cannot read bin: Is a directory", 2},
	{"--suppressions wrong.txt ./static", "wrong.txt:2: it does not begin with 'memcheck:'", 2},
	{"--log-file nowhere/log ./static", "--log-file: cannot write nowhere/log: No such file", 2},
	{"--save-suppressions nowhere/s ./static", "--save-suppressions: cannot write nowhere/s: No such file", 2},
	{"--destroy-on-device-error all ./static", "'all' is not 'kernel' or 'context'", 2},
	{"--tols all ./static", "heddle check has no option '--tols'", 2},
	{"-gpgpu_schedular lrr ./static", "there is no option -gpgpu_schedular", 2},
	{"./nowhere", "there is no program ./nowhere: No such file", 127},
	{"nowhere", "no program 'nowhere' in PATH", 127},
	{"./cut", "damaged", 1},
	{"./static", "started\n", 0},
	{"./static", "Nothing was checked: the program has not used the GPU", 0},
	{"./script --tool memchk", " 1 --tool ", 0}, // the program's own words
	{"-c GPU -- ./static", "========= ERROR SUMMARY: 0 errors", 0},
};

START_TEST(check_says_what_is_wrong)
{
	char command[256];
	write_file("wrong.txt", "# a comment\nmemchk: *\n");
	snprintf(command, sizeof command, "bin/heddle check %s", checks[_i].words);
	ck_says(command, checks[_i].want);
	snprintf(command, sizeof command, "bin/heddle check %s >out 2>&1; test $? = %d", checks[_i].words, checks[_i].status);
	ck_assert_msg(shell("%s", command), "%s", command);
}
END_TEST

int main(void)
{
	shell_find_root();
	TCase *t = tcase_create("tool");
	tcase_set_timeout(t, 60);
	tcase_add_unchecked_fixture(t, build, shell_leave);
	tcase_add_loop_test(t, run_is_silent, 0, sizeof silent / sizeof *silent);
	tcase_add_loop_test(t, run_starts_or_says_why_not, 0, sizeof cases / sizeof *cases);
	tcase_add_loop_test(t, check_says_what_is_wrong, 0, sizeof checks / sizeof *checks);
	tcase_add_test(t, a_program_may_need_runtime_and_driver);
	tcase_add_loop_test(t, a_refused_configuration_starts_nothing, 0, 4);
	tcase_add_test(t, each_command_reads_configurations_alike);
	tcase_add_loop_test(t, a_replay_says_how_it_ended, 0, 11);
	tcase_add_test(t, run_looks_for_code_that_the_gpu_runs);
	tcase_add_test(t, run_sets_the_environment);
	tcase_add_test(t, run_leaves_room_for_variables_of_threads);
	tcase_add_test(t, run_starts_scripts_by_python);
	tcase_add_test(t, an_installation_finds_its_files);
	tcase_add_test(t, code_is_listed_and_written);
	tcase_add_test(t, text_becomes_a_cubin);
	tcase_add_loop_test(t, setup_environment_works_in_each_shell, 0, 5);
	Suite *s = suite_create("tool");
	suite_add_tcase(s, t);
	return check_main(s);
}
