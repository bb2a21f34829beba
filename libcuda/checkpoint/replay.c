// Going on from a checkpoint: entries are taken as the program asks for them, and device memory is put back behind the
// last.
#include "libcuda/checkpoint/parts.h"

#include "isa/kernel.h"
#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"

#include <string.h>
#include <time.h>

typedef unsigned long long ull;

enum {
	PATIENCE = 10
}; // seconds without anything that moves, after which the program is taken to wait for what does not come

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void check_file(struct checkpoint *c)
{
	if (ckpt_ended_early(c->in))
		checkpoint_fail("-resume_option 1: %s is not what Heddle writes", c->file);
}

static int peek(struct checkpoint *c)
{
	uint8_t tag = 0;
	if (c->next)
		return c->next;
	ckpt_get(c->in, &tag, 1);
	check_file(c);
	return c->next = tag;
}

static void put_shared(struct checkpoint *c)
{
	uint64_t addr = shared_address(ckpt_get_number(c->in)), n = ckpt_get_number(c->in);
	const struct devmem_range *r = devmem_find(cu.mem, addr);
	if (!r || n > r->end - addr)
		checkpoint_differs(
			"kernels wrote %llu bytes to memory at 0x%llx that it shared with them, which is not there now",
			(ull)n, (ull)addr);
	char *bytes = mem_alloc(n + 1);
	ckpt_get(c->in, bytes, n);
	if (!guard_write((void *)(uintptr_t)addr, bytes, n))
		checkpoint_differs("memory at 0x%llx cannot be written", (ull)addr);
	mem_free(bytes);
}

static void check_address(const char *what, uint64_t was, uint64_t now)
{
	if (was != now)
		checkpoint_differs("%s was 0x%llx and is now 0x%llx", what, (ull)was, (ull)now);
}

// Entries that neither the program nor the end of a kernel waits for.
static void drain(struct checkpoint *c)
{
	for (;; c->next = 0) {
		uint64_t a, b, addr;
		switch (peek(c)) {
		case ENTRY_SHARED: put_shared(c); break;
		case ENTRY_ALLOC:
			a = ckpt_get_number(c->in);
			addr = ckpt_get_number(c->in);
			check_address("an address that malloc gave a kernel", addr,
				      cu.services.heap_alloc(cu.services.ctx, a));
			break;
		case ENTRY_FREE: cu.services.heap_free(cu.services.ctx, ckpt_get_number(c->in)); break;
		case ENTRY_ERROR_TEXT:
			a = ckpt_get_number(c->in);
			b = ckpt_get_number(c->in);
			addr = ckpt_get_number(c->in);
			check_address("the address of an error's text", addr,
				      cu.services.error_text(cu.services.ctx, (int)a, b != 0));
			break;
		default: return;
		}
	}
}

static const char *word(int tag)
{
	switch (tag) {
	case ENTRY_LAUNCH: return "launched a kernel";
	case ENTRY_END: return "waited for a kernel";
	case ENTRY_OUT: return "copied to the host";
	case ENTRY_IN: return "copied to the device";
	case ENTRY_TIME: return "recorded an event";
	case ENTRY_CONDITION: return "looked at the condition of a graph";
	default: return "was behind the checkpoint";
	}
}

// Takes the entry that the program asks for.
static void take(struct checkpoint *c, int tag)
{
	drain(c);
	int next = peek(c);
	if (next != tag)
		checkpoint_differs("after launch %llu it %s and now it has %s",
				   (ull)cu.next_launch - (tag == ENTRY_LAUNCH), word(next), word(tag));
	c->next = 0;
	c->idle_since = 0;
}

static void other_number(uint64_t uid, const char *name, const char *what, uint64_t was, uint64_t now)
{
	if (was != now)
		checkpoint_differs("%s of launch %llu, %s, was %llu and is now %llu", what, (ull)uid, name, (ull)was,
				   (ull)now);
}

static void check_params(struct checkpoint *c, uint64_t uid, const struct kernel_launch *l)
{
	const struct kernel_info *i = l->info;
	other_number(uid, i->name, "the number of arguments", ckpt_get_number(c->in), i->n_params);
	for (uint32_t k = 0; k < i->n_params; k++) {
		const struct kernel_param *p = &i->param[k];
		uint64_t value = 0, size = ckpt_get_number(c->in), was = ckpt_get_number(c->in);
		if (p->size <= sizeof value)
			memcpy(&value, l->params + p->offset, p->size);
		other_number(uid, i->name, "the size of an argument", size, p->size);
		if (was != shared_place(value))
			checkpoint_differs("argument %u of launch %llu, %s, was 0x%llx and is now 0x%llx", k + 1,
					   (ull)uid, i->name, (ull)was, (ull)value);
	}
}

