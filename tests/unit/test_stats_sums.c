// Statistics against each other: what is counted in two places, or in parts and as a whole, agrees on every GPU.
#include "tests/unit/kernel_text.h"
#include "tests/unit/timing_harness.h"

#include <ctype.h>

// Streams through memory, uses shared memory, barriers, atomics, local memory and lanes that part, and writes over and over.
static const char *const program =
	KERNEL_HEAD ".shared .align 16 .b8 buf[4096];\n.const .align 4 .b8 tab[4096];\n" KERNEL_ENTRY("mixed")
	".local .align 4 .b8 mine[64];\n"
	"mul.wide.u32 %rd5, %r4, 4; add.u64 %rd6, %rd1, %rd5; ld.global.u32 %r10, [%rd6];\n"
	"mov.u32 %r11, buf; shl.b32 %r12, %r1, 3; and.b32 %r12, %r12, 4095; add.u32 %r11, %r11, %r12; st.shared.u32 [%r11], %r10;\n"
	"bar.sync 0; ld.shared.u32 %r13, [%r11]; and.b32 %r14, %r1, 3; setp.eq.u32 %p1, %r14, 0; @%p1 bra SKIP;\n"
	"atom.global.add.u32 %r15, [%rd2], 1;\n"
	"SKIP: ld.const.u32 %r15, [tab+64]; add.u32 %r13, %r13, %r15; st.local.u32 [mine+16], %r13; ld.local.u32 %r13, [mine+16];\n"
	"add.u64 %rd7, %rd3, %rd5; st.global.u32 [%rd7], %r13; ret; }\n"
	KERNEL_ENTRY("strided")
	"mul.wide.u32 %rd5, %r4, 4224; add.u64 %rd6, %rd1, %rd5; mov.u32 %r10, 0;\n"
	"AGAIN: ld.global.u32 %r11, [%rd6]; add.u32 %r11, %r11, 1; st.global.u32 [%rd6+128], %r11; add.u32 %r10, %r10, 1;\n"
	"setp.lt.u32 %p1, %r10, 3; @%p1 bra AGAIN; ret; }\n";

static const char *const gpus[] = {
	"", // sub-partitioned, sectored, write-through
	"-gpgpu_num_sched_per_core 2\n-gpgpu_max_insn_issue_per_warp 2\n-gpgpu_scheduler gto\n-gpgpu_perfect_inst_const_cache 0\n"
	"-gpgpu_cache:dl1 N:32:128:4,L:L:m:N:H,S:64:8,8\n-gpgpu_coalesce_arch 20\n-gpgpu_cache:dl2 N:64:128:8,L:B:m:W:L,A:256:4,4:0,32\n",
	// Small caches with write-back and few misses at a time: refusals and evictions.
	"-gpgpu_cache:dl1 S:2:128:2,L:B:m:L:L,A:4:2,4:0,32\n-gpgpu_cache:dl2 S:4:128:2,L:B:m:L:L,A:4:4,4:0,32\n-gpgpu_num_sched_per_core 4\n",
	"-gpgpu_cache:dl1 none\n-gpgpu_dram_scheduler 0\n-dram_dual_bus_interface 0\n-gpgpu_cache:dl2 S:4:128:2,L:B:m:F:L,A:16:4,4:0,32\n"
	"-gpgpu_perfect_inst_const_cache 0\n",
	"-dram_seperate_write_queue_enable 1\n-dram_write_queue_size 8:6:2\n-gpgpu_cache:dl2 S:4:128:2,L:B:m:L:L,A:16:4,4:0,32\n",
};
enum { GPUS = sizeof gpus / sizeof *gpus };

static struct timed *run(unsigned gpu)
{
	char options[1600];
	snprintf(options, sizeof options, "-gpgpu_n_clusters 2\n-gpgpu_n_cores_per_cluster 2\n-gpgpu_n_mem 2\n%s", gpus[gpu]);
	struct timed *t = timed_new(program, options);
	uint64_t p[4] = {timed_alloc(t, 4 << 20), timed_alloc(t, 256), timed_alloc(t, 1 << 16), 0};
	timed_run(t, "mixed", 40, 192, 0, p, 4);
	timed_run(t, "strided", 6, 128, 0, p, 4);
	return t;
}

// What the last kernel printed.
static const char *last(const struct timed *t)
{
	const char *at = t->text, *s = t->text;
	while ((s = strstr(s, "kernel_name = ")))
		at = s++;
	return at;
}

// The number behind the first "NAME =" in the text; absent: 0.
static double number(const char *text, const char *name)
{
	size_t n = strlen(name);
	for (const char *s = text; (s = strstr(s, name)); s++) {
		const char *p = s + n + strspn(s + n, " ");
		if (*p == '=' && (s == text || !(isalnum((unsigned char)s[-1]) || s[-1] == '_' || s[-1] == ']')))
			return strtod(p + 1, NULL);
	}
	return 0;
}

