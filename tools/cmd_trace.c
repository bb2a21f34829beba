// heddle trace: replays SASS traces on the simulated GPU. Called as accel-sim.out it is the same command.
#include "tools/config_args.h"
#include "tools/replay_kernel.h"
#include "tools/tools.h"
#include "tools/trace_jobs.h"
#include "tools/trace_watch.h"

#include "base/kernel_select.h"
#include "base/mem.h"
#include "base/option_forms.h"
#include "base/options.h"
#include "base/output.h"
#include "base/threads.h"
#include "base/vec.h"
#include "base/version.h"
#include "cuda-sim/trace/kernelslist.h"
#include "gpgpu-sim/look/debugger.h"
#include "gpgpu-sim/gpu.h"
#include "gpgpu-sim/look/debug_streams.h"
#include "gpgpu-sim/look/look.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: heddle trace -trace kernelslist.g [-c CONFIG]... [-option value]...\n"
	"\n"
	"Replays the kernels of a list of SASS traces, made by Accel-Sim's tracer. -trace may also name the trace of one\n"
	"kernel, a kernel written in SASS (.sass, docs/sass-text.md), a folder with a kernelslist.g, or the "
    "dynamic_trace.pb\n"
	"of an extended trace; see docs/traces.md.\n"
	"  -c, -config CONFIG        configuration file, its folder, or a name from configs/; give gpgpusim.config and, for\n"
	"                            machine code, trace.config; the last setting wins\n"
	"  -option value             any option of configuration files; wins over files and HEDDLE_OPTIONS\n"
	"  -kernels LIST             kernels by number (2,5-9) or name (gemm*)\n"
	"  -trace_select_ctas RANGE  thread blocks of each kernel (0-159)\n"
	"  -trace_dependences RULE   full, or accelsim for what Accel-Sim does\n"
	"  -trace_strict 1           unknown opcodes are errors\n"
	"  --trace STREAMS           print these debug streams: core (the pipeline of the modern core), issue,fetch, ...\n"
	"  --break PLACE             stop in the debugger: cycle=N, 0xADDRESS or a kernel's name; see docs/debugging.md\n"
	"  -j N                      each kernel on a GPU of its own, with empty caches, N of them at a time\n";

struct job {
	struct replay_kernel kernel;
	struct kernel_launch launch;
	uint32_t uid;
	bool launched;
};

struct replay {
	struct options opt;
	struct gpu_desc desc;
	struct gpu *gpu;
	struct kernelslist list;
	struct trace_set *set; // of an extended trace, which the list's kernels are in
	struct kernel_select select;
	struct trace_rules rules;
	uint64_t first_cta, last_cta;
	FILE *stats;
	struct job **job;      // opened and not finished, in the order of the list
	unsigned n_job, window;
	size_t next, end;      // command; where this process ends
	unsigned width;        // of -j; 0: one GPU for all kernels
	uint32_t uid, uid_next; // launches so far; the parent's of -j
	bool written;          // by heddle run --write-trace, of PTX
	bool configured;       // the options make a GPU
	bool failed;
	struct map named;      // kernels by name: the place of their code
	struct map told;       // notes
	struct arena strings;
	struct trace_watch watch;
	char *breaks;          // places of --break, a line each
};

// Between the code of two kernels: more than any kernel has.
#define CODE_SPACE ((uint64_t)1 << 24)

static void put(void *ctx, const char *text) { fputs(text, ctx); }

static void note(void *ctx, const char *file, const char *text)
{
	struct replay *r = ctx;
	size_t n = strlen(text);
	if (map_get(&r->told, text, n))
		return;
	map_put(&r->told, arena_strdup(&r->strings, text), n, r);
	fprintf(stderr, "heddle: warning: %s: %s\n", file, text);
}

static void complain(struct replay *r, const char *text)
{
	fflush(r->stats);
	fprintf(stderr, "heddle: error: %s\n", text);
	r->failed = true;
}

