// What the memory side counts. Names are those of the lines that print them (docs/memory.md, "Memory partition and DRAM");
// all figures are totals since the GPU was made. Figures of an interval (the time-lapse log) are differences of two readings.
#ifndef GPGPU_SIM_MEMORY_MEMORY_STATS_H
#define GPGPU_SIM_MEMORY_MEMORY_STATS_H

#include "gpgpu-sim/request/mem_req.h"

#include <stdint.h>

enum { LATENCY_BINS = 32 }; // bin i: latencies of 2^i to 2^(i+1)-1 cycles; 0 counts in bin 0

struct dram_bank_stats {
	uint64_t n_access, n_idle;      // "bk0: Na Ni": column commands; ticks without a request
	uint64_t row_access, n_activate; // requests scheduled; rows chosen (average row accesses per activate)
	uint64_t row_run, max_row_run;  // requests of the row now in service; most of any (maximum concurrent accesses to same row)
	uint64_t max_row_service;       // core cycles (maximum service time to same row)
	uint64_t row_since;             // core cycle at which its row was chosen
	// Of -gpgpu_memlatency_stat, by the bank in the address, before -dram_bnk_indexing_policy.
	uint64_t reads, writes;         // in bursts, a part of one counts nothing ("number of total read accesses")
	uint64_t mf_total_latency, mf_max_latency; // core cycles, answered reads
	uint64_t by_type[MEM_N_ACCESS_TYPES];      // in bursts ("dramglobal_acc_r" of the time-lapse log)
};

struct dram_stats {
	unsigned n_banks;
	struct dram_bank_stats *bank;
	// Commands.
	uint64_t n_cmd, n_nop, n_act, n_pre, n_ref, n_req; // n_cmd: ticks
	uint64_t n_rd, n_rd_l2_a, n_wr, n_wr_wb; // column commands: reads, for L2 write-allocate; writes, L2 write-backs
	uint64_t n_activity;            // ticks with a request in a bank or a timer running
	uint64_t bwutil;                // ticks of data on the bus
	// Where the ticks went: util_bw + wasted_bw_col + wasted_bw_row + idle_bw = n_cmd.
	uint64_t util_bw, wasted_bw_col, wasted_bw_row, idle_bw;
	// In ticks of wasted_bw_col, summed over banks whose row is open: what they wait for.
	uint64_t rcd_limit, rcdwr_limit, wtr_limit, rtw_limit, ccdl_limit, rwq_limit;
	uint64_t ccdl_limit_alone, wtr_limit_alone, rtw_limit_alone;
	// Row locality and bank parallelism.
	uint64_t access_num, read_num, write_num, hits_num, hits_read_num, hits_write_num;
	uint64_t banks_1time, banks_access_total;        // Bank_Level_Parallism
	uint64_t banks_time_rw, banks_access_rw_total;   // Bank_Level_Parallism_Col
	uint64_t banks_time_ready, banks_access_ready_total; // Bank_Level_Parallism_Ready
	uint64_t write_share;           // sum over ticks of writes / (reads + writes) among those banks, times 2^32
	uint64_t bkgrp_parallel_rw;     // GrpLevelPara
	// Command buses.
	uint64_t issued_total, issued_two, issued_total_row, issued_total_col;
	// Queue in front of the banks.
	uint64_t max_mrqs, ave_mrqs;    // ave_mrqs: sum over ticks
	uint64_t max_mrqs_temp;         // since memory_restart_max_mrqs
	// dram_util_bins and dram_eff_bins are printed by GPGPU-Sim but never counted: print ten zeros.
};

enum { STAT_POSITIONS = 64 }; // of the histograms of bit 2; what is larger counts in the last

// Latencies in core cycles; counted when -gpgpu_memlatency_stat is not 0.
struct memory_latency {
	uint64_t max_mf, max_icnt2mem, max_mrq, max_icnt2sh;
	uint64_t mf_total, num_mfs;     // as of the last memory_sample_latency
	uint64_t tot_icnt2mem, tot_mrq, tot_mrq_num, tot_icnt2sh;
	uint64_t mrq_table[LATENCY_BINS], dq_table[LATENCY_BINS], mf_table[LATENCY_BINS];
	uint64_t icnt2mem_table[LATENCY_BINS], icnt2sh_table[LATENCY_BINS]; // GPGPU-Sim prints the first 24
	uint64_t mf_pw_table[LATENCY_BINS]; // averages of the windows between samples
	uint64_t window_total, window_num;
	// With bit 2 of -gpgpu_memlatency_stat.
	uint64_t mrq_position[STAT_POSITIONS];   // requests by the older ones of their bank that were left waiting
};

static inline unsigned latency_bin(uint64_t cycles)
{
	unsigned b = cycles ? 63 - __builtin_clzll(cycles) : 0;
	return b < LATENCY_BINS ? b : LATENCY_BINS - 1;
}

// The figures of the lines "DRAM[N]: N bks, busW=N BL=N CL=N, tRRD=N ...".
struct dram_facts {
	unsigned n_banks, bus_bytes, burst_length, CL, RRD, CCD, RCD, RAS, RP, RC;
	bool frfcfs; // the line "mrqq: max=N avg=F" is printed
};

#endif