static double cell(const char *text, const char *table, const char *row, const char *column)
{
	char name[160];
	snprintf(name, sizeof name, "%s[%s][%s]", table, row, column);
	return number(text, name);
}

// The numbers of "PREFIX: A:1 B:2", those whose label begins with `label`.
static double labelled(const char *line, const char *label)
{
	double sum = 0;
	size_t n = strlen(label);
	for (const char *end = line + strcspn(line, "\n"), *s = line; s < end; s++)
		if (!strncmp(s, label, n) && (s == line || isspace((unsigned char)s[-1])))
			sum += strtod(strchr(s, ':') + 1, NULL);
	return sum;
}

static const char *line_of(const char *text, const char *begin)
{
	char want[80];
	snprintf(want, sizeof want, "\n%s", begin);
	const char *s = strstr(text, want);
	ck_assert_msg(s != NULL, "no line %s", begin);
	return s + 1;
}

#define EQUAL(a, b) ck_assert_msg((a) == (b), "%s is %.17g, %s is %.17g", #a, (double)(a), #b, (double)(b))
#define AT_MOST(a, b) ck_assert_msg((a) <= (b), "%s is %.17g, more than %s, %.17g", #a, (double)(a), #b, (double)(b))

static const char *const types[] = {"GLOBAL_ACC_R", "LOCAL_ACC_R", "CONST_ACC_R", "TEXTURE_ACC_R", "GLOBAL_ACC_W", "LOCAL_ACC_W",
                                    "L1_WRBK_ACC", "L2_WRBK_ACC", "INST_ACC_R", "L1_WR_ALLOC_R", "L2_WR_ALLOC_R"};
static const char *const reasons[] = {"LINE_ALLOC_FAIL", "MISS_QUEUE_FULL", "MSHR_ENRTY_FAIL", "MSHR_MERGE_ENRTY_FAIL", "MSHR_RW_PENDING"};

struct sums {
	double accesses, misses, pending, fails;
};

static struct sums breakdown(const char *b, const char *table, const char *fail_table)
{
	struct sums all = {0};
	for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
		double hit = cell(b, table, types[i], "HIT"), pending = cell(b, table, types[i], "HIT_RESERVED");
		double misses = cell(b, table, types[i], "MISS") + cell(b, table, types[i], "SECTOR_MISS"), why = 0;
		double fails = cell(b, table, types[i], "RESERVATION_FAIL");
		EQUAL(hit + pending + misses, cell(b, table, types[i], "TOTAL_ACCESS"));
		for (unsigned k = 0; k < sizeof reasons / sizeof *reasons; k++)
			why += cell(b, fail_table, types[i], reasons[k]);
		EQUAL(why, fails);
		all.accesses += hit + pending + misses;
		all.misses += misses;
		all.pending += pending;
		all.fails += fails;
	}
	return all;
}

static struct sums printed(const char *b, const char *const *cache, unsigned n)
{
	struct sums s = {0};
	char name[80];
	for (unsigned i = 0; i < n; i++) {
#define ADD(to, what) snprintf(name, sizeof name, "%s_total_cache_" what, cache[i]), s.to += number(b, name)
		ADD(accesses, "accesses");
		ADD(misses, "misses");
		ADD(pending, "pending_hits");
		ADD(fails, "reservation_fails");
#undef ADD
	}
	return s;
}

static struct sums listed(const char *b, const char *name)
{
	struct sums s = {0};
	for (; (b = strstr(b, name)); b++) {
		const char *end = strchr(b, '\n');
		char line[300];
		snprintf(line, sizeof line, "%.*s", (int)(end - b), b);
		s.accesses += number(line, "Access");
		s.misses += number(line, "Miss");
		s.pending += number(line, "Pending_hits");
		s.fails += number(line, "Reservation_fails");
	}
	return s;
}

static void same(struct sums a, struct sums b)
{
	EQUAL(a.accesses, b.accesses);
	EQUAL(a.misses, b.misses);
	EQUAL(a.pending, b.pending);
	EQUAL(a.fails, b.fails);
}