static uint64_t code_base(struct replay *r, const char *name)
{
	if (r->rules.accelsim)
		return 0; // there all kernels lie at the same place
	size_t n = strlen(name);
	char *at = map_get(&r->named, name, n);
	if (!at) {
		at = (char *)0 + r->named.n + 1;
		map_put(&r->named, arena_strdup(&r->strings, name), n, at);
	}
	return (uint64_t)(at - (char *)0 - 1) * CODE_SPACE;
}

// --- setting up

static bool read_options(struct replay *r, int argc, char **argv, struct diag *d)
{
	struct options *o = &r->opt;
	struct config_args a = {0};
	options_defaults(o);
	bool ok = config_args_take_all(&a, argc, argv, d) && config_args_read(&a, o, d);
	config_args_free(&a);
	bool peer = !strcmp(o->trace_dependences, "accelsim");
	if (!peer && strcmp(o->trace_dependences, "full")) {
		diag_add(d, DIAG_ERROR, "option '-trace_dependences': '%s': expected full or accelsim", o->trace_dependences);
		ok = false;
	}
	if (!number_range_parse(o->trace_select_ctas, &r->first_cta, &r->last_cta)) {
		diag_add(d, DIAG_ERROR, "option '-trace_select_ctas': '%s': expected a number or a range (0-159, 80-)",
		         o->trace_select_ctas);
		ok = false;
	}
	if (o->sample) { // nothing here executes what is not timed
		diag_add(d, DIAG_ERROR, "option '-sample': a trace cannot be executed without time; choose kernels by -kernels and CTAs by "
		                        "-trace_select_ctas");
		ok = false;
	}
	r->rules = (struct trace_rules){.accelsim = peer, .strict = o->trace_strict, .units = options_units(o)};
	struct form_error err;
	return ok && kernel_select_parse(&r->select, o->kernels, &err); // was checked when it was read
}

static bool read_list(struct replay *r, struct diag *d)
{
	char why[1200];
	if (!trace_set_is(r->opt.trace))
		return kernelslist_read(&r->list, r->opt.trace, d);
	if (!(r->set = trace_set_open(r->opt.trace, why, sizeof why))) {
		diag_add(d, DIAG_ERROR, "%s", why);
		return false;
	}
	trace_set_list(r->set, &r->list);
	return true;
}

// Traces that Heddle wrote hold PTX instructions, which take what the PTX latency options say; those of machine code
// what -trace_opcode_latency_* say. The first kernel decides: a list holds one kind or the other.
static void choose_latencies(struct replay *r)
{
	for (size_t i = 0; i < r->list.command.n; i++) {
		const struct list_command *c = &r->list.command.at[i];
		if (c->kind != LIST_KERNEL)
			continue;
		struct replay_kernel k;
		struct diag quiet = {0};
		r->written = replay_kernel_open(&k, c, r->set, &r->rules, 0, 0, &quiet) && replay_kernel_written(&k);
		replay_kernel_close(&k);
		diag_free(&quiet);
		break;
	}
	r->opt.machine_code_latencies = !r->written;
}

