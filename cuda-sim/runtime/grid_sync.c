// What the device runtime answers about a grid whose blocks wait for each other: its handle, size, ranks, and the meeting itself.
//
// cudaCG... are the functions that a program calls and PTX leaves open; __cuda_syscall_CGS_... are those that cudadevrt's machine code
// of them calls. Who waits at a meeting polls: the call is executed again until all blocks have come, as code on a GPU reads a
// counter again. A block has come when all its threads that have not exited are in the call, or one thread that stands for them.
#include "cuda-sim/runtime/builtin.h"

#include "cuda-sim/exec/checker.h"
#include "cuda-sim/runtime/builtin_fault.h"
#include "cuda-sim/runtime/lane_memory.h"

#include "isa/kernel.h"

enum { SCOPE_GRID = 1, FOR_ITS_BLOCK = 1 }; // cudaCGScopeGrid; the flag that cudaCGSynchronizeGrid gives one thread of a block
enum { UNKNOWN = 999 };                     // cudaErrorUnknown

// In the workspace, behind what CUDA's own grid.sync() counts in. `blocks` have come to the meeting that is under way, after `over`
// meetings.
struct meeting {
	uint32_t blocks, over;
};
enum { MEETING = GRID_WORKSPACE - sizeof(struct meeting) };

static struct meeting *meeting_of(const struct kernel_launch *l)
{
	return (struct meeting *)(uintptr_t)(l->grid_workspace + MEETING);
}

// The handle of a grid is the address of its workspace, which only cooperative launches have.
static uint32_t with_handle(const struct builtin_call *c, unsigned arg)
{
	uint64_t handle = c->w->cta->launch->grid_workspace;
	uint32_t mask = 0;
	for (uint32_t m = handle ? c->mask : 0; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		mask |= c->arg[arg][lane] == handle ? 1u << lane : 0;
	}
	return mask;
}

static void do_handle(struct builtin_call *c)
{
	for (uint32_t m = c->mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		c->ret[lane] = (uint32_t)c->arg[0][lane] == SCOPE_GRID ? c->w->cta->launch->grid_workspace : 0;
	}
}

static void come(struct exec_cta *x, struct warp *w, uint32_t lanes, bool for_block)
{
	enum { AS_BARRIER = 0 }; // to who checks, a meeting of whole blocks is one more __syncthreads
	const struct kernel_launch *l = x->launch;
	if (x->check && lanes && !for_block)
		x->check->by->arrive(w, lanes, AS_BARRIER, true, false);
	w->met |= lanes;
	w->met_odd = (w->met_odd & ~lanes) | (x->meetings & 1 ? lanes : 0);
	x->met += (uint32_t)__builtin_popcount(lanes);
	if (!x->met || (x->met < x->live_threads && !for_block))
		return;
	if (x->check && !for_block)
		x->check->by->open(x, AS_BARRIER);
	struct meeting *m = meeting_of(l);
	x->met = 0;
	x->meetings++;
	if (++m->blocks == l->grid[0] * l->grid[1] * l->grid[2]) {
		m->blocks = 0;
		m->over++;
	}
}

// Of the lanes that have come, those that may go on. x->meetings counts those to which the block has come; a lane came to the last of
// them, or it is in the one that the rest of its block has not come to.
static uint32_t may_go(const struct exec_cta *x, const struct warp *w)
{
	uint32_t at_last = w->met & (x->meetings & 1 ? ~w->met_odd : w->met_odd);
	return meeting_of(x->launch)->over >= x->meetings ? at_last : 0;
}

static void do_sync(struct builtin_call *c)
{
	struct warp *w = c->w;
	uint32_t mask = with_handle(c, 0), for_block = 0;
	for (uint32_t m = c->mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		c->ret[lane] = mask >> lane & 1 ? 0 : UNKNOWN;
		for_block |= c->arg[1][lane] & FOR_ITS_BLOCK ? 1u << lane : 0;
	}
	if (!mask)
		return;
	uint32_t fresh = mask & ~w->met;
	come(w->cta, w, fresh, fresh & for_block);
	if (mask & ~may_go(w->cta, w))
		c->again = true;
	else
		w->met &= ~mask;
}

// cudaCGSynchronizeGrid(handle, flags) as it is in PTX: all threads of the block call it.
static void do_sync_grid(struct builtin_call *c)
{
	for (unsigned i = 0; i < WARP; i++)
		c->arg[1][i] &= ~(uint64_t)FOR_ITS_BLOCK;
	do_sync(c);
}

static uint32_t block_rank(const struct exec_cta *x)
{
	const uint32_t *g = x->launch->grid;
	return (x->id[2] * g[1] + x->id[1]) * g[0] + x->id[0];
}

// Two numbers at the addresses that a lane gives, of which each may be null. The result is not 0 without a right handle.
static void tell(struct builtin_call *c, bool rank)
{
	const struct exec_cta *x = c->w->cta;
	const uint32_t *g = x->launch->grid, threads = x->block[0] * x->block[1] * x->block[2];
	uint32_t right = with_handle(c, 2);
	for (uint32_t m = c->mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint32_t ok = right >> lane & 1, of_thread = rank ? block_rank(x) * threads + c->w->id * WARP + lane : g[0] * g[1] * g[2] * threads;
		uint32_t told[2] = {ok ? of_thread : 0, ok && !rank};
		for (unsigned k = 0; k < 2; k++)
			if (c->arg[k][lane] && !lane_write(c->w, lane, c->arg[k][lane], &told[k], sizeof told[k])) {
				builtin_bad_pointer(c, lane, c->arg[k][lane], "a result");
				return;
			}
		c->ret[lane] = ok ? 0 : UNKNOWN;
	}
}

static void do_size(struct builtin_call *c) { tell(c, false); }
static void do_rank(struct builtin_call *c) { tell(c, true); }

static const struct builtin calls[] = {
	{.name = "cudaCGGetIntrinsicHandle", .signature = "l:i", .run = do_handle},
	{.name = "cudaCGSynchronize", .signature = "i:li", .run = do_sync},
	{.name = "cudaCGSynchronizeGrid", .signature = "i:li", .run = do_sync_grid},
	{.name = "cudaCGGetSize", .signature = "i:lll", .run = do_size},
	{.name = "cudaCGGetRank", .signature = "i:lll", .run = do_rank},
	{.name = "__cuda_syscall_CGS_get_intrinsic_handle", .signature = "l:i", .run = do_handle},
	{.name = "__cuda_syscall_CGS_sync", .signature = "i:li", .run = do_sync},
	{.name = "__cuda_syscall_CGS_get_size", .signature = "i:lll", .run = do_size},
	{.name = "__cuda_syscall_CGS_get_rank", .signature = "i:lll", .run = do_rank},
};

const struct builtin *grid_sync_find(const char *name)
{
	for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
		if (strcmp(calls[k].name, name) == 0)
			return &calls[k];
	return NULL;
}
