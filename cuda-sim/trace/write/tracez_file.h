// Writes .tracez files (cuda-sim/trace/tracez.h).
#ifndef CUDA_SIM_TRACE_WRITE_TRACEZ_FILE_H
#define CUDA_SIM_TRACE_WRITE_TRACEZ_FILE_H

#include "cuda-sim/trace/write/store.h"

struct tracez_file;

// Where a thread block stands.
struct tracez_block {
	uint32_t id[3], cluster[3], place[3], rank;
};

// Takes the open file over; `header` is the text up to the first thread block.
struct tracez_file *tracez_file_new(struct store_file file, const char *header, size_t n);
// The next thread block; lines of a warp end with '\n'. False when it could not be written, as errno says.
bool tracez_file_block(struct tracez_file *f, const struct tracez_block *b, const struct store_warp *w, unsigned n);
// Writes the index and closes the file.
bool tracez_file_end(struct tracez_file *f);

#endif
