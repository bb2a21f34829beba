// Files of Accel-Sim 2.0 (.tracez): the text of a trace, warp by warp in Zstandard frames, and an index.
//
//   header text, up to a byte 0           as in the text form
//   u32 bytes of a dictionary, u32 instructions of a part, the dictionary
//   for each warp: u32 instructions, u32 parts; for each part u32 bytes and a frame: lines with '\n' between them
//   the index: u32 thread blocks; for each its number, that of its cluster and its place in the cluster (three u32 each), u32
//     rank in the cluster, u32 warps; for each warp u32 instructions, u32 parts, u64 where it begins, u32 instructions of each part
//   u64 where the index begins
// Numbers are little-endian.
//
// A reader gives the text that Accel-Sim's traceDsm writes of the file, so lines are counted as in that.
#ifndef CUDA_SIM_TRACE_TRACEZ_H
#define CUDA_SIM_TRACE_TRACEZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tracez;

// True if a file of this name is one: the format has no magic number.
bool tracez_is_name(const char *path);

// Opens a file, or bytes that outlive the reader. The whole index is checked. NULL with the reason in `why`.
struct tracez *tracez_open(const char *path, char *why, size_t n);
struct tracez *tracez_of(const void *bytes, size_t len, char *why, size_t n);

// Up to n bytes of text (n > 0); 0 at its end or at an error.
size_t tracez_read(struct tracez *z, void *to, size_t n);
// "thread block 1,0,0, warp 3, part 0: the Zstandard data is damaged"; NULL while all is well.
const char *tracez_error(const struct tracez *z);

// Thread blocks of a cluster in each direction, as the index tells; false: there are no clusters of more than one.
bool tracez_cluster(const struct tracez *z, uint32_t size[3]);

void tracez_close(struct tracez *z);

#endif
