# Heddle. `make` builds bin/heddle and lib/libcudart.so; `make check` tests them; `make help` lists the rest.
#
# Sources are found by folder, so adding a file needs no edit here:
#   base isa cuda-sim gpgpu-sim intersim libcuda   the library, with the folders inside
#   cuda-sim/exec/bodies/*.c                       instruction bodies, compiled once per CPU level
#   blas/*.c                                       libcublas and libcublasLt
#   tools/*.c                                      bin/heddle
#   tests/unit/test_*.c                            one Check program each
#   tests/sweep/*.c                                calls of every function with bad arguments
#   tests/fuzz/fuzz_*.c                            one libFuzzer program each (make fuzz)

CC     ?= cc
# make V=1 shows the commands.
ifneq ($(V),1)
Q = @echo "  $@";
endif
MODE   ?= release
B      := build/$(MODE)

WARN   := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-unused-parameter -Wno-sign-compare -Wno-psabi
# Results must not depend on the compiler's freedom: no contraction, no reassociation.
FP     := -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-strict-aliasing
CFLAGS_release := -O2 -g
CFLAGS_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
CFLAGS_tsan    := -O1 -g -fsanitize=thread
CFLAGS_hostile := -O1 -g -DHEDDLE_HOSTILE=1
CFLAGS_fuzz    := -O1 -g -DHEDDLE_HOSTILE=1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -Wno-pass-failed
CPPFLAGS += -I. -I$(B)/gen -D_GNU_SOURCE
# Of the unit tests' own code, which is compiled in a third of the time and runs once; what they test is as in a release.
TEST_CFLAGS_release := -O0
ALL_CFLAGS = -std=c17 $(WARN) $(FP) -fPIC -fvisibility=hidden -pthread $(CFLAGS_$(MODE)) $(CFLAGS)
# zlib is on every machine; the others are inside, where programs that have them do not see them and nothing need be installed.
LIBS   := -lz -Wl,-Bstatic -lzstd -llzma -llz4 -Wl,-Bdynamic -lm -ldl -pthread
# Of extended traces; what reads such traces stays out of the library.
TRACE_LIBS := -Wl,-Bstatic -lprotobuf-c -lyajl_s -Wl,-Bdynamic

# The CPU levels of the executor. The body files are the same; the instruction set differs. Threads do nothing else at
# another level, so the build for data races has one.
LEVELS := plain avx2 avx512
ifeq ($(MODE),tsan)
LEVELS := plain
CPPFLAGS += -DEXEC_PLAIN_ONLY
endif
EXEC_OPT_release := -O3
EXEC_OPT    := $(EXEC_OPT_$(MODE))
ARCH_plain  := $(EXEC_OPT)
ARCH_avx2   := $(EXEC_OPT) -mavx2 -mfma -mf16c -mbmi2
ARCH_avx512 := $(EXEC_OPT) -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mf16c -mbmi2 -mprefer-vector-width=512

