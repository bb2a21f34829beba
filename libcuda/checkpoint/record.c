// Writing a checkpoint: the entries, in the order in which things happen.
#include "libcuda/checkpoint/parts.h"

#include "base/output.h"
#include "isa/kernel.h"
#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"

#include <string.h>

static struct checkpoint *recording(void)
{
	struct checkpoint *c = cu.checkpoint;
	return c && c->state == RECORDS && !c->never ? c : NULL;
}

// There will be no checkpoint; the program goes on, and its end tells.
static void give_up(struct checkpoint *c, const char *why)
{
	c->never = why;
	ckpt_drop(c->out);
	c->out = NULL;
	shared_free(c);
}

static void put_launch(struct checkpoint *c, const struct kernel_launch *l)
{
	const struct kernel_info *i = l->info;
	ckpt_put_tag(c->out, ENTRY_LAUNCH);
	ckpt_put_number(c->out, l->uid);
	ckpt_put_text(c->out, i->name);
	for (unsigned k = 0; k < 3; k++) {
		ckpt_put_number(c->out, l->grid[k]);
		ckpt_put_number(c->out, l->block[k]);
		ckpt_put_number(c->out, l->cluster[k]);
	}
	ckpt_put_number(c->out, l->dynamic_shared);
	ckpt_put_number(c->out, i->n_params);
	for (uint32_t k = 0; k < i->n_params; k++) {
		const struct kernel_param *p = &i->param[k];
		uint64_t value = 0;
		if (p->size <= sizeof value)
			memcpy(&value, l->params + p->offset, p->size);
		ckpt_put_number(c->out, p->size);
		ckpt_put_number(c->out,
				shared_place(value));
	}
}

static void record_launch(struct checkpoint *c, const struct kernel_launch *l)
{
	if (!c->running++)
		shared_begin(c);
	put_launch(c, l);
}

void checkpoint_launch_ended(const struct kernel_launch *l)
{
	struct checkpoint *c = recording();
	if (!c)
		return;
	if (l->fault.kind || cu.sticky) {
		give_up(c, "a kernel before it has failed");
		return;
	}
	c->running--;
	shared_put_changes(c);
	ckpt_put_tag(c->out, ENTRY_END);
	ckpt_put_number(c->out, l->uid);
	if (cu.next_launch >= c->kernel && !gpu_busy(cu.gpu))
		record_commit(c);
}

void record_commit(struct checkpoint *c)
{
	ckpt_put_tag(c->out, ENTRY_MEMORY);
	ckpt_put_number(c->out, gpu_cycle(cu.gpu));
	ckpt_put_number(c->out, cu.next_launch);
	memory_put(c->out);
	int error = ckpt_commit(c->out);
	c->out = NULL;
	shared_free(c);
	c->state = RESTS;
	if (!error)
		return;
	cu_flush();
	fprintf(stderr, "heddle: error: option '-checkpoint_file': cannot write %s: %s\n", c->file, output_why(error));
	atomic_store(&cu.output_failed, true);
}

bool checkpoint_skips(struct kernel_launch *l)
{
	struct checkpoint *c = recording();
	if (c)
		record_launch(c, l);
	return checkpoint_replays() && (replay_launch(cu.checkpoint, l), true);
}

struct read_rows {
	const struct checkpoint_rows *r;
	char *to;
};

static void read_rows(void *arg)
{
	const struct read_rows *a = arg;
	const struct checkpoint_rows *r = a->r;
	char *to = a->to;
	for (size_t z = 0; z < r->depth; z++)
		for (size_t y = 0; y < r->height; y++, to += r->width)
			memcpy(to, r->p + z * r->slice + y * r->pitch, r->width);
}

// The rows without gaps, for mem_free. NULL if they cannot be read.
static char *gather(const struct checkpoint_rows *r)
{
	struct read_rows a = {r, mem_alloc(r->width * r->height * r->depth)};
	if (guard_run(read_rows, &a, NULL))
		return a.to;
	mem_free(a.to);
	return NULL;
}

void checkpoint_copied_out(const struct checkpoint_rows *r, bool done)
{
	struct checkpoint *c = recording();
	if (!c)
		return;
	char *bytes = done ? gather(r) : NULL;
	size_t n = r->width * r->height * r->depth;
	ckpt_put_tag(c->out, ENTRY_OUT);
	ckpt_put_number(c->out, n);
	ckpt_put_number(c->out, bytes != NULL);
	if (bytes)
		ckpt_put(c->out, bytes, n);
	mem_free(bytes);
}

void checkpoint_copied_in(const struct checkpoint_rows *r)
{
	struct checkpoint *c = recording();
	char *bytes = c || checkpoint_replays() ? gather(r) : NULL;
	if (!bytes)
		return;
	size_t n = r->width * r->height * r->depth;
	uint64_t hash = checkpoint_hash(CHECKPOINT_HASH, bytes, n);
	mem_free(bytes);
	if (!c) {
		replay_copied_in(cu.checkpoint, n, hash);
		return;
	}
	ckpt_put_tag(c->out, ENTRY_IN);
	ckpt_put_number(c->out, n);
	ckpt_put(c->out, &hash, sizeof hash);
}

double checkpoint_time(double now)
{
	struct checkpoint *c = recording();
	if (c) {
		ckpt_put_tag(c->out, ENTRY_TIME);
		ckpt_put(c->out, &now, sizeof now);
	}
	return checkpoint_replays() ? replay_time(cu.checkpoint) : now;
}

unsigned checkpoint_condition(unsigned now)
{
	struct checkpoint *c = recording();
	if (c) {
		ckpt_put_tag(c->out, ENTRY_CONDITION);
		ckpt_put_number(c->out, now);
	}
	return checkpoint_replays() ? replay_condition(cu.checkpoint) : now;
}

void checkpoint_heap_alloc(uint64_t size, uint64_t addr)
{
	struct checkpoint *c = recording();
	if (!c)
		return;
	ckpt_put_tag(c->out, ENTRY_ALLOC);
	ckpt_put_number(c->out, size);
	ckpt_put_number(c->out, addr);
}

void checkpoint_heap_free(uint64_t addr)
{
	struct checkpoint *c = recording();
	if (!c)
		return;
	ckpt_put_tag(c->out, ENTRY_FREE);
	ckpt_put_number(c->out, addr);
}

void checkpoint_error_text(int error, bool name, uint64_t addr)
{
	struct checkpoint *c = recording();
	if (!c)
		return;
	ckpt_put_tag(c->out, ENTRY_ERROR_TEXT);
	ckpt_put_number(c->out, (uint64_t)error);
	ckpt_put_number(c->out, name);
	ckpt_put_number(c->out, addr);
}

// In a replay no kernel would write it.
void checkpoint_waits_for_value(uint64_t addr)
{
	struct checkpoint *c = recording();
	const struct devmem_range *r = devmem_find(cu.mem, addr);
	if (c && r && r->kind == DEVMEM_DEVICE)
		give_up(c,
			"a stream waits for a value in device memory (cuStreamWaitValue), which no replay would write");
}
