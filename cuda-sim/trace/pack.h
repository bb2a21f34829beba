// The instructions of a warp in few bytes: a loop costs a byte or two a turn, an access its base as a difference.
//
// Two streams. Control: runs of instructions that follow the first known successor (trace_inst.succ) under an unchanged
// mask, each ended by one instruction that names its number, or a new mask, or both. Addresses: for each instruction
// with addresses and a mask, the base against the last one of the same instruction slot, and the number of a pattern of
// offsets + 1, or 0 and the offsets themselves.
#ifndef CUDA_SIM_TRACE_PACK_H
#define CUDA_SIM_TRACE_PACK_H

#include "base/vec.h"
#include "cuda-sim/trace/code.h"

enum { PACK_SLOTS = 8 };

struct trace_pack {
	VEC(uint8_t) ctl, adr;
	struct trace_inst *prev; // the last one
	uint32_t n;          // instructions
	uint32_t mask;
	uint32_t run;
	uint64_t last[PACK_SLOTS];
};

void trace_pack_begin(struct trace_pack *p); // empties it
void trace_pack_free(struct trace_pack *p);
void trace_pack_inst(struct trace_pack *p, struct trace_inst *t, uint32_t mask);
// What a warp did last after the instruction just packed, which it is likely to do again; NULL: nothing.
static inline struct trace_inst *trace_pack_likely(const struct trace_pack *p, const struct trace_code *c)
{
	return p->prev ? p->prev->next : c->n_inst ? trace_inst_at(c, 0) : NULL;
}

// Addresses of the instruction just packed: of its first active lane, and by pattern (UINT32_MAX: by the offsets, which
// only then are looked at).
void trace_pack_addresses(struct trace_pack *p, uint32_t index, uint64_t base, uint32_t pattern, uint32_t mask,
                          const int64_t offset[32]);

// A number in the stream of addresses, read back by trace_cursor_number.
void trace_pack_number(struct trace_pack *p, uint64_t v);
void trace_pack_signed(struct trace_pack *p, int64_t v); // trace_cursor_signed

struct trace_cursor {
	const struct trace_inst *inst; // the current one; valid while left, as its mask is
	uint32_t mask;
	uint32_t left;       // instructions not yet passed, the current one among them
	uint32_t run;        // that follow by succession before the next entry of the control stream
	const struct trace_code *code;
	const uint8_t *ctl, *ctl_end, *adr;
	uint8_t flags;       // of the entry after the run
	uint64_t last[PACK_SLOTS];
};

void trace_cursor_begin(struct trace_cursor *c, const struct trace_code *code, const uint8_t *ctl, size_t n_ctl,
                        const uint8_t *adr, uint32_t n);
void trace_cursor_entry(struct trace_cursor *c); // the instruction that ends a run
static inline void trace_cursor_next(struct trace_cursor *c)
{
	if (!--c->left)
		return;
	if (!c->run) {
		trace_cursor_entry(c);
		return;
	}
	c->run--;
	c->inst = c->inst->succ;
}

// Addresses of the current instruction; once for each that has any, before trace_cursor_next. Lanes outside the mask
// get no meaningful value.
void trace_cursor_addresses(struct trace_cursor *c, uint64_t addr[32]);
// For those that were packed for other lanes than the current mask.
void trace_cursor_addresses_of(struct trace_cursor *c, uint32_t mask, uint64_t addr[32]);
// The same, of the current mask, but an address from `window` on as an offset in it; 0: no window.
void trace_cursor_offsets(struct trace_cursor *c, uint64_t window, uint64_t addr[32]);
uint64_t trace_cursor_number(struct trace_cursor *c);
int64_t trace_cursor_signed(struct trace_cursor *c);

#endif
