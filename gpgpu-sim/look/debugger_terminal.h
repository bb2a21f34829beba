// Where the debugger's commands come from and its answers go: the terminal, or the file that HEDDLE_DEBUG_INPUT names with
// a transcript on standard error.
#ifndef GPGPU_SIM_LOOK_DEBUGGER_TERMINAL_H
#define GPGPU_SIM_LOOK_DEBUGGER_TERMINAL_H

#include "base/diag.h"
#include "gpgpu-sim/look/debugger.h"

#include <stdio.h>

struct debugger_terminal {
	// For the owner to set. flush: before a prompt and before the end, so that what was written until now stands in front.
	void *ctx;
	void (*flush)(void *ctx);
	void (*quit)(void *ctx); // the user wants the program to end

	FILE *commands, *talk;
};

// A debugger that stops at `places`, one a line. NULL with an error if there is nothing to read commands from, or a place
// cannot be read. The terminal must outlive the debugger.
struct debugger *debugger_terminal_open(struct debugger_terminal *t, const char *places, struct diag *d);
void debugger_terminal_close(struct debugger_terminal *t);

#endif
