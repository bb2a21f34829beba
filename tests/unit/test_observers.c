// Every front end runs on every core, and without timing if it executes, under every observer: each writes what it should, or says
// that it does not apply, and no counter of the GPU changes because somebody looks on.
#include "tests/unit/kernel_text.h"
#include "tests/unit/modern_harness.h"
#include "tests/unit/timing_harness.h"
#include "tests/unit/trace_text.h"

#include "cuda-sim/check/check.h"
#include "cuda-sim/exec/inst_log.h"
#include "cuda-sim/sass/exec/kernel.h"
#include "gpgpu-sim/look/debugger.h"
#include "cuda-sim/trace/write/writer.h"
#include "libcuda/code/machine_code.h"
#include "libcuda/image/cubin_text.h"

#include <dirent.h>
#include <ftw.h>
#include <zlib.h>

// SASS is text without values, MACHINE a cubin that is executed; the others replay what PTX and MACHINE wrote, EXTENDED as an
// extended trace.
enum front { PTX, SASS, TRACE, MACHINE, WRITTEN, WRITTEN_MACHINE, EXTENDED, N_FRONTS };
enum core { CLASSIC, MODERN, FUNCTIONAL, N_CORES };
enum observer { NOBODY, TIME_LAPSE, LINES, FLOW, INST_LOG, STREAMS, DEBUGGER, HAZARDS, CHECKS, EVERYBODY, N_OBSERVERS };

static const char *const core_options[N_CORES] = {
	[CLASSIC] = TIMED_BASE,
	[MODERN] = MODERN_BASE,
	[FUNCTIONAL] = TIMED_BASE,
};
// Samples are taken in all runs: taking one counts the latencies since the last.
static const char sampled[] = "-gpgpu_runtime_stat 64:0\n-gpgpu_cflog_interval 0\n-gpgpu_perfect_inst_const_cache 0\n";

// Loads, a branch that lanes disagree about, shared memory and a barrier: 2 blocks of 2 warps.
static const char ptx[] = KERNEL_HEAD KERNEL_ENTRY("k")
	".shared .align 4 .b8 s[512];\n"
	"mad.wide.u32 %rd10, %r4, 4, %rd1; and.b32 %r9, %r1, 1; setp.eq.u32 %p1, %r9, 1;\n"
	"ld.global.u32 %r10, [%rd10];\n@%p1 bra S;\nadd.u32 %r10, %r10, 5;\n"
	"S: shl.b32 %r11, %r1, 2; mov.u32 %r12, s; add.u32 %r12, %r12, %r11;\nst.shared.u32 [%r12], %r10;\nbar.sync 0;\n"
	"ld.shared.u32 %r13, [%r12];\nst.global.u32 [%rd10], %r13;\nret;\n}\n";

// Two of the four warps that come to a barrier do not exist.
static const char stuck_ptx[] = KERNEL_HEAD KERNEL_ENTRY("k") "bar.sync 1, 128;\nret;\n}\n";
static const char stuck_machine[] = ".kernel k\n.target sm_80\n.regs 8\n.barriers 2\n.param 0x0, 8\n"
	"[B------:R-:W-:-:S05] MOV R1, c[0x0][0x28]\n[B------:R-:W-:-:S05] BAR.SYNC 0x1, 0x80\n[B------:R-:W-:-:S05] EXIT\n";

static const char sass[] = ".kernel k\n.grid 2\n.block 64\n"
	"[S04] MOV R4, 0x1\n[W0:S02] LDG.E R5, [R2] ; addr=0x20000000+4*lane\n[B0:S04] FADD R6, R5, R4\n"
	"[R1:S02] STS [R2], R6 ; addr=4*lane\n[B1:S01] BAR.SYNC 0x0\n[W0:S02] LDS R7, [R2] ; addr=4*lane\n"
	"[B0:R1:S02] STG.E [R2], R7 ; addr=0x20001000+4*lane\n[B1:S05] EXIT\n";

