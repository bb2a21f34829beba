// A small debugger for the simulated GPU: stops it at a cycle, an instruction or an access to memory, and reads commands.
// It looks and never changes: a run with stops gives the cycles of one without.
// It stops in the middle of a cycle, with some SMs stepped and others not, and shows all of them: whoever steps SMs by several
// threads steps them by one while debugger_wants_instructions. Lines of debug streams about the cycle come when it has ended.
// Where to stop: see debug_place.h.
#ifndef GPGPU_SIM_LOOK_DEBUGGER_H
#define GPGPU_SIM_LOOK_DEBUGGER_H

#include "isa/frontend.h"

struct debugger;
struct sm;
struct timing;

struct debugger_io {
	void *ctx;
	// A line without its newline; false at the end of the input: the debugger lets go.
	bool (*read_line)(void *ctx, char *buf, size_t len);
	void (*put)(void *ctx, const char *text);
	void (*quit)(void *ctx); // the user wants the program to end
};

struct debugger *debugger_new(const struct debugger_io *io);
void debugger_free(struct debugger *g);
// False, with a sentence for the user in `why`, if the place cannot be read.
bool debugger_add(struct debugger *g, const char *place, char *why, size_t len);
// The program is over: names the stops that were not reached. g may be NULL.
void debugger_end(struct debugger *g);
// Code of kernels is about to be freed: stops are looked for anew in what runs from now on. g may be NULL.
void debugger_forget_code(struct debugger *g);

// For look.c. It calls debugger_attach first, and debugger_at_cycle when debugger_next_cycle has come. `changed` is called
// whenever the stops may be others than before.
void debugger_attach(struct debugger *g, struct timing *t, void (*changed)(void *ctx), void *ctx);
uint64_t debugger_next_cycle(const struct debugger *g); // UINT64_MAX: none
void debugger_at_cycle(struct debugger *g);
// For SMs, if it wants to see instructions: before one is executed, and after.
bool debugger_wants_instructions(const struct debugger *g);
void debugger_before(struct debugger *g, const struct sm *m, unsigned slot);
void debugger_issued(struct debugger *g, const struct sm *m, unsigned slot, const struct isa_inst *inst, const struct fe_result *r);

#endif
