// A core model: what an SM does with the warps of its CTAs, cycle by cycle. The SM around it (sm.h) holds CTAs, warps and
// their front end, the caches of the load/store unit, the way to the network and the statistics; all models share those.
#ifndef GPGPU_SIM_SM_CORE_OPS_H
#define GPGPU_SIM_SM_CORE_OPS_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sm;
struct mem_req;
struct winst;

struct core_ops {
	uint32_t slots; // set of enum sm_slot_reason that its issue slots can have

	bool (*init)(struct sm *m, struct diag *d); // after the common parts; false with errors
	void (*free)(struct sm *m);

	void (*reserve_registers)(struct sm *m);          // sm.reg_words grew; NULL: nothing to do
	void (*start_warp)(struct sm *m, unsigned warp);  // sm.warp[warp] was filled, its first instruction is next
	void (*refresh)(struct sm *m, unsigned warp);     // its next instruction, barrier or fence state changed from outside
	void (*park_warp)(struct sm *m, unsigned warp);   // it leaves the SM for a while; NULL: nothing to do
	void (*end_kernel)(struct sm *m);                 // a kernel has ended on the GPU: caches that do not outlive one

	// One core cycle. The next cycle in which it must be called; UINT64_MAX: nothing can move until something arrives.
	uint64_t (*tick)(struct sm *m, uint64_t now);
	void (*catch_up)(struct sm *m, uint64_t cycles);  // cycles slept through behind sm.now, all like the last one
	bool (*holds_requests)(const struct sm *m);       // can still move, or has come and nobody has taken it
	bool (*response_full)(const struct sm *m);
	void (*accept_data)(struct sm *m);                // something came into ldst.responses
	void (*accept_fetch)(struct sm *m, struct mem_req *r, uint64_t now);
	// For people who look inside: what a resident warp waits for; buffers that hold something; the pipeline, line by line.
	void (*print_wait)(const struct sm *m, unsigned warp, char *buf, size_t len);
	int (*print_queues)(const struct sm *m, void (*put)(void *ctx, const char *line), void *ctx);
	void (*print_pipeline)(const struct sm *m, void (*put)(void *ctx, const char *line), void *ctx);
};

extern const struct core_ops core_classic, core_modern;

#endif