static struct trace_maker *trace(void)
{
	struct trace_maker *m = maker_new();
	maker_header(m, 4, 70, 2, 64, false, 0);
	for (unsigned c = 0; c < 2; c++) {
		maker_put(m, "#BEGIN_TB\n\nthread block = %u,0,0\n", c);
		for (unsigned w = 0; w < 2; w++) {
			maker_put(m, "\nwarp = %u\ninsts = 8\n0000 ffffffff 1 R4 MOV 0 0 0 \n", w);
			maker_put(m, "0010 ffffffff 1 R5 LDG.E.SYS 1 R2 4 1 0x7f2000000000 4 0 \n");
			maker_put(m, "0020 ffffffff 1 R6 FADD 2 R5 R4 0 0 \n0030 ffffffff 0 STS 2 R2 R6 4 1 0x7f0000000000 4 0 \n");
			maker_put(m, "0040 ffffffff 0 BAR.SYNC 0 0 0 \n0050 ffffffff 1 R7 LDS 1 R2 4 1 0x7f0000000000 4 0 \n");
			maker_put(m, "0060 ffffffff 0 STG.E.SYS 2 R2 R7 4 1 0x7f2000001000 4 0 \n0070 ffffffff 0 EXIT 0 0 0 \n");
		}
		maker_put(m, "\n#END_TB\n\n");
	}
	return m;
}

struct run {
	enum front front;
	enum core core;
	enum observer observer;
	struct options opt;
	struct gpu_desc desc;
	struct gpu *gpu;
	struct ptx_bench *bench;     // PTX and MACHINE, and while a trace of them is made
	struct machine_code machine;
	struct machine_kernel code;
	bool stuck;                  // the kernel waits at a barrier for ever
	uint8_t *image;              // of the cubin, if it was made of text
	struct sass_program *program;
	struct trace_kernel *kernel;
	struct trace_set *set;
	struct trace_maker *maker;
	struct inst_log *log;
	struct check *check;
	struct check_counts found;
	struct dbg_streams dbg;
	struct gpu_watch watch;
	struct kernel_launch launch;
	uint64_t out;
	char folder[40], time_lapse[64], lines_file[64], log_file[64];
	struct text said, notes, streams, talk, counts, reports, counters;
	char *warnings;              // as the GPU was made
	uint64_t lanes;              // that instructions ran for, guard aside
	uint64_t cycles;
};

static bool looks(const struct run *r, enum observer o) { return r->observer == o || r->observer == EVERYBODY; }

static void put_said(void *ctx, const char *s) { text_add(&((struct run *)ctx)->said, s); }
static void put_counts(void *ctx, const char *s) { text_add(&((struct run *)ctx)->counts, s); }
static void put_check(void *ctx, const char *s) { text_add(&((struct run *)ctx)->reports, s); }
static const char *plain(void *ctx, const char *name) { return name; }
static void put_stream(void *ctx, const char *s) { text_add(&((struct run *)ctx)->streams, s); }
static void put_talk(void *ctx, const char *s) { text_add(&((struct run *)ctx)->talk, s); }
static bool no_command(void *ctx, char *buf, size_t len) { return false; } // the debugger lets go
static void put_report(void *ctx, enum gpu_report kind, const char *s) { text_add(&((struct run *)ctx)->notes, s); }

static void load(struct run *r, const char *text)
{
	struct diag d = {0};
	ck_assert_msg(options_load_text(&r->opt, "test", text, strlen(text), FROM_FILE, &d), "%s", d.text);
	diag_free(&d);
}

