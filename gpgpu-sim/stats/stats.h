// The printers of statistics. gpgpu-sim/stats/stats.def has a row for each figure; the same walk over its rows gives the text
// (GPGPU-Sim's lines) and the JSON of a kernel, and doc.c makes the table in docs/statistics.md from it.
#ifndef GPGPU_SIM_STATS_STATS_H
#define GPGPU_SIM_STATS_STATS_H

#include "gpgpu-sim/stats/state.h"
#include "gpgpu-sim/modern/counts.h"

#include <stdio.h>

// Where a walk goes: text to a buffer, or JSON to a stream.
struct stat_out {
	stat_buffer *text;
	FILE *json;          // NULL: text
	bool brief;          // without the rows of STAT_LONG
	bool comma;          // JSON: something stands before the next element
};

// Kinds of rows, see stats.def.
#define STAT_KIND_KERNEL "per kernel"
#define STAT_KIND_TOTAL "running total"
#define STAT_KIND_RATE "rate"
#define STAT_KIND_MOST "maximum so far"

// Sums over a cluster or the GPU of one kind of L1.
enum stat_cache { STAT_L1I, STAT_L1D, STAT_L1C, STAT_L1T, STAT_N_CACHES };

// What an SM adds to the figures. All fields are counters.
struct stat_sm {
	struct sm_stats stats;
	struct modern_counts modern;
	uint64_t reg_conflicts;
	struct cache_sums l1[STAT_N_CACHES];
	struct prefetch_counts l1_prefetch;
	struct cache_counts core_counts; // of the stream
};

// The least and the most accesses of a bank, or of a channel.
enum stat_skews { STAT_READS, STAT_WRITES, STAT_ACCESSES, STAT_N_SKEWS };
struct stat_skew {
	uint64_t least, most;
};

// What the rows' expressions read: everything summed up once for a kernel.
struct stat_view {
	struct stats *st;
	struct timing *t;
	const struct stat_kernel *k;
	unsigned stream;             // dense number
	struct sm_stats sm;          // sum over SMs
	struct modern_counts modern; // summed over the SMs too
	uint64_t reg_conflicts;
	struct cache_sums l1[STAT_N_CACHES], l2;
	struct prefetch_counts l1_prefetch, l2_prefetch;
	struct cache_counts core_counts, l2_counts; // of the stream
	uint64_t dram_reads, dram_writes, dram_accesses, row_access, row_activates; // over banks
	struct stat_skew bank_skew[STAT_N_SKEWS], chip_skew[STAT_N_SKEWS];
	struct dram_stats dram;      // commands of all channels
	uint64_t flits[2];           // to memory, to the SMs
	uint64_t tot_cycles, tot_insts; // to the end of this interval
	double seconds;              // wall clock
	const char *icnt_text;       // what the network printed
};

// Text as it is; stat_puts: to a walk, whose JSON has none of it. stat_text_end: the whole of a buffer as a string.
void stat_put(stat_buffer *to, const char *text, size_t n);
void stat_puts(struct stat_out *o, const char *text);
const char *stat_text_end(stat_buffer *b);
// Text only: headings and what stands between figures.
void stat_say(struct stat_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
// A row: JSON writes name, unit, kind, description and the value that follows.
void stat_begin(struct stat_out *o, const char *name, const char *unit, const char *kind, const char *help);
void stat_end(struct stat_out *o);
void stat_int(struct stat_out *o, const char *name, const char *before, const char *after, const char *unit, const char *kind,
              uint64_t value, const char *help);
void stat_real(struct stat_out *o, const char *name, const char *before, const char *fmt, const char *after, const char *unit,
               const char *kind, double value, const char *help);
// Inside a row: arrays and objects of JSON; a cell is printed with its own format in text.
void stat_open(struct stat_out *o, char bracket);
void stat_close(struct stat_out *o, char bracket);
void stat_key(struct stat_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void stat_cell(struct stat_out *o, const char *fmt, uint64_t value);      // fmt has one %llu
void stat_cell_real(struct stat_out *o, const char *fmt, double value);   // fmt has one %f or %g

void stat_text(struct stat_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3))); // a JSON string

// a / b in single precision, as GPGPU-Sim divides; 0/0 is a NaN that prints as "-nan", as on the machines it runs on.
double stat_ratio(double a, double b);

double stat_share(const struct cache_sums *s); // of misses
double stat_port(uint64_t busy, const struct cache_sums *s);
uint64_t stat_rate(uint64_t n, double seconds);

// Adds up structs of counters.
void stat_add(void *to, const void *from, size_t bytes);
void stat_gather(struct stat_view *v, struct stats *st, const struct stat_kernel *k);
// All rows. Text: what GPGPU-Sim prints after a kernel, to the end of the interconnect's details.
void stat_walk(struct stat_out *o, const struct stat_view *v);

// The tables in docs/statistics.md.
void stats_doc_print(FILE *to);

// Tables of the rows. core.c:
void stat_l1d_cores(struct stat_out *o, const struct stat_view *v);
void stat_sums(struct stat_out *o, const struct cache_sums *s);
void stat_breakdown(struct stat_out *o, const char *name, const struct cache_counts *c);
void stat_fails(struct stat_out *o, const char *name, const struct cache_counts *c);
void stat_issue_distro(struct stat_out *o, const struct stat_view *v);
void stat_warp_occupancy(struct stat_out *o, const struct stat_view *v);
void stat_issue_nums(struct stat_out *o, const struct stat_view *v, const char *name, const uint64_t *n);
void stat_issue_slots(struct stat_out *o, const struct stat_view *v);
void stat_traffic(struct stat_out *o, const struct stat_view *v, const char *name, unsigned direction);
void stat_icnt(struct stat_out *o, const struct stat_view *v);

// memory.c:
void stat_bins(struct stat_out *o, const uint64_t *bin, unsigned n);
void stat_histogram(struct stat_out *o, const uint64_t *n); // of STAT_POSITIONS
double stat_mean(const uint64_t *n);
void stat_bank_row_run(struct stat_out *o, const struct stat_view *v);
void stat_bank_row_service(struct stat_out *o, const struct stat_view *v);
void stat_bank_row_accesses(struct stat_out *o, const struct stat_view *v);
void stat_bank_accesses(struct stat_out *o, const struct stat_view *v, bool reads, bool writes);
void stat_bank_skew(struct stat_out *o, const struct stat_view *v, enum stat_skews of);
void stat_bank_latency(struct stat_out *o, const struct stat_view *v, bool average);
void stat_channels(struct stat_out *o, const struct stat_view *v);
void stat_l2_banks(struct stat_out *o, const struct stat_view *v);
void stat_stage_latency(struct stat_out *o, const struct stat_view *v, bool writes);

#endif
