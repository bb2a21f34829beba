// Threads that carry out the tasks of a call together, for calls of microseconds that come by the hundred thousand.
//
//   struct team *t = team_new(4, step, ctx);   // three threads beside the caller's
//   team_call(t, 80);                          // step(ctx, thread, task) for task 0 to 79, each once, and returns
//
// A thread begins with its own part of the tasks, the same in every call with as many tasks, so that what they touch stays in its
// processor's caches. Who has done his part takes tasks of others: a thread that the host does not run holds nobody up but for the
// tasks that it has taken. Where that happens, the caller does without the others for a while. Between calls threads
// spin for some microseconds, then they sleep.
//
// Which thread carries out a task, and in which order, is left open. What tasks write is seen by the caller after team_call, and by
// tasks of later calls.
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

#include <stdbool.h>

enum { TEAM_MAX_THREADS = 64, TEAM_MAX_TASKS = 65535 };

struct team;

// n threads, 1 to TEAM_MAX_THREADS, of which the caller of team_call is number 0. Fewer if the host gives no more: team_threads tells.
struct team *team_new(unsigned n, void (*task)(void *ctx, unsigned thread, unsigned task), void *ctx);
void team_free(struct team *t); // NULL: nothing
unsigned team_threads(const struct team *t);
// From one thread at a time, the same one or another.
void team_call(struct team *t, unsigned n_tasks);

// For tests: threads dawdle before what they do, for times drawn by chance with this seed; 0: they don't.
void team_dawdle(struct team *t, unsigned seed);

// Processors that the control groups of this process, of both versions, and those above them are given (cpu.max, cpu.cfs_quota_us): the least,
// rounded up; 0: no limit. `root` stands in front of /proc and /sys.
unsigned team_group_limit(const char *root);
// Processors that this process may use: those of its affinity mask, at most what its control group is given, at least 1.
unsigned team_processors(void);

#endif
