// Any text that parses as PTX: its kernels are decoded and executed for a while on a small device memory. Whatever they
// do ends in a fault of the launch or in an error message, never in one of the process.
#include "cuda-sim/ptx/ptx.h"
#include "cuda-sim/runtime/builtin.h"
#include "cuda-sim/decode/kernel.h"
#include "cuda-sim/simt/frontend.h"
#include "gpgpu-sim/gpu/functional.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	MEMORY = 64 << 20,
	HEAP = 1 << 20,      // the largest block that device-side malloc gives
	BUFFER = 4096,       // what every 8-byte parameter points to
	BUDGET = 20000,      // warp instructions of a kernel
	THREADS = 40,        // one full warp and part of another
	MAX_PARAMS = 4096,   // bytes
	MAX_SHARED = 227 << 10,
};

static void print(void *ctx, const char *text, size_t len) { (void)ctx, (void)text, (void)len; }

static uint64_t heap_alloc(void *mem, uint64_t size)
{
	return size > HEAP ? 0 : devmem_alloc(mem, size, 16, DEVMEM_HEAP, 0);
}

static bool heap_free(void *mem, uint64_t addr)
{
	const struct devmem_range *r = devmem_find(mem, addr);
	return r && r->kind == DEVMEM_HEAP && devmem_free(mem, addr);
}

static uint64_t now(void *ctx) { return (uintptr_t)ctx & 0xff; }

static void run(struct ptx_func *f, struct devmem *mem, uint64_t buffer, struct diag *d)
{
	struct kernel_services services = {.ctx = mem, .print = print, .heap_alloc = heap_alloc, .heap_free = heap_free,
	                                   .clock = now, .clock_hz = 1000000000, .stack_limit = 1024, .n_sm = 2, .warps_per_sm = 64};
	void *code = ptx_kernel_code(f, d);
	const struct kernel_info *info = code ? ptx_kernel_info(f, d) : NULL;
	// What a launch would refuse.
	if (!info || info->param_bytes > MAX_PARAMS || info->static_shared > MAX_SHARED - 1024)
		return;
	uint32_t block[3] = {THREADS, 1, 1};
	uint64_t threads = THREADS;
	if (info->reqntid[0]) {
		threads = 1;
		for (unsigned n = 0; n < 3; n++) {
			block[n] = info->reqntid[n] ? info->reqntid[n] : 1;
			threads = threads * block[n] > 1024 ? 1025 : threads * block[n];
		}
	}
	if (!threads || threads > 1024)
		return;
	_Alignas(16) uint8_t params[MAX_PARAMS + 16] = {0};
	for (uint32_t n = 0; n < info->n_params; n++) {
		uint64_t value = info->param[n].size == 8 ? buffer : 3;
		memcpy(params + info->param[n].offset, &value, info->param[n].size < 8 ? info->param[n].size : 8);
	}
	struct kernel_launch l = {.uid = 1, .info = info, .fe = &ptx_frontend, .code = code, .grid = {3, 1, 1},
	                          .block = {block[0], block[1], block[2]}, .dynamic_shared = 512, .params = params,
	                          .mem = mem, .services = &services};
	struct functional_run *r = functional_new(&l, 2, NULL);
	uint64_t used, left = BUDGET;
	while (!functional_step(r, left, &used) && used < left)
		left -= used;
	functional_free(r);
}

// The first texture reference has nothing bound, the others a small image, which surface references have too.
static void bind_textures(struct ptx_module *m, uint64_t buffer, struct texture tex[3])
{
	tex[1] = (struct texture){.kind = TEX_PITCH2D, .base = buffer, .width = 4, .height = 4, .pitch = 32, .channels = 2,
	                          .bits = 32, .channel = TEX_FLOAT, .filter = TEX_LINEAR_FILTER, .address = {TEX_CLAMP}};
	tex[2] = tex[1];
	tex[2].surface = true;
	unsigned n = 0;
	for (size_t i = 0; i < m->vars.n; i++) {
		struct ptx_var *v = m->vars.slot[i].value;
		if (v->type == PTX_T_TEXREF)
			v->tex = &tex[n++ > 0];
		if (v->type == PTX_T_SURFREF)
			v->tex = &tex[2];
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = {0};
	struct devmem *mem = devmem_create(MEMORY, DEVMEM_OWN, &d);
	struct ptx_module *m = ptx_module_parse("fuzz", (const char *)data, size, &d);
	uint64_t buffer = devmem_alloc(mem, BUFFER, 256, DEVMEM_DEVICE, 0);
	if (m) {
		struct ptx_program p = {0};
		VEC_PUSH(&p.modules, m);
		m->program = &p;
		struct texture tex[3] = {{0}};
		bind_textures(m, buffer, tex);
		bool linked = ptx_program_link(&p, mem, builtin_find, &d);
		for (size_t i = 0; i < m->funcs.n && linked; i++) {
			struct ptx_func *f = m->funcs.slot[i].value;
			if (f->entry && f->body)
				run(f, mem, buffer, &d);
		}
		for (size_t i = 0; i < m->funcs.n; i++)
			ptx_kernel_free(((struct ptx_func *)m->funcs.slot[i].value)->code);
		ptx_program_free(&p);
	}
	devmem_destroy(mem);
	diag_free(&d);
	return 0;
}