static bool set_up(struct replay *r, int argc, char **argv, struct diag *d)
{
	r->stats = stdout;
	if (!read_options(r, argc, argv, d) || !gpu_desc_from_options(&r->desc, &r->opt, d) || !options_check_outputs(&r->opt, d))
		return false;
	options_empty_outputs(&r->opt);
	r->configured = true;
	if (!read_list(r, d))
		return false;
	choose_latencies(r);
	bool sass = false;
	for (size_t i = 0; i < r->list.command.n; i++)
		sass |= replay_is_sass(r->list.command.at[i].text);
	if (r->written || r->width || sass)
		r->opt.enable_ptx_file_line_stats = false; // there are no PTX files; processes would write to one file
	if (r->width && r->opt.visualizer_enabled) {
		diag_add(d, DIAG_WARNING, "-visualizer_enabled has no effect with -j: there is no one GPU to look at");
		r->opt.visualizer_enabled = false;
	}
	if (r->width && *r->opt.stats_json) {
		diag_add(d, DIAG_ERROR, "-stats_json cannot be written with -j: each kernel has a GPU of its own");
		return false;
	}
	if (r->width && (*r->breaks || r->opt.trace_enabled)) {
		diag_add(d, DIAG_ERROR, "--break and -trace_enabled have no place with -j: there is no one GPU to look at");
		return false;
	}
	if (r->opt.gpgpu_ptx_inst_debug_to_file || r->opt.gpgpu_ptx_instruction_classification)
		diag_add(d, DIAG_WARNING, "-gpgpu_ptx_inst_debug_to_file and -gpgpu_ptx_instruction_classification have no effect: traces and SASS "
		         "text are timed, nothing is executed");
	r->opt.threads = r->width ? 1 : threads_wanted(r->opt.threads, r->desc.sm_count, d); // -j: processes side by side
	if (!(r->gpu = gpu_new(&r->opt, &r->desc, !r->opt.gpgpu_ptx_sim_mode, d))) {
		r->configured = false;
		return false;
	}
	gpu_take_remarks(r->gpu, d);
	r->end = r->list.command.n;
	if (*r->opt.stats_file && !(r->stats = output_open(r->opt.stats_file))) {
		r->stats = stdout;
		diag_add(d, DIAG_ERROR, "option '-stats_file': cannot write %s: %s", r->opt.stats_file, output_why(errno));
		return false;
	}
	gpu_set_output(r->gpu, put, r->stats);
	if (!r->width && !trace_watch_start(&r->watch, r->gpu, &r->opt, r->breaks, r->stats, d))
		return false;
	r->window = r->opt.gpgpu_concurrent_kernel_sm || r->written ? (unsigned)r->opt.gpgpu_max_concurrent_kernel : 1;
	if (!r->window)
		r->window = 1;
	r->job = mem_alloc(r->window * sizeof *r->job);
	return true;
}

static void free_job(struct job *j)
{
	if (j)
		replay_kernel_close(&j->kernel);
	mem_free(j);
}

static void tear_down(struct replay *r)
{
	gpu_free(r->gpu); // before the kernels that it may still hold
	trace_watch_end(&r->watch);
	mem_free(r->breaks);
	for (unsigned i = 0; i < r->n_job; i++)
		free_job(r->job[i]);
	mem_free(r->job);
	kernelslist_free(&r->list);
	trace_set_free(r->set);
	kernel_select_free(&r->select);
	map_free(&r->named);
	map_free(&r->told);
	arena_free(&r->strings);
	if (r->stats != stdout)
		fclose(r->stats);
	options_free(&r->opt);
}

// --- the list

// Nothing said, all are to be replayed.
static bool selected(const struct replay *r, struct replay_kernel *k)
{
	return !r->select.item.n || kernel_select_has(&r->select, replay_kernel_id(k), replay_kernel_name(k));
}

static void open_kernel(struct replay *r, const struct list_command *c)
{
	char why[1200];
	struct replay_kernel k;
	struct diag d = {0};
	if (!replay_kernel_open(&k, c, r->set, &r->rules, r->first_cta, r->last_cta, &d)) {
		fflush(r->stats);
		diag_print(&d);
		diag_free(&d);
		r->failed = true;
		return;
	}
	diag_free(&d);
	if (replay_kernel_written(&k) != r->written) {
		snprintf(why, sizeof why, "%s: a list cannot mix traces of machine code with those of PTX that heddle run --write-trace wrote",
		         c->text);
		complain(r, why);
		replay_kernel_close(&k);
		return;
	}
	if (!selected(r, &k)) {
		replay_kernel_close(&k);
		return;
	}
	if (!replay_kernel_ctas(&k)) {
		const struct trace_header *h = trace_kernel_header(k.trace);
		snprintf(why, sizeof why, "%s: -trace_select_ctas %s leaves no thread block of the grid (%u,%u,%u)", c->text,
		         r->opt.trace_select_ctas, h->grid[0], h->grid[1], h->grid[2]);
		complain(r, why);
		replay_kernel_close(&k);
		return;
	}
	fprintf(r->stats, "Processing kernel %s\nHeader info loaded for kernel command : %s\n", c->text, c->text);
	struct job *j = MEM_NEW(struct job);
	j->kernel = k;
	j->uid = ++r->uid;
	if (k.trace)
		trace_kernel_on_note(k.trace, note, r);
	r->job[r->n_job++] = j;
}

