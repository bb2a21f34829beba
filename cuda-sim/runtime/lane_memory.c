#include "cuda-sim/runtime/lane_memory.h"

#include "cuda-sim/exec/checker.h"
#include "cuda-sim/exec/cluster.h"

static uint8_t *byte_at(struct warp *w, unsigned lane, uint64_t addr, bool write)
{
	struct exec_cta *c = w->cta;
	if (addr - LOCAL_WINDOW < WINDOW_SIZE) {
		uint64_t at = addr - LOCAL_WINDOW;
		return at < c->local_size ? w->local + ((at / 4) * WARP + lane) * 4 + at % 4 : NULL;
	}
	if (addr - SHARED_WINDOW < WINDOW_SIZE) {
		uint32_t at;
		struct exec_cta *of = exec_cluster_find(c, (uint32_t)(addr - SHARED_WINDOW), &at);
		return of && at < of->shared_size ? of->shared + at : NULL;
	}
	if (!devmem_holds(c->launch->mem, &c->hit[0], addr, addr + 1) || (write && c->hit[0].kind == DEVMEM_CONST))
		return NULL;
	return (uint8_t *)(uintptr_t)addr;
}

// Other SMs see it.
static bool shared_out(uint64_t addr) { return addr < SHARED_WINDOW; }

bool lane_read(struct warp *w, unsigned lane, uint64_t addr, void *to, size_t n)
{
	if (w->cta->check)
		w->cta->check->by->moved(w, lane, addr, n, false);
	const struct effects *s = exec_effects(w);
	for (size_t k = 0; k < n; k++) {
		const uint8_t *b = byte_at(w, lane, addr + k, false);
		if (!b)
			return false;
		if (s && shared_out(addr + k))
			effects_read(s, addr + k, (uint8_t *)to + k, 1);
		else
			((uint8_t *)to)[k] = *b;
	}
	return true;
}

bool lane_write(struct warp *w, unsigned lane, uint64_t addr, const void *from, size_t n)
{
	if (w->cta->check)
		w->cta->check->by->moved(w, lane, addr, n, true);
	struct effects *s = exec_effects(w);
	for (size_t k = 0; k < n; k++) {
		uint8_t *b = byte_at(w, lane, addr + k, true);
		if (!b)
			return false;
		if (s && shared_out(addr + k))
			b = effects_store(s, addr + k, 1);
		*b = ((const uint8_t *)from)[k];
	}
	return true;
}

bool lane_string(struct warp *w, unsigned lane, uint64_t addr, char *to, size_t len)
{
	size_t n = 0;
	for (; n + 1 < len; n++) {
		if (!lane_read(w, lane, addr + n, &to[n], 1))
			return false;
		if (!to[n])
			return true;
	}
	to[n] = 0;
	return true;
}
