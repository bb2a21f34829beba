// Where statistics of the GPU go: to -stats_file, or the way of what kernels print.
#ifndef LIBCUDA_CONTEXT_STATS_OUT_H
#define LIBCUDA_CONTEXT_STATS_OUT_H

void stats_out_put(const char *text);
// The same in the form that gpgpu-sim/ calls.
void stats_out_sink(void *ctx, const char *text);
// What is not in -stats_file yet goes there.
void stats_out_flush(void);
// What -stats short has left for the end of the program, see gpu_print_rest.
void stats_out_rest(void);
// Their last line, see gpu_end_statistics. A run without kernels has one only in the files that it asks for.
void stats_out_end(const char *how);

#endif
