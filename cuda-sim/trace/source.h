// Bytes of a trace file, decompressed on the way: plain text, gzip, xz or Zstandard, told apart by their first bytes
// and not by their names; and the text of .tracez files, which only their names tell (tracez.h).
#ifndef CUDA_SIM_TRACE_SOURCE_H
#define CUDA_SIM_TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_source;

// Opens a file. NULL if that fails, with the reason in `why` (n bytes).
struct trace_source *trace_source_open(const char *path, char *why, size_t n);

// Text that is in memory already; it must outlive the source.
struct trace_source *trace_source_text(const char *text, size_t len);

// A .tracez file that is in memory already; it must outlive the source. NULL with the reason in `why`.
struct trace_source *trace_source_tracez(const void *bytes, size_t len, char *why, size_t n);

// Thread blocks of a cluster, where the container tells; false: it does not, or there are no clusters.
bool trace_source_cluster(const struct trace_source *s, uint32_t size[3]);

// Up to `n` bytes (n > 0); 0 at the end of the text or at an error.
size_t trace_source_read(struct trace_source *s, void *to, size_t n);

// What went wrong ("the compressed data ends early"); NULL while all is well.
const char *trace_source_error(const struct trace_source *s);

void trace_source_close(struct trace_source *s);

#endif
