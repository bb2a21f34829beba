// Who looks at an SM from above (debug streams, the debugger): functions that the SM calls as things happen. Nothing they do
// may change the SM. They are called while the SM is stepped, maybe beside others that are stepped by other threads: each SM has
// an observer of its own, which passes lines on by sm_say and keeps what it remembers for that SM alone. sm.observed has the bits of what somebody wants to see, so that what nobody wants costs the test of a
// bit; where a bit is set, the function of that bit is there.
#ifndef GPGPU_SIM_SM_OBSERVER_H
#define GPGPU_SIM_SM_OBSERVER_H

#include "gpgpu-sim/sm/sm.h"

enum sm_event {
	SM_SEES_ISSUE = 1,     // before and issued
	SM_SEES_RELEASE = 2,   // released
	SM_SEES_SCHEDULER = 4, // scheduled
	SM_SEES_FETCH = 8,     // fetched
	SM_SEES_CTA = 16,      // cta
	SM_SEES_PIPELINE = 32, // pipeline
};

struct sm_observer {
	void *ctx;
	void (*before)(void *ctx, const struct sm *m, unsigned slot);           // the warp is about to issue its next instruction
	void (*issued)(void *ctx, const struct sm *m, const struct winst *i);   // it was executed, with sm.result
	void (*released)(void *ctx, const struct sm *m, const struct winst *i); // the scoreboard has let go of its registers
	void (*scheduled)(void *ctx, const struct sm *m, unsigned scheduler);   // the scheduler has had its turn
	void (*fetched)(void *ctx, const struct sm *m, unsigned slot, uint64_t pc, const char *what);
	void (*cta)(void *ctx, const struct sm *m, const struct sm_cta *c, const char *what);
	void (*pipeline)(void *ctx, const struct sm *m, const char *line);      // what a warp's instructions do in this cycle
};

static inline void sm_see_before(const struct sm *m, unsigned slot)
{
	if (m->observed & SM_SEES_ISSUE)
		m->observer->before(m->observer->ctx, m, slot);
}

static inline void sm_see_issued(const struct sm *m, const struct winst *i)
{
	if (m->observed & SM_SEES_ISSUE)
		m->observer->issued(m->observer->ctx, m, i);
}

static inline void sm_see_release(const struct sm *m, const struct winst *i)
{
	if (m->observed & SM_SEES_RELEASE)
		m->observer->released(m->observer->ctx, m, i);
}

static inline void sm_see_schedule(const struct sm *m, unsigned scheduler)
{
	if (m->observed & SM_SEES_SCHEDULER)
		m->observer->scheduled(m->observer->ctx, m, scheduler);
}

static inline void sm_see_fetch(const struct sm *m, unsigned slot, uint64_t pc, const char *what)
{
	if (m->observed & SM_SEES_FETCH)
		m->observer->fetched(m->observer->ctx, m, slot, pc, what);
}

static inline void sm_see_cta(const struct sm *m, const struct sm_cta *c, const char *what)
{
	if (m->observed & SM_SEES_CTA)
		m->observer->cta(m->observer->ctx, m, c, what);
}

#endif
