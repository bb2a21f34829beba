// What kernels ask for when they launch kernels (kernel_services): checks of the launch, attributes, texts of errors.
#include "libcuda/child.h"

#include "isa/grids.h"
#include "libcuda/device.h"
#include "libcuda/launch.h"

#include <string.h>

int child_check(void *ctx, void *function, struct kernel_launch *l)
{
	cudaError_t e;
	struct kernel *k = kernel_of_function(function, &e);
	if (!k)
		return (int)e;
	struct dim3 grid = {l->grid[0], l->grid[1], l->grid[2]}, block = {l->block[0], l->block[1], l->block[2]};
	e = launch_check(k, grid, block, l->dynamic_shared, false);
	if (e)
		return (int)e;
	l->info = &k->info;
	l->prefers = launch_preference(k);
	l->uid = (uint32_t)++cu.next_launch;
	watch_kernel(l);
	return 0;
}

int child_attribute(void *ctx, int attribute, int *value) { return (int)device_attribute(value, attribute, 0); }

uint64_t child_error_text(void *ctx, int error, bool name)
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
	return t.addr;
}
