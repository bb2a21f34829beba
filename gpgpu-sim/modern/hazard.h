// Checks control bits (-check_control_bits 1): hardware trusts them, and where they are wrong a program computes with
// registers that are not written yet. Says so once for each pair of instructions, however often their kernel is launched; changes
// nothing.
//
// A result of a fixed latency can be used so many cycles after the issue of its producer as distance.h says. Other results can be
// used in the cycle behind their write-back, and sources of variable latencies may be overwritten in the cycle behind their
// reading. Listings 2 and 3 of Huerta et al.
//
// The register-file cache does not see writes: an operand that hits an entry made before its register was overwritten is old.
// Each warp is looked at as if it ran alone, since another one's reads may or may not end an entry.
#ifndef GPGPU_SIM_MODERN_HAZARD_H
#define GPGPU_SIM_MODERN_HAZARD_H

#include "gpgpu-sim/modern/winst.h"

struct sm;
struct hazards;

// `n_registers` of each of `n_warps` slots. *h: NULL, or what a smaller number was kept in.
void hazards_reserve(struct hazards **h, unsigned n_warps, uint32_t n_registers);
void hazards_free(struct hazards *h);

// The rest only where sm.modern->hazards is not NULL. Kernels without control bits have no hazards.
void hazards_start_warp(struct hazards *h, unsigned warp);
void hazards_issue(struct sm *m, const struct winst *w);   // checks, and keeps what it reads and writes
void hazards_read(struct sm *m, const struct winst *w);    // variable latencies: its sources were read in this cycle
void hazards_written(struct sm *m, const struct winst *w); // and its result was written

// What was said of kernels of one name, in a list of all. Written to only while no SM is stepped.
struct hazard_told;
struct hazard_told *hazard_told_of(struct hazard_told **list, const char *kernel); // made if it is not there
void hazard_told_free(struct hazard_told *list);
// A hazard of the instructions at two pcs is to be said: true the first time.
bool hazard_first_told(struct hazard_told *t, uint64_t from, uint64_t to);

#endif
