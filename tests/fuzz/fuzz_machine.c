// Any bytes as a cubin whose kernels are loaded and decoded.
#include "cuda-sim/runtime/builtin.h"
#include "cuda-sim/sass/exec/kernel.h"
#include "libcuda/image/machine.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t variable(void *ctx, const struct variable_place *v) { return ((0x700000ull + v->section) << 20) + v->offset; }
static uint64_t kernel(void *ctx, const char *name) { return (uint64_t)1 << 51; }
static uint32_t texture(void *ctx, const char *name) { return 1; }

static void load(struct machine *m, const struct cubin *c, struct diag *d)
{
	enum { MOST = 1 << 16 }; // larger variables are slow to make, and not what is sought here
	for (size_t i = 0; i < c->kernel.n && i < 8; i++) {
		const struct sass_image *image = machine_image(m, c->kernel.at[i].name, d);
		if (image)
			sass_kernel_free(sass_kernel_new(image, 0, d));
	}
	for (unsigned s = 0; s < N_VARIABLE_SECTIONS; s++) {
		size_t n = c->variables.section[s].size;
		uint8_t *to = n && n <= MOST ? calloc(1, n) : NULL;
		if (to && machine_initial(m, s))
			memcpy(to, machine_initial(m, s), n);
		if (to)
			machine_fill(m, s, to, d);
		free(to);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct machine_world world = {NULL, variable, kernel, texture, builtin_find};
	struct diag d = {0};
	struct arena arena = {0};
	struct cubin c;
	if (cubin_read(&c, data, size, &arena, &d)) {
		struct machine *m = machine_new(data, size, &c, "fuzz", &world, &d);
		if (m)
			load(m, &c, &d);
		machine_free(m);
	}
	cubin_free(&c);
	arena_free(&arena);
	diag_free(&d);
	return 0;
}