BODIES := cuda-sim/exec/bodies
PARSER := cuda-sim/ptx
PROTO  := cuda-sim/trace
PARTS  := base isa cuda-sim gpgpu-sim intersim libcuda
SRC    := $(sort $(filter-out $(BODIES)/%,$(shell find $(PARTS) -name '*.c')))
OBJ    := $(SRC:%.c=$(B)/%.o)
GEN    := $(patsubst $(PARSER)/%.l,$(B)/gen/%.lex.o,$(wildcard $(PARSER)/*.l)) \
          $(patsubst $(PARSER)/%.y,$(B)/gen/%.tab.o,$(wildcard $(PARSER)/*.y)) \
          $(patsubst $(PROTO)/%.proto,$(B)/gen/%.pb-c.o,$(wildcard $(PROTO)/*.proto))
EXEC   := $(foreach l,$(LEVELS),$(patsubst $(BODIES)/%.c,$(B)/$(BODIES)/%.$(l).o,$(wildcard $(BODIES)/*.c)))
OBJ    += $(GEN) $(EXEC)
# Follows the commit, so it is no part of libheddle.a: unit programs need not be linked again for it.
VERSION := $(B)/base/version.o
OBJ    := $(filter-out $(VERSION),$(OBJ))
SO_OBJ := $(VERSION) $(filter-out $(addprefix $(B)/cuda-sim/trace/,kernel.o pb.o pb_inst.o set.o static.o),$(OBJ))
TOOL   := $(patsubst %.c,$(B)/%.o,$(wildcard tools/*.c))
UNIT   := $(patsubst %.c,$(B)/%,$(wildcard tests/unit/test_*.c))
# Of these check-full runs the ones that take longest: whole machines, random ones, SMs that run ahead of others.
SLOW   := $(addprefix $(B)/tests/unit/test_,machine sass_machine random_config ahead between_sms golden jumps latency_curves)
FUZZ   := $(patsubst %.c,$(B)/%,$(wildcard tests/fuzz/fuzz_*.c))

# The names under which programs look for the runtime, CUDA 9 to 13, the driver, and what tells of GPUs.
SONAMES := libcuda.so libcuda.so.1 libnvidia-ml.so.1 libcudart.so $(addprefix libcudart.so.,9.0 9.1 9.2 10.0 10.1 10.2 11.0 12 13)

# The stand-in for cuBLAS and cuBLASLt: a library of its own, that calls the driver as any program does.
BLAS_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard blas/*.c) libcuda/image/closed.c)
BLAS_SONAMES := $(foreach l,libcublas libcublasLt,$(addprefix $(l).so.,12 13))

ifeq ($(MODE),release)
LIBDIR := lib
BINDIR := bin
else
LIBDIR := $(B)/lib
BINDIR := $(B)/bin
endif

.PHONY: all lib install uninstall package wheel example check golden check-full unit unit-programs asan tsan hostile bench bench-peers fuzz clean help
all: $(BINDIR)/heddle $(BINDIR)/nvidia-smi $(BINDIR)/accel-sim.out $(BINDIR)/release/accel-sim.out lib
lib: $(addprefix $(LIBDIR)/,$(SONAMES) $(BLAS_SONAMES)) $(LIBDIR)/release/libcudart.so $(LIBDIR)/libheddle-find.so

$(B)/libheddle.a: $(OBJ)
	@rm -f $@
	$(Q)ar qcs $@ $(OBJ)

$(LIBDIR)/libcudasim.so: $(SO_OBJ) libcuda/export.map
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -shared -Wl,-soname,libcudasim.so -Wl,-z,initfirst -Wl,--version-script=libcuda/export.map -Wl,--exclude-libs,ALL -o $@ $(SO_OBJ) $(LDFLAGS) $(TRACE_LIBS) $(LIBS)

$(addprefix $(LIBDIR)/,$(SONAMES)): $(LIBDIR)/libcudasim.so
	@ln -sf libcudasim.so $@

$(LIBDIR)/libheddle-blas.so: $(BLAS_OBJ) $(LIBDIR)/libcudasim.so
	$(Q)$(CC) $(ALL_CFLAGS) -shared -Wl,-soname,libheddle-blas.so -Wl,-rpath,'$$ORIGIN' -o $@ $(BLAS_OBJ) $(LDFLAGS) -L$(LIBDIR) -l:libcudasim.so -pthread
# Under NVIDIA's names are libraries without code that need it: the loader knows a library by the name that it has itself.
$(addprefix $(LIBDIR)/,$(BLAS_SONAMES)): $(LIBDIR)/libheddle-blas.so
	@echo '$(@F) { };' >$(B)/$(@F).map
	$(Q)$(CC) -shared -nostdlib -Wl,-soname,$(@F) -Wl,--version-script=$(B)/$(@F).map -Wl,-rpath,'$$ORIGIN' -Wl,--no-as-needed -o $@ -L$(LIBDIR) -l:libheddle-blas.so
$(B)/blas/handle.o: $(wildcard blas/ptx/*.ptx)

# Goes into the loader, where there is no C library.
$(LIBDIR)/libheddle-find.so: blas/find/find.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -std=c17 $(WARN) -O2 -fPIC -fvisibility=hidden -fno-builtin -fno-stack-protector -nostdlib -shared -Wl,-soname,libheddle-find.so -o $@ $<

$(BINDIR)/heddle: $(TOOL) $(VERSION) $(B)/libheddle.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $(TOOL) $(VERSION) $(B)/libheddle.a $(LDFLAGS) $(TRACE_LIBS) $(LIBS)

# heddle trace under the name that Accel-Sim's scripts call. They look for it and for the library in folders named
# after the build, bin/$ACCELSIM_CONFIG and lib/$GPGPUSIM_CONFIG.
$(BINDIR)/accel-sim.out: $(BINDIR)/heddle
	@ln -sf heddle $@
$(BINDIR)/nvidia-smi: $(BINDIR)/heddle
	@ln -sf heddle $@
$(BINDIR)/release/accel-sim.out: $(BINDIR)/heddle
	@mkdir -p $(@D)
	@ln -sf ../heddle $@
$(LIBDIR)/release/libcudart.so: $(LIBDIR)/libcudasim.so
	@mkdir -p $(@D)
	@ln -sf ../libcudasim.so $@

# Kept: they would be made again by every build.
.PRECIOUS: $(B)/gen/%.lex.c $(B)/gen/%.tab.c $(B)/gen/%.tab.h $(B)/gen/%.pb-c.c $(B)/gen/%.pb-c.h
$(B)/gen/%.lex.c: $(PARSER)/%.l
	@mkdir -p $(@D)
	$(Q)flex -o $@ $<
$(B)/gen/%.tab.c $(B)/gen/%.tab.h: $(PARSER)/%.y
	@mkdir -p $(@D)
	$(Q)bison -Wall -Wno-yacc -d -o $(B)/gen/$*.tab.c $<
$(B)/gen/%.pb-c.c $(B)/gen/%.pb-c.h: $(PROTO)/%.proto
	@mkdir -p $(@D)
	$(Q)protoc-c --proto_path=$(PROTO) --c_out=$(B)/gen $<
# Any source may include the generated headers.
GENH := $(patsubst $(PARSER)/%.y,$(B)/gen/%.tab.h,$(wildcard $(PARSER)/*.y)) \
        $(patsubst $(PROTO)/%.proto,$(B)/gen/%.pb-c.h,$(wildcard $(PROTO)/*.proto))
$(B)/gen/%.o: $(B)/gen/%.c $(GENH)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -Wno-missing-prototypes -Wno-unused-function -Wno-shadow -MMD -MP -c -o $@ $<

define exec_rule
$(B)/$(BODIES)/%.$(1).o: $(BODIES)/%.c
	@mkdir -p $$(@D)
	$$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(ARCH_$(1)) -DEXEC_LEVEL=$(1) -MMD -MP -c -o $$@ $$<
endef
$(foreach l,$(LEVELS),$(eval $(call exec_rule,$(l))))

$(B)/%.o: %.c | $(GENH)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# The commit that is built, with a + if tracked files differ from it, and a digest of the sources. Written only when they
# are others.
SOURCES := $(PARTS) blas tools Makefile configs/SM90_H100/gpgpusim.config
COMMIT := $(if $(wildcard .git),$(shell git rev-parse --short=12 HEAD 2>/dev/null)$(shell git diff --quiet HEAD 2>/dev/null || echo +))
$(B)/gen/commit.h: FORCE
	@mkdir -p $(@D)
	@echo '#define HEDDLE_COMMIT "$(or $(filter-out +,$(COMMIT)),unknown)"' >$@.new
	@echo "#define HEDDLE_SOURCES \"$$(find $(SOURCES) -type f | LC_ALL=C sort | xargs sha1sum | sha1sum | cut -c 1-12)\"" >>$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(VERSION): $(B)/gen/commit.h
.PHONY: FORCE

# The built-in GPU is this file, put into the object whole.
$(B)/base/builtin_config.o: configs/SM90_H100/gpgpusim.config

$(B)/tests/unit/test_%: tests/unit/test_%.c $(B)/libheddle.a | $(VERSION)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(TEST_CFLAGS_$(MODE)) -include tests/unit/check_once.h -include tests/unit/check_main.h -MMD -MP -o $@ $< $(VERSION) $(B)/libheddle.a $(LDFLAGS) $$(pkg-config --cflags --libs check) $(TRACE_LIBS) $(LIBS)

# These run the command and the library as they are.
$(B)/tests/unit/test_tool: | $(BINDIR)/heddle lib

# The program of bad arguments opens the library as any program does.
SWEEP := $(B)/tests/sweep/sweep
$(SWEEP): $(wildcard tests/sweep/*.[ch]) $(wildcard tests/sweep/*.def) libcuda/runtime/api.def libcuda/driver/driver.def | lib
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -o $@ $(filter %.c,$^) $(LDFLAGS) $(LIBS)

$(B)/tests/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(B)/libheddle.a | $(VERSION)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -fsanitize=fuzzer -o $@ $< $(VERSION) $(B)/libheddle.a $(LDFLAGS) $(TRACE_LIBS) $(LIBS)

unit-programs: $(UNIT)
unit: $(UNIT)
	@tests/units $(filter-out $(SLOW),$(UNIT))

# The bundled program, on the simulated GPU.
example: all
	toolkit/heddlecc -o build/matmul examples/matmul.cu
	bin/heddle run -- build/matmul

check: all unit $(SWEEP)
	@tools/layers $(B)
	@$(SWEEP) --part 0/4
	@blas/make_ptx --check
	@tests/golden/run
	@tests/run quick
	@tests/run timed atomic_integer device_heap
	@tests/run checkpoint graph_conditional
	@tests/checks bounds_read freed init_part leak race_tiles sync_branch
	@tests/python/run test_configurations test_flops test_hardware test_package test_part
	@tests/peers

# Accepts changed statistics on purpose.
golden: all $(B)/tests/unit/test_golden
	@tests/golden/run --accept
	@HEDDLE_GOLDEN=accept $(B)/tests/unit/test_golden

# Of each kind of memory, of streams, graphs and launches. `tests/run checkpoint` walks all programs, of which some have
# options that contradict its modes.
CHECKPOINTS := atomic_integer async_copy batch_copy bulk_copy checkpoint_kinds cluster_async dependent_launch \
	device_alloca device_heap device_launch driver_copy driver_memory graph_capture graph_conditional \
	graph_memory graph_update launch_cooperative managed_variable memory_constant stream_overlap surface \
	texture_object mbarrier tma rdc api_pinned api_managed algo_reduction algo_sort

# All of it, or with PART=K/N the K-th part, from 0 on, of N: of what consists of many alike, such as programs in each mode (tests/part).
PART   ?=
export PART
# The 200 random configurations: which one the part begins with (0), which one its second half (1), and the one behind its last (2).
part_of := $(subst /, ,$(or $(PART),0/1))
configs = $(shell echo $$((200 * (2 * $(firstword $(part_of)) + $(1)) / (2 * $(lastword $(part_of))))))
check-full: all $(SWEEP) $(SLOW) $(B)/tests/unit/test_hopper_times $(B)/tests/unit/test_latency_curves $(B)/tests/unit/test_variables $(B)/tests/unit/test_cubin_text $(B)/tests/unit/test_random_bodies
	@$(SWEEP)
	@HEDDLE_CONFIGS=$(call configs,0):$(call configs,1) $(B)/tests/unit/test_random_config & half=$$!; \
	HEDDLE_CONFIGS=$(call configs,1):$(call configs,2) $(B)/tests/unit/test_random_config; other=$$?; wait $$half && exit $$other
	@tests/units $(filter-out %_config,$(SLOW))
	@CK_RUN_CASE=bandwidth HEDDLE_BANDWIDTH=1 $(B)/tests/unit/test_hopper_times
	@CK_RUN_CASE=beyond HEDDLE_CURVES=1 $(B)/tests/unit/test_latency_curves
	@tests/run timed
	@tests/run checkpoint $(CHECKPOINTS)
	@tests/cubins
	@tests/bodies/run
	@tests/run full
	@tests/checks full
	@tests/python/run full
	@tests/ci full

# PREFIX/bin, PREFIX/lib/heddle, PREFIX/share; below DESTDIR, for those who make packages.
PREFIX ?= /usr/local
install: all
	@tools/install "$(DESTDIR)$(PREFIX)"
uninstall:
	@tools/install --remove "$(DESTDIR)$(PREFIX)"

# The files of the Python package, which setup.py asks for, and the wheel, in build/wheel.
package: all
	@CC="$(CC)" tools/install --package "$(CURDIR)/build/package"
wheel:
	@tools/wheel

asan tsan hostile:
	$(MAKE) MODE=$@ unit-programs all
	tests/run $@

fuzz:
	$(MAKE) MODE=fuzz CC=clang fuzz-programs
	tests/run fuzz
fuzz-programs: $(FUZZ)

bench: all
	@bench/run $(if $(AGAINST),--against $(AGAINST))
# Beside GPGPU-Sim and Accel-Sim in a folder of the user's own: bench/peers --help.
bench-peers: all
	@$(if $(PEERS),,echo 'make bench-peers PEERS=DIR: bench/peers --help shows how DIR should look'; exit 2;) \
	bench/peers $(PEERS) $(CASES)

clean:
	rm -rf build bin lib

help:
	@echo 'make             bin/heddle and lib/libcudart.so.*'
	@echo 'make install     bin/heddle, lib/heddle, share/heddle under PREFIX=/usr/local; make uninstall'
	@echo 'make wheel       the Python package as a wheel, in build/wheel (docs/python.md)'
	@echo 'make example     the bundled CUDA program on the simulated GPU'
	@echo 'make check       unit tests and a part of the program tests, three minutes on two processors'
	@echo 'make golden      accepts changed golden statistics; say why in the commit'
	@echo 'make check-full  all program tests, and the slow ones; nvcc-built programs where nvcc is present'
	@echo 'make asan|tsan|hostile   the tests in that build'
	@echo 'make fuzz        each fuzz target for a minute (clang)'
	@echo 'make bench-peers PEERS=DIR   GPGPU-Sim and Accel-Sim, built in DIR, beside Heddle: bench/peers --help'
	@echo 'make bench       checks results, then times them; with AGAINST=TREE beside another checkout'

-include $(shell find $(B) -name '*.d' 2>/dev/null)
