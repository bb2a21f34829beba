// The small languages inside option values: cache strings, clocks, DRAM timing, address maps, number lists, sampling.
// Each reader fills its result and returns true, or returns false with what is wrong and where in the text.
#ifndef BASE_OPTION_FORMS_H
#define BASE_OPTION_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct form_error {
	size_t at; // byte in the value
	char why[160];
};

// Which line of a set makes room.
enum cache_replacement { REPLACE_LRU, REPLACE_FIFO, REPLACE_RANDOM, REPLACE_SRRIP };

// "S:32:128:24,L:B:m:L:P,A:192:4,32:0,32" or "none". Fields that older strings leave out get the value noted.
struct cache_form {
	bool present;         // false for "none"; the rest is then 0
	char kind;            // N normal, S sectored (N)
	uint32_t sets, line, ways; // line in bytes
	enum cache_replacement replacement; // L LRU, F FIFO; R random and S SRRIP are not in GPGPU-Sim
	char write;           // R read-only, B back, T through, E evict, L local back and global through
	char allocate;        // m on miss, f on fill, s streaming
	char write_allocate;  // N none, W write, F fetch on write, L lazy fetch on read (N)
	char index;           // L linear, X xor, H Fermi hash, P IPOLY, C custom (L)
	char mshr;            // A associative, S sector associative, F texture FIFO, T sector texture FIFO
	uint32_t mshr_entries, mshr_merges;
	uint32_t miss_queue;  // (0: none)
	uint32_t result_fifo; // of the texture kinds (0)
	uint32_t port_width;  // bytes a cycle (0: a whole line)
};
bool form_cache(const char *text, struct cache_form *out, struct form_error *err);

// "core:interconnect:L2:DRAM" in MHz, exactly, as Hz.
enum { CLOCK_CORE, CLOCK_ICNT, CLOCK_L2, CLOCK_DRAM, CLOCKS_N };
bool form_clocks(const char *text, uint64_t hz[CLOCKS_N], struct form_error *err);

// Non-negative numbers with `separator` between them; at most `max`. Stores how many in *n.
bool form_numbers(const char *text, char separator, int64_t *out, size_t max, size_t *n, struct form_error *err);

// "10000:50": interval in core cycles (0: none), then flags (0) in hex with or without 0x, as GPGPU-Sim reads them.
struct sampling_form {
	uint64_t interval;
	uint32_t flags;
};
bool form_sampling(const char *text, struct sampling_form *out, struct form_error *err);

// "nbk=16:CCD=1:..." in any order, or the numbers alone in the order of the fields. In DRAM command cycles.
// The second line is Heddle's: ranks (1), four-activate window, rank switch, refresh interval and time (0: none).
struct dram_timing_form {
	uint32_t nbk, CCD, RRD, RCD, RAS, RP, RC, CL, WL, CDLR, WR, nbkgrp, CCDL, RTPL;
	uint32_t nrank, FAW, RTRS, REFI, RFC;
};
bool form_dram_timing(const char *text, struct dram_timing_form *out, struct form_error *err);

// "dramid@8;0000.RRRR.BBCC.SSSS": 64 letters from the top address bit down. A mask has a bit for each letter.
struct address_map_form {
	int channel_bit;  // lowest bit of the channel number, which is divided out; -1 when D letters give it
	uint64_t channel, bank, row, column, burst; // burst bits (S) are column bits too
};
bool form_address_map(const char *text, struct address_map_form *out, struct form_error *err);

// "lrr", "gto", "old", "rrr", "two_level_active:n:inner:outer", "warp_limiting:prio:n"
enum scheduler_kind { SCHEDULER_LRR, SCHEDULER_GTO, SCHEDULER_OLD, SCHEDULER_RRR, SCHEDULER_TWO_LEVEL, SCHEDULER_SWL };
struct scheduler_form {
	enum scheduler_kind kind;
	uint32_t arg[3]; // two_level_active: active warps, inner, outer level policy; warp_limiting: priority, warps
};
bool form_scheduler(const char *text, struct scheduler_form *out, struct form_error *err);

// "none", "next_line:DEGREE", "tagged:DEGREE"
enum prefetch_policy { PREFETCH_NONE, PREFETCH_NEXT_LINE, PREFETCH_TAGGED };
struct prefetch_form {
	enum prefetch_policy policy;
	uint32_t degree; // lines fetched ahead; 0 without a policy
};
bool form_prefetch(const char *text, struct prefetch_form *out, struct form_error *err);

// "1,4,200,4,4,TEX": an extra execution unit.
struct unit_form {
	bool enabled;
	uint32_t count, latency, issue_width, execute_width;
	char name[16];
};
bool form_unit(const char *text, struct unit_form *out, struct form_error *err);

// "ptx", "sass", "auto", "default": which of the codes of a kernel is executed.
enum execute { EXECUTE_DEFAULT, EXECUTE_PTX, EXECUTE_SASS, EXECUTE_AUTO };
bool form_execute(const char *text, enum execute *out, struct form_error *err);

// -tensor_numerics: "gpu", or "plain".
bool form_numerics(const char *text, bool *plain, struct form_error *err);

// -stats: "full", or "short".
bool form_stats(const char *text, bool *brief, struct form_error *err);

#endif
