// Threads that carry out the tasks of a call together, for calls of microseconds that come by the hundred thousand.
//
//   struct team *t = team_new(4, ctx);   // three threads beside the caller's
//   team_call(t, step, 80);              // step(ctx, thread, task) for task 0 to 79, each once, and returns
//
// What the caller has to do before it takes part costs the others nothing, if they can begin without:
//
//   team_begin(t, first, 30);            // the others begin with first(ctx, thread, task)
//   ...                                  // meanwhile the caller does something else,
//   team_join(t);                        // then takes part, until nobody has a task of these to begin
//   team_begin(t, second, 80);           // who is done with his last one goes on with these
//   team_join(t);
//   team_wait(t);                        // until all are done
//
// A thread begins with its own part of the tasks, the same in every call with as many tasks, so that what they touch stays in its
// processor's caches. Who has done his part takes tasks of others: a thread that the host does not run holds nobody up but for the
// tasks that it has taken. Where that happens, the caller does without the others for a while. Between calls threads
// spin for some microseconds, then they sleep.
//
// Which thread carries out a task, and in which order, is left open. What tasks write is seen by the caller after
// team_wait (team_call waits), and by tasks that it begins after that.
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

#include <stdbool.h>

enum { TEAM_MAX_THREADS = 64, TEAM_MAX_TASKS = 65535 };

struct team;
typedef void team_task(void *ctx, unsigned thread, unsigned task);

// n threads, 1 to TEAM_MAX_THREADS, of which the caller is number 0. Fewer if the host gives no more: team_threads
// tells.
struct team *team_new(unsigned n, void *ctx);
void team_free(struct team *t); // NULL: nothing
unsigned team_threads(const struct team *t);
// From one thread at a time, the same one or another. A call that has begun is joined before the next one begins, and
// two at most are waited for together.
void team_begin(struct team *t, team_task *task, unsigned n_tasks);
void team_join(struct team *t);
void team_wait(struct team *t);
void team_call(struct team *t, team_task *task, unsigned n_tasks); // all three
// For a task that can be cut short and gone on with in a later call: true if a thread that takes part in the call has
// nothing to do. False where the caller is alone, in a call or without one.
bool team_waits(const struct team *t);

// For tests: threads dawdle before what they do, for times drawn by chance with this seed; 0: they don't.
void team_dawdle(struct team *t, unsigned seed);

// Processors that the control groups of this process, of both versions, and those above them are given (cpu.max, cpu.cfs_quota_us): the least,
// rounded up; 0: no limit. `root` stands in front of /proc and /sys.
unsigned team_group_limit(const char *root);
// Processors that this process may use: those of its affinity mask, at most what its control group is given, at least 1.
unsigned team_processors(void);

#endif