// Copies happen when the list is read up to them, as in Accel-Sim.
static void fill_window(struct replay *r)
{
	while (!r->failed && r->n_job < r->window && r->next < r->end) {
		const struct list_command *c = &r->list.command.at[r->next];
		if (c->kind == LIST_WAIT && r->n_job)
			return;
		r->next++;
		if (c->kind == LIST_WAIT)
			continue;
		if (c->kind == LIST_KERNEL) {
			open_kernel(r, c);
			continue;
		}
		fprintf(r->stats, "launching memcpy command : %s\n", c->text);
		gpu_host_copy(r->gpu, c->addr, c->bytes);
	}
}

static bool stream_busy(const struct replay *r, unsigned before, uint64_t stream)
{
	for (unsigned i = 0; i < r->n_job; i++)
		if ((r->job[i]->launched || i < before) && replay_kernel_stream(&r->job[i]->kernel) == stream)
			return true;
	return false;
}

// Kernels of one stream run one after the other, those of different streams side by side.
static void launch_window(struct replay *r)
{
	for (unsigned i = 0; i < r->n_job && !r->failed; i++) {
		struct job *j = r->job[i];
		const char *name = replay_kernel_name(&j->kernel);
		uint64_t stream = replay_kernel_stream(&j->kernel);
		if (j->launched || !gpu_room(r->gpu) || stream_busy(r, i, stream))
			continue;
		replay_kernel_launch(&j->kernel, &j->launch, code_base(r, name));
		j->launch.uid = j->uid;
		j->launched = true;
		fprintf(r->stats, "launching kernel name: %s uid: %u cuda_stream_id: %llu\n", name, j->launch.uid,
		        (unsigned long long)stream);
		gpu_start(r->gpu, &j->launch);
	}
}

static void finish(struct replay *r, const struct kernel_launch *l)
{
	unsigned i = 0;
	while (i < r->n_job && &r->job[i]->launch != l)
		i++;
	struct job *j = r->job[i];
	const char *wrong = l->fault.kind ? l->fault.text : NULL;
	if (!wrong && !gpu_limit_reached(r->gpu))
		wrong = replay_kernel_end(&j->kernel);
	if (wrong)
		complain(r, wrong);
	if (ferror(r->stats))
		r->failed = true; // nobody would see the kernels to come
	if (!l->fault.kind) {
		gpu_print_kernel_stats(r->gpu, l, put, r->stats);
		fflush(r->stats);
	}
	memmove(&r->job[i], &r->job[i + 1], (--r->n_job - i) * sizeof *r->job);
	debugger_forget_code(r->watch.gpu.debugger);
	free_job(j);
}

// --- Ctrl-C: statistics of what runs are printed before the signal ends the process; a second one does so at once

static atomic_int signalled;

static void on_signal(int sig)
{
	int none = 0;
	if (atomic_compare_exchange_strong(&signalled, &none, sig))
		return;
	signal(sig, SIG_DFL);
	raise(sig);
}

static void catch_signals(void)
{
	static const int caught[] = {SIGINT, SIGTERM};
	for (unsigned i = 0; i < sizeof caught / sizeof *caught; i++)
		if (signal(caught[i], on_signal) == SIG_IGN)
			signal(caught[i], SIG_IGN);
}

