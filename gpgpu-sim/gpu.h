// The GPU as libcuda sees it: kernels go in, time passes, kernels come out finished.
#ifndef GPGPU_SIM_GPU_H
#define GPGPU_SIM_GPU_H

#include "gpgpu-sim/look/look.h"
#include "isa/frontend.h"
#include "isa/gpu_desc.h"

#include <stdatomic.h>

struct options;
struct gpu;

// `timed` chooses the timing model, otherwise kernels are only executed. NULL, with errors that name the options, if they
// make no GPU. The options must outlive it.
struct gpu *gpu_new(const struct options *opt, const struct gpu_desc *desc, bool timed, struct diag *d);
// What is made of a kernel's code is kept for its next launch from gpu_keep_code on; whoever calls that calls gpu_forget_code
// before code of any kernel is freed or changed. It changes no result.
void gpu_keep_code(struct gpu *g);
void gpu_forget_code(struct gpu *g);
// Whether they make one, with the same errors, for less time and memory.
bool gpu_possible(const struct options *opt, const struct gpu_desc *desc, bool timed, struct diag *d);
bool gpu_is_timed(const struct gpu *g);
// Whether the launch, which has its number and its kernel, takes time: not in functional mode, and not if -kernels or -sample leaves it
// out.
// Who launches says so in launch->untimed.
bool gpu_times(struct gpu *g, const struct kernel_launch *l);
void gpu_free(struct gpu *g);

// Makes a kernel resident. At most gpu_room() more may be started. The launch belongs to the caller and must stay until
// gpu_run hands it back. Kernels that the kernel launches (isa/grids.h) start by themselves and come out of gpu_run too;
// grids_over tells when a launch, with all that it launched, is to be freed.
void gpu_start(struct gpu *g, struct kernel_launch *launch);
unsigned gpu_room(const struct gpu *g);
// The launch in front of `launch` (kernel_launch.behind) is complete: it need not wait for that any longer.
void gpu_go_on(struct gpu *g, struct kernel_launch *launch);
bool gpu_busy(const struct gpu *g);

// Advances the resident kernels by about `budget` warp instructions (cycles, in timing mode), less when one of them
// finishes first. Returns a finished launch (launch->fault tells how it ended) or NULL.
// Which kernel advances how far depends only on the sequence of calls.
struct kernel_launch *gpu_run(struct gpu *g, uint64_t budget);

// All kernels end where they are, each as one that has finished; what kernels have launched and has not begun never does.
void gpu_stop(struct gpu *g);

// While *flag is not 0 gpu_run returns soon: within some thousand cycles. NULL: no flag.
void gpu_set_interrupt(struct gpu *g, const atomic_int *flag);
// Time stands still from now on, as if a limit called `why` had been reached.
void gpu_cut_off(struct gpu *g, const char *why);

// The option whose limit (-gpgpu_max_cycle and so on) ended the simulation, or NULL. Time stands still from then on; kernels
// that were cut off come out of gpu_run like those that ended.
const char *gpu_limit_reached(const struct gpu *g);

// A host copy wrote device memory: it may fill L2 (-gpgpu_perf_sim_memcpy).
void gpu_host_copy(struct gpu *g, uint64_t addr, uint64_t bytes, bool written);

// Simulated time. Of kernels that are executed without time each warp instruction takes one cycle, so that clocks and event times
// move: see docs/functional.md.
uint64_t gpu_cycle(const struct gpu *g);
// So many cycles have gone by elsewhere.
void gpu_pass_time(struct gpu *g, uint64_t cycles);
double gpu_seconds(const struct gpu *g); // gpu_cycle over the core clock

// Sums over all finished kernels, and wall-clock seconds since gpu_new.
const struct kernel_counts *gpu_total_counts(const struct gpu *g);
double gpu_host_seconds(const struct gpu *g);
// Processor seconds of the calling threads spent in gpu_run: simulation alone, without the program around it.
double gpu_busy_seconds(const struct gpu *g);

// Who looks on; it must outlive the GPU. NULL: nobody.
void gpu_watch(struct gpu *g, const struct gpu_watch *w);
void gpu_progress(const struct gpu *g, struct gpu_progress *out);

// Where lines go that are printed while kernels run; `put` is called inside gpu_start and gpu_run.
void gpu_set_output(struct gpu *g, void (*put)(void *ctx, const char *text), void *ctx);

// What is worth knowing about the run, a line each, for the head of its statistics; what comes later than that is printed
// when it comes, and everything once. Takes the remarks out of the diag.
void gpu_take_remarks(struct gpu *g, struct diag *d);

// The head of the statistics, which the first kernel prints otherwise.
void gpu_begin_statistics(struct gpu *g);

// The last line of the statistics, which tells how the run ended: "complete", "limit OPTION", "interrupted SIGNAL" or
// "fault". It stands in the text, and in the last kernel of the JSON, which is closed.
void gpu_end_statistics(struct gpu *g, const char *how);

// A file that the options ask for could not be written; stderr has said so.
bool gpu_output_failed(const struct gpu *g);

// Statistics in GPGPU-Sim's form, after each kernel.
void gpu_print_kernel_stats(struct gpu *g, const struct kernel_launch *launch, void (*put)(void *ctx, const char *text), void *ctx);

// With -stats short: those of the last kernel once more, in full, where nothing has run since it ended and they were not in full
// already. Belongs before what is printed of the end of a run; gpu_end_statistics prints them at the latest.
void gpu_print_rest(struct gpu *g);

#endif
