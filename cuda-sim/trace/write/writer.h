// Writes what a program executes as traces that heddle trace replays, and Accel-Sim those of machine code: a kernelslist.g
// and a .traceg or .tracez file for each kernel, or an extended trace. It stands between a core and the front end of the running program,
// and changes nothing. docs/traces.md has the formats.
#ifndef CUDA_SIM_TRACE_WRITE_WRITER_H
#define CUDA_SIM_TRACE_WRITE_WRITER_H

#include "base/diag.h"
#include "isa/frontend.h"

struct trace_writer;

struct trace_writing {
	bool gzip;     // kernels are compressed
	bool tracez;   // kernels are .tracez files, which excludes the other two
	bool extended; // with control bits, of machine code only
};

// Writes to a folder, which is made if it is not there; what an earlier run wrote there is overwritten. NULL with an error that
// names the folder, or if `how` contradicts itself.
struct trace_writer *trace_writer_new(const char *folder, const struct trace_writing *how, struct diag *d);
// No launch may run any more. False, with errors, if something could not be written.
bool trace_writer_close(struct trace_writer *w, struct diag *d);

// The front end for launches that are to be written, in place of `fe`: PTX's or machine code's.
const struct frontend_ops *trace_writer_frontend(const struct trace_writer *w, const struct frontend_ops *fe);

// A copy between host and device took place.
void trace_writer_copy(struct trace_writer *w, uint64_t addr, uint64_t bytes);

#endif