static void end_by_signal(struct replay *r)
{
	int sig = atomic_load(&signalled);
	char how[40];
	gpu_print_rest(r->gpu);
	fputs("GPGPU-Sim: *** simulation thread exiting ***\n", r->stats);
	snprintf(how, sizeof how, "interrupted SIG%s", sigabbrev_np(sig));
	gpu_end_statistics(r->gpu, how);
	fflush(r->stats);
	fprintf(stderr, "heddle: %s; statistics of what was under way end at cycle %llu\n", strsignal(sig), (unsigned long long)gpu_cycle(r->gpu));
	signal(sig, SIG_DFL);
	raise(sig);
}

static void replay(struct replay *r)
{
	const uint64_t slice = (uint64_t)1 << 40;
	for (;;) {
		int sig = atomic_load(&signalled);
		if (!sig) {
			fill_window(r);
			launch_window(r);
		}
		struct kernel_launch *l = NULL;
		while (gpu_busy(r->gpu) && !(l = gpu_run(r->gpu, slice)))
			if ((sig = atomic_load(&signalled)))
				gpu_cut_off(r->gpu, strsignal(sig));
		if (!l)
			break;
		finish(r, l);
		if (!sig && gpu_limit_reached(r->gpu)) {
			gpu_print_rest(r->gpu);
			fprintf(r->stats, "GPGPU-Sim: ** break due to reaching the maximum cycles (or instructions) **\n");
			break;
		}
	}
}

// --- -j: a piece is a kernel and the commands before it

// Numbers that depend on the kernels before are settled here, in the parent.
static bool next_piece(void *ctx)
{
	struct replay *r = ctx;
	if (r->end == r->list.command.n)
		return false;
	r->next = r->end;
	r->uid = r->uid_next;
	for (bool found = false; !found && r->end < r->list.command.n;) {
		const struct list_command *c = &r->list.command.at[r->end++];
		if (c->kind != LIST_KERNEL)
			continue;
		struct replay_kernel k;
		struct diag quiet = {0}; // the piece will say what is wrong
		bool opened = replay_kernel_open(&k, c, r->set, &r->rules, r->first_cta, r->last_cta, &quiet);
		found = !opened;
		if (opened && selected(r, &k)) {
			code_base(r, replay_kernel_name(&k));
			r->uid_next++;
			found = true;
		}
		replay_kernel_close(&k);
		diag_free(&quiet);
	}
	return true;
}

static bool run_piece(void *ctx, FILE *out)
{
	struct replay *r = ctx;
	r->stats = out;
	gpu_set_output(r->gpu, put, out);
	replay(r);
	return !r->failed;
}

static void replay_apart(struct replay *r)
{
	struct trace_work w = {.ctx = r, .next = next_piece, .run = run_piece};
	r->end = 0;
	gpu_begin_statistics(r->gpu); // the pieces have none of their own
	r->failed = !trace_work_run(&w, r->width, r->stats);
}

// Takes -j N out of the arguments. False: it is no number.
static bool take_width(struct replay *r, int *argc, char **argv)
{
	int n = 1;
	bool ok = true;
	for (int i = 1; i < *argc; i++) {
		const char *a = argv[i];
		if (strncmp(a, "-j", 2) || (a[2] && (a[2] < '0' || a[2] > '9'))) {
			argv[n++] = argv[i];
			continue;
		}
		const char *v = a[2] ? a + 2 : i + 1 < *argc ? argv[++i] : "";
		char *end;
		unsigned long width = strtoul(v, &end, 10);
		ok &= *v >= '1' && *v <= '9' && !*end && width <= 1024;
		r->width = (unsigned)width;
	}
	*argc = n;
	argv[n] = NULL;
	return ok;
}

