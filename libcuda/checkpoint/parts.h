// What the files of this room share: the entries of a record, and the state of who writes or replays one.
#ifndef LIBCUDA_CHECKPOINT_PARTS_H
#define LIBCUDA_CHECKPOINT_PARTS_H

#include "base/vec.h"
#include "libcuda/checkpoint/checkpoint.h"
#include "libcuda/checkpoint/stream.h"

// What follows each tag. Numbers are of variable length.
enum {
	ENTRY_LAUNCH = 'L', // asked for by the program: number, name, launch_shape, parameters of 1, 2, 4 and 8 bytes
	ENTRY_END = 'E',    // number of the launch
	ENTRY_SHARED = 'S', // address, size, bytes that a kernel has changed in memory that the program sees
	ENTRY_OUT = 'O',    // asked for by the program: a copy to the host: size, 1, bytes; or size, 0: it failed
	ENTRY_IN = 'I',     // asked for by the program: a copy to the device: size, hash of the bytes
	ENTRY_TIME = 'T',   // asked for by the program: of an event, a double
	ENTRY_CONDITION = 'C',  // asked for by a graph: value of a conditional node
	ENTRY_ALLOC = 'A',      // a kernel's malloc: size, address
	ENTRY_FREE = 'F',       // a kernel's free: address
	ENTRY_ERROR_TEXT = 'X', // a kernel asked for: error, whether its name, address
	ENTRY_MEMORY = 'M',     // the last: cycle, number of the last launch, then ranges as memory.c has them
};

// Memory that the program looks at by itself, as it was when the kernels that run began.
struct shadow {
	uint64_t addr, size;
	char *bytes;
};

struct checkpoint {
	enum { RECORDS, REPLAYS, RESTS } state;
	uint64_t kernel; // N
	__attribute__((noreturn)) void (*stop)(void);
	const char *file;
	// recording
	struct ckpt_out *out;
	unsigned running; // launches of the host's that have begun and not ended
	VEC(struct shadow) shadows;
	const char *never; // why there can be no checkpoint; NULL: there can
	// replaying
	struct ckpt_in *in;
	int next; // tag of the entry that comes, 0: not read yet
	VEC(struct kernel_launch *) begun;
	bool other_input;  // the program has copied something else to the device, and was told
	double idle_since; // seconds; 0: it moves
};

struct checkpoint *checkpoint_state(void);

// A message, and the end of the process.
__attribute__((format(printf, 1, 2), noreturn)) void checkpoint_fail(const char *fmt, ...);
// The same for what the program does differently.
__attribute__((format(printf, 1, 2), noreturn)) void checkpoint_differs(const char *fmt, ...);

// FNV-1a over words of 8 bytes, and over what is left byte by byte.
uint64_t checkpoint_hash(uint64_t hash, const void *p, size_t n);
#define CHECKPOINT_HASH 14695981039346656037u

// record.c
// Launch N has ended and no other runs: the file is written.
void record_commit(struct checkpoint *c);

// replay.c: what the program asks for.
void replay_launch(struct checkpoint *c, struct kernel_launch *l);
void replay_copied_in(struct checkpoint *c, size_t bytes, uint64_t hash);
double replay_time(struct checkpoint *c);
unsigned replay_condition(struct checkpoint *c);

// shared.c: of memory that the program sees.
void shared_begin(struct checkpoint *c); // no kernel runs
void shared_put_changes(struct checkpoint *c);
void shared_free(struct checkpoint *c);

// An address, and what it is in a checkpoint: the program's own pages lie elsewhere in every run.
uint64_t shared_place(uint64_t addr);
uint64_t shared_address(uint64_t place);

// memory.c: all of device memory.
void memory_put(struct ckpt_out *o);
void memory_get(struct ckpt_in *in);

#endif
