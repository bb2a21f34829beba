// The interconnect between SM clusters and memory sub-partitions: two networks, one for requests and one for replies.
//
// Nodes are numbered per kind: clusters 0..n_cluster-1 send requests and receive replies, memory nodes 0..n_mem-1
// receive requests and send replies. Packets are the caller's pointers; they are never looked into.
//
// One interconnect cycle is: peers take what has arrived, peers put what there is room for, icnt_tick().
#ifndef INTERSIM_ICNT_H
#define INTERSIM_ICNT_H

#include "base/diag.h"
#include "base/options.h"

#include <stdbool.h>
#include <stdint.h>

enum icnt_net { ICNT_REQUEST, ICNT_REPLY }; // clusters -> memory, memory -> clusters

struct icnt;

// -network_mode chooses: 1 the router network that -inter_config_file describes, 2 the built-in crossbar. The file is
// looked for in the working directory, then in config_dir (may be NULL), then beside the configuration that named it.
// NULL after an error in `d`.
struct icnt *icnt_new(const struct options *o, const char *config_dir, unsigned n_cluster, unsigned n_mem,
                      struct diag *d);
void icnt_free(struct icnt *); // NULL is fine; packets inside are dropped

// Whether `src` can inject a packet of `bytes` now. A refusal adds one to the counter of full input buffers, as
// GPGPU-Sim's icnt_has_buffer does, so ask once for each packet and cycle.
bool icnt_can_push(struct icnt *, enum icnt_net, unsigned src, unsigned bytes);

// The same without counting.
bool icnt_has_room(const struct icnt *, enum icnt_net, unsigned src, unsigned bytes);
// At least so many packets of `bytes` can `src` put now one after the other, or later: only what it puts takes room.
unsigned icnt_room(const struct icnt *, enum icnt_net, unsigned src, unsigned bytes);
// The set of sources whose input has given something to the network, a bit per source, 64 a word. The caller clears bits as
// it likes. A source without room has none before its bit is set again.
uint64_t *icnt_drained(struct icnt *, enum icnt_net);
// Counts what icnt_can_push() would have refused so many times to callers that did not ask it.
void icnt_count_refused(struct icnt *, enum icnt_net, uint64_t times);
// Only after icnt_can_push() said yes. `packet` is not NULL.
void icnt_push(struct icnt *, enum icnt_net, unsigned src, unsigned dst, void *packet, unsigned bytes);

void *icnt_peek(const struct icnt *, enum icnt_net, unsigned dst); // the packet icnt_pop() would give, or NULL
void *icnt_pop(struct icnt *, enum icnt_net, unsigned dst);        // NULL if none has arrived
// The first sink at or after `from` where a packet has arrived; the number of sinks or more if there is none.
unsigned icnt_next_arrived(const struct icnt *, enum icnt_net, unsigned from);
// The same as a set: a bit per sink, 64 a word.
const uint64_t *icnt_arrived(const struct icnt *, enum icnt_net);

// Pushing and popping in two steps, for ports that threads have to themselves. A packet that is put stands in its
// source's input and takes room there; the network counts it, and sees that it is there, with the next icnt_enter() of
// that source: in their order packets enter. One that is taken is gone from its sink, which icnt_leave() tells the
// network. Different sources may be asked for room and be put into, and different sinks be taken from, at the same
// time, while nothing else is done with that network; icnt_arrived() stays what it was. With `keep` the packets put last
// do not enter yet, so many: a source that has the time of a later cycle puts its packets early, if there is room.
// write: a write request or its acknowledgement, to which an .icnt file can give virtual channels of its own.
void icnt_put(struct icnt *, enum icnt_net, unsigned src, unsigned dst, void *packet, unsigned bytes, bool write);
void icnt_enter(struct icnt *, enum icnt_net, unsigned src, unsigned keep);
void *icnt_take(struct icnt *, enum icnt_net, unsigned dst); // NULL if nothing is there
void icnt_leave(struct icnt *, enum icnt_net, unsigned dst);

// One interconnect cycle. True if anything inside moved.
bool icnt_tick(struct icnt *);
// `cycles` ticks at once, in which nobody pushed or popped. Only while icnt_moving() is false; what stands still inside
// (arrived packets, packets blocked behind a full output) is counted as ticking would have.
void icnt_skip(struct icnt *, uint64_t cycles);
// Whether requests and replies know nothing of each other. Then icnt_step() gives one of the two networks its cycle, and
// what is said here of one network may be done by one thread while another does it with the other network.
bool icnt_apart(const struct icnt *);
void icnt_step(struct icnt *, enum icnt_net, bool always); // always: tick it even if nothing in it can move
// A packet is inside: from icnt_push() until icnt_pop(), arrived ones included.
bool icnt_busy(const struct icnt *);
// The next tick would do more than count: false while empty or while everything inside waits for a pop.
bool icnt_moving(const struct icnt *);

// A GPU that was idle begins a kernel. GPGPU-Sim restarts the statistics of its router network here (icnt_init); those
// of the crossbar run on.
void icnt_begin(struct icnt *);

// Statistics text with GPGPU-Sim's names and order; `put` gets pieces of text that end in a newline. Not const: the
// router network prints averages over the kernels printed so far, so ask once for each kernel.
void icnt_print(struct icnt *, void (*put)(void *ctx, const char *text), void *ctx);
// For deadlock reports: a line for each queue that holds a packet, with "full" where it is,
// and what its head waits for.
void icnt_describe(const struct icnt *, void (*put)(void *ctx, const char *text), void *ctx);

// Packets of one network since icnt_new().
struct icnt_count {
	uint64_t pushed, popped;
};
struct icnt_count icnt_total(const struct icnt *, enum icnt_net);

#endif
