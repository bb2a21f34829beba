// A sub-core's memory unit: a queue, and six stages in which addresses are calculated and registers read. An instruction
// holds a place from issue until the SM's shared unit has accepted it.
#ifndef GPGPU_SIM_MODERN_LOCAL_UNIT_H
#define GPGPU_SIM_MODERN_LOCAL_UNIT_H

#include "gpgpu-sim/modern/mem_pipe.h"
#include "gpgpu-sim/request/port.h"

enum { LOCAL_STAGES = 6 };

// Cycles from issue to the first stage (Control and the queue lie between), and from entering it to the first cycle in which
// an instruction issues, if its sources may be overwritten after `war` cycles: that many less.
enum { LOCAL_ENTRY = 3, LOCAL_READ = LOCAL_ENTRY + 1 };

struct local_unit {
	struct port queue;
	struct winst *stage[LOCAL_STAGES];
	uint64_t ready[LOCAL_STAGES]; // first cycle in which it may be in the next stage; of its last stage: be accepted
	uint32_t occupied;            // bit per stage
	uint32_t held, places;
	uint64_t next;                // nothing moves in cycles before it
};

void local_init(struct local_unit *l, uint32_t places);
void local_free(struct local_unit *l);
static inline bool local_has_place(const struct local_unit *l) { return l->held < l->places; }
void local_issue(struct local_unit *l, struct winst *w, uint64_t now);
// One cycle, not before l->next. The instruction that enters its first stage in it, or NULL.
struct winst *local_tick(struct local_unit *l, uint64_t now);
// The instruction that reads its address register in this cycle, the last one of its first stage; NULL: none.
const struct winst *local_reads(const struct local_unit *l, uint64_t now);
void local_accepted(struct local_unit *l);
// What the SM may accept and from which cycle on, UINT64_MAX if there is nothing.
uint64_t local_offer(const struct local_unit *l, struct winst **w);

#endif
