// Runs a PTX kernel given as text, with nothing above cuda-sim and gpgpu-sim: for tests of single instructions and of
// control flow.
#ifndef TESTS_PTX_HARNESS_H
#define TESTS_PTX_HARNESS_H

#include "base/mem.h"
#include "cuda-sim/ptx/ptx.h"
#include "cuda-sim/runtime/builtin.h"
#include "cuda-sim/decode/kernel.h"
#include "cuda-sim/runtime/builtin.h"
#include "cuda-sim/simt/frontend.h"
#include "gpgpu-sim/gpu/functional.h"
#include "isa/strays.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ptx_bench {
	struct diag diag;
	struct devmem *mem;
	struct ptx_program program;
	struct kernel_services services;
	struct kernel_launch launch; // of the last run
	char printed[4096];
	size_t n_printed;
	uint64_t heap[64];
	struct strays strays;
};

static inline void bench_print(void *ctx, const char *text, size_t len)
{
	struct ptx_bench *b = ctx;
	if (len > sizeof b->printed - 1 - b->n_printed)
		len = sizeof b->printed - 1 - b->n_printed;
	memcpy(b->printed + b->n_printed, text, len);
	b->n_printed += len;
	b->printed[b->n_printed] = 0;
}

static inline uint64_t bench_heap_alloc(void *ctx, uint64_t size)
{
	struct ptx_bench *b = ctx;
	return devmem_alloc(b->mem, size, 16, DEVMEM_HEAP, 0);
}

static inline bool bench_heap_free(void *ctx, uint64_t addr)
{
	struct ptx_bench *b = ctx;
	const struct devmem_range *r = devmem_find(b->mem, addr);
	return r && r->kind == DEVMEM_HEAP && devmem_free(b->mem, addr);
}

static inline uint64_t bench_clock(void *ctx) { return 0; }

// Parses and links one module; NULL with the messages in b->diag if it has errors.
static inline struct ptx_bench *bench_try(const char *ptx)
{
	struct ptx_bench *b = MEM_NEW(struct ptx_bench);
	b->mem = devmem_create((uint64_t)1 << 30, DEVMEM_OWN, &b->diag);
	ck_assert_ptr_nonnull(b->mem);
	b->services = (struct kernel_services){.ctx = b, .print = bench_print, .heap_alloc = bench_heap_alloc,
	                                       .heap_free = bench_heap_free, .clock = bench_clock, .stack_limit = 1024,
	                                       .n_sm = 4, .warps_per_sm = 64, .strays = &b->strays};
	struct ptx_module *m = ptx_module_parse("test.ptx", ptx, strlen(ptx), &b->diag);
	if (!m)
		return b;
	VEC_PUSH(&b->program.modules, m);
	m->program = &b->program;
	if (!ptx_program_link(&b->program, b->mem, builtin_find, &b->diag))
		b->diag.errors++;
	return b;
}

static inline struct ptx_bench *bench_new(const char *ptx)
{
	struct ptx_bench *b = bench_try(ptx);
	ck_assert_msg(!b->diag.errors, "%s", b->diag.text ? b->diag.text : "?");
	return b;
}

static inline void bench_free(struct ptx_bench *b)
{
	for (size_t m = 0; m < b->program.modules.n; m++) {
		const struct map *funcs = &b->program.modules.at[m]->funcs;
		for (size_t i = 0; i < funcs->n; i++)
			ptx_kernel_free(((struct ptx_func *)funcs->slot[i].value)->code);
	}
	ptx_program_free(&b->program);
	devmem_destroy(b->mem);
	struct diag d = {0};
	strays_end(&b->strays, &d);
	diag_free(&d);
	diag_free(&b->diag);
	mem_free(b);
}

static inline uint64_t bench_alloc(struct ptx_bench *b, size_t bytes)
{
	return devmem_alloc(b->mem, bytes, 256, DEVMEM_DEVICE, 0);
}

// A launch of a kernel of so many blocks and threads, without parameters.
static inline struct kernel_launch bench_launch(struct ptx_bench *b, const char *kernel, uint32_t grid, uint32_t block)
{
	struct ptx_func *f = ptx_program_func(&b->program, kernel);
	ck_assert_msg(f != NULL, "no kernel %s", kernel);
	void *code = ptx_kernel_code(f, &b->diag);
	ck_assert_msg(code != NULL, "%s", b->diag.text ? b->diag.text : "?");
	return (struct kernel_launch){
		.uid = 1, .info = ptx_kernel_info(f, &b->diag), .fe = &ptx_frontend, .code = code, .grid = {grid, 1, 1},
		.block = {block, 1, 1}, .mem = b->mem, .services = &b->services};
}

// A texture of floats, row after row from `base`.
static inline struct texture bench_texture(uint64_t base, uint32_t width, uint32_t height)
{
	return (struct texture){
		.kind = TEX_ARRAY, .base = base, .width = width, .height = height, .pitch = width * 4,
		.slice = width * height * 4, .channels = 1, .bits = 32, .channel = TEX_FLOAT, .filter = TEX_POINT,
		.address = {TEX_CLAMP, TEX_CLAMP, TEX_CLAMP}};
}

// Runs a kernel to its end. `params` is its parameter block. Returns the fault, if any.
static inline const struct fault *bench_run(struct ptx_bench *b, const char *kernel, uint32_t grid, uint32_t block,
                                            uint32_t dynamic_shared, const void *params)
{
	b->launch = bench_launch(b, kernel, grid, block);
	b->launch.dynamic_shared = dynamic_shared;
	b->launch.params = params;
	struct functional_run *r = functional_new(&b->launch, 8, NULL);
	uint64_t used, total = 0;
	while (!functional_step(r, 1 << 20, &used)) {
		total += used;
		ck_assert_msg(total < 200000000, "kernel %s does not end", kernel);
	}
	functional_free(r);
	return b->launch.fault.kind ? &b->launch.fault : NULL;
}

#endif