// Takes --break PLACE out of the arguments, as many as there are, and adds what HEDDLE_BREAK holds. False: a place is
// missing.
static bool take_breaks(struct replay *r, int *argc, char **argv)
{
	const char *set = getenv("HEDDLE_BREAK");
	size_t room = (set ? strlen(set) : 0) + 2;
	int n = 1;
	bool ok = true;
	for (int i = 1; i < *argc; i++)
		room += strlen(argv[i]) + 1;
	r->breaks = mem_alloc(room);
	strcat(r->breaks, set ? set : "");
	for (int i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--break")) {
			argv[n++] = argv[i];
			continue;
		}
		ok &= i + 1 < *argc;
		if (*r->breaks)
			strcat(r->breaks, "\n");
		if (i + 1 < *argc)
			strcat(r->breaks, argv[++i]);
	}
	*argc = n;
	argv[n] = NULL;
	return ok;
}

// Writes --trace STREAMS out: -trace_enabled 1 -trace_components STREAMS. NULL: the streams are missing.
static char **spell_out_streams(int *argc, char **argv)
{
	static char enabled[] = "-trace_enabled", one[] = "1", components[] = "-trace_components";
	char **out = mem_alloc((4 * (size_t)*argc + 1) * sizeof *out);
	int n = 0;
	for (int i = 0; i < *argc; i++) {
		bool joined = !strncmp(argv[i], "--trace=", 8);
		if (!joined && strcmp(argv[i], "--trace")) {
			out[n++] = argv[i];
			continue;
		}
		if (!joined && i + 1 == *argc) {
			mem_free(out);
			return NULL;
		}
		out[n++] = enabled;
		out[n++] = one;
		out[n++] = components;
		out[n++] = joined ? argv[i] + 8 : argv[++i];
	}
	*argc = n;
	return out;
}

// Whether all that was to be written is. Standard output is looked at when the command ends.
static bool written(struct replay *r)
{
	bool ok = !fflush(r->stats) && !ferror(r->stats);
	if (!ok && r->stats != stdout)
		fprintf(stderr, "heddle: error: cannot write -stats_file %s: %s; statistics are lost\n", r->opt.stats_file,
		        output_why(errno ? errno : EIO));
	return !gpu_output_failed(r->gpu) && trace_watch_written(&r->watch) && ok;
}

int cmd_trace(int argc, char **argv)
{
	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return 0;
	}
	struct replay r = {0};
	struct diag d = {0};
	if (!take_width(&r, &argc, argv)) {
		fputs("heddle: error: -j N: expected a number of processes from 1 to 1024\n", stderr);
		return 2;
	}
	if (!take_breaks(&r, &argc, argv)) {
		fputs("heddle: error: --break needs a place: cycle=N, 0xADDRESS or the name of a kernel\n", stderr);
		return 2;
	}
	char **args = spell_out_streams(&argc, argv);
	if (!args) {
		fputs("heddle: error: --trace needs debug streams: core, or ISSUE,FETCH; see docs/debugging.md\n", stderr);
		return 2;
	}
	signal(SIGPIPE, SIG_IGN); // a closed pipe is an error like a full disk
	bool ok = set_up(&r, argc, args, &d);
	diag_print(&d);
	diag_free(&d);
	if (!ok)
		options_empty_outputs(&r.opt);
	int status = ok ? 0 : r.configured ? 1 : 2;
	if (ok)
		fprintf(r.stats, "Accel-Sim [build %s]\n", heddle_accelsim_build); // first, as get_stats.py expects
	if (ok && r.width) {
		replay_apart(&r);
	} else if (ok) {
		gpu_set_interrupt(r.gpu, &signalled);
		catch_signals();
		replay(&r);
	}
	if (atomic_load(&signalled))
		end_by_signal(&r);
	if (ok)
		gpu_print_rest(r.gpu);
	if (ok && !r.failed)
		fputs("GPGPU-Sim: *** simulation thread exiting ***\nGPGPU-Sim: *** exit detected ***\n", r.stats);
	if (ok) {
		char how[100] = "complete";
		if (gpu_limit_reached(r.gpu))
			snprintf(how, sizeof how, "limit %s", gpu_limit_reached(r.gpu));
		gpu_end_statistics(r.gpu, r.failed ? "fault" : how);
		status = written(&r) && !r.failed ? 0 : 1;
	}
	tear_down(&r);
	mem_free(args);
	return status;
}
