// What -stats_record adds to the JSON of a kernel (docs/report.md).
#ifndef GPGPU_SIM_STATS_RECORD_H
#define GPGPU_SIM_STATS_RECORD_H

#include "gpgpu-sim/stats/stats.h"

void stats_record_init(struct stats *st); // after the options were read; nothing, if they do not ask for it
void stats_record_free(struct stats *st);
void stats_record_forget(struct stats *st); // code may change now: its text is written again
uint64_t stats_record_next(const struct stats *st); // the next of stats.cycles in which a sample is due; UINT64_MAX: none
void stats_record_sample(struct stats *st);         // takes one, if it is due
// Writes member "record" of a kernel that has ended, and begins anew.
void stats_record_kernel(struct stats *st, struct stat_out *o, const struct kernel_launch *l);

#endif
