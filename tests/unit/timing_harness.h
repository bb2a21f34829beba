// Runs kernels given as PTX text on a GPU given as option text, in the timing model, with nothing above gpgpu-sim: for
// closed-form checks of cycles, for golden statistics and for comparisons of runs.
#ifndef TESTS_TIMING_HARNESS_H
#define TESTS_TIMING_HARNESS_H

#include "tests/unit/ptx_harness.h"

#include "gpgpu-sim/classic/classic.h"
#include "gpgpu-sim/gpu_state.h"

#include <stdarg.h>
#include <unistd.h>

// One SM and one memory channel with figures that are easy to add up; tests append what they change.
#define TIMED_BASE                                                                                                    \
	"-gpgpu_n_clusters 1\n-gpgpu_n_cores_per_cluster 1\n-gpgpu_clock_domains 1000:1000:1000:1000\n"                  \
	"-gpgpu_shader_core_pipeline 2048:32\n-gpgpu_shader_cta 32\n-gpgpu_shader_registers 65536\n"                      \
	"-gpgpu_registers_per_block 65536\n-gpgpu_shmem_size 98304\n-gpgpu_shmem_sizeDefault 98304\n"                     \
	"-gpgpu_shmem_num_banks 32\n-gpgpu_shmem_limited_broadcast 0\n-gpgpu_shmem_warp_parts 1\n-gpgpu_coalesce_arch 70\n" \
	"-gpgpu_num_sched_per_core 1\n-gpgpu_scheduler lrr\n-gpgpu_max_insn_issue_per_warp 1\n"                           \
	"-gpgpu_inst_fetch_throughput 4\n-gpgpu_num_reg_banks 32\n-gpgpu_reg_file_port_throughput 1\n"                    \
	"-gpgpu_enable_specialized_operand_collector 0\n-gpgpu_operand_collector_num_units_gen 16\n"                      \
	"-gpgpu_operand_collector_num_in_ports_gen 8\n-gpgpu_operand_collector_num_out_ports_gen 8\n"                     \
	"-gpgpu_num_sp_units 1\n-gpgpu_num_int_units 1\n-gpgpu_num_dp_units 1\n-gpgpu_num_sfu_units 1\n"                   \
	"-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8,4,4\n"                                                             \
	"-ptx_opcode_latency_int 4,13,5,6,145,21\n-ptx_opcode_initiation_int 1,2,2,2,8,4\n"                               \
	"-ptx_opcode_latency_fp 7,13,8,9,39\n-ptx_opcode_initiation_fp 2,2,2,3,4\n"                                       \
	"-ptx_opcode_latency_dp 8,19,8,8,330\n-ptx_opcode_initiation_dp 4,4,4,4,130\n"                                    \
	"-ptx_opcode_latency_sfu 100\n-ptx_opcode_initiation_sfu 8\n"                                                     \
	"-gpgpu_cache:dl1 S:4:128:64,L:L:m:N:L,A:512:8,16:0,32\n-gpgpu_l1_banks 4\n-gpgpu_l1_latency 20\n"                \
	"-gpgpu_smem_latency 20\n-gpgpu_gmem_skip_L1D 0\n-gpgpu_flush_l1_cache 1\n"                                       \
	"-gpgpu_cache:il1 N:64:128:16,L:R:f:N:L,S:2:48,4\n-gpgpu_tex_cache:l1 N:4:128:256,L:R:m:N:L,T:512:8,128:2\n"      \
	"-gpgpu_const_cache:l1 N:128:64:8,L:R:f:N:L,S:2:64,4\n-gpgpu_perfect_inst_const_cache 1\n"                        \
	"-network_mode 2\n-icnt_in_buffer_limit 512\n-icnt_out_buffer_limit 512\n-gpgpu_n_cluster_ejection_buffer_size 32\n" \
	"-gpgpu_n_mem 1\n-gpgpu_n_sub_partition_per_mchannel 1\n-gpgpu_cache:dl2 S:32:128:24,L:B:m:L:P,A:192:4,32:0,32\n"  \
	"-gpgpu_cache:dl2_texture_only 0\n-gpgpu_l2_rop_latency 50\n-gpgpu_dram_partition_queues 64:64:64:64\n"            \
	"-gpgpu_dram_buswidth 16\n-gpgpu_dram_burst_length 2\n-dram_data_command_freq_ratio 2\n-dram_latency 60\n"        \
	"-gpgpu_frfcfs_dram_sched_queue_size 64\n-gpgpu_dram_return_queue_size 192\n"                                     \
	"-gpgpu_dram_timing_opt nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3\n" \
	"-dram_dual_bus_interface 1\n-dram_bnkgrp_indexing_policy 1\n"                                                    \
	"-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS\n"      \
	"-gpgpu_memlatency_stat 14\n-gpgpu_kernel_launch_latency 0\n-gpgpu_TB_launch_latency 0\n"                         \
	"-gpgpu_max_concurrent_kernel 32\n-visualizer_enabled 0\n-enable_ptx_file_line_stats 0\n"