START_TEST(parts_of_cache_accesses_add_up)
{
	static const char *const l1[] = {"L1I", "L1D", "L1C", "L1T"}, *const l2[] = {"L2"};
	struct timed *t = run((unsigned)_i);
	const char *b = last(t);
	same(breakdown(b, "Total_core_cache_stats_breakdown", "Total_core_cache_fail_stats_breakdown"), printed(b, l1, 4));
	same(breakdown(b, "L2_cache_stats_breakdown", "L2_cache_stats_fail_breakdown"), printed(b, l2, 1));
	same(listed(b, "L1D_cache_core["), printed(b, l1 + 1, 1));
	same(listed(b, "L2_cache_bank["), printed(b, l2, 1));
	AT_MOST(number(b, "L1D_cache_data_port_util"), 1);
	AT_MOST(number(b, "L1D_cache_fill_port_util"), 1);
	AT_MOST(number(b, "L2_cache_data_port_util"), 1);
	AT_MOST(number(b, "L2_cache_fill_port_util"), 1);
	ck_assert(_i != 2 || (number(b, "L1D_total_cache_reservation_fails") > 0 && number(b, "L2_total_cache_reservation_fails") > 0));
	timed_free(t);
}
END_TEST

START_TEST(slots_instructions_and_the_histogram_of_lanes_agree)
{
	struct timed *t = run((unsigned)_i);
	const char *b = last(t), *histogram = line_of(b, "Stall:");
	double lanes = labelled(histogram, "W") - labelled(histogram, "W0_");
	double single = labelled(line_of(b, "single_issue_nums:"), "WS"), twice = labelled(line_of(b, "dual_issue_nums:"), "WS");
	double slots = 0;
	for (unsigned k = 0; k < t->t->core.n_schedulers; k++) {
		char name[16];
		snprintf(name, sizeof name, "WS%u", k);
		EQUAL(cell(b, "issue_slots", name, "TOTAL"), number(b, "gpu_issue_slots"));
		slots += cell(b, "issue_slots", name, "TOTAL");
	}
	// A slot with two instructions stands twice in the histogram.
	EQUAL(lanes + labelled(histogram, "Stall") + labelled(histogram, "W0_"), slots + twice);
	EQUAL(lanes, single + 2 * twice);
	EQUAL(lanes, number(b, "gpgpu_n_tot_w_icount"));
	EQUAL(32 * lanes, number(b, "gpgpu_n_tot_thrd_icount"));
	AT_MOST(number(b, "gpu_tot_sim_insn"), 32 * lanes);
	AT_MOST(number(b, "gpu_tot_occupancy"), 100);
	ck_assert(_i != 1 || twice > 0);
	timed_free(t);
}
END_TEST

// The rows of a channel, which end where the next one's begin.
static void check_channel(const char *d, bool frfcfs, double sum[7])
{
	double reads = number(d, "n_rd") + number(d, "n_rd_L2_A"), writes = number(d, "n_write") + number(d, "n_wr_bk");
	double cmd = number(d, "n_cmd"), act = number(d, "n_act"), pre = number(d, "n_pre"), by_bank = 0;
	unsigned banks = 0;
	for (const char *s = strstr(d, "bk0: "); s && !strncmp(s, "bk", 2); s = strchr(s, 'i') + 2, banks++)
		by_bank += strtod(strchr(s, ':') + 1, NULL);
	ck_assert_uint_eq(banks, 16);
	EQUAL(by_bank, reads); // GPGPU-Sim counts no writes there
	EQUAL(number(d, "total_req"), reads + writes);
	EQUAL(number(d, "util_bw") + number(d, "Wasted_Col") + number(d, "Wasted_Row") + number(d, "Idle"), cmd);
	EQUAL(number(d, "issued_total_row"), act + pre);
	EQUAL(number(d, "issued_total_col"), reads + writes);
	double issued = number(d, "Either_Row_CoL_Bus_Util") * cmd, both = number(d, "Issued_on_Two_Bus_Simul_Util") * cmd;
	ck_assert_msg(issued - (cmd - number(d, "n_nop")) < 0.01 * cmd + 1 && cmd - number(d, "n_nop") - issued < 0.01 * cmd + 1, "%f", issued);
	ck_assert_msg(act + pre + reads + writes - issued - both < 0.01 * cmd + 1, "%f %f", issued, both);
	AT_MOST(pre, act);
	AT_MOST(act - pre, banks);
	AT_MOST(number(d, "bw_util"), 1);
	AT_MOST(number(d, "dram_eff"), 1);
	AT_MOST(number(d, "bw_util"), number(d, "dram_eff"));
	AT_MOST(number(d, "n_activity"), cmd);
	if (frfcfs) // as in GPGPU-Sim, FIFO counts none
		AT_MOST(number(d, "Row_Buffer_Locality"), 1);
	double part[7] = {reads, writes, act, cmd, number(d, "n_nop"), pre, number(d, "n_req")};
	for (unsigned i = 0; i < 7; i++)
		sum[i] += part[i];
}

