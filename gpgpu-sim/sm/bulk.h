// The unit of bulk copies, Hopper's Tensor Memory Accelerator: one to an SM. Copies come from issue in order. The unit takes one
// after the other: it fetches the tensor map, unless it has it, and then asks for the bytes, line by line, of L2, or sends them
// there. Copies behind it wait; answers of several copies may be under way together. Copies between CTAs of a cluster come
// here only to wait until the network between SMs has brought them (remote.h).
//
//   issue -> queue -> latency, tensor map -> requests, so many bytes a cycle -> network -> L2 -> answers -> shared memory -> mbarrier
#ifndef GPGPU_SIM_SM_BULK_H
#define GPGPU_SIM_SM_BULK_H

#include "isa/frontend.h"

struct bulk_unit;
struct mem_req;
struct sm;
struct winst;

void bulk_free(struct bulk_unit *u);
// The copies that an instruction has started.
void bulk_start(struct sm *m, const struct winst *w, const struct fe_result *r);
void bulk_accept(struct sm *m, struct mem_req *r, uint64_t now); // an answer of the network, of which the SM may be ahead
void bulk_tick(struct sm *m, uint64_t now);
uint64_t bulk_next(const struct sm *m, uint64_t now);   // when it has something to do again; UINT64_MAX: when an answer comes
bool bulk_alone(const struct sm *m, uint64_t now);      // nothing is complete in cycle `now`, if no answer comes
// It makes no difference in cycle `now` whether answers come behind the GPU's cycle `gpu`: a copy is complete some time
// behind its last answer, -tma_write_latency, and nothing that is to be sent waits for one.
bool bulk_unanswered(struct sm *m, uint64_t now, uint64_t gpu);
bool bulk_holds_requests(const struct sm *m);

#endif