__attribute__((format(printf, 2, 3))) static void option(struct run *r, const char *fmt, ...)
{
	char line[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	load(r, line);
}

static bool is_machine(const struct run *r) { return r->front == MACHINE || r->front == WRITTEN_MACHINE || r->front == EXTENDED; }

static void choose_options(struct run *r)
{
	options_defaults(&r->opt);
	load(r, core_options[r->core]);
	load(r, sampled);
	if (r->front == SASS || r->front == TRACE || is_machine(r))
		load(r, "-machine_code_latencies 1\n");
	if (looks(r, TIME_LAPSE))
		option(r, "-visualizer_enabled 1\n-visualizer_outputfile %s\n", r->time_lapse);
	if (looks(r, LINES))
		option(r, "-enable_ptx_file_line_stats 1\n-ptx_line_stats_filename %s\n", r->lines_file);
	if (looks(r, FLOW))
		load(r, "-gpgpu_cflog_interval 64\n");
	if (looks(r, STREAMS))
		load(r, "-trace_enabled 1\n-trace_components ALL\n-trace_sampling_core -1\n-trace_sampling_memory_partition -1\n");
	if (looks(r, HAZARDS))
		load(r, "-check_control_bits 1\n");
}

// Machine code stops at a line of its source.
static const char *stop_of(const struct run *r) { return r->front == MACHINE ? "look.cu:12" : "k"; }

static void make_gpu(struct run *r)
{
	struct diag d = {0};
	choose_options(r);
	ck_assert(gpu_desc_from_options(&r->desc, &r->opt, &d));
	r->gpu = gpu_new(&r->opt, &r->desc, r->core != FUNCTIONAL, &d);
	ck_assert_msg(r->gpu && !d.errors, "%s", d.text);
	r->warnings = strdup(d.text ? d.text : "");
	gpu_set_output(r->gpu, put_said, r);
	r->watch = (struct gpu_watch){.ctx = r, .report = put_report};
	if (looks(r, STREAMS)) {
		ck_assert(dbg_init(&r->dbg, &r->opt, NULL, &d));
		r->dbg.ctx = r;
		r->dbg.put = put_stream;
		r->watch.dbg = &r->dbg;
	}
	if (looks(r, DEBUGGER)) {
		char why[300];
		r->watch.debugger = debugger_new(&(struct debugger_io){.ctx = r, .read_line = no_command, .put = put_talk});
		ck_assert_msg(debugger_add(r->watch.debugger, stop_of(r), why, sizeof why), "%s", why);
	}
	gpu_watch(r->gpu, &r->watch);
	diag_free(&d);
}

// tests/machine/look.cu, which stores and loads as the kernel of PTX does; or a text.
static void make_machine(struct run *r)
{
	static uint8_t file[16384];
	struct diag d = {0};
	char path[600];
	uint8_t *image = file;
	size_t n = 0;
	if (r->stuck) {
		ck_assert_msg(cubin_assemble("stuck.sass", stuck_machine, strlen(stuck_machine), &image, &n, &d), "%s", d.text);
		r->image = image;
	} else {
		snprintf(path, sizeof path, "%.*smachine/look.80.cubin", (int)(strstr(__FILE__, "unit/") - __FILE__), __FILE__);
		FILE *f = fopen(path, "rb");
		ck_assert_msg(f != NULL, "%s", path);
		n = fread(file, 1, sizeof file, f);
		fclose(f);
	}
	bool ok = machine_code_open(&r->machine, &r->bench->program, r->bench->mem, image, n, "look", &d) &&
	          machine_code_link(&r->machine, NULL, 0, &d) && machine_code_kernel(&r->machine, "k", 0, &r->code, &d);
	ck_assert_msg(ok, "%s", d.text);
	r->launch.fe = &sass_frontend;
	r->launch.code = r->code.code;
	r->launch.info = &r->code.info;
}

static void launch_ptx(struct run *r)
{
	r->bench = bench_new(r->stuck ? stuck_ptx : ptx);
	r->out = bench_alloc(r->bench, 4096);
	memset((void *)(uintptr_t)r->out, 0, 4096);
	r->launch = bench_launch(r->bench, "k", 2, 64);
	if (is_machine(r))
		make_machine(r);
}

static void free_program(struct run *r)
{
	if (r->code.code)
		sass_kernel_free(r->code.code);
	if (r->machine.machine)
		machine_code_close(&r->machine);
	if (r->bench)
		bench_free(r->bench);
	mem_free(r->image);
}

static void run_launch(struct run *r)
{
	gpu_start(r->gpu, &r->launch);
	for (unsigned n = 0; !gpu_run(r->gpu, 10000); n++)
		ck_assert_msg(n < 1000, "the kernel does not end");
	ck_assert_msg(!r->launch.fault.kind, "%s", r->launch.fault.text);
	r->cycles = gpu_cycle(r->gpu);
}

// The trace that WRITTEN replays.
static void write_trace(struct run *r)
{
	struct diag d = {0};
	struct trace_writer *w = trace_writer_new(r->folder, &(struct trace_writing){.extended = r->front == EXTENDED}, &d);
	ck_assert_msg(w, "%s", d.text);
	struct run program = {.front = r->front == WRITTEN ? PTX : MACHINE, .core = r->core};
	uint64_t params[4] = {0};
	make_gpu(&program);
	launch_ptx(&program);
	params[0] = program.out;
	program.launch.params = (const uint8_t *)params;
	program.launch.fe = trace_writer_frontend(w, program.launch.fe);
	run_launch(&program);
	gpu_free(program.gpu);
	free_program(&program);
	options_free(&program.opt);
	text_free(&program.said);
	text_free(&program.notes);
	free(program.warnings);
	ck_assert_msg(trace_writer_close(w, &d), "%s", d.text);
	diag_free(&d);
}

static void open_trace(struct run *r)
{
	char why[1200], path[300] = "";
	struct trace_rules rules = {0};
	if (r->front == TRACE) {
		r->maker = trace();
		r->kernel = trace_kernel_open_text("t", r->maker->text, r->maker->len, &rules, 0, UINT64_MAX, why, sizeof why);
	} else if (r->front == EXTENDED) {
		write_trace(r);
		r->set = trace_set_open(r->folder, why, sizeof why);
		ck_assert_msg(r->set && r->set->kernel.n == 1, "%s", why);
		r->kernel = trace_kernel_open_extended(r->set, 0, &rules, 0, UINT64_MAX, why, sizeof why);
	} else {
		write_trace(r);
		DIR *d = opendir(r->folder);
		for (struct dirent *e; (e = readdir(d));)
			if (!strncmp(e->d_name, "kernel-", 7))
				snprintf(path, sizeof path, "%s/%s", r->folder, e->d_name);
		closedir(d);
		r->kernel = trace_kernel_open(path, &rules, 0, UINT64_MAX, why, sizeof why);
	}
	ck_assert_msg(r->kernel, "%s", why);
	trace_kernel_launch(r->kernel, &r->launch, 0);
}

// What the kernel reads counts as written by nobody.
static void start_check(struct run *r)
{
	const struct check_setup s = {.tools = CHECK_ALL, .mem = r->bench->mem, .counts = &r->found, .ctx = r, .put = put_check, .plain = plain};
	r->check = check_new(&s);
	check_allocated(r->check, devmem_find(r->bench->mem, r->out), NULL);
	r->bench->services.checker = check_as_checker(r->check);
}

static void launch(struct run *r, uint64_t params[4])
{
	switch (r->front) {
	case PTX:
	case MACHINE:
		launch_ptx(r);
		params[0] = r->out;
		r->launch.params = (const uint8_t *)params;
		r->bench->services.log = r->log;
		if (looks(r, CHECKS))
			start_check(r);
		break;
	case SASS:
		r->program = mrun_parse(sass);
		sass_text_launch(r->program, &r->launch, 0);
		break;
	default:
		open_trace(r);
	}
	r->launch.uid = 1;
}

static struct run *observe(enum front front, enum core core, enum observer o)
{
	struct run *r = MEM_NEW(struct run);
	struct diag d = {0};
	uint64_t params[4] = {0};
	*r = (struct run){.front = front, .core = core, .observer = o};
	strcpy(r->folder, "/tmp/heddle-observers-XXXXXX");
	ck_assert(mkdtemp(r->folder));
	snprintf(r->time_lapse, sizeof r->time_lapse, "%s/log.gz", r->folder);
	snprintf(r->lines_file, sizeof r->lines_file, "%s/lines", r->folder);
	snprintf(r->log_file, sizeof r->log_file, "%s/insts", r->folder);
	make_gpu(r);
	if (looks(r, INST_LOG))
		ck_assert((r->log = inst_log_new(r->log_file, 0, true, &d)));
	launch(r, params);
	run_launch(r);
	gpu_print_kernel_stats(r->gpu, &r->launch, put_said, r);
	if (r->log)
		inst_log_end(r->log, &r->launch, put_counts, r);
	if (r->check)
		check_launched(r->check, &r->launch);
	struct timed t = {.t = r->gpu->timing};
	timed_line(&t, "instructions %llu %llu\n", (unsigned long long)r->launch.counts.warp_insts,
	           (unsigned long long)r->launch.counts.thread_insts);
	if (core != FUNCTIONAL)
		timed_all_counters(&t);
	timed_line(&t, "cycles %llu\n", (unsigned long long)r->cycles);
	text_add(&r->counters, t.text);
	free(t.text);
	for (unsigned i = 0; core != FUNCTIONAL && i < r->gpu->timing->core.n_sm; i++)
		for (unsigned n = 1; n <= 32; n++)
			r->lanes += n * r->gpu->timing->sm[i].stats.distro[2 + n];
	return r;
}

// Closes what is being written; the rest stays to be looked at.
static void finish(struct run *r)
{
	gpu_free(r->gpu);
	r->gpu = NULL;
	inst_log_free(r->log);
	if (r->check)
		check_free(r->check);
	debugger_free(r->watch.debugger);
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at) { return remove(path); }

static void run_free(struct run *r)
{
	nftw(r->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	if (r->kernel)
		trace_kernel_close(r->kernel);
	trace_set_free(r->set);
	if (r->maker)
		maker_free(r->maker);
	if (r->program)
		sass_text_free(r->program);
	free_program(r);
	options_free(&r->opt);
	text_free(&r->said), text_free(&r->notes), text_free(&r->streams), text_free(&r->talk), text_free(&r->counts), text_free(&r->reports), text_free(&r->counters);
	free(r->warnings);
	mem_free(r);
}

// --- what each observer has to show

static bool knows_code(const struct run *r) { return r->front != TRACE; }

static void ck_has(const char *text, const char *what)
{
	ck_assert_msg(text && strstr(text, what), "wanted: %s\nin: %.1500s", what, text ? text : "nothing");
}

static struct text read_file(const char *path)
{
	struct text t = {0};
	char buf[4097];
	text_add(&t, "");
	gzFile f = gzopen(path, "r"); // reads plain files too
	for (int n; f && (n = gzread(f, buf, 4096)) > 0;) {
		buf[n] = 0;
		text_add(&t, buf);
	}
	if (f)
		gzclose(f);
	return t;
}

// Pairs of line and lanes in the lines that begin with `head`, summed over all of them.
static uint64_t flow_sum(const char *text, const char *head)
{
	uint64_t sum = 0;
	for (const char *s = text; (s = strstr(s, head)); s++) {
		char *at = strchr(s, ':') + 1;
		while (*at != '\n') {
			unsigned long line = strtoul(at, &at, 10), n = strtoul(at, &at, 10);
			ck_assert(line || !n);
			sum += n;
			at += strspn(at, " ");
		}
	}
	return sum;
}

static void says_that_lines_are_unknown(const struct run *r)
{
	ck_has(r->notes.at, "heddle: kernel 'k0' is left out of the counters of lines");
}

static void check_time_lapse(struct run *r)
{
	struct text t = read_file(r->time_lapse);
	ck_has(t.at, "globalcyclecount: ");
	// With -gpgpu_cflog_interval the snapshots have the flow.
	if (!looks(r, FLOW) && knows_code(r)) {
		uint64_t n = flow_sum(t.at, "CFLog00: ");
		// What runs behind the last sample is not logged.
		ck_assert_msg(n && n <= r->lanes, "%llu of %llu", (unsigned long long)n, (unsigned long long)r->lanes);
	}
	if (!knows_code(r))
		says_that_lines_are_unknown(r);
	text_free(&t);
}

static void check_lines(struct run *r)
{
	struct text t = read_file(r->lines_file);
	uint64_t sum = 0;
	unsigned rows = 0;
	ck_has(t.at, "kernel line : count latency");
	for (const char *s = strchr(t.at, '\n'); s && s[1]; s = strchr(s + 1, '\n')) {
		unsigned long long n;
		const char *colon = strstr(s, " : ");
		if (!colon)
			break;
		ck_assert_int_eq(sscanf(colon, " : %llu", &n), 1);
		sum += n;
		rows++;
	}
	ck_assert_uint_eq(sum, knows_code(r) ? r->lanes : 0);
	if (r->front == SASS)
		ck_assert_uint_eq(rows, 8); // a line for each instruction
	if (r->front == MACHINE)
		ck_has(t.at, "look.cu 11 : ");
	if (r->front == WRITTEN_MACHINE || r->front == EXTENDED) // its trace has no source
		ck_has(t.at, "k.of.");
	if (!knows_code(r))
		says_that_lines_are_unknown(r);
	text_free(&t);
}

static void check_flow(struct run *r)
{
	ck_has(r->said.at, "CFLog00-");
	ck_assert_uint_eq(flow_sum(r->said.at, "CFLog00-"), knows_code(r) ? r->lanes : 0);
	if (!knows_code(r))
		says_that_lines_are_unknown(r);
}

// Of what is executed only. `heddle trace` says so.
static void check_log(struct run *r)
{
	struct text t = read_file(r->log_file);
	if (r->front == PTX) {
		ck_has(t.at, "[thd=128]");
		ck_has(r->counts.at, "ptx_instruction_op[st] = 256\n");
	} else if (r->front == MACHINE) {
		ck_has(t.at, "look.cu:12, pc 0x");
		ck_has(t.at, "[thd=128] : (");
		ck_has(r->counts.at, "sass_instruction_op[STS] = 128\n");
		ck_has(r->counts.at, "sass_instruction_op[LDG] = 128\n");
		ck_has(r->counts.at, "sass_instruction_space[shared] = 256\n");
		const char *store = strstr(t.at, " - STS");
		ck_assert_msg(store && !strncmp(strchr(store, '\n') + 1, "    reads R", 11), "%.200s", store);
	} else {
		ck_assert_uint_eq(t.n, 0);
	}
	text_free(&t);
}

static void check_streams(struct run *r)
{
	unsigned issued = 0;
	for (unsigned s = 0; s < DBG_N_STREAMS; s++) {
		char want[64];
		snprintf(want, sizeof want, ": %s - ", dbg_table[s].name);
		// STREAM and CFG are libcuda's; the modern core has a view of its pipeline instead of why warps wait.
		bool there = s != DBG_STREAM && s != DBG_CFG && (s == DBG_CORE || s == DBG_WARP_SCHEDULER || s == DBG_SCOREBOARD
			? (s == DBG_CORE) == (r->core == MODERN) : true);
		if (there)
			ck_has(r->streams.at, want);
	}
	for (const char *s = r->streams.at; (s = strstr(s, ": ISSUE - ")); s++)
		issued++;
	ck_assert_uint_eq(issued, r->launch.counts.warp_insts);
}

static void check_debugger(struct run *r)
{
	char stop[40];
	snprintf(stop, sizeof stop, "stop 1 (%s) in cycle ", stop_of(r));
	ck_has(r->talk.at, stop);
	ck_has(r->talk.at, r->front == MACHINE ? "), next: pc 0x" : "gpu.sm[0] warp 0 (block (0,0,0), its warp 0), next: ");
	if (r->front == MACHINE)
		ck_has(r->talk.at, "look.cu:12)");
}

static void check_hazards(struct run *r)
{
	if (r->core == CLASSIC)
		ck_has(r->warnings, "'-check_control_bits'");
	else
		ck_assert(!r->notes.at || !strstr(r->notes.at, "overwrites"));
}

// Of what is executed only.
static void check_checks(struct run *r)
{
	const bool executes = r->front == PTX || r->front == MACHINE;
	ck_assert_uint_eq(r->found.reports, executes);
	if (!executes)
		return;
	ck_has(r->reports.at, "========= Uninitialized __global__ memory read of size 4 bytes\n=========     at k+0x");
	ck_has(r->reports.at, r->front == MACHINE ? " in look.cu:6\n" : " in test.ptx:");
	ck_has(r->reports.at, "    by thread (0,0,0) in block (0,0,0)\n");
	ck_has(r->reports.at, "    and so did 127 more threads\n");
}

static void (*const check[N_OBSERVERS])(struct run *r) = {
	[TIME_LAPSE] = check_time_lapse, [LINES] = check_lines, [FLOW] = check_flow,
	[INST_LOG] = check_log, [STREAMS] = check_streams, [DEBUGGER] = check_debugger, [HAZARDS] = check_hazards, [CHECKS] = check_checks,
};

START_TEST(everybody_sees_and_nobody_disturbs)
{
	enum front f = (enum front)(_i / N_CORES);
	enum core c = (enum core)(_i % N_CORES);
	if (c == FUNCTIONAL && f != PTX && f != MACHINE)
		return; // what runs without timing is executed
	struct run *alone = observe(f, c, NOBODY);
	finish(alone);
	ck_assert_msg(!alone->notes.at && !*alone->warnings, "%s%s", alone->notes.at, alone->warnings);
	for (unsigned o = NOBODY + 1; o < N_OBSERVERS; o++) {
		struct run *r = observe(f, c, (enum observer)o);
		finish(r);
		const char *differs = timed_difference(r->counters.at, alone->counters.at);
		ck_assert_msg(!differs, "front end %u, core %u, observer %u: %s", f, c, o, differs);
		for (unsigned k = 0; k < N_OBSERVERS; k++)
			if (check[k] && looks(r, (enum observer)k) && (c != FUNCTIONAL || k == INST_LOG || k == CHECKS)) // others look at the timing model
				check[k](r);
		run_free(r);
	}
	run_free(alone);
}
END_TEST

static struct run *make(enum front f, enum core c)
{
	struct run *r = MEM_NEW(struct run);
	*r = (struct run){.front = f, .core = c};
	strcpy(r->folder, "/tmp/heddle-observers-XXXXXX");
	ck_assert(mkdtemp(r->folder));
	return r;
}

static const struct {
	enum front front;
	enum core core;
	const char *place;
} stuck[] = {
	{PTX, CLASSIC, "test.ptx:9 in k: bar.sync 1, 128"}, {PTX, MODERN, "test.ptx:9 in k: bar.sync 1, 128"},
	{MACHINE, CLASSIC, "pc 0x10 in k of look: BAR.SYNC 0x1, 0x80"}, {MACHINE, MODERN, "pc 0x10 in k of look: BAR.SYNC 0x1, 0x80"},
};

START_TEST(a_deadlock_names_the_place)
{
	struct run *r = make(stuck[_i].front, stuck[_i].core);
	uint64_t params[4] = {0};
	r->stuck = true;
	make_gpu(r);
	launch_ptx(r);
	r->launch.params = (const uint8_t *)params;
	gpu_start(r->gpu, &r->launch);
	for (unsigned n = 0; !gpu_run(r->gpu, 10000); n++)
		ck_assert_msg(n < 1000, "the kernel does not end");
	ck_assert_int_eq(r->launch.fault.kind, FAULT_TIMEOUT);
	ck_has(r->notes.at, "heddle: deadlock: ");
	ck_has(r->notes.at, "4 warps: waits at barrier 1 (64 of 128 threads have come) at ");
	ck_has(r->notes.at, stuck[_i].place);
	finish(r);
	run_free(r);
}
END_TEST

// As text, and as a file for graphviz.
START_TEST(the_flow_of_machine_code_is_a_graph)
{
	struct run *r = make(MACHINE, MODERN);
	char *text = NULL;
	size_t n;
	make_gpu(r);
	launch_ptx(r);
	FILE *f = open_memstream(&text, &n);
	r->launch.fe->write_flow(r->launch.code, _i, f);
	fclose(f);
	ck_has(text, "BSSY B0");
	ck_has(text, "BAR.SYNC");
	ck_has(text, _i ? "digraph" : "k");
	free(text);
	finish(r);
	run_free(r);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("observers");
	TCase *c = tcase_create("observers");
	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, everybody_sees_and_nobody_disturbs, 0, N_FRONTS * N_CORES);
	tcase_add_loop_test(c, a_deadlock_names_the_place, 0, sizeof stuck / sizeof *stuck);
	tcase_add_loop_test(c, the_flow_of_machine_code_is_a_graph, 0, 2);
	suite_add_tcase(s, c);
	return check_main(s);
}
