// A warp with memory of every space, for tests of bodies that touch memory. Device memory is two arrays and a constant
// one, listed by hand as allocations; between and around them nothing is allocated.
#ifndef EXEC_MEM_FIXTURE_H
#define EXEC_MEM_FIXTURE_H

#include "cuda-sim/exec/tables/find.h"
#include "cuda-sim/simt/simt.h"

#include <check.h>
#include <stdlib.h>

enum {
	FIX_BYTES = 4096,      // of each space and allocation
	FIX_GAP = 65536,       // between allocations
	ROW_A = 1024,          // address row; rows are 512 bytes, so that 16-byte lanes fit
	ROW_B = 1536,
	ROW_C = 2048,
	ROW_D = 2560,
	ROW_X = 3072,          // four of them
	PRED_A = 64, PRED_P = 128,
};

struct fixture {
	_Alignas(64) uint8_t frame[8192];
	_Alignas(64) uint8_t shared[FIX_BYTES];
	_Alignas(64) uint8_t local[FIX_BYTES * WARP];
	_Alignas(64) uint8_t param[FIX_BYTES];
	_Alignas(512) uint8_t arena[4 * FIX_GAP];
	struct devmem_range range[3];
	struct devmem mem;
	struct kernel_info info;
	struct kernel_launch launch;
	struct kernel_code kernel;
	struct simt_cta simt_cta;
	struct simt_warp simt_warp;
	struct exec_cta *cta;
	struct warp *warp;
	struct uop uop;
	uint64_t dev[3];       // addresses of the allocations; the third is constant
	bool warm;             // the instruction was in the first of them before
};

// A deterministic stream of numbers.
static inline uint64_t fix_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static inline void fix_noise(void *p, size_t len, uint64_t *state)
{
	for (size_t i = 0; i < len; i++)
		((uint8_t *)p)[i] = (uint8_t)fix_random(state);
}

static inline struct fixture *fix_new(uint64_t seed)
{
	static const struct devmem_range kinds[3] = {
		{.kind = DEVMEM_DEVICE}, {.kind = DEVMEM_DEVICE}, {.kind = DEVMEM_CONST}};

	struct fixture *f = aligned_alloc(512, (sizeof *f + 511) & ~511ul);
	fix_noise(f, offsetof(struct fixture, range), &seed);
	memset((uint8_t *)f + offsetof(struct fixture, range), 0, sizeof *f - offsetof(struct fixture, range));
	for (unsigned i = 0; i < 3; i++) {
		f->dev[i] = (uint64_t)f->arena + i * FIX_GAP + FIX_GAP / 2;
		f->range[i] = kinds[i];
		f->range[i].base = f->dev[i];
		f->range[i].size = FIX_BYTES;
		f->range[i].end = f->dev[i] + FIX_BYTES;
	}
	f->mem.base = (uint64_t)f->arena;
	f->mem.size = sizeof f->arena;
	f->mem.range = f->range;
	f->mem.n_range = f->mem.cap_range = 3;
	f->info.name = "kernel";
	f->info.param_bytes = FIX_BYTES;
	f->launch.info = &f->info;
	f->launch.params = f->param;
	f->launch.mem = &f->mem;
	f->cta = &f->simt_cta.x;
	f->warp = &f->simt_warp.w;
	f->simt_cta.kernel = &f->kernel;
	f->simt_warp.cta = &f->simt_cta;
	f->cta->launch = &f->launch;
	f->cta->shared = f->shared;
	f->cta->shared_size = FIX_BYTES;
	f->cta->local_size = FIX_BYTES;
	f->cta->block[0] = WARP;
	f->cta->block[1] = f->cta->block[2] = 1;
	f->warp->fp = f->frame;
	f->warp->cta = f->cta;
	f->warp->local = f->local;
	f->warp->live = f->warp->active = FULL_MASK;
	f->uop.a = ROW_A;
	f->uop.b = ROW_B;
	f->uop.c = ROW_C;
	f->uop.d = ROW_D;
	for (unsigned k = 0; k < 4; k++)
		f->uop.x[k] = ROW_X + (int32_t)k * 512;
	return f;
}

// Runs the body of `key` at one level; the test fails if there is none.
static inline void fix_run(struct fixture *f, enum exec_level level, const char *key, uint32_t mask)
{
	exec_fn *fn = exec_find_at(level, key);

	ck_assert_msg(fn != NULL, "no body for %s", key);
	f->uop.fn = fn;
	memset(&f->launch.fault, 0, sizeof f->launch.fault);
	f->warp->fault = 0;
	memset(&f->cta->hit, 0, sizeof f->cta->hit);
	if (f->warm)
		*exec_hit(f->warp, &f->uop) = (struct devmem_hit){
			.base = f->range[0].base, .end = f->range[0].end, .kind = f->range[0].kind};
	fn(f->frame, &f->uop, mask, f->warp);
}

// Where byte `at` of a lane's local memory lies.
static inline uint8_t *fix_local(struct fixture *f, unsigned lane, uint64_t at)
{
	return f->local + (at / 4 * WARP + lane) * 4 + at % 4;
}

// Where the byte at generic address `addr` of a lane lies, by simple means.
static inline uint8_t *fix_byte(struct fixture *f, unsigned lane, uint64_t addr)
{
	if (addr >= LOCAL_WINDOW)
		return fix_local(f, lane, addr - LOCAL_WINDOW);
	if (addr >= SHARED_WINDOW)
		return f->shared + (addr - SHARED_WINDOW);
	return (uint8_t *)addr;
}

static inline void fix_address(struct fixture *f, unsigned lane, uint64_t addr)
{
	if (f->uop.flags & UOP_ADDR64) {
		((uint64_t *)(f->frame + ROW_A))[lane] = addr;
	} else {
		((uint32_t *)(f->frame + ROW_A))[lane] = (uint32_t)addr;
	}
}

static const uint32_t fix_masks[] = {FULL_MASK,   1,           0x80000000u, 0xffff,
                                     0x55555555u, 0x00ffff00u, 0x7fffffffu, 0x9e3779b9u};
enum { FIX_MASKS = sizeof fix_masks / sizeof *fix_masks };

// Runs one suite of tests, each once for each CPU level, as _i.
static inline int fix_main(const char *name, const TTest *const *tests, unsigned n)
{
	Suite *s = suite_create(name);
	TCase *c = tcase_create("levels");
	tcase_set_timeout(c, 60);
	for (unsigned i = 0; i < n; i++)
		tcase_add_loop_test(c, tests[i], EXEC_PLAIN, (int)exec_best_level() + 1);
	suite_add_tcase(s, c);
	return check_main(s);
}

#endif