enum { TIMED_LAUNCHES = 64, TIMED_PARAMS = 256, TIMED_MOST = 100000000 };

struct timed {
	struct ptx_bench *b;
	struct options opt;
	struct gpu_desc desc;
	struct diag diag;
	struct gpu *gpu;
	struct timing *t;         // the GPU's
	struct kernel_launch launch[TIMED_LAUNCHES];
	uint32_t cluster[3];                       // of all launches; 0: without clusters
	uint8_t params[TIMED_LAUNCHES][TIMED_PARAMS];
	unsigned n_launch, n_done;
	struct kernel_launch *done[TIMED_LAUNCHES]; // in the order in which they ended
	bool may_fault;
	const struct frontend_ops *fe; // of launches; NULL: PTX
	char *text;               // statistics of all kernels, without what depends on the wall clock
	size_t n_text, cap_text;
};

static inline void timed_put(void *ctx, const char *s)
{
	struct timed *t = ctx;
	size_t n = strlen(s);
	if (t->n_text + n + 1 > t->cap_text) {
		t->cap_text = (t->n_text + n + 1) * 2;
		t->text = realloc(t->text, t->cap_text);
	}
	memcpy(t->text + t->n_text, s, n + 1);
	t->n_text += n;
}

__attribute__((format(printf, 2, 3))) static inline void timed_line(struct timed *t, const char *fmt, ...)
{
	char line[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	timed_put(t, line);
}

static inline uint64_t timed_clock(void *ctx) { return gpu_cycle(((struct timed *)ctx)->gpu); }
static inline void timed_printed(void *ctx, const char *text, size_t len)
{
	bench_print(((struct timed *)ctx)->b, text, len);
}
static inline uint64_t timed_heap_alloc(void *ctx, uint64_t n) { return bench_heap_alloc(((struct timed *)ctx)->b, n); }
static inline bool timed_heap_free(void *ctx, uint64_t a) { return bench_heap_free(((struct timed *)ctx)->b, a); }

// A program for a GPU that has been made.
static inline void timed_attach(struct timed *t, const char *ptx)
{
	t->t = t->gpu->timing;
	t->b = bench_new(ptx);
	t->b->services.ctx = t;
	t->b->services.clock = timed_clock;
	t->b->services.print = timed_printed;
	t->b->services.heap_alloc = timed_heap_alloc;
	t->b->services.heap_free = timed_heap_free;
	t->b->services.n_sm = t->desc.sm_count;
	t->b->services.warps_per_sm = t->desc.max_warps_per_sm;
	t->b->services.named_barriers = t->desc.max_named_barriers;
}

// NULL, with messages in *why, if the options make no GPU. Options may be more than one text; they end with NULL.
static inline struct timed *timed_make(const char *ptx, struct diag *why, const char *const *options)
{
	struct timed *t = MEM_NEW(struct timed);
	options_defaults(&t->opt);
	bool ok = true;
	for (; *options; options++)
		ok &= options_load_text(&t->opt, "test", *options, strlen(*options), FROM_FILE, why);
	ok = ok && gpu_desc_from_options(&t->desc, &t->opt, why);
	t->gpu = ok ? gpu_new(&t->opt, &t->desc, true, why) : NULL;
	if (!t->gpu) {
		options_free(&t->opt);
		mem_free(t);
		return NULL;
	}
	timed_attach(t, ptx);
	return t;
}

// A file with the text of an .icnt configuration, for -inter_config_file; to be unlinked when the GPU is made.
static inline const char *timed_icnt_file(const char *text)
{
	static char name[40];
	strcpy(name, "/tmp/heddle-icnt-XXXXXX");
	int fd = mkstemp(name);
	ck_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	return name;
}

// The base GPU with `more` options.
static inline struct timed *timed_new(const char *ptx, const char *more)
{
	struct diag why = {0};
	struct timed *t = timed_make(ptx, &why, (const char *const[]){TIMED_BASE, more, NULL});
	ck_assert_msg(t != NULL, "%s", why.text ? why.text : "?");
	ck_assert_msg(!why.errors, "%s", why.text);
	diag_free(&why);
	return t;
}

// What nobody waits for, write-backs of L2, may be on its way when the GPU is idle. It must arrive too.
static inline void timed_drain(struct timed *t)
{
	uint64_t now = gpu_cycle(t->gpu), most = now + 100000;
	for (; !memory_drained(t->t->memory) && now < most; now++) {
		memory_tick_dram(t->t->memory, 1, now);
		memory_tick_l2(t->t->memory, now);
	}
	// Writes wait in a queue of their own until there are many.
	if (!t->opt.dram_seperate_write_queue_enable)
		ck_assert_msg(mem_pool_live(t->t->pool) == 0, "%llu requests were lost",
		              (unsigned long long)mem_pool_live(t->t->pool));
}

static inline void timed_free(struct timed *t)
{
	if (!gpu_busy(t->gpu) && !gpu_limit_reached(t->gpu))
		timed_drain(t);
	gpu_free(t->gpu);
	bench_free(t->b);
	options_free(&t->opt);
	free(t->text);
	mem_free(t);
}

static inline struct kernel_launch *timed_launch3(struct timed *t, const char *kernel, const uint32_t grid[3],
                                                  const uint32_t block[3], uint32_t dynamic_shared, const void *params,
                                                  size_t param_bytes, uint64_t stream)
{
	struct ptx_func *f = ptx_program_func(&t->b->program, kernel);
	ck_assert_msg(f != NULL, "no kernel %s", kernel);
	void *code = ptx_kernel_code(f, &t->b->diag);
	ck_assert_msg(code != NULL, "%s", t->b->diag.text ? t->b->diag.text : "?");
	ck_assert_uint_lt(t->n_launch, TIMED_LAUNCHES);
	ck_assert_uint_le(param_bytes, TIMED_PARAMS);
	unsigned n = t->n_launch++;
	if (param_bytes)
		memcpy(t->params[n], params, param_bytes);
	t->launch[n] = (struct kernel_launch){
		.uid = n + 1, .info = ptx_kernel_info(f, &t->b->diag), .fe = t->fe ? t->fe : &ptx_frontend,
		.code = code, .grid = {grid[0], grid[1], grid[2]}, .block = {block[0], block[1], block[2]},
		.dynamic_shared = dynamic_shared, .params = t->params[n], .stream = stream, .mem = t->b->mem,
		.services = &t->b->services};
	memcpy(t->launch[n].cluster, t->cluster, sizeof t->cluster);
	ck_assert_uint_gt(gpu_room(t->gpu), 0);
	gpu_start(t->gpu, &t->launch[n]);
	return &t->launch[n];
}

// Parameters of all kernels here are 64-bit words.
static inline struct kernel_launch *timed_launch(struct timed *t, const char *kernel, uint32_t grid, uint32_t block,
                                                 uint32_t dynamic_shared, const uint64_t *params, unsigned n_params,
                                                 uint64_t stream)
{
	return timed_launch3(t, kernel, (uint32_t[3]){grid, 1, 1}, (uint32_t[3]){block, 1, 1}, dynamic_shared, params,
	                     n_params * 8, stream);
}

// Lines that state wall-clock time or rate; tests/run has the same list.
static inline bool timed_wall_clock(const char *line)
{
	static const char *const wall[] = {"gpu_total_sim_rate", "gpgpu_simulation_time", "gpgpu_simulation_rate",
	                                   "gpgpu_silicon_slowdown"};
	for (unsigned i = 0; i < sizeof wall / sizeof *wall; i++)
		if (strstr(line, wall[i]))
			return true;
	return false;
}

static inline void timed_filter(struct timed *t, size_t from)
{
	char *to = t->text + from;
	for (char *s = to; *s;) {
		char *end = strchr(s, '\n');
		size_t n = end ? (size_t)(end - s) + 1 : strlen(s);
		char keep = s[n];
		s[n] = 0;
		bool wall = timed_wall_clock(s);
		s[n] = keep;
		if (!wall) {
			memmove(to, s, n);
			to += n;
		}
		s += n;
	}
	*to = 0;
	t->n_text = (size_t)(to - t->text);
}

// Runs on for at most so many cycles, up to the end of a kernel.
static inline void timed_step(struct timed *t, uint64_t cycles)
{
	struct kernel_launch *l = gpu_run(t->gpu, cycles);
	if (!l)
		return;
	ck_assert_msg(t->may_fault || l->fault.kind == FAULT_NONE, "%s", l->fault.text);
	size_t from = t->n_text;
	timed_put(t, "");
	gpu_print_kernel_stats(t->gpu, l, timed_put, t);
	timed_filter(t, from);
	t->done[t->n_done++] = l;
}

// Runs everything that was launched; the cycles it took.
static inline uint64_t timed_wait(struct timed *t)
{
	uint64_t start = gpu_cycle(t->gpu);
	while (gpu_busy(t->gpu)) {
		timed_step(t, 5000);
		ck_assert_msg(gpu_cycle(t->gpu) - start < TIMED_MOST, "does not end");
	}
	ck_assert_uint_eq(t->n_done, t->n_launch);
	if (memory_drained(t->t->memory) && !gpu_limit_reached(t->gpu))
		ck_assert_msg(mem_pool_live(t->t->pool) == 0, "%llu requests were lost",
		              (unsigned long long)mem_pool_live(t->t->pool));
	return gpu_cycle(t->gpu) - start;
}

// One kernel from start to end; the cycles it took.
static inline uint64_t timed_run(struct timed *t, const char *kernel, uint32_t grid, uint32_t block,
                                 uint32_t dynamic_shared, const uint64_t *params, unsigned n_params)
{
	timed_launch(t, kernel, grid, block, dynamic_shared, params, n_params, 0);
	return timed_wait(t);
}

static inline uint64_t timed_alloc(struct timed *t, size_t bytes)
{
	uint64_t a = bench_alloc(t->b, bytes);
	ck_assert(a != 0);
	memset((void *)(uintptr_t)a, 0, bytes);
	return a;
}

static inline struct sm_stats *timed_sm(struct timed *t, unsigned i) { return &t->t->sm[i].stats; }

// --- all figures as text

static inline void timed_words(struct timed *t, const char *what, const void *at, size_t bytes)
{
	const uint64_t *w = at;
	for (size_t i = 0; i < bytes / 8; i++)
		if (w[i])
			timed_line(t, "%s.%zu = %llu\n", what, i, (unsigned long long)w[i]);
}

static inline void timed_counts(struct timed *t, const char *what, const struct cache_counts *c)
{
	if (c)
		timed_words(t, what, c, sizeof *c);
}

static inline void timed_cache(struct timed *t, const char *what, struct cache *c)
{
	struct cache_sums s;
	if (!c)
		return;
	cache_sums(c, &s);
	timed_words(t, what, &s, sizeof s);
	for (unsigned i = 0; i < t->t->n_streams; i++)
		timed_counts(t, what, cache_counts(c, i));
}

// Appends every counter of the model to the text, so that two runs can be compared whatever the statistics print.
static inline void timed_all_counters(struct timed *t)
{
	struct timing *g = t->t;
	char what[64];
	timing_settle(g);
	timed_words(t, "gpu", &g->stats, sizeof g->stats);
	for (unsigned i = 0; i < g->core.n_sm; i++) {
		struct sm *m = &g->sm[i];
		snprintf(what, sizeof what, "sm[%u]", i);
		timed_words(t, what, &m->stats, sizeof m->stats);
		snprintf(what, sizeof what, "sm[%u].opcoll", i);
		if (m->classic)
			timed_words(t, what, &m->classic->opcoll.reads, 3 * sizeof m->classic->opcoll.reads);
		struct lazy_cache *const c[] = {&m->ldst.l1d, &m->ldst.l1c, &m->ldst.l1t, &m->l1i};
		for (unsigned k = 0; k < 4; k++) {
			snprintf(what, sizeof what, "sm[%u].cache[%u]", i, k);
			lazy_settle(c[k]);
			timed_cache(t, what, c[k]->cache);
		}
	}
	for (unsigned i = 0; i < memory_n_channels(g->memory); i++) {
		const struct dram_stats *d = memory_dram_stats(g->memory, i);
		snprintf(what, sizeof what, "dram[%u]", i);
		timed_words(t, what, &d->n_cmd, sizeof *d - offsetof(struct dram_stats, n_cmd));
		for (unsigned k = 0; k < d->n_banks; k++) {
			snprintf(what, sizeof what, "dram[%u].bank[%u]", i, k);
			timed_words(t, what, &d->bank[k], sizeof d->bank[k]);
		}
	}
	for (unsigned i = 0; memory_has_l2(g->memory) && i < memory_n_sub(g->memory); i++) {
		struct cache_sums s;
		snprintf(what, sizeof what, "l2[%u]", i);
		memory_l2_sums(g->memory, i, &s);
		timed_words(t, what, &s, sizeof s);
		for (unsigned k = 0; k < g->n_streams; k++)
			timed_counts(t, what, memory_l2_counts(g->memory, i, k));
	}
	timed_words(t, "latency", memory_latency(g->memory), sizeof(struct memory_latency));
	icnt_print(g->icnt, timed_put, t);
}

// The first line in which the texts differ, for messages; NULL if they are equal.
static inline const char *timed_difference(const char *a, const char *b)
{
	static char line[1200];
	unsigned n = 1;
	while (*a && *a == *b) {
		const char *ea = strchr(a, '\n'), *eb = strchr(b, '\n');
		size_t la = ea ? (size_t)(ea - a) : strlen(a), lb = eb ? (size_t)(eb - b) : strlen(b);
		if (la != lb || memcmp(a, b, la))
			break;
		a += la + (ea != NULL);
		b += lb + (eb != NULL);
		n++;
	}
	if (!*a && !*b)
		return NULL;
	snprintf(line, sizeof line, "line %u: \"%.*s\" against \"%.*s\"", n, (int)strcspn(a, "\n"), a,
	         (int)strcspn(b, "\n"), b);
	return line;
}

#endif