START_TEST(commands_of_dram_add_up)
{
	static const char *const total[7] = {"gpgpu_n_dram_reads", "gpgpu_n_dram_writes", "gpgpu_n_dram_activate", "gpgpu_n_dram_commands",
	                                     "gpgpu_n_dram_noops", "gpgpu_n_dram_precharges", "gpgpu_n_dram_requests"};
	struct timed *t = run((unsigned)_i);
	const char *b = last(t), *end = strstr(b, "gpgpu_n_dram_reads");
	double sum[7] = {0};
	unsigned channels = 0;
	for (const char *s = strstr(b, "Memory Partition "), *next; s; s = next, channels++) {
		next = strstr(s + 1, "Memory Partition ");
		char *one = strndup(s, (size_t)((next ? next : end) - s));
		check_channel(one, t->opt.gpgpu_dram_scheduler == 1, sum);
		free(one);
	}
	ck_assert_uint_eq(channels, 2);
	for (unsigned i = 0; i < 7; i++)
		ck_assert_msg(number(b, total[i]) == sum[i], "%s is %f, the channels have %f", total[i], number(b, total[i]), sum[i]);
	ck_assert(sum[0] > 0);
	EQUAL(number(b, "total dram reads"), sum[0]);
	timed_free(t);
}
END_TEST

struct traffic {
	double packets, flits, of[5]; // global reads, atomics, global writes, local reads, local writes
};

// "traffic_breakdown_coretomem[TYPE] = BYTES {SIZE:COUNT,...}"
static struct traffic traffic(const struct timed *t, const char *b, const char *direction)
{
	static const char *const kind[5] = {"GLOBAL_ACC_R", "GLOBAL_ATOMIC", "GLOBAL_ACC_W", "LOCAL_ACC_R", "LOCAL_ACC_W"};
	struct traffic all = {0};
	char name[60];
	unsigned flit = t->opt.icnt_flit_size;
	int n = snprintf(name, sizeof name, "\ntraffic_breakdown_%s[", direction);
	for (; (b = strstr(b, name)); b++) {
		const char *type = b + n, *p = strchr(b, '{') + 1;
		double bytes = strtod(strchr(b, '=') + 1, NULL), sum = 0;
		for (; isdigit((unsigned char)*p); p += *p == ',') {
			unsigned long size = strtoul(p, (char **)&p, 10), count = strtoul(p + 1, (char **)&p, 10);
			sum += (double)size * (double)count;
			all.packets += (double)count;
			all.flits += (double)((size + flit - 1) / flit * count);
			for (unsigned k = 0; k < 5; k++)
				if (!strncmp(type, kind[k], strlen(kind[k])) && type[strlen(kind[k])] == ']')
					all.of[k] += (double)count;
		}
		EQUAL(bytes, sum);
	}
	return all;
}

START_TEST(requests_of_the_sms_are_those_that_the_network_and_l2_saw)
{
	struct timed *t = run((unsigned)_i);
	const char *b = last(t);
	struct traffic there = traffic(t, b, "coretomem"), back = traffic(t, b, "memtocore");
	EQUAL(there.packets, number(b, "Req_Network_injected_packets_num"));
	EQUAL(back.packets, number(b, "Reply_Network_injected_packets_num"));
	EQUAL(there.flits, number(b, "icnt_total_pkts_simt_to_mem"));
	EQUAL(back.flits, number(b, "icnt_total_pkts_mem_to_simt"));
	EQUAL(there.of[0] + there.of[1], number(b, "gpgpu_n_mem_read_global"));
	EQUAL(there.of[3], number(b, "gpgpu_n_mem_read_local"));
	AT_MOST(there.of[2], number(b, "gpgpu_n_mem_write_global"));
	AT_MOST(there.of[4], number(b, "gpgpu_n_mem_write_local"));
	AT_MOST(back.packets, number(b, "L2_total_cache_accesses"));
	AT_MOST(there.packets, number(b, "L2_total_cache_accesses")); // one for each sector of a sectored L2
	if (!_i)
		EQUAL(there.packets, number(b, "L2_total_cache_accesses"));
	AT_MOST(number(b, "averagemflatency"), number(b, "maxmflatency"));
	AT_MOST(number(b, "avg_icnt2mem_latency"), number(b, "max_icnt2mem_latency"));
	AT_MOST(number(b, "avg_icnt2sh_latency"), number(b, "max_icnt2sh_latency"));
	AT_MOST(number(b, "avg_mrq_latency"), number(b, "maxmrqlatency"));
	timed_free(t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("stats_sums");
	TCase *c = tcase_create("stats_sums");
	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, parts_of_cache_accesses_add_up, 0, GPUS);
	tcase_add_loop_test(c, slots_instructions_and_the_histogram_of_lanes_agree, 0, GPUS);
	tcase_add_loop_test(c, commands_of_dram_add_up, 0, GPUS);
	tcase_add_loop_test(c, requests_of_the_sms_are_those_that_the_network_and_l2_saw, 0, GPUS);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