void replay_launch(struct checkpoint *c, struct kernel_launch *l)
{
	take(c, ENTRY_LAUNCH);
	uint64_t uid = ckpt_get_number(c->in);
	char *name = ckpt_get_text(c->in);
	if (strcmp(name, l->info->name))
		checkpoint_differs("launch %llu was %s and is now %s", (ull)uid, name, l->info->name);
	mem_free(name);
	static const char *const what[3][3] = {{"grid.x", "block.x", "cluster.x"},
					       {"grid.y", "block.y", "cluster.y"},
					       {"grid.z", "block.z", "cluster.z"}};
	for (unsigned k = 0; k < 3; k++) {
		other_number(uid, l->info->name, what[k][0], ckpt_get_number(c->in), l->grid[k]);
		other_number(uid, l->info->name, what[k][1], ckpt_get_number(c->in), l->block[k]);
		other_number(uid, l->info->name, what[k][2], ckpt_get_number(c->in), l->cluster[k]);
	}
	other_number(uid, l->info->name, "dynamic shared memory", ckpt_get_number(c->in), l->dynamic_shared);
	check_params(c, uid, l);
	check_file(c);
	cu.next_launch = l->uid = (uint32_t)uid; // kernels that kernels launched have numbers, too
	VEC_PUSH(&c->begun, l);
}

char *checkpoint_give_copy(size_t bytes)
{
	struct checkpoint *c = cu.checkpoint;
	if (!checkpoint_replays())
		return NULL;
	take(c, ENTRY_OUT);
	uint64_t was = ckpt_get_number(c->in);
	if (was != bytes)
		checkpoint_differs("after launch %llu it copied %llu bytes to the host and now %zu",
				   (ull)cu.next_launch, (ull)was, bytes);
	if (!ckpt_get_number(c->in))
		return NULL;
	char *p = mem_alloc(bytes);
	ckpt_get(c->in, p, bytes);
	check_file(c);
	return p;
}

// Other bytes may be uninitialised memory of the program's, so they are no error; that they do not count must be said.
void replay_copied_in(struct checkpoint *c, size_t bytes, uint64_t hash)
{
	uint64_t was_hash;
	take(c, ENTRY_IN);
	uint64_t was = ckpt_get_number(c->in);
	ckpt_get(c->in, &was_hash, sizeof was_hash);
	check_file(c);
	if (was != bytes)
		checkpoint_differs("after launch %llu it copied %llu bytes to the device and now %zu",
				   (ull)cu.next_launch, (ull)was, bytes);
	if (was_hash == hash || c->other_input)
		return;
	c->other_input = true;
	cu_flush();
	fprintf(stderr,
		"heddle: warning: the program copies other bytes to the device than when %s was written (first after "
		"launch %llu); up to kernel "
		"%llu what it copied then counts\n",
		c->file, (ull)cu.next_launch, (ull)c->kernel);
}

double replay_time(struct checkpoint *c)
{
	double t;
	take(c, ENTRY_TIME);
	ckpt_get(c->in, &t, sizeof t);
	check_file(c);
	return t;
}

unsigned replay_condition(struct checkpoint *c)
{
	take(c, ENTRY_CONDITION);
	return (unsigned)ckpt_get_number(c->in);
}

static void end(struct checkpoint *c)
{
	struct diag d = {0};
	c->next = 0;
	gpu_pass_time(cu.gpu, ckpt_get_number(c->in));
	cu.next_launch = ckpt_get_number(c->in);
	memory_get(c->in);
	check_file(c);
	diag_remark(&d, "kernels 1 to %llu are not simulated: memory is as %s has it", (ull)cu.next_launch, c->file);
	gpu_take_remarks(cu.gpu, &d);
	diag_free(&d);
	ckpt_close(c->in);
	c->in = NULL;
	VEC_FREE(&c->begun);
	c->state = RESTS;
}

static struct kernel_launch *take_begun(struct checkpoint *c, uint64_t uid)
{
	for (size_t i = 0; i < c->begun.n; i++) {
		struct kernel_launch *l = c->begun.at[i];
		if (l->uid == uid) {
			c->begun.at[i] = c->begun.at[--c->begun.n];
			return l;
		}
	}
	checkpoint_fail("-resume_option 1: %s is not what Heddle writes", c->file);
}

// The program was at another place when this was recorded, and will be: other threads of it may be at work.
static void wait_for_program(struct checkpoint *c)
{
	double now = seconds();
	struct timespec until;
	if (!c->idle_since)
		c->idle_since = now;
	if (now - c->idle_since > PATIENCE)
		checkpoint_differs("while launch %u ran it %s, and now it waits for the kernel", c->begun.at[0]->uid,
				   word(peek(c)));
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += 100000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_clockwait(&cu.work, &cu.lock, CLOCK_MONOTONIC, &until);
}

bool checkpoint_turn(struct kernel_launch **ended)
{
	struct checkpoint *c = cu.checkpoint;
	*ended = NULL;
	if (!c->begun.n)
		return false;
	drain(c);
	if (peek(c) != ENTRY_END) {
		wait_for_program(c);
		return true;
	}
	c->next = 0;
	c->idle_since = 0;
	*ended = take_begun(c, ckpt_get_number(c->in));
	return true;
}

void checkpoint_turn_done(void)
{
	struct checkpoint *c = cu.checkpoint;
	drain(c);
	if (peek(c) == ENTRY_MEMORY)
		end(c);
}

bool checkpoint_holds_launch(void)
{
	struct checkpoint *c = cu.checkpoint;
	if (!c || c->state != REPLAYS || !c->begun.n)
		return false;
	drain(c);
	return peek(c) == ENTRY_END || peek(c) == ENTRY_MEMORY;
}
