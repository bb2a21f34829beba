#include "libcuda/life/services.h"

#include "base/option_forms.h"
#include "isa/grids.h"
#include "libcuda/checkpoint/checkpoint.h"
#include "libcuda/context/context.h"
#include "libcuda/life/device.h"
#include "libcuda/context/error.h"
#include "libcuda/code/launch.h"
#include "libcuda/context/observers.h"
#include "libcuda/context/output.h"
#include "libcuda/memory/heap.h"
#include "libcuda/texture/texture_object.h"

#include <string.h>

static uint64_t service_heap_alloc(void *ctx, uint64_t size)
{
	uint64_t addr = heap_alloc(size);
	checkpoint_heap_alloc(size, addr);
	return addr;
}

static bool service_heap_free(void *ctx, uint64_t addr)
{
	bool freed = heap_free(addr);
	checkpoint_heap_free(addr);
	if (!freed)
		checks_heap_refused(addr);
	return freed;
}

static const struct texture *service_texture(void *ctx, uint64_t handle) { return texture_of_handle(handle); }

static uint64_t service_clock(void *ctx) { return gpu_cycle(cu.gpu); }

static bool service_kernel_at(void *ctx, const struct kernel_launch *by, uint64_t address, struct kernel_found *out, struct diag *d)
{
	struct kernel *k = kernel_of_address(by, address, d);
	if (!k)
		return false;
	bool ready = k->state == KERNEL_READY;
	*out = (struct kernel_found){k->name, k, ready ? k->code : NULL, ready ? &k->info : NULL};
	return true;
}

static int service_child(void *ctx, void *function, struct kernel_launch *l)
{
	cudaError_t e;
	struct kernel *k = function;
	struct dim3 grid = {l->grid[0], l->grid[1], l->grid[2]}, block = {l->block[0], l->block[1], l->block[2]};
	struct launch_shape s;
	e = cluster_shape(&s, k, grid, block, (struct dim3){0}, false);
	e = e ? e : launch_check(k, &s, l->dynamic_shared, false);
	if (e)
		return (int)e;
	memcpy(l->grid, (uint32_t[]){s.grid.x, s.grid.y, s.grid.z}, sizeof l->grid);
	memcpy(l->block, (uint32_t[]){s.block.x, s.block.y, s.block.z}, sizeof l->block);
	memcpy(l->cluster, s.cluster, sizeof l->cluster);
	l->info = &k->info;
	l->code = k->code;
	l->fe = watch_frontend(k->fe);
	l->prefers = launch_preference(k);
	l->uid = (uint32_t)++cu.next_launch;
	l->untimed = !gpu_times(cu.gpu, l);
	watch_kernel(l);
	return 0;
}

static int service_attribute(void *ctx, int attribute, int *value) { return (int)device_attribute(value, attribute, 0); }

static uint64_t service_error_text(void *ctx, int error, bool name)
{
	const char *text = name ? error_name((cudaError_t)error) : error_text((cudaError_t)error);
	for (size_t i = 0; i < cu.error_texts.n; i++)
		if (cu.error_texts.at[i].text == text)
			return cu.error_texts.at[i].addr;
	struct error_address t = {text, devmem_alloc(cu.mem, strlen(text) + 1, 0, DEVMEM_CONST, 0)};
	if (!t.addr)
		return 0;
	memcpy((void *)(uintptr_t)t.addr, text, strlen(text) + 1);
	VEC_PUSH(&cu.error_texts, t);
	checkpoint_error_text(error, name, t.addr);
	return t.addr;
}

void services_start(void)
{
	cu.services = (struct kernel_services){
	        .print = output_print,
	        .assert_failed = output_assertion,
	        .heap_alloc = service_heap_alloc,
	        .heap_free = service_heap_free,
	        .clock = service_clock,
	        .clock_hz = cu.desc.clock_hz[CLOCK_CORE],
	        .texture = service_texture,
	        .kernel_at = service_kernel_at,
	        .child = service_child,
	        .attribute = service_attribute,
	        .error_text = service_error_text,
	        .n_sm = cu.desc.sm_count,
	        .warps_per_sm = cu.desc.max_warps_per_sm,
	        .shared_unit = cu.desc.shared_allocation_unit,
	        .interrupt = &cu.interrupt,
	        .named_barriers = cu.desc.max_named_barriers,
	        .strays = &cu.strays,
	};
}
